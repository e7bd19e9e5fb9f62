// SPDX-License-Identifier: MIT
// Writes and reads the chunks that only an exact snapshot has: ticks, journals, sets, events,
// turns.
#include "event/event.h"
#include "snapshot/load.h"

// --- writing components ----------------------------------------------------------------------

static uint32_t pages_of(const kith_sparse_set *set)
{
    uint32_t last = kith_sparse_set_page_rows(set) - 1;
    return (uint32_t)(((uint64_t)set->head.rows_ + last) >> set->head.shift_);
}

static void write_stamps(kith_writer *w, const kith_sparse_set *set, uint32_t number)
{
    uint32_t pages = pages_of(set);
    if (pages != 0) {
        kith_writer_rows(w, number, kith_sparse_set_page_rows(set), pages);
        kith_writer_numbers(w, set->head.stamps_, pages, sizeof(uint64_t));
        kith_writer_end(w, KITH_TAG_STAMPS);
    }
}

// Writes one of the two arrays of ticks, `behind` entries after the first. A hole writes 0.
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
    uint32_t       rows = kith_sparse_set_has_ticks(set) ? set->head.rows_ : 0;
    for (uint32_t row = 0, count; row < rows; row += count) {
        count = kith_min(most, rows - row);
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
    kith_writer_begin_pair(w, number, journal->capacity);
    kith_writer_u64(w, journal->written);
    kith_writer_u64(w, journal->lost);
    for (uint64_t i = kith_journal_oldest(journal); i < journal->written; i++) {
        const kith_removal *entry = kith_journal_entry(journal, i);
        kith_writer_u64(w, entry->entity);
        kith_writer_u64(w, entry->tick);
    }
    kith_writer_end(w, KITH_TAG_JOURNAL);
}

// --- writing sets ----------------------------------------------------------------------------

static void write_set(kith_writer *w, const kith_reactive *set)
{
    const kith_entity_table *living = kith_reactive_living(set);
    uint32_t                 count  = 0;
    kith_writer_begin(w);
    kith_writer_text(w, set->desc.name);
    kith_writer_u32(w, set->desc.keep_dead);
    kith_writer_u32(w, set->desc.condition_count);
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        kith_writer_u32(w, set->desc.conditions[i].on);
        kith_writer_text(w, set->watches[i].storage->desc.name);
    }
    kith_writer_u64(w, set->since);
    kith_writer_u64(w, set->members.newest);
    kith_writer_u32(w, 0); // the count, which is known at the end
    size_t count_at = w->out->size - sizeof count;
    for (uint32_t i = 0; i < set->members.end; i++) {
        const kith_entity_set_member *member = &set->members.entries[i];
        if (member->entity != KITH_NULL &&
            (living == NULL || kith_entity_table_alive(living, member->entity))) {
            kith_writer_u64(w, member->number);
            kith_writer_u64(w, member->entity);
            count++;
        }
    }
    if (w->code == KITH_OK) {
        kith_copy_numbers(w->out->data + count_at, &count, 1, sizeof count);
    }
    kith_writer_end(w, KITH_TAG_SET);
}

// --- writing events --------------------------------------------------------------------------

const char *kith_exact_unsavable_queue(const kith_world *world)
{
    const kith_queue *queue = world->queues;
    while (queue != NULL && (queue->waiting.count == 0 || queue->desc.size == 0 ||
                             queue->layout.form != KITH_FORM_NONE)) {
        queue = queue->next_queue;
    }
    return queue == NULL ? NULL : queue->desc.name;
}

// The fewest bytes of an event in a file. Without saved fields an event takes one byte, so the
// length of a file bounds its event count.
static uint32_t event_bytes(const kith_queue *queue)
{
    return queue->layout.packed == 0 ? 1 : queue->layout.packed;
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
        kith_writer_value(w, &queue->layout, queue->desc.saved.functions,
                          waiting->bytes + (size_t)i * queue->step);
        if (queue->layout.form != KITH_FORM_FUNCTIONS && queue->layout.packed == 0) {
            kith_writer_numbers(w, "", 1, 1);
        }
    }
    kith_writer_end(w, KITH_TAG_EVENTS);
}

// --- writing queries and systems -------------------------------------------------------------

// Whether an exact snapshot has the query: it looks for changes, or an alike one behind it does. A
// load gives the state of alike queries to the first that has none yet.
static bool is_query_saved(const kith_query *query)
{
    const char *name    = kith_name_shown(query->desc.name);
    bool        written = false;
    for (const kith_query *q = query; q != NULL && !written; q = q->next) {
        written = (q->plan.wants_changes || q->desc.since != 0) && !q->destroyed &&
                  strcmp(kith_name_shown(q->desc.name), name) == 0 &&
                  kith_plan_same_terms(&q->desc, &query->desc);
    }
    return written && !query->destroyed;
}

