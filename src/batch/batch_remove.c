// SPDX-License-Identifier: MIT
// Removing: takes components from many entities, or destroys them.
#include "batch/batch.h"

#include "world/component.h"
#include "world/membership.h"

// --- checking --------------------------------------------------------------------------------

// Finds out whether the removal from this list has listeners, and whether entities leave or join
// groups. If they do, only destroying goes by blocks.
static void inspect_list(kith_batch_removal *removal, const kith_entity_list *list)
{
    const kith_world *world = removal->world;
    kith_signature    any   = kith_entity_list_components(world, list);
    removal->grouped        = false;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        any.words[word] &= removal->what.words[word];
        removal->singly |= (any.words[word] & world->removal_listeners[word]) != 0;
        for (uint64_t bits = any.words[word]; bits != 0; bits &= bits - 1) {
            const kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(bits)];
            removal->grouped |=
                removal->destroy ? storage->groups_with.count != 0 : kith_storage_in_group(storage);
        }
    }
    if (removal->grouped && !removal->destroy && !removal->singly) {
        removal->what   = any; // without listeners no entity gets another component meanwhile
        removal->singly = true;
    }
}

void kith_batch_removal_begin(kith_batch_removal *removal, kith_world *world, bool destroy,
                              bool all, const char *call)
{
    removal->world   = world;
    removal->destroy = destroy;
    removal->grouped = false;
    removal->call    = call;
    removal->cuts    = 0;
    removal->holes   = 0;
    removal->singly  = world->shared.held != 0 || (destroy && world->events[1].count != 0);
    memset(&removal->what, all ? 0xff : 0, sizeof removal->what);
    kith_hold(world);
}

// Returns true when neither the entity nor a component to remove is being removed already,
// otherwise reports an error.
static bool can_remove(const kith_batch_removal *removal, kith_entity entity)
{
    kith_world *world = removal->world;
    bool        able = !removal->destroy || kith_require_living(world, NULL, entity, removal->call);
    for (uint32_t bit = 0; bit < world->bit_count && able && !removal->destroy; bit++) {
        able = !kith_ids_have(removal->what.words, bit) ||
               !kith_entity_has_bit(world, entity, bit) ||
               kith_require_living(world, world->by_bit[bit], entity, removal->call);
    }
    return able;
}

bool kith_batch_removal_can_announce(const kith_batch_removal *removal)
{
    kith_world *world = removal->world;
    uint64_t    found = removal->destroy ? world->events[1].count : 0;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        found |= world->removal_listeners[word] & removal->what.words[word];
    }
    return found == 0 || kith_require_nestable(world, removal->call, 0);
}

bool kith_batch_removal_allowed(const kith_batch_removal *removal, const kith_entity_list *list)
{
    kith_world *world = removal->world;
    for (uint32_t i = 0; i < list->count && world->nested != 0; i++) {
        if (kith_entity_list_alive(world, list, i) &&
            !can_remove(removal, kith_entity_list_member(list, i))) {
            return false;
        }
    }
    for (uint32_t i = 0; removal->destroy && i < list->count && world->may_destroy != NULL; i++) {
        if (kith_entity_list_alive(world, list, i) &&
            !world->may_destroy(world, kith_entity_list_member(list, i), removal->call)) {
            return false;
        }
    }
    return list->count == 0 || kith_batch_removal_can_announce(removal);
}

// --- one by one ------------------------------------------------------------------------------

// The removal of a component or the destruction of entities, for listeners that get many at once.
typedef struct removal_event {
    const kith_batch_removal *removal;
    const kith_entity_list   *list;
    kith_storage             *storage; // NULL: the entities
} removal_event;

static bool is_removed(const void *event, uint32_t i)
{
    const removal_event *e     = event;
    const kith_world    *world = e->removal->world;
    return e->storage == NULL
               ? kith_entity_list_alive(world, e->list, i)
               : kith_entity_has_bit(world, kith_entity_list_member(e->list, i), e->storage->bit);
}

