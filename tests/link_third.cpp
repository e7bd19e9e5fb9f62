// SPDX-License-Identifier: MIT
#include "link_components.h"

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
    return link_place_set(world, entity, link_vec2{ 2, 0 }) != nullptr &&
           link_speed_patch(world, entity, speed_up, &step) != nullptr &&
           link_frozen_add(world, entity) && link_hidden_add(world, entity);
}
