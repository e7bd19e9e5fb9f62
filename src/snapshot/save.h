// SPDX-License-Identifier: MIT
// Saving a world as chunks, and what loading shares with it.
#pragma once

#include "snapshot/chunk.h"
#include "world/world.h"

// Returns why the world cannot be saved or loaded now, as static text; NULL: it can.
const char *kith_world_busy_reason(const kith_world *world);

// Saves the world; ignores the entity list of `desc`. Queries and systems are saved as they are in
// `turns`, which may be another world. Returns whether it is saved; `*result` is set if not.
bool kith_save(const kith_world *world, const kith_world *turns, const kith_save_desc *desc,
               kith_writer *writer, kith_result *result);

// Does what kith_world_save does, with this writer (snapshot.c).
kith_result kith_save_selected(const kith_world *world, const kith_save_desc *desc,
                               kith_writer *writer);

static inline bool kith_component_listed(const kith_component *list, uint32_t count,
                                         kith_component component)
{
    uint32_t i = 0;
    while (i < count && list[i] != component) {
        i++;
    }
    return i < count;
}

// Whether a save with this description has the component. The lists of a link come with it.
static inline bool kith_storage_is_chosen(const kith_save_desc *desc, const kith_storage *storage)
{
    const kith_storage *chosen =
        storage->access == KITH_ACCESS_LIST ? storage->link.partner : storage;
    return kith_storage_is_saved(storage) &&
           (desc->components == NULL ||
            kith_component_listed(desc->components, desc->component_count, chosen->desc.id));
}

// --- exact state (exact.c) -------------------------------------------------------------------
//
// The chunks that only an exact snapshot has, in the order of docs/format.md.

// Returns the name of a queue that has events but no save form; NULL: there is none.
const char *kith_exact_unsavable_queue(const kith_world *world);

// Writes page stamps, row ticks and the journal. `number` is the component's number in the file.
void kith_exact_write_storage(kith_writer *writer, const kith_storage *storage, uint32_t number);

// Writes reactive sets and queued events of `world`, queries and systems of `turns`.
void kith_exact_write_others(kith_writer *writer, const kith_world *world, const kith_world *turns);

// --- objects of the program (object_state.c) -------------------------------------------------

// Writes kind, key and items of an object that has state. KITH_ERROR_HOOK in the writer: its
// `state` function returned false.
void kith_writer_object(kith_writer *writer, const kith_object *object);

// The same into memory, behind what `bytes` has. Returns the error.
kith_error_code kith_object_bytes(const kith_object *object, kith_bytes *bytes);

// Makes a new object of the source, which has kind, key and items; `like` says how. Returns NULL
// and sets `*code` when memory runs out, or when the items are not those that the object expects.
kith_object *kith_object_read(kith_world *world, const kith_object *like, kith_source whole,
                              kith_error_code *code);

// Adds the hash of each object to `sum`. Returns the error of the object that failed; `*key` is its
// key.
kith_error_code kith_objects_hash(const kith_world *world, uint64_t *sum, const char **key);
