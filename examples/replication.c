// SPDX-License-Identifier: MIT
// Replication: a server plays, and three clients follow by deltas of content over a network that
// loses packets. Each delta begins at the frame that the client has confirmed, its baseline.
// Clients with the same baseline get the same bytes, which are made once. A packet and its answer
// take less than a frame here; over a longer way a server waits for the answer before the next one.
#include <kith/frames.h>
#include <kith/kith.h>
#include <kith/merge.h>
#include <kith/random.h>

#include <stdio.h>

typedef struct spot {
    int x, y;
} spot;

typedef struct target {
    kith_entity entity;
} target;

enum { SPOT = 1, TARGET, SECRET, SPRITE };

KITH_FIELDS(spot, i32(x), i32(y));
KITH_FIELDS(target, entity(entity)); // the handle is translated
KITH_COMPONENT_AS(spot, spot, SPOT, fields(spot));
KITH_COMPONENT_AS(target, target, TARGET, fields(target));
KITH_COMPONENT_AS(secret, int, SECRET, plain(4)); // the server sends no secrets
KITH_COMPONENT(sprite, int, SPRITE);              // only clients have it
KITH_MODULE(arena, spot, target, secret, sprite);
KITH_QUERY(movers, write(spot));
KITH_QUERY(hunters, read(target), write(spot));

#define CLIENTS 3
#define FRAMES  200

// The next number below the limit: the same in every run, on every machine.
static unsigned number_below(uint32_t *drawn, unsigned limit)
{
    return (unsigned)kith_random_below(kith_random(7, KITH_NULL, 0, (*drawn)++), limit);
}

// --- the server ------------------------------------------------------------------------------

typedef struct server {
    kith_world  *world;
    kith_frames *frames;
    uint32_t     drawn; // random numbers
    unsigned     made;  // deltas
} server;

static void spawn(server *s)
{
    kith_entity ship  = kith_entity_create(s->world);
    movers      other = movers_begin(s->world);
    if (movers_next(&other)) {
        target_set(s->world, ship, (target){ other.entity });
    }
    movers_end(&other);
    spot_set(s->world, ship, (spot){ (int)number_below(&s->drawn, 100), 0 });
    secret_set(s->world, ship, 42);
}

// Moves all ships, lets hunters follow, and now and then creates and destroys ships.
static void play(server *s)
{
    movers m = movers_begin(s->world);
    while (movers_next(&m)) {
        m.spot->y++;
        if (number_below(&s->drawn, 60) == 0) {
            kith_entity_destroy(s->world, m.entity);
        }
    }
    hunters h = hunters_begin(s->world);
    while (hunters_next(&h)) {
        const spot *at = spot_get(s->world, h.target->entity); // NULL: it is gone
        h.spot->x += at == NULL ? 0 : (at->x > h.spot->x) - (at->x < h.spot->x);
    }
    if (number_below(&s->drawn, 3) == 0) {
        spawn(s);
    }
}

// --- the clients -----------------------------------------------------------------------------

typedef struct client {
    kith_world *world;
    kith_merge *merge;
    uint64_t    frame;     // that it has
    uint64_t    confirmed; // that the server knows of: the baseline
} client;

// What a program derives from what it gets: each ship that appears gets a picture.
static void draw(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    sprite_set(world, notice->entity, 1);
}

static bool join(client *c)
{
    *c = (client){ .world = kith_world_create(NULL) };
    if (c->world == NULL || !arena_register(c->world)) {
        return false;
    }
    sprite_set(c->world, kith_entity_create(c->world), 2); // an entity of its own, which stays
    spot_on_add(c->world, draw, NULL);
    c->merge = kith_merge_create(c->world);
    return c->merge != NULL;
}

