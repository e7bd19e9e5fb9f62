// SPDX-License-Identifier: MIT
// A storage: a component in one world. It holds the pool (empty for flags and singletons), the
// description with every default filled in, the bit in the signatures, the required components, the
// listeners, and the open loops that must be notified of changes: one bit per depth of the loop
// stack.
#pragma once

#include "kith/link.h"

#include "store/field.h"
#include "store/listener_list.h"
#include "store/pool.h"

#define KITH_NO_BIT UINT32_MAX

// Groups, outer ones before inner ones.
typedef struct kith_group_list {
    kith_group **groups;
    uint32_t     count;
    uint32_t     capacity;
} kith_group_list;

// How values will be saved, once the registration that says so has succeeded.
typedef struct kith_learned {
    bool        waits; // `saved` and `layout` are valid
    kith_saved  saved;
    kith_layout layout;
} kith_learned;

struct kith_storage;

// What the library calls for a component that is a link (link/link.h): a table, so that a program
// without links does not link them.
typedef struct kith_link_ops {
    // adds or, if `replace`, changes a link; the entity is alive; returns NULL with an error
    void *(*set)(kith_world *world, kith_entity entity, struct kith_storage *links,
                 const void *value, bool replace, const char *call);
    // returns whether the target in the value can be linked, or reports an error; KITH_NULL: the
    // entity does not exist yet; reserves its list, as one of `*new_lists` that the call may add
    bool (*accept)(kith_world *world, struct kith_storage *links, kith_entity entity,
                   const void *value, uint32_t *new_lists, const char *call);
    // adds the list of a target, unless it is there; its memory is reserved
    void (*attach)(kith_world *world, struct kith_storage *lists, kith_entity target);
    // changes the target of a holder to one that was accepted, or makes a new row one
    void (*replace)(kith_world *world, struct kith_storage *links, kith_entity entity,
                    const void *value);
    // gives holders of the target the order that `lists` has for those that `follow` maps to them
    void (*order)(struct kith_storage *links, kith_entity target, const struct kith_storage *lists,
                  kith_entity original, kith_map_entity_fn follow, const void *context);
    // makes the component with the same id a link; returns false when memory runs out
    bool (*copy)(kith_world *clone, const struct kith_storage *from);
    // returns what is wrong with the lists, or NULL; `numbered`: with the arrivals, too
    const char *(*check)(const kith_world *world, const struct kith_storage *links, bool numbered);
    void (*number)(struct kith_storage *links); // gives arrivals in the order of valid lists
} kith_link_ops;

// The part of a storage that a link uses, or the component of its targets.
typedef struct kith_link_part {
    const kith_link_ops *ops;     // NULL: not a link
    struct kith_storage *partner; // of a link the component of its targets, and of that the link
    struct kith_storage *next;    // link of the world
    uint64_t             arrivals;
    kith_target          policy;
    kith_holder_list     pending; // holders that wait to be destroyed
} kith_link_part;

// Where to look for a name: see name/name.c.
typedef struct kith_name_index {
    uint64_t *slots; // the hash of a name above 1 + the index of its entity; 0: free
    uint32_t  capacity;
    uint32_t  used;
    uint32_t  listeners; // how many events it hears: KITH_EVENT_ADD, KITH_EVENT_SET
    uint64_t  made;      // 1 + history of the world when it was made; 0: it is not
    bool (*has_all)(const kith_world *world, const struct kith_storage *names); // for validate
} kith_name_index;

// The kinds of components that access checks tell apart, beside kith_kind.
enum { KITH_ACCESS_LINK = KITH_KIND_SINGLETON + 1, KITH_ACCESS_LIST };

typedef struct kith_storage {
    kith_pool              pool;     // first: the world's directory points to its head
    const kith_pool_head_ *head;     // of the pool, for inline code that has the description
    kith_component_desc    desc;     // its name and the required ids follow this struct
    size_t                 bytes;    // of the block with these
    kith_layout            layout;   // of values in files and hashes
    kith_learned           learned;  // while the component is registered again
    uint32_t               order;    // place in registration order
    uint32_t               bit;      // KITH_NO_BIT for singletons
    struct kith_storage  **required; // all required storages, also indirectly, in adding order
    uint32_t               required_count;
    uint32_t               required_capacity;
    void                  *single;    // the value of a singleton, or NULL
    uint64_t               stamp;     // the tick of the last write to it
    void                  *gone;      // list: singleton values removed while the world was held
    void                  *kept;      // memory for the next value of the singleton, or NULL
    bool                   keeps;     // freeing a singleton value moves its memory to `kept`
    bool                   unknown;   // from a snapshot: the program did not register it
    bool                   is_bytes;  // plain, swaps, requires nothing: adding only stores
    bool                   is_direct; // in no group, and its bit is in the first signature word
    bool                   is_own;    // the library owns the hooks and values, forever
    bool                   is_hierarchy;
    uint8_t                access;            // kith_kind, or KITH_ACCESS_LINK or _LIST
    bool                   destroys_children; // of a hierarchy: with their parent
    uint64_t               relinked; // of a hierarchy or link: how often links have changed
    kith_link_part         link;
    kith_listeners         events[KITH_EVENT_LISTS]; // add, set, remove
    uint32_t               add_watch;   // loops to notify when an entity gets the component
    uint32_t               drop_watch;  // loops to notify when it is removed, disabled or enabled
    kith_group_list        groups_with; // groups whose members have the component
    kith_group_list        groups_without; // groups whose members lack it
    struct kith_group     *sole_group; // the only group of both lists, if it requires the component
    uint32_t               reservers;  // groups and watches with room for every entity that has it
    struct kith_watch     *watches;    // of reactive sets, a list
    // reserves room in these sets for `more` entities that are about to get the component
    bool (*reserve_watches)(const struct kith_storage *storage, uint64_t more);
    struct kith_path *path; // the oldest path that has the component
    kith_name_index   names;
} kith_storage;

