// SPDX-License-Identifier: MIT
// Tests reactive sets: conditions, filters, walks, priorities, and random programs against a list.
#include "kith_test.h"

#define COUNT_OF(ARRAY) (sizeof(ARRAY) / sizeof(ARRAY)[0])

enum { FIRST_NEED = 20, SECOND_NEED, FIRST_OWNER, SECOND_OWNER, NOSY, SEASON, UNKNOWN };

// --- making sets -----------------------------------------------------------------------------

static kith_reactive *collect_on(kith_world *world, kith_component component, uint32_t on)
{
    const kith_condition     condition = { component, on };
    const kith_reactive_desc desc      = { .conditions = &condition, .condition_count = 1 };
    kith_reactive           *set       = kith_reactive_create(world, &desc);
    assert_non_null(set);
    return set;
}

static kith_reactive *collect_dead(kith_world *world, kith_component component, uint32_t on)
{
    const kith_condition     condition = { component, on };
    const kith_reactive_desc desc      = { .conditions      = &condition,
                                           .condition_count = 1,
                                           .keep_dead       = true };
    kith_reactive           *set       = kith_reactive_create(world, &desc);
    assert_non_null(set);
    return set;
}

static void assert_members(const kith_reactive *set, const kith_entity *expected, size_t count)
{
    uint64_t place = 0;
    assert_int_equal(kith_reactive_count(set), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(kith_reactive_next(set, &place), expected[i]);
        assert_true(kith_reactive_contains(set, expected[i]));
    }
    assert_int_equal(kith_reactive_next(set, &place), KITH_NULL);
    assert_int_equal(kith_reactive_next(set, &place), KITH_NULL);
}

#define assert_has(SET, ...)                                                                       \
    do {                                                                                           \
        const kith_entity expected_[] = { __VA_ARGS__ };                                           \
        assert_members((SET), expected_, COUNT_OF(expected_));                                     \
    } while (0)

#define assert_empty(SET) assert_members((SET), NULL, 0)

static void create(kith_world *world, kith_entity *entities, uint32_t count)
{
    assert_true(kith_entity_create_many(world, entities, count, NULL, 0));
}

static bool set_all(kith_world *world, const kith_entity *entities, uint32_t count)
{
    const vec2 value = { 0, 0 };
    return kith_entity_set_many(world, kith_entities_of(entities, count),
                                &(kith_values){ POSITION, &value, 0 }, 1);
}

// The same one by one.
static void set_each(kith_world *world, const kith_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        position_set(world, entities[i], (vec2){ 0, 0 });
    }
}

// --- conditions ------------------------------------------------------------------------------

static void entities_that_get_the_component_come_once_in_order(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_entity    e[4];
    create(f->world, e, 4);
    assert_empty(set);

    position_set(f->world, e[2], (vec2){ 1, 1 });
    position_set(f->world, e[0], (vec2){ 1, 1 });
    position_set(f->world, e[2], (vec2){ 2, 2 });
    kith_component_remove(f->world, e[0], POSITION);
    kith_component_add(f->world, e[0], POSITION, NULL);
    velocity_set(f->world, e[1], (vec2){ 0, 0 });

    assert_has(set, e[2], e[0]);
    assert_false(kith_reactive_contains(set, e[1]));
    assert_false(kith_reactive_contains(set, KITH_NULL));
    assert_int_equal(kith_reactive_update(set), 0);
}

static void set_and_patch_are_reported_where_asked_for(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, HEALTH, KITH_ON_SET);
    kith_entity    e[3];
    create(f->world, e, 3);
    health_set(f->world, e[0], 1);
    health_set(f->world, e[1], 1);
    health_set(f->world, e[2], 1);
    *health_mut(f->world, e[0]) = 5;
    assert_empty(set);

    health_set(f->world, e[1], 2);
    kith_component_set(f->world, e[0], HEALTH, &(int){ 3 });

    assert_has(set, e[1], e[0]);
}

static void an_entity_that_loses_the_component_comes(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, POSITION, KITH_ON_REMOVE);
    kith_entity    e[3];
    create(f->world, e, 3);
    set_each(f->world, e, 3);

    position_remove(f->world, e[1]);
    kith_entity_destroy(f->world, e[0]);

    assert_has(set, e[1]); // the dead leave
}

static void one_met_condition_is_enough(void **state)
{
    test_fixture            *f            = *state;
    const kith_condition     conditions[] = { { POSITION, KITH_ON_ADD | KITH_ON_REMOVE },
                                              { HEALTH, KITH_ON_SET },
                                              { FROZEN, KITH_ON_ADD },
                                              { HIDDEN, KITH_ON_ADD | KITH_ON_REMOVE } };
    const kith_reactive_desc desc         = { .name            = "changed",
                                              .conditions      = conditions,
                                              .condition_count = COUNT_OF(conditions) };
    kith_reactive           *set          = kith_reactive_create(f->world, &desc);
    kith_entity              e[5];
    create(f->world, e, 5);

    hidden_add(f->world, e[4]);
    health_set(f->world, e[0], 1);
    frozen_add(f->world, e[3]);
    position_set(f->world, e[2], (vec2){ 0, 0 });
    hidden_add(f->world, e[3]);
    health_set(f->world, e[0], 1);

    assert_has(set, e[4], e[3], e[2], e[0]);
    kith_reactive_clear(set);
    hidden_remove(f->world, e[4]);
    position_remove(f->world, e[2]);
    frozen_remove(f->world, e[3]);
    assert_has(set, e[4], e[2]);
    assert_string_equal(kith_reactive_describe(set)->name, "changed");
    assert_int_equal(kith_reactive_describe(set)->condition_count, 4);
    assert_int_equal(kith_reactive_describe(set)->conditions[1].component, HEALTH);
}

