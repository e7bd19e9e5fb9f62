// SPDX-License-Identifier: MIT
// Saves the entities and prepares to restore them, in small code. Saves and restores what is no
// page: lists and singletons of a component; groups, reactive sets, queues, queries, systems and
// objects.
#include "frames/frames.h"
#include "group/group.h"
#include "snapshot/load.h"

// --- entities --------------------------------------------------------------------------------

static void find_flag_words(const kith_world *world, kith_flag_words *flags)
{
    *flags = (kith_flag_words){ 0 };
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_storage    *storage = world->storages[i];
        const kith_pool_head_ *head    = &storage->pool.set.head;
        if (storage->desc.kind == KITH_KIND_FLAG) {
            flags->mask[storage->bit >> 6] |= UINT64_C(1) << (storage->bit & 63);
            flags->moves += head->flags_set_ + head->flags_cleared_;
        }
    }
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        flags->words += flags->mask[word] != 0;
    }
}

void kith_frames_notice(kith_world *world)
{
    kith_entity_table *table = &world->entities;
    uint32_t           known = kith_min(table->noticed, table->count) >> KITH_PAGE_SHIFT_;
    bool               grown = table->noticed != table->count;
    for (uint32_t i = 0; i < table->page_count; i++) {
        kith_entity_page *page = kith_entity_page_of(table, i << KITH_PAGE_SHIFT_);
        if (!page->known.noticed || (grown && i >= known)) {
            page->noticed = world->tick;
        }
        page->known.noticed = true;
    }
    table->noticed = table->count;
}

// Whether the page's flags are those of the copy: behind the slots, an array for each word that has
// flags. `write`: writes them there.
static bool match_flags(const kith_world *world, const kith_flag_words *flags, uint32_t page,
                        const kith_copy *copy, bool write)
{
    uint64_t *saved = (uint64_t *)(void *)copy->data + KITH_PAGE_SLOTS;
    uint32_t  used  = kith_in_page(world->entities.count, page, KITH_PAGE_SHIFT_);
    uint64_t  other = 0;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        uint64_t mask = flags->mask[word];
        for (uint32_t i = 0; mask != 0 && i < KITH_PAGE_SLOTS; i++) {
            uint32_t index = page << KITH_PAGE_SHIFT_ | i;
            uint64_t now =
                i < used ? kith_entity_signature_word(&world->entities, index, word) & mask : 0;
            if (write) {
                saved[i] = now;
            } else {
                other |= now ^ saved[i];
            }
        }
        saved += mask == 0 ? 0 : KITH_PAGE_SLOTS;
    }
    return other == 0;
}

bool kith_past_save_entities(const kith_saving *s)
{
    const kith_world *world = s->frames->object.world;
    const kith_past  *base  = s->base;
    kith_flag_words  *flags = &s->past->flags;
    uint32_t          pages = (world->entities.count + KITH_PAGE_MASK_) >> KITH_PAGE_SHIFT_;
    find_flag_words(world, flags);
    s->past->entities = world->entities;
    for (uint32_t *i = &s->past->slot_count; *i < pages; ++*i) {
        const kith_entity_page *page =
            kith_entity_page_of(&world->entities, *i << KITH_PAGE_SHIFT_);
        kith_copy *copy = base != NULL && *i < base->slot_count ? base->refs[*i].copy : NULL;
        bool       same =
            copy != NULL && page->noticed <= base->tick &&
            (flags->moves == base->flags.moves || match_flags(world, flags, *i, copy, false));
        copy = same ? kith_copy_share(copy)
                    : kith_copy_alloc(s->frames, KITH_SLOTS_BYTES * (1 + flags->words),
                                      KITH_CACHE_LINE);
        if (!same && copy != NULL) {
            memcpy(copy->data, page->slots, KITH_SLOTS_BYTES);
            match_flags(world, flags, *i, copy, true);
        }
        if (!kith_past_add(s, copy, same, 0)) {
            return false;
        }
    }
    return true;
}

bool kith_past_has_flag(const kith_past *past, uint32_t index, uint32_t bit)
{
    const uint64_t *words = (const void *)past->refs[index >> KITH_PAGE_SHIFT_].copy->data;
    words += KITH_PAGE_SLOTS;
    for (uint32_t word = 0; word < bit >> 6; word++) {
        words += past->flags.mask[word] == 0 ? 0 : KITH_PAGE_SLOTS;
    }
    return (words[index & KITH_PAGE_MASK_] >> (bit & 63) & 1) != 0;
}

