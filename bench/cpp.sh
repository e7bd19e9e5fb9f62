#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the instructions of loops and calls by kith.hpp, and of the same by the macros of C, with
# callgrind. Fails when one by kith.hpp needs over 5 % more.
#
# usage: cpp.sh DIRECTORY LIBRARY C++_COMPILER           exit code 77: something is not installed
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
library=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"
for tool in "$3" valgrind; do
    command -v "$tool" >/dev/null || {
        echo "skipped: $tool is not installed"
        exit 77
    }
done
zstd=
if nm "$library" 2>/dev/null | grep -q 'U ZSTD_'; then
    zstd=-lzstd
fi
"$3" -std=c++17 -O2 -DNDEBUG -I"$root/include" "$root/bench/cpp.cpp" "$library" -pthread $zstd \
    -o cpp

# total CASE SIDE ORDER
total() {
    valgrind --quiet --tool=callgrind --toggle-collect="count_$1_$2" --callgrind-out-file=out \
        ./cpp "$@"
    awk '/^totals:/ { print $2 }' out
}

echo "$3: instructions for each of 65,536 entities"
failures=0
for case in next range chunk get set; do
    for order in same scattered; do
        c=$(total $case c $order)
        cpp=$(total $case cpp $order)
        printf '%-6s %-10s C %6.2f   C++ %6.2f\n' $case $order \
            "$(echo "$c / 65536" | bc -l)" "$(echo "$cpp / 65536" | bc -l)"
        [ "$((cpp * 100))" -le "$((c * 105))" ] || failures=$((failures + 1))
    done
done
[ $failures -eq 0 ] || echo "$failures need over 5 % more in C++"
[ $failures -eq 0 ]
