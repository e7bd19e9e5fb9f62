#!/bin/sh
# SPDX-License-Identifier: MIT
# What a developer runs before pushing: format, warnings as errors, all tests optimised and under
# ASan and UBSan. The whole of it, with more compilers and tools, is .ci/run.
set -eu
cd "$(dirname "$0")/.."

make --no-print-directory format-check
make --no-print-directory check
sh tools/test_preset.sh debug build/debug -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
echo "ready to push"
