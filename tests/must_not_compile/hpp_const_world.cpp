// SPDX-License-Identifier: MIT
// A loop that writes into a const world.
// expect: kith: this world is const; ask for const T
// standard: c++17
#include "components.hpp"

void wrong(const kith::world &world)
{
    world.each<stone>([](stone &) {}); // error here, through a template
}
