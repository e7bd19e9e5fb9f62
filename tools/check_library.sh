#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the library as a user gets it, static and shared, and looks at the result: exported
# symbols, writable data, and what tools/limits.txt says. Needs cmake, a C compiler and binutils.
#
# usage: check_library.sh DIRECTORY [--update]
#   DIRECTORY   where to build
#   --update    write tools/exported_symbols.txt instead of comparing with it
set -u
mkdir -p "$1" && build=$(cd "$1" && pwd) || exit 1
update=${2:-}
cd "$(dirname "$0")/.." || exit 1
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# build_library NAME SHARED
build_library() {
    rm -rf "${build:?}/$1"
    {
        cmake -G "Unix Makefiles" -S . -B "$build/$1" -DCMAKE_BUILD_TYPE=Release \
            -DBUILD_SHARED_LIBS="$2" -DKITH_TESTS=OFF -DKITH_EXAMPLES=OFF -DKITH_CLI=OFF \
            -DKITH_ZSTD=OFF &&
            cmake --build "$build/$1" --clean-first --parallel "$(nproc 2>/dev/null || echo 2)"
    } >"$build/$1.log" 2>&1 || {
        cat "$build/$1.log"
        exit 1
    }
}

# Functions that the headers declare with KITH_API, in builds without KITH_DEBUG.
list_declared() {
    awk '
        /^[ \t]*#[ \t]*ifdef KITH_DEBUG/ { debug = 1 }
        /^[ \t]*#[ \t]*(else|endif)/ { debug = 0 }
        debug || /^[ \t]*#/ { next }
        /^KITH_API/ { text = ""; open = 1 }
        open { text = text " " $0 }
        open && /\(/ {
            sub(/\(.*/, "", text)
            count = split(text, word, /[ *]+/)
            print word[count]
            open = 0
        }
    ' include/kith/*.h | sort
}

list_exported() {
    nm -D --defined-only "$build/shared/src/libkith.so" | awk '{ print $NF }' | sort
}

check_symbols() {
    list_exported >"$build/exported.txt"
    list_declared >"$build/declared.txt"
    [ "$update" = --update ] && cp "$build/exported.txt" tools/exported_symbols.txt
    grep -v '^kith_' "$build/exported.txt" && fail "these exported symbols lack the prefix kith_"
    diff "$build/declared.txt" "$build/exported.txt" ||
        fail "the headers declare (<) other functions than the library exports (>)"
    diff tools/exported_symbols.txt "$build/exported.txt" ||
        fail "tools/exported_symbols.txt (<) is not what is exported (>); --update writes it"
    echo "$(wc -l <"$build/exported.txt") exported symbols"
}

# Global symbols of the static library share the prefix too, and no object has data that can change.
# Tables of addresses are in .data.rel.ro, which is read-only once the program is loaded.
check_static() {
    nm -g --defined-only "$build/static/src/libkith.a" | awk 'NF == 3 && $3 !~ /^kith_/' |
        grep . && fail "these global symbols of the static library lack the prefix kith_"
    size -A "$build/static/src/libkith.a" | awk '
        /\(ex / { file = $1 }
        $2 == 0 || $1 ~ /^\.data\.rel\.ro/ { next }
        $1 ~ /^\.(data|bss|tdata|tbss)/ { print file, $1, $2 }' |
        grep . && fail "the library has writable data"
    nm "$build/static/src/libkith.a" | awk 'NF > 1 && $(NF - 1) == "C"' |
        grep . && fail "the library has common symbols"
}

# A function that uses the wide registers of AVX must empty their upper halves before it returns:
# otherwise SSE code after it is slow. gcc leaves that out in some cases.
check_wide_registers() {
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:/ { name = $2 }
        /%ymm/ { wide[name] = 1 }
        /vzeroupper/ { empties[name] = 1 }
        END {
            for (name in wide)
                if (!(name in empties)) { print name " has no vzeroupper"; found = 1 }
            exit found
        }'
}

# gcc deletes calls of a function that only prefetches: each KITH_PREFETCH must become an
# instruction. check_prefetch DIRECTORY: with the object files.
check_prefetch() {
    missing=0
    for file in src/*/*.c; do
        uses=$(grep -c 'KITH_PREFETCH(' "$file") || continue
        made=$(objdump -d --no-show-raw-insn "$1/${file#src/}.o" | grep -c prefetch)
        [ "$made" -ge "$uses" ] || {
            echo "$file prefetches in $uses places, its object file in $made"
            missing=1
        }
    done
    return $missing
}

build_library static OFF
build_library shared ON
check_symbols
check_static
check_wide_registers "$build/static/src/libkith.a" || fail "AVX code slows down what follows it"
wide='typedef int wide __attribute__((vector_size(32))); void twice(wide *a) { *a += *a; }'
if echo "$wide" | gcc -x c -O2 -mavx2 -mno-vzeroupper -c -o "$build/wide.o" - 2>/dev/null &&
    check_wide_registers "$build/wide.o" >/dev/null; then
    fail "check_wide_registers finds nothing"
fi
if [ "$(uname -m)" = x86_64 ]; then
    check_prefetch "$build/static/src/CMakeFiles/kith.dir" ||
        fail "the compiler deleted prefetching"
fi
sh tools/check_limits.sh "$build/static/src/libkith.a" || fail "see tools/limits.txt"
sh tools/check_link_map.sh "$build/static/src/libkith.a" || fail "a small program links too much"
if sh tools/check_link_map.sh "$build/static/src/libkith.a" query 2>/dev/null; then
    fail "tools/check_link_map.sh finds nothing"
fi
[ $failures -eq 0 ]
