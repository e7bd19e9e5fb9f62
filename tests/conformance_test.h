// SPDX-License-Identifier: MIT
// What the conformance tests share: entities whose handles are known, and a pool under both
// policies.
#ifndef CONFORMANCE_TEST_H
#define CONFORMANCE_TEST_H

#include "query_test.h"

enum { BYTES = 21, STONE, NAMED, SEASON };

static inline void create_many(kith_world *world, kith_entity *entities, uint32_t count)
{
    create_entities(world, entities, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(entities[i], handle(i, 1));
    }
}

// The same test for a swap pool and for a stable one.
static inline void for_each_policy(test_fixture *f,
                                   void (*test)(test_fixture *f, kith_entity *entities))
{
    const kith_policy policies[] = { KITH_POLICY_SWAP, KITH_POLICY_STABLE };
    for (size_t i = 0; i < COUNT_OF(policies); i++) {
        kith_component_desc desc = bytes_desc(BYTES, sizeof(uint32_t), sizeof(uint32_t));
        kith_entity         entities[5];
        desc.traits.policy    = policies[i];
        desc.traits.page_rows = 2;
        test_remake(f, (kith_world_desc){ 0 });
        create_many(f->world, entities, 5);
        register_one(f->world, desc);
        test(f, entities);
    }
}

static inline void fill(test_fixture *f, const kith_entity *entities)
{
    for (uint32_t i = 0; i < 5; i++) {
        assert_non_null(kith_component_set(f->world, entities[i], BYTES, &i));
    }
}

static inline bool is_stable(const test_fixture *f)
{
    return kith_component_describe(f->world, BYTES)->traits.policy == KITH_POLICY_STABLE;
}

static inline void double_health(int *value, void *context)
{
    (void)context;
    *value *= 2;
}

#endif
