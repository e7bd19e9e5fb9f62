// SPDX-License-Identifier: MIT
// Cursors: begin a loop, hand out its entities, end it. A step is the cursor of typed code, a
// kith_cursor wraps one for untyped code. A step without a loop is a reader (reader.c).
//
//     step --ticket_--> loop.ticket     the serial of the block, or 0 after a change inside it
//          --serial_                    the serial of the block that the step last saw
//          --at_ and the last           the present entity, and the last of the block in the field
//                                       for its form: last_ of a run, window_ or gathered_
//
// While *ticket_ == serial_ and at_ is below the last, inline code goes to the next entity by
// itself. Otherwise kith_step_next_ compares again, now with loop.serial:
//
//     loop.serial != serial_     the loop is closed, or a copy of the step went on: an error
//
//     loop.changed_end <= next   the changes are behind the cursor: the block stands
//
//     loop.changed_end > next    the rest of the block is stale: find it again from `next` on
//
//     the block is used up       make the next block, or close the loop at the end
//
//     there is no block yet      make the first block; a run is tried at once
//
// `next` is the place after the present entity. In all cases but the first the loop gets a new
// serial: it closes older copies of the step.
#include "group/group.h"
#include "query/query.h"

// --- begin -----------------------------------------------------------------------------------

// The members of a group that owns no pool are the rows of its list. This adds the list to the
// plan as its lead.
KITH_COLD static const kith_plan *with_list(kith_loop *loop, const kith_plan *plan)
{
    kith_plan *own   = &loop->block->plan;
    uint32_t   after = plan->count - plan->pool_end;
    if (plan != own) { // a known plan has memory for its terms alone
        memcpy(own, plan, offsetof(kith_plan, terms) + plan->count * sizeof *plan->terms);
    }
    memmove(&own->terms[own->pool_end + 1], &own->terms[own->pool_end], after * sizeof *own->terms);
    own->terms[own->pool_end] =
        (kith_plan_term){ .storage = (kith_storage *)(uintptr_t)&loop->group->list,
                          .column  = KITH_NO_COLUMN,
                          .buffer  = own->count };
    own->lead = own->pool_end++;
    own->flag_end++;
    own->none_end++;
    own->any_end++;
    own->count++;
    return own;
}

// Chooses the lead and records how many rows there are. Changes of the pools are reported to the
// loop from now on.
static void choose_walk(kith_world *world, kith_loop *loop)
{
    const kith_plan *plan   = loop->plan;
    uint32_t         lead   = KITH_NO_TERM;
    uint64_t         lowest = UINT64_MAX;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        kith_storage *storage  = plan->terms[i].storage;
        uint64_t      rank     = kith_storage_rank(storage);
        loop->block->limits[i] = (uint32_t)(rank >> 32);
        storage->drop_watch |= loop->bit;
        if (rank < lowest) {
            lead   = i;
            lowest = rank;
        }
    }
    lead       = plan->lead != KITH_NO_TERM ? plan->lead : lead;
    loop->lead = lead;
    loop->end  = lead == KITH_NO_TERM ? world->entities.count : loop->block->limits[lead];
}

bool kith_loop_begin(kith_world *world, kith_loop *loop, const kith_plan *plan, const char *name,
                     const char *call)
{
    if (plan->pool_end == 0 &&
        !kith_entity_table_reserve_births(&world->entities, &world->memory)) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    }
    kith_loop_open(world, loop, plan, name == NULL ? "a query" : name);
    kith_group *group = kith_plan_group(world, plan);
    loop->group       = kith_plan_visits_all(plan, group) ? group : NULL;
    if (group != NULL && group->owned == 0) {
        loop->plan = with_list(loop, plan);
    }
    choose_walk(world, loop);
    if (group != NULL) {
        loop->lead        = world->membership->lead_term(group, loop->plan);
        loop->end         = group->members;
        loop->last_joined = KITH_NO_INDEX;
    }
    if (loop->plan->count != loop->plan->pool_end || loop->lead == KITH_NO_TERM) {
        kith_loop_watch_others(world, loop, true);
        loop->births = world->entities.births;
    }
    loop->ahead = world->block_rows < KITH_BLOCK_ROWS ? world->block_rows : UINT32_MAX;
    return true;
}

KITH_COLD kith_loop *kith_loop_make_ready(kith_world *world, uint32_t terms, const char *call)
{
    bool       may  = kith_require_unlocked(world, call) && kith_require_depth(world, call);
    kith_loop *loop = may ? &world->loops[world->depth] : NULL;
    if (may && !kith_block_reserve(world, loop, kith_min(terms, KITH_QUERY_TERMS_MAX + 1))) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
        return NULL;
    }
    return loop;
}

