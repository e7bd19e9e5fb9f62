#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws every chart and writes every table of the documentation anew from the stored results.
#
#     sh bench/refresh.sh [<folder with times.json and curves.json>]
set -eu
cd "$(dirname "$0")/.."
results=${1:-bench/results/epyc-zen4}
parts=bench/awk

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' INT TERM

sh bench/charts.sh "$results" docs/charts
sh bench/tables.sh "$results/times.json" bench/results/instructions.json >"$scratch/tables"
awk -v times="$scratch/times" -v instructions="$scratch/instructions" '
    /^$/ { second = 1; next }
    { print > (second ? instructions : times) }
' "$scratch/tables"

for document in docs/benchmarks.md docs/choosing.md; do
    awk -v times="$scratch/times" -v instructions="$scratch/instructions" \
        -f "$parts/results.awk" -f "$parts/fill.awk" "$results/times.json" "$document" \
        >"$scratch/document"
    cmp -s "$scratch/document" "$document" || cp "$scratch/document" "$document"
    echo "$document"
done

awk -f "$parts/peers.awk" docs/benchmarks.md README.md >"$scratch/document"
cmp -s "$scratch/document" README.md || cp "$scratch/document" README.md
echo README.md
