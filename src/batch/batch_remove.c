// SPDX-License-Identifier: MIT
#include "batch/batch.h"

#include "world/component.h"
#include "world/group.h"

// --- whether ---------------------------------------------------------------------------------

// Whether someone hears of it when the components go.
static bool drop_is_heard(const kith_drop *drop)
{
    const kith_world *world = drop->world;
    uint64_t          heard = drop->ends ? world->events[1].count : 0;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        heard |= world->heard[word] & (drop->ends ? UINT64_MAX : drop->what.words[word]);
    }
    return heard != 0;
}

// What some of them have. Where a range passes over the dead it may be what those have who came
// after them: then the longer way is taken for nothing.
static kith_signature components_of(const kith_world *world, const kith_crowd *crowd)
{
    kith_signature any = { { 0 } };
    for (uint32_t i = 0; i < crowd->count; i++) {
        uint32_t index = kith_entity_index(kith_crowd_member(crowd, i));
        for (uint32_t words = kith_entity_words(&world->entities, index); words != 0;
             words &= words - 1) {
            uint32_t word = kith_lowest_bit(words);
            any.words[word] |= kith_entity_signature_word(&world->entities, index, word);
        }
    }
    return any;
}

// Leaves of what goes what somebody has, and finds out whether a group wants or excludes it, or
// whether someone hears of it when the entities end.
static void look_at(kith_drop *drop, const kith_crowd *crowd)
{
    const kith_world *world = drop->world;
    kith_signature    any   = components_of(world, crowd);
    drop->grouped           = false;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        drop->what.words[word] &= any.words[word];
        any.words[word] = drop->ends ? any.words[word] : drop->what.words[word];
        drop->singly |= drop->ends && (any.words[word] & world->heard[word]) != 0;
        for (uint64_t bits = any.words[word]; bits != 0; bits &= bits - 1) {
            const kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(bits)];
            drop->grouped |=
                drop->ends ? storage->wanted.count != 0 : kith_storage_grouped(storage);
        }
    }
}

KITH_INTERNAL void kith_drop_begin(kith_drop *drop, kith_world *world, const kith_signature *what,
                                   const char *call)
{
    drop->world   = world;
    drop->call    = call;
    drop->ends    = what == NULL;
    drop->asked   = 0;
    drop->cuts    = 0;
    drop->grouped = false;
    bool heard    = drop->ends && world->events[1].count != 0;
    drop->what    = drop->ends ? (kith_signature){ { 0 } } : *what;
    heard         = heard || (!drop->ends && drop_is_heard(drop));
    drop->singly  = world->shared.held != 0 || heard;
    kith_world_pause(world);
}

// The storages that go from an entity, in one word of its signature.
static uint64_t going(const kith_drop *drop, uint32_t index, uint32_t word)
{
    uint64_t bits = kith_entity_signature_word(&drop->world->entities, index, word);
    return drop->ends ? bits : bits & drop->what.words[word];
}

// Whether the entity, or one of the components that would go from it, is going already; then it is
// an error.
static bool is_going(const kith_drop *drop, kith_entity entity)
{
    kith_world *world = drop->world;
    uint32_t    index = kith_entity_index(entity);
    if (drop->ends) {
        return kith_world_dying(world, NULL, entity, drop->call);
    }
    for (uint32_t words = kith_entity_words(&world->entities, index); words != 0;
         words &= words - 1) {
        uint32_t word = kith_lowest_bit(words);
        for (uint64_t bits = going(drop, index, word); bits != 0; bits &= bits - 1) {
            kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(bits)];
            if (kith_world_dying(world, storage, entity, drop->call)) {
                return true;
            }
        }
    }
    return false;
}

KITH_INTERNAL bool kith_drop_hearable(const kith_drop *drop)
{
    kith_world *world = drop->world;
    return world->destroys == 0 || !drop_is_heard(drop) ||
           kith_world_nestable(world, drop->call, 0);
}

KITH_INTERNAL bool kith_drop_allowed(const kith_drop *drop, const kith_crowd *crowd)
{
    kith_world *world = drop->world;
    for (uint32_t i = 0; i < crowd->count && world->nested != 0; i++) {
        kith_entity entity = kith_crowd_member(crowd, i);
        if (kith_entity_table_alive(&world->entities, entity) && is_going(drop, entity)) {
            return false;
        }
    }
    return crowd->count == 0 || kith_drop_hearable(drop);
}

