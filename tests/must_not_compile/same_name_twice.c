// SPDX-License-Identifier: MIT
// One name, two components.
// expect: position_is_a_component_
// in both languages
#include "components.h"

KITH_COMPONENT(position, int, 9); // error here, through a macro
