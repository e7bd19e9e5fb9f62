// SPDX-License-Identifier: MIT
// One step of a random sequence: a call, what it is called with, and what goes wrong meanwhile.
#ifndef KITH_TESTS_OPERATION_H
#define KITH_TESTS_OPERATION_H

#include "verb.h"

/// Every combination of numbers is an operation.
typedef struct operation {
    uint16_t verb; // as verb_drawn reads it
    uint8_t  trouble;
    uint8_t  numbers[ARGUMENT_NUMBERS];
} operation;

enum { OPERATION_BYTES = 3 + ARGUMENT_NUMBERS };

/// The operation that these bytes stand for.
operation operation_decode(const uint8_t bytes[OPERATION_BYTES]);

/// Lets nothing go wrong; false when nothing would have.
bool operation_calm(operation *op);

/// Chooses numbers that mean the same as the operation's do now, and depend less on what else the
/// world has.
void operation_settle(stage *s, operation *op);

/// Does it to the world and to its model, compares what both answered and then their whole states.
/// False when they differ; the stage then says how.
bool operation_apply(stage *s, const operation *op);

/// Writes the operation as C, as it would be applied now: as a statement of the program that
/// sequence_write makes, and what a hook of it does as a function of that program.
void operation_write(stage *s, const operation *op, uint32_t place, text *functions,
                     text *statements);

#endif
