// SPDX-License-Identifier: MIT
// Batches: each call against the same single calls between hold and release. Only calls that add to
// a stable pool are outside of the hold, because a batch outside of loops fills holes.
#include "component_test.h"

// --- two worlds ------------------------------------------------------------------------------

enum { BODY = HIDDEN + 1, ANCHOR, NAIL, NEEDY, EAGER, WIDE, FILLER, FAR = FILLER + 60, FAR_FLAG };
enum { KINDS = 14, LIST_MOST = 40, BYTES = 128 };

static const kith_component kinds[KINDS] = { POSITION, VELOCITY, HEALTH,   FROZEN, HIDDEN,
                                             BODY,     ANCHOR,   NAIL,     NEEDY,  EAGER,
                                             WIDE,     FAR,      FAR_FLAG, FILLER };

typedef struct side {
    test_memory memory;
    kith_world *world;
    int         living;  // values of bodies
    int         fail_in; // the n-th construct or copy from now fails; 0: none
    text        reported;
    kith_cursor cursor;
    bool        grouped;
} side;

static bool make_body(side *of, void *value, int number)
{
    if (of->fail_in != 0 && --of->fail_in == 0) {
        return false;
    }
    of->living++;
    memcpy(value, &number, sizeof number);
    return true;
}

static bool construct_body(void *value, void *context)
{
    return make_body(context, value, 7);
}

static bool copy_body(void *value, const void *source, void *context)
{
    return make_body(context, value, *(const int *)source);
}

static void destruct_body(void *value, void *context)
{
    assert_int_not_equal(*(int *)value, -1);
    *(int *)value = -1;
    ((side *)context)->living--;
}

static void move_body(void *value, void *source, void *context)
{
    (void)context;
    *(int *)value  = *(int *)source;
    *(int *)source = -1;
}

static void register_kinds(side *of)
{
    static const kith_component needs[] = { BODY, HIDDEN, FROZEN };
    static const kith_component wants[] = { ANCHOR };
    const kith_component_desc   descs[] = {
          { .name         = "body",
            .id           = BODY,
            .size         = sizeof(int),
            .alignment    = sizeof(int),
            .traits.hooks = { construct_body, copy_body, destruct_body, move_body, of } },
          { .name   = "anchor",
            .id     = ANCHOR,
            .size   = 12,
            .traits = { .policy = KITH_POLICY_STABLE, .page_rows = 4 } },
          { .name   = "nail",
            .id     = NAIL,
            .kind   = KITH_KIND_TAG,
            .traits = { .policy = KITH_POLICY_STABLE, .page_rows = 2 } },
          { .name   = "needy",
            .id     = NEEDY,
            .size   = 4,
            .traits = { .required = needs, .required_count = 3 } },
          { .name   = "eager",
            .id     = EAGER,
            .kind   = KITH_KIND_FLAG,
            .traits = { .required = wants, .required_count = 1 } },
          { .name = "wide", .id = WIDE, .size = 40, .traits = { .page_rows = 8 } },
    };
    assert_true(game_register(of->world));
    assert_true(kith_component_register_many(of->world, descs, COUNT_OF(descs)));
    for (kith_component id = FILLER; id < FAR; id++) {
        char name[16];
        snprintf(name, sizeof name, "filler %u", id);
        register_one(of->world, (kith_component_desc){ .name = name, .id = id, .size = 1 });
    }
    register_one(of->world, (kith_component_desc){ .name = "far", .id = FAR, .size = 8 });
    register_one(of->world, (kith_component_desc){
                                .name = "far flag", .id = FAR_FLAG, .kind = KITH_KIND_FLAG });
}

// `batch` makes the calls for many, `single` the same one by one.
typedef struct pair {
    side     batch;
    side     single;
    uint64_t seed;
    uint8_t  values[LIST_MOST * BYTES];
} pair;

static void open_side(side *of, kith_world_desc desc)
{
    of->world = test_world_with(&of->memory, desc);
    assert_non_null(of->world);
    register_kinds(of);
}

static void close_side(side *of)
{
    kith_world_settle(of->world);
    test_world_end(of->world, &of->memory);
    assert_int_equal(of->living, 0);
    text_free(&of->reported);
}

static pair *open_pair(kith_world_desc desc)
{
    pair *two = calloc(1, sizeof *two);
    assert_non_null(two);
    open_side(&two->batch, desc);
    open_side(&two->single, desc);
    two->seed = test_seed();
    return two;
}

static void close_pair(pair *two)
{
    close_side(&two->batch);
    close_side(&two->single);
    free(two);
}

// --- groups in both --------------------------------------------------------------------------

static const kith_term owning[]   = { { POSITION, KITH_ROLE_OWN, 0 },
                                      { VELOCITY, KITH_ROLE_OWN, 0 } };
static const kith_term inner[]    = { { POSITION, KITH_ROLE_OWN, 0 },
                                      { VELOCITY, KITH_ROLE_OWN, 0 },
                                      { HEALTH, KITH_ROLE_OWN, 0 },
                                      { FROZEN, KITH_ROLE_WITHOUT, 0 } };
static const kith_term listing[]  = { { BODY, KITH_ROLE_READ, 0 },
                                      { ANCHOR, KITH_ROLE_READ, 0 },
                                      { HIDDEN, KITH_ROLE_WITHOUT, 0 } };
static const kith_term farthest[] = { { FAR, KITH_ROLE_OWN, 0 }, { FAR_FLAG, KITH_ROLE_WITH, 0 } };

static const kith_term needing[] = { { NEEDY, KITH_ROLE_OWN, 0 } };
static const kith_term eager[]   = { { WIDE, KITH_ROLE_READ, 0 }, { EAGER, KITH_ROLE_WITH, 0 } };

static const kith_query_desc group_descs[] = {
    { "owning", owning, 2, 0 },     { "inner", inner, 4, 0 },     { "listing", listing, 3, 0 },
    { "farthest", farthest, 2, 0 }, { "needing", needing, 1, 0 }, { "eager", eager, 2, 0 }
};

static void make_groups(pair *two)
{
    two->single.grouped = true;
    for (size_t i = 0; i < COUNT_OF(group_descs); i++) {
        assert_non_null(kith_group_of(two->batch.world, &group_descs[i]));
        assert_non_null(kith_group_of(two->single.world, &group_descs[i]));
    }
}

// Loops over the terms visit the same in the same order, whether a group answers or not.
static void assert_same_walks(pair *two)
{
    for (size_t i = 0; i < COUNT_OF(group_descs); i++) {
        kith_cursor a    = kith_view_begin(two->batch.world, &group_descs[i]);
        kith_cursor b    = kith_view_begin(two->single.world, &group_descs[i]);
        bool        more = true;
        while (more) {
            more = kith_cursor_next(&a);
            assert_int_equal(kith_cursor_next(&b), more);
            assert_int_equal(a.entity, b.entity);
        }
    }
}

static const char *reported_by(const side *of)
{
    return of->reported.bytes == NULL ? "" : of->reported.bytes;
}

static void assert_same_sides(pair *two)
{
    assert_same_text(reported_by(&two->batch), reported_by(&two->single));
    text_free(&two->batch.reported);
    text_free(&two->single.reported);
    assert_world_valid(two->batch.world);
    assert_same_worlds(two->batch.world, two->single.world);
    assert_int_equal(two->batch.living, two->single.living);
    assert_int_equal(two->batch.memory.errors, 0);
}

static uint32_t chance(pair *two, uint32_t limit)
{
    return test_random_below(&two->seed, limit);
}

// --- the entities of a batch -----------------------------------------------------------------

typedef struct entity_list {
    kith_entity   members[LIST_MOST];
    uint32_t      count;
    kith_entities range; // if is_range: then some members may be dead
    bool          is_range;
} entity_list;

static uint32_t list_living(const kith_world *world, kith_entity *list, uint32_t most)
{
    uint32_t count = 0;
    for (kith_entity e = kith_entity_next(world, KITH_NULL); e != KITH_NULL && count < most;
         e             = kith_entity_next(world, e)) {
        list[count++] = e;
    }
    return count;
}

static void shuffle(pair *two, kith_entity *list, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t    other = chance(two, i);
        kith_entity kept  = list[i - 1];
        list[i - 1]       = list[other];
        list[other]       = kept;
    }
}

static void turn(kith_entity *list, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        kith_entity kept    = list[i];
        list[i]             = list[count - 1 - i];
        list[count - 1 - i] = kept;
    }
}

// Living ones: a stretch or a choice of them, in any order.
static entity_list choose_array(pair *two)
{
    kith_entity living[256];
    entity_list chosen = { .count = 0 };
    uint32_t    count  = list_living(two->batch.world, living, COUNT_OF(living));
    uint32_t    skip   = chance(two, 3) == 0 ? 0 : 1 + chance(two, 2);
    uint32_t    from   = count == 0 ? 0 : chance(two, count);
    if (chance(two, 3) == 0) {
        shuffle(two, living, count);
    }
    uint32_t most = chance(two, LIST_MOST + 1);
    for (uint32_t i = from; i < count && chosen.count < most; i += 1 + skip) {
        chosen.members[chosen.count++] = living[i];
    }
    if (chance(two, 3) == 0) {
        turn(chosen.members, chosen.count);
    }
    return chosen;
}

static entity_list choose(pair *two)
{
    if (chance(two, 2) == 0) {
        return choose_array(two);
    }
    uint32_t    slots  = kith_world_stats(two->batch.world).slots;
    entity_list chosen = { .is_range = true, .count = chance(two, LIST_MOST + 1) };
    chosen.range =
        (kith_entities){ NULL, kith_entity_make(chance(two, slots + 2), 1 + chance(two, 2)),
                         chosen.count, 0 };
    for (uint32_t i = 0; i < chosen.count; i++) {
        chosen.members[i] = kith_entities_at(chosen.range, i);
    }
    return chosen;
}

static uint32_t count_alive(const kith_world *world, const entity_list *chosen)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chosen->count; i++) {
        count += kith_entity_alive(world, chosen->members[i]);
    }
    return count;
}

// --- calls -----------------------------------------------------------------------------------

static void create_both(pair *two)
{
    kith_entity a[LIST_MOST];
    uint32_t    count = chance(two, LIST_MOST + 1);
    assert_true(kith_entity_create_many(two->batch.world, a, count, NULL, 0));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kith_entity_create(two->single.world), a[i]);
    }
    kith_world_release(two->single.world);
}

static void create_range_both(pair *two)
{
    uint32_t      count = chance(two, LIST_MOST + 1);
    uint32_t      slots = kith_world_stats(two->batch.world).slots;
    kith_entities range = kith_entity_create_range(two->batch.world, count);
    assert_int_equal(range.count, count);
    assert_int_equal(range.first, kith_entity_make(slots, 1));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < count; i++) {
        kith_entity hint = kith_entities_at(range, i);
        assert_int_equal(kith_entity_create_hint(two->single.world, hint), hint);
    }
    kith_world_release(two->single.world);
}

