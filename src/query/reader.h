// SPDX-License-Identifier: MIT
// Readers: cursors that open no loop, so that many threads can walk a world that nobody changes.
// Nothing is kept but the cursor's own next place, which rows are walked and how they are asked.
// Each stretch is found anew with the plan of a stored query, or with one that is made each time
// from the description: as long as a page where the rows of all components are in the same order,
// one entity where they are not.
#ifndef KITH_QUERY_READER_H
#define KITH_QUERY_READER_H

#include "query/query.h"

// Whether the cursor is a reader.
KITH_INTERNAL bool kith_reader_owns(const kith_step_ *step);

KITH_INTERNAL kith_entity kith_reader_next(kith_step_ *step, void **values);
KITH_INTERNAL kith_entity kith_reader_next_chunk(kith_step_ *step, void **values, uint32_t *count);

// The entity at place `i` of the stretch.
KITH_INTERNAL kith_entity kith_reader_entity(const kith_step_ *step, uint32_t i);

#endif
