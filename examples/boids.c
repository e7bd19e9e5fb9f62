// SPDX-License-Identifier: MIT
// Boids on a grid: a flock on 1 to 8 workers, with one result. Each boid keeps its distance from
// the boids near it, flies as they do and stays with them.
//
//     boids                   10,000 boids for 10 frames
//     boids 100000 [FRAMES]   the same with 100,000 boids, and how long the fastest frame takes
//
// All arithmetic is on integers, so the hashes are the same on every machine, too. Look at the
// hash: it is one for every number of workers.
#include <kith/random.h>
#include <kith/snapshot.h>
#include <kith/workers.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct vec2 {
    int32_t x, y;
} vec2;

KITH_FIELDS(vec2, i32(x), i32(y));

enum { POSITION = 1, VELOCITY, LONELY };

KITH_COMPONENT_AS(position, vec2, POSITION, fields(vec2));
KITH_COMPONENT_AS(velocity, vec2, VELOCITY, fields(vec2));
KITH_TAG(lonely, LONELY); // sees no other boid
KITH_MODULE(flock, position, velocity, lonely);

KITH_QUERY(boids, read(position), read(velocity));
KITH_QUERY(steered, read(position), write(velocity));
KITH_QUERY(moved, write(position), read(velocity));
KITH_QUERY(measured, read(velocity));

enum { WORKERS_MOST = 8, BOIDS = 10000, BOIDS_MOST = 4000000, FRAMES = 10, TIMED_FRAMES = 30 };
enum { CELL_BITS = 12, SIGHT = 1 << CELL_BITS, NEAR = SIGHT / 4, SLOWEST = 32, FASTEST = 128 };

// A copy of all boids, sorted by the cell of the grid that they are in. Systems in parts read it,
// and none of them writes it. The world is a torus: it has no border.
typedef struct boid {
    vec2 position;
    vec2 velocity;
} boid;

typedef struct grid {
    uint32_t  bits;   // 1 << bits cells in a row, and as many rows
    uint32_t *starts; // the first boid of each cell; two more at the end
    boid     *boids;
    uint64_t  energy; // of all boids in this frame
} grid;

static uint32_t cells_of(const grid *g)
{
    return 1u << (2 * g->bits);
}

static uint32_t cell_at(const grid *g, uint32_t column, uint32_t row)
{
    uint32_t mask = (1u << g->bits) - 1;
    return (row & mask) << g->bits | (column & mask);
}

static uint32_t cell_of(const grid *g, vec2 place)
{
    return cell_at(g, (uint32_t)place.x >> CELL_BITS, (uint32_t)place.y >> CELL_BITS);
}

// --- systems ---------------------------------------------------------------------------------

// Runs alone, on the thread of the schedule: sorts all boids by cell, by counting. Within a cell
// they keep the order of the loop.
static void sort(const kith_turn *turn)
{
    grid *g = turn->context;
    memset(g->starts, 0, (cells_of(g) + 2) * sizeof *g->starts);
    boids b = boids_begin_stored(turn->query);
    while (boids_next_chunk(&b)) {
        for (uint32_t i = 0; i < b.count; i++) {
            g->starts[cell_of(g, b.position[i]) + 2]++;
        }
    }
    for (uint32_t cell = 0; cell < cells_of(g); cell++) {
        g->starts[cell + 2] += g->starts[cell + 1];
    }
    b = boids_begin_stored(turn->query); // starts[cell + 1] is where the next boid of the cell goes
    while (boids_next_chunk(&b)) {
        for (uint32_t i = 0; i < b.count; i++) {
            g->boids[g->starts[cell_of(g, b.position[i]) + 1]++] =
                (boid){ b.position[i], b.velocity[i] };
        }
    }
}

typedef struct sight { // what a boid sees
    int32_t count;
    vec2    away;     // from those that are near
    vec2    centre;   // the sum of distances
    vec2    velocity; // the sum
} sight;

// The way from one place to another on the torus.
static int32_t way(const grid *g, int32_t from, int32_t to)
{
    uint32_t shift = 32 - CELL_BITS - g->bits;
    return (int32_t)(((uint32_t)to - (uint32_t)from) << shift) / (1 << shift);
}

static void look(const grid *g, vec2 place, const boid *other, sight *s)
{
    int32_t x        = way(g, place.x, other->position.x);
    int32_t y        = way(g, place.y, other->position.y);
    int32_t distance = x * x + y * y; // to the power of 2
    if (distance >= SIGHT * SIGHT) {
        return;
    }
    if (distance < NEAR * NEAR) {
        s->away.x -= x;
        s->away.y -= y;
    }
    s->count++;
    s->centre.x += x;
    s->centre.y += y;
    s->velocity.x += other->velocity.x;
    s->velocity.y += other->velocity.y;
}

