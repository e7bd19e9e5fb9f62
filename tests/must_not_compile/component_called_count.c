// SPDX-License-Identifier: MIT
// Every cursor has a field of that name.
// expect: component count: the cursor of every query has a field of that name
// in both languages
#include "components.h"

KITH_COMPONENT(count, int, 20); // error here, through a macro
