// SPDX-License-Identifier: MIT
// A component of entities as a singleton.
// expect: kith: this component is no singleton
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    world.single<stone>(); // error here, through a template
}
