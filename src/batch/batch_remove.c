// SPDX-License-Identifier: MIT
#include "batch/batch.h"

#include "world/component.h"
#include "world/group.h"

// --- whether ---------------------------------------------------------------------------------

// Whether someone hears of it when the components go.
static bool removal_has_listeners(const kith_batch_removal *removal)
{
    const kith_world *world = removal->world;
    uint64_t          heard = removal->ends ? world->events[1].count : 0;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        heard |= world->removal_listeners[word] &
                 (removal->ends ? UINT64_MAX : removal->what.words[word]);
    }
    return heard != 0;
}

// What some of them have. Where a range passes over the dead it may be what those have who came
// after them: then the longer way is taken for nothing.
static kith_signature components_of(const kith_world *world, const kith_entity_list *list)
{
    kith_signature any = { { 0 } };
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t index = kith_entity_index(kith_entity_list_member(list, i));
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
static void look_at(kith_batch_removal *removal, const kith_entity_list *list)
{
    const kith_world *world = removal->world;
    kith_signature    any   = components_of(world, list);
    removal->grouped        = false;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        removal->what.words[word] &= any.words[word];
        any.words[word] = removal->ends ? any.words[word] : removal->what.words[word];
        removal->singly |= removal->ends && (any.words[word] & world->removal_listeners[word]) != 0;
        for (uint64_t bits = any.words[word]; bits != 0; bits &= bits - 1) {
            const kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(bits)];
            removal->grouped |=
                removal->ends ? storage->required.count != 0 : kith_storage_grouped(storage);
        }
    }
}

KITH_INTERNAL void kith_batch_removal_begin(kith_batch_removal *removal, kith_world *world,
                                            const kith_signature *what, const char *call)
{
    removal->world   = world;
    removal->call    = call;
    removal->ends    = what == NULL;
    removal->asked   = 0;
    removal->cuts    = 0;
    removal->grouped = false;
    bool heard       = removal->ends && world->events[1].count != 0;
    removal->what    = removal->ends ? (kith_signature){ { 0 } } : *what;
    heard            = heard || (!removal->ends && removal_has_listeners(removal));
    removal->singly  = world->shared.held != 0 || heard;
    kith_hold(world);
}

// The storages that go from an entity, in one word of its signature.
static uint64_t going(const kith_batch_removal *removal, uint32_t index, uint32_t word)
{
    uint64_t bits = kith_entity_signature_word(&removal->world->entities, index, word);
    return removal->ends ? bits : bits & removal->what.words[word];
}

// Whether the entity, or one of the components that would go from it, is going already; then it is
// an error.
static bool is_going(const kith_batch_removal *removal, kith_entity entity)
{
    kith_world *world = removal->world;
    uint32_t    index = kith_entity_index(entity);
    if (removal->ends) {
        return !kith_require_living(world, NULL, entity, removal->call);
    }
    for (uint32_t words = kith_entity_words(&world->entities, index); words != 0;
         words &= words - 1) {
        uint32_t word = kith_lowest_bit(words);
        for (uint64_t bits = going(removal, index, word); bits != 0; bits &= bits - 1) {
            kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(bits)];
            if (!kith_require_living(world, storage, entity, removal->call)) {
                return true;
            }
        }
    }
    return false;
}

KITH_INTERNAL bool kith_batch_removal_can_announce(const kith_batch_removal *removal)
{
    kith_world *world = removal->world;
    return world->destroy_observers == 0 || !removal_has_listeners(removal) ||
           kith_require_nestable(world, removal->call, 0);
}

KITH_INTERNAL bool kith_batch_removal_allowed(const kith_batch_removal *removal,
                                              const kith_entity_list   *list)
{
    kith_world *world = removal->world;
    for (uint32_t i = 0; i < list->count && world->nested != 0; i++) {
        kith_entity entity = kith_entity_list_member(list, i);
        if (kith_entity_table_alive(&world->entities, entity) && is_going(removal, entity)) {
            return false;
        }
    }
    return list->count == 0 || kith_batch_removal_can_announce(removal);
}

