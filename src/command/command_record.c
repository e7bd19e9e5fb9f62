// SPDX-License-Identifier: MIT
// Recording commands: the _later functions. Nothing here reads the world.
#include "command/command.h"

// --- errors ----------------------------------------------------------------------------------

// Keeps the error in the buffer; kith_commands_apply reports it. Returns false.
static bool refuse(kith_commands *commands, const kith_error *error)
{
    commands->error            = *error;
    commands->error_unreported = true;
    commands->report.refused++;
    return false;
}

// The call that is being recorded.
typedef struct recording {
    kith_commands    *commands;
    const char       *call;
    kith_command_verb verb;
} recording;

static bool refuse_call(const recording *r, kith_error_code code, kith_component component,
                        kith_entity entity, const char *subject)
{
    kith_error error = {
        .code = code, .call = r->call, .component = component, .entity = entity, .subject = subject
    };
    return refuse(r->commands, &error);
}

static bool may_record(const recording *r)
{
    if (r->commands == NULL) {
        return false;
    }
    kith_error error = { .code    = KITH_ERROR_BUSY,
                         .call    = r->call,
                         .subject = "the commands are in use",
                         .other   = r->commands->name };
    return !r->commands->busy || refuse(r->commands, &error);
}

// Recording does not read the world, so a dead entity passes: kith_commands_apply skips it.
static bool check_entity(const recording *r, kith_component component, kith_entity entity)
{
    if (entity == KITH_NULL) {
        return refuse_call(r, KITH_ERROR_NULL_ENTITY, component, entity, NULL);
    }
    return !kith_entity_pending(entity) || kith_commands_issued(r->commands, entity) ||
           refuse_call(r, KITH_ERROR_ARGUMENT, component, entity,
                       "the placeholder belongs to other commands");
}

static const kith_component_info *check_component(const recording *r, kith_component component,
                                                  kith_entity entity, unsigned kinds)
{
    const kith_component_info *info = kith_commands_info(r->commands, component);
    if (info != NULL && (kinds >> info->kind & 1) != 0) {
        return info;
    }
    kith_error error = { .code      = info == NULL ? KITH_ERROR_UNREGISTERED : KITH_ERROR_KIND,
                         .call      = r->call,
                         .component = component,
                         .entity    = entity,
                         .have      = info == NULL ? 0 : info->kind };
    refuse(r->commands, &error);
    return NULL;
}

// Values are copied into the buffer and from there into worlds, and destructed in all of them.
static bool check_copies(const recording *r, const kith_component_info *info, kith_entity entity)
{
    const kith_hooks *hooks = &info->hooks;
    return hooks->copy != NULL || (hooks->destruct == NULL && hooks->move == NULL) ||
           refuse_call(r, KITH_ERROR_ARGUMENT, info->id, entity,
                       "values with hooks need a copy hook to be recorded");
}

static bool check_array(const recording *r, const void *array, uint32_t count)
{
    return array != NULL || count == 0 ||
           refuse_call(r, KITH_ERROR_ARGUMENT, 0, KITH_NULL, "the array is NULL");
}

// --- records ---------------------------------------------------------------------------------

// The most bytes of a record: `words` has 32 bits, and kith_size_add returns SIZE_MAX / 2 for a
// sum that is too large.
#define WORDS_MOST  ((UINT64_C(1) << 35) - 64)
#define RECORD_MOST (WORDS_MOST < SIZE_MAX / 2 ? WORDS_MOST : SIZE_MAX / 2 - 1)

// Reserves a record of at most `bytes` bytes at `at`. Returns false and keeps an error on failure.
static bool fit_bytes(const recording *r, size_t bytes, kith_component component,
                      kith_entity entity)
{
    return (bytes <= RECORD_MOST && kith_commands_reserve_bytes(r->commands, bytes)) ||
           refuse_call(r, KITH_ERROR_MEMORY, component, entity, NULL);
}

// Writes the head of the record at `at`, which ends at `end`, and moves `at` behind it.
static void commit(const recording *r, kith_component component, kith_entity entity, uint8_t *end)
{
    kith_commands *commands = r->commands;
    uint8_t       *next     = kith_command_align(end, sizeof(uint64_t));
    uint32_t       words    = (uint32_t)((size_t)(next - commands->at) / sizeof(uint64_t));
    *kith_command_at(commands->at) =
        (kith_command){ words, (uint16_t)component, (uint16_t)r->verb, entity };
    commands->at = next;
    commands->count++;
}

