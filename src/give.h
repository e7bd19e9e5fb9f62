// SPDX-License-Identifier: MIT
// Giving: components and values for the entities of a batch.
//
// A batch of several components has a gift for each, in registration order, and before it a gift
// for each component that it requires. Memory for all gifts is secured; then, gift by gift, values
// are made in the rows that they will have, and the rows are added:
//
//     [ rows before | base .. base + added - 1 ]
//
// A failure cuts the rows of all gifts off again. Only when all of them are there the steps follow
// that cannot fail: values that replace others move in, flags are set. Who got a row is told apart
// from who had one by the row alone, so this needs no notes.
#ifndef KITH_GIVE_H
#define KITH_GIVE_H

#include "crowd.h"

typedef struct kith_gift {
    kith_column *column;
    kith_column *owner; // it is required by that one: for those who lack it; NULL: it is given
    const struct kith_gift *same;   // an earlier gift of the same column, for another owner
    const uint8_t          *values; // NULL: default values
    size_t                  stride;
    bool                    keeps;  // values that are there stay
    bool                    hides;  // its rows are disabled
    uint32_t                coming; // how many will get it
    uint32_t                base;
    uint32_t                added;
    uint64_t                stamp;  // of the page of row `base`, before
    uint8_t                *staged; // values with hooks that will replace others
    uint32_t                staged_room;
    uint32_t                staged_count;
    uint64_t               *news; // of a flag that may be told of: who got it, a bit a member
} kith_gift;

enum { KITH_GIFTS_FEW = 8 };

typedef struct kith_give {
    kith_world *world;
    kith_crowd  crowd;
    const char *call;
    bool        keeps; // default values do not replace others
    kith_gift  *gifts;
    uint32_t    count;
    uint32_t    placed; // gifts whose rows are there
    uint32_t    living; // members of the crowd, before listeners are called
    uint32_t    room;
    bool        heard; // someone may hear of the gifts: listeners can come while they are announced
    kith_gift   few[KITH_GIFTS_FEW];
    kith_error  error; // why not
} kith_give;

// Resolves the gifts of a batch for `world`, `call` and `keeps`; the crowd comes
// afterwards. False, with an error, when the sets make no sense. kith_give_end in every case.
KITH_INTERNAL bool kith_give_begin(kith_give *give, const kith_values *sets, uint32_t set_count);

// The same for what an entity has, as it has it. False, with an error, when something of it cannot
// be copied.
KITH_INTERNAL bool kith_give_copies(kith_give *give, kith_entity prefab);

// Whether someone listens now; whether he can be told of what is given to so many; and whether
// nobody of the crowd is about to go, or loses what is given. If not it is an error.
KITH_INTERNAL bool kith_give_is_heard(const kith_give *give);
KITH_INTERNAL bool kith_give_hearable(const kith_give *give, uint32_t count);
KITH_INTERNAL bool kith_give_allowed(const kith_give *give);

// Gives everything to the crowd. False when nothing was changed; why not is in `error`, and is told
// to nobody yet. The world is held.
KITH_INTERNAL bool kith_give_all(kith_give *give);

// Announces what was given.
KITH_INTERNAL void kith_give_announce(kith_give *give);
KITH_INTERNAL void kith_give_end(kith_give *give);

#endif