// --- one by one ------------------------------------------------------------------------------

static void take_singly(kith_batch_removal *removal, const kith_entity_list *list,
                        kith_storage *storage)
{
    const kith_entity_table *table = &removal->world->entities;
    for (uint32_t i = 0; i < list->count; i++) {
        kith_entity entity = kith_entity_list_member(list, i);
        if (kith_entity_table_alive(table, entity) &&
            kith_entity_bit(table, kith_entity_index(entity), storage->bit)) {
            kith_component_remove_from(removal->world, storage, entity, removal->call);
        }
    }
}

// A component that goes, or the entities, of which listeners of many are told.
typedef struct loss {
    const kith_batch_removal *removal;
    const kith_entity_list   *list;
    const kith_storage       *storage; // NULL: the entities
} loss;

static bool concerns_loser(const void *event, uint32_t i)
{
    const loss              *going  = event;
    const kith_entity_table *table  = &going->removal->world->entities;
    kith_entity              entity = kith_entity_list_member(going->list, i);
    return kith_entity_table_alive(table, entity) &&
           (going->storage == NULL ||
            kith_entity_bit(table, kith_entity_index(entity), going->storage->bit));
}

static void tell_losers(kith_batch_removal *removal, const kith_entity_list *list,
                        const kith_storage *storage)
{
    kith_world            *world = removal->world;
    loss                   going = { removal, list, storage };
    kith_concerned         who   = kith_entity_list_concerned(list, concerns_loser, &going);
    kith_event             event = storage == NULL ? KITH_EVENT_DESTROY : KITH_EVENT_REMOVE;
    const kith_event_list *heard = storage == NULL ? &world->events[1] : &storage->events[event];
    kith_world_announce_many(world, heard, event, storage == NULL ? 0 : storage->desc.id, &who);
}

// Where someone hears of it, or a loop is open: the entities, of which those who hear of many are
// told everything first, or one component after the other.
static void remove_list_singly(kith_batch_removal *removal, const kith_entity_list *list)
{
    kith_world *world = removal->world;
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        bool goes = !removal->ends && (removal->what.words[bit >> 6] >> (bit & 63) & 1) != 0;
        if (removal->ends || goes) {
            tell_losers(removal, list, world->by_bit[bit]);
        }
        if (goes) {
            take_singly(removal, list, world->by_bit[bit]);
        }
    }
    if (removal->ends) {
        tell_losers(removal, list, NULL);
        for (uint32_t i = 0; i < list->count; i++) {
            kith_entity_destroy(world, kith_entity_list_member(list, i));
        }
    }
}

// --- by stretches ----------------------------------------------------------------------------

// Entities whose rows are looked up together: their misses overlap.
#define TAKEN_AT_ONCE 256u

// Turns the storage's stretch into holes: from now on each row leaves one.
static void scatter(kith_batch_removal *removal, kith_storage *storage)
{
    uint32_t rows[TAKEN_AT_ONCE];
    uint32_t end = removal->end[storage->bit];
    for (uint32_t row = removal->first[storage->bit], part; row < end; row += part) {
        part = kith_least(end - row, TAKEN_AT_ONCE);
        kith_array_number32(rows, row, part);
        kith_sparse_set_remove_rows_later(&storage->pool.set, rows, part);
    }
    removal->cuts &= ~(UINT64_C(1) << storage->bit);
    kith_world_unsettle(removal->world, storage);
}

// Lets the storage's stretch, or its first one, grow by these rows, if they are next to it.
static bool extend(kith_batch_removal *removal, uint32_t bit, const uint32_t *rows, uint32_t count)
{
    bool rises = true;
    bool falls = true;
    bool first = (removal->asked >> bit & 1) == 0;
    for (uint32_t i = 1; i < count; i++) {
        rises = rises && rows[i] == rows[0] + i;
        falls = falls && rows[i] == rows[0] - i;
    }
    removal->asked |= UINT64_C(1) << bit;
    if (first && (rises || falls)) {
        removal->cuts |= UINT64_C(1) << bit;
        removal->first[bit] = rises ? rows[0] : rows[0] + 1;
        removal->end[bit]   = removal->first[bit];
    }
    if ((removal->cuts >> bit & 1) == 0) {
        return false;
    }
    if (rises && rows[0] == removal->end[bit]) {
        removal->end[bit] += count;
        return true;
    }
    falls = falls && rows[0] + 1 == removal->first[bit];
    removal->first[bit] -= falls ? count : 0;
    return falls;
}

