// SPDX-License-Identifier: MIT
// Single values as JSON writes them.
#ifndef KITH_JSON_JSON_WRITE_H
#define KITH_JSON_JSON_WRITE_H

#include "base/print.h"

// One element of the field, or all of a text.
KITH_INTERNAL void kith_json_element_text(kith_text *out, const kith_field *field,
                                          const void *value);

#endif
