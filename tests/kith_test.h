// SPDX-License-Identifier: MIT
// What every test needs: cmocka, a counting allocator, world helpers, and a few components.
//
// The components are not registered by test_world(): call game_register(world).
#ifndef KITH_TEST_H
#define KITH_TEST_H

#include "kith/diff.h"
#include "kith/hierarchy.h"
#include "kith/json.h"
#include "kith/kith.h"
#include "kith/merge.h"
#include "kith/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

// --- memory ----------------------------------------------------------------------------------

/// What a world took from the counting allocator. Zeroed: nothing taken, nothing fails.
typedef struct test_memory {
    size_t   live_bytes;
    size_t   live_blocks;
    size_t   most_bytes;  // that lived at once; yours to clear
    uint32_t allocations; // asked for, failed ones included
    uint32_t fail_at;     // the allocation with this number fails; 0: none
    uint32_t failed;      // how many did
    bool     fail_all;    // every allocation fails while this is set
    uint32_t errors;      // errors that the world reported to its hook
} test_memory;

/// An allocator that counts in `memory`. A release with another size or alignment than the
/// allocation had, of a foreign address or of an overwritten block fails the test.
kith_allocator test_allocator(test_memory *memory);

/// Lets the n-th allocation from now fail; 0 lets all succeed.
void test_fail_after(test_memory *memory, uint32_t n);

// --- worlds ----------------------------------------------------------------------------------

/// A world over the counting allocator whose errors are silent and counted in `memory`. NULL when
/// an allocation failed.
kith_world *test_world(test_memory *memory);

/// The same as described by `desc`, whose allocator, on_error and error_context are replaced.
kith_world *test_world_with(test_memory *memory, kith_world_desc desc);

/// The plainest fixture: a world with the components below.
typedef struct test_fixture {
    test_memory memory;
    kith_world *world;
} test_fixture;

int test_setup(void **state);
int test_teardown(void **state);

/// Destroys the fixture's world and creates another one, as described and with the same components.
/// From then on no allocation fails.
kith_world *test_remake(test_fixture *fixture, kith_world_desc desc);

/// Destroys the world after proving that it was valid, and proves that it freed all memory.
#define test_world_end(WORLD, MEMORY)                                                              \
    do {                                                                                           \
        assert_world_valid(WORLD);                                                                 \
        kith_world_destroy(WORLD);                                                                 \
        assert_int_equal((MEMORY)->live_bytes, 0);                                                 \
        assert_int_equal((MEMORY)->live_blocks, 0);                                                \
    } while (0)

/// Registers a tag and returns its id; `id` 0 asks for a run-time one.
kith_component test_register_tag(kith_world *world, const char *name, kith_component id);

// --- entities --------------------------------------------------------------------------------

/// kith_entity_make with a short name: tests write many handles.
static inline kith_entity handle(uint32_t index, uint32_t version)
{
    return kith_entity_make(index, version);
}

/// The version that the entity's slot is at.
static inline uint32_t version_of_slot(const kith_world *world, kith_entity entity)
{
    return kith_entity_version(kith_entity_slot(world, kith_entity_index(entity)));
}

/// Whether the entity has all components of the set, and whether it has one of them.
static inline bool has_all(const kith_world *world, kith_entity entity, const kith_signature *set)
{
    kith_signature has = kith_entity_signature(world, entity);
    return kith_signature_contains(&has, set);
}

static inline bool has_any(const kith_world *world, kith_entity entity, const kith_signature *set)
{
    kith_signature has = kith_entity_signature(world, entity);
    return kith_signature_intersects(&has, set);
}

static inline bool is_same_set(const kith_signature *a, const kith_signature *b)
{
    return kith_signature_contains(a, b) && kith_signature_contains(b, a);
}

/// The entity's links, or NULL.
static inline const kith_node *links_of(const kith_world *world, kith_component hierarchy,
                                        kith_entity entity)
{
    return kith_component_get(world, entity, hierarchy);
}

/// The free orders to run a test under: LIFO, FIFO, lowest first.
#define TEST_FREE_ORDERS 3
extern const kith_free_order test_free_orders[TEST_FREE_ORDERS];

void test_create_many(kith_world *world, uint32_t count);

/// Destroys the living entities with these indices, in this order.
void test_destroy_index(kith_world *world, uint32_t index);
void test_destroy_indices(kith_world *world, const uint32_t *indices, size_t count);

/// A world of five entities of which 3, 0 and 2 were destroyed, in this order.
kith_world *test_world_with_free_slots(test_fixture *fixture, kith_world_desc desc);

/// The entity table of a small world, to see that a call changed nothing.
typedef struct test_picture {
    kith_stats  stats;
    kith_entity slots[64];
} test_picture;

test_picture test_take_picture(const kith_world *world);

