// SPDX-License-Identifier: MIT
// A name is read in queries; NAME_set changes it.
// expect: query wrong: label is a link or name: read it, change it by label_set
// in both languages
#include "components.h"

#include "kith/name.h"

KITH_NAME(label, 9);
KITH_QUERY(wrong, write(label)); // error here, through a macro
