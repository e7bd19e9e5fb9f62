// SPDX-License-Identifier: MIT
// There is no such word.
// expect: KITH_PICK2_
#include "components.h"

KITH_QUERY(wrong, reed(position)); // error here, through a macro
