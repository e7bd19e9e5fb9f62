// SPDX-License-Identifier: MIT
// What every call on a component returns in every situation. The test computes each cell by calling
// the library, compares it with the rules of kith.h, and prints it. The text must be equal to
// docs/verbs.md, byte for byte. KITH_UPDATE=1 in the environment writes that file instead.
#include "component_test.h"
#include "kith/hierarchy.h"
#include "kith/link.h"

// Given by the build; a test that is built by hand is run from the root of the repository.
#ifndef KITH_SOURCE_DIR
    #define KITH_SOURCE_DIR "."
#endif

#define VERBS_FILE KITH_SOURCE_DIR "/docs/verbs.md"

// --- the world of one cell -------------------------------------------------------------------

enum { VALUE = 1, STABLE, TAG, FLAG, SINGLE, UNKNOWN, TREE, LINK };

KITH_COMPONENT(one_value, int, VALUE);
static const kith_traits stable_traits = { .policy = KITH_POLICY_STABLE };
KITH_COMPONENT_WITH(one_stable, int, STABLE, stable_traits);
KITH_TAG(one_tag, TAG);
KITH_FLAG(one_flag, FLAG);
KITH_SINGLETON(one_single, int, SINGLE);
KITH_MODULE(every_kind, one_value, one_stable, one_tag, one_flag, one_single);

typedef struct hook_log {
    uint32_t        errors;
    kith_error_code code;
} hook_log;

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    hook_log *ear = context;
    ear->errors++;
    ear->code = error->code;
}

// What one call answered, and what became of its error.
typedef struct cell {
    const char     *answer;
    kith_error_code code;
    bool            recorded;
    bool            reported; // to the hook
} cell;

typedef struct stage {
    test_memory memory;
    hook_log    hook_log;
    kith_world *world;
    kith_entity entity;
} stage;

static void open_stage(stage *on)
{
    *on                        = (stage){ 0 };
    const kith_world_desc desc = {
        .allocator     = test_allocator(&on->memory),
        .on_error      = record_error,
        .error_context = &on->hook_log,
    };
    on->world  = kith_world_create(&desc);
    on->entity = kith_entity_create(on->world);
    assert_true(every_kind_register(on->world));
}

// Everything is there that can be there.
static void furnish(stage *on)
{
    kith_component_add(on->world, on->entity, VALUE, NULL);
    kith_component_add(on->world, on->entity, STABLE, NULL);
    kith_component_add(on->world, on->entity, TAG, NULL);
    kith_component_add(on->world, on->entity, FLAG, NULL);
    kith_singleton_add(on->world, SINGLE);
}

static cell call_and_look(stage *on, const verb *asked, kith_component component)
{
    cell one = { .answer = asked->call(on->world, on->entity, component) };
    assert_true(on->hook_log.errors <= 1);
    one.reported = on->hook_log.errors != 0;
    one.recorded = kith_world_error(on->world).code != KITH_OK;
    one.code     = one.reported ? on->hook_log.code : kith_world_error(on->world).code;
    return one;
}

static cell call_on_stage(stage *on, const verb *asked, kith_component component)
{
    cell one = call_and_look(on, asked, component);
    kith_world_settle(on->world);
    test_world_end(on->world, &on->memory);
    return one;
}

// --- tables ----------------------------------------------------------------------------------

#define COLUMNS_MOST 11

// One table: verbs down, situations across.
typedef struct table {
    const char *title;
    const char *prefix; // of the functions' names
    const verb *verbs;
    size_t      verb_count;
    const char *columns[COLUMNS_MOST];
    size_t      storage_count;
    cell (*compute)(const verb *asked, size_t column);
    cell (*expect)(const verb *asked, size_t column);
} table;

static cell refusal(const verb *asked, kith_error_code code)
{
    bool recorded = code != KITH_OK && (asked->manners & VERB_CONST) == 0;
    bool reported = code != KITH_OK && code != KITH_ERROR_DYING;
    return (cell){ asked->no, code, recorded, reported };
}

// The answer where everything is there.
static cell consent(const verb *asked)
{
    stage on;
    open_stage(&on);
    furnish(&on);
    const char *answer = call_on_stage(&on, asked, VALUE).answer;
    assert_string_not_equal(answer, asked->no);
    return (cell){ .answer = answer };
}

static void assert_cell(const table *one, const verb *asked, size_t column)
{
    cell is     = one->compute(asked, column);
    cell should = one->expect(asked, column);
    if (strcmp(is.answer, should.answer) != 0 || is.code != should.code ||
        is.recorded != should.recorded || is.reported != should.reported) {
        fail_msg("%s%s, %s: %s error %d recorded %d reported %d, not %s error %d recorded %d "
                 "reported %d",
                 one->prefix, asked->name, one->columns[column], is.answer, (int)is.code,
                 is.recorded, is.reported, should.answer, (int)should.code, should.recorded,
                 should.reported);
    }
}

static void assert_table(const table *one)
{
    for (size_t i = 0; i < one->verb_count; i++) {
        for (size_t column = 0; column < one->storage_count; column++) {
            assert_cell(one, &one->verbs[i], column);
        }
    }
}

// --- calls on an entity's component ----------------------------------------------------------

enum {
    AT_PRESENT,
    AT_DISABLED,
    AT_ABSENT,
    AT_NULL,
    AT_DEAD,
    AT_DYING,
    AT_LEAVING,
    AT_UNREGISTERED,
    AT_FLAG,
    AT_SINGLETON,
    AT_UNDECLARED,
    AT_ALL
};

static kith_component component_at(size_t situation)
{
    switch (situation) {
    case AT_UNREGISTERED:
        return UNKNOWN;
    case AT_FLAG:
        return FLAG;
    case AT_SINGLETON:
        return SINGLE;
    default:
        return VALUE;
    }
}

static void set_situation(stage *on, kith_component component, size_t situation)
{
    open_stage(on);
    furnish(on);
    switch (situation) {
    case AT_DISABLED:
        kith_component_enable(on->world, on->entity, component, false);
        break;
    case AT_ABSENT:
        kith_component_remove(on->world, on->entity, component);
        break;
    case AT_NULL:
        on->entity = KITH_NULL;
        break;
    case AT_DEAD:
        kith_entity_destroy(on->world, on->entity);
        break;
    default:
        break;
    }
}

// A call from inside a listener.
typedef struct whisper {
    stage         *on;
    const verb    *asked;
    kith_component component;
    cell           cell;
} whisper;

static void call_in_listener(kith_world *world, const kith_notice *notice, void *context)
{
    whisper *call = context;
    (void)world;
    (void)notice;
    call->cell = call_and_look(call->on, call->asked, call->component);
}

// The entity is destroyed, or the component removed, and the call comes while that is announced.
static cell call_on_what_goes(stage *on, const verb *asked, kith_component component, bool dying)
{
    whisper                  call = { on, asked, component, { .answer = "not called" } };
    const kith_listener_desc desc = { dying ? KITH_EVENT_DESTROY : KITH_EVENT_REMOVE,
                                      dying ? 0 : component,
                                      call_in_listener,
                                      &call,
                                      0,
                                      NULL };
    assert_int_not_equal(kith_listener_connect(on->world, &desc), 0);
    assert_true(dying ? kith_entity_destroy(on->world, on->entity)
                      : kith_component_remove(on->world, on->entity, component));
    test_world_end(on->world, &on->memory);
    return call.cell;
}

