// SPDX-License-Identifier: MIT
// A key that is no number.
// expect: not compatible with any (generic )?association
#include "components.h"

typedef struct line {
    vec2 from, to;
} line;

kith_sort_key wrong(void)
{
    return KITH_KEY(line, to); // error here, through a macro
}
