#!/bin/sh
# SPDX-License-Identifier: MIT
# Each file here has one wrong use of the typed functions. It must not compile, and the compiler
# must say what its "expect" line says at the line marked "error here": the caller's, not the
# library's. Where the wrong use is an argument of a macro, compilers that report the macro's own
# line must name the marked line as the place of its expansion.
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

# The errors that C leaves to the compiler's choice are asked for, as the guide tells users to.
compile() {
    LC_ALL=C "$compiler" -std=c11 -fsyntax-only -I../../include -Wall -Wextra \
        -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
        -Werror=int-conversion "$qualifiers" "$1" 2>&1
}

complain() {
    echo "$compiler: $1"
    failures=$((failures + 1))
}

# reported FILE LINE FRAGMENT MARK: whether $output has the error where it belongs
reported() {
    if echo "$output" | grep -Eq "^$1:$2:[0-9]+: error: .*($3)"; then
        return 0
    fi
    case $4 in
    *"through a macro"*)
        echo "$output" | grep -Eq "error: .*($3)" &&
            echo "$output" | grep -Eq "^$1:$2:[0-9]+: note: in expansion of macro"
        ;;
    *) return 1 ;;
    esac
}

check() {
    mark=$(grep -n '// error here' "$1")
    fragment=$(sed -n 's|^// expect: ||p' "$1")
    [ -n "$mark" ] && [ -n "$fragment" ] || {
        complain "$1 lacks its mark or its expectation"
        return
    }
    if output=$(compile "$1"); then
        complain "$1 compiles, but must not"
    elif ! reported "$1" "${mark%%:*}" "$fragment" "$mark"; then
        complain "$1 does not report \"$fragment\" at line ${mark%%:*}:"
        echo "$output"
    fi
}

case $compiler in
*clang*) qualifiers=-Werror=incompatible-pointer-types-discards-qualifiers ;;
*) qualifiers=-Werror=discarded-qualifiers ;;
esac

output=$(compile control.c) || complain "control.c must compile: $output"
count=0
for file in *.c; do
    if [ "$file" != control.c ]; then
        check "$file"
        count=$((count + 1))
    fi
done
echo "$compiler: $count wrong programs, $failures surprises"
[ "$failures" -eq 0 ] && [ "$count" -gt 0 ]
