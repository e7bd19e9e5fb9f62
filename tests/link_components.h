// SPDX-License-Identifier: MIT
// A header as a program would have it, with every kind of component, included by two C files and a
// C++ file that are linked into one program: nothing may be defined twice, everything must agree.
#ifndef LINK_COMPONENTS_H
#define LINK_COMPONENTS_H

#include "kith/kith.h"

typedef struct link_vec2 {
    float x, y;
} link_vec2;

typedef struct link_season {
    int day;
} link_season;

enum { LINK_PLACE = 1, LINK_SPEED, LINK_NAME, LINK_FROZEN, LINK_HIDDEN, LINK_SEASON };

static const kith_component link_speed_needs[] = { LINK_PLACE };
static const kith_traits    link_speed_traits  = {
        KITH_POLICY_STABLE, 64, 8, { NULL, NULL, NULL, NULL, NULL }, link_speed_needs, 1
};

KITH_COMPONENT(link_place, link_vec2, LINK_PLACE);
KITH_COMPONENT_WITH(link_speed, link_vec2, LINK_SPEED, link_speed_traits);
KITH_COMPONENT(link_name, const char *, LINK_NAME);
KITH_TAG(link_frozen, LINK_FROZEN);
KITH_FLAG(link_hidden, LINK_HIDDEN);
KITH_SINGLETON(link_season, link_season, LINK_SEASON);
KITH_MODULE(link_game, link_place, link_speed, link_name, link_frozen, link_hidden, link_season);
KITH_QUERY(link_movers, write(link_place), read(link_speed), without(link_name));
KITH_QUERY(link_marked, read(link_place), optional_write(link_speed),
           any(link_frozen, link_hidden));
KITH_QUERY(link_nameless, without(link_name));
KITH_GROUP(link_bodies, own(link_place), read(link_speed), with(link_frozen), without(link_name));

// In either language, from a header.
static inline uint32_t link_walk_by_chunks(link_movers c)
{
    uint32_t visited = 0;
    while (link_movers_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            c.link_place[i].y += c.link_speed[i].y;
            visited += link_movers_entity(&c, i) != KITH_NULL;
        }
    }
    return visited;
}

static inline uint32_t link_walk_group(kith_world *world)
{
    kith_group *group   = link_bodies_group(world);
    uint32_t    visited = 0;
    link_bodies c       = link_bodies_begin(world);
    while (link_bodies_next(&c)) {
        c.link_place->y += c.link_speed->y;
        visited += kith_group_contains(group, c.entity);
    }
    visited = visited == kith_group_count(group) ? visited : 0;
    return kith_group_destroy(group) ? visited : 0;
}

#ifdef __cplusplus
extern "C" {
#endif

// Each changes the entity and the world in its own file and language; false when a call failed.
bool link_change_in_c(kith_world *world, kith_entity entity);
bool link_change_in_cpp(kith_world *world, kith_entity entity);

// Each walks the queries above in every form and counts the visits; 0 when a loop went wrong.
uint32_t link_walk_in_c(kith_world *world);
uint32_t link_walk_in_cpp(kith_world *world);

#ifdef __cplusplus
}
#endif

#endif
