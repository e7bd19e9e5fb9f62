#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the library, the command line tool and the examples for machines unlike most, with warnings
# as errors: big-endian, 32-bit, Windows. Runs the programs of tests/portable there, and fifteen
# test programs, without cmocka, thinned by KITH_THIN (50 if not said). Exit code 77 says that
# something is not installed.
#
# usage: check_portable.sh DIRECTORY [MACHINE ...]
#   DIRECTORY   where to build, each machine in a folder of its own
#   MACHINE     s390x, i686, x86_64-w64-mingw32; default: all
set -u
export KITH_THIN="${KITH_THIN:-50}"
mkdir -p "$1" && build=$(cd "$1" && pwd) || exit 1
shift
cd "$(dirname "$0")/.." || exit 1
root=$PWD
machines=" ${*:-s390x i686 x86_64-w64-mingw32} "
skipped=0
failures=0

tests='world/entity world/component world/listener query/query group/group group/sort batch/batch
    command/command snapshot/snapshot snapshot/hash frames/frames frames/delta
    frames/content_delta frames/view workers/workers_twin'
flags='-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -DKITH_HEADER_WARNINGS'
flags="$flags -Iinclude -Isrc -Itests"
strict='-Wshadow -Wconversion -Wcast-qual -Wundef -Wstrict-prototypes -Wmissing-prototypes'

# build_for MACHINE COMPILER SYSTEM: with asserts
build_for() {
    cmake -S . -B "$build/$1" -DCMAKE_SYSTEM_NAME="$3" -DCMAKE_SYSTEM_PROCESSOR="${1%%-*}" \
        -DCMAKE_C_COMPILER="$2" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DKITH_ENABLE_ASSERT=ON \
        -DKITH_TESTS=OFF -DKITH_INSTALL=OFF &&
        cmake --build "$build/$1" --parallel "$(nproc)"
}

# Linked statically, a program needs no libraries of the other machine when it runs.
# compile MACHINE COMPILER PROGRAM SOURCE ...
compile() {
    folder=$build/$1
    compiler=$2
    program=$3
    shift 3
    # shellcheck disable=SC2086 # a list of words
    "$compiler" $flags "$@" "$folder/src/libkith.a" -static -lm -o "$folder/$program"
}

# run MACHINE PROGRAM [RUNNER]: without a runner the program is only built
run() {
    [ -z "${3:-}" ] || (cd "$build/$1" && "$3" "./$2" >"$2.log" 2>&1) || {
        cat "$build/$1/$2.log"
        return 1
    }
}

# report MACHINE NAME STATUS
report() {
    if [ "$3" -eq 0 ]; then
        echo "ok $1 $2"
    else
        echo "FAILED: $2 on $1"
        failures=$((failures + 1))
    fi
}

# check_programs MACHINE COMPILER [RUNNER]
check_programs() {
    for source in tests/portable/*.c; do
        noun=$(basename "$source" .c)
        compile "$1" "$2" "$noun.exe" "$source" && run "$1" "$noun.exe" "${3:-}"
        report "$1" "$noun" $?
    done
}

# check_tests MACHINE COMPILER RUNNER
check_tests() {
    for test in $tests; do
        noun=${test#*/}
        compile "$1" "$2" "test_$noun.exe" -Itests/portable "tests/${test%/*}/test_$noun.c" \
            tests/kith_test.c && run "$1" "test_$noun.exe" "$3"
        report "$1" "test_$noun" $?
    done
}

# The two-file form: everything that one system's headers bring meets every name of kith.
# check_single_file MACHINE COMPILER
check_single_file() {
    sh tools/amalgamate.sh "$build/$1/vendor/kith" >/dev/null &&
        (
            cd "$build/$1" || exit 1
            # shellcheck disable=SC2086 # a list of words
            "$2" -std=c11 -O2 -Wall -Wextra -Wpedantic $strict -Werror -Ivendor \
                "$root/tests/single_file.c" vendor/kith/kith.c -o single_file.exe
        )
    report "$1" single_file $?
}

# there MACHINE PACKAGES TOOL ...: whether the machine is selected, and its tools are installed
there() {
    machine=$1
    packages=$2
    shift 2
    case $machines in *" $machine "*) ;; *) return 1 ;; esac
    for tool in "$@"; do
        command -v "$tool" >/dev/null || {
            echo "$machine is skipped: $tool is not installed (Debian: $packages)"
            skipped=$((skipped + 1))
            return 1
        }
    done
}

# build_or_fail MACHINE COMPILER SYSTEM
build_or_fail() {
    build_for "$@" >"$build/$1.log" 2>&1 || {
        cat "$build/$1.log"
        report "$1" "the build" 1
        return 1
    }
}

# check_unix MACHINE COMPILER RUNNER PACKAGES
check_unix() {
    there "$1" "$4" "$2" "$3" && build_or_fail "$1" "$2" Linux || return
    check_programs "$1" "$2" "$3"
    check_tests "$1" "$2" "$3"
}

# Bytes come through standard input as they are.
# check_input MACHINE RUNNER
check_input() {
    "$2" "$build/$1/cli/kith.exe" verify - <tests/samples/town.kith >/dev/null
    report "$1" "standard input" $?
}

# Windows programs run by wine if it is there and KITH_WINE is not 0.
# check_windows MACHINE PACKAGES
check_windows() {
    there "$1" "$2" "$1-gcc" && build_or_fail "$1" "$1-gcc" Windows || return
    runner=
    if [ "${KITH_WINE:-1}" = 0 ] || ! runner=$(command -v wine); then
        echo "$1: without wine, so programs are only built"
    fi
    export WINEPREFIX="$build/$1/wine" WINEDEBUG=-all
    check_programs "$1" "$1-gcc" "$runner"
    check_tests "$1" "$1-gcc" "$runner"
    check_single_file "$1" "$1-gcc"
    [ -z "$runner" ] || check_input "$1" "$runner"
}

# Programs of 32 bits run on x86-64 as they are, and use its instructions; elsewhere by emulation.
if [ "$(uname -m)" = x86_64 ]; then
    run_i686='env'
else
    run_i686=qemu-i386
fi
check_unix s390x s390x-linux-gnu-gcc qemu-s390x \
    "gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user"
check_unix i686 i686-linux-gnu-gcc $run_i686 "gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user"
check_windows x86_64-w64-mingw32 gcc-mingw-w64-x86-64

[ $failures -eq 0 ] || exit 1
[ $skipped -eq 0 ] || exit 77
