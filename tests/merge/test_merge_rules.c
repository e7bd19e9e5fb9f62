// SPDX-License-Identifier: MIT
// Merges against a naive model of their rules, with random changes on both sides; without memory;
// with bytes that were made to attack.
#include "merge_test.h"

#include "chunk_test.h"
#include "merge/index_map.h"
#include "world/world.h"

// --- what there is ---------------------------------------------------------------------------

enum { KINDS = 6, PEOPLE = 256, SINGLES = 2 };

static const kith_component kinds[KINDS]     = { PLACE, SPEED, MARK, ASLEEP, LABEL, BOND };
static const kith_component singles[SINGLES] = { SEASON, CROWN };

// What an entity has of a component.
typedef struct cell {
    bool        has;
    bool        disabled;
    bool        foreign; // `to` is a handle of the other world
    char        value[64];
    kith_entity to;
} cell;

static void describe(cell *c, kith_component component, const void *value)
{
    c->has = value != NULL;
    if (value == NULL) {
        return;
    }
    if (component == PLACE || component == SEASON) {
        const place *at = value;
        snprintf(c->value, sizeof c->value, "%a %u %a", (double)at->x, at->floor, at->y);
    } else if (component == SPEED) {
        snprintf(c->value, sizeof c->value, "%d", (int)*(const int32_t *)value);
    } else if (component == LABEL) {
        const char *text = ((const label *)value)->text;
        snprintf(c->value, sizeof c->value, "%s", text == NULL ? "" : text);
    } else if (component == BOND || component == CROWN) {
        const bond *tie = value;
        snprintf(c->value, sizeof c->value, "%u", (unsigned)tie->strength);
        c->to = tie->to;
    }
}

static cell look(const kith_world *world, kith_entity entity, kith_component component)
{
    cell c = { .has = false };
    describe(&c, component, kith_component_get(world, entity, component));
    c.disabled = c.has && component != ASLEEP && !kith_component_enabled(world, entity, component);
    return c;
}

static cell look_at_single(const kith_world *world, kith_component component)
{
    cell c = { .has = false };
    describe(&c, component, kith_singleton_get(world, component));
    return c;
}

// What it is for a merge: a handle of a dead entity there is KITH_NULL.
static cell meant_there(const kith_world *far, cell c)
{
    c.to = kith_entity_alive(far, c.to) ? c.to : KITH_NULL;
    return c;
}

static bool same_value(const cell *a, const cell *b)
{
    return a->has == b->has && a->to == b->to && strcmp(a->value, b->value) == 0;
}

// --- the rules -------------------------------------------------------------------------------

// An entity that came from there, and what came last.
typedef struct known {
    kith_entity remote;
    kith_entity local;
    bool        fresh; // comes with this merge
    cell        last[KINDS];
} known;

typedef struct naive {
    known    list[PEOPLE];
    uint32_t count;
    cell     singles[SINGLES];
} naive;

// An entity here.
typedef struct person {
    kith_entity  local;
    const known *fresh; // the entity that it turns into; NULL: it lived before
    cell         was[KINDS];
    cell         is[KINDS];
} person;

typedef struct picture {
    person   list[PEOPLE];
    uint32_t count;
    cell     singles_were[SINGLES];
    cell     singles[SINGLES];
    uint32_t events[KITH_EVENT_DESTROY + 1];
} picture;

static void take_picture(picture *p, const kith_world *world)
{
    kith_entity e = KITH_NULL;
    memset(p, 0, sizeof *p);
    while ((e = kith_entity_next(world, e)) != KITH_NULL) {
        person *one = &p->list[p->count++];
        assert_true(p->count < PEOPLE);
        one->local = e;
        for (uint32_t k = 0; k < KINDS; k++) {
            one->was[k] = one->is[k] = look(world, e, kinds[k]);
        }
    }
    for (uint32_t k = 0; k < SINGLES; k++) {
        p->singles_were[k] = p->singles[k] = look_at_single(world, singles[k]);
    }
}

static known *find_known(naive *n, kith_entity remote)
{
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->list[i].remote == remote) {
            return &n->list[i];
        }
    }
    return NULL;
}

