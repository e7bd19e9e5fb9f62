// SPDX-License-Identifier: MIT
// Prints JSON as it comes from the library: as it is, or with a member on each line, and coloured
// on a terminal.
#ifndef KITH_CLI_JSON_TEXT_H
#define KITH_CLI_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The place in the text. Begin with all zero but the first two members.
typedef struct json_text {
    bool     pretty;
    bool     coloured;
    bool     in_string;
    bool     escaped;  // the next character of the string belongs to a backslash
    bool     in_value; // a number or a word
    bool     is_key;   // the next string is one
    uint32_t depth;
    uint64_t objects; // a bit for each list that is open: it is an object
    char     last;    // the last character that is no blank
} json_text;

/// Prints a piece of the text to standard output; a kith_write_fn. `context` is a json_text.
bool json_text_write(const void *piece, size_t size, void *context);

#endif
