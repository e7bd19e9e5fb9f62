// SPDX-License-Identifier: MIT
// Dumps: entities, pools and worlds as text. A line is composed in a buffer of fixed size and
// written; nothing else is kept, so a dump cannot fail.
#include "group/group.h"
#include "system/system.h"
#include "world/world.h"
#include "json/json.h"

#include "kith/dump.h"

#include <inttypes.h>
#include <stdio.h>

#define DUMP_LINE  1024u
#define DUMP_SAVED 256u // of a value that functions save

typedef struct dump {
    const kith_world *world;
    kith_write_fn     write;
    void             *context;
    bool              stopped; // `write` returned false
    kith_print        line;
    char              room[DUMP_LINE];
} dump;

// --- lines -----------------------------------------------------------------------------------

static kith_print *begin_line(dump *d, const char *indent)
{
    d->line = kith_print_start(d->room, sizeof d->room);
    kith_print_format(&d->line, "%s", indent);
    return &d->line;
}

// The line break takes the place of the zero.
static void end_line(dump *d)
{
    kith_print_end(&d->line);
    size_t most     = sizeof d->room - 1;
    size_t length   = d->line.length < most ? d->line.length : most;
    d->room[length] = '\n';
    d->stopped      = d->stopped || !d->write(d->room, length + 1, d->context);
}

static bool write_to_stderr(const void *bytes, size_t size, void *context)
{
    (void)context;
    return fwrite(bytes, 1, size, stderr) == size;
}

static dump begin_dump(const kith_world *world, kith_write_fn write, void *context)
{
    return (dump){ .world   = world,
                   .write   = write == NULL ? write_to_stderr : write,
                   .context = context };
}

static void say_error(dump *d, const kith_error *error)
{
    kith_print *out = &d->line;
    out->length +=
        kith_error_text(d->world, error, out->buffer + out->length, out->size - out->length);
}

// --- values ----------------------------------------------------------------------------------

static void say_saved(kith_print *out, const kith_saved *saved, const void *value)
{
    uint8_t           few[DUMP_SAVED];
    const kith_saver *by   = saved->functions;
    size_t            size = by->write(value, few, sizeof few, by->context);
    bool              text = kith_saved_is_text(saved);
    if (size > sizeof few || (size == 0 && !text)) {
        kith_print_format(out, "%" PRIu64 " bytes", (uint64_t)size);
        return;
    }
    if (text) {
        const kith_field all = { .type = KITH_TYPE_CHARS, .size = 1, .count = (uint32_t)size };
        kith_json_element_text(out, &all, few);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        kith_print_format(out, "%02x", few[i]);
    }
}

// While a hook runs, other values of its pool may have ended: they are not handed to functions.
static void say_value(dump *d, const kith_storage *storage, const void *value)
{
    const kith_saved *saved   = &storage->desc.traits.saved;
    kith_print       *out     = &d->line;
    bool              in_hook = (d->world->head.busy_ & KITH_HOOKS_MASK) != 0;
    kith_print_format(out, ": ");
    if (saved->form == KITH_FORM_FUNCTIONS && !in_hook) {
        say_saved(out, saved, value);
    } else if (saved->form == KITH_FORM_FIELDS || saved->form == KITH_FORM_PLAIN) {
        kith_json_value_text(out, storage, value);
    } else {
        kith_print_format(out, "%" PRIu32 " bytes", storage->desc.size);
    }
}

// What a row of the component has; nothing for a tag.
static void say_row(dump *d, const kith_storage *storage, uint32_t row)
{
    if (storage->desc.kind == KITH_KIND_VALUE) {
        say_value(d, storage, kith_pool_value(&storage->pool, row));
    }
    if (kith_pool_is_disabled(&storage->pool, row)) {
        kith_print_format(&d->line, " (disabled)");
    }
}