static void batches_are_reported_too(void **state)
{
    test_fixture     *f      = *state;
    kith_reactive    *added  = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_reactive    *set    = collect_on(f->world, POSITION, KITH_ON_SET);
    kith_reactive    *gone   = collect_dead(f->world, POSITION, KITH_ON_REMOVE);
    kith_reactive    *flags  = collect_on(f->world, HIDDEN, KITH_ON_ADD);
    const vec2        value  = { 1, 2 };
    const kith_values both[] = { { POSITION, &value, 0 }, { HIDDEN, NULL, 0 } };
    kith_entity       e[4];
    create(f->world, e, 4);

    position_set(f->world, e[2], value);
    assert_true(kith_entity_set_many(f->world, kith_entities_of(e, 4), both, 2));
    assert_has(added, e[2], e[0], e[1], e[3]);
    assert_has(set, e[2]);
    assert_has(flags, e[0], e[1], e[2], e[3]);
    assert_true(kith_entity_destroy_many(f->world, kith_entities_of(e, 3)));

    assert_has(gone, e[0], e[1], e[2]);
    assert_has(added, e[3]);
    assert_empty(set);
}

// --- leaving ---------------------------------------------------------------------------------

static void losing_the_component_is_no_reason_to_leave(void **state)
{
    test_fixture  *f    = *state;
    kith_reactive *set  = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_entity    ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 0, 0 });
    position_remove(f->world, ship);
    assert_has(set, ship);
}

static void the_dead_leave_unless_they_are_kept(void **state)
{
    test_fixture  *f    = *state;
    kith_reactive *set  = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_reactive *kept = collect_dead(f->world, POSITION, KITH_ON_ADD);
    kith_entity    e[3];
    create(f->world, e, 3);
    set_each(f->world, e, 3);

    kith_entity_destroy(f->world, e[1]);

    assert_has(set, e[0], e[2]);
    assert_false(kith_reactive_contains(set, e[1]));
    assert_false(kith_reactive_remove(set, e[1]));
    assert_has(kept, e[0], e[1], e[2]);
    kith_world_clear(f->world);
    assert_empty(set);
    assert_has(kept, e[0], e[1], e[2]);
    assert_true(kith_reactive_remove(kept, e[1]));
    assert_has(kept, e[0], e[2]);
}

// The slot is used again: each use is another entity.
static void a_dead_member_is_not_mistaken_for_the_entity_in_its_slot(void **state)
{
    test_fixture  *f    = *state;
    kith_reactive *set  = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_reactive *kept = collect_dead(f->world, POSITION, KITH_ON_ADD);
    kith_entity    lives[40];
    for (uint32_t i = 0; i < COUNT_OF(lives); i++) {
        lives[i] = kith_entity_create(f->world);
        assert_int_equal(kith_entity_index(lives[i]), 0);
        position_set(f->world, lives[i], (vec2){ 0, 0 });
        assert_world_valid(f->world);
        assert_has(set, lives[i]);
        assert_members(kept, lives, i + 1);
        kith_entity_destroy(f->world, lives[i]);
    }
}

typedef struct witness {
    const kith_reactive *set;
    kith_entity          target;
    bool                 there;
} witness;

static void look(kith_world *world, const kith_notice *notice, void *context)
{
    witness *w = context;
    (void)world;
    w->there = kith_reactive_contains(w->set, w->target) && notice->entity == w->target;
}

static void a_dying_entity_is_still_there(void **state)
{
    test_fixture            *f    = *state;
    kith_entity              ship = kith_entity_create(f->world);
    witness                  w    = { collect_on(f->world, POSITION, KITH_ON_ADD), ship, false };
    const kith_listener_desc desc = { .event = KITH_EVENT_DESTROY, .call = look, .context = &w };
    kith_listener_connect(f->world, &desc);
    position_set(f->world, ship, (vec2){ 0, 0 });

    kith_entity_destroy(f->world, ship);

    assert_true(w.there);
    assert_false(kith_reactive_contains(w.set, ship));
}

static void a_removed_member_can_come_again(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, HEALTH, KITH_ON_SET);
    kith_entity    e[3];
    create(f->world, e, 3);
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < 3; i++) {
            health_set(f->world, e[i], n);
        }
    }
    assert_true(kith_reactive_remove(set, e[0]));
    assert_false(kith_reactive_remove(set, e[0]));
    assert_has(set, e[1], e[2]);
    health_set(f->world, e[0], 7);
    health_set(f->world, e[1], 7);
    assert_has(set, e[1], e[2], e[0]);

    kith_reactive_clear(set);

    assert_empty(set);
    health_set(f->world, e[2], 8);
    assert_has(set, e[2]);
}

// --- filters ---------------------------------------------------------------------------------

