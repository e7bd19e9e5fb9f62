// SPDX-License-Identifier: MIT
// kith json: prints a snapshot as JSON, or chosen entities and components of it.
//
// The world belongs to the tool: what is not printed is removed from it first.
#include "command.h"
#include "json_text.h"
#include "say.h"
#include "snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Entities to print, one a line.
typedef struct choice {
    kith_entity *list;
    uint32_t     count;
    uint32_t     room;
} choice;

static int lack_memory(const arguments *given)
{
    return complain(EXIT_TROUBLE, given->files[0], "there is not enough memory");
}

// --- entities --------------------------------------------------------------------------------

static bool choose(choice *chosen, kith_entity entity)
{
    if (chosen->count == chosen->room) {
        uint32_t     room = chosen->room * 2 + 64;
        kith_entity *list = realloc(chosen->list, room * sizeof *list);
        if (list == NULL) {
            return false;
        }
        chosen->list = list;
        chosen->room = room;
    }
    chosen->list[chosen->count++] = entity;
    return true;
}

// Chooses the entities that match a query of the components in the file, in the order of its loop.
static int choose_matching(const arguments *given, kith_world *world, choice *chosen)
{
    kith_query *query;
    if (!kith_query_parse(world, given->query, &query)) {
        char             message[512];
        const kith_error error = kith_world_error(world);
        kith_error_text(world, &error, message, sizeof message);
        return complain(EXIT_TROUBLE, "--query", "%s", message + strlen("kith_query_parse: "));
    }
    kith_cursor c    = kith_query_begin(query);
    bool        fine = !c.failed;
    while (fine && kith_cursor_next(&c)) {
        fine = choose(chosen, c.entity);
    }
    kith_cursor_end(&c);
    return fine ? EXIT_FINE : lack_memory(given);
}

// Reads a number below 2^32. Returns the rest of the text, or NULL.
static const char *read_number(const char *text, uint32_t *number)
{
    uint64_t sum = 0;
    if (*text < '0' || *text > '9') {
        return NULL;
    }
    for (; *text >= '0' && *text <= '9' && sum <= UINT32_MAX; text++) {
        sum = sum * 10 + (uint64_t)(*text - '0');
    }
    *number = (uint32_t)sum;
    return sum <= UINT32_MAX ? text : NULL;
}

// Chooses the entity that is written as index and version, such as 12v3.
static int choose_entity(const arguments *given, const kith_world *world, choice *chosen)
{
    uint32_t    index   = 0;
    uint32_t    version = 0;
    const char *rest    = read_number(given->entity, &index);
    rest                = rest != NULL && *rest == 'v' ? read_number(rest + 1, &version) : NULL;
    if (rest == NULL || *rest != '\0') {
        return complain(EXIT_TROUBLE, "--entity", "%s is no entity, such as 12v3", given->entity);
    }
    kith_entity entity = kith_entity_make(index, version);
    if (!kith_entity_alive(world, entity)) {
        kith_entity now = kith_entity_slot(world, index);
        bool        has = kith_entity_index(now) == index && kith_entity_alive(world, now);
        return has ? complain(EXIT_TROUBLE, given->files[0],
                              "entity %s is not alive: index %u is %uv%u now", given->entity,
                              (unsigned)index, (unsigned)index, (unsigned)kith_entity_version(now))
                   : complain(EXIT_TROUBLE, given->files[0], "entity %s is not alive",
                              given->entity);
    }
    return choose(chosen, entity) ? EXIT_FINE : lack_memory(given);
}

// --- components ------------------------------------------------------------------------------

static bool is_named(const arguments *given, const char *name)
{
    bool named = false;
    for (uint32_t i = 0; i < given->name_count && !named; i++) {
        named = strcmp(given->names[i], name) == 0;
    }
    return named;
}

static int check_names(const arguments *given, const kith_world *world)
{
    for (uint32_t i = 0; i < given->name_count; i++) {
        if (kith_component_find(world, given->names[i]) == 0) {
            return complain(EXIT_TROUBLE, given->files[0], "it has no component %s",
                            given->names[i]);
        }
    }
    return EXIT_FINE;
}

// Removes every other component.
static void keep_components(const arguments *given, kith_world *world)
{
    kith_component id = 0;
    while ((id = kith_component_next(world, id)) != 0) {
        const kith_component_desc *desc = kith_component_describe(world, id);
        if (is_named(given, desc->name)) {
            continue;
        }
        if (desc->kind == KITH_KIND_SINGLETON) {
            kith_singleton_remove(world, id);
        } else {
            kith_component_clear(world, id);
        }
    }
}

static void destroy_empty(kith_world *world)
{
    kith_entity entity = KITH_NULL;
    while ((entity = kith_entity_next(world, entity)) != KITH_NULL) {
        if (kith_entity_components(world, entity, NULL, 0) == 0) {
            kith_entity_destroy(world, entity);
        }
    }
}

// --- the command -----------------------------------------------------------------------------

static bool print_entities(const arguments *given, const kith_world *world, const choice *chosen)
{
    bool fine = true;
    for (uint32_t i = 0; i < chosen->count && fine; i++) {
        json_text text = { .pretty = given->pretty, .coloured = terminal_colours(stdout) };
        fine           = kith_json_write_entity(world, chosen->list[i], json_text_write, &text);
        putchar('\n');
    }
    return fine;
}

static bool print_world(const arguments *given, const kith_world *world)
{
    json_text text = { .pretty = given->pretty, .coloured = terminal_colours(stdout) };
    bool      fine = kith_json_write_world(world, json_text_write, &text);
    if (given->pretty) {
        putchar('\n'); // otherwise the text ends with one
    }
    return fine;
}

static int print_json(const arguments *given, kith_world *world, choice *chosen)
{
    int  code = check_names(given, world);
    bool all  = given->query == NULL && given->entity == NULL;
    if (code == EXIT_FINE && !all) {
        code = given->query != NULL ? choose_matching(given, world, chosen)
                                    : choose_entity(given, world, chosen);
    }
    if (code != EXIT_FINE) {
        return code;
    }
    if (given->name_count != 0) {
        keep_components(given, world);
    }
    if (given->name_count != 0 && all) {
        destroy_empty(world);
    }
    bool fine = all ? print_world(given, world) : print_entities(given, world, chosen);
    return fine || ferror(stdout) ? EXIT_FINE : lack_memory(given); // end_output reports the write
}

int run_json(const arguments *given)
{
    kith_world *world  = NULL;
    choice      chosen = { 0 };
    if (given->query != NULL && given->entity != NULL) {
        return complain(EXIT_TROUBLE, NULL, "--entity and --query exclude each other");
    }
    int code = snapshot_open(given->files[0], given->memory, &world);
    code     = code == EXIT_FINE ? print_json(given, world, &chosen) : code;
    free(chosen.list);
    kith_world_destroy(world);
    return code;
}
