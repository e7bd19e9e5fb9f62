// SPDX-License-Identifier: MIT
// Names: a component whose value is a text, by which the entity is found.
// Optional; include it beside kith.h.
//
//     enum { LABEL = 9, SCENE };                              // SCENE: a hierarchy
//     KITH_NAME(label, LABEL);                                // label_set, label_find, ...
//
//     label_set(world, ship, "ship");
//     kith_entity found = label_find(world, "ship");          // ship
//     const char *text  = label_text(world, found);           // "ship"
//
//     label_find_path(world, SCENE, KITH_NULL, "ship/turret/barrel")
//
//     "ship" --> its hash --> index: the entities to compare --> the one with this text
//
// Threads     Any number of threads may call functions that take a `const kith_world *`, while no
//             thread changes the world. Any thread may call functions without a world. All others
//             belong to the world's thread; parts of systems may find names.
#ifndef KITH_NAME_H
#define KITH_NAME_H

#if defined(__GNUC__) && !defined(KITH_HEADER_WARNINGS)
    #pragma GCC system_header // see macro.h
#endif

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Names
//
// A world may have many components that are names. An entity may have a name in each of them.
//
// Text        Any bytes but 0. An empty text is no name: it is never found. kith knows no encoding.
//             A text of at most 63 bytes lies in the row, a longer one in memory of its own. If
//             that runs out, the call fails with KITH_ERROR_HOOK.
// Values      Each call that sets a component sets a name and copies the text: set, batches,
//             commands, clones. kith_text_of makes the value. A value that is written through a
//             pointer of kith_component_mut may not be found.
// Finding     An entity is found by its name from the add or set event on, by listeners of single
//             entities, until the name is gone. Rows that are disabled are found.
// Shared      Several entities may have the same name: kith_name_find returns the one with the
//             lowest index. So the answer follows from the state: a load, a restored frame or a
//             clone of the world gives the same one.
// Unique      KITH_UNIQUE_NAME and kith_name_claim refuse the name of another entity. Names that
//             come from files, merges and the other calls are not compared.
// State       Names are saved, hashed, compared, cloned and merged as texts. The index is not
//             state.
// Cost        O(1) unless the comment says otherwise. 92 bytes for each name (on a 64-bit machine),
//             and at most 32 in the index when it is made, by the first kith_name_find. If memory
//             for it runs out, finding compares all names, and no call fails. A name of at most 63
//             bytes allocates nothing else. kith_world_memory does not count longer ones.
// ---------------------------------------------------------------------------------------------

/// Returns a value to set. It refers to the text, which must live until the call that sets it
/// returns. `text` must not be NULL. O(length).
KITH_API kith_text kith_text_of(const char *text);

/// Returns the text, which ends with a 0. It is valid until the value is set or removed, or its row
/// moves. O(1).
KITH_API const char *kith_text_bytes(const kith_text *value);

/// How to register names without KITH_NAME.
typedef struct kith_name_desc {
    const char    *name;   // of the component
    kith_component id;     // of the component; 0: the next run-time id
    bool           unique; // clones lack the name; only kith_name_claim refuses a taken one
} kith_name_desc;

/// Registers a component as names and returns its id. Registering it again with the same
/// description is allowed. Returns 0 and records an error as kith_component_register does.
/// O(components).
KITH_API kith_component kith_name_register(kith_world *world, const kith_name_desc *desc);

// Fills in all but name and id, for KITH_NAME.
KITH_API void kith_name_describe_(kith_component_desc *desc);

/// Returns the entity that has the name, the one with the lowest index if there are several, or
/// KITH_NULL. `names` is the component; for one that is not names it reports KITH_ERROR_ARGUMENT.
/// Average O(length), and O(n) if n entities share the name. O(all names) when the index has to be
/// made: in the first call, and in the first one after a load or a restored frame. O(all names)
/// too in hooks, and in parts of systems, if the index would have to be made there, or if memory
/// runs out.
KITH_API kith_entity kith_name_find(kith_world *world, kith_component names, const char *text);

/// Sets the name of an entity as kith_component_set does, if no other entity has it. Otherwise
/// records KITH_ERROR_ARGUMENT; the message says which entity that is. Returns whether the entity
/// has the name then. Errors as kith_name_find, too. O(1) on average, beside what kith_name_find
/// says.
KITH_API bool kith_name_claim(kith_world *world, kith_entity entity, kith_component names,
                              const char *text);

/// Returns the entity with that path, or KITH_NULL. A path is names with one '/' between each two.
/// If `root` is KITH_NULL, kith_name_find finds the entity of the first name; otherwise that is a
/// child of `root`. Each following name is that of a child of the entity before it, the first child
/// that has the name. No path leads to a name that is empty or has a '/' in it. `hierarchy` is the
/// component of the hierarchy. Errors as kith_name_find, and those of kith_hierarchy_next. O(path +
/// children of the entities in it).
KITH_API kith_entity kith_name_find_path(kith_world *world, kith_component names,
                                         kith_component hierarchy, kith_entity root,
                                         const char *path);

