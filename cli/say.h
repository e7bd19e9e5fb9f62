// SPDX-License-Identifier: MIT
// What the program says. Names in a file are somebody else's: characters by which a terminal could
// be told to do something are shown as question marks.
#ifndef KITH_CLI_SAY_H
#define KITH_CLI_SAY_H

#include <stddef.h>

// How the program ends.
enum {
    EXIT_FINE    = 0,
    EXIT_DIFFERS = 1, // differences, or a snapshot that is damaged
    EXIT_TROUBLE = 2
};

#if defined(__GNUC__)
    #define SAYS(FORMAT, FIRST) __attribute__((format(printf, FORMAT, FIRST)))
#else
    #define SAYS(FORMAT, FIRST)
#endif

/// A line on standard error, "kith: NAME: ...", or without a name if that is NULL. Returns `code`.
SAYS(3, 4) int complain(int code, const char *name, const char *format, ...);

/// Text on standard output, and so many bytes of it.
void say_text(const char *text);
void say_bytes(const char *text, size_t size);

/// Ends standard output: `code`, or EXIT_TROUBLE if something could not be written.
int end_output(int code);

#endif
