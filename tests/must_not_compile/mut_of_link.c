// SPDX-License-Identifier: MIT
// No function hands out a link to write.
// expect: holder_mut
// in both languages
#include "components.h"

#include "kith/link.h"

KITH_LINK(holder, 9, KITH_TARGET_CLEAR);

void wrong(kith_world *world, kith_entity entity, kith_entity target)
{
    holder_mut(world, entity)->target = target; // error here
}