static void call_in_turn(const kith_turn *turn)
{
    whisper *call = turn->context;
    call->cell    = call_and_look(call->on, call->asked, call->component);
}

// A checked system that declared something else makes the call.
static cell call_undeclared(stage *on, const verb *asked, kith_component component)
{
    const kith_component   tag[] = { TAG };
    whisper                call  = { on, asked, component, { .answer = "not called" } };
    const kith_system_desc desc  = {
         .name = "caller", .run = call_in_turn, .context = &call, .reads = tag, .read_count = 1
    };
    assert_true(kith_schedule_configure(on->world, &(kith_schedule_desc){ .checked = true }));
    assert_non_null(kith_system_create(on->world, &desc));
    assert_true(kith_schedule_run(on->world, 0));
    test_world_end(on->world, &on->memory);
    return call.cell;
}

static cell compute_for(const verb *asked, size_t situation, kith_component component)
{
    stage on;
    set_situation(&on, component, situation);
    if (situation == AT_UNDECLARED) {
        return call_undeclared(&on, asked, component);
    }
    if (situation == AT_DYING || situation == AT_LEAVING) {
        return call_on_what_goes(&on, asked, component, situation == AT_DYING);
    }
    return call_on_stage(&on, asked, component);
}

static cell compute_on_entity(const verb *asked, size_t situation)
{
    return compute_for(asked, situation, component_at(situation));
}

// What goes can be read and not changed.
static cell expect_of_what_goes(const verb *asked)
{
    static const char *const readers[] = { "get", "mut", "has", "enabled", "row", "changed_at" };
    for (size_t i = 0; i < COUNT_OF(readers); i++) {
        if (strcmp(asked->name, readers[i]) == 0) {
            return consent(asked);
        }
    }
    return refusal(asked, KITH_ERROR_DYING);
}

// Questions are quiet, demands are errors, absent is never an error.
static cell expect_on_entity(const verb *asked, size_t situation)
{
    bool demands = (asked->manners & VERB_DEMANDS) != 0;
    switch (situation) {
    case AT_DISABLED:
        return strcmp(asked->name, "enabled") == 0 ? refusal(asked, KITH_OK) : consent(asked);
    case AT_ABSENT:
        return (asked->manners & VERB_ADDS) != 0 ? consent(asked) : refusal(asked, KITH_OK);
    case AT_NULL:
        return refusal(asked, demands ? KITH_ERROR_NULL_ENTITY : KITH_OK);
    case AT_DEAD:
        return refusal(asked, demands ? KITH_ERROR_DEAD_ENTITY : KITH_OK);
    case AT_DYING:
    case AT_LEAVING:
        return expect_of_what_goes(asked);
    case AT_UNREGISTERED:
        return refusal(asked, KITH_ERROR_UNREGISTERED);
    case AT_FLAG:
        if (asked->call == call_set_if_changed) {
            return refusal(asked, KITH_OK); // it is there and has no bytes that could differ
        }
        return (asked->manners & VERB_ROWS) != 0 ? refusal(asked, KITH_ERROR_KIND) : consent(asked);
    case AT_SINGLETON:
        return refusal(asked, KITH_ERROR_KIND);
    case AT_UNDECLARED:
        return refusal(asked, KITH_ERROR_UNDECLARED);
    default:
        return consent(asked);
    }
}

static const table on_entity = {
    .title      = "Calls on an entity's component",
    .prefix     = "kith_component_",
    .verbs      = entity_verbs,
    .verb_count = COUNT_OF(entity_verbs) - BATCH_VERBS,
    .columns = { "present", "disabled", "absent", "null entity", "dead entity", "dying", "leaving",
                 "unregistered", "flag", "singleton", "undeclared" },
    .storage_count = AT_ALL,
    .compute       = compute_on_entity,
    .expect        = expect_on_entity,
};

static const table of_batches = {
    .title      = "Batches with one component",
    .prefix     = "kith_entity_",
    .verbs      = &entity_verbs[COUNT_OF(entity_verbs) - BATCH_VERBS],
    .verb_count = BATCH_VERBS,
    .columns = { "present", "disabled", "absent", "null entity", "dead entity", "dying", "leaving",
                 "unregistered", "flag", "singleton", "undeclared" },
    .storage_count = AT_ALL,
    .compute       = compute_on_entity,
    .expect        = expect_on_entity,
};

// --- calls on a pool -------------------------------------------------------------------------

// The answer of a call that returns a number: where it is refused it is 0.
#define POOL_NUMBER(VERB, WHAT)                                                                    \
    static const char *call_##VERB(kith_world *world, kith_entity entity,                          \
                                   kith_component component)                                       \
    {                                                                                              \
        (void)entity;                                                                              \
        return kith_component_##VERB(world, component) != 0 ? WHAT : "`0`";                        \
    }

#define POOL_BOOL(VERB, ...)                                                                       \
    static const char *call_##VERB(kith_world *world, kith_entity entity,                          \
                                   kith_component component)                                       \
    {                                                                                              \
        (void)entity;                                                                              \
        return answer_bool(kith_component_##VERB(world, component __VA_ARGS__));                   \
    }

#define COMMA ,

POOL_NUMBER(count, "number")
POOL_BOOL(reserve, COMMA 1)
POOL_BOOL(limit_set, COMMA 10)
POOL_BOOL(shrink, )
POOL_BOOL(compact, )
POOL_BOOL(clear, )

static int compare_values(const void *a, const void *b, void *context)
{
    (void)context;
    return memcmp(a, b, 1);
}

static int compare_entities(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return (a > b) - (a < b);
}

static const kith_sort_key  first_byte  = { 0, KITH_TYPE_U8, false };
static const kith_sort_desc by_compare  = { .compare = compare_values };
static const kith_sort_desc by_entities = { .compare_entities = compare_entities };
static const kith_sort_desc by_key      = { .key = &first_byte };
static const kith_sort_desc as_stable   = { .as = STABLE };

#define POOL_SORT(NAME, DESC)                                                                      \
    static const char *call_##NAME(kith_world *world, kith_entity entity,                          \
                                   kith_component component)                                       \
    {                                                                                              \
        (void)entity;                                                                              \
        return answer_bool(kith_component_sort(world, component, &(DESC)));                        \
    }

POOL_SORT(sort, by_compare)
POOL_SORT(sort_entities, by_entities)
POOL_SORT(sort_by, by_key)
POOL_SORT(sort_as, as_stable)

static const char *answer_entity(kith_entity entity)
{
    return entity != KITH_NULL ? "entity" : "`KITH_NULL`";
}

static const char *call_entity(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return answer_entity(kith_component_entity(world, component, 0));
}

static const char *call_value(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return answer_address(kith_component_value(world, component, 0));
}

// The address of the entity's int, whatever the component is: an owner must be asked for something.
static const char *call_owner(kith_world *world, kith_entity entity, kith_component component)
{
    kith_component with_values = component == STABLE ? STABLE : VALUE;
    const void    *address     = kith_component_get(world, entity, with_values);
    return answer_entity(kith_component_owner(world, component, address));
}

static const char *call_get_many(kith_world *world, kith_entity entity, kith_component component)
{
    const void *value;
    return kith_component_get_many(world, component, &entity, 1, &value) != 0 ? "number" : "`0`";
}

static const char *call_stamp(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return kith_component_stamp(world, component, 0) != 0 ? "number" : "`0`";
}

