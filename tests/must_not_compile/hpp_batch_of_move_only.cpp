// SPDX-License-Identifier: MIT
// A batch of values that can only be moved.
// expect: kith: this type is set by moving; a batch copies
// standard: c++17
#include "components.hpp"

void wrong(kith::world &world, kith_entity entity)
{
    (void)entity;
    kith::values<engine>(nullptr); // error here, through a template
}
