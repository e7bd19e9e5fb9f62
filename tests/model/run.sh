#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the programs that the model would print for a failure: they name only what kith has.
#
# usage: run.sh WRITE_PROGRAMS DIRECTORY COMPILER
set -eu
include=$(cd "$(dirname "$0")/../../include" && pwd)
rm -rf "$2"
mkdir -p "$2"
"$1" "$2" 30
for program in "$2"/program*.c; do
    "$3" -std=c11 -D_POSIX_C_SOURCE=200809L -Werror=implicit-function-declaration \
        -I"$include" -fsyntax-only "$program"
done
