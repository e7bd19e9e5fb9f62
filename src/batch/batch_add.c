// SPDX-License-Identifier: MIT
#include "batch/batch.h"

#include "world/component.h"

// --- gifts -----------------------------------------------------------------------------------

KITH_INTERNAL void kith_give_init(kith_give *give, kith_world *world, const char *call)
{
    give->world     = world;
    give->crowd     = (kith_crowd){ 0 };
    give->call      = call;
    give->from      = NULL;
    give->originals = NULL;
    give->keeps     = false;
    give->continues = false;
    give->gifts     = give->few;
    give->room      = KITH_GIFTS_FEW;
    give->count     = 0;
    give->placed    = 0;
}

static bool fail_set(const kith_give *give, kith_component component, const char *subject)
{
    return kith_world_refuse_because(give->world, KITH_ERROR_ARGUMENT, give->call, component,
                                     subject, NULL);
}

// The storage of one set, which makes sense by itself; NULL and an error if not.
static kith_storage *open_set(const kith_give *give, const kith_values *set)
{
    kith_storage *storage =
        kith_world_open(give->world, set->component, KITH_NULL, KITH_ON_ENTITY, give->call);
    bool values = storage != NULL && set->values != NULL && set->stride != 0;
    if (values && set->stride < storage->desc.size) {
        fail_set(give, set->component, "the stride is shorter than a value");
        return NULL;
    }
    return storage;
}

// How many gifts the sets have; 0 and an error when one makes no sense.
static uint32_t count_gifts(const kith_give *give, const kith_values *sets, uint32_t set_count)
{
    uint32_t gifts = 0;
    for (uint32_t i = 0; i < set_count; i++) {
        const kith_storage *storage = open_set(give, &sets[i]);
        if (storage == NULL) {
            return 0;
        }
        gifts += 1 + storage->need_count;
    }
    return gifts;
}

// The set that comes next after the storage with number `order` in registration order, or NULL.
static const kith_values *next_set(const kith_world *world, const kith_values *sets,
                                   uint32_t set_count, int64_t order)
{
    const kith_values *next   = NULL;
    int64_t            lowest = INT64_MAX;
    for (uint32_t i = 0; i < set_count; i++) {
        int64_t at = kith_world_storage(world, sets[i].component)->order;
        if (at > order && at < lowest) {
            lowest = at;
            next   = &sets[i];
        }
    }
    return next;
}

