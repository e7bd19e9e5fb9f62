// SPDX-License-Identifier: MIT
// Applying commands: makes the call of each record, and counts the outcomes.
#include "command/command.h"

#include <stdio.h>

typedef struct application {
    kith_commands  *commands;
    kith_world     *world;
    kith_call_error own;           // of the call of the current command
    uint64_t        registrations; // of the world, when all components were compared
} application;

typedef enum outcome { APPLIED, SKIPPED, FAILED, STOPPED } outcome;

// --- outcomes --------------------------------------------------------------------------------

static void keep_error(kith_commands *commands, const kith_error *error)
{
    kith_error *kept = &commands->report.error;
    *kept            = *error;
    if (error->other != NULL) {
        snprintf(commands->error_other, sizeof commands->error_other, "%s", error->other);
        kept->other = commands->error_other;
    }
}

// Turns the result of a call into an outcome. False without an error counts as applied.
static outcome outcome_of(application *app, bool answer)
{
    if (answer || app->own.error.code == KITH_OK) {
        return APPLIED;
    }
    bool memory = app->own.error.code == KITH_ERROR_MEMORY;
    if (memory || app->commands->report.error.code == KITH_OK) {
        keep_error(app->commands, &app->own.error);
    }
    return memory ? STOPPED : FAILED;
}

static bool is_alive(const application *app, kith_entity entity)
{
    return kith_entity_table_alive(&app->world->entities, entity);
}

// --- applying to another world ---------------------------------------------------------------

// Hooks of a value must match: the buffer constructs or copies what the world destructs.
static bool have_same_hooks(const kith_hooks *a, const kith_hooks *b)
{
    return (a->construct == NULL) == (b->construct == NULL) &&
           (a->copy == NULL) == (b->copy == NULL) &&
           (a->destruct == NULL) == (b->destruct == NULL) && (a->move == NULL) == (b->move == NULL);
}

// Returns whether a component is the same in another world, otherwise reports an error. A component
// that the world lacks is an error of each command that needs it.
static bool is_same_there(const kith_component_info *info, kith_world *world, const char *call)
{
    const kith_storage *storage = kith_world_storage(world, info->id);
    if (storage == NULL) {
        return true;
    }
    const struct {
        const char *name;
        uint64_t    have, want;
    } properties[] = { { "kind", storage->desc.kind, info->kind },
                       { "size", storage->desc.size, info->size },
                       { "alignment", storage->desc.alignment, info->alignment } };
    for (uint32_t i = 0; i < 3; i++) {
        if (properties[i].have != properties[i].want) {
            return kith_world_refuse_numbers(world, KITH_ERROR_CONFLICT, call, info->id,
                                             properties[i].name, properties[i].have,
                                             properties[i].want);
        }
    }
    return have_same_hooks(&info->hooks, &storage->desc.traits.hooks) ||
           kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, info->id,
                                     "the component has other hooks in this world", NULL);
}

// Returns whether another world registered components since all components were compared.
static bool must_compare(const application *app)
{
    return app->world->registrations != app->registrations &&
           app->world != app->commands->object.world;
}

// Returns whether all components of the command are the same in the world, otherwise reports an
// error.
static bool is_command_same(const application *app, kith_command *command)
{
    static const char          call[] = "kith_commands_apply";
    const kith_component_info *info   = kith_commands_info(app->commands, command->component);
    bool is_batch = command->verb >= KITH_COMMAND_CREATE_MANY && command->verb != KITH_COMMAND_CALL;
    const kith_command_batch *batch = is_batch ? kith_command_batch_of(command) : NULL;
    bool                      fits  = info == NULL || is_same_there(info, app->world, call);
    for (uint32_t i = 0; is_batch && batch->sets != NULL && i < batch->set_count && fits; i++) {
        info = kith_commands_info(app->commands, batch->sets[i].component);
        fits = is_same_there(info, app->world, call);
    }
    return fits;
}

// --- batches ---------------------------------------------------------------------------------

static outcome call_batch(application *app, const kith_command *command,
                          const kith_command_batch *batch, kith_entities entities)
{
    kith_world *world = app->world;
    switch (command->verb) {
    case KITH_COMMAND_DESTROY_MANY:
        return outcome_of(app, kith_entity_destroy_many(world, entities));
    case KITH_COMMAND_SET_MANY:
        return outcome_of(app,
                          kith_entity_set_many(world, entities, batch->sets, batch->set_count));
    case KITH_COMMAND_REMOVE_MANY:
        return outcome_of(
            app, kith_entity_remove_many(world, entities, batch->components, batch->set_count));
    default:
        return outcome_of(
            app, kith_entity_set_components(world, entities, batch->sets, batch->set_count));
    }
}

