// SPDX-License-Identifier: MIT
// The hash of a world as docs/hash.md defines it: everything is written down, then hashed at once.
#include "base/xxh3.h"
#include "catalog.h"
#include "model_internal.h"

#include <string.h>

enum { BYTES_MOST = 1 << 16, BLOCK = 256, BLOCK_OF_SLOTS = 1024 };

typedef struct bytes {
    size_t  count;
    uint8_t data[BYTES_MOST];
} bytes;

static void add_byte(bytes *to, uint64_t byte)
{
    to->data[to->count++] = (uint8_t)byte;
}

static void add_number(bytes *to, uint64_t number)
{
    for (uint32_t i = 0; i < 8; i++) {
        add_byte(to, number >> 8 * i);
    }
}

static void add_name(bytes *to, const char *name)
{
    add_number(to, strlen(name));
    while (*name != '\0') {
        add_byte(to, (uint8_t)*name++);
    }
}

static uint64_t sum_of(const bytes *all)
{
    return kith_xxh3(all->data, all->count);
}

// --- values ----------------------------------------------------------------------------------

static void add_node(bytes *to, model *m, const model_component *component, kith_entity entity)
{
    kith_node node = { 0 };
    model_tree_node(m, component->desc.id, entity, &node);
    add_number(to, node.parent);
    add_number(to, node.first);
    add_number(to, node.last);
    add_number(to, node.previous);
    add_number(to, node.next);
    for (uint32_t i = 0; i < 4; i++) {
        add_byte(to, node.count >> 8 * i);
    }
}

static void add_word(bytes *to, uint32_t word)
{
    for (uint32_t i = 0; i < 4; i++) {
        add_byte(to, word >> 8 * i);
    }
}

static void add_link(bytes *to, const model *m, const model_component *component,
                     kith_entity entity)
{
    kith_link        link = { 0 };
    kith_holder_list list = { 0 };
    if (component->is_link) {
        model_link_value(m, component->desc.id, &component->rows[model_row_of(component, entity)],
                         &link);
        add_number(to, link.target);
        add_word(to, link.previous);
        add_word(to, link.next);
        return;
    }
    model_list_value(m, component->desc.id, entity, &list);
    add_word(to, list.first);
    add_word(to, list.last);
    add_word(to, list.count);
}

