// SPDX-License-Identifier: MIT
// Calls of hierarchies, and removals that a journal remembers, inside open loops: a share of all
// programs with one change and with two, against a naive forest. A program is a forest of four
// nodes, a loop, and changes before some of its steps. KITH_SEED chooses the share.
#include "forest.h"
#include "kith_test.h"

#include <stdio.h>

enum {
    TREE    = FOREST_TREE,
    A       = FOREST_A,
    START   = FOREST_START,
    NUMBERS = FOREST_NUMBERS,
    CALLS   = 64,
    FORESTS = 24, // parents of 0, 1, 2 and 3, each 0 to n - 1 or none
    PLANS   = 12  // what happens to children, the policy of A, the size of its journal
};

static const char *const verb_names[] = {
    "append",   "insert_at(0)", "detach", "destroy",  "remove the node",
    "remove A", "add A",        "sort",   "sort all", "create below",
};

typedef struct program {
    kith_children children;
    kith_policy   policy;  // of A
    uint32_t      journal; // of A
    uint32_t      forest;
    uint32_t      loop;
    uint32_t      change_count;
    tree_call     changes[2];
    uint32_t      steps[2]; // before which they are made
} program;

// --- the stage -------------------------------------------------------------------------------

typedef struct tree_stage {
    const program *program;
    kith_world    *world;
    kith_entity    handles[NUMBERS];
    const void    *nodes[NUMBERS]; // addresses when the loop began
    const void    *values[NUMBERS];
    kith_removals  removals; // a walk that begins with the loop
    uint32_t       reported; // removals that it returned
    forest         naive;
    const char    *difference;
} tree_stage;

static bool differ(tree_stage *s, const char *what)
{
    s->difference = what;
    return false;
}

static int by_descending_number(kith_entity a, kith_entity b, void *context)
{
    uint32_t x = 0;
    uint32_t y = 0;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        const tree_stage *s = context;
        x                   = s->handles[i] == a ? i : x;
        y                   = s->handles[i] == b ? i : y;
    }
    return x < y ? 1 : -1;
}

static bool real_call(tree_stage *s, const tree_call *call)
{
    kith_world *world  = s->world;
    kith_entity entity = s->handles[call->subject];
    kith_entity child  = s->handles[call->child];
    switch (call->verb) {
    case APPEND:
        return kith_hierarchy_append(world, TREE, entity, child);
    case INSERT_FIRST:
        return kith_hierarchy_insert_at(world, TREE, entity, child, 0);
    case DETACH:
        return kith_hierarchy_detach(world, TREE, entity);
    case DESTROY:
        return kith_entity_destroy(world, entity);
    case REMOVE_NODE:
        return kith_component_remove(world, entity, TREE);
    case REMOVE_A:
        return kith_component_remove(world, entity, A);
    case ADD_A:
        return kith_component_add(world, entity, A, NULL) != NULL;
    case SORT_CHILDREN:
        return kith_hierarchy_sort_children(world, TREE, entity, by_descending_number, s);
    case SORT:
        return kith_hierarchy_sort(world, TREE);
    default:
        child = s->handles[s->naive.count] = kith_entity_create(world);
        return kith_hierarchy_append(world, TREE, entity, child);
    }
}

static void set_up(tree_stage *s)
{
    const program            *p     = s->program;
    const kith_hierarchy_desc tree  = { "tree", TREE, p->children, false };
    const kith_traits         kept  = { .policy = p->policy, .journal = p->journal };
    const kith_component_desc a     = { "A", A, KITH_KIND_VALUE, 4, 4, kept };
    const kith_world_desc     quiet = { .on_error = kith_error_ignore };
    uint32_t                  rest  = p->forest;
    s->world                        = kith_world_create(&quiet);
    kith_hierarchy_register(s->world, &tree);
    kith_component_register(s->world, &a);
    for (uint32_t i = 0; i < START; i++) {
        s->handles[i] = kith_entity_create(s->world);
        forest_create(&s->naive);
        kith_component_add(s->world, s->handles[i], TREE, NULL);
        forest_make_node(&s->naive, i);
        s->naive.has[i] = true;
    }
    for (uint32_t i = START; i-- > 0;) { // another order of rows
        kith_component_set(s->world, s->handles[i], A, &i);
    }
    for (uint32_t i = 0; i < START; rest /= ++i) {
        const tree_call join = { APPEND, rest % (i + 1), i };
        if (join.subject != i) {
            real_call(s, &join);
            forest_call(&s->naive, &join);
        }
    }
}

