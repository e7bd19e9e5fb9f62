// SPDX-License-Identifier: MIT
// Listeners that change the subject of the event, entities that are being destroyed, the depth of
// events, and events inside loops.
#include "listener_test.h"

// --- listeners that change the world ---------------------------------------------------------

static void act_add_b(actor *self, const kith_notice *notice)
{
    self->answer = set_tracked(self->w->world, notice->entity, B, 5) != NULL;
}

static void a_listener_may_add_to_the_entity_of_its_notice(void **state)
{
    small_world *w     = *state;
    actor        giver = acting(w, act_add_b);
    populate(w, "-");
    connect_actor(&giver, KITH_EVENT_ADD, A, 1);
    listen_to_all(w);

    tracked *value = set_tracked(w->world, w->e[0], A, 7);

    assert_non_null(value);
    assert_ptr_equal(value, kith_component_get(w->world, w->e[0], A));
    assert_true(giver.answer);
    assert_reported(w, "add a 0, add b 0, add a 0"); // the adder was called for a first
    assert_true(kith_component_has(w->world, w->e[0], B));
}

static void a_call_returns_null_when_a_listener_removes_the_component(void **state)
{
    small_world *w     = *state;
    actor        thief = acting(w, act_remove);
    populate(w, "-");
    connect_actor(&thief, KITH_EVENT_ADD, A, 1);
    listen_to_all(w);

    assert_null(set_tracked(w->world, w->e[0], A, 7));

    assert_true(thief.answer);
    assert_error(w->world, KITH_OK);
    assert_int_equal(w->memory.errors, 0);
    assert_reported(
        w, "add a 0, remove a 0"); // listeners after the remover are not called for the add
    assert_int_equal(w->journal.living, 0);
}

static void set_and_patch_return_null_when_a_listener_removes_the_component(void **state)
{
    small_world *w     = *state;
    actor        thief = acting(w, act_remove);
    populate(w, "a");
    connect_actor(&thief, KITH_EVENT_SET, A, 0);

    assert_null(set_tracked(w->world, w->e[0], A, 7));
    add_letters(w, w->e[0], "a");
    thief.called = 0;
    assert_null(kith_component_patch(w->world, w->e[0], A, change_nothing, NULL));

    assert_error(w->world, KITH_OK);
    assert_int_equal(kith_component_count(w->world, A), 0);
}

static void act_replace_all(actor *self, const kith_notice *notice)
{
    kith_component_remove(self->w->world, notice->entity, A);
    self->answer = set_tracked(self->w->world, notice->entity, A, 99) != NULL;
}

static void what_a_listener_removes_and_adds_again_is_found(void **state)
{
    small_world *w        = *state;
    actor        replacer = acting(w, act_replace_all);
    populate(w, "-");
    connect_actor(&replacer, KITH_EVENT_ADD, A, 0);

    const tracked *value = set_tracked(w->world, w->e[0], A, 7);

    assert_true(replacer.answer);
    assert_non_null(value);
    assert_int_equal(value->number, 99);
    assert_ptr_equal(value, kith_component_get(w->world, w->e[0], A));
}

static void a_listener_may_destroy_the_entity_of_its_notice(void **state)
{
    small_world *w      = *state;
    actor        killer = acting(w, act_destroy);
    populate(w, "b");
    connect_actor(&killer, KITH_EVENT_ADD, A, 1);
    listen_to_all(w);

    assert_null(set_tracked(w->world, w->e[0], A, 7));

    assert_true(killer.answer);
    assert_error(w->world, KITH_OK);
    assert_reported(w, "add a 0, remove a 0, remove b 0, destroy 0");
    assert_int_equal(kith_entity_count(w->world), 0);
}

static void a_listener_may_destroy_the_newborn(void **state)
{
    small_world *w      = *state;
    actor        killer = acting(w, act_destroy);
    connect_actor(&killer, KITH_EVENT_CREATE, 0, 1);
    listen_to_all(w);

    kith_entity born = kith_entity_create(w->world);

    assert_true(killer.answer);
    assert_false(kith_entity_alive(w->world, born));
    assert_error(w->world, KITH_OK);
    assert_reported(w, "create 0, destroy 0");
}

// The listener leaves a hole below the row that was just added; when the event is over that row
// fills it, and set must answer with where it is then.
static void act_remove_other(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->answer = kith_component_remove(self->w->world, self->other, A);
    assert_rows(self->w, A, "- 1 2");
}

static void the_answer_of_set_is_where_the_value_is_afterwards(void **state)
{
    small_world *w       = *state;
    actor        remover = acting(w, act_remove_other);
    populate(w, "a a -");
    remover.other = w->e[0];
    connect_actor(&remover, KITH_EVENT_ADD, A, 0);

    tracked *value = set_tracked(w->world, w->e[2], A, 7);

    assert_true(remover.answer);
    assert_rows(w, A, "2 1");
    assert_ptr_equal(value, kith_component_get(w->world, w->e[2], A));
    assert_int_equal(value->number, 7);
}

static void removals_in_a_listener_wait_for_the_end_of_the_event(void **state)
{
    small_world *w       = *state;
    actor        remover = acting(w, act_remove_other);
    actor        later   = acting(w, act_create);
    populate(w, "a a -");
    remover.other = w->e[0];
    connect_actor(&remover, KITH_EVENT_ADD, A, 1);
    connect_actor(&later, KITH_EVENT_ADD, A, 0);

    set_tracked(w->world, w->e[2], A, 2);

    assert_journal(&w->journal, "a copy 2, a destruct 0, a move 2");
}

