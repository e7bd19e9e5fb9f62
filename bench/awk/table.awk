# SPDX-License-Identifier: MIT
# A table of results in Markdown. The variable kind says which: times or instructions.

BEGIN {
    if (kind == "times") {
        print "| case | form | N | kith ns | limit ns | ratio | target | |"
        print "|---|---|---|---|---|---|---|---|"
    } else {
        print "| case | form | N | kith | limit | target | |"
        print "|---|---|---|---|---|---|---|"
    }
}

# Three digits that count.
function shown(x) {
    return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}

function verdict(target, met) {
    return target == "" ? "" : met ? "met" : "**missed**"
}

/"case": / {
    target = field($0, "target")
    printf "| %s | %s | %s |", field($0, "case"), field($0, "form"), grouped(field($0, "n"))
}

/"case": / && kind == "instructions" {
    kith = field($0, "kith")
    printf " %.1f | %.1f | %s | %s |\n", kith, field($0, "limit"), (target == "" ? "-" : target), \
           verdict(target, target == "" || kith <= target)
}

/"case": / && kind == "times" {
    bytes = field($0, "kith_bytes") != ""
    kith  = field($0, bytes ? "kith_bytes" : "kith_ns")
    limit = field($0, bytes ? "limit_bytes" : "limit_ns")
    unit  = bytes ? " bytes" : ""
    printf " %s%s | %s%s | %.2f | %s | %s |\n", shown(kith), unit, shown(limit), unit, \
           field($0, "ratio"), (target == "" ? "-" : target), \
           verdict(target, field($0, "met") == "true")
}
