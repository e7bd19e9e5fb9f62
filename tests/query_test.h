// SPDX-License-Identifier: MIT
// What the tests of loops, queries, listeners and stamps share: a small world whose components are
// letters, terms in short words, and walks compared with what they should visit.
//
// Components: a, b and c have values that keep a journal, on pages of 4 rows unless `page_rows`
// says otherwise; t is a tag, f a flag, s a singleton. An entity is written as the letters that it
// has, "-" for none.
#ifndef QUERY_TEST_H
#define QUERY_TEST_H

#include "component_test.h"

enum { A = 1, B, C, T, F, S, VALUES = 3, UNKNOWN = 99 };

#define PAGE_ROWS     4u
#define ENTITIES_MOST 256u

typedef struct small_world {
    test_memory memory;
    kith_world *world;
    journal     journal;
    tracker     trackers[VALUES];
    kith_entity e[ENTITIES_MOST];
    uint32_t    count;
    uint32_t    page_rows; // 0: PAGE_ROWS
    kith_query *query;
    text        reported; // by the listeners below
} small_world;

// --- making it -------------------------------------------------------------------------------

static inline void register_letters(small_world *w, kith_policy policy)
{
    static const char *const names[VALUES] = { "a", "b", "c" };
    for (kith_component i = 0; i < VALUES; i++) {
        w->trackers[i]           = (tracker){ .journal = &w->journal, .name = names[i] };
        kith_component_desc desc = tracked_desc(A + i, &w->trackers[i]);
        desc.traits.policy       = policy;
        desc.traits.page_rows    = w->page_rows == 0 ? PAGE_ROWS : w->page_rows;
        register_one(w->world, desc);
    }
    const kith_component_desc others[] = {
        { .name = "t", .id = T, .kind = KITH_KIND_TAG, .traits.policy = policy },
        { .name = "f", .id = F, .kind = KITH_KIND_FLAG },
        { .name = "s", .id = S, .kind = KITH_KIND_SINGLETON, .size = 4, .alignment = 4 },
    };
    assert_true(kith_component_register_many(w->world, others, COUNT_OF(others)));
}

static inline void open_small_world(small_world *w, kith_policy policy, kith_world_desc desc)
{
    w->world = test_world_with(&w->memory, desc);
    assert_non_null(w->world);
    register_letters(w, policy);
}

static inline void close_small_world(small_world *w)
{
    test_world_end(w->world, &w->memory);
    assert_int_equal(w->journal.living, 0);
    text_free(&w->journal.text);
    text_free(&w->reported);
}

static inline int small_setup(void **state)
{
    small_world *w = calloc(1, sizeof *w);
    open_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    *state = w;
    return 0;
}

static inline int small_teardown(void **state)
{
    close_small_world(*state);
    free(*state);
    return 0;
}

#define TEST_SMALL(NAME) cmocka_unit_test_setup_teardown(NAME, small_setup, small_teardown)

/// Ends the world and begins another one.
static inline void reopen_small_world(small_world *w, kith_policy policy, kith_world_desc desc)
{
    uint32_t page_rows = w->page_rows;
    close_small_world(w);
    memset(w, 0, sizeof *w);
    w->page_rows = page_rows;
    open_small_world(w, policy, desc);
}

/// A fresh world with stable pools.
static inline small_world *stable_world(small_world *w)
{
    reopen_small_world(w, KITH_POLICY_STABLE, (kith_world_desc){ 0 });
    return w;
}

/// The same test in a world with swap pools and in one with stable pools.
static inline void for_both_policies(small_world *w, void (*test)(small_world *w, bool stable))
{
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    test(w, false);
    test(stable_world(w), true);
}

static inline kith_component component_of(char letter)
{
    const char *all   = "abctf";
    const char *found = strchr(all, letter);
    assert_true(letter != '\0' && found != NULL);
    return (kith_component)(A + (found - all));
}

/// Adds these components to the entity; a value's number is the index of its entity.
static inline void add_letters(small_world *w, kith_entity entity, const char *letters)
{
    const tracked value = { .number = kith_entity_index(entity) };
    for (; *letters != '\0' && *letters != ' '; letters++) {
        if (*letters != '-') {
            const kith_component component = component_of(*letters);
            assert_non_null(kith_component_set(w->world, entity, component, &value));
        }
    }
}

static inline kith_entity spawn(small_world *w, const char *letters)
{
    kith_entity entity = kith_entity_create(w->world);
    assert_int_not_equal(entity, KITH_NULL);
    assert_true(w->count < ENTITIES_MOST);
    w->e[w->count++] = entity;
    add_letters(w, entity, letters);
    return entity;
}

