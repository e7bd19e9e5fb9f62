// SPDX-License-Identifier: MIT
// Registers the components that the model and the world share, with hooks that log their calls.
#include "catalog.h"

#include <stdio.h>
#include <string.h>

typedef struct tracked {
    uint8_t  pattern[CATALOG_PATTERN];
    uint32_t token;
} tracked;

KITH_FIELDS(tracked, u8(pattern), skip(token));

// ---------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------

static bool is_tracked(const kith_component_desc *desc)
{
    return desc->traits.hooks.destruct != NULL;
}

// Number 0 is all zeros, as a default value is.
static uint8_t pattern_byte(uint8_t number, uint32_t place)
{
    return (uint8_t)(number * (2 * place + 1));
}

static uint32_t pattern_size(const kith_component_desc *desc)
{
    return is_tracked(desc) ? (uint32_t)CATALOG_PATTERN : desc->size;
}

static void write_pattern(uint8_t *bytes, uint32_t size, uint8_t number)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = pattern_byte(number, i);
    }
}

void value_write(const kith_component_desc *desc, void *value, uint8_t number)
{
    write_pattern(value, pattern_size(desc), number);
}

uint64_t value_expires(uint8_t number, uint32_t size)
{
    uint8_t       bytes[CATALOG_LONGEST];
    kith_lifetime life;
    write_pattern(bytes, size, number);
    memcpy(&life, bytes, sizeof life);
    return life.expires;
}

static bool token_is_at(const hook_book *book, const tracked *value)
{
    return value->token < HOOK_TOKENS && book->addresses[value->token] == (const void *)value;
}

const char *value_fault(const hook_book *book, const kith_component_desc *desc, const void *value,
                        uint8_t number)
{
    const uint8_t *bytes = value;
    for (uint32_t i = 0; i < pattern_size(desc); i++) {
        if (bytes[i] != pattern_byte(number, i)) {
            return "the bytes are not those of the value";
        }
    }
    if (desc->size != 0 && (uintptr_t)value % desc->alignment != 0) {
        return "the address is not aligned";
    }
    return is_tracked(desc) && !token_is_at(book, value) ? "the value was moved without its hook"
                                                         : NULL;
}

// ---------------------------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------------------------

#define TEN "0123456789"

// Of each length at which something changes: words of 8 and 16 bytes, and the 64 in the row.
static const char *const texts[NAME_TEXTS] = {
    "",
    "a",
    "b",
    "ship",
    "shop",
    "turret/2",
    "turret/3",
    "barrel of a gun",
    "barrel of a gun.",
    "barrel of a gun..",
    "\xc3\xa9t\xc3\xa9",
    TEN TEN TEN TEN TEN                 TEN "012",
    TEN TEN TEN TEN TEN                 TEN "013",
    TEN TEN TEN TEN TEN                 TEN "0123",
    TEN TEN TEN TEN TEN                 TEN "0124",
    TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN,
};

bool catalog_is_name(kith_component component)
{
    return component == LABEL || component == BADGE;
}

const char *name_text(uint32_t number)
{
    return texts[number % NAME_TEXTS];
}

uint8_t name_number(const kith_text *value)
{
    uint8_t number = 0;
    while (number < NAME_TEXTS && (value->size != strlen(texts[number]) ||
                                   strcmp(kith_text_bytes(value), texts[number]) != 0)) {
        number++;
    }
    return number;
}

// ---------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------

void hook_book_begin(hook_book *book)
{
    memset(book, 0, sizeof *book);
    book->contexts[0].book = book;
    book->contexts[1].book = book;
}

void hook_step_begin(hook_book *book, uint32_t fail_at, void (*meddle)(void *meddler),
                     void *meddler)
{
    book->calls      = 0;
    book->life_count = 0;
    book->fail_at    = fail_at;
    book->meddle     = meddle;
    book->meddler    = meddler;
}

static void complain(hook_book *book, const char *fault)
{
    if (book->fault == NULL) {
        book->fault = fault;
    }
}

void hook_run(hook_book *book)
{
    book->calls++;
    if (book->calls == 1 && book->meddle != NULL) {
        book->meddle(book->meddler);
    }
}

static hook_book *log_life(void *context, char event, uint8_t number)
{
    hook_book *book = ((hook_context *)context)->book;
    if (book->life_count < MODEL_LIFE && book->muted == 0) {
        book->life[book->life_count++] = (model_life){ event, number, context };
    }
    return book;
}

static void take_token(hook_book *book, tracked *value)
{
    do {
        book->last_token = (book->last_token + 1) % HOOK_TOKENS;
    } while (book->last_token == 0 || book->addresses[book->last_token] != NULL);
    value->token                      = book->last_token;
    book->addresses[book->last_token] = value;
    book->live++;
}

// Fills `value`, unless it is this call's turn to fail.
static bool make(void *context, char event, tracked *value, uint8_t number)
{
    hook_book *book = log_life(context, event, number);
    hook_run(book);
    if (book->calls == book->fail_at) {
        return false;
    }
    write_pattern(value->pattern, CATALOG_PATTERN, number);
    take_token(book, value);
    return true;
}