static bool is_little(void)
{
    const uint16_t one = 1;
    uint8_t        first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void add_plain(bytes *to, const kith_component_desc *desc, uint8_t number)
{
    uint8_t  value[CATALOG_LONGEST] = { 0 };
    uint32_t unit                   = is_little() ? 1 : desc->traits.saved.unit;
    value_write(desc, value, number);
    for (uint32_t i = 0; i < desc->size; i++) {
        add_byte(to, value[i - i % unit + (unit - 1 - i % unit)]);
    }
}

static uint32_t saved_bytes(const kith_component_desc *desc)
{
    return desc->size == sizeof(kith_node) ? offsetof(kith_node, unused) : CATALOG_PATTERN;
}

static void add_value(bytes *to, model *m, const model_component *component, kith_entity entity,
                      uint8_t number)
{
    const kith_component_desc *desc                   = &component->desc;
    uint8_t                    value[CATALOG_LONGEST] = { 0 };
    if (component->is_tree) {
        add_node(to, m, component, entity);
        return;
    }
    if (model_is_own(component)) {
        add_link(to, m, component, entity);
        return;
    }
    if (model_is_name(component)) {
        add_number(to, strlen(name_text(number)));
        for (const char *c = name_text(number); *c != '\0'; c++) {
            add_byte(to, (uint8_t)*c);
        }
        return;
    }
    switch (desc->traits.saved.form) {
    case KITH_FORM_PLAIN:
        add_plain(to, desc, number);
        break;
    case KITH_FORM_FIELDS: // the token is skipped, and what a node does not use
        value_write(desc, value, number);
        for (uint32_t i = 0; i < saved_bytes(desc); i++) {
            add_byte(to, value[i]);
        }
        break;
    default:
        add_number(to, number % CATALOG_WRITTEN);
        for (uint32_t i = 0; i < number % CATALOG_WRITTEN; i++) {
            add_byte(to, number);
        }
    }
}

// --- components ------------------------------------------------------------------------------

// The row of the hole that was made before, plus 1.
static uint32_t older_hole(const model_component *component, uint32_t row)
{
    uint32_t place = 0;
    while (component->holes[place] != row) {
        place++;
    }
    return place == 0 ? 0 : component->holes[place - 1] + 1;
}

static void add_rows(bytes *to, model *m, const model_component *component)
{
    uint32_t     rows = component->row_count;
    static bytes block;
    for (uint32_t first = 0; first < rows; first += BLOCK) {
        block.count = 0;
        for (uint32_t row = first; row < rows && row < first + BLOCK; row++) {
            kith_entity entity = component->rows[row].entity;
            add_number(&block, entity == KITH_NULL ? older_hole(component, row) : entity);
        }
        for (uint32_t row = first; row < rows && row < first + BLOCK; row++) {
            const model_row *here = &component->rows[row];
            if (here->entity != KITH_NULL && component->desc.size != 0) {
                add_value(&block, m, component, here->entity, here->number);
            }
        }
        add_number(to, sum_of(&block));
    }
}

static void add_disabled(bytes *to, const model_component *component)
{
    uint64_t bits[MODEL_ROWS / 64 + 1] = { 0 };
    uint32_t count                     = 0;
    for (uint32_t row = 0; row < component->row_count; row++) {
        bits[row / 64] |= (uint64_t)component->rows[row].disabled << row % 64;
        count += component->rows[row].disabled;
    }
    add_number(to, count);
    for (uint32_t i = 0; i < (component->row_count + 63) / 64 && count != 0; i++) {
        add_number(to, bits[i]);
    }
}

static void add_handles(bytes *to, const kith_entity *handles, uint32_t count)
{
    static bytes block;
    for (uint32_t first = 0; first < count; first += BLOCK) {
        block.count = 0;
        for (uint32_t i = first; i < count && i < first + BLOCK; i++) {
            add_number(&block, handles[i]);
        }
        add_number(to, sum_of(&block));
    }
}

static void add_flag(bytes *to, const model *m, const model_component *component)
{
    kith_entity handles[MODEL_SLOTS];
    uint32_t    count = 0;
    for (uint32_t index = 0; index < m->slot_count; index++) {
        kith_entity entity = kith_entity_make(index, m->slots[index].version);
        if (m->slots[index].state == MODEL_ALIVE && model_has(component, entity)) {
            handles[count++] = entity;
        }
    }
    add_number(to, count);
    add_handles(to, handles, count);
}

static uint64_t hash_component(model *m, const model_component *component)
{
    static bytes all;
    bytes       *to = &all;
    to->count       = 0;
    add_number(to, (uint64_t)component->desc.kind);
    add_name(to, component->name);
    if (component->desc.kind == KITH_KIND_FLAG) {
        add_flag(to, m, component);
    } else if (component->desc.kind == KITH_KIND_SINGLETON) {
        static bytes value;
        value.count = 0;
        add_number(to, component->present);
        if (component->present) {
            add_value(&value, m, component, KITH_NULL, component->number);
            add_number(to, sum_of(&value));
        }
    } else {
        uint32_t holes = component->hole_count;
        add_number(to, component->row_count);
        add_number(to, holes == 0 ? 0 : component->holes[holes - 1] + 1u);
        add_rows(to, m, component);
        add_disabled(to, component);
    }
    return sum_of(to);
}

static bool is_transient(const model_component *component)
{
    return component->desc.traits.saved.form == KITH_FORM_TRANSIENT;
}

// --- the world -------------------------------------------------------------------------------

static uint64_t hash_slots(const model *m)
{
    bool         listed = m->free_count != 0 && m->order != KITH_FREE_LOWEST;
    static bytes all;
    static bytes block;
    all.count = 0;
    add_number(&all, m->slot_count);
    add_number(&all, listed ? m->free_list[0] + 1u : 0);
    for (uint32_t first = 0; first < m->slot_count; first += BLOCK_OF_SLOTS) {
        block.count = 0;
        for (uint32_t i = first; i < m->slot_count && i < first + BLOCK_OF_SLOTS; i++) {
            uint64_t slot = model_entity_slot(m, i);
            add_number(&block, slot == 0 ? UINT32_MAX - 2u : slot);
        }
        add_number(&all, sum_of(&block));
    }
    return sum_of(&all);
}

// The component whose name is the first behind `name`, or NULL.
static const model_component *next_by_name(const model *m, const char *name)
{
    const model_component *next = NULL;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *one = &m->components[i];
        if (strcmp(one->name, name) > 0 && (next == NULL || strcmp(one->name, next->name) < 0)) {
            next = one;
        }
    }
    return next;
}

