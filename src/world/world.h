// SPDX-License-Identifier: MIT
// The world: where entities and pools meet.
//
//     component id --> head.pools_[id] --> storage: pool, description, signature bit
//     signature bit --> by_bit[bit]    --> the same storage
//
// Every id has a storage's pool in head.pools_; ids that nobody registered share an empty one.
// Columns live as long as the world and never move. A bit of a living entity's signature is set
// exactly when the entity has a row in that storage's pool, or the flag.
//
// The world is *held* while a loop is open, an event is announced or a call that makes many events
// runs: shared.held counts them. Then removed values stay where they are, and when it comes to 0
// the world settles.
#ifndef KITH_WORLD_WORLD_H
#define KITH_WORLD_WORLD_H

#include "base/arena.h"
#include "store/handle_map.h"
#include "world/access.h"
#include "world/announce.h"
#include "world/error.h"
#include "world/loop_stack.h"

#include <stdatomic.h>

// head.busy_ counts running hooks, and above them events that are being announced.
#define KITH_HOOKS_MASK 0xffffu
#define KITH_EVENT_UNIT 0x10000u

// What the checked system that has its turn may touch: bits by component id. Meanwhile the world's
// directory shows it, and inline code, only what it may write; all pools are in this one.
typedef struct kith_access_check {
    const char      *system;
    const uint64_t  *reads;
    const uint64_t  *writes;
    kith_pool_head_ *pools[KITH_COMPONENT_MAX + 1];
} kith_access_check;

// How deep listeners may cause events that are heard.
#define KITH_NESTED_MAX 32u

// The latest error of a call itself, and not of the hooks and listeners that ran in it.
typedef struct kith_call_error {
    uint32_t   nested; // events that were being announced when it was called
    kith_error error;  // KITH_OK: none
    char       other[256];
} kith_call_error;

struct kith_world {
    kith_world_head_  head; // first: inline code reads it
    kith_entity_table entities;
    kith_shared       shared;
    kith_storage    **storages; // in registration order
    uint32_t          storage_count;
    uint32_t          storage_capacity;
    kith_storage    **by_bit;
    uint32_t          bit_count;
    uint32_t          bit_capacity;
    kith_allocator    memory;
    kith_arena       *arena; // where memory comes from; NULL: from the allocator that was given
    kith_error_fn     on_error;
    void             *error_context;
    atomic_uint       errors_printed; // also counted by calls on several threads
    bool              errors_muted;   // the error hook runs
    kith_error        error;
    char              error_other[256]; // error.other, when it is not NULL
    void             *user;
    uint64_t          tick;
    kith_allocator    scratch_memory; // for what a call gives back before it returns
    kith_arena       *scratch;        // reserved for that; NULL: nothing
    size_t            borrowed;       // bytes beyond it that batches have taken until they are done
    // open loops
    kith_loop            loops[KITH_LOOP_DEPTH_MAX];
    uint32_t             depth;
    uint32_t             table_watch; // the loops that walk the entity table, a bit a depth
    uint64_t             serial;      // of the newest loop
    uint32_t             block_rows;  // the most places that a loop examines at once
    kith_match_prefix_fn match_prefix;
    kith_select_words_fn select_words;
    uint64_t unsettled[KITH_SIGNATURE_WORDS]; // storages with values that were left, a bit each
    bool     unsettled_singles;
    bool     unsettled_any;
    // listeners
    kith_event_list events[2]; // create, destroy
    kith_listener   listener;  // the newest number; see announce.c
    kith_frame      frames[KITH_NESTED_MAX];
    uint32_t        nested;            // events that are being announced
    uint32_t        batch_depth;       // events so deep are a batch's: many have heard of them
    bool            disconnected;      // some listener was, while events were announced
    uint32_t        destroy_observers; // reasons for destroying in full: such listeners, and groups
    uint64_t removal_listeners[KITH_SIGNATURE_WORDS]; // components whose removal is listened to
    struct kith_query *queries;                       // stored ones, a list
    kith_group_list    groups;
    kith_path         *paths;     // a list, the oldest first
    kith_queue        *queues;    // the same
    kith_reactive     *reactives; // the same
    struct kith_merge *merges;    // a list, the newest first
    // systems
    struct kith_schedule *schedule;     // NULL: there was none yet
    kith_access_check    *access_check; // NULL: no checked system has its turn
    // commands
    struct kith_commands *commands;       // a list, the newest first
    uint32_t              command_number; // of the next
    uint32_t              applying;       // buffers that are applied to this world
    uint64_t              registrations;
    kith_call_error      *call_error; // of the call that a command stands for; NULL: nobody asks
};

