// SPDX-License-Identifier: MIT
// Saves and restores what is no page: disabled rows, journals and singletons of a component;
// groups, reactive sets, queues, queries, systems and objects.
#include "frames/frames.h"
#include "group/group.h"
#include "snapshot/load.h"

// --- components ------------------------------------------------------------------------------

static kith_paged paged_of(kith_storage *storage)
{
    const kith_hooks *hooks = &storage->desc.traits.hooks;
    return (kith_paged){ &storage->pool, storage->bit,
                         storage->is_hierarchy ||
                             (hooks->copy == NULL && hooks->destruct == NULL) };
}

// The list of a group that owns no pool; that of another group has no rows.
static kith_paged list_of(kith_group *group)
{
    return (kith_paged){ &group->list.pool, KITH_NO_BIT, true };
}

// A copy of the bytes, or one more reference to `old`, if it has the same `size` bytes. `*done`
// becomes false when memory runs out.
static kith_copy *copy_or_share(kith_frames *frames, kith_copy *old, const void *bytes, size_t size,
                                bool *done)
{
    if (old != NULL && memcmp(old->data, bytes, size) == 0) {
        return kith_copy_share(old);
    }
    kith_copy *copy = kith_copy_of(frames, bytes, size);
    *done           = *done && copy != NULL;
    return copy;
}

static kith_copy *copy_single_value(kith_frames *frames, const kith_paged *of, const void *value)
{
    const kith_pool *pool = of->pool;
    kith_copy       *copy = kith_copy_alloc(frames, pool->set.page_bytes, pool->set.alignment);
    if (copy == NULL) {
        return NULL;
    }
    memset(copy->data + pool->set.head.packed_at_, 0, sizeof(uint32_t)); // no hole
    kith_world_lock(frames->object.world);
    copy->hooked = pool;
    copy->built  = kith_pool_construct(pool, copy->data, value);
    kith_world_unlock(frames->object.world);
    if (copy->built == 0) {
        frames->hook_failed = true;
        kith_copy_release(frames, copy);
        return NULL;
    }
    return copy;
}

// Saves the component as the next pool of the frame.
static bool save_storage(kith_frames *frames, kith_past *past, const kith_past *base,
                         kith_storage *storage)
{
    const kith_pool       *pool = &storage->pool;
    const kith_saved_pool *was  = base == NULL ? NULL : &base->pools[past->pool_count];
    kith_saved_pool       *now  = &past->pools[past->pool_count];
    kith_paged             of   = paged_of(storage);
    bool                   done = true;
    *now       = (kith_saved_pool){ .limit = pool->set.limit, .newest_hole = KITH_NO_ROW };
    now->hooks = storage->desc.traits.hooks;
    now->saved = kith_storage_is_saved(storage);
    if (now->saved) {
        done               = kith_past_save_rows(frames, past, base, &of, now);
        now->flags         = pool->rowless ? kith_storage_count(storage) : 0;
        now->disabled_rows = pool->set.head.disabled_;
        if (now->disabled_rows != 0) {
            size_t words  = ((size_t)now->rows + 63) / 64;
            bool   same   = was != NULL && was->rows == now->rows;
            now->disabled = copy_or_share(frames, same ? was->disabled : NULL, pool->disabled,
                                          words * sizeof(uint64_t), &done);
        }
        if (storage->single != NULL) {
            now->single = of.bytes ? kith_copy_of(frames, storage->single, pool->size)
                                   : copy_single_value(frames, &of, storage->single);
            done        = done && now->single != NULL;
        }
    }
    if (pool->journal.entries != NULL) {
        bool same    = was != NULL && was->written == pool->journal.written;
        now->written = pool->journal.written;
        now->lost    = pool->journal.lost;
        now->journal = same ? kith_copy_share(was->journal)
                            : kith_copy_of(frames, pool->journal.entries,
                                           pool->journal.capacity * sizeof(kith_removal));
        done         = done && now->journal != NULL;
    }
    past->pool_count++;
    return done;
}

static bool prepare_storage(kith_restoring *r, kith_storage *storage, const kith_saved_pool *then)
{
    const kith_allocator *memory = &r->world->memory;
    kith_paged            of     = paged_of(storage);
    if (!kith_restore_prepare_rows(r, &of, then) ||
        (then->disabled != NULL && !kith_pool_reserve_disabled(&storage->pool, memory))) {
        return false;
    }
    if (then->single == NULL) {
        return true;
    }
    kith_copy *value = of.bytes ? kith_copy_share(then->single)
                                : copy_single_value(r->frames, &of, then->single->data);
    return kith_restore_stage(r, value) &&
           (storage->single != NULL || kith_storage_reserve_single(storage, memory));
}

