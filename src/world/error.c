// SPDX-License-Identifier: MIT
// Recording and reporting errors, and the text of every error message.
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// A world without an error hook prints this many errors: a mistake in a loop is visible, and other
// output stays readable.
#define ERRORS_PRINTED 16

// --- recording and reporting -----------------------------------------------------------------

static void print_error(const kith_world *world, const kith_error *error, const char *remark)
{
    char text[512];
    kith_error_text(world, error, text, sizeof text);
    fprintf(stderr, "kith: %s%s\n", text, remark);
}

// Const calls may change the counter: it is not part of the world's value.
static void print_first_errors(kith_world *world, const kith_error *error)
{
    if (atomic_load_explicit(&world->errors_printed, memory_order_relaxed) >= ERRORS_PRINTED) {
        return; // so that the counter cannot wrap around
    }
    unsigned before = atomic_fetch_add_explicit(&world->errors_printed, 1, memory_order_relaxed);
    if (before < ERRORS_PRINTED) {
        bool last = before + 1 == ERRORS_PRINTED;
        print_error(world, error, last ? " (this world's further errors are not shown)" : "");
    }
}

static void call_error_hook(const kith_world *world, const kith_error *error)
{
    if (world->on_error != NULL) {
        world->on_error(world, error, world->error_context);
    } else {
        print_first_errors((kith_world *)(uintptr_t)world, error);
    }
}

KITH_INTERNAL bool kith_world_report_error(const kith_world *world, const kith_error *error)
{
    if (!world->errors_muted) {
        call_error_hook(world, error);
    }
    return false;
}

// Copies the recorded error to world->call_error, unless a listener or a hook of the call made it.
static void record_call_error(const kith_world *world)
{
    kith_call_error *own = world->call_error;
    if (own == NULL || own->nested != world->nested || (world->head.busy_ & KITH_HOOKS_MASK) != 0) {
        return;
    }
    own->error = world->error;
    if (world->error.other != NULL) {
        memcpy(own->other, world->error_other, sizeof own->other);
        own->error.other = own->other;
    }
}

KITH_INTERNAL bool kith_world_record_error(kith_world *world, const kith_error *error)
{
    char other[sizeof world->error_other]; // error->other may point to world->error_other
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
    record_call_error(world);
    return false;
}

