// SPDX-License-Identifier: MIT
#include "snapshot/load.h"
#include "world/component.h"

// The indices of which there are as many as the chunk says, and nothing else is left.
static uint32_t *alloc_list(kith_staging *staging, kith_source *from, uint32_t *count,
                            kith_flaw *flaw)
{
    *count         = kith_source_u32(from);
    bool      fit  = !from->ended && (uint64_t)*count * sizeof(uint32_t) == from->size - from->at;
    uint32_t *list = !fit ? NULL : kith_alloc(&staging->world->memory, ((size_t)*count + 1) * 4, 4);
    if (!fit) {
        kith_flaw_record(flaw, KITH_ERROR_FORMAT, "a list has not the length that it says", NULL);
    } else if (list == NULL) {
        kith_flaw_memory(flaw);
    } else {
        kith_numbers_u32(list, kith_source_take(from, (size_t)*count * 4), *count);
    }
    return list;
}

// Gives the list back, and says what the staging said of it.
static bool end_list(kith_staging *staging, uint32_t *list, uint32_t count, const char *fault,
                     bool memory, const char *name, kith_flaw *flaw)
{
    kith_free(&staging->world->memory, list, ((size_t)count + 1) * 4, 4);
    if (fault == NULL) {
        return true;
    }
    return memory ? kith_flaw_memory(flaw) : kith_flaw_record(flaw, KITH_ERROR_FORMAT, fault, name);
}

KITH_INTERNAL bool kith_list_flags(kith_staging *staging, const kith_storage *storage,
                                   kith_source *from, kith_flaw *flaw)
{
    uint32_t  count;
    uint32_t *list = alloc_list(staging, from, &count, flaw);
    if (list == NULL) {
        return false;
    }
    bool        memory = false;
    const char *fault  = kith_staging_flag(staging, storage, list, count, &memory);
    return end_list(staging, list, count, fault, memory, storage->desc.name, flaw);
}

static bool has_term(const kith_group *group, const kith_storage *storage, bool without)
{
    bool found = false;
    for (uint32_t i = 0; i < group->desc.term_count; i++) {
        const kith_term *term = &group->desc.terms[i];
        found                 = found || (term->component == storage->desc.id &&
                          (term->role == KITH_ROLE_WITHOUT) == without);
    }
    return found;
}

// Whether the group has the terms that the chunk says, which are then read, and all are loaded.
static bool has_terms(kith_source *from, const kith_group *group, const kith_load_desc *desc)
{
    uint32_t count = kith_source_u32(from);
    bool     same  = group->owned == 0 && group->desc.term_count == count;
    for (uint32_t i = 0; i < count && same; i++) {
        bool                without = kith_source_u32(from) != 0;
        uint32_t            length;
        const char         *name = kith_source_text(from, &length);
        const kith_storage *storage =
            name == NULL ? NULL : kith_world_storage_named(group->world, name, length);
        same = storage != NULL && kith_load_includes(desc, storage) &&
               kith_storage_is_saved(storage) && has_term(group, storage, without);
    }
    return same;
}

KITH_INTERNAL bool kith_list_members(kith_staging *staging, const kith_load_desc *desc,
                                     kith_source *from, kith_flaw *flaw)
{
    const kith_group_list *all   = &staging->world->groups;
    const kith_source      start = *from;
    kith_group            *group = NULL;
    uint32_t               count;
    for (uint32_t i = 0; i < all->count && group == NULL; i++) {
        *from = start;
        group = has_terms(from, all->groups[i], desc) ? all->groups[i] : NULL;
    }
    uint32_t *list = group == NULL ? NULL : alloc_list(staging, from, &count, flaw);
    if (list == NULL) {
        return group == NULL;
    }
    bool        memory = false;
    const char *fault  = kith_staging_order(staging, group, list, count, &memory);
    return end_list(staging, list, count, fault, memory, group->desc.name, flaw);
}

// --- load_component ---

// --- rows ------------------------------------------------------------------------------------

