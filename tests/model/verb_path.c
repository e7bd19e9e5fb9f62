// SPDX-License-Identifier: MIT
// Verbs of arranging and of paths.
#include "verb_pair.h"

CALL(world_arrange, a->route, a->route_count, a->number)

static kith_path_desc path_desc(const argument *a)
{
    return (kith_path_desc){ "a path", a->route, a->route_count };
}

// Paths, like groups, are told apart by the first place that has the same one.
static void real_path_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_path_desc desc = path_desc(a);
    kith_path     *made = kith_path_create(s->world, &desc);
    if (made != NULL) {
        s->paths[a->path] = made;
        while (s->paths[answer->result++] != made) {
        }
    }
}

static void naive_path_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_path_desc desc = path_desc(a);
    uint32_t       made = model_path_create(&s->model, &desc);
    if (made != 0) {
        s->model_paths[a->path] = made;
        while (s->model_paths[answer->result++] != made) {
        }
    }
}

static void real_path_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result    = kith_path_destroy(s->paths[a->path]);
    s->paths[a->path] = answer->result != 0 ? NULL : s->paths[a->path];
}

static void naive_path_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result          = model_path_destroy(&s->model, s->model_paths[a->path]);
    s->model_paths[a->path] = answer->result != 0 ? 0 : s->model_paths[a->path];
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
    answer->list[0]            = kith_path_world(s->paths[a->path]) == s->world;
    answer->length             = 1;
}

static void naive_path_describe(stage *s, const argument *a, verb_answer *answer)
{
    const model_path *path = model_path_describe(&s->model, s->model_paths[a->path]);
    answer->result         = sum_of_ids(path->ids, path->count);
    answer->list[0]        = 1;
    answer->length         = 1;
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
    OTHER_ROW(path_create,
              "paths[%Y] = kith_path_create(world, &(kith_path_desc){ \"a path\", %N })", 12,
              CHANGES | VERB_PATHS),
    OTHER_ROW(path_destroy, "drop_path(%Y)", 3, TAKES | VERB_PATHED),
    OTHER_ROW(path_describe, "kith_path_describe(paths[%Y])", 1, PATHED),
    OTHER_ROW(path_explain, "kith_path_explain(paths[%Y], text, %b)", 1, PATHED),
    OTHER_ROW(path_arrange, "kith_path_arrange(paths[%Y], %b)", 14, TAKES | VERB_PATHED),
    ROW(path_arrange_all, "world, %b", 12, TAKES),
};

const uint32_t verb_path_count = sizeof verb_paths / sizeof *verb_paths;