// --- listeners that remove and add again -----------------------------------------------------

// Connects the renewing listener first, and then the listeners that record what they get.
static void connect_renewer(actor *renewer, small_world *w, kith_event event,
                            kith_component component)
{
    *renewer      = acting(w, act_renew);
    renewer->name = "renew";
    connect_actor(renewer, event, component, 1);
    listen_to_all(w);
}

static void assert_renewed(small_world *w, kith_component component, const char *reported)
{
    actor renewer;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    populate(w, "-");
    connect_renewer(&renewer, w, KITH_EVENT_ADD, component);

    assert_non_null(component == S ? kith_singleton_add(w->world, S)
                                   : kith_component_add(w->world, w->e[0], component, NULL));

    assert_true(renewer.answer);
    assert_reported(w, reported);
}

static void a_listener_not_yet_called_is_called_for_the_newer_add_alone(void **state)
{
    assert_renewed(*state, A, "renew, remove a 0, renew, add a 0");
    assert_renewed(*state, T, "renew, remove t 0, renew, add t 0");
    assert_renewed(*state, F, "renew, remove f 0, renew, add f 0");
    assert_renewed(*state, S, "renew, remove s, renew, add s");
}

static void an_add_renewed_repeatedly_is_reported_once_to_later_listeners(void **state)
{
    small_world *w = *state;
    actor        renewer;
    populate(w, "-");
    connect_renewer(&renewer, w, KITH_EVENT_ADD, A);
    renewer.times = 3;

    assert_non_null(set_tracked(w->world, w->e[0], A, 7));

    assert_reported(w, "renew, remove a 0, renew, remove a 0, renew, remove a 0, renew, add a 0");
    assert_int_equal(w->journal.living, 1);
}

static void an_add_renewed_after_it_was_reported_is_reported_again(void **state)
{
    small_world *w       = *state;
    actor        renewer = acting(w, act_renew);
    actor        first, last;
    populate(w, "-");
    connect_named(&first, w, "first", 2);
    connect_named(&last, w, "last", 0);
    connect_actor(&renewer, KITH_EVENT_ADD, A, 1);

    add_letters(w, w->e[0], "a");

    assert_reported(w, "first, add a 0, first, add a 0, last");
}

static void act_add_to_other(actor *self, const kith_notice *notice)
{
    self->answer = kith_component_add(self->w->world, self->other, notice->component, NULL) != NULL;
}

static void an_add_to_another_entity_ends_nothing(void **state)
{
    small_world *w     = *state;
    actor        giver = acting(w, act_add_to_other);
    actor        last;
    populate(w, "- -");
    giver.other = w->e[1];
    connect_actor(&giver, KITH_EVENT_ADD, A, 1);
    connect_named(&last, w, "last", 0);

    add_letters(w, w->e[0], "a");

    assert_true(giver.answer);
    assert_reported(w, "add a 0, add a 1, last, last");
}

static void a_set_is_reported_also_when_the_value_is_renewed_meanwhile(void **state)
{
    small_world *w = *state;
    actor        renewer;
    populate(w, "a");
    connect_renewer(&renewer, w, KITH_EVENT_SET, A);

    assert_non_null(set_tracked(w->world, w->e[0], A, 7));

    assert_true(renewer.answer);
    assert_reported(w, "renew, remove a 0, add a 0, set a 0");
}

static void renew_position(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t *times = context;
    if (++*times == 1) {
        position_remove(world, notice->entity);
        position_set(world, notice->entity, (vec2){ 5, 5 });
    }
}

static void see_position(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t *times = context;
    ++*times;
    assert_int_equal(position_get(world, notice->entity)->x, 5);
}

static void typed_functions_keep_the_rule_for_what_is_renewed(void **state)
{
    test_fixture *f       = *state;
    uint32_t      renewed = 0, seen = 0;
    kith_entity   ship = kith_entity_create(f->world);
    position_on_add(f->world, renew_position, &renewed);
    position_on_add(f->world, see_position, &seen);

    assert_int_equal(position_set(f->world, ship, (vec2){ 1, 1 })->x, 5);

    assert_int_equal(renewed, 2);
    assert_int_equal(seen, 1);
}

// --- dying and leaving -----------------------------------------------------------------------

// Verbs that may not change what goes, and those that still answer.
static const char *const refused_verbs[] = { "set",    "add",           "patch",
                                             "remove", "enable: false", "enable: true" };
static const char *const allowed_verbs[] = { "get", "mut", "has", "enabled", "row" };

static const verb *verb_named(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(entity_verbs); i++) {
        if (strcmp(entity_verbs[i].name, name) == 0) {
            return &entity_verbs[i];
        }
    }
    fail_msg("no verb %s", name);
    return NULL;
}

static void assert_verb_refused(small_world *w, const char *name, kith_entity entity,
                                kith_component component)
{
    const verb *asked  = verb_named(name);
    uint32_t    errors = w->memory.errors;
    kith_world_error_clear(w->world);
    const char *answer = asked->call(w->world, entity, component);
    if (strcmp(answer, asked->no) != 0) {
        fail_msg("%s of what goes answers %s", name, answer);
    }
    assert_error(w->world, KITH_ERROR_DYING);
    assert_int_equal(w->memory.errors, errors); // recorded, not reported
}

