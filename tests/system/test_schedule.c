// SPDX-License-Identifier: MIT
// The order of systems, ambiguous pairs, the plan as text, and what a checked schedule refuses.
#include "kith_test.h"

#include <stdio.h>

KITH_QUERY(movers, write(position), read(velocity));
KITH_QUERY(placed, read(position));
KITH_QUERY(sped, write(velocity));
KITH_QUERY(perhaps, optional_write(health), any(position, velocity), without(frozen));
KITH_SINGLETON(season, int, 20);

static void idle(const kith_turn *turn)
{
    (void)turn;
}

static kith_system *make(kith_world *world, kith_system_desc desc)
{
    desc.run            = desc.run == NULL && desc.each == NULL ? idle : desc.run;
    kith_system *system = kith_system_create(world, &desc);
    assert_non_null(system);
    assert_world_valid(world);
    return system;
}

// Names, and how many they are, as fields of a description.
#define BEFORE(...)                                                                                \
    .before       = (const char *[]){ __VA_ARGS__ },                                               \
    .before_count = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)
#define AFTER(...)                                                                                 \
    .after       = (const char *[]){ __VA_ARGS__ },                                                \
    .after_count = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)
#define READS(...)                                                                                 \
    .reads      = (kith_component[]){ __VA_ARGS__ },                                               \
    .read_count = sizeof((kith_component[]){ __VA_ARGS__ }) / sizeof(kith_component)
#define WRITES(...)                                                                                \
    .writes      = (kith_component[]){ __VA_ARGS__ },                                              \
    .write_count = sizeof((kith_component[]){ __VA_ARGS__ }) / sizeof(kith_component)

static void assert_order(const kith_world *world, const char *expected)
{
    char   text[256] = "";
    size_t length    = 0;
    for (kith_system *s = kith_system_next(world, NULL); s != NULL;
         s              = kith_system_next(world, s)) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                   length == 0 ? "" : " ", kith_system_describe(s)->name);
    }
    assert_string_equal(text, expected);
}

// --- order -----------------------------------------------------------------------------------

static void systems_run_by_phase_constraint_and_creation(void **state)
{
    test_fixture *f = *state;
    make(f->world, (kith_system_desc){ .name = "late", .phase = 1 });
    make(f->world, (kith_system_desc){ .name = "c", AFTER("b") });
    make(f->world, (kith_system_desc){ .name = "a" });
    make(f->world, (kith_system_desc){ .name = "early", .phase = -1 });
    make(f->world, (kith_system_desc){ .name = "b" });
    make(f->world, (kith_system_desc){ .name = "d", BEFORE("a") });
    assert_order(f->world, "early b c d a late");
    assert_true(kith_system_destroy(kith_system_find(f->world, "b")));
    assert_order(f->world, "early c d a late");
}

static void cycles_are_refused_with_their_names(void **state)
{
    test_fixture *f = *state;
    make(f->world, (kith_system_desc){ .name = "a", BEFORE("b") });
    make(f->world, (kith_system_desc){ .name = "b" });
    make(f->world, (kith_system_desc){ .name = "c", AFTER("b"), BEFORE("d") });
    kith_system_desc d = { .name = "d", .run = idle, BEFORE("a") };

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_system_create(f->world, &d));

    assert_error_text(f->world, "kith_system_create: systems form a cycle: "
                                "\"d\" -> \"a\" -> \"b\" -> \"c\" -> \"d\"");
    assert_order(f->world, "a b c");
    assert_world_valid(f->world);
}

static void the_shortest_cycle_is_reported(void **state)
{
    test_fixture *f = *state;
    make(f->world, (kith_system_desc){ .name = "a", BEFORE("b", "z") });
    make(f->world, (kith_system_desc){ .name = "b", BEFORE("c") });
    make(f->world, (kith_system_desc){ .name = "c", BEFORE("z") });
    kith_system_desc z = { .name = "z", .run = idle, BEFORE("a") };
    assert_null(kith_system_create(f->world, &z));
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "cycle: \"z\" -> \"a\" -> \"z\"");
    kith_system_desc self = { .name = "self", .run = idle, AFTER("self") };
    assert_null(kith_system_create(f->world, &self));
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "cycle: \"self\" -> \"self\"");
}

