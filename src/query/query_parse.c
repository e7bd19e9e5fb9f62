// SPDX-License-Identifier: MIT
// Reads a query as text. Words and names become terms; a plan checks them as it checks those of a
// program. query.h has the grammar.
#include "query/query.h"

#include <inttypes.h>

#define SHOWN_BYTES 40u // the most bytes of the text in a message

// A name, a name in quotes, or one other byte. Empty at the end of the text.
typedef struct token {
    const char *text;
    size_t      length;
} token;

// One call.
typedef struct parsing {
    const kith_world *world;
    const char       *text;
    token             next; // the token that is read next
    kith_term        *terms;
    uint32_t          count;
    token             names[KITH_QUERY_TERMS_MAX]; // of the terms
    kith_error        error;
    char              place[SHOWN_BYTES + 40]; // error.other
} parsing;

// Records what is wrong with a token, and its column. Returns false.
static bool parse_wrong(parsing *p, token at, const char *mistake)
{
    uint64_t   column = (uint64_t)(at.text - p->text) + 1;
    bool       quoted = *at.text == '"' && at.length > 1;
    size_t     length = at.length - (quoted ? 2 : 0);
    uint32_t   shown  = length > SHOWN_BYTES ? SHOWN_BYTES : (uint32_t)length;
    kith_print out    = kith_print_start(p->place, sizeof p->place);
    while (shown < length && ((unsigned char)at.text[quoted + shown] & 0xc0) == 0x80 && shown > 0) {
        shown--; // a character of several bytes is shown whole
    }
    kith_print_format(&out, "\"%.*s%s\" at column %" PRIu64, (int)shown, at.text + quoted,
                      shown < length ? " ..." : "", column);
    p->error.code    = KITH_ERROR_ARGUMENT;
    p->error.subject = mistake;
    p->error.other   = p->place;
    return false;
}

// --- tokens ----------------------------------------------------------------------------------

static bool is_of_name(char c)
{
    return (unsigned char)c >= 128 || (c >= '0' && c <= ':') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '.';
}

// The length of a name in quotes, with its quotes; 1: the last quote is missing.
static size_t quoted_length(const char *text)
{
    for (size_t i = 1; text[i] != '\0'; i++) {
        if (text[i] == '"' && text[++i] != '"') {
            return i;
        }
    }
    return 1;
}

static void take_token(parsing *p)
{
    const char *at     = p->next.text + p->next.length;
    size_t      length = 0;
    at += strspn(at, " \t\r\n");
    while (is_of_name(at[length])) {
        length++;
    }
    if (length == 0 && *at != '\0') {
        length = *at == '"' ? quoted_length(at) : 1;
    }
    p->next = (token){ at, length };
}

static bool take_mark(parsing *p, char mark)
{
    bool found = *p->next.text == mark;
    if (found) {
        take_token(p);
    }
    return found;
}

// Whether the token is this name. In quotes, two quotes stand for one.
static bool token_is(token one, const char *name)
{
    bool        quoted = *one.text == '"';
    const char *at     = one.text + quoted;
    const char *end    = one.text + one.length - quoted;
    while (at < end && *at == *name) {
        at += quoted && *at == '"' ? 2 : 1;
        name++;
    }
    return at == end && *name == '\0';
}

// --- terms -----------------------------------------------------------------------------------

static const char no_word[] =
    "this is not a word of a query: with, read, write, optional, optional_write, any, without, "
    "disabled, lead, own, changed, added";

static bool parse_role(parsing *p, kith_role *role)
{
    token word = p->next;
    take_token(p);
    if (*word.text == '!' || *word.text == '?') {
        *role = *word.text == '!' ? KITH_ROLE_WITHOUT : KITH_ROLE_OPTIONAL;
        return true;
    }
    for (*role = KITH_ROLE_WITH; *role <= KITH_ROLE_ADDED; *role = (kith_role)(*role + 1)) {
        if (*word.text != '"' && token_is(word, kith_role_name(*role))) {
            return true;
        }
    }
    return parse_wrong(p, word,
                       is_of_name(*word.text) ? no_word
                                              : "a term is missing; it begins with a word, ! or ?");
}

static kith_component named_component(const kith_world *world, token name)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        if (token_is(name, world->storages[i]->desc.name)) {
            return world->storages[i]->desc.id;
        }
    }
    return 0;
}

