// SPDX-License-Identifier: MIT
// An event for a queue of others.
// expect: incompatible type
#include "components.h"

void wrong(bell_queue bells)
{
    hit_enqueue(bells, (vec2){ 1, 2 }); // error here
}
