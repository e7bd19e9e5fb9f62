// SPDX-License-Identifier: MIT
// The world: where entities and pools meet.
//
//     component id --> head.pools_[id] --> column: pool, description, signature bit
//     signature bit --> by_bit[bit]    --> the same column
//
// Every id has a column's pool in head.pools_; ids that nobody registered share an empty one.
// Columns live as long as the world and never move. A bit of a living entity's signature is set
// exactly when the entity has a row in that column's pool, or the flag.
//
// The world is *held* while a loop is open, an event is announced or a call that makes many events
// runs: shared.held counts them. Then removed values stay where they are, and when it comes to 0
// the world settles.
#ifndef KITH_WORLD_WORLD_H
#define KITH_WORLD_WORLD_H

#include "base/arena.h"
#include "base/simd.h"
#include "store/handle_map.h"
#include "world/loop_stack.h"
#include "world/queue.h"

#include <stdatomic.h>

// head.busy_ counts running hooks, and above them events that are being announced.
#define KITH_HOOKS_MASK 0xffffu
#define KITH_EVENT_UNIT 0x10000u

// What the checked system that has its turn may touch: bits by component id. Meanwhile the world's
// directory shows it, and inline code, only what it may write; all pools are in this one.
typedef struct kith_gate {
    const char      *system;
    const uint64_t  *reads;
    const uint64_t  *writes;
    kith_pool_head_ *pools[KITH_COMPONENT_MAX + 1];
} kith_gate;

// How deep listeners may cause events that are heard.
#define KITH_NESTED_MAX 32u

// The latest error of a call itself, and not of the hooks and listeners that ran in it.
typedef struct kith_own_error {
    uint32_t   nested; // events that were being announced when it was called
    kith_error error;  // KITH_OK: none
    char       other[256];
} kith_own_error;

struct kith_world {
    kith_world_head_  head; // first: inline code reads it
    kith_entity_table entities;
    kith_shared       shared;
    kith_column     **columns; // in registration order
    uint32_t          column_count;
    uint32_t          column_capacity;
    kith_column     **by_bit;
    uint32_t          bit_count;
    uint32_t          bit_capacity;
    kith_allocator    memory;
    kith_arena       *arena; // where memory comes from; NULL: from the allocator that was given
    kith_error_fn     on_error;
    void             *error_context;
    atomic_uint       errors_printed; // also counted by calls on several threads
    bool              telling;        // the error hook runs
    kith_error        error;
    char              error_other[256]; // error.other, when it is not NULL
    void             *user;
    uint64_t          tick;
    kith_allocator    passing;  // for what a call gives back before it returns
    kith_arena       *scratch;  // reserved for that; NULL: nothing
    size_t            borrowed; // bytes beyond it that batches have taken until they are done
    // open loops
    kith_loop            loops[KITH_LOOP_DEPTH_MAX];
    uint32_t             depth;
    uint32_t             table_watch; // the loops that walk the entity table, a bit a depth
    uint64_t             serial;      // of the newest loop
    uint32_t             block_rows;  // the most places that a loop examines at once
    kith_match_prefix_fn match_prefix;
    kith_select_words_fn select_words;
    uint64_t unsettled[KITH_SIGNATURE_WORDS]; // columns with values that were left, a bit each
    bool     unsettled_singles;
    bool     unsettled_any;
    // listeners
    kith_event_list    events[2]; // create, destroy
    kith_listener      listener;  // the newest number; see listener.c
    kith_frame         frames[KITH_NESTED_MAX];
    uint32_t           nested;       // events that are being announced
    uint32_t           batch_depth;  // events so deep are a batch's: many have heard of them
    bool               disconnected; // some listener was, while events were announced
    uint32_t           destroys;     // reasons for destroying in full: such listeners, and groups
    uint64_t           heard[KITH_SIGNATURE_WORDS]; // components whose removal is listened to
    struct kith_query *queries;                     // stored ones, a list
    kith_group_list    groups;
    kith_path         *paths;     // a list, the oldest first
    kith_queue        *queues;    // the same
    kith_reactive     *reactives; // the same
    kith_merge        *merges;    // a list, the newest first
    // systems
    struct kith_schedule *schedule; // NULL: there was none yet
    kith_gate            *gate;     // NULL: no checked system has its turn
    // commands
    struct kith_commands *commands;       // a list, the newest first
    uint32_t              command_number; // of the next
    uint32_t              applying;       // buffers that are applied to this world
    uint64_t              registrations;
    kith_own_error       *own; // of the call that a command stands for; NULL: nobody asks
};

