// SPDX-License-Identifier: MIT
// Reads entities and worlds from JSON. The text is read two or three times:
//
//     first     checks everything and collects the handles; the world does not change
//     then      all entities are created, so that every handle in the text can be mapped
//     second    sets the values; nodes of hierarchies have no links yet, and holders of links are
//               in the order of the text
//     third     only with hierarchies and links: sets the links of all nodes and holders at once
#include "batch/batch.h"
#include "snapshot/load.h"
#include "json/json.h"

// An entity of the text.
typedef struct json_entity {
    kith_entity was; // its handle in the text; KITH_NULL: none
    size_t      at;  // its offset
} json_entity;

typedef struct json_reading {
    kith_json_text  json;
    kith_world     *world;
    uint32_t        known; // components; those that a listener registers later stay unknown
    const char     *call;
    bool            whole;    // a world is read, otherwise an entity
    json_entity    *entities; // in the order of the text
    uint32_t        count;
    uint32_t        capacity;
    kith_entity    *made;  // in the same order, and KITH_NULL behind them; NULL: the first reading
    uint32_t       *order; // indices of `entities`, sorted, for the handle map
    bool            nodes; // the text has nodes of a hierarchy, or links
    bool            links; // the third reading
    bool            moved; // an entity got another handle than in the text
    uint32_t        next;  // the index of the next entity
    void           *value; // room for any component's value
    size_t          value_size;
    size_t          value_alignment;
    uint64_t        seen[KITH_COMPONENT_MAX / 64 + 1]; // components of the present entity
    kith_call_error own;                               // of the call that changes the world
    kith_error_code code; // of a failure that is not a fault of the text
} json_reading;

// --- failing ---------------------------------------------------------------------------------

// Fails with the code of an error that the world has reported already.
static bool fail_reading(json_reading *r, kith_error_code code, size_t at)
{
    const char *reason = code == KITH_ERROR_MEMORY  ? "out of memory"
                         : code == KITH_ERROR_LIMIT ? "a limit is reached"
                         : code == KITH_ERROR_HOOK  ? "a hook refused"
                                                    : "the world reported an error";
    r->code            = code;
    return kith_json_fail(&r->json, reason, at);
}

static bool fail_memory(json_reading *r, size_t at)
{
    kith_world_refuse(r->world, KITH_ERROR_MEMORY, r->call, 0, KITH_NULL);
    return fail_reading(r, KITH_ERROR_MEMORY, at);
}

// Fails if the call that changed the world did.
static void check_json_call(json_reading *r, size_t at)
{
    if (r->own.error.code != KITH_OK) {
        fail_reading(r, r->own.error.code, at);
    }
}

// --- handles ---------------------------------------------------------------------------------

static kith_handle_map map_of(const json_reading *r)
{
    return (kith_handle_map){ r->entities, sizeof *r->entities, r->order, r->count };
}

static kith_entity follow_handle(const void *context, kith_entity entity)
{
    const json_reading *r = context;
    if (!r->moved || entity == KITH_NULL) {
        return entity;
    }
    kith_handle_map map   = map_of(r);
    uint32_t        place = kith_handle_map_find(&map, entity);
    return place == KITH_NO_INDEX ? entity : r->made[place];
}

static void add_entity(json_reading *r, kith_entity was, size_t at)
{
    if (r->count == r->capacity) {
        uint32_t     more = r->capacity == 0 ? 64 : r->capacity * 2;
        json_entity *entities =
            kith_batch_alloc(r->world, more * sizeof *entities, sizeof(uint64_t));
        if (entities == NULL) {
            fail_memory(r, at);
            return;
        }
        if (r->count != 0) {
            memcpy(entities, r->entities, r->count * sizeof *entities);
        }
        kith_batch_free(r->world, r->entities, r->capacity * sizeof *entities, sizeof(uint64_t));
        r->entities = entities;
        r->capacity = more;
    }
    r->entities[r->count++] = (json_entity){ was, at };
}

// --- values ----------------------------------------------------------------------------------

// Setting a node or a link clears its place among others, so that is written into the value
// directly. Holders have the indices of the text, so in other entities they keep their order.
static void put_place(json_reading *r, const kith_storage *storage, kith_entity entity,
                      const void *value)
{
    kith_pool *pool = &kith_world_storage(r->world, storage->desc.id)->pool;
    uint32_t   row  = kith_sparse_set_row(&pool->set, entity);
    if (row != KITH_NO_ROW && !(r->moved && storage->link.partner != NULL)) {
        memcpy(kith_pool_value(pool, row), value, storage->desc.size);
        kith_sparse_set_stamp(&pool->set, row, 1);
    }
}

