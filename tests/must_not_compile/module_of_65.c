// SPDX-License-Identifier: MIT
// A module has at most 64 components.
// expect: module wrong has more than 64 components
// in both languages
#include "components.h"

#define FOUR    mass, mass, mass, mass
#define SIXTEEN FOUR, FOUR, FOUR, FOUR

KITH_MODULE(wrong, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, mass); // error here, through a macro
