// SPDX-License-Identifier: MIT
// Saves a world as chunks, in the order of docs/format.md; hashes its exact state.
#include "snapshot/save.h"

#include "command/command.h"
#include "snapshot/hash.h"
#include "snapshot/schema.h"

typedef struct saving {
    kith_writer          *writer;
    const kith_world     *world;
    const kith_world     *turns;
    const kith_save_desc *desc;
    const kith_storage  **chosen; // the components that are saved, by their numbers in the file
    uint32_t              count;  // of them
} saving;

// --- what is saved ---------------------------------------------------------------------------

static void list_chosen(saving *save)
{
    for (uint32_t i = 0; i < save->world->storage_count; i++) {
        if (kith_storage_is_chosen(save->desc, save->world->storages[i])) {
            save->chosen[save->count++] = save->world->storages[i];
        }
    }
}

const char *kith_world_busy_reason(const kith_world *world)
{
    if (world->shared.held != 0 || world->head.busy_ != 0) {
        return "a loop is open, or a hook or listener runs";
    }
    for (const kith_object *o = world->oldest; o != NULL; o = o->next_) {
        if (o->ops == &kith_commands_ops && ((const kith_commands *)o)->report.recorded != 0) {
            return "a command buffer is not empty: apply and clear it first";
        }
    }
    return NULL;
}

static bool check_saving(const saving *save, kith_result *result)
{
    const char *why   = kith_world_busy_reason(save->world);
    const char *level = kith_pack_fault(save->desc->zstd_level);
    const char *queue = save->desc->exact ? kith_exact_unsavable_queue(save->world) : NULL;
    if (why != NULL) {
        return kith_result_fail(result, KITH_ERROR_BUSY, 0, "%s", why);
    }
    if (level != NULL) {
        return kith_result_fail(result, KITH_ERROR_ARGUMENT, 0, "%s", level);
    }
    for (uint32_t i = 0; i < save->count; i++) {
        if (kith_storage_is_unsavable(save->chosen[i])) {
            return kith_result_fail(
                result, KITH_ERROR_UNSAVED, 0,
                "component \"%s\" has no save form: declare it with KITH_COMPONENT_AS",
                save->chosen[i]->desc.name);
        }
    }
    return queue == NULL || kith_result_fail(result, KITH_ERROR_UNSAVED, 0,
                                             "queue \"%s\" has events but no save form: set "
                                             "kith_queue_desc.saved",
                                             queue);
}

// --- descriptions ----------------------------------------------------------------------------

static void write_table(kith_writer *w, const kith_fields *table);

static void write_field(kith_writer *w, const kith_field *f)
{
    kith_writer_text(w, f->name);
    kith_writer_text(w, f->unit);
    kith_writer_u32(w, f->type);
    kith_writer_u32(w, f->type == KITH_TYPE_STRUCT ? 0 : f->size);
    kith_writer_u32(w, f->count);
    if (f->type == KITH_TYPE_STRUCT) {
        write_table(w, f->nested);
    } else if (f->type == KITH_TYPE_ENUM) {
        kith_writer_text(w, f->choices->name);
        kith_writer_u32(w, f->choices->count);
        for (uint32_t i = 0; i < f->choices->count; i++) {
            kith_writer_text(w, f->choices->list[i].name);
            kith_writer_u64(w, (uint64_t)f->choices->list[i].value);
        }
    }
}

// Skipped fields are neither in the file nor in its tables.
static void write_table(kith_writer *w, const kith_fields *table)
{
    uint32_t count = 0;
    for (uint32_t at = 0; kith_fields_next(table, &at) != NULL;) {
        count++;
    }
    kith_writer_text(w, table->name);
    kith_writer_u32(w, count);
    for (uint32_t at = 0; count > 0; count--) {
        write_field(w, kith_fields_next(table, &at));
    }
}

static void write_component(kith_writer *w, const kith_storage *storage, uint32_t number)
{
    const kith_component_desc *desc    = &storage->desc;
    const kith_saved          *saved   = &desc->traits.saved;
    const kith_sparse_set     *set     = &storage->pool.set;
    const kith_schema_numbers  numbers = {
         .id      = desc->id,
         .kind    = desc->kind,
         .policy  = desc->traits.policy,
         .form    = saved->form,
         .unit    = saved->form == KITH_FORM_PLAIN || kith_saved_is_text(saved) ? saved->unit : 0,
         .version = saved->version,
         .packed  = storage->layout.packed,
         .rows    = set->head.rows_,
         .holes   = set->holes,
    };
    kith_writer_begin(w);
    kith_writer_u32(w, number);
    kith_writer_text(w, desc->name);
    kith_writer_numbers(w, &numbers, KITH_SCHEMA_NUMBERS, sizeof(uint32_t));
    kith_writer_u64(w, kith_saved_sum(saved, desc->size));
    if (saved->form == KITH_FORM_FIELDS) {
        write_table(w, saved->fields);
    }
    kith_writer_end(w, KITH_TAG_COMPONENT);
}

