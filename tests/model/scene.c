// SPDX-License-Identifier: MIT
// Records what listeners do in the world, and replays it in the model.
#include "scene.h"

#include <string.h>

enum { VALIDATED_CUES = 16 };

void scene_begin(scene *playing, stage *s)
{
    memset(playing, 0, sizeof *playing);
    for (uint32_t i = 0; i < SCENE_SCRIPTS; i++) {
        playing->scripts[i].stage = s;
    }
    s->scene             = playing;
    s->model.notify      = scene_notify_again;
    s->model.notified    = s;
    s->model.notify_many = scene_notify_many_again;
}

void scene_step_begin(scene *playing)
{
    playing->cue_count   = 0;
    playing->call_count  = 0;
    playing->replayed    = 0;
    playing->starved     = false;
    playing->allocations = 0;
}

const verb *scene_verb(const argument_action *action)
{
    const verb *v = verb_drawn(action->verb);
    bool        left =
        (v->traits & VERB_ALONE) != 0 || (v->traits & (VERB_SMOOTH | VERB_RENEWS)) == VERB_SMOOTH;
    return action->quota == 0 || left ? NULL : v;
}

void scene_prepare(scene *playing, uint32_t script, const argument_action *action)
{
    scene_script *prepared = &playing->scripts[script];
    prepared->left         = action->quota;
    prepared->verb         = scene_verb(action);
    if (prepared->verb != NULL) {
        argument_resolve_action(&prepared->arguments, prepared->stage, prepared->verb->call,
                                action->numbers);
    }
}

bool scene_forbids(const stage *s, const verb *v, const argument *a)
{
    uint32_t slots = kith_world_stats(s->world).slots;
    bool     full =
        kith_entity_count(s->world) >= s->entities_most || slots + MODEL_HINTS > MODEL_SLOTS;
    return ((v->traits & VERB_MAKES) != 0 && full) ||
           ((v->traits & VERB_CONNECTS) != 0 && s->connected[a->listener]) ||
           ((v->traits & VERB_STORES) != 0 && s->queries[a->stored] != NULL) ||
           ((v->traits & VERB_STORED) != 0 && s->queries[a->stored] == NULL) ||
           ((v->traits & VERB_GROUPS) != 0 && s->groups[a->group] != NULL) ||
           ((v->traits & VERB_GROUPED) != 0 && s->groups[a->group] == NULL) ||
           ((v->traits & VERB_PATHS) != 0 && s->paths[a->path] != NULL) ||
           ((v->traits & VERB_PATHED) != 0 && s->paths[a->path] == NULL) ||
           ((v->traits & VERB_COLLECTS) != 0 && s->sets[a->path] != NULL) ||
           ((v->traits & VERB_COLLECTED) != 0 && s->sets[a->path] == NULL) ||
           ((v->traits & VERB_SYSTEMS) != 0 && s->systems[a->system] != NULL) ||
           ((v->traits & VERB_SYSTEM) != 0 && s->systems[a->system] == NULL) ||
           ((v->traits & VERB_TREE) != 0 && s->tree_count == 0) ||
           ((v->traits & VERB_RENEWS) != 0 && s->memory.refuse_at != 0) ||
           ((v->traits & VERB_ENDS) != 0 && !a->acting && !model_held(&s->model));
}

// ---------------------------------------------------------------------------------------------
// In the world
// ---------------------------------------------------------------------------------------------

static scene_cue *write_cue(scene *playing, scene_script *script, const kith_notice *notice,
                            uint64_t seen)
{
    if (playing->cue_count == SCENE_CUES) {
        return NULL;
    }
    scene_cue *cue = &playing->cues[playing->cue_count++];
    *cue           = (scene_cue){ .script = script, .notice = *notice, .seen = seen };
    return cue;
}

static void note_starving(const stage *s, scene *playing, scene_call *call)
{
    if (stage_starved(s) && !playing->starved) {
        playing->starved = true;
        call->starved    = true;
        call->error      = s->reported[s->reported_count - 1];
    }
}

// Lets the call be about the entity and component of the notice.
static void make_about(argument *a, const kith_notice *notice)
{
    a->entity    = a->of_notice ? notice->entity : a->entity;
    a->component = a->notice_component && notice->component != 0 ? notice->component : a->component;
}

// Makes the script's call, if it has one left and it is possible now. It only listens while hooks
// are not counted: in a restore of a frame.
static void act(scene *playing, scene_cue *cue)
{
    scene_script *script = cue->script;
    stage        *s      = script->stage;
    if (script->verb == NULL || script->left == 0 || playing->call_count == SCENE_CALLS ||
        (cue->notice.event == KITH_EVENT_REPLACED && s->hooks.muted != 0) ||
        scene_forbids(s, script->verb, &script->arguments)) {
        return;
    }
    script->left--;
    scene_call *call = &playing->calls[playing->call_count++];
    *call            = (scene_call){ .verb = script->verb };
    cue->call        = call;
    make_about(&script->arguments, &cue->notice);
    uint32_t allocations = s->memory.allocations;
    uint32_t foreign     = playing->allocations;
    playing->allocations = 0;
    call->verb->real(s, &script->arguments, &call->real);
    allocations = s->memory.allocations - allocations;
    if ((call->verb->traits & VERB_SPARES) != 0 && allocations != playing->allocations) {
        stage_fault(s, "a call allocated");
    }
    playing->allocations = foreign + allocations;
    note_starving(s, playing, call);
}

