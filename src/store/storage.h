// SPDX-License-Identifier: MIT
// A storage: a component as one world knows it. Its pool (empty for flags and singletons), its
// description with every default filled in, its bit in the signatures, what it requires, who
// listens, and which open loops must hear of changes: a bit a depth of the loop stack.
#ifndef KITH_STORE_STORAGE_H
#define KITH_STORE_STORAGE_H

#include "store/field.h"
#include "store/listener_list.h"
#include "store/pool.h"

#define KITH_NO_BIT UINT32_MAX

// Groups, the outer before the inner.
typedef struct kith_group_list {
    kith_group **groups;
    uint32_t     count;
    uint32_t     capacity;
} kith_group_list;

// How values are to be saved, when the registration that says so has succeeded.
typedef struct kith_learned {
    bool        waits; // there is something to learn
    kith_saved  saved;
    kith_layout layout;
} kith_learned;

typedef struct kith_storage {
    kith_pool             pool;      // first: the world's directory points to its head
    kith_component_desc   desc;      // name and required ids are the storage's own copies
    kith_layout           layout;    // of its values in files and hashes
    kith_learned          learned;   // while it is registered again
    uint32_t              order;     // its place in registration order
    uint32_t              bit;       // KITH_NO_BIT for singletons
    uint64_t              plain_bit; // inline_bit_, but for listeners and loops; 0 for flags
    struct kith_storage **needs;     // all it requires, also indirectly, in the order of adding
    uint32_t              need_count;
    uint32_t              need_capacity;
    void                 *single; // a singleton's value, or NULL
    void                 *gone;   // values of the singleton that were left while the world was held
    void                 *kept;   // memory for the singleton's next value, or NULL
    bool                  keeps;  // memory of a value that goes is kept
    bool                  unknown;      // from a snapshot: the program did not register it
    bool                  is_hierarchy; // hooks and values are the library's own, and stay
    uint64_t              relinked;     // of a hierarchy: how often links became others
    kith_event_list       events[3];    // add, set, remove
    uint32_t              add_watch;    // loops for which adding it to an entity matters
    uint32_t              drop_watch;   // and removing it, or disabling and enabling its row
    kith_group_list       required;     // groups whose members have it
    kith_group_list       excluded;     // groups whose members do not
    uint32_t              anchors;      // groups and watches that have room for all who have it
    struct kith_watch    *watches;      // of reactive sets, a list
    struct kith_path     *path;         // the oldest that has it
} kith_storage;

// `desc` is complete and checked; `pools` finds the storages that it requires by their ids.
KITH_INTERNAL kith_storage *kith_storage_create(const kith_allocator      *memory,
                                                const kith_component_desc *desc,
                                                kith_pool_head_ *const *pools, kith_shared *shared);

// Destructs all values. A singleton's memory goes with its value.
KITH_INTERNAL void kith_storage_clear(kith_storage *storage, const kith_allocator *memory);

// A singleton's memory, with room in front for a link, or NULL. To leave a value is to put it
// aside until the world settles; the last ends those that were left.
KITH_INTERNAL void *kith_storage_alloc_single(kith_storage *storage, const kith_allocator *memory);
KITH_INTERNAL void  kith_storage_free_single(kith_storage *storage, const kith_allocator *memory,
                                             void *value);
KITH_INTERNAL void  kith_storage_remove_single_later(kith_storage *storage);
KITH_INTERNAL void  kith_storage_settle(kith_storage *storage, const kith_allocator *memory);

// From now on the singleton has memory for a value at hand, also when it has none; false when
// memory runs out. The second gives that up.
KITH_INTERNAL bool kith_storage_reserve_single(kith_storage *storage, const kith_allocator *memory);
KITH_INTERNAL void kith_storage_shrink_single(kith_storage *storage, const kith_allocator *memory);

// How many entities have the component.
KITH_INTERNAL uint32_t kith_storage_count(const kith_storage *storage);

// Whether there are any, or the singleton is there.
static inline bool kith_storage_is_used(const kith_storage *storage)
{
    return storage->single != NULL || kith_storage_count(storage) != 0;
}

// The same, and gives all memory back.
KITH_INTERNAL void kith_storage_release(kith_storage *storage, const kith_allocator *memory);

// Gives the storage its place in the signatures. To take a flag away from an entity, as a row, is
// to call the pool's remove.
KITH_INTERNAL void kith_storage_set_bit(kith_storage *storage, uint32_t bit);

// The bit of a component that inline code may add and remove, because that is no more than a row of
// bytes or a flag, and nobody must hear of it; 0 for others. To be brought up to date when any of
// that changes.
KITH_INTERNAL uint64_t kith_storage_inline_bit(const kith_storage *storage);
KITH_INTERNAL void     kith_storage_update_inline_bit(kith_storage *storage);

// Whether what entities have of the component is saved, in whatever form.
static inline bool kith_storage_is_saved(const kith_storage *storage)
{
    return storage->desc.traits.saved.form != KITH_FORM_TRANSIENT;
}

// Whether it has values of which nobody said how they are saved.
static inline bool kith_storage_lacks_form(const kith_storage *storage)
{
    return storage->desc.size != 0 && storage->desc.traits.saved.form == KITH_FORM_NONE;
}

// Whether some group asks for the component, or excludes it.
static inline bool kith_storage_in_group(const kith_storage *storage)
{
    return (storage->required.count | storage->excluded.count) != 0;
}

// Whether a value takes the place of one that is there.
static inline bool kith_storage_can_replace(const kith_storage *storage)
{
    return storage->desc.size != 0 && !storage->is_hierarchy;
}

// Whether the row of an entity that has the component is enabled.
static inline bool kith_storage_enabled_at(const kith_storage *storage, uint32_t index)
{
    return storage->pool.disabled_count == 0 ||
           !kith_pool_is_disabled(&storage->pool,
                                  kith_sparse_set_row_at(&storage->pool.set, index));
}

// From now on the values live through these hooks, unless it is bound to others.
KITH_INTERNAL void kith_storage_set_hooks(kith_storage *storage, const kith_hooks *hooks);

// Adds what the storage has taken.
KITH_INTERNAL void kith_storage_memory(const kith_storage *storage, kith_memory *memory);

#endif
