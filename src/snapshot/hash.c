// SPDX-License-Identifier: MIT
// Hashes the state of worlds and components. docs/hash.md is the definition.
//
//     hashed                 in blocks of    cached in
//     rows of a pool         256 rows        pool.kept; valid while the stamps of pages are older
//     members of a group     256 members     the same, in the pool that lists them
//     slots of entities      1024 slots      their page, until one slot changes
//     entities with a flag   256 handles     only the flag's hash, until it is set or cleared
//
// All else is hashed anew each time: it is small, but for objects of the program.
#include "snapshot/hash.h"
#include "group/group.h"
#include "snapshot/save.h"
#include "workers/workers.h"

// --- what is state ---------------------------------------------------------------------------

KITH_NOINLINE bool kith_storage_is_unsavable(const kith_storage *storage)
{
    return storage->desc.size != 0 && storage->layout.form == KITH_FORM_NONE &&
           kith_storage_is_used(storage);
}

KITH_NOINLINE bool kith_storage_is_state(const kith_storage *storage)
{
    return storage->layout.form != KITH_FORM_TRANSIENT &&
           (kith_storage_is_used(storage) || storage->pool.set.head.rows_ != 0);
}

// Inserts a storage into `count` storages that are sorted by name.
static void insert_by_name(kith_storage **sorted, uint32_t count, kith_storage *storage)
{
    uint32_t low  = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        bool     behind = strcmp(sorted[middle]->desc.name, storage->desc.name) < 0;
        low             = behind ? middle + 1 : low;
        high            = behind ? high : middle;
    }
    for (uint32_t i = count; i > low; i--) {
        sorted[i] = sorted[i - 1];
    }
    sorted[low] = storage;
}

uint32_t kith_world_state_storages(const kith_world *world,
                                   kith_storage     *sorted[KITH_COMPONENT_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        if (kith_storage_is_state(world->storages[i])) {
            insert_by_name(sorted, count++, world->storages[i]);
        }
    }
    return count;
}

bool kith_world_may_read_state(const kith_world *world, const kith_save_desc *only,
                               const char *call, kith_error *error)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_storage *storage = world->storages[i];
        kith_component      id      = storage->desc.id;
        bool                state   = kith_storage_is_state(storage) &&
                     (only == NULL || kith_storage_is_chosen(only, storage));
        if (state && kith_access_denied(world, id, false)) {
            *error = kith_access_error(world, id, false, call);
            return false;
        }
        if (state && kith_storage_is_unsavable(storage)) {
            *error = (kith_error){ .code = KITH_ERROR_UNSAVED, .call = call, .component = id };
            return false;
        }
    }
    return true;
}

KITH_NOINLINE bool kith_group_is_state(const kith_group *group)
{
    bool kept = group->owned == 0 && group->count != 0;
    for (uint32_t i = 0; i < group->plan.count && kept; i++) {
        kept = group->plan.terms[i].storage->layout.form != KITH_FORM_TRANSIENT;
    }
    return kept;
}

KITH_NOINLINE uint32_t kith_group_terms(const kith_group *group, bool excluded,
                                        kith_storage *sorted[KITH_QUERY_TERMS_MAX])
{
    uint32_t from  = excluded ? group->plan.flag_end : 0;
    uint32_t end   = excluded ? group->plan.none_end : group->plan.flag_end;
    uint32_t count = 0;
    for (; from < end; from++) {
        insert_by_name(sorted, count++, group->plan.terms[from].storage);
    }
    return count;
}

uint32_t kith_path_list(const kith_path **next, kith_storage *storages[KITH_PATH_COMPONENTS_MAX])
{
    uint32_t count = 0;
    for (; *next != NULL && count == 0; *next = (*next)->next) {
        for (uint32_t i = 0; i < (*next)->desc.component_count && !(*next)->dropped; i++) {
            if ((*next)->storages[i]->layout.form != KITH_FORM_TRANSIENT) {
                storages[count++] = (*next)->storages[i];
            }
        }
    }
    return count;
}

// --- failing ---------------------------------------------------------------------------------

#define BLOCK_ROWS     256u
#define PACKED_AT_ONCE 4096u
#define LEAST_SHARED   16384u // entities: with fewer, waking workers costs more than it gains

