// SPDX-License-Identifier: MIT
// Opens a world and its model, and compares all that can be seen of both.
#include "stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool stage_differ(stage *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->difference, sizeof s->difference, format, arguments);
    va_end(arguments);
    return false;
}

void stage_fault(stage *s, const char *sentence)
{
    s->fault = s->fault == NULL ? sentence : s->fault;
}

// ---------------------------------------------------------------------------------------------
// Memory and errors of the world
// ---------------------------------------------------------------------------------------------

// The memory sanitizer notices by itself when the world reads what it did not write.
#if defined(__has_feature)
    #if __has_feature(memory_sanitizer)
        #define WATCHED 1
    #endif
#endif

static void soil(void *address, size_t size)
{
#ifdef WATCHED
    (void)address, (void)size;
#else
    memset(address, 0xa5, size);
#endif
}

static void *allocate(void *context, size_t size, size_t alignment)
{
    stage_memory *memory = context;
    memory->allocations++;
    if (memory->allocations == memory->refuse_at) {
        memory->refused++;
        return NULL;
    }
    size_t least   = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void  *address = aligned_alloc(least, (size + least - 1) / least * least);
    if (address != NULL) {
        soil(address, size);
        memory->live_bytes += size;
    }
    return address;
}

static void release(void *context, void *address, size_t size, size_t alignment)
{
    (void)alignment;
    stage_memory *memory = context;
    memory->live_bytes -= size;
    free(address);
}

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    stage *s = context;
    if (error->code == KITH_ERROR_NOTICE) { // of builds with KITH_DEBUG: no error
        return;
    }
    if (world != s->reported_from || kith_error_text(world, error, NULL, 0) == 0) {
        s->reported_stranger = true;
    }
    if (s->reported_count < MODEL_REPORTED) {
        s->reported[s->reported_count++] =
            (model_error){ error->code, error->component, error->entity };
    }
}

kith_world_desc stage_world_desc(stage *s, const kith_world_desc *desc)
{
    kith_world_desc own = *desc;
    own.allocator       = (kith_allocator){ allocate, release, &s->memory };
    own.on_error        = record_error;
    own.error_context   = s;
    return own;
}

// ---------------------------------------------------------------------------------------------
// Begin and end
// ---------------------------------------------------------------------------------------------

bool stage_begin(stage *s, const kith_world_desc *desc, model_fault fault)
{
    memset(s, 0, sizeof *s);
    hook_book_begin(&s->hooks);
    kith_world_desc own = stage_world_desc(s, desc);
    s->world            = kith_world_create(&own);
    s->reported_from    = s->world;
    model_world_create(&s->model, &own);
    s->model.fault = fault;
    return s->world != NULL || stage_differ(s, "the world was not made");
}

void stage_step_begin(stage *s, const stage_trouble *trouble)
{
    model_step_begin(&s->model, trouble->fail_at, trouble->meddle_naive, trouble->meddler);
    hook_step_begin(&s->hooks, trouble->fail_at, trouble->meddle_real, trouble->meddler);
    s->memory.allocations = 0;
    s->memory.refused     = 0;
    s->memory.refuse_at   = trouble->refuse_at;
    s->reported_count     = 0;
}

// Values that exist beside those of the world, which has a value for each entity with the
// component.
static uint32_t count_others_alive(const stage *s)
{
    kith_component id    = 0;
    uint32_t       alive = s->hooks.live;
    while ((id = kith_component_next(s->world, id)) != 0) {
        const kith_component_desc *desc = kith_component_describe(s->world, id);
        if (desc->traits.hooks.destruct != NULL && !catalog_is_name(id)) {
            alive -= desc->kind == KITH_KIND_SINGLETON ? kith_singleton_get(s->world, id) != NULL
                                                       : kith_component_count(s->world, id);
        }
    }
    return alive;
}

void stage_frames_begin(stage *s)
{
    s->hooks.muted++;
    s->frames_live -= count_others_alive(s);
}

void stage_frames_end(stage *s)
{
    s->hooks.muted--;
    s->frames_live += count_others_alive(s);
}

