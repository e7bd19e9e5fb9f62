// SPDX-License-Identifier: MIT
// kith_world_validate: checks that every structure of a world agrees with every other.
#include "event/event.h"
#include "group/group.h"
#include "snapshot/hash.h"
#include "system/system.h"

// Each check returns NULL, or a sentence that says what is wrong.
#define CHECK(CONDITION, SENTENCE)                                                                 \
    do {                                                                                           \
        if (!(CONDITION)) {                                                                        \
            return SENTENCE;                                                                       \
        }                                                                                          \
    } while (0)

// Returns the sentence of another check, unless that is NULL.
#define PASS(SENTENCE)                                                                             \
    do {                                                                                           \
        const char *sentence = SENTENCE;                                                           \
        CHECK(sentence == NULL, sentence);                                                         \
    } while (0)

// --- entities --------------------------------------------------------------------------------

// The summary must name exactly the further words that are not 0.
static const char *check_signature(const kith_world *world, uint32_t index)
{
    uint32_t words = 1;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        uint64_t bits  = kith_entity_signature_word(&world->entities, index, word);
        uint32_t known = world->bit_count > word * 64 ? world->bit_count - word * 64 : 0;
        words |= (uint32_t)(bits != 0) << word;
        CHECK(known >= 64 || bits >> known == 0,
              "an entity has a component that is not registered");
    }
    CHECK(words == kith_entity_words(&world->entities, index),
          "an entity's summary of signature words is wrong");
    return NULL;
}

static const char *check_slot(const kith_world *world, uint32_t index)
{
    const kith_entity_table *table   = &world->entities;
    const kith_entity_page  *page    = kith_entity_page_of(table, index);
    uint64_t                 slot    = *kith_entity_slot_of(table, index);
    uint32_t                 version = kith_entity_version(slot);
    bool                     alive   = kith_entity_index(slot) == index;
    CHECK(version <= table->version_last, "a slot's version is above the last version");
    CHECK(page->known.version == 0 || (alive && version == page->known.version),
          "all slots of a page are marked alike, and one differs");
    CHECK(!page->bare, "the signatures of a page are not written");
    CHECK(!alive || version != 0, "a living entity has version 0");
    PASS(check_signature(world, index));
    CHECK(alive || (kith_entity_words(table, index) == 1 &&
                    kith_entity_signature_word(table, index, 0) == 0),
          "a slot that is not alive has components");
    CHECK(table->order != KITH_FREE_LOWEST ||
              kith_bit_tree_has(&table->lowest, index) == kith_entity_slot_is_free(table, index),
          "the set of free indices differs from the slots");
    return NULL;
}

static const char *check_entities(const kith_world *world)
{
    const kith_entity_table *table = &world->entities;
    uint32_t                 alive = 0, free = 0, retired = 0;
    CHECK(table->count <= table->room && table->room <= table->index_end,
          "the entity table is beyond its pages or its limit");
    for (uint32_t index = 0; index < table->count; index++) {
        PASS(check_slot(world, index));
        uint32_t link = kith_entity_index(*kith_entity_slot_of(table, index));
        alive += link == index;
        free += kith_entity_slot_is_free(table, index);
        retired += link == KITH_SLOT_RETIRED;
    }
    CHECK(alive == kith_entity_table_count(table), "the number of living entities is wrong");
    CHECK(free == table->free, "the number of free slots is wrong");
    CHECK(retired == table->retired, "the number of retired slots is wrong");
    CHECK(kith_bit_tree_sound(&table->lowest), "the set of free indices has a wrong summary");
    for (uint32_t index = table->count; index < table->room; index++) { // must not look alive
        CHECK(*kith_entity_slot_of(table, index) == KITH_SLOT_RESERVED,
              "a slot that was never used is not empty");
    }
    return kith_entity_table_list_fault(table);
}

// --- pools -----------------------------------------------------------------------------------

