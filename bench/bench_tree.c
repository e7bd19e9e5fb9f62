// SPDX-License-Identifier: MIT
// H1 to H3: a random tree of all entities, walked, moved about and put in breadth-first order;
// against links in plain arrays.
#include "bench.h"

#include "kith/hierarchy.h"

#include <string.h>

enum { TREE = LETTER_A };

KITH_COMPONENT(tree, kith_node, TREE);

// The links of one entity; NONE is no entity.
struct bench_link {
    uint32_t parent, first, last, previous, next;
};

#define NONE UINT32_MAX

// A parent among those made before, so that no entity gets below itself.
static uint32_t parent_of(uint32_t i, uint64_t *stream)
{
    return (uint32_t)(random_next(stream) % i);
}

// A weight that depends on the order of the entities.
static double weigh(uint32_t index, uint32_t place)
{
    return (double)(index & 1023) * (double)(place & 7);
}

// --- kith's side -----------------------------------------------------------------------------

static uint32_t number_of(const bench_data *data, kith_entity entity)
{
    return kith_entity_index(entity) - kith_entity_index(data->out[0]);
}

static void grow(bench_data *data, uint64_t stream)
{
    for (uint32_t i = 1; i < data->n; i++) {
        kith_hierarchy_append(data->world, TREE, data->out[parent_of(i, &stream)], data->out[i]);
    }
}

static void world_open_tree(bench_data *data)
{
    const kith_hierarchy_desc desc = { "tree", TREE, KITH_CHILDREN_ORPHAN, false };
    world_open(data);
    bench_require(kith_hierarchy_register(data->world, &desc) == TREE, "register");
    bench_require(kith_entity_create_many(data->world, data->out, data->n, NULL, 0), "create");
    bench_require(tree_fill_many(data->world, data->out, data->n, (kith_node){ 0 }), "fill");
    grow(data, RANDOM_SEED);
}

BENCH_KERNEL void world_walk_depth(bench_data *data)
{
    kith_entity top   = data->out[0];
    uint32_t    place = 0;
    double      sum   = 0;
    for (kith_entity e = top; e != KITH_NULL; e = kith_hierarchy_next(data->world, TREE, top, e)) {
        sum += weigh(number_of(data, e), place++);
    }
    data->result = sum;
}

BENCH_KERNEL void world_list_levels(bench_data *data)
{
    uint32_t count = kith_hierarchy_levels(data->world, TREE, data->out[0], data->out, data->n);
    double   sum   = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weigh(number_of(data, data->out[i]), i);
    }
    data->result = sum;
}

BENCH_KERNEL void world_move_about(bench_data *data)
{
    grow(data, RANDOM_SEED + 1);
}

BENCH_KERNEL void world_sort_tree(bench_data *data)
{
    bench_require(kith_hierarchy_sort(data->world, TREE), "sort");
}

static double world_result(const bench_data *data)
{
    return data->result;
}

static double world_sum_parents(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 1; i < data->n; i++) {
        sum += weigh(number_of(data, tree_get(data->world, data->out[i])->parent), i);
    }
    return sum;
}

static double world_sum_rows(const bench_data *data)
{
    double sum = 0;
    for (uint32_t row = 0; row < data->n; row++) {
        sum += weigh(number_of(data, tree_entity(data->world, row)), row);
    }
    return sum;
}

// --- the limit's side ------------------------------------------------------------------------

static void limit_cut(struct bench_link *links, uint32_t i)
{
    struct bench_link *one = &links[i];
    if (one->parent != NONE) {
        struct bench_link *parent = &links[one->parent];
        *(one->previous == NONE ? &parent->first : &links[one->previous].next) = one->next;
        *(one->next == NONE ? &parent->last : &links[one->next].previous)      = one->previous;
    }
}

static bool limit_is_below(const struct bench_link *links, uint32_t i, uint32_t above)
{
    while (i != NONE && i != above) {
        i = links[i].parent;
    }
    return i == above;
}

