// SPDX-License-Identifier: MIT
// How verbs are written: the two functions of a call at once, so that the model cannot be asked
// anything else than the world.
#ifndef KITH_TESTS_VERB_PAIR_H
#define KITH_TESTS_VERB_PAIR_H

#include "verb.h"

#define PAIR(NAME, REAL, NAIVE)                                                                    \
    static void real_##NAME(stage *s, const argument *a, verb_answer *answer)                      \
    {                                                                                              \
        (void)s, (void)a;                                                                          \
        answer->result = REAL;                                                                     \
    }                                                                                              \
    static void naive_##NAME(stage *s, const argument *a, verb_answer *answer)                     \
    {                                                                                              \
        (void)s, (void)a;                                                                          \
        answer->result = NAIVE;                                                                    \
    }

// With the world alone, with more, without the world, with an address as result.
#define ALONE(NAME) PAIR(NAME, kith_##NAME(s->world), model_##NAME(&s->model))
#define CALL(NAME, ...)                                                                            \
    PAIR(NAME, kith_##NAME(s->world, __VA_ARGS__), model_##NAME(&s->model, __VA_ARGS__))
#define PURE(NAME, ...) PAIR(NAME, kith_##NAME(__VA_ARGS__), model_##NAME(__VA_ARGS__))
#define ADDRESS(NAME, ...)                                                                         \
    PAIR(NAME, stage_see(s, a->component, kith_##NAME(s->world, __VA_ARGS__)),                     \
         model_##NAME(&s->model, __VA_ARGS__))

// A row of the table of verbs.
#define ROW(NAME, ARGUMENTS, WEIGHT, TRAITS)                                                       \
    {                                                                                              \
        "kith_" #NAME "(" ARGUMENTS ")", real_##NAME, naive_##NAME, WEIGHT, TRAITS                 \
    }
#define OTHER_ROW(NAME, CALL, WEIGHT, TRAITS)                                                      \
    {                                                                                              \
        CALL, real_##NAME, naive_##NAME, WEIGHT, TRAITS                                            \
    }

enum {
    MAKES     = VERB_MAKES | VERB_BUSY,
    TAKES     = VERB_SPARES | VERB_BUSY,
    TAKES_ALL = TAKES | VERB_ORDERLY,
    GIVES     = VERB_BUSY | VERB_FORGETS,
    ASKS      = VERB_SPARES,
    CHANGES   = VERB_BUSY
};

#endif
