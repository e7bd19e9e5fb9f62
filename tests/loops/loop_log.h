// SPDX-License-Identifier: MIT
// What one step of a program did, as numbers: what the world did and what the model says are two
// logs that must be equal. Entities are numbered as they were created, so that logs of different
// worlds can be compared.
#ifndef KITH_LOOP_LOG_H
#define KITH_LOOP_LOG_H

#include <stdint.h>

enum { LOOP_LOG_WORDS = 8192 };

#define LOOP_NONE UINT32_MAX

typedef enum loop_entry {
    LOOP_LOG_RESULT,    // a: the call, b: what it answered
    LOOP_LOG_ERROR,     // a: how often the hook was called, b: the code that is recorded
    LOOP_LOG_EVENT,     // a: event and component, b: entity
    LOOP_LOG_VISIT,     // a: cursor, b: entity
    LOOP_LOG_COLUMNS,   // a: cursor, b: which components have a value in the cursor
    LOOP_LOG_MISPLACED, // a: component, b: entity: the cursor has another address than get
    LOOP_LOG_DESTRUCT,  // a: component, b: which value
    LOOP_LOG_TURN,      // a: 0 each, 1 enter, 2 leave, b: an entity that a system is called for
    LOOP_LOG_LEAD       // a: whose rows a stored query walks, b: how many there are
} loop_entry;

typedef struct loop_log {
    uint32_t count;
    uint64_t words[LOOP_LOG_WORDS];
} loop_log;

static inline void loop_log_add(loop_log *log, loop_entry entry, uint32_t a, uint32_t b)
{
    if (log->count < LOOP_LOG_WORDS) {
        log->words[log->count++] = (uint64_t)entry << 56 | (uint64_t)(a & 0xFFFFFF) << 32 | b;
    }
}

#endif
