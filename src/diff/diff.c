// SPDX-License-Identifier: MIT
// kith_world_diff: compares entities, components, groups, paths and objects of two worlds.
#include "diff/diff.h"

#include "batch/batch.h"
#include "group/group.h"
#include "snapshot/hash.h"
#include "snapshot/save.h"

#include <inttypes.h>

kith_print *kith_diff_report_part(kith_diff_report *d)
{
    d->part = kith_print_start(d->part_room, sizeof d->part_room);
    return &d->part;
}

kith_print *kith_diff_report_text(kith_diff_report *d, uint32_t side)
{
    d->texts[side] = kith_print_start(d->text_rooms[side], KITH_DIFF_ROOM);
    return &d->texts[side];
}

KITH_NAMES(kith_difference_kind,
           "entity\0free\0component\0value\0disabled\0row\0group\0path\0object\0")

// The text between a component and its part.
static const char *joint(const kith_difference *it)
{
    bool is_field = it->kind == KITH_DIFFERENCE_VALUE && strncmp(it->part, "byte ", 5) != 0;
    return !is_field ? ": " : it->part[0] == '[' ? "" : ".";
}

static void print_subject(kith_print *out, const kith_difference *it)
{
    if (it->entity != KITH_NULL) {
        kith_print_format(out, "entity ");
        kith_print_entity(out, it->entity);
        kith_print_format(out, it->component == NULL ? "" : ": ");
    }
    if (it->component != NULL) {
        kith_print_format(out, "\"%s\"", it->component);
    }
    if (it->part != NULL) {
        kith_print_format(out, "%s%s", it->component == NULL ? "" : joint(it), it->part);
    }
}

static void print_sentence(kith_print *out, const kith_difference *it)
{
    const char *only = it->first == NULL ? "second" : "first";
    if (it->first != NULL && it->second != NULL) {
        print_subject(out, it);
        kith_print_format(out, " is %s in the first world and %s in the second", it->first,
                          it->second);
    } else if (it->entity != KITH_NULL && it->component != NULL) {
        kith_print_format(out, "entity ");
        kith_print_entity(out, it->entity);
        kith_print_format(out, " has \"%s\" only in the %s world", it->component, only);
    } else {
        kith_print_format(out, "only the %s world has ", only);
        print_subject(out, it);
    }
    kith_print_end(out);
}

void kith_diff_report_record(kith_diff_report *d, kith_difference_kind kind, const char *first,
                             const char *second)
{
    char                sentence[sizeof d->first];
    kith_print          out     = kith_print_start(sentence, sizeof sentence);
    const kith_storage *storage = d->storages[0] != NULL ? d->storages[0] : d->storages[1];
    kith_difference     it      = { .kind      = kind,
                                    .entity    = d->entity,
                                    .component = storage == NULL ? NULL : storage->desc.name,
                                    .part      = d->part.length == 0 ? NULL : d->part_room,
                                    .first     = first,
                                    .second    = second,
                                    .text      = sentence };
    if (d->count++ != 0 && d->diff->each == NULL) {
        return; // only the first sentence is kept
    }
    kith_print_end(&d->part);
    print_sentence(&out, &it);
    if (d->count == 1) {
        memcpy(d->first, sentence, sizeof sentence);
    }
    if (d->diff->each != NULL) {
        d->diff->each(&it, d->diff->context);
    }
}

void kith_diff_report_record_texts(kith_diff_report *d, kith_difference_kind kind)
{
    kith_print_end(&d->texts[0]);
    kith_print_end(&d->texts[1]);
    kith_diff_report_record(d, kind, d->text_rooms[0], d->text_rooms[1]);
}

bool kith_diff_report_fail(kith_diff_report *d, uint32_t side, kith_error_code code,
                           const char *subject, const char *other)
{
    const kith_storage *storage = d->storages[side];
    kith_error          error   = { .code      = code,
                                    .call      = KITH_DIFF_CALL,
                                    .component = storage == NULL ? 0 : storage->desc.id,
                                    .entity    = d->entity,
                                    .subject   = subject,
                                    .other     = other };
    d->failed                   = true;
    return kith_world_report_error(d->worlds[side], &error);
}

