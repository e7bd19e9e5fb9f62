// SPDX-License-Identifier: MIT
// Sorting the rows of a pool, or the members of a group: by values, entities, a key, or in the
// order of another pool. A call finds all permutations and allocates all memory before it moves a
// row.
#include "group/group.h"

// Rows `first` .. `end` - 1, sorted on their own: of one pool, or alike in every pool of a group.
typedef struct segment {
    const kith_group *group; // NULL: `pool` alone
    kith_pool        *pool;
    uint32_t          first;
    uint32_t          end;
    kith_permutation  order;
} segment;

// One call.
typedef struct sorting {
    kith_world      *world;
    const char      *call;
    kith_component   component;                      // for messages
    const kith_pool *rows;                           // the pool that the permutations are found in
    segment          segments[KITH_QUERY_TERMS_MAX]; // enough: nested groups differ in their terms
    uint32_t         count;
} sorting;

// The storage, or NULL with an error when its rows cannot move now.
static kith_storage *open_rows(kith_world *world, kith_component component, unsigned kinds,
                               const char *call)
{
    kith_storage *storage = kith_storage_for_write(world, component, KITH_NULL, kinds, call);
    if (storage == NULL || !kith_require_movable(world, call, component)) {
        return NULL;
    }
    if (storage->desc.traits.policy == KITH_POLICY_STABLE) {
        kith_world_refuse(world, KITH_ERROR_POLICY, call, component, KITH_NULL);
        return NULL;
    }
    return !kith_require_unowned(world, storage, call) ? NULL : storage;
}

// Reports what is wrong: `have` is the limit or the expected number, `want` is what the caller
// gave.
static bool fail_argument(kith_world *world, const char *call, kith_component component,
                          const char *mistake, uint64_t have, uint64_t want)
{
    return kith_world_refuse_numbers(world, KITH_ERROR_ARGUMENT, call, component, mistake, have,
                                     want);
}

static bool require_compare(kith_world *world, const char *call, kith_component component,
                            bool there)
{
    return there || fail_argument(world, call, component, "a compare function is needed", 0, 0);
}

// --- sorting segments ------------------------------------------------------------------------

static uint32_t pool_count(const segment *one)
{
    return one->group == NULL ? 1 : one->group->owned;
}

static kith_pool *pool_at(const segment *one, uint32_t i)
{
    return one->group == NULL ? one->pool : &one->group->plan.terms[i].storage->pool;
}

// Finds the permutation of each segment, by `rule`, or in the order of `example` when `rule` is
// NULL. Returns false when memory runs out.
static bool find_orders(sorting *s, const kith_sort_rule *rule, const kith_sparse_set *example)
{
    const kith_allocator  *memory = &s->world->scratch_memory;
    const kith_sparse_set *set    = &s->rows->set;
    bool                   found  = true;
    for (uint32_t i = 0; i < s->count && found; i++) {
        uint32_t          first = s->segments[i].first;
        uint32_t          end   = s->segments[i].end;
        kith_permutation *order = &s->segments[i].order;
        found = rule == NULL ? kith_permutation_by_set(set, first, end, example, memory, order)
                             : kith_permutation_by_rule(rule, first, end, memory, order);
    }
    return found;
}

// The bytes that the largest permutation needs to move rows; 0: every row is in its place.
static size_t bytes_to_move(const sorting *s)
{
    size_t most = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const segment *one = &s->segments[i];
        for (uint32_t k = 0; k < pool_count(one) && one->order.count != 0; k++) {
            size_t bytes = kith_pool_rearrange_bytes(pool_at(one, k), one->order.count);
            most         = bytes > most ? bytes : most;
        }
    }
    return most;
}

static void move_rows(sorting *s, void *buffer)
{
    for (uint32_t i = 0; i < s->count; i++) {
        segment *one = &s->segments[i];
        for (uint32_t k = 0; k < pool_count(one) && one->order.count != 0; k++) {
            kith_pool_rearrange(pool_at(one, k), one->order.moves, one->order.count, buffer);
        }
    }
}

