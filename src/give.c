// SPDX-License-Identifier: MIT
#include "give.h"

#include "member.h"

// --- memory for as long as a batch takes -------------------------------------------------------

static void *borrow(kith_world *world, size_t size, size_t alignment)
{
    void *memory = kith_memory_take_zeroed(&world->memory, size, alignment);
    world->borrowed += memory == NULL ? 0 : size;
    return memory;
}

static void give_back(kith_world *world, void *memory, size_t size, size_t alignment)
{
    world->borrowed -= memory == NULL ? 0 : size;
    kith_memory_give(&world->memory, memory, size, alignment);
}

// --- gifts -----------------------------------------------------------------------------------

static bool fail_set(const kith_give *give, kith_component component, const char *subject)
{
    kith_error error = {
        .code = KITH_ERROR_ARGUMENT, .call = give->call, .component = component, .subject = subject
    };
    return kith_world_fail(give->world, &error);
}

// The column of one set, which makes sense by itself; NULL and an error if not.
static kith_column *open_set(const kith_give *give, const kith_values *set)
{
    kith_column *column =
        kith_world_open(give->world, set->component, KITH_NULL, KITH_ON_ENTITY, give->call);
    bool values = column != NULL && set->values != NULL && set->stride != 0;
    if (values && set->stride < column->desc.size) {
        fail_set(give, set->component, "the stride is shorter than a value");
        return NULL;
    }
    return column;
}

// How many gifts the sets have; 0 and an error when one makes no sense.
static uint32_t count_gifts(const kith_give *give, const kith_values *sets, uint32_t set_count)
{
    uint32_t gifts = 0;
    for (uint32_t i = 0; i < set_count; i++) {
        const kith_column *column = open_set(give, &sets[i]);
        if (column == NULL) {
            return 0;
        }
        gifts += 1 + column->need_count;
    }
    return gifts;
}

// The set that comes next after the column with number `order` in registration order, or NULL.
static const kith_values *next_set(const kith_world *world, const kith_values *sets,
                                   uint32_t set_count, int64_t order)
{
    const kith_values *next   = NULL;
    int64_t            lowest = INT64_MAX;
    for (uint32_t i = 0; i < set_count; i++) {
        int64_t at = kith_world_column(world, sets[i].component)->order;
        if (at > order && at < lowest) {
            lowest = at;
            next   = &sets[i];
        }
    }
    return next;
}

static bool is_given(const kith_give *give, const kith_column *column)
{
    for (uint32_t i = 0; i < give->count; i++) {
        if (give->gifts[i].column == column && give->gifts[i].owner == NULL) {
            return true;
        }
    }
    return false;
}

static void add_gift(kith_give *give, const kith_gift *gift)
{
    kith_gift *added = &give->gifts[give->count++];
    *added           = *gift;
    for (const kith_gift *other = give->gifts; other < added; other++) {
        added->same = other->column == added->column ? other : added->same;
    }
}

// The gifts of one set. What it requires was registered before, so if that is given too it has its
// gift already, and everyone has it when this gift's turn comes.
static void add_gifts(kith_give *give, kith_column *column, const kith_values *set)
{
    bool sized = column->desc.size != 0;
    for (uint32_t i = 0; i < column->need_count; i++) {
        kith_gift need = { .column = column->needs[i], .owner = column, .keeps = true };
        if (!is_given(give, need.column)) {
            add_gift(give, &need);
        }
    }
    add_gift(give, &(kith_gift){ .column = column,
                                 .values = sized ? set->values : NULL,
                                 .stride = set->stride,
                                 .keeps  = !sized || (give->keeps && set->values == NULL) });
}

static bool reserve_gifts(kith_give *give, uint32_t count)
{
    if (count <= give->room) {
        return true;
    }
    kith_gift *gifts = borrow(give->world, count * sizeof *gifts, _Alignof(kith_gift));
    if (gifts == NULL) {
        return kith_world_refuse(give->world, KITH_ERROR_MEMORY, give->call, 0, KITH_NULL);
    }
    give->gifts = gifts;
    give->room  = count;
    return true;
}

