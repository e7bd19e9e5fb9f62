#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzing, by numbers and not by time: a slow machine does the same work.
#
# usage: fuzz.sh DIRECTORY STEPS LOOPS SEQUENCES RUNS
#   STEPS       random operations against the model, optimised
#   LOOPS       small programs of loops of each kind against the model of loops; 0: all there are
#   SEQUENCES   sequences of operations for libFuzzer, which knows which bytes reach new code,
#               under ASan and UBSan
#   RUNS        for libFuzzer too: JSON texts and texts of queries that are read, snapshots that
#               are loaded, merged, deltas that are applied, recordings that are read
# KITH_SEED is the first seed; without it each call has new ones.
set -eu
cd "$(dirname "$0")/.."
build=$1
steps=$2
loops=$3
sequences=$4
runs=$5
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
    share=$(((loops + jobs - 1) / jobs))
    build/release/tests/loops/kith_loops --part "$part/$jobs" --most "$share"
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
"$build/fuzz/fuzz_operations" -runs="$sequences" -max_len=4096 -len_control=0 \
    -seed="$seed" -timeout=86400 -print_final_stats=1 -artifact_prefix="$build/" "$build/corpus" \
    fuzz/corpus/operations &
running=$!
# bytes NOUN LONGEST CORPUS
bytes() {
    mkdir -p "$build/corpus-$1"
    "$build/fuzz/fuzz_$1" -runs="$runs" -max_len="$2" -seed="$seed" -timeout=86400 \
        -print_final_stats=1 -artifact_prefix="$build/" "$build/corpus-$1" "fuzz/corpus/$3"
}
bytes json 1024 json
bytes query 256 query
bytes load 4096 snapshot
bytes merge 4096 snapshot
bytes delta 8192 delta
wait "$running"
running=
