// SPDX-License-Identifier: MIT
// Rows of a batch: secures all memory, then adds plain rows as blocks, or all else member by
// member.
#include "batch/batch.h"

#include "group/group.h"
#include "world/membership.h"

// --- memory ----------------------------------------------------------------------------------

// Records the error. The caller of the batch reports it.
KITH_NOINLINE static bool fail_item(kith_batch *batch, const kith_batch_item *item,
                                    kith_error_code code, kith_entity entity, const char *subject)
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

// Reserves what the members of a block need. Mostly they need slots alone, and have them.
static bool reserve_pages(kith_batch *batch, kith_storage *storage, const kith_entity_list *block)
{
    const kith_sparse_set *set      = &storage->pool.set;
    const kith_entity     *entities = block->entities;
    bool     slots_alone = storage->bit < 64 && storage->reservers == 0 && !storage->pool.rowless;
    uint32_t pages       = slots_alone ? set->head.sparse_pages_ : 0;
    if (entities == NULL) { // a range is in one page
        return kith_groups_reserve_page(batch->world, storage, kith_entity_index(block->first));
    }
    for (uint32_t i = 0, count = block->count; i < count; i++) {
        uint32_t index = kith_entity_index(entities[i]);
        uint32_t page  = index >> KITH_PAGE_SHIFT_;
        if ((page >= pages || kith_sparse_set_page_absent(set, page)) &&
            !kith_groups_reserve_page(batch->world, storage, index)) {
            return false;
        }
    }
    return true;
}

// Returns whether the item adds its component to member `i`, after all earlier items. A clone gets
// what its original has.
static bool applies_to(const kith_batch *batch, const kith_batch_item *item, uint32_t i)
{
    const kith_world *world  = batch->world;
    kith_entity       entity = kith_entity_list_member(&batch->list, i);
    return (item->source == NULL ||
            kith_entity_has_bit(batch->from, batch->originals[i], item->source->bit)) &&
           !kith_entity_has_bit(world, entity, item->storage->bit) &&
           (item->owner == NULL || !kith_entity_has_bit(world, entity, item->owner->bit));
}

// The same before all items.
static bool will_apply_to(const kith_batch *batch, const kith_batch_item *item, uint32_t i)
{
    bool applies = applies_to(batch, item, i);
    for (const kith_batch_item *other = item->same; other != NULL && applies; other = other->same) {
        applies = !applies_to(batch, other, i);
    }
    return applies;
}

// Reserves slots for all members, and counts the members that will get the component.
static bool secure_slots(kith_batch *batch, kith_batch_item *item)
{
    kith_entity_list block;
    item->expected = batch->by_blocks ? batch->living : 0;
    for (uint32_t at = 0; kith_entity_list_next(batch->world, &batch->list, &at, &block);
         at += block.count) {
        if (!reserve_pages(batch, item->storage, &block)) {
            return false;
        }
        for (uint32_t i = 0; i < block.count && !batch->by_blocks; i++) {
            item->expected += will_apply_to(batch, item, at + i);
        }
    }
    // items of a required component may each apply to other members: reserve for all of them
    uint32_t more = item->owner == NULL ? item->expected : batch->list.count;
    return kith_watch_reserve_more(item->storage, more);
}

// Reserves rows up to `rows`, and memory for values that replace old ones. These are staged,
// because constructing them may fail.
static bool secure_rows(kith_batch *batch, kith_batch_item *item, uint32_t rows)
{
    kith_world *world  = batch->world;
    kith_pool  *pool   = &item->storage->pool;
    uint32_t    staged = item->keeps || pool->plain ? 0 : batch->living - item->expected;
    if (!kith_pool_reserve_rows(pool, rows) ||
        (item->disabled && !kith_pool_reserve_disabled(pool)) ||
        !kith_groups_reserve_rows(world, item->storage, rows)) {
        return false;
    }
    kith_pool_unpoison(pool, 0, rows);
    if (staged != 0) {
        item->staged = kith_batch_alloc(world, (size_t)staged * pool->size, pool->set.alignment);
        item->staged_capacity = item->staged == NULL ? 0 : staged;
    }
    return item->staged_capacity == staged;
}

