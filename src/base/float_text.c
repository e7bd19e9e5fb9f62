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

KITH_INTERNAL int kith_hex_digit(char c)
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

KITH_INTERNAL bool kith_number_finite(kith_number number)
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
    decimal     d    = { .count = 0 };
    const char *at   = text;
    bool        less = false;
    snprintf(text, sizeof text, "%.*e", (int)digits - 1, value);
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') {
            d.digits[d.count++] = *at;
        }
    }
    for (at++; *at != '\0'; at++) {
        less       = less || *at == '-';
        d.exponent = *at == '-' || *at == '+' ? 0 : d.exponent * 10 + (*at - '0');
    }
    d.exponent = less ? -d.exponent : d.exponent;
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

static char *put_zeros(char *to, int count)
{
    for (int i = 0; i < count; i++) {
        *to++ = '0';
    }
    return to;
}

static char *put_digits(char *to, const decimal *d, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end && i < d->count; i++) {
        *to++ = d->digits[i];
    }
    return put_zeros(to, (int)end - (int)d->count);
}

// Writes the digits, with the point after the first `whole`.
static char *put_pointed(char *to, const decimal *d, uint32_t whole)
{
    to = put_digits(to, d, 0, whole);
    if (d->count > whole) {
        *to++ = '.';
        to    = put_digits(to, d, whole, d->count);
    }
    return to;
}

static char *put_decimal(char *to, const decimal *d)
{
    if (d->exponent >= 0 && d->exponent < PLAIN_BELOW) {
        return put_pointed(to, d, (uint32_t)d->exponent + 1);
    }
    if (d->exponent >= PLAIN_FROM && d->exponent < 0) {
        *to++ = '0';
        *to++ = '.';
        return put_digits(put_zeros(to, -d->exponent - 1), d, 0, d->count);
    }
    to = put_pointed(to, d, 1);
    return to + snprintf(to, 8, "e%+d", d->exponent);
}

static size_t write_word(kith_number number, char *text)
{
    bool negative = (number.bits & sign_bit(number.wide)) != 0;
    if (without_sign(number) == infinity_bits(number.wide)) {
        return (size_t)snprintf(text, KITH_NUMBER_ROOM, "%sinf", negative ? "-" : "");
    }
    if (number.bits == nan_bits(number.wide)) {
        return (size_t)snprintf(text, KITH_NUMBER_ROOM, "nan");
    }
    return (size_t)snprintf(text, KITH_NUMBER_ROOM, "nan(0x%" PRIx64 ")", number.bits);
}

// -0.0 keeps its point: a reader that has an integer type would read -0 as the integer 0.
KITH_INTERNAL size_t kith_number_write(kith_number number, char text[KITH_NUMBER_ROOM])
{
    char *to = text;
    if (!kith_number_finite(number)) {
        return write_word(number, text);
    }
    if ((number.bits & sign_bit(number.wide)) != 0) {
        *to++ = '-';
    }
    if (without_sign(number) == 0) {
        size_t more = to == text ? 1 : 3;
        memcpy(to, "0.0", more);
        return (size_t)(to - text) + more;
    }
    decimal d = shortest(number);
    return (size_t)(put_decimal(to, &d) - text);
}

// --- reading ---------------------------------------------------------------------------------

typedef struct significant {
    char    text[DIGITS_MOST + 16]; // significant digits; later an exponent follows
    size_t  count;
    int64_t power; // of ten, of the last digit
    bool    more;  // a digit beyond DIGITS_MOST is not 0
} significant;

static void add_digit(significant *g, char digit, bool fraction)
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
KITH_INTERNAL bool kith_number_read(const char *text, size_t size, kith_number *number)
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

static bool is_text(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

static bool read_nan(const char *text, size_t size, kith_number *number)
{
    static const char opening[] = "nan(0x";
    size_t            begin     = sizeof opening - 1;
    size_t            digits    = number->wide ? 16 : 8;
    uint64_t          bits      = 0;
    if (size < begin + 2 || size > begin + digits + 1 || text[size - 1] != ')' ||
        memcmp(text, opening, begin) != 0) {
        return false;
    }
    for (size_t i = begin; i < size - 1; i++) {
        int digit = kith_hex_digit(text[i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 4 | (uint64_t)digit;
    }
    number->bits = bits;
    return without_sign(*number) > infinity_bits(number->wide);
}

KITH_INTERNAL bool kith_number_read_word(const char *text, size_t size, kith_number *number)
{
    bool wide = number->wide;
    if (is_text(text, size, "nan")) {
        number->bits = nan_bits(wide);
    } else if (is_text(text, size, "inf")) {
        number->bits = infinity_bits(wide);
    } else if (is_text(text, size, "-inf")) {
        number->bits = infinity_bits(wide) | sign_bit(wide);
    } else {
        return read_nan(text, size, number);
    }
    return true;
}