// What inline code takes for granted.
_Static_assert(offsetof(struct kith_world, head) == 0, "the head comes first");
_Static_assert(offsetof(kith_column, pool.set.head) == 0, "the pool's head comes first");
_Static_assert(offsetof(kith_entity_page, signature) == KITH_PAGE_SLOTS * sizeof(uint64_t),
               "signatures follow the slots");

// The pool that stands for every id that is not registered.
KITH_INTERNAL kith_pool_head_ *kith_world_no_pool(void);

// What calls that return an address return where there is no value: not NULL, that is all.
KITH_INTERNAL void *kith_no_bytes(void);

// Creates a world; returns NULL, with the reason in `error`, when the description is wrong or
// memory runs out (create.c).
KITH_INTERNAL kith_world *kith_world_make(const kith_world_desc *desc, kith_error *error);

// Frees the memory that was reserved for the time of calls (create.c).
KITH_INTERNAL void kith_world_give_scratch(kith_world *world);

// --- errors (error.c) ------------------------------------------------------------------------

// Records the error, tells the hook, and returns false.
KITH_INTERNAL bool kith_world_fail(kith_world *world, const kith_error *error);

// Records the error and tells nobody. Returns false.
KITH_INTERNAL bool kith_world_note(kith_world *world, const kith_error *error);

// The same for calls that may not change the world: nothing is recorded.
KITH_INTERNAL bool kith_world_tell(const kith_world *world, const kith_error *error);

// The most common form of kith_world_fail.
KITH_INTERNAL bool kith_world_refuse(kith_world *world, kith_error_code code, const char *call,
                                     kith_component component, kith_entity entity);

// The same with what is wrong, and with a name that the message quotes (or NULL) or two numbers.
KITH_INTERNAL bool kith_world_refuse_because(kith_world *world, kith_error_code code,
                                             const char *call, kith_component component,
                                             const char *subject, const char *other);
KITH_INTERNAL bool kith_world_refuse_numbers(kith_world *world, kith_error_code code,
                                             const char *call, kith_component component,
                                             const char *subject, uint64_t have, uint64_t want);

// An error before there is a world: the call is filled in. Returns NULL.
KITH_INTERNAL kith_world *kith_desc_fail(const kith_world_desc *desc, kith_error error);

// --- columns (access.c)
// ---------------------------------------------------------------------------------

// Which kinds of components a call is for.
#define KITH_WITH_ROWS (1u << KITH_KIND_VALUE | 1u << KITH_KIND_TAG)
#define KITH_ON_ENTITY (KITH_WITH_ROWS | 1u << KITH_KIND_FLAG)
#define KITH_SINGLE    (1u << KITH_KIND_SINGLETON)
#define KITH_ANY_KIND  (KITH_ON_ENTITY | KITH_SINGLE)

// Beside the kinds: the call does not touch the component, or only reads it where calls of its sort
// write.
#define KITH_ASIDE 0x100u
#define KITH_READS 0x200u

// The column for a question, or NULL and an error that is told but not recorded.
KITH_INTERNAL const kith_column *kith_world_ask(const kith_world *world, kith_component component,
                                                unsigned kinds, const char *call);

// The same with an error that is recorded. `entity` is whom the call is about, or KITH_NULL.
KITH_INTERNAL kith_column *kith_world_reach(kith_world *world, kith_component component,
                                            kith_entity entity, unsigned kinds, const char *call);

// The column for a call that changes something, or NULL and an error: also from inside a hook.
KITH_INTERNAL kith_column *kith_world_open(kith_world *world, kith_component component,
                                           kith_entity entity, unsigned kinds, const char *call);

// The same for a demand on an entity, which must live and not be about to go.
KITH_INTERNAL kith_column *kith_world_open_for(kith_world *world, kith_entity entity,
                                               kith_component component, unsigned kinds,
                                               const char *call);

// The error of a demand on an entity that is not alive. The second records and tells it, and
// returns false.
KITH_INTERNAL kith_error kith_world_dead(const kith_world *world, kith_component component,
                                         kith_entity entity, const char *call);
KITH_INTERNAL bool       kith_world_fail_dead(kith_world *world, kith_component component,
                                              kith_entity entity, const char *call);

// Makes entities, of whom nobody has heard yet; then tells of them: one that a listener ended
// becomes KITH_NULL. False, with an error, when they cannot be made.
KITH_INTERNAL bool kith_world_make_entities(kith_world *world, kith_entity *entities,
                                            uint32_t count, const char *call);
KITH_INTERNAL void kith_world_tell_births(kith_world *world, kith_entity *entities, uint32_t count);

// Whether there is an array where one is needed; if not it is an error.
KITH_INTERNAL bool kith_world_array(kith_world *world, const void *array, uint32_t count,
                                    const char *call);

