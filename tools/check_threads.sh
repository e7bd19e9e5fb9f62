#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header says which threads may call its functions: a paragraph "Threads" in a comment
# before the first of them.
set -u
cd "$(dirname "$0")/.." || exit 1
failures=0
count=0
for header in include/kith/*.h; do
    grep -q '^KITH_API' "$header" || continue
    count=$((count + 1))
    awk '
        /^KITH_API/ { exit !told }
        /^\/\/ Threads +[A-Z]/ { told = 1 }
    ' "$header" || {
        echo "$header does not say which threads may call its functions"
        failures=$((failures + 1))
    }
done
echo "$count headers with functions, $failures without a paragraph \"Threads\""
[ $count -gt 0 ] && [ $failures -eq 0 ]
