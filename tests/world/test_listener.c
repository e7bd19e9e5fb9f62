// SPDX-License-Identifier: MIT
// Listeners: which are called, in which order, and what is announced.
#include "listener_test.h"

// --- order -----------------------------------------------------------------------------------

static void listeners_are_called_by_priority_then_by_connection(void **state)
{
    small_world *w = *state;
    actor        actors[5];
    connect_named(&actors[0], w, "late", -1);
    connect_named(&actors[1], w, "first of equals", 0);
    connect_named(&actors[2], w, "highest", INT32_MAX);
    connect_named(&actors[3], w, "second of equals", 0);
    connect_named(&actors[4], w, "lowest", INT32_MIN);

    populate(w, "a");

    assert_reported(w, "highest, first of equals, second of equals, late, lowest");
}

static void one_function_connected_twice_is_called_twice(void **state)
{
    small_world *w = *state;
    actor        one;
    connect_named(&one, w, "one", 0);
    kith_listener again = connect_actor(&one, KITH_EVENT_ADD, A, 0);

    populate(w, "a");
    assert_reported(w, "one, one");

    assert_true(kith_listener_disconnect(w->world, again));
    populate(w, "a");
    assert_reported(w, "one");
}

static void a_connection_ends_once(void **state)
{
    small_world  *w = *state;
    actor         one;
    kith_listener listener = connect_named(&one, w, "one", 0);

    assert_true(kith_listener_disconnect(w->world, listener));

    assert_quiet_no(&w->memory, w->world, kith_listener_disconnect(w->world, listener));
    assert_quiet_no(&w->memory, w->world, kith_listener_disconnect(w->world, 0));
    assert_quiet_no(&w->memory, w->world, kith_listener_disconnect(w->world, listener + 1000));
    assert_int_not_equal(connect_named(&one, w, "one", 0), listener);
    assert_false(kith_listener_disconnect(w->world, listener));
    populate(w, "a");
    assert_reported(w, "one");
}

// Guesses included: a number is good in the world that made it, and there alone.
static void a_listener_of_another_world_is_refused(void **state)
{
    small_world             *w     = *state;
    small_world              other = { .world = NULL };
    const kith_listener_desc ends  = { KITH_EVENT_DESTROY, 0, record_notice, NULL, 0, NULL };
    actor                    one;
    other.world         = test_world(&other.memory);
    kith_listener here  = connect_named(&one, w, "one", 0);
    kith_listener there = kith_listener_connect(other.world, &ends);

    assert_true(here != there);
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   kith_listener_disconnect(w->world, there));
    assert_error_text(w->world, "kith_listener_disconnect: the listener belongs to another world: "
                                "disconnect it there");
    assert_refused(&other.memory, other.world, KITH_ERROR_ARGUMENT,
                   kith_listener_disconnect(other.world, here));

    populate(w, "a");
    assert_reported(w, "one");
    assert_true(kith_listener_disconnect(w->world, here));
    assert_true(kith_listener_disconnect(other.world, there));
    test_world_end(other.world, &other.memory);
}

static void *lend_block(void *context, size_t size, size_t alignment)
{
    (void)alignment;
    assert_true(size <= 1u << 20);
    return context;
}

static void take_block_back(void *context, void *memory, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    assert_ptr_equal(context, memory);
}

// Worlds that are one after the other at the same address.
static void a_listener_of_an_earlier_world_is_not_found(void **state)
{
    static _Alignas(KITH_ALIGNMENT_MAX) uint8_t block[1u << 20];
    const kith_listener_desc ends = { KITH_EVENT_DESTROY, 0, record_notice, NULL, 0, NULL };
    const kith_world_desc    desc = { .allocator = { lend_block, take_block_back, block },
                                      .memory    = 900000 };
    (void)state;
    kith_world   *world   = kith_world_create(&desc);
    kith_listener earlier = kith_listener_connect(world, &ends);
    kith_world_destroy(world);
    assert_ptr_equal(kith_world_create(&desc), world);
    kith_listener later = kith_listener_connect(world, &ends);

    assert_false(kith_listener_disconnect(world, earlier));

    assert_true(kith_listener_disconnect(world, later));
    assert_world_valid(world);
    kith_world_destroy(world);
}

// With the lowest priority: if it were called for the present event, this would show.
static void act_connect(actor *self, const kith_notice *notice)
{
    const kith_listener_desc desc = { notice->event, notice->component, write_down, self->w, -5,
                                      NULL };
    self->listener                = kith_listener_connect(self->w->world, &desc);
}

static void a_new_listener_is_first_called_for_the_next_event(void **state)
{
    small_world *w    = *state;
    actor        host = acting(w, act_connect);
    host.name         = "host";
    connect_actor(&host, KITH_EVENT_ADD, A, 0);

    populate(w, "a");
    assert_reported(w, "host");

    populate(w, "a");
    assert_reported(w, "host, add a 1");
}

