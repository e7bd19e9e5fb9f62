// SPDX-License-Identifier: MIT
// Rows of a batch: reserves memory, constructs values, adds the rows, and undoes that on failure.
#include "batch/batch.h"

#include "world/event.h"
#include "world/group.h"

// --- memory ----------------------------------------------------------------------------------

// Records the error. The caller reports it after undoing all changes.
static bool fail_item(kith_batch *batch, const kith_batch_item *item, kith_error_code code,
                      kith_entity entity, const char *subject)
{
    batch->error =
        (kith_error){ .code      = code,
                      .call      = batch->call,
                      .component = (item->owner == NULL ? item->storage : item->owner)->desc.id,
                      .entity    = entity,
                      .subject   = subject,
                      .have      = kith_sparse_set_max(&item->storage->pool.set),
                      .other     = item->storage->desc.name };
    return false;
}

// Returns the first place from `at` on with no page of slots yet, or the end of the block.
static uint32_t find_absent(const kith_sparse_set *set, const kith_entity_list *block, uint32_t at)
{
    uint64_t *const *pages = set->head.sparse_;
    uint32_t         count = set->head.sparse_pages_;
    for (uint32_t page; at < block->count; at++) {
        page = kith_entity_index(block->entities[at]) >> KITH_PAGE_SHIFT_;
        if (page >= count || pages[page][0] == 0) { // kith_sparse_set_page_absent
            break;
        }
    }
    return at;
}

static bool reserve_pages(kith_batch *batch, kith_storage *storage, const kith_entity_list *block)
{
    kith_world *world = batch->world;
    bool        slots = storage->bit < 64 && storage->reservers == 0 && !storage->pool.rowless;
    if (block->entities == NULL) {
        return kith_groups_reserve_page(world, storage, kith_entity_index(block->first));
    }
    for (uint32_t i = 0; i < block->count; i++) {
        i = slots ? find_absent(&storage->pool.set, block, i) : i;
        if (i < block->count &&
            !kith_groups_reserve_page(world, storage, kith_entity_index(block->entities[i]))) {
            return false;
        }
    }
    return true;
}

// Returns whether the item will add its component to the entity. No item has added anything yet.
static bool will_apply_to(const kith_batch *batch, const kith_batch_item *item, kith_entity entity)
{
    bool applies = kith_batch_item_applies_to(batch, item, entity);
    for (const kith_batch_item *other = item->same; other != NULL && applies; other = other->same) {
        applies = !kith_batch_item_applies_to(batch, other, entity);
    }
    return applies;
}

