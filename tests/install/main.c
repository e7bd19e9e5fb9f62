// SPDX-License-Identifier: MIT
// A program outside of the repository: installed headers, installed library, nothing else.
#include <kith/kith.h>

#include <stdio.h>

enum { HEALTH = 1 };

KITH_COMPONENT(health, int, HEALTH);

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    health_register(world);
    kith_entity ship = kith_entity_create(world);
    health_set(world, ship, 41);
    *health_mut(world, ship) += 1;
    int health = *health_get(world, ship);
    kith_world_destroy(world);
    printf("kith %d.%d.%d, health %d\n", KITH_VERSION_MAJOR, KITH_VERSION_MINOR, KITH_VERSION_PATCH,
           health);
    return health == 42 ? 0 : 1;
}
