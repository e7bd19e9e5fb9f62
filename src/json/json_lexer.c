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
size_t kith_utf8_length(const char *text, size_t size)
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

bool kith_json_fail(kith_json_text *json, const char *fault, size_t at)
{
    if (json->fault == NULL) {
        json->fault    = fault;
        json->fault_at = at;
        json->at       = json->size; // later reads find the end
    }
    return false;
}

bool kith_json_fail_name(kith_json_text *json, const kith_json_string *name, const char *fault)
{
    if (json->fault == NULL) {
        json->about = *name;
    }
    return kith_json_fail(json, fault, json->token);
}

void kith_json_unknown(kith_json_text *json, const kith_json_string *name, const char *fault)
{
    if (json->skip_unknown) {
        kith_json_skip(json);
    } else {
        kith_json_fail_name(json, name, fault);
    }
}

static bool fail_here(kith_json_text *json, const char *fault)
{
    bool over = json->at >= json->size;
    return kith_json_fail(json, over ? "the text ends too early" : fault, json->at);
}

char kith_json_peek(kith_json_text *json)
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

size_t kith_json_place(kith_json_text *json)
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

bool kith_json_end(kith_json_text *json)
{
    size_t at = kith_json_place(json);
    return json->fault == NULL &&
           (at == json->size || kith_json_fail(json, "text follows the end", at));
}

// --- strings ---------------------------------------------------------------------------------

// A character or an escape in a string.
typedef struct json_character {
    uint32_t length;   // in the text; 0: it is invalid
    uint32_t size;     // of `bytes`
    char     bytes[4]; // UTF-8, or a single byte that is not
} json_character;

