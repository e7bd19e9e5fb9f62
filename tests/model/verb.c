// SPDX-License-Identifier: MIT
// Verbs of worlds, entities, components and handles, and the table of all verbs.
#include "verb_pair.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// World and errors
// ---------------------------------------------------------------------------------------------

ALONE(world_shrink)

// Whether there is a hash, and the hash.
#define HASH(NAME, REAL, NAIVE)                                                                    \
    static void real_##NAME(stage *s, const argument *a, verb_answer *answer)                      \
    {                                                                                              \
        uint64_t *hash = &answer->list[0];                                                         \
        (void)a;                                                                                   \
        answer->result = REAL;                                                                     \
        answer->length = 1;                                                                        \
    }                                                                                              \
    static void naive_##NAME(stage *s, const argument *a, verb_answer *answer)                     \
    {                                                                                              \
        uint64_t *hash = &answer->list[0];                                                         \
        (void)a;                                                                                   \
        answer->result = NAIVE;                                                                    \
        answer->length = 1;                                                                        \
    }

HASH(world_hash, kith_world_hash(s->world, KITH_ALL, hash), model_world_hash(&s->model, hash))
HASH(world_hash_full, kith_world_hash_full(s->world, KITH_ALL, hash),
     model_world_hash_full(&s->model, hash))
HASH(world_hash_content, kith_world_hash_content(s->world, NULL, hash),
     model_world_hash_content(&s->model, hash))
HASH(component_hash, kith_world_hash(s->world, a->component, hash),
     a->component == KITH_ALL ? model_world_hash(&s->model, hash)
                              : model_component_hash(&s->model, a->component, hash))
HASH(component_hash_full, kith_world_hash_full(s->world, a->component, hash),
     a->component == KITH_ALL ? model_world_hash_full(&s->model, hash)
                              : model_component_hash_full(&s->model, a->component, hash))

ALONE(entity_count)
PAIR(world_clear, (kith_world_clear(s->world), 0), (model_world_clear(&s->model), 0))
PAIR(world_error_clear, (kith_world_error_clear(s->world), 0),
     (model_world_error_clear(&s->model), 0))
PAIR(world_user, (uintptr_t)kith_world_user(s->world), (uintptr_t)model_world_user(&s->model))

PAIR(world_user_set, (kith_world_user_set(s->world, (char *)s + a->number), 0),
     (model_world_user_set(&s->model, (char *)s + a->number), 0))

// Drawn where it is refused.
PAIR(world_destroy, kith_world_destroy(s->world), (model_world_destroy(&s->model), false))

static size_t sum_of(const kith_memory *memory)
{
    return memory->entities + memory->signatures + memory->sparse + memory->packed +
           memory->values + memory->other;
}

// The long texts of names, which no number of bytes includes.
static size_t sum_texts(const kith_world *world, kith_component names)
{
    size_t   sum = 0;
    uint32_t rows =
        kith_component_describe(world, names) == NULL ? 0 : kith_component_stats(world, names).rows;
    for (uint32_t row = 0; row < rows; row++) {
        const kith_text *name = kith_component_value(world, names, row);
        sum += name == NULL || name->far_ == NULL ? 0 : name->size + 1u;
    }
    return sum;
}

// Whether a row of the component is a hole: its text is freed when the world settles.
static bool has_holes(const kith_world *world, kith_component names)
{
    return kith_component_describe(world, names) != NULL &&
           kith_component_stats(world, names).rows != kith_component_count(world, names);
}

// Whether that is what the allocator returned: everything, or one block of which it is a part. A
// ring of frames has texts of its own.
static bool is_given(const stage *s, const kith_memory *all)
{
    size_t given = s->memory.live_bytes;
    if (all->size == 0) {
        given -= sum_texts(s->world, LABEL) + sum_texts(s->world, BADGE);
    }
    if (all->size == 0 && (s->frames[0].ring != NULL || s->frames[1].ring != NULL) &&
        (kith_component_describe(s->world, LABEL) != NULL ||
         kith_component_describe(s->world, BADGE) != NULL)) {
        return all->total <= given;
    }
    if (all->size == 0 && (has_holes(s->world, LABEL) || has_holes(s->world, BADGE))) {
        return all->total <= given;
    }
    if (s->frames[0].viewed || s->frames[1].viewed) {
        return (all->size != 0 ? all->size : all->total) <= given;
    }
    if (all->size != 0) {
        return all->size == given && all->total <= all->peak && all->peak <= given;
    }
    return all->total == given && all->peak == 0;
}

// Whether the parts sum to the whole, and the whole is what the allocator returned.
static void real_world_memory(stage *s, const argument *a, verb_answer *answer)
{
    kith_memory all     = kith_world_memory(s->world, KITH_ALL);
    kith_memory part    = kith_world_memory(s->world, a->component);
    bool        adds_up = all.total == sum_of(&all) && part.total == sum_of(&part);
    answer->result      = adds_up && is_given(s, &all) && part.total <= all.total;
}

static void naive_world_memory(stage *s, const argument *a, verb_answer *answer)
{
    model_world_memory(&s->model, a->component);
    answer->result = 1;
}

bool verb_text_is_cut(verb_text_fn write, const void *subject, uint32_t size)
{
    char   whole[2048];
    char   part[512];
    size_t length = write(subject, whole, sizeof whole);
    memset(part, '#', sizeof part);
    size_t counted = write(subject, part, size);
    size_t fits    = length < size ? length : size == 0 ? 0 : size - 1;
    bool   ended   = size == 0 ? part[0] == '#' : part[fits] == '\0' && part[fits + 1] == '#';
    return length < sizeof whole && strlen(whole) == length && counted == length && ended &&
           memcmp(whole, part, fits) == 0;
}

