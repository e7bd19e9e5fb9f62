# SPDX-License-Identifier: MIT
# Reading the results that kith_bench writes: one line for each case, form and size.

# The value of a field in a line of the results; "" where it is null or absent.
function field(line, name,    at, rest) {
    at = index(line, "\"" name "\": ")
    if (at == 0) {
        return ""
    }
    rest = substr(line, at + length(name) + 4)
    if (substr(rest, 1, 1) == "\"") {
        rest = substr(rest, 2)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    sub(/[,}].*/, "", rest)
    if (rest == "null") {
        return ""
    }
    return rest ~ /^[-0-9]/ ? rest + 0 : rest
}

# 1234567 as 1,234,567.
function grouped(n,    digits, out) {
    digits = sprintf("%d", n)
    while (length(digits) > 3) {
        out = "," substr(digits, length(digits) - 2) out
        digits = substr(digits, 1, length(digits) - 3)
    }
    return digits out
}