bool stage_drop_ring(stage *s, uint32_t ring)
{
    stage_frames *frames = &s->frames[ring];
    stage_frames_begin(s);
    bool gone      = kith_frames_destroy(frames->ring);
    frames->ring   = gone ? NULL : frames->ring;
    frames->viewed = frames->viewed && !gone;
    stage_frames_end(s);
    return gone;
}

void stage_drop_frames(stage *s)
{
    for (uint32_t i = 0; i < MODEL_RINGS; i++) {
        stage_drop_ring(s, i);
    }
}

bool stage_lacked_memory(const stage *s, const model_error *error)
{
    return error->code == KITH_ERROR_MEMORY ||
           (error->code == KITH_ERROR_HOOK && s->memory.refused != 0);
}

bool stage_starved(const stage *s)
{
    bool starved = false;
    for (uint32_t i = 0; i < s->reported_count; i++) {
        starved = starved || stage_lacked_memory(s, &s->reported[i]);
    }
    return starved;
}

void stage_issue(stage *s, kith_entity entity)
{
    if (entity != KITH_NULL) {
        s->issued[s->issued_count++ % STAGE_ISSUED] = entity;
    }
}

uint32_t stage_see(stage *s, kith_component component, const void *value)
{
    const kith_component_desc *desc = kith_component_describe(s->world, component);
    if (value == NULL) {
        return 0;
    }
    if (catalog_is_name(component)) {
        return 1u + name_number(value);
    }
    return desc == NULL || desc->size == 0 ? 1u : 1u + *(const uint8_t *)value;
}

bool stage_is_tree(const stage *s, kith_component component)
{
    bool found = false;
    for (uint32_t i = 0; i < s->tree_count; i++) {
        found = found || s->trees[i] == component;
    }
    return found;
}

void stage_learn(stage *s)
{
    for (uint32_t i = 0; i < s->model.component_count; i++) {
        kith_component_desc       *desc = &s->model.components[i].desc;
        const kith_component_desc *full = kith_component_describe(s->world, desc->id);
        if (desc->traits.page_rows == 0 && full != NULL) {
            desc->traits.page_rows = full->traits.page_rows;
        }
    }
}

void stage_forget_addresses(stage *s)
{
    memset(s->addresses, 0, sizeof s->addresses);
}

// ---------------------------------------------------------------------------------------------
// Comparing errors and hooks
// ---------------------------------------------------------------------------------------------

static bool same_error(const model_error *a, const model_error *b)
{
    return a->code == b->code && a->component == b->component && a->entity == b->entity;
}

static bool error_differs(stage *s, const char *what, const model_error *got,
                          const model_error *want)
{
    return stage_differ(s, "%s is %d, component %u, entity %#llx, not %d, %u, %#llx", what,
                        (int)got->code, (unsigned)got->component, (unsigned long long)got->entity,
                        (int)want->code, (unsigned)want->component,
                        (unsigned long long)want->entity);
}

static bool compare_errors(stage *s)
{
    kith_error  last   = kith_world_error(s->world);
    model_error record = { last.code, last.component, last.entity };
    if (s->reported_stranger) {
        return stage_differ(s, "an error came from another world or has no text");
    }
    for (uint32_t i = 0; i < s->reported_count && i < s->model.reported_count; i++) {
        if (!same_error(&s->reported[i], &s->model.reported[i])) {
            return error_differs(s, "the error reported", &s->reported[i], &s->model.reported[i]);
        }
    }
    if (s->reported_count != s->model.reported_count) {
        const model_error *odd = s->reported_count > s->model.reported_count
                                     ? &s->reported[s->model.reported_count]
                                     : &s->model.reported[s->reported_count];
        return stage_differ(s, "%u errors were reported, not %u; the odd one is %d, component %u",
                            (unsigned)s->reported_count, (unsigned)s->model.reported_count,
                            (int)odd->code, (unsigned)odd->component);
    }
    if (!same_error(&record, &s->model.record)) {
        return error_differs(s, "the recorded error", &record, &s->model.record);
    }
    return last.code == KITH_OK || last.call != NULL || stage_differ(s, "an error names no call");
}

