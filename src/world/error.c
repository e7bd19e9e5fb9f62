// SPDX-License-Identifier: MIT
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// A world that is told nothing else prints this many errors, so that a mistake in a loop shows but
// does not bury everything else.
#define ERRORS_PRINTED 16

// --- telling ---------------------------------------------------------------------------------

static void print_error(const kith_world *world, const kith_error *error, const char *remark)
{
    char text[512];
    kith_error_text(world, error, text, sizeof text);
    fprintf(stderr, "kith: %s%s\n", text, remark);
}

// The counter is not part of the world's value, so const calls may move it.
static void print_first_errors(kith_world *world, const kith_error *error)
{
    if (atomic_load_explicit(&world->errors_printed, memory_order_relaxed) >= ERRORS_PRINTED) {
        return;
    }
    unsigned before = atomic_fetch_add_explicit(&world->errors_printed, 1, memory_order_relaxed);
    if (before < ERRORS_PRINTED) {
        bool last = before + 1 == ERRORS_PRINTED;
        print_error(world, error, last ? " (this world's further errors are not shown)" : "");
    }
}

static void tell_hook(const kith_world *world, const kith_error *error)
{
    if (world->on_error != NULL) {
        world->on_error(world, error, world->error_context);
    } else {
        print_first_errors((kith_world *)(uintptr_t)world, error);
    }
}

KITH_INTERNAL bool kith_world_tell_error(const kith_world *world, const kith_error *error)
{
    if (!world->telling) {
        tell_hook(world, error);
    }
    return false;
}

// Keeps the error that was recorded, if it is the call's that someone asks about.
static void keep_own(const kith_world *world)
{
    kith_own_error *own = world->own;
    if (own == NULL || own->nested != world->nested || (world->head.busy_ & KITH_HOOKS_MASK) != 0) {
        return;
    }
    own->error = world->error;
    if (world->error.other != NULL) {
        memcpy(own->other, world->error_other, sizeof own->other);
        own->error.other = own->other;
    }
}

static void record(kith_world *world, const kith_error *error)
{
    char other[sizeof world->error_other]; // the text may be that of the error before
    world->error = *error;
    if (error->other != NULL) {
        snprintf(other, sizeof other, "%s", error->other);
        memcpy(world->error_other, other, sizeof other);
        world->error.other = world->error_other;
    }
    if (error->code == KITH_ERROR_MEMORY && world->arena != NULL) {
        world->error.have = world->arena->size;
        world->error.want = world->arena->asked;
    }
    keep_own(world);
}

KITH_INTERNAL bool kith_world_record_error(kith_world *world, const kith_error *error)
{
    record(world, error);
    return false;
}

// The hook runs in a busy world. Errors that it makes are not told again, and when it is done the
// record is the first one's.
KITH_INTERNAL bool kith_world_fail(kith_world *world, const kith_error *error)
{
    record(world, error);
    if (!world->telling) {
        kith_error told = world->error;
        char       other[sizeof world->error_other];
        memcpy(other, world->error_other, sizeof other);
        kith_world_lock(world);
        world->telling = true;
        tell_hook(world, &told);
        world->telling = false;
        kith_world_unlock(world);
        memcpy(world->error_other, other, sizeof other);
        world->error = told;
    }
    return false;
}

KITH_INTERNAL bool kith_world_refuse(kith_world *world, kith_error_code code, const char *call,
                                     kith_component component, kith_entity entity)
{
    kith_error error = { .code = code, .call = call, .component = component, .entity = entity };
    return kith_world_fail(world, &error);
}

KITH_INTERNAL bool kith_world_refuse_because(kith_world *world, kith_error_code code,
                                             const char *call, kith_component component,
                                             const char *subject, const char *other)
{
    kith_error error = {
        .code = code, .call = call, .component = component, .subject = subject, .other = other
    };
    return kith_world_fail(world, &error);
}

KITH_INTERNAL bool kith_world_refuse_numbers(kith_world *world, kith_error_code code,
                                             const char *call, kith_component component,
                                             const char *subject, uint64_t have, uint64_t want)
{
    kith_error error = { .code      = code,
                         .call      = call,
                         .component = component,
                         .subject   = subject,
                         .have      = have,
                         .want      = want };
    return kith_world_fail(world, &error);
}