// Replaces the value of the singleton by the staged one.
static void restore_single(kith_restoring *r, kith_storage *storage, bool bytes, bool there)
{
    const kith_allocator *memory = &r->world->memory;
    const kith_pool      *pool   = &storage->pool;
    if (storage->single != NULL) {
        kith_world_lock(r->world);
        kith_pool_destruct(pool, storage->single);
        kith_world_unlock(r->world);
        if (!there) {
            kith_storage_free_single(storage, memory, storage->single);
            storage->single = NULL;
        }
    }
    if (there) {
        kith_copy *value = r->frames->staged[r->next_staged++];
        storage->single =
            storage->single != NULL ? storage->single : kith_storage_alloc_single(storage, memory);
        if (bytes) {
            memcpy(storage->single, value->data, pool->size);
        } else {
            kith_pool_move_value(pool, storage->single, value->data);
            value->built = 0;
        }
    }
}

static void restore_storage(kith_restoring *r, kith_storage *storage, const kith_saved_pool *then)
{
    kith_pool       *pool = &storage->pool;
    kith_pool_head_ *head = &pool->set.head;
    kith_paged       of   = paged_of(storage);
    kith_restore_rows(r, &of, then);
    restore_single(r, storage, of.bytes, then->single != NULL);
    if (pool->rowless) { // counters only rise: caches compare them
        uint64_t set         = head->flags_set_;
        head->flags_set_     = set + then->flags;
        head->flags_cleared_ = set;
    }
    if (pool->disabled != NULL) {
        memset(pool->disabled, 0, pool->disabled_words * sizeof *pool->disabled);
    }
    if (then->disabled != NULL && pool->disabled != NULL) { // it is reserved
        memcpy(pool->disabled, then->disabled->data, (then->rows + 63) / 64 * sizeof(uint64_t));
    }
    head->disabled_ = then->disabled_rows;
    if (then->journal != NULL) {
        memcpy(pool->journal.entries, then->journal->data,
               pool->journal.capacity * sizeof(kith_removal));
        pool->journal.written = then->written;
        pool->journal.lost    = then->lost;
    }
    storage->relinked++; // walks over a hierarchy look again
}

// --- listing the others ----------------------------------------------------------------------

static void list_one(kith_saved_other *to, uint32_t *count, kith_other_kind kind, void *thing,
                     uint64_t made, const char *name)
{
    if (to != NULL) {
        to[*count] = (kith_saved_other){ .kind = kind, .thing = thing, .made = made, .name = name };
    }
    ++*count;
}

uint32_t kith_frames_list_others(const kith_world *world, kith_saved_other *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->groups.count; i++) {
        kith_group *group = world->groups.groups[i];
        list_one(to, &count, KITH_OTHER_GROUP, group, group->object.made_, group->desc.name);
    }
    for (kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        list_one(to, &count, KITH_OTHER_SET, set, set->object.made_, set->desc.name);
    }
    for (kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        list_one(to, &count, KITH_OTHER_QUEUE, queue, queue->object.made_, queue->desc.name);
    }
    for (kith_query *query = world->queries; query != NULL; query = query->next) {
        if (query->plan.wants_changes && !query->destroyed) {
            list_one(to, &count, KITH_OTHER_QUERY, query, query->object.made_, query->desc.name);
        }
    }
    for (kith_path *path = world->paths; path != NULL; path = path->next) {
        if (!path->dropped) {
            list_one(to, &count, KITH_OTHER_PATH, path, path->object.made_, path->desc.name);
        }
    }
    for (uint32_t i = 0; world->schedule != NULL && i < world->schedule->graph.count; i++) {
        kith_system *system = world->schedule->graph.systems[i];
        list_one(to, &count, KITH_OTHER_SYSTEM, system, system->made, system->desc.name);
    }
    for (kith_object *object = kith_object_with_state(world->oldest); object != NULL;
         object              = kith_object_with_state(object->next_)) {
        list_one(to, &count, KITH_OTHER_OBJECT, object, object->made_, object->key);
    }
    return count;
}

