// SPDX-License-Identifier: MIT
// A module with a component that does not exist.
// expect: .positon_is_a_component_.
// in both languages
#include "components.h"

KITH_MODULE(wrong, position, positon); // error here, through a macro
