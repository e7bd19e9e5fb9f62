// SPDX-License-Identifier: MIT
// A singleton is on no entity.
// expect: query wrong: season has no value to read or write in an entity
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(position), read(season)); // error here, through a macro
