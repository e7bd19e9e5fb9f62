// SPDX-License-Identifier: MIT
// A flag has no value to read.
// expect: query wrong: hidden has no value to read or write in an entity
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(hidden), read(position)); // error here, through a macro
