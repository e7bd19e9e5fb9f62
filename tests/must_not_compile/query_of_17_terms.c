// SPDX-License-Identifier: MIT
// A typed query has at most 16 terms.
// expect: query wrong has more than 16 terms
// in both languages
#include "components.h"

#define FOUR with(frozen), with(frozen), with(frozen), with(frozen)

KITH_QUERY(wrong, FOUR, FOUR, FOUR, FOUR, with(frozen)); // error here, through a macro
