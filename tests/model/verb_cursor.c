// SPDX-License-Identifier: MIT
// Typed cursors: what KITH_QUERY makes of them against the same model.
#include "verb_pair.h"

enum { PAIRS, CHOICES };

// The fields of a cursor as the columns of its terms.
static void spread_pairs(const pairs *c, void **columns)
{
    columns[0] = c->plain;
    columns[1] = (void *)(uintptr_t)c->wide;
    columns[2] = NULL;
}

static void spread_duos(const duos *c, void **columns)
{
    columns[0] = c->plain;
    columns[1] = (void *)(uintptr_t)c->wide;
}

static void spread_anchors(const anchors *c, void **columns)
{
    columns[0] = c->pinned;
}

static void spread_choices(const choices *c, void **columns)
{
    columns[0] = (void *)(uintptr_t)c->boxed;
    columns[1] = NULL;
    columns[2] = NULL;
    columns[3] = c->pinned;
    columns[4] = (void *)(uintptr_t)c->plain;
    columns[5] = (void *)(uintptr_t)c->bit;
    columns[6] = (void *)(uintptr_t)c->nail;
}

enum { COLUMNS_MOST = 7 };

static model_query query_of(const kith_query_desc *desc)
{
    model_query query = { .term_count = desc->term_count };
    for (uint32_t i = 0; i < desc->term_count; i++) {
        query.terms[i] = desc->terms[i];
    }
    return query;
}

static model_cursor *naive_cursor(stage *s, const argument *a, uint32_t place)
{
    return &s->typed_cursors[place][a->typed];
}

// The copy of a cursor that goes on is left behind and not used any more.
static void naive_see(stage *s, const argument *a, uint32_t place, verb_answer *answer)
{
    model_cursor *c     = naive_cursor(s, a, place);
    model_cursor *other = &s->typed_cursors[place][1 - a->typed];
    if (model_cursor_open(&s->model, c) && other->loop == c->loop) {
        *other = (model_cursor){ .loop = 0 };
    }
    verb_see_step_naively(s, a, c, answer);
}