KITH_INTERNAL kith_world *kith_desc_fail(const kith_world_desc *desc, kith_error error)
{
    error.call = "kith_world_create";
    if (desc->on_error != NULL) {
        desc->on_error(NULL, &error, desc->error_context);
    } else {
        print_error(NULL, &error, "");
    }
    return NULL;
}

KITH_API kith_error kith_world_error(const kith_world *world)
{
    return world->error;
}

KITH_API void kith_world_error_clear(kith_world *world)
{
    world->error = (kith_error){ 0 };
}

KITH_API void kith_error_abort(const kith_world *world, const kith_error *error, void *context)
{
    (void)context;
    print_error(world, error, "");
    abort();
}

KITH_API void kith_error_ignore(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    (void)error;
    (void)context;
}

// --- text ------------------------------------------------------------------------------------

// A text, or what stands for one that an error made by hand may lack.
static const char *known(const char *given)
{
    return given == NULL ? "something" : given;
}

static const char *name_of(const kith_world *world, kith_component component)
{
    const kith_storage *storage = world == NULL ? NULL : kith_world_storage(world, component);
    return storage == NULL ? NULL : storage->desc.name;
}

// "position_set", as the typed function is called, where the component can have such a function.
// Returns whether that named the component.
static bool say_call(kith_print *out, const kith_world *world, const kith_error *error)
{
    static const size_t prefix = sizeof "kith_component_" - 1; // as long as "kith_singleton_"
    const char         *name   = name_of(world, error->component);
    const char         *call   = error->call == NULL ? "kith" : error->call;
    bool typed = error->code != KITH_ERROR_KIND && (strncmp(call, "kith_component_", prefix) == 0 ||
                                                    strncmp(call, "kith_singleton_", prefix) == 0);
    if (name != NULL && typed && error->code != KITH_ERROR_CONFLICT) {
        kith_print_format(out, "%s_%s: ", name, call + prefix);
        return true;
    }
    kith_print_format(out, "%s: ", call);
    return false;
}

KITH_INTERNAL void kith_print_entity(kith_print *out, kith_entity entity)
{
    kith_print_format(out, "%" PRIu32 "v%" PRIu32, kith_entity_index(entity),
                      kith_entity_version(entity));
}

static void say_entity(kith_print *out, const kith_error *error)
{
    kith_print_format(out, "entity ");
    kith_print_entity(out, error->entity);
}

static void say_dead(kith_print *out, const kith_world *world, const kith_error *error)
{
    (void)world;
    say_entity(out, error);
    if (error->have == 0 || kith_entity_version(error->entity) == 0) {
        kith_print_format(out, " was never created");
    } else if (error->subject != NULL && error->have == kith_entity_version(error->entity)) {
        kith_print_format(out, " was destroyed (the slot is %s)", error->subject);
    } else if (error->have > kith_entity_version(error->entity)) {
        kith_print_format(out, " was destroyed (the slot is at version %" PRIu64 ")", error->have);
    } else {
        kith_print_format(out, " is not alive (the slot is at version %" PRIu64 ")", error->have);
    }
}

// The name of an open loop, and how to close it.
static void say_loop(kith_print *out, const char *name)
{
    bool hold = strcmp(name, "kith_world_hold") == 0;
    kith_print_format(out, "\"%s\" (%s)", name,
                      hold ? "a hold needs release" : "a loop left by break needs end");
}

static void say_limit(kith_print *out, const kith_world *world, const kith_error *error)
{
    (void)world;
    if (error->subject != NULL && strcmp(error->subject, "the queue") == 0) {
        kith_print_format(out, "%s \"%s\" is limited to %" PRIu64 " events", error->subject,
                          known(error->other), error->have);
    } else if (error->other != NULL && error->component == 0) {
        kith_print_format(out, "%s is limited to %" PRIu64 "; the oldest is ",
                          known(error->subject), error->have);
        say_loop(out, error->other);
    } else if (error->other != NULL) {
        kith_print_format(out, "the pool of \"%s\" is limited to %" PRIu64 " rows", error->other,
                          error->have);
        if (error->subject != NULL) {
            kith_print_format(out, ", and %s", error->subject);
        }
    } else if (error->entity != KITH_NULL) {
        say_entity(out, error);
        kith_print_format(out, " is %s", known(error->subject));
        return;
    } else {
        kith_print_format(out, "%s is limited to %" PRIu64, known(error->subject), error->have);
    }
    if (error->want != 0) {
        kith_print_format(out, ", %" PRIu64 " asked for", error->want);
    }
}

