// SPDX-License-Identifier: MIT
// Arranging pools: exchanges rows until all pools have one order. group.h shows the order.
#include "group/group.h"

// --- what can be arranged --------------------------------------------------------------------

// Whether rows of the storage may move; reports an error when they may not.
static bool check_arrangeable(kith_world *world, const kith_storage *storage, const char *call)
{
    bool stable = storage->desc.traits.policy == KITH_POLICY_STABLE;
    return (!stable && !storage->desc.traits.keep_order) ||
           kith_world_refuse_because(world, KITH_ERROR_POLICY, call, storage->desc.id,
                                     stable ? NULL : "its rows keep their order", NULL);
}

bool kith_arrangement_storages(kith_world *world, const kith_component *components, uint32_t count,
                               kith_storage **storages, const char *call)
{
    bool good = count - 1 < KITH_PATH_COMPONENTS_MAX
                    ? kith_require_array(world, components, count, call)
                    : kith_world_refuse_numbers(world, KITH_ERROR_ARGUMENT, call, 0,
                                                "the number of components must be 1 to the limit",
                                                KITH_PATH_COMPONENTS_MAX, count);
    for (uint32_t i = 0; i < count && good; i++) {
        storages[i] = kith_storage_for_write(world, components[i], KITH_NULL, KITH_WITH_ROWS, call);
        good        = storages[i] != NULL && check_arrangeable(world, storages[i], call);
        for (uint32_t k = 0; k < i && good; k++) {
            good = storages[k] != storages[i] ||
                   kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, components[i],
                                             "a component is named twice", NULL);
        }
    }
    return good;
}

// --- the order of the leads ------------------------------------------------------------------

enum { RANK_PATH, RANK_GROUP, RANK_FREE, RANKS };

// The rank of a storage: lower ranks lead first. `*fixed` becomes the number of rows that stay.
static uint32_t rank_of(const kith_storage *storage, const struct kith_path *path, uint32_t *fixed)
{
    uint32_t rank = RANK_FREE;
    *fixed        = 0;
    if (path != NULL && storage->path != path) {
        *fixed = storage->pool.set.head.rows_;
        return RANK_PATH;
    }
    for (uint32_t i = 0; i < storage->groups_with.count; i++) {
        const kith_group *group = storage->groups_with.groups[i];
        if (kith_group_owns(group, storage)) {
            rank   = RANK_GROUP;
            *fixed = group->members > *fixed ? group->members : *fixed;
        }
    }
    return rank;
}

void kith_arrangement_init(kith_arrangement *job, const kith_world *world,
                           kith_storage *const *storages, uint32_t count,
                           const struct kith_path *path)
{
    *job = (kith_arrangement){ .entities = &world->entities };
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t fixed = 0;
            if (rank_of(storages[i], path, &fixed) == rank) {
                job->storages[job->count] = storages[i];
                job->fixed[job->count++]  = fixed;
            }
        }
    }
}

// --- arranging -------------------------------------------------------------------------------

// The set of the entity: which of the arranged components it has.
static uint32_t arranged_set(const kith_arrangement *job, uint32_t index)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        uint32_t bit = job->storages[i]->bit;
        set          = set << 1 | kith_entity_bit(job->entities, index, bit);
    }
    return set;
}

// Exchanges two rows of storage `of`; returns false when the budget is used up.
static bool exchange_rows(kith_arrangement *job, uint32_t of, uint32_t a, uint32_t b)
{
    if (job->budget == 0) {
        job->stopped = true;
        return false;
    }
    job->budget--;
    kith_pool_swap(&job->storages[of]->pool, a, b);
    return true;
}

