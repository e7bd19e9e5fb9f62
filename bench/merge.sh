#!/bin/sh
# SPDX-License-Identifier: MIT
# Joins several runs of the benchmark into one: each time is the least that any of them had, and
# ratio and verdict follow. On a machine that others use too, one run is not enough.
#
#     sh bench/merge.sh <run.json>... > <joined.json>
set -eu

if [ $# -lt 1 ]; then
    echo "usage: sh bench/merge.sh <run.json>... > <joined.json>" >&2
    exit 2
fi

parts=$(dirname "$0")/awk
awk -f "$parts/results.awk" -f "$parts/merge.awk" "$@"
