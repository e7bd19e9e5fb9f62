// SPDX-License-Identifier: MIT
// Negative ids are none.
// expect: component ids are 1..1023
#include "components.h"

KITH_TAG(stunned, -1); // error here, through a macro
