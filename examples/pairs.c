// SPDX-License-Identifier: MIT
// Discs that collide: every pair that is near, once. The rows are sorted by cell, so the sorted
// pool is the grid: no list is needed. Look at "tests": both ways find the same contacts.
#include <kith/kith.h>
#include <kith/random.h>

#include <inttypes.h>
#include <stdio.h>

// Integers: the result is the same on every machine.
enum { COUNT = 600, CELL = 16, EDGE = 24, SIZE = CELL * EDGE, REACH = CELL - 2 };

typedef struct disc {
    uint32_t cell;
    int      x, y;
    int      dx, dy;
} disc;

enum { DISC = 1 };

KITH_COMPONENT(disc, disc, DISC);
KITH_QUERY(discs, write(disc));

typedef struct totals {
    uint64_t tests, contacts, mixed; // `mixed` depends on which pairs there are
} totals;

static bool touch(const disc *a, const disc *b)
{
    int x = a->x - b->x, y = a->y - b->y;
    return x * x + y * y < REACH * REACH;
}

static bool test(const kith_world *world, uint32_t a, uint32_t b, totals *sum)
{
    bool     near  = touch(disc_value(world, a), disc_value(world, b));
    uint64_t one   = kith_entity_index(disc_entity(world, a));
    uint64_t other = kith_entity_index(disc_entity(world, b));
    sum->tests++;
    sum->contacts += near;
    sum->mixed += near ? kith_random(0, (one + 1) * (other + 1), one + other, 0) : 0;
    return near;
}

// Every pair of rows once: j begins behind i. No cursor is copied, rows are numbers.
static totals find_by_all(const kith_world *world)
{
    totals sum = { 0 };
    for (uint32_t i = 0; i < disc_rows(world); i++) {
        for (uint32_t j = i + 1; j < disc_rows(world); j++) {
            test(world, i, j, &sum);
        }
    }
    return sum;
}

// Rows of one cell are neighbours after this. Sorting an almost sorted pool is cheap.
static bool sort_into_cells(kith_world *world, uint32_t *start)
{
    KITH_EACH(discs, d, world)
    {
        d.disc->cell = (uint32_t)(d.disc->y / CELL * EDGE + d.disc->x / CELL);
    }
    bool sorted = disc_sort_by(world, KITH_KEY(disc, cell));
    for (uint32_t row = 0, cell = 0; cell <= EDGE * EDGE; start[cell++] = row) {
        while (row < disc_rows(world) && disc_value(world, row)->cell < cell) {
            row++;
        }
    }
    return sorted;
}

// Equal masses exchange their speeds when they approach.
static void bounce(kith_world *world, uint32_t row_a, uint32_t row_b)
{
    disc      *a   = disc_mut(world, disc_entity(world, row_a));
    disc      *b   = disc_mut(world, disc_entity(world, row_b));
    const disc old = *a;
    if ((a->x - b->x) * (a->dx - b->dx) + (a->y - b->y) * (a->dy - b->dy) < 0) {
        a->dx = b->dx, a->dy = b->dy;
        b->dx = old.dx, b->dy = old.dy;
    }
}

// Every pair of neighbour cells once: the cell itself, the one to its right, the three below.
static totals find_by_cells(kith_world *world, const uint32_t *start, bool change)
{
    static const int to[][2] = { { 0, 0 }, { 1, 0 }, { -1, 1 }, { 0, 1 }, { 1, 1 } };
    totals           sum     = { 0 };
    for (int c = 0; c < EDGE * EDGE; c++) {
        for (int n = 0; n < 5; n++) {
            int x = c % EDGE + to[n][0];
            int y = c / EDGE + to[n][1];
            if (x < 0 || x >= EDGE || y >= EDGE) {
                continue;
            }
            for (uint32_t i = start[c]; i < start[c + 1]; i++) {
                uint32_t j = n == 0 ? i + 1 : start[y * EDGE + x];
                for (; j < start[y * EDGE + x + 1]; j++) {
                    if (test(world, i, j, &sum) && change) {
                        bounce(world, i, j);
                    }
                }
            }
        }
    }
    return sum;
}

static uint64_t move(kith_world *world)
{
    uint64_t energy = 0;
    KITH_EACH(discs, d, world)
    {
        disc *self = d.disc;
        self->dx   = self->x + self->dx < 0 || self->x + self->dx >= SIZE ? -self->dx : self->dx;
        self->dy   = self->y + self->dy < 0 || self->y + self->dy >= SIZE ? -self->dy : self->dy;
        self->x += self->dx;
        self->y += self->dy;
        energy += (uint64_t)(self->dx * self->dx + self->dy * self->dy);
    }
    return energy;
}

int main(void)
{
    static uint32_t start[EDGE * EDGE + 1];
    kith_world     *world = kith_world_create(NULL);
    bool            right = world != NULL && disc_register(world);
    for (uint32_t i = 0; right && i < COUNT; i++) {
        int n[4];
        for (uint32_t k = 0; k < 4; k++) {
            n[k] = (int)kith_random_below(kith_random(5, i, 0, k), k < 2 ? SIZE : 7);
        }
        disc_set(world, kith_entity_create(world), (disc){ 0, n[0], n[1], n[2] - 3, n[3] - 3 });
    }
    printf("tick   energy  contacts   tests by cells   tests of all\n");
    for (int tick = 0; right && tick < 8; tick++) {
        uint64_t energy = move(world);
        right           = sort_into_cells(world, start);
        totals all      = find_by_all(world);
        totals near     = find_by_cells(world, start, false);
        right           = right && all.contacts == near.contacts && all.mixed == near.mixed;
        find_by_cells(world, start, true);
        printf("%4d %8" PRIu64 " %9" PRIu64 " %16" PRIu64 " %14" PRIu64 "\n", tick, energy,
               near.contacts, near.tests, all.tests);
    }
    kith_world_destroy(world);
    return right ? 0 : 1;
}
