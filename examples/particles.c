// SPDX-License-Identifier: MIT
// A particle system: thousands of entities in one call, moved as plain arrays, gone by their
// lifetimes. Look at "slots": after the third burst, sparks that expire make room for all others.
// All memory is reserved ahead; no tick allocates.
#include <kith/kith.h>
#include <kith/random.h>

#include <inttypes.h>
#include <stdio.h>

enum { BURST = 2000, FLAKES = 5000 };

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, VELOCITY, SPARK, FLAKE };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(velocity, vec2, VELOCITY);
KITH_COMPONENT(spark, kith_lifetime, SPARK);
KITH_TAG(flake, FLAKE);
KITH_MODULE(particles, position, velocity, spark, flake);
KITH_QUERY(moving, write(position), read(velocity));
KITH_QUERY(sparks, write(velocity), with(spark));

// The values of a burst. They are copied, so one array serves all bursts.
typedef struct burst {
    kith_entity   entities[BURST];
    vec2          velocities[BURST];
    kith_lifetime lives[BURST];
} burst;

static bool emit(kith_world *world, burst *b)
{
    uint64_t now = kith_world_now(world);
    for (uint32_t i = 0; i < BURST; i++) {
        uint64_t dice      = kith_random(3, i, now, 0);
        b->velocities[i].x = kith_random_between(dice, -1, 1);
        b->velocities[i].y = kith_random_between(kith_random(3, i, now, 1), 1, 4);
        b->lives[i]        = (kith_lifetime){ now + 1 + kith_random_below(dice, 3) };
    }
    const vec2        source = { 50, 0 };
    const kith_values sets[] = {
        position_all(&source),        // one value for all
        velocity_each(b->velocities), // one for each
        spark_each(b->lives),
    };
    return kith_entity_create_many(world, b->entities, BURST, sets, 3);
}

// A chunk is plain arrays: this loop is as fast as one without entities.
static uint32_t move(kith_world *world)
{
    uint32_t chunks = 0;
    moving   m      = moving_begin(world);
    for (; moving_next_chunk(&m); chunks++) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.position[i].x += m.velocity[i].x;
            m.position[i].y += m.velocity[i].y;
        }
    }
    return chunks;
}

static void fall(kith_world *world)
{
    KITH_EACH(sparks, s, world)
    {
        s.velocity->y -= 1;
    }
}

// Snow that stays: a range is two numbers, however many entities it has.
static kith_entities let_it_snow(kith_world *world)
{
    kith_entities snow = kith_entity_create_range(world, FLAKES);
    flake_add_range(world, snow);
    position_fill_range(world, snow, (vec2){ 0, 100 });
    velocity_fill_range(world, snow, (vec2){ 0, -1 });
    return snow;
}

static void melt_half(kith_world *world, kith_entities snow)
{
    const kith_entities half = { NULL, snow.first, snow.count / 2, 0 };
    kith_entity_destroy_many(world, half);
}

int main(void)
{
    static burst b;
    // At most two bursts and the snow live at the same time.
    const kith_reserve_desc room = {
        .entities = FLAKES + 2 * BURST, .loops = 1, .terms = 2, .batch = FLAKES
    };

    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !particles_register(world) || !kith_world_reserve(world, &room)) {
        return 1;
    }
    kith_entities snow  = let_it_snow(world);
    bool          right = snow.count == FLAKES;
    size_t        bytes = kith_world_memory(world, KITH_ALL).total;
    printf("tick  created  expired    alive  flakes   slots    rows  chunks\n");
    for (int i = 0; i < 8; i++) {
        uint64_t now     = kith_world_advance(world);
        uint32_t expired = kith_world_expire(world, SPARK, now);
        right            = right && emit(world, &b);
        fall(world);
        uint32_t chunks = move(world);
        if (i == 4) {
            melt_half(world, snow);
        }
        printf("%4" PRIu64 " %8d %8u %8u %7u %7u %7u %7u\n", now, BURST, expired,
               kith_entity_count(world), kith_entities_alive(world, snow),
               kith_world_stats(world).slots, position_stats(world).rows, chunks);
        right = right && kith_entity_count(world) == spark_count(world) + flake_count(world);
    }
    right = right && kith_world_memory(world, KITH_ALL).total == bytes;
    printf("memory: %s\n", right ? "as reserved" : "more than reserved");

    // The flakes are where eight steps took them; the other half of the range is dead.
    const vec2 *flake = position_get(world, kith_entities_at(snow, FLAKES - 1));
    right = right && flake != NULL && flake->y == 92 && kith_entities_alive(world, snow) == 2500 &&
            position_get(world, kith_entities_at(snow, 0)) == NULL;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
