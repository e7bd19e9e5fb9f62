// SPDX-License-Identifier: MIT
// 0 is no component.
// expect: component ids are 1..1023
#include "components.h"

KITH_COMPONENT(health, int, 0); // error here, through a macro
