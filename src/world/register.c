// SPDX-License-Identifier: MIT
// Registers components: checks descriptions, compares them with known ones, creates storages.
#include "world/component.h"

#define PAGE_ROWS_MOST 65536u

static const char call_register[] = "kith_component_register";

// --- checking a description ------------------------------------------------------------------

static bool has_rows(kith_kind kind)
{
    return kind == KITH_KIND_VALUE || kind == KITH_KIND_TAG;
}

static const char alignment_rule[] =
    "the alignment must be a power of two up to 4096 that divides the size";

static bool fits_size(const kith_component_desc *desc, uint32_t alignment)
{
    return alignment == 0 || ((alignment & (alignment - 1)) == 0 &&
                              alignment <= KITH_ALIGNMENT_MAX && desc->size % alignment == 0);
}

// Returns false only in a 32-bit program: the page would be larger than the address space.
static bool page_fits(const kith_component_desc *desc)
{
    uint64_t rows  = desc->traits.page_rows == 0 ? 1 : desc->traits.page_rows;
    uint64_t ticks = desc->traits.row_ticks ? 2 * sizeof(uint64_t) : 0;
    uint64_t bytes = rows * (desc->size + ticks + sizeof(uint32_t)) + KITH_ALIGNMENT_MAX;
    return (size_t)bytes == bytes;
}

// The first id in `required` that cannot be required, or NULL.
static const kith_component *bad_requirement(const kith_world          *world,
                                             const kith_component_desc *desc)
{
    const kith_traits *traits = &desc->traits;
    for (uint32_t i = 0; i < traits->required_count && traits->required != NULL; i++) {
        const kith_storage *needed = kith_world_storage(world, traits->required[i]);
        if (needed == NULL || needed->access > KITH_KIND_FLAG || needed->desc.id == desc->id) {
            return &traits->required[i];
        }
    }
    return NULL;
}

// Sets the subject and the number of the error for a rule that is broken. The first one stays.
static void expect(kith_error *error, bool kept, const char *sentence, uint64_t want)
{
    if (!kept && error->subject == NULL) {
        error->subject = sentence;
        error->want    = want;
    }
}

// Reports an error for a description that is not valid, and returns false.
static bool check_desc(kith_world *world, const kith_component_desc *desc)
{
    const kith_traits *traits = &desc->traits;
    uint32_t           rows   = traits->page_rows;
    bool               values = desc->kind == KITH_KIND_VALUE || desc->kind == KITH_KIND_SINGLETON;
    const kith_component *bad = bad_requirement(world, desc);
    const char           *field   = NULL;
    const char           *unsaved = kith_saved_fault(&traits->saved, desc->size, &field);
    kith_error            error   = { .code  = KITH_ERROR_ARGUMENT,
                                      .call  = call_register,
                                      .other = field != NULL ? field : desc->name };
    expect(&error, desc->name != NULL && desc->name[0] != '\0', "a component needs a name", 0);
    expect(&error, desc->id <= KITH_COMPONENT_MAX, "component ids are 1 to 1023", desc->id);
    expect(&error, (unsigned)desc->kind <= KITH_KIND_SINGLETON,
           "the kind must be value, tag, flag or singleton", desc->kind);
    expect(&error, !values || desc->size != 0, "a value needs a size", 0);
    expect(&error, values || desc->size == 0, "tags and flags have size 0", desc->size);
    expect(&error, fits_size(desc, desc->alignment), alignment_rule, desc->alignment);
    expect(&error, fits_size(desc, traits->alignment), alignment_rule, traits->alignment);
    expect(&error, (unsigned)traits->policy <= KITH_POLICY_STABLE,
           "the policy must be swap or stable", traits->policy);
    expect(&error, rows == 0 || ((rows & (rows - 1)) == 0 && rows <= PAGE_ROWS_MOST),
           "page rows must be a power of two up to 65536", rows);
    expect(&error, page_fits(desc), "a page of values must fit into memory", rows);
    expect(&error,
           values || (kith_hooks_empty(&traits->hooks) && traits->saved.form == KITH_FORM_NONE),
           "tags and flags have no hooks and no form", 0);
    expect(&error, desc->kind != KITH_KIND_SINGLETON || traits->required_count == 0,
           "a singleton requires nothing", 0);
    expect(&error, !traits->row_ticks || has_rows(desc->kind),
           "flags and singletons have no row ticks", 0);
    expect(&error, traits->journal == 0 || has_rows(desc->kind),
           "flags and singletons have no journal", 0);
    expect(&error, traits->journal <= KITH_JOURNAL_MOST, "a journal has at most 2^24 entries",
           traits->journal);
    expect(&error, traits->required_count == 0 || traits->required != NULL,
           "required_count is above 0 and required is NULL", 0);
    expect(&error, bad == NULL,
           "required components must be registered first, and not be singletons or links",
           bad == NULL ? 0 : *bad);
    expect(&error, unsaved == NULL, unsaved, 0);
    return error.subject == NULL || kith_world_fail(world, &error);
}

