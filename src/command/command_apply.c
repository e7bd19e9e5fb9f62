// SPDX-License-Identifier: MIT
// Applying commands: makes the call of each record, and counts the outcomes.
#include "command/command.h"

#include "batch/batch.h"

#include <stdio.h>

typedef struct application {
    kith_commands  *commands;
    kith_world     *world;
    const char     *call;          // apply or resume
    kith_call_error own;           // of the call of the current command
    uint64_t        registrations; // of the world, when all components were compared
    bool            handles;       // one of them has fields that are entities
    uint32_t        alone;         // creates to apply one by one: they are no run
} application;

typedef enum outcome { APPLIED, SKIPPED, FAILED, STOPPED } outcome;

// --- outcomes --------------------------------------------------------------------------------

// Returns the outcome of a call that returned false, and keeps its error. Without one it is
// applied.
KITH_COLD static outcome outcome_of(const application *app)
{
    kith_commands *commands = app->commands;
    kith_error    *kept     = &commands->report.error;
    bool           memory   = app->own.error.code == KITH_ERROR_MEMORY;
    if (app->own.error.code == KITH_OK) {
        return APPLIED;
    }
    if (memory || kept->code == KITH_OK) {
        *kept = app->own.error;
        if (kept->other != NULL) {
            snprintf(commands->error_other, sizeof commands->error_other, "%s", kept->other);
            kept->other = commands->error_other;
        }
    }
    return memory ? STOPPED : FAILED;
}

// Returns where the entity for a placeholder of these commands is, or will be.
static kith_entity *created_at(const kith_commands *commands, kith_entity placeholder)
{
    return &commands->created[kith_placeholder_number(placeholder)];
}

// --- applying to another world ---------------------------------------------------------------

// Hooks of a value must match: the buffer constructs or copies what the world destructs.
static bool have_same_hooks(const kith_hooks *a, const kith_hooks *b)
{
    return (a->construct == NULL) == (b->construct == NULL) &&
           (a->copy == NULL) == (b->copy == NULL) &&
           (a->destruct == NULL) == (b->destruct == NULL) && (a->move == NULL) == (b->move == NULL);
}

KITH_COLD static bool is_equal_there(kith_world *world, const char *call, kith_component component,
                                     const char *property, uint32_t have, uint32_t want)
{
    return have == want || kith_world_refuse_numbers(world, KITH_ERROR_CONFLICT, call, component,
                                                     property, have, want);
}

// Returns whether a component is the same in another world, otherwise reports an error. A component
// that the world lacks is an error of each command that needs it.
KITH_COLD static bool is_same_there(const kith_component_info *info, kith_world *world,
                                    const char *call)
{
    const kith_storage *storage = kith_world_storage(world, info->id);
    if (storage == NULL) {
        return true;
    }
    const kith_component_desc *there = &storage->desc;
    return is_equal_there(world, call, info->id, "kind", there->kind, info->kind) &&
           is_equal_there(world, call, info->id, "size", there->size, info->size) &&
           is_equal_there(world, call, info->id, "alignment", there->alignment, info->alignment) &&
           (have_same_hooks(&info->hooks, &there->traits.hooks) ||
            kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, info->id,
                                      "the component has other hooks in this world", NULL));
}

// Returns whether another world registered components since all components were compared.
static bool must_compare(const application *app)
{
    return app->world->registrations != app->registrations &&
           app->world != app->commands->object.world;
}

// --- batches ---------------------------------------------------------------------------------

// Makes the call of a batch for these members of it.
static bool call_batch(kith_world *world, const kith_command *command, const kith_command_batch *b,
                       kith_entities entities)
{
    switch (command->verb) {
    case KITH_COMMAND_DESTROY_MANY:
        return kith_entity_destroy_many(world, entities);
    case KITH_COMMAND_SET_MANY:
        return kith_entity_set_many(world, entities, b->sets, b->set_count);
    case KITH_COMMAND_REMOVE_MANY:
        return kith_entity_remove_many(world, entities, b->components, b->component_count);
    default:
        return kith_entity_set_components(world, entities, b->sets, b->set_count);
    }
}

// Moves the values of all sets by `places` members, forward or back.
static void shift_sets(const kith_command_batch *batch, ptrdiff_t places)
{
    for (uint32_t i = 0; i < batch->set_count; i++) {
        kith_values *set = &batch->sets[i];
        if (set->values != NULL) {
            set->values = (const uint8_t *)set->values + places * (ptrdiff_t)set->stride;
        }
    }
}

