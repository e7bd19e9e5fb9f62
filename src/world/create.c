// SPDX-License-Identifier: MIT
// Creates a world from its description, and destroys it; the list of its objects.
#include "base/platform.h"
#include "world/world.h"

// What is wrong with a description, or NULL.
static const char *desc_mistake(const kith_world_desc *desc)
{
    uint64_t indices = UINT64_C(1) << (desc->index_bits == 0 ? 31 : desc->index_bits & 63);
    uint64_t limit   = desc->max_entities == 0 ? indices : desc->max_entities;
    uint64_t memory  = desc->memory; // a size_t: 32 bits on some machines
    bool     half    = (desc->allocator.allocate == NULL) != (desc->allocator.release == NULL);
    bool     foreign = (unsigned)desc->free_order > KITH_FREE_LOWEST;
    return half                         ? "an allocator needs both allocate and release"
           : desc->index_bits > 31      ? "index_bits must be 1 to 31, or 0 for 31"
           : desc->version_bits > 32    ? "version_bits must be 1 to 32, or 0 for 32"
           : foreign                    ? "free_order must be one of kith_free_order"
           : limit > indices            ? "max_entities must not be above 2^index_bits"
           : desc->first_index >= limit ? "first_index must be below max_entities and 2^index_bits"
           : memory > UINT64_C(1) << 37 ? "memory must not be above 2^37"
                                        : NULL;
}

// The bytes of an empty world.
#define SMALLEST_MEMORY kith_arena_size_for(sizeof(kith_world))

// Allocates the world and its entity table, its only member that is set. NULL: no memory.
static kith_world *alloc_world(const kith_allocator *memory, const kith_world_desc *desc)
{
    kith_world *world = kith_alloc(memory, sizeof *world, KITH_CACHE_LINE);
    if (world != NULL && !kith_entity_table_init(&world->entities, memory, desc)) {
        kith_free(memory, world, sizeof *world, KITH_CACHE_LINE);
        return NULL;
    }
    return world;
}

// Destroys the arena, if there is one, and sets the empty `error` with its numbers. Returns NULL.
static kith_world *world_memory_error(kith_error *error, kith_arena *arena)
{
    error->code = KITH_ERROR_MEMORY;
    if (arena != NULL) {
        error->have = arena->size;
        error->want = arena->asked;
        kith_arena_destroy(arena);
    }
    return NULL;
}

// Returns true when the description is valid; otherwise `error` says what is wrong.
static bool check_world_desc(const kith_world_desc *desc, kith_error *error)
{
    *error         = (kith_error){ .code = KITH_ERROR_ARGUMENT };
    error->subject = desc_mistake(desc);
    if (error->subject == NULL && desc->memory != 0 && desc->memory < SMALLEST_MEMORY) {
        error->subject = "memory must hold at least the world";
        error->have    = SMALLEST_MEMORY;
        error->want    = desc->memory;
    }
    return error->subject == NULL;
}

static void init_world(kith_world *world, const kith_world_desc *desc)
{
    kith_pool_head_ *none = kith_world_no_pool();
    // all but 16 KB of head
    memset(&world->shared, 0, sizeof *world - offsetof(kith_world, shared));
    for (kith_component id = 0; id <= KITH_COMPONENT_MAX; id++) {
        world->head.pools_[id] = world->head.writable_[id] = none;
    }
    kith_world_update_head(world);
    world->head.busy_    = 0;
    world->shared.busy   = &world->head.busy_;
    world->shared.memory = &world->memory;
    memset(world->shared.absent, 0xff, sizeof world->shared.absent);
    world->tick        = 1;
    world->batch_depth = UINT32_MAX;
    // Serials start at the clock, in nanoseconds. A cursor of a destroyed world is then not valid
    // in a new world at the same address, because no loop takes less than a nanosecond.
    world->serial        = kith_platform_clock();
    world->listener      = world->serial % (UINT64_C(1) << 39); // for the same reason
    world->block_rows    = KITH_BLOCK_ROWS;
    world->simd          = kith_simd_for(kith_simd_level());
    world->on_error      = desc->on_error;
    world->error_context = desc->error_context;
    world->user          = desc->user;
    world->name          = desc->name;
}

