// SPDX-License-Identifier: MIT
// Exact state out of the chunks of a file, into a stage.
//
// What the file has and this world has not, a query, a system or a set, is passed over, since
// nobody can ask for it; events that would be lost are refused.
#ifndef KITH_SNAPSHOT_LOAD_EXACT_H
#define KITH_SNAPSHOT_LOAD_EXACT_H

#include "snapshot/chunk.h"
#include "snapshot/staging.h"

// Reads what follows the number of the component in a chunk of stamps, row ticks or of a journal.
// False, with the flaw, if it cannot be; so the others.
KITH_INTERNAL bool kith_exact_read_column(kith_stage *stage, const kith_column *column,
                                          kith_chunk *chunk, kith_flaw *flaw);

// Reads a chunk of a set, of events, of a query or a system. All rows are linked.
KITH_INTERNAL bool kith_exact_read(kith_stage *stage, kith_chunk *chunk, kith_flaw *flaw);

// Whether stamps and ticks of all rows were there, but for components that were adopted.
KITH_INTERNAL bool kith_exact_complete(const kith_stage *stage, kith_flaw *flaw);

// Reads a value through functions into one that is constructed; NULL, or what is wrong.
KITH_INTERNAL const char *kith_source_blob(kith_source *source, const kith_saver *by, void *value);

#endif
