// SPDX-License-Identifier: MIT
// Reactive sets as a whole; watch.h says what they are made of.
#ifndef KITH_EVENT_EVENT_H
#define KITH_EVENT_EVENT_H

#include "world/reactive_room.h"

// Makes the sets of another world in one that has none, with the same members; false, with an
// error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_reactives(kith_world *world, const kith_world *from);

// Gives every set back; gives back the room of those for whom nobody may come; the bytes of all.
KITH_INTERNAL void   kith_world_give_reactives(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_reactives(kith_world *world);
KITH_INTERNAL size_t kith_world_reactive_bytes(const kith_world *world);

#endif
