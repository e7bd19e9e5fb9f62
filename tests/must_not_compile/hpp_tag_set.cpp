// SPDX-License-Identifier: MIT
// A tag that is set.
// expect: kith: only a component with values can be set
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.set(entity, wings{}); // error here, through a template
}
