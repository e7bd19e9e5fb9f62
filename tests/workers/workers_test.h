// SPDX-License-Identifier: MIT
// Components, systems and job systems for the tests of workers.
#ifndef KITH_TESTS_WORKERS_TEST_H
#define KITH_TESTS_WORKERS_TEST_H

#include "kith_test.h"

#include "kith/workers.h"

enum { PLACE = 10, SPEED, LIFE, ROW, STONE, LIT, TOTAL, BOND, FIXED };

typedef struct place {
    float x, y;
} place;

typedef struct speed {
    float x, y;
} speed;

typedef struct bond {
    kith_entity other;
} bond;

KITH_FIELDS(place, f32(x), f32(y));
KITH_FIELDS(speed, f32(x), f32(y));
KITH_FIELDS(bond, entity(other));

static const kith_traits with_ticks = { .row_ticks = true,
                                        .page_rows = 64,
                                        .saved     = KITH_AS(fields(place)) };

static const kith_traits with_holes = { .policy = KITH_POLICY_STABLE, .saved = KITH_AS(plain(4)) };

KITH_COMPONENT_AS(at, place, PLACE, fields(place));
KITH_COMPONENT_AS(moving, speed, SPEED, fields(speed));
KITH_COMPONENT_AS(life, int32_t, LIFE, plain(4));
KITH_COMPONENT_WITH(ticked, place, ROW, with_ticks);
KITH_TAG(stone, STONE);
KITH_FLAG(lit, LIT);
KITH_COMPONENT_AS(bound, bond, BOND, fields(bond));
KITH_COMPONENT_WITH(fixed, int32_t, FIXED, with_holes);
KITH_MODULE(parts, at, moving, life, ticked, stone, lit, bound, fixed);

KITH_QUERY(movers, write(at), read(moving), without(stone));
KITH_QUERY(turners, write(moving), optional(life));
KITH_QUERY(agers, write(life), with(at));
KITH_QUERY(tickers, write(ticked), read(at));
KITH_QUERY(fresh, write(at), changed(at));
KITH_QUERY(seen, read(at), changed(moving));
KITH_QUERY(everyone, with(lit));
KITH_QUERY(lonely, without(bound));
KITH_QUERY(mixed, write(life), any(moving, stone, lit));
KITH_QUERY(newborn, read(at), added(ticked), optional_write(fixed));
KITH_QUERY(dormant, write(at), disabled(at), lead(life));
KITH_QUERY(posts, write(fixed), without(lit));
KITH_QUERY(places, read(at));
KITH_GROUP(owned, own(at), own(moving), without(stone));

// Called by parts, before and behind their loops, if it is not NULL: what a hostile scheduler does.
static void (*disturb)(void);

static inline void pause_part(void)
{
    if (disturb != NULL) {
        disturb();
    }
}

// --- what systems do -------------------------------------------------------------------------

static inline void move_part(const kith_part *part)
{
    pause_part();
    movers m = movers_begin_part(part);
    while (movers_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.at[i].x += m.moving[i].x * (float)part->turn->dt;
            m.at[i].y += m.moving[i].y * (float)part->turn->dt;
        }
    }
    pause_part();
}

static inline void turn_part(const kith_part *part)
{
    pause_part();
    KITH_EACH_PART(turners, t, part)
    {
        t.moving->x += t.life == NULL ? 0.25f : (float)*t.life * 0.125f;
    }
    pause_part();
}

// Some entities are destroyed, some create another one; both then name each other.
static inline void age_part(const kith_part *part)
{
    pause_part();
    KITH_EACH_PART(agers, a, part)
    {
        kith_entity entity = a.entity;
        *a.life += 1;
        if (*a.life % 17 == 0) {
            kith_entity_destroy_later(part->commands, entity);
        } else if (*a.life % 5 == 0) {
            kith_entity young = kith_entity_create_later(part->commands);
            at_set_later(part->commands, young, (place){ (float)*a.life, 1 });
            life_set_later(part->commands, young, *a.life % 3);
            bound_set_later(part->commands, young, (bond){ entity });
            bound_set_later(part->commands, entity, (bond){ young });
        } else if (*a.life % 7 == 0) {
            stone_add_later(part->commands, entity);
            ticked_set_later(part->commands, entity, (place){ 1, 1 });
        }
    }
    pause_part();
}

static inline void tick_part(const kith_part *part)
{
    pause_part();
    KITH_EACH_PART(tickers, t, part)
    {
        t.ticked->x += t.at->x;
    }
    pause_part();
}

static inline void fresh_part(const kith_part *part)
{
    pause_part();
    KITH_EACH_PART(fresh, f, part)
    {
        f.at->y += 1;
    }
    pause_part();
}

static inline void seen_part(const kith_part *part)
{
    pause_part();
    double *sum = part->sum;
    KITH_EACH_PART(seen, s, part)
    {
        *sum += (double)s.at->x * 1.1;
    }
    pause_part();
}

static inline void add_sum(const kith_turn *turn, const void *sum, void *context)
{
    (void)turn;
    *(double *)context += *(const double *)sum;
}