// --- one by one ------------------------------------------------------------------------------

static void take_singly(kith_drop *drop, const kith_crowd *crowd, kith_storage *storage)
{
    const kith_entity_table *table = &drop->world->entities;
    for (uint32_t i = 0; i < crowd->count; i++) {
        kith_entity entity = kith_crowd_member(crowd, i);
        if (kith_entity_table_alive(table, entity) &&
            kith_entity_bit(table, kith_entity_index(entity), storage->bit)) {
            kith_component_remove_from(drop->world, storage, entity, drop->call);
        }
    }
}

// A component that goes, or the entities, of which listeners of many are told.
typedef struct loss {
    const kith_drop    *drop;
    const kith_crowd   *crowd;
    const kith_storage *storage; // NULL: the entities
} loss;

static bool concerns_loser(const void *event, uint32_t i)
{
    const loss              *going  = event;
    const kith_entity_table *table  = &going->drop->world->entities;
    kith_entity              entity = kith_crowd_member(going->crowd, i);
    return kith_entity_table_alive(table, entity) &&
           (going->storage == NULL ||
            kith_entity_bit(table, kith_entity_index(entity), going->storage->bit));
}

static void tell_losers(kith_drop *drop, const kith_crowd *crowd, const kith_storage *storage)
{
    kith_world            *world = drop->world;
    loss                   going = { drop, crowd, storage };
    kith_concerned         who   = kith_crowd_concerned(crowd, concerns_loser, &going);
    kith_event             event = storage == NULL ? KITH_EVENT_DESTROY : KITH_EVENT_REMOVE;
    const kith_event_list *list  = storage == NULL ? &world->events[1] : &storage->events[event];
    kith_world_announce_many(world, list, event, storage == NULL ? 0 : storage->desc.id, &who);
}

// Where someone hears of it, or a loop is open: the entities, of which those who hear of many are
// told everything first, or one component after the other.
static void drop_singly(kith_drop *drop, const kith_crowd *crowd)
{
    kith_world *world = drop->world;
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        bool goes = !drop->ends && (drop->what.words[bit >> 6] >> (bit & 63) & 1) != 0;
        if (drop->ends || goes) {
            tell_losers(drop, crowd, world->by_bit[bit]);
        }
        if (goes) {
            take_singly(drop, crowd, world->by_bit[bit]);
        }
    }
    if (drop->ends) {
        tell_losers(drop, crowd, NULL);
        for (uint32_t i = 0; i < crowd->count; i++) {
            kith_entity_destroy(world, kith_crowd_member(crowd, i));
        }
    }
}

// --- by stretches ----------------------------------------------------------------------------

// Entities whose rows are looked up together: their misses overlap.
#define TAKEN_AT_ONCE 256u

// Turns the storage's stretch into holes: from now on each row leaves one.
static void scatter(kith_drop *drop, kith_storage *storage)
{
    uint32_t rows[TAKEN_AT_ONCE];
    uint32_t end = drop->end[storage->bit];
    for (uint32_t row = drop->first[storage->bit], part; row < end; row += part) {
        part = kith_least(end - row, TAKEN_AT_ONCE);
        kith_array_number32(rows, row, part);
        kith_sparse_set_leave_rows(&storage->pool.set, rows, part);
    }
    drop->cuts &= ~(UINT64_C(1) << storage->bit);
    kith_world_unsettle(drop->world, storage);
}

// Lets the storage's stretch, or its first one, grow by these rows, if they are next to it.
static bool extend(kith_drop *drop, uint32_t bit, const uint32_t *rows, uint32_t count)
{
    bool rises = true;
    bool falls = true;
    bool first = (drop->asked >> bit & 1) == 0;
    for (uint32_t i = 1; i < count; i++) {
        rises = rises && rows[i] == rows[0] + i;
        falls = falls && rows[i] == rows[0] - i;
    }
    drop->asked |= UINT64_C(1) << bit;
    if (first && (rises || falls)) {
        drop->cuts |= UINT64_C(1) << bit;
        drop->first[bit] = rises ? rows[0] : rows[0] + 1;
        drop->end[bit]   = drop->first[bit];
    }
    if ((drop->cuts >> bit & 1) == 0) {
        return false;
    }
    if (rises && rows[0] == drop->end[bit]) {
        drop->end[bit] += count;
        return true;
    }
    falls = falls && rows[0] + 1 == drop->first[bit];
    drop->first[bit] -= falls ? count : 0;
    return falls;
}

