// SPDX-License-Identifier: MIT
// The first program: components, entities, a loop that changes values, a loop that destroys. Look
// at the second picture: the stars have no velocity, so the first loop does not see them.
#include <kith/kith.h>

#include <stdio.h>
#include <string.h>

typedef struct vec2 {
    float x, y;
} vec2;

// 1. Each component has a name, a type and a number.
enum { POSITION = 1, VELOCITY, LOOKS };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(velocity, vec2, VELOCITY);
KITH_COMPONENT(looks, char, LOOKS);
KITH_MODULE(sky, position, velocity, looks);

// 2. A query names the components that its entities have, and what the loop does with each.
KITH_QUERY(movers, write(position), read(velocity));
KITH_QUERY(visible, read(position), read(looks));

static void move(kith_world *world, float seconds)
{
    KITH_EACH(movers, m, world)
    {
        m.position->x += m.velocity->x * seconds;
        m.position->y += m.velocity->y * seconds;
    }
}

// 3. A loop may destroy, create, add and remove.
static uint32_t remove_outside(kith_world *world, float width)
{
    uint32_t gone = 0;
    KITH_EACH(movers, m, world)
    {
        if (m.position->x >= width) {
            gone += kith_entity_destroy(world, m.entity);
        }
    }
    return gone;
}

static void draw(kith_world *world)
{
    char rows[3][33];
    memset(rows, '.', sizeof rows);
    KITH_EACH(visible, v, world)
    {
        rows[(int)v.position->y][(int)v.position->x] = *v.looks;
    }
    for (int y = 0; y < 3; y++) {
        printf("%.32s\n", rows[y]);
    }
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !sky_register(world)) {
        return 1;
    }
    for (int i = 0; i < 5; i++) { // 4. An entity is a number; it has what is set.
        kith_entity star = kith_entity_create(world);
        position_set(world, star, (vec2){ (float)(i * 7 + 1), (float)(i * 2 % 3) });
        looks_set(world, star, '*');
    }
    kith_entity comets[3];
    for (int i = 0; i < 3; i++) {
        comets[i] = kith_entity_create(world);
        position_set(world, comets[i], (vec2){ 0, (float)i });
        velocity_set(world, comets[i], (vec2){ (float)(i + 1) * 3, 0 });
        looks_set(world, comets[i], '>');
    }

    move(world, 1);
    draw(world);
    move(world, 3);
    uint32_t gone = remove_outside(world, 32);
    printf("%u comet left the sky\n", gone);
    draw(world);

    // 5. The handle of a destroyed entity is safe: it means no entity, now and later.
    bool right = gone == 1 && kith_entity_count(world) == 7 &&
                 !kith_entity_alive(world, comets[2]) && position_get(world, comets[2]) == NULL &&
                 position_get(world, comets[1])->x == 24;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
