// SPDX-License-Identifier: MIT
// States made beside a world's own: a picture is taken of one world and staged in another, as
// loading does from a file. Whole pictures must come out as they went in; broken ones are refused,
// or result in a valid world.
#include "component_test.h"
#include "group/group.h"
#include "query/query.h"
#include "snapshot/load.h"
#include "system/system.h"

enum {
    SCAR = 11, // stable, with row ticks and a journal
    OWNED,     // through hooks
    LEFT,
    RIGHT,
    INNER,
    SEASON, // a singleton through hooks
    YEAR,   // a singleton
    NEEDY,  // requires HEALTH
    MANY       = 100,
    MANY_COUNT = 64,
    FAR        = MANY + MANY_COUNT,
    FAR_FLAG,
    FAR_TAG
};

// --- worlds ----------------------------------------------------------------------------------

static int living_values;

static bool make_number(void *value, void *context)
{
    (void)context;
    int *number = malloc(sizeof *number);
    if (number != NULL) {
        *number        = 7;
        *(int **)value = number;
        living_values++;
    }
    return number != NULL;
}

static bool copy_number(void *value, const void *source, void *context)
{
    bool made = make_number(value, context);
    if (made) {
        **(int **)value = **(int *const *)source;
    }
    return made;
}

static void end_number(void *value, void *context)
{
    (void)context;
    free(*(int **)value);
    living_values--;
}

static void move_number(void *value, void *source, void *context)
{
    (void)context;
    *(int **)value  = *(int **)source;
    *(int **)source = NULL;
}

static const kith_hooks number_hooks = { make_number, copy_number, end_number, move_number, NULL };

static kith_component_desc int_desc(const char *name, kith_component id, kith_kind kind)
{
    return (kith_component_desc){
        .name = name, .id = id, .kind = kind, .size = sizeof(int), .alignment = _Alignof(int)
    };
}

static void register_hooked(kith_world *world, const char *name, kith_component id, kith_kind kind)
{
    kith_component_desc desc = int_desc(name, id, kind);
    desc.size                = sizeof(int *);
    desc.alignment           = _Alignof(int *);
    desc.traits.hooks        = number_hooks;
    register_one(world, desc);
}

static void register_many_tags(kith_world *world)
{
    for (uint32_t i = 0; i < MANY_COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "many %u", i);
        assert_int_not_equal(test_register_tag(world, name, MANY + i), 0);
    }
}

static void register_all(kith_world *world)
{
    static const kith_component health = HEALTH;
    kith_component_desc         scar   = int_desc("scar", SCAR, KITH_KIND_VALUE);
    kith_component_desc         needy  = int_desc("needy", NEEDY, KITH_KIND_VALUE);
    kith_component_desc         far    = int_desc("far", FAR, KITH_KIND_VALUE);
    far.traits.journal                 = 4;
    scar.traits.policy                 = KITH_POLICY_STABLE;
    scar.traits.row_ticks              = true;
    scar.traits.journal                = 8;
    scar.traits.page_rows              = 16;
    needy.traits.required              = &health;
    needy.traits.required_count        = 1;
    assert_true(game_register(world));
    register_one(world, scar);
    register_hooked(world, "owned", OWNED, KITH_KIND_VALUE);
    register_one(world, int_desc("left", LEFT, KITH_KIND_VALUE));
    register_one(world, int_desc("right", RIGHT, KITH_KIND_VALUE));
    register_one(world, int_desc("inner", INNER, KITH_KIND_VALUE));
    register_hooked(world, "season", SEASON, KITH_KIND_SINGLETON);
    register_one(world, int_desc("year", YEAR, KITH_KIND_SINGLETON));
    register_one(world, needy);
    register_many_tags(world);
    register_one(world, far);
    register_one(
        world, (kith_component_desc){ .name = "far flag", .id = FAR_FLAG, .kind = KITH_KIND_FLAG });
    assert_int_not_equal(test_register_tag(world, "far tag", FAR_TAG), 0);
}

typedef struct group_terms {
    uint32_t  count;
    kith_term terms[4];
} group_terms;

static const group_terms groups[] = {
    { 2, { { LEFT, KITH_ROLE_OWN, 0 }, { RIGHT, KITH_ROLE_OWN, 0 } } },
    { 3, { { LEFT, KITH_ROLE_OWN, 0 }, { RIGHT, KITH_ROLE_OWN, 0 }, { INNER, KITH_ROLE_OWN, 0 } } },
    { 3,
      { { POSITION, KITH_ROLE_READ, 0 },
        { SCAR, KITH_ROLE_READ, 0 },
        { HIDDEN, KITH_ROLE_WITHOUT, 0 } } },
    { 2, { { OWNED, KITH_ROLE_OWN, 0 }, { FROZEN, KITH_ROLE_WITH, 0 } } },
    { 2, { { FAR, KITH_ROLE_READ, 0 }, { FAR_FLAG, KITH_ROLE_WITH, 0 } } },
};

static void make_groups(kith_world *world)
{
    for (uint32_t i = 0; i < COUNT_OF(groups); i++) {
        kith_query_desc desc = { .terms = groups[i].terms, .term_count = groups[i].count };
        assert_non_null(kith_group_of(world, &desc));
    }
}

static void make_sets(kith_world *world)
{
    const kith_condition came = { POSITION, KITH_ON_ADD };
    const kith_condition went = { SCAR, KITH_ON_REMOVE };
    kith_reactive_desc   desc = { .name = "came", .conditions = &came, .condition_count = 1 };
    assert_non_null(kith_reactive_create(world, &desc));
    desc = (kith_reactive_desc){
        .name = "went", .conditions = &went, .condition_count = 1, .keep_dead = true
    };
    assert_non_null(kith_reactive_create(world, &desc));
}

static const kith_term stored_terms[] = { { POSITION, KITH_ROLE_READ, 0 },
                                          { FAR, KITH_ROLE_READ, 0 } };

static void make_query(kith_world *world)
{
    kith_query_desc desc = { .terms = stored_terms, .term_count = COUNT_OF(stored_terms) };
    assert_non_null(kith_query_create(world, &desc));
}

static void make_path_of(kith_world *world)
{
    static const kith_component way[] = { POSITION, FAR };
    assert_non_null(
        kith_path_of(world, &(kith_path_desc){ .components = way, .component_count = 2 }));
}

static kith_world *ungrouped_world(test_memory *memory, kith_world_desc desc)
{
    kith_world *world = test_world_with(memory, desc);
    assert_non_null(world);
    register_all(world);
    make_sets(world);
    make_query(world);
    make_path_of(world);
    return world;
}

static kith_world *full_world(test_memory *memory, kith_world_desc desc)
{
    kith_world *world = ungrouped_world(memory, desc);
    make_groups(world);
    return world;
}

// --- random calls ----------------------------------------------------------------------------

static const kith_component parts[] = { POSITION, VELOCITY, HEALTH,   FROZEN,  HIDDEN,
                                        SCAR,     OWNED,    LEFT,     RIGHT,   INNER,
                                        NEEDY,    FAR,      FAR_FLAG, FAR_TAG, MANY };

static kith_entity entity_there(const kith_world *world, uint64_t *seed)
{
    kith_stats stats = kith_world_stats(world);
    uint32_t   index = test_random_below(seed, stats.slots + 1);
    return kith_entity_slot(world, index);
}

static void set_value(kith_world *world, kith_entity entity, kith_component component, int number)
{
    const kith_storage *column    = kith_world_storage(world, component);
    int                *address   = &number;
    int                 values[2] = { number, number + 1 };
    bool                hooked    = !column->pool.plain;
    if (component == SEASON || component == YEAR) {
        (void)kith_singleton_set(world, component, hooked ? (void *)&address : (void *)values);
    } else if (column->desc.kind == KITH_KIND_VALUE) {
        (void)kith_component_set(world, entity, component,
                                 hooked ? (void *)&address : (void *)values);
    } else {
        (void)kith_component_add(world, entity, component, NULL);
    }
}

