#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures everything several times, stores the least figures, and writes every table and chart of
# the documentation anew. For a quiet machine. Counts of instructions are stored unless one rose.
#
#     sh bench/publish.sh <kith_bench> <folder of results> <number of runs>
set -eu
if [ $# -ne 3 ]; then
    echo "usage: sh bench/publish.sh <kith_bench> <folder of results> <number of runs>" >&2
    exit 2
fi
bench=$1
results=$2
runs=$3
here=$(dirname "$0")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' INT TERM

run=1
while [ "$run" -le "$runs" ]; do
    "$bench" --out "$scratch/times.$run"
    "$bench" --curve --out "$scratch/curves.$run"
    run=$((run + 1))
done
sh "$here/instructions.sh" "$bench" "$scratch/instructions"

mkdir -p "$results"
sh "$here/merge.sh" "$scratch"/times.* >"$results/times.json"
sh "$here/merge.sh" "$scratch"/curves.* >"$results/curves.json"

# A count that rose is a change of the code: it is not made the new measure without a decision.
code=0
if sh "$here/compare.sh" "$here/results/instructions-0.json" "$scratch/instructions"; then
    cp "$scratch/instructions" "$here/results/instructions.json"
else
    echo "publish.sh: the stored counts of instructions were kept" >&2
    code=1
fi
sh "$here/refresh.sh" "$results"
exit "$code"