// Returns the first place from `at` on with an entity that is alive, or not alive.
static uint32_t find_place(const application *app, const kith_command_batch *batch, uint32_t at,
                           bool alive)
{
    const kith_entity_table *table = &app->world->entities;
    while (at < batch->entities.count &&
           kith_entity_table_alive(table, batch->living[at]) != alive) {
        at++;
    }
    return at;
}

// Calls once for a range. The call itself skips its dead entities.
static outcome apply_range(application *app, const kith_command *command,
                           const kith_command_batch *batch)
{
    uint32_t count  = batch->entities.count;
    uint32_t dead   = count - kith_entities_alive(app->world, batch->entities);
    outcome  result = dead == count && count != 0                               ? SKIPPED
                      : call_batch(app->world, command, batch, batch->entities) ? APPLIED
                                                                                : outcome_of(app);
    app->commands->report.dead += result == STOPPED ? 0 : dead;
    return result;
}

// Calls once for each run of living members of an array.
static outcome apply_array(application *app, const kith_command *command,
                           const kith_command_batch *batch)
{
    kith_commands *commands  = app->commands;
    outcome        result    = SKIPPED;
    uint32_t       end       = commands->stopped_member;
    commands->stopped_member = 0;
    while (end < batch->entities.count) {
        uint32_t first = find_place(app, batch, end, true);
        commands->report.dead += first - end;
        end = find_place(app, batch, first, false);
        if (first == end) {
            break;
        }
        shift_sets(batch, (ptrdiff_t)first);
        kith_entities members = kith_entities_of(batch->living + first, end - first);
        outcome one = call_batch(app->world, command, batch, members) ? APPLIED : outcome_of(app);
        shift_sets(batch, -(ptrdiff_t)first);
        if (one == STOPPED) {
            commands->stopped_member = first;
            return STOPPED;
        }
        result = result == FAILED ? FAILED : one;
    }
    return result;
}

static KITH_NOINLINE outcome apply_batch(application *app, kith_command *command)
{
    kith_command_batch *batch = (void *)(command + 1);
    const kith_entity  *array = batch->entities.array;
    bool                range = array == NULL && !kith_entity_pending(batch->entities.first);
    if (range || batch->entities.count == 0) {
        return apply_range(app, command, batch);
    }
    if (array == NULL) {
        batch->living = created_at(app->commands, batch->entities.first);
    }
    for (uint32_t i = 0; i < batch->entities.count && array != NULL; i++) {
        batch->living[i] = kith_commands_entity(app->commands, array[i]);
    }
    return apply_array(app, command, batch);
}

// --- other calls -----------------------------------------------------------------------------

static bool create_many(const application *app, const kith_command_batch *batch)
{
    uint32_t     count   = batch->entities.count;
    kith_entity *created = count == 0 ? NULL : created_at(app->commands, batch->entities.first);
    bool done = kith_entity_create_many(app->world, created, count, batch->sets, batch->set_count);
    for (uint32_t i = 0; i < count && !done; i++) {
        created[i] = KITH_NULL; // after a failure the contents are undefined
    }
    return done;
}

KITH_NOINLINE static kith_entity parent_of(const application *app, const kith_command *command)
{
    const kith_command_append *append = (const void *)(command + 1);
    return kith_commands_resolve(app->commands, append->parent);
}

// Makes the call of a record that creates entities, or is about this one.
static bool call_once(const application *app, kith_command *command, kith_entity entity)
{
    kith_world              *world     = app->world;
    kith_component           component = command->component;
    const kith_command_call *call      = (const void *)(command + 1); // of KITH_COMMAND_CALL
    kith_values              set;
    switch (command->verb) {
    case KITH_COMMAND_CREATE_MANY:
        return create_many(app, (const void *)(command + 1));
    case KITH_COMMAND_SET:
    case KITH_COMMAND_SET_DEFAULT:
        kith_commands_contents(app->commands, command, &set);
        return kith_component_set(world, entity, component, set.values) != NULL;
    case KITH_COMMAND_ADD:
        return kith_component_add(world, entity, component, NULL) != NULL;
    case KITH_COMMAND_REMOVE:
        return kith_component_remove(world, entity, component);
    case KITH_COMMAND_DISABLE:
    case KITH_COMMAND_ENABLE:
        return kith_component_enable(world, entity, component,
                                     command->verb == KITH_COMMAND_ENABLE);
    case KITH_COMMAND_APPEND:
        return ((const kith_command_append *)(const void *)(command + 1))
            ->append(world, component, parent_of(app, command), entity);
    case KITH_COMMAND_DESTROY:
        return kith_entity_destroy(world, entity);
    case KITH_COMMAND_CREATE:
        return (*created_at(app->commands, command->entity) = kith_entity_create(world)) != 0;
    default:
        call->call(world, app->commands, call->payload);
        return true;
    }
}

