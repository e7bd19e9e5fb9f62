// SPDX-License-Identifier: MIT
// Pools: which row, value and address an entity has, and what moves them.
#include "component_test.h"

enum { BYTES = 21, STONE, GHOST };

#define MOST 300u

typedef struct fixture {
    test_memory memory;
    kith_world *world;
    kith_entity entities[MOST];
} fixture;

static void begin_world(fixture *f)
{
    f->world = test_world(&f->memory);
    create_entities(f->world, f->entities, MOST);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    begin_world(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    free(f);
    return 0;
}

// Another world, for tests that register the same id again.
static void restart_world(fixture *f)
{
    test_world_end(f->world, &f->memory);
    begin_world(f);
}

// A component of `size` bytes with that many rows a page.
static kith_component_desc paged(kith_component id, uint32_t size, uint32_t page_rows)
{
    kith_component_desc desc = bytes_desc(id, size, 1);
    desc.traits.page_rows    = page_rows;
    return desc;
}

static kith_component_desc stable(kith_component_desc desc)
{
    desc.name          = "stone";
    desc.traits.policy = KITH_POLICY_STABLE;
    return desc;
}

static uint32_t size_of(fixture *f, kith_component component)
{
    return kith_component_describe(f->world, component)->size;
}

// Writes the value with that number to the entity.
static void *put(fixture *f, kith_component component, uint32_t entity, uint32_t number)
{
    uint32_t size  = size_of(f, component);
    uint8_t *bytes = malloc(size + 1u);
    fill_bytes(bytes, size, number);
    void *stored = kith_component_set(f->world, f->entities[entity], component, bytes);
    free(bytes);
    assert_non_null(stored);
    return stored;
}

// Entities 0 to count - 1 get the values with their own numbers.
static void fill(fixture *f, kith_component component, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(f, component, i, i);
    }
}

static bool take(fixture *f, kith_component component, uint32_t entity)
{
    return kith_component_remove(f->world, f->entities[entity], component);
}

#define HOLE UINT32_MAX

// The rows hold the entities with these numbers, with their own values, and nothing else.
static void assert_rows(fixture *f, kith_component component, const uint32_t *expected,
                        uint32_t count)
{
    uint32_t holes = 0;
    assert_int_equal(kith_component_stats(f->world, component).rows, count);
    for (uint32_t row = 0; row < count; row++) {
        kith_entity entity = expected[row] == HOLE ? KITH_NULL : f->entities[expected[row]];
        const void *value  = kith_component_value(f->world, component, row);
        assert_int_equal(kith_component_entity(f->world, component, row), entity);
        if (expected[row] == HOLE) {
            assert_null(value);
            holes++;
            continue;
        }
        assert_int_equal(kith_component_row(f->world, entity, component), row);
        assert_ptr_equal(kith_component_get(f->world, entity, component), value);
        assert_bytes(value, size_of(f, component), expected[row]);
    }
    assert_int_equal(kith_component_count(f->world, component), count - holes);
}

#define ASSERT_ROWS(F, COMPONENT, ...)                                                             \
    assert_rows(F, COMPONENT, (const uint32_t[]){ __VA_ARGS__ },                                   \
                (uint32_t)COUNT_OF(((const uint32_t[]){ __VA_ARGS__ })))

// --- row order -------------------------------------------------------------------------------

static void rows_follow_the_order_of_adding(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 2));

    put(f, BYTES, 3, 3);
    put(f, BYTES, 0, 0);
    put(f, BYTES, 2, 2);

    ASSERT_ROWS(f, BYTES, 3, 0, 2);
}

static void removing_moves_the_last_row_into_the_gap(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 2));
    fill(f, BYTES, 5);

    assert_true(take(f, BYTES, 1));
    ASSERT_ROWS(f, BYTES, 0, 4, 2, 3);

    assert_true(take(f, BYTES, 3));
    ASSERT_ROWS(f, BYTES, 0, 4, 2);

    put(f, BYTES, 1, 1);
    ASSERT_ROWS(f, BYTES, 0, 4, 2, 1);
}

static void removing_from_a_stable_pool_leaves_a_hole(void **state)
{
    fixture *f = *state;
    register_one(f->world, stable(paged(STONE, 8, 2)));
    fill(f, STONE, 5);

    assert_true(take(f, STONE, 1));
    assert_true(take(f, STONE, 4));

    ASSERT_ROWS(f, STONE, 0, HOLE, 2, 3, HOLE);
}

