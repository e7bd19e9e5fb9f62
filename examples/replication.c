// SPDX-License-Identifier: MIT
// Replication: a server plays, and three clients follow by deltas of content over a network that
// loses packets. Each delta begins at the frame that the client has confirmed, its baseline, and
// clients with the same baseline get the same bytes, which are made once. Look at the bytes: the
// first delta has everything, and the others only what has changed since the baseline.
#include <kith/frames.h>
#include <kith/kith.h>
#include <kith/merge.h>
#include <kith/random.h>

#include <stdio.h>

enum { CLIENTS = 3, FRAMES = 200, SHIPS = 20 };

typedef struct ship {
    int32_t     x, y;
    kith_entity target; // in a delta the handle is translated
} ship;

enum { SHIP = 1, SECRET };

KITH_FIELDS(ship, i32(x), i32(y), entity(target));
KITH_COMPONENT_AS(ship, ship, SHIP, fields(ship));
KITH_COMPONENT_AS(secret, int, SECRET, plain(4)); // the server sends no secrets
KITH_MODULE(arena, ship, secret);
KITH_QUERY(ships, write(ship));

static bool happens(uint64_t what, uint64_t frame, uint32_t n, uint64_t one_of)
{
    return kith_random_below(kith_random(7, what, frame, n), one_of) == 0;
}

// The game of the server: ships sail, some are new, some sink.
static void play(kith_world *world, uint64_t frame)
{
    KITH_EACH(ships, s, world)
    {
        const ship *at = ship_get(world, s.ship->target); // NULL: it is gone
        s.ship->x += at == NULL ? 0 : (at->x > s.ship->x) - (at->x < s.ship->x);
        s.ship->y += happens(s.entity, frame, 0, 5);
        if (happens(s.entity, frame, 1, 60)) {
            kith_entity_destroy(world, s.entity);
        }
    }
    for (int32_t n = frame == 1 ? SHIPS : happens(0, frame, 2, 3); n > 0; n--) {
        kith_entity made = kith_entity_create(world);
        ship_set(world, made, (ship){ ((int32_t)frame + n * 5) % 100, 0, ships_first(world) });
        secret_set(world, made, 42);
    }
}

typedef struct client {
    kith_world *world;
    kith_merge *merge;
    uint64_t    frame;     // that it has
    uint64_t    confirmed; // that the server knows of: the baseline
} client;

static bool join(client *c)
{
    *c            = (client){ .world = kith_world_create(NULL) };
    bool prepared = c->world != NULL && arena_register(c->world) &&
                    kith_entity_create(c->world); // of its own: so the handles differ
    c->merge = prepared ? kith_merge_create(c->world) : NULL;
    return c->merge != NULL;
}

// A packet arrives or is lost, and so does the answer, which says the frame that the client has.
static bool receive(client *c, uint32_t number, const kith_bytes *delta, uint64_t from, uint64_t to)
{
    if (happens(to, number, 3, 4)) {
        return true; // the next delta begins at the same baseline
    }
    bool good = true;
    if (from == c->frame) { // otherwise an answer was lost: the client has a later frame already
        good     = kith_merge_apply(c->merge, NULL, delta->data, delta->size).code == KITH_OK;
        c->frame = to;
    }
    c->confirmed = happens(to, number, 4, 4) ? c->confirmed : c->frame;
    return good;
}

// Makes one delta for each baseline.
static bool send_to_all(kith_frames *frames, client *clients, uint64_t to, uint32_t *made)
{
    const kith_component  shown[] = { SHIP };
    const kith_delta_desc desc    = { .content = true, .components = shown, .component_count = 1 };
    uint32_t              served  = 0; // a bit for each client
    bool                  good    = true;
    for (uint32_t i = 0; good && served != (1u << CLIENTS) - 1; i++) {
        uint64_t   from  = clients[i].confirmed;
        kith_bytes delta = { 0 };
        if ((served >> i & 1) != 0) {
            continue;
        }
        good = kith_frames_delta(frames, from, to, &desc, kith_bytes_write, &delta).code == KITH_OK;
        if (to < 4 || to == FRAMES) {
            printf("frame %3d: %4zu bytes from frame %d\n", (int)to, delta.size, (int)from);
        }
        for (uint32_t k = i; good && k < CLIENTS; k++) {
            if ((served >> k & 1) == 0 && clients[k].confirmed == from) {
                served |= 1u << k;
                good = receive(&clients[k], k, &delta, from, to);
            }
        }
        kith_bytes_free(&delta);
        ++*made;
    }
    return good;
}

// Whether the client has what the server has, and nothing else of it.
static bool is_alike(kith_world *server, const client *c)
{
    bool alike = ship_count(c->world) == ship_count(server) && secret_count(c->world) == 0;
    KITH_EACH(ships, s, server)
    {
        const ship *here = ship_get(c->world, kith_merge_local(c->merge, s.entity));
        alike            = alike && here != NULL && here->x == s.ship->x && here->y == s.ship->y &&
                here->target == kith_merge_local(c->merge, s.ship->target);
    }
    return alike;
}

int main(void)
{
    client      clients[CLIENTS];
    kith_world *server = kith_world_create(NULL);
    bool        right  = server != NULL && arena_register(server);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        right = join(&clients[i]) && right;
    }
    kith_frames *frames = right ? kith_frames_create(server, NULL) : NULL;
    uint32_t     deltas = 0, alike = 0;
    for (uint64_t frame = 1; right && frame <= FRAMES; frame++) {
        play(server, frame);
        right = kith_frames_save(frames) == frame && send_to_all(frames, clients, frame, &deltas);
        for (uint32_t i = 0; right && i < CLIENTS; i++) {
            right = clients[i].frame != frame || is_alike(server, &clients[i]);
            alike += clients[i].frame == frame;
        }
    }
    printf("%u deltas for %d packets; %u times a client had the server's frame: %s\n", deltas,
           FRAMES * CLIENTS, alike, right ? "always alike" : "not alike");
    for (uint32_t i = 0; i < CLIENTS; i++) {
        kith_world_destroy(clients[i].world);
    }
    kith_world_destroy(server);
    return right && deltas < FRAMES * CLIENTS && alike > FRAMES ? 0 : 1;
}