KITH_NOINLINE static void write_world(saving *save)
{
    kith_writer             *w      = save->writer;
    const kith_entity_table *table  = &save->world->entities;
    bool                     listed = table->free != 0 && table->order != KITH_FREE_LOWEST;
    const kith_world_facts   facts  = {
           .components   = save->count,
           .slots        = table->count,
           .free         = table->free,
           .retired      = table->retired,
           .head         = listed ? table->head : KITH_SLOT_END,
           .tail         = listed && table->order == KITH_FREE_FIFO ? table->tail : KITH_SLOT_END,
           .first_index  = table->first_index,
           .version_last = table->version_last,
           .order        = table->order,
           .queued       = table->queued,
           .exact        = save->desc->exact,
    };
    kith_writer_begin(w);
    kith_writer_numbers(w, &facts, KITH_WORLD_NUMBERS, sizeof(uint32_t));
    kith_writer_u64(w, save->world->tick);
    kith_writer_end(w, KITH_TAG_WORLD);
}

// --- entities and rows -----------------------------------------------------------------------
//
// The slots of entities and the entity indices of rows are mostly consecutive. A run of them is a
// chunk that has only the first; what lies between runs is written number by number.

// Shorter runs are written number by number.
#define RUN_LEAST 64u
#define RUN_BYTES (KITH_LIVING_MOST * sizeof(uint64_t)) // also KITH_RUN_MOST indices

// A run that breaks within a step ends with the step before.
#define STEP_BYTES 1024u

// Slots or rows.
typedef struct numbering {
    const kith_entity_table *table;
    const kith_sparse_set   *set; // NULL: the slots of `table`
    uint32_t                 count;
    uint32_t                 size; // of a number
    uint32_t                 page; // numbers in a page, a power of two
    bool                     flat; // there are no runs
} numbering;

// Counts the numbers from `at` on that continue a run from `first` on: they are consecutive, and
// the entities alive. Looks at one step, or at a page of slots if it is known to be alike.
static uint32_t continue_run(const numbering *n, uint32_t first, uint32_t at, uint32_t most)
{
    uint32_t step = kith_min(n->page, STEP_BYTES / n->size);
    uint32_t part = kith_min(step - (at & (step - 1)), most);
    bool     same;
    if (n->set != NULL) {
        const uint32_t *packed = kith_sparse_set_packed(n->set, at);
        uint32_t        index  = *kith_sparse_set_packed(n->set, first);
        same                   = (index & KITH_HOLE) == 0 &&
               kith_array_is_numbered32(packed, index + (at - first), part);
    } else {
        const kith_entity_page *page = kith_entity_page_of(n->table, at);
        uint64_t                slot = *kith_entity_slot_of(n->table, first);
        same                         = kith_entity_index(slot) == first;
        if (same && page->known.version == kith_entity_version(slot)) {
            return kith_min(KITH_PAGE_SLOTS - at % KITH_PAGE_SLOTS, most);
        }
        same = same &&
               kith_array_is_numbered(kith_entity_slot_of(n->table, at), slot + (at - first), part);
    }
    return same ? part : 0;
}

// Returns the length of the run that begins at `first`, at most what one chunk holds; 0: none.
static uint32_t run_length(const numbering *n, uint32_t first)
{
    uint32_t most = n->flat ? 0 : kith_min(n->count - first, RUN_BYTES / n->size);
    uint32_t run  = 0;
    for (uint32_t part = 1; run < most && part != 0; run += part) {
        part = continue_run(n, first, first + run, most - run);
    }
    return run < RUN_LEAST ? 0 : run;
}

// Counts the numbers up to the next run, at most what one chunk holds. Runs begin with a page.
static uint32_t count_to_run(const numbering *n, uint32_t first)
{
    uint32_t most = kith_min(KITH_CHUNK_BYTES / n->size, n->count - first);
    uint32_t done = 0;
    do {
        done += kith_min(n->page - ((first + done) & (n->page - 1)), most - done);
    } while (done < most && run_length(n, first + done) == 0);
    return done;
}