static const char *check_row(const kith_world *world, const kith_storage *storage, uint32_t row)
{
    uint32_t index = *kith_sparse_set_packed(&storage->pool.set, row);
    CHECK(index < world->entities.count, "a row's entity is beyond the entity table");
    uint64_t entity = *kith_entity_slot_of(&world->entities, index);
    CHECK(kith_entity_index(entity) == index, "a row's entity is not alive");
    CHECK(kith_sparse_set_row(&storage->pool.set, entity) == row,
          "a row's entity is not looked up to that row");
    CHECK(kith_entity_bit(&world->entities, index, storage->bit),
          "a row's entity lacks the component's signature bit");
    return NULL;
}

static const char *check_holes(const kith_sparse_set *set)
{
    uint32_t length = 0;
    uint32_t hole   = set->newest_hole;
    for (; hole != KITH_NO_ROW && length <= set->holes; length++) {
        CHECK(hole < set->head.rows_ && (*kith_sparse_set_packed(set, hole) & KITH_HOLE) != 0,
              "the list of holes leads to a row that is not a hole");
        hole = kith_sparse_set_older_hole(set, hole);
    }
    CHECK(length == set->holes, "the list of holes is longer or shorter than counted");
    CHECK(length == 0 || set->policy == KITH_POLICY_STABLE || set->shared->held != 0,
          "a swap pool has holes, though nothing holds the world");
    return NULL;
}

static uint32_t count_sparse(const kith_sparse_set *set)
{
    uint32_t count = 0;
    for (uint32_t page = 0; page < set->head.sparse_pages_; page++) {
        for (uint32_t i = 0; i < KITH_PAGE_SLOTS && !kith_sparse_set_page_absent(set, page); i++) {
            count += set->head.sparse_[page][i] != KITH_EMPTY;
        }
    }
    return count;
}

// Disable bits of rows without a value must be 0.
static const char *check_disabled(const kith_pool *pool)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < pool->disabled_words; word++) {
        for (uint64_t bits = pool->disabled[word]; bits != 0; bits &= bits - 1) {
            uint64_t row = (uint64_t)word * 64 + kith_lowest_bit(bits);
            CHECK(row < pool->set.head.rows_ && !kith_pool_is_hole(pool, (uint32_t)row),
                  "a row without a value is disabled");
            count++;
        }
    }
    CHECK(count == pool->set.head.disabled_, "the number of disabled rows is wrong");
    uint64_t rows = (uint64_t)pool->set.page_count << pool->set.head.shift_;
    CHECK(pool->disabled == NULL || (uint64_t)pool->disabled_words * 64 >= rows,
          "the disable bits do not reach all rows");
    return NULL;
}

// Values that were removed while the world is held.
static const char *check_removed(const kith_world *world, const kith_storage *storage)
{
    const kith_sparse_set *set     = &storage->pool.set;
    uint32_t               removed = set->policy == KITH_POLICY_SWAP ? set->holes : 0;
    CHECK(kith_ids_have(world->unsettled, storage->bit) == (set->removed_while_held != 0),
          "a pool with removed values does not wait to settle");
    CHECK(set->removed_while_held == 0 || set->shared->held != 0,
          "removed values wait, though nothing holds the world");
    if (set->policy == KITH_POLICY_STABLE) {
        for (uint32_t row = kith_sparse_set_next_removed(set, 0); row != KITH_NO_ROW;
             row          = kith_sparse_set_next_removed(set, row + 1)) {
            CHECK(kith_pool_is_hole(&storage->pool, row), "a removed row is not a hole");
            removed++;
        }
    }
    CHECK(removed == set->removed_while_held, "the number of removed values that wait is wrong");
    return NULL;
}

// The open loops whose queries name the component, one bit each. `of_adding`: without those that
// have it as a pool term.
static uint32_t watchers(const kith_world *world, const kith_storage *storage, bool of_adding)
{
    uint32_t watch = 0;
    for (uint32_t depth = 0; depth < world->depth; depth++) {
        const kith_plan *plan = world->loops[depth].plan;
        for (uint32_t i = 0; plan != NULL && i < plan->count; i++) {
            if (plan->terms[i].storage == storage && (i >= plan->pool_end || !of_adding)) {
                watch |= 1u << depth;
            }
        }
    }
    return watch;
}

