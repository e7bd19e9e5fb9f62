// SPDX-License-Identifier: MIT
// The second C file of test_link: uses every component of the shared header.
#include "link_components.h"

typedef enum colour { red, green = 7 } colour;
typedef enum coat { MATT, GLOSSY = 3 } coat;

typedef struct spot {
    float x, y;
} spot;

typedef struct paint {
    colour tint;
    coat   over;
    spot   at;
} paint;

KITH_FIELDS(spot, f32(x), f32(y));
KITH_CHOICES(colour, red, green);
KITH_CHOICES(coat, MATT, GLOSSY);
KITH_FIELDS(paint, choice(tint, colour), choice(over, coat), nested(at, spot));
KITH_COMPONENT_AS(link_paint, paint, LINK_PAINT, fields(paint));

bool link_change_in_c(kith_world *world, kith_entity entity)
{
    link_vec2 *speed = link_speed_add(world, entity);
    if (speed == NULL || !link_place_has(world, entity)) {
        return false;
    }
    speed->y = 1;
    return link_hits(world) && link_place_set(world, entity, (link_vec2){ 1, 0 }) != NULL &&
           link_frozen_add(world, entity) && link_hidden_add(world, entity) &&
           link_season_set(world, (link_season){ 1 }) != NULL;
}

uint32_t link_walk_in_c(kith_world *world)
{
    uint32_t    visited = link_walk_by_chunks(link_movers_begin(world));
    kith_query *query   = link_movers_query(world);
    visited += link_walk_by_chunks(link_movers_begin_stored(query));
    KITH_EACH(link_marked, m, world)
    {
        visited += m.link_place != NULL && m.link_frozen != NULL && m.link_hidden != NULL;
        break;
    }
    KITH_EACH_STORED(link_movers, s, query)
    {
        visited += s.link_place != NULL && s.link_speed != NULL && s.count == 1;
        break;
    }
    link_nameless n = link_nameless_begin_read(world);
    while (link_nameless_next(&n)) {
        visited += link_nameless_contains(world, n.entity);
    }
    kith_query_destroy(query);
    visited += link_walk_group(world);
    return kith_world_advance(world) != 0 ? visited : 0;
}

static int by_height(const link_vec2 *a, const link_vec2 *b, void *context)
{
    (void)context;
    return (a->y > b->y) - (a->y < b->y);
}

bool link_sort_in_c(kith_world *world, kith_sort_key *keys)
{
    link_list_keys(keys);
    return link_place_sort_by(world, KITH_KEY_DESCENDING(link_vec2, x)) &&
           link_place_value(world, 0)->x >= link_place_value(world, 1)->x &&
           link_place_sort(world, by_height, NULL) &&
           link_place_value(world, 0)->y <= link_place_value(world, 1)->y &&
           link_frozen_sort_as(world, LINK_PLACE);
}

bool link_save_in_c(kith_bytes *bytes)
{
    kith_world *world = kith_world_create(NULL);
    bool        good  = world != NULL && link_paint_register(world) &&
                link_paint_set(world, kith_entity_create(world),
                               (paint){ green, GLOSSY, { 1, 2 } }) != NULL &&
                kith_world_save_memory(world, NULL, bytes).code == KITH_OK;
    kith_world_destroy(world);
    return good;
}