// Secures all memory of an item. Its rows come after those of earlier items of the same storage.
static kith_error_code secure_item(kith_batch *batch, kith_batch_item *item)
{
    const kith_sparse_set *set   = &item->storage->pool.set;
    uint32_t               holes = batch->fills ? set->holes : 0;
    uint64_t               rows  = set->head.rows_ - holes;
    bool                   flag  = kith_batch_item_is_flag(item);
    bool marked = batch->has_listeners && !batch->by_blocks && (flag || holes != 0);
    if (marked) {
        item->gained =
            kith_batch_alloc(batch->world, kith_batch_gained_bytes(batch), _Alignof(uint64_t));
    }
    if ((marked && item->gained == NULL) || !secure_slots(batch, item)) {
        return KITH_ERROR_MEMORY;
    }
    for (const kith_batch_item *one = item; one != NULL; one = one->same) {
        rows += one->expected;
    }
    if (flag || rows > kith_sparse_set_max(set)) {
        return flag ? KITH_OK : KITH_ERROR_LIMIT;
    }
    item->base = (uint32_t)rows - item->expected;
    item->end  = rows > set->head.rows_ ? (uint32_t)rows : set->head.rows_;
    return secure_rows(batch, item, item->end) ? KITH_OK : KITH_ERROR_MEMORY;
}

// --- member by member ------------------------------------------------------------------------

// Returns the row of a member's original, which has one.
static uint32_t source_row(const kith_batch *batch, const kith_batch_item *item, uint32_t i)
{
    return kith_sparse_set_row_at(&item->source->pool.set, kith_entity_index(batch->originals[i]));
}

// Returns the value that a member gets a copy of; NULL: a default value.
KITH_NOINLINE static const void *source_for(const kith_batch *batch, const kith_batch_item *item,
                                            uint32_t i)
{
    return item->source == NULL || item->storage->desc.size == 0
               ? kith_batch_item_value(item, i)
               : kith_pool_value(&item->source->pool, source_row(batch, item, i));
}

// Returns the place of the item's i-th new value: a hole that is left, otherwise a future row.
KITH_NOINLINE static void *next_place(const kith_batch *batch, kith_batch_item *item, uint32_t i)
{
    const kith_pool       *pool = &item->storage->pool;
    const kith_batch_item *last = i == 0 ? item->same : item; // has the last value before this one
    while (last != NULL && last->added == 0) {
        last = last->same;
    }
    uint32_t newest = batch->fills ? pool->set.newest_hole : KITH_NO_ROW;
    uint32_t hole   = last == NULL ? newest : last->next_hole;
    bool     left   = hole != KITH_NO_ROW;
    item->next_hole = left ? kith_sparse_set_older_hole(&pool->set, hole) : KITH_NO_ROW;
    return kith_pool_value(pool, left ? hole : item->base + i);
}

// Constructs the value of member `i` in the row that it will get, or staged.
static bool construct_item_value(kith_batch *batch, kith_batch_item *item, uint32_t i)
{
    const kith_pool *pool = &item->storage->pool;
    bool             adds = will_apply_to(batch, item, i);
    if (!adds && item->staged == NULL) {
        return true;
    }
    void       *place  = adds ? next_place(batch, item, item->added)
                              : item->staged + (size_t)item->staged_count * pool->size;
    const void *source = source_for(batch, item, i);
    if (pool->size != 0 && !kith_pool_construct(pool, place, source)) {
        return fail_item(batch, item, KITH_ERROR_HOOK, kith_entity_list_member(&batch->list, i),
                         source == NULL ? "construct" : "copy");
    }
    if (item->source != NULL) {
        kith_layout_map_entities(&item->storage->layout, place, batch->follow, batch->context);
    }
    item->added += adds;
    item->staged_count += !adds;
    return true;
}

// Constructs all values. No row is added yet, so a hook that fails leaves only values to destruct.
static bool construct_values(kith_batch *batch)
{
    for (kith_batch_item *item = batch->items; item < batch->items + batch->count; item++) {
        uint32_t end = kith_batch_item_is_flag(item) ? 0 : batch->list.count;
        for (uint32_t i = 0; i < end; i++) {
            if (kith_entity_list_alive(batch->world, &batch->list, i) &&
                !construct_item_value(batch, item, i)) {
                return false;
            }
        }
    }
    return true;
}

