// SPDX-License-Identifier: MIT
// A handler for events of another type.
// expect: incompatible (function )?pointer type
#include "components.h"

static void handle(kith_world *world, const float *event, void *context)
{
    (void)world;
    (void)event;
    (void)context;
}

void wrong(hit_queue hits)
{
    hit_connect(hits, handle, NULL, 0); // error here
}
