// SPDX-License-Identifier: MIT
// What C11 leaves open, or what a C library lacks: aligned memory, a clock, files that are on the
// disk. No other file of src/ has code for one system alone.
#ifndef KITH_BASE_PLATFORM_H
#define KITH_BASE_PLATFORM_H

#include "base/base.h"

#include <stdio.h>

// The C library's heap, for every alignment, as a kith_allocator without a context has it.
KITH_INTERNAL void *kith_platform_allocate(void *context, size_t size, size_t alignment);
KITH_INTERNAL void  kith_platform_release(void *context, void *memory, size_t size,
                                          size_t alignment);

// Nanoseconds since a moment that stays the same while the program runs.
KITH_INTERNAL uint64_t kith_platform_clock(void);

// These answer false and set errno when they fail. A file that took the place of another is on the
// disk under its new name when its folder is; the path, two bytes or more, becomes the folder's.
KITH_INTERNAL bool kith_platform_flush(FILE *stream);
KITH_INTERNAL bool kith_platform_replace(const char *from, const char *to);
KITH_INTERNAL bool kith_platform_flush_folder(char *path);

#endif