static void act_connect_and_cause(actor *self, const kith_notice *notice)
{
    act_connect(self, notice);
    add_letters(self->w, self->other, "a");
}

static void a_new_listener_is_called_for_what_its_connector_causes(void **state)
{
    small_world *w    = *state;
    actor        host = acting(w, act_connect_and_cause);
    host.name         = "host";
    populate(w, "- -");
    host.other = w->e[1];
    connect_actor(&host, KITH_EVENT_ADD, A, 0);

    add_letters(w, w->e[0], "a");

    assert_reported(w, "host, host, add a 1");
}

static void act_disconnect(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->answer = kith_listener_disconnect(self->w->world, self->listener);
}

static void a_disconnected_listener_is_not_called_for_the_present_event(void **state)
{
    small_world *w    = *state;
    actor        host = acting(w, act_disconnect);
    actor        others[3];
    host.name = "host";
    connect_actor(&host, KITH_EVENT_ADD, A, 0);
    connect_named(&others[0], w, "zero", 0);
    host.listener = connect_named(&others[1], w, "one", 0);
    connect_named(&others[2], w, "two", 0);

    populate(w, "a a");

    assert_true(host.answer);
    assert_reported(w, "host, zero, two, host, zero, two");
}

static void a_listener_may_disconnect_itself_and_earlier_ones(void **state)
{
    small_world *w    = *state;
    actor        self = acting(w, act_disconnect);
    actor        late = acting(w, act_disconnect);
    actor        last;
    self.name     = "self";
    late.name     = "late";
    self.listener = connect_actor(&self, KITH_EVENT_ADD, A, 0);
    late.listener = self.listener;
    connect_actor(&late, KITH_EVENT_ADD, A, 0);
    connect_named(&last, w, "last", 0);

    populate(w, "a a");

    assert_true(self.answer);
    assert_false(late.answer);
    assert_reported(w, "self, late, last, late, last");
}

// The table of listeners grows and shrinks while it is read.
static void act_churn(actor *self, const kith_notice *notice)
{
    kith_listener made[40];
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        act_connect(self, notice);
        made[i] = self->listener;
    }
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        assert_true(kith_listener_disconnect(self->w->world, made[i]));
    }
}

static void many_connections_during_an_event_disturb_no_listener(void **state)
{
    small_world *w     = *state;
    actor        churn = acting(w, act_churn);
    actor        last;
    churn.name  = "churn";
    churn.times = 3;
    connect_actor(&churn, KITH_EVENT_ADD, A, 0);
    connect_named(&last, w, "last", 0);
    populate(w, "a -");
    size_t bytes = w->memory.live_bytes;

    add_letters(w, w->e[1], "a");

    assert_reported(w, "churn, last, churn, last");
    assert_int_equal(w->memory.live_bytes, bytes); // those that came and went leave nothing
}

// --- what is announced -----------------------------------------------------------------------

static void a_set_announces_add_or_set(void **state)
{
    small_world *w = *state;
    populate(w, "-");
    listen_to_all(w);

    set_tracked(w->world, w->e[0], A, 1);
    assert_reported(w, "add a 0");
    set_tracked(w->world, w->e[0], A, 2);
    assert_reported(w, "set a 0");
    kith_component_set(w->world, w->e[0], A, NULL);
    assert_reported(w, "set a 0");
}

static void untouched_components_are_not_announced(void **state)
{
    small_world *w = *state;
    populate(w, "abtf");
    listen_to_all(w);

    kith_component_add(w->world, w->e[0], A, NULL);
    kith_component_add(w->world, w->e[0], A, &(tracked){ .number = 3 });
    kith_component_add(w->world, w->e[0], T, NULL);
    kith_component_add(w->world, w->e[0], F, NULL);
    kith_component_remove(w->world, w->e[0], C);

    assert_reported(w, "");
}

static void adding_and_removing_are_announced_for_every_kind(void **state)
{
    small_world *w = *state;
    populate(w, "-");
    listen_to_all(w);

    add_letters(w, w->e[0], "atf");
    kith_component_add(w->world, w->e[0], B, NULL);
    kith_component_add(w->world, w->e[0], C, NULL);
    assert_reported(w, "add a 0, add t 0, add f 0, add b 0, add c 0");

    take(w, 0, T);
    take(w, 0, F);
    take(w, 0, A);
    assert_reported(w, "remove t 0, remove f 0, remove a 0");
}

static void patch_announces_set_after_the_change(void **state)
{
    small_world *w = *state;
    populate(w, "a");
    listen_to_all(w);

    kith_component_patch(w->world, w->e[0], A, change_nothing, NULL);

    assert_reported(w, "set a 0");
}

