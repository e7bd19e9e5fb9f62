// SPDX-License-Identifier: MIT
// The test vectors of docs/random.md: numbers and their forms are the same, bit by bit.
#include "kith/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct vector {
    uint64_t    seed;
    kith_entity entity;
    uint64_t    tick;
    uint32_t    n;
    uint64_t    number;
    uint64_t    below; // 10^18 + 9
    uint32_t    as_float;
    uint64_t    as_double;
    uint32_t    between; // -0.1f and 3.3f
} vector;

static const vector vectors[] = {
    { 0x0, 0x0, 0x0, 0, UINT64_C(0x0068c71d9376b741), UINT64_C(1598782273016453), 0x3ad18e00,
      UINT64_C(0x3f5a31c764ddac00), 0xbdc1aadb },
    { 0x1, 0x0, 0x0, 0, UINT64_C(0x586e14618f4514d3), UINT64_C(345429681604646113), 0x3eb0dc28,
      UINT64_C(0x3fd61b851863d144), 0x3f8987ee },
    { 0x0, 0x1, 0x0, 0, UINT64_C(0x11c468de2e195f6c), UINT64_C(69403223269636430), 0x3d8e2340,
      UINT64_C(0x3fb1c468de2e1958), 0x3e0b3bec },
    { 0x0, 0x0, 0x1, 0, UINT64_C(0x3a75b13d0fcc8696), UINT64_C(228358342559476050), 0x3e69d6c4,
      UINT64_C(0x3fcd3ad89e87e640), 0x3f2d29bf },
    { 0x0, 0x0, 0x0, 1, UINT64_C(0xd9f6623ed6a91ec5), UINT64_C(851415767995295604), 0x3f59f662,
      UINT64_C(0x3feb3ecc47dad523), 0x4032de3a },
    { 0x1, 0x2, 0x3, 4, UINT64_C(0x8006a70aee906c2c), UINT64_C(500101509255331762), 0x3f0006a7,
      UINT64_C(0x3fe000d4e15dd20d), 0x3fccd81b },
    { 0x7, UINT64_C(0x30000000c), 0x5b, 0, UINT64_C(0x5cb81bb4efc05101),
      UINT64_C(362184268640477275), 0x3eb97036, UINT64_C(0x3fd72e06ed3bf014), 0x3f90d294 },
    { 0x7, UINT64_C(0x30000000c), 0x5b, 1, UINT64_C(0xaad130e0ab0b001b),
      UINT64_C(667254500246638578), 0x3f2ad130, UINT64_C(0x3fe55a261c156160), 0x400acb69 },
    { UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
      4294967295u, UINT64_C(0x57be5e02bda49ff8), UINT64_C(342748523396624540), 0x3eaf7cbc,
      UINT64_C(0x3fd5ef9780af6926), 0x3f885d39 },
    { UINT64_C(0x123456789abcdef), UINT64_C(0xfedcba9876543210), UINT64_C(0x10000000000), 77,
      UINT64_C(0xb0ce1006bb0b5522), UINT64_C(690644265788291044), 0x3f30ce10,
      UINT64_C(0x3fe619c200d7616a), 0x400fe25a },
};

static uint32_t float_bits(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const vector *v      = &vectors[i];
        uint64_t      number = kith_random(v->seed, v->entity, v->tick, v->n);
        if (number != v->number ||
            kith_random_below(number, UINT64_C(1000000000000000009)) != v->below ||
            float_bits(kith_random_float(number)) != v->as_float ||
            double_bits(kith_random_double(number)) != v->as_double ||
            float_bits(kith_random_between(number, -0.1f, 3.3f)) != v->between) {
            printf("vector %u: the number is 0x%016" PRIx64 ", not 0x%016" PRIx64
                   ", or a form of it is another one\n",
                   (unsigned)i, number, v->number);
            failed = 1;
        }
    }
    return failed;
}
