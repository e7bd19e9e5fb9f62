// SPDX-License-Identifier: MIT
// Giving: components and values for the entities of a batch.
#ifndef KITH_BATCH_BATCH_ADD_H
#define KITH_BATCH_BATCH_ADD_H

#include "batch/batch_item.h"

// A batch that gives nothing yet.
KITH_INTERNAL void kith_give_init(kith_give *give, kith_world *world, const char *call);

// Resolves the gifts of a batch for `world`, `call` and `keeps`; the crowd comes
// afterwards. False, with an error, when the sets make no sense. kith_give_end in every case.
KITH_INTERNAL bool kith_give_begin(kith_give *give, const kith_values *sets, uint32_t set_count);

// The same for what an entity has, as it has it. False, with an error, when something of it cannot
// be copied.
KITH_INTERNAL bool kith_give_copies(kith_give *give, kith_entity prefab);

// The same for clones of `originals`, which are alive in `from`.
KITH_INTERNAL bool kith_give_clones(kith_give *give, uint32_t count);

// Whether someone listens now; whether he can be told of what is given to so many; and whether
// nobody of the crowd is about to go, or loses what is given. If not it is an error.
KITH_INTERNAL bool kith_give_is_heard(const kith_give *give);
KITH_INTERNAL bool kith_give_hearable(const kith_give *give, uint32_t count);
KITH_INTERNAL bool kith_give_allowed(const kith_give *give);

// Gives everything to the crowd. False when nothing was changed; why not is in `error`, and is told
// to nobody yet. The world is held.
KITH_INTERNAL bool kith_give_all(kith_give *give);

// Bytes that a batch may take until it is done, if it gives everything to `count` entities.
KITH_INTERNAL size_t kith_give_bytes(const kith_world *world, uint32_t count);

// Announces what was given.
KITH_INTERNAL void kith_give_announce(kith_give *give);
KITH_INTERNAL void kith_give_end(kith_give *give);

// Makes entities and gives them everything, announced, or nothing happens: false, with an error.
// The world is held.
KITH_INTERNAL bool kith_give_newborn(kith_give *give, kith_entity *entities, uint32_t count);

#endif
