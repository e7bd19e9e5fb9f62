// SPDX-License-Identifier: MIT
// What has changed, and when.
#include "world/world.h"

static void tell_lack(const kith_world *world, kith_component component, const char *call,
                      const char *subject)
{
    kith_error error = {
        .code = KITH_ERROR_ARGUMENT, .call = call, .component = component, .subject = subject
    };
    kith_world_tell(world, &error);
}

// The row of the entity, or KITH_NO_ROW; an error that is told where there are no rows.
static uint32_t asked_row(const kith_world *world, kith_entity entity, kith_component component,
                          const char *call, const kith_column **column)
{
    *column = kith_world_ask(world, component, KITH_WITH_ROWS, call);
    return *column == NULL ? KITH_NO_ROW : kith_sparse_set_row(&(*column)->pool.set, entity);
}

KITH_API uint64_t kith_component_changed_at(const kith_world *world, kith_entity entity,
                                            kith_component component)
{
    const kith_column *column;
    uint32_t row = asked_row(world, entity, component, "kith_component_changed_at", &column);
    return row == KITH_NO_ROW ? 0 : kith_sparse_set_changed(&column->pool.set, row);
}

KITH_API uint64_t kith_component_added_at(const kith_world *world, kith_entity entity,
                                          kith_component component)
{
    const kith_column *column;
    uint32_t row = asked_row(world, entity, component, "kith_component_added_at", &column);
    if (column != NULL && !kith_sparse_set_ticked(&column->pool.set)) {
        tell_lack(world, component, "kith_component_added_at",
                  "the component was registered without row ticks");
        return 0;
    }
    return row == KITH_NO_ROW ? 0 : *kith_sparse_set_added(&column->pool.set, row);
}

// --- spans of rows ---------------------------------------------------------------------------

KITH_API kith_changes kith_changes_begin(const kith_world *world, kith_component component,
                                         uint64_t since)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_changes_begin");
    return (kith_changes){ .component = column == NULL ? 0 : component, .since = since };
}

// The first row, at or after this one, that has changed; the number of rows: none has.
static uint32_t next_changed(const kith_sparse_set *set, uint32_t row, uint64_t since)
{
    while (row < set->head.rows_) {
        uint32_t left = kith_least(kith_sparse_set_left_in_page(set, row), set->head.rows_ - row);
        uint32_t old  = kith_sparse_set_old(set, row, left, since);
        row += old;
        if (old < left && (*kith_sparse_set_packed(set, row) & KITH_HOLE) == 0) {
            return row;
        }
        row += old < left; // a hole
    }
    return row;
}

// How many of these rows, from the first on, are no holes.
static uint32_t before_hole(const kith_sparse_set *set, uint32_t row, uint32_t count)
{
    const uint32_t *packed = kith_sparse_set_packed(set, row);
    uint32_t        i      = set->holes == 0 ? count : 0;
    while (i < count && (packed[i] & KITH_HOLE) == 0) {
        i++;
    }
    return i;
}

KITH_API bool kith_changes_next(const kith_world *world, kith_changes *changes)
{
    const kith_column *column = kith_world_column(world, changes->component);
    uint32_t           row    = changes->row + changes->count;
    changes->count            = 0;
    if (column == NULL) {
        return false;
    }
    const kith_sparse_set *set = &column->pool.set;
    row                        = next_changed(set, row, changes->since);
    changes->row               = row;
    if (row >= set->head.rows_) {
        return false;
    }
    uint32_t left  = kith_least(kith_sparse_set_left_in_page(set, row), set->head.rows_ - row);
    changes->count = before_hole(set, row, kith_sparse_set_new(set, row, left, changes->since));
    return true;
}

// --- journals --------------------------------------------------------------------------------

KITH_API kith_removals kith_removals_begin(const kith_world *world, kith_component component,
                                           uint64_t since)
{
    static const char   call[]   = "kith_removals_begin";
    const kith_column  *column   = kith_world_ask(world, component, KITH_WITH_ROWS, call);
    const kith_journal *journal  = column == NULL ? NULL : &column->pool.journal;
    kith_removals       removals = { 0 };
    if (journal == NULL) {
        return removals;
    }
    if (journal->entries == NULL) {
        tell_lack(world, component, call, "the component was registered without a journal");
        return removals;
    }
    removals.component = component;
    removals.lost      = kith_journal_oldest(journal) != 0 && journal->lost >= since;
    removals.next_     = kith_journal_since(journal, since);
    return removals;
}

KITH_API bool kith_removals_next(const kith_world *world, kith_removals *removals,
                                 kith_removal *removal)
{
    const kith_column *column = kith_world_column(world, removals->component);
    if (column == NULL || removals->next_ >= column->pool.journal.written) {
        return false;
    }
    const kith_journal *journal = &column->pool.journal;
    if (removals->next_ < kith_journal_oldest(journal)) {
        removals->next_ = kith_journal_oldest(journal);
        removals->lost  = true;
    }
    *removal = *kith_journal_entry(journal, removals->next_++);
    return true;
}
