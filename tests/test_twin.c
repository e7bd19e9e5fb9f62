// SPDX-License-Identifier: MIT
// Two worlds to which the same is done at random, in one by typed functions with their inline code,
// in the other by the functions of kith.h, while loops and listeners come and go: they stay the
// same in all that can be seen, stamps included.
#include "component_test.h"

enum { ANCHOR = HIDDEN + 1, LAST = ANCHOR };

static const kith_traits anchor_traits = { .policy = KITH_POLICY_STABLE, .page_rows = 4 };
KITH_COMPONENT_WITH(anchor, vec2, ANCHOR, anchor_traits);

KITH_QUERY(movers, write(position), read(velocity), without(frozen));
KITH_QUERY(menders, optional(velocity), optional_write(health), write(position), with(hidden));
KITH_QUERY(seekers, read(position), any(velocity, health, frozen, hidden));
KITH_QUERY(moored, write(anchor), optional(position), disabled(anchor));
KITH_QUERY(loners, without(position), without(velocity));
KITH_QUERY(marked, with(frozen), optional(hidden), lead(frozen));
KITH_QUERY(gliders, write(position), read(velocity));
KITH_QUERY(berths, write(anchor), read(position));

#define LOOPS_MOST 6u
#define RECENT     24u
#define STEPS      40000u

// A loop of either form; what it visits is in `cursor`.
typedef struct walker {
    enum { WALK_UNTYPED, WALK_MOVERS, WALK_MENDERS } form;
    kith_cursor cursor;
    movers      movers;
    menders     menders;
} walker;

typedef struct twin {
    test_memory memory;
    kith_world *world;
    walker      walkers[LOOPS_MOST]; // of loops that are open, oldest first
    uint32_t    reported;
} twin;

typedef struct twins {
    twin        typed;
    twin        untyped;
    kith_entity recent[RECENT];
    uint32_t    loops;
    uint64_t    seed;
} twins;

// --- the same, typed and not -----------------------------------------------------------------

static void put_typed(kith_world *world, kith_entity entity, uint32_t component, vec2 value)
{
    switch (component) {
    case POSITION:
        position_set(world, entity, value);
        break;
    case VELOCITY:
        velocity_set(world, entity, value);
        break;
    case HEALTH:
        health_set(world, entity, (int)value.x);
        break;
    case FROZEN:
        frozen_add(world, entity);
        break;
    case HIDDEN:
        hidden_add(world, entity);
        break;
    default:
        anchor_set(world, entity, value);
        break;
    }
}

static void put_untyped(kith_world *world, kith_entity entity, uint32_t component, vec2 value)
{
    int number = (int)value.x;
    if (component == FROZEN || component == HIDDEN) {
        kith_component_add(world, entity, component, NULL);
    } else {
        kith_component_set(world, entity, component,
                           component == HEALTH ? (const void *)&number : (const void *)&value);
    }
}

static void take_typed(kith_world *world, kith_entity entity, uint32_t component)
{
    if (component == HIDDEN) {
        hidden_remove(world, entity);
    } else {
        kith_component_remove(world, entity, component);
    }
}

static void hide(kith_world *world, kith_entity entity, uint32_t component, bool hidden)
{
    if (component != HIDDEN && kith_entity_alive(world, entity)) {
        if (hidden) {
            kith_component_enable(world, entity, component, false);
        } else {
            kith_component_enable(world, entity, component, true);
        }
    }
}

static void read_typed(kith_world *world, kith_entity entity)
{
    position_mut(world, entity);
    anchor_mut(world, entity);
    health_get(world, entity);
}

static void read_untyped(kith_world *world, kith_entity entity)
{
    kith_component_mut(world, entity, POSITION);
    kith_component_mut(world, entity, ANCHOR);
    kith_component_get(world, entity, HEALTH);
}

// Returns the value of a term that a loop would hand out.
static const void *shown(const kith_world *world, kith_entity entity, kith_component component)
{
    return kith_component_enabled(world, entity, component)
               ? kith_component_get(world, entity, component)
               : NULL;
}

