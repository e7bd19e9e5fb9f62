// SPDX-License-Identifier: MIT
// The world is saved into one of two rings of frames, and goes back. A ring is made when its first
// frame is saved.
//
// Frames copy and destruct values page by page, so the model does not know which hooks run. The
// world's side answers with `given`: whether a hook ran, whether one failed, and the oldest frame
// if memory ran out.
#include "model_internal.h"
#include "verb_pair.h"

#include <string.h>

enum { NO_RING = 1, HOOK_RAN = 2, HOOK_FAILED = 4, SETTLED = 8, OLDEST = 256 };

// Mostly the first one.
static stage_frames *ring_of(stage *s, const argument *a)
{
    return &s->frames[a->number / 32 % 4 == 3];
}

// The model is not asked about a call that got no memory.
static bool got_memory(const stage *s, uint32_t reported)
{
    return s->reported_count == reported ||
           s->reported[s->reported_count - 1].code != KITH_ERROR_MEMORY;
}

typedef struct calls_before {
    uint32_t hooks;
    uint32_t reported;
} calls_before;

static calls_before begin_call(stage *s)
{
    stage_frames_begin(s);
    return (calls_before){ s->hooks.calls, s->reported_count };
}

static void end_call(stage *s, const argument *a, calls_before before, verb_answer *answer)
{
    const hook_book *book  = &s->hooks;
    uint32_t         calls = before.hooks;
    stage_frames_end(s);
    s->memory.refuse_at = 0;
    if (!got_memory(s, before.reported)) {
        return;
    }
    kith_frames_range(ring_of(s, a)->ring, &answer->list[0], &answer->list[1]);
    answer->length = 2;
    answer->given |= book->calls > calls ? HOOK_RAN : 0;
    answer->given |= calls < book->fail_at && book->fail_at <= book->calls ? HOOK_FAILED : 0;
    answer->given |= (uint32_t)answer->list[0] * OLDEST;
}

// The hash of everything; 0: there is none.
static uint64_t exact_hash(const kith_world *world)
{
    const kith_save_desc desc  = { .exact = true };
    kith_bytes           bytes = { .data = NULL };
    uint64_t             hash  = 0;
    if (kith_world_save_memory(world, &desc, &bytes).code == KITH_OK) {
        kith_world_hash_exact(world, &hash);
    }
    kith_bytes_free(&bytes);
    return hash;
}

static bool has_effect(const model *m, uint32_t query)
{
    bool has = model_query_asks_for_changes(&m->stored[query].query);
    for (uint32_t i = 0; i < m->system_count; i++) {
        has = has || m->systems[i].query == query + 1;
    }
    return has;
}

// What exact hashes cover and frames do not have: paths, and `since` of queries for which it has no
// effect. A hash covers a query without `since` if another one with the same terms has it.
static uint64_t sum_of_others(const model *m)
{
    uint64_t sum    = 0;
    uint64_t all    = 0;
    bool     listed = false;
    for (uint32_t i = 0; i < m->path_count; i++) {
        sum = verb_mix(sum, m->paths[i].number);
    }
    for (uint32_t i = 0; i < MODEL_QUERIES; i++) {
        const model_stored *stored = &m->stored[i];
        if (stored->in_use) {
            listed = listed || stored->query.since != 0;
            all    = verb_mix(all, stored->made);
            sum    = verb_mix(sum, has_effect(m, i) ? 0 : stored->query.since);
        }
    }
    return listed ? verb_mix(sum, all) : sum;
}

// Whether groups get other members by a restore, because transient components are gone.
static bool regroups(const model *m)
{
    bool found = false;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        found = found || (component->desc.traits.saved.form == KITH_FORM_TRANSIENT &&
                          model_is_grouped(m, component->desc.id) && model_members(component) != 0);
    }
    return found;
}

static void keep_hash(const stage *s, stage_frames *frames, uint64_t frame)
{
    frames->hashes[frame % MODEL_FRAMES] = regroups(&s->model) ? 0 : exact_hash(s->world);
    frames->others[frame % MODEL_FRAMES] = sum_of_others(&s->model);
}

// Others do not go back.
static bool has_hash_of(const stage *s, const stage_frames *frames, uint64_t frame)
{
    uint64_t exact = frames->hashes[frame % MODEL_FRAMES];
    uint64_t then  = 0;
    uint64_t now   = 0;
    if (exact == 0 || sum_of_others(&s->model) != frames->others[frame % MODEL_FRAMES]) {
        return true;
    }
    bool same = !kith_frames_hash(frames->ring, frame, &then) ||
                (kith_world_hash_full(s->world, KITH_ALL, &now) && then == now);
    return same && exact == exact_hash(s->world);
}

// Whether there is the ring; notes which frames it has before the call.
static bool has_ring(stage_frames *frames, verb_answer *answer)
{
    bool there     = frames->ring != NULL;
    frames->oldest = frames->newest = 0;
    answer->given |= there ? 0 : NO_RING;
    if (there) {
        kith_frames_range(frames->ring, &frames->oldest, &frames->newest);
    }
    return there;
}

