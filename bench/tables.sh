#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of docs/benchmarks.md from the results of the benchmark, on standard output.
#
#     sh bench/tables.sh <times.json> <instructions.json>
set -eu

if [ $# -ne 2 ]; then
    echo "usage: sh bench/tables.sh <times.json> <instructions.json>" >&2
    exit 2
fi

parts=$(dirname "$0")/awk
table() { # <kind> <results>
    awk -v kind="$1" -f "$parts/results.awk" -f "$parts/table.awk" "$2"
}

table times "$1"
echo
table instructions "$2"