static int by_number(const void *a, const void *b, void *context)
{
    (void)context;
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

// The one that make_query made; systems have their own.
static kith_query *stored_query(const kith_world *world)
{
    kith_query *query = world->queries;
    while (query->desc.term_count != COUNT_OF(stored_terms)) {
        query = query->next;
    }
    return query;
}

static int value_of_second(const kith_cursor *cursor)
{
    return *(const int *)cursor->columns[1];
}

static uint64_t walk_query(kith_query *query)
{
    uint64_t    seen = 0;
    kith_cursor c    = kith_query_begin(query);
    while (kith_cursor_next(&c)) {
        seen = seen * 31 + c.entity + (uint64_t)value_of_second(&c);
    }
    return seen;
}

// Returns what the call answered, as a number.
static uint64_t call_rarely(kith_world *world, uint64_t *seed, kith_entity entity)
{
    switch (test_random_below(seed, 8)) {
    case 0:
        return kith_singleton_remove(world, test_random_below(seed, 2) != 0 ? SEASON : YEAR);
    case 1:
        set_value(world, KITH_NULL, SEASON, (int)test_random_below(seed, 99));
        return 0;
    case 2:
        set_value(world, KITH_NULL, YEAR, (int)test_random_below(seed, 99));
        return 0;
    case 3:
        return kith_component_sort(world, HEALTH, &(kith_sort_desc){ .compare = by_number });
    case 4:
        return kith_path_arrange(world->paths, test_random_below(seed, 9));
    case 5:
        return kith_world_advance(world);
    case 6:
        return walk_query(stored_query(world));
    default:
        return kith_entity_create_hint(world, entity + (UINT64_C(1) << 32));
    }
}

static uint64_t call_one(kith_world *world, uint64_t *seed, bool growing)
{
    uint32_t       choice    = test_random_below(seed, 24);
    kith_component component = parts[test_random_below(seed, COUNT_OF(parts))];
    kith_entity    entity    = entity_there(world, seed);
    uint64_t       answer    = 0;
    bool           flag      = component == HIDDEN || component == FAR_FLAG;
    if (choice < 3) {
        answer = growing || choice == 0 ? kith_entity_create(world)
                                        : (uint64_t)kith_entity_destroy(world, entity);
    } else if (choice == 3) {
        answer = kith_entity_destroy(world, entity);
    } else if (choice == 4) {
        answer = call_rarely(world, seed, entity);
    } else if (choice > 4 && kith_entity_alive(world, entity)) {
        if (choice < 7) {
            answer = kith_component_remove(world, entity, component);
        } else if (choice < 9 && !flag) {
            answer = choice == 7 ? kith_component_enable(world, entity, component, false)
                                 : kith_component_enable(world, entity, component, true);
        } else {
            set_value(world, entity, component, (int)test_random_below(seed, 1000));
        }
    }
    return answer;
}

static uint64_t call_many(kith_world *world, uint64_t seed, uint32_t calls)
{
    uint64_t answers = 0;
    for (uint32_t i = 0; i < calls; i++) {
        answers = answers * 31 + call_one(world, &seed, i / 128 % 2 == 0);
    }
    assert_world_valid(world);
    return answers;
}

// --- pictures --------------------------------------------------------------------------------

#define MOST_ROWS    4096
#define MOST_COLUMNS 96
#define MOST_GROUPS  8

typedef struct column_picture {
    uint32_t  rows;
    uint32_t *packed; // or the entities of a flag
    uint32_t  hole_count;
    uint32_t *holes;
    uint64_t *disabled;
    int      *values; // the first number of each
    bool      single;
} column_picture;

typedef struct picture {
    kith_world_facts facts;
    uint64_t        *slots;
    uint32_t         storage_count;
    column_picture   storages[MOST_COLUMNS];
    uint32_t         group_count;
    uint32_t         members[MOST_GROUPS];
    uint32_t        *orders[MOST_GROUPS];
} picture;

static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count + 1, size);
    assert_non_null(room);
    return room;
}

static int number_in(const kith_pool *pool, const void *value)
{
    return pool->size == 0 ? 0 : pool->plain ? *(const int *)value : **(int *const *)value;
}

static void see_flag(column_picture *to, const kith_world *world, const kith_storage *column)
{
    to->packed = room_for(world->entities.count, sizeof *to->packed);
    for (uint32_t index = 0; index < world->entities.count; index++) {
        if (kith_entity_bit(&world->entities, index, column->bit)) {
            to->packed[to->rows++] = index;
        }
    }
}

static void see_rows(column_picture *to, const kith_pool *pool)
{
    to->rows     = pool->set.head.rows_;
    to->packed   = room_for(to->rows, sizeof *to->packed);
    to->holes    = room_for(to->rows, sizeof *to->holes);
    to->disabled = room_for(to->rows / 64 + 1, sizeof *to->disabled);
    to->values   = room_for(to->rows, sizeof *to->values);
    for (uint32_t row = 0; row < to->rows; row++) {
        bool hole       = kith_pool_is_hole(pool, row);
        to->packed[row] = hole ? KITH_HOLE : *kith_sparse_set_packed(&pool->set, row);
        to->values[row] = hole ? 0 : number_in(pool, kith_pool_value(pool, row));
        to->disabled[row / 64] |= (uint64_t)kith_pool_is_disabled(pool, row) << row % 64;
    }
    for (uint32_t hole = pool->set.newest_hole; hole != KITH_NO_ROW;
         hole          = kith_sparse_set_older_hole(&pool->set, hole)) {
        to->holes[to->hole_count++] = hole;
    }
}

static void see_column(column_picture *to, const kith_world *world, const kith_storage *column)
{
    if (column->desc.kind == KITH_KIND_FLAG) {
        see_flag(to, world, column);
    } else if (column->desc.kind == KITH_KIND_SINGLETON) {
        to->single    = column->single != NULL;
        to->values    = room_for(1, sizeof *to->values);
        to->values[0] = to->single ? number_in(&column->pool, column->single) : 0;
    } else {
        see_rows(to, &column->pool);
    }
}

static void see_group(picture *to, const kith_group *group)
{
    uint32_t place              = to->group_count++;
    to->members[place]          = group->members;
    to->orders[place]           = room_for(group->members, sizeof(uint32_t));
    const kith_storage    *lead = group->owned == 0 ? &group->list : group->plan.terms[0].storage;
    const kith_sparse_set *set  = &lead->pool.set;
    for (uint32_t row = 0; row < group->members; row++) {
        to->orders[place][row] = *kith_sparse_set_packed(set, row);
    }
}

static picture *take_picture(const kith_world *world)
{
    const kith_entity_table *table = &world->entities;
    picture                 *to    = room_for(1, sizeof *to);
    bool                     tail  = table->order == KITH_FREE_FIFO && table->free != 0;
    to->facts.slots                = table->count;
    to->facts.head                 = table->head;
    to->facts.tail                 = tail ? table->tail : 0;
    to->facts.free                 = table->free;
    to->facts.retired              = table->retired;
    to->slots                      = room_for(table->count, sizeof *to->slots);
    for (uint32_t index = 0; index < table->count; index++) {
        to->slots[index] = *kith_entity_slot_of(table, index);
    }
    assert_in_range(world->storage_count, 1, MOST_COLUMNS);
    for (uint32_t i = 0; i < world->storage_count; i++) {
        see_column(&to->storages[to->storage_count++], world, world->storages[i]);
    }
    for (uint32_t i = 0; i < world->groups.count; i++) {
        see_group(to, world->groups.groups[i]);
    }
    return to;
}

static void drop_picture(picture *of)
{
    for (uint32_t i = 0; i < of->storage_count; i++) {
        free(of->storages[i].packed);
        free(of->storages[i].holes);
        free(of->storages[i].disabled);
        free(of->storages[i].values);
    }
    for (uint32_t i = 0; i < of->group_count; i++) {
        free(of->orders[i]);
    }
    free(of->slots);
    free(of);
}