// Takes the rows of one storage from the entities with these indices, which are not many.
static void leave_storage(kith_drop *drop, kith_storage *storage, const uint32_t *indices,
                          uint32_t count)
{
    uint32_t rows[TAKEN_AT_ONCE];
    if (!kith_pool_simple(&storage->pool)) {
        for (uint32_t i = 0; i < count; i++) {
            kith_world_leave_row(drop->world, storage, indices[i]);
        }
        return;
    }
    kith_sparse_set_take_out(&storage->pool.set, indices, count, rows);
    if (!extend(drop, storage->bit, rows, count)) {
        if ((drop->cuts >> storage->bit & 1) != 0) {
            scatter(drop, storage);
        }
        kith_sparse_set_leave_rows(&storage->pool.set, rows, count);
        kith_world_unsettle(drop->world, storage);
    }
}

// Groups know already of an entity that ends.
static void leave_far_column(kith_drop *drop, kith_storage *storage, uint32_t index)
{
    if (!drop->ends) {
        kith_world_detach(drop->world, storage, index);
        return;
    }
    kith_entity_bit_clear(&drop->world->entities, index, storage->bit);
    kith_world_leave_row(drop->world, storage, index);
}

// What the words after the first say.
KITH_APART static void leave_far(kith_drop *drop, uint32_t index)
{
    kith_world *world = drop->world;
    for (uint32_t words = kith_entity_words(&world->entities, index) & ~1u; words != 0;
         words &= words - 1) {
        uint32_t word = kith_lowest_bit(words);
        for (uint64_t bits = going(drop, index, word); bits != 0; bits &= bits - 1) {
            leave_far_column(drop, world->by_bit[64 * word + kith_lowest_bit(bits)], index);
        }
    }
}

// The entities of one part of a crowd, and what goes from each.
typedef struct losers {
    uint32_t indices[TAKEN_AT_ONCE];
    uint64_t bits[TAKEN_AT_ONCE];
    uint32_t count;
    uint64_t any; // of their bits
    uint64_t all;
} losers;

// Clears bits of the entity's first word, which are those of one storage unless it ends, and tells
// groups of it.
KITH_APART static void clear_grouped(kith_drop *drop, uint32_t index, uint64_t *word, uint64_t bits)
{
    kith_world *world = drop->world;
    assert(drop->ends || (bits & (bits - 1)) == 0);
    if (drop->ends) {
        kith_members_end(world, index);
        *word &= ~bits;
    } else if (bits != 0) {
        kith_storage *storage = world->by_bit[kith_lowest_bit(bits)];
        bool          enabled = kith_storage_enabled_at(storage, index);
        if (enabled) {
            kith_members_losing(world, storage, index);
        }
        *word &= ~bits;
        if (enabled) {
            kith_members_lost(world, storage, index);
        }
    }
}

static void strip(kith_drop *drop, losers *some, uint32_t index)
{
    kith_entity_page *page = kith_entity_page_of(&drop->world->entities, index);
    uint64_t         *word = &page->signature[index & KITH_PAGE_MASK_];
    uint64_t          bits = drop->ends ? *word : *word & drop->what.words[0];
    if (KITH_UNLIKELY_(drop->grouped)) {
        clear_grouped(drop, index, word, bits);
    }
    *word &= ~bits;
    some->indices[some->count] = index;
    some->bits[some->count++]  = bits;
    some->any |= bits;
    some->all &= bits;
    if (KITH_UNLIKELY_(page->more != NULL)) {
        leave_far(drop, index);
    }
}

