// SPDX-License-Identifier: MIT
// Views: queries built on the spot, in every form of a loop. Look at the last but one line: the
// loop examines the rows of the smallest pool, 100 of 10,000.
#include <kith/kith.h>

#include <stdio.h>

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, VELOCITY, HEALTH, FROZEN };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(velocity, vec2, VELOCITY);
KITH_COMPONENT(health, int, HEALTH);
KITH_TAG(frozen, FROZEN);
KITH_MODULE(game, position, velocity, health, frozen);

KITH_QUERY(places, read(position));
KITH_QUERY(movers, write(position), read(velocity));
KITH_QUERY(free_movers, write(position), read(velocity), without(frozen));
KITH_QUERY(wounded, read(position), read(velocity), write(health));

// 10,000 entities have a position, every second a velocity, every hundredth a health.
static void populate(kith_world *world)
{
    for (uint32_t i = 0; i < 10000; i++) {
        kith_entity entity = kith_entity_create(world);
        position_set(world, entity, (vec2){ 0, 0 });
        if (i % 2 == 0) {
            velocity_set(world, entity, (vec2){ 1, 0.5f });
        }
        if (i % 100 == 0) {
            health_set(world, entity, 100);
        }
        if (i % 1000 == 0) {
            frozen_add(world, entity);
        }
    }
}

// By entity: the loop gives the handle, other calls get the values.
static uint32_t move_by_entity(kith_world *world)
{
    uint32_t count = 0;
    movers   m     = movers_begin(world);
    while (movers_next(&m)) {
        vec2       *at    = position_mut(world, m.entity);
        const vec2 *speed = velocity_get(world, m.entity);
        at->x += speed->x;
        at->y += speed->y;
        count++;
    }
    return count;
}

// By field: the cursor has pointers to the values.
static uint32_t move_by_field(kith_world *world)
{
    uint32_t count = 0;
    KITH_EACH(movers, m, world)
    {
        m.position->x += m.velocity->x;
        m.position->y += m.velocity->y;
        count++;
    }
    return count;
}

// By chunk: plain arrays, while the rows of both components are in the same order.
static uint32_t move_by_chunk(kith_world *world)
{
    uint32_t count = 0;
    movers   m     = movers_begin(world);
    while (movers_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.position[i].x += m.velocity[i].x;
            m.position[i].y += m.velocity[i].y;
        }
        count += m.count;
    }
    return count;
}

// Without types, as code that loads its queries does.
static uint32_t move_untyped(kith_world *world)
{
    uint32_t    count  = 0;
    kith_cursor cursor = kith_query_begin(kith_query_of(world, movers_desc()));
    while (kith_cursor_next(&cursor)) {
        vec2       *at    = cursor.columns[0];
        const vec2 *speed = cursor.columns[1];
        at->x += speed->x;
        at->y += speed->y;
        count++;
    }
    return count;
}

static uint32_t move_unless_frozen(kith_world *world)
{
    uint32_t count = 0;
    KITH_EACH(free_movers, m, world)
    {
        m.position->x += m.velocity->x;
        count++;
    }
    return count;
}

// A loop walks the component with the fewest rows and looks up the others.
static void show_lead(kith_world *world)
{
    kith_query *query = wounded_query(world);
    KITH_EACH_STORED(wounded, w, query)
    {
        *w.health -= (int)w.position->x;
    }
    kith_query_report report = kith_query_report_of(query);
    printf("of %u, %u and %u the loop examined %u rows, of \"%s\"\n", position_count(world),
           velocity_count(world), health_count(world), (unsigned)report.examined,
           kith_component_describe(world, report.lead)->name);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    populate(world);
    printf("one component: %u\n", places_count(world));
    printf("by entity: %u\n", move_by_entity(world));
    printf("by field: %u\n", move_by_field(world));
    printf("by chunk: %u\n", move_by_chunk(world));
    printf("by call: %u\n", move_untyped(world));
    printf("without the frozen: %u\n", move_unless_frozen(world));
    show_lead(world);
    kith_entity first = wounded_first(world);
    printf("entity %u is at %g %g with health %d\n", kith_entity_index(first),
           position_get(world, first)->x, position_get(world, first)->y, *health_get(world, first));
    kith_world_destroy(world);
    return 0;
}