// Moves the values of all sets forward, or back, by `places` members.
static void shift_sets(kith_command_batch *batch, uint32_t places, bool back)
{
    for (uint32_t i = 0; i < batch->set_count && batch->sets != NULL && places != 0; i++) {
        kith_values   *set   = &batch->sets[i];
        size_t         bytes = places * set->stride;
        const uint8_t *from  = set->values;
        set->values          = from == NULL ? NULL : back ? from - bytes : from + bytes;
    }
}

// Returns the first place from `at` on with an entity that is alive, or not alive.
static uint32_t find_place(const application *app, const kith_command_batch *batch, uint32_t at,
                           bool alive)
{
    while (at < batch->entities.count && is_alive(app, batch->living[at]) != alive) {
        at++;
    }
    return at;
}

static outcome apply_members(application *app, const kith_command *command,
                             kith_command_batch *batch, uint32_t first, uint32_t end)
{
    shift_sets(batch, first, false);
    outcome result =
        call_batch(app, command, batch, kith_entities_of(batch->living + first, end - first));
    shift_sets(batch, first, true);
    return result;
}

// The call itself skips the dead entities of a range.
static outcome apply_range(application *app, const kith_command *command,
                           const kith_command_batch *batch)
{
    uint32_t count  = batch->entities.count;
    uint32_t alive  = kith_entities_alive(app->world, batch->entities);
    outcome  result = SKIPPED;
    if (alive != 0 || count == 0) {
        result = call_batch(app, command, batch, batch->entities);
    }
    app->commands->report.dead += result == STOPPED ? 0 : count - alive;
    return result;
}

// Writes the entities of an array, or of a range of placeholders, to `living`.
static void find_entities(const kith_commands *commands, kith_command_batch *batch)
{
    const kith_entity *array = batch->entities.array;
    for (uint32_t i = 0; i < batch->entities.count && array != NULL; i++) {
        batch->living[i] = kith_commands_entity(commands, array[i]);
    }
    if (array == NULL) {
        uint32_t place = kith_entity_index(batch->entities.first) ^ KITH_PENDING_BIT;
        batch->living  = &commands->created[place];
    }
}

// Skips dead entities: each run of living members between them is a batch of its own.
static KITH_NOINLINE outcome apply_batch(application *app, kith_command *command)
{
    kith_command_batch *batch  = kith_command_batch_of(command);
    uint32_t            count  = batch->entities.count;
    outcome             result = SKIPPED;
    uint32_t            dead   = 0;
    if (count == 0 ||
        (batch->entities.array == NULL && !kith_entity_pending(batch->entities.first))) {
        return apply_range(app, command, batch);
    }
    find_entities(app->commands, batch);
    for (uint32_t end = app->commands->stopped_place; end < count;) {
        uint32_t first = find_place(app, batch, end, true);
        dead += first - end;
        end = find_place(app, batch, first, false);
        if (first == end) {
            break;
        }
        outcome one = apply_members(app, command, batch, first, end);
        if (one == STOPPED) {
            app->commands->report.dead += dead;
            app->commands->stopped_place = first;
            return STOPPED;
        }
        result = result == FAILED ? FAILED : one;
    }
    app->commands->report.dead += dead;
    app->commands->stopped_place = 0;
    return result;
}

// --- creating --------------------------------------------------------------------------------

static outcome apply_create(application *app, const kith_command *command)
{
    uint32_t place                = kith_entity_index(command->entity) ^ KITH_PENDING_BIT;
    app->commands->created[place] = kith_entity_create(app->world);
    return outcome_of(app, app->commands->created[place] != KITH_NULL);
}

static outcome apply_creates(application *app, kith_command *command)
{
    const kith_command_batch *batch   = kith_command_batch_of(command);
    uint32_t                  count   = batch->entities.count;
    uint32_t                  first   = kith_entity_index(command->entity) ^ KITH_PENDING_BIT;
    kith_entity              *created = count == 0 ? NULL : app->commands->created + first;
    bool                      answer =
        kith_entity_create_many(app->world, created, count, batch->sets, batch->set_count);
    for (uint32_t i = 0; i < count && !answer; i++) {
        created[i] = KITH_NULL; // after a failure the contents are undefined
    }
    return outcome_of(app, answer);
}

// --- single entities -------------------------------------------------------------------------

static bool call_single(kith_world *world, const kith_command *command, kith_entity entity)
{
    switch (command->verb) {
    case KITH_COMMAND_SET_DEFAULT:
        return kith_component_set(world, entity, command->component, NULL) != NULL;
    case KITH_COMMAND_ADD:
        return kith_component_add(world, entity, command->component, NULL) != NULL;
    case KITH_COMMAND_REMOVE:
        return kith_component_remove(world, entity, command->component);
    case KITH_COMMAND_DISABLE:
    case KITH_COMMAND_ENABLE:
        return kith_component_enable(world, entity, command->component,
                                     command->verb == KITH_COMMAND_ENABLE);
    default:
        return kith_entity_destroy(world, entity);
    }
}