// The list of a target, which other entities may not name.
static void put_list(json_reading *r, kith_storage *links, kith_entity entity)
{
    const kith_link link  = { .target = entity };
    uint32_t        lists = 0;
    if (r->whole && kith_entity_table_alive(&r->world->entities, entity) &&
        links->link.ops->accept(r->world, links, KITH_NULL, &link, &lists, r->call)) {
        links->link.ops->attach(r->world, links->link.partner, entity);
    }
}

// A listener may destroy the entity: then the component is not set.
static void put_component(json_reading *r, const kith_storage *storage, const void *value,
                          size_t at)
{
    if (r->made == NULL || r->json.fault != NULL) {
        return;
    }
    kith_entity entity = r->made[r->next];
    r->own.error.code  = KITH_OK;
    if (r->links) {
        assert(value != NULL);
        put_place(r, storage, entity, value);
    } else if (storage->access == KITH_ACCESS_LIST) {
        put_list(r, storage->link.partner, entity);
    } else if (storage->desc.kind == KITH_KIND_SINGLETON) {
        kith_singleton_set(r->world, storage->desc.id, value);
    } else if (kith_entity_table_alive(&r->world->entities, entity)) {
        kith_component_set(r->world, entity, storage->desc.id, value);
    }
    check_json_call(r, at);
}

// Decodes a string of hexadecimal digits into half as many bytes.
static void decode_hex(kith_json_text *json, const kith_json_string *digits, uint8_t *bytes)
{
    bool fine = digits->size % 2 == 0;
    for (size_t i = 0; i + 1 < digits->size; i += 2) {
        int high     = kith_hex_digit(digits->text[i]);
        int low      = kith_hex_digit(digits->text[i + 1]);
        fine         = fine && high >= 0 && low >= 0;
        bytes[i / 2] = (uint8_t)(high * 16 + low);
    }
    if (!fine) {
        kith_json_fail(json, "bytes are pairs of hexadecimal digits", json->token);
    }
}

// Constructs a value and reads the bytes into it, unless the text has a fault. Returns whether
// there is a value to destruct.
static bool read_saved(json_reading *r, const kith_storage *storage, const uint8_t *bytes,
                       size_t size, size_t at)
{
    const kith_saver *by = storage->desc.traits.saved.functions;
    if (r->json.fault != NULL) {
        return false;
    }
    if (!kith_pool_construct(&storage->pool, r->value, NULL)) {
        kith_world_refuse_because(r->world, KITH_ERROR_HOOK, r->call, storage->desc.id, "construct",
                                  storage->desc.name);
        return fail_reading(r, KITH_ERROR_HOOK, at);
    }
    if (!by->read(r->value, bytes, size, by->context)) {
        kith_json_fail(&r->json, "its read function refused the bytes", at);
    }
    return true;
}

static void read_through_functions(json_reading *r, const kith_storage *storage, size_t at)
{
    kith_json_string string = kith_json_string_read(&r->json);
    size_t           room   = string.size + 1; // also without bytes
    size_t           size   = string.size / 2;
    uint8_t         *bytes  = kith_batch_alloc(r->world, room, 1);
    if (bytes == NULL) {
        fail_memory(r, at);
        return;
    }
    if (kith_saved_is_text(&storage->desc.traits.saved)) {
        size = kith_json_decode(&string, (char *)bytes, room);
    } else {
        decode_hex(&r->json, &string, bytes);
    }
    kith_world_lock(r->world);
    bool made = read_saved(r, storage, bytes, size, at);
    kith_world_unlock(r->world);
    kith_batch_free(r->world, bytes, room, 1);
    put_component(r, storage, r->value, at);
    if (made) {
        kith_world_lock(r->world);
        kith_pool_destruct(&storage->pool, r->value);
        kith_world_unlock(r->world);
    }
}

static void read_json_component(json_reading *r, const kith_storage *storage)
{
    const kith_saved *saved = &storage->desc.traits.saved;
    size_t            at    = kith_json_place(&r->json);
    r->nodes                = r->nodes || storage->is_own;
    if (r->links && !storage->is_own) {
        kith_json_skip(&r->json);
    } else if (storage->desc.size == 0) {
        if (!kith_json_bool_read(&r->json)) {
            kith_json_fail(&r->json, "a tag is true, or it is left out", at);
        }
        put_component(r, storage, NULL, at);
    } else if (saved->form == KITH_FORM_FUNCTIONS) {
        read_through_functions(r, storage, at);
    } else {
        kith_json_value_read(&r->json, saved, storage->desc.size, r->value);
        put_component(r, storage, r->value, at);
    }
}