// Copies values into a packed array of raw memory. Returns false when a copy hook refuses.
static bool copy_values(const recording *r, const kith_component_info *info, uint8_t *to,
                        const kith_values *from, uint32_t count)
{
    const kith_hooks *hooks = &info->hooks;
    const uint8_t    *value = from->values;
    for (uint32_t i = 0; i < count; i++, value += from->stride) {
        uint8_t *place = to + (size_t)i * info->size;
        if (hooks->copy == NULL) {
            kith_copy_bytes(place, value, info->size);
        } else if (!hooks->copy(place, value, hooks->context)) {
            kith_component_info_destruct(info, to, i);
            kith_error error = { .code      = KITH_ERROR_HOOK,
                                 .call      = r->call,
                                 .component = info->id,
                                 .subject   = "copy",
                                 .other     = info->name };
            return refuse(r->commands, &error);
        }
    }
    r->commands->hooked += hooks->destruct == NULL ? 0 : count;
    return true;
}

static size_t bytes_of_values(const kith_component_info *info, size_t sum, uint32_t count)
{
    sum += info->alignment > sizeof(uint64_t) ? info->alignment : sizeof(uint64_t);
    return kith_size_add(sum, count, info->size);
}

// --- single entities -------------------------------------------------------------------------

static bool record_single(const recording *r, kith_entity entity, kith_component component)
{
    if (!fit_bytes(r, sizeof(kith_command), component, entity)) {
        return false;
    }
    commit(r, component, entity, r->commands->at + sizeof(kith_command));
    return true;
}

static bool record_component(const recording *r, kith_entity entity, kith_component component,
                             unsigned kinds)
{
    return may_record(r) && check_component(r, component, entity, kinds) != NULL &&
           check_entity(r, component, entity) && record_single(r, entity, component);
}

static bool record_value(const recording *r, kith_entity entity, const kith_component_info *info,
                         const void *value)
{
    const kith_values from  = { info->id, value, 0 };
    size_t            bytes = bytes_of_values(info, sizeof(kith_command), 1);
    if (!check_copies(r, info, entity) || !fit_bytes(r, bytes, info->id, entity)) {
        return false;
    }
    uint8_t *place    = kith_command_value(kith_command_at(r->commands->at), info);
    r->commands->busy = true; // the copy hook may not record here
    bool copied       = copy_values(r, info, place, &from, 1);
    r->commands->busy = false;
    if (!copied) {
        r->commands->error.entity = entity;
        return false;
    }
    commit(r, info->id, entity, place + info->size);
    return true;
}

// The slow path: tags and flags, default values, hooks, placeholders, new blocks, and all errors.
KITH_NOINLINE static bool set_later(kith_commands *commands, kith_entity entity,
                                    kith_component component, const void *value)
{
    recording r = { commands, "kith_component_set_later", KITH_COMMAND_SET };
    if (!may_record(&r)) {
        return false;
    }
    const kith_component_info *info = check_component(&r, component, entity, KITH_ON_ENTITY);
    if (info == NULL || !check_entity(&r, component, entity)) {
        return false;
    }
    if (value != NULL && info->size != 0) {
        return record_value(&r, entity, info, value);
    }
    r.verb = KITH_COMMAND_SET_DEFAULT;
    return record_single(&r, entity, component);
}

// Returns where a record of `bytes` bytes begins in the current block, or NULL for the slow path.
static inline uint8_t *inline_record(kith_commands *commands, size_t bytes)
{
    bool fits =
        commands != NULL && !commands->busy && (size_t)(commands->end - commands->at) >= bytes;
    return KITH_LIKELY_(fits) ? commands->at : NULL;
}

// Writes the head of a record of `words` words, and moves `at` behind it.
static inline void commit_inline(kith_commands *commands, uint32_t words, kith_component component,
                                 kith_command_verb verb, kith_entity entity)
{
    *kith_command_at(commands->at) =
        (kith_command){ words, (uint16_t)component, (uint16_t)verb, entity };
    commands->at += words * sizeof(uint64_t);
    commands->count++;
}

static inline bool is_inline_entity(const kith_commands *commands, kith_entity entity)
{
    return kith_entity_pending(entity) ? kith_commands_issued(commands, entity)
                                       : entity != KITH_NULL;
}

