// SPDX-License-Identifier: MIT
// The listeners of one event, in the order in which they are called: higher priority first, then
// older connection. A linked list, so listeners may connect and disconnect while a walk calls them:
//
//     connect     inserts a node; a walk that has begun skips it, because the number of the node is
//                 higher than the number at which the walk began
//     disconnect  empties the node, which stays in the list until no walk is open
//
// The list knows no pool: the caller knows what the event is about.
#pragma once

#include "base/alloc.h"

typedef struct kith_listener_node {
    struct kith_listener_node *next;
    kith_listener_fn           call; // NULL: disconnected
    void                      *context;
    kith_listener_many_fn      many; // NULL: `call` is called for each entity of a batch
    void                      *many_context;
    kith_listener              number;
    int32_t                    priority;
} kith_listener_node;

typedef struct kith_listeners {
    kith_listener_node *first;
    uint32_t            count; // connected listeners
    uint32_t            many;  // connected listeners with a `many` function
} kith_listeners;

// The lists of a storage (add, set, remove), and of a world (create, destroy, replaced).
#define KITH_EVENT_LISTS 3u

// Inserts a listener at its place. Returns false when memory runs out. O(listeners).
bool kith_listeners_add(kith_listeners *list, const kith_allocator *memory,
                        const kith_listener_desc *desc, kith_listener number);

// Empties the node of a listener. Returns false when it is not in this list. O(listeners).
bool kith_listeners_remove(kith_listeners *list, kith_listener number);

// Frees the nodes of disconnected listeners in `count` lists, or, if `all`, every node.
void kith_listeners_cut(kith_listeners *lists, uint32_t count, const kith_allocator *memory,
                        bool all);

// Returns how many bytes `count` lists have allocated.
size_t kith_listeners_bytes(const kith_listeners *lists, uint32_t count);