static void pointers_for_writing_announce_nothing(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    listen_to_all(w);

    ((tracked *)kith_component_mut(w->world, w->e[0], A))->number = 9;
    kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A)));
    while (kith_cursor_next(&c)) {
        ((tracked *)c.columns[0])->number = 9;
    }
    kith_component_enable(w->world, w->e[0], A, false);
    kith_component_enable(w->world, w->e[0], A, true);
    kith_component_swap(w->world, A, w->e[0], w->e[1]);

    assert_reported(w, "");
}

static void creating_is_announced_in_the_order_of_the_handles(void **state)
{
    small_world *w        = *state;
    kith_entity  hints[3] = { KITH_NULL, handle(4, 1), KITH_NULL };
    listen_to_all(w);

    kith_entity_create(w->world);
    kith_entity_create_hint(w->world, handle(2, 5));
    assert_reported(w, "create 0, create 2");

    kith_entity_create_hints(w->world, hints, 3, hints);
    assert_int_equal(kith_entity_index(hints[0]), 3);
    assert_int_equal(kith_entity_index(hints[2]), 1);
    assert_reported(w, "create 3, create 4, create 1");
}

static void destroying_announces_components_by_registration_then_the_entity(void **state)
{
    small_world *w = *state;
    populate(w, "- abct");
    add_letters(w, w->e[0], "f");
    add_letters(w, w->e[0], "tca");
    listen_to_all(w);

    kith_entity_destroy(w->world, w->e[0]);

    assert_reported(w, "remove a 0, remove c 0, remove t 0, remove f 0, destroy 0");
    assert_false(kith_entity_destroy(w->world, w->e[0]));
    assert_reported(w, "");
}

static void a_call_that_fails_announces_nothing(void **state)
{
    small_world *w = *state;
    populate(w, "a -");
    listen_to_all(w);

    w->journal.fail_copy = 1;
    assert_null(set_tracked(w->world, w->e[0], A, 1));
    w->journal.fail_construct = 1;
    assert_null(kith_component_add(w->world, w->e[1], A, NULL));
    kith_component_limit_set(w->world, A, 1);
    assert_null(kith_component_add(w->world, w->e[1], A, NULL));
    w->memory.fail_all = true;
    assert_null(kith_component_add(w->world, w->e[1], C, NULL));
    assert_null(kith_singleton_add(w->world, S));
    w->memory.fail_all = false;
    assert_null(kith_component_add(w->world, handle(9, 9), A, NULL));

    assert_reported(w, "");
}

static void settling_and_the_end_of_the_world_announce_nothing(void **state)
{
    small_world *w = *state;
    populate(w, "a a a");
    kith_world_hold(w->world);
    take(w, 0, A);
    listen_to_all(w);

    kith_world_release(w->world);
    assert_reported(w, "");

    kith_world_destroy(w->world);
    assert_reported(w, "");
    open_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
}

// --- the state that is seen ------------------------------------------------------------------

static void act_see_added(actor *self, const kith_notice *notice)
{
    kith_world    *world     = self->w->world;
    kith_signature signature = kith_entity_signature(world, notice->entity);
    const tracked *value     = kith_component_get(world, notice->entity, A);
    self->answer = value != NULL && value->number == 7 && kith_component_count(world, A) == 1 &&
                   kith_signature_has(world, &signature, A) &&
                   kith_view_contains(world, QUERY(READ(A)), notice->entity);
}

static void assert_seen_in_place(small_world *w, kith_event event, const char *letters)
{
    actor see = acting(w, act_see_added);
    populate(w, letters);
    connect_actor(&see, event, A, 0);

    set_tracked(w->world, w->e[0], A, 7);

    assert_int_equal(see.called, 1);
    assert_true(see.answer);
}

static void everything_is_in_place_before_add_is_reported(void **state)
{
    assert_seen_in_place(*state, KITH_EVENT_ADD, "-");
}

static void everything_is_in_place_before_set_is_reported(void **state)
{
    assert_seen_in_place(*state, KITH_EVENT_SET, "a");
}

static void act_see_leaving(actor *self, const kith_notice *notice)
{
    kith_world    *world = self->w->world;
    const tracked *value = kith_component_get(world, notice->entity, A);
    self->answer         = kith_entity_alive(world, notice->entity) && value != NULL &&
                   value->number == kith_entity_index(notice->entity) &&
                   kith_component_has(world, notice->entity, A) &&
                   kith_component_row(world, notice->entity, A) == 0 &&
                   kith_component_entity(world, A, 0) == notice->entity &&
                   self->w->journal.text.bytes == NULL;
}

