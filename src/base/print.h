// SPDX-License-Identifier: MIT
// Printing text into a buffer of the caller, as snprintf does: what does not fit is only counted.
// Below: floating-point numbers as text.
#pragma once

#include "base/base.h"

typedef struct kith_print {
    char  *buffer;
    size_t size;
    size_t length; // of the whole text, also of what does not fit
} kith_print;

// Starts an empty text.
kith_print kith_print_start(char *buffer, size_t size);

// Overwrites the end of a text that did not fit with " ...".
void kith_print_end(kith_print *out);

void kith_print_format(kith_print *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// --- floating-point numbers as text ----------------------------------------------------------
//
// Converts to decimal text and back without changing a bit, in every locale. The C library converts
// the digits, but it only sees texts without a decimal point, such as 15e-1.

// Returns the value of a hexadecimal digit, or -1.
int kith_hex_digit(char c);

#define KITH_NUMBER_ROOM 40u

typedef struct kith_number {
    uint64_t bits; // of a float: the low 32
    bool     wide; // a double, otherwise a float
} kith_number;

// Writes the shortest text that reads back as the same bits, and returns its length. Infinities are
// "inf" and "-inf". The NaN of C is "nan"; every other NaN shows its bits, "nan(0x..)".
size_t kith_number_write(kith_number number, char text[KITH_NUMBER_ROOM]);

// Whether the number is finite. Only then its text is valid JSON.
bool kith_number_finite(kith_number number);

// Reads a JSON number whose syntax the caller has checked. Returns false when it is too large.
bool kith_number_read(const char *text, size_t size, kith_number *number);

// Reads an infinity or a NaN. Returns false when the text is neither.
bool kith_number_read_word(const char *text, size_t size, kith_number *number);
