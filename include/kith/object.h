// SPDX-License-Identifier: MIT
// Objects: a program's own data that belongs to a world. Include it beside kith.h.
//
//     typedef struct grid {
//         kith_object  object; // first
//         float        cell_size;
//         uint32_t     count;
//         kith_entity *entities;
//     } grid;
//
//     static const kith_object_ops grid_ops = {
//         .kind = "grid", .size = sizeof(grid), .create = create_grid, .destroy = destroy_grid,
//         .bytes = grid_bytes, .state = grid_state, .validate = validate_grid,
//     };
//
//     grid *own = (grid *)kith_object_of(world, &grid_ops, "terrain");
//
// examples/module.c is the whole program.
//
// Threads     Both functions belong to the world's thread. The functions of an object run on the
//             thread whose call needs them; `state` may run on several at once.
#ifndef KITH_OBJECT_H
#define KITH_OBJECT_H

#include "component.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Objects of a world
//
// Owner       The world owns its objects. kith_world_destroy destroys them, the newest first.
//             kith_object_destroy destroys one earlier.
// Identity    Kind and key name the object in files and in messages. A world has at most one object
//             with the same kind and key.
// State       An object with a `state` function is a part of the world's state: it is saved,
//             loaded, hashed, compared by kith_world_diff, and cloned with the world. A save or
//             load of chosen entities or components leaves objects out.
// Loading     The file's object goes to the object with the same kind and key. If the world has
//             none, the load fails (KITH_ERROR_CONFLICT). KITH_UNKNOWN_SKIP leaves it out;
//             KITH_UNKNOWN_KEEP keeps its items, which are saved, hashed, compared and cloned
//             unchanged, until a load without it. An object that is not loaded is cleared. A failed
//             load changes no object. While `state` reads, the world is still as before the load.
// Cloning     kith_world_clone creates the object in the clone, and copies the state. Listeners are
//             not cloned, as always.
// ---------------------------------------------------------------------------------------------

typedef struct kith_object     kith_object;
typedef struct kith_object_ops kith_object_ops;

/// The first member of an object. kith_object_of fills it in.
struct kith_object {
    kith_object           *next_; // newer
    kith_object           *previous_;
    const kith_object_ops *ops;
    kith_world            *world;
    const char            *key;
    uint64_t               made_; // its number in the world
};

/// A walk over the items of an object's state.
typedef struct kith_state kith_state;
struct kith_state {
    /// The items are stored into the object; otherwise they are taken from it, and the object must
    /// not change.
    bool reading;
    /// Reading: how many bytes of items are left. A file may say anything: before it allocates for
    /// `count` values, the function compares. Otherwise UINT64_MAX.
    uint64_t left;
    /// The function sets it before it returns false because memory ran out: a load or clone then
    /// reports KITH_ERROR_MEMORY.
    bool no_memory;
    /// Handles one item: `count` values of a type of fields.h that is not struct, enum or skip. The
    /// name is for the messages of kith_world_diff. Returns false when the `state` function has to
    /// return false at once: the file has other items, or memory ran out. O(count).
    bool (*item)(kith_state *state, const char *name, kith_field_type type, void *values,
                 uint32_t count);
};

/// The functions of a kind of objects. `kind`, `create` and `destroy` are needed, `size` with
/// `state`; the others may be NULL. They may read the world but not change it, nor create or
/// destroy objects. Saving, hashing and comparing call `state` on every thread that saves, hashes
/// or compares; what `state` allocates is not in the limit of a load.
struct kith_object_ops {
    const char *kind;
    size_t      size; // of the whole object
    /// Returns a new object without state; the library fills in its kith_object. NULL: memory ran
    /// out.
    kith_object *(*create)(kith_world *world, const char *key);
    /// Frees the object and all that it owns.
    void (*destroy)(kith_object *object);
    /// Hands every item of the state to `state->item`, always in the same order. When `reading`,
    /// the object is new and the items may be anything: the function checks them, and allocates
    /// what it needs. It returns false when `item` did, when an item is wrong, or when
    /// memory runs out. After a load, the bytes behind the kith_object are exchanged with those of
    /// the new object: no pointer may point into the object.
    bool (*state)(kith_object *object, kith_state *state);
    /// All entities of the world were destroyed, or a load that lacks this object replaced them.
    void (*clear)(kith_object *object);
    /// Frees the memory that the object does not use now.
    void (*shrink)(kith_object *object);
    /// Returns the bytes that the object has allocated: for kith_world_memory.
    size_t (*bytes)(const kith_object *object);
    /// Returns why the world cannot end now, or NULL. `*name` may become a name for the message.
    const char *(*busy)(const kith_object *object, const char **name);
    /// Returns whether the object agrees with itself and the world; otherwise `*reason` says why
    /// not. For kith_world_validate.
    bool (*validate)(const kith_object *object, const char **reason);
    void *(*listeners_)(kith_object *object); // that a queue calls
};

/// Returns the world's object with this kind and key, or creates it. `ops` and `key` are not
/// copied: both live as long as the object and its clones. Returns NULL and records an error:
/// KITH_ERROR_ARGUMENT when `key` or a needed member of `ops` is missing, or the object has another
/// `ops`; KITH_ERROR_MEMORY; KITH_ERROR_BUSY from inside a hook, when it would have to create.
/// O(objects).
KITH_API kith_object *kith_object_of(kith_world *world, const kith_object_ops *ops,
                                     const char *key);

/// Takes an object of kith_object_of out of its world and destroys it. Returns false and records
/// KITH_ERROR_BUSY from inside a hook, or when the object is busy. NULL: returns true. O(1).
KITH_API bool kith_object_destroy(kith_object *object);

#ifdef __cplusplus
}
#endif

#endif
