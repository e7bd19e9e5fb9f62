#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the two-file build anew, compiles it with warnings as errors, runs a program against it, and
# compares what it exports with the library.
#
# usage: check_single_file.sh DIRECTORY C_COMPILER [C++_COMPILER]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
compiler=$2

sh "$root/tools/amalgamate.sh" .
"$compiler" -std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef \
    -Wstrict-prototypes -Wmissing-prototypes -Werror -c kith.c -o kith.o
"$compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror -I. "$root/tests/single_file.c" kith.o \
    -o single_file
./single_file

nm -g --defined-only kith.o | awk '{ print $NF }' | sort >exported.txt
diff "$root/tools/exported_symbols.txt" exported.txt || {
    echo "the two-file build (>) exports other symbols than the library (<)"
    exit 1
}
if [ -n "${3:-}" ]; then
    echo '#include "kith.h"' | "$3" -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. \
        -fsyntax-only -
fi
echo "two files, $(cat kith.h kith.c | wc -l) lines, $(wc -l <exported.txt) exported functions"
