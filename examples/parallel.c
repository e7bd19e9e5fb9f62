// SPDX-License-Identifier: MIT
// One loop on all cores, without systems and without a schedule: rain falls on a landscape. Look at
// the sums: they are of floating-point numbers, and still equal for every number of workers.
#include <kith/kith.h>
#include <kith/random.h>
#include <kith/snapshot.h>
#include <kith/workers.h>

#include <inttypes.h>
#include <stdio.h>

enum { FIELDS = 50000, STORMS = 6 };

enum { HEIGHT = 1, WATER, FLOODED };

KITH_COMPONENT_AS(height, float, HEIGHT, plain(4));
KITH_COMPONENT_AS(water, float, WATER, plain(4));
KITH_TAG(flooded, FLOODED);
KITH_MODULE(land, height, water, flooded);
KITH_QUERY(fields, read(height), write(water));

typedef struct storm {
    uint64_t number;
    double   total;    // of all water
    uint32_t chunks;   // that were summed
    uint32_t too_much; // fields that were flooded in this storm
} storm;

// The sum of one chunk; no other chunk uses it.
typedef struct part_sum {
    double   water;
    uint32_t too_much;
} part_sum;

// Called for each chunk of 4,096 fields, on any thread. It writes the values of its own chunk, and
// records what changes entities and components.
static void rain(const kith_part *part)
{
    const storm *s   = part->turn->context;
    part_sum    *sum = part->sum;
    fields       f   = fields_begin_part(part);
    while (fields_next_chunk(&f)) {
        for (uint32_t i = 0; i < f.count; i++) {
            kith_entity field = fields_entity(&f, i);
            float       drops = kith_random_float(kith_random(1, field, s->number, 0));
            float       lost  = f.water[i] * f.height[i] * 0.001f; // high fields lose more
            f.water[i] += drops - lost;
            sum->water += (double)f.water[i];
            if (f.water[i] > 2 && !flooded_has(part->turn->world, field)) {
                flooded_add_later(part->commands, field); // added when all chunks have run
                sum->too_much++;
            }
        }
    }
}

// Called for each chunk in their order, when all have run: so the sum does not depend on threads.
static void add_up(const kith_turn *turn, const void *sum, void *context)
{
    const part_sum *from = sum;
    storm          *s    = context;
    (void)turn;
    s->total += from->water;
    s->too_much += from->too_much;
    s->chunks++;
}

static bool create_fields(kith_world *world)
{
    kith_entities all = kith_entity_create_range(world, FIELDS);
    bool          set = water_fill_range(world, all, 0);
    for (uint32_t i = 0; set && i < all.count; i++) {
        kith_entity field = kith_entities_at(all, i);
        set = height_set(world, field, kith_random_between(kith_random(2, field, 0, 0), 0, 500));
    }
    return set && all.count == FIELDS;
}

// worker_count == 0: without workers, on this thread alone.
static bool run(uint32_t worker_count, bool print, double *total, uint64_t *hash)
{
    // `eager`: all workers, also where the work is so little that it does not pay
    const kith_workers_desc desc    = { .count = worker_count, .eager = true };
    kith_workers           *workers = worker_count == 0 ? NULL : kith_workers_create(&desc);
    kith_world             *world   = kith_world_create(NULL);
    bool                    right   = world != NULL && (workers == NULL) == (worker_count == 0) &&
                 land_register(world) && create_fields(world) &&
                 kith_world_use_workers(world, workers);
    kith_query *query = right ? kith_query_create(world, fields_desc()) : NULL;
    for (uint64_t i = 1; right && i <= STORMS; i++) {
        storm                    s    = { .number = i };
        const kith_parallel_desc loop = {
            .part = rain, .context = &s, .sum_size = sizeof(part_sum), .combine = add_up
        };
        right  = kith_query_parallel(query, &loop);
        *total = s.total;
        if (print) {
            printf("storm %" PRIu64 ": %u chunks, %.0f of water, %u more fields are flooded\n", i,
                   s.chunks, s.total, s.too_much);
        }
        kith_world_advance(world);
    }
    right = right && kith_query_destroy(query) && kith_world_hash(world, KITH_ALL, hash) &&
            flooded_count(world) > 0;
    uint32_t used = workers == NULL ? 1 : kith_workers_count(workers);
    kith_world_destroy(world);     // ends the use of the workers
    kith_workers_destroy(workers); // several worlds may share them
    return right && used >= 1 && used <= (worker_count == 0 ? 1 : worker_count);
}

int main(void)
{
    double   alone = 0;
    uint64_t hash  = 0;
    bool     right = run(0, true, &alone, &hash);
    for (uint32_t workers = 1; workers <= 4; workers++) {
        double   total  = 0;
        uint64_t theirs = 0;
        right           = run(workers, false, &total, &theirs) && right;
        bool same       = !(total < alone) && !(total > alone) && theirs == hash;
        printf("%u worker%s the %s world and sum\n", workers,
               workers == 1 ? ": " : "s:", same ? "same" : "wrong");
        right = right && same;
    }
    return right ? 0 : 1;
}
