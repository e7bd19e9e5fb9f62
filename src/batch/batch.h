// SPDX-License-Identifier: MIT
// A list: the entities of a batch.
//
//     array    all of them alive, none of them twice: checked before anything is changed
//     range    handles that follow on each other; the dead among them are passed over
//
// An array whose handles follow on each other is taken for a range: then rows, slots and signatures
// are filled as arrays, not one by one.
#ifndef KITH_BATCH_BATCH_H
#define KITH_BATCH_BATCH_H

#include "world/world.h"

typedef struct kith_entity_list {
    const kith_entity *entities; // NULL: a range
    kith_entity        first;    // of a range
    uint32_t           count;
    bool               whole; // all are known to be alive
    bool               fresh; // and to have nothing
} kith_entity_list;

// The list of an array. False, with an error, when someone in it is null, dead or there twice.
// `component` is what the call is about, or 0.
KITH_INTERNAL bool kith_entity_list_of_array(kith_world *world, const kith_entity *entities,
                                             uint32_t count, kith_component component,
                                             const char *call, kith_entity_list *list);

// The list of entities that were just made.
KITH_INTERNAL kith_entity_list kith_entity_list_of_new(const kith_entity *entities, uint32_t count);

// The list of a range, cut where the entity table ends.
KITH_INTERNAL kith_entity_list kith_entity_list_of_range(const kith_world *world,
                                                         kith_entities     range);

// How many are alive. Notes if all are, which holds until listeners are called.
KITH_INTERNAL uint32_t kith_entity_list_living(const kith_world *world, kith_entity_list *list);

// Goes through the living, block by block: each fits into the cache, and of a range into a page.
// `*at` is where to look, then the place of the block's first member. False when nobody is left.
KITH_INTERNAL bool kith_entity_list_next(const kith_world *world, const kith_entity_list *list,
                                         uint32_t *at, kith_entity_list *block);

// How many from place `at` of a range on have their slots in one page.
static inline uint32_t kith_entity_list_in_page(const kith_entity_list *list, uint32_t at)
{
    uint32_t i = kith_entity_index(list->first + at) & KITH_PAGE_MASK_;
    return kith_least(list->count - at, KITH_PAGE_SLOTS - i);
}

// The first signature words of a block of a range.
static inline uint64_t *kith_entity_list_words(const kith_world       *world,
                                               const kith_entity_list *block)
{
    return kith_entity_slot_of(&world->entities, kith_entity_index(block->first)) + KITH_PAGE_SLOTS;
}

static inline kith_entity kith_entity_list_member(const kith_entity_list *list, uint32_t i)
{
    return list->entities == NULL ? list->first + i : list->entities[i];
}

// The members that an event may be about.
static inline kith_concerned kith_entity_list_concerned(const kith_entity_list *list,
                                                        bool (*is)(const void *event, uint32_t i),
                                                        const void *event)
{
    return (kith_concerned){ list->entities, list->first, list->count, is, event };
}

// --- batch_item ------------------------------------------------------------
//
// Gifts: what a batch gives.
//
// A batch of several components has a item for each, in registration order, and before it a item
// for each component that it requires. Memory for all items is secured; then, item by item, values
// are made in the rows that they will have, and the rows are added:
//
//     [ rows before | base .. base + added - 1 ]
//
// A failure cuts the rows of all items off again. Only when all of them are there the steps follow
// that cannot fail: values that replace others move in, flags are set. Who got a row is told apart
// from who had one by the row alone, so this needs no notes.

typedef struct kith_batch_item {
    kith_storage *storage;
    kith_storage *owner; // it is required by that one: for those who lack it; NULL: it is given
    const struct kith_batch_item *same;   // an earlier item of the same storage, for another owner
    const uint8_t                *values; // NULL: default values
    size_t                        stride;
    bool                          keeps;  // values that are there stay
    const kith_storage           *source; // of clones: what their originals have; NULL: all get it
    bool                          disabled; // its rows are disabled; of clones: some of them may be
    uint32_t                      expected; // how many will get it
    uint32_t                      base;
    uint32_t                      added;
    uint64_t                      stamp;  // of the page of row `base`, before
    uint8_t                      *staged; // values with hooks that will replace others
    uint32_t                      staged_capacity;
    uint32_t                      staged_count;
    uint64_t *gained; // of a flag that may be told of: who got it, a bit a member
} kith_batch_item;

enum { KITH_BATCH_ITEMS_INLINE = 8 };

