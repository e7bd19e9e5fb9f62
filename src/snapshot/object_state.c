// SPDX-License-Identifier: MIT
// The state of objects in snapshots, hashes, differences and clones.
//
//     object     kind, key | item | item | ...
//     item       type, name, count | values, little-endian
//
// The `state` function of an object hands out its items one by one. They are always written to
// bytes, and read from bytes: what a file has is what is hashed, compared and cloned. A load that
// keeps what it does not know makes a kept object, which is these bytes and nothing else.
#include "snapshot/load.h"

// Whether the values of an item are valid: booleans are 0 or 1, and the table can have created the
// handles.
static bool are_valid(const kith_entity_table *table, kith_field_type type, const uint8_t *bytes,
                      uint32_t count)
{
    bool valid = true;
    for (uint32_t i = 0; i < count && valid && type == KITH_TYPE_BOOL; i++) {
        valid = bytes[i] <= 1;
    }
    for (uint32_t i = 0; i < count && valid && type == KITH_TYPE_ENTITY; i++) {
        kith_entity entity;
        kith_copy_numbers(&entity, bytes + (size_t)i * sizeof entity, 1, sizeof entity);
        valid = entity == KITH_NULL || kith_entity_table_may_have(table, entity);
    }
    return valid;
}

// Returns the bytes of a value; 0 for a type that no item may have.
static uint32_t size_of_type(kith_field_type type)
{
    return type == KITH_TYPE_SKIP ? 0 : kith_field_type_size(type);
}

// The items of an object on their way to a writer or from a source.
typedef struct item_state {
    kith_state               state; // first
    kith_writer             *to;
    const kith_entity_table *table; // of `to`: whose handles the items may have
    kith_source             *from;
    bool                     failed; // stays, also when the `state` function does not look
} item_state;

// --- writing ---------------------------------------------------------------------------------

static bool write_item(kith_state *state, const char *name, kith_field_type type, void *values,
                       uint32_t count)
{
    item_state  *items = (item_state *)state;
    kith_writer *w     = items->to;
    uint32_t     size  = size_of_type(type);
    if (size != 0 && !items->failed) {
        kith_writer_u32(w, type);
        kith_writer_text(w, name);
        kith_writer_u32(w, count);
        uint8_t *place = kith_writer_extend(w, (size_t)size * count);
        if (place != NULL) {
            kith_copy_numbers(place, values, count, size);
            items->failed = !are_valid(items->table, type, place, count);
        }
    }
    items->failed = items->failed || size == 0 || w->code != KITH_OK;
    return !items->failed;
}

// An object that the program does not know. The library made it of a file.
typedef struct kept_object {
    kith_object     object;
    uint8_t        *bytes; // kind, key and items
    size_t          size;  // of them; the last member that a load exchanges
    kith_object_ops ops;
    char            names[]; // kind and key
} kept_object;

static void free_kept(kept_object *kept, const kith_allocator *memory, size_t name_bytes)
{
    kith_free(memory, kept->bytes, kept->size, 1);
    kith_free(memory, kept, sizeof *kept + name_bytes, _Alignof(kept_object));
}

static void destroy_kept(kith_object *object)
{
    kith_allocator memory = object->world->memory;
    free_kept((kept_object *)object, &memory, strlen(object->ops->kind) + strlen(object->key) + 2);
}

static size_t bytes_of_kept(const kith_object *object)
{
    return sizeof(kept_object) + ((const kept_object *)object)->size;
}

static bool is_kept_object(const kith_object *object)
{
    return object->ops->destroy == destroy_kept;
}

void kith_writer_object(kith_writer *writer, const kith_object *object)
{
    item_state items = { .state = { .left = UINT64_MAX, .item = write_item },
                         .to    = writer,
                         .table = &object->world->entities };
    if (is_kept_object(object)) {
        const kept_object *kept = (const kept_object *)object;
        kith_writer_numbers(writer, kept->bytes, kept->size, 1);
        return;
    }
    kith_writer_text(writer, object->ops->kind);
    kith_writer_text(writer, object->key);
    bool done = object->ops->state((kith_object *)(uintptr_t)object, &items.state);
    if ((!done || items.failed) && writer->code == KITH_OK) {
        writer->code = KITH_ERROR_HOOK;
    }
}

kith_error_code kith_object_bytes(const kith_object *object, kith_bytes *bytes)
{
    kith_writer writer = { .out = bytes };
    kith_writer_object(&writer, object);
    return writer.code;
}

// --- reading ---------------------------------------------------------------------------------

