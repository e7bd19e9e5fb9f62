// SPDX-License-Identifier: MIT
// Colours and progress, where the output is a terminal that can show them.
#ifndef KITH_CLI_TERMINAL_H
#define KITH_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum colour {
    COLOUR_NONE   = 0,
    COLOUR_BOLD   = 1,
    COLOUR_RED    = 31,
    COLOUR_GREEN  = 32,
    COLOUR_YELLOW = 33,
    COLOUR_BLUE   = 34
} colour;

/// Makes standard input or output one of bytes: Windows takes them for text.
void terminal_binary(FILE *stream);

/// Whether text for standard output or standard error is coloured: it is a terminal, TERM is set
/// and not "dumb" (but on Windows), and NO_COLOR is not set or empty.
bool terminal_colours(FILE *to);

/// Begins a colour; COLOUR_NONE ends it. Prints nothing where text is not coloured.
void terminal_colour(FILE *to, colour as);

/// Prints how much of a file of more than 50 MB is read, or, when `done` is `total`, that it is
/// being loaded. The line replaces the one before. `total` 0: unknown. Prints nothing for smaller
/// files, or when standard error is no terminal.
void terminal_progress(const char *name, uint64_t done, uint64_t total);

/// Removes the line of the progress. Called before anything else is printed.
void terminal_progress_end(void);

#endif
