// SPDX-License-Identifier: MIT
// Loads what a file has of one component (rows, holes, values, flags, a singleton) and groups.
#include "snapshot/load.h"
#include "world/component.h"

// --- lists of entities -----------------------------------------------------------------------

// Reads the rest of the chunk: a count and as many indices. Returns NULL after a fault.
static uint32_t *alloc_list(kith_loader *l, uint32_t *count)
{
    kith_source *from = &l->chunk.body;
    *count            = kith_source_u32(from);
    if (from->ended || (uint64_t)*count * sizeof(uint32_t) != from->size - from->at) {
        kith_load_malformed(l, "a list has the wrong length", NULL);
        return NULL;
    }
    uint32_t *list = kith_alloc(&l->world->memory, ((size_t)*count + 1) * 4, 4);
    if (list == NULL) {
        kith_load_no_memory(l);
    } else {
        kith_numbers_u32(list, kith_source_take(from, (size_t)*count * 4), *count);
    }
    return list;
}

// Frees the list and records what the staging answered.
static bool end_list(kith_loader *l, uint32_t *list, uint32_t count, const char *fault, bool oom,
                     const char *name)
{
    kith_free(&l->world->memory, list, ((size_t)count + 1) * 4, 4);
    return kith_load_check(l, fault, oom, name);
}

static bool load_flags(kith_loader *l, kith_loaded_component *loaded)
{
    uint32_t  count;
    uint32_t *list = alloc_list(l, &count);
    if (list == NULL) {
        return false;
    }
    bool        oom   = false;
    const char *fault = kith_staging_flag(&l->staging, loaded->storage, list, count, &oom);
    return end_list(l, list, count, fault, oom, loaded->storage->desc.name);
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

// Reads the terms in the chunk. Whether the group has the same ones, and all are loaded.
static bool has_terms(kith_source *from, const kith_group *group, const kith_load_desc *desc)
{
    uint32_t count = kith_source_u32(from);
    bool     same  = group->owned == 0 && group->desc.term_count == count;
    for (uint32_t i = 0; i < count && same; i++) {
        bool                without = kith_source_u32(from) != 0;
        uint32_t            length;
        const char         *name = kith_source_text(from, &length);
        const kith_storage *storage =
            name == NULL ? NULL : kith_world_storage_named(group->object.world, name, length);
        same = storage != NULL && kith_load_includes(desc, storage) &&
               kith_storage_is_saved(storage) && has_term(group, storage, without);
    }
    return same;
}

KITH_INTERNAL bool kith_load_group(kith_loader *l)
{
    const kith_group_list *all   = &l->world->groups;
    const kith_source      start = l->chunk.body;
    kith_group            *group = NULL;
    uint32_t               count;
    for (uint32_t i = 0; i < all->count && group == NULL; i++) {
        l->chunk.body = start;
        group         = has_terms(&l->chunk.body, all->groups[i], l->desc) ? all->groups[i] : NULL;
    }
    uint32_t *list = group == NULL ? NULL : alloc_list(l, &count);
    if (list == NULL) {
        return group == NULL;
    }
    bool        oom   = false;
    const char *fault = kith_staging_order(&l->staging, group, list, count, &oom);
    return end_list(l, list, count, fault, oom, group->desc.name);
}

// --- rows ------------------------------------------------------------------------------------

// Adds rows and links them: for the entities with the indices in `bytes`, or, when `bytes` is NULL,
// for `count` consecutive entities from `index` on.
static bool fill_rows(kith_loader *l, kith_loaded_component *loaded, uint32_t count,
                      const uint8_t *bytes, uint32_t index)
{
    bool                   oom   = false;
    uint32_t               first = loaded->rows_seen;
    uint32_t               end   = first + count;
    const char            *fault = kith_staging_rows(&l->staging, loaded->storage, end, &oom);
    const kith_sparse_set *set   = &kith_staging_pool(&l->staging, loaded->storage)->set;
    loaded->rows_seen            = end;
    for (uint32_t row = first, step; row < end && fault == NULL; row += step) {
        uint32_t *packed = kith_sparse_set_packed(set, row);
        step             = kith_min(kith_sparse_set_rest_of_page(set, row), end - row);
        if (bytes == NULL) {
            kith_array_number32(packed, index + (row - first), step);
        } else {
            kith_numbers_u32(packed, bytes + (size_t)(row - first) * 4, step);
        }
    }
    if (fault == NULL) {
        fault = kith_staging_link_rows(&l->staging, loaded->storage, bytes == NULL, &oom);
    }
    return kith_load_check(l, fault, oom, loaded->storage->desc.name);
}

static bool load_rows(kith_loader *l, kith_loaded_component *loaded)
{
    kith_source *from = &l->chunk.body;
    uint32_t     count;
    if (!kith_source_rows(from, loaded->rows_seen, loaded->rows, sizeof(uint32_t), &count)) {
        return kith_load_malformed(l, "rows are not consecutive", NULL);
    }
    return fill_rows(l, loaded, count, from->bytes + from->at, 0);
}

// Reads a RUNS chunk: rows of consecutive entities.
static bool load_run(kith_loader *l, kith_loaded_component *loaded)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     first = kith_source_u32(from);
    uint32_t     count = kith_source_u32(from);
    uint32_t     index = kith_source_u32(from);
    if (from->ended || from->at != from->size || first != loaded->rows_seen ||
        count > loaded->rows - first || count > KITH_RUN_MOST || index > l->slot_count ||
        count > l->slot_count - index) {
        return kith_load_malformed(l, "a run of rows is malformed", NULL);
    }
    return fill_rows(l, loaded, count, NULL, index);
}

