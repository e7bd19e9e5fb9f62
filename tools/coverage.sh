#!/bin/sh
# SPDX-License-Identifier: MIT
# Line and branch coverage of src/ after a run of the tests; fails below the limits. Branches that
# the compiler adds are not ours; exclusions in the code need a reason: check_repository.sh looks.
#
# usage: coverage.sh BUILD_DIRECTORY
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

gcovr --root . --object-directory "$build" --filter 'src/' \
    --exclude-unreachable-branches --exclude-throw-branches \
    --fail-under-line 98 --fail-under-branch 92 --print-summary \
    --txt "$build/coverage.txt" --html-details "$build/coverage.html" "$build" || {
    code=$?
    cat "$build/coverage.txt"
    gcovr --root . --object-directory "$build" --filter 'src/' --branches \
        --exclude-unreachable-branches --exclude-throw-branches "$build"
    echo "coverage is below 98 % of the lines or 92 % of the branches"
    exit $code
}
cat "$build/coverage.txt"