// --- comparing -------------------------------------------------------------------------------

static kith_entity handle_of(const tree_stage *s, uint32_t number)
{
    return number < s->naive.count ? s->handles[number] : KITH_NULL;
}

static bool compare_links(tree_stage *s, uint32_t number)
{
    const forest    *n    = &s->naive;
    const kith_node *node = links_of(s->world, TREE, s->handles[number]);
    uint32_t         list[NUMBERS];
    uint32_t         count = forest_children(n, number, list);
    kith_entity      first = count == 0 ? KITH_NULL : s->handles[list[0]];
    kith_entity      last  = count == 0 ? KITH_NULL : s->handles[list[count - 1]];
    if ((node != NULL) != n->node[number]) {
        return differ(s, "the nodes");
    }
    if (node == NULL) {
        return true;
    }
    kith_entity previous = KITH_NULL;
    for (uint32_t i = 0; i < count; i++) {
        const kith_node *child = links_of(s->world, TREE, s->handles[list[i]]);
        kith_entity      next  = i + 1 < count ? s->handles[list[i + 1]] : KITH_NULL;
        if (child == NULL || child->previous != previous || child->next != next) {
            return differ(s, "links of siblings");
        }
        previous = s->handles[list[i]];
    }
    return (node->parent == handle_of(s, forest_parent(n, number)) && node->first == first &&
            node->last == last && node->count == count) ||
           differ(s, "links of a node");
}

// Nothing moves while the loop is open, and values stay what they are.
static bool compare_values(tree_stage *s, uint32_t number)
{
    const forest   *n     = &s->naive;
    kith_entity     e     = s->handles[number];
    const uint32_t *value = kith_component_get(s->world, e, A);
    if (kith_entity_alive(s->world, e) != n->alive[number]) {
        return differ(s, "the living entities");
    }
    if ((value != NULL) != n->has[number]) {
        return differ(s, "the entities with A");
    }
    if (n->kept_a[number] && (value != s->values[number] || *value != number)) {
        return differ(s, "a value has moved");
    }
    return !n->kept_node[number] || n->fault == FAULT_RETURNED ||
           kith_component_get(s->world, e, TREE) == s->nodes[number] ||
           differ(s, "a node has moved");
}

static bool compare_journal(tree_stage *s)
{
    const forest *n    = &s->naive;
    uint32_t      keep = s->program->journal - (n->fault == FAULT_FORGOTTEN);
    uint32_t      from = n->gone_count > keep ? n->gone_count - keep : 0;
    kith_removals walk = kith_removals_begin(s->world, A, 0);
    kith_removal  one;
    bool          lost = walk.lost;
    for (uint32_t i = from; i < n->gone_count; i++) {
        if (!kith_removals_next(s->world, &walk, &one) || one.entity != s->handles[n->gone[i]] ||
            one.tick != kith_world_now(s->world)) {
            return differ(s, "the journal");
        }
    }
    return (!kith_removals_next(s->world, &walk, &one) && lost == (from != 0) &&
            walk.lost == lost) ||
           differ(s, "the end of the journal");
}

// The walk that began with the loop returns what came since it was asked, as far as it is kept.
static bool compare_walk(tree_stage *s)
{
    const forest *n    = &s->naive;
    uint32_t      keep = s->program->journal;
    kith_removal  one;
    bool          lost = n->gone_count - s->reported > keep;
    s->reported        = lost ? n->gone_count - keep : s->reported;
    s->removals.lost   = false;
    while (kith_removals_next(s->world, &s->removals, &one)) {
        if (s->reported == n->gone_count || one.entity != s->handles[n->gone[s->reported]]) {
            return differ(s, "a walk through the journal");
        }
        s->reported++;
    }
    return (s->reported == n->gone_count && s->removals.lost == lost) ||
           differ(s, "the end of a walk through the journal");
}

