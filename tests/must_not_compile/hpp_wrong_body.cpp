// SPDX-License-Identifier: MIT
// A body that takes other values than the terms.
// expect: kith: the body of each.. takes the values in the order of the terms
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.each<stone>([](year &) {}); // error here, through a template
}
