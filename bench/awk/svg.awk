# SPDX-License-Identifier: MIT
# What the charts have in common: the elements of a picture.

function log10(x) {
    return log(x) / log(10)
}

function escaped(words) {
    gsub(/&/, "\\&amp;", words)
    gsub(/</, "\\&lt;", words)
    return words
}

# A picture with a ground of its own, so that it is readable on a page of any colour. It follows the
# reader's choice of light or dark.
function begin_picture(width, height, title, subtitle) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" " \
           "height=\"%d\" role=\"img\">\n", width, height, width, height
    printf "<title>%s</title>\n", escaped(title)
    print "<style>"
    print ".ground { fill: #ffffff; stroke: #d0d7de; }"
    print "text { font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, " \
          "sans-serif; font-size: 12px; fill: #1f2328; }"
    print ".title { font-size: 16px; font-weight: 600; }"
    print ".faint { fill: #59636e; }"
    print ".grid { stroke: #d8dee4; stroke-width: 1; fill: none; }"
    print ".axis { stroke: #59636e; stroke-width: 1; fill: none; }"
    print ".mark { stroke: #1f2328; stroke-width: 2; fill: none; }"
    print ".line { fill: none; stroke-width: 2; stroke-linejoin: round; }"
    print ".limit { stroke-dasharray: 5 4; }"
    print "@media (prefers-color-scheme: dark) {"
    print ".ground { fill: #15191f; stroke: #3d444d; }"
    print "text { fill: #e6edf3; }"
    print ".faint { fill: #9198a1; }"
    print ".grid { stroke: #2f3742; }"
    print ".axis { stroke: #9198a1; }"
    print ".mark { stroke: #f0f6fc; }"
    print "}"
    print "</style>"
    printf "<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", \
           width - 1, height - 1
    words(20, 30, "title", "start", title)
    words(20, 49, "faint", "start", subtitle)
}

function end_picture() {
    print "</svg>"
}

function words(x, y, class, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">%s</text>\n", x, y, class, \
           anchor, escaped(what)
}

function stroke(class, x1, y1, x2, y2) {
    printf "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1, y1, x2, y2
}
