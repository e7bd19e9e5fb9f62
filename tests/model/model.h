// SPDX-License-Identifier: MIT
// kith's public contract written a second time, the slow and obvious way: flat arrays and linear
// search. Whatever the library keeps in two places that must agree is kept here in one.
//
//     free indices    a list, in the order in which they will be handed out
//     a pool          a list of rows { entity, number, disabled }; a hole is a row without entity
//     holes           a list of rows, the newest last
//
// Each function has the name of its twin in kith.h with `model_` for `kith_`. Values are told apart
// by their first byte, their number: that is all the model keeps of them. Calls that answer with an
// address answer here with 0 for NULL and otherwise with 1 + the number.
#ifndef KITH_TESTS_MODEL_H
#define KITH_TESTS_MODEL_H

#include "kith/types.h"

enum {
    MODEL_SLOTS       = 1200,
    MODEL_ROWS        = 160,
    MODEL_COMPONENTS  = 96,
    MODEL_REQUIRED    = 4,
    MODEL_HINTS       = 8,
    MODEL_TOLD        = 8,
    MODEL_LIFE        = 1024,
    MODEL_CONSTRUCTED = 0xd0, // the number that construct hooks give; absent ones give 0
    MODEL_NAME        = 24
};

/// Wrong on purpose, to prove that differences are found and shrunk.
typedef enum model_fault {
    MODEL_FAULT_NONE    = 0,
    MODEL_FAULT_DISABLE = 1, // disable does nothing
    MODEL_FAULT_SWAP    = 2  // a removed row of a swap pool closes up instead of taking the last
} model_fault;

typedef struct model_error {
    kith_error_code code;
    kith_component  component;
    kith_entity     entity;
} model_error;

/// A call of a lifecycle hook: 'c' construct, 'y' copy, 'd' destruct.
typedef struct model_life {
    char        event;
    uint8_t     number;
    const void *context;
} model_life;

typedef struct model_row {
    kith_entity entity;
    uint8_t     number;
    bool        disabled;
} model_row;

typedef struct model_component {
    char           name[MODEL_NAME];
    kith_component required[MODEL_REQUIRED];
    kith_component_desc
              desc; // points to the two above; page_rows is the library's where it decides
    uint32_t  limit;
    uint32_t  room;             // rows that fit into the pages there are, were pages one row long
    model_row rows[MODEL_ROWS]; // of flags too, there in no order
    uint32_t  row_count;
    uint32_t  holes[MODEL_ROWS];
    uint32_t  hole_count;
    bool      present; // singletons
    uint8_t   number;
} model_component;

typedef enum model_state {
    MODEL_UNUSED = 0,
    MODEL_ALIVE,
    MODEL_FREE,
    MODEL_RETIRED,
    MODEL_RESERVED // below first_index, used before
} model_state;

typedef struct model_slot {
    model_state state;
    uint32_t    version;
} model_slot;

typedef struct model {
    uint32_t        limit; // of indices
    uint32_t        last_version;
    uint32_t        first_index;
    kith_free_order order;
    void           *user;

    model_slot slots[MODEL_SLOTS];
    uint32_t   slot_count;
    uint32_t   free_list[MODEL_SLOTS];
    uint32_t   free_count;

    model_component components[MODEL_COMPONENTS]; // in registration order
    uint32_t        component_count;

    model_error record;
    model_error told[MODEL_TOLD]; // since model_step_begin
    uint32_t    told_count;
    model_life  life[MODEL_LIFE]; // since model_step_begin
    uint32_t    life_count;

    uint32_t hook_calls;           // of construct, copy and patch's change, since model_step_begin
    uint32_t fail_at;              // the one that answers false; 0: none
    void (*meddle)(void *meddler); // called by the first one; NULL: not
    void       *meddler;
    bool        busy; // while it is called
    model_fault fault;
} model;

/// A set of components, in any order.
typedef struct model_signature {
    kith_component ids[MODEL_COMPONENTS];
    uint32_t       count;
} model_signature;

/// Empties the lists of errors told and hooks called, and says what the hooks are to do.
void model_step_begin(model *m, uint32_t fail_at, void (*meddle)(void *meddler), void *meddler);

/// The step failed because the allocator refused: an error, recorded unless it is another world's.
void model_step_starved(model *m, const model_error *error, bool recorded);

// --- world -----------------------------------------------------------------------------------

/// Whether a second world can be made of the description; an error without a record if not.
bool model_world_try(model *m, const kith_world_desc *desc);

/// Makes `m` the model of a new world.
void model_world_create(model *m, const kith_world_desc *desc);

/// Logs the destructors that destroying the world runs.
void       model_world_destroy(model *m);
void       model_world_clear(model *m);
bool       model_world_shrink(model *m);
void      *model_world_user(const model *m);
void       model_world_user_set(model *m, void *user);
kith_stats model_world_stats(const model *m);
void       model_world_memory(model *m, kith_component component);
void       model_world_error_clear(model *m);

// --- entities as numbers ---------------------------------------------------------------------

