// SPDX-License-Identifier: MIT
// A flag has no value to get.
// expect: implicit declaration of function .hidden_get.
#include "components.h"

bool wrong(const kith_world *world, kith_entity entity)
{
    return hidden_get(world, entity); // error here
}
