// SPDX-License-Identifier: MIT
// Tests event queues: handlers, triggering, updates, and random programs against a plain model.
#include "kith_test.h"

typedef struct hit {
    kith_entity target;
    int         damage;
    int         left; // how often handlers answer with another event
} hit;

KITH_EVENT(hit, hit);

#define COUNT_OF(ARRAY) (sizeof(ARRAY) / sizeof(ARRAY)[0])

// --- fixture ---------------------------------------------------------------------------------

#define LOG_ROOM 64

typedef struct fixture {
    test_memory memory;
    kith_world *world;
    hit_queue   hits;
    kith_queue *bells; // events without bytes
    char        log[LOG_ROOM];
    uint32_t    length;
} fixture;

typedef struct ear {
    fixture      *f;
    char          name;
    kith_listener number;
    void (*act)(struct ear *ear, const hit *event);
} ear;

static int setup(void **state)
{
    fixture              *f     = calloc(1, sizeof *f);
    const kith_queue_desc bells = { .name = "bell" };
    f->world                    = test_world(&f->memory);
    assert_true(game_register(f->world));
    f->hits  = hit_of(f->world, 0);
    f->bells = kith_queue_of(f->world, &bells);
    assert_non_null(f->hits.queue);
    assert_non_null(f->bells);
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

static void note(fixture *f, char name, int number)
{
    assert_true(f->length + 3 < LOG_ROOM);
    f->log[f->length++] = name;
    f->log[f->length++] = (char)('0' + number);
    f->log[f->length++] = ' ';
}

static void handle_hit(kith_world *world, const hit *event, void *context)
{
    ear *me = context;
    assert_ptr_equal(world, me->f->world);
    note(me->f, me->name, event->damage);
    if (me->act != NULL) {
        me->act(me, event);
    }
}

static void handle_bell(kith_world *world, const void *event, void *context)
{
    ear *me = context;
    (void)world;
    (void)event;
    note(me->f, me->name, 0);
    if (me->act != NULL) {
        me->act(me, NULL);
    }
}

static ear listen(fixture *f, ear *me, char name, int32_t priority)
{
    me->f      = f;
    me->name   = name;
    me->number = hit_connect(f->hits, handle_hit, me, priority);
    assert_int_not_equal(me->number, 0);
    return *me;
}

static void listen_to_bells(fixture *f, ear *me, char name)
{
    const kith_handler_desc desc = { .call = handle_bell, .context = me };
    me->f                        = f;
    me->name                     = name;
    me->number                   = kith_queue_connect(f->bells, &desc);
    assert_int_not_equal(me->number, 0);
}

static void enqueue(fixture *f, int damage)
{
    assert_true(hit_enqueue(f->hits, (hit){ .damage = damage }));
}

#define assert_log(F, TEXT)                                                                        \
    do {                                                                                           \
        (F)->log[(F)->length] = 0;                                                                 \
        assert_string_equal((F)->log, TEXT);                                                       \
        (F)->length = 0;                                                                           \
    } while (0)

// --- order -----------------------------------------------------------------------------------

static void events_wait_and_come_in_their_order(void **state)
{
    fixture *f  = *state;
    ear      me = { 0 };
    listen(f, &me, 'a', 0);
    enqueue(f, 1);
    enqueue(f, 2);
    enqueue(f, 3);
    assert_int_equal(hit_count(f->hits), 3);
    assert_log(f, "");

    assert_int_equal(hit_update(f->hits), 3);

    assert_log(f, "a1 a2 a3 ");
    assert_int_equal(hit_count(f->hits), 0);
    assert_int_equal(hit_update(f->hits), 0);
    assert_log(f, "");
}

static void a_triggered_event_overtakes_those_that_wait(void **state)
{
    fixture *f  = *state;
    ear      me = { 0 };
    listen(f, &me, 'a', 0);
    enqueue(f, 1);

    assert_true(hit_trigger(f->hits, (hit){ .damage = 7 }));

    assert_log(f, "a7 ");
    assert_int_equal(hit_count(f->hits), 1);
    hit_update(f->hits);
    assert_log(f, "a1 ");
}

static void handlers_are_called_by_priority_then_by_age(void **state)
{
    fixture *f     = *state;
    ear      me[5] = { 0 };
    listen(f, &me[0], 'a', 0);
    listen(f, &me[1], 'b', 1);
    listen(f, &me[2], 'c', 0);
    listen(f, &me[3], 'd', -1);
    listen(f, &me[4], 'e', 1);

    hit_trigger(f->hits, (hit){ .damage = 1 });

    assert_log(f, "b1 e1 a1 c1 d1 ");
}

static void all_queues_are_updated_in_the_order_of_their_making(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { 0 };
    listen_to_bells(f, &me[1], 'b');
    listen(f, &me[0], 'a', 0);
    assert_true(kith_queue_enqueue(f->bells, NULL));
    enqueue(f, 1);
    enqueue(f, 2);

    assert_int_equal(kith_queue_update_all(f->world), 3);

    assert_log(f, "a1 a2 b0 ");
    assert_int_equal(kith_queue_update_all(f->world), 0);
}

static void an_event_without_a_handler_is_dropped(void **state)
{
    fixture *f  = *state;
    ear      me = { 0 };
    enqueue(f, 1);
    assert_true(hit_trigger(f->hits, (hit){ .damage = 2 }));
    assert_int_equal(hit_update(f->hits), 1);

    listen(f, &me, 'a', 0);
    assert_int_equal(hit_update(f->hits), 0);

    assert_log(f, "");
}

// --- what handlers do ------------------------------------------------------------------------

static void answer(ear *me, const hit *event)
{
    if (event->left > 0) {
        hit more = { .damage = event->damage + 1, .left = event->left - 1 };
        assert_true(hit_enqueue(me->f->hits, more));
    }
    assert_true(kith_queue_enqueue(me->f->bells, NULL));
    assert_world_valid(me->f->world);
}

static void what_a_handler_enqueues_waits_for_the_next_update(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { { .act = answer }, { 0 } };
    listen(f, &me[0], 'a', 0);
    listen_to_bells(f, &me[1], 'b');
    hit_enqueue(f->hits, (hit){ .damage = 1, .left = 2 });

    assert_int_equal(hit_update(f->hits), 1);
    assert_log(f, "a1 ");
    assert_int_equal(kith_queue_update_all(f->world), 2);
    assert_log(f, "a2 b0 "); // the bell is that of the first update, not of this one
    assert_int_equal(kith_queue_update_all(f->world), 2);
    assert_log(f, "a3 b0 ");
    assert_int_equal(kith_queue_update_all(f->world), 1);
    assert_log(f, "b0 ");
}

// Grows the queue from inside: the event that is being delivered stays where it is.
static void answer_often(ear *me, const hit *event)
{
    for (int i = 0; i < 100 && event->left == 0; i++) {
        assert_true(hit_enqueue(me->f->hits, (hit){ .damage = 9, .left = 1 }));
    }
    assert_int_equal(event->damage, 1);
    hit_clear(me->f->hits);
}

static void an_event_stays_where_it_is_while_others_are_enqueued(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { { .act = answer_often }, { 0 } };
    listen(f, &me[0], 'a', 0);
    listen(f, &me[1], 'b', 0);
    enqueue(f, 1);

    assert_int_equal(hit_update(f->hits), 1);

    assert_log(f, "a1 b1 ");
    assert_int_equal(hit_count(f->hits), 0);
}

static void clear_at_two(ear *me, const hit *event)
{
    if (event->damage == 2) {
        enqueue(me->f, 8);
        assert_int_equal(hit_count(me->f->hits), 3);
        hit_clear(me->f->hits);
        assert_int_equal(hit_count(me->f->hits), 0);
        enqueue(me->f, 9);
    }
}

static void clearing_drops_what_an_update_has_not_come_to(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { { .act = clear_at_two }, { 0 } };
    listen(f, &me[0], 'a', 0);
    listen(f, &me[1], 'b', 0);
    for (int i = 1; i <= 4; i++) {
        enqueue(f, i);
    }

    assert_int_equal(hit_update(f->hits), 2);

    assert_log(f, "a1 b1 a2 b2 ");
    assert_int_equal(hit_update(f->hits), 1);
    assert_log(f, "a9 b9 ");
}

static ear *victim;
static ear *newcomer;

static void disconnect_victim(ear *me, const hit *event)
{
    (void)event;
    assert_int_equal(kith_listener_disconnect(me->f->world, victim->number), victim->number != 0);
    victim->number = 0;
}

static void a_disconnected_handler_is_never_called_again(void **state)
{
    fixture *f     = *state;
    ear      me[3] = { { .act = disconnect_victim }, { 0 }, { 0 } };
    listen(f, &me[0], 'a', 0);
    listen(f, &me[1], 'b', 0);
    listen(f, &me[2], 'c', 0);
    victim = &me[1];
    enqueue(f, 1);
    enqueue(f, 2);

    hit_update(f->hits);

    assert_log(f, "a1 c1 a2 c2 ");
    assert_false(kith_listener_disconnect(f->world, 77));
}

static void a_handler_can_disconnect_itself(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { { .act = disconnect_victim }, { 0 } };
    listen(f, &me[0], 'a', 0);
    listen(f, &me[1], 'b', 0);
    victim = &me[0];

    hit_trigger(f->hits, (hit){ .damage = 1 });
    hit_trigger(f->hits, (hit){ .damage = 2 });

    assert_log(f, "a1 b1 b2 ");
}

static void connect_newcomer(ear *me, const hit *event)
{
    if (event->damage == 1) {
        listen(me->f, newcomer, 'n', 5);
    }
}

static void a_connected_handler_is_first_called_for_the_next_event(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { { .act = connect_newcomer }, { 0 } };
    listen(f, &me[0], 'a', 0);
    newcomer = &me[1];
    enqueue(f, 1);
    enqueue(f, 2);

    hit_update(f->hits);

    assert_log(f, "a1 n2 a2 ");
}

static void destroy_target(ear *me, const hit *event)
{
    kith_entity_destroy(me->f->world, event->target);
    assert_false(kith_entity_alive(me->f->world, event->target));
    assert_int_not_equal(kith_entity_create(me->f->world), KITH_NULL);
}

static void handlers_may_destroy_the_entity_that_an_event_names(void **state)
{
    fixture    *f    = *state;
    ear         me   = { .act = destroy_target };
    kith_entity ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 2 });
    listen(f, &me, 'a', 0);
    hit_enqueue(f->hits, (hit){ .target = ship, .damage = 1 });
    hit_enqueue(f->hits, (hit){ .target = ship, .damage = 2 });

    hit_update(f->hits);

    assert_log(f, "a1 a2 ");
    assert_int_equal(position_count(f->world), 0);
    assert_int_equal(kith_entity_count(f->world), 2);
}

