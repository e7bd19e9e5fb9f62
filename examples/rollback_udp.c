// SPDX-License-Identifier: MIT
// Rollback over UDP: rollback.c's game, played by two processes over the loopback address. Packets
// are lost and reordered on purpose. The parent compares the hashes of all confirmed frames with
// those that the child writes into a pipe. For POSIX.
#define _POSIX_C_SOURCE 200809L

#include "rollback_game.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// --- the network -----------------------------------------------------------------------------

// A peer that can do nothing waits for at most WAIT milliseconds, and then sends its packet again.
// It gives up after QUIET turns without news: a minute, or longer on a busy machine.
enum { LOSS = 4, DELAY = 4, WAIT = 1, QUIET = 60000 };

typedef struct line {
    int      socket;
    uint64_t seed;
    packet   held; // waits until a later packet was sent
    bool     holds;
    uint32_t sent, lost, reordered;
} line;

// Creates a socket that does not block, with a port that the system chooses.
static int open_socket(struct sockaddr_in *address)
{
    socklen_t size           = sizeof *address;
    int       made           = socket(AF_INET, SOCK_DGRAM, 0);
    *address                 = (struct sockaddr_in){ .sin_family = AF_INET };
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (made < 0 || fcntl(made, F_SETFL, O_NONBLOCK) != 0 ||
        bind(made, (struct sockaddr *)address, size) != 0 ||
        getsockname(made, (struct sockaddr *)address, &size) != 0) {
        return -1;
    }
    return made;
}

// A connected socket drops the packets of other programs.
static bool open_lines(line lines[PLAYERS])
{
    struct sockaddr_in addresses[PLAYERS];
    for (uint32_t i = 0; i < PLAYERS; i++) {
        lines[i] = (line){ .socket = open_socket(&addresses[i]), .seed = i };
    }
    bool opened = lines[0].socket >= 0 && lines[1].socket >= 0;
    for (uint32_t i = 0; opened && i < PLAYERS; i++) {
        opened = connect(lines[i].socket, (struct sockaddr *)&addresses[1 - i],
                         sizeof addresses[1 - i]) == 0;
    }
    return opened;
}

// Both processes run on one machine. Between machines the numbers need an agreed order of bytes.
// The result of send does not matter: a packet that was not sent is a lost packet.
static void send_now(const line *l, const packet *p)
{
    ssize_t ignored = send(l->socket, p, sizeof *p, 0);
    (void)ignored;
}

static void send_packet(line *l, packet said)
{
    bool late = l->holds;
    l->sent++;
    if (kith_random_below(kith_random(l->seed, 0, l->sent, 0), LOSS) == 0) {
        l->lost++;
        return;
    }
    if (!late && kith_random_below(kith_random(l->seed, 0, l->sent, 1), DELAY) == 0) {
        l->held  = said;
        l->holds = true;
        l->reordered++;
        return;
    }
    send_now(l, &said);
    if (late) {
        send_now(l, &l->held);
        l->holds = false;
    }
}

static void receive_packets(const line *l, peer *p)
{
    packet heard;
    while (recv(l->socket, &heard, sizeof heard, 0) == (ssize_t)sizeof heard) {
        peer_hear(p, &heard);
    }
}

// --- a process -------------------------------------------------------------------------------

enum { HASH_BYTES = sizeof(uint64_t) * (FRAMES + 1) };

// What the parent reads from the child: the hashes. The end of the pipe is the end of the child.
typedef struct result {
    int     pipe; // -1: this process is the child
    size_t  size;
    bool    ended;
    uint8_t bytes[HASH_BYTES + 1]; // one more: too many bytes are noticed
} result;

static void read_result(result *from)
{
    ssize_t size = read(from->pipe, from->bytes + from->size, sizeof from->bytes - from->size);
    from->ended  = size <= 0;
    from->size += size > 0 ? (size_t)size : 0;
}

// Waits for a packet, or for the child.
static void wait_for_news(const line *l, result *from)
{
    struct pollfd files[] = { { .fd = l->socket, .events = POLLIN },
                              { .fd = from->ended ? -1 : from->pipe, .events = POLLIN } };
    if (poll(files, 2, WAIT) > 0 && files[1].revents != 0) {
        read_result(from);
    }
}

