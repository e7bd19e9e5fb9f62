// SPDX-License-Identifier: MIT
// Views: frames as worlds that can be read, and what reads them: kith_frames_diff, _check, _delta.
//
//     ring's world --setup--> view's world <--restore-- frame
//
// A view is a world of its own, which restores one frame after the other; nothing else changes it.
// It stands on the frame that it has, so the next frame costs the pages that differ. A ring has two
// views: what compares two frames needs both.
#include "frames/frames.h"
#include "snapshot/load.h"

#include "kith/diff.h"

#include <inttypes.h>
#include <stdio.h>

// --- making a view ---------------------------------------------------------------------------

void kith_view_end(kith_view *view)
{
    kith_world_destroy(view->world);
    kith_bytes_free(&view->bytes);
    *view = (kith_view){ .world = NULL };
}

// A view never runs a system.
static void run_nothing(const kith_turn *turn)
{
    (void)turn;
}

// Creates systems with the names of those of `from`: a view keeps only their turns.
static bool copy_systems(kith_world *to, const kith_world *from)
{
    bool enough = true;
    for (uint32_t i = 0; from->schedule != NULL && i < from->schedule->graph.count && enough; i++) {
        const char *name = from->schedule->graph.systems[i]->desc.name;
        enough = kith_system_create(to, &(kith_system_desc){ .name = name, .run = run_nothing });
    }
    return enough;
}

// Creates the stored queries of the list, the oldest first, and gives systems theirs.
static bool copy_queries(kith_world *to, const kith_world *from, const kith_query *newest)
{
    if (newest == NULL) {
        return true;
    }
    bool        enough = copy_queries(to, from, newest->next);
    kith_query *copy   = newest->destroyed || !enough ? NULL : kith_query_create(to, &newest->desc);
    for (uint32_t i = 0; from->schedule != NULL && i < from->schedule->graph.count; i++) {
        if (copy != NULL && from->schedule->graph.systems[i]->query == newest) {
            to->schedule->graph.systems[i]->query = copy;
            copy->owner                           = to->schedule->graph.systems[i]->desc.name;
        }
    }
    return enough && (newest->destroyed || copy != NULL);
}

static bool make_view(kith_frames *frames, kith_view *view)
{
    const kith_world *world = frames->object.world;
    kith_error        error = { .code = KITH_ERROR_MEMORY };
    kith_view_end(view);
    view->world = kith_world_empty_copy(world);
    if (view->world == NULL || !copy_systems(view->world, world) ||
        !copy_queries(view->world, world, world->queries) ||
        !kith_world_copy_objects(view->world, world, &error)) {
        frames->hook_failed = frames->hook_failed || error.code == KITH_ERROR_HOOK;
        kith_view_end(view);
        return false;
    }
    view->world->errors_muted = false;
    return true;
}

// A sum of the setup of the ring's world, which kith_restore_check_setup has listed.
static uint64_t setup_sum(const kith_frames *frames)
{
    const kith_world *world = frames->object.world;
    uint64_t          sum   = world->registrations;
    for (const kith_query *q = world->queries; q != NULL; q = q->next) {
        sum = kith_sum_numbers((uint64_t[]){ sum, q->object.made_ * 2 + q->destroyed }, 2) +
              (q->plan.wants_changes ? 0 : q->desc.since); // which frames do not have
    }
    for (uint32_t i = 0, count = kith_frames_list_others(world, NULL); i < count; i++) {
        sum = kith_sum_numbers((uint64_t[]){ sum, frames->listed[i].made }, 2);
    }
    return sum;
}

// --- going to a frame ------------------------------------------------------------------------

static bool show(kith_frames *frames, kith_view *view, const kith_past *to, uint64_t setup)
{
    const kith_past *base = kith_frames_find(frames, view->frame);
    uint32_t         back = frames->report.back;
    bool             same = view->world != NULL && view->setup == setup;
    kith_restoring   r    = { .frames = frames, .to = to };
    bool             done = same || make_view(frames, view);
    if (done) {
        r.world      = view->world;
        r.base       = same && base != NULL && base->serial == view->serial ? base : NULL;
        frames->kept = r.base != NULL && base->number < frames->kept ? base->number : frames->kept;
        for (uint32_t i = 0; i < to->storage_count; i++) {
            kith_sparse_set_set_limit(&r.world->storages[i]->pool.set, to->pools[i].limit);
        }
        r.world->entities.index_end = to->entities.index_end;
        done                        = kith_restore_run(&r);
    }
    view->setup         = setup;
    view->frame         = done ? to->number : 0;
    view->serial        = done ? to->serial : 0;
    view->saved         = false;
    frames->report.back = back;
    return done;
}

