// SPDX-License-Identifier: MIT
// What every other header of kith needs: handles, errors, allocators. It includes no other kith
// header, so a program's own header can use kith_entity without the rest.
//
// Threads     Any thread may call the functions of this header: they use no world.
#ifndef KITH_BASE_H
#define KITH_BASE_H

#if defined(__cplusplus)
    #if __cplusplus < 201103L && !defined(_MSC_VER) // MSVC says 199711 by default
        #error "kith needs C++11 or newer: compile with -std=c++11"
    #endif
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
    #error "kith needs C11 or newer: compile with -std=c11"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KITH_VERSION_MAJOR 0
#define KITH_VERSION_MINOR 1
#define KITH_VERSION_PATCH 0

#if defined(_WIN32) && defined(KITH_SHARED)
    #if defined(KITH_BUILD)
        #define KITH_API __declspec(dllexport)
    #else
        #define KITH_API __declspec(dllimport)
    #endif
#elif defined(__GNUC__)
    #define KITH_API __attribute__((visibility("default")))
#else
    #define KITH_API
#endif

#ifdef __cplusplus
    #define KITH_CAST_(TYPE, X) static_cast<TYPE>(X)
#else
    #define KITH_CAST_(TYPE, X) ((TYPE)(X))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Words
//
//   world      owns everything; two worlds share nothing
//   entity     a handle: a slot of the world, and which use of that slot it means (the version)
//   component  a small number chosen by the program, with a name and a layout
//   tag        a component without bytes: its rows say only which entities have it
//   flag       a component without rows: one bit in the entity's signature
//   singleton  a component with one value, which belongs to the world
//   signature  the set of components that an entity has
//   pool       all values of one component, row by row, with a lookup from entity to row
//   row        the place of one entity's value in a pool, counted from 0
//   page       a power-of-two number of rows, allocated at once and never moved
//   hole       an empty row: its entity lost the component in a stable pool, or during a loop
//   tick       the world's count of time steps; kith_world_advance begins the next one
//   stamp      the tick at which a page of values was last handed out for writing
//   query      a list of terms that says which entities to visit; a view is a query used once
//   term       one component of a query, and what the query requires of it
//   column     the values that a loop hands out for one term
//   loop       a walk over the entities of a query; while a loop is open, no row moves
//   held       a world with an open loop, a running listener, or kith_world_hold
//   settle     to close the holes that loops left, and to run the destructors that waited
//   chunk      consecutive entities of a loop, with a plain array of values in every column
//   group      the entities of a query, kept together as the first rows of the pools that it owns
//   path       components whose pools are kept in one order, as far as each call allows it
//   hierarchy  a component that links entities to their parents and children
//   listener   a function that is called when a component or an entity comes, changes or goes
//   queue      the program's own events; they wait there until they are delivered to handlers
//   reactive   a set of the entities to which something happened
//   batch      one call for many entities: an array of them, or a range of consecutive indices
//   command    a recorded call, which is made later
//   system     a function with a name, the entities that it works on, and what it accesses
//   schedule   the systems of a world, in the order in which they run
// ---------------------------------------------------------------------------------------------

/// The handle of an entity: the index in the low 32 bits (at most 31 are used), the version in the
/// high 32. Versions start at 1, so 0 is no entity, and zeroed memory holds no entity.
typedef uint64_t kith_entity;

/// The id of a component: a constant 1..KITH_COMPONENT_MAX that the program chooses; 0 is none.
typedef uint32_t kith_component;

/// A world, which owns everything. kith_world_create creates it.
typedef struct kith_world kith_world;

#define KITH_NULL            UINT64_C(0)
#define KITH_COMPONENT_MAX   1023u
#define KITH_ALL             UINT32_MAX // in the place of a component: all of them
#define KITH_SIGNATURE_WORDS 16
#define KITH_NO_ROW          UINT32_MAX
#define KITH_NO_INDEX        UINT32_MAX
#define KITH_ALIGNMENT_MAX   4096u

// ---------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------

