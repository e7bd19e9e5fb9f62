// SPDX-License-Identifier: MIT
// A link is read in queries; NAME_set changes it.
// expect: query wrong: holder is a link or name: read it, change it by holder_set
// in both languages
#include "components.h"

#include "kith/link.h"

KITH_LINK(holder, 9, KITH_TARGET_CLEAR);
KITH_QUERY(wrong, write(holder)); // error here, through a macro