KITH_NOINLINE static void announce_removal(const removal_event *e)
{
    kith_world             *world = e->removal->world;
    const kith_entity_list *list  = e->list;
    bool                    ends  = e->storage == NULL;
    kith_batch_event      lost  = { list->entities, list->first, list->count, is_removed, e, NULL };
    kith_event            event = ends ? KITH_EVENT_DESTROY : KITH_EVENT_REMOVE;
    const kith_listeners *to    = ends ? &world->events[1] : &e->storage->events[event];
    kith_world_announce_many(world, to, event, ends ? 0 : e->storage->desc.id, &lost);
}

// The way with listeners or an open loop. Removes one component after the other; or announces all
// removals to listeners of many, and then destroys the entities one by one.
static void remove_list_singly(kith_batch_removal *removal, const kith_entity_list *list)
{
    kith_world   *world = removal->world;
    removal_event e     = { removal, list, NULL };
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        if (!kith_ids_have(removal->what.words, bit)) {
            continue;
        }
        e.storage = world->by_bit[bit];
        announce_removal(&e);
        for (uint32_t i = 0; i < list->count && !removal->destroy; i++) {
            if (is_removed(&e, i)) {
                kith_component_remove_from(world, e.storage, kith_entity_list_member(list, i),
                                           removal->call);
            }
        }
    }
    if (removal->destroy) {
        e.storage = NULL;
        announce_removal(&e);
        for (uint32_t i = 0; i < list->count; i++) {
            kith_entity_destroy(world, kith_entity_list_member(list, i));
        }
    }
}

// --- as cuts ---------------------------------------------------------------------------------

// How many rows are looked up together, so that their cache misses overlap.
#define REMOVED_AT_ONCE 256u

// Turns the cut of a storage, if it has one, into holes. From now on each removed row leaves a
// hole.
static void cut_to_holes(kith_batch_removal *removal, kith_storage *storage)
{
    uint32_t rows[REMOVED_AT_ONCE];
    uint64_t bit = UINT64_C(1) << storage->bit;
    bool     cut = (removal->cuts & bit) != 0;
    uint32_t row = cut ? removal->first[storage->bit] : 0;
    uint32_t end = cut ? removal->end[storage->bit] : 0;
    for (uint32_t count; row < end; row += count) {
        count = kith_min(end - row, REMOVED_AT_ONCE);
        kith_array_number32(rows, row, count);
        kith_sparse_set_rows_to_holes(&storage->pool.set, rows, count);
    }
    removal->cuts &= ~bit;
    removal->holes |= bit;
    kith_world_unsettle(removal->world, storage);
}

// Extends the cut of a storage by these rows, or begins it. Returns false when the rows do not
// follow the cut.
static bool extend_cut(kith_batch_removal *removal, uint32_t bit, uint32_t row, uint32_t count)
{
    if (((removal->cuts | removal->holes) >> bit & 1) == 0) {
        removal->cuts |= UINT64_C(1) << bit;
        removal->first[bit] = row;
        removal->end[bit]   = row;
    }
    bool follows = (removal->cuts >> bit & 1) != 0 && row == removal->end[bit];
    removal->end[bit] += follows ? count : 0;
    return follows;
}

// Removes from one storage the rows of these indices: at least one, at most REMOVED_AT_ONCE.
static void remove_from_storage(kith_batch_removal *removal, kith_storage *storage,
                                const uint32_t *indices, uint32_t count)
{
    uint32_t rows[REMOVED_AT_ONCE];
    if (!kith_pool_is_simple(&storage->pool)) {
        for (uint32_t i = 0; i < count; i++) {
            kith_world_remove_later(removal->world, storage, indices[i]);
        }
        return;
    }
    rows[0] = KITH_NO_ROW; // the compiler does not see that count > 0
    kith_sparse_set_clear_slots(&storage->pool.set, indices, count, rows);
    if (!kith_array_is_numbered32(rows, rows[0], count) ||
        !extend_cut(removal, storage->bit, rows[0], count)) {
        cut_to_holes(removal, storage);
        kith_sparse_set_rows_to_holes(&storage->pool.set, rows, count);
    }
}

