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

// --- writing ---------------------------------------------------------------------------------

typedef struct item_writer {
    kith_state               state; // first
    kith_writer             *to;
    const kith_entity_table *table;
    bool                     failed; // stays, also when the `state` function does not look
} item_writer;

static bool write_item(kith_state *state, const char *name, kith_field_type type, void *values,
                       uint32_t count)
{
    item_writer *write = (item_writer *)state;
    kith_writer *w     = write->to;
    uint32_t     size  = size_of_type(type);
    if (size != 0 && !write->failed) {
        kith_writer_u32(w, type);
        kith_writer_text(w, name);
        kith_writer_u32(w, count);
        uint8_t *place = kith_writer_extend(w, (size_t)size * count);
        if (place != NULL) {
            kith_copy_numbers(place, values, count, size);
            write->failed = !are_valid(write->table, type, place, count);
        }
    }
    write->failed = write->failed || size == 0 || w->code != KITH_OK;
    return !write->failed;
}

// An object that the program does not know. The library made it of a file.
typedef struct kept_object {
    kith_object     object;
    uint8_t        *bytes; // kind, key and items
    size_t          size;  // of them; the last member that a load exchanges
    kith_object_ops ops;
    char           *names; // kind and key
} kept_object;

static void destroy_kept(kith_object *object)
{
    kept_object   *kept   = (kept_object *)object;
    kith_allocator memory = object->world->memory;
    kith_free(&memory, kept->bytes, kept->size, 1);
    kith_free(&memory, kept->names, strlen(kept->ops.kind) + strlen(object->key) + 2, 1);
    kith_free(&memory, kept, sizeof *kept, _Alignof(kept_object));
}

static size_t bytes_of_kept(const kith_object *object)
{
    return sizeof(kept_object) + ((const kept_object *)object)->size;
}

static bool is_kept_object(const kith_object *object)
{
    return object->ops->destroy == destroy_kept;
}

KITH_INTERNAL void kith_writer_object(kith_writer *writer, const kith_object *object)
{
    item_writer items = {
        { .left = UINT64_MAX, .item = write_item }, writer, &object->world->entities, false
    };
    if (is_kept_object(object)) {
        const kept_object *kept  = (const kept_object *)object;
        void              *place = kith_writer_extend(writer, kept->size);
        if (place != NULL) {
            memcpy(place, kept->bytes, kept->size);
        }
        return;
    }
    kith_writer_text(writer, object->ops->kind);
    kith_writer_text(writer, object->key);
    bool done = object->ops->state((kith_object *)(uintptr_t)object, &items.state);
    if ((!done || items.failed) && writer->code == KITH_OK) {
        writer->code = KITH_ERROR_HOOK;
    }
}

KITH_INTERNAL kith_error_code kith_object_bytes(const kith_object *object, kith_bytes *bytes)
{
    kith_writer writer = { .out = bytes };
    kith_writer_object(&writer, object);
    return writer.code;
}

// --- reading ---------------------------------------------------------------------------------

typedef struct item_reader {
    kith_state               state; // first
    kith_source             *from;
    const kith_entity_table *table; // whose handles the items may have
    bool                     failed;
} item_reader;

