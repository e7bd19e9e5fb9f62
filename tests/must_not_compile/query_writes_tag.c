// SPDX-License-Identifier: MIT
// A tag has no value to write.
// expect: query wrong: frozen has no value to read or write in an entity
// in both languages
#include "components.h"

KITH_QUERY(wrong, write(frozen)); // error here, through a macro