// Records a subject, of an entity or KITH_NULL, that only world `side` has.
static void record_only(kith_diff_report *d, kith_difference_kind kind, uint32_t side,
                        kith_entity entity)
{
    d->entity = entity;
    kith_diff_report_record(d, kind, side == 0 ? "there" : NULL, side == 0 ? NULL : "there");
    d->entity = KITH_NULL;
}

// --- entities --------------------------------------------------------------------------------

#define UNUSED_SLOT UINT64_MAX // no valid slot

static uint64_t slot_at(const kith_world *world, uint32_t index)
{
    return index < world->entities.count ? *kith_entity_slot_of(&world->entities, index)
                                         : UNUSED_SLOT;
}

static void print_slot(kith_print *out, uint64_t slot, uint32_t index)
{
    uint32_t    link   = kith_entity_index(slot);
    kith_entity entity = kith_entity_make(index, kith_entity_version(slot));
    if (slot == UNUSED_SLOT) {
        kith_print_format(out, "unused");
    } else if (link == KITH_SLOT_RETIRED) {
        kith_print_format(out, "retired");
    } else if (link == KITH_SLOT_RESERVED) {
        kith_print_format(out, "reserved (version %" PRIu32 ")", kith_entity_version(slot));
    } else {
        kith_print_format(out, link == index ? "entity " : "free (for ");
        kith_print_entity(out, entity);
        if (link != index && link != KITH_SLOT_END) {
            kith_print_format(out, ", then index %" PRIu32, link);
        }
        kith_print_format(out, link == index ? "" : ")");
    }
}

static void compare_slots(kith_diff_report *d, uint32_t index, uint64_t a, uint64_t b)
{
    bool lives[] = { kith_entity_index(a) == index, kith_entity_index(b) == index };
    if (lives[0] != lives[1]) {
        record_only(d, KITH_DIFFERENCE_ENTITY, lives[1], lives[0] ? a : b);
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        print_slot(kith_diff_report_text(d, side), side == 0 ? a : b, index);
    }
    kith_print_format(kith_diff_report_part(d), "index %" PRIu32, index);
    kith_diff_report_record_texts(d, lives[0] ? KITH_DIFFERENCE_ENTITY : KITH_DIFFERENCE_FREE);
    kith_diff_report_part(d);
}

// Prints a row or an index; KITH_NO_INDEX: "none".
static void print_place(kith_print *out, const char *what, uint32_t number)
{
    if (number == KITH_NO_INDEX) {
        kith_print_format(out, "none");
    } else {
        kith_print_format(out, "%s%" PRIu32, what, number);
    }
}

static void compare_numbers(kith_diff_report *d, kith_difference_kind kind, const char *what,
                            uint32_t a, uint32_t b)
{
    if (a != b) {
        for (uint32_t side = 0; side < 2; side++) {
            print_place(kith_diff_report_text(d, side), what, side == 0 ? a : b);
        }
        kith_diff_report_record_texts(d, kind);
    }
    kith_diff_report_part(d);
}

static void compare_entities(kith_diff_report *d)
{
    const kith_entity_table *a    = &d->worlds[0]->entities;
    const kith_entity_table *b    = &d->worlds[1]->entities;
    uint32_t                 most = a->count > b->count ? a->count : b->count;
    for (uint32_t index = 0; index < most; index++) {
        uint64_t slots[] = { slot_at(d->worlds[0], index), slot_at(d->worlds[1], index) };
        if (slots[0] != slots[1]) {
            compare_slots(d, index, slots[0], slots[1]);
        }
    }
    kith_print_format(kith_diff_report_part(d), "the next free index");
    compare_numbers(d, KITH_DIFFERENCE_FREE, "", a->head, b->head);
}

// --- owners of a component -------------------------------------------------------------------

// Records a component that only world `side` has on an entity that lives in both.
static void record_owner(kith_diff_report *d, uint32_t side, kith_entity entity)
{
    if (kith_entity_table_alive(&d->worlds[1 - side]->entities, entity)) {
        record_only(d, KITH_DIFFERENCE_COMPONENT, side, entity);
    }
}

