// SPDX-License-Identifier: MIT
// Allocating and freeing blocks through a kith_allocator, or through the heap of the C library.
#include "base/arena.h"
#include "base/platform.h"

kith_allocator kith_allocator_or_heap(kith_allocator given)
{
    bool heap      = given.allocate == NULL;
    given.allocate = heap ? kith_platform_allocate : given.allocate;
    given.release  = heap ? kith_platform_release : given.release;
    return given;
}

KITH_NOINLINE void *kith_alloc(const kith_allocator *from, size_t size, size_t align)
{
    return size < SIZE_MAX / 2 ? from->allocate(from->context, size, align) : NULL;
}

void *kith_alloc_zeroed(const kith_allocator *from, size_t size, size_t alignment)
{
    void *memory = kith_alloc(from, size, alignment);
    return memory == NULL ? NULL : memset(memory, 0, size);
}

void *kith_alloc_copy(const kith_allocator *from, const void *source, size_t size, size_t alignment)
{
    void *memory = kith_alloc(from, size, alignment);
    return memory == NULL ? NULL : memcpy(memory, source, size);
}

#ifdef KITH_DEBUG
    #if defined(__SANITIZE_ADDRESS__)
        #define HAS_ASAN 1
    #elif defined(__has_feature)
        #if __has_feature(address_sanitizer)
            #define HAS_ASAN 1
        #endif
    #endif

    #ifdef HAS_ASAN // of its runtime; <sanitizer/asan_interface.h> is not always installed
void __asan_poison_memory_region(void const volatile *memory, size_t size);
void __asan_unpoison_memory_region(void const volatile *memory, size_t size);
    #endif

void kith_unpoison(const void *memory, size_t size)
{
    #ifdef HAS_ASAN
    __asan_unpoison_memory_region(memory, size);
    #else
    (void)memory, (void)size;
    #endif
}

void kith_poison(void *memory, size_t size)
{
    kith_unpoison(memory, size);
    memset(memory, 0xdd, size);
    #ifdef HAS_ASAN
    __asan_poison_memory_region(memory, size);
    #endif
}
#endif

void kith_free(const kith_allocator *to, void *memory, size_t size, size_t alignment)
{
    if (memory != NULL) {
        kith_poison(memory, size);
        kith_unpoison(memory, size); // it is the allocator's again
        to->release(to->context, memory, size, alignment);
    }
}

bool kith_alloc_more(const kith_allocator *from, void *array, uint32_t *capacity, uint32_t needed,
                     size_t size)
{
    uint32_t room = *capacity * 2 < needed ? needed : *capacity * 2;
    void    *old;
    if (needed <= *capacity) {
        return true;
    }
    void *grown = kith_alloc_zeroed(from, kith_size_add(0, room, size), size);
    if (grown == NULL) {
        return false;
    }
    memcpy(&old, array, sizeof old);
    if (old != NULL) {
        memcpy(grown, old, *capacity * size);
    }
    kith_free(from, old, *capacity * size, size);
    memcpy(array, &grown, sizeof grown);
    *capacity = room;
    return true;
}

bool kith_alloc_grow(const kith_allocator *from, void *array, uint32_t *capacity, uint32_t needed)
{
    // starts with four pointers: most pools of most worlds are small
    return kith_alloc_more(from, array, capacity, needed < 4 ? 4 : needed, sizeof(void *));
}

void kith_free_array(const kith_allocator *to, void *array, uint32_t capacity)
{
    kith_free(to, array, capacity * sizeof(void *), _Alignof(void *));
}

KITH_NOINLINE void *kith_copier_put(kith_copier *to, const void *bytes, size_t size)
{
    void *place = to->memory == NULL ? NULL : to->memory + to->used;
    if (place != NULL && bytes != NULL) {
        memcpy(place, bytes, size);
    }
    to->used += (size + 7) & ~(size_t)7;
    return place;
}

const char *kith_copier_text(kith_copier *to, const char *text)
{
    return text == NULL ? NULL : kith_copier_put(to, text, strlen(text) + 1);
}
