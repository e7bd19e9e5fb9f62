// SPDX-License-Identifier: MIT
// Stores past the caches with SSE2, and ordinary stores where there is none.
#include "base/alloc.h"

#if defined(__SSE2__)

    #include <emmintrin.h>

    #define LINE_NUMBERS (KITH_CACHE_LINE / sizeof(uint64_t))

// Returns how many bytes lie before the first whole cache line.
static size_t before_line(const void *to)
{
    return (KITH_CACHE_LINE - (uintptr_t)to % KITH_CACHE_LINE) % KITH_CACHE_LINE;
}

KITH_INTERNAL void kith_stream_copy(void *to, const void *from, size_t size)
{
    uint8_t       *place = to;
    const uint8_t *bytes = from;
    size_t         front = before_line(to);
    size_t         done  = front < size ? front : size;
    memcpy(place, bytes, done);
    for (; size - done >= KITH_CACHE_LINE; done += KITH_CACHE_LINE) {
        for (size_t i = done; i < done + KITH_CACHE_LINE; i += sizeof(__m128i)) {
            _mm_stream_si128((void *)(place + i), _mm_loadu_si128((const void *)(bytes + i)));
        }
    }
    _mm_sfence();
    memcpy(place + done, bytes + done, size - done);
}

// Writes a cache line of numbers: first, first + step, first + 2 * step, ...
static inline void number_line(uint64_t *line, uint64_t first, uint64_t step)
{
    uint64_t next    = first + step;
    __m128i  numbers = _mm_set_epi64x((long long)next, (long long)first);
    for (size_t i = 0; i < LINE_NUMBERS; i += 2) {
        _mm_stream_si128((void *)(line + i), numbers);
        numbers = _mm_add_epi64(numbers, _mm_slli_epi64(_mm_set1_epi64x((long long)step), 1));
    }
}

static void stream_numbers(uint64_t *array, uint64_t first, uint32_t count, uint64_t step)
{
    assert((uintptr_t)array % sizeof *array == 0); // i386 aligns uint64_t to 4 only
    uint32_t front = (uint32_t)(before_line(array) / sizeof *array);
    uint32_t i     = 0;
    for (; i < count && i < front; i++) {
        array[i] = first + i * step;
    }
    for (; count - i >= LINE_NUMBERS; i += LINE_NUMBERS) {
        number_line(array + i, first + i * step, step);
    }
    _mm_sfence();
    for (; i < count; i++) {
        array[i] = first + i * step;
    }
}

#else

KITH_INTERNAL void kith_stream_copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

static void stream_numbers(uint64_t *array, uint64_t first, uint32_t count, uint64_t step)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = first + i * step;
    }
}

#endif

KITH_INTERNAL void kith_stream_number(uint64_t *array, uint64_t first, uint32_t count)
{
    stream_numbers(array, first, count, 1);
}

KITH_INTERNAL void kith_stream_fill(uint64_t *array, uint64_t number, uint32_t count)
{
    stream_numbers(array, number, count, 0);
}