static void assert_same_column(const column_picture *a, const column_picture *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->single, b->single);
    assert_int_equal(a->hole_count, b->hole_count);
    if (a->packed != NULL) {
        assert_memory_equal(a->packed, b->packed, a->rows * sizeof *a->packed);
    }
    if (a->holes != NULL) {
        assert_memory_equal(a->holes, b->holes, a->hole_count * sizeof *a->holes);
        assert_memory_equal(a->disabled, b->disabled, (a->rows + 63) / 64 * sizeof *a->disabled);
        assert_memory_equal(a->values, b->values, a->rows * sizeof *a->values);
    } else if (a->values != NULL) {
        assert_int_equal(a->values[0], b->values[0]);
    }
}

static void assert_same_picture(const picture *a, const picture *b)
{
    assert_memory_equal(&a->facts, &b->facts, sizeof a->facts);
    assert_memory_equal(a->slots, b->slots, a->facts.slots * sizeof *a->slots);
    for (uint32_t i = 0; i < a->storage_count; i++) {
        assert_same_column(&a->storages[i], &b->storages[i]);
    }
    for (uint32_t i = 0; i < a->group_count; i++) {
        assert_int_equal(a->members[i], b->members[i]);
        assert_memory_equal(a->orders[i], b->orders[i], a->members[i] * sizeof(uint32_t));
    }
}

// The world is valid and like the picture, which then goes.
static void assert_like(const kith_world *world, picture *expected)
{
    picture *now = take_picture(world);
    assert_world_valid(world);
    assert_same_picture(expected, now);
    drop_picture(now);
    drop_picture(expected);
}

// --- staging a picture -----------------------------------------------------------------------

static kith_staged_component *staged(const kith_loader *staging, const kith_storage *column)
{
    return &staging->storages[column->order];
}

// What is wrong, without the name that it is about, or NULL. The next fault is the first again.
static const char *answer(kith_loader *staging, bool *memory)
{
    static kith_result last;
    last                   = staging->reader.result;
    staging->reader.result = (kith_result){ .code = KITH_OK };
    *memory                = last.code == KITH_ERROR_MEMORY;
    const char *behind     = last.message[0] == '"' ? strstr(last.message, "\": ") : NULL;
    return last.code == KITH_OK ? NULL : behind == NULL ? last.message : behind + 3;
}

// Makes what was written the body of the present chunk.
static void read_body(kith_loader *staging, const kith_bytes *body)
{
    staging->reader.body = (kith_source){ .bytes = body->data, .size = body->size };
}

static const char *stage_slots(kith_loader *staging, const picture *from, bool *memory)
{
    kith_bytes  body = { .data = NULL };
    kith_writer w    = { .out = &body };
    bool        good = kith_load_counts(staging, &from->facts);
    if (good) {
        kith_writer_u32(&w, 0);
        kith_writer_u32(&w, from->facts.slots);
        kith_writer_numbers(&w, from->slots, from->facts.slots, sizeof(uint64_t));
        read_body(staging, &body);
        good = kith_load_slots(staging) && kith_load_check_slots(staging);
        kith_bytes_free(&body);
    }
    const char *wrong = answer(staging, memory);
    assert_int_equal(good, wrong == NULL);
    return wrong;
}

static bool build_value(kith_pool *pool, void *value, int number)
{
    int *address  = &number;
    int  plain[2] = { number, number + 1 };
    return pool->size == 0 ||
           kith_pool_construct(pool, value, pool->plain ? (void *)plain : (void *)&address);
}

static bool has_disabled(const column_picture *of)
{
    uint64_t any = 0;
    for (uint32_t word = 0; word < of->rows / 64 + 1; word++) {
        any |= of->disabled[word];
    }
    return any != 0;
}

// Stages the indices of all rows.
static const char *stage_indices(kith_loader *staging, const kith_storage *column,
                                 const uint32_t *packed, uint32_t rows, bool *memory)
{
    kith_staged_component *target = staged(staging, column);
    kith_bytes             body   = { .data = NULL };
    kith_writer            w      = { .out = &body };
    kith_writer_u32(&w, 0);
    kith_writer_u32(&w, rows);
    kith_writer_u32(&w, 0);
    kith_writer_numbers(&w, packed, rows, sizeof(uint32_t));
    read_body(staging, &body);
    target->rows = rows;
    kith_load_rows(staging, target);
    kith_bytes_free(&body);
    return answer(staging, memory);
}

static void build_values(kith_staged_component *target, const column_picture *from)
{
    for (uint32_t row = 0; row < from->rows; row++) {
        if ((from->packed[row] & KITH_HOLE) == 0) {
            void *value = kith_pool_value(&target->pool, row);
            assert_true(build_value(&target->pool, value, from->values[row]));
        }
        target->built = row + 1;
    }
}

// The list comes as its length and its numbers.
static void read_list(kith_loader *staging, kith_bytes *body, const uint32_t *list, uint32_t count)
{
    kith_writer w = { .out = body };
    body->size    = 0;
    kith_writer_u32(&w, count);
    kith_writer_numbers(&w, list, count, sizeof(uint32_t));
    read_body(staging, body);
}

static const char *stage_rows(kith_loader *staging, kith_storage *column,
                              const column_picture *from, bool *memory)
{
    kith_staged_component *target = staged(staging, column);
    kith_bytes             body   = { .data = NULL };
    const char            *wrong = stage_indices(staging, column, from->packed, from->rows, memory);
    if (wrong != NULL) {
        return wrong;
    }
    build_values(target, from);
    read_list(staging, &body, from->holes, from->hole_count);
    bool good = from->hole_count == 0 || kith_load_holes(staging, target);
    if (good && has_disabled(from)) {
        kith_writer w     = { .out = &body };
        uint32_t    words = (from->rows + 63) / 64;
        body.size         = 0;
        kith_writer_u32(&w, words);
        kith_writer_numbers(&w, from->disabled, words, sizeof(uint64_t));
        read_body(staging, &body);
        good = kith_load_disabled(staging, target);
    }
    if (good) {
        kith_load_check_component(staging, target);
    }
    kith_bytes_free(&body);
    return answer(staging, memory);
}

static const char *stage_flag(kith_loader *staging, const kith_storage *column,
                              const column_picture *from, bool *memory)
{
    kith_bytes body = { .data = NULL };
    read_list(staging, &body, from->packed, from->rows);
    kith_load_flags(staging, staged(staging, column));
    kith_bytes_free(&body);
    return answer(staging, memory);
}

static const char *stage_column(kith_loader *staging, kith_storage *column,
                                const column_picture *from, bool *memory)
{
    kith_staged_component *target = staged(staging, column);
    if (column->desc.kind == KITH_KIND_FLAG) {
        return stage_flag(staging, column, from, memory);
    }
    if (column->desc.kind != KITH_KIND_SINGLETON) {
        return stage_rows(staging, column, from, memory);
    }
    if (from->single) {
        target->single = kith_storage_alloc_single(column);
    }
    if (target->single != NULL) {
        assert_true(build_value(&target->pool, target->single, from->values[0]));
        target->built = 1;
    }
    *memory = from->single && target->single == NULL;
    return *memory ? "no singleton" : NULL;
}

static const char *stage_order(kith_loader *staging, uint32_t group, const picture *from,
                               bool *memory)
{
    kith_bytes body = { .data = NULL };
    uint32_t   count;
    read_list(staging, &body, from->orders[group], from->members[group]);
    if (kith_load_list(staging, &count)) {
        kith_staging_order(staging, &staging->groups[group], count);
    }
    kith_bytes_free(&body);
    return answer(staging, memory);
}

static const char *make_ready(kith_loader *staging, bool *memory)
{
    bool        good  = kith_staging_ready(staging);
    const char *wrong = answer(staging, memory);
    assert_int_equal(good, wrong == NULL);
    return wrong;
}

static const char *stage_picture(kith_loader *staging, const picture *from, bool *memory)
{
    kith_world *world = staging->world;
    const char *wrong = stage_slots(staging, from, memory);
    for (uint32_t i = 0; i < from->storage_count && wrong == NULL; i++) {
        wrong = stage_column(staging, world->storages[i], &from->storages[i], memory);
    }
    for (uint32_t i = 0; i < from->group_count && wrong == NULL; i++) {
        if (world->groups.groups[i]->owned == 0) {
            wrong = stage_order(staging, i, from, memory);
        }
    }
    return wrong != NULL ? wrong : make_ready(staging, memory);
}