// Brings the entities that `lead` leads to the rows of storage `of`, from `row` on, in the order of
// the lead. Returns the row behind them.
static uint32_t follow_lead(kith_arrangement *job, uint32_t of, uint32_t lead, uint32_t row)
{
    const kith_sparse_set *set   = &job->storages[of]->pool.set;
    const kith_sparse_set *order = &job->storages[lead]->pool.set;
    uint32_t               fixed = job->fixed[lead];
    for (uint32_t i = 0; i < order->head.rows_; i++) {
        i = i == fixed ? job->led[lead] : i; // earlier storages lead the rows between
        if (i == order->head.rows_) {
            break;
        }
        uint32_t index = *kith_sparse_set_packed(order, i);
        uint32_t at    = kith_sparse_set_row_at(set, index);
        bool     leads = i >= fixed || arranged_set(job, index) >> (job->count - 1 - lead) == 1;
        if (at == KITH_NO_ROW || at < job->fixed[of] || !leads) {
            continue;
        }
        if (at != row && !exchange_rows(job, of, at, row)) {
            return row;
        }
        row++;
    }
    return row;
}

#define SETS_MAX (1u << (KITH_PATH_COMPONENTS_MAX - 1))

// The rows of each set that a storage leads. Sets are numbered in descending order: the set with
// all components is number 0.
typedef struct set_rows {
    uint32_t next[SETS_MAX]; // the rows of the set before this one are in place
    uint32_t end[SETS_MAX];
} set_rows;

// The number of the set of the entity in `row` of the lead.
KITH_NOINLINE static uint32_t set_number(const kith_arrangement *job, uint32_t lead, uint32_t row)
{
    const kith_sparse_set *set  = &job->storages[lead]->pool.set;
    uint32_t               last = (1u << (job->count - 1 - lead)) - 1;
    return ~arranged_set(job, *kith_sparse_set_packed(set, row)) & last;
}

// Counts the entities of each set, and gives each set its rows.
static void find_set_rows(const kith_arrangement *job, uint32_t lead, set_rows *rows)
{
    uint32_t numbers = 1u << (job->count - 1 - lead);
    uint32_t row     = job->led[lead];
    memset(rows->end, 0, numbers * sizeof *rows->end);
    for (uint32_t i = row; i < job->storages[lead]->pool.set.head.rows_; i++) {
        rows->end[set_number(job, lead, i)]++;
    }
    for (uint32_t number = 0; number < numbers; number++) {
        rows->next[number] = row;
        row += rows->end[number];
        rows->end[number] = row;
    }
}

// Brings the rows that the storage leads into the order of their sets. Exchanges the first row that
// is out of place with the first such row among those of its own set.
static void sort_sets(kith_arrangement *job, uint32_t lead)
{
    set_rows rows;
    uint32_t numbers = 1u << (job->count - 1 - lead);
    find_set_rows(job, lead, &rows);
    for (uint32_t here = 0; here < numbers; here++) {
        while (rows.next[here] < rows.end[here]) {
            uint32_t there = set_number(job, lead, rows.next[here]);
            if (there == here) {
                rows.next[here]++;
                continue;
            }
            while (set_number(job, lead, rows.next[there]) == there) {
                rows.next[there]++;
            }
            if (!exchange_rows(job, lead, rows.next[here], rows.next[there]++)) {
                return;
            }
        }
    }
}

uint32_t kith_arrangement_run(kith_arrangement *job, uint32_t budget)
{
    job->budget = budget;
    for (uint32_t i = 0; i < job->count && !job->stopped; i++) {
        job->led[i] = job->fixed[i];
        for (uint32_t lead = 0; lead < i && !job->stopped; lead++) {
            job->led[i] = follow_lead(job, i, lead, job->led[i]);
        }
        if (!job->stopped && i + 1 < job->count) {
            sort_sets(job, i);
        }
    }
    return budget - job->budget;
}

uint32_t kith_world_arrange(kith_world *world, const kith_component *components,
                            uint32_t component_count, uint32_t budget)
{
    kith_storage    *storages[KITH_PATH_COMPONENTS_MAX];
    kith_arrangement job;
    if (!kith_require_at_rest(world, __func__) ||
        !kith_arrangement_storages(world, components, component_count, storages, __func__)) {
        return 0;
    }
    kith_arrangement_init(&job, world, storages, component_count, NULL);
    kith_world_lock(world);
    uint32_t made = kith_arrangement_run(&job, budget);
    kith_world_unlock(world);
    return made;
}
