// SPDX-License-Identifier: MIT
// Sorting the rows of a pool, or the members of a group, by a kith_sort_desc. A call allocates all
// memory before it moves a row.
#include "group/group.h"

// Rows `first` .. `end` - 1, sorted on their own.
typedef struct segment {
    const kith_plan_term *pools; // their rows move alike
    uint32_t              pool_count;
    uint32_t              first;
    uint32_t              end;
    uint32_t              run; // the end of the first run
} segment;

// One call.
typedef struct sorting {
    kith_world           *world;
    const char           *call;
    kith_component        component; // for messages
    const kith_sort_desc *by;
    kith_plan_term        alone;                          // the sorted pool, if it moves alone
    const kith_pool      *rows;                           // the sorted pool, or one of them
    segment               segments[KITH_QUERY_TERMS_MAX]; // enough: nested groups differ in terms
    uint32_t              count;
} sorting;

// Reports what is wrong: `have` is the limit or the expected number, `want` is what the caller
// gave. 0: there is none.
static bool fail_argument(const sorting *s, const char *mistake, uint64_t have, uint64_t want)
{
    return kith_world_refuse_numbers(s->world, KITH_ERROR_ARGUMENT, s->call, s->component, mistake,
                                     have, want);
}

// Whether the description names one order; reports an error when it does not.
static bool check_order(const sorting *s)
{
    const kith_sort_desc *by    = s->by;
    int                   given = by == NULL ? 0
                                             : (by->key != NULL) + (by->compare != NULL) +
                                 (by->compare_entities != NULL) + (by->as != 0);
    return given == 1 ||
           fail_argument(s, "set exactly one of key, compare, compare_entities and as", 0,
                         (unsigned)given);
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

// The storage of the component, or NULL with an error when a sort of its rows is refused.
static kith_storage *open_storage(const sorting *s)
{
    bool          values = s->by->key != NULL || s->by->compare != NULL;
    unsigned      kinds  = values ? KITH_WITH_VALUES : KITH_WITH_ROWS;
    kith_storage *storage =
        kith_storage_for_write(s->world, s->component, KITH_NULL, kinds, s->call);
    bool movable = storage != NULL && kith_require_movable(s->world, s->call, s->component);
    return movable ? storage : NULL;
}

static bool fail_sort_memory(const sorting *s)
{
    return kith_world_refuse(s->world, KITH_ERROR_MEMORY, s->call, s->component, KITH_NULL);
}

// --- sorting segments ------------------------------------------------------------------------

// Adds the bytes that the segment needs to sort and to move its rows, unless others need more.
static void add_needs(const segment *one, size_t *to_sort, size_t *to_move)
{
    uint32_t rows = one->end - one->first;
    size_t   sort = kith_sort_bytes(rows);
    *to_sort      = sort > *to_sort ? sort : *to_sort;
    for (uint32_t i = 0; i < one->pool_count; i++) {
        size_t move = kith_pool_rearrange_bytes(&one->pools[i].storage->pool, rows);
        *to_move    = move > *to_move ? move : *to_move;
    }
}

// Sorts all segments by the values of a pool. The world is locked: compare functions and move hooks
// must not change it.
static bool sort_segments(sorting *s, const kith_pool *values, const kith_sort_desc *by)
{
    const kith_allocator *memory  = &s->world->scratch_memory;
    kith_sort_rule        rule    = kith_sort_rule_of(values, &s->world->entities, by);
    size_t                to_sort = 0;
    size_t                to_move = 0;
    kith_world_lock(s->world);
    for (segment *one = s->segments; one != s->segments + s->count; one++) {
        one->run = one->first == one->end ? one->end : kith_run_end(&rule, one->first, one->end);
        if (one->run != one->end) {
            add_needs(one, &to_sort, &to_move);
        }
    }
    void *scratch = to_sort == 0 ? NULL : kith_alloc(memory, to_sort, KITH_CACHE_LINE);
    void *buffer  = scratch == NULL ? NULL : kith_alloc(memory, to_move, KITH_CACHE_LINE);
    for (const segment *one = s->segments; one != s->segments + s->count && buffer != NULL; one++) {
        kith_permutation order = { .count = 0 };
        if (one->run != one->end) {
            order = kith_sort_moves(&rule, one->first, one->run, one->end, scratch);
        }
        for (uint32_t i = 0; i < one->pool_count && order.count != 0; i++) {
            kith_pool_rearrange(&one->pools[i].storage->pool, order.moves, order.count, buffer);
        }
    }
    kith_free(memory, buffer, to_move, KITH_CACHE_LINE);
    kith_free(memory, scratch, to_sort, KITH_CACHE_LINE);
    kith_world_unlock(s->world);
    return to_sort == 0 || buffer != NULL || fail_sort_memory(s);
}

// --- values of another pool ------------------------------------------------------------------
//
// For values in another order than the sorted rows: a pool with one of these for each row, in the
// order of the rows. It has one page of any length.
//
//     key       the key
//     compare   the address of the value
//     as        the row in the other pool, as a key; an entity without one has the highest

#define LOOKUP_SHIFT 31u // a page of 2^31 rows

static void fill_lookup(const sorting *s, const kith_pool *values, uint32_t count,
                        const kith_pool *found)
{
    const kith_sparse_set rows   = s->rows->set; // copies: the stores to `page` cannot change them
    const bool            as     = s->by->as != 0;
    const bool            key    = s->by->key != NULL;
    const uint32_t        offset = key ? s->by->key->offset : 0;
    const size_t          size   = found->size;
    uint8_t              *page   = found->set.head.pages_[0];
    uint32_t              row    = KITH_NO_ROW;
    for (uint32_t i = 0; i < count; i++, page += size) {
        uint32_t index = *kith_sparse_set_packed(&rows, i);
        bool     next  = ++row < values->set.head.rows_ &&
                    *kith_sparse_set_packed(&values->set, row) == index; // mostly
        row = next ? row : kith_sparse_set_row_at(&values->set, index);
        if (as) {
            memcpy(page, &row, sizeof row);
            continue;
        }
        const uint8_t *value = kith_pool_value(values, row);
        if (key) {
            kith_copy_bytes(page, value + offset, size);
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

static bool sort_by_lookup(sorting *s, const kith_pool *values)
{
    const kith_allocator *memory = &s->world->scratch_memory;
    uint32_t              count  = s->count == 0 ? 0 : s->segments[s->count - 1].end;
    kith_sort_desc        given  = *s->by;
    kith_sort_key         key    = { .type = KITH_TYPE_U32 }; // of `as`
    if (count < 2) {
        return true;
    }
    if (given.key != NULL) {
        key = (kith_sort_key){ .type = given.key->type, .descending = given.key->descending };
    }
    kith_sort_desc by   = { .key = &key };
    uint32_t       size = kith_field_type_size(key.type);
    if (given.compare != NULL) {
        by   = (kith_sort_desc){ .compare = compare_places, .context = &given };
        size = (uint32_t)sizeof(void *);
    }
    size_t    bytes = (size_t)count * size;
    uint8_t  *page  = kith_alloc(memory, bytes, KITH_CACHE_LINE);
    kith_pool found = { .size = size, .set.head = { .shift_ = LOOKUP_SHIFT, .pages_ = &page } };
    if (page == NULL) {
        return fail_sort_memory(s);
    }
    fill_lookup(s, values, count, &found);
    bool sorted = sort_segments(s, &found, &by);
    kith_free(memory, page, bytes, KITH_CACHE_LINE);
    return sorted;
}

size_t kith_permutation_bytes(uint32_t count)
{
    return count * sizeof(uint64_t) + kith_sort_bytes(count) + KITH_CACHE_LINE;
}

// --- pools -----------------------------------------------------------------------------------

bool kith_component_sort(kith_world *world, kith_component component, const kith_sort_desc *desc)
{
    sorting       s = { .world = world, .call = __func__, .component = component, .by = desc };
    kith_storage *storage = check_order(&s) ? open_storage(&s) : NULL;
    if (storage != NULL && storage->desc.traits.policy == KITH_POLICY_STABLE) {
        return kith_world_refuse(world, KITH_ERROR_POLICY, s.call, component, KITH_NULL);
    }
    if (storage == NULL || !kith_require_unowned(world, storage, s.call) ||
        !check_key(&s, storage)) {
        return false;
    }
    s.rows          = &storage->pool;
    s.alone.storage = storage;
    s.segments[s.count++] =
        (segment){ .pools = &s.alone, .pool_count = 1, .end = s.rows->set.head.rows_ };
    if (desc->as == 0) {
        return sort_segments(&s, s.rows, desc);
    }
    const kith_storage *as =
        kith_storage_for_mut(world, desc->as, KITH_NULL, KITH_WITH_ROWS | KITH_READS, s.call);
    return as != NULL && sort_by_lookup(&s, &as->pool);
}

// --- the members of a group ------------------------------------------------------------------

// Whether every member has values in the storage; reports an error when one can lack them.
static bool check_values(const sorting *s, const kith_group *group, const kith_storage *storage)
{
    return kith_plan_term_of(&group->plan, storage) < group->plan.pool_end ||
           kith_world_refuse_because(s->world, KITH_ERROR_ARGUMENT, s->call, s->component,
                                     "members of the group can lack it", group->desc.name);
}

// Whether the rows of all components that the group owns can move now.
static bool open_owned(const sorting *s, const kith_group *group)
{
    bool open = kith_require_at_rest(s->world, s->call);
    for (uint32_t i = 0; i < group->owned && open; i++) {
        kith_component id = group->plan.terms[i].storage->desc.id;
        open = kith_storage_for_mut(s->world, id, KITH_NULL, KITH_ANY_KIND, s->call) != NULL;
    }
    return open;
}

// Members of groups inside this one must stay in front of the others, so the members that are in
// the same innermost group form a segment:
//
//     [ members of the inner group | other members of the outer group | others ]
//       segment 0                    segment 1
static void add_segments(sorting *s, const kith_group *group)
{
    const kith_group_list *all = &s->world->groups;
    for (uint32_t i = all->count, first = 0; i-- > 0;) {
        const kith_group *one    = all->groups[i];
        bool              inside = group->owned == 0 ? one == group : kith_group_within(one, group);
        if (inside && one->members > first) {
            bool alone              = one->owned == 0;
            s->segments[s->count++] = (segment){ .pools      = alone ? &s->alone : one->plan.terms,
                                                 .pool_count = alone ? 1 : one->owned,
                                                 .first      = first,
                                                 .end        = one->members };
            first                   = one->members;
        }
    }
}

bool kith_group_sort(kith_group *group, kith_component component, const kith_sort_desc *desc)
{
    sorting s = {
        .world = group->object.world, .call = __func__, .component = component, .by = desc
    };
    if (!check_order(&s)) {
        return false;
    }
    s.alone.storage = &group->list;
    s.rows          = group->owned == 0 ? &group->list.pool : &group->plan.terms[0].storage->pool;
    if (!group->dropped) {
        add_segments(&s, group);
    }
    if (desc->compare_entities != NULL) {
        s.component = 0;
        return open_owned(&s, group) && sort_segments(&s, s.rows, desc);
    }
    s.component                 = desc->as != 0 ? desc->as : component;
    const kith_storage *storage = open_storage(&s);
    if (storage == NULL || (desc->as == 0 && !check_values(&s, group, storage)) ||
        !check_key(&s, storage)) {
        return false;
    }
    return desc->as == 0 && kith_group_owns(group, storage)
               ? sort_segments(&s, &storage->pool, desc)
               : sort_by_lookup(&s, &storage->pool);
}