// Whether every page of the pool's lookup has the signature words that inline code writes.
static bool signatures_reach(const kith_world *world, const kith_storage *storage)
{
    const kith_sparse_set *set     = &storage->pool.set;
    bool                   reached = set->head.sparse_pages_ <= world->entities.page_count;
    for (uint32_t page = 0; page < set->head.sparse_pages_ && reached; page++) {
        reached = kith_sparse_set_page_absent(set, page) ||
                  kith_plane_ready(&world->entities, page << KITH_PAGE_SHIFT_, storage->bit);
    }
    return reached;
}

static const char *check_pool(const kith_world *world, const kith_storage *storage)
{
    const kith_pool       *pool  = &storage->pool;
    const kith_sparse_set *set   = &pool->set;
    uint32_t               holes = 0;
    uint64_t               room  = (uint64_t)set->page_count << set->head.shift_;
    CHECK(set->head.rows_ <= set->head.capacity_, "a pool has more rows than room");
    CHECK(set->head.capacity_ == (room < set->limit ? room : kith_sparse_set_max(set)),
          "a pool's room is not that of its pages and its limit");
    CHECK(set->head.inline_bit_ == kith_storage_inline_bit(storage) &&
              storage->is_direct == (storage->bit < 64 && !kith_storage_in_group(storage)),
          "inline code would add or remove what it may not");
    CHECK(set->head.word_ == storage->bit >> 6, "inline code would write another signature word");
    CHECK(signatures_reach(world, storage),
          "inline code would write a signature word that is not allocated");
    CHECK(set->head.listeners_ == kith_storage_announced(storage),
          "inline code would not call listeners");
    for (uint32_t row = 0; row < set->head.rows_; row++) {
        bool hole = kith_pool_is_hole(pool, row);
        holes += hole;
        PASS(hole ? NULL : check_row(world, storage, row));
    }
    CHECK(holes == set->holes, "the number of holes is wrong");
    CHECK(count_sparse(set) == kith_sparse_set_count(set),
          "a pool looks up more entities than it has rows");
    CHECK(pool->plain || pool->spare != NULL || pool->size == 0 || set->head.rows_ == 0,
          "a pool with hooks has no spare place");
    PASS(check_holes(set));
    PASS(check_removed(world, storage));
    PASS(storage->link.ops == NULL ? NULL : storage->link.ops->check(world, storage, true));
    CHECK(set->head.tick_ == world->tick, "a pool is at another tick than the world");
    PASS(kith_sparse_set_ticks_fault(set, world->tick));
    CHECK((pool->journal.entries != NULL) == (pool->journal.capacity != 0),
          "a journal has entries and no capacity, or no entries");
    PASS(kith_journal_fault(&pool->journal, world->tick));
    return check_disabled(pool);
}

static const char *check_storage(const kith_world *world, const kith_storage *storage)
{
    CHECK(world->access_check != NULL ||
              kith_pools_storage(world->head.pools_, storage->desc.id) != NULL,
          "a component is hidden");
    CHECK(kith_world_storage(world, storage->desc.id) == storage,
          "a component's id leads to another component");
    CHECK(storage->path == NULL || kith_path_has(storage->path, storage),
          "a component belongs to a path that does not have it");
    CHECK(storage->single == NULL || storage->desc.kind == KITH_KIND_SINGLETON,
          "a component on entities has a singleton's value");
    CHECK(storage->kept == NULL || storage->keeps,
          "a component keeps memory that was not reserved");
    if (storage->bit == KITH_NO_BIT) {
        CHECK(storage->pool.set.head.rows_ == 0, "a singleton has rows");
        CHECK(storage->single == NULL || storage->pool.plain || storage->pool.spare != NULL,
              "a singleton with hooks has no spare place");
        return NULL;
    }
    CHECK(storage->names.has_all == NULL || storage->names.has_all(world, storage),
          "a name is not in the index");
    bool sole = storage->groups_without.count == 0 && storage->groups_with.count == 1;
    CHECK(storage->sole_group == (sole ? storage->groups_with.groups[0] : NULL),
          "a component's only group is wrong");
    CHECK(storage->bit < world->bit_count && world->by_bit[storage->bit] == storage,
          "a component's signature bit leads to another component");
    uint32_t count = 0;
    for (uint32_t index = 0; index < world->entities.count; index++) {
        count += kith_entity_bit(&world->entities, index, storage->bit);
    }
    CHECK(count == kith_storage_count(storage), "the signatures and a component's count differ");
    CHECK(storage->add_watch == watchers(world, storage, true) &&
              storage->drop_watch == watchers(world, storage, false),
          "a component notifies other loops than name it");
    return check_pool(world, storage);
}