// Removes the components with bits in later words of the signature.
KITH_NOINLINE static void remove_far(kith_batch_removal *removal, uint32_t index)
{
    kith_world *world = removal->world;
    for (uint32_t words = kith_entity_words(&world->entities, index) & ~1u; words != 0;
         words &= words - 1) {
        uint32_t word = kith_lowest_bit(words);
        uint64_t bits = kith_entity_signature_word(&world->entities, index, word);
        for (bits &= removal->what.words[word]; bits != 0; bits &= bits - 1) {
            kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(bits)];
            kith_plane_bit_clear(&world->entities, index, storage->bit);
            kith_world_remove_later(world, storage, index);
        }
    }
}

// Clears the bits to remove in the signature of an entity. Returns those of the first word, whose
// rows are still to be removed.
static uint64_t take_bits(kith_batch_removal *removal, uint32_t index)
{
    kith_entity_page *page = kith_entity_page_of(&removal->world->entities, index);
    uint64_t         *word = &page->signature[index & KITH_PAGE_MASK_];
    uint64_t          bits = *word & removal->what.words[0];
    if (KITH_UNLIKELY_(removal->grouped)) {
        kith_groups_before_destroy(removal->world, index);
    }
    *word &= ~bits;
    if (KITH_UNLIKELY_(page->more != NULL)) {
        remove_far(removal, index);
    }
    return bits;
}

// Removes from the entities of a block, from place `at` on, at most REMOVED_AT_ONCE: storage by
// storage.
static void remove_chunk(kith_batch_removal *removal, const kith_entity_list *block, uint32_t at)
{
    uint32_t indices[REMOVED_AT_ONCE];
    uint64_t bits[REMOVED_AT_ONCE];
    uint64_t any   = 0;
    uint32_t count = kith_min(block->count - at, REMOVED_AT_ONCE);
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = kith_entity_index(kith_entity_list_member(block, at + i));
        bits[i]    = take_bits(removal, indices[i]);
        any |= bits[i];
    }
    for (; any != 0; any &= any - 1) {
        uint32_t bit = kith_lowest_bit(any);
        uint32_t having[REMOVED_AT_ONCE];
        uint32_t found = 0;
        for (uint32_t i = 0; i < count; i++) {
            having[found] = indices[i];
            found += (uint32_t)(bits[i] >> bit & 1);
        }
        remove_from_storage(removal, removal->world->by_bit[bit], having, found);
    }
}

// Empties the slots of a block of a range in one storage. Returns false and does nothing when the
// rows are not consecutive or do not follow the cut.
static bool cut_block(kith_batch_removal *removal, uint32_t bit, const kith_entity_list *block)
{
    kith_pool *pool = &removal->world->by_bit[bit]->pool;
    if (!kith_pool_is_simple(pool)) {
        return false;
    }
    uint64_t *slots = kith_sparse_set_slot(&pool->set, kith_entity_index(block->first));
    bool      cut   = kith_array_is_numbered(slots, slots[0], block->count) &&
               extend_cut(removal, bit, (uint32_t)slots[0] & ~KITH_HOLE, block->count);
    if (cut) {
        kith_array_fill(slots, KITH_EMPTY, block->count);
    }
    return cut;
}

// Removes what can be removed as arrays from a block of a range. Returns whether anything remains.
static bool remove_range(kith_batch_removal *removal, const kith_entity_list *block)
{
    const kith_entity_page *page =
        kith_entity_page_of(&removal->world->entities, kith_entity_index(block->first));
    uint64_t *words = kith_entity_list_words(removal->world, block);
    uint64_t  what  = removal->what.words[0];
    uint64_t  gone  = 0;
    if ((kith_array_differ(words, block->count) & what) != 0) {
        return true;
    }
    for (uint64_t bits = words[0] & what; bits != 0; bits &= bits - 1) {
        uint32_t bit = kith_lowest_bit(bits);
        gone |= cut_block(removal, bit, block) ? UINT64_C(1) << bit : 0;
    }
    kith_array_set_bits(words, gone, 0, block->count);
    return (words[0] & what) != 0 || page->more != NULL;
}

