#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares what is there with tools/limits.txt, and each version of that file with the one before.
#
# usage: check_limits.sh [LIBRARY [--lower]]
#   LIBRARY   libkith.a, Release, without zstd; if not given, text and program are not compared
#   --lower   write what is there into tools/limits.txt, where it is less
set -u
library=${1:+$(cd "$(dirname "$1")" && pwd)/$(basename "$1")}
lower=${2:-}
cd "$(dirname "$0")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints the code lines of each folder with sources, as "src/query 2310".
count_lines() {
    find src -name '*.[ch]' | sed 's|/[^/]*$||' | sort -u | while read -r folder; do
        cat "$folder"/*.[ch] | awk -v folder="$folder" '
            { sub(/\/\/.*/, "") }
            /[^ \t]/ { lines++ }
            END { print folder, lines + 0 }'
    done
}

is_of_reference_compiler() {
    [ "$(gcc -dumpmachine 2>/dev/null)" = x86_64-linux-gnu ] &&
        readelf -p .comment "$1" | grep -q 'GCC: .* 12\.'
}

# Prints "text BYTES" and "program BYTES".
measure_text() {
    [ -n "$library" ] || return 0
    is_of_reference_compiler "$library" || {
        echo "text and program are not compared: not built by gcc 12 for x86-64" >&2
        return 0
    }
    gcc -O2 -Iinclude tests/two_components.c "$library" -o "$scratch/program" || exit 1
    echo "text $(size -t "$library" | awk '/TOTALS/ { print $1 }')"
    echo "program $(size "$scratch/program" | awk 'NR == 2 { print $1 }')"
}

measure() {
    count_lines
    echo "files $(find src -name '*.[ch]' | wc -l)"
    echo "exports $(wc -l <tools/exported_symbols.txt)"
    measure_text
}

# Fails where more is there than the limit, or a folder has no limit.
compare_with_limits() {
    awk '
        FILENAME != "-" { if ($0 !~ /^#/) limit[$1] = $2; next }
        !($1 in limit) { print $1 " has no line in tools/limits.txt"; bad = 1; next }
        { printf "%-16s %8d of %8d\n", $1, $2, limit[$1] }
        $2 > limit[$1] { print "FAILED: " $1 " grew beyond its limit"; bad = 1 }
        END { exit bad }
    ' tools/limits.txt - <"$scratch/measured"
}

# compare_versions BEFORE AFTER: fails where a limit rises without an allowance that begins there.
compare_versions() {
    awk '
        /^#/ || NF == 0 { next }
        FNR == NR { old[$1] = $2; old_allowed[$1] = $3; if (is_folder($1)) balance -= $2; next }
        {
            begun = $3 > 0 && old_allowed[$1] + 0 == 0 ? $3 : 0
            if (is_folder($1)) balance += $2 - begun
            else if (($1 in old) && $2 > old[$1] + begun) complain($1)
        }
        function is_folder(noun) { return noun ~ /^src(\/|$)/ }
        function complain(noun) { print "FAILED: the limit of " noun " rose"; bad = 1 }
        END {
            if (balance > 0) complain("src")
            exit bad
        }
    ' "$1" "$2"
}

# A tree without git history has nothing to compare.
compare_history() {
    git rev-parse --git-dir >/dev/null 2>&1 || return 0
    : >"$scratch/before"
    git log --reverse --format=%h -- tools/limits.txt >"$scratch/commits"
    while read -r commit; do
        git show "$commit:./tools/limits.txt" >"$scratch/after" || return 1
        [ ! -s "$scratch/before" ] || compare_versions "$scratch/before" "$scratch/after" || {
            echo "    in commit $commit"
            return 1
        }
        cp "$scratch/after" "$scratch/before"
    done <"$scratch/commits"
    [ ! -s "$scratch/before" ] || compare_versions "$scratch/before" tools/limits.txt
}

# Limits with an allowance stay: the work is not done.
write_lower() {
    awk '
        FILENAME == "-" { there[$1] = $2; next }
        !/^#/ && NF == 2 && ($1 in there) && there[$1] < $2 {
            $0 = sprintf("%-15s %d", $1, there[$1])
        }
        { print }
    ' - tools/limits.txt <"$scratch/measured" >"$scratch/limits" &&
        cp "$scratch/limits" tools/limits.txt
}

measure >"$scratch/measured" || exit 1
if [ "$lower" = --lower ]; then
    write_lower || exit 1
fi
result=0
compare_with_limits || result=1
compare_history || result=1
exit $result
