// SPDX-License-Identifier: MIT
// Objects of a world, of the library's own kinds and of the program's. kith/object.h has the
// structs. A queue, a group, a stored query, a buffer of commands: each begins with a kith_object,
// and the world knows no kind by name.
//
//     world->oldest --> object <--> object <--> object <-- world->newest
//
// The world walks the list to end, to shrink and to count memory, and calls the functions of each
// object. Objects of the program have a key; those of the library have none.
#pragma once

#include "store/listener_list.h"

#include "kith/object.h"

// Adds an object, without a key, as the newest, and takes an object out of the list (create.c).
void kith_object_link(kith_world *world, kith_object *object, const kith_object_ops *ops);
void kith_object_unlink(kith_object *object);

// The object with this kind and key, or NULL (object.c).
kith_object *kith_object_find(const kith_world *world, const char *kind, const char *key);

// The next object with a `state` function at or behind `object`, or NULL (object.c).
kith_object *kith_object_with_state(kith_object *object);
