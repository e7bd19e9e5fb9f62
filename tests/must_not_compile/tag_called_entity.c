// SPDX-License-Identifier: MIT
// Every cursor has a field of that name.
// expect: component entity: the cursor of every query has a field of that name
// in both languages
#include "components.h"

KITH_TAG(entity, 20); // error here, through a macro