// --- filling in defaults ---------------------------------------------------------------------

static void fill_defaults(kith_component_desc *desc)
{
    uint32_t most =
        desc->traits.alignment > desc->alignment ? desc->traits.alignment : desc->alignment;
    desc->alignment        = most == 0 ? 1 : most;
    desc->traits.alignment = desc->alignment;
    if (desc->traits.page_rows == 0) {
        uint32_t rows = 4096; // about 64 KB of values
        while (rows > 1 && (uint64_t)rows * desc->size > 65536) {
            rows /= 2;
        }
        assert(rows == 1u << KITH_SHIFT_(desc->size)); // typed code relies on that
        desc->traits.page_rows = rows;
    }
}

// --- comparing with the registered component -------------------------------------------------

// How values are saved: the latest form, including one that the running call has just set.
static const kith_saved *latest_form(const kith_storage *storage)
{
    return storage->learned.waits ? &storage->learned.saved : &storage->desc.traits.saved;
}

// Whether two forms, which are the same, say the same of values.
static bool same_schema(const kith_saved *a, const kith_saved *b)
{
    return a->version == b->version && (a->form != KITH_FORM_PLAIN || a->unit == b->unit) &&
           (a->form != KITH_FORM_FIELDS || kith_fields_same(a->fields, b->fields, false));
}

static kith_component required_at(const kith_traits *traits, uint32_t i)
{
    return i < traits->required_count ? traits->required[i] : 0;
}

// Sets the subject and the numbers of the error when they differ. The first difference stays.
static void expect_same(kith_error *error, const char *subject, uint64_t have, uint64_t want)
{
    if (have != want && error->subject == NULL) {
        error->subject = subject;
        error->have    = have;
        error->want    = want;
    }
}

// Reports an error, with both numbers, for a description that differs from the registered one, and
// returns false.
static bool same_layout(kith_world *world, const kith_storage *known,
                        const kith_component_desc *want)
{
    const kith_component_desc *have = &known->desc;
    const kith_saved          *form = latest_form(known);
    bool said = form->form != KITH_FORM_NONE && want->traits.saved.form != KITH_FORM_NONE;
    const kith_saved *saved = said ? &want->traits.saved : form;
    kith_error        error = { .code      = KITH_ERROR_CONFLICT,
                                .call      = call_register,
                                .component = have->id };
    expect_same(&error, "id", have->id, want->id == 0 ? have->id : want->id);
    expect_same(&error, "kind", have->kind, want->kind);
    expect_same(&error, "opaque values", kith_is_opaque(have), kith_is_opaque(want));
    expect_same(&error, "size", have->size, want->size);
    expect_same(&error, "alignment", have->alignment, want->alignment);
    expect_same(&error, "policy", have->traits.policy, want->traits.policy);
    expect_same(&error, "page rows", have->traits.page_rows, want->traits.page_rows);
    expect_same(&error, "keep_order", have->traits.keep_order, want->traits.keep_order);
    expect_same(&error, "not_cloned", have->traits.not_cloned, want->traits.not_cloned);
    expect_same(&error, "row_ticks", have->traits.row_ticks, want->traits.row_ticks);
    expect_same(&error, "journal", have->traits.journal, want->traits.journal);
    for (uint32_t i = 0; i < have->traits.required_count || i < want->traits.required_count; i++) {
        expect_same(&error, "required component", required_at(&have->traits, i),
                    required_at(&want->traits, i));
    }
    expect_same(&error, "form of saving", form->form, saved->form);
    expect_same(&error, "schema", 0, !same_schema(form, saved));
    expect_same(&error, "place of fields", 0, !kith_fields_same(form->fields, saved->fields, true));
    return error.subject == NULL || kith_world_fail(world, &error);
}

