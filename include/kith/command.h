// SPDX-License-Identifier: MIT
// Commands: calls that are recorded now and made later. Part of kith.h.
//
//     kith_commands *commands = kith_commands_create(world, NULL);
//
//     kith_entity spark = kith_entity_create_later(commands);  // a placeholder: no entity yet
//     position_set_later(commands, spark, (vec2){ 1, 2 });
//     kith_entity_destroy_later(commands, ship);
//
//     kith_commands_apply(commands, world);
//     spark = kith_commands_resolve(commands, spark);          // the new entity
//     kith_commands_clear(commands);
//
// Recording    A function whose name ends in _later takes the commands instead of the world. It
//              returns whether it recorded the call. It neither reads nor changes the world. Any
//              number of threads may record, each into its own commands, while others read or
//              change the world. Values are copied, by copy hooks where there are any. A copy hook
//              runs on the thread that records.
// Placeholders A recorded create call returns a placeholder: a handle that no world creates. Calls
//              of a world treat it as a dead entity. Later commands in the same buffer treat it as
//              the entity, until kith_commands_clear. In fields of values that are entities it is
//              replaced when the commands are applied; one without an entity becomes KITH_NULL.
//              In other bytes and in payloads it is not: kith_commands_resolve returns the entity.
// Applying     Applying makes the calls in the order of recording. Entities, rows, events and
//              errors are those of direct calls. The commands stay recorded. They can be applied
//              again, also to another world that has the same components.
// Dead         A command for a dead entity is skipped without an error, and counted. So is a
//              command for an entity that does not exist because its creation failed. An append
//              (hierarchy.h) is for two entities, the parent and the child. In a command
//              for an array, dead entities are skipped and counted; each run of living entities is
//              applied as an array of its own. A range is applied by one call, which skips its dead
//              entities; they are counted, too. A range of placeholders is applied as an array.
// Errors       A call that cannot be recorded is refused and counted; the report has the reason as
//              `refusal`. The next apply also reports the latest reason to its world's error hook.
//              A command that fails when it is applied is counted, and the next ones follow.
// Memory       When memory runs out, kith_commands_apply stops and returns false. The commands
//              before the one that needs memory are done; that one and those after it are not. In
//              a command for an array, runs of living entities before that point are done too.
//              kith_commands_resume continues there. kith_commands_clear keeps the memory: to
//              record the same commands again allocates nothing.
// Threads      Only one thread at a time may use the commands. Only the world's thread may create,
//              destroy and refresh them; only the thread of the world they are applied to may apply
//              them.
//              kith_world_memory and kith_world_validate read commands too: do not call them while
//              another thread records.
// Hooks        Copy hooks run when values are recorded, destruct hooks in kith_commands_clear, both
//              on the thread of the commands. On the world's thread they may call and change the
//              world. Only calls for the same commands and destroying the world are refused then
//              (KITH_ERROR_BUSY). On other threads they must not use the world; nothing checks it.
// Allocators   If the world has `memory` of its own, or an allocator for one thread only, commands
//              that other threads record need one of two things: an allocator of their own, or
//              sufficient `bytes` and `creates`.
#ifndef KITH_COMMAND_H
#define KITH_COMMAND_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A buffer of recorded calls; kith_commands_create creates it, and its world owns it.
typedef struct kith_commands kith_commands;

/// How to create commands. All zero: the defaults.
typedef struct kith_commands_desc {
    const char    *name;      // for messages; may be NULL
    kith_allocator allocator; // for recorded calls; all zero: the world's
    size_t         bytes;     // initial capacity: 16 for each command, and its values
    uint32_t       creates;   // initial capacity for recorded create calls, in entities
} kith_commands_desc;