bool kith_restore_prepare_entities(kith_restoring *r)
{
    kith_frames       *frames = r->frames;
    kith_world        *world  = r->world;
    kith_entity_table *table  = &world->entities;
    bool enough = kith_entity_table_reserve(table, &world->memory, r->to->entities.count) &&
                  kith_frames_reserve(frames, &frames->changed_slots, &frames->changed_capacity,
                                      table->page_count * (KITH_PAGE_SLOTS / 64),
                                      sizeof *frames->changed_slots);
    find_flag_words(world, &r->flags);
    kith_world_update_head(world);
    for (uint32_t i = 0; i < r->to->slot_count && enough; i++) {
        for (uint32_t word = 1; word < KITH_SIGNATURE_WORDS && enough; word++) {
            enough = r->flags.mask[word] == 0 ||
                     kith_plane_reserve(table, &world->memory, i << KITH_PAGE_SHIFT_, 64 * word);
        }
    }
    return enough;
}

bool kith_restore_stage(kith_restoring *r, kith_copy *copy)
{
    kith_frames *frames = r->frames;
    if (copy == NULL || !kith_frames_reserve(frames, &frames->staged, &frames->staged_capacity,
                                             frames->staged_count + 1, sizeof(void *))) {
        kith_copy_release(frames, copy);
        return false;
    }
    frames->staged[frames->staged_count++] = copy;
    return true;
}

// --- components ------------------------------------------------------------------------------

static kith_paged paged_of(kith_storage *storage)
{
    const kith_hooks *hooks = &storage->desc.traits.hooks;
    return (kith_paged){ &storage->pool, storage->bit,
                         storage->is_own || (hooks->copy == NULL && hooks->destruct == NULL),
                         storage->layout.packed == storage->pool.size };
}

// The list of a group that owns no pool; that of another group has no rows.
static kith_paged list_of(kith_group *group)
{
    return (kith_paged){ &group->list.pool, KITH_NO_BIT, true, false };
}

static bool save_single(const kith_saving *s, const kith_paged *of, const kith_storage *storage,
                        const kith_saved_pool *was, kith_saved_pool *now)
{
    const void *value = storage->single;
    bool        same  = was->single != NULL && value != NULL && storage->stamp <= s->base->tick &&
                kith_past_has_values(s, of, value, was->single, 1);
    now->single = value == NULL ? NULL
                  : same        ? kith_copy_share(was->single)
                  : of->bytes   ? kith_copy_of(s->frames, value, of->pool->size)
                                : kith_copy_rows(s->frames, of, value, 1);
    return value == NULL || kith_past_add(s, now->single, same, 0);
}

// The bytes of the journal that are in use.
static size_t journal_bytes(const kith_journal *journal)
{
    return (size_t)(journal->written - kith_journal_oldest(journal)) * sizeof(kith_removal);
}

// Saves the component as the next pool of the frame.
static bool save_storage(const kith_saving *s, kith_storage *storage)
{
    static const kith_saved_pool none;
    const kith_pool             *pool  = &storage->pool;
    uint32_t                     i     = s->past->pool_count++;
    const kith_saved_pool       *was   = s->base == NULL ? &none : &s->base->pools[i];
    kith_saved_pool             *now   = &s->past->pools[i];
    kith_paged                   of    = paged_of(storage);
    bool                         saved = kith_storage_is_saved(storage);
    size_t                       words = ((size_t)pool->set.head.rows_ + 63) / 64;
    *now               = (kith_saved_pool){ .limit = pool->set.limit, .newest_hole = KITH_NO_ROW };
    now->flags         = pool->rowless ? kith_storage_count(storage) : 0;
    now->disabled_rows = saved ? pool->set.head.disabled_ : 0;
    now->written       = pool->journal.written;
    now->lost          = pool->journal.lost;
    now->hooks         = storage->desc.traits.hooks;
    now->saved         = saved;
    return kith_past_save_list(s, &was->journal, &now->journal, pool->journal.entries,
                               journal_bytes(&pool->journal), was->written == now->written) &&
           kith_past_save_list(s, &was->disabled, &now->disabled, pool->disabled,
                               now->disabled_rows == 0 ? 0 : words * sizeof(uint64_t), false) &&
           (!saved || (kith_past_save_rows(s, &of, now) && save_single(s, &of, storage, was, now)));
}