// --- the world -------------------------------------------------------------------------------

static const char *check_loops(const kith_world *world)
{
    uint32_t over_table = 0;
    CHECK(world->shared.held >= world->depth + world->nested,
          "an open loop does not hold the world");
    CHECK(world->shared.held != 0 || !world->unsettled_any,
          "the world has something to settle, though nothing holds it");
    for (uint32_t depth = 0; depth < KITH_LOOP_DEPTH_MAX; depth++) {
        const kith_loop *loop = &world->loops[depth];
        CHECK((loop->serial != 0) == (depth < world->depth), "a closed loop is still in the stack");
        CHECK(loop->ticket == 0 || loop->ticket == loop->serial, "a loop has another one's ticket");
        bool table = depth < world->depth && loop->plan != NULL && loop->lead == KITH_NO_TERM;
        over_table |= table ? 1u << depth : 0;
    }
    CHECK(world->entities.has_listeners == (world->events[0].count != 0) &&
              world->entities.inline_room ==
                  (over_table != 0 || world->entities.has_listeners ? 0 : world->entities.room),
          "inline code would create an entity without its event");
    CHECK(world->table_watch == over_table &&
              world->entities.table_loops == kith_bit_count(over_table),
          "the number of loops over all entities is wrong");
    return NULL;
}

// The counts and masks of listeners that destroying an entity calls.
static const char *check_listeners(const kith_world *world)
{
    uint32_t count = world->events[1].count;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_storage *storage  = world->storages[i];
        uint32_t            observed = storage->events[KITH_EVENT_REMOVE].count;
        count += observed;
        CHECK(storage->bit == KITH_NO_BIT ||
                  kith_ids_have(world->removal_listeners, storage->bit) == (observed != 0),
              "the mask of removal listeners is wrong");
    }
    CHECK(count + world->groups.count == world->destroy_observers,
          "the number of destroy observers is wrong");
    return NULL;
}

// While a group is unsettled, entities wait to join or to leave it. The members of an owning group
// have the same rows in each of its pools.
static const char *check_group(const kith_world *world, const kith_group *group)
{
    uint32_t matching = 0;
    for (uint32_t index = 0; index < world->entities.count; index++) {
        bool matches = kith_entity_index_alive(&world->entities, index) &&
                       kith_group_matches(group, index, NULL);
        matching += matches;
        CHECK(group->unsettled || matches == kith_group_has_member(group, index),
              "a group's members are not the entities that match it");
    }
    CHECK(matching == group->count, "the number of a group's members is wrong");
    CHECK(group->unsettled || group->members == group->count, "a group has lost members");
    CHECK(!group->unsettled || world->shared.held != 0,
          "a group waits to settle, though nothing holds the world");
    for (uint32_t i = 0; i < group->owned; i++) {
        const kith_sparse_set *first = &group->plan.terms[0].storage->pool.set;
        const kith_sparse_set *set   = &group->plan.terms[i].storage->pool.set;
        CHECK(group->members <= set->head.rows_, "a group has more members than rows");
        for (uint32_t row = 0; row < group->members; row++) {
            uint32_t a = *kith_sparse_set_packed(first, row);
            uint32_t b = *kith_sparse_set_packed(set, row);
            CHECK(a == b || ((a | b) & KITH_HOLE) != 0,
                  "the pools of a group are not in one order");
        }
    }
    return NULL;
}