/// What is recorded, and the results of the latest apply: applied + skipped + failed + left = the
/// commands at that time.
typedef struct kith_commands_report {
    uint32_t   recorded; // commands in the buffer now
    uint32_t   refused;  // calls that could not be recorded, since kith_commands_clear
    uint32_t   applied;  // commands that were called without an error
    uint32_t   skipped;  // commands of which each entity was dead
    uint32_t   failed;   // commands with an error
    uint32_t   left;     // commands not done because memory ran out
    uint64_t   dead;     // dead entities, in batches and in skipped commands
    kith_error error;    // the first error, or KITH_ERROR_MEMORY when it stopped; KITH_OK: none
    kith_error refusal;  // of the latest refused call since kith_commands_clear; KITH_OK: none
} kith_commands_report;

/// A command of the program's own. It may do to the world what the caller of kith_commands_apply
/// may do, except destroy it. It must not change the commands. `payload` is the recorded copy,
/// aligned to 16 bytes.
typedef void (*kith_command_fn)(kith_world *world, const kith_commands *commands,
                                const void *payload);

// ---------------------------------------------------------------------------------------------
// The buffer
// ---------------------------------------------------------------------------------------------

/// Creates empty commands, which know the components that the world has now. A NULL `desc` means
/// the defaults. Returns NULL when memory runs out (KITH_ERROR_MEMORY), from inside a hook
/// (KITH_ERROR_BUSY), and for an allocator with one of its two functions (KITH_ERROR_ARGUMENT).
/// O(registered + bytes + creates).
KITH_API kith_commands *kith_commands_create(kith_world *world, const kith_commands_desc *desc);

/// Destroys the commands; the end of the world destroys them too. Returns true for NULL. Returns
/// false with an error from inside a hook and while they are applied (KITH_ERROR_BUSY). O(values
/// with destruct hooks + blocks of memory).
KITH_API bool kith_commands_destroy(kith_commands *commands);

/// Updates the commands to the components that were registered since, and the newest hooks.
/// Applying them to their own world does this too. Returns false when memory runs out
/// (KITH_ERROR_MEMORY), from inside a hook and while they are applied (KITH_ERROR_BUSY).
/// O(registered).
KITH_API bool kith_commands_refresh(kith_commands *commands);

/// Deletes all recorded commands and the report, and keeps the memory. Placeholders from
/// before become invalid. Returns false, without an error, for NULL and while the commands are
/// applied. O(1), and O(commands) where values have destruct hooks.
KITH_API bool kith_commands_clear(kith_commands *commands);

/// Makes the recorded calls, in the order of recording. Returns true when each had its turn; the
/// report says with which result. Returns false when memory runs out in the middle
/// (KITH_ERROR_MEMORY). Returns false, with nothing done:
/// - for a NULL `commands`, without an error;
/// - for another world than their own, if a component has another kind, size or alignment there
///   (KITH_ERROR_CONFLICT), or hooks where it has none here, or the reverse (KITH_ERROR_ARGUMENT);
/// - from inside a hook, and while the commands are applied already (KITH_ERROR_BUSY);
/// - when memory runs out in updating the components that they know (KITH_ERROR_MEMORY).
///
/// If a command registers a component that conflicts in one of these ways, the later commands that
/// name it fail, except kith_entity_remove_many_later. Costs what the calls cost.
KITH_API bool kith_commands_apply(kith_commands *commands, kith_world *world);

/// Continues the latest apply to the same world with the command for which memory ran out. Returns
/// true, and does nothing, when that apply reached the end. Fails as kith_commands_apply does, and
/// for another world than the one it stopped in (KITH_ERROR_ARGUMENT).
KITH_API bool kith_commands_resume(kith_commands *commands, kith_world *world);

/// Returns the number of recorded commands, why the latest refused call was refused, and the
/// results of the latest apply. The texts of `error` are valid until the next apply, resume or
/// clear. O(1).
KITH_API kith_commands_report kith_commands_report_of(const kith_commands *commands);

