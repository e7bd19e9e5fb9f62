// SPDX-License-Identifier: MIT
// A type that is no component.
// expect: kith: this type is no component; specialize kith::component
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.has<unknown>(entity); // error here, through a template
}
