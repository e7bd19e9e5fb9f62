// SPDX-License-Identifier: MIT
// The ring: creates it, saves and restores frames, drops old ones.
#include "frames/frames.h"

#include "base/arena.h"
#include "snapshot/load.h"

#define USUAL_CAPACITY 64u
#define MOST_CAPACITY  65536u

// --- the ring --------------------------------------------------------------------------------

kith_past *kith_frames_find(const kith_frames *frames, uint64_t number)
{
    kith_past *past = &frames->slots[number % (frames->desc.capacity + 1)];
    return number != 0 && past->number == number ? past : NULL;
}

// Releases the copies of a frame; its slot keeps the arrays.
static void empty_past(kith_frames *frames, kith_past *past)
{
    for (uint32_t i = 0; i < past->ref_count; i++) {
        kith_copy_release(frames, past->refs[i].copy);
    }
    for (uint32_t i = 0; i < past->pool_count; i++) {
        kith_copy_release(frames, past->pools[i].lookup);
    }
    past->number     = 0;
    past->slot_count = past->ref_count = past->pool_count = past->other_count = 0;
}

// Drops the frame with this number, at one end of the ring.
static void drop(kith_frames *frames, uint64_t number)
{
    kith_past *past = kith_frames_find(frames, number);
    frames->base    = past == frames->base ? NULL : frames->base;
    empty_past(frames, past);
    frames->report.frames--;
    if (frames->oldest == frames->newest) {
        frames->oldest = frames->newest = 0;
    } else {
        *(number == frames->oldest ? &frames->oldest : &frames->newest) +=
            number == frames->oldest ? 1 : UINT64_MAX;
    }
}

bool kith_frames_drop_oldest(kith_frames *frames)
{
    bool may = frames->oldest != 0 && frames->oldest < frames->kept;
    if (may) {
        drop(frames, frames->oldest);
    }
    return may;
}

// --- create and destroy ----------------------------------------------------------------------

static void free_past(kith_frames *frames, kith_past *past)
{
    empty_past(frames, past);
    kith_frames_free_array(frames, past->refs, past->ref_capacity, sizeof *past->refs);
    kith_frames_free_array(frames, past->pools, past->pool_capacity, sizeof *past->pools);
    kith_frames_free_array(frames, past->others, past->other_capacity, sizeof *past->others);
}

static size_t ring_bytes(const kith_frames *frames)
{
    return sizeof *frames + (frames->desc.capacity + 1) * sizeof *frames->slots +
           kith_name_bytes(frames->desc.name);
}

static void destroy_frames(kith_object *object)
{
    kith_frames *frames = (kith_frames *)object;
    kith_view_end(&frames->views[0]);
    kith_view_end(&frames->views[1]);
    for (uint32_t i = 0; i <= frames->desc.capacity; i++) {
        free_past(frames, &frames->slots[i]);
    }
    free_past(frames, &frames->spare);
    kith_copies_free(frames);
    kith_frames_free_array(frames, frames->classes, frames->class_capacity,
                           sizeof *frames->classes);
    kith_frames_free_array(frames, frames->staged, frames->staged_capacity, sizeof(void *));
    kith_frames_free_array(frames, frames->listed, frames->listed_capacity, sizeof *frames->listed);
    kith_frames_free_array(frames, frames->changed_slots, frames->changed_capacity,
                           sizeof *frames->changed_slots);
    kith_frames_free_array(frames, frames->moved_pages, frames->moved_capacity,
                           sizeof *frames->moved_pages);
    kith_bytes_free(&frames->items);
    kith_arena_destroy(frames->arena);
    kith_free(&object->world->memory, frames, ring_bytes(frames), KITH_CACHE_LINE);
}

static size_t bytes_of_frames(const kith_object *object)
{
    const kith_frames *frames = (const kith_frames *)object;
    return ring_bytes(frames) + frames->items.room +
           (frames->arena == NULL ? frames->bytes : frames->arena->size);
}

static const kith_object_ops frames_ops = { .kind    = "frames",
                                            .destroy = destroy_frames,
                                            .bytes   = bytes_of_frames };

