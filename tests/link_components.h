// SPDX-License-Identifier: MIT
// A header as a program would have it, with every kind of component, included by two C files and a
// C++ file that are linked into one program: nothing may be defined twice, everything must match.
#ifndef LINK_COMPONENTS_H
#define LINK_COMPONENTS_H

#include "kith/kith.h"
#include "kith/snapshot.h"

#ifdef __cplusplus
extern "C" { // as many headers that C++ shares
#endif

typedef struct link_vec2 {
    float x, y;
} link_vec2;

typedef struct link_season {
    int day;
} link_season;

typedef struct link_numbers {
    bool               truth;
    char               letter;
    signed char        small;
    uint8_t            byte;
    short              brief;
    uint16_t           half;
    int                whole;
    uint32_t           natural;
    long               wide;
    unsigned long      wide_natural;
    long long          widest;
    unsigned long long widest_natural;
    int64_t            exact;
    const float        real;
    double             precise;
} link_numbers;

enum { LINK_PLACE = 1, LINK_SPEED, LINK_NAME, LINK_FROZEN, LINK_HIDDEN, LINK_SEASON, LINK_PAINT };

static const kith_component link_speed_needs[] = { LINK_PLACE };
static const kith_traits    link_speed_traits  = { KITH_POLICY_STABLE,
                                                   64,
                                                   8,
                                                   { NULL, NULL, NULL, NULL, NULL }, // no hooks
                                                   link_speed_needs,
                                                   1,
                                                   false,
                                                   false,
                                                   false,
                                                   false,
                                                   0,
                                                   KITH_AS(plain(4)),
                                                   NULL,
                                                   0 };

static const kith_traits link_hidden_traits = { KITH_POLICY_SWAP,
                                                0,
                                                0,
                                                { NULL, NULL, NULL, NULL, NULL },
                                                NULL,
                                                0,
                                                false,
                                                false,
                                                false,
                                                true, // not_cloned
                                                0,
                                                { KITH_FORM_NONE, 0, NULL, NULL, 0, NULL },
                                                NULL,
                                                0 };

KITH_FIELDS(link_vec2, f32(x), f32(y));
KITH_FIELDS(link_season, i32(day));
KITH_COMPONENT(link_place, link_vec2, LINK_PLACE);
KITH_COMPONENT_WITH(link_speed, link_vec2, LINK_SPEED, link_speed_traits);
KITH_COMPONENT(link_name, const char *, LINK_NAME);
KITH_TAG(link_frozen, LINK_FROZEN);
KITH_FLAG_WITH(link_hidden, LINK_HIDDEN, link_hidden_traits);
KITH_SINGLETON(link_season, link_season, LINK_SEASON);
KITH_MODULE(link_game, link_place, link_speed, link_name, link_frozen, link_hidden, link_season);
KITH_QUERY(link_movers, write(link_place), read(link_speed), without(link_name));
KITH_QUERY(link_marked, read(link_place), optional_write(link_speed),
           any(link_frozen, link_hidden));
KITH_QUERY(link_nameless, without(link_name));
KITH_PATH(link_way, link_place, link_speed);
KITH_GROUP(link_bodies, own(link_place), read(link_speed), with(link_frozen), without(link_name));
KITH_EVENT(link_hit, link_vec2);
KITH_EVENT_AS(link_note, float, plain(4));

static inline void link_handle(kith_world *world, const link_vec2 *event, void *context)
{
    (void)world;
    *KITH_CAST_(float *, context) += event->x;
}

// Whether an event goes through a queue.
static inline bool link_hits(kith_world *world)
{
    float          reported  = 0;
    link_hit_queue hits      = link_hit_of(world, 2);
    link_vec2      event     = { 3, 4 };
    kith_listener  connected = link_hit_connect(hits, link_handle, &reported, 0);
    return link_hit_enqueue(hits, event) && link_hit_update(hits) == 1 && reported > 2 &&
           kith_listener_disconnect(world, connected);
}

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
        visited += kith_group_contains(group, c.entity) &&
                   link_bodies_get(world, c.entity).link_place == c.link_place;
    }
    visited = visited == kith_group_count(group) ? visited : 0;
    return kith_group_drop(group) ? visited : 0;
}

#define LINK_KEYS 17

// The same key from either language.
static inline void link_list_keys(kith_sort_key *keys)
{
    const kith_sort_key all[LINK_KEYS] = {
        KITH_KEY(link_numbers, truth),
        KITH_KEY(link_numbers, letter),
        KITH_KEY(link_numbers, small),
        KITH_KEY(link_numbers, byte),
        KITH_KEY(link_numbers, brief),
        KITH_KEY(link_numbers, half),
        KITH_KEY(link_numbers, whole),
        KITH_KEY(link_numbers, natural),
        KITH_KEY(link_numbers, wide),
        KITH_KEY(link_numbers, wide_natural),
        KITH_KEY(link_numbers, widest),
        KITH_KEY(link_numbers, widest_natural),
        KITH_KEY(link_numbers, exact),
        KITH_KEY(link_numbers, real),
        KITH_KEY(link_numbers, precise),
        KITH_KEY_DESCENDING(link_numbers, precise),
        KITH_KEY_OF(double),
    };
    for (int i = 0; i < LINK_KEYS; i++) {
        keys[i] = all[i];
    }
}

#ifdef __cplusplus
extern "C" {
#endif

// What the list is in its language, and whether two rows were sorted there.
bool link_sort_in_c(kith_world *world, kith_sort_key *keys);
bool link_sort_in_cpp(kith_world *world, kith_sort_key *keys);

// Each changes the entity and the world in its own file and language; false when a call failed.
bool link_change_in_c(kith_world *world, kith_entity entity);
bool link_change_in_cpp(kith_world *world, kith_entity entity);

// Each walks the queries above in every form and counts the visits; 0 when a loop went wrong.
uint32_t link_walk_in_c(kith_world *world);
uint32_t link_walk_in_cpp(kith_world *world);

// C saves a component whose types are at file scope. C++ has the same types in a namespace: it
// loads these bytes, and saves the same ones. False when a call or a comparison failed.
bool link_save_in_c(kith_bytes *bytes);
bool link_load_in_cpp(const kith_bytes *bytes);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
}
#endif

#endif
