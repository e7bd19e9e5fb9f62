// SPDX-License-Identifier: MIT
// Errors: a call that fails fills in a kith_error and reports it here. What a message says is in
// error.c.
#ifndef KITH_WORLD_ERROR_H
#define KITH_WORLD_ERROR_H

#include "base/print.h"

// Records the error, tells the hook, and returns false.
KITH_INTERNAL bool kith_world_fail(kith_world *world, const kith_error *error);

// Records the error and tells nobody. Returns false.
KITH_INTERNAL bool kith_world_record_error(kith_world *world, const kith_error *error);

// The same for calls that may not change the world: nothing is recorded.
KITH_INTERNAL bool kith_world_report_error(const kith_world *world, const kith_error *error);

// The most common form of kith_world_fail.
KITH_INTERNAL bool kith_world_refuse(kith_world *world, kith_error_code code, const char *call,
                                     kith_component component, kith_entity entity);

// The same with what is wrong, and with a name that the message quotes (or NULL) or two numbers.
KITH_INTERNAL bool kith_world_refuse_because(kith_world *world, kith_error_code code,
                                             const char *call, kith_component component,
                                             const char *subject, const char *other);
KITH_INTERNAL bool kith_world_refuse_numbers(kith_world *world, kith_error_code code,
                                             const char *call, kith_component component,
                                             const char *subject, uint64_t have, uint64_t want);

// An error before there is a world: the call is filled in. Returns NULL.
KITH_INTERNAL kith_world *kith_desc_fail(const kith_world_desc *desc, kith_error error);

// Writes an entity as index, "v", version: 12v3.
KITH_INTERNAL void kith_print_entity(kith_print *out, kith_entity entity);

#endif
