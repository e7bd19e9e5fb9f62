// SPDX-License-Identifier: MIT
// Runs the changes of the other files and reads here what they left behind.
#include "link_components.h"

#include <stdio.h>

// One entity by two chunk walks, two scoped loops, one reading walk and one over a group.
#define VISITS 6u

// The file and the language that changed the entity left `step` in every component.
static bool reads_as_changed(const kith_world *world, kith_entity entity, int step)
{
    const link_vec2 *place = link_place_get(world, entity);
    const link_vec2 *speed = link_speed_get(world, entity);
    return place != NULL && place->x == (float)step && speed != NULL && speed->y == (float)step &&
           link_frozen_has(world, entity) && link_hidden_has(world, entity) &&
           link_season_get(world)->day == step && link_speed_count(world) == 1;
}

#ifdef LINK_WITH_CPP
static bool same_keys(const kith_sort_key *a, const kith_sort_key *b)
{
    for (int i = 0; i < LINK_KEYS; i++) {
        if (a[i].offset != b[i].offset || a[i].type != b[i].type ||
            a[i].descending != b[i].descending) {
            return false;
        }
    }
    return true;
}
#endif

// Two places, one further and lower than the other.
static bool sorts_in_every_language(kith_world *world)
{
    kith_sort_key in_c[LINK_KEYS];
    link_place_set(world, kith_entity_create(world), (link_vec2){ 7, -7 });
    if (!link_sort_in_c(world, in_c) || in_c[0].offset != 0 ||
        in_c[LINK_KEYS - 2].type != KITH_TYPE_F64) {
        return false;
    }
#ifdef LINK_WITH_CPP
    kith_sort_key in_cpp[LINK_KEYS];
    return link_sort_in_cpp(world, in_cpp) && same_keys(in_c, in_cpp);
#else
    return true;
#endif
}

// What C saved is what C++ loads.
static bool reads_in_every_language(void)
{
    kith_bytes bytes = { 0 };
    bool       good  = link_save_in_c(&bytes);
#ifdef LINK_WITH_CPP
    good = good && link_load_in_cpp(&bytes);
#endif
    kith_bytes_free(&bytes);
    return good;
}

static bool run(kith_world *world)
{
    kith_entity entity = kith_entity_create(world);
    if (!link_game_register(world) || !link_change_in_c(world, entity) ||
        !reads_as_changed(world, entity, 1) || link_walk_in_c(world) != VISITS) {
        return false;
    }
#ifdef LINK_WITH_CPP
    if (!link_change_in_cpp(world, entity) || !reads_as_changed(world, entity, 2) ||
        link_walk_in_cpp(world) != VISITS) {
        return false;
    }
#endif
    return sorts_in_every_language(world) && reads_in_every_language() &&
           link_name_set(world, entity, "ship") != NULL && kith_world_validate(world, NULL);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    bool        good  = world != NULL && run(world);
    kith_world_destroy(world);
    printf("%s\n", good ? "all files match" : "the files do not match");
    return good ? 0 : 1;
}