// The error hook runs in a locked world. Errors that the hook causes are not reported, and the
// record afterwards is the first error again.
KITH_INTERNAL bool kith_world_fail(kith_world *world, const kith_error *error)
{
    kith_world_record_error(world, error);
    if (!world->errors_muted) {
        kith_error first = world->error;
        char       other[sizeof world->error_other];
        memcpy(other, world->error_other, sizeof other);
        kith_world_lock(world);
        world->errors_muted = true;
        call_error_hook(world, &first);
        world->errors_muted = false;
        kith_world_unlock(world);
        memcpy(world->error_other, other, sizeof other);
        world->error = first;
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

// --- messages --------------------------------------------------------------------------------
//
// A message is "call: cause, with names; remedy". Hot paths only fill in a kith_error; the text is
// made here, when a hook or the program asks for it.

typedef struct message {
    kith_print        out;
    const kith_world *world; // gives the names of components; may be NULL
    const kith_error *error;
} message;

// The text, or a stand-in when the program filled in the error by hand and omitted it.
static const char *known(const char *given)
{
    return given == NULL ? "something" : given;
}

// The name of the error's component, or NULL.
static const char *name_of(const message *m)
{
    const kith_storage *storage =
        m->world == NULL ? NULL : kith_world_storage(m->world, m->error->component);
    return storage == NULL ? NULL : storage->desc.name;
}

// Writes "position_set: " where the component has such a typed function, else the call's own name.
// Returns true when that named the component.
static bool say_call(message *m)
{
    static const size_t prefix = sizeof "kith_component_" - 1; // as long as "kith_singleton_"
    const char         *name   = name_of(m);
    kith_error_code     code   = m->error->code;
    const char         *call   = m->error->call == NULL ? "kith" : m->error->call;
    bool typed = name != NULL && code != KITH_ERROR_KIND && code != KITH_ERROR_CONFLICT &&
                 (strncmp(call, "kith_component_", prefix) == 0 ||
                  strncmp(call, "kith_singleton_", prefix) == 0);
    if (typed) {
        kith_print_format(&m->out, "%s_%s: ", name, call + prefix);
    } else {
        kith_print_format(&m->out, "%s: ", call);
    }
    return typed;
}

KITH_INTERNAL void kith_print_entity(kith_print *out, kith_entity entity)
{
    kith_print_format(out, "%" PRIu32 "v%" PRIu32, kith_entity_index(entity),
                      kith_entity_version(entity));
}

static void say_entity(message *m)
{
    kith_print_format(&m->out, "entity ");
    kith_print_entity(&m->out, m->error->entity);
}

static void say_dead(message *m)
{
    uint64_t version = kith_entity_version(m->error->entity);
    uint64_t now     = m->error->have;
    say_entity(m);
    if (now == 0 || version == 0) {
        kith_print_format(&m->out, " was never created in this world");
    } else if (m->error->subject != NULL && now == version) {
        kith_print_format(&m->out, " was destroyed (the slot is %s)", m->error->subject);
    } else {
        kith_print_format(&m->out, " %s (the slot is at version %" PRIu64 ")%s",
                          now > version ? "was destroyed" : "is not alive", now,
                          now > version ? "" : "; is it from another world?");
    }
}

// The name of an open loop, and how to close it.
static void say_loop(message *m)
{
    bool hold = strcmp(m->error->other, "kith_world_hold") == 0;
    kith_print_format(&m->out, "\"%s\" (%s)", m->error->other,
                      hold ? "call kith_world_release" : "after break, call its end function");
}

static void say_limit(message *m)
{
    const kith_error *error   = m->error;
    const char       *subject = known(error->subject);
    if (strcmp(subject, "the queue") == 0) {
        kith_print_format(&m->out, "%s \"%s\" is limited to %" PRIu64 " events", subject,
                          known(error->other), error->have);
    } else if (error->other != NULL && error->component == 0) {
        kith_print_format(&m->out, "%s is limited to %" PRIu64 "; the oldest is ", subject,
                          error->have);
        say_loop(m);
    } else if (error->other != NULL) {
        kith_print_format(&m->out, "the pool of \"%s\" is limited to %" PRIu64 " rows",
                          error->other, error->have);
        if (error->subject != NULL) {
            kith_print_format(&m->out, ", and %s", subject);
        }
    } else if (error->entity != KITH_NULL) {
        say_entity(m);
        kith_print_format(&m->out, " is %s", subject);
        return;
    } else {
        kith_print_format(&m->out, "%s is limited to %" PRIu64, subject, error->have);
    }
    if (error->want != 0) {
        kith_print_format(&m->out, ", the call asks for %" PRIu64, error->want);
    }
}

static void say_memory(message *m)
{
    kith_print_format(&m->out, "out of memory");
    if (m->error->want != 0) {
        kith_print_format(&m->out,
                          ": kith_world_desc.memory of %" PRIu64 " bytes is too small, "
                          "%" PRIu64 " more are needed in one piece",
                          m->error->have, m->error->want);
    }
}

KITH_INTERNAL const char *kith_word_at(const char *words, uint32_t number)
{
    for (; *words != '\0' && number > 0; number--) {
        words += strlen(words) + 1;
    }
    return *words == '\0' ? "?" : words;
}

KITH_NAMES(kith_kind, "value\0tag\0flag\0singleton\0")
KITH_NAMES(kith_policy, "swap\0stable\0")

// Writes "none" for 0: no required component, no order to keep.
static void say_number(message *m, uint64_t number)
{
    if (number == 0) {
        kith_print_format(&m->out, "none");
    } else {
        kith_print_format(&m->out, "%" PRIu64, number);
    }
}

static void say_conflict(message *m)
{
    const kith_error *error = m->error;
    const char       *has   = known(error->component == 0 ? error->other : name_of(m));
    if (error->subject == NULL) {
        kith_print_format(&m->out,
                          "component id %" PRIu32 " is taken by \"%s\"; give \"%s\" another id",
                          error->component, has, known(error->other));
    } else if (strcmp(error->subject, "kind") == 0) {
        kith_print_format(&m->out, "\"%s\" is registered as a %s, not as a %s", has,
                          kith_kind_name((kith_kind)error->have),
                          kith_kind_name((kith_kind)error->want));
    } else if (strcmp(error->subject, "policy") == 0) {
        kith_print_format(&m->out, "\"%s\" is registered as a %s pool, not a %s pool", has,
                          kith_policy_name((kith_policy)error->have),
                          kith_policy_name((kith_policy)error->want));
    } else if (strcmp(error->subject, "schema") == 0 ||
               strcmp(error->subject, "place of fields") == 0) {
        kith_print_format(&m->out, "\"%s\" is registered with another %s", has, error->subject);
    } else {
        kith_print_format(&m->out, "\"%s\" is registered with %s ", has, error->subject);
        say_number(m, error->have);
        kith_print_format(&m->out, ", not ");
        say_number(m, error->want);
    }
}

static void say_argument(message *m)
{
    const kith_error *error = m->error;
    kith_print_format(&m->out, "%s", known(error->subject));
    if (error->have != 0) {
        kith_print_format(&m->out, " (%" PRIu64 ")", error->have);
    }
    if (error->want != 0 || error->have != 0) {
        kith_print_format(&m->out, ", got %" PRIu64, error->want);
    }
    if (error->other != NULL) {
        kith_print_format(&m->out, error->other[0] == '"' ? ": %s" : " (\"%s\")", error->other);
    }
    if (error->entity != KITH_NULL) {
        kith_print_format(&m->out, ": ");
        say_entity(m);
    }
}

static void say_busy(message *m)
{
    const kith_error *error = m->error;
    if (error->subject == NULL) {
        kith_print_format(&m->out, "a hook may not change the world; do it after the call");
    } else if (error->other == NULL) {
        kith_print_format(&m->out, "not while %s", error->subject);
    } else if (strcmp(error->subject, "a loop is open") == 0) {
        kith_print_format(&m->out, "%s: ", error->subject);
        say_loop(m);
    } else {
        kith_print_format(&m->out, "%s: \"%s\"", error->subject, error->other);
    }
}

static void say_dying(message *m)
{
    const char *subject = known(m->error->subject);
    if (strcmp(subject, "removed") == 0) {
        kith_print_format(&m->out, "\"%s\" of ", known(name_of(m)));
    }
    say_entity(m);
    kith_print_format(&m->out, " is being %s", subject);
}

// What is wrong in a file, and at which byte.
static void say_format(message *m)
{
    kith_print_format(&m->out, "%s", known(m->error->subject));
    if (m->error->other != NULL) {
        kith_print_format(&m->out, " (\"%s\")", m->error->other);
    }
    kith_print_format(&m->out, " at byte %" PRIu64, m->error->have);
}

// The query whose term names the component, if it was a query's.
static void say_query(message *m)
{
    if (m->error->other != NULL) {
        kith_print_format(&m->out, "query \"%s\": ", m->error->other);
    }
}

// A call that knows the component only by its name sets `subject`, and the name is in `other`.
static void say_unregistered(message *m)
{
    if (m->error->subject != NULL) {
        kith_print_format(&m->out, "%s \"%s\"", m->error->subject, known(m->error->other));
    } else {
        say_query(m);
        kith_print_format(&m->out, "component %" PRIu32, m->error->component);
    }
    kith_print_format(&m->out, " is not registered in this world; is it missing in KITH_MODULE?");
}

static void say_kind(message *m)
{
    say_query(m);
    kith_print_format(&m->out, "\"%s\" is a %s and cannot be used this way", known(name_of(m)),
                      kith_kind_name((kith_kind)m->error->have));
}

static void say_hook(message *m)
{
    kith_print_format(&m->out, "the %s hook of \"%s\" returned false", known(m->error->subject),
                      known(m->error->other));
}

static void say_undeclared(message *m)
{
    kith_print_format(&m->out, "the system \"%s\" did not declare that it %s \"%s\"",
                      known(m->error->other), known(m->error->subject), known(name_of(m)));
}

static void say_unsaved(message *m)
{
    kith_print_format(&m->out, "\"%s\" has values, but traits.saved does not say how to save them",
                      known(name_of(m)));
}

// The text for an error code: a function writes it, or it is the error's own subject when
// `has_words` is set and there is one, or else `words`.
typedef struct cause {
    void (*say)(message *m);
    bool        has_words;
    const char *words;
} cause;

static const cause causes[] = {
    [KITH_OK]                 = { .words = "no error" },
    [KITH_ERROR_MEMORY]       = { .say = say_memory },
    [KITH_ERROR_LIMIT]        = { .say = say_limit },
    [KITH_ERROR_NULL_ENTITY]  = { .words = "the entity is KITH_NULL; create it first" },
    [KITH_ERROR_DEAD_ENTITY]  = { .say = say_dead },
    [KITH_ERROR_UNREGISTERED] = { .say = say_unregistered },
    [KITH_ERROR_CONFLICT]     = { .say = say_conflict },
    [KITH_ERROR_KIND]         = { .say = say_kind },
    [KITH_ERROR_POLICY]   = { .has_words = true, .words = "the rows of a stable pool do not move" },
    [KITH_ERROR_HOOK]     = { .say = say_hook },
    [KITH_ERROR_ARGUMENT] = { .say = say_argument },
    [KITH_ERROR_BUSY]     = { .say = say_busy },
    [KITH_ERROR_DYING]    = { .say = say_dying },
    [KITH_ERROR_CLOSED]   = { .words = "the loop of this cursor is closed; begin a new one" },
    [KITH_ERROR_UNDECLARED] = { .say = say_undeclared },
    [KITH_ERROR_FORMAT]     = { .say = say_format },
    [KITH_ERROR_UNSAVED]    = { .say = say_unsaved },
    [KITH_ERROR_IO]         = { .has_words = true },
};

KITH_API size_t kith_error_text(const kith_world *world, const kith_error *error, char *buffer,
                                size_t size)
{
    message m     = { kith_print_start(buffer, size), world, error };
    bool    named = error->code == KITH_OK || say_call(&m);
    bool    names = error->code == KITH_ERROR_ARGUMENT || error->code == KITH_ERROR_POLICY;
    if (!named && names && name_of(&m) != NULL) {
        kith_print_format(&m.out, "\"%s\": ", name_of(&m));
    }
    if ((size_t)error->code >= sizeof causes / sizeof *causes) {
        return m.out.length;
    }
    const cause *found = &causes[error->code];
    if (found->say != NULL) {
        found->say(&m);
    } else {
        bool own = found->has_words && error->subject != NULL;
        kith_print_format(&m.out, "%s", own ? error->subject : known(found->words));
    }
    return m.out.length;
}