kith_frames *kith_frames_create(kith_world *world, const kith_frames_desc *desc)
{
    static const kith_frames_desc defaults;
    desc                = desc == NULL ? &defaults : desc;
    const char *mistake = desc->capacity > MOST_CAPACITY ? "a ring has at most 65536 frames"
                          : desc->fixed && desc->bytes < kith_arena_size_for(1)
                              ? "a fixed ring needs bytes"
                              : NULL;
    if (!kith_require_unlocked(world, __func__) ||
        (mistake != NULL && !kith_world_mistake(world, __func__, mistake, desc->name))) {
        return NULL;
    }
    kith_frames like    = { .desc = *desc };
    like.desc.capacity  = desc->capacity == 0 ? USUAL_CAPACITY : desc->capacity;
    kith_frames *frames = kith_alloc_zeroed(&world->memory, ring_bytes(&like), KITH_CACHE_LINE);
    kith_arena  *arena  = frames == NULL || !desc->fixed
                              ? NULL
                              : kith_arena_create(&world->memory, desc->bytes, false);
    if (frames == NULL || (desc->fixed && arena == NULL)) {
        kith_free(&world->memory, frames, ring_bytes(&like), KITH_CACHE_LINE);
        kith_world_refuse(world, KITH_ERROR_MEMORY, __func__, 0, KITH_NULL);
        return NULL;
    }
    frames->desc            = like.desc;
    frames->arena           = arena;
    frames->memory          = arena == NULL ? world->memory : kith_arena_allocator(arena);
    frames->items.allocator = world->memory; // one block: pieces would scatter it
    frames->slots           = (kith_past *)(void *)(frames + 1);
    frames->desc.name       = kith_name_copy(frames->slots + frames->desc.capacity + 1, desc->name);
    kith_object_link(world, &frames->object, &frames_ops);
    return frames;
}

bool kith_frames_destroy(kith_frames *frames)
{
    if (frames == NULL || !kith_require_unlocked(frames->object.world, __func__) ||
        ((frames->kept != 0 || frames->checking) &&
         !kith_world_refuse_because(frames->object.world, KITH_ERROR_BUSY, __func__, 0,
                                    "a frame is being restored", frames->desc.name))) {
        return frames == NULL;
    }
    kith_object_unlink(&frames->object);
    destroy_frames(&frames->object);
    return true;
}

// --- save ------------------------------------------------------------------------------------

// Whether the world can be saved or restored now; reports an error when not.
static bool require_idle(const kith_frames *frames, const char *call)
{
    kith_world *world = frames->object.world;
    const char *reason =
        frames->checking ? "kith_frames_check is running" : kith_world_busy_reason(world);
    return (reason == NULL ||
            kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, reason, NULL)) &&
           kith_require_no_turn(world, call);
}

bool kith_frames_refuse_halfway(kith_frames *frames, const char *call)
{
    kith_error_code code = frames->hook_failed ? KITH_ERROR_HOOK : KITH_ERROR_MEMORY;
    frames->hook_failed  = false;
    return kith_world_refuse_because(frames->object.world, code, call, 0,
                                     code == KITH_ERROR_HOOK ? "copy" : NULL, frames->desc.name);
}

// The frame whose copies a save may share: the world stands on it, and was neither loaded nor
// restored through another ring since.
static const kith_past *shared_base(const kith_frames *frames)
{
    const kith_world *world = frames->object.world;
    const kith_past  *base  = frames->base;
    return base != NULL && base->history == world->history &&
                   base->registrations == world->registrations &&
                   base->pool_count == world->storage_count + world->groups.count
               ? base
               : NULL;
}

uint64_t kith_frames_save(kith_frames *frames)
{
    kith_world *world = frames->object.world;
    kith_error  error;
    if (!require_idle(frames, __func__)) {
        return 0;
    }
    if (!kith_world_copyable(world, true, __func__, &error)) {
        return kith_world_fail(world, &error);
    }
    uint64_t    number    = frames->base == NULL ? frames->newest + 1 : frames->base->number + 1;
    kith_past   past      = frames->spare;
    kith_saving s         = { frames, &past, shared_base(frames) };
    frames->report.copied = frames->report.shared = 0;
    if (frames->desc.hashes && !kith_world_hash(world, KITH_ALL, &past.hash)) {
        return 0;
    }
    frames->kept = s.base == NULL ? UINT64_MAX : s.base->number;
    kith_frames_notice(world);
    bool done    = kith_past_save_entities(&s) && kith_past_save_state(&s);
    frames->kept = 0;
    if (!done) {
        empty_past(frames, &past);
        frames->spare = past;
        kith_frames_refuse_halfway(frames, __func__);
        return 0;
    }
    while (frames->newest >= number) {
        drop(frames, frames->newest);
    }
    if (frames->report.frames == frames->desc.capacity) {
        drop(frames, frames->oldest);
    }
    kith_past *slot    = &frames->slots[number % (frames->desc.capacity + 1)];
    frames->spare      = *slot;
    past.number        = number;
    past.serial        = ++frames->serial;
    past.tick          = world->tick;
    past.history       = world->history;
    past.registrations = world->registrations;
    past.merged        = world->merged;
    *slot              = past;
    frames->base       = slot;
    frames->newest     = number;
    frames->oldest     = frames->oldest == 0 ? number : frames->oldest;
    frames->report.frames++;
    kith_world_set_tick(world, world->tick + 1);
    return number;
}

