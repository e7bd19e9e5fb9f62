// SPDX-License-Identifier: MIT
// The loop of a server: fixed steps of 50 ms, whatever the time between two calls; orders of
// clients wait in a queue for the next step; every step is recorded in a file. Look at the replay:
// it reads a step from the file, without the server and without its systems.
#include <kith/frames.h>
#include <kith/kith.h>
#include <kith/snapshot.h>

#include <inttypes.h>
#include <stdio.h>

static const char path[] = "server_recording.kith";

typedef struct unit {
    int32_t client, x, speed, goal;
} unit;

typedef struct order {
    int32_t client, goal;
} order;

enum { UNIT = 1 };

KITH_FIELDS(unit, i32(client), i32(x, "m"), i32(speed), i32(goal, "m"));
KITH_FIELDS(order, i32(client), i32(goal, "m"));
KITH_COMPONENT_AS(unit, unit, UNIT, fields(unit));
KITH_EVENT_AS(order, order, fields(order)); // orders that wait are a part of a frame
KITH_QUERY(units, write(unit));

typedef struct server {
    kith_world     *world;
    kith_frames    *frames;
    kith_recording *recording;
    order_queue     orders;
    uint32_t        steps;
    bool            failed;
} server;

// --- what happens in a step ------------------------------------------------------------------

static void obey(kith_world *world, const order *event, void *context)
{
    (void)context;
    KITH_EACH(units, u, world)
    {
        if (u.unit->client == event->client) {
            u.unit->goal = event->goal;
        }
    }
}

static void step(const kith_turn *turn)
{
    server *s = turn->context;
    s->steps++;
    order_update(s->orders);
    KITH_EACH_STORED(units, u, turn->query)
    {
        int32_t far  = u.unit->goal - u.unit->x;
        int32_t most = u.unit->speed;
        u.unit->x += far > most ? most : far < -most ? -most : far;
    }
}

// --- the server ------------------------------------------------------------------------------

static bool open_server(server *s)
{
    s->world = kith_world_create(NULL);
    if (s->world == NULL || !unit_register(s->world)) {
        return false;
    }
    const kith_system_desc desc = {
        .name = "step", .run = step, .context = s, .query = units_desc(), .interval = 0.05
    };
    s->orders    = order_of(s->world, 100); // more orders than that are refused
    s->frames    = kith_frames_create(s->world, NULL);
    s->recording = kith_recording_create(s->world, path, NULL);
    for (int32_t client = 1; client <= 2; client++) {
        unit_set(s->world, kith_entity_create(s->world), (unit){ client, 0, client, 0 });
    }
    return order_connect(s->orders, obey, NULL, 0) != 0 && s->frames != NULL &&
           s->recording != NULL && kith_system_create(s->world, &desc) != NULL;
}

// The server is called at uneven times; it has as many steps as fit, and the rest waits.
static void pass_time(server *s, double seconds)
{
    uint32_t before = s->steps;
    s->failed       = !kith_schedule_run(s->world, seconds) || s->failed;
    uint64_t frame  = kith_frames_save(s->frames);
    s->failed = kith_recording_add(s->recording, s->frames, frame).code != KITH_OK || s->failed;
    printf("frame %" PRIu64 ", %3.0f ms, steps: %u, units:", frame, seconds * 1000,
           s->steps - before);
    KITH_EACH(units, u, s->world)
    {
        printf(" %d", u.unit->x);
    }
    printf(", orders waiting: %u\n", order_count(s->orders));
}

// --- the replay ------------------------------------------------------------------------------

static bool replay(uint64_t frame, int32_t expected)
{
    static char   bytes[1 << 14];
    FILE         *file     = fopen(path, "rb");
    size_t        size     = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    kith_bytes    snapshot = { 0 };
    kith_recorded record   = { 0 };
    kith_world   *world    = kith_world_create(NULL);
    while (kith_recording_next(bytes, size, &record) && record.frame < frame) {
    }
    bool read = world != NULL && unit_register(world) && order_of(world, 100).queue != NULL &&
                kith_recording_snapshot(bytes, size, frame, &snapshot).code == KITH_OK &&
                kith_world_load(world, NULL, snapshot.data, snapshot.size).code == KITH_OK;
    const unit *first = read ? unit_value(world, 0) : NULL;
    bool        right = first != NULL && first->x == expected;
    printf("replay: %s of frame %" PRIu64 " is in the file, its first unit is at %d\n",
           record.whole ? "a snapshot" : "the change", record.frame, right ? first->x : -1);
    kith_world_destroy(world);
    kith_bytes_free(&snapshot);
    return (file == NULL || fclose(file) == 0) && right;
}

int main(void)
{
    server s = { 0 };
    if (!open_server(&s)) {
        return 1;
    }
    order_enqueue(s.orders, (order){ .client = 1, .goal = 10 });
    order_enqueue(s.orders, (order){ .client = 2, .goal = -10 });
    pass_time(&s, 0.03); // no whole step yet: the orders wait
    pass_time(&s, 0.03);
    order_enqueue(s.orders, (order){ .client = 2, .goal = 6 });
    pass_time(&s, 0.14);
    pass_time(&s, 0.31);
    bool right = !s.failed && s.steps == 10 && kith_recording_destroy(s.recording);
    right      = kith_world_destroy(s.world) && replay(3, 4) && replay(1, 0) && right;
    return remove(path) == 0 && right ? 0 : 1;
}