// --- saving the others -----------------------------------------------------------------------

// A copy of the members, holes left out.
static bool save_set(kith_frames *frames, kith_saved_other *now, const kith_saved_other *was)
{
    const kith_reactive   *set     = now->thing;
    const kith_entity_set *members = &set->members;
    now->tick                      = set->since;
    now->count                     = members->count;
    now->total                     = members->capacity;
    now->newest                    = members->newest;
    if (was != NULL && was->newest == now->newest && was->count == now->count) {
        now->copy = kith_copy_share(was->copy); // adding raises `newest`, removing lowers `count`
        return true;
    }
    kith_copy *copy = kith_copy_alloc_any(frames, now->count * sizeof *members->entries);
    if (copy == NULL) {
        return false;
    }
    kith_entity_set_member *to = (void *)copy->data;
    for (uint32_t i = 0; i < members->end; i++) {
        if (members->entries[i].entity != KITH_NULL) {
            *to++ = members->entries[i];
        }
    }
    now->copy = copy;
    return true;
}

// Events may have padding, so they are not compared with those of the base.
static bool save_queue(kith_frames *frames, kith_saved_other *now)
{
    const kith_queue *queue = now->thing;
    now->count              = queue->waiting.count;
    if (now->count != 0) {
        now->copy = kith_copy_of(frames, queue->waiting.bytes, (size_t)now->count * queue->step);
    }
    return now->count == 0 || now->copy != NULL;
}

static bool save_system(kith_frames *frames, kith_saved_other *now)
{
    const kith_system     *system  = now->thing;
    const kith_sparse_set *tracked = &system->tracked_entities;
    now->tick                      = system->tick;
    now->newest                    = system->query == NULL ? 0 : system->query->desc.since;
    now->waited                    = system->waited;
    now->requested                 = system->requested;
    now->enabled                   = system->enabled;
    now->count                     = tracked->head.rows_;
    if (now->count == 0) {
        return true;
    }
    now->copy = kith_copy_alloc_any(frames, now->count * sizeof(kith_entity));
    for (uint32_t row = 0; row < now->count && now->copy != NULL; row++) {
        uint32_t index = *kith_sparse_set_packed(tracked, row);
        ((kith_entity *)(void *)now->copy->data)[row] =
            *kith_sparse_set_slot(tracked, index) >> 32 << 32 | index;
    }
    return now->copy != NULL;
}

static bool save_object(kith_frames *frames, kith_saved_other *now, const kith_saved_other *was)
{
    kith_bytes *items    = &frames->items;
    bool        done     = true;
    items->size          = 0;
    kith_error_code code = kith_object_bytes(now->thing, items);
    now->count           = (uint32_t)items->size;
    if (code == KITH_OK) {
        bool same = was != NULL && was->count == now->count;
        now->copy = copy_or_share(frames, same ? was->copy : NULL, items->data, items->size, &done);
    }
    frames->hook_failed = frames->hook_failed || code == KITH_ERROR_HOOK;
    return done && code == KITH_OK;
}

static bool save_other(kith_frames *frames, kith_saved_other *now, const kith_saved_other *was)
{
    switch (now->kind) {
    case KITH_OTHER_GROUP:
        now->count = ((const kith_group *)now->thing)->members;
        now->total = ((const kith_group *)now->thing)->count;
        return true;
    case KITH_OTHER_SET:
        return save_set(frames, now, was);
    case KITH_OTHER_QUEUE:
        return save_queue(frames, now);
    case KITH_OTHER_QUERY:
        now->tick = ((const kith_query *)now->thing)->desc.since;
        return true;
    case KITH_OTHER_PATH:
        return true;
    case KITH_OTHER_SYSTEM:
        return save_system(frames, now);
    default:
        return save_object(frames, now, was);
    }
}

// What the base has of the same thing, or NULL. Mostly it has the same place there.
static const kith_saved_other *find_other(const kith_past *base, const kith_saved_other *now,
                                          uint32_t i)
{
    return base != NULL && i < base->other_count && base->others[i].made == now->made &&
                   base->others[i].kind == now->kind
               ? &base->others[i]
               : NULL;
}