// Whether the singleton does not have the value that the frame has.
static bool single_differs(const kith_restoring *r, const kith_storage *storage,
                           const kith_saved_pool *then)
{
    const kith_past *base = r->base;
    return storage->single == NULL || then->single == NULL
               ? storage->single != NULL || then->single != NULL
               : base == NULL || storage->stamp > base->tick ||
                     base->pools[then - r->to->pools].single != then->single;
}

static bool prepare_storage(kith_restoring *r, kith_storage *storage, const kith_saved_pool *then)
{
    kith_paged of = paged_of(storage);
    return kith_restore_prepare_rows(r, &of, then) &&
           (then->disabled_rows == 0 || kith_pool_reserve_disabled(&storage->pool)) &&
           (then->single == NULL || !single_differs(r, storage, then) ||
            ((of.bytes ||
              kith_restore_stage(r, kith_copy_rows(r->frames, &of, then->single->data, 1))) &&
             (storage->single != NULL || kith_storage_reserve_single(storage))));
}

// Replaces the value of the singleton by that of the frame, or by the staged one.
static void restore_single(kith_restoring *r, kith_storage *storage, const kith_saved_pool *then,
                           bool bytes)
{
    const kith_pool *pool = &storage->pool;
    if (storage->single != NULL) {
        kith_world_lock(r->world);
        kith_pool_destruct(pool, storage->single);
        kith_world_unlock(r->world);
    }
    if (then->single == NULL) {
        kith_storage_free_single(storage, storage->single);
        storage->single = NULL;
        return;
    }
    storage->single =
        storage->single != NULL ? storage->single : kith_storage_alloc_single(storage);
    if (bytes) {
        memcpy(storage->single, then->single->data, pool->size);
    } else {
        kith_copy *value = r->frames->staged[r->next_staged++];
        kith_pool_move_value(pool, storage->single, value->data);
        value->built = 0;
    }
    r->frames->report.back++;
}

static void restore_storage(kith_restoring *r, kith_storage *storage, const kith_saved_pool *then)
{
    kith_pool       *pool  = &storage->pool;
    kith_pool_head_ *head  = &pool->set.head;
    kith_paged       of    = paged_of(storage);
    size_t           valid = pool->disabled_words * sizeof *pool->disabled;
    kith_restore_rows(r, &of, then);
    if (single_differs(r, storage, then)) {
        restore_single(r, storage, then, of.bytes);
    }
    storage->stamp = 0;
    if (pool->rowless) { // counters only rise: caches compare them
        uint64_t set         = head->flags_set_;
        head->flags_set_     = set + then->flags;
        head->flags_cleared_ = set;
    }
    if (pool->disabled != NULL) {
        kith_restore_list(r, &then->disabled, NULL, pool->disabled, valid);
        memset((uint8_t *)pool->disabled + then->disabled.bytes, 0, valid - then->disabled.bytes);
    }
    head->disabled_ = then->disabled_rows;
    kith_restore_list(r, &then->journal, NULL, pool->journal.entries,
                      journal_bytes(&pool->journal));
    pool->journal.written = then->written;
    pool->journal.lost    = then->lost;
    storage->relinked++;     // walks over links look again
    storage->link.arrivals = // no link of a frame came later
        kith_world_storage(r->frames->object.world, storage->desc.id)->link.arrivals;
}

// --- listing the others ----------------------------------------------------------------------

