// SPDX-License-Identifier: MIT
// What the tests of components and pools need beyond kith_test.h: handles that no entity has,
// values
// of any layout, hooks that keep a journal, and everything that can be seen of a world as one text.
#ifndef COMPONENT_TEST_H
#define COMPONENT_TEST_H

#include "kith_test.h"

#include <stdio.h>

#define COUNT_OF(ARRAY) (sizeof(ARRAY) / sizeof(ARRAY)[0])

// --- handles ---------------------------------------------------------------------------------

#define STRANGERS 4

/// Handles of that index that no world ever issues: null, version 0, the last version, all ones.
static inline void make_strangers(uint32_t index, kith_entity strangers[STRANGERS])
{
    strangers[0] = KITH_NULL;
    strangers[1] = kith_entity_make(index, 0);
    strangers[2] = kith_entity_make(index, UINT32_MAX);
    strangers[3] = UINT64_MAX;
}

/// Makes `count` entities.
static inline void create_entities(kith_world *world, kith_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        entities[i] = kith_entity_create(world);
        assert_int_not_equal(entities[i], KITH_NULL);
    }
}

// --- values of any layout --------------------------------------------------------------------

/// A component of raw bytes, as the least that a description needs.
static inline kith_component_desc bytes_desc(kith_component id, uint32_t size, uint32_t alignment)
{
    return (kith_component_desc){ .name = "bytes", .id = id, .size = size, .alignment = alignment };
}

static inline void register_one(kith_world *world, kith_component_desc desc)
{
    assert_int_not_equal(kith_component_register(world, &desc), 0);
}

/// The bytes of the value with that number; neighbours differ in every byte.
static inline void fill_bytes(void *value, size_t size, uint32_t number)
{
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)value)[i] = (uint8_t)(number * 29 + i * 7 + i / 256);
    }
}

static inline void assert_bytes(const void *value, size_t size, uint32_t number)
{
    assert_non_null(value);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(((const uint8_t *)value)[i], (uint8_t)(number * 29 + i * 7 + i / 256));
    }
}

// --- verbs -----------------------------------------------------------------------------------

/// A public call on an entity's component; the answer as text, for comparing and printing.
typedef struct verb {
    const char *name;
    const char *(*call)(kith_world *world, kith_entity entity, kith_component component);
    const char *no;      // the answer where there is nothing
    unsigned    manners; // of VERB_*
} verb;

enum {
    VERB_DEMANDS = 1, // a null or dead entity is an error
    VERB_ROWS    = 2, // does not exist for flags, which have no rows
    VERB_ADDS    = 4, // finds nothing absent: adds it
    VERB_CONST   = 8  // takes a const world: an error is reported, not recorded
};

static inline const char *answer_address(const void *address)
{
    return address != NULL ? "value" : "`NULL`";
}

static inline const char *answer_bool(bool answer)
{
    return answer ? "`true`" : "`false`";
}

static inline const char *call_set(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_address(kith_component_set(world, entity, component, NULL));
}

static inline const char *call_add(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_address(kith_component_add(world, entity, component, NULL));
}

static inline const char *call_get(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_address(kith_component_get(world, entity, component));
}

static inline const char *call_mut(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_address(kith_component_mut(world, entity, component));
}

static inline const char *call_has(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_bool(kith_component_has(world, entity, component));
}

static inline void change_nothing(void *value, void *context)
{
    (void)value;
    (void)context;
}

static inline const char *call_patch(kith_world *world, kith_entity entity,
                                     kith_component component)
{
    return answer_address(kith_component_patch(world, entity, component, change_nothing, NULL));
}

static inline const char *call_remove(kith_world *world, kith_entity entity,
                                      kith_component component)
{
    return answer_bool(kith_component_remove(world, entity, component));
}

static inline const char *call_disable(kith_world *world, kith_entity entity,
                                       kith_component component)
{
    return answer_bool(kith_component_enable(world, entity, component, false));
}

static inline const char *call_enable(kith_world *world, kith_entity entity,
                                      kith_component component)
{
    return answer_bool(kith_component_enable(world, entity, component, true));
}

static inline const char *call_enabled(kith_world *world, kith_entity entity,
                                       kith_component component)
{
    return answer_bool(kith_component_enabled(world, entity, component));
}

static inline const char *call_row(kith_world *world, kith_entity entity, kith_component component)
{
    return kith_component_row(world, entity, component) != KITH_NO_ROW ? "row" : "`KITH_NO_ROW`";
}

static inline const char *call_swap(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_bool(kith_component_swap(world, component, entity, entity));
}

static inline const char *call_set_many(kith_world *world, kith_entity entity,
                                        kith_component component)
{
    return answer_bool(kith_entity_set_many(world, kith_entities_of(&entity, 1),
                                            &(kith_values){ .component = component }, 1));
}

