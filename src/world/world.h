// SPDX-License-Identifier: MIT
// The world: the entity table, the storages of components, and everything that belongs to them.
//
//     component id --> head.pools_[id] --> storage: pool, description, signature bit
//     signature bit --> by_bit[bit]    --> the same storage
//
// head.pools_ has a pool for every id; unregistered ids share an empty one. A storage lives as long
// as the world and never moves. A bit of a living entity's signature is set exactly when the entity
// has a row in that storage's pool, or has the flag.
//
// The world is *held* while a loop is open, an event is announced, or a call that causes many
// events is running: shared.held counts them. While held > 0, removed values stay in their rows.
// When held returns to 0, the world settles.
#pragma once

#include "base/arena.h"
#include "store/handle_map.h"
#include "world/access.h"
#include "world/announce.h"
#include "world/error.h"
#include "world/loop_stack.h"

#include "kith/object.h"

#include <stdatomic.h>

// head.busy_: the low 16 bits count running hooks, the bits above count announced events.
#define KITH_HOOKS_MASK 0xffffu
#define KITH_EVENT_UNIT 0x10000u

// What the running system may access when it is checked: one bit for each component id. Meanwhile
// head.pools_ has only the pools that the system may write, so that inline code cannot bypass the
// check. `pools` has all of them.
typedef struct kith_access_check {
    const char      *system;
    const uint64_t  *reads;
    const uint64_t  *writes;
    kith_pool_head_ *pools[KITH_COMPONENT_MAX + 1];
} kith_access_check;

// The most events that may be announced inside one another.
#define KITH_NESTED_MAX 32u

// The latest error, with the text of error.other when that is not NULL. KITH_OK: none.
typedef struct kith_kept_error {
    kith_error error;
    char       other[256];
} kith_kept_error;

// The latest error that a call itself made, not one of its hooks and listeners.
typedef struct kith_call_error {
    uint32_t   nested; // world->nested when the call began
    kith_error error;  // KITH_OK: none
    char       other[256];
} kith_call_error;

// How groups gain and lose members (membership.h).
typedef struct kith_membership kith_membership;

#ifndef NDEBUG
// Which system destroyed an entity, and when: for the error of a dead handle, in builds with
// asserts. An entity has the place of its index, modulo KITH_ENDED_PLACES; the latest one stays.
// The place has a copy of the name, because systems end, too.
    #define KITH_ENDED_PLACES 256u

typedef struct kith_ended {
    kith_entity entity;
    uint64_t    tick;
    char        system[24]; // "": outside of systems
} kith_ended;
#endif

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
    kith_arena       *arena; // the source of all memory; NULL: the allocator of the description
    kith_error_fn     on_error;
    void             *error_context;
    atomic_uint       errors_printed; // also counted by calls on several threads
    bool errors_muted; // errors are only recorded: the error hook runs, or a call may fail
    kith_kept_error latest;
    void           *user;
    uint64_t        tick;
    kith_allocator  scratch_memory; // for memory that a call frees before it returns
    kith_arena     *scratch;        // reserved for that; NULL: nothing is reserved
    size_t          borrowed;       // bytes that running batches allocated beyond the scratch
    // open loops
    kith_loop        loops[KITH_LOOP_DEPTH_MAX];
    uint32_t         depth;
    uint32_t         table_watch; // the loops that walk the entity table, one bit per depth
    uint64_t         serial;      // of the newest block of a loop
    uint32_t         block_rows;  // the most places that a loop gathers from at once
    const kith_simd *simd;
    uint64_t         unsettled[KITH_SIGNATURE_WORDS]; // storages with removed values, one bit each
    bool             unsettled_singles;
    bool             unsettled_any;
    // listeners
    kith_listeners events[KITH_EVENT_LISTS]; // create, destroy, replaced
    kith_listener  listener;                 // the newest number; see announce.c
    kith_frame     frames[KITH_NESTED_MAX];
    uint32_t       nested;            // events that are being announced
    uint32_t       batch_depth;       // `nested` when the running batch began
    bool           disconnected;      // a listener was disconnected during an event: sweep later
    bool           without_objects;   // an internal world: it loads no objects of the program
    bool           clearing;          // kith_world_clear runs: no link refuses
    uint32_t       destroy_observers; // listeners of remove and destroy, plus groups
    bool (*destroy_observed)(kith_world *, kith_entity, kith_entity_page *); // set by the first
    uint64_t     removal_listeners[KITH_SIGNATURE_WORDS]; // components whose removal is listened to
    kith_object *oldest;                                  // the list of objects
    kith_object *newest;
    kith_group_list        groups;     // that are not dropped
    const kith_membership *membership; // how they gain and lose members; NULL: no group was made
    // links (link/link.c)
    kith_storage *links;          // all components that are links
    uint32_t      pending_frames; // events that end before pending holders are destroyed
    uint32_t      pending_level;  // of the pending holder that is being destroyed; 0: none
    // destroys pending holders after the last of these events; NULL: none is pending
    void (*after_event)(kith_world *world);
    // returns whether the entity can be destroyed, otherwise reports an error; NULL: it can
    bool (*may_destroy)(kith_world *world, kith_entity entity, const char *call);
    // lists of objects of one kind
    struct kith_query *queries;
    kith_path         *paths;     // the oldest first
    kith_queue        *queues;    // the same
    kith_reactive     *reactives; // the same
    // systems
    struct kith_schedule *schedule;     // NULL: no system was created yet
    kith_access_check    *access_check; // NULL: no checked system is running
    bool                  in_stage;     // parts of systems are running, on several threads
    int                   entered;      // runs of the schedule and events: see kith_world_enter
    struct kith_stage    *stage;        // what stages keep; NULL: none was run yet
    struct kith_workers  *workers;      // that run parts; NULL: the calling thread alone
    kith_world           *next_user;    // of these workers
    _Atomic(const char *) thread;       // see kith_world_enter; NULL: no thread is known to be in
    // commands
    uint32_t         command_number; // of the next buffer
    uint32_t         applying;       // buffers that are being applied to this world
    uint64_t         registrations;
    uint64_t         history;    // grows when a load or a restored frame replaces the state
    uint64_t         merged;     // number of the latest merge that the state has; 0: none
    uint64_t         made;       // number of the newest object or system
    kith_call_error *call_error; // of the command that is being applied; NULL: not recorded
    const char      *name;       // the program's; may be NULL