static void a_way_round_that_is_too_long_ends_in_dots(void **state)
{
    test_fixture *f = *state;
    char          names[41][16];
    for (uint32_t i = 0; i < 41; i++) {
        snprintf(names[i], sizeof names[i], "system%u", (unsigned)i);
    }
    for (uint32_t i = 0; i < 40; i++) {
        make(f->world, (kith_system_desc){ .name = names[i], BEFORE(names[i + 1]) });
    }
    kith_system_desc last = { .name = names[40], .run = idle, BEFORE(names[0]) };

    assert_null(kith_system_create(f->world, &last));

    const char *way = kith_world_error(f->world).other;
    assert_memory_equal(way, "\"system40\" -> \"system0\" -> \"system1\" -> ", 40);
    assert_string_equal(way + strlen(way) - 4, " ...");
}

static void phases_and_constraints_may_not_contradict(void **state)
{
    test_fixture *f = *state;
    make(f->world, (kith_system_desc){ .name = "early", AFTER("late") });
    kith_system_desc late = { .name = "late", .run = idle, .phase = 1 };
    assert_null(kith_system_create(f->world, &late));
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "cycle: \"late\" -> \"early\" -> \"late\"");
}

// --- against a naive model -------------------------------------------------------------------

enum { MOST = 70, IDS_MOST = 5 };

typedef struct naive {
    char     name[8];
    int32_t  phase;
    bool     reads[IDS_MOST + 1];
    bool     writes[IDS_MOST + 1];
    uint32_t before[3]; // numbers of names, of systems that may come later
    uint32_t after[3];
    uint32_t before_count;
    uint32_t after_count;
} naive;

typedef struct naive_schedule {
    naive    systems[MOST];
    uint32_t numbers[MOST]; // by creation: the number in each name
    uint32_t count;
} naive_schedule;

static bool has_number(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found = found || numbers[i] == number;
    }
    return found;
}

static bool directly_before(const naive_schedule *n, uint32_t a, uint32_t b)
{
    const naive *x = &n->systems[a], *y = &n->systems[b];
    return x->phase < y->phase || has_number(x->before, x->before_count, n->numbers[b]) ||
           has_number(y->after, y->after_count, n->numbers[a]);
}

// Which systems come before which, by going all ways.
static void spread(const naive_schedule *n, uint32_t from, uint32_t at, bool (*before)[MOST])
{
    for (uint32_t i = 0; i < n->count; i++) {
        if (directly_before(n, at, i) && !before[from][i]) {
            before[from][i] = true;
            spread(n, from, i, before);
        }
    }
}

static bool naive_before(const naive_schedule *n, bool (*before)[MOST])
{
    bool circle = false;
    memset(before, 0, sizeof(bool[MOST][MOST]));
    for (uint32_t i = 0; i < n->count; i++) {
        spread(n, i, i, before);
        circle = circle || before[i][i];
    }
    return !circle;
}

// By creation: always the first that nothing unplaced comes before.
static void naive_order(const naive_schedule *n, bool (*before)[MOST], uint32_t *order)
{
    bool chosen[MOST] = { false };
    for (uint32_t place = 0; place < n->count; place++) {
        for (uint32_t i = 0; i < n->count; i++) {
            bool ready = !chosen[i];
            for (uint32_t k = 0; k < n->count; k++) {
                ready = ready && (chosen[k] || !before[k][i]);
            }
            if (ready) {
                chosen[i]    = true;
                order[place] = i;
                break;
            }
        }
    }
}

static bool touches_nothing(const naive *x)
{
    bool touches = false;
    for (uint32_t id = 1; id <= IDS_MOST; id++) {
        touches = touches || x->reads[id] || x->writes[id];
    }
    return !touches;
}

// The component in which two systems conflict; 0: all; UINT32_MAX: none.
static uint32_t naive_conflict(const naive *x, const naive *y)
{
    if (touches_nothing(x) || touches_nothing(y)) {
        return 0;
    }
    for (uint32_t id = 1; id <= IDS_MOST; id++) {
        if ((x->writes[id] && (y->writes[id] || y->reads[id])) || (y->writes[id] && x->reads[id])) {
            return id;
        }
    }
    return UINT32_MAX;
}