// A loop that a handler leaves open stays open, and loops around it cannot be closed by it.
static void close_too_much(ear *me, const hit *event)
{
    (void)event;
    assert_false(kith_world_release(me->f->world));
    assert_true(kith_world_hold(me->f->world));
    assert_true(kith_world_release(me->f->world));
}

static void a_handler_closes_only_loops_of_its_own(void **state)
{
    fixture *f  = *state;
    ear      me = { .act = close_too_much };
    listen(f, &me, 'a', 0);
    assert_true(kith_world_hold(f->world));

    assert_true(hit_trigger(f->hits, (hit){ .damage = 1 }));

    assert_true(kith_world_release(f->world));
    assert_log(f, "a1 ");
}

// --- nesting ---------------------------------------------------------------------------------

static int deepest;

static void trigger_again(ear *me, const hit *event)
{
    deepest       = event->damage > deepest ? event->damage : deepest;
    me->f->length = 0;
    if (hit_trigger(me->f->hits, (hit){ .damage = event->damage + 1 })) {
        return;
    }
    assert_error_text(me->f->world, "kith_queue_trigger: the nesting of events inside listeners is "
                                    "limited to 32");
    assert_true(kith_queue_enqueue(me->f->bells, NULL));
    assert_int_equal(kith_queue_update(me->f->bells), 0);
    assert_error(me->f->world, KITH_ERROR_LIMIT);
    assert_int_equal(kith_queue_count(me->f->bells), 1);
}