// Takes the rows of one storage from the entities with these indices, which are not many.
static void leave_storage(kith_batch_removal *removal, kith_storage *storage,
                          const uint32_t *indices, uint32_t count)
{
    uint32_t rows[TAKEN_AT_ONCE];
    if (!kith_pool_simple(&storage->pool)) {
        for (uint32_t i = 0; i < count; i++) {
            kith_world_remove_later(removal->world, storage, indices[i]);
        }
        return;
    }
    kith_sparse_set_take_out(&storage->pool.set, indices, count, rows);
    if (!extend(removal, storage->bit, rows, count)) {
        if ((removal->cuts >> storage->bit & 1) != 0) {
            scatter(removal, storage);
        }
        kith_sparse_set_remove_rows_later(&storage->pool.set, rows, count);
        kith_world_unsettle(removal->world, storage);
    }
}

// Groups know already of an entity that ends.
static void leave_far_column(kith_batch_removal *removal, kith_storage *storage, uint32_t index)
{
    if (!removal->ends) {
        kith_world_detach(removal->world, storage, index);
        return;
    }
    kith_entity_bit_clear(&removal->world->entities, index, storage->bit);
    kith_world_remove_later(removal->world, storage, index);
}

// What the words after the first say.
KITH_APART static void leave_far(kith_batch_removal *removal, uint32_t index)
{
    kith_world *world = removal->world;
    for (uint32_t words = kith_entity_words(&world->entities, index) & ~1u; words != 0;
         words &= words - 1) {
        uint32_t word = kith_lowest_bit(words);
        for (uint64_t bits = going(removal, index, word); bits != 0; bits &= bits - 1) {
            leave_far_column(removal, world->by_bit[64 * word + kith_lowest_bit(bits)], index);
        }
    }
}

// The entities of one part of a list, and what goes from each.
typedef struct losers {
    uint32_t indices[TAKEN_AT_ONCE];
    uint64_t bits[TAKEN_AT_ONCE];
    uint32_t count;
    uint64_t any; // of their bits
    uint64_t all;
} losers;

