// SPDX-License-Identifier: MIT
// The world is saved into one of two rings of frames, and goes back. A ring is made when its first
// frame is saved. Frames are read as worlds, and deltas between them applied.
//
// Frames copy and destruct values page by page, so the model does not know which hooks run. The
// world's side answers with `given`: whether a hook ran, whether one failed, and the oldest frame
// if memory ran out.
#include "model_internal.h"
#include "verb_pair.h"

#include <string.h>

enum {
    NO_RING     = 1,
    HOOK_RAN    = 2,
    HOOK_FAILED = 4,
    SETTLED     = 8,
    CHECKED     = 16,
    APPLIED     = 32,
    OLDEST      = 256
};

// Mostly the first one.
static stage_frames *ring_of(stage *s, const argument *a)
{
    return &s->frames[a->number / 32 % 4 == 3];
}

// The model is not asked about a call that got no memory.
static bool got_memory(const stage *s, uint32_t reported)
{
    return s->reported_count == reported ||
           !stage_lacked_memory(s, &s->reported[s->reported_count - 1]);
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

// ---------------------------------------------------------------------------------------------
// Frames as worlds
// ---------------------------------------------------------------------------------------------

static uint8_t number_in(kith_component component, const void *value)
{
    return catalog_is_name(component) ? name_number(value) : *(const uint8_t *)value;
}

static uint64_t sum_of_rows(const kith_world *world, const model_component *like)
{
    kith_component id    = like->desc.id;
    uint32_t       count = kith_component_stats(world, id).rows;
    uint64_t       sum   = count;
    for (uint32_t row = 0; row < count; row++) {
        kith_entity entity = kith_component_entity(world, id, row);
        const void *value  = kith_component_value(world, id, row);
        bool        shown =
            entity != KITH_NULL && like->desc.size != 0 && !like->is_tree && !like->is_list;
        sum = verb_mix(sum, entity);
        sum = verb_mix(sum, shown ? number_in(id, value) : 0);
        sum = verb_mix(sum, entity != KITH_NULL && !kith_component_enabled(world, entity, id));
    }
    return sum;
}

static uint64_t sum_of_holders(const kith_world *world, kith_component id)
{
    uint64_t sum = 0;
    for (kith_entity e = KITH_NULL; (e = kith_entity_next(world, e)) != KITH_NULL;) {
        sum += kith_component_has(world, e, id) ? verb_mix(1, e) : 0;
    }
    return sum;
}

// A sum of entities, rows and the numbers of values. `like` has the components of the world.
static uint64_t sum_of_world(const kith_world *world, const model *like)
{
    uint64_t sum = kith_world_now(world);
    for (kith_entity e = KITH_NULL; (e = kith_entity_next(world, e)) != KITH_NULL;) {
        sum = verb_mix(sum, e);
    }
    for (uint32_t i = 0; i < like->component_count; i++) {
        const model_component *component = &like->components[i];
        kith_component         id        = component->desc.id;
        if (component->desc.kind == KITH_KIND_SINGLETON) {
            const uint8_t *value = kith_singleton_get(world, id);
            sum                  = verb_mix(sum, value == NULL ? 0 : 1u + *value);
        } else {
            sum = verb_mix(sum, component->desc.kind == KITH_KIND_FLAG
                                    ? sum_of_holders(world, id)
                                    : sum_of_rows(world, component));
        }
    }
    return sum;
}

static uint64_t sum_of_rows_naively(const model_component *component)
{
    uint32_t count = component->row_count;
    uint64_t sum   = component->desc.kind == KITH_KIND_FLAG ? 0 : count;
    for (uint32_t row = 0; row < count; row++) {
        const model_row *one   = &component->rows[row];
        bool             there = one->entity != KITH_NULL;
        if (component->desc.kind == KITH_KIND_FLAG) {
            sum += there ? verb_mix(1, one->entity) : 0;
        } else {
            bool shown =
                there && component->desc.size != 0 && !component->is_tree && !component->is_list;
            sum = verb_mix(sum, one->entity);
            sum = verb_mix(sum, shown ? one->number : 0);
            sum = verb_mix(sum, there && one->disabled);
        }
    }
    return sum;
}

static uint64_t sum_of_model(const model *m)
{
    uint64_t sum = model_world_now(m);
    for (kith_entity e = KITH_NULL; (e = model_entity_next(m, e)) != KITH_NULL;) {
        sum = verb_mix(sum, e);
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        uint64_t               single    = component->present ? 1u + component->number : 0;
        bool                   has_rows  = component->desc.kind != KITH_KIND_SINGLETON;
        sum = verb_mix(sum, has_rows ? sum_of_rows_naively(component) : single);
    }
    return sum;
}

// Whether the world of a frame has the hash that the frame was saved with.
static bool has_saved_hash(const stage *s, const stage_frames *frames, uint64_t frame,
                           const kith_world *world)
{
    uint64_t exact = frames->hashes[frame % MODEL_FRAMES];
    bool     known = exact != 0 && sum_of_others(&s->model) == frames->others[frame % MODEL_FRAMES];
    return !known || exact == exact_hash(world);
}

// Whether the two frames have no differences exactly if their hashes are equal.
static bool differ_as_hashes(kith_frames *ring, uint64_t frame, uint64_t other)
{
    uint64_t          hashes[2] = { 0, 0 };
    kith_diff         diff      = { 0 };
    const kith_world *first     = kith_frames_world(ring, frame);
    const kith_world *second    = kith_frames_world(ring, other);
    if (exact_hash(first) == 0 || exact_hash(second) == 0) {
        return true; // values without a form
    }
    return kith_world_hash_full(first, KITH_ALL, &hashes[0]) &&
           kith_world_hash_full(second, KITH_ALL, &hashes[1]) &&
           kith_frames_diff(ring, frame, other, &diff) &&
           (diff.count == 0) == (hashes[0] == hashes[1]);
}

static bool is_usable(const stage *s, const stage_frames *frames, uint64_t frame)
{
    return model_frames_usable(&s->model, &frames->naive, frame);
}

// Reads a frame, and compares it with the newest one.
static void real_frames_world(stage *s, const argument *a, verb_answer *answer)
{
    stage_frames *frames = ring_of(s, a);
    if (!has_ring(frames, answer)) {
        return;
    }
    kith_world_settle(s->world);
    uint64_t          frame  = frame_of(a, frames->newest);
    calls_before      before = begin_call(s);
    const kith_world *world  = kith_frames_world(frames->ring, frame);
    bool              good   = world == NULL || kith_world_validate(world, NULL);
    frames->viewed           = true;
    answer->result           = 0;
    if (world != NULL) {
        answer->result = sum_of_world(world, &s->model);
        good           = good && has_saved_hash(s, frames, frame, world) &&
               (!is_usable(s, frames, frames->newest) ||
                differ_as_hashes(frames->ring, frames->newest, frame));
    }
    end_call(s, a, before, answer);
    answer->list[2] = good;
    answer->length  = 3;
}

static void naive_frames_world(stage *s, const argument *a, verb_answer *answer)
{
    model_frames *frames = frames_before(s, a, answer);
    if ((answer->given & NO_RING) != 0) {
        return;
    }
    model_world_settle(&s->model);
    hook_failed(s, answer);
    const model *then = model_frames_look(&s->model, frames, frame_of(a, frames->newest));
    answer->result    = then == NULL ? 0 : sum_of_model(then);
    end_naively(s, frames, answer);
    answer->list[2] = 1;
    answer->length  = 3;
}

// ---------------------------------------------------------------------------------------------
// Deltas
// ---------------------------------------------------------------------------------------------

// Goes from one frame to the other and back; the world is in the state of the first one.
static bool apply_there_and_back(stage *s, kith_frames *ring, uint64_t from, uint64_t to,
                                 verb_answer *answer)
{
    kith_bytes bytes = { .data = NULL };
    uint64_t   then  = exact_hash(kith_frames_world(ring, from));
    uint64_t   later = exact_hash(kith_frames_world(ring, to));
    bool       good  = true;
    if (then != 0 && later != 0) {
        answer->given |= APPLIED;
        good = kith_frames_delta(ring, from, to, NULL, kith_bytes_write, &bytes).code == KITH_OK &&
               exact_hash(s->world) == then &&
               kith_delta_apply(s->world, bytes.data, bytes.size).code == KITH_OK &&
               exact_hash(s->world) == later && kith_world_validate(s->world, NULL) &&
               kith_delta_apply(s->world, bytes.data, bytes.size).code == KITH_OK &&
               exact_hash(s->world) == then;
    }
    kith_bytes_free(&bytes);
    return good;
}

// Restores a frame, applies the delta to the newest one, and goes back by it and by a restore.
static void real_delta_apply(stage *s, const argument *a, verb_answer *answer)
{
    stage_frames *frames = ring_of(s, a);
    settle_first(s, a, answer);
    if (!has_ring(frames, answer)) {
        return;
    }
    uint64_t     frame  = frame_of(a, frames->newest);
    calls_before before = begin_call(s);
    bool         good   = true;
    answer->result      = kith_frames_restore(frames->ring, frame);
    if (answer->result != 0 && frames->newest != 0) {
        frames->viewed = true;
        good           = !is_usable(s, frames, frames->newest) ||
               apply_there_and_back(s, frames->ring, frame, frames->newest, answer);
        good = kith_frames_restore(frames->ring, frame) && good;
        memset(s->singletons, 0, sizeof s->singletons);
    }
    end_call(s, a, before, answer);
    answer->list[2] = good;
    answer->length  = 3;
}

static void naive_delta_apply(stage *s, const argument *a, verb_answer *answer)
{
    model_frames *frames = frames_before(s, a, answer);
    if ((answer->given & NO_RING) != 0) {
        return;
    }
    hook_failed(s, answer);
    uint64_t frame = frame_of(a, frames->newest);
    answer->result = model_frames_restore(&s->model, frames, frame);
    if (answer->result != 0) {
        if ((answer->given & APPLIED) != 0) {
            model_frames_announce(&s->model, frames, frames->newest);
            model_frames_announce(&s->model, frames, frame);
        }
        model_frames_restore(&s->model, frames, frame);
    }
    for (uint32_t i = 0; i < s->model.component_count && (answer->given & APPLIED) != 0; i++) {
        model_forget_room(&s->model.components[i]);
    }
    end_naively(s, frames, answer);
    answer->list[2] = 1;
    answer->length  = 3;
}

// ---------------------------------------------------------------------------------------------
// Checks
// ---------------------------------------------------------------------------------------------

static void step_nothing(kith_world *world, uint64_t frame, void *context)
{
    (void)world, (void)frame, (void)context;
}

// Saves a frame, and the same once more: a step that does nothing leads from one to the other.
static void real_frames_check(stage *s, const argument *a, verb_answer *answer)
{
    stage_frames *frames = ring_of(s, a);
    if (!has_ring(frames, answer)) {
        return;
    }
    kith_world_settle(s->world);
    calls_before before = begin_call(s);
    bool         good   = true;
    answer->result      = kith_frames_save(frames->ring);
    if (answer->result != 0) {
        keep_hash(s, frames, answer->result);
        uint64_t newest = kith_frames_save(frames->ring);
        keep_hash(s, frames, newest);
        bool known     = exact_hash(s->world) != 0;
        frames->viewed = true;
        if (known && !model_groups_name_transient(&s->model)) {
            answer->given |= CHECKED;
            kith_frames_finding found = kith_frames_check(frames->ring, 1, step_nothing, NULL);
            good                      = found.checked && found.frame == 0;
        } else {
            good = kith_frames_restore(frames->ring, newest);
        }
        memset(s->singletons, 0, sizeof s->singletons);
    }
    end_call(s, a, before, answer);
    answer->list[2] = good;
    answer->length  = 3;
}

static void naive_frames_check(stage *s, const argument *a, verb_answer *answer)
{
    model_frames *frames = frames_before(s, a, answer);
    if ((answer->given & NO_RING) != 0) {
        return;
    }
    model_world_settle(&s->model);
    hook_failed(s, answer);
    answer->result = model_frames_save(&s->model, frames);
    if (answer->result != 0) {
        uint64_t newest = model_frames_save(&s->model, frames);
        if ((answer->given & CHECKED) != 0) {
            model_frames_restore(&s->model, frames, newest - 1);
        }
        model_frames_restore(&s->model, frames, newest);
    }
    end_naively(s, frames, answer);
    answer->list[2] = 1;
    answer->length  = 3;
}

const verb verb_frames[] = {
    OTHER_ROW(frames_save, "save_frame(%b)", 80, CHANGES),
    OTHER_ROW(frames_restore, "restore_frame(%b)", 80, CHANGES | VERB_FORGETS),
    OTHER_ROW(frames_destroy, "drop_frames(%b)", 1, TAKES),
    OTHER_ROW(frames_world, "read_frame(%b)", 40, VERB_SMOOTH),
    OTHER_ROW(delta_apply, "apply_delta(%b)", 30, VERB_SMOOTH | VERB_FORGETS),
    OTHER_ROW(frames_check, "check_frames(%b)", 10, VERB_SMOOTH | VERB_FORGETS),
};

const uint32_t verb_frame_count = sizeof verb_frames / sizeof *verb_frames;
