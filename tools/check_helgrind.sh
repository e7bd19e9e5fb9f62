#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a program, tests/workers/pool.c, under helgrind. Exit code 77 says that valgrind is not
# installed.
#
# usage: check_helgrind.sh PROGRAM
set -eu
command -v valgrind >/dev/null || {
    echo 'valgrind is not installed'
    exit 77
}
exec valgrind --tool=helgrind --quiet --error-exitcode=9 \
    --suppressions="$(dirname "$0")/helgrind.supp" "$1"