static const char view_begin[] = "kith_view_begin";

// Makes the plan of a view, in `known` unless that is NULL; a plan that is `made` is only checked.
// Returns NULL, with an error, when the description is wrong.
KITH_COLD static const kith_plan *make_known_plan(kith_world *world, kith_block *block,
                                                  kith_known_plan       *known,
                                                  const kith_query_desc *desc, bool made)
{
    kith_error error = { .call = view_begin };
    kith_plan *plan  = known != NULL ? &known->plan : &block->plan;
    if (known != NULL) {
        known->registrations = UINT64_MAX;
    }
    if (made ? !kith_plan_declared(plan, world, &error)
             : kith_plan_make(plan, world, desc, &error) != KITH_OK) {
        kith_world_fail(world, &error);
        return NULL;
    }
    if (known != NULL) {
        known->address       = desc->terms;
        known->count         = desc->term_count;
        known->registrations = world->registrations;
        memcpy(known->terms, desc->terms, desc->term_count * sizeof *desc->terms);
    }
    return plan;
}

// The plan of a view, known or made. Returns NULL, with an error, when the description is wrong.
static const kith_plan *plan_of(kith_world *world, kith_block *block, const kith_query_desc *desc)
{
    uintptr_t        address = (uintptr_t)desc->terms;
    uint32_t         count   = desc->term_count;
    bool             few     = count - 1 < KITH_KNOWN_TERMS; // not none
    kith_known_plan *known = (void *)block->known[(address >> 4 ^ address >> 7) % KITH_KNOWN_PLANS];
    bool             made  = few && known->registrations == world->registrations &&
                known->address == desc->terms && known->count == count &&
                memcmp(known->terms, desc->terms, count * sizeof *desc->terms) == 0;
    known->plan.since = desc->since; // a plan of other terms is made again before it is used
    return made && world->access_check == NULL
               ? &known->plan
               : make_known_plan(world, block, few ? known : NULL, desc, made);
}

kith_begun_ kith_step_begin_(kith_world *world, const kith_query_desc *desc)
{
    kith_loop       *loop = kith_loop_prepare(world, desc->term_count, view_begin);
    const kith_plan *plan = loop == NULL ? NULL : plan_of(world, loop->block, desc);
    bool begun = plan != NULL && kith_loop_begin(world, loop, plan, desc->name, view_begin);
    return (kith_begun_){ world, begun ? &loop->ticket : NULL };
}

// --- the entities of a block -----------------------------------------------------------------

// The place of the block's entity at `at`.
static uint32_t place_at(const kith_loop *loop, uint32_t at)
{
    return loop->lead == KITH_NO_TERM ? loop->block->indices[at]
                                      : kith_block_row(loop, loop->lead, at);
}

// --- next ------------------------------------------------------------------------------------

static inline void end_step(kith_step_ *step)
{
    step->serial_ = 0;
    step->last_ = step->window_ = step->gathered_ = step->chunks_ = step->stamped_ = 0;
}

// The open loop of the step. Returns NULL when the step failed to begin; when the loop is closed,
// also reports an error.
static kith_loop *loop_of(kith_step_ *step, const char *call)
{
    kith_loop *loop = (kith_loop *)(uintptr_t)step->ticket_;
    if (loop == NULL) {
        return NULL;
    }
    if (KITH_LIKELY_(step->serial_ != 0 && loop->serial == step->serial_)) {
        return loop;
    }
    end_step(step);
    kith_world_refuse(step->world_, KITH_ERROR_CLOSED, call, 0, KITH_NULL);
    return NULL;
}

// Moves the step to the first entity of the block that is not handed out yet, in a new block if
// need be. Finds the rest of the block again when it has changed. Returns false at the end of the
// walk.
static bool advance(kith_world *world, kith_loop *loop, kith_step_ *step)
{
    uint32_t at = step->at_ + step->count_;
    if (loop->ticket != loop->serial) {
        uint32_t next = at == 0 ? loop->place : place_at(loop, at - 1) + 1;
        if (loop->changed_end > next) {
            loop->place = next;
            loop->count = 0;
            loop->ahead = kith_min(world->block_rows, 4); // more changes may follow
        }
    }
    bool within = at < loop->count;
    step->at_   = within ? at : 0;
    if (!within || loop->ticket != loop->serial) {
        kith_block_renew(world, loop);
    }
    return within ||
           ((loop->place < loop->end || loop->group != NULL) && kith_block_find_next(world, loop));
}