static bool has_diff_flag(const kith_diff_report *d, uint32_t side, kith_entity entity)
{
    const kith_storage *storage = d->storages[side];
    return storage != NULL && kith_entity_has_bit(d->worlds[side], entity, storage->bit);
}

static void compare_flags(kith_diff_report *d, uint32_t side)
{
    kith_entity entity = KITH_NULL;
    while ((entity = kith_entity_next(d->worlds[side], entity)) != KITH_NULL) {
        if (has_diff_flag(d, side, entity) && !has_diff_flag(d, 1 - side, entity)) {
            record_owner(d, side, entity);
        }
    }
}

// --- order of rows and members ---------------------------------------------------------------

#define NO_NAME UINT64_MAX // the name of a row that does not exist

static void print_storages(kith_print *out, kith_storage *const *storages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_print_format(out, "%s\"%s\"", i == 0 ? "" : ", ", storages[i]->desc.name);
    }
}

static kith_print *begin_group(kith_diff_report *d, const kith_group *group)
{
    kith_storage *sorted[KITH_QUERY_TERMS_MAX];
    kith_print   *part = kith_diff_report_part(d);
    kith_print_format(part, "the group of ");
    print_storages(part, sorted, kith_group_terms(group, false, sorted));
    uint32_t excluded = kith_group_terms(group, true, sorted);
    kith_print_format(part, excluded == 0 ? "" : " without ");
    print_storages(part, sorted, excluded);
    return part;
}

// Prints what is in a row: an entity, after the text `before`, or a hole. `order`: says which hole.
static void print_row(kith_print *out, const char *before, uint64_t name, bool order)
{
    if (name == NO_NAME) {
        kith_print_format(out, "missing");
    } else if (!kith_name_is_hole(name)) {
        kith_print_format(out, "%s", before);
        kith_print_entity(out, name);
    } else if (!order) {
        kith_print_format(out, "a hole");
    } else if (name == 0) {
        kith_print_format(out, "the last hole to be filled");
    } else {
        kith_print_format(out, "a hole that is filled before row %" PRIu64, name - 1);
    }
}

// Rows of a pool, or members of a group.
typedef struct row_list {
    const kith_sparse_set *set;
    uint32_t               count;
} row_list;

static row_list rows_of(const kith_diff_report *d, uint32_t side)
{
    const kith_storage *storage = d->storages[side];
    return storage == NULL ? (row_list){ NULL, 0 }
                           : (row_list){ &storage->pool.set, storage->pool.set.head.rows_ };
}

static uint64_t name_at(const kith_diff_report *d, uint32_t side, row_list rows, uint32_t row)
{
    return row < rows.count ? kith_row_name(&d->worlds[side]->entities, rows.set, row) : NO_NAME;
}

// Compares the rows of the present storages, or the members of a group, one by one. Another
// difference covers a row that only one world has: its entity has no row or another row in the
// other world.
static void compare_row_order(kith_diff_report *d, const kith_group *group, row_list first,
                              row_list second)
{
    uint32_t most = first.count > second.count ? first.count : second.count;
    for (uint32_t row = 0; row < most; row++) {
        uint64_t a       = name_at(d, 0, first, row);
        uint64_t b       = name_at(d, 1, second, row);
        bool     covered = group == NULL && ((a == NO_NAME && !kith_name_is_hole(b)) ||
                                         (b == NO_NAME && !kith_name_is_hole(a)));
        if (a == b || covered) {
            continue;
        }
        bool        holes  = kith_name_is_hole(a) && kith_name_is_hole(b);
        const char *before = group == NULL ? "of entity " : "";
        for (uint32_t side = 0; side < 2; side++) {
            print_row(kith_diff_report_text(d, side), before, side == 0 ? a : b, holes);
        }
        kith_print *part = group == NULL ? kith_diff_report_part(d) : begin_group(d, group);
        kith_print_format(part, "%s %" PRIu32, group == NULL ? "row" : ": member", row);
        kith_diff_report_record_texts(d,
                                      group == NULL ? KITH_DIFFERENCE_ROW : KITH_DIFFERENCE_GROUP);
    }
}