// --- components ------------------------------------------------------------------------------

// Returns the component with that name, or NULL. Most come in registration order, so the
// search begins behind the last one.
static const kith_storage *find_json_storage(const json_reading *r, uint32_t first,
                                             const kith_json_string *name)
{
    for (uint32_t i = 0; i < r->known; i++) {
        const kith_storage *storage = r->world->storages[(first + i) % r->known];
        if (kith_json_is(name, storage->desc.name)) {
            return storage;
        }
    }
    return NULL;
}

// Reads the components of an entity, or the singletons.
static void read_json_components(json_reading *r, bool singletons)
{
    uint32_t         first = 0;
    kith_json_list   list  = kith_json_open(&r->json, '{');
    kith_json_string name;
    while (kith_json_next(&r->json, &list, &name)) {
        const kith_storage *storage = find_json_storage(r, first, &name);
        if (storage == NULL || !kith_storage_is_saved(storage)) {
            kith_json_unknown(&r->json, &name, "the component is not registered or not saved");
        } else if ((storage->desc.kind == KITH_KIND_SINGLETON) != singletons) {
            kith_json_fail_name(&r->json, &name,
                                singletons ? "the component is not a singleton"
                                           : "the component is a singleton");
        } else if (kith_storage_lacks_form(storage)) {
            kith_json_fail_name(&r->json, &name,
                                "it has no save form: declare it with KITH_COMPONENT_AS");
        } else if (!kith_json_mark(r->seen, storage->desc.id)) {
            kith_json_fail_name(&r->json, &name, "the component comes twice");
        } else {
            read_json_component(r, storage);
            first = storage->order + 1;
        }
    }
}

// Goes back to "disabled", at `disabled_at`: rows are disabled after all components are set.
static void read_json_disabled(json_reading *r, size_t disabled_at)
{
    size_t end          = r->json.at;
    r->json.at          = disabled_at;
    kith_json_list list = kith_json_open(&r->json, '[');
    while (kith_json_next(&r->json, &list, NULL)) {
        kith_json_string    name    = kith_json_string_read(&r->json);
        const kith_storage *storage = find_json_storage(r, 0, &name);
        bool                unknown = storage == NULL || !kith_storage_is_saved(storage);
        if (unknown && r->json.skip_unknown) {
            continue;
        }
        if (unknown || !kith_ids_have(r->seen, storage->desc.id) ||
            storage->desc.kind == KITH_KIND_FLAG) {
            kith_json_fail_name(&r->json, &name, "the entity has no such row");
        } else if (r->made != NULL && !r->links &&
                   kith_entity_table_alive(&r->world->entities, r->made[r->next])) {
            r->own.error.code = KITH_OK;
            kith_component_enable(r->world, r->made[r->next], storage->desc.id, false);
            check_json_call(r, r->json.token);
        }
    }
    r->json.at = r->json.fault == NULL ? end : r->json.at;
}

// --- entities and worlds ---------------------------------------------------------------------

// Whether the key has that name. A key that comes twice is a fault.
static bool is_key(json_reading *r, const kith_json_string *key, const char *name, bool *seen)
{
    if (!kith_json_is(key, name)) {
        return false;
    }
    if (*seen) {
        kith_json_fail_name(&r->json, key, "the key comes twice");
    }
    *seen = true;
    return true;
}

static void read_json_entity(json_reading *r)
{
    bool             keys[3] = { false };
    kith_entity      was     = KITH_NULL;
    size_t           rows_at = 0;
    size_t           begin   = kith_json_place(&r->json);
    kith_json_list   list    = kith_json_open(&r->json, '{');
    kith_json_string key;
    memset(r->seen, 0, sizeof r->seen);
    while (kith_json_next(&r->json, &list, &key)) {
        if (is_key(r, &key, "entity", &keys[0])) {
            was = kith_json_entity_read(&r->json);
            if (kith_entity_version(was) == 0) {
                kith_json_fail(&r->json, "no entity has version 0", r->json.token);
            }
        } else if (is_key(r, &key, "components", &keys[1])) {
            read_json_components(r, false);
        } else if (is_key(r, &key, "disabled", &keys[2])) {
            rows_at = r->json.at;
            kith_json_skip(&r->json);
        } else {
            kith_json_unknown(&r->json, &key, "an entity has no such key");
        }
    }
    if (rows_at != 0 && r->json.fault == NULL) {
        read_json_disabled(r, rows_at);
    }
    r->next++;
    if (r->json.fault == NULL && r->made == NULL) {
        add_entity(r, was, begin);
    }
}