static void destroy_both(pair *two)
{
    entity_list chosen = choose(two);
    uint32_t    alive  = count_alive(two->batch.world, &chosen);
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < chosen.count; i++) {
        kith_entity_destroy(two->single.world, chosen.members[i]);
    }
    kith_world_release(two->single.world);
    if (chosen.is_range) {
        assert_int_equal(kith_entities_alive(two->batch.world, chosen.range), alive);
        assert_true(kith_entity_destroy_many(two->batch.world, chosen.range));
    } else {
        assert_true(kith_entity_destroy_many(two->batch.world,
                                             kith_entities_of(chosen.members, chosen.count)));
    }
}

// Sets of components with values, by registration order in `kinds`.
typedef struct wishes {
    kith_values    sets[4];
    kith_component ids[4];
    uint32_t       count;
} wishes;

static kith_values choose_values(pair *two, kith_component component)
{
    size_t      size = kith_component_describe(two->batch.world, component)->size;
    kith_values set  = { .component = component };
    if (chance(two, 4) != 0) {
        set.values = two->values + 8 * chance(two, 4);
        set.stride = chance(two, 3) == 0 ? 0 : size + 4 * chance(two, 2);
    }
    return set;
}

static wishes choose_wishes(pair *two)
{
    wishes   some = { .count = 0 };
    uint32_t most = chance(two, 3) == 0 ? 1 + chance(two, 4) : 1;
    for (kith_component id = 1; id <= FAR_FLAG && some.count < most; id++) {
        bool known = kith_component_describe(two->batch.world, id) != NULL;
        if (known && (id < FILLER || id >= FAR) && chance(two, 12) < most) {
            some.ids[some.count]    = id;
            some.sets[some.count++] = choose_values(two, id);
        }
    }
    return some;
}

// Interrupts the hold around single calls that add the component to a stable pool, or goes on.
static void interrupt_hold(const side *of, kith_component component, bool ends)
{
    bool stable = component == ANCHOR || component == NAIL || component == EAGER; // needs ANCHOR
    if (stable && !of->grouped) {
        assert_true(ends ? kith_world_hold(of->world) : kith_world_release(of->world));
    }
}

static void set_singly(side *of, const entity_list *chosen, const kith_values *set)
{
    interrupt_hold(of, set->component, false);
    for (uint32_t i = 0; i < chosen->count; i++) {
        if (kith_entity_alive(of->world, chosen->members[i])) {
            const uint8_t *values = set->values;
            assert_non_null(kith_component_set(of->world, chosen->members[i], set->component,
                                               values == NULL ? NULL : values + i * set->stride));
        }
    }
    interrupt_hold(of, set->component, true);
}

// The sets in another order than that of registration: it makes no difference.
static bool add_range(kith_world *world, const entity_list *chosen, const wishes *some)
{
    kith_values turned[4];
    for (uint32_t i = 0; i < some->count; i++) {
        turned[some->count - 1 - i] = some->sets[i];
    }
    if (some->count == 1 && !chosen->is_range) {
        return kith_entity_set_many(
            world, kith_entities_of(chosen->members, chosen->count),
            &(kith_values){ turned->component, turned->values, turned->stride }, 1);
    }
    if (some->count == 1) {
        return kith_entity_set_many(
            world, chosen->range,
            &(kith_values){ turned->component, turned->values, turned->stride }, 1);
    }
    return chosen->is_range
               ? kith_entity_set_many(world, chosen->range, turned, some->count)
               : kith_entity_set_many(world, kith_entities_of(chosen->members, chosen->count),
                                      turned, some->count);
}

static void add_both(pair *two)
{
    entity_list chosen = choose(two);
    wishes      some   = choose_wishes(two);
    assert_true(add_range(two->batch.world, &chosen, &some));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < some.count; i++) {
        set_singly(&two->single, &chosen, &some.sets[i]);
    }
    kith_world_release(two->single.world);
}

static bool take_range(kith_world *world, const entity_list *chosen, const wishes *some)
{
    if (some->count == 1 && !chosen->is_range) {
        return kith_entity_remove_many(world, kith_entities_of(chosen->members, chosen->count),
                                       &(kith_component){ some->ids[0] }, 1);
    }
    if (some->count == 1) {
        return kith_entity_remove_many(world, chosen->range, &(kith_component){ some->ids[0] }, 1);
    }
    return chosen->is_range
               ? kith_entity_remove_many(world, chosen->range, some->ids, some->count)
               : kith_entity_remove_many(world, kith_entities_of(chosen->members, chosen->count),
                                         some->ids, some->count);
}

static void take_both(pair *two)
{
    entity_list chosen = choose(two);
    wishes      some   = choose_wishes(two);
    assert_true(take_range(two->batch.world, &chosen, &some));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < some.count; i++) {
        for (uint32_t m = 0; m < chosen.count; m++) {
            kith_component_remove(two->single.world, chosen.members[m], some.ids[i]);
        }
    }
    kith_world_release(two->single.world);
}

static bool is_wished(const kith_world *world, const wishes *some, kith_component id)
{
    for (uint32_t i = 0; i < some->count; i++) {
        const kith_traits *traits = &kith_component_describe(world, some->ids[i])->traits;
        bool               needed = false;
        for (uint32_t k = 0; k < traits->required_count; k++) {
            needed = needed || traits->required[k] == id;
        }
        if (some->ids[i] == id || needed) {
            return true;
        }
    }
    return false;
}

static void set_components_singly(side *of, const entity_list *chosen, const wishes *some)
{
    for (uint32_t i = 0; i < some->count; i++) {
        const kith_values *set = &some->sets[i];
        if (set->values != NULL) {
            set_singly(of, chosen, set);
            continue;
        }
        interrupt_hold(of, set->component, false);
        for (uint32_t m = 0; m < chosen->count; m++) {
            if (kith_entity_alive(of->world, chosen->members[m])) {
                kith_component_add(of->world, chosen->members[m], set->component, NULL);
            }
        }
        interrupt_hold(of, set->component, true);
    }
    for (kith_component id = 0; (id = kith_component_next(of->world, id)) != 0;) {
        for (uint32_t m = 0; m < chosen->count && !is_wished(of->world, some, id); m++) {
            kith_component_remove(of->world, chosen->members[m], id);
        }
    }
}

static void set_components_both(pair *two)
{
    entity_list chosen = choose(two);
    wishes      some   = choose_wishes(two);
    kith_world *world  = two->batch.world;
    if (chosen.is_range) {
        assert_true(kith_entity_set_components(world, chosen.range, some.sets, some.count));
    } else if (chosen.count == 1) {
        assert_true(kith_entity_set_components(world, kith_entities_of(&chosen.members[0], 1),
                                               some.sets, some.count));
    } else {
        assert_true(kith_entity_set_components(
            world, kith_entities_of(chosen.members, chosen.count), some.sets, some.count));
    }
    kith_world_hold(two->single.world);
    set_components_singly(&two->single, &chosen, &some);
    kith_world_release(two->single.world);
}

// The single calls: all creates, then each component for all of them.
static void clone_singly(side *of, kith_entity prefab, const kith_entity *clones, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kith_entity_create(of->world), clones[i]);
    }
    for (kith_component id = 0; (id = kith_component_next(of->world, id)) != 0;) {
        const kith_component_desc *desc = kith_component_describe(of->world, id);
        interrupt_hold(of, id, false);
        for (uint32_t i = 0; i < count && kith_component_has(of->world, prefab, id); i++) {
            const void *value = desc->size == 0 ? NULL : kith_component_get(of->world, prefab, id);
            kith_component_set(of->world, clones[i], id, value);
            if (!kith_component_enabled(of->world, prefab, id)) {
                kith_component_enable(of->world, clones[i], id, false);
            }
        }
        interrupt_hold(of, id, true);
    }
}

static bool lacks_something(const kith_world *world, kith_entity entity)
{
    kith_component ids[KITH_COMPONENT_MAX];
    uint32_t       count = kith_entity_components(world, entity, ids, KITH_COMPONENT_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const kith_traits *traits = &kith_component_describe(world, ids[i])->traits;
        for (uint32_t k = 0; k < traits->required_count; k++) {
            if (!kith_component_has(world, entity, traits->required[k])) {
                return true;
            }
        }
    }
    return false;
}

// One that lacks what it requires would get it from single calls.
static void clone_both(pair *two)
{
    kith_entity clones[8];
    kith_entity prefab = kith_entity_next(two->batch.world, handle(chance(two, 64), 1));
    uint32_t    count  = chance(two, COUNT_OF(clones) + 1);
    if (prefab == KITH_NULL || lacks_something(two->batch.world, prefab)) {
        return;
    }
    assert_true(kith_entity_clone_many(two->batch.world, prefab, clones, count));
    kith_world_hold(two->single.world);
    clone_singly(&two->single, prefab, clones, count);
    kith_world_release(two->single.world);
}

// --- what goes on meanwhile ------------------------------------------------------------------

static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    side       *of    = context;
    const void *value = NULL;
    if (notice->component != 0 && notice->event != KITH_EVENT_REMOVE) {
        value = kith_component_get(world, notice->entity, notice->component);
        assert_non_null(value);
    }
    text_add(&of->reported, "event %d component %u entity %llx", (int)notice->event,
             notice->component, (unsigned long long)notice->entity);
    if (value != NULL && kith_component_describe(world, notice->component)->size != 0) {
        text_add(&of->reported, " %02x", *(const uint8_t *)value);
    }
    text_add(&of->reported, "\n");
}

static void connect_both(pair *two, const kith_listener_desc *desc)
{
    kith_listener_desc own = *desc;
    own.call               = record_notice;
    own.context            = &two->batch;
    assert_true(kith_listener_connect(two->batch.world, &own) != 0);
    own.context = &two->single;
    assert_true(kith_listener_connect(two->single.world, &own) != 0);
}

static void listen_to_all(pair *two)
{
    for (uint32_t i = 0; i < KINDS; i++) {
        bool valued = kith_component_describe(two->batch.world, kinds[i])->size != 0;
        connect_both(two, &(kith_listener_desc){ .event = KITH_EVENT_ADD, .component = kinds[i] });
        connect_both(two,
                     &(kith_listener_desc){ .event = KITH_EVENT_REMOVE, .component = kinds[i] });
        if (valued) {
            connect_both(two,
                         &(kith_listener_desc){ .event = KITH_EVENT_SET, .component = kinds[i] });
        }
    }
    connect_both(two, &(kith_listener_desc){ .event = KITH_EVENT_CREATE });
    connect_both(two, &(kith_listener_desc){ .event = KITH_EVENT_DESTROY });
}

static void disable_both(pair *two)
{
    entity_list chosen = choose_array(two);
    for (uint32_t i = 0; i < chosen.count; i += 3) {
        kith_component id = kinds[chance(two, KINDS)];
        if (kith_component_describe(two->batch.world, id)->kind != KITH_KIND_FLAG) {
            kith_component_enable(two->batch.world, chosen.members[i], id, false);
            kith_component_enable(two->single.world, chosen.members[i], id, false);
        }
    }
}

