// SPDX-License-Identifier: MIT
// Entities: handles of index and version, creating, destroying, hints, and components. Look at the
// handle of the destroyed entity: its slot is used again, and the old handle still means no entity.
#include <kith/kith.h>

#include <stdio.h>

typedef struct position {
    float x, y;
} position;

enum { POSITION = 1, HEALTH };

KITH_COMPONENT(position, position, POSITION);
KITH_COMPONENT(health, int, HEALTH);
KITH_MODULE(game, position, health);

static void print_handle(const char *name, kith_entity entity)
{
    printf("%s: index %u, version %u\n", name, kith_entity_index(entity),
           kith_entity_version(entity));
}

// The slot of a destroyed entity is reused with the next version, so the old handle stays dead.
static void show_life(kith_world *world)
{
    kith_entity first = kith_entity_create(world);
    print_handle("first", first);
    printf("alive %d\n", kith_entity_alive(world, first));

    kith_entity_destroy(world, first);
    printf("destroyed: alive %d, the slot is at version %u\n", kith_entity_alive(world, first),
           kith_entity_version(kith_entity_slot(world, kith_entity_index(first))));

    kith_entity second = kith_entity_create(world);
    print_handle("second", second);
    printf("first alive %d, second alive %d, null alive %d\n", kith_entity_alive(world, first),
           kith_entity_alive(world, second), kith_entity_alive(world, KITH_NULL));
}

// A hint requests exactly this handle, for example to load a file or to mirror a server.
static void show_hint(kith_world *world)
{
    print_handle("hinted", kith_entity_create_hint(world, kith_entity_make(7, 3)));
    print_handle("hinted again", kith_entity_create_hint(world, kith_entity_make(7, 3)));
}

// Handles have 64 bits. Formats with 32 bits usually have 20 for the index and 12 for the version.
static void show_bits(void)
{
    kith_entity entity = kith_entity_make(42, 5);
    uint64_t    packed = kith_entity_pack(entity, 20);
    printf("packed 0x%08x: fits 32 bits %d\n", (uint32_t)packed, packed <= UINT32_MAX);
    print_handle("unpacked", kith_entity_unpack(packed, 20));
    printf("a version of 13 bits fits 32 bits %d\n",
           kith_entity_pack(kith_entity_make(42, 1 << 12), 20) <= UINT32_MAX);
    printf("an index of 21 bits packs to %u\n",
           (uint32_t)kith_entity_pack(kith_entity_make(1 << 20, 1), 20));
}

// Adding or removing a component moves no other component of the entity.
static void show_components(kith_world *world)
{
    kith_entity entity = kith_entity_create(world);
    position_set(world, entity, (position){ 3, 4 });
    health_set(world, entity, 100);
    *health_mut(world, entity) -= 30;
    printf("at %g %g with health %d\n", position_get(world, entity)->x,
           position_get(world, entity)->y, *health_get(world, entity));

    bool removed = health_remove(world, entity);
    bool again   = health_remove(world, entity);
    printf("removed %d, removed again %d\n", removed, again);
    printf("has health %d, has a position %d\n", health_has(world, entity),
           position_has(world, entity));

    kith_entity_destroy(world, entity); // removes every component, without types
    printf("positions left: %u\n", position_count(world));
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    show_life(world);
    show_hint(world);
    show_bits();
    show_components(world);
    kith_world_destroy(world);
    return 0;
}
