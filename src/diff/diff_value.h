// SPDX-License-Identifier: MIT
// Values that differ, down to the field where both worlds have the same fields, else to the byte.
#ifndef KITH_DIFF_DIFF_VALUE_H
#define KITH_DIFF_DIFF_VALUE_H

#include "diff/diff_report.h"

// How the values of the present columns are compared.
typedef enum kith_likeness {
    KITH_ALIKE_NOT    = 0, // one world's are bytes that functions write
    KITH_ALIKE_BYTES  = 1, // as what is saved of them
    KITH_ALIKE_UNITS  = 2, // as numbers of one size
    KITH_ALIKE_FIELDS = 3  // field by field
} kith_likeness;

KITH_INTERNAL kith_likeness kith_differ_likeness(const kith_differ *d);

// Compares a value that both worlds have.
KITH_INTERNAL void kith_differ_value(kith_differ *d, kith_likeness likeness, const void *first,
                                     const void *second);

#endif
