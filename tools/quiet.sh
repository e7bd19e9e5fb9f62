#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command and shows its output only when it fails.
#
# usage: quiet.sh LOG COMMAND [ARGUMENT ...]
log=$1
shift
mkdir -p "$(dirname "$log")"
"$@" >"$log" 2>&1 || {
    code=$?
    cat "$log"
    exit $code
}