static naive random_system(uint64_t *seed, uint32_t number)
{
    naive x = { .phase        = (int32_t)test_random_below(seed, 3) - 1,
                .before_count = test_random_below(seed, 3) / 2 * test_random_below(seed, 4),
                .after_count  = test_random_below(seed, 3) / 2 * test_random_below(seed, 4) };
    snprintf(x.name, sizeof x.name, "s%u", (unsigned)number);
    for (uint32_t i = 0; i < 3; i++) {
        x.before[i] = test_random_below(seed, MOST);
        x.after[i]  = test_random_below(seed, MOST);
    }
    for (uint32_t id = 1; id <= IDS_MOST; id++) {
        x.reads[id]  = test_random_below(seed, 4) == 0;
        x.writes[id] = test_random_below(seed, 6) == 0;
    }
    return x;
}

static uint32_t list_ids(const bool *has, kith_component *ids)
{
    uint32_t count = 0;
    for (uint32_t id = 1; id <= IDS_MOST; id++) {
        if (has[id]) {
            ids[count++] = id;
        }
    }
    return count;
}

static void write_names(const uint32_t *numbers, uint32_t count, char (*texts)[8],
                        const char **names)
{
    for (uint32_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "s%u", (unsigned)numbers[i]);
        names[i] = texts[i];
    }
}

static kith_system *create_as(kith_world *world, const naive *x)
{
    char             texts[6][8];
    const char      *before[3], *after[3];
    kith_component   reads[IDS_MOST], writes[IDS_MOST];
    kith_system_desc desc = { .name         = x->name,
                              .run          = idle,
                              .phase        = x->phase,
                              .before       = before,
                              .before_count = x->before_count,
                              .after        = after,
                              .after_count  = x->after_count,
                              .reads        = reads,
                              .read_count   = list_ids(x->reads, reads),
                              .writes       = writes,
                              .write_count  = list_ids(x->writes, writes) };
    write_names(x->before, x->before_count, texts, before);
    write_names(x->after, x->after_count, texts + 3, after);
    return kith_system_create(world, &desc);
}

static void assert_same_order(const kith_world *world, const naive_schedule *n,
                              const uint32_t *order)
{
    kith_system *system = NULL;
    for (uint32_t place = 0; place < n->count; place++) {
        system = kith_system_next(world, system);
        assert_non_null(system);
        assert_string_equal(kith_system_describe(system)->name, n->systems[order[place]].name);
    }
    assert_null(kith_system_next(world, system));
}

static void assert_same_pairs(const kith_world *world, const naive_schedule *n,
                              bool (*before)[MOST], const uint32_t          *order)
{
    static kith_ambiguity pairs[MOST * MOST];
    uint32_t              found = kith_schedule_ambiguities(world, pairs, MOST * MOST);
    uint32_t              at    = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        for (uint32_t k = i + 1; k < n->count; k++) {
            const naive *x = &n->systems[order[i]], *y = &n->systems[order[k]];
            uint32_t     common = naive_conflict(x, y);
            if (!before[order[i]][order[k]] && common != UINT32_MAX) {
                assert_true(at < found);
                assert_string_equal(kith_system_describe(pairs[at].first)->name, x->name);
                assert_string_equal(kith_system_describe(pairs[at].second)->name, y->name);
                assert_int_equal(pairs[at++].component, common);
            }
        }
    }
    assert_int_equal(at, found);
}

static void destroy_random(kith_world *world, naive_schedule *n, uint64_t *seed)
{
    uint32_t gone = test_random_below(seed, n->count);
    assert_true(kith_system_destroy(kith_system_find(world, n->systems[gone].name)));
    n->count--;
    memmove(&n->systems[gone], &n->systems[gone + 1], (n->count - gone) * sizeof *n->systems);
    memmove(&n->numbers[gone], &n->numbers[gone + 1], (n->count - gone) * sizeof *n->numbers);
}

static void create_random(kith_world *world, naive_schedule *n, uint64_t *seed)
{
    static bool before[MOST][MOST];
    uint32_t    number = test_random_below(seed, MOST);
    if (n->count == MOST || has_number(n->numbers, n->count, number)) {
        return;
    }
    n->systems[n->count]   = random_system(seed, number);
    n->numbers[n->count++] = number;
    bool         fits      = naive_before(n, before);
    kith_system *made      = create_as(world, &n->systems[n->count - 1]);
    assert_int_equal(made != NULL, fits);
    n->count -= !fits;
}