static const char *check_groups(const kith_world *world)
{
    for (uint32_t i = 0; i < world->groups.count; i++) {
        PASS(check_group(world, world->groups.groups[i]));
    }
    CHECK(world->shared.held != 0 || world->entities.first_link == KITH_NO_INDEX,
          "entities wait to join a group, though nothing holds the world");
    return NULL;
}

// A component belongs to the oldest path that has it, and an arranged path is in order.
static const char *check_paths(const kith_world *world)
{
    for (const kith_path *path = world->paths; path != NULL; path = path->next) {
        for (uint32_t i = 0; i < path->desc.component_count && !path->dropped; i++) {
            const kith_path *oldest = world->paths;
            while (!kith_path_has(oldest, path->storages[i])) {
                oldest = oldest->next;
            }
            CHECK(path->storages[i]->path == oldest, "a component belongs to another path");
        }
        if (kith_path_arranged(path)) {
            kith_arrangement arrangement;
            kith_arrangement_init(&arrangement, world, path->storages, path->desc.component_count,
                                  path);
            kith_arrangement_run(&arrangement, 0);
            CHECK(!arrangement.stopped, "a path that counts as arranged is not in order");
        }
    }
    return NULL;
}

static const char *check_queues(const kith_world *world)
{
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        CHECK(queue->waiting.count <= queue->waiting.capacity &&
                  queue->delivering.count <= queue->delivering.capacity,
              "a queue has more events than room");
        CHECK(queue->layout.form == queue->desc.saved.form,
              "the events of a queue are not saved as it says");
        CHECK(queue->next <= queue->delivering.count, "a queue delivers more events than it has");
        CHECK(queue->updating || queue->delivering.count == 0, "a queue has lost events");
        CHECK(!queue->updating || world->nested != 0,
              "a queue is being updated, though no event is announced");
        CHECK(queue->desc.limit == 0 || kith_queue_count(queue) <= queue->desc.limit,
              "a queue has more events than its limit");
        uint32_t connected = 0;
        for (const kith_listener_node *n = queue->handlers.first; n != NULL; n = n->next) {
            connected += n->call != NULL;
        }
        CHECK(connected == queue->handlers.count, "the number of a queue's handlers is wrong");
    }
    return NULL;
}

// Whether the entity is in the set, or has a component that the set watches.
static bool matters_to(const kith_reactive *set, kith_entity entity)
{
    const kith_entity_table *table    = &set->object.world->entities;
    bool                     concerns = kith_reactive_contains(set, entity);
    for (uint32_t i = 0; i < set->desc.condition_count && !concerns; i++) {
        concerns = kith_entity_bit(table, kith_entity_index(entity), set->watches[i].storage->bit);
    }
    return concerns;
}

static const char *check_reactive(const kith_world *world, const kith_reactive *set)
{
    CHECK(kith_entity_set_sound(&set->members), "a reactive set does not find its members");
    uint32_t    coming = 0;
    uint64_t    place  = 0;
    kith_entity member = kith_reactive_next(set, &place);
    for (; member != KITH_NULL; member = kith_reactive_next(set, &place)) {
        coming += !kith_entity_table_alive(&world->entities, member);
    }
    for (uint32_t index = 0; index < world->entities.count; index++) {
        coming += kith_entity_index_alive(&world->entities, index) &&
                  matters_to(set, *kith_entity_slot_of(&world->entities, index));
    }
    CHECK(coming <= set->members.capacity, "a reactive set has no room for entities that may join");
    CHECK(set->since <= world->tick, "a reactive set was updated in the future");
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        const kith_watch *found = set->watches[i].storage->watches;
        while (found != NULL && found != &set->watches[i]) {
            found = found->next;
        }
        CHECK(found != NULL, "a component does not know that a reactive set watches it");
    }
    return NULL;
}

static const char *check_reactives(const kith_world *world)
{
    uint32_t reservers = 0;
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        PASS(check_reactive(world, set));
        reservers += set->desc.condition_count;
    }
    for (uint32_t i = 0; i < world->groups.count; i++) {
        reservers += world->groups.groups[i]->owned == 0;
    }
    for (uint32_t i = 0; i < world->storage_count; i++) {
        reservers -= world->storages[i]->reservers;
    }
    CHECK(reservers == 0, "the number of a component's reservers is wrong");
    return NULL;
}