bool kith_entity_dump(const kith_world *world, kith_entity entity, kith_write_fn write,
                      void *context)
{
    dump       d     = begin_dump(world, write, context);
    uint32_t   index = kith_entity_index(entity);
    bool       alive = kith_entity_table_alive(&world->entities, entity);
    kith_error error = kith_dead_entity_error(world, 0, entity, __func__);
    if (alive) {
        kith_print_entity(begin_line(&d, "entity "), entity);
    } else {
        begin_line(&d, "");
        say_error(&d, &error);
    }
    end_line(&d);
    for (uint32_t i = 0; i < world->storage_count && alive; i++) {
        const kith_storage *storage = world->storages[i];
        if (storage->bit == KITH_NO_BIT ||
            !kith_entity_bit(&world->entities, index, storage->bit)) {
            continue;
        }
        kith_print_format(begin_line(&d, "  "), "%s", storage->desc.name);
        if (storage->desc.kind != KITH_KIND_FLAG) {
            say_row(&d, storage, kith_sparse_set_row_at(&storage->pool.set, index));
        }
        end_line(&d);
    }
    return !d.stopped;
}

// --- pools -----------------------------------------------------------------------------------

static void say_count(kith_print *out, const char *before, uint32_t count, const char *noun)
{
    kith_print_format(out, "%s%" PRIu32 " %s%s", before, count, noun, count == 1 ? "" : "s");
}

static void say_storage(kith_print *out, const kith_storage *storage)
{
    const kith_component_desc *desc = &storage->desc;
    const kith_sparse_set     *set  = &storage->pool.set;
    kith_print_format(out, "%s (id %" PRIu32 "): %s", desc->name, (uint32_t)desc->id,
                      kith_kind_name(desc->kind));
    if (desc->size != 0) {
        say_count(out, " of ", desc->size, "byte");
        kith_print_format(out, ", form %s", kith_form_name(desc->traits.saved.form));
    }
    if (desc->kind == KITH_KIND_SINGLETON) {
        kith_print_format(out, storage->single == NULL ? ", absent" : ", present");
        return;
    }
    say_count(out, ", ", kith_storage_count(storage),
              desc->kind == KITH_KIND_FLAG ? "mark" : "row");
    if (set->holes != 0) {
        say_count(out, ", ", set->holes, "hole");
    }
    if (set->head.disabled_ != 0) {
        kith_print_format(out, ", %" PRIu32 " disabled", set->head.disabled_);
    }
}

// Ends the list of the first `shown` of `count`.
static void dump_rest(dump *d, uint32_t shown, uint32_t count)
{
    if (count > shown && !d->stopped) {
        kith_print_format(begin_line(d, "  "), "and %" PRIu32 " more", count - shown);
        end_line(d);
    }
}

static void dump_marked(dump *d, const kith_storage *storage, uint32_t most)
{
    say_storage(&d->line, storage);
    end_line(d);
    uint32_t    shown  = 0;
    kith_entity entity = kith_entity_next(d->world, KITH_NULL);
    for (; entity != KITH_NULL && shown < most && !d->stopped;
         entity = kith_entity_next(d->world, entity)) {
        if (kith_entity_bit(&d->world->entities, kith_entity_index(entity), storage->bit)) {
            kith_print_entity(begin_line(d, "  "), entity);
            end_line(d);
            shown++;
        }
    }
    dump_rest(d, shown, kith_storage_count(storage));
}

static void dump_rows(dump *d, const kith_storage *storage, uint32_t most)
{
    const kith_sparse_set *set   = &storage->pool.set;
    uint32_t               count = set->head.rows_ < most ? set->head.rows_ : most;
    say_storage(&d->line, storage);
    if (storage->single != NULL) {
        say_value(d, storage, storage->single);
    }
    end_line(d);
    for (uint32_t row = 0; row < count && !d->stopped; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        if ((index & KITH_HOLE) != 0) {
            begin_line(d, "  hole");
        } else {
            kith_print_entity(begin_line(d, "  "),
                              *kith_entity_slot_of(&d->world->entities, index));
            say_row(d, storage, row);
        }
        end_line(d);
    }
    dump_rest(d, count, set->head.rows_);
}