static void read_json_world(json_reading *r)
{
    bool             keys[3] = { false };
    kith_json_list   list    = kith_json_open(&r->json, '{');
    kith_json_string key;
    while (kith_json_next(&r->json, &list, &key)) {
        if (is_key(r, &key, "kith", &keys[0])) {
            if (kith_json_integer_read(&r->json).size != 0) {
                kith_json_fail(&r->json, "unknown version of the format", r->json.token);
            }
        } else if (is_key(r, &key, "entities", &keys[1])) {
            kith_json_list entities = kith_json_open(&r->json, '[');
            while (kith_json_next(&r->json, &entities, NULL)) {
                read_json_entity(r);
            }
        } else if (is_key(r, &key, "singletons", &keys[2])) {
            memset(r->seen, 0, sizeof r->seen);
            read_json_components(r, true);
        } else {
            kith_json_unknown(&r->json, &key, "a world has no such key");
        }
    }
    if (!keys[0]) {
        kith_json_fail(&r->json, "\"kith\": 0 is missing", 0);
    }
}

// Reads the text from its beginning.
static bool read_json_text(json_reading *r)
{
    r->json.at = 0;
    r->next    = 0;
    if (r->whole) {
        read_json_world(r);
    } else {
        read_json_entity(r);
    }
    return kith_json_end(&r->json);
}

// --- calls -----------------------------------------------------------------------------------

static size_t made_bytes(const json_reading *r)
{
    return ((size_t)r->count + 1) * (sizeof *r->made + sizeof *r->order);
}

// Two entities of the text must not have one index. A handle that is not free here is replaced.
static bool list_handles(json_reading *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        bool met = kith_entity_table_allows_hint(&r->world->entities, r->entities[i].was, r->count);
        r->made[i] = met ? r->entities[i].was : KITH_NULL;
    }
    kith_handle_map map = map_of(r);
    kith_handle_map_sort(&map);
    uint32_t clash = kith_handle_map_clash(&map);
    return clash == KITH_NO_INDEX ||
           kith_json_fail(&r->json, "two entities have the same index", r->entities[clash].at);
}

static bool make_entities(json_reading *r)
{
    r->made = kith_batch_alloc(r->world, made_bytes(r), sizeof(uint64_t));
    if (r->made == NULL) {
        return fail_memory(r, 0);
    }
    r->order = (uint32_t *)(void *)(r->made + r->count + 1);
    if (!list_handles(r)) {
        return false;
    }
    r->own.error.code = KITH_OK;
    if (r->count != 0 && !kith_entity_create_hints(r->world, r->made, r->count, r->made)) {
        return fail_reading(r, r->own.error.code, 0);
    }
    for (uint32_t i = 0; i < r->count; i++) {
        r->moved = r->moved || r->made[i] != r->entities[i].was;
    }
    return true;
}

// Allocates room for the largest value with the strictest alignment.
static bool alloc_value(json_reading *r)
{
    r->value_size      = 1; // also without values
    r->value_alignment = 1;
    for (uint32_t i = 0; i < r->known; i++) {
        const kith_storage *storage   = r->world->storages[i];
        size_t              alignment = storage->pool.set.alignment;
        r->value_size = storage->desc.size > r->value_size ? storage->desc.size : r->value_size;
        r->value_alignment = alignment > r->value_alignment ? alignment : r->value_alignment;
    }
    r->value = kith_batch_alloc(r->world, r->value_size, r->value_alignment);
    return r->value != NULL || fail_memory(r, 0);
}

