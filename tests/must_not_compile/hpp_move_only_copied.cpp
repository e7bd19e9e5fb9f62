// SPDX-License-Identifier: MIT
// A value that can only be moved, set by copying.
// expect: deleted
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    engine one;
    world.set(entity, one); // error here, through a template
}
