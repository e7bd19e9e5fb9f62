// SPDX-License-Identifier: MIT
// Reserves memory ahead: for the components of a signature, or for everything that a world does.
#include "batch/batch.h"
#include "event/event.h"
#include "group/group.h"
#include "system/system.h"
#include "world/component.h"

// --- signatures ------------------------------------------------------------------------------

// Sets `all` to the components of the set and everything that they require. Returns false when the
// set has a bit without a component.
static bool complete_set(const kith_world *world, const kith_signature *set, kith_signature *all)
{
    uint32_t known = 0;
    *all           = *set;
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        const kith_storage *storage = world->by_bit[bit];
        known += kith_ids_have(set->words, bit);
        for (uint32_t i = 0; i < storage->required_count && kith_ids_have(set->words, bit); i++) {
            uint32_t need = storage->required[i]->bit;
            all->words[need >> 6] |= UINT64_C(1) << (need & 63);
        }
    }
    return known == kith_signature_count(set);
}

// --- rows ------------------------------------------------------------------------------------

// Records the number of pages of each component, so that a failure can free the pages after them.
static void record_pages(const kith_world *world, uint32_t *before)
{
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        before[bit] = world->by_bit[bit]->pool.set.page_count;
    }
}

// Frees the new pages and reports that memory ran out. Returns false.
static bool fail_reserve(kith_world *world, const uint32_t *before, const char *call)
{
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        kith_sparse_set *set = &world->by_bit[bit]->pool.set;
        kith_sparse_set_trim(set, before[bit]);
        kith_sparse_set_trim_slots(set, world->entities.page_count, false);
    }
    return kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
}

// Reserves `rows` rows, and everything else that lets any slot of the entity table get the
// component.
static bool secure_storage(kith_world *world, kith_storage *storage, uint32_t rows)
{
    bool enough = kith_watch_reserve(storage, world->entities.room);
    enough      = enough && (storage->desc.kind == KITH_KIND_FLAG ||
                        (kith_pool_reserve_rows(&storage->pool, rows) &&
                         kith_groups_reserve_rows(world, storage, rows)));
    for (uint32_t page = 0; page < world->entities.page_count && enough; page++) {
        enough = kith_groups_reserve_page(world, storage, page << KITH_PAGE_SHIFT_);
    }
    return enough;
}

bool kith_signature_reserve(kith_world *world, const kith_signature *signature, uint32_t rows)
{
    kith_signature all;
    uint32_t       before[KITH_COMPONENT_MAX] = { 0 };
    if (!kith_require_unlocked(world, __func__) ||
        (!complete_set(world, signature, &all) &&
         !kith_world_mistake(world, __func__, "the signature has an unknown component", NULL))) {
        return false;
    }
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        const kith_storage *storage = world->by_bit[bit];
        if (kith_ids_have(all.words, bit) && storage->desc.kind != KITH_KIND_FLAG &&
            !kith_storage_allows(world, storage, rows, __func__)) {
            return false;
        }
    }
    record_pages(world, before);
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        if (kith_ids_have(all.words, bit) && !secure_storage(world, world->by_bit[bit], rows)) {
            return fail_reserve(world, before, __func__);
        }
    }
    return true;
}

// --- the world -------------------------------------------------------------------------------

// The bytes for a batch of `count` entities or for sorting `count` rows, whichever is more.
static size_t scratch_bytes(const kith_world *world, uint32_t count)
{
    size_t most = kith_batch_bytes(world, count);
    if (kith_size_add(0, count, 64) == SIZE_MAX / 2) {
        return SIZE_MAX / 2; // the size for sorting overflows
    }
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        const kith_pool *pool  = &world->by_bit[bit]->pool;
        size_t           least = kith_sparse_set_has_ticks(&pool->set) ? sizeof(uint64_t) : 4;
        size_t           size  = pool->size < least ? least : pool->size;
        size_t           sort  = kith_size_add(kith_permutation_bytes(count), count, size);
        most                   = sort > most ? sort : most;
    }
    return kith_size_add(most, 4, KITH_CACHE_LINE);
}

static bool secure_scratch(kith_world *world, uint32_t count)
{
    size_t size = count == 0 ? 0 : kith_arena_size_for(scratch_bytes(world, count));
    if (size == 0 || (world->scratch != NULL && world->scratch->size >= size)) {
        return true;
    }
    kith_arena *scratch = size == SIZE_MAX ? NULL : kith_arena_create(&world->memory, size, true);
    if (scratch == NULL) {
        return false;
    }
    kith_world_free_scratch(world);
    world->scratch        = scratch;
    world->scratch_memory = kith_arena_allocator(scratch);
    return true;
}

static bool secure_loops(kith_world *world, uint32_t loops, uint32_t terms)
{
    bool enough = loops == 0 || kith_entity_table_reserve_births(&world->entities, &world->memory);
    for (uint32_t i = 0; i < loops && enough; i++) {
        enough = kith_block_reserve(world, &world->loops[i], terms + 1); // 1 for a group's list
    }
    return enough;
}

static bool secure_storages(kith_world *world, const kith_reserve_desc *desc)
{
    bool enough = true;
    for (uint32_t i = 0; i < world->storage_count && enough; i++) {
        kith_storage    *storage = world->storages[i];
        kith_sparse_set *set     = &storage->pool.set;
        uint32_t rows = set->limit == UINT32_MAX ? desc->entities : kith_sparse_set_max(set);
        if (storage->desc.kind == KITH_KIND_SINGLETON) {
            enough = kith_storage_reserve_single(storage);
        } else {
            enough = secure_storage(world, storage, rows) &&
                     (!desc->disabling || storage->desc.kind == KITH_KIND_FLAG ||
                      kith_pool_reserve_disabled(&storage->pool));
        }
    }
    return enough;
}

// Returns true = go on: `want` is at most `most`. Otherwise reports an error about `subject`.
static bool require_at_most(kith_world *world, const char *subject, uint32_t most, uint32_t want,
                            const char *call)
{
    return want <= most ||
           kith_world_refuse_numbers(world, KITH_ERROR_LIMIT, call, 0, subject, most, want);
}

static bool check_numbers(kith_world *world, const kith_reserve_desc *desc, const char *call)
{
    uint32_t entities = desc->entities > desc->batch ? desc->entities : desc->batch;
    uint32_t most     = world->entities.index_end;
    return require_at_most(world, "the number of entities", most, entities, call) &&
           require_at_most(world, "the number of open loops", KITH_LOOP_DEPTH_MAX, desc->loops,
                           call) &&
           require_at_most(world, "the number of terms", KITH_QUERY_TERMS_MAX, desc->terms, call);
}

bool kith_world_reserve(kith_world *world, const kith_reserve_desc *desc)
{
    kith_entity_table *table                      = &world->entities;
    uint32_t           before[KITH_COMPONENT_MAX] = { 0 };
    if (!kith_require_at_rest(world, __func__) || !kith_require_array(world, desc, 1, __func__) ||
        !check_numbers(world, desc, __func__)) {
        return false;
    }
    uint32_t entity_pages = table->page_count;
    record_pages(world, before);
    bool enough = kith_entity_table_reserve(table, &world->memory, desc->entities) &&
                  secure_storages(world, desc) && secure_loops(world, desc->loops, desc->terms) &&
                  secure_scratch(world, desc->batch) && kith_world_reserve_tracked(world);
    if (!enough) {
        kith_entity_table_trim(table, &world->memory, entity_pages);
    }
    kith_world_update_head(world);
    return enough || fail_reserve(world, before, __func__);
}