static void triggers_nest_32_deep(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { { .act = trigger_again }, { 0 } };
    listen(f, &me[0], 'a', 0);
    listen_to_bells(f, &me[1], 'b');
    deepest = 0;

    assert_true(hit_trigger(f->hits, (hit){ .damage = 1 }));

    assert_int_equal(deepest, 32);
    f->length = 0;
    assert_int_equal(kith_queue_update(f->bells), 1);
}

static void update_again(ear *me, const hit *event)
{
    if (event->left != 0) {
        return;
    }
    enqueue(me->f, 5);
    assert_int_equal(hit_update(me->f->hits), 0);
    assert_error_text(me->f->world, "kith_queue_update: the queue is being updated: \"hit\"");
    assert_int_equal(kith_queue_update_all(me->f->world), 0);
    assert_error_text(me->f->world, "kith_queue_update_all: the queue is being updated: \"hit\"");
    assert_false(hit_reserve(me->f->hits, 1000));
    assert_error_text(me->f->world, "kith_queue_reserve: the queue is being updated: \"hit\"");
    assert_true(kith_queue_enqueue(me->f->bells, NULL));
    assert_int_equal(kith_queue_update(me->f->bells), 1);
    assert_true(hit_trigger(me->f->hits, (hit){ .damage = 6, .left = 1 }));
}

