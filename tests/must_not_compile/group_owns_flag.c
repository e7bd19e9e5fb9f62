// SPDX-License-Identifier: MIT
// A flag has no rows that a group could keep.
// expect: hidden_type_
#include "components.h"

KITH_GROUP(wrong, read(position), own(hidden)); // error here, through a macro
