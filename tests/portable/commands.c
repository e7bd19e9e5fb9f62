// SPDX-License-Identifier: MIT
// A record, and room for entities, that are larger than all memory are refused, also where sizes
// have 32 bits.
#include "kith/kith.h"

#include "base/platform.h"

#include <stdio.h>

#define COUNT (UINT32_C(1) << 27) // of 16 bytes for two components: 2^32 bytes

typedef struct cell {
    uint64_t halves[2];
} cell;

enum { LEFT = 1, RIGHT };

KITH_COMPONENT(left, cell, LEFT);
KITH_COMPONENT(right, cell, RIGHT);
KITH_MODULE(cells, left, right);

// The arrays are shorter than their count says: no call may read them.
static bool is_refused(kith_commands *commands)
{
    kith_entity       entity = KITH_NULL;
    cell              value  = { { 0, 0 } };
    const kith_values sets[] = { { LEFT, &value, sizeof value }, { RIGHT, &value, sizeof value } };
    return !kith_entity_create_many_later(commands, &entity, COUNT, sets, 2) &&
           kith_commands_report_of(commands).refusal.code == KITH_ERROR_MEMORY &&
           kith_commands_report_of(commands).recorded == 0;
}

static void keep_quiet(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    (void)error;
    (void)context;
}

// Allocates small blocks alone: no test takes gigabytes.
static void *take_little(void *context, size_t size, size_t alignment)
{
    (void)context;
    return size > 1u << 20 ? NULL : kith_platform_allocate(NULL, size, alignment);
}

// 8 bytes each: from 2^29 on, 32 bits do not hold the number of bytes.
static bool are_refused(kith_world *world, uint32_t creates)
{
    const kith_commands_desc desc = { .allocator = { take_little, kith_platform_release, NULL },
                                      .creates   = creates };
    kith_world_error_clear(world);
    kith_commands *commands = kith_commands_create(world, &desc);
    bool           refused  = commands == NULL && kith_world_error(world).code == KITH_ERROR_MEMORY;
    kith_commands_destroy(commands);
    return refused;
}

static bool no_room_is_too_large(kith_world *world)
{
    static const uint32_t creates[] = { UINT32_C(1) << 29, (UINT32_C(1) << 29) + 8,
                                        UINT32_C(1) << 31, UINT32_MAX };
    bool                  refused   = true;
    for (size_t i = 0; i < sizeof creates / sizeof *creates; i++) {
        if (!are_refused(world, creates[i])) {
            printf("room for %lu entities is not refused\n", (unsigned long)creates[i]);
            refused = false;
        }
    }
    return refused;
}

// With 64 bits memory may well be that large.
static bool no_record_is_too_large(kith_world *world)
{
#if SIZE_MAX > UINT32_MAX
    (void)is_refused;
    (void)world;
    return true;
#else
    kith_commands *commands = kith_commands_create(world, NULL);
    bool           refused  = commands != NULL && is_refused(commands);
    kith_commands_destroy(commands);
    if (!refused) {
        printf("a record of 2^32 bytes is not refused\n");
    }
    return refused;
#endif
}

int main(void)
{
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = keep_quiet });
    bool        good  = world != NULL && cells_register(world) && no_record_is_too_large(world) &&
                no_room_is_too_large(world);
    kith_world_destroy(world);
    return good ? 0 : 1;
}
