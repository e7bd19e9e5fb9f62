// SPDX-License-Identifier: MIT
// Splits a JSON text into strings, numbers, words and lists.
#include "json/json.h"

// --- characters ------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Accepts the shortest form only, no surrogates, nothing above U+10FFFF: the first byte decides
// which second bytes are valid.
KITH_INTERNAL size_t kith_utf8_length(const char *text, size_t size)
{
    const unsigned char *c = (const unsigned char *)text;
    if (size == 0 || c[0] < 0x80) {
        return size == 0 ? 0 : 1;
    }
    size_t        length = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    unsigned char least  = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char most   = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    if (c[0] < 0xc2 || c[0] > 0xf4 || size < length || c[1] < least || c[1] > most) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if (c[i] < 0x80 || c[i] > 0xbf) {
            return 0;
        }
    }
    return length;
}

// --- the text --------------------------------------------------------------------------------

KITH_INTERNAL bool kith_json_fail(kith_json_text *json, const char *fault, size_t at)
{
    if (json->fault == NULL) {
        json->fault    = fault;
        json->fault_at = at;
        json->at       = json->size; // later reads find the end
    }
    return false;
}

static bool fail_here(kith_json_text *json, const char *fault)
{
    bool over = json->at >= json->size;
    return kith_json_fail(json, over ? "the text ends too early" : fault, json->at);
}

KITH_INTERNAL char kith_json_peek(kith_json_text *json)
{
    while (json->at < json->size) {
        char c = json->text[json->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            return c;
        }
        json->at++;
    }
    return '\0';
}

KITH_INTERNAL size_t kith_json_place(kith_json_text *json)
{
    kith_json_peek(json);
    return json->at;
}

static bool take_char(kith_json_text *json, char c, const char *fault)
{
    if (kith_json_peek(json) != c) {
        return fail_here(json, fault);
    }
    json->at++;
    return true;
}

KITH_INTERNAL bool kith_json_end(kith_json_text *json)
{
    size_t at = kith_json_place(json);
    return json->fault == NULL &&
           (at == json->size || kith_json_fail(json, "text follows the end", at));
}

// --- strings ---------------------------------------------------------------------------------

// The number in the four digits of \uXXXX; negative: they are no digits.
static int32_t unit_at(const char *digits, size_t left)
{
    int32_t unit = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = i < left ? kith_hex_digit(digits[i]) : -1;
        if (digit < 0) {
            return digit;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

// The code point of the \u escape at `text`, and its length; -1: invalid. U+DC80 to U+DCFF alone,
// not as the second half of a pair, stand for a byte that is not UTF-8.
static int32_t escaped_point(const char *text, size_t left, size_t *length)
{
    int32_t first = left < 6 ? -1 : unit_at(text + 2, left - 2);
    *length       = 6;
    if (first < 0xd800 || first > 0xdfff) {
        return first;
    }
    if (first >= 0xdc00) {
        return first >= 0xdc80 && first <= 0xdcff ? first : -1;
    }
    bool    pair   = left >= 12 && text[6] == '\\' && text[7] == 'u';
    int32_t second = pair ? unit_at(text + 8, left - 8) : -1;
    *length        = 12;
    return second >= 0xdc00 && second <= 0xdfff
               ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
               : -1;
}

static char short_escape(char letter)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[]   = "\"\\/\b\f\n\r\t";
    const char       *found     = letter == '\0' ? NULL : strchr(letters, letter);
    return meant[found == NULL ? sizeof meant - 1 : (size_t)(found - letters)];
}

// The length of the first character or escape of a string's text. Returns 0 after a fault.
static size_t unit_length(kith_json_text *json, const char *text, size_t left)
{
    size_t at     = (size_t)(text - json->text);
    size_t length = 2;
    if (text[0] == '\\') {
        bool sense = left > 1 && (text[1] == 'u' ? escaped_point(text, left, &length) >= 0
                                                 : short_escape(text[1]) != '\0');
        return sense ? length : (size_t)kith_json_fail(json, "unknown escape", at);
    }
    if ((unsigned char)text[0] < 0x20) {
        return (size_t)kith_json_fail(json, "a control character needs an escape", at);
    }
    length = kith_utf8_length(text, left);
    return length != 0 ? length : (size_t)kith_json_fail(json, "this is not UTF-8", at);
}

KITH_INTERNAL bool kith_json_string_read(kith_json_text *json, kith_json_string *string)
{
    if (!take_char(json, '"', "a string is missing")) {
        return false;
    }
    size_t begin  = json->at;
    string->plain = true;
    while (json->at < json->size && json->text[json->at] != '"') {
        const char *text = json->text + json->at;
        size_t      more = unit_length(json, text, json->size - json->at);
        if (more == 0) {
            return false;
        }
        string->plain = string->plain && *text != '\\';
        json->at += more;
    }
    if (json->at == json->size) {
        return fail_here(json, NULL);
    }
    string->text = json->text + begin;
    string->size = json->at++ - begin;
    return true;
}

static size_t put_utf8(char bytes[4], uint32_t point)
{
    static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; point >>= 6) {
        bytes[i] = (char)(0x80 | (point & 0x3f));
    }
    bytes[0] = (char)(marks[length == 1 ? 0 : length] | point);
    return length;
}

