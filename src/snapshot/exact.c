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
        kith_writer_begin(w);
        kith_writer_u32(w, number);
        kith_writer_u32(w, kith_sparse_set_page_rows(set));
        kith_writer_u32(w, pages);
        kith_writer_u32(w, 0);
        kith_writer_u64s(w, set->head.stamps_, pages);
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

KITH_INTERNAL void kith_exact_write_storage(kith_writer *writer, const kith_storage *storage,
                                            uint32_t number)
{
    write_stamps(writer, &storage->pool.set, number);
    write_ticks(writer, &storage->pool.set, number);
    write_journal(writer, &storage->pool.journal, number);
}

// --- writing sets ----------------------------------------------------------------------------

// The next entry from `place` on that has an entity: a living one, unless the set keeps the dead.
static uint32_t next_member(const kith_reactive *set, uint32_t place)
{
    const kith_entity_table *living = kith_reactive_living(set);
    for (; place < set->members.end; place++) {
        kith_entity entity = set->members.entries[place].entity;
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
        kith_writer_text(w, set->watches[i].storage->desc.name);
    }
    for (uint32_t i = next_member(set, 0); i < set->members.end; i = next_member(set, i + 1)) {
        count++;
    }
    kith_writer_u64(w, set->since);
    kith_writer_u64(w, set->members.newest);
    kith_writer_u32(w, count);
    for (uint32_t i = next_member(set, 0); i < set->members.end; i = next_member(set, i + 1)) {
        kith_writer_u64(w, set->members.entries[i].number);
        kith_writer_u64(w, set->members.entries[i].entity);
    }
    kith_writer_end(w, KITH_TAG_SET);
}

// --- writing events --------------------------------------------------------------------------

KITH_INTERNAL const char *kith_exact_unsavable_queue(const kith_world *world)
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
    uint8_t nothing[1]; // a valid address for functions that copy 0 bytes
    size_t  size = by->write(value, nothing, 0, by->context);
    kith_writer_u32(writer, (uint32_t)size);
    void *place = size > UINT32_MAX ? NULL : kith_writer_extend(writer, size);
    if (place == NULL || by->write(value, place, size, by->context) != size) {
        writer->code = writer->code != KITH_OK ? writer->code : KITH_ERROR_HOOK;
    }
}

// An event without saved fields takes one byte, so the length of a file bounds its event count.
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

KITH_INTERNAL void kith_exact_write_events(kith_writer *writer, const kith_world *world)
{
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        write_set(writer, set);
    }
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        write_events(writer, queue);
    }
}

// --- writing queries and systems -------------------------------------------------------------

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

KITH_INTERNAL void kith_exact_write_systems(kith_writer *writer, const kith_world *world)
{
    for (const kith_query *query = world->queries; query != NULL; query = query->next) {
        if ((query->plan.wants_changes || query->desc.since != 0) && !query->destroyed) {
            write_query(writer, query);
        }
    }
    for (uint32_t i = 0; world->schedule != NULL && i < world->schedule->graph.count; i++) {
        write_system(writer, world->schedule->graph.systems[i]);
    }
}

// --- reading components ----------------------------------------------------------------------

static size_t left_in(const kith_source *from)
{
    return from->ended ? 0 : from->size - from->at;
}

// Whether the world can have created the handle.
static bool is_handle(const kith_loader *l, kith_entity entity)
{
    const kith_entity_table *table = &l->staging.entities;
    return kith_entity_index(entity) < table->index_most && kith_entity_version(entity) != 0 &&
           kith_entity_version(entity) <= table->version_last;
}

static bool read_stamps(kith_loader *l, kith_staging_storage *target, const char *name)
{
    kith_source           *from   = &l->chunk.body;
    const kith_sparse_set *set    = &target->pool.set;
    uint32_t               rows   = kith_source_u32(from);
    uint32_t               pages  = kith_source_u32(from);
    uint32_t               unused = kith_source_u32(from);
    if (rows != kith_sparse_set_page_rows(set)) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT, "its pages have other sizes in this world",
                              name);
    }
    if (from->ended || unused != 0 || target->stamped != 0 || pages == 0 ||
        pages != pages_of(set) || (uint64_t)pages * sizeof(uint64_t) != left_in(from)) {
        return kith_load_malformed(l, "its stamps are malformed", name);
    }
    kith_numbers_u64(set->head.stamps_, kith_source_take(from, (size_t)pages * 8), pages);
    target->stamped = pages;
    return true;
}

