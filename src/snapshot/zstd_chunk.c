// SPDX-License-Identifier: MIT
// Packs and unpacks the bodies of chunks with zstd, or says that this library has none.
#include "snapshot/chunk.h"

#if defined(KITH_ZSTD)
    #include <zstd.h>

    #define EMPTY_HEAD 8u // of a frame that zstd skips: magic number, length

bool kith_pack_available(void)
{
    return true;
}

size_t kith_pack_bound(size_t size)
{
    return ZSTD_compressBound(size) + size / KITH_PACK_RATIO + EMPTY_HEAD + 1;
}

// Appends a frame that zstd skips, so that no byte unpacks to more than KITH_PACK_RATIO bytes.
static size_t keep_ratio(uint8_t *to, size_t stored, size_t size)
{
    static const uint8_t magic_number[] = { 0x50, 0x2a, 0x4d, 0x18 };
    size_t               least          = (size + KITH_PACK_RATIO - 1) / KITH_PACK_RATIO;
    if (stored >= least) {
        return stored;
    }
    size_t   length = stored + EMPTY_HEAD >= least ? 0 : least - stored - EMPTY_HEAD;
    uint8_t *frame  = to + stored;
    memcpy(frame, magic_number, sizeof magic_number);
    for (unsigned i = 0; i < 4; i++) {
        frame[4 + i] = (uint8_t)(length >> (8 * i));
    }
    memset(frame + EMPTY_HEAD, 0, length);
    return stored + EMPTY_HEAD + length;
}

size_t kith_pack(void *to, size_t room, const void *from, size_t size, int level)
{
    size_t stored = ZSTD_compress(to, room, from, size, level);
    return ZSTD_isError(stored) != 0 ? 0 : keep_ratio(to, stored, size);
}

bool kith_unpack(void *to, size_t size, const void *from, size_t stored)
{
    size_t made = ZSTD_decompress(to, size, from, stored);
    return ZSTD_isError(made) == 0 && made == size;
}
#else
bool kith_pack_available(void)
{
    return false;
}

size_t kith_pack_bound(size_t size)
{
    return size;
}

size_t kith_pack(void *to, size_t room, const void *from, size_t size, int level)
{
    (void)to, (void)room, (void)from, (void)size, (void)level;
    return 0;
}

bool kith_unpack(void *to, size_t size, const void *from, size_t stored)
{
    (void)to, (void)size, (void)from, (void)stored;
    return false;
}
#endif
