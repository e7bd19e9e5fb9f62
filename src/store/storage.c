// SPDX-License-Identifier: MIT
// Storages: creating and releasing them, the inline bit, and the value of a singleton.
#include "store/storage.h"

// --- creating --------------------------------------------------------------------------------

static bool add_need(kith_storage *storage, kith_storage *needed)
{
    for (uint32_t i = 0; i < storage->required_count; i++) {
        if (storage->required[i] == needed) {
            return true;
        }
    }
    if (!kith_alloc_grow(storage->pool.set.memory, &storage->required, &storage->required_capacity,
                         storage->required_count + 1)) {
        return false;
    }
    storage->required[storage->required_count++] = needed;
    return true;
}

// Lists all required storages, each one after those that it requires itself.
static bool collect_needs(kith_storage *storage, kith_pool_head_ *const *pools)
{
    const kith_traits *traits = &storage->desc.traits;
    bool               enough = true;
    for (uint32_t i = 0; i < traits->required_count && enough; i++) {
        kith_storage *needed = (kith_storage *)(void *)pools[traits->required[i]];
        for (uint32_t n = 0; n < needed->required_count && enough; n++) {
            enough = add_need(storage, needed->required[n]);
        }
        enough = enough && add_need(storage, needed);
    }
    return enough;
}

static void init_pool(kith_storage *storage, kith_shared *shared)
{
    const kith_component_desc *desc   = &storage->desc;
    kith_pool_layout           layout = { .size      = desc->size,
                                          .alignment = desc->alignment,
                                          .policy    = desc->traits.policy,
                                          .rowless   = desc->kind == KITH_KIND_FLAG,
                                          .row_ticks = desc->traits.row_ticks };
    while (1u << layout.shift < desc->traits.page_rows) {
        layout.shift++;
    }
    kith_pool_init(&storage->pool, &layout, shared);
    storage->pool.set.head.id_ = (uint16_t)desc->id;
}

kith_storage *kith_storage_create(const kith_component_desc *desc, kith_pool_head_ *const *pools,
                                  kith_shared *shared)
{
    const kith_traits *traits   = &desc->traits;
    size_t             required = traits->required_count * sizeof *traits->required;
    kith_copier        to       = { NULL, sizeof(kith_storage) };
    kith_copier_text(&to, desc->name);
    kith_copier_put(&to, NULL, required);
    kith_storage *storage = kith_alloc_zeroed(shared->memory, to.used, KITH_CACHE_LINE);
    if (storage == NULL) {
        return NULL;
    }
    storage->bytes                = to.used;
    to                            = (kith_copier){ (uint8_t *)storage, sizeof *storage };
    storage->desc                 = *desc;
    storage->desc.name            = kith_copier_text(&to, desc->name);
    storage->desc.traits.required = kith_copier_put(&to, traits->required, required);
    storage->head                 = &storage->pool.set.head;
    storage->bit                  = KITH_NO_BIT;
    storage->access               = (uint8_t)desc->kind;
    init_pool(storage, shared);
    if (!kith_layout_init(&storage->layout, shared->memory, &storage->desc.traits.saved,
                          desc->size) ||
        !collect_needs(storage, pools) ||
        (traits->journal != 0 &&
         !kith_journal_init(&storage->pool.journal, shared->memory, traits->journal))) {
        kith_storage_free(storage);
        return NULL;
    }
    kith_pool_set_hooks(&storage->pool, &traits->hooks);
    return storage;
}

KITH_NOINLINE uint64_t kith_storage_inline_bit(const kith_storage *storage)
{
    uint32_t observers =
        storage->add_watch | storage->reservers | storage->events[KITH_EVENT_REMOVE].count;
    // inline code announces added rows, but not added flags
    if (storage->desc.kind == KITH_KIND_FLAG) {
        observers |= storage->drop_watch | storage->pool.set.head.listeners_;
    }
    bool reached = storage->desc.kind < KITH_KIND_FLAG || storage->bit < 64;
#ifdef KITH_DEBUG
    reached = false; // inline code unpoisons no row, and does not look which thread it is on
#endif
    return observers == 0 && reached && storage->is_bytes ? UINT64_C(1) << (storage->bit & 63) : 0;
}

KITH_NOINLINE void kith_storage_update_inline_bit(kith_storage *storage)
{
    bool sole           = storage->groups_without.count == 0 && storage->groups_with.count == 1;
    storage->sole_group = sole ? storage->groups_with.groups[0] : NULL;
    storage->is_bytes   = storage->pool.plain && storage->required_count == 0 &&
                        storage->desc.traits.policy == KITH_POLICY_SWAP;
    storage->pool.set.head.listeners_  = kith_storage_announced(storage);
    storage->pool.set.head.inline_bit_ = kith_storage_inline_bit(storage);
    storage->is_direct = storage->bit < 64 && storage->pool.set.head.listeners_ < KITH_IN_GROUP_;
}

void kith_storage_set_bit(kith_storage *storage, uint32_t bit)
{
    storage->bit                 = bit;
    storage->pool.set.head.word_ = (uint16_t)(bit >> 6);
    kith_storage_update_inline_bit(storage);
}