// False: it could not be done, and nothing has changed.
static bool load_picture(kith_world *to, const picture *from)
{
    kith_loader staging;
    bool        memory = false;
    if (!kith_staging_begin(&staging, to)) {
        return false;
    }
    const char *wrong = stage_picture(&staging, from, &memory);
    if (wrong == NULL) {
        kith_staging_swap(&staging);
    } else {
        assert_true(memory);
    }
    kith_staging_end(&staging);
    return wrong == NULL;
}

// --- whole pictures --------------------------------------------------------------------------

static const kith_world_desc settings[] = {
    { .free_order = KITH_FREE_LIFO },
    { .free_order = KITH_FREE_FIFO, .version_bits = 3 },
    { .free_order = KITH_FREE_LOWEST, .first_index = 3 },
    { .free_order = KITH_FREE_FIFO, .max_entities = 700 },
    { .free_order = KITH_FREE_LIFO, .version_bits = 2, .first_index = 5 },
    { .free_order = KITH_FREE_LOWEST, .version_bits = 2, .max_entities = 1500 },
    { .memory = (size_t)64 << 20 },
};

// The stored query visits the entities that its pools have now.
static void assert_query_fresh(kith_world *world)
{
    for (uint32_t time = 0; time < 3; time++) {
        uint64_t    seen = 0;
        kith_cursor c    = kith_view_begin(world, kith_query_describe(stored_query(world)));
        while (kith_cursor_next(&c)) {
            seen = seen * 31 + c.entity + (uint64_t)value_of_second(&c);
        }
        assert_int_equal(walk_query(stored_query(world)), seen);
    }
}

// Stages one world in the other; there and back, and there again.
static void move_state(kith_world *from, kith_world *to)
{
    kith_loader staging;
    bool        memory = false;
    picture    *seen   = take_picture(from);
    assert_true(kith_staging_begin(&staging, to));
    assert_null(stage_picture(&staging, seen, &memory));
    assert_like(to, take_picture(to));
    picture *before = take_picture(to);
    assert_query_fresh(to);
    kith_staging_swap(&staging);
    assert_world_valid(to);
    assert_query_fresh(to);
    picture *after = take_picture(to);
    assert_same_picture(seen, after);
    drop_picture(after);
    kith_staging_swap(&staging);
    assert_query_fresh(to);
    assert_like(to, before);
    kith_staging_swap(&staging);
    assert_query_fresh(to);
    assert_like(to, seen);
    kith_staging_end(&staging);
    assert_world_valid(to);
}

static void a_state_moves_with(kith_world_desc desc, uint64_t seed)
{
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *from        = full_world(&memories[0], desc);
    kith_world *to          = full_world(&memories[1], desc);
    uint32_t    calls       = test_thinned(2000);
    for (uint32_t round = 0; round < 6; round++) {
        call_many(from, test_random(&seed), calls >> test_random_below(&seed, 4));
        if (round % 2 == 0) {
            call_many(to, test_random(&seed), calls / 2);
        }
        move_state(from, to);
        uint64_t later = test_random(&seed);
        while (from->tick < to->tick) { // which states do not bring
            kith_world_advance(from);
        }
        while (to->tick < from->tick) {
            kith_world_advance(to);
        }
        assert_int_equal(call_many(from, later, calls / 4), call_many(to, later, calls / 4));
        assert_like(to, take_picture(from));
    }
    test_world_end(from, &memories[0]);
    test_world_end(to, &memories[1]);
    assert_int_equal(living_values, 0);
}

static void a_state_moves_and_goes_on_alike(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (uint32_t i = 0; i < COUNT_OF(settings); i++) {
        a_state_moves_with(settings[i], test_random(&seed));
    }
}

// --- broken pictures -------------------------------------------------------------------------

typedef struct pair {
    test_memory memories[2];
    kith_world *from;
    kith_world *to;
} pair;

static pair *small_pair(kith_world_desc desc, uint64_t seed, uint32_t calls)
{
    static pair made;
    made      = (pair){ 0 };
    made.from = full_world(&made.memories[0], desc);
    made.to   = full_world(&made.memories[1], desc);
    call_many(made.from, seed, calls);
    call_many(made.to, seed + 1, calls / 2);
    return &made;
}

static void end_pair(pair *of)
{
    test_world_end(of->from, &of->memories[0]);
    test_world_end(of->to, &of->memories[1]);
    assert_int_equal(living_values, 0);
}

static uint32_t accepted, refused;

// Whatever the picture says, the world is valid: with that state, or as it was.
static void try_picture(kith_world *to, const picture *broken)
{
    kith_loader staging;
    bool        memory = false;
    assert_true(kith_staging_begin(&staging, to));
    bool whole = stage_picture(&staging, broken, &memory) == NULL;
    assert_false(memory);
    accepted += whole;
    refused += !whole;
    if (whole) {
        kith_staging_swap(&staging);
        assert_world_valid(to);
        for (uint32_t index = 0; index < broken->facts.slots; index++) {
            assert_int_equal(*kith_entity_slot_of(&to->entities, index), broken->slots[index]);
        }
        kith_staging_swap(&staging);
    }
    kith_staging_end(&staging);
    assert_world_valid(to);
}

static const uint32_t others[] = {
    0, 1, 2, 17, KITH_HOLE, KITH_NO_INDEX, KITH_NO_INDEX - 1, KITH_NO_INDEX - 2
};

// Other numbers in the place of each of these: close ones and distant ones.
static void break_numbers(kith_world *to, const picture *whole, uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = numbers[i];
        for (uint32_t k = 0; k < COUNT_OF(others) + 2; k++) {
            uint32_t other =
                k < COUNT_OF(others) ? others[k] : before + (k == COUNT_OF(others) ? 1u : ~0u);
            numbers[i] = other;
            if (other != before) {
                try_picture(to, whole);
            }
        }
        numbers[i] = before;
    }
}

static void break_facts(kith_world *to, picture *whole)
{
    uint32_t *numbers = &whole->facts.head;
    uint32_t  slots   = whole->facts.slots;
    break_numbers(to, whole, numbers, 4);
    for (uint32_t fewer = 0; fewer < slots; fewer++) {
        whole->facts.slots = fewer;
        try_picture(to, whole);
    }
    whole->facts.slots = slots;
}

static void break_slots(kith_world *to, picture *whole)
{
    for (uint32_t i = 0; i < whole->facts.slots; i++) {
        uint64_t before   = whole->slots[i];
        uint32_t halves[] = { (uint32_t)before, (uint32_t)(before >> 32) };
        for (uint32_t half = 0; half < 2; half++) {
            for (uint32_t k = 0; k < COUNT_OF(others); k++) {
                uint32_t changed[] = { halves[0], halves[1] };
                changed[half]      = others[k];
                whole->slots[i]    = kith_entity_make(changed[0], changed[1]);
                try_picture(to, whole);
            }
        }
        whole->slots[i] = before;
    }
}

static void break_disabled(kith_world *to, const picture *whole, column_picture *column)
{
    for (uint32_t row = 0; row < column->rows + 2 && row < 64; row++) {
        column->disabled[0] ^= UINT64_C(1) << row;
        try_picture(to, whole);
        column->disabled[0] ^= UINT64_C(1) << row;
    }
}

static void break_column(kith_world *to, const picture *whole, column_picture *column)
{
    uint32_t rows  = column->rows;
    uint32_t holes = column->hole_count;
    break_numbers(to, whole, column->packed, rows);
    for (column->rows = 0; column->rows < rows; column->rows++) {
        try_picture(to, whole);
    }
    if (column->holes != NULL) {
        break_numbers(to, whole, column->holes, holes);
        for (column->hole_count = 0; column->hole_count < holes; column->hole_count++) {
            try_picture(to, whole);
        }
        break_disabled(to, whole, column);
    }
}