static const char *call_stats(kith_world *world, kith_entity entity, kith_component component)
{
    kith_pool_stats pool = kith_component_stats(world, component);
    (void)entity;
    return (pool.count | pool.rows | pool.capacity | pool.limit) != 0 ? "numbers" : "`0`";
}

static const verb pool_verbs[] = {
    { "count", call_count, "`0`", VERB_CONST },
    { "entity", call_entity, "`KITH_NULL`", VERB_CONST | VERB_ROWS },
    { "value", call_value, "`NULL`", VERB_CONST | VERB_ROWS },
    { "owner", call_owner, "`KITH_NULL`", VERB_CONST | VERB_ROWS },
    { "reserve", call_reserve, "`false`", VERB_ROWS },
    { "stats", call_stats, "`0`", VERB_CONST | VERB_ROWS },
    { "limit_set", call_limit_set, "`false`", VERB_ROWS },
    { "shrink", call_shrink, "`false`", VERB_ROWS },
    { "compact", call_compact, "`false`", VERB_ROWS },
    { "swap", call_swap, "`false`", VERB_ROWS },
    { "clear", call_clear, "`false`", 0 },
    { "get_many", call_get_many, "`0`", VERB_CONST | VERB_ROWS },
    { "stamp", call_stamp, "`0`", VERB_CONST | VERB_ROWS },
    { "sort: compare", call_sort, "`false`", VERB_ROWS },
    { "sort: compare_entities", call_sort_entities, "`false`", VERB_ROWS },
    { "sort: key", call_sort_by, "`false`", VERB_ROWS },
    { "sort: as", call_sort_as, "`false`", VERB_ROWS },
};

static const kith_component pool_components[] = { VALUE, STABLE, TAG, FLAG, SINGLE, UNKNOWN };

static cell compute_on_component(const verb *asked, size_t column)
{
    stage on;
    open_stage(&on);
    furnish(&on);
    return call_on_stage(&on, asked, pool_components[column]);
}

// The last column is the first one while a loop is open.
enum { POOL_IN_LOOP = COUNT_OF(pool_components) };

static cell compute_on_pool(const verb *asked, size_t column)
{
    stage on;
    if (column != POOL_IN_LOOP) {
        return compute_on_component(asked, column);
    }
    open_stage(&on);
    furnish(&on);
    kith_world_hold(on.world);
    return call_on_stage(&on, asked, VALUE);
}

static bool sorts_by_values(const verb *asked)
{
    return asked->call == call_sort || asked->call == call_sort_by;
}

// Changes the order of rows, which stable pools do not allow.
static bool orders_rows(const verb *asked)
{
    return sorts_by_values(asked) || asked->call == call_sort_entities ||
           asked->call == call_sort_as || asked->call == call_swap;
}

static bool moves_rows(const verb *asked)
{
    return orders_rows(asked) || asked->call == call_compact || asked->call == call_shrink;
}

static cell expect_on_tag(const verb *asked)
{
    if (asked->call == call_owner) {
        return refusal(asked, KITH_OK);
    }
    return sorts_by_values(asked) ? refusal(asked, KITH_ERROR_KIND) : consent(asked);
}

static cell expect_on_component(const verb *asked, size_t column)
{
    bool needs_rows = (asked->manners & VERB_ROWS) != 0;
    switch (pool_components[column]) {
    case STABLE:
        return orders_rows(asked) ? refusal(asked, KITH_ERROR_POLICY) : consent(asked);
    case TAG:
        return expect_on_tag(asked);
    case FLAG:
        return needs_rows ? refusal(asked, KITH_ERROR_KIND) : consent(asked);
    case SINGLE:
        return refusal(asked, KITH_ERROR_KIND);
    case UNKNOWN:
        return refusal(asked, KITH_ERROR_UNREGISTERED);
    default:
        return consent(asked);
    }
}

static cell expect_on_pool(const verb *asked, size_t column)
{
    if (column != POOL_IN_LOOP) {
        return expect_on_component(asked, column);
    }
    return moves_rows(asked) ? refusal(asked, KITH_ERROR_BUSY) : consent(asked);
}

static const table on_pool = {
    .title         = "Calls on a pool",
    .prefix        = "kith_component_",
    .verbs         = pool_verbs,
    .verb_count    = COUNT_OF(pool_verbs),
    .columns       = { "value", "stable value", "tag", "flag", "singleton", "unregistered",
                       "value, in a loop" },
    .storage_count = COUNT_OF(pool_components) + 1,
    .compute       = compute_on_pool,
    .expect        = expect_on_pool,
};

// --- calls on a singleton --------------------------------------------------------------------

static const char *single_set(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return answer_address(kith_singleton_set(world, component, NULL));
}

static const char *single_add(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return answer_address(kith_singleton_add(world, component));
}

static const char *single_get(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return answer_address(kith_singleton_get(world, component));
}

static const char *single_mut(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return answer_address(kith_singleton_mut(world, component));
}

static const char *single_remove(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return answer_bool(kith_singleton_remove(world, component));
}

static const verb single_verbs[] = {
    { "set", single_set, "`NULL`", VERB_ADDS },  { "add", single_add, "`NULL`", VERB_ADDS },
    { "get", single_get, "`NULL`", VERB_CONST }, { "mut", single_mut, "`NULL`", 0 },
    { "remove", single_remove, "`false`", 0 },
};

static const kith_component single_components[] = { SINGLE, SINGLE, VALUE, TAG, FLAG, UNKNOWN };

enum { SINGLE_PRESENT, SINGLE_ABSENT, SINGLE_UNREGISTERED = 5 };

static cell compute_on_single(const verb *asked, size_t column)
{
    stage on;
    open_stage(&on);
    furnish(&on);
    if (column == SINGLE_ABSENT) {
        kith_singleton_remove(on.world, SINGLE);
    }
    return call_on_stage(&on, asked, single_components[column]);
}

static cell expect_on_single(const verb *asked, size_t column)
{
    const char *yes = strcmp(asked->no, "`NULL`") == 0 ? "value" : "`true`";
    switch (column) {
    case SINGLE_PRESENT:
        return (cell){ .answer = yes };
    case SINGLE_ABSENT:
        return (asked->manners & VERB_ADDS) != 0 ? (cell){ .answer = yes }
                                                 : refusal(asked, KITH_OK);
    case SINGLE_UNREGISTERED:
        return refusal(asked, KITH_ERROR_UNREGISTERED);
    default:
        return refusal(asked, KITH_ERROR_KIND);
    }
}

static const table on_single = {
    .title         = "Calls on a singleton",
    .prefix        = "kith_singleton_",
    .verbs         = single_verbs,
    .verb_count    = COUNT_OF(single_verbs),
    .columns       = { "present", "absent", "value", "tag", "flag", "unregistered" },
    .storage_count = COUNT_OF(single_components),
    .compute       = compute_on_single,
    .expect        = expect_on_single,
};

// --- calls on a signature --------------------------------------------------------------------

static const char *signature_add(kith_world *world, kith_entity entity, kith_component component)
{
    kith_signature signature = { { 0 } };
    (void)entity;
    return answer_bool(kith_signature_add(world, &signature, component));
}

static const char *signature_remove(kith_world *world, kith_entity entity, kith_component component)
{
    kith_signature signature = kith_entity_signature(world, entity);
    return answer_bool(kith_signature_remove(world, &signature, component));
}

