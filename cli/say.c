// SPDX-License-Identifier: MIT
// Prints messages and untrusted text.
#include "say.h"

#include "terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_safely(FILE *to, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        putc(c < ' ' || c == 127 ? '?' : c, to);
    }
}

int complain(int code, const char *name, const char *format, ...)
{
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    terminal_progress_end();
    fflush(stdout);
    terminal_colour(stderr, COLOUR_RED);
    fputs("kith: ", stderr);
    terminal_colour(stderr, COLOUR_NONE);
    if (name != NULL) {
        put_safely(stderr, name, strlen(name));
        fputs(": ", stderr);
    }
    put_safely(stderr, text, strlen(text));
    putc('\n', stderr);
    return code;
}

void say_bytes(const char *text, size_t size)
{
    put_safely(stdout, text, size);
}

void say_text(const char *text)
{
    say_bytes(text, strlen(text));
}

void say_coloured(const char *text, colour as)
{
    terminal_colour(stdout, as);
    say_text(text);
    terminal_colour(stdout, COLOUR_NONE);
}

int end_output(int code)
{
    if (fflush(stdout) != 0) {
        return complain(EXIT_TROUBLE, NULL, "cannot write: %s", strerror(errno));
    }
    if (ferror(stdout)) { // of an earlier write: errno is lost
        return complain(EXIT_TROUBLE, NULL, "cannot write all of it");
    }
    return code;
}