/// Returns the entity that the latest apply created for a placeholder, also while it runs. Returns
/// KITH_NULL when it created none (yet), and for a placeholder of other commands or from before
/// kith_commands_clear. An old placeholder is recognised unless more than 4096 buffers exist or
/// its buffer was cleared 2^20 times since. Returns any other handle unchanged. O(1).
KITH_API kith_entity kith_commands_resolve(const kith_commands *commands, kith_entity entity);

/// Returns whether a handle is a placeholder, of any commands. O(1).
KITH_API inline bool kith_entity_pending(kith_entity entity)
{
    return (entity & UINT64_C(0x80000000)) != 0;
}

// ---------------------------------------------------------------------------------------------
// Recording
//
// Each function records a call, which is made when the commands are applied: the one without _later
// and, for kith_world_call_later, the program's own. It returns false (kith_entity_create_later:
// KITH_NULL) when the call is refused:
//
//     KITH_ERROR_UNREGISTERED  the commands do not know the component
//     KITH_ERROR_KIND          the call does not exist for this kind of component
//     KITH_ERROR_NULL_ENTITY   the entity is null; kith_entity_destroy_later and
//                              kith_component_remove_later return false without an error
//     KITH_ERROR_ARGUMENT      a placeholder of other commands, also in a range; a missing array; a
//                              stride shorter than a value; a destruct or move hook without a copy
//                              hook
//     KITH_ERROR_HOOK          a copy hook returned false
//     KITH_ERROR_BUSY          the commands are being applied
//     KITH_ERROR_LIMIT         too many entities are created in one buffer
//     KITH_ERROR_MEMORY        memory ran out
//
// NULL as commands is refused without an error. O(1) + O(bytes copied).
// ---------------------------------------------------------------------------------------------

/// Returns a placeholder for the entity that will be created; KITH_NULL when the call is refused.
KITH_API kith_entity kith_entity_create_later(kith_commands *commands);

/// Writes placeholders for all of them to `entities`: consecutive handles, so they are a range,
/// too. `sets` may be NULL if `set_count` is 0.
KITH_API bool kith_entity_create_many_later(kith_commands *commands, kith_entity *entities,
                                            uint32_t count, const kith_values *sets,
                                            uint32_t set_count);

/// Records destroying one entity.
KITH_API bool kith_entity_destroy_later(kith_commands *commands, kith_entity entity);

/// Record a call for one entity. A NULL `value` means the default value, which is constructed when
/// the commands are applied; kith_component_add_later always adds the default value.
KITH_API bool kith_component_set_later(kith_commands *commands, kith_entity entity,
                                       kith_component component, const void *value);
KITH_API bool kith_component_add_later(kith_commands *commands, kith_entity entity,
                                       kith_component component);
KITH_API bool kith_component_remove_later(kith_commands *commands, kith_entity entity,
                                          kith_component component);
KITH_API bool kith_component_enable_later(kith_commands *commands, kith_entity entity,
                                          kith_component component, bool enabled);

/// Record a batch as one command. An array, the sets and their values are copied. A range stays a
/// range, however many entities it has.
KITH_API bool kith_entity_destroy_many_later(kith_commands *commands, kith_entities entities);
KITH_API bool kith_entity_set_many_later(kith_commands *commands, kith_entities entities,
                                         const kith_values *sets, uint32_t set_count);
KITH_API bool kith_entity_remove_many_later(kith_commands *commands, kith_entities entities,
                                            const kith_component *components,
                                            uint32_t              component_count);
KITH_API bool kith_entity_set_components_later(kith_commands *commands, kith_entities entities,
                                               const kith_values *sets, uint32_t set_count);

/// Records a call of `call` with a copy of the `size` bytes at `payload`. Refused when `call` is
/// NULL, or when `payload` is NULL and `size` > 0 (KITH_ERROR_ARGUMENT).
KITH_API bool kith_world_call_later(kith_commands *commands, kith_command_fn call,
                                    const void *payload, size_t size);

#ifdef __cplusplus
}
#endif

#endif
