// SPDX-License-Identifier: MIT
// The arguments of a call, made from a few small numbers and the state of the world, and written
// as C again. Which arguments a call has is said by its text, where a % and a letter stand for one:
//
//     e  an entity            o  another entity       c  a component, as a rule no singleton
//     s  a singleton, mostly  v  one of its values, or NULL
//     p  a value of plain     q  a value of wide      i  a value of pinned
//     j  a value of boxed     g  a value of global    n  a number of rows, slots, bits
//     b  a byte               h  a hint               H  hints, how many
//     d  a description        D  descriptions, how many
//     f  a signature          t  a second one         w  a component's name
//     x  any handle           P  a packed handle      R  a double
//     A  an address           m  a number of slots    W  a world's description
//     k  a cursor             y  another cursor       u  a typed cursor
//     Q  a query              K  a stored query       U  the other one, which no number decides
//     L  a listener           T  what it listens to   X  a function for each entity
//     C  a component, in a listener the one of its notice
//     B  a query for a group  G  a group
//     E  entities, how many   M  which columns of the cursor are written, which no number decides
//     a  another component    S  a key to sort by
//     z  whether the component has bytes, which no number decides
//     Z  entities of a batch, mostly alive and no two the same, how many
//     r  a range              l  a small number       V  sets of values for a batch, how many
//     I  components, how many  N  components to arrange, how many
//     Y  a path, a reactive set or a queue of events    O  a system
//     F  a hierarchy, mostly  J  a child to stand before, or null
//     1  a link               2  names
#ifndef KITH_TESTS_ARGUMENT_H
#define KITH_TESTS_ARGUMENT_H

#include "stage.h"
#include "text.h"

enum {
    ARGUMENT_NUMBERS = 9,
    ARGUMENT_DESCS   = 3,
    ARGUMENT_SETS    = 3,
    ARGUMENT_ROUTE   = KITH_PATH_COMPONENTS_MAX + 1,
    ARGUMENT_TERMS   = KITH_QUERY_TERMS_MAX + 1
};

/// A component's description with room for what it points to.
typedef struct argument_desc {
    kith_component_desc desc;
    char                name[MODEL_NAME];
    kith_component      required[MODEL_REQUIRED];
} argument_desc;

/// The call that a listener makes, or a loop for each of its entities.
typedef struct argument_action {
    uint16_t verb; // as verb_drawn reads it
    uint8_t  numbers[ARGUMENT_NUMBERS];
    uint32_t quota; // how often
} argument_action;

typedef struct argument {
    bool           acting;           // of a call that a listener makes
    bool           of_notice;        // the entity is the one of the listener's notice,
    bool           notice_component; // and the component too, if the notice has one
    kith_entity    entity;
    kith_entity    other;
    kith_entity    before;
    kith_component component;
    kith_component example; // another one
    kith_sort_key  key;
    uint32_t       count; // rows, slots, bits, a capacity: whatever the call counts
    uint8_t        number;
    const void    *value; // NULL, or `bytes` with the value of that number
    _Alignas(16) uint8_t bytes[CATALOG_LONGEST];
    kith_entity   hints[MODEL_HINTS];
    uint32_t      hint_count;
    kith_entities range;
    uint32_t      few;
    kith_values   sets[ARGUMENT_SETS];
    uint32_t      set_count;
    _Alignas(16) uint8_t set_bytes[ARGUMENT_SETS][MODEL_HINTS * (CATALOG_LONGEST + 4)];
    kith_component  ids[ARGUMENT_SETS];
    uint32_t        id_count;
    kith_component  route[ARGUMENT_ROUTE];
    uint32_t        route_count;
    argument_desc   descs[ARGUMENT_DESCS];
    uint32_t        desc_count;
    uint32_t        first, second; // signatures of the stage
    const char     *name;
    uint64_t        packed;
    double          real;
    kith_world_desc world;
    const void     *address; // inside a value or a hole, or of no pool at all
    uint32_t        address_row;
    uint32_t        cursor, source, typed, stored, listener, group, path, system; // of the stage
    kith_query_desc query;
    kith_term       terms[ARGUMENT_TERMS];
    kith_event      event;
    int32_t         event_priority;
    bool            deaf; // a listener without a function
    bool            one;  // one with a function for single events
    bool            many; // and one for batches
    argument_action action;
    uint32_t        place;                     // of the operation, for names in the text
    uint8_t         settled[ARGUMENT_NUMBERS]; // the same in more worlds
} argument;

/// Makes the arguments that `call` names, from `numbers`.
void argument_resolve(argument *a, stage *s, const char *call,
                      const uint8_t numbers[ARGUMENT_NUMBERS]);

/// The same for a call that a listener makes: most often about the entity of its notice. A listener
/// that it connects makes no calls itself.
void argument_resolve_action(argument *a, stage *s, const char *call,
                             const uint8_t numbers[ARGUMENT_NUMBERS]);

/// A tick: the next one, the present one, the one before, or 0.
uint64_t argument_since(stage *s, uint32_t number);

/// Writes the call with its arguments.
void argument_write(const argument *a, const stage *s, const char *call, text *out);

/// Writes a world's description as a compound literal.
void argument_write_world(const kith_world_desc *desc, const char *more, text *out);

#endif