static void a_queue_is_not_updated_from_its_own_update(void **state)
{
    fixture *f     = *state;
    ear      me[2] = { { .act = update_again }, { 0 } };
    listen(f, &me[0], 'a', 0);
    listen_to_bells(f, &me[1], 'b');
    enqueue(f, 1);

    assert_int_equal(hit_update(f->hits), 1);

    assert_log(f, "a1 b0 a6 ");
    assert_int_equal(hit_count(f->hits), 1);
}

// --- making and limits -----------------------------------------------------------------------

static void a_queue_is_found_by_its_name(void **state)
{
    fixture *f = *state;

    assert_ptr_equal(hit_of(f->world, 0).queue, f->hits.queue);
    assert_ptr_equal(kith_queue_find(f->world, "hit"), f->hits.queue);
    assert_ptr_equal(kith_queue_find(f->world, "bell"), f->bells);
    assert_null(kith_queue_find(f->world, "gong"));
    assert_string_equal(kith_queue_describe(f->bells)->name, "bell");
    assert_int_equal(kith_queue_describe(f->hits.queue)->size, sizeof(hit));
    assert_int_equal(kith_queue_describe(f->hits.queue)->alignment, _Alignof(hit));
    assert_int_equal(kith_queue_describe(f->bells)->alignment, 1);
}

static void a_name_with_another_description_is_refused(void **state)
{
    fixture        *f     = *state;
    kith_queue_desc sized = { .name = "bell", .size = 4 };
    kith_queue_desc apart = { .name = "hit", .size = sizeof(hit), .alignment = 1 };

    assert_null(kith_queue_of(f->world, &sized));
    assert_error_text(f->world, "kith_queue_of: \"bell\" is registered with size none, not 4");
    assert_null(kith_queue_of(f->world, &apart));
    assert_error_text(f->world, "kith_queue_of: \"hit\" is registered with alignment 8, not 1");
    assert_null(hit_of(f->world, 3).queue);
    assert_error_text(f->world, "kith_queue_of: \"hit\" is registered with limit none, not 3");
}

static void how_events_are_saved_is_said_once(void **state)
{
    fixture          *f     = *state;
    kith_queue_desc   desc  = { .name = "bell" };
    const kith_fields table = { "hit", sizeof(hit), _Alignof(hit), NULL, 0 };

    desc.saved = (kith_saved){ .form = KITH_FORM_FIELDS, .fields = &table };
    assert_null(kith_queue_of(f->world, &desc));
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_ARGUMENT);
    desc.saved = (kith_saved){ .form = KITH_FORM_TRANSIENT };
    assert_ptr_equal(kith_queue_of(f->world, &desc), f->bells);
    assert_int_equal(kith_queue_describe(f->bells)->saved.form, KITH_FORM_TRANSIENT);
    desc.saved = (kith_saved){ .form = KITH_FORM_NONE };
    assert_ptr_equal(kith_queue_of(f->world, &desc), f->bells);
    desc.saved = (kith_saved){ .form = KITH_FORM_PLAIN, .unit = 1 };
    assert_null(kith_queue_of(f->world, &desc));
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_CONFLICT);
    assert_string_equal(kith_world_error(f->world).subject, "schema");
}

static void an_invalid_queue_is_explained(void **state)
{
    fixture              *f       = *state;
    const kith_queue_desc wrong[] = {
        { .name = NULL, .size = 4, .alignment = 4 },
        { .name = "", .size = 4, .alignment = 4 },
        { .name = "q", .size = 4, .alignment = 3 },
        { .name = "q", .size = 8192, .alignment = 8192 },
        { .name = "q", .size = 6, .alignment = 4 },
        { .name = "q", .size = 6, .saved = { .form = KITH_FORM_PLAIN, .unit = 4 } },
    };
    const char *texts[] = {
        "kith_queue_of: a queue needs a name",
        "kith_queue_of: a queue needs a name (\"\")",
        "kith_queue_of: alignment must be a power of two up to 4096 (\"q\")",
        "kith_queue_of: alignment must be a power of two up to 4096 (\"q\")",
        "kith_queue_of: alignment must divide size (\"q\")",
        "kith_queue_of: the unit must be 1, 2, 4 or 8 and divide the size (\"q\")",
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                       kith_queue_of(f->world, &wrong[i]));
        assert_error_text(f->world, texts[i]);
    }
    assert_null(kith_queue_find(f->world, "q"));
}

