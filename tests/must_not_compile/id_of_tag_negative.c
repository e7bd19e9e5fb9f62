// SPDX-License-Identifier: MIT
// Negative ids are none.
// expect: stunned: -1 is no component id; component ids are 1..1023
// in both languages
#include "components.h"

KITH_TAG(stunned, -1); // error here, through a macro
