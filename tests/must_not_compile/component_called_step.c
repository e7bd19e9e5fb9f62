// SPDX-License-Identifier: MIT
// Every cursor has a field of that name.
// expect: component step_: the cursor of every query has a field of that name
// in both languages
#include "components.h"

KITH_COMPONENT(step_, int, 20); // error here, through a macro