static void add_components(bytes *to, model *m)
{
    uint64_t hashes[MODEL_COMPONENTS];
    uint32_t count = 0;
    for (const model_component *one = next_by_name(m, ""); one != NULL;
         one                        = next_by_name(m, one->name)) {
        if (!is_transient(one) && (one->row_count != 0 || one->present)) {
            hashes[count++] = hash_component(m, one);
        }
    }
    add_number(to, count);
    for (uint32_t i = 0; i < count; i++) {
        add_number(to, hashes[i]);
    }
}

// The names of the group's components that members have, or have not.
static void add_terms(bytes *to, const model *m, const model_query *query, bool had)
{
    static bytes names;
    uint32_t     count = 0;
    names.count        = 0;
    for (const model_component *one = next_by_name(m, ""); one != NULL;
         one                        = next_by_name(m, one->name)) {
        for (uint32_t i = 0; i < query->term_count; i++) {
            if (query->terms[i].component == one->desc.id &&
                (query->terms[i].role != KITH_ROLE_WITHOUT) == had) {
                add_name(&names, one->name);
                count++;
            }
        }
    }
    add_number(to, count);
    memcpy(to->data + to->count, names.data, names.count);
    to->count += names.count;
}

static bool group_counts(model *m, const model_group *group)
{
    bool is_counted = group->members != 0;
    for (uint32_t i = 0; i < group->query.term_count && is_counted; i++) {
        is_counted = group->query.terms[i].role != KITH_ROLE_OWN &&
                     !is_transient(model_component_lookup(m, group->query.terms[i].component));
    }
    return is_counted;
}

static uint64_t sum_groups(model *m)
{
    uint64_t     sum = 0;
    static bytes terms;
    static bytes all;
    for (uint32_t i = 0; i < m->group_count; i++) {
        const model_group *group = &m->groups[i];
        if (group_counts(m, group)) {
            terms.count = 0;
            all.count   = 0;
            add_terms(&terms, m, &group->query, true);
            add_terms(&terms, m, &group->query, false);
            add_number(&all, sum_of(&terms));
            add_number(&all, group->members);
            add_handles(&all, group->list, group->members);
            sum += sum_of(&all);
        }
    }
    return sum;
}

const char *const model_note_keys[MODEL_NOTES] = { "first", "second", "third" };

static void add_u32(bytes *all, uint32_t number)
{
    for (uint32_t i = 0; i < 4; i++) {
        add_byte(all, (uint8_t)(number >> 8 * i));
    }
}

static void add_text(bytes *all, const char *text)
{
    add_u32(all, (uint32_t)strlen(text));
    for (; *text != '\0'; text++) {
        add_byte(all, (uint8_t)*text);
    }
}