static person *find_person(picture *p, const known *k)
{
    for (uint32_t i = 0; i < p->count; i++) {
        bool same = k->fresh ? p->list[i].fresh == k
                             : p->list[i].fresh == NULL && p->list[i].local == k->local;
        if (same) {
            return &p->list[i];
        }
    }
    return NULL;
}

static void end_the_gone(naive *n, picture *p, const kith_world *far)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        person *one = find_person(p, &n->list[i]);
        if (kith_entity_alive(far, n->list[i].remote)) {
            n->list[kept++] = n->list[i];
        } else if (one != NULL) {
            p->events[KITH_EVENT_DESTROY]++;
            for (uint32_t k = 0; k < KINDS; k++) {
                p->events[KITH_EVENT_REMOVE] += one->was[k].has;
            }
            *one = p->list[--p->count];
        }
    }
    n->count = kept;
}

static bool has_changed(const known *k, const kith_world *far)
{
    bool changed = false;
    for (uint32_t i = 0; i < KINDS; i++) {
        cell now = meant_there(far, look(far, k->remote, kinds[i]));
        changed  = changed || !same_value(&now, &k->last[i]) || now.disabled != k->last[i].disabled;
    }
    return changed;
}

static void let_the_new_come(naive *n, picture *p, const kith_world *far)
{
    kith_entity e = KITH_NULL;
    while ((e = kith_entity_next(far, e)) != KITH_NULL) {
        known *k     = find_known(n, e);
        bool   comes = k == NULL || (find_person(p, k) == NULL && has_changed(k, far));
        if (!comes) {
            continue;
        }
        k = k == NULL ? &n->list[n->count++] : k;
        assert_true(n->count < PEOPLE && p->count + 1 < PEOPLE);
        *k = (known){ .remote = e, .fresh = true };

        p->list[p->count++] = (person){ .fresh = k };
        p->events[KITH_EVENT_CREATE]++;
    }
}

static void bring(cell *here, cell *last, cell now)
{
    bool other = !same_value(&now, last);
    bool lacks = !here->has;
    if (other) {
        bool disabled  = here->disabled;
        *here          = now;
        here->foreign  = true;
        here->disabled = lacks ? now.disabled : now.has && disabled;
    }
    if (here->has && now.has && (!last->has || now.disabled != last->disabled)) {
        here->disabled = now.disabled;
    }
    *last = now;
}

static void bring_all(naive *n, picture *p, const kith_world *far)
{
    for (uint32_t i = 0; i < n->count; i++) {
        cell    empty = { .has = false };
        person *one   = find_person(p, &n->list[i]);
        for (uint32_t k = 0; k < KINDS; k++) {
            cell now   = meant_there(far, look(far, n->list[i].remote, kinds[k]));
            cell spare = empty;
            bring(one == NULL ? &spare : &one->is[k], &n->list[i].last[k], now);
        }
    }
    for (uint32_t k = 0; k < SINGLES; k++) {
        bring(&p->singles[k], &n->singles[k], meant_there(far, look_at_single(far, singles[k])));
    }
}

// Handles of the other world turn into those that the merge mapped them to.
static void resolve(cell *c, const kith_merge *merge)
{
    c->to      = c->foreign ? kith_merge_local(merge, c->to) : c->to;
    c->foreign = false;
}

static void count_events(picture *p, const cell *was, const cell *is, bool set_only)
{
    p->events[KITH_EVENT_ADD] += !set_only && is->has && !was->has;
    p->events[KITH_EVENT_REMOVE] += !set_only && !is->has && was->has;
    p->events[KITH_EVENT_SET] += is->has && was->has && !same_value(is, was);
}

static void resolve_all(picture *p, const kith_merge *merge)
{
    for (uint32_t i = 0; i < p->count; i++) {
        person *one = &p->list[i];
        if (one->fresh != NULL) {
            one->local = kith_merge_local(merge, one->fresh->remote);
        }
        for (uint32_t k = 0; k < KINDS; k++) {
            resolve(&one->is[k], merge);
            count_events(p, &one->was[k], &one->is[k], false);
        }
    }
    for (uint32_t k = 0; k < SINGLES; k++) {
        resolve(&p->singles[k], merge);
        if (singles[k] == SEASON) {
            count_events(p, &p->singles_were[k], &p->singles[k], true);
        }
    }
}