static void the_filter_is_asked_when_the_event_comes(void **state)
{
    test_fixture        *f         = *state;
    const kith_condition condition = { POSITION, KITH_ON_ADD | KITH_ON_SET };
    const kith_term terms[] = { { HEALTH, KITH_ROLE_WITH, 0 }, { HIDDEN, KITH_ROLE_WITHOUT, 0 } };
    const kith_reactive_desc desc = { .conditions      = &condition,
                                      .condition_count = 1,
                                      .filter          = { "shown", terms, 2, 0 } };
    kith_reactive           *set  = kith_reactive_create(f->world, &desc);
    kith_entity              e[3];
    create(f->world, e, 3);
    health_set(f->world, e[0], 1);
    health_set(f->world, e[1], 1);
    hidden_add(f->world, e[1]);
    set_each(f->world, e, 3);
    assert_has(set, e[0]);

    hidden_add(f->world, e[0]);
    hidden_remove(f->world, e[1]);
    assert_has(set, e[0]);
    position_set(f->world, e[1], (vec2){ 1, 1 });

    assert_has(set, e[0], e[1]);
    assert_string_equal(kith_reactive_describe(set)->filter.name, "shown");
    assert_int_equal(kith_reactive_describe(set)->filter.terms[1].component, HIDDEN);
}

static void a_filter_counts_changes_from_its_own_tick(void **state)
{
    test_fixture        *f         = *state;
    const kith_condition condition = { POSITION, KITH_ON_ADD | KITH_ON_SET };
    const kith_term terms[] = { { HEALTH, KITH_ROLE_CHANGED, 0 }, { HEALTH, KITH_ROLE_LEAD, 0 } };
    kith_entity     e       = kith_entity_create(f->world);
    const kith_reactive_desc desc = { .conditions      = &condition,
                                      .condition_count = 1,
                                      .filter = { NULL, terms, 2, kith_world_now(f->world) + 1 } };
    kith_reactive           *set  = kith_reactive_create(f->world, &desc);
    health_set(f->world, e, 1);
    position_set(f->world, e, (vec2){ 0, 0 });
    assert_int_equal(kith_reactive_count(set), 0);

    kith_world_advance(f->world);
    health_set(f->world, e, 2);
    kith_world_advance(f->world);
    kith_reactive_update(set);
    assert_int_equal(kith_reactive_count(set), 0);
    position_set(f->world, e, (vec2){ 1, 1 });

    assert_has(set, e);
}

typedef struct judge {
    test_fixture *f;
    uint32_t      asked;
} judge;

static bool accept_even(const kith_world *world, kith_entity entity, void *context)
{
    judge      *j     = context;
    kith_world *asked = j->f->world;
    assert_ptr_equal(world, asked);
    assert_true(health_has(world, entity));
    assert_refused(&j->f->memory, asked, KITH_ERROR_BUSY, kith_entity_create(asked));
    j->asked++;
    return *health_get(world, entity) % 2 == 0;
}

static void a_function_can_choose(void **state)
{
    test_fixture            *f         = *state;
    judge                    j         = { f, 0 };
    const kith_condition     condition = { HEALTH, KITH_ON_ADD | KITH_ON_SET };
    const kith_reactive_desc desc      = {
             .conditions = &condition, .condition_count = 1, .accept = accept_even, .context = &j
    };
    kith_reactive *set = kith_reactive_create(f->world, &desc);
    kith_entity    e[2];
    create(f->world, e, 2);

    health_set(f->world, e[0], 1);
    health_set(f->world, e[1], 2);
    health_set(f->world, e[1], 3); // is in the set: not asked again

    assert_int_equal(j.asked, 2);
    assert_has(set, e[1]);
}

// --- changed ---------------------------------------------------------------------------------

static void written_pages_are_found_by_update(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, POSITION, KITH_ON_CHANGED);
    uint32_t       n   = 5000; // more than a page of 4096
    kith_entity   *e   = calloc(n, sizeof *e);
    create(f->world, e, n);
    set_all(f->world, e, n);
    assert_empty(set);
    assert_int_equal(kith_reactive_update(set), n);
    kith_reactive_clear(set);
    kith_world_advance(f->world);
    assert_int_equal(kith_reactive_update(set), n); // the tick of the update before counts
    kith_reactive_clear(set);
    assert_int_equal(kith_reactive_update(set), 0);

    position_mut(f->world, e[4500])->x = 1;

    assert_empty(set);
    assert_int_equal(kith_reactive_update(set), n - 4096);
    assert_true(kith_reactive_contains(set, e[4500]));
    assert_true(kith_reactive_contains(set, e[4999]));
    assert_false(kith_reactive_contains(set, e[0]));
    free(e);
}

static void with_row_ticks_only_rows_that_changed_count(void **state)
{
    enum { TICKED = HIDDEN + 1 };
    test_fixture             *f    = *state;
    const kith_component_desc desc = { .name             = "ticked",
                                       .id               = TICKED,
                                       .size             = sizeof(int),
                                       .alignment        = _Alignof(int),
                                       .traits.row_ticks = true };
    kith_entity               e[4];
    assert_int_equal(kith_component_register(f->world, &desc), TICKED);
    kith_reactive *set = collect_on(f->world, TICKED, KITH_ON_CHANGED);
    create(f->world, e, 4);
    for (int i = 0; i < 3; i++) {
        kith_component_set(f->world, e[i], TICKED, &i);
    }
    assert_int_equal(kith_reactive_update(set), 3); // entities that came have changed
    kith_world_advance(f->world);
    kith_reactive_update(set);
    kith_reactive_clear(set);

    *(int *)kith_component_mut(f->world, e[2], TICKED) = 7;
    kith_component_add(f->world, e[3], TICKED, NULL);
    kith_component_remove(f->world, e[0], TICKED); // e[3] takes its row
    assert_int_equal(kith_reactive_update(set), 2);
    assert_has(set, e[3], e[2]);
    kith_world_advance(f->world);
    kith_reactive_update(set);
    kith_reactive_clear(set);
    kith_component_swap(f->world, TICKED, e[1], e[2]);
    assert_int_equal(kith_reactive_update(set), 0); // to move is no change
}

