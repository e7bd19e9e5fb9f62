// SPDX-License-Identifier: MIT
#include "world.h"

// --- making a world --------------------------------------------------------------------------

// An empty pool with id 0. Lookups read it; nothing is ever written through it.
static const kith_pool_head_ no_pool;

KITH_INTERNAL kith_pool_head_ *kith_world_no_pool(void)
{
    return (kith_pool_head_ *)(uintptr_t)&no_pool;
}

// The first thing wrong with a description, or NULL.
static const char *desc_mistake(const kith_world_desc *desc)
{
    uint64_t indices = UINT64_C(1) << (desc->index_bits == 0 ? 31 : desc->index_bits & 63);
    if ((desc->allocator.allocate == NULL) != (desc->allocator.release == NULL)) {
        return "an allocator needs both allocate and release";
    }
    if (desc->index_bits > 31) {
        return "index_bits must be 1 to 31, or 0 for 31";
    }
    if (desc->version_bits > 32) {
        return "version_bits must be 1 to 32, or 0 for 32";
    }
    if ((unsigned)desc->free_order > KITH_FREE_LOWEST) {
        return "free_order must be one of kith_free_order";
    }
    if (desc->max_entities > indices) {
        return "max_entities must not be above 2^index_bits";
    }
    if (desc->first_index >= (desc->max_entities == 0 ? indices : desc->max_entities)) {
        return "first_index must be below max_entities and 2^index_bits";
    }
    return NULL;
}

KITH_API kith_world *kith_world_create(const kith_world_desc *desc)
{
    static const kith_world_desc defaults;
    desc                = desc == NULL ? &defaults : desc;
    const char *mistake = desc_mistake(desc);
    if (mistake != NULL) {
        return kith_desc_fail(desc, KITH_ERROR_ARGUMENT, mistake);
    }
    kith_allocator memory = kith_memory_source(desc->allocator);
    kith_world    *world  = kith_memory_take_zeroed(&memory, sizeof *world, KITH_CACHE_LINE);
    if (world == NULL) {
        return kith_desc_fail(desc, KITH_ERROR_MEMORY, NULL);
    }
    if (!kith_entity_table_init(&world->entities, &memory, desc)) {
        kith_memory_give(&memory, world, sizeof *world, KITH_CACHE_LINE);
        return kith_desc_fail(desc, KITH_ERROR_MEMORY, NULL);
    }
    for (kith_component id = 0; id <= KITH_COMPONENT_MAX; id++) {
        world->head.pools_[id] = kith_world_no_pool();
    }
    kith_world_mirror(world);
    world->shared.busy   = &world->head.busy_;
    world->memory        = memory;
    world->on_error      = desc->on_error;
    world->error_context = desc->error_context;
    world->user          = desc->user;
    return world;
}

KITH_API void kith_world_destroy(kith_world *world)
{
    if (world == NULL || kith_world_busy(world, "kith_world_destroy", 0, KITH_NULL)) {
        return;
    }
    // all hooks first: they may still ask the world
    kith_world_enter(world);
    for (uint32_t i = 0; i < world->column_count; i++) {
        kith_column_clear(world->columns[i], &world->memory);
    }
    for (uint32_t i = 0; i < world->column_count; i++) {
        kith_column_release(world->columns[i], &world->memory);
    }
    kith_allocator memory = world->memory;
    kith_memory_give_array(&memory, world->columns, world->column_capacity);
    kith_memory_give_array(&memory, world->by_bit, world->bit_capacity);
    kith_entity_table_release(&world->entities, &memory);
    kith_memory_give(&memory, world, sizeof *world, KITH_CACHE_LINE);
}

// --- columns ---------------------------------------------------------------------------------

static kith_error no_column(const kith_column *found, kith_component component, const char *call)
{
    return (kith_error){ .code      = found == NULL ? KITH_ERROR_UNREGISTERED : KITH_ERROR_KIND,
                         .call      = call,
                         .component = component,
                         .have      = found == NULL ? 0 : found->desc.kind };
}

static bool is_one_of(const kith_column *column, unsigned kinds)
{
    return column != NULL && (kinds >> column->desc.kind & 1) != 0;
}

KITH_INTERNAL const kith_column *kith_world_ask(const kith_world *world, kith_component component,
                                                unsigned kinds, const char *call)
{
    const kith_column *column = kith_world_column(world, component);
    if (KITH_LIKELY_(is_one_of(column, kinds))) {
        return column;
    }
    kith_error error = no_column(column, component, call);
    kith_world_tell(world, &error);
    return NULL;
}

KITH_INTERNAL kith_column *kith_world_reach(kith_world *world, kith_component component,
                                            kith_entity entity, unsigned kinds, const char *call)
{
    kith_column *column = kith_world_column(world, component);
    if (KITH_LIKELY_(is_one_of(column, kinds))) {
        return column;
    }
    kith_error error = no_column(column, component, call);
    error.entity     = entity;
    kith_world_fail(world, &error);
    return NULL;
}