kith_storage *kith_world_storage_named(const kith_world *world, const char *name, size_t length)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const char *known = world->storages[i]->desc.name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return world->storages[i];
        }
    }
    return NULL;
}

// --- registering -----------------------------------------------------------------------------

static kith_component next_runtime_id(const kith_world *world)
{
    kith_component id = KITH_COMPONENT_MAX;
    while (id != 0 && kith_world_storage(world, id) != NULL) {
        id--;
    }
    return id;
}

// Sets the pool of an id, also in the full directory of a running access check.
KITH_COLD static void set_pool(kith_world *world, kith_component id, kith_pool_head_ *head)
{
    world->head.pools_[id] = world->head.writable_[id] = head;
    if (world->access_check != NULL) {
        world->access_check->pools[id] = head;
    }
}

static bool add_storage(kith_world *world, const kith_component_desc *desc)
{
    kith_component_desc full = *desc;
    full.id                  = desc->id == 0 ? next_runtime_id(world) : desc->id;
    if (full.id == 0) {
        return kith_world_refuse_numbers(world, KITH_ERROR_LIMIT, call_register, 0,
                                         "the number of components", KITH_COMPONENT_MAX, 0);
    }
    kith_saver saver;
    if (kith_is_opaque(&full)) { // the description may be another world's
        kith_opaque_describe(&full, &world->memory, &saver);
    }
    kith_storage *storage = NULL;
    if (kith_alloc_grow(&world->memory, &world->storages, &world->storage_capacity,
                        world->storage_count + 1) &&
        kith_alloc_grow(&world->memory, &world->by_bit, &world->bit_capacity,
                        world->bit_count + 1)) {
        kith_pool_head_ *const *pools =
            world->access_check == NULL ? world->head.pools_ : world->access_check->pools;
        storage = kith_storage_create(&full, pools, &world->shared);
    }
    if (storage == NULL) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call_register, 0, KITH_NULL);
    }
    storage->order               = world->storage_count;
    storage->pool.set.head.tick_ = world->tick;
    if (desc->kind != KITH_KIND_SINGLETON) {
        kith_storage_set_bit(storage, world->bit_count);
        world->by_bit[world->bit_count++] = storage;
    }
    world->storages[world->storage_count++] = storage;
    set_pool(world, full.id, &storage->pool.set.head);
    return true;
}

bool kith_world_copy_storages(kith_world *world, const kith_world *from)
{
    bool enough = true;
    for (uint32_t i = 0; i < from->storage_count && enough; i++) {
        enough = add_storage(world, &from->storages[i]->desc);
        if (enough) {
            world->storages[i]->unknown = from->storages[i]->unknown;
        }
    }
    world->registrations = from->registrations;
    return enough;
}

void kith_world_drop_storages(kith_world *world, uint32_t keep)
{
    while (world->storage_count > keep) {
        kith_storage *storage = world->storages[--world->storage_count];
        world->bit_count -= storage->bit != KITH_NO_BIT;
        set_pool(world, storage->desc.id, kith_world_no_pool());
        kith_storage_free(storage);
    }
}

// Whether two structs of pointers, each of which may be NULL, are the same.
static bool same_functions(const void *a, const void *b, size_t size)
{
    return a == b || (a != NULL && b != NULL && memcmp(a, b, size) == 0);
}