// Forgets the components beyond the first `keep`, which were just registered (registry.c).
KITH_INTERNAL void kith_world_drop_columns(kith_world *world, uint32_t keep);

// Registers the components of another world in one that has none; false, with an error, when memory
// runs out (registry.c).
KITH_INTERNAL bool kith_world_copy_columns(kith_world *world, const kith_world *from);

// The same with what of them is a hierarchy (clone.c).
KITH_INTERNAL bool kith_world_copy_components(kith_world *world, const kith_world *from);

// --- while nothing moves (loop.c) ------------------------------------------------------------

// The error that a loop is open, or else that a listener runs.
KITH_INTERNAL kith_error kith_world_held(const kith_world *world, const char *call,
                                         kith_component component);

// An error if a loop is open or an event is announced: for calls that move rows.
KITH_INTERNAL bool kith_world_moving(kith_world *world, const char *call, kith_component component);

// Whether nothing is under way: no hook, no loop, no event; if something is, an error that is told
// and not recorded.
KITH_INTERNAL bool kith_world_rests(const kith_world *world, const char *call);

// Settles: ends the values that were left and closes the holes of swap pools. Nobody holds the
// world.
KITH_INTERNAL void kith_world_end_left(kith_world *world);

// Takes a component that it has from the entity at `index`: the value goes at once, or when the
// world settles.
KITH_INTERNAL void kith_world_detach(kith_world *world, kith_column *column, uint32_t index);

// The same without the signature's bit, while the world is held; loops have been told.
KITH_INTERNAL void kith_world_leave_row(kith_world *world, kith_column *column, uint32_t index);

// Takes a singleton's value away, until the world settles. It is held.
KITH_INTERNAL void kith_world_leave_single(kith_world *world, kith_column *column);

// --- events (listener.c) ---------------------------------------------------------------------

// Whether one more event can be announced; if not it is an error. For calls that would.
KITH_INTERNAL bool kith_world_nestable(kith_world *world, const char *call,
                                       kith_component component);

// Begins and ends the announcing of what concerns one entity. `column` is leaving it, or NULL.
KITH_INTERNAL void kith_world_begin_event(kith_world *world, kith_entity entity,
                                          const kith_column *column, bool dying);
KITH_INTERNAL void kith_world_end_event(kith_world *world);

// Connects a listener to a list, which is `column`'s if that is not NULL; the description makes
// sense. Returns 0 when memory runs out. `call` names the program's call for the error. NULL: the
// listener is the library's own, and only kith_world_disconnect takes its number.
KITH_INTERNAL kith_listener kith_world_connect(kith_world *world, kith_event_list *list,
                                               kith_column *column, const kith_listener_desc *desc,
                                               const char *call);

// Disconnects an own listener, or one of the program by its number without the bits of the world;
// false: it is not connected.
KITH_INTERNAL bool kith_world_disconnect(kith_world *world, kith_event_list *list,
                                         kith_column *column, kith_event event,
                                         kith_listener number);

// Tells the listeners. Between the two calls above; the second form makes them itself, for events
// that take nothing away.
KITH_INTERNAL void kith_world_announce(kith_world *world, const kith_event_list *listeners,
                                       kith_event event, kith_component component,
                                       kith_entity entity);

KITH_INTERNAL void kith_world_announce_news(kith_world *world, const kith_event_list *listeners,
                                            kith_event event, kith_component component,
                                            kith_entity entity);

// Whom an event of a batch may be about: an array, or, if that is NULL, a range. `is` says whether
// it is about the i-th of them, now.
typedef struct kith_concerned {
    const kith_entity *entities;
    kith_entity        first;
    uint32_t           count;
    bool (*is)(const void *event, uint32_t i);
    const void *event;
} kith_concerned;

// Tells the listeners that hear of many at once.
KITH_INTERNAL void kith_world_announce_many(kith_world *world, const kith_event_list *listeners,
                                            kith_event event, kith_component component,
                                            const kith_concerned *who);

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

// An error, only recorded, if the entity is being destroyed or the component (if not NULL) is being
// taken from it.
KITH_INTERNAL bool kith_world_dying(kith_world *world, const kith_column *column,
                                    kith_entity entity, const char *call);

// Whether someone would hear that the entity, or a component of it, goes.
KITH_INTERNAL bool kith_world_end_is_heard(const kith_world *world, kith_entity entity);

// Whether the end of the entity is being announced.
KITH_INTERNAL bool kith_world_is_dying(const kith_world *world, kith_entity entity);

// Whether the removal of this component from this entity is being announced.
KITH_INTERNAL bool kith_world_leaving(const kith_world *world, const kith_column *column,
                                      kith_entity entity);