static sight look_around(const grid *g, vec2 place)
{
    sight    s      = { 0 };
    uint32_t column = (uint32_t)place.x >> CELL_BITS;
    uint32_t row    = (uint32_t)place.y >> CELL_BITS;
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t cell = cell_at(g, column + i % 3 - 1, row + i / 3 - 1);
        for (uint32_t at = g->starts[cell]; at < g->starts[cell + 1]; at++) {
            look(g, place, &g->boids[at], &s);
        }
    }
    return s;
}

static vec2 limit_speed(vec2 v)
{
    while (v.x * v.x + v.y * v.y > FASTEST * FASTEST) {
        v = (vec2){ v.x - v.x / 8, v.y - v.y / 8 };
    }
    while (v.x * v.x + v.y * v.y < SLOWEST * SLOWEST) {
        v = (vec2){ v.x + v.x / 8 + (v.x < 0 ? -1 : 1), v.y + v.y / 8 };
    }
    return v;
}

static vec2 steer_by(const sight *s, vec2 v)
{
    if (s->count > 1) { // it sees itself, too
        v.x += s->away.x / 32 + s->centre.x / s->count / 64 + (s->velocity.x / s->count - v.x) / 8;
        v.y += s->away.y / 32 + s->centre.y / s->count / 64 + (s->velocity.y / s->count - v.y) / 8;
    }
    return limit_speed(v);
}

// Called for each chunk, on any thread. Neighbours may be in other chunks, so their values come
// from the grid: the loop writes velocities, and hands out its own chunk only.
static void steer(const kith_part *part)
{
    const grid       *g     = part->turn->context;
    const kith_world *world = part->turn->world;
    steered           s     = steered_begin_part(part);
    while (steered_next_chunk(&s)) {
        for (uint32_t i = 0; i < s.count; i++) {
            sight       seen   = look_around(g, s.position[i]);
            kith_entity entity = steered_entity(&s, i);
            bool        lonely = seen.count <= 1;
            s.velocity[i]      = steer_by(&seen, s.velocity[i]);
            if (lonely && !lonely_has(world, entity)) {
                lonely_add_later(part->commands, entity); // applied when the stage ends
            } else if (!lonely && lonely_has(world, entity)) {
                lonely_remove_later(part->commands, entity);
            }
        }
    }
}

// `move` and `measure` share a stage: neither writes what the other accesses.
static void move(const kith_part *part)
{
    const grid *g    = part->turn->context;
    uint32_t    mask = (1u << (g->bits + CELL_BITS)) - 1;
    moved       m    = moved_begin_part(part);
    while (moved_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.position[i].x = (int32_t)((uint32_t)(m.position[i].x + m.velocity[i].x) & mask);
            m.position[i].y = (int32_t)((uint32_t)(m.position[i].y + m.velocity[i].y) & mask);
        }
    }
}

// Each chunk has a sum of its own.
static void measure(const kith_part *part)
{
    uint64_t *energy = part->sum;
    measured  m      = measured_begin_part(part);
    while (measured_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            vec2 v = m.velocity[i];
            *energy += (uint64_t)(v.x * v.x + v.y * v.y);
        }
    }
}

// Called for each sum, in the order of the chunks.
static void combine(const kith_turn *turn, const void *sum, void *context)
{
    (void)turn;
    ((grid *)context)->energy += *(const uint64_t *)sum;
}

static bool create_systems(kith_world *world, grid *g)
{
    const kith_component   tag[]      = { LONELY };
    const char            *sorting[]  = { "sort" };
    const char            *steering[] = { "steer" };
    const kith_system_desc systems[]  = {
         { .name = "sort", .run = sort, .context = g, .query = boids_desc() },
         { .name        = "steer",
           .part        = steer,
           .context     = g,
           .query       = steered_desc(),
           .writes      = tag,
           .write_count = 1,
           .after       = sorting,
           .after_count = 1 },
         { .name        = "move",
           .part        = move,
           .context     = g,
           .query       = moved_desc(),
           .after       = steering,
           .after_count = 1 },
         { .name        = "measure",
           .part        = measure,
           .context     = g,
           .query       = measured_desc(),
           .sum_size    = sizeof(uint64_t),
           .combine     = combine,
           .after       = steering,
           .after_count = 1 },
    };
    bool created = true;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        created = created && kith_system_create(world, &systems[i]) != NULL;
    }
    return created;
}

// --- a flock ---------------------------------------------------------------------------------

static int32_t random_below(kith_entity entity, uint32_t n, uint32_t end)
{
    return (int32_t)kith_random_below(kith_random(1, entity, 0, n), end);
}

