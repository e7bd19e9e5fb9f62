// SPDX-License-Identifier: MIT
// Verbs of arranging and of paths.
#include "verb_pair.h"

CALL(world_arrange, a->route, a->route_count, a->number)

static kith_path_desc path_desc(const argument *a)
{
    return (kith_path_desc){ "a path", a->route, a->route_count };
}

// Paths, like groups, are identified by the first place that has the same one.
static void real_path_of(stage *s, const argument *a, verb_answer *answer)
{
    kith_path_desc desc = path_desc(a);
    kith_path     *made = kith_path_of(s->world, &desc);
    if (made != NULL) {
        s->paths[a->path] = made;
        while (s->paths[answer->result++] != made) {
        }
    }
}

static void naive_path_of(stage *s, const argument *a, verb_answer *answer)
{
    kith_path_desc desc = path_desc(a);
    uint32_t       made = model_path_of(&s->model, &desc);
    if (made != 0) {
        s->model_paths[a->path] = made;
        while (s->model_paths[answer->result++] != made) {
        }
    }
}

// Arranging a dropped path does nothing.
static void real_path_drop(stage *s, const argument *a, verb_answer *answer)
{
    kith_path *path = s->paths[a->path];
    answer->result  = kith_path_drop(path);
    if (answer->result != 0) {
        answer->list[0] = kith_path_arrange(path, UINT32_MAX);
        answer->length  = 1;
        for (uint32_t i = 0; i < STAGE_PATHS; i++) {
            s->paths[i] = s->paths[i] == path ? NULL : s->paths[i];
        }
    }
}

static void naive_path_drop(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t number = s->model_paths[a->path];
    answer->result  = model_path_drop(&s->model, number);
    if (answer->result != 0) {
        answer->list[0] = model_path_arrange(&s->model, 0, UINT32_MAX);
        answer->length  = 1;
        for (uint32_t i = 0; i < STAGE_PATHS; i++) {
            s->model_paths[i] = s->model_paths[i] == number ? 0 : s->model_paths[i];
        }
    }
}

// A dropped path that is asked for again is the same one, now the youngest.
static void real_path_renew(stage *s, const argument *a, verb_answer *answer)
{
    kith_path *path = s->paths[a->path];
    answer->result  = kith_path_drop(path);
    if (answer->result != 0) {
        answer->list[0] = kith_path_of(s->world, kith_path_describe(path)) == path;
        answer->length  = 1;
    }
}

static void naive_path_renew(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t   number = s->model_paths[a->path];
    model_path path   = *model_path_describe(&s->model, number);
    answer->result    = model_path_drop(&s->model, number);
    if (answer->result != 0) {
        kith_path_desc desc = { NULL, path.ids, path.count };
        uint32_t       made = model_path_of(&s->model, &desc);
        answer->list[0]     = made != 0;
        answer->length      = 1;
        for (uint32_t i = 0; i < STAGE_PATHS; i++) {
            s->model_paths[i] = s->model_paths[i] == number ? made : s->model_paths[i];
        }
    }
}

static uint64_t sum_of_ids(const kith_component *ids, uint32_t count)
{
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        sum = verb_mix(sum, ids[i]);
    }
    return sum;
}

static void real_path_describe(stage *s, const argument *a, verb_answer *answer)
{
    const kith_path_desc *desc = kith_path_describe(s->paths[a->path]);
    answer->result             = sum_of_ids(desc->components, desc->component_count);
}

static void naive_path_describe(stage *s, const argument *a, verb_answer *answer)
{
    const model_path *path = model_path_describe(&s->model, s->model_paths[a->path]);
    answer->result         = sum_of_ids(path->ids, path->count);
}

static size_t write_path(const void *subject, char *buffer, size_t size)
{
    return kith_path_explain(subject, buffer, size);
}

PAIR(path_explain, verb_text_is_cut(write_path, s->paths[a->path], a->number), 1)
PAIR(path_arrange, kith_path_arrange(s->paths[a->path], a->number),
     model_path_arrange(&s->model, s->model_paths[a->path], a->number))
CALL(path_arrange_all, a->number)

enum { PATHED = VERB_PATHED | VERB_SPARES };

const verb verb_paths[] = {
    ROW(world_arrange, "world, %N, %b", 14, TAKES),
    OTHER_ROW(path_of, "paths[%Y] = kith_path_of(world, &(kith_path_desc){ \"a path\", %N })", 12,
              CHANGES | VERB_PATHS),
    OTHER_ROW(path_drop, "drop_path(%Y)", 2, CHANGES | PATHED),
    OTHER_ROW(path_renew, "renew_path(%Y)", 1, CHANGES | VERB_SMOOTH | VERB_RENEWS | VERB_PATHED),
    OTHER_ROW(path_describe, "kith_path_describe(paths[%Y])", 1, PATHED),
    OTHER_ROW(path_explain, "kith_path_explain(paths[%Y], text, %b)", 1, PATHED),
    OTHER_ROW(path_arrange, "kith_path_arrange(paths[%Y], %b)", 14, TAKES | VERB_PATHED),
    ROW(path_arrange_all, "world, %b", 12, TAKES),
};

const uint32_t verb_path_count = sizeof verb_paths / sizeof *verb_paths;
