// SPDX-License-Identifier: MIT
// 0 is no component.
// expect: health: 0 is no component id; component ids are 1..1023
// in both languages
#include "components.h"

KITH_COMPONENT(health, int, 0); // error here, through a macro
