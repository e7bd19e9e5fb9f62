// SPDX-License-Identifier: MIT
// Recording commands: the _later functions. Nothing here reads the world.
#include "command/command.h"

// --- errors ----------------------------------------------------------------------------------

static const char *const calls_later[] = {
    [KITH_COMMAND_CREATE_MANY]    = "kith_entity_create_many_later",
    [KITH_COMMAND_DESTROY_MANY]   = "kith_entity_destroy_many_later",
    [KITH_COMMAND_SET_MANY]       = "kith_entity_set_many_later",
    [KITH_COMMAND_REMOVE_MANY]    = "kith_entity_remove_many_later",
    [KITH_COMMAND_SET_COMPONENTS] = "kith_entity_set_components_later",
    [KITH_COMMAND_SET]            = "kith_component_set_later",
    [KITH_COMMAND_SET_DEFAULT]    = "kith_component_set_later",
    [KITH_COMMAND_ADD]            = "kith_component_add_later",
    [KITH_COMMAND_REMOVE]         = "kith_component_remove_later",
    [KITH_COMMAND_DISABLE]        = "kith_component_disable_later",
    [KITH_COMMAND_ENABLE]         = "kith_component_enable_later",
    [KITH_COMMAND_APPEND]         = "kith_hierarchy_append_later",
    [KITH_COMMAND_DESTROY]        = "kith_entity_destroy_later",
    [KITH_COMMAND_CREATE]         = "kith_entity_create_later",
    [KITH_COMMAND_CALL]           = "kith_world_call_later",
};

// The call that is being recorded: the head of its record. A batch has neither entity nor component
// of its own; there they are those that an error names.
typedef struct later_call {
    kith_entity       entity;
    kith_component    component;
    kith_command_verb verb;
} later_call;

// Keeps an error in the buffer; kith_commands_apply reports it. Returns false.
KITH_NOINLINE static bool refuse(kith_commands *commands, later_call call, kith_error_code code,
                                 const char *subject)
{
    bool busy                  = code == KITH_ERROR_BUSY;
    commands->report.refusal   = (kith_error){ .code      = code,
                                               .call      = calls_later[call.verb],
                                               .component = call.component,
                                               .entity    = call.entity,
                                               .subject   = subject,
                                               .other     = busy ? commands->name : NULL };
    commands->error_unreported = true;
    commands->lacked_memory    = commands->lacked_memory || code == KITH_ERROR_MEMORY;
    commands->report.refused++;
    return false;
}

KITH_NOINLINE static bool may_record(kith_commands *commands, kith_command_verb verb)
{
    const later_call call = { .verb = verb };
    return commands != NULL &&
           (!commands->busy || refuse(commands, call, KITH_ERROR_BUSY, "the commands are in use"));
}

// Recording does not read the world, so a dead entity is good: kith_commands_apply skips it.
static inline bool is_recordable(const kith_commands *commands, kith_entity entity)
{
    return entity != KITH_NULL &&
           (!kith_entity_pending(entity) || kith_commands_issued(commands, entity));
}

static bool check_entity(kith_commands *commands, later_call call)
{
    if (call.entity == KITH_NULL) {
        return refuse(commands, call, KITH_ERROR_NULL_ENTITY, NULL);
    }
    return is_recordable(commands, call.entity) ||
           refuse(commands, call, KITH_ERROR_ARGUMENT, "the placeholder belongs to other commands");
}

// Returns the component if it exists and has a kind for which the call exists, or NULL.
static const kith_component_info *check_component(kith_commands *commands, later_call call)
{
    bool     enabling = call.verb == KITH_COMMAND_ENABLE || call.verb == KITH_COMMAND_DISABLE;
    unsigned kinds    = enabling ? KITH_WITH_ROWS : KITH_ON_ENTITY;
    const kith_component_info *info = kith_commands_info(commands, call.component);
    if (info != NULL && (kinds >> info->kind & 1) != 0) {
        return info;
    }
    refuse(commands, call, info == NULL ? KITH_ERROR_UNREGISTERED : KITH_ERROR_KIND, NULL);
    commands->report.refusal.have = info == NULL ? 0 : info->kind;
    return NULL;
}