static void columns_for_writing_count_and_holes_do_not(void **state)
{
    test_fixture   *f       = *state;
    kith_reactive  *set     = collect_on(f->world, HEALTH, KITH_ON_CHANGED);
    const kith_term terms[] = { { HEALTH, KITH_ROLE_WRITE, 0 } };
    kith_query_desc writers = { "writers", terms, 1, 0 };
    kith_entity     e[3];
    create(f->world, e, 3);
    for (int i = 0; i < 3; i++) {
        health_set(f->world, e[i], i);
    }
    kith_world_advance(f->world);
    kith_reactive_update(set);
    kith_reactive_clear(set);

    kith_cursor c = kith_view_begin(f->world, &writers);
    assert_true(kith_cursor_next(&c));
    health_remove(f->world, e[1]);
    assert_int_equal(kith_reactive_update(set), 2);
    kith_cursor_end(&c);

    assert_has(set, e[0], e[2]);
}

// --- walking ---------------------------------------------------------------------------------

static void a_walk_goes_on_under_any_change(void **state)
{
    test_fixture  *f     = *state;
    kith_reactive *set   = collect_on(f->world, HEALTH, KITH_ON_ADD | KITH_ON_SET);
    uint64_t       place = 0;
    kith_entity    e[6];
    create(f->world, e, 6);
    for (int i = 0; i < 5; i++) {
        health_set(f->world, e[i], i);
    }

    assert_int_equal(kith_reactive_next(set, &place), e[0]);
    kith_reactive_remove(set, e[0]);
    kith_reactive_remove(set, e[1]);
    assert_int_equal(kith_reactive_next(set, &place), e[2]);
    kith_entity_destroy(f->world, e[3]);
    health_set(f->world, e[5], 5);
    assert_int_equal(kith_reactive_next(set, &place), e[4]);
    assert_int_equal(kith_reactive_next(set, &place), e[5]);
    assert_int_equal(kith_reactive_next(set, &place), KITH_NULL);
    health_set(f->world, e[1], 9);
    assert_int_equal(kith_reactive_next(set, &place), e[1]);
    kith_reactive_clear(set);
    assert_int_equal(kith_reactive_next(set, &place), KITH_NULL);
    health_set(f->world, e[1], 9);
    assert_int_equal(kith_reactive_next(set, &place), e[1]);
}

// A member that is removed and comes again takes a new place, so places are used up and holes are
// closed.
static void a_walk_goes_on_when_holes_are_closed(void **state)
{
    test_fixture  *f     = *state;
    kith_reactive *set   = collect_on(f->world, HEALTH, KITH_ON_ADD | KITH_ON_SET);
    uint64_t       place = 0;
    kith_entity    e[10];
    create(f->world, e, 10);
    for (int i = 0; i < 10; i++) {
        health_set(f->world, e[i], i);
    }
    for (int i = 0; i < 5; i++) {
        assert_int_equal(kith_reactive_next(set, &place), e[i]);
    }
    for (int n = 0; n < 500; n++) {
        kith_entity again = e[n % 8];
        kith_reactive_remove(set, again);
        health_set(f->world, again, n);
        assert_world_valid(f->world);
    }
    assert_int_equal(kith_reactive_next(set, &place), e[8]);
    assert_int_equal(kith_reactive_next(set, &place), e[9]);
    assert_has(set, e[8], e[9], e[4], e[5], e[6], e[7], e[0], e[1], e[2], e[3]);
}

// --- coming and going of sets ----------------------------------------------------------------

static void a_destroyed_set_is_notified_of_nothing(void **state)
{
    test_fixture  *f    = *state;
    kith_reactive *set  = collect_on(f->world, POSITION, KITH_ON_ADD | KITH_ON_REMOVE);
    kith_reactive *last = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_entity    ship = kith_entity_create(f->world);

    assert_true(kith_reactive_destroy(set));
    position_set(f->world, ship, (vec2){ 0, 0 });

    assert_has(last, ship);
    assert_true(kith_reactive_destroy(last));
    assert_true(kith_reactive_destroy(NULL));
    position_remove(f->world, ship);
    assert_int_equal(f->memory.errors, 0);
}

static void end_set(kith_world *world, const kith_notice *notice, void *context)
{
    kith_reactive **set = context;
    (void)world;
    (void)notice;
    if (*set != NULL) {
        assert_true(kith_reactive_destroy(*set));
        *set = NULL;
    }
}

static void a_listener_can_destroy_a_set_before_the_set_is_notified(void **state)
{
    test_fixture            *f    = *state;
    kith_reactive           *set  = collect_on(f->world, POSITION, KITH_ON_ADD);
    const kith_listener_desc desc = { .event     = KITH_EVENT_ADD,
                                      .component = POSITION,
                                      .call      = end_set,
                                      .context   = &set,
                                      .priority  = 1 };
    kith_entity              e[3];
    create(f->world, e, 3);
    kith_listener_connect(f->world, &desc);

    assert_non_null(position_set(f->world, e[0], (vec2){ 0, 0 }));

    assert_null(set);
    set = collect_on(f->world, POSITION, KITH_ON_ADD);
    assert_true(set_all(f->world, e, 3));
    assert_null(set);
}

