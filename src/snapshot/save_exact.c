// SPDX-License-Identifier: MIT
#include "snapshot/save_exact.h"

#include "system/system.h"
#include "world/reactive_room.h"

// --- components ------------------------------------------------------------------------------

static void write_stamps(kith_writer *w, const kith_sparse_set *set, uint32_t number)
{
    uint32_t last  = kith_sparse_set_page_rows(set) - 1;
    uint32_t pages = (uint32_t)(((uint64_t)set->head.rows_ + last) >> set->head.shift_);
    if (pages != 0) {
        kith_writer_begin(w);
        kith_writer_u32(w, number);
        kith_writer_u32(w, kith_sparse_set_page_rows(set));
        kith_writer_u32(w, pages);
        kith_writer_u32(w, 0);
        kith_writer_u64s(w, set->head.stamps_, pages);
        kith_writer_end(w, KITH_TAG_STAMPS);
    }
}

// One of the two arrays of ticks, `behind` the first. What a hole has is nobody's.
static void write_tick_array(kith_writer *w, const kith_sparse_set *set, uint32_t first,
                             uint32_t count, uint32_t behind)
{
    for (uint32_t row = first; row < first + count; row++) {
        bool hole = (*kith_sparse_set_packed(set, row) & KITH_HOLE) != 0;
        kith_writer_u64(w, hole ? 0 : kith_row_tick_(&set->head, row)[behind]);
    }
}

static void write_ticks(kith_writer *w, const kith_sparse_set *set, uint32_t number)
{
    const uint32_t most = KITH_CHUNK_BYTES / (2 * sizeof(uint64_t));
    uint32_t       rows = kith_sparse_set_ticked(set) ? set->head.rows_ : 0;
    for (uint32_t row = 0, count; row < rows; row += count) {
        count = kith_least(most, rows - row);
        kith_writer_rows(w, number, row, count);
        write_tick_array(w, set, row, count, 0);
        write_tick_array(w, set, row, count, kith_sparse_set_page_rows(set));
        kith_writer_end(w, KITH_TAG_TICKS);
    }
}

static void write_journal(kith_writer *w, const kith_journal *journal, uint32_t number)
{
    if (journal->entries == NULL) {
        return;
    }
    kith_writer_begin(w);
    kith_writer_u32(w, number);
    kith_writer_u32(w, journal->capacity);
    kith_writer_u64(w, journal->written);
    kith_writer_u64(w, journal->lost);
    for (uint64_t i = kith_journal_oldest(journal); i < journal->written; i++) {
        const kith_removal *entry = kith_journal_entry(journal, i);
        kith_writer_u64(w, entry->entity);
        kith_writer_u64(w, entry->tick);
    }
    kith_writer_end(w, KITH_TAG_JOURNAL);
}

KITH_INTERNAL void kith_exact_write_column(kith_writer *writer, const kith_column *column,
                                           uint32_t number)
{
    write_stamps(writer, &column->pool.set, number);
    write_ticks(writer, &column->pool.set, number);
    write_journal(writer, &column->pool.journal, number);
}

// --- sets ------------------------------------------------------------------------------------

// The next entry at or behind a place whose entity counts, or the end.
static uint32_t next_member(const kith_reactive *set, uint32_t place)
{
    const kith_entity_table *living = kith_reactive_living(set);
    for (; place < set->gather.end; place++) {
        kith_entity entity = set->gather.entries[place].entity;
        if (entity != KITH_NULL && (living == NULL || kith_entity_table_alive(living, entity))) {
            break;
        }
    }
    return place;
}

static void write_set(kith_writer *w, const kith_reactive *set)
{
    uint32_t count = 0;
    kith_writer_begin(w);
    kith_writer_text(w, set->desc.name);
    kith_writer_u32(w, set->desc.keep_dead);
    kith_writer_u32(w, set->desc.condition_count);
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        kith_writer_u32(w, set->desc.conditions[i].on);
        kith_writer_text(w, set->watches[i].column->desc.name);
    }
    for (uint32_t i = next_member(set, 0); i < set->gather.end; i = next_member(set, i + 1)) {
        count++;
    }
    kith_writer_u64(w, set->since);
    kith_writer_u64(w, set->gather.newest);
    kith_writer_u32(w, count);
    for (uint32_t i = next_member(set, 0); i < set->gather.end; i = next_member(set, i + 1)) {
        kith_writer_u64(w, set->gather.entries[i].number);
        kith_writer_u64(w, set->gather.entries[i].entity);
    }
    kith_writer_end(w, KITH_TAG_SET);
}