KITH_INTERNAL bool kith_give_begin(kith_give *give, const kith_values *sets, uint32_t set_count)
{
    kith_world *world = give->world;
    if (!kith_world_array(world, sets, set_count, give->call)) {
        return false;
    }
    uint32_t gifts = count_gifts(give, sets, set_count);
    if (gifts == 0) {
        return set_count == 0;
    }
    if (!reserve_gifts(give, gifts)) {
        return false;
    }
    int64_t order = -1;
    for (uint32_t i = 0; i < set_count; i++) {
        const kith_values *set = next_set(world, sets, set_count, order);
        if (set == NULL) {
            return fail_set(give, 0, "a component is given twice");
        }
        kith_column *column = kith_world_column(world, set->component);
        order               = column->order;
        add_gifts(give, column, set);
    }
    return true;
}

static bool can_copy(const kith_hooks *hooks)
{
    return hooks->copy != NULL || (hooks->destruct == NULL && hooks->move == NULL);
}

// The component of the prefab in column `bit`, if it has that.
static bool add_copy(kith_give *give, kith_entity prefab, uint32_t bit)
{
    kith_column *column = give->world->by_bit[bit];
    kith_gift    gift   = { .column = column, .keeps = true };
    if (!kith_entity_bit(&give->world->entities, kith_entity_index(prefab), bit)) {
        return true;
    }
    if (!can_copy(&column->pool.hooks)) {
        return fail_set(give, column->desc.id, "values with hooks but no copy hook are not cloned");
    }
    if (column->desc.kind != KITH_KIND_FLAG) {
        uint32_t row = kith_sparse_set_row(&column->pool.set, prefab);
        gift.values  = column->desc.size == 0 ? NULL : kith_pool_value(&column->pool, row);
        gift.hides   = kith_pool_disabled(&column->pool, row);
    }
    add_gift(give, &gift);
    return true;
}

KITH_INTERNAL bool kith_give_copies(kith_give *give, kith_entity prefab)
{
    uint32_t count = kith_entity_components(give->world, prefab, NULL, 0);
    bool     able  = reserve_gifts(give, count);
    for (uint32_t bit = 0; bit < give->world->bit_count && able; bit++) {
        able = add_copy(give, prefab, bit);
    }
    return able;
}

static size_t news_bytes(const kith_give *give)
{
    return ((size_t)give->crowd.count + 63) / 64 * sizeof(uint64_t);
}

static void give_back_gift(const kith_give *give, const kith_gift *gift)
{
    const kith_pool *pool = &gift->column->pool;
    give_back(give->world, gift->staged, (size_t)gift->staged_room * pool->size,
              pool->set.alignment);
    give_back(give->world, gift->news, news_bytes(give), _Alignof(uint64_t));
}

KITH_INTERNAL void kith_give_end(kith_give *give)
{
    for (uint32_t i = 0; i < give->count; i++) {
        give_back_gift(give, &give->gifts[i]);
    }
    if (give->gifts != give->few) {
        give_back(give->world, give->gifts, give->room * sizeof *give->gifts, _Alignof(kith_gift));
    }
}

// --- who gets what ---------------------------------------------------------------------------

static bool lacks(const kith_give *give, const kith_column *column, kith_entity entity)
{
    return !kith_entity_bit(&give->world->entities, kith_entity_index(entity), column->bit);
}

// Whether the entity got its row of the column from this gift, or from none; flags have no rows.
static bool has_row_of(const kith_gift *gift, kith_entity entity)
{
    uint32_t row = kith_sparse_set_row(&gift->column->pool.set, entity);
    return row != KITH_NO_ROW && row >= gift->base && row - gift->base < gift->added;
}