// Values are copied into the buffer and from there into worlds, and destructed in all of them.
static bool check_copies(kith_commands *commands, later_call call, const kith_component_info *info)
{
    const kith_hooks *hooks = &info->hooks;
    if (hooks->copy != NULL) {
        return !commands->in_part || info->thread_safe ||
               refuse(commands, call, KITH_ERROR_ARGUMENT,
                      "a part records values with hooks if they are thread-safe, or if the system "
                      "declares that it writes them");
    }
    return (hooks->destruct == NULL && hooks->move == NULL) ||
           refuse(commands, call, KITH_ERROR_ARGUMENT,
                  "values with hooks need a copy hook to be recorded");
}

KITH_NOINLINE static bool check_array(kith_commands *commands, later_call call, const void *array,
                                      uint32_t count)
{
    return array != NULL || count == 0 ||
           refuse(commands, call, KITH_ERROR_ARGUMENT, "the array is NULL");
}

// --- records ---------------------------------------------------------------------------------

// The most bytes of a record: `words` has 32 bits, and kith_size_add returns SIZE_MAX / 2 for a
// sum that is too large.
#define WORDS_MOST  ((UINT64_C(1) << 35) - 64)
#define RECORD_MOST (WORDS_MOST < SIZE_MAX / 2 ? WORDS_MOST : SIZE_MAX / 2 - 1)

// Reserves a record of at most `bytes` bytes. Returns what follows its head; NULL, and keeps an
// error, when memory runs out.
KITH_NOINLINE static void *reserve_record(kith_commands *commands, later_call call, size_t bytes)
{
    if (bytes > RECORD_MOST || !kith_commands_reserve_bytes(commands, bytes)) {
        refuse(commands, call, KITH_ERROR_MEMORY, NULL);
        return NULL;
    }
    return commands->at + sizeof(kith_command);
}

// Writes the head of the reserved record, which has `bytes` bytes with it.
static inline void commit(kith_commands *commands, later_call call, size_t bytes)
{
    uint32_t words = (uint32_t)((bytes + 7) / sizeof(uint64_t));
    *kith_command_at(commands->at) =
        (kith_command){ words, (uint16_t)call.component, (uint16_t)call.verb, call.entity };
    commands->at += words * sizeof(uint64_t);
    commands->report.recorded++;
}

// Adds to a number of bytes the most that `count` values need behind them.
static size_t add_values(size_t bytes, const kith_component_info *info, uint32_t count)
{
    bytes += info->alignment > sizeof(uint64_t) ? info->alignment : sizeof(uint64_t);
    return kith_size_add(bytes, count, info->size);
}

// Copies values into a packed array of raw memory. Returns false when a copy hook refuses; then all
// copies are destructed.
static bool copy_values(const kith_component_info *info, uint8_t *to, const kith_values *from,
                        uint32_t count)
{
    const kith_hooks *hooks = &info->hooks;
    const uint8_t    *value = from->values;
    for (uint32_t i = 0; i < count; i++, value += from->stride) {
        uint8_t *place = to + (size_t)i * info->size;
        if (hooks->copy == NULL) {
            memcpy(place, value, info->size);
        } else if (!hooks->copy(place, value, hooks->context)) {
            kith_component_info_destruct(info, to, i);
            return false;
        }
    }
    return true;
}

// Copies the values of all sets to `*at`, one set after the other, and makes the sets those of the
// copies. `*at` is then the end of the copies. Fails as copy_values does, and keeps an error; the
// batch then has fewer sets. Hooks may not record here.
static bool copy_sets(kith_commands *commands, later_call call, kith_command_batch *batch,
                      uint8_t **at)
{
    uint64_t hooked = 0;
    bool     copied = true;
    commands->busy  = true;
    for (uint32_t i = 0; i < batch->set_count && copied; i++) {
        kith_values               *set   = &batch->sets[i];
        const kith_component_info *info  = kith_commands_info(commands, set->component);
        uint32_t                   count = kith_values_count(set, info, batch->entities.count);
        uint8_t                   *place = kith_command_align(*at, info->alignment);
        copied                           = copy_values(info, place, set, count);
        if (!copied) {
            batch->set_count = i;
            kith_commands_destruct_sets(commands, batch);
            call.component = info->id;
            refuse(commands, call, KITH_ERROR_HOOK, "copy");
            commands->report.refusal.other = info->name;
        } else if (count == 0) {
            *set = (kith_values){ .component = info->id };
        } else {
            *set = (kith_values){ info->id, place, set->stride == 0 ? 0 : info->size };
            *at  = place + (size_t)count * info->size;
            hooked += info->hooks.destruct == NULL ? 0 : count;
        }
    }
    commands->hooked += copied ? hooked : 0;
    commands->busy = false;
    return copied;
}