static void the_value_is_still_there_when_remove_is_reported(void **state)
{
    small_world *w   = *state;
    actor        see = acting(w, act_see_leaving);
    populate(w, "a");
    connect_actor(&see, KITH_EVENT_REMOVE, A, 0);

    assert_true(take(w, 0, A));

    assert_true(see.answer);
    assert_false(kith_component_has(w->world, w->e[0], A));
}

static void everything_is_still_there_when_destroy_is_reported(void **state)
{
    small_world *w      = *state;
    actor        seen[] = { acting(w, act_see_leaving), acting(w, act_see_leaving),
                            acting(w, act_see_leaving) };
    populate(w, "abf");
    connect_actor(&seen[0], KITH_EVENT_REMOVE, B, 0);
    connect_actor(&seen[1], KITH_EVENT_REMOVE, F, 0);
    connect_actor(&seen[2], KITH_EVENT_DESTROY, 0, 0);

    kith_entity_destroy(w->world, w->e[0]);

    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        assert_int_equal(seen[i].called, 1);
        assert_true(seen[i].answer);
    }
    assert_false(kith_entity_alive(w->world, w->e[0]));
}

static void act_see_created(actor *self, const kith_notice *notice)
{
    self->answer = kith_entity_alive(self->w->world, notice->entity) &&
                   kith_entity_components(self->w->world, notice->entity, NULL, 0) == 0;
}

static void a_created_entity_is_alive_and_empty(void **state)
{
    small_world *w   = *state;
    actor        see = acting(w, act_see_created);
    connect_actor(&see, KITH_EVENT_CREATE, 0, 0);

    kith_entity_create(w->world);

    assert_true(see.answer);
}

// --- singletons ------------------------------------------------------------------------------

static void act_see_single(actor *self, const kith_notice *notice)
{
    self->answer = notice->entity == KITH_NULL && notice->component == S &&
                   kith_singleton_get(self->w->world, S) != NULL;
}

static void singletons_announce_add_set_and_remove_without_an_entity(void **state)
{
    small_world *w   = *state;
    actor        see = acting(w, act_see_single);
    int          day = 3;
    see.times        = 3;
    connect_actor(&see, KITH_EVENT_ADD, S, 0);
    connect_actor(&see, KITH_EVENT_SET, S, 0);
    connect_actor(&see, KITH_EVENT_REMOVE, S, 0);

    kith_singleton_set(w->world, S, &day);
    assert_reported(w, "add s");
    assert_true(see.answer);
    kith_singleton_set(w->world, S, &day);
    kith_singleton_add(w->world, S);
    assert_reported(w, "set s");
    assert_true(see.answer);
    kith_singleton_remove(w->world, S);
    kith_singleton_remove(w->world, S);
    assert_reported(w, "remove s");
    assert_true(see.answer);
    assert_null(kith_singleton_get(w->world, S));
}

static void act_remove_single(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->answer = kith_singleton_remove(self->w->world, S);
}

static void a_singleton_that_a_listener_takes_away_is_null(void **state)
{
    small_world *w     = *state;
    actor        thief = acting(w, act_remove_single);
    connect_actor(&thief, KITH_EVENT_ADD, S, 0);

    assert_null(kith_singleton_add(w->world, S));

    assert_true(thief.answer);
    assert_error(w->world, KITH_OK);
    assert_int_equal(w->memory.errors, 0);
}

static void act_change_leaving_single(actor *self, const kith_notice *notice)
{
    int day = 9;
    (void)notice;
    self->answer = kith_singleton_set(self->w->world, S, &day) == NULL &&
                   kith_world_error(self->w->world).code == KITH_ERROR_DYING &&
                   !kith_singleton_remove(self->w->world, S) &&
                   kith_singleton_add(self->w->world, S) == NULL &&
                   kith_singleton_get(self->w->world, S) != NULL;
}

static void a_leaving_singleton_can_be_read_and_not_changed(void **state)
{
    small_world *w     = *state;
    actor        trier = acting(w, act_change_leaving_single);
    kith_singleton_add(w->world, S);
    connect_actor(&trier, KITH_EVENT_REMOVE, S, 0);

    assert_true(kith_singleton_remove(w->world, S));

    assert_true(trier.answer);
    assert_int_equal(w->memory.errors, 0);
    assert_reported(w, "remove s");
}

// --- required components ---------------------------------------------------------------------

enum { KEEL = 31, MAST, SAIL };

static void register_needing(kith_world *world, kith_component id, const char *name,
                             const kith_component *needed)
{
    kith_component_desc desc   = bytes_desc(id, 4, 4);
    desc.name                  = name;
    desc.traits.required       = needed;
    desc.traits.required_count = needed != NULL;
    register_one(world, desc);
}