static void sets_are_notified_by_their_priority(void **state)
{
    test_fixture        *f         = *state;
    const kith_condition condition = { POSITION, KITH_ON_ADD };
    kith_reactive_desc   desc  = { .conditions = &condition, .condition_count = 1, .priority = 2 };
    kith_entity          ship  = kith_entity_create(f->world);
    witness              early = { kith_reactive_create(f->world, &desc), ship, false };
    witness              late  = { collect_on(f->world, POSITION, KITH_ON_ADD), ship, false };
    const kith_listener_desc looks[] = {
        { KITH_EVENT_ADD, POSITION, look, &early, 1, NULL },
        { KITH_EVENT_ADD, POSITION, look, &late, 1, NULL },
    };
    kith_listener_connect(f->world, &looks[0]);
    kith_listener_connect(f->world, &looks[1]);

    position_set(f->world, ship, (vec2){ 0, 0 });

    assert_true(early.there);
    assert_false(late.there);
    assert_has(late.set, ship);
}

// --- errors ----------------------------------------------------------------------------------

static void an_invalid_set_is_explained(void **state)
{
    test_fixture             *f      = *state;
    const kith_component_desc season = {
        .name = "season", .id = SEASON, .kind = KITH_KIND_SINGLETON, .size = 4
    };
    const kith_condition wrong[] = {
        { POSITION, 0 },
        { POSITION, 16 },
        { UNKNOWN, KITH_ON_ADD },
        { FROZEN, KITH_ON_SET },
        { HIDDEN, KITH_ON_CHANGED },
        { SEASON, KITH_ON_ADD },
    };
    const char *texts[] = {
        "kith_reactive_create: \"position\": a condition needs add, set, remove or changed (\"s\")",
        "kith_reactive_create: \"position\": a condition needs add, set, remove or changed (\"s\")",
        ("kith_reactive_create: component 26 is not registered in this world; is it missing "
         "in KITH_MODULE?"),
        "kith_reactive_create: \"frozen\" is a tag and cannot be used this way",
        "kith_reactive_create: \"hidden\" is a flag and cannot be used this way",
        "kith_reactive_create: \"season\" is a singleton and cannot be used this way",
    };
    kith_component_register(f->world, &season);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const kith_reactive_desc desc = { .name            = "s",
                                          .conditions      = &wrong[i],
                                          .condition_count = 1 };
        assert_null(kith_reactive_create(f->world, &desc));
        assert_error_text(f->world, texts[i]);
    }
    assert_int_equal(f->memory.errors, COUNT_OF(wrong));
}

static void invalid_lists_are_explained(void **state)
{
    test_fixture        *f       = *state;
    const kith_condition twice[] = { { POSITION, KITH_ON_ADD }, { POSITION, KITH_ON_SET } };
    const kith_term      unknown = { UNKNOWN, KITH_ROLE_WITH, 0 };
    kith_reactive_desc   desc    = { .conditions = twice };
    kith_reactive_desc   none    = { .condition_count = 1 };
    const char           few[]   = "kith_reactive_create: a reactive set has 1 to 64 conditions";
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_reactive_create(f->world, &desc));
    assert_error_text(f->world, few);
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_reactive_create(f->world, &none));
    desc.condition_count = 65;
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_reactive_create(f->world, &desc));
    assert_error_text(f->world, few);
    desc.condition_count = 2;
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_reactive_create(f->world, &desc));
    assert_error_text(f->world,
                      "kith_reactive_create: \"position\": a component has two conditions");
    desc.condition_count = 1;
    desc.filter          = (kith_query_desc){ "filter", &unknown, 1, 0 };
    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   kith_reactive_create(f->world, &desc));
}

typedef struct spy {
    test_fixture  *f;
    kith_reactive *set;
    kith_entity    member;
} spy;

static bool meddle(void *value, void *context)
{
    spy                     *s         = context;
    kith_world              *world     = s->f->world;
    const kith_condition     condition = { POSITION, KITH_ON_ADD };
    const kith_reactive_desc desc      = { .conditions = &condition, .condition_count = 1 };
    *(int *)value                      = 0;
    assert_refused(&s->f->memory, world, KITH_ERROR_BUSY, kith_reactive_create(world, &desc));
    assert_refused(&s->f->memory, world, KITH_ERROR_BUSY, kith_reactive_destroy(s->set));
    assert_refused(&s->f->memory, world, KITH_ERROR_BUSY, kith_reactive_update(s->set));
    assert_refused(&s->f->memory, world, KITH_ERROR_BUSY, kith_reactive_remove(s->set, s->member));
    kith_world_error_clear(world);
    kith_reactive_clear(s->set);
    assert_error(world, KITH_ERROR_BUSY);
    assert_has(s->set, s->member);
    return true;
}

static void hooks_only_ask(void **state)
{
    test_fixture             *f    = *state;
    spy                       s    = { f, collect_on(f->world, POSITION, KITH_ON_ADD), KITH_NULL };
    const kith_component_desc nosy = { .name      = "nosy",
                                       .id        = NOSY,
                                       .size      = sizeof(int),
                                       .alignment = _Alignof(int),
                                       .traits    = {
                                              .hooks = { .construct = meddle, .context = &s } } };
    kith_component_register(f->world, &nosy);
    s.member = kith_entity_create(f->world);
    position_set(f->world, s.member, (vec2){ 0, 0 });

    assert_non_null(kith_component_add(f->world, s.member, NOSY, NULL));
}

// --- memory ----------------------------------------------------------------------------------

