// SPDX-License-Identifier: MIT
// Command buffers: their memory, creation, clearing and validation.
#include "command/command.h"

extern inline bool kith_entity_pending(kith_entity entity);

// --- blocks ----------------------------------------------------------------------------------

// The first block is small, for buffers that record little. Each new block doubles the memory, up
// to a size that allocators still serve without a system call.
#define BLOCK_LEAST 4096u
#define BLOCK_MOST  (UINT64_C(1) << 20)

static size_t bytes_of_blocks(const kith_commands *commands)
{
    size_t bytes = 0;
    for (const kith_command_block *block = commands->first; block != NULL; block = block->next) {
        bytes += block->size;
    }
    return bytes;
}

static kith_command_block *alloc_record_block(kith_commands *commands, size_t bytes)
{
    size_t least              = bytes_of_blocks(commands);
    least                     = least < BLOCK_LEAST ? BLOCK_LEAST : least;
    least                     = least > BLOCK_MOST ? BLOCK_MOST : least;
    size_t size               = kith_size_add(KITH_COMMAND_BLOCK_HEAD, bytes, 1);
    size                      = (size < least ? least : size) + KITH_CACHE_LINE - 1;
    size                      = size & ~(size_t)(KITH_CACHE_LINE - 1);
    kith_command_block *block = kith_alloc(&commands->memory, size, KITH_CACHE_LINE);
    if (block != NULL) {
        *block = (kith_command_block){ .size = size };
    }
    return block;
}

// Removes from the list a free block with at least `bytes` bytes. Returns NULL if there is none.
static kith_command_block *find_record_block(kith_commands *commands, size_t bytes)
{
    kith_command_block **place =
        commands->current == NULL ? &commands->first : &commands->current->next;
    while (*place != NULL && (*place)->size - KITH_COMMAND_BLOCK_HEAD < bytes) {
        place = &(*place)->next;
    }
    kith_command_block *found = *place;
    if (found != NULL) {
        *place = found->next;
    }
    return found;
}

// Makes the block the current one, after the blocks with records.
static void enter_record_block(kith_commands *commands, kith_command_block *block)
{
    kith_command_block **place = &commands->first;
    if (commands->current != NULL) {
        commands->current->end = commands->at;
        place                  = &commands->current->next;
    }
    block->next       = *place;
    *place            = block;
    commands->current = block;
    commands->at      = kith_command_block_start(block);
    commands->end     = (uint8_t *)block + block->size;
}

KITH_INTERNAL bool kith_commands_reserve_bytes(kith_commands *commands, size_t bytes)
{
    if (bytes <= (size_t)(commands->end - commands->at)) {
        return true;
    }
    kith_command_block *block = find_record_block(commands, bytes);
    block                     = block != NULL ? block : alloc_record_block(commands, bytes);
    if (block != NULL) {
        enter_record_block(commands, block);
    }
    return block != NULL;
}

KITH_INTERNAL bool kith_commands_reserve_created(kith_commands *commands, uint32_t count)
{
    uint32_t needed = commands->created_count + count;
    if (needed <= commands->created_capacity) {
        return true;
    }
    uint32_t capacity = commands->created_capacity < 32 ? 64 : commands->created_capacity * 2;
    capacity          = capacity < needed ? needed : capacity;
    kith_entity *created =
        kith_alloc(&commands->memory, kith_size_add(0, capacity, sizeof *created), KITH_CACHE_LINE);
    if (created == NULL) {
        return false;
    }
    if (commands->created != NULL) {
        memcpy(created, commands->created, commands->created_count * sizeof *created);
        kith_free(&commands->memory, commands->created,
                  commands->created_capacity * sizeof *created, KITH_CACHE_LINE);
    }
    commands->created          = created;
    commands->created_capacity = capacity;
    return true;
}

// --- descriptions of components --------------------------------------------------------------

static bool reserve_infos(kith_commands *commands, uint32_t count)
{
    if (count <= commands->info_capacity) {
        return true;
    }
    size_t               size  = sizeof *commands->infos;
    kith_component_info *infos = kith_alloc(&commands->memory, count * size, KITH_CACHE_LINE);
    if (infos == NULL) {
        return false;
    }
    kith_free(&commands->memory, commands->infos, commands->info_capacity * size, KITH_CACHE_LINE);
    commands->infos         = infos;
    commands->info_capacity = count;
    return true;
}