// Reports a fault of the text; other failures are reported already.
static kith_result end_reading(json_reading *r)
{
    const kith_json_text *json = &r->json;
    kith_batch_free(r->world, r->value, r->value_size, r->value_alignment);
    kith_batch_free(r->world, r->entities, r->capacity * sizeof *r->entities, sizeof(uint64_t));
    kith_batch_free(r->world, r->made, made_bytes(r), sizeof(uint64_t));
    if (json->fault == NULL) {
        return (kith_result){ .code = KITH_OK, .offset = json->size };
    }
    if (r->code == KITH_OK) {
        char       name[256] = { 0 };
        kith_error error     = { .code    = KITH_ERROR_FORMAT,
                                 .call    = r->call,
                                 .subject = json->fault,
                                 .have    = json->fault_at };
        if (json->about.text != NULL) {
            kith_json_decode(&json->about, name, sizeof name - 1);
            error.other = name;
        }
        r->code = KITH_ERROR_FORMAT;
        kith_world_fail(r->world, &error);
    }
    return kith_result_of(r->code, json->fault_at, "%s", json->fault);
}

static void cut_links(kith_storage *storage)
{
    for (uint32_t row = 0; row < storage->pool.set.head.rows_; row++) {
        memset(kith_pool_value(&storage->pool, row), 0, storage->desc.size);
        kith_sparse_set_stamp(&storage->pool.set, row, 1);
    }
}

// Fails when links are not valid. These are cleared: no call may follow them.
static void check_json_links(json_reading *r)
{
    for (uint32_t i = 0; i < r->world->storage_count; i++) {
        kith_storage *storage = r->world->storages[i];
        const char   *fault   = kith_load_links(r->world, storage);
        if (fault == NULL) {
            continue;
        }
        cut_links(storage);
        if (storage->link.ops != NULL) {
            cut_links(storage->link.partner);
        }
        kith_json_string name = { storage->desc.name, strlen(storage->desc.name) };
        r->json.token         = 0; // no place in the text is at fault
        kith_json_fail_name(&r->json, &name, fault);
    }
}

// The second reading, and the third.
static bool fill_json(json_reading *r)
{
    if (read_json_text(r) && r->whole && r->nodes) {
        r->links = true;
        read_json_text(r);
        check_json_links(r);
    }
    return r->json.fault == NULL;
}

static bool is_kept_single(const kith_storage *storage)
{
    return storage->single != NULL && kith_storage_is_saved(storage);
}

// Reverts `fill_json` after a failure.
static void undo_json(json_reading *r)
{
    if (!r->whole) {
        kith_entity_destroy(r->world, r->made[0]);
        return;
    }
    kith_world_clear(r->world);
    for (uint32_t i = 0; i < r->world->storage_count; i++) {
        if (is_kept_single(r->world->storages[i])) {
            kith_singleton_remove(r->world, r->world->storages[i]->desc.id);
        }
    }
}

// Reads the text, if the call is allowed; otherwise the world has reported why not.
static void run_reading(json_reading *r, bool allowed, const char *text, size_t size,
                        const kith_json_rules *rules)
{
    kith_world      *world = r->world;
    kith_call_error *outer = world->call_error;
    r->known               = world->storage_count;
    r->own.nested          = world->nested;
    r->json.text           = text == NULL ? "" : text;
    r->json.size           = text == NULL ? 0 : size;
    r->json.skip_unknown   = rules != NULL && rules->skip_unknown;
    r->json.follow         = follow_handle;
    r->json.context        = r;
    if (!allowed) {
        fail_reading(r, kith_world_error(world).code, 0);
        return;
    }
    world->call_error = &r->own;
    if (alloc_value(r) && read_json_text(r) && make_entities(r) && !fill_json(r)) {
        undo_json(r);
    }
    world->call_error = outer;
}

kith_result kith_json_read_entity(kith_world *world, const char *text, size_t size,
                                  const kith_json_rules *rules, kith_entity *entity)
{
    json_reading r = { .call = "kith_json_read_entity", .world = world };
    run_reading(&r, kith_require_unlocked(world, r.call), text, size, rules);
    if (entity != NULL) {
        bool made = r.json.fault == NULL && kith_entity_table_alive(&world->entities, r.made[0]);
        *entity   = made ? r.made[0] : KITH_NULL;
    }
    return end_reading(&r);
}

static bool is_empty_world(const kith_world *world)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        if (is_kept_single(world->storages[i])) {
            return false;
        }
    }
    return kith_entity_count(world) == 0;
}

kith_result kith_json_read_world(kith_world *world, const char *text, size_t size,
                                 const kith_json_rules *rules)
{
    json_reading r       = { .call = "kith_json_read_world", .world = world, .whole = true };
    bool         allowed = kith_require_at_rest(world, r.call) &&
                   (is_empty_world(world) ||
                    kith_world_mistake(world, r.call,
                                       "the world must have no entities and no singletons", NULL));
    run_reading(&r, allowed, text, size, rules);
    return end_reading(&r);
}
