// SPDX-License-Identifier: MIT
// No function hands out a name to write.
// expect: label_mut
// in both languages
#include "components.h"

#include "kith/name.h"

KITH_NAME(label, 9);

void wrong(kith_world *world, kith_entity entity)
{
    label_mut(world, entity)->size = 0; // error here
}
