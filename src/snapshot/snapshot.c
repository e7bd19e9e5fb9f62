// SPDX-License-Identifier: MIT
// The public calls that save and load: memory, files, chosen entities, the memory limit.
//
// Chosen entities go through a world without listeners: the file is loaded into a world of the same
// setup, all other entities are destroyed there, and that world is saved again.
#include "base/platform.h"
#include "snapshot/load.h"
#include "world/component.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

// The chosen entities, and the world that holds only them.
typedef struct selection {
    const kith_entity *entities;
    uint32_t           count;
    kith_world        *among; // a world of its own
    kith_bytes         bytes; // its file
} selection;

// Whether the world has all listed components.
static bool check_listed(const kith_world *world, const kith_component *components, uint32_t count,
                         kith_result *result)
{
    for (uint32_t i = 0; components != NULL && i < count; i++) {
        if (kith_world_storage(world, components[i]) == NULL) {
            return kith_result_fail(result, KITH_ERROR_UNREGISTERED, 0,
                                    "component %" PRIu32 " is listed but not registered here",
                                    components[i]);
        }
    }
    return true;
}

// Whether all chosen entities live in the world.
static bool check_chosen(const selection *chosen, const kith_world *world, kith_result *result)
{
    for (uint32_t i = 0; i < chosen->count; i++) {
        kith_entity entity = chosen->entities[i];
        if (!kith_entity_table_alive(&world->entities, entity)) {
            return kith_result_fail(result, KITH_ERROR_DEAD_ENTITY, 0,
                                    "entity %" PRIu32 "v%" PRIu32 " is not alive",
                                    kith_entity_index(entity), kith_entity_version(entity));
        }
    }
    return true;
}

// Destroys all other entities, by ascending index. Returns false when memory runs out.
static bool destroy_others(const selection *chosen)
{
    kith_world *world = chosen->among;
    uint32_t    slots = world->entities.count;
    bool       *stays = kith_alloc_zeroed(&world->memory, (size_t)slots + 1, 1);
    if (stays == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < chosen->count; i++) {
        stays[kith_entity_index(chosen->entities[i])] = true;
    }
    for (kith_storage *links = world->links; links != NULL; links = links->link.next) {
        links->link.policy = KITH_TARGET_CLEAR; // holders that stay lose links to others
    }
    for (uint32_t index = 0; index < slots; index++) {
        if (!stays[index] && kith_entity_index_alive(&world->entities, index)) {
            kith_entity_destroy(world, *kith_entity_slot_of(&world->entities, index));
        }
    }
    kith_free(&world->memory, stays, (size_t)slots + 1, 1);
    return true;
}

// Loads a file into a new world and keeps only the chosen entities there.
static bool choose(selection *chosen, const kith_world *world, const kith_load_desc *desc,
                   kith_load_source *from, kith_result *result)
{
    chosen->among = kith_world_empty_copy(world);
    if (chosen->among != NULL) {
        chosen->among->without_objects = true;
        if (!kith_load(chosen->among, desc, from, result) ||
            !check_chosen(chosen, chosen->among, result)) {
            return false;
        }
        if (destroy_others(chosen)) {
            return true;
        }
    }
    return kith_result_fail(result, KITH_ERROR_MEMORY, 0, "memory ran out while choosing entities");
}

static void end_choice(selection *chosen)
{
    kith_world_destroy(chosen->among);
    kith_bytes_free(&chosen->bytes);
}

// --- saving ----------------------------------------------------------------------------------

static void save_chosen(const kith_world *world, const kith_save_desc *desc, kith_writer *writer,
                        kith_result *result)
{
    static const kith_load_desc everything = { .unknown = KITH_UNKNOWN_REFUSE };
    selection   chosen = { .entities = desc->entities, .count = desc->entity_count };
    kith_writer first  = { .out = &chosen.bytes };
    if (check_chosen(&chosen, world, result) && kith_save(world, world, desc, &first, result)) {
        kith_load_source from = { .file = { .bytes = chosen.bytes.data,
                                            .size  = chosen.bytes.size } };
        if (choose(&chosen, world, &everything, &from, result)) {
            kith_save(chosen.among, world, desc, writer, result);
        }
    }
    end_choice(&chosen);
}

kith_result kith_save_selected(const kith_world *world, const kith_save_desc *desc,
                               kith_writer *writer)
{
    static const kith_save_desc whole  = { .exact = false };
    kith_result                 result = { .code = KITH_OK };
    desc                               = desc == NULL ? &whole : desc;
    if (check_listed(world, desc->components, desc->component_count, &result)) {
        if (desc->entities == NULL) {
            kith_save(world, world, desc, writer, &result);
        } else {
            save_chosen(world, desc, writer, &result);
        }
    }
    return result;
}

