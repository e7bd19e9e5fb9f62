// SPDX-License-Identifier: MIT
// A singleton is on no entity.
// expect: season_type_|season_id_
#include "components.h"

KITH_QUERY(wrong, read(position), read(season)); // error here, through a macro
