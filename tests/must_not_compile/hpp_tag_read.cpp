// SPDX-License-Identifier: MIT
// A loop that reads a tag.
// expect: kith: a tag or a flag has no value to hand out; use kith::with
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.each<stone, wings>([](stone &, wings &) {}); // error here, through a template
}