static void write_query(kith_writer *w, const kith_query *query)
{
    const kith_query_desc *desc = &query->desc;
    kith_writer_begin(w);
    kith_writer_text(w, desc->name);
    kith_writer_u32(w, desc->term_count);
    for (uint32_t i = 0; i < desc->term_count; i++) {
        kith_writer_u32(w, desc->terms[i].role);
        kith_writer_u32(w, desc->terms[i].any_list);
        kith_writer_text(
            w, kith_world_storage(query->object.world, desc->terms[i].component)->desc.name);
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
    kith_writer_u32(w, system->requested);
    kith_writer_u32(w, system->enabled);
    kith_writer_end(w, KITH_TAG_SYSTEM);
}

// --- writing all of these --------------------------------------------------------------------

void kith_exact_write_storage(kith_writer *writer, const kith_storage *storage, uint32_t number)
{
    write_stamps(writer, &storage->pool.set, number);
    write_ticks(writer, &storage->pool.set, number);
    write_journal(writer, &storage->pool.journal, number);
}

void kith_exact_write_others(kith_writer *writer, const kith_world *world, const kith_world *turns)
{
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        write_set(writer, set);
    }
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        write_events(writer, queue);
    }
    for (const kith_query *query = turns->queries; query != NULL; query = query->next) {
        if (is_query_saved(query)) {
            write_query(writer, query);
        }
    }
    for (uint32_t i = 0; turns->schedule != NULL && i < turns->schedule->graph.count; i++) {
        write_system(writer, turns->schedule->graph.systems[i]);
    }
}

// --- reading components ----------------------------------------------------------------------

bool kith_exact_read_stamps(kith_loader *l, kith_staged_component *target)
{
    kith_source           *from   = &l->reader.body;
    const kith_sparse_set *set    = &target->pool.set;
    uint32_t               rows   = kith_source_u32(from);
    uint32_t               pages  = kith_source_u32(from);
    uint32_t               unused = kith_source_u32(from);
    if (rows != kith_sparse_set_page_rows(set)) {
        return kith_reader_conflict(&l->reader, "its pages have other sizes in this world");
    }
    if (from->ended || unused != 0 || target->stamped != 0 || pages == 0 ||
        pages != pages_of(set) || !kith_source_holds(from, pages, sizeof(uint64_t))) {
        return kith_reader_malformed(&l->reader, "its stamps are malformed");
    }
    kith_source_numbers(from, set->head.stamps_, pages, sizeof(uint64_t));
    target->stamped = pages;
    return true;
}

bool kith_exact_read_ticks(kith_loader *l, kith_staged_component *target)
{
    kith_source           *from  = &l->reader.body;
    const kith_sparse_set *set   = &target->pool.set;
    uint32_t               first = target->ticked;
    uint32_t               count;
    if (!kith_sparse_set_has_ticks(set)) {
        return kith_reader_conflict(&l->reader, "its rows have no ticks in this world");
    }
    if (!kith_source_rows(from, first, set->head.rows_, 2 * sizeof(uint64_t), &count)) {
        return kith_reader_malformed(&l->reader, "its ticks are not consecutive");
    }
    for (uint32_t row = first; row < first + count; row++) {
        *kith_row_tick_(&set->head, row) = kith_source_u64(from);
    }
    for (uint32_t row = first; row < first + count; row++) {
        *kith_sparse_set_added_tick(set, row) = kith_source_u64(from);
    }
    target->ticked += count;
    return true;
}

bool kith_exact_read_journal(kith_loader *l, kith_staged_component *target)
{
    kith_source *from     = &l->reader.body;
    uint32_t     capacity = kith_source_u32(from);
    uint64_t     written  = kith_source_u64(from);
    uint64_t     lost     = kith_source_u64(from);
    uint64_t     entries  = written < capacity ? written : capacity;
    if (capacity != target->storage->pool.journal.capacity) {
        return kith_reader_conflict(&l->reader, "its journal has another size in this world");
    }
    if (capacity == 0 || written > UINT64_MAX / 2 || target->pool.journal.entries != NULL ||
        !kith_source_holds(from, entries, 2 * sizeof(uint64_t))) {
        return kith_reader_malformed(&l->reader, "its journal is malformed");
    }
    kith_journal *journal = &target->pool.journal;
    if (!kith_journal_init(journal, l->memory, capacity)) {
        return kith_reader_no_memory(&l->reader);
    }
    journal->written = written;
    journal->lost    = lost;
    for (uint64_t i = kith_journal_oldest(journal); i < written; i++) {
        kith_removal *entry = &journal->entries[i % capacity];
        entry->entity       = kith_source_u64(from);
        entry->tick         = kith_source_u64(from);
        if (!kith_entity_table_may_have(&l->entities, entry->entity)) {
            return kith_reader_malformed(&l->reader, "its journal has an invalid handle");
        }
    }
    return true;
}