// Reads one of the two arrays of ticks, `behind` entries after the first.
static void read_tick_array(const kith_sparse_set *set, uint32_t first, uint32_t count,
                            uint32_t behind, kith_source *from)
{
    for (uint32_t row = first, step; row < first + count; row += step) {
        step = kith_min(kith_sparse_set_rest_of_page(set, row), first + count - row);
        kith_numbers_u64(kith_row_tick_(&set->head, row) + behind,
                         kith_source_take(from, (size_t)step * 8), step);
    }
}

static bool read_ticks(kith_loader *l, kith_staging_storage *target, const char *name)
{
    kith_source           *from  = &l->chunk.body;
    const kith_sparse_set *set   = &target->pool.set;
    uint32_t               first = target->ticked;
    uint32_t               count;
    if (!kith_sparse_set_has_ticks(set)) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT, "its rows have no ticks in this world", name);
    }
    if (!kith_source_rows(from, first, set->head.rows_, 2 * sizeof(uint64_t), &count)) {
        return kith_load_malformed(l, "its ticks are not consecutive", name);
    }
    read_tick_array(set, first, count, 0, from);
    read_tick_array(set, first, count, kith_sparse_set_page_rows(set), from);
    target->ticked += count;
    return true;
}

static bool fill_journal(const kith_loader *l, kith_journal *journal, kith_source *from)
{
    bool right = true;
    for (uint64_t i = kith_journal_oldest(journal); i < journal->written && right; i++) {
        kith_removal *entry = &journal->entries[i % journal->capacity];
        entry->entity       = kith_source_u64(from);
        entry->tick         = kith_source_u64(from);
        right               = is_handle(l, entry->entity);
    }
    return right;
}

static bool read_journal(kith_loader *l, const kith_storage *storage)
{
    kith_source *from     = &l->chunk.body;
    const char  *name     = storage->desc.name;
    uint32_t     capacity = kith_source_u32(from);
    uint64_t     written  = kith_source_u64(from);
    uint64_t     lost     = kith_source_u64(from);
    uint64_t     entries  = written < capacity ? written : capacity;
    if (capacity != storage->pool.journal.capacity) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT, "its journal has another size in this world",
                              name);
    }
    if (capacity == 0 || written > UINT64_MAX / 2 || l->staging.storages[storage->order].staged ||
        entries * 2 * sizeof(uint64_t) != left_in(from)) {
        return kith_load_malformed(l, "its journal is malformed", name);
    }
    kith_journal *journal = kith_staging_journal(&l->staging, storage);
    if (journal == NULL) {
        return kith_load_no_memory(l);
    }
    journal->written = written;
    journal->lost    = lost;
    return fill_journal(l, journal, from) ||
           kith_load_malformed(l, "its journal has an invalid handle", name);
}

static bool check_exact(kith_loader *l)
{
    return l->staging.exact ||
           kith_load_malformed(l, "the file has exact state but is not exact", NULL);
}

KITH_INTERNAL bool kith_exact_read_storage(kith_loader *l, const kith_storage *storage)
{
    kith_staging_storage *target = &l->staging.storages[storage->order];
    if (!check_exact(l)) {
        return false;
    }
    switch (l->chunk.tag) {
    case KITH_TAG_STAMPS:
        return read_stamps(l, target, storage->desc.name);
    case KITH_TAG_TICKS:
        return read_ticks(l, target, storage->desc.name);
    default:
        return read_journal(l, storage);
    }
}

// A component that was unknown has pages of another size than in the file: its stamps are skipped.
static bool is_timed(const kith_staging *staging, uint32_t number)
{
    const kith_staging_storage *target = &staging->storages[number];
    const kith_sparse_set      *set    = &target->pool.set;
    uint32_t                    rows   = kith_sparse_set_has_ticks(set) ? set->head.rows_ : 0;
    return staging->world->storages[number]->unknown ||
           (target->stamped == pages_of(set) && target->ticked == rows);
}

