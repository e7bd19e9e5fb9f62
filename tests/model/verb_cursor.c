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

static void naive_next(stage *s, const argument *a, model_cursor *c, verb_answer *answer)
{
    answer->result  = model_cursor_next(&s->model, c);
    answer->list[0] = c->entity;
    answer->length  = 1;
    if (answer->result != 0) {
        answer->list[1] = verb_see_columns_naively(s, &c->query, c->entity);
        answer->length  = 2;
        model_cursor_write(&s->model, c, a->number);
    }
}

static void naive_next_chunk(stage *s, const argument *a, model_cursor *c, verb_answer *answer)
{
    answer->result  = model_cursor_next_chunk(&s->model, c, answer->given);
    answer->list[0] = c->entity;
    answer->list[1] = c->count;
    answer->list[2] = 0;
    answer->length  = 3;
    for (uint32_t i = 0; answer->result != 0 && i < c->count; i++) {
        uint64_t seen   = verb_see_columns_naively(s, &c->query, c->members[i]);
        answer->list[2] = verb_mix(answer->list[2], seen);
    }
    if (answer->result != 0) {
        model_cursor_write(&s->model, c, a->number);
    }
}

// The functions of a typed query. A begin that gets no memory leaves the cursor as it was, because
// the model is not asked then.
#define TYPED_QUERY(NAME, PLACE)                                                                   \
    static uint64_t NAME##_put(stage *s, const NAME *made, uint32_t refused)                       \
    {                                                                                              \
        if (s->memory.refused == refused) {                                                        \
            s->NAME##_cursor = *made;                                                              \
        }                                                                                          \
        return !made->failed;                                                                      \
    }                                                                                              \
    static uint64_t NAME##_fresh(stage *s)                                                         \
    {                                                                                              \
        uint32_t refused = s->memory.refused;                                                      \
        NAME     made    = NAME##_begin(s->world);                                                 \
        return NAME##_put(s, &made, refused);                                                      \
    }                                                                                              \
    static uint64_t NAME##_known(stage *s, kith_query *query)                                      \
    {                                                                                              \
        uint32_t refused = s->memory.refused;                                                      \
        NAME     made    = NAME##_begin_stored(query);                                             \
        return NAME##_put(s, &made, refused);                                                      \
    }                                                                                              \
    PAIR(NAME##_begin, NAME##_fresh(s),                                                            \
         (model_view_begin(&s->model, NAME##_desc(), &s->typed_cursors[PLACE]),                    \
          !s->typed_cursors[PLACE].failed))                                                        \
    PAIR(NAME##_begin_stored, NAME##_known(s, s->queries[a->stored]),                              \
         (model_query_begin_as(&s->model, s->model_queries[a->stored], NAME##_desc(),              \
                               &s->typed_cursors[PLACE]),                                          \
          !s->typed_cursors[PLACE].failed))                                                        \
    PAIR(NAME##_query, (s->queries[a->stored] = NAME##_query(s->world)) != NULL,                   \
         (s->model_queries[a->stored] = model_query_create(&s->model, NAME##_desc())) != 0)        \
    PAIR(NAME##_first, NAME##_first(s->world), model_view_first(&s->model, NAME##_desc()))         \
    PAIR(NAME##_count, NAME##_count(s->world), model_view_count(&s->model, NAME##_desc()))         \
    PAIR(NAME##_end, (NAME##_end(&s->NAME##_cursor), 0),                                           \
         (model_cursor_end(&s->model, &s->typed_cursors[PLACE]), 0))                               \
    PAIR(NAME##_entity, NAME##_entity(&s->NAME##_cursor, a->count),                                \
         model_cursor_entity(&s->model, &s->typed_cursors[PLACE], a->count))                       \
    static void real_##NAME##_next(stage *s, const argument *a, verb_answer *answer)               \
    {                                                                                              \
        void       *columns[COLUMNS_MOST];                                                         \
        model_query query = query_of(NAME##_desc());                                               \
        answer->result    = NAME##_next(&s->NAME##_cursor);                                        \
        answer->list[0]   = s->NAME##_cursor.entity;                                               \
        answer->length    = 1;                                                                     \
        if (answer->result != 0) {                                                                 \
            spread_##NAME(&s->NAME##_cursor, columns);                                             \
            answer->list[1] = verb_see_columns(s, &query, columns, 0, answer->list[0]);            \
            answer->length  = 2;                                                                   \
            verb_write_columns(s, &query, columns, a->number);                                     \
        }                                                                                          \
    }                                                                                              \
    static void naive_##NAME##_next(stage *s, const argument *a, verb_answer *answer)              \
    {                                                                                              \
        naive_next(s, a, &s->typed_cursors[PLACE], answer);                                        \
    }                                                                                              \
    static void real_##NAME##_next_chunk(stage *s, const argument *a, verb_answer *answer)         \
    {                                                                                              \
        void       *columns[COLUMNS_MOST];                                                         \
        model_query query = query_of(NAME##_desc());                                               \
        NAME       *c     = &s->NAME##_cursor;                                                     \
        answer->result    = NAME##_next_chunk(c);                                                  \
        answer->given     = c->count;                                                              \
        answer->list[0]   = c->entity;                                                             \
        answer->list[1]   = c->count;                                                              \
        answer->list[2]   = 0;                                                                     \
        answer->length    = 3;                                                                     \
        spread_##NAME(c, columns);                                                                 \
        for (uint32_t i = 0; i < c->count; i++) {                                                  \
            kith_entity entity = NAME##_entity(c, i);                                              \
            uint64_t    seen   = verb_see_columns(s, &query, columns, i, entity);                  \
            answer->list[2]    = verb_mix(answer->list[2], seen);                                  \
        }                                                                                          \
        if (answer->result != 0) {                                                                 \
            verb_write_columns(s, &query, columns, a->number);                                     \
        }                                                                                          \
    }                                                                                              \
    static void naive_##NAME##_next_chunk(stage *s, const argument *a, verb_answer *answer)        \
    {                                                                                              \
        naive_next_chunk(s, a, &s->typed_cursors[PLACE], answer);                                  \
    }

TYPED_QUERY(pairs, PAIRS)
TYPED_QUERY(choices, CHOICES)

enum { CLOSES = VERB_SPARES | VERB_ORDERLY };

#define TYPED_ROWS(NAME, WRITTEN)                                                                  \
    OTHER_ROW(NAME##_begin, #NAME "_cursor = " #NAME "_begin(world)", 12, CHANGES),                \
        OTHER_ROW(NAME##_begin_stored, #NAME "_cursor = " #NAME "_begin_stored(queries[%K])", 8,   \
                  CHANGES | VERB_STORED),                                                          \
        OTHER_ROW(NAME##_query, "queries[%K] = " #NAME "_query(world)", 5, CHANGES | VERB_STORES), \
        OTHER_ROW(NAME##_first, #NAME "_first(world)", 1, ASKS),                                   \
        OTHER_ROW(NAME##_count, #NAME "_count(world)", 1, ASKS),                                   \
        OTHER_ROW(NAME##_entity, #NAME "_entity(&" #NAME "_cursor, %n)", 2, ASKS),                 \
        OTHER_ROW(NAME##_end, #NAME "_end(&" #NAME "_cursor)", 4, CLOSES),                         \
        OTHER_ROW(NAME##_next,                                                                     \
                  "overwrite(" #NAME "_next(&" #NAME "_cursor) ? " #NAME "_cursor." WRITTEN        \
                  " : NULL, %b, 1)",                                                               \
                  36, CLOSES),                                                                     \
        OTHER_ROW(NAME##_next_chunk,                                                               \
                  "overwrite(" #NAME "_next_chunk(&" #NAME "_cursor) ? " #NAME "_cursor." WRITTEN  \
                  " : NULL, %b, 1)",                                                               \
                  14, CLOSES)

const verb verb_cursors[] = {
    TYPED_ROWS(pairs, "plain"),
    TYPED_ROWS(choices, "pinned"),
};

const uint32_t verb_cursor_count = sizeof verb_cursors / sizeof *verb_cursors;