static void break_everything(kith_world_desc desc, uint64_t seed)
{
    pair    *two   = small_pair(desc, seed, 250);
    picture *whole = take_picture(two->from);
    picture *was   = take_picture(two->to);
    break_facts(two->to, whole);
    break_slots(two->to, whole);
    for (uint32_t i = 0; i < whole->storage_count; i++) {
        if (whole->storages[i].packed != NULL) {
            break_column(two->to, whole, &whole->storages[i]);
        }
    }
    for (uint32_t i = 0; i < whole->group_count; i++) {
        bool     owning  = two->to->groups.groups[i]->owned != 0;
        uint32_t members = owning ? 0 : whole->members[i];
        break_numbers(two->to, whole, whole->orders[i], members);
        for (whole->members[i] = 0; whole->members[i] < members; whole->members[i]++) {
            try_picture(two->to, whole);
        }
    }
    assert_like(two->to, was);
    drop_picture(whole);
    end_pair(two);
}

static void broken_states_are_refused_or_valid(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    accepted = refused = 0;
    for (uint32_t i = 0; i < 5; i++) {
        kith_world_desc desc = settings[i];
        desc.max_entities    = desc.max_entities == 0 ? 0 : 24;
        break_everything(desc, test_random(&seed));
    }
    assert_true(refused > accepted && accepted > 0);
}

// --- what refusals say -----------------------------------------------------------------------

typedef struct breakage {
    const char *sentence;
    void (*damage)(picture *of);
    uint32_t setting;
} breakage;

// A small picture: entities 0, 2 and 4 live and have POSITION; 4, 2 and 1 were made holes of SCAR
// in this order; 2 and 4 have HIDDEN.
static kith_world *small_world(test_memory *memory, kith_world_desc desc)
{
    kith_world *world = full_world(memory, desc);
    test_create_many(world, 5);
    for (uint32_t i = 0; i < 5; i++) {
        kith_entity entity = kith_entity_slot(world, desc.first_index + i);
        set_value(world, entity, SCAR, (int)i);
        set_value(world, entity, i % 2 == 0 ? POSITION : HEALTH, (int)i);
    }
    const uint32_t order[] = { 4, 2, 1 };
    for (uint32_t i = 0; i < 3; i++) {
        kith_entity entity = kith_entity_slot(world, desc.first_index + order[i]);
        assert_true(kith_component_remove(world, entity, SCAR));
        set_value(world, entity, HIDDEN, 0);
    }
    for (uint32_t i = 1; i < 5; i += 2) {
        assert_true(kith_entity_destroy(world, kith_entity_slot(world, desc.first_index + i)));
    }
    return world;
}

#define COLUMN_POSITION 0
#define COLUMN_HIDDEN   4
#define COLUMN_SCAR     5
#define LISTING         4 // the group of POSITION and SCAR, of which 0 is the only member

static void too_many_slots(picture *of)
{
    of->facts.slots = 17;
}
static void too_few_slots(picture *of)
{
    of->facts.slots = 1;
}
static void high_version(picture *of)
{
    of->slots[4] += UINT64_C(4) << 32;
}
static void no_version(picture *of)
{
    of->slots[4] = 4;
}
static void free_without_version(picture *of)
{
    of->slots[1] = KITH_SLOT_END;
}
static void free_beyond(picture *of)
{
    of->slots[1] = handle(99, 2);
}
static void linked_lowest(picture *of)
{
    of->slots[4] = handle(6, 2);
}

static void retired_early(picture *of)
{
    of->slots[1] = handle(KITH_SLOT_RETIRED, 2);
}
static void reserved_above(picture *of)
{
    of->slots[4] = handle(KITH_SLOT_RESERVED, 2);
}
static void free_below(picture *of)
{
    of->slots[1] = handle(KITH_SLOT_END, 2);
}
static void one_free_more(picture *of)
{
    of->facts.free++;
}
static void one_retired(picture *of)
{
    of->facts.retired++;
}
static void list_to_living(picture *of)
{
    of->slots[3] = handle(2, 2);
}
static void list_in_circle(picture *of)
{
    of->slots[1] = handle(3, 2);
}
static void short_list(picture *of)
{
    of->facts.head = kith_entity_index(of->slots[of->facts.head]);
}
static void other_tail(picture *of)
{
    of->facts.tail = of->facts.head;
}
static void listed_lowest(picture *of)
{
    of->facts.head = 6;
}

static void dead_row(picture *of)
{
    of->storages[COLUMN_POSITION].packed[1] = 3;
}
static void far_row(picture *of)
{
    of->storages[COLUMN_POSITION].packed[1] = 1 << 20;
}
static void row_twice(picture *of)
{
    of->storages[COLUMN_POSITION].packed[1] = 0;
}
static void hole_in_swap(picture *of)
{
    of->storages[COLUMN_POSITION].packed[1]  = KITH_HOLE;
    of->storages[COLUMN_POSITION].holes[0]   = 1;
    of->storages[COLUMN_POSITION].hole_count = 1;
}
static void hole_forgotten(picture *of)
{
    of->storages[COLUMN_SCAR].hole_count--;
}
static void hole_without_entity(picture *of)
{
    of->storages[COLUMN_SCAR].holes[1] = 0;
}
static void hole_beyond(picture *of)
{
    of->storages[COLUMN_SCAR].holes[1] = 99;
}
static void hole_twice(picture *of)
{
    of->storages[COLUMN_SCAR].holes[1] = of->storages[COLUMN_SCAR].holes[0];
}
static void disabled_hole(picture *of)
{
    of->storages[COLUMN_SCAR].disabled[0] = 2;
}
static void disabled_beyond(picture *of)
{
    of->storages[COLUMN_SCAR].disabled[0] = UINT64_C(1) << 40;
}
static void dead_flag(picture *of)
{
    of->storages[COLUMN_HIDDEN].packed[0] = 3;
}
static void far_flag(picture *of)
{
    of->storages[COLUMN_HIDDEN].packed[0] = 1 << 20;
}
static void flag_twice(picture *of)
{
    of->storages[COLUMN_HIDDEN].packed[0] = 4;
}
static void foreign_member(picture *of)
{
    of->orders[LISTING][0] = 2;
}
static void missing_member(picture *of)
{
    of->members[LISTING] = 0;
}
static void member_twice(picture *of)
{
    of->members[LISTING] = 2;
    free(of->orders[LISTING]);
    of->orders[LISTING] = room_for(2, sizeof(uint32_t));
}

static const breakage breakages[] = {
    { "there are more entities than this world allows", too_many_slots, 1 },
    { "there are more slots than the world allows, or fewer than are reserved", too_few_slots, 2 },
    { "the world queues all its indices, and the file has fewer", too_few_slots, 3 },
    { "a slot's version is above the last version", high_version, 1 },
    { "a living entity has version 0", no_version, 0 },
    { "a free slot has version 0 or a bad link", free_without_version, 0 },
    { "a free slot has version 0 or a bad link", free_beyond, 0 },
    { "a free slot has version 0 or a bad link", linked_lowest, 2 },
    { "a slot retired before its last version", retired_early, 0 },
    { "first_index and the reserved slots differ", reserved_above, 0 },
    { "first_index and the reserved slots differ", free_below, 2 },
    { "the counts of free and retired slots are wrong", one_free_more, 0 },
    { "the counts of free and retired slots are wrong", one_retired, 0 },
    { "the free list leads to a slot that is not free", list_to_living, 0 },
    { "the free list does not have every free slot once", list_in_circle, 0 },
    { "the free list does not have every free slot once", short_list, 0 },
    { "the free list does not end at its tail", other_tail, 1 },
    { "a free list exists, but free_order is lowest first", listed_lowest, 2 },
    { "a row's entity is not alive", dead_row, 0 },
    { "a row's entity is not alive", far_row, 0 },
    { "an entity has two rows", row_twice, 0 },
    { "a component with the swap policy has holes", hole_in_swap, 0 },
    { "the holes are not the rows without an entity", hole_forgotten, 0 },
    { "a listed hole is not a hole", hole_without_entity, 0 },
    { "a listed hole is not a hole", hole_beyond, 0 },
    { "a hole is listed twice", hole_twice, 0 },
    { "a row without a value is disabled", disabled_hole, 0 },
    { "a row without a value is disabled", disabled_beyond, 0 },
    { "an entity that is not alive has a flag", dead_flag, 0 },
    { "an entity that is not alive has a flag", far_flag, 0 },
    { "an entity has a flag twice", flag_twice, 0 },
    { "a group has a member that does not belong to it", foreign_member, 0 },
    { "a group lacks a member", missing_member, 0 },
    { "a group has a member twice", member_twice, 0 },
};