static void assert_verb_answers(small_world *w, const char *name, kith_entity entity,
                                kith_component component)
{
    const verb *asked = verb_named(name);
    kith_world_error_clear(w->world);
    const char *answer = asked->call(w->world, entity, component);
    if (strcmp(answer, asked->no) == 0) {
        fail_msg("%s of what goes answers %s", name, answer);
    }
    assert_error(w->world, KITH_OK);
}

static void assert_only_readable(small_world *w, kith_entity entity, kith_component component)
{
    for (size_t i = 0; i < COUNT_OF(refused_verbs); i++) {
        bool rows = (verb_named(refused_verbs[i])->manners & VERB_ROWS) != 0;
        if (!rows || component != F) {
            assert_verb_refused(w, refused_verbs[i], entity, component);
        }
    }
    for (size_t i = 0; i < COUNT_OF(allowed_verbs); i++) {
        bool rows = (verb_named(allowed_verbs[i])->manners & VERB_ROWS) != 0;
        if (!rows || component != F) {
            assert_verb_answers(w, allowed_verbs[i], entity, component);
        }
    }
}

static void act_try_leaving(actor *self, const kith_notice *notice)
{
    assert_only_readable(self->w, notice->entity, notice->component);
    self->answer = true;
}

static void a_leaving_component_can_be_read_and_not_changed(void **state)
{
    small_world         *w     = *state;
    const kith_component all[] = { A, T, F };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        actor         trier  = acting(w, act_try_leaving);
        kith_entity   entity = spawn(w, "atf");
        kith_listener one    = connect_actor(&trier, KITH_EVENT_REMOVE, all[i], 0);

        assert_true(kith_component_remove(w->world, entity, all[i]));

        assert_true(trier.answer);
        assert_int_equal(trier.called, 1);
        assert_false(kith_component_has(w->world, entity, all[i]));
        kith_listener_disconnect(w->world, one);
    }
}

static void act_change_the_rest(actor *self, const kith_notice *notice)
{
    small_world *w = self->w;
    assert_non_null(set_tracked(w->world, notice->entity, B, 4));
    assert_true(kith_component_remove(w->world, notice->entity, C));
    assert_non_null(kith_component_add(w->world, notice->entity, F, NULL));
    assert_non_null(set_tracked(w->world, self->other, A, 4));
    self->answer = true;
}

static void the_rest_of_an_entity_can_be_changed_while_a_component_leaves(void **state)
{
    small_world *w      = *state;
    actor        change = acting(w, act_change_the_rest);
    populate(w, "ac -");
    change.other = w->e[1];
    connect_actor(&change, KITH_EVENT_REMOVE, A, 0);

    assert_true(take(w, 0, A));

    assert_true(change.answer);
    assert_int_equal(w->memory.errors, 0);
    assert_rows(w, A, "1");
    assert_rows(w, B, "0");
    assert_rows(w, C, "");
}

static void destroying_while_a_component_leaves_does_not_announce_it_again(void **state)
{
    small_world *w      = *state;
    actor        killer = acting(w, act_destroy);
    populate(w, "abf");
    connect_actor(&killer, KITH_EVENT_REMOVE, A, 1);
    listen_to_all(w);

    assert_true(take(w, 0, A));

    assert_true(killer.answer);
    assert_false(kith_entity_alive(w->world, w->e[0]));
    assert_int_equal(w->journal.living, 0);
    // once by the killer, which was asked first, and once by the other listener
    assert_memory_equal(w->reported.bytes, "remove a 0, remove b 0, remove f 0, destroy 0", 44);
    assert_null(strstr(w->reported.bytes + 44, "destroy"));
    assert_null(strstr(w->reported.bytes + 44, "remove b"));
    text_free(&w->reported);
    assert_error(w->world, KITH_OK);
}

static void act_try_dying(actor *self, const kith_notice *notice)
{
    small_world         *w     = self->w;
    const kith_component had[] = { A, B, T, F };
    for (size_t i = 0; i < COUNT_OF(had); i++) {
        assert_only_readable(w, notice->entity, had[i]);
    }
    assert_verb_refused(w, "set", notice->entity, C); // also what it does not have
    assert_verb_refused(w, "add", notice->entity, C);
    uint32_t errors = w->memory.errors;
    assert_false(kith_entity_destroy(w->world, notice->entity));
    assert_error(w->world, KITH_ERROR_DYING);
    assert_int_equal(w->memory.errors, errors);
    assert_non_null(set_tracked(w->world, self->other, A, 3)); // others may be changed
    kith_entity_create(w->world);
}

static void assert_dying(small_world *w, kith_event event, kith_component component)
{
    actor       trier  = acting(w, act_try_dying);
    kith_entity entity = spawn(w, "abtf");
    trier.other        = spawn(w, "-");
    kith_listener one  = connect_actor(&trier, event, component, 0);

    assert_true(kith_entity_destroy(w->world, entity));

    assert_int_equal(trier.called, 1);
    assert_false(kith_entity_alive(w->world, entity));
    assert_true(kith_component_has(w->world, trier.other, A));
    kith_listener_disconnect(w->world, one);
}

