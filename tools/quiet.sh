#!/bin/sh
# SPDX-License-Identifier: MIT
# Says what is being done, runs a command, and shows its output only when it fails.
#
# usage: quiet.sh SENTENCE LOG COMMAND [ARGUMENT ...]
echo "$1 (log: $2)"
log=$2
shift 2
mkdir -p "$(dirname "$log")"
"$@" >"$log" 2>&1 || {
    code=$?
    cat "$log"
    exit $code
}
