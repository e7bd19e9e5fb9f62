// SPDX-License-Identifier: MIT
// kith's plain types: handles, descriptions, results. Stands alone, so that a header of yours can
// name an entity without the rest.
#ifndef KITH_TYPES_H
#define KITH_TYPES_H

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
//   hole       a row of a stable pool whose entity left
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
    KITH_ERROR_POLICY       = 8,  // the call would move rows of a stable pool
    KITH_ERROR_HOOK         = 9,  // a construct or copy hook answered false
    KITH_ERROR_ARGUMENT     = 10, // a description or an argument makes no sense
    KITH_ERROR_BUSY         = 11  // called from inside a hook
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

/// Bytes taken from the allocator, by purpose.
typedef struct kith_memory {
    size_t total;      // the sum of the others
    size_t entities;   // handles, free list and their directory
    size_t signatures; // which components each entity has
    size_t sparse;     // from entity to row
    size_t packed;     // from row to entity
    size_t values;     // the components' values
    size_t other;      // directories, names, descriptions, disable bits
} kith_memory;

// --- components ------------------------------------------------------------------------------

/// What a component stores.
typedef enum kith_kind {
    KITH_KIND_VALUE     = 0, // a pool with values
    KITH_KIND_TAG       = 1, // a pool without values
    KITH_KIND_FLAG      = 2, // a bit in the signature
    KITH_KIND_SINGLETON = 3  // one value in the world
} kith_kind;

/// What removing does to the rows of a pool.
typedef enum kith_policy {
    KITH_POLICY_SWAP   = 0, // the last row fills a removed row's place: no gaps, rows may move
    KITH_POLICY_STABLE = 1  // a removed row stays as a hole until an add takes it: rows never move
} kith_policy;

/// What happens to a value's bytes. Absent ones mean: construct zeroes, copy and move copy bytes,
/// destruct does nothing. `construct` and `copy` get raw memory and may fail: false undoes the
/// whole call. After `move` the source is raw memory. Only values have hooks: not tags and flags.
typedef struct kith_hooks {
    bool (*construct)(void *value, void *context);
    bool (*copy)(void *value, const void *source, void *context);
    void (*destruct)(void *value, void *context);
    void (*move)(void *value, void *source, void *context);
    void *context;
} kith_hooks;

/// What a component may ask for beyond its type. All zero: the defaults.
typedef struct kith_traits {
    kith_policy policy;
    uint32_t    page_rows; // rows a page, a power of two up to 65536; 0: by size
    uint32_t    alignment; // above the type's own: up to 4096, divides the size; 0: its own
    kith_hooks  hooks;
    const kith_component *required; // added, with default values, before this component is
    uint32_t              required_count;
} kith_traits;

/// A component as the world is told of it. Name and required ids are copied.
typedef struct kith_component_desc {
    const char    *name;
    kith_component id; // 0: take the next run-time id, from 1023 downwards
    kith_kind      kind;
    uint32_t       size;      // bytes of a value; 0 for tags and flags
    uint32_t       alignment; // of the type, a power of two that divides size; 0: 1
    kith_traits    traits;
} kith_component_desc;

/// A set of components. Bit n is the world's n-th registered component (singletons have none), so a
/// signature means something only together with the world that built it.
typedef struct kith_signature {
    uint64_t words[KITH_SIGNATURE_WORDS];
} kith_signature;

// --- worlds ----------------------------------------------------------------------------------

/// Which free index the next entity gets.
typedef enum kith_free_order {
    KITH_FREE_DEFAULT = 0, // LIFO; FIFO when version_bits < 16, so that no slot wears out early
    KITH_FREE_LIFO    = 1, // the newest free index first
    KITH_FREE_FIFO    = 2, // the oldest first; with max_entities all indices queue from the start
    KITH_FREE_LOWEST  = 3  // the lowest index first
} kith_free_order;

/// How to make a world. All zero: the defaults.
typedef struct kith_world_desc {
    kith_allocator  allocator;
    kith_error_fn   on_error; // NULL: one line on stderr for the first 16 errors of the world
    void           *error_context;
    void           *user;
    uint32_t        index_bits;   // 1..31; 0: 31
    uint32_t        version_bits; // 1..32; 0: 32
    kith_free_order free_order;
    uint32_t        max_entities; // indices run from 0 to max_entities - 1; 0: 2^index_bits
    uint32_t        first_index;  // lower indices are given only to hints
} kith_world_desc;

/// Numbers about a world's entities, all O(1).
typedef struct kith_stats {
    uint32_t alive;
    uint32_t slots;      // in use, free, retired, reserved or queued
    uint32_t free;       // slots that wait to be used again
    uint32_t retired;    // slots whose versions are used up
    uint32_t next_free;  // the free slot that comes next, or KITH_NO_INDEX
    uint32_t components; // registered, all kinds
} kith_stats;

#ifdef __cplusplus
}
#endif

#endif