static void say_memory(kith_print *out, const kith_world *world, const kith_error *error)
{
    (void)world;
    kith_print_format(out, "out of memory");
    if (error->want != 0) {
        kith_print_format(
            out, ": the world has %" PRIu64 " bytes, not enough for %" PRIu64 " more at once",
            error->have, error->want);
    }
}

static const char *kind_name(uint64_t kind)
{
    switch (kind) {
    case KITH_KIND_VALUE:
        return "a component with values";
    case KITH_KIND_TAG:
        return "a tag";
    case KITH_KIND_FLAG:
        return "a flag";
    default:
        return "a singleton";
    }
}

static const char *policy_name(uint64_t policy)
{
    return policy == KITH_POLICY_STABLE ? "stable" : "swap";
}

// Where a property is 0 there is none: no required component, no order to keep.
static void say_number(kith_print *out, uint64_t number)
{
    if (number == 0) {
        kith_print_format(out, "none");
    } else {
        kith_print_format(out, "%" PRIu64, number);
    }
}

static void say_conflict(kith_print *out, const kith_world *world, const kith_error *error)
{
    const char *has =
        known(error->component == 0 ? error->other : name_of(world, error->component));
    if (error->subject == NULL) {
        kith_print_format(out, "component %" PRIu32 " is registered as \"%s\", not as \"%s\"",
                          error->component, has, known(error->other));
    } else if (strcmp(error->subject, "kind") == 0) {
        kith_print_format(out, "\"%s\" is registered as %s, not as %s", has, kind_name(error->have),
                          kind_name(error->want));
    } else if (strcmp(error->subject, "policy") == 0) {
        kith_print_format(out, "\"%s\" is registered as a %s pool, not a %s pool", has,
                          policy_name(error->have), policy_name(error->want));
    } else {
        kith_print_format(out, "\"%s\" is registered with %s ", has, error->subject);
        say_number(out, error->have);
        kith_print_format(out, ", not ");
        say_number(out, error->want);
    }
}

static void say_argument(kith_print *out, const kith_world *world, const kith_error *error)
{
    (void)world;
    kith_print_format(out, "%s", known(error->subject));
    if (error->have != 0) {
        kith_print_format(out, " (%" PRIu64 ")", error->have);
    }
    if (error->want != 0 || error->have != 0) {
        kith_print_format(out, ", got %" PRIu64, error->want);
    }
    if (error->other != NULL) {
        kith_print_format(out, error->other[0] == '"' ? ": %s" : " (\"%s\")", error->other);
    }
    if (error->entity != KITH_NULL) {
        kith_print_format(out, ": ");
        say_entity(out, error);
    }
}

static void say_busy(kith_print *out, const kith_world *world, const kith_error *error)
{
    (void)world;
    if (error->subject == NULL) {
        kith_print_format(out, "a hook may not change the world");
    } else if (error->other == NULL) {
        kith_print_format(out, "not while %s", error->subject);
    } else if (strcmp(error->subject, "a loop is open") == 0) {
        kith_print_format(out, "%s: ", error->subject);
        say_loop(out, error->other);
    } else {
        kith_print_format(out, "%s: \"%s\"", error->subject, error->other);
    }
}

static void say_dying(kith_print *out, const kith_world *world, const kith_error *error)
{
    const char *name = name_of(world, error->component);
    if (error->subject != NULL && strcmp(error->subject, "removed") == 0) {
        kith_print_format(out, "\"%s\" of ", known(name));
    }
    say_entity(out, error);
    kith_print_format(out, " is being %s", known(error->subject));
}

// The byte, and what stands there.
static void say_format(kith_print *out, const kith_world *world, const kith_error *error)
{
    (void)world;
    kith_print_format(out, "%s", known(error->subject));
    if (error->other != NULL) {
        kith_print_format(out, " (\"%s\")", error->other);
    }
    kith_print_format(out, " at byte %" PRIu64, error->have);
}

