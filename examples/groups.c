// SPDX-License-Identifier: MIT
// Groups: they keep entities together, so that a loop gets plain arrays; and when a view is enough.
// Look at "packed": after each change the members are the first rows of both pools.
#include <kith/kith.h>

#include <stdio.h>

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, VELOCITY, HEALTH, DAMAGE, TRANSFORM, MESH, MATERIAL };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(velocity, vec2, VELOCITY);
KITH_COMPONENT(health, int, HEALTH);
KITH_COMPONENT(damage, int, DAMAGE);
KITH_COMPONENT(transform, vec2, TRANSFORM);
KITH_COMPONENT(mesh, int, MESH);
KITH_COMPONENT(material, int, MATERIAL);
KITH_MODULE(game, position, velocity, health, damage, transform, mesh, material);

// Runs every frame, in a tight loop: the group owns the components that the loop writes, and the
// loop looks up the health.
KITH_GROUP(bodies, own(position), own(velocity), read(health));

// Runs now and then: a view costs nothing between loops.
KITH_QUERY(damaged, write(health), read(damage));

// Runs every frame over components that other groups own: a group that owns nothing keeps a list.
KITH_GROUP(visible, read(transform), read(mesh), read(material));

static void populate(kith_world *world)
{
    for (int i = 0; i < 1000; i++) {
        kith_entity entity = kith_entity_create(world);
        position_set(world, entity, (vec2){ (float)i, 0 });
        if (i % 2 == 0) {
            velocity_set(world, entity, (vec2){ 1, -1 });
        }
        if (i % 3 == 0) {
            health_set(world, entity, i % 5);
        }
        if (i % 10 == 0) {
            transform_set(world, entity, (vec2){ 0, (float)(1000 - i) });
            mesh_set(world, entity, i);
            material_set(world, entity, 1);
        }
    }
}

// Members are the first rows of each pool that the group owns, in the same order.
static bool is_packed(const kith_world *world, uint32_t members)
{
    bool packed = true;
    for (uint32_t row = 0; row < members; row++) {
        packed = packed && position_entity(world, row) == velocity_entity(world, row);
    }
    return packed;
}

// The body may change anything. It may also destroy the current entity, which leaves the group.
static void run_bodies(kith_world *world)
{
    KITH_EACH(bodies, b, world)
    {
        b.position->x += b.velocity->x;
        b.position->y += b.velocity->y;
        if (*b.health <= 0) {
            kith_entity_destroy(world, b.entity);
        }
    }
}

static void show_owning(kith_world *world)
{
    kith_group *group = bodies_group(world);
    printf("bodies: %u of %u, in the first rows of both pools: %d\n", kith_group_count(group),
           position_count(world), is_packed(world, kith_group_count(group)));
    run_bodies(world);
    printf("after a frame: %u, packed: %d\n", kith_group_count(group),
           is_packed(world, kith_group_count(group)));

    health_set(world, velocity_entity(world, velocity_rows(world) - 1), 50);
    printf("an entity that gets its missing component joins: %u, packed: %d\n",
           kith_group_count(group), is_packed(world, kith_group_count(group)));

    bodies_sort_by_position(group, KITH_KEY_DESCENDING(vec2, x));
    printf("sorted: from %g to %g, packed: %d\n", position_value(world, 0)->x,
           position_value(world, kith_group_count(group) - 1)->x,
           is_packed(world, kith_group_count(group)));
}

static void show_view(kith_world *world)
{
    damage_set(world, position_entity(world, 0), 3);
    uint32_t hit = 0;
    KITH_EACH(damaged, d, world)
    {
        *d.health -= *d.damage;
        damage_remove(world, d.entity);
        hit++;
    }
    printf("damaged: %u, waiting: %u\n", hit, damage_count(world));
}

// Sorts the list of the group; no row of any component moves.
static void show_listing(kith_world *world)
{
    kith_group *group = visible_group(world);
    visible_sort_by_transform(group, KITH_KEY(vec2, y));
    visible v = visible_begin(world);
    visible_next(&v);
    printf("visible: %u, drawn first is mesh %d; rows begin with mesh %d\n",
           kith_group_count(group), *v.mesh, *mesh_value(world, 0));
    visible_end(&v);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    populate(world);
    show_owning(world);
    show_view(world);
    show_listing(world);
    kith_world_destroy(world);
    return 0;
}
