#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the charts of the documentation from the results of the benchmark.
#
#     sh bench/charts.sh <folder with times.json and curves.json> <folder for the charts>
#
# times.json is what kith_bench --out writes, curves.json what kith_bench --curve --out writes.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: sh bench/charts.sh <folder of results> <folder for the charts>" >&2
    exit 2
fi
results=$1
charts=$2
parts=$(dirname "$0")/awk
machine=$(basename "$results")
mkdir -p "$charts"

# A chart takes its place only when it is complete.
draw() { # <name> <awk arguments>
    name=$1
    shift
    awk -f "$parts/results.awk" -f "$parts/svg.awk" "$@" >"$charts/$name.svg.new"
    mv "$charts/$name.svg.new" "$charts/$name.svg"
    echo "$charts/$name.svg"
}

curve() { # <name> <title> <axis> <lines>
    draw "$1" -f "$parts/lines.awk" -v title="$2" -v subtitle="$machine, minimum of several runs" \
        -v across="$3" -v lines="$4" "$results/curves.json"
}

draw ratios -f "$parts/bars.awk" -v title="kith against hand-written arrays" \
    -v subtitle="time kith / time of the limit ($machine), lower is better, logarithmic" \
    "$results/times.json"

curve create "Creating an entity with two components" "entities created" \
    "C2|one by one|kith|kith, one by one;C2|one by one|limit|plain arrays"

curve get "Reading a component in random order" "entities" \
    "G1|one by one|kith|kith, one by one;G1|many at once|kith|kith, many at once;"\
"G1|one by one|limit|plain array"

curve loop "Loop over two components in the same order" "entities" \
    "I2|view next|kith|kith, next;I2|view chunk|kith|kith, chunks;"\
"I2|stored chunk|kith|kith, stored query, chunks;I2|view next|limit|plain arrays"

curve shuffled "Loop over two components in unrelated order" "entities" \
    "I3|view next|kith|kith, next;I3|stored next|kith|kith, stored query, next;"\
"I3|view next|limit|plain arrays in one order"

curve components "65,536 entities, by number of registered components" "registered components" \
    "C4|destroy|kith|kith, destroy;G3|has|kith|kith, has;"\
"C4|destroy|limit|plain arrays, destroy;G3|has|limit|bit set, has"
