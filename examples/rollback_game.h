// SPDX-License-Identifier: MIT
// A game for two players, and a peer that plays it with rollback: for rollback.c, rollback_udp.c.
//
// Each peer has a world of its own. It knows the inputs of its player at once, and those of the
// other player late. It predicts that the other player goes on as before, and simulates. When an
// input arrives that differs from the prediction, the peer restores the frame of this input, and
// simulates from there again.
//
//     frame       1     2     3     4     5     6       the world stands on frame 6
//     own         a1    a2    a3    a4    a5            an input leads to the next frame
//     the other   b1    b2    b2?   b2?   b2?           known: up to 2; the others are predicted
//                             |
//                             confirmed: no input that leads to frame 3 can change any more
#ifndef ROLLBACK_GAME_H
#define ROLLBACK_GAME_H

#include <kith/frames.h>
#include <kith/kith.h>
#include <kith/random.h>

#include <inttypes.h>
#include <stdio.h>

enum { PLAYERS = 2, FRAMES = 600 };

// --- the game --------------------------------------------------------------------------------
//
// Two ships move up and down at the left and right edge, and shoot. All numbers are integers, so
// each machine computes the same.

enum { WIDTH = 240, HEIGHT = 100, REACH = 9, SPEED = 3, SHOT_SPEED = 7, RELOAD = 6 };
enum { SHOT_LIFE = 90, SPARK_LIFE = 12, SPARKS = 3 };
enum { UP = 1, DOWN = 2, FIRE = 4 }; // bits of an input

typedef struct vector {
    int32_t x, y;
} vector;

typedef struct pilot {
    uint32_t player;
    int32_t  reload; // frames until the ship can shoot again
} pilot;

typedef struct score {
    uint32_t shots[PLAYERS];
    uint32_t hits[PLAYERS];
} score;

// Hashes need the form of the values; frames do not.
KITH_FIELDS(vector, i32(x), i32(y));
KITH_FIELDS(pilot, u32(player), i32(reload));
KITH_FIELDS(score, u32(shots), u32(hits));

enum { PLACE = 1, MOTION, PILOT, SHOT, LIFE, SCORE };

KITH_COMPONENT_AS(place, vector, PLACE, fields(vector));
KITH_COMPONENT_AS(motion, vector, MOTION, fields(vector));
KITH_COMPONENT_AS(pilot, pilot, PILOT, fields(pilot));
KITH_COMPONENT_AS(shot, uint32_t, SHOT, plain(4)); // the player that shot it
KITH_COMPONENT_AS(life, int32_t, LIFE, plain(4));  // frames that are left to a shot or spark
KITH_SINGLETON_AS(score, score, SCORE, fields(score));
KITH_MODULE(game, place, motion, pilot, shot, life, score);

KITH_QUERY(ships, write(pilot), write(motion), read(place));
KITH_QUERY(hulls, read(pilot), read(place));
KITH_QUERY(shots, read(shot), read(place));
KITH_QUERY(movers, write(place), write(motion));
KITH_QUERY(mortals, write(life));

static inline bool game_open(kith_world *world)
{
    if (world == NULL || !game_register(world) || score_add(world) == NULL) {
        return false;
    }
    for (uint32_t player = 0; player < PLAYERS; player++) {
        kith_entity ship = kith_entity_create(world);
        place_set(world, ship, (vector){ player == 0 ? 0 : WIDTH, HEIGHT / 2 });
        motion_set(world, ship, (vector){ 0, 0 });
        pilot_set(world, ship, (pilot){ player, 0 });
    }
    return true;
}

static inline void game_shoot(kith_world *world, uint32_t player, vector from, vector motion)
{
    kith_entity shot = kith_entity_create(world);
    place_set(world, shot, from);
    motion_set(world, shot, (vector){ player == 0 ? SHOT_SPEED : -SHOT_SPEED, motion.y });
    shot_set(world, shot, player);
    life_set(world, shot, SHOT_LIFE);
    score_mut(world)->shots[player]++;
}

static inline void game_steer(kith_world *world, const uint8_t inputs[PLAYERS])
{
    KITH_EACH(ships, ship, world)
    {
        uint8_t input  = inputs[ship.pilot->player];
        int32_t up     = (input & UP) != 0 && ship.place->y > SPEED ? -SPEED : 0;
        int32_t down   = (input & DOWN) != 0 && ship.place->y < HEIGHT - SPEED ? SPEED : 0;
        ship.motion->y = up + down;
        ship.pilot->reload -= ship.pilot->reload > 0;
        if ((input & FIRE) != 0 && ship.pilot->reload == 0) {
            ship.pilot->reload = RELOAD;
            game_shoot(world, ship.pilot->player, *ship.place, *ship.motion);
        }
    }
}

