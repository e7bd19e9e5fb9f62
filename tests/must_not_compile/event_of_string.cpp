// SPDX-License-Identifier: MIT
// An event of a type that is not bytes.
// expect: shout: std::string is not trivially copyable.* an event is bytes
#include "components.h"

#include <string>

KITH_EVENT(shout, std::string); // error here, through a macro