static void assert_cell(const cell *is, const cell *should)
{
    assert_int_equal(is->has, should->has);
    assert_int_equal(is->disabled, should->disabled);
    assert_string_equal(is->value, should->value);
    assert_int_equal(is->to, should->to);
}

static void assert_picture(const picture *p, const kith_world *world)
{
    assert_int_equal(kith_entity_count(world), p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        assert_true(kith_entity_alive(world, p->list[i].local));
        for (uint32_t k = 0; k < KINDS; k++) {
            cell is = look(world, p->list[i].local, kinds[k]);
            assert_cell(&is, &p->list[i].is[k]);
        }
    }
    for (uint32_t k = 0; k < SINGLES; k++) {
        cell is = look_at_single(world, singles[k]);
        assert_cell(&is, &p->singles[k]);
    }
}

static void merge_as_the_model_does(naive *n, kith_merge *merge_of, kith_world *world,
                                    const kith_world *far, merge_events *events_seen)
{
    static picture p;
    take_picture(&p, world);
    end_the_gone(n, &p, far);
    let_the_new_come(n, &p, far);
    bring_all(n, &p, far);
    take_event_count(events_seen);

    kith_result result = try_merge(merge_of, far);

    assert_string_equal(result.message, "");
    assert_world_valid(world);
    resolve_all(&p, merge_of);
    assert_picture(&p, world);
    for (uint32_t i = 0; i < n->count; i++) {
        known *k = &n->list[i];
        k->local = k->fresh ? kith_merge_local(merge_of, k->remote) : k->local;
        k->fresh = false;
    }
    assert_memory_equal(p.events, events_seen->events, sizeof p.events);
}

// --- random changes --------------------------------------------------------------------------

static void act_and_tie(kith_world *world, uint64_t *seed, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        kith_entity e  = any_entity(world, seed);
        kith_entity to = any_entity(world, seed);
        uint32_t    n  = test_random_below(seed, 12);
        act(world, seed);
        if (n == 0 && kith_entity_alive(world, e)) {
            bond_set(world, e, (bond){ test_random_below(seed, 3), to, 0 });
        } else if (n == 1) {
            bond_remove(world, e);
        } else if (n == 2) {
            crown_set(world, (bond){ test_random_below(seed, 3), to, 0 });
        } else if (n > 2 && kith_entity_count(world) > 30) {
            kith_entity_destroy(world, e);
        }
    }
}

static void random_changes_on_both_sides_do_as_the_model_does(void **state)
{
    pair        *p     = *state;
    uint64_t     seed  = test_seed();
    uint32_t     steps = test_thinned(400);
    static naive of[2];
    test_memory  memory    = { 0 };
    kith_world  *third     = make_world(&memory, (kith_world_desc){ 0 });
    kith_world  *fars[2]   = { p->far, third };
    kith_merge  *merges[2] = { p->merge, kith_merge_create(p->world) };
    memset(of, 0, sizeof of);
    register_realm(third);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t which = test_random_below(&seed, 2);
        act_and_tie(fars[which], &seed, test_random_below(&seed, 12));
        act_and_tie(p->world, &seed, test_random_below(&seed, 6));
        merge_as_the_model_does(&of[which], merges[which], p->world, fars[which], &p->events_seen);
    }
    test_world_end(third, &memory);
}

// --- trees -----------------------------------------------------------------------------------

static void act_on_trees(kith_world *world, uint64_t *seed, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        kith_entity    a    = any_entity(world, seed);
        kith_entity    b    = any_entity(world, seed);
        kith_component tree = test_random_below(seed, 2) == 0 ? TREE : CLAN;
        switch (test_random_below(seed, 12)) {
        case 0:
            kith_entity_destroy(world, a);
            break;
        case 1:
        case 2:
            if (kith_entity_count(world) < 30) {
                kith_entity_create(world);
            }
            break;
        case 3:
            kith_hierarchy_detach(world, tree, a);
            break;
        case 4:
            kith_component_remove(world, a, tree);
            break;
        case 5:
            if (kith_entity_alive(world, a)) {
                kith_component_add(world, a, tree, NULL);
            }
            break;
        case 6:
            kith_component_enable(world, a, tree, false);
            break;
        case 7:
            kith_component_enable(world, a, tree, true);
            break;
        default:
            kith_hierarchy_insert_at(world, tree, a, b, test_random_below(seed, 3));
        }
    }
}