static void holes_are_taken_again_newest_first(void **state)
{
    fixture *f = *state;
    register_one(f->world, stable(paged(STONE, 8, 2)));
    fill(f, STONE, 5);
    take(f, STONE, 1);
    take(f, STONE, 4);
    take(f, STONE, 0);

    put(f, STONE, 10, 10);
    ASSERT_ROWS(f, STONE, 10, HOLE, 2, 3, HOLE);
    put(f, STONE, 11, 11);
    ASSERT_ROWS(f, STONE, 10, HOLE, 2, 3, 11);
    put(f, STONE, 12, 12);
    put(f, STONE, 13, 13);

    ASSERT_ROWS(f, STONE, 10, 12, 2, 3, 11, 13);
}

static void a_stable_tag_has_holes_too(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = stable(paged(STONE, 0, 0));
    desc.kind                = KITH_KIND_TAG;
    register_one(f->world, desc);
    for (uint32_t i = 0; i < 3; i++) {
        kith_component_add(f->world, f->entities[i], STONE, NULL);
    }

    take(f, STONE, 0);
    assert_int_equal(kith_component_stats(f->world, STONE).rows, 3);
    assert_int_equal(kith_component_count(f->world, STONE), 2);
    assert_int_equal(kith_component_entity(f->world, STONE, 0), KITH_NULL);
    assert_true(kith_component_compact(f->world, STONE));

    assert_int_equal(kith_component_stats(f->world, STONE).rows, 2);
    assert_int_equal(kith_component_entity(f->world, STONE, 0), f->entities[2]);
}

static void destroying_entities_leaves_the_same_rows_as_removing(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 2));
    register_one(f->world, stable(paged(STONE, 8, 2)));
    fill(f, BYTES, 4);
    fill(f, STONE, 4);

    kith_entity_destroy(f->world, f->entities[1]);

    ASSERT_ROWS(f, BYTES, 0, 3, 2);
    ASSERT_ROWS(f, STONE, 0, HOLE, 2, 3);
}

static void there_is_nothing_in_rows_beyond_the_end(void **state)
{
    fixture       *f        = *state;
    const uint32_t beyond[] = { 3, 4, 15, 16, 1000000, UINT32_MAX };
    register_one(f->world, paged(BYTES, 8, 4));
    assert_true(kith_component_reserve(f->world, BYTES, 16));
    fill(f, BYTES, 4);
    take(f, BYTES, 3);

    for (size_t i = 0; i < COUNT_OF(beyond); i++) {
        assert_int_equal(kith_component_entity(f->world, BYTES, beyond[i]), KITH_NULL);
        assert_null(kith_component_value(f->world, BYTES, beyond[i]));
    }
    assert_int_equal(f->memory.errors, 0);
}

static void an_empty_pool_has_no_rows(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 4));

    assert_int_equal(kith_component_count(f->world, BYTES), 0);
    assert_int_equal(kith_component_stats(f->world, BYTES).rows, 0);
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 0);
    assert_int_equal(kith_component_entity(f->world, BYTES, 0), KITH_NULL);
    assert_null(kith_component_value(f->world, BYTES, 0));
    assert_int_equal(kith_component_row(f->world, f->entities[0], BYTES), KITH_NO_ROW);
}

static void clearing_empties_the_pool_and_keeps_the_entities(void **state)
{
    fixture             *f       = *state;
    const kith_component pools[] = { BYTES, STONE };
    register_one(f->world, paged(BYTES, 8, 2));
    register_one(f->world, stable(paged(STONE, 8, 2)));

    for (size_t i = 0; i < COUNT_OF(pools); i++) {
        fill(f, pools[i], 5);
        take(f, pools[i], 2);

        assert_true(kith_component_clear(f->world, pools[i]));

        assert_rows(f, pools[i], NULL, 0);
        assert_false(kith_component_has(f->world, f->entities[0], pools[i]));
        assert_int_equal(kith_entity_components(f->world, f->entities[0], NULL, 0), 0);
        assert_int_equal(kith_entity_count(f->world), MOST);
        put(f, pools[i], 7, 7);
        ASSERT_ROWS(f, pools[i], 7);
        kith_component_clear(f->world, pools[i]);
    }
}

static void clearing_a_flag_removes_it_from_all_entities(void **state)
{
    fixture *f = *state;
    register_one(f->world,
                 (kith_component_desc){ .name = "ghost", .id = GHOST, .kind = KITH_KIND_FLAG });
    for (uint32_t i = 0; i < 10; i++) {
        kith_component_add(f->world, f->entities[i], GHOST, NULL);
    }
    assert_int_equal(kith_component_count(f->world, GHOST), 10);

    assert_true(kith_component_clear(f->world, GHOST));

    assert_int_equal(kith_component_count(f->world, GHOST), 0);
    assert_false(kith_component_has(f->world, f->entities[3], GHOST));
}

