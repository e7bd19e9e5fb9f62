// SPDX-License-Identifier: MIT
// A number for the state of a world. Part of kith.h.
#ifndef KITH_HASH_H
#define KITH_HASH_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Hashes
//
// Worlds in the same state have the same hash, on every machine: the same entities, living and
// dead, the same handles to come, the same values in the same rows, the same holes, disable bits
// and singletons, groups' members in the same order, the same paths. docs/hash.md says how it is
// computed, byte by byte, so that another program can.
//
// By names    Components count under their names: ids and the order of registering do not matter,
//             nor do components that nobody has.
// By values   Only what is saved of a value counts (fields.h): no padding, no field that is
//             skipped. Transient components do not count at all. Neither do page rows, capacities,
//             limits, hooks and listeners, nor ticks and journals.
// Kept        kith_world_hash and kith_component_hash keep the hashes of blocks of rows and need to
//             look only at pages that were stamped since: 8 bytes for 256 rows, until
//             kith_world_shrink. Without memory for that they look at everything. They rely on
//             stamps: whoever writes through an address must have got it from mut, set or a column
//             for writing in the present tick, and must get it again in the next.
// Full        The calls with `full` keep nothing and rely on nothing.
// Errors      A component that has values and no form in which they are saved
//             (KITH_ERROR_UNSAVED; the error names it); while a loop is open, in listeners and
//             hooks (KITH_ERROR_BUSY); for a checked system, components that it did not declare.
//             Memory can run out only for a value that takes more than 4096 bytes when functions
//             write it. Then, and whenever they answer false, `*hash` stays as it is.
// ---------------------------------------------------------------------------------------------

/// The hash of the world's state. O(registered + rows / 256 + entities / 1024 + what was stamped
/// since the hash before), and O(entities) for each flag that was set or cleared since.
KITH_API bool kith_world_hash(kith_world *world, uint64_t *hash);

/// The same by looking at everything. O(all). For any number of threads while nobody changes the
/// world, unless functions write values that take more than 4096 bytes.
KITH_API bool kith_world_hash_full(const kith_world *world, uint64_t *hash);

/// The hash of the world's state and of what snapshot.h calls exact state: ticks, journals,
/// reactive sets, events that wait. It sees what an exact snapshot of everything has, by the order
/// in which components were registered and the rows of their pages. O(all), and memory from the C
/// library's heap; an error as well if a queue has events of which nobody said how they are saved.
KITH_API bool kith_world_hash_exact(const kith_world *world, uint64_t *hash);

/// The hash of a component: its name, who has it and their values in the order of rows. It is an
/// error to ask for that of a transient one. Costs as above, for the one component.
KITH_API bool kith_component_hash(kith_world *world, kith_component component, uint64_t *hash);
KITH_API bool kith_component_hash_full(const kith_world *world, kith_component component,
                                       uint64_t *hash);

#ifdef __cplusplus
}
#endif

#endif
