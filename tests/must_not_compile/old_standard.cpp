// SPDX-License-Identifier: MIT
// C++ before C++11.
// expect: kith needs C\+\+11 or newer
// standard: c++98
#include "kith/kith.h" // error here, in a header