static inline const char *call_remove_many(kith_world *world, kith_entity entity,
                                           kith_component component)
{
    return answer_bool(kith_entity_remove_many(world, kith_entities_of(&entity, 1), &component, 1));
}

// With other bytes than a default value has.
static inline const char *call_set_if_changed(kith_world *world, kith_entity entity,
                                              kith_component component)
{
    static const uint8_t other[256] = { 1 };
    return answer_bool(kith_component_set_if_changed(world, entity, component, other));
}

static inline const char *call_changed_at(kith_world *world, kith_entity entity,
                                          kith_component component)
{
    return kith_component_changed_at(world, entity, component) != 0 ? "number" : "`0`";
}

/// Every call on an entity's component, in the order of kith.h; swap exchanges it with itself. The
/// last ones are batches.
enum { BATCH_VERBS = 2 };
static const verb entity_verbs[] = {
    { "set", call_set, "`NULL`", VERB_DEMANDS | VERB_ADDS },
    { "set_if_changed", call_set_if_changed, "`false`", VERB_DEMANDS | VERB_ADDS },
    { "add", call_add, "`NULL`", VERB_DEMANDS | VERB_ADDS },
    { "get", call_get, "`NULL`", VERB_CONST },
    { "mut", call_mut, "`NULL`", 0 },
    { "has", call_has, "`false`", VERB_CONST },
    { "patch", call_patch, "`NULL`", VERB_DEMANDS },
    { "remove", call_remove, "`false`", 0 },
    { "enable: false", call_disable, "`false`", VERB_DEMANDS | VERB_ROWS },
    { "enable: true", call_enable, "`false`", VERB_DEMANDS | VERB_ROWS },
    { "enabled", call_enabled, "`false`", VERB_CONST },
    { "row", call_row, "`KITH_NO_ROW`", VERB_CONST | VERB_ROWS },
    { "changed_at", call_changed_at, "`0`", VERB_CONST | VERB_ROWS },
    { "swap", call_swap, "`false`", VERB_DEMANDS | VERB_ROWS },
    { "set_many", call_set_many, "`false`", VERB_DEMANDS | VERB_ADDS },
    { "remove_many", call_remove_many, "`false`", VERB_DEMANDS | VERB_ADDS }, // absent: no matter
};

// --- text ------------------------------------------------------------------------------------

typedef struct text {
    char  *bytes;
    size_t length;
    size_t capacity;
    bool   no_addresses; // for comparing two worlds
} text;

// Room for `more` bytes and the zero behind them.
static inline void text_reserve(text *out, size_t more)
{
    if (out->length + more + 1 > out->capacity) {
        out->capacity = (out->length + more + 1) * 2;
        out->bytes    = realloc(out->bytes, out->capacity);
        assert_non_null(out->bytes);
    }
}

static inline void text_add(text *out, const char *format, ...)
{
    va_list first;
    va_list again;
    text_reserve(out, 64); // enough for most, so that they are written once
    va_start(first, format);
    va_copy(again, first);
    size_t room   = out->capacity - out->length;
    size_t length = (size_t)vsnprintf(out->bytes + out->length, room, format, first);
    if (length >= room) {
        text_reserve(out, length);
        vsnprintf(out->bytes + out->length, length + 1, format, again);
    }
    va_end(again);
    va_end(first);
    out->length += length;
}

static inline void text_free(text *out)
{
    free(out->bytes);
    *out = (text){ 0 };
}

/// Two long texts are the same; otherwise the first lines that differ are shown.
static inline void assert_same_text(const char *is, const char *should)
{
    size_t line = 0;
    size_t at   = 0;
    for (; is[at] == should[at] && is[at] != '\0'; at++) {
        line = is[at] == '\n' ? at + 1 : line;
    }
    if (is[at] != should[at]) {
        fail_msg("is:     %.*s\nshould: %.*s", (int)strcspn(is + line, "\n"), is + line,
                 (int)strcspn(should + line, "\n"), should + line);
    }
}

// --- hooks with a journal --------------------------------------------------------------------

#define JOURNAL_VALUES 65536

/// What hooks did, as text, and which of the values they made are still there.
typedef struct journal {
    text     text; // "body copy 7, body destruct 3"
    uint32_t made;
    uint32_t living;
    uint8_t  alive[JOURNAL_VALUES]; // by serial
    uint32_t fail_construct;        // the n-th construct from now fails; 0: none
    uint32_t fail_copy;
    void (*intrude)(void *context); // called from inside each hook
    void *intruder;
} journal;