// The functions of a typed query. A begin that gets no memory leaves the cursor as it was, because
// the model is not asked then.
#define TYPED_QUERY(NAME, PLACE)                                                                   \
    static uint64_t NAME##_put(stage *s, const argument *a, const NAME *made, uint32_t refused)    \
    {                                                                                              \
        if (!made->failed || s->memory.refused == refused) {                                       \
            s->NAME##_cursors[a->typed] = *made;                                                   \
        }                                                                                          \
        return !made->failed;                                                                      \
    }                                                                                              \
    static uint64_t NAME##_fresh(stage *s, const argument *a)                                      \
    {                                                                                              \
        uint32_t refused = s->memory.refused;                                                      \
        NAME     made    = NAME##_begin(s->world);                                                 \
        return NAME##_put(s, a, &made, refused);                                                   \
    }                                                                                              \
    static uint64_t NAME##_known(stage *s, const argument *a)                                      \
    {                                                                                              \
        uint32_t refused = s->memory.refused;                                                      \
        NAME     made    = NAME##_begin_stored(s->queries[a->stored]);                             \
        return NAME##_put(s, a, &made, refused);                                                   \
    }                                                                                              \
    static bool NAME##_step(stage *s, const argument *a, bool (*next)(NAME * cursor))              \
    {                                                                                              \
        NAME    *c      = &s->NAME##_cursors[a->typed];                                            \
        NAME    *other  = &s->NAME##_cursors[1 - a->typed];                                        \
        uint64_t serial = c->step_.serial_;                                                        \
        bool     more   = next(c);                                                                 \
        if (c->step_.serial_ != 0 && other->step_.serial_ == serial) {                             \
            *other = (NAME){ .entity = KITH_NULL };                                                \
        }                                                                                          \
        return more;                                                                               \
    }                                                                                              \
    static void see_##NAME(stage *s, const argument *a, verb_answer *answer)                       \
    {                                                                                              \
        void       *columns[COLUMNS_MOST];                                                         \
        const NAME *c     = &s->NAME##_cursors[a->typed];                                          \
        model_query query = query_of(NAME##_desc());                                               \
        verb_sight  sight = { .entity = c->entity, .count = c->count, .columns = columns };        \
        spread_##NAME(c, columns);                                                                 \
        for (uint32_t i = 0; i < c->count && i < MODEL_ROWS; i++) {                                \
            sight.members[i] = NAME##_entity(c, i);                                                \
        }                                                                                          \
        answer->given = c->count;                                                                  \
        verb_see_step(s, a, &query, &sight, answer);                                               \
    }                                                                                              \
    PAIR(NAME##_begin, NAME##_fresh(s, a),                                                         \
         (model_view_begin(&s->model, NAME##_desc(), naive_cursor(s, a, PLACE)),                   \
          !naive_cursor(s, a, PLACE)->failed))                                                     \
    PAIR(NAME##_begin_stored, NAME##_known(s, a),                                                  \
         (model_query_begin_as(&s->model, s->model_queries[a->stored], NAME##_desc(),              \
                               naive_cursor(s, a, PLACE)),                                         \
          !naive_cursor(s, a, PLACE)->failed))                                                     \
    PAIR(NAME##_query, (s->queries[a->stored] = NAME##_query(s->world)) != NULL,                   \
         (s->model_queries[a->stored] = model_query_of(&s->model, NAME##_desc())) != 0)            \
    PAIR(NAME##_first, NAME##_first(s->world), model_view_first(&s->model, NAME##_desc()))         \
    PAIR(NAME##_count, NAME##_count(s->world), model_view_count(&s->model, NAME##_desc()))         \
    PAIR(NAME##_end, (NAME##_end(&s->NAME##_cursors[a->typed]), 0),                                \
         (model_cursor_end(&s->model, naive_cursor(s, a, PLACE)), 0))                              \
    PAIR(NAME##_copy, (s->NAME##_cursors[a->typed] = s->NAME##_cursors[1 - a->typed]).count,       \
         (*naive_cursor(s, a, PLACE) = s->typed_cursors[PLACE][1 - a->typed]).count)               \
    PAIR(NAME##_entity, NAME##_entity(&s->NAME##_cursors[a->typed], a->count),                     \
         model_cursor_entity(&s->model, naive_cursor(s, a, PLACE), a->count))                      \
    static void real_##NAME##_next(stage *s, const argument *a, verb_answer *answer)               \
    {                                                                                              \
        answer->result = NAME##_step(s, a, NAME##_next);                                           \
        see_##NAME(s, a, answer);                                                                  \
    }                                                                                              \
    static void naive_##NAME##_next(stage *s, const argument *a, verb_answer *answer)              \
    {                                                                                              \
        answer->result = model_cursor_next(&s->model, naive_cursor(s, a, PLACE));                  \
        naive_see(s, a, PLACE, answer);                                                            \
    }                                                                                              \
    static void real_##NAME##_next_chunk(stage *s, const argument *a, verb_answer *answer)         \
    {                                                                                              \
        answer->result = NAME##_step(s, a, NAME##_next_chunk);                                     \
        see_##NAME(s, a, answer);                                                                  \
    }                                                                                              \
    static void naive_##NAME##_next_chunk(stage *s, const argument *a, verb_answer *answer)        \
    {                                                                                              \
        answer->result =                                                                           \
            model_cursor_next_chunk(&s->model, naive_cursor(s, a, PLACE), answer->given);          \
        naive_see(s, a, PLACE, answer);                                                            \
    }

// The values of one entity, without a loop.
static void see_get_naively(stage *s, const argument *a, const kith_query_desc *desc,
                            verb_answer *answer)
{
    model_cursor c = { .query = query_of(desc) };
    if (model_view_contains(&s->model, desc, a->entity)) {
        c.entity     = a->entity;
        c.count      = 1;
        c.members[0] = a->entity;
    }
    verb_see_step_naively(s, a, &c, answer);
    for (uint32_t i = 0; i < desc->term_count && c.count != 0; i++) {
        if (model_term_writes(&desc->terms[i]) &&
            model_query_column(&s->model, &c.query, i, a->entity) != 0) {
            model_component_mut(&s->model, a->entity, desc->terms[i].component, a->number);
        }
    }
    answer->result = c.entity;
}

#define TYPED_GET(NAME)                                                                            \
    static void real_##NAME##_get(stage *s, const argument *a, verb_answer *answer)                \
    {                                                                                              \
        void       *columns[COLUMNS_MOST];                                                         \
        NAME        c     = NAME##_get(s->world, a->entity);                                       \
        model_query query = query_of(NAME##_desc());                                               \
        verb_sight  sight = { .entity = c.entity, .count = c.count, .columns = columns };          \
        spread_##NAME(&c, columns);                                                                \
        sight.members[0] = c.entity;                                                               \
        verb_see_step(s, a, &query, &sight, answer);                                               \
        answer->result = c.entity;                                                                 \
    }                                                                                              \
    static void naive_##NAME##_get(stage *s, const argument *a, verb_answer *answer)               \
    {                                                                                              \
        see_get_naively(s, a, NAME##_desc(), answer);                                              \
    }

TYPED_GET(pairs)
TYPED_GET(choices)
TYPED_GET(duos)
TYPED_GET(anchors)

TYPED_QUERY(pairs, PAIRS)
TYPED_QUERY(choices, CHOICES)

enum { CLOSES = VERB_SPARES | VERB_ORDERLY };

#define TYPED_ROWS(NAME)                                                                           \
    OTHER_ROW(NAME##_begin, #NAME "_cursors[%u] = " #NAME "_begin(world)", 12, CHANGES),           \
        OTHER_ROW(NAME##_begin_stored, #NAME "_cursors[%u] = " #NAME "_begin_stored(queries[%K])", \
                  8, CHANGES | VERB_STORED),                                                       \
        OTHER_ROW(NAME##_query, "queries[%K] = " #NAME "_query(world)", 5, CHANGES | VERB_STORES), \
        OTHER_ROW(NAME##_first, #NAME "_first(world)", 1, ASKS),                                   \
        OTHER_ROW(NAME##_count, #NAME "_count(world)", 1, ASKS),                                   \
        OTHER_ROW(NAME##_copy, #NAME "_cursors[%u] = " #NAME "_cursors[%U]", 6, ASKS),             \
        OTHER_ROW(NAME##_entity, #NAME "_entity(&" #NAME "_cursors[%u], %n)", 2, ASKS),            \
        OTHER_ROW(NAME##_end, #NAME "_end(&" #NAME "_cursors[%u])", 4, CLOSES),                    \
        OTHER_ROW(NAME##_next, "overwrite(step_" #NAME "(" #NAME "_next, %u), %b, 1)", 36,         \
                  CLOSES),                                                                         \
        OTHER_ROW(NAME##_next_chunk, "overwrite(step_" #NAME "(" #NAME "_next_chunk, %u), %b, 1)", \
                  14, CLOSES)

#define GET_ROW(NAME, WRITTEN, WEIGHT)                                                             \
    OTHER_ROW(NAME##_get, "overwrite(" #NAME "_get(world, %e)." #WRITTEN ", %b, 1)", WEIGHT, ASKS)

const verb verb_cursors[] = {
    TYPED_ROWS(pairs),           TYPED_ROWS(choices),      GET_ROW(pairs, plain, 8),
    GET_ROW(choices, pinned, 8), GET_ROW(duos, plain, 24), GET_ROW(anchors, pinned, 12),
};

const uint32_t verb_cursor_count = sizeof verb_cursors / sizeof *verb_cursors;