// --- compact ---------------------------------------------------------------------------------

// The rule as a list: holes below the new end, ascending, take the rows above it, ascending.
static uint32_t naive_compact(uint32_t *rows, uint32_t count)
{
    uint32_t end = 0;
    for (uint32_t row = 0; row < count; row++) {
        end += rows[row] != HOLE;
    }
    uint32_t from = end;
    for (uint32_t row = 0; row < end; row++) {
        if (rows[row] == HOLE) {
            while (rows[from] == HOLE) {
                from++;
            }
            rows[row] = rows[from++];
        }
    }
    return end;
}

// Rows 0 to count - 1, odd ones disabled, with holes where `holes` has a bit.
static void make_pattern(fixture *f, uint32_t count, uint32_t holes, uint32_t *rows)
{
    fill(f, STONE, count);
    for (uint32_t i = 1; i < count; i += 2) {
        kith_component_enable(f->world, f->entities[i], STONE, false);
    }
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = i;
        if ((holes >> i & 1) != 0) {
            take(f, STONE, i);
            rows[i] = HOLE;
        }
    }
}

static void compact_pattern(fixture *f, uint32_t count, uint32_t holes)
{
    uint32_t rows[8];
    make_pattern(f, count, holes, rows);
    assert_rows(f, STONE, rows, count);

    assert_true(kith_component_compact(f->world, STONE));

    uint32_t end = naive_compact(rows, count);
    assert_rows(f, STONE, rows, end);
    for (uint32_t row = 0; row < end; row++) {
        bool enabled = kith_component_enabled(f->world, f->entities[rows[row]], STONE);
        assert_int_equal(enabled, rows[row] % 2 == 0);
    }
    put(f, STONE, 20, 20);
    assert_int_equal(kith_component_row(f->world, f->entities[20], STONE), end);
    assert_true(kith_component_enabled(f->world, f->entities[20], STONE));
    kith_component_clear(f->world, STONE);
}

static void compact_closes_every_pattern_of_holes_by_its_rule(void **state)
{
    fixture *f = *state;
    register_one(f->world, stable(paged(STONE, 12, 2)));

    for (uint32_t count = 0; count <= 8; count++) {
        for (uint32_t holes = 0; holes < 1u << count; holes++) {
            compact_pattern(f, count, holes);
        }
        assert_world_valid(f->world);
    }
}

static void compact_has_nothing_to_do_for_a_swap_pool(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 2));
    fill(f, BYTES, 4);
    text before = dump_world(f->world);

    assert_true(kith_component_compact(f->world, BYTES));

    assert_unchanged(f->world, before);
}

// --- swap ------------------------------------------------------------------------------------

static bool swap(fixture *f, kith_component component, uint32_t a, uint32_t b)
{
    return kith_component_swap(f->world, component, f->entities[a], f->entities[b]);
}

static void swap_exchanges_rows_and_entities_keep_their_values(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 2));
    fill(f, BYTES, 5);

    assert_true(swap(f, BYTES, 0, 4));
    ASSERT_ROWS(f, BYTES, 4, 1, 2, 3, 0);

    assert_true(swap(f, BYTES, 4, 1));
    ASSERT_ROWS(f, BYTES, 1, 4, 2, 3, 0);

    assert_true(swap(f, BYTES, 2, 2));
    ASSERT_ROWS(f, BYTES, 1, 4, 2, 3, 0);
}

static void swap_takes_disable_bits_along(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 2));
    fill(f, BYTES, 3);
    kith_component_enable(f->world, f->entities[0], BYTES, false);

    swap(f, BYTES, 0, 2);
    assert_false(kith_component_enabled(f->world, f->entities[0], BYTES));
    assert_true(kith_component_enabled(f->world, f->entities[2], BYTES));

    swap(f, BYTES, 1, 2);
    assert_false(kith_component_enabled(f->world, f->entities[0], BYTES));
    assert_true(kith_component_enabled(f->world, f->entities[1], BYTES));
    assert_true(kith_component_enabled(f->world, f->entities[2], BYTES));
}

static void swap_answers_no_when_one_entity_lacks_the_component(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 2));
    fill(f, BYTES, 3);

    assert_quiet_no(&f->memory, f->world, swap(f, BYTES, 0, 5));
    assert_quiet_no(&f->memory, f->world, swap(f, BYTES, 5, 0));
    assert_quiet_no(&f->memory, f->world, swap(f, BYTES, 5, 6));
}

