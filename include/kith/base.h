// SPDX-License-Identifier: MIT
// What every header of kith needs: handles, errors, allocators. Stands alone, so that a header of
// yours can name an entity without the rest.
#ifndef KITH_BASE_H
#define KITH_BASE_H

#if defined(__cplusplus)
    #if __cplusplus < 201103L && !defined(_MSC_VER) // it says 199711 by default
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
//   world      owns everything; worlds share nothing
//   entity     a handle: which slot of the world, and which use of that slot (the version)
//   component  a small number chosen by the program, with a name and a layout
//   tag        a component without bytes: only who has it is stored, as rows
//   flag       a component without rows: one bit in the entity's signature
//   singleton  a component whose one value belongs to the world
//   signature  the set of components that an entity has
//   pool       all values of one component, row for row, with a lookup from entity to row
//   page       a power-of-two number of rows, allocated at once and never moved
//   hole       a row whose entity left while nothing may move, or in a stable pool
//   query      which entities to visit: a list of terms; a view is a query made on the spot
//   loop       a walk over the entities of a query; while one is open nothing moves
//   settle     to close the holes that loops left, and run the destructors that waited
//   chunk      a stretch of entities whose values are a plain array in every column
//   stamp      the tick at which a page of values was last handed out for writing
//   listener   a function that hears when a component or an entity comes, changes or goes
//   queue      events of the program's own, that wait until they are delivered to its handlers
//   reactive   a set of the entities to which something happened
//   batch      one call for many entities: an array of them, or a range of consecutive indices
//   path       components whose pools are kept in one order, as far as each call is let to
//   system     a function with a name, the entities that it is for, and what it touches
//   schedule   a world's systems in the order in which they run
// ---------------------------------------------------------------------------------------------

/// An entity: index in the low 32 bits (at most 31 are used), version in the high 32. Versions
/// start at 1, so 0 is no entity and zeroed memory holds none.
typedef uint64_t kith_entity;

/// A component id: 1..KITH_COMPONENT_MAX, the program's own constant; 0 is none.
typedef uint32_t kith_component;

/// Owns everything; made by kith_world_create.
typedef struct kith_world kith_world;

#define KITH_NULL            UINT64_C(0)
#define KITH_COMPONENT_MAX   1023u
#define KITH_SIGNATURE_WORDS 16
#define KITH_NO_ROW          UINT32_MAX
#define KITH_NO_INDEX        UINT32_MAX
#define KITH_ALIGNMENT_MAX   4096u

// --- errors ----------------------------------------------------------------------------------

/// What kind of thing went wrong.
typedef enum kith_error_code {
    KITH_OK                 = 0,
    KITH_ERROR_MEMORY       = 1,  // the allocator answered NULL
    KITH_ERROR_LIMIT        = 2,  // a limit of the world or of a pool is reached
    KITH_ERROR_NULL_ENTITY  = 3,  // a demand on the null entity
    KITH_ERROR_DEAD_ENTITY  = 4,  // a demand on an entity that is not alive
    KITH_ERROR_UNREGISTERED = 5,  // no component has that id in this world
    KITH_ERROR_CONFLICT     = 6,  // the id or the name is registered with another description
    KITH_ERROR_KIND         = 7,  // the call does not exist for this kind of component
    KITH_ERROR_POLICY       = 8,  // the call would move rows of a stable pool, or of a kept order
    KITH_ERROR_HOOK         = 9,  // a construct or copy hook answered false
    KITH_ERROR_ARGUMENT     = 10, // a description or an argument makes no sense
    KITH_ERROR_BUSY         = 11, // not from inside a hook or a listener, or while a loop is open
    KITH_ERROR_DYING        = 12, // the entity is being destroyed, or the component removed
    KITH_ERROR_CLOSED       = 13, // the cursor's loop is closed
    KITH_ERROR_UNDECLARED   = 14, // a system did not say that it touches the component
    KITH_ERROR_FORMAT       = 15, // bytes from elsewhere make no sense
    KITH_ERROR_UNSAVED      = 16, // nobody said how the values of a component are saved
    KITH_ERROR_IO           = 17  // a file or a function to which bytes go failed
} kith_error_code;