static void limit_grow(bench_data *data, uint64_t stream)
{
    struct bench_link *links = data->more.links;
    for (uint32_t i = 1; i < data->n; i++) {
        uint32_t parent = parent_of(i, &stream);
        if (!limit_is_below(links, parent, i)) {
            limit_cut(links, i);
            uint32_t last                                              = links[parent].last;
            links[i].parent                                            = parent;
            links[i].previous                                          = last;
            links[i].next                                              = NONE;
            *(last == NONE ? &links[parent].first : &links[last].next) = i;
            links[parent].last                                         = i;
        }
    }
}

static void limit_open_tree(bench_data *data)
{
    limit_open(data);
    data->more.links = bench_allocate(data->n, sizeof *data->more.links);
    memset(data->more.links, 0xff, data->n * sizeof *data->more.links);
    limit_grow(data, RANDOM_SEED);
}

static uint32_t limit_next(const struct bench_link *links, uint32_t i)
{
    if (links[i].first != NONE) {
        return links[i].first;
    }
    while (i != NONE && links[i].next == NONE) {
        i = links[i].parent;
    }
    return i == NONE ? NONE : links[i].next;
}

BENCH_KERNEL void limit_walk_depth(bench_data *data)
{
    uint32_t place = 0;
    double   sum   = 0;
    for (uint32_t i = 0; i != NONE; i = limit_next(data->more.links, i)) {
        sum += weigh(i, place++);
    }
    data->result = sum;
}

static void list_levels(const struct bench_link *links, uint32_t *list)
{
    uint32_t count = 1;
    list[0]        = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t child = links[list[i]].first; child != NONE; child = links[child].next) {
            list[count++] = child;
        }
    }
}

BENCH_KERNEL void limit_list_levels(bench_data *data)
{
    double sum = 0;
    list_levels(data->more.links, data->limit.ent);
    for (uint32_t i = 0; i < data->n; i++) {
        sum += weigh(data->limit.ent[i], i);
    }
    data->result = sum;
}

BENCH_KERNEL void limit_move_about(bench_data *data)
{
    limit_grow(data, RANDOM_SEED + 1);
}

// The list, and where each entity is in it; the links stay with their entities.
BENCH_KERNEL void limit_sort_tree(bench_data *data)
{
    list_levels(data->more.links, data->limit.ent);
    for (uint32_t i = 0; i < data->n; i++) {
        data->limit.where[data->limit.ent[i]] = i;
    }
}

static double limit_sum_parents(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 1; i < data->n; i++) {
        sum += weigh(data->more.links[i].parent, i);
    }
    return sum;
}

static double limit_sum_rows(const bench_data *data)
{
    double sum = 0;
    for (uint32_t row = 0; row < data->n; row++) {
        sum += weigh(data->limit.ent[row], row);
    }
    return sum;
}

static const bench_case cases[] = {
    { .id    = "H1",
      .form  = "depth-first",
      .sizes = { 65536 },
      .kind  = BENCH_STEADY,
      .kith  = { world_open_tree, world_walk_depth, world_result, world_close },
      .limit = { limit_open_tree, limit_walk_depth, world_result, limit_close } },
    { .id    = "H1",
      .form  = "breadth-first",
      .sizes = { 65536 },
      .kind  = BENCH_STEADY,
      .kith  = { world_open_tree, world_list_levels, world_result, world_close },
      .limit = { limit_open_tree, limit_list_levels, world_result, limit_close } },
    { .id    = "H2",
      .form  = "reparent",
      .sizes = { 65536 },
      .kith  = { world_open_tree, world_move_about, world_sum_parents, world_close },
      .limit = { limit_open_tree, limit_move_about, limit_sum_parents, limit_close } },
    { .id    = "H3",
      .form  = "sort rows",
      .sizes = { 65536 },
      .kith  = { world_open_tree, world_sort_tree, world_sum_rows, world_close },
      .limit = { limit_open_tree, limit_sort_tree, limit_sum_rows, limit_close } },
};

const bench_suite bench_tree = BENCH_SUITE(cases);
