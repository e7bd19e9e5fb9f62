// SPDX-License-Identifier: MIT
// Chunks, and untyped cursors. A program whose loops are typed and take one entity at a time does
// not link this.
#include "query/query.h"

// --- chunks ----------------------------------------------------------------------------------

// Finds which of the first `count` entities of the block are contiguous with the one behind them,
// in every column: joined[i] becomes UINT32_MAX or 0. Returns whether there is one. The rows of the
// lead follow each other more often than others, so they come last.
static bool join(const kith_world *world, const kith_loop *loop, uint32_t count, uint32_t *joined)
{
    const kith_plan *plan = loop->plan;
    uint32_t         term = loop->lead == KITH_NO_TERM ? 0 : loop->lead;
    bool             any  = true;
    memset(joined, 0xff, count * sizeof *joined);
    for (uint32_t left = plan->count; left > 0 && any; left--) {
        term = term + 1 < plan->count ? term + 1 : 0;
        if (plan->terms[term].column == KITH_NO_COLUMN) {
            continue;
        }
        any = world->simd->join(kith_block_column(loop, term)->at_, count,
                                (uint32_t)plan->terms[term].storage->pool.size, joined);
    }
    return any;
}

#define ONES 16u
_Static_assert(KITH_BLOCK_ROWS % ONES == 0, "the lengths have room for copies of the ones");

// Finds the length of the chunk from each entity of a gathered block on, from the last one back.
// The list of a stored query keeps them, for blocks that end where a chunk ends.
static void measure(const kith_world *world, const kith_loop *loop)
{
    static const uint32_t ones[ONES] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    kith_block           *block      = loop->block;
    kith_query_cache     *cache      = loop->cache;
    uint32_t              last       = loop->count - 1;
    uint32_t              length     = 1;
    uint32_t             *kept       = NULL;
    uint32_t              at         = 0;
    block->measured                  = true;
    // optionals may change while the list is valid: then the lengths are not kept
    if (block->entities != block->indices && loop->plan->count == loop->plan->any_end) {
        kept = cache->rows + (size_t)(cache->pools + 1) * cache->room;
        at   = (uint32_t)(block->entities + cache->room - kept);
        kept = at <= cache->measured ? kept + at : NULL;
    }
    if (kept != NULL && at + last < cache->measured && kept[last] == 1) {
        memcpy(block->lengths, kept, loop->count * sizeof *kept);
        return;
    }
    bool any = join(world, loop, last, block->lengths);
    for (uint32_t i = 0; i < loop->count && !any; i += ONES) {
        memcpy(block->lengths + i, ones, sizeof ones);
    }
    block->lengths[last] = 1;
#pragma GCC unroll 8
    for (uint32_t i = any ? last : 0; i > 0; i--) {
        length                = (length & block->lengths[i - 1]) + 1;
        block->lengths[i - 1] = length;
    }
    if (kept != NULL) {
        memcpy(kept, block->lengths, loop->count * sizeof *kept);
        cache->measured = cache->measured < at + loop->count ? at + loop->count : cache->measured;
    }
}

KITH_ALWAYS_INLINE kith_entity show_chunk(kith_step_ *step, const kith_loop *loop, void **values,
                                          uint32_t *count)
{
    uint32_t at = step->at_;
    if (!loop->run && !loop->block->measured) {
        measure(step->world_, loop);
    }
    *count = loop->run ? loop->count - at : loop->block->lengths[at];
    kith_block_values(loop, at, *count, values);
    // inline code of `next` stops at once: the next call comes to the library
    kith_entity entity = kith_step_show(step, loop, *count, at);
    if (!loop->run) {
        step->source_                                      = loop->block->lengths;
        *(loop->window ? &step->chunks_ : &step->stamped_) = loop->count;
    }
    return entity;
}

kith_entity kith_step_next_chunk_(kith_step_ *step, void **values, uint32_t *count)
{
    const kith_reader_form *reader = kith_step_reader(step);
    if (reader != NULL) {
        return reader->next(step, values, count);
    }
    kith_loop *loop = kith_step_next_block(step, "kith_cursor_next_chunk");
    *count          = 0;
    return loop == NULL ? KITH_NULL : show_chunk(step, loop, values, count);
}

