// SPDX-License-Identifier: MIT
// What C11 leaves open or a C library lacks: aligned memory, a clock, and files that are safely on
// the disk. Only platform.c has code for one operating system.
#pragma once

#include "base/base.h"

#include <stdio.h>

// The two functions of the heap allocator, for every alignment. `context` is not used.
void *kith_platform_allocate(void *context, size_t size, size_t alignment);
void  kith_platform_release(void *context, void *memory, size_t size, size_t alignment);

// Returns nanoseconds since a fixed moment, which stays the same while the program runs.
uint64_t kith_platform_clock(void);

// These return false and set errno when they fail. `replace` renames a file over another one. The
// new name is on the disk only after flush_folder, which overwrites `path` (at least two bytes)
// with the path of its folder.
bool kith_platform_flush(FILE *stream);
bool kith_platform_replace(const char *from, const char *to);
bool kith_platform_flush_folder(char *path);
