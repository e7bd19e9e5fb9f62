// SPDX-License-Identifier: MIT
// Batches: calls for many entities at once.
//
// An entity list is an array or a range:
//
//     array    all entities are alive and different: checked before anything changes
//     range    consecutive handles; dead entities among them are skipped
//
// An array of consecutive handles becomes a range: then rows, slots and signatures are filled as
// arrays, not one by one.
#pragma once

#include "world/world.h"

typedef struct kith_entity_list {
    const kith_entity *entities; // NULL: a range
    kith_entity        first;    // handle of a range; the others follow
    uint32_t           count;
    bool               whole; // all entities are known to be alive
    bool               fresh; // the entities are new and have no component
} kith_entity_list;

// Makes the list of the program's entities. Returns false and reports an error when an entity of an
// array is KITH_NULL, dead or in the array twice. `component` goes into the error; it may be 0.
bool kith_entity_list_of(kith_world *world, kith_entities entities, kith_component component,
                         const char *call, kith_entity_list *list);

// Returns the list of entities that were just created.
kith_entity_list kith_entity_list_of_new(const kith_entity *entities, uint32_t count);

// The list of a range, cut where the entity table ends.
kith_entity_list kith_entity_list_of_range(const kith_world *world, kith_entities range);

// Counts the living entities, and sets `whole` if all are alive. `whole` holds until a listener
// runs.
uint32_t kith_entity_list_living(const kith_world *world, kith_entity_list *list);

// Returns the components that at least one living entity has.
kith_signature kith_entity_list_components(const kith_world *world, const kith_entity_list *list);

// Walks the living entities in blocks that fit into the cache; a block of a range is in one page.
// Searches from place `*at` on, and sets `*at` to the first place of the block. Returns false at
// the end.
bool kith_entity_list_next(const kith_world *world, const kith_entity_list *list, uint32_t *at,
                           kith_entity_list *block);

// Returns whether member `i` is alive.
bool kith_entity_list_alive(const kith_world *world, const kith_entity_list *list, uint32_t i);

// Returns whether the entity is alive and has the component with this bit.
bool kith_entity_has_bit(const kith_world *world, kith_entity entity, uint32_t bit);

// Returns how many entities of a range, from place `at` on, have their slots in the same page.
static inline uint32_t kith_entity_list_in_page(const kith_entity_list *list, uint32_t at)
{
    uint32_t i = kith_entity_index(list->first + at) & KITH_PAGE_MASK_;
    return kith_min(list->count - at, KITH_PAGE_SLOTS - i);
}

// Returns the first signature words of a block of a range.
static inline uint64_t *kith_entity_list_words(const kith_world       *world,
                                               const kith_entity_list *block)
{
    return kith_entity_slot_of(&world->entities, kith_entity_index(block->first)) + KITH_PAGE_SLOTS;
}

static inline kith_entity kith_entity_list_member(const kith_entity_list *list, uint32_t i)
{
    return list->entities == NULL ? list->first + i : list->entities[i];
}

// --- items of a batch ------------------------------------------------------------------------
//
// A batch adds one or more components. It has an item for each, in registration order, and before
// it one for each component that it requires. First all memory is secured. Then there are two ways:
//
//     blocks            plain rows that no member has: page by page; groups take all at once
//     member by member  values are constructed in their future rows, or staged if they will replace
//                       old ones; if no hook failed, the steps of single calls follow
//
// Until the last hook has succeeded no structure changes, so a failure only destructs values. The
// row of an entity tells whether the item added it, so no other record is needed:
//
//     [ rows before | base .. end - 1 ]
//
// A batch that begins while the world is not held first fills the holes of a stable pool, newest
// first. Then `base` counts without them, and for listeners each member has a bit.

typedef struct kith_batch_item {
    kith_storage                 *storage;
    kith_storage                 *owner;  // requires this component; NULL: the call names it
    const struct kith_batch_item *same;   // an earlier item of the same storage, for another owner
    const uint8_t                *values; // NULL: default values
    size_t                        stride;
    bool                          keeps;    // existing values stay
    bool                          disabled; // new rows are disabled; clones: as in the original
    uint32_t                      expected; // number of members that will get a row or flag
    const kith_storage           *source;   // clones: storage of the originals; NULL: item for all
    uint32_t                      base;
    uint32_t                      end;       // listeners add rows from here on
    uint32_t                      added;     // number of values constructed in rows
    uint32_t                      next_hole; // for the value after these, or KITH_NO_ROW
    uint8_t                      *staged;    // values with hooks that will replace old ones
    uint32_t                      staged_capacity;
    uint32_t                      staged_count;
    uint64_t                     *gained; // flags and holes, with listeners: one bit per member
} kith_batch_item;

enum { KITH_BATCH_ITEMS_INLINE = 8 };

