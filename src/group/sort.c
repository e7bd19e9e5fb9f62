// SPDX-License-Identifier: MIT
// Sorting the rows of a pool, or the members of a group, by a kith_sort_desc. A call finds all
// permutations and allocates all memory before it moves a row.
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
    kith_world            *world;
    const char            *call;
    kith_component         component; // for messages
    const kith_sort_desc  *by;
    const kith_sparse_set *example; // the rows of `as`; NULL: another order
    const kith_pool       *rows;    // the permutations are found in this pool
    segment                segments[KITH_QUERY_TERMS_MAX]; // enough: nested groups differ in terms
    uint32_t               count;
} sorting;

// Reports what is wrong: `have` is the limit or the expected number, `want` is what the caller
// gave.
static bool fail_argument(const sorting *s, const char *mistake, uint64_t have, uint64_t want)
{
    return kith_world_refuse_numbers(s->world, KITH_ERROR_ARGUMENT, s->call, s->component, mistake,
                                     have, want);
}

// Whether the description names one order; reports an error when it does not.
static bool check_order(const sorting *s)
{
    const kith_sort_desc *by    = s->by;
    uint32_t              given = 0;
    if (by != NULL) {
        given += by->key != NULL;
        given += by->compare != NULL;
        given += by->compare_entities != NULL;
        given += by->as != 0;
    }
    return given == 1 || fail_argument(s, "one of key, compare, compare_entities, as", 1, given);
}

static bool by_values(const kith_sort_desc *by)
{
    return by->key != NULL || by->compare != NULL;
}

