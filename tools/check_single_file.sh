#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the two-file build anew and compiles it with warnings as errors. Compiles the programs of
# the README, of docs/ and of examples/ against it, as the README says, runs them, and compares what
# the two files export with the library. Compiles it without threads, too.
#
# usage: check_single_file.sh DIRECTORY C_COMPILER [C++_COMPILER]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
rm -rf vendor
compiler=$2
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Wstrict-prototypes
    -Wmissing-prototypes -Werror -DKITH_HEADER_WARNINGS'

# run_program NAME SOURCE: prints into NAME.out
run_program() {
    # shellcheck disable=SC2086 # a list of words
    "$compiler" -std=c11 $warnings -Ivendor "$2" kith.o -o "$1"
    "./$1" >"$1.out" || {
        echo "$2 fails with the two-file build"
        exit 1
    }
}

sh "$root/tools/amalgamate.sh" vendor/kith
# shellcheck disable=SC2086 # a list of words
"$compiler" -std=c11 -O2 $warnings -c vendor/kith/kith.c -o kith.o

awk '/^```c$/ { on = 1; next } /^```/ && on { exit } on' "$root/README.md" >readme.c
run_program readme readme.c
for page in guide choosing; do
    text=$root/docs/$page.md
    awk -f "$root/tools/guide_program.awk" "$text" "$text" >$page.c
    run_program $page $page.c
done
run_program single_file "$root/tests/single_file.c"
for version in 1 2; do # what examples/hot_reload.c opens
    # shellcheck disable=SC2086 # a list of words
    "$compiler" -std=c11 $warnings -Ivendor -fPIC -shared -DPLUGIN_VERSION=$version \
        "$root/examples/hot_reload/plugin.c" -o plugin_$version.so
done
for source in "$root"/examples/*.c; do
    name=$(basename "$source" .c)
    run_program "$name" "$source"
    diff -u "$root/examples/$name.out" "$name.out" || {
        echo "examples/$name.c prints something else with the two-file build"
        exit 1
    }
done

# Without threads, systems in parts have the same hashes.
# shellcheck disable=SC2086 # a list of words
"$compiler" -std=c11 -O1 -DKITH_NO_THREADS $warnings -Ivendor vendor/kith/kith.c \
    "$root/tests/portable/parts.c" -o no_threads
./no_threads || {
    echo "tests/portable/parts.c fails without threads"
    exit 1
}

nm -g --defined-only kith.o | awk '{ print $NF }' | sort >exported.txt
diff "$root/tools/exported_symbols.txt" exported.txt || {
    echo "the two-file build (>) exports other symbols than the library (<)"
    exit 1
}
if [ -n "${3:-}" ]; then
    (cd "$root/include" && printf '#include <%s>\n' kith/*.h) |
        "$3" -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Ivendor -fsyntax-only -
    "$3" -std=c++17 -Wall -Wextra -Wpedantic -Werror -Ivendor "$root/examples/cpp.cpp" kith.o -o cpp
    ./cpp | diff -u "$root/examples/cpp.out" - || {
        echo "examples/cpp.cpp prints something else with the two-file build"
        exit 1
    }
fi
echo "two files, $(cat vendor/kith/kith.h vendor/kith/kith.c | wc -l) lines," \
    "$(wc -l <exported.txt) exported functions"