kith_world *kith_world_make(const kith_world_desc *desc, kith_error *error)
{
    if (!check_world_desc(desc, error)) {
        return NULL;
    }
    kith_allocator memory = kith_allocator_or_heap(desc->allocator);
    kith_arena    *arena  = NULL;
    if (desc->memory != 0) {
        arena = kith_arena_create(&memory, desc->memory, false);
        if (arena == NULL) {
            return world_memory_error(error, NULL);
        }
        memory = kith_arena_allocator(arena);
    }
    kith_world *world = alloc_world(&memory, desc);
    if (world == NULL) {
        return world_memory_error(error, arena);
    }
    init_world(world, desc);
    world->memory         = memory;
    world->scratch_memory = memory;
    world->arena          = arena;
    return world;
}

kith_world *kith_world_create(const kith_world_desc *desc)
{
    kith_error      error;
    kith_world_desc full  = desc == NULL ? (kith_world_desc){ .user = NULL } : *desc;
    kith_world     *world = kith_world_make(&full, &error);
    return world != NULL ? world : kith_desc_fail(&full, error);
}

KITH_NOINLINE void kith_world_free_scratch(kith_world *world)
{
    kith_arena_destroy(world->scratch);
    world->scratch        = NULL;
    world->scratch_memory = world->memory;
}

// --- destroying -------------------------------------------------------------------------------

// Returns true = go on: no object is in use, no commands are applied. Otherwise reports an error.
static bool require_idle_objects(kith_world *world, const char *call)
{
    const char *reason = world->applying == 0 ? NULL : "commands are being applied";
    const char *name   = NULL;
    for (const kith_object *o = world->oldest; o != NULL && reason == NULL; o = o->next_) {
        reason = o->ops->busy == NULL ? NULL : o->ops->busy(o, &name);
    }
    return reason == NULL ||
           kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, reason, name);
}

void kith_world_free(kith_world *world)
{
    // destruct all values first: their hooks may still read the world
    kith_world_lock(world);
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage_clear(world->storages[i]);
    }
    while (world->newest != NULL) { // their hooks may read the world too
        kith_object_end(world->newest);
    }
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage_free(world->storages[i]);
    }
    kith_allocator memory = world->memory;
    kith_arena    *arena  = world->arena;
    kith_listeners_cut(world->events, KITH_EVENT_LISTS, &memory, true);
    kith_world_free_scratch(world);
    kith_world_free_blocks(world);
    kith_free_array(&memory, world->groups.groups, world->groups.capacity);
    kith_free_array(&memory, world->storages, world->storage_capacity);
    kith_free_array(&memory, world->by_bit, world->bit_capacity);
    kith_entity_table_free(&world->entities, &memory);
    kith_free(&memory, world, sizeof *world, KITH_CACHE_LINE);
    assert(arena == NULL || arena->used == 0);
    kith_arena_destroy(arena);
}

bool kith_world_destroy(kith_world *world)
{
    if (world == NULL || !kith_require_at_rest(world, "kith_world_destroy") ||
        !require_idle_objects(world, "kith_world_destroy")) {
        return world == NULL;
    }
    kith_world_free(world);
    return true;
}

// --- objects ---------------------------------------------------------------------------------

void kith_object_link(kith_world *world, kith_object *object, const kith_object_ops *ops)
{
    *object = (kith_object){
        .previous_ = world->newest, .ops = ops, .world = world, .made_ = ++world->made
    };
    *(world->newest == NULL ? &world->oldest : &world->newest->next_) = object;
    world->newest                                                     = object;
}

KITH_NOINLINE void kith_object_unlink(kith_object *object)
{
    kith_world *world                                                         = object->world;
    *(object->previous_ == NULL ? &world->oldest : &object->previous_->next_) = object->next_;
    *(object->next_ == NULL ? &world->newest : &object->next_->previous_)     = object->previous_;
}

void kith_object_end(kith_object *object)
{
    kith_world *world = object->world;
    kith_object_unlink(object);
    kith_world_lock(world);
    object->ops->destroy(object);
    kith_world_unlock(world);
}