// Infos are in registration order, so filling the array again keeps their indices.
KITH_INTERNAL bool kith_commands_update_components(kith_commands *commands)
{
    const kith_world *world = commands->object.world;
    if (commands->registrations == world->registrations) {
        return true;
    }
    if (!reserve_infos(commands, world->storage_count)) {
        return false;
    }
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_component_desc *desc  = &world->storages[i]->desc;
        const kith_hooks          *hooks = &desc->traits.hooks;
        commands->infos[i]               = (kith_component_info){
                          .id        = desc->id,
                          .name      = desc->name,
                          .size      = desc->size,
                          .alignment = desc->alignment,
                          .kind      = desc->kind,
                          .plain     = desc->kind == KITH_KIND_VALUE && kith_hooks_empty(hooks) &&
                                   desc->alignment <= sizeof(uint64_t),
                          .hooks = *hooks,
        };
        commands->places[desc->id] = (uint16_t)(i + 1);
    }
    commands->info_count    = world->storage_count;
    commands->registrations = world->registrations;
    return true;
}

KITH_INTERNAL void kith_component_info_destruct(const kith_component_info *info, uint8_t *values,
                                                uint32_t count)
{
    for (uint32_t i = 0; i < count && info->hooks.destruct != NULL; i++) {
        info->hooks.destruct(values + (size_t)i * info->size, info->hooks.context);
    }
}

// --- clearing --------------------------------------------------------------------------------

KITH_INTERNAL void kith_commands_destruct_sets(const kith_commands      *commands,
                                               const kith_command_batch *batch)
{
    for (uint32_t i = 0; i < batch->set_count && batch->sets != NULL; i++) {
        const kith_values         *set   = &batch->sets[i];
        const kith_component_info *info  = kith_commands_info(commands, set->component);
        uint32_t                   count = set->stride == 0 ? 1 : batch->entities.count;
        if (set->values != NULL) {
            kith_component_info_destruct(info, (uint8_t *)(uintptr_t)set->values, count);
        }
    }
}

static void destruct_record(const kith_commands *commands, kith_command *command)
{
    if (command->verb == KITH_COMMAND_SET) {
        const kith_component_info *info = kith_commands_info(commands, command->component);
        kith_component_info_destruct(info, kith_command_value(command, info), info->size != 0);
    } else if (command->verb >= KITH_COMMAND_CREATE_MANY && command->verb != KITH_COMMAND_CALL) {
        kith_commands_destruct_sets(commands, kith_command_batch_of(command));
    }
}

static void destruct_block(const kith_commands *commands, kith_command_block *block)
{
    uint8_t *record = kith_command_block_start(block);
    while (record != kith_command_block_end(commands, block)) {
        kith_command *command = kith_command_at(record);
        record += (size_t)command->words * sizeof(uint64_t);
        destruct_record(commands, command);
    }
}

static void destruct_all(kith_commands *commands)
{
    commands->busy = true;
    for (kith_command_block *block = commands->first; commands->hooked != 0 && block != NULL;) {
        destruct_block(commands, block);
        block = block == commands->current ? NULL : block->next;
    }
    commands->busy   = false;
    commands->hooked = 0;
}

static bool require_not_busy(kith_commands *commands, const char *call)
{
    return !commands->busy ||
           kith_world_refuse_because(commands->object.world, KITH_ERROR_BUSY, call, 0,
                                     "the commands are in use", commands->name);
}

KITH_API bool kith_commands_clear(kith_commands *commands)
{
    if (commands == NULL || commands->busy) {
        return false;
    }
    destruct_all(commands);
    uint32_t cleared        = (commands->tag + 1) & 0xfffff; // 0 is skipped
    commands->tag           = (commands->tag & ~UINT32_C(0xfffff)) | (cleared == 0 ? 1 : cleared);
    commands->current       = NULL;
    commands->at            = NULL;
    commands->end           = NULL;
    commands->count         = 0;
    commands->created_count = 0;
    commands->error_unreported = false;
    commands->error            = (kith_error){ 0 };
    commands->report           = (kith_commands_report){ 0 };
    commands->stopped_block    = NULL;
    return true;
}