KITH_INTERNAL bool kith_exact_complete(kith_loader *l)
{
    const kith_staging *staging = &l->staging;
    uint32_t            i       = 0;
    while (i < staging->storage_count && is_timed(staging, i)) {
        i++;
    }
    return i == staging->storage_count ||
           kith_load_fail(l, KITH_ERROR_CONFLICT, "the file lacks ticks of its rows",
                          staging->world->storages[i]->desc.name);
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

// The first set with the description in the chunk that is not staged yet, or NULL.
static const kith_reactive *find_set(const kith_staging *staging, kith_source *from)
{
    const kith_source    start = *from;
    const kith_reactive *set   = staging->world->reactives;
    for (uint32_t i = 0; i < staging->set_count; i++, set = set->next) {
        *from = start;
        if (!staging->sets[i].given && is_set(from, set)) {
            return set;
        }
    }
    return NULL;
}

static bool fill_set(const kith_loader *l, kith_entity_set *members, uint32_t count,
                     kith_source *from)
{
    bool right = true;
    for (uint32_t i = 0; i < count && right; i++) {
        uint64_t    number = kith_source_u64(from);
        kith_entity entity = kith_source_u64(from);
        right              = number > members->newest && is_handle(l, entity) &&
                !kith_entity_set_has(members, entity);
        members->newest = number - 1;
        if (right) {
            kith_entity_set_add(members, entity, NULL);
        }
    }
    return right;
}

static bool read_set(kith_loader *l, kith_source *from)
{
    const kith_reactive *set = find_set(&l->staging, from);
    if (set == NULL) {
        return true;
    }
    uint64_t          since   = kith_source_u64(from);
    uint64_t          newest  = kith_source_u64(from);
    uint32_t          count   = kith_source_u32(from);
    kith_staging_set *target  = kith_staging_members(&l->staging, set);
    kith_entity_set  *members = &target->members;
    if (from->ended || (uint64_t)count * 2 * sizeof(uint64_t) != left_in(from) ||
        newest > UINT64_MAX / 2) {
        return kith_load_malformed(l, "a reactive set is malformed", set->desc.name);
    }
    if (!kith_entity_set_reserve(members, &l->world->memory, count, NULL)) {
        return kith_load_no_memory(l);
    }
    members->newest = 0;
    if (!fill_set(l, members, count, from) || members->newest > newest) {
        return kith_load_malformed(l, "the members of a reactive set are malformed",
                                   set->desc.name);
    }
    members->newest = newest;
    target->since   = since;
    return true;
}

// --- reading events --------------------------------------------------------------------------

static const char *read_event_blob(kith_source *source, const kith_saver *by, void *event)
{
    uint32_t       size  = kith_source_u32(source);
    const uint8_t *bytes = kith_source_take(source, size);
    if (bytes == NULL) {
        return "a value is too short";
    }
    return by->read(event, bytes, size, by->context) ? NULL : "its read function refused a value";
}

static const char *read_event(const kith_queue *queue, uint8_t *event, kith_source *from)
{
    const kith_layout *layout = &queue->layout;
    uint32_t           bad    = 0;
    memset(event, 0, queue->step);
    if (layout->form == KITH_FORM_FUNCTIONS) {
        return read_event_blob(from, queue->desc.saved.functions, event);
    }
    const uint8_t *packed = kith_source_take(from, layout->packed == 0 ? 1 : layout->packed);
    if (packed == NULL) {
        return "an event is too short";
    }
    return layout->packed == 0 || kith_layout_unpack(layout, event, packed, 1, &bad)
               ? NULL
               : "a boolean is neither 0 nor 1";
}

static bool fill_queue(kith_loader *l, const kith_queue *queue, kith_buffer *waiting,
                       uint32_t count)
{
    kith_source *from  = &l->chunk.body;
    const char  *fault = NULL;
    if (!kith_queue_alloc_buffer(queue, waiting, count)) {
        return kith_load_no_memory(l);
    }
    for (; waiting->count < count && fault == NULL; waiting->count++) {
        fault = read_event(queue, waiting->bytes + (size_t)waiting->count * queue->step, from);
    }
    if (fault == NULL && left_in(from) != 0) {
        fault = "bytes follow the last event";
    }
    return fault == NULL || kith_load_malformed(l, fault, queue->desc.name);
}

// The queue with the name that comes next in the chunk, and its staged events; or NULL.
static const kith_queue *named_queue(const kith_staging *staging, kith_source name,
                                     kith_staged_queue **staged)
{
    const kith_queue *queue = staging->world->queues;
    for (*staged = staging->runtime.queues; queue != NULL; queue = queue->next_queue) {
        kith_source again = name;
        if (kith_source_is_text(&again, queue->desc.name)) {
            break;
        }
        ++*staged;
    }
    return queue;
}

static bool read_events(kith_loader *l, kith_source *from)
{
    char               text[64] = { 0 };
    kith_staged_queue *staged;
    const kith_queue  *queue  = named_queue(&l->staging, *from, &staged);
    uint32_t           length = 0;
    const char        *name   = kith_source_text(from, &length);
    uint64_t           schema = kith_source_u64(from);
    uint32_t           count  = kith_source_u32(from);
    if (from->ended || (queue != NULL && staged->given)) {
        return kith_load_malformed(l, "events are malformed", NULL);
    }
    if (queue == NULL) {
        memcpy(text, name, kith_min(length, sizeof text - 1));
        return kith_load_fail(l, KITH_ERROR_CONFLICT,
                              "the file has events of a queue that this world lacks", text);
    }
    if (schema != kith_saved_sum(&queue->desc.saved, queue->desc.size)) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT,
                              "its events have another save form in this world", queue->desc.name);
    }
    uint32_t least = queue->layout.packed == 0 ? 1 : queue->layout.packed;
    if (count > kith_queue_limit(queue) || (uint64_t)count * least > left_in(from)) {
        return kith_load_malformed(l, "there are too many events", queue->desc.name);
    }
    staged->given = true;
    return fill_queue(l, queue, &staged->waiting, count);
}

