// SPDX-License-Identifier: MIT
// Makes the arguments of a call from numbers and the state of the world.
#include "argument_internal.h"

#include <math.h>
#include <string.h>

enum {
    HINTED_INDICES = 128,     // hints that jump less far cost little
    FAR_INDEX      = 1 << 22, // and hints beyond this are refused
    FAVOURITES     = 4,
    UNKNOWN        = 999 // a component that no sequence registers
};

uint8_t argument_draw(argument_source *from)
{
    return from->used == ARGUMENT_NUMBERS ? 0 : from->numbers[from->used++];
}

uint64_t argument_scatter(uint64_t number)
{
    number = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return number ^ (number >> 29);
}

// ---------------------------------------------------------------------------------------------
// Entities
// ---------------------------------------------------------------------------------------------

// The living entity at that index or next after it, round and round: when a sequence is shortened,
// entities made earlier are still found by the same number.
static kith_entity living(const model *m, uint32_t index)
{
    for (uint32_t i = 0; i < m->slot_count; i++) {
        uint32_t at = (m->first_index + index + i) % m->slot_count;
        if (m->slots[at].state == MODEL_ALIVE) {
            return kith_entity_make(at, m->slots[at].version);
        }
    }
    return KITH_NULL;
}

static kith_entity issued(const stage *s, uint32_t ordinal)
{
    uint32_t count = s->issued_count < STAGE_ISSUED ? s->issued_count : (uint32_t)STAGE_ISSUED;
    return count == 0 ? KITH_NULL : s->issued[ordinal % count];
}

// What a program never gets from kith, but may pass.
static kith_entity odd(const stage *s, uint32_t form, uint32_t number)
{
    uint32_t index = number % (s->model.slot_count + 2);
    switch (form % 5) {
    case 0:
        return KITH_NULL;
    case 1:
        return kith_entity_make(index, 0);
    case 2:
        return kith_entity_make(index, UINT32_MAX);
    case 3:
        return UINT64_MAX;
    default:
        return argument_scatter(number);
    }
}

enum { ODD = 0, ISSUED = 1, ISSUED_TOO = 2, LIVING = 3, ENTITY_FORMS = 16 };

static kith_entity choose_entity(const stage *s, uint32_t form, uint32_t number)
{
    switch (form % ENTITY_FORMS) {
    case ODD:
        return odd(s, form / ENTITY_FORMS, number);
    case ISSUED:
    case ISSUED_TOO:
        return issued(s, number);
    default:
        return living(&s->model, number);
    }
}

// A living entity is settled as the one at its index, however the numbers found it.
static kith_entity draw_entity(const stage *s, argument_source *from)
{
    uint32_t    at     = from->used;
    uint32_t    form   = argument_draw(from);
    kith_entity entity = choose_entity(s, form, argument_draw(from));
    uint32_t    index  = kith_entity_index(entity) - s->model.first_index;
    if (model_entity_alive(&s->model, entity) && index <= UINT8_MAX && from->used == at + 2) {
        from->numbers[at]     = LIVING;
        from->numbers[at + 1] = (uint8_t)index;
    }
    return entity;
}

static kith_entity with_close_index(kith_entity hint)
{
    uint32_t index = kith_entity_index(hint);
    bool     costs = index >= HINTED_INDICES && index < FAR_INDEX;
    return costs ? kith_entity_make(index % HINTED_INDICES, kith_entity_version(hint)) : hint;
}

static kith_entity make_hint(const stage *s, uint32_t form, uint32_t number)
{
    const model *m       = &s->model;
    uint32_t     version = 1 + form / 8 % 4;
    switch (form % 8) {
    case 0:
        return with_close_index(odd(s, form / 8, number));
    case 1:
        return kith_entity_make(number % 24, version);
    case 2:
        return kith_entity_make(m->slot_count + number % 6, version);
    case 3:
        return kith_entity_make(kith_entity_index(issued(s, number)),
                                kith_entity_version(issued(s, number)) + form / 8 % 3);
    case 4:
        return kith_entity_make(number % 32, m->last_version);
    case 5:
        return KITH_NULL;
    default:
        number = m->free_count == 0 ? 0 : m->free_list[number % m->free_count];
        return kith_entity_make(number, model_entity_current(m, number) + (form / 8 % 8 == 0));
    }
}

