// SPDX-License-Identifier: MIT
// The value has the component's type.
// expect: incompatible type
#include "components.h"

bool wrong(kith_world *world, kith_entity entity)
{
    return position_set_if_changed(world, entity, 3.0f); // error here
}