static bool construct_tracked(void *value, void *context)
{
    return make(context, 'c', value, MODEL_CONSTRUCTED);
}

static bool copy_tracked(void *value, const void *source, void *context)
{
    return make(context, 'y', value, *(const uint8_t *)source);
}

static void destruct_tracked(void *value, void *context)
{
    tracked   *old  = value;
    hook_book *book = log_life(context, 'd', old->pattern[0]);
    if (!token_is_at(book, old)) {
        complain(book, "destruct of something that is no value");
        return;
    }
    book->addresses[old->token] = NULL;
    book->live--;
    memset(old, 0xdd, sizeof *old);
}

static void move_tracked(void *value, void *source, void *context)
{
    tracked   *old  = source;
    hook_book *book = ((hook_context *)context)->book;
    if (!token_is_at(book, old)) {
        complain(book, "move of something that is no value");
        return;
    }
    memcpy(value, old, sizeof *old);
    book->addresses[old->token] = value;
    memset(old, 0xee, sizeof *old);
}

// For components without the other hooks, of 4 and of 8 bytes.
static bool construct_only(void *value, uint32_t size, void *context)
{
    hook_book *book = log_life(context, 'c', MODEL_CONSTRUCTED);
    hook_run(book);
    write_pattern(value, size, MODEL_CONSTRUCTED);
    return book->calls != book->fail_at;
}

static bool construct_4(void *value, void *context)
{
    return construct_only(value, 4, context);
}

static bool construct_8(void *value, void *context)
{
    return construct_only(value, 8, context);
}

// ---------------------------------------------------------------------------------------------
// Entries
// ---------------------------------------------------------------------------------------------

/// No hooks; all of them, in one of the two contexts; only construct, in one of the two contexts
/// and not in the other.
typedef enum hook_set { UNHOOKED, TRACKED, MADE, REMADE } hook_set;

typedef struct entry {
    const char    *name;
    kith_component id;
    kith_kind      kind;
    uint32_t       size;
    uint32_t       alignment;
    kith_policy    policy;
    uint32_t       page_rows;
    uint32_t       page_alignment;
    hook_set       hooks;
    kith_component required[MODEL_REQUIRED];
} entry;

// So that an entry fits into a line.
#define VALUE     KITH_KIND_VALUE
#define TAG       KITH_KIND_TAG
#define FLAG      KITH_KIND_FLAG
#define SINGLETON KITH_KIND_SINGLETON
#define SWAP      KITH_POLICY_SWAP
#define STABLE    KITH_POLICY_STABLE
#define KEPT      ((kith_policy)(KITH_POLICY_STABLE + 1)) // swap, and the order is to be kept

// clang-format off
static const entry base[CATALOG_BASE] = {
    { "plain",     PLAIN,     VALUE,      8, 4, SWAP,    0,  0, REMADE,   { 0 } },
    { "wide",      WIDE,      VALUE,    128, 4, SWAP,   16, 64, UNHOOKED, { 0 } },
    { "boxed",     BOXED,     VALUE,      8, 4, SWAP,    4,  0, TRACKED,  { 0 } },
    { "pinned",    PINNED,    VALUE,     12, 4, STABLE,  2,  0, UNHOOKED, { 0 } },
    { "anchored",  ANCHORED,  VALUE,      8, 4, STABLE,  1,  8, TRACKED,  { 0 } },
    { "mark",      MARK,      TAG,        0, 1, SWAP,    0,  0, UNHOOKED, { 0 } },
    { "nail",      NAIL,      TAG,        0, 1, STABLE,  8,  0, UNHOOKED, { 0 } },
    { "bit",       BIT,       FLAG,       0, 1, SWAP,    0,  0, UNHOOKED, { 0 } },
    { "needy",     NEEDY,     VALUE,      4, 1, SWAP,    1,  0, MADE,     { PLAIN, MARK, BIT } },
    { "chained",   CHAINED,   TAG,        0, 0, SWAP,   16,  0, UNHOOKED, { NEEDY, BOXED, MARK } },
    { "global",    GLOBAL,    SINGLETON,  8, 4, SWAP,    0,  0, UNHOOKED, { 0 } },
    { "owned",     OWNED,     SINGLETON,  8, 4, SWAP,    0,  0, TRACKED,  { 0 } },
    { "eager_bit", EAGER_BIT, FLAG,       0, 0, SWAP,    0,  0, UNHOOKED, { ANCHORED } },
    { "late_one",  0,         VALUE,      4, 4, KEPT,    2,  0, UNHOOKED, { 0 } },
    { "late_two",  0,         TAG,        0, 0, STABLE,  2,  0, UNHOOKED, { 0 } },
    { "far_bit",   FAR_BIT,   FLAG,       0, 1, SWAP,    0,  0, UNHOOKED, { 0 } },
    { "loose",     LOOSE,     VALUE,      8, 4, SWAP,    2,  0, TRACKED,  { 0 } },
    { "passing",   PASSING,   SINGLETON,  8, 4, SWAP,    0,  0, TRACKED,  { 0 } },
};