// --- pools -----------------------------------------------------------------------------------

static void compare_rows(kith_diff_report *d, uint32_t a, uint32_t b)
{
    const kith_pool *pools[] = { &d->storages[0]->pool, &d->storages[1]->pool };
    bool is_off[] = { kith_pool_is_disabled(pools[0], a), kith_pool_is_disabled(pools[1], b) };
    if (pools[0]->size != 0) {
        kith_diff_report_value(d, kith_pool_value(pools[0], a), kith_pool_value(pools[1], b));
    }
    if (is_off[0] != is_off[1]) {
        kith_diff_report_record(d, KITH_DIFFERENCE_DISABLED, is_off[0] ? "disabled" : "enabled",
                                is_off[0] ? "enabled" : "disabled");
    }
}

// Compares the rows of world `side` with the other world's; values are compared for side 0 only.
static void compare_owners(kith_diff_report *d, uint32_t side)
{
    const kith_storage *other = d->storages[1 - side];
    row_list            rows  = rows_of(d, side);
    for (uint32_t row = 0; row < rows.count && !d->failed; row++) {
        uint64_t name = name_at(d, side, rows, row);
        if (kith_name_is_hole(name)) {
            continue;
        }
        uint32_t place = other != NULL ? kith_sparse_set_row(&other->pool.set, name) : KITH_NO_ROW;
        if (place == KITH_NO_ROW) {
            record_owner(d, side, name);
        } else if (side == 0) {
            d->entity = name;
            compare_rows(d, row, place);
            d->entity = KITH_NULL;
        }
    }
}

// --- components ------------------------------------------------------------------------------

// `kind` is the kind of the first world's storage; if it has none, of the second's.
static void compare_storages(kith_diff_report *d, kith_kind kind)
{
    const kith_storage *first  = d->storages[0];
    const kith_storage *second = d->storages[1];
    if (second != NULL && second->desc.kind != kind) {
        kith_print_format(kith_diff_report_part(d), "the kind");
        kith_diff_report_record(d, KITH_DIFFERENCE_COMPONENT, kith_kind_name(kind),
                                kith_kind_name(second->desc.kind));
    } else if (kind == KITH_KIND_SINGLETON && (first == NULL || second == NULL)) {
        record_only(d, KITH_DIFFERENCE_COMPONENT, first == NULL, KITH_NULL);
    } else if (kind == KITH_KIND_SINGLETON) {
        kith_diff_report_value(d, first->single, second->single);
    } else if (kind == KITH_KIND_FLAG) {
        compare_flags(d, 0);
        compare_flags(d, 1);
    } else {
        compare_owners(d, 0);
        compare_owners(d, 1);
        compare_row_order(d, NULL, rows_of(d, 0), rows_of(d, 1));
        kith_print_format(kith_diff_report_part(d), "the next hole to be filled");
        if (first != NULL && second != NULL) {
            compare_numbers(d, KITH_DIFFERENCE_ROW, "row ", first->pool.set.newest_hole,
                            second->pool.set.newest_hole);
        }
    }
}

static void compare_components(kith_diff_report *d)
{
    kith_storage *sorted[2][KITH_COMPONENT_MAX];
    uint32_t      counts[] = { kith_world_state_storages(d->worlds[0], sorted[0]),
                               kith_world_state_storages(d->worlds[1], sorted[1]) };
    uint32_t      i        = 0;
    uint32_t      j        = 0;
    while ((i < counts[0] || j < counts[1]) && !d->failed) {
        const kith_storage *a = sorted[0][i < counts[0] ? i : 0];
        const kith_storage *b = sorted[1][j < counts[1] ? j : 0];
        int sign = i == counts[0] ? 1 : j == counts[1] ? -1 : strcmp(a->desc.name, b->desc.name);
        d->storages[0] = sign <= 0 ? a : NULL;
        d->storages[1] = sign >= 0 ? b : NULL;
        d->comparison  = sign == 0 ? kith_diff_report_comparison(d) : KITH_COMPARE_NONE;
        compare_storages(d, (sign <= 0 ? a : b)->desc.kind);
        kith_diff_report_part(d);
        i += sign <= 0;
        j += sign >= 0;
    }
    d->storages[0] = d->storages[1] = NULL;
}

