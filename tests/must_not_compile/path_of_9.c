// SPDX-License-Identifier: MIT
// A path has at most 8 components.
// expect: path wrong has more than 8 components
// in both languages
#include "components.h"

#define FOUR mass, mass, mass, mass

KITH_PATH(wrong, FOUR, FOUR, mass); // error here, through a macro
