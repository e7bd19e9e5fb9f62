// SPDX-License-Identifier: MIT
// Floating-point numbers as the shortest decimal text, and text as numbers, in every locale.
#include "base/print.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The point halfway between two doubles has fewer digits. So 800 digits and one more, which stands
// for the rest, decide how a longer text rounds.
#define DIGITS_MOST 800u

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

static uint64_t infinity_bits(bool wide)
{
    return wide ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000);
}

static uint64_t nan_bits(bool wide)
{
    return wide ? UINT64_C(0x7ff8000000000000) : UINT64_C(0x7fc00000);
}

static uint64_t sign_bit(bool wide)
{
    return UINT64_C(1) << (wide ? 63 : 31);
}

static uint64_t without_sign(kith_number number)
{
    return number.bits & ~sign_bit(number.wide);
}

bool kith_number_finite(kith_number number)
{
    return without_sign(number) < infinity_bits(number.wide);
}

static double value_of(kith_number number)
{
    float  narrow;
    double wide;
    if (number.wide) {
        memcpy(&wide, &number.bits, sizeof wide);
        return wide;
    }
    uint32_t bits = (uint32_t)number.bits;
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

// Converts whole digits with a decimal exponent, such as "15e-1".
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
    char     digits[24];
    uint32_t count;
    int      exponent; // of the first digit
} decimal;

// Rounds to `digits` digits. Skips whatever the locale prints as decimal point.
static decimal round_to(double value, uint32_t digits)
{
    char        text[64];
    decimal     d  = { .count = 0 };
    const char *at = text;
    snprintf(text, sizeof text, "%.*e", (int)digits - 1, value);
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') {
            d.digits[d.count++] = *at;
        }
    }
    d.exponent = (int)strtol(at + 1, NULL, 10);
    while (d.count > 1 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    return d;
}

static bool reads_back(const decimal *d, kith_number number)
{
    char text[64];
    int  shift = d->exponent - (int)d->count + 1;
    snprintf(text, sizeof text, "%.*se%d", (int)d->count, d->digits, shift);
    return number_from(text, number.wide).bits == without_sign(number);
}

// A decimal of FLT_DIG or DBL_DIG digits survives the way to a normal number and back. So the
// search starts there: a shorter decimal appears when round_to drops the zeros.
static decimal shortest(kith_number number)
{
    uint32_t    enough = number.wide ? DBL_DECIMAL_DIG : FLT_DECIMAL_DIG;
    uint64_t    normal = number.wide ? UINT64_C(1) << 52 : UINT64_C(1) << 23;
    kith_number size   = { without_sign(number), number.wide };
    uint32_t    digits = size.bits < normal ? 1 : number.wide ? DBL_DIG : FLT_DIG;
    decimal     d      = round_to(value_of(size), digits);
    while (digits < enough && !reads_back(&d, size)) {
        d = round_to(value_of(size), ++digits);
    }
    return d;
}

// Writes zeros where the decimal has no digit.
static char *put_decimal(char *to, const decimal *d)
{
    bool plain = d->exponent >= PLAIN_FROM && d->exponent < PLAIN_BELOW;
    int  count = (int)d->count;
    int  units = plain ? d->exponent : 0; // the index of the digit before the point
    for (int i = units < 0 ? units : 0; i < count || i <= units; i++) {
        *to++ = (char)(i < 0 || i >= count ? '0' : d->digits[i]);
        if (i == units && i + 1 < count) {
            *to++ = '.';
        }
    }
    return plain ? to : to + snprintf(to, 8, "e%+d", d->exponent);
}

// -0.0 keeps its point: a reader that has an integer type would read -0 as the integer 0.
size_t kith_number_write(kith_number number, char text[KITH_NUMBER_ROOM])
{
    bool        negative = (number.bits & sign_bit(number.wide)) != 0;
    const char *word     = negative ? "-inf" : "inf";
    if (without_sign(number) == 0) {
        word = negative ? "-0.0" : "0";
    } else if (kith_number_finite(number)) {
        decimal d = shortest(number);
        text[0]   = '-'; // overwritten when the number is positive
        return (size_t)(put_decimal(text + negative, &d) - text);
    } else if (number.bits == nan_bits(number.wide)) {
        word = "nan";
    } else if (without_sign(number) != infinity_bits(number.wide)) {
        return (size_t)snprintf(text, KITH_NUMBER_ROOM, "nan(0x%" PRIx64 ")", number.bits);
    }
    memcpy(text, word, strlen(word) + 1);
    return strlen(word);
}

// --- reading ---------------------------------------------------------------------------------

typedef struct significant {
    char    text[DIGITS_MOST + 16]; // significant digits; later an exponent follows
    size_t  count;
    int64_t power; // of ten, of the last digit
    bool    more;  // a digit beyond DIGITS_MOST is not 0
} significant;

KITH_NOINLINE static void add_digit(significant *g, char digit, bool fraction)
{
    if (g->count == DIGITS_MOST) {
        g->more = g->more || digit != '0';
        g->power += fraction ? 0 : 1;
        return;
    }
    g->power -= fraction ? 1 : 0;
    if (g->count != 0 || digit != '0') {
        g->text[g->count++] = digit;
    }
}

static int64_t read_exponent(const char *text, const char *end)
{
    int64_t exponent = 0;
    bool    less     = text < end && *text == '-';
    for (; text < end; text++) {
        if (*text >= '0' && *text <= '9' && exponent < INT64_C(1000000000000000)) {
            exponent = exponent * 10 + (*text - '0');
        }
    }
    return less ? -exponent : exponent;
}

// A digit 1 after all others stands for the digits beyond DIGITS_MOST: see there.
bool kith_number_read(const char *text, size_t size, kith_number *number)
{
    significant g        = { .count = 0 };
    const char *end      = text + size;
    bool        negative = *text == '-';
    bool        fraction = false;
    for (text += negative; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            fraction = true;
        } else {
            add_digit(&g, *text, fraction);
        }
    }
    g.power += text < end ? read_exponent(text + 1, end) : 0;
    if (g.more) {
        g.text[g.count++] = '1';
        g.power--;
    }
    if (g.count == 0) {
        g.text[g.count++] = '0';
    }
    g.power = g.power > EXPONENT_MOST ? EXPONENT_MOST : g.power;
    g.power = g.power < -EXPONENT_MOST ? -EXPONENT_MOST : g.power;
    snprintf(g.text + g.count, 12, "e%d", (int)g.power);
    *number = number_from(g.text, number->wide);
    number->bits |= negative ? sign_bit(number->wide) : 0;
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
    return fine && without_sign(*number) > infinity_bits(number->wide);
}

bool kith_number_read_word(const char *text, size_t size, kith_number *number)
{
    bool wide = number->wide;
    if (size == 3 && memcmp(text, "nan", size) == 0) {
        number->bits = nan_bits(wide);
    } else if (size == 3 && memcmp(text, "inf", size) == 0) {
        number->bits = infinity_bits(wide);
    } else if (size == 4 && memcmp(text, "-inf", size) == 0) {
        number->bits = infinity_bits(wide) | sign_bit(wide);
    } else {
        return read_nan(text, size, number);
    }
    return true;
}