// The hash of a note is that of its bytes in a file.
static uint64_t sum_notes(const model *m)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < MODEL_NOTES; i++) {
        static bytes all;
        all.count = 0;
        add_text(&all, "note");
        add_text(&all, model_note_keys[i]);
        add_u32(&all, KITH_TYPE_U32);
        add_text(&all, "number");
        add_u32(&all, 1);
        add_u32(&all, m->notes[i].number);
        sum += m->notes[i].made ? sum_of(&all) : 0;
    }
    return sum;
}

static uint64_t hash_paths(model *m)
{
    static bytes all;
    all.count = 0;
    for (uint32_t i = 0; i < m->path_count; i++) {
        uint32_t named = 0;
        for (uint32_t j = 0; j < m->paths[i].count; j++) {
            const model_component *component = model_component_lookup(m, m->paths[i].ids[j]);
            if (!is_transient(component)) {
                add_name(&all, component->name);
                named++;
            }
        }
        if (named != 0) {
            add_number(&all, UINT64_MAX);
        }
    }
    return sum_of(&all);
}

uint64_t model_hash(model *m)
{
    static bytes all;
    all.count = 0;
    add_number(&all, 0);
    add_number(&all, hash_slots(m));
    add_components(&all, m);
    add_number(&all, sum_groups(m));
    add_number(&all, hash_paths(m));
    bool notes = false;
    for (uint32_t i = 0; i < MODEL_NOTES; i++) {
        notes = notes || m->notes[i].made;
    }
    if (notes) {
        add_number(&all, sum_notes(m));
    }
    return sum_of(&all);
}

// --- content ---------------------------------------------------------------------------------

static uint64_t hash_numbers_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint32_t count)
{
    const uint64_t numbers[] = { a, b, c, d };
    static bytes   all;
    all.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        add_number(&all, numbers[i]);
    }
    return sum_of(&all);
}

static uint64_t content_value(uint64_t hash, bool disabled)
{
    return (hash * 2 == 0 ? 2 : hash * 2) + disabled;
}

// The hash of a value that is no node. A value with the fields of a node has five handles, which
// refer to no entity.
static uint64_t hash_value_of(model *m, const model_component *component, uint8_t number)
{
    static bytes value;
    value.count = 0;
    if (component->desc.size == 0) {
        return 1;
    }
    add_value(&value, m, component, KITH_NULL, number);
    if (component->desc.traits.saved.form == KITH_FORM_FIELDS &&
        component->desc.size == sizeof(kith_node)) {
        memset(value.data, 0, offsetof(kith_node, count));
    }
    return sum_of(&value);
}

static uint64_t node_term(model *m, const model_component *tree, uint64_t name,
                          const model_row *row)
{
    kith_node node = { 0 };
    uint64_t  sum  = 0;
    model_tree_node(m, tree->desc.id, row->entity, &node);
    uint64_t parent = content_value(hash_numbers_of(node.parent, 0, 0, 0, 1), row->disabled);
    for (kith_entity child = node.first; child != KITH_NULL;) {
        sum = hash_numbers_of(sum, child, 0, 0, 2);
        model_tree_node(m, tree->desc.id, child, &node);
        child = node.next;
    }
    return hash_numbers_of(row->entity, name, parent, content_value(sum, false), 4);
}

static uint64_t link_term(const model *m, const model_component *component, uint64_t name,
                          const model_row *row)
{
    kith_entity    list[MODEL_ROWS];
    uint64_t       sum   = 0;
    kith_component id    = component->desc.id;
    uint32_t       count = component->is_list ? model_holders_list(m, id, row->entity, list) : 0;
    for (uint32_t i = 0; i < count; i++) {
        sum = hash_numbers_of(sum, list[i], 0, 0, 2);
    }
    uint64_t value = component->is_link
                         ? content_value(hash_numbers_of(row->target, 0, 0, 0, 1), row->disabled)
                     : count == 0 ? 0
                                  : content_value(sum, false);
    return value == 0 ? 0 : hash_numbers_of(row->entity, name, value, 0, 4);
}

