// SPDX-License-Identifier: MIT
// A singleton is on no entity, so no entity is without it either.
// expect: query wrong: season is a singleton, so no entity has it
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(position), without(season)); // error here, through a macro
