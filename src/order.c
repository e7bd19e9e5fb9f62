// SPDX-License-Identifier: MIT
// The order of a pool's rows: sorted by what they hold, or as another pool.
#include "member.h"
#include "permutation.h"

// The column, if its rows may move now.
static kith_column *open_rows(kith_world *world, kith_component component, unsigned kinds,
                              const char *call)
{
    kith_column *column = kith_world_open(world, component, KITH_NULL, kinds, call);
    if (column == NULL || kith_world_moving(world, call, component)) {
        return NULL;
    }
    if (column->desc.traits.policy == KITH_POLICY_STABLE) {
        kith_world_refuse(world, KITH_ERROR_POLICY, call, component, KITH_NULL);
        return NULL;
    }
    return kith_world_owned(world, column, call) ? NULL : column;
}

static bool fail_argument(kith_world *world, const char *call, kith_component component,
                          const char *mistake, uint64_t have, uint64_t want)
{
    kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                         .call      = call,
                         .component = component,
                         .subject   = mistake,
                         .have      = have,
                         .want      = want };
    return kith_world_fail(world, &error);
}

static bool fail_without_function(kith_world *world, const char *call, kith_component component)
{
    return fail_argument(world, call, component, "a function that compares is needed", 0, 0);
}

// Moves the rows as it was found; `found` says whether memory sufficed for that.
static bool carry_out_order(kith_world *world, kith_column *column, bool found,
                            kith_permutation *order, const char *call)
{
    size_t bytes  = kith_pool_rearrange_bytes(&column->pool, order->count);
    bool   moves  = found && order->count != 0;
    void  *buffer = moves ? kith_memory_take(&world->memory, bytes, KITH_CACHE_LINE) : NULL;
    if (buffer != NULL) {
        kith_world_enter(world);
        kith_pool_rearrange(&column->pool, order->moves, order->count, buffer);
        kith_world_leave(world);
        kith_memory_give(&world->memory, buffer, bytes, KITH_CACHE_LINE);
    }
    kith_permutation_forget(order, &world->memory);
    return (found && !moves) || buffer != NULL ||
           kith_world_refuse(world, KITH_ERROR_MEMORY, call, column->desc.id, KITH_NULL);
}

static bool sort_rows_by(kith_world *world, kith_column *column, const kith_rule *rule,
                         const char *call)
{
    kith_permutation order;
    kith_world_enter(world); // comparing may not change the world
    bool found =
        kith_permutation_find(rule, 0, column->pool.set.head.rows_, &world->memory, &order);
    kith_world_leave(world);
    return carry_out_order(world, column, found, &order, call);
}

KITH_API bool kith_component_sort(kith_world *world, kith_component component,
                                  kith_compare_fn compare, void *context)
{
    static const char call[] = "kith_component_sort";
    kith_column      *column = open_rows(world, component, 1u << KITH_KIND_VALUE, call);
    if (column == NULL) {
        return false;
    }
    if (compare == NULL) {
        return fail_without_function(world, call, component);
    }
    kith_rule rule = kith_rule_by_values(&column->pool, compare, context);
    return sort_rows_by(world, column, &rule, call);
}

KITH_API bool kith_component_sort_entities(kith_world *world, kith_component component,
                                           kith_compare_entities_fn compare, void *context)
{
    static const char call[] = "kith_component_sort_entities";
    kith_column      *column = open_rows(world, component, KITH_WITH_ROWS, call);
    if (column == NULL) {
        return false;
    }
    if (compare == NULL) {
        return fail_without_function(world, call, component);
    }
    kith_rule rule = kith_rule_by_entities(&column->pool, &world->entities, compare, context);
    return sort_rows_by(world, column, &rule, call);
}

// Whether the key lies within a value; otherwise it is an error.
static bool check_key(kith_world *world, const kith_column *column, const kith_sort_key *key,
                      const char *call)
{
    kith_component id = column->desc.id;
    if (key == NULL) {
        return fail_argument(world, call, id, "a key is needed", 0, 0);
    }
    if ((unsigned)key->type > KITH_KEY_F64) {
        return fail_argument(world, call, id, "no key has this type", 0, (unsigned)key->type);
    }
    uint64_t end       = (uint64_t)key->offset + kith_key_bytes(key->type);
    uint32_t alignment = kith_key_alignment(key->type);
    if (end > column->pool.size) {
        return fail_argument(world, call, id, "the key must lie within the value",
                             column->pool.size, end);
    }
    return key->offset % alignment == 0 ||
           fail_argument(world, call, id, "the key must be aligned as its type", alignment,
                         key->offset);
}

KITH_API bool kith_component_sort_by(kith_world *world, kith_component component,
                                     const kith_sort_key *key)
{
    static const char call[] = "kith_component_sort_by";
    kith_column      *column = open_rows(world, component, 1u << KITH_KIND_VALUE, call);
    if (column == NULL || !check_key(world, column, key, call)) {
        return false;
    }
    kith_rule rule = kith_rule_by_key(&column->pool, key);
    return sort_rows_by(world, column, &rule, call);
}

KITH_API bool kith_component_sort_as(kith_world *world, kith_component component,
                                     kith_component other)
{
    static const char call[] = "kith_component_sort_as";
    kith_column      *column = open_rows(world, component, KITH_WITH_ROWS, call);
    kith_column      *example =
        column == NULL ? NULL : kith_world_reach(world, other, KITH_NULL, KITH_WITH_ROWS, call);
    if (example == NULL) {
        return false;
    }
    kith_permutation order;
    bool found = kith_permutation_find_as(&column->pool.set, 0, column->pool.set.head.rows_,
                                          &example->pool.set, &world->memory, &order);
    return carry_out_order(world, column, found, &order, call);
}
