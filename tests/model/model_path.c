// SPDX-License-Identifier: MIT
// The model of paths: in which order arranging puts the rows.
#include "model_internal.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// What is arranged
// ---------------------------------------------------------------------------------------------

typedef struct route {
    model_component *pools[KITH_PATH_COMPONENTS_MAX]; // by the order in which they lead
    uint32_t         fixed[KITH_PATH_COMPONENTS_MAX]; // rows at the front that stay
    uint32_t         count;
} route;

static bool has_id(const model_path *path, kith_component id)
{
    bool found = false;
    for (uint32_t i = 0; i < path->count; i++) {
        found = found || path->ids[i] == id;
    }
    return found;
}

// Whether a path that is older has it.
static bool is_given(const model *m, const model_path *path, kith_component id)
{
    for (const model_path *older = m->paths; path != NULL && older != path; older++) {
        if (has_id(older, id)) {
            return true;
        }
    }
    return false;
}

static void append(route *r, model_component *pool, uint32_t fixed)
{
    r->pools[r->count]   = pool;
    r->fixed[r->count++] = fixed;
}

static route make_route(model *m, const kith_component *ids, uint32_t count, const model_path *path)
{
    route r = { .count = 0 };
    for (uint32_t i = 0; i < count; i++) {
        model_component *pool = model_component_lookup(m, ids[i]);
        if (is_given(m, path, ids[i])) {
            append(&r, pool, pool->row_count);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        model_component *pool = model_component_lookup(m, ids[i]);
        if (!is_given(m, path, ids[i]) && model_is_owned(m, pool)) {
            append(&r, pool, model_owned_rows(m, pool));
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        model_component *pool = model_component_lookup(m, ids[i]);
        if (!is_given(m, path, ids[i]) && !model_is_owned(m, pool)) {
            append(&r, pool, 0);
        }
    }
    return r;
}

static bool may_be_arranged(model *m, const kith_component *ids, uint32_t count)
{
    if (count == 0 || count > KITH_PATH_COMPONENTS_MAX || ids == NULL) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        const model_component *found = model_named(m, MODEL_CHANGES, ids[i], MODEL_POOLS);
        if (found == NULL) {
            return false;
        }
        if (found->desc.traits.policy == KITH_POLICY_STABLE || found->desc.traits.keep_order) {
            return model_fail(m, KITH_ERROR_POLICY, ids[i], KITH_NULL);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (ids[k] == ids[i]) {
                return model_fail(m, KITH_ERROR_ARGUMENT, ids[i], KITH_NULL);
            }
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Arranging
// ---------------------------------------------------------------------------------------------

static uint32_t lead_of(const route *r, kith_entity entity)
{
    uint32_t lead = 0;
    while (!model_has(r->pools[lead], entity)) {
        lead++;
    }
    return lead;
}

// Higher for an entity that comes before others.
static uint32_t set_in(const route *r, kith_entity entity)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        set = 2 * set + model_has(r->pools[i], entity);
    }
    return set;
}

// Those that pool k must have behind its fixed rows, in this order.
static uint32_t list_followers(const route *r, uint32_t k, kith_entity *list)
{
    uint32_t count = 0;
    for (uint32_t lead = 0; lead < k; lead++) {
        for (uint32_t row = 0; row < r->pools[lead]->row_count; row++) {
            kith_entity entity = r->pools[lead]->rows[row].entity;
            if (lead_of(r, entity) == lead && model_has(r->pools[k], entity) &&
                model_row_of(r->pools[k], entity) >= r->fixed[k]) {
                list[count++] = entity;
            }
        }
    }
    return count;
}

static bool pay(uint32_t *budget)
{
    bool can = *budget > 0;
    *budget -= can;
    return can;
}

static bool place_followers(model *m, const route *r, uint32_t k, uint32_t *next, uint32_t *budget)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count = list_followers(r, k, list);
    *next             = r->fixed[k];
    for (uint32_t i = 0; i < count; i++, ++*next) {
        if (r->pools[k]->rows[*next].entity != list[i]) {
            if (!pay(budget)) {
                return false;
            }
            model_exchange_rows(m, r->pools[k], model_row_of(r->pools[k], list[i]), *next);
        }
    }
    return true;
}

// The sets of the rows from `first` on, as they should be: descending.
static void sort_sets(const route *r, uint32_t k, uint32_t first, uint32_t *sets)
{
    for (uint32_t row = first; row < r->pools[k]->row_count; row++) {
        uint32_t set = set_in(r, r->pools[k]->rows[row].entity);
        uint32_t at  = row;
        for (; at > first && sets[at - 1] < set; at--) {
            sets[at] = sets[at - 1];
        }
        sets[at] = set;
    }
}

// The first row that is wrong, and should have that set if one is given; the number of rows: none.
static uint32_t first_wrong(const route *r, uint32_t k, uint32_t first, const uint32_t *sets,
                            uint32_t required)
{
    uint32_t row = first;
    while (row < r->pools[k]->row_count && (set_in(r, r->pools[k]->rows[row].entity) == sets[row] ||
                                            (required != 0 && sets[row] != required))) {
        row++;
    }
    return row;
}

static bool part_sets(model *m, const route *r, uint32_t k, uint32_t first, uint32_t *budget)
{
    uint32_t sets[MODEL_ROWS];
    sort_sets(r, k, first, sets);
    for (;;) {
        uint32_t wrong = first_wrong(r, k, first, sets, 0);
        if (wrong == r->pools[k]->row_count) {
            return true;
        }
        if (!pay(budget)) {
            return false;
        }
        uint32_t set = set_in(r, r->pools[k]->rows[wrong].entity);
        model_exchange_rows(m, r->pools[k], wrong, first_wrong(r, k, first, sets, set));
    }
}

static uint32_t arrange(model *m, const route *r, uint32_t budget)
{
    uint32_t left = budget;
    for (uint32_t k = 0; k < r->count; k++) {
        uint32_t first;
        if (!place_followers(m, r, k, &first, &left) || !part_sets(m, r, k, first, &left)) {
            break;
        }
    }
    return budget - left;
}

uint32_t model_world_arrange(model *m, const kith_component *ids, uint32_t count, uint32_t budget)
{
    if (model_blocked(m, 0, KITH_NULL) || !may_be_arranged(m, ids, count)) {
        return 0;
    }
    route r = make_route(m, ids, count, NULL);
    return arrange(m, &r, budget);
}

// ---------------------------------------------------------------------------------------------
// Paths
// ---------------------------------------------------------------------------------------------

uint32_t model_path_of(model *m, const kith_path_desc *desc)
{
    if (model_busy(m, 0, KITH_NULL) ||
        !may_be_arranged(m, desc->components, desc->component_count)) {
        return 0;
    }
    model_path *path = m->paths;
    while (path < m->paths + m->path_count &&
           (path->count != desc->component_count ||
            memcmp(path->ids, desc->components, path->count * sizeof *path->ids) != 0)) {
        path++;
    }
    if (path == m->paths + m->path_count) {
        *path = (model_path){ .number = ++m->last_path, .count = desc->component_count };
        memcpy(path->ids, desc->components, path->count * sizeof *path->ids);
        m->path_count++;
    }
    return path->number;
}

model_path *model_path_describe(model *m, uint32_t number)
{
    model_path *path = m->paths;
    while (path->number != number) {
        path++;
    }
    return path;
}

bool model_path_drop(model *m, uint32_t number)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    model_path *path = model_path_describe(m, number);
    uint32_t    at   = (uint32_t)(path - m->paths);
    memmove(path, path + 1, (--m->path_count - at) * sizeof *path);
    return true;
}

uint32_t model_path_arrange(model *m, uint32_t number, uint32_t budget)
{
    if (number == 0 || model_blocked(m, 0, KITH_NULL)) { // 0: a dropped path
        return 0;
    }
    const model_path *path = model_path_describe(m, number);
    route             r    = make_route(m, path->ids, path->count, path);
    return arrange(m, &r, budget);
}

uint32_t model_path_arrange_all(model *m, uint32_t budget)
{
    uint32_t left = budget;
    if (model_blocked(m, 0, KITH_NULL)) {
        return 0;
    }
    for (uint32_t i = 0; i < m->path_count; i++) {
        left -= model_path_arrange(m, m->paths[i].number, left);
    }
    return budget - left;
}