#ifndef NDEBUG // last: tests of internals, without asserts, find all other members
    kith_ended ended[KITH_ENDED_PLACES];
    uint64_t   ended_history; // `history` of these
    char       running[24];   // the name of the running system, cut; "": none
#endif
#ifdef KITH_DEBUG
    _Atomic(const kith_declared_ *) declared[KITH_COMPONENT_MAX + 1]; // by typed code that was used
#endif
};

// Inline code in the public headers relies on these offsets.
_Static_assert(offsetof(struct kith_world, head) == 0, "the head comes first");
_Static_assert(offsetof(kith_storage, pool.set.head) == 0, "the pool's head comes first");
_Static_assert(offsetof(kith_storage, desc) == offsetof(kith_storage, head) + sizeof(void *),
               "the description follows the address of the pool's head");
_Static_assert(offsetof(kith_entity_page, signature) == offsetof(kith_entity_page_, signature_) &&
                   offsetof(kith_entity_page, more) == offsetof(kith_entity_page_, more_) &&
                   offsetof(kith_entity_page, planes) == offsetof(kith_entity_page_, planes_),
               "an entity page begins with what inline code reads");

// Creates a world; returns NULL, with the reason in `error`, when the description is wrong or
// memory runs out (create.c).
kith_world *kith_world_make(const kith_world_desc *desc, kith_error *error);

// Frees a world that nothing uses, also when one of its objects says that it is busy (create.c).
void kith_world_free(kith_world *world);

// Frees the scratch memory that kith_world_reserve reserved (create.c).
void kith_world_free_scratch(kith_world *world);

// Whether the bit of the number is set: a component id, or the bit of a signature.
static inline bool kith_ids_have(const uint64_t *bits, uint32_t id)
{
    return (bits[id >> 6] >> (id & 63) & 1) != 0;
}

// The storage of an id in a directory of the head, or NULL.
static inline kith_storage *kith_pools_storage(kith_pool_head_ *const *pools,
                                               kith_component          component)
{
    if (component > KITH_COMPONENT_MAX || pools[component]->id_ == 0) {
        return NULL;
    }
    return (kith_storage *)(void *)pools[component];
}

// The storage of a registered id, or NULL, also when the access check hides it. Reports no error
// (access.c).
kith_storage *kith_world_storage(const kith_world *world, kith_component component);

// The same for the first `length` bytes of a text, which are a name (register.c).
kith_storage *kith_world_storage_named(const kith_world *world, const char *name, size_t length);

// Between begin and end, events of single entities belong to a batch: listeners that take many
// entities at once are not called for them. `outer` restores the enclosing batch.
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

// Builds with asserts notice a call on another thread while one thread runs the schedule or
// announces an event. `enter` is called with 1 before and with -1 behind these; `require_thread`
// returns false and reports an error (access.c). And they record which system destroyed `count`
// consecutive handles; `name_running` names the running system, or NULL (error.c).
// Builds with KITH_DEBUG do the same while a loop is open, and inline code changes nothing.
#if defined(KITH_DEBUG) && !defined(NDEBUG)
    #define kith_loop_enter(WORLD, CHANGE)                                                         \
        ((WORLD)->in_stage ? (void)0 : kith_world_enter(WORLD, CHANGE))
