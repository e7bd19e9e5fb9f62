// SPDX-License-Identifier: MIT
// One result on every machine and every number of workers: a world whose systems run in parts has
// these hashes after 200 ticks and after 10,000. A KITH_THIN above 1 makes it stop after 200.
#include "kith/snapshot.h"
#include "kith/workers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPOT = 1, DRIFT, AGE, PARENT, ENTITIES = 4500, CHECKED = 200, TICKS = 10000 };

#define HASH_EARLY UINT64_C(0xb32f45e7d70c00b4)
#define HASH_LATE  UINT64_C(0xc2a0149876ef7562)

typedef struct spot {
    int32_t x, y;
} spot;

typedef struct parent {
    kith_entity entity;
} parent;

KITH_FIELDS(parent, entity(entity));
KITH_COMPONENT_AS(spot, spot, SPOT, plain(4));
KITH_COMPONENT_AS(drift, spot, DRIFT, plain(4));
KITH_COMPONENT_AS(age, uint32_t, AGE, plain(4));
KITH_COMPONENT_AS(parent, parent, PARENT, fields(parent));
KITH_MODULE(scene, spot, drift, age, parent);

KITH_QUERY(moved, write(spot), read(drift));
KITH_QUERY(aged, write(age), optional(parent));
KITH_QUERY(turned, write(drift), read(spot), changed(spot));

static void move(const kith_part *part)
{
    moved m = moved_begin_part(part);
    while (moved_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.spot[i].x = (int32_t)((uint32_t)m.spot[i].x + (uint32_t)m.drift[i].x);
            m.spot[i].y = (int32_t)((uint32_t)m.spot[i].y + (uint32_t)m.drift[i].y);
        }
    }
}

static void grow(const kith_part *part)
{
    for (aged a = aged_begin_part(part); aged_next(&a);) {
        *a.age = *a.age * 1664525u + 1013904223u;
        if (*a.age >> 22 == 7) {
            kith_entity young = kith_entity_create_later(part->commands);
            spot_set_later(part->commands, young, (spot){ (int32_t)(*a.age & 0xffff), 1 });
            drift_set_later(part->commands, young, (spot){ (int32_t)(*a.age & 7), -1 });
            age_set_later(part->commands, young, *a.age ^ 0x5555u);
            parent_set_later(part->commands, young, (parent){ a.entity });
        } else if (*a.age >> 22 == 8) {
            kith_entity_destroy_later(part->commands, a.entity);
        } else if (a.parent != NULL && *a.age >> 22 == 9) {
            parent_remove_later(part->commands, a.entity);
        }
    }
}

static void turn(const kith_part *part)
{
    for (turned t = turned_begin_part(part); turned_next(&t);) {
        t.drift->x = t.spot->x > 1000 ? -3 : t.spot->x < -1000 ? 3 : t.drift->x;
        *(uint64_t *)part->sum += (uint32_t)t.spot->x;
    }
}

static void add(const kith_turn *turn, const void *sum, void *context)
{
    (void)turn;
    *(uint64_t *)context = *(uint64_t *)context * 31 + *(const uint64_t *)sum;
}

static kith_world *make_scene(uint64_t *digest)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !scene_register(world)) {
        return NULL;
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        kith_entity entity = kith_entity_create(world);
        spot_set(world, entity, (spot){ (int32_t)i, 0 });
        if (i % 3 != 0) {
            drift_set(world, entity, (spot){ (int32_t)(i % 7) - 3, 1 });
        }
        age_set(world, entity, i * 2654435761u);
    }
    const kith_system_desc systems[] = {
        { .name = "move", .part = move, .query = moved_desc() },
        { .name = "grow", .part = grow, .query = aged_desc() },
        { .name     = "turn",
          .part     = turn,
          .query    = turned_desc(),
          .sum_size = sizeof(uint64_t),
          .combine  = add,
          .context  = digest },
    };
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        if (kith_system_create(world, &systems[i]) == NULL) {
            return NULL;
        }
    }
    return world;
}

// Prints what is wrong; returns whether nothing is.
static bool compare(const kith_world *world, uint64_t digest, uint64_t expected, unsigned workers)
{
    uint64_t hash = 0;
    bool     same = kith_world_hash_exact(world, &hash) && (hash ^ digest) == expected;
    if (!same) {
        printf("%u workers: 0x%016" PRIx64 ", expected 0x%016" PRIx64 "\n", workers, hash ^ digest,
               expected);
    }
    return same;
}

static bool run(unsigned count, unsigned ticks)
{
    uint64_t                digest  = 0;
    const kith_workers_desc desc    = { .count = count, .eager = true };
    kith_world             *world   = make_scene(&digest);
    kith_workers           *workers = count == 0 ? NULL : kith_workers_create(&desc);
    bool                    right   = world != NULL && kith_world_use_workers(world, workers);
    for (unsigned i = 1; i <= ticks && right; i++) {
        right = kith_schedule_run(world, 1);
        if (i == CHECKED) {
            right = compare(world, digest, HASH_EARLY, count) && right;
        }
    }
    if (ticks == TICKS) {
        right = compare(world, digest, HASH_LATE, count) && right;
    }
    kith_world_destroy(world);
    return kith_workers_destroy(workers) && right;
}

int main(void)
{
    static const unsigned counts[] = { 0, 1, 2, 3, 5, 8, 16, 32 };
    const char           *thin     = getenv("KITH_THIN");
    bool                  thinned  = thin != NULL && strtoul(thin, NULL, 10) > 1;
    bool                  right    = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        right = run(counts[i], thinned ? CHECKED : TICKS) && right;
    }
    return right ? 0 : 1;
}