// The items are valid: they were checked by are_items, or by write_item for a clone.
static bool read_item(kith_state *state, const char *name, kith_field_type type, void *values,
                      uint32_t count)
{
    item_state  *items = (item_state *)state;
    kith_source *from  = items->from;
    uint32_t     size  = size_of_type(type);
    items->failed      = items->failed || kith_source_u32(from) != (uint32_t)type ||
                    !kith_source_is_text(from, name) || kith_source_u32(from) != count;
    if (!items->failed) {
        kith_source_numbers(from, values, count, size);
        state->left = kith_source_left(from);
    }
    return !items->failed;
}

// Whether the rest of the source is items.
static bool are_items(kith_source from, const kith_entity_table *table)
{
    bool valid = true;
    while (valid && kith_source_left(&from) != 0) {
        uint32_t        length;
        kith_field_type type  = (kith_field_type)kith_source_u32(&from);
        const char     *name  = kith_source_text(&from, &length);
        uint32_t        count = kith_source_u32(&from);
        uint32_t        size  = name == NULL ? 0 : size_of_type(type);
        const uint8_t  *bytes = size == 0 ? NULL : kith_source_take(&from, (size_t)size * count);
        valid                 = bytes != NULL && are_valid(table, type, bytes, count);
    }
    return valid;
}

static bool never_asked(kith_object *object, kith_state *state)
{
    (void)object, (void)state;
    return false; // kept objects are read and written as bytes
}

// Makes a kept object of kind, key and items. Returns NULL when memory runs out.
static kith_object *keep_object(kith_world *world, kith_source whole)
{
    kith_source  from = whole;
    uint32_t     lengths[2];
    const char  *kind  = kith_source_text(&from, &lengths[0]);
    const char  *key   = kith_source_text(&from, &lengths[1]);
    size_t       names = (size_t)lengths[0] + lengths[1] + 2;
    kept_object *kept =
        kith_alloc_zeroed(&world->memory, sizeof *kept + names, _Alignof(kept_object));
    if (kept == NULL) {
        return NULL;
    }
    kept->size  = whole.size - whole.at;
    kept->bytes = kith_alloc_copy(&world->memory, whole.bytes + whole.at, kept->size, 1);
    if (kept->bytes == NULL) {
        free_kept(kept, &world->memory, names);
        return NULL;
    }
    memcpy(kept->names, kind, lengths[0]);
    memcpy(kept->names + lengths[0] + 1, key, lengths[1]);
    kept->ops = (kith_object_ops){ .kind    = kept->names,
                                   .size    = offsetof(kept_object, ops),
                                   .destroy = destroy_kept,
                                   .bytes   = bytes_of_kept,
                                   .state   = never_asked };
    kept->object =
        (kith_object){ .ops = &kept->ops, .world = world, .key = kept->names + lengths[0] + 1 };
    return &kept->object;
}

kith_object *kith_object_read(kith_world *world, const kith_object *like, kith_source whole,
                              kith_error_code *code)
{
    kith_source from  = whole;
    item_state  items = { .state = { .reading = true, .item = read_item }, .from = &from };
    kith_source_is_text(&from, like->ops->kind);
    kith_source_is_text(&from, like->key);
    items.state.left = kith_source_left(&from);
    *code            = KITH_ERROR_MEMORY;
    kith_world_lock(world);
    kith_object *object =
        is_kept_object(like) ? keep_object(world, whole) : like->ops->create(world, like->key);
    if (object != NULL && !is_kept_object(like)) {
        *object = (kith_object){ .ops = like->ops, .world = world, .key = like->key };
        if (!like->ops->state(object, &items.state) || items.failed ||
            kith_source_left(&from) != 0) {
            *code = items.state.no_memory ? KITH_ERROR_MEMORY : KITH_ERROR_HOOK;
            like->ops->destroy(object);
            object = NULL;
        }
    }
    kith_world_unlock(world);
    return object;
}

// --- loading ---------------------------------------------------------------------------------

// The world's object that the chunk is about, or NULL; `key` is its key in the chunk. Moves `from`
// behind it.
static kith_object *find_in_chunk(const kith_world *world, kith_source *from, const char **key,
                                  uint32_t *length)
{
    kith_source  start  = *from;
    kith_object *object = kith_object_with_state(world->oldest);
    kith_source_text(from, length);
    *key = kith_source_text(from, length);
    for (; object != NULL; object = kith_object_with_state(object->next_)) {
        kith_source names = start;
        bool        same  = kith_source_is_text(&names, object->ops->kind);
        if (kith_source_is_text(&names, object->key) && same) {
            break;
        }
    }
    return object;
}

// The loaded state of the object, or NULL.
static kith_object *find_loaded(const kith_loader *l, const kith_object *object)
{
    kith_object *loaded = l->objects;
    while (loaded != NULL && (strcmp(loaded->ops->kind, object->ops->kind) != 0 ||
                              strcmp(loaded->key, object->key) != 0)) {
        loaded = loaded->next_;
    }
    return loaded;
}

