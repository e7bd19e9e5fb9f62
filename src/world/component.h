// SPDX-License-Identifier: MIT
// Functions on components that several files need: removing, row limits, registering.
#pragma once

#include "world/world.h"

// Removes a component that the entity has, and announces that first. Returns false, with an error,
// when its removal is already being announced or the event cannot be announced.
bool kith_component_remove_from(kith_world *world, kith_storage *storage, kith_entity entity,
                                const char *call);

// --- row limits (component_pool.c) -----------------------------------------------------------

// Returns true = go on: the storage may have room for `rows` rows. Otherwise reports an error.
bool kith_storage_allows(kith_world *world, const kith_storage *storage, uint32_t rows,
                         const char *call);

// --- registering (register.c) ----------------------------------------------------------------

// Removes all components but the first `keep`. The others were registered by the failing call.
void kith_world_drop_storages(kith_world *world, uint32_t keep);

// Registers the components of `from` in a world that has none. Returns false, with an error, when
// memory runs out.
bool kith_world_copy_storages(kith_world *world, const kith_world *from);

// --- opaque values (register.c) --------------------------------------------------------------
//
// A snapshot may have values of a component that this program does not know. They are opaque: the
// world keeps, copies and saves the bytes that the original save function wrote. Names are such
// values, too: their bytes are the text. The context of these functions is the world's allocator.
static inline const char *kith_text_in(const kith_text *value)
{
    return value->far_ != NULL ? value->far_ : value->near_;
}

bool   kith_text_copy(void *value, const void *source, void *memory);
void   kith_text_destruct(void *value, void *memory);
size_t kith_text_write(const void *value, void *bytes, size_t room, void *memory);
bool   kith_text_read(void *value, const void *bytes, size_t size, void *memory);

// Sets size, hooks and save functions of `desc` for opaque values. `memory` must live as long as
// the component: the bytes come from it.
void kith_opaque_describe(kith_component_desc *desc, const kith_allocator *memory,
                          kith_saver *saver);

// Whether the description is of opaque values.
bool kith_is_opaque(const kith_component_desc *desc);