// --- handles in values -----------------------------------------------------------------------
//
// A recorded value keeps its placeholders, because commands can be applied again. Those of a run
// are replaced in the rows of the world. For other commands they are replaced in the record, which
// gets its bytes back after the call.

static kith_entity follow_placeholder(const void *commands, kith_entity entity)
{
    return kith_commands_resolve(commands, entity);
}

// Returns whether a value of the command has handles. If `replaces`, replaces their placeholders.
KITH_NOINLINE static bool has_handles(const application *app, const kith_command_batch *contents,
                                      bool replaces)
{
    bool found = false;
    for (uint32_t i = 0; i < contents->set_count; i++) {
        const kith_values  *set     = &contents->sets[i];
        const kith_storage *storage = kith_world_storage(app->world, set->component);
        uint8_t            *value   = (uint8_t *)(uintptr_t)set->values;
        uint32_t            count   = set->stride == 0 ? 1 : contents->entities.count;
        bool handles = value != NULL && storage != NULL && storage->layout.entity_count != 0;
        for (found = found || handles; handles && replaces && count != 0; count--) {
            kith_layout_map_entities(&storage->layout, value, follow_placeholder, app->commands);
            value += set->stride;
        }
    }
    return found;
}

// --- runs of sets ----------------------------------------------------------------------------

// Sets and creates of a run. The slots of SETS_MOST entities stay in the nearest cache until they
// are used. A batch of fewer than CREATES_LEAST creates costs more than the single calls.
enum { SETS_MOST = 16, CREATES_LEAST = 8, CREATES_MOST = 1024 };

// Returns the words, component and verb of a record.
static inline uint64_t head_of(const uint8_t *record)
{
    uint64_t head;
    memcpy(&head, record, sizeof head);
    return head;
}

// Applies consecutive sets of one component with the inline functions of the typed set, until one
// needs the slow path. Prefetches the slots of the entities first, dead or alive. That stays in
// this function: gcc removes calls of functions that only prefetch (bench K1, K2). Returns their
// bytes.
KITH_NOINLINE static size_t apply_sets(const application *app, uint8_t *record, const uint8_t *end)
{
    kith_world                *world     = app->world;
    const kith_commands       *commands  = app->commands;
    kith_component             component = kith_command_at(record)->component;
    const kith_component_info *info      = kith_commands_info(commands, component);
    const kith_pool_head_     *pool      = world->head.pools_[component];
    size_t                     bytes     = kith_command_bytes(kith_command_at(record));
    size_t                     size      = info->size;
    uint8_t                   *at        = record + bytes;
    if (!info->plain || pool->inline_bit_ == 0) {
        return 0;
    }
    end = (size_t)(end - record) < SETS_MOST * bytes ? end : record + SETS_MOST * bytes;
    for (; at != end && head_of(at) == head_of(record); at += bytes) {
        uint32_t index = kith_entity_index(kith_command_at(at)->entity);
        uint32_t page  = index >> KITH_PAGE_SHIFT_;
        if (page < pool->sparse_pages_) { // the entity table has this page, too
            const uint64_t *slot = &world->head.entities_[page][index & KITH_PAGE_MASK_];
            KITH_PREFETCH(&pool->sparse_[page][index & KITH_PAGE_MASK_]);
            KITH_PREFETCH(slot);
            KITH_PREFETCH(slot + KITH_PAGE_SLOTS); // its signature
        }
    }
    for (end = at, at = record; at != end; at += bytes) {
        kith_entity entity = kith_commands_entity(commands, kith_command_at(at)->entity);
        bool        added;
        void       *place = kith_place_(world, entity, component, size, KITH_ANY_SHIFT_, &added);
        if (KITH_UNLIKELY_(place == NULL)) {
            break;
        }
        kith_copy_bytes(place, at + sizeof(kith_command), size);
        if (KITH_UNLIKELY_(app->handles)) {
            const kith_storage *storage = kith_world_storage(world, component);
            kith_layout_map_entities(&storage->layout, place, follow_placeholder, commands);
        }
        (void)kith_announce_(world, entity, component, size, KITH_ANY_SHIFT_, place, added);
    }
    app->commands->report.applied += (uint32_t)((size_t)(at - record) / bytes);
    return (size_t)(at - record);
}

// --- runs of creates -------------------------------------------------------------------------
//
// A program creates many entities with the same components:
//
//     create 1 | set a of 1 | set b of 1 | create 2 | set a of 2 | set b of 2 | create 3 ...
//
// If no listener, group or loop sees the steps, the run is one batch: its values stay in the
// records, at a stride. A batch that fails changes nothing. Then each record is applied alone.

