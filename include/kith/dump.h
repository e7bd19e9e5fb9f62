// SPDX-License-Identifier: MIT
// Dump: prints an entity, a pool or a world as text, for logs and debuggers. Include it beside
// kith.h.
//
//     kith_entity_dump(world, ship, NULL, NULL); // on standard error
//
//     entity 12v3
//       position: {x: 1.5, y: 2}
//       crew: {mood: ANGRY, leader: 2v1, name: "ada"} (disabled)
//       loud
//
// In gdb:  call kith_entity_dump(world, ship, 0, 0)
//
// Threads     Any number of threads may dump a world while no thread changes it, if the functions
//             that save values allow it.
#ifndef KITH_DUMP_H
#define KITH_DUMP_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Dumps
//
// A dump is for people: later versions may print other text. Programs read JSON (json.h) instead.
//
// When        At any time: while loops are open, in listeners, hooks and error hooks, and in
//             checked systems. A dump changes nothing, allocates nothing and reports no error.
// Output      `write` gets whole lines, each with its line break, at most 1,024 bytes and not
//             0-terminated; longer lines end in dots. A NULL `write` prints on standard error.
//             kith_bytes_write (snapshot.h) collects the text. `write` may read the world, but must
//             not change it.
// Values      Fields and plain numbers are printed as in JSON, without quotation marks around the
//             names of fields, and with entities as 12v3. Up to 256 bytes that functions save
//             are printed: as text if they are text, such as names, otherwise as hexadecimal
//             digits. Of values without a save form the size is printed, and
//             of values that functions save while a hook runs: they may have ended.
// Result      false when `write` returned false. It is not called again then.
// ---------------------------------------------------------------------------------------------

/// Prints the entity and its components, in the order of registration. Of an entity that is not
/// alive it prints why. O(registered + text).
KITH_API bool kith_entity_dump(const kith_world *world, kith_entity entity, kith_write_fn write,
                               void *context);

/// Prints the component's id, kind, size, save form and counts, and its first `rows` rows with
/// their entities and values; UINT32_MAX: all. Of a flag it prints the first entities that have it,
/// of a singleton the value. O(rows + text); O(slots) for a flag.
KITH_API bool kith_component_dump(const kith_world *world, kith_component component, uint32_t rows,
                                  kith_write_fn write, void *context);

/// Prints the tick, counts of entities and the latest error; then the components with their counts,
/// groups, stored queries, systems and open loops. What a world does not have is left out. O(text).
KITH_API bool kith_world_dump(const kith_world *world, kith_write_fn write, void *context);

#ifdef __cplusplus
}
#endif

#endif