static const char *signature_has(kith_world *world, kith_entity entity, kith_component component)
{
    kith_signature signature = kith_entity_signature(world, entity);
    return answer_bool(kith_signature_has(world, &signature, component));
}

static const verb signature_verbs[] = {
    { "add", signature_add, "`false`", VERB_CONST },
    { "remove", signature_remove, "`false`", VERB_CONST },
    { "has", signature_has, "`false`", VERB_CONST },
};

static const table on_signature = {
    .title         = "Calls on a signature",
    .prefix        = "kith_signature_",
    .verbs         = signature_verbs,
    .verb_count    = COUNT_OF(signature_verbs),
    .columns       = { "value", "stable value", "tag", "flag", "singleton", "unregistered" },
    .storage_count = COUNT_OF(pool_components),
    .compute       = compute_on_component,
    .expect        = expect_on_component,
};

// --- terms of a query ------------------------------------------------------------------------

static const char *begins(kith_world *world, kith_component component, kith_role role)
{
    const kith_term term   = { component, role, 0 };
    kith_cursor     cursor = kith_view_begin(world, &(kith_query_desc){ "term", &term, 1, 0 });
    const char     *answer = answer_bool(!cursor.failed);
    kith_cursor_end(&cursor);
    return answer;
}

#define ROLE(WORD, ROLE)                                                                           \
    static const char *term_##WORD(kith_world *world, kith_entity entity,                          \
                                   kith_component component)                                       \
    {                                                                                              \
        (void)entity;                                                                              \
        return begins(world, component, ROLE);                                                     \
    }

ROLE(with, KITH_ROLE_WITH)
ROLE(read, KITH_ROLE_READ)
ROLE(write, KITH_ROLE_WRITE)
ROLE(optional, KITH_ROLE_OPTIONAL)
ROLE(optional_write, KITH_ROLE_OPTIONAL_WRITE)
ROLE(any, KITH_ROLE_ANY)
ROLE(without, KITH_ROLE_WITHOUT)
ROLE(disabled, KITH_ROLE_DISABLED)
ROLE(lead, KITH_ROLE_LEAD)
ROLE(own, KITH_ROLE_OWN)
ROLE(changed, KITH_ROLE_CHANGED)

enum {
    TERM_VALUE = 16, // needs a value
    TERM_ROW   = 32  // needs a row
};

static const verb term_verbs[] = {
    { "WITH", term_with, "`false`", 0 },
    { "READ", term_read, "`false`", TERM_VALUE },
    { "WRITE", term_write, "`false`", TERM_VALUE },
    { "OPTIONAL", term_optional, "`false`", 0 },
    { "OPTIONAL_WRITE", term_optional_write, "`false`", TERM_VALUE },
    { "ANY", term_any, "`false`", 0 },
    { "WITHOUT", term_without, "`false`", 0 },
    { "DISABLED", term_disabled, "`false`", TERM_ROW },
    { "LEAD", term_lead, "`false`", TERM_ROW },
    { "OWN", term_own, "`false`", TERM_VALUE },
    { "CHANGED", term_changed, "`false`", TERM_ROW },
};

static cell expect_of_kind(const verb *asked, size_t column, bool fits)
{
    kith_component component = pool_components[column];
    if (component == UNKNOWN) {
        return refusal(asked, KITH_ERROR_UNREGISTERED);
    }
    return fits ? (cell){ .answer = "`true`" } : refusal(asked, KITH_ERROR_KIND);
}

static bool fits_term(const verb *asked, kith_component component)
{
    bool needs_value = (asked->manners & TERM_VALUE) != 0;
    bool needs_row   = (asked->manners & TERM_ROW) != 0;
    return component == VALUE || component == STABLE || (component == TAG && !needs_value) ||
           (component == FLAG && !needs_value && !needs_row);
}

static cell expect_of_term(const verb *asked, size_t column)
{
    return expect_of_kind(asked, column, fits_term(asked, pool_components[column]));
}

static const table of_terms = {
    .title         = "Terms of a query",
    .prefix        = "KITH_ROLE_",
    .verbs         = term_verbs,
    .verb_count    = COUNT_OF(term_verbs),
    .columns       = { "value", "stable value", "tag", "flag", "singleton", "unregistered" },
    .storage_count = COUNT_OF(pool_components),
    .compute       = compute_on_component,
    .expect        = expect_of_term,
};

// --- terms of a group ------------------------------------------------------------------------

// Beside a term that reads another component, so that the group asks for rows.
static const char *groups(kith_world *world, kith_component component, kith_role role)
{
    const kith_term terms[] = { { component == VALUE ? STABLE : VALUE, KITH_ROLE_READ, 0 },
                                { component, role, 0 } };
    kith_group     *group   = kith_group_of(world, &(kith_query_desc){ "group", terms, 2, 0 });
    bool            made    = group != NULL;
    return answer_bool(made && kith_group_drop(group));
}

#define GROUP_ROLE(WORD, ROLE)                                                                     \
    static const char *group_##WORD(kith_world *world, kith_entity entity,                         \
                                    kith_component component)                                      \
    {                                                                                              \
        (void)entity;                                                                              \
        return groups(world, component, ROLE);                                                     \
    }

GROUP_ROLE(own, KITH_ROLE_OWN)
GROUP_ROLE(with, KITH_ROLE_WITH)
GROUP_ROLE(read, KITH_ROLE_READ)
GROUP_ROLE(write, KITH_ROLE_WRITE)
GROUP_ROLE(without, KITH_ROLE_WITHOUT)
GROUP_ROLE(optional, KITH_ROLE_OPTIONAL)
GROUP_ROLE(optional_write, KITH_ROLE_OPTIONAL_WRITE)
GROUP_ROLE(any, KITH_ROLE_ANY)
GROUP_ROLE(disabled, KITH_ROLE_DISABLED)
GROUP_ROLE(lead, KITH_ROLE_LEAD)
GROUP_ROLE(changed, KITH_ROLE_CHANGED)

enum {
    TERM_MOVES = 64, // needs rows that may move
    TERM_NEVER = 128 // of queries only
};

static const verb group_verbs[] = {
    { "OWN", group_own, "`false`", TERM_VALUE | TERM_MOVES },
    { "WITH", group_with, "`false`", 0 },
    { "READ", group_read, "`false`", TERM_VALUE },
    { "WRITE", group_write, "`false`", TERM_VALUE },
    { "WITHOUT", group_without, "`false`", 0 },
    { "OPTIONAL", group_optional, "`false`", TERM_NEVER },
    { "OPTIONAL_WRITE", group_optional_write, "`false`", TERM_VALUE | TERM_NEVER },
    { "ANY", group_any, "`false`", TERM_NEVER },
    { "DISABLED", group_disabled, "`false`", TERM_ROW | TERM_NEVER },
    { "LEAD", group_lead, "`false`", TERM_ROW | TERM_NEVER },
    { "CHANGED", group_changed, "`false`", TERM_ROW | TERM_NEVER },
};

static cell expect_of_group(const verb *asked, size_t column)
{
    kith_component component = pool_components[column];
    bool           fits      = fits_term(asked, component);
    bool           moves     = (asked->manners & TERM_MOVES) == 0 || component != STABLE;
    bool           ever      = (asked->manners & TERM_NEVER) == 0;
    return fits && !(moves && ever) ? refusal(asked, KITH_ERROR_ARGUMENT)
                                    : expect_of_kind(asked, column, fits);
}