// The number in the four digits of \uXXXX; negative: they are no digits.
static int32_t unit_at(const char *digits)
{
    int32_t unit = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = kith_hex_digit(digits[i]);
        if (digit < 0) {
            return digit;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

// The code point of the \u escape at `text`, and its length; -1: invalid. U+DC80 to U+DCFF alone,
// not as the second half of a pair, stand for a byte that is not UTF-8.
static int32_t escaped_point(const char *text, size_t left, uint32_t *length)
{
    int32_t first = left < 6 ? -1 : unit_at(text + 2);
    *length       = 6;
    if (first < 0xd800 || first > 0xdfff) {
        return first;
    }
    if (first >= 0xdc00) {
        return first >= 0xdc80 && first <= 0xdcff ? first : -1;
    }
    bool    pair   = left >= 12 && text[6] == '\\' && text[7] == 'u';
    int32_t second = pair ? unit_at(text + 8) : -1;
    *length        = 12;
    return second >= 0xdc00 && second <= 0xdfff
               ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
               : -1;
}

static uint32_t put_utf8(char bytes[4], uint32_t point)
{
    static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    uint32_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (uint32_t i = length; i-- > 1; point >>= 6) {
        bytes[i] = (char)(0x80 | (point & 0x3f));
    }
    bytes[0] = (char)(marks[length] | point);
    return length;
}

static json_character escape_at(const char *text, size_t left)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[]   = "\"\\/\b\f\n\r\t";
    json_character    c         = { .length = 2, .size = 1 };
    char              letter    = (char)(left > 1 ? text[1] : '\0');
    if (letter != 'u') {
        const char *found = letter == '\0' ? NULL : strchr(letters, letter);
        c.length          = found == NULL ? 0 : 2;
        c.bytes[0]        = (char)(found == NULL ? '\0' : meant[found - letters]);
        return c;
    }
    int32_t point = escaped_point(text, left, &c.length);
    if (point < 0) {
        c.length = 0;
    } else if (point >= 0xdc80 && point <= 0xdcff) {
        c.bytes[0] = (char)(point & 0xff);
    } else {
        c.size = put_utf8(c.bytes, (uint32_t)point);
    }
    return c;
}

static json_character character_at(const char *text, size_t left)
{
    json_character c = { 0 };
    if (text[0] == '\\') {
        return escape_at(text, left);
    }
    c.length = (unsigned char)text[0] < 0x20 ? 0 : (uint32_t)kith_utf8_length(text, left);
    c.size   = c.length;
    memcpy(c.bytes, text, c.size);
    return c;
}

static const char *character_fault(char first)
{
    return first == '\\'                 ? "unknown escape"
           : (unsigned char)first < 0x20 ? "a control character needs an escape"
                                         : "this is not UTF-8";
}

kith_json_string kith_json_string_read(kith_json_text *json)
{
    kith_json_string string = { "", 0 };
    if (!take_char(json, '"', "a string is missing")) {
        return string;
    }
    size_t begin = json->at;
    json->token  = begin - 1;
    while (json->at < json->size && json->text[json->at] != '"') {
        const char *text   = json->text + json->at;
        bool        ascii  = *text >= 0x20 && *text < 0x7f && *text != '\\';
        size_t      length = ascii ? 1 : character_at(text, json->size - json->at).length;
        if (length == 0) {
            kith_json_fail(json, character_fault(*text), json->at);
        }
        json->at += length;
    }
    if (json->at == json->size) {
        fail_here(json, NULL);
        return string;
    }
    string.text = json->text + begin;
    string.size = json->at++ - begin;
    return string;
}

size_t kith_json_decode(const kith_json_string *string, char *bytes, size_t room)
{
    size_t count = 0;
    for (size_t at = 0; at < string->size;) {
        json_character c = character_at(string->text + at, string->size - at);
        for (size_t i = 0; i < c.size; i++, count++) {
            if (count < room) {
                bytes[count] = c.bytes[i];
            }
        }
        at += c.length;
    }
    return count;
}

bool kith_json_is(const kith_json_string *string, const char *text)
{
    if (memchr(string->text, '\\', string->size) == NULL) {
        return strncmp(string->text, text, string->size) == 0 && text[string->size] == '\0';
    }
    for (size_t at = 0; at < string->size;) {
        json_character c = character_at(string->text + at, string->size - at);
        if (c.bytes[0] == '\0' || strncmp(text, c.bytes, c.size) != 0) {
            return false;
        }
        text += c.size;
        at += c.length;
    }
    return *text == '\0';
}

// --- words and numbers -----------------------------------------------------------------------

static void take_word(kith_json_text *json, const char *word, const char *fault)
{
    size_t size = strlen(word);
    json->token = kith_json_place(json);
    if (json->size - json->at < size || memcmp(json->text + json->at, word, size) != 0) {
        kith_json_fail(json, fault, json->at);
    } else {
        json->at += size;
    }
}

bool kith_json_bool_read(kith_json_text *json)
{
    bool value = kith_json_peek(json) == 't';
    take_word(json, value ? "true" : "false", "true or false is missing");
    return value;
}

void kith_json_null_read(kith_json_text *json)
{
    take_word(json, "null", "null is missing");
}

static void skip_digits(kith_json_text *json)
{
    size_t begin = json->at;
    while (json->at < json->size && is_digit(json->text[json->at])) {
        json->at++;
    }
    if (json->at == begin) {
        fail_here(json, "a digit is missing");
    }
}

static bool skip_one_of(kith_json_text *json, const char *chars)
{
    bool found = json->at < json->size && json->text[json->at] != '\0' &&
                 strchr(chars, json->text[json->at]) != NULL;
    json->at += found;
    return found;
}

kith_json_string kith_json_number_read(kith_json_text *json)
{
    char c      = kith_json_peek(json);
    json->token = json->at;
    if (c != '-' && !is_digit(c)) {
        fail_here(json, "a number is missing");
    }
    skip_one_of(json, "-");
    if (!skip_one_of(json, "0")) {
        skip_digits(json);
    }
    if (skip_one_of(json, ".")) {
        skip_digits(json);
    }
    if (skip_one_of(json, "eE")) {
        skip_one_of(json, "+-");
        skip_digits(json);
    }
    if (json->fault != NULL) {
        return (kith_json_string){ "0", 1 };
    }
    return (kith_json_string){ json->text + json->token, json->at - json->token };
}

kith_json_integer kith_json_integer_read(kith_json_text *json)
{
    kith_json_string  number = kith_json_number_read(json);
    kith_json_integer value  = { 0, *number.text == '-' };
    for (size_t i = value.negative; i < number.size; i++) {
        uint64_t digit = (uint64_t)(number.text[i] - '0');
        if (!is_digit(number.text[i])) {
            kith_json_fail(json, "an integer has neither point nor exponent", json->token);
        } else if (value.size > (UINT64_MAX - digit) / 10) {
            kith_json_fail(json, "the number does not fit", json->token);
        } else {
            value.size = value.size * 10 + digit;
        }
    }
    return value;
}

// --- lists -----------------------------------------------------------------------------------

kith_json_list kith_json_open(kith_json_text *json, char open)
{
    take_char(json, open, open == '{' ? "an object is missing" : "an array is missing");
    return (kith_json_list){ open == '{' ? '}' : ']', false };
}

bool kith_json_next(kith_json_text *json, kith_json_list *list, kith_json_string *key)
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
    *key = kith_json_string_read(json);
    return json->fault == NULL && take_char(json, ':', "a colon is missing");
}

// --- skipping --------------------------------------------------------------------------------

// The open lists are in a small array, so no text can make the program's stack deep.
void kith_json_skip(kith_json_text *json)
{
    kith_json_list   lists[KITH_JSON_DEPTH];
    kith_json_string key;
    uint32_t         depth = 0;
    do {
        char c     = kith_json_peek(json);
        bool opens = c == '{' || c == '[';
        if (opens && depth == KITH_JSON_DEPTH) {
            kith_json_fail(json, "lists are nested too deep", json->at);
        } else if (opens) {
            lists[depth++] = kith_json_open(json, c);
        } else if (c == '"') {
            kith_json_string_read(json);
        } else if (c == 't' || c == 'f') {
            kith_json_bool_read(json);
        } else if (c == 'n') {
            kith_json_null_read(json);
        } else {
            kith_json_number_read(json);
        }
        while (depth != 0 && !kith_json_next(json, &lists[depth - 1], &key)) {
            depth--;
        }
    } while (depth != 0);
}