static bool is_given(const kith_give *give, const kith_storage *storage)
{
    for (uint32_t i = 0; i < give->count; i++) {
        if (give->gifts[i].storage == storage && give->gifts[i].owner == NULL) {
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
        added->same = other->storage == added->storage ? other : added->same;
    }
}

// The gifts of one set. What it requires was registered before, so if that is given too it has its
// gift already, and everyone has it when this gift's turn comes.
static void add_gifts(kith_give *give, kith_storage *storage, const kith_values *set)
{
    bool replaces = kith_storage_replaces(storage) && !(give->keeps && set->values == NULL);
    for (uint32_t i = 0; i < storage->need_count; i++) {
        kith_gift need = { .storage = storage->needs[i], .owner = storage, .keeps = true };
        if (!is_given(give, need.storage)) {
            add_gift(give, &need);
        }
    }
    add_gift(give, &(kith_gift){ .storage = storage,
                                 .values  = storage->desc.size != 0 ? set->values : NULL,
                                 .stride  = set->stride,
                                 .keeps   = !replaces });
}

static bool reserve_gifts(kith_give *give, uint32_t count)
{
    if (count <= give->room) {
        return true;
    }
    kith_gift *gifts = kith_give_borrow(give->world, count * sizeof *gifts, _Alignof(kith_gift));
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
    if (set_count > KITH_COMPONENT_MAX) { // so that counting the gifts cannot overflow
        return fail_set(give, 0, "a component is given twice");
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
        kith_storage *storage = kith_world_storage(world, set->component);
        order                 = storage->order;
        add_gifts(give, storage, set);
    }
    return true;
}

static bool can_copy(const kith_hooks *hooks)
{
    return hooks->copy != NULL || (hooks->destruct == NULL && hooks->move == NULL);
}

// The component of the prefab in storage `bit`, if it has that.
static bool add_copy(kith_give *give, kith_entity prefab, uint32_t bit)
{
    kith_storage *storage = give->world->by_bit[bit];
    kith_gift     gift    = { .storage = storage, .keeps = true };
    if (!kith_entity_bit(&give->world->entities, kith_entity_index(prefab), bit)) {
        return true;
    }
    if (!can_copy(&storage->pool.hooks)) {
        return fail_set(give, storage->desc.id,
                        "values with hooks but no copy hook are not cloned");
    }
    if (storage->desc.kind != KITH_KIND_FLAG) {
        uint32_t row = kith_sparse_set_row(&storage->pool.set, prefab);
        gift.values  = storage->desc.size == 0 ? NULL : kith_pool_value(&storage->pool, row);
        gift.hides   = kith_pool_disabled(&storage->pool, row);
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

// Whether values of the one component can be copied to the other.
static bool check_alike(const kith_give *give, const kith_storage *source,
                        const kith_storage *storage)
{
    const kith_component_desc *there = &source->desc;
    const kith_component_desc *here  = &storage->desc;
    if (source == storage) {
        return true;
    }
    if (there->kind != here->kind || there->size != here->size || source->bound != storage->bound ||
        kith_saved_sum(&there->traits.saved, there->size) !=
            kith_saved_sum(&here->traits.saved, here->size) ||
        kith_fields_places(there->traits.saved.fields) !=
            kith_fields_places(here->traits.saved.fields) ||
        kith_is_opaque(there) != kith_is_opaque(here)) {
        return fail_set(give, here->id, "it has another kind, size or form in the other world");
    }
    return true;
}

// The storage that is in this world what `source` is in the other; NULL and an error if there is
// none.
static kith_storage *twin_storage(const kith_give *give, const kith_storage *source)
{
    bool           same = give->from == give->world;
    kith_component id =
        same ? source->desc.id : kith_component_find(give->world, source->desc.name);
    if (id == 0) {
        kith_world_refuse_because(give->world, KITH_ERROR_UNREGISTERED, give->call, 0, "component",
                                  source->desc.name);
        return NULL;
    }
    kith_storage *storage = kith_world_open(give->world, id, KITH_NULL, KITH_ANY_KIND, give->call);
    if (storage == NULL || !check_alike(give, source, storage)) {
        return NULL;
    }
    if (!can_copy(&storage->pool.hooks)) {
        fail_set(give, id, "values with hooks but no copy hook are not cloned");
        return NULL;
    }
    return storage;
}

// Gifts come in the order of registration here, which may be another there.
static void sort_gifts(kith_give *give)
{
    for (uint32_t i = 1; i < give->count; i++) {
        kith_gift gift = give->gifts[i];
        uint32_t  at   = i;
        for (; at > 0 && give->gifts[at - 1].storage->order > gift.storage->order; at--) {
            give->gifts[at] = give->gifts[at - 1];
        }
        give->gifts[at] = gift;
    }
}

static kith_signature what_originals_have(const kith_give *give, uint32_t count)
{
    kith_signature all   = { { 0 } };
    uint32_t       words = (give->from->bit_count + 63) / 64;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kith_entity_index(give->originals[i]);
        for (uint32_t word = 0; word < words; word++) {
            all.words[word] |= kith_entity_signature_word(&give->from->entities, index, word);
        }
    }
    return all;
}

KITH_INTERNAL bool kith_give_clones(kith_give *give, uint32_t count)
{
    kith_signature all  = what_originals_have(give, count);
    bool           able = reserve_gifts(give, kith_signature_count(&all));
    for (uint32_t bit = 0; bit < give->from->bit_count && able; bit++) {
        const kith_storage *source = give->from->by_bit[bit];
        if ((all.words[bit >> 6] >> (bit & 63) & 1) == 0) {
            continue;
        }
        kith_storage *storage = twin_storage(give, source);
        kith_gift     gift    = { .storage = storage, .source = source, .keeps = true };
        gift.hides            = source->pool.disabled_count != 0;
        able                  = storage != NULL;
        if (able) {
            add_gift(give, &gift);
        }
    }
    sort_gifts(give);
    return able;
}

static void give_back_gift(const kith_give *give, const kith_gift *gift)
{
    const kith_pool *pool = &gift->storage->pool;
    kith_give_back(give->world, gift->staged, (size_t)gift->staged_room * pool->size,
                   pool->set.alignment);
    kith_give_back(give->world, gift->news, kith_give_news_bytes(give), _Alignof(uint64_t));
}

KITH_INTERNAL void kith_give_end(kith_give *give)
{
    for (uint32_t i = 0; i < give->count; i++) {
        give_back_gift(give, &give->gifts[i]);
    }
    if (give->gifts != give->few) {
        kith_give_back(give->world, give->gifts, give->room * sizeof *give->gifts,
                       _Alignof(kith_gift));
    }
}

KITH_INTERNAL size_t kith_give_bytes(const kith_world *world, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        const kith_storage *storage = world->by_bit[bit];
        size_t              values  = storage->pool.plain ? 0 : storage->pool.size;
        bytes = kith_arena_sum(bytes, storage->need_count + 1, sizeof(kith_gift));
        bytes = kith_arena_sum(bytes, count, values);
        bytes = kith_arena_sum(bytes, (count + 63) / 64, sizeof(uint64_t));
        bytes = kith_arena_sum(bytes, 2, storage->pool.set.alignment); // where each of them begins
    }
    // what clones are made from: handle, place in the order, note
    bytes = kith_arena_sum(bytes, count, sizeof(kith_entity) + sizeof(uint32_t) + sizeof(bool));
    return bytes;
}

// --- what cannot fail ------------------------------------------------------------------------

// The values of those who had a row, in the crowd's order: the order in which they were staged.
static void replace_values(kith_give *give, kith_gift *gift)
{
    kith_pool *pool   = &gift->storage->pool;
    uint8_t   *staged = gift->staged;
    for (uint32_t i = 0; i < give->crowd.count; i++) {
        uint32_t row = kith_sparse_set_row(&pool->set, kith_crowd_member(&give->crowd, i));
        if (row == KITH_NO_ROW || row >= gift->base) {
            continue;
        }
        void *value = kith_pool_value(pool, row);
        if (pool->plain) {
            kith_pool_replace(pool, value, kith_gift_value(gift, i));
        } else {
            kith_pool_destruct(pool, value);
            kith_pool_move(pool, value, staged);
            staged += pool->size;
        }
        kith_sparse_set_touch(&pool->set, row, 1);
    }
    gift->staged_count = 0;
}

// The rows of a gift are in place: tells those who must know of each.
static void rows_came(kith_give *give, const kith_gift *gift)
{
    const kith_sparse_set *set = &gift->storage->pool.set;
    for (uint32_t row = gift->base; row < gift->base + gift->added; row++) {
        kith_loop_notify(give->world, gift->storage->add_watch, *kith_sparse_set_packed(set, row));
    }
}

// Hidden gifts are for the newborn, who get them in their order.
static void hide_rows(const kith_give *give, const kith_gift *gift)
{
    uint32_t row = gift->base;
    for (uint32_t i = 0; i < give->crowd.count; i++) {
        if (!kith_gift_is_for(give, gift, i)) {
            continue;
        }
        if (gift->source == NULL ||
            kith_pool_disabled(&gift->source->pool, kith_gift_source_row(give, gift, i))) {
            kith_pool_disable(&gift->storage->pool, row);
        }
        row++;
    }
}

static void complete_rows(kith_give *give, kith_gift *gift)
{
    if (!gift->keeps && gift->added != give->living) {
        replace_values(give, gift);
    }
    if (gift->hides) {
        hide_rows(give, gift);
    }
    if (gift->storage->add_watch != 0) {
        rows_came(give, gift);
    }
}

static void complete(kith_give *give)
{
    for (uint32_t i = 0; i < give->count; i++) {
        if (!kith_gift_is_flag(&give->gifts[i])) {
            complete_rows(give, &give->gifts[i]);
        }
    }
    kith_admit_all(give);
}

// --- all of it -------------------------------------------------------------------------------

// Whether someone listens to add, or to set, now.
static bool is_told(const kith_gift *gift, kith_event event)
{
    return gift->storage->events[event].count != 0 && (event == KITH_EVENT_ADD || !gift->keeps);
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
                kith_world_dying(world, give->gifts[g].storage, entity, give->call)) {
                return false;
            }
        }
    }
    return kith_give_hearable(give, give->crowd.count);
}

