// SPDX-License-Identifier: MIT
// A plain component of a type that is not bytes.
// expect: name: std::string is not trivially copyable, and rows move; specialize kith::component
#include "components.h"

#include <string>

KITH_COMPONENT(name, std::string, 9); // error here, through a macro
