#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures, builds and tests a preset.
#
# usage: test_preset.sh PRESET [DIRECTORY [CMAKE_ARGUMENT ...]]        DIRECTORY: build/PRESET
set -eu
cd "$(dirname "$0")/.."
preset=$1
directory=${2:-build/$preset}
shift
[ $# -eq 0 ] || shift
jobs=$(nproc 2>/dev/null || echo 2)

cmake --preset "$preset" -B "$directory" "$@"
cmake --build "$directory" --parallel "$jobs"
ctest --test-dir "$directory" --parallel "$jobs" --output-on-failure --no-tests=error \
    --timeout 86400