static outcome apply_single(application *app, const kith_command *command)
{
    kith_entity entity = kith_commands_entity(app->commands, command->entity);
    if (!is_alive(app, entity)) {
        app->commands->report.dead++;
        return SKIPPED;
    }
    return outcome_of(app, call_single(app->world, command, entity));
}

static outcome apply_set(application *app, kith_command *command)
{
    kith_entity                entity = kith_commands_entity(app->commands, command->entity);
    const kith_component_info *info   = kith_commands_info(app->commands, command->component);
    const uint8_t             *value  = kith_command_value(command, info);
    if (!is_alive(app, entity)) {
        app->commands->report.dead++;
        return SKIPPED;
    }
    return outcome_of(app,
                      kith_component_set(app->world, entity, command->component, value) != NULL);
}

// Prefetch distance in records: about the latency of memory.
#define RECORDS_AHEAD 12u

// Prefetches the slots of a record's entity, which need not be alive.
static inline void fetch_ahead(const application *app, const kith_pool_head_ *pool, uint8_t *record)
{
    const kith_world_head_ *head   = &app->world->head;
    kith_entity             entity = kith_command_at(record)->entity;
    uint32_t                page   = kith_entity_index(entity) >> KITH_PAGE_SHIFT_;
    if (page < head->entity_pages_ && page < pool->sparse_pages_) {
        const uint64_t *slot = &head->entities_[page][entity & KITH_PAGE_MASK_];
        KITH_PREFETCH(&pool->sparse_[page][entity & KITH_PAGE_MASK_]);
        KITH_PREFETCH(slot);
        KITH_PREFETCH(slot + KITH_PAGE_SLOTS); // its signature
    }
}

// Returns whether the record has the words, component and verb in `alike`.
static inline bool is_like(const uint8_t *record, uint64_t alike)
{
    uint64_t head;
    memcpy(&head, record, sizeof head);
    return head == alike;
}

// Applies consecutive sets of one component with the inline functions of the typed set, until one
// needs the slow path. Returns how many it applied (bench K1, K2).
KITH_ALWAYS_INLINE uint32_t apply_run_of(application *app, uint8_t *record, const uint8_t *end,
                                         size_t size)
{
    kith_component   component = kith_command_at(record)->component;
    size_t           bytes     = kith_command_at(record)->words * sizeof(uint64_t);
    kith_pool_head_ *pool      = app->world->head.pools_[component];
    uint64_t         alike;
    uint8_t         *ahead = record; // records up to here are alike and prefetched
    uint32_t         count = 0;
    memcpy(&alike, record, sizeof alike); // words, component and verb
    do {
        kith_entity entity = kith_commands_entity(app->commands, kith_command_at(record)->entity);
        bool        added;
        while ((size_t)(ahead - record) <= RECORDS_AHEAD * bytes && ahead != end &&
               is_like(ahead, alike)) {
            fetch_ahead(app, pool, ahead);
            ahead += bytes;
        }
        void *place = kith_place_(app->world, entity, component, size, KITH_ANY_SHIFT_, &added);
        if (KITH_UNLIKELY_(place == NULL)) {
            break;
        }
        memcpy(place, record + sizeof(kith_command), size);
        (void)kith_announce_(app->world, entity, component, place, added);
        record += bytes;
        count++;
    } while (record != ahead);
    return count;
}

static uint32_t apply_run(application *app, uint8_t *record, const uint8_t *end)
{
    const kith_component_info *info =
        kith_commands_info(app->commands, kith_command_at(record)->component);
    if (!info->plain) {
        return 0;
    }
    switch (info->size) { // constant sizes, so that memcpy is inline
    case 4:
        return apply_run_of(app, record, end, 4);
    case 8:
        return apply_run_of(app, record, end, 8);
    case 12:
        return apply_run_of(app, record, end, 12);
    case 16:
        return apply_run_of(app, record, end, 16);
    default:
        return apply_run_of(app, record, end, info->size);
    }
}

// --- all commands ----------------------------------------------------------------------------

static outcome apply_call(application *app, const kith_command *command)
{
    const kith_command_call *record = (const kith_command_call *)(const void *)(command + 1);
    record->call(app->world, app->commands, record->payload);
    return APPLIED;
}

