// SPDX-License-Identifier: MIT
// Items of a batch: makes them, announces what they added, and creates entities with them.
#include "batch/batch.h"

#include "world/component.h"

// --- memory ----------------------------------------------------------------------------------

// Returns whether the memory is part of the reserved scratch memory, which is counted already.
static bool is_reserved_scratch(const kith_world *world, const void *memory)
{
    return world->scratch != NULL && kith_arena_contains(world->scratch, memory);
}

void *kith_batch_alloc(kith_world *world, size_t size, size_t alignment)
{
    void *memory = kith_alloc_zeroed(&world->scratch_memory, size, alignment);
    world->borrowed += memory == NULL || is_reserved_scratch(world, memory) ? 0 : size;
    return memory;
}

void kith_batch_free(kith_world *world, void *memory, size_t size, size_t alignment)
{
    if (memory != NULL && !is_reserved_scratch(world, memory)) {
        world->borrowed -= size;
    }
    kith_free(&world->scratch_memory, memory, size, alignment);
}

// --- items -----------------------------------------------------------------------------------

void kith_batch_init(kith_batch *batch, kith_world *world, const char *call)
{
    memset(batch, 0, offsetof(kith_batch, inline_items));
    batch->world    = world;
    batch->call     = call;
    batch->items    = batch->inline_items;
    batch->capacity = KITH_BATCH_ITEMS_INLINE;
}

static bool fail_set(const kith_batch *batch, kith_component component, const char *subject)
{
    return kith_world_refuse_because(batch->world, KITH_ERROR_ARGUMENT, batch->call, component,
                                     subject, NULL);
}

// Counts the items for the sets. Returns 0 and reports an error when a set is wrong.
static uint32_t count_items(const kith_batch *batch, const kith_values *sets, uint32_t set_count)
{
    uint32_t items = 0;
    for (uint32_t i = 0; i < set_count; i++) {
        const kith_values  *set     = &sets[i];
        const kith_storage *storage = kith_storage_for_write(batch->world, set->component,
                                                             KITH_NULL, KITH_SETTABLE, batch->call);
        if (storage == NULL) {
            return 0;
        }
        if (set->values != NULL && set->stride != 0 && set->stride < storage->desc.size) {
            return fail_set(batch, set->component, "the stride is shorter than a value");
        }
        items += 1 + storage->required_count;
    }
    return items;
}

// Returns the storage of the next set in registration order after `last`, or NULL.
static kith_storage *next_storage(const kith_world *world, const kith_values *sets,
                                  uint32_t set_count, const kith_storage *last,
                                  const kith_values **set)
{
    kith_storage *next = NULL;
    for (uint32_t i = 0; i < set_count; i++) {
        kith_storage *storage = kith_world_storage(world, sets[i].component);
        if ((last == NULL || storage->order > last->order) &&
            (next == NULL || storage->order < next->order)) {
            next = storage;
            *set = &sets[i];
        }
    }
    return next;
}

// Inserts an item with default values, for entities that lack the component, before item `at`.
KITH_NOINLINE static kith_batch_item *insert_item(kith_batch *batch, uint32_t at,
                                                  kith_storage *storage)
{
    kith_batch_item *item = &batch->items[at];
    memmove(item + 1, item, (batch->count++ - at) * sizeof *item);
    *item = (kith_batch_item){ .storage = storage, .keeps = true };
    return item;
}

// Adds the items of one set. A required component is registered earlier, so if the call sets it
// too, its item exists already and all members have it before this item.
static void add_set(kith_batch *batch, kith_storage *storage, const kith_values *set)
{
    for (uint32_t i = 0; i < storage->required_count; i++) {
        const kith_batch_item *same = NULL; // the last item of the required component
        for (uint32_t k = 0; k < batch->count; k++) {
            same = batch->items[k].storage == storage->required[i] ? &batch->items[k] : same;
        }
        if (same == NULL || same->owner != NULL) {
            kith_batch_item *required = insert_item(batch, batch->count, storage->required[i]);
            required->owner           = storage;
            required->same            = same;
        }
    }
    kith_batch_item *item = insert_item(batch, batch->count, storage);
    item->values          = storage->desc.size != 0 ? set->values : NULL;
    item->stride          = set->stride;
    item->keeps = !kith_storage_can_replace(storage) || (batch->exact && set->values == NULL);
}