// A packet arrives or is lost, and so does the answer, which says the frame that the client has.
static bool receive(client *c, const kith_bytes *delta, uint64_t from, uint64_t to, uint32_t *drawn)
{
    if (number_below(drawn, 4) == 0) {
        return true; // the next delta begins at the same baseline
    }
    if (from == c->frame) { // otherwise an answer was lost: the client has a later frame already
        kith_result merged = kith_merge_apply(c->merge, NULL, delta->data, delta->size);
        if (merged.code != KITH_OK) {
            puts(merged.message);
            return false;
        }
        c->frame = to;
    }
    c->confirmed = number_below(drawn, 4) == 0 ? c->confirmed : c->frame;
    return true;
}

// Sends each client the delta from its baseline; one delta serves all clients with that baseline.
static bool send_to_all(server *s, client *clients, uint64_t frame)
{
    const kith_component  shown[] = { SPOT, TARGET };
    const kith_delta_desc desc    = { .content = true, .components = shown, .component_count = 2 };
    bool                  served[CLIENTS] = { false };
    bool                  good            = true;
    for (int i = 0; i < CLIENTS && good; i++) {
        uint64_t   from  = clients[i].confirmed;
        kith_bytes delta = { 0 };
        if (served[i]) {
            continue;
        }
        good = kith_frames_delta(s->frames, from, frame, &desc, kith_bytes_write, &delta).code ==
               KITH_OK;
        s->made++;
        for (int k = i; k < CLIENTS && good; k++) {
            if (!served[k] && clients[k].confirmed == from) {
                served[k] = true;
                good      = receive(&clients[k], &delta, from, frame, &s->drawn);
            }
        }
        kith_bytes_free(&delta);
    }
    return good;
}

// --- comparing -------------------------------------------------------------------------------

// Whether the client has what the server had in the client's frame, and nothing else of it.
static bool is_alike(const server *s, const client *c)
{
    kith_entity remote = KITH_NULL;
    uint32_t    count  = 0;
    bool        alike  = true;
    while ((remote = kith_entity_next(s->world, remote)) != KITH_NULL) {
        kith_entity   here  = kith_merge_local(c->merge, remote);
        const spot   *there = spot_get(s->world, remote);
        const spot   *at    = spot_get(c->world, here);
        const target *to    = target_get(s->world, remote);
        const target *aims  = target_get(c->world, here);
        alike               = alike && at != NULL && at->x == there->x && at->y == there->y &&
                (to == NULL) == (aims == NULL) && sprite_has(c->world, here) &&
                (to == NULL || aims->entity == kith_merge_local(c->merge, to->entity));
        count++;
    }
    return alike && spot_count(c->world) == count && secret_count(c->world) == 0 &&
           sprite_count(c->world) == count + 1;
}

int main(void)
{
    client clients[CLIENTS];
    server s = { .world = kith_world_create(NULL) };
    if (s.world == NULL || !arena_register(s.world)) {
        return 1;
    }
    s.frames  = kith_frames_create(s.world, &(kith_frames_desc){ .capacity = 64 });
    bool good = s.frames != NULL;
    for (int i = 0; i < CLIENTS; i++) {
        good = join(&clients[i]) && good;
    }
    for (int i = 0; i < 20; i++) {
        spawn(&s);
    }
    unsigned alike = 0;
    for (uint64_t frame = 1; frame <= FRAMES && good; frame++) {
        play(&s);
        good = kith_frames_save(s.frames) == frame && send_to_all(&s, clients, frame);
        for (int i = 0; i < CLIENTS && good; i++) {
            if (clients[i].frame == frame) {
                good = is_alike(&s, &clients[i]);
                alike++;
            }
        }
    }
    printf("%d frames, %u deltas for %d packets\n", FRAMES, s.made, FRAMES * CLIENTS);
    printf("%u times a client had what the server had: %s\n", alike, good ? "always" : "no");
    for (int i = 0; i < CLIENTS; i++) {
        kith_world_destroy(clients[i].world);
    }
    kith_world_destroy(s.world);
    return good ? 0 : 1;
}
