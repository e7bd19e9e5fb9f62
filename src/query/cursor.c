// SPDX-License-Identifier: MIT
#include "query/reader.h"

// An untyped cursor has a column for each term, a step one for each term that hands out a value.

static void spread_terms(kith_cursor *cursor, void **columns, void *const *values)
{
    const kith_query_desc *desc = cursor->step_.source_;
    for (uint32_t i = 0, lane = 0; i < desc->term_count; i++) {
        columns[i] = kith_role_hands_out(desc->terms[i].role) ? values[lane++] : NULL;
    }
}

static void spread_parts(const kith_loop *loop, void **columns, void *const *values)
{
    const kith_plan *plan = loop->plan;
    memset(columns, 0, plan->terms * sizeof *columns);
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->parts[i].lane != KITH_NO_LANE) {
            columns[plan->parts[i].term] = values[plan->parts[i].lane];
        }
    }
}

// The columns are the loop's, or the caller's.
static void spread(kith_cursor *cursor, void *const *values)
{
    void **columns = (void **)(uintptr_t)cursor->columns;
    if (kith_reader_owns(&cursor->step_)) {
        spread_terms(cursor, columns, values);
    } else {
        spread_parts((const kith_loop *)(const void *)cursor->step_.ticket_, columns, values);
    }
}

static kith_cursor start_cursor(kith_step_ step, void *const *columns)
{
    const kith_loop *loop   = (const kith_loop *)(const void *)step.ticket_;
    kith_cursor      cursor = { .step_ = step, .failed = step.serial_ == 0, .columns = columns };
    if (!cursor.failed && columns == NULL) {
        cursor.columns = loop->block->columns;
    }
    return cursor;
}

KITH_API kith_cursor kith_view_begin(kith_world *world, const kith_query_desc *desc)
{
    return start_cursor(kith_step_begin_(world, desc), NULL);
}

KITH_API kith_cursor kith_view_begin_read(const kith_world *world, const kith_query_desc *desc,
                                          void **columns)
{
    return start_cursor(kith_step_begin_read_(world, desc), columns);
}

KITH_API kith_cursor kith_query_begin(kith_query *query)
{
    return start_cursor(kith_step_begin_stored_(query, query == NULL ? NULL : &query->desc), NULL);
}

KITH_API kith_cursor kith_query_begin_read(const kith_query *query, void **columns)
{
    const kith_query_desc *desc = query == NULL ? NULL : &query->desc;
    return start_cursor(kith_step_begin_read_stored_(query, desc), columns);
}

// The next entity of a reader's stretch. Its values are looked up: copies of the cursor share their
// columns, so these may be anywhere.
static void step_reader(kith_cursor *cursor)
{
    const kith_query_desc *desc    = cursor->step_.source_;
    void                 **columns = (void **)(uintptr_t)cursor->columns;
    uint32_t               index   = cursor->step_.indices_[cursor->step_.at_];
    for (uint32_t i = 0; i < desc->term_count; i++) {
        kith_column *column = kith_world_column(cursor->step_.world_, desc->terms[i].component);
        uint32_t     row    = kith_sparse_set_row_at(&column->pool.set, index);
        bool         given  = row != KITH_NO_ROW && kith_role_hands_out(desc->terms[i].role);
        columns[i]          = given ? kith_pool_value(&column->pool, row) : NULL;
    }
}

// The next entity of the block.
static void step_inside(kith_cursor *cursor)
{
    void *values[KITH_QUERY_TERMS_MAX];
    cursor->step_.at_++;
    if (kith_reader_owns(&cursor->step_)) {
        step_reader(cursor);
    } else {
        kith_block_hand_out((const kith_loop *)(const void *)cursor->step_.ticket_,
                            cursor->step_.at_, 1, values);
        spread(cursor, values);
    }
    cursor->entity = kith_step_handle_(&cursor->step_);
}

KITH_API bool kith_cursor_next(kith_cursor *cursor)
{
    void *values[KITH_QUERY_TERMS_MAX];
    if (kith_step_in_run_(&cursor->step_) || kith_step_in_gathered_(&cursor->step_)) {
        step_inside(cursor);
        return true;
    }
    cursor->entity = kith_step_next_(&cursor->step_, values);
    cursor->count  = cursor->entity != KITH_NULL;
    if (cursor->count != 0) {
        spread(cursor, values);
    }
    return cursor->count != 0;
}

KITH_API bool kith_cursor_next_chunk(kith_cursor *cursor)
{
    void *values[KITH_QUERY_TERMS_MAX];
    cursor->entity = kith_step_next_chunk_(&cursor->step_, values, &cursor->count);
    if (cursor->count != 0) {
        spread(cursor, values);
    }
    return cursor->count != 0;
}

KITH_API kith_entity kith_cursor_entity(const kith_cursor *cursor, uint32_t i)
{
    return kith_step_entity_(&cursor->step_, i);
}

KITH_API void kith_cursor_end(kith_cursor *cursor)
{
    kith_step_end_(&cursor->step_);
}

KITH_API bool kith_query_each(kith_query *query, kith_each_fn each, void *context)
{
    kith_cursor cursor = kith_query_begin(query);
    if (cursor.failed) {
        return false;
    }
    while (kith_cursor_next(&cursor)) {
        if (!each(&cursor, context)) {
            kith_cursor_end(&cursor);
            break;
        }
    }
    return true;
}