// A query of one entity: inline, without and with traits, and by calls.
static void get_typed(kith_world *world, kith_entity entity)
{
    gliders g = gliders_get(world, entity);
    berths  b = berths_get(world, entity);
    menders m = menders_get(world, entity);
    moored  o = moored_get(world, entity);
    seekers s = seekers_get(world, entity);
    assert_int_equal(g.entity, gliders_contains(world, entity) ? entity : KITH_NULL);
    assert_int_equal(b.entity, berths_contains(world, entity) ? entity : KITH_NULL);
    assert_int_equal(m.entity, menders_contains(world, entity) ? entity : KITH_NULL);
    assert_int_equal(o.entity, moored_contains(world, entity) ? entity : KITH_NULL);
    assert_int_equal(s.entity, seekers_contains(world, entity) ? entity : KITH_NULL);
    assert_true(g.count == (g.entity != KITH_NULL) && m.count == (m.entity != KITH_NULL));
    assert_ptr_equal(g.position, g.count == 0 ? NULL : position_get(world, entity));
    assert_ptr_equal(g.velocity, g.count == 0 ? NULL : velocity_get(world, entity));
    assert_ptr_equal(b.anchor, b.count == 0 ? NULL : anchor_get(world, entity));
    assert_ptr_equal(b.position, b.count == 0 ? NULL : position_get(world, entity));
    assert_ptr_equal(m.position, m.count == 0 ? NULL : position_get(world, entity));
    assert_ptr_equal(m.health, m.count == 0 ? NULL : shown(world, entity, HEALTH));
    assert_ptr_equal(m.velocity, m.count == 0 ? NULL : shown(world, entity, VELOCITY));
    assert_ptr_equal(o.anchor, o.count == 0 ? NULL : anchor_get(world, entity));
    assert_ptr_equal(o.position, o.count == 0 ? NULL : shown(world, entity, POSITION));
    assert_int_equal(s.hidden != NULL, s.count != 0 && hidden_has(world, entity));
    assert_int_equal(s.frozen != NULL, s.count != 0 && frozen_enabled(world, entity));
}

// Stamps what the columns for writing of these queries stamp.
static void get_untyped(kith_world *world, kith_entity entity)
{
    bool mends = kith_view_contains(world, menders_desc(), entity);
    if (mends || kith_view_contains(world, gliders_desc(), entity)) {
        kith_component_mut(world, entity, POSITION);
    }
    if (mends && kith_component_enabled(world, entity, HEALTH)) {
        kith_component_mut(world, entity, HEALTH);
    }
    if (kith_view_contains(world, moored_desc(), entity)) {
        kith_component_mut(world, entity, ANCHOR);
    }
}

// --- steps -----------------------------------------------------------------------------------

static void change(twins *t, kith_entity *slot)
{
    uint32_t component = POSITION + test_random_below(&t->seed, LAST);
    vec2     value     = { (float)test_random_below(&t->seed, 1000), 0 };
    bool     hidden    = test_random_below(&t->seed, 2) == 0;
    switch (test_random_below(&t->seed, 14)) {
    case 0:
        *slot = kith_entity_create(t->typed.world);
        assert_int_equal(kith_entity_create(t->untyped.world), *slot);
        break;
    case 1:
        assert_int_equal(kith_entity_destroy(t->typed.world, *slot),
                         kith_entity_destroy(t->untyped.world, *slot));
        break;
    case 2:
        hide(t->typed.world, *slot, component, hidden);
        hide(t->untyped.world, *slot, component, hidden);
        break;
    case 3:
        read_typed(t->typed.world, *slot);
        read_untyped(t->untyped.world, *slot);
        break;
    case 4:
    case 5:
    case 6:
        take_typed(t->typed.world, *slot, component);
        kith_component_remove(t->untyped.world, *slot, component);
        break;
    case 7:
    case 8:
        get_typed(t->typed.world, *slot);
        get_untyped(t->untyped.world, *slot);
        break;
    default:
        put_typed(t->typed.world, *slot, component, value);
        put_untyped(t->untyped.world, *slot, component, value);
        break;
    }
}

static const kith_query_desc *any_query(uint64_t *seed)
{
    const kith_query_desc *const all[] = { movers_desc(), menders_desc(), seekers_desc(),
                                           moored_desc(), loners_desc(),  marked_desc() };
    return all[test_random_below(seed, COUNT_OF(all))];
}

static walker begin_typed(kith_world *world, const kith_query_desc *desc)
{
    if (desc == movers_desc()) {
        return (walker){ .form = WALK_MOVERS, .movers = movers_begin(world) };
    }
    if (desc == menders_desc()) {
        return (walker){ .form = WALK_MENDERS, .menders = menders_begin(world) };
    }
    return (walker){ .cursor = kith_view_begin(world, desc) };
}

static void begin_loop(twins *t)
{
    const kith_query_desc *desc  = any_query(&t->seed);
    t->typed.walkers[t->loops]   = begin_typed(t->typed.world, desc);
    t->untyped.walkers[t->loops] = (walker){ .cursor = kith_view_begin(t->untyped.world, desc) };
    t->loops++;
}

static bool next_movers(const kith_world *world, walker *w, bool chunks)
{
    bool more        = chunks ? movers_next_chunk(&w->movers) : movers_next(&w->movers);
    w->cursor.entity = w->movers.entity;
    w->cursor.count  = w->movers.count;
    assert_true(!more || w->movers.position == position_get(world, w->movers.entity));
    assert_true(!more || w->movers.velocity == velocity_get(world, w->movers.entity));
    return more;
}

