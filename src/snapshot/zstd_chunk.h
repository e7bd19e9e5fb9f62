// SPDX-License-Identifier: MIT
// Chunks made smaller by zstd, in a library that was built with it (KITH_ZSTD).
#ifndef KITH_SNAPSHOT_ZSTD_CHUNK_H
#define KITH_SNAPSHOT_ZSTD_CHUNK_H

#include "base/base.h"

#define KITH_PACKING_NONE   0u
#define KITH_PACKING_ZSTD   1u // zstd's frames alone, in which bits can change without effect
#define KITH_PACKING_SUMMED 2u // a checksum of the frames, then the frames
#define KITH_PACK_SUM       sizeof(uint64_t)

// No chunk is packed further: a reader knows from the length of a file how much may come of it.
#define KITH_PACK_RATIO 1024u

// Whether this library has zstd.
KITH_INTERNAL bool kith_pack_there(void);

// How much room packing so many bytes needs.
KITH_INTERNAL size_t kith_pack_room(size_t size);

// Packs; returns how many bytes that made, or 0 when it failed.
KITH_INTERNAL size_t kith_pack(void *to, size_t room, const void *from, size_t size, int level);

// Whether the bytes were what `size` bytes became when packed; those are in `to` then.
KITH_INTERNAL bool kith_unpack(void *to, size_t size, const void *from, size_t stored);

#endif
