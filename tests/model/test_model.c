// SPDX-License-Identifier: MIT
// Random sequences of every public call, from the outside, from listeners and from within loops,
// against the naive model in model/. After each call the answers, the errors, the hooks and
// listeners called and the whole state are compared.
//
//     KITH_SEED=n     repeats a run
//     KITH_STEPS=n    how many operations, 200,000 if not said
#include "kith_test.h"
#include "model/sequence.h"

#include <stdio.h>

enum { STEPS = 200000, STEPS_A_SEQUENCE = 320, HEAD_BYTES = 4 };

static uint64_t steps_asked(void)
{
    const char *value = getenv("KITH_STEPS");
    return value == NULL ? STEPS : strtoull(value, NULL, 10);
}

// A random sequence in the next configuration.
static void draw_sequence(sequence *q, uint32_t number, uint64_t *seed)
{
    uint8_t bytes[HEAD_BYTES + STEPS_A_SEQUENCE * OPERATION_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(test_random(seed) >> 32);
    }
    bytes[0] = (uint8_t)(number % sequence_configurations());
    sequence_decode(q, bytes, sizeof bytes);
    q->guarded = true;
}

static void fail_with_program(sequence *q, sequence_difference *difference)
{
    text program = { .data = NULL };
    sequence_shrink(q, difference);
    sequence_write(q, difference, &program);
    fputs(program.data, stderr); // cmocka would print its first 1,000 characters
    text_end(&program);
    fail_msg("the world and its model differ");
}

static void random_sequences_do_as_the_model_does(void **state)
{
    (void)state;
    static sequence     q;
    sequence_difference difference;
    uint64_t            seed = test_seed();
    uint64_t            done = 0;
    for (uint32_t number = 0; done < steps_asked(); number++) {
        draw_sequence(&q, number, &seed);
        done += q.count;
        if (!sequence_run(&q, &difference)) {
            fail_with_program(&q, &difference);
        }
    }
    print_message("%llu operations in %u configurations\n", (unsigned long long)done,
                  (unsigned)sequence_configurations());
}

// --- the shrinker ----------------------------------------------------------------------------

enum { FAULTS_SHRUNK = 3 };

// The first sequence from this seed that shows the fault.
static void find_fault(sequence *q, model_fault fault, uint64_t seed,
                       sequence_difference *difference)
{
    for (uint32_t number = 0; number < 10000; number++) {
        draw_sequence(q, number, &seed);
        q->fault = fault;
        if (!sequence_run(q, difference)) {
            return;
        }
    }
    fail_msg("the planted fault was not found");
}

static void assert_minimal(const sequence *q)
{
    static sequence     less;
    sequence_difference difference;
    for (uint32_t i = 0; i < q->count; i++) {
        less = *q;
        memmove(less.operations + i, less.operations + i + 1,
                (q->count - i - 1) * sizeof *less.operations);
        less.count--;
        assert_true(sequence_run(&less, &difference));
    }
    assert_false(sequence_run(q, &difference));
    // a fault of an order may show at the end of the world alone, which comes after the last
    assert_in_range(difference.place, q->count - 1, q->count);
}

// A sequence shrinks to something from which nothing can be left out, not to the shortest of all:
// the shortest of several is what a fault needs.
static void shrink_several(sequence *shortest, model_fault fault, sequence_difference *difference)
{
    static sequence     q;
    sequence_difference found;
    shortest->count = UINT32_MAX;
    for (uint64_t seed = 1; seed <= FAULTS_SHRUNK; seed++) {
        find_fault(&q, fault, seed, &found);
        sequence_shrink(&q, &found);
        assert_minimal(&q);
        if (q.count < shortest->count) {
            *shortest   = q;
            *difference = found;
        }
    }
}

static void assert_shrinks(model_fault fault, uint32_t most, const char *const *calls)
{
    static sequence     q;
    sequence_difference difference;
    text                program = { .data = NULL };

    shrink_several(&q, fault, &difference);
    sequence_write(&q, &difference, &program);

    assert_in_range(q.count, 1, most);
    for (; *calls != NULL; calls++) {
        if (strstr(program.data, *calls) == NULL) {
            fail_msg("the program does not call %s:\n%s", *calls, program.data);
        }
    }
    text_end(&program);
}

// A component, an entity that gets it, and the faulty call: nothing less shows the fault.
static void a_fault_of_one_call_shrinks_to_what_it_needs(void **state)
{
    static const char *const calls[] = { "int main(void)", "kith_world_create(",
                                         "kith_component_register(world, ", "kith_component_enable",
                                         NULL };
    (void)state;
    assert_shrinks(MODEL_FAULT_DISABLE, 4, calls);
}

// Three rows are needed to distinguish closing up from swapping.
static void a_fault_of_several_rows_shrinks_to_those_rows(void **state)
{
    static const char *const calls[] = { "int main(void)", "kith_component_register", NULL };
    (void)state;
    assert_shrinks(MODEL_FAULT_SWAP, 8, calls);
}

// An entity leaves between begin and step, and comes back or is asked for in a chunk.
static void a_fault_of_a_loop_shrinks_to_its_steps(void **state)
{
    static const char *const calls[] = { "int main(void)", "_begin(", "_next", NULL };
    (void)state;
    assert_shrinks(MODEL_FAULT_BREAK, 12, calls);
}

static void a_fault_of_an_event_shrinks_to_one_listener(void **state)
{
    static const char *const calls[] = { "static void listen_", "kith_listener_connect(world, ",
                                         "kith_component_register", NULL };
    (void)state;
    assert_shrinks(MODEL_FAULT_DEAF, 7, calls);
}

// An entity joins a group behind another one that does not.
static void a_fault_of_a_group_shrinks_to_its_members(void **state)
{
    static const char *const calls[] = { "kith_group_of(world, ", "kith_component_register", NULL };
    (void)state;
    assert_shrinks(MODEL_FAULT_GROUP, 9, calls);
}

// Shrinking is a matter of these tests and not of the library, so thinned runs do without.
int main(void)
{
    const struct CMUnitTest random[] = {
        cmocka_unit_test(random_sequences_do_as_the_model_does),
    };
    const struct CMUnitTest shrinking[] = {
        cmocka_unit_test(a_fault_of_one_call_shrinks_to_what_it_needs),
        cmocka_unit_test(a_fault_of_several_rows_shrinks_to_those_rows),
        cmocka_unit_test(a_fault_of_a_loop_shrinks_to_its_steps),
        cmocka_unit_test(a_fault_of_an_event_shrinks_to_one_listener),
        cmocka_unit_test(a_fault_of_a_group_shrinks_to_its_members),
    };
    int failed = cmocka_run_group_tests_name("model", random, NULL, NULL);
    if (test_thinned(1000) == 1000) {
        failed += cmocka_run_group_tests_name("shrinking", shrinking, NULL, NULL);
    }
    return failed;
}
