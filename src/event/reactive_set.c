// SPDX-License-Identifier: MIT
#include "world/event.h"

#define EVERY_CONDITION (KITH_ON_ADD | KITH_ON_SET | KITH_ON_REMOVE | KITH_ON_CHANGED)

// --- collecting ------------------------------------------------------------------------------

static bool is_accepted(kith_reactive *set, kith_entity entity)
{
    const kith_entity_table *table = &set->world->entities;
    bool                     meets = set->desc.filter.term_count == 0 ||
                 kith_plan_matches(&set->filter, table, kith_entity_index(entity));
    if (meets && set->desc.accept != NULL) {
        kith_world_lock(set->world);
        meets = set->desc.accept(set->world, entity, set->desc.context);
        kith_world_unlock(set->world);
    }
    return meets;
}

static bool collect(kith_reactive *set, kith_entity entity)
{
    if (kith_entity_set_has(&set->members, entity) || !is_accepted(set, entity)) {
        return false;
    }
    kith_entity_set_add(&set->members, entity, kith_reactive_living(set));
    return true;
}

static void hear_event(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    collect(context, notice->entity);
}

static void hear_events(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                        uint32_t count, void *context)
{
    (void)world;
    (void)notice;
    for (uint32_t i = 0; i < count; i++) {
        collect(context, entities[i]);
    }
}

// What an update goes through: rows written from the set's tick on, but not in the tick `but`.
typedef struct sweep {
    kith_reactive *set;
    uint64_t       but;
    bool           looks; // and collects nobody
} sweep;

static uint32_t sweep_page(const sweep *s, const kith_sparse_set *rows, uint32_t page)
{
    uint32_t first = page << rows->head.shift_;
    uint32_t end   = kith_min(rows->head.rows_, first + kith_sparse_set_page_rows(rows));
    uint32_t came  = 0;
    for (uint32_t row = first; row < end; row++) {
        uint32_t index   = *kith_sparse_set_packed(rows, row);
        uint64_t changed = kith_sparse_set_changed_tick(rows, row);
        if ((index & KITH_HOLE) == 0 && changed >= s->set->since && changed != s->but) {
            came +=
                s->looks || collect(s->set, *kith_entity_slot_of(&s->set->world->entities, index));
        }
    }
    return came;
}

static uint32_t sweep_pages(const sweep *s)
{
    const kith_reactive *set  = s->set;
    uint32_t             came = 0;
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        const kith_sparse_set *rows = &set->watches[i].storage->pool.set;
        bool changed = (set->desc.conditions[i].on & KITH_ON_CHANGED) != 0 && rows->head.rows_ != 0;
        for (uint32_t page = 0; changed && page <= (rows->head.rows_ - 1) >> rows->head.shift_;
             page++) {
            came += rows->head.stamps_[page] >= set->since ? sweep_page(s, rows, page) : 0;
        }
    }
    return came;
}

KITH_API uint32_t kith_reactive_update(kith_reactive *set)
{
    const sweep all = { .set = set };
    if (!kith_require_unlocked(set->world, "kith_reactive_update")) {
        return 0;
    }
    uint32_t came = sweep_pages(&all);
    set->since    = set->world->tick;
    return came;
}

KITH_INTERNAL void kith_reactive_update_for(kith_reactive *set, uint64_t own)
{
    const sweep others = { set, own, set->systems > 1 };
    uint32_t    came   = sweep_pages(&others);
    if (!others.looks) {
        set->since = set->world->tick;
    } else if (came != 0) {
        kith_reactive_update(set);
    }
}

// --- making ----------------------------------------------------------------------------------

static bool fail_condition(kith_world *world, const kith_reactive_desc *desc,
                           kith_component component, const char *subject)
{
    kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                         .call      = "kith_reactive_create",
                         .component = component,
                         .subject   = subject,
                         .other     = desc->name };
    return kith_world_fail(world, &error);
}

// Whether a condition makes sense; if not it is an error.
static bool condition_makes_sense(kith_world *world, const kith_reactive_desc *desc, uint32_t i)
{
    kith_condition asked  = desc->conditions[i];
    bool           values = (asked.on & (KITH_ON_SET | KITH_ON_CHANGED)) != 0;
    if (asked.on == 0 || asked.on > EVERY_CONDITION) {
        return fail_condition(world, desc, asked.component,
                              "a condition is on add, set, remove, changed");
    }
    for (uint32_t k = 0; k < i; k++) {
        if (desc->conditions[k].component == asked.component) {
            return fail_condition(world, desc, asked.component, "a component has two conditions");
        }
    }
    unsigned kinds = values ? 1u << KITH_KIND_VALUE : KITH_ON_ENTITY;
    return kith_storage_for_setup(world, asked.component, KITH_NULL, kinds | KITH_READS,
                                  "kith_reactive_create") != NULL;
}