// Creates a storage. `desc` is complete and checked; `pools` maps ids to the required storages.
// Returns NULL when memory runs out.
kith_storage *kith_storage_create(const kith_component_desc *desc, kith_pool_head_ *const *pools,
                                  kith_shared *shared);

// Destructs all values. Frees the memory of a singleton.
void kith_storage_clear(kith_storage *storage);

// The memory of a singleton value, with a link before it. `alloc` returns NULL when memory runs
// out. `remove_later` moves the value to the list `gone`; `settle` destructs and frees that list.
void *kith_storage_alloc_single(kith_storage *storage);
void  kith_storage_free_single(kith_storage *storage, void *value);
void  kith_storage_remove_single_later(kith_storage *storage);
void  kith_storage_settle(kith_storage *storage);

// Reserves memory for a value of the singleton and keeps it reserved. Returns false when memory
// runs out. The second function frees the reserve.
bool kith_storage_reserve_single(kith_storage *storage);
void kith_storage_shrink_single(kith_storage *storage);

// Returns how many entities have the component.
uint32_t kith_storage_count(const kith_storage *storage);

// Whether an entity has the component, or the singleton has a value.
static inline bool kith_storage_is_used(const kith_storage *storage)
{
    return storage->single != NULL || kith_storage_count(storage) != 0;
}

// Destructs all values and frees the storage.
void kith_storage_free(kith_storage *storage);

// Sets the bit of the component in the signatures.
void kith_storage_set_bit(kith_storage *storage, uint32_t bit);

// Returns the bit of the component if inline code may add it, and 0 otherwise. It may when the
// component is a row of bytes or a flag, and no loop, reactive set or listener to removals must
// know. Inline code announces added and set rows to groups and listeners, but not added flags. Call
// `update` when that changes.
uint64_t kith_storage_inline_bit(const kith_storage *storage);
void     kith_storage_update_inline_bit(kith_storage *storage);

// Whether the component is saved, in any form.
static inline bool kith_storage_is_saved(const kith_storage *storage)
{
    return storage->desc.traits.saved.form != KITH_FORM_TRANSIENT;
}

// Whether the component has values but no form of saving.
static inline bool kith_storage_lacks_form(const kith_storage *storage)
{
    return storage->desc.size != 0 && storage->desc.traits.saved.form == KITH_FORM_NONE;
}

// Whether a group requires or excludes the component.
static inline bool kith_storage_in_group(const kith_storage *storage)
{
    return (storage->groups_with.count | storage->groups_without.count) != 0;
}

// What `listeners_` of the pool's head must be.
static inline uint32_t kith_storage_announced(const kith_storage *storage)
{
    return (storage->events[KITH_EVENT_ADD].count + storage->events[KITH_EVENT_SET].count) |
           (kith_storage_in_group(storage) ? KITH_IN_GROUP_ : 0);
}

// Reserves room in the reactive sets that watch the component, for `more` entities that are about
// to get it. Returns false when memory runs out.
static inline bool kith_watch_reserve_more(const kith_storage *storage, uint64_t more)
{
    return KITH_LIKELY_(storage->watches == NULL) || storage->reserve_watches(storage, more);
}

// Whether setting the component of an entity that has it replaces a value.
static inline bool kith_storage_can_replace(const kith_storage *storage)
{
    return storage->desc.size != 0 && !storage->is_hierarchy;
}

// Whether the row of an entity that has the component is enabled.
static inline bool kith_storage_enabled_at(const kith_storage *storage, uint32_t index)
{
    return storage->pool.set.head.disabled_ == 0 ||
           !kith_pool_is_disabled(&storage->pool,
                                  kith_sparse_set_row_at(&storage->pool.set, index));
}

// Sets the hooks of the values. Does nothing for a component whose values the library owns.
void kith_storage_set_hooks(kith_storage *storage, const kith_hooks *hooks);

// Adds the bytes that the storage has allocated.
void kith_storage_memory(const kith_storage *storage, kith_memory *memory);
