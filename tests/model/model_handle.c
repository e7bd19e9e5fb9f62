// SPDX-License-Identifier: MIT
// The model of handles as numbers: index, version, packing, doubles.
#include "model.h"

static const uint64_t two_to_32 = UINT64_C(4294967296);

// Powers of two up to 2^63 in a type in which nothing here overflows.
static uint64_t power(uint32_t exponent)
{
    uint64_t result = 1;
    while (exponent-- > 0) {
        result *= 2;
    }
    return result;
}

kith_entity model_entity_make(uint32_t index, uint32_t version)
{
    return version * two_to_32 + index;
}

uint32_t model_entity_index(kith_entity entity)
{
    return (uint32_t)(entity % two_to_32);
}

uint32_t model_entity_version(kith_entity entity)
{
    return (uint32_t)(entity / two_to_32);
}

// Version and index side by side; version 0 is no entity.
static uint64_t join(kith_entity entity, uint32_t index_bits)
{
    uint64_t index   = model_entity_index(entity);
    uint64_t version = model_entity_version(entity);
    if (version == 0 || index >= power(index_bits)) {
        return 0;
    }
    return version * power(index_bits) + index;
}

static kith_entity split(uint64_t packed, uint32_t index_bits)
{
    uint64_t version = packed / power(index_bits);
    if (version == 0 || version >= power(32)) {
        return KITH_NULL;
    }
    return model_entity_make((uint32_t)(packed % power(index_bits)), (uint32_t)version);
}

uint64_t model_entity_pack(kith_entity entity, uint32_t index_bits)
{
    return index_bits >= 1 && index_bits <= 32 ? join(entity, index_bits) : 0;
}

kith_entity model_entity_unpack(uint64_t packed, uint32_t index_bits)
{
    return index_bits >= 1 && index_bits <= 32 ? split(packed, index_bits) : KITH_NULL;
}

double model_entity_to_double(kith_entity entity)
{
    return model_entity_version(entity) < power(21) ? (double)entity : -1.0;
}

kith_entity model_entity_from_double(double number)
{
    bool in_range = number >= 0 && number < (double)power(53);
    return in_range && (double)(uint64_t)number == number ? (uint64_t)number : KITH_NULL;
}
