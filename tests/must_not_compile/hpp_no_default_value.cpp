// SPDX-License-Identifier: MIT
// The default value of a type without one.
// expect: kith: this type has no default value
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.add<sealed>(entity); // error here, through a template
}