// --- creating and destroying -----------------------------------------------------------------

static size_t own_bytes(const char *name)
{
    return sizeof(kith_commands) + (name == NULL ? 0 : strlen(name) + 1);
}

static void destroy_commands(kith_object *object)
{
    kith_commands        *commands = (kith_commands *)object;
    const kith_allocator *memory   = &commands->memory;
    destruct_all(commands);
    for (kith_command_block *block = commands->first; block != NULL;) {
        kith_command_block *next = block->next;
        kith_free(memory, block, block->size, KITH_CACHE_LINE);
        block = next;
    }
    kith_free(memory, commands->created, commands->created_capacity * sizeof *commands->created,
              KITH_CACHE_LINE);
    kith_free(memory, commands->infos, commands->info_capacity * sizeof *commands->infos,
              KITH_CACHE_LINE);
    kith_free(&commands->object.world->memory, commands, own_bytes(commands->name),
              KITH_CACHE_LINE);
}

static size_t bytes_of_commands(const kith_object *object)
{
    const kith_commands *commands = (const kith_commands *)object;
    return own_bytes(commands->name) +
           (commands->foreign ? 0
                              : bytes_of_blocks(commands) +
                                    commands->created_capacity * sizeof *commands->created +
                                    commands->info_capacity * sizeof *commands->infos);
}

static const char *commands_are_busy(const kith_object *object, const char **name)
{
    (void)name;
    return ((const kith_commands *)object)->busy ? "commands are being applied" : NULL;
}

KITH_INTERNAL const kith_object_ops kith_commands_ops = { .destroy = destroy_commands,
                                                          .bytes   = bytes_of_commands,
                                                          .busy    = commands_are_busy };

static bool is_number_used(const kith_world *world, uint32_t number)
{
    bool used = false;
    for (const kith_object *o = world->oldest; o != NULL && !used; o = o->next) {
        used = o->ops == &kith_commands_ops && ((const kith_commands *)o)->tag >> 20 == number;
    }
    return used;
}

// Returns a tag with a number (12 bits) that no other buffer has, if there is one. A number that is
// used again begins at other lower 20 bits, so that placeholders of its last buffer stay invalid.
static uint32_t first_tag(kith_world *world)
{
    uint32_t tries = 0;
    while (is_number_used(world, world->command_number & 0xfff) && tries++ < 0xfff) {
        world->command_number++;
    }
    uint32_t number  = world->command_number++;
    uint32_t cleared = ((number >> 12) * 4097 + 1) & 0xfffff;
    return number << 20 | (cleared == 0 ? 1 : cleared);
}

static kith_commands *make_commands(kith_world *world, const kith_commands_desc *desc)
{
    kith_commands *commands =
        kith_alloc_zeroed(&world->memory, own_bytes(desc->name), KITH_CACHE_LINE);
    if (commands == NULL) {
        return NULL;
    }
    commands->object.world = world;
    commands->foreign      = desc->allocator.allocate != NULL;
    commands->memory       = commands->foreign ? desc->allocator : world->memory;
    commands->tag          = first_tag(world);
    if (desc->name != NULL) {
        commands->name = strcpy((char *)(commands + 1), desc->name);
    }
    return commands;
}

static const char call_create_commands[] = "kith_commands_create";

static bool may_create(kith_world *world, const kith_allocator *allocator)
{
    return kith_require_unlocked(world, call_create_commands) &&
           ((allocator->allocate == NULL) == (allocator->release == NULL) ||
            kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_create_commands, 0,
                                      "an allocator needs both allocate and release", NULL));
}

KITH_API kith_commands *kith_commands_create(kith_world *world, const kith_commands_desc *desc)
{
    static const kith_commands_desc defaults;
    desc = desc == NULL ? &defaults : desc;
    if (!may_create(world, &desc->allocator)) {
        return NULL;
    }
    kith_commands *commands = make_commands(world, desc);
    bool           full     = commands != NULL && kith_commands_update_components(commands) &&
                (desc->bytes == 0 || kith_commands_reserve_bytes(commands, desc->bytes)) &&
                kith_commands_reserve_created(commands, desc->creates);
    if (!full) {
        if (commands != NULL) {
            destroy_commands(&commands->object);
        }
        kith_world_refuse(world, KITH_ERROR_MEMORY, call_create_commands, 0, KITH_NULL);
        return NULL;
    }
    kith_object_add(world, &commands->object, &kith_commands_ops);
    return commands;
}

