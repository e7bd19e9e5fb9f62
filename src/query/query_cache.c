// SPDX-License-Identifier: MIT
#include "query/query.h"

static const kith_sparse_set *pool_set(const kith_loop *loop, uint32_t term)
{
    return &loop->plan->terms[term].storage->pool.set;
}

// --- runs ------------------------------------------------------------------------------------

static void refresh_run(kith_memo *memo, const kith_loop *loop)
{
    bool same = memo->lead == loop->lead;
    for (uint32_t i = 0; i < loop->plan->pools; i++) {
        same = same && memo->moves[i] == pool_set(loop, i)->moves;
    }
    if (same) {
        return;
    }
    memo->lead  = loop->lead;
    memo->from  = 0;
    memo->until = 0;
    for (uint32_t i = 0; i < loop->plan->pools; i++) {
        memo->moves[i] = pool_set(loop, i)->moves;
    }
}

KITH_INTERNAL bool kith_memo_recall_run(kith_memo *memo, const kith_loop *loop, uint32_t most,
                                        kith_run *run)
{
    refresh_run(memo, loop);
    if (loop->row < memo->from || loop->row >= memo->until) {
        return false;
    }
    uint32_t past = loop->row - memo->from;
    run->most     = kith_least(most, memo->until - loop->row);
    for (uint32_t i = 0; i < loop->plan->pools; i++) {
        run->rows[i] = memo->start[i] + past;
        if (run->rows[i] >= loop->block->limits[i]) {
            return false; // remembered by a loop that began later
        }
        run->most =
            kith_least(run->most, kith_sparse_set_left_in_page(pool_set(loop, i), run->rows[i]));
        run->most = kith_least(run->most, loop->block->limits[i] - run->rows[i]);
    }
    run->length = run->most;
    return true;
}

// The run prolongs the one that is remembered, or is longer, or is forgotten.
KITH_INTERNAL void kith_memo_note_run(kith_memo *memo, const kith_loop *loop, const kith_run *run)
{
    uint32_t past  = loop->row - memo->from;
    bool     joins = memo->until != memo->from && loop->row == memo->until;
    for (uint32_t i = 0; i < loop->plan->pools && joins; i++) {
        joins = run->rows[i] == memo->start[i] + past;
    }
    if (joins) {
        memo->until += run->length;
    } else if (run->length > memo->until - memo->from) {
        memo->from  = loop->row;
        memo->until = loop->row + run->length;
        memcpy(memo->start, run->rows, loop->plan->pools * sizeof *run->rows);
    }
}

// --- lists -----------------------------------------------------------------------------------

static kith_state state_of(const kith_loop *loop, uint32_t term)
{
    const kith_storage    *storage = loop->plan->terms[term].storage;
    const kith_pool_head_ *head    = &storage->pool.set.head;
    if (storage->desc.kind == KITH_KIND_FLAG) {
        return (kith_state){ head->flags_set_ + head->flags_cleared_, 0 };
    }
    return (kith_state){ storage->pool.set.moves, term == loop->lead ? 0 : head->rows_ };
}

// Whether nothing that decides who is a member has changed, and disabled rows play no term.
static bool is_unchanged(const kith_memo *memo, const kith_loop *loop)
{
    for (uint32_t i = 0; i < loop->plan->anys; i++) {
        kith_state now = state_of(loop, i);
        if (now.moves != memo->states[i].moves || now.rows != memo->states[i].rows ||
            kith_plan_term_masked(&loop->plan->terms[i])) {
            return false;
        }
    }
    return memo->list_lead == loop->lead;
}

// Whether the loop began with the rows that there are now: it must not see those that came since.
static bool is_up_to_date(const kith_loop *loop)
{
    bool same = true;
    for (uint32_t i = 0; i < loop->plan->pools; i++) {
        same = same && (i == loop->lead || loop->block->limits[i] == pool_set(loop, i)->head.rows_);
    }
    return same;
}

static void forget_list(kith_memo *memo, const kith_loop *loop)
{
    memo->list_lead = loop->lead;
    memo->count     = 0;
    memo->first     = 0;
    memo->seen      = 0;
    for (uint32_t i = 0; i < loop->plan->anys; i++) {
        memo->states[i] = state_of(loop, i);
    }
}