static void removing_asks_for_no_memory(void **state)
{
    test_fixture  *f     = *state;
    kith_reactive *early = collect_dead(f->world, POSITION, KITH_ON_REMOVE | KITH_ON_SET);
    kith_entity    e[1000];
    create(f->world, e, 1000);
    set_all(f->world, e, 1000);
    hidden_add_many(f->world, e, 1000);
    kith_reactive *late = collect_dead(f->world, POSITION, KITH_ON_REMOVE);
    kith_reactive *flag = collect_dead(f->world, HIDDEN, KITH_ON_REMOVE);
    assert_world_valid(f->world);
    f->memory.fail_all = true;

    position_set(f->world, e[999], (vec2){ 1, 1 });
    for (int i = 0; i < 500; i++) {
        position_remove(f->world, e[i]);
        kith_entity_destroy(f->world, e[500 + i]);
    }

    assert_int_equal(f->memory.errors, 0);
    assert_int_equal(kith_reactive_count(early), 1000);
    assert_int_equal(kith_reactive_count(late), 1000);
    assert_int_equal(kith_reactive_count(flag), 500);
    f->memory.fail_all = false;
}

// Adding is what fails, before anything changes: one by one, flags, and in batches.
static void adding_fails_without_memory_for_the_set(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_reactive *few = collect_on(f->world, HIDDEN, KITH_ON_REMOVE);
    kith_entity    e[400];
    uint32_t       failed = 0;
    create(f->world, e, 400);
    position_reserve(f->world, 400);
    for (uint32_t i = 0; i < 200; i++) {
        f->memory.fail_all = true;
        uint32_t count     = position_count(f->world) + hidden_count(f->world);
        bool     done      = position_set(f->world, e[i], (vec2){ 0, 0 }) != NULL;
        done               = done && hidden_add(f->world, e[i]);
        f->memory.fail_all = false;
        failed += !done;
        assert_true(done || position_count(f->world) + hidden_count(f->world) <= count + 1);
        assert_world_valid(f->world);
        position_set(f->world, e[i], (vec2){ 0, 0 });
        hidden_add(f->world, e[i]);
    }
    assert_true(failed > 2);
    assert_int_equal(kith_reactive_count(set), 200);
    f->memory.fail_all = true;
    assert_false(hidden_add_many(f->world, e + 200, 200));
    assert_error(f->world, KITH_ERROR_MEMORY);
    assert_int_equal(hidden_count(f->world), 200);
    f->memory.fail_all = false;
    assert_true(hidden_add_many(f->world, e + 200, 200));
    assert_empty(few);
}

static void register_flag(kith_world *world, const char *name, kith_component id)
{
    const kith_component_desc desc = { .name = name, .id = id, .kind = KITH_KIND_FLAG };
    assert_int_equal(kith_component_register(world, &desc), id);
}

static void register_with_need(kith_world *world, kith_component id, kith_component need)
{
    const kith_component_desc desc = { .name   = id % 2 != 0 ? "odd" : "even",
                                       .id     = id,
                                       .kind   = KITH_KIND_TAG,
                                       .traits = { .required = &need, .required_count = 1 } };
    assert_int_not_equal(kith_component_register(world, &desc), 0);
}

// One component comes to some and another to the rest: there must be room for all.
static void adding_a_required_component_makes_room_in_its_set(void **state)
{
    test_fixture        *f            = *state;
    const kith_condition conditions[] = { { FIRST_NEED, KITH_ON_REMOVE },
                                          { SECOND_NEED, KITH_ON_REMOVE } };
    kith_reactive_desc desc = { .conditions = conditions, .condition_count = 2, .keep_dead = true };
    const kith_values  both[] = { { FIRST_OWNER, NULL, 0 }, { SECOND_OWNER, NULL, 0 } };
    kith_entity        e[300];
    register_flag(f->world, "first_need", FIRST_NEED);
    register_flag(f->world, "second_need", SECOND_NEED);
    register_with_need(f->world, FIRST_OWNER, FIRST_NEED);
    register_with_need(f->world, SECOND_OWNER, SECOND_NEED);
    create(f->world, e, 300);
    for (int i = 0; i < 300; i++) {
        kith_component half = i < 150 ? FIRST_OWNER : SECOND_OWNER;
        kith_component need = i < 150 ? FIRST_NEED : SECOND_NEED;
        kith_component_add(f->world, e[i], half, NULL);
        kith_component_remove(f->world, e[i], need);
    }
    kith_reactive *set = kith_reactive_create(f->world, &desc);
    assert_true(kith_entity_set_many(f->world, kith_entities_of(e, 300), both, 2));
    assert_world_valid(f->world);
    f->memory.fail_all = true;
    assert_true(kith_entity_destroy_many(f->world, kith_entities_of(e, 300)));
    f->memory.fail_all = false;
    assert_int_equal(kith_reactive_count(set), 300);
}

static void a_set_stops_allocating(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, HEALTH, KITH_ON_ADD | KITH_ON_SET | KITH_ON_REMOVE);
    kith_entity    e[100];
    uint32_t       allocations = 0;
    for (int frame = 0; frame < 50; frame++) {
        allocations = frame == 3 ? f->memory.allocations : allocations;
        create(f->world, e, 100);
        for (int i = 0; i < 100; i++) {
            health_set(f->world, e[i], i);
            health_set(f->world, e[i], i + 1);
            kith_reactive_remove(set, e[i / 2]);
        }
        kith_entity_destroy_many(f->world, kith_entities_of(e, 100));
        if (frame % 3 == 0) {
            kith_reactive_clear(set);
        }
        assert_world_valid(f->world);
    }
    assert_int_equal(f->memory.allocations, allocations);
}

