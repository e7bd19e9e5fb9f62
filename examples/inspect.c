// SPDX-License-Identifier: MIT
// Why is a loop slow, and what takes the memory? Look at the two explanations of one query: at
// first every row is looked up, and after arranging the pools nearly all are in plain arrays.
#include <kith/kith.h>
#include <kith/random.h>

#include <stdio.h>

enum { COUNT = 10000 };

typedef struct vec3 {
    float x, y, z;
} vec3;

typedef struct body {
    float mass[12];
} body;

enum { POSITION = 1, VELOCITY, BODY, ASLEEP };

KITH_COMPONENT(position, vec3, POSITION);
KITH_COMPONENT(velocity, vec3, VELOCITY);
KITH_COMPONENT(body, body, BODY);
KITH_FLAG(asleep, ASLEEP);
KITH_MODULE(physics, position, velocity, body, asleep);
KITH_QUERY(movers, write(position), read(velocity), without(asleep));
KITH_PATH(physics, position, velocity, body);

// Components come in another order on each entity, so the rows of the pools differ.
static bool fill(kith_world *world)
{
    static kith_entity entities[COUNT];
    if (!kith_entity_create_many(world, entities, COUNT, NULL, 0)) {
        return false;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        position_set(world, entities[i], (vec3){ (float)i, 0, 0 });
    }
    for (uint32_t i = 0; i < COUNT; i++) { // each index once, in a mixed order
        kith_entity entity = entities[i * 7919u % COUNT];
        velocity_set(world, entity, (vec3){ 1, 0, 0 });
        if (i % 4 == 0) {
            body_set(world, entity, (body){ { 1 } });
        }
        if (i % 1000 == 0) {
            asleep_add(world, entity);
        }
    }
    return true;
}

static float run_loop(kith_query *query)
{
    float sum = 0;
    KITH_EACH_STORED(movers, m, query)
    {
        m.position->x += m.velocity->x;
        sum += m.velocity->x;
    }
    return sum;
}

static void explain(kith_query *query, const char *title)
{
    char text[600];
    kith_query_explain(query, text, sizeof text);
    printf("%s\n%s\n", title, text);
}

static void print_memory(const kith_world *world, const char *title)
{
    kith_memory all    = kith_world_memory(world, KITH_ALL);
    kith_memory bodies = kith_world_memory(world, BODY);
    printf("%s: handles %zu KB, signatures %zu KB, lookups %zu KB, values %zu KB of which bodies "
           "%zu KB\n",
           title, all.entities / 1024, all.signatures / 1024, (all.sparse + all.packed) / 1024,
           all.values / 1024, bodies.values / 1024);
}

static void print_numbers(const kith_world *world)
{
    kith_stats      stats = kith_world_stats(world);
    kith_pool_stats pool  = body_stats(world);
    printf("%u of %u slots in use, %u free; bodies: %u in %u rows, room for %u\n", stats.alive,
           stats.slots, stats.free, pool.count, pool.rows, pool.capacity);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !physics_register(world) || !fill(world)) {
        return 1;
    }
    kith_query *query = movers_query(world);
    bool        right = run_loop(query) > 0;
    explain(query, "rows in different orders:");
    kith_query_report slow = kith_query_report_of(query);

    // A path arranges its pools step by step: a small budget each frame costs little.
    kith_path *path = physics_path(world);
    while (kith_path_arrange(path, 1000) == 1000) {
    }
    right = run_loop(query) > 0 && right;
    explain(query, "after arranging:");
    kith_query_report fast = kith_query_report_of(query);
    right                  = right && fast.gathered < slow.gathered / 10;

    print_memory(world, "at most");
    print_numbers(world);
    for (kith_entity e = KITH_NULL; (e = kith_entity_next(world, e)) != KITH_NULL;) {
        if (kith_entity_index(e) >= COUNT / 10) {
            kith_entity_destroy(world, e);
        }
    }
    print_numbers(world);
    size_t before = kith_world_memory(world, KITH_ALL).total;
    right         = kith_world_shrink(world) && right;
    print_memory(world, "after shrinking");
    right = right && kith_world_memory(world, KITH_ALL).total < before / 2;

    const char *reason = NULL; // after a doubtful write, this finds what does not agree
    right              = kith_world_validate(world, &reason) && right;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
