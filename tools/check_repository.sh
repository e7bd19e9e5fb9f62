#!/bin/sh
# SPDX-License-Identifier: MIT
# What every file of the repository keeps to: a licence line and a sentence about the file, ASCII,
# 100 columns, no tabs, no loose ends, nothing about the machine it was written on; every test and
# example is built; a line that coverage leaves out says why.
#
# usage: check_repository.sh [ROOT]
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
links="github\.com|[a-z0-9.-]*\.github\.io|keepachangelog\.com|semver\.org|cmocka\.org"
links="$links|www\.w3\.org|(clang\.)?llvm\.org|cmake\.org|valgrind\.org|www\.doxygen\.nl|spdx\.org"

list_files() {
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -co --exclude-standard
    else
        find . -type f ! -path './build/*' ! -path './.git/*' | sed 's|^\./||'
    fi | while read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done
}

# report TEXT: every line of standard input is a breach
report() {
    sed "s|\$|    ($1)|" >>"$scratch/breaches"
}

# search PATTERN FILE_LIST: prints file:line:text
search() {
    xargs grep -nHE -- "$1" /dev/null <"$2"
}

list_files >"$scratch/all"
grep -E '\.(c|h|cpp|hpp)$' "$scratch/all" >"$scratch/c"
grep -E '\.(sh|cmake|awk)$|CMakeLists\.txt$|^Makefile$|^\.ci/run$' "$scratch/all" \
    >"$scratch/scripts"
cat "$scratch/c" "$scratch/scripts" >"$scratch/sources"
grep -E '\.md$' "$scratch/all" >"$scratch/texts"
cat "$scratch/sources" "$scratch/texts" >"$scratch/written"
[ -s "$scratch/c" ] || { echo "no source files found" && exit 1; }

# The licence stands on the first line, in a script that names its interpreter on the second.
xargs awk '
    FNR == 1 { missing[FILENAME] = 1 }
    FNR <= 2 && /^(\/\/|#) SPDX-License-Identifier: MIT$/ { delete missing[FILENAME] }
    END { for (file in missing) print file }
' <"$scratch/sources" | report "no licence line"

# The line after the licence says what the file is for.
xargs awk 'FNR == 2 && !/^\/\/ [^ ]/ { print FILENAME }' <"$scratch/c" | report "no first sentence"

LC_ALL=C search '[^ -~	]' "$scratch/sources" | report "not ASCII"
LC_ALL=C search '^.{101}' "$scratch/sources" | report "longer than 100 columns"
search '	' "$scratch/c" | report "tab"
search '[ 	]$' "$scratch/sources" | report "space at the end"
search '(^|[^[:alnum:]_])(TO[D]O|FIX[M]E|XX[X])($|[^[:alnum:]_])' "$scratch/written" |
    report "loose end"
search '/(ho[m]e|ro[o]t|wo[r]k|Use[r]s|t[m]p)/' "$scratch/written" | report "path of a machine"
search '[Cc]o-autho[r]ed-by|language mo[d]el|[Gg]enerated wit[h]' "$scratch/written" |
    report "about the author"
LC_ALL=C search "$(printf '\342\200\224')" "$scratch/texts" | report "em dash"

# Links lead to the places that the project relies on; a package mirror is not one of them.
search 'https?://' "$scratch/written" |
    grep -vE "https?://($links)([/ )>]|\$)" | report "unknown place"

# Links within the repository lead somewhere. A lambda in a block of C++ looks like one.
while read -r file; do
    sed '/^```/,/^```/d; s/](/\n](/g' "$file" | sed -n 's/^](\([^)# ]*\).*/\1/p' | grep -v '://' |
        while read -r target; do
            [ -z "$target" ] || [ -e "$(dirname "$file")/$target" ] || echo "$file: $target"
        done
done <"$scratch/texts" | report "leads nowhere"

# The subject of a sentence is the thing: see "Sentences" in CONTRIBUTING.md.
{
    grep -E '^(src|include|docs|cli|examples|tests|fuzz|bench|tools|cmake)/|^README\.md$' \
        "$scratch/written"
    grep -E '^tests/mutants\.txt$|^tools/.*\.py$' "$scratch/all"
} >"$scratch/read"
search '(^|[^[:alnum:]_])([Ww]ho|[Ww]hoever|[Ww]hom|[Ss]omebody|[Nn]obody)($|[^[:alnum:]_])' \
    "$scratch/read" | report "a sentence about a person"

# The tour names functions and files that there are, and every file.
grep -oE '\bkith_[a-z0-9_]+' docs/design.md | sort -u | while read -r name; do
    grep -rqw "$name" src include || echo "docs/design.md: $name"
done | report "no such function"
for file in src/*/*.c; do
    name=${file##*/}
    grep -qwF "${name%.c}" docs/design.md || echo "$file"
