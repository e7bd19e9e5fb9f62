// SPDX-License-Identifier: MIT
// libFuzzer: reads bytes as a configuration and operations, run against the model of tests/model.
// A difference is made shorter, printed as a C program, and ends the run. (A crash is libFuzzer's
// own business: -minimize_crash=1 makes its bytes fewer, and KITH_FUZZ_WRITE=1 then prints them.)
#include "model/sequence.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_program(const sequence *q, const sequence_difference *difference)
{
    text program = { .data = NULL };
    sequence_write(q, difference, &program);
    fprintf(stderr, "%s\n", program.data);
    text_end(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sequence     q;
    sequence_difference difference;
    sequence_decode(&q, data, size);
    if (getenv("KITH_FUZZ_WRITE") != NULL) {
        difference = (sequence_difference){ .place = q.count - 1, .sentence = "as decoded" };
        print_program(&q, &difference);
    }
    if (!sequence_run(&q, &difference)) {
        sequence_shrink(&q, &difference);
        print_program(&q, &difference);
        abort();
    }
    return 0;
}
