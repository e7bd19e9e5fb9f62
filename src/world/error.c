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

bool kith_world_report_error(const kith_world *world, const kith_error *error)
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
    own->error = world->latest.error;
    if (own->error.other != NULL) {
        memcpy(own->other, world->latest.other, sizeof own->other);
        own->error.other = own->other;
    }
}

bool kith_world_record_error(kith_world *world, const kith_error *error)
{
    world->latest.error = *error;
    if (error->other != NULL) {
        size_t length = strlen(error->other); // it may point to world->latest.other
        length = length < sizeof world->latest.other ? length : sizeof world->latest.other - 1;
        memmove(world->latest.other, error->other, length);
        world->latest.other[length] = '\0';
        world->latest.error.other   = world->latest.other;
    }
    if (error->code == KITH_ERROR_MEMORY && world->arena != NULL) {
        world->latest.error.have = world->arena->size;
        world->latest.error.want = world->arena->asked;
    }
    record_call_error(world);
    return false;
}

// The error hook runs in a locked world. Errors that the hook causes are not reported, and the
// record afterwards is the first error again. In a stage several threads come here: nothing is
// recorded, and the hook is that of the stage.
bool kith_world_fail(kith_world *world, const kith_error *error)
{
    if (world->in_stage) {
        return kith_world_report_error(world, error);
    }
    kith_world_record_error(world, error);
    if (!world->errors_muted) {
        const kith_kept_error first = world->latest;
        kith_world_lock(world);
        world->errors_muted = true;
        call_error_hook(world, &first.error);
        world->errors_muted = false;
        kith_world_unlock(world);
        world->latest = first;
    }
    return false;
}

#ifdef KITH_DEBUG
void kith_world_notice(kith_world *world, const char *call, const char *text)
{
    const kith_kept_error latest = world->latest; // a notice is no error: the record stays
    const kith_error      notice = { .code = KITH_ERROR_NOTICE, .call = call, .other = text };
    if (!world->errors_muted) {
        kith_world_lock(world);
        world->errors_muted = true;
        call_error_hook(world, &notice);
        world->errors_muted = false;
        kith_world_unlock(world);
        world->latest = latest;
    }
}
#endif

bool kith_world_refuse(kith_world *world, kith_error_code code, const char *call,
                       kith_component component, kith_entity entity)
{
    kith_error error = { .code = code, .call = call, .component = component, .entity = entity };
    return kith_world_fail(world, &error);
}

bool kith_world_refuse_because(kith_world *world, kith_error_code code, const char *call,
                               kith_component component, const char *subject, const char *other)
{
    kith_error error = {
        .code = code, .call = call, .component = component, .subject = subject, .other = other
    };
    return kith_world_fail(world, &error);
}

bool kith_world_mistake(kith_world *world, const char *call, const char *mistake, const char *other)
{
    return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, 0, mistake, other);
}

bool kith_world_refuse_numbers(kith_world *world, kith_error_code code, const char *call,
                               kith_component component, const char *subject, uint64_t have,
                               uint64_t want)
{
    kith_error error = { .code      = code,
                         .call      = call,
                         .component = component,
                         .subject   = subject,
                         .have      = have,
                         .want      = want };
    return kith_world_fail(world, &error);
}

kith_world *kith_desc_fail(const kith_world_desc *desc, kith_error error)
{
    error.call = "kith_world_create";
    if (desc->on_error != NULL) {
        desc->on_error(NULL, &error, desc->error_context);
    } else {
        print_error(NULL, &error, "");
    }
    return NULL;
}

kith_error kith_world_error(const kith_world *world)
{
    return world->latest.error;
}

void kith_world_error_clear(kith_world *world)
{
    world->latest.error = (kith_error){ 0 };
}

void kith_error_abort(const kith_world *world, const kith_error *error, void *context)
{
    (void)context;
    print_error(world, error, "");
    abort();
}

void kith_error_ignore(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    (void)error;
    (void)context;
}

// --- ends of entities ------------------------------------------------------------------------

