// SPDX-License-Identifier: MIT
// Signatures: sets of components, and the set of one entity.
#include "world/world.h"

// --- sets of components ----------------------------------------------------------------------

// The signature bit of a component, or KITH_NO_BIT and an error.
static uint32_t bit_of(const kith_world *world, kith_component component, const char *call)
{
    const kith_storage *storage =
        kith_storage_for_read(world, component, KITH_ON_ENTITY | KITH_ASIDE, call);
    return storage == NULL ? KITH_NO_BIT : storage->bit;
}

bool kith_signature_add(const kith_world *world, kith_signature *signature,
                        kith_component component)
{
    uint32_t bit = bit_of(world, component, "kith_signature_add");
    if (bit == KITH_NO_BIT) {
        return false;
    }
    signature->words[bit >> 6] |= UINT64_C(1) << (bit & 63);
    return true;
}

bool kith_signature_remove(const kith_world *world, kith_signature *signature,
                           kith_component component)
{
    uint32_t bit = bit_of(world, component, "kith_signature_remove");
    if (bit == KITH_NO_BIT) {
        return false;
    }
    signature->words[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
    return true;
}

bool kith_signature_has(const kith_world *world, const kith_signature *signature,
                        kith_component component)
{
    uint32_t bit = bit_of(world, component, "kith_signature_has");
    return bit != KITH_NO_BIT && (signature->words[bit >> 6] >> (bit & 63) & 1) != 0;
}

bool kith_signature_contains(const kith_signature *signature, const kith_signature *part)
{
    uint64_t missing = 0;
    for (unsigned i = 0; i < KITH_SIGNATURE_WORDS; i++) {
        missing |= part->words[i] & ~signature->words[i];
    }
    return missing == 0;
}

bool kith_signature_intersects(const kith_signature *signature, const kith_signature *part)
{
    uint64_t common = 0;
    for (unsigned i = 0; i < KITH_SIGNATURE_WORDS; i++) {
        common |= part->words[i] & signature->words[i];
    }
    return common != 0;
}

uint32_t kith_signature_count(const kith_signature *signature)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < KITH_SIGNATURE_WORDS; i++) {
        count += kith_bit_count(signature->words[i]);
    }
    return count;
}

// --- the signature of an entity --------------------------------------------------------------

kith_signature kith_entity_signature(const kith_world *world, kith_entity entity)
{
    kith_signature signature = { { 0 } };
    if (kith_entity_table_alive(&world->entities, entity)) {
        for (uint32_t word = 0; 64 * word < world->bit_count; word++) {
            signature.words[word] =
                kith_entity_signature_word(&world->entities, kith_entity_index(entity), word);
        }
    }
    return signature;
}

uint32_t kith_entity_components(const kith_world *world, kith_entity entity,
                                kith_component *components, uint32_t capacity)
{
    kith_signature has   = kith_entity_signature(world, entity);
    uint32_t       count = 0;
    for (uint32_t word = 0; 64 * word < world->bit_count; word++) {
        for (uint64_t bits = has.words[word]; bits != 0; bits &= bits - 1, count++) {
            if (count < capacity) {
                components[count] = world->by_bit[64 * word + kith_lowest_bit(bits)]->desc.id;
            }
        }
    }
    return count;
}