static void register_ship(small_world *w)
{
    const kith_component keel = KEEL;
    const kith_component mast = MAST;
    register_needing(w->world, KEEL, "keel", NULL);
    register_needing(w->world, MAST, "mast", &keel);
    register_needing(w->world, SAIL, "sail", &mast);
    populate(w, "-");
}

static void listen_to_ship(small_world *w)
{
    for (kith_component x = KEEL; x <= SAIL; x++) {
        listen(w, KITH_EVENT_ADD, x, write_down, w);
        listen(w, KITH_EVENT_REMOVE, x, write_down, w);
    }
    listen(w, KITH_EVENT_DESTROY, 0, write_down, w);
}

static void required_components_are_announced_first(void **state)
{
    small_world *w = *state;
    register_ship(w);
    listen_to_ship(w);

    assert_non_null(kith_component_add(w->world, w->e[0], SAIL, NULL));
    assert_reported(w, "add keel 0, add mast 0, add sail 0");

    kith_component_remove(w->world, w->e[0], SAIL);
    kith_component_remove(w->world, w->e[0], KEEL);
    assert_reported(w, "remove sail 0, remove keel 0");
    kith_component_add(w->world, w->e[0], SAIL, NULL); // mast is there
    assert_reported(w, "add keel 0, add sail 0");
}

static void an_entity_destroyed_by_a_requirements_listener_gets_nothing_more(void **state)
{
    small_world *w      = *state;
    actor        killer = acting(w, act_destroy);
    register_ship(w);
    killer.name = "kill";
    connect_actor(&killer, KITH_EVENT_ADD, MAST, 1);
    listen_to_ship(w);

    assert_null(kith_component_add(w->world, w->e[0], SAIL, NULL));

    assert_error(w->world, KITH_OK);
    assert_false(kith_entity_alive(w->world, w->e[0]));
    for (kith_component x = KEEL; x <= SAIL; x++) {
        assert_int_equal(kith_component_count(w->world, x), 0);
    }
    const char *reported = w->reported.bytes;
    assert_memory_equal(reported, "add keel 0, kill, ", 18);
    assert_null(strstr(reported, "add sail"));
    assert_null(strstr(reported, "add mast"));
    text_free(&w->reported);
}

static void a_requirement_that_is_renewed_is_announced_before_the_others_all_the_same(void **state)
{
    small_world *w       = *state;
    actor        renewer = acting(w, act_renew);
    register_ship(w);
    connect_actor(&renewer, KITH_EVENT_ADD, KEEL, 1);
    listen_to_ship(w);

    assert_non_null(kith_component_add(w->world, w->e[0], SAIL, NULL));

    assert_true(renewer.answer);
    assert_reported(w, "add keel 0, remove keel 0, add keel 0, add keel 0, add mast 0, add sail 0");
}

static void strike_sail(kith_world *world, const kith_notice *notice, void *context)
{
    bool *again = context;
    assert_true(kith_component_remove(world, notice->entity, SAIL));
    if (*again) {
        assert_non_null(kith_component_add(world, notice->entity, SAIL, NULL));
    }
}

// The sail is not announced yet when the listener of the keel removes it.
static void assert_reported_when_struck(small_world *w, bool again, const char *reported)
{
    register_ship(w);
    kith_listener_connect(w->world, &(kith_listener_desc){ .event     = KITH_EVENT_ADD,
                                                           .component = KEEL,
                                                           .call      = strike_sail,
                                                           .context   = &again,
                                                           .priority  = 1 });
    listen_to_ship(w);
    kith_component_add(w->world, w->e[0], SAIL, NULL);
    assert_reported(w, reported);
}

static void a_component_removed_before_its_announcement_is_not_reported(void **state)
{
    assert_reported_when_struck(*state, false, "add keel 0, add mast 0");
}

static void what_comes_back_before_it_was_announced_is_reported_once(void **state)
{
    assert_reported_when_struck(*state, true, "add sail 0, add keel 0, add mast 0");
}

// --- typed functions announce too ------------------------------------------------------------

static void count_call(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (*(uint32_t *)context)++;
}

static void typed_functions_announce(void **state)
{
    test_fixture *f     = *state;
    uint32_t      added = 0, set = 0, removed = 0;
    kith_entity   ship = kith_entity_create(f->world);
    kith_entity   buoy = kith_entity_create(f->world);
    position_set(f->world, buoy, (vec2){ 1, 1 });
    frozen_add(f->world, buoy);
    position_on_add(f->world, count_call, &added);
    position_on_set(f->world, count_call, &set);
    position_on_remove(f->world, count_call, &removed);
    frozen_on_add(f->world, count_call, &added);
    frozen_on_remove(f->world, count_call, &removed);
    hidden_on_add(f->world, count_call, &added);
    hidden_on_remove(f->world, count_call, &removed);

    position_set(f->world, ship, (vec2){ 1, 1 });
    position_set(f->world, ship, (vec2){ 2, 2 });
    frozen_add(f->world, ship);
    frozen_add(f->world, ship);
    hidden_add(f->world, ship);
    hidden_add(f->world, ship);
    position_remove(f->world, ship);
    frozen_remove(f->world, ship);
    hidden_remove(f->world, ship);
    hidden_remove(f->world, ship);

    assert_int_equal(added, 3);
    assert_int_equal(set, 1);
    assert_int_equal(removed, 3);
}