static bool load_holes(kith_loader *l, kith_loaded_component *loaded)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     count = kith_source_u32(from);
    if (loaded->holes != NULL || count == 0 || count > loaded->rows ||
        (uint64_t)count * sizeof(uint32_t) != from->size - from->at) {
        return kith_load_malformed(l, "a list of holes is malformed", NULL);
    }
    loaded->hole_count = count;
    loaded->holes =
        kith_alloc(&l->world->memory, (size_t)count * sizeof *loaded->holes, sizeof *loaded->holes);
    if (loaded->holes == NULL) {
        return kith_load_no_memory(l);
    }
    kith_numbers_u32(loaded->holes, kith_source_take(from, (size_t)count * 4), count);
    return true;
}

static bool load_disabled(kith_loader *l, kith_loaded_component *loaded)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     words = kith_source_u32(from);
    if (loaded->disabled != NULL || words == 0 || words != (loaded->rows + 63) / 64 ||
        (uint64_t)words * sizeof(uint64_t) != from->size - from->at) {
        return kith_load_malformed(l, "a list of disabled rows is malformed", NULL);
    }
    loaded->disabled_words = words;
    loaded->disabled =
        kith_alloc(&l->world->memory, words * sizeof *loaded->disabled, sizeof *loaded->disabled);
    if (loaded->disabled == NULL) {
        return kith_load_no_memory(l);
    }
    kith_numbers_u64(loaded->disabled, kith_source_take(from, (size_t)words * 8), words);
    return true;
}

// --- values ----------------------------------------------------------------------------------

// Records that rows 0 to rows - 1 have values: kith_staging_end destructs them.
static void record_values(kith_loader *l, kith_loaded_component *loaded, uint32_t rows)
{
    loaded->values_seen                                          = rows;
    kith_staging_storage_of(&l->staging, loaded->storage)->built = rows;
}

// Unpacks values of one page; the component has no hooks.
static bool unpack_plain(kith_loader *l, kith_loaded_component *loaded, uint32_t row,
                         uint32_t count, const uint8_t *packed)
{
    const kith_layout *layout = &loaded->storage->layout;
    void    *values = kith_pool_value(kith_staging_pool(&l->staging, loaded->storage), row);
    uint32_t bad    = 0;
    record_values(l, loaded, row + count);
    if (l->staging.large && kith_layout_is_whole(layout) && layout->bool_count == 0) {
        kith_stream_copy(values, packed, (size_t)count * layout->size);
        return true;
    }
    return kith_layout_unpack(layout, values, packed, count, &bad) ||
           kith_load_malformed(l, "a boolean is neither 0 nor 1", loaded->storage->desc.name);
}

// Reads the saved bytes into a constructed value.
static bool fill_value(kith_loader *l, const kith_loaded_component *loaded, void *value,
                       const uint8_t *bytes, uint32_t size)
{
    const kith_saver *by    = loaded->storage->desc.traits.saved.functions;
    const char       *fault = NULL;
    if (loaded->migration != NULL) {
        fault = kith_migration_apply(loaded->migration, value, bytes, size);
    } else if (loaded->form == KITH_FORM_FUNCTIONS) {
        fault =
            by->read(value, bytes, size, by->context) ? NULL : "its read function refused a value";
    } else {
        fault = kith_layout_unpack_over(&loaded->storage->layout, value, bytes)
                    ? NULL
                    : "a boolean is neither 0 nor 1";
    }
    if (fault != NULL && kith_is_opaque(&loaded->storage->desc)) {
        return kith_load_no_memory(l); // the only failure of opaque values
    }
    return fault == NULL || kith_load_malformed(l, fault, loaded->storage->desc.name);
}

// Reads a value that save functions wrote.
static bool load_blob(kith_loader *l, const kith_loaded_component *loaded, void *value)
{
    kith_source   *from  = &l->chunk.body;
    uint32_t       size  = kith_source_u32(from);
    const uint8_t *bytes = kith_source_take(from, size);
    return bytes == NULL ? kith_load_malformed(l, "a value is too short", NULL)
                         : fill_value(l, loaded, value, bytes, size);
}

