# SPDX-License-Identifier: MIT
# Joins files of results: each figure is the least that any of them has; see bench/merge.sh.

BEGIN {
    count = split("kith_ns limit_ns kith_median_ns limit_median_ns kith_bytes limit_bytes", \
                  figures, " ")
}

function replace(line, name, value,    at, rest) {
    at = index(line, "\"" name "\": ") + length(name) + 4
    rest = substr(line, at)
    sub(/^[^,}]*/, value, rest)
    return substr(line, 1, at - 1) rest
}

function judge(line,    unit, ratio, target) {
    unit = field(line, "kith_bytes") == "" ? "_ns" : "_bytes"
    ratio = field(line, "kith" unit) / field(line, "limit" unit)
    target = field(line, "target")
    line = replace(line, "ratio", sprintf("%.4g", ratio))
    return replace(line, "met", target != "" && ratio < target + 0.005 ? "true" : "false")
}

/"case": / {
    sub(/,$/, "")
    name = field($0, "case") "|" field($0, "form") "|" field($0, "n")
    if (!(name in row)) {
        row[name] = ++rows
        lines[rows] = $0
        next
    }
    for (i = 1; i <= count; i++) {
        value = field($0, figures[i])
        if (value != "" && value < field(lines[row[name]], figures[i])) {
            lines[row[name]] = replace(lines[row[name]], figures[i], value)
        }
    }
    if (field($0, "checksums_agree") == "false") {
        lines[row[name]] = replace(lines[row[name]], "checksums_agree", "false")
    }
}

END {
    print "["
    for (i = 1; i <= rows; i++) {
        print judge(lines[i]) (i < rows ? "," : "")
    }
    print "]"
}
