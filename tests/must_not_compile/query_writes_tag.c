// SPDX-License-Identifier: MIT
// A tag has no value to write.
// expect: frozen_type_
#include "components.h"

KITH_QUERY(wrong, write(frozen)); // error here, through a macro
