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
    return link_name_set(world, entity, "ship") != NULL && kith_world_validate(world, NULL);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    bool        good  = world != NULL && run(world);
    kith_world_destroy(world);
    printf("%s\n", good ? "all files agree" : "the files do not agree");
    return good ? 0 : 1;
}
