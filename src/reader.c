// SPDX-License-Identifier: MIT
#include "reader.h"

// A reader's ticket never changes.
static const uint64_t ticket = 1;

KITH_INTERNAL bool kith_reader_owns(const kith_step_ *step)
{
    return step->ticket_ == &ticket;
}

KITH_API kith_step_ kith_step_begin_read_(const kith_world *world, const kith_query_desc *desc)
{
    static const kith_step_ failed;
    kith_plan               plan;
    kith_error              error = { .call = "kith_view_begin_read" };
    if (kith_plan_make(&plan, world, desc, &error) == KITH_OK && plan.writes) {
        error.code    = KITH_ERROR_ARGUMENT;
        error.subject = "reading needs a query without write terms";
        error.other   = desc->name;
    }
    if (error.code != KITH_OK) {
        kith_world_tell(world, &error);
        return failed;
    }
    return (kith_step_){ .world_  = (kith_world *)(uintptr_t)world,
                         .ticket_ = &ticket,
                         .serial_ = ticket,
                         .source_ = desc };
}

// A description resolved for one stretch.
typedef struct reader {
    const kith_world *world;
    kith_plan         plan;
    uint32_t          lead;
    uint32_t          end; // of the places
    uint32_t          limits[KITH_QUERY_TERMS_MAX];
} reader;

static bool start_reader(reader *read, const kith_step_ *step)
{
    kith_error error = { .call = "kith_cursor_next", .code = KITH_ERROR_CLOSED };
    read->world      = step->world_;
    if (step->serial_ == 0 ||
        kith_plan_make(&read->plan, step->world_, step->source_, &error) != KITH_OK) {
        kith_world_tell(step->world_, &error);
        return false;
    }
    read->lead = kith_plan_lead(&read->plan);
    read->end  = read->world->entities.count;
    for (uint32_t i = 0; i < read->plan.pools; i++) {
        read->limits[i] = read->plan.parts[i].column->pool.set.head.rows_;
    }
    if (read->lead != KITH_NO_PART) {
        read->end = read->limits[read->lead];
    }
    return true;
}

static const uint32_t *packed_at(const reader *read, uint32_t place)
{
    return kith_sparse_set_packed(&read->plan.parts[read->lead].column->pool.set, place);
}

static uint32_t index_at(const reader *read, uint32_t place)
{
    return read->lead == KITH_NO_PART ? place : *packed_at(read, place);
}

// The length of the stretch at a place of the walk; 0: nothing to visit there.
static uint32_t stretch_at(const reader *read, uint32_t place)
{
    const kith_plan         *plan  = &read->plan;
    const kith_entity_table *table = &read->world->entities;
    if (read->lead != KITH_NO_PART && kith_plan_is_plain(plan)) {
        kith_run run;
        kith_run_find(&run, read->world, plan, read->lead, read->limits, place, UINT32_MAX);
        return run.length;
    }
    uint32_t index = index_at(read, place);
    return (index & KITH_HOLE) == 0 && kith_entity_table_lives(table, index) &&
           kith_plan_meets(plan, table, index);
}

static void take_values(const reader *read, uint32_t place, void **values)
{
    uint32_t row;
    for (uint32_t i = 0; i < read->plan.count; i++) {
        const kith_part *part = &read->plan.parts[i];
        if (part->lane != KITH_NO_LANE) {
            values[part->lane] =
                kith_part_value(part, &read->world->entities, index_at(read, place), &row);
        }
    }
}

// Goes to the next stretch and answers its length, 0 at the end.
static uint32_t next_stretch(kith_step_ *step, void **values)
{
    reader   read;
    uint32_t length = 0;
    if (!start_reader(&read, step)) {
        return 0;
    }
    if (step->end_ != 0) {
        step->row_ -= step->end_ - (step->at_ + 1); // what next has not come to yet
    }
    while (length == 0 && step->row_ < read.end) {
        length = stretch_at(&read, step->row_++);
    }
    step->at_     = 0;
    step->serial_ = length != 0 ? ticket : 0;
    if (length != 0) {
        uint32_t place = step->row_ - 1;
        take_values(&read, place, values);
        step->indices_ = read.lead == KITH_NO_PART ? NULL : packed_at(&read, place);
        step->row_ += length - 1;
    }
    return length;
}

KITH_INTERNAL kith_entity kith_reader_next(kith_step_ *step, void **values)
{
    step->end_   = next_stretch(step, values);
    step->count_ = step->end_ != 0;
    return kith_reader_entity(step, 0);
}

KITH_INTERNAL kith_entity kith_reader_next_chunk(kith_step_ *step, void **values, uint32_t *count)
{
    *count       = next_stretch(step, values);
    step->end_   = *count != 0;
    step->count_ = *count;
    return kith_reader_entity(step, 0);
}

KITH_INTERNAL kith_entity kith_reader_entity(const kith_step_ *step, uint32_t i)
{
    if (i >= step->count_) {
        return KITH_NULL;
    }
    // a walk over all entities has no packed indices, and stretches of one
    uint32_t index = step->indices_ == NULL ? step->row_ - 1 : step->indices_[step->at_ + i];
    return *kith_entity_slot_of(&step->world_->entities, index);
}
