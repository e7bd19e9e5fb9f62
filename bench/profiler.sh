#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts what the two hooks of a profiler cost a turn while none is set: the instructions of
# Y1 by the library as it is, and by a copy in which a turn does not ask for the hooks.
#
#     sh bench/profiler.sh [<out.json>]
set -eu
out=${1:-build/bench/profiler.json}
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' INT TERM

# count VARIANT: builds the copy of that name and counts
count() {
    cmake -S "$scratch/$1" -B "$scratch/$1/build" -DKITH_TESTS=OFF -DKITH_EXAMPLES=OFF \
        -DKITH_BENCHMARKS=ON >"$scratch/$1.log"
    cmake --build "$scratch/$1/build" --target kith_bench >>"$scratch/$1.log" 2>&1
    sh "$root/bench/instructions.sh" "$scratch/$1/build/bench/kith_bench" "$scratch/$1.json" \
        --cases Y1 >>"$scratch/$1.log"
    sed -n 's/.*"form": "schedule".*"kith": \([0-9.]*\).*/\1/p' "$scratch/$1.json"
}

for variant in with without; do
    mkdir "$scratch/$variant"
    for part in CMakeLists.txt cmake include src bench; do
        cp -R "$root/$part" "$scratch/$variant/$part"
    done
done
sed -i '/^    call_profiler(/d' "$scratch/without/src/system/system_run.c"
if cmp -s "$scratch/with/src/system/system_run.c" "$scratch/without/src/system/system_run.c"; then
    echo "profiler.sh: system_run.c has no calls of the profiler to leave out" >&2
    exit 1
fi

with=$(count with)
without=$(count without)
mkdir -p "$(dirname "$out")"
printf '{"case": "Y1", "form": "schedule", "hooks unset": %s, "without hooks": %s}\n' \
    "$with" "$without" | tee "$out"
