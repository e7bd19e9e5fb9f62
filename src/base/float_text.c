// SPDX-License-Identifier: MIT
// Floating-point numbers as the shortest decimal text, and text as numbers, in every locale.
#include "base/print.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The point halfway between two doubles has fewer significant digits. So the last of these many,
// which is odd when a digit behind it is not 0, decides how a longer text rounds.
#define DIGITS_MOST 800

// With DIGITS_MOST digits or fewer, this decimal exponent means infinity, and its negative means 0.
#define EXPONENT_MOST 9999

// Numbers with a decimal exponent in this range are written without one.
#define PLAIN_FROM  (-5)
#define PLAIN_BELOW 17

int kith_hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// --- bits ------------------------------------------------------------------------------------

#define NUMBER_WORDS 5u
#define WORDS_READ   3u // the others are numbers in JSON

static const char *const number_words[NUMBER_WORDS] = { "nan", "inf", "-inf", "0", "-0.0" };

// The bits of these words, of a float and of a double.
static const uint64_t word_bits[][NUMBER_WORDS] = {
    { 0x7fc00000, 0x7f800000, 0xff800000, 0, 0x80000000 },
    { UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000), 0,
      UINT64_C(0x8000000000000000) },
};

// Constants of a float and of a double.
static const struct number_format {
    uint64_t infinity;
    uint64_t sign;
    uint64_t normal; // the least
    uint32_t digits; // survive the way to a normal number and back
    uint32_t enough; // digits for every number
} formats[] = {
    { 0x7f800000, 0x80000000, 0x00800000, FLT_DIG, FLT_DECIMAL_DIG },
    { UINT64_C(0x7ff0000000000000), UINT64_C(0x8000000000000000), UINT64_C(0x0010000000000000),
      DBL_DIG, DBL_DECIMAL_DIG },
};

static uint64_t without_sign(kith_number number)
{
    return number.bits & ~formats[number.wide].sign;
}

bool kith_number_finite(kith_number number)
{
    return without_sign(number) < formats[number.wide].infinity;
}

static double value_of(kith_number number)
{
    uint32_t bits = (uint32_t)number.bits;
    float    narrow;
    double   wide;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&wide, &number.bits, sizeof wide);
    return number.wide ? wide : narrow;
}

// Converts digits with a decimal exponent, such as "15e-1".
static kith_number number_from(const char *text, bool wide)
{
    kith_number number = { 0, wide };
    if (wide) {
        double value = strtod(text, NULL);
        memcpy(&number.bits, &value, sizeof value);
    } else {
        float    value = strtof(text, NULL);
        uint32_t bits;
        memcpy(&bits, &value, sizeof value);
        number.bits = bits;
    }
    return number;
}

// --- writing ---------------------------------------------------------------------------------

// d.ddd times 10 to the power of `exponent`.
typedef struct decimal {
    char digits[24];
    int  count;
    int  exponent; // of the first digit
} decimal;

// Splits a number that printf wrote with %e. Skips whatever the locale has as decimal point.
static decimal split_decimal(const char *text)
{
    decimal d = { .count = 0 };
    for (; *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9') {
            d.digits[d.count++] = *text;
        }
    }
    d.exponent = (int)strtol(text + 1, NULL, 10);
    while (d.count > 1 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    return d;
}

// The search starts at the digits that survive: a shorter decimal appears when split_decimal drops
// the zeros.
static decimal shortest(kith_number number)
{
    const struct number_format *format = &formats[number.wide];
    kith_number                 size   = { without_sign(number), number.wide };
    uint32_t                    digits = size.bits < format->normal ? 1 : format->digits;
    char                        text[64];
    bool                        same = false;
    for (; !same; digits++) {
        snprintf(text, sizeof text, "%.*e", (int)digits - 1, value_of(size));
        same = digits == format->enough || number_from(text, size.wide).bits == size.bits;
    }
    return split_decimal(text);
}

