// SPDX-License-Identifier: MIT
// A shooter: bullets with lifetimes, and hits found on a grid of cells. Look at how a bullet ends:
// it hits an invader (both loops go on while entities are destroyed), or its lifetime is over.
#include <kith/kith.h>
#include <kith/random.h>

#include <stdio.h>
#include <string.h>

enum { WIDTH = 48, HEIGHT = 5 };

typedef struct cell {
    int x, y;
} cell;

// The first member gives the component to kith_world_expire.
typedef struct bullet {
    kith_lifetime life;
    int           speed;
} bullet;

enum { PLACE = 1, INVADER, BULLET, HULL };

KITH_COMPONENT(place, cell, PLACE);
KITH_COMPONENT(bullet, bullet, BULLET);
KITH_COMPONENT(hull, int, HULL);
KITH_TAG(invader, INVADER);
KITH_MODULE(shooter, place, bullet, hull, invader);
KITH_QUERY(bullets, write(place), read(bullet));
KITH_QUERY(invaders, write(place), write(hull), with(invader));

typedef struct game {
    kith_world *world;
    kith_entity grid[HEIGHT][WIDTH]; // the invader in each cell
    uint32_t    fired, hits, expired;
} game;

// The right of the field is full of invaders, some with a stronger hull.
static void add_invaders(game *g)
{
    for (int i = 0; i < 30; i++) {
        uint64_t    dice = kith_random(7, (kith_entity)i, 0, 0);
        kith_entity one  = kith_entity_create(g->world);
        place_set(g->world, one, (cell){ 26 + i / HEIGHT * 4, i % HEIGHT });
        hull_set(g->world, one, kith_random_below(dice, 4) == 0 ? 2 : 1);
        invader_add(g->world, one);
    }
}

static void fire(game *g, int y, uint64_t now)
{
    kith_entity shot = kith_entity_create(g->world);
    place_set(g->world, shot, (cell){ 0, y });
    bullet_set(g->world, shot, (bullet){ { now + 11 }, 3 }); // gone in the 11th tick from now
    g->fired++;
}

// Invaders step to the left each fourth tick, and are entered into the grid.
static void march(game *g, uint64_t now)
{
    memset(g->grid, 0, sizeof g->grid);
    KITH_EACH(invaders, i, g->world)
    {
        i.place->x -= now % 4 == 0;
        g->grid[i.place->y][i.place->x] = i.entity;
    }
}

// A bullet passes its cells one by one, so it cannot jump over an invader.
static void fly(game *g)
{
    KITH_EACH(bullets, b, g->world)
    {
        for (int step = 0; step < b.bullet->speed; step++) {
            b.place->x++;
            kith_entity *target = &g->grid[b.place->y][b.place->x];
            int         *hull   = hull_mut(g->world, *target); // NULL: the cell is empty
            if (hull == NULL) {
                continue;
            }
            if (--*hull == 0) {
                kith_entity_destroy(g->world, *target);
                *target = KITH_NULL;
            }
            kith_entity_destroy(g->world, b.entity);
            g->hits++;
            break;
        }
    }
}

static void tick(game *g)
{
    uint64_t now = kith_world_advance(g->world);
    march(g, now);
    fly(g);
    g->expired += kith_world_expire(g->world, BULLET, now);
    if (now % 2 == 0) {
        fire(g, (int)kith_random_below(kith_random(1, 0, now, 0), HEIGHT), now);
    }
}

static void draw(game *g)
{
    char rows[HEIGHT][WIDTH + 1];
    memset(rows, ' ', sizeof rows);
    KITH_EACH(bullets, b, g->world)
    {
        rows[b.place->y][b.place->x] = '-';
    }
    KITH_EACH(invaders, i, g->world)
    {
        rows[i.place->y][i.place->x] = *i.hull == 2 ? 'W' : 'v';
    }
    for (int y = 0; y < HEIGHT; y++) {
        printf("|%.*s|\n", WIDTH, rows[y]);
    }
    printf("tick %2d: %2u fired, %2u hits, %u expired, %2u flying, %2u invaders\n",
           (int)kith_world_now(g->world), g->fired, g->hits, g->expired, bullet_count(g->world),
           invader_count(g->world));
}

int main(void)
{
    game g = { .world = kith_world_create(NULL) };
    if (g.world == NULL || !shooter_register(g.world)) {
        return 1;
    }
    add_invaders(&g);
    while (kith_world_now(g.world) < 61) {
        tick(&g);
        if (kith_world_now(g.world) % 30 == 1) {
            draw(&g);
        }
    }
    bool right = g.fired == g.hits + g.expired + bullet_count(g.world) && g.hits > 0;
    kith_world_destroy(g.world);
    return right ? 0 : 1;
}