// --- groups and paths ------------------------------------------------------------------------

static bool names_agree(kith_storage *const *a, uint32_t a_count, kith_storage *const *b,
                        uint32_t b_count)
{
    bool agree = a_count == b_count;
    for (uint32_t i = 0; i < a_count && agree; i++) {
        agree = strcmp(a[i]->desc.name, b[i]->desc.name) == 0;
    }
    return agree;
}

static bool terms_agree(const kith_group *a, const kith_group *b)
{
    kith_storage *sorted[2][KITH_QUERY_TERMS_MAX];
    bool          agree = true;
    for (uint32_t excluded = 0; excluded < 2 && agree; excluded++) {
        uint32_t count = kith_group_terms(a, excluded != 0, sorted[0]);
        agree =
            names_agree(sorted[0], count, sorted[1], kith_group_terms(b, excluded != 0, sorted[1]));
    }
    return agree;
}

static const kith_group *find_alike(const kith_world *world, const kith_group *group)
{
    for (uint32_t i = 0; i < world->groups.count; i++) {
        const kith_group *found = world->groups.groups[i];
        if (kith_group_is_state(found) && terms_agree(found, group)) {
            return found;
        }
    }
    return NULL;
}

static void compare_groups(kith_diff_report *d, uint32_t side)
{
    const kith_world *world = d->worlds[side];
    for (uint32_t i = 0; i < world->groups.count; i++) {
        const kith_group *group = world->groups.groups[i];
        if (!kith_group_is_state(group)) {
            continue;
        }
        const kith_group *other = find_alike(d->worlds[1 - side], group);
        if (other == NULL) {
            begin_group(d, group);
            record_only(d, KITH_DIFFERENCE_GROUP, side, KITH_NULL);
        } else if (side == 0) {
            compare_row_order(d, group, (row_list){ &group->list.pool.set, group->count },
                              (row_list){ &other->list.pool.set, other->count });
        }
        kith_diff_report_part(d);
    }
}

static void compare_paths(kith_diff_report *d)
{
    const kith_path *next[] = { d->worlds[0]->paths, d->worlds[1]->paths };
    kith_storage    *storages[2][KITH_PATH_COMPONENTS_MAX];
    for (uint32_t i = 0;; i++) {
        uint32_t counts[] = { kith_path_list(&next[0], storages[0]),
                              kith_path_list(&next[1], storages[1]) };
        if (counts[0] == 0 && counts[1] == 0) {
            return;
        }
        kith_print_format(kith_diff_report_part(d), "path %" PRIu32, i);
        if (counts[0] == 0 || counts[1] == 0) {
            record_only(d, KITH_DIFFERENCE_PATH, counts[0] == 0, KITH_NULL);
        } else if (!names_agree(storages[0], counts[0], storages[1], counts[1])) {
            for (uint32_t side = 0; side < 2; side++) {
                kith_print *text = kith_diff_report_text(d, side);
                kith_print_format(text, "of ");
                print_storages(text, storages[side], counts[side]);
            }
            kith_diff_report_record_texts(d, KITH_DIFFERENCE_PATH);
        }
    }
}

// --- worlds ----------------------------------------------------------------------------------

static bool can_be_compared(const kith_world *world)
{
    kith_error error;
    return kith_require_at_rest_const(world, KITH_DIFF_CALL) &&
           (kith_world_may_read_state(world, NULL, KITH_DIFF_CALL, &error) ||
            kith_world_report_error(world, &error));
}

// --- objects ---------------------------------------------------------------------------------

static void print_object(kith_diff_report *d, const kith_object *object)
{
    kith_print_format(kith_diff_report_part(d), "%s \"%s\"", object->ops->kind, object->key);
}

// Reads the head of an item as a field.
static kith_field read_head(kith_source *from, uint32_t *length)
{
    kith_field item = { .type = (kith_field_type)kith_source_u32(from) };
    item.name       = kith_source_text(from, length);
    item.count      = kith_source_u32(from);
    item.size       = kith_field_type_size(item.type);
    return item;
}