// --- events ----------------------------------------------------------------------------------

KITH_INTERNAL const char *kith_exact_unsaid(const kith_world *world)
{
    const kith_queue *queue = world->queues;
    while (queue != NULL && (queue->waiting.count == 0 || queue->desc.size == 0 ||
                             queue->layout.form != KITH_FORM_NONE)) {
        queue = queue->next_queue;
    }
    return queue == NULL ? NULL : queue->desc.name;
}

KITH_INTERNAL void kith_writer_blob(kith_writer *writer, const kith_saver *by, const void *value)
{
    uint8_t nothing[1]; // an address, to which functions may copy 0 bytes
    size_t  size = by->write(value, nothing, 0, by->context);
    kith_writer_u32(writer, (uint32_t)size);
    void *place = size > UINT32_MAX ? NULL : kith_writer_extend(writer, size);
    if (place == NULL || by->write(value, place, size, by->context) != size) {
        writer->code = writer->code != KITH_OK ? writer->code : KITH_ERROR_HOOK;
    }
}

// An event of which nothing is saved is a byte, so that no file can claim more than it has.
static void write_event(kith_writer *w, const kith_queue *queue, const void *event)
{
    uint32_t packed = queue->layout.packed;
    if (queue->layout.form == KITH_FORM_FUNCTIONS) {
        kith_writer_blob(w, queue->desc.saved.functions, event);
        return;
    }
    uint8_t *to = kith_writer_extend(w, packed == 0 ? 1 : packed);
    if (to != NULL && packed != 0) {
        kith_layout_pack(&queue->layout, to, event, 1);
    } else if (to != NULL) {
        *to = 0;
    }
}

static void write_events(kith_writer *w, const kith_queue *queue)
{
    const kith_buffer *waiting = &queue->waiting;
    if (waiting->count == 0 || queue->layout.form == KITH_FORM_TRANSIENT) {
        return;
    }
    kith_writer_begin(w);
    kith_writer_text(w, queue->desc.name);
    kith_writer_u64(w, kith_saved_sum(&queue->desc.saved, queue->desc.size));
    kith_writer_u32(w, waiting->count);
    for (uint32_t i = 0; i < waiting->count && w->code == KITH_OK; i++) {
        write_event(w, queue, waiting->bytes + (size_t)i * queue->step);
    }
    kith_writer_end(w, KITH_TAG_EVENTS);
}

KITH_INTERNAL void kith_exact_write_waiting(kith_writer *writer, const kith_world *world)
{
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        write_set(writer, set);
    }
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        write_events(writer, queue);
    }
}

// --- queries and systems ---------------------------------------------------------------------

static void write_query(kith_writer *w, const kith_query *query)
{
    const kith_query_desc *desc = &query->desc;
    kith_writer_begin(w);
    kith_writer_text(w, desc->name);
    kith_writer_u32(w, desc->term_count);
    for (uint32_t i = 0; i < desc->term_count; i++) {
        kith_writer_u32(w, desc->terms[i].role);
        kith_writer_u32(w, desc->terms[i].group);
        kith_writer_text(w, kith_world_column(query->world, desc->terms[i].component)->desc.name);
    }
    kith_writer_u64(w, desc->since);
    kith_writer_end(w, KITH_TAG_QUERY);
}

static void write_system(kith_writer *w, const kith_system *system)
{
    uint64_t waited;
    memcpy(&waited, &system->waited, sizeof waited);
    kith_writer_begin(w);
    kith_writer_text(w, system->desc.name);
    kith_writer_u64(w, system->tick);
    kith_writer_u64(w, waited);
    kith_writer_u32(w, system->due);
    kith_writer_u32(w, system->enabled);
    kith_writer_end(w, KITH_TAG_SYSTEM);
}

KITH_INTERNAL void kith_exact_write_turns(kith_writer *writer, const kith_world *world)
{
    for (const kith_query *query = world->queries; query != NULL; query = query->next) {
        if ((query->plan.news || query->desc.since != 0) && query->owners != 0) {
            write_query(writer, query);
        }
    }
    for (uint32_t i = 0; world->schedule != NULL && i < world->schedule->graph.count; i++) {
        write_system(writer, world->schedule->graph.systems[i]);
    }
}