// Returns whether the command adds a row of bytes to a new entity, which nothing else sees.
static bool adds_bytes(const application *app, const kith_command *command)
{
    const kith_storage *storage = (const void *)app->world->head.pools_[command->component];
    const kith_pool    *pool    = &storage->pool;
    return command->verb >= KITH_COMMAND_SET && command->verb <= KITH_COMMAND_ADD &&
           pool->set.head.inline_bit_ != 0 && pool->set.head.listeners_ == 0 && !pool->rowless &&
           storage->bit < 64 && storage->desc.alignment <= sizeof(uint64_t) &&
           storage->layout.entity_count == 0;
}

// Creates the entities of a run. A failure changes nothing and leaves no error.
static bool try_creates(const application *app, const kith_command_batch *batch)
{
    const kith_kept_error before = app->world->latest;
    app->world->errors_muted     = true;
    bool done                    = create_many(app, batch);
    app->world->errors_muted     = false;
    app->world->latest           = before;
    return done;
}

// Applies creates, each with the same adds behind it. Returns their bytes. A run needs it once, so
// the code is small (bench K3).
KITH_COLD static size_t apply_creates(application *app, uint8_t *record, const uint8_t *end)
{
    kith_world *world = app->world;
    kith_entity first = kith_command_at(record)->entity;
    uint8_t    *at    = record + sizeof(kith_command);
    kith_values sets[KITH_BATCH_ITEMS_INLINE];
    uint32_t    adds = 0;
    if (app->commands->created_count < CREATES_LEAST ||
        (app->alone | world->shared.held | world->events[0].count) != 0) {
        app->alone -= app->alone != 0;
        return 0;
    }
    while (at != end && kith_command_at(at)->entity == first && adds < KITH_BATCH_ITEMS_INLINE &&
           adds_bytes(app, kith_command_at(at))) {
        bool valued  = kith_command_at(at)->verb == KITH_COMMAND_SET;
        sets[adds++] = (kith_values){ kith_command_at(at)->component,
                                      valued ? at + sizeof(kith_command) : NULL, 0 };
        at += kith_command_bytes(kith_command_at(at));
    }
    size_t stride = (size_t)(at - record);
    size_t most   = CREATES_MOST * stride;
    end           = (size_t)(end - record) < most ? end : record + most;
    while (at != end && head_of(at) == head_of(at - stride) &&
           kith_command_at(at)->entity == kith_command_at(at - stride)->entity + 1) {
        at += kith_command_bytes(kith_command_at(at));
    }
    for (uint32_t i = 0; i < adds; i++) {
        sets[i].stride = stride;
    }
    uint32_t                 count = (uint32_t)((size_t)(at - record) / stride);
    const kith_command_batch batch = { { NULL, first, count, 0 }, NULL, sets, NULL, adds, 0 };
    if (count < CREATES_LEAST || !try_creates(app, &batch)) {
        app->alone = count - 1;
        return 0;
    }
    app->commands->report.applied += count * (1 + adds);
    return count * stride;
}

// --- all commands ----------------------------------------------------------------------------

static outcome call_command(application *app, kith_command *command)
{
    if (command->verb > KITH_COMMAND_CREATE_MANY && command->verb <= KITH_COMMAND_SET_COMPONENTS) {
        return apply_batch(app, command);
    }
    kith_entity entity = KITH_NULL;
    if (command->verb >= KITH_COMMAND_SET && command->verb <= KITH_COMMAND_DESTROY) {
        entity = kith_commands_entity(app->commands, command->entity);
        if (!kith_entity_table_alive(&app->world->entities, entity) ||
            (command->verb == KITH_COMMAND_APPEND &&
             !kith_entity_alive(app->world, parent_of(app, command)))) {
            app->commands->report.dead++;
            return SKIPPED;
        }
    }
    return call_once(app, command, entity) ? APPLIED : outcome_of(app);
}

// Replaces the placeholders in the values of a command, and compares its components if need be.
// Returns false, with the error, when it cannot be applied. `*saved` becomes a copy of the record,
// or stays NULL when nothing in it changed.
static KITH_NOINLINE bool prepare_command(application *app, kith_command *command, void **saved)
{
    kith_values              single;
    const kith_command_batch contents = kith_commands_contents(app->commands, command, &single);
    for (uint32_t i = 0; i < contents.set_count && must_compare(app); i++) {
        if (!is_same_there(kith_commands_info(app->commands, contents.sets[i].component),
                           app->world, app->call)) {
            return false;
        }
    }
    if (!has_handles(app, &contents, false)) {
        return true;
    }
    *saved = kith_alloc_copy(&app->commands->memory, command, kith_command_bytes(command),
                             sizeof(uint64_t));
    return *saved == NULL
               ? kith_world_refuse(app->world, KITH_ERROR_MEMORY, app->call, 0, KITH_NULL)
               : has_handles(app, &contents, true);
}