typedef struct kith_batch {
    kith_world        *world;
    kith_entity_list   list;
    const char        *call;
    const kith_world  *from;      // of clones: where the originals are
    const kith_entity *originals; // one a member; NULL: the members are no clones
    // The handle that a clone has in a value where its original has `entity`.
    kith_entity (*follow)(const void *context, kith_entity entity);
    const void      *context;
    bool             keeps;     // default values do not replace others
    bool             continues; // more follows before the world settles
    kith_batch_item *items;
    uint32_t         count;
    uint32_t         items_begun; // items whose rows are there
    uint32_t         living;      // members of the list, before listeners are called
    uint32_t         capacity;
    bool
        has_listeners; // someone may hear of the items: listeners can come while they are announced
    kith_batch_item inline_items[KITH_BATCH_ITEMS_INLINE];
    kith_error      error; // why not
} kith_batch;

// Whether the address is in what was reserved for batches: its bytes are counted already.
static inline bool kith_batch_owns_scratch(const kith_world *world, const void *memory)
{
    return world->scratch != NULL && kith_arena_has(world->scratch, memory);
}

// Memory for as long as the batch takes.
static inline void *kith_batch_alloc(kith_world *world, size_t size, size_t alignment)
{
    void *memory = kith_alloc_zeroed(&world->scratch_memory, size, alignment);
    world->borrowed += memory == NULL || kith_batch_owns_scratch(world, memory) ? 0 : size;
    return memory;
}

static inline void kith_batch_free(kith_world *world, void *memory, size_t size, size_t alignment)
{
    world->borrowed -= memory == NULL || kith_batch_owns_scratch(world, memory) ? 0 : size;
    kith_free(&world->scratch_memory, memory, size, alignment);
}

static inline size_t kith_batch_gained_bytes(const kith_batch *batch)
{
    return ((size_t)batch->list.count + 63) / 64 * sizeof(uint64_t);
}

static inline bool kith_batch_item_is_flag(const kith_batch_item *item)
{
    return item->storage->desc.kind == KITH_KIND_FLAG;
}

static inline const void *kith_batch_item_value(const kith_batch_item *item, uint32_t member)
{
    return item->values == NULL ? NULL : item->values + member * item->stride;
}

// Whether the item is for a member: a clone gets what its original has.
static inline bool kith_batch_item_is_for(const kith_batch *batch, const kith_batch_item *item,
                                          uint32_t member)
{
    return item->source == NULL ||
           kith_entity_bit(&batch->from->entities, kith_entity_index(batch->originals[member]),
                           item->source->bit);
}

// The row of a member's original, which has one.
static inline uint32_t kith_batch_item_source_row(const kith_batch      *batch,
                                                  const kith_batch_item *item, uint32_t member)
{
    return kith_sparse_set_row_at(&item->source->pool.set,
                                  kith_entity_index(batch->originals[member]));
}

static inline bool kith_batch_item_lacks(const kith_batch *batch, const kith_storage *storage,
                                         kith_entity entity)
{
    return !kith_entity_bit(&batch->world->entities, kith_entity_index(entity), storage->bit);
}

// Whether the entity got its row of the storage from this item, or from none; flags have no rows.
static inline bool kith_batch_item_added_row(const kith_batch_item *item, kith_entity entity)
{
    uint32_t row = kith_sparse_set_row(&item->storage->pool.set, entity);
    return row != KITH_NO_ROW && row >= item->base && row - item->base < item->added;
}

// Whether the item's component comes to the entity, now that the items before have come.
static inline bool kith_batch_item_applies_to(const kith_batch *batch, const kith_batch_item *item,
                                              kith_entity entity)
{
    return kith_batch_item_lacks(batch, item->storage, entity) &&
           (item->owner == NULL || kith_batch_item_lacks(batch, item->owner, entity));
}

// --- batch_add ------------------------------------------------------------
//
// Giving: components and values for the entities of a batch.

// A batch that gives nothing yet.
KITH_INTERNAL void kith_batch_init(kith_batch *batch, kith_world *world, const char *call);

// Resolves the items of a batch for `world`, `call` and `keeps`; the list comes
// afterwards. False, with an error, when the sets make no sense. kith_batch_end in every case.
KITH_INTERNAL bool kith_batch_begin(kith_batch *batch, const kith_values *sets, uint32_t set_count);

