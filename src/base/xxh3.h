// SPDX-License-Identifier: MIT
// XXH3 with 64 bits, seed 0 and the default secret: the checksum of chunks and pages. Every other
// implementation gives the same checksum, on every machine and for every division into pieces.
//
// Data of up to 240 bytes has formulas of its own. Longer data is mixed in stripes of 64 bytes into
// eight columns, which are scrambled after each block of 16 stripes. The last stripe is special: it
// is always the last 64 bytes, so it may overlap the stripe before.
//
// So data in pieces is held until more data shows that it is not the end:
//
//     bytes  [ 64 bytes before | held: 0 to 256 bytes, 1 or more once stripes were mixed |    ]
//                       [ last stripe ]
#pragma once

#include "base/base.h"

#define KITH_STRIPE_BYTES 64u
#define KITH_HELD_MAX     256u // a multiple of a stripe, above 240

// Mixes stripes into the columns. The current block already has `at` stripes. Copies the stripes to
// `to` too, unless `to` is NULL.
typedef void (*kith_stripes_fn)(uint64_t *columns, const uint8_t *bytes, size_t stripes, size_t at,
                                uint8_t *to);

typedef struct kith_xxh3_state {
    kith_stripes_fn mix;
    uint64_t        mixed; // bytes that are in the columns: whole stripes
    uint32_t        held;  // bytes that are not
    uint64_t        columns[8];
    uint8_t         bytes[KITH_STRIPE_BYTES + KITH_HELD_MAX];
} kith_xxh3_state;

uint64_t kith_xxh3(const void *bytes, size_t size);

// The same for data in pieces. kith_xxh3_end changes nothing, so more data may follow.
void kith_xxh3_begin(kith_xxh3_state *state);
void kith_xxh3_feed(kith_xxh3_state *state, const void *bytes, size_t size);

// Feeds bytes and copies them to `to`, in one pass where the processor has AVX2.
void     kith_xxh3_copy(kith_xxh3_state *state, void *to, const void *bytes, size_t size);
uint64_t kith_xxh3_end(const kith_xxh3_state *state);

// Returns a form of the mixing loop: 0 portable, 1 AVX2; NULL if the processor lacks it.
#define KITH_STRIPES_PATHS 2
kith_stripes_fn kith_stripes_path(unsigned path);
