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
    size_t least = bytes_of_blocks(commands);
    least        = least < BLOCK_LEAST ? BLOCK_LEAST : least > BLOCK_MOST ? BLOCK_MOST : least;
    size_t size  = kith_size_add(KITH_COMMAND_BLOCK_HEAD, bytes, 1);
    size         = (size < least ? least : size) + KITH_CACHE_LINE - 1;
    size         = size & ~(size_t)(KITH_CACHE_LINE - 1);
    kith_command_block *block = kith_alloc(&commands->memory, size, KITH_CACHE_LINE);
    if (block != NULL) {
        *block = (kith_command_block){ .size = size };
    }
    return block;
}

bool kith_commands_reserve_bytes(kith_commands *commands, size_t bytes)
{
    kith_command_block  *last  = commands->current;
    kith_command_block **next  = last == NULL ? &commands->first : &last->next;
    kith_command_block **place = next; // of a free block that is large enough, or the end
    if (bytes <= (size_t)(commands->end - commands->at)) {
        return true;
    }
    while (*place != NULL && (*place)->size - KITH_COMMAND_BLOCK_HEAD < bytes) {
        place = &(*place)->next;
    }
    kith_command_block *block = *place != NULL ? *place : alloc_record_block(commands, bytes);
    if (block == NULL) {
        return false;
    }
    *place = block->next; // a new block has none
    if (last != NULL) {
        last->end = commands->at;
    }
    block->next       = *next;
    *next             = block;
    commands->current = block;
    commands->at      = (uint8_t *)block + KITH_COMMAND_BLOCK_HEAD;
    commands->end     = (uint8_t *)block + block->size;
    return true;
}

bool kith_commands_reserve_created(kith_commands *commands, uint32_t count)
{
    uint32_t needed = commands->created_count + count;
    return needed == 0 ||
           kith_alloc_more(&commands->memory, &commands->created, &commands->created_capacity,
                           needed < 64 ? 64 : needed, sizeof *commands->created);
}

kith_command_place kith_commands_place(const kith_commands *commands, kith_command_block *block,
                                       uint8_t *record)
{
    for (; block != NULL; block = block == commands->current ? NULL : block->next) {
        uint8_t *end = block == commands->current ? commands->at : block->end;
        record       = record == NULL ? (uint8_t *)block + KITH_COMMAND_BLOCK_HEAD : record;
        if (record < end) {
            return (kith_command_place){ block, record, end };
        }
        record = NULL;
    }
    return (kith_command_place){ 0 };
}

// --- descriptions of components --------------------------------------------------------------

static void free_infos(kith_commands *commands)
{
    kith_free(&commands->memory, commands->infos, commands->info_capacity * sizeof *commands->infos,
              KITH_CACHE_LINE);
}

// Copies the descriptions of all components, if one was registered since. Returns false when memory
// runs out. Infos are in registration order, so filling the array again keeps their indices.
static bool update_components(kith_commands *commands)
{
    const kith_world *world = commands->object.world;
    if (commands->registrations == world->registrations) {
        return true;
    }
    if (world->storage_count > commands->info_capacity) {
        void *room = kith_alloc(&commands->memory, world->storage_count * sizeof *commands->infos,
                                KITH_CACHE_LINE);
        if (room == NULL) {
            return false;
        }
        free_infos(commands);
        commands->infos         = room;
        commands->info_capacity = world->storage_count;
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
                          .thread_safe = desc->traits.thread_safe_hooks,
                          .hooks       = *hooks,
        };
        commands->places[desc->id] = (uint16_t)(i + 1);
    }
    commands->info_count    = world->storage_count;
    commands->registrations = world->registrations;
    return true;
}

// --- clearing --------------------------------------------------------------------------------

kith_command_batch kith_commands_contents(const kith_commands *commands, kith_command *command,
                                          kith_values *single)
{
    if (command->verb <= KITH_COMMAND_SET_COMPONENTS) {
        return *(const kith_command_batch *)(const void *)(command + 1);
    }
    *single = (kith_values){ .component = command->component };
    if (command->verb == KITH_COMMAND_SET) {
        const kith_component_info *info = kith_commands_info(commands, command->component);
        single->values = kith_command_align((uint8_t *)(command + 1), info->alignment);
    }
    return (kith_command_batch){ .entities  = { .first = command->entity, .count = 1 },
                                 .sets      = single,
                                 .set_count = command->component != 0 };
}

uint32_t kith_values_count(const kith_values *set, const kith_component_info *info,
                           uint32_t members)
{
    return set->values == NULL || info->size == 0 ? 0 : set->stride == 0 ? 1 : members;
}

void kith_component_info_destruct(const kith_component_info *info, uint8_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count && info->hooks.destruct != NULL; i++) {
        info->hooks.destruct(values + (size_t)i * info->size, info->hooks.context);
    }
}

void kith_commands_destruct_sets(const kith_commands *commands, const kith_command_batch *batch)
{
    for (uint32_t i = 0; i < batch->set_count; i++) {
        const kith_values         *set   = &batch->sets[i];
        const kith_component_info *info  = kith_commands_info(commands, set->component);
        uint32_t                   count = kith_values_count(set, info, batch->entities.count);
        kith_component_info_destruct(info, (uint8_t *)(uintptr_t)set->values, count);
    }
}