static void calls_without_what_they_need_are_refused(void **state)
{
    fixture                *f     = *state;
    const kith_handler_desc empty = { 0 };

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_queue_connect(f->bells, &empty));
    assert_error_text(f->world, "kith_queue_connect: there is no function to call (\"bell\")");
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, hit_connect(f->hits, NULL, NULL, 0));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_queue_enqueue(f->hits.queue, NULL));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_queue_trigger(f->hits.queue, NULL));
    assert_int_equal(hit_count(f->hits), 0);
}

static void a_queue_that_was_not_made_has_no_events(void **state)
{
    fixture  *f    = *state;
    hit_queue none = { NULL };

    assert_false(hit_enqueue(none, (hit){ .damage = 1 }));
    assert_false(hit_trigger(none, (hit){ .damage = 1 }));
    assert_int_equal(hit_connect(none, handle_hit, NULL, 0), 0);
    assert_int_equal(hit_update(none), 0);
    assert_int_equal(hit_count(none), 0);
    assert_false(hit_reserve(none, 1));
    hit_clear(none);

    assert_error(f->world, KITH_OK);
    assert_int_equal(f->memory.errors, 0);
}

static void fill_again(ear *me, const hit *event)
{
    kith_queue *queue = kith_queue_find(me->f->world, "narrow");
    (void)event;
    // one of three is being delivered, two wait for their turn: there is room for one
    assert_int_equal(kith_queue_count(queue), 2);
    assert_true(kith_queue_enqueue(queue, NULL));
    assert_false(kith_queue_enqueue(queue, NULL));
    kith_queue_clear(queue);
}

static void a_limit_counts_all_that_wait(void **state)
{
    fixture                *f      = *state;
    const kith_queue_desc   narrow = { .name = "narrow", .limit = 3 };
    kith_queue             *queue  = kith_queue_of(f->world, &narrow);
    ear                     me     = { .f = f, .name = 'a', .act = fill_again };
    const kith_handler_desc desc   = { .call = handle_bell, .context = &me };
    for (int i = 0; i < 3; i++) {
        assert_true(kith_queue_enqueue(queue, NULL));
    }

    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT, kith_queue_enqueue(queue, NULL));
    assert_error_text(f->world, "kith_queue_enqueue: the queue \"narrow\" is limited to 3 events");
    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT, kith_queue_reserve(queue, 4));
    assert_error_text(f->world, "kith_queue_reserve: the queue \"narrow\" is limited to 3 events, "
                                "the call asks for 4");
    assert_int_equal(kith_queue_count(queue), 3);
    assert_int_not_equal(kith_queue_connect(queue, &desc), 0);
    assert_int_equal(kith_queue_update(queue), 1);
}

// --- hooks -----------------------------------------------------------------------------------

static bool try_everything(void *value, void *context)
{
    fixture                *f     = context;
    const kith_queue_desc   other = { .name = "other" };
    const kith_handler_desc desc  = { .call = handle_bell, .context = NULL };
    uint32_t                had   = kith_queue_count(f->bells);
    *(int *)value                 = 0;
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_queue_of(f->world, &other));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_queue_connect(f->bells, &desc));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_queue_enqueue(f->bells, NULL));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_queue_trigger(f->bells, NULL));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_queue_update(f->bells));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_queue_update_all(f->world));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_queue_reserve(f->bells, 1));
    kith_world_error_clear(f->world);
    kith_queue_clear(f->bells);
    assert_error(f->world, KITH_ERROR_BUSY);
    assert_int_equal(kith_queue_count(f->bells), had);
    return true;
}

static void hooks_only_ask(void **state)
{
    fixture                  *f    = *state;
    const kith_component_desc desc = { .name      = "nosy",
                                       .id        = 20,
                                       .size      = sizeof(int),
                                       .alignment = _Alignof(int),
                                       .traits    = { .hooks = { .construct = try_everything,
                                                                 .context   = f } } };
    kith_component_register(f->world, &desc);
    kith_queue_enqueue(f->bells, NULL);

    assert_non_null(kith_component_add(f->world, kith_entity_create(f->world), 20, NULL));
}

// --- memory ----------------------------------------------------------------------------------

static void a_queue_stops_allocating(void **state)
{
    fixture *f           = *state;
    uint32_t allocations = 0;
    for (int frame = 0; frame < 20; frame++) {
        allocations = frame == 2 ? f->memory.allocations : allocations;
        for (int i = 0; i < 40; i++) {
            enqueue(f, i);
        }
        assert_int_equal(hit_update(f->hits), 40);
    }
    assert_int_equal(f->memory.allocations, allocations);
}

