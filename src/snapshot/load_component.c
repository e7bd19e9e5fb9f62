// SPDX-License-Identifier: MIT
// Loads the values of a component, singletons, and the order of groups.
#include "snapshot/load.h"
#include "world/component.h"

// --- values ----------------------------------------------------------------------------------

// Unpacks values page by page; the component has no hooks.
static bool unpack_plain(kith_loader *l, kith_staged_component *target, uint32_t count)
{
    const kith_layout *layout = &target->storage->layout;
    bool               stream = l->large && kith_layout_is_whole(layout) && layout->bool_count == 0;
    for (uint32_t end = target->built + count, step; target->built < end; target->built += step) {
        step = kith_min(kith_sparse_set_rest_of_page(&target->pool.set, target->built),
                        end - target->built);
        void          *values = kith_pool_value(&target->pool, target->built);
        const uint8_t *packed = kith_source_take(&l->reader.body, (size_t)step * target->packed);
        uint32_t       bad;
        if (stream) {
            kith_stream_copy(values, packed, (size_t)step * layout->size);
        } else if (!kith_layout_unpack(layout, values, packed, step, &bad)) {
            return kith_reader_malformed(&l->reader, "a boolean is neither 0 nor 1",
                                         target->storage->desc.name);
        }
    }
    return true;
}

// Constructs a value and reads the saved bytes into it.
static bool build_value(kith_loader *l, kith_staged_component *target, void *value,
                        const uint8_t *bytes, uint32_t size)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_saver          *by   = desc->traits.saved.functions;
    if (!kith_pool_construct(&target->storage->pool, value, NULL)) {
        return kith_reader_fail(&l->reader, KITH_ERROR_HOOK, "its construct hook refused",
                                desc->name);
    }
    target->built++;
    if (target->form == KITH_FORM_FUNCTIONS) {
        size  = kith_source_u32(&l->reader.body);
        bytes = kith_source_take(&l->reader.body, size);
        if (bytes == NULL) {
            return kith_reader_malformed(&l->reader, "a value is too short", NULL);
        }
    }
    if (target->migration != NULL) {
        return kith_migration_apply(target->migration, value, bytes, size);
    }
    if (target->form != KITH_FORM_FUNCTIONS) {
        return kith_layout_unpack_over(&target->storage->layout, value, bytes) ||
               kith_reader_malformed(&l->reader, "a boolean is neither 0 nor 1", desc->name);
    }
    if (by->read(value, bytes, size, by->context)) {
        return true;
    }
    return kith_is_opaque(desc) // reading opaque values fails for one reason
               ? kith_reader_no_memory(&l->reader)
               : kith_reader_malformed(&l->reader, "its read function refused a value", desc->name);
}

// Builds the values of rows, one by one. `packed` is NULL when functions saved them.
static bool build_rows(kith_loader *l, kith_staged_component *target, uint32_t count,
                       const uint8_t *packed)
{
    for (uint32_t end = target->built + count; target->built < end;) {
        void *value = kith_pool_value(&target->pool, target->built);
        if (kith_pool_is_hole(&target->pool, target->built)) {
            memset(value, 0, target->pool.size); // searches also read the bytes of holes
            target->built++;
        } else if (!build_value(l, target, value, packed, target->packed)) {
            return false;
        }
        packed = packed == NULL ? NULL : packed + target->packed;
    }
    return true;
}

static bool load_values(kith_loader *l, kith_staged_component *target)
{
    kith_source *from  = &l->reader.body;
    bool         blobs = l->reader.tag == KITH_TAG_BLOBS;
    uint32_t     count;
    if (target->pool.set.head.rows_ != target->rows ||
        blobs != (target->form == KITH_FORM_FUNCTIONS) ||
        !kith_source_rows(from, target->built, target->rows,
                          blobs ? KITH_ANY_WIDTH : target->packed, &count)) {
        return kith_reader_malformed(&l->reader, "values are not consecutive", NULL);
    }
    if (blobs) {
        return build_rows(l, target, count, NULL) &&
               (kith_source_left(from) == 0 ||
                kith_reader_malformed(&l->reader, "bytes follow the last value", NULL));
    }
    return target->pool.plain && target->migration == NULL
               ? unpack_plain(l, target, count)
               : build_rows(l, target, count, from->bytes + from->at);
}

static bool load_single(kith_loader *l, kith_staged_component *target)
{
    kith_source *from = &l->reader.body;
    bool         blob = target->form == KITH_FORM_FUNCTIONS;
    uint32_t     size = blob ? 0 : kith_source_u32(from);
    if (target->built != 0) {
        return kith_reader_malformed(&l->reader, "the file has a singleton twice", NULL);
    }
    if (target->form == KITH_FORM_NONE ||
        (!blob && (size != target->packed || size != kith_source_left(from)))) {
        return kith_reader_malformed(&l->reader, "a singleton has the wrong size", NULL);
    }
    target->single = kith_storage_alloc_single(target->storage, l->memory);
    if (target->single == NULL) {
        return kith_reader_no_memory(&l->reader);
    }
    return build_value(l, target, target->single, from->bytes + from->at, size) &&
           (!blob || kith_source_left(from) == 0 ||
            kith_reader_malformed(&l->reader, "bytes follow the value", NULL));
}

KITH_INTERNAL kith_load_component_fn kith_load_component_reader(uint32_t tag, uint32_t *kinds)
{
    static const struct {
        uint32_t               tag;
        uint32_t               kinds;
        kith_load_component_fn read;
    } readers[] = {
        { KITH_TAG_ROWS, KITH_WITH_ROWS, kith_load_rows },
        { KITH_TAG_RUN, KITH_WITH_ROWS, kith_load_run },
        { KITH_TAG_HOLES, KITH_WITH_ROWS, kith_load_holes },
        { KITH_TAG_DISABLED, KITH_WITH_ROWS, kith_load_disabled },
        { KITH_TAG_VALUES, 1u << KITH_KIND_VALUE, load_values },
        { KITH_TAG_BLOBS, 1u << KITH_KIND_VALUE, load_values },
        { KITH_TAG_STAMPS, KITH_WITH_ROWS, kith_exact_read_storage },
        { KITH_TAG_TICKS, KITH_WITH_ROWS, kith_exact_read_storage },
        { KITH_TAG_JOURNAL, KITH_WITH_ROWS, kith_exact_read_storage },
        { KITH_TAG_FLAGS, 1u << KITH_KIND_FLAG, kith_load_flags },
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

KITH_INTERNAL bool kith_load_check_component(kith_loader *l, const kith_staged_component *target)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_sparse_set     *set  = &target->pool.set;
    if ((KITH_WITH_ROWS >> desc->kind & 1) == 0) {
        return true;
    }
    if (set->head.rows_ != target->rows ||
        (desc->kind == KITH_KIND_VALUE && target->built != target->rows)) {
        return kith_reader_malformed(&l->reader, "rows or values are missing", desc->name);
    }
    return set->holes == target->holes ||
           kith_reader_malformed(&l->reader, "the holes are not the rows without an entity",
                                 desc->name);
}

// --- groups ----------------------------------------------------------------------------------

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
    kith_source      *from  = &l->reader.body;
    const kith_source start = *from;
    for (uint32_t i = 0; i < l->group_count; i++) {
        *from = start;
        if (has_terms(from, l->groups[i].group, l->desc)) {
            uint32_t count;
            return kith_load_list(l, &count) && kith_staging_order(l, &l->groups[i], count);
        }
    }
    return true;
}
