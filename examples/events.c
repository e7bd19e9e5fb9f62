// SPDX-License-Identifier: MIT
// Events: queues that deliver on update, and reactive sets that collect changed entities. Look at
// update 2: what a handler enqueues waits for the next update.
#include <kith/kith.h>

#include <stdio.h>

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, HEALTH, NAME, SLEEPS };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(health, int, HEALTH);
KITH_COMPONENT(name, const char *, NAME);
KITH_FLAG(sleeps, SLEEPS);
KITH_MODULE(game, position, health, name, sleeps);

typedef struct hit {
    kith_entity target;
    int         damage;
} hit;

KITH_EVENT(hit, hit);

static kith_entity create(kith_world *world, const char *called, int life)
{
    kith_entity entity = kith_entity_create(world);
    name_set(world, entity, called);
    health_set(world, entity, life);
    return entity;
}

// --- queues ----------------------------------------------------------------------------------

static void hurt(kith_world *world, const hit *event, void *context)
{
    hit_queue *hits   = context;
    int       *health = health_mut(world, event->target);
    if (health == NULL) {
        printf("  a hit on a dead entity\n");
        return;
    }
    *health -= event->damage;
    printf("  %s has %d\n", *name_get(world, event->target), *health);
    if (event->damage > 3) { // a further hit waits for the next update
        hit_enqueue(*hits, (hit){ event->target, event->damage / 2 });
    }
    if (*health <= 0) {
        kith_entity_destroy(world, event->target);
    }
}

static void count_hits(kith_world *world, const hit *event, void *context)
{
    (void)world;
    (void)event;
    ++*(uint32_t *)context;
}

static void show_queue(kith_world *world, kith_entity ship, kith_entity rock)
{
    hit_queue hits  = hit_of(world, 0);
    uint32_t  total = 0;
    hit_connect(hits, hurt, &hits, 0);
    kith_listener counter = hit_connect(hits, count_hits, &total, 1); // priority 1: called first

    printf("enqueued: two\n");
    hit_enqueue(hits, (hit){ ship, 4 });
    hit_enqueue(hits, (hit){ rock, 9 });
    printf("triggered: one, at once\n");
    hit_trigger(hits, (hit){ ship, 1 });
    for (uint32_t update = 1; hit_count(hits) != 0; update++) {
        printf("update %u\n", update);
        kith_queue_update_all(world);
    }
    printf("%u hits in all\n", total);
    kith_listener_disconnect(world, counter);
}

// --- reactive sets ---------------------------------------------------------------------------

static void print_members(const kith_world *world, const kith_reactive *set)
{
    uint64_t place = 0;
    for (kith_entity e; (e = kith_reactive_next(set, &place)) != KITH_NULL;) {
        printf(" %s", *name_get(world, e));
    }
    printf("\n");
}

// Collects entities that get or set a position and do not sleep.
static kith_reactive *moved_set(kith_world *world)
{
    const kith_condition conditions[] = { { POSITION, KITH_ON_ADD | KITH_ON_SET } };
    const kith_term      awake[]      = { { SLEEPS, KITH_ROLE_WITHOUT, 0 } };
    return kith_reactive_create(world, &(kith_reactive_desc){ .name              = "moved",
                                                              .conditions        = conditions,
                                                              .condition_count   = 1,
                                                              .filter.terms      = awake,
                                                              .filter.term_count = 1 });
}

static void show_reactive(kith_world *world)
{
    kith_reactive *moved = moved_set(world);
    kith_entity    ant   = create(world, "ant", 1);
    kith_entity    bee   = create(world, "bee", 1);
    kith_entity    cat   = create(world, "cat", 1);
    sleeps_add(world, cat);
    position_set(world, bee, (vec2){ 1, 0 });
    position_set(world, cat, (vec2){ 2, 0 });
    position_set(world, ant, (vec2){ 3, 0 });
    position_set(world, bee, (vec2){ 4, 0 });
    printf("moved:");
    print_members(world, moved);

    kith_reactive_clear(moved);
    position_set(world, ant, (vec2){ 5, 0 });
    printf("since then:");
    print_members(world, moved);
    kith_reactive_destroy(moved);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    show_queue(world, create(world, "ship", 10), create(world, "rock", 3));
    show_reactive(world);
    kith_world_destroy(world);
    return 0;
}
