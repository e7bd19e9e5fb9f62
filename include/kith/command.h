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
//     spark = kith_commands_resolve(commands, spark);          // the entity that was made
//     kith_commands_clear(commands);
//
// Recording    A call whose name ends in _later takes the commands instead of the world and answers
//              whether the call was recorded. It reads and changes nothing of the world, so any
//              number of threads may record, each into commands of its own, while others read or
//              change the world. Values are copied, through copy hooks where there are any: such a
//              hook runs on the thread that records.
// Placeholders What creating answers while it is recorded: a handle that no world hands out and
//              every call of a world takes for dead. The later commands of the same buffer take it
//              for the entity, until kith_commands_clear. Inside values and payloads it stays what
//              it is: kith_commands_resolve tells the entity.
// Applying     Makes the calls in the order in which they were recorded, as if they stood there:
//              the same entities, rows, events and errors. What was recorded stays, and can be
//              applied again, also to another world that has the same components.
// Dead         A command for an entity that is dead when its turn comes, or was never made because
//              its creation failed, is skipped without an error, and counted. Of an array the dead
//              are passed over: the living between them are arrays of their own.
// Errors       What cannot be recorded is refused and counted, and the reason is kept for
//              kith_commands_error; the first apply after it tells the world's error hook, too. A
//              command that fails when it is applied is counted, and the others follow.
// Memory       When memory runs out in the middle, kith_commands_apply stops before the command
//              that needs it and answers false: the commands before it are done, that one and those
//              after it are not. kith_commands_resume goes on from there. Recording keeps its
//              memory when it is cleared: what was recorded once needs none the next time.
// Threads      Commands belong to one thread at a time. Creating, destroying and refreshing them is
//              for the thread that the world belongs to, applying for the one of the world they are
//              applied to. kith_world_memory and kith_world_validate look at commands too: not
//              while another thread records. Hooks that copy values when they are recorded, and
//              end them in kith_commands_clear, run in the thread of the commands. If that is the
//              world's they may call it as anyone may, and change it: only calls for the same
//              commands and the end of the world are refused (KITH_ERROR_BUSY). In other threads
//              they may not touch it, and nothing stops them. Where the world has `memory` of its
//              own, or an allocator that only one thread may ask, commands that other threads
//              record need an allocator of their own, or `bytes` and `creates` that suffice.
#ifndef KITH_COMMAND_H
#define KITH_COMMAND_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Calls that are recorded; made by kith_commands_create and owned by its world.
typedef struct kith_commands kith_commands;

/// How to make commands. All zero: the defaults.
typedef struct kith_commands_desc {
    const char    *name;      // for messages; may be NULL
    kith_allocator allocator; // of what is recorded; all zero: the world's
    size_t         bytes;     // room to begin with: 16 for each command, and its values
    uint32_t       creates;   // entities that are created, for which there is room to begin with
} kith_commands_desc;

/// What became of the commands. Those of one apply are applied + skipped + failed + left.
typedef struct kith_commands_report {
    uint32_t   recorded; // commands that there are now
    uint32_t   refused;  // that could not be recorded, since kith_commands_clear
    uint32_t   applied;  // by the latest apply
    uint32_t   skipped;  // because each entity that they are for was dead
    uint32_t   failed;   // with an error
    uint32_t   left;     // not reached: memory ran out
    uint64_t   dead;     // entities that were passed over, of arrays and of skipped commands
    kith_error error;    // the first, or that memory ran out; KITH_OK: none
} kith_commands_report;

/// A command of the program's own. May do to the world whatever the caller of kith_commands_apply
/// may do, but neither destroy it nor touch the commands. `payload` is the recorded copy, aligned
/// to 16 bytes.
typedef void (*kith_command_fn)(kith_world *world, const kith_commands *commands,
                                const void *payload);

// ---------------------------------------------------------------------------------------------
// The buffer
// ---------------------------------------------------------------------------------------------

/// Makes empty commands, which know the components that the world has now; NULL or a zeroed
/// description gives the defaults. NULL and an error without memory, and from inside a hook.
/// O(registered + bytes + creates).
KITH_API kith_commands *kith_commands_create(kith_world *world, const kith_commands_desc *desc);

/// Gives them back, as the end of the world does. False for NULL, and an error from inside a hook
/// and while they are applied. O(values with destruct hooks + blocks of memory).
KITH_API bool kith_commands_destroy(kith_commands *commands);

/// The world they were made for. O(1).
KITH_API kith_world *kith_commands_world(const kith_commands *commands);

/// Lets them know components that were registered since, and the newest hooks, as applying them to
/// their own world does. False without memory, from inside a hook and while they are applied.
/// O(registered).
KITH_API bool kith_commands_refresh(kith_commands *commands);

