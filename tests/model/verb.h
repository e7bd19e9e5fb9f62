// SPDX-License-Identifier: MIT
// Every public call, once for the world and once for the model, with the same arguments.
#ifndef KITH_TESTS_VERB_H
#define KITH_TESTS_VERB_H

#include "argument.h"

enum { VERB_LIST = 16 };

/// What a call answered: its result as a number (addresses as stage_see gives them) and what it
/// wrote into arrays.
typedef struct verb_answer {
    uint64_t result;
    uint64_t list[VERB_LIST];
    uint32_t length;
} verb_answer;

typedef enum verb_trait {
    VERB_MAKES       = 1,  // makes entities
    VERB_SPARES      = 2,  // never allocates
    VERB_ORDERLY     = 4,  // destructs in a documented order
    VERB_BUSY        = 8,  // refused from inside a hook
    VERB_FORGETS     = 16, // gives pages back
    VERB_OTHER_WORLD = 32, // its errors are not recorded in the stage's world
    VERB_SMOOTH      = 64  // several calls: nothing goes wrong in the middle
} verb_trait;

typedef struct verb {
    const char *call; // as C, with % and a letter for each argument
    void (*real)(stage *s, const argument *a, verb_answer *answer);
    void (*naive)(stage *s, const argument *a, verb_answer *answer);
    uint32_t weight; // how often it is drawn
    uint32_t traits;
} verb;

/// The verb that a number stands for, heavier ones for more numbers.
const verb *verb_drawn(uint32_t number);

/// The n-th of the verbs that hooks are refused, round and round.
const verb *verb_refused(uint32_t ordinal);

/// The lowest number that stands for the verb with this call, which must be in the table.
uint32_t verb_number(const char *call);

/// How many verbs there are, and each.
uint32_t    verb_count(void);
const verb *verb_at(uint32_t place);

#endif