typedef struct error_subject {
    const kith_world *world;
    kith_error        error;
} error_subject;

static size_t write_error(const void *subject, char *buffer, size_t size)
{
    const error_subject *e = subject;
    return kith_error_text(e->world, &e->error, buffer, size);
}

static void real_error_text(stage *s, const argument *a, verb_answer *answer)
{
    error_subject named   = { s->world, kith_world_error(s->world) };
    error_subject unnamed = { NULL, named.error };
    kith_error_ignore(s->world, &named.error, NULL);
    answer->result = verb_text_is_cut(write_error, &named, a->number) &&
                     verb_text_is_cut(write_error, &unnamed, a->number);
}

static void naive_error_text(stage *s, const argument *a, verb_answer *answer)
{
    (void)s, (void)a;
    answer->result = 1;
}

// A second world, which reports and allocates where the first one does.
static void real_world_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_world_desc desc = stage_world_desc(s, &a->world);
    s->reported_from     = NULL;
    kith_world *world    = kith_world_create(&desc);
    s->reported_from     = s->world;
    answer->result       = world != NULL;
    kith_world_destroy(world);
}

static void naive_world_create(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_world_try(&s->model, &a->world);
}

// tests/world/test_name.c knows the words: here any number is asked for, and there is a text.
#define NAMED(NOUN) PAIR(NOUN##_name, *kith_##NOUN##_name((kith_##NOUN)a->number) != '\0', true)

NAMED(error_code)
NAMED(free_order)
NAMED(kind)
NAMED(policy)
NAMED(field_type)
NAMED(form)
NAMED(role)
NAMED(event)
NAMED(on)
NAMED(children)
NAMED(unknown)
NAMED(difference_kind)

// ---------------------------------------------------------------------------------------------
// Entities as numbers
// ---------------------------------------------------------------------------------------------

static uint64_t bits_of(double number)
{
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

PURE(entity_make, a->count, a->number)
PURE(entity_index, a->entity)
PURE(entity_version, a->entity)
PURE(entity_pack, a->entity, a->count)
PURE(entity_unpack, a->packed, a->count)
PAIR(entity_unpack_short, kith_entity_unpack((uint32_t)a->packed, a->count),
     model_entity_unpack((uint32_t)a->packed, a->count))
PURE(entity_from_double, a->real)
PAIR(entity_to_double, bits_of(kith_entity_to_double(a->entity)),
     bits_of(model_entity_to_double(a->entity)))

// ---------------------------------------------------------------------------------------------
// Entities
// ---------------------------------------------------------------------------------------------

CALL(entity_destroy, a->entity)
CALL(entity_alive, a->entity)
PAIR(version_of_slot, kith_entity_version(kith_entity_slot(s->world, kith_entity_index(a->entity))),
     model_entity_current(&s->model, a->entity))
CALL(entity_next, a->entity)
CALL(entity_reserve, a->count)
CALL(entity_limit_set, a->count)
PAIR(world_reserve, kith_world_reserve(s->world, &(kith_reserve_desc){ a->count, 2, 6, 30, false }),
     model_world_reserve(&s->model, a->count, 30))

// Room for all slots there are, and not for more than there may be.
static void real_world_stats(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    kith_stats stats = kith_world_stats(s->world);
    answer->result   = stats.capacity >= stats.slots && stats.capacity <= stats.limit;
    answer->list[0]  = stats.limit;
    answer->length   = 1;
}

static void naive_world_stats(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result  = 1;
    answer->list[0] = model_world_stats(&s->model).limit;
    answer->length  = 1;
}
CALL(entity_slot, a->count)

static void real_entity_create(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result = kith_entity_create(s->world);
}

static void naive_entity_create(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result = model_entity_create(&s->model);
    stage_issue(s, answer->result);
}

static void real_entity_create_hint(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entity_create_hint(s->world, a->entity);
}

static void naive_entity_create_hint(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_create_hint(&s->model, a->entity);
    stage_issue(s, answer->result);
}

// Where the result goes: into another array, or over the hints themselves.
static void real_entity_create_hints(stage *s, const argument *a, verb_answer *answer)
{
    kith_entity hints[MODEL_HINTS];
    memcpy(hints, a->hints, sizeof hints);
    bool in_place = a->hint_count % 2 == 0;
    answer->result =
        kith_entity_create_hints(s->world, hints, a->hint_count, in_place ? hints : answer->list);
    if (in_place && answer->result != 0) {
        memcpy(answer->list, hints, sizeof hints);
    }
    answer->length = answer->result != 0 ? a->hint_count : 0;
}

static void naive_entity_create_hints(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_create_hints(&s->model, a->hints, a->hint_count, answer->list);
    answer->length = answer->result != 0 ? a->hint_count : 0;
    for (uint32_t i = 0; i < answer->length; i++) {
        stage_issue(s, answer->list[i]);
    }
}

static void list_components(verb_answer *answer, const kith_component *ids, uint32_t capacity)
{
    for (uint32_t i = 0; i < VERB_LIST && i < capacity && i < answer->result; i++) {
        answer->list[answer->length++] = ids[i];
    }
}

static void real_entity_components(stage *s, const argument *a, verb_answer *answer)
{
    kith_component ids[UINT8_MAX];
    answer->result = kith_entity_components(s->world, a->entity, ids, a->number);
    list_components(answer, ids, a->number);
}

static void naive_entity_components(stage *s, const argument *a, verb_answer *answer)
{
    kith_component ids[UINT8_MAX];
    answer->result = model_entity_components(&s->model, a->entity, ids, a->number);
    list_components(answer, ids, a->number);
}

// ---------------------------------------------------------------------------------------------
// Signatures
// ---------------------------------------------------------------------------------------------

// A call with one or two of the stage's signatures.
#define FIRST_REAL   (&s->signatures[a->first])
#define FIRST_NAIVE  (&s->model_signatures[a->first])
#define SECOND_REAL  (&s->signatures[a->second])
#define SECOND_NAIVE (&s->model_signatures[a->second])

// The same with the set of an entity, and one of the stage's.
#define OF_ENTITY(NAME)                                                                            \
    PAIR(entity_##NAME,                                                                            \
         kith_signature_##NAME((kith_signature[]){ kith_entity_signature(s->world, a->entity) },   \
                               FIRST_REAL),                                                        \
         model_signature_##NAME(                                                                   \
             (model_signature[]){ model_entity_signature(&s->model, a->entity) }, FIRST_NAIVE))