static void a_dying_entity_can_be_read_and_not_changed(void **state)
{
    small_world *w = *state;

    assert_dying(w, KITH_EVENT_REMOVE, A);
    assert_dying(w, KITH_EVENT_REMOVE, F);
    assert_dying(w, KITH_EVENT_DESTROY, 0);

    assert_error_says(w->world, KITH_ERROR_DYING, "entity");
}

static void the_sentence_about_what_goes_names_it(void **state)
{
    small_world *w      = *state;
    actor        killer = acting(w, act_destroy);
    populate(w, "a");
    connect_actor(&killer, KITH_EVENT_DESTROY, 0, 0);

    kith_entity_destroy(w->world, w->e[0]);

    assert_false(killer.answer);
    assert_error_says(w->world, KITH_ERROR_DYING, "kith_entity_destroy");
    assert_error_says(w->world, KITH_ERROR_DYING, "entity 0v1");
}

// Typed functions have inline code for adding: it must not run past what is going.
static void record_typed(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t *called = context;
    (*called)++;
    assert_null(velocity_set(world, notice->entity, (vec2){ 9, 9 }));
    assert_false(hidden_add(world, notice->entity));
    assert_false(frozen_add(world, notice->entity));
    assert_error(world, KITH_ERROR_DYING);
    assert_non_null(position_get(world, notice->entity));
    assert_non_null(position_mut(world, notice->entity));
}

static void typed_functions_keep_the_rules_for_what_is_dying(void **state)
{
    test_fixture *f      = *state;
    uint32_t      called = 0;
    kith_entity   ship   = kith_entity_create(f->world);
    kith_entity   buoy   = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 1 });
    velocity_set(f->world, buoy, (vec2){ 1, 1 }); // so that the lookup pages are there
    frozen_add(f->world, buoy);
    position_on_remove(f->world, record_typed, &called);

    kith_entity_destroy(f->world, ship);

    assert_int_equal(called, 1);
    assert_int_equal(velocity_count(f->world), 1);
    assert_int_equal(hidden_count(f->world), 0);
}

// --- depth -----------------------------------------------------------------------------------

static void act_create_deeper(actor *self, const kith_notice *notice)
{
    kith_world *world = self->w->world;
    kith_entity born  = kith_entity_create(world);
    (void)notice;
    if (born == KITH_NULL) {
        self->answer = kith_world_error(world).code == KITH_ERROR_LIMIT;
        // a change without listeners needs no depth
        assert_non_null(set_tracked(world, notice->entity, A, 1));
        assert_true(kith_component_remove(world, notice->entity, A));
        assert_true(kith_component_clear(world, A));
        assert_null(kith_component_add(world, notice->entity, T, NULL));
        assert_false(kith_component_has(world, notice->entity, T));
        assert_false(kith_component_clear(world, B));
        assert_int_equal(kith_component_count(world, B), 1);
    }
}

static void listeners_nest_32_deep(void **state)
{
    small_world *w      = *state;
    actor        deeper = acting(w, act_create_deeper);
    deeper.times        = UINT32_MAX;
    populate(w, "b");
    connect_actor(&deeper, KITH_EVENT_CREATE, 0, 0);
    listen(w, KITH_EVENT_ADD, T, write_down, w);
    listen(w, KITH_EVENT_REMOVE, B, write_down, w);

    assert_int_not_equal(kith_entity_create(w->world), KITH_NULL);

    assert_true(deeper.answer);
    assert_int_equal(deeper.called, 32);
    assert_int_equal(kith_entity_count(w->world), 33);
    assert_int_equal(kith_world_stats(w->world).slots, 33);
    assert_error_says(w->world, KITH_ERROR_LIMIT, "32");
    text_free(&w->reported);
}

// Each event causes the next one, until that is refused.
static void connect_endless(actor *self, small_world *w, kith_event event, kith_component component)
{
    self->w     = w;
    self->times = UINT32_MAX;
    self->name  = "";
    connect_actor(self, event, component, 0);
}

static void assert_refused_at_32(small_world *w, const actor *endless)
{
    assert_int_equal(endless->called, 32);
    assert_error(w->world, KITH_ERROR_LIMIT);
    text_free(&w->reported);
}

static void act_set_again(actor *self, const kith_notice *notice)
{
    self->answer = set_tracked(self->w->world, notice->entity, A, 100 + self->called) != NULL;
}

static void a_set_that_nests_too_deep_changes_nothing(void **state)
{
    small_world *w     = *state;
    actor        again = { .act = act_set_again };
    populate(w, "a");
    connect_endless(&again, w, KITH_EVENT_SET, A);

    const tracked *value = set_tracked(w->world, w->e[0], A, 100);

    assert_refused_at_32(w, &again);
    assert_int_equal(value->number, 131); // the last that was let in is the 31st of the listener
}

static void act_destroy_other(actor *self, const kith_notice *notice)
{
    kith_entity next = handle(kith_entity_index(notice->entity) + 1, 1);
    self->answer     = kith_entity_destroy(self->w->world, next);
}