static bool construct_value(kith_loader *l, kith_loaded_component *loaded, void *value)
{
    if (!kith_pool_construct(&loaded->storage->pool, value, NULL)) {
        return kith_load_fail(l, KITH_ERROR_HOOK, "its construct hook refused",
                              loaded->storage->desc.name);
    }
    record_values(l, loaded, loaded->values_seen + 1);
    return true;
}

// Constructs one value, then reads it.
static bool unpack_hooked(kith_loader *l, kith_loaded_component *loaded, const uint8_t *packed)
{
    const kith_pool *pool  = kith_staging_pool(&l->staging, loaded->storage);
    void            *value = kith_pool_value(pool, loaded->values_seen);
    if (kith_pool_is_hole(pool, loaded->values_seen)) {
        memset(value, 0, pool->size); // searches also read the bytes of holes
        record_values(l, loaded, loaded->values_seen + 1);
        return true;
    }
    return construct_value(l, loaded, value) &&
           (loaded->form == KITH_FORM_FUNCTIONS
                ? load_blob(l, loaded, value)
                : fill_value(l, loaded, value, packed, loaded->packed));
}

static bool unpack_rows(kith_loader *l, kith_loaded_component *loaded, uint32_t row, uint32_t count,
                        const uint8_t *packed)
{
    if (loaded->storage->pool.plain && loaded->migration == NULL) {
        return unpack_plain(l, loaded, row, count, packed);
    }
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        good = unpack_hooked(l, loaded, packed + (size_t)i * loaded->packed);
    }
    return good;
}

static bool load_values(kith_loader *l, kith_loaded_component *loaded)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     first = loaded->values_seen;
    uint32_t     count;
    if (loaded->rows_seen != loaded->rows || loaded->form == KITH_FORM_FUNCTIONS ||
        !kith_source_rows(from, first, loaded->rows, loaded->packed, &count)) {
        return kith_load_malformed(l, "values are not consecutive", NULL);
    }
    const kith_sparse_set *set  = &kith_staging_pool(&l->staging, loaded->storage)->set;
    bool                   good = true;
    for (uint32_t row = first, step; row < first + count && good; row += step) {
        step = kith_min(kith_sparse_set_rest_of_page(set, row), first + count - row);
        good = unpack_rows(l, loaded, row, step,
                           kith_source_take(from, (size_t)step * loaded->packed));
    }
    return good;
}

static bool load_blobs(kith_loader *l, kith_loaded_component *loaded)
{
    kith_source *from = &l->chunk.body;
    bool         good = true;
    uint32_t     count;
    if (loaded->rows_seen != loaded->rows || loaded->form != KITH_FORM_FUNCTIONS ||
        !kith_source_rows(from, loaded->values_seen, loaded->rows, KITH_ANY_WIDTH, &count)) {
        return kith_load_malformed(l, "values are not consecutive", NULL);
    }
    for (uint32_t i = 0; i < count && good; i++) {
        good = unpack_hooked(l, loaded, NULL);
    }
    return good &&
           (from->at == from->size || kith_load_malformed(l, "bytes follow the last value", NULL));
}

// --- singletons, exact state -----------------------------------------------------------------

static bool load_single(kith_loader *l, kith_loaded_component *loaded)
{
    kith_source *from = &l->chunk.body;
    bool         blob = loaded->form == KITH_FORM_FUNCTIONS;
    uint32_t     size = blob ? 0 : kith_source_u32(from);
    if (loaded->values_seen != 0) {
        return kith_load_malformed(l, "the file has a singleton twice", NULL);
    }
    if (loaded->form == KITH_FORM_NONE ||
        (!blob && (size != loaded->packed || size != from->size - from->at))) {
        return kith_load_malformed(l, "a singleton has the wrong size", NULL);
    }
    void *value = kith_staging_single(&l->staging, loaded->storage);
    if (value == NULL) {
        return kith_load_no_memory(l);
    }
    if (!construct_value(l, loaded, value)) {
        return false;
    }
    if (blob) {
        return load_blob(l, loaded, value) &&
               (from->at == from->size || kith_load_malformed(l, "bytes follow the value", NULL));
    }
    return fill_value(l, loaded, value, kith_source_take(from, size), size);
}

static bool load_exact_chunk(kith_loader *l, kith_loaded_component *loaded)
{
    return l->desc->state_only || loaded->storage->unknown ||
           kith_exact_read_storage(l, loaded->storage);
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
        { KITH_TAG_STAMPS, KITH_WITH_ROWS, load_exact_chunk },
        { KITH_TAG_TICKS, KITH_WITH_ROWS, load_exact_chunk },
        { KITH_TAG_JOURNAL, KITH_WITH_ROWS, load_exact_chunk },
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
