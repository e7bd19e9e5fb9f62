// SPDX-License-Identifier: MIT
// Prints text. Names in a file are not trusted: control characters, which could command a terminal,
// are printed as question marks.
#ifndef KITH_CLI_SAY_H
#define KITH_CLI_SAY_H

#include "terminal.h"

#include <stddef.h>

// Exit codes.
enum {
    EXIT_FINE    = 0,
    EXIT_DIFFERS = 1, // snapshots differ, or one is damaged
    EXIT_TROUBLE = 2
};

#if defined(__GNUC__)
    #define SAYS(FORMAT, FIRST) __attribute__((format(printf, FORMAT, FIRST)))
#else
    #define SAYS(FORMAT, FIRST)
#endif

/// Prints "kith: NAME: ..." to standard error, without NAME if that is NULL. Returns `code`.
SAYS(3, 4) int complain(int code, const char *name, const char *format, ...);

/// Print to standard output.
void say_text(const char *text);
void say_bytes(const char *text, size_t size);
void say_coloured(const char *text, colour as);

/// Flushes standard output. Returns `code`, or EXIT_TROUBLE when writing failed.
int end_output(int code);

#endif
