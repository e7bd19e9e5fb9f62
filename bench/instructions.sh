#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the instructions of each benchmark case with callgrind, prints a table and writes JSON.
#
#     sh bench/instructions.sh <kith_bench> [<out.json>] [options of kith_bench]
#
# kith_bench --instructions makes one dump per case and side. Its description, which is
# case|form|side|n|operations|target, and its total are all that is read from it.
set -eu

if [ $# -lt 1 ]; then
    echo "usage: sh bench/instructions.sh <kith_bench> [<out.json>] [options of kith_bench]" >&2
    exit 2
fi
bench=$1
shift
out=build/bench/instructions.json
case ${1:--} in
-*) ;;
*)
    out=$1
    shift
    ;;
esac
if ! command -v valgrind >/dev/null; then
    echo "instructions.sh: valgrind is not installed" >&2
    exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' INT TERM

valgrind --quiet --tool=callgrind --collect-atstart=no \
    --callgrind-out-file="$scratch/dump" "$bench" --instructions "$@"

mkdir -p "$(dirname "$out")"
number=1
while [ -e "$scratch/dump.$number" ]; do
    awk '
        sub(/^desc: Trigger: Client Request: /, "") { description = $0 }
        /^totals:/ { total = $2 }
        END { print description "|" total }
    ' "$scratch/dump.$number"
    number=$((number + 1))
done | awk -F '|' -v out="$out" '
    BEGIN {
        row = "%-5s %-18s %9s %9s %9s %9s  %s\n"
        print "instructions per operation\n"
        printf row, "case", "form", "n", "kith", "limit", "target", ""
        printf "[" > out
    }
    $3 == "kith" { kith = $7 / $5 }
    $3 == "limit" {
        limit   = $7 / $5
        target  = ($6 > 0) ? $6 : "-"
        verdict = ($6 > 0) ? (kith <= $6 ? "met" : "missed") : ""
        printf row, $1, $2, $4, sprintf("%.2f", kith), sprintf("%.2f", limit), target, verdict
        sub(/^-$/, "null", target)
        printf "%s\n  {\"case\": \"%s\", \"form\": \"%s\", \"n\": %d, ", comma, $1, $2, $4 > out
        printf "\"kith\": %.2f, \"limit\": %.2f, \"target\": %s}", kith, limit, target > out
        comma = ","
    }
    END { print "\n]" > out }
'
