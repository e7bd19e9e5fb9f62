// SPDX-License-Identifier: MIT
// A tag has no value to read.
// expect: query wrong: frozen has no value to read or write in an entity
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(position), read(frozen)); // error here, through a macro