static void write_slots(kith_writer *w, const kith_entity_table *table)
{
    const numbering slots = {
        table, NULL, table->count, sizeof(uint64_t), KITH_PAGE_SLOTS, w->flat
    };
    for (uint32_t first = 0, count; first < slots.count; first += count) {
        count = run_length(&slots, first);
        if (count != 0) {
            kith_writer_begin_pair(w, first, count);
            kith_writer_u64(w, *kith_entity_slot_of(table, first));
            kith_writer_end(w, KITH_TAG_LIVING);
        } else {
            count = count_to_run(&slots, first);
            kith_writer_begin_pair(w, first, count);
            for (uint32_t at = first, part; at < first + count; at += part) {
                part = kith_min(KITH_PAGE_SLOTS - at % KITH_PAGE_SLOTS, first + count - at);
                kith_writer_numbers(w, kith_entity_slot_of(table, at), part, sizeof(uint64_t));
            }
            kith_writer_end(w, KITH_TAG_SLOTS);
        }
    }
}

// Writes the entity indices of rows; KITH_HOLE for a hole.
static void write_indices(kith_writer *w, const kith_sparse_set *set, uint32_t first,
                          uint32_t count)
{
    for (uint32_t row = first, part; row < first + count; row += part) {
        part = kith_min(kith_sparse_set_rest_of_page(set, row), first + count - row);
        const uint32_t *packed = kith_sparse_set_packed(set, row);
        if (set->holes == 0) {
            kith_writer_numbers(w, packed, part, sizeof *packed);
            continue;
        }
        for (uint32_t i = 0; i < part; i++) {
            kith_writer_u32(w, (packed[i] & KITH_HOLE) != 0 ? KITH_HOLE : packed[i]);
        }
    }
}

static void write_rows(kith_writer *w, const kith_sparse_set *set, uint32_t number)
{
    const numbering rows = {
        NULL, set, set->head.rows_, sizeof(uint32_t), kith_sparse_set_page_rows(set), w->flat
    };
    for (uint32_t row = 0, count; row < rows.count; row += count) {
        count = run_length(&rows, row);
        if (count != 0) {
            kith_writer_begin_pair(w, number, row);
            kith_writer_u32(w, count);
            kith_writer_u32(w, *kith_sparse_set_packed(set, row));
            kith_writer_end(w, KITH_TAG_RUN);
        } else {
            count = count_to_run(&rows, row);
            kith_writer_rows(w, number, row, count);
            write_indices(w, set, row, count);
            kith_writer_end(w, KITH_TAG_ROWS);
        }
    }
}

// --- components ------------------------------------------------------------------------------

static void write_holes(kith_writer *w, const kith_sparse_set *set, uint32_t number)
{
    if (set->holes != 0) {
        kith_writer_begin_pair(w, number, set->holes);
        for (uint32_t hole = set->newest_hole; hole != KITH_NO_ROW;
             hole          = kith_sparse_set_older_hole(set, hole)) {
            kith_writer_u32(w, hole);
        }
        kith_writer_end(w, KITH_TAG_HOLES);
    }
}

static void write_disabled(kith_writer *w, const kith_pool *pool, uint32_t number)
{
    uint32_t words = (pool->set.head.rows_ + 63) / 64;
    if (pool->set.head.disabled_ != 0) {
        kith_writer_begin_pair(w, number, words);
        kith_writer_numbers(w, pool->disabled, words, sizeof(uint64_t));
        kith_writer_end(w, KITH_TAG_DISABLED);
    }
}

// Writes values of one page. The stale bytes of holes are written as 0.
static void write_page(kith_writer *w, const kith_storage *storage, uint32_t row, uint32_t count)
{
    const kith_layout *layout = &storage->layout;
    const kith_pool   *pool   = &storage->pool;
    size_t             size   = (size_t)count * layout->packed;
    if (kith_layout_is_whole(layout) && pool->set.holes == 0) {
        kith_writer_copy(w, kith_pool_value(pool, row), size);
        return;
    }
    uint8_t *to = kith_writer_extend(w, size);
    if (to == NULL) {
        return;
    }
    kith_pool_unpoison(pool, row, count);
    kith_layout_pack(layout, to, kith_pool_value(pool, row), count);
    for (uint32_t i = 0; i < count && pool->set.holes != 0; i++, to += layout->packed) {
        if (kith_pool_is_hole(pool, row + i)) {
            memset(to, 0, layout->packed);
        }
    }
}

