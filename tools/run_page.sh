#!/bin/sh
# SPDX-License-Identifier: MIT
# Does what a page says, as its reader does: in an empty folder beside a folder "kith".
#
# usage: run_page.sh PAGE DIRECTORY
#
#     ```c main.c       a block with the name of a file is written to that file
#     ```sh             the commands of a block are run, and must succeed
#     ```output         what the last command of the block before must print
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
page=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 1
ln -s "$root" kith || exit 1
mkdir .steps || exit 1

# One file for each block, in order: a number, and what the block is.
awk '
    /^```/ && name != "" { close(name); name = ""; next }
    /^```(sh|output)$/   { name = sprintf(".steps/%03d %s", ++blocks, substr($0, 4)) }
    /^```[a-z]+ [^ ]+$/ && $2 != "body" { name = sprintf(".steps/%03d %s", ++blocks, $2) }
    /^```/               { if (name == "") name = "/dev/null"; else printf "" >name; next }
    name != ""           { print >name }
' "$page"

outputs=0
for step in .steps/*; do
    what=${step#* }
    case $what in
    sh)
        sed '$d' "$step" >.commands
        sed -n '$p' "$step" >.last
        sh -e .commands >.log 2>&1 && sh .last >.printed 2>.log || {
            echo "$page: this failed:"
            cat "$step" .log
            exit 1
        }
        ;;
    output)
        diff -u "$step" .printed || {
            echo "$page: the output is not what the page shows"
            exit 1
        }
        outputs=$((outputs + 1))
        ;;
    *)
        cp "$step" "$what" || exit 1
        ;;
    esac
done
if [ $outputs -eq 0 ]; then
    echo "$page shows no output"
    exit 1
fi
echo "$outputs outputs are as $page shows them"
