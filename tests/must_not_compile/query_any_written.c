// SPDX-License-Identifier: MIT
// Alternatives cannot be written.
// expect: query wrong: any hands out values to read; to write them take optional_write
// in both languages
#include "components.h"

KITH_QUERY(wrong, any(write(mass), position)); // error here, through a macro
