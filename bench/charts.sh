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

curve create "Creating an entity" "entities created" \
    "C1|one by one|kith|kith, empty;C2|one by one|kith|kith, two components;"\
"C1|one by one|limit|plain arrays, empty;C2|one by one|limit|plain arrays, two"

curve destroy "Destroying an entity with two components" "entities destroyed" \
    "C4|one by one|kith|kith;C4|one by one|limit|plain arrays"

curve add "Adding a component" "entities" \
    "M1|one by one|kith|kith;M1|in a list group|kith|joins a list group;"\
"M1|in a group|kith|joins a group;M1|in 3 nested groups|kith|joins 3 nested groups;"\
"M1|one by one|limit|plain arrays"

curve remove "Removing a component" "entities" \
    "M2|one by one|kith|kith;M2|in a list group|kith|leaves a list group;"\
"M2|in a group|kith|leaves a group;M2|in 3 nested groups|kith|leaves 3 nested groups;"\
"M2|one by one|limit|plain arrays"

curve get "Reading a component in random order" "entities" \
    "G1|one by one|kith|kith, one by one;G1|many at once|kith|kith, many at once;"\
"G1|one by one|limit|plain array"

curve loop "Loop over two components in the same order" "entities" \
    "I2|view next|kith|view, next;I2|view chunk|kith|view, chunks;"\
"I2|stored chunk|kith|stored query, chunks;I2|group chunk|kith|group, chunks;"\
"I2|view next|limit|plain arrays"

curve shuffled "Loop over two components in unrelated order" "entities" \
    "I3|view next|kith|view, next;I3|stored next|kith|stored query, next;"\
"I3|group chunk|kith|group, chunks;I3|view next|limit|plain arrays in one order"

curve build "Making a group of two components" "entities" \
    "B1|group|kith|group, same order;B1|group, shuffled|kith|group, unrelated order;"\
"B1|list group|kith|list group, same order;B1|group, shuffled|limit|plain arrays, gathered"

curve components "65,536 entities, by number of registered components" "registered components" \
    "C4|destroy|kith|kith, destroy;M1|add|kith|kith, add;G3|has|kith|kith, has;"\
"C4|destroy|limit|plain arrays, destroy;M1|add|limit|plain arrays, add;G3|has|limit|bit set, has"

curve terms "65,536 entities, components in the same order" "components of the query" \
    "T1|next|kith|view, next;T1|chunk|kith|view, chunks;T1|group next|kith|group, next;"\
"T1|group chunk|kith|group, chunks;T1|chunk|limit|plain arrays"

curve terms_shuffled "65,536 entities, every component in an order of its own" \
    "components of the query" \
    "T1|shuffled next|kith|view, next;T1|group next|kith|group, next;"\
"T1|group chunk|kith|group, chunks;T1|chunk|limit|plain arrays in one order"

curve sets "Loop over two components that half of 65,536 entities have" \
    "different sets of components" \
    "A1|view next|kith|view, next;A1|list next|kith|list group, next;"\
"A1|stored next|kith|stored query, next;A1|group chunk|kith|group, chunks;"\
"A1|group chunk|limit|plain arrays of those"

curve change_sets "Adding and removing a component of 65,536 entities" \
    "different sets of components" \
    "M1|add, remove by sets|kith|kith;M1|add, remove by sets|limit|plain arrays"

curve build_sets "Making a group that half of 65,536 entities belong to" \
    "different sets of components" \
    "B1|group by sets|kith|group;B1|list by sets|kith|list group;"\
"B1|group by sets|limit|plain arrays, copied"