static void random_graphs_are_as_a_naive_model_has_them(void **state)
{
    test_fixture         *f    = *state;
    uint64_t              seed = test_seed();
    static naive_schedule n;
    static bool           before[MOST][MOST];
    uint32_t              order[MOST], most = 0;
    n.count = 0;
    for (uint32_t step = 0; step < test_thinned(3000); step++) {
        if (n.count != 0 && test_random_below(&seed, 8) == 0) {
            destroy_random(f->world, &n, &seed);
        } else {
            create_random(f->world, &n, &seed);
        }
        assert_true(naive_before(&n, before));
        naive_order(&n, before, order);
        assert_same_order(f->world, &n, order);
        assert_same_pairs(f->world, &n, before, order);
        most = n.count > most ? n.count : most;
    }
    assert_world_valid(f->world);
    assert_true(most > 10);
}

// --- ambiguous pairs -------------------------------------------------------------------------

static void access_comes_from_terms_and_lists(void **state)
{
    test_fixture  *f = *state;
    kith_ambiguity pairs[4];
    kith_system   *m = make(f->world, (kith_system_desc){ .name = "m", .query = movers_desc() });
    kith_system   *p = make(f->world, (kith_system_desc){ .name = "p", .query = placed_desc() });
    make(f->world, (kith_system_desc){ .name = "v", READS(VELOCITY) });
    assert_int_equal(kith_schedule_ambiguities(f->world, pairs, 4), 1);
    assert_ptr_equal(pairs[0].first, m);
    assert_ptr_equal(pairs[0].second, p);
    assert_int_equal(pairs[0].component, POSITION);

    make(f->world, (kith_system_desc){ .name = "w", WRITES(FROZEN), .phase = 1 });
    make(f->world, (kith_system_desc){ .name = "x", .query = perhaps_desc(), .phase = 1 });
    make(f->world, (kith_system_desc){ .name = "h", READS(HEALTH), .phase = 1 });
    assert_int_equal(kith_schedule_ambiguities(f->world, pairs, 4), 3);
    assert_int_equal(pairs[1].component, FROZEN);
    assert_int_equal(pairs[2].component, HEALTH);
    assert_int_equal(kith_schedule_ambiguities(f->world, pairs, 0), 3);
    assert_int_equal(kith_schedule_ambiguities(f->world, NULL, 4), 3);
}

static void a_system_that_declares_nothing_may_touch_everything(void **state)
{
    test_fixture  *f = *state;
    kith_ambiguity pair;
    make(f->world, (kith_system_desc){ .name = "a" });
    make(f->world, (kith_system_desc){ .name = "b", READS(HEALTH) });
    assert_int_equal(kith_schedule_ambiguities(f->world, &pair, 1), 1);
    assert_int_equal(pair.component, 0);
}

// --- texts -----------------------------------------------------------------------------------

typedef size_t (*writer)(const kith_world *world, char *buffer, size_t size);