// --- the table of tests ----------------------------------------------------------------------

/// A test with the `setup` and `teardown` of its file, or with the plainest fixture.
#define TEST(NAME)       cmocka_unit_test_setup_teardown(NAME, setup, teardown)
#define TEST_WORLD(NAME) cmocka_unit_test_setup_teardown(NAME, test_setup, test_teardown)

// --- assertions ------------------------------------------------------------------------------

#define assert_world_valid(WORLD)                                                                  \
    do {                                                                                           \
        const char *reason_ = NULL;                                                                \
        if (!kith_world_validate((WORLD), &reason_)) {                                             \
            fail_msg("the world is not valid: %s", reason_);                                       \
        }                                                                                          \
    } while (0)

/// The world's recorded error has this code.
#define assert_error(WORLD, CODE) assert_int_equal((int)kith_world_error(WORLD).code, (int)(CODE))

/// The world's recorded error reads like this.
#define assert_error_text(WORLD, TEXT)                                                             \
    do {                                                                                           \
        char       text_[512];                                                                     \
        kith_error error_ = kith_world_error(WORLD);                                               \
        kith_error_text((WORLD), &error_, text_, sizeof text_);                                    \
        assert_string_equal(text_, (TEXT));                                                        \
    } while (0)

/// The end of the sentence about an entity that was destroyed outside of systems. A library with
/// asserts says when, another one says what the slot is now.
#ifdef KITH_HAS_ASSERTS
    #define TEST_DESTROYED(TICK, SLOT) "was destroyed outside of systems at tick " TICK
#else
    #define TEST_DESTROYED(TICK, SLOT) "was destroyed (the slot is " SLOT ")"
#endif

/// The world's recorded error has this code, and its sentence has this part.
#define assert_error_says(WORLD, CODE, PART)                                                       \
    do {                                                                                           \
        char       text_[512];                                                                     \
        kith_error error_ = kith_world_error(WORLD);                                               \
        kith_error_text((WORLD), &error_, text_, sizeof text_);                                    \
        assert_int_equal((int)error_.code, (int)(CODE));                                           \
        if (strstr(text_, (PART)) == NULL) {                                                       \
            fail_msg("\"%s\" does not say \"%s\"", text_, (PART));                                 \
        }                                                                                          \
    } while (0)

/// The call fails as it should, with this code and as one error reported to the hook.
#define assert_refused(MEMORY, WORLD, CODE, CALL)                                                  \
    do {                                                                                           \
        uint32_t errors_ = (MEMORY)->errors;                                                       \
        kith_world_error_clear(WORLD);                                                             \
        assert_true(!(CALL));                                                                      \
        assert_error(WORLD, CODE);                                                                 \
        assert_int_equal((MEMORY)->errors, errors_ + 1);                                           \
    } while (0)

/// The world's entity table is as it was when the picture was taken.
#define assert_entities_unchanged(WORLD, PICTURE)                                                  \
    do {                                                                                           \
        test_picture now_ = test_take_picture(WORLD);                                              \
        assert_memory_equal(&now_, (PICTURE), sizeof now_);                                        \
        assert_world_valid(WORLD);                                                                 \
    } while (0)

/// The next entities that the world makes have these indices.
#define assert_next_indices(WORLD, ...)                                                            \
    do {                                                                                           \
        kith_world    *world_      = (WORLD);                                                      \
        const uint32_t expected_[] = { __VA_ARGS__ };                                              \
        for (size_t i_ = 0; i_ < sizeof expected_ / sizeof expected_[0]; i_++) {                   \
            kith_entity next_ = kith_entity_create(world_);                                        \
            assert_int_not_equal(next_, KITH_NULL);                                                \
            assert_int_equal(kith_entity_index(next_), expected_[i_]);                             \
        }                                                                                          \
    } while (0)

// --- chance ----------------------------------------------------------------------------------

/// The seed of a random test: KITH_SEED from the environment, otherwise always the same. Prints it.
uint64_t test_seed(void);

/// How many steps of a random test to take: slow tools (valgrind, sanitizers) set KITH_THIN to n
/// and take one step in n, at least 50.
uint32_t test_thinned(uint32_t steps);

/// The next number of the sequence, and one below `limit`.
uint64_t test_random(uint64_t *seed);
uint32_t test_random_below(uint64_t *seed, uint32_t limit);

// --- components ------------------------------------------------------------------------------

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, VELOCITY, HEALTH, FROZEN, HIDDEN };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(velocity, vec2, VELOCITY);
KITH_COMPONENT(health, int, HEALTH);
KITH_TAG(frozen, FROZEN);
KITH_FLAG(hidden, HIDDEN);
KITH_MODULE(game, position, velocity, health, frozen, hidden);

#endif
