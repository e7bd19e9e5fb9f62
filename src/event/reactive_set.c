// SPDX-License-Identifier: MIT
// Reactive sets: collect the entities that meet a condition. event.h shows what they watch.
#include "event/event.h"

#define EVERY_CONDITION (KITH_ON_ADD | KITH_ON_SET | KITH_ON_REMOVE | KITH_ON_CHANGED)

// --- collect ---------------------------------------------------------------------------------

// Adds the entity; returns false when it is a member already, or does not match the filter, or the
// `accept` function refuses it.
static bool collect(kith_reactive *set, kith_entity entity)
{
    kith_world *world = set->object.world;
    if (kith_entity_set_has(&set->members, entity) ||
        (set->desc.filter.term_count != 0 &&
         !kith_plan_matches(&set->filter, &world->entities, kith_entity_index(entity)))) {
        return false;
    }
    if (set->desc.accept != NULL) {
        kith_world_lock(world);
        bool accepted = set->desc.accept(world, entity, set->desc.context);
        kith_world_unlock(world);
        if (!accepted) {
            return false;
        }
    }
    kith_entity_set_add(&set->members, entity, kith_reactive_living(set));
    return true;
}

static void on_event(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    collect(context, notice->entity);
}

static void on_events(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                      uint32_t count, void *context)
{
    (void)world;
    (void)notice;
    for (uint32_t i = 0; i < count; i++) {
        collect(context, entities[i]);
    }
}

// Collects the entities whose components with the condition `changed` changed since the set's tick,
// but not in the tick `but`. Returns how many. `only_count`: collects none.
static uint32_t sweep_changed(kith_reactive *set, uint64_t but, bool only_count)
{
    const kith_entity_table *table = &set->object.world->entities;
    uint32_t                 found = 0;
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        const kith_sparse_set *rows  = &set->watches[i].storage->pool.set;
        bool                   asked = (set->desc.conditions[i].on & KITH_ON_CHANGED) != 0;
        for (uint32_t row = 0; asked && row < rows->head.rows_; row++) {
            uint32_t index   = *kith_sparse_set_packed(rows, row);
            uint64_t changed = kith_sparse_set_changed_tick(rows, row);
            if (rows->head.stamps_[row >> rows->head.shift_] < set->since) {
                row += kith_sparse_set_rest_of_page(rows, row) - 1; // no row of the page changed
            } else if ((index & KITH_HOLE) == 0 && changed >= set->since && changed != but) {
                found += only_count || collect(set, *kith_entity_slot_of(table, index));
            }
        }
    }
    return found;
}

uint32_t kith_reactive_update(kith_reactive *set)
{
    if (!kith_require_unlocked(set->object.world, "kith_reactive_update")) {
        return 0;
    }
    uint32_t added = sweep_changed(set, 0, false);
    set->since     = set->object.world->tick;
    return added;
}

void kith_reactive_update_for(kith_reactive *set, uint64_t own)
{
    bool     alone = set->systems <= 1;
    uint32_t found = sweep_changed(set, own, !alone);
    if (alone) {
        set->since = set->object.world->tick;
    } else if (found != 0) {
        kith_reactive_update(set);
    }
}

// --- room -------------------------------------------------------------------------------------

// How many rows the watched components have; an entity with several counts several times.
static uint64_t watched_rows(const kith_reactive *set)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        count += kith_storage_count(set->watches[i].storage);
    }
    return count;
}

static bool reserve_members(kith_reactive *set, uint64_t members)
{
    return kith_entity_set_reserve(&set->members, &set->object.world->memory, members,
                                   kith_reactive_living(set));
}

bool kith_reactive_reserve_more(kith_reactive *set, uint64_t more)
{
    uint64_t kept   = set->desc.keep_dead ? set->members.count : 0;
    uint64_t living = kith_entity_table_count(&set->object.world->entities);
    if (KITH_LIKELY_(kith_entity_set_fits(&set->members, kept + living))) {
        return true;
    }
    uint64_t members = set->members.count - kept + watched_rows(set) + more;
    return reserve_members(set, kept + (members < living ? members : living));
}

// storage->reserve_watches
static bool reserve_watches(const kith_storage *storage, uint64_t more)
{
    bool enough = true;
    for (kith_watch *watch = storage->watches; watch != NULL && enough; watch = watch->next) {
        enough = kith_reactive_reserve_more(watch->set, more);
    }
    return enough;
}

bool kith_watch_reserve(const kith_storage *storage, uint32_t entities)
{
    bool enough = true;
    for (kith_watch *watch = storage->watches; watch != NULL && enough; watch = watch->next) {
        uint64_t kept = watch->set->desc.keep_dead ? watch->set->members.count : 0;
        enough        = reserve_members(watch->set, kept + entities);
    }
    return enough;
}

// --- create and destroy ----------------------------------------------------------------------

