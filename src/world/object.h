// SPDX-License-Identifier: MIT
// Objects: what a world owns besides entities and components. A queue, a group, a stored query, a
// buffer of commands: each begins with a kith_object, and the world knows no kind by name.
//
//     world->oldest --> object <--> object <--> object <-- world->newest
//
// A module makes its objects and puts them into the list. The world walks the list to end, to
// shrink and to count memory, and calls the functions of each object.
#ifndef KITH_WORLD_OBJECT_H
#define KITH_WORLD_OBJECT_H

#include "store/listener_list.h"

typedef struct kith_object kith_object;

// The functions of a kind. All but `destroy` and `bytes` may be NULL.
typedef struct kith_object_ops {
    void (*destroy)(kith_object *object); // frees it; it is in no list any more
    size_t (*bytes)(const kith_object *object);
    void (*shrink)(kith_object *object); // frees what it does not use now
    // why the world cannot end now, or NULL; `*name` may become the name of what is in the way
    const char *(*busy)(const kith_object *object, const char **name);
    kith_event_list *(*listeners)(kith_object *object); // that it calls itself
} kith_object_ops;

struct kith_object {
    kith_object           *next; // newer
    kith_object           *previous;
    const kith_object_ops *ops;
    kith_world            *world;
};

// Adds an object as the newest, and removes it (create.c).
KITH_INTERNAL void kith_object_add(kith_world *world, kith_object *object,
                                   const kith_object_ops *ops);
KITH_INTERNAL void kith_object_remove(kith_object *object);

#endif
