// SPDX-License-Identifier: MIT
// A record that is larger than all memory is refused, also where sizes have 32 bits.
#include "kith/kith.h"

#include <stdio.h>

#define COUNT (UINT32_C(1) << 27) // of 16 bytes for two components: 2^32 bytes

typedef struct cell {
    uint64_t halves[2];
} cell;

enum { LEFT = 1, RIGHT };

KITH_COMPONENT(left, cell, LEFT);
KITH_COMPONENT(right, cell, RIGHT);
KITH_MODULE(cells, left, right);

// The arrays are not as long as is said: nobody may come to read them.
static bool is_refused(kith_commands *commands)
{
    kith_entity       entity = KITH_NULL;
    cell              value  = { { 0, 0 } };
    const kith_values sets[] = { { LEFT, &value, sizeof value }, { RIGHT, &value, sizeof value } };
    return !kith_entity_create_with_later(commands, &entity, COUNT, sets, 2) &&
           kith_commands_error(commands).code == KITH_ERROR_MEMORY &&
           kith_commands_count(commands) == 0;
}

static void keep_quiet(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    (void)error;
    (void)context;
}

int main(void)
{
#if SIZE_MAX > UINT32_MAX
    return 0; // here memory may well be that large
#endif
    kith_world    *world    = kith_world_create(&(kith_world_desc){ .on_error = keep_quiet });
    bool           made     = world != NULL && cells_register(world);
    kith_commands *commands = made ? kith_commands_create(world, NULL) : NULL;
    bool           refused  = commands != NULL && is_refused(commands);
    kith_commands_destroy(commands);
    kith_world_destroy(world);
    if (!refused) {
        printf("a record of 2^32 bytes is not refused\n");
    }
    return refused ? 0 : 1;
}