// Makes room for some more rows and links them: of the entities with these indices, or, if `bytes`
// is NULL, of those that follow each other from `index` on.
static bool fill_rows(kith_loader *l, kith_loaded_component *part, uint32_t count,
                      const uint8_t *bytes, uint32_t index)
{
    bool                   memory = false;
    uint32_t               first  = part->rows_seen;
    uint32_t               end    = first + count;
    const char            *fault  = kith_staging_rows(&l->staging, part->storage, end, &memory);
    const kith_sparse_set *set    = &kith_staging_pool(&l->staging, part->storage)->set;
    part->rows_seen               = end;
    for (uint32_t row = first, some; row < end && fault == NULL; row += some) {
        uint32_t *packed = kith_sparse_set_packed(set, row);
        some             = kith_min(kith_sparse_set_rest_of_page(set, row), end - row);
        if (bytes == NULL) {
            kith_array_number32(packed, index + (row - first), some);
        } else {
            kith_numbers_u32(packed, bytes + (size_t)(row - first) * 4, some);
        }
    }
    if (fault == NULL) {
        fault = kith_staging_link_rows(&l->staging, part->storage, bytes == NULL, &memory);
    }
    return kith_load_check(l, part, fault, memory);
}

static bool load_rows(kith_loader *l, kith_loaded_component *part)
{
    kith_source *from = &l->chunk.body;
    uint32_t     count;
    if (!kith_source_rows(from, part->rows_seen, part->rows, sizeof(uint32_t), &count)) {
        return kith_load_malformed(l, "rows do not follow each other");
    }
    return fill_rows(l, part, count, from->bytes + from->at, 0);
}

// Rows of entities that follow each other.
static bool load_run(kith_loader *l, kith_loaded_component *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     first = kith_source_u32(from);
    uint32_t     count = kith_source_u32(from);
    uint32_t     index = kith_source_u32(from);
    if (from->ended || from->at != from->size || first != part->rows_seen ||
        count > part->rows - first || count > KITH_RUN_MOST || index > l->slot_count ||
        count > l->slot_count - index) {
        return kith_load_malformed(l, "a run of rows makes no sense");
    }
    return fill_rows(l, part, count, NULL, index);
}

static bool load_holes(kith_loader *l, kith_loaded_component *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     count = kith_source_u32(from);
    if (part->holes != NULL || count == 0 || count > part->rows ||
        (uint64_t)count * sizeof(uint32_t) != from->size - from->at) {
        return kith_load_malformed(l, "a list of holes makes no sense");
    }
    part->hole_count = count;
    part->holes =
        kith_alloc(&l->world->memory, (size_t)count * sizeof *part->holes, sizeof *part->holes);
    if (part->holes == NULL) {
        return kith_load_no_memory(l);
    }
    kith_numbers_u32(part->holes, kith_source_take(from, (size_t)count * 4), count);
    return true;
}

static bool load_disabled(kith_loader *l, kith_loaded_component *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     words = kith_source_u32(from);
    if (part->disabled != NULL || words == 0 || words != (part->rows + 63) / 64 ||
        (uint64_t)words * sizeof(uint64_t) != from->size - from->at) {
        return kith_load_malformed(l, "a list of disabled rows makes no sense");
    }
    part->disabled_words = words;
    part->disabled =
        kith_alloc(&l->world->memory, words * sizeof *part->disabled, sizeof *part->disabled);
    if (part->disabled == NULL) {
        return kith_load_no_memory(l);
    }
    kith_numbers_u64(part->disabled, kith_source_take(from, (size_t)words * 8), words);
    return true;
}

// --- values ----------------------------------------------------------------------------------

// So many values live, which must end if this is not their world.
static void note_values(kith_loader *l, kith_loaded_component *part, uint32_t rows)
{
    part->values_seen                                          = rows;
    kith_staging_storage_of(&l->staging, part->storage)->built = rows;
}