kith_view *kith_frames_view(kith_frames *frames, uint64_t frame, uint64_t other,
                            const kith_view *keep, const char *call)
{
    kith_past *to  = kith_frames_find(frames, frame);
    uint64_t   was = frames->kept;
    if ((to == NULL && !kith_frames_refuse_number(frames, frame, call)) || to == NULL ||
        !kith_require_unlocked(frames->object.world, call)) {
        return NULL;
    }
    frames->kept    = other < frame ? other : frame;
    kith_view *view = &frames->views[keep == frames->views];
    bool       done = kith_restore_check_setup(frames, to, call);
    uint64_t   sum  = done ? setup_sum(frames) : 0;
    view            = frames->views[0].serial == to->serial   ? &frames->views[0]
                      : frames->views[1].serial == to->serial ? &frames->views[1]
                                                              : view;
    if (done && (view->serial != to->serial || view->setup != sum)) {
        done = show(frames, view, to, sum) || kith_frames_refuse_halfway(frames, call);
    }
    frames->kept = was;
    return done ? view : NULL;
}

// --- calls -----------------------------------------------------------------------------------

const kith_world *kith_frames_world(kith_frames *frames, uint64_t frame)
{
    // the view that is asked for less recently is replaced
    const kith_view *view = kith_frames_view(frames, frame, frame, frames->shown, __func__);
    if (view == NULL) {
        return NULL;
    }
    frames->shown = view;
    return view->world;
}

bool kith_frames_diff(const kith_frames *frames, uint64_t a, uint64_t b, kith_diff *diff)
{
    kith_frames     *ring   = (kith_frames *)(uintptr_t)frames; // its views are no state
    const kith_view *first  = kith_frames_view(ring, a, b, NULL, __func__);
    const kith_view *second = first == NULL ? NULL : kith_frames_view(ring, b, a, first, __func__);
    return second != NULL && kith_world_diff(first->world, second->world, diff);
}

// Compares the world, simulated again up to the end of a frame, with the frame. Returns false and
// reports an error when that is not possible.
static bool compare_again(kith_frames *frames, uint64_t frame, kith_frames_finding *found)
{
    static const char call[] = "kith_frames_check";
    kith_world       *world  = frames->object.world;
    kith_diff         diff   = { .each = NULL };
    uint64_t          saved  = 0;
    uint64_t          again  = 0;
    const kith_view  *view   = kith_frames_view(frames, frame, frame, NULL, call);
    if (view == NULL || !kith_world_diff(view->world, world, &diff)) {
        return false;
    }
    kith_world_set_tick(world, world->tick + 1); // as the save did
    if (diff.count == 0 &&
        (!kith_world_hash_exact(view->world, &saved) || !kith_world_hash_exact(world, &again))) {
        return false;
    }
    if (diff.count != 0 || saved != again) {
        found->frame       = frame;
        found->differences = diff.count;
        snprintf(found->text, sizeof found->text, "frame %" PRIu64 ", saved and again: %s", frame,
                 diff.count != 0
                     ? diff.text
                     : "only ticks, journals, sets, queued events or turns of systems differ");
    }
    return true;
}

kith_frames_finding kith_frames_check(kith_frames *frames, uint64_t back, kith_step_fn step,
                                      void *context)
{
    kith_frames_finding found = { .checked = false };
    uint64_t            last  = frames->newest;
    uint64_t frame = back < last && last - back > frames->oldest ? last - back : frames->oldest;
    if (!kith_frames_restore(frames, frame)) {
        return found;
    }
    found.checked    = true;
    frames->checking = true;
    for (frame++; frame <= last && found.checked && found.frame == 0; frame++) {
        step(frames->object.world, frame, context);
        found.checked = compare_again(frames, frame, &found);
    }
    frames->checking = false;
    found.checked    = kith_frames_restore(frames, last) && found.checked;
    return found;
}

// --- deltas -----------------------------------------------------------------------------------

// Saves the world exactly and without runs. Returns false, with the fault in `result`.
static bool save_flat(const kith_world *world, kith_bytes *bytes, kith_result *result)
{
    const kith_save_desc exact  = { .exact = true };
    kith_writer          writer = { .out = bytes, .flat = true };
    bytes->size                 = 0;
    return kith_save(world, world, &exact, &writer, result);
}