static const char call_create_reactive[] = "kith_reactive_create";

// Whether the conditions are right; reports an error when they are not.
static bool check_conditions(kith_world *world, const kith_reactive_desc *desc)
{
    bool           some      = desc->condition_count != 0 && desc->conditions != NULL;
    bool           few       = desc->condition_count <= KITH_REACTIVE_CONDITIONS_MAX;
    const char    *fault     = some && few ? NULL : "a reactive set has 1 to 64 conditions";
    kith_component component = 0;
    for (uint32_t i = 0; i < desc->condition_count && fault == NULL; i++) {
        uint32_t on     = desc->conditions[i].on;
        bool     values = (on & (KITH_ON_SET | KITH_ON_CHANGED)) != 0;
        unsigned kinds  = values ? KITH_WITH_VALUES : KITH_ON_ENTITY;
        component       = desc->conditions[i].component;
        if (on == 0 || on > EVERY_CONDITION) {
            fault = "a condition needs add, set, remove or changed";
        }
        for (uint32_t k = 0; k < i && fault == NULL; k++) {
            bool same = desc->conditions[k].component == component;
            fault     = same ? "a component has two conditions" : NULL;
        }
        if (fault == NULL && kith_storage_for_mut(world, component, KITH_NULL, kinds | KITH_READS,
                                                  call_create_reactive) == NULL) {
            return false;
        }
    }
    return fault == NULL ||
           kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_create_reactive, component,
                                     fault, desc->name);
}

// Copies the description, its conditions, terms and names behind the set and its watches. Without a
// set only counts. Returns the bytes of all of it.
static size_t copy_reactive_desc(kith_reactive *set, const kith_reactive_desc *desc)
{
    uint32_t           conditions = desc->condition_count;
    uint32_t           terms      = desc->filter.term_count;
    kith_reactive_desc copy       = *desc;
    kith_copier        to = { (uint8_t *)set, sizeof *set + conditions * sizeof *set->watches };
    copy.conditions   = kith_copier_put(&to, desc->conditions, conditions * sizeof(kith_condition));
    copy.filter.terms = kith_copier_put(&to, desc->filter.terms, terms * sizeof(kith_term));
    copy.name         = kith_copier_text(&to, desc->name);
    copy.filter.name  = kith_copier_text(&to, desc->filter.name);
    if (set != NULL) {
        set->desc = copy;
    }
    return to.used;
}

static void destroy_reactive(kith_object *object)
{
    kith_reactive        *set    = (kith_reactive *)object;
    const kith_allocator *memory = &object->world->memory;
    kith_entity_set_free(&set->members, memory);
    kith_free(memory, set, copy_reactive_desc(NULL, &set->desc), KITH_CACHE_LINE);
}

// Ends the watches, takes the set out of the lists of the world and destroys it.
static void end_reactive(kith_reactive *set)
{
    kith_reactive **other = &set->object.world->reactives;
    for (; *other != set; other = &(*other)->next) {
    }
    *other = set->next;
    kith_object_unlink(&set->object);
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        kith_watch   *watch   = &set->watches[i];
        kith_storage *storage = watch->storage;
        kith_watch  **place   = &storage->watches;
        for (; *place != watch; place = &(*place)->next) {
        }
        *place = watch->next;
        storage->reservers--;
        for (uint32_t event = 0; event < KITH_WATCH_EVENTS; event++) {
            kith_world_disconnect(set->object.world, &storage->events[event], storage,
                                  (kith_event)event, watch->listeners[event]);
        }
        kith_storage_update_inline_bit(storage);
    }
    destroy_reactive(&set->object);
}

// Begins all watches, connects them and reserves memory; returns false when memory runs out.
static bool begin_reactive(kith_reactive *set)
{
    kith_listener_desc desc = {
        .call = on_event, .many = on_events, .context = set, .priority = set->desc.priority
    };
    bool able = true;
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        const kith_condition *asked   = &set->desc.conditions[i];
        kith_watch           *watch   = &set->watches[i];
        kith_storage         *storage = kith_world_storage(set->object.world, asked->component);
        watch->set                    = set;
        watch->storage                = storage;
        watch->next                   = storage->watches;
        storage->watches              = watch;
        storage->reserve_watches      = reserve_watches;
        storage->reservers++;
        kith_storage_update_inline_bit(storage);
        for (unsigned event = 0; event < KITH_WATCH_EVENTS; event++) {
            if ((asked->on & 1u << event) != 0) { // the bits have the order of the enum
                desc.event              = (kith_event)event;
                watch->listeners[event] = kith_world_connect(
                    set->object.world, &storage->events[event], storage, &desc, NULL);
                able = able && watch->listeners[event] != 0;
            }
        }
    }
    return able && kith_reactive_reserve_more(set, 0);
}