static void list_one(kith_saved_other *to, uint32_t *count, kith_other_kind kind, void *thing,
                     uint64_t made, const char *name)
{
    if (to != NULL) {
        to[*count] = (kith_saved_other){ .kind = kind, .thing = thing, .made = made };
        strncpy(to[*count].name, kith_name_shown(name), sizeof to->name - 1);
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

static const kith_saved_other no_other;

static bool save_system(const kith_saving *s, kith_saved_other *now, const kith_saved_other *was)
{
    const kith_system     *system  = now->thing;
    const kith_sparse_set *tracked = &system->tracked_entities;
    kith_entity            piece[KITH_PIECE / sizeof(kith_entity)];
    uint32_t               size = 0;
    bool                   done = true;
    now->tick                   = system->tick;
    now->newest                 = system->query == NULL ? 0 : system->query->desc.since;
    now->waited                 = system->waited;
    now->requested              = system->requested;
    now->enabled                = system->enabled;
    now->count                  = tracked->head.rows_;
    for (uint32_t row = 0; row < now->count && done; row++) {
        uint32_t index = *kith_sparse_set_packed(tracked, row);
        piece[size++]  = *kith_sparse_set_slot(tracked, index) >> 32 << 32 | index;
        if (size == KITH_PIECE / sizeof *piece || row == now->count - 1) {
            done =
                kith_past_save_list(s, &was->list, &now->list, piece, size * sizeof *piece, false);
            size = 0;
        }
    }
    return done;
}

static bool save_object(const kith_saving *s, kith_saved_other *now, const kith_saved_other *was)
{
    kith_bytes *items      = &s->frames->items;
    items->size            = 0;
    kith_error_code code   = kith_object_bytes(now->thing, items);
    s->frames->hook_failed = s->frames->hook_failed || code == KITH_ERROR_HOOK;
    return code == KITH_OK &&
           kith_past_save_list(s, &was->list, &now->list, items->data, items->size, false);
}

static bool save_other(const kith_saving *s, kith_saved_other *now, const kith_saved_other *was)
{
    const kith_reactive *set;
    const kith_queue    *queue;
    size_t               size;
    switch (now->kind) {
    case KITH_OTHER_GROUP:
        now->count = ((const kith_group *)now->thing)->members;
        now->total = ((const kith_group *)now->thing)->count;
        return true;
    case KITH_OTHER_SET: // adding raises `newest`, removing lowers `count`, closing holes the size
        set         = now->thing;
        size        = set->members.count == 0 ? 0 : set->members.end * sizeof *set->members.entries;
        now->tick   = set->since;
        now->count  = set->members.count;
        now->total  = set->members.capacity;
        now->newest = set->members.newest;
        return kith_past_save_list(s, &was->list, &now->list, set->members.entries, size,
                                   was->newest == now->newest && was->count == now->count &&
                                       was->list.bytes == size);
    case KITH_OTHER_QUEUE: // may have padding; is appended to, until it is emptied
        queue      = now->thing;
        was        = s->base != NULL && queue->emptied <= s->base->tick ? was : &no_other;
        now->count = queue->waiting.count;
        return kith_past_save_list(s, &was->list, &now->list, queue->waiting.bytes,
                                   (size_t)now->count * queue->step, true);
    case KITH_OTHER_QUERY:
        now->tick = ((const kith_query *)now->thing)->desc.since;
        return true;
    case KITH_OTHER_PATH:
        return true;
    case KITH_OTHER_SYSTEM:
        return save_system(s, now, was);
    default:
        return save_object(s, now, was);
    }
}

// What the base has of the same thing, without a list if it is not found. Mostly it has the same
// place there.
static const kith_saved_other *find_other(const kith_past *base, const kith_saved_other *now,
                                          uint32_t i)
{
    bool found = base != NULL && i < base->other_count && base->others[i].made == now->made;
    return found ? &base->others[i] : &no_other;
}

bool kith_past_save_state(const kith_saving *s)
{
    kith_world *world  = s->frames->object.world;
    kith_past  *past   = s->past;
    uint32_t    others = kith_frames_list_others(world, NULL);
    uint32_t    pools  = world->storage_count + world->groups.count;
    bool        done   = kith_frames_reserve(s->frames, &past->pools, &past->pool_capacity, pools,
                                             sizeof *past->pools) &&
                kith_frames_reserve(s->frames, &past->others, &past->other_capacity, others,
                                    sizeof *past->others);
    past->storage_count = world->storage_count;
    for (uint32_t i = 0; i < world->storage_count && done; i++) {
        done = save_storage(s, world->storages[i]);
    }
    for (uint32_t i = 0; i < world->groups.count && done; i++) {
        kith_group      *group = world->groups.groups[i];
        kith_paged       of    = list_of(group);
        kith_saved_pool *now   = &past->pools[past->pool_count++];
        kith_saving      own   = *s;
        if (own.base != NULL && own.base->others[i].made != group->object.made_) {
            own.base = NULL; // another group had this place
        }
        *now = (kith_saved_pool){ .limit = of.pool->set.limit, .newest_hole = KITH_NO_ROW };
        done = kith_past_save_rows(&own, &of, now);
    }
    if (done) {
        kith_frames_list_others(world, past->others);
    }
    for (; past->other_count < others && done; past->other_count++) {
        kith_saved_other *now = &past->others[past->other_count];
        done                  = save_other(s, now, find_other(s->base, now, past->other_count));
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

// Returns a thing that the world has and did not have, or had and has not: `*why` becomes its
// table. NULL: there is none.
static const kith_saved_other *find_difference(kith_frames *frames, const kith_past *to,
                                               const char *const **why)
{
    const kith_saved_other *now   = frames->listed;
    uint32_t                count = kith_frames_list_others(frames->object.world, frames->listed);
    for (uint32_t i = 0, k; i < count; i++) {
        for (k = 0; k < to->other_count && to->others[k].made != now[i].made;) {
            k++;
        }
        if (k == to->other_count) {
            *why = made_later;
            return &now[i];
        }
    }
    for (uint32_t i = 0; i < to->other_count; i++) {
        // a group that was dropped and taken up again has another place
        if (i >= count || now[i].made != to->others[i].made) {
            *why = gone_since;
            return &to->others[i];
        }
    }
    return NULL;
}

bool kith_restore_check_setup(kith_frames *frames, const kith_past *to, const char *call)
{
    kith_world *world = frames->object.world;
    if (to->storage_count != world->storage_count) {
        return kith_world_refuse_because(world, KITH_ERROR_CONFLICT, call, 0,
                                         "a component was registered after the frame",
                                         world->storages[to->storage_count]->desc.name);
    }
    if (!kith_frames_reserve(frames, &frames->listed, &frames->listed_capacity,
                             kith_frames_list_others(world, NULL), sizeof *frames->listed)) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    }
    const char *const      *why  = NULL;
    const kith_saved_other *what = find_difference(frames, to, &why);
    if (what != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_CONFLICT, call, 0, why[what->kind],
                                         what->name[0] == '\0' ? NULL : what->name);
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

// The tracked entity in this row then.
static kith_entity tracked_then(const kith_restoring *r, const kith_saved_other *then, uint32_t row)
{
    size_t           at   = row * sizeof(kith_entity);
    const kith_copy *copy = r->to->refs[then->list.first + at / KITH_PIECE].copy;
    return *(const kith_entity *)(const void *)(copy->data + at % KITH_PIECE);
}

static bool reserve_tracked(const kith_restoring *r, kith_system *system,
                            const kith_saved_other *then)
{
    kith_sparse_set *tracked = &system->tracked_entities;
    bool             enough  = kith_sparse_set_reserve_rows(tracked, then->count);
    for (uint32_t i = 0; i < then->count && enough; i++) {
        uint32_t index = kith_entity_index(tracked_then(r, then, i));
        enough         = kith_sparse_set_reserve_page(tracked, index >> KITH_PAGE_SHIFT_);
    }
    return enough;
}

// Makes an object with the items of then, unless the object has them now.
static bool stage_object(const kith_restoring *r, const kith_saved_list *then,
                         kith_saved_other *staged)
{
    kith_bytes *items    = &r->frames->items;
    items->size          = 0;
    kith_error_code code = kith_object_bytes(staged->thing, items);
    size_t          size = items->size;
    if (code == KITH_OK && (size >= then->bytes || kith_bytes_extend(items, then->bytes - size))) {
        if (!kith_restore_list(r, then, NULL, items->data, size) && size == then->bytes) {
            return true;
        }
        kith_source from = { .bytes = items->data, .size = then->bytes };
        staged->object   = kith_object_read(r->world, staged->thing, from, &code);
    }
    r->frames->hook_failed = r->frames->hook_failed || code == KITH_ERROR_HOOK;
    return staged->object != NULL;
}

static bool prepare_other(const kith_restoring *r, const kith_saved_other *then,
                          kith_saved_other *staged)
{
    kith_queue      *queue;
    kith_entity_set *members;
    switch (then->kind) {
    case KITH_OTHER_SET: // gets the capacity of then
        members = &((kith_reactive *)staged->thing)->members;
        return members->capacity >= then->total ||
               kith_entity_set_reserve(members, &r->world->memory,
                                       ((uint64_t)then->total * 4 + 4) / 5, NULL);
    case KITH_OTHER_QUEUE:
        queue = staged->thing;
        return kith_queue_grow_buffer(queue, &queue->waiting, &queue->waiting, then->count, NULL);
    case KITH_OTHER_SYSTEM:
        return reserve_tracked(r, staged->thing, then);
    case KITH_OTHER_OBJECT:
        return stage_object(r, &then->list, staged);
    default:
        return true;
    }
}

bool kith_restore_prepare_state(kith_restoring *r)
{
    kith_frames     *frames = r->frames;
    kith_world      *world  = r->world;
    const kith_past *to     = r->to;
    kith_frames_list_others(world, frames->listed); // as many as the frame has, in the same order
    bool done = kith_frames_reserve(frames, &frames->moved_pages, &frames->moved_capacity,
                                    to->ref_count, sizeof *frames->moved_pages);
    for (uint32_t i = 0; i < world->storage_count && done; i++) {
        done = prepare_storage(r, world->storages[i], &to->pools[i]);
    }
    for (uint32_t i = 0; i < world->groups.count && done; i++) {
        kith_group *group = world->groups.groups[i];
        kith_paged  of    = list_of(group);
        uint32_t    first = group->plan.terms[0].storage->order;
        done = kith_restore_prepare_rows(r, &of, &to->pools[world->storage_count + i]) &&
               (group->owned != 0 || // a member is an entity that then has its first component
                (kith_group_reserve_list(group) &&
                 kith_sparse_set_reserve_rows(&of.pool->set, to->pools[first].rows)));
    }
    for (uint32_t i = 0; i < to->other_count && done; i++) {
        done = prepare_other(r, &to->others[i], &frames->listed[i]);
    }
    return done;
}

static void restore_system(const kith_restoring *r, kith_system *system,
                           const kith_saved_other *then)
{
    kith_sparse_set *tracked = &system->tracked_entities;
    system->tick             = then->tick;
    system->waited           = then->waited;
    system->requested        = then->requested;
    system->enabled          = then->enabled;
    system->notified_rows    = UINT32_MAX; // the next turn looks at all members
    if (system->query != NULL) {           // a turn sets it for every query
        kith_query_start_since(system->query, then->newest);
    }
    for (uint32_t row = 0; row < tracked->head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(tracked, row);
        if (row >= then->count || tracked_then(r, then, row) !=
                                      (*kith_sparse_set_slot(tracked, index) >> 32 << 32 | index)) {
            *kith_sparse_set_slot(tracked, index) = KITH_EMPTY;
        }
    }
    tracked->head.rows_ = then->count;
    for (uint32_t row = 0; row < then->count; row++) {
        kith_entity entity = tracked_then(r, then, row);
        if (kith_sparse_set_row(tracked, entity) != row) {
            kith_sparse_set_put(tracked, row, entity);
        }
    }
}

static void restore_other(const kith_restoring *r, uint32_t i)
{
    const kith_saved_other *staged = &r->frames->listed[i];
    const kith_saved_other *then   = &r->to->others[i];
    const kith_saved_other *was;
    kith_queue             *queue;
    kith_reactive          *set;
    uint32_t                end = (uint32_t)(then->list.bytes / sizeof(kith_entity_set_member));
    switch (then->kind) {
    case KITH_OTHER_GROUP:
        ((kith_group *)staged->thing)->members = then->count;
        ((kith_group *)staged->thing)->count   = then->total;
        return;
    case KITH_OTHER_SET:
        set = staged->thing;
        if (kith_restore_list(r, &then->list, NULL, set->members.entries,
                              set->members.end * sizeof *set->members.entries) ||
            end != set->members.end) {
            kith_entity_set_relink(&set->members, end);
        }
        set->members.newest = then->newest;
        set->since          = then->tick;
        return;
    case KITH_OTHER_QUEUE:
        queue = staged->thing;
        was   = find_other(r->base, then, i);
        was   = r->base != NULL && queue->emptied <= r->base->tick ? was : &no_other;
        kith_restore_list(r, &then->list, &was->list, queue->waiting.bytes, was->list.bytes);
        queue->waiting.count = then->count;
        queue->emptied       = 0;
        return;
    case KITH_OTHER_QUERY:
        kith_query_start_since(staged->thing, then->tick);
        return;
    case KITH_OTHER_PATH:
        ((kith_path *)staged->thing)->arranged = false; // its rows are other ones
        return;
    case KITH_OTHER_SYSTEM:
        restore_system(r, staged->thing, then);
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
    for (uint32_t i = 0; i < r->to->other_count; i++) {
        restore_other(r, i);
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
    for (uint32_t i = r->to->other_count; i-- != 0;) {
        kith_object *old = frames->listed[i].object; // in exchange for the one that is restored
        if (old != NULL) {
            old->ops->destroy(old);
        }
    }
    while (frames->staged_count != 0) {
        kith_copy_release(frames, frames->staged[--frames->staged_count]);
    }
}
