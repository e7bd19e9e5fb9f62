#!/bin/sh
# SPDX-License-Identifier: MIT
# Random operations against the model, optimised, with new seeds each time (KITH_SEED is the first);
# every small program of loops against the model of loops, each kind for at most KITH_LOOP_SECONDS;
# then libFuzzer, which knows which bytes reach new code, under ASan and UBSan: operations for so
# many SECONDS, and meanwhile bytes from outside, RUNS times each: JSON, snapshots that are loaded,
# snapshots that are merged.
#
# usage: fuzz.sh DIRECTORY STEPS SECONDS RUNS
set -eu
cd "$(dirname "$0")/.."
build=$1
steps=$2
runs=$4
jobs=$(nproc 2>/dev/null || echo 2)

cmake --preset release
cmake --build --preset release --parallel "$jobs" --target test_model kith_loops
# Each core takes its share: of the operations, each from a seed of its own, then of the loops.
seed=${KITH_SEED:-$(date +%s)}
running=
trap 'kill $running 2>/dev/null || true' EXIT
on_each_core() {
    part=0
    running=
    while [ "$part" -lt "$jobs" ]; do
        "$@" &
        running="$running $!"
        part=$((part + 1))
    done
    for process in $running; do
        wait "$process"
    done
    running=
}
model() {
    echo "KITH_STEPS=$((steps / jobs)) KITH_SEED=$((seed + part))"
    KITH_STEPS=$((steps / jobs)) KITH_SEED=$((seed + part)) build/release/tests/test_model
}
loops() {
    build/release/tests/loops/kith_loops --part "$part/$jobs" \
        --seconds "${KITH_LOOP_SECONDS:-600}"
}
on_each_core model
on_each_core loops

cmake -S . -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DKITH_SANITIZE=address,undefined \
    -DKITH_FUZZ=ON -DKITH_TESTS=OFF -DKITH_EXAMPLES=OFF
cmake --build "$build" --parallel "$jobs"
# Left alone, libFuzzer begins with sequences of one operation and stays there for minutes: the
# committed ones are longer. What it finds is kept in the build.
mkdir -p "$build/corpus"
"$build/fuzz/fuzz_operations" -max_total_time="$3" -max_len=4096 -len_control=0 \
    -print_final_stats=1 -artifact_prefix="$build/" "$build/corpus" fuzz/corpus/operations &
running=$!
# bytes NOUN LONGEST CORPUS
bytes() {
    mkdir -p "$build/corpus-$1"
    "$build/fuzz/fuzz_$1" -runs="$runs" -max_len="$2" -print_final_stats=1 \
        -artifact_prefix="$build/" "$build/corpus-$1" "fuzz/corpus/$3"
}
bytes json 1024 json
bytes load 4096 snapshot
bytes merge 4096 snapshot
wait "$running"
running=