#else
    #define kith_loop_enter(WORLD, CHANGE) ((void)(WORLD))
#endif
#ifdef NDEBUG
    #define kith_world_enter(WORLD, CHANGE)              ((void)(WORLD))
    #define kith_require_thread(WORLD, CALL)             true
    #define kith_world_record_ended(WORLD, FIRST, COUNT) ((void)0)
    #define kith_world_name_running(WORLD, NAME)         ((void)0)
#else
void kith_world_enter(kith_world *world, int change);
bool kith_require_thread(const kith_world *world, const char *call);
void kith_world_record_ended(kith_world *world, kith_entity first, uint32_t count);
void kith_world_name_running(kith_world *world, const char *name);
#endif

// Builds with KITH_DEBUG report mistakes that fail no call: `text` is the whole sentence (error.c).
// And they know how typed code declared the component of an error: the second function adds its
// name, and the place of the declaration (register.c).
#ifdef KITH_DEBUG
void kith_world_notice(kith_world *world, const char *call, const char *text);
void kith_world_name_declared(const kith_world *world, kith_error *error);
#else
    #define kith_world_name_declared(WORLD, ERROR) ((void)(WORLD))
#endif

// Returns true = go on: no hook is running. Otherwise reports an error, the second function with
// the component and the entity of the call.
bool kith_require_unlocked(kith_world *world, const char *call);

static inline bool kith_require_unlocked_for(kith_world *world, const char *call,
                                             kith_component component, kith_entity entity)
{
    return KITH_LIKELY_((world->head.busy_ & KITH_HOOKS_MASK) == 0)
               ? kith_require_thread(world, call)
               : kith_world_refuse(world, KITH_ERROR_BUSY, call, component, entity);
}

// The world is locked while a hook runs: every call that changes it is refused.
static inline void kith_world_lock(kith_world *world)
{
    world->head.busy_++;
}

static inline void kith_world_unlock(kith_world *world)
{
    assert((world->head.busy_ & KITH_HOOKS_MASK) != 0);
    world->head.busy_--;
}

// Holds and releases the world. The last release settles it (announce.c).
static inline void kith_hold(kith_world *world)
{
    world->shared.held++;
}

void kith_release(kith_world *world);

// Remove the components of an entity and free its slot, with the world held and not (entity.c).
// Return true.
bool kith_entity_end_later(kith_world *world, kith_entity entity);
bool kith_entity_end_now(kith_world *world, kith_entity entity, kith_entity_page *page);

// Destroys an entity of a world with listeners or groups (listener.c). The first of them makes
// kith_entity_destroy call it, so that a program without them does not link it.
bool kith_entity_destroy_observed(kith_world *world, kith_entity entity, kith_entity_page *page);

// Opens the next loop; without a plan it is a hold. `name` must live as long as the loop.
static inline void kith_loop_open(kith_world *world, kith_loop *loop, const kith_plan *plan,
                                  const char *name)
{
    memset(&loop->cache, 0, offsetof(kith_loop, lead) - offsetof(kith_loop, cache));
    loop->plan   = plan;
    loop->bit    = 1u << world->depth++;
    loop->name   = name;
    loop->ticket = loop->serial = ++world->serial;
    kith_loop_enter(world, 1);
    kith_hold(world);
}

// Records that the storage has rows whose values were removed while the world is held.
static inline void kith_world_unsettle(kith_world *world, const kith_storage *storage)
{
    world->unsettled[storage->bit >> 6] |= UINT64_C(1) << (storage->bit & 63);
    world->unsettled_any = true;
}

// Updates the copy of the entity table's pages in the head, which inline code reads. Call it after
// the table may have grown or shrunk.
static inline void kith_world_update_head(kith_world *world)
{
    world->head.entities_     = (uint64_t *const *)world->entities.pages;
    world->head.entity_pages_ = world->entities.page_count;
}

// --- objects ---------------------------------------------------------------------------------
//
// Of the library's own kinds and of the program's: a queue, a group, a stored query, a buffer of
// commands each begins with a kith_object, and the world knows no kind by name.
//
//     world->oldest --> object <--> object <--> object <-- world->newest
//
// The world walks the list to end, to shrink and to count memory, and calls the functions of each
// object. Objects of the program have a key; those of the library have none.

// Adds an object, without a key, as the newest; takes an object out of the list; takes it out and
// destroys it, with the world locked (create.c).
void kith_object_link(kith_world *world, kith_object *object, const kith_object_ops *ops);
void kith_object_unlink(kith_object *object);
void kith_object_end(kith_object *object);

// The object with this kind and key, or NULL (object.c).
kith_object *kith_object_find(const kith_world *world, const char *kind, const char *key);

// The next object with a `state` function at or behind `object`, or NULL (object.c).
kith_object *kith_object_with_state(kith_object *object);
