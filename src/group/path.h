// SPDX-License-Identifier: MIT
// Paths: arrangements that a world remembers, in a list from the oldest to the newest. A column
// belongs to the oldest path that has it; to the others it is given, and their columns follow it.
//
// After arranging a path notes what its pools were like. As long as they are, there is nothing to
// do.
#ifndef KITH_GROUP_PATH_H
#define KITH_GROUP_PATH_H

#include "group/arrange.h"

// A column as it was: a row that came, went or moved, and a group's members, show in it.
typedef struct kith_path_state {
    const kith_column *column;
    uint64_t           moves;
    uint32_t           rows;
    uint32_t           fixed;
} kith_path_state;

struct kith_path {
    kith_world     *world;
    kith_path      *next;
    kith_path_desc  desc;   // name and components are the path's own
    uint64_t        owners; // creates without their destroy
    kith_column    *columns[KITH_PATH_COMPONENTS_MAX];
    kith_path_state states[KITH_PATH_COMPONENTS_MAX]; // by the order in which they lead
    bool            arranged;                         // when they were like that
};

KITH_INTERNAL bool kith_path_has(const kith_path *path, const kith_column *column);

// Whether nothing is left to do.
KITH_INTERNAL bool kith_path_arranged(const kith_path *path);

// Makes the paths of another world in one with the same components, owned by nobody; false, with an
// error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_paths(kith_world *world, const kith_world *from);

// Gives every path back; the bytes of all.
KITH_INTERNAL void   kith_world_give_paths(kith_world *world);
KITH_INTERNAL size_t kith_world_path_bytes(const kith_world *world);

#endif
