// SPDX-License-Identifier: MIT
// A singleton has no rows that could change.
// expect: query wrong: season is a singleton, so no entity has it
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(position), changed(season)); // error here, through a macro
