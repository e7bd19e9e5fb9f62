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
    kith/*.hpp)
        echo 'struct mass { float kg; };'
        echo 'template <> struct kith::component<mass> {'
        echo '    static constexpr kith_component id = 1;'
        echo '    static constexpr const char *name = "mass"; };'
        ;;
    esac
    case $1 in
    kith/component.hpp) echo 'kith_component_desc heavy() { return kith::describe<mass>(); }' ;;
    kith/query.hpp) echo 'uint32_t all(kith_world *w) { return kith::view<mass>(w).count(); }' ;;
    kith/kith.hpp) echo 'bool add(kith::world &w) { return w.add_components<mass>(); }' ;;
    esac
}

# compile HEADER COMPILER LANGUAGE STANDARD [FLAG ...]
compile() {
    header=$1
    shift
    count=$((count + 1))
    { printf '#include "%s"\n' "$header" && use_of "$header"; } |
        "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror ${4:+"$4"} ${5:+"$5"} \
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
for path in include/kith/*.hpp; do
    for standard in c++17 c++20 c++2b; do
        compile "${path#include/}" "$2" c++ $standard -Wold-style-cast
        compile "${path#include/}" "$2" c++ $standard -fno-exceptions -fno-rtti
    done
done
echo "$1 and $2: $count compilations, $failures failed"
[ "$failures" -eq 0 ]
