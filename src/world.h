// SPDX-License-Identifier: MIT
// The world: where entities and pools meet.
//
//     component id --> head.pools_[id] --> column: pool, description, signature bit
//     signature bit --> by_bit[bit]    --> the same column
//
// Every id has a column's pool in head.pools_; ids that nobody registered share an empty one.
// Columns live as long as the world and never move. A bit of a living entity's signature is set
// exactly when the entity has a row in that column's pool, or the flag.
#ifndef KITH_WORLD_H
#define KITH_WORLD_H

#include "column.h"
#include "entity.h"

#include <stdatomic.h>

struct kith_world {
    kith_world_head_  head; // first: inline code reads it
    kith_entity_table entities;
    kith_pool_shared  shared;
    kith_column     **columns; // in registration order
    uint32_t          column_count;
    uint32_t          column_capacity;
    kith_column     **by_bit;
    uint32_t          bit_count;
    uint32_t          bit_capacity;
    kith_allocator    memory;
    kith_error_fn     on_error;
    void             *error_context;
    atomic_uint       errors_printed; // also counted by calls on several threads
    bool              telling;        // the error hook runs
    kith_error        error;
    char              error_other[64]; // error.other, when it is not NULL
    void             *user;
};

// What inline code takes for granted.
_Static_assert(offsetof(struct kith_world, head) == 0, "the head comes first");
_Static_assert(offsetof(kith_column, pool.set.head) == 0, "the pool's head comes first");
_Static_assert(offsetof(kith_entity_page, signature) == KITH_PAGE_SLOTS * sizeof(uint64_t),
               "signatures follow the slots");

// The pool that stands for every id that is not registered.
KITH_INTERNAL kith_pool_head_ *kith_world_no_pool(void);

// --- errors (error.c) ------------------------------------------------------------------------

// Records the error, tells the hook, and returns false.
KITH_INTERNAL bool kith_world_fail(kith_world *world, const kith_error *error);

// The same for calls that may not change the world: nothing is recorded.
KITH_INTERNAL bool kith_world_tell(const kith_world *world, const kith_error *error);

// The most common form of kith_world_fail.
KITH_INTERNAL bool kith_world_refuse(kith_world *world, kith_error_code code, const char *call,
                                     kith_component component, kith_entity entity);

// An error before there is a world. Returns NULL.
KITH_INTERNAL kith_world *kith_desc_fail(const kith_world_desc *desc, kith_error_code code,
                                         const char *mistake);

// --- columns ---------------------------------------------------------------------------------

// Which kinds of components a call is for.
#define KITH_WITH_ROWS (1u << KITH_KIND_VALUE | 1u << KITH_KIND_TAG)
#define KITH_ON_ENTITY (KITH_WITH_ROWS | 1u << KITH_KIND_FLAG)
#define KITH_SINGLE    (1u << KITH_KIND_SINGLETON)
#define KITH_ANY_KIND  (KITH_ON_ENTITY | KITH_SINGLE)

// The column for a question, or NULL and an error that is told but not recorded.
KITH_INTERNAL const kith_column *kith_world_ask(const kith_world *world, kith_component component,
                                                unsigned kinds, const char *call);

// The same with an error that is recorded. `entity` is whom the call is about, or KITH_NULL.
KITH_INTERNAL kith_column *kith_world_reach(kith_world *world, kith_component component,
                                            kith_entity entity, unsigned kinds, const char *call);

// The column for a call that changes something, or NULL and an error: also from inside a hook.
KITH_INTERNAL kith_column *kith_world_open(kith_world *world, kith_component component,
                                           kith_entity entity, unsigned kinds, const char *call);

// The column of a registered id, or NULL without an error.
static inline kith_column *kith_world_column(const kith_world *world, kith_component component)
{
    if (component > KITH_COMPONENT_MAX || world->head.pools_[component]->id_ == 0) {
        return NULL;
    }
    return (kith_column *)(void *)world->head.pools_[component];
}

// Whether the call comes from inside a hook; then it is an error.
static inline bool kith_world_busy(kith_world *world, const char *call, kith_component component,
                                   kith_entity entity)
{
    return KITH_UNLIKELY_(world->head.busy_ != 0) &&
           !kith_world_refuse(world, KITH_ERROR_BUSY, call, component, entity);
}

// While hooks run, every call that changes the world is refused.
static inline void kith_world_enter(kith_world *world)
{
    world->head.busy_++;
}

static inline void kith_world_leave(kith_world *world)
{
    assert(world->head.busy_ != 0);
    world->head.busy_--;
}

// Brings what inline code reads of the entity table up to date.
static inline void kith_world_mirror(kith_world *world)
{
    world->head.entities_     = (uint64_t *const *)world->entities.pages;
    world->head.entity_pages_ = world->entities.page_count;
}

#endif
