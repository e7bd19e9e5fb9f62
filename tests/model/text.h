// SPDX-License-Identifier: MIT
// A string that grows.
#ifndef KITH_TESTS_TEXT_H
#define KITH_TESTS_TEXT_H

#include <stddef.h>

typedef struct text {
    char  *data; // NULL: empty
    size_t length;
    size_t capacity;
} text;

void text_add(text *t, const char *format, ...);
void text_end(text *t);

#endif
