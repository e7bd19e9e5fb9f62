// SPDX-License-Identifier: MIT
// A singleton has an id as well.
// expect: module wrong: season has the same id as another component
// in both languages
#include "components.h"

KITH_FLAG(sunny, SEASON);

KITH_MODULE(wrong, position, season, sunny); // error here, through a macro
