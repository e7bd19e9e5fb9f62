// SPDX-License-Identifier: MIT
// Signals: listeners that are called when a component is added, set or removed. Look at ann, bob
// and positions at the end: a write through a pointer was not counted.
#include <kith/kith.h>

#include <stdio.h>

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, HEALTH, NAME };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(health, int, HEALTH);
KITH_COMPONENT(name, const char *, NAME);
KITH_MODULE(game, name, position, health);

static const char *name_of(const kith_world *world, kith_entity entity)
{
    return *name_get(world, entity);
}

// Called when the value is in place.
static void on_position(kith_world *world, const kith_notice *notice, void *context)
{
    const vec2 *at = position_get(world, notice->entity);
    printf("  %s is at %g %g\n", name_of(world, notice->entity), at->x, at->y);
    ++*(uint32_t *)context;
}

static void on_wound(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    printf("  %s has health %d\n", name_of(world, notice->entity),
           *health_get(world, notice->entity));
    if (*health_get(world, notice->entity) <= 0) {
        health_remove(world, notice->entity);
    }
}

// Called while the value is still there. Destroys the entity that loses its health.
static void on_death(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    printf("  %s dies\n", name_of(world, notice->entity));
    kith_entity_destroy(world, notice->entity);
}

static void on_destroy(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    printf("  %s is gone, from %g\n", name_of(world, notice->entity),
           position_get(world, notice->entity)->x);
}

static void hurt(void *health, void *context)
{
    *(int *)health -= *(const int *)context;
}

static kith_entity spawn(kith_world *world, const char *name, float x)
{
    kith_entity entity = kith_entity_create(world);
    name_set(world, entity, name);
    position_set(world, entity, (vec2){ x, 0 });
    health_set(world, entity, 10);
    return entity;
}

int main(void)
{
    uint32_t    placed = 0;
    int         blow   = 6;
    kith_world *world  = kith_world_create(NULL);
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    kith_listener places = position_on_add(world, on_position, &placed);
    position_on_set(world, on_position, &placed);
    health_on_set(world, on_wound, NULL);
    health_on_remove(world, on_death, NULL);
    kith_listener_connect(world,
                          &(kith_listener_desc){ .event = KITH_EVENT_DESTROY, .call = on_destroy });

    printf("two come\n");
    kith_entity ann = spawn(world, "ann", 1);
    kith_entity bob = spawn(world, "bob", 2);

    printf("bob moves: a set calls listeners, a write through a pointer does not\n");
    position_set(world, bob, (vec2){ 3, 0 });
    position_mut(world, bob)->x = 4;

    printf("bob is hit twice\n");
    kith_component_patch(world, bob, HEALTH, hurt, &blow);
    kith_component_patch(world, bob, HEALTH, hurt, &blow);

    printf("after disconnecting, cid's position calls no listener\n");
    kith_listener_disconnect(world, places);
    spawn(world, "cid", 5);

    printf("ann %d, bob %d, positions reported %u\n", kith_entity_alive(world, ann),
           kith_entity_alive(world, bob), placed);
    kith_world_destroy(world); // calls no listener
    return 0;
}