static const table of_groups = {
    .title         = "Terms of a group",
    .prefix        = "KITH_ROLE_",
    .verbs         = group_verbs,
    .verb_count    = COUNT_OF(group_verbs),
    .columns       = { "value", "stable value", "tag", "flag", "singleton", "unregistered" },
    .storage_count = COUNT_OF(pool_components),
    .compute       = compute_on_component,
    .expect        = expect_of_group,
};

// --- sorting a group -------------------------------------------------------------------------

static kith_group *sorted_group; // of the stage

#define GROUP_SORT(NAME, DESC)                                                                     \
    static const char *group_##NAME(kith_world *world, kith_entity entity,                         \
                                    kith_component component)                                      \
    {                                                                                              \
        (void)world, (void)entity;                                                                 \
        return answer_bool(kith_group_sort(sorted_group, component, &(DESC)));                     \
    }

GROUP_SORT(sort, by_compare)
GROUP_SORT(sort_entities, by_entities)
GROUP_SORT(sort_by, by_key)
GROUP_SORT(sort_as, (kith_sort_desc){ .as = component })

static const verb group_sort_verbs[] = {
    { "sort: compare", group_sort, "`false`", TERM_VALUE },
    { "sort: compare_entities", group_sort_entities, "`false`", 0 },
    { "sort: key", group_sort_by, "`false`", TERM_VALUE },
    { "sort: as", group_sort_as, "`false`", TERM_ROW },
};

// The last columns: a value that the members need not have, and an owned one while a loop is open.
enum { SORT_BY_ANY = COUNT_OF(pool_components), SORT_IN_LOOP, SORT_COLUMNS };

static cell compute_group_sort(const verb *asked, size_t column)
{
    static const kith_term terms[] = { { VALUE, KITH_ROLE_OWN, 0 },
                                       { TAG, KITH_ROLE_WITH, 0 },
                                       { FLAG, KITH_ROLE_WITH, 0 },
                                       { STABLE, KITH_ROLE_READ, 0 } };
    const kith_query_desc  desc    = { "sorted", terms, column == SORT_BY_ANY ? 3 : 4, 0 };
    stage                  on;
    open_stage(&on);
    furnish(&on);
    sorted_group = kith_group_of(on.world, &desc);
    assert_non_null(sorted_group);
    if (column == SORT_IN_LOOP) {
        kith_world_hold(on.world);
    }
    return call_on_stage(&on, asked,
                         column == SORT_BY_ANY    ? STABLE
                         : column == SORT_IN_LOOP ? VALUE
                                                  : pool_components[column]);
}

static cell expect_of_group_sort(const verb *asked, size_t column)
{
    bool asks = (asked->manners & (TERM_VALUE | TERM_ROW)) != 0; // something of a component
    if (column == SORT_IN_LOOP) {
        return refusal(asked, KITH_ERROR_BUSY);
    }
    if (column == SORT_BY_ANY && (asked->manners & TERM_VALUE) != 0) {
        return refusal(asked, KITH_ERROR_ARGUMENT);
    }
    return column == SORT_BY_ANY || !asks
               ? (cell){ .answer = "`true`" }
               : expect_of_kind(asked, column, fits_term(asked, pool_components[column]));
}

static const table of_group_sorts = {
    .title         = "Sorting a group",
    .prefix        = "kith_group_",
    .verbs         = group_sort_verbs,
    .verb_count    = COUNT_OF(group_sort_verbs),
    .columns       = { "value", "stable value", "tag", "flag", "singleton", "unregistered",
                       "value not in the terms", "in a loop" },
    .storage_count = SORT_COLUMNS,
    .compute       = compute_group_sort,
    .expect        = expect_of_group_sort,
};

// --- events ----------------------------------------------------------------------------------

static void ignore_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

static const char *connects(kith_world *world, kith_component component, kith_event event)
{
    const kith_listener_desc desc = { event, component, ignore_notice, NULL, 0, NULL };
    return answer_bool(kith_listener_connect(world, &desc) != 0);
}

static const char *event_add(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return connects(world, component, KITH_EVENT_ADD);
}

static const char *event_set(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return connects(world, component, KITH_EVENT_SET);
}

static const char *event_remove(kith_world *world, kith_entity entity, kith_component component)
{
    (void)entity;
    return connects(world, component, KITH_EVENT_REMOVE);
}

static const verb event_verbs[] = {
    { "ADD", event_add, "`false`", 0 },
    { "SET", event_set, "`false`", TERM_VALUE },
    { "REMOVE", event_remove, "`false`", 0 },
};

static cell expect_of_event(const verb *asked, size_t column)
{
    kith_component component   = pool_components[column];
    bool           needs_value = (asked->manners & TERM_VALUE) != 0;
    return expect_of_kind(asked, column, !needs_value || (component != TAG && component != FLAG));
}

static const table of_events = {
    .title         = "Events of a listener",
    .prefix        = "KITH_EVENT_",
    .verbs         = event_verbs,
    .verb_count    = COUNT_OF(event_verbs),
    .columns       = { "value", "stable value", "tag", "flag", "singleton", "unregistered" },
    .storage_count = COUNT_OF(pool_components),
    .compute       = compute_on_component,
    .expect        = expect_of_event,
};

// --- reactive sets ---------------------------------------------------------------------------

static const char *collects(kith_world *world, kith_component component, kith_on on)
{
    const kith_condition     condition = { component, on };
    const kith_reactive_desc desc      = { .conditions = &condition, .condition_count = 1 };
    return answer_bool(kith_reactive_create(world, &desc) != NULL);
}

#define CONDITION(NAME, ON)                                                                        \
    static const char *on_##NAME(kith_world *world, kith_entity entity, kith_component component)  \
    {                                                                                              \
        (void)entity;                                                                              \
        return collects(world, component, ON);                                                     \
    }

CONDITION(add, KITH_ON_ADD)
CONDITION(set, KITH_ON_SET)
CONDITION(remove, KITH_ON_REMOVE)
CONDITION(changed, KITH_ON_CHANGED)

static const verb condition_verbs[] = {
    { "ADD", on_add, "`false`", 0 },
    { "SET", on_set, "`false`", TERM_VALUE },
    { "REMOVE", on_remove, "`false`", 0 },
    { "CHANGED", on_changed, "`false`", TERM_VALUE },
};

static cell expect_of_condition(const verb *asked, size_t column)
{
    return expect_of_kind(asked, column, fits_term(asked, pool_components[column]));
}

static const table of_conditions = {
    .title         = "Conditions of a reactive set",
    .prefix        = "KITH_ON_",
    .verbs         = condition_verbs,
    .verb_count    = COUNT_OF(condition_verbs),
    .columns       = { "value", "stable value", "tag", "flag", "singleton", "unregistered" },
    .storage_count = COUNT_OF(pool_components),
    .compute       = compute_on_component,
    .expect        = expect_of_condition,
};

// --- commands --------------------------------------------------------------------------------

static kith_error recorded_error; // that the commands kept

#define LATER(NAME, CALL, ...)                                                                     \
    static const char *later_##NAME(kith_world *world, kith_entity entity,                         \
                                    kith_component component)                                      \
    {                                                                                              \
        kith_commands *commands = kith_commands_create(world, NULL);                               \
        bool           done     = kith_component_##CALL##_later(commands, entity, __VA_ARGS__);    \
        recorded_error          = kith_commands_report_of(commands).refusal;                       \
        kith_commands_destroy(commands);                                                           \
        return answer_bool(done);                                                                  \
    }