/// Makes an entity a word; those made first are w->e[0], w->e[1] ... The journal is empty after it.
static inline void populate(small_world *w, const char *words)
{
    for (const char *at = words; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        spawn(w, at);
    }
    text_free(&w->journal.text);
}

static inline void populate_many(small_world *w, uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < count; i++) {
        spawn(w, word);
    }
    text_free(&w->journal.text);
}

static inline bool take(small_world *w, uint32_t i, kith_component component)
{
    return kith_component_remove(w->world, w->e[i], component);
}

static inline void swap_rows(small_world *w, kith_component component, uint32_t i, uint32_t k)
{
    assert_true(kith_component_swap(w->world, component, w->e[i], w->e[k]));
}

// --- terms -----------------------------------------------------------------------------------

// clang-format off
#define WITH(X)           { (X), KITH_ROLE_WITH, 0 }
#define READ(X)           { (X), KITH_ROLE_READ, 0 }
#define WRITE(X)          { (X), KITH_ROLE_WRITE, 0 }
#define OWN(X)            { (X), KITH_ROLE_OWN, 0 }
#define OPTIONAL(X)       { (X), KITH_ROLE_OPTIONAL, 0 }
#define OPTIONAL_WRITE(X) { (X), KITH_ROLE_OPTIONAL_WRITE, 0 }
#define ANY(X, GROUP)     { (X), KITH_ROLE_ANY, (GROUP) }
#define WITHOUT(X)        { (X), KITH_ROLE_WITHOUT, 0 }
#define DISABLED(X)       { (X), KITH_ROLE_DISABLED, 0 }
#define LEAD(X)           { (X), KITH_ROLE_LEAD, 0 }
#define CHANGED(X)        { (X), KITH_ROLE_CHANGED, 0 }
#define ADDED(X)          { (X), KITH_ROLE_ADDED, 0 }
// clang-format on

/// The description of these terms, as long as the enclosing block lasts.
#define NAMED_QUERY(NAME, ...)                                                                     \
    (&(const kith_query_desc){ (NAME), (const kith_term[]){ __VA_ARGS__ },                         \
                               COUNT_OF(((const kith_term[]){ __VA_ARGS__ })), 0 })
#define QUERY(...) NAMED_QUERY("letters", __VA_ARGS__)

/// The same with a tick since which changes count.
#define QUERY_SINCE(TICK, ...)                                                                     \
    (&(const kith_query_desc){ "changed", (const kith_term[]){ __VA_ARGS__ },                      \
                               COUNT_OF(((const kith_term[]){ __VA_ARGS__ })), (TICK) })
#define ALL_ENTITIES (&(const kith_query_desc){ "all entities", NULL, 0, 0 })

// --- walks -----------------------------------------------------------------------------------

#define WALK_BYTES 4096

// "3 0 4": the indices of entities.
typedef struct walk_text {
    char bytes[WALK_BYTES];
} walk_text;

static inline void walk_add(walk_text *out, const char *format, uint32_t number)
{
    size_t length = strlen(out->bytes);
    int    more   = snprintf(out->bytes + length, WALK_BYTES - length, format, number);
    assert_true(more > 0 && length + (size_t)more < WALK_BYTES);
}

static inline void walk_entity(walk_text *out, kith_entity entity)
{
    const char *space = out->bytes[0] == '\0' ? "" : " ";
    if (entity == KITH_NULL) {
        assert_true(strlen(out->bytes) + 3 < WALK_BYTES);
        strcat(strcat(out->bytes, space), "-");
    } else {
        walk_add(out, *space == '\0' ? "%u" : " %u", kith_entity_index(entity));
    }
}

/// The rest of the loop, one by one.
static inline walk_text walk(kith_cursor *cursor)
{
    walk_text out = { "" };
    assert_false(cursor->failed);
    while (kith_cursor_next(cursor)) {
        walk_entity(&out, cursor->entity);
    }
    return out;
}

/// The rest of the loop by chunks, "0 1|2 3": a bar between chunks.
static inline walk_text walk_chunks(kith_cursor *cursor)
{
    walk_text out = { "" };
    assert_false(cursor->failed);
    while (kith_cursor_next_chunk(cursor)) {
        walk_text chunk = { "" };
        assert_true(cursor->count > 0);
        assert_int_equal(kith_cursor_entity(cursor, 0), cursor->entity);
        for (uint32_t i = 0; i < cursor->count; i++) {
            walk_entity(&chunk, kith_cursor_entity(cursor, i));
        }
        assert_true(strlen(out.bytes) + strlen(chunk.bytes) + 2 < WALK_BYTES);
        strcat(strcat(out.bytes, out.bytes[0] == '\0' ? "" : "|"), chunk.bytes);
    }
    return out;
}