// A later registration may add a save form, or replace its functions. A component that a snapshot
// described also gets its upgrade function and the former names of fields here. The change waits in
// storage->learned until the whole call succeeds. Returns false when memory runs out.
static bool learn_storage(kith_storage *storage, const kith_allocator *memory,
                          const kith_saved *saved)
{
    const kith_saved *have    = latest_form(storage);
    kith_learned      learned = { .waits = true, .saved = *saved };
    bool              known   = have->form != KITH_FORM_NONE && !storage->unknown &&
                 same_functions(have->functions, saved->functions, sizeof(kith_saver)) &&
                 same_functions(have->upgrade, saved->upgrade, sizeof(kith_upgrade));
    if (saved->form == KITH_FORM_NONE || known) {
        return true;
    }
    if (!kith_layout_init(&learned.layout, memory, &learned.saved, storage->desc.size)) {
        return false;
    }
    kith_layout_free(&storage->learned.layout, memory);
    storage->learned = learned;
    return true;
}

// Applies or discards what learn_storage recorded.
static void end_learning(kith_world *world, bool good)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage *storage = world->storages[i];
        if (storage->learned.waits) {
            kith_layout_free(good ? &storage->layout : &storage->learned.layout, &world->memory);
            if (good) {
                storage->layout            = storage->learned.layout;
                storage->desc.traits.saved = storage->learned.saved;
            }
            storage->learned = (kith_learned){ .waits = false };
        }
    }
}

// Compares the description with the component that has its id or name, or adds a new storage.
static bool register_desc(kith_world *world, const kith_component_desc *desc)
{
    if (!check_desc(world, desc)) {
        return false;
    }
    kith_component_desc full  = *desc;
    kith_storage       *known = kith_world_storage(world, desc->id);
    fill_defaults(&full);
    if (known != NULL && strcmp(known->desc.name, desc->name) != 0) {
        return kith_world_refuse_because(world, KITH_ERROR_CONFLICT, call_register, desc->id, NULL,
                                         desc->name);
    }
    known = kith_world_storage(world, kith_component_find(world, desc->name));
    if (known == NULL) {
        return add_storage(world, &full);
    }
    if (!same_layout(world, known, &full)) {
        return false;
    }
    if (kith_is_opaque(desc)) { // the storage's own hooks use this world's memory
        return true;
    }
    // hooks need a spare place, which a pool without hooks lacks
    bool used = known->pool.set.head.rows_ != 0 || known->single != NULL;
    return ((!used || kith_hooks_empty(&desc->traits.hooks) ||
             kith_pool_reserve_spare(&known->pool)) &&
            learn_storage(known, &world->memory, &desc->traits.saved)) ||
           kith_world_refuse(world, KITH_ERROR_MEMORY, call_register, 0, KITH_NULL);
}

bool kith_component_register_many(kith_world *world, const kith_component_desc *descs,
                                  uint32_t count)
{
    if (!kith_require_unlocked(world, call_register)) {
        return false;
    }
    uint32_t keep = world->storage_count;
    bool     good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        good = register_desc(world, &descs[i]);
    }
    end_learning(world, good);
    if (!good) {
        kith_world_drop_storages(world, keep);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        kith_storage *storage =
            kith_world_storage(world, kith_component_find(world, descs[i].name));
        storage->unknown = false;
        if (!kith_is_opaque(&descs[i])) { // opaque values keep hooks that use this world's memory
            kith_storage_set_hooks(storage, &descs[i].traits.hooks);
            storage->desc.traits.thread_safe_hooks = descs[i].traits.thread_safe_hooks;
        }
    }
    world->registrations++;
    for (uint32_t i = 0; i < count; i++) {
        if (descs[i].traits.make_ != NULL) { // makes all of these, or fails
            return descs[i].traits.make_(world, descs, count, keep);
        }
    }
    return true;
}

kith_component kith_component_register(kith_world *world, const kith_component_desc *desc)
{
    return kith_component_register_many(world, desc, 1) ? kith_component_find(world, desc->name)
                                                        : 0;
}

// --- finding ---------------------------------------------------------------------------------

kith_component kith_component_find(const kith_world *world, const char *name)
{
    const kith_storage *storage =
        name == NULL ? NULL : kith_world_storage_named(world, name, strlen(name));
    return storage == NULL ? 0 : storage->desc.id;
}

const kith_component_desc *kith_component_describe(const kith_world *world,
                                                   kith_component    component)
{
    const kith_storage *storage = kith_world_storage(world, component);
    return storage == NULL ? NULL : &storage->desc;
}