KITH_API bool kith_component_set_later(kith_commands *commands, kith_entity entity,
                                       kith_component component, const void *value)
{
    const kith_component_info *info =
        commands == NULL ? NULL : kith_commands_info(commands, component);
    if (KITH_UNLIKELY_(info == NULL || !info->plain || value == NULL ||
                       !is_inline_entity(commands, entity))) {
        return set_later(commands, entity, component, value);
    }
    uint32_t words = 2 + (info->size + 7) / 8;
    uint8_t *at    = inline_record(commands, words * sizeof(uint64_t));
    if (KITH_UNLIKELY_(at == NULL)) {
        return set_later(commands, entity, component, value);
    }
    kith_copy_bytes(at + sizeof(kith_command), value, info->size);
    commit_inline(commands, words, component, KITH_COMMAND_SET, entity);
    return true;
}

KITH_API bool kith_component_add_later(kith_commands *commands, kith_entity entity,
                                       kith_component component)
{
    const recording r = { commands, "kith_component_add_later", KITH_COMMAND_ADD };
    return record_component(&r, entity, component, KITH_ON_ENTITY);
}

KITH_API bool kith_component_remove_later(kith_commands *commands, kith_entity entity,
                                          kith_component component)
{
    const recording r = { commands, "kith_component_remove_later", KITH_COMMAND_REMOVE };
    return entity != KITH_NULL && record_component(&r, entity, component, KITH_ON_ENTITY);
}

KITH_API bool kith_component_enable_later(kith_commands *commands, kith_entity entity,
                                          kith_component component, bool enabled)
{
    const recording r = { commands,
                          enabled ? "kith_component_enable_later" : "kith_component_disable_later",
                          enabled ? KITH_COMMAND_ENABLE : KITH_COMMAND_DISABLE };
    return record_component(&r, entity, component, KITH_WITH_ROWS);
}

KITH_API bool kith_entity_destroy_later(kith_commands *commands, kith_entity entity)
{
    const recording r = { commands, "kith_entity_destroy_later", KITH_COMMAND_DESTROY };
    return entity != KITH_NULL && may_record(&r) && check_entity(&r, 0, entity) &&
           record_single(&r, entity, 0);
}

// --- creating --------------------------------------------------------------------------------

static kith_entity next_placeholder(const kith_commands *commands)
{
    return kith_entity_make(KITH_PENDING_BIT | commands->created_count, commands->tag);
}

static bool reserve_creates(const recording *r, uint32_t count)
{
    if (count > KITH_CREATES_MAX - r->commands->created_count) {
        kith_error error = { .code    = KITH_ERROR_LIMIT,
                             .call    = r->call,
                             .subject = "the number of entities that commands create",
                             .have    = KITH_CREATES_MAX,
                             .want    = (uint64_t)r->commands->created_count + count };
        return refuse(r->commands, &error);
    }
    return kith_commands_reserve_created(r->commands, count) ||
           refuse_call(r, KITH_ERROR_MEMORY, 0, KITH_NULL, NULL);
}

KITH_NOINLINE static kith_entity create_later(kith_commands *commands)
{
    const recording r = { commands, "kith_entity_create_later", KITH_COMMAND_CREATE };
    if (!may_record(&r) || !reserve_creates(&r, 1)) {
        return KITH_NULL;
    }
    kith_entity placeholder = next_placeholder(commands);
    if (!record_single(&r, placeholder, 0)) {
        return KITH_NULL;
    }
    commands->created[commands->created_count++] = KITH_NULL;
    return placeholder;
}

KITH_API kith_entity kith_entity_create_later(kith_commands *commands)
{
    if (KITH_UNLIKELY_(inline_record(commands, sizeof(kith_command)) == NULL ||
                       commands->created_count >=
                           kith_min(commands->created_capacity, KITH_CREATES_MAX))) {
        return create_later(commands);
    }
    kith_entity placeholder = next_placeholder(commands);
    commit_inline(commands, 2, 0, KITH_COMMAND_CREATE, placeholder);
    commands->created[commands->created_count++] = KITH_NULL;
    return placeholder;
}

// --- batches ---------------------------------------------------------------------------------

// The arguments of a batch call.
typedef struct request {
    kith_entities         entities; // creates: only their number
    const kith_values    *sets;
    uint32_t              set_count;
    const kith_component *components;
    uint32_t              component_count;
} request;

