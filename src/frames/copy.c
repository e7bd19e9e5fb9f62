// SPDX-License-Identifier: MIT
// The memory of a ring: arrays, copies counted by reference, and lists in pieces.
#include "frames/frames.h"

#define LEAST_BYTES 64u // of a copy of any size

// --- memory ----------------------------------------------------------------------------------

// Allocates for the ring. When there is no memory, frees the copies that no frame refers to, and
// then drops the oldest frames. Returns NULL when no frame is left to drop.
static void *ring_alloc(kith_frames *frames, size_t size, size_t alignment)
{
    size_t most  = frames->desc.bytes == 0 || frames->arena != NULL ? SIZE_MAX : frames->desc.bytes;
    void  *block = NULL;
    do {
        if (size <= most && frames->bytes <= most - size) {
            block = kith_alloc(&frames->memory, size, alignment);
        }
    } while (block == NULL && (kith_copies_free(frames) || kith_frames_drop_oldest(frames)));
    frames->bytes += block == NULL ? 0 : size;
    return block;
}

static void ring_free(kith_frames *frames, void *block, size_t size, size_t alignment)
{
    kith_free(&frames->memory, block, size, alignment);
    frames->bytes -= block == NULL ? 0 : size;
}

bool kith_frames_reserve(kith_frames *frames, void *array, uint32_t *capacity, uint32_t needed,
                         size_t size)
{
    void **place = array;
    if (needed <= *capacity) {
        return true;
    }
    uint32_t room  = needed < 2 * *capacity ? 2 * *capacity : needed;
    void    *grown = ring_alloc(frames, room * size, _Alignof(max_align_t));
    if (grown == NULL) {
        return false;
    }
    if (*capacity != 0) {
        memcpy(grown, *place, *capacity * size);
    }
    kith_frames_free_array(frames, *place, *capacity, size);
    *place    = grown;
    *capacity = room;
    return true;
}

void kith_frames_free_array(kith_frames *frames, void *array, uint32_t capacity, size_t size)
{
    ring_free(frames, array, capacity * size, _Alignof(max_align_t));
}

// --- copies ----------------------------------------------------------------------------------

// The class of copies with this size; NULL: no memory for one more.
static kith_size_class *class_of(kith_frames *frames, size_t bytes, size_t alignment)
{
    uint32_t i = 0;
    while (i < frames->class_count &&
           (frames->classes[i].bytes != bytes || frames->classes[i].alignment != alignment)) {
        i++;
    }
    if (i == frames->class_count) {
        if (!kith_frames_reserve(frames, &frames->classes, &frames->class_capacity, i + 1,
                                 sizeof *frames->classes)) {
            return NULL;
        }
        frames->classes[frames->class_count++] = (kith_size_class){ bytes, alignment, NULL };
    }
    return &frames->classes[i];
}

kith_copy *kith_copy_alloc(kith_frames *frames, size_t bytes, size_t alignment)
{
    kith_size_class *in = class_of(frames, bytes, alignment);
    if (in == NULL) {
        return NULL;
    }
    kith_copy *copy = in->free;
    if (copy != NULL) {
        in->free = copy->next;
    } else {
        copy          = ring_alloc(frames, sizeof *copy, _Alignof(kith_copy));
        uint8_t *data = copy == NULL ? NULL : ring_alloc(frames, bytes, alignment);
        if (data == NULL) {
            ring_free(frames, copy, sizeof *copy, _Alignof(kith_copy));
            return NULL;
        }
        copy->data = data;
    }
    copy->references = 1;
    copy->size_class = (uint32_t)(in - frames->classes);
    copy->built      = 0;
    copy->hooked     = NULL;
    return copy;
}

kith_copy *kith_copy_alloc_any(kith_frames *frames, size_t size)
{
    size_t room = LEAST_BYTES;
    while (room < size && room < SIZE_MAX / 4) {
        room *= 2; // few classes, so that copies of other sizes can be used again
    }
    return kith_copy_alloc(frames, room, KITH_CACHE_LINE);
}