static outcome apply_other(application *app, kith_command *command)
{
    switch (command->verb) {
    case KITH_COMMAND_CREATE:
        return apply_create(app, command);
    case KITH_COMMAND_CREATE_MANY:
        return apply_creates(app, command);
    case KITH_COMMAND_CALL:
        return apply_call(app, command);
    default:
        return command->verb > KITH_COMMAND_CREATE_MANY ? apply_batch(app, command)
                                                        : apply_single(app, command);
    }
}

static outcome apply_command(application *app, kith_command *command)
{
    app->own.error.code = KITH_OK;
    if (KITH_UNLIKELY_(must_compare(app)) && !is_command_same(app, command)) {
        return outcome_of(app, false);
    }
    return command->verb == KITH_COMMAND_SET ? apply_set(app, command) : apply_other(app, command);
}

// Applies the records of a block from `record` on. Returns where it stopped: at the end, or before.
static uint8_t *apply_block(application *app, kith_command_block *block, uint8_t *record)
{
    const uint8_t *end       = kith_command_block_end(app->commands, block);
    uint32_t       counts[4] = { 0 };
    while (record != end && counts[STOPPED] == 0) {
        kith_command *command = kith_command_at(record);
        size_t        bytes   = command->words * sizeof(uint64_t);
        bool          set     = command->verb == KITH_COMMAND_SET;
        uint32_t      run     = set && !must_compare(app) ? apply_run(app, record, end) : 0;
        counts[APPLIED] += run;
        record += run * bytes;
        if (run == 0) {
            outcome result = apply_command(app, command);
            counts[result]++;
            record += result == STOPPED ? 0 : bytes;
        }
    }
    kith_commands_report *report = &app->commands->report;
    report->applied += counts[APPLIED];
    report->skipped += counts[SKIPPED];
    report->failed += counts[FAILED];
    return record;
}

// Applies all records from `record` in `block` on. Returns false when memory ran out.
static bool apply_from(application *app, kith_command_block *block, uint8_t *record)
{
    kith_commands   *commands = app->commands;
    kith_call_error *outer    = app->world->call_error;
    commands->busy            = true;
    app->own.nested           = app->world->nested;
    app->world->call_error    = &app->own;
    app->world->applying++;
    while (block != NULL) {
        uint8_t *reached = apply_block(app, block, record);
        if (reached != kith_command_block_end(commands, block)) {
            commands->stopped_at    = reached;
            commands->stopped_world = app->world;
            break;
        }
        block  = block == commands->current ? NULL : block->next;
        record = block == NULL ? NULL : kith_command_block_start(block);
    }
    app->world->applying--;
    app->world->call_error       = outer;
    commands->busy               = false;
    commands->stopped_block      = block;
    const kith_commands_report r = commands->report;
    commands->report.left        = commands->count - r.applied - r.skipped - r.failed;
    return block == NULL;
}

// --- calls -----------------------------------------------------------------------------------

static bool may_apply(kith_commands *commands, kith_world *world, const char *call)
{
    if (commands == NULL || !kith_require_unlocked(world, call)) {
        return false;
    }
    if (commands->busy) {
        return kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, "the commands are in use",
                                         commands->name);
    }
    if (world != commands->object.world) {
        bool same = true;
        for (uint32_t i = 0; i < commands->info_count && same; i++) {
            same = is_same_there(&commands->infos[i], world, call);
        }
        return same;
    }
    return kith_commands_update_components(commands) ||
           kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
}

KITH_API bool kith_commands_apply(kith_commands *commands, kith_world *world)
{
    if (!may_apply(commands, world, "kith_commands_apply")) {
        return false;
    }
    if (commands->error_unreported) { // a call that was not recorded
        commands->error_unreported = false;
        kith_world_fail(world, &commands->error);
    }
    commands->report        = (kith_commands_report){ .refused = commands->report.refused };
    commands->stopped_place = 0;
    if (commands->created_count != 0) {
        memset(commands->created, 0, commands->created_count * sizeof *commands->created);
    }
    application         app   = { commands, world, .registrations = world->registrations };
    kith_command_block *block = commands->current == NULL ? NULL : commands->first;
    return apply_from(&app, block, block == NULL ? NULL : kith_command_block_start(block));
}

KITH_API bool kith_commands_resume(kith_commands *commands, kith_world *world)
{
    static const char call[] = "kith_commands_resume";
    if (!may_apply(commands, world, call)) {
        return false;
    }
    if (commands->stopped_block == NULL) {
        return true;
    }
    if (commands->stopped_world != world) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, 0,
                                         "apply stopped in another world", NULL);
    }
    application app        = { commands, world, .registrations = world->registrations };
    commands->report.error = (kith_error){ 0 };
    return apply_from(&app, commands->stopped_block, commands->stopped_at);
}
