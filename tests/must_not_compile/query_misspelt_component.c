// SPDX-License-Identifier: MIT
// A query over a component that does not exist.
// expect: positon_type_|positon_id_
#include "components.h"

KITH_QUERY(wrong, read(positon)); // error here, through a macro
