// SPDX-License-Identifier: MIT
// A table has at most 64 fields.
// expect: table vec2 has more than 64 fields
// in both languages
#include "components.h"

#define FOUR    f32(x), f32(x), f32(x), f32(x)
#define SIXTEEN FOUR, FOUR, FOUR, FOUR

KITH_FIELDS(vec2, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, f32(x)); // error here, through a macro