static void write_values(kith_writer *w, const kith_storage *storage, uint32_t number)
{
    const kith_sparse_set *set   = &storage->pool.set;
    uint32_t               width = storage->layout.packed;
    width                        = width == 0 ? 1 : width; // all fields may be skipped
    uint32_t most = width >= KITH_CHUNK_BYTES / 256 ? 256 : KITH_CHUNK_BYTES / width & ~255u;
    for (uint32_t row = 0, count; row < set->head.rows_; row += count) {
        count = kith_min(most, set->head.rows_ - row);
        kith_writer_rows(w, number, row, count);
        kith_writer_reserve(w, (size_t)count * storage->layout.packed);
        for (uint32_t at = row, part; at < row + count; at += part) {
            part = kith_min(kith_sparse_set_rest_of_page(set, at), row + count - at);
            write_page(w, storage, at, part);
        }
        kith_writer_end(w, KITH_TAG_VALUES);
    }
}

static void write_blobs(kith_writer *w, const kith_storage *storage, uint32_t number)
{
    uint32_t rows = storage->pool.set.head.rows_;
    for (uint32_t row = 0; row < rows && w->code == KITH_OK;) {
        uint32_t first = row;
        kith_writer_rows(w, number, first, 0);
        size_t count_at = w->out->size - 8;
        while (row < rows && w->code == KITH_OK && w->out->size - w->chunk < KITH_CHUNK_BYTES) {
            if (!kith_pool_is_hole(&storage->pool, row)) {
                kith_writer_value(w, &storage->layout, storage->desc.traits.saved.functions,
                                  kith_pool_value(&storage->pool, row));
            }
            row++;
        }
        uint32_t count = row - first;
        if (w->code == KITH_OK) {
            kith_copy_numbers(w->out->data + count_at, &count, 1, sizeof count);
        }
        kith_writer_end(w, KITH_TAG_BLOBS);
    }
}

static void write_flags(kith_writer *w, const kith_entity_table *table, const kith_storage *storage,
                        uint32_t number)
{
    kith_writer_begin_pair(w, number, kith_storage_count(storage));
    for (uint32_t index = 0; index < table->count; index++) {
        if (kith_entity_bit(table, index, storage->bit)) {
            kith_writer_u32(w, index);
        }
    }
    kith_writer_end(w, KITH_TAG_FLAGS);
}

static void write_single(kith_writer *w, const kith_storage *storage, uint32_t number)
{
    const kith_layout *layout = &storage->layout;
    kith_writer_begin(w);
    kith_writer_u32(w, number);
    if (layout->form != KITH_FORM_FUNCTIONS) {
        kith_writer_u32(w, layout->packed);
    }
    kith_writer_value(w, layout, storage->desc.traits.saved.functions, storage->single);
    kith_writer_end(w, KITH_TAG_SINGLETON);
}

static void write_storage(saving *save, const kith_storage *storage, uint32_t number)
{
    kith_writer *w = save->writer;
    if (!kith_storage_is_state(storage)) {
        return;
    }
    if (storage->desc.kind == KITH_KIND_FLAG) {
        write_flags(w, &save->world->entities, storage, number);
    } else if (storage->desc.kind == KITH_KIND_SINGLETON) {
        write_single(w, storage, number);
    } else {
        write_rows(w, &storage->pool.set, number);
        write_holes(w, &storage->pool.set, number);
        write_disabled(w, &storage->pool, number);
    }
    if (storage->desc.kind == KITH_KIND_VALUE && storage->layout.form == KITH_FORM_FUNCTIONS) {
        write_blobs(w, storage, number);
    } else if (storage->desc.kind == KITH_KIND_VALUE) {
        write_values(w, storage, number);
    }
}

// --- groups ----------------------------------------------------------------------------------

// Writes the order of a group that owns no pool, if the file has all components of its terms.
// Members of other groups lead their pools.
static void write_group(saving *save, const kith_group *group)
{
    kith_writer           *w    = save->writer;
    const kith_sparse_set *set  = &group->list.pool.set;
    bool                   kept = group->owned == 0;
    for (uint32_t i = 0; i < group->plan.count && kept; i++) {
        kept = kith_storage_is_chosen(save->desc, group->plan.terms[i].storage);
    }
    if (!kept) {
        return;
    }
    kith_writer_begin(w);
    kith_writer_u32(w, group->desc.term_count);
    for (uint32_t i = 0; i < group->desc.term_count; i++) {
        const kith_term *term = &group->desc.terms[i];
        kith_writer_u32(w, term->role == KITH_ROLE_WITHOUT);
        kith_writer_text(w, kith_world_storage(save->world, term->component)->desc.name);
    }
    kith_writer_u32(w, set->head.rows_);
    write_indices(w, set, 0, set->head.rows_);
    kith_writer_end(w, KITH_TAG_GROUP);
}