static inline void light_part(const kith_part *part)
{
    pause_part();
    everyone e = everyone_begin_part(part);
    while (everyone_next(&e)) {
        if (kith_entity_index(e.entity) % 3 == part->turn->since % 3) {
            kith_component_remove_later(part->commands, e.entity, LIT);
        }
    }
    pause_part();
}

// A shared `run`: one part for all rows.
static inline void run_lonely(const kith_turn *turn)
{
    uint32_t count = 0;
    KITH_EACH_PART(lonely, l, turn->part)
    {
        if (++count % 97 == 0) {
            bound_set_later(turn->part->commands, l.entity, (bond){ l.entity });
        }
    }
}

// The entity table leads.
static inline void lonely_part(const kith_part *part)
{
    uint32_t count = 0;
    pause_part();
    for (lonely l = lonely_begin_part(part); lonely_next(&l);) {
        if (++count % 501 == 0) {
            fixed_set_later(part->commands, l.entity, (int32_t)count);
        }
    }
    pause_part();
}

static inline void mixed_part(const kith_part *part)
{
    pause_part();
    KITH_EACH_PART(mixed, m, part)
    {
        *m.life += m.moving != NULL ? 1 : m.stone != NULL ? 2 : 3;
        if (*m.life % 11 == 0) {
            fixed_remove_later(part->commands, m.entity);
        } else if (*m.life % 13 == 0) { // placeholders do not depend on threads either
            *m.life += (int32_t)kith_entity_index(kith_entity_create_later(part->commands)) % 97;
        }
        if (kith_entity_index(m.entity) % 256 == 3) {
            moving_mut(part->turn->world, m.entity); // refused
        }
    }
    pause_part();
}

static inline void newborn_part(const kith_part *part)
{
    pause_part();
    KITH_EACH_PART(newborn, n, part)
    {
        if (n.fixed != NULL) {
            *n.fixed += (int32_t)n.at->x;
        }
    }
    pause_part();
}

// Some calls are refused, also by the commands.
static inline void dormant_part(const kith_part *part)
{
    pause_part();
    KITH_EACH_PART(dormant, d, part)
    {
        d.at->y -= 1;
        if (kith_entity_index(d.entity) % 1000 == 7) {
            moving_mut(part->turn->world, d.entity);
            kith_component_set_later(part->commands, d.entity, 99, &(int){ 1 });
        }
    }
    pause_part();
}

static inline void posts_part(const kith_part *part)
{
    pause_part();
    posts p = posts_begin_part(part);
    while (posts_next_chunk(&p)) {
        for (uint32_t i = 0; i < p.count; i++) {
            p.fixed[i] = p.fixed[i] * 5 % 9973 + 1;
            if (p.fixed[i] % 64 == 0) {
                fixed_remove_later(part->commands, posts_entity(&p, i));
                lit_add_later(part->commands, posts_entity(&p, i));
            }
        }
    }
    pause_part();
}

// A shared `run` without a query: it reads by a loop of its own.
static inline void run_watch(const kith_turn *turn)
{
    float sum = 0;
    pause_part();
    for (places p = places_begin_read(turn->world); places_next(&p);) {
        sum += p.at->x;
    }
    kith_entity made = kith_entity_create_later(turn->part->commands);
    life_set_later(turn->part->commands, made, (int32_t)sum & 0xffff);
    pause_part();
}

// A system that runs alone, with a parallel loop inside of its turn.
static inline void run_posts(const kith_turn *turn)
{
    (void)kith_query_parallel(posts_query(turn->world),
                              &(kith_parallel_desc){ .part = posts_part });
}

static inline void run_plain(const kith_turn *turn)
{
    kith_entity entity = kith_entity_create(turn->world);
    at_set(turn->world, entity, (place){ 1, 2 });
    moving_set(turn->world, entity, (speed){ 1, 2 });
    life_set(turn->world, entity, 1);
    lit_add(turn->world, entity);
}

// --- worlds ----------------------------------------------------------------------------------

static inline void fill(kith_world *world, uint32_t count, uint64_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_entity entity = kith_entity_create(world);
        uint64_t    chance = test_random(&seed);
        at_set(world, entity, (place){ (float)(chance % 100), (float)i });
        if (chance >> 8 & 1) {
            moving_set(world, entity, (speed){ (float)(chance >> 9 & 7), 1 });
        }
        if (chance >> 12 & 1) {
            life_set(world, entity, (int32_t)(chance >> 13 & 15));
        }
        if ((chance >> 17 & 7) == 0) {
            stone_add(world, entity);
        }
        if ((chance >> 20 & 3) == 0) {
            lit_add(world, entity);
        }
        if ((chance >> 22 & 3) == 0) {
            ticked_set(world, entity, (place){ 0, 0 });
        }
        if ((chance >> 24 & 15) == 0) {
            at_disable(world, entity);
        }
        if ((chance >> 28 & 1) == 0) {
            fixed_set(world, entity, (int32_t)(chance >> 29 & 255));
        }
        if ((chance >> 40 & 31) == 0) { // a hole
            fixed_remove(world, entity);
        }
    }
}

#endif
