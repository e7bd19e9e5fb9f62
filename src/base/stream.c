// SPDX-License-Identifier: MIT
// Copying past the caches. A file of its own: only a program that loads snapshots links it.
#include "base/alloc.h"

#if defined(__SSE2__)
    #include <emmintrin.h>
#endif

void kith_stream_copy(void *to, const void *from, size_t size)
{
    uint8_t       *place = to;
    const uint8_t *bytes = from;
    size_t         done  = 0;
#if defined(__SSE2__)
    size_t front = (KITH_CACHE_LINE - (uintptr_t)to % KITH_CACHE_LINE) % KITH_CACHE_LINE;
    done         = front < size ? front : size;
    memcpy(place, bytes, done);
    for (; size - done >= KITH_CACHE_LINE; done += KITH_CACHE_LINE) {
        for (size_t i = done; i < done + KITH_CACHE_LINE; i += sizeof(__m128i)) {
            _mm_stream_si128((void *)(place + i), _mm_loadu_si128((const void *)(bytes + i)));
        }
    }
    _mm_sfence();
#endif
    memcpy(place + done, bytes + done, size - done);
}
