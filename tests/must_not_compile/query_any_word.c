// SPDX-License-Identifier: MIT
// Alternatives have no words of their own.
// expect: query wrong: any takes the names of components, without a word
// in both languages
#include "components.h"

KITH_QUERY(wrong, any(read(mass), position)); // error here, through a macro
