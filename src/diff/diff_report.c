// SPDX-License-Identifier: MIT
#include "diff/diff_report.h"

#include <inttypes.h>

static const char *const world_names[] = { "first", "second" };

KITH_INTERNAL void kith_text_say_entity(kith_text *out, kith_entity entity)
{
    kith_text_say(out, "%" PRIu32 "v%" PRIu32, kith_entity_index(entity),
                  kith_entity_version(entity));
}

KITH_INTERNAL kith_text *kith_differ_part(kith_differ *d)
{
    d->part = kith_text_start(d->part_room, sizeof d->part_room);
    return &d->part;
}

// What stands between a component and its part.
static const char *joint(const kith_difference *it)
{
    bool is_field = it->kind == KITH_DIFFERENCE_VALUE && strncmp(it->part, "byte ", 5) != 0;
    return !is_field ? ": " : it->part[0] == '[' ? "" : ".";
}

static void say_subject(kith_text *out, const kith_difference *it)
{
    if (it->entity != KITH_NULL) {
        kith_text_say(out, "entity ");
        kith_text_say_entity(out, it->entity);
        kith_text_say(out, it->component == NULL ? "" : ": ");
    }
    if (it->component != NULL) {
        kith_text_say(out, "\"%s\"", it->component);
    }
    if (it->part != NULL) {
        kith_text_say(out, "%s%s", it->component == NULL ? "" : joint(it), it->part);
    }
}

static void say_all(kith_text *out, const kith_difference *it)
{
    const char *only = world_names[it->first == NULL];
    if (it->first != NULL && it->second != NULL) {
        say_subject(out, it);
        kith_text_say(out, " is %s in the first world and %s in the second", it->first, it->second);
    } else if (it->entity != KITH_NULL && it->component != NULL) {
        kith_text_say(out, "entity ");
        kith_text_say_entity(out, it->entity);
        kith_text_say(out, " has \"%s\" only in the %s world", it->component, only);
    } else {
        kith_text_say(out, "only the %s world has ", only);
        say_subject(out, it);
    }
    kith_text_end(out);
}

KITH_INTERNAL void kith_differ_note(kith_differ *d, kith_difference_kind kind, const char *first,
                                    const char *second)
{
    char               sentence[sizeof d->first];
    kith_text          out    = kith_text_start(sentence, sizeof sentence);
    const kith_column *column = d->columns[0] != NULL ? d->columns[0] : d->columns[1];
    kith_difference    it     = { .kind      = kind,
                                  .entity    = d->entity,
                                  .component = column == NULL ? NULL : column->desc.name,
                                  .part      = d->part.length == 0 ? NULL : d->part_room,
                                  .first     = first,
                                  .second    = second,
                                  .text      = sentence };
    if (d->count++ != 0 && d->diff->each == NULL) {
        return; // nobody reads it
    }
    kith_text_end(&d->part);
    say_all(&out, &it);
    if (d->count == 1) {
        memcpy(d->first, sentence, sizeof sentence);
    }
    if (d->diff->each != NULL) {
        d->diff->each(&it, d->diff->context);
    }
}

KITH_INTERNAL void kith_differ_fail(kith_differ *d, uint32_t side, kith_error_code code,
                                    const char *subject)
{
    kith_error error = { .code      = code,
                         .call      = KITH_DIFF_CALL,
                         .component = d->columns[side]->desc.id,
                         .entity    = d->entity,
                         .subject   = subject };
    d->failed        = true;
    kith_world_tell(d->worlds[side], &error);
}