#ifndef NDEBUG
void kith_world_name_running(kith_world *world, const char *name)
{
    size_t length = name == NULL ? 0 : strlen(name);
    memset(world->running, 0, sizeof world->running);
    memcpy(world->running, length == 0 ? "" : name,
           length < sizeof world->running ? length : sizeof world->running - 1);
}

void kith_world_record_ended(kith_world *world, kith_entity first, uint32_t count)
{
    if (world->ended_history != world->history) { // handles of another past
        memset(world->ended, 0, sizeof world->ended);
        world->ended_history = world->history;
    }
    for (uint32_t i = 0; i < count; i++) {
        kith_ended *ended = &world->ended[kith_entity_index(first + i) % KITH_ENDED_PLACES];
        ended->entity     = first + i;
        ended->tick       = world->tick;
        memcpy(ended->system, world->running, sizeof ended->system);
    }
}
#endif

// --- messages --------------------------------------------------------------------------------
//
// A message is "call: cause, with names; remedy". Hot paths only fill in a kith_error; the text is
// made here, when a hook or the program asks for it.

typedef struct message {
    kith_print        out;
    const kith_world *world; // gives the names of components; may be NULL
    const kith_error *error;
} message;

const char *kith_word_at(const char *words, uint32_t number)
{
    for (; *words != '\0' && number > 0; number--) {
        words += strlen(words) + 1;
    }
    return *words == '\0' ? "?" : words;
}

static const char access_names[] = "value\0tag\0flag\0singleton\0link\0list\0";

const char *kith_kind_name(kith_kind kind)
{
    return kith_word_at(access_names, kind > KITH_KIND_SINGLETON ? UINT32_MAX : (uint32_t)kind);
}

KITH_NAMES(kith_policy, "swap\0stable\0")

void kith_print_entity(kith_print *out, kith_entity entity)
{
    kith_print_format(out, "%" PRIu32 "v%" PRIu32, kith_entity_index(entity),
                      kith_entity_version(entity));
}

// The name of the error's component, or NULL.
static const char *name_of(const message *m)
{
    const kith_storage *storage =
        m->world == NULL ? NULL : kith_world_storage(m->world, m->error->component);
    return storage == NULL ? NULL : storage->desc.name;
}

static bool has_subject(const kith_error *error, const char *subject)
{
    return error->subject != NULL && strcmp(error->subject, subject) == 0;
}

// Writes `have` or `want`: as a word if it has one.
static void say_number(message *m, uint64_t number)
{
    bool conflict = m->error->code == KITH_ERROR_CONFLICT;
    if (m->error->code == KITH_ERROR_KIND || (conflict && has_subject(m->error, "kind"))) {
        kith_print_format(&m->out, "%s", kith_word_at(access_names, (uint32_t)number));
    } else if (conflict && has_subject(m->error, "policy")) {
        kith_print_format(&m->out, "%s", kith_policy_name((kith_policy)number));
    } else if (conflict && has_subject(m->error, "target")) {
        kith_print_format(&m->out, "%s",
                          kith_word_at("clear\0destroy\0refuse\0", (uint32_t)number));
    } else if (conflict && number == 0) { // no required component, no order to keep
        kith_print_format(&m->out, "none");
    } else {
        kith_print_format(&m->out, "%" PRIu64, number);
    }
}

// Writes a member of the error. A text that the program omitted in an error of its own is
// "something".
static void say_member(message *m, char letter)
{
    const kith_error *error = m->error;
    const char       *text  = NULL;
    switch (letter) {
    case 'e':
        kith_print_entity(&m->out, error->entity);
        return;
    case 'h':
        say_number(m, error->have);
        return;
    case 'w':
        say_number(m, error->want);
        return;
    case 'i':
        kith_print_format(&m->out, "%" PRIu32, error->component);
        return;
    case 's':
        text = error->subject;
        break;
    case 'c': // a conflict may be about a queue
        text =
            error->code == KITH_ERROR_CONFLICT && error->component == 0 ? error->other : name_of(m);
        break;
    default:
        text = error->other;
        break;
    }
    kith_print_format(&m->out, "%s", text == NULL ? "something" : text);
}