// A call that hashes.
typedef struct hashing {
    const kith_world *world;
    kith_world       *keeper; // the same world if new hashes are cached; else NULL
    bool              cached; // reads the cache
    const char       *call;
} hashing;

static KITH_NOINLINE bool refuse_hash(const hashing *h, const kith_error *error)
{
    return h->keeper == NULL ? kith_world_report_error(h->world, error)
                             : kith_world_fail(h->keeper, error);
}

static KITH_NOINLINE bool refuse_because(const hashing *h, kith_component component,
                                         kith_error_code code, const char *subject)
{
    kith_error error = {
        .code = code, .call = h->call, .component = component, .subject = subject
    };
    return refuse_hash(h, &error);
}

// --- numbers and names -----------------------------------------------------------------------

// Feeds numbers of `size` bytes, at most 8.
static KITH_NOINLINE void feed_numbers(kith_xxh3_state *state, const void *numbers, size_t count,
                                       size_t size)
{
    if (KITH_IS_LITTLE) {
        kith_xxh3_feed(state, numbers, count * size);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[sizeof(uint64_t)];
        kith_copy_numbers(bytes, (const uint8_t *)numbers + i * size, 1, size);
        kith_xxh3_feed(state, bytes, size);
    }
}

static KITH_NOINLINE void feed_number(kith_xxh3_state *state, uint64_t number)
{
    feed_numbers(state, &number, 1, sizeof number);
}

static KITH_NOINLINE uint64_t hash_numbers(const uint64_t *numbers, size_t count)
{
    kith_xxh3_state state;
    kith_xxh3_begin(&state);
    feed_numbers(&state, numbers, count, sizeof *numbers);
    return kith_xxh3_end(&state);
}

KITH_NOINLINE static void feed_name(kith_xxh3_state *state, const char *name)
{
    size_t length = strlen(name);
    feed_number(state, length);
    kith_xxh3_feed(state, name, length);
}

// --- values ----------------------------------------------------------------------------------

static void feed_packed(kith_xxh3_state *state, const kith_layout *layout, const uint8_t *value,
                        uint32_t count)
{
    uint8_t packed[PACKED_AT_ONCE];
    if (kith_layout_is_whole(layout)) {
        kith_xxh3_feed(state, value, (size_t)count * layout->size);
        return;
    }
    uint32_t fit = layout->packed == 0 ? 0 : PACKED_AT_ONCE / layout->packed;
    for (uint32_t i = 0, part; i < count; i += part, value += (size_t)part * layout->size) {
        part = fit == 0 ? 1 : kith_min(count - i, fit);
        for (uint32_t j = 0; j < layout->piece_count && fit == 0; j++) {
            const kith_layout_piece *piece = &layout->pieces[j];
            feed_numbers(state, value + piece->at, piece->size / piece->unit, piece->unit);
        }
        if (fit != 0) {
            kith_layout_pack(layout, packed, value, part);
            kith_xxh3_feed(state, packed, (size_t)part * layout->packed);
        }
    }
}

// Feeds what the write function makes of a value.
static bool feed_written(const hashing *h, kith_xxh3_state *state, const kith_storage *storage,
                         const void *value)
{
    uint8_t          few[PACKED_AT_ONCE];
    kith_saved_bytes saved;
    kith_error_code  code =
        kith_saved_bytes_write(&saved, few, sizeof few, &h->world->scratch_memory, storage, value);
    if (code == KITH_OK) {
        feed_number(state, saved.size);
        kith_xxh3_feed(state, saved.data, saved.size);
    }
    kith_bytes_free(&saved.many);
    return code == KITH_OK ||
           (code == KITH_ERROR_MEMORY
                ? refuse_because(h, storage->desc.id, code, NULL)
                : refuse_because(h, storage->desc.id, KITH_ERROR_ARGUMENT,
                                 "a write function returned two sizes for one value"));
}

// Feeds consecutive values.
static bool feed_values(const hashing *h, kith_xxh3_state *state, const kith_storage *storage,
                        const uint8_t *value, uint32_t count)
{
    if (storage->layout.form != KITH_FORM_FUNCTIONS) {
        feed_packed(state, &storage->layout, value, count);
        return true;
    }
    bool fed = true;
    for (uint32_t i = 0; i < count && fed; i++, value += storage->desc.size) {
        fed = feed_written(h, state, storage, value);
    }
    return fed;
}