static void assert_same_node(const pair *p, kith_component tree, kith_entity there)
{
    const kith_node *far  = links_of(p->far, tree, there);
    const kith_node *node = links_of(p->world, tree, here(p, there));
    assert_int_equal(far == NULL, node == NULL);
    if (far != NULL) {
        assert_int_equal(node->parent, here(p, far->parent));
        assert_int_equal(node->next, here(p, far->next));
        assert_int_equal(node->first, here(p, far->first));
        assert_int_equal(kith_component_enabled(p->far, there, tree),
                         kith_component_enabled(p->world, here(p, there), tree));
    }
}

static void assert_same_trees(const pair *p)
{
    kith_entity e = KITH_NULL;
    while ((e = kith_entity_next(p->far, e)) != KITH_NULL) {
        assert_true(kith_entity_alive(p->world, here(p, e)));
        assert_same_node(p, TREE, e);
        assert_same_node(p, CLAN, e);
    }
}

static void trees_follow_whatever_happens_there(void **state)
{
    pair    *p    = *state;
    uint64_t seed = test_seed();
    for (uint32_t i = 0; i < test_thinned(400); i++) {
        act_on_trees(p->far, &seed, test_random_below(&seed, 15));
        merge(p);
        assert_int_equal(kith_entity_count(p->world), kith_entity_count(p->far));
        assert_same_trees(p);
    }
}

static void links_stay_valid_whatever_happens_on_both_sides(void **state)
{
    pair    *p    = *state;
    uint64_t seed = test_seed() + 1;
    for (uint32_t i = 0; i < test_thinned(600); i++) {
        act_on_trees(p->far, &seed, test_random_below(&seed, 6));
        act_on_trees(p->world, &seed, test_random_below(&seed, 6));
        merge(p);
        take_event_count(&p->events_seen);
        merge(p);
        assert_int_equal(take_event_count(&p->events_seen), 0);
    }
}

// --- without memory --------------------------------------------------------------------------

static void assert_all_came(const pair *p)
{
    kith_entity e = KITH_NULL;
    while ((e = kith_entity_next(p->far, e)) != KITH_NULL) {
        assert_true(kith_entity_alive(p->world, here(p, e)));
        for (uint32_t k = 0; k < KINDS; k++) {
            cell there = look(p->far, e, kinds[k]);
            cell is    = look(p->world, here(p, e), kinds[k]);
            there.to   = here(p, there.to);
            assert_cell(&is, &there);
        }
    }
    assert_int_equal(kith_entity_count(p->world), kith_entity_count(p->far));
    assert_same_trees(p);
}

// The n-th allocation fails. Whether there was one.
static bool merge_without_memory(uint32_t n, bool again)
{
    void    *state = NULL;
    uint64_t seed  = 5;
    pair_setup(&state);
    pair *p = state;
    act_and_tie(p->far, &seed, 150);
    act_on_trees(p->far, &seed, 60);
    if (again) {
        merge(p);
        act_and_tie(p->far, &seed, 40);
        act_on_trees(p->far, &seed, 20);
    }
    kith_bytes bytes = saved(p->far);
    test_fail_after(&p->memory, n);
    kith_result result = kith_merge_apply(p->merge, NULL, bytes.data, bytes.size);
    test_fail_after(&p->memory, 0);
    assert_true(result.code == KITH_OK || result.code == KITH_ERROR_MEMORY);
    assert_world_valid(p->world);
    assert_links_valid(p->world);
    kith_bytes_free(&bytes);
    merge(p);
    assert_all_came(p);
    pair_teardown(&state);
    return result.code != KITH_OK;
}