kith_result kith_world_save(const kith_world *world, const kith_save_desc *desc,
                            kith_write_fn write, void *context)
{
    kith_bytes  waiting = { .data = NULL };
    kith_writer writer  = { .out = &waiting, .write = write, .context = context };
    kith_result result  = kith_save_selected(world, desc, &writer);
    kith_bytes_free(&waiting);
    return result;
}

kith_result kith_world_save_memory(const kith_world *world, const kith_save_desc *desc,
                                   kith_bytes *bytes)
{
    kith_writer writer = { .out = bytes };
    bytes->size        = 0;
    return kith_save_selected(world, desc, &writer);
}

// --- loading ---------------------------------------------------------------------------------

// A note in the result of the first load is returned at the end.
static void load_chosen(kith_world *world, const kith_load_desc *desc, kith_load_source *from,
                        kith_result *result)
{
    kith_source file   = from->file;
    selection   chosen = { .entities        = desc->entities,
                           .count           = desc->entity_count,
                           .bytes.allocator = world->memory };
    kith_world_lock(world); // save functions and hooks may not change it meanwhile
    bool           done   = choose(&chosen, world, desc, from, result);
    kith_save_desc again  = { .exact = from->exact };
    kith_writer    writer = { .out = &chosen.bytes };
    if (done && kith_save(chosen.among, chosen.among, &again, &writer, result)) {
        kith_result second;
        from->file  = (kith_source){ .bytes = chosen.bytes.data, .size = chosen.bytes.size };
        from->whole = again.exact ? file : (kith_source){ 0 };
        if (!kith_load(world, desc, from, &second)) {
            *result = second;
        }
    }
    end_choice(&chosen);
    kith_world_unlock(world);
}

// --- the limit of memory ---------------------------------------------------------------------

// Counts what the world allocates, and refuses more than the limit.
typedef struct load_budget {
    kith_allocator source;
    size_t         limit;
    size_t         taken;
    size_t         asked; // `taken` if the last refused call had succeeded; 0: no refusal
} load_budget;

static void *budget_allocate(void *context, size_t size, size_t alignment)
{
    load_budget *counted = context;
    if (size > counted->limit - counted->taken) {
        counted->asked = size > SIZE_MAX - counted->taken ? SIZE_MAX : counted->taken + size;
        return NULL;
    }
    void *memory = kith_alloc(&counted->source, size, alignment);
    counted->taken += memory == NULL ? 0 : size;
    return memory;
}

// Memory allocated before the budget began may be freed as well.
static void budget_release(void *context, void *memory, size_t size, size_t alignment)
{
    load_budget *counted = context;
    counted->taken -= size < counted->taken ? size : counted->taken;
    kith_free(&counted->source, memory, size, alignment);
}

// Loads with the world's allocator replaced by a counting one.
static void load_within(kith_world *world, const kith_load_desc *desc, kith_source file,
                        kith_result *result)
{
    load_budget      counted = { .source = world->memory,
                                 .limit  = kith_budget_limit(desc->bytes, file.size) };
    kith_load_source from    = { .file = file };
    world->memory            = (kith_allocator){ budget_allocate, budget_release, &counted };
    if (desc->unknown != KITH_UNKNOWN_KEEP || desc->components != NULL ||
        kith_world_register_unknown(world, file, result)) {
        if (desc->entities == NULL) {
            kith_load(world, desc, &from, result);
        } else {
            load_chosen(world, desc, &from, result);
        }
    }
    world->memory = counted.source;
    if (result->code == KITH_ERROR_MEMORY && counted.asked != 0) {
        kith_result_over_limit(result, result->offset, counted.asked, counted.limit);
    }
}

KITH_NAMES(kith_unknown, "refuse\0skip\0keep\0")

kith_result kith_world_load(kith_world *world, const kith_load_desc *desc, const void *bytes,
                            size_t size)
{
    static const kith_load_desc strict = { .unknown = KITH_UNKNOWN_REFUSE };
    const char                 *why    = kith_world_busy_reason(world);
    uint32_t                    known  = world->storage_count;
    kith_result                 result = { .code = KITH_OK };
    desc                               = desc == NULL ? &strict : desc;
    if (why != NULL) {
        return kith_result_of(KITH_ERROR_BUSY, 0, "%s", why);
    }
    if ((unsigned)desc->unknown > KITH_UNKNOWN_KEEP) {
        return kith_result_of(KITH_ERROR_ARGUMENT, 0, "kith_load_desc.unknown is invalid");
    }
    if (check_listed(world, desc->components, desc->component_count, &result)) {
        load_within(world, desc, (kith_source){ .bytes = bytes, .size = size }, &result);
    }
    if (result.code != KITH_OK) {
        kith_world_drop_storages(world, known);
    } else {
        kith_world_announce_replaced(world, world->tick);
    }
    return result;
}