// A key by which equal events stand together.
static int life_order(const void *a, const void *b)
{
    const model_life *x = a;
    const model_life *y = b;
    if (x->event != y->event) {
        return x->event < y->event ? -1 : 1;
    }
    if (x->context != y->context) {
        return (uintptr_t)x->context < (uintptr_t)y->context ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

// Constructors and copies first, in their order, then destructors.
static uint32_t part_life(const model_life *life, uint32_t count, model_life *out)
{
    uint32_t made = 0;
    uint32_t all  = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (life[i].event != 'd') {
            out[made++] = life[i];
        }
    }
    all = made;
    for (uint32_t i = 0; i < count; i++) {
        if (life[i].event == 'd') {
            out[all++] = life[i];
        }
    }
    return made;
}

static bool compare_life(stage *s, stage_life life)
{
    model_life real[MODEL_LIFE];
    model_life want[MODEL_LIFE];
    uint32_t   count = s->hooks.life_count;
    uint32_t   made  = part_life(s->hooks.life, count, real);
    if (s->hooks.fault != NULL) {
        return stage_differ(s, "hooks: %s", s->hooks.fault);
    }
    if (life == STAGE_LIFE_PAIRED) {
        return 2 * made == count || stage_differ(s, "a value that was made was not destructed");
    }
    if (count != s->model.life_count) {
        return stage_differ(s, "%u hooks were called, not %u", (unsigned)count,
                            (unsigned)s->model.life_count);
    }
    part_life(s->model.life, count, want);
    if (life == STAGE_LIFE_COUNTED) {
        qsort(real + made, count - made, sizeof *real, life_order);
        qsort(want + made, count - made, sizeof *want, life_order);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (life_order(&real[i], &want[i]) != 0) {
            return stage_differ(s, "hook call %u is %c of %u, not %c of %u", (unsigned)i,
                                real[i].event, real[i].number, want[i].event, want[i].number);
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Comparing entities
// ---------------------------------------------------------------------------------------------

static bool compare_number(stage *s, const char *what, uint32_t of, uint64_t got, uint64_t want)
{
    return got == want || stage_differ(s, "%s (%u) is %#llx, not %#llx", what, (unsigned)of,
                                       (unsigned long long)got, (unsigned long long)want);
}

static bool compare_stats(stage *s)
{
    kith_stats got  = kith_world_stats(s->world);
    kith_stats want = model_world_stats(&s->model);
    return compare_number(s, "stats.alive", 0, got.alive, want.alive) &&
           compare_number(s, "stats.slots", 0, got.slots, want.slots) &&
           compare_number(s, "stats.limit", 0, got.limit, want.limit) &&
           compare_number(s, "stats.free", 0, got.free, want.free) &&
           compare_number(s, "stats.retired", 0, got.retired, want.retired) &&
           compare_number(s, "stats.next_free", 0, got.next_free, want.next_free) &&
           compare_number(s, "stats.components", 0, got.components, want.components) &&
           compare_number(s, "entity_count", 0, kith_entity_count(s->world), want.alive);
}

static bool compare_slots(stage *s)
{
    for (uint32_t index = 0; index <= s->model.slot_count; index++) {
        uint32_t    current = model_entity_current(&s->model, index);
        kith_entity handle  = kith_entity_make(index, current);
        if (!compare_number(s, "version of slot", index,
                            kith_entity_version(kith_entity_slot(s->world, index)), current) ||
            !compare_number(s, "entity_alive", index, kith_entity_alive(s->world, handle),
                            model_entity_alive(&s->model, handle)) ||
            !compare_number(s, "entity_slot", index, kith_entity_slot(s->world, index),
                            model_entity_slot(&s->model, index))) {
            return false;
        }
    }
    return true;
}

// Sets each entity's bits as its rows say. Bits number the components that are no singletons.
static void collect_signatures(const model *m, kith_signature *signatures)
{
    uint32_t bit = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        for (uint32_t row = 0; row < component->row_count; row++) {
            if (component->rows[row].entity != KITH_NULL) {
                uint32_t index = model_entity_index(component->rows[row].entity);
                signatures[index].words[bit / 64] |= UINT64_C(1) << bit % 64;
            }
        }
        bit += component->desc.kind != KITH_KIND_SINGLETON;
    }
}

// Walks the living and compares each one's signature.
static bool compare_walk(stage *s)
{
    static const kith_signature empty;
    kith_signature              want[MODEL_SLOTS];
    for (uint32_t i = 0; i < s->model.slot_count; i++) {
        if (s->model.slots[i].state == MODEL_ALIVE) {
            want[i] = empty;
        }
    }
    collect_signatures(&s->model, want);
    kith_entity walked = KITH_NULL;
    do {
        kith_entity expected = model_entity_next(&s->model, walked);
        walked               = kith_entity_next(s->world, walked);
        if (!compare_number(s, "entity_next", 0, walked, expected)) {
            return false;
        }
        kith_signature        got = kith_entity_signature(s->world, walked);
        const kith_signature *signature =
            walked == KITH_NULL ? &empty : &want[kith_entity_index(walked)];
        if (memcmp(&got, signature, sizeof got) != 0) {
            return stage_differ(s, "the signature of entity %#llx differs",
                                (unsigned long long)walked);
        }
    } while (walked != KITH_NULL);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Comparing components
// ---------------------------------------------------------------------------------------------

static bool is_pool(const model_component *component)
{
    return component->desc.kind == KITH_KIND_VALUE || component->desc.kind == KITH_KIND_TAG;
}

// A row has one address as long as its page is there.
static bool compare_address(stage *s, uint32_t place, uint32_t row, const void *value)
{
    const model_component     *component = &s->model.components[place];
    const kith_component_desc *desc      = kith_component_describe(s->world, component->desc.id);
    const void               **seen      = &s->addresses[place][row];
    if (*seen != NULL && *seen != value) {
        return stage_differ(s, "row %u of %s has another address than before", (unsigned)row,
                            component->name);
    }
    *seen = value;
    return row % desc->traits.page_rows != 0 || (uintptr_t)value % desc->traits.alignment == 0 ||
           stage_differ(s, "a page of %s is not aligned", component->name);
}

static bool compare_node(stage *s, kith_component tree, kith_entity entity, const kith_node *got)
{
    kith_node want;
    model_tree_node(&s->model, tree, entity, &want);
    return memcmp(got, &want, sizeof want) == 0 ||
           stage_differ(s, "the links of entity %#llx in hierarchy %u differ",
                        (unsigned long long)entity, (unsigned)tree);
}

// Arrivals are no state.
static bool compare_link(stage *s, const model_component *component, uint32_t row,
                         const void *value)
{
    kith_link        link = { 0 };
    kith_holder_list list = { 0 };
    kith_link        got  = { 0 };
    bool             same;
    if (component->is_link) {
        model_link_value(&s->model, component->desc.id, &component->rows[row], &link);
        memcpy(&got, value, sizeof got);
        got.arrival = 0;
        same        = memcmp(&got, &link, sizeof got) == 0;
    } else {
        model_list_value(&s->model, component->desc.id, component->rows[row].entity, &list);
        same = memcmp(value, &list, sizeof list) == 0;
    }
    return same || stage_differ(s, "row %u of %s differs", (unsigned)row, component->name);
}

// The holders of each entity, by walking.
static bool compare_holders_of(stage *s, kith_component link)
{
    kith_entity list[MODEL_ROWS];
    bool        same = true;
    for (kith_entity e = KITH_NULL; same && (e = kith_entity_next(s->world, e)) != KITH_NULL;) {
        uint32_t     count = model_holders_list(&s->model, link, e, list);
        kith_holders walk  = kith_holders_begin(s->world, link, e);
        same =
            compare_number(s, "holders_count", link, kith_holders_count(s->world, link, e), count);
        for (uint32_t i = 0; i < count && same; i++) {
            same = kith_holders_next(&walk) &&
                   compare_number(s, "holders_next", link, walk.entity, list[i]);
        }
        same = same && compare_number(s, "holders_next", link, kith_holders_next(&walk), false);
    }
    return same;
}

static bool compare_holders(stage *s)
{
    bool same = true;
    for (uint32_t i = 0; i < s->model.holding_count && same; i++) {
        same = compare_holders_of(s, s->model.holdings[i].id);
    }
    return same;
}

static bool compare_value(stage *s, uint32_t place, uint32_t row, const void *value)
{
    const model_component *component = &s->model.components[place];
    if (component->desc.size == 0) {
        return true;
    }
    if (component->is_tree) {
        return compare_node(s, component->desc.id, component->rows[row].entity, value) &&
               compare_address(s, place, row, value);
    }
    if (component->is_link || component->is_list) {
        return compare_link(s, component, row, value) && compare_address(s, place, row, value);
    }
    if (model_is_name(component)) {
        return (name_number(value) == component->rows[row].number ||
                stage_differ(s, "row %u of %s is \"%s\"", (unsigned)row, component->name,
                             kith_text_bytes(value))) &&
               compare_address(s, place, row, value);
    }
    const char *fault =
        value_fault(&s->hooks, &component->desc, value, component->rows[row].number);
    return (fault == NULL || stage_differ(s, "row %u of %s is not %u: %s", (unsigned)row,
                                          component->name, component->rows[row].number, fault)) &&
           compare_address(s, place, row, value);
}

static bool compare_row(stage *s, uint32_t place, uint32_t row)
{
    const model_component *component = &s->model.components[place];
    const model_row       *want      = &component->rows[row];
    kith_component         id        = component->desc.id;
    const void            *value     = kith_component_value(s->world, id, row);
    if (!compare_number(s, component->name, row, kith_component_entity(s->world, id, row),
                        want->entity)) {
        return false;
    }
    if (want->entity == KITH_NULL) {
        return value == NULL || stage_differ(s, "a hole of %s has a value", component->name);
    }
    if (value == NULL ||
        (component->desc.size != 0 && value != kith_component_get(s->world, want->entity, id))) {
        return stage_differ(s, "row %u of %s is not what get gives", (unsigned)row,
                            component->name);
    }
    return compare_number(s, component->name, row, kith_component_row(s->world, want->entity, id),
                          row) &&
           compare_number(s, "component_enabled", id,
                          kith_component_enabled(s->world, want->entity, id), !want->disabled) &&
           compare_value(s, place, row, value);
}

// The rows of a page share its stamp.
static bool compare_stamp(stage *s, uint32_t place, uint32_t row)
{
    kith_component id = s->model.components[place].desc.id;
    return compare_number(s, "component_stamp", id, kith_component_stamp(s->world, id, row),
                          model_component_stamp(&s->model, id, row));
}

static bool compare_ticks(stage *s, uint32_t place, uint32_t row)
{
    const model_component *component = &s->model.components[place];
    const model_row       *want      = &component->rows[row];
    kith_component         id        = component->desc.id;
    if (want->entity == KITH_NULL || !component->desc.traits.row_ticks) {
        return true;
    }
    return compare_number(s, "component_changed_at", id,
                          kith_component_changed_at(s->world, want->entity, id), want->changed) &&
           compare_number(s, "component_added_at", id,
                          kith_component_added_at(s->world, want->entity, id), want->added);
}

static bool compare_journal(stage *s, uint32_t place)
{
    const model_component *component = &s->model.components[place];
    kith_component         id        = component->desc.id;
    kith_removal           removal;
    if (component->desc.traits.journal == 0) {
        return true;
    }
    kith_removals walk = kith_removals_begin(s->world, id, 0);
    bool          same = walk.lost == (component->lost != 0);
    for (uint32_t i = 0; i < component->removal_count && same; i++) {
        same = kith_removals_next(s->world, &walk, &removal) &&
               removal.entity == component->removals[i].entity &&
               removal.tick == component->removals[i].tick;
    }
    same = same && !kith_removals_next(s->world, &walk, &removal);
    return same || stage_differ(s, "the journal of %s differs", component->name);
}

static bool compare_pool(stage *s, uint32_t place)
{
    const model_component *component = &s->model.components[place];
    kith_component         id        = component->desc.id;
    if (!compare_number(s, "component_rows", id, kith_component_stats(s->world, id).rows,
                        component->row_count) ||
        !compare_number(s, "component_limit", id, kith_component_stats(s->world, id).limit,
                        component->limit)) {
        return false;
    }
    for (uint32_t row = 0; row < component->row_count; row++) {
        if (!compare_row(s, place, row) || !compare_stamp(s, place, row) ||
            !compare_ticks(s, place, row)) {
            return false;
        }
    }
    return compare_stamp(s, place, component->row_count) && compare_journal(s, place);
}

// A singleton has one address as long as it is there.
static bool compare_singleton(stage *s, uint32_t place)
{
    const model_component *component = &s->model.components[place];
    const void            *value     = kith_singleton_get(s->world, component->desc.id);
    const void           **seen      = &s->singletons[place];
    if ((value != NULL) != component->present) {
        return stage_differ(s, "singleton %s is there or not there", component->name);
    }
    bool same = s->singleton_additions[place] == component->additions;
    if (value != NULL && *seen != NULL && *seen != value && same) {
        return stage_differ(s, "singleton %s has another address than before", component->name);
    }
    *seen                         = value;
    s->singleton_additions[place] = component->additions;
    if (value == NULL) {
        return true;
    }
    const char *fault   = value_fault(&s->hooks, &component->desc, value, component->number);
    bool        aligned = (uintptr_t)value % component->desc.traits.alignment == 0;
    return (fault == NULL && aligned) ||
           stage_differ(s, "singleton %s: %s", component->name, aligned ? fault : "not aligned");
}

static bool compare_desc(stage *s, const model_component *component)
{
    const kith_component_desc *want = &component->desc;
    const kith_component_desc *got  = kith_component_describe(s->world, want->id);
    if (got == NULL) {
        return stage_differ(s, "component %u has no description", (unsigned)want->id);
    }
    const kith_traits *traits = &got->traits;
    bool               same =
        strcmp(got->name, want->name) == 0 && got->id == want->id && got->kind == want->kind &&
        got->size == want->size && got->alignment == want->alignment &&
        traits->page_rows == want->traits.page_rows && traits->policy == want->traits.policy &&
        traits->keep_order == want->traits.keep_order &&
        traits->not_cloned == want->traits.not_cloned &&
        traits->row_ticks == want->traits.row_ticks && traits->journal == want->traits.journal &&
        traits->alignment == want->traits.alignment &&
        traits->required_count == want->traits.required_count &&
        traits->hooks.construct == want->traits.hooks.construct &&
        (catalog_is_name(want->id) || traits->hooks.context == want->traits.hooks.context);
    for (uint32_t i = 0; same && i < traits->required_count; i++) {
        same = traits->required[i] == want->traits.required[i];
    }
    return same || stage_differ(s, "the description of %s differs", component->name);
}

static bool compare_components(stage *s)
{
    kith_component walked = 0;
    for (uint32_t i = 0; i < s->model.component_count; i++) {
        const model_component *component = &s->model.components[i];
        walked                           = kith_component_next(s->world, walked);
        if (!compare_number(s, "component_next", i, walked, component->desc.id) ||
            !compare_desc(s, component)) {
            return false;
        }
        if (component->desc.kind == KITH_KIND_SINGLETON) {
            if (!compare_singleton(s, i)) {
                return false;
            }
        } else if (!compare_number(s, "component_count", component->desc.id,
                                   kith_component_count(s->world, component->desc.id),
                                   component->row_count - component->hole_count) ||
                   (is_pool(component) && !compare_pool(s, i))) {
            return false;
        }
    }
    return compare_number(s, "component_next", 0, kith_component_next(s->world, walked), 0);
}

// ---------------------------------------------------------------------------------------------
// Comparing everything
// ---------------------------------------------------------------------------------------------

// Values that exist according to the model and that have hooks.
static uint32_t count_tracked(const model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        if (component->desc.traits.hooks.destruct == NULL) {
            continue;
        }
        count += component->present + component->waiting_count;
        for (uint32_t row = 0; row < component->row_count; row++) {
            count += component->rows[row].entity != KITH_NULL || component->rows[row].waits;
        }
    }
    return count;
}

// Handles are each side's own business; that there are some is not.
static bool compare_slots_in_use(stage *s)
{
    for (uint32_t i = 0; i < STAGE_LISTENERS; i++) {
        if (!compare_number(s, "listener connected", i, s->connected[i], s->model_connected[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < STAGE_QUERIES; i++) {
        if (!compare_number(s, "query stored", i, s->queries[i] != NULL,
                            s->model_queries[i] != 0)) {
            return false;
        }
    }
    return true;
}

static bool compare_groups(stage *s)
{
    for (uint32_t i = 0; i < STAGE_GROUPS; i++) {
        if (!compare_number(s, "group made", i, s->groups[i] != NULL, s->model_groups[i] != 0) ||
            (s->groups[i] != NULL &&
             !compare_number(s, "group_count", i, kith_group_count(s->groups[i]),
                             model_group_count(&s->model, s->model_groups[i])))) {
            return false;
        }
    }
    return true;
}

static bool compare_paths(stage *s)
{
    bool same = true;
    for (uint32_t i = 0; i < STAGE_PATHS && same; i++) {
        same = compare_number(s, "path made", i, s->paths[i] != NULL, s->model_paths[i] != 0);
    }
    return same;
}

static bool compare_set(stage *s, uint32_t i)
{
    uint64_t place  = 0;
    uint32_t number = s->model_sets[i];
    if (!compare_number(s, "reactive set made", i, s->sets[i] != NULL, number != 0)) {
        return false;
    }
    if (number == 0) {
        return true;
    }
    const model_reactive *set = model_reactive_describe(&s->model, number);
    bool same = compare_number(s, "reactive_count", i, kith_reactive_count(s->sets[i]),
                               model_reactive_count(&s->model, number));
    for (uint32_t k = 0; k < set->count && same; k++) {
        if (model_reactive_contains(&s->model, number, set->list[k])) {
            same = compare_number(s, "reactive_next", i, kith_reactive_next(s->sets[i], &place),
                                  set->list[k]) &&
                   compare_number(s, "reactive_contains", i,
                                  kith_reactive_contains(s->sets[i], set->list[k]), true);
        }
    }
    return same;
}

static bool compare_reacts(stage *s)
{
    bool same = true;
    for (uint32_t i = 0; i < STAGE_PATHS && same; i++) {
        same = compare_set(s, i) &&
               compare_number(s, "queue_count", i, kith_queue_count(s->queues_of_events[i]),
                              model_queue_count(&s->model, s->model_queues_of_events[i]));
    }
    return same;
}

static bool compare_systems(stage *s)
{
    bool same = true;
    for (uint32_t i = 0; i < STAGE_SYSTEMS && same; i++) {
        same = compare_number(s, "system made", i, s->systems[i] != NULL,
                              model_system_at(&s->model, i) != NULL);
    }
    return same;
}

// Both walks from a root, and behind their ends.
static bool compare_walks_from(stage *s, kith_component tree, kith_entity root)
{
    kith_entity want[MODEL_ROWS];
    kith_entity got[MODEL_ROWS];
    kith_entity walked = KITH_NULL;
    uint32_t    count  = model_hierarchy_walk(&s->model, tree, root, want);
    bool        same   = true;
    for (uint32_t i = 0; i <= count && same; i++) {
        walked = kith_hierarchy_next(s->world, tree, root, walked);
        same   = compare_number(s, "hierarchy_next", tree, walked, i < count ? want[i] : KITH_NULL);
    }
    model_hierarchy_levels(&s->model, tree, root, want);
    same =
        same && compare_number(s, "hierarchy_levels", tree,
                               kith_hierarchy_levels(s->world, tree, root, got, MODEL_ROWS), count);
    for (uint32_t i = 0; i < count && same; i++) {
        same = compare_number(s, "hierarchy_levels", tree, got[i], want[i]);
    }
    return same;
}

// Links were compared with the rows.
static bool compare_tree(stage *s, const model_component *nodes)
{
    kith_component tree   = nodes->desc.id;
    const char    *reason = NULL;
    if (!kith_hierarchy_validate(s->world, tree, &reason)) {
        return stage_differ(s, "hierarchy %u: %s", (unsigned)tree, reason);
    }
    for (uint32_t row = 0; row < nodes->row_count; row++) {
        kith_entity entity = nodes->rows[row].entity;
        if (entity != KITH_NULL && kith_hierarchy_depth(s->world, tree, entity) == 0 &&
            !compare_walks_from(s, tree, entity)) {
            return false;
        }
    }
    return true;
}

static bool compare_trees(stage *s)
{
    bool same = compare_number(s, "hierarchies", 0, s->tree_count, s->model.tree_count);
    for (uint32_t i = 0; i < s->tree_count && same; i++) {
        kith_component tree = s->model.trees[i].id;
        same                = compare_number(s, "hierarchy", i, s->trees[i], tree) &&
               compare_tree(s, model_component_lookup(&s->model, tree));
    }
    return same;
}

// Each text is found, where it is, after anything that can happen: but not before the first search.
static bool compare_names_of(stage *s, const model_component *names)
{
    bool same = true;
    for (uint32_t i = 0; i < NAME_TEXTS && same; i++) {
        same = compare_number(s, "name_find", names->desc.id,
                              kith_name_find(s->world, names->desc.id, name_text(i)),
                              model_name_lowest(names, i));
    }
    return same;
}

static bool compare_names(stage *s)
{
    bool same = true;
    for (uint32_t i = 0; i < s->model.component_count && same; i++) {
        const model_component *one = &s->model.components[i];
        same = !model_name_is_indexed(&s->model, one->desc.id) || compare_names_of(s, one);
    }
    return same;
}

// What is kept of the hash, all of it, and the model's own.
static bool compare_hashes(stage *s)
{
    uint64_t kept = 0;
    uint64_t full = 0;
    if (model_held(&s->model)) {
        return true;
    }
    s->memory.refuse_at = 0;
    uint64_t want       = model_hash(&s->model);
    return compare_number(s, "world_hash", 0, kith_world_hash(s->world, KITH_ALL, &kept), true) &&
           compare_number(s, "world_hash_full", 0, kith_world_hash_full(s->world, KITH_ALL, &full),
                          true) &&
           compare_number(s, "the hash in full", 0, full, want) &&
           compare_number(s, "the hash that is kept", 0, kept, want);
}

static bool compare_state(stage *s)
{
    const char *reason = NULL;
    if (!kith_world_validate(s->world, &reason)) {
        return stage_differ(s, "validate: %s", reason);
    }
    if (s->fault != NULL) {
        return stage_differ(s, "in a listener: %s", s->fault);
    }
    return compare_stats(s) && compare_slots(s) && compare_walk(s) && compare_components(s) &&
           compare_slots_in_use(s) && compare_groups(s) && compare_paths(s) && compare_reacts(s) &&
           compare_systems(s) && compare_trees(s) && compare_holders(s) && compare_names(s) &&
           compare_hashes(s) &&
           compare_number(s, "world_now", 0, kith_world_now(s->world),
                          model_world_now(&s->model)) &&
           compare_number(s, "values alive by their hooks", 0, s->hooks.live,
                          count_tracked(&s->model) + s->frames_live);
}

bool stage_compare(stage *s, stage_life life)
{
    uint32_t reported = s->reported_count;
    return compare_errors(s) && compare_life(s, life) && compare_state(s) &&
           compare_number(s, "errors reported while comparing", 0, s->reported_count, reported);
}

void stage_destroy_world(stage *s)
{
    if (s->world != NULL) {
        kith_world_settle(s->world);
        stage_drop_frames(s);
    }
    kith_world_destroy(s->world);
    s->world = NULL;
}

bool stage_end(stage *s)
{
    stage_step_begin(s, &(stage_trouble){ .fail_at = 0 });
    model_world_settle(&s->model); // an open loop would refuse the end
    model_world_destroy(&s->model);
    stage_destroy_world(s);
    return compare_life(s, STAGE_LIFE_ORDERED) &&
           compare_number(s, "values alive after the end", 0, s->hooks.live, 0) &&
           compare_number(s, "bytes alive after the end", 0, s->memory.live_bytes, 0);
}
