#!/bin/sh
# SPDX-License-Identifier: MIT
# Keeps the order of tools/layers.txt: a source file includes only internal headers of its own noun
# and of nouns above it, and, when a directory with the object files is given, calls only functions
# that are defined there.
#
# usage: check_layers.sh [OBJECT_DIRECTORY]
set -u
objects=${1:+$(cd "$1" && pwd)}
cd "$(dirname "$0")/.." || exit 1

# Prints breaches; fails when there is one. Headers in src/ are included by their bare names.
check_includes() {
    awk '
        # a header has the layer of its noun, unless it has a line of its own
        function layer_of(name) {
            if (name in rank) return name
            sub(/\.[ch]$/, "", name)
            return name
        }
        FILENAME ~ /layers\.txt$/ { if ($0 !~ /^#/) rank[$1] = ++ranks; next }
        FNR == 1 { file = FILENAME; sub(/.*\//, "", file); layer = layer_of(file) }
        FNR == 1 && !(layer in rank) { complain(layer " is not in tools/layers.txt") }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, part, "\"")
            if (part[2] ~ /^kith\//) next
            used = layer_of(part[2])
            if (!(used in rank)) complain("includes " part[2] ", which is no layer")
            else if (rank[used] > rank[layer])
                complain(layer " may not use " used ", which stands below it")
        }
        function complain(text) { print FILENAME ":" FNR ": " text; bad = 1 }
        END { exit bad }
    ' tools/layers.txt src/*.c src/*.h
}

# The same by symbols: "noun defines|uses symbol", then each use against the definition.
list_symbols() {
    for object in "$objects"/*.o; do
        noun=$(basename "$object" | sed 's/\..*//')
        [ -f "src/$noun.c" ] || continue # left from an older tree
        nm "$object" | awk -v noun="$noun" '
            $NF !~ /^kith_/ { next }
            $(NF - 1) == "U" { print noun, "uses", $NF; next }
            $(NF - 1) ~ /[TtRrW]/ { print noun, "defines", $NF }'
    done
}

check_calls() {
    list_symbols | sort -k2,2 | awk '
        FILENAME ~ /layers\.txt$/ { if ($0 !~ /^#/) rank[$1] = ++ranks; next }
        $2 == "defines" { home[$3] = $1; next }
        !($3 in home) { print "src/" $1 ".c: " $3 " is defined nowhere"; bad = 1; next }
        rank[home[$3]] > rank[$1] {
            print "src/" $1 ".c: calls " $3 " of " home[$3] ".c, which stands below it"
            bad = 1
        }
        END { exit bad }
    ' tools/layers.txt -
}

# Every source is built, and every built source is there.
check_listed() {
    find src -name '*.c' | sed 's/.*\///; s/\.c$//' | sort >"$scratch/there"
    sed -n 's/^ *\([a-z_]*\)\.c)*$/\1/p' src/CMakeLists.txt | sort >"$scratch/listed"
    diff "$scratch/there" "$scratch/listed" >"$scratch/difference" || {
        echo "src/CMakeLists.txt: the sources (<) and its list (>) differ:"
        cat "$scratch/difference"
        return 1
    }
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
result=0
check_includes || result=1
check_listed || result=1
if [ -n "$objects" ]; then
    check_calls || result=1
fi
[ $result -eq 0 ] && echo "the layers are in order"
exit $result