static void reserving_a_world_makes_room_in_sets(void **state)
{
    test_fixture           *f        = *state;
    kith_reactive          *set      = collect_on(f->world, HIDDEN, KITH_ON_ADD);
    kith_reactive          *other    = collect_on(f->world, POSITION, KITH_ON_ADD | KITH_ON_REMOVE);
    const kith_reserve_desc entities = { .entities = 2000 };
    assert_true(kith_world_reserve(f->world, &entities));
    f->memory.fail_all = true;

    for (int i = 0; i < 2000; i++) {
        kith_entity one = kith_entity_create(f->world);
        assert_true(hidden_add(f->world, one));
        assert_non_null(position_set(f->world, one, (vec2){ 0, 0 }));
    }

    f->memory.fail_all = false;
    assert_int_equal(kith_reactive_count(set), 2000);
    assert_int_equal(kith_reactive_count(other), 2000);
}

static void shrinking_frees_unused_memory(void **state)
{
    test_fixture  *f   = *state;
    kith_reactive *set = collect_on(f->world, POSITION, KITH_ON_ADD);
    kith_entity    e[500];
    create(f->world, e, 500);
    set_all(f->world, e, 500);
    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, f->memory.live_bytes);
    assert_true(kith_world_shrink(f->world));
    assert_int_equal(kith_reactive_count(set), 500);
    kith_world_clear(f->world);

    assert_true(kith_world_shrink(f->world));

    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, f->memory.live_bytes);
    assert_world_valid(f->world);
    size_t bytes = f->memory.live_bytes;
    kith_reactive_destroy(set);
    assert_true(bytes - f->memory.live_bytes < 500 * 16);
}

static void a_set_is_made_or_not_at_all(void **state)
{
    test_fixture        *f            = *state;
    const kith_condition conditions[] = { { POSITION, 15 }, { HIDDEN, KITH_ON_REMOVE } };
    kith_reactive_desc   desc = { .name = "both", .conditions = conditions, .condition_count = 2 };
    kith_reactive       *set  = NULL;
    uint32_t             n    = 0;
    position_set(f->world, kith_entity_create(f->world), (vec2){ 0, 0 });
    while (set == NULL) {
        size_t bytes = f->memory.live_bytes;
        test_fail_after(&f->memory, ++n);
        kith_world_error_clear(f->world);
        set = kith_reactive_create(f->world, &desc);
        assert_true(set != NULL || f->memory.live_bytes == bytes);
        assert_error(f->world, set != NULL ? KITH_OK : KITH_ERROR_MEMORY);
        assert_world_valid(f->world);
    }
    test_fail_after(&f->memory, 0);
    assert_int_equal(n, 7); // the set, its members, four listeners, and then none fails
}

static void ignore_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

// Numbers that the program never got, from the first on and beside one that it did get.
static void no_guess_disconnects_a_set(void **state)
{
    test_fixture  *f    = *state;
    kith_reactive *set  = collect_dead(f->world, POSITION, KITH_ON_ADD | KITH_ON_SET);
    kith_listener  mine = position_on_remove(f->world, ignore_notice, NULL);
    kith_reactive *last = collect_on(f->world, POSITION, KITH_ON_REMOVE);
    kith_entity    e[2];
    create(f->world, e, 2);
    position_set(f->world, e[0], (vec2){ 0, 0 });
    for (uint64_t guess = 1; guess <= 1000; guess++) {
        assert_false(kith_listener_disconnect(f->world, guess));
        assert_false(kith_listener_disconnect(f->world, mine - guess));
        assert_false(kith_listener_disconnect(f->world, mine + guess));
    }

    position_set(f->world, e[1], (vec2){ 0, 0 });
    kith_component_remove(f->world, e[1], POSITION);
    kith_world *clone = kith_world_clone(f->world, NULL);

    assert_has(set, e[0], e[1]);
    assert_has(last, e[1]);
    assert_non_null(clone);
    assert_world_valid(clone);
    assert_has(kith_reactive_at(clone, 0), e[0], e[1]);
    assert_true(kith_listener_disconnect(f->world, mine));
    kith_world_destroy(clone);
}

// --- at random -------------------------------------------------------------------------------

// The plainest set: listeners of the same events, and a list.
enum { SOULS = 40, LISTED = 20000 };

typedef struct plain_set {
    kith_reactive *set;
    kith_entity    list[LISTED];
    uint32_t       count;
    bool           keep_dead;
    bool           shown; // filtered: not hidden
} plain_set;

static void record_plainly(kith_world *world, const kith_notice *notice, void *context)
{
    plain_set *plain = context;
    bool       there = plain->shown && hidden_has(world, notice->entity);
    for (uint32_t i = 0; i < plain->count; i++) {
        there = there || plain->list[i] == notice->entity;
    }
    if (!there) {
        assert_true(plain->count < LISTED);
        plain->list[plain->count++] = notice->entity;
    }
}

static void take_plainly(plain_set *plain, uint32_t i)
{
    memmove(plain->list + i, plain->list + i + 1, (--plain->count - i) * sizeof *plain->list);
}

static void bury_plainly(kith_world *world, plain_set *plain)
{
    for (uint32_t i = 0; i < plain->count && !plain->keep_dead;) {
        if (kith_entity_alive(world, plain->list[i])) {
            i++;
        } else {
            take_plainly(plain, i);
        }
    }
}

