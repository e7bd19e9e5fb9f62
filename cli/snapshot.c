// SPDX-License-Identifier: MIT
// Loads a snapshot: registers the components that it describes and creates its groups.
#include "snapshot.h"

#include "component.h"
#include "recording.h"
#include "say.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain_result(const input *in, const kith_result *result)
{
    bool limit = result->code == KITH_ERROR_LIMIT;
    return complain(limit || result->code == KITH_ERROR_MEMORY ? EXIT_TROUBLE : EXIT_DIFFERS,
                    in->name, "%s, at byte %" PRIu64 "%s", result->message, result->offset,
                    limit ? ": see --memory" : "");
}

static kith_component find_named(const kith_world *world, const char *name, uint32_t length)
{
    kith_component id = 0;
    while ((id = kith_component_next(world, id)) != 0) {
        const char *other = kith_component_describe(world, id)->name;
        if (strlen(other) == length && memcmp(other, name, length) == 0) {
            return id;
        }
    }
    return 0;
}

// Registers a component without a save form. Returns 0 when memory runs out.
static kith_component register_bare(kith_world *world, const saved_component *it)
{
    char *name = malloc((size_t)it->name_length + 1);
    if (name == NULL) {
        return 0;
    }
    memcpy(name, it->name, it->name_length);
    name[it->name_length]          = '\0';
    const kith_component_desc desc = {
        .name = name, .size = 1, .alignment = 1, .traits.policy = (kith_policy)it->policy
    };
    kith_component id = kith_component_register(world, &desc);
    free(name);
    return id;
}

static bool has_no_form(const saved_component *it, const char *name, uint32_t length)
{
    return it->kind == KITH_KIND_VALUE && it->form == KITH_FORM_NONE && it->name_length == length &&
           memcmp(it->name, name, length) == 0;
}

// Loading does not register a component without a save form: it has no values. A group may exclude
// it, so it is registered here. COMP chunks come before all others but WRLD.
static kith_component register_excluded(kith_world *world, const input *in, const char *name,
                                        uint32_t length)
{
    kith_component id   = 0;
    chunk          c    = { 0 };
    uint64_t       at   = 0;
    bool           more = chunk_next(in, &at, &c);
    while (more && id == 0 && (strcmp(c.tag, "WRLD") == 0 || strcmp(c.tag, "COMP") == 0)) {
        saved_component it;
        if (strcmp(c.tag, "COMP") == 0 && component_read(&it, &c)) {
            id = has_no_form(&it, name, length) ? register_bare(world, &it) : 0;
            free(it.own);
        }
        more = chunk_next(in, &at, &c);
    }
    chunk_end(&c);
    return id;
}

// Creates a group that owns no pool, to hold the order of its members.
static bool make_group(kith_world *world, const input *in, reader *from)
{
    kith_term       terms[KITH_QUERY_TERMS_MAX];
    kith_query_desc desc = { .terms = terms, .term_count = read_u32(from) };
    if (desc.term_count > KITH_QUERY_TERMS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < desc.term_count; i++) {
        uint32_t       length;
        bool           without = read_u32(from) != 0;
        const char    *name    = read_text(from, &length);
        kith_component known   = find_named(world, name, length);
        if (known == 0 && without) {
            known = register_excluded(world, in, name, length);
        }
        terms[i] = (kith_term){ known, without ? KITH_ROLE_WITHOUT : KITH_ROLE_WITH, 0 };
    }
    return kith_group_of(world, &desc) != NULL;
}

static uint32_t make_groups(kith_world *world, const input *in)
{
    uint32_t count = 0;
    chunk    c     = { 0 };
    for (uint64_t at = 0; chunk_next(in, &at, &c);) {
        if (strcmp(c.tag, "GRUP") == 0) {
            count += make_group(world, in, &c.body);
        }
    }
    return count;
}

// Loading does not create groups. They are created from the GRUP chunks after a first load; a
// second load fills them.
static kith_result load_all(kith_world *world, const input *in)
{
    const kith_load_desc keep   = { .unknown    = KITH_UNKNOWN_KEEP,
                                    .state_only = true,
                                    .bytes      = in->memory };
    kith_result          result = kith_world_load(world, &keep, in->bytes, in->size);
    return result.code == KITH_OK && make_groups(world, in) != 0
               ? kith_world_load(world, &keep, in->bytes, in->size)
               : result;
}

int snapshot_world(const input *in, kith_world **world)
{
    kith_world_desc desc  = { .on_error = kith_error_ignore };
    const char     *fault = chunk_head_fault(in);
    *world                = NULL;
    if (fault != NULL) {
        return complain(EXIT_DIFFERS, in->name, "%s", fault);
    }
    kith_result result = kith_snapshot_world_desc(&(kith_load_desc){ .bytes = in->memory },
                                                  in->bytes, in->size, &desc);
    if (result.code != KITH_OK) {
        return complain_result(in, &result);
    }
    *world = kith_world_create(&desc);
    if (*world == NULL) {
        return complain(EXIT_TROUBLE, in->name, "there is not enough memory");
    }
    terminal_progress(in->name, in->size, in->size);
    result = load_all(*world, in);
    terminal_progress_end();
    if (result.code != KITH_OK) {
        kith_world_destroy(*world);
        *world = NULL;
        return complain_result(in, &result);
    }
    return EXIT_FINE;
}

int snapshot_open(const char *path, size_t memory, kith_world **world)
{
    input in;
    int   code = input_read(&in, path, memory);
    *world     = NULL;
    code       = code == EXIT_FINE ? recording_choose(&in) : code;
    code       = code == EXIT_FINE ? snapshot_world(&in, world) : code;
    input_end(&in);
    return code;
}
