// SPDX-License-Identifier: MIT
// A term without a field over a component that does not exist.
// expect: .positon_is_a_component_of_entities_.
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(mass), with(positon)); // error here, through a macro