#define OF_COMPONENT(NAME)                                                                         \
    PAIR(NAME, kith_##NAME(s->world, FIRST_REAL, a->component),                                    \
         model_##NAME(&s->model, FIRST_NAIVE, a->component))
#define OF_TWO(NAME)                                                                               \
    PAIR(NAME, kith_##NAME(FIRST_REAL, SECOND_REAL), model_##NAME(FIRST_NAIVE, SECOND_NAIVE))

OF_ENTITY(contains)
OF_ENTITY(intersects)
OF_COMPONENT(signature_add)
OF_COMPONENT(signature_remove)
OF_COMPONENT(signature_has)
OF_TWO(signature_contains)
OF_TWO(signature_intersects)
PAIR(signature_count, kith_signature_count(FIRST_REAL), model_signature_count(FIRST_NAIVE))

PAIR(signature_reserve, kith_signature_reserve(s->world, FIRST_REAL, a->count),
     model_signature_reserve(&s->model, FIRST_NAIVE, a->count))

// Copies the entity's signature into one of the stage's.
static void real_entity_signature(stage *s, const argument *a, verb_answer *answer)
{
    s->signatures[a->first] = kith_entity_signature(s->world, a->entity);
    answer->result          = kith_signature_count(&s->signatures[a->first]);
}

static void naive_entity_signature(stage *s, const argument *a, verb_answer *answer)
{
    s->model_signatures[a->first] = model_entity_signature(&s->model, a->entity);
    answer->result                = s->model_signatures[a->first].count;
}

// ---------------------------------------------------------------------------------------------
// Registration
// ---------------------------------------------------------------------------------------------

// The model learns at once what the library decided, because the step may go on.
static kith_component register_and_learn(stage *s, const kith_component_desc *desc)
{
    kith_component id = model_component_register(&s->model, desc);
    stage_learn(s);
    return id;
}

PAIR(component_register, kith_component_register(s->world, &a->descs[0].desc),
     register_and_learn(s, &a->descs[0].desc))
CALL(component_find, a->name)
CALL(component_next, a->component)
PAIR(component_describe, kith_component_describe(s->world, a->component) != NULL,
     model_component_describe(&s->model, a->component))

static void list_descs(const argument *a, kith_component_desc *descs)
{
    for (uint32_t i = 0; i < a->desc_count; i++) {
        descs[i] = a->descs[i].desc;
    }
}

static void real_component_register_many(stage *s, const argument *a, verb_answer *answer)
{
    kith_component_desc descs[ARGUMENT_DESCS];
    list_descs(a, descs);
    answer->result = kith_component_register_many(s->world, descs, a->desc_count);
}

static void naive_component_register_many(stage *s, const argument *a, verb_answer *answer)
{
    kith_component_desc descs[ARGUMENT_DESCS];
    list_descs(a, descs);
    answer->result = model_component_register_many(&s->model, descs, a->desc_count);
    stage_learn(s);
}

// ---------------------------------------------------------------------------------------------
// Components of an entity
// ---------------------------------------------------------------------------------------------

ADDRESS(component_set, a->entity, a->component, a->value)
CALL(component_set_if_changed, a->entity, a->component, a->value)
ADDRESS(component_add, a->entity, a->component, a->value)
PAIR(component_add_default,
     stage_see(s, a->component, kith_component_add(s->world, a->entity, a->component, NULL)),
     model_component_add(&s->model, a->entity, a->component, NULL))
ADDRESS(component_get, a->entity, a->component)
CALL(component_has, a->entity, a->component)
CALL(component_remove, a->entity, a->component)
CALL(component_enable, a->entity, a->component, true)
PAIR(component_disable, kith_component_enable(s->world, a->entity, a->component, false),
     model_component_enable(&s->model, a->entity, a->component, false))
CALL(component_enabled, a->entity, a->component)

// What is there before it is overwritten with the value of another number.
static uint64_t overwrite(stage *s, kith_component component, void *value, uint8_t number)
{
    const kith_component_desc *desc   = kith_component_describe(s->world, component);
    uint32_t                   before = stage_see(s, component, value);
    if (value != NULL && desc->size != 0) {
        value_write(desc, value, number);
    }
    return before;
}

PAIR(component_mut,
     overwrite(s, a->component, kith_component_mut(s->world, a->entity, a->component), a->number),
     model_component_mut(&s->model, a->entity, a->component, a->number))

typedef struct change {
    stage         *stage;
    kith_component component;
    uint8_t        number;
} change;

static void change_value(void *value, void *context)
{
    const change *c = context;
    hook_run(&c->stage->hooks);
    overwrite(c->stage, c->component, value, c->number);
}

static void real_component_patch(stage *s, const argument *a, verb_answer *answer)
{
    change c       = { s, a->component, a->number };
    answer->result = stage_see(
        s, a->component, kith_component_patch(s->world, a->entity, a->component, change_value, &c));
}

static void naive_component_patch(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_component_patch(&s->model, a->entity, a->component, a->number);
}

// ---------------------------------------------------------------------------------------------
// Pools
// ---------------------------------------------------------------------------------------------

CALL(component_count, a->component)
CALL(component_row, a->entity, a->component)
CALL(component_entity, a->component, a->count)
ADDRESS(component_value, a->component, a->count)
CALL(component_reserve, a->component, a->count)
CALL(component_limit_set, a->component, a->count)
CALL(component_compact, a->component)
CALL(component_swap, a->component, a->entity, a->other)
CALL(component_clear, a->component)

// Comparing is asking, as hooks do, by the bits that the mask has.
typedef struct comparison {
    stage   *stage;
    uint32_t mask;
} comparison;

static int compare_numbers(const void *a, const void *b, void *context)
{
    const comparison *c = context;
    hook_run(&c->stage->hooks);
    return (int)(*(const uint8_t *)a & c->mask) - (int)(*(const uint8_t *)b & c->mask);
}

static int compare_indices(kith_entity a, kith_entity b, void *context)
{
    const comparison *c = context;
    hook_run(&c->stage->hooks);
    return (int)(kith_entity_index(a) & c->mask) - (int)(kith_entity_index(b) & c->mask);
}

// One order after the other: of the rows of a component, and of the members of a group.
#define SORTS(NAME, DESC, NAIVE_ROWS, NAIVE_MEMBERS)                                               \
    PAIR(component_sort_##NAME, kith_component_sort(s->world, a->component, DESC), NAIVE_ROWS)     \
    PAIR(group_sort_##NAME, kith_group_sort(s->groups[a->group], a->component, DESC), NAIVE_MEMBERS)
#define NAIVE_GROUP &s->model, s->model_groups[a->group]

SORTS(values,
      (&(kith_sort_desc){ .compare = compare_numbers, .context = &(comparison){ s, a->number } }),
      model_component_sort(&s->model, a->component, a->number),
      model_group_sort(NAIVE_GROUP, a->component, a->number))
SORTS(entities,
      (&(kith_sort_desc){ .compare_entities = compare_indices,
                          .context          = &(comparison){ s, a->number } }),
      model_component_sort_entities(&s->model, a->component, a->number),
      model_group_sort_entities(NAIVE_GROUP, a->number))
SORTS(by, (&(kith_sort_desc){ .key = &a->key }),
      model_component_sort_by(&s->model, a->component, &a->key),
      model_group_sort_by(NAIVE_GROUP, a->component, &a->key))
SORTS(as, (&(kith_sort_desc){ .as = a->example }),
      model_component_sort_as(&s->model, a->component, a->example),
      model_group_sort_as(NAIVE_GROUP, a->component, a->example))

// No order, or two.
SORTS(wrong, (a->number < 128 ? NULL : &(kith_sort_desc){ .key = &a->key, .as = 1 }),
      model_sort_wrong(&s->model, a->component), model_sort_wrong(&s->model, a->component))

static void list_pool(verb_answer *answer, kith_pool_stats pool)
{
    answer->result  = pool.capacity;
    answer->list[0] = pool.count;
    answer->list[1] = pool.rows;
    answer->list[2] = pool.limit;
    answer->length  = 3;
}

static void real_component_stats(stage *s, const argument *a, verb_answer *answer)
{
    list_pool(answer, kith_component_stats(s->world, a->component));
    answer->given = (uint32_t)answer->result;
}

// Failed calls may leave a page behind, so there may be more room than the model knows of.
static void naive_component_stats(stage *s, const argument *a, verb_answer *answer)
{
    const model_component *found       = model_component_lookup(&s->model, a->component);
    kith_pool_stats        pool        = model_component_stats(&s->model, a->component);
    uint32_t               room        = answer->given;
    bool                   whole_pages = room != 0 && found != NULL &&
                       (room == found->limit || room % found->desc.traits.page_rows == 0);
    pool.capacity = room >= pool.capacity && whole_pages ? room : pool.capacity;
    list_pool(answer, pool);
}

// Afterwards there is exactly the room that the rows need, and without rows there are no pages.
static void real_component_shrink(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_component_shrink(s->world, a->component);
    if (answer->result != 0) {
        kith_memory memory = kith_world_memory(s->world, a->component);
        bool        empty  = kith_component_stats(s->world, a->component).rows == 0;
        answer->list[0]    = kith_component_stats(s->world, a->component).capacity;
        answer->list[1]    = empty ? memory.sparse + memory.packed + memory.values : 0;
        answer->length     = 2;
    }
}

static void naive_component_shrink(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_component_shrink(&s->model, a->component);
    if (answer->result != 0) {
        answer->list[0] = model_component_stats(&s->model, a->component).capacity;
        answer->list[1] = 0;
        answer->length  = 2;
    }
}

PAIR(component_owner, kith_component_owner(s->world, a->component, a->address),
     model_component_owner(&s->model, a->component, a->address_row))

// ---------------------------------------------------------------------------------------------
// Singletons
// ---------------------------------------------------------------------------------------------

ADDRESS(singleton_set, a->component, a->value)
ADDRESS(singleton_add, a->component)
ADDRESS(singleton_get, a->component)
CALL(singleton_remove, a->component)
PAIR(singleton_mut,
     overwrite(s, a->component, kith_singleton_mut(s->world, a->component), a->number),
     model_singleton_mut(&s->model, a->component, a->number))

// ---------------------------------------------------------------------------------------------
// Typed functions: their inline code against the same model
// ---------------------------------------------------------------------------------------------

// The argument's value as the type that a typed function takes.
#define AS_TYPE(TYPE)                                                                              \
    static TYPE as_##TYPE(const argument *a)                                                       \
    {                                                                                              \
        TYPE value;                                                                                \
        memcpy(&value, a->bytes, sizeof value);                                                    \
        return value;                                                                              \
    }

AS_TYPE(word_pair)
AS_TYPE(word_triple)
AS_TYPE(wide_words)

#define TYPED_SET(NAME, TYPE, ID)                                                                  \
    PAIR(NAME##_set, stage_see(s, ID, NAME##_set(s->world, a->entity, as_##TYPE(a))),              \
         model_component_set(&s->model, a->entity, ID, a->bytes))
#define TYPED_GET(NAME, ID)                                                                        \
    PAIR(NAME##_get, stage_see(s, ID, NAME##_get(s->world, a->entity)),                            \
         model_component_get(&s->model, a->entity, ID))
#define TYPED_MUT(NAME, ID)                                                                        \
    PAIR(NAME##_mut, overwrite(s, ID, NAME##_mut(s->world, a->entity), a->number),                 \
         model_component_mut(&s->model, a->entity, ID, a->number))
#define TYPED_ADD(NAME, ID)                                                                        \
    PAIR(NAME##_add, NAME##_add(s->world, a->entity),                                              \
         model_component_add(&s->model, a->entity, ID, NULL) != 0)
#define TYPED_HAS(NAME, ID)                                                                        \
    PAIR(NAME##_has, NAME##_has(s->world, a->entity), model_component_has(&s->model, a->entity, ID))
#define TYPED_REMOVE(NAME, ID)                                                                     \
    PAIR(NAME##_remove, NAME##_remove(s->world, a->entity),                                        \
         model_component_remove(&s->model, a->entity, ID))

TYPED_SET(plain, word_pair, PLAIN)
TYPED_GET(plain, PLAIN)
TYPED_MUT(plain, PLAIN)
TYPED_HAS(plain, PLAIN)
TYPED_SET(wide, wide_words, WIDE)
TYPED_GET(wide, WIDE)
TYPED_MUT(wide, WIDE)
TYPED_SET(boxed, word_pair, BOXED)
TYPED_SET(pinned, word_triple, PINNED)
TYPED_GET(pinned, PINNED)
TYPED_ADD(mark, MARK)
TYPED_HAS(mark, MARK)
TYPED_ADD(nail, NAIL)
TYPED_ADD(chained, CHAINED)
TYPED_ADD(bit, BIT)
TYPED_HAS(bit, BIT)
TYPED_REMOVE(bit, BIT)
TYPED_ADD(eager_bit, EAGER_BIT)
TYPED_REMOVE(eager_bit, EAGER_BIT)
TYPED_ADD(far_bit, FAR_BIT)
TYPED_HAS(far_bit, FAR_BIT)
TYPED_REMOVE(far_bit, FAR_BIT)
PAIR(plain_in, stage_see(s, PLAIN, plain_in(plain_pool(s->world), a->entity)),
     model_component_get(&s->model, a->entity, PLAIN))
PAIR(pinned_in, stage_see(s, PINNED, pinned_in(pinned_pool(s->world), a->entity)),
     model_component_get(&s->model, a->entity, PINNED))
PAIR(mark_has_in, mark_has_in(mark_pool(s->world), a->entity),
     model_component_has(&s->model, a->entity, MARK))
PAIR(plain_get_or_add, stage_see(s, PLAIN, plain_get_or_add(s->world, a->entity, as_word_pair(a))),
     model_component_add(&s->model, a->entity, PLAIN, a->bytes))
PAIR(global_set, stage_see(s, GLOBAL, global_set(s->world, as_word_pair(a))),
     model_singleton_set(&s->model, GLOBAL, a->bytes))
PAIR(global_has, global_has(s->world), model_singleton_has(&s->model, GLOBAL))

// ---------------------------------------------------------------------------------------------
// Many calls at once: rows that fill pages and words of bits
// ---------------------------------------------------------------------------------------------

// Answers with how many of the living entities took the value.
#define EACH(NAME, REAL, NAIVE)                                                                    \
    static void real_##NAME(stage *s, const argument *a, verb_answer *answer)                      \
    {                                                                                              \
        kith_entity e = KITH_NULL;                                                                 \
        while ((e = kith_entity_next(s->world, e)) != KITH_NULL) {                                 \
            answer->result += REAL;                                                                \
        }                                                                                          \
    }                                                                                              \
    static void naive_##NAME(stage *s, const argument *a, verb_answer *answer)                     \
    {                                                                                              \
        kith_entity e = KITH_NULL;                                                                 \
        while ((e = model_entity_next(&s->model, e)) != KITH_NULL) {                               \
            answer->result += NAIVE;                                                               \
        }                                                                                          \
    }

EACH(set_each, kith_component_set(s->world, e, a->component, a->value) != NULL,
     model_component_set(&s->model, e, a->component, a->value) != 0)
EACH(plain_set_each, plain_set(s->world, e, as_word_pair(a)) != NULL,
     model_component_set(&s->model, e, PLAIN, a->bytes) != 0)
EACH(wide_set_each, wide_set(s->world, e, as_wide_words(a)) != NULL,
     model_component_set(&s->model, e, WIDE, a->bytes) != 0)
EACH(remove_each, kith_component_remove(s->world, e, a->component),
     model_component_remove(&s->model, e, a->component))

// ---------------------------------------------------------------------------------------------
// The table
// ---------------------------------------------------------------------------------------------

#define FOR_EACH                                                                                   \
    "for (kith_entity e = kith_entity_next(world, KITH_NULL); e != KITH_NULL;"                     \
    " e = kith_entity_next(world, e)) "

#define SET_OF_ENTITY "(kith_signature[]){ kith_entity_signature(world, %e) }"

enum { SORTS_GROUP = CHANGES | VERB_GROUPED };

static const verb verbs[] = {
    ROW(world_clear, "world", 1, TAKES),
    ROW(world_shrink, "world", 1, GIVES),
    ROW(world_hash, "world, KITH_ALL, &hash", 2, CHANGES),
    ROW(world_hash_full, "world, KITH_ALL, &hash", 2, ASKS),
    ROW(world_hash_content, "world, NULL, &hash", 2, ASKS),
    OTHER_ROW(component_hash, "kith_world_hash(world, %c, &hash)", 4, CHANGES),
    OTHER_ROW(component_hash_full, "kith_world_hash_full(world, %c, &hash)", 2, ASKS),
    ROW(world_destroy, "world", 1, TAKES | VERB_ENDS),
    OTHER_ROW(world_create, "kith_world_destroy(kith_world_create(%W))", 1, VERB_OTHER_WORLD),
    ROW(world_reserve, "world, &(kith_reserve_desc){ %m, 2, 6, 30, false }", 1, CHANGES),
    ROW(world_user, "world", 1, ASKS),
    ROW(world_user_set, "world, user + %b", 1, ASKS),
    ROW(world_stats, "world", 2, ASKS),
    ROW(world_memory, "world, %c", 2, ASKS),
    ROW(world_error_clear, "world", 1, ASKS),
    ROW(error_text, "world, &(kith_error){ 0 }, text, %b", 2, ASKS),
    ROW(error_code_name, "(kith_error_code)%b", 1, ASKS),
    ROW(free_order_name, "(kith_free_order)%b", 1, ASKS),
    ROW(kind_name, "(kith_kind)%b", 1, ASKS),
    ROW(policy_name, "(kith_policy)%b", 1, ASKS),
    ROW(field_type_name, "(kith_field_type)%b", 1, ASKS),
    ROW(form_name, "(kith_form)%b", 1, ASKS),
    ROW(role_name, "(kith_role)%b", 1, ASKS),
    ROW(event_name, "(kith_event)%b", 1, ASKS),
    ROW(on_name, "(kith_on)%b", 1, ASKS),
    ROW(children_name, "(kith_children)%b", 1, ASKS),
    ROW(unknown_name, "(kith_unknown)%b", 1, ASKS),
    ROW(difference_kind_name, "(kith_difference_kind)%b", 1, ASKS),
    ROW(entity_make, "%n, %b", 1, ASKS),
    ROW(entity_index, "%x", 1, ASKS),
    ROW(entity_version, "%x", 1, ASKS),
    ROW(entity_pack, "%x, %n", 1, ASKS),
    ROW(entity_unpack, "%P, %n", 1, ASKS),
    OTHER_ROW(entity_unpack_short, "kith_entity_unpack((uint32_t)%P, %n)", 1, ASKS),
    ROW(entity_to_double, "%x", 1, ASKS),
    ROW(entity_from_double, "%R", 1, ASKS),
    ROW(entity_create, "world", 40, MAKES),
    ROW(entity_create_hint, "world, %h", 24, MAKES),
    ROW(entity_create_hints, "world, %H, out", 12, MAKES),
    ROW(entity_destroy, "world, %e", 26, TAKES),
    ROW(entity_alive, "world, %e", 1, ASKS),
    OTHER_ROW(version_of_slot,
              "kith_entity_version(kith_entity_slot(world, kith_entity_index(%e)))", 1, ASKS),
    ROW(entity_count, "world", 1, ASKS),
    ROW(entity_next, "world, %e", 1, ASKS),
    ROW(entity_reserve, "world, %m", 2, CHANGES),
    ROW(entity_limit_set, "world, %m", 2, TAKES),
    ROW(entity_slot, "world, %n", 1, ASKS),
    OTHER_ROW(entity_signature, "*%f = kith_entity_signature(world, %e)", 2, ASKS),
    OTHER_ROW(entity_contains, "kith_signature_contains(" SET_OF_ENTITY ", %f)", 2, ASKS),
    OTHER_ROW(entity_intersects, "kith_signature_intersects(" SET_OF_ENTITY ", %f)", 2, ASKS),
    ROW(entity_components, "world, %e, ids, %b", 2, ASKS),
    ROW(signature_add, "world, %f, %c", 5, ASKS),
    ROW(signature_remove, "world, %f, %c", 2, ASKS),
    ROW(signature_has, "world, %f, %c", 2, ASKS),
    ROW(signature_contains, "%f, %t", 1, ASKS),
    ROW(signature_intersects, "%f, %t", 1, ASKS),
    ROW(signature_count, "%f", 1, ASKS),
    ROW(signature_reserve, "world, %f, %n", 2, CHANGES),
    ROW(component_register, "world, %d", 8, CHANGES),
    ROW(component_register_many, "world, %D", 6, CHANGES),
    ROW(component_find, "world, %w", 1, ASKS),
    ROW(component_describe, "world, %c", 1, ASKS),
    ROW(component_next, "world, %c", 1, ASKS),
    ROW(component_set, "world, %e, %c, %v", 70, CHANGES),
    ROW(component_set_if_changed, "world, %e, %c, %v", 12, CHANGES),
    OTHER_ROW(component_add_default, "kith_component_add(world, %e, %c, NULL)", 40, CHANGES),
    ROW(component_add, "world, %e, %c, %v", 20, CHANGES),
    ROW(component_get, "world, %e, %c", 2, ASKS),
    OTHER_ROW(component_mut, "overwrite(kith_component_mut(world, %e, %c), %b, %z)", 6, ASKS),
    ROW(component_has, "world, %e, %c", 2, ASKS),
    ROW(component_patch, "world, %e, %c, change, (unsigned char[]){ %b, %z }", 8, TAKES),
    ROW(component_remove, "world, %e, %c", 40, TAKES),
    OTHER_ROW(component_disable, "kith_component_enable(world, %e, %c, false)", 24, CHANGES),
    ROW(component_enable, "world, %e, %c, true", 8, TAKES),
    ROW(component_enabled, "world, %e, %c", 1, ASKS),
    ROW(component_count, "world, %c", 1, ASKS),
    ROW(component_row, "world, %e, %c", 1, ASKS),
    ROW(component_entity, "world, %c, %n", 1, ASKS),
    ROW(component_value, "world, %c, %n", 1, ASKS),
    OTHER_ROW(component_owner, "kith_component_owner(world, %c, %A)", 4, ASKS | VERB_ALONE),
    ROW(component_reserve, "world, %c, %n", 2, CHANGES),
    ROW(component_stats, "world, %c", 3, ASKS),
    ROW(component_limit_set, "world, %c, %n", 8, TAKES),
    ROW(component_shrink, "world, %c", 2, GIVES),
    ROW(component_compact, "world, %c", 8, TAKES),
    ROW(component_swap, "world, %c, %e, %o", 16, TAKES),
    ROW(component_clear, "world, %c", 1, TAKES_ALL),
    OTHER_ROW(component_sort_values,
              "kith_component_sort(world, %c, &(kith_sort_desc){ .compare = compare_numbers, "
              ".context = &(unsigned){ %b } })",
              6, CHANGES),
    OTHER_ROW(component_sort_entities,
              "kith_component_sort(world, %c, &(kith_sort_desc){ .compare_entities = "
              "compare_indices, .context = &(unsigned){ %b } })",
              6, CHANGES),
    OTHER_ROW(component_sort_by, "kith_component_sort(world, %c, &(kith_sort_desc){ .key = %S })",
              12, CHANGES),
    OTHER_ROW(component_sort_as, "kith_component_sort(world, %c, &(kith_sort_desc){ .as = %a })",
              12, CHANGES),
    OTHER_ROW(
        component_sort_wrong,
        "kith_component_sort(world, %c, %b < 128 ? NULL : &(kith_sort_desc){ .key = %S, .as = 1 })",
        1, CHANGES),
    OTHER_ROW(group_sort_values,
              "kith_group_sort(groups[%G], %c, &(kith_sort_desc){ .compare = compare_numbers, "
              ".context = &(unsigned){ %b } })",
              12, SORTS_GROUP),
    OTHER_ROW(group_sort_entities,
              "kith_group_sort(groups[%G], %c, &(kith_sort_desc){ .compare_entities = "
              "compare_indices, .context = &(unsigned){ %b } })",
              6, SORTS_GROUP),
    OTHER_ROW(group_sort_by, "kith_group_sort(groups[%G], %c, &(kith_sort_desc){ .key = %S })", 20,
              SORTS_GROUP),
    OTHER_ROW(group_sort_as, "kith_group_sort(groups[%G], %c, &(kith_sort_desc){ .as = %a })", 6,
              SORTS_GROUP),
    OTHER_ROW(group_sort_wrong,
              "kith_group_sort(groups[%G], %c, %b < 128 ? NULL : &(kith_sort_desc){ .key = %S, .as "
              "= 1 })",
              1, SORTS_GROUP),
    ROW(singleton_set, "world, %s, %v", 8, CHANGES),
    ROW(singleton_add, "world, %s", 4, CHANGES),
    ROW(singleton_get, "world, %s", 1, ASKS),
    OTHER_ROW(singleton_mut, "overwrite(kith_singleton_mut(world, %s), %b, %z)", 2, ASKS),
    ROW(singleton_remove, "world, %s", 4, TAKES),
    OTHER_ROW(plain_set, "plain_set(world, %e, %p)", 9, CHANGES),
    OTHER_ROW(plain_get_or_add, "plain_get_or_add(world, %e, %p)", 1, CHANGES),
    OTHER_ROW(plain_get, "plain_get(world, %e)", 1, ASKS),
    OTHER_ROW(plain_mut, "overwrite(plain_mut(world, %e), %b, 1)", 1, ASKS),
    OTHER_ROW(plain_has, "plain_has(world, %e)", 1, ASKS),
    OTHER_ROW(plain_in, "plain_in(plain_pool(world), %e)", 1, ASKS),
    OTHER_ROW(wide_set, "wide_set(world, %e, %q)", 6, CHANGES),
    OTHER_ROW(wide_get, "wide_get(world, %e)", 1, ASKS),
    OTHER_ROW(wide_mut, "overwrite(wide_mut(world, %e), %b, 1)", 1, ASKS),
    OTHER_ROW(boxed_set, "boxed_set(world, %e, %j)", 3, CHANGES),
    OTHER_ROW(pinned_set, "pinned_set(world, %e, %i)", 4, CHANGES),
    OTHER_ROW(pinned_get, "pinned_get(world, %e)", 1, ASKS),
    OTHER_ROW(pinned_in, "pinned_in(pinned_pool(world), %e)", 1, ASKS),
    OTHER_ROW(nail_add, "nail_add(world, %e)", 3, CHANGES),
    OTHER_ROW(chained_add, "chained_add(world, %e)", 2, CHANGES),
    OTHER_ROW(eager_bit_add, "eager_bit_add(world, %e)", 2, CHANGES),
    OTHER_ROW(eager_bit_remove, "eager_bit_remove(world, %e)", 1, TAKES),
    OTHER_ROW(mark_add, "mark_add(world, %e)", 2, CHANGES),
    OTHER_ROW(mark_has, "mark_has(world, %e)", 1, ASKS),
    OTHER_ROW(mark_has_in, "mark_has_in(mark_pool(world), %e)", 1, ASKS),
    OTHER_ROW(bit_add, "bit_add(world, %e)", 3, CHANGES),
    OTHER_ROW(bit_has, "bit_has(world, %e)", 1, ASKS),
    OTHER_ROW(bit_remove, "bit_remove(world, %e)", 2, TAKES),
    OTHER_ROW(far_bit_add, "far_bit_add(world, %e)", 2, CHANGES),
    OTHER_ROW(far_bit_has, "far_bit_has(world, %e)", 1, ASKS),
    OTHER_ROW(far_bit_remove, "far_bit_remove(world, %e)", 1, TAKES),
    OTHER_ROW(set_each, FOR_EACH "kith_component_set(world, e, %c, %v)", 6, VERB_SMOOTH),
    OTHER_ROW(plain_set_each, FOR_EACH "plain_set(world, e, %p)", 4, VERB_SMOOTH),
    OTHER_ROW(wide_set_each, FOR_EACH "wide_set(world, e, %q)", 2, VERB_SMOOTH),
    OTHER_ROW(remove_each, FOR_EACH "kith_component_remove(world, e, %c)", 1, VERB_SMOOTH),
    OTHER_ROW(global_set, "global_set(world, %g)", 1, CHANGES),
    OTHER_ROW(global_has, "global_has(world)", 1, ASKS),
};

static const uint32_t verb_own_count = sizeof verbs / sizeof *verbs;

static const struct shelf {
    const verb     *verbs;
    const uint32_t *count;
} shelves[] = {
    { verbs, &verb_own_count },
    { verb_loops, &verb_loop_count },
    { verb_cursors, &verb_cursor_count },
    { verb_batches, &verb_batch_count },
    { verb_paths, &verb_path_count },
    { verb_events, &verb_event_count },
    { verb_systems, &verb_system_count },
    { verb_commands, &verb_command_count },
    { verb_hierarchies, &verb_hierarchy_count },
    { verb_links, &verb_link_count },
    { verb_names, &verb_name_count },
    { verb_clones, &verb_clone_count },
    { verb_jsons, &verb_json_count },
    { verb_snapshots, &verb_snapshot_count },
    { verb_diffs, &verb_diff_count },
    { verb_dumps, &verb_dump_count },
    { verb_objects, &verb_object_count },
    { verb_frames, &verb_frame_count },
};

enum { SHELVES = sizeof shelves / sizeof *shelves };

uint32_t verb_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SHELVES; i++) {
        count += *shelves[i].count;
    }
    return count;
}

const verb *verb_at(uint32_t place)
{
    const struct shelf *shelf = shelves;
    for (; place >= *shelf->count; shelf++) {
        place -= *shelf->count;
    }
    return &shelf->verbs[place];
}

static uint32_t weight_before(uint32_t end)
{
    uint32_t weight = 0;
    for (uint32_t place = 0; place < end; place++) {
        weight += verb_at(place)->weight;
    }
    return weight;
}

const verb *verb_drawn(uint32_t number)
{
    static uint32_t all; // needed at every draw, so it is summed up once
    uint32_t        place = 0;
    all                   = all == 0 ? weight_before(verb_count()) : all;
    number %= all;
    while (number >= verb_at(place)->weight) {
        number -= verb_at(place++)->weight;
    }
    return verb_at(place);
}

uint32_t verb_number(const char *call)
{
    uint32_t found = 0;
    while (strcmp(verb_at(found)->call, call) != 0) {
        found++;
    }
    return weight_before(found);
}

const verb *verb_refused(uint32_t ordinal)
{
    uint32_t place = 0;
    for (uint32_t passed = 0;; place = (place + 1) % verb_count()) {
        bool refused = (verb_at(place)->traits & VERB_BUSY) != 0;
        if (refused && passed++ == ordinal) {
            return verb_at(place);
        }
    }
}

bool verb_compare(stage *s, const char *side, const verb_answer *real, const verb_answer *naive)
{
    if (real->result != naive->result || real->length != naive->length) {
        return stage_differ(s, "%s answered %#llx, not %#llx", side,
                            (unsigned long long)real->result, (unsigned long long)naive->result);
    }
    for (uint32_t i = 0; i < real->length; i++) {
        if (real->list[i] != naive->list[i]) {
            return stage_differ(s, "%s wrote %#llx at %u, not %#llx", side,
                                (unsigned long long)real->list[i], (unsigned)i,
                                (unsigned long long)naive->list[i]);
        }
    }
    return true;
}