static void tick_both(pair *two)
{
    if (two->batch.cursor.step_.world_ == NULL) {
        kith_world_advance(two->batch.world);
        kith_world_advance(two->single.world);
    }
}

// Groups would see where the single calls interrupt the hold: without holes they need not.
static void close_stable_holes(pair *two)
{
    if (two->single.grouped && two->batch.cursor.step_.world_ == NULL) {
        for (uint32_t i = 0; i < 4; i++) {
            assert_true(kith_component_compact(i % 2 == 0 ? two->batch.world : two->single.world,
                                               i < 2 ? ANCHOR : NAIL));
        }
    }
}

static void change_both(pair *two)
{
    close_stable_holes(two);
    for (uint32_t i = 0; i < sizeof two->values; i++) {
        two->values[i] = (uint8_t)(1 + chance(two, 120));
    }
    switch (chance(two, 13)) {
    case 10:
    case 11:
        set_components_both(two);
        break;
    case 12:
        clone_both(two);
        break;
    case 0:
        create_both(two);
        break;
    case 1:
        create_range_both(two);
        break;
    case 2:
    case 3:
        destroy_both(two);
        break;
    case 4:
    case 5:
    case 6:
        add_both(two);
        break;
    case 7:
        take_both(two);
        break;
    case 8:
        disable_both(two);
        break;
    default:
        tick_both(two);
    }
}

// --- loops -----------------------------------------------------------------------------------

static const kith_term loop_terms[] = { { POSITION, KITH_ROLE_WRITE, 0 },
                                        { VELOCITY, KITH_ROLE_OPTIONAL, 0 },
                                        { FROZEN, KITH_ROLE_WITHOUT, 0 },
                                        { HIDDEN, KITH_ROLE_WITHOUT, 0 } };

static const kith_query_desc loop_queries[] = { { "some", loop_terms, 4, 0 },
                                                { "all", NULL, 0, 0 },
                                                { "positions", loop_terms, 1, 0 } };

static void step_both(pair *two)
{
    bool more = kith_cursor_next(&two->batch.cursor);
    assert_int_equal(kith_cursor_next(&two->single.cursor), more);
    assert_int_equal(two->batch.cursor.entity, two->single.cursor.entity);
    if (!more) {
        two->batch.cursor  = (kith_cursor){ 0 };
        two->single.cursor = (kith_cursor){ 0 };
    }
}

static void loop_both(pair *two)
{
    if (two->batch.cursor.step_.world_ == NULL) {
        const kith_query_desc *query = &loop_queries[chance(two, COUNT_OF(loop_queries))];
        two->batch.cursor            = kith_view_begin(two->batch.world, query);
        two->single.cursor           = kith_view_begin(two->single.world, query);
    }
    for (uint32_t steps = chance(two, 8); steps > 0 && two->batch.cursor.step_.world_ != NULL;
         steps--) {
        step_both(two);
    }
}

static void end_loops(pair *two)
{
    kith_cursor_end(&two->batch.cursor);
    kith_cursor_end(&two->single.cursor);
    two->batch.cursor  = (kith_cursor){ 0 };
    two->single.cursor = (kith_cursor){ 0 };
}

static void keep_small(pair *two)
{
    kith_entity living[512];
    if (kith_entity_count(two->batch.world) <= 150) {
        return;
    }
    end_loops(two);
    uint32_t count = list_living(two->batch.world, living, COUNT_OF(living));
    assert_true(kith_entity_destroy_many(two->batch.world, kith_entities_of(living, count)));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < count; i++) {
        kith_entity_destroy(two->single.world, living[i]);
    }
    kith_world_release(two->single.world);
}

static void ignore_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

static void ignore_many(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                        uint32_t count, void *context)
{
    assert_int_equal(notice->entity, entities[0]);
    assert_in_range(count, 1, 256);
    (void)world;
    (void)context;
}

// Listeners of everything in the world of batches alone.
static void connect_idlers(pair *two, bool many)
{
    for (unsigned event = KITH_EVENT_ADD; event <= KITH_EVENT_DESTROY; event++) {
        for (uint32_t i = 0; i < KINDS; i++) {
            bool of_entity = event >= KITH_EVENT_CREATE;
            bool valued    = kith_component_describe(two->batch.world, kinds[i])->size != 0;
            if ((event != KITH_EVENT_SET || valued) && (!of_entity || i == 0)) {
                kith_listener_desc desc = { .event     = (kith_event)event,
                                            .component = of_entity ? 0 : kinds[i] };
                desc.call               = many ? NULL : ignore_notice;
                desc.many               = many ? ignore_many : NULL;
                assert_true(kith_listener_connect(two->batch.world, &desc) != 0);
            }
        }
    }
}

typedef enum listening {
    NO_LISTENERS,
    ALL_LISTENERS,
    IDLERS,
    IDLERS_OF_MANY,
    GROUPS,
    GROUPS_TOO
} listening;

static void run_pair(kith_world_desc desc, uint32_t steps, bool loops, listening chosen)
{
    pair *two = open_pair(desc);
    steps     = test_thinned(steps);
    if (chosen == ALL_LISTENERS || chosen == GROUPS_TOO) {
        listen_to_all(two);
    } else if (chosen == IDLERS || chosen == IDLERS_OF_MANY) {
        connect_idlers(two, chosen == IDLERS_OF_MANY);
    }
    if (chosen == GROUPS || chosen == GROUPS_TOO) {
        make_groups(two);
    }
    for (uint32_t step = 0; step < steps; step++) {
        keep_small(two);
        if (loops && chance(two, 3) == 0) {
            loop_both(two);
        }
        change_both(two);
        if (loops && chance(two, 6) == 0) {
            end_loops(two);
        }
        assert_same_sides(two);
        if (!loops) {
            assert_same_walks(two);
        }
    }
    end_loops(two);
    close_pair(two);
}

static void a_batch_is_its_single_calls_in_a_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        run_pair((kith_world_desc){ .free_order = test_free_orders[i], .version_bits = 3 }, 700,
                 false, NO_LISTENERS);
    }
}

static void a_batch_is_its_single_calls_while_loops_are_open(void **state)
{
    (void)state;
    run_pair((kith_world_desc){ .first_index = 3 }, 1000, true, NO_LISTENERS);
}

static void a_batch_is_its_single_calls_for_listeners(void **state)
{
    (void)state;
    run_pair((kith_world_desc){ .user = NULL }, 700, false, ALL_LISTENERS);
    run_pair((kith_world_desc){ .user = NULL }, 700, true, ALL_LISTENERS);
}

static void a_batch_is_its_single_calls_for_groups(void **state)
{
    (void)state;
    run_pair((kith_world_desc){ .user = NULL }, 700, false, GROUPS);
    run_pair((kith_world_desc){ .user = NULL }, 700, true, GROUPS);
    run_pair((kith_world_desc){ .user = NULL }, 400, true, GROUPS_TOO);
}

static void a_listener_that_does_nothing_changes_nothing(void **state)
{
    (void)state;
    run_pair((kith_world_desc){ .user = NULL }, 500, false, IDLERS);
    run_pair((kith_world_desc){ .user = NULL }, 500, false, IDLERS_OF_MANY);
}

// --- more than a page ------------------------------------------------------------------------

enum { MANY = 5000 };

typedef struct large {
    kith_entity members[MANY];
    vec2        values[MANY];
    uint32_t    count;
} large;

static void add_large(pair *two, const large *all, kith_component component)
{
    assert_true(kith_entity_set_many(two->batch.world, kith_entities_of(all->members, all->count),
                                     &(kith_values){ component, all->values, sizeof(vec2) }, 1));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < all->count; i++) {
        kith_component_set(two->single.world, all->members[i], component, &all->values[i]);
    }
    kith_world_release(two->single.world);
    assert_same_sides(two);
}

static void destroy_large(pair *two, const kith_entity *members, uint32_t count)
{
    assert_true(kith_entity_destroy_many(two->batch.world, kith_entities_of(members, count)));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < count; i++) {
        kith_entity_destroy(two->single.world, members[i]);
    }
    kith_world_release(two->single.world);
    assert_same_sides(two);
}

static void remove_large(pair *two, const kith_entity *members, uint32_t count)
{
    assert_true(kith_entity_remove_many(two->batch.world, kith_entities_of(members, count),
                                        &(kith_component){ POSITION }, 1));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < count; i++) {
        kith_component_remove(two->single.world, members[i], POSITION);
    }
    kith_world_release(two->single.world);
    assert_same_sides(two);
}

static void create_large(pair *two, large *all)
{
    const kith_values sets[] = { position_each(all->values), velocity_all(&all->values[7]) };
    all->count               = MANY;
    assert_true(kith_entity_create_many(two->batch.world, all->members, MANY, sets, 2));
    kith_world_hold(two->single.world);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(kith_entity_create(two->single.world), all->members[i]);
        position_set(two->single.world, all->members[i], all->values[i]);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        velocity_set(two->single.world, all->members[i], all->values[7]);
    }
    kith_world_release(two->single.world);
    assert_same_sides(two);
}

// In the order of their rows, the other way round, without any order, and in groups.
static void batches_reach_over_pages(void **state)
{
    (void)state;
    large *all = calloc(1, sizeof *all);
    assert_non_null(all);
    for (uint32_t i = 0; i < MANY; i++) {
        all->values[i] = (vec2){ (float)i, -(float)i };
    }
    for (uint32_t order = 0; order < 4; order++) {
        pair *two = open_pair((kith_world_desc){ .user = NULL });
        if (order == 3) {
            make_groups(two);
        }
        create_large(two, all);
        if (order == 1) {
            turn(all->members, MANY);
        } else if (order == 2) {
            shuffle(two, all->members, MANY);
        }
        tick_both(two);
        remove_large(two, all->members + 1500, 2000);
        add_large(two, all, POSITION); // some have it
        tick_both(two);
        destroy_large(two, all->members + 2000, 1100); // the gap is filled from the end
        destroy_large(two, all->members + 3100, 1900); // the end
        all->count = 2000;
        add_large(two, all, NAIL);
        destroy_large(two, all->members, 1999);
        create_large(two, all); // in the slots of those
        close_pair(two);
    }
    free(all);
}

// --- ranges ----------------------------------------------------------------------------------