// The query that names the component, if one does.
static void say_query(kith_print *out, const kith_error *error)
{
    if (error->other != NULL) {
        kith_print_format(out, " (query \"%s\")", error->other);
    }
}

// By its id or, where the call knows only that, by its name.
static void say_unregistered(kith_print *out, const kith_world *world, const kith_error *error)
{
    static const char advice[] = "is not registered in this world: register it first";
    (void)world;
    if (error->subject != NULL) {
        kith_print_format(out, "%s \"%s\" %s", error->subject, known(error->other), advice);
        return;
    }
    kith_print_format(out, "component %" PRIu32 " %s", error->component, advice);
    say_query(out, error);
}

static void say_kind(kith_print *out, const kith_world *world, const kith_error *error)
{
    kith_print_format(out, "\"%s\" is %s", known(name_of(world, error->component)),
                      kind_name(error->have));
    say_query(out, error);
}

static void say_hook(kith_print *out, const kith_world *world, const kith_error *error)
{
    (void)world;
    kith_print_format(out, "the %s hook of \"%s\" refused", known(error->subject),
                      known(error->other));
}

static void say_undeclared(kith_print *out, const kith_world *world, const kith_error *error)
{
    kith_print_format(out, "the system \"%s\" did not declare that it %s \"%s\"",
                      known(error->other), known(error->subject),
                      known(name_of(world, error->component)));
}

static void say_unsaved(kith_print *out, const kith_world *world, const kith_error *error)
{
    kith_print_format(out, "\"%s\" has values, and nobody said how they are saved",
                      known(name_of(world, error->component)));
}

// What is said of an error by its code: by a function, or in the error's own words if there are
// some, otherwise in these.
typedef struct cause {
    void (*say)(kith_print *out, const kith_world *world, const kith_error *error);
    bool        has_words;
    const char *words;
} cause;

static const cause causes[] = {
    [KITH_OK]                 = { .words = "no error" },
    [KITH_ERROR_MEMORY]       = { .say = say_memory },
    [KITH_ERROR_LIMIT]        = { .say = say_limit },
    [KITH_ERROR_NULL_ENTITY]  = { .words = "the null entity has no components" },
    [KITH_ERROR_DEAD_ENTITY]  = { .say = say_dead },
    [KITH_ERROR_UNREGISTERED] = { .say = say_unregistered },
    [KITH_ERROR_CONFLICT]     = { .say = say_conflict },
    [KITH_ERROR_KIND]         = { .say = say_kind },
    [KITH_ERROR_POLICY]   = { .has_words = true, .words = "the rows of a stable pool do not move" },
    [KITH_ERROR_HOOK]     = { .say = say_hook },
    [KITH_ERROR_ARGUMENT] = { .say = say_argument },
    [KITH_ERROR_BUSY]     = { .say = say_busy },
    [KITH_ERROR_DYING]    = { .say = say_dying },
    [KITH_ERROR_CLOSED]   = { .words = "the loop of this cursor is closed" },
    [KITH_ERROR_UNDECLARED] = { .say = say_undeclared },
    [KITH_ERROR_FORMAT]     = { .say = say_format },
    [KITH_ERROR_UNSAVED]    = { .say = say_unsaved },
    [KITH_ERROR_IO]         = { .has_words = true },
};

static void say_cause(kith_print *out, const kith_world *world, const kith_error *error)
{
    if ((size_t)error->code >= sizeof causes / sizeof *causes) {
        return;
    }
    const cause *found = &causes[error->code];
    if (found->say != NULL) {
        found->say(out, world, error);
    } else {
        bool own = found->has_words && error->subject != NULL;
        kith_print_format(out, "%s", own ? error->subject : known(found->words));
    }
}

KITH_API size_t kith_error_text(const kith_world *world, const kith_error *error, char *buffer,
                                size_t size)
{
    kith_print out   = kith_print_start(buffer, size);
    bool       named = error->code == KITH_OK || say_call(&out, world, error);
    bool       names = error->code == KITH_ERROR_ARGUMENT || error->code == KITH_ERROR_POLICY;
    if (!named && names && name_of(world, error->component) != NULL) {
        kith_print_format(&out, "\"%s\": ", name_of(world, error->component));
    }
    say_cause(&out, world, error);
    return out.length;
}
