// SPDX-License-Identifier: MIT
// How far two stretches of packed indices agree: what makes rows of two pools a run.
#ifndef KITH_BASE_SIMD_MATCH_H
#define KITH_BASE_SIMD_MATCH_H

#include "base/base.h"

// The number of leading words, of the first `count`, that are equal in both and below 2^31: words
// with the top bit set mark empty rows.
typedef uint32_t (*kith_agree_fn)(const uint32_t *a, const uint32_t *b, uint32_t count);

// The ways to find out: 0 portable, 1 SSE2, 2 AVX2. NULL where this processor lacks it.
#define KITH_AGREE_PATHS 3
KITH_INTERNAL kith_agree_fn kith_agree_path(unsigned path);

// The fastest of them.
KITH_INTERNAL kith_agree_fn kith_agree_best(void);

#endif