KITH_INTERNAL kith_column *kith_world_open(kith_world *world, kith_component component,
                                           kith_entity entity, unsigned kinds, const char *call)
{
    kith_column *column = kith_world_reach(world, component, entity, kinds, call);
    return column == NULL || kith_world_busy(world, call, component, entity) ? NULL : column;
}

// --- the world as a whole --------------------------------------------------------------------

// Ends every entity, in the order that makes their indices come out ascending.
static void free_all(kith_entity_table *table)
{
    for (uint32_t n = 0; n < table->count; n++) {
        uint32_t index  = table->order == KITH_FREE_LIFO ? table->count - 1 - n : n;
        uint64_t entity = *kith_entity_slot_of(table, index);
        if (kith_entity_index(entity) == index) {
            kith_entity_signature_clear(table, index);
            kith_entity_table_free(table, entity);
        }
    }
}

KITH_API void kith_world_clear(kith_world *world)
{
    if (kith_world_busy(world, "kith_world_clear", 0, KITH_NULL)) {
        return;
    }
    kith_world_enter(world);
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        kith_pool_clear(&world->by_bit[bit]->pool);
        world->by_bit[bit]->pool.set.head.flag_count_ = 0;
    }
    free_all(&world->entities);
    kith_world_leave(world);
}

KITH_API bool kith_world_shrink(kith_world *world)
{
    if (kith_world_busy(world, "kith_world_shrink", 0, KITH_NULL)) {
        return false;
    }
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        kith_pool_shrink(&world->by_bit[bit]->pool, &world->memory);
    }
    kith_entity_table_shrink(&world->entities, &world->memory);
    kith_world_mirror(world);
    return true;
}

KITH_API void *kith_world_user(const kith_world *world)
{
    return world->user;
}

KITH_API void kith_world_user_set(kith_world *world, void *user)
{
    world->user = user;
}

KITH_API kith_memory kith_world_memory(const kith_world *world, kith_component component)
{
    kith_memory        memory = { 0 };
    const kith_column *column = NULL;
    if (component != 0) {
        column = kith_world_ask(world, component, KITH_ANY_KIND, "kith_world_memory");
    } else {
        kith_entity_table_memory(&world->entities, &memory);
        memory.other =
            sizeof *world + ((size_t)world->column_capacity + world->bit_capacity) * sizeof(void *);
    }
    for (uint32_t i = 0; i < world->column_count; i++) {
        if (component == 0 || world->columns[i] == column) {
            kith_column_memory(world->columns[i], &memory);
        }
    }
    memory.total = memory.entities + memory.signatures + memory.sparse + memory.packed +
                   memory.values + memory.other;
    return memory;
}

KITH_API kith_stats kith_world_stats(const kith_world *world)
{
    const kith_entity_table *table  = &world->entities;
    bool                     lowest = table->order == KITH_FREE_LOWEST;
    return (kith_stats){
        .alive      = kith_entity_table_count(table),
        .slots      = table->count,
        .free       = table->free,
        .retired    = table->retired,
        .next_free  = lowest ? kith_index_set_lowest(&table->lowest) : table->head,
        .components = world->column_count,
    };
}

// --- entities --------------------------------------------------------------------------------

static bool fail_limit(kith_world *world, const char *call, uint32_t want)
{
    kith_error error = { .code    = KITH_ERROR_LIMIT,
                         .call    = call,
                         .subject = "the number of entities",
                         .have    = world->entities.index_end,
                         .want    = want };
    return kith_world_fail(world, &error);
}

static bool fail_hint(kith_world *world, const char *call, kith_entity hint)
{
    const kith_entity_table *table = &world->entities;
    bool                     far   = kith_entity_index(hint) < table->index_end &&
               kith_entity_version(hint) <= table->version_last;
    kith_error error = { .code    = KITH_ERROR_LIMIT,
                         .call    = call,
                         .entity  = hint,
                         .subject = far ? "more than 2^20 beyond the entity table; reserve first"
                                        : "beyond the world's limits" };
    return kith_world_fail(world, &error);
}

static bool reserve(kith_world *world, uint32_t slots, const char *call)
{
    bool enough = kith_entity_table_reserve(&world->entities, &world->memory, slots);
    kith_world_mirror(world);
    return enough || kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
}

// Everything but a slot that was never used.
KITH_APART static kith_entity create_otherwise(kith_world *world)
{
    static const char  call[] = "kith_entity_create";
    kith_entity_table *table  = &world->entities;
    if (kith_world_busy(world, call, 0, KITH_NULL)) {
        return KITH_NULL;
    }
    if (table->free != 0) {
        return kith_entity_table_reuse(table);
    }
    if (table->count == table->index_end) {
        fail_limit(world, call, 0);
        return KITH_NULL;
    }
    return reserve(world, table->count + 1, call) ? kith_entity_table_append(table) : KITH_NULL;
}