static void assert_text(const kith_world *world, writer write, const char *expected)
{
    char   text[2048];
    char   cut[8];
    size_t length = write(world, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(write(world, NULL, 0), length);
    assert_int_equal(write(world, cut, sizeof cut), length);
    assert_int_equal(strlen(cut), length < 8 ? length : 7);
}

static void make_plan(kith_world *world)
{
    make(world, (kith_system_desc){ .name = "draw", .query = placed_desc(), .phase = 1 });
    make(world, (kith_system_desc){ .name = "move", .query = movers_desc(), .interval = 0.02 });
    make(world, (kith_system_desc){ .name  = "steer \"x\"",
                                    .query = sped_desc(),
                                    READS(HEALTH, POSITION),
                                    BEFORE("move", "brake"),
                                    .disabled = true });
    make(world, (kith_system_desc){ .name = "spawn", AFTER("move", "wave"), .on_demand = true });
    make(world, (kith_system_desc){ .name = "push", .query = movers_desc(), READS(HEALTH) });
}

static void the_plan_is_printed_in_words(void **state)
{
    test_fixture *f = *state;
    assert_text(f->world, kith_schedule_explain, "");
    make_plan(f->world);
    assert_text(f->world, kith_schedule_explain,
                "phase 0\n"
                "  \"steer \"x\"\", disabled, writes \"velocity\", reads \"position\", \"health\", "
                "before \"move\", \"brake\"\n"
                "  \"move\", every 0.02, writes \"position\", reads \"velocity\"\n"
                "  \"spawn\", on demand, touches everything, after \"move\", \"wave\"\n"
                "  \"push\", writes \"position\", reads \"velocity\", \"health\"\n"
                "phase 1\n"
                "  \"draw\", reads \"position\"\n"
                "\"steer \"x\"\" and \"push\" are ambiguous: both touch \"position\", "
                "\"velocity\"\n"
                "\"move\" and \"push\" are ambiguous: both touch \"position\"\n"
                "\"spawn\" and \"push\" are ambiguous: both touch everything\n"
                "\"steer \"x\"\" must run before \"brake\", which does not exist\n"
                "\"spawn\" must run after \"wave\", which does not exist\n");
}

static void the_plan_is_drawn(void **state)
{
    test_fixture *f = *state;
    assert_text(f->world, kith_schedule_graph, "digraph schedule {\n    rankdir=LR\n}\n");
    make_plan(f->world);
    assert_text(f->world, kith_schedule_graph,
                "digraph schedule {\n"
                "    rankdir=LR\n"
                "    subgraph cluster_0 {\n"
                "        label=\"phase 0\"\n"
                "        \"steer \\\"x\\\"\"\n"
                "        \"move\"\n"
                "        \"spawn\"\n"
                "        \"push\"\n"
                "    }\n"
                "    subgraph cluster_4 {\n"
                "        label=\"phase 1\"\n"
                "        \"draw\"\n"
                "    }\n"
                "    \"move\" -> \"spawn\"\n"
                "    \"steer \\\"x\\\"\" -> \"move\"\n"
                "    \"steer \\\"x\\\"\" -> \"push\" [dir=none, style=dotted, label=\"position, "
                "velocity\"]\n"
                "    \"move\" -> \"push\" [dir=none, style=dotted, label=\"position\"]\n"
                "    \"spawn\" -> \"push\" [dir=none, style=dotted, label=\"everything\"]\n"
                "}\n");
}

static void a_drawn_name_is_one_line(void **state)
{
    test_fixture *f = *state;
    make(f->world, (kith_system_desc){ .name = "two\nlines\\" });
    assert_text(f->world, kith_schedule_graph,
                "digraph schedule {\n"
                "    rankdir=LR\n"
                "    subgraph cluster_0 {\n"
                "        label=\"phase 0\"\n"
                "        \"two\\nlines\\\\\"\n"
                "    }\n"
                "}\n");
}

// --- checking --------------------------------------------------------------------------------

typedef struct probe {
    void (*act)(const kith_turn *turn);
    kith_entity entity;
    const char *reported; // what is to be reported to the hook, in order; NULL: nothing any more
    uint32_t    errors;
} probe;

static probe *probe_of(const kith_world *world)
{
    return kith_world_user(world);
}

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    char text[256];
    (void)context;
    kith_error_text(world, error, text, sizeof text);
    assert_int_equal(error->code, KITH_ERROR_UNDECLARED);
    assert_non_null(probe_of(world)->reported);
    assert_string_equal(text, probe_of(world)->reported);
    probe_of(world)->errors++;
}

static void act(const kith_turn *turn)
{
    probe_of(turn->world)->act(turn);
}

// One system that writes positions and reads velocities, checked, and one entity that has all.
static void with_checks(void (*what)(const kith_turn *turn), const char *reported, uint32_t errors)
{
    probe       p = { .act = what, .reported = reported };
    kith_world *world =
        kith_world_create(&(kith_world_desc){ .on_error = record_error, .user = &p });
    assert_true(game_register(world) && season_register(world));
    p.entity = kith_entity_create(world);
    position_set(world, p.entity, (vec2){ 1, 2 });
    velocity_set(world, p.entity, (vec2){ 3, 4 });
    health_set(world, p.entity, 5);
    frozen_add(world, p.entity);
    hidden_add(world, p.entity);
    season_set(world, 6);
    make(world, (kith_system_desc){ .name = "s", .run = act, .query = movers_desc() });
    assert_true(kith_schedule_run(world, 1));
    uint32_t unchecked = p.errors;
    assert_true(kith_schedule_configure(world, &(kith_schedule_desc){ .checked = true }));
    assert_true(kith_schedule_run(world, 1));
    assert_int_equal(unchecked, 0);
    assert_int_equal(p.errors, errors);
    assert_world_valid(world);
    assert_int_equal(*health_get(world, p.entity), 5);
    kith_world_destroy(world);
}

static bool is_checked(const kith_turn *turn)
{
    return kith_system_report_of(turn->system).turns == 1;
}