static void swap_is_refused_for_a_stable_pool(void **state)
{
    fixture *f = *state;
    register_one(f->world, stable(paged(STONE, 8, 2)));
    fill(f, STONE, 3);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_POLICY, swap(f, STONE, 0, 1));
}

static void swap_exchanges_tags(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = { .name = "ghost", .id = GHOST, .kind = KITH_KIND_TAG };
    register_one(f->world, desc);
    kith_component_add(f->world, f->entities[0], GHOST, NULL);
    kith_component_add(f->world, f->entities[1], GHOST, NULL);

    assert_true(swap(f, GHOST, 0, 1));

    assert_int_equal(kith_component_row(f->world, f->entities[0], GHOST), 1);
    assert_int_equal(kith_component_entity(f->world, GHOST, 0), f->entities[1]);
}

// --- owner -----------------------------------------------------------------------------------

static kith_entity owner(fixture *f, kith_component component, const void *value, ptrdiff_t offset)
{
    uintptr_t address = (uintptr_t)value + (uintptr_t)offset;
    return kith_component_owner(f->world, component, (const void *)address);
}

static void every_byte_of_a_value_belongs_to_its_entity(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 12, 4));
    fill(f, BYTES, 10);

    for (uint32_t i = 0; i < 10; i++) {
        const void *value = kith_component_get(f->world, f->entities[i], BYTES);
        for (ptrdiff_t byte = 0; byte < 12; byte++) {
            assert_int_equal(owner(f, BYTES, value, byte), f->entities[i]);
        }
    }
}

static void the_bytes_around_a_value_belong_to_its_neighbours(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 12, 4));
    fill(f, BYTES, 4);
    const void *first = kith_component_value(f->world, BYTES, 0);
    const void *last  = kith_component_value(f->world, BYTES, 3);

    assert_int_equal(owner(f, BYTES, first, 12), f->entities[1]);
    assert_int_equal(owner(f, BYTES, last, -1), f->entities[2]);
    assert_int_equal(owner(f, BYTES, first, -1), KITH_NULL);
    assert_int_equal(owner(f, BYTES, last, 12), KITH_NULL);
}

static void the_place_beyond_the_last_row_belongs_to_no_entity(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 12, 4));
    fill(f, BYTES, 4);
    const void *place = kith_component_value(f->world, BYTES, 3);

    take(f, BYTES, 3);

    assert_int_equal(owner(f, BYTES, place, 0), KITH_NULL);
}

static void a_hole_belongs_to_no_entity(void **state)
{
    fixture *f = *state;
    register_one(f->world, stable(paged(STONE, 12, 4)));
    fill(f, STONE, 4);
    const void *place = kith_component_value(f->world, STONE, 1);

    take(f, STONE, 1);

    assert_int_equal(owner(f, STONE, place, 0), KITH_NULL);
    assert_int_equal(owner(f, STONE, place, 11), KITH_NULL);
    assert_int_equal(owner(f, STONE, place, 12), f->entities[2]);
}

static void a_foreign_address_belongs_to_no_entity(void **state)
{
    fixture *f     = *state;
    int      local = 0;
    register_one(f->world, paged(BYTES, 12, 4));
    assert_int_equal(owner(f, BYTES, &local, 0), KITH_NULL);
    fill(f, BYTES, 4);

    assert_int_equal(owner(f, BYTES, &local, 0), KITH_NULL);
    assert_int_equal(owner(f, BYTES, f->world, 0), KITH_NULL);
    assert_int_equal(owner(f, BYTES, NULL, 0), KITH_NULL);
    assert_int_equal(owner(f, BYTES, NULL, -1), KITH_NULL);
    assert_int_equal(f->memory.errors, 0);
}

static void a_tag_has_no_addresses_to_own(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = { .name = "ghost", .id = GHOST, .kind = KITH_KIND_TAG };
    register_one(f->world, desc);

    const void *address = kith_component_add(f->world, f->entities[0], GHOST, NULL);

    assert_int_equal(owner(f, GHOST, address, 0), KITH_NULL);
}

// --- reserve, capacity, limit ----------------------------------------------------------------

static void reserve_makes_room_in_whole_pages(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 16));

    assert_true(kith_component_reserve(f->world, BYTES, 17));
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 32);
    assert_int_equal(kith_component_stats(f->world, BYTES).rows, 0);

    assert_true(kith_component_reserve(f->world, BYTES, 1));
    assert_true(kith_component_reserve(f->world, BYTES, 0));
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 32);
}

