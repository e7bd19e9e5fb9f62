# SPDX-License-Identifier: MIT
# Puts figures into a document, between a mark that says which and a mark that ends them:
#
#     <!-- begin times -->          every line of the results; also "begin instructions"
#     <!-- begin figures            some lines, with both sizes and the command that measures them
#     what it is | case | form
#     -->
#     <!-- begin bytes              the same for cases that count bytes, at one million entities
#     <!-- begin speed              the same for one million entities alone, without the command
#     <!-- end -->
#
# A line whose case is "-" has no figures yet. A case that is not measured at one million shows its
# largest size, with a note. Variables: times and instructions, the tables as
# files. The input is a file of results, then the document.

function shown(x) {
    return x == "" ? "-" : sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}

function copy(file,    line) {
    while ((getline line < file) > 0) {
        print line
    }
    close(file)
}

function fail(what) {
    print "fill.awk: " FILENAME ": " what > "/dev/stderr"
    failed = 1
    exit 1
}

function trimmed(text) {
    gsub(/^ +| +$/, "", text)
    return text
}

function print_head() {
    if (kind == "figures") {
        print "| | ns at 65,536 | ns at 1,000,000 | x limit | measured by |"
        print "|---|---|---|---|---|"
    } else if (kind == "bytes") {
        print "| | bytes | x limit | measured by |"
        print "|---|---|---|---|"
    } else {
        print "| | ns | x limit |"
        print "|---|---|---|"
    }
}

function note(n) {
    return n == "" || n == 1000000 ? "" : " (N " grouped(n) ")"
}

function print_figures(line,    parts, name, most, million, command) {
    if (split(line, parts, "|") != 3) {
        fail("not \"what | case | form\": " line)
    }
    name = trimmed(parts[2]) "|" trimmed(parts[3])
    most = name "|" largest[name]
    if (trimmed(parts[2]) != "-" && !(name in largest)) {
        fail("no results for " line)
    }
    command = trimmed(parts[2]) == "-" ? "-" : "`make bench CASES=" trimmed(parts[2]) "`"
    million = shown(cost[most]) note(largest[name]) " | " shown(ratio[most])
    printf "| %s |%s %s |%s\n", trimmed(parts[1]), \
           (kind == "figures" ? " " shown(cost[name "|65536"]) " |" : ""), million, \
           (kind == "speed" ? "" : " " command " |")
}

NR == FNR {
    if (/"case": /) {
        n = field($0, "n")
        line = field($0, "case") "|" field($0, "form")
        largest[line] = n > largest[line] + 0 ? n : largest[line]
        name = line "|" n
        cost[name] = field($0, "kith_bytes") == "" ? field($0, "kith_ns") : field($0, "kith_bytes")
        ratio[name] = field($0, "ratio")
    }
    next
}

/^<!-- end -->$/ { inside = 0 }
!inside          { print }

/^<!-- begin (times|instructions) -->$/ {
    copy($3 == "times" ? times : instructions)
    inside = 1
}

/^<!-- begin (figures|bytes|speed)$/ {
    kind = $3
    rows = 0
    while ((getline line) > 0 && line != "-->") {
        print line
        asked[++rows] = line
    }
    print "-->"
    print_head()
    for (row = 1; row <= rows; row++) {
        print_figures(asked[row])
    }
    inside = 1
}

END {
    if (inside && !failed) {
        fail("the last table has no end mark")
    }
}