void kith_storage_set_hooks(kith_storage *storage, const kith_hooks *hooks)
{
    if (storage->is_own) {
        return;
    }
    kith_pool_set_hooks(&storage->pool, hooks);
    storage->desc.traits.hooks = *hooks;
    kith_storage_update_inline_bit(storage);
}

uint32_t kith_storage_count(const kith_storage *storage)
{
    const kith_pool_head_ *head = &storage->pool.set.head;
    return storage->desc.kind == KITH_KIND_FLAG
               ? (uint32_t)(head->flags_set_ - head->flags_cleared_)
               : kith_sparse_set_count(&storage->pool.set);
}

// --- singletons ------------------------------------------------------------------------------

// Returns the bytes before a singleton value: a link, padded to the alignment of the value.
static size_t link_bytes(const kith_storage *storage)
{
    return storage->pool.set.alignment;
}

static size_t single_bytes(const kith_storage *storage)
{
    return link_bytes(storage) + storage->desc.size;
}

static void **link_of(const kith_storage *storage, void *value)
{
    return (void **)(void *)((uint8_t *)value - link_bytes(storage));
}

void *kith_storage_alloc_single(kith_storage *storage)
{
    void *kept    = storage->kept;
    storage->kept = NULL;
    if (kept != NULL) {
        return kept;
    }
    uint8_t *block =
        kith_alloc(storage->pool.set.memory, single_bytes(storage), storage->pool.set.alignment);
    return block == NULL ? NULL : block + link_bytes(storage);
}

void kith_storage_free_single(kith_storage *storage, void *value)
{
    if (storage->keeps && storage->kept == NULL) {
        storage->kept = value;
    } else {
        kith_free(storage->pool.set.memory, link_of(storage, value), single_bytes(storage),
                  storage->pool.set.alignment);
    }
}

bool kith_storage_reserve_single(kith_storage *storage)
{
    if (!storage->pool.plain && !kith_pool_reserve_spare(&storage->pool)) {
        return false;
    }
    if (storage->single == NULL) {
        storage->kept = kith_storage_alloc_single(storage);
    }
    storage->keeps = storage->single != NULL || storage->kept != NULL;
    return storage->keeps;
}

void kith_storage_shrink_single(kith_storage *storage)
{
    void *kept     = storage->kept;
    storage->kept  = NULL;
    storage->keeps = false;
    if (kept != NULL) {
        kith_storage_free_single(storage, kept);
    }
    if (storage->single == NULL && storage->desc.kind == KITH_KIND_SINGLETON) {
        kith_pool_free_spare(&storage->pool);
    }
}

void kith_storage_remove_single_later(kith_storage *storage)
{
    *link_of(storage, storage->single) = storage->gone;
    storage->gone                      = storage->single;
    storage->single                    = NULL;
}

// Reverses the list first, so that values are destructed in the order of their removal.
void kith_storage_settle(kith_storage *storage)
{
    void *oldest = NULL;
    while (storage->gone != NULL) {
        void *next                       = *link_of(storage, storage->gone);
        *link_of(storage, storage->gone) = oldest;
        oldest                           = storage->gone;
        storage->gone                    = next;
    }
    while (oldest != NULL) {
        void *next = *link_of(storage, oldest);
        kith_pool_destruct(&storage->pool, oldest);
        kith_storage_free_single(storage, oldest);
        oldest = next;
    }
    if (storage->single == NULL && !storage->keeps) {
        kith_pool_free_spare(&storage->pool);
    }
}

// --- releasing -------------------------------------------------------------------------------

void kith_storage_clear(kith_storage *storage)
{
    kith_pool_clear(&storage->pool);
    if (storage->single != NULL) {
        kith_storage_remove_single_later(storage);
        kith_storage_settle(storage);
    }
}

void kith_storage_free(kith_storage *storage)
{
    const kith_allocator *memory = storage->pool.set.memory;
    kith_storage_clear(storage);
    kith_storage_shrink_single(storage);
    kith_pool_free(&storage->pool);
    kith_listeners_cut(storage->events, KITH_EVENT_LISTS, memory, true);
    kith_free_array(memory, storage->required, storage->required_capacity);
    kith_free(memory, storage->names.slots, storage->names.capacity * sizeof(uint64_t), 8);
    kith_free_array(memory, storage->groups_with.groups, storage->groups_with.capacity);
    kith_free_array(memory, storage->groups_without.groups, storage->groups_without.capacity);
    kith_layout_free(&storage->layout, memory);
    kith_free(memory, storage, storage->bytes, KITH_CACHE_LINE);
}

void kith_storage_memory(const kith_storage *storage, kith_memory *memory)
{
    kith_pool_memory(&storage->pool, memory);
    memory->values += storage->single == NULL ? 0 : single_bytes(storage);
    memory->values += storage->kept == NULL ? 0 : single_bytes(storage);
    for (void *gone = storage->gone; gone != NULL; gone = *link_of(storage, gone)) {
        memory->values += single_bytes(storage);
    }
    memory->other += storage->bytes + storage->layout.bytes +
                     storage->names.capacity * sizeof(uint64_t) +
                     ((size_t)storage->required_capacity + storage->groups_with.capacity +
                      storage->groups_without.capacity) *
                         sizeof(void *) +
                     kith_listeners_bytes(storage->events, KITH_EVENT_LISTS);
}