// --- systems ---------------------------------------------------------------------------------

static const char *check_system(const kith_graph *graph, uint32_t place)
{
    const kith_system     *system   = graph->order[place];
    const kith_sparse_set *tracked  = &system->tracked_entities;
    uint32_t               trackers = 0;
    CHECK(system->number < graph->count && graph->systems[system->number] == system,
          "a system is not at its number");
    for (uint32_t i = 0; i < graph->count; i++) {
        CHECK(i < place || !kith_graph_precedes(graph, graph->order[i]->number, system->number),
              "a system runs before a system that must come first");
        trackers += graph->order[i]->group == system->group;
    }
    CHECK((system->group != NULL) == system->desc.tracked, "a tracked system has no group");
    CHECK(system->query == NULL || system->query->owner == system->desc.name,
          "a system's query can be destroyed");
    CHECK(system->group == NULL || system->group->trackers == trackers,
          "a group counts the systems that use it wrongly");
    for (uint32_t row = 0; row < tracked->head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(tracked, row);
        CHECK(index < KITH_HOLE && kith_sparse_set_row_at(tracked, index) == row,
              "a tracked entity is not looked up to its row");
    }
    CHECK(tracked->holes == 0 && count_sparse(tracked) == tracked->head.rows_,
          "a system looks up an entity that it does not track");
    return NULL;
}

static const char *check_systems(const kith_world *world)
{
    const kith_schedule *schedule = world->schedule;
    CHECK(world->access_check == NULL || (schedule != NULL && schedule->running != NULL),
          "components are hidden, though no system is running");
    for (uint32_t i = 0; schedule != NULL && i < schedule->graph.count; i++) {
        PASS(check_system(&schedule->graph, i));
    }
    return NULL;
}

static const char *check_objects(const kith_world *world)
{
    for (const kith_object *o = world->oldest; o != NULL; o = o->next_) {
        const kith_object *back = o->next_ == NULL ? world->newest : o->next_->previous_;
        CHECK(o->world == world && back == o, "the list of objects is broken");
        const char *reason = "an object of the world is not valid";
        PASS(o->ops->validate == NULL || o->ops->validate(o, &reason) ? NULL : reason);
    }
    return NULL;
}

static const char *check_world(const kith_world *world)
{
    CHECK(world->head.entity_pages_ == world->entities.page_count &&
              world->head.entities_ == (uint64_t *const *)world->entities.pages,
          "inline code sees an old entity table");
    PASS(world->arena == NULL ? NULL : kith_arena_fault(world->arena));
    CHECK(world->head.busy_ == world->errors_muted + world->nested * KITH_EVENT_UNIT,
          "the world is busy, though no hook runs");
    CHECK((kith_array_differ(world->shared.absent, KITH_PAGE_SLOTS) | ~*world->shared.absent) == 0,
          "the shared page of absent slots was written to");
    PASS(check_entities(world));
    PASS(check_loops(world));
    PASS(check_listeners(world));
    PASS(check_groups(world));
    PASS(check_queues(world));
    PASS(check_reactives(world));
    PASS(check_systems(world));
    uint32_t disabled = world->shared.disabled;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        CHECK(world->storages[i]->order == i, "a component is not in its place");
        PASS(check_storage(world, world->storages[i]));
        disabled -= world->storages[i]->pool.set.head.disabled_;
    }
    CHECK(disabled == 0, "the number of disabled rows in the world is wrong");
    PASS(check_paths(world)); // reads pools, so they are checked before
    CHECK(kith_world_hashes_agree(world),
          "a value changed without a stamp, and its hash is cached");
    return check_objects(world); // buffers of commands look at the components
}

bool kith_world_validate(const kith_world *world, const char **reason)
{
    const char *found = check_world(world);
    if (reason != NULL) {
        *reason = found;
    }
    return found == NULL;
}