/// The entities that the chunks visited, without the marks between chunks.
static inline walk_text without_marks(walk_text chunks)
{
    for (char *at = chunks.bytes; *at != '\0'; at++) {
        *at = *at == '|' ? ' ' : *at;
    }
    return chunks;
}

/// The rows of a pool, "-" for a hole.
static inline walk_text rows_of(const kith_world *world, kith_component component)
{
    walk_text out = { "" };
    for (uint32_t row = 0; row < kith_component_stats(world, component).rows; row++) {
        walk_entity(&out, kith_component_entity(world, component, row));
    }
    return out;
}

#define assert_rows(W, COMPONENT, EXPECTED)                                                        \
    assert_string_equal(rows_of((W)->world, (COMPONENT)).bytes, (EXPECTED))

/// The rest of the loop visits these, in this order.
#define assert_walk(CURSOR, EXPECTED) assert_string_equal(walk(CURSOR).bytes, (EXPECTED))

/// The next entity of the loop is w->e[I].
#define assert_next(CURSOR, W, I)                                                                  \
    do {                                                                                           \
        assert_true(kith_cursor_next(CURSOR));                                                     \
        assert_int_equal((CURSOR)->entity, (W)->e[I]);                                             \
    } while (0)

/// Reading walks of the same query, in every form, match `expected`.
static inline void check_reading(const kith_world *world, const kith_query_desc *desc,
                                 const char *expected)
{
    void       *columns[KITH_QUERY_TERMS_MAX];
    kith_cursor one   = kith_view_begin_read(world, desc, columns);
    walk_text   walk_ = walk(&one);
    assert_string_equal(walk_.bytes, expected);
    kith_cursor many = kith_view_begin_read(world, desc, columns);
    assert_string_equal(without_marks(walk_chunks(&many)).bytes, expected);
}

/// The same with a stored query, of which nothing changes.
static inline void check_reading_stored(const kith_query *query, const char *expected)
{
    void             *columns[KITH_QUERY_TERMS_MAX];
    kith_query_report before = kith_query_report_of(query);
    kith_cursor       one    = kith_query_begin_read(query, columns);
    assert_string_equal(walk(&one).bytes, expected);
    kith_cursor many = kith_query_begin_read(query, columns);
    assert_string_equal(without_marks(walk_chunks(&many)).bytes, expected);
    kith_query_report after = kith_query_report_of(query);
    assert_memory_equal(&after, &before, sizeof after);
}

static inline bool has_write_term(const kith_query_desc *desc)
{
    for (uint32_t i = 0; i < desc->term_count; i++) {
        kith_role role = desc->terms[i].role;
        if (role == KITH_ROLE_WRITE || role == KITH_ROLE_OWN || role == KITH_ROLE_OPTIONAL_WRITE) {
            return true;
        }
    }
    return false;
}

static inline uint32_t count_words(const char *words)
{
    uint32_t count = words[0] != '\0';
    for (; *words != '\0'; words++) {
        count += *words == ' ';
    }
    return count;
}

static inline void check_contained(const kith_world *world, const kith_query_desc *desc,
                                   const char *expected)
{
    uint32_t    contained = 0;
    kith_entity entity    = KITH_NULL;
    while ((entity = kith_entity_next(world, entity)) != KITH_NULL) {
        contained += kith_view_contains(world, desc, entity);
    }
    assert_int_equal(contained, count_words(expected));
    assert_int_equal(kith_view_count(world, desc), contained);
    assert_true(kith_view_size_hint(world, desc) >= contained);
}

static inline void check_first(const kith_world *world, const kith_query_desc *desc,
                               const char *expected)
{
    kith_entity first = kith_view_first(world, desc);
    assert_int_equal(first == KITH_NULL, expected[0] == '\0');
    if (first != KITH_NULL) {
        assert_int_equal(kith_entity_index(first), strtoul(expected, NULL, 10));
        assert_true(kith_view_contains(world, desc, first));
    }
}

static inline void check_stored(kith_world *world, const kith_query_desc *desc,
                                const char *expected)
{
    kith_query *query = kith_query_create(world, desc);
    assert_non_null(query);
    for (int round = 0; round < 3; round++) { // what the first remembers the later ones use
        kith_query_since_set(query, desc->since);
        kith_cursor one = kith_query_begin(query);
        assert_string_equal(walk(&one).bytes, expected);
        kith_query_since_set(query, desc->since);
        kith_cursor many = kith_query_begin(query);
        assert_string_equal(without_marks(walk_chunks(&many)).bytes, expected);
    }
    kith_query_since_set(query, desc->since);
    if (!has_write_term(desc)) {
        check_reading_stored(query, expected);
    }
    kith_query_destroy(query);
}