static bool hash_value(const hashing *h, const kith_storage *storage, const void *value,
                       uint64_t *hash)
{
    kith_xxh3_state state;
    kith_xxh3_begin(&state);
    bool fed = feed_values(h, &state, storage, value, 1);
    *hash    = kith_xxh3_end(&state);
    return fed;
}

bool kith_value_hash(const kith_world *world, const kith_storage *storage, const void *value,
                     uint64_t *hash, const char *call)
{
    const hashing h = { .world = world, .call = call };
    return hash_value(&h, storage, value, hash);
}

// --- rows ------------------------------------------------------------------------------------

// Names rows (kith_row_name). Most often those of a page are in the order of indices.
static void name_rows(const kith_entity_table *table, const kith_sparse_set *set, uint32_t first,
                      uint32_t count, uint64_t *names)
{
    for (uint32_t i = 0, part; i < count; i += part) {
        const uint32_t *packed = kith_sparse_set_packed(set, first + i);
        uint32_t        index  = packed[0];
        part                   = kith_min(count - i, kith_sparse_set_rest_of_page(set, first + i));
        if ((index & KITH_HOLE) == 0 && (index & KITH_PAGE_MASK_) + part <= KITH_PAGE_SLOTS &&
            kith_array_is_numbered32(packed, index, part)) {
            memcpy(names + i, kith_entity_slot_of(table, index), part * sizeof *names);
            continue;
        }
        for (uint32_t row = i; row < i + part; row++) {
            names[row] = kith_row_name(table, set, first + row);
        }
    }
}

// Feeds the values of rows, which are contiguous up to the next page or hole.
static bool feed_rows(const hashing *h, kith_xxh3_state *state, const kith_storage *storage,
                      uint32_t first, uint32_t count, const uint64_t *names)
{
    const kith_pool *pool = &storage->pool;
    bool             fed  = true;
    for (uint32_t i = 0, part; i < count && fed; i += part) {
        uint32_t most = kith_min(count - i, kith_sparse_set_rest_of_page(&pool->set, first + i));
        part          = pool->set.holes == 0 ? most : 0;
        while (part < most && !kith_name_is_hole(names[i + part])) {
            part++;
        }
        fed = part == 0 || feed_values(h, state, storage, kith_pool_value(pool, first + i), part);
        part += part == 0; // a hole
    }
    return fed;
}

// Hashes a block: 256 rows, or those from `first` to the end.
static bool hash_block(const hashing *h, const kith_storage *storage, uint32_t first,
                       uint32_t count, uint64_t *hash)
{
    kith_xxh3_state state;
    uint64_t        names[BLOCK_ROWS];
    kith_xxh3_begin(&state);
    names[0] = 0; // never empty, but compilers warn
    name_rows(&h->world->entities, &storage->pool.set, first, count, names);
    feed_numbers(&state, names, count, sizeof *names);
    bool fed = storage->pool.size == 0 || feed_rows(h, &state, storage, first, count, names);
    *hash    = kith_xxh3_end(&state);
    return fed;
}

// Whether the cached hash of a block is valid: the block is as long as it was, and no page newer.
static bool block_is_kept(const kith_pool *pool, uint32_t first, uint32_t count)
{
    const kith_pool_head_ *head = &pool->set.head;
    uint32_t               page = first >> head->shift_;
    uint32_t               last = (first + count - 1) >> head->shift_;
    if (pool->kept.rows <= first || kith_min(pool->kept.rows - first, BLOCK_ROWS) != count) {
        return false;
    }
    while (page <= last && head->stamps_[page] < pool->kept.tick) {
        page++;
    }
    return page > last;
}

