// SPDX-License-Identifier: MIT
// A plain singleton of a type that is not bytes.
// expect: title: std::string is not trivially copyable.* with KITH_KIND_SINGLETON
#include "components.h"

#include <string>

KITH_SINGLETON(title, std::string, 9); // error here, through a macro
