// SPDX-License-Identifier: MIT
// Text into a buffer of the caller's, as snprintf does it: what does not fit is only counted.
#ifndef KITH_BASE_PRINT_H
#define KITH_BASE_PRINT_H

#include "base/base.h"

typedef struct kith_print {
    char  *buffer;
    size_t size;
    size_t length; // also of what does not fit
} kith_print;

// An empty text.
KITH_INTERNAL kith_print kith_print_start(char *buffer, size_t size);

// Lets a text that did not fit end in dots.
KITH_INTERNAL void kith_print_end(kith_print *out);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
KITH_INTERNAL void
kith_print_format(kith_print *out, const char *format, ...);

// --- float_text ------------------------------------------------------------
//
// Floating-point numbers as decimal text and back, bit for bit and whatever the locale is: the C
// library converts, but it is only shown texts without a decimal point, such as 15e-1.

// The value of a hexadecimal digit, or -1.
KITH_INTERNAL int kith_hex_digit(char c);

#define KITH_NUMBER_ROOM 40u

// The bits of a float are the low 32.
typedef struct kith_number {
    uint64_t bits;
    bool     wide; // a double
} kith_number;

// Writes the shortest text that reads back as the same bits, and returns its length. Infinities are
// "inf" and "-inf"; NaN is "nan" or, where the bits are others than those of NaN in C, "nan(0x..)".
KITH_INTERNAL size_t kith_number_write(kith_number number, char text[KITH_NUMBER_ROOM]);

// Whether the number is finite, so that its text is one of JSON.
KITH_INTERNAL bool kith_number_finite(kith_number number);

// Reads a number as JSON spells it; the syntax was checked. False when it is too large.
KITH_INTERNAL bool kith_number_read(const char *text, size_t size, kith_number *number);

// Reads one of the texts that are not finite numbers. False when it is none of them.
KITH_INTERNAL bool kith_number_read_word(const char *text, size_t size, kith_number *number);

#endif