bool kith_load_object(kith_loader *l)
{
    static const char malformed[] = "the items of an object are malformed";
    kith_source       from        = l->reader.body;
    const char       *key;
    uint32_t          length;
    kith_object      *object = find_in_chunk(l->world, &from, &key, &length);
    kith_error_code   code   = KITH_ERROR_MEMORY;
    if (l->desc->components != NULL || l->world->without_objects ||
        (object == NULL && l->desc->unknown == KITH_UNKNOWN_SKIP)) {
        return true;
    }
    l->reader.about = object == NULL ? NULL : object->key;
    if (from.ended || !are_items(from, &l->entities)) {
        return kith_reader_malformed(&l->reader, malformed);
    }
    if (object == NULL && l->desc->unknown == KITH_UNKNOWN_REFUSE) {
        return kith_reader_fail_named(&l->reader, KITH_ERROR_CONFLICT,
                                      "the file has an object that this world lacks", key, length);
    }
    kith_object *loaded = object == NULL
                              ? keep_object(l->world, l->reader.body)
                              : kith_object_read(l->world, object, l->reader.body, &code);
    if (loaded == NULL) {
        return code == KITH_ERROR_MEMORY ? kith_reader_no_memory(&l->reader)
                                         : kith_reader_malformed(&l->reader, malformed);
    }
    bool twice      = find_loaded(l, loaded) != NULL;
    loaded->next_   = l->objects;
    l->objects      = loaded;
    l->reader.about = loaded->key;
    return !twice || kith_reader_malformed(&l->reader, "the file has an object twice");
}

void kith_load_swap_objects(kith_loader *l)
{
    for (kith_object *loaded = l->objects; loaded != NULL; loaded = loaded->next_) {
        kith_object *object = kith_object_find(l->world, loaded->ops->kind, loaded->key);
        if (object != NULL) {
            kith_swap_memory(loaded + 1, object + 1, loaded->ops->size - sizeof *loaded);
        }
    }
}

static void link_with_key(kith_world *world, kith_object *object)
{
    const char *key = object->key;
    kith_object_link(world, object, object->ops);
    object->key = key;
}

// An object that the file lacks is cleared, or goes when it is a kept one. New kept ones join the
// world.
void kith_load_settle_objects(kith_loader *l)
{
    for (kith_object *object = l->world->oldest, *next; object != NULL; object = next) {
        next       = object->next_;
        bool lacks = object->key != NULL && find_loaded(l, object) == NULL;
        if (lacks && is_kept_object(object)) {
            kith_object_end(object);
        } else if (lacks && object->ops->clear != NULL) {
            object->ops->clear(object);
        }
    }
    for (kith_object **place = &l->objects; *place != NULL;) {
        kith_object *loaded = *place;
        if (kith_object_find(l->world, loaded->ops->kind, loaded->key) == NULL) {
            *place = loaded->next_;
            link_with_key(l->world, loaded);
        } else {
            place = &loaded->next_;
        }
    }
}

void kith_load_end_objects(kith_loader *l)
{
    while (l->objects != NULL) {
        kith_object *loaded = l->objects;
        l->objects          = loaded->next_;
        loaded->ops->destroy(loaded);
    }
}

// --- hashes and clones -----------------------------------------------------------------------

kith_error_code kith_objects_hash(const kith_world *world, uint64_t *sum, const char **key)
{
    kith_error_code code = KITH_OK;
    for (const kith_object *object                 = kith_object_with_state(world->oldest);
         object != NULL && code == KITH_OK; object = kith_object_with_state(object->next_)) {
        kith_bytes bytes = { .data = NULL };
        code             = kith_object_bytes(object, &bytes);
        *key             = object->key;
        *sum += kith_xxh3(bytes.data, bytes.size);
        kith_bytes_free(&bytes);
    }
    return code;
}

bool kith_world_copy_objects(kith_world *world, const kith_world *from, kith_error *error)
{
    bool copied = true;
    for (const kith_object *object = kith_object_with_state(from->oldest); object != NULL && copied;
         object                    = kith_object_with_state(object->next_)) {
        kith_bytes      bytes  = { .data = NULL };
        kith_object    *copy   = NULL;
        kith_error_code code   = kith_object_bytes(object, &bytes);
        kith_source     source = { .bytes = bytes.data, .size = bytes.size };
        if (code == KITH_OK) {
            copy = kith_object_read(world, object, source, &code);
        }
        *error = (kith_error){ .code = code, .subject = "state", .other = object->key };
        kith_bytes_free(&bytes);
        copied = copy != NULL;
        if (copied) {
            link_with_key(world, copy);
        }
    }
    return copied;
}
