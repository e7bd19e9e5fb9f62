// SPDX-License-Identifier: MIT
#include "link_components.h"

bool link_change_in_c(kith_world *world, kith_entity entity)
{
    link_vec2 *speed = link_speed_add(world, entity);
    if (speed == NULL || !link_place_has(world, entity)) {
        return false;
    }
    speed->y = 1;
    return link_place_set(world, entity, (link_vec2){ 1, 0 }) != NULL &&
           link_frozen_add(world, entity) && link_hidden_add(world, entity) &&
           link_season_set(world, (link_season){ 1 }) != NULL;
}