bool kith_component_dump(const kith_world *world, kith_component component, uint32_t rows,
                         kith_write_fn write, void *context)
{
    dump                d       = begin_dump(world, write, context);
    const kith_storage *storage = kith_world_storage(world, component);
    const kith_error    unknown = { .code      = KITH_ERROR_UNREGISTERED,
                                    .call      = __func__,
                                    .component = component };
    begin_line(&d, "");
    if (storage == NULL) {
        say_error(&d, &unknown);
        end_line(&d);
    } else if (storage->desc.kind == KITH_KIND_FLAG) {
        dump_marked(&d, storage, rows);
    } else {
        dump_rows(&d, storage, rows); // a singleton has none
    }
    return !d.stopped;
}

// --- worlds ----------------------------------------------------------------------------------

// Begins a line of a section, and before the first one its title.
static kith_print *begin_part(dump *d, bool *begun, const char *title)
{
    if (!*begun) {
        begin_line(d, title);
        end_line(d);
    }
    *begun = true;
    return begin_line(d, "  ");
}

static void say_terms(dump *d, const kith_query_desc *desc)
{
    kith_print_format(&d->line, "%s:", kith_name_shown(desc->name));
    for (uint32_t i = 0; i < desc->term_count; i++) {
        const kith_component_desc *of = kith_component_describe(d->world, desc->terms[i].component);
        kith_print_format(&d->line, "%s %s %s", i == 0 ? "" : ",",
                          kith_role_name(desc->terms[i].role), of == NULL ? "?" : of->name);
    }
    kith_print_format(&d->line, desc->term_count == 0 ? " every entity" : "");
}

static void dump_groups(dump *d)
{
    bool begun = false;
    for (uint32_t i = 0; i < d->world->groups.count; i++) {
        const kith_group *group = d->world->groups.groups[i];
        begin_part(d, &begun, "groups");
        say_terms(d, &group->desc);
        say_count(&d->line, "; ", group->count, "member");
        end_line(d);
    }
}

static void dump_queries(dump *d)
{
    bool begun = false;
    for (const kith_query *query = d->world->queries; query != NULL; query = query->next) {
        if (!query->destroyed) {
            begin_part(d, &begun, "queries");
            say_terms(d, &query->desc);
            end_line(d);
        }
    }
}

static void dump_systems(dump *d)
{
    const kith_schedule *schedule = d->world->schedule;
    bool                 begun    = false;
    for (uint32_t i = 0; schedule != NULL && i < schedule->graph.count; i++) {
        const kith_system *system = schedule->graph.order[i];
        kith_print_format(
            begin_part(d, &begun, "systems"), "%s: phase %" PRId32 ", %" PRIu64 " turn%s%s%s",
            system->desc.name, system->desc.phase, system->turns, system->turns == 1 ? "" : "s",
            system->enabled ? "" : ", disabled", schedule->running == system ? ", running" : "");
        end_line(d);
    }
}

static void dump_loops(dump *d)
{
    bool begun = false;
    for (uint32_t i = 0; i < d->world->depth; i++) {
        kith_print_format(begin_part(d, &begun, "open loops"), "%s",
                          kith_name_shown(d->world->loops[i].name));
        end_line(d);
    }
}

bool kith_world_dump(const kith_world *world, kith_write_fn write, void *context)
{
    dump       d     = begin_dump(world, write, context);
    kith_stats stats = kith_world_stats(world);
    bool       begun = false;
    kith_print_format(begin_line(&d, "world"),
                      "%s%s: tick %" PRIu64 ", %" PRIu32 " living, %" PRIu32 " free, %" PRIu32
                      " retired",
                      world->name == NULL ? "" : " ", kith_name_shown(world->name), world->tick,
                      stats.alive, stats.free, stats.retired);
    end_line(&d);
    if (world->latest.error.code != KITH_OK) {
        begin_line(&d, "latest error: ");
        say_error(&d, &world->latest.error);
        end_line(&d);
    }
    for (uint32_t i = 0; i < world->storage_count && !d.stopped; i++) {
        say_storage(begin_part(&d, &begun, "components"), world->storages[i]);
        end_line(&d);
    }
    dump_groups(&d);
    dump_queries(&d);
    dump_systems(&d);
    dump_loops(&d);
    return !d.stopped;
}