// Shots and sparks bounce off the upper and lower edge.
static inline void game_move(kith_world *world)
{
    movers m = movers_begin(world);
    while (movers_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.place[i].x += m.motion[i].x;
            m.place[i].y += m.motion[i].y;
            if (m.place[i].y < 0 || m.place[i].y > HEIGHT) {
                m.motion[i].y = -m.motion[i].y;
            }
        }
    }
}

static inline void game_explode(kith_world *world, vector at)
{
    for (int32_t i = 0; i < SPARKS; i++) {
        kith_entity spark = kith_entity_create(world);
        place_set(world, spark, at);
        motion_set(world, spark, (vector){ i - 1, 1 - i });
        life_set(world, spark, SPARK_LIFE + i);
    }
}

static inline bool game_is_near(const vector *a, const vector *b)
{
    int32_t x = a->x - b->x;
    int32_t y = a->y - b->y;
    return x > -SHOT_SPEED && x < SHOT_SPEED && y > -REACH && y < REACH;
}

static inline void game_hit(kith_world *world)
{
    KITH_EACH(shots, s, world)
    {
        KITH_EACH(hulls, ship, world)
        {
            if (ship.pilot->player != *s.shot && game_is_near(s.place, ship.place)) {
                score_mut(world)->hits[*s.shot]++;
                game_explode(world, *s.place);
                kith_entity_destroy(world, s.entity);
            }
        }
    }
}

static inline void game_age(kith_world *world)
{
    KITH_EACH(mortals, m, world)
    {
        if (--*m.life == 0) {
            kith_entity_destroy(world, m.entity);
        }
    }
}

// Everything that a step reads is in the world or in the inputs, so a step can be repeated.
static inline void game_step(kith_world *world, const uint8_t inputs[PLAYERS])
{
    game_steer(world, inputs);
    game_move(world);
    game_hit(world);
    game_age(world);
}

static inline void game_print(kith_world *world)
{
    const score *result = score_get(world);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        printf("player %" PRIu32 ": %" PRIu32 " of %" PRIu32 " shots hit\n", i, result->hits[i],
               result->shots[i]);
    }
}

// --- the players -----------------------------------------------------------------------------

// Returns what the player does in a frame. It keeps a direction for 11 frames, so the prediction is
// often right and sometimes wrong.
static inline uint8_t player_input(uint32_t player, uint32_t frame)
{
    const uint8_t directions[] = { 0, UP, DOWN };
    uint64_t      leg          = kith_random(1, player, frame / 11, 0);
    uint64_t      burst        = kith_random(1, player, frame / 17, 1);
    bool          fires        = kith_random_below(burst, 2) == 0;
    return (uint8_t)(directions[kith_random_below(leg, 3)] | (fires ? FIRE : 0));
}

// --- the peer --------------------------------------------------------------------------------

// A peer waits when WINDOW inputs are predicted. So no peer has more than 2 * WINDOW inputs that
// the other does not know. A packet has as many inputs, and makes up for all lost packets.
enum { WINDOW = 8, RESENT = 2 * WINDOW };

typedef struct packet {
    uint32_t newest;         // the frame of the last input
    uint32_t known;          // the sender knows the receiver's inputs up to this frame
    uint8_t  inputs[RESENT]; // of the frames newest - RESENT + 1 .. newest; 0 before frame 1
} packet;

typedef struct peer {
    kith_world  *world;
    kith_frames *frames;
    uint32_t     self;                        // the player here
    uint32_t     now;                         // the frame that the world stands on
    uint32_t     known[PLAYERS];              // the inputs up to this frame are known
    uint8_t      inputs[PLAYERS][FRAMES + 1]; // by frame, from 1; known, or predicted
    uint32_t     wrong;                       // the first frame with a wrong prediction; 0: none
    uint32_t     confirmed;                   // frames up to this one are final
    uint64_t     hashes[FRAMES + 1];          // of confirmed frames
    uint32_t     acknowledged;                // the other knows the inputs from here up to this
    uint32_t     restores, repeated, deepest; // how often it went back, and how many frames
    uint32_t     waits;                       // turns without a new frame
} peer;

