#!/bin/sh
# SPDX-License-Identifier: MIT
# Each file here has one wrong use of the typed functions. It must not compile, and the first error
# must say what the "expect" line says, at the line marked "error here": the caller's, not the
# library's. Where the wrong use is an argument of a macro, compilers that report the macro's own
# line must name the marked line as the place of its expansion; where it is in a header, as the
# place that includes it; where it is in a template, as the place that requires it. A C++ compiler
# takes the files that say "in both languages".
#
# usage: run.sh COMPILER        exit code 77: the compiler is not there
set -u
cd "$(dirname "$0")" || exit 1
compiler=$1
failures=0

command -v "$compiler" >/dev/null || {
    echo "skipped: $compiler is not installed"
    exit 77
}

case $compiler in
*++*) language=c++ standard=c++11 old=c++98 control=control.cpp ;;
*) language=c standard=c11 old=c99 control=control.c ;;
esac

# The errors that C leaves to the compiler's choice are asked for, as the guide advises users.
case $compiler in
*++*) strict= ;;
*clang*) strict="-Werror=implicit-function-declaration -Werror=incompatible-pointer-types
    -Werror=int-conversion -Werror=incompatible-pointer-types-discards-qualifiers" ;;
*) strict="-Werror=implicit-function-declaration -Werror=incompatible-pointer-types
    -Werror=int-conversion -Werror=discarded-qualifiers" ;;
esac

# compile FILE STANDARD
compile() {
    # shellcheck disable=SC2086 # the options are words
    LC_ALL=C "$compiler" -x $language -std="$2" -fsyntax-only -I../../include -Wall -Wextra \
        $strict "$1" 2>&1
}

complain() {
    echo "$compiler: $1"
    failures=$((failures + 1))
}

# reported FILE LINE FRAGMENT MARK: whether the first error of $output is this one, where it belongs
reported() {
    first=$(echo "$output" | grep -m1 'error: ')
    echo "$first" | grep -Eq "error: .*($3)" || return 1
    case $first in
    "$1:$2:"*) return 0 ;;
    esac
    case $4 in
    *"through a macro"*) echo "$output" | grep -Eq "^$1:$2:[0-9]+: note: in expansion of macro" ;;
    *"through a template"*)
        echo "$output" |
            grep -Eq "^$1:$2:[0-9]+:   required from here|^$1:$2:[0-9]+: note: in instantiation of"
        ;;
    *"in a header"*) echo "$output" | grep -Eq "from $1:$2" ;;
    *) return 1 ;;
    esac
}

check() {
    mark=$(grep -n '// error here' "$1")
    fragment=$(sed -n 's|^// expect: ||p' "$1")
    asked=$(sed -n 's|^// standard: ||p' "$1")
    [ -n "$mark" ] && [ -n "$fragment" ] || {
        complain "$1 lacks its mark or its expectation"
        return
    }
    if output=$(compile "$1" "${asked:-$standard}"); then
        complain "$1 compiles, but must not"
    elif ! reported "$1" "${mark%%:*}" "$fragment" "$mark"; then
        complain "$1 does not report \"$fragment\" first, at line ${mark%%:*}:"
        echo "$output"
    fi
}

# Every public header alone says first that the language is too old.
check_old() {
    output=$(compile "$1" $old) && complain "$1 compiles with -std=$old"
    echo "$output" | grep -m1 'error: ' | grep -q 'kith needs C' ||
        complain "$1 with -std=$old does not say first which language kith needs: $output"
}

output=$(compile $control $standard) || complain "$control must compile: $output"
count=0
for file in *.c *.cpp; do
    case $file,$language in
    control.*) continue ;;
    *.c,c | *.cpp,c++) ;;
    *.c,c++) grep -q '^// in both languages' "$file" || continue ;;
    *) continue ;;
    esac
    check "$file"
    count=$((count + 1))
done
headers=$(echo ../../include/kith/*.h)
[ $language = c ] || headers="$headers $(echo ../../include/kith/*.hpp)"
for header in $headers; do
    check_old "$header"
    count=$((count + 1))
done
if [ $language = c++ ]; then
    compile ../../include/kith/kith.hpp c++14 | grep -m1 'error: ' |
        grep -q 'needs C++17 or newer' || complain "kith.hpp with c++14 does not say what it needs"
fi
echo "$compiler: $count wrong programs, $failures surprises"
[ "$failures" -eq 0 ] && [ "$count" -gt 0 ]
