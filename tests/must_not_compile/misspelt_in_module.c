// SPDX-License-Identifier: MIT
// A module with a component that does not exist.
// expect: positon_desc
#include "components.h"

KITH_MODULE(wrong, position, positon); // error here, through a macro
