// SPDX-License-Identifier: MIT
// Which of consecutive signature words are as a query wants them: what rejects most entities of a
// filter, without a branch.
#ifndef KITH_BASE_SIMD_FILTER_H
#define KITH_BASE_SIMD_FILTER_H

#include "base/base.h"

// Writes `first` + i for each i below `count` with (words[i] & mask) == want, ascending, and
// returns how many. `out` has room for `count` and KITH_PICK_SPARE more.
#define KITH_PICK_SPARE 4
typedef uint32_t (*kith_pick_fn)(const uint64_t *words, uint64_t mask, uint64_t want,
                                 uint32_t first, uint32_t count, uint32_t *out);

// The ways to do it: 0 and 1 portable, 2 AVX2, numbered as those of agree.h. NULL where this
// processor lacks it.
KITH_INTERNAL kith_pick_fn kith_pick_path(unsigned path);

// The fastest of them.
KITH_INTERNAL kith_pick_fn kith_pick_best(void);

#endif
