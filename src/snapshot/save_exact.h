// SPDX-License-Identifier: MIT
// The chunks of exact state, in the order of docs/format.md.
#ifndef KITH_SNAPSHOT_SAVE_EXACT_H
#define KITH_SNAPSHOT_SAVE_EXACT_H

#include "snapshot/chunk.h"
#include "world/world.h"

// NULL, or the name of a queue whose events cannot be saved.
KITH_INTERNAL const char *kith_exact_unsaid(const kith_world *world);

// Stamps, row ticks and the journal of a component, which has this number in the file.
KITH_INTERNAL void kith_exact_write_column(kith_writer *writer, const kith_column *column,
                                           uint32_t number);

// Sets and events of the world; queries and systems.
KITH_INTERNAL void kith_exact_write_waiting(kith_writer *writer, const kith_world *world);
KITH_INTERNAL void kith_exact_write_turns(kith_writer *writer, const kith_world *world);

// A value through functions: how many bytes, and the bytes.
KITH_INTERNAL void kith_writer_blob(kith_writer *writer, const kith_saver *by, const void *value);

#endif