static bool read_item(kith_state *state, const char *name, kith_field_type type, void *values,
                      uint32_t count)
{
    item_reader *read    = (item_reader *)state;
    uint32_t     size    = size_of_type(type);
    bool         same    = !read->failed && kith_source_u32(read->from) == (uint32_t)type;
    same                 = same && kith_source_is_text(read->from, name);
    same                 = same && kith_source_u32(read->from) == count && size != 0;
    const uint8_t *bytes = same ? kith_source_take(read->from, (size_t)size * count) : NULL;
    read->failed         = bytes == NULL || !are_valid(read->table, type, bytes, count);
    if (!read->failed) {
        kith_copy_numbers(values, bytes, count, size);
        state->left = kith_source_left(read->from);
    }
    return !read->failed;
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
    const char  *kind   = kith_source_text(&from, &lengths[0]);
    const char  *key    = kith_source_text(&from, &lengths[1]);
    size_t       length = (size_t)lengths[0] + lengths[1] + 2;
    size_t       size   = whole.size - whole.at;
    kept_object *kept   = kith_alloc_zeroed(&world->memory, sizeof *kept, _Alignof(kept_object));
    char        *names  = kith_alloc_zeroed(&world->memory, length, 1);
    uint8_t     *bytes  = kith_alloc(&world->memory, size, 1);
    if (kept == NULL || names == NULL || bytes == NULL) {
        kith_free(&world->memory, bytes, size, 1);
        kith_free(&world->memory, names, length, 1);
        kith_free(&world->memory, kept, sizeof *kept, _Alignof(kept_object));
        return NULL;
    }
    memcpy(bytes, whole.bytes + whole.at, size);
    memcpy(names, kind, lengths[0]);
    memcpy(names + lengths[0] + 1, key, lengths[1]);
    kept->bytes = bytes;
    kept->size  = size;
    kept->names = names;
    kept->ops   = (kith_object_ops){ .kind    = names,
                                     .size    = offsetof(kept_object, ops),
                                     .destroy = destroy_kept,
                                     .bytes   = bytes_of_kept,
                                     .state   = never_asked };
    kept->object =
        (kith_object){ .ops = &kept->ops, .world = world, .key = names + lengths[0] + 1 };
    return &kept->object;
}

// Makes a new object of the source, which has kind, key and items; `like` says how. Returns NULL
// and sets `*code` when memory runs out, or when the items are not those that the object expects.
static kith_object *read_object(kith_world *world, const kith_object *like, kith_source whole,
                                const kith_entity_table *table, kith_error_code *code)
{
    kith_source from  = whole;
    item_reader items = { { .reading = true, .item = read_item }, &from, table, false };
    kith_source_is_text(&from, like->ops->kind);
    kith_source_is_text(&from, like->key);
    items.state.left = kith_source_left(&from);
    *code            = KITH_ERROR_MEMORY;
    kith_world_lock(world);
    kith_object *object =
        is_kept_object(like) ? keep_object(world, whole) : like->ops->create(world, like->key);
    if (object != NULL && !is_kept_object(like)) {
        *object = (kith_object){ .ops = like->ops, .world = world, .key = like->key };
        *code   = KITH_ERROR_HOOK;
        if (!like->ops->state(object, &items.state) || items.failed ||
            kith_source_left(&from) != 0) {
            like->ops->destroy(object);
            object = NULL;
        }
    }
    kith_world_unlock(world);
    return object;
}

// --- loading ---------------------------------------------------------------------------------

