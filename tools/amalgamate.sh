#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes kith as two files, kith.h and kith.c, for programs that would rather copy than link. Each
# other public header of C is one line that includes kith.h, so that the same programs compile. The
# headers of C++ are copied.
#
# usage: amalgamate.sh [DIRECTORY]        default: build/single/kith
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/single/kith}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# Prints the files with their local includes pasted in, each once. Files that are named in `known`
# are somewhere else already. What src/ shares between its files becomes static.
paste_files() {
    known=$1
    shift
    awk -v known="$known" '
        function paste(path,    line, part, status, used) {
            done[path] = 1
            while ((status = getline line < path) > 0) {
                if (line ~ /^\/\/ SPDX-License-Identifier|^#pragma once/) continue
                if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
                    split(line, part, "\"")
                    used = part[2]
                    if (path ~ /^include/) used = "include/kith/" used
                    else used = (used ~ /^kith\// ? "include/" : "src/") used
                    if (!(used in done)) paste(used)
                    continue
                }
                if (path ~ /^src.*[.]h$/ && line ~ /^[a-z][a-z0-9_ ]*[ *]kith_[a-z0-9_]+\(/ &&
                    line !~ /^(static|typedef) /) line = "static " line
                if (path ~ /^src/ &&
                    line ~ /^(extern )?const kith_[a-z_]+ kith_[a-z_]+(\[[0-9]+\])?( =|;)/) {
                    sub(/^extern /, "", line)
                    line = "static " line
                }
                print line
            }
            close(path)
            if (status < 0) { print path " cannot be read" >"/dev/stderr"; exit 1 }
        }
        BEGIN {
            count = split(known, word, " ")
            for (i = 1; i <= count; i++) done[word[i]] = 1
            for (i = 1; i < ARGC; i++) {
                if (ARGV[i] in done) continue
                printf "\n// ---- %s ----\n\n", ARGV[i]
                paste(ARGV[i])
            }
        }' "$@"
}

version=$(awk '/#define KITH_VERSION_/ { printf "%s%s", dot, $3; dot = "." }' \
    "$root/include/kith/base.h")
title="// SPDX-License-Identifier: MIT
// kith $version in two files, kith.h and kith.c. Made by a script
// from many: change those.
//
$(sed 's|^|// |; s| *$||' "$root/LICENSE")"

cd "$root"
{
    echo "$title"
    paste_files "" include/kith/kith.h include/kith/*.h
} >"$out/kith.h"
for header in include/kith/*.h; do
    name=$(basename "$header")
    [ "$name" = kith.h ] || printf '%s\n' '// SPDX-License-Identifier: MIT' '#include "kith.h"' \
        >"$out/$name"
done

cp include/kith/*.hpp "$out"

sources=
for folder in $(cat tools/layers.txt) .; do
    sources="$sources $(cd src && echo "$folder"/*.c | sed 's|\([^ ]*\)|src/\1|g; s|/\./|/|g')"
done
{
    echo "$title"
    echo '#if !defined(_WIN32) && !defined(_GNU_SOURCE)'
    echo '    #define _GNU_SOURCE // fsync, madvise, sched_getaffinity'
    echo '#endif'
    echo '#include "kith.h"'
    echo
    # shellcheck disable=SC2086 # a list of words
    paste_files "$(echo include/kith/*.h)" $sources
} >"$out/kith.c"
echo "wrote $out/kith.h and $out/kith.c"