static void a_range_has_fresh_indices_and_passes_over_the_dead(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 4);
    test_destroy_index(f->world, 2);

    kith_entities range = kith_entity_create_range(f->world, 3000);

    assert_null(range.array);
    assert_int_equal(range.first, handle(4, 1));
    assert_int_equal(range.count, 3000);
    assert_int_equal(kith_entities_at(range, 2999), handle(3003, 1));
    assert_int_equal(kith_entities_at(range, 3000), KITH_NULL);
    test_destroy_index(f->world, 4);
    test_destroy_index(f->world, 1500);
    test_destroy_index(f->world, 3003);
    assert_true(position_fill_range(f->world, range, (vec2){ 1, 2 }));
    assert_int_equal(position_count(f->world), 2997);
    assert_true(frozen_add_range(f->world, range));
    assert_true(frozen_remove_range(f->world, range));
    assert_int_equal(kith_entities_alive(f->world, range), 2997);
    assert_true(kith_entity_destroy_many(f->world, range));
    assert_int_equal(kith_entities_alive(f->world, range), 0);
    assert_true(kith_entity_destroy_many(f->world, range));
    assert_int_equal(kith_entity_count(f->world), 3);
}

static void values_of_a_range_belong_to_its_members(void **state)
{
    test_fixture *f         = *state;
    kith_entities range     = kith_entity_create_range(f->world, 4);
    const int     healths[] = { 10, 11, 12, 13 };
    kith_entity_destroy(f->world, kith_entities_at(range, 1));

    assert_int_equal(kith_entities_alive(f->world, range), 3);
    assert_true(health_set_range(f->world, range, healths));

    assert_int_equal(*health_get(f->world, kith_entities_at(range, 0)), 10);
    assert_int_equal(*health_get(f->world, kith_entities_at(range, 2)), 12);
    assert_int_equal(*health_get(f->world, kith_entities_at(range, 3)), 13);
}

static void any_numbers_may_be_passed_as_a_range(void **state)
{
    test_fixture       *f        = *state;
    const kith_entities ranges[] = { { NULL, KITH_NULL, 0, 0 },
                                     { NULL, UINT64_MAX, UINT32_MAX, 0 },
                                     { NULL, handle(2, 1), UINT32_MAX, 0 },
                                     { NULL, handle(1, 2), 5, 0 },
                                     { NULL, handle(1u << 31, 1), 7, 0 } };
    test_create_many(f->world, 3);
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        assert_int_equal(kith_entities_alive(f->world, ranges[i]), i == 2 ? 1 : 0);
        assert_true(hidden_add_range(f->world, ranges[i]));
        assert_true(hidden_remove_range(f->world, ranges[i]));
        assert_true(health_fill_range(f->world, ranges[i], 1));
        assert_true(kith_entity_set_many(f->world, ranges[i], NULL, 0));
        assert_true(kith_entity_remove_many(f->world, ranges[i], NULL, 0));
    }
    assert_true(kith_entity_destroy_many(f->world, ranges[2]));
    assert_int_equal(f->memory.errors, 0);
}

static void there_is_no_range_where_all_indices_are_queued(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 8 });
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT,
                   kith_entity_create_range(world, 2).count != 0);
    assert_int_equal(kith_entity_create(world), handle(0, 1));
}

// --- bad input -------------------------------------------------------------------------------

static void bad_arrays_are_refused_as_a_whole(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[6];
    kith_entity   dead = kith_entity_create(f->world);
    kith_entity_destroy(f->world, dead);
    assert_true(kith_entity_create_many(f->world, some, 6, NULL, 0));
    assert_true(health_fill_many(f->world, some, 3, 5));
    const struct {
        kith_entity     bad;
        kith_error_code code;
    } cases[] = {
        { KITH_NULL, KITH_ERROR_NULL_ENTITY },  { dead, KITH_ERROR_DEAD_ENTITY },
        { UINT64_MAX, KITH_ERROR_DEAD_ENTITY }, { handle(4000, 1), KITH_ERROR_DEAD_ENTITY },
        { some[0], KITH_ERROR_ARGUMENT },       { some[5], KITH_ERROR_ARGUMENT }
    };
    const kith_component ids[] = { HEALTH, HIDDEN };
    const kith_values    set   = hidden_all();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        kith_entity chosen[6];
        memcpy(chosen, some, sizeof chosen);
        chosen[3] = cases[i].bad;
        assert_refused_unchanged(&f->memory, f->world, cases[i].code,
                                 kith_entity_destroy_many(f->world, kith_entities_of(chosen, 6)));
        assert_int_equal(kith_world_error(f->world).entity, cases[i].bad);
        assert_refused_unchanged(&f->memory, f->world, cases[i].code,
                                 health_fill_many(f->world, chosen, 6, 9));
        assert_refused_unchanged(&f->memory, f->world, cases[i].code,
                                 health_remove_many(f->world, chosen, 6));
        assert_refused_unchanged(
            &f->memory, f->world, cases[i].code,
            kith_entity_set_many(f->world, kith_entities_of(chosen, 6), &set, 1));
        assert_refused_unchanged(
            &f->memory, f->world, cases[i].code,
            kith_entity_set_components(f->world, kith_entities_of(chosen, 6), &set, 1));
        assert_refused_unchanged(
            &f->memory, f->world, cases[i].code,
            kith_entity_remove_many(f->world, kith_entities_of(chosen, 6), ids, 2));
    }
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "the array has an entity twice: entity 5v1");
}

static void arrays_that_are_not_there_are_refused(void **state)
{
    test_fixture *f    = *state;
    kith_entity   some = kith_entity_create(f->world);
    kith_entity   out;
    kith_entities range = { NULL, some, 1, 0 };
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_create_many(f->world, NULL, 1, NULL, 0));
    assert_refused_unchanged(
        &f->memory, f->world, KITH_ERROR_ARGUMENT,
        kith_entity_create_many(f->world, NULL, 1, (kith_values[]){ hidden_all() }, 1));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_create_many(f->world, &out, 1, NULL, 1));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_destroy_many(f->world, kith_entities_of(NULL, 1)));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             health_set_many(f->world, NULL, 1, NULL));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             health_remove_many(f->world, NULL, 1));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_set_many(f->world, kith_entities_of(&some, 1), NULL, 1));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_remove_many(f->world, range, NULL, 1) != 0);
    assert_true(kith_entity_create_many(f->world, NULL, 0, NULL, 0));
    assert_true(kith_entity_destroy_many(f->world, kith_entities_of(NULL, 0)));
    assert_true(health_remove_many(f->world, NULL, 0));
}

static void invalid_sets_are_refused(void **state)
{
    test_fixture     *f            = *state;
    kith_entity       some         = kith_entity_create(f->world);
    const int         health       = 1;
    const kith_values twice[]      = { health_all(&health), frozen_all(), health_each(&health) };
    const kith_values short_stride = { HEALTH, &health, 3 };
    const kith_values unknown[]    = { frozen_all(), { 77, NULL, 0 } };
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_set_many(f->world, kith_entities_of(&some, 1), twice, 3));
    assert_refused_unchanged(
        &f->memory, f->world, KITH_ERROR_ARGUMENT,
        kith_entity_set_many(f->world, kith_entities_of(&some, 1), &short_stride, 1));
    assert_refused_unchanged(
        &f->memory, f->world, KITH_ERROR_UNREGISTERED,
        kith_entity_set_many(f->world, kith_entities_of(&some, 1), unknown, 2));
    assert_refused_unchanged(
        &f->memory, f->world, KITH_ERROR_UNREGISTERED,
        kith_entity_remove_many(f->world, kith_entities_of(&some, 1), &(kith_component){ 77 }, 1));
}

static void a_batch_beyond_a_limit_changes_no_entity(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[6];
    kith_entity   more[4];
    assert_true(kith_entity_create_many(f->world, some, 6, NULL, 0));
    assert_true(health_limit_set(f->world, 4));
    health_set(f->world, some[1], 3);
    const int         health = 8;
    const kith_values sets[] = { position_all(&(vec2){ 1, 1 }), health_all(&health) };

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_entity_set_many(f->world, kith_entities_of(some, 6), sets, 2));
    assert_error_text(f->world,
                      "kith_entity_set_many: the pool of \"health\" is limited to 4 rows");
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_entity_create_many(f->world, more, 4, sets, 2));
    assert_true(kith_entity_set_many(f->world, kith_entities_of(some, 4), sets, 2));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_entity_create_many(f->world, more, UINT32_MAX, NULL, 0));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_entity_create_range(f->world, UINT32_MAX).count != 0);
}

// --- all or nothing --------------------------------------------------------------------------

// A world in which a batch meets everything: holes, members with and without, far components.
static void furnish(side *of, kith_entity *some, uint32_t count)
{
    open_side(of, (kith_world_desc){ .user = NULL });
    kith_world_advance(of->world);
    assert_true(kith_entity_create_many(of->world, some, count, NULL, 0));
    kith_entity_destroy(of->world, kith_entity_create(of->world));
    kith_component_set(of->world, some[1], BODY, &(int){ 3 });
    kith_component_set(of->world, some[3], BODY, &(int){ 4 });
    kith_component_add(of->world, some[2], NEEDY, NULL);
    kith_component_remove(of->world, some[2], FROZEN);
    kith_component_add(of->world, some[4], ANCHOR, NULL);
    kith_component_remove(of->world, some[4], ANCHOR);
    kith_component_enable(of->world, some[1], BODY, false);
    kith_world_advance(of->world);
}

static bool create_everything(side *of)
{
    kith_entity       made[5];
    const int         bodies[] = { 20, 21, 22, 23, 24, 25, 26, 27 };
    const kith_values sets[]   = { { POSITION, NULL, 0 }, { BODY, bodies, sizeof(int) },
                                   { NEEDY, NULL, 0 },    { EAGER, NULL, 0 },
                                   { FAR, NULL, 0 },      { FAR_FLAG, NULL, 0 } };
    return kith_entity_create_many(of->world, made, 5, sets, COUNT_OF(sets));
}

static void quiet(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    ++*(uint32_t *)context;
}

// `call` is all or nothing by itself, or stops after a part of it that is.
static void fail_at_each(bool (*call)(side *of, const kith_entity *some, uint32_t count),
                         bool hooks, bool listener)
{
    bool     done  = false;
    uint32_t every = test_thinned(1000) < 100 ? 5 : 1; // the slowest tool looks at some
    for (uint32_t at = 1; !done; at += every) {
        side        of = { .living = 0 };
        kith_entity some[8];
        uint32_t    reported = 0;
        furnish(&of, some, 8);
        if (listener) {
            kith_listener_connect(of.world, &(kith_listener_desc){ .event     = KITH_EVENT_ADD,
                                                                   .component = HIDDEN,
                                                                   .call      = quiet,
                                                                   .context   = &reported });
        }
        text before = dump_world(of.world);
        int  living = of.living;
        if (hooks) {
            of.fail_in = (int)at;
        } else {
            test_fail_after(&of.memory, at);
        }
        done       = call(&of, some, 8);
        of.fail_in = 0;
        test_fail_after(&of.memory, 0);
        if (!done) {
            assert_error(of.world, hooks ? KITH_ERROR_HOOK : KITH_ERROR_MEMORY);
            assert_unchanged(of.world, before);
            assert_int_equal(of.living, living);
            assert_int_equal(reported, 0);
            assert_true(call(&of, some, 8)); // and it can be done yet
        } else {
            text_free(&before);
        }
        assert_int_equal(of.memory.errors, done ? 0 : 1);
        close_side(&of);
        assert_true(at < 500);
    }
}

