// SPDX-License-Identifier: MIT
// Names: which entity has a text. Their values are texts that the world keeps as it keeps opaque
// values, so only the index is made here, when a name is looked for.
//
//     slots:  | hash, entity | free | hash, entity | hash, entity | ...    at the hash, or behind
//
// A slot says where to look: the text of the entity decides. So a name that is removed or replaced
// leaves its slot behind, and no call but adding and setting a name changes the index. A full index
// is gathered again.
//
// Invariant: if the index is made, each name has a slot. Otherwise finding compares
// all texts, or gathers the index first if it may.
#include "name/name.h"

#include "world/announce.h"
#include "world/component.h"

#define LEAST_SLOTS 16u
#define SLOTS_MOST  (1u << 31)

// The name of the entity at this index, or NULL.
static inline const kith_text *name_by_index(const kith_storage *names, uint32_t index)
{
    uint32_t row = kith_sparse_set_row_at(&names->pool.set, index);
    return row == KITH_NO_ROW ? NULL : kith_name_in(names, row);
}

// Whether the entity at this index has the name.
static inline bool has_name(const kith_storage *names, uint32_t index, const char *text,
                            size_t size)
{
    const kith_text *name = name_by_index(names, index);
    return name != NULL && name->size == size && memcmp(kith_text_in(name), text, size) == 0;
}

// The last word may overlap the one before it.
static inline uint32_t hash_of(const char *text, size_t size)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    const char    *end    = text + size;
    uint64_t       hash   = size;
    uint64_t       word   = 0;
    for (; end - text > 8; text += 8) {
        memcpy(&word, text, 8);
        hash = (hash ^ word ^ word >> 32) * factor;
        hash ^= hash >> 32;
    }
    if (size >= 8) {
        memcpy(&word, end - 8, 8);
    } else {
        for (size_t i = 0; i < size; i++) {
            word = word << 8 | (uint8_t)text[i];
        }
    }
    return (uint32_t)((hash ^ word ^ word >> 32) * factor >> 32);
}

// A load or a restored frame begins a new history of the world, which has other names.
static inline bool is_made(const kith_world *world, const kith_storage *names)
{
    return names->names.made == world->history + 1;
}

// --- texts -----------------------------------------------------------------------------------

kith_text kith_text_of(const char *text)
{
    return (kith_text){ .far_ = text, .size = (uint32_t)strlen(text) };
}

const char *kith_text_bytes(const kith_text *value)
{
    return kith_text_in(value);
}

// --- the index -------------------------------------------------------------------------------

static void add_slot(kith_name_index *index, const kith_text *name, uint32_t entity)
{
    uint32_t hash = hash_of(kith_text_in(name), name->size);
    uint64_t slot = (uint64_t)hash << 32 | (entity + 1);
    uint32_t at   = hash & (index->capacity - 1);
    while (index->slots[at] != 0 && index->slots[at] != slot) {
        at = (at + 1) & (index->capacity - 1);
    }
    index->used += index->slots[at] == 0;
    index->slots[at] = slot;
}

// Returns 1 + the lowest index of the entities with the name, or 0.
static inline uint32_t look_up_name(const kith_storage *names, const char *text, size_t size)
{
    const uint64_t *slots  = names->names.slots;
    uint32_t        mask   = names->names.capacity - 1;
    uint32_t        hash   = hash_of(text, size);
    uint32_t        lowest = 0;
    uint64_t        slot;
    for (uint32_t at = hash; (slot = slots[at & mask]) != 0; at++) {
        if (slot >> 32 == hash && (uint32_t)slot - 1 < lowest - 1 &&
            has_name(names, (uint32_t)slot - 1, text, size)) {
            lowest = (uint32_t)slot;
        }
    }
    return lowest;
}

// Makes the index of all names. If memory runs out, there is none.
static void gather_names(kith_world *world, kith_storage *names)
{
    kith_name_index *index    = &names->names;
    uint32_t         rows     = names->pool.set.head.rows_;
    uint32_t         capacity = LEAST_SLOTS;
    while (capacity / 2 < rows && capacity < SLOTS_MOST) {
        capacity *= 2;
    }
    uint64_t *slots =
        capacity / 2 < rows
            ? NULL
            : kith_alloc_zeroed(&world->memory, capacity * sizeof *slots, sizeof *slots);
    index->made = slots == NULL ? 0 : world->history + 1;
    if (slots == NULL) {
        return;
    }
    kith_free(&world->memory, index->slots, index->capacity * sizeof *slots, sizeof *slots);
    index->slots    = slots;
    index->capacity = capacity;
    index->used     = 0;
    for (uint32_t row = 0; row < rows; row++) {
        if (!kith_pool_is_hole(&names->pool, row)) {
            add_slot(index, kith_name_in(names, row),
                     *kith_sparse_set_packed(&names->pool.set, row));
        }
    }
}

// A listener of add and set.
static void on_named(kith_world *world, const kith_notice *notice, void *context)
{
    kith_storage *names  = context;
    uint32_t      entity = kith_entity_index(notice->entity);
    if (!is_made(world, names)) {
        return;
    }
    if (names->names.used + names->names.used / 2 >= names->names.capacity) {
        gather_names(world, names);
    } else {
        add_slot(&names->names, name_by_index(names, entity), entity);
    }
}

