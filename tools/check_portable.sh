#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the library for machines unlike most, big-endian and 32-bit, with warnings as errors, and
# runs the programs of tests/portable there. Exit code 77 says that something is not installed.
#
# usage: check_portable.sh DIRECTORY        where to build
set -u
mkdir -p "$1" && build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/.." || exit 1
skipped=0
failures=0

# build_for MACHINE COMPILER: the library, with asserts
build_for() {
    cmake -S . -B "$build/$1" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" \
        -DCMAKE_C_COMPILER="$2" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DKITH_ENABLE_ASSERT=ON \
        -DKITH_TESTS=OFF -DKITH_EXAMPLES=OFF -DKITH_INSTALL=OFF &&
        cmake --build "$build/$1" --parallel "$(nproc)"
}

# Linked statically, a program needs no libraries of the other machine when it runs.
# run_program MACHINE COMPILER RUNNER SOURCE
run_program() {
    program=$build/$1/$(basename "$4" .c)
    "$2" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -Iinclude -Isrc -Itests "$4" \
        "$build/$1/src/libkith.a" -static -o "$program" && "$3" "$program"
}

# check MACHINE COMPILER RUNNER PACKAGES
check() {
    for tool in "$2" "$3"; do
        command -v "$tool" >/dev/null || {
            echo "$1 is skipped: $tool is not installed (Debian: $4)"
            skipped=$((skipped + 1))
            return
        }
    done
    build_for "$1" "$2" >"$build/$1.log" 2>&1 || {
        cat "$build/$1.log"
        echo "FAILED: the library cannot be built for $1"
        failures=$((failures + 1))
        return
    }
    for source in tests/portable/*.c; do
        if run_program "$1" "$2" "$3" "$source"; then
            echo "ok $1 $(basename "$source" .c)"
        else
            echo "FAILED: $source on $1"
            failures=$((failures + 1))
        fi
    done
}

# Programs of 32 bits run on x86-64 as they are, and use its instructions; elsewhere by emulation.
if [ "$(uname -m)" = x86_64 ]; then
    run_i686='env'
else
    run_i686=qemu-i386
fi
check s390x s390x-linux-gnu-gcc qemu-s390x \
    "gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user"
check i686 i686-linux-gnu-gcc $run_i686 "gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user"

[ $failures -eq 0 ] || exit 1
[ $skipped -eq 0 ] || exit 77