// Feeds the hashes of all blocks, and caches them if there is memory.
static bool feed_blocks(const hashing *h, kith_xxh3_state *state, kith_storage *storage)
{
    kith_kept_hashes *kept   = &storage->pool.kept;
    uint32_t          rows   = storage->pool.set.head.rows_;
    uint32_t          blocks = (rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    bool              fed    = true;
    bool              keeps = h->keeper != NULL && kith_pool_reserve_hashes(&storage->pool, blocks);
    for (uint32_t first = 0, count; first < rows && fed; first += count) {
        uint32_t block = first / BLOCK_ROWS;
        uint64_t here  = 0;
        count          = kith_min(rows - first, BLOCK_ROWS);
        if (h->cached && block_is_kept(&storage->pool, first, count)) {
            here = kept->blocks[block];
        } else {
            fed = hash_block(h, storage, first, count, keeps ? &kept->blocks[block] : &here);
        }
        if (!keeps) {
            feed_number(state, here);
        }
    }
    if (keeps) {
        feed_numbers(state, kept->blocks, fed ? blocks : 0, sizeof *kept->blocks);
        kept->rows = fed ? rows : 0;
        kept->tick = h->world->tick;
    }
    return fed;
}

// --- flags -----------------------------------------------------------------------------------

// Feeds the hashes of blocks of handles, by ascending index: the entities that have the flag.
static void feed_owners(const kith_entity_table *table, kith_xxh3_state *state, uint32_t bit)
{
    uint64_t names[BLOCK_ROWS];
    uint32_t count = 0;
    for (uint32_t index = 0; index < table->count; index++) {
        if (kith_entity_bit(table, index, bit)) {
            names[count++] = *kith_entity_slot_of(table, index);
        }
        if (count == BLOCK_ROWS || (count != 0 && index + 1 == table->count)) {
            feed_number(state, hash_numbers(names, count));
            count = 0;
        }
    }
}

// --- components ------------------------------------------------------------------------------

static bool feed_storage(const hashing *h, kith_xxh3_state *state, kith_storage *storage)
{
    const kith_pool *pool = &storage->pool;
    uint32_t         rows = pool->set.head.rows_;
    uint64_t         hash = 0;
    bool             fed  = true;
    feed_number(state, storage->desc.kind);
    feed_name(state, storage->desc.name);
    switch (storage->desc.kind) {
    case KITH_KIND_SINGLETON:
        feed_number(state, storage->single != NULL);
        if (storage->single != NULL) {
            fed = hash_value(h, storage, storage->single, &hash);
            feed_number(state, hash);
        }
        return fed;
    case KITH_KIND_FLAG:
        feed_number(state, kith_storage_count(storage));
        feed_owners(&h->world->entities, state, storage->bit);
        return true;
    default:
        feed_number(state, rows);
        feed_number(state, pool->set.newest_hole + 1u);
        fed = feed_blocks(h, state, storage);
        feed_number(state, pool->set.head.disabled_);
        feed_numbers(state, pool->disabled, pool->set.head.disabled_ == 0 ? 0 : (rows + 63) / 64,
                     sizeof *pool->disabled);
        return fed;
    }
}

static bool hash_storage(const hashing *h, kith_storage *storage, uint64_t *hash)
{
    const kith_pool_head_ *head    = &storage->pool.set.head;
    kith_kept_hashes      *kept    = &storage->pool.kept;
    uint64_t               changes = 0; // of a flag: 1 + how often it was set or cleared
    kith_xxh3_state        state;
    if (storage->desc.kind == KITH_KIND_FLAG) {
        changes = head->flags_set_ + head->flags_cleared_ + 1;
    }
    if (h->cached && changes != 0 && kept->tick == changes) {
        *hash = kept->blocks[0];
        return true;
    }
    if (kith_storage_is_unsavable(storage)) {
        return refuse_because(h, storage->desc.id, KITH_ERROR_UNSAVED, NULL);
    }
    kith_xxh3_begin(&state);
    if (!feed_storage(h, &state, storage)) {
        return false;
    }
    *hash = kith_xxh3_end(&state);
    if (h->keeper != NULL && changes != 0 && kith_pool_reserve_hashes(&storage->pool, 1)) {
        kept->tick      = changes;
        kept->blocks[0] = *hash;
    }
    return true;
}

// --- the world -------------------------------------------------------------------------------

static uint64_t hash_entities(const hashing *h)
{
    const kith_entity_table *table = &h->world->entities;
    kith_xxh3_state          state;
    kith_xxh3_begin(&state);
    feed_number(&state, table->count);
    feed_number(&state, table->head + 1u);
    for (uint32_t first = 0, slots; first < table->count; first += slots) {
        kith_entity_page *page = kith_entity_page_of(table, first);
        slots                  = kith_min(table->count - first, KITH_PAGE_SLOTS);
        bool     kept          = h->cached && page->known.hashed == slots;
        uint64_t hash          = kept ? page->hash : hash_numbers(page->slots, slots);
        if (h->keeper != NULL) {
            page->hash         = hash;
            page->known.hashed = (uint16_t)slots;
        }
        feed_number(&state, hash);
    }
    return kith_xxh3_end(&state);
}

static uint64_t hash_terms(const kith_group *group)
{
    kith_storage   *sorted[KITH_QUERY_TERMS_MAX];
    kith_xxh3_state state;
    kith_xxh3_begin(&state);
    for (uint32_t excluded = 0; excluded < 2; excluded++) {
        uint32_t count = kith_group_terms(group, excluded != 0, sorted);
        feed_number(&state, count);
        for (uint32_t i = 0; i < count; i++) {
            feed_name(&state, sorted[i]->desc.name);
        }
    }
    return kith_xxh3_end(&state);
}

// Adds the hashes of groups: the sum does not depend on the order of groups.
static uint64_t sum_groups(const hashing *h)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < h->world->groups.count; i++) {
        kith_group *group = h->world->groups.groups[i];
        if (kith_group_is_state(group)) {
            kith_xxh3_state state;
            kith_xxh3_begin(&state);
            feed_number(&state, hash_terms(group));
            feed_number(&state, group->count);
            feed_blocks(h, &state, &group->list);
            sum += kith_xxh3_end(&state);
        }
    }
    return sum;
}