static const kith_gift *gift_of(const kith_give *give, const kith_column *column)
{
    const kith_gift *gift = give->gifts;
    while (gift->column != column || gift->owner != NULL) {
        gift++;
    }
    return gift;
}

// Whether the gift's component comes to the entity, now that the gifts before have come.
static bool comes_to(const kith_give *give, const kith_gift *gift, kith_entity entity)
{
    return lacks(give, gift->column, entity) &&
           (gift->owner == NULL || lacks(give, gift->owner, entity));
}

// The same before any gift has come.
static bool will_come_to(const kith_give *give, const kith_gift *gift, kith_entity entity)
{
    bool comes = comes_to(give, gift, entity);
    for (const kith_gift *other = gift->same; other != NULL && comes; other = other->same) {
        comes = !comes_to(give, other, entity);
    }
    return comes;
}

// The same for a flag, when all rows have come: its owner's among them.
static bool flag_comes_to(const kith_give *give, const kith_gift *gift, kith_entity entity)
{
    if (gift->owner == NULL || gift->owner->desc.kind == KITH_KIND_FLAG) {
        return comes_to(give, gift, entity);
    }
    return lacks(give, gift->column, entity) && has_row_of(gift_of(give, gift->owner), entity);
}

static bool is_flag(const kith_gift *gift)
{
    return gift->column->desc.kind == KITH_KIND_FLAG;
}

static const void *value_for(const kith_gift *gift, uint32_t member)
{
    return gift->values == NULL ? NULL : gift->values + member * gift->stride;
}

// --- memory ----------------------------------------------------------------------------------

// Notes the error. It is told when everything is as it was before.
static bool fail_gift(kith_give *give, const kith_gift *gift, kith_error_code code,
                      kith_entity entity, const char *subject)
{
    const kith_column *asked = gift->owner == NULL ? gift->column : gift->owner;
    kith_error         error = { .code      = code,
                                 .call      = give->call,
                                 .component = asked->desc.id,
                                 .entity    = entity,
                                 .subject   = subject,
                                 .have      = kith_sparse_set_most(&gift->column->pool.set),
                                 .other     = gift->column->desc.name };
    give->error              = error;
    return false;
}

// Makes sure that the entities of one page can have the column.
static bool secure_page(kith_give *give, kith_column *column, uint32_t index)
{
    const kith_allocator *memory = &give->world->memory;
    return kith_entity_plane_reserve(&give->world->entities, memory, index, column->bit) &&
           (column->desc.kind == KITH_KIND_FLAG ||
            (kith_sparse_set_reserve_page(&column->pool.set, memory, index >> KITH_PAGE_SHIFT_) &&
             kith_members_reserve(give->world, column, index)));
}

static bool has_page(const kith_column *column, uint32_t index)
{
    const kith_sparse_set *set  = &column->pool.set;
    uint32_t               page = index >> KITH_PAGE_SHIFT_;
    return column->bit < 64 && column->anchors == 0 && page < set->head.sparse_pages_ &&
           !kith_sparse_set_absent_page(set, page);
}

static bool secure_pages(kith_give *give, kith_column *column, const kith_crowd *block)
{
    bool     enough = true;
    uint32_t pages  = block->entities == NULL ? 1 : block->count;
    for (uint32_t i = 0; i < pages && enough; i++) {
        uint32_t index = kith_entity_index(kith_crowd_member(block, i));
        enough         = has_page(column, index) || secure_page(give, column, index);
    }
    return enough;
}

// Makes sure that all can have the column, and counts those to whom the gift comes.
static bool secure_slots(kith_give *give, kith_gift *gift)
{
    kith_crowd span;
    gift->coming = 0;
    for (uint32_t at = 0; kith_crowd_stretch(give->world, &give->crowd, &at, &span);
         at += span.count) {
        kith_crowd block;
        for (uint32_t from = 0; from < span.count; from += block.count) {
            block = kith_crowd_block(&span, from);
            if (!secure_pages(give, gift->column, &block)) {
                return fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
            }
            for (uint32_t i = 0; i < block.count; i++) {
                gift->coming += will_come_to(give, gift, kith_crowd_member(&block, i));
            }
        }
    }
    return true;
}

