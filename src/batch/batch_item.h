// SPDX-License-Identifier: MIT
// Gifts: what a batch gives.
//
// A batch of several components has a gift for each, in registration order, and before it a gift
// for each component that it requires. Memory for all gifts is secured; then, gift by gift, values
// are made in the rows that they will have, and the rows are added:
//
//     [ rows before | base .. base + added - 1 ]
//
// A failure cuts the rows of all gifts off again. Only when all of them are there the steps follow
// that cannot fail: values that replace others move in, flags are set. Who got a row is told apart
// from who had one by the row alone, so this needs no notes.
#ifndef KITH_BATCH_BATCH_ITEM_H
#define KITH_BATCH_BATCH_ITEM_H

#include "batch/entity_list.h"

typedef struct kith_gift {
    kith_column *column;
    kith_column *owner; // it is required by that one: for those who lack it; NULL: it is given
    const struct kith_gift *same;   // an earlier gift of the same column, for another owner
    const uint8_t          *values; // NULL: default values
    size_t                  stride;
    bool                    keeps;  // values that are there stay
    const kith_column      *source; // of clones: what their originals have; NULL: all get it
    bool                    hides;  // its rows are disabled; of clones: some of them may be
    uint32_t                coming; // how many will get it
    uint32_t                base;
    uint32_t                added;
    uint64_t                stamp;  // of the page of row `base`, before
    uint8_t                *staged; // values with hooks that will replace others
    uint32_t                staged_room;
    uint32_t                staged_count;
    uint64_t               *news; // of a flag that may be told of: who got it, a bit a member
} kith_gift;

enum { KITH_GIFTS_FEW = 8 };

typedef struct kith_give {
    kith_world        *world;
    kith_crowd         crowd;
    const char        *call;
    const kith_world  *from;      // of clones: where the originals are
    const kith_entity *originals; // one a member; NULL: the members are no clones
    // The handle that a clone has in a value where its original has `entity`.
    kith_entity (*follow)(const void *context, kith_entity entity);
    const void *context;
    bool        keeps;     // default values do not replace others
    bool        continues; // more follows before the world settles
    kith_gift  *gifts;
    uint32_t    count;
    uint32_t    placed; // gifts whose rows are there
    uint32_t    living; // members of the crowd, before listeners are called
    uint32_t    room;
    bool        heard; // someone may hear of the gifts: listeners can come while they are announced
    kith_gift   few[KITH_GIFTS_FEW];
    kith_error  error; // why not
} kith_give;

// Whether the address is in what was reserved for batches: its bytes are counted already.
static inline bool kith_give_scratch(const kith_world *world, const void *memory)
{
    return world->scratch != NULL && kith_arena_has(world->scratch, memory);
}

// Memory for as long as the batch takes.
static inline void *kith_give_borrow(kith_world *world, size_t size, size_t alignment)
{
    void *memory = kith_memory_take_zeroed(&world->passing, size, alignment);
    world->borrowed += memory == NULL || kith_give_scratch(world, memory) ? 0 : size;
    return memory;
}

static inline void kith_give_back(kith_world *world, void *memory, size_t size, size_t alignment)
{
    world->borrowed -= memory == NULL || kith_give_scratch(world, memory) ? 0 : size;
    kith_memory_give(&world->passing, memory, size, alignment);
}

static inline size_t kith_give_news_bytes(const kith_give *give)
{
    return ((size_t)give->crowd.count + 63) / 64 * sizeof(uint64_t);
}

static inline bool kith_gift_is_flag(const kith_gift *gift)
{
    return gift->column->desc.kind == KITH_KIND_FLAG;
}

static inline const void *kith_gift_value(const kith_gift *gift, uint32_t member)
{
    return gift->values == NULL ? NULL : gift->values + member * gift->stride;
}

// Whether the gift is for a member: a clone gets what its original has.
static inline bool kith_gift_is_for(const kith_give *give, const kith_gift *gift, uint32_t member)
{
    return gift->source == NULL ||
           kith_entity_bit(&give->from->entities, kith_entity_index(give->originals[member]),
                           gift->source->bit);
}

// The row of a member's original, which has one.
static inline uint32_t kith_gift_source_row(const kith_give *give, const kith_gift *gift,
                                            uint32_t member)
{
    return kith_sparse_set_row_at(&gift->source->pool.set,
                                  kith_entity_index(give->originals[member]));
}

static inline bool kith_gift_lacks(const kith_give *give, const kith_column *column,
                                   kith_entity entity)
{
    return !kith_entity_bit(&give->world->entities, kith_entity_index(entity), column->bit);
}

// Whether the entity got its row of the column from this gift, or from none; flags have no rows.
static inline bool kith_gift_gave_row(const kith_gift *gift, kith_entity entity)
{
    uint32_t row = kith_sparse_set_row(&gift->column->pool.set, entity);
    return row != KITH_NO_ROW && row >= gift->base && row - gift->base < gift->added;
}

// Whether the gift's component comes to the entity, now that the gifts before have come.
static inline bool kith_gift_comes_to(const kith_give *give, const kith_gift *gift,
                                      kith_entity entity)
{
    return kith_gift_lacks(give, gift->column, entity) &&
           (gift->owner == NULL || kith_gift_lacks(give, gift->owner, entity));
}

#endif