static uint64_t hash_paths(const kith_world *world)
{
    const kith_path *next = world->paths;
    kith_storage    *storages[KITH_PATH_COMPONENTS_MAX];
    kith_xxh3_state  state;
    kith_xxh3_begin(&state);
    for (uint32_t count; (count = kith_path_list(&next, storages)) != 0;) {
        for (uint32_t i = 0; i < count; i++) {
            feed_name(&state, storages[i]->desc.name);
        }
        feed_number(&state, UINT64_MAX); // ends the path: no name is that long
    }
    return kith_xxh3_end(&state);
}

// Whether no hook runs, no loop is open, `hash` is not NULL, the component is not transient, and
// the running system may read all state.
static bool can_hash(const hashing *h, kith_component component, const uint64_t *hash)
{
    const kith_world *world = h->world;
    kith_component    about = component == KITH_ALL ? 0 : component;
    kith_error        error;
    if ((world->head.busy_ & KITH_HOOKS_MASK) != 0) {
        return refuse_because(h, about, KITH_ERROR_BUSY, "a hook is running");
    }
    if (world->shared.held != 0) {
        kith_error held = kith_world_held_error(world, h->call, about);
        return refuse_hash(h, &held);
    }
    if (hash == NULL) {
        return refuse_because(h, about, KITH_ERROR_ARGUMENT, "hash is NULL");
    }
    if (component == KITH_ALL) {
        return kith_world_may_read_state(world, NULL, h->call, &error) || refuse_hash(h, &error);
    }
    return kith_storage_is_saved(kith_world_storage(world, component)) ||
           refuse_because(h, about, KITH_ERROR_ARGUMENT, "transient: not hashed");
}

// The hashes of entities and storages, which workers share out. `left` counts down to 0.
typedef struct shared_hashes {
    const hashing *h;
    kith_storage **sorted;
    uint64_t      *parts;
    atomic_int     left; // storages and 1
} shared_hashes;

// Hashes what no other worker has begun. Only functions of the program can fail: the calling thread
// calls them afterwards, one storage after the other.
static void hash_parts_left(void *context, uint32_t worker)
{
    shared_hashes *s = context;
    (void)worker;
    for (int i; (i = atomic_fetch_sub_explicit(&s->left, 1, memory_order_relaxed) - 2) >= -1;) {
        if (i < 0) {
            s->parts[1] = hash_entities(s->h);
        } else if (s->sorted[i]->layout.form != KITH_FORM_FUNCTIONS) {
            hash_storage(s->h, s->sorted[i], &s->parts[3 + i]);
        }
    }
}