/// The context of a tracked component's hooks.
typedef struct tracker {
    journal    *journal;
    const char *name;
    size_t      alignment; // that every place must have; 0: any
} tracker;

/// A value that the hooks can follow: `number` is the test's, `serial` the journal's.
typedef struct tracked {
    uint32_t number;
    uint32_t serial;
} tracked;

static inline void journal_write(tracker *track, const char *what, uint32_t number)
{
    text *out = &track->journal->text;
    text_add(out, "%s%s %s %u", out->length == 0 ? "" : ", ", track->name, what, number);
    if (track->journal->intrude != NULL) {
        track->journal->intrude(track->journal->intruder);
    }
}

static inline void journal_make(tracker *track, void *place, uint32_t number)
{
    journal *log = track->journal;
    if (track->alignment != 0) {
        assert_int_equal((uintptr_t)place % track->alignment, 0);
    }
    assert_true(log->made < JOURNAL_VALUES);
    *(tracked *)place     = (tracked){ number, log->made };
    log->alive[log->made] = 1;
    log->made++;
    log->living++;
}

static inline bool journal_fails(uint32_t *countdown)
{
    return *countdown != 0 && --*countdown == 0;
}

static inline bool tracked_construct(void *value, void *context)
{
    tracker *track = context;
    if (journal_fails(&track->journal->fail_construct)) {
        return false;
    }
    journal_make(track, value, 0);
    journal_write(track, "construct", 0);
    return true;
}

static inline bool tracked_copy(void *value, const void *source, void *context)
{
    tracker *track  = context;
    uint32_t number = ((const tracked *)source)->number;
    if (journal_fails(&track->journal->fail_copy)) {
        return false;
    }
    journal_make(track, value, number);
    journal_write(track, "copy", number);
    return true;
}

// Overwrites the bytes, so that reading a destructed or moved value shows.
static inline void tracked_leave(tracked *value)
{
    memset(value, 0xdd, sizeof *value);
}

static inline void tracked_destruct(void *value, void *context)
{
    tracker *track = context;
    tracked  gone  = *(tracked *)value;
    assert_true(gone.serial < track->journal->made);
    assert_true(track->journal->alive[gone.serial]);
    track->journal->alive[gone.serial] = 0;
    track->journal->living--;
    tracked_leave(value);
    journal_write(track, "destruct", gone.number);
}

static inline void tracked_move(void *value, void *source, void *context)
{
    tracker *track = context;
    tracked  moved = *(tracked *)source;
    assert_ptr_not_equal(value, source);
    assert_true(moved.serial < track->journal->made);
    assert_true(track->journal->alive[moved.serial]);
    *(tracked *)value = moved;
    tracked_leave(source);
    journal_write(track, "move", moved.number);
}

static inline kith_hooks tracked_hooks(tracker *track)
{
    return (kith_hooks){ tracked_construct, tracked_copy, tracked_destruct, tracked_move, track };
}

static inline kith_component_desc tracked_desc(kith_component id, tracker *track)
{
    return (kith_component_desc){
        .name         = track->name,
        .id           = id,
        .size         = sizeof(tracked),
        .alignment    = _Alignof(tracked),
        .traits.hooks = tracked_hooks(track),
    };
}

static inline tracked *set_tracked(kith_world *world, kith_entity entity, kith_component component,
                                   uint32_t number)
{
    return kith_component_set(world, entity, component, &(tracked){ .number = number });
}

/// The hooks did exactly this since the last time, in this order.
static inline void assert_journal(journal *log, const char *expected)
{
    assert_string_equal(log->text.bytes == NULL ? "" : log->text.bytes, expected);
    text_free(&log->text);
}

// --- the observable state --------------------------------------------------------------------

static inline void dump_bytes(text *out, const void *value, uint32_t size)
{
    text_add(out, " at %p:", out->no_addresses ? NULL : value);
    for (uint32_t i = 0; i < size; i++) {
        text_add(out, "%02x", ((const uint8_t *)value)[i]);
    }
}

static inline void dump_desc(text *out, const kith_component_desc *desc)
{
    const kith_traits *traits = &desc->traits;
    text_add(out, "component %u %s kind %d size %u alignment %u", desc->id, desc->name,
             (int)desc->kind, desc->size, desc->alignment);
    text_add(out, " policy %d page rows %u alignment %u context %p requires", (int)traits->policy,
             traits->page_rows, traits->alignment,
             out->no_addresses ? NULL : traits->hooks.context);
    for (uint32_t i = 0; i < traits->required_count; i++) {
        text_add(out, " %u", traits->required[i]);
    }
}

