// SPDX-License-Identifier: MIT
// Writes random sequences as the C programs that a failing test prints: run.sh compiles them.
//
// usage: write_programs DIRECTORY COUNT
#include "sequence.h"

#include <stdio.h>
#include <stdlib.h>

static void fill(uint8_t *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++) {
        seed     = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(seed >> 33);
    }
}

static bool write_program(const char *folder, uint32_t number)
{
    static sequence     q;
    static uint8_t      bytes[SEQUENCE_LONGEST * OPERATION_BYTES];
    sequence_difference none    = { .sentence = "none" };
    text                program = { .data = NULL };
    char                path[1024];
    fill(bytes, sizeof bytes, number + 1);
    bytes[0] = (uint8_t)(number % sequence_configurations());
    sequence_decode(&q, bytes, sizeof bytes);
    none.place = q.count - 1;
    sequence_write(&q, &none, &program);
    snprintf(path, sizeof path, "%s/program%u.c", folder, (unsigned)number);
    FILE *file = fopen(path, "w");
    bool  good = file != NULL && fputs(program.data, file) >= 0;
    good       = file != NULL && fclose(file) == 0 && good;
    text_end(&program);
    return good;
}

int main(int argc, char **argv)
{
    uint32_t count = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!write_program(argv[1], i)) {
            perror(argv[1]);
            return EXIT_FAILURE;
        }
    }
    return count == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
