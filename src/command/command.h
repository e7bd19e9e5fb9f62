// SPDX-License-Identifier: MIT
// Commands: calls that are recorded, one record after the other, in blocks of memory.
//
//     block 1 [ record | record | record ... | rest ]  block 2 [ record ... | rest ]  free blocks
//     record  [ words, component, verb | entity | what the verb needs ]
//
// Blocks never move, because values in them may not be moved as bytes. A record that has no room in
// the block goes to the next free one that has, or to a new one. Clearing makes all blocks free.
//
// The n-th entity that is created has the placeholder (2^31 + n, tag): no world has indices with 32
// bits. Tags are numbers of a buffer and of how often it was cleared. `created[n]` is the entity.
//
// Recording needs to know components and may not look into the world, where registering could
// change what it reads: so there is a *info* for each, a copy of what matters.
#ifndef KITH_COMMAND_COMMAND_H
#define KITH_COMMAND_COMMAND_H

#include "world/world.h"

// Entities that one buffer can create: indices above it are those of slots that are not in use.
#define KITH_CREATES_MAX (KITH_SLOT_RESERVED - KITH_PENDING_BIT)
#define KITH_PENDING_BIT UINT32_C(0x80000000)

// Of a payload, and so of what follows a record's head.
#define KITH_PAYLOAD_ALIGNMENT 16u

typedef enum kith_command_verb {
    KITH_COMMAND_SET,
    KITH_COMMAND_SET_DEFAULT,
    KITH_COMMAND_ADD,
    KITH_COMMAND_REMOVE,
    KITH_COMMAND_DISABLE,
    KITH_COMMAND_ENABLE,
    KITH_COMMAND_CREATE,
    KITH_COMMAND_DESTROY,
    KITH_COMMAND_CREATE_MANY, // from here on a kith_command_batch follows
    KITH_COMMAND_CREATE_WITH,
    KITH_COMMAND_DESTROY_MANY,
    KITH_COMMAND_ADD_MANY,
    KITH_COMMAND_REMOVE_MANY,
    KITH_COMMAND_SET_COMPONENTS,
    KITH_COMMAND_SET_COMPONENTS_MANY,
    KITH_COMMAND_CALL // a kith_command_call follows
} kith_command_verb;

// The head of a record. What is created has its first placeholder in `entity`.
typedef struct kith_command {
    uint32_t    words; // of 8 bytes, the head included
    uint16_t    component;
    uint16_t    verb;
    kith_entity entity;
} kith_command;

// All arrays are in the record. Values of a set are packed; `stride` 0 means one for all.
typedef struct kith_command_batch {
    const kith_entity *entities;
    kith_entity       *living; // room for as many
    kith_values       *sets;
    kith_component    *components;
    uint32_t           count;
    uint32_t           set_count; // or how many components
} kith_command_batch;

typedef struct kith_command_call {
    kith_command_fn call;
    const void     *payload;
} kith_command_call;

// In front of the records; a multiple of 8 on every machine.
#define KITH_COMMAND_BLOCK_HEAD 32u

typedef struct kith_command_block {
    struct kith_command_block *next;
    size_t                     size; // in bytes, this head included
    uint8_t                   *end;  // of the records; of the current block: at
} kith_command_block;

typedef struct kith_component_info {
    kith_component id;
    const char    *name; // the world's, which does not change
    uint32_t       size;
    uint32_t       alignment;
    kith_kind      kind;
    bool           plain; // values of bytes, for which any multiple of 8 is an address
    kith_hooks     hooks;
} kith_component_info;

struct kith_commands {
    uint8_t             *at; // where the next record goes, and where its block ends
    uint8_t             *end;
    kith_command_block  *first;
    kith_command_block  *current; // those behind it are free
    uint32_t             count;
    uint32_t             tag;
    uint32_t             created_count;
    uint32_t             created_capacity;
    kith_entity         *created;
    kith_component_info *infos;
    uint32_t             info_count;
    uint32_t             info_capacity;
    uint64_t             registrations; // of the world, when the infos were created
    uint16_t             places[KITH_COMPONENT_MAX + 1]; // of infos, from 1 on; 0: none
    uint64_t             hooked;                         // values that must be destructed
    bool                 busy;                           // applied, or a hook runs
    bool                 error_unreported; // the world's error hook has not heard of `error`
    kith_error           error;            // of recording
    kith_world          *world;
    kith_commands       *next;
    const char          *name;
    kith_allocator       memory;
    bool                 foreign; // the memory is not the world's
    // applying
    kith_command_block  *stopped_block; // NULL: came to the end
    uint8_t             *stopped_at;
    uint32_t             stopped_place; // in the batch there: the members before are done
    const kith_world    *stopped_world;
    kith_commands_report report;
    char                 error_other[64]; // report.error.other, when it is not NULL
};

// Gives every buffer back; the bytes of all that are from the world's memory; whether none of them
// is being applied: if not it is an error.
KITH_INTERNAL void   kith_world_free_commands(kith_world *world);
KITH_INTERNAL size_t kith_world_command_bytes(const kith_world *world);
KITH_INTERNAL bool   kith_require_no_commands(kith_world *world, const char *call);

// Room for a record of so many bytes, a multiple of 8, and for so many entities that are created:
// false when memory runs out. Then the record starts at `at`, or behind it where it must be aligned
// otherwise.
KITH_INTERNAL bool kith_commands_reserve_bytes(kith_commands *commands, size_t bytes);
KITH_INTERNAL bool kith_commands_reserve_created(kith_commands *commands, uint32_t count);

// Brings the infos up to date. False when memory runs out.
KITH_INTERNAL bool kith_commands_update_components(kith_commands *commands);

// Ends values in a record.
KITH_INTERNAL void kith_component_info_destruct(const kith_component_info *info, uint8_t *values,
                                                uint32_t count);

KITH_INTERNAL void kith_commands_destruct_sets(const kith_commands      *commands,
                                               const kith_command_batch *batch);

// What does not hold of the world's commands, or NULL.
KITH_INTERNAL const char *kith_commands_mistake(const kith_world *world);

// The records of a block end here.
static inline uint8_t *kith_command_block_end(const kith_commands      *commands,
                                              const kith_command_block *block)
{
    return block == commands->current ? commands->at : block->end;
}

static inline uint8_t *kith_command_block_start(kith_command_block *block)
{
    return (uint8_t *)block + KITH_COMMAND_BLOCK_HEAD;
}

static inline kith_command *kith_command_at(uint8_t *record)
{
    return (kith_command *)(void *)record;
}

static inline kith_command_batch *kith_command_batch_of(kith_command *command)
{
    return (kith_command_batch *)(void *)(command + 1);
}

// The address at or behind `address` that can be divided by `alignment`, a power of two.
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

// Where the value of a record of a single component is.
static inline uint8_t *kith_command_value(kith_command *command, const kith_component_info *info)
{
    return kith_command_align((uint8_t *)(command + 1), info->alignment);
}

// Whether a placeholder is one of these commands, as they are now.
static inline bool kith_commands_issued(const kith_commands *commands, kith_entity placeholder)
{
    return kith_entity_version(placeholder) == commands->tag &&
           (kith_entity_index(placeholder) ^ KITH_PENDING_BIT) < commands->created_count;
}

static inline kith_entity kith_commands_entity(const kith_commands *commands, kith_entity entity)
{
    if (KITH_LIKELY_(!kith_entity_pending(entity))) {
        return entity;
    }
    return kith_commands_issued(commands, entity)
               ? commands->created[kith_entity_index(entity) ^ KITH_PENDING_BIT]
               : KITH_NULL;
}

#endif
