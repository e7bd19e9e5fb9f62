// SPDX-License-Identifier: MIT
// A tag has no value that a group could keep.
// expect: frozen_type_
#include "components.h"

KITH_GROUP(wrong, own(frozen)); // error here, through a macro