static const char held_rows[] = "holes count until the last loop closes";

// Room for the rows of the gift, and of those before that have the same column.
static bool secure_rows(kith_give *give, kith_gift *gift)
{
    kith_sparse_set *set  = &gift->column->pool.set;
    uint64_t         rows = set->head.rows_;
    for (const kith_gift *one = gift; one != NULL; one = one->same) {
        rows += one->coming;
    }
    if (rows > kith_sparse_set_most(set)) {
        return fail_gift(give, gift, KITH_ERROR_LIMIT, KITH_NULL,
                         set->holes != 0 ? held_rows : NULL);
    }
    return (kith_pool_reserve_rows(&gift->column->pool, &give->world->memory, (uint32_t)rows) &&
            kith_members_reserve_rows(give->world, gift->column, (uint32_t)rows)) ||
           fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

// Room for values that must wait, because making one may fail.
static bool secure_staged(kith_give *give, kith_gift *gift)
{
    const kith_pool *pool  = &gift->column->pool;
    uint32_t         count = give->living - gift->coming;
    if (gift->keeps || pool->plain || count == 0) {
        return true;
    }
    gift->staged_room = count;
    gift->staged      = borrow(give->world, (size_t)count * pool->size, pool->set.alignment);
    gift->staged_room = gift->staged == NULL ? 0 : count;
    return gift->staged != NULL || fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

static bool secure_news(kith_give *give, kith_gift *gift)
{
    if (!give->heard || give->crowd.count == 0) {
        return true;
    }
    gift->news = borrow(give->world, news_bytes(give), _Alignof(uint64_t));
    return gift->news != NULL || fail_gift(give, gift, KITH_ERROR_MEMORY, KITH_NULL, NULL);
}

// --- rows ------------------------------------------------------------------------------------

static void place_row(kith_give *give, kith_column *column, kith_entity entity)
{
    kith_sparse_set_insert(&column->pool.set, entity);
    kith_entity_bit_set(&give->world->entities, kith_entity_index(entity), column->bit);
}

// Makes the member's value where it will be or wait, and adds the row.
static bool place_member(kith_give *give, kith_gift *gift, kith_entity entity, const void *source)
{
    kith_pool *pool  = &gift->column->pool;
    bool       comes = comes_to(give, gift, entity);
    if (!comes && gift->staged == NULL) {
        return true;
    }
    uint8_t *place = comes ? kith_pool_value(pool, pool->set.head.rows_)
                           : gift->staged + (size_t)gift->staged_count * pool->size;
    if (pool->size != 0 && !kith_pool_construct(pool, place, source)) {
        return false;
    }
    gift->staged_count += !comes;
    if (comes) {
        place_row(give, gift->column, entity);
        gift->added++;
    }
    return true;
}

// One by one, in every case.
static bool place_singly(kith_give *give, kith_gift *gift)
{
    const kith_crowd *crowd = &give->crowd;
    for (uint32_t i = 0; i < crowd->count; i++) {
        kith_entity entity = kith_crowd_member(crowd, i);
        const void *source = value_for(gift, i);
        if (kith_entity_table_alive(&give->world->entities, entity) &&
            !place_member(give, gift, entity, source)) {
            return fail_gift(give, gift, KITH_ERROR_HOOK, entity,
                             source == NULL ? "construct" : "copy");
        }
    }
    return true;
}

// Fills rows of one page: default values, one value, or one each.
static void fill_values(const kith_gift *gift, uint32_t row, uint32_t count, uint32_t member)
{
    const kith_pool *pool   = &gift->column->pool;
    uint8_t         *values = kith_pool_value(pool, row);
    const uint8_t   *source = value_for(gift, member);
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
static void link_range(kith_column *column, kith_entity first, uint32_t row, uint32_t count)
{
    kith_sparse_set *set   = &column->pool.set;
    uint32_t         index = kith_entity_index(first);
    kith_array_number(kith_sparse_set_slot(set, index), ((first >> 31 | 1) << 31) | row, count);
    kith_array_number32(kith_sparse_set_packed(set, row), index, count);
}

static void link_array(kith_column *column, const kith_entity *entities, uint32_t row,
                       uint32_t count)
{
    uint32_t *restrict packed = kith_sparse_set_packed(&column->pool.set, row);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kith_entity_index(entities[i]);
        packed[i]      = index;
        *kith_sparse_set_slot(&column->pool.set, index) =
            ((entities[i] >> 31 | 1) << 31) | (row + i);
    }
}

// Adds the rows of a block, a page of rows at a time. `member` is its first one's place.
static void place_block(kith_gift *gift, const kith_crowd *block, uint32_t member)
{
    kith_sparse_set *set = &gift->column->pool.set;
    for (uint32_t done = 0, count; done < block->count; done += count) {
        uint32_t row = set->head.rows_;
        count        = kith_least(block->count - done, kith_sparse_set_left_in_page(set, row));
        if (block->entities == NULL) {
            link_range(gift->column, block->first + done, row, count);
        } else {
            link_array(gift->column, block->entities + done, row, count);
        }
        fill_values(gift, row, count, member + done);
        kith_sparse_set_stamp(set, row);
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

// Whether a row of the column is bytes and nothing else, with a bit in the first word.
static bool is_bytes(const kith_column *column)
{
    return column->pool.plain && column->bit < 64 && column->desc.kind != KITH_KIND_FLAG;
}

// Adds rows of bytes for everyone, of `count` gifts at once: block by block, so that what they have
// in common stays in the cache.
static bool place_blocks(kith_give *give, kith_gift *gifts, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= UINT64_C(1) << gifts[i].column->bit;
    }
    kith_crowd span;
    for (uint32_t at = 0; kith_crowd_stretch(give->world, &give->crowd, &at, &span);
         at += span.count) {
        kith_crowd block;
        for (uint32_t i = 0; i < span.count; i += block.count) {
            block = kith_crowd_block(&span, i);
            for (uint32_t g = 0; g < count; g++) {
                if (!secure_pages(give, gifts[g].column, &block)) {
                    return fail_gift(give, &gifts[g], KITH_ERROR_MEMORY, KITH_NULL, NULL);
                }
                place_block(&gifts[g], &block, at + i);
            }
            set_bits(give, &block, bits);
        }
    }
    return true;
}

static bool secure_gift(kith_give *give, kith_gift *gift)
{
    if (!secure_slots(give, gift)) {
        return false;
    }
    return is_flag(gift) ? secure_news(give, gift)
                         : secure_rows(give, gift) && secure_staged(give, gift);
}

// From here on the gift has rows that a failure takes off again.
static void begin_rows(kith_give *give, kith_gift *gift)
{
    const kith_pool_head_ *head = &gift->column->pool.set.head;
    give->placed++;
    gift->base = head->rows_;
    if (!is_flag(gift) && gift->coming != 0) {
        gift->stamp = head->stamps_[gift->base >> head->shift_];
    }
}

static bool place_gift(kith_give *give, kith_gift *gift)
{
    begin_rows(give, gift);
    if (is_flag(gift)) {
        return true;
    }
    bool blocks = gift->coming == give->living && is_bytes(gift->column);
    return blocks ? place_blocks(give, gift, 1) : place_singly(give, gift);
}

// The bits of all gifts, if all of them are bytes and none has the column of another; otherwise 0.
static uint64_t bits_of_bytes(const kith_give *give)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < give->count; i++) {
        const kith_column *column = give->gifts[i].column;
        if (!is_bytes(column) || give->gifts[i].same != NULL) {
            return 0;
        }
        bits |= UINT64_C(1) << column->bit;
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
    kith_crowd span;
    for (uint32_t at = 0; kith_crowd_stretch(give->world, &give->crowd, &at, &span);
         at += span.count) {
        kith_crowd block;
        for (uint32_t i = 0; i < span.count; i += block.count) {
            block = kith_crowd_block(&span, i);
            if ((bits_in_block(give, &block) & bits) != 0) {
                return false;
            }
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

// Takes the rows off again that the gift has added, and its values that wait.
static void take_off(kith_give *give, kith_gift *gift)
{
    kith_pool       *pool = &gift->column->pool;
    kith_sparse_set *set  = &pool->set;
    for (uint32_t row = gift->base; row < gift->base + gift->added; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        kith_pool_destruct(pool, kith_pool_value(pool, row));
        kith_entity_bit_clear(&give->world->entities, index, gift->column->bit);
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

// --- what cannot fail ------------------------------------------------------------------------

// The values of those who had a row, in the crowd's order: the order in which they were staged.
static void replace_values(kith_give *give, kith_gift *gift)
{
    kith_pool *pool   = &gift->column->pool;
    uint8_t   *staged = gift->staged;
    for (uint32_t i = 0; i < give->crowd.count; i++) {
        uint32_t row = kith_sparse_set_row(&pool->set, kith_crowd_member(&give->crowd, i));
        if (row == KITH_NO_ROW || row >= gift->base) {
            continue;
        }
        void *value = kith_pool_value(pool, row);
        if (pool->plain) {
            kith_pool_replace(pool, value, value_for(gift, i));
        } else {
            kith_pool_destruct(pool, value);
            kith_pool_move(pool, value, staged);
            staged += pool->size;
        }
        kith_sparse_set_stamp(&pool->set, row);
    }
    gift->staged_count = 0;
}

static void set_flag(kith_give *give, kith_gift *gift, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    uint32_t    index  = kith_entity_index(entity);
    if (!kith_entity_table_alive(&give->world->entities, entity) ||
        !flag_comes_to(give, gift, entity)) {
        return;
    }
    kith_entity_bit_set(&give->world->entities, index, gift->column->bit);
    gift->column->pool.set.head.flags_set_++;
    gift->added++;
    if (gift->news != NULL) {
        gift->news[i / 64] |= UINT64_C(1) << i % 64;
    }
    kith_loop_notify(give->world, gift->column->add_watch, index);
    kith_members_gained(give->world, gift->column, index);
}

// The rows of a gift are in place: tells those who must know of each.
static void rows_came(kith_give *give, const kith_gift *gift)
{
    const kith_sparse_set *set = &gift->column->pool.set;
    for (uint32_t row = gift->base; row < gift->base + gift->added; row++) {
        kith_loop_notify(give->world, gift->column->add_watch, *kith_sparse_set_packed(set, row));
    }
}

static void hide_rows(const kith_gift *gift)
{
    for (uint32_t row = gift->base; row < gift->base + gift->added; row++) {
        kith_pool_disable(&gift->column->pool, row);
    }
}

// Whether some group hears of it.
static bool is_grouped(const kith_give *give)
{
    bool grouped = false;
    for (uint32_t i = 0; i < give->count; i++) {
        grouped = grouped || kith_column_grouped(give->gifts[i].column);
    }
    return grouped;
}

// Takes the bits of new rows away for a while, so that groups see one component after the other
// come, as in single calls.
static void hide_bits(kith_give *give)
{
    for (uint32_t i = 0; i < give->count; i++) {
        const kith_gift *gift = &give->gifts[i];
        for (uint32_t n = 0; n < gift->added && !is_flag(gift); n++) {
            uint32_t index = *kith_sparse_set_packed(&gift->column->pool.set, gift->base + n);
            kith_entity_bit_clear(&give->world->entities, index, gift->column->bit);
        }
    }
}

// Shows the bit of a new row again, and lets the entity join. Disabled rows count for no group.
static void show_row(kith_give *give, const kith_gift *gift, uint32_t index)
{
    kith_entity_bit_set(&give->world->entities, index, gift->column->bit);
    if (!gift->hides) {
        kith_members_gained(give->world, gift->column, index);
    }
}

// What one component, and what it requires, is to the i-th member.
static void show_member(kith_give *give, kith_gift *first, const kith_gift *last, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    for (kith_gift *gift = first; gift <= last; gift++) {
        if (is_flag(gift)) {
            set_flag(give, gift, i);
        } else if (has_row_of(gift, entity)) {
            show_row(give, gift, kith_entity_index(entity));
        }
    }
}

static void show_rows(kith_give *give, const kith_gift *gift)
{
    for (uint32_t row = gift->base; row < gift->base + gift->added; row++) {
        show_row(give, gift, *kith_sparse_set_packed(&gift->column->pool.set, row));
    }
}

// Who joins and leaves groups does so as in single calls: member by member, each component after
// those that it requires.
static void join_groups(kith_give *give)
{
    kith_gift *first = give->gifts;
    hide_bits(give);
    for (kith_gift *last = first; last < give->gifts + give->count; last++) {
        if (last->owner != NULL) {
            continue;
        }
        if (first == last && !is_flag(last)) {
            show_rows(give, last);
        } else {
            for (uint32_t i = 0; i < give->crowd.count; i++) {
                show_member(give, first, last, i);
            }
        }
        first = last + 1;
    }
}

static void set_flags(kith_give *give)
{
    for (uint32_t g = 0; g < give->count; g++) {
        for (uint32_t i = 0; i < give->crowd.count && is_flag(&give->gifts[g]); i++) {
            set_flag(give, &give->gifts[g], i);
        }
    }
}

static void complete_rows(kith_give *give, kith_gift *gift)
{
    if (!gift->keeps && gift->added != give->living) {
        replace_values(give, gift);
    }
    if (gift->hides) {
        hide_rows(gift);
    }
    if (gift->column->add_watch != 0) {
        rows_came(give, gift);
    }
}

static void complete(kith_give *give)
{
    for (uint32_t i = 0; i < give->count; i++) {
        if (!is_flag(&give->gifts[i])) {
            complete_rows(give, &give->gifts[i]);
        }
    }
    if (is_grouped(give)) {
        join_groups(give);
    } else {
        set_flags(give);
    }
}

// --- all of it -------------------------------------------------------------------------------

// Whether someone listens to add, or to set, now.
static bool is_told(const kith_gift *gift, kith_event event)
{
    return gift->column->events[event].count != 0 && (event == KITH_EVENT_ADD || !gift->keeps);
}

KITH_INTERNAL bool kith_give_is_heard(const kith_give *give)
{
    bool heard = false;
    for (uint32_t i = 0; i < give->count; i++) {
        heard = heard || is_told(&give->gifts[i], KITH_EVENT_ADD) ||
                is_told(&give->gifts[i], KITH_EVENT_SET);
    }
    return heard;
}

KITH_INTERNAL bool kith_give_hearable(const kith_give *give, uint32_t count)
{
    return count == 0 || !kith_give_is_heard(give) ||
           kith_world_nestable(give->world, give->call, 0);
}

KITH_INTERNAL bool kith_give_allowed(const kith_give *give)
{
    kith_world *world = give->world;
    for (uint32_t i = 0; i < give->crowd.count && world->nested != 0; i++) {
        kith_entity entity = kith_crowd_member(&give->crowd, i);
        for (uint32_t g = 0; g < give->count; g++) {
            if (give->gifts[g].owner == NULL && kith_entity_table_alive(&world->entities, entity) &&
                kith_world_dying(world, give->gifts[g].column, entity, give->call)) {
                return false;
            }
        }
    }
    return kith_give_hearable(give, give->crowd.count);
}

static bool place_all(kith_give *give)
{
    uint64_t bits = bits_of_bytes(give);
    give->living  = kith_crowd_living(give->world, &give->crowd);
    bool together = bits != 0 && (give->crowd.fresh || all_lack(give, bits));
    return together ? place_together(give) : place_one_by_one(give);
}

KITH_INTERNAL bool kith_give_all(kith_give *give)
{
    kith_world *world = give->world;
    assert(world->shared.held != 0);
    bool births = give->crowd.fresh && world->events[0].count != 0;
    give->heard = births || kith_give_is_heard(give);
    kith_world_enter(world);
    bool done = place_all(give);
    if (done) {
        complete(give);
    }
    while (!done && give->placed > 0) {
        take_off(give, &give->gifts[--give->placed]);
    }
    kith_world_leave(world);
    return done;
}

// --- announcing ------------------------------------------------------------------------------

// Whether the gift brought the component to the i-th member, who still has it from there.
static bool was_added(const kith_give *give, const kith_gift *gift, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    if (!is_flag(gift)) {
        return has_row_of(gift, entity);
    }
    return (gift->news[i / 64] >> i % 64 & 1) != 0 &&
           kith_entity_table_alive(&give->world->entities, entity) &&
           !lacks(give, gift->column, entity);
}

static bool was_set(const kith_give *give, const kith_gift *gift, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    return kith_sparse_set_row(&gift->column->pool.set, entity) < gift->base;
}

// What one component, and what it requires, did to the i-th member.
static void announce_member(kith_give *give, const kith_gift *first, const kith_gift *last,
                            uint32_t i)
{
    for (const kith_gift *gift = first; gift <= last; gift++) {
        bool       added = is_told(gift, KITH_EVENT_ADD) && was_added(give, gift, i);
        bool       set   = !added && is_told(gift, KITH_EVENT_SET) && was_set(give, gift, i);
        kith_event event = added ? KITH_EVENT_ADD : KITH_EVENT_SET;
        if (added || set) {
            kith_world_announce_news(give->world, &gift->column->events[event], event,
                                     gift->column->desc.id, kith_crowd_member(&give->crowd, i));
        }
    }
}

// A gift of which listeners of many are told.
typedef struct gift_news {
    const kith_give *give;
    const kith_gift *gift;
} gift_news;

static bool concerns_added(const void *event, uint32_t i)
{
    const gift_news *news = event;
    return was_added(news->give, news->gift, i);
}

static bool concerns_set(const void *event, uint32_t i)
{
    const gift_news *news = event;
    return was_set(news->give, news->gift, i);
}

static void announce_many(kith_give *give, const kith_gift *first, const kith_gift *last)
{
    for (const kith_gift *gift = first; gift <= last; gift++) {
        const kith_column *column = gift->column;
        gift_news          news   = { give, gift };
        kith_concerned     added  = kith_crowd_concerned(&give->crowd, concerns_added, &news);
        kith_concerned     set    = kith_crowd_concerned(&give->crowd, concerns_set, &news);
        kith_world_announce_many(give->world, &column->events[KITH_EVENT_ADD], KITH_EVENT_ADD,
                                 column->desc.id, &added);
        if (!gift->keeps) {
            kith_world_announce_many(give->world, &column->events[KITH_EVENT_SET], KITH_EVENT_SET,
                                     column->desc.id, &set);
        }
    }
}

KITH_INTERNAL void kith_give_announce(kith_give *give)
{
    const kith_gift *first = give->gifts;
    uint32_t         outer = kith_world_begin_batch(give->world);
    for (uint32_t g = 0; g < give->count && give->heard; g++) {
        const kith_gift *last = &give->gifts[g];
        if (last->owner != NULL) {
            continue;
        }
        announce_many(give, first, last);
        for (uint32_t i = 0; i < give->crowd.count; i++) {
            announce_member(give, first, last, i);
        }
        first = last + 1;
    }
    kith_world_end_batch(give->world, outer);
}