static bool compare_all(tree_stage *s)
{
    for (uint32_t i = 0; i < s->naive.count; i++) {
        if (!compare_values(s, i) || !compare_links(s, i)) {
            return false;
        }
    }
    return compare_journal(s) && compare_walk(s);
}

// --- the loop --------------------------------------------------------------------------------

static bool make_changes(tree_stage *s, uint32_t step)
{
    const program *p = s->program;
    for (uint32_t i = 0; i < p->change_count; i++) {
        if (p->steps[i] != step) {
            continue;
        }
        kith_world_error_clear(s->world);
        bool did  = real_call(s, &p->changes[i]);
        bool said = forest_call(&s->naive, &p->changes[i]);
        if (did != said || kith_world_error(s->world).code != s->naive.error) {
            return differ(s, "what a call answered");
        }
        if (!compare_all(s)) {
            return false;
        }
    }
    return true;
}

static bool run_loop(tree_stage *s)
{
    uint32_t loop = s->program->loop;
    forest_begin(&s->naive, loop);
    for (uint32_t i = 0; i < START; i++) {
        s->nodes[i]  = kith_component_get(s->world, s->handles[i], TREE);
        s->values[i] = kith_component_get(s->world, s->handles[i], A);
    }
    kith_cursor cursor = kith_view_begin(s->world, &forest_loops[loop]);
    for (uint32_t step = 0;; step++) {
        if (!make_changes(s, step)) {
            return false;
        }
        uint32_t said = forest_next(&s->naive, loop);
        if (kith_cursor_next(&cursor) != (said != NUMBERS) ||
            (said != NUMBERS && cursor.entity != s->handles[said])) {
            return differ(s, "the visited entities");
        }
        if (said == NUMBERS) {
            return true;
        }
    }
}

// --- afterwards ------------------------------------------------------------------------------

// Rows by levels: the roots in any order, the others parent by parent.
static bool compare_levels(tree_stage *s)
{
    const forest *n = &s->naive;
    uint32_t      list[NUMBERS];
    uint32_t      count = 0;
    uint32_t      row   = 0;
    for (; row < kith_component_stats(s->world, TREE).rows; row++) {
        uint32_t number = 0;
        while (s->handles[number] != kith_component_entity(s->world, TREE, row)) {
            number++;
        }
        if (forest_parent(n, number) != NUMBERS) {
            break;
        }
        list[count++] = number;
    }
    for (uint32_t i = 0; i < count; i++) {
        count += forest_children(n, list[i], list + count);
    }
    for (; row < count; row++) {
        if (kith_component_entity(s->world, TREE, row) != s->handles[list[row]]) {
            return differ(s, "rows by levels");
        }
    }
    return count == kith_component_stats(s->world, TREE).rows ||
           differ(s, "how many rows there are");
}

static bool finish(tree_stage *s)
{
    memset(s->naive.kept_a, 0, sizeof s->naive.kept_a); // everything may have moved
    memset(s->naive.kept_node, 0, sizeof s->naive.kept_node);
    if (!compare_all(s)) {
        return false;
    }
    if (!kith_world_validate(s->world, &s->difference) ||
        !kith_hierarchy_validate(s->world, TREE, &s->difference)) {
        return false;
    }
    if (!kith_hierarchy_sort(s->world, TREE)) {
        return differ(s, "rows cannot be sorted");
    }
    return compare_levels(s) && compare_all(s);
}

static bool run_program(const program *p, tree_fault fault, const char **difference)
{
    tree_stage s = { .program = p, .naive = { .fault = fault, .children = p->children } };
    set_up(&s);
    s.removals  = kith_removals_begin(s.world, A, 0);
    bool same   = run_loop(&s) && finish(&s);
    *difference = s.difference;
    kith_world_settle(s.world); // a difference leaves the loop open
    kith_world_destroy(s.world);
    return same;
}

// --- all of them -----------------------------------------------------------------------------