// Mostly the world settles first: a loop is open more often than not. When memory runs out, the
// model is not asked, so nothing else may change.
static void settle_first(stage *s, const argument *a, verb_answer *answer)
{
    if (a->number / 8 % 4 != 0 && s->memory.refuse_at == 0) {
        answer->given = SETTLED;
        kith_world_settle(s->world);
    }
}

static kith_frames *create_ring(stage *s, const stage_frames *frames)
{
    bool                   first = frames == s->frames;
    const kith_frames_desc desc  = { .name = "ring", .capacity = MODEL_FRAMES, .hashes = !first };
    return kith_frames_create(s->world, &desc);
}

static void real_frames_save(stage *s, const argument *a, verb_answer *answer)
{
    stage_frames *frames = ring_of(s, a);
    settle_first(s, a, answer);
    if (!has_ring(frames, answer)) {
        frames->ring = create_ring(s, frames);
    }
    if (frames->ring != NULL) {
        calls_before before = begin_call(s);
        answer->result      = kith_frames_save(frames->ring);
        end_call(s, a, before, answer);
    }
    if (answer->result != 0) {
        keep_hash(s, frames, answer->result);
    }
}

// What the model cannot know: a hook that meddles or fails.
static bool hook_failed(stage *s, const verb_answer *answer)
{
    if ((answer->given & HOOK_RAN) != 0) {
        model_run_hook(&s->model);
    }
    return (answer->given & HOOK_FAILED) != 0 &&
           !model_fail(&s->model, KITH_ERROR_HOOK, 0, KITH_NULL);
}

// Frames may be gone because of a call that got no memory.
static model_frames *frames_before(stage *s, const argument *a, const verb_answer *answer)
{
    stage_frames *frames = ring_of(s, a);
    frames->naive.ring   = (uint32_t)(frames - s->frames);
    model_frames_forget(&frames->naive, frames->oldest);
    if ((answer->given & SETTLED) != 0) {
        model_world_settle(&s->model);
    }
    return &frames->naive;
}

static void end_naively(const stage *s, model_frames *frames, verb_answer *answer)
{
    if (s->memory.refused != 0) {
        model_frames_forget(frames, answer->given / OLDEST);
    }
    answer->list[0] = frames->oldest;
    answer->list[1] = frames->newest;
    answer->length  = 2;
}

static void naive_frames_save(stage *s, const argument *a, verb_answer *answer)
{
    model_frames *frames = frames_before(s, a, answer);
    if ((answer->given & NO_RING) != 0 && model_busy(&s->model, 0, KITH_NULL)) {
        return;
    }
    if (!hook_failed(s, answer)) {
        answer->result = model_frames_save(&s->model, frames);
    }
    end_naively(s, frames, answer);
}

// One of the frames, mostly.
static uint64_t frame_of(const argument *a, uint64_t newest)
{
    static const uint64_t back[] = { 0, 0, 1, 0, 1, 2, 3, UINT64_MAX };
    return newest - back[a->number % 8];
}

static void real_frames_restore(stage *s, const argument *a, verb_answer *answer)
{
    stage_frames *frames = ring_of(s, a);
    settle_first(s, a, answer);
    if (!has_ring(frames, answer)) {
        return;
    }
    uint64_t     frame  = frame_of(a, frames->newest);
    calls_before before = begin_call(s);
    answer->result      = kith_frames_restore(frames->ring, frame);
    end_call(s, a, before, answer);
    if (answer->result != 0) {
        answer->list[2] = has_hash_of(s, frames, frame);
        answer->length  = 3;
        memset(s->singletons, 0, sizeof s->singletons);
    }
}

static void naive_frames_restore(stage *s, const argument *a, verb_answer *answer)
{
    model_frames *frames = frames_before(s, a, answer);
    if ((answer->given & NO_RING) != 0) {
        return;
    }
    if (!hook_failed(s, answer)) {
        answer->result = model_frames_restore(&s->model, frames, frame_of(a, frames->newest));
    }
    end_naively(s, frames, answer);
    if (answer->result != 0) {
        answer->list[2] = 1;
        answer->length  = 3;
    }
}

static void real_frames_destroy(stage *s, const argument *a, verb_answer *answer)
{
    stage_frames *frames = ring_of(s, a);
    has_ring(frames, answer);
    answer->result = stage_drop_ring(s, (uint32_t)(frames - s->frames));
}

static void naive_frames_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = (answer->given & NO_RING) != 0 || !model_busy(&s->model, 0, KITH_NULL);
    if (answer->result != 0) {
        model_frames_forget(&ring_of(s, a)->naive, 0);
    }
}

const verb verb_frames[] = {
    OTHER_ROW(frames_save, "save_frame(%b)", 80, CHANGES),
    OTHER_ROW(frames_restore, "restore_frame(%b)", 80, CHANGES | VERB_FORGETS),
    OTHER_ROW(frames_destroy, "drop_frames(%b)", 1, TAKES),
};

const uint32_t verb_frame_count = sizeof verb_frames / sizeof *verb_frames;
