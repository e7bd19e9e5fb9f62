// SPDX-License-Identifier: MIT
// A tag has no value to read.
// expect: frozen_type_
#include "components.h"

KITH_QUERY(wrong, read(position), read(frozen)); // error here, through a macro
