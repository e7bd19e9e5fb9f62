#!/bin/sh
# SPDX-License-Identifier: MIT
# Keeps the public headers fit for binding generators: plain fields only (no unions, bit-fields,
# anonymous structs), enum values are literals, no variadic functions, and what exists only as
# inline code is private (its name ends in _). Reads clang's dump of the headers.
#
# usage: check_bindings.sh [INCLUDE_DIRECTORY]        exit code 77: clang is not there
set -u
include=${1:-$(dirname "$0")/../include}
clang=${CLANG:-clang}

command -v "$clang" >/dev/null || {
    echo "skipped: $clang is not installed"
    exit 77
}
dump=$(mktemp)
trap 'rm -f "$dump"' EXIT
(cd "$include" && printf '#include "%s"\n' kith/*.h) |
    "$clang" -std=c11 -I"$include" -fsyntax-only -x c - -Xclang -ast-dump \
        -Xclang -ast-dump-filter=kith >"$dump" || exit 1

# A node looks like "| |-EnumConstantDecl 0x1 <line:71:5, col:31> col:5 KITH_OK 'int'".
awk '
    /^Dumping / { subject = $2; sub(/:$/, "", subject); subjects++; next }
    { match($0, /[A-Za-z]/); node = substr($0, RSTART); sub(/ .*/, "", node) }
    node ~ /Comment$/ || node ~ /Attr$/ { next }
    node == "RecordDecl" && / union( |$)/ { complain("is or has a union") }
    node == "RecordDecl" && / struct definition$/ { complain("has an anonymous struct") }
    node ~ /^(Record|Enum)$/ && / \047\047$/ { complain("is an anonymous struct or enum") }
    node ~ /^(Function|Typedef|Field|ParmVar)Decl$/ && /\.\.\.\)/ { complain("is variadic") }
    node == "FunctionDecl" && / static inline$/ && subject !~ /_$/ { complain("is only inline") }
    previous == "FieldDecl" && node ~ /(Expr|Literal)$/ { complain("has a bit-field") }
    previous == "EnumConstantDecl" && node != "ConstantExpr" { complain("has a value not written") }
    expecting && node != "value:" && node != "UnaryOperator" {
        if (node != "IntegerLiteral") complain("has an enum value that is no literal")
        expecting = 0
    }
    previous == "EnumConstantDecl" && node == "ConstantExpr" { expecting = 1 }
    { previous = node }
    function complain(text) { print "include/kith: " subject " " text; bad = 1 }
    END {
        if (subjects < 100) { print "only " subjects + 0 " declarations found"; bad = 1 }
        if (!bad) print subjects " declarations are fit for bindings"
        exit bad
    }' "$dump"