KITH_API kith_entity kith_entity_create(kith_world *world)
{
    kith_entity_table *table = &world->entities;
    if (KITH_UNLIKELY_(table->free != 0 || table->count >= table->room || world->head.busy_ != 0)) {
        return create_otherwise(world);
    }
    return kith_entity_table_append(table);
}

static bool create_hints(kith_world *world, const kith_entity *hints, uint32_t count,
                         kith_entity *out, const char *call)
{
    if (kith_world_busy(world, call, 0, KITH_NULL)) {
        return false;
    }
    kith_entity     refused = KITH_NULL;
    kith_error_code code =
        kith_entity_table_take_hints(&world->entities, &world->memory, hints, count, out, &refused);
    kith_world_mirror(world);
    if (code == KITH_ERROR_LIMIT) {
        return refused == KITH_NULL ? fail_limit(world, call, 0) : fail_hint(world, call, refused);
    }
    return code == KITH_OK || kith_world_refuse(world, code, call, 0, KITH_NULL);
}

KITH_API kith_entity kith_entity_create_hint(kith_world *world, kith_entity hint)
{
    kith_entity entity = KITH_NULL;
    create_hints(world, &hint, 1, &entity, "kith_entity_create_hint");
    return entity;
}

KITH_API bool kith_entity_create_hints(kith_world *world, const kith_entity *hints, uint32_t count,
                                       kith_entity *out)
{
    return create_hints(world, hints, count, out, "kith_entity_create_hints");
}

static void drop_word(kith_world *world, uint32_t index, uint32_t word, uint64_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        kith_pool *pool = &world->by_bit[64 * word + kith_lowest_bit(bits)]->pool;
        pool->remove(pool, index);
    }
}

// Removes what the words after the first say, and empties them.
static void drop_further_words(kith_world *world, kith_entity_page *page, uint32_t index)
{
    uint32_t i    = index & KITH_PAGE_MASK_;
    uint32_t more = page->more[i];
    page->more[i] = 0;
    for (; more != 0; more &= more - 1) {
        uint32_t plane         = kith_lowest_bit(more);
        uint64_t bits          = page->planes[plane][i];
        page->planes[plane][i] = 0;
        drop_word(world, index, plane + 1, bits);
    }
}

KITH_API bool kith_entity_destroy(kith_world *world, kith_entity entity)
{
    kith_entity_table *table = &world->entities;
    if (!kith_entity_table_alive(table, entity) ||
        kith_world_busy(world, "kith_entity_destroy", 0, entity)) {
        return false;
    }
    uint32_t          index = kith_entity_index(entity);
    kith_entity_page *page  = kith_entity_page_of(table, index);
    drop_word(world, index, 0, page->signature[index & KITH_PAGE_MASK_]);
    page->signature[index & KITH_PAGE_MASK_] = 0;
    if (page->more != NULL) {
        drop_further_words(world, page, index);
    }
    kith_entity_table_free(table, entity);
    return true;
}

KITH_API bool kith_entity_alive(const kith_world *world, kith_entity entity)
{
    return kith_entity_table_alive(&world->entities, entity);
}

KITH_API uint32_t kith_entity_current(const kith_world *world, kith_entity entity)
{
    return kith_entity_version(kith_entity_slot(world, kith_entity_index(entity)));
}

KITH_API uint32_t kith_entity_count(const kith_world *world)
{
    return kith_entity_table_count(&world->entities);
}

KITH_API kith_entity kith_entity_next(const kith_world *world, kith_entity previous)
{
    const kith_entity_table *table = &world->entities;
    uint32_t                 index = previous == KITH_NULL ? 0 : kith_entity_index(previous) + 1;
    if (previous != KITH_NULL && kith_entity_index(previous) >= table->count) {
        return KITH_NULL;
    }
    for (; index < table->count; index++) {
        kith_entity slot = *kith_entity_slot_of(table, index);
        if (kith_entity_index(slot) == index) {
            return slot;
        }
    }
    return KITH_NULL;
}

KITH_API bool kith_entity_reserve(kith_world *world, uint32_t slots)
{
    static const char call[] = "kith_entity_reserve";
    if (kith_world_busy(world, call, 0, KITH_NULL)) {
        return false;
    }
    if (slots > world->entities.index_end) {
        return fail_limit(world, call, slots);
    }
    return reserve(world, slots, call);
}

KITH_API kith_entity kith_entity_slot(const kith_world *world, uint32_t index)
{
    if (index >= world->entities.count) {
        return 0;
    }
    uint64_t slot = *kith_entity_slot_of(&world->entities, index);
    return kith_entity_version(slot) == 0 ? 0 : slot;
}
