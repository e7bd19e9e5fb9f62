// SPDX-License-Identifier: MIT
// An alternative that does not exist.
// expect: .positon_is_a_component_of_entities_.
// in both languages
#include "components.h"

KITH_QUERY(wrong, any(mass, positon)); // error here, through a macro