static void destruct_all(kith_commands *commands)
{
    kith_command_place at = kith_commands_begin(commands);
    commands->busy        = true;
    while (commands->hooked != 0 && at.block != NULL) {
        kith_values        single;
        kith_command      *command  = kith_command_at(at.record);
        kith_command_batch contents = kith_commands_contents(commands, command, &single);
        kith_commands_destruct_sets(commands, &contents);
        kith_commands_step(commands, &at, kith_command_bytes(command));
    }
    commands->busy   = false;
    commands->hooked = 0;
}

bool kith_commands_clear(kith_commands *commands)
{
    if (commands == NULL || commands->busy) {
        return false;
    }
    destruct_all(commands);
    uint32_t cleared = (commands->tag + 1) & 0xfffff; // 0 is skipped
    commands->tag    = (commands->tag & ~UINT32_C(0xfffff)) | (cleared == 0 ? 1 : cleared);
    memset(&commands->error_unreported, 0,
           offsetof(kith_commands, info_count) - offsetof(kith_commands, error_unreported));
    return true;
}

// --- validating ------------------------------------------------------------------------------

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

static const char *records_mistake(const kith_commands *commands)
{
    uint32_t           count   = 0;
    uint32_t           created = 0;
    kith_command_place at      = kith_commands_begin(commands);
    while (at.block != NULL) {
        kith_command *command = kith_command_at(at.record);
        size_t        bytes   = kith_command_bytes(command);
        if (command->verb > KITH_COMMAND_CALL || bytes < sizeof *command) {
            return "a command record is malformed";
        }
        if (bytes > (size_t)(at.end - at.record) || at.end > (uint8_t *)at.block + at.block->size) {
            return "a command record exceeds its block";
        }
        if (command->verb == KITH_COMMAND_CREATE || command->verb == KITH_COMMAND_CREATE_MANY) {
            kith_values single;
            created += kith_commands_contents(commands, command, &single).entities.count;
        }
        count++;
        kith_commands_step(commands, &at, bytes);
    }
    bool same = count == commands->report.recorded && created == commands->created_count;
    return same ? NULL : "the count of commands is wrong";
}

static bool validate_commands(const kith_object *object, const char **reason)
{
    const kith_commands *commands = (const kith_commands *)object;
    *reason                       = infos_mistake(commands);
    *reason                       = *reason != NULL ? *reason : records_mistake(commands);
    return *reason == NULL;
}

// --- creating and destroying -----------------------------------------------------------------

static size_t own_bytes(const char *name)
{
    return sizeof(kith_commands) + kith_name_bytes(name);
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
              sizeof *commands->created);
    free_infos(commands);
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

const kith_object_ops kith_commands_ops = { .destroy  = destroy_commands,
                                            .bytes    = bytes_of_commands,
                                            .busy     = commands_are_busy,
                                            .validate = validate_commands };

static bool is_number_used(const kith_world *world, uint32_t number)
{
    bool used = number == KITH_PART_NUMBER;
    for (const kith_object *o = world->oldest; o != NULL && !used; o = o->next_) {
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
    commands->name         = kith_name_copy(commands + 1, desc->name);
    return commands;
}

kith_commands *kith_commands_create(kith_world *world, const kith_commands_desc *desc)
{
    static const kith_commands_desc defaults;
    desc = desc == NULL ? &defaults : desc;
    if (!kith_require_unlocked(world, __func__)) {
        return NULL;
    }
    if ((desc->allocator.allocate == NULL) != (desc->allocator.release == NULL)) {
        kith_world_mistake(world, __func__, "an allocator needs both allocate and release", NULL);
        return NULL;
    }
    kith_commands *commands = make_commands(world, desc);
    bool           full     = commands != NULL && update_components(commands) &&
                (desc->bytes == 0 || kith_commands_reserve_bytes(commands, desc->bytes)) &&
                kith_commands_reserve_created(commands, desc->creates);
    if (!full) {
        if (commands != NULL) {
            destroy_commands(&commands->object);
        }
        kith_world_refuse(world, KITH_ERROR_MEMORY, __func__, 0, KITH_NULL);
        return NULL;
    }
    kith_object_link(world, &commands->object, &kith_commands_ops);
    return commands;
}

bool kith_commands_require_idle(const kith_commands *commands, kith_world *world, const char *call)
{
    return kith_require_unlocked(world, call) &&
           (!commands->busy ||
            kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, "the commands are in use",
                                      commands->name));
}

bool kith_commands_destroy(kith_commands *commands)
{
    if (commands == NULL ||
        !kith_commands_require_idle(commands, commands->object.world, __func__)) {
        return commands == NULL;
    }
    if (commands->owner != NULL) {
        return kith_world_refuse_because(commands->object.world, KITH_ERROR_BUSY, __func__, 0,
                                         "its owner destroys it", commands->owner);
    }
    kith_object_end(&commands->object);
    return true;
}

bool kith_commands_refresh_for(kith_commands *commands, const char *call)
{
    kith_world *world = commands->object.world;
    return kith_commands_require_idle(commands, world, call) &&
           (update_components(commands) ||
            kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL));
}

bool kith_commands_refresh(kith_commands *commands)
{
    return kith_commands_refresh_for(commands, "kith_commands_refresh");
}

// --- queries ---------------------------------------------------------------------------------

kith_commands_report kith_commands_report_of(const kith_commands *commands)
{
    return commands->report;
}

kith_entity kith_commands_resolve(const kith_commands *commands, kith_entity entity)
{
    return kith_commands_entity(commands, entity);
}