// Writes zeros where the decimal has no digit.
static char *put_decimal(char *to, const decimal *d)
{
    bool plain = d->exponent >= PLAIN_FROM && d->exponent < PLAIN_BELOW;
    int  units = plain ? d->exponent : 0; // the index of the digit before the point
    for (int i = units < 0 ? units : 0; i < d->count || i <= units; i++) {
        *to++ = (char)(i < 0 || i >= d->count ? '0' : d->digits[i]);
        if (i == units && i + 1 < d->count) {
            *to++ = '.';
        }
    }
    return plain ? to : to + snprintf(to, 8, "e%+d", d->exponent);
}

// -0.0 keeps its point: a reader that has an integer type would read -0 as the integer 0.
size_t kith_number_write(kith_number number, char text[KITH_NUMBER_ROOM])
{
    for (uint32_t i = 0; i < NUMBER_WORDS; i++) {
        if (number.bits == word_bits[number.wide][i]) {
            memcpy(text, number_words[i], strlen(number_words[i]) + 1);
            return strlen(text);
        }
    }
    if (!kith_number_finite(number)) {
        return (size_t)snprintf(text, KITH_NUMBER_ROOM, "nan(0x%" PRIx64 ")", number.bits);
    }
    decimal d        = shortest(number);
    bool    negative = number.bits >= formats[number.wide].sign;
    text[0]          = '-'; // overwritten when the number is positive
    return (size_t)(put_decimal(text + negative, &d) - text);
}

// --- reading ---------------------------------------------------------------------------------

// Returns the exponent of "e-12", which may be empty. A very large one is not exact.
static int64_t read_exponent(const char *text, const char *end)
{
    int64_t exponent = 0;
    bool    negative = end - text > 1 && text[1] == '-';
    for (; text < end; text++) {
        if (*text >= '0' && *text <= '9' && exponent < INT64_C(1000000000000000)) {
            exponent = exponent * 10 + (*text - '0');
        }
    }
    return negative ? -exponent : exponent;
}

bool kith_number_read(const char *text, size_t size, kith_number *number)
{
    char        digits[DIGITS_MOST + 16]; // the significant ones, then the exponent
    int         count    = 0;
    int64_t     power    = 0; // of ten, of the last digit
    bool        fraction = false;
    bool        negative = *text == '-';
    const char *end      = text + size;
    for (text += negative; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            fraction = true;
        } else if (count == DIGITS_MOST) {
            digits[DIGITS_MOST - 1] = (char)(digits[DIGITS_MOST - 1] | (*text != '0'));
            power += !fraction;
        } else {
            count -= count == 1 && digits[0] == '0'; // a zero in front is not significant
            digits[count++] = *text;
            power -= fraction;
        }
    }
    power += read_exponent(text, end);
    power = power > EXPONENT_MOST ? EXPONENT_MOST : power;
    power = power < -EXPONENT_MOST ? -EXPONENT_MOST : power;
    snprintf(digits + count, sizeof digits - DIGITS_MOST, "e%d", (int)power);
    *number = number_from(digits, number->wide);
    number->bits |= negative ? formats[number->wide].sign : 0;
    return kith_number_finite(*number);
}

// Reads the bits of a NaN, "nan(0x..)".
static bool read_nan(const char *text, size_t size, kith_number *number)
{
    static const char opening[] = "nan(0x";
    size_t            begin     = sizeof opening - 1;
    size_t            digits    = number->wide ? 16 : 8;
    bool fine = size >= begin + 2 && size <= begin + digits + 1 && text[size - 1] == ')' &&
                memcmp(text, opening, begin) == 0;
    number->bits = 0;
    for (size_t i = begin; i < size - 1 && fine; i++) {
        int digit    = kith_hex_digit(text[i]);
        fine         = digit >= 0;
        number->bits = number->bits << 4 | (uint64_t)digit;
    }
    return fine && without_sign(*number) > formats[number->wide].infinity;
}

bool kith_number_read_word(const char *text, size_t size, kith_number *number)
{
    for (uint32_t i = 0; i < WORDS_READ; i++) {
        if (size == strlen(number_words[i]) && memcmp(text, number_words[i], size) == 0) {
            number->bits = word_bits[number->wide][i];
            return true;
        }
    }
    return read_nan(text, size, number);
}
