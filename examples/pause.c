// SPDX-License-Identifier: MIT
// Pausing a game and stepping through it: systems are switched off, and run by name. Look at the
// warning at the start: two systems write and read the same component, and only chance orders them.
#include <kith/kith.h>

#include <stdio.h>

typedef struct ball {
    int height, speed;
} ball;

enum { BALL = 1, SCREEN };

KITH_COMPONENT(ball, ball, BALL);
KITH_SINGLETON(screen, int, SCREEN); // what is on the screen: the height
KITH_MODULE(game, ball, screen);
KITH_QUERY(balls, write(ball));
KITH_QUERY(seen, read(ball));

static void fall(const kith_turn *turn)
{
    KITH_EACH_STORED(balls, b, turn->query)
    {
        b.ball->speed -= 1;
        b.ball->height += b.ball->speed;
    }
}

static void bounce(const kith_turn *turn)
{
    KITH_EACH_STORED(balls, b, turn->query)
    {
        if (b.ball->height < 0) {
            b.ball->height = 0;
            b.ball->speed  = -b.ball->speed;
        }
    }
}

static void draw(const kith_turn *turn)
{
    KITH_EACH_STORED(seen, s, turn->query)
    {
        screen_set(turn->world, s.ball->height);
    }
}

static const kith_component screen_only[] = { SCREEN };
static const char *const    before_draw[] = { "draw" };

// Without `ordered`, "draw" comes before "bounce", because it was created before it.
static bool add_bounce(kith_world *world, bool ordered)
{
    const kith_system_desc desc = { .name         = "bounce",
                                    .run          = bounce,
                                    .query        = balls_desc(),
                                    .before       = before_draw,
                                    .before_count = ordered ? 1 : 0 };
    return kith_system_create(world, &desc) != NULL;
}

static bool add_systems(kith_world *world)
{
    kith_system_desc first  = { .name = "fall", .run = fall, .query = balls_desc() };
    kith_system_desc second = { .name = "draw", .run = draw, .query = seen_desc() };
    first.before            = before_draw;
    first.before_count      = 1;
    second.writes           = screen_only;
    second.write_count      = 1;
    return kith_system_create(world, &first) && kith_system_create(world, &second) &&
           add_bounce(world, false);
}

static uint32_t warn(const kith_world *world)
{
    kith_ambiguity pairs[8];
    uint32_t       count = kith_schedule_ambiguities(world, pairs, 8);
    for (uint32_t i = 0; i < count; i++) {
        printf("no order between \"%s\" and \"%s\", which share \"%s\"\n",
               kith_system_describe(pairs[i].first)->name,
               kith_system_describe(pairs[i].second)->name,
               kith_component_describe(world, pairs[i].component)->name);
    }
    return count;
}

static void print_order(const kith_world *world)
{
    printf("order:");
    for (kith_system *s = NULL; (s = kith_system_next(world, s)) != NULL;) {
        printf(" %s%s", kith_system_describe(s)->name,
               kith_system_report_of(s).enabled ? "" : " (off)");
    }
    printf("\n");
}

static void set_paused(kith_world *world, bool paused)
{
    kith_system_enable(kith_system_find(world, "fall"), !paused);
    kith_system_enable(kith_system_find(world, "bounce"), !paused);
}

static bool run_frames(kith_world *world, const char *title, int frames)
{
    bool right = true;
    printf("%-8s", title);
    for (int i = 0; i < frames; i++) {
        right = kith_schedule_run(world, 1) && right;
        printf(" %3d", *screen_get(world));
    }
    printf("\n");
    return right;
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world) || !add_systems(world)) {
        return 1;
    }
    const ball  start = { 8, 0 };
    kith_entity one   = kith_entity_create(world);
    ball_set(world, one, start);
    bool right = warn(world) == 2;
    right      = run_frames(world, "wrong:", 10) && right; // shown before it bounces

    right =
        kith_system_destroy(kith_system_find(world, "bounce")) && add_bounce(world, true) && right;
    ball_set(world, one, start);
    right = warn(world) == 1 && right; // "fall" and "bounce" still have no order
    print_order(world);
    right = run_frames(world, "right:", 10) && right;

    set_paused(world, true);
    print_order(world);
    right = run_frames(world, "paused:", 5) && right;
    printf("steps:  ");
    for (int i = 0; i < 3; i++) { // also a system that is off
        right = kith_system_run(world, "fall", 1) && kith_system_run(world, "bounce", 1) && right;
        printf(" %3d", ball_get(world, one)->height);
    }
    printf("\n");
    set_paused(world, false);
    right = run_frames(world, "again:", 5) && right;
    right = right && kith_system_query(kith_system_find(world, "draw")) != NULL;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
