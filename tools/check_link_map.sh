#!/bin/sh
# SPDX-License-Identifier: MIT
# A program with two components and one view links no file of the folders that it does not use, and
# no code for what it does not call: the world knows no module by name. Looks at the linker's map.
#
# usage: check_link_map.sh LIBRARY [FOLDER or FILE ...]
set -eu
cd "$(dirname "$0")/.."
library=$1
shift
[ $# -gt 0 ] || set -- group event batch command workers system link hierarchy name snapshot json \
    diff merge frames base/xxh3.c store/entity_hint.c store/field_pack.c world/signature.c \
    world/component_pool.c world/listener.c world/object.c query/query.c query/query_cache.c \
    query/query_parse.c query/reader.c
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
gcc -O2 -Iinclude tests/two_components.c "$library" -o "$scratch/program" -Wl,-Map,"$scratch/map"
result=0
for part in "$@"; do
    case $part in
    *.c) files=src/$part ;;
    *) files=$(ls src/"$part"/*.c) ;;
    esac
    for file in $files; do
        if [ ! -f "$file" ] || grep -q "($(basename "$file").o)" "$scratch/map"; then
            echo "FAILED: the program links $file, or there is no such file" >&2
            result=1
        fi
    done
done
exit $result