static void a_destroy_that_nests_too_deep_changes_nothing(void **state)
{
    small_world *w     = *state;
    actor        chain = { .act = act_destroy_other };
    populate_many(w, 40, "a");
    connect_endless(&chain, w, KITH_EVENT_DESTROY, 0);

    assert_true(kith_entity_destroy(w->world, w->e[0]));

    assert_refused_at_32(w, &chain);
    assert_int_equal(kith_entity_count(w->world), 8);
    assert_int_equal(kith_component_count(w->world, A), 8);
    assert_true(kith_entity_alive(w->world, w->e[32]));
}

static void act_remove_next(actor *self, const kith_notice *notice)
{
    kith_entity next = handle(kith_entity_index(notice->entity) + 1, 1);
    self->answer     = kith_component_remove(self->w->world, next, A);
}

static void a_removal_that_nests_too_deep_changes_nothing(void **state)
{
    small_world *w     = *state;
    actor        chain = { .act = act_remove_next };
    populate_many(w, 40, "a");
    connect_endless(&chain, w, KITH_EVENT_REMOVE, A);

    assert_true(take(w, 0, A));

    assert_refused_at_32(w, &chain);
    assert_int_equal(kith_component_count(w->world, A), 8);
    assert_true(kith_component_has(w->world, w->e[32], A));
}

static void act_set_single(actor *self, const kith_notice *notice)
{
    int number = (int)self->called;
    (void)notice;
    self->answer = kith_singleton_set(self->w->world, S, &number) != NULL;
}

static void a_singleton_that_nests_too_deep_is_not_changed(void **state)
{
    small_world *w     = *state;
    actor        again = { .act = act_set_single };
    int          first = 0;
    connect_endless(&again, w, KITH_EVENT_SET, S);
    kith_singleton_add(w->world, S);

    assert_non_null(kith_singleton_set(w->world, S, &first));

    assert_refused_at_32(w, &again);
    assert_int_equal(*(const int *)kith_singleton_get(w->world, S), 31);
}

// --- seed 004: on_death ----------------------------------------------------------------------

// void on_death(registry, entity) { reg.destroy(entity); }, connected to the removal of Health.
static void on_death(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t *deaths = context;
    *deaths += kith_entity_destroy(world, notice->entity);
}

static void removing_health_is_death(void **state)
{
    test_fixture *f      = *state;
    uint32_t      deaths = 0;
    kith_entity   ship   = kith_entity_create(f->world);
    kith_entity   buoy   = kith_entity_create(f->world);
    health_set(f->world, ship, 3);
    position_set(f->world, ship, (vec2){ 1, 1 });
    health_set(f->world, buoy, 4);
    health_on_remove(f->world, on_death, &deaths);

    assert_true(health_remove(f->world, ship));

    assert_int_equal(deaths, 1);
    assert_false(kith_entity_alive(f->world, ship));
    assert_true(kith_entity_alive(f->world, buoy));
    assert_int_equal(position_count(f->world), 0);
    assert_int_equal(*health_get(f->world, buoy), 4);
}

static void death_by_destruction_is_one_death(void **state)
{
    test_fixture *f      = *state;
    uint32_t      deaths = 0;
    kith_entity   ship   = kith_entity_create(f->world);
    health_set(f->world, ship, 3);
    position_set(f->world, ship, (vec2){ 1, 1 });
    health_on_remove(f->world, on_death, &deaths);

    assert_true(kith_entity_destroy(f->world, ship));

    assert_int_equal(deaths, 0);
    assert_error(f->world, KITH_ERROR_DYING);
    assert_int_equal(f->memory.errors, 0);
    assert_int_equal(kith_entity_count(f->world), 0);
    assert_int_equal(health_count(f->world), 0);
    assert_int_equal(position_count(f->world), 0);
}

static void entities_may_be_destroyed_in_a_loop_over_their_health(void **state)
{
    test_fixture *f      = *state;
    uint32_t      deaths = 0;
    kith_entity   all[6];
    create_entities(f->world, all, 6);
    for (uint32_t i = 0; i < 6; i++) {
        health_set(f->world, all[i], (int)i % 2);
    }
    health_on_remove(f->world, on_death, &deaths);
    kith_cursor c       = kith_view_begin(f->world, QUERY(WRITE(HEALTH)));
    uint32_t    visited = 0;

    while (kith_cursor_next(&c)) {
        visited++;
        if (*(const int *)c.columns[0] == 0) {
            health_remove(f->world, c.entity);
        }
    }

    assert_int_equal(visited, 6);
    assert_int_equal(deaths, 3);
    assert_int_equal(health_count(f->world), 3);
    assert_int_equal(kith_entity_count(f->world), 3);
}

// --- events inside loops, loops inside events ------------------------------------------------

static void listeners_in_a_loop_keep_its_contract(void **state)
{
    small_world *w      = *state;
    actor        killer = acting(w, act_destroy_other);
    killer.times        = UINT32_MAX;
    populate(w, "ab ab ab ab ab ab");
    connect_actor(&killer, KITH_EVENT_REMOVE, B, 0);
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));

    assert_next(&c, w, 0);
    take(w, 0, B); // the listener destroys 1, whose b has a listener that destroys 2 ...

    assert_int_equal(kith_entity_count(w->world), 1);
    assert_false(kith_cursor_next(&c));
    text_free(&w->reported);
}

// Reports to the actor that the third entity gets b.
static void add_b_to_the_third(actor *self)
{
    small_world *w = self->w;
    connect_actor(self, KITH_EVENT_ADD, B, 0);
    assert_non_null(set_tracked(w->world, w->e[2], B, 2));
    assert_true(self->answer);
}

