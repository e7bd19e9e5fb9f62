// SPDX-License-Identifier: MIT
// Queues and reactive sets as a whole; world/event.h has their structs.
#ifndef KITH_EVENT_EVENT_H
#define KITH_EVENT_EVENT_H

#include "world/event.h"

// Makes `buffer` empty with room for `capacity` events; returns false when memory runs out. The
// second frees its memory.
KITH_INTERNAL bool kith_queue_alloc_buffer(const kith_queue *queue, kith_buffer *buffer,
                                           uint32_t capacity);
KITH_INTERNAL void kith_queue_free_buffer(const kith_queue *queue, kith_buffer *buffer);

// Creates the queues of `from`, with their events, in a world without queues. Handlers are not
// copied. Returns false, with an error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_queues(kith_world *world, const kith_world *from);

// Updates the set for a system that waits for its members and wrote in the tick `own`. Changes of
// that tick do not make the system run again. If it waits alone, the set leaves them out; if other
// systems wait too, the set collects them together with the next other change.
KITH_INTERNAL void kith_reactive_update_for(kith_reactive *set, uint64_t own);

// Creates the sets of `from`, with their members, in a world without sets. Returns false, with an
// error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_reactives(kith_world *world, const kith_world *from);

#endif
