#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints each public function and the first example, in reading order, that calls it: by its name,
# or by a typed function that a macro makes of it (position_set is kith_component_set). What a
# macro makes is read from the headers.
#
# usage: example_index.sh [--missing]    with --missing only the functions without an example
set -eu
cd "$(dirname "$0")/.."
examples=$(sed -n 's/^| [0-9]* | \[\([a-z_]*\)\.c\].*/\1/p' examples/README.md)
files=
for name in $examples; do
    files="$files examples/$name.c"
done
# shellcheck disable=SC2086 # a list of files
awk -v missing="${1:-}" '
function strip(text) {
    sub(/\/\/.*/, "", text)
    gsub(/"[^"]*"/, "\"\"", text)
    return text
}

# calls(TEXT, LIST): the names in TEXT that a parenthesis follows, into LIST[1..]; their number.
function calls(text, list,    n) {
    n = 0
    while (match(text, /[A-Za-z_][A-Za-z0-9_#]*[(]/)) {
        list[++n] = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
    }
    return n
}

# A macro is one line here. Each function that it makes begins with KITH_INLINE_: the first name in
# it is that of the function, the others are what it calls.
function read_macro(text,    macro, parts, n, i, list, m, k, verb) {
    match(text, /KITH_[A-Z0-9_a-z]+/)
    macro = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    n = split(text, parts, /KITH_INLINE_/)
    m = calls(parts[1], list)
    for (k = 1; k <= m; k++) {
        if (list[k] ~ /^KITH_/) { uses[macro] = uses[macro] " " list[k] }
    }
    for (i = 2; i <= n; i++) {
        m = calls(parts[i], list)
        verb = list[1]
        if (verb !~ /^NAME##_/) { continue }
        sub(/^NAME##/, "", verb)
        makes[macro] = makes[macro] " " verb
        for (k = 2; k <= m; k++) {
            if (list[k] ~ /^KITH_/) { uses[macro] = uses[macro] " " list[k] }
            body[macro, verb] = body[macro, verb] " " list[k]
        }
    }
}

# expand(MACRO): all functions that the macro makes, with those of the macros in it, into made and
# calls_of.
function expand(top, macro, depth,    list, n, i) {
    if (depth > 6) { return }
    n = split(makes[macro], list, " ")
    for (i = 1; i <= n; i++) {
        calls_of[top, list[i]] = calls_of[top, list[i]] body[macro, list[i]]
    }
    n = split(uses[macro], list, " ")
    for (i = 1; i <= n; i++) {
        if (list[i] != macro) { expand(top, list[i], depth + 1) }
    }
}

# A call in an example, or below one: marks the public functions that it leads to.
function reach(name, top, depth,    list, n, i) {
    if (name in public && !(name in shown)) { shown[name] = FILENAME }
    if (depth > 6) { return }
    if (name ~ /^NAME##/) { n = split(calls_of[top, substr(name, 7)], list, " ") }
    else { n = split(helper[name], list, " ") }
    for (i = 1; i <= n; i++) { reach(list[i], top, depth + 1) }
}

FILENAME ~ /symbols/ { if ($1 !~ /_$/) { public[$1] = 1; order[++total] = $1 }; next }

FILENAME ~ /^include/ {
    line = strip($0)
    if (joined != "" || line ~ /^ *# *define KITH_/) {
        more = sub(/\\ *$/, "", line)
        joined = joined " " line
        if (!more) { read_macro(joined); joined = "" }
        next
    }
    if (line ~ /^KITH_INLINE_/) { inside = "" ; opened = 1 }
    if (opened) {
        n = calls(line, found)
        for (i = 1; i <= n; i++) {
            if (inside == "") { if (found[i] ~ /^kith_/) { inside = found[i] } }
            else if (found[i] != inside) { helper[inside] = helper[inside] " " found[i] }
        }
        if (line ~ /^}/) { opened = 0 }
    }
    next
}

FNR == 1 {
    split("", family)
    if (!ready) { # what typed cursors share with the untyped ones
        ready = 1
        helper["kith_step_begin_"] = "kith_view_begin"
        helper["kith_step_begin_stored_"] = "kith_query_begin"
        helper["kith_step_begin_part_"] = "kith_part_begin"
        helper["kith_step_begin_read_"] = "kith_view_begin_read"
        helper["kith_step_begin_read_stored_"] = "kith_query_begin_read"
        helper["kith_step_next_"] = "kith_cursor_next"
        helper["kith_step_next_chunk_"] = "kith_cursor_next_chunk"
        helper["kith_step_entity_"] = "kith_cursor_entity"
        helper["kith_step_end_"] = "kith_cursor_end"
        helper["KITH_EACH"] = "kith_view_begin kith_cursor_next kith_cursor_end"
        helper["KITH_EACH_STORED"] = "kith_query_begin kith_cursor_next kith_cursor_end"
        helper["KITH_EACH_PART"] = "kith_part_begin kith_cursor_next kith_cursor_end"
    }
}

# The examples: KITH_QUERY(movers, ...) says what movers_begin is.
{
    line = strip($0)
    if (match(line, /^KITH_[A-Z_]+[(][a-z_0-9]+/)) {
        split(substr(line, RSTART, RLENGTH), parts, "(")
        family[parts[2]] = parts[1]
        if (!(parts[1] in expanded)) { expanded[parts[1]] = 1; expand(parts[1], parts[1], 0) }
    }
    gsub(/[A-Za-z_][A-Za-z0-9_]*/, "&(", line) # a function may also be passed on by its name
    n = calls(line, found)
    for (i = 1; i <= n; i++) {
        word = found[i]
        reach(word, "", 0)
        for (k = length(word); k > 1; k--) { # the longest declared name before a _
            if (substr(word, k, 1) == "_" && substr(word, 1, k - 1) in family) {
                top = family[substr(word, 1, k - 1)]
                if (top == "KITH_GROUP" && word ~ /_sort_/) { reach("kith_group_sort", "", 0) }
                reach("NAME##" substr(word, k), top, 0)
                break
            }
        }
    }
}

END {
    for (i = 1; i <= total; i++) {
        name = order[i]
        if (!(name in shown)) { left++; print missing == "" ? name ": no example" : name }
        else if (missing == "") { sub(/^examples\//, "", shown[name]); print name ": " shown[name] }
    }
    printf "%d of %d public functions have no example\n", left, total > "/dev/stderr"
}
' tools/exported_symbols.txt include/kith/*.h $files