// --- reading queries and systems -------------------------------------------------------------

static bool is_term(kith_source *from, const kith_world *world, const kith_term *term)
{
    bool role = kith_source_u32(from) == (uint32_t)term->role;
    bool list = kith_source_u32(from) == term->any_list;
    return role && list &&
           kith_source_is_text(from, kith_world_storage(world, term->component)->desc.name);
}

static bool is_query(kith_source *from, const kith_query *query)
{
    bool same = !query->destroyed && kith_source_is_text(from, query->desc.name) &&
                kith_source_u32(from) == query->desc.term_count;
    for (uint32_t i = 0; i < query->desc.term_count && same; i++) {
        same = is_term(from, query->object.world, &query->desc.terms[i]);
    }
    return same;
}

static bool read_query(kith_loader *l, kith_source *from)
{
    kith_staged_query *queries = l->staging.runtime.queries;
    const kith_source  start   = *from;
    const kith_query  *query   = l->world->queries;
    kith_staged_query *found   = NULL;
    for (uint32_t i = 0; i < l->staging.runtime.query_count && found == NULL; i++) {
        *from = start;
        if (!queries[i].given && is_query(from, query)) {
            found = &queries[i];
        }
        query = query->next;
    }
    if (found == NULL) {
        return true;
    }
    found->since = kith_source_u64(from);
    found->given = true;
    return (!from->ended && left_in(from) == 0) ||
           kith_load_malformed(l, "a query is malformed", NULL);
}

// Reads a name. Returns the number of the system with that name, or KITH_NO_SYSTEM.
static uint32_t named_system(const kith_world *world, kith_source *from)
{
    const kith_graph *graph = world->schedule == NULL ? NULL : &world->schedule->graph;
    const kith_source start = *from;
    for (uint32_t i = 0; graph != NULL && i < graph->count; i++) {
        *from = start;
        if (kith_source_is_text(from, graph->systems[i]->desc.name)) {
            return i;
        }
    }
    return KITH_NO_SYSTEM;
}

static bool read_system(kith_loader *l, kith_source *from)
{
    uint32_t number = named_system(l->world, from);
    if (number == KITH_NO_SYSTEM) {
        return true;
    }
    kith_staged_system *system    = &l->staging.runtime.systems[number];
    uint64_t            tick      = kith_source_u64(from);
    uint64_t            waited    = kith_source_u64(from);
    uint32_t            requested = kith_source_u32(from);
    uint32_t            enabled   = kith_source_u32(from);
    bool                twice     = system->given;
    system->tick                  = tick;
    system->requested             = requested != 0;
    system->enabled               = enabled != 0;
    system->given                 = true;
    memcpy(&system->waited, &waited, sizeof waited);
    bool time = system->waited >= 0 && system->waited <= 1e300;
    return (!twice && !from->ended && left_in(from) == 0 && tick <= l->staging.tick &&
            requested <= 1 && enabled <= 1 && time) ||
           kith_load_malformed(l, "a system is malformed",
                               l->world->schedule->graph.systems[number]->desc.name);
}

KITH_INTERNAL bool kith_exact_read(kith_loader *l)
{
    if (l->desc->state_only || !check_exact(l)) {
        return l->desc->state_only;
    }
    switch (l->chunk.tag) {
    case KITH_TAG_SET:
        return read_set(l, &l->chunk.body);
    case KITH_TAG_EVENTS:
        return read_events(l, &l->chunk.body);
    case KITH_TAG_QUERY:
        return read_query(l, &l->chunk.body);
    default:
        return read_system(l, &l->chunk.body);
    }
}