// The same at the first of the two entities that have a.
static void add_b_in_a_loop(actor *self, kith_cursor *outer)
{
    populate(self->w, "a a -");
    *outer = kith_view_begin(self->w->world, QUERY(READ(A)));
    assert_next(outer, self->w, 0);
    self->cursor = outer;
    add_b_to_the_third(self);
}

static void act_walk(actor *self, const kith_notice *notice)
{
    kith_cursor c = kith_view_begin(self->w->world, QUERY(READ(A)));
    (void)notice;
    self->answer = !c.failed;
    assert_walk(&c, "0 1 2");
}

static void a_listener_may_walk(void **state)
{
    small_world *w      = *state;
    actor        walker = acting(w, act_walk);
    populate(w, "a a -");
    connect_actor(&walker, KITH_EVENT_ADD, A, 0);

    assert_non_null(set_tracked(w->world, w->e[2], A, 2));

    assert_true(walker.answer);
    assert_int_equal(kith_world_advance(w->world), 2);
}

static void act_end(actor *self, const kith_notice *notice)
{
    (void)notice;
    kith_world_error_clear(self->w->world);
    kith_cursor_end(self->cursor);
    self->answer = kith_world_error(self->w->world).code == KITH_ERROR_BUSY;
}

static void a_listener_cannot_end_a_loop_begun_before_it(void **state)
{
    small_world *w     = *state;
    actor        ender = acting(w, act_end);
    kith_cursor  c;

    add_b_in_a_loop(&ender, &c);

    assert_walk(&c, "1");
}

static void act_release(actor *self, const kith_notice *notice)
{
    (void)notice;
    kith_world_error_clear(self->w->world);
    self->answer = !kith_world_release(self->w->world) &&
                   kith_world_error(self->w->world).code == KITH_ERROR_BUSY;
}

static void a_listener_cannot_release_a_hold_before_it(void **state)
{
    small_world *w        = *state;
    actor        releaser = acting(w, act_release);
    populate(w, "a a -");
    kith_world_hold(w->world);
    take(w, 0, A);

    add_b_to_the_third(&releaser);

    assert_rows(w, A, "- 1");
    assert_true(kith_world_release(w->world));
    assert_rows(w, A, "1");
}

static void act_walk_outer(actor *self, const kith_notice *notice)
{
    (void)notice;
    kith_world_error_clear(self->w->world);
    assert_next(self->cursor, self->w, 1);
    assert_error(self->w->world, KITH_OK);
    assert_false(kith_cursor_next(self->cursor)); // would close it
    self->answer = kith_world_error(self->w->world).code == KITH_ERROR_BUSY;
}

static void a_listener_may_step_an_outer_loop_but_not_to_its_end(void **state)
{
    small_world *w      = *state;
    actor        walker = acting(w, act_walk_outer);
    kith_cursor  c;

    add_b_in_a_loop(&walker, &c);

    take(w, 0, A);
    assert_rows(w, A, "- 1"); // still open
    kith_cursor_end(&c);
    assert_rows(w, A, "1");
}

static void act_hold(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->answer = kith_world_hold(self->w->world);
}

static void a_loop_that_a_listener_leaves_open_is_named(void **state)
{
    small_world *w      = *state;
    actor        holder = acting(w, act_hold);
    populate(w, "a a -");

    add_b_to_the_third(&holder);

    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_world_advance(w->world) != 0);
    assert_error_says(w->world, KITH_ERROR_BUSY, "kith_world_hold");
    assert_true(kith_world_release(w->world));
}

static void act_try_busy(actor *self, const kith_notice *notice)
{
    kith_world  *world  = self->w->world;
    test_memory *memory = &self->w->memory;
    (void)notice;
    assert_refused(memory, world, KITH_ERROR_BUSY, kith_world_settle(world));
    assert_refused(memory, world, KITH_ERROR_BUSY, kith_world_advance(world) != 0);
    assert_refused(memory, world, KITH_ERROR_BUSY,
                   kith_component_swap(world, A, self->w->e[0], self->w->e[1]));
    assert_refused(memory, world, KITH_ERROR_BUSY, kith_component_compact(world, A));
    assert_refused(memory, world, KITH_ERROR_BUSY, kith_component_shrink(world, A));
    assert_refused(memory, world, KITH_ERROR_BUSY, kith_world_shrink(world));
    assert_refused(memory, world, KITH_ERROR_BUSY, kith_world_destroy(world));
    assert_error_says(world, KITH_ERROR_BUSY, "listener");
    self->answer = true;
}

static void calls_that_move_rows_are_busy_in_a_listener(void **state)
{
    small_world *w     = *state;
    actor        trier = acting(w, act_try_busy);
    populate(w, "a a -");

    add_b_to_the_third(&trier);

    assert_int_equal(kith_world_advance(w->world), 2);
}

// Inside a loop the listener's removals wait for the loop, not only for the event.
static void removals_by_listeners_in_a_loop_wait_for_the_loop(void **state)
{
    small_world *w       = *state;
    actor        remover = acting(w, act_remove_other_a);
    populate(w, "a a a");
    remover.other = w->e[0];
    connect_actor(&remover, KITH_EVENT_ADD, B, 0);
    kith_world_hold(w->world);

    set_tracked(w->world, w->e[1], B, 1);

    assert_true(remover.answer);
    assert_rows(w, A, "- 1 2");
    kith_world_release(w->world);
    assert_rows(w, A, "2 1");
}