// The settings of the world above, by number.
static const kith_world_desc small_settings[] = {
    { .free_order = KITH_FREE_LIFO },
    { .free_order = KITH_FREE_FIFO, .version_bits = 2, .index_bits = 4 },
    { .free_order = KITH_FREE_LOWEST, .first_index = 3 },
    { .free_order = KITH_FREE_FIFO, .max_entities = 16 },
};

static void each_refusal_says_what_is_wrong(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(breakages); i++) {
        test_memory memory = { 0 };
        kith_world *world  = small_world(&memory, small_settings[breakages[i].setting]);
        picture    *broken = take_picture(world);
        kith_loader staging;
        bool        lacking = false;
        breakages[i].damage(broken);
        assert_true(kith_staging_begin(&staging, world));
        const char *wrong = stage_picture(&staging, broken, &lacking);
        assert_string_equal(wrong == NULL ? "" : wrong, breakages[i].sentence);
        assert_false(lacking);
        kith_staging_end(&staging);
        drop_picture(broken);
        test_world_end(world, &memory);
    }
    assert_int_equal(living_values, 0);
}

// The same for rows that are linked together, of early and late components.
static void runs_of_rows_are_checked_too(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    kith_world *world  = full_world(&memory, settings[0]);
    test_create_many(world, 100);
    test_destroy_index(world, 50);
    picture *bare = take_picture(world);
    for (uint32_t i = 0; i < 4; i++) {
        const kith_storage *column = kith_world_storage(world, i % 2 == 0 ? POSITION : FAR);
        kith_loader         staging;
        bool                lacking = false;
        assert_true(kith_staging_begin(&staging, world));
        assert_null(stage_slots(&staging, bare, &lacking));
        uint32_t packed[60];
        for (uint32_t row = 0; row < 60; row++) {
            packed[row] = i < 2 || row < 30 ? row : row - 20;
        }
        assert_string_equal(stage_indices(&staging, column, packed, 60, &lacking),
                            i < 2 ? "a row's entity is not alive" : "an entity has two rows");
        kith_staging_end(&staging);
    }
    drop_picture(bare);
    test_world_end(world, &memory);
}

static void components_that_are_not_staged_are_absent(void **state)
{
    (void)state;
    pair       *two  = small_pair(settings[0], test_seed(), 900);
    picture    *seen = take_picture(two->from);
    kith_loader staging;
    bool        lacking = false;
    assert_true(kith_component_count(two->to, SCAR) != 0);
    assert_true(kith_staging_begin(&staging, two->to));
    assert_null(stage_slots(&staging, seen, &lacking));
    assert_null(make_ready(&staging, &lacking));
    kith_staging_swap(&staging);
    kith_staging_end(&staging);
    assert_world_valid(two->to);
    assert_int_equal(kith_component_count(two->to, SCAR), 0);
    assert_int_equal(kith_world_stats(two->to).alive, kith_world_stats(two->from).alive);
    drop_picture(seen);
    end_pair(two);
}

static void rows_are_kept_within_limits_and_kinds(void **state)
{
    (void)state;
    test_memory         memory    = { 0 };
    kith_world         *world     = small_world(&memory, small_settings[0]);
    const kith_storage *column    = kith_world_storage(world, POSITION);
    const uint32_t      packed[5] = { 0, 1, 2, 3, 4 };
    kith_loader         staging;
    bool                lacking = false;
    assert_true(kith_component_limit_set(world, POSITION, 4));
    assert_true(kith_staging_begin(&staging, world));
    assert_string_equal(stage_indices(&staging, column, packed, 5, &lacking),
                        "the component has more rows than its limit");
    staged(&staging, column)->rows = 4;
    assert_false(kith_load_check_component(&staging, staged(&staging, column)));
    assert_string_equal(answer(&staging, &lacking), "rows or values are missing");
    assert_false(kith_staging_order(&staging, &staging.groups[0], 0));
    assert_string_equal(answer(&staging, &lacking),
                        "the group owns pools, or its order is already set");
    assert_false(lacking);
    kith_staging_end(&staging);
    test_world_end(world, &memory);
}

// --- what comes with a state -----------------------------------------------------------------

// What a query remembers of one state must not be taken for the other's, however alike they look.
static void queries_do_not_mix_states(void **state)
{
    (void)state;
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *from        = full_world(&memories[0], settings[0]);
    kith_world *to          = full_world(&memories[1], settings[0]);
    for (uint32_t i = 0; i < 200; i++) {
        kith_entity there = kith_entity_create(from);
        kith_entity here  = kith_entity_create(to);
        set_value(to, here, POSITION, (int)i);
        set_value(to, here, FAR, (int)i);
        set_value(from, there, FAR, (int)i);
        if (i >= 10) {
            set_value(from, there, POSITION, (int)i);
        }
    }
    kith_loader staging;
    bool        lacking = false;
    picture    *seen    = take_picture(from);
    assert_true(kith_staging_begin(&staging, to));
    assert_null(stage_picture(&staging, seen, &lacking));
    kith_staging_swap(&staging);
    assert_query_fresh(to);
    kith_staging_swap(&staging);
    kith_entity last = kith_entity_slot(to, 199); // takes as many moves as the trade
    assert_true(kith_component_remove(to, last, POSITION));
    assert_true(kith_component_remove(to, last, FAR));
    kith_staging_end(&staging);
    assert_query_fresh(to);
    drop_picture(seen);
    test_world_end(from, &memories[0]);
    test_world_end(to, &memories[1]);
}

static void count_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    ++*(uint32_t *)context;
}

static void loading_reports_no_event(void **state)
{
    (void)state;
    pair    *two      = small_pair(settings[0], test_seed(), 400);
    uint32_t reported = 0;
    for (kith_event event = KITH_EVENT_ADD; event <= KITH_EVENT_REMOVE; event++) {
        kith_listener_desc desc = {
            .event = event, .component = POSITION, .call = count_notice, .context = &reported
        };
        assert_int_not_equal(kith_listener_connect(two->to, &desc), 0);
    }
    kith_listener_desc births = { .event   = KITH_EVENT_CREATE,
                                  .call    = count_notice,
                                  .context = &reported };
    assert_int_not_equal(kith_listener_connect(two->to, &births), 0);
    move_state(two->from, two->to);
    assert_int_equal(reported, 0);
    assert_int_not_equal(kith_entity_create(two->to), KITH_NULL);
    assert_int_equal(reported, 1);
    end_pair(two);
}

static uint32_t count_removals(const kith_world *world, uint64_t since)
{
    kith_removals removals = kith_removals_begin(world, SCAR, since);
    kith_removal  removal;
    uint32_t      count = 0;
    while (kith_removals_next(world, &removals, &removal)) {
        count++;
    }
    return count;
}

static void pages_are_new_journals_and_sets_go_on(void **state)
{
    (void)state;
    test_memory    memories[2] = { { 0 }, { 0 } };
    kith_world    *from        = small_world(&memories[0], small_settings[0]);
    kith_world    *to          = small_world(&memories[1], small_settings[0]);
    kith_reactive *came        = to->reactives;
    kith_reactive *went        = came->next;
    uint64_t       tick        = kith_world_advance(to);
    assert_int_equal(kith_reactive_count(came), 3);
    assert_int_equal(kith_reactive_count(went), 4); // SCAR went from 4, 2, 1, and with 3
    move_state(from, to);
    kith_entity first = kith_entity_slot(to, 0);
    assert_int_equal(kith_component_stamp(to, POSITION, 0), tick);
    assert_int_equal(kith_component_changed_at(to, first, SCAR), tick);
    assert_int_equal(kith_component_added_at(to, first, SCAR), tick);
    assert_int_equal(count_removals(to, 0), 5);
    assert_int_equal(count_removals(to, tick), 1); // 0 had it
    assert_int_equal(kith_reactive_count(came), 0);
    assert_int_equal(kith_reactive_count(went), 4);
    assert_true(kith_component_remove(to, first, SCAR));
    assert_int_equal(kith_reactive_count(went), 5);
    test_world_end(from, &memories[0]);
    test_world_end(to, &memories[1]);
}