// Sorts all segments. The world is locked: compare functions and move hooks must not change it.
static bool sort_segments(sorting *s, const kith_sort_rule *rule, const kith_sparse_set *example)
{
    const kith_allocator *memory = &s->world->scratch_memory;
    kith_world_lock(s->world);
    bool   found  = find_orders(s, rule, example);
    size_t bytes  = found ? bytes_to_move(s) : 0;
    void  *buffer = bytes == 0 ? NULL : kith_alloc(memory, bytes, KITH_CACHE_LINE);
    if (buffer != NULL) {
        move_rows(s, buffer);
        kith_free(memory, buffer, bytes, KITH_CACHE_LINE);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        kith_permutation_free(&s->segments[i].order, memory);
    }
    kith_world_unlock(s->world);
    return (found && bytes == 0) || buffer != NULL ||
           kith_world_refuse(s->world, KITH_ERROR_MEMORY, s->call, s->component, KITH_NULL);
}

// --- pools -----------------------------------------------------------------------------------

static bool sort_pool(kith_world *world, kith_storage *storage, const kith_sort_rule *rule,
                      const kith_sparse_set *example, const char *call)
{
    sorting s = { .world = world, .call = call, .component = storage->desc.id };
    s.rows    = &storage->pool;
    s.segments[s.count++] =
        (segment){ .pool = &storage->pool, .end = storage->pool.set.head.rows_ };
    return sort_segments(&s, rule, example);
}

KITH_API bool kith_component_sort(kith_world *world, kith_component component,
                                  kith_compare_fn compare, void *context)
{
    static const char call[]  = "kith_component_sort";
    kith_storage     *storage = open_rows(world, component, 1u << KITH_KIND_VALUE, call);
    if (storage == NULL || !require_compare(world, call, component, compare != NULL)) {
        return false;
    }
    kith_sort_rule rule = kith_sort_rule_by_values(&storage->pool, compare, context);
    return sort_pool(world, storage, &rule, NULL, call);
}

KITH_API bool kith_component_sort_entities(kith_world *world, kith_component component,
                                           kith_compare_entities_fn compare, void *context)
{
    static const char call[]  = "kith_component_sort_entities";
    kith_storage     *storage = open_rows(world, component, KITH_WITH_ROWS, call);
    if (storage == NULL || !require_compare(world, call, component, compare != NULL)) {
        return false;
    }
    kith_sort_rule rule =
        kith_sort_rule_by_entities(&storage->pool, &world->entities, compare, context);
    return sort_pool(world, storage, &rule, NULL, call);
}

// Whether the key lies within a value; reports an error when it does not.
static bool check_key(kith_world *world, const kith_storage *storage, const kith_sort_key *key,
                      const char *call)
{
    kith_component id = storage->desc.id;
    if (key == NULL) {
        return fail_argument(world, call, id, "a key is needed", 0, 0);
    }
    if ((unsigned)key->type > KITH_KEY_F64) {
        return fail_argument(world, call, id, "there is no such key type", 0, (unsigned)key->type);
    }
    uint64_t end       = (uint64_t)key->offset + kith_key_bytes(key->type);
    uint32_t alignment = kith_key_alignment(key->type);
    if (end > storage->pool.size) {
        return fail_argument(world, call, id, "the key must lie within the value",
                             storage->pool.size, end);
    }
    return key->offset % alignment == 0 ||
           fail_argument(world, call, id, "the key must be aligned as its type", alignment,
                         key->offset);
}

KITH_API bool kith_component_sort_by(kith_world *world, kith_component component,
                                     const kith_sort_key *key)
{
    static const char call[]  = "kith_component_sort_by";
    kith_storage     *storage = open_rows(world, component, 1u << KITH_KIND_VALUE, call);
    if (storage == NULL || !check_key(world, storage, key, call)) {
        return false;
    }
    kith_sort_rule rule = kith_sort_rule_by_key(&storage->pool, key);
    return sort_pool(world, storage, &rule, NULL, call);
}