// Values of one page whose component has no hooks.
static bool unpack_plain(kith_loader *l, kith_loaded_component *part, uint32_t row, uint32_t count,
                         const uint8_t *packed)
{
    const kith_layout *layout = &part->storage->layout;
    void              *values = kith_pool_value(kith_staging_pool(&l->staging, part->storage), row);
    uint32_t           bad    = 0;
    note_values(l, part, row + count);
    if (l->staging.large && kith_layout_is_whole(layout) && layout->bool_count == 0) {
        kith_stream_copy(values, packed, (size_t)count * layout->size);
        return true;
    }
    return kith_layout_unpack(layout, values, packed, count, &bad) ||
           kith_load_fail(l, KITH_ERROR_FORMAT, "a boolean is neither 0 nor 1",
                          kith_loaded_name(part));
}

// Gives a constructed value what the file says.
static bool fill_value(kith_loader *l, const kith_loaded_component *part, void *value,
                       const uint8_t *bytes, uint32_t size)
{
    const kith_saver *by    = part->storage->desc.traits.saved.functions;
    const char       *fault = NULL;
    if (part->migration != NULL) {
        fault = kith_migration_apply(part->migration, value, bytes, size);
    } else if (part->form == KITH_FORM_FUNCTIONS) {
        fault =
            by->read(value, bytes, size, by->context) ? NULL : "its read function refused a value";
    } else {
        fault = kith_layout_unpack_over(&part->storage->layout, value, bytes)
                    ? NULL
                    : "a boolean is neither 0 nor 1";
    }
    if (fault != NULL && kith_is_opaque(&part->storage->desc)) {
        return kith_load_no_memory(l); // nothing else stops those
    }
    return fault == NULL || kith_load_fail(l, KITH_ERROR_FORMAT, fault, kith_loaded_name(part));
}

// A value that functions wrote.
static bool load_blob(kith_loader *l, const kith_loaded_component *part, void *value)
{
    kith_source   *from  = &l->chunk.body;
    uint32_t       size  = kith_source_u32(from);
    const uint8_t *bytes = kith_source_take(from, size);
    return bytes == NULL ? kith_load_malformed(l, "a value is too short")
                         : fill_value(l, part, value, bytes, size);
}

static bool construct_value(kith_loader *l, kith_loaded_component *part, void *value)
{
    if (!kith_pool_construct(&part->storage->pool, value, NULL)) {
        return kith_load_fail(l, KITH_ERROR_HOOK, "its construct hook refused",
                              kith_loaded_name(part));
    }
    note_values(l, part, part->values_seen + 1);
    return true;
}

// One value that is constructed before it gets its fields, or what functions wrote.
static bool unpack_hooked(kith_loader *l, kith_loaded_component *part, const uint8_t *packed)
{
    const kith_pool *pool  = kith_staging_pool(&l->staging, part->storage);
    void            *value = kith_pool_value(pool, part->values_seen);
    if (kith_pool_is_hole(pool, part->values_seen)) {
        memset(value, 0, pool->size); // searches look at the bytes of holes, too
        note_values(l, part, part->values_seen + 1);
        return true;
    }
    return construct_value(l, part, value) &&
           (part->form == KITH_FORM_FUNCTIONS ? load_blob(l, part, value)
                                              : fill_value(l, part, value, packed, part->packed));
}

static bool unpack_rows(kith_loader *l, kith_loaded_component *part, uint32_t row, uint32_t count,
                        const uint8_t *packed)
{
    if (part->storage->pool.plain && part->migration == NULL) {
        return unpack_plain(l, part, row, count, packed);
    }
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        good = unpack_hooked(l, part, packed + (size_t)i * part->packed);
    }
    return good;
}

static bool load_values(kith_loader *l, kith_loaded_component *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     first = part->values_seen;
    uint32_t     count;
    if (part->rows_seen != part->rows || part->form == KITH_FORM_FUNCTIONS ||
        !kith_source_rows(from, first, part->rows, part->packed, &count)) {
        return kith_load_malformed(l, "values do not follow each other");
    }
    const kith_sparse_set *set  = &kith_staging_pool(&l->staging, part->storage)->set;
    bool                   good = true;
    for (uint32_t row = first, some; row < first + count && good; row += some) {
        some = kith_min(kith_sparse_set_rest_of_page(set, row), first + count - row);
        good = unpack_rows(l, part, row, some, kith_source_take(from, (size_t)some * part->packed));
    }
    return good;
}