static bool reserve_items(kith_batch *batch, uint32_t count)
{
    if (count <= batch->capacity) {
        return true;
    }
    kith_batch_item *items =
        kith_batch_alloc(batch->world, count * sizeof *items, _Alignof(kith_batch_item));
    if (items == NULL) {
        return kith_world_refuse(batch->world, KITH_ERROR_MEMORY, batch->call, 0, KITH_NULL);
    }
    batch->items    = items;
    batch->capacity = count;
    return true;
}

bool kith_batch_begin(kith_batch *batch, const kith_values *sets, uint32_t set_count)
{
    kith_world *world = batch->world;
    if (!kith_require_array(world, sets, set_count, batch->call)) {
        return false;
    }
    if (set_count > KITH_COMPONENT_MAX) { // counting the items cannot overflow
        return fail_set(batch, 0, "a component is in the sets twice");
    }
    uint32_t items = count_items(batch, sets, set_count);
    if (items == 0 || !reserve_items(batch, items)) {
        return items == 0 && set_count == 0;
    }
    kith_storage *storage = NULL;
    for (uint32_t i = 0; i < set_count; i++) {
        const kith_values *set = NULL;
        storage                = next_storage(world, sets, set_count, storage, &set);
        if (storage == NULL) {
            return fail_set(batch, 0, "a component is in the sets twice");
        }
        add_set(batch, storage, set);
    }
    return true;
}

// Returns whether values can be copied, otherwise reports an error.
KITH_NOINLINE static bool can_copy(const kith_batch *batch, const kith_storage *storage)
{
    const kith_hooks *hooks = &storage->pool.hooks;
    return hooks->copy != NULL || (hooks->destruct == NULL && hooks->move == NULL) ||
           fail_set(batch, storage->desc.id, "values with hooks need a copy hook to be cloned");
}

bool kith_batch_copies(kith_batch *batch, kith_entity prefab)
{
    const kith_world *world = batch->world;
    if (!reserve_items(batch, kith_entity_components(world, prefab, NULL, 0))) {
        return false;
    }
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        if (!kith_entity_has_bit(world, prefab, bit) ||
            world->by_bit[bit]->desc.traits.not_cloned ||
            world->by_bit[bit]->access == KITH_ACCESS_LIST) {
            continue;
        }
        kith_storage *storage = kith_storage_for_write(batch->world, world->by_bit[bit]->desc.id,
                                                       KITH_NULL, KITH_ON_ENTITY, batch->call);
        if (storage == NULL || !can_copy(batch, storage)) {
            return false;
        }
        kith_batch_item *item = insert_item(batch, batch->count, storage);
        if (!kith_batch_item_is_flag(item)) {
            uint32_t row   = kith_sparse_set_row(&storage->pool.set, prefab);
            item->values   = storage->desc.size == 0 ? NULL : kith_pool_value(&storage->pool, row);
            item->disabled = kith_pool_is_disabled(&storage->pool, row);
        }
    }
    return true;
}

// Returns whether a value of one component can be copied to the other.
static bool is_alike(const kith_storage *source, const kith_storage *storage)
{
    const kith_component_desc *there = &source->desc;
    const kith_component_desc *here  = &storage->desc;
    return source == storage ||
           (there->kind == here->kind && there->size == here->size &&
            source->is_hierarchy == storage->is_hierarchy && source->access == storage->access &&
            kith_saved_sum(&there->traits.saved, there->size) ==
                kith_saved_sum(&here->traits.saved, here->size) &&
            kith_fields_same(there->traits.saved.fields, here->traits.saved.fields, true) &&
            kith_is_opaque(there) == kith_is_opaque(here));
}

// Returns the storage in this world for `source` in the other world, or NULL and reports an error.
static kith_storage *matching_storage(const kith_batch *batch, const kith_storage *source)
{
    bool           same = batch->from == batch->world;
    kith_component id =
        same ? source->desc.id : kith_component_find(batch->world, source->desc.name);
    if (id == 0) {
        kith_world_refuse_because(batch->world, KITH_ERROR_UNREGISTERED, batch->call, 0,
                                  "component", source->desc.name);
        return NULL;
    }
    kith_storage *storage =
        kith_storage_for_write(batch->world, id, KITH_NULL, KITH_ANY_KIND, batch->call);
    if (storage == NULL) {
        return NULL;
    }
    bool good = is_alike(source, storage)
                    ? can_copy(batch, storage)
                    : fail_set(batch, id, "kind, size or form differ in the other world");
    return good ? storage : NULL;
}