// --- files -----------------------------------------------------------------------------------
//
// A file is written beside the old one, flushed to the disk and renamed: the path always names a
// whole file, the old or the new one.

#define BESIDE_ENDING ".new"
#define READ_BYTES    (1u << 20)

static bool file_fault(kith_result *result, const char *what, const char *path, int number)
{
    return kith_result_fail(result, KITH_ERROR_IO, 0, "%s %s: %s", what, path, strerror(number));
}

static bool write_stream(const void *bytes, size_t size, void *context)
{
    return fwrite(bytes, 1, size, context) == size;
}

// Writes the file under its temporary name, and removes it on failure.
static bool write_beside(const kith_world *world, const kith_save_desc *desc, const char *beside,
                         kith_result *result)
{
    FILE *stream = fopen(beside, "wb");
    if (stream == NULL) {
        return file_fault(result, "cannot create", beside, errno);
    }
    *result     = kith_world_save(world, desc, write_stream, stream);
    errno       = 0;
    bool synced = result->code == KITH_OK && kith_platform_flush(stream);
    int  number = errno;
    bool closed = fclose(stream) == 0;
    if (result->code == KITH_ERROR_IO || (result->code == KITH_OK && !(synced && closed))) {
        file_fault(result, "cannot write", beside, number != 0 ? number : errno);
    }
    if (result->code != KITH_OK) {
        remove(beside);
    }
    return result->code == KITH_OK;
}

kith_result kith_world_save_file(const kith_world *world, const kith_save_desc *desc,
                                 const char *path)
{
    kith_result result;
    char       *beside = malloc(strlen(path) + sizeof BESIDE_ENDING);
    if (beside == NULL) {
        return kith_result_of(KITH_ERROR_MEMORY, 0, "memory ran out");
    }
    strcat(strcpy(beside, path), BESIDE_ENDING);
    bool written = write_beside(world, desc, beside, &result);
    if (written && !kith_platform_replace(beside, path)) {
        file_fault(&result, "cannot replace", path, errno);
        remove(beside);
    } else if (written && !kith_platform_flush_folder(beside)) {
        file_fault(&result, "cannot flush the folder of", path, errno);
    }
    free(beside);
    return result;
}

// Reserves memory for the length that the stream reports, which is only a hint. A folder reports
// any length: it can be opened but not read.
static bool reserve_length(FILE *stream, kith_bytes *bytes)
{
    long length = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : 0;
    rewind(stream);
    if (length <= 0 || fgetc(stream) == EOF) {
        return true;
    }
    bool there  = kith_bytes_extend(bytes, (size_t)length + READ_BYTES);
    bytes->size = 0;
    rewind(stream);
    return there;
}

// Reads the rest of a stream.
static bool read_stream(FILE *stream, kith_bytes *bytes, const char *path, kith_result *result)
{
    setvbuf(stream, NULL, _IONBF, 0); // reads are large
    bool there = reserve_length(stream, bytes);
    for (size_t got = 1; got != 0;) {
        if (!there || !kith_bytes_extend(bytes, READ_BYTES)) {
            return kith_result_fail(result, KITH_ERROR_MEMORY, 0, "memory ran out while reading %s",
                                    path);
        }
        got = fread(bytes->data + bytes->size - READ_BYTES, 1, READ_BYTES, stream);
        bytes->size -= READ_BYTES - got;
    }
    return ferror(stream) == 0 || file_fault(result, "cannot read", path, errno);
}

kith_result kith_world_load_file(kith_world *world, const kith_load_desc *desc, const char *path)
{
    kith_result result;
    kith_bytes  bytes  = { .data = NULL };
    FILE       *stream = fopen(path, "rb");
    if (stream == NULL) {
        file_fault(&result, "cannot open", path, errno);
        return result;
    }
    if (read_stream(stream, &bytes, path, &result)) {
        result = kith_world_load(world, desc, bytes.data, bytes.size);
    }
    fclose(stream);
    kith_bytes_free(&bytes);
    return result;
}
