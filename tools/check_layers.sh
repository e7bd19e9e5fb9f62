#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the order of the folders of src/, which is the line in tools/layers.txt: a file includes
# headers and calls functions of its own folder and of folders to the left. The files of src/ itself
# may use everything; other files call only their public functions.
#
# usage: check_layers.sh [OBJECT_DIRECTORY]
#   OBJECT_DIRECTORY   of the library; if not given, only headers are looked at
set -u
objects=${1:+$(cd "$1" && pwd)}
cd "$(dirname "$0")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints "src/pool.c src/base/alloc.h includes": the file, what it uses, and how.
list_includes() {
    find src -name '*.[ch]' | sort | xargs awk '
        /^[ \t]*#[ \t]*include[ \t]*"/ && !/"kith\// {
            split($0, part, "\"")
            print FILENAME, "src/" part[2], "includes", part[2]
        }'
}

# The same for calls, with the file that defines the function.
list_calls() {
    [ -n "$objects" ] || return 0
    (cd "$objects" && find . -name '*.o') | sed 's|^\./||' | while read -r object; do
        source=src/${object%.c.*}.c
        [ -f "$source" ] || continue # left from an older tree
        nm "$objects/$object" | awk -v file="$source" '
            $NF !~ /^kith_/ { next }
            $(NF - 1) == "U" { print "use", $NF, file; next }
            $(NF - 1) ~ /[TtRrDdW]/ { print "define", $NF, file }'
    done | sort | awk '
        $1 == "define" { home[$2] = $3; next }
        { print $3, ($2 in home ? home[$2] : "nothing"), "calls", $2 }'
}

{ list_includes && list_calls; } | awk '
    function folder_of(path,    part) { return split(path, part, "/") == 3 ? part[2] : "" }
    FILENAME ~ /layers/ { for (i = 1; i <= NF; i++) rank[$i] = i; next }
    FILENAME ~ /exported/ { is_public[$1] = 1; next }
    { user = folder_of($1); used = folder_of($2); why = "" }
    user != "" && !(user in rank) { why = user " is not in tools/layers.txt" }
    user != "" && used == "" && !($4 in is_public) { why = "no file of src/ itself can be used" }
    rank[used] > rank[user] && user != "" { why = used " is to the right of " user }
    $2 == "nothing" { why = "there is no such function" }
    why != "" { print $1 " " $3 " " $4 ": " why; bad = 1 }
    END { exit bad }
' tools/layers.txt tools/exported_symbols.txt - || result=1

# Headers that include each other, public ones too.
{
    list_includes
    awk -F '"' '/^#include "/ { print FILENAME, "include/kith/" $2 }' include/kith/*.h
} | awk '$1 ~ /\.h$/ { print $2, $1 }' | tsort 2>&1 >/dev/null |
    sed 's/^tsort: *//' >"$scratch/cycles"
if [ -s "$scratch/cycles" ]; then
    echo "headers include each other:"
    cat "$scratch/cycles"
    result=1
fi

# Every source is built, and every built source is there.
find src -name '*.c' | sed 's|^src/||' | sort >"$scratch/there"
sed -n 's/^ *\([a-z0-9_/]*\.c\))*$/\1/p' src/CMakeLists.txt | sort -u >"$scratch/listed"
diff "$scratch/there" "$scratch/listed" >"$scratch/difference" || {
    echo "src/CMakeLists.txt: the sources (<) and its list (>) differ:"
    cat "$scratch/difference"
    result=1
}

[ "${result:-0}" -eq 0 ] && echo "the folders are in order"
exit "${result:-0}"