bool kith_exact_complete(kith_loader *l)
{
    for (uint32_t i = 0; i < l->storage_count; i++) {
        const kith_staged_component *target = &l->storages[i];
        const kith_sparse_set       *set    = &target->pool.set;
        uint32_t                     rows   = kith_sparse_set_has_ticks(set) ? set->head.rows_ : 0;
        // a component that was unknown has pages of another size: its stamps are skipped
        if (!target->storage->unknown &&
            (target->stamped != pages_of(set) || target->ticked != rows)) {
            return kith_reader_fail(&l->reader, KITH_ERROR_CONFLICT,
                                    "the file lacks ticks of its rows", target->storage->desc.name);
        }
    }
    return true;
}

// --- reading sets ----------------------------------------------------------------------------

// Reads the description of a set in the chunk. Whether `set` has the same one.
static bool is_set(kith_source *from, const kith_reactive *set)
{
    bool     same  = kith_source_is_text(from, set->desc.name);
    uint32_t keeps = kith_source_u32(from);
    uint32_t count = kith_source_u32(from);
    same           = same && keeps == set->desc.keep_dead && count == set->desc.condition_count;
    for (uint32_t i = 0; i < set->desc.condition_count && same; i++) {
        same = kith_source_u32(from) == set->desc.conditions[i].on &&
               kith_source_is_text(from, set->watches[i].storage->desc.name);
    }
    return same;
}

// Reads members with ascending numbers, the last of which is at most `newest`.
static bool fill_set(const kith_loader *l, kith_entity_set *members, uint32_t count,
                     uint64_t newest, kith_source *from)
{
    members->newest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t    number = kith_source_u64(from);
        kith_entity entity = kith_source_u64(from);
        if (number <= members->newest || !kith_entity_table_may_have(&l->entities, entity) ||
            kith_entity_set_has(members, entity)) {
            return false;
        }
        members->newest = number - 1;
        kith_entity_set_add(members, entity, NULL);
    }
    bool right      = members->newest <= newest;
    members->newest = newest;
    return right;
}

static bool read_set(kith_loader *l, kith_staged_other *target)
{
    kith_source *from = &l->reader.body;
    target->given     = true;
    target->since     = kith_source_u64(from);
    uint64_t newest   = kith_source_u64(from);
    uint32_t count    = kith_source_u32(from);
    if (from->ended || !kith_source_holds(from, count, 2 * sizeof(uint64_t)) ||
        newest > UINT64_MAX / 2) {
        return kith_reader_malformed(&l->reader, "a reactive set is malformed");
    }
    if (!kith_entity_set_reserve(&target->members, l->memory, count, NULL)) {
        return kith_reader_no_memory(&l->reader);
    }
    return fill_set(l, &target->members, count, newest, from) ||
           kith_reader_malformed(&l->reader, "the members of a reactive set are malformed");
}

// --- reading events --------------------------------------------------------------------------

static bool read_event(kith_loader *l, const kith_queue *queue, void *event)
{
    kith_source      *from  = &l->reader.body;
    const kith_saver *by    = queue->desc.saved.functions;
    bool              blob  = queue->layout.form == KITH_FORM_FUNCTIONS;
    uint32_t          size  = blob ? kith_source_u32(from) : event_bytes(queue);
    const uint8_t    *bytes = kith_source_take(from, size);
    const char       *fault =
        blob ? "its read function refused an event" : "a boolean is neither 0 nor 1";
    memset(event, 0, queue->step);
    if (bytes == NULL) {
        fault = "an event is too short";
    } else if (blob ? by->read(event, bytes, size, by->context)
                    : kith_layout_unpack_over(&queue->layout, event, bytes)) {
        return true;
    }
    return kith_reader_malformed(&l->reader, fault);
}

static bool fill_queue(kith_loader *l, kith_staged_other *target, uint32_t count)
{
    const kith_queue *queue   = target->queue;
    kith_buffer      *waiting = &target->waiting;
    bool              good    = true;
    if (!kith_queue_alloc_buffer(queue, waiting, count)) {
        return kith_reader_no_memory(&l->reader);
    }
    for (; waiting->count < count && good; waiting->count++) {
        good = read_event(l, queue, waiting->bytes + (size_t)waiting->count * queue->step);
    }
    return good && (kith_source_left(&l->reader.body) == 0 ||
                    kith_reader_malformed(&l->reader, "bytes follow the last event"));
}

