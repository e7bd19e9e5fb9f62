// SPDX-License-Identifier: MIT
// One component, two fields.
// expect: duplicate member
#include "components.h"

KITH_QUERY(wrong, read(position), write(position)); // error here, through a macro