static void reserved_room_needs_no_memory(void **state)
{
    fixture *f = *state;
    assert_true(hit_reserve(f->hits, 100));
    f->memory.fail_all = true;
    for (int frame = 0; frame < 3; frame++) {
        for (int i = 0; i < 100; i++) {
            enqueue(f, i);
        }
        assert_int_equal(hit_update(f->hits), 100);
    }
    f->memory.fail_all = false;
}

static void queued_events_survive_failed_allocations(void **state)
{
    fixture *f  = *state;
    ear      me = { 0 };
    for (int i = 1; i <= 5; i++) {
        enqueue(f, i);
    }
    for (int i = 0; i < 11; i++) {
        enqueue(f, 6);
    }
    f->memory.fail_all = true;
    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY, hit_enqueue(f->hits, (hit){ 0 }));
    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY, hit_reserve(f->hits, 17));
    f->memory.fail_all = false;
    hit_reserve(f->hits, 17);
    assert_int_equal(hit_count(f->hits), 16);

    listen(f, &me, 'a', 0);
    assert_int_equal(hit_update(f->hits), 16);

    assert_log(f, "a1 a2 a3 a4 a5 a6 a6 a6 a6 a6 a6 a6 a6 a6 a6 a6 ");
}

static void shrinking_keeps_queued_events(void **state)
{
    fixture *f  = *state;
    ear      me = { 0 };
    size_t   bytes;
    listen(f, &me, 'a', 0);
    hit_reserve(f->hits, 1000);
    enqueue(f, 1);
    bytes = f->memory.live_bytes;

    assert_true(kith_world_shrink(f->world));
    assert_int_equal(f->memory.live_bytes, bytes - 1000 * sizeof(hit));
    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, f->memory.live_bytes);
    hit_update(f->hits);
    assert_true(kith_world_shrink(f->world));

    assert_int_equal(f->memory.live_bytes, bytes - 2000 * sizeof(hit));
    assert_log(f, "a1 ");
}

static void events_are_aligned_as_asked(void **state)
{
    fixture              *f     = *state;
    const kith_queue_desc desc  = { .name = "wide", .size = 64, .alignment = 64 };
    kith_queue           *queue = kith_queue_of(f->world, &desc);
    _Alignas(64) uint8_t  event[64];
    memset(event, 7, sizeof event);
    for (int i = 0; i < 20; i++) {
        assert_true(kith_queue_enqueue(queue, event));
    }
    assert_int_equal(kith_queue_update(queue), 20);
}

// --- at random -------------------------------------------------------------------------------

// What queues do, in the plainest way, next to the library.
enum { QUEUES = 3, EVENTS = 100, HANDLERS = 24, NUMBERS = 40000 };

typedef struct rumour {
    uint32_t number;
    uint32_t depth; // of triggers
} rumour;

typedef struct naive_queue {
    rumour   events[EVENTS];
    uint32_t count;
    uint32_t taken; // of these, how many an update delivers
    bool     updating;
    uint32_t handlers[HANDLERS]; // numbers, in the order in which they are called
    int32_t  priorities[HANDLERS];
    uint32_t handler_count;
} naive_queue;

typedef struct play {
    kith_world  *world;
    bool         naive; // whose turn it is
    kith_queue  *queues[QUEUES];
    naive_queue  models[QUEUES];
    uint32_t     connected[2]; // how many handlers there were, real and naive
    uint32_t     numbers[2];   // of events, the same
    uint32_t     present[2][QUEUES];
    uint64_t     reported[2]; // a sum of all that was delivered
    uint32_t     calls[2];
    struct tale *tales;
} play;

// A handler: what it does is a function of its number and of the event.
typedef struct tale {
    play         *play;
    uint32_t      number;
    uint32_t      queue;
    kith_listener listener;
} tale;

static void handle_rumour(tale *teller, const rumour *event);

static void handle_real(kith_world *world, const void *event, void *context)
{
    (void)world;
    handle_rumour(context, event);
}

static uint32_t limit_of(uint32_t queue)
{
    return queue == 1 ? 12 : 0;
}

static void call_naive(play *p, uint32_t queue, rumour event)
{
    naive_queue *model = &p->models[queue];
    uint32_t     present[HANDLERS];
    uint32_t     count = model->handler_count;
    memcpy(present, model->handlers, sizeof present);
    for (uint32_t i = 0; i < count; i++) {
        bool there = false;
        for (uint32_t k = 0; k < model->handler_count; k++) {
            there = there || model->handlers[k] == present[i];
        }
        if (there) {
            handle_rumour(&p->tales[present[i]], &event);
        }
    }
}

