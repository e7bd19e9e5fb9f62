// SPDX-License-Identifier: MIT
// What the files of arguments share.
#ifndef KITH_TESTS_ARGUMENT_INTERNAL_H
#define KITH_TESTS_ARGUMENT_INTERNAL_H

#include "argument.h"

/// The numbers that arguments are made from, one after the other.
typedef struct argument_source {
    uint8_t  numbers[ARGUMENT_NUMBERS];
    uint32_t used;
} argument_source;

/// The next number; 0 when they are used up.
uint8_t argument_draw(argument_source *from);

/// A number that has little to do with the one that it is made from.
uint64_t argument_scatter(uint64_t number);

/// The component of a number, as a rule one that is no singleton, or is one.
kith_component argument_component(stage *s, uint32_t number, bool singleton);

/// The hierarchy of a number.
kith_component argument_tree(const stage *s, uint32_t number);

void argument_resolve_query(argument *a, stage *s, argument_source *from);
void argument_resolve_group_query(argument *a, stage *s, argument_source *from);
void argument_resolve_group(argument *a, stage *s, argument_source *from);
void argument_resolve_cursor(argument *a, stage *s, argument_source *from);
void argument_resolve_source(argument *a, stage *s, argument_source *from);
void argument_resolve_typed(argument *a, stage *s, argument_source *from);
void argument_resolve_stored(argument *a, stage *s, argument_source *from);
void argument_resolve_listener(argument *a, stage *s, argument_source *from);
void argument_resolve_event(argument *a, stage *s, argument_source *from);
void argument_resolve_each(argument *a, stage *s, argument_source *from);

void argument_write_query(const argument *a, const stage *s, text *out);
void argument_write_group(const argument *a, const stage *s, text *out);
void argument_write_cursor(const argument *a, const stage *s, text *out);
void argument_write_source(const argument *a, const stage *s, text *out);
void argument_write_typed(const argument *a, const stage *s, text *out);
void argument_write_other_typed(const argument *a, const stage *s, text *out);
void argument_write_written(const argument *a, const stage *s, text *out);
void argument_write_stored(const argument *a, const stage *s, text *out);
void argument_write_listener(const argument *a, const stage *s, text *out);
void argument_write_event(const argument *a, const stage *s, text *out);
void argument_write_each(const argument *a, const stage *s, text *out);

#endif
