// SPDX-License-Identifier: MIT
// Handles as numbers of other widths: packing into 32 or 64 bits, and doubles.
#include "base/base.h"

// The exported twins of the inline functions in kith.h.
extern inline kith_entity   kith_entity_make(uint32_t index, uint32_t version);
extern inline uint32_t      kith_entity_index(kith_entity entity);
extern inline uint32_t      kith_entity_version(kith_entity entity);
extern inline kith_entities kith_entities_of(const kith_entity *array, uint32_t count);
extern inline kith_entity   kith_entities_at(kith_entities entities, uint32_t i);

// Packs an entity into `bits` bits. Returns 0 when it does not fit.
static uint64_t pack_within(kith_entity entity, uint32_t index_bits, uint32_t bits)
{
    uint64_t index   = kith_entity_index(entity);
    uint64_t version = kith_entity_version(entity);
    if (index_bits < 1 || index_bits > 32 || index_bits >= bits || index >> index_bits != 0 ||
        version >> (bits - index_bits) != 0) {
        return 0;
    }
    return version == 0 ? 0 : version << index_bits | index;
}

static kith_entity unpack_within(uint64_t packed, uint32_t index_bits, uint32_t bits)
{
    if (index_bits < 1 || index_bits > 32 || index_bits >= bits) {
        return KITH_NULL;
    }
    uint64_t version = packed >> index_bits;
    uint64_t index   = packed & ((UINT64_C(1) << index_bits) - 1);
    if (version == 0 || version > UINT32_MAX) {
        return KITH_NULL;
    }
    return kith_entity_make((uint32_t)index, (uint32_t)version);
}

KITH_API uint64_t kith_entity_pack(kith_entity entity, uint32_t index_bits)
{
    return pack_within(entity, index_bits, 64);
}

KITH_API kith_entity kith_entity_unpack(uint64_t packed, uint32_t index_bits)
{
    return unpack_within(packed, index_bits, 64);
}

KITH_API uint32_t kith_entity_pack32(kith_entity entity, uint32_t index_bits)
{
    return (uint32_t)pack_within(entity, index_bits, 32);
}

KITH_API kith_entity kith_entity_unpack32(uint32_t packed, uint32_t index_bits)
{
    return unpack_within(packed, index_bits, 32);
}

KITH_API double kith_entity_to_double(kith_entity entity)
{
    return entity >> 53 == 0 ? (double)entity : -1.0;
}

KITH_API kith_entity kith_entity_from_double(double number)
{
    // NaN fails the first comparison
    if (!(number >= 0.0 && number < 9007199254740992.0)) {
        return KITH_NULL;
    }
    kith_entity entity = (kith_entity)number;
    return (double)entity == number ? entity : KITH_NULL;
}