done | report "not in docs/design.md"

# What the other pages call is in the public headers, or an option of the build.
cat include/kith/*.h CMakeLists.txt Makefile tests/loops/CMakeLists.txt |
    grep -oE '\b(kith|KITH)_[A-Za-z0-9_]+' | sort -u >"$scratch/names"
echo kith_gdb >>"$scratch/names" # tools/kith_gdb.py
sort -o "$scratch/names" "$scratch/names"
for page in README.md docs/*.md; do
    case $page in docs/design.md | docs/measurements.md) continue ;; esac
    grep -oE '\b(kith|KITH)_[A-Za-z0-9_]+' "$page" | grep -v '_$' | sort -u |
        comm -23 - "$scratch/names" | sed "s|^|$page: |"
done | report "not in the public headers"

# The figures of the README are those of docs/benchmarks.md; bench/refresh.sh writes them.
awk -f bench/awk/peers.awk docs/benchmarks.md README.md >"$scratch/readme"
diff README.md "$scratch/readme" | grep '^[<>]' | report "bench/refresh.sh writes another figure"

# Functions of examples that a page names are there.
grep -oE '[a-z_]+\.c(, `[a-z_]+`)+' docs/coming-from.md | tr -d ',`' |
    while read -r file names; do
        for name in $names; do
            grep -qsw "$name" "examples/$file" || echo "docs/coming-from.md: $file $name"
        done
    done | report "not in this example"

# Every enum of the API has a name function, and its test knows every enumerator.
awk '
    /^typedef enum kith_/ { type = $3 }
    /^\}/ { type = "" }
    type != "" { print type, $1 == "typedef" ? "" : $1 }
' include/kith/*.h >"$scratch/enums"
while read -r type enumerator; do
    grep -qE "\*${type}_name\($type [a-z]+\);" include/kith/*.h || echo "$type"
    grep -qw "${enumerator:-$type}" tests/world/test_name.c || echo "$type: $enumerator"
done <"$scratch/enums" | sort -u | report "has no name function with a test"

# Public headers of C include nothing but these three.
search '^ *# *include *<' "$scratch/c" | grep '^include/.*\.h:' |
    grep -vE '<(stdbool|stddef|stdint)\.h>' | report "public headers do with less"

# Every test and every example is in its list.
list_unbuilt() {
    find "$1" -name "$2" | sort | while read -r file; do
        name=$(basename "$file" .c)
        grep -qE "(^|[^a-z0-9_])${name#test_}([^a-z0-9_]|\$)" \
            "$1/CMakeLists.txt" || echo "$file"
    done
}
list_unbuilt tests 'test_*.c' | report "not in tests/CMakeLists.txt"
list_unbuilt examples '*.c' | report "not in examples/CMakeLists.txt"
find examples -name '*.cpp' | while read -r file; do
    grep -qw "$(basename "$file")" examples/CMakeLists.txt || echo "$file"
done | report "not in examples/CMakeLists.txt"

# "GCOVR_EXCL_LINE: the reason, in at least three words"
search 'COVR?_EXCL' "$scratch/c" | grep -vE 'COVR?_EXCL_(BR_)?STOP' |
    grep -vE 'COVR?_EXCL_[A-Z_]+: [^ ]+ [^ ]+ [^ ]+' | report "exclusion without a reason"

if [ -s "$scratch/breaches" ]; then
    cat "$scratch/breaches"
    exit 1
fi
echo "$(wc -l <"$scratch/all") files are in order"