// Reserves slots for all members, and counts the members that the item applies to.
static bool reserve_slots(kith_batch *batch, kith_batch_item *item)
{
    kith_entity_list block;
    item->expected = 0;
    for (uint32_t at = 0; kith_entity_list_next(batch->world, &batch->list, &at, &block);
         at += block.count) {
        if (!reserve_pages(batch, item->storage, &block)) {
            return fail_item(batch, item, KITH_ERROR_MEMORY, KITH_NULL, NULL);
        }
        for (uint32_t i = 0; i < block.count; i++) {
            item->expected += kith_batch_item_is_for(batch, item, at + i) &&
                              will_apply_to(batch, item, kith_entity_list_member(&block, i));
        }
    }
    // items of a required component may each apply to other members: reserve for all of them
    uint32_t more = item->owner == NULL ? item->expected : batch->list.count;
    return kith_watch_reserve_more(item->storage, more) ||
           fail_item(batch, item, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

static const char held_rows[] = "removed rows count in an open loop";

// Reserves rows for the item and all earlier items of the same storage.
static bool reserve_rows(kith_batch *batch, kith_batch_item *item)
{
    kith_sparse_set *set  = &item->storage->pool.set;
    uint64_t         rows = set->head.rows_;
    for (const kith_batch_item *one = item; one != NULL; one = one->same) {
        rows += one->expected;
    }
    if (rows > kith_sparse_set_max(set)) {
        return fail_item(batch, item, KITH_ERROR_LIMIT, KITH_NULL,
                         set->holes != 0 ? held_rows : NULL);
    }
    kith_pool            *pool   = &item->storage->pool;
    const kith_allocator *memory = &batch->world->memory;
    return (kith_pool_reserve_rows(pool, memory, (uint32_t)rows) &&
            (!item->disabled || kith_pool_reserve_disabled(pool, memory)) &&
            kith_groups_reserve_rows(batch->world, item->storage, (uint32_t)rows)) ||
           fail_item(batch, item, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

// Reserves memory for values that replace old ones. They are staged because constructing may fail.
static bool reserve_staged(kith_batch *batch, kith_batch_item *item)
{
    const kith_pool *pool  = &item->storage->pool;
    uint32_t         count = batch->living - item->expected;
    if (item->keeps || pool->plain || count == 0) {
        return true;
    }
    item->staged = kith_batch_alloc(batch->world, (size_t)count * pool->size, pool->set.alignment);
    item->staged_capacity = item->staged == NULL ? 0 : count;
    return item->staged != NULL || fail_item(batch, item, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

static bool reserve_gained(kith_batch *batch, kith_batch_item *item)
{
    if (!batch->has_listeners || batch->list.count == 0) {
        return true;
    }
    item->gained =
        kith_batch_alloc(batch->world, kith_batch_gained_bytes(batch), _Alignof(uint64_t));
    return item->gained != NULL || fail_item(batch, item, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

// --- rows ------------------------------------------------------------------------------------

// Constructs the value of a member in its new row or staged, and adds the row.
static bool add_member_row(kith_batch *batch, kith_batch_item *item, kith_entity entity,
                           const void *source)
{
    kith_pool *pool    = &item->storage->pool;
    bool       applies = kith_batch_item_applies_to(batch, item, entity);
    if (!applies && item->staged == NULL) {
        return true;
    }
    uint8_t *place = applies ? kith_pool_value(pool, pool->set.head.rows_)
                             : item->staged + (size_t)item->staged_count * pool->size;
    if (pool->size != 0 && !kith_pool_construct(pool, place, source)) {
        return false;
    }
    if (item->source != NULL) {
        kith_layout_map_entities(&item->storage->layout, place, batch->follow, batch->context);
    }
    item->staged_count += !applies;
    if (applies) {
        kith_sparse_set_insert(&pool->set, entity);
        kith_entity_bit_set(&batch->world->entities, kith_entity_index(entity), item->storage->bit);
        item->added++;
    }
    return true;
}

// Returns the value that a member gets a copy of; NULL: a default value.
static const void *source_for(const kith_batch *batch, const kith_batch_item *item, uint32_t i)
{
    if (item->source == NULL) {
        return kith_batch_item_value(item, i);
    }
    bool values = item->storage->desc.size != 0;
    return values ? kith_pool_value(&item->source->pool, kith_batch_item_source_row(batch, item, i))
                  : NULL;
}

// The general case: member by member.
static bool add_rows_singly(kith_batch *batch, kith_batch_item *item)
{
    const kith_entity_list *list = &batch->list;
    for (uint32_t i = 0; i < list->count; i++) {
        kith_entity entity = kith_entity_list_member(list, i);
        if (!kith_entity_table_alive(&batch->world->entities, entity) ||
            !kith_batch_item_is_for(batch, item, i)) {
            continue;
        }
        const void *source = source_for(batch, item, i);
        if (!add_member_row(batch, item, entity, source)) {
            return fail_item(batch, item, KITH_ERROR_HOOK, entity,
                             source == NULL ? "construct" : "copy");
        }
    }
    return true;
}

// Fills rows of one page with default values, one value for all, or one value each.
static void fill_values(const kith_batch_item *item, uint32_t row, uint32_t count, uint32_t member)
{
    const kith_pool *pool   = &item->storage->pool;
    uint8_t         *values = kith_pool_value(pool, row);
    const uint8_t   *source = kith_batch_item_value(item, member);
    size_t           bytes  = (size_t)count * pool->size;
    if (source == NULL) {
        memset(values, 0, bytes);
    } else if (item->stride == pool->size) {
        memcpy(values, source, bytes);
    } else if (item->stride == 0) {
        kith_copy_bytes(values, source, pool->size);
        for (size_t done = pool->size; done < bytes; done *= 2) {
            memcpy(values + done, values, done < bytes - done ? done : bytes - done);
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            kith_copy_bytes(values + (size_t)i * pool->size, source + i * item->stride, pool->size);
        }
    }
}

// Links `count` rows of one page with consecutive handles, which have slots in one page.
static void link_range(kith_storage *storage, kith_entity first, uint32_t row, uint32_t count)
{
    kith_sparse_set *set   = &storage->pool.set;
    uint32_t         index = kith_entity_index(first);
    kith_array_number(kith_sparse_set_slot(set, index), ((first >> 31 | 1) << 31) | row, count);
    kith_array_number32(kith_sparse_set_packed(set, row), index, count);
}

static void link_array(kith_storage *storage, const kith_entity *entities, uint32_t row,
                       uint32_t count)
{
    uint32_t *restrict packed = kith_sparse_set_packed(&storage->pool.set, row);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kith_entity_index(entities[i]);
        packed[i]      = index;
        *kith_sparse_set_slot(&storage->pool.set, index) =
            ((entities[i] >> 31 | 1) << 31) | (row + i);
    }
}

// Adds the rows of a block, a page of rows at a time. `member` is the place of its first entity.
static void add_row_block(kith_batch_item *item, const kith_entity_list *block, uint32_t member)
{
    kith_sparse_set *set = &item->storage->pool.set;
    for (uint32_t done = 0, count; done < block->count; done += count) {
        uint32_t row = set->head.rows_;
        count        = kith_min(block->count - done, kith_sparse_set_rest_of_page(set, row));
        if (block->entities == NULL) {
            link_range(item->storage, block->first + done, row, count);
        } else {
            link_array(item->storage, block->entities + done, row, count);
        }
        fill_values(item, row, count, member + done);
        kith_sparse_set_stamp_added(set, row, count);
        set->head.rows_ += count;
    }
    item->added += block->count;
}

static void set_bits(kith_batch *batch, const kith_entity_list *block, uint64_t bits)
{
    const kith_entity_table *table = &batch->world->entities;
    if (block->entities != NULL) {
        for (uint32_t i = 0; i < block->count; i++) {
            uint32_t index = kith_entity_index(block->entities[i]);
            kith_entity_slot_of(table, index)[KITH_PAGE_SLOTS] |= bits;
        }
        return;
    }
    kith_array_set_bits(kith_entity_list_words(batch->world, block), 0, bits, block->count);
}

// Returns whether rows are plain bytes, with a signature bit in the first word.
static bool is_bytes(const kith_storage *storage)
{
    return storage->pool.plain && storage->bit < 64 && storage->desc.kind != KITH_KIND_FLAG;
}

// Adds plain rows of `count` items to all members: block by block, so that the entities of a block
// stay in the cache.
static bool add_row_blocks(kith_batch *batch, kith_batch_item *items, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= UINT64_C(1) << items[i].storage->bit;
    }
    kith_entity_list block;
    for (uint32_t at = 0; kith_entity_list_next(batch->world, &batch->list, &at, &block);
         at += block.count) {
        for (uint32_t g = 0; g < count; g++) {
            if (!reserve_pages(batch, items[g].storage, &block)) {
                return fail_item(batch, &items[g], KITH_ERROR_MEMORY, KITH_NULL, NULL);
            }
            add_row_block(&items[g], &block, at);
        }
        set_bits(batch, &block, bits);
    }
    return true;
}

static bool reserve_item(kith_batch *batch, kith_batch_item *item)
{
    return reserve_slots(batch, item) &&
           (kith_batch_item_is_flag(item)
                ? reserve_gained(batch, item)
                : reserve_rows(batch, item) && reserve_staged(batch, item));
}

// From here on kith_batch_undo_rows removes rows of the item.
static void begin_rows(kith_batch *batch, kith_batch_item *item)
{
    const kith_pool_head_ *head = &item->storage->pool.set.head;
    batch->items_begun++;
    item->base = head->rows_;
    if (!kith_batch_item_is_flag(item) && item->expected != 0) {
        item->stamp = head->stamps_[item->base >> head->shift_];
    }
}

static bool add_item_rows(kith_batch *batch, kith_batch_item *item)
{
    begin_rows(batch, item);
    if (kith_batch_item_is_flag(item)) {
        return true;
    }
    bool blocks =
        item->expected == batch->living && is_bytes(item->storage) && item->source == NULL;
    return blocks ? add_row_blocks(batch, item, 1) : add_rows_singly(batch, item);
}

// Returns the bits of all items if all are plain bytes of different storages, otherwise 0.
static uint64_t bits_of_bytes(const kith_batch *batch)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const kith_storage *storage = batch->items[i].storage;
        if (!is_bytes(storage) || batch->items[i].same != NULL || batch->items[i].source != NULL) {
            return 0;
        }
        bits |= UINT64_C(1) << storage->bit;
    }
    return bits;
}

static uint64_t bits_in_block(const kith_batch *batch, const kith_entity_list *block)
{
    const kith_entity_table *table = &batch->world->entities;
    uint64_t                 bits  = 0;
    if (block->entities != NULL) {
        for (uint32_t i = 0; i < block->count; i++) {
            bits |= kith_entity_signature_word(table, kith_entity_index(block->entities[i]), 0);
        }
        return bits;
    }
    return kith_array_or(kith_entity_list_words(batch->world, block), block->count);
}

// Returns whether no member has any of these components.
static bool all_lack(const kith_batch *batch, uint64_t bits)
{
    kith_entity_list block;
    for (uint32_t at = 0; kith_entity_list_next(batch->world, &batch->list, &at, &block);
         at += block.count) {
        if ((bits_in_block(batch, &block) & bits) != 0) {
            return false;
        }
    }
    return true;
}

// Adds all items at once: all are plain bytes, for all members.
static bool add_rows_together(kith_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->items[i].expected = batch->living;
        if (!reserve_rows(batch, &batch->items[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        begin_rows(batch, &batch->items[i]);
    }
    return add_row_blocks(batch, batch->items, batch->count);
}

// Reserves all memory before the first hook runs, because a hook may refuse.
static bool add_rows_in_order(kith_batch *batch)
{
    bool ok = true;
    for (uint32_t i = 0; i < batch->count && ok; i++) {
        ok = reserve_item(batch, &batch->items[i]);
    }
    for (uint32_t i = 0; i < batch->count && ok; i++) {
        ok = add_item_rows(batch, &batch->items[i]);
    }
    return ok;
}

KITH_INTERNAL bool kith_batch_add_rows(kith_batch *batch)
{
    uint64_t bits = bits_of_bytes(batch);
    batch->living = kith_entity_list_living(batch->world, &batch->list);
    bool together = bits != 0 && (batch->list.fresh || all_lack(batch, bits));
    return together ? add_rows_together(batch) : add_rows_in_order(batch);
}

// Removes the rows that the item added, and destructs its staged values.
static void undo_item_rows(kith_batch *batch, kith_batch_item *item)
{
    kith_pool       *pool = &item->storage->pool;
    kith_sparse_set *set  = &pool->set;
    for (uint32_t row = item->base; row < item->base + item->added; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        kith_pool_destruct(pool, kith_pool_value(pool, row));
        kith_entity_bit_clear(&batch->world->entities, index, item->storage->bit);
        *kith_sparse_set_slot(set, index) = KITH_EMPTY;
    }
    for (uint32_t i = 0; i < item->staged_count; i++) {
        kith_pool_destruct(pool, item->staged + (size_t)i * pool->size);
    }
    if (item->added != 0) {
        set->head.rows_                                   = item->base;
        set->head.stamps_[item->base >> set->head.shift_] = item->stamp;
    }
}

KITH_INTERNAL void kith_batch_undo_rows(kith_batch *batch)
{
    while (batch->items_begun > 0) {
        undo_item_rows(batch, &batch->items[--batch->items_begun]);
    }
}