// What inline code takes for granted.
_Static_assert(offsetof(struct kith_world, head) == 0, "the head comes first");
_Static_assert(offsetof(kith_storage, pool.set.head) == 0, "the pool's head comes first");
_Static_assert(offsetof(kith_entity_page, signature) == KITH_PAGE_SLOTS * sizeof(uint64_t),
               "signatures follow the slots");

// Creates a world; returns NULL, with the reason in `error`, when the description is wrong or
// memory runs out (create.c).
KITH_INTERNAL kith_world *kith_world_make(const kith_world_desc *desc, kith_error *error);

// Frees the memory that was reserved for the time of calls (create.c).
KITH_INTERNAL void kith_world_free_scratch(kith_world *world);

// Whether a component is among bits by ids.
static inline bool kith_ids_have(const uint64_t *bits, kith_component id)
{
    return (bits[id >> 6] >> (id & 63) & 1) != 0;
}

// The storage that the directory shows for an id, or NULL.
static inline kith_storage *kith_world_visible_storage(const kith_world *world,
                                                       kith_component    component)
{
    if (component > KITH_COMPONENT_MAX || world->head.pools_[component]->id_ == 0) {
        return NULL;
    }
    return (kith_storage *)(void *)world->head.pools_[component];
}

// The same for an id that the directory does not show.
static inline kith_storage *kith_world_hidden_storage(const kith_world *world,
                                                      kith_component    component)
{
    bool hidden = world->access_check != NULL && component <= KITH_COMPONENT_MAX &&
                  world->access_check->pools[component]->id_ != 0;
    return hidden ? (kith_storage *)(void *)world->access_check->pools[component] : NULL;
}

// The storage of a registered id, or NULL without an error.
static inline kith_storage *kith_world_storage(const kith_world *world, kith_component component)
{
    kith_storage *storage = kith_world_visible_storage(world, component);
    return KITH_LIKELY_(storage != NULL) ? storage : kith_world_hidden_storage(world, component);
}

// Between the two, events of single entities are those of a batch.
static inline uint32_t kith_world_begin_batch(kith_world *world)
{
    uint32_t outer     = world->batch_depth;
    world->batch_depth = world->nested;
    return outer;
}

static inline void kith_world_end_batch(kith_world *world, uint32_t outer)
{
    world->batch_depth = outer;
}

// Whether no hook runs: inside of one the call is an error.
static inline bool kith_require_unlocked_for(kith_world *world, const char *call,
                                             kith_component component, kith_entity entity)
{
    return KITH_LIKELY_((world->head.busy_ & KITH_HOOKS_MASK) == 0) ||
           kith_world_refuse(world, KITH_ERROR_BUSY, call, component, entity);
}

static inline bool kith_require_unlocked(kith_world *world, const char *call)
{
    return kith_require_unlocked_for(world, call, 0, KITH_NULL);
}

// While hooks run, every call that changes the world is refused.
static inline void kith_world_lock(kith_world *world)
{
    world->head.busy_++;
}

static inline void kith_world_unlock(kith_world *world)
{
    assert((world->head.busy_ & KITH_HOOKS_MASK) != 0);
    world->head.busy_--;
}

// Holds the world, and lets it go again, which settles it if nobody else holds it.
static inline void kith_hold(kith_world *world)
{
    world->shared.held++;
}

static inline void kith_release(kith_world *world)
{
    assert(world->shared.held != 0);
    if (--world->shared.held == 0 && world->unsettled_any) {
        kith_world_settle_all(world);
    }
}

// Notes that the storage has rows that were left.
static inline void kith_world_unsettle(kith_world *world, const kith_storage *storage)
{
    world->unsettled[storage->bit >> 6] |= UINT64_C(1) << (storage->bit & 63);
    world->unsettled_any = true;
}

// Brings what inline code reads of the entity table up to date.
static inline void kith_world_update_head(kith_world *world)
{
    world->head.entities_     = (uint64_t *const *)world->entities.pages;
    world->head.entity_pages_ = world->entities.page_count;
}

#endif
