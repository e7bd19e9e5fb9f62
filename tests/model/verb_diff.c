// SPDX-License-Identifier: MIT
// The world compared with itself, and with one that was loaded from it and then changed: they
// differ exactly when their hashes do.
#include "verb_pair.h"

// What cannot be hashed, values without a form, cannot be compared either.
static bool matches_hash(const kith_world *first, const kith_world *second)
{
    uint64_t  a    = 0;
    uint64_t  b    = 1;
    kith_diff diff = { 0 };
    bool      hashed =
        kith_world_hash_full(first, KITH_ALL, &a) && kith_world_hash_full(second, KITH_ALL, &b);
    bool reported = kith_world_diff(first, second, &diff);
    return hashed == reported && (!reported || ((diff.count == 0) == (a == b) &&
                                                (diff.count == 0) == (diff.text[0] == '\0')));
}

// As much like the world as can be without its hooks.
static kith_world *make_loaded(const stage *s)
{
    kith_bytes      bytes = { 0 };
    kith_world_desc desc  = { 0 };
    kith_world_save_memory(s->world, NULL, &bytes); // fails where commands wait
    kith_snapshot_world_desc(NULL, bytes.data, bytes.size, &desc);
    kith_world *second = verb_second_world(s->world, desc);
    for (uint32_t i = 0; i < STAGE_GROUPS; i++) {
        if (s->groups[i] != NULL) {
            kith_group_of(second, kith_group_describe(s->groups[i]));
        }
    }
    for (uint32_t i = 0; i < STAGE_PATHS; i++) {
        if (s->paths[i] != NULL) {
            kith_path_of(second, kith_path_describe(s->paths[i]));
        }
    }
    kith_world_load(second, NULL, bytes.data, bytes.size);
    kith_bytes_free(&bytes);
    return second;
}

static void change_a_little(kith_world *world, uint32_t number)
{
    kith_component component = 0;
    kith_entity    entity    = kith_entity_next(world, KITH_NULL);
    for (uint32_t i = 0; i <= number / 5 % 32; i++) {
        component = kith_component_next(world, component);
    }
    switch (number % 5) {
    case 0:
        kith_entity_destroy(world, entity);
        break;
    case 1:
        kith_component_remove(world, entity, component);
        break;
    case 2:
        kith_component_add(world, entity, component, NULL);
        break;
    case 3:
        kith_component_swap(world, component, kith_component_entity(world, component, 0),
                            kith_component_entity(world, component, 1));
        break;
    default:
        kith_component_enable(world, kith_component_entity(world, component, 0), component, false);
    }
}

static void real_world_diff(stage *s, const argument *a, verb_answer *answer)
{
    kith_diff diff = { .count = 1 };
    answer->result = kith_world_diff(s->world, s->world, &diff);
    if (answer->result == 0) {
        return;
    }
    kith_world *second = make_loaded(s);
    answer->list[0]    = diff.count;
    answer->list[1]    = matches_hash(s->world, second);
    change_a_little(second, a->number);
    answer->list[2] = matches_hash(second, s->world);
    answer->length  = 3;
    kith_world_destroy(second);
}

static void naive_world_diff(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result = model_world_diff(&s->model);
    if (answer->result != 0) {
        answer->list[0] = 0;
        answer->list[1] = answer->list[2] = 1;
        answer->length                    = 3;
    }
}

const verb verb_diffs[] = {
    OTHER_ROW(world_diff, "diff_world(%b)", 4, VERB_SMOOTH),
};

const uint32_t verb_diff_count = sizeof verb_diffs / sizeof *verb_diffs;