// Decodes the first byte or escape of a string's text; `*length` is its length there. Returns the
// number of bytes.
static size_t decode_unit(const char *text, size_t left, char bytes[4], size_t *length)
{
    if (text[0] != '\\') {
        bytes[0] = text[0];
        *length  = 1;
        return 1;
    }
    if (text[1] != 'u') {
        bytes[0] = short_escape(text[1]);
        *length  = 2;
        return 1;
    }
    int32_t point = escaped_point(text, left, length);
    if (point >= 0xdc80 && point <= 0xdcff) {
        bytes[0] = (char)(point & 0xff);
        return 1;
    }
    return put_utf8(bytes, (uint32_t)point);
}

KITH_INTERNAL size_t kith_json_decode(const kith_json_string *string, char *bytes, size_t room)
{
    size_t count = 0;
    for (size_t at = 0, length = 1; at < string->size; at += length) {
        char   unit[4];
        size_t size = decode_unit(string->text + at, string->size - at, unit, &length);
        for (size_t i = 0; i < size; i++, count++) {
            if (count < room) {
                bytes[count] = unit[i];
            }
        }
    }
    return count;
}

KITH_INTERNAL bool kith_json_is(const kith_json_string *string, const char *text)
{
    char   unit[4];
    size_t length = 1;
    if (string->plain) {
        return strncmp(string->text, text, string->size) == 0 && text[string->size] == '\0';
    }
    for (size_t at = 0; at < string->size; at += length) {
        size_t size = decode_unit(string->text + at, string->size - at, unit, &length);
        if (unit[0] == '\0' || strncmp(text, unit, size) != 0) {
            return false;
        }
        text += size;
    }
    return *text == '\0';
}

// --- words and numbers -----------------------------------------------------------------------

static bool take_word(kith_json_text *json, const char *word, const char *fault)
{
    size_t size = strlen(word);
    if (json->size - json->at < size || memcmp(json->text + json->at, word, size) != 0) {
        return kith_json_fail(json, fault, json->at);
    }
    json->at += size;
    return true;
}

KITH_INTERNAL bool kith_json_bool_read(kith_json_text *json, bool *value)
{
    *value = kith_json_peek(json) == 't';
    return take_word(json, *value ? "true" : "false", "true or false is missing");
}

KITH_INTERNAL bool kith_json_null_read(kith_json_text *json)
{
    kith_json_peek(json);
    return take_word(json, "null", "null is missing");
}

static bool skip_digits(kith_json_text *json)
{
    size_t begin = json->at;
    while (json->at < json->size && is_digit(json->text[json->at])) {
        json->at++;
    }
    return json->at != begin || fail_here(json, "a digit is missing");
}

