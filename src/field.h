// SPDX-License-Identifier: MIT
// Tables of fields: whether one makes sense, copies that are the world's own, and comparing.
#ifndef KITH_FIELD_H
#define KITH_FIELD_H

#include "checksum.h"
#include "memory.h"

#define KITH_FIELDS_DEPTH 8u // structs in structs

// NULL, or what is wrong with the table, static text; `*field` is then the name of the field of
// which it speaks, or NULL.
KITH_INTERNAL const char *kith_fields_fault(const kith_fields *table, const char **field);

// A number for what values with this table are, the same on every machine: names, types and counts
// in their order. Offsets, units and older names are not in it.
KITH_INTERNAL uint64_t kith_fields_sum(const kith_fields *table);

// The checksum of numbers, as little-endian bytes; there are at most 16.
KITH_INTERNAL uint64_t kith_sum_numbers(const uint64_t *numbers, uint32_t count);

// Bytes of a copy with all that it points to, and the copy, in memory that is aligned for pointers.
KITH_INTERNAL size_t             kith_fields_bytes(const kith_fields *table);
KITH_INTERNAL const kith_fields *kith_fields_copy(const kith_fields *table, void *memory);

// Bytes of an element, 0 where the table decides: enums, structs.
KITH_INTERNAL uint32_t kith_field_type_size(kith_field_type type);

#endif