// --- the whole -------------------------------------------------------------------------------

static void write_exact(saving *save)
{
    for (uint32_t i = 0; i < save->count; i++) {
        kith_exact_write_storage(save->writer, save->chosen[i], i);
    }
    kith_exact_write_others(save->writer, save->world, save->turns);
}

static void write_all(saving *save)
{
    const kith_world *world = save->world;
    kith_writer      *w     = save->writer;
    kith_writer_file(w);
    write_world(save);
    for (uint32_t i = 0; i < save->count; i++) {
        write_component(w, save->chosen[i], i);
    }
    write_slots(w, &world->entities);
    for (uint32_t i = 0; i < save->count; i++) {
        write_storage(save, save->chosen[i], i);
    }
    if (save->desc->exact) {
        write_exact(save);
    }
    for (uint32_t i = 0; i < world->groups.count; i++) {
        write_group(save, world->groups.groups[i]);
    }
    for (const kith_object *object = kith_object_with_state(world->oldest);
         object != NULL && save->desc->components == NULL && save->desc->entities == NULL;
         object = kith_object_with_state(object->next_)) {
        kith_writer_begin(w);
        kith_writer_object(w, object);
        kith_writer_end(w, KITH_TAG_OBJECT);
    }
    kith_writer_begin_pair(w, w->chunks + 1, 0); // counts itself
    kith_writer_end(w, KITH_TAG_END);
}

bool kith_save(const kith_world *world, const kith_world *turns, const kith_save_desc *desc,
               kith_writer *writer, kith_result *result)
{
    const kith_storage *chosen[KITH_COMPONENT_MAX];
    saving              save = { writer, world, turns, desc, chosen, 0 };
    list_chosen(&save);
    if (!check_saving(&save, result)) {
        return false;
    }
    writer->level = (int)desc->zstd_level;
    write_all(&save);
    kith_bytes_free(&writer->packed);
    const char *why = writer->code == KITH_ERROR_MEMORY ? "memory ran out while saving"
                      : writer->code == KITH_ERROR_HOOK
                          ? "a write function returned two sizes for one value, or an object "
                            "refused to be saved"
                          : "the write callback failed";
    return writer->code == KITH_OK || kith_result_fail(result, writer->code, 0, "%s", why);
}

// --- hashing ---------------------------------------------------------------------------------

static bool feed_chunk(const void *bytes, size_t size, void *context)
{
    kith_xxh3_feed(context, bytes, size);
    return true;
}

bool kith_world_hash_exact(const kith_world *world, uint64_t *hash)
{
    const kith_save_desc everything = { .exact = true };
    kith_error           error      = { .code    = KITH_ERROR_ARGUMENT,
                                        .call    = "kith_world_hash_exact",
                                        .subject = "a queue has events but no save form",
                                        .other   = kith_exact_unsavable_queue(world) };
    kith_bytes           waiting    = { .data = NULL };
    kith_xxh3_state      state;
    kith_writer          writer   = { .out = &waiting, .write = feed_chunk, .context = &state };
    uint64_t             of_state = 0;
    const kith_storage  *chosen[KITH_COMPONENT_MAX];
    if (!kith_world_hash_for(world, hash == NULL ? NULL : &of_state, error.call) || hash == NULL) {
        return false;
    }
    if (error.other != NULL) {
        return kith_world_report_error(world, &error);
    }
    saving save = { &writer, world, world, &everything, chosen, 0 };
    list_chosen(&save);
    kith_xxh3_begin(&state);
    kith_writer_u64(&writer, of_state);
    kith_writer_u64(&writer, world->tick);
    write_exact(&save);
    kith_xxh3_feed(&state, waiting.data, waiting.size);
    kith_bytes_free(&waiting);
    if (writer.code != KITH_OK) {
        error.code    = writer.code;
        error.subject = "a function that saves events";
        return kith_world_report_error(world, &error);
    }
    *hash = kith_xxh3_end(&state);
    return true;
}
