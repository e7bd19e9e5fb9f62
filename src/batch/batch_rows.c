// SPDX-License-Identifier: MIT
#include "batch/batch.h"

#include "world/event.h"
#include "world/group.h"

// --- memory ----------------------------------------------------------------------------------

// Notes the error. It is told when everything is as it was before.
static bool fail_gift(kith_give *give, const kith_gift *gift, kith_error_code code,
                      kith_entity entity, const char *subject)
{
    const kith_storage *asked = gift->owner == NULL ? gift->storage : gift->owner;
    kith_error          error = { .code      = code,
                                  .call      = give->call,
                                  .component = asked->desc.id,
                                  .entity    = entity,
                                  .subject   = subject,
                                  .have      = kith_sparse_set_most(&gift->storage->pool.set),
                                  .other     = gift->storage->desc.name };
    give->error               = error;
    return false;
}

// Where the block has no page of slots yet, from place `at` on; its end where it has all.
static uint32_t find_absent(const kith_sparse_set *set, const kith_crowd *block, uint32_t at)
{
    uint64_t *const *pages = set->head.sparse_;
    uint32_t         count = set->head.sparse_pages_;
    for (uint32_t page; at < block->count; at++) {
        page = kith_entity_index(block->entities[at]) >> KITH_PAGE_SHIFT_;
        if (page >= count || pages[page][0] == 0) { // kith_sparse_set_absent_page
            break;
        }
    }
    return at;
}

static bool secure_pages(kith_give *give, kith_storage *storage, const kith_crowd *block)
{
    kith_world *world = give->world;
    bool        slots = storage->bit < 64 && storage->anchors == 0 && !storage->pool.rowless;
    if (block->entities == NULL) {
        return kith_members_reserve_page(world, storage, kith_entity_index(block->first));
    }
    for (uint32_t i = 0; i < block->count; i++) {
        i = slots ? find_absent(&storage->pool.set, block, i) : i;
        if (i < block->count &&
            !kith_members_reserve_page(world, storage, kith_entity_index(block->entities[i]))) {
            return false;
        }
    }
    return true;
}

// Whether the gift's component will come to the entity: no gift has come yet.
static bool will_come_to(const kith_give *give, const kith_gift *gift, kith_entity entity)
{
    bool comes = kith_gift_comes_to(give, gift, entity);
    for (const kith_gift *other = gift->same; other != NULL && comes; other = other->same) {
        comes = !kith_gift_comes_to(give, other, entity);
    }
    return comes;
}

