#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the test of kith.hpp as C++17, C++20 and C++23, with and without exceptions and run-time
# types, with warnings as errors, and runs it. Compiles and runs the C++ of docs/guide.md, too.
#
# usage: run.sh DIRECTORY LIBRARY C++_COMPILER [FLAG ...]
#                                                        exit code 77: the compiler is not there
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
library=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"
compiler=$3
shift 3

command -v "$compiler" >/dev/null || {
    echo "skipped: $compiler is not installed"
    exit 77
}

# check SOURCE FLAG ...: the two libraries of the system are those that libkith.a may need
check() {
    source=$1
    shift
    "$compiler" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Werror \
        -DKITH_HEADER_WARNINGS -I"$root/include" "$@" "$source" "$library" -pthread $zstd -o program
    ./program
}

zstd=
if nm "$library" 2>/dev/null | grep -q 'U ZSTD_'; then
    zstd=-lzstd
fi
awk '/^```cpp$/ { on = 1; next } /^```/ { on = 0 } on' "$root/docs/guide.md" >guide.cpp
[ -s guide.cpp ] || { echo "docs/guide.md has no C++" && exit 1; }
for standard in c++17 c++20 c++2b; do
    check "$root/tests/cpp/test_cpp.cpp" -std=$standard -O1 "$@"
    check "$root/tests/cpp/test_cpp.cpp" -std=$standard -O2 -fno-exceptions -fno-rtti "$@"
    check guide.cpp -std=$standard -O1 "$@"
done
echo "$compiler: C++17 to C++23, with and without exceptions"