kith_entity model_entity_make(uint32_t index, uint32_t version);
uint32_t    model_entity_index(kith_entity entity);
uint32_t    model_entity_version(kith_entity entity);
uint64_t    model_entity_pack(kith_entity entity, uint32_t index_bits);
kith_entity model_entity_unpack(uint64_t packed, uint32_t index_bits);
uint32_t    model_entity_pack32(kith_entity entity, uint32_t index_bits);
kith_entity model_entity_unpack32(uint32_t packed, uint32_t index_bits);
double      model_entity_to_double(kith_entity entity);
kith_entity model_entity_from_double(double number);

// --- entities --------------------------------------------------------------------------------

kith_entity model_entity_create(model *m);
kith_entity model_entity_create_hint(model *m, kith_entity hint);
bool        model_entity_create_hints(model *m, const kith_entity *hints, uint32_t count,
                                      kith_entity *out);
bool        model_entity_destroy(model *m, kith_entity entity);
bool        model_entity_alive(const model *m, kith_entity entity);
uint32_t    model_entity_current(const model *m, kith_entity entity);
uint32_t    model_entity_count(const model *m);
kith_entity model_entity_next(const model *m, kith_entity previous);
bool        model_entity_reserve(model *m, uint32_t slots);
kith_entity model_entity_slot(const model *m, uint32_t index);
bool        model_entity_has_all(const model *m, kith_entity entity, const model_signature *part);
bool        model_entity_has_any(const model *m, kith_entity entity, const model_signature *part);
uint32_t    model_entity_components(const model *m, kith_entity entity, kith_component *components,
                                    uint32_t capacity);
model_signature model_entity_signature(const model *m, kith_entity entity);

// --- signatures ------------------------------------------------------------------------------

bool     model_signature_add(model *m, model_signature *signature, kith_component component);
bool     model_signature_remove(model *m, model_signature *signature, kith_component component);
bool     model_signature_has(model *m, const model_signature *signature, kith_component component);
bool     model_signature_contains(const model_signature *signature, const model_signature *part);
bool     model_signature_intersects(const model_signature *signature, const model_signature *part);
bool     model_signature_equals(const model_signature *signature, const model_signature *part);
uint32_t model_signature_count(const model_signature *signature);

// --- components ------------------------------------------------------------------------------

/// The component, or NULL without an error.
model_component *model_component_lookup(model *m, kith_component component);

kith_component model_component_register(model *m, const kith_component_desc *desc);
bool model_component_register_many(model *m, const kith_component_desc *descs, uint32_t count);
kith_component model_component_find(const model *m, const char *name);
bool           model_component_describe(model *m, kith_component component);
kith_component model_component_next(model *m, kith_component previous);

uint32_t model_component_set(model *m, kith_entity entity, kith_component component,
                             const void *value);
uint32_t model_component_add(model *m, kith_entity entity, kith_component component);
uint32_t model_component_get_or_add(model *m, kith_entity entity, kith_component component,
                                    const void *value);
uint32_t model_component_get(model *m, kith_entity entity, kith_component component);

/// Answers with the value before `number` was written through the address.
uint32_t model_component_mut(model *m, kith_entity entity, kith_component component,
                             uint8_t number);
bool     model_component_has(model *m, kith_entity entity, kith_component component);

/// `change` makes the number `number`.
uint32_t model_component_patch(model *m, kith_entity entity, kith_component component,
                               uint8_t number);
bool     model_component_remove(model *m, kith_entity entity, kith_component component);
bool     model_component_disable(model *m, kith_entity entity, kith_component component);
bool     model_component_enable(model *m, kith_entity entity, kith_component component);
bool     model_component_enabled(model *m, kith_entity entity, kith_component component);

// --- pools -----------------------------------------------------------------------------------

uint32_t    model_component_count(model *m, kith_component component);
uint32_t    model_component_rows(model *m, kith_component component);
uint32_t    model_component_row(model *m, kith_entity entity, kith_component component);
kith_entity model_component_entity(model *m, kith_component component, uint32_t row);
uint32_t    model_component_value(model *m, kith_component component, uint32_t row);
bool        model_component_reserve(model *m, kith_component component, uint32_t rows);

/// The room that there is at least.
uint32_t model_component_capacity(model *m, kith_component component);

/// The entity whose value is in the row that the address lies in; KITH_NO_ROW: in none.
kith_entity model_component_owner(model *m, kith_component component, uint32_t row);
uint32_t    model_component_limit(model *m, kith_component component);
bool        model_component_limit_set(model *m, kith_component component, uint32_t rows);
bool        model_component_shrink(model *m, kith_component component);
bool        model_component_compact(model *m, kith_component component);
bool        model_component_swap(model *m, kith_component component, kith_entity a, kith_entity b);
bool        model_component_clear(model *m, kith_component component);

// --- singletons ------------------------------------------------------------------------------

uint32_t model_singleton_set(model *m, kith_component component, const void *value);
uint32_t model_singleton_add(model *m, kith_component component);
uint32_t model_singleton_get(model *m, kith_component component);
uint32_t model_singleton_mut(model *m, kith_component component, uint8_t number);
bool     model_singleton_has(model *m, kith_component component);
bool     model_singleton_remove(model *m, kith_component component);

#endif