static void rows_that_were_reserved_take_no_more_memory(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 16));
    put(f, BYTES, 0, 0);
    assert_true(kith_component_reserve(f->world, BYTES, 100));
    uint32_t allocations = f->memory.allocations;

    fill(f, BYTES, 100);

    assert_int_equal(f->memory.allocations, allocations);
}

static void a_full_pool_refuses_one_more_and_changes_nothing(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 4));
    assert_int_equal(kith_component_stats(f->world, BYTES).limit, UINT32_MAX);
    assert_true(kith_component_limit_set(f->world, BYTES, 3));
    assert_int_equal(kith_component_stats(f->world, BYTES).limit, 3);
    fill(f, BYTES, 3);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_component_set(f->world, f->entities[3], BYTES, NULL));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_component_add(f->world, f->entities[3], BYTES, NULL));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_component_add(f->world, f->entities[3], BYTES, NULL));

    assert_non_null(kith_component_set(f->world, f->entities[2], BYTES, NULL));
    take(f, BYTES, 0);
    assert_non_null(kith_component_add(f->world, f->entities[3], BYTES, NULL));
}

static void a_full_stable_pool_still_fills_its_holes(void **state)
{
    fixture *f = *state;
    register_one(f->world, stable(paged(STONE, 8, 4)));
    assert_true(kith_component_limit_set(f->world, STONE, 3));
    fill(f, STONE, 3);
    take(f, STONE, 1);

    put(f, STONE, 5, 5);

    ASSERT_ROWS(f, STONE, 0, 5, 2);
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_component_add(f->world, f->entities[6], STONE, NULL));
}

static void a_limit_caps_capacity_and_reserve(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 4));
    assert_true(kith_component_limit_set(f->world, BYTES, 6));

    assert_true(kith_component_reserve(f->world, BYTES, 6));
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 6);
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_component_reserve(f->world, BYTES, 7));
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 6);
}

static void a_limit_below_the_rows_is_an_error(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 4));
    fill(f, BYTES, 5);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_component_limit_set(f->world, BYTES, 4));

    assert_true(kith_component_limit_set(f->world, BYTES, 5));
    assert_true(kith_component_limit_set(f->world, BYTES, UINT32_MAX));
    assert_non_null(kith_component_add(f->world, f->entities[5], BYTES, NULL));
}

static void a_limit_of_nothing_refuses_the_first_row(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 4));

    assert_true(kith_component_limit_set(f->world, BYTES, 0));

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_component_add(f->world, f->entities[0], BYTES, NULL));
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 0);
}

static void a_raised_limit_keeps_disable_bits_apart(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 256));
    assert_true(kith_component_limit_set(f->world, BYTES, 10));
    fill(f, BYTES, 10);
    kith_component_enable(f->world, f->entities[3], BYTES, false);

    assert_true(kith_component_limit_set(f->world, BYTES, UINT32_MAX));
    fill(f, BYTES, MOST);
    take(f, BYTES, 3);

    for (uint32_t i = 0; i < MOST; i++) {
        assert_int_equal(kith_component_enabled(f->world, f->entities[i], BYTES), i != 3);
    }
}

// --- shrink ----------------------------------------------------------------------------------

static void shrink_frees_pages_without_rows(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 16));
    fill(f, BYTES, 64);
    size_t full = kith_world_memory(f->world, BYTES).values;
    for (uint32_t i = 16; i < 64; i++) {
        take(f, BYTES, i);
    }
    assert_int_equal(kith_world_memory(f->world, BYTES).values, full);
    size_t bytes = f->memory.live_bytes;

    assert_true(kith_component_shrink(f->world, BYTES));

    assert_int_equal(kith_world_memory(f->world, BYTES).values, full / 4);
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 16);
    assert_true(f->memory.live_bytes < bytes);
    fill(f, BYTES, 64);
}

static void shrink_frees_everything_of_an_empty_pool(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = paged(BYTES, 8, 16);
    register_one(f->world, desc);
    size_t before = f->memory.live_bytes;
    fill(f, BYTES, 64);
    kith_component_enable(f->world, f->entities[5], BYTES, false);
    kith_component_clear(f->world, BYTES);

    assert_true(kith_component_shrink(f->world, BYTES));

    kith_memory left = kith_world_memory(f->world, BYTES);
    assert_int_equal(left.values + left.packed + left.sparse, 0);
    assert_int_equal(f->memory.live_bytes, before);
}