static bool skip_one_of(kith_json_text *json, const char *chars)
{
    bool found = json->at < json->size && json->text[json->at] != '\0' &&
                 strchr(chars, json->text[json->at]) != NULL;
    json->at += found;
    return found;
}

KITH_INTERNAL bool kith_json_number_read(kith_json_text *json, const char **text, size_t *size)
{
    char c = kith_json_peek(json);
    if (c != '-' && !is_digit(c)) {
        return fail_here(json, "a number is missing");
    }
    size_t begin = json->at;
    skip_one_of(json, "-");
    bool fine = skip_one_of(json, "0") || skip_digits(json);
    fine      = fine && (!skip_one_of(json, ".") || skip_digits(json));
    if (fine && skip_one_of(json, "eE")) {
        skip_one_of(json, "+-");
        fine = skip_digits(json);
    }
    *text = json->text + begin;
    *size = json->at - begin;
    return fine;
}

KITH_INTERNAL bool kith_json_integer_read(kith_json_text *json, kith_json_integer *value)
{
    const char *text;
    size_t      size;
    if (!kith_json_number_read(json, &text, &size)) {
        return false;
    }
    *value = (kith_json_integer){ 0, *text == '-' };
    for (size_t i = value->negative; i < size; i++) {
        uint64_t digit = is_digit(text[i]) ? (uint64_t)(text[i] - '0') : 10;
        if (digit == 10 || value->size > (UINT64_MAX - digit) / 10) {
            return kith_json_fail(json,
                                  digit == 10 ? "an integer has neither point nor exponent"
                                              : "the number does not fit",
                                  (size_t)(text - json->text));
        }
        value->size = value->size * 10 + digit;
    }
    return true;
}

// --- lists -----------------------------------------------------------------------------------

KITH_INTERNAL bool kith_json_open(kith_json_text *json, char open, kith_json_list *list)
{
    *list = (kith_json_list){ open == '{' ? '}' : ']', false };
    return take_char(json, open, open == '{' ? "an object is missing" : "an array is missing");
}

KITH_INTERNAL bool kith_json_next(kith_json_text *json, kith_json_list *list, kith_json_string *key)
{
    if (json->fault != NULL) {
        return false;
    }
    if (kith_json_peek(json) == list->close) {
        json->at++;
        return false;
    }
    if (list->begun && !take_char(json, ',', "a comma or the end of the list is missing")) {
        return false;
    }
    list->begun = true;
    if (list->close == ']') {
        char c = kith_json_peek(json);
        return (c != ']' && c != '\0') || fail_here(json, "a value is missing");
    }
    return kith_json_string_read(json, key) && take_char(json, ':', "a colon is missing");
}

// --- skipping --------------------------------------------------------------------------------

static bool skip_plain(kith_json_text *json)
{
    kith_json_string string;
    const char      *text;
    size_t           size;
    bool             value;
    switch (kith_json_peek(json)) {
    case '"':
        return kith_json_string_read(json, &string);
    case 't':
    case 'f':
        return kith_json_bool_read(json, &value);
    case 'n':
        return kith_json_null_read(json);
    default:
        return kith_json_number_read(json, &text, &size);
    }
}

// The open lists are in a small array, so no text can make the program's stack deep.
KITH_INTERNAL bool kith_json_skip(kith_json_text *json)
{
    kith_json_list   lists[KITH_JSON_DEPTH];
    kith_json_string key;
    uint32_t         depth = 0;
    do {
        char c = kith_json_peek(json);
        if (c != '{' && c != '[') {
            skip_plain(json);
        } else if (depth == KITH_JSON_DEPTH) {
            kith_json_fail(json, "lists are nested too deep", json->at);
        } else {
            kith_json_open(json, c, &lists[depth++]);
        }
        while (depth != 0 && !kith_json_next(json, &lists[depth - 1], &key)) {
            depth--;
        }
    } while (depth != 0 && json->fault == NULL);
    return json->fault == NULL;
}