static void resolve_hints(argument *a, stage *s, argument_source *from)
{
    uint32_t form = argument_draw(from);
    uint32_t seed = argument_draw(from);
    a->hint_count = argument_draw(from) % (MODEL_HINTS + 1);
    for (uint32_t i = 0; i < a->hint_count; i++) {
        uint64_t mixed = argument_scatter(form + 256 * seed + 65536 * i);
        a->hints[i]    = make_hint(s, (uint32_t)(mixed >> 8 & 255), (uint32_t)(mixed >> 16 & 255));
        if (i > 0 && (mixed >> 24 & 3) == 0) { // two hints with one index
            a->hints[i] = kith_entity_make(kith_entity_index(a->hints[i - 1]),
                                           kith_entity_version(a->hints[i]));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Components
// ---------------------------------------------------------------------------------------------

// Entries are chosen by their place in the catalog, registered or not: when a sequence is shortened
// a number still means the same component.
static kith_component choose_entry(stage *s, uint32_t number, bool singleton)
{
    char                name[MODEL_NAME];
    uint32_t            end   = CATALOG_BASE + s->fillers;
    uint32_t            entry = (number < 144 ? s->favourite + number % FAVOURITES : number) % end;
    kith_component_desc desc  = catalog_desc(&s->hooks, entry, 0, name);
    while ((desc.kind == KITH_KIND_SINGLETON) != singleton) {
        entry = (entry + 1) % end;
        desc  = catalog_desc(&s->hooks, entry, 0, name);
    }
    return desc.id != 0 ? desc.id : model_component_find(&s->model, desc.name);
}

// Of 256 numbers the highest name what is not registered or of the other kind.
kith_component argument_component(stage *s, uint32_t number, bool singleton)
{
    static const kith_component strange[] = { 0, UNKNOWN, 1024, UINT32_MAX };
    if (number >= 252) {
        return strange[number - 252];
    }
    return choose_entry(s, number, singleton != (number >= 244));
}

kith_component argument_tree(const stage *s, uint32_t number)
{
    uint32_t count = s->model.tree_count;
    return count == 0 ? SCENE + number % STAGE_TREES : s->model.trees[number % count].id;
}

// With this number another component stands for the one that was chosen.
static bool is_of_tree(const stage *s, uint64_t number)
{
    return s->model.tree_count != 0 && number % 8 == 5;
}

static const kith_component_desc *desc_of(const stage *s, kith_component id)
{
    for (uint32_t i = 0; i < s->model.component_count; i++) {
        if (s->model.components[i].desc.id == id) {
            return &s->model.components[i].desc;
        }
    }
    return NULL;
}

static void fill_value(argument *a, const stage *s, uint8_t number)
{
    const kith_component_desc *desc = desc_of(s, a->component);
    a->number                       = number;
    a->value                        = a->bytes;
    if (desc != NULL) {
        value_write(desc, a->bytes, number);
    }
}

static void resolve_value(argument *a, stage *s, argument_source *from)
{
    uint8_t number = argument_draw(from);
    fill_value(a, s, number);
    if (number % 16 == 0) {
        a->value = NULL;
    }
}

// ---------------------------------------------------------------------------------------------
// Descriptions
// ---------------------------------------------------------------------------------------------

static void require(argument_desc *d, kith_component required)
{
    d->required[0]                = required;
    d->desc.traits.required       = d->required;
    d->desc.traits.required_count = 1;
}

// Contradicts what the world knows of the component.
static void contradict(argument_desc *d, uint32_t way)
{
    switch (way) {
    case 0:
        d->desc.size = d->desc.size == 0 ? 0 : 2 * d->desc.size;
        break;
    case 1:
        d->desc.traits.policy =
            d->desc.traits.policy == KITH_POLICY_SWAP ? KITH_POLICY_STABLE : KITH_POLICY_SWAP;
        break;
    case 2:
        d->desc.name = d->desc.id == 0 ? d->desc.name : "another_name";
        break;
    case 3:
        d->desc.id = 500;
        break;
    case 5:
        d->desc.traits.keep_order ^= d->desc.kind == KITH_KIND_FLAG;
        d->desc.traits.row_ticks ^= d->desc.kind == KITH_KIND_VALUE;
        d->desc.traits.journal += d->desc.kind == KITH_KIND_TAG;
        d->desc.traits.not_cloned ^= d->desc.kind == KITH_KIND_SINGLETON;
        break;
    case 4:
        require(d, d->desc.traits.required_count == 0 ? MARK : WIDE);
        break;
    default:
        d->desc.kind = d->desc.kind == KITH_KIND_TAG ? KITH_KIND_FLAG : d->desc.kind;
        break;
    }
}

// Makes no sense, whatever the world knows.
static void confuse(argument_desc *d, uint32_t way)
{
    kith_component_desc *desc = &d->desc;
    switch (way) {
    case 0:
        desc->name = NULL;
        break;
    case 1:
        desc->id = KITH_COMPONENT_MAX + 1;
        break;
    case 2:
        desc->kind = (kith_kind)7;
        break;
    case 3:
        desc->size = desc->size == 0 ? 4 : 0;
        break;
    case 4:
        desc->alignment = 3;
        break;
    case 5:
        desc->alignment = desc->size == 0 ? 6 : 16;
        break;
    case 6:
        desc->traits.page_rows = 3;
        break;
    case 7:
        desc->traits.page_rows = 131072;
        break;
    case 8:
        desc->traits.alignment = 2 * KITH_ALIGNMENT_MAX;
        break;
    case 9:
        desc->traits.alignment = 48;
        break;
    default:
        desc->traits.policy = (kith_policy)5;
        break;
    }
}

// Requires what cannot be required; only for components that the world does not know.
static void overask(argument_desc *d, uint32_t way)
{
    require(d, way == 0 ? (kith_component)UNKNOWN : way == 1 ? (kith_component)GLOBAL : d->desc.id);
}

// Most descriptions are as in the catalog. Others contradict only what is registered, so that a
// component that is registered always has the layout that the typed functions trust.
static void vary(argument_desc *d, const stage *s, uint32_t variation)
{
    bool known = model_component_find(&s->model, d->desc.name) != 0;
    if (variation >= 240) {
        confuse(d, variation - 240);
    } else if (variation >= 233 && known) {
        contradict(d, variation - 233);
    } else if (variation >= 231 && !known && d->desc.id != 0) {
        overask(d, variation - 231);
    }
}

static void fill_desc(argument_desc *d, stage *s, uint32_t entry, uint32_t variation)
{
    d->desc = catalog_desc(&s->hooks, entry % CATALOG_SIZE, variation % 4 == 3, d->name);
    vary(d, s, variation);
}

static void resolve_descs(argument *a, stage *s, argument_source *from)
{
    uint32_t entry = argument_draw(from);
    a->desc_count  = argument_draw(from) % (ARGUMENT_DESCS + 1);
    for (uint32_t i = 0; i < a->desc_count; i++) {
        fill_desc(&a->descs[i], s, (entry + i) % CATALOG_BASE, argument_draw(from));
    }
}

// ---------------------------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------------------------

static double make_double(uint32_t form, uint64_t number)
{
    switch (form % 8) {
    case 0:
        return (double)(argument_scatter(number) >> 11);
    case 1:
        return (double)number + 0.5;
    case 2:
        return -(double)number;
    case 3:
        return 9007199254740992.0 * (double)(number % 3); // 0, 2^53, 2^54
    case 4:
        return 9007199254740991.0 - (double)number;
    case 5:
        return (double)NAN;
    case 6:
        return (double)INFINITY;
    default:
        return (double)number;
    }
}

static kith_entity draw_handle(argument_source *from)
{
    uint32_t form   = argument_draw(from);
    uint64_t number = argument_draw(from);
    switch (form % 4) {
    case 0:
        return kith_entity_make((uint32_t)number % 8, form / 4);
    case 1:
        return kith_entity_make(1u << number % 32, 1u << form / 4 % 32);
    case 2:
        return kith_entity_make((1u << number % 32) - 1, (1u << form / 4 % 32) - 1);
    default:
        return argument_scatter(number + 256 * form) >> number % 64;
    }
}

// ---------------------------------------------------------------------------------------------
// By letter
// ---------------------------------------------------------------------------------------------

enum { NOTICE_FROM = 6 }; // of the forms that entities have

static void resolve_entity(argument *a, stage *s, argument_source *from)
{
    bool left    = from->used < ARGUMENT_NUMBERS;
    a->of_notice = a->acting && left && from->numbers[from->used] % ENTITY_FORMS >= NOTICE_FROM;
    a->entity    = draw_entity(s, from);
}

static void resolve_entities(argument *a, stage *s, argument_source *from)
{
    uint32_t form = argument_draw(from);
    uint32_t seed = argument_draw(from);
    a->hint_count = argument_draw(from) % (MODEL_HINTS + 1);
    for (uint32_t i = 0; i < a->hint_count; i++) {
        uint64_t mixed = argument_scatter(form + 256 * seed + 65536 * i);
        a->hints[i] = choose_entity(s, (uint32_t)(mixed >> 8 & 255), (uint32_t)(mixed >> 16 & 255));
    }
}

static void resolve_other(argument *a, stage *s, argument_source *from)
{
    a->other = draw_entity(s, from);
}

static void resolve_component(argument *a, stage *s, argument_source *from)
{
    a->component = argument_component(s, argument_draw(from), false);
}

static void resolve_example(argument *a, stage *s, argument_source *from)
{
    a->example = argument_component(s, argument_draw(from), false);
}

// The first byte, up or down, with or without a sign; some keys do not exist.
static void resolve_key(argument *a, stage *s, argument_source *from)
{
    uint32_t number = argument_draw(from);
    (void)s;
    a->key = (kith_sort_key){ .offset     = number >= 250 ? CATALOG_LONGEST : 0,
                              .type       = number % 2 == 0 ? KITH_TYPE_U8 : KITH_TYPE_I8,
                              .descending = number % 4 >= 2 };
    if (number >= 244 && number < 250) {
        a->key.type = number % 2 == 0 ? KITH_TYPE_BOOL : KITH_TYPE_ENTITY;
    }
}

static void resolve_notice_component(argument *a, stage *s, argument_source *from)
{
    resolve_component(a, s, from);
    a->notice_component = a->of_notice;
}

static void resolve_singleton(argument *a, stage *s, argument_source *from)
{
    a->component = argument_component(s, argument_draw(from), true);
}

static void resolve_value_of(argument *a, stage *s, argument_source *from, kith_component component)
{
    a->component = component;
    fill_value(a, s, argument_draw(from));
}

static void resolve_plain(argument *a, stage *s, argument_source *from)
{
    resolve_value_of(a, s, from, PLAIN);
}

static void resolve_wide(argument *a, stage *s, argument_source *from)
{
    resolve_value_of(a, s, from, WIDE);
}

static void resolve_pinned(argument *a, stage *s, argument_source *from)
{
    resolve_value_of(a, s, from, PINNED);
}

static void resolve_boxed(argument *a, stage *s, argument_source *from)
{
    resolve_value_of(a, s, from, BOXED);
}

static void resolve_global(argument *a, stage *s, argument_source *from)
{
    resolve_value_of(a, s, from, GLOBAL);
}

static void resolve_count(argument *a, stage *s, argument_source *from)
{
    (void)s;
    uint32_t number = argument_draw(from);
    a->count        = number >= 224 ? UINT32_MAX : number % 40;
}

static void resolve_slots(argument *a, stage *s, argument_source *from)
{
    resolve_count(a, s, from);
    a->count *= a->count % 8 == 7 && a->count != UINT32_MAX ? 100 : 1;
}

static void resolve_byte(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->number = argument_draw(from);
}

static void resolve_hint(argument *a, stage *s, argument_source *from)
{
    uint32_t form = argument_draw(from);
    a->entity     = make_hint(s, form, argument_draw(from));
}

static void resolve_desc(argument *a, stage *s, argument_source *from)
{
    uint32_t entry = argument_draw(from);
    a->desc_count  = 1;
    fill_desc(&a->descs[0], s, entry, argument_draw(from));
}

static void resolve_first(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->first = argument_draw(from) % STAGE_SIGNATURES;
}

static void resolve_second(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->second = argument_draw(from) % STAGE_SIGNATURES;
}

static void resolve_name(argument *a, stage *s, argument_source *from)
{
    static const char *const names[] = { "plain", "late_one", "filler_3", "unknown", "owned", "" };
    (void)s;
    a->name = names[argument_draw(from) % (sizeof names / sizeof *names)];
}

static void resolve_handle(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->entity = draw_handle(from);
}

static void resolve_packed(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->packed = draw_handle(from);
}

static void resolve_double(argument *a, stage *s, argument_source *from)
{
    (void)s;
    uint32_t form = argument_draw(from);
    a->real       = make_double(form, argument_draw(from));
}

static void resolve_address(argument *a, stage *s, argument_source *from)
{
    a->address     = s; // in no pool
    a->address_row = KITH_NO_ROW;
    uint32_t row   = argument_draw(from) % 40;
    uint32_t byte  = argument_draw(from);
    for (uint32_t i = 0; i < s->model.component_count; i++) {
        const kith_component_desc *desc = &s->model.components[i].desc;
        if (desc->id == a->component && desc->size != 0 && s->addresses[i][row] != NULL) {
            a->address     = (const uint8_t *)s->addresses[i][row] + byte % desc->size;
            a->address_row = row;
        }
    }
}

static void resolve_world(argument *a, stage *s, argument_source *from)
{
    static const kith_world_desc descs[] = {
        { .index_bits = 31, .version_bits = 32 },
        { .index_bits = 32 },
        { .version_bits = 33 },
        { .free_order = (kith_free_order)4 },
        { .index_bits = 4, .max_entities = 17 },
        { .index_bits = 4, .max_entities = 16, .first_index = 15 },
        { .max_entities = 5, .first_index = 6 },
        { .index_bits = 1, .version_bits = 1, .free_order = KITH_FREE_LOWEST },
        { .memory = 1000 },
        { .memory = 1u << 20, .first_index = 2000 },
    };
    (void)s;
    a->world = descs[argument_draw(from) % (sizeof descs / sizeof *descs)];
}

// ---------------------------------------------------------------------------------------------
// Batches
// ---------------------------------------------------------------------------------------------

// The living from an index on, some of them passed over, forwards or backwards.
static void list_living(argument *a, const stage *s, uint32_t form, uint32_t index)
{
    uint32_t step = form / 4 % 4 == 0 ? 2 : 1;
    for (uint32_t i = 0; i < a->hint_count; i++) {
        kith_entity entity = living(&s->model, index);
        bool        again  = false;
        for (uint32_t earlier = 0; earlier < i; earlier++) {
            again = again || a->hints[earlier] == entity;
        }
        if (again || entity == KITH_NULL) {
            a->hint_count = i;
            break;
        }
        a->hints[i] = entity;
        index       = kith_entity_index(entity) - s->model.first_index + step;
    }
    for (uint32_t i = 0; i < a->hint_count / 2 && form / 16 % 4 == 0; i++) {
        kith_entity kept                = a->hints[i];
        a->hints[i]                     = a->hints[a->hint_count - 1 - i];
        a->hints[a->hint_count - 1 - i] = kept;
    }
}

static void resolve_batch(argument *a, stage *s, argument_source *from)
{
    uint32_t form  = argument_draw(from);
    uint32_t index = argument_draw(from);
    uint32_t count = argument_draw(from);
    a->hint_count  = count % (MODEL_HINTS + 1);
    list_living(a, s, form, index);
    if (a->hint_count != 0 && form % 16 == 15) {
        a->hints[count / 16 % a->hint_count] = choose_entity(s, index % 4, count);
    }
}

static void resolve_range(argument *a, stage *s, argument_source *from)
{
    uint32_t form = argument_draw(from);
    a->range      = (kith_entities){ .first = choose_entity(s, form, argument_draw(from)),
                                     .count = form / 16 % (MODEL_HINTS + 1) };
    if (a->range.first == KITH_NULL) {
        a->range.count = 0; // otherwise an array without an address
    }
}

static void resolve_few(argument *a, stage *s, argument_source *from)
{
    (void)s;
    uint32_t number = argument_draw(from);
    a->few          = number >= 250 ? UINT32_MAX : number % (MODEL_HINTS + 1);
}

// Default values, one value, or one for each, with a gap between them or not; seldom too short.
static void fill_set(argument *a, const stage *s, uint32_t at, uint32_t form)
{
    kith_values               *set  = &a->sets[at];
    const kith_component_desc *desc = desc_of(s, set->component);
    size_t                     size = desc == NULL ? 4 : desc->size;
    if (form % 4 == 0) {
        return;
    }
    set->values = a->set_bytes[at];
    set->stride = form % 4 == 1 ? 0 : form % 4 == 2 ? size : size + 4;
    for (uint32_t i = 0; i < MODEL_HINTS && desc != NULL; i++) {
        value_write(desc, a->set_bytes[at] + i * set->stride, (uint8_t)(form + i));
    }
    set->stride = form == 255 ? 1 : set->stride;
}

static void resolve_sets(argument *a, stage *s, argument_source *from)
{
    uint32_t seed = argument_draw(from);
    a->set_count  = 1 + seed % ARGUMENT_SETS;
    for (uint32_t i = 0; i < ARGUMENT_SETS; i++) {
        uint64_t mixed       = argument_scatter(seed + 256 * i);
        uint32_t number      = i == 0 ? argument_draw(from) : (uint32_t)(mixed >> 8 & 255);
        a->sets[i].component = argument_component(s, number < 252 ? number : 7, false);
        if (i == 0) {
            a->sets[i].component = argument_component(s, number, false);
        }
        fill_set(a, s, i, (uint32_t)(mixed >> 16 & 255));
    }
}

static void resolve_ids(argument *a, stage *s, argument_source *from)
{
    uint32_t seed = argument_draw(from);
    a->id_count   = seed % (ARGUMENT_SETS + 1);
    for (uint32_t i = 0; i < a->id_count; i++) {
        uint32_t number =
            i == 0 ? argument_draw(from) : (uint32_t)(argument_scatter(seed + 256 * i) >> 8 & 127);
        a->ids[i] = is_of_tree(s, seed / 4 + i) ? argument_tree(s, seed)
                                                : argument_component(s, number, false);
    }
}

// The n-th component that can be arranged, round and round; any one where there is none.
static kith_component arrangeable(stage *s, uint32_t number)
{
    kith_component ids[MODEL_COMPONENTS];
    uint32_t       count = 0;
    for (uint32_t i = 0; i < s->model.component_count; i++) {
        const kith_component_desc *desc = &s->model.components[i].desc;
        if (desc->kind <= KITH_KIND_TAG && desc->traits.policy == KITH_POLICY_SWAP &&
            !desc->traits.keep_order) {
            ids[count++] = desc->id;
        }
    }
    return count == 0 ? argument_component(s, number % 256, false) : ids[number % count];
}

// Neighbours among those, in either direction; sometimes one of all, and seldom too many or none.
static void resolve_route(argument *a, stage *s, argument_source *from)
{
    uint32_t form  = argument_draw(from);
    uint32_t start = argument_draw(from);
    uint32_t other = argument_draw(from);
    a->route_count = form >= 250 ? (form - 250) * ARGUMENT_ROUTE / 5 : 1 + form % 4;
    for (uint32_t i = 0; i < a->route_count; i++) {
        a->route[i] = arrangeable(s, form % 8 < 4 ? start + i : start + 256 - i);
    }
    if (other >= 224 && a->route_count != 0) {
        a->route[other % a->route_count] = argument_component(s, other, false);
    } else if (other >= 192 && a->route_count != 0) {
        a->route[other % a->route_count] = argument_component(s, other - 192, false);
    }
}

static void resolve_path(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->path = argument_draw(from) % STAGE_PATHS;
}

static void resolve_system(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->system = argument_draw(from) % STAGE_SYSTEMS;
}

static void resolve_tree(argument *a, stage *s, argument_source *from)
{
    uint32_t number = argument_draw(from);
    a->component =
        number < 240 ? argument_tree(s, number) : argument_component(s, 255 - number, false);
}

static void resolve_link(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->component = TIED + argument_draw(from) % MODEL_LINKS;
}

static void resolve_names(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->component = argument_draw(from) % 4 == 3 ? BADGE : LABEL;
}

static void resolve_before(argument *a, stage *s, argument_source *from)
{
    kith_entity       list[MODEL_ROWS];
    const model_tree *tree   = NULL;
    uint32_t          form   = argument_draw(from);
    uint32_t          number = argument_draw(from);
    uint32_t          count  = 0;
    for (uint32_t i = 0; i < s->model.tree_count; i++) {
        tree = s->model.trees[i].id == a->component ? &s->model.trees[i] : tree;
    }
    for (uint32_t i = 0; tree != NULL && i < tree->link_count; i++) {
        list[count] = tree->links[i].child;
        count += tree->links[i].parent == a->entity;
    }
    a->before = form % 8 == 0 ? choose_entity(s, form / 8, number)
                : count == 0  ? KITH_NULL
                              : list[number % count];
}

typedef struct letter {
    char name;
    void (*resolve)(argument *a, stage *s, argument_source *from);
} letter;

static const letter letters[] = {
    { 'e', resolve_entity },
    { 'o', resolve_other },
    { 'c', resolve_component },
    { 'a', resolve_example },
    { 'S', resolve_key },
    { 'C', resolve_notice_component },
    { 's', resolve_singleton },
    { 'v', resolve_value },
    { 'p', resolve_plain },
    { 'q', resolve_wide },
    { 'i', resolve_pinned },
    { 'j', resolve_boxed },
    { 'g', resolve_global },
    { 'n', resolve_count },
    { 'b', resolve_byte },
    { 'm', resolve_slots },
    { 'h', resolve_hint },
    { 'H', resolve_hints },
    { 'd', resolve_desc },
    { 'D', resolve_descs },
    { 'f', resolve_first },
    { 't', resolve_second },
    { 'w', resolve_name },
    { 'x', resolve_handle },
    { 'P', resolve_packed },
    { 'R', resolve_double },
    { 'A', resolve_address },
    { 'W', resolve_world },
    { 'E', resolve_entities },
    { 'Z', resolve_batch },
    { 'r', resolve_range },
    { 'l', resolve_few },
    { 'V', resolve_sets },
    { 'I', resolve_ids },
    { 'N', resolve_route },
    { 'Y', resolve_path },
    { 'O', resolve_system },
    { 'F', resolve_tree },
    { 'J', resolve_before },
    { '1', resolve_link },
    { '2', resolve_names },
    { 'k', argument_resolve_cursor },
    { 'y', argument_resolve_source },
    { 'u', argument_resolve_typed },
    { 'K', argument_resolve_stored },
    { 'Q', argument_resolve_query },
    { 'B', argument_resolve_group_query },
    { 'G', argument_resolve_group },
    { 'L', argument_resolve_listener },
    { 'T', argument_resolve_event },
    { 'X', argument_resolve_each },
};

static void resolve_letter(argument *a, stage *s, char name, argument_source *from)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (letters[i].name == name) {
            letters[i].resolve(a, s, from);
        }
    }
}

static void resolve_all(argument *a, stage *s, const char *call,
                        const uint8_t numbers[ARGUMENT_NUMBERS])
{
    argument_source from = { .used = 0 };
    memcpy(from.numbers, numbers, sizeof from.numbers);
    for (const char *c = strchr(call, '%'); c != NULL; c = strchr(c + 1, '%')) {
        resolve_letter(a, s, c[1], &from);
    }
    memcpy(a->settled, from.numbers, sizeof a->settled);
}

void argument_resolve(argument *a, stage *s, const char *call,
                      const uint8_t numbers[ARGUMENT_NUMBERS])
{
    memset(a, 0, sizeof *a);
    resolve_all(a, s, call, numbers);
}

void argument_resolve_action(argument *a, stage *s, const char *call,
                             const uint8_t numbers[ARGUMENT_NUMBERS])
{
    memset(a, 0, sizeof *a);
    a->acting = true;
    resolve_all(a, s, call, numbers);
}