kith_copy *kith_copy_of(kith_frames *frames, const void *bytes, size_t size)
{
    kith_copy *copy = kith_copy_alloc_any(frames, size);
    if (copy != NULL && size != 0) {
        memcpy(copy->data, bytes, size);
    }
    return copy;
}

kith_copy *kith_copy_share(kith_copy *copy)
{
    copy->references++;
    return copy;
}

void kith_frames_destruct_rows(kith_frames *frames, const kith_pool *pool, uint8_t *page,
                               uint32_t rows)
{
    const uint32_t *packed = (const void *)(page + pool->set.head.packed_at_);
    kith_world_lock(frames->object.world);
    for (uint32_t i = 0; i < rows; i++) {
        if ((packed[i] & KITH_HOLE) == 0) {
            kith_pool_destruct(pool, page + (size_t)i * pool->size);
        }
    }
    kith_world_unlock(frames->object.world);
}

void kith_copy_release(kith_frames *frames, kith_copy *copy)
{
    if (copy == NULL || --copy->references != 0) {
        return;
    }
    if (copy->built != 0) {
        kith_frames_destruct_rows(frames, copy->hooked, copy->data, copy->built);
    }
    kith_size_class *in = &frames->classes[copy->size_class];
    copy->next          = in->free;
    in->free            = copy;
}

bool kith_copies_free(kith_frames *frames)
{
    bool any = false;
    for (uint32_t i = 0; i < frames->class_count; i++) {
        kith_size_class *in = &frames->classes[i];
        while (in->free != NULL) {
            kith_copy *copy = in->free;
            in->free        = copy->next;
            ring_free(frames, copy->data, in->bytes, in->alignment);
            ring_free(frames, copy, sizeof *copy, _Alignof(kith_copy));
            any = true;
        }
    }
    return any;
}

// --- lists -----------------------------------------------------------------------------------

// How many of `bytes` bytes are in the piece that begins `at`.
static size_t bytes_in_piece(size_t bytes, size_t at)
{
    return bytes - at < KITH_PIECE ? bytes - at : KITH_PIECE;
}

bool kith_past_save_list(const kith_saving *s, const kith_saved_list *was, kith_saved_list *now,
                         const void *bytes, size_t size, bool known)
{
    now->first = now->bytes == 0 ? s->past->ref_count : now->first;
    for (size_t i = 0; i < size; i += KITH_PIECE) {
        const uint8_t *from = (const uint8_t *)bytes + i;
        size_t         part = bytes_in_piece(size, i);
        bool           had  = now->bytes + part <= was->bytes;
        kith_copy     *copy = had ? s->base->refs[was->first + now->bytes / KITH_PIECE].copy : NULL;
        bool           same = had && (known || memcmp(copy->data, from, part) == 0);
        copy                = same ? kith_copy_share(copy) : kith_copy_of(s->frames, from, part);
        if (!kith_past_add(s, copy, same, 0)) {
            return false;
        }
        now->bytes += part;
    }
    return true;
}

bool kith_restore_list(const kith_restoring *r, const kith_saved_list *then,
                       const kith_saved_list *was, void *list, size_t size)
{
    bool changed = false;
    for (size_t at = 0; at < then->bytes; at += KITH_PIECE) {
        uint8_t         *to    = (uint8_t *)list + at;
        size_t           part  = bytes_in_piece(then->bytes, at);
        size_t           piece = at / KITH_PIECE;
        const kith_copy *copy  = r->to->refs[then->first + piece].copy;
        if (at + part > size || (was != NULL ? r->base->refs[was->first + piece].copy != copy
                                             : memcmp(to, copy->data, part) != 0)) {
            memcpy(to, copy->data, part);
            r->frames->report.back++;
            changed = true;
        }
    }
    return changed;
}