typedef struct kith_batch {
    kith_world        *world;
    kith_entity_list   list;
    const char        *call;
    const kith_world  *from;      // clones: the world of the originals
    const kith_entity *originals; // one per member; NULL: the members are not clones
    // Maps an entity in a value of an original to the entity in the value of its clone.
    kith_entity (*follow)(const void *context, kith_entity entity);
    const void *context;
    // kith_entity_set_components: default values do not replace old ones, and the other components
    // are removed afterwards.
    bool             exact;
    kith_batch_item *items;
    uint32_t         count;
    uint32_t         living; // living members, before listeners run
    uint32_t         capacity;
    bool             has_listeners; // of an item; listeners may be connected while others run
    bool             by_blocks;     // all rows are plain, and no member has one of them yet
    bool             fills;         // holes: only the batch holds the world
    kith_batch_item  inline_items[KITH_BATCH_ITEMS_INLINE];
    kith_error       error; // why the batch failed
} kith_batch;

// Allocates zeroed memory until the end of the batch; frees it.
void *kith_batch_alloc(kith_world *world, size_t size, size_t alignment);
void  kith_batch_free(kith_world *world, void *memory, size_t size, size_t alignment);

static inline size_t kith_batch_gained_bytes(const kith_batch *batch)
{
    return ((size_t)batch->list.count / 64 + 1) * sizeof(uint64_t);
}

static inline bool kith_batch_item_is_flag(const kith_batch_item *item)
{
    return item->storage->desc.kind == KITH_KIND_FLAG;
}

static inline const void *kith_batch_item_value(const kith_batch_item *item, uint32_t member)
{
    return item->values == NULL ? NULL : item->values + member * item->stride;
}

// --- items (batch_add.c) ---------------------------------------------------------------------

// Makes a batch without items.
void kith_batch_init(kith_batch *batch, kith_world *world, const char *call);

// Makes the items for `sets`; the caller sets the list afterwards. Returns false and reports an
// error for wrong sets. kith_batch_end must follow in every case.
bool kith_batch_begin(kith_batch *batch, const kith_values *sets, uint32_t set_count);

// Makes the items from the components of `prefab`. Returns false and reports an error when a value
// cannot be copied.
bool kith_batch_copies(kith_batch *batch, kith_entity prefab);

// Makes the items for clones of `originals`, which are alive in `from`.
bool kith_batch_clones(kith_batch *batch, uint32_t count);

// Return whether an item has listeners now; and whether no member is being destroyed or losing an
// item, which otherwise reports an error.
bool kith_batch_has_listeners(const kith_batch *batch);
bool kith_batch_allowed(const kith_batch *batch);

// Returns the most scratch bytes that a batch for `count` entities needs.
size_t kith_batch_bytes(const kith_world *world, uint32_t count);

// Announces what was added.
void kith_batch_announce(kith_batch *batch);
void kith_batch_end(kith_batch *batch);

// Creates entities with all items and announces them. Returns false and reports an error when
// nothing changed. The caller holds the world.
bool kith_batch_create(kith_batch *batch, kith_entity *entities, uint32_t count);

// --- rows (batch_rows.c) ---------------------------------------------------------------------

// Adds all items to all members. Returns false when nothing changed; `error` then says why and is
// not reported yet. The caller holds the world.
bool kith_batch_add(kith_batch *batch);

// --- removing (batch_remove.c) ---------------------------------------------------------------
//
// Removes components from entities, or destroys them. By definition each removed row leaves a hole,
// and holes are closed when the world settles. A pool without hooks needs no holes while removed
// rows are consecutive: the removal extends one cut, and at the end takes out all its rows at once.
//
//     [ kept | cut: first .. end - 1 | kept ]
//
// If a group owns pools with the same cut, members behind the cut fill it first: then the cut is at
// the border of the group. If the cuts of its pools differ, the rows become holes.

typedef struct kith_batch_removal {
    kith_world    *world;
    kith_signature what;    // components to remove; all of them to destroy
    bool           destroy; // destroys the entities
    bool           singly;  // one by one: there are listeners, a loop is open, groups see each step
    bool           grouped; // entities leave or join groups
    const char    *call;
    uint64_t       cuts;  // of the first 64 storages: those with a cut first[bit]..end[bit]-1
    uint64_t       holes; // and those with holes
    uint32_t       first[64];
    uint32_t       end[64];
} kith_batch_removal;

// Begins to remove components, or to destroy entities: `what` becomes all components, or none; the
// caller takes some out, or adds some. Holds the world until kith_batch_removal_end.
void kith_batch_removal_begin(kith_batch_removal *removal, kith_world *world, bool destroy,
                              bool all, const char *call);

// Returns whether listeners may run, otherwise reports an error.
bool kith_batch_removal_can_announce(const kith_batch_removal *removal);

// Returns whether listeners may run and nothing of the list is being removed already, otherwise
// reports an error. Nothing is removed yet.
bool kith_batch_removal_allowed(const kith_batch_removal *removal, const kith_entity_list *list);

// Removes from the entities of a list. May be called several times before the end.
void kith_batch_remove_from(kith_batch_removal *removal, const kith_entity_list *list);
void kith_batch_removal_end(kith_batch_removal *removal);
