# SPDX-License-Identifier: MIT
# A line chart: cost against size. The size is on a logarithmic axis unless it stays below 10; the
# cost is too where its range is wide, otherwise it starts at 0.
#
# Variables: title, subtitle, across (what the size counts), lines: one a line of the chart, with ;
# between, each "case|form|side|label". Side is kith or limit. The input is a file of results.

BEGIN {
    WIDTH  = 800
    HEIGHT = 400
    LEFT   = 66
    RIGHT  = 560
    TOP    = 72
    BOTTOM = 346
    split("#2f7de1 #d9722b #2b9a66 #9a62d8 #c2427d", COLOURS, " ")

    count = split(lines, descriptions, ";")
    for (l = 1; l <= count; l++) {
        split(descriptions[l], parts, "|")
        key[l]   = parts[1] "|" parts[2]
        side[l]  = parts[3]
        label[l] = parts[4]
    }
}

/"case": / {
    name = field($0, "case") "|" field($0, "form")
    n    = field($0, "n")
    for (l = 1; l <= count; l++) {
        if (name == key[l]) {
            add_point(l, n, field($0, side[l] "_ns"))
        }
    }
}

function add_point(l, n, cost) {
    points[l]++
    xs[l, points[l]] = n
    ys[l, points[l]] = cost
    if (total++ == 0 || n < least) {
        least = n
    }
    most    = n > most ? n : most
    highest = cost > highest ? cost : highest
    lowest  = total == 1 || cost < lowest ? cost : lowest
}

# The smallest of 1, 2, 5, 10 ... that divides the axis into at most `parts` parts.
function round_step(range, parts,    step, i) {
    step = 0.01
    for (i = 0; range / step > parts; i++) {
        step *= i % 3 == 1 ? 2.5 : 2
    }
    return step
}

function x_of(n) {
    if (most < 10) {
        return LEFT + (RIGHT - LEFT) * (n - least) / (most - least)
    }
    return LEFT + (RIGHT - LEFT) * (log10(n) - log10(least)) / (log10(most) - log10(least))
}

function y_of(cost) {
    if (wide) {
        return BOTTOM - (BOTTOM - TOP) * log10(cost / first_cost) / log10(top_cost / first_cost)
    }
    return BOTTOM - (BOTTOM - TOP) * cost / top_cost
}

function draw_cost(cost, text) {
    stroke(cost == first_cost ? "axis" : "grid", LEFT, y_of(cost), RIGHT, y_of(cost))
    words(LEFT - 8, y_of(cost) + 4, "", "end", text)
}

function draw_even_costs(    step, cost, digits) {
    step     = round_step(highest, 7)
    digits   = step < 0.1 ? 2 : step < 1 ? 1 : 0
    top_cost = step
    while (top_cost < highest) {
        top_cost += step
    }
    for (cost = 0; cost < top_cost + step / 2; cost += step) {
        draw_cost(cost, sprintf("%.*f", digits, cost))
    }
}

# 0.1, 0.2, 0.5, 1, 2, 5 ... from below the lowest to above the highest.
function draw_wide_costs(    cost, i, costs, count) {
    cost = 0.01
    for (i = 0; cost < highest; i++) {
        costs[i] = cost
        cost *= i % 3 == 1 ? 2.5 : 2
    }
    costs[i] = top_cost = cost
    for (count = i; i > 0 && costs[i] > lowest; i--) {
    }
    first_cost = costs[i]
    for (; i <= count; i++) {
        draw_cost(costs[i], sprintf("%g", costs[i]))
    }
}

function draw_axes(    n) {
    wide = highest / lowest > 30
    if (wide) {
        draw_wide_costs()
    } else {
        draw_even_costs()
    }
    for (n = 1; n <= most * 1.001; n = most < 10 ? n + 1 : n * 10) {
        if (n >= least * 0.999) {
            stroke("grid", x_of(n), TOP, x_of(n), BOTTOM)
            words(x_of(n), BOTTOM + 19, "", "middle", grouped(n))
        }
    }
    words((LEFT + RIGHT) / 2, BOTTOM + 40, "faint", "middle", across)
    printf "<text class=\"faint\" text-anchor=\"middle\" transform=\"translate(22 %.1f) " \
           "rotate(-90)\">nanoseconds per operation</text>\n", (TOP + BOTTOM) / 2
}

# Several limits have the colours of what they are the limit of, a single one is grey.
function colour_of(l,    i, kiths, limits, colour) {
    for (i = 1; i <= count; i++) {
        kiths  += side[i] == "kith"
        limits += side[i] == "limit"
        if (side[i] == "kith" && key[i] == key[l]) {
            colour = COLOURS[kiths]
        }
    }
    return side[l] == "limit" && limits == 1 ? "#808a94" : colour
}

function draw_line(l, colour,    i, path, class) {
    class = side[l] == "kith" ? "line" : "line limit"
    for (i = 1; i <= points[l]; i++) {
        path = path sprintf("%s%.1f %.1f", i == 1 ? "M" : "L", x_of(xs[l, i]), y_of(ys[l, i]))
    }
    printf "<path class=\"%s\" stroke=\"%s\" d=\"%s\"/>\n", class, colour, path
    for (i = 1; i <= points[l]; i++) {
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.8\" fill=\"%s\"><title>%s: %s ns</title>" \
               "</circle>\n", x_of(xs[l, i]), y_of(ys[l, i]), colour, grouped(xs[l, i]), ys[l, i]
    }
}

function draw_legend(l, colour,    y) {
    y = TOP + 10 + (l - 1) * 24
    printf "<path class=\"%s\" stroke=\"%s\" d=\"M%d %.1fh26\"/>\n", \
           side[l] == "kith" ? "line" : "line limit", colour, RIGHT + 22, y
    words(RIGHT + 56, y + 4, "", "start", label[l])
}

END {
    for (l = 1; l <= count; l++) {
        if (points[l] == 0) {
            print "lines.awk: no results for " descriptions[l] > "/dev/stderr"
            exit 1
        }
    }
    begin_picture(WIDTH, HEIGHT, title, subtitle)
    draw_axes()
    for (l = count; l >= 1; l--) {
        colour = colour_of(l)
        draw_line(l, colour)
        draw_legend(l, colour)
    }
    end_picture()
}