bool kith_batch_clones(kith_batch *batch, uint32_t count)
{
    kith_entity_list originals = { .entities = batch->originals, .count = count, .whole = true };
    kith_signature   all       = kith_entity_list_components(batch->from, &originals);
    bool             able      = reserve_items(batch, kith_signature_count(&all));
    for (uint32_t bit = 0; bit < batch->from->bit_count && able; bit++) {
        const kith_storage *source = batch->from->by_bit[bit];
        bool          present = kith_ids_have(all.words, bit) && !source->desc.traits.not_cloned;
        kith_storage *storage = present ? matching_storage(batch, source) : NULL;
        able                  = storage != NULL || !present;
        if (storage != NULL) { // in the order of this world, which may be another one
            uint32_t at = batch->count;
            while (at > 0 && batch->items[at - 1].storage->order > storage->order) {
                at--;
            }
            kith_batch_item *item = insert_item(batch, at, storage);
            item->source          = source;
            item->disabled        = source->pool.set.head.disabled_ != 0;
        }
    }
    return able;
}

void kith_batch_end(kith_batch *batch)
{
    kith_world *world = batch->world;
    for (const kith_batch_item *item = batch->items; item < batch->items + batch->count; item++) {
        const kith_pool *pool = &item->storage->pool;
        kith_batch_free(world, item->staged, (size_t)item->staged_capacity * pool->size,
                        pool->set.alignment);
        kith_batch_free(world, item->gained, kith_batch_gained_bytes(batch), _Alignof(uint64_t));
    }
    if (batch->items != batch->inline_items) {
        kith_batch_free(world, batch->items, batch->capacity * sizeof *batch->items,
                        _Alignof(kith_batch_item));
    }
}

size_t kith_batch_bytes(const kith_world *world, uint32_t count)
{
    size_t bytes = 0;
    size_t item  = sizeof(kith_batch_item) + (count / 64 + 1) * sizeof(uint64_t);
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        const kith_storage *storage = world->by_bit[bit];
        size_t              values  = storage->pool.plain ? 0 : storage->pool.size;
        bytes                       = kith_size_add(bytes, storage->required_count + 1, item);
        bytes                       = kith_size_add(bytes, count, values);
        bytes = kith_size_add(bytes, 2, storage->pool.set.alignment); // padding before each
    }
    // clones: the handle of the original, its place in the order, and kith_cloned_nodes.alone
    bytes = kith_size_add(bytes, count, sizeof(kith_entity) + sizeof(uint32_t) + sizeof(bool));
    return bytes;
}

// --- listeners -------------------------------------------------------------------------------

// Returns whether the event has listeners now and the item can cause it.
static bool has_listeners_of(const kith_batch_item *item, kith_event event)
{
    return item->storage->events[event].count != 0 && (event == KITH_EVENT_ADD || !item->keeps);
}

bool kith_batch_has_listeners(const kith_batch *batch)
{
    bool found = false;
    for (uint32_t i = 0; i < batch->count && !found; i++) {
        found = has_listeners_of(&batch->items[i], KITH_EVENT_ADD) ||
                has_listeners_of(&batch->items[i], KITH_EVENT_SET);
    }
    return found;
}

// Whether listeners may run for `count` members. Otherwise reports an error.
static bool can_announce(const kith_batch *batch, uint32_t count)
{
    return count == 0 || !kith_batch_has_listeners(batch) ||
           kith_require_nestable(batch->world, batch->call, 0);
}

// Whether the targets of all new links can be linked. Otherwise reports an error. The link of a
// clone is checked when its add is announced.
static bool accept_links(const kith_batch *batch, uint32_t count)
{
    bool accepted = true;
    for (const kith_batch_item *item = batch->items; item < batch->items + batch->count; item++) {
        const kith_link_ops *ops    = item->source == NULL ? item->storage->link.ops : NULL;
        uint32_t             lists  = 0;
        bool                 is_new = batch->list.count == 0;
        bool                 once   = is_new && item->stride == 0; // one target for all
        for (uint32_t i = 0; ops != NULL && i < (once ? count != 0 : count) && accepted; i++) {
            kith_entity entity = is_new ? KITH_NULL : kith_entity_list_member(&batch->list, i);
            bool        keeps =
                item->keeps && kith_entity_has_bit(batch->world, entity, item->storage->bit);
            lists = item->stride == 0 ? 0 : lists; // one list for all
            if (!keeps && (is_new || kith_entity_list_alive(batch->world, &batch->list, i))) {
                accepted = ops->accept(batch->world, item->storage, entity,
                                       kith_batch_item_value(item, i), &lists, batch->call);
            }
        }
    }
    return accepted;
}