static inline void dump_rows(text *out, const kith_world *world, const kith_component_desc *desc)
{
    uint32_t rows = kith_component_stats(world, desc->id).rows;
    text_add(out, " rows %u limit %u\n", rows, kith_component_stats(world, desc->id).limit);
    for (uint32_t row = 0; row < rows; row++) {
        kith_entity entity = kith_component_entity(world, desc->id, row);
        text_add(out, "  row %u entity %llx stamp %llu", row, (unsigned long long)entity,
                 (unsigned long long)kith_component_stamp(world, desc->id, row));
        if (entity != KITH_NULL && desc->kind == KITH_KIND_VALUE) {
            dump_bytes(out, kith_component_value(world, desc->id, row), desc->size);
        }
        text_add(out, "\n");
    }
}

static inline void dump_component(text *out, const kith_world *world, kith_component component)
{
    const kith_component_desc *desc = kith_component_describe(world, component);
    dump_desc(out, desc);
    if (desc->kind == KITH_KIND_SINGLETON) {
        const void *value = kith_singleton_get(world, component);
        if (value != NULL) {
            dump_bytes(out, value, desc->size);
        }
        text_add(out, "\n");
        return;
    }
    text_add(out, " count %u", kith_component_count(world, component));
    if (desc->kind == KITH_KIND_FLAG) {
        text_add(out, "\n");
    } else {
        dump_rows(out, world, desc);
    }
}

static inline void dump_entity(text *out, const kith_world *world, kith_entity entity)
{
    kith_component has[KITH_COMPONENT_MAX];
    uint32_t       count = kith_entity_components(world, entity, has, KITH_COMPONENT_MAX);
    text_add(out, "entity %llx has", (unsigned long long)entity);
    for (uint32_t i = 0; i < count; i++) {
        text_add(out, " %u", has[i]);
        if (kith_component_describe(world, has[i])->kind != KITH_KIND_FLAG) {
            text_add(out, "(%u%s)", kith_component_row(world, entity, has[i]),
                     kith_component_enabled(world, entity, has[i]) ? "" : " disabled");
        }
    }
    text_add(out, "\n");
}

static inline void dump_slots(text *out, const kith_world *world)
{
    kith_stats stats = kith_world_stats(world);
    text_add(out, "alive %u slots %u free %u retired %u next %u components %u\n", stats.alive,
             stats.slots, stats.free, stats.retired, stats.next_free, stats.components);
    for (uint32_t i = 0; i < stats.slots; i++) {
        text_add(out, "%llx ", (unsigned long long)kith_entity_slot(world, i));
    }
    text_add(out, "\n");
}

static inline void dump_all(text *out, const kith_world *world)
{
    dump_slots(out, world);
    kith_entity entity = KITH_NULL;
    while ((entity = kith_entity_next(world, entity)) != KITH_NULL) {
        dump_entity(out, world, entity);
    }
    kith_component component = 0;
    while ((component = kith_component_next(world, component)) != 0) {
        dump_component(out, world, component);
    }
}

/// Everything that can be seen of a world, addresses of values included; memory and room are not.
/// text_free() it.
static inline text dump_world(const kith_world *world)
{
    text out = { 0 };
    dump_all(&out, world);
    return out;
}

/// Two worlds look the same, but for addresses.
static inline void assert_same_worlds(const kith_world *a, const kith_world *b)
{
    text in_a = { .no_addresses = true };
    text in_b = { .no_addresses = true };
    dump_all(&in_a, a);
    dump_all(&in_b, b);
    assert_same_text(in_a.bytes, in_b.bytes);
    text_free(&in_a);
    text_free(&in_b);
}

/// The world looks as it did when `before` was made. Frees `before`.
static inline void assert_unchanged(const kith_world *world, text before)
{
    text after = dump_world(world);
    assert_same_text(after.bytes, before.bytes);
    text_free(&after);
    text_free(&before);
}

/// The call fails with this code, as one error reported to the hook, and changes nothing.
#define assert_refused_unchanged(MEMORY, WORLD, CODE, CALL)                                        \
    do {                                                                                           \
        text before_ = dump_world(WORLD);                                                          \
        assert_refused(MEMORY, WORLD, CODE, CALL);                                                 \
        assert_unchanged(WORLD, before_);                                                          \
    } while (0)

/// The call answers no (NULL, false, 0), without an error and without a change.
#define assert_quiet_no(MEMORY, WORLD, CALL)                                                       \
    do {                                                                                           \
        uint32_t reported_ = (MEMORY)->errors;                                                     \
        text     before_   = dump_world(WORLD);                                                    \
        kith_world_error_clear(WORLD);                                                             \
        assert_true(!(CALL));                                                                      \
        assert_error(WORLD, KITH_OK);                                                              \
        assert_int_equal((MEMORY)->errors, reported_);                                             \
        assert_unchanged(WORLD, before_);                                                          \
    } while (0)

#endif