bool kith_past_save_state(kith_frames *frames, kith_past *past, const kith_past *base)
{
    kith_world *world  = frames->object.world;
    uint32_t    others = kith_frames_list_others(world, NULL);
    uint32_t    pools  = world->storage_count + world->groups.count;
    bool        done   = kith_frames_reserve(frames, &past->pools, &past->pool_capacity, pools,
                                             sizeof *past->pools) &&
                kith_frames_reserve(frames, &past->others, &past->other_capacity, others,
                                    sizeof *past->others);
    past->storage_count = world->storage_count;
    for (uint32_t i = 0; i < world->storage_count && done; i++) {
        done = save_storage(frames, past, base, world->storages[i]);
    }
    for (uint32_t i = 0; i < world->groups.count && done; i++) {
        kith_paged       of  = list_of(world->groups.groups[i]);
        kith_saved_pool *now = &past->pools[past->pool_count];
        *now = (kith_saved_pool){ .limit = of.pool->set.limit, .newest_hole = KITH_NO_ROW };
        done = kith_past_save_rows(frames, past, base, &of, now);
        past->pool_count++;
    }
    if (done) {
        kith_frames_list_others(world, past->others);
    }
    for (; past->other_count < others && done; past->other_count++) {
        kith_saved_other *now = &past->others[past->other_count];
        done                  = save_other(frames, now, find_other(base, now, past->other_count));
    }
    return done;
}

// --- restoring the others --------------------------------------------------------------------

// Why a frame cannot be restored, by kind.
static const char *const made_later[] = {
    "a group was created after the frame",   "a reactive set was created after the frame",
    "a queue was created after the frame",   "a query for changes was created after the frame",
    "a path was created after the frame",    "a system was created after the frame",
    "an object was created after the frame",
};
static const char *const gone_since[] = {
    "a group was dropped after the frame",     "a reactive set was destroyed after the frame",
    "a queue was destroyed after the frame",   "a query for changes was destroyed after the frame",
    "a path was dropped after the frame",      "a system was destroyed after the frame",
    "an object was destroyed after the frame",
};

static bool has_other(const kith_saved_other *list, uint32_t count, const kith_saved_other *one)
{
    uint32_t i = 0;
    while (i < count && (list[i].kind != one->kind || list[i].made != one->made)) {
        i++;
    }
    return i < count;
}

// Compares what the world has with what it had. Returns NULL, or what is different; `*name` becomes
// the name of what the frame lacks.
static const char *compare_others(kith_frames *frames, const kith_past *to, const char **name)
{
    const kith_saved_other *now   = frames->listed;
    uint32_t                count = kith_frames_list_others(frames->object.world, frames->listed);
    for (uint32_t i = 0; i < count; i++) {
        if (!has_other(to->others, to->other_count, &now[i])) {
            *name = now[i].name;
            return made_later[now[i].kind];
        }
    }
    for (uint32_t i = 0; i < to->other_count; i++) {
        // a group that was dropped and taken up again has another place
        if (!has_other(now, count, &to->others[i]) || now[i].made != to->others[i].made) {
            return gone_since[to->others[i].kind];
        }
    }
    return NULL;
}

bool kith_restore_check_setup(kith_frames *frames, const kith_past *to, const char *call)
{
    kith_world *world = frames->object.world;
    if (to->storage_count != world->storage_count) {
        return kith_world_refuse_because(world, KITH_ERROR_CONFLICT, call, 0,
                                         "a component was registered after the frame", NULL);
    }
    if (!kith_frames_reserve(frames, &frames->listed, &frames->listed_capacity,
                             kith_frames_list_others(world, NULL), sizeof *frames->listed)) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    }
    const char *name   = NULL;
    const char *reason = compare_others(frames, to, &name);
    if (reason != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_CONFLICT, call, 0, reason, name);
    }
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_storage    *now   = world->storages[i];
        const kith_saved_pool *then  = &to->pools[i];
        bool                   other = kith_storage_is_saved(now) != then->saved ||
                     memcmp(&now->desc.traits.hooks, &then->hooks, sizeof then->hooks) != 0;
        if (other || now->pool.set.limit != then->limit) {
            return kith_world_refuse_because(
                world, KITH_ERROR_CONFLICT, call, now->desc.id,
                other ? "hooks or the save form of a component were changed after the frame"
                      : "the limit of a component was changed after the frame",
                now->desc.name);
        }
    }
    return world->entities.index_end == to->entities.index_end ||
           kith_world_refuse_because(world, KITH_ERROR_CONFLICT, call, 0,
                                     "the limit of entities was changed after the frame", NULL);
}