LATER(set, set, component, NULL)
LATER(add, add, component)
LATER(remove, remove, component)
LATER(disable, enable, component, false)
LATER(enable, enable, component, true)

static const verb later_verbs[] = {
    { "set_later", later_set, "`false`", VERB_DEMANDS },
    { "add_later", later_add, "`false`", VERB_DEMANDS },
    { "remove_later", later_remove, "`false`", 0 },
    { "enable_later: false", later_disable, "`false`", VERB_DEMANDS | TERM_ROW },
    { "enable_later: true", later_enable, "`false`", VERB_DEMANDS | TERM_ROW },
};

// The last columns: an entity that is null, or dead when the call is recorded.
enum { LATER_NULL = COUNT_OF(pool_components), LATER_DEAD, LATER_COLUMNS };

static cell compute_later(const verb *asked, size_t column)
{
    stage on;
    set_situation(&on, VALUE,
                  column == LATER_NULL   ? AT_NULL
                  : column == LATER_DEAD ? AT_DEAD
                                         : AT_PRESENT);
    kith_component component = column < LATER_NULL ? pool_components[column] : VALUE;
    cell           one       = call_on_stage(&on, asked, component);
    assert_int_equal(one.code, KITH_OK); // nothing was reported to the world
    one.code = recorded_error.code;
    return one;
}

static cell expect_of_later(const verb *asked, size_t column)
{
    bool demands = (asked->manners & VERB_DEMANDS) != 0;
    if (column == LATER_NULL) {
        return (cell){ asked->no, demands ? KITH_ERROR_NULL_ENTITY : KITH_OK, false, false };
    }
    if (column == LATER_DEAD) {
        return (cell){ .answer = "`true`" };
    }
    cell should     = expect_of_kind(asked, column, fits_term(asked, pool_components[column]));
    should.recorded = false;
    should.reported = false;
    return should;
}

static const table of_later = {
    .title      = "Recorded calls",
    .prefix     = "kith_component_",
    .verbs      = later_verbs,
    .verb_count = COUNT_OF(later_verbs),
    .columns = { "value", "stable value", "tag", "flag", "singleton", "unregistered", "null entity",
                 "dead entity" },
    .storage_count = LATER_COLUMNS,
    .compute       = compute_later,
    .expect        = expect_of_later,
};

// --- hierarchies -----------------------------------------------------------------------------

static kith_entity tree_above; // the entity's parent on the stage
static kith_entity tree_beside;

