// SPDX-License-Identifier: MIT
// Alternatives cannot be asked for changes.
// expect: query wrong: any cannot ask for changes; take a query for each component
// in both languages
#include "components.h"

KITH_QUERY(wrong, any(position, changed(mass))); // error here, through a macro