// The child ends when the parent knows all its inputs. The parent ends after the child: until then
// it repeats its packet, because the latest one may be lost.
static bool is_over(const peer *p, const result *from)
{
    bool is_child = from->pipe < 0;
    return is_child ? peer_is_done(p) && p->acknowledged == FRAMES - 1 : from->ended;
}

// Returns a number that grows with all that this process learns.
static size_t count_news(const peer *p, const result *from)
{
    return p->now + p->known[1 - p->self] + p->acknowledged + from->size;
}

static bool play(line *l, peer *p, result *from)
{
    uint32_t quiet = 0;
    while (!is_over(p, from)) {
        size_t   news  = count_news(p, from);
        uint32_t waits = p->waits;
        receive_packets(l, p);
        if (quiet == QUIET || !peer_turn(p)) {
            fprintf(stderr, "process %" PRIu32 " gives up in frame %" PRIu32 "\n", p->self, p->now);
            return false;
        }
        send_packet(l, peer_say(p));
        if (p->waits != waits) {
            wait_for_news(l, from);
        }
        quiet = count_news(p, from) == news ? quiet + 1 : 0;
    }
    return true;
}

// The counts depend on the speed of the processes, so they are not a part of the output.
static void print_counts(const line *l, const peer *p)
{
    fprintf(stderr,
            "process %" PRIu32 ": %" PRIu32 " packets, %" PRIu32 " lost, %" PRIu32
            " held back; went back %" PRIu32 " times, simulated %" PRIu32 " frames again\n",
            p->self, l->sent, l->lost, l->reordered, p->restores, p->repeated);
}

static bool write_hashes(int pipe, const peer *p)
{
    const uint8_t *bytes   = (const uint8_t *)p->hashes;
    size_t         written = 0;
    ssize_t        size    = 1;
    while (size > 0 && written < sizeof p->hashes) {
        size = write(pipe, bytes + written, sizeof p->hashes - written);
        written += size > 0 ? (size_t)size : 0;
    }
    return size > 0;
}

static int run_child(line *l, int pipe)
{
    peer   p;
    result none = { .pipe = -1 };
    bool   done = peer_open(&p, 1) && play(l, &p, &none) && write_hashes(pipe, &p);
    print_counts(l, &p);
    peer_close(&p);
    return done ? 0 : 1;
}

// --- the program -----------------------------------------------------------------------------

static bool compare(const peer *p, const result *from)
{
    uint64_t theirs[FRAMES + 1];
    if (!peer_is_done(p) || from->size != HASH_BYTES) {
        fprintf(stderr, "%" PRIu32 " frames are confirmed; the child wrote %zu bytes\n",
                p->confirmed, from->size);
        return false;
    }
    memcpy(theirs, from->bytes, HASH_BYTES);
    uint32_t frame = first_difference(p->hashes, theirs);
    if (frame != 0) {
        printf("The two processes differ in frame %" PRIu32 "\n", frame);
        return false;
    }
    printf("The two processes have the same hash in each of %d confirmed frames\n", FRAMES);
    return true;
}

static int run_parent(line *l, int pipe, pid_t child)
{
    peer   p;
    result from   = { .pipe = pipe };
    int    status = 1;
    bool   same   = peer_open(&p, 0) && play(l, &p, &from) && compare(&p, &from);
    print_counts(l, &p);
    if (same) {
        game_print(p.world);
    } else {
        kill(child, SIGKILL); // it may wait for packets
    }
    peer_close(&p);
    close(pipe);
    return waitpid(child, &status, 0) == child && status == 0 && same ? 0 : 1;
}

int main(void)
{
    line lines[PLAYERS];
    int  ends[2];
    if (!open_lines(lines) || pipe(ends) != 0) {
        perror("no sockets or no pipe");
        return 1;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    uint32_t self = child == 0 ? 1 : 0;
    close(lines[1 - self].socket);
    close(ends[1 - self]);
    return child == 0 ? run_child(&lines[1], ends[1]) : run_parent(&lines[0], ends[0], child);
}