static void touch_what_is_declared(const kith_turn *turn)
{
    kith_world *world = turn->world;
    kith_entity e     = probe_of(world)->entity;
    assert_non_null(position_get(world, e));
    assert_non_null(position_mut(world, e));
    assert_non_null(position_set(world, e, (vec2){ 0, 0 }));
    assert_true(position_remove(world, e));
    assert_non_null(position_add(world, e));
    assert_non_null(velocity_get(world, e));
    assert_true(velocity_has(world, e));
    assert_int_equal(velocity_count(world), 1);
    assert_ptr_equal(velocity_in(velocity_pool(world), e), velocity_get(world, e));
    assert_ptr_equal(position_in(position_pool(world), e), position_get(world, e));
    assert_ptr_equal(movers_get(world, e).position, position_get(world, e));
    KITH_EACH(movers, m, world)
    {
        m.position->x += m.velocity->x;
    }
    KITH_EACH_STORED(movers, m, turn->query)
    {
        m.position->x += m.velocity->x;
    }
    kith_signature set = { { 0 } };
    assert_true(kith_signature_add(world, &set, HEALTH));
    assert_true(has_all(world, e, &set));
    assert_world_valid(world);
    kith_entity other = kith_entity_create(world);
    assert_true(kith_entity_destroy(world, other));
}

static void declared_calls_pass(void **state)
{
    (void)state;
    with_checks(touch_what_is_declared, NULL, 0);
}

