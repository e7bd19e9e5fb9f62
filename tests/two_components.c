// SPDX-License-Identifier: MIT
// A program with two components and one view. tools/check_limits.sh looks at how much of the
// library it links.
#include <kith/kith.h>

typedef struct vec2 {
    float x, y;
} vec2;
enum { POSITION = 1, VELOCITY };
KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(velocity, vec2, VELOCITY);
KITH_QUERY(movers, write(position), read(velocity));
KITH_MODULE(game, position, velocity);
int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world))
        return 1;
    kith_entity e = kith_entity_create(world);
    position_set(world, e, (vec2){ 1, 2 });
    velocity_set(world, e, (vec2){ 1, 2 });
    movers m = movers_begin(world);
    while (movers_next(&m)) {
        m.position->x += m.velocity->x;
    }
    kith_world_destroy(world);
    return 0;
}
