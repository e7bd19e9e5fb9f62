// SPDX-License-Identifier: MIT
// Threads that the program has itself: no schedule, no workers of kith. Three rounds: threads write
// chunks of one loop, threads read the whole world, and each records its changes. Look at the
// hashes: with 1, 2 and 4 threads the worlds are the same.
#include <kith/kith.h>
#include <kith/random.h>
#include <kith/snapshot.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 20000, TICKS = 5, THREADS_MAX = 4, PIECES_MAX = 64, REACH = 3 };

typedef struct spot {
    int32_t x, dx;
} spot;

enum { SPOT = 1, HUNTER, SCORE };
KITH_FIELDS(spot, i32(x), i32(dx));
KITH_COMPONENT_AS(spot, spot, SPOT, fields(spot));
KITH_COMPONENT_AS(score, uint32_t, SCORE, plain(4));
KITH_TAG(hunter, HUNTER);
KITH_MODULE(hunt, spot, score, hunter);
KITH_QUERY(movers, write(spot));
KITH_QUERY(hunters, read(spot), read(score), with(hunter));
KITH_QUERY(prey, read(spot), without(hunter));

typedef struct piece {
    spot    *values;
    uint32_t count;
} piece;

// What one thread gets, and nothing else. It does each task i with i % threads == number.
typedef struct job {
    const kith_world *world; // to read
    kith_commands    *commands;
    const piece      *pieces;
    uint32_t          piece_count, number, threads;
} job;

typedef struct team {
    kith_world *world;
    job         jobs[THREADS_MAX];
    uint32_t    threads;
} team;

static bool run(team *t, void *(*work)(void *job))
{
    pthread_t hands[THREADS_MAX];
    uint32_t  begun = 0;
    while (begun < t->threads && !pthread_create(&hands[begun], NULL, work, &t->jobs[begun])) {
        begun++;
    }
    const bool all = begun == t->threads;
    while (begun > 0) {
        pthread_join(hands[--begun], NULL);
    }
    return all;
}

// 1. A chunk is a plain array: a thread that writes it knows no world.
static void *move_pieces(void *context)
{
    const job *j = context;
    for (uint32_t p = j->number; p < j->piece_count; p += j->threads) {
        for (uint32_t i = 0; i < j->pieces[p].count; i++) {
            j->pieces[p].values[i].x += j->pieces[p].values[i].dx;
        }
    }
    return NULL;
}

static bool move_all(team *t)
{
    piece    pieces[PIECES_MAX];
    uint32_t count = 0;
    movers   m     = movers_begin(t->world); // the world's thread hands out the chunks
    while (count < PIECES_MAX && movers_next_chunk(&m)) {
        pieces[count++] = (piece){ m.spot, m.count };
    }
    movers_end(&m);
    for (uint32_t i = 0; i < t->threads; i++) {
        t->jobs[i].pieces = pieces, t->jobs[i].piece_count = count;
    }
    return run(t, move_pieces); // nothing else uses the world meanwhile
}

// 2. and 3. All threads walk at once. The world stays as it is: changes are only recorded.
static void *hunt_prey(void *context)
{
    const job *j = context;
    hunters    h = hunters_begin_read(j->world);
    for (uint32_t turn = 0; hunters_next(&h); turn++) {
        prey p = prey_begin_read(j->world);
        while (turn % j->threads == j->number && prey_next(&p)) {
            int32_t far = p.spot->x - h.spot->x;
            if (far > -REACH && far < REACH) {
                kith_entity_destroy_later(j->commands, p.entity);
                score_set_later(j->commands, h.entity, *h.score + 1);
                break;
            }
        }
    }
    return NULL;
}

static bool add_entities(kith_world *world)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        kith_entity entity = kith_entity_create(world);
        uint64_t    dice   = kith_random(11, i, 0, 0);
        spot_set(world, entity,
                 (spot){ (int32_t)kith_random_below(dice, 90000), (int)(i % 9) - 4 });
        if (i % 500 == 0) {
            score_set(world, entity, 0);
            hunter_add(world, entity);
        }
    }
    return spot_count(world) == COUNT;
}

static bool play(uint32_t threads, uint64_t *hash)
{
    team t     = { .world = kith_world_create(NULL), .threads = threads };
    bool right = t.world != NULL && hunt_register(t.world) && add_entities(t.world);
    for (uint32_t i = 0; right && i < threads; i++) {
        t.jobs[i] = (job){ t.world, kith_commands_create(t.world, NULL), NULL, 0, i, threads };
        right     = t.jobs[i].commands != NULL;
    }
    for (int tick = 0; right && tick < TICKS; tick++) {
        right = move_all(&t) && run(&t, hunt_prey);
        for (uint32_t i = 0; right && i < threads; i++) { // two may have caught the same prey
            right = kith_commands_apply(t.jobs[i].commands, t.world);
            kith_commands_clear(t.jobs[i].commands);
        }
        kith_world_advance(t.world);
    }
    right = right && kith_world_hash_content(t.world, NULL, hash);
    printf("threads: %u, entities left: %u, hash %016" PRIx64 "\n", threads,
           kith_entity_count(t.world), *hash);
    return kith_world_destroy(t.world) && right;
}

int main(void)
{
    uint64_t one = 0, two = 0, four = 0;
    bool     right = play(1, &one) && play(2, &two) && play(4, &four);
    return right && one == two && two == four ? 0 : 1;
}
