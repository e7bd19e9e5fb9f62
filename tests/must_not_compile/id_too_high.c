// SPDX-License-Identifier: MIT
// One beyond the last id.
// expect: health: 1024 is no component id; component ids are 1..1023
// in both languages
#include "components.h"

KITH_COMPONENT(health, int, 1024); // error here, through a macro
