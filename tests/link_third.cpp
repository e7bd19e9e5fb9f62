// SPDX-License-Identifier: MIT
// The C++ file of test_link: uses every component of the shared header.
#include "link_components.h"

#include <cstring>

// The types of link_second.c with scopes, of each kind.
namespace linked
{

enum class colour { red, green = 7 };
enum coat { MATT, GLOSSY = 3 };

struct spot {
    float x, y;
};

struct paint {
    colour tint;
    coat   over;
    spot   at;
};

KITH_FIELDS(spot, f32(x), f32(y));

} // namespace linked

KITH_CHOICES(linked::colour, linked::colour::red, linked::colour::green);
KITH_CHOICES(linked::coat, linked::MATT, linked::coat::GLOSSY);
KITH_FIELDS(linked::paint, choice(tint, linked::colour), choice(over, linked::coat),
            nested(at, linked::spot));

// Tables in a namespace hide none of those outside of it.
namespace linked
{

struct wall {
    paint coats[2];
};

struct house {
    wall   walls[4];
    colour door;
};

KITH_FIELDS(wall, nested(coats, linked::paint));
KITH_FIELDS(house, nested(walls, linked::wall), choice(door, linked::colour));

} // namespace linked

KITH_COMPONENT_AS(link_paint, linked::paint, LINK_PAINT, fields(linked::paint));

static void speed_up(link_vec2 *speed, void *step)
{
    speed->y = static_cast<float>(*static_cast<const int *>(step));
}

bool link_change_in_cpp(kith_world *world, kith_entity entity)
{
    int step = 2;
    if (!link_frozen_remove(world, entity) || !link_hidden_remove(world, entity)) {
        return false;
    }
    link_season_mut(world)->day = step;
    return link_hits(world) && link_place_set(world, entity, link_vec2{ 2, 0 }) != nullptr &&
           link_speed_patch(world, entity, speed_up, &step) != nullptr &&
           link_frozen_add(world, entity) && link_hidden_add(world, entity);
}

// Leaves the loop by return: its destructor closes it.
static uint32_t first_marked(kith_world *world)
{
    KITH_EACH(link_marked, m, world)
    {
        return m.link_place != nullptr && m.link_frozen != nullptr && m.link_hidden != nullptr;
    }
    return 0;
}

static uint32_t first_stored(kith_query *query)
{
    KITH_EACH_STORED(link_movers, m, query)
    {
        return m.link_place != nullptr && m.link_speed != nullptr && m.count == 1;
    }
    return 0;
}

// And by an exception.
static uint32_t thrown_from_a_loop(kith_world *world)
{
    try {
        KITH_EACH(link_nameless, n, world)
        {
            throw n.entity;
        }
    } catch (kith_entity entity) {
        return kith_entity_alive(world, entity) && kith_world_advance(world) != 0;
    }
    return 0;
}

uint32_t link_walk_in_cpp(kith_world *world)
{
    uint32_t    visited = link_walk_by_chunks(link_movers_begin(world));
    kith_query *query   = link_movers_query(world);
    visited += link_walk_by_chunks(link_movers_begin_stored(query));
    visited += first_marked(world) & thrown_from_a_loop(world);
    visited += first_stored(query);
    link_nameless n = link_nameless_begin_read(world);
    while (link_nameless_next(&n)) {
        visited += link_nameless_contains(world, n.entity);
    }
    kith_query_destroy(query);
    visited += link_walk_group(world);
    return kith_world_advance(world) != 0 ? visited : 0;
}

static int by_height_too(const link_vec2 *a, const link_vec2 *b, void *context)
{
    (void)context;
    return (a->y > b->y) - (a->y < b->y);
}

bool link_sort_in_cpp(kith_world *world, kith_sort_key *keys)
{
    link_list_keys(keys);
    return link_place_sort_by(world, KITH_KEY_DESCENDING(link_vec2, x)) &&
           link_place_value(world, 0)->x >= link_place_value(world, 1)->x &&
           link_place_sort(world, by_height_too, nullptr) &&
           link_place_value(world, 0)->y <= link_place_value(world, 1)->y &&
           link_frozen_sort_as(world, LINK_PLACE);
}

static bool unscoped(const kith_choices *choices, const char *name, const char *first,
                     const char *second)
{
    return std::strcmp(choices->name, name) == 0 && choices->count == 2 &&
           std::strcmp(choices->list[0].name, first) == 0 &&
           std::strcmp(choices->list[1].name, second) == 0;
}

// No name in the table has a scope.
static bool named_as_in_c(const kith_fields *table)
{
    return std::strcmp(table->name, "paint") == 0 && table->count == 3 &&
           unscoped(table->list[0].choices, "colour", "red", "green") &&
           unscoped(table->list[1].choices, "coat", "MATT", "GLOSSY") &&
           std::strcmp(table->list[2].nested->name, "spot") == 0;
}

static bool painted(const linked::paint *value)
{
    return value != nullptr && value->tint == linked::colour::green &&
           value->over == linked::GLOSSY && value->at.x < value->at.y;
}

bool link_load_in_cpp(const kith_bytes *bytes)
{
    kith_bytes  again{};
    kith_world *world = kith_world_create(nullptr);
    bool        good  = world != nullptr && link_paint_register(world) &&
                named_as_in_c(link_paint_desc().traits.saved.fields) &&
                kith_world_load(world, nullptr, bytes->data, bytes->size).code == KITH_OK &&
                link_paint_count(world) == 1 && painted(link_paint_value(world, 0)) &&
                kith_world_save_memory(world, nullptr, &again).code == KITH_OK &&
                again.size == bytes->size && std::memcmp(again.data, bytes->data, again.size) == 0;
    kith_bytes_free(&again);
    kith_world_destroy(world);
    return good;
}
