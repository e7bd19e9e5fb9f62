# SPDX-License-Identifier: MIT
# Makes a C program that names every function on a page whose name begins with that of a component,
# query, group or event of the page's block marked "c": it compiles if all of them exist.
/^```c$/ { on = 1; next }
/^```/   { on = 0; next }
on {
    print
    if (match($0, /^KITH_[A-Z]+\([a-z]+,/)) {
        split(substr($0, RSTART, RLENGTH), parts, /[(,]/)
        known[parts[2]] = 1
    }
    next
}
{
    while (match($0, /[A-Za-z0-9_]+/)) {
        word = substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
        prefix = word
        sub(/_.*/, "", prefix)
        if (prefix in known && prefix != word && !(word in calls)) {
            calls[word] = 1
            body = body "    (void)" word ";\n"
            count++
        }
    }
}
END {
    print "int main(void)\n{"
    printf "%s", body
    print "    return " (count > 0 ? 0 : 1) ";\n}"
}
