// SPDX-License-Identifier: MIT
// Errors: a call that fails fills in a kith_error and hands it to one of these functions. error.c
// has the text of the messages.
#pragma once

#include "base/print.h"

// Records the error, reports it to the world's error hook, and returns false.
bool kith_world_fail(kith_world *world, const kith_error *error);

// Only records the error. Returns false.
bool kith_world_record_error(kith_world *world, const kith_error *error);

// Only reports the error, for calls on a const world. Returns false.
bool kith_world_report_error(const kith_world *world, const kith_error *error);

// kith_world_fail for the most common members of the error.
bool kith_world_refuse(kith_world *world, kith_error_code code, const char *call,
                       kith_component component, kith_entity entity);

// The same with a subject, which says what is wrong, and a name that the message quotes (or NULL),
// or the numbers that the world has and the call wants.
bool kith_world_refuse_because(kith_world *world, kith_error_code code, const char *call,
                               kith_component component, const char *subject, const char *other);
bool kith_world_refuse_numbers(kith_world *world, kith_error_code code, const char *call,
                               kith_component component, const char *subject, uint64_t have,
                               uint64_t want);

// The same for a wrong argument, without a component.
bool kith_world_mistake(kith_world *world, const char *call, const char *mistake,
                        const char *other);

// Reports an error of kith_world_create, before there is a world. Returns NULL.
kith_world *kith_desc_fail(const kith_world_desc *desc, kith_error error);

// Defines TYPE_name, which names the enumerators of TYPE. WORDS has their words by number, from 0,
// each with a zero behind it.
#define KITH_NAMES(TYPE, WORDS)                                                                    \
    const char *TYPE##_name(TYPE one)                                                              \
    {                                                                                              \
        return kith_word_at(WORDS, one);                                                           \
    }

// Returns the word with this number; "?" if there are not as many.
const char *kith_word_at(const char *words, uint32_t number);

// Writes an entity as index, "v", version: 12v3.
void kith_print_entity(kith_print *out, kith_entity entity);
