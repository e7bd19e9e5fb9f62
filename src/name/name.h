// SPDX-License-Identifier: MIT
// Names: what paths need of them. `names` is the component.
#pragma once

#include "kith/name.h"

#include "world/component.h"
#include "world/world.h"

static inline const kith_text *kith_name_in(const kith_storage *names, uint32_t row)
{
    const kith_pool_head_ *head = &names->pool.set.head;
    return kith_value_(head, head->pages_, row, sizeof(kith_text), KITH_SHIFT_(sizeof(kith_text)));
}

// The names for a call that reads. Returns NULL on an error, which is reported.
const kith_storage *kith_names_for_read(const kith_world *world, kith_component component,
                                        const char *call);

// Returns the entity with the lowest index that has the name, or KITH_NULL.
kith_entity kith_names_find(kith_world *world, const kith_storage *names, const char *text,
                            size_t size);