static uint32_t list_calls(tree_call *calls)
{
    uint32_t count = 0;
    for (uint32_t x = 0; x < START; x++) {
        for (uint32_t y = 0; y < START; y++) {
            calls[count++] = (tree_call){ APPEND, x, y };
            calls[count++] = (tree_call){ INSERT_FIRST, x, y };
        }
        for (int verb = DETACH; verb <= SORT_CHILDREN; verb++) {
            calls[count++] = (tree_call){ (tree_verb)verb, x, 0 };
        }
        calls[count++] = (tree_call){ CREATE_BELOW, x, 0 };
    }
    calls[count++] = (tree_call){ SORT, 0, 0 };
    return count;
}

static uint32_t digit(uint64_t *number, uint32_t base)
{
    uint32_t value = (uint32_t)(*number % base);
    *number /= base;
    return value;
}

// The program with the number; the changes are `count`, in any order of steps.
static program program_at(uint64_t number, uint32_t count)
{
    static const uint32_t journals[] = { 1, 2, 9 };
    tree_call             calls[CALLS];
    uint32_t              call_count = list_calls(calls);
    program               p          = { .change_count = count };
    p.children                       = (kith_children)digit(&number, 2);
    p.policy                         = (kith_policy)digit(&number, 2);
    p.journal                        = journals[digit(&number, 3)];
    p.forest                         = digit(&number, FORESTS);
    p.loop                           = digit(&number, FOREST_LOOPS);
    for (uint32_t i = 0; i < count; i++) {
        p.changes[i] = calls[digit(&number, call_count)];
        p.steps[i]   = digit(&number, START + 1);
    }
    return p;
}

static uint64_t programs_of(uint32_t count)
{
    tree_call calls[CALLS];
    uint64_t  each = (uint64_t)list_calls(calls) * (START + 1);
    return (uint64_t)PLANS * FORESTS * FOREST_LOOPS * each * (count == 2 ? each : 1);
}

static void print_program(const program *p)
{
    fprintf(stderr, "children %s, A %s, journal of %u, forest %u, a loop over %s\n",
            p->children == KITH_CHILDREN_DESTROY ? "go along" : "become roots",
            p->policy == KITH_POLICY_STABLE ? "stable" : "swap", p->journal, p->forest,
            forest_loops[p->loop].name);
    for (uint32_t i = 0; i < p->change_count; i++) {
        const tree_call *call = &p->changes[i];
        fprintf(stderr, "before step %u: %s of e%u, e%u\n", p->steps[i], verb_names[call->verb],
                call->subject, call->child);
    }
}

// Every `every`-th program.
static void assert_programs(uint32_t changes, uint64_t every)
{
    uint64_t    seed  = test_seed();
    uint64_t    all   = programs_of(changes);
    uint32_t    count = 0;
    const char *difference;
    every = every * 1000 / test_thinned(1000);
    for (uint64_t i = seed % every; i < all; i += every, count++) {
        program p = program_at(i, changes);
        if (!run_program(&p, FAULT_NONE, &difference)) {
            print_program(&p);
            fail_msg("the world and the forest differ: %s", difference);
        }
    }
    print_message("%u of %llu programs\n", count, (unsigned long long)all);
}

static void one_change_at_any_step_matches_the_model(void **state)
{
    (void)state;
    assert_programs(1, 3);
}

static void two_changes_at_any_steps_match_the_model(void **state)
{
    (void)state;
    assert_programs(2, 1999);
}

static bool is_fault_seen(tree_fault fault)
{
    const char *difference;
    for (uint64_t i = 0; i < programs_of(2); i += 101) {
        program p = program_at(i, 2);
        if (!run_program(&p, fault, &difference)) {
            return true;
        }
    }
    return false;
}

static void a_wrong_rule_is_noticed(void **state)
{
    (void)state;
    for (int fault = FAULT_NONE + 1; fault < FAULTS; fault++) {
        if (!is_fault_seen((tree_fault)fault)) {
            fail_msg("no check noticed fault %d", fault);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_change_at_any_step_matches_the_model),
        cmocka_unit_test(two_changes_at_any_steps_match_the_model),
        cmocka_unit_test(a_wrong_rule_is_noticed),
    };
    return cmocka_run_group_tests_name("loops_tree", tests, NULL, NULL);
}