// Writes a text in which a dollar and a letter stand for a member of the error: $s for subject, $o
// for other, $e for entity, $h for have, $w for want, $i for component, $c for the component's
// name.
static void say(message *m, const char *text)
{
    for (const char *dollar = strchr(text, '$'); dollar != NULL; dollar = strchr(text, '$')) {
        kith_print_format(&m->out, "%.*s", (int)(dollar - text), text);
        say_member(m, dollar[1]);
        text = dollar + 2;
    }
    kith_print_format(&m->out, "%s", text);
}

// Writes "position_set: " where the component has such a typed function, else the call's own name.
// Returns true when that named the component.
static bool say_call(message *m)
{
    static const size_t prefix = sizeof "kith_component_" - 1; // as long as "kith_singleton_"
    kith_error_code     code   = m->error->code;
    const char         *call   = m->error->call == NULL ? "kith" : m->error->call;
    bool typed = name_of(m) != NULL && code != KITH_ERROR_KIND && code != KITH_ERROR_CONFLICT &&
                 (strncmp(call, "kith_component_", prefix) == 0 ||
                  strncmp(call, "kith_singleton_", prefix) == 0);
    if (typed) {
        say(m, "$c_");
        call += prefix;
    }
    kith_print_format(&m->out, "%s: ", call);
    return typed;
}

static void say_memory(message *m)
{
    say(m, m->error->want == 0 ? "out of memory"
                               : "out of memory: kith_world_desc.memory of $h bytes is too small, "
                                 "$w more are needed in one piece");
}

static void say_dead(message *m)
{
#ifndef NDEBUG
    if (m->error->other != NULL) {
        say(m, m->error->other[0] != '\0'
                   ? "entity $e was destroyed by system \"$o\" at tick $w"
                   : "entity $e was destroyed outside of systems at tick $w");
        return;
    }
#endif
    uint64_t version = kith_entity_version(m->error->entity);
    uint64_t now     = m->error->have;
    bool     marked  = m->error->subject != NULL && now == version;
    say(m, now == 0 || version == 0 ? "entity $e was never created in this world"
           : marked                 ? "entity $e was destroyed (the slot is $s)"
           : now > version          ? "entity $e was destroyed (the slot is at version $h)"
                                    : "entity $e is not alive (the slot is at version $h); "
                                      "is it from another world?");
}

// The name of an open loop, and how to close it.
static void say_loop(message *m)
{
    bool hold = strcmp(m->error->other, "kith_world_hold") == 0;
    say(m,
        hold ? "\"$o\" (call kith_world_release)" : "\"$o\" (after break, call its end function)");
}

static void say_limit(message *m)
{
    const kith_error *error = m->error;
    if (has_subject(error, "the queue")) {
        say(m, "$s \"$o\" is limited to $h events");
    } else if (error->other != NULL && error->component == 0) {
        say(m, "$s is limited to $h; the oldest is ");
        say_loop(m);
    } else if (error->other != NULL) {
        say(m, "the pool of \"$o\" is limited to $h rows");
        say(m, error->subject != NULL ? ", and $s" : "");
    } else if (error->entity != KITH_NULL) {
        say(m, "entity $e is $s");
        return;
    } else {
        say(m, "$s is limited to $h");
    }
    say(m, error->want != 0 ? ", the call asks for $w" : "");
}

static void say_conflict(message *m)
{
    const kith_error *error = m->error;
    bool another            = has_subject(error, "schema") || has_subject(error, "place of fields");
    say(m, error->subject == NULL ? "component id $i is taken by \"$c\"; give \"$o\" another id"
           : error->have != error->want ? another ? "\"$c\" is registered with another $s"
                                                  : "\"$c\" is registered with $s $h, not $w"
           : error->other == NULL       ? "$s"
                                        : "$s (\"$o\")");
}

static void say_argument(message *m)
{
    const kith_error *error = m->error;
    say(m, error->have != 0 ? "$s ($h)" : "$s");
    say(m, error->have != 0 || error->want != 0 ? ", got $w" : "");
    if (error->other != NULL) {
        say(m, error->other[0] == '"' ? ": $o" : " (\"$o\")");
    }
    say(m, error->entity != KITH_NULL ? ": entity $e" : "");
}

