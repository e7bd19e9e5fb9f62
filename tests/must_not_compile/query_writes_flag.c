// SPDX-License-Identifier: MIT
// A flag has no value to write.
// expect: hidden_type_
#include "components.h"

KITH_QUERY(wrong, read(position), optional_write(hidden)); // error here, through a macro