static bool check_set(const recording *r, const kith_values *set)
{
    const kith_component_info *info = check_component(r, set->component, KITH_NULL, KITH_ON_ENTITY);
    if (info == NULL) {
        return false;
    }
    if (set->values != NULL && set->stride != 0 && set->stride < info->size) {
        return refuse_call(r, KITH_ERROR_ARGUMENT, set->component, KITH_NULL,
                           "the stride is shorter than a value");
    }
    return set->values == NULL || check_copies(r, info, KITH_NULL);
}

static bool check_request(const recording *r, const request *o)
{
    bool good =
        check_array(r, o->sets, o->set_count) && check_array(r, o->components, o->component_count);
    for (uint32_t i = 0; i < o->set_count && good; i++) {
        good = check_set(r, &o->sets[i]);
    }
    for (uint32_t i = 0; i < o->component_count && good; i++) {
        good = check_component(r, o->components[i], KITH_NULL, KITH_ON_ENTITY) != NULL;
    }
    return good;
}

// A range of placeholders must lie within those of these commands.
static bool check_members(const recording *r, kith_entities entities)
{
    bool range = entities.array == NULL && entities.first != KITH_NULL;
    bool good =
        range ? check_entity(r, 0, entities.first) : check_array(r, entities.array, entities.count);
    for (uint32_t i = 0; i < entities.count && good && !range; i++) {
        good = check_entity(r, 0, entities.array[i]);
    }
    uint32_t place = kith_entity_index(entities.first) ^ KITH_PENDING_BIT;
    return good && (!range || !kith_entity_pending(entities.first) ||
                    entities.count <= r->commands->created_count - place ||
                    refuse_call(r, KITH_ERROR_ARGUMENT, 0, entities.first,
                                "the range has more placeholders than the commands"));
}

// Returns how many values of a set the record holds.
static uint32_t values_of(const request *o, const kith_values *set, const kith_component_info *info)
{
    if (set->values == NULL || info->size == 0) {
        return 0;
    }
    return set->stride == 0 ? 1 : o->entities.count;
}

static size_t bytes_of_request(const recording *r, const request *o)
{
    size_t   bytes = sizeof(kith_command) + sizeof(kith_command_batch) + 3 * sizeof(uint64_t);
    uint32_t count = o->entities.array == NULL ? 0 : o->entities.count;
    bytes          = kith_size_add(bytes, count, 2 * sizeof(kith_entity));
    bytes          = kith_size_add(bytes, o->set_count, sizeof(kith_values));
    bytes          = kith_size_add(bytes, o->component_count, sizeof(kith_component));
    for (uint32_t i = 0; i < o->set_count; i++) {
        const kith_component_info *info = kith_commands_info(r->commands, o->sets[i].component);
        bytes = bytes_of_values(info, bytes, values_of(o, &o->sets[i], info));
    }
    return bytes;
}

// Reserves an array in the record, aligned to 8 bytes.
static void *carve(uint8_t **at, size_t count, size_t size)
{
    uint8_t *array = kith_command_align(*at, sizeof(uint64_t));
    *at            = array + count * size;
    return array;
}

// Copies the values of all sets, one set after the other. Returns false when a copy hook refuses;
// then all copies are destructed.
static bool copy_sets(const recording *r, const request *o, kith_command_batch *batch, uint8_t **at)
{
    for (uint32_t i = 0; i < o->set_count; i++) {
        const kith_values         *from  = &o->sets[i];
        const kith_component_info *info  = kith_commands_info(r->commands, from->component);
        uint32_t                   count = values_of(o, from, info);
        uint8_t                   *place = kith_command_align(*at, info->alignment);
        batch->sets[i] = (kith_values){ from->component, count == 0 ? NULL : place,
                                        from->stride == 0 ? 0 : info->size };
        if (!copy_values(r, info, place, from, count)) {
            batch->set_count = i;
            kith_commands_destruct_sets(r->commands, batch);
            return false;
        }
        *at = count == 0 ? *at : place + (size_t)count * info->size;
    }
    return true;
}