static void shrink_frees_unused_lookup_pages(void **state)
{
    fixture    *f   = *state;
    kith_entity far = kith_entity_create_hint(f->world, kith_entity_make(5000, 1));
    register_one(f->world, paged(BYTES, 8, 16));
    put(f, BYTES, 0, 0);
    size_t one_page = kith_world_memory(f->world, BYTES).sparse;
    kith_component_add(f->world, far, BYTES, NULL);
    assert_int_equal(kith_world_memory(f->world, BYTES).sparse, 2 * one_page);
    kith_component_remove(f->world, far, BYTES);

    assert_true(kith_component_shrink(f->world, BYTES));

    assert_int_equal(kith_world_memory(f->world, BYTES).sparse, one_page);
    assert_false(kith_component_has(f->world, far, BYTES));
    assert_non_null(kith_component_add(f->world, far, BYTES, NULL));
}

static void shrink_keeps_values_addresses_and_disable_bits(void **state)
{
    fixture *f = *state;
    register_one(f->world, stable(paged(STONE, 8, 16)));
    fill(f, STONE, 200);
    kith_component_enable(f->world, f->entities[7], STONE, false);
    for (uint32_t i = 20; i < 200; i++) {
        take(f, STONE, i);
    }
    text before = dump_world(f->world);

    assert_true(kith_component_shrink(f->world, STONE));

    assert_unchanged(f->world, before);
    assert_false(kith_component_enabled(f->world, f->entities[7], STONE));
}

static void shrinking_the_world_shrinks_every_pool(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 8, 16));
    register_one(f->world, stable(paged(STONE, 8, 16)));
    kith_component_reserve(f->world, BYTES, 100);
    kith_component_reserve(f->world, STONE, 100);

    assert_true(kith_world_shrink(f->world));

    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 0);
    assert_int_equal(kith_component_stats(f->world, STONE).capacity, 0);
}

// --- layouts ---------------------------------------------------------------------------------

static void assert_pages_of(fixture *f, uint32_t page_rows, uint32_t size, uint32_t count)
{
    register_one(f->world, paged(BYTES, size, page_rows));
    assert_int_equal(kith_component_describe(f->world, BYTES)->traits.page_rows, page_rows);

    fill(f, BYTES, count);

    uint32_t pages = (count + page_rows - 1) / page_rows;
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, pages * page_rows);
    assert_true(kith_world_memory(f->world, BYTES).values >= (size_t)pages * page_rows * size);
    for (uint32_t i = 0; i < count; i++) {
        assert_bytes(kith_component_get(f->world, f->entities[i], BYTES), size, i);
    }
}

static void a_page_has_the_rows_that_were_asked_for(void **state)
{
    fixture       *f           = *state;
    const uint32_t page_rows[] = { 1, 2, 16, 65536 };

    for (size_t i = 0; i < COUNT_OF(page_rows); i++) {
        restart_world(f);
        assert_pages_of(f, page_rows[i], 8, 100);
    }
}

static void assert_aligned(fixture *f, uint32_t alignment, uint32_t count)
{
    for (uint32_t row = 0; row < count; row++) {
        uintptr_t address = (uintptr_t)kith_component_value(f->world, BYTES, row);
        assert_int_equal(address % alignment, 0);
    }
}

static void every_value_is_aligned_as_asked(void **state)
{
    fixture *f = *state;

    for (uint32_t alignment = 1; alignment <= KITH_ALIGNMENT_MAX; alignment *= 2) {
        kith_component_desc desc = paged(BYTES, 3 * alignment, 4);
        desc.traits.alignment    = alignment;
        restart_world(f);
        register_one(f->world, desc);

        fill(f, BYTES, 10);
        take(f, BYTES, 0);

        assert_aligned(f, alignment, 9);
    }
}

static const uint32_t odd_sizes[] = {
    1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 31, 32, 64, 255, 256, 4096
};

// Nine values of the n-th size, in a pool of their own.
static void fill_odd_size(fixture *f, uint32_t n, uint32_t page_rows)
{
    restart_world(f);
    register_one(f->world, paged(BYTES, odd_sizes[n], page_rows));
    fill(f, BYTES, 9);
}

static void values_of_every_size_survive_swap_remove(void **state)
{
    fixture *f = *state;

    for (uint32_t i = 0; i < 2 * COUNT_OF(odd_sizes); i++) {
        fill_odd_size(f, i / 2, i % 2 == 0 ? 4 : 0); // the usual number of rows, too

        take(f, BYTES, 1);
        take(f, BYTES, 7);
        take(f, BYTES, 0);

        ASSERT_ROWS(f, BYTES, 6, 8, 2, 3, 4, 5);
    }
}