static uint64_t sum_rows(model *m, const model_component *component, uint64_t name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < component->row_count; i++) {
        const model_row *row = &component->rows[i];
        if (row->entity != KITH_NULL && component->is_tree) {
            sum += node_term(m, component, name, row);
        } else if (row->entity != KITH_NULL && model_is_own(component)) {
            sum += link_term(m, component, name, row);
        } else if (row->entity != KITH_NULL) {
            uint64_t hash = hash_value_of(m, component, row->number);
            sum += hash_numbers_of(row->entity, name, content_value(hash, row->disabled), 0, 4);
        }
    }
    return sum;
}

static uint64_t sum_component(model *m, const model_component *component)
{
    uint64_t name = kith_xxh3(component->name, strlen(component->name));
    uint64_t sum  = 0;
    if (component->desc.kind == KITH_KIND_SINGLETON) {
        uint64_t hash = component->present ? hash_value_of(m, component, component->number) : 0;
        return component->present ? hash_numbers_of(0, name, content_value(hash, false), 0, 4) : 0;
    }
    if (component->desc.kind != KITH_KIND_FLAG) {
        return sum_rows(m, component, name);
    }
    for (uint32_t index = 0; index < m->slot_count; index++) {
        kith_entity entity = kith_entity_make(index, m->slots[index].version);
        if (m->slots[index].state == MODEL_ALIVE && model_has(component, entity)) {
            sum += hash_numbers_of(entity, name, 2, 0, 4);
        }
    }
    return sum;
}

static uint64_t hash_content(model *m)
{
    uint64_t sum = 0;
    for (uint32_t index = 0; index < m->slot_count; index++) {
        if (m->slots[index].state == MODEL_ALIVE) {
            sum += hash_numbers_of(kith_entity_make(index, m->slots[index].version), 0, 0, 0, 1);
        }
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        sum += is_transient(&m->components[i]) ? 0 : sum_component(m, &m->components[i]);
    }
    return sum;
}

// --- calls -----------------------------------------------------------------------------------

// Whether a question that needs the world at rest can be answered.
static bool rests(model *m, kith_component component)
{
    if (model_held(m) || m->busy) {
        model_report(m, KITH_ERROR_BUSY, component, KITH_NULL);
        return false;
    }
    return true;
}

bool model_world_hash(model *m, uint64_t *hash)
{
    if (model_blocked(m, 0, KITH_NULL)) {
        return false;
    }
    *hash = model_hash(m);
    return true;
}

bool model_world_hash_full(model *m, uint64_t *hash)
{
    if (!rests(m, 0)) {
        return false;
    }
    *hash = model_hash(m);
    return true;
}

bool model_world_hash_content(model *m, uint64_t *hash)
{
    if (!rests(m, 0)) {
        return false;
    }
    *hash = hash_content(m);
    return true;
}

bool model_world_diff(model *m)
{
    return rests(m, 0);
}

bool model_component_hash(model *m, kith_component id, uint64_t *hash)
{
    const model_component *component = model_named(m, MODEL_MOVES, id, MODEL_ALL);
    if (component == NULL) {
        return false;
    }
    if (is_transient(component)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, id, KITH_NULL);
    }
    *hash = hash_component(m, component);
    return true;
}

bool model_component_hash_full(model *m, kith_component id, uint64_t *hash)
{
    const model_component *component = model_named(m, MODEL_ASKS, id, MODEL_ALL);
    if (component == NULL || !rests(m, id)) {
        return false;
    }
    if (is_transient(component)) {
        model_report(m, KITH_ERROR_ARGUMENT, id, KITH_NULL);
        return false;
    }
    *hash = hash_component(m, component);
    return true;
}