static bool hash_world(const hashing *h, uint64_t *hash)
{
    kith_storage *sorted[KITH_COMPONENT_MAX];
    uint64_t      parts[KITH_COMPONENT_MAX + 6];
    kith_error    error   = { .call = h->call, .subject = "state" };
    uint32_t      count   = kith_world_state_storages(h->world, sorted);
    kith_workers *workers = h->keeper == NULL ? h->world->workers : NULL; // caches need memory
    shared_hashes s       = { h, sorted, parts, (int)count + 1 };
    if (workers != NULL && workers->count > 1 && h->world->entities.count >= LEAST_SHARED &&
        !atomic_flag_test_and_set_explicit(&workers->busy, memory_order_acquire)) {
        workers->run(workers, kith_min(workers->count, count + 1), hash_parts_left, &s);
        atomic_flag_clear_explicit(&workers->busy, memory_order_release);
    }
    hash_parts_left(&s, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (sorted[i]->layout.form == KITH_FORM_FUNCTIONS &&
            !hash_storage(h, sorted[i], &parts[3 + i])) {
            return false;
        }
    }
    parts[0]         = 0; // the version of this definition
    parts[2]         = count;
    parts[3 + count] = sum_groups(h);
    parts[4 + count] = hash_paths(h->world);
    parts[5 + count] = 0;
    error.code       = kith_objects_hash(h->world, &parts[5 + count], &error.other);
    if (error.code != KITH_OK) {
        return refuse_hash(h, &error);
    }
    // left out when no object has state: docs/hash.md
    bool objects = kith_object_with_state(h->world->oldest) != NULL;
    *hash        = hash_numbers(parts, count + (objects ? 6 : 5));
    return true;
}

// Hashes a component, which is registered, or the world if `component` is KITH_ALL.
static bool hash_part(const hashing *h, kith_component component, uint64_t *hash)
{
    if (!can_hash(h, component, hash)) {
        return false;
    }
    if (h->keeper != NULL) {
        kith_world_lock(h->keeper);
    }
    bool done = component == KITH_ALL
                    ? hash_world(h, hash)
                    : hash_storage(h, kith_world_storage(h->world, component), hash);
    if (h->keeper != NULL) {
        kith_world_unlock(h->keeper);
    }
    return done;
}

bool kith_world_hash(kith_world *world, kith_component component, uint64_t *hash)
{
    hashing h = { world, world, true, "kith_world_hash" };
    return (component == KITH_ALL ||
            kith_storage_for_mut(world, component, KITH_NULL, KITH_ANY_KIND | KITH_READS, h.call) !=
                NULL) &&
           hash_part(&h, component, hash);
}

bool kith_world_hash_for(const kith_world *world, uint64_t *hash, const char *call)
{
    hashing h = { .world = world, .call = call };
    return hash_part(&h, KITH_ALL, hash);
}

bool kith_world_hash_full(const kith_world *world, kith_component component, uint64_t *hash)
{
    hashing h = { .world = world, .call = "kith_world_hash_full" };
    return (component == KITH_ALL ||
            kith_storage_for_read(world, component, KITH_ANY_KIND | KITH_READS, h.call) != NULL) &&
           hash_part(&h, component, hash);
}

// --- checking the cache ----------------------------------------------------------------------

bool kith_world_hashes_agree(const kith_world *world)
{
    const hashing fresh  = { .world = world, .call = "kith_world_validate" };
    const hashing cached = { .world = world, .call = fresh.call, .cached = true };
    if (world->shared.held != 0 || (world->head.busy_ & KITH_HOOKS_MASK) != 0) {
        return true;
    }
    bool agree = hash_entities(&fresh) == hash_entities(&cached) &&
                 sum_groups(&fresh) == sum_groups(&cached);
    for (uint32_t i = 0; i < world->storage_count && agree; i++) {
        kith_storage *storage   = world->storages[i];
        uint64_t      hashes[2] = { 0, 0 };
        // validation does not call the program's save functions
        bool unchecked = storage->pool.kept.blocks == NULL || kith_storage_is_unsavable(storage) ||
                         storage->layout.form == KITH_FORM_FUNCTIONS;
        agree = unchecked || (hash_storage(&fresh, storage, &hashes[0]) &&
                              hash_storage(&cached, storage, &hashes[1]) && hashes[0] == hashes[1]);
    }
    return agree;
}