KITH_INTERNAL void kith_memo_end(kith_memo *memo, const kith_allocator *memory)
{
    if (memo->rows != NULL) {
        kith_free(memory, memo->rows, kith_memo_bytes(memo), KITH_CACHE_LINE);
    }
    memo->rows  = NULL;
    memo->room  = 0;
    memo->count = 0;
    memo->first = 0;
    memo->seen  = 0;
    memo->from  = 0;
    memo->until = 0;
}

static uint32_t *member_rows(const kith_memo *memo, uint32_t term)
{
    return memo->rows + (size_t)term * memo->room;
}

// Makes room for more members, and half as many on top: a lead that grows does so again.
static void grow_list(kith_memo *memo, const kith_allocator *memory, uint32_t found)
{
    kith_memo grown = *memo;
    grown.room      = found + found / 2;
    grown.rows      = kith_alloc(memory, kith_memo_bytes(&grown), KITH_CACHE_LINE);
    if (grown.rows == NULL) {
        return;
    }
    for (uint32_t i = 0; i < memo->pools && memo->count != 0; i++) {
        memcpy(member_rows(&grown, i), member_rows(memo, i), memo->count * sizeof *memo->rows);
    }
    kith_memo_end(memo, memory);
    *memo = grown;
}

KITH_INTERNAL void kith_memo_begin(kith_memo *memo, const kith_allocator *memory,
                                   const kith_loop *loop, uint64_t found)
{
    memo->pools = loop->plan->pools;
    if (!is_unchanged(memo, loop)) {
        forget_list(memo, loop);
    } else if (loop->lead != KITH_NO_TERM && found > memo->room && found < KITH_ROWS_MAX / 2) {
        grow_list(memo, memory, (uint32_t)found);
    }
}

// How many of the list's rows of the lead are below `row`.
static uint32_t members_below(const kith_memo *memo, const kith_loop *loop, uint32_t row)
{
    uint32_t low = 0;
    for (uint32_t high = memo->count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (member_rows(memo, loop->lead)[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

KITH_INTERNAL bool kith_memo_recall(const kith_memo *memo, const kith_loop *loop, uint32_t room,
                                    uint32_t *most, uint32_t *count)
{
    if (loop->row < memo->first || loop->row >= memo->seen || !is_unchanged(memo, loop) ||
        !is_up_to_date(loop)) {
        return false;
    }
    if (memo->count == 0) {
        *most  = kith_least(*most, memo->seen - loop->row);
        *count = 0;
        return true;
    }
    uint32_t        at   = members_below(memo, loop, loop->row);
    uint32_t        end  = loop->row + kith_least(*most, memo->seen - loop->row);
    uint32_t        all  = kith_least(memo->count - at, room);
    const uint32_t *lead = member_rows(memo, loop->lead) + at;
    *count               = all;
    if (all == 0 || lead[all - 1] >= end) {
        *count = members_below(memo, loop, end) - at;
    } else if (all == room) {
        end = lead[all - 1] + 1;
    }
    *most = end - loop->row;
    for (uint32_t i = 0; i < memo->pools; i++) {
        uint32_t *rows = i == loop->lead ? loop->block->places : kith_block_column(loop, i)->rows_;
        memcpy(rows, member_rows(memo, i) + at, *count * sizeof *rows);
    }
    return true;
}

KITH_INTERNAL void kith_memo_note(kith_memo *memo, const kith_loop *loop)
{
    bool joins = memo->seen == loop->first;
    if (loop->count > memo->room - memo->count || (!joins && memo->count != 0) ||
        !is_unchanged(memo, loop) || !is_up_to_date(loop)) {
        return;
    }
    for (uint32_t i = 0; i < memo->pools && loop->count != 0; i++) {
        uint32_t *rows = member_rows(memo, i) + memo->count;
        for (uint32_t at = 0; at < loop->count; at++) {
            rows[at] = kith_block_row(loop, i, at);
        }
    }
    memo->first = joins ? memo->first : loop->first;
    memo->seen  = loop->row;
    memo->count += loop->count;
}