static bool next_menders(const kith_world *world, walker *w, bool chunks)
{
    bool more        = chunks ? menders_next_chunk(&w->menders) : menders_next(&w->menders);
    w->cursor.entity = w->menders.entity;
    w->cursor.count  = w->menders.count;
    assert_true(!more || w->menders.position == position_get(world, w->menders.entity));
    assert_true(!more || w->menders.health == NULL ||
                w->menders.health == health_get(world, w->menders.entity));
    return more;
}

static bool next(const kith_world *world, walker *w, bool chunks)
{
    switch (w->form) {
    case WALK_MOVERS:
        return next_movers(world, w, chunks);
    case WALK_MENDERS:
        return next_menders(world, w, chunks);
    default:
        return chunks ? kith_cursor_next_chunk(&w->cursor) : kith_cursor_next(&w->cursor);
    }
}

static void step_loop(twins *t, uint32_t i)
{
    walker *a      = &t->typed.walkers[i];
    walker *b      = &t->untyped.walkers[i];
    bool    chunks = test_random_below(&t->seed, 4) == 0;
    bool    more   = next(t->typed.world, a, chunks);
    assert_int_equal(next(t->untyped.world, b, chunks), more);
    assert_int_equal(a->cursor.entity, b->cursor.entity);
    assert_int_equal(a->cursor.count, b->cursor.count);
    t->loops = more ? t->loops : i; // those begun after it are closed as well
}

static void loop(twins *t)
{
    if (t->loops < LOOPS_MOST && test_random_below(&t->seed, 3) == 0) {
        begin_loop(t);
    } else if (t->loops > 0) {
        step_loop(t, test_random_below(&t->seed, t->loops));
    }
}

// Also proves, now and then, that the world is valid while an event is announced.
static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t *reported = context;
    *reported = *reported * 31 + (uint32_t)notice->event + kith_entity_index(notice->entity);
    if (*reported % 16 == 0) {
        assert_world_valid(world);
    }
}

static void listen(twins *t)
{
    kith_listener_desc desc   = { .event     = (kith_event)(test_random_below(&t->seed, 2) * 2),
                                  .component = POSITION + test_random_below(&t->seed, LAST),
                                  .call      = record_notice };
    twin              *both[] = { &t->typed, &t->untyped };
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        desc.context      = &both[i]->reported;
        kith_listener now = kith_listener_connect(both[i]->world, &desc);
        assert_int_not_equal(now, 0);
        kith_listener_disconnect(both[i]->world, now > 2 ? now - 2 : 0);
    }
}

static void tick(twins *t)
{
    kith_world_settle(t->typed.world);
    kith_world_settle(t->untyped.world);
    t->loops = 0;
    assert_int_equal(kith_world_advance(t->typed.world), kith_world_advance(t->untyped.world));
}

// Many at once; the pools start anew.
static void sweep(twins *t)
{
    uint32_t component = POSITION + test_random_below(&t->seed, LAST);
    bool     all       = test_random_below(&t->seed, 4) == 0;
    twin    *both[]    = { &t->typed, &t->untyped };
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        if (all) {
            kith_world_clear(both[i]->world);
        } else {
            kith_component_clear(both[i]->world, component);
        }
    }
}

static void take_step(twins *t)
{
    uint32_t chance = test_random_below(&t->seed, 1000);
    if (chance < 600) {
        change(t, &t->recent[test_random_below(&t->seed, RECENT)]);
    } else if (chance < 980) {
        loop(t);
    } else if (chance < 990) {
        listen(t);
    } else if (chance < 997) {
        tick(t);
    } else {
        sweep(t);
    }
}

// --- the comparison --------------------------------------------------------------------------

static void assert_twins(twins *t)
{
    assert_world_valid(t->typed.world);
    assert_world_valid(t->untyped.world);
    assert_same_worlds(t->typed.world, t->untyped.world);
    assert_int_equal(t->typed.reported, t->untyped.reported);
    for (kith_component x = POSITION; x <= LAST; x++) {
        for (uint32_t row = 0; x != HIDDEN && row < kith_component_stats(t->typed.world, x).rows;
             row++) {
            assert_int_equal(kith_component_stamp(t->typed.world, x, row),
                             kith_component_stamp(t->untyped.world, x, row));
        }
    }
}

static void open_twin(twin *one)
{
    one->world = test_world(&one->memory);
    assert_true(game_register(one->world) && anchor_register(one->world));
}

static void typed_calls_do_in_loops_what_untyped_ones_do(void **state)
{
    twins *t = calloc(1, sizeof *t);
    (void)state;
    t->seed = test_seed();
    open_twin(&t->typed);
    open_twin(&t->untyped);

    for (uint32_t step = 0; step < STEPS; step++) {
        take_step(t);
        if (step % 50 == 0) {
            assert_twins(t);
        }
    }

    tick(t);
    assert_twins(t);
    test_world_end(t->typed.world, &t->typed.memory);
    test_world_end(t->untyped.world, &t->untyped.memory);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_calls_do_in_loops_what_untyped_ones_do),
    };
    return cmocka_run_group_tests_name("twin", tests, NULL, NULL);
}