// Everything that goes from some entities, storage by storage.
static void leave_storages(kith_drop *drop, const losers *some)
{
    for (uint64_t bits = some->any; bits != 0; bits &= bits - 1) {
        uint32_t      bit     = kith_lowest_bit(bits);
        kith_storage *storage = drop->world->by_bit[bit];
        uint32_t      having[TAKEN_AT_ONCE];
        uint32_t      count = 0;
        if ((some->all >> bit & 1) != 0) {
            leave_storage(drop, storage, some->indices, some->count);
            continue;
        }
        for (uint32_t i = 0; i < some->count; i++) {
            having[count] = some->indices[i];
            count += (uint32_t)(some->bits[i] >> bit & 1);
        }
        leave_storage(drop, storage, having, count);
    }
}

static void leave_all_of(kith_drop *drop, const kith_crowd *block)
{
    for (uint32_t done = 0; done < block->count;) {
        losers   some;
        uint32_t end = done + kith_least(block->count - done, TAKEN_AT_ONCE);
        some.count   = 0;
        some.any     = 0;
        some.all     = UINT64_MAX;
        for (; done < end; done++) {
            strip(drop, &some, kith_entity_index(kith_crowd_member(block, done)));
        }
        leave_storages(drop, &some);
    }
}

// Empties the slots of a block of a range if its rows follow on each other, and on the storage's
// stretch; otherwise leaves them to the rest.
static bool leave_block(kith_drop *drop, uint32_t bit, const kith_crowd *block)
{
    kith_pool *pool = &drop->world->by_bit[bit]->pool;
    if (!kith_pool_simple(pool)) {
        return false;
    }
    uint64_t *slots = kith_sparse_set_slot(&pool->set, kith_entity_index(block->first));
    uint32_t  row   = (uint32_t)slots[0] & ~KITH_HOLE;
    bool      first = (drop->asked >> bit & 1) == 0;
    bool      next  = (drop->cuts >> bit & 1) != 0 && row == drop->end[bit];
    if (!(first || next) || !kith_array_is_numbered(slots, slots[0], block->count)) {
        return false;
    }
    kith_array_fill(slots, KITH_EMPTY, block->count);
    drop->asked |= UINT64_C(1) << bit;
    drop->cuts |= UINT64_C(1) << bit;
    drop->first[bit] = first ? row : drop->first[bit];
    drop->end[bit]   = row + block->count;
    return true;
}

// What of a block of a range can go as arrays. Returns whether something is left to go.
static bool leave_blocks(kith_drop *drop, const kith_crowd *block)
{
    const kith_entity_page *page =
        kith_entity_page_of(&drop->world->entities, kith_entity_index(block->first));
    uint64_t *words = kith_crowd_words(drop->world, block);
    uint64_t  what  = drop->ends ? UINT64_MAX : drop->what.words[0];
    uint64_t  gone  = 0;
    if ((kith_array_mixed(words, block->count) & what) != 0) {
        return true;
    }
    for (uint64_t bits = words[0] & what; bits != 0; bits &= bits - 1) {
        uint32_t bit = kith_lowest_bit(bits);
        gone |= leave_block(drop, bit, block) ? UINT64_C(1) << bit : 0;
    }
    kith_array_change(words, gone, 0, block->count);
    return (words[0] & what) != 0 || page->more != NULL;
}

static void drop_block(kith_drop *drop, const kith_crowd *block)
{
    kith_entity_table *table = &drop->world->entities;
    bool               range = block->entities == NULL;
    if (!range || drop->grouped || leave_blocks(drop, block)) {
        leave_all_of(drop, block);
    }
    if (range && drop->ends) {
        kith_entity_table_free_range(table, block->first, block->count);
    }
    for (uint32_t i = 0; i < block->count && !range && drop->ends; i++) {
        kith_entity_table_free(table, block->entities[i]);
    }
}

static void drop_blocks(kith_drop *drop, const kith_crowd *crowd)
{
    kith_crowd block;
    for (uint32_t at = 0; kith_crowd_next(drop->world, crowd, &at, &block); at += block.count) {
        drop_block(drop, &block);
    }
}