/// Writes the path of an entity, with a 0 behind it, if it has less than `room` bytes, and returns
/// how many it has without the 0. The path begins below the nearest ancestor without a name.
/// Returns 0 and writes an empty text when the entity has no name, or a name in the path is empty
/// or has a '/' in it. `text` may be NULL if `room` is 0. Errors as kith_name_find_path. O(depth +
/// path).
KITH_API size_t kith_name_path(const kith_world *world, kith_component names,
                               kith_component hierarchy, kith_entity entity, char *text,
                               size_t room);

#ifdef __cplusplus
}
#endif

// ---------------------------------------------------------------------------------------------
// Typed names
// ---------------------------------------------------------------------------------------------

// clang-format off

/// Defines names, NAME, with a constant id. For queries, modules, rows, sorting and listeners they
/// have what KITH_COMPONENT defines. They have no function that hands out a value to write, and in
/// a query they can be read only. All take the world first, but for the last line:
///     NAME_set(e, text) NAME_text(e) NAME_get(e) NAME_has(e) NAME_remove(e)
///     NAME_find(text) NAME_find_path(hierarchy, root, path) NAME_path(hierarchy, e, text, room)
///     NAME_set_many(entities, count, names) NAME_fill_many(entities, count, text)
///     NAME_remove_many(entities, count) NAME_remove_range(range)
///     NAME_set_later(commands, e, text) NAME_remove_later(commands, e)
/// NAME_set returns whether the entity has the name then. NAME_text returns NULL for an entity
/// without a name.
#define KITH_NAME(NAME, ID) \
    KITH_NAMED_(NAME, ID, false, kith_component_set(world, entity, (ID), &name_) != NULL) \
    KITH_INLINE_ bool NAME##_set_later(kith_commands *commands, kith_entity entity, \
                                       const char *text) \
    { \
        const kith_text name_ = kith_text_of(text); \
        return kith_component_set_later(commands, entity, (ID), &name_); \
    } \
    KITH_INLINE_ kith_values NAME##_each(const kith_text *names) \
    { const kith_values set = { (ID), names, sizeof(kith_text) }; return set; } \
    KITH_INLINE_ kith_values NAME##_all(const kith_text *one) \
    { const kith_values set = { (ID), one, 0 }; return set; } \
    KITH_INLINE_ bool NAME##_set_many(kith_world *world, const kith_entity *entities, \
                                      uint32_t count, const kith_text *names) \
    { \
        const kith_values set = NAME##_each(names); \
        return kith_entity_set_many(world, kith_entities_of(entities, count), &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_fill_many(kith_world *world, const kith_entity *entities, \
                                       uint32_t count, const char *text) \
    { \
        const kith_text   name_ = kith_text_of(text); \
        const kith_values set   = NAME##_all(&name_); \
        return kith_entity_set_many(world, kith_entities_of(entities, count), &set, 1); \
    } \
    struct NAME##_names_end_

/// The same for names of which each is that of one entity: NAME_set refuses the name of another
/// one, as kith_name_claim, and clones of an entity have no name. There is no batch and no command
/// that sets them.
#define KITH_UNIQUE_NAME(NAME, ID) \
    KITH_NAMED_(NAME, ID, true, kith_name_claim(world, entity, (ID), name_.far_)) \
    struct NAME##_names_end_

#define KITH_NAMED_(NAME, ID, UNIQUE, SET) \
    KITH_DESC_(NAME, ID, KITH_KIND_VALUE, sizeof(kith_text), KITH_ALIGNOF_(kith_text), \
               kith_name_describe_(&desc); desc.traits.not_cloned = (UNIQUE);) \
    KITH_ROWS_(NAME, ID) \
    KITH_REMOVE_BATCHES_(NAME, ID) \
    KITH_READS_(NAME, kith_text, ID, KITH_SHIFT_(sizeof(kith_text))) \
    enum { NAME##_is_a_component_to_write_ = 0 }; \
    KITH_INLINE_ bool NAME##_set(kith_world *world, kith_entity entity, const char *text) \
    { \
        const kith_text name_ = kith_text_of(text); \
        return SET; \
    } \
    KITH_INLINE_ bool NAME##_remove(kith_world *world, kith_entity entity) \
    { return kith_component_remove(world, entity, (ID)); } \
    KITH_INLINE_ const char *NAME##_text(const kith_world *world, kith_entity entity) \
    { \
        const kith_text *name_ = NAME##_get(world, entity); \
        return name_ == NULL ? NULL : kith_text_bytes(name_); \
    } \
    KITH_INLINE_ kith_entity NAME##_find(kith_world *world, const char *text) \
    { return kith_name_find(world, (ID), text); } \
    KITH_INLINE_ kith_entity NAME##_find_path(kith_world *world, kith_component hierarchy, \
                                              kith_entity root, const char *path) \
    { return kith_name_find_path(world, (ID), hierarchy, root, path); } \
    KITH_INLINE_ size_t NAME##_path(const kith_world *world, kith_component hierarchy, \
                                    kith_entity entity, char *text, size_t room) \
    { return kith_name_path(world, (ID), hierarchy, entity, text, room); } \
    KITH_INLINE_ bool NAME##_remove_later(kith_commands *commands, kith_entity entity) \
    { return kith_component_remove_later(commands, entity, (ID)); }

// clang-format on

#endif