static bool add_sets_alone(side *of, const kith_entity *some, uint32_t count)
{
    const int         bodies[] = { 20, 21, 22, 23, 24, 25, 26, 27 };
    const kith_values sets[]   = { { FAR_FLAG, NULL, 0 }, { WIDE, NULL, 0 },
                                   { EAGER, NULL, 0 },    { FAR, NULL, 0 },
                                   { NEEDY, NULL, 0 },    { BODY, bodies, sizeof(int) } };
    return kith_entity_set_many(of->world, kith_entities_of(some, count), sets, COUNT_OF(sets));
}

static bool add_needy_alone(side *of, const kith_entity *some, uint32_t count)
{
    return kith_entity_set_many(of->world, kith_entities_of(some, count),
                                &(kith_values){ NEEDY, NULL, 0 }, 1);
}

static bool create_alone(side *of, const kith_entity *some, uint32_t count)
{
    (void)some;
    (void)count;
    return create_everything(of);
}

static bool add_plain_alone(side *of, const kith_entity *some, uint32_t count)
{
    kith_entity far[3000]; // pages that no component has reached yet
    (void)some;
    (void)count;
    const kith_values sets[] = { { POSITION, NULL, 0 }, { WIDE, NULL, 0 } };
    return kith_entity_create_many(of->world, far, 3000, sets, 2);
}

static bool create_many_alone(side *of, const kith_entity *some, uint32_t count)
{
    kith_entity far[3000];
    (void)some;
    (void)count;
    return kith_entity_create_many(of->world, far, 3000, NULL, 0);
}

static bool create_range_alone(side *of, const kith_entity *some, uint32_t count)
{
    (void)some;
    (void)count;
    return kith_entity_create_range(of->world, 3000).count != 0;
}

static void a_batch_survives_each_failed_allocation(void **state)
{
    (void)state;
    fail_at_each(add_sets_alone, false, false);
    fail_at_each(add_sets_alone, false, true);
    fail_at_each(add_needy_alone, false, true);
    fail_at_each(create_alone, false, true);
    fail_at_each(add_plain_alone, false, false);
    fail_at_each(create_many_alone, false, false);
    fail_at_each(create_range_alone, false, false);
}

// A handle that was not given out is not alive, whatever was tried.
static void a_failed_creation_leaves_no_entity_alive(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[5000];
    assert_true(kith_entity_reserve(f->world, 2000));
    for (uint32_t at = 1; at <= 3; at++) {
        test_fail_after(&f->memory, at);
        assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY,
                       kith_entity_create_many(f->world, some, 5000, NULL, 0));
        assert_int_equal(kith_entity_create_range(f->world, 0).count, 0);
        for (uint32_t i = 0; i < 5000; i++) {
            assert_false(kith_entity_alive(f->world, handle(i, 1)));
        }
    }
    test_fail_after(&f->memory, 0);
    assert_true(kith_entity_create_many(f->world, some, 5000, NULL, 0));
    assert_true(kith_entity_alive(f->world, handle(4999, 1)));
    assert_false(kith_entity_alive(f->world, handle(5000, 1)));
}

static void a_batch_survives_each_hook_that_fails(void **state)
{
    (void)state;
    fail_at_each(add_sets_alone, true, true);
    fail_at_each(add_needy_alone, true, false);
    fail_at_each(create_alone, true, false);
}

static void a_failed_creation_returns_the_slots_in_their_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        side        of = { .fail_in = 0 };
        kith_entity some[6];
        open_side(&of, (kith_world_desc){ .free_order = test_free_orders[i] });
        assert_true(kith_entity_create_many(of.world, some, 6, NULL, 0));
        const kith_entity order[] = { some[3], some[0], some[4] };
        assert_true(kith_entity_destroy_many(of.world, kith_entities_of(order, 3)));
        text before = dump_world(of.world);

        of.fail_in = 2;
        assert_false(create_everything(&of)); // five: three of them in free slots
        assert_unchanged(of.world, before);
        of.fail_in = 0;
        assert_true(create_everything(&of));
        close_side(&of);
    }
}

// --- becoming and cloning --------------------------------------------------------------------

static void set_components_keeps_values_that_are_not_given(void **state)
{
    test_fixture     *f      = *state;
    kith_entity       ship   = kith_entity_create(f->world);
    const vec2        fast   = { 5, 6 };
    const kith_values sets[] = { { POSITION, NULL, 0 }, velocity_all(&fast) };
    position_set(f->world, ship, (vec2){ 1, 2 });
    velocity_set(f->world, ship, (vec2){ 3, 4 });
    health_set(f->world, ship, 9);
    hidden_add(f->world, ship);

    assert_true(kith_entity_set_components(f->world, kith_entities_of(&ship, 1), sets, 2));

    assert_float_equal(position_get(f->world, ship)->x, 1, 0);
    assert_float_equal(velocity_get(f->world, ship)->x, 5, 0);
    assert_false(health_has(f->world, ship));
    assert_false(hidden_has(f->world, ship));
    assert_true(kith_entity_set_components(f->world, kith_entities_of(&ship, 1), NULL, 0));
    assert_int_equal(kith_entity_components(f->world, ship, NULL, 0), 0);
    assert_refused_unchanged(
        &f->memory, f->world, KITH_ERROR_NULL_ENTITY,
        kith_entity_set_components(f->world, kith_entities_of(&(kith_entity){ KITH_NULL }, 1), sets,
                                   2));
}

static bool set_components_alone(side *of, const kith_entity *some, uint32_t count)
{
    const int         bodies[] = { 20, 21, 22, 23, 24, 25, 26, 27 };
    const kith_values sets[]   = { { BODY, bodies, sizeof(int) }, { EAGER, NULL, 0 } };
    return kith_entity_set_components(of->world, kith_entities_of(some, count), sets, 2);
}

static bool clone_alone(side *of, const kith_entity *some, uint32_t count)
{
    kith_entity clones[5];
    (void)count;
    return kith_entity_clone_many(of->world, some[2], clones, 5);
}

static void becoming_and_cloning_are_all_or_nothing(void **state)
{
    (void)state;
    fail_at_each(set_components_alone, false, false);
    fail_at_each(set_components_alone, true, false);
    fail_at_each(clone_alone, false, true);
    fail_at_each(clone_alone, true, false);
}

static void a_clone_has_what_its_prefab_has_and_no_more(void **state)
{
    (void)state;
    side        of = { .living = 0 };
    kith_entity some[8];
    kith_entity clones[3];
    furnish(&of, some, 8); // the third lacks something that it requires
    kith_component_enable(of.world, some[2], NEEDY, false);
    kith_component_set(of.world, some[2], BODY, &(int){ 55 });

    assert_true(kith_entity_clone_many(of.world, some[2], clones, 3));

    for (uint32_t i = 0; i < 3; i++) {
        kith_signature clone  = kith_entity_signature(of.world, clones[i]);
        kith_signature prefab = kith_entity_signature(of.world, some[2]);
        assert_true(is_same_set(&clone, &prefab));
        assert_false(kith_component_has(of.world, clones[i], FROZEN));
        assert_false(kith_component_enabled(of.world, clones[i], NEEDY));
        assert_true(kith_component_enabled(of.world, clones[i], BODY));
        assert_int_equal(*(const int *)kith_component_get(of.world, clones[i], BODY), 55);
    }
    close_side(&of);
}

static void forget_value(void *value, void *context)
{
    (void)value;
    (void)context;
}

// Of the four components of the prefab the clones have two. A mark that cannot be copied is no
// obstacle.
static void clones_lack_what_is_the_prefabs_own(void **state)
{
    test_fixture *f = *state;
    kith_entity   clones[3];
    kith_entity   prefab = kith_entity_create(f->world);
    register_one(f->world, (kith_component_desc){ .name              = "prefab",
                                                  .id                = 50,
                                                  .kind              = KITH_KIND_FLAG,
                                                  .traits.not_cloned = true });
    register_one(f->world, (kith_component_desc){ .name   = "source",
                                                  .id     = 51,
                                                  .size   = 4,
                                                  .traits = { .hooks = { .destruct = forget_value },
                                                              .not_cloned = true } });
    register_one(f->world, (kith_component_desc){ .name   = "part",
                                                  .id     = 52,
                                                  .size   = 4,
                                                  .traits = { .required = &(kith_component){ 51 },
                                                              .required_count = 1 } });
    health_set(f->world, prefab, 7);
    kith_component_add(f->world, prefab, 50, NULL);
    kith_component_add(f->world, prefab, 52, NULL); // and 51, which it requires
    assert_int_equal(kith_entity_components(f->world, prefab, NULL, 0), 4);

    assert_true(kith_entity_clone_many(f->world, prefab, clones, 3));

    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kith_entity_components(f->world, clones[i], NULL, 0), 2);
        assert_int_equal(*health_get(f->world, clones[i]), 7);
        assert_true(kith_component_has(f->world, clones[i], 52));
    }
    assert_int_equal(kith_component_count(f->world, 50), 1);
    assert_int_equal(kith_component_count(f->world, 51), 1);
}

static void not_cloned_is_a_part_of_the_description(void **state)
{
    test_fixture             *f    = *state;
    const kith_component_desc mark = {
        .name = "prefab", .id = 50, .kind = KITH_KIND_FLAG, .traits.not_cloned = true
    };
    register_one(f->world, mark);
    register_one(f->world, mark);
    assert_true(kith_component_describe(f->world, 50)->traits.not_cloned);

    kith_component_desc other = mark;
    other.traits.not_cloned   = false;
    assert_refused(&f->memory, f->world, KITH_ERROR_CONFLICT,
                   kith_component_register(f->world, &other) != 0);
    assert_error_says(f->world, KITH_ERROR_CONFLICT, "with not_cloned 1, not none");
}

static void components_that_cannot_be_copied_are_not_cloned(void **state)
{
    test_fixture *f = *state;
    kith_entity   clones[2];
    kith_entity   prefab = kith_entity_create(f->world);
    kith_entity   plain  = kith_entity_create(f->world);
    register_one(f->world, (kith_component_desc){ .name         = "owner",
                                                  .id           = 50,
                                                  .size         = 4,
                                                  .traits.hooks = { .destruct = forget_value } });
    kith_component_add(f->world, prefab, 50, NULL);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_clone_many(f->world, prefab, clones, 2));
    assert_error_text(f->world, "kith_entity_clone_many: \"owner\": values with hooks need a "
                                "copy hook to be cloned");
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_DEAD_ENTITY,
                             kith_entity_clone_many(f->world, handle(9, 1), clones, 2));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_entity_clone_many(f->world, plain, NULL, 2));
}

