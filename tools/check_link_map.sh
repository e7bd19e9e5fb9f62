#!/bin/sh
# SPDX-License-Identifier: MIT
# A program with two components and one view links no file of the folders that it does not use: the
# world knows no module by name. Looks at the linker's map.
#
# usage: check_link_map.sh LIBRARY [FOLDER ...]
set -eu
cd "$(dirname "$0")/.."
library=$1
shift
[ $# -gt 0 ] || set -- event batch command system hierarchy snapshot json diff merge
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
gcc -O2 -Iinclude tests/two_components.c "$library" -o "$scratch/program" -Wl,-Map,"$scratch/map"
result=0
for folder in "$@"; do
    for file in src/"$folder"/*.c; do
        if grep -q "($(basename "$file").o)" "$scratch/map"; then
            echo "FAILED: the program links $file" >&2
            result=1
        fi
    done
done
exit $result
