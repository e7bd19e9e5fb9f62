// SPDX-License-Identifier: MIT
// kith load-json: makes a snapshot of JSON.
//
// JSON does not describe components, and has no order of rows and free handles. So the new snapshot
// is like one that has: the world of that file is changed to what the JSON says. What is the same
// in both stays as it is.
//
//     JSON      --> `told`, a world of its own with the same components
//     FILE.kith --> `world` --> entities, values, disabled rows and singletons of `told`
#include "command.h"
#include "say.h"
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct edit {
    const char *out;
    kith_world *world;
    kith_world *told;
} edit;

static int lack_memory_for(const char *name)
{
    return complain(EXIT_TROUBLE, name, "there is not enough memory");
}

// --- reading ---------------------------------------------------------------------------------

// Creates an empty world with the components of `world`, which has to live longer.
static kith_world *make_told(const kith_world *world)
{
    const kith_world_desc desc = { .on_error = kith_error_ignore };
    kith_world           *told = kith_world_create(&desc);
    kith_component        id   = 0;
    bool                  fine =
        told != NULL && kith_entity_reserve(told, kith_world_stats(world).slots); // for far indices
    while (fine && (id = kith_component_next(world, id)) != 0) {
        fine = kith_component_register(told, kith_component_describe(world, id)) == id;
    }
    if (!fine) {
        kith_world_destroy(told);
    }
    return fine ? told : NULL;
}

static int read_json(kith_world *told, const input *in)
{
    static const char call[] = "kith_json_read_world: ";
    kith_result       result =
        kith_json_read_world(told, (const char *)in->bytes, in->size, &(kith_json_rules){ 0 });
    if (result.code == KITH_OK) {
        return EXIT_FINE;
    }
    if (result.code == KITH_ERROR_MEMORY) {
        return lack_memory_for(in->name);
    }
    char             message[512];
    const kith_error error = kith_world_error(told);
    kith_error_text(told, &error, message, sizeof message);
    bool named = strncmp(message, call, sizeof call - 1) == 0;
    return complain(EXIT_DIFFERS, in->name, "%s", message + (named ? sizeof call - 1 : 0));
}

// --- changing --------------------------------------------------------------------------------

static void destroy_others(edit *e)
{
    kith_entity entity = KITH_NULL;
    while ((entity = kith_entity_next(e->world, entity)) != KITH_NULL) {
        if (!kith_entity_alive(e->told, entity)) {
            kith_entity_destroy(e->world, entity);
        }
    }
}

static int create_missing(edit *e, const char *json)
{
    kith_entity entity = KITH_NULL;
    while ((entity = kith_entity_next(e->told, entity)) != KITH_NULL) {
        if (kith_entity_alive(e->world, entity)) {
            continue;
        }
        kith_entity made = kith_entity_create_hint(e->world, entity);
        if (kith_world_error(e->world).code == KITH_ERROR_MEMORY) {
            return lack_memory_for(json);
        }
        if (made != entity) {
            return complain(EXIT_DIFFERS, json,
                            "entity %" PRIu32 "v%" PRIu32 " cannot be created: see --like in kith"
                            " help load-json",
                            kith_entity_index(entity), kith_entity_version(entity));
        }
    }
    return EXIT_FINE;
}

// `value` is NULL for tags and flags.
static bool set_component(edit *e, kith_entity entity, const kith_component_desc *desc)
{
    kith_component id  = desc->id;
    bool           has = kith_component_has(e->world, entity, id);
    if (!kith_component_has(e->told, entity, id)) {
        return !has || kith_component_remove(e->world, entity, id);
    }
    bool        is_value = desc->kind == KITH_KIND_VALUE;
    const void *value    = is_value ? kith_component_get(e->told, entity, id) : NULL;
    bool        enabled  = kith_component_enabled(e->told, entity, id);
    if ((is_value || !has) && kith_component_set(e->world, entity, id, value) == NULL) {
        return false;
    }
    return kith_component_enabled(e->world, entity, id) == enabled ||
           kith_component_enable(e->world, entity, id, enabled);
}

static bool set_singleton(edit *e, kith_component id)
{
    const void *value = kith_singleton_get(e->told, id);
    if (value == NULL) {
        kith_singleton_remove(e->world, id);
        return true;
    }
    return kith_singleton_set(e->world, id, value) != NULL;
}

static bool set_components(edit *e)
{
    kith_component id   = 0;
    bool           fine = true;
    while (fine && (id = kith_component_next(e->world, id)) != 0) {
        const kith_component_desc *desc   = kith_component_describe(e->world, id);
        kith_entity                entity = KITH_NULL;
        if (desc->kind == KITH_KIND_SINGLETON) {
            fine = set_singleton(e, id);
            continue;
        }
        while (fine && (entity = kith_entity_next(e->told, entity)) != KITH_NULL) {
            fine = set_component(e, entity, desc);
        }
    }
    return fine;
}

// --- the command -----------------------------------------------------------------------------

static bool write_piece(const void *bytes, size_t size, void *context)
{
    return fwrite(bytes, 1, size, context) == size;
}

static int save(const edit *e)
{
    bool standard = strcmp(e->out, "-") == 0;
    if (standard) {
        terminal_binary(stdout);
    }
    kith_result result = standard ? kith_world_save(e->world, NULL, write_piece, stdout)
                                  : kith_world_save_file(e->world, NULL, e->out);
    return result.code == KITH_OK || (standard && ferror(stdout))
               ? EXIT_FINE // end_output reports a failed write
               : complain(EXIT_TROUBLE, e->out, "%s", result.message);
}

static int change_world(edit *e, const input *in)
{
    int code = read_json(e->told, in);
    if (code != EXIT_FINE) {
        return code;
    }
    destroy_others(e);
    kith_world_error_clear(e->world); // of the load
    code = create_missing(e, in->name);
    if (code != EXIT_FINE) {
        return code;
    }
    return set_components(e) ? save(e) : lack_memory_for(in->name);
}

int run_load_json(const arguments *given)
{
    edit  e    = { .out = given->files[1] };
    input in   = { 0 };
    int   code = EXIT_FINE;
    if (given->like == NULL) {
        return complain(EXIT_TROUBLE, NULL,
                        "load-json needs --like FILE: JSON does not describe "
                        "components, a snapshot does");
    }
    if (input_is_standard(given->files[0]) && input_is_standard(given->like)) {
        return complain(EXIT_TROUBLE, "standard input", "it can be read only once");
    }
    code = snapshot_open(given->like, given->memory, &e.world);
    code = code == EXIT_FINE ? input_read(&in, given->files[0], given->memory) : code;
    if (code == EXIT_FINE && in.at) {
        code = complain(EXIT_TROUBLE, in.name, "JSON has no frames: leave out the @");
    }
    if (code == EXIT_FINE) {
        e.told = make_told(e.world);
        code   = e.told == NULL ? lack_memory_for(in.name) : change_world(&e, &in);
    }
    input_end(&in);
    kith_world_destroy(e.told);
    kith_world_destroy(e.world);
    return code;
}