static void destruct_values(kith_batch *batch)
{
    for (uint32_t g = batch->count; g-- > 0;) {
        kith_batch_item *item = &batch->items[g];
        const kith_pool *pool = &item->storage->pool;
        for (uint32_t i = 0; i < item->added; i++) {
            kith_pool_destruct(pool, next_place(batch, item, i));
        }
        for (uint32_t i = 0; i < item->staged_count; i++) {
            kith_pool_destruct(pool, item->staged + (size_t)i * pool->size);
        }
    }
}

// Adds the component to member `i`: the steps of a single call after constructing.
static void attach_item(kith_batch *batch, kith_batch_item *item, uint32_t i)
{
    kith_world   *world   = batch->world;
    kith_storage *storage = item->storage;
    kith_entity   entity  = kith_entity_list_member(&batch->list, i);
    bool          enabled = !item->disabled ||
                   (item->source != NULL &&
                    !kith_pool_is_disabled(&item->source->pool, source_row(batch, item, i)));
    if (kith_batch_item_is_flag(item)) {
        storage->pool.set.head.flags_set_++;
    } else {
        world->shared.held -= batch->fills; // then the newest hole is filled
        uint32_t row = kith_sparse_set_insert(&storage->pool.set, entity);
        world->shared.held += batch->fills;
        if (!enabled) {
            kith_pool_set_disabled(&storage->pool, row, true);
        }
    }
    if (item->gained != NULL) {
        item->gained[i / 64] |= UINT64_C(1) << i % 64;
    }
    kith_entity_bit_set(&world->entities, kith_entity_index(entity), storage->bit);
    kith_loop_notify(world, storage->add_watch, kith_entity_index(entity));
    if (enabled) { // groups ignore disabled rows
        kith_groups_after_add(world, storage, kith_entity_index(entity));
    }
    if (storage->link.ops != NULL && item->source == NULL) { // joins in the order of the list
        storage->link.ops->replace(world, storage, entity, kith_batch_item_value(item, i));
    }
}

// Replaces the value of member `i`, which has a row. Staged values are in the order of the list.
static void replace_item_value(const kith_batch *batch, kith_batch_item *item, uint32_t i)
{
    kith_pool *pool  = &item->storage->pool;
    uint32_t   row   = kith_sparse_set_row(&pool->set, kith_entity_list_member(&batch->list, i));
    void      *value = kith_pool_value(pool, row);
    if (pool->plain) {
        kith_pool_replace(pool, value, kith_batch_item_value(item, i));
    } else if (item->storage->link.ops != NULL) {
        item->staged_count--;
        item->storage->link.ops->replace(batch->world, item->storage,
                                         kith_entity_list_member(&batch->list, i),
                                         kith_batch_item_value(item, i));
    } else {
        size_t next = item->staged_capacity - item->staged_count--;
        kith_pool_destruct(pool, value);
        kith_pool_move_value(pool, value, item->staged + next * pool->size);
    }
    kith_sparse_set_stamp(&pool->set, row, 1);
}

// Adds or replaces the items first .. last of member `i`, if it is alive.
static void change_member(kith_batch *batch, kith_batch_item *first, const kith_batch_item *last,
                          uint32_t i)
{
    if (!kith_entity_list_alive(batch->world, &batch->list, i)) {
        return;
    }
    for (kith_batch_item *item = first; item <= last; item++) {
        if (applies_to(batch, item, i)) {
            attach_item(batch, item, i);
        } else if (!item->keeps) {
            replace_item_value(batch, item, i);
        }
    }
}

// One component after the other, each member with those that the component requires.
static void change_members(kith_batch *batch)
{
    kith_batch_item *first = batch->items;
    for (kith_batch_item *last = first; last < batch->items + batch->count; last++) {
        for (uint32_t i = 0; i < batch->list.count && last->owner == NULL; i++) {
            change_member(batch, first, last, i);
        }
        first = last->owner == NULL ? last + 1 : first;
    }
}

// --- as blocks -------------------------------------------------------------------------------

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
        memcpy(values, source, pool->size);
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
static void link_range(kith_sparse_set *set, kith_entity first, uint32_t row, uint32_t count)
{
    uint32_t index = kith_entity_index(first);
    kith_array_number(kith_sparse_set_slot(set, index), first >> 32 << 32 | row, count);
    kith_array_number32(kith_sparse_set_packed(set, row), index, count);
}

KITH_NOINLINE static void link_array(kith_sparse_set *set, const kith_entity *entities,
                                     uint32_t row, uint32_t count)
{
    uint32_t *restrict packed = kith_sparse_set_packed(set, row);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index                    = kith_entity_index(entities[i]);
        packed[i]                         = index;
        *kith_sparse_set_slot(set, index) = entities[i] >> 32 << 32 | (row + i);
    }
}