// Every entity is at (1, 2) and has that health, 0: none.
static void assert_each_is(const kith_world *world, kith_entities range, int health)
{
    for (uint32_t i = 0; i < range.count; i++) {
        kith_entity one = kith_entities_at(range, i);
        assert_true(position_get(world, one)->x == 1 && position_get(world, one)->y == 2);
        assert_true(health == 0 ? !health_has(world, one) : *health_get(world, one) == health);
        assert_int_equal(kith_entity_components(world, one, NULL, 0), health == 0 ? 1 : 2);
    }
}

// The example of an archetype scene, line for line.
static void set_components_builds_a_scene_by_archetypes(void **state)
{
    (void)state;
    test_memory memory  = { 0 };
    kith_world *level_1 = test_world(&memory);
    assert_true(game_register(level_1));

    // create one instance
    kith_entity player = kith_entity_create(level_1);
    assert_int_equal(kith_entity_count(level_1), 1);
    kith_entity_set_components(level_1, kith_entities_of(&player, 1),
                               (kith_values[]){ position_all(&(vec2){ 1, 2 }) }, 1);
    assert_float_equal(position_get(level_1, player)->x, 1, 0);
    assert_float_equal(position_get(level_1, player)->y, 2, 0);
    assert_int_equal(kith_entity_components(level_1, player, NULL, 0), 1);

    // add one component
    health_set(level_1, player, 10);
    assert_int_equal(*health_get(level_1, player), 10);
    assert_int_equal(kith_entity_components(level_1, player, NULL, 0), 2);

    // batch create instance
    kith_entities batch = kith_entity_create_range(level_1, 10000);
    assert_int_equal(batch.count, 10000);
    assert_int_equal(kith_entity_count(level_1), 10001);
    kith_entity_set_components(
        level_1, batch, (kith_values[]){ position_all(&(vec2){ 1, 2 }), health_all(&(int){ 10 }) },
        2);
    assert_each_is(level_1, batch, 10);
    assert_int_equal(position_count(level_1), 10001);
    assert_int_equal(health_count(level_1), 10001);

    // remove one component
    health_remove_range(level_1, batch);
    assert_each_is(level_1, batch, 0);
    assert_int_equal(*health_get(level_1, player), 10);
    assert_int_equal(health_count(level_1), 1);

    // delete entity
    kith_entity_destroy(level_1, player);
    assert_false(kith_entity_alive(level_1, player));
    assert_each_is(level_1, batch, 0);
    assert_int_equal(kith_entity_count(level_1), 10000);
    assert_int_equal(position_count(level_1), 10000);
    assert_int_equal(health_count(level_1), 0);
    test_world_end(level_1, &memory);
}

// --- listeners -------------------------------------------------------------------------------

typedef struct witness {
    kith_entity   *entity_list;
    uint32_t       count;
    uint32_t       reported;
    kith_component takes; // from the last entity, when the first is reported; 0: nothing
    bool           adds;  // it back
} witness;

static void see_all(kith_world *world, const kith_notice *notice, void *context)
{
    witness *one = context;
    for (uint32_t i = 0; i < one->count && one->reported == 0; i++) {
        assert_true(kith_component_has(world, one->entity_list[i], notice->component));
    }
    one->reported++;
    if (one->takes != 0) {
        one->takes = 0;
        kith_component_remove(world, one->entity_list[one->count - 1], notice->component);
        if (one->adds) {
            kith_component_add(world, one->entity_list[one->count - 1], notice->component, NULL);
        }
    }
}

static void listeners_are_notified_when_the_whole_batch_is_in_place(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[5];
    witness       one = { some, 5, 0, 0, false };
    assert_true(kith_entity_create_many(f->world, some, 5, NULL, 0));
    assert_true(position_on_add(f->world, see_all, &one) != 0);

    assert_true(position_fill_many(f->world, some, 5, (vec2){ 1, 2 }));

    assert_int_equal(one.reported, 5);
}

static void an_entity_that_lost_the_component_before_its_turn_is_skipped(void **state)
{
    test_fixture        *f     = *state;
    const kith_component ids[] = { POSITION, HIDDEN, FROZEN };
    for (size_t i = 0; i < 2 * COUNT_OF(ids); i++) {
        kith_entity    some[5];
        kith_component id     = ids[i / 2];
        bool           adds   = i % 2 != 0;
        bool           twice  = adds && id == HIDDEN; // two adds of a flag cannot be distinguished
        uint32_t       losses = 0;
        witness        one    = { some, 5, 0, id, adds };
        assert_true(kith_entity_create_many(f->world, some, 5, NULL, 0));
        kith_listener added = kith_listener_connect(
            f->world,
            &(kith_listener_desc){
                .event = KITH_EVENT_ADD, .component = id, .call = see_all, .context = &one });
        kith_listener gone = kith_listener_connect(
            f->world,
            &(kith_listener_desc){
                .event = KITH_EVENT_REMOVE, .component = id, .call = quiet, .context = &losses });
        assert_true(kith_entity_set_many(f->world, kith_entities_of(some, 5),
                                         &(kith_values){ id, NULL, 0 }, 1));
        assert_int_equal(one.reported, twice ? 6 : adds ? 5 : 4); // with the report that it is back
        assert_int_equal(losses, 1);
        assert_int_equal(kith_component_has(f->world, some[4], id), adds);
        assert_true(kith_listener_disconnect(f->world, added));
        assert_true(kith_listener_disconnect(f->world, gone));
    }
}

// Connects a listener to what is announced later, when it is first called.
typedef struct inviter {
    kith_listener_desc guest;
    uint32_t           reported;
    kith_listener      invited;
} inviter;

static void invite(kith_world *world, const kith_notice *notice, void *context)
{
    inviter *one = context;
    (void)notice;
    if (one->reported++ == 0) {
        one->invited = kith_listener_connect(world, &one->guest);
        assert_true(one->invited != 0);
    }
}

// As in single calls: the new listener is called for the next event.
static void a_listener_connected_meanwhile_is_called_for_what_is_still_announced(void **state)
{
    test_fixture        *f      = *state;
    const kith_component ids[]  = { VELOCITY, FROZEN, HIDDEN }; // registered after position
    const kith_event     from[] = { KITH_EVENT_ADD, KITH_EVENT_CREATE };
    for (size_t i = 0; i < COUNT_OF(ids) * COUNT_OF(from); i++) {
        kith_entity       some[3];
        uint32_t          reported = 0;
        kith_component    id       = ids[i / 2];
        const kith_values sets[]   = { { POSITION, NULL, 0 }, { id, NULL, 0 } };
        inviter           one      = { .reported = 0 };
        one.guest.event            = KITH_EVENT_ADD;
        one.guest.component        = id;
        one.guest.call             = quiet;
        one.guest.context          = &reported;
        kith_listener_desc host    = { .event     = from[i % 2],
                                       .component = from[i % 2] == KITH_EVENT_ADD ? POSITION : 0,
                                       .call      = invite,
                                       .context   = &one };
        kith_listener      first   = kith_listener_connect(f->world, &host);
        assert_true(kith_entity_create_many(f->world, some, 3, sets, 2));
        assert_int_equal(one.reported, 3);
        assert_int_equal(reported, 3);
        assert_true(kith_listener_disconnect(f->world, first));
        assert_true(kith_listener_disconnect(f->world, one.invited));
    }
}

// --- lifetimes -------------------------------------------------------------------------------

enum { LIFE = 60, LONG_LIFE, SHORT_LIFE };

typedef struct long_life {
    kith_lifetime life;
    int           more;
} long_life;

KITH_COMPONENT(life, kith_lifetime, LIFE);
KITH_COMPONENT(long_life, long_life, LONG_LIFE);
KITH_COMPONENT(short_life, int, SHORT_LIFE);
KITH_MODULE(lives, life, long_life, short_life);

static void entities_expire_at_their_tick(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[1000];
    assert_true(lives_register(f->world));
    assert_true(kith_entity_create_many(f->world, some, 1000, NULL, 0));
    for (uint32_t i = 0; i < 1000; i++) {
        life_set(f->world, some[i], (kith_lifetime){ 1 + i % 10 });
        health_set(f->world, some[i], (int)i);
    }
    life_disable(f->world, some[2]);

    assert_int_equal(kith_world_expire(f->world, LIFE, 0), 0);
    assert_int_equal(kith_world_expire(f->world, LIFE, 3), 299);
    assert_int_equal(kith_world_expire(f->world, LIFE, 3), 0);

    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(kith_entity_alive(f->world, some[i]), i % 10 >= 3 || i == 2);
    }
    assert_int_equal(life_count(f->world), 701);
    assert_int_equal(health_count(f->world), 701);
    life_enable(f->world, some[2]);
    assert_int_equal(kith_world_expire(f->world, LIFE, UINT64_MAX), 701);
    assert_int_equal(kith_entity_count(f->world), 0);
}

// The first part of them has rows in no group, the second has.
static void make_mortals(kith_world *world, kith_entity *some, uint32_t count)
{
    const kith_term       own   = { HEALTH, KITH_ROLE_OWN, 0 };
    const kith_query_desc alive = { "alive", &own, 1, 0 };
    assert_true(lives_register(world));
    assert_non_null(kith_group_of(world, &alive));
    assert_true(kith_entity_create_many(world, some, count, NULL, 0));
    for (uint32_t i = 0; i < count; i++) {
        life_set(world, some[i], (kith_lifetime){ 1 + (i < 350 ? i % 2 : i % 3) });
        if (i >= 500) {
            health_set(world, some[i], (int)i);
        }
    }
}

static void members_of_groups_expire_as_by_single_calls(void **state)
{
    test_fixture *f      = *state;
    kith_world   *single = kith_world_create(NULL);
    kith_entity   some[1000];
    make_mortals(f->world, some, 1000);
    assert_true(game_register(single));
    make_mortals(single, some, 1000);

    assert_int_equal(kith_world_expire(f->world, LIFE, 1), 392);
    assert_true(kith_world_hold(single));
    for (uint32_t i = 0; i < 1000; i++) {
        if (life_get(single, some[i])->expires == 1) {
            assert_true(kith_entity_destroy(single, some[i]));
        }
    }
    assert_true(kith_world_release(single));

    assert_int_equal(life_count(f->world), life_count(single));
    assert_int_equal(health_count(f->world), health_count(single));
    for (uint32_t row = 0; row < life_count(single); row++) {
        assert_int_equal(life_entity(f->world, row), life_entity(single, row));
        assert_int_equal(health_entity(f->world, row), health_entity(single, row));
    }
    assert_world_valid(f->world);
    kith_world_destroy(single);
}

static void a_lifetime_may_have_more_members(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[3];
    assert_true(lives_register(f->world));
    assert_true(kith_entity_create_many(f->world, some, 3, NULL, 0));
    for (uint32_t i = 0; i < 3; i++) {
        long_life_set(f->world, some[i], (long_life){ { i }, 7 });
    }
    assert_int_equal(kith_world_expire(f->world, LONG_LIFE, 1), 2);
    assert_true(kith_entity_alive(f->world, some[2]));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_world_expire(f->world, SHORT_LIFE, 1) != 0);
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_KIND,
                             kith_world_expire(f->world, FROZEN, 1) != 0);
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                             kith_world_expire(f->world, 99, 1) != 0);
}