KITH_INTERNAL bool kith_give_all(kith_give *give)
{
    kith_world *world = give->world;
    assert(world->shared.held != 0);
    give->heard = kith_give_is_heard(give) || (give->crowd.fresh && world->events[0].count != 0);
    kith_world_enter(world);
    bool done = kith_place_all(give);
    if (done) {
        complete(give);
    } else {
        kith_place_undo(give);
    }
    kith_world_leave(world);
    return done;
}

// --- announcing ------------------------------------------------------------------------------

// Whether the gift brought the component to the i-th member, who still has it from there.
static bool was_added(const kith_give *give, const kith_gift *gift, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    if (!kith_gift_is_flag(gift)) {
        return kith_gift_gave_row(gift, entity);
    }
    return (gift->news[i / 64] >> i % 64 & 1) != 0 &&
           kith_entity_table_alive(&give->world->entities, entity) &&
           !kith_gift_lacks(give, gift->storage, entity);
}

static bool was_set(const kith_give *give, const kith_gift *gift, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    return kith_sparse_set_row(&gift->storage->pool.set, entity) < gift->base;
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
            kith_world_announce_news(give->world, &gift->storage->events[event], event,
                                     gift->storage->desc.id, kith_crowd_member(&give->crowd, i));
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
        const kith_storage *storage = gift->storage;
        gift_news           news    = { give, gift };
        kith_concerned      added   = kith_crowd_concerned(&give->crowd, concerns_added, &news);
        kith_concerned      set     = kith_crowd_concerned(&give->crowd, concerns_set, &news);
        kith_world_announce_many(give->world, &storage->events[KITH_EVENT_ADD], KITH_EVENT_ADD,
                                 storage->desc.id, &added);
        if (!gift->keeps) {
            kith_world_announce_many(give->world, &storage->events[KITH_EVENT_SET], KITH_EVENT_SET,
                                     storage->desc.id, &set);
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

// --- the newborn ----------------------------------------------------------------------------

KITH_INTERNAL bool kith_give_newborn(kith_give *give, kith_entity *entities, uint32_t count)
{
    kith_entity_table *table = &give->world->entities;
    uint32_t           slots = table->count;
    if (!kith_give_hearable(give, count) ||
        !kith_world_make_entities(give->world, entities, count, give->call)) {
        return false;
    }
    give->crowd = kith_crowd_of_new(entities, count);
    if (!kith_give_all(give)) {
        kith_entity_table_put_back(table, entities, count, slots);
        return kith_world_fail(give->world, &give->error);
    }
    kith_world_tell_births(give->world, entities, count);
    kith_give_announce(give);
    return true;
}