static bool conditions_make_sense(kith_world *world, const kith_reactive_desc *desc)
{
    bool sane = desc->condition_count != 0 && desc->conditions != NULL &&
                desc->condition_count <= KITH_REACTIVE_CONDITIONS_MAX;
    if (!sane) {
        return fail_condition(world, desc, 0, "a reactive set has 1 to 64 conditions");
    }
    for (uint32_t i = 0; i < desc->condition_count && sane; i++) {
        sane = condition_makes_sense(world, desc, i);
    }
    return sane;
}

static size_t text_bytes(const char *text)
{
    return text == NULL ? 0 : strlen(text) + 1;
}

static size_t reactive_bytes(const kith_reactive_desc *desc)
{
    return sizeof(kith_reactive) +
           desc->condition_count * (sizeof(kith_watch) + sizeof *desc->conditions) +
           desc->filter.term_count * sizeof *desc->filter.terms + text_bytes(desc->name) +
           text_bytes(desc->filter.name);
}

static char *copy_text(char *to, const char **text)
{
    size_t bytes = text_bytes(*text);
    if (bytes != 0) {
        memcpy(to, *text, bytes);
        *text = to;
    }
    return to + bytes;
}

// Makes the description the set's own.
static void copy_reactive_desc(kith_reactive *set, const kith_reactive_desc *desc)
{
    kith_condition *conditions = (kith_condition *)(void *)(set->watches + desc->condition_count);
    kith_term      *terms      = (kith_term *)(void *)(conditions + desc->condition_count);
    char           *text       = (char *)(terms + desc->filter.term_count);
    set->desc                  = *desc;
    memcpy(conditions, desc->conditions, desc->condition_count * sizeof *conditions);
    if (desc->filter.term_count != 0) {
        memcpy(terms, desc->filter.terms, desc->filter.term_count * sizeof *terms);
    }
    set->desc.conditions   = conditions;
    set->desc.filter.terms = terms;
    text                   = copy_text(text, &set->desc.name);
    copy_text(text, &set->desc.filter.name);
}

static void begin_watch(kith_reactive *set, uint32_t i)
{
    kith_watch   *watch   = &set->watches[i];
    kith_storage *storage = kith_world_storage(set->world, set->desc.conditions[i].component);
    *watch           = (kith_watch){ .set = set, .storage = storage, .next = storage->watches };
    storage->watches = watch;
    storage->anchors++;
    kith_storage_update_inline_bit(storage);
}

static void end_watch(kith_watch *watch)
{
    kith_watch **place = &watch->storage->watches;
    while (*place != watch) {
        place = &(*place)->next;
    }
    *place = watch->next;
    watch->storage->anchors--;
    for (uint32_t event = 0; event < KITH_WATCH_EVENTS; event++) {
        kith_world_disconnect(watch->set->world, &watch->storage->events[event], watch->storage,
                              (kith_event)event, watch->listeners[event]);
    }
    kith_storage_update_inline_bit(watch->storage);
}

static void free_reactive(kith_reactive *set)
{
    const kith_allocator *memory = &set->world->memory;
    kith_entity_set_release(&set->members, memory);
    kith_free(memory, set, reactive_bytes(&set->desc), KITH_CACHE_LINE);
}

static void end_reactive(kith_reactive *set)
{
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        end_watch(&set->watches[i]);
    }
    free_reactive(set);
}

// Connects the set to what it hears of; false when memory runs out.
static bool connect_watch(kith_reactive *set, uint32_t i)
{
    static const uint32_t on[KITH_WATCH_EVENTS] = { KITH_ON_ADD, KITH_ON_SET, KITH_ON_REMOVE };
    const kith_condition *asked                 = &set->desc.conditions[i];
    kith_listener_desc    desc                  = { .component = asked->component,
                                                    .call      = hear_event,
                                                    .many      = hear_events,
                                                    .context   = set,
                                                    .priority  = set->desc.priority };
    for (unsigned event = 0; event < KITH_WATCH_EVENTS; event++) {
        desc.event = (kith_event)event; // in the same order
        if ((asked->on & on[event]) != 0) {
            kith_storage *storage = set->watches[i].storage;
            set->watches[i].listeners[event] =
                kith_world_connect(set->world, &storage->events[event], storage, &desc, NULL);
            if (set->watches[i].listeners[event] == 0) {
                return false;
            }
        }
    }
    return true;
}