// Adds the rows of a block, a hole or a page of rows at a time. `member` is the place of its first
// entity.
static void add_row_block(kith_batch_item *item, const kith_entity_list *block, uint32_t member)
{
    kith_sparse_set *set = &item->storage->pool.set;
    for (uint32_t done = 0, count; done < block->count; done += count) {
        uint32_t row = set->head.rows_;
        count        = kith_min(block->count - done, kith_sparse_set_rest_of_page(set, row));
        if (KITH_UNLIKELY_(kith_sparse_set_reuses_hole(set))) {
            row   = kith_sparse_set_insert(set, kith_entity_list_member(block, done));
            count = 1;
        } else if (block->entities == NULL) {
            link_range(set, block->first + done, row, count);
        } else {
            link_array(set, block->entities + done, row, count);
        }
        kith_sparse_set_stamp_added(set, row, count);
        fill_values(item, row, count, member + done);
        set->head.rows_ += row == set->head.rows_ ? count : 0;
    }
}

static void set_bits(kith_batch *batch, const kith_entity_list *block, uint64_t bits)
{
    const kith_entity_table *table = &batch->world->entities;
    if (block->entities == NULL) {
        kith_array_set_bits(kith_entity_list_words(batch->world, block), 0, bits, block->count);
        return;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        kith_entity_slot_of(table, kith_entity_index(block->entities[i]))[KITH_PAGE_SLOTS] |= bits;
    }
}

// Adds the rows of all items block by block, so that the entities of a block stay in the cache. The
// loops need all registers (bench C6).
KITH_NOINLINE static void add_row_blocks(kith_batch *batch, uint64_t bits)
{
    kith_entity_list block;
    for (uint32_t at = 0; kith_entity_list_next(batch->world, &batch->list, &at, &block);
         at += block.count) {
        for (uint32_t g = 0; g < batch->count; g++) {
            add_row_block(&batch->items[g], &block, at);
        }
        set_bits(batch, &block, bits);
    }
}

// Returns the bits of all items if their rows are enabled plain bytes of different storages, with
// bits in the first signature word, and no loop is to be notified. Otherwise returns 0. `*grouped`
// becomes whether an item is a term of a group.
static uint64_t plain_bits(const kith_batch *batch, bool *grouped)
{
    uint64_t bits = 0;
    for (const kith_batch_item *item = batch->items; item < batch->items + batch->count; item++) {
        const kith_storage *storage = item->storage;
        if (!storage->pool.plain || storage->bit >= 64 || kith_batch_item_is_flag(item) ||
            item->same != NULL || item->source != NULL || item->disabled ||
            storage->add_watch != 0) {
            return 0;
        }
        bits |= UINT64_C(1) << storage->bit;
        *grouped = *grouped || kith_storage_in_group(storage);
    }
    return bits;
}

// --- groups ----------------------------------------------------------------------------------
//
// The groups end up as after single calls between hold and release. If all members have the same
// components and no code runs before the world settles, the first member decides for all, and each
// group moves the members in as a block:
//
//     [ members | others | the batch ]    ->    [ members, the batch | others ]

static uint64_t word_of(const kith_batch *batch, uint32_t i)
{
    return kith_entity_signature_word(
        &batch->world->entities, kith_entity_index(kith_entity_list_member(&batch->list, i)), 0);
}

// Returns whether all members have the same components, so that the first member decides for all.
// Disabled rows could differ, so there may be none.
static bool is_uniform(const kith_batch *batch)
{
    const kith_world *world = batch->world;
    bool same = world->bit_count <= 64 && world->shared.disabled == 0 && batch->list.whole;
    for (uint32_t i = 1; i < batch->list.count && same; i++) {
        same = word_of(batch, i) == word_of(batch, 0);
    }
    return same;
}

// Returns whether all members can join their groups as a block. No row is added yet.
KITH_NOINLINE static bool joins_as_block(const kith_batch *batch)
{
    const kith_world *world    = batch->world;
    bool              excluded = false;
    for (uint32_t i = 0; i < batch->count; i++) {
        excluded = excluded || batch->items[i].storage->groups_without.count != 0;
    }
    bool unseen = batch->fills && !batch->has_listeners && !batch->exact && !world->unsettled_any;
    return unseen && (batch->list.fresh || (!excluded && is_uniform(batch)));
}