static void a_merge_that_failed_for_memory_is_completed_by_the_next_call(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        uint32_t n = 1;
        while (merge_without_memory(n, again != 0)) {
            n++;
        }
        assert_true(n > 60);
    }
}

static void no_merge_begins_without_memory(void **state)
{
    pair *p = *state;
    test_fail_after(&p->memory, 1);
    assert_refused(&p->memory, p->world, KITH_ERROR_MEMORY, kith_merge_create(p->world) != NULL);
    test_fail_after(&p->memory, 0);
}

// --- bytes -----------------------------------------------------------------------------------

static void assert_merge_survives(pair *p, const kith_bytes *file, const kith_bytes *original)
{
    kith_bytes  before = saved(p->world);
    kith_result result = kith_merge_apply(p->merge, NULL, file->data, file->size);
    assert_world_valid(p->world);
    assert_links_valid(p->world);
    if (result.code == KITH_OK) {
        result = kith_merge_apply(p->merge, NULL, original->data, original->size);
        assert_int_equal(result.code, KITH_OK);
    } else {
        kith_bytes now = saved(p->world);
        assert_same_bytes(&before, &now);
        kith_bytes_free(&now);
    }
    kith_bytes_free(&before);
}

static void any_bytes_are_refused_or_make_a_valid_world(void **state)
{
    pair    *p    = *state;
    uint64_t seed = 9;
    act_and_tie(p->far, &seed, 60);
    act_on_trees(p->far, &seed, 30);
    merge(p);
    kith_bytes original = saved(p->far);
    kith_bytes file     = saved(p->far);
    for (size_t at = KITH_FILE_HEAD; at < file.size; at += 1 + test_random_below(&seed, 5)) {
        static const uint8_t changes[] = { 0x01, 0x80, 0xff };
        file.data[at] ^= changes[at % 3];
        sign_all(&file);
        assert_merge_survives(p, &file, &original);
        memcpy(file.data, original.data, file.size);
        kith_bytes cut = { .data = file.data, .size = at };
        assert_merge_survives(p, &cut, &original);
    }
    kith_bytes_free(&file);
    kith_bytes_free(&original);
}

// --- invariants ------------------------------------------------------------------------------

static void assert_mistake(kith_world *world, uint64_t *number, uint64_t wrong, const char *reason)
{
    const char *found = NULL;
    uint64_t    right = *number;
    *number           = wrong;
    assert_false(kith_world_validate(world, &found));
    assert_string_equal(found, reason);
    *number = right;
    assert_world_valid(world);
}

static void validate_knows_what_a_merge_remembers(void **state)
{
    static const char wrongly[] = "merge: a remote entity is mapped wrongly";
    static const char back[]    = "merge: a local entity is mapped back wrongly";
    pair             *p         = *state;
    kith_entity       a         = kith_entity_create(p->far);
    kith_entity_create(p->world);
    pace_set(p->far, a, 1);
    merge(p);
    kith_merge *m     = p->merge;
    uint32_t    local = kith_entity_index(here(p, a));

    assert_mistake(p->world, &m->remote.pages[0][0], handle(3, 1), wrongly);
    assert_mistake(p->world, &m->remote.pages[0][7], handle(7, 1), wrongly);
    assert_mistake(p->world, &m->local.pages[0][7], 1, wrongly);
    assert_mistake(p->world, &m->back.pages[0][local], 0, wrongly);
    assert_mistake(p->world, &m->back.pages[0][local + 1], a, back);
    assert_mistake(p->world, &m->sums[2 * kith_world_storage(p->world, SPEED)->order].pages[0][5],
                   2, "merge: checksums without an entity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(random_changes_on_both_sides_do_as_the_model_does),
        PAIR_TEST(trees_follow_whatever_happens_there),
        PAIR_TEST(links_stay_valid_whatever_happens_on_both_sides),
        cmocka_unit_test(a_merge_that_failed_for_memory_is_completed_by_the_next_call),
        PAIR_TEST(no_merge_begins_without_memory),
        PAIR_TEST(any_bytes_are_refused_or_make_a_valid_world),
        PAIR_TEST(validate_knows_what_a_merge_remembers),
    };
    return cmocka_run_group_tests_name("merge_rules", tests, NULL, NULL);
}