// The restored frame is at most WINDOW behind, so the ring needs one frame more.
static inline bool peer_open(peer *p, uint32_t self)
{
    const kith_frames_desc ring = { .name = "rollback", .capacity = WINDOW + 1, .hashes = true };
    *p                          = (peer){ .self = self, .world = kith_world_create(NULL) };
    if (!game_open(p->world)) {
        return false;
    }
    p->frames = kith_frames_create(p->world, &ring);
    if (p->frames == NULL) {
        return false;
    }
    p->now = (uint32_t)kith_frames_save(p->frames);
    return p->now == 1;
}

static inline void peer_close(peer *p)
{
    kith_world_destroy(p->world); // and the ring
}

static inline bool peer_is_done(const peer *p)
{
    return p->confirmed == FRAMES;
}

// Returns the frame that has all inputs before it.
static inline uint32_t peer_final_frame(const peer *p)
{
    uint32_t final = p->known[1 - p->self] + 1;
    return final < p->now ? final : p->now;
}

static inline void peer_learn(peer *p, uint32_t player, uint32_t frame, uint8_t input)
{
    if (frame < p->now && input != p->inputs[player][frame] && p->wrong == 0) {
        p->wrong = frame;
    }
    p->inputs[player][frame] = input;
    p->known[player]         = frame;
}

// Takes the inputs of a packet that are new. A packet may come twice, late, or in the wrong order.
static inline void peer_hear(peer *p, const packet *heard)
{
    uint32_t other = 1 - p->self;
    if (heard->newest >= FRAMES || heard->known >= FRAMES) {
        return; // not a packet of this game
    }
    if (p->acknowledged < heard->known) {
        p->acknowledged = heard->known;
    }
    uint32_t next = p->known[other] + 1;
    for (; next <= heard->newest && next + RESENT > heard->newest; next++) {
        peer_learn(p, other, next, heard->inputs[next + RESENT - 1 - heard->newest]);
    }
}

static inline packet peer_say(const peer *p)
{
    packet said = { .newest = p->known[p->self], .known = p->known[1 - p->self] };
    for (uint32_t i = 0; i < RESENT; i++) {
        uint32_t after = RESENT - 1 - i;
        said.inputs[i] = said.newest > after ? p->inputs[p->self][said.newest - after] : 0;
    }
    return said;
}

// Simulates one frame, with a prediction if the input of the other player is not known.
static inline bool peer_simulate(peer *p)
{
    uint32_t other = 1 - p->self;
    if (p->known[other] < p->now) {
        p->inputs[other][p->now] = p->inputs[other][p->known[other]];
    }
    game_step(p->world, (uint8_t[PLAYERS]){ p->inputs[0][p->now], p->inputs[1][p->now] });
    p->now++;
    return kith_frames_save(p->frames) == p->now;
}

// Goes back to the first frame with a wrong prediction, and simulates again.
static inline bool peer_correct(peer *p)
{
    uint32_t now  = p->now;
    uint32_t back = now - p->wrong;
    bool     done = kith_frames_restore(p->frames, p->wrong);
    for (p->now = p->wrong; done && p->now < now;) {
        done = peer_simulate(p);
    }
    p->wrong = 0;
    p->restores++;
    p->repeated += back;
    p->deepest = p->deepest < back ? back : p->deepest;
    return done;
}

static inline bool peer_advance(peer *p)
{
    if (p->now == FRAMES || p->now > p->known[1 - p->self] + WINDOW) {
        p->waits++;
        return true;
    }
    peer_learn(p, p->self, p->now, player_input(p->self, p->now));
    return peer_simulate(p);
}

// The hash of a frame is final when no input before it is predicted.
static inline bool peer_confirm(peer *p)
{
    bool known = true;
    while (known && p->confirmed < peer_final_frame(p)) {
        p->confirmed++;
        known = kith_frames_hash(p->frames, p->confirmed, &p->hashes[p->confirmed]);
    }
    return known;
}

// Makes up for what arrived since the previous turn, and simulates a frame. Returns false when a
// call of kith failed.
static inline bool peer_turn(peer *p)
{
    return (p->wrong == 0 || peer_correct(p)) && peer_confirm(p) && peer_advance(p) &&
           peer_confirm(p);
}

// Returns the first frame in which the hashes differ; 0: none does.
static inline uint32_t first_difference(const uint64_t *here, const uint64_t *there)
{
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        if (here[frame] != there[frame]) {
            return frame;
        }
    }
    return 0;
}

#endif