// Makes a set with the members of then.
static bool stage_set(const kith_restoring *r, kith_staged_thing *thing)
{
    const kith_reactive          *set      = thing->thing;
    const kith_saved_other       *then     = thing->other;
    kith_entity_set              *staged   = &thing->members;
    const kith_entity_set_member *members  = (const void *)then->copy->data;
    uint32_t                      capacity = set->members.capacity;
    capacity                               = capacity > then->total ? capacity : then->total;
    if (!kith_entity_set_reserve(staged, &r->world->memory, (uint64_t)capacity * 4 / 5, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < then->count; i++) {
        staged->newest = members[i].number - 1;
        kith_entity_set_add(staged, members[i].entity, NULL);
    }
    staged->newest = then->newest;
    return true;
}

static bool reserve_tracked(const kith_restoring *r, kith_system *system,
                            const kith_saved_other *then)
{
    bool enough =
        kith_sparse_set_reserve_rows(&system->tracked_entities, &r->world->memory, then->count);
    for (uint32_t i = 0; i < then->count && enough; i++) {
        uint32_t index =
            kith_entity_index(((const kith_entity *)(const void *)then->copy->data)[i]);
        enough = kith_sparse_set_reserve_page(&system->tracked_entities, &r->world->memory,
                                              index >> KITH_PAGE_SHIFT_);
    }
    return enough;
}

// Makes an object with the items of then, unless the object has them now.
static bool stage_object(const kith_restoring *r, kith_staged_thing *thing)
{
    const kith_saved_other *then  = thing->other;
    kith_bytes             *items = &r->frames->items;
    kith_error_code         code;
    items->size = 0;
    code        = kith_object_bytes(thing->thing, items);
    if (code == KITH_OK && items->size == then->count &&
        memcmp(items->data, then->copy->data, items->size) == 0) {
        return true;
    }
    kith_source from = { .bytes = then->copy->data, .size = then->count };
    if (code == KITH_OK) {
        thing->object = kith_object_read(r->world, thing->thing, from, &code);
    }
    r->frames->hook_failed = r->frames->hook_failed || code == KITH_ERROR_HOOK;
    return thing->object != NULL;
}

static bool prepare_other(const kith_restoring *r, kith_staged_thing *staged)
{
    const kith_saved_other *then = staged->other;
    kith_queue             *queue;
    switch (then->kind) {
    case KITH_OTHER_SET:
        return stage_set(r, staged);
    case KITH_OTHER_QUEUE:
        queue = staged->thing;
        return then->count <= queue->waiting.capacity ||
               kith_queue_alloc_buffer(queue, &staged->waiting, then->count);
    case KITH_OTHER_SYSTEM:
        return reserve_tracked(r, staged->thing, then);
    case KITH_OTHER_OBJECT:
        return stage_object(r, staged);
    default:
        return true;
    }
}

// Reserves the list of a group that owns no pool: room for every entity that then has its first
// component.
static bool reserve_group_list(const kith_restoring *r, kith_group *group)
{
    uint32_t first = group->plan.terms[0].storage->order;
    return group->owned != 0 ||
           (kith_group_reserve_list(group) &&
            kith_sparse_set_reserve_rows(&group->list.pool.set, &r->world->memory,
                                         r->to->pools[first].rows));
}

bool kith_restore_prepare_state(kith_restoring *r)
{
    kith_frames     *frames = r->frames;
    kith_world      *world  = r->world;
    const kith_past *to     = r->to;
    kith_frames_list_others(world, frames->listed); // as many as the frame has, in the same order
    bool done = kith_frames_reserve(frames, &frames->things, &frames->thing_capacity,
                                    to->other_count, sizeof *frames->things) &&
                kith_frames_reserve(frames, &frames->moved_pages, &frames->moved_capacity,
                                    to->ref_count, sizeof *frames->moved_pages);
    for (uint32_t i = 0; i < world->storage_count && done; i++) {
        done = prepare_storage(r, world->storages[i], &to->pools[i]);
    }
    for (uint32_t i = 0; i < world->groups.count && done; i++) {
        kith_paged of = list_of(world->groups.groups[i]);
        done          = kith_restore_prepare_rows(r, &of, &to->pools[world->storage_count + i]) &&
               reserve_group_list(r, world->groups.groups[i]);
    }
    while (frames->thing_count < to->other_count && done) {
        uint32_t           i      = frames->thing_count++;
        kith_staged_thing *staged = &frames->things[i];
        *staged = (kith_staged_thing){ .other = &to->others[i], .thing = frames->listed[i].thing };
        done    = prepare_other(r, staged);
    }
    return done;
}

static void restore_system(kith_system *system, const kith_saved_other *then)
{
    kith_sparse_set   *tracked = &system->tracked_entities;
    const kith_entity *members = then->count == 0 ? NULL : (const void *)then->copy->data;
    system->tick               = then->tick;
    system->waited             = then->waited;
    system->requested          = then->requested;
    system->enabled            = then->enabled;
    system->notified_rows      = UINT32_MAX; // the next turn looks at all members
    if (system->query != NULL) {             // a turn sets it for every query
        kith_query_start_since(system->query, then->newest);
    }
    kith_sparse_set_clear(tracked);
    for (uint32_t i = 0; i < then->count; i++) {
        kith_sparse_set_insert(tracked, members[i]);
    }
}

static void restore_other(kith_staged_thing *staged)
{
    const kith_saved_other *then = staged->other;
    kith_queue             *queue;
    kith_reactive          *set;
    switch (then->kind) {
    case KITH_OTHER_GROUP:
        ((kith_group *)staged->thing)->members = then->count;
        ((kith_group *)staged->thing)->count   = then->total;
        return;
    case KITH_OTHER_SET:
        set = staged->thing;
        kith_swap_memory(&set->members, &staged->members, sizeof set->members);
        set->since = then->tick;
        return;
    case KITH_OTHER_QUEUE:
        queue = staged->thing;
        if (staged->waiting.bytes != NULL) {
            kith_swap_memory(&queue->waiting, &staged->waiting, sizeof queue->waiting);
        }
        queue->waiting.count = then->count;
        if (then->count != 0) {
            memcpy(queue->waiting.bytes, then->copy->data, (size_t)then->count * queue->step);
        }
        return;
    case KITH_OTHER_QUERY:
        kith_query_start_since(staged->thing, then->tick);
        return;
    case KITH_OTHER_PATH:
        ((kith_path *)staged->thing)->arranged = false; // its rows are other ones
        return;
    case KITH_OTHER_SYSTEM:
        restore_system(staged->thing, then);
        return;
    default:
        if (staged->object != NULL) {
            kith_object *object = staged->thing;
            kith_swap_memory(staged->object + 1, object + 1, object->ops->size - sizeof *object);
        }
    }
}

void kith_restore_state(kith_restoring *r)
{
    kith_world *world      = r->world;
    world->shared.disabled = 0;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        restore_storage(r, world->storages[i], &r->to->pools[i]);
        world->shared.disabled += r->to->pools[i].disabled_rows;
    }
    for (uint32_t i = 0; i < world->groups.count; i++) {
        kith_paged of = list_of(world->groups.groups[i]);
        kith_restore_rows(r, &of, &r->to->pools[world->storage_count + i]);
    }
    for (uint32_t i = 0; i < r->frames->thing_count; i++) {
        restore_other(&r->frames->things[i]);
    }
}

