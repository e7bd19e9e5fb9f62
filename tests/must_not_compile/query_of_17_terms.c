// SPDX-License-Identifier: MIT
// A typed query has at most 16 terms.
// expect: KITH_TERMS17_
#include "components.h"

KITH_QUERY(wrong, // error here, through a macro
           with(frozen), with(frozen), with(frozen), with(frozen), with(frozen), with(frozen),
           with(frozen), with(frozen), with(frozen), with(frozen), with(frozen), with(frozen),
           with(frozen), with(frozen), with(frozen), with(frozen), with(frozen));