static uint64_t see_in_world(stage *s, const kith_notice *notice)
{
    const kith_component_desc *known = kith_component_describe(s->world, notice->component);
    if (known == NULL) {
        return kith_entity_alive(s->world, notice->entity);
    }
    const void *value = known->kind == KITH_KIND_SINGLETON
                            ? kith_singleton_get(s->world, notice->component)
                            : kith_component_get(s->world, notice->entity, notice->component);
    return stage_see(s, notice->component, value);
}

static void check_world(stage *s, const kith_world *world)
{
    const char *reason = NULL;
    if (world != s->world) {
        stage_fault(s, "a listener got another world");
    } else if (s->scene->cue_count <= VALIDATED_CUES && !kith_world_validate(world, &reason)) {
        stage_fault(s, reason);
    }
    for (uint32_t i = 0; i < s->tree_count && s->scene->cue_count <= VALIDATED_CUES; i++) {
        if (!kith_hierarchy_validate(world, s->trees[i], &reason)) {
            stage_fault(s, reason);
        }
    }
}

void scene_notify(kith_world *world, const kith_notice *notice, void *context)
{
    scene_script *script = context;
    stage        *s      = script->stage;
    scene_cue    *cue    = write_cue(s->scene, script, notice, see_in_world(s, notice));
    check_world(s, world);
    if (cue != NULL) {
        act(s->scene, cue);
    }
}

static uint64_t mix_entities(const kith_entity *entities, uint32_t count)
{
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        sum = verb_mix(sum, entities[i]);
    }
    return sum;
}

void scene_notify_many(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                       uint32_t count, void *context)
{
    scene_script *script = context;
    stage        *s      = script->stage;
    scene_cue    *cue    = write_cue(s->scene, script, notice, mix_entities(entities, count));
    check_world(s, world);
    if (cue != NULL) {
        act(s->scene, cue);
    }
}

void scene_visit(scene_script *script, kith_entity entity, uint64_t seen)
{
    stage      *s      = script->stage;
    kith_notice notice = { .event = (kith_event)SCENE_VISIT, .entity = entity };
    scene_cue  *cue    = write_cue(s->scene, script, &notice, seen);
    if (cue != NULL) {
        act(s->scene, cue);
    }
}

// ---------------------------------------------------------------------------------------------
// In the model
// ---------------------------------------------------------------------------------------------

static void act_again(stage *s, const scene_cue *cue)
{
    scene_call *call  = cue->call;
    argument   *a     = &cue->script->arguments;
    verb_answer naive = { .given = call->real.given };
    if (call->starved) {
        bool recorded = (call->verb->traits & VERB_OTHER_WORLD) == 0;
        model_step_starved(&s->model, &call->error, recorded);
        return;
    }
    make_about(a, &cue->notice);
    call->verb->naive(s, a, &naive);
    verb_compare(s, "the listener's call", &call->real, &naive);
}

static void cue_again(stage *s, const scene_script *script, const kith_notice *notice,
                      uint64_t seen)
{
    scene *playing = s->scene;
    if (playing->replayed == SCENE_CUES || s->difference[0] != '\0') {
        return;
    }
    uint32_t         at  = playing->replayed++;
    const scene_cue *cue = &playing->cues[at];
    if (at >= playing->cue_count) {
        stage_differ(s, "no listener was called for event %d, component %u, entity %#llx",
                     (int)notice->event, (unsigned)notice->component,
                     (unsigned long long)notice->entity);
    } else if (cue->script != script || cue->notice.event != notice->event ||
               cue->notice.component != notice->component || cue->notice.entity != notice->entity ||
               cue->notice.tick != notice->tick) {
        stage_differ(s, "the notice was %d, %u, %#llx, not %d, %u, %#llx", (int)cue->notice.event,
                     (unsigned)cue->notice.component, (unsigned long long)cue->notice.entity,
                     (int)notice->event, (unsigned)notice->component,
                     (unsigned long long)notice->entity);
    } else if (cue->seen != seen) {
        stage_differ(s, "a listener of event %d saw %#llx, not %#llx", (int)notice->event,
                     (unsigned long long)cue->seen, (unsigned long long)seen);
    } else if (cue->call != NULL) {
        act_again(s, cue);
    }
}

static uint64_t see_in_model(stage *s, const kith_notice *notice)
{
    const model_component *known = model_component_lookup(&s->model, notice->component);
    if (known == NULL) {
        return model_entity_alive(&s->model, notice->entity);
    }
    return known->desc.kind == KITH_KIND_SINGLETON
               ? model_singleton_get(&s->model, notice->component)
               : model_component_get(&s->model, notice->entity, notice->component);
}

void scene_notify_again(void *notified, const kith_notice *notice, void *context)
{
    stage *s = notified;
    cue_again(s, context, notice, see_in_model(s, notice));
}

void scene_notify_many_again(void *notified, const kith_notice *notice, const kith_entity *entities,
                             uint32_t count, void *context)
{
    cue_again(notified, context, notice, mix_entities(entities, count));
}

void scene_visit_again(scene_script *script, kith_entity entity, uint64_t seen)
{
    kith_notice notice = { .event = (kith_event)SCENE_VISIT, .entity = entity };
    cue_again(script->stage, script, &notice, seen);
}

bool scene_compare(stage *s)
{
    const scene *playing = s->scene;
    if (s->difference[0] != '\0') {
        return false;
    }
    return playing->replayed == playing->cue_count ||
           stage_differ(s, "%u events were reported, not %u", (unsigned)playing->cue_count,
                        (unsigned)playing->replayed);
}
