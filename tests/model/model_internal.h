// SPDX-License-Identifier: MIT
// What the model's own files share.
#ifndef KITH_TESTS_MODEL_INTERNAL_H
#define KITH_TESTS_MODEL_INTERNAL_H

#include "model.h"

/// An error of a call that could change the world: recorded and told. Always false.
bool model_fail(model *m, kith_error_code code, kith_component component, kith_entity entity);

/// An error of a question: told, not recorded.
void model_tell(model *m, kith_error_code code, kith_component component, kith_entity entity);

/// Whether the call comes from inside a hook; then it is an error.
bool model_busy(model *m, kith_component component, kith_entity entity);

/// Which components a call is for.
enum {
    MODEL_POOLS      = 1 << KITH_KIND_VALUE | 1 << KITH_KIND_TAG,
    MODEL_HAD        = MODEL_POOLS | 1 << KITH_KIND_FLAG, // what an entity can have
    MODEL_SINGLETONS = 1 << KITH_KIND_SINGLETON
};

/// What a call does to the world: how its errors come to light, and whether hooks may make it.
typedef enum model_manner {
    MODEL_ASKS,    // errors are told
    MODEL_REACHES, // errors are recorded and told
    MODEL_CHANGES  // the same, and from inside a hook it is refused
} model_manner;

/// The component, if the call exists for it.
model_component *model_named(model *m, model_manner how, kith_component id, unsigned kinds);
model_component *model_named_for(model *m, model_manner how, kith_component id, unsigned kinds,
                                 kith_entity entity);

/// The component, if the call exists for it and the entity lives.
model_component *model_demanded(model *m, kith_component id, kith_entity entity, unsigned kinds);

bool model_has(const model_component *component, kith_entity entity);

/// Takes every component away from an entity that ends.
void model_strip(model *m, kith_entity entity);

/// Logs the destructor of a value.
void model_destruct(model *m, const model_component *component, uint8_t number);

/// Forgets which pages the pools have beyond those that their rows need.
void model_forget_room(model_component *component);

#endif