// The same for what an entity has, as it has it. False, with an error, when something of it cannot
// be copied.
KITH_INTERNAL bool kith_batch_copies(kith_batch *batch, kith_entity prefab);

// The same for clones of `originals`, which are alive in `from`.
KITH_INTERNAL bool kith_batch_clones(kith_batch *batch, uint32_t count);

// Whether someone listens now; whether he can be told of what is given to so many; and whether
// nobody of the list is about to go, or loses what is given. If not it is an error.
KITH_INTERNAL bool kith_batch_has_listeners(const kith_batch *batch);
KITH_INTERNAL bool kith_batch_can_announce(const kith_batch *batch, uint32_t count);
KITH_INTERNAL bool kith_batch_allowed(const kith_batch *batch);

// Gives everything to the list. False when nothing was changed; why not is in `error`, and is told
// to nobody yet. The world is held.
KITH_INTERNAL bool kith_batch_add(kith_batch *batch);

// Bytes that a batch may take until it is done, if it gives everything to `count` entities.
KITH_INTERNAL size_t kith_batch_bytes(const kith_world *world, uint32_t count);

// Announces what was given.
KITH_INTERNAL void kith_batch_announce(kith_batch *batch);
KITH_INTERNAL void kith_batch_end(kith_batch *batch);

// Makes entities and gives them everything, announced, or nothing happens: false, with an error.
// The world is held.
KITH_INTERNAL bool kith_batch_create(kith_batch *batch, kith_entity *entities, uint32_t count);

// --- batch_rows ------------------------------------------------------------
//
// Placing: the rows of items, with their values, or nothing at all.

// Secures all memory, makes all values, and adds the rows; counts the living. False when something
// is in the way: why is in `error`, and kith_batch_undo_rows follows.
KITH_INTERNAL bool kith_batch_add_rows(kith_batch *batch);
KITH_INTERNAL void kith_batch_undo_rows(kith_batch *batch);

// --- batch_join ------------------------------------------------------------
//
// Admitting: who joins and leaves groups because of a batch.
//
// The groups end up as after single calls between hold and release: component by component, each
// after those that it requires, member by member. Where all members have the same components and
// nobody can look before the world settles, one of them answers for all, and each group takes them
// in as a block:
//
//     [ members | others | the batch ]    ->    [ members, the batch | others ]

// The rows of all items are there: sets the flags, and lets everyone join and leave.
KITH_INTERNAL void kith_batch_join_groups(kith_batch *batch);

// --- batch_remove ------------------------------------------------------------
//
// Dropping: what goes from the entities of a batch, components or everything.
//
// By definition each row leaves a hole and the holes are closed at the end. As long as the rows
// that go from a simple pool follow on each other no hole is made: the pool keeps a stretch of
// rows that are gone, and at the end one cut takes them all out.
//
//     [ kept | gone: first .. end - 1 | kept ]
//
// In what a group owns the members behind the stretch fill it first, all pools alike, and what is
// cut is at the border. Where the pools do not agree the rows become holes, and the group closes
// them when the world settles.

typedef struct kith_batch_removal {
    kith_world    *world;
    kith_signature what;    // components that go, and which somebody has
    bool           ends;    // the entities end, and everything goes
    bool           singly;  // someone hears of it, or a loop is open
    bool           grouped; // some leave groups, or join them
    const char    *call;
    uint64_t       asked; // of the first 64 storages: those for which the next is decided
    uint64_t       cuts;  // those whose rows are a stretch so far
    uint32_t       first[64];
    uint32_t       end[64];
} kith_batch_removal;

// Begins to drop components, or entities if `what` is NULL. The world is held until the end.
KITH_INTERNAL void kith_batch_removal_begin(kith_batch_removal *removal, kith_world *world,
                                            const kith_signature *what, const char *call);

// Whether those who hear of it can be told; if not it is an error.
KITH_INTERNAL bool kith_batch_removal_can_announce(const kith_batch_removal *removal);

// Whether all can be told that hear of it, and nobody is going already; if not it is an error.
// Comes after kith_batch_removal_begin, and if it is false nothing was dropped.
KITH_INTERNAL bool kith_batch_removal_allowed(const kith_batch_removal *removal,
                                              const kith_entity_list   *list);

// Drops from a list. Several may follow on each other.
KITH_INTERNAL void kith_batch_remove_from(kith_batch_removal     *removal,
                                          const kith_entity_list *list);
KITH_INTERNAL void kith_batch_removal_end(kith_batch_removal *removal);

#endif