static void events_in_a_loop_are_reported_at_once(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    listen_to_all(w);
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));

    assert_next(&c, w, 0);
    take(w, 0, A);
    assert_reported(w, "remove a 0");
    add_letters(w, w->e[0], "a");
    assert_reported(w, "add a 0");
    kith_entity_destroy(w->world, w->e[1]);
    assert_reported(w, "remove a 1, destroy 1");
    assert_false(kith_cursor_next(&c));
    assert_reported(w, "");
}

// --- destroying with listeners ---------------------------------------------------------------
//
// In a world at rest rows of bytes may go before the event ends; inside a hold they stay until the
// world settles. The result must be the same.

enum { BYTES = 40, PAIR, MARK, SWITCH, HOOKED, STEADY, TICKED, OTHERS, END_ENTITIES = 24 };

typedef enum deed { DOES_NOTHING, REMOVES, DESTROYS, ADDS, HOLDS, DEEDS } deed;

typedef struct end_world {
    test_memory memory;
    kith_world *world;
    text        log;
    deed        act; // of the listener, once
    kith_entity other;
} end_world;

static void log_end(void *value, void *context)
{
    end_world  *w      = context;
    kith_entity entity = *(kith_entity *)value;
    text_add(&w->log, "end %u%s%s, ", kith_entity_index(entity),
             kith_entity_alive(w->world, entity) ? " alive" : "",
             kith_component_has(w->world, entity, PAIR) ? " paired" : "");
}

static void log_and_act(kith_world *world, const kith_notice *notice, void *context)
{
    end_world *w   = context;
    deed       act = w->act;
    w->act         = DOES_NOTHING;
    text_add(&w->log, "%u %u %u, ", (uint32_t)notice->event, notice->component,
             kith_entity_index(notice->entity));
    if (act == REMOVES) {
        kith_component_remove(world, w->other, PAIR);
    } else if (act == DESTROYS) {
        kith_entity_destroy(world, w->other);
    } else if (act == ADDS && kith_entity_alive(world, w->other) && w->other != notice->entity) {
        kith_component_set(world, w->other, BYTES, &(uint32_t){ 7 });
    } else if (act == HOLDS) {
        assert_true(kith_world_hold(world));
    }
}

static void open_end_world(end_world *w)
{
    const kith_hooks          hooks   = { .destruct = log_end, .context = w };
    const kith_component_desc descs[] = {
        { .name = "bytes", .id = BYTES, .size = 4, .alignment = 4, .traits.page_rows = 2 },
        { .name = "pair", .id = PAIR, .size = 8, .alignment = 8, .traits.page_rows = 4 },
        { .name = "mark", .id = MARK, .kind = KITH_KIND_TAG },
        { .name = "switch", .id = SWITCH, .kind = KITH_KIND_FLAG },
        { .name = "hooked", .id = HOOKED, .size = 8, .alignment = 8, .traits.hooks = hooks },
        { .name      = "steady",
          .id        = STEADY,
          .size      = 4,
          .alignment = 4,
          .traits    = { .policy = KITH_POLICY_STABLE, .page_rows = 2 } },
        { .name = "ticked", .id = TICKED, .size = 4, .alignment = 4, .traits.row_ticks = true },
    };
    const kith_listener_desc removed = {
        .event = KITH_EVENT_REMOVE, .component = BYTES, .call = log_and_act, .context = w
    };
    const kith_listener_desc destroyed = { .event   = KITH_EVENT_DESTROY,
                                           .call    = log_and_act,
                                           .context = w };
    w->world                           = test_world(&w->memory);
    assert_true(kith_component_register_many(w->world, descs, COUNT_OF(descs)));
    assert_true(kith_listener_connect(w->world, &removed) != 0);
    assert_true(kith_listener_connect(w->world, &destroyed) != 0);
}

// A new entity: mostly of bytes and pairs alone.
static kith_entity create_end(end_world *w, uint64_t chance)
{
    kith_entity entity = kith_entity_create(w->world);
    uint64_t    all[2] = { entity, entity };
    bool        plain  = (chance >> 8 & 3) != 0;
    for (kith_component id = BYTES; id < OTHERS && (!plain || id <= MARK); id++) {
        if ((chance >> (id - BYTES) & 1) != 0) {
            kith_component_set(w->world, entity, id, all);
        }
    }
    return entity;
}

static void describe_pools(end_world *w, text *out)
{
    for (kith_component id = BYTES; id < OTHERS; id++) {
        uint32_t rows = kith_component_stats(w->world, id).rows;
        for (uint32_t row = 0; row < rows; row++) {
            kith_entity entity = kith_component_entity(w->world, id, row);
            text_add(out, "%u:%u@%u ", id, kith_entity_index(entity),
                     (uint32_t)kith_component_stamp(w->world, id, row));
        }
        text_add(out, "%u.", kith_component_count(w->world, id));
    }
}

static void assert_same_pools(end_world *rest, end_world *held)
{
    text texts[2] = { { 0 } };
    describe_pools(rest, &texts[0]);
    describe_pools(held, &texts[1]);
    assert_string_equal(texts[0].bytes, texts[1].bytes);
    assert_world_valid(rest->world);
    text_free(&texts[0]);
    text_free(&texts[1]);
}

