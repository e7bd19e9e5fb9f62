// SPDX-License-Identifier: MIT
// What the wrong programs of this folder, and the right one, are written against.
#ifndef COMPONENTS_H
#define COMPONENTS_H

#include "kith/kith.h"

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, MASS, FROZEN, HIDDEN, SEASON };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT(mass, float, MASS);
KITH_TAG(frozen, FROZEN);
KITH_FLAG(hidden, HIDDEN);
KITH_SINGLETON(season, int, SEASON);
KITH_EVENT(hit, vec2);
KITH_EVENT(bell, float);
KITH_MODULE(game, position, mass, frozen, hidden, season);

#endif
