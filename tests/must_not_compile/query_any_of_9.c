// SPDX-License-Identifier: MIT
// An `any` has at most 8 alternatives.
// expect: query wrong: any has more than 8 components
// in both languages
#include "components.h"

#define FOUR mass, mass, mass, mass

KITH_QUERY(wrong, any(FOUR, FOUR, mass)); // error here, through a macro