// --- single entities -------------------------------------------------------------------------

// Records a call without a value.
static inline bool record_head(kith_commands *commands, later_call call)
{
    size_t room = (size_t)(commands->end - commands->at);
    if (KITH_UNLIKELY_(room < sizeof(kith_command)) &&
        reserve_record(commands, call, sizeof(kith_command)) == NULL) {
        return false;
    }
    commit(commands, call, sizeof(kith_command));
    return true;
}

// Records a call for one entity without a value.
static bool record_single(kith_commands *commands, later_call call)
{
    bool has_component = call.verb != KITH_COMMAND_DESTROY;
    return may_record(commands, call.verb) &&
           (!has_component || check_component(commands, call) != NULL) &&
           check_entity(commands, call) && record_head(commands, call);
}

// Records a set with any value, and without one.
KITH_NOINLINE static bool record_set(kith_commands *commands, later_call call,
                                     const kith_component_info *info, const void *value)
{
    if (info == NULL || info->size == 0 || value == NULL) {
        call.verb = KITH_COMMAND_SET_DEFAULT;
        return record_single(commands, call);
    }
    if (!may_record(commands, call.verb) || check_component(commands, call) == NULL ||
        !check_entity(commands, call) || !check_copies(commands, call, info)) {
        return false;
    }
    kith_values        set = { info->id, value, 0 };
    kith_command_batch one = { .sets = &set, .set_count = 1 };
    uint8_t *end = reserve_record(commands, call, add_values(sizeof(kith_command), info, 1));
    if (end == NULL || !copy_sets(commands, call, &one, &end)) {
        return false;
    }
    commit(commands, call, (size_t)(end - commands->at));
    return true;
}

// Records plain values here, and leaves all else to record_set (bench K1).
bool kith_component_set_later(kith_commands *commands, kith_entity entity, kith_component component,
                              const void *value)
{
    const later_call           call = { entity, component, KITH_COMMAND_SET };
    const kith_component_info *info =
        commands == NULL ? NULL : kith_commands_info(commands, component);
    if (KITH_UNLIKELY_(info == NULL || !info->plain || value == NULL || commands->busy ||
                       !is_recordable(commands, entity) ||
                       sizeof(kith_command) + info->size >
                           (size_t)(commands->end - commands->at))) {
        return record_set(commands, call, info, value);
    }
    uint8_t *place = commands->at + sizeof(kith_command);
    commit(commands, call, sizeof(kith_command) + info->size);
    kith_copy_bytes(place, value, info->size);
    return true;
}

bool kith_component_add_later(kith_commands *commands, kith_entity entity, kith_component component)
{
    return record_single(commands, (later_call){ entity, component, KITH_COMMAND_ADD });
}

bool kith_component_remove_later(kith_commands *commands, kith_entity entity,
                                 kith_component component)
{
    return entity != KITH_NULL &&
           record_single(commands, (later_call){ entity, component, KITH_COMMAND_REMOVE });
}

bool kith_component_enable_later(kith_commands *commands, kith_entity entity,
                                 kith_component component, bool enabled)
{
    kith_command_verb verb = enabled ? KITH_COMMAND_ENABLE : KITH_COMMAND_DISABLE;
    return record_single(commands, (later_call){ entity, component, verb });
}

bool kith_entity_destroy_later(kith_commands *commands, kith_entity entity)
{
    return entity != KITH_NULL &&
           record_single(commands, (later_call){ entity, 0, KITH_COMMAND_DESTROY });
}

bool kith_commands_append_later(kith_commands *commands, kith_component hierarchy,
                                kith_entity parent, kith_entity child, kith_append_fn append)
{
    const later_call call = { child, hierarchy, KITH_COMMAND_APPEND };
    const later_call up   = { parent, hierarchy, KITH_COMMAND_APPEND };
    const size_t     size = sizeof(kith_command) + sizeof(kith_command_append);
    if (!may_record(commands, call.verb) || check_component(commands, call) == NULL ||
        !check_entity(commands, up) || !check_entity(commands, call)) {
        return false;
    }
    kith_command_append *record = reserve_record(commands, call, size);
    if (record == NULL) {
        return false;
    }
    *record = (kith_command_append){ append, parent };
    commit(commands, call, size);
    return true;
}

// --- creating --------------------------------------------------------------------------------