static void values_of_every_size_survive_swap(void **state)
{
    fixture *f = *state;

    for (uint32_t i = 0; i < 2 * COUNT_OF(odd_sizes); i++) {
        fill_odd_size(f, i / 2, i % 2 == 0 ? 4 : 0); // the usual number of rows, too

        swap(f, BYTES, 0, 8);
        swap(f, BYTES, 1, 2);

        ASSERT_ROWS(f, BYTES, 8, 2, 1, 3, 4, 5, 6, 7, 0);
    }
}

static void values_of_a_megabyte_work_like_small_ones(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 1u << 20, 2));
    fill(f, BYTES, 3);

    take(f, BYTES, 0);

    ASSERT_ROWS(f, BYTES, 2, 1);
}

static void default_pages_shrink_as_values_grow(void **state)
{
    fixture *f = *state;
    register_one(f->world, paged(BYTES, 4, 0));
    kith_component_desc big = paged(STONE, 1u << 20, 0);
    big.name                = "big";
    register_one(f->world, big);

    uint32_t few  = kith_component_describe(f->world, STONE)->traits.page_rows;
    uint32_t many = kith_component_describe(f->world, BYTES)->traits.page_rows;

    assert_int_equal(few, 1);
    assert_true(many >= 256);
    assert_int_equal(many & (many - 1), 0);
}

// --- addresses -------------------------------------------------------------------------------

static void adding_never_moves_a_value(void **state)
{
    fixture    *f = *state;
    const void *places[MOST];
    register_one(f->world, paged(BYTES, 8, 4));

    for (uint32_t i = 0; i < MOST; i++) {
        places[i] = put(f, BYTES, i, i);
    }

    for (uint32_t i = 0; i < MOST; i++) {
        assert_ptr_equal(kith_component_get(f->world, f->entities[i], BYTES), places[i]);
    }
}

static void random_stable_step(fixture *f, const void **places, uint64_t *seed)
{
    uint32_t i = test_random_below(seed, MOST);
    if (places[i] == NULL) {
        places[i] = put(f, STONE, i, i);
    } else if (test_random_below(seed, 3) != 0) {
        assert_true(take(f, STONE, i));
        places[i] = NULL;
    } else {
        assert_ptr_equal(put(f, STONE, i, i), places[i]);
    }
    if (test_random_below(seed, 100) == 0) {
        kith_component_shrink(f->world, STONE);
    }
}

static void an_address_in_a_stable_pool_never_changes(void **state)
{
    fixture    *f            = *state;
    uint64_t    seed         = test_seed();
    const void *places[MOST] = { NULL };
    register_one(f->world, stable(paged(STONE, 12, 8)));

    for (uint32_t step = 0; step < 20000; step++) {
        random_stable_step(f, places, &seed);
        uint32_t i = test_random_below(&seed, MOST);
        assert_ptr_equal(kith_component_get(f->world, f->entities[i], STONE), places[i]);
        if (places[i] != NULL) {
            assert_bytes(places[i], 12, i);
        }
    }
}

// --- against a list --------------------------------------------------------------------------

// What a pool is, as a list of entity numbers in row order, with a bit each.
typedef struct naive_pool {
    uint32_t rows[MOST];
    bool     disabled[MOST]; // by entity
    uint32_t count;
} naive_pool;

static uint32_t naive_row(const naive_pool *naive, uint32_t entity)
{
    for (uint32_t row = 0; row < naive->count; row++) {
        if (naive->rows[row] == entity) {
            return row;
        }
    }
    return HOLE;
}

static void naive_remove(naive_pool *naive, uint32_t entity)
{
    uint32_t row = naive_row(naive, entity);
    if (row != HOLE) {
        naive->rows[row]        = naive->rows[--naive->count];
        naive->disabled[entity] = false;
    }
}

static void naive_swap(naive_pool *naive, uint32_t a, uint32_t b)
{
    uint32_t row_a = naive_row(naive, a);
    uint32_t row_b = naive_row(naive, b);
    if (row_a != HOLE && row_b != HOLE) {
        naive->rows[row_a] = b;
        naive->rows[row_b] = a;
    }
}