#define TREE_CALL(NAME, ANSWER, ...)                                                               \
    static const char *tree_##NAME(kith_world *world, kith_entity entity,                          \
                                   kith_component component)                                       \
    {                                                                                              \
        (void)entity;                                                                              \
        return ANSWER(kith_hierarchy_##NAME(world, component __VA_ARGS__));                        \
    }

static const char *answer_number(uint32_t number)
{
    return number != 0 ? "number" : "`0`";
}

TREE_CALL(insert, answer_bool, COMMA entity COMMA tree_beside COMMA KITH_NULL)
TREE_CALL(append, answer_bool, COMMA entity COMMA tree_beside)
TREE_CALL(insert_at, answer_bool, COMMA entity COMMA tree_beside COMMA 0)
TREE_CALL(detach, answer_bool, COMMA entity)
TREE_CALL(sort_children, answer_bool, COMMA entity COMMA compare_entities COMMA NULL)
TREE_CALL(sort, answer_bool, )
TREE_CALL(root, answer_entity, COMMA entity)
TREE_CALL(depth, answer_number, COMMA entity)
TREE_CALL(is_below, answer_bool, COMMA entity COMMA tree_above)
TREE_CALL(next, answer_entity, COMMA entity COMMA KITH_NULL)
TREE_CALL(skip, answer_entity, COMMA tree_above COMMA entity)
TREE_CALL(levels, answer_number, COMMA entity COMMA NULL COMMA 0)
TREE_CALL(validate, answer_bool, COMMA NULL)

enum {
    TREE_ALONE = 256, // the same answer of a node alone
    TREE_WHOLE = 512, // of the hierarchy, whatever the entity
    TREE_MOVES = 1024
};

enum { TREE_LINKS = VERB_DEMANDS | VERB_ADDS, TREE_ASKS = VERB_CONST | TREE_ALONE };

static const verb tree_verbs[] = {
    { "insert", tree_insert, "`false`", TREE_LINKS },
    { "append", tree_append, "`false`", TREE_LINKS },
    { "insert_at", tree_insert_at, "`false`", TREE_LINKS },
    { "detach", tree_detach, "`false`", VERB_DEMANDS },
    { "sort_children", tree_sort_children, "`false`", VERB_DEMANDS },
    { "sort", tree_sort, "`false`", TREE_WHOLE | TREE_MOVES },
    { "root", tree_root, "`KITH_NULL`", TREE_ASKS },
    { "depth", tree_depth, "`0`", VERB_CONST },
    { "is_below", tree_is_below, "`false`", VERB_CONST },
    { "next", tree_next, "`KITH_NULL`", TREE_ASKS },
    { "skip", tree_skip, "`KITH_NULL`", VERB_CONST },
    { "levels", tree_levels, "`0`", TREE_ASKS },
    { "validate", tree_validate, "`false`", VERB_CONST | TREE_WHOLE },
};

enum {
    NODE_LINKED,
    NODE_ABSENT,
    NODE_NULL,
    NODE_DEAD,
    NODE_DYING,
    NODE_LEAVING,
    NODE_OF_VALUE,
    NODE_UNREGISTERED,
    NODE_IN_LOOP,
    NODE_UNDECLARED,
    NODE_ALL
};

// The entity has a parent, and a sibling behind it.
static void plant_tree(stage *on)
{
    const kith_hierarchy_desc desc = { "tree", TREE, KITH_CHILDREN_ORPHAN, false };
    tree_above                     = kith_entity_create(on->world);
    tree_beside                    = kith_entity_create(on->world);
    assert_int_equal(kith_hierarchy_register(on->world, &desc), TREE);
    assert_true(kith_hierarchy_append(on->world, TREE, tree_above, on->entity));
    assert_true(kith_hierarchy_append(on->world, TREE, tree_above, tree_beside));
}

static void set_node_situation(stage *on, size_t situation)
{
    set_situation(on, VALUE, AT_PRESENT);
    plant_tree(on);
    if (situation == NODE_ABSENT) {
        kith_component_remove(on->world, on->entity, TREE);
    } else if (situation == NODE_DEAD) {
        kith_entity_destroy(on->world, on->entity);
    } else if (situation == NODE_IN_LOOP) {
        kith_world_hold(on->world);
    }
    on->entity = situation == NODE_NULL ? KITH_NULL : on->entity;
}

static cell compute_on_tree(const verb *asked, size_t situation)
{
    stage on;
    set_node_situation(&on, situation);
    if (situation == NODE_UNDECLARED) {
        return call_undeclared(&on, asked, TREE);
    }
    if (situation == NODE_DYING || situation == NODE_LEAVING) {
        return call_on_what_goes(&on, asked, TREE, situation == NODE_DYING);
    }
    return call_on_stage(&on, asked,
                         situation == NODE_OF_VALUE       ? VALUE
                         : situation == NODE_UNREGISTERED ? UNKNOWN
                                                          : TREE);
}

static cell tree_consent(const verb *asked)
{
    static const char *const answers[][2] = { { "`false`", "`true`" },
                                              { "`0`", "number" },
                                              { "`NULL`", "value" },
                                              { "`KITH_NULL`", "entity" } };
    size_t                   i            = 0;
    while (strcmp(answers[i][0], asked->no) != 0) {
        i++;
    }
    return (cell){ .answer = answers[i][1] };
}

// When a removal of a node is reported, the node is alone already.
static cell expect_of_node_that_goes(const verb *asked)
{
    if ((asked->manners & TREE_MOVES) != 0) {
        return refusal(asked, KITH_ERROR_BUSY);
    }
    if ((asked->manners & (TREE_ALONE | TREE_WHOLE)) != 0) {
        return tree_consent(asked);
    }
    return refusal(asked, (asked->manners & VERB_DEMANDS) != 0 ? KITH_ERROR_DYING : KITH_OK);
}

// The result for an entity that is not a node.
static cell expect_of_no_node(const verb *asked, kith_error_code demanded)
{
    bool demands = (asked->manners & VERB_DEMANDS) != 0;
    return (asked->manners & TREE_WHOLE) != 0 ? tree_consent(asked)
                                              : refusal(asked, demands ? demanded : KITH_OK);
}

static cell expect_on_tree(const verb *asked, size_t situation)
{
    switch (situation) {
    case NODE_ABSENT:
        return (asked->manners & VERB_ADDS) != 0 ? tree_consent(asked)
                                                 : expect_of_no_node(asked, KITH_OK);
    case NODE_NULL:
        return expect_of_no_node(asked, KITH_ERROR_NULL_ENTITY);
    case NODE_DEAD:
        return expect_of_no_node(asked, KITH_ERROR_DEAD_ENTITY);
    case NODE_DYING:
    case NODE_LEAVING:
        return expect_of_node_that_goes(asked);
    case NODE_OF_VALUE:
        return refusal(asked, KITH_ERROR_ARGUMENT);
    case NODE_UNREGISTERED:
        return refusal(asked, KITH_ERROR_UNREGISTERED);
    case NODE_IN_LOOP:
        return (asked->manners & TREE_MOVES) != 0 ? refusal(asked, KITH_ERROR_BUSY)
                                                  : tree_consent(asked);
    case NODE_UNDECLARED:
        return refusal(asked, KITH_ERROR_UNDECLARED);
    default:
        return tree_consent(asked);
    }
}

static const table on_tree = {
    .title         = "Calls on a hierarchy",
    .prefix        = "kith_hierarchy_",
    .verbs         = tree_verbs,
    .verb_count    = COUNT_OF(tree_verbs),
    .columns       = { "node", "no node", "null entity", "dead entity", "dying", "leaving",
                       "no hierarchy", "unregistered", "in a loop", "undeclared" },
    .storage_count = NODE_ALL,
    .compute       = compute_on_tree,
    .expect        = expect_on_tree,
};

// --- links -----------------------------------------------------------------------------------

static kith_entity link_target; // the entity's target on the stage, which names the entity

static const char *link_set(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_bool(kith_link_set(world, entity, component, link_target));
}

static const char *link_remove(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_bool(kith_link_remove(world, entity, component));
}

static const char *holders_count(kith_world *world, kith_entity entity, kith_component component)
{
    return answer_number(kith_holders_count(world, component, entity));
}

static const char *holders_next(kith_world *world, kith_entity entity, kith_component component)
{
    kith_holders walk = kith_holders_begin(world, component, entity);
    return answer_entity(kith_holders_next(&walk) ? walk.entity : KITH_NULL);
}

static const verb link_verbs[] = {
    { "link_set", link_set, "`false`", VERB_DEMANDS | VERB_ADDS },
    { "link_remove", link_remove, "`false`", 0 },
    { "holders_count", holders_count, "`0`", VERB_CONST | TREE_ALONE },
    { "holders_begin, _next", holders_next, "`KITH_NULL`", VERB_CONST | TREE_ALONE },
};

static cell compute_on_link(const verb *asked, size_t situation)
{
    const kith_link_desc desc = { "link", LINK, KITH_TARGET_CLEAR };
    stage                on;
    set_situation(&on, VALUE, AT_PRESENT);
    link_target = kith_entity_create(on.world);
    assert_int_equal(kith_link_register(on.world, &desc), LINK);
    assert_true(kith_link_set(on.world, on.entity, LINK, link_target));
    assert_true(kith_link_set(on.world, link_target, LINK, on.entity));
    if (situation == NODE_ABSENT) {
        kith_component_remove(on.world, on.entity, LINK);
    } else if (situation == NODE_DEAD) {
        kith_entity_destroy(on.world, on.entity);
    } else if (situation == NODE_IN_LOOP) {
        kith_world_hold(on.world);
    }
    on.entity = situation == NODE_NULL ? KITH_NULL : on.entity;
    if (situation == NODE_UNDECLARED) {
        return call_undeclared(&on, asked, LINK);
    }
    if (situation == NODE_DYING || situation == NODE_LEAVING) {
        return call_on_what_goes(&on, asked, LINK, situation == NODE_DYING);
    }
    return call_on_stage(&on, asked,
                         situation == NODE_OF_VALUE       ? VALUE
                         : situation == NODE_UNREGISTERED ? UNKNOWN
                                                          : LINK);
}

// A question is about the holders of the entity, which need not have the link itself.
static cell expect_on_link(const verb *asked, size_t situation)
{
    bool asks = (asked->manners & VERB_CONST) != 0;
    bool goes = situation == NODE_DYING || situation == NODE_LEAVING;
    if (situation == NODE_OF_VALUE) {
        bool removes = strcmp(asked->name, "link_remove") == 0;
        return removes ? tree_consent(asked) : refusal(asked, KITH_ERROR_KIND);
    }
    if (asks && situation == NODE_DYING) { // they lost the link before
        return refusal(asked, KITH_OK);
    }
    if (goes || (asks && situation == NODE_ABSENT)) {
        return asks ? tree_consent(asked) : refusal(asked, KITH_ERROR_DYING);
    }
    return expect_on_tree(asked, situation);
}

static const table on_link = {
    .title      = "Calls on a link",
    .prefix     = "kith_",
    .verbs      = link_verbs,
    .verb_count = COUNT_OF(link_verbs),
    .columns = { "holder", "no holder", "null entity", "dead entity", "dying", "leaving", "no link",
                 "unregistered", "in a loop", "undeclared" },
    .storage_count = NODE_ALL,
    .compute       = compute_on_link,
    .expect        = expect_on_link,
};

// --- the file --------------------------------------------------------------------------------

static const table *const tables[] = { &on_entity,    &of_batches,    &on_pool,   &on_single,
                                       &on_signature, &of_terms,      &of_groups, &of_group_sorts,
                                       &of_events,    &of_conditions, &of_later,  &on_tree,
                                       &on_link };

static const char *error_name(kith_error_code code)
{
    static const char *const names[] = {
        "",         "MEMORY", "LIMIT",      "NULL_ENTITY", "DEAD_ENTITY", "UNREGISTERED",
        "CONFLICT", "KIND",   "POLICY",     "HOOK",        "ARGUMENT",    "BUSY",
        "DYING",    "CLOSED", "UNDECLARED",
    };
    return names[code];
}

static const char introduction[] =
    "# What each call returns\n"
    "\n"
    "These tables show the result of every call that names a component, for every kind of "
    "argument.\n"
    "They follow three rules of `kith.h`:\n"
    "\n"
    "- A question (`has`, `get`) about a null or dead entity is not an error.\n"
    "- A demand (`set`, `add`) on a null or dead entity is an error.\n"
    "- An absent component is never an error.\n"
    "\n"
    "`tests/test_verbs.c` computes the tables and fails when the library does anything else.\n"
    "\n"
    "## How to read a cell\n"
    "\n"
    "| cell | meaning |\n"
    "|---|---|\n"
    "| value | the address of the value; for tags and flags an address without bytes |\n"
    "| row, number, entity | the row, number or entity that the call returns |\n"
    "| numbers | a struct of numbers; with an error all are `0` |\n"
    "| `NULL`, `false`, `0`, `KITH_NO_ROW`, `KITH_NULL` | this constant |\n"
    "| *DEAD_ENTITY* | the error `KITH_ERROR_DEAD_ENTITY`; other words in capitals likewise |\n"
    "| no word in capitals | no error |\n"
    "\n"
    "- A call that reports an error changes nothing.\n"
    "- An error is reported to the world's error hook. `kith_world_error` records it, unless the "
    "call\n"
    "  takes a `const kith_world *`.\n"
    "- *DYING* is recorded but not reported to the hook.\n"
    "- A recorded call keeps its error in its commands (`kith_commands_report_of`).\n"
    "- The typed functions (`position_set` and so on) return what the untyped calls return.\n"
    "\n"
    "## How to read a column\n"
    "\n"
    "| column | the call is made |\n"
    "|---|---|\n"
    "| present, disabled, absent | on a living entity, for a component with values; tags give the "
    "same results |\n"
    "| dying | by a listener, while the entity is being destroyed |\n"
    "| leaving | by a listener, while the component is being removed |\n"
    "| flag, singleton | for a component of this kind, which is present |\n"
    "| in a loop | while a loop is open |\n"
    "| undeclared | by a system of a checked schedule that declared another component |\n"
    "| node | on an entity with a parent and a next sibling; a dying or leaving node has no links "
    "any more |\n"
    "| no hierarchy | for a component with values that is not a hierarchy |\n"
    "| holder | on an entity with a target, which is itself the target of another holder |\n"
    "| no link | for a component with values that is not a link |\n"
    "\n"
    "`swap` swaps the entity with itself. `true` or `false` after a colon is the last argument. A "
    "word after\n"
    "`sort:` is the member of `kith_sort_desc` that is set; `as` of a pool is a stable one. "
    "`insert`,\n"
    "`append` and `insert_at` take the entity as the parent. `is_below` and `skip` also take its "
    "parent.\n";

static void render_cell(text *out, cell one)
{
    if (one.code == KITH_OK) {
        text_add(out, " %s |", one.answer);
    } else {
        text_add(out, " %s *%s* |", one.answer, error_name(one.code));
    }
}

static void render_row(text *out, const table *one, const verb *asked)
{
    bool constant = (asked->manners & VERB_CONST) != 0;
    text_add(out, "| `%s` | %s |", asked->name, constant ? "const" : "");
    for (size_t column = 0; column < one->storage_count; column++) {
        render_cell(out, one->compute(asked, column));
    }
    text_add(out, "\n");
}

static void render_table(text *out, const table *one)
{
    text_add(out, "\n## %s\n\nAll names begin with `%s`.\n\n| call | world |", one->title,
             one->prefix);
    for (size_t column = 0; column < one->storage_count; column++) {
        text_add(out, " %s |", one->columns[column]);
    }
    text_add(out, "\n|---|---|");
    for (size_t column = 0; column < one->storage_count; column++) {
        text_add(out, "---|");
    }
    text_add(out, "\n");
    for (size_t i = 0; i < one->verb_count; i++) {
        render_row(out, one, &one->verbs[i]);
    }
}

static text render(void)
{
    text out = { 0 };
    text_add(&out, "%s", introduction);
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        render_table(&out, tables[i]);
    }
    return out;
}