kith_entity kith_step_show_chunk(kith_step_ *step, const kith_loop *loop, void **values,
                                 uint32_t *count)
{
    return show_chunk(step, loop, values, count);
}

// Whether the entity at `at` of the block still has its row in every pool of the plan. A removed
// row is a hole until the world settles.
static bool still_there(const kith_world *world, const kith_loop *loop, uint32_t at)
{
    if (loop->lead == KITH_NO_TERM) {
        uint32_t index = loop->block->indices[at];
        return kith_loop_may_visit(loop, kith_entity_page_of(&world->entities, index), index);
    }
    for (uint32_t i = 0; i < loop->plan->pool_end; i++) {
        uint32_t row = kith_block_row(loop, i, at);
        if (row != KITH_NO_ROW && kith_pool_is_hole(&loop->plan->terms[i].storage->pool, row)) {
            return false;
        }
    }
    return true;
}

kith_entity kith_step_entity_(const kith_step_ *step, uint32_t i)
{
    const kith_loop *loop = (const kith_loop *)(const void *)step->ticket_;
    uint32_t         at   = step->at_ + i;
    if (loop == NULL || step->serial_ == 0 || i >= step->count_) {
        return KITH_NULL;
    }
    if (kith_step_reader(step) == NULL && (loop->serial != step->serial_ || at >= loop->count ||
                                           !still_there(step->world_, loop, at))) {
        return KITH_NULL;
    }
    // a reader of the entity table has no packed indices
    uint32_t index = step->indices_ == NULL ? step->row_ - 1 : step->indices_[at];
    return *kith_entity_slot_of(&step->world_->entities, index);
}

// --- untyped cursors -------------------------------------------------------------------------
//
// A kith_cursor has a column for each term of the description, NULL for a term without values. A
// step has columns for terms with values only. `spread` copies from the second to the first.

// The columns are in the loop's block, or the caller's for a reader.
static void spread(kith_cursor *cursor, void *const *values)
{
    void                  **columns = (void **)(uintptr_t)cursor->columns;
    const kith_reader_form *reader  = kith_step_reader(&cursor->step_);
    if (reader != NULL) {
        const kith_query_desc *desc = reader->desc != NULL ? reader->desc : cursor->step_.source_;
        for (uint32_t i = 0, column = 0; i < desc->term_count; i++) {
            columns[i] = kith_role_has_column(desc->terms[i].role) ? values[column++] : NULL;
        }
        return;
    }
    const kith_plan *plan = ((const kith_loop *)(const void *)cursor->step_.ticket_)->plan;
    memset(columns, 0, plan->desc_terms * sizeof *columns);
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->terms[i].column != KITH_NO_COLUMN) {
            columns[plan->terms[i].number] = values[plan->terms[i].column];
        }
    }
}

kith_cursor kith_step_cursor(const kith_step_ *step, void *const *columns)
{
    const kith_loop *loop   = (const kith_loop *)(const void *)step->ticket_;
    kith_cursor      cursor = { .step_ = *step, .failed = step->serial_ == 0, .columns = columns };
    if (!cursor.failed && columns == NULL) {
        cursor.columns = loop->block->values;
    }
    return cursor;
}

kith_cursor kith_view_begin(kith_world *world, const kith_query_desc *desc)
{
    kith_step_ step = kith_step_of_(kith_step_begin_(world, desc));
    if (step.serial_ != 0) {
        kith_loop *loop = (kith_loop *)(uintptr_t)step.ticket_;
        loop->name      = strncpy(loop->copied_name, loop->name, sizeof loop->copied_name - 1);
    }
    return kith_step_cursor(&step, NULL);
}