/// Every way to ask a query has the same result: view, stored query, chunks, reading, first, count,
/// contains and the size hint.
static inline void check_query(kith_world *world, const kith_query_desc *desc, const char *expected)
{
    kith_cursor one = kith_view_begin(world, desc);
    assert_string_equal(walk(&one).bytes, expected);
    kith_cursor many = kith_view_begin(world, desc);
    assert_string_equal(without_marks(walk_chunks(&many)).bytes, expected);
    check_stored(world, desc, expected);
    check_contained(world, desc, expected);
    check_first(world, desc, expected);
    if (!has_write_term(desc)) {
        check_reading(world, desc, expected);
    }
    assert_error(world, KITH_OK);
}

#define assert_visits(W, EXPECTED, ...) check_query((W)->world, QUERY(__VA_ARGS__), (EXPECTED))

/// The cursor's loop is closed: each next is an error, end is none.
static inline void check_closed(kith_world *world, test_memory *memory, kith_cursor *cursor)
{
    for (int time = 0; time < 2; time++) {
        assert_refused(memory, world, KITH_ERROR_CLOSED, kith_cursor_next(cursor));
        assert_int_equal(cursor->entity, KITH_NULL);
        assert_refused(memory, world, KITH_ERROR_CLOSED, kith_cursor_next_chunk(cursor));
        assert_int_equal(cursor->count, 0);
    }
    uint32_t errors = memory->errors;
    kith_world_error_clear(world);
    kith_cursor_end(cursor);
    kith_cursor_end(cursor);
    assert_error(world, KITH_OK);
    assert_int_equal(memory->errors, errors);
}

#define assert_closed(W, CURSOR) check_closed((W)->world, &(W)->memory, (CURSOR))

/// A loop that could not be begun: it has failed and is quietly empty.
static inline void check_failed(kith_world *world, test_memory *memory, kith_cursor cursor,
                                kith_error_code code)
{
    assert_true(cursor.failed);
    assert_error(world, code);
    uint32_t errors = memory->errors;
    assert_false(kith_cursor_next(&cursor));
    assert_false(kith_cursor_next_chunk(&cursor));
    assert_int_equal(cursor.entity, KITH_NULL);
    assert_int_equal(cursor.count, 0);
    kith_cursor_end(&cursor);
    assert_int_equal(memory->errors, errors);
    assert_error(world, code);
}

// --- listeners -------------------------------------------------------------------------------

static inline const char *event_name(kith_event event)
{
    static const char *const names[] = { "add", "set", "remove", "create", "destroy", "replaced" };
    return names[event];
}

/// A listener that writes each notice into w->reported: "add a 3, create 4". The context is w.
static inline void write_down(kith_world *world, const kith_notice *notice, void *context)
{
    small_world *w = context;
    assert_ptr_equal(world, w->world);
    text_add(&w->reported, "%s%s", w->reported.length == 0 ? "" : ", ", event_name(notice->event));
    if (notice->component != 0) {
        text_add(&w->reported, " %s", kith_component_describe(world, notice->component)->name);
    }
    if (notice->entity != KITH_NULL) {
        text_add(&w->reported, " %u", kith_entity_index(notice->entity));
    }
}

static inline kith_listener listen(small_world *w, kith_event event, kith_component component,
                                   kith_listener_fn call, void *context)
{
    const kith_listener_desc desc = {
        .event = event, .component = component, .call = call, .context = context
    };
    kith_listener listener = kith_listener_connect(w->world, &desc);
    assert_int_not_equal(listener, 0);
    return listener;
}

/// Writes down every event of every component, and of entities.
static inline void listen_to_all(small_world *w)
{
    for (kith_component component = A; component <= S; component++) {
        listen(w, KITH_EVENT_ADD, component, write_down, w);
        listen(w, KITH_EVENT_REMOVE, component, write_down, w);
        if (component != T && component != F) {
            listen(w, KITH_EVENT_SET, component, write_down, w);
        }
    }
    listen(w, KITH_EVENT_CREATE, 0, write_down, w);
    listen(w, KITH_EVENT_DESTROY, 0, write_down, w);
}

/// Exactly these events were reported to the listeners since the last time.
#define assert_reported(W, EXPECTED)                                                               \
    do {                                                                                           \
        assert_string_equal((W)->reported.bytes == NULL ? "" : (W)->reported.bytes, (EXPECTED));   \
        text_free(&(W)->reported);                                                                 \
    } while (0)

#endif
