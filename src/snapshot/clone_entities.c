// SPDX-License-Identifier: MIT
// Clones of entities, here or in another world, and the references among them.
//
// Handles in values are followed while the values are copied, so nobody hears of a clone that means
// an original. The nodes of a hierarchy are copied alone and get their links at the end: listeners
// may do anything to a node that they hear of, and then links of before would not be right.
#include "batch/batch_add.h"

static const char call_entities_clone[] = "kith_entities_clone";

typedef struct transplant {
    kith_world       *to;
    const kith_world *from;
    kith_roster       originals;
    kith_entity      *clones;
    void             *memory; // handles, order and notes of the originals
    size_t            bytes;
} transplant;

static kith_entity follow_original(const void *context, kith_entity entity)
{
    const transplant *t = context;
    if (entity == KITH_NULL) {
        return entity;
    }
    uint32_t    place  = kith_roster_find(&t->originals, entity);
    kith_entity nobody = t->to == t->from ? entity : KITH_NULL;
    return place == KITH_NO_INDEX ? nobody : t->clones[place];
}

// --- originals -------------------------------------------------------------------------------

// A copy: the clones may take the place of the array that was given.
static bool copy_originals(transplant *t, const kith_entity *entities, uint32_t count)
{
    t->bytes  = (size_t)count * (sizeof *entities + sizeof *t->originals.order + sizeof(bool));
    t->memory = kith_give_borrow(t->to, t->bytes, sizeof(uint64_t));
    if (t->memory == NULL) {
        kith_world_refuse(t->to, KITH_ERROR_MEMORY, call_entities_clone, 0, KITH_NULL);
        return false;
    }
    kith_entity *copy = t->memory;
    memcpy(copy, entities, count * sizeof *entities);
    t->originals = (kith_roster){ copy, sizeof *copy, (uint32_t *)(void *)(copy + count), count };
    kith_roster_sort(&t->originals);
    return true;
}

static bool check_originals(const transplant *t)
{
    for (uint32_t i = 0; i < t->originals.count; i++) {
        kith_entity entity = kith_roster_at(&t->originals, i);
        if (!kith_entity_table_alive(&t->from->entities, entity)) {
            kith_error error = kith_world_dead(t->from, 0, entity, call_entities_clone);
            return kith_world_fail(t->to, &error);
        }
    }
    uint32_t clash = kith_roster_clash(&t->originals);
    if (clash == KITH_NO_INDEX) {
        return true;
    }
    kith_error error = { .code    = KITH_ERROR_ARGUMENT,
                         .call    = call_entities_clone,
                         .entity  = kith_roster_at(&t->originals, clash),
                         .subject = "the array has an entity twice" };
    return kith_world_fail(t->to, &error);
}

// --- clones ----------------------------------------------------------------------------------

static void link_clones(const transplant *t, const kith_give *give)
{
    kith_kin kin = { .originals = &t->originals, .clones = t->clones };
    kin.alone    = (bool *)(t->originals.order + t->originals.count);
    for (uint32_t i = 0; i < give->count; i++) {
        kin.from = give->gifts[i].source;
        if (kin.from->bound) {
            kith_world_link_kin(t->to, give->gifts[i].column, &kin);
        }
    }
}

static bool make_clones(const transplant *t)
{
    kith_give give;
    kith_give_init(&give, t->to, call_entities_clone);
    give.from      = t->from;
    give.originals = t->originals.handles;
    give.follow    = follow_original;
    give.context   = t;
    kith_world_pause(t->to);
    bool done = kith_give_clones(&give, t->originals.count) &&
                kith_give_newborn(&give, t->clones, t->originals.count);
    if (done) {
        link_clones(t, &give);
    }
    kith_give_end(&give);
    kith_world_resume(t->to);
    return done;
}

KITH_API bool kith_entities_clone(kith_world *to, const kith_world *from,
                                  const kith_entity *entities, uint32_t count, kith_entity *clones)
{
    transplant t = { .to = to, .from = from, .clones = clones };
    if (kith_world_busy(to, call_entities_clone, 0, KITH_NULL) ||
        !kith_world_array(to, entities, count, call_entities_clone) ||
        !kith_world_array(to, clones, count, call_entities_clone)) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    bool done = copy_originals(&t, entities, count) && check_originals(&t) && make_clones(&t);
    kith_give_back(to, t.memory, t.bytes, sizeof(uint64_t));
    return done;
}
