// SPDX-License-Identifier: MIT
// Admitting: who joins and leaves groups because of a batch.
//
// The groups end up as after single calls between hold and release: component by component, each
// after those that it requires, member by member. Where all members have the same components and
// nobody can look before the world settles, one of them answers for all, and each group takes them
// in as a block:
//
//     [ members | others | the batch ]    ->    [ members, the batch | others ]
#ifndef KITH_BATCH_BATCH_JOIN_H
#define KITH_BATCH_BATCH_JOIN_H

#include "batch/batch_item.h"

// The rows of all gifts are there: sets the flags, and lets everyone join and leave.
KITH_INTERNAL void kith_admit_all(kith_give *give);

#endif