KITH_NOINLINE static bool reserve_creates(kith_commands *commands, later_call call, uint32_t count)
{
    if (count > KITH_CREATES_MAX - commands->created_count) {
        refuse(commands, call, KITH_ERROR_LIMIT, "the number of entities that commands create");
        commands->report.refusal.have = KITH_CREATES_MAX;
        commands->report.refusal.want = (uint64_t)commands->created_count + count;
        return false;
    }
    return kith_commands_reserve_created(commands, count) ||
           refuse(commands, call, KITH_ERROR_MEMORY, NULL);
}

static kith_entity next_placeholder(const kith_commands *commands)
{
    return kith_entity_make(KITH_PENDING_BIT | commands->created_count, commands->tag);
}

kith_entity kith_entity_create_later(kith_commands *commands)
{
    later_call call = { .verb = KITH_COMMAND_CREATE };
    if (!may_record(commands, call.verb) ||
        (KITH_UNLIKELY_(commands->created_count >=
                        kith_min(commands->created_capacity, KITH_CREATES_MAX)) &&
         !reserve_creates(commands, call, 1))) {
        return KITH_NULL;
    }
    call.entity = next_placeholder(commands);
    if (!record_head(commands, call)) {
        return KITH_NULL;
    }
    commands->created[commands->created_count++] = KITH_NULL;
    return call.entity;
}

// --- batches ---------------------------------------------------------------------------------

// Returns the component of a set, or NULL.
static const kith_component_info *check_set(kith_commands *commands, later_call call,
                                            const kith_values *set)
{
    call.component                  = set->component;
    const kith_component_info *info = check_component(commands, call);
    if (info == NULL || set->values == NULL) {
        return info;
    }
    if (set->stride != 0 && set->stride < info->size) {
        refuse(commands, call, KITH_ERROR_ARGUMENT, "the stride is shorter than a value");
        return NULL;
    }
    return check_copies(commands, call, info) ? info : NULL;
}

// Returns the most bytes that the record of a batch needs; 0, and keeps an error, when its sets or
// components are wrong.
static size_t check_lists(kith_commands *commands, later_call call, const kith_command_batch *given)
{
    size_t   bytes = sizeof(kith_command) + sizeof *given + 3 * sizeof(uint64_t);
    uint32_t count = given->entities.array == NULL ? 0 : given->entities.count;
    bytes          = kith_size_add(bytes, count, 2 * sizeof(kith_entity));
    bytes          = kith_size_add(bytes, given->set_count, sizeof(kith_values));
    bytes          = kith_size_add(bytes, given->component_count, sizeof(kith_component));
    bool good      = check_array(commands, call, given->sets, given->set_count) &&
                check_array(commands, call, given->components, given->component_count);
    for (uint32_t i = 0; i < given->set_count && good; i++) {
        const kith_values         *set  = &given->sets[i];
        const kith_component_info *info = check_set(commands, call, set);
        good                            = info != NULL;
        if (good) {
            bytes = add_values(bytes, info, kith_values_count(set, info, given->entities.count));
        }
    }
    for (uint32_t i = 0; i < given->component_count && good; i++) {
        call.component = given->components[i];
        good           = check_component(commands, call) != NULL;
    }
    return good ? bytes : 0;
}

// A range of placeholders must lie within those of these commands.
static bool check_members(kith_commands *commands, later_call call, kith_entities entities)
{
    if (entities.array != NULL || entities.first == KITH_NULL) {
        bool good = check_array(commands, call, entities.array, entities.count);
        for (uint32_t i = 0; i < entities.count && good; i++) {
            call.entity = entities.array[i];
            good        = check_entity(commands, call);
        }
        return good;
    }
    call.entity = entities.first;
    return check_entity(commands, call) &&
           (!kith_entity_pending(call.entity) ||
            entities.count <= commands->created_count - kith_placeholder_number(call.entity) ||
            refuse(commands, call, KITH_ERROR_ARGUMENT,
                   "the range has more placeholders than the commands"));
}

