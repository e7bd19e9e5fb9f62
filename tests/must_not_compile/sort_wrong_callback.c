// SPDX-License-Identifier: MIT
// A function that compares values of another type.
// expect: incompatible (function )?pointer type
#include "components.h"

static int compare(const float *a, const float *b, void *context)
{
    (void)context;
    return *a < *b ? -1 : 1;
}

bool wrong(kith_world *world)
{
    return position_sort(world, compare, NULL); // error here
}
