// SPDX-License-Identifier: MIT
// A program against the two-file build, with a header that is one line there.
#include <kith/hierarchy.h>

#include <stdio.h>

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, FROZEN };

KITH_COMPONENT(position, vec2, POSITION);
KITH_TAG(frozen, FROZEN);
KITH_MODULE(game, position, frozen);

static bool run(kith_world *world)
{
    kith_entity ship = kith_entity_create(world);
    kith_entity buoy = kith_entity_create(world);
    bool        made = game_register(world) && position_set(world, ship, (vec2){ 1, 2 }) != NULL &&
                position_set(world, buoy, (vec2){ 3, 4 }) != NULL && frozen_add(world, buoy);
    bool gone = kith_entity_destroy(world, ship) && position_get(world, ship) == NULL;
    return made && gone && position_count(world) == 1 && position_get(world, buoy)->x == 3 &&
           frozen_has(world, buoy) && kith_world_validate(world, NULL);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    bool        good  = world != NULL && run(world);
    kith_world_destroy(world);
    printf("%s\n", good ? "the two-file build works" : "the two-file build does not work");
    return good ? 0 : 1;
}