// The entity of each name is found, or one with a lower index.
static bool has_all(const kith_world *world, const kith_storage *names)
{
    bool all = true;
    for (uint32_t row = 0; row < names->pool.set.head.rows_ && all; row++) {
        if (is_made(world, names) && world->nested == 0 && !kith_pool_is_hole(&names->pool, row)) {
            const kith_text *name  = kith_name_in(names, row);
            uint32_t         found = look_up_name(names, kith_text_in(name), name->size);
            all = found != 0 && found - 1 <= *kith_sparse_set_packed(&names->pool.set, row);
        }
    }
    return all;
}

// Begins to keep an index. Returns false when memory runs out: the next call goes on.
static bool listen_to_names(kith_world *world, kith_storage *names)
{
    for (; names->names.listeners <= KITH_EVENT_SET; names->names.listeners++) {
        kith_event         event = (kith_event)names->names.listeners;
        kith_listener_desc desc  = { .event     = event,
                                     .component = names->desc.id,
                                     .call      = on_named,
                                     .context   = names,
                                     .priority  = INT32_MAX };
        if (kith_world_connect(world, &names->events[event], names, &desc, NULL) == 0) {
            return false;
        }
    }
    names->names.has_all = has_all;
    return true;
}

// --- finding ---------------------------------------------------------------------------------

// The same without an index.
static uint32_t search(const kith_storage *names, const char *text, size_t size)
{
    uint32_t lowest = 0;
    for (uint32_t row = 0; row < names->pool.set.head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(&names->pool.set, row);
        if (!kith_pool_is_hole(&names->pool, row) && index < lowest - 1 &&
            has_name(names, index, text, size)) {
            lowest = index + 1;
        }
    }
    return lowest;
}

KITH_NOINLINE static const kith_storage *
refuse_component(const kith_world *world, kith_component component, const char *call)
{
    const kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                               .call      = call,
                               .component = component,
                               .subject   = "the component is not declared by KITH_NAME" };
    if (kith_storage_for_read(world, component, KITH_ANY_KIND, call) != NULL) {
        kith_world_report_error(world, &error);
    }
    return NULL;
}

const kith_storage *kith_names_for_read(const kith_world *world, kith_component component,
                                        const char *call)
{
    const kith_storage *names = kith_pools_storage(world->head.pools_, component);
    return names != NULL && names->desc.traits.hooks.copy == kith_text_copy && !names->unknown
               ? names
               : refuse_component(world, component, call);
}

// Makes the index if it may. Otherwise compares all texts.
KITH_NOINLINE static uint32_t find_without_index(kith_world *world, kith_storage *names,
                                                 const char *text, size_t size)
{
    if ((world->head.busy_ & KITH_HOOKS_MASK) == 0 && !world->in_stage &&
        listen_to_names(world, names)) {
        gather_names(world, names);
    }
    return is_made(world, names) ? look_up_name(names, text, size) : search(names, text, size);
}

kith_entity kith_names_find(kith_world *world, const kith_storage *names, const char *text,
                            size_t size)
{
    uint32_t number = size == 0 ? 0
                      : KITH_LIKELY_(is_made(world, names))
                          ? look_up_name(names, text, size)
                          : find_without_index(world, (kith_storage *)(uintptr_t)names, text, size);
    return number == 0
               ? KITH_NULL
               : *kith_sparse_set_slot(&names->pool.set, number - 1) >> 32 << 32 | (number - 1);
}

kith_entity kith_name_find(kith_world *world, kith_component component, const char *text)
{
    const kith_storage *names = kith_names_for_read(world, component, "kith_name_find");
    return names == NULL ? KITH_NULL : kith_names_find(world, names, text, strlen(text));
}

// --- setting ---------------------------------------------------------------------------------

bool kith_name_claim(kith_world *world, kith_entity entity, kith_component component,
                     const char *text)
{
    const kith_text     name  = kith_text_of(text);
    const kith_storage *names = kith_names_for_read(world, component, "kith_component_set");
    if (names == NULL) {
        return false;
    }
    kith_entity holder = kith_names_find(world, names, text, name.size);
    if (holder == KITH_NULL || holder == entity) {
        return kith_component_set(world, entity, component, &name) != NULL;
    }
    const kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                               .call      = "kith_component_set", // messages say NAME_set
                               .component = component,
                               .entity    = holder,
                               .subject   = "another entity has the unique name",
                               .other     = text };
    return kith_world_fail(world, &error);
}

// --- registering -----------------------------------------------------------------------------

void kith_name_describe_(kith_component_desc *desc)
{
    static const kith_saver saver = { kith_text_write, kith_text_read, NULL };
    desc->size                    = sizeof(kith_text);
    desc->alignment               = _Alignof(kith_text);
    desc->traits.hooks.copy       = kith_text_copy; // the world sets the others
    desc->traits.saved =
        (kith_saved){ .form = KITH_FORM_FUNCTIONS, .unit = KITH_UNIT_TEXT, .functions = &saver };
}

kith_component kith_name_register(kith_world *world, const kith_name_desc *desc)
{
    kith_component_desc names = { .name              = desc->name,
                                  .id                = desc->id,
                                  .traits.not_cloned = desc->unique };
    kith_name_describe_(&names);
    return kith_component_register(world, &names);
}
