// SPDX-License-Identifier: MIT
// What the tests of frames share.
#ifndef KITH_TESTS_FRAMES_TEST_H
#define KITH_TESTS_FRAMES_TEST_H

#include "kith_test.h"

#include "kith/frames.h"

static inline uint64_t exact_hash(const kith_world *world)
{
    uint64_t hash = 0;
    assert_true(kith_world_hash_exact(world, &hash));
    return hash;
}

#endif