// Whether the key, if there is one, lies within a value; reports an error when it does not.
static bool check_key(const sorting *s, const kith_storage *storage)
{
    const kith_sort_key *key = s->by->key;
    if (key == NULL) {
        return true;
    }
    if (key->type < KITH_TYPE_U8 || key->type > KITH_TYPE_F64) {
        return fail_argument(s, "the type of a key is a number", 0, (unsigned)key->type);
    }
    uint32_t bytes     = kith_field_type_size(key->type);
    uint32_t alignment = bytes < _Alignof(uint64_t) ? bytes : (uint32_t) _Alignof(uint64_t);
    uint64_t end       = (uint64_t)key->offset + bytes;
    if (end > storage->pool.size) {
        return fail_argument(s, "the key must lie within the value", storage->pool.size, end);
    }
    return key->offset % alignment == 0 ||
           fail_argument(s, "the key must be aligned as its type", alignment, key->offset);
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

// Finds the permutation of each segment. The pool `values` has the values that the order compares.
// Returns false when memory runs out.
static bool find_orders(sorting *s, const kith_pool *values)
{
    const kith_allocator  *memory  = &s->world->scratch_memory;
    const kith_sparse_set *set     = &s->rows->set;
    const kith_sparse_set *example = s->example;
    kith_sort_rule         rule    = kith_sort_rule_of(values, &s->world->entities, s->by);
    bool                   found   = true;
    for (uint32_t i = 0; i < s->count && found; i++) {
        uint32_t          first = s->segments[i].first;
        uint32_t          end   = s->segments[i].end;
        kith_permutation *order = &s->segments[i].order;
        found = example != NULL ? kith_permutation_by_set(set, first, end, example, memory, order)
                                : kith_permutation_by_rule(&rule, first, end, memory, order);
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
static bool sort_segments(sorting *s, const kith_pool *values)
{
    const kith_allocator *memory = &s->world->scratch_memory;
    kith_world_lock(s->world);
    bool   found  = find_orders(s, values);
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

// The storage, or NULL with an error when its rows cannot move now.
static kith_storage *open_rows(const sorting *s)
{
    kith_world   *world   = s->world;
    unsigned      kinds   = by_values(s->by) ? 1u << KITH_KIND_VALUE : KITH_WITH_ROWS;
    kith_storage *storage = kith_storage_for_write(world, s->component, KITH_NULL, kinds, s->call);
    if (storage == NULL || !kith_require_movable(world, s->call, s->component)) {
        return NULL;
    }
    if (storage->desc.traits.policy == KITH_POLICY_STABLE) {
        kith_world_refuse(world, KITH_ERROR_POLICY, s->call, s->component, KITH_NULL);
        return NULL;
    }
    return !kith_require_unowned(world, storage, s->call) ? NULL : storage;
}

KITH_API bool kith_component_sort(kith_world *world, kith_component component,
                                  const kith_sort_desc *desc)
{
    sorting       s = { world, "kith_component_sort", component, desc, NULL, NULL, { { 0 } }, 0 };
    kith_storage *storage = check_order(&s) ? open_rows(&s) : NULL;
    if (storage == NULL || !check_key(&s, storage)) {
        return false;
    }
    if (desc->as != 0) {
        const kith_storage *as =
            kith_storage_for_setup(world, desc->as, KITH_NULL, KITH_WITH_ROWS | KITH_READS, s.call);
        if (as == NULL) {
            return false;
        }
        s.example = &as->pool.set;
    }
    s.rows                = &storage->pool;
    s.segments[s.count++] = (segment){ .pool = &storage->pool, .end = s.rows->set.head.rows_ };
    return sort_segments(&s, s.rows);
}

// --- the members of a group ------------------------------------------------------------------

// The storage with the values to sort by, or the storage of `as`. NULL, with an error, when a
// member can lack the values or the rows cannot move now.
static const kith_storage *open_members(const sorting *s, const kith_group *group)
{
    bool          values = by_values(s->by);
    unsigned      kinds  = values ? 1u << KITH_KIND_VALUE : KITH_WITH_ROWS;
    kith_storage *storage =
        kith_storage_for_write(s->world, s->component, KITH_NULL, kinds, s->call);
    if (storage == NULL || !kith_require_movable(s->world, s->call, s->component)) {
        return NULL;
    }
    for (uint32_t i = 0; i < group->plan.pool_end && values; i++) {
        if (group->plan.terms[i].storage == storage) {
            return storage;
        }
    }
    if (values) {
        kith_world_refuse_because(s->world, KITH_ERROR_ARGUMENT, s->call, s->component,
                                  "members of the group can lack it", group->desc.name);
    }
    return values ? NULL : storage;
}

// Whether the rows of all components that the group owns can move now.
static bool open_owned(const sorting *s, const kith_group *group)
{
    bool open = kith_require_at_rest(s->world, s->call);
    for (uint32_t i = 0; i < group->owned && open; i++) {
        kith_component id = group->plan.terms[i].storage->desc.id;
        open = kith_storage_for_setup(s->world, id, KITH_NULL, KITH_ANY_KIND, s->call) != NULL;
    }
    return open;
}

// The pool whose first rows are the members.
static kith_pool *members_of(kith_group *group)
{
    return group->owned == 0 ? &group->list.pool : &group->plan.terms[0].storage->pool;
}

// Sorts the members. Members of groups inside this one must stay in front of the others, so the
// members that are in the same innermost group form a segment:
//
//     [ members of the inner group | other members of the outer group | others ]
//       segment 0                    segment 1
static bool sort_members(sorting *s, kith_group *group, const kith_pool *values)
{
    if (group->dropped) {
        return true;
    }
    const kith_group_list *all  = &s->world->groups;
    kith_pool             *rows = members_of(group);
    s->rows                     = rows;
    for (uint32_t i = all->count, first = 0; i-- > 0;) {
        const kith_group *one    = all->groups[i];
        bool              inside = group->owned == 0 ? one == group : kith_group_within(one, group);
        if (inside && one->members > first) {
            const kith_group *pools = one->owned == 0 ? NULL : one;
            s->segments[s->count++] = (segment){ pools, rows, first, one->members, { 0 } };
            first                   = one->members;
        }
    }
    return sort_segments(s, values);
}

// For a component that the group does not own: a pool with the members' keys, or the addresses of
// their values, in the order of the members. It has one page of any length.
#define LOOKUP_SHIFT 31u // a page of 2^31 rows

// Copies the keys, or the addresses of the values when `key` is NULL.
static void fill_lookup(const kith_pool *found, const kith_sparse_set *rows,
                        const kith_pool *values, uint32_t count, const kith_sort_key *key)
{
    uint8_t *page = found->set.head.pages_[0];
    uint32_t row  = KITH_NO_ROW;
    for (uint32_t i = 0; i < count; i++, page += found->size) {
        row = kith_sparse_set_row_expected(&values->set, *kith_sparse_set_packed(rows, i), row + 1);
        const uint8_t *value = kith_pool_value(values, row);
        if (key != NULL) {
            kith_copy_bytes(page, value + key->offset, found->size);
        } else {
            memcpy(page, &value, sizeof value);
        }
    }
}

static int compare_places(const void *a, const void *b, void *context)
{
    const kith_sort_desc *by = context;
    return by->compare(*(const void *const *)a, *(const void *const *)b, by->context);
}

// Sorts by a component that the group does not own.
static bool sort_by_lookup(sorting *s, kith_group *group, const kith_storage *storage)
{
    const kith_allocator *memory = &s->world->scratch_memory;
    kith_sort_desc        by     = *s->by;
    kith_sort_key         key    = by.key == NULL ? (kith_sort_key){ 0 } : *by.key;
    kith_pool             found  = { .size = (uint32_t)sizeof(void *) };
    if (group->members < 2) {
        return true;
    }
    if (by.key != NULL) {
        found.size = kith_field_type_size(key.type);
    }
    size_t   bytes        = (size_t)group->members * found.size;
    uint8_t *page         = kith_alloc(memory, bytes, KITH_CACHE_LINE);
    found.set.head.shift_ = LOOKUP_SHIFT;
    found.set.head.pages_ = &page;
    if (page == NULL) {
        return kith_world_refuse(s->world, KITH_ERROR_MEMORY, s->call, s->component, KITH_NULL);
    }
    fill_lookup(&found, &members_of(group)->set, &storage->pool, group->members, by.key);
    key.offset  = 0;
    s->by       = by.key == NULL ? &(kith_sort_desc){ .compare = compare_places, .context = &by }
                                 : &(kith_sort_desc){ .key = &key };
    bool sorted = sort_members(s, group, &found);
    kith_free(memory, page, bytes, KITH_CACHE_LINE);
    return sorted;
}

KITH_API bool kith_group_sort(kith_group *group, kith_component component,
                              const kith_sort_desc *desc)
{
    sorting s = {
        group->object.world, "kith_group_sort", component, desc, NULL, NULL, { { 0 } }, 0
    };
    if (!check_order(&s)) {
        return false;
    }
    if (desc->compare_entities != NULL) {
        s.component = 0;
        return open_owned(&s, group) && sort_members(&s, group, members_of(group));
    }
    s.component                 = desc->as != 0 ? desc->as : component;
    const kith_storage *storage = open_members(&s, group);
    if (storage == NULL || !check_key(&s, storage)) {
        return false;
    }
    if (desc->as != 0) {
        s.example = &storage->pool.set;
        return sort_members(&s, group, NULL);
    }
    return kith_group_owns(group, storage) ? sort_members(&s, group, &storage->pool)
                                           : sort_by_lookup(&s, group, storage);
}
