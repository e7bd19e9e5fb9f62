// SPDX-License-Identifier: MIT
// The commands of the program: one function each, which returns the exit code.
#ifndef KITH_CLI_COMMAND_H
#define KITH_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arguments {
    char   **files;
    uint32_t file_count;
    bool     all;        // print all differences
    bool     quiet;      // print nothing: the exit code is the answer
    bool     components; // print a hash for each component
    bool     chunks;     // list each chunk
    bool     pretty;     // a member on each line
    char    *query;      // the text of a query; NULL: every entity
    char    *entity;     // the only one to print; NULL: all
    char   **names;      // of components, the only ones to print
    uint32_t name_count; // 0: all
    char    *like;       // the snapshot that describes the components
    size_t   memory;     // the limit of memory for a file; 0: the default of kith_load_desc
} arguments;

int run_info(const arguments *given);
int run_verify(const arguments *given);
int run_diff(const arguments *given);
int run_json(const arguments *given);
int run_load_json(const arguments *given);
int run_hash(const arguments *given);

struct input;

/// Prints all chunks, or only those with a fault.
void print_list(const struct input *in, bool all);

/// Print the frames of a recording; check each of them.
int info_recording(const arguments *given, const struct input *in);
int verify_recording(const arguments *given, const char *path, const struct input *in);

#endif
