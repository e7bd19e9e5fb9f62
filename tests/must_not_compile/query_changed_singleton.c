// SPDX-License-Identifier: MIT
// A singleton has no rows that could change.
// expect: season_id_
#include "components.h"

KITH_QUERY(wrong, read(position), changed(season)); // error here, through a macro
