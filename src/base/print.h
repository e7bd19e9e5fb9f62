// SPDX-License-Identifier: MIT
// Text into a buffer of the caller's, as snprintf does it: what does not fit is only counted.
#ifndef KITH_BASE_PRINT_H
#define KITH_BASE_PRINT_H

#include "base/base.h"

typedef struct kith_text {
    char  *buffer;
    size_t size;
    size_t length; // also of what does not fit
} kith_text;

// An empty text.
KITH_INTERNAL kith_text kith_text_start(char *buffer, size_t size);

// Lets a text that did not fit end in dots.
KITH_INTERNAL void kith_text_end(kith_text *out);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
KITH_INTERNAL void
kith_text_say(kith_text *out, const char *format, ...);

#endif