static bool read_events(kith_loader *l, kith_staged_other *target)
{
    kith_source *from   = &l->reader.body;
    uint32_t     length = 0;
    const char  *name   = target == NULL ? kith_source_text(from, &length) : NULL;
    uint64_t     schema = kith_source_u64(from);
    uint32_t     count  = kith_source_u32(from);
    if (from->ended || (target != NULL && target->given)) {
        return kith_reader_malformed(&l->reader, "events are malformed");
    }
    if (target == NULL) {
        return kith_reader_fail_named(&l->reader, KITH_ERROR_CONFLICT,
                                      "the file has events of a queue that this world lacks", name,
                                      length);
    }
    const kith_queue *queue = target->queue;
    if (schema != kith_saved_sum(&queue->desc.saved, queue->desc.size)) {
        return kith_reader_conflict(&l->reader, "its events have another save form in this world");
    }
    if (count > kith_queue_limit(queue) ||
        (uint64_t)count * event_bytes(queue) > kith_source_left(from)) {
        return kith_reader_malformed(&l->reader, "there are too many events");
    }
    target->given = true;
    return fill_queue(l, target, count);
}

// --- reading queries and systems -------------------------------------------------------------

// Reads the description of a query in the chunk. Whether `query` has the same one.
static bool is_query(kith_source *from, const kith_query *query)
{
    bool same = !query->destroyed && kith_source_is_text(from, query->desc.name) &&
                kith_source_u32(from) == query->desc.term_count;
    for (uint32_t i = 0; i < query->desc.term_count && same; i++) {
        const kith_term    *term    = &query->desc.terms[i];
        const kith_storage *storage = kith_world_storage(query->object.world, term->component);
        same                        = kith_source_u32(from) == (uint32_t)term->role &&
               kith_source_u32(from) == term->any_list &&
               kith_source_is_text(from, storage->desc.name);
    }
    return same;
}

static bool read_query(kith_loader *l, kith_staged_other *target)
{
    kith_source *from = &l->reader.body;
    target->since     = kith_source_u64(from);
    target->given     = true;
    return (!from->ended && kith_source_left(from) == 0) ||
           kith_reader_malformed(&l->reader, "a query is malformed");
}

static bool read_system(kith_loader *l, kith_staged_other *target)
{
    kith_source *from  = &l->reader.body;
    bool         twice = target->given;
    target->given      = true;
    target->since      = kith_source_u64(from);
    uint64_t waited    = kith_source_u64(from);
    uint32_t requested = kith_source_u32(from);
    uint32_t enabled   = kith_source_u32(from);
    target->requested  = requested != 0;
    target->enabled    = enabled != 0;
    memcpy(&target->waited, &waited, sizeof waited);
    return (!twice && !from->ended && kith_source_left(from) == 0 && target->since <= l->tick &&
            requested <= 1 && enabled <= 1 && target->waited >= 0 && target->waited <= 1e300) ||
           kith_reader_malformed(&l->reader, "a system is malformed");
}

// --- reading all of these --------------------------------------------------------------------

// Reads the description in the chunk, or the name. Whether it is that of `other`; of sets and
// queries, which may be alike, the first that is not yet read.
static bool is_described(kith_source *from, const kith_staged_other *other)
{
    switch (other->tag) {
    case KITH_TAG_SET:
        return !other->given && is_set(from, other->set);
    case KITH_TAG_QUERY:
        return !other->given && is_query(from, other->query);
    default:
        return kith_source_is_text(from, other->name);
    }
}

// Finds what the chunk describes and moves the body behind the description. NULL: this world lacks
// it, or has read it.
static kith_staged_other *find_described(kith_loader *l)
{
    for (uint32_t i = 0; i < l->other_count; i++) {
        kith_source from = l->reader.body;
        if (l->others[i].tag == l->reader.tag && is_described(&from, &l->others[i])) {
            l->reader.body  = from;
            l->reader.about = l->others[i].name;
            return &l->others[i];
        }
    }
    return NULL;
}

bool kith_exact_read(kith_loader *l)
{
    kith_staged_other *target = find_described(l);
    switch (l->reader.tag) {
    case KITH_TAG_EVENTS:
        return read_events(l, target);
    case KITH_TAG_SET:
        return target == NULL || read_set(l, target);
    case KITH_TAG_QUERY:
        return target == NULL || read_query(l, target);
    default:
        return target == NULL || read_system(l, target);
    }
}