kith_component kith_component_next(const kith_world *world, kith_component previous)
{
    uint32_t order = 0;
    if (previous != 0) {
        const kith_storage *storage = kith_world_storage(world, previous);
        order                       = storage == NULL ? world->storage_count : storage->order + 1;
    }
    return order < world->storage_count ? world->storages[order]->desc.id : 0;
}

// --- opaque values ---------------------------------------------------------------------------

// Sets a value that owns no memory. `memory` is the allocator, which is the context of the hooks
// and save functions.
static bool set_bytes(kith_text *value, const void *bytes, size_t size, const void *memory)
{
    bool  near  = size < sizeof value->near_;
    char *place = near ? value->near_ : size <= UINT32_MAX ? kith_alloc(memory, size + 1, 1) : NULL;
    if (place == NULL) {
        return false;
    }
    memcpy(place, bytes, size);
    place[size] = '\0';
    value->far_ = near ? NULL : place;
    value->size = (uint32_t)size;
    return true;
}

bool kith_text_copy(void *value, const void *source, void *memory)
{
    const kith_text *from = source;
    return set_bytes(value, kith_text_in(from), from->size, memory);
}

void kith_text_destruct(void *value, void *memory)
{
    const kith_text *have = value;
    kith_free(memory, (void *)(uintptr_t)have->far_, have->size + (size_t)1, 1);
}

size_t kith_text_write(const void *value, void *bytes, size_t room, void *memory)
{
    const kith_text *have = value;
    (void)memory;
    if (have->size <= room) {
        memcpy(bytes, kith_text_in(have), have->size);
    }
    return have->size;
}

bool kith_text_read(void *value, const void *bytes, size_t size, void *memory)
{
    kith_text old = *(const kith_text *)value;
    if (!set_bytes(value, bytes, size, memory)) {
        return false;
    }
    kith_text_destruct(&old, memory);
    return true;
}

void kith_opaque_describe(kith_component_desc *desc, const kith_allocator *memory,
                          kith_saver *saver)
{
    void *context                = (void *)(uintptr_t)memory;
    *saver                       = (kith_saver){ kith_text_write, kith_text_read, context };
    desc->size                   = sizeof(kith_text);
    desc->alignment              = _Alignof(kith_text);
    desc->traits.saved.functions = saver;
    desc->traits.hooks =
        (kith_hooks){ .copy = kith_text_copy, .destruct = kith_text_destruct, .context = context };
}

bool kith_is_opaque(const kith_component_desc *desc)
{
    return desc->traits.hooks.copy == kith_text_copy;
}

// --- what typed code declares ----------------------------------------------------------------
//
// Builds with KITH_DEBUG compare how typed code declares a component with how it is registered.

#ifdef KITH_DEBUG

kith_component kith_declared_id_(const kith_world *world, kith_component id,
                                 const kith_declared_ *as)
{
    const kith_storage *storage = kith_world_storage(world, id);
    kith_error error = { .code = KITH_ERROR_CONFLICT, .call = "kith_declared", .component = id };
    atomic_store_explicit(&((kith_world *)(uintptr_t)world)->declared[id], as,
                          memory_order_relaxed);
    if (storage == NULL) {
        return id; // the call itself reports it
    }
    if (strcmp(storage->desc.name, as->name) != 0) {
        error.other = as->name;
        kith_world_report_error(world, &error);
    } else if (storage->desc.size != as->size || storage->desc.kind != as->kind) {
        bool kind     = storage->desc.kind != as->kind;
        error.subject = kind ? "kind" : "size";
        error.have    = kind ? storage->desc.kind : storage->desc.size;
        error.want    = kind ? as->kind : as->size;
        kith_world_report_error(world, &error);
    }
    return id;
}

void kith_world_name_declared(const kith_world *world, kith_error *error)
{
    const kith_declared_ *as =
        error->component > KITH_COMPONENT_MAX
            ? NULL
            : atomic_load_explicit(&world->declared[error->component], memory_order_relaxed);
    if (as != NULL && error->code == KITH_ERROR_UNREGISTERED) {
        error->subject = as->place;
        error->other   = as->name;
    }
}

#endif