KITH_API bool kith_component_sort_as(kith_world *world, kith_component component,
                                     kith_component other)
{
    static const char call[]  = "kith_component_sort_as";
    kith_storage     *storage = open_rows(world, component, KITH_WITH_ROWS, call);
    unsigned          kinds   = KITH_WITH_ROWS | KITH_READS;
    kith_storage     *example =
        storage == NULL ? NULL : kith_storage_for_setup(world, other, KITH_NULL, kinds, call);
    return example != NULL && sort_pool(world, storage, NULL, &example->pool.set, call);
}

// --- the members of a group ------------------------------------------------------------------

// The storage with the values to sort by. NULL, with an error, when a member can lack it or the
// rows cannot move now.
static kith_storage *open_members(kith_group *group, kith_component component, const char *call)
{
    kith_world   *world = group->world;
    kith_storage *storage =
        kith_storage_for_write(world, component, KITH_NULL, 1u << KITH_KIND_VALUE, call);
    if (storage == NULL || !kith_require_movable(world, call, component)) {
        return NULL;
    }
    for (uint32_t i = 0; i < group->plan.pools; i++) {
        if (group->plan.terms[i].storage == storage) {
            return storage;
        }
    }
    kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, component,
                              "members of the group can lack it", group->desc.name);
    return NULL;
}

// The pool whose first rows are the members.
static kith_pool *members_of(kith_group *group)
{
    return group->owned == 0 ? &group->index.pool : &group->plan.terms[0].storage->pool;
}

// Sorts the members. Members of groups inside this one must stay in front of the others, so the
// members that are in the same innermost group form a segment:
//
//     [ members of the inner group | other members of the outer group | others ]
//       segment 0                    segment 1
static bool sort_members(kith_group *group, kith_component component, const kith_sort_rule *rule,
                         const kith_sparse_set *example, const char *call)
{
    const kith_group_list *all  = &group->world->groups;
    sorting                s    = { .world = group->world, .call = call, .component = component };
    kith_pool             *rows = members_of(group);
    s.rows                      = rows;
    for (uint32_t i = all->count, first = 0; i-- > 0;) {
        const kith_group *one    = all->groups[i];
        bool              inside = group->owned == 0 ? one == group : kith_group_within(one, group);
        if (inside && one->members > first) {
            const kith_group *pools = one->owned == 0 ? NULL : one;
            s.segments[s.count++]   = (segment){ pools, rows, first, one->members, { 0 } };
            first                   = one->members;
        }
    }
    return sort_segments(&s, rule, example);
}

// For a component that the group does not own: a pool with the members' keys, or the addresses of
// their values, in the order of the members. It has one page of any length.
typedef struct lookup {
    kith_pool       pool;
    uint8_t        *page;
    size_t          bytes;
    kith_compare_fn compare;
    void           *context;
} lookup;

#define LOOKUP_SHIFT 31u // a page of 2^31 rows

// Copies the keys, or the addresses of the values when `key` is NULL.
static void fill_lookup(lookup *found, const kith_sparse_set *rows, const kith_pool *values,
                        uint32_t count, const kith_sort_key *key)
{
    uint32_t size = found->pool.size;
    uint32_t row  = KITH_NO_ROW;
    for (uint32_t i = 0; i < count; i++) {
        row = kith_sparse_set_row_expected(&values->set, *kith_sparse_set_packed(rows, i), row + 1);
        const uint8_t *value = kith_pool_value(values, row);
        if (key != NULL) {
            kith_copy_bytes(found->page + (size_t)i * size, value + key->offset, size);
        } else {
            memcpy(found->page + (size_t)i * size, &value, sizeof value);
        }
    }
}

