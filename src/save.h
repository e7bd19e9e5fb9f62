// SPDX-License-Identifier: MIT
// What saving and loading share.
#ifndef KITH_SAVE_H
#define KITH_SAVE_H

#include "world.h"

// Why the world cannot be saved or loaded now, static text; NULL: it can.
KITH_INTERNAL const char *kith_world_restless(const kith_world *world);

#endif
