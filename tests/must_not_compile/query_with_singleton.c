// SPDX-License-Identifier: MIT
// A singleton is on no entity, so no entity is without it either.
// expect: season_id_
#include "components.h"

KITH_QUERY(wrong, read(position), without(season)); // error here, through a macro
