// SPDX-License-Identifier: MIT
// A text that grows.
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void make_room(text *t, size_t more)
{
    if (t->length + more + 1 > t->capacity) {
        t->capacity = 2 * (t->length + more + 1);
        t->data     = realloc(t->data, t->capacity);
        if (t->data == NULL) {
            abort();
        }
    }
}

void text_add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    make_room(t, (size_t)length);
    va_start(arguments, format);
    vsnprintf(t->data + t->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    t->length += (size_t)length;
}

void text_end(text *t)
{
    free(t->data);
    *t = (text){ NULL, 0, 0 };
}