static text read_file(const char *path)
{
    text  in   = { 0 };
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    for (int byte = fgetc(file); byte != EOF; byte = fgetc(file)) {
        text_add(&in, "%c", byte);
    }
    fclose(file);
    return in;
}

static void write_file(const char *path, const text *content)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content->bytes, 1, content->length, file), content->length);
    assert_int_equal(fclose(file), 0);
}

// --- tests -----------------------------------------------------------------------------------

static void calls_on_an_entity_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&on_entity);
}

static void calls_on_a_pool_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&on_pool);
}

static void calls_on_a_singleton_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&on_single);
}

static void calls_on_a_signature_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&on_signature);
}

static void terms_of_a_query_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&of_terms);
}

static void events_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&of_events);
}

static void conditions_of_a_reactive_set_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&of_conditions);
}

static void recorded_calls_follow_the_rules(void **state)
{
    (void)state;

    assert_table(&of_later);
}

static void calls_on_a_hierarchy_follow_the_rules(void **state)
{
    (void)state;
    assert_table(&on_tree);
}

static void calls_on_a_link_follow_the_rules(void **state)
{
    (void)state;
    assert_table(&on_link);
}

static void assert_answers_as_a_value(const verb *asked, kith_component component)
{
    for (size_t situation = AT_PRESENT; situation <= AT_LEAVING; situation++) {
        cell other = compute_for(asked, situation, component);
        if (component == TAG && situation <= AT_DISABLED && asked->call == call_set_if_changed) {
            assert_string_equal(other.answer, asked->no); // it has no bytes that could differ
            continue;
        }
        cell value = compute_on_entity(asked, situation);
        assert_string_equal(other.answer, value.answer);
        assert_int_equal((int)other.code, (int)value.code);
    }
}

static void tags_and_stable_values_answer_as_values_do(void **state)
{
    (void)state;

    for (size_t i = 0; i < COUNT_OF(entity_verbs); i++) {
        assert_answers_as_a_value(&entity_verbs[i], TAG);
        if (entity_verbs[i].call != call_swap) { // which would move stable rows
            assert_answers_as_a_value(&entity_verbs[i], STABLE);
        }
    }
}

static void the_documentation_says_what_the_library_does(void **state)
{
    text now = render();
    (void)state;
    if (getenv("KITH_UPDATE") != NULL) {
        write_file(VERBS_FILE, &now);
    }

    text written = read_file(VERBS_FILE);

    assert_same_text(written.bytes, now.bytes);
    text_free(&written);
    text_free(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_on_an_entity_follow_the_rules),
        cmocka_unit_test(calls_on_a_pool_follow_the_rules),
        cmocka_unit_test(calls_on_a_singleton_follow_the_rules),
        cmocka_unit_test(calls_on_a_signature_follow_the_rules),
        cmocka_unit_test(terms_of_a_query_follow_the_rules),
        cmocka_unit_test(events_follow_the_rules),
        cmocka_unit_test(conditions_of_a_reactive_set_follow_the_rules),
        cmocka_unit_test(recorded_calls_follow_the_rules),
        cmocka_unit_test(calls_on_a_hierarchy_follow_the_rules),
        cmocka_unit_test(calls_on_a_link_follow_the_rules),
        cmocka_unit_test(tags_and_stable_values_answer_as_values_do),
        cmocka_unit_test(the_documentation_says_what_the_library_does),
    };
    return cmocka_run_group_tests_name("verbs", tests, NULL, NULL);
}