static void remove_blocks(kith_batch_removal *removal, const kith_entity_list *list)
{
    kith_entity_table *table = &removal->world->entities;
    bool               range = list->entities == NULL;
    kith_entity_list   block;
    for (uint32_t at = 0; kith_entity_list_next(removal->world, list, &at, &block);
         at += block.count) {
        bool rest = !range || removal->grouped || remove_range(removal, &block);
        for (uint32_t done = 0; done < block.count && rest; done += REMOVED_AT_ONCE) {
            remove_chunk(removal, &block, done);
        }
        if (removal->destroy && range) {
            kith_world_record_ended(removal->world, block.first, block.count);
            kith_entity_table_free_range(table, block.first, block.count);
        }
        uint32_t listed = removal->destroy && !range ? block.count : 0;
        for (uint32_t i = 0; i < listed; i++) {
            kith_world_record_ended(removal->world, block.entities[i], 1);
            kith_entity_table_free_slot(table, block.entities[i]);
        }
    }
}

void kith_batch_remove_from(kith_batch_removal *removal, const kith_entity_list *list)
{
    if (!removal->singly && removal->world->destroy_observers != 0) {
        inspect_list(removal, list);
    }
    if (!removal->singly) {
        remove_blocks(removal, list);
        return;
    }
    for (uint64_t bits = removal->cuts; bits != 0; bits &= bits - 1) { // of lists before this one
        cut_to_holes(removal, removal->world->by_bit[kith_lowest_bit(bits)]);
    }
    uint32_t outer = kith_world_begin_batch(removal->world);
    remove_list_singly(removal, list);
    kith_world_end_batch(removal->world, outer);
}

// --- the end ---------------------------------------------------------------------------------

// Returns whether the removed rows of the storage with this bit are a cut.
static bool is_cut(const kith_batch_removal *removal, uint32_t bit)
{
    return bit < 64 && (removal->cuts >> bit & 1) != 0;
}

// Makes the cuts of the pools of a group safe to close. A cut without members is. If all pools have
// the same cut inside the members, the last members fill it, as when the world settles, so that it
// moves to the border; unless they are fewer than the cut. Otherwise the cuts become holes.
static void cut_from_group(kith_batch_removal *removal, kith_group *group)
{
    uint32_t lead    = group->plan.terms[0].storage->bit;
    bool     same    = is_cut(removal, lead) && removal->end[lead] <= group->members;
    uint32_t first   = same ? removal->first[lead] : 0;
    uint32_t count   = same ? removal->end[lead] - first : 0;
    uint32_t tail    = group->members - first - count;
    bool     members = false;
    for (uint32_t i = 0; i < group->owned; i++) {
        uint32_t bit = group->plan.terms[i].storage->bit;
        bool     cut = is_cut(removal, bit);
        members      = members || (cut && removal->first[bit] < group->members);
        same = same && cut && removal->first[bit] == first && removal->end[bit] == first + count &&
               (tail == 0 || tail >= count);
    }
    for (uint32_t i = 0; i < group->owned && members; i++) {
        kith_storage *storage = group->plan.terms[i].storage;
        if (same) {
            kith_pool_refill(&storage->pool, first, count, group->members);
            removal->first[storage->bit] = group->members - count;
            removal->end[storage->bit]   = group->members;
        } else if (is_cut(removal, storage->bit)) {
            cut_to_holes(removal, storage);
        }
    }
    group->members -= members && same ? count : 0;
}

void kith_batch_removal_end(kith_batch_removal *removal)
{
    for (uint32_t i = removal->world->groups.count; i-- > 0 && removal->cuts != 0;) {
        cut_from_group(removal, removal->world->groups.groups[i]);
    }
    for (uint64_t bits = removal->cuts; bits != 0; bits &= bits - 1) {
        uint32_t bit = kith_lowest_bit(bits);
        kith_pool_remove_run(&removal->world->by_bit[bit]->pool, removal->first[bit],
                             removal->end[bit] - removal->first[bit]);
    }
    kith_release(removal->world);
}
