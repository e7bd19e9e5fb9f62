// SPDX-License-Identifier: MIT
// Command buffers: calls recorded one after the other in blocks of memory, and applied later.
//
//     block 1 [ record | record | record ... | rest ]  block 2 [ record ... | rest ]  free blocks
//     record  [ words, component, verb | entity | what the verb needs ]
//
// Blocks never move, because values with a move hook may not be moved as bytes. A record that does
// not fit into the current block goes to the next free block that is large enough, or to a new one.
// Clearing makes all blocks free.
//
// The n-th entity that a buffer creates has the placeholder (2^31 + n, tag): no world has indices
// of 32 bits. The tag combines the number of the buffer and how often it was cleared. When the
// commands are applied, created[n] becomes the entity.
//
// Recording may run while another thread registers components, so it does not read the world. For
// each component the buffer has a kith_component_info, a copy of what recording needs.
#pragma once

#include "world/world.h"

// The most entities that one buffer can create: larger indices mark unused slots.
#define KITH_CREATES_MAX (KITH_SLOT_RESERVED - KITH_PENDING_BIT)
#define KITH_PENDING_BIT UINT32_C(0x80000000)

// The number in the tags of all buffers of parts; no other buffer has it.
#define KITH_PART_NUMBER 0xfffu

// The alignment of the payload of kith_world_call_later.
#define KITH_PAYLOAD_ALIGNMENT 16u

typedef enum kith_command_verb {
    KITH_COMMAND_CREATE_MANY, // up to SET_COMPONENTS a kith_command_batch follows the head
    KITH_COMMAND_DESTROY_MANY,
    KITH_COMMAND_SET_MANY,
    KITH_COMMAND_REMOVE_MANY,
    KITH_COMMAND_SET_COMPONENTS,
    KITH_COMMAND_SET, // the value follows, aligned as the component is; verbs up to here may have
                      // any
    KITH_COMMAND_SET_DEFAULT,
    KITH_COMMAND_ADD,
    KITH_COMMAND_REMOVE,
    KITH_COMMAND_DISABLE,
    KITH_COMMAND_ENABLE,
    KITH_COMMAND_APPEND,  // a kith_command_append follows
    KITH_COMMAND_DESTROY, // from SET to here the call is about `entity`
    KITH_COMMAND_CREATE,
    KITH_COMMAND_CALL // a kith_command_call follows
} kith_command_verb;

// The head of a record. For a create `entity` is the placeholder.
typedef struct kith_command {
    uint32_t    words; // size of the record in units of 8 bytes, with this head
    uint16_t    component;
    uint16_t    verb;
    kith_entity entity;
} kith_command;

// What a batch call is about. All arrays of a recorded batch are in its record, and its values are
// packed. `stride` 0 means one value for all. A range may be one of placeholders, as for creates.
typedef struct kith_command_batch {
    kith_entities entities;
    kith_entity  *living; // for applying: the members, each placeholder replaced; unset for a range
                          // of entities
    kith_values          *sets;
    const kith_component *components;
    uint32_t              set_count;
    uint32_t              component_count;
} kith_command_batch;

typedef struct kith_command_call {
    kith_command_fn call;
    const void     *payload;
} kith_command_call;

// An append to a parent: `entity` of the head is the child, `component` the hierarchy.
typedef bool (*kith_append_fn)(kith_world *world, kith_component hierarchy, kith_entity parent,
                               kith_entity child);

typedef struct kith_command_append {
    kith_append_fn append;
    kith_entity    parent;
} kith_command_append;

// Bytes before the first record of a block: a multiple of 8 on every machine.
#define KITH_COMMAND_BLOCK_HEAD 32u

typedef struct kith_command_block {
    struct kith_command_block *next;
    size_t                     size; // in bytes, with this head
    uint8_t                   *end;  // of the records; unset in the current block
} kith_command_block;

// A place among the records of a buffer. `block` is NULL behind the last record.
typedef struct kith_command_place {
    kith_command_block *block;
    uint8_t            *record;
    uint8_t            *end; // of the records of the block
} kith_command_place;

typedef struct kith_component_info {
    kith_component id;
    const char    *name; // belongs to the world and does not change
    uint32_t       size;
    uint32_t       alignment;
    kith_kind      kind;
    bool           plain;       // values without hooks, aligned to at most 8 bytes
    bool           thread_safe; // its hooks
    kith_hooks     hooks;
} kith_component_info;

