// SPDX-License-Identifier: MIT
// Printing into a buffer that may be too short.
#include "base/print.h"

#include <stdarg.h>
#include <stdio.h>

kith_print kith_print_start(char *buffer, size_t size)
{
    if (size != 0) {
        buffer[0] = '\0';
    }
    return (kith_print){ buffer, size, 0 };
}

void kith_print_end(kith_print *out)
{
    static const char dots[] = " ...";
    if (out->length >= out->size && out->size >= sizeof dots) {
        memcpy(out->buffer + out->size - sizeof dots, dots, sizeof dots);
    }
}

void kith_print_format(kith_print *out, const char *format, ...)
{
    size_t  room = out->length < out->size ? out->size - out->length : 0;
    char   *end  = room == 0 ? NULL : out->buffer + out->length;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(end, room, format, arguments);
    va_end(arguments);
    out->length += written > 0 ? (size_t)written : 0;
}