// Closes the loop at the end of the walk. A listener cannot close a loop that is older than itself;
// then the loop stays open without entities.
KITH_NOINLINE static void close_at_end(kith_step_ *step, kith_loop *loop, const char *call)
{
    end_step(step);
    if (step->world_->nested == 0 || kith_require_closable(step->world_, loop, call)) {
        kith_loop_close(step->world_, loop);
        return;
    }
    step->serial_ = loop->serial;
    step->at_ = step->count_ = 0;
    loop->block_first        = loop->end;
    loop->block_end          = loop->end;
    loop->count              = 0;
    loop->group              = NULL; // entities that join the group from now on are not visited
}

kith_loop *kith_step_next_block(kith_step_ *step, const char *call)
{
    kith_world *world = step->world_;
    kith_loop  *loop  = loop_of(step, call);
    if (loop == NULL || !kith_require_unlocked_for(world, call, 0, KITH_NULL)) {
        return NULL;
    }
    if (!advance(world, loop, step)) {
        close_at_end(step, loop, call);
        return NULL;
    }
    return loop;
}

// Whether the next entity of the block is unaffected by the changes: most changes concern the
// present entity or an earlier one.
static bool block_stands(const kith_step_ *step, const kith_loop *loop)
{
    return step->at_ < (step->last_ | step->window_ | step->gathered_) &&
           loop->serial == step->serial_ && loop->changed_end <= place_at(loop, step->at_) + 1 &&
           (step->world_->head.busy_ & KITH_HOOKS_MASK) == 0;
}

kith_entity kith_step_show(kith_step_ *step, const kith_loop *loop, uint32_t length, uint32_t last)
{
    step->columns_ = loop->block->columns;
    step->indices_ = loop->block->entities;
    step->serial_  = loop->serial;
    step->count_   = length;
    step->last_ = step->window_ = step->gathered_ = step->chunks_ = step->stamped_ = 0;
    *(loop->run ? &step->last_ : loop->window ? &step->window_ : &step->gathered_) = last;
    return kith_step_handle_(step);
}

// Goes to the next entity, in a new block if need be.
KITH_NOINLINE static kith_entity next_entity(kith_step_ *step, void **values)
{
    kith_loop *loop = kith_step_next_block(step, "kith_cursor_next");
    if (loop == NULL) {
        return KITH_NULL;
    }
    kith_block_values(loop, step->at_, 1, values);
    return kith_step_show(step, loop, 1, loop->count - 1);
}

kith_entity kith_step_next_(kith_step_ *step, void **values)
{
    const kith_reader_form *reader = kith_step_reader(step);
    kith_loop              *loop   = (kith_loop *)(uintptr_t)step->ticket_;
    if (KITH_UNLIKELY_(reader != NULL)) {
        return reader->next(step, values, NULL);
    }
    // the loop is open and walks no group, its block is as the step saw it last, and no hook runs
    bool undisturbed = step->serial_ != 0 && loop->ticket == step->serial_ && loop->group == NULL &&
                       (step->world_->head.busy_ & KITH_HOOKS_MASK) == 0;
    if (!undisturbed && block_stands(step, loop)) {
        kith_block_renew(step->world_, loop);
        step->serial_ = loop->serial;
        kith_block_values(loop, ++step->at_, 1, values);
        return kith_step_handle_(step);
    }
    if (undisturbed && loop->place >= loop->end && step->at_ + step->count_ >= loop->count) {
        close_at_end(step, loop, "kith_cursor_next");
        return KITH_NULL;
    }
    if (undisturbed && kith_block_find_first_run(step->world_, loop)) {
        kith_block_values(loop, 0, 1, values);
        return kith_step_show(step, loop, 1, loop->count - 1);
    }
    return next_entity(step, values);
}

// --- end -------------------------------------------------------------------------------------

void kith_step_end_(kith_step_ *step)
{
    kith_loop *loop = (kith_loop *)(uintptr_t)step->ticket_;
    if (loop == NULL || step->serial_ == 0) {
        return;
    }
    if (kith_step_reader(step) == NULL && loop->serial == step->serial_) {
        if (!kith_require_unlocked(step->world_, "kith_cursor_end") ||
            !kith_require_closable(step->world_, loop, "kith_cursor_end")) {
            return;
        }
        kith_loop_close(step->world_, loop);
    }
    end_step(step);
}
