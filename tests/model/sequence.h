// SPDX-License-Identifier: MIT
// Sequences of operations in worlds of several configurations: running one, making a failing one
// shorter, and writing it as a program.
#ifndef KITH_TESTS_SEQUENCE_H
#define KITH_TESTS_SEQUENCE_H

#include "operation.h"

enum { SEQUENCE_LONGEST = 1024 };

typedef struct sequence {
    uint32_t    configuration; // any number
    uint32_t    favourite;     // see stage
    model_fault fault;         // what the model does wrong
    bool        guarded;       // a crash counts as a difference
    operation   operations[SEQUENCE_LONGEST];
    uint32_t    count;
} sequence;

/// Where and how the world and its model differed.
typedef struct sequence_difference {
    uint32_t place; // the operation; the sequence's count when it was the end of the world
    char     sentence[STAGE_DIFFERENCE];
} sequence_difference;

uint32_t    sequence_configurations(void);
const char *sequence_configuration_name(uint32_t configuration);

/// Makes the sequence that the bytes stand for: a configuration, which brings the operations that
/// register its components, and then an operation for every OPERATION_BYTES.
void sequence_decode(sequence *q, const uint8_t *bytes, size_t size);

/// Runs it. False when the world and its model differ; then `difference` is filled.
bool sequence_run(const sequence *q, sequence_difference *difference);

/// Takes operations out of a failing sequence until it fails with none less.
void sequence_shrink(sequence *q, sequence_difference *difference);

/// Writes the sequence as a C program that uses nothing but kith's public functions.
void sequence_write(const sequence *q, const sequence_difference *difference, text *out);

#endif
