// SPDX-License-Identifier: MIT
// Stored queries: a list in the world. A query that nobody asks for any more, and no loop uses,
// goes with the next call that makes or drops one.
#ifndef KITH_QUERY_QUERY_H
#define KITH_QUERY_QUERY_H

#include "query/query_cache.h"

struct kith_query {
    kith_world     *world;
    kith_query     *next;
    kith_query_desc desc;   // name and terms are the query's own
    uint64_t        owners; // creates without their destroy
    kith_keep       keep;
    kith_tally      tally;
    kith_plan       plan;
    kith_memo       memo;
};

// From now on changes count that are not older than that tick.
KITH_INTERNAL void kith_query_note_since(kith_query *query, uint64_t tick);

// Gives every query back. No loop is open.
KITH_INTERNAL void kith_world_give_queries(kith_world *world);

// Gives back the lists that queries made.
KITH_INTERNAL void kith_world_give_lists(kith_world *world);

// Bytes taken from the allocator.
KITH_INTERNAL size_t kith_world_query_bytes(const kith_world *world);

#endif