static const entry fillers[] = {
    { NULL, 0, VALUE,  1, 1, SWAP,   8, 0, UNHOOKED, { 0 } },
    { NULL, 0, TAG,    0, 1, KEPT,   8, 0, UNHOOKED, { 0 } },
    { NULL, 0, FLAG,   0, 1, SWAP,   0, 0, UNHOOKED, { 0 } },
    { NULL, 0, VALUE,  4, 2, STABLE, 8, 0, UNHOOKED, { 0 } },
    { NULL, 0, VALUE, 12, 4, SWAP,   8, 0, UNHOOKED, { 0 } },
    { NULL, 0, VALUE, 16, 8, SWAP,   8, 0, UNHOOKED, { 0 } },
};
// clang-format on

static kith_hooks only_construct(bool (*construct)(void *value, void *context), void *context)
{
    return (kith_hooks){ .construct = construct, .context = context };
}

static kith_hooks hooks_of(hook_set set, hook_book *book, uint32_t context)
{
    static const kith_hooks none  = { .context = NULL };
    void                   *bound = &book->contexts[context];
    switch (set) {
    case TRACKED:
        return (kith_hooks){ construct_tracked, copy_tracked, destruct_tracked, move_tracked,
                             bound };
    case MADE:
        return context == 0 ? only_construct(construct_4, bound) : none;
    case REMADE:
        return context == 0 ? none : only_construct(construct_8, bound);
    default:
        return none;
    }
}

static uint32_t count_required(const entry *e)
{
    uint32_t count = 0;
    while (count < MODEL_REQUIRED && e->required[count] != 0) {
        count++;
    }
    return count;
}

static bool has_row_ticks(const entry *e)
{
    return e->id == WIDE || e->id == BOXED || e->id == ANCHORED || e->id == NAIL ||
           (e->id == 0 && e->kind == VALUE && e->policy == KEPT);
}

// Typed code knows nothing of a tag's traits: those that have some are added without it.
static uint32_t journal_of(const entry *e)
{
    return e->id == BOXED ? 5 : e->id == PINNED ? 1 : e->id == NAIL || e->id == NEEDY ? 8 : 0;
}

static size_t write_number(const void *value, void *bytes, size_t room, void *context)
{
    uint8_t number = *(const uint8_t *)value;
    size_t  size   = number % CATALOG_WRITTEN;
    (void)context;
    if (size <= room) {
        memset(bytes, number, size);
    }
    return size;
}

static bool read_number(void *value, const void *bytes, size_t size, void *context)
{
    (void)context;
    write_pattern(value, 4, size == 0 ? 0 : *(const uint8_t *)bytes);
    return true;
}

static const kith_saver number_saver = { write_number, read_number, NULL };

// Every form: by fields where there is a token, by functions, transient, otherwise plain.
static kith_saved saved_of(const entry *e)
{
    static const kith_saved fields    = KITH_AS(fields(tracked));
    static const kith_saved functions = KITH_AS(through(&number_saver));
    bool transient = (e->id == 0 && e->policy == KEPT) || e->id == LOOSE || e->id == PASSING;
    if (e->size == 0 || (e->hooks == TRACKED && !transient)) {
        return e->size == 0 ? (kith_saved){ .unit = 0 } : fields;
    }
    if (e->id == NEEDY) {
        return functions;
    }
    return (kith_saved){ .form = transient ? KITH_FORM_TRANSIENT : KITH_FORM_PLAIN,
                         .unit = transient ? 1 : e->alignment };
}

static kith_component_desc desc_of(const entry *e, hook_book *book, uint32_t context)
{
    return (kith_component_desc){
        .name      = e->name,
        .id        = e->id,
        .kind      = e->kind,
        .size      = e->size,
        .alignment = e->alignment,
        .traits    = { .policy         = e->policy == KEPT ? SWAP : e->policy,
                       .page_rows      = e->page_rows,
                       .alignment      = e->page_alignment,
                       .hooks          = hooks_of(e->hooks, book, context),
                       .required       = e->required,
                       .required_count = count_required(e),
                       .keep_order     = e->policy == KEPT,
                       .row_ticks      = has_row_ticks(e),
                       .journal        = journal_of(e),
                       .not_cloned     = e->id == PINNED || e->id == FAR_BIT,
                       .saved          = saved_of(e) },
    };
}

kith_component_desc catalog_desc(hook_book *book, uint32_t entry_index, uint32_t context,
                                 char *name)
{
    if (entry_index < CATALOG_BASE) {
        return desc_of(&base[entry_index], book, context);
    }
    uint32_t            place = entry_index - CATALOG_BASE;
    kith_component_desc desc =
        desc_of(&fillers[place % (sizeof fillers / sizeof *fillers)], book, context);
    snprintf(name, MODEL_NAME, "filler_%u", (unsigned)place);
    desc.name = name;
    desc.id   = place + 1 == CATALOG_FILLERS ? KITH_COMPONENT_MAX : FILLER + place;
    return desc;
}