static bool copy_life(void *value, const void *source, void *context)
{
    (void)context;
    memcpy(value, source, sizeof(kith_lifetime));
    return true;
}

// In a clone whose values are copied by a hook, nothing writes a hole's value: MSan would see that
// it is read.
static void a_hole_does_not_expire(void **state)
{
    static const kith_component_desc stable = {
        .name      = "stable_life",
        .id        = 70,
        .size      = sizeof(kith_lifetime),
        .alignment = 8,
        .traits    = { .policy = KITH_POLICY_STABLE, .hooks.copy = copy_life },
    };
    kith_world *world = kith_world_create(NULL);
    kith_entity some[3];
    (void)state;
    assert_true(kith_component_register(world, &stable) != 0);
    assert_true(kith_entity_create_many(world, some, 3, NULL, 0));
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(kith_component_set(world, some[i], 70, &(kith_lifetime){ i }));
    }
    assert_true(kith_component_remove(world, some[1], 70));
    kith_world *clone = kith_world_clone(world, NULL);
    assert_int_equal(kith_world_expire(clone, 70, 1), 1);
    assert_true(kith_entity_alive(clone, some[1]));
    assert_true(kith_entity_alive(clone, some[2]));
    assert_world_valid(clone);
    kith_world_destroy(clone);
    kith_world_destroy(world);
}

// Some expire, as many are made: after the first time there is room for all.
static void particles_need_no_memory_once_they_run(void **state)
{
    test_fixture *f = *state;
    kith_entity   made[600];
    kith_lifetime lives[600];
    vec2          places[600];
    uint64_t      seed  = 1;
    uint32_t      dead  = 600;
    uint32_t      taken = 0;
    assert_true(lives_register(f->world));
    for (uint64_t tick = 1; tick < 40; tick++) {
        for (uint32_t i = 0; i < dead; i++) {
            lives[i]  = (kith_lifetime){ tick + 1 + test_random_below(&seed, 10) };
            places[i] = (vec2){ (float)i, 1 };
        }
        const kith_values sets[] = { life_each(lives), position_each(places) };
        assert_true(kith_entity_create_many(f->world, made, dead, sets, 2));
        taken = tick == 1 ? f->memory.allocations : taken;
        dead  = kith_world_expire(f->world, LIFE, tick + 1);
        assert_int_equal(life_count(f->world), 600 - dead);
    }
    assert_int_equal(f->memory.allocations, taken);
}

// --- listeners of many -----------------------------------------------------------------------

typedef struct counts {
    uint32_t single; // calls about one entity
    uint32_t many;   // calls about several
    uint32_t entities;
    uint32_t most; // of one call
    uint32_t there;
} counts;

static void count_single(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    ((counts *)context)->single++;
}

static void count_many(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                       uint32_t count, void *context)
{
    counts *sum = context;
    sum->many++;
    sum->entities += count;
    sum->most = count > sum->most ? count : sum->most;
    for (uint32_t i = 0; i < count; i++) {
        sum->there += notice->component == 0
                          ? kith_entity_alive(world, entities[i])
                          : kith_component_has(world, entities[i], notice->component);
    }
}

static kith_listener_desc counting(kith_event event, kith_component component, counts *sum)
{
    return (kith_listener_desc){ .event     = event,
                                 .component = component,
                                 .call      = count_single,
                                 .many      = count_many,
                                 .context   = sum };
}

static void a_listener_of_many_is_notified_of_a_batch_in_one_call(void **state)
{
    test_fixture      *f = *state;
    kith_entity        some[600];
    counts             sums[5] = { { 0 } };
    kith_listener_desc descs[] = { counting(KITH_EVENT_CREATE, 0, &sums[0]),
                                   counting(KITH_EVENT_ADD, HEALTH, &sums[1]),
                                   counting(KITH_EVENT_SET, HEALTH, &sums[2]),
                                   counting(KITH_EVENT_REMOVE, HEALTH, &sums[3]),
                                   counting(KITH_EVENT_DESTROY, 0, &sums[4]) };
    for (size_t i = 0; i < COUNT_OF(descs); i++) {
        assert_true(kith_listener_connect(f->world, &descs[i]) != 0);
    }

    assert_true(kith_entity_create_many(f->world, some, 600, NULL, 0));
    turn(some, 600); // an array that is no range
    assert_true(health_fill_many(f->world, some, 600, 1));
    assert_true(health_fill_many(f->world, some, 600, 2));
    assert_true(health_remove_many(f->world, some, 600));
    assert_true(kith_entity_destroy_many(f->world, kith_entities_of(some, 600)));

    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        assert_int_equal(sums[i].single, 0);
        assert_int_equal(sums[i].many, 1);
        assert_int_equal(sums[i].entities, 600);
        assert_int_equal(sums[i].there, 600); // also of what is about to go
    }
}

static void a_listener_of_many_is_not_notified_of_the_dead(void **state)
{
    test_fixture      *f     = *state;
    counts             sum   = { 0 };
    kith_listener_desc desc  = counting(KITH_EVENT_ADD, HEALTH, &sum);
    kith_entities      range = kith_entity_create_range(f->world, 10);
    assert_true(kith_listener_connect(f->world, &desc) != 0);
    assert_true(kith_entity_destroy(f->world, kith_entities_at(range, 3)));
    assert_true(health_fill_range(f->world, range, 1));
    assert_int_equal(sum.many, 1);
    assert_int_equal(sum.entities, 9);
    assert_int_equal(sum.there, 9);
}

static void a_range_is_reported_in_parts(void **state)
{
    test_fixture      *f      = *state;
    counts             sum    = { 0 };
    counts             births = { 0 };
    kith_listener_desc desc   = counting(KITH_EVENT_ADD, HIDDEN, &sum);
    kith_listener_desc birth  = counting(KITH_EVENT_CREATE, 0, &births);
    assert_true(kith_listener_connect(f->world, &desc) != 0);
    assert_true(kith_listener_connect(f->world, &birth) != 0);

    kith_entities range = kith_entity_create_range(f->world, 1000);
    assert_true(hidden_add_range(f->world, range));

    assert_int_equal(sum.entities, 1000);
    assert_int_equal(sum.most, 256);
    assert_int_equal(sum.many, 4);
    assert_int_equal(births.entities, 1000);
    assert_int_equal(births.many, 4);
    assert_int_equal(births.single, 0);
}

static void single_events_go_to_the_function_for_one(void **state)
{
    test_fixture      *f     = *state;
    counts             both  = { 0 };
    counts             alone = { 0 };
    kith_entity        ship  = kith_entity_create(f->world);
    kith_listener_desc desc  = counting(KITH_EVENT_ADD, HEALTH, &both);
    assert_true(kith_listener_connect(f->world, &desc) != 0);
    desc                   = counting(KITH_EVENT_ADD, HEALTH, &alone);
    desc.call              = NULL;
    kith_listener listener = kith_listener_connect(f->world, &desc);
    assert_true(listener != 0);

    health_set(f->world, ship, 1);

    assert_int_equal(both.single, 1);
    assert_int_equal(both.many, 0);
    assert_int_equal(alone.many, 1);
    assert_int_equal(alone.entities, 1);
    assert_true(kith_listener_disconnect(f->world, listener));
    kith_entity ships[2] = { kith_entity_create(f->world), kith_entity_create(f->world) };
    assert_true(health_fill_many(f->world, ships, 2, 1));
    assert_int_equal(both.many, 1);
    assert_int_equal(alone.many, 1);
    desc.many = NULL;
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_listener_connect(f->world, &desc) != 0);
}

// Destroys the last of the reported entities.
static void end_last(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                     uint32_t count, void *context)
{
    (void)notice;
    (void)context;
    kith_entity_destroy(world, entities[count - 1]);
}

static void an_entity_destroyed_by_a_listener_of_many_is_skipped(void **state)
{
    test_fixture      *f = *state;
    kith_entity        some[3];
    counts             sum   = { 0 };
    kith_listener_desc first = { .event = KITH_EVENT_ADD, .component = HEALTH, .many = end_last };
    kith_listener_desc last  = counting(KITH_EVENT_ADD, HEALTH, &sum);
    last.many                = NULL;
    assert_true(kith_listener_connect(f->world, &last) != 0);
    assert_true(kith_listener_connect(f->world, &first) != 0);
    assert_true(kith_entity_create_many(f->world, some, 3, NULL, 0));

    assert_true(health_fill_many(f->world, some, 3, 1));

    assert_int_equal(sum.single, 2);
    assert_int_equal(health_count(f->world), 2);
}

static void a_listener_of_many_is_not_notified_of_entities_destroyed_before(void **state)
{
    test_fixture      *f = *state;
    kith_entity        some[3];
    counts             sum  = { 0 };
    kith_listener_desc ends = { .event = KITH_EVENT_CREATE, .many = end_last };
    kith_listener_desc last = counting(KITH_EVENT_CREATE, 0, &sum);
    for (unsigned event = KITH_EVENT_ADD; event <= KITH_EVENT_DESTROY; event++) {
        bool          of_entity = event >= KITH_EVENT_CREATE;
        kith_listener reported[2];
        ends.event = last.event = (kith_event)event;
        ends.component = last.component = of_entity ? 0 : HEALTH;
        sum                             = (counts){ 0 };
        if (event != KITH_EVENT_CREATE) {
            assert_true(kith_entity_create_many(f->world, some, 3, NULL, 0));
        }
        if (event == KITH_EVENT_SET || event == KITH_EVENT_REMOVE) {
            assert_true(health_fill_many(f->world, some, 3, 1));
        }
        reported[0] = kith_listener_connect(f->world, &ends);
        reported[1] = kith_listener_connect(f->world, &last);
        if (event == KITH_EVENT_CREATE) {
            assert_true(kith_entity_create_many(f->world, some, 3, NULL, 0));
        } else if (event == KITH_EVENT_DESTROY) {
            assert_true(kith_entity_destroy_many(f->world, kith_entities_of(some, 3)));
        } else if (event == KITH_EVENT_REMOVE) {
            assert_true(health_remove_many(f->world, some, 3));
        } else {
            assert_true(health_fill_many(f->world, some, 3, 1));
        }
        // the end of the last is an event by itself where ends are reported
        bool ends_are_reported = event == KITH_EVENT_DESTROY || event == KITH_EVENT_REMOVE;
        assert_int_equal(sum.single, ends_are_reported ? 1 : 0);
        assert_int_equal(sum.entities, 2);
        assert_int_equal(sum.there, 2);
        assert_true(kith_listener_disconnect(f->world, reported[0]));
        assert_true(kith_listener_disconnect(f->world, reported[1]));
    }
}

