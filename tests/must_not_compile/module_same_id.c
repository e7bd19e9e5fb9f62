// SPDX-License-Identifier: MIT
// Two components of a module have one id, the highest.
// expect: module wrong: gold has the same id as another component
// in both languages
#include "components.h"

KITH_COMPONENT(gold, int, 1023);
KITH_TAG(silver, 1022);
KITH_TAG(copper, 1023);

KITH_MODULE(wrong, position, gold, silver, copper); // error here, through a macro