static plain_set *make_plain(kith_world *world, const kith_condition *conditions, uint32_t count,
                             bool keep_dead, bool shown)
{
    const kith_term          term  = { HIDDEN, KITH_ROLE_WITHOUT, 0 };
    const kith_reactive_desc desc  = { .conditions      = conditions,
                                       .condition_count = count,
                                       .filter          = { NULL, &term, shown, 0 },
                                       .keep_dead       = keep_dead };
    plain_set               *plain = calloc(1, sizeof *plain);
    plain->set                     = kith_reactive_create(world, &desc);
    plain->keep_dead               = keep_dead;
    plain->shown                   = shown;
    assert_non_null(plain->set);
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned event = 0; event < 3; event++) {
            const kith_listener_desc listener = { .event     = (kith_event)event,
                                                  .component = conditions[i].component,
                                                  .call      = record_plainly,
                                                  .context   = plain };
            if ((conditions[i].on >> event & 1) != 0) {
                assert_int_not_equal(kith_listener_connect(world, &listener), 0);
            }
        }
    }
    return plain;
}

static void change_at_random(kith_world *world, kith_entity *souls, uint64_t *seed)
{
    kith_entity *one = &souls[test_random_below(seed, SOULS)];
    switch (test_random_below(seed, 10)) {
    case 0:
        kith_entity_destroy(world, *one);
        break;
    case 1:
    case 2:
        *one = kith_entity_alive(world, *one) ? *one : kith_entity_create(world);
        break;
    case 3:
    case 4:
        health_has(world, *one) ? health_set(world, *one, 2) : NULL;
        break;
    case 5:
        health_remove(world, *one);
        break;
    case 6:
        hidden_remove(world, *one);
        break;
    default:
        if (kith_entity_alive(world, *one)) {
            test_random_below(seed, 3) == 0 ? (void)hidden_add(world, *one)
                                            : (void)health_set(world, *one, 1);
        }
    }
}

static void any_sequence_collects_as_the_plain_list(void **state)
{
    test_fixture        *f            = *state;
    uint64_t             seed         = test_seed();
    const kith_condition conditions[] = { { HEALTH, KITH_ON_ADD | KITH_ON_SET | KITH_ON_REMOVE },
                                          { HIDDEN, KITH_ON_REMOVE } };
    plain_set           *sets[]       = { make_plain(f->world, conditions, 2, false, false),
                                          make_plain(f->world, conditions, 2, true, false),
                                          make_plain(f->world, conditions, 1, false, true) };
    kith_entity          souls[SOULS] = { 0 };
    uint64_t             places[3]    = { 0 };
    for (uint32_t step = 0; step < test_thinned(20000); step++) {
        uint32_t   n     = test_random_below(&seed, 3);
        plain_set *plain = sets[n];
        change_at_random(f->world, souls, &seed);
        for (int i = 0; i < 3; i++) {
            bury_plainly(f->world, sets[i]);
        }
        if (test_random_below(&seed, 100) == 0) {
            kith_reactive_clear(plain->set);
            plain->count = 0;
        }
        if (plain->count != 0 && test_random_below(&seed, 3) == 0) {
            uint32_t taken = test_random_below(&seed, plain->count);
            assert_true(kith_reactive_remove(plain->set, plain->list[taken]));
            take_plainly(plain, taken);
        }
        assert_members(plain->set, plain->list, plain->count);
        // a walk in small steps beside all that
        kith_entity seen = kith_reactive_next(plain->set, &places[n]);
        assert_true(seen == KITH_NULL || kith_reactive_contains(plain->set, seen));
        if (step % 16 == 0) {
            assert_world_valid(f->world);
        }
    }
    for (int i = 0; i < 3; i++) {
        free(sets[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(entities_that_get_the_component_come_once_in_order),
        TEST_WORLD(set_and_patch_are_reported_where_asked_for),
        TEST_WORLD(an_entity_that_loses_the_component_comes),
        TEST_WORLD(one_met_condition_is_enough),
        TEST_WORLD(batches_are_reported_too),
        TEST_WORLD(losing_the_component_is_no_reason_to_leave),
        TEST_WORLD(the_dead_leave_unless_they_are_kept),
        TEST_WORLD(a_dead_member_is_not_mistaken_for_the_entity_in_its_slot),
        TEST_WORLD(a_dying_entity_is_still_there),
        TEST_WORLD(a_removed_member_can_come_again),
        TEST_WORLD(the_filter_is_asked_when_the_event_comes),
        TEST_WORLD(a_filter_counts_changes_from_its_own_tick),
        TEST_WORLD(a_function_can_choose),
        TEST_WORLD(written_pages_are_found_by_update),
        TEST_WORLD(with_row_ticks_only_rows_that_changed_count),
        TEST_WORLD(columns_for_writing_count_and_holes_do_not),
        TEST_WORLD(a_walk_goes_on_under_any_change),
        TEST_WORLD(a_walk_goes_on_when_holes_are_closed),
        TEST_WORLD(a_destroyed_set_is_notified_of_nothing),
        TEST_WORLD(a_listener_can_destroy_a_set_before_the_set_is_notified),
        TEST_WORLD(sets_are_notified_by_their_priority),
        TEST_WORLD(an_invalid_set_is_explained),
        TEST_WORLD(invalid_lists_are_explained),
        TEST_WORLD(hooks_only_ask),
        TEST_WORLD(removing_asks_for_no_memory),
        TEST_WORLD(adding_fails_without_memory_for_the_set),
        TEST_WORLD(adding_a_required_component_makes_room_in_its_set),
        TEST_WORLD(a_set_stops_allocating),
        TEST_WORLD(reserving_a_world_makes_room_in_sets),
        TEST_WORLD(shrinking_frees_unused_memory),
        TEST_WORLD(a_set_is_made_or_not_at_all),
        TEST_WORLD(no_guess_disconnects_a_set),
        TEST_WORLD(any_sequence_collects_as_the_plain_list),
    };
    return cmocka_run_group_tests_name("reactive_set", tests, NULL, NULL);
}