static void rows_in_no_order_are_brought_in_order(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (uint32_t round = 0; round < 10; round++) {
        test_memory memories[2] = { { 0 }, { 0 } };
        kith_world *from        = ungrouped_world(&memories[0], settings[0]);
        kith_world *to          = full_world(&memories[1], settings[0]);
        call_many(from, test_random(&seed), 1200);
        call_many(to, test_random(&seed), 500);
        picture *seen = take_picture(from);
        assert_true(load_picture(to, seen));
        drop_picture(seen);
        make_groups(from);
        assert_like(to, take_picture(from));
        test_world_end(from, &memories[0]);
        test_world_end(to, &memories[1]);
    }
}

static void each_nothing(const kith_turn *turn, const kith_cursor *cursor)
{
    (void)turn;
    (void)cursor;
}

static void report_number(const kith_turn *turn, kith_entity entity)
{
    *(uint64_t *)turn->context += entity;
}

static void a_tracked_system_is_notified_of_the_difference(void **state)
{
    (void)state;
    test_memory      memories[2] = { { 0 }, { 0 } };
    kith_world      *from        = small_world(&memories[0], small_settings[0]);
    kith_world      *to          = small_world(&memories[1], small_settings[0]);
    uint64_t         reported    = 0;
    kith_term        term        = { POSITION, KITH_ROLE_READ, 0 };
    kith_query_desc  query       = { .terms = &term, .term_count = 1 };
    kith_system_desc desc        = { .name    = "tracker",
                                     .each    = each_nothing,
                                     .context = &reported,
                                     .query   = &query,
                                     .tracked = true,
                                     .enter   = report_number,
                                     .leave   = report_number };
    assert_non_null(kith_system_create(to, &desc));
    assert_non_null(kith_system_create(from, &desc));
    assert_true(kith_schedule_run(to, 1));
    reported             = 0;
    kith_entity newcomer = kith_entity_create(from);
    kith_entity leaver   = kith_entity_slot(from, 2);
    set_value(from, newcomer, POSITION, 1);
    assert_true(kith_entity_destroy(from, leaver));
    move_state(from, to);
    assert_int_equal(reported, 0);
    assert_true(kith_schedule_run(to, 1));
    assert_int_equal(reported, newcomer + leaver);
    test_world_end(from, &memories[0]);
    test_world_end(to, &memories[1]);
}

static void memory_for_singletons_and_disabling_stays_reserved(void **state)
{
    (void)state;
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *from        = small_world(&memories[0], small_settings[0]);
    kith_world *to          = small_world(&memories[1], small_settings[0]);
    set_value(to, KITH_NULL, SEASON, 1);
    set_value(to, KITH_NULL, YEAR, 1);
    assert_true(kith_world_reserve(to, &(kith_reserve_desc){ .disabling = true }));
    move_state(from, to);
    memories[1].fail_all = true;
    set_value(to, KITH_NULL, SEASON, 1);
    set_value(to, KITH_NULL, YEAR, 1);
    assert_true(kith_singleton_get(to, SEASON) != NULL && kith_singleton_get(to, YEAR) != NULL);
    set_value(to, KITH_NULL, SEASON, 2);
    assert_int_equal(**(int *const *)kith_singleton_get(to, SEASON), 2);
    assert_true(kith_component_enable(to, kith_entity_slot(to, 0), POSITION, false));
    memories[1].fail_all = false;
    test_world_end(from, &memories[0]);
    test_world_end(to, &memories[1]);
    assert_int_equal(living_values, 0);
}

// --- exact states ----------------------------------------------------------------------------

static void copy_ticks(kith_sparse_set *to, const kith_sparse_set *from)
{
    for (uint32_t row = 0; row < from->head.rows_; row++) {
        uint32_t page          = row >> from->head.shift_;
        to->head.stamps_[page] = from->head.stamps_[page];
        if (kith_sparse_set_has_ticks(from)) {
            *kith_row_tick_(&to->head, row)      = *kith_row_tick_(&from->head, row);
            *kith_sparse_set_added_tick(to, row) = *kith_sparse_set_added_tick(from, row);
        }
    }
}

static void copy_journal(kith_journal *to, const kith_journal *from)
{
    assert_non_null(to);
    kith_removal *entries = to->entries;
    memcpy(entries, from->entries, from->capacity * sizeof *entries);
    *to         = *from;
    to->entries = entries;
}

static void copy_set(kith_staged_other *to, const kith_reactive *from, const kith_allocator *memory)
{
    uint64_t place = 0;
    to->since      = from->since;
    assert_true(kith_entity_set_reserve(&to->members, memory, from->members.count, NULL));
    for (kith_entity entity = kith_reactive_next(from, &place); entity != KITH_NULL;
         entity             = kith_reactive_next(from, &place)) {
        kith_entity_set_add(&to->members, entity, NULL);
    }
}

// All that is exact, after the rows are there.
static void stage_exact(kith_loader *staging, const kith_world *from)
{
    const kith_reactive *set = from->reactives;
    staging->exact           = true;
    staging->tick            = from->tick;
    for (uint32_t i = 0; i < from->storage_count; i++) {
        const kith_pool *pool   = &from->storages[i]->pool;
        kith_storage    *column = staging->world->storages[i];
        copy_ticks(&staged(staging, column)->pool.set, &pool->set);
        if (pool->journal.entries != NULL) {
            kith_journal *to = &staged(staging, column)->pool.journal;
            assert_true(kith_journal_init(to, staging->memory, pool->journal.capacity));
            copy_journal(to, &pool->journal);
        }
    }
    for (uint32_t i = 0; set != NULL; i++, set = set->next) {
        assert_int_equal(staging->others[i].tag, KITH_TAG_SET);
        staging->others[i].given = true;
        copy_set(&staging->others[i], set, staging->memory);
    }
}

static void assert_same_sets(const kith_reactive *a, const kith_reactive *b)
{
    uint64_t    place_a = 0, place_b = 0;
    kith_entity entity = KITH_NULL;
    assert_int_equal(a->since, b->since);
    do {
        entity = kith_reactive_next(a, &place_a);
        assert_int_equal(entity, kith_reactive_next(b, &place_b));
    } while (entity != KITH_NULL);
}

static void assert_same_journals(const kith_journal *a, const kith_journal *b)
{
    assert_int_equal(a->written, b->written);
    assert_int_equal(a->lost, b->lost);
    for (uint64_t i = kith_journal_oldest(a); i < a->written; i++) {
        assert_int_equal(kith_journal_entry(a, i)->entity, kith_journal_entry(b, i)->entity);
        assert_int_equal(kith_journal_entry(a, i)->tick, kith_journal_entry(b, i)->tick);
    }
}

static void assert_same_ticks(const kith_world *a, const kith_world *b)
{
    assert_int_equal(a->tick, b->tick);
    for (uint32_t i = 0; i < a->storage_count; i++) {
        const kith_sparse_set *set   = &a->storages[i]->pool.set;
        const kith_sparse_set *other = &b->storages[i]->pool.set;
        assert_same_journals(&a->storages[i]->pool.journal, &b->storages[i]->pool.journal);
        for (uint32_t row = 0; row < set->head.rows_; row++) {
            bool hole = (*kith_sparse_set_packed(set, row) & KITH_HOLE) != 0;
            assert_int_equal(set->head.stamps_[row >> set->head.shift_],
                             other->head.stamps_[row >> other->head.shift_]);
            if (!hole && kith_sparse_set_has_ticks(set)) {
                assert_int_equal(*kith_row_tick_(&set->head, row),
                                 *kith_row_tick_(&other->head, row));
                assert_int_equal(*kith_sparse_set_added_tick(set, row),
                                 *kith_sparse_set_added_tick(other, row));
            }
        }
    }
    assert_same_sets(a->reactives, b->reactives);
    assert_same_sets(a->reactives->next, b->reactives->next);
}

