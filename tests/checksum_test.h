// SPDX-License-Identifier: MIT
// Bytes whose checksums are known, from libxxhash 0.8.1: for the tests here and on other machines.
#ifndef CHECKSUM_TEST_H
#define CHECKSUM_TEST_H

#include <stddef.h>
#include <stdint.h>

#define KNOWN_BYTES 100003u // as many as the largest below

static inline void fill_known_bytes(uint8_t *bytes)
{
    for (uint32_t i = 0; i < KNOWN_BYTES; i++) {
        bytes[i] = (uint8_t)(i * 2654435761u >> 24);
    }
}

typedef struct known_checksum {
    uint32_t size; // of the known bytes
    uint64_t sum;
} known_checksum;

static const known_checksum known_checksums[] = {
    { 0, UINT64_C(0x2d06800538d394c2) },     { 1, UINT64_C(0xc44bdff4074eecdb) },
    { 2, UINT64_C(0xb0a5d4f167a89d5e) },     { 3, UINT64_C(0xe14090f554a5ea90) },
    { 4, UINT64_C(0x2e8d078a566e9749) },     { 5, UINT64_C(0x94b7bed600f8ce63) },
    { 7, UINT64_C(0xe6f7770846c47df5) },     { 8, UINT64_C(0xcd1c7f88482fcaef) },
    { 9, UINT64_C(0xbfe43def699fa9e3) },     { 12, UINT64_C(0x027242c0a3b593e8) },
    { 15, UINT64_C(0x9c71639666dfdbc2) },    { 16, UINT64_C(0x81e9eb8634460bb9) },
    { 17, UINT64_C(0x9998430fd0a655be) },    { 31, UINT64_C(0x6427c268ccd55706) },
    { 32, UINT64_C(0x938c25dd24c9cf3b) },    { 33, UINT64_C(0x0e399d30188e9c8e) },
    { 48, UINT64_C(0xb84347b7c91758eb) },    { 64, UINT64_C(0x22a06b30c4c72936) },
    { 65, UINT64_C(0x7faff6eee7812d5c) },    { 96, UINT64_C(0x324046d7ff9771f1) },
    { 97, UINT64_C(0x00d61f9a16f8effd) },    { 127, UINT64_C(0x29a5be88e84cd571) },
    { 128, UINT64_C(0x75eca5c5d5594884) },   { 129, UINT64_C(0xa05da42e7a4e4667) },
    { 143, UINT64_C(0x516036caa68597ec) },   { 144, UINT64_C(0x2e63ceed9f938e07) },
    { 145, UINT64_C(0x01224d8fc204ce37) },   { 200, UINT64_C(0xe07bfbc15015bf69) },
    { 239, UINT64_C(0xa44c92feed3d48fa) },   { 240, UINT64_C(0x5eb2467c8c9e3969) },
    { 241, UINT64_C(0x2d431e984c441f15) },   { 255, UINT64_C(0x6cb5279bb1267b3b) },
    { 256, UINT64_C(0x1369aaf85f8b805a) },   { 257, UINT64_C(0x53d08d96173615de) },
    { 319, UINT64_C(0xef6f375c9770b3dd) },   { 320, UINT64_C(0xf725db88132ae753) },
    { 321, UINT64_C(0xca853d4f982f01e7) },   { 512, UINT64_C(0xdcfed6ee2883acd0) },
    { 1023, UINT64_C(0x4e30bb611faa8f67) },  { 1024, UINT64_C(0xe99def1145f12936) },
    { 1025, UINT64_C(0x83cba9b371e4e7f4) },  { 1088, UINT64_C(0x8e7e69b3a7124813) },
    { 1089, UINT64_C(0xa958a59c9718acc1) },  { 2047, UINT64_C(0xa585963f99e7d6a8) },
    { 2048, UINT64_C(0x53275d58cfba68fd) },  { 2049, UINT64_C(0x3cd32460d504d215) },
    { 3072, UINT64_C(0x34d5597caf47763c) },  { 4096, UINT64_C(0x9bf67f8deff876ae) },
    { 65536, UINT64_C(0x20605b76ceddc43b) }, { 100003, UINT64_C(0x507db29bd764a682) },
};

#define KNOWN_CHECKSUMS (sizeof known_checksums / sizeof *known_checksums)

#endif