static void destroying_at_rest_has_the_result_of_destroying_in_a_hold(void **state)
{
    static end_world w[2];
    kith_entity      living[END_ENTITIES] = { 0 };
    uint64_t         seed                 = test_seed();
    (void)state;
    memset(w, 0, sizeof w);
    open_end_world(&w[0]);
    open_end_world(&w[1]);
    for (uint32_t step = test_thinned(4000); step != 0; step--) {
        uint64_t     chance = test_random(&seed);
        kith_entity *victim = &living[test_random_below(&seed, END_ENTITIES)];
        kith_entity  other  = living[test_random_below(&seed, END_ENTITIES)];
        deed         act = test_random_below(&seed, 3) == 0 ? test_random_below(&seed, DEEDS) : 0;
        kith_world_advance(w[0].world);
        kith_world_advance(w[1].world);
        for (uint32_t i = 0; i < 2; i++) {
            w[i].act   = act;
            w[i].other = other;
        }
        if (!kith_entity_alive(w[0].world, *victim)) {
            *victim = create_end(&w[0], chance);
            assert_int_equal(create_end(&w[1], chance), *victim);
        } else {
            kith_world_hold(w[1].world);
            assert_true(kith_entity_destroy(w[0].world, *victim));
            assert_true(kith_entity_destroy(w[1].world, *victim));
            if (act == HOLDS) {
                assert_same_pools(&w[0], &w[1]);
            }
        }
        kith_world_settle(w[0].world);
        kith_world_settle(w[1].world);
        assert_same_pools(&w[0], &w[1]);
        text_add(&w[0].log, ".");
        text_add(&w[1].log, ".");
        assert_string_equal(w[0].log.bytes, w[1].log.bytes);
        text_free(&w[0].log);
        text_free(&w[1].log);
    }
    for (uint32_t i = 0; i < 2; i++) {
        test_world_end(w[i].world, &w[i].memory);
        text_free(&w[i].log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(a_listener_may_add_to_the_entity_of_its_notice),
        TEST_SMALL(a_call_returns_null_when_a_listener_removes_the_component),
        TEST_SMALL(set_and_patch_return_null_when_a_listener_removes_the_component),
        TEST_SMALL(what_a_listener_removes_and_adds_again_is_found),
        TEST_SMALL(a_listener_may_destroy_the_entity_of_its_notice),
        TEST_SMALL(a_listener_may_destroy_the_newborn),
        TEST_SMALL(the_answer_of_set_is_where_the_value_is_afterwards),
        TEST_SMALL(removals_in_a_listener_wait_for_the_end_of_the_event),
        TEST_SMALL(a_listener_not_yet_called_is_called_for_the_newer_add_alone),
        TEST_SMALL(an_add_renewed_repeatedly_is_reported_once_to_later_listeners),
        TEST_SMALL(an_add_renewed_after_it_was_reported_is_reported_again),
        TEST_SMALL(an_add_to_another_entity_ends_nothing),
        TEST_SMALL(a_set_is_reported_also_when_the_value_is_renewed_meanwhile),
        TEST_WORLD(typed_functions_keep_the_rule_for_what_is_renewed),
        TEST_SMALL(a_leaving_component_can_be_read_and_not_changed),
        TEST_SMALL(the_rest_of_an_entity_can_be_changed_while_a_component_leaves),
        TEST_SMALL(destroying_while_a_component_leaves_does_not_announce_it_again),
        TEST_SMALL(a_dying_entity_can_be_read_and_not_changed),
        TEST_SMALL(the_sentence_about_what_goes_names_it),
        TEST_WORLD(typed_functions_keep_the_rules_for_what_is_dying),
        TEST_SMALL(listeners_nest_32_deep),
        TEST_SMALL(a_set_that_nests_too_deep_changes_nothing),
        TEST_SMALL(a_destroy_that_nests_too_deep_changes_nothing),
        TEST_SMALL(a_removal_that_nests_too_deep_changes_nothing),
        TEST_SMALL(a_singleton_that_nests_too_deep_is_not_changed),
        TEST_WORLD(removing_health_is_death),
        TEST_WORLD(death_by_destruction_is_one_death),
        TEST_WORLD(entities_may_be_destroyed_in_a_loop_over_their_health),
        TEST_SMALL(listeners_in_a_loop_keep_its_contract),
        TEST_SMALL(a_listener_may_walk),
        TEST_SMALL(a_listener_cannot_end_a_loop_begun_before_it),
        TEST_SMALL(a_listener_cannot_release_a_hold_before_it),
        TEST_SMALL(a_listener_may_step_an_outer_loop_but_not_to_its_end),
        TEST_SMALL(a_loop_that_a_listener_leaves_open_is_named),
        TEST_SMALL(calls_that_move_rows_are_busy_in_a_listener),
        TEST_SMALL(removals_by_listeners_in_a_loop_wait_for_the_loop),
        TEST_SMALL(events_in_a_loop_are_reported_at_once),
        cmocka_unit_test(destroying_at_rest_has_the_result_of_destroying_in_a_hold),
    };
    return cmocka_run_group_tests_name("listener_calls", tests, NULL, NULL);
}
