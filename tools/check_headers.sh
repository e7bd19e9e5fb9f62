#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles every public header alone, with a use of its macros, and a header full of components, in
# every language standard that kith promises, with warnings as errors.
#
# usage: check_headers.sh C_COMPILER C++_COMPILER        exit code 77: a compiler is not there
set -u
cd "$(dirname "$0")/.." || exit 1
failures=0
count=0

for compiler in "$1" "$2"; do
    command -v "$compiler" >/dev/null || {
        echo "skipped: $compiler is not installed"
        exit 77
    }
done

# use_of HEADER: a program needs no other header for the macros of this one
use_of() {
    case $1 in
    kith/event.h) echo 'KITH_EVENT(hit, int);' ;;
    kith/fields.h) echo 'typedef struct spot { float x; } spot; KITH_FIELDS(spot, f32(x));' ;;
    kith/typed.h) echo 'KITH_COMPONENT_AS(mass, float, 1, plain(4)); KITH_MODULE(game, mass);' ;;
    kith/typed_query.h) echo 'KITH_TAG(seen, 1); KITH_QUERY(all_seen, with(seen));' ;;
    esac
}

# compile HEADER COMPILER LANGUAGE STANDARD [FLAG]
compile() {
    header=$1
    shift
    count=$((count + 1))
    { printf '#include "%s"\n' "$header" && use_of "$header"; } |
        "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror ${4:+"$4"} \
            -DKITH_HEADER_WARNINGS -Iinclude -Itests -fsyntax-only - || {
        echo "$header is not clean with $1 -std=$3"
        failures=$((failures + 1))
    }
}

for path in include/kith/*.h tests/link_components.h; do
    header=${path#include/}
    header=${header#tests/}
    for standard in c11 c17 c2x; do
        compile "$header" "$1" c $standard
    done
    for standard in c++11 c++14 c++17 c++20; do
        compile "$header" "$2" c++ $standard -Wold-style-cast
    done
done
echo "$1 and $2: $count compilations, $failures failed"
[ "$failures" -eq 0 ]
