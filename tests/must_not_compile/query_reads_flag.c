// SPDX-License-Identifier: MIT
// A flag has no value to read.
// expect: hidden_type_
#include "components.h"

KITH_QUERY(wrong, read(hidden), read(position)); // error here, through a macro
