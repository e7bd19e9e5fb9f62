# SPDX-License-Identifier: MIT
# A bar chart of the ratio kith / limit of every case, form and size, with the target of each. The
# axis is logarithmic and a bar starts at 1, where kith is as fast as what it is compared with. The
# input is a file of results.

BEGIN {
    WIDTH   = 860
    LEFT    = 210
    RIGHT   = 800
    TOP     = 112
    BAR     = 8
    FIGURE  = 22 # width of a figure beside a bar
    GAP     = 7
    MET     = "#2f7de1"
    MISSED  = "#d9722b"
    UNAIMED = "#808a94"
    least   = 0.8
    PLAIN   = "plain arrays"
}

/"case": / {
    name = field($0, "case") " " field($0, "form")
    if (!(name in place)) {
        place[name]   = ++rows
        names[rows]   = name
        ids[rows]     = field($0, "case")
        against[rows] = field($0, "limit")
        targets[rows] = field($0, "target")
    }
    row = place[name]
    bar = ++bars[row]
    sizes[row, bar]  = field($0, "n")
    ratios[row, bar] = field($0, "ratio")
    colour[row, bar] = targets[row] == "" ? UNAIMED : field($0, "met") == "true" ? MET : MISSED
    most  = ratios[row, bar] > most ? ratios[row, bar] : most
    least = ratios[row, bar] < least ? ratios[row, bar] : least
}

function x_of(ratio) {
    return LEFT + (RIGHT - LEFT) * (log10(ratio) - log10(least)) / (log10(most) - log10(least))
}

function row_height(row) {
    return bars[row] * BAR + GAP
}

function section_height(plain,    row, height) {
    for (row = 1; row <= rows; row++) {
        height += (against[row] == PLAIN) == plain ? row_height(row) : 0
    }
    return height
}

# The usual sizes are in the legend; others stand beside the name.
function size_note(row) {
    if (bars[row] == 2 && sizes[row, 1] == 65536 && sizes[row, 2] == 1000000) {
        return ""
    }
    return bars[row] == 1 ? ", N " grouped(sizes[row, 1]) : ", N " grouped(sizes[row, 1]) " first"
}

# Where the figure at the end of a bar goes: behind the mark of the target if that is in its way.
function beside(end, target) {
    if (target == "" || x_of(target) < end - 1 || x_of(target) > end + FIGURE) {
        return end
    }
    return x_of(target)
}

function draw_bar(row, bar, y,    ratio, from, to) {
    ratio = ratios[row, bar]
    from  = ratio < 1 ? x_of(ratio) : x_of(1)
    to    = ratio < 1 ? x_of(1) : x_of(ratio)
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"%s>" \
           "<title>%s, N = %s: %s, target %s</title></rect>\n", \
           from, y, (to - from < 1 ? 1 : to - from), BAR - 1, colour[row, bar], \
           (bar == 1 && bars[row] > 1 ? " opacity=\"0.6\"" : ""), \
           escaped(names[row]), grouped(sizes[row, bar]), ratio, \
           (targets[row] == "" ? "none" : targets[row])
    printf "<text x=\"%.1f\" y=\"%.1f\" style=\"font-size: 8.5px\">%.2f</text>\n", \
           beside(to, targets[row]) + 4, y + BAR - 1, ratio
}

function draw_row(row, y,    bar, height) {
    height = bars[row] * BAR
    words(LEFT - 10, y + height / 2 + 4, "", "end", names[row] size_note(row))
    for (bar = 1; bar <= bars[row]; bar++) {
        draw_bar(row, bar, y + (bar - 1) * BAR)
    }
    if (targets[row] != "") {
        stroke("mark", x_of(targets[row]), y - 2, x_of(targets[row]), y + height + 1)
    }
}

function draw_section(plain, y,    row) {
    for (row = 1; row <= rows; row++) {
        if ((against[row] == PLAIN) == plain) {
            draw_row(row, y)
            y += row_height(row)
        }
    }
}

function draw_grid(top, height,    i, ticks, count) {
    count = split("0.1 0.2 0.3 0.5 0.7 1 1.5 2 3 4 5 7 10 15 20 30 50 100 200 300", ticks, " ")
    for (i = 1; i <= count; i++) {
        if (ticks[i] >= least && ticks[i] <= most) {
            stroke(ticks[i] == 1 ? "axis" : "grid", x_of(ticks[i]), top, x_of(ticks[i]), \
                   top + height)
            words(x_of(ticks[i]), top - 6, "faint", "middle", ticks[i])
        }
    }
}

function swatch(x, y, fill, opacity, what) {
    printf "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"9\" fill=\"%s\" opacity=\"%s\"/>\n", x, \
           y - 9, fill, opacity
    words(x + 20, y, "", "start", what)
}

function draw_legend(y) {
    swatch(20, y, MET, 1, "target met")
    swatch(120, y, MISSED, 1, "missed")
    swatch(200, y, UNAIMED, 1, "no target")
    stroke("mark", 304, y - 10, 304, y + 1)
    words(312, y, "", "start", "target")
    words(372, y, "faint", "start", "pale: N = 65,536, full: N = 1,000,000")
}

END {
    if (rows == 0) {
        print "bars.awk: no results" > "/dev/stderr"
        exit 1
    }
    for (row = 1; row <= rows; row++) {
        most = targets[row] > most && targets[row] != "" ? targets[row] : most
    }
    most  *= 1.15
    least *= 0.9
    plain = section_height(1)
    other = section_height(0)
    begin_picture(WIDTH, TOP + plain + other + 82, title, subtitle)
    draw_legend(72)
    draw_grid(TOP, plain)
    draw_section(1, TOP + 4)
    words(20, TOP + plain + 32, "faint", "start", "Against another way to do it with kith")
    draw_grid(TOP + plain + 64, other)
    draw_section(0, TOP + plain + 68)
    end_picture()
}
