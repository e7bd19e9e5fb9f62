// SPDX-License-Identifier: MIT
// There is no such word.
// expect: query wrong: writ\(position\) is no term; the words of terms are read, write,
// in both languages
#include "components.h"

KITH_QUERY(wrong, read(mass), writ(position)); // error here, through a macro