static void a_set_listener_alone_is_enough(void **state)
{
    test_fixture *f    = *state;
    uint32_t      set  = 0;
    kith_entity   ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 1 });
    kith_listener listener = position_on_set(f->world, count_call, &set);

    position_set(f->world, ship, (vec2){ 2, 2 });
    assert_int_equal(set, 1);

    kith_listener_disconnect(f->world, listener);
    position_set(f->world, ship, (vec2){ 3, 3 });
    assert_int_equal(set, 1);
}

// --- clearing --------------------------------------------------------------------------------

static void clearing_a_component_announces_in_row_order(void **state)
{
    small_world *w = *state;
    populate(w, "a af a af");
    kith_component_swap(w->world, A, w->e[0], w->e[3]);
    listen_to_all(w);

    assert_true(kith_component_clear(w->world, A));
    assert_reported(w, "remove a 3, remove a 1, remove a 2, remove a 0");

    assert_true(kith_component_clear(w->world, F));
    assert_reported(w, "remove f 1, remove f 3");
    assert_int_equal(kith_component_count(w->world, A), 0);
    assert_rows(w, A, "");
}

static void act_add_a_to_other(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->answer = set_tracked(self->w->world, self->other, A, 50) != NULL;
}

static void rows_that_listeners_add_while_a_component_is_cleared_stay(void **state)
{
    small_world *w     = *state;
    actor        giver = acting(w, act_add_a_to_other);
    populate(w, "a a -");
    giver.other = w->e[2];
    connect_actor(&giver, KITH_EVENT_REMOVE, A, 0);

    assert_true(kith_component_clear(w->world, A));

    assert_true(giver.answer);
    assert_reported(w, "remove a 0, remove a 1");
    assert_rows(w, A, "2");
}

static void rows_that_listeners_remove_while_a_component_is_cleared_go_once(void **state)
{
    small_world *w       = *state;
    actor        remover = acting(w, act_remove_other_a);
    populate(w, "a a a");
    remover.other = w->e[1];
    connect_actor(&remover, KITH_EVENT_REMOVE, A, 0);

    assert_true(kith_component_clear(w->world, A));

    assert_reported(w, "remove a 0, remove a 1, remove a 2");
    assert_int_equal(w->journal.living, 0);
}

static void assert_world_clear(small_world *w, kith_free_order order, const char *reported)
{
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ .free_order = order });
    populate(w, "a b -");
    listen_to_all(w);

    kith_world_clear(w->world);

    assert_reported(w, reported);
    assert_int_equal(kith_entity_count(w->world), 0);
    assert_next_indices(w->world, 0, 1, 2);
    text_free(&w->reported);
}

static void clearing_the_world_announces_one_entity_after_the_other(void **state)
{
    small_world *w = *state;

    assert_world_clear(w, KITH_FREE_LIFO,
                       "destroy 2, remove b 1, destroy 1, remove a 0, destroy 0");
    assert_world_clear(w, KITH_FREE_FIFO,
                       "remove a 0, destroy 0, remove b 1, destroy 1, destroy 2");
    assert_world_clear(w, KITH_FREE_LOWEST,
                       "remove a 0, destroy 0, remove b 1, destroy 1, destroy 2");
}

static void what_a_listener_creates_while_the_world_is_cleared_stays(void **state)
{
    small_world *w       = *state;
    actor        creator = acting(w, act_create);
    populate(w, "a a a");
    connect_actor(&creator, KITH_EVENT_DESTROY, 0, 0);

    kith_world_clear(w->world);

    assert_int_equal(creator.called, 3);
    assert_int_equal(kith_entity_count(w->world), 1);
    assert_true(kith_entity_alive(w->world, creator.other));
}

static void act_clear_world(actor *self, const kith_notice *notice)
{
    kith_world_clear(self->w->world);
    self->answer = kith_entity_alive(self->w->world, notice->entity);
}

static void clearing_the_world_while_one_dies_leaves_it_to_its_end(void **state)
{
    small_world *w       = *state;
    actor        clearer = acting(w, act_clear_world);
    populate(w, "a ab b");
    connect_actor(&clearer, KITH_EVENT_DESTROY, 0, 1);
    listen(w, KITH_EVENT_REMOVE, B, write_down, w);

    assert_true(kith_entity_destroy(w->world, w->e[1]));

    assert_true(clearer.answer); // it was still dying
    assert_int_equal(kith_entity_count(w->world), 0);
    assert_reported(w, "remove b 1, destroy 1, remove b 2, destroy 2, destroy 0");
    assert_int_equal(w->journal.living, 0);
}

