// SPDX-License-Identifier: MIT
// One beyond the last id.
// expect: component ids are 1..1023
#include "components.h"

KITH_COMPONENT(health, int, 1024); // error here, through a macro