// The object that the chunk is about, or NULL. Moves `from` behind kind and key.
static kith_object *find_in_chunk(const kith_world *world, kith_source *from)
{
    const kith_source start = *from;
    uint32_t          length;
    for (kith_object *object = kith_object_with_state(world->oldest); object != NULL;
         object              = kith_object_with_state(object->next_)) {
        *from     = start;
        bool same = kith_source_is_text(from, object->ops->kind);
        if (kith_source_is_text(from, object->key) && same) {
            return object;
        }
    }
    *from = start;
    kith_source_text(from, &length);
    kith_source_text(from, &length);
    return NULL;
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

KITH_INTERNAL bool kith_load_object(kith_loader *l)
{
    static const char malformed[] = "the items of an object are malformed";
    kith_source       from        = l->reader.body;
    kith_object      *object      = find_in_chunk(l->world, &from);
    kith_error_code   code        = KITH_ERROR_MEMORY;
    if (l->desc->components != NULL || l->world->without_objects ||
        (object == NULL && l->desc->unknown == KITH_UNKNOWN_SKIP)) {
        return true;
    }
    if (from.ended || !are_items(from, &l->entities)) {
        return kith_reader_malformed(&l->reader, malformed, object == NULL ? NULL : object->key);
    }
    if (object == NULL && l->desc->unknown == KITH_UNKNOWN_REFUSE) {
        char        key[64] = { 0 };
        uint32_t    length;
        kith_source names = l->reader.body;
        kith_source_text(&names, &length);
        const char *text = kith_source_text(&names, &length);
        memcpy(key, text, kith_min(length, sizeof key - 1));
        return kith_reader_conflict(&l->reader, "the file has an object that this world lacks",
                                    key);
    }
    kith_object *loaded = object == NULL
                              ? keep_object(l->world, l->reader.body)
                              : read_object(l->world, object, l->reader.body, &l->entities, &code);
    if (loaded == NULL) {
        return code == KITH_ERROR_MEMORY
                   ? kith_reader_no_memory(&l->reader)
                   : kith_reader_malformed(&l->reader, malformed, object->key);
    }
    bool twice    = find_loaded(l, loaded) != NULL;
    loaded->next_ = l->objects;
    l->objects    = loaded;
    return !twice || kith_reader_malformed(&l->reader, "the file has an object twice", loaded->key);
}

KITH_INTERNAL void kith_load_swap_objects(kith_loader *l)
{
    for (kith_object *loaded = l->objects; loaded != NULL; loaded = loaded->next_) {
        kith_object *object = kith_object_find(l->world, loaded->ops->kind, loaded->key);
        size_t       size   = object == NULL ? 0 : loaded->ops->size - sizeof *loaded;
        for (size_t i = 0; i < size; i++) {
            uint8_t byte                 = ((uint8_t *)(loaded + 1))[i];
            ((uint8_t *)(loaded + 1))[i] = ((uint8_t *)(object + 1))[i];
            ((uint8_t *)(object + 1))[i] = byte;
        }
    }
}

// An object that the file lacks is cleared, or goes when it is a kept one. New kept ones join the
// world.
KITH_INTERNAL void kith_load_settle_objects(kith_loader *l)
{
    for (kith_object *object = l->world->oldest, *next; object != NULL; object = next) {
        next       = object->next_;
        bool lacks = object->key != NULL && find_loaded(l, object) == NULL;
        if (lacks && is_kept_object(object)) {
            kith_object_unlink(object);
            destroy_kept(object);
        } else if (lacks && object->ops->clear != NULL) {
            object->ops->clear(object);
        }
    }
    for (kith_object **place = &l->objects; *place != NULL;) {
        kith_object *loaded = *place;
        const char  *key    = loaded->key;
        if (kith_object_find(l->world, loaded->ops->kind, key) == NULL) {
            *place = loaded->next_;
            kith_object_link(l->world, loaded, loaded->ops);
            loaded->key = key;
        } else {
            place = &loaded->next_;
        }
    }
}

KITH_INTERNAL void kith_load_end_objects(kith_loader *l)
{
    while (l->objects != NULL) {
        kith_object *loaded = l->objects;
        l->objects          = loaded->next_;
        loaded->ops->destroy(loaded);
    }
}

// --- hashes and clones -----------------------------------------------------------------------

KITH_INTERNAL kith_error_code kith_objects_hash(const kith_world *world, uint64_t *sum,
                                                const char **key)
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

KITH_INTERNAL bool kith_world_copy_objects(kith_world *world, const kith_world *from,
                                           kith_error *error)
{
    bool copied = true;
    for (const kith_object *object = kith_object_with_state(from->oldest); object != NULL && copied;
         object                    = kith_object_with_state(object->next_)) {
        kith_bytes      bytes  = { .data = NULL };
        kith_object    *copy   = NULL;
        const char     *key    = object->key;
        kith_error_code code   = kith_object_bytes(object, &bytes);
        kith_source     source = { .bytes = bytes.data, .size = bytes.size };
        if (code == KITH_OK) {
            copy = read_object(world, object, source, &world->entities, &code);
        }
        *error = (kith_error){ .code = code, .subject = "state", .other = key };
        kith_bytes_free(&bytes);
        copied = copy != NULL;
        if (copied) {
            key = copy->key;
            kith_object_link(world, copy, copy->ops);
            copy->key = key;
        }
    }
    return copied;
}
