// SPDX-License-Identifier: MIT
// The state of objects in snapshots, hashes, differences and clones.
//
//     object     kind, key | item | item | ...
//     item       type, name, count | values, little-endian
//
// The `state` function of an object hands out its items one by one. They are always written to
// bytes, and read from bytes: what a file has is what is hashed, compared and cloned.
#include "snapshot/load.h"

typedef struct item_writer {
    kith_state   state; // first
    kith_writer *to;
    bool         native; // numbers as this machine has them
} item_writer;

typedef struct item_reader {
    kith_state               state; // first
    kith_source             *from;
    const kith_entity_table *table; // whose handles the items may have
} item_reader;

// Copies `count` numbers of `size` bytes to or from little-endian bytes.
static void copy_numbers(uint8_t *to, const uint8_t *from, uint32_t size, size_t count)
{
    for (size_t i = 0; i < count * size && !KITH_IS_LITTLE; i++) {
        to[i] = from[i - i % size + (size - 1 - i % size)];
    }
    if (KITH_IS_LITTLE && count != 0) {
        memcpy(to, from, count * size);
    }
}

static bool write_item(kith_state *state, const char *name, kith_field_type type, void *values,
                       uint32_t count)
{
    kith_writer *w    = ((item_writer *)state)->to;
    uint32_t     size = type == KITH_TYPE_SKIP ? 0 : kith_field_type_size(type);
    kith_writer_u32(w, type);
    kith_writer_text(w, name);
    kith_writer_u32(w, count);
    void *place = kith_writer_extend(w, (size_t)size * count);
    if (place != NULL && count != 0 && ((item_writer *)state)->native) {
        memcpy(place, values, (size_t)size * count);
    } else if (place != NULL) {
        copy_numbers(place, values, size, count);
    }
    return w->code == KITH_OK && size != 0;
}

static void write_object(kith_writer *writer, const kith_object *object, bool native)
{
    item_writer items = { { .item = write_item }, writer, native };
    kith_writer_text(writer, object->ops->kind);
    kith_writer_text(writer, object->key);
    if (!object->ops->state((kith_object *)(uintptr_t)object, &items.state) &&
        writer->code == KITH_OK) {
        writer->code = KITH_ERROR_HOOK;
    }
}

KITH_INTERNAL void kith_writer_object(kith_writer *writer, const kith_object *object)
{
    write_object(writer, object, false);
}

KITH_INTERNAL kith_error_code kith_object_bytes(const kith_object *object, kith_bytes *bytes)
{
    kith_writer writer = { .out = bytes };
    write_object(&writer, object, true);
    return writer.code;
}

static bool read_item(kith_state *state, const char *name, kith_field_type type, void *values,
                      uint32_t count)
{
    const item_reader *read = (const item_reader *)state;
    uint32_t           size = type == KITH_TYPE_SKIP ? 0 : kith_field_type_size(type);
    bool               same = kith_source_u32(read->from) == (uint32_t)type;
    same                    = kith_source_is_text(read->from, name) && same;
    same                    = kith_source_u32(read->from) == count && same && size != 0;
    const uint8_t *bytes    = same ? kith_source_take(read->from, (size_t)size * count) : NULL;
    bool           valid    = bytes != NULL;
    for (uint32_t i = 0; i < count && valid && type == KITH_TYPE_BOOL; i++) {
        valid = bytes[i] <= 1;
    }
    if (valid) {
        copy_numbers(values, bytes, size, count);
    }
    for (uint32_t i = 0; i < count && valid && type == KITH_TYPE_ENTITY; i++) {
        kith_entity entity = ((const kith_entity *)values)[i];
        valid              = entity == KITH_NULL || kith_entity_table_may_have(read->table, entity);
    }
    return valid;
}

// Reads the items behind kind and key into a new object. Returns NULL, and frees the object, when
// they are not those that its `state` function expects. `*memory` is set when there is no object.
static kith_object *read_object(kith_world *world, const kith_object *like, kith_source *from,
                                const kith_entity_table *table, bool *memory)
{
    item_reader  items  = { { .reading = true, .item = read_item }, from, table };
    kith_object *object = like->ops->create(world, like->key);
    *memory             = object == NULL;
    if (object == NULL) {
        return NULL;
    }
    *object = (kith_object){ .ops = like->ops, .world = world, .key = like->key };
    if (like->ops->state(object, &items.state) && kith_source_left(from) == 0) {
        return object;
    }
    like->ops->destroy(object);
    return NULL;
}