// Clears bits of the entity's first word, which are those of one storage unless it ends, and tells
// groups of it.
KITH_APART static void clear_grouped(kith_batch_removal *removal, uint32_t index, uint64_t *word,
                                     uint64_t bits)
{
    kith_world *world = removal->world;
    assert(removal->ends || (bits & (bits - 1)) == 0);
    if (removal->ends) {
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

static void strip(kith_batch_removal *removal, losers *some, uint32_t index)
{
    kith_entity_page *page = kith_entity_page_of(&removal->world->entities, index);
    uint64_t         *word = &page->signature[index & KITH_PAGE_MASK_];
    uint64_t          bits = removal->ends ? *word : *word & removal->what.words[0];
    if (KITH_UNLIKELY_(removal->grouped)) {
        clear_grouped(removal, index, word, bits);
    }
    *word &= ~bits;
    some->indices[some->count] = index;
    some->bits[some->count++]  = bits;
    some->any |= bits;
    some->all &= bits;
    if (KITH_UNLIKELY_(page->more != NULL)) {
        leave_far(removal, index);
    }
}

// Everything that goes from some entities, storage by storage.
static void leave_storages(kith_batch_removal *removal, const losers *some)
{
    for (uint64_t bits = some->any; bits != 0; bits &= bits - 1) {
        uint32_t      bit     = kith_lowest_bit(bits);
        kith_storage *storage = removal->world->by_bit[bit];
        uint32_t      having[TAKEN_AT_ONCE];
        uint32_t      count = 0;
        if ((some->all >> bit & 1) != 0) {
            leave_storage(removal, storage, some->indices, some->count);
            continue;
        }
        for (uint32_t i = 0; i < some->count; i++) {
            having[count] = some->indices[i];
            count += (uint32_t)(some->bits[i] >> bit & 1);
        }
        leave_storage(removal, storage, having, count);
    }
}

static void leave_all_of(kith_batch_removal *removal, const kith_entity_list *block)
{
    for (uint32_t done = 0; done < block->count;) {
        losers   some;
        uint32_t end = done + kith_least(block->count - done, TAKEN_AT_ONCE);
        some.count   = 0;
        some.any     = 0;
        some.all     = UINT64_MAX;
        for (; done < end; done++) {
            strip(removal, &some, kith_entity_index(kith_entity_list_member(block, done)));
        }
        leave_storages(removal, &some);
    }
}

// Empties the slots of a block of a range if its rows follow on each other, and on the storage's
// stretch; otherwise leaves them to the rest.
static bool leave_block(kith_batch_removal *removal, uint32_t bit, const kith_entity_list *block)
{
    kith_pool *pool = &removal->world->by_bit[bit]->pool;
    if (!kith_pool_simple(pool)) {
        return false;
    }
    uint64_t *slots = kith_sparse_set_slot(&pool->set, kith_entity_index(block->first));
    uint32_t  row   = (uint32_t)slots[0] & ~KITH_HOLE;
    bool      first = (removal->asked >> bit & 1) == 0;
    bool      next  = (removal->cuts >> bit & 1) != 0 && row == removal->end[bit];
    if (!(first || next) || !kith_array_is_numbered(slots, slots[0], block->count)) {
        return false;
    }
    kith_array_fill(slots, KITH_EMPTY, block->count);
    removal->asked |= UINT64_C(1) << bit;
    removal->cuts |= UINT64_C(1) << bit;
    removal->first[bit] = first ? row : removal->first[bit];
    removal->end[bit]   = row + block->count;
    return true;
}

// What of a block of a range can go as arrays. Returns whether something is left to go.
static bool leave_blocks(kith_batch_removal *removal, const kith_entity_list *block)
{
    const kith_entity_page *page =
        kith_entity_page_of(&removal->world->entities, kith_entity_index(block->first));
    uint64_t *words = kith_entity_list_words(removal->world, block);
    uint64_t  what  = removal->ends ? UINT64_MAX : removal->what.words[0];
    uint64_t  gone  = 0;
    if ((kith_array_mixed(words, block->count) & what) != 0) {
        return true;
    }
    for (uint64_t bits = words[0] & what; bits != 0; bits &= bits - 1) {
        uint32_t bit = kith_lowest_bit(bits);
        gone |= leave_block(removal, bit, block) ? UINT64_C(1) << bit : 0;
    }
    kith_array_change(words, gone, 0, block->count);
    return (words[0] & what) != 0 || page->more != NULL;
}

static void remove_block(kith_batch_removal *removal, const kith_entity_list *block)
{
    kith_entity_table *table = &removal->world->entities;
    bool               range = block->entities == NULL;
    if (!range || removal->grouped || leave_blocks(removal, block)) {
        leave_all_of(removal, block);
    }
    if (range && removal->ends) {
        kith_entity_table_free_range(table, block->first, block->count);
    }
    for (uint32_t i = 0; i < block->count && !range && removal->ends; i++) {
        kith_entity_table_free(table, block->entities[i]);
    }
}

static void remove_blocks(kith_batch_removal *removal, const kith_entity_list *list)
{
    kith_entity_list block;
    for (uint32_t at = 0; kith_entity_list_next(removal->world, list, &at, &block);
         at += block.count) {
        remove_block(removal, &block);
    }
}

// One component after the other, as in single calls, because those who leave a group are noted
// down in order.
static void remove_by_component(kith_batch_removal *removal, const kith_entity_list *list)
{
    kith_signature all = removal->what;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        for (uint64_t bits = all.words[word]; bits != 0; bits &= bits - 1) {
            removal->what             = (kith_signature){ { 0 } };
            removal->what.words[word] = bits & (~bits + 1);
            remove_blocks(removal, list);
        }
    }
    removal->what = all;
}

KITH_INTERNAL void kith_batch_remove_from(kith_batch_removal *removal, const kith_entity_list *list)
{
    bool singly = removal->singly;
    if (!singly && removal->world->destroy_observers != 0) {
        look_at(removal, list);
    }
    if (removal->singly && !singly) { // this list needs it, so the rest goes one by one
        for (uint64_t bits = removal->cuts; bits != 0; bits &= bits - 1) {
            scatter(removal, removal->world->by_bit[kith_lowest_bit(bits)]);
        }
    }
    if (removal->singly) {
        uint32_t outer = kith_world_begin_batch(removal->world);
        remove_list_singly(removal, list);
        kith_world_end_batch(removal->world, outer);
    } else if (removal->grouped && !removal->ends) {
        remove_by_component(removal, list);
    } else {
        remove_blocks(removal, list);
    }
}

// --- the end ---------------------------------------------------------------------------------

// Whether the storage's rows that have gone are a stretch.
static bool is_cut(const kith_batch_removal *removal, const kith_storage *storage)
{
    return storage->bit < 64 && (removal->cuts >> storage->bit & 1) != 0;
}

// Whether rows of members have gone from all that the group owns, as one stretch.
static bool cuts_members(const kith_batch_removal *removal, const kith_group *group)
{
    const kith_storage *lead = group->plan.terms[0].storage;
    bool                same = is_cut(removal, lead) && removal->end[lead->bit] <= group->members;
    for (uint32_t i = 1; i < group->owned && same; i++) {
        const kith_storage *storage = group->plan.terms[i].storage;
        same                        = is_cut(removal, storage) &&
               removal->first[storage->bit] == removal->first[lead->bit] &&
               removal->end[storage->bit] == removal->end[lead->bit];
    }
    return same;
}

// Whether none of the members' rows is in a stretch.
static bool cuts_others(const kith_batch_removal *removal, const kith_group *group)
{
    bool others = true;
    for (uint32_t i = 0; i < group->owned; i++) {
        const kith_storage *storage = group->plan.terms[i].storage;
        others =
            others && (!is_cut(removal, storage) || removal->first[storage->bit] >= group->members);
    }
    return others;
}

// Members that stay close the ranks, as they do when the world settles. False if not all can.
static bool close_ranks(kith_batch_removal *removal, kith_group *group)
{
    uint32_t bit   = group->plan.terms[0].storage->bit;
    uint32_t first = removal->first[bit];
    uint32_t count = removal->end[bit] - first;
    uint32_t tail  = group->members - removal->end[bit];
    for (uint32_t i = 0; i < group->owned; i++) {
        if (!kith_pool_can_retire(&group->plan.terms[i].storage->pool, count, tail)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_storage *storage = group->plan.terms[i].storage;
        kith_pool_retire(&storage->pool, first, count, group->members);
        removal->first[storage->bit] = group->members - count;
        removal->end[storage->bit]   = group->members;
    }
    group->members -= count;
    return true;
}

static void cut_from_group(kith_batch_removal *removal, kith_group *group)
{
    if (cuts_others(removal, group) ||
        (cuts_members(removal, group) && close_ranks(removal, group))) {
        return;
    }
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_storage *storage = group->plan.terms[i].storage;
        if (is_cut(removal, storage)) {
            scatter(removal, storage);
        }
    }
}

KITH_INTERNAL void kith_batch_removal_end(kith_batch_removal *removal)
{
    for (uint32_t i = removal->world->groups.count; i-- > 0 && removal->cuts != 0;) {
        cut_from_group(removal, removal->world->groups.groups[i]);
    }
    for (uint64_t bits = removal->cuts; bits != 0; bits &= bits - 1) {
        uint32_t bit = kith_lowest_bit(bits);
        kith_pool_cut(&removal->world->by_bit[bit]->pool, removal->first[bit],
                      removal->end[bit] - removal->first[bit]);
    }
    kith_release(removal->world);
}
