# SPDX-License-Identifier: MIT
# Puts lines of the table "Beside other libraries" into a document, between a mark that says which
# and a mark that ends them:
#
#     <!-- begin peers
#     what it is | case | which line of this case | 1 for 65,536 entities, 2 for 1,000,000
#     -->
#     <!-- end -->
#
# The input is docs/benchmarks.md, then the document. Figures that are at most 15 % behind the least
# of their line are bold.

function fail(what) {
    print "peers.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}

# "2.70 / 3.41 one by one": the figure of this size; a cell without "/" has one for all sizes
function figure(cell, size,    words) {
    sub(/^ +/, "", cell)
    split(cell, words, " ")
    return words[1] == "-" ? "-" : words[2] == "/" && size == 2 ? words[3] : words[1]
}

function print_line(asked,    parts, cells, key, i, shown, least) {
    if (split(asked, parts, " *[|] *") != 4) {
        fail("not \"what | case | line | size\": " asked)
    }
    key = parts[2] "|" parts[3]
    if (!(key in line)) {
        fail("no such line: " asked)
    }
    split(line[key], cells, "|")
    least = ""
    for (i = 1; i <= 4; i++) {
        shown[i] = figure(cells[i + 3], parts[4])
        if (shown[i] != "-" && (least == "" || shown[i] + 0 < least)) {
            least = shown[i] + 0
        }
    }
    printf "| %s |", parts[1]
    for (i = 1; i <= 4; i++) {
        printf shown[i] != "-" && shown[i] <= 1.15 * least ? " **%s** |" : " %s |", shown[i]
    }
    print ""
}

NR == FNR {
    if (/^\| case \| what \| kith \| EnTT /) { inside = 1; next }
    if (inside && /^\| [A-Z][0-9]+ \|/) {
        split($0, fields, " *[|] *")
        line[fields[2] "|" ++lines[fields[2]]] = $0
    } else if (inside && !/^\|/) {
        inside = 0
    }
    next
}

/^<!-- end -->$/ { inside = 0 }
!inside          { print }

/^<!-- begin peers$/ {
    rows = 0
    while ((getline text) > 0 && text != "-->") {
        print text
        asked[++rows] = text
    }
    print "-->"
    print "| ns an operation | kith | EnTT | flecs | pico_ecs |"
    print "|---|---|---|---|---|"
    for (row = 1; row <= rows; row++) {
        print_line(asked[row])
    }
    inside = 1
}

END {
    if (inside && !failed) {
        fail("the last table has no end mark")
    }
}