static bool play_enqueue(play *p, uint32_t queue, rumour event)
{
    naive_queue *model = &p->models[queue];
    if (!p->naive) {
        return kith_queue_enqueue(p->queues[queue], &event);
    }
    if (limit_of(queue) != 0 && model->count >= limit_of(queue)) {
        return false;
    }
    assert_true(model->count < EVENTS);
    model->events[model->count++] = event;
    return true;
}

static bool play_trigger(play *p, uint32_t queue, rumour event)
{
    if (!p->naive) {
        return kith_queue_trigger(p->queues[queue], &event);
    }
    call_naive(p, queue, event);
    return true;
}

static void play_clear(play *p, uint32_t queue)
{
    if (p->naive) {
        p->models[queue].count = 0;
        p->models[queue].taken = 0;
    } else {
        kith_queue_clear(p->queues[queue]);
    }
}

static uint32_t deliver_naive(play *p, uint32_t queue)
{
    naive_queue *model     = &p->models[queue];
    uint32_t     delivered = 0;
    for (; model->taken > 0; delivered++) {
        rumour first = model->events[0];
        memmove(model->events, model->events + 1, --model->count * sizeof first);
        model->taken--;
        call_naive(p, queue, first);
    }
    model->updating = false;
    return delivered;
}

static bool begin_naive(play *p, uint32_t first, uint32_t end)
{
    for (uint32_t queue = first; queue < end; queue++) {
        if (p->models[queue].updating) {
            return false;
        }
    }
    for (uint32_t queue = first; queue < end; queue++) {
        p->models[queue].taken    = p->models[queue].count;
        p->models[queue].updating = true;
    }
    return true;
}

// QUEUES means all.
static uint32_t play_update(play *p, uint32_t queue)
{
    bool     all       = queue == QUEUES;
    uint32_t first     = all ? 0 : queue;
    uint32_t end       = all ? QUEUES : queue + 1;
    uint32_t delivered = 0;
    if (!p->naive) {
        return all ? kith_queue_update_all(p->world) : kith_queue_update(p->queues[queue]);
    }
    if (begin_naive(p, first, end)) {
        for (queue = first; queue < end; queue++) {
            delivered += deliver_naive(p, queue);
        }
    }
    return delivered;
}

static void play_connect(play *p, uint32_t queue, int32_t priority)
{
    uint32_t number = p->connected[p->naive];
    tale    *teller = &p->tales[number];
    if (number == NUMBERS || p->present[p->naive][queue] == HANDLERS) {
        return;
    }
    p->connected[p->naive]++;
    p->present[p->naive][queue]++;
    teller->play   = p;
    teller->number = number;
    teller->queue  = queue;
    if (!p->naive) {
        const kith_handler_desc desc = { .call     = handle_real,
                                         .context  = teller,
                                         .priority = priority };
        teller->listener             = kith_queue_connect(p->queues[queue], &desc);
        assert_int_not_equal(teller->listener, 0);
        return;
    }
    naive_queue *model = &p->models[queue];
    uint32_t     at    = model->handler_count++;
    for (; at > 0 && model->priorities[at - 1] < priority; at--) {
        model->priorities[at] = model->priorities[at - 1];
        model->handlers[at]   = model->handlers[at - 1];
    }
    model->priorities[at] = priority;
    model->handlers[at]   = number;
}

static bool disconnect_naive(naive_queue *model, uint32_t number)
{
    for (uint32_t i = 0; i < model->handler_count; i++) {
        if (model->handlers[i] == number) {
            model->handler_count--;
            memmove(model->handlers + i, model->handlers + i + 1,
                    (model->handler_count - i) * sizeof *model->handlers);
            memmove(model->priorities + i, model->priorities + i + 1,
                    (model->handler_count - i) * sizeof *model->priorities);
            return true;
        }
    }
    return false;
}

static bool play_disconnect(play *p, uint32_t number)
{
    if (p->connected[p->naive] == 0) {
        return false;
    }
    tale *teller = &p->tales[number % p->connected[p->naive]];
    bool  done   = p->naive ? disconnect_naive(&p->models[teller->queue], teller->number)
                            : kith_listener_disconnect(p->world, teller->listener);
    p->present[p->naive][teller->queue] -= done;
    return done;
}

static uint32_t play_count(play *p, uint32_t queue)
{
    return p->naive ? p->models[queue].count : kith_queue_count(p->queues[queue]);
}