// --- loading ---------------------------------------------------------------------------------

// The object that the chunk is about, or NULL. Moves `from` behind kind and key.
static kith_object *find_in_chunk(const kith_world *world, kith_source *from)
{
    const kith_source start = *from;
    for (kith_object *object = kith_object_with_state(world->oldest); object != NULL;
         object              = kith_object_with_state(object->next_)) {
        *from     = start;
        bool same = kith_source_is_text(from, object->ops->kind);
        if (kith_source_is_text(from, object->key) && same) {
            return object;
        }
    }
    return NULL;
}

// The loaded state of the object, or NULL.
static kith_object *find_loaded(const kith_loader *l, const kith_object *object)
{
    kith_object *loaded = l->objects;
    while (loaded != NULL && (loaded->ops != object->ops || loaded->key != object->key)) {
        loaded = loaded->next_;
    }
    return loaded;
}

KITH_INTERNAL bool kith_load_object(kith_loader *l)
{
    bool         memory;
    kith_source *from   = &l->reader.body;
    kith_object *object = find_in_chunk(l->world, from);
    if (l->desc->components != NULL || l->world->without_objects ||
        (object == NULL && l->desc->unknown != KITH_UNKNOWN_REFUSE)) {
        return true;
    }
    if (object == NULL) {
        return kith_reader_conflict(&l->reader, "the file has an object that this world lacks",
                                    NULL);
    }
    if (find_loaded(l, object) != NULL) {
        return kith_reader_malformed(&l->reader, "the file has an object twice", object->key);
    }
    kith_object *loaded = read_object(l->world, object, from, &l->entities, &memory);
    if (loaded == NULL) {
        return memory ? kith_reader_no_memory(&l->reader)
                      : kith_reader_malformed(&l->reader, "the items of an object are malformed",
                                              object->key);
    }
    loaded->next_ = l->objects;
    l->objects    = loaded;
    return true;
}

KITH_INTERNAL void kith_load_swap_objects(kith_loader *l)
{
    for (kith_object *loaded = l->objects; loaded != NULL; loaded = loaded->next_) {
        uint8_t *a = (uint8_t *)(loaded + 1);
        uint8_t *b = (uint8_t *)(kith_object_find(l->world, loaded->ops->kind, loaded->key) + 1);
        for (size_t i = 0; i < loaded->ops->size - sizeof *loaded; i++) {
            uint8_t byte = a[i];
            a[i]         = b[i];
            b[i]         = byte;
        }
    }
}

KITH_INTERNAL void kith_load_clear_objects(kith_loader *l)
{
    for (kith_object *object = l->world->oldest; object != NULL; object = object->next_) {
        if (object->ops->clear != NULL && find_loaded(l, object) == NULL) {
            object->ops->clear(object);
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
        kith_bytes  bytes  = { .data = NULL };
        kith_writer writer = { .out = &bytes };
        kith_writer_object(&writer, object);
        code = writer.code;
        *key = object->key;
        *sum += kith_xxh3(bytes.data, bytes.size);
        kith_bytes_free(&bytes);
    }
    return code;
}

KITH_INTERNAL bool kith_world_copy_objects(kith_world *world, const kith_world *from)
{
    bool copied = true;
    for (const kith_object *object = kith_object_with_state(from->oldest); object != NULL && copied;
         object                    = kith_object_with_state(object->next_)) {
        bool         memory;
        kith_bytes   bytes  = { .allocator = world->memory };
        kith_writer  writer = { .out = &bytes };
        kith_object *copy   = NULL;
        kith_writer_object(&writer, object);
        if (writer.code == KITH_OK) {
            kith_source source = { .bytes = bytes.data, .size = bytes.size };
            kith_source_is_text(&source, object->ops->kind);
            kith_source_is_text(&source, object->key);
            copy = read_object(world, object, &source, &world->entities, &memory);
        }
        kith_bytes_free(&bytes);
        copied = copy != NULL;
        if (copied) {
            kith_object_link(world, copy, object->ops);
            copy->key = object->key;
        }
    }
    return copied;
}
