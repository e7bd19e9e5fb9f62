// SPDX-License-Identifier: MIT
// A component that cannot be moved.
// expect: kith: this type cannot be moved, but rows move
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.add_components<fixed>(); // error here, through a template
}