// Returns whether the members match the group since they have the components with these bits.
static bool joins_group(const kith_batch *batch, const kith_group *group, uint64_t bits)
{
    uint32_t index  = kith_entity_index(kith_entity_list_member(&batch->list, 0));
    uint64_t before = word_of(batch, 0) & ~bits;
    return kith_group_matches(group, index, NULL) &&
           (batch->list.fresh || (before & group->mask) != group->want);
}

KITH_NOINLINE static uint32_t row_of(const kith_pool *pool, const kith_entity_list *list,
                                     uint32_t i)
{
    return kith_sparse_set_row_at(&pool->set, kith_entity_index(kith_entity_list_member(list, i)));
}

// Moves the rows of all members to the border of the group, in the order of the batch. `is_new`:
// the batch added the rows, so they are consecutive (bench C3).
static void move_to_border(kith_pool *pool, const kith_entity_list *list, uint32_t border,
                           bool is_new)
{
    uint32_t first = row_of(pool, list, 0);
    uint32_t run   = is_new ? list->count : 1;
    while (run < list->count && row_of(pool, list, run) == first + run) {
        run++;
    }
    kith_pool_swap_run(pool, border, first, run);
    for (uint32_t i = run; i < list->count; i++) {
        kith_pool_swap(pool, row_of(pool, list, i), border + i);
    }
}

static void join_block(kith_group *group, const kith_entity_list *list, uint64_t bits)
{
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_storage *storage = group->plan.terms[i].storage;
        bool          is_new  = storage->bit < 64 && (bits >> storage->bit & 1) != 0;
        move_to_border(&storage->pool, list, group->members, is_new);
    }
    for (uint32_t i = 0; i < list->count && group->owned == 0; i++) {
        kith_sparse_set_insert(&group->list.pool.set, kith_entity_list_member(list, i));
    }
    group->members += list->count;
}

// The members join each group, from the outermost to the innermost. The groups swap different rows,
// so the order is the same as if the members joined one by one. All counts are updated before a row
// moves, because move hooks may read them.
static void join_in_blocks(kith_batch *batch, uint64_t bits)
{
    const kith_group_list *list = &batch->world->groups;
    for (uint32_t i = 0; i < list->count; i++) {
        list->groups[i]->count += joins_group(batch, list->groups[i], bits) ? batch->living : 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (joins_group(batch, list->groups[i], bits)) {
            join_block(list->groups[i], &batch->list, bits);
        }
    }
}

// --- adding all items ------------------------------------------------------------------------

static bool add_items(kith_batch *batch)
{
    const kith_world *world   = batch->world;
    bool              grouped = false;
    uint64_t          bits    = plain_bits(batch, &grouped);
    batch->living             = kith_entity_list_living(world, &batch->list);
    bool all_lack =
        bits != 0 && (batch->list.fresh ||
                      (kith_entity_list_components(world, &batch->list).words[0] & bits) == 0);
    grouped          = grouped && batch->living != 0;
    batch->by_blocks = all_lack && (!grouped || joins_as_block(batch));
    for (kith_batch_item *item = batch->items; item < batch->items + batch->count; item++) {
        kith_error_code code = secure_item(batch, item);
        bool held = code == KITH_ERROR_LIMIT && !batch->fills && item->storage->pool.set.holes != 0;
        if (code != KITH_OK) {
            return fail_item(batch, item, code, KITH_NULL,
                             held ? "removed rows count in an open loop" : NULL);
        }
    }
    if (batch->by_blocks) {
        batch->world->shared.held -= batch->fills; // then holes are filled first
        add_row_blocks(batch, bits);
        batch->world->shared.held += batch->fills;
        if (grouped) {
            join_in_blocks(batch, bits);
        }
        return true;
    }
    if (!construct_values(batch)) {
        destruct_values(batch);
        return false;
    }
    change_members(batch);
    return true;
}

bool kith_batch_add(kith_batch *batch)
{
    kith_world *world = batch->world;
    assert(world->shared.held != 0);
    batch->fills = world->shared.held == 1;
    batch->has_listeners =
        kith_batch_has_listeners(batch) || (batch->list.fresh && world->events[0].count != 0);
    kith_world_lock(world);
    bool done = add_items(batch);
    kith_world_unlock(world);
    return done;
}
