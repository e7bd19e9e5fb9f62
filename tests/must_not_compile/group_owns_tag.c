// SPDX-License-Identifier: MIT
// A tag has no value that a group could keep.
// expect: query wrong: frozen has no value to read or write in an entity
// in both languages
#include "components.h"

KITH_GROUP(wrong, own(frozen)); // error here, through a macro