const kith_bytes *kith_view_bytes(kith_view *view, kith_result *result)
{
    view->saved = view->saved || save_flat(view->world, &view->bytes, result);
    return view->saved ? &view->bytes : NULL;
}

KITH_COLD kith_result kith_frames_latest_error(const kith_frames *frames)
{
    static const kith_error busy  = { .code = KITH_ERROR_BUSY, .call = "kith_frames_delta" };
    const kith_world       *world = frames->object.world;
    const kith_error       *error = world->in_stage ? &busy : &world->latest.error;
    char                    text[160];
    kith_error_text(world, error, text, sizeof text);
    return kith_result_of(error->code, 0, "%s", text); // a stage records no error
}

// Saves what `desc` selects of the world. Entities that are not alive there are left out.
static bool save_content(const kith_world *world, const kith_delta_desc *desc, kith_bytes *bytes,
                         kith_result *result)
{
    const kith_allocator *memory = &world->memory;
    kith_save_desc        only   = { .components      = desc->components,
                                     .component_count = desc->component_count };
    kith_writer           writer = { .out = bytes, .flat = true };
    size_t                size   = (desc->entity_count + (size_t)1) * sizeof(kith_entity);
    kith_entity          *alive  = kith_alloc(memory, size, sizeof *alive);
    if (alive == NULL) {
        return kith_result_fail(result, KITH_ERROR_MEMORY, 0, "memory ran out");
    }
    for (uint32_t i = 0; desc->entities != NULL && i < desc->entity_count; i++) {
        alive[only.entity_count] = desc->entities[i];
        only.entity_count += kith_entity_alive(world, desc->entities[i]);
    }
    only.entities = desc->entities == NULL ? NULL : alive;
    *result       = kith_save_selected(world, &only, &writer);
    kith_free(memory, alive, size, sizeof *alive);
    return result->code == KITH_OK;
}

// Saves both frames and writes their delta. `own` has the snapshots that no view keeps.
static void write_delta(kith_frames *frames, const uint64_t frame[2], const kith_delta_desc *desc,
                        kith_bytes own[2], kith_writer *writer, kith_result *result)
{
    static const char call[]   = "kith_frames_delta";
    const kith_bytes *bytes[2] = { &own[0], &own[1] };
    kith_view        *view     = NULL;
    for (uint32_t i = desc->content && frame[0] == 0; i < 2 && result->code == KITH_OK; i++) {
        view = kith_frames_view(frames, frame[i], frame[1], view, call);
        if (view == NULL) {
            *result = kith_frames_latest_error(frames);
        } else if (desc->content) {
            save_content(view->world, desc, &own[i], result);
        } else {
            bytes[i] = kith_view_bytes(view, result);
        }
    }
    if (result->code == KITH_OK) {
        kith_delta_write(writer, bytes[0], bytes[1], frame[0], frame[1]);
        if (writer->code != KITH_OK) {
            *result = kith_result_of(writer->code, 0, "the delta cannot be written");
        }
    }
}

kith_result kith_frames_delta(kith_frames *frames, uint64_t from, uint64_t to,
                              const kith_delta_desc *desc, kith_write_fn write, void *context)
{
    static const kith_delta_desc exact;
    kith_result                  result  = { .code = KITH_OK };
    kith_bytes                   own[2]  = { { .data = NULL } };
    kith_bytes                   waiting = { .data = NULL };
    kith_writer                  writer  = { .out = &waiting, .write = write, .context = context };
    desc                                 = desc == NULL ? &exact : desc;
    writer.level                         = (int)desc->zstd_level;
    if (kith_pack_fault(desc->zstd_level) != NULL) {
        return kith_result_of(KITH_ERROR_ARGUMENT, 0, "%s", kith_pack_fault(desc->zstd_level));
    }
    write_delta(frames, (uint64_t[]){ from, to }, desc, own, &writer, &result);
    kith_bytes_free(&own[0]);
    kith_bytes_free(&own[1]);
    kith_bytes_free(&waiting);
    return result;
}

kith_result kith_delta_apply(kith_world *world, const void *bytes, size_t size)
{
    kith_result result = { .code = KITH_OK };
    kith_bytes  now    = { .allocator = world->memory };
    kith_bytes  then   = { .allocator = world->memory };
    kith_source delta  = { .bytes = bytes, .size = size };
    if (save_flat(world, &now, &result)) {
        result = kith_delta_read(delta, true, 0, &now, &then);
    }
    if (result.code == KITH_OK) {
        result = kith_world_load(world, NULL, then.data, then.size);
    }
    kith_bytes_free(&now);
    kith_bytes_free(&then);
    return result;
}
