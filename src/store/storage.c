// SPDX-License-Identifier: MIT
#include "store/storage.h"

static size_t required_bytes(const kith_column *column)
{
    return column->desc.traits.required_count * sizeof(kith_component);
}

static size_t name_bytes(const kith_column *column)
{
    return strlen(column->desc.name) + 1;
}

// --- making ----------------------------------------------------------------------------------

// Makes the texts that the description points to the column's own. What is not copied is NULL.
static bool own_texts(kith_column *column, const kith_allocator *memory)
{
    kith_component_desc  *desc     = &column->desc;
    const char           *name     = desc->name;
    const kith_component *required = desc->traits.required;
    char                 *own_name = kith_alloc(memory, name_bytes(column), 1);
    if (own_name == NULL) {
        desc->name            = NULL;
        desc->traits.required = NULL;
        return false;
    }
    desc->name            = strcpy(own_name, name);
    desc->traits.required = NULL;
    if (!kith_layout_make(&column->layout, memory, &desc->traits.saved, desc->size)) {
        return false;
    }
    if (desc->traits.required_count == 0) {
        return true;
    }
    kith_component *own = kith_alloc(memory, required_bytes(column), sizeof *own);
    if (own == NULL) {
        return false;
    }
    desc->traits.required = memcpy(own, required, required_bytes(column));
    return true;
}

static void add_need(kith_column *column, kith_column *needed)
{
    for (uint32_t i = 0; i < column->need_count; i++) {
        if (column->needs[i] == needed) {
            return;
        }
    }
    column->needs[column->need_count++] = needed;
}

// Collects what the column requires, each after what it requires itself.
static bool collect_needs(kith_column *column, const kith_allocator *memory,
                          kith_pool_head_ *const *pools)
{
    const kith_traits *traits = &column->desc.traits;
    uint32_t           most   = 0;
    for (uint32_t i = 0; i < traits->required_count; i++) {
        most += ((kith_column *)(void *)pools[traits->required[i]])->need_count + 1;
    }
    if (most == 0) {
        return true;
    }
    column->needs = kith_alloc_grow(memory, NULL, &column->need_capacity, most);
    if (column->needs == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < traits->required_count; i++) {
        kith_column *needed = (kith_column *)(void *)pools[traits->required[i]];
        for (uint32_t n = 0; n < needed->need_count; n++) {
            add_need(column, needed->needs[n]);
        }
        add_need(column, needed);
    }
    return true;
}

static void init_pool(kith_column *column, kith_shared *shared)
{
    const kith_component_desc *desc   = &column->desc;
    kith_pool_layout           layout = { .size      = desc->size,
                                          .alignment = desc->alignment,
                                          .policy    = desc->traits.policy,
                                          .rowless   = desc->kind == KITH_KIND_FLAG,
                                          .row_ticks = desc->traits.row_ticks };
    while (1u << layout.shift < desc->traits.page_rows) {
        layout.shift++;
    }
    kith_pool_init(&column->pool, &layout, shared);
    column->pool.set.head.id_ = desc->id;
}

KITH_INTERNAL kith_column *kith_column_create(const kith_allocator      *memory,
                                              const kith_component_desc *desc,
                                              kith_pool_head_ *const *pools, kith_shared *shared)
{
    kith_column *column = kith_alloc_zeroed(memory, sizeof *column, KITH_CACHE_LINE);
    if (column == NULL) {
        return NULL;
    }
    column->desc = *desc;
    column->bit  = KITH_NO_BIT;
    init_pool(column, shared);
    uint32_t journal = desc->traits.journal;
    if (!own_texts(column, memory) || !collect_needs(column, memory, pools) ||
        (journal != 0 && !kith_journal_make(&column->pool.journal, memory, journal))) {
        kith_column_release(column, memory);
        return NULL;
    }
    kith_column_rebind(column, &desc->traits.hooks);
    return column;
}

// Whether inline code must leave it to the library to tell someone: of rows that are added it asks
// itself.
static bool is_heard(const kith_column *column)
{
    bool flag = column->desc.kind == KITH_KIND_FLAG;
    return column->events[KITH_EVENT_REMOVE].count != 0 ||
           (flag && column->events[KITH_EVENT_ADD].count != 0);
}

// Whether a row of the component is bytes and nothing else, with a bit in the first word.
static bool is_plain(const kith_column *column)
{
    return column->bit < 64 && column->need_count == 0 && column->pool.plain &&
           column->desc.kind != KITH_KIND_FLAG && column->desc.traits.policy == KITH_POLICY_SWAP;
}

KITH_INTERNAL uint64_t kith_column_quick(const kith_column *column)
{
    bool flag    = column->desc.kind == KITH_KIND_FLAG;
    bool watched = column->add_watch != 0 || (flag && column->drop_watch != 0) ||
                   kith_column_grouped(column) || column->anchors != 0;
    bool able = flag ? column->bit < 64 && column->need_count == 0 : is_plain(column);
    return able && !watched && !is_heard(column) ? UINT64_C(1) << column->bit : 0;
}

KITH_INTERNAL void kith_column_update_quick(kith_column *column)
{
    column->pool.set.head.quick_ = kith_column_quick(column);
    column->pool.set.head.told_ =
        column->events[KITH_EVENT_ADD].count + column->events[KITH_EVENT_SET].count;
    column->plain = is_plain(column) ? UINT64_C(1) << column->bit : 0;
}

KITH_INTERNAL void kith_column_set_bit(kith_column *column, uint32_t bit)
{
    column->bit = bit;
    kith_column_update_quick(column);
}

