// SPDX-License-Identifier: MIT
// A body that writes what the loop reads.
// expect: kith: the body of each.. takes the values in the order of the terms
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.each<const stone>([](stone &) {}); // error here, through a template
}