static void act_clear_component(actor *self, const kith_notice *notice)
{
    self->answer = kith_component_clear(self->w->world, notice->component);
}

static void clearing_a_component_while_one_leaves_announces_each_once(void **state)
{
    small_world *w       = *state;
    actor        clearer = acting(w, act_clear_component);
    populate(w, "a a a");
    connect_actor(&clearer, KITH_EVENT_REMOVE, A, 0);

    assert_true(take(w, 1, A));

    assert_reported(w, "remove a 1, remove a 0, remove a 2");
    assert_int_equal(kith_component_count(w->world, A), 0);
    assert_int_equal(w->journal.living, 0);
}

static void act_register(actor *self, const kith_notice *notice)
{
    for (uint32_t i = 0; i < 70; i++) { // more than a word of signature bits
        char name[16];
        snprintf(name, sizeof name, "late %u", i);
        kith_component late = test_register_tag(self->w->world, name, 0);
        assert_non_null(kith_component_add(self->w->world, notice->entity, late, NULL));
    }
    self->answer = true;
}

static void a_listener_may_register_components(void **state)
{
    small_world *w         = *state;
    actor        registrar = acting(w, act_register);
    populate(w, "b");
    connect_actor(&registrar, KITH_EVENT_ADD, A, 0);

    assert_non_null(set_tracked(w->world, w->e[0], A, 1));

    assert_true(registrar.answer);
    assert_int_equal(kith_entity_components(w->world, w->e[0], NULL, 0), 72);
}

static void a_requirement_that_a_listener_removes_is_gone(void **state)
{
    small_world *w     = *state;
    actor        thief = acting(w, act_remove);
    register_ship(w);
    connect_actor(&thief, KITH_EVENT_ADD, KEEL, 0);

    bool added = kith_component_add(w->world, w->e[0], SAIL, NULL) != NULL;

    assert_true(thief.answer);
    assert_error(w->world, KITH_OK);
    assert_false(kith_component_has(w->world, w->e[0], KEEL));
    assert_int_equal(added, kith_component_has(w->world, w->e[0], SAIL));
}

// --- bad input -------------------------------------------------------------------------------

static bool connects(small_world *w, kith_event event, kith_component component,
                     kith_listener_fn call)
{
    const kith_listener_desc desc = { .event = event, .component = component, .call = call };
    return kith_listener_connect(w->world, &desc) != 0;
}

static void hear_many(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                      uint32_t count, void *context)
{
    (void)world, (void)notice, (void)entities, (void)count, (void)context;
}

static void an_invalid_listener_is_refused(void **state)
{
    small_world *w = *state;

    assert_refused(&w->memory, w->world, KITH_ERROR_UNREGISTERED,
                   connects(w, KITH_EVENT_ADD, UNKNOWN, write_down));
    assert_refused(&w->memory, w->world, KITH_ERROR_UNREGISTERED,
                   connects(w, KITH_EVENT_REMOVE, UINT32_MAX, write_down));
    assert_refused(&w->memory, w->world, KITH_ERROR_UNREGISTERED,
                   connects(w, KITH_EVENT_SET, 0, write_down));
    assert_refused(&w->memory, w->world, KITH_ERROR_KIND,
                   connects(w, KITH_EVENT_SET, F, write_down));
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT, connects(w, KITH_EVENT_ADD, A, NULL));
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   connects(w, KITH_EVENT_CREATE, A, write_down));
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   connects(w, KITH_EVENT_REPLACED, A, write_down));
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   connects(w, (kith_event)6, 0, write_down));
    const kith_listener_desc of_many = { .event = KITH_EVENT_REPLACED, .many = hear_many };
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   kith_listener_connect(w->world, &of_many));

    populate(w, "abctf"); // nothing was half connected
    assert_reported(w, "");
}

static void connecting_without_memory_changes_nothing(void **state)
{
    small_world             *w         = *state;
    uint32_t                 called    = 0;
    uint32_t                 connected = 0;
    const kith_listener_desc desc      = { KITH_EVENT_ADD, A, count_call, &called, 0, NULL };
    for (uint32_t refused = 0; refused < 3; connected++) { // also where the table grows
        w->memory.fail_all = true;
        bool done          = kith_listener_connect(w->world, &desc) != 0;
        w->memory.fail_all = false;
        if (!done) {
            refused++;
            assert_error(w->world, KITH_ERROR_MEMORY);
            assert_int_not_equal(kith_listener_connect(w->world, &desc), 0);
        }
    }

    populate(w, "a");

    assert_int_equal(called, connected);
}

