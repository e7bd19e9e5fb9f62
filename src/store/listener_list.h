// SPDX-License-Identifier: MIT
// Listeners of one event, in the order in which they hear it: higher priority first, then older
// connection. A list, so that listeners can come and go while it is walked:
//
//     connect     puts a node in its place; a walk that is under way passes it over, because its
//                 number is higher than the walk's
//     disconnect  empties the node, which stays in the list until nobody walks
//
// Knows no pool: what an event is about is the caller's.
#ifndef KITH_STORE_LISTENER_LIST_H
#define KITH_STORE_LISTENER_LIST_H

#include "base/alloc.h"

typedef struct kith_event_node {
    struct kith_event_node *next;
    kith_listener_fn        call; // NULL: disconnected
    void                   *context;
    kith_listener_many_fn   many; // NULL: hears of each entity
    void                   *many_context;
    kith_listener           number;
    int32_t                 priority;
} kith_event_node;

typedef struct kith_event_list {
    kith_event_node *first;
    uint32_t         count; // of connected ones
    uint32_t         many;  // of those, who hear of batches at once
} kith_event_list;

// Puts a listener in its place; false when memory runs out. O(listeners).
KITH_INTERNAL bool kith_event_connect(kith_event_list *list, const kith_allocator *memory,
                                      const kith_listener_desc *desc, kith_listener number);

// Empties the listener's node; false when it is not in this list. O(listeners).
KITH_INTERNAL bool kith_event_disconnect(kith_event_list *list, kith_listener number);

// Gives back the nodes of disconnected listeners, or of all.
KITH_INTERNAL void kith_event_sweep(kith_event_list *list, const kith_allocator *memory, bool all);

// Bytes taken from the allocator.
KITH_INTERNAL size_t kith_event_bytes(const kith_event_list *list);

#endif
