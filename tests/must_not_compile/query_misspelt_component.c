// SPDX-License-Identifier: MIT
// A query over a component that does not exist.
// expect: .positon_is_a_component_with_a_value_.
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(positon)); // error here, through a macro
