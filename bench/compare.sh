#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares instruction counts of kith with committed ones: they are the same on every machine, so
# one that rose by more than 3 % is a change of the code. Fails if there is one.
#
#     sh bench/compare.sh <committed.json> <new.json>
#
# Less code was worth more than speed in a few cases, which may rise further: see `allowed`.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: sh bench/compare.sh <committed.json> <new.json>" >&2
    exit 2
fi

awk '
    function allowed(name) {
        if (name ~ /"S1".*("by comparing"|nearly)/) return 1.30
        if (name ~ /"C4".*"batch, shuffled half"/) return 1.30
        if (name ~ /"S3"/) return 1.25
        return 1.03
    }
    !match($0, /"case": .*, "kith": /) { next }
    {
        name = substr($0, RSTART, RLENGTH)
        kith = substr($0, RSTART + RLENGTH) + 0
    }
    NR == FNR { committed[name] = kith; next }
    !(name in committed) { next }
    { compared++ }
    kith > committed[name] * allowed(name) {
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
        printf "%d cases compared, %d risen by more than they may\n", compared, risen
        exit risen > 0
    }
' "$1" "$2"