static bool create_boids(kith_world *world, const grid *g, uint32_t count)
{
    uint32_t side = 1u << (g->bits + CELL_BITS);
    bool     made = true;
    for (uint32_t i = 0; i < count && made; i++) {
        kith_entity entity = kith_entity_create(world);
        int32_t     x      = random_below(entity, 0, side);
        int32_t     y      = random_below(entity, 1, side);
        int32_t     vx     = random_below(entity, 2, 2 * FASTEST) - FASTEST;
        int32_t     vy     = random_below(entity, 3, 2 * FASTEST) - FASTEST;
        made               = position_set(world, entity, (vec2){ x, y }) != NULL &&
               velocity_set(world, entity, (vec2){ vx, vy }) != NULL;
    }
    return made;
}

static bool create_grid(grid *g, uint32_t count)
{
    *g = (grid){ .bits = 2 };
    while (cells_of(g) < count / 4) { // at most 4 boids in a cell, on average
        g->bits++;
    }
    g->starts = calloc((size_t)cells_of(g) + 2, sizeof *g->starts);
    g->boids  = calloc(count, sizeof *g->boids);
    return g->starts != NULL && g->boids != NULL;
}

static void free_grid(grid *g)
{
    free(g->starts);
    free(g->boids);
}

typedef struct result {
    uint64_t hash; // of all frames
    uint64_t energy;
    uint32_t lonely;
    uint64_t time; // nanoseconds of the fastest frame
} result;

// Systems of one stage have the same time, so `measure` does not count: it is in the stage of
// `move`.
static uint64_t time_of_frame(const kith_world *world)
{
    const char *names[] = { "sort", "steer", "move" };
    uint64_t    time    = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        time += kith_system_report_of(kith_system_find(world, names[i])).last;
    }
    return time;
}

static bool run_frames(kith_world *world, grid *g, uint32_t frames, result *r)
{
    bool done = true;
    r->time   = UINT64_MAX;
    for (uint32_t i = 0; i < frames && done; i++) {
        uint64_t hash = 0;
        g->energy     = 0;
        done          = kith_schedule_run(world, 1) && kith_world_hash(world, KITH_ALL, &hash);
        r->hash       = (r->hash ^ hash) * UINT64_C(0x100000001b3);
        uint64_t time = time_of_frame(world);
        r->time       = time < r->time ? time : r->time;
    }
    r->energy = g->energy;
    r->lonely = lonely_count(world);
    return done;
}

// worker_count == 0: without workers.
static bool run_flock(uint32_t count, uint32_t frames, uint32_t worker_count, result *r)
{
    const kith_workers_desc desc    = { .count = worker_count, .eager = true };
    kith_workers           *workers = worker_count == 0 ? NULL : kith_workers_create(&desc);
    kith_world             *world   = kith_world_create(NULL);
    grid                    g       = { 0 };
    *r                              = (result){ 0 };
    bool done = (worker_count == 0 || workers != NULL) && world != NULL && create_grid(&g, count) &&
                flock_register(world) && create_systems(world, &g) &&
                create_boids(world, &g, count) && kith_world_use_workers(world, workers) &&
                run_frames(world, &g, frames, r);
    kith_world_destroy(world); // ends the use of the workers
    kith_workers_destroy(workers);
    free_grid(&g);
    return done;
}

static bool show_stages(void)
{
    char        text[1024];
    grid        g     = { 0 };
    kith_world *world = kith_world_create(NULL);
    bool        made  = world != NULL && flock_register(world) && create_systems(world, &g);
    if (made) {
        kith_schedule_explain(world, text, sizeof text);
        printf("%s", text);
    }
    kith_world_destroy(world);
    return made;
}

int main(int argc, char **argv)
{
    bool     timed  = argc > 1; // what the clock says is not the same twice
    uint32_t count  = timed ? (uint32_t)strtoul(argv[1], NULL, 10) : BOIDS;
    uint32_t frames = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10)
                      : timed  ? TIMED_FRAMES
                               : FRAMES;
    result   alone;
    if (count == 0 || count > BOIDS_MOST || frames == 0 || !show_stages() ||
        !run_flock(count, frames, 0, &alone)) {
        return 1;
    }
    printf("%u boids, %u frames without workers: hash %016llx\n", count, frames,
           (unsigned long long)alone.hash);
    printf("  %u are lonely, the energy is %llu\n", alone.lonely, (unsigned long long)alone.energy);
    bool same = true;
    for (uint32_t i = 1; i <= WORKERS_MOST; i++) {
        result r;
        if (!run_flock(count, frames, i, &r)) {
            return 1;
        }
        same = same && r.hash == alone.hash && r.energy == alone.energy;
        printf("%u %-8s hash %016llx", i,
               i == 1 ? "worker:" : "workers:", (unsigned long long)r.hash);
        if (timed) {
            printf(", fastest frame %6.2f ms, %.2f x", (double)r.time / 1e6,
                   (double)alone.time / (double)r.time);
        }
        printf("\n");
    }
    printf("%s\n", same ? "One result for every number of workers." : "The results differ.");
    return same ? 0 : 1;
}