// Compares the items of an object that both worlds have. Items with other names or counts end the
// comparison.
static void compare_items(kith_diff_report *d, const kith_object *object, kith_source sources[2])
{
    while (kith_source_left(&sources[0]) != 0 && kith_source_left(&sources[1]) != 0) {
        uint32_t       lengths[2];
        kith_field     items[2] = { read_head(&sources[0], &lengths[0]),
                                    read_head(&sources[1], &lengths[1]) };
        const uint8_t *values[2];
        for (uint32_t side = 0; side < 2; side++) {
            size_t bytes = (size_t)items[side].size * items[side].count;
            kith_print_format(kith_diff_report_text(d, side), "%" PRIu32 " values \"%.*s\"",
                              items[side].count, (int)lengths[side], items[side].name);
            values[side] = kith_source_take(&sources[side], bytes);
        }
        print_object(d, object);
        kith_print_format(&d->part, ".%.*s", (int)lengths[0], items[0].name);
        if (items[0].type != items[1].type || items[0].count != items[1].count ||
            lengths[0] != lengths[1] || memcmp(items[0].name, items[1].name, lengths[0]) != 0) {
            kith_diff_report_record_texts(d, KITH_DIFFERENCE_OBJECT);
            return;
        }
        kith_diff_report_field(d, &items[0], &items[1], values[0], values[1]);
    }
    if (kith_source_left(&sources[0]) != kith_source_left(&sources[1])) {
        print_object(d, object);
        kith_diff_report_record(d, KITH_DIFFERENCE_OBJECT, "one list of items", "another");
    }
}

// The bytes of an object's state, with its kind and key read. Reports an error when there are none.
static kith_source items_of(kith_diff_report *d, uint32_t side, const kith_object *object,
                            kith_bytes *bytes)
{
    kith_error_code code = kith_object_bytes(object, bytes);
    if (code != KITH_OK) {
        kith_diff_report_fail(d, side, code, "state", object->key);
    }
    kith_source from = { .bytes = bytes->data, .size = bytes->size };
    kith_source_is_text(&from, object->ops->kind);
    kith_source_is_text(&from, object->key);
    return from;
}

// Compares the objects of the first world; then reports those that only the second world has.
static void compare_objects(kith_diff_report *d, uint32_t side)
{
    for (const kith_object *object            = kith_object_with_state(d->worlds[side]->oldest);
         object != NULL && !d->failed; object = kith_object_with_state(object->next_)) {
        const kith_object *other =
            kith_object_find(d->worlds[1 - side], object->ops->kind, object->key);
        if (other == NULL || other->ops->state == NULL) {
            print_object(d, object);
            record_only(d, KITH_DIFFERENCE_OBJECT, side, KITH_NULL);
        } else if (side == 0) {
            kith_bytes  bytes[2]   = { { .data = NULL }, { .data = NULL } };
            kith_source sources[2] = { items_of(d, 0, object, &bytes[0]),
                                       items_of(d, 1, other, &bytes[1]) };
            if (!d->failed) {
                compare_items(d, object, sources);
            }
            kith_bytes_free(&bytes[0]);
            kith_bytes_free(&bytes[1]);
        }
        kith_diff_report_part(d);
    }
}

bool kith_world_diff(const kith_world *first, const kith_world *second, kith_diff *diff)
{
    kith_diff_report d = { .worlds = { first, second }, .diff = diff };
    if (!can_be_compared(first) || !can_be_compared(second)) {
        return false;
    }
    if (diff == NULL) {
        return kith_diff_report_fail(&d, 0, KITH_ERROR_ARGUMENT, "diff is NULL", NULL);
    }
    compare_entities(&d);
    compare_components(&d);
    if (d.failed) {
        return false;
    }
    compare_groups(&d, 0);
    compare_groups(&d, 1);
    compare_paths(&d);
    compare_objects(&d, 0);
    compare_objects(&d, 1);
    if (!d.failed) {
        diff->count = d.count;
        memcpy(diff->text, d.first, sizeof diff->text);
    }
    return !d.failed;
}