/// What went wrong, in which call, with which component and entity. Numbers and texts that the
/// message needs are in the last fields; kith_error_text() makes the sentence.
typedef struct kith_error {
    kith_error_code code;
    kith_component  component; // 0: none
    kith_entity     entity;    // 0: none
    const char     *call;      // the function or the verb, static text
    const char     *subject;   // what the numbers speak of, static text; NULL: nothing
    uint64_t        have;      // as it is in the world
    uint64_t        want;      // as the call asked for it
    const char     *other; // a name the call gave; good until the world's next error; may be NULL
} kith_error;

/// How reading or writing bytes for elsewhere went; the message is empty when it went well.
typedef struct kith_result {
    kith_error_code code;
    uint64_t        offset; // in the bytes, where reading them failed
    char            message[176];
} kith_result;

/// Takes bytes that are saved, in order; false ends the saving. It may ask the world, and changes
/// it only when that is over.
typedef bool (*kith_write_fn)(const void *bytes, size_t size, void *context);

/// Hears each error of a world at the moment it happens (`world` is NULL when creating one failed).
/// May ask the world, may not change it: that is refused, and errors that the hook makes itself are
/// not told again. Only an error of a call with a `const` world cannot be guarded so: there the
/// hook must keep the rule by itself.
typedef void (*kith_error_fn)(const kith_world *world, const kith_error *error, void *context);

// --- memory ----------------------------------------------------------------------------------

/// Where a world's memory comes from. `allocate` answers NULL when there is none; `release` gets
/// the size and the alignment that were asked for. All zero: the C library's heap.
typedef struct kith_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size, size_t alignment);
    void *context;
} kith_allocator;

// ---------------------------------------------------------------------------------------------
// Entities as numbers: no world needed, all O(1)
// ---------------------------------------------------------------------------------------------

/// The handle with that index and version. Nothing says that it is alive.
KITH_API inline kith_entity kith_entity_make(uint32_t index, uint32_t version)
{
    return (KITH_CAST_(kith_entity, version) << 32) | index;
}

/// The slot of the handle.
KITH_API inline uint32_t kith_entity_index(kith_entity entity)
{
    return KITH_CAST_(uint32_t, entity);
}

/// Which use of the slot the handle means; 0 for no entity at all.
KITH_API inline uint32_t kith_entity_version(kith_entity entity)
{
    return KITH_CAST_(uint32_t, entity >> 32);
}

/// `version << index_bits | index` for formats with fewer bits; 0 when index or version do not fit
/// or `index_bits` is not 1..32. With 4 bits: (1, 1) gives 17, (1, 2) gives 33, (2, 1) gives 18.
KITH_API uint64_t kith_entity_pack(kith_entity entity, uint32_t index_bits);

/// The handle that kith_entity_pack gave `packed` for; KITH_NULL when there is none.
KITH_API kith_entity kith_entity_unpack(uint64_t packed, uint32_t index_bits);

/// The same within 32 bits, typically 20 for the index and 12 for the version; `index_bits` 1..31.
KITH_API uint32_t    kith_entity_pack32(kith_entity entity, uint32_t index_bits);
KITH_API kith_entity kith_entity_unpack32(uint32_t packed, uint32_t index_bits);

/// The handle as a number that JavaScript and Lua keep exactly, or -1 when its version has more
/// than 21 bits. A world made with version_bits 21 has no other handles.
KITH_API double kith_entity_to_double(kith_entity entity);

/// The inverse; KITH_NULL for fractions, negative numbers, NaN, infinities, and 2^53 and above.
KITH_API kith_entity kith_entity_from_double(double number);

#ifdef __cplusplus
}
#endif

#endif