struct kith_commands {
    kith_object          object;
    kith_command_block  *first;
    uint32_t             tag;
    uint32_t             created_capacity;
    kith_entity         *created;
    kith_component_info *infos;
    bool                 busy; // being applied, or a copy hook runs
    // clearing sets these to zero, up to `stopped`
    bool                 error_unreported; // apply reports report.refusal to the world
    bool                 lacked_memory;    // a call was refused for want of memory
    uint32_t             created_count;
    uint8_t             *at; // the next record begins here; its block ends at `end`
    uint8_t             *end;
    kith_command_block  *current; // the blocks behind it are free
    kith_commands_report report;
    kith_command_place   stopped; // behind the last record: all commands were applied
    uint32_t             info_count;
    uint32_t             info_capacity;
    uint64_t             registrations;                  // of the world, when `infos` was filled
    uint16_t             places[KITH_COMPONENT_MAX + 1]; // index in infos + 1; 0: not registered
    uint64_t             hooked;                         // recorded values with a destruct hook
    const char          *name;
    kith_allocator       memory;
    bool                 foreign; // `memory` is not the allocator of the world
    bool                 in_part; // of a part: hooks must be thread-safe
    const char          *owner;   // that destroys it; NULL: the program
    // state of kith_commands_apply and kith_commands_resume
    uint32_t          stopped_member; // in the batch there: earlier members are done
    const kith_world *stopped_world;
    char              error_other[64]; // the text of report.error.other
};

// The kind of buffers of commands.
extern const kith_object_ops kith_commands_ops;

// Reserve space for a record of `bytes` bytes, a multiple of 8, or for `count` created entities.
// Return false when memory runs out. The record then begins at `at`.
bool kith_commands_reserve_bytes(kith_commands *commands, size_t bytes);
bool kith_commands_reserve_created(kith_commands *commands, uint32_t count);

// Returns true when the world is not locked and the commands are not in use, otherwise reports an
// error to the world.
bool kith_commands_require_idle(const kith_commands *commands, kith_world *world, const char *call);

// kith_commands_refresh, for a call of this name.
bool kith_commands_refresh_for(kith_commands *commands, const char *call);

// Returns the place of the record at `record` in the block, or of the first one in later blocks if
// the records of the block end there. A NULL `record` is the first one.
kith_command_place kith_commands_place(const kith_commands *commands, kith_command_block *block,
                                       uint8_t *record);

// Returns what a record is about, as a batch: a call for one entity is a batch of one. `single`
// becomes the set of such a call with a component.
kith_command_batch kith_commands_contents(const kith_commands *commands, kith_command *command,
                                          kith_values *single);

// Returns how many values a set has for `members` entities.
uint32_t kith_values_count(const kith_values *set, const kith_component_info *info,
                           uint32_t members);

// Call the destruct hooks, where there are any, for packed values, or the values of all sets.
void kith_component_info_destruct(const kith_component_info *info, uint8_t *values, uint32_t count);
void kith_commands_destruct_sets(const kith_commands *commands, const kith_command_batch *batch);

// Records a call of `append`, which is kith_hierarchy_append, as kith_hierarchy_append_later.
bool kith_commands_append_later(kith_commands *commands, kith_component hierarchy,
                                kith_entity parent, kith_entity child, kith_append_fn append);

static inline kith_command_place kith_commands_begin(const kith_commands *commands)
{
    return kith_commands_place(commands, commands->current == NULL ? NULL : commands->first, NULL);
}

// Moves a place to the record `bytes` bytes on, or to the first one of the next block.
static inline void kith_commands_step(const kith_commands *commands, kith_command_place *place,
                                      size_t bytes)
{
    place->record += bytes;
    if (KITH_UNLIKELY_(place->record >= place->end)) {
        *place = kith_commands_place(commands, place->block, place->record);
    }
}

static inline kith_command *kith_command_at(uint8_t *record)
{
    return (kith_command *)(void *)record;
}

static inline size_t kith_command_bytes(const kith_command *command)
{
    return command->words * sizeof(uint64_t);
}

// Rounds an address up to a multiple of `alignment`, a power of two.
static inline uint8_t *kith_command_align(uint8_t *address, size_t alignment)
{
    return address + (-(uintptr_t)address & (alignment - 1));
}

static inline const kith_component_info *kith_commands_info(const kith_commands *commands,
                                                            kith_component       component)
{
    uint32_t place = component > KITH_COMPONENT_MAX ? 0 : commands->places[component];
    return place == 0 ? NULL : &commands->infos[place - 1];
}

// Returns the number of a placeholder in its buffer.
static inline uint32_t kith_placeholder_number(kith_entity placeholder)
{
    return kith_entity_index(placeholder) ^ KITH_PENDING_BIT;
}

// Returns whether this buffer issued the placeholder since it was last cleared.
static inline bool kith_commands_issued(const kith_commands *commands, kith_entity placeholder)
{
    return kith_entity_version(placeholder) == commands->tag &&
           kith_placeholder_number(placeholder) < commands->created_count;
}

// Returns the entity itself, or the entity created for a placeholder, or KITH_NULL.
static inline kith_entity kith_commands_entity(const kith_commands *commands, kith_entity entity)
{
    if (KITH_LIKELY_(!kith_entity_pending(entity))) {
        return entity;
    }
    return kith_commands_issued(commands, entity)
               ? commands->created[kith_placeholder_number(entity)]
               : KITH_NULL;
}