static void say_busy(message *m)
{
    const kith_error *error = m->error;
    if (error->other != NULL && has_subject(error, "a loop is open")) {
        say(m, "$s: ");
        say_loop(m);
    } else {
        say(m, error->subject == NULL ? "a hook may not change the world; do it after the call"
               : error->other == NULL ? "not while $s"
                                      : "$s: \"$o\"");
    }
}

static void say_dying(message *m)
{
    say(m, has_subject(m->error, "removed") ? "\"$c\" of entity $e is being $s"
                                            : "entity $e is being $s");
}

#define WRONG_KIND   "\"$c\" is a $h and cannot be used this way"
#define UNREGISTERED " is not registered in this world; is it missing in KITH_MODULE?"

// The text for an error code, for one with a subject, and for one that names another thing, or the
// function that writes it. A call that knows a component only by its name has a subject, and the
// name is in `other`; otherwise `other` is the query whose term names the component.
static const struct cause {
    void (*say)(message *m);
    const char *words;
    const char *of_subject;
    const char *of_other;
} causes[] = {
    [KITH_OK]                 = { .words = "no error" },
    [KITH_ERROR_MEMORY]       = { .say = say_memory },
    [KITH_ERROR_LIMIT]        = { .say = say_limit },
    [KITH_ERROR_NULL_ENTITY]  = { .words = "the entity is KITH_NULL; create it first" },
    [KITH_ERROR_DEAD_ENTITY]  = { .say = say_dead },
    [KITH_ERROR_UNREGISTERED] = { .words      = "component $i" UNREGISTERED,
                                  .of_subject = "$s \"$o\"" UNREGISTERED,
                                  .of_other   = "query \"$o\": component $i" UNREGISTERED },
    [KITH_ERROR_CONFLICT]     = { .say = say_conflict },
    [KITH_ERROR_KIND]         = { .words = WRONG_KIND, .of_other = "query \"$o\": " WRONG_KIND },
    [KITH_ERROR_POLICY] = { .words = "the rows of a stable pool do not move", .of_subject = "$s" },
    [KITH_ERROR_HOOK]   = { .words = "the $s hook of \"$o\" returned false" },
    [KITH_ERROR_ARGUMENT]   = { .say = say_argument },
    [KITH_ERROR_BUSY]       = { .say = say_busy },
    [KITH_ERROR_DYING]      = { .say = say_dying },
    [KITH_ERROR_CLOSED]     = { .words = "the loop of this cursor is closed; begin a new one" },
    [KITH_ERROR_UNDECLARED] = { .words = "the system \"$o\" did not declare that it $s \"$c\"" },
    [KITH_ERROR_FORMAT]     = { .words = "$s at byte $h", .of_other = "$s (\"$o\") at byte $h" },
    [KITH_ERROR_UNSAVED]    = { .words = "\"$c\" has no save form: declare it with "
                                            "KITH_COMPONENT_AS" },
    [KITH_ERROR_IO]         = { .words = "$s" },
    [KITH_ERROR_HELD] = { .words = "entity $e stays: holders of link \"$c\" name it, $h of them" },
#ifdef KITH_DEBUG
    [KITH_ERROR_NOTICE] = { .words = "$o" },
#endif
};

size_t kith_error_text(const kith_world *world, const kith_error *error, char *buffer, size_t size)
{
    message m     = { kith_print_start(buffer, size), world, error };
    bool    named = error->code == KITH_OK || say_call(&m);
    bool    names = error->code == KITH_ERROR_ARGUMENT || error->code == KITH_ERROR_POLICY;
    if (!named && names && name_of(&m) != NULL) {
        say(&m, "\"$c\": ");
    }
    if ((size_t)error->code < sizeof causes / sizeof *causes) {
        const struct cause *cause = &causes[error->code];
        if (cause->say != NULL) {
            cause->say(&m);
        } else {
            say(&m, cause->of_subject != NULL && error->subject != NULL ? cause->of_subject
                    : cause->of_other != NULL && error->other != NULL   ? cause->of_other
                                                                        : cause->words);
        }
    }
    return m.out.length;
}