// The values of the present entity in a reader's stretch. This looks the rows up: copies of the
// cursor share the columns, so adding a stride to the addresses there would be wrong.
static void reader_values(const kith_step_ *step, void **values)
{
    const kith_query_desc *desc  = step->source_;
    uint32_t               index = step->indices_[step->at_];
    for (uint32_t i = 0, column = 0; i < desc->term_count; i++) {
        const kith_pool *pool = &kith_world_storage(step->world_, desc->terms[i].component)->pool;
        if (kith_role_has_column(desc->terms[i].role)) {
            uint32_t row     = kith_sparse_set_row_at(&pool->set, index);
            values[column++] = row == KITH_NO_ROW ? NULL : kith_pool_value(pool, row);
        }
    }
}

// Finds out how the columns go on in the block, unless there is none, values are absent or rows
// have ticks. Then kith_cursor_next goes on by itself, up to `chunks_`.
static void find_strides(kith_step_ *step, const kith_loop *loop)
{
    const kith_plan *plan   = loop->plan;
    kith_block      *block  = loop->block;
    kith_stride     *stride = block->strides;
    bool             can    = (loop->run || loop->window) && plan->count == plan->none_end;
    for (uint32_t i = 0; i < plan->pool_end && can; i++) {
        const kith_plan_term *term = &plan->terms[i];
        const kith_pool      *pool = &term->storage->pool;
        if (term->column != KITH_NO_COLUMN) {
            stride->column   = &block->values[term->number];
            stride->first    = loop->run ? kith_pool_value(pool, block->start[i]) : NULL;
            stride->at       = kith_block_column(loop, i)->at_;
            (stride++)->size = pool->size;
            can              = !(term->written && kith_sparse_set_has_ticks(&pool->set));
        }
    }
    block->strides_end = stride;
    step->chunks_      = can && stride != block->strides ? loop->count - 1 : 0;
}

KITH_NOINLINE static bool next_by_long_way(kith_cursor *cursor)
{
    void                   *values[KITH_QUERY_TERMS_MAX];
    kith_step_             *step   = &cursor->step_;
    const kith_reader_form *reader = kith_step_reader(step);
    if (kith_step_within_(step, step->last_ | step->window_ | step->gathered_)) {
        step->at_++;
        if (reader != NULL) {
            (reader->values != NULL ? reader->values : reader_values)(step, values);
        } else {
            kith_block_values((const kith_loop *)(const void *)step->ticket_, step->at_, 1, values);
        }
        cursor->entity = kith_step_handle_(step);
    } else {
        cursor->entity = kith_step_next_(step, values);
        cursor->count  = cursor->entity != KITH_NULL;
        if (cursor->count != 0 && reader == NULL) {
            find_strides(step, (const kith_loop *)(const void *)step->ticket_);
        }
    }
    if (cursor->count != 0) {
        spread(cursor, values);
    }
    return cursor->count != 0;
}

bool kith_cursor_next(kith_cursor *cursor)
{
    kith_step_ *step = &cursor->step_;
    if (!kith_step_within_(step, step->chunks_)) {
        return next_by_long_way(cursor);
    }
    const kith_block  *block  = ((const kith_loop *)(const void *)step->ticket_)->block;
    const kith_stride *stride = block->strides;
    const kith_stride *end    = block->strides_end;
    size_t             at     = ++step->at_;
    if (KITH_LIKELY_(stride->first != NULL)) { // a run
        do {
            *stride->column = stride->first + at * stride->size;
        } while (++stride != end);
    } else {
        do {
            *stride->column = stride->at[at];
        } while (++stride != end);
    }
    cursor->entity = kith_step_handle_(step);
    return true;
}

bool kith_cursor_next_chunk(kith_cursor *cursor)
{
    void *values[KITH_QUERY_TERMS_MAX];
    cursor->entity        = kith_step_next_chunk_(&cursor->step_, values, &cursor->count);
    cursor->step_.chunks_ = 0; // the chunk that follows is not found inline
    if (cursor->count != 0) {
        spread(cursor, values);
    }
    return cursor->count != 0;
}

kith_entity kith_cursor_entity(const kith_cursor *cursor, uint32_t i)
{
    return kith_step_entity_(&cursor->step_, i);
}

void kith_cursor_end(kith_cursor *cursor)
{
    kith_step_end_(&cursor->step_);
}