// Makes sure that all can have the storage, and counts those to whom the gift comes.
static bool secure_slots(kith_give *give, kith_gift *gift)
{
    kith_crowd block;
    gift->coming = 0;
    for (uint32_t at = 0; kith_crowd_next(give->world, &give->crowd, &at, &block);
         at += block.count) {
        if (!secure_pages(give, gift->storage, &block)) {
            return fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
        }
        for (uint32_t i = 0; i < block.count; i++) {
            gift->coming += kith_gift_is_for(give, gift, at + i) &&
                            will_come_to(give, gift, kith_crowd_member(&block, i));
        }
    }
    // what is required may come to others than what else is required and watched by the same set
    uint32_t more = gift->owner == NULL ? gift->coming : give->crowd.count;
    return kith_watch_secure(gift->storage, more) ||
           fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

static const char held_rows[] = "holes count until the last loop closes";

// Room for the rows of the gift, and of those before that have the same storage.
static bool secure_rows(kith_give *give, kith_gift *gift)
{
    kith_sparse_set *set  = &gift->storage->pool.set;
    uint64_t         rows = set->head.rows_;
    for (const kith_gift *one = gift; one != NULL; one = one->same) {
        rows += one->coming;
    }
    if (rows > kith_sparse_set_most(set)) {
        return fail_gift(give, gift, KITH_ERROR_LIMIT, KITH_NULL,
                         set->holes != 0 ? held_rows : NULL);
    }
    kith_pool            *pool   = &gift->storage->pool;
    const kith_allocator *memory = &give->world->memory;
    return (kith_pool_reserve_rows(pool, memory, (uint32_t)rows) &&
            (!gift->hides || kith_pool_reserve_disabled(pool, memory)) &&
            kith_members_reserve_rows(give->world, gift->storage, (uint32_t)rows)) ||
           fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

// Room for values that must wait, because making one may fail.
static bool secure_staged(kith_give *give, kith_gift *gift)
{
    const kith_pool *pool  = &gift->storage->pool;
    uint32_t         count = give->living - gift->coming;
    if (gift->keeps || pool->plain || count == 0) {
        return true;
    }
    gift->staged_room = count;
    gift->staged = kith_give_borrow(give->world, (size_t)count * pool->size, pool->set.alignment);
    gift->staged_room = gift->staged == NULL ? 0 : count;
    return gift->staged != NULL || fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

static bool secure_news(kith_give *give, kith_gift *gift)
{
    if (!give->heard || give->crowd.count == 0) {
        return true;
    }
    gift->news = kith_give_borrow(give->world, kith_give_news_bytes(give), _Alignof(uint64_t));
    return gift->news != NULL || fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

// --- rows ------------------------------------------------------------------------------------

// Makes the member's value where it will be or wait, and adds the row.
static bool place_member(kith_give *give, kith_gift *gift, kith_entity entity, const void *source)
{
    kith_pool *pool  = &gift->storage->pool;
    bool       comes = kith_gift_comes_to(give, gift, entity);
    if (!comes && gift->staged == NULL) {
        return true;
    }
    uint8_t *place = comes ? kith_pool_value(pool, pool->set.head.rows_)
                           : gift->staged + (size_t)gift->staged_count * pool->size;
    if (pool->size != 0 && !kith_pool_construct(pool, place, source)) {
        return false;
    }
    if (gift->source != NULL) {
        kith_layout_follow(&gift->storage->layout, place, give->follow, give->context);
    }
    gift->staged_count += !comes;
    if (comes) {
        kith_sparse_set_insert(&pool->set, entity);
        kith_entity_bit_set(&give->world->entities, kith_entity_index(entity), gift->storage->bit);
        gift->added++;
    }
    return true;
}

// What the value of a member is copied from; NULL: it is a default value.
static const void *source_for(const kith_give *give, const kith_gift *gift, uint32_t i)
{
    if (gift->source == NULL) {
        return kith_gift_value(gift, i);
    }
    bool values = gift->storage->desc.size != 0;
    return values ? kith_pool_value(&gift->source->pool, kith_gift_source_row(give, gift, i))
                  : NULL;
}

// One by one, in every case.
static bool place_singly(kith_give *give, kith_gift *gift)
{
    const kith_crowd *crowd = &give->crowd;
    for (uint32_t i = 0; i < crowd->count; i++) {
        kith_entity entity = kith_crowd_member(crowd, i);
        if (!kith_entity_table_alive(&give->world->entities, entity) ||
            !kith_gift_is_for(give, gift, i)) {
            continue;
        }
        const void *source = source_for(give, gift, i);
        if (!place_member(give, gift, entity, source)) {
            return fail_gift(give, gift, KITH_ERROR_HOOK, entity,
                             source == NULL ? "construct" : "copy");
        }
    }
    return true;
}

// Fills rows of one page: default values, one value, or one each.
static void fill_values(const kith_gift *gift, uint32_t row, uint32_t count, uint32_t member)
{
    const kith_pool *pool   = &gift->storage->pool;
    uint8_t         *values = kith_pool_value(pool, row);
    const uint8_t   *source = kith_gift_value(gift, member);
    size_t           bytes  = (size_t)count * pool->size;
    if (source == NULL) {
        memset(values, 0, bytes);
    } else if (gift->stride == pool->size) {
        memcpy(values, source, bytes);
    } else if (gift->stride == 0) {
        kith_copy_bytes(values, source, pool->size);
        for (size_t done = pool->size; done < bytes; done *= 2) {
            memcpy(values + done, values, done < bytes - done ? done : bytes - done);
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            kith_copy_bytes(values + (size_t)i * pool->size, source + i * gift->stride, pool->size);
        }
    }
}

// Rows of one page for handles that follow on each other, in one page of slots.
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

// Adds the rows of a block, a page of rows at a time. `member` is its first one's place.
static void place_block(kith_gift *gift, const kith_crowd *block, uint32_t member)
{
    kith_sparse_set *set = &gift->storage->pool.set;
    for (uint32_t done = 0, count; done < block->count; done += count) {
        uint32_t row = set->head.rows_;
        count        = kith_least(block->count - done, kith_sparse_set_left_in_page(set, row));
        if (block->entities == NULL) {
            link_range(gift->storage, block->first + done, row, count);
        } else {
            link_array(gift->storage, block->entities + done, row, count);
        }
        fill_values(gift, row, count, member + done);
        kith_sparse_set_begin(set, row, count);
        set->head.rows_ += count;
    }
    gift->added += block->count;
}

static void set_bits(kith_give *give, const kith_crowd *block, uint64_t bits)
{
    const kith_entity_table *table = &give->world->entities;
    if (block->entities != NULL) {
        for (uint32_t i = 0; i < block->count; i++) {
            uint32_t index = kith_entity_index(block->entities[i]);
            kith_entity_slot_of(table, index)[KITH_PAGE_SLOTS] |= bits;
        }
        return;
    }
    kith_array_change(kith_crowd_words(give->world, block), 0, bits, block->count);
}

// Whether a row of the storage is bytes and nothing else, with a bit in the first word.
static bool is_bytes(const kith_storage *storage)
{
    return storage->pool.plain && storage->bit < 64 && storage->desc.kind != KITH_KIND_FLAG;
}

// Adds rows of bytes for everyone, of `count` gifts at once: block by block, so that what they have
// in common stays in the cache.
static bool place_blocks(kith_give *give, kith_gift *gifts, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= UINT64_C(1) << gifts[i].storage->bit;
    }
    kith_crowd block;
    for (uint32_t at = 0; kith_crowd_next(give->world, &give->crowd, &at, &block);
         at += block.count) {
        for (uint32_t g = 0; g < count; g++) {
            if (!secure_pages(give, gifts[g].storage, &block)) {
                return fail_gift(give, &gifts[g], KITH_ERROR_MEMORY, KITH_NULL, NULL);
            }
            place_block(&gifts[g], &block, at);
        }
        set_bits(give, &block, bits);
    }
    return true;
}

static bool secure_gift(kith_give *give, kith_gift *gift)
{
    if (!secure_slots(give, gift)) {
        return false;
    }
    return kith_gift_is_flag(gift) ? secure_news(give, gift)
                                   : secure_rows(give, gift) && secure_staged(give, gift);
}

// From here on the gift has rows that a failure takes off again.
static void begin_rows(kith_give *give, kith_gift *gift)
{
    const kith_pool_head_ *head = &gift->storage->pool.set.head;
    give->placed++;
    gift->base = head->rows_;
    if (!kith_gift_is_flag(gift) && gift->coming != 0) {
        gift->stamp = head->stamps_[gift->base >> head->shift_];
    }
}

static bool place_gift(kith_give *give, kith_gift *gift)
{
    begin_rows(give, gift);
    if (kith_gift_is_flag(gift)) {
        return true;
    }
    bool blocks = gift->coming == give->living && is_bytes(gift->storage) && gift->source == NULL;
    return blocks ? place_blocks(give, gift, 1) : place_singly(give, gift);
}

// The bits of all gifts, if all of them are bytes and none has the storage of another; otherwise 0.
static uint64_t bits_of_bytes(const kith_give *give)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < give->count; i++) {
        const kith_storage *storage = give->gifts[i].storage;
        if (!is_bytes(storage) || give->gifts[i].same != NULL || give->gifts[i].source != NULL) {
            return 0;
        }
        bits |= UINT64_C(1) << storage->bit;
    }
    return bits;
}

static uint64_t bits_in_block(const kith_give *give, const kith_crowd *block)
{
    const kith_entity_table *table = &give->world->entities;
    uint64_t                 bits  = 0;
    if (block->entities != NULL) {
        for (uint32_t i = 0; i < block->count; i++) {
            bits |= kith_entity_signature_word(table, kith_entity_index(block->entities[i]), 0);
        }
        return bits;
    }
    return kith_array_any(kith_crowd_words(give->world, block), block->count);
}

// Whether nobody has any of these.
static bool all_lack(const kith_give *give, uint64_t bits)
{
    kith_crowd block;
    for (uint32_t at = 0; kith_crowd_next(give->world, &give->crowd, &at, &block);
         at += block.count) {
        if ((bits_in_block(give, &block) & bits) != 0) {
            return false;
        }
    }
    return true;
}

// Everything at once, where all gifts are rows of bytes for everyone.
static bool place_together(kith_give *give)
{
    for (uint32_t i = 0; i < give->count; i++) {
        give->gifts[i].coming = give->living;
        if (!secure_rows(give, &give->gifts[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < give->count; i++) {
        begin_rows(give, &give->gifts[i]);
    }
    return place_blocks(give, give->gifts, give->count);
}

// All memory first, then the hooks that may say no.
static bool place_one_by_one(kith_give *give)
{
    bool going = true;
    for (uint32_t i = 0; i < give->count && going; i++) {
        going = secure_gift(give, &give->gifts[i]);
    }
    for (uint32_t i = 0; i < give->count && going; i++) {
        going = place_gift(give, &give->gifts[i]);
    }
    return going;
}

KITH_INTERNAL bool kith_place_all(kith_give *give)
{
    uint64_t bits = bits_of_bytes(give);
    give->living  = kith_crowd_living(give->world, &give->crowd);
    bool together = bits != 0 && (give->crowd.fresh || all_lack(give, bits));
    return together ? place_together(give) : place_one_by_one(give);
}

// Takes the rows off again that the gift has added, and its values that wait.
static void take_off(kith_give *give, kith_gift *gift)
{
    kith_pool       *pool = &gift->storage->pool;
    kith_sparse_set *set  = &pool->set;
    for (uint32_t row = gift->base; row < gift->base + gift->added; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        kith_pool_destruct(pool, kith_pool_value(pool, row));
        kith_entity_bit_clear(&give->world->entities, index, gift->storage->bit);
        *kith_sparse_set_slot(set, index) = KITH_EMPTY;
    }
    for (uint32_t i = 0; i < gift->staged_count; i++) {
        kith_pool_destruct(pool, gift->staged + (size_t)i * pool->size);
    }
    if (gift->added != 0) {
        set->head.rows_                                   = gift->base;
        set->head.stamps_[gift->base >> set->head.shift_] = gift->stamp;
    }
}

KITH_INTERNAL void kith_place_undo(kith_give *give)
{
    while (give->placed > 0) {
        take_off(give, &give->gifts[--give->placed]);
    }
}