// Reads a name and adds its term. `first` is the number of the first term with the same word.
static bool parse_name(parsing *p, kith_role role, uint32_t first)
{
    token          name      = p->next;
    kith_component component = named_component(p->world, name);
    if (*name.text == '"' && name.length == 1) {
        return parse_wrong(p, name, "the second quote of a name is missing");
    }
    if (*name.text != '"' && !is_of_name(*name.text)) {
        return parse_wrong(p, name, "the name of a component is missing");
    }
    if (component == 0) {
        return parse_wrong(p, name, "no component of this world has this name");
    }
    if (p->count == KITH_QUERY_TERMS_MAX) {
        return parse_wrong(p, name, "a query has at most 64 terms");
    }
    uint32_t number    = p->count++;
    p->names[number]   = name;
    p->terms[number]   = (kith_term){ component, role, 0 };
    kith_component any = p->terms[first].component; // as KITH_QUERY does: the same query is found
    p->terms[number].any_list = role == KITH_ROLE_ANY ? any : 0;
    take_token(p);
    return true;
}

static bool parse_term(parsing *p)
{
    kith_role role;
    if (!parse_role(p, &role)) {
        return false;
    }
    uint32_t first  = p->count;
    bool     inside = take_mark(p, '(');
    bool     good   = parse_name(p, role, first);
    while (good && inside && role == KITH_ROLE_ANY && take_mark(p, ',')) {
        good = parse_name(p, role, first);
    }
    return good &&
           (!inside || take_mark(p, ')') || parse_wrong(p, p->next, "a ) is missing before this"));
}

static bool parse_terms(parsing *p)
{
    take_token(p);
    if (p->next.length == 0) {
        return true;
    }
    do {
        if (!parse_term(p)) {
            return false;
        }
    } while (take_mark(p, ','));
    return p->next.length == 0 || parse_wrong(p, p->next, "a comma is missing before this");
}

// --- check -----------------------------------------------------------------------------------

static const char *const kind_mistakes[] = {
    [KITH_KIND_VALUE]     = NULL,
    [KITH_KIND_TAG]       = "a tag has no value to read or write: take `with`",
    [KITH_KIND_FLAG]      = "a flag has no value and no rows: take with, without, optional or any",
    [KITH_KIND_SINGLETON] = "a singleton belongs to the world, not to entities",
    [KITH_ACCESS_LINK]    = "a link can only be read: kith_link_set changes it",
    [KITH_ACCESS_LIST]    = "the holders of a target can only be read",
};

// Checks the terms. The mistake is in the last term of the shortest beginning that is wrong.
static bool check_parsed(parsing *p, const char *call)
{
    kith_plan       plan;
    kith_query_desc desc  = { .terms = p->terms, .term_count = p->count };
    kith_error      error = { .call = call };
    kith_error_code code  = kith_plan_make(&plan, p->world, &desc, &error);
    if (code == KITH_OK || code == KITH_ERROR_UNDECLARED) {
        p->error = error;
        return code == KITH_OK;
    }
    desc.term_count = 0;
    do {
        desc.term_count++;
        code = kith_plan_make(&plan, p->world, &desc, &error);
    } while (code == KITH_OK || code == KITH_ERROR_UNDECLARED);
    return parse_wrong(p, p->names[desc.term_count - 1],
                       code == KITH_ERROR_KIND ? kind_mistakes[error.have] : error.subject);
}

static bool parse_query(parsing *p, const kith_world *world, const char *text,
                        kith_query_desc *desc, kith_term *terms, const char *call)
{
    p->world      = world;
    p->text       = text == NULL ? "" : text;
    p->next       = (token){ p->text, 0 };
    p->terms      = terms;
    p->count      = 0;
    p->error      = (kith_error){ .call = call };
    bool readable = parse_terms(p) && check_parsed(p, call);
    if (readable) {
        *desc = (kith_query_desc){ p->text, terms, p->count, 0 };
    }
    return readable;
}

bool kith_query_desc_parse(const kith_world *world, const char *text, kith_query_desc *desc,
                           kith_term *terms)
{
    parsing p;
    return parse_query(&p, world, text, desc, terms, __func__) ||
           kith_world_report_error(world, &p.error);
}

bool kith_query_parse(kith_world *world, const char *text, kith_query **query)
{
    parsing         p;
    kith_query_desc desc;
    kith_term       terms[KITH_QUERY_TERMS_MAX];
    *query = NULL;
    if (!parse_query(&p, world, text, &desc, terms, __func__)) {
        return kith_world_fail(world, &p.error);
    }
    *query = kith_query_provide(world, &desc, __func__);
    return *query != NULL;
}