bool kith_batch_allowed(const kith_batch *batch)
{
    kith_world *world = batch->world;
    for (uint32_t i = 0; i < batch->list.count && world->nested != 0; i++) {
        kith_entity entity = kith_entity_list_member(&batch->list, i);
        for (uint32_t g = 0; g < batch->count; g++) {
            if (batch->items[g].owner == NULL && kith_entity_list_alive(world, &batch->list, i) &&
                !kith_require_living(world, batch->items[g].storage, entity, batch->call)) {
                return false;
            }
        }
    }
    return can_announce(batch, batch->list.count) && accept_links(batch, batch->list.count);
}

// --- announcing ------------------------------------------------------------------------------

// An event of an item.
typedef struct item_event {
    const kith_batch      *batch;
    const kith_batch_item *item;
    kith_event             event; // add or set
} item_event;

// Returns whether the event is about member `i`, and a listener did not remove the component.
static bool concerns(const void *context, uint32_t i)
{
    const item_event      *of     = context;
    const kith_batch_item *item   = of->item;
    kith_entity            entity = kith_entity_list_member(&of->batch->list, i);
    uint32_t               row    = kith_sparse_set_row(&item->storage->pool.set, entity);
    bool                   added  = of->batch->by_blocks || row >= item->base;
    if (item->gained != NULL) {
        added = (item->gained[i / 64] >> i % 64 & 1) != 0;
    }
    return added == (of->event == KITH_EVENT_ADD) &&
           (row < item->end || kith_batch_item_is_flag(item)) &&
           kith_entity_has_bit(of->batch->world, entity, item->storage->bit);
}

#define ALL_MEMBERS UINT32_MAX

// Announces the events of one component and its required ones: of ALL_MEMBERS to listeners of many,
// or of member `i` to listeners of one. Returns false when there is no listener of one: then there
// is none for the members after it either.
static bool announce_items(kith_batch *batch, const kith_batch_item *first,
                           const kith_batch_item *last, uint32_t i)
{
    const kith_entity_list *list  = &batch->list;
    bool                    found = false;
    for (const kith_batch_item *item = first; item <= last; item++) {
        for (kith_event event = KITH_EVENT_ADD; event <= KITH_EVENT_SET; event++) {
            const kith_listeners *listeners = &item->storage->events[event];
            kith_component        id        = item->storage->desc.id;
            item_event            of        = { batch, item, event };
            bool all_heard = i != ALL_MEMBERS && listeners->count == listeners->many;
            if (all_heard || !has_listeners_of(item, event)) {
                continue;
            }
            found = true;
            if (i == ALL_MEMBERS) {
                const kith_sparse_set *rows = &item->storage->pool.set;
                bool                   each = event == KITH_EVENT_ADD &&
                            (batch->by_blocks ? batch->living : item->added) == list->count;
                kith_batch_event all = { list->entities, list->first, list->count,
                                         concerns,       &of,         each ? rows : NULL };
                kith_world_announce_many(batch->world, listeners, event, id, &all);
            } else if (concerns(&of, i)) {
                kith_world_announce_one(batch->world, listeners, event, id,
                                        kith_entity_list_member(list, i));
            }
        }
    }
    return found;
}

void kith_batch_announce(kith_batch *batch)
{
    const kith_batch_item *first = batch->items;
    uint32_t               outer = kith_world_begin_batch(batch->world);
    for (uint32_t g = 0; g < batch->count && batch->has_listeners; g++) {
        const kith_batch_item *last = &batch->items[g];
        if (last->owner == NULL) {
            uint32_t i = 0;
            announce_items(batch, first, last, ALL_MEMBERS);
            while (i < batch->list.count && announce_items(batch, first, last, i)) {
                i++;
            }
            first = last + 1;
        }
    }
    kith_world_end_batch(batch->world, outer);
}

// --- creating entities -----------------------------------------------------------------------

bool kith_batch_create(kith_batch *batch, kith_entity *entities, uint32_t count)
{
    kith_entity_table *table = &batch->world->entities;
    uint32_t           slots = table->count;
    if (!can_announce(batch, count) || !accept_links(batch, count) ||
        !kith_world_create_entities(batch->world, entities, count, batch->call)) {
        return false;
    }
    if (batch->count != 0) { // else there is nothing to add, and no list is needed
        batch->list = kith_entity_list_of_new(entities, count);
        if (!kith_batch_add(batch)) {
            kith_entity_table_undo_alloc(table, entities, count, slots);
            return kith_world_fail(batch->world, &batch->error);
        }
    }
    kith_world_announce_births(batch->world, entities, count);
    kith_batch_announce(batch);
    return true;
}