// --- restore ---------------------------------------------------------------------------------

bool kith_restore_run(kith_restoring *r)
{
    kith_world *world = r->world;
    bool        done  = kith_restore_prepare_entities(r) && kith_restore_prepare_state(r);
    if (done) {
        kith_restore_entities(r);
        kith_restore_state(r);
        kith_entity_table_update_room(&world->entities);
        kith_world_set_tick(world, r->to->tick + 1);
        kith_restore_regroup(world);
    } else {
        r->frames->report.back = 0;
    }
    kith_restore_end_state(r);
    return done;
}

bool kith_frames_refuse_number(const kith_frames *frames, uint64_t frame, const char *call)
{
    return kith_world_refuse_numbers(frames->object.world, KITH_ERROR_ARGUMENT, call, 0,
                                     "the ring does not have this frame; the newest is",
                                     frames->newest, frame);
}

// Restores the frame, without a look at what the world is doing.
static bool go_back(kith_frames *frames, uint64_t frame, const char *call)
{
    kith_world      *world = frames->object.world;
    kith_past       *to    = kith_frames_find(frames, frame);
    const kith_past *base  = shared_base(frames);
    if (to == NULL) {
        return kith_frames_refuse_number(frames, frame, call);
    }
    kith_restoring r    = { frames, world, to, base, .relinks = false };
    frames->kept        = base != NULL && base->number < frame ? base->number : frame;
    frames->report.back = 0;
    kith_frames_notice(world);
    bool done = kith_restore_check_setup(frames, to, call) &&
                (kith_restore_run(&r) || kith_frames_refuse_halfway(frames, call));
    if (done) {
        to->history   = ++world->history;
        world->merged = to->merged;
        frames->base  = to;
        kith_world_announce_replaced(world, to->tick); // the ring stays meanwhile
    }
    frames->kept = 0;
    return done;
}

bool kith_frames_restore(kith_frames *frames, uint64_t frame)
{
    return require_idle(frames, __func__) && go_back(frames, frame, __func__);
}

// --- questions -------------------------------------------------------------------------------

bool kith_frames_range(const kith_frames *frames, uint64_t *oldest, uint64_t *newest)
{
    *oldest = frames->oldest;
    *newest = frames->newest;
    return frames->newest != 0;
}

bool kith_frames_hash(const kith_frames *frames, uint64_t frame, uint64_t *hash)
{
    const kith_past *past  = kith_frames_find(frames, frame);
    bool             known = past != NULL && frames->desc.hashes;
    if (known) {
        *hash = past->hash;
    }
    return known;
}

const void *kith_frames_get(const kith_frames *frames, uint64_t frame, kith_entity entity,
                            kith_component component)
{
    kith_past          *past    = kith_frames_find(frames, frame);
    const kith_storage *storage = kith_world_storage(frames->object.world, component);
    uint32_t            index   = kith_entity_index(entity);
    uint32_t            page    = index >> KITH_PAGE_SHIFT_;
    if (past == NULL || storage == NULL || storage->order >= past->storage_count) {
        return NULL;
    }
    kith_saved_pool *then = &past->pools[storage->order];
    if (storage->desc.kind == KITH_KIND_SINGLETON) {
        return then->single == NULL ? NULL : then->single->data;
    }
    if (page >= past->slot_count ||
        ((const uint64_t *)(const void *)past->refs[page].copy->data)[index & KITH_PAGE_MASK_] !=
            entity) {
        return NULL;
    }
    if (storage->pool.rowless) {
        return kith_past_has_flag(past, index, storage->bit) ? kith_empty_value() : NULL;
    }
    kith_frames           *ring = (kith_frames *)(uintptr_t)frames;
    const kith_sparse_set *set  = &storage->pool.set;
    uint64_t               was  = ring->kept;
    ring->kept                  = 1; // the lookup may need memory, but not that of a frame
    uint32_t row                = kith_past_row(ring, past, then, set, index);
    ring->kept                  = was;
    if (row == KITH_NO_ROW) {
        return NULL;
    }
    const kith_copy *copy = past->refs[then->first + (row >> set->head.shift_)].copy;
    return copy->data + (size_t)(row & (kith_sparse_set_page_rows(set) - 1)) * storage->pool.size;
}

kith_frames_report kith_frames_report_of(const kith_frames *frames)
{
    kith_frames_report report = frames->report;
    report.bytes              = bytes_of_frames(&frames->object);
    report.current            = frames->base == NULL ? 0 : frames->base->number;
    return report;
}