KITH_INTERNAL void kith_column_rebind(kith_column *column, const kith_hooks *hooks)
{
    if (column->bound) {
        return;
    }
    kith_pool_hooks(&column->pool, hooks);
    column->desc.traits.hooks = *hooks;
    kith_column_update_quick(column);
}

KITH_INTERNAL uint32_t kith_column_count(const kith_column *column)
{
    const kith_pool_head_ *head = &column->pool.set.head;
    return column->desc.kind == KITH_KIND_FLAG ? (uint32_t)(head->flags_set_ - head->flags_cleared_)
                                               : kith_sparse_set_count(&column->pool.set);
}

// --- singletons ------------------------------------------------------------------------------

// The room in front of a singleton's value: a link, and what alignment asks for.
static size_t link_bytes(const kith_column *column)
{
    return column->pool.set.alignment;
}

static size_t single_bytes(const kith_column *column)
{
    return link_bytes(column) + column->desc.size;
}

static void **link_of(const kith_column *column, void *value)
{
    return (void **)(void *)((uint8_t *)value - link_bytes(column));
}

KITH_INTERNAL void *kith_column_alloc_single(kith_column *column, const kith_allocator *memory)
{
    void *kept   = column->kept;
    column->kept = NULL;
    if (kept != NULL) {
        return kept;
    }
    uint8_t *block = kith_alloc(memory, single_bytes(column), column->pool.set.alignment);
    return block == NULL ? NULL : block + link_bytes(column);
}

KITH_INTERNAL void kith_column_free_single(kith_column *column, const kith_allocator *memory,
                                           void *value)
{
    if (column->keeps && column->kept == NULL) {
        column->kept = value;
    } else {
        kith_free(memory, link_of(column, value), single_bytes(column), column->pool.set.alignment);
    }
}

KITH_INTERNAL bool kith_column_reserve_single(kith_column *column, const kith_allocator *memory)
{
    if (!column->pool.plain && !kith_pool_reserve_spare(&column->pool, memory)) {
        return false;
    }
    if (column->single == NULL) {
        column->kept = kith_column_alloc_single(column, memory);
    }
    column->keeps = column->single != NULL || column->kept != NULL;
    return column->keeps;
}

KITH_INTERNAL void kith_column_shrink_single(kith_column *column, const kith_allocator *memory)
{
    void *kept    = column->kept;
    column->kept  = NULL;
    column->keeps = false;
    if (kept != NULL) {
        kith_column_free_single(column, memory, kept);
    }
    if (column->single == NULL && column->desc.kind == KITH_KIND_SINGLETON) {
        kith_pool_free_spare(&column->pool, memory);
    }
}

KITH_INTERNAL void kith_column_leave_single(kith_column *column)
{
    *link_of(column, column->single) = column->gone;
    column->gone                     = column->single;
    column->single                   = NULL;
}

// Turned round first: they end in the order in which they were left.
KITH_INTERNAL void kith_column_end_left(kith_column *column, const kith_allocator *memory)
{
    void *oldest = NULL;
    while (column->gone != NULL) {
        void *next                     = *link_of(column, column->gone);
        *link_of(column, column->gone) = oldest;
        oldest                         = column->gone;
        column->gone                   = next;
    }
    while (oldest != NULL) {
        void *next = *link_of(column, oldest);
        kith_pool_destruct(&column->pool, oldest);
        kith_column_free_single(column, memory, oldest);
        oldest = next;
    }
    if (column->single == NULL && !column->keeps) {
        kith_pool_free_spare(&column->pool, memory);
    }
}

// --- ending ----------------------------------------------------------------------------------

KITH_INTERNAL void kith_column_clear(kith_column *column, const kith_allocator *memory)
{
    kith_pool_clear(&column->pool);
    if (column->single != NULL) {
        kith_column_leave_single(column);
        kith_column_end_left(column, memory);
    }
}

KITH_INTERNAL void kith_column_release(kith_column *column, const kith_allocator *memory)
{
    const kith_traits *traits = &column->desc.traits;
    kith_column_clear(column, memory);
    kith_column_shrink_single(column, memory);
    kith_pool_release(&column->pool, memory);
    for (unsigned event = 0; event <= KITH_EVENT_REMOVE; event++) {
        kith_event_sweep(&column->events[event], memory, true);
    }
    kith_free_array(memory, column->needs, column->need_capacity);
    kith_free_array(memory, column->wanted.groups, column->wanted.capacity);
    kith_free_array(memory, column->barred.groups, column->barred.capacity);
    kith_free(memory, (void *)(uintptr_t)traits->required, required_bytes(column),
              sizeof(kith_component));
    kith_layout_release(&column->layout, memory);
    if (column->desc.name != NULL) {
        kith_free(memory, (void *)(uintptr_t)column->desc.name, name_bytes(column), 1);
    }
    kith_free(memory, column, sizeof *column, KITH_CACHE_LINE);
}

KITH_INTERNAL void kith_column_memory(const kith_column *column, kith_memory *memory)
{
    kith_pool_memory(&column->pool, memory);
    memory->values += column->single == NULL ? 0 : single_bytes(column);
    memory->values += column->kept == NULL ? 0 : single_bytes(column);
    for (void *gone = column->gone; gone != NULL; gone = *link_of(column, gone)) {
        memory->values += single_bytes(column);
    }
    memory->other +=
        sizeof *column + name_bytes(column) + required_bytes(column) + column->layout.bytes +
        ((size_t)column->need_capacity + column->wanted.capacity + column->barred.capacity) *
            sizeof(void *);
    for (unsigned event = 0; event <= KITH_EVENT_REMOVE; event++) {
        memory->other += kith_event_bytes(&column->events[event]);
    }
}
