// SPDX-License-Identifier: MIT
// One name, two components.
// expect: redefinition
#include "components.h"

KITH_COMPONENT(position, int, 9); // error here, through a macro
