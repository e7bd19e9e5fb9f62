// SPDX-License-Identifier: MIT
// The calls that differ between operating systems: first Windows, then POSIX, then what both share.
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
    #define _DEFAULT_SOURCE // fsync, madvise NOLINT(bugprone-reserved-identifier)
#endif

#include "base/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define NANOSECONDS UINT64_C(1000000000) // in a second

#if defined(_WIN32)

    #define WIN32_LEAN_AND_MEAN
    #include <io.h>
    #include <malloc.h>
    #include <windows.h>
    #undef near // windows.h defines both; in the single-file build kith uses them as names
    #undef far
    #define fileno         _fileno
    #define fsync          _commit
    #define alloc_aligned  _aligned_malloc
    #define HEAP_ALIGNMENT (2 * sizeof(void *)) // malloc may give less than max_align_t
    #define heap_free(memory, alignment)                                                           \
        ((alignment) <= HEAP_ALIGNMENT ? free(memory) : _aligned_free(memory))

uint64_t kith_platform_clock(void)
{
    LARGE_INTEGER now, rate; // both calls cannot fail since Windows XP
    QueryPerformanceFrequency(&rate);
    QueryPerformanceCounter(&now);
    uint64_t seconds = (uint64_t)(now.QuadPart / rate.QuadPart);
    uint64_t rest    = (uint64_t)(now.QuadPart % rate.QuadPart);
    return seconds * NANOSECONDS + rest * NANOSECONDS / (uint64_t)rate.QuadPart;
}

// MOVEFILE_WRITE_THROUGH flushes the new name too, so flush_folder has nothing to do.
bool kith_platform_replace(const char *from, const char *to)
{
    bool moved = MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
    errno      = moved ? errno : GetLastError() == ERROR_DISK_FULL ? ENOSPC : EACCES;
    return moved;
}

bool kith_platform_flush_folder(char *path)
{
    return path != NULL;
}

#else

    #include <fcntl.h>
    #include <sys/mman.h>
    #include <unistd.h>
    #define heap_free(memory, alignment) ((void)(alignment), free(memory))
    #define HEAP_ALIGNMENT               _Alignof(max_align_t)
    #define HUGE_PAGE                    ((size_t)2 << 20)
    #define LARGE_BLOCK                  (16 * HUGE_PAGE)

// The one block of a world with `memory` is large: huge pages save misses of the address cache.
static void *alloc_aligned(size_t size, size_t alignment)
{
    bool large     = size >= LARGE_BLOCK;
    alignment      = large ? HUGE_PAGE : alignment;
    size_t rounded = (size + alignment - 1) & ~(alignment - 1); // as aligned_alloc requires
    void  *memory  = rounded >= size ? aligned_alloc(alignment, rounded) : NULL;
    #ifdef MADV_HUGEPAGE
    if (large && memory != NULL) {
        (void)madvise(memory, rounded, MADV_HUGEPAGE); // a wish
    }
    #endif
    return memory;
}

uint64_t kith_platform_clock(void)
{
    struct timespec now = { 0 };
    (void)timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

bool kith_platform_replace(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool kith_platform_flush_folder(char *path)
{
    char *end = strrchr(path, '/');
    memcpy(end == NULL ? path : end + 1, ".", 2);
    int  file   = open(path, O_RDONLY);
    bool synced = file >= 0 && fsync(file) == 0;
    if (file >= 0) {
        close(file);
    }
    return synced;
}

#endif

bool kith_platform_flush(FILE *stream)
{
    return fflush(stream) == 0 && fsync(fileno(stream)) == 0;
}

// Memory with the common alignment comes from malloc, because realloc grows a part of it.
void *kith_platform_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    return alignment <= HEAP_ALIGNMENT ? malloc(size) : alloc_aligned(size, alignment);
}

void kith_platform_release(void *context, void *memory, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    heap_free(memory, alignment);
}