// One component after the other, as in single calls, because those who leave a group are noted
// down in order.
static void drop_by_component(kith_drop *drop, const kith_crowd *crowd)
{
    kith_signature all = drop->what;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        for (uint64_t bits = all.words[word]; bits != 0; bits &= bits - 1) {
            drop->what             = (kith_signature){ { 0 } };
            drop->what.words[word] = bits & (~bits + 1);
            drop_blocks(drop, crowd);
        }
    }
    drop->what = all;
}

KITH_INTERNAL void kith_drop_from(kith_drop *drop, const kith_crowd *crowd)
{
    bool singly = drop->singly;
    if (!singly && drop->world->destroys != 0) {
        look_at(drop, crowd);
    }
    if (drop->singly && !singly) { // this list needs it, so the rest goes one by one
        for (uint64_t bits = drop->cuts; bits != 0; bits &= bits - 1) {
            scatter(drop, drop->world->by_bit[kith_lowest_bit(bits)]);
        }
    }
    if (drop->singly) {
        uint32_t outer = kith_world_begin_batch(drop->world);
        drop_singly(drop, crowd);
        kith_world_end_batch(drop->world, outer);
    } else if (drop->grouped && !drop->ends) {
        drop_by_component(drop, crowd);
    } else {
        drop_blocks(drop, crowd);
    }
}

// --- the end ---------------------------------------------------------------------------------

// Whether the storage's rows that have gone are a stretch.
static bool is_cut(const kith_drop *drop, const kith_storage *storage)
{
    return storage->bit < 64 && (drop->cuts >> storage->bit & 1) != 0;
}

// Whether rows of members have gone from all that the group owns, as one stretch.
static bool cuts_members(const kith_drop *drop, const kith_group *group)
{
    const kith_storage *lead = group->plan.terms[0].storage;
    bool                same = is_cut(drop, lead) && drop->end[lead->bit] <= group->members;
    for (uint32_t i = 1; i < group->owned && same; i++) {
        const kith_storage *storage = group->plan.terms[i].storage;
        same = is_cut(drop, storage) && drop->first[storage->bit] == drop->first[lead->bit] &&
               drop->end[storage->bit] == drop->end[lead->bit];
    }
    return same;
}

// Whether none of the members' rows is in a stretch.
static bool cuts_others(const kith_drop *drop, const kith_group *group)
{
    bool others = true;
    for (uint32_t i = 0; i < group->owned; i++) {
        const kith_storage *storage = group->plan.terms[i].storage;
        others = others && (!is_cut(drop, storage) || drop->first[storage->bit] >= group->members);
    }
    return others;
}

// Members that stay close the ranks, as they do when the world settles. False if not all can.
static bool close_ranks(kith_drop *drop, kith_group *group)
{
    uint32_t bit   = group->plan.terms[0].storage->bit;
    uint32_t first = drop->first[bit];
    uint32_t count = drop->end[bit] - first;
    uint32_t tail  = group->members - drop->end[bit];
    for (uint32_t i = 0; i < group->owned; i++) {
        if (!kith_pool_can_retire(&group->plan.terms[i].storage->pool, count, tail)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_storage *storage = group->plan.terms[i].storage;
        kith_pool_retire(&storage->pool, first, count, group->members);
        drop->first[storage->bit] = group->members - count;
        drop->end[storage->bit]   = group->members;
    }
    group->members -= count;
    return true;
}

static void cut_from_group(kith_drop *drop, kith_group *group)
{
    if (cuts_others(drop, group) || (cuts_members(drop, group) && close_ranks(drop, group))) {
        return;
    }
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_storage *storage = group->plan.terms[i].storage;
        if (is_cut(drop, storage)) {
            scatter(drop, storage);
        }
    }
}

KITH_INTERNAL void kith_drop_end(kith_drop *drop)
{
    for (uint32_t i = drop->world->groups.count; i-- > 0 && drop->cuts != 0;) {
        cut_from_group(drop, drop->world->groups.groups[i]);
    }
    for (uint64_t bits = drop->cuts; bits != 0; bits &= bits - 1) {
        uint32_t bit = kith_lowest_bit(bits);
        kith_pool_cut(&drop->world->by_bit[bit]->pool, drop->first[bit],
                      drop->end[bit] - drop->first[bit]);
    }
    kith_world_resume(drop->world);
}