#define REFUSED(NAME, REPORTED, EXPRESSION)                                                        \
    static void try_##NAME(const kith_turn *turn)                                                  \
    {                                                                                              \
        kith_world *world = turn->world;                                                           \
        kith_entity e     = probe_of(world)->entity;                                               \
        (void)e;                                                                                   \
        if (is_checked(turn)) {                                                                    \
            assert_true(!(EXPRESSION));                                                            \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_is_refused(void **state)                                                    \
    {                                                                                              \
        (void)state;                                                                               \
        with_checks(try_##NAME, REPORTED, 1);                                                      \
    }

#define SYSTEM "the system \"s\" did not declare that it "

REFUSED(get, "health_get: " SYSTEM "reads \"health\"", health_get(world, e))
REFUSED(has, "health_has: " SYSTEM "reads \"health\"", health_has(world, e))
REFUSED(mut, "health_mut: " SYSTEM "writes \"health\"", health_mut(world, e))
REFUSED(set, "health_set: " SYSTEM "writes \"health\"", health_set(world, e, 1))
REFUSED(remove, "health_remove: " SYSTEM "writes \"health\"", health_remove(world, e))
REFUSED(writing_what_is_read, "velocity_mut: " SYSTEM "writes \"velocity\"", velocity_mut(world, e))
REFUSED(setting_what_is_read, "velocity_set: " SYSTEM "writes \"velocity\"",
        velocity_set(world, e, (vec2){ 0, 0 }))
REFUSED(tag, "frozen_has: " SYSTEM "reads \"frozen\"", frozen_has(world, e))
REFUSED(flag, "hidden_remove: " SYSTEM "writes \"hidden\"", hidden_remove(world, e))
REFUSED(singleton, "season_get: " SYSTEM "reads \"season\"", season_get(world))
REFUSED(singleton_mut, "season_mut: " SYSTEM "writes \"season\"", season_mut(world))
REFUSED(pool, "health_stats: " SYSTEM "reads \"health\"", health_in(health_pool(world), e))
REFUSED(pool_of_tag, "frozen_stats: " SYSTEM "reads \"frozen\"",
        frozen_has_in(frozen_pool(world), e))
REFUSED(count, "health_count: " SYSTEM "reads \"health\"", health_count(world))
REFUSED(copying, "kith_entity_clone_many: " SYSTEM "writes \"velocity\"",
        kith_entity_clone_many(world, e, &e, 1))
REFUSED(clear, "health_clear: " SYSTEM "writes \"health\"", health_clear(world))
REFUSED(view, "kith_view_begin: " SYSTEM "writes \"velocity\"", !sped_begin(world).failed)
REFUSED(counting, "kith_view_count: " SYSTEM "writes \"velocity\"", sped_count(world))
REFUSED(storing, "kith_query_of: " SYSTEM "writes \"velocity\"", sped_query(world) != NULL)

REFUSED(reactive, "kith_reactive_create: " SYSTEM "reads \"health\"",
        kith_reactive_create(world, &(kith_reactive_desc){
                                        .conditions      = &(kith_condition){ HEALTH, KITH_ON_SET },
                                        .condition_count = 1 }))

// Queries that exist are checked when they begin.
static void begin_other(const kith_turn *turn)
{
    void       *columns[1];
    kith_query *other = kith_system_query(kith_system_find(turn->world, "other"));
    assert_true(kith_query_begin(other).failed);
    assert_true(kith_query_begin_read(other, columns).failed);
}

static void stored_queries_are_checked(void **state)
{
    test_fixture *f = *state;
    make(f->world, (kith_system_desc){
                       .name = "other", READS(HEALTH), .disabled = true, .query = placed_desc() });
    make(f->world, (kith_system_desc){ .name = "s", .run = begin_other, READS(HEALTH) });
    kith_schedule_configure(f->world, &(kith_schedule_desc){ .checked = true });
    uint32_t before = f->memory.errors;
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(f->memory.errors, before + 2);
    assert_error(f->world, KITH_ERROR_UNDECLARED);
}

typedef struct movables {
    kith_path  *path;
    kith_group *group;
} movables;

static int by_index(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return a < b ? 1 : -1;
}

static void move_rows(const kith_turn *turn)
{
    const movables *m = turn->context;
    assert_int_equal(kith_path_arrange(m->path, UINT32_MAX), 0);
    assert_int_equal(kith_path_arrange_all(turn->world, UINT32_MAX), 0);
    assert_false(kith_group_sort(m->group, 0, &(kith_sort_desc){ .compare_entities = by_index }));
}

// Moving rows is writing, whatever call names them.
static void paths_and_groups_are_checked(void **state)
{
    test_fixture         *f      = *state;
    const kith_component  both[] = { VELOCITY, HEALTH };
    const kith_path_desc  way    = { "way", both, 2 };
    const kith_term       own    = { .component = POSITION, .role = KITH_ROLE_OWN };
    const kith_query_desc owning = { .name = "owning", .terms = &own, .term_count = 1 };
    movables              m = { kith_path_of(f->world, &way), kith_group_of(f->world, &owning) };
    for (uint32_t i = 0; i < 4; i++) {
        kith_entity e = kith_entity_create(f->world);
        position_set(f->world, e, (vec2){ 0, 0 });
        velocity_set(f->world, e, (vec2){ 0, 0 });
    }
    for (kith_entity e = KITH_NULL; (e = kith_entity_next(f->world, e)) != KITH_NULL;) {
        health_set(f->world, e, 1);
        kith_component_swap(f->world, HEALTH, e, kith_component_entity(f->world, HEALTH, 0));
    }
    make(f->world, (kith_system_desc){
                       .name = "s", .run = move_rows, .context = &m, READS(VELOCITY, HEALTH) });
    kith_schedule_configure(f->world, &(kith_schedule_desc){ .checked = true });
    uint32_t before = f->memory.errors;

    assert_true(kith_schedule_run(f->world, 1));

    assert_int_equal(f->memory.errors, before + 3);
    assert_error(f->world, KITH_ERROR_UNDECLARED);
    assert_true(kith_path_arrange(m.path, UINT32_MAX) != 0);

    kith_path_drop(m.path); // then there is nothing to declare
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(f->memory.errors, before + 4); // of the group
}

static void heal(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    assert_non_null(health_set(world, notice->entity, 5));
}

static void cause_event(const kith_turn *turn)
{
    position_set(turn->world, probe_of(turn->world)->entity, (vec2){ 0, 0 });
}

static void connect_and_cause(const kith_turn *turn)
{
    if (is_checked(turn)) {
        assert_true(
            kith_listener_connect(turn->world, &(kith_listener_desc){ .event     = KITH_EVENT_SET,
                                                                      .component = POSITION,
                                                                      .call      = heal }) != 0);
    }
    cause_event(turn);
}

static void listeners_are_not_the_system(void **state)
{
    (void)state;
    with_checks(connect_and_cause, NULL, 0);
}

static void heal_on_event(kith_world *world, const void *event, void *context)
{
    (void)event;
    (void)context;
    assert_non_null(health_set(world, probe_of(world)->entity, 5));
}

static void trigger(const kith_turn *turn)
{
    kith_queue *queue = kith_queue_of(turn->world, &(kith_queue_desc){ .name = "q" });
    kith_queue_connect(queue, &(kith_handler_desc){ .call = heal_on_event });
    assert_true(kith_queue_trigger(queue, NULL));
}

static void handlers_are_not_the_system(void **state)
{
    (void)state;
    with_checks(trigger, NULL, 0);
}

static void record_and_apply(const kith_turn *turn)
{
    kith_commands *commands = kith_commands_create(turn->world, NULL);
    assert_true(health_set_later(commands, probe_of(turn->world)->entity, 5));
    assert_int_equal(kith_commands_report_of(commands).refused, 0);
    assert_true(kith_commands_apply(commands, turn->world));
    assert_int_equal(kith_commands_report_of(commands).failed, is_checked(turn));
    kith_commands_destroy(commands);
}

static void commands_are_checked_when_they_are_applied(void **state)
{
    (void)state;
    with_checks(record_and_apply, "health_set: " SYSTEM "writes \"health\"", 1);
}

static void register_more(const kith_turn *turn)
{
    if (is_checked(turn)) {
        kith_component first   = test_register_tag(turn->world, "first", 0);
        kith_component needs[] = { first, HEALTH };
        kith_component second  = kith_component_register(
             turn->world,
             &(kith_component_desc){ .name   = "second",
                                     .size   = 4,
                                     .traits = { .required = needs, .required_count = 2 } });
        assert_true(first != 0 && second != 0);
        assert_world_valid(turn->world);
    }
}

static void components_can_be_registered_meanwhile(void **state)
{
    (void)state;
    with_checks(register_more, NULL, 0);
}

static void touch_health(const kith_turn *turn)
{
    assert_non_null(health_set(turn->world, probe_of(turn->world)->entity, 5));
}

static void a_system_that_declares_nothing_is_not_checked(void **state)
{
    test_fixture *f = *state;
    probe         p = { .entity = kith_entity_create(f->world) };
    kith_world_user_set(f->world, &p);
    kith_schedule_configure(f->world, &(kith_schedule_desc){ .checked = true });
    make(f->world, (kith_system_desc){ .name = "s", .run = touch_health });
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(f->memory.errors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(systems_run_by_phase_constraint_and_creation),
        TEST_WORLD(cycles_are_refused_with_their_names),
        TEST_WORLD(the_shortest_cycle_is_reported),
        TEST_WORLD(a_way_round_that_is_too_long_ends_in_dots),
        TEST_WORLD(phases_and_constraints_may_not_contradict),
        TEST_WORLD(random_graphs_are_as_a_naive_model_has_them),
        TEST_WORLD(access_comes_from_terms_and_lists),
        TEST_WORLD(a_system_that_declares_nothing_may_touch_everything),
        TEST_WORLD(the_plan_is_printed_in_words),
        TEST_WORLD(the_plan_is_drawn),
        TEST_WORLD(a_drawn_name_is_one_line),
        TEST_WORLD(stored_queries_are_checked),
        TEST_WORLD(paths_and_groups_are_checked),
        TEST_WORLD(a_system_that_declares_nothing_is_not_checked),
        cmocka_unit_test(declared_calls_pass),
        cmocka_unit_test(listeners_are_not_the_system),
        cmocka_unit_test(handlers_are_not_the_system),
        cmocka_unit_test(commands_are_checked_when_they_are_applied),
        cmocka_unit_test(components_can_be_registered_meanwhile),
        cmocka_unit_test(get_is_refused),
        cmocka_unit_test(has_is_refused),
        cmocka_unit_test(mut_is_refused),
        cmocka_unit_test(set_is_refused),
        cmocka_unit_test(remove_is_refused),
        cmocka_unit_test(writing_what_is_read_is_refused),
        cmocka_unit_test(setting_what_is_read_is_refused),
        cmocka_unit_test(tag_is_refused),
        cmocka_unit_test(flag_is_refused),
        cmocka_unit_test(singleton_is_refused),
        cmocka_unit_test(singleton_mut_is_refused),
        cmocka_unit_test(pool_is_refused),
        cmocka_unit_test(pool_of_tag_is_refused),
        cmocka_unit_test(count_is_refused),
        cmocka_unit_test(copying_is_refused),
        cmocka_unit_test(clear_is_refused),
        cmocka_unit_test(view_is_refused),
        cmocka_unit_test(counting_is_refused),
        cmocka_unit_test(storing_is_refused),
        cmocka_unit_test(reactive_is_refused),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
