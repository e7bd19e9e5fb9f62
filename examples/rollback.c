// SPDX-License-Identifier: MIT
// Rollback: two peers play a game over a network that delays, loses and reorders packets. Each
// predicts the inputs of the other, goes back when a prediction was wrong, and simulates again. The
// network is simulated, from a seed: rollback [SEED]. rollback_udp.c has a real one. Look at the
// last two lines: all that going back left no trace.
#include "rollback_game.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- the network -----------------------------------------------------------------------------

enum { SHORTEST = 1, LONGEST = 9, LOSS = 4, ROOM = 2 * (LONGEST + 1), MOST_TICKS = 100 * FRAMES };

typedef struct flight {
    packet   packet;
    uint32_t to;
    uint32_t tick;   // of the arrival
    uint32_t number; // of the packet
} flight;

typedef struct network {
    uint64_t seed;
    flight   flights[ROOM]; // each peer sends one packet a tick
    uint32_t count;
    uint32_t sent, lost, overtaken;
    uint32_t latest[PLAYERS]; // the highest number that has arrived
} network;

static void send_packet(network *net, const peer *from, uint32_t tick)
{
    net->sent++;
    if (kith_random_below(kith_random(net->seed, from->self, tick, 0), LOSS) == 0) {
        net->lost++;
        return;
    }
    uint64_t delay             = kith_random(net->seed, from->self, tick, 1);
    net->flights[net->count++] = (flight){
        .packet = peer_say(from),
        .to     = 1 - from->self,
        .tick   = tick + SHORTEST + (uint32_t)kith_random_below(delay, LONGEST - SHORTEST + 1),
        .number = net->sent,
    };
}

static void receive_packets(network *net, peer *to, uint32_t tick)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < net->count; i++) {
        flight *f = &net->flights[i];
        if (f->to != to->self || f->tick > tick) {
            net->flights[waiting++] = *f;
            continue;
        }
        peer_hear(to, &f->packet);
        net->overtaken += f->number < net->latest[to->self];
        net->latest[to->self] =
            f->number < net->latest[to->self] ? net->latest[to->self] : f->number;
    }
    net->count = waiting;
}

// --- the program -----------------------------------------------------------------------------

static bool play(network *net, peer peers[PLAYERS])
{
    for (uint32_t tick = 0; !peer_is_done(&peers[0]) || !peer_is_done(&peers[1]); tick++) {
        for (uint32_t i = 0; i < PLAYERS; i++) {
            receive_packets(net, &peers[i], tick);
            if (tick == MOST_TICKS || !peer_turn(&peers[i])) {
                return false;
            }
            send_packet(net, &peers[i], tick);
        }
    }
    return true;
}

// A peer that knows all inputs from the beginning never goes back.
static bool play_alone(peer *alone)
{
    for (uint32_t frame = 1; frame < FRAMES; frame++) {
        peer_learn(alone, 1 - alone->self, frame, player_input(1 - alone->self, frame));
    }
    bool played = true;
    while (played && !peer_is_done(alone)) {
        played = peer_turn(alone);
    }
    return played && alone->restores == 0;
}

static void print_peers(const network *net, const peer peers[PLAYERS])
{
    printf("%d frames; packets take %d to %d ticks, and 1 of %d is lost.\n", FRAMES, SHORTEST,
           LONGEST, LOSS);
    printf("%" PRIu32 " packets sent, %" PRIu32 " lost, %" PRIu32 " arrived after a later one\n",
           net->sent, net->lost, net->overtaken);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const peer *p = &peers[i];
        printf("peer %" PRIu32 ": went back %" PRIu32 " times, simulated %" PRIu32
               " frames again, at most %" PRIu32 " at once, waited %" PRIu32 " ticks\n",
               i, p->restores, p->repeated, p->deepest, p->waits);
    }
}

static bool compare(const char *title, const peer *a, const peer *b)
{
    uint32_t frame = first_difference(a->hashes, b->hashes);
    if (frame != 0) {
        printf("%s differ in frame %" PRIu32 "\n", title, frame);
        return false;
    }
    printf("%s have the same hash in each of %" PRIu32 " confirmed frames\n", title, a->confirmed);
    return true;
}

int main(int count, char **arguments)
{
    network net = { .seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1 };
    peer    peers[PLAYERS];
    peer    alone;
    bool    opened = peer_open(&peers[0], 0);
    opened         = peer_open(&peers[1], 1) && opened;
    opened         = peer_open(&alone, 0) && opened;
    bool same      = false;
    if (opened && play(&net, peers) && play_alone(&alone)) {
        print_peers(&net, peers);
        game_print(peers[0].world);
        same = compare("The two peers", &peers[0], &peers[1]);
        same = compare("A peer, and a game without a network,", &peers[0], &alone) && same;
    }
    peer_close(&peers[0]);
    peer_close(&peers[1]);
    peer_close(&alone);
    return same ? 0 : 1;
}
