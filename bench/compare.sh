#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares instruction counts of kith with committed ones: they are the same on every machine, so
# one that rose by more than 10 % is a change of the code. Fails if there is one.
#
#     sh bench/compare.sh <committed.json> <new.json>
set -eu

if [ $# -ne 2 ]; then
    echo "usage: sh bench/compare.sh <committed.json> <new.json>" >&2
    exit 2
fi

awk -v tolerance=1.10 '
    !match($0, /"case": .*, "kith": /) { next }
    {
        name = substr($0, RSTART, RLENGTH)
        kith = substr($0, RSTART + RLENGTH) + 0
    }
    NR == FNR { committed[name] = kith; next }
    !(name in committed) { next }
    { compared++ }
    kith > committed[name] * tolerance {
        label = name
        gsub(/"|, "kith": $/, "", label)
        printf "%s: %.2f instructions, committed %.2f\n", label, kith, committed[name]
        risen++
    }
    END {
        if (compared == 0) {
            print "compare.sh: the two files have no case in common"
            exit 2
        }
        printf "%d cases compared, %d risen by more than 10 %%\n", compared, risen
        exit risen > 0
    }
' "$1" "$2"