static void remember(play *p, uint64_t what)
{
    p->reported[p->naive] = (p->reported[p->naive] ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    p->reported[p->naive] ^= p->reported[p->naive] >> 29;
}

static rumour next_rumour(play *p, uint32_t depth)
{
    return (rumour){ p->numbers[p->naive]++, depth };
}

// One step of chance: the same for both, as long as both are alike.
static void act_at_random(play *p, uint64_t *seed, uint32_t depth)
{
    uint32_t queue = test_random_below(seed, QUEUES);
    switch (test_random_below(seed, 12)) {
    case 0:
        play_connect(p, queue, (int32_t)test_random_below(seed, 3) - 1);
        break;
    case 1:
        remember(p, play_disconnect(p, (uint32_t)test_random(seed)));
        break;
    case 2:
        remember(p, depth < 4 && play_trigger(p, queue, next_rumour(p, depth + 1)));
        break;
    case 3:
        remember(p, play_update(p, test_random_below(seed, QUEUES + 1)));
        break;
    case 4:
        if (test_random_below(seed, 4) == 0) {
            play_clear(p, queue);
        }
        break;
    default:
        remember(p, play_count(p, queue) < 60 && play_enqueue(p, queue, next_rumour(p, depth)));
    }
    remember(p, play_count(p, queue));
}

static void handle_rumour(tale *teller, const rumour *event)
{
    play    *p    = teller->play;
    uint64_t seed = (uint64_t)event->number << 32 | teller->number;
    remember(p, seed);
    p->calls[p->naive]++;
    if (event->depth < 4 && test_random_below(&seed, 3) == 0) {
        act_at_random(p, &seed, event->depth + 1);
    }
}

static void any_sequence_is_delivered_as_in_the_plain_model(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    play    *p    = calloc(1, sizeof *p);
    p->world      = f->world;
    p->tales      = calloc(NUMBERS, sizeof *p->tales);
    for (uint32_t queue = 0; queue < QUEUES; queue++) {
        const char           *names[] = { "one", "two", "three" };
        const kith_queue_desc desc    = { .name      = names[queue],
                                          .size      = sizeof(rumour),
                                          .alignment = _Alignof(rumour),
                                          .limit     = limit_of(queue) };
        p->queues[queue]              = kith_queue_of(f->world, &desc);
    }
    for (uint32_t step = 0; step < 500 + test_thinned(6000); step++) {
        uint64_t same = test_random(&seed);
        uint64_t copy = same;
        p->naive      = false;
        act_at_random(p, &same, 0);
        p->naive = true;
        act_at_random(p, &copy, 0);
        assert_true(p->reported[0] == p->reported[1]);
        assert_int_equal(p->calls[0], p->calls[1]);
        assert_int_equal(p->connected[0], p->connected[1]);
        assert_world_valid(f->world);
    }
    assert_true(p->calls[0] > 50);
    free(p->tales);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_wait_and_come_in_their_order),
        TEST(a_triggered_event_overtakes_those_that_wait),
        TEST(handlers_are_called_by_priority_then_by_age),
        TEST(all_queues_are_updated_in_the_order_of_their_making),
        TEST(an_event_without_a_handler_is_dropped),
        TEST(what_a_handler_enqueues_waits_for_the_next_update),
        TEST(an_event_stays_where_it_is_while_others_are_enqueued),
        TEST(clearing_drops_what_an_update_has_not_come_to),
        TEST(a_disconnected_handler_is_never_called_again),
        TEST(a_handler_can_disconnect_itself),
        TEST(a_connected_handler_is_first_called_for_the_next_event),
        TEST(handlers_may_destroy_the_entity_that_an_event_names),
        TEST(a_handler_closes_only_loops_of_its_own),
        TEST(triggers_nest_32_deep),
        TEST(a_queue_is_not_updated_from_its_own_update),
        TEST(a_queue_is_found_by_its_name),
        TEST(a_name_with_another_description_is_refused),
        TEST(how_events_are_saved_is_said_once),
        TEST(an_invalid_queue_is_explained),
        TEST(calls_without_what_they_need_are_refused),
        TEST(a_queue_that_was_not_made_has_no_events),
        TEST(a_limit_counts_all_that_wait),
        TEST(hooks_only_ask),
        TEST(a_queue_stops_allocating),
        TEST(reserved_room_needs_no_memory),
        TEST(queued_events_survive_failed_allocations),
        TEST(shrinking_keeps_queued_events),
        TEST(events_are_aligned_as_asked),
        TEST(any_sequence_is_delivered_as_in_the_plain_model),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