static bool begin_reactive(kith_reactive *set)
{
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        begin_watch(set, i);
    }
    bool able = kith_reactive_secure(set, 0);
    for (uint32_t i = 0; i < set->desc.condition_count && able; i++) {
        able = connect_watch(set, i);
    }
    return able;
}

static kith_reactive *fail_reactive(kith_world *world)
{
    kith_world_refuse(world, KITH_ERROR_MEMORY, "kith_reactive_create", 0, KITH_NULL);
    return NULL;
}

static kith_reactive **reactive_end(kith_world *world)
{
    kith_reactive **place = &world->reactives;
    while (*place != NULL) {
        place = &(*place)->next;
    }
    return place;
}

KITH_API kith_reactive *kith_reactive_create(kith_world *world, const kith_reactive_desc *desc)
{
    kith_error error = { .call = "kith_reactive_create" };
    kith_plan  plan;
    if (!kith_require_unlocked(world, error.call) || !conditions_make_sense(world, desc)) {
        return NULL;
    }
    if (kith_plan_make(&plan, world, &desc->filter, &error) != KITH_OK) {
        kith_world_fail(world, &error);
        return NULL;
    }
    kith_reactive *set = kith_alloc(&world->memory, reactive_bytes(desc), KITH_CACHE_LINE);
    if (set == NULL) {
        return fail_reactive(world);
    }
    *set = (kith_reactive){ .world = world, .filter = plan, .since = world->tick };
    copy_reactive_desc(set, desc);
    if (!begin_reactive(set)) {
        end_reactive(set);
        return fail_reactive(world);
    }
    *reactive_end(world) = set;
    return set;
}

KITH_INTERNAL bool kith_world_copy_reactives(kith_world *world, const kith_world *from)
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

KITH_API kith_reactive *kith_reactive_at(const kith_world *world, uint32_t place)
{
    kith_reactive *set = world->reactives;
    for (; set != NULL && place != 0; place--) {
        set = set->next;
    }
    return set;
}

KITH_API bool kith_reactive_destroy(kith_reactive *set)
{
    static const char call[] = "kith_reactive_destroy";
    if (set == NULL || !kith_require_unlocked(set->world, call)) {
        return false;
    }
    if (set->systems != 0) {
        kith_error error = { .code    = KITH_ERROR_ARGUMENT,
                             .call    = call,
                             .subject = "a system waits for its members",
                             .other   = set->desc.name };
        return kith_world_fail(set->world, &error);
    }
    kith_reactive **place = &set->world->reactives;
    while (*place != set) {
        place = &(*place)->next;
    }
    *place = set->next;
    end_reactive(set);
    return true;
}

KITH_INTERNAL void kith_world_free_reactives(kith_world *world)
{
    while (world->reactives != NULL) {
        kith_reactive *set = world->reactives;
        world->reactives   = set->next;
        free_reactive(set);
    }
}

KITH_INTERNAL void kith_world_shrink_reactives(kith_world *world)
{
    for (kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        if (kith_reactive_count(set) == 0 && kith_reactive_watched(set) == 0) {
            kith_entity_set_release(&set->members, &world->memory);
        }
    }
}

KITH_INTERNAL size_t kith_world_reactive_bytes(const kith_world *world)
{
    size_t bytes = 0;
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        bytes += reactive_bytes(&set->desc) + kith_entity_set_bytes(&set->members);
    }
    return bytes;
}

KITH_API const kith_reactive_desc *kith_reactive_describe(const kith_reactive *set)
{
    return &set->desc;
}

KITH_API kith_world *kith_reactive_world(const kith_reactive *set)
{
    return set->world;
}

// --- members ---------------------------------------------------------------------------------

// Who has died since it came is a member no longer, unless the set keeps the dead.
static bool is_kept(const kith_reactive *set, kith_entity entity)
{
    return set->desc.keep_dead || kith_entity_table_alive(&set->world->entities, entity);
}

KITH_API kith_entity kith_reactive_next(const kith_reactive *set, uint64_t *place)
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

KITH_API uint32_t kith_reactive_count(const kith_reactive *set)
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

KITH_API bool kith_reactive_contains(const kith_reactive *set, kith_entity entity)
{
    return kith_entity_set_has(&set->members, entity) && is_kept(set, entity);
}

KITH_API bool kith_reactive_remove(kith_reactive *set, kith_entity entity)
{
    bool there = kith_reactive_contains(set, entity);
    return kith_require_unlocked_for(set->world, "kith_reactive_remove", 0, entity) && there &&
           kith_entity_set_remove(&set->members, entity);
}

KITH_API void kith_reactive_clear(kith_reactive *set)
{
    if (kith_require_unlocked(set->world, "kith_reactive_clear")) {
        kith_entity_set_clear(&set->members);
    }
}
