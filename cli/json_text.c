// SPDX-License-Identifier: MIT
// Prints JSON with indents and colours. The text is well-formed: the library wrote it.
//
// An object has a member on each line. An array of numbers or words is one line; an array of
// objects has each on lines of its own.
#include "json_text.h"

#include "terminal.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 63, INDENT = 2 };

static bool in_object(const json_text *t)
{
    return (t->objects >> t->depth & 1) != 0;
}

static void break_line(const json_text *t)
{
    printf("\n%*s", (int)(t->depth * INDENT), "");
}

static void set_colour(const json_text *t, colour as)
{
    if (t->coloured) {
        terminal_colour(stdout, as);
    }
}

// What comes before a value or a key: of the list around it, if any.
static void begin_item(const json_text *t, bool is_list)
{
    bool first = t->last == '{' || t->last == '[';
    if (!t->pretty || t->depth == 0 || t->last == ':') {
        return;
    }
    if (in_object(t) || is_list) {
        break_line(t);
    } else if (!first) {
        putchar(' ');
    }
}

static void open_list(json_text *t, char c)
{
    begin_item(t, true);
    putchar(c);
    t->depth += t->depth < DEEPEST;
    t->objects &= ~(UINT64_C(1) << t->depth);
    t->objects |= (uint64_t)(c == '{') << t->depth;
    t->is_key = c == '{';
}

static void close_list(json_text *t, char c)
{
    bool empty = t->last == '{' || t->last == '[';
    bool lists = t->last == '}' || t->last == ']';
    bool lines = c == '}' ? !empty : lists;
    t->depth -= t->depth != 0;
    if (t->pretty && lines) {
        break_line(t);
    }
    putchar(c);
}

static void put_in_string(json_text *t, char c)
{
    putchar(c);
    if (c == '"' && !t->escaped) {
        t->in_string = false;
        t->is_key    = false;
        set_colour(t, COLOUR_NONE);
    }
    t->escaped = c == '\\' && !t->escaped;
}

static void begin_string(json_text *t)
{
    begin_item(t, false);
    set_colour(t, t->is_key ? COLOUR_BLUE : COLOUR_GREEN);
    putchar('"');
    t->in_string = true;
}

static void end_value(json_text *t)
{
    if (t->in_value) {
        set_colour(t, COLOUR_NONE);
    }
    t->in_value = false;
}

static void put_mark(json_text *t, char c)
{
    if (c == '{' || c == '[') {
        open_list(t, c);
    } else if (c == '}' || c == ']') {
        close_list(t, c);
    } else {
        fputs(c == ':' && t->pretty ? ": " : (const char[]){ c, '\0' }, stdout);
        t->is_key = c == ',' && in_object(t);
    }
}

static void put_character(json_text *t, char c)
{
    if (t->in_string) {
        put_in_string(t, c);
    } else if (c == ' ' || c == '\n') {
        end_value(t);
        if (!t->pretty) {
            putchar(c);
        }
        return;
    } else if (c == '"') {
        begin_string(t);
    } else if (strchr("{}[]:,", c) != NULL) {
        end_value(t);
        put_mark(t, c);
    } else {
        if (!t->in_value) {
            begin_item(t, false);
            set_colour(t, COLOUR_YELLOW);
        }
        t->in_value = true;
        putchar(c);
    }
    t->last = c;
}

bool json_text_write(const void *piece, size_t size, void *context)
{
    json_text  *t    = context;
    const char *text = piece;
    if (!t->pretty && !t->coloured) {
        return fwrite(text, 1, size, stdout) == size;
    }
    for (size_t i = 0; i < size; i++) {
        put_character(t, text[i]);
    }
    return ferror(stdout) == 0;
}