static bool load_blobs(kith_loader *l, kith_loaded_component *part)
{
    kith_source *from = &l->chunk.body;
    bool         good = true;
    uint32_t     count;
    if (part->rows_seen != part->rows || part->form != KITH_FORM_FUNCTIONS ||
        !kith_source_rows(from, part->values_seen, part->rows, KITH_ANY_WIDTH, &count)) {
        return kith_load_malformed(l, "values do not follow each other");
    }
    for (uint32_t i = 0; i < count && good; i++) {
        good = unpack_hooked(l, part, NULL);
    }
    return good &&
           (from->at == from->size || kith_load_malformed(l, "there is more than the values"));
}

// --- flags, singletons, exact state ------------------------------------------------------------

static bool load_flags(kith_loader *l, kith_loaded_component *part)
{
    return kith_list_flags(&l->staging, part->storage, &l->chunk.body, &l->flaw) ||
           kith_load_fail_fault(l);
}

static bool load_single(kith_loader *l, kith_loaded_component *part)
{
    kith_source *from = &l->chunk.body;
    bool         blob = part->form == KITH_FORM_FUNCTIONS;
    uint32_t     size = blob ? 0 : kith_source_u32(from);
    if (part->values_seen != 0) {
        return kith_load_malformed(l, "a singleton is there twice");
    }
    if (part->form == KITH_FORM_NONE ||
        (!blob && (size != part->packed || size != from->size - from->at))) {
        return kith_load_malformed(l, "a singleton has another size");
    }
    void *value = kith_staging_single(&l->staging, part->storage);
    if (value == NULL) {
        return kith_load_no_memory(l);
    }
    if (!construct_value(l, part, value)) {
        return false;
    }
    if (blob) {
        return load_blob(l, part, value) &&
               (from->at == from->size || kith_load_malformed(l, "there is more than the value"));
    }
    return fill_value(l, part, value, kith_source_take(from, size), size);
}

static bool load_exact_part(kith_loader *l, kith_loaded_component *part)
{
    return l->desc->state_only || part->storage->unknown ||
           kith_exact_read_storage(&l->staging, part->storage, &l->chunk, &l->flaw) ||
           kith_load_fail_fault(l);
}

KITH_INTERNAL kith_load_component_fn kith_load_component_reader(uint32_t tag, uint32_t *kinds)
{
    static const struct {
        uint32_t               tag;
        uint32_t               kinds;
        kith_load_component_fn read;
    } readers[] = {
        { KITH_TAG_ROWS, KITH_WITH_ROWS, load_rows },
        { KITH_TAG_RUN, KITH_WITH_ROWS, load_run },
        { KITH_TAG_HOLES, KITH_WITH_ROWS, load_holes },
        { KITH_TAG_DISABLED, KITH_WITH_ROWS, load_disabled },
        { KITH_TAG_VALUES, 1u << KITH_KIND_VALUE, load_values },
        { KITH_TAG_BLOBS, 1u << KITH_KIND_VALUE, load_blobs },
        { KITH_TAG_STAMPS, KITH_WITH_ROWS, load_exact_part },
        { KITH_TAG_TICKS, KITH_WITH_ROWS, load_exact_part },
        { KITH_TAG_JOURNAL, KITH_WITH_ROWS, load_exact_part },
        { KITH_TAG_FLAGS, 1u << KITH_KIND_FLAG, load_flags },
        { KITH_TAG_SINGLETON, 1u << KITH_KIND_SINGLETON, load_single },
    };
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (readers[i].tag == tag) {
            *kinds = readers[i].kinds;
            return readers[i].read;
        }
    }
    return NULL;
}