/// Forgets what was recorded and why something was not, and keeps the memory. Placeholders from
/// before are no longer good. False while they are applied. O(1), and O(commands) where values have
/// destruct hooks.
KITH_API bool kith_commands_clear(kith_commands *commands);

/// How many commands are recorded. O(1).
KITH_API uint32_t kith_commands_count(const kith_commands *commands);

/// Why the latest call was refused that could not be recorded; `code` is KITH_OK when all were
/// since kith_commands_clear. O(1).
KITH_API kith_error kith_commands_error(const kith_commands *commands);

/// Makes the calls, in the order in which they were recorded. True when all had their turn, however
/// they ended: see the report. False, with an error, when memory ran out in the middle; and, with
/// nothing done, for a world where a component is another than in the commands' own (kind, size,
/// alignment, or which hooks there are), from inside a hook, and while they are applied already.
/// Where such a component is registered on the way, the commands that have values for it fail. What
/// the calls cost.
KITH_API bool kith_commands_apply(kith_commands *commands, kith_world *world);

/// Goes on where the latest apply to the same world stopped because memory ran out, with the
/// command that needed it. Nothing to do, and true, when it came to the end.
KITH_API bool kith_commands_resume(kith_commands *commands, kith_world *world);

/// What was recorded, and what became of it. The error's texts are good until the next apply,
/// resume or clear. O(1).
KITH_API kith_commands_report kith_commands_report_of(const kith_commands *commands);

/// The entity that the latest apply made for a placeholder, also while it runs; KITH_NULL when it
/// made none (yet), and for a placeholder of other commands or from before kith_commands_clear (of
/// 4096 buffers at a time, and as long as none was cleared 2^20 times since). Any other handle is
/// its own answer. O(1).
KITH_API kith_entity kith_commands_resolve(const kith_commands *commands, kith_entity entity);

/// Whether a handle is a placeholder, of whatever commands. O(1).
KITH_API inline bool kith_entity_pending(kith_entity entity)
{
    return (entity & UINT64_C(0x80000000)) != 0;
}

// ---------------------------------------------------------------------------------------------
// Recording
//
// Each is the call without _later, made when the commands are applied. Refused are, besides what
// memory has no room for: components that the commands do not know, or of the wrong kind; the null
// entity (destroy and remove: without an error); a placeholder of other commands; arrays that are
// not there; values that a copy hook does not copy, and values that have a destruct or move hook
// and no copy hook; and everything while the commands are applied. NULL as commands is refused
// quietly. O(1), O(bytes copied).
// ---------------------------------------------------------------------------------------------

/// A placeholder for the entity that will be made; KITH_NULL when it could not be recorded.
KITH_API kith_entity kith_entity_create_later(kith_commands *commands);

/// Placeholders for all of them, in `entities`.
KITH_API bool kith_entity_create_many_later(kith_commands *commands, kith_entity *entities,
                                            uint32_t count);
KITH_API bool kith_entity_create_with_later(kith_commands *commands, kith_entity *entities,
                                            uint32_t count, const kith_values *sets,
                                            uint32_t set_count);

/// One entity, or all of an array.
KITH_API bool kith_entity_destroy_later(kith_commands *commands, kith_entity entity);
KITH_API bool kith_entity_destroy_many_later(kith_commands *commands, const kith_entity *entities,
                                             uint32_t count);

/// `value` NULL: the default value, made when the commands are applied.
KITH_API bool kith_component_set_later(kith_commands *commands, kith_entity entity,
                                       kith_component component, const void *value);
KITH_API bool kith_component_add_later(kith_commands *commands, kith_entity entity,
                                       kith_component component);
KITH_API bool kith_component_remove_later(kith_commands *commands, kith_entity entity,
                                          kith_component component);
KITH_API bool kith_component_disable_later(kith_commands *commands, kith_entity entity,
                                           kith_component component);
KITH_API bool kith_component_enable_later(kith_commands *commands, kith_entity entity,
                                          kith_component component);

/// The sets and their values are copied. A batch is one command.
KITH_API bool kith_entity_add_many_later(kith_commands *commands, const kith_entity *entities,
                                         uint32_t count, const kith_values *sets,
                                         uint32_t set_count);
KITH_API bool kith_entity_remove_many_later(kith_commands *commands, const kith_entity *entities,
                                            uint32_t count, const kith_component *components,
                                            uint32_t component_count);
KITH_API bool kith_entity_set_components_later(kith_commands *commands, kith_entity entity,
                                               const kith_values *sets, uint32_t set_count);
KITH_API bool kith_entity_set_components_many_later(kith_commands     *commands,
                                                    const kith_entity *entities, uint32_t count,
                                                    const kith_values *sets, uint32_t set_count);

/// Calls `call` with a copy of the `size` bytes at `payload` when its turn comes.
KITH_API bool kith_world_call_later(kith_commands *commands, kith_command_fn call,
                                    const void *payload, size_t size);

#ifdef __cplusplus
}
#endif

#endif