static void future_stamp(kith_loader *staging)
{
    const kith_storage *column                        = kith_world_storage(staging->world, FAR);
    staged(staging, column)->pool.set.head.stamps_[0] = staging->tick + 1;
}

static void late_addition(kith_loader *staging)
{
    kith_pool *pool = &staged(staging, kith_world_storage(staging->world, SCAR))->pool;
    *kith_sparse_set_added_tick(&pool->set, 0) = *kith_row_tick_(&pool->set.head, 0) + 1;
}

static void late_change(kith_loader *staging)
{
    kith_pool *pool = &staged(staging, kith_world_storage(staging->world, SCAR))->pool;
    *kith_row_tick_(&pool->set.head, 0) = pool->set.head.stamps_[0] + 1;
}

static void falling_journal(kith_loader *staging)
{
    kith_pool *pool = &staged(staging, kith_world_storage(staging->world, SCAR))->pool;
    pool->journal.entries[1].tick--;
}

static void future_journal(kith_loader *staging)
{
    kith_pool *pool = &staged(staging, kith_world_storage(staging->world, SCAR))->pool;
    uint64_t   last = pool->journal.written - 1;
    pool->journal.entries[last].tick = staging->tick + 1;
}

static const struct {
    const char *sentence;
    void (*damage)(kith_loader *staging);
} wrong_times[] = {
    { "a row's ticks are out of order", future_stamp },
    { "a row's ticks are out of order", late_addition },
    { "a row's ticks are out of order", late_change },
    { "a journal's ticks do not rise", falling_journal },
    { "a journal's ticks do not rise", future_journal },
};

static void stage_rows_exactly(kith_loader *staging, const kith_world *from)
{
    picture *seen   = take_picture(from);
    bool     memory = false;
    assert_null(stage_slots(staging, seen, &memory));
    for (uint32_t i = 0; i < seen->storage_count; i++) {
        assert_null(
            stage_column(staging, staging->world->storages[i], &seen->storages[i], &memory));
    }
    drop_picture(seen);
    stage_exact(staging, from);
}

static void exact_states_go_on_exactly(void **state)
{
    (void)state;
    uint64_t seed   = test_seed();
    pair    *two    = small_pair(settings[0], seed, 1500);
    bool     memory = false;
    for (uint32_t round = 0; round < 4; round++) {
        kith_loader staging;
        uint64_t    tick = two->to->tick;
        assert_true(kith_staging_begin(&staging, two->to));
        stage_rows_exactly(&staging, two->from);
        assert_null(make_ready(&staging, &memory));
        kith_staging_swap(&staging);
        assert_same_ticks(two->from, two->to);
        kith_staging_swap(&staging);
        assert_int_equal(two->to->tick, tick);
        assert_world_valid(two->to);
        kith_staging_swap(&staging);
        kith_staging_end(&staging);
        uint64_t later = test_random(&seed);
        assert_int_equal(count_removals(two->from, 0), count_removals(two->to, 0));
        call_many(two->from, later, 300);
        call_many(two->to, later, 300);
        assert_same_ticks(two->from, two->to);
    }
    end_pair(two);
}

static void an_earlier_tick_takes_sets_with_it(void **state)
{
    (void)state;
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *from        = small_world(&memories[0], small_settings[0]);
    kith_world *to          = small_world(&memories[1], small_settings[0]);
    picture    *seen        = take_picture(from);
    kith_loader staging;
    bool        lacking = false;
    kith_world_advance(to);
    kith_reactive_update(to->reactives);
    assert_true(kith_staging_begin(&staging, to));
    assert_null(stage_slots(&staging, seen, &lacking));
    staging.exact = true;
    staging.tick  = from->tick;
    assert_null(make_ready(&staging, &lacking));
    kith_staging_swap(&staging);
    assert_world_valid(to);
    assert_int_equal(kith_world_now(to), 1);
    assert_int_equal(count_removals(to, 0), 0);
    kith_staging_end(&staging);
    drop_picture(seen);
    test_world_end(from, &memories[0]);
    test_world_end(to, &memories[1]);
}

static void ticks_that_cannot_be_are_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(wrong_times); i++) {
        test_memory memory = { 0 };
        kith_world *world  = small_world(&memory, small_settings[0]);
        kith_loader staging;
        bool        lacking = false;
        set_value(world, kith_entity_slot(world, 0), FAR, 1);
        assert_true(kith_staging_begin(&staging, world));
        stage_rows_exactly(&staging, world);
        wrong_times[i].damage(&staging);
        const char *wrong = make_ready(&staging, &lacking);
        assert_string_equal(wrong == NULL ? "" : wrong, wrong_times[i].sentence);
        kith_staging_end(&staging);
        test_world_end(world, &memory);
    }
}

// --- memory ----------------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    pair    *two    = small_pair(settings[2], test_seed(), 900);
    picture *seen   = take_picture(two->from);
    bool     done   = false;
    uint32_t failed = 0;
    kith_world_shrink(two->to);
    while (!done) {
        size_t   blocks = two->memories[1].live_blocks;
        size_t   bytes  = two->memories[1].live_bytes;
        picture *was    = take_picture(two->to);
        test_fail_after(&two->memories[1], ++failed);
        done = load_picture(two->to, seen);
        test_fail_after(&two->memories[1], 0);
        if (done) {
            drop_picture(was);
        } else {
            assert_like(two->to, was);
            assert_int_equal(two->memories[1].live_blocks, blocks);
            assert_int_equal(two->memories[1].live_bytes, bytes);
        }
    }
    assert_true(failed > 40);
    assert_like(two->to, seen);
    end_pair(two);
}

static void a_block_that_is_too_small_stays_as_it_is(void **state)
{
    (void)state;
    test_memory memory         = { 0 };
    uint32_t    refused_blocks = 0;
    bool        done           = false;
    kith_world *from           = full_world(&memory, settings[0]);
    for (uint32_t i = 0; i < 30000; i++) {
        kith_entity entity = kith_entity_create(from);
        set_value(from, entity, POSITION, (int)i);
        set_value(from, entity, FAR, (int)i);
    }
    picture *seen = take_picture(from);
    for (size_t size = (size_t)1 << 20; !done; size += (size_t)1 << 18) {
        test_memory block = { 0 };
        kith_world *to    = full_world(&block, (kith_world_desc){ .memory = size });
        picture    *was   = take_picture(to);
        done              = load_picture(to, seen);
        refused_blocks += !done;
        if (done) {
            picture *now = take_picture(to);
            assert_same_picture(seen, now);
            drop_picture(now);
            drop_picture(was);
        } else {
            assert_like(to, was);
        }
        test_world_end(to, &block);
    }
    assert_true(refused_blocks > 2);
    drop_picture(seen);
    test_world_end(from, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_moves_and_goes_on_alike),
        cmocka_unit_test(broken_states_are_refused_or_valid),
        cmocka_unit_test(each_refusal_says_what_is_wrong),
        cmocka_unit_test(runs_of_rows_are_checked_too),
        cmocka_unit_test(rows_are_kept_within_limits_and_kinds),
        cmocka_unit_test(components_that_are_not_staged_are_absent),
        cmocka_unit_test(queries_do_not_mix_states),
        cmocka_unit_test(loading_reports_no_event),
        cmocka_unit_test(pages_are_new_journals_and_sets_go_on),
        cmocka_unit_test(rows_in_no_order_are_brought_in_order),
        cmocka_unit_test(a_tracked_system_is_notified_of_the_difference),
        cmocka_unit_test(memory_for_singletons_and_disabling_stays_reserved),
        cmocka_unit_test(exact_states_go_on_exactly),
        cmocka_unit_test(an_earlier_tick_takes_sets_with_it),
        cmocka_unit_test(ticks_that_cannot_be_are_refused),
        cmocka_unit_test(a_block_that_is_too_small_stays_as_it_is),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