static bool write_request(const recording *r, const request *o, kith_entity entity)
{
    uint8_t            *at    = r->commands->at + sizeof(kith_command) + sizeof(kith_command_batch);
    kith_command_batch *batch = kith_command_batch_of(kith_command_at(r->commands->at));
    uint32_t            count = o->entities.count;
    *batch                    = (kith_command_batch){ .entities = o->entities };
    batch->set_count          = o->set_count + o->component_count;
    if (o->entities.array != NULL) {
        kith_entity *entities = carve(&at, count, sizeof *entities);
        memcpy(entities, o->entities.array, count * sizeof *entities);
        batch->entities.array = entities;
        batch->living         = carve(&at, count, sizeof *batch->living);
    }
    if (o->component_count != 0) {
        batch->components = carve(&at, o->component_count, sizeof *batch->components);
        memcpy(batch->components, o->components, o->component_count * sizeof *batch->components);
    } else {
        batch->sets = carve(&at, o->set_count, sizeof *batch->sets);
    }
    uint64_t hooked   = r->commands->hooked;
    r->commands->busy = true;
    bool copied       = copy_sets(r, o, batch, &at);
    r->commands->busy = false;
    if (copied) {
        commit(r, 0, entity, at);
    } else {
        r->commands->hooked = hooked;
    }
    return copied;
}

static bool record_batch(const recording *r, const request *o)
{
    return may_record(r) && check_request(r, o) && check_members(r, o->entities) &&
           fit_bytes(r, bytes_of_request(r, o), 0, KITH_NULL) && write_request(r, o, KITH_NULL);
}

KITH_API bool kith_entity_create_many_later(kith_commands *commands, kith_entity *entities,
                                            uint32_t count, const kith_values *sets,
                                            uint32_t set_count)
{
    const recording r = { commands, "kith_entity_create_many_later", KITH_COMMAND_CREATE_MANY };
    const request   o = { kith_entities_of(NULL, count), sets, set_count, NULL, 0 };
    if (!may_record(&r) || !check_array(&r, entities, count) || !check_request(&r, &o) ||
        !reserve_creates(&r, count) || !fit_bytes(&r, bytes_of_request(&r, &o), 0, KITH_NULL) ||
        !write_request(&r, &o, next_placeholder(commands))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        entities[i]                                  = next_placeholder(commands);
        commands->created[commands->created_count++] = KITH_NULL;
    }
    return true;
}

KITH_API bool kith_entity_destroy_many_later(kith_commands *commands, kith_entities entities)
{
    const recording r = { commands, "kith_entity_destroy_many_later", KITH_COMMAND_DESTROY_MANY };
    const request   o = { .entities = entities };
    return record_batch(&r, &o);
}

KITH_API bool kith_entity_set_many_later(kith_commands *commands, kith_entities entities,
                                         const kith_values *sets, uint32_t set_count)
{
    const recording r = { commands, "kith_entity_set_many_later", KITH_COMMAND_SET_MANY };
    const request   o = { entities, sets, set_count, NULL, 0 };
    return record_batch(&r, &o);
}

KITH_API bool kith_entity_remove_many_later(kith_commands *commands, kith_entities entities,
                                            const kith_component *components,
                                            uint32_t              component_count)
{
    const recording r = { commands, "kith_entity_remove_many_later", KITH_COMMAND_REMOVE_MANY };
    const request   o = { entities, NULL, 0, components, component_count };
    return record_batch(&r, &o);
}

KITH_API bool kith_entity_set_components_later(kith_commands *commands, kith_entities entities,
                                               const kith_values *sets, uint32_t set_count)
{
    const recording r = { commands, "kith_entity_set_components_later",
                          KITH_COMMAND_SET_COMPONENTS };
    const request   o = { entities, sets, set_count, NULL, 0 };
    return record_batch(&r, &o);
}

// --- functions -------------------------------------------------------------------------------

KITH_API bool kith_world_call_later(kith_commands *commands, kith_command_fn call,
                                    const void *payload, size_t size)
{
    const recording r = { commands, "kith_world_call_later", KITH_COMMAND_CALL };
    if (!may_record(&r)) {
        return false;
    }
    if (call == NULL || (payload == NULL && size != 0)) {
        return refuse_call(&r, KITH_ERROR_ARGUMENT, 0, KITH_NULL,
                           call == NULL ? "call is NULL" : "payload is NULL");
    }
    size_t head = sizeof(kith_command) + sizeof(kith_command_call) + KITH_PAYLOAD_ALIGNMENT;
    if (!fit_bytes(&r, kith_size_add(head + sizeof(uint64_t), 1, size), 0, KITH_NULL)) {
        return false;
    }
    kith_command_call *record = (kith_command_call *)(void *)(kith_command_at(commands->at) + 1);
    uint8_t           *place  = kith_command_align((uint8_t *)(record + 1), KITH_PAYLOAD_ALIGNMENT);
    *record                   = (kith_command_call){ call, place };
    if (size != 0) {
        memcpy(place, payload, size);
    }
    commit(&r, 0, KITH_NULL, place + size);
    return true;
}
