// SPDX-License-Identifier: MIT
// Sets of entities, queues of events and reactive sets.
#pragma once

#include "world/world.h"

// --- sets of entities ------------------------------------------------------------------------
//
// A set of entities in the order in which they were added: what a reactive set has collected.
//
//     entries  [ e7 #1 | e3 #2 | -- #3 | e9 #4 |          ]   `end` of them are used
//     slots    entity --> hash --> place in entries + 1        0: the slot is empty
//
// Removing an entity leaves a hole, so no other entry moves. Numbers (#) rise and are never used
// again, so a loop continues after the number that it saw last, whatever has changed meanwhile.
//
// When the entries are full, adding closes the holes. Adding never allocates: a fifth of the
// capacity is reserved for holes, so closing them costs O(1) per removal.

typedef struct kith_entity_set_member {
    kith_entity entity; // KITH_NULL: a hole
    uint64_t    number;
} kith_entity_set_member;

typedef struct kith_entity_set {
    kith_entity_set_member *entries; // one block with the slots
    uint32_t               *slots;
    uint32_t                slot_shift; // hash >> slot_shift is a slot
    uint32_t                slot_mask;
    uint32_t                capacity;
    uint32_t                end;    // entries in use, with holes
    uint32_t                count;  // without holes
    uint64_t                newest; // the last number
} kith_entity_set;

// Makes room for `members` entities beside the holes. Returns false when memory runs out. May drop
// entities that are not alive in `living`, unless `living` is NULL.
bool kith_entity_set_reserve(kith_entity_set *set, const kith_allocator *memory, uint64_t members,
                             const kith_entity_table *living);

// Copies the entries and the capacity of `from`. Returns false when memory runs out.
bool kith_entity_set_copy(kith_entity_set *set, const kith_allocator *memory,
                          const kith_entity_set *from);
void kith_entity_set_free(kith_entity_set *set, const kith_allocator *memory);

// Adds an entity that is not in the set. The caller has reserved room. `living`: see reserve.
void kith_entity_set_add(kith_entity_set *set, kith_entity entity, const kith_entity_table *living);
bool kith_entity_set_has(const kith_entity_set *set, kith_entity entity);
bool kith_entity_set_remove(kith_entity_set *set, kith_entity entity);
void kith_entity_set_clear(kith_entity_set *set);

// Gives the set the first `end` entries, which were written into its block.
void kith_entity_set_relink(kith_entity_set *set, uint32_t end);

// Returns the first entry with a higher number, which may be a hole; NULL when there is none.
const kith_entity_set_member *kith_entity_set_after(const kith_entity_set *set, uint64_t number);

// Whether each entity has exactly one slot, which leads to its entry, and the numbers rise.
bool kith_entity_set_sound(const kith_entity_set *set);

// Returns how many bytes the set has allocated.
size_t kith_entity_set_bytes(const kith_entity_set *set);

// Whether the set has room for `members` entities in all.
static inline bool kith_entity_set_fits(const kith_entity_set *set, uint64_t members)
{
    return members * 5 <= (uint64_t)set->capacity * 4;
}

// --- queues ----------------------------------------------------------------------------------
//
// The world has a list of queues, the oldest first. A queue has two buffers:
//
//     waiting    [ e5 e6          ]   events that are enqueued now
//     delivering [ e1 e2 e3 e4    ]   events of the running update; `next` is the next to deliver
//
// An update exchanges the two, so that an event stays in place while handlers read it and enqueue
// others. Both buffers keep their memory: a queue with regular updates stops allocating.
//
// A handler is stored as a listener with function types of its own: `call` holds the handler,
// `many` the function that calls it with the type of its event. Delivering announces an event, so
// the world is held meanwhile.

typedef struct kith_buffer {
    uint8_t *bytes;
    uint32_t count;
    uint32_t capacity;
} kith_buffer;

struct kith_queue {
    kith_object     object;
    kith_queue     *next_queue;
    kith_queue_desc desc; // owns its name
    kith_layout     layout;
    uint32_t        step; // bytes from one event to the next
    kith_listeners  handlers;
    kith_buffer     waiting;
    kith_buffer     delivering;
    uint32_t        next;
    uint64_t        emptied; // the tick of the last update or clear; 0: none since a restore
    bool            updating;
};

// The most events that the queue may have.
static inline uint32_t kith_queue_limit(const kith_queue *queue)
{
    return queue->desc.limit == 0 ? UINT32_MAX : queue->desc.limit;
}

// Makes `buffer` empty with room for `capacity` events; returns false when memory runs out. The
// second frees its memory.
bool kith_queue_alloc_buffer(const kith_queue *queue, kith_buffer *buffer, uint32_t capacity);
void kith_queue_free_buffer(const kith_queue *queue, kith_buffer *buffer);

// Makes room for `capacity` events and fills in those of `from`, which may be the buffer itself.
// Returns false when memory runs out, with an error, unless `call` is NULL.
bool kith_queue_grow_buffer(kith_queue *queue, kith_buffer *buffer, const kith_buffer *from,
                            uint32_t capacity, const char *call);

// Creates the queues of `from`, with their events, in a world without queues. Handlers are not
// copied. Returns false, with an error, when memory runs out.
bool kith_world_copy_queues(kith_world *world, const kith_world *from);

// --- reactive sets ---------------------------------------------------------------------------
//
// The world has a list of sets, the oldest first. A set has a watch for each of its conditions:
//
//     storage --> watch --> watch --> ...   one for each set with a condition on the component
//                  |
//                  set: conditions, filter, collected entities
//
// A set listens to adding, setting and removing. Collecting never allocates: before an entity gets
// a component that a set watches, the set reserves a place for it. So a set has room for the
// smaller of (members + watched rows) and (living entities). If it keeps the dead: for its members,
// too.

#define KITH_WATCH_EVENTS 3 // add, set, remove

typedef struct kith_watch {
    kith_reactive     *set;
    kith_storage      *storage;
    struct kith_watch *next; // of the same storage
    kith_listener      listeners[KITH_WATCH_EVENTS];
} kith_watch;

struct kith_reactive {
    kith_object        object;
    kith_reactive     *next;
    kith_reactive_desc desc; // owns its names, conditions and terms
    kith_plan          filter;
    kith_entity_set    members;
    uint32_t           systems;   // that wait for members
    uint64_t           since;     // the next update looks at rows that changed since this tick
    kith_watch         watches[]; // one for each condition; conditions, terms and names follow
};

// The table that says which members are dead, so that the set may reuse their places. NULL: the set
// keeps dead members.
static inline const kith_entity_table *kith_reactive_living(const kith_reactive *set)
{
    return set->desc.keep_dead ? NULL : &set->object.world->entities;
}

// Reserves room for all entities that the set may collect, and for `more` entities that are about
// to get a component which it watches. Returns false when memory runs out.
bool kith_reactive_reserve_more(kith_reactive *set, uint64_t more);

// Reserves room for `entities` entities in all sets that watch the storage.
bool kith_watch_reserve(const kith_storage *storage, uint32_t entities);

// Updates the set for a system that waits for its members and wrote in the tick `own`. Changes of
// that tick do not make the system run again. If it waits alone, the set leaves them out; if other
// systems wait too, the set collects them together with the next other change.
void kith_reactive_update_for(kith_reactive *set, uint64_t own);

// Creates the sets of `from`, with their members, in a world without sets. Returns false, with an
// error, when memory runs out.
bool kith_world_copy_reactives(kith_world *world, const kith_world *from);
