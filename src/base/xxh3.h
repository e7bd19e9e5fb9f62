// SPDX-License-Identifier: MIT
// XXH3 with 64 bits, seed 0 and the default secret: the checksum of chunks and pages. Any other
// program of that algorithm finds the same numbers, on every machine and whatever the pieces.
//
// Up to 240 bytes are mixed by formulas of their own. Of more than that, stripes of 64 bytes go
// into eight columns, which are scrambled after each block of 16 stripes. The last stripe is
// another: always the last 64 bytes, though some of them may have been in the stripe before.
//
// Data in pieces therefore waits until it is known not to be the end:
//
//     bytes  [ 64 bytes before | held: 0 to 256 bytes, 1 or more once stripes were mixed |    ]
//                       [ last stripe ]
#ifndef KITH_BASE_XXH3_H
#define KITH_BASE_XXH3_H

#include "base/base.h"

#define KITH_STRIPE_BYTES 64u
#define KITH_HELD_MAX     256u // more than 240, and whole stripes

// Mixes stripes into the columns; `at` of the block's stripes were there before. They are copied to
// `to`, unless that is NULL.
typedef void (*kith_stripes_fn)(uint64_t *columns, const uint8_t *bytes, size_t stripes, size_t at,
                                uint8_t *to);

typedef struct kith_xxh3_state {
    kith_stripes_fn mix;
    uint64_t        mixed; // bytes, whole stripes
    uint32_t        held;
    uint64_t        columns[8];
    uint8_t         bytes[KITH_STRIPE_BYTES + KITH_HELD_MAX];
} kith_xxh3_state;

KITH_INTERNAL uint64_t kith_xxh3(const void *bytes, size_t size);

// The same for data in pieces. Asking for the checksum ends nothing: more may be fed.
KITH_INTERNAL void kith_xxh3_begin(kith_xxh3_state *state);
KITH_INTERNAL void kith_xxh3_feed(kith_xxh3_state *state, const void *bytes, size_t size);

// Feeds bytes and copies them, in one go where the processor has wide instructions.
KITH_INTERNAL void kith_xxh3_copy(kith_xxh3_state *state, void *to, const void *bytes, size_t size);
KITH_INTERNAL uint64_t kith_xxh3_end(const kith_xxh3_state *state);

// The ways to mix: 0 portable, 1 SSE2, 2 AVX2. NULL where this processor lacks it.
#define KITH_STRIPES_PATHS 3
KITH_INTERNAL kith_stripes_fn kith_stripes_path(unsigned path);

#endif
