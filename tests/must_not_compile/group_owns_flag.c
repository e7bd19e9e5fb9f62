// SPDX-License-Identifier: MIT
// A flag has no rows that a group could keep.
// expect: query wrong: hidden has no value to read or write in an entity
// in both languages
#include "components.h"

KITH_GROUP(wrong, read(position), own(hidden)); // error here, through a macro
