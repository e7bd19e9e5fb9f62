// SPDX-License-Identifier: MIT
// What the program can do: one function a command. They answer how the program ends.
#ifndef KITH_CLI_COMMAND_H
#define KITH_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arguments {
    char   **files;
    uint32_t file_count;
    bool     all;        // differences
    bool     quiet;      // says nothing but by its exit code
    bool     components; // a hash for each
    bool     chunks;     // lists each
    size_t   memory;     // the most bytes that are taken for a file; 0: as kith_load_desc says
} arguments;

int run_info(const arguments *given);
int run_verify(const arguments *given);
int run_diff(const arguments *given);
int run_json(const arguments *given);
int run_hash(const arguments *given);

#endif