// Whether the entity got the component and nobody has been told so far, because other news come
// first: then nobody hears that it is set or goes. `forget`: it goes, so nobody will be told
// either.
KITH_INTERNAL bool kith_world_unheard(kith_world *world, const kith_column *column,
                                      kith_entity entity, bool forget);

// Whether the component is a hierarchy: its links are bytes, and its copy hook forgets them. Lets a
// component with the same id be a hierarchy as it is one elsewhere; false, with an error, when
// memory runs out (hierarchy.c).
KITH_INTERNAL bool kith_column_is_hierarchy(const kith_column *column);
KITH_INTERNAL bool kith_world_keep_hierarchy(kith_world *world, const kith_column *from);

// Clones of nodes, and whom they are clones of.
typedef struct kith_kin {
    const kith_column *from; // the originals' hierarchy
    const kith_roster *originals;
    const kith_entity *clones;
    bool              *alone; // room for one each: the clone has no links yet
} kith_kin;

// Gives clones that are nodes alone the links that their originals have among each other, in the
// same order (hierarchy.c).
KITH_INTERNAL void kith_world_link_kin(kith_world *world, kith_column *tree, const kith_kin *kin);

// Whether the system that has its turn is checked and did not declare this. The second is the error
// of it.
KITH_INTERNAL bool       kith_world_denies(const kith_world *world, kith_component component,
                                           bool written);
KITH_INTERNAL kith_error kith_world_denial(const kith_world *world, kith_component component,
                                           bool written, const char *call);

// The hash of one value as it is saved; false, with an error that is told, when its function fails
// or memory runs out (hash.c).
KITH_INTERNAL bool kith_value_hash(const kith_world *world, const kith_column *column,
                                   const void *value, uint64_t *hash);

// Whether every hash that is kept and counts as valid is that of what is there now (hash.c). True
// while the world is held or a hook runs.
KITH_INTERNAL bool kith_world_hashes_agree(const kith_world *world);

// kith_world_hash_full, for another call.
KITH_INTERNAL bool kith_world_hash_for(const kith_world *world, uint64_t *hash, const char *call);

// Whether a component is among bits by ids.
static inline bool kith_ids_have(const uint64_t *bits, kith_component id)
{
    return (bits[id >> 6] >> (id & 63) & 1) != 0;
}

// The column that the directory shows for an id, or NULL.
static inline kith_column *kith_world_shown(const kith_world *world, kith_component component)
{
    if (component > KITH_COMPONENT_MAX || world->head.pools_[component]->id_ == 0) {
        return NULL;
    }
    return (kith_column *)(void *)world->head.pools_[component];
}

// The same for an id that the directory does not show.
static inline kith_column *kith_world_hidden(const kith_world *world, kith_component component)
{
    bool hidden = world->gate != NULL && component <= KITH_COMPONENT_MAX &&
                  world->gate->pools[component]->id_ != 0;
    return hidden ? (kith_column *)(void *)world->gate->pools[component] : NULL;
}

// The column of a registered id, or NULL without an error.
static inline kith_column *kith_world_column(const kith_world *world, kith_component component)
{
    kith_column *column = kith_world_shown(world, component);
    return KITH_LIKELY_(column != NULL) ? column : kith_world_hidden(world, component);
}

// Whether the call comes from inside a hook; then it is an error.
static inline bool kith_world_busy(kith_world *world, const char *call, kith_component component,
                                   kith_entity entity)
{
    return KITH_UNLIKELY_((world->head.busy_ & KITH_HOOKS_MASK) != 0) &&
           !kith_world_refuse(world, KITH_ERROR_BUSY, call, component, entity);
}

// While hooks run, every call that changes the world is refused.
static inline void kith_world_enter(kith_world *world)
{
    world->head.busy_++;
}

static inline void kith_world_leave(kith_world *world)
{
    assert((world->head.busy_ & KITH_HOOKS_MASK) != 0);
    world->head.busy_--;
}

// Holds the world, and lets it go again, which settles it if nobody else holds it.
static inline void kith_world_pause(kith_world *world)
{
    world->shared.held++;
}

static inline void kith_world_resume(kith_world *world)
{
    assert(world->shared.held != 0);
    if (--world->shared.held == 0 && world->unsettled_any) {
        kith_world_end_left(world);
    }
}

// Notes that the column has rows that were left.
static inline void kith_world_unsettle(kith_world *world, const kith_column *column)
{
    world->unsettled[column->bit >> 6] |= UINT64_C(1) << (column->bit & 63);
    world->unsettled_any = true;
}

// Brings what inline code reads of the entity table up to date.
static inline void kith_world_mirror(kith_world *world)
{
    world->head.entities_     = (uint64_t *const *)world->entities.pages;
    world->head.entity_pages_ = world->entities.page_count;
}

#endif