static void shrink_reactive(kith_object *object)
{
    kith_reactive *set = (kith_reactive *)object;
    if (kith_reactive_count(set) == 0 && watched_rows(set) == 0) {
        kith_entity_set_free(&set->members, &object->world->memory);
    }
}

static size_t bytes_of_reactive(const kith_object *object)
{
    const kith_reactive *set = (const kith_reactive *)object;
    return copy_reactive_desc(NULL, &set->desc) + kith_entity_set_bytes(&set->members);
}

static const kith_object_ops reactive_ops = { .destroy = destroy_reactive,
                                              .bytes   = bytes_of_reactive,
                                              .shrink  = shrink_reactive };

kith_reactive *kith_reactive_create(kith_world *world, const kith_reactive_desc *desc)
{
    kith_error error = { .call = call_create_reactive };
    kith_plan  plan;
    if (!kith_require_unlocked(world, call_create_reactive) || !check_conditions(world, desc)) {
        return NULL;
    }
    if (kith_plan_make(&plan, world, &desc->filter, &error) != KITH_OK) {
        kith_world_fail(world, &error);
        return NULL;
    }
    kith_reactive *set =
        kith_alloc_zeroed(&world->memory, copy_reactive_desc(NULL, desc), KITH_CACHE_LINE);
    if (set != NULL) {
        kith_reactive **place = &world->reactives;
        set->filter           = plan;
        set->since            = world->tick;
        copy_reactive_desc(set, desc);
        kith_object_link(world, &set->object, &reactive_ops);
        for (; *place != NULL; place = &(*place)->next) {
        }
        *place = set;
        if (begin_reactive(set)) {
            return set;
        }
        end_reactive(set);
    }
    kith_world_refuse(world, KITH_ERROR_MEMORY, call_create_reactive, 0, KITH_NULL);
    return NULL;
}

bool kith_world_copy_reactives(kith_world *world, const kith_world *from)
{
    for (const kith_reactive *set = from->reactives; set != NULL; set = set->next) {
        kith_reactive *copy = kith_reactive_create(world, &set->desc);
        if (copy == NULL || !kith_entity_set_copy(&copy->members, &world->memory, &set->members)) {
            return false;
        }
        copy->since = set->since;
    }
    return true;
}

kith_reactive *kith_reactive_at(const kith_world *world, uint32_t place)
{
    kith_reactive *set = world->reactives;
    for (; set != NULL && place != 0; place--) {
        set = set->next;
    }
    return set;
}

bool kith_reactive_destroy(kith_reactive *set)
{
    if (set == NULL || !kith_require_unlocked(set->object.world, __func__)) {
        return set == NULL;
    }
    if (set->systems != 0) {
        return kith_world_mistake(set->object.world, __func__, "a system waits for its members",
                                  set->desc.name);
    }
    end_reactive(set);
    return true;
}

KITH_NAMES(kith_event, "add\0set\0remove\0create\0destroy\0replaced\0")

const char *kith_on_name(kith_on on)
{
    // a word for each value from 1 on: 1, 2, 4 and 8 are the conditions
    return kith_word_at("add\0set\0?\0remove\0?\0?\0?\0changed\0", (uint32_t)on - 1);
}

const kith_reactive_desc *kith_reactive_describe(const kith_reactive *set)
{
    return &set->desc;
}

// --- members ---------------------------------------------------------------------------------

// Whether a collected entity is still a member: dead entities are not, unless `keep_dead` is set.
static bool is_kept(const kith_reactive *set, kith_entity entity)
{
    return set->desc.keep_dead || kith_entity_table_alive(&set->object.world->entities, entity);
}

kith_entity kith_reactive_next(const kith_reactive *set, uint64_t *place)
{
    const kith_entity_set_member *entry = kith_entity_set_after(&set->members, *place);
    for (; entry != NULL && entry < set->members.entries + set->members.end; entry++) {
        *place = entry->number;
        if (entry->entity != KITH_NULL && is_kept(set, entry->entity)) {
            return entry->entity;
        }
    }
    return KITH_NULL;
}

uint32_t kith_reactive_count(const kith_reactive *set)
{
    uint64_t place = 0;
    uint32_t count = 0;
    if (set->desc.keep_dead) {
        return set->members.count;
    }
    while (kith_reactive_next(set, &place) != KITH_NULL) {
        count++;
    }
    return count;
}

bool kith_reactive_contains(const kith_reactive *set, kith_entity entity)
{
    return kith_entity_set_has(&set->members, entity) && is_kept(set, entity);
}

bool kith_reactive_remove(kith_reactive *set, kith_entity entity)
{
    return kith_require_unlocked_for(set->object.world, "kith_reactive_remove", 0, entity) &&
           is_kept(set, entity) && kith_entity_set_remove(&set->members, entity);
}

void kith_reactive_clear(kith_reactive *set)
{
    if (kith_require_unlocked(set->object.world, "kith_reactive_clear")) {
        kith_entity_set_clear(&set->members);
    }
}
