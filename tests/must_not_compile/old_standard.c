// SPDX-License-Identifier: MIT
// C before C11.
// expect: kith needs C11 or newer
// standard: c99
#include "kith/kith.h" // error here, in a header