static void random_pool_step(fixture *f, naive_pool *naive, uint64_t *seed)
{
    uint32_t i       = test_random_below(seed, MOST);
    bool     present = naive_row(naive, i) != HOLE;
    switch (test_random_below(seed, 6)) {
    case 0:
    case 1:
        put(f, BYTES, i, i);
        naive->rows[naive->count] = i;
        naive->count += !present;
        break;
    case 2:
        assert_int_equal(take(f, BYTES, i), present);
        naive_remove(naive, i);
        break;
    case 3:
        assert_int_equal(kith_component_enable(f->world, f->entities[i], BYTES, false), present);
        naive->disabled[i] = present;
        break;
    case 4:
        assert_int_equal(kith_component_enable(f->world, f->entities[i], BYTES, true), present);
        naive->disabled[i] = false;
        break;
    default:
        swap(f, BYTES, i, naive->rows[0]);
        naive_swap(naive, i, naive->rows[0]);
    }
}

static void assert_as_naive(fixture *f, const naive_pool *naive)
{
    assert_rows(f, BYTES, naive->rows, naive->count);
    for (uint32_t i = 0; i < MOST; i++) {
        bool enabled = naive_row(naive, i) != HOLE && !naive->disabled[i];
        assert_int_equal(kith_component_enabled(f->world, f->entities[i], BYTES), enabled);
    }
}

static void disable_bits_and_rows_follow_every_change_as_in_a_list(void **state)
{
    fixture   *f     = *state;
    uint64_t   seed  = test_seed();
    naive_pool naive = { .count = 0 };
    register_one(f->world, paged(BYTES, 5, 16));

    for (uint32_t step = 0; step < 5000; step++) {
        random_pool_step(f, &naive, &seed);
        if (step % 50 == 0) {
            assert_as_naive(f, &naive);
            assert_world_valid(f->world);
        }
    }

    assert_as_naive(f, &naive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_follow_the_order_of_adding),
        TEST(removing_moves_the_last_row_into_the_gap),
        TEST(removing_from_a_stable_pool_leaves_a_hole),
        TEST(holes_are_taken_again_newest_first),
        TEST(a_stable_tag_has_holes_too),
        TEST(destroying_entities_leaves_the_same_rows_as_removing),
        TEST(there_is_nothing_in_rows_beyond_the_end),
        TEST(an_empty_pool_has_no_rows),
        TEST(clearing_empties_the_pool_and_keeps_the_entities),
        TEST(clearing_a_flag_removes_it_from_all_entities),
        TEST(compact_closes_every_pattern_of_holes_by_its_rule),
        TEST(compact_has_nothing_to_do_for_a_swap_pool),
        TEST(swap_exchanges_rows_and_entities_keep_their_values),
        TEST(swap_takes_disable_bits_along),
        TEST(swap_answers_no_when_one_entity_lacks_the_component),
        TEST(swap_is_refused_for_a_stable_pool),
        TEST(swap_exchanges_tags),
        TEST(every_byte_of_a_value_belongs_to_its_entity),
        TEST(the_bytes_around_a_value_belong_to_its_neighbours),
        TEST(the_place_beyond_the_last_row_belongs_to_no_entity),
        TEST(a_hole_belongs_to_no_entity),
        TEST(a_foreign_address_belongs_to_no_entity),
        TEST(a_tag_has_no_addresses_to_own),
        TEST(reserve_makes_room_in_whole_pages),
        TEST(rows_that_were_reserved_take_no_more_memory),
        TEST(a_full_pool_refuses_one_more_and_changes_nothing),
        TEST(a_full_stable_pool_still_fills_its_holes),
        TEST(a_limit_caps_capacity_and_reserve),
        TEST(a_limit_below_the_rows_is_an_error),
        TEST(a_limit_of_nothing_refuses_the_first_row),
        TEST(a_raised_limit_keeps_disable_bits_apart),
        TEST(shrink_frees_pages_without_rows),
        TEST(shrink_frees_everything_of_an_empty_pool),
        TEST(shrink_frees_unused_lookup_pages),
        TEST(shrink_keeps_values_addresses_and_disable_bits),
        TEST(shrinking_the_world_shrinks_every_pool),
        TEST(a_page_has_the_rows_that_were_asked_for),
        TEST(every_value_is_aligned_as_asked),
        TEST(values_of_every_size_survive_swap_remove),
        TEST(values_of_every_size_survive_swap),
        TEST(values_of_a_megabyte_work_like_small_ones),
        TEST(default_pages_shrink_as_values_grow),
        TEST(adding_never_moves_a_value),
        TEST(an_address_in_a_stable_pool_never_changes),
        TEST(disable_bits_and_rows_follow_every_change_as_in_a_list),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
