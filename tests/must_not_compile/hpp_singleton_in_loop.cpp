// SPDX-License-Identifier: MIT
// A loop over a singleton.
// expect: kith: no entity has a singleton
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.each<year>([](year &) {}); // error here, through a template
}
