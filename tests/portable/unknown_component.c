// SPDX-License-Identifier: MIT
// A struct that is known from a snapshot alone is as the compiler of this machine has it.
#include "kith/kith.h"
#include "kith/snapshot.h"

#include <stdio.h>

typedef struct mixed {
    uint32_t a;
    uint64_t b;
    uint8_t  c;
    double   d;
    uint32_t e;
} mixed;

KITH_FIELDS(mixed, u32(a), u64(b), u8(c), f64(d), u32(e));

// Its id is chosen at run time, so that the world that keeps it may have chosen another.
static kith_component register_mixed(kith_world *world)
{
    const kith_component_desc desc = { .name         = "mixed",
                                       .size         = sizeof(mixed),
                                       .alignment    = KITH_ALIGNOF_(mixed),
                                       .traits.saved = KITH_AS(fields(mixed)) };
    return kith_component_register(world, &desc);
}

// Whether a stranger that kept the value has it in the places that the compiler chose.
static bool is_kept(kith_world *stranger, const kith_bytes *file, kith_entity entity)
{
    const kith_load_desc keep   = { .unknown = KITH_UNKNOWN_KEEP };
    kith_result          result = kith_world_load(stranger, &keep, file->data, file->size);
    kith_component       id     = result.code == KITH_OK ? register_mixed(stranger) : 0;
    const mixed         *value  = id == 0 ? NULL : kith_component_get(stranger, entity, id);
    return value != NULL && value->a == 1 && value->b == 2 && value->c == 3 && value->d == 4 &&
           value->e == 5;
}

int main(void)
{
    const mixed    value    = { 1, 2, 3, 4, 5 };
    kith_bytes     file     = { .data = NULL };
    kith_world    *world    = kith_world_create(NULL);
    kith_world    *stranger = kith_world_create(NULL);
    kith_component id       = register_mixed(world);
    kith_entity    entity   = kith_entity_create(world);
    bool           kept     = kith_component_set(world, entity, id, &value) != NULL &&
                kith_world_save_memory(world, NULL, &file).code == KITH_OK &&
                is_kept(stranger, &file, entity);
    kith_bytes_free(&file);
    kith_world_destroy(stranger);
    kith_world_destroy(world);
    if (!kept) {
        printf("a struct that was kept has its fields elsewhere\n");
    }
    return kept ? 0 : 1;
}