// Records whether it is called for many after it was called for one.
static void record_order(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                         uint32_t count, void *context)
{
    const counts *ones = context;
    (void)world;
    (void)notice;
    (void)entities;
    (void)count;
    assert_int_equal(ones->single, 0);
}

static void listeners_of_many_are_called_for_a_range_before_single_ones(void **state)
{
    test_fixture      *f    = *state;
    counts             ones = { 0 };
    kith_listener_desc one  = counting(KITH_EVENT_CREATE, 0, &ones);
    one.many                = NULL;
    kith_listener_desc many = { .event   = KITH_EVENT_CREATE,
                                .many    = record_order,
                                .context = &ones };
    assert_true(kith_listener_connect(f->world, &one) != 0);
    assert_true(kith_listener_connect(f->world, &many) != 0);
    assert_int_equal(kith_entity_create_range(f->world, 600).count, 600);
    assert_int_equal(ones.single, 600);
}

// Adds to the last entity what the batch is about to remove from all.
static void add_late(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    frozen_add(world, *(kith_entity *)context);
}

static void several_components_are_taken_one_batch_after_the_other(void **state)
{
    test_fixture        *f = *state;
    kith_entity          some[3];
    counts               sum   = { 0 };
    const kith_component ids[] = { FROZEN, HEALTH };
    kith_listener_desc   last  = counting(KITH_EVENT_REMOVE, FROZEN, &sum);
    kith_listener_desc   first = {
          .event = KITH_EVENT_REMOVE, .component = HEALTH, .call = add_late, .context = &some[2]
    };
    assert_true(kith_entity_create_many(f->world, some, 3, NULL, 0));
    assert_true(health_fill_many(f->world, some, 1, 1));
    assert_true(frozen_add_many(f->world, some, 2));
    assert_true(kith_listener_connect(f->world, &first) != 0);
    assert_true(kith_listener_connect(f->world, &last) != 0);

    assert_true(kith_entity_remove_many(f->world, kith_entities_of(some, 3), ids, 2));

    assert_int_equal(sum.entities, 3);
    assert_int_equal(frozen_count(f->world), 0);
}

static void end_it(kith_world *world, const kith_notice *notice, void *context)
{
    if (notice->entity == *(kith_entity *)context) {
        kith_entity_destroy(world, notice->entity);
    }
}

static void a_created_entity_that_a_listener_ends_is_null_in_the_array(void **state)
{
    test_fixture     *f    = *state;
    kith_entity       ends = handle(2, 1);
    kith_entity       some[4];
    const kith_values set = hidden_all();
    kith_listener_connect(
        f->world,
        &(kith_listener_desc){ .event = KITH_EVENT_CREATE, .call = end_it, .context = &ends });
    assert_true(kith_entity_create_many(f->world, some, 4, NULL, 0));
    assert_int_equal(some[1], handle(1, 1));
    assert_int_equal(some[2], KITH_NULL);
    assert_int_equal(some[3], handle(3, 1));
    ends = handle(4, 1);
    assert_true(kith_entity_create_many(f->world, some, 3, &set, 1));
    assert_int_equal(some[0], handle(2, 2));
    assert_int_equal(some[1], KITH_NULL);
    assert_int_equal(hidden_count(f->world), 2);
}

// A dying entity is a member of the batch that a listener makes.
typedef struct late {
    kith_entity some[3];
    bool        answered;
} late;

static void call_late(kith_world *world, const kith_notice *notice, void *context)
{
    late *one = context;
    (void)notice;
    one->answered = kith_entity_destroy_many(world, kith_entities_of(one->some, 3)) ||
                    hidden_add_many(world, one->some, 3) ||
                    (notice->component != 0 && frozen_remove_many(world, one->some, 3));
    assert_error(world, KITH_ERROR_DYING);
}

static void a_dying_entity_makes_a_batch_fail(void **state)
{
    test_fixture *f   = *state;
    late          one = { .answered = true };
    assert_true(kith_entity_create_many(f->world, one.some, 3, NULL, 0));
    assert_true(frozen_add_many(f->world, one.some, 3));
    kith_listener_connect(
        f->world,
        &(kith_listener_desc){ .event = KITH_EVENT_DESTROY, .call = call_late, .context = &one });
    assert_true(kith_entity_destroy(f->world, one.some[1]));
    assert_false(one.answered);
    assert_int_equal(kith_entity_count(f->world), 2);
    assert_int_equal(hidden_count(f->world), 0);
}

static bool batch_in_hook(void *value, void *context)
{
    test_fixture *f     = context;
    kith_entities range = { NULL, handle(0, 1), 1, 0 };
    kith_entity   out;
    memset(value, 0, 4);
    assert_false(kith_entity_create_many(f->world, &out, 1, NULL, 0));
    assert_error(f->world, KITH_ERROR_BUSY);
    kith_world_error_clear(f->world);
    assert_false(kith_entity_create_many(f->world, &out, 1, (kith_values[]){ hidden_all() }, 1));
    assert_error(f->world, KITH_ERROR_BUSY);
    assert_int_equal(kith_entity_create_range(f->world, 1).count, 0);
    assert_false(kith_entity_destroy_many(f->world, range));
    assert_false(hidden_add_range(f->world, range));
    assert_false(hidden_remove_range(f->world, range));
    assert_false(kith_entity_set_many(f->world, range, NULL, 0));
    assert_false(kith_entity_remove_many(f->world, range, NULL, 0));
    assert_false(kith_entity_set_components(f->world, range, NULL, 0));
    assert_false(kith_entity_clone_many(f->world, handle(0, 1), &out, 1));
    return true;
}

static void hooks_make_no_batches(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[2];
    register_one(f->world, (kith_component_desc){
                               .name         = "meddler",
                               .id           = 50,
                               .size         = 4,
                               .traits.hooks = { .construct = batch_in_hook, .context = f } });
    assert_true(kith_entity_create_many(f->world, some, 2, NULL, 0));
    assert_true(kith_entity_set_many(f->world, kith_entities_of(some, 2),
                                     &(kith_values){ 50, NULL, 0 }, 1));
    assert_int_equal(f->memory.errors, 20);
    assert_int_equal(kith_entity_count(f->world), 2);
}

// Runs while the world settles.
static void create_in_destructor(void *value, void *context)
{
    test_fixture *f = context;
    kith_entity   out;
    assert_false(kith_entity_create_many(f->world, &out, 1, NULL, 0));
    assert_false(kith_entity_clone_many(f->world, handle(2, 1), &out, 1));
    assert_int_equal(kith_world_expire(f->world, 50, 1), 0);
    ++*(int *)value;
    assert_int_equal(*(int *)value, 1);
}

static void a_refused_batch_in_a_destructor_does_not_settle_again(void **state)
{
    test_fixture *f = *state;
    kith_entity   some[3];
    register_one(f->world,
                 (kith_component_desc){
                     .name         = "meddler",
                     .id           = 50,
                     .size         = 4,
                     .traits.hooks = { .destruct = create_in_destructor, .context = f } });
    assert_true(kith_entity_create_many(f->world, some, 3, NULL, 0));
    assert_true(kith_entity_set_many(f->world, kith_entities_of(some, 3),
                                     &(kith_values){ 50, NULL, 0 }, 1));
    assert_true(kith_entity_destroy_many(f->world, kith_entities_of(some, 2)));
    assert_int_equal(f->memory.errors, 6);
    assert_int_equal(kith_component_stats(f->world, 50).rows, 1);
    assert_true(kith_component_clear(f->world, 50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_its_single_calls_in_a_hold),
        cmocka_unit_test(a_batch_is_its_single_calls_while_loops_are_open),
        cmocka_unit_test(a_batch_is_its_single_calls_for_listeners),
        cmocka_unit_test(a_batch_is_its_single_calls_for_groups),
        cmocka_unit_test(a_listener_that_does_nothing_changes_nothing),
        cmocka_unit_test(batches_reach_over_pages),
        TEST_WORLD(a_range_has_fresh_indices_and_passes_over_the_dead),
        TEST_WORLD(values_of_a_range_belong_to_its_members),
        TEST_WORLD(any_numbers_may_be_passed_as_a_range),
        TEST_WORLD(there_is_no_range_where_all_indices_are_queued),
        TEST_WORLD(bad_arrays_are_refused_as_a_whole),
        TEST_WORLD(arrays_that_are_not_there_are_refused),
        TEST_WORLD(invalid_sets_are_refused),
        TEST_WORLD(a_batch_beyond_a_limit_changes_no_entity),
        cmocka_unit_test(a_batch_survives_each_failed_allocation),
        TEST_WORLD(a_failed_creation_leaves_no_entity_alive),
        cmocka_unit_test(a_batch_survives_each_hook_that_fails),
        cmocka_unit_test(a_failed_creation_returns_the_slots_in_their_order),
        TEST_WORLD(set_components_keeps_values_that_are_not_given),
        cmocka_unit_test(becoming_and_cloning_are_all_or_nothing),
        cmocka_unit_test(a_clone_has_what_its_prefab_has_and_no_more),
        TEST_WORLD(components_that_cannot_be_copied_are_not_cloned),
        TEST_WORLD(clones_lack_what_is_the_prefabs_own),
        TEST_WORLD(not_cloned_is_a_part_of_the_description),
        cmocka_unit_test(set_components_builds_a_scene_by_archetypes),
        TEST_WORLD(listeners_are_notified_when_the_whole_batch_is_in_place),
        TEST_WORLD(an_entity_that_lost_the_component_before_its_turn_is_skipped),
        TEST_WORLD(a_listener_connected_meanwhile_is_called_for_what_is_still_announced),
        TEST_WORLD(a_created_entity_that_a_listener_ends_is_null_in_the_array),
        TEST_WORLD(a_dying_entity_makes_a_batch_fail),
        TEST_WORLD(hooks_make_no_batches),
        TEST_WORLD(a_refused_batch_in_a_destructor_does_not_settle_again),
        TEST_WORLD(entities_expire_at_their_tick),
        TEST_WORLD(members_of_groups_expire_as_by_single_calls),
        TEST_WORLD(a_lifetime_may_have_more_members),
        TEST_WORLD(a_hole_does_not_expire),
        TEST_WORLD(particles_need_no_memory_once_they_run),
        TEST_WORLD(a_listener_of_many_is_notified_of_a_batch_in_one_call),
        TEST_WORLD(a_listener_of_many_is_not_notified_of_the_dead),
        TEST_WORLD(a_range_is_reported_in_parts),
        TEST_WORLD(single_events_go_to_the_function_for_one),
        TEST_WORLD(an_entity_destroyed_by_a_listener_of_many_is_skipped),
        TEST_WORLD(a_listener_of_many_is_not_notified_of_entities_destroyed_before),
        TEST_WORLD(listeners_of_many_are_called_for_a_range_before_single_ones),
        TEST_WORLD(several_components_are_taken_one_batch_after_the_other),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