// Writes the record of a batch: its arrays, then the values of its sets. Fails as copy_sets does.
KITH_NOINLINE static bool write_batch(kith_commands *commands, later_call call,
                                      const kith_command_batch *given, kith_command_batch *batch)
{
    kith_copier to         = { (uint8_t *)batch, sizeof *batch };
    size_t      entities   = given->entities.count * sizeof(kith_entity);
    size_t      components = given->component_count * sizeof(kith_component);
    *batch                 = *given;
    if (given->entities.array != NULL) {
        batch->entities.array = kith_copier_put(&to, given->entities.array, entities);
        batch->living         = kith_copier_put(&to, NULL, entities);
    }
    batch->components = kith_copier_put(&to, given->components, components);
    batch->sets       = kith_copier_put(&to, given->sets, given->set_count * sizeof(kith_values));
    uint8_t *at       = to.memory + to.used;
    if (!copy_sets(commands, call, batch, &at)) {
        return false;
    }
    commit(commands, call, (size_t)(at - commands->at));
    return true;
}

static bool record_batch(kith_commands *commands, kith_command_verb verb, kith_entities entities,
                         const kith_values *sets, uint32_t set_count,
                         const kith_component *components, uint32_t component_count)
{
    const later_call         call  = { .verb = verb };
    const kith_command_batch given = { .entities        = entities,
                                       .sets            = (kith_values *)(uintptr_t)sets, // is read
                                       .set_count       = set_count,
                                       .components      = components,
                                       .component_count = component_count };
    if (!may_record(commands, verb)) {
        return false;
    }
    size_t bytes = check_lists(commands, call, &given);
    if (bytes == 0 ||
        !(verb == KITH_COMMAND_CREATE_MANY ? reserve_creates(commands, call, entities.count)
                                           : check_members(commands, call, entities))) {
        return false;
    }
    kith_command_batch *batch = reserve_record(commands, call, bytes);
    return batch != NULL && write_batch(commands, call, &given, batch);
}

bool kith_entity_create_many_later(kith_commands *commands, kith_entity *entities, uint32_t count,
                                   const kith_values *sets, uint32_t set_count)
{
    const later_call call = { .verb = KITH_COMMAND_CREATE_MANY };
    if (!may_record(commands, call.verb) || !check_array(commands, call, entities, count)) {
        return false;
    }
    const kith_entities range = { .first = next_placeholder(commands), .count = count };
    if (!record_batch(commands, call.verb, range, sets, set_count, NULL, 0)) {
        return false;
    }
    if (count != 0) {
        kith_array_number(entities, range.first, count);
        kith_array_fill(&commands->created[commands->created_count], KITH_NULL, count);
        commands->created_count += count;
    }
    return true;
}

bool kith_entity_destroy_many_later(kith_commands *commands, kith_entities entities)
{
    return record_batch(commands, KITH_COMMAND_DESTROY_MANY, entities, NULL, 0, NULL, 0);
}

bool kith_entity_set_many_later(kith_commands *commands, kith_entities entities,
                                const kith_values *sets, uint32_t set_count)
{
    return record_batch(commands, KITH_COMMAND_SET_MANY, entities, sets, set_count, NULL, 0);
}

bool kith_entity_remove_many_later(kith_commands *commands, kith_entities entities,
                                   const kith_component *components, uint32_t component_count)
{
    return record_batch(commands, KITH_COMMAND_REMOVE_MANY, entities, NULL, 0, components,
                        component_count);
}

bool kith_entity_set_components_later(kith_commands *commands, kith_entities entities,
                                      const kith_values *sets, uint32_t set_count)
{
    return record_batch(commands, KITH_COMMAND_SET_COMPONENTS, entities, sets, set_count, NULL, 0);
}

// --- functions -------------------------------------------------------------------------------

bool kith_world_call_later(kith_commands *commands, kith_command_fn call, const void *payload,
                           size_t size)
{
    const later_call later = { .verb = KITH_COMMAND_CALL };
    const size_t head = sizeof(kith_command) + sizeof(kith_command_call) + KITH_PAYLOAD_ALIGNMENT +
                        sizeof(uint64_t);
    if (!may_record(commands, later.verb)) {
        return false;
    }
    if (call == NULL || (payload == NULL && size != 0)) {
        return refuse(commands, later, KITH_ERROR_ARGUMENT,
                      call == NULL ? "call is NULL" : "payload is NULL");
    }
    kith_command_call *record = reserve_record(commands, later, kith_size_add(head, 1, size));
    if (record == NULL) {
        return false;
    }
    uint8_t *place = kith_command_align((uint8_t *)(record + 1), KITH_PAYLOAD_ALIGNMENT);
    *record        = (kith_command_call){ call, place };
    if (size != 0) {
        memcpy(place, payload, size);
    }
    commit(commands, later, (size_t)(place + size - commands->at));
    return true;
}
