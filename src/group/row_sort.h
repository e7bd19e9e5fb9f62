// SPDX-License-Identifier: MIT
// Sorting a list of rows by a rule, stably: by the digits of their keys, or by merging.
#ifndef KITH_GROUP_ROW_SORT_H
#define KITH_GROUP_ROW_SORT_H

#include "group/sort_key.h"

// `scratch` has as many bytes as the first says, aligned for 64 bits.
KITH_INTERNAL size_t kith_sort_bytes(const kith_rule *rule, uint32_t count);
KITH_INTERNAL size_t kith_sort_bytes_most(uint32_t count); // by whatever rule
KITH_INTERNAL void   kith_sort_rows(const kith_rule *rule, uint32_t *rows, uint32_t count,
                                    void *scratch);

#endif
