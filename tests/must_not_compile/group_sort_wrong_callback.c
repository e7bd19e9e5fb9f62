// SPDX-License-Identifier: MIT
// A function that compares values of another type than the group's field.
// expect: incompatible (function )?pointer type
#include "components.h"

KITH_GROUP(bodies, own(position), with(frozen));

static int compare(const float *a, const float *b, void *context)
{
    (void)context;
    return *a < *b ? -1 : 1;
}

bool wrong(kith_group *group)
{
    return bodies_sort_position(group, compare, NULL); // error here
}