// Allocates and fills a lookup; returns false, with an error, when memory runs out.
static bool make_lookup(lookup *made, kith_group *group, const kith_storage *storage,
                        const kith_sort_key *key, const char *call)
{
    kith_world *world          = group->world;
    made->pool.size            = key == NULL ? (uint32_t)sizeof(void *) : kith_key_bytes(key->type);
    made->pool.set.head.shift_ = LOOKUP_SHIFT;
    made->pool.set.head.pages_ = &made->page;
    made->bytes                = (size_t)group->members * made->pool.size;
    made->page                 = kith_alloc(&world->scratch_memory, made->bytes, KITH_CACHE_LINE);
    if (made->page == NULL) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call, storage->desc.id, KITH_NULL);
    }
    fill_lookup(made, &members_of(group)->set, &storage->pool, group->members, key);
    return true;
}

static int compare_places(const void *a, const void *b, void *context)
{
    const lookup *by = context;
    return by->compare(*(const void *const *)a, *(const void *const *)b, by->context);
}

// Sorts by a component that the group does not own.
static bool sort_by_lookup(kith_group *group, const kith_storage *storage, lookup *by,
                           const kith_sort_key *key, const char *call)
{
    if (group->members < 2) {
        return true;
    }
    if (!make_lookup(by, group, storage, key, call)) {
        return false;
    }
    kith_sort_key alone   = key == NULL ? (kith_sort_key){ 0 } : *key;
    alone.offset          = 0;
    kith_sort_rule rule   = key == NULL ? kith_sort_rule_by_values(&by->pool, compare_places, by)
                                        : kith_sort_rule_by_key(&by->pool, &alone);
    bool           sorted = sort_members(group, storage->desc.id, &rule, NULL, call);
    kith_free(&group->world->scratch_memory, by->page, by->bytes, KITH_CACHE_LINE);
    return sorted;
}

KITH_API bool kith_group_sort(kith_group *group, kith_component component, kith_compare_fn compare,
                              void *context)
{
    static const char   call[]  = "kith_group_sort";
    const kith_storage *storage = open_members(group, component, call);
    if (storage == NULL || !require_compare(group->world, call, component, compare != NULL)) {
        return false;
    }
    if (!kith_group_owns(group, storage)) {
        lookup by = { .compare = compare, .context = context };
        return sort_by_lookup(group, storage, &by, NULL, call);
    }
    kith_sort_rule rule = kith_sort_rule_by_values(&storage->pool, compare, context);
    return sort_members(group, component, &rule, NULL, call);
}

KITH_API bool kith_group_sort_entities(kith_group *group, kith_compare_entities_fn compare,
                                       void *context)
{
    static const char call[] = "kith_group_sort_entities";
    kith_world       *world  = group->world;
    if (!kith_require_at_rest(world, call) || !require_compare(world, call, 0, compare != NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_component id = group->plan.terms[i].storage->desc.id;
        if (kith_storage_for_setup(world, id, KITH_NULL, KITH_ANY_KIND, call) == NULL) {
            return false;
        }
    }
    kith_sort_rule rule =
        kith_sort_rule_by_entities(members_of(group), &world->entities, compare, context);
    return sort_members(group, 0, &rule, NULL, call);
}

KITH_API bool kith_group_sort_by(kith_group *group, kith_component component,
                                 const kith_sort_key *key)
{
    static const char   call[]  = "kith_group_sort_by";
    const kith_storage *storage = open_members(group, component, call);
    if (storage == NULL || !check_key(group->world, storage, key, call)) {
        return false;
    }
    if (!kith_group_owns(group, storage)) {
        return sort_by_lookup(group, storage, &(lookup){ 0 }, key, call);
    }
    kith_sort_rule rule = kith_sort_rule_by_key(&storage->pool, key);
    return sort_members(group, component, &rule, NULL, call);
}

KITH_API bool kith_group_sort_as(kith_group *group, kith_component other)
{
    static const char   call[] = "kith_group_sort_as";
    const kith_storage *example =
        kith_storage_for_write(group->world, other, KITH_NULL, KITH_WITH_ROWS, call);
    return example != NULL && kith_require_movable(group->world, call, other) &&
           sort_members(group, other, NULL, &example->pool.set, call);
}