/// The kind of an error.
typedef enum kith_error_code {
    KITH_OK                 = 0,
    KITH_ERROR_MEMORY       = 1, // the allocator returned NULL
    KITH_ERROR_LIMIT        = 2, // a limit of the world or of a pool is reached
    KITH_ERROR_NULL_ENTITY  = 3, // a call that writes got the null entity
    KITH_ERROR_DEAD_ENTITY  = 4, // a call that writes got an entity that is not alive
    KITH_ERROR_UNREGISTERED = 5, // no component has that id in this world
    KITH_ERROR_CONFLICT     = 6, // the id or the name is registered with another description
    KITH_ERROR_KIND         = 7, // the call does not exist for this kind of component
    KITH_ERROR_POLICY       = 8, // the call would move rows of a stable pool or a `keep_order` pool
    KITH_ERROR_HOOK         = 9, // a construct or copy hook returned false
    KITH_ERROR_ARGUMENT     = 10, // a description or an argument makes no sense
    KITH_ERROR_BUSY         = 11, // refused while a hook, listener, system or loop is active
    KITH_ERROR_DYING        = 12, // the entity is being destroyed, or the component removed
    KITH_ERROR_CLOSED       = 13, // the cursor's loop is closed
    KITH_ERROR_UNDECLARED   = 14, // a checked system did not declare the component
    KITH_ERROR_FORMAT       = 15, // bytes to read are not valid
    KITH_ERROR_UNSAVED      = 16, // a component with values has no save form
    KITH_ERROR_IO           = 17, // a file or a write function failed
    KITH_ERROR_HELD         = 18, // links hold the entity that is to be destroyed (link.h)
    KITH_ERROR_NOTICE       = 19  // nothing failed: a build with KITH_DEBUG noticed a mistake
} kith_error_code;

/// Returns the word of the enumerator, such as "null_entity"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_error_code_name(kith_error_code code);

/// An error: what went wrong, in which call, with which component and entity. The last fields hold
/// the numbers and texts of the message. kith_error_text() makes the sentence.
typedef struct kith_error {
    kith_error_code code;
    kith_component  component; // 0: none
    kith_entity     entity;    // 0: none
    const char     *call;      // the name of the function, static text
    const char     *subject;   // what `have` and `want` count, static text; may be NULL
    uint64_t        have;      // the number in the world
    uint64_t        want;      // the number that the call asked for
    const char     *other; // a name from the call; valid until the world's next error; may be NULL
} kith_error;

/// The result of reading or writing bytes: KITH_OK, or an error and its message.
typedef struct kith_result {
    kith_error_code code;
    uint64_t        offset;       // in the bytes, where reading failed
    char            message[176]; // empty when there is nothing to report
} kith_result;

/// Receives the saved bytes, in order. Returns false to stop saving. May read the world. Must not
/// change it until the call that saves has returned.
typedef bool (*kith_write_fn)(const void *bytes, size_t size, void *context);

/// An error hook: called for each error at the moment it happens. `world` is NULL when creating a
/// world failed. The hook may read the world but not change it: kith refuses the change. Errors
/// that the hook itself causes do not call it again. If the failing call takes a `const` world,
/// kith can ensure neither: there the hook must keep the rule by itself.
typedef void (*kith_error_fn)(const kith_world *world, const kith_error *error, void *context);

// ---------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------

/// The functions that a world allocates and frees memory with. `allocate` returns NULL when there
/// is no memory. `release` gets the same size and alignment as `allocate` got. All zero: the heap
/// of the C library.
typedef struct kith_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size, size_t alignment);
    void *context;
} kith_allocator;

// ---------------------------------------------------------------------------------------------
// Entities as numbers: these calls need no world and are O(1)
// ---------------------------------------------------------------------------------------------

/// Returns the handle with this index and version. Such an entity need not be alive.
KITH_API inline kith_entity kith_entity_make(uint32_t index, uint32_t version)
{
    return (KITH_CAST_(kith_entity, version) << 32) | index;
}

/// Returns the index of the handle: its slot in the world.
KITH_API inline uint32_t kith_entity_index(kith_entity entity)
{
    return KITH_CAST_(uint32_t, entity);
}

/// Returns the version of the handle: which use of the slot it means. 0: no entity.
KITH_API inline uint32_t kith_entity_version(kith_entity entity)
{
    return KITH_CAST_(uint32_t, entity >> 32);
}

/// Returns `version << index_bits | index`, for formats with fewer bits. Returns 0 when the index
/// or the version does not fit, or `index_bits` is not 1..32. With 4 bits, index 1 version 1 gives
/// 17, index 1 version 2 gives 33, index 2 version 1 gives 18. For a format with 32 bits, take 20
/// bits for the index and check that the result is at most UINT32_MAX: then the version has 12.
KITH_API uint64_t kith_entity_pack(kith_entity entity, uint32_t index_bits);

/// Returns the handle that kith_entity_pack packed into `packed`; KITH_NULL when there is none.
KITH_API kith_entity kith_entity_unpack(uint64_t packed, uint32_t index_bits);

/// Returns the handle as a number that JavaScript and Lua store exactly. Returns -1 when its
/// version has more than 21 bits; a world created with `version_bits` 21 has no such handles.
KITH_API double kith_entity_to_double(kith_entity entity);

/// Returns the handle for a number from kith_entity_to_double. Returns KITH_NULL for fractions,
/// negative numbers, NaN, infinities, and numbers of 2^53 and above.
KITH_API kith_entity kith_entity_from_double(double number);

#ifdef __cplusplus
}
#endif

#endif
