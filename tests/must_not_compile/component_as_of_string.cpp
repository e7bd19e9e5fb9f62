// SPDX-License-Identifier: MIT
// A saved component of a type that is not bytes.
// expect: name: std::string is not trivially copyable.* KITH_COMPONENT_WITH and kith::traits<
#include "components.h"

#include <string>

KITH_COMPONENT_AS(name, std::string, 9, transient); // error here, through a macro
