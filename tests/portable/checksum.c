// SPDX-License-Identifier: MIT
// The known checksums, whole and in pieces, by every way to mix that the processor has.
#include "base/xxh3.h"

#include "checksum_test.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t sum_of_pieces(unsigned path, const uint8_t *bytes, size_t size, size_t piece)
{
    kith_xxh3_state state;
    kith_xxh3_begin(&state);
    state.mix = kith_stripes_path(path);
    for (; size > piece; size -= piece, bytes += piece) {
        kith_xxh3_feed(&state, bytes, piece);
    }
    kith_xxh3_feed(&state, bytes, size);
    return kith_xxh3_end(&state);
}

static bool pieces_match(const uint8_t *bytes, known_checksum known)
{
    static const size_t pieces[] = { 1, 63, 64, 100, 256, 257, 1024, KNOWN_BYTES };
    bool                match    = true;
    for (unsigned path = 0; path < KITH_STRIPES_PATHS; path++) {
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            match = match && (kith_stripes_path(path) == NULL ||
                              sum_of_pieces(path, bytes, known.size, pieces[i]) == known.sum);
        }
    }
    return match;
}

int main(void)
{
    uint8_t *bytes  = malloc(KNOWN_BYTES);
    int      failed = bytes == NULL;
    if (bytes != NULL) {
        fill_known_bytes(bytes);
    }
    for (size_t i = 0; bytes != NULL && i < KNOWN_CHECKSUMS; i++) {
        known_checksum known = known_checksums[i];
        if (kith_xxh3(bytes, known.size) != known.sum || !pieces_match(bytes, known)) {
            printf("the checksum of %u bytes is another\n", (unsigned)known.size);
            failed = 1;
        }
    }
    free(bytes);
    return failed;
}