static outcome apply_command(application *app, kith_command *command)
{
    void *saved   = NULL;
    bool  handles = app->handles && command->verb <= KITH_COMMAND_SET; // others have no values
    app->own.error.code = KITH_OK;
    if (KITH_UNLIKELY_(handles || app->world->registrations != app->registrations) &&
        !prepare_command(app, command, &saved)) {
        return outcome_of(app);
    }
    outcome result = call_command(app, command);
    if (KITH_UNLIKELY_(saved != NULL)) {
        memcpy(command, saved, kith_command_bytes(command));
        kith_free(&app->commands->memory, saved, kith_command_bytes(command), sizeof(uint64_t));
    }
    return result;
}

// Applies all records from `at` on. Returns where it stopped because memory ran out, if it did.
static kith_command_place apply_records(application *app, kith_command_place at)
{
    kith_commands  *commands = app->commands;
    uint32_t *const counts[] = { &commands->report.applied, &commands->report.skipped,
                                 &commands->report.failed };
    while (at.block != NULL) {
        uint32_t verb  = kith_command_at(at.record)->verb;
        size_t   bytes = must_compare(app)             ? 0
                         : verb == KITH_COMMAND_SET    ? apply_sets(app, at.record, at.end)
                         : verb == KITH_COMMAND_CREATE ? apply_creates(app, at.record, at.end)
                                                       : 0;
        if (bytes == 0) {
            outcome result = apply_command(app, kith_command_at(at.record));
            if (result == STOPPED) {
                break;
            }
            ++*counts[result];
            bytes = kith_command_bytes(kith_command_at(at.record));
        }
        kith_commands_step(commands, &at, bytes);
    }
    return at;
}

// Applies all records from `at` on. Returns false when memory ran out.
static bool apply_from(kith_commands *commands, kith_world *world, const char *call,
                       kith_command_place at)
{
    application      app   = { commands, world, call, .registrations = world->registrations };
    kith_call_error *outer = world->call_error;
    app.own.nested         = world->nested;
    for (uint32_t i = 0; i < world->storage_count && !app.handles; i++) {
        app.handles = world->storages[i]->layout.entity_count != 0;
    }
    world->call_error = &app.own;
    commands->busy    = true;
    world->applying++;
    commands->stopped = apply_records(&app, at);
    world->applying--;
    commands->busy          = false;
    world->call_error       = outer;
    commands->stopped_world = world;
    kith_commands_report *r = &commands->report;
    r->left                 = r->recorded - r->applied - r->skipped - r->failed;
    return commands->stopped.block == NULL;
}

// --- applying --------------------------------------------------------------------------------

static bool may_apply(kith_commands *commands, kith_world *world, const char *call)
{
    if (commands == NULL || world == commands->object.world) {
        return commands != NULL && kith_commands_refresh_for(commands, call);
    }
    bool good = kith_commands_require_idle(commands, world, call);
    for (uint32_t i = 0; i < commands->info_count && good; i++) {
        good = is_same_there(&commands->infos[i], world, call);
    }
    return good;
}

bool kith_commands_apply(kith_commands *commands, kith_world *world)
{
    if (!may_apply(commands, world, __func__)) {
        return false;
    }
    if (commands->error_unreported) { // a call that was not recorded
        commands->error_unreported = false;
        kith_world_fail(world, &commands->report.refusal);
    }
    memset(&commands->report.applied, 0,
           offsetof(kith_commands_report, refusal) - offsetof(kith_commands_report, applied));
    commands->stopped_member = 0;
    kith_array_fill(commands->created, KITH_NULL, commands->created_count);
    return apply_from(commands, world, __func__, kith_commands_begin(commands));
}

KITH_COLD bool kith_commands_resume(kith_commands *commands, kith_world *world)
{
    if (!may_apply(commands, world, __func__)) {
        return false;
    }
    if (commands->stopped.block == NULL) {
        return true;
    }
    if (commands->stopped_world != world) {
        return kith_world_mistake(world, __func__, "apply stopped in another world", NULL);
    }
    commands->report.error = (kith_error){ 0 };
    kith_command_place at  = commands->stopped;
    return apply_from(commands, world, __func__,
                      kith_commands_place(commands, at.block, at.record));
}