KITH_API bool kith_commands_destroy(kith_commands *commands)
{
    static const char call[] = "kith_commands_destroy";
    if (commands == NULL || !kith_require_unlocked(commands->object.world, call) ||
        !require_not_busy(commands, call)) {
        return commands == NULL;
    }
    kith_world *world = commands->object.world;
    kith_object_remove(&commands->object);
    kith_world_lock(world);
    destroy_commands(&commands->object);
    kith_world_unlock(world);
    return true;
}

KITH_API bool kith_commands_refresh(kith_commands *commands)
{
    static const char call[] = "kith_commands_refresh";
    if (!kith_require_unlocked(commands->object.world, call) || !require_not_busy(commands, call)) {
        return false;
    }
    return kith_commands_update_components(commands) ||
           kith_world_refuse(commands->object.world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
}

// --- queries ---------------------------------------------------------------------------------

KITH_API kith_commands_report kith_commands_report_of(const kith_commands *commands)
{
    kith_commands_report report = commands->report;
    report.recorded             = commands->count;
    report.refusal              = commands->error;
    return report;
}

KITH_API kith_entity kith_commands_resolve(const kith_commands *commands, kith_entity entity)
{
    return kith_commands_entity(commands, entity);
}

// --- validating ------------------------------------------------------------------------------

typedef struct record_sum {
    uint32_t commands;
    uint32_t created;
} record_sum;

static void count_record(kith_command *command, record_sum *sum)
{
    sum->commands++;
    sum->created += command->verb == KITH_COMMAND_CREATE_MANY
                        ? kith_command_batch_of(command)->entities.count
                        : (uint32_t)(command->verb == KITH_COMMAND_CREATE);
}

static const char *block_mistake(const kith_commands *commands, kith_command_block *block,
                                 record_sum *sum)
{
    uint8_t *record = kith_command_block_start(block);
    uint8_t *end    = kith_command_block_end(commands, block);
    while (record < end) {
        kith_command *command = kith_command_at(record);
        if (command->verb > KITH_COMMAND_CALL || command->words < 2) {
            return "a command record is malformed";
        }
        count_record(command, sum);
        record += (size_t)command->words * sizeof(uint64_t);
    }
    return record == end && end <= (uint8_t *)block + block->size
               ? NULL
               : "a command record exceeds its block";
}

static const char *infos_mistake(const kith_commands *commands)
{
    for (uint32_t i = 0; i < commands->info_count; i++) {
        const kith_component_info *info    = &commands->infos[i];
        const kith_storage        *storage = kith_world_storage(commands->object.world, info->id);
        if (storage == NULL || storage->desc.size != info->size ||
            storage->desc.kind != info->kind || storage->desc.alignment != info->alignment) {
            return "commands have an outdated copy of a component";
        }
        if (kith_commands_info(commands, info->id) != info) {
            return "commands lack the index of a component";
        }
    }
    return NULL;
}

static const char *mistake_of(const kith_commands *commands)
{
    record_sum  sum    = { 0 };
    const char *reason = infos_mistake(commands);
    for (kith_command_block *block = commands->current == NULL ? NULL : commands->first;
         block != NULL && reason == NULL; block = block == commands->current ? NULL : block->next) {
        reason = block_mistake(commands, block, &sum);
    }
    if (reason == NULL &&
        (sum.commands != commands->count || sum.created != commands->created_count)) {
        return "the count of commands is wrong";
    }
    return reason;
}

KITH_INTERNAL const char *kith_commands_fault(const kith_world *world)
{
    const char *reason = NULL;
    for (const kith_object *o = world->oldest; o != NULL && reason == NULL; o = o->next) {
        reason = o->ops == &kith_commands_ops ? mistake_of((const kith_commands *)o) : NULL;
    }
    return reason;
}
