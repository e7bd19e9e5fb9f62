// SPDX-License-Identifier: MIT
// A component whose move constructor may throw.
// expect: kith: moving this type may throw
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.add_components<loud>(); // error here, through a template
}
