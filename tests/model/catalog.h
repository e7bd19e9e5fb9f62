// SPDX-License-Identifier: MIT
// The components that the random driver uses: one of each kind, policy and page size, with hooks
// and requirements, and enough fillers to need a second signature word.
//
// A value is recognised by its number, the first byte; the bytes after it follow from the number.
// Values with hooks end in a token: the hooks know which address holds which token, so that a value
// moved behind their back, destructed twice or never is noticed.
#ifndef KITH_TESTS_CATALOG_H
#define KITH_TESTS_CATALOG_H

#include "kith/kith.h"
#include "kith/name.h"
#include "model.h"

enum { PLAIN = 1, WIDE, BOXED, PINNED, ANCHORED, MARK, NAIL, BIT, NEEDY, CHAINED };
enum { GLOBAL = 11, OWNED, EAGER_BIT, FAR_BIT, LOOSE, PASSING, FILLER = 100 };
enum { SCENE = 20, CREW };           // hierarchies, not of the catalog
enum { TIED = 30, BELONGS, BARRED }; // links: clear, destroy, refuse
enum { LABEL = 40, BADGE };          // names; the second are unique

enum {
    CATALOG_BASE    = 18, // the first entries, registered in every world
    CATALOG_FILLERS = 60, // the last of them has the highest id, which run-time ids then pass over
    CATALOG_SIZE    = CATALOG_BASE + CATALOG_FILLERS,
    CATALOG_LONGEST = 128, // bytes of the longest value
    CATALOG_PATTERN = 4,   // bytes before a token: all that is saved of a value that has one
    CATALOG_WRITTEN = 5,   // of a value that a function writes, number % this bytes are saved
    HOOK_TOKENS     = 8192
};

typedef struct word_pair {
    uint32_t words[2];
} word_pair;

typedef struct word_triple {
    uint32_t words[3];
} word_triple;

typedef struct wide_words {
    uint32_t words[32];
} wide_words;

static const kith_traits wide_traits = { .page_rows = 16, .alignment = 64, .row_ticks = true };
// and hooks, of no concern to callers
static const kith_traits boxed_traits  = { .page_rows = 4, .row_ticks = true, .journal = 5 };
static const kith_traits pinned_traits = { .policy    = KITH_POLICY_STABLE,
                                           .page_rows = 2,
                                           .journal   = 1 };

KITH_COMPONENT(plain, word_pair, PLAIN);
KITH_COMPONENT_WITH(wide, wide_words, WIDE, wide_traits);
KITH_COMPONENT_WITH(boxed, word_pair, BOXED, boxed_traits);
KITH_COMPONENT_WITH(pinned, word_triple, PINNED, pinned_traits);
KITH_TAG(mark, MARK);
KITH_TAG(nail, NAIL);
KITH_TAG(chained, CHAINED);
KITH_FLAG(bit, BIT);
KITH_FLAG(eager_bit, EAGER_BIT);
KITH_FLAG(far_bit, FAR_BIT);
KITH_SINGLETON(global, word_pair, GLOBAL);

// Queries with every word.
KITH_QUERY(pairs, write(plain), read(wide), without(mark));
KITH_QUERY(choices, read(boxed), lead(boxed), disabled(boxed), optional_write(pinned),
           any(plain, bit), optional(nail));

// Queries whose get of one entity is inline: components without traits, and one with traits.
KITH_QUERY(duos, write(plain), read(wide));
KITH_QUERY(anchors, write(pinned));

struct hook_book;

typedef struct hook_context {
    struct hook_book *book;
} hook_context;

/// What the hooks do and what they have seen. Of the two contexts a component uses the one that it
/// was registered with last.
typedef struct hook_book {
    hook_context contexts[2];
    const void  *addresses[HOOK_TOKENS]; // by token; NULL: not in use
    uint32_t     live;
    uint32_t     last_token;
    uint32_t     calls;            // of construct, copy and change since hook_step_begin
    uint32_t     fail_at;          // the one that answers false; 0: none
    void (*meddle)(void *meddler); // called by the first one; NULL: not
    void       *meddler;
    model_life  life[MODEL_LIFE]; // since hook_step_begin
    uint32_t    life_count;
    uint32_t    muted; // calls are not logged while it is not 0
    const char *fault; // the first thing that went wrong, NULL: nothing
} hook_book;

/// The description of a catalog entry with its hooks bound to one of the book's two contexts; some
/// entries have hooks in one and none in the other. `name` is where the names of fillers are
/// written, MODEL_NAME bytes.
kith_component_desc catalog_desc(hook_book *book, uint32_t entry, uint32_t context, char *name);

void hook_book_begin(hook_book *book);
void hook_step_begin(hook_book *book, uint32_t fail_at, void (*meddle)(void *meddler),
                     void *meddler);

/// Counts as a call of a hook, which may meddle.
void hook_run(hook_book *book);

/// Writes the value with that number. Leaves the token, if the component has one, alone.
void value_write(const kith_component_desc *desc, void *value, uint8_t number);

/// The tick at which the value with that number expires, if it is a lifetime of that size and has
/// no token.
uint64_t value_expires(uint8_t number, uint32_t size);

/// Whether the component is names, and the text with a number: there are NAME_TEXTS, of which 0 is
/// empty. The number of a text that is none of them is NAME_TEXTS.
enum { NAME_TEXTS = 16 };
bool        catalog_is_name(kith_component component);
const char *name_text(uint32_t number);
uint8_t     name_number(const kith_text *value);

/// What is wrong with a value in the world that is to have this number, NULL: nothing.
const char *value_fault(const hook_book *book, const kith_component_desc *desc, const void *value,
                        uint8_t number);

#endif