static void connect_from_hook(void *context)
{
    small_world *w = context;
    assert_false(connects(w, KITH_EVENT_ADD, A, write_down));
    assert_error(w->world, KITH_ERROR_BUSY);
}

static void a_hook_cannot_connect(void **state)
{
    small_world *w      = *state;
    w->journal.intrude  = connect_from_hook;
    w->journal.intruder = w;

    add_letters(w, kith_entity_create(w->world), "a");

    w->journal.intrude = NULL;
    add_letters(w, kith_entity_create(w->world), "a");
    assert_reported(w, "");
}

static void events_ask_for_no_memory(void **state)
{
    small_world *w = *state;
    populate(w, "abctf abctf");
    listen_to_all(w);
    text_reserve(&w->reported, 4096);
    w->memory.fail_all = true;

    set_tracked(w->world, w->e[0], A, 1);
    take(w, 0, A);
    kith_entity_destroy(w->world, w->e[0]);
    kith_world_clear(w->world);

    w->memory.fail_all = false;
    assert_int_equal(w->memory.failed, 0);
    text_free(&w->reported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(listeners_are_called_by_priority_then_by_connection),
        TEST_SMALL(one_function_connected_twice_is_called_twice),
        TEST_SMALL(a_connection_ends_once),
        TEST_SMALL(a_listener_of_another_world_is_refused),
        cmocka_unit_test(a_listener_of_an_earlier_world_is_not_found),
        TEST_SMALL(a_new_listener_is_first_called_for_the_next_event),
        TEST_SMALL(a_new_listener_is_called_for_what_its_connector_causes),
        TEST_SMALL(a_disconnected_listener_is_not_called_for_the_present_event),
        TEST_SMALL(a_listener_may_disconnect_itself_and_earlier_ones),
        TEST_SMALL(many_connections_during_an_event_disturb_no_listener),
        TEST_SMALL(a_set_announces_add_or_set),
        TEST_SMALL(untouched_components_are_not_announced),
        TEST_SMALL(adding_and_removing_are_announced_for_every_kind),
        TEST_SMALL(patch_announces_set_after_the_change),
        TEST_SMALL(pointers_for_writing_announce_nothing),
        TEST_SMALL(creating_is_announced_in_the_order_of_the_handles),
        TEST_SMALL(destroying_announces_components_by_registration_then_the_entity),
        TEST_SMALL(a_call_that_fails_announces_nothing),
        TEST_SMALL(settling_and_the_end_of_the_world_announce_nothing),
        TEST_SMALL(everything_is_in_place_before_add_is_reported),
        TEST_SMALL(everything_is_in_place_before_set_is_reported),
        TEST_SMALL(the_value_is_still_there_when_remove_is_reported),
        TEST_SMALL(everything_is_still_there_when_destroy_is_reported),
        TEST_SMALL(a_created_entity_is_alive_and_empty),
        TEST_SMALL(singletons_announce_add_set_and_remove_without_an_entity),
        TEST_SMALL(a_singleton_that_a_listener_takes_away_is_null),
        TEST_SMALL(a_leaving_singleton_can_be_read_and_not_changed),
        TEST_SMALL(required_components_are_announced_first),
        TEST_SMALL(an_entity_destroyed_by_a_requirements_listener_gets_nothing_more),
        TEST_SMALL(a_requirement_that_is_renewed_is_announced_before_the_others_all_the_same),
        TEST_SMALL(a_component_removed_before_its_announcement_is_not_reported),
        TEST_SMALL(what_comes_back_before_it_was_announced_is_reported_once),
        TEST_WORLD(typed_functions_announce),
        TEST_WORLD(a_set_listener_alone_is_enough),
        TEST_SMALL(clearing_a_component_announces_in_row_order),
        TEST_SMALL(rows_that_listeners_add_while_a_component_is_cleared_stay),
        TEST_SMALL(rows_that_listeners_remove_while_a_component_is_cleared_go_once),
        TEST_SMALL(clearing_the_world_announces_one_entity_after_the_other),
        TEST_SMALL(what_a_listener_creates_while_the_world_is_cleared_stays),
        TEST_SMALL(clearing_the_world_while_one_dies_leaves_it_to_its_end),
        TEST_SMALL(clearing_a_component_while_one_leaves_announces_each_once),
        TEST_SMALL(a_listener_may_register_components),
        TEST_SMALL(a_requirement_that_a_listener_removes_is_gone),
        TEST_SMALL(an_invalid_listener_is_refused),
        TEST_SMALL(connecting_without_memory_changes_nothing),
        TEST_SMALL(a_hook_cannot_connect),
        TEST_SMALL(events_ask_for_no_memory),
    };
    return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