void kith_restore_regroup(kith_world *world)
{
    for (uint32_t i = 0; i < world->groups.count; i++) { // outer groups first
        kith_group *group    = world->groups.groups[i];
        bool        required = false;
        bool        named    = false;
        for (uint32_t k = 0; k < group->plan.count; k++) {
            bool transient = !kith_storage_is_saved(group->plan.terms[k].storage);
            required       = required || (transient && k < group->plan.flag_end);
            named          = named || transient;
        }
        if (required) {
            kith_sparse_set_clear(&group->list.pool.set);
            group->members = group->count = 0;
        } else if (named) {
            kith_group_fill(group);
        }
    }
}

void kith_restore_end_state(kith_restoring *r)
{
    kith_frames *frames = r->frames;
    for (; frames->thing_count != 0; frames->thing_count--) {
        kith_staged_thing *staged = &frames->things[frames->thing_count - 1];
        kith_entity_set_free(&staged->members, &r->world->memory);
        if (staged->waiting.bytes != NULL) {
            kith_queue_free_buffer(staged->thing, &staged->waiting);
        }
        if (staged->object != NULL) {
            staged->object->ops->destroy(staged->object);
        }
    }
    while (frames->staged_count != 0) {
        kith_copy_release(frames, frames->staged[--frames->staged_count]);
    }
}
