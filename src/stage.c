// SPDX-License-Identifier: MIT
#include "stage.h"

#include "member.h"
#include "stored.h"

static kith_stage_column *staged(const kith_stage *stage, const kith_column *column)
{
    return &stage->columns[column->order];
}

static const kith_allocator *stage_memory(const kith_stage *stage)
{
    return &stage->world->memory;
}

static const char *lacks_memory(bool *memory)
{
    *memory = true;
    return "memory ran out";
}

// --- begin and end ---------------------------------------------------------------------------

static uint32_t count_sets(const kith_world *world)
{
    uint32_t count = 0;
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        count++;
    }
    return count;
}

static size_t stage_bytes(const kith_stage *stage)
{
    return stage->column_count * sizeof *stage->columns + stage->set_count * sizeof *stage->sets +
           stage->group_count * sizeof *stage->groups;
}

static void begin_parts(kith_stage *stage)
{
    const kith_world    *world = stage->world;
    const kith_reactive *set   = world->reactives;
    for (uint32_t i = 0; i < stage->column_count; i++) {
        const kith_column *column = world->columns[i];
        bool               single = column->single != NULL;
        stage->columns[i]         = (kith_stage_column){
                    .pool   = kith_pool_alike(&column->pool),
                    .parked = single ? 1 : column->pool.set.head.rows_,
        };
    }
    for (uint32_t i = 0; i < stage->group_count; i++) {
        stage->groups[i] = (kith_stage_group){
            .index   = kith_pool_alike(&world->groups.groups[i]->index.pool),
            .ordered = KITH_NO_ROW,
        };
    }
    for (uint32_t i = 0; i < stage->set_count; i++, set = set->next) {
        stage->sets[i] =
            (kith_stage_set){ .gather = { .newest = set->gather.newest }, .since = set->since };
    }
}

KITH_INTERNAL bool kith_stage_begin(kith_stage *stage, kith_world *world)
{
    assert(world->shared.held == 0);
    *stage = (kith_stage){
        .world        = world,
        .entities     = kith_entity_table_alike(&world->entities),
        .column_count = world->column_count,
        .group_count  = world->groups.count,
        .set_count    = count_sets(world),
        .tick         = world->tick,
    };
    size_t bytes = stage_bytes(stage);
    if (!kith_recall_begin(&stage->recall, world)) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    stage->columns = kith_memory_take(stage_memory(stage), bytes, KITH_CACHE_LINE);
    if (stage->columns == NULL) {
        kith_recall_end(&stage->recall);
        return false;
    }
    stage->groups = (kith_stage_group *)(void *)(stage->columns + stage->column_count);
    stage->sets   = (kith_stage_set *)(void *)(stage->groups + stage->group_count);
    begin_parts(stage);
    return true;
}

static void end_values(const kith_stage_column *staging)
{
    const kith_pool *pool = &staging->pool;
    for (uint32_t row = 0; row < staging->built && pool->hooks.destruct != NULL; row++) {
        if (staging->single == NULL && !kith_pool_hole(pool, row)) {
            kith_pool_destruct(pool, kith_pool_value(pool, row));
        }
    }
    if (staging->single != NULL && staging->built != 0) {
        kith_pool_destruct(pool, staging->single);
    }
}

KITH_INTERNAL void kith_stage_end(kith_stage *stage)
{
    const kith_allocator *memory = stage_memory(stage);
    kith_world_enter(stage->world);
    for (uint32_t i = 0; i < stage->column_count; i++) {
        kith_stage_column *staging = &stage->columns[i];
        end_values(staging);
        if (staging->single != NULL) {
            kith_column_give_single(stage->world->columns[i], memory, staging->single);
        }
        kith_pool_release(&staging->pool, memory);
    }
    kith_world_leave(stage->world);
    for (uint32_t i = 0; i < stage->group_count; i++) {
        kith_pool_release(&stage->groups[i].index, memory);
    }
    for (uint32_t i = 0; i < stage->set_count; i++) {
        kith_gather_release(&stage->sets[i].gather, memory);
    }
    kith_recall_end(&stage->recall);
    kith_entity_table_release(&stage->entities, memory);
    kith_memory_give(memory, stage->columns, stage_bytes(stage), KITH_CACHE_LINE);
}

// --- entities --------------------------------------------------------------------------------

KITH_INTERNAL const char *kith_stage_slots(kith_stage *stage, const kith_stage_entities *facts)
{
    kith_entity_table *table = &stage->entities;
    if (facts->slots > table->index_end || facts->slots < table->first_index) {
        return "there are more slots than the world allows, or fewer than are reserved";
    }
    if (table->queued && facts->slots != table->index_end) {
        return "all indices queue from the start, and these are not all";
    }
    table->count   = facts->slots;
    table->head    = facts->head;
    table->tail    = facts->tail;
    table->free    = facts->free;
    table->retired = facts->retired;
    return NULL;
}

KITH_INTERNAL bool kith_stage_make_slots(kith_stage *stage, uint32_t count)
{
    kith_entity_table *table = &stage->entities;
    uint32_t           first = table->page_count;
    if (!kith_entity_table_reserve(table, stage_memory(stage), count)) {
        return false;
    }
    for (uint32_t page = first; page < table->page_count; page++) {
        kith_entity_page *entities = (kith_entity_page *)(void *)table->pages[page];
        memset(entities->signature, 0, sizeof entities->signature);
    }
    return true;
}

KITH_INTERNAL uint64_t *kith_stage_slot(kith_stage *stage, uint32_t index)
{
    return kith_entity_slot_of(&stage->entities, index);
}

KITH_INTERNAL void kith_stage_living(kith_stage *stage, uint32_t first, uint32_t count,
                                     uint64_t slot)
{
    uint32_t version = kith_entity_version(slot);
    for (uint32_t index = first, part; index < first + count; index += part) {
        part = kith_least(KITH_PAGE_SLOTS - index % KITH_PAGE_SLOTS, first + count - index);
        kith_array_number(kith_stage_slot(stage, index), slot + (index - first), part);
    }
    bool right = version != 0 && version <= stage->entities.version_last;
    if (stage->living == first && right) {
        stage->living += count;
    }
}

typedef struct slot_counts {
    uint32_t free;
    uint32_t retired;
    uint32_t reserved;
} slot_counts;

static bool names_free(const kith_entity_table *table, uint32_t index)
{
    uint64_t slot = *kith_entity_slot_of(table, index);
    uint32_t link = kith_entity_index(slot);
    return link != index && (link == KITH_SLOT_END || link < table->count);
}

// A slot that is not alive.
static const char *check_idle(kith_entity_table *table, uint32_t index, slot_counts *counts)
{
    uint64_t slot     = *kith_entity_slot_of(table, index);
    uint32_t version  = kith_entity_version(slot);
    bool     lowest   = table->order == KITH_FREE_LOWEST;
    bool     retired  = kith_entity_index(slot) == KITH_SLOT_RETIRED;
    bool     reserved = kith_entity_index(slot) == KITH_SLOT_RESERVED;
    counts->retired += retired;
    counts->reserved += reserved;
    if (retired) {
        return version == table->version_last ? NULL : "a slot retired before its last version";
    }
    if (reserved != (index < table->first_index)) {
        return "a slot is reserved and should not be, or the other way round";
    }
    if (reserved) {
        return NULL;
    }
    if (version == 0 || !names_free(table, index) ||
        (lowest && kith_entity_index(slot) != KITH_SLOT_END)) {
        return "a free slot has no version, or leads nowhere";
    }
    counts->free++;
    if (lowest) {
        kith_index_set_insert(&table->lowest, index);
    }
    return NULL;
}

static const char *check_one_slot(kith_entity_table *table, uint32_t index, slot_counts *counts)
{
    uint64_t slot    = *kith_entity_slot_of(table, index);
    uint32_t version = kith_entity_version(slot);
    if (version > table->version_last) {
        return "a slot's version is above the last version";
    }
    if (kith_entity_index(slot) != index) {
        return check_idle(table, index, counts);
    }
    return version != 0 ? NULL : "a living entity has version 0";
}

// How many slots this one stands for: most often all entities of a page live and have one version.
static uint32_t alike_from(const kith_entity_table *table, uint32_t index)
{
    const uint64_t *slots = kith_entity_slot_of(table, index);
    uint32_t        count = kith_least(table->count - index, KITH_PAGE_SLOTS);
    bool alike = (index & KITH_PAGE_MASK_) == 0 && kith_entity_index(slots[0]) == index &&
                 kith_array_is_numbered(slots, slots[0], count);
    return alike ? count : 1;
}

// From the first on that may be something else than a living entity.
static const char *check_every_slot(kith_entity_table *table, uint32_t first, slot_counts *counts)
{
    const char *wrong = NULL;
    for (uint32_t index = first; index < table->count && wrong == NULL;) {
        wrong = check_one_slot(table, index, counts);
        index += alike_from(table, index);
    }
    return wrong;
}

// A list that ends has nobody twice; so one that is as long as there are free slots has them all.
static const char *check_list_of_free(const kith_entity_table *table)
{
    uint32_t length = 0;
    uint32_t last   = KITH_SLOT_END;
    uint32_t index  = table->head;
    for (; index != KITH_SLOT_END && length < table->free; length++) {
        if (index >= table->count || !names_free(table, index)) {
            return "the free list leads to a slot that is not free";
        }
        last  = index;
        index = kith_entity_index(*kith_entity_slot_of(table, index));
    }
    if (index != KITH_SLOT_END || length != table->free) {
        return "the free list does not have every free slot once";
    }
    if (table->order == KITH_FREE_FIFO && length != 0 && table->tail != last) {
        return "the free list does not end at its tail";
    }
    return NULL;
}

KITH_INTERNAL const char *kith_stage_check_slots(kith_stage *stage)
{
    kith_entity_table *table  = &stage->entities;
    slot_counts        counts = { 0 };
    const char        *wrong  = check_every_slot(table, stage->living, &counts);
    if (wrong != NULL) {
        return wrong;
    }
    if (counts.free != table->free || counts.retired != table->retired) {
        return "the free and retired slots are counted wrongly";
    }
    table->idle = counts.free + counts.retired + counts.reserved;
    if (table->order != KITH_FREE_LOWEST) {
        return check_list_of_free(table);
    }
    return table->head == KITH_SLOT_END ? NULL
                                        : "free indices that go out lowest first have a list";
}

// --- rows ------------------------------------------------------------------------------------

KITH_INTERNAL const char *kith_stage_rows(kith_stage *stage, const kith_column *column,
                                          uint32_t rows, bool *memory)
{
    kith_pool *pool = &staged(stage, column)->pool;
    if ((KITH_WITH_ROWS >> column->desc.kind & 1) == 0) {
        return rows == 0 ? NULL : "the component has no rows";
    }
    if (rows > kith_sparse_set_most(&pool->set)) {
        return "the component has more rows than its limit";
    }
    if (!kith_pool_reserve_rows(pool, stage_memory(stage), rows)) {
        return lacks_memory(memory);
    }
    pool->set.head.rows_ = rows;
    return NULL;
}

KITH_INTERNAL kith_pool *kith_stage_pool(kith_stage *stage, const kith_column *column)
{
    return &staged(stage, column)->pool;
}

KITH_INTERNAL void kith_stage_built(kith_stage *stage, const kith_column *column, uint32_t rows)
{
    staged(stage, column)->built = rows;
}

// What links the rows of one component.
typedef struct row_linker {
    kith_entity_table    *table;
    kith_sparse_set      *set;
    const kith_allocator *memory;
    uint32_t              bit;
    uint32_t              holes;
    bool                  dead;  // some row's entity is not alive
    bool                  twice; // some entity has two rows
} row_linker;

// Whether the slots of that page can lead to rows, and its signatures have the bit.
static inline bool page_is_ready(const row_linker *linker, uint32_t page)
{
    const kith_pool_head_ *head = &linker->set->head;
    return page < head->sparse_pages_ && head->sparse_[page] != linker->set->shared->absent &&
           kith_entity_plane_ready(linker->table, page << KITH_PAGE_SHIFT_, linker->bit);
}

static bool make_page_ready(row_linker *linker, uint32_t page)
{
    uint32_t index = page << KITH_PAGE_SHIFT_;
    return kith_entity_plane_reserve(linker->table, linker->memory, index, linker->bit) &&
           kith_sparse_set_reserve_page(linker->set, linker->memory, page);
}

// Links rows whose entities are in a row, too, and on one page; `fresh`: they have all of it, and
// nobody had it before.
static void link_run(row_linker *linker, uint32_t index, uint32_t row, uint32_t count, bool fresh)
{
    kith_entity_page *page  = kith_entity_page_of(linker->table, index);
    uint32_t          first = index & KITH_PAGE_MASK_;
    uint32_t          bit   = linker->bit;
    uint64_t         *words = bit < 64 ? page->signature : page->planes[(bit >> 6) - 1];
    uint64_t         *rows  = kith_sparse_set_slot(linker->set, index);
    linker->twice = !fresh && (rows[0] != KITH_EMPTY || kith_array_mixed(rows, count) != 0);
    linker->dead  = !kith_array_name_rows(rows, page->slots + first, index, KITH_HOLE | row, count);
    kith_array_change(words + first, 0, UINT64_C(1) << (bit & 63), count);
    for (uint32_t i = first; i < first + count && bit >= 64; i++) {
        page->more[i] |= (uint16_t)(1u << ((bit >> 6) - 1));
    }
}

static void link_row(row_linker *linker, uint32_t index, uint32_t row)
{
    uint64_t  slot = *kith_entity_slot_of(linker->table, index);
    uint64_t *cell = kith_sparse_set_slot(linker->set, index);
    linker->dead |= kith_entity_index(slot) != index;
    linker->twice |= *cell != KITH_EMPTY;
    *cell = (slot & ~(uint64_t)UINT32_MAX) | KITH_HOLE | row;
    kith_entity_bit_set(linker->table, index, linker->bit);
}

// A page of which all is about to be written need not be emptied; false when memory runs out.
static bool take_fresh_page(row_linker *linker, uint32_t page, bool *fresh)
{
    const kith_pool_head_ *head = &linker->set->head;
    *fresh                      = page < linker->table->page_count &&
             (page >= head->sparse_pages_ || kith_sparse_set_absent_page(linker->set, page));
    return !*fresh || kith_sparse_set_new_page(linker->set, linker->memory, page) != NULL;
}

// Rows that are linked together: what they touch is asked for before the first of them needs it.
#define LINKED_AT_ONCE 64u
#define LINKED_ALONE   8u

// Makes everything ready for some rows; false when memory runs out.
static bool foresee_rows(row_linker *linker, const uint32_t *packed, uint32_t count)
{
    const kith_entity_table *table = linker->table;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t page = packed[i] >> KITH_PAGE_SHIFT_;
        bool     hole = (packed[i] & KITH_HOLE) != 0;
        linker->dead  = linker->dead || (!hole && page >= table->page_count);
        if (hole || page >= table->page_count) {
            continue;
        }
        if (!page_is_ready(linker, page) && !make_page_ready(linker, page)) {
            return false;
        }
        uint64_t *slot = kith_entity_slot_of(table, packed[i]);
        KITH_PREFETCH(slot);
        KITH_PREFETCH(slot + KITH_PAGE_SLOTS);
        KITH_PREFETCH(kith_sparse_set_slot(linker->set, packed[i]));
    }
    return true;
}

static uint32_t length_of_run(const uint32_t *packed, uint32_t count)
{
    uint32_t most = kith_least(count, KITH_PAGE_SLOTS - (packed[0] & KITH_PAGE_MASK_));
    uint32_t run  = kith_array_is_numbered32(packed, packed[0], most) ? most : 1;
    while (run < most && packed[run] == packed[0] + run) {
        run++;
    }
    return (packed[0] & KITH_HOLE) != 0 ? 0 : run;
}

// Links the first of `count` rows on one page and returns how many; 0 when memory runs out.
static uint32_t link_some(row_linker *linker, uint32_t row, uint32_t count)
{
    const uint32_t *packed = kith_sparse_set_packed(linker->set, row);
    uint32_t        run    = length_of_run(packed, count);
    uint32_t        some   = kith_least(count, run > LINKED_ALONE ? run : LINKED_AT_ONCE);
    bool            fresh  = false;
    if (run == KITH_PAGE_SLOTS && !take_fresh_page(linker, packed[0] >> KITH_PAGE_SHIFT_, &fresh)) {
        return 0;
    }
    if (!foresee_rows(linker, packed, run > LINKED_ALONE ? 1 : some)) {
        return 0;
    }
    if (run > LINKED_ALONE && !linker->dead) {
        link_run(linker, packed[0], row, run, fresh);
        return run;
    }
    for (uint32_t i = 0; i < some && !linker->dead; i++) {
        if ((packed[i] & KITH_HOLE) != 0) {
            linker->holes++;
        } else {
            link_row(linker, packed[i], row + i);
        }
    }
    return some;
}

static const char *link_from(row_linker *linker, uint32_t first, bool *memory)
{
    uint32_t rows = linker->set->head.rows_;
    uint32_t part;
    for (uint32_t row = first; row < rows; row += part) {
        part = kith_least(rows - row, kith_sparse_set_left_in_page(linker->set, row));
        part = link_some(linker, row, part);
        if (part == 0) {
            return lacks_memory(memory);
        }
        if (linker->dead || linker->twice) {
            return linker->dead ? "a row's entity is not alive" : "an entity has two rows";
        }
    }
    return NULL;
}

// As with the free list: a list that ends has no row twice.
static const char *link_every_hole(kith_sparse_set *set, const uint32_t *holes, uint32_t count)
{
    if (count != 0 && set->policy == KITH_POLICY_SWAP) {
        return "a component whose rows move has holes";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = holes[i];
        if (row >= set->head.rows_ || (*kith_sparse_set_packed(set, row) & KITH_HOLE) == 0) {
            return "a hole is listed where there is none";
        }
        uint32_t older                    = i + 1 < count ? holes[i + 1] : KITH_NO_ROW;
        *kith_sparse_set_packed(set, row) = KITH_HOLE | older;
    }
    uint32_t length = 0;
    uint32_t row    = count == 0 ? KITH_NO_ROW : holes[0];
    for (set->newest_hole = row; row != KITH_NO_ROW; length++) {
        row = kith_sparse_set_older_hole(set, row);
    }
    set->holes = count;
    return length == count ? NULL : "a hole is listed twice";
}

static const char *link_disabled(kith_stage *stage, kith_pool *pool, const uint64_t *bits,
                                 bool *memory)
{
    uint32_t rows  = pool->set.head.rows_;
    uint32_t words = (uint32_t)(((uint64_t)rows + 63) / 64);
    if (!kith_pool_reserve_disabled(pool, stage_memory(stage))) {
        return lacks_memory(memory);
    }
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
            uint32_t row = word * 64 + kith_lowest_bit(left);
            if (row >= rows || kith_pool_hole(pool, row)) {
                return "a row without a value is disabled";
            }
            pool->disabled[word] |= UINT64_C(1) << (row & 63);
            pool->disabled_count++;
            stage->disabled++;
        }
    }
    return NULL;
}

KITH_INTERNAL const char *kith_stage_link_rows(kith_stage *stage, const kith_column *column,
                                               bool *memory)
{
    kith_stage_column *staging = staged(stage, column);
    row_linker         linker  = { .table  = &stage->entities,
                                   .set    = &staging->pool.set,
                                   .memory = stage_memory(stage),
                                   .bit    = column->bit,
                                   .holes  = staging->holes };
    const char        *wrong   = link_from(&linker, staging->reached, memory);
    staging->holes             = linker.holes;
    staging->reached           = staging->pool.set.head.rows_;
    return wrong;
}

KITH_INTERNAL const char *kith_stage_link(kith_stage *stage, const kith_column *column,
                                          const uint32_t *holes, uint32_t hole_count,
                                          const uint64_t *disabled, bool *memory)
{
    kith_pool  *pool  = &staged(stage, column)->pool;
    const char *wrong = kith_stage_link_rows(stage, column, memory);
    if (wrong == NULL && staged(stage, column)->holes != hole_count) {
        wrong = "the holes are not the rows without an entity";
    }
    wrong = wrong != NULL ? wrong : link_every_hole(&pool->set, holes, hole_count);
    if (wrong == NULL && disabled != NULL && pool->set.head.rows_ != 0) {
        wrong = link_disabled(stage, pool, disabled, memory);
    }
    staged(stage, column)->linked = wrong == NULL;
    return wrong;
}

KITH_INTERNAL const char *kith_stage_flag(kith_stage *stage, const kith_column *column,
                                          const uint32_t *indices, uint32_t count, bool *memory)
{
    kith_entity_table *table = &stage->entities;
    if (column->desc.kind != KITH_KIND_FLAG) {
        return count == 0 ? NULL : "the component is no flag";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (index >= table->count || !kith_entity_table_lives(table, index)) {
            return "an entity that is not alive has a flag";
        }
        if (!kith_entity_plane_reserve(table, stage_memory(stage), index, column->bit)) {
            return lacks_memory(memory);
        }
        if (kith_entity_bit(table, index, column->bit)) {
            return "an entity has a flag twice";
        }
        kith_entity_bit_set(table, index, column->bit);
    }
    staged(stage, column)->pool.set.head.flags_set_ += count;
    return NULL;
}

KITH_INTERNAL void *kith_stage_single(kith_stage *stage, kith_column *column)
{
    kith_stage_column *staging = staged(stage, column);
    if (staging->single == NULL) {
        staging->single = kith_column_take_single(column, stage_memory(stage));
    }
    return staging->single;
}

// --- exchanging ------------------------------------------------------------------------------

static void exchange_column(kith_stage_column *staging, kith_column *column, uint64_t tick)
{
    kith_pool pool        = column->pool;
    void     *single      = column->single;
    uint32_t  built       = staging->built;
    column->pool          = staging->pool;
    column->single        = staging->single;
    staging->built        = staging->parked;
    staging->pool         = pool;
    staging->single       = single;
    staging->parked       = built;
    kith_pool_head_ *head = &column->pool.set.head;
    head->tick_           = tick;
}

static void exchange_group(kith_stage_group *staging, kith_group *group, uint64_t tick)
{
    kith_stage_group live = {
        .index   = group->index.pool,
        .members = group->members,
        .count   = group->count,
        .ordered = staging->ordered,
    };
    group->index.pool = staging->index;
    group->members    = staging->members;
    group->count      = staging->count;
    *staging          = live;
    // who is in which place is written now
    kith_sparse_set *set = &group->index.pool.set;
    set->head.tick_      = tick;
    kith_array_fill(set->head.stamps_, tick, set->page_count);
}

static void exchange_set(kith_stage_set *staging, kith_reactive *set)
{
    kith_gather gather = set->gather;
    uint64_t    since  = set->since;
    set->gather        = staging->gather;
    set->since         = staging->since;
    staging->gather    = gather;
    staging->since     = since;
}

static void exchange(kith_stage *stage)
{
    kith_world       *world    = stage->world;
    kith_reactive    *set      = world->reactives;
    kith_entity_table entities = world->entities;
    uint64_t          tick     = world->tick;
    uint32_t          disabled = world->shared.disabled;
    world->entities            = stage->entities;
    world->tick                = stage->tick;
    world->shared.disabled     = stage->disabled;
    stage->entities            = entities;
    stage->tick                = tick;
    stage->disabled            = disabled;
    for (uint32_t i = 0; i < stage->column_count; i++) {
        exchange_column(&stage->columns[i], world->columns[i], world->tick);
    }
    for (uint32_t i = 0; i < stage->group_count; i++) {
        exchange_group(&stage->groups[i], world->groups.groups[i], world->tick);
    }
    for (uint32_t i = 0; i < stage->set_count; i++, set = set->next) {
        exchange_set(&stage->sets[i], set);
    }
    kith_recall_exchange(&stage->recall, stage->exact);
    kith_world_mirror(world);
}

KITH_INTERNAL void kith_stage_trade(kith_stage *stage)
{
    exchange(stage);
    kith_world_give_lists(stage->world);
}

// --- groups ----------------------------------------------------------------------------------

static kith_stage_group *staged_group(const kith_stage *stage, const kith_group *group)
{
    uint32_t place = 0;
    while (stage->world->groups.groups[place] != group) {
        place++;
    }
    return &stage->groups[place];
}

// The world has the staged state.
static const char *order_members(kith_group *group, const uint32_t *indices, uint32_t count,
                                 bool *memory)
{
    const kith_world *world = group->world;
    kith_sparse_set  *set   = &group->index.pool.set;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (index >= world->entities.count || !kith_entity_table_lives(&world->entities, index) ||
            !kith_group_meets(world, group, index)) {
            return "a group has a member that does not belong to it";
        }
        if (kith_sparse_set_row_at(set, index) != KITH_NO_ROW) {
            return "a group has a member twice";
        }
        if (!kith_sparse_set_reserve_slot(set, &world->memory, index)) {
            return lacks_memory(memory);
        }
        kith_sparse_set_insert(set, *kith_entity_slot_of(&world->entities, index));
    }
    group->members = count;
    group->count   = count;
    return NULL;
}

KITH_INTERNAL const char *kith_stage_order(kith_stage *stage, kith_group *group,
                                           const uint32_t *indices, uint32_t count, bool *memory)
{
    kith_stage_group *staging = staged_group(stage, group);
    if (group->owned != 0 || staging->ordered != KITH_NO_ROW) {
        return "a group has its order from the components that it owns, or has it already";
    }
    exchange(stage);
    const char *wrong = order_members(group, indices, count, memory);
    exchange(stage);
    staging->ordered = count;
    return wrong;
}

// Whether the row is one entity's in every owned pool, and a member's.
static bool row_is_member(const kith_group *group, uint32_t row)
{
    const kith_part *own   = group->plan.parts;
    uint32_t         index = *kith_sparse_set_packed(&own[0].column->pool.set, row);
    for (uint32_t i = 1; i < group->owned; i++) {
        const kith_sparse_set *set = &own[i].column->pool.set;
        if (row >= set->head.rows_ || *kith_sparse_set_packed(set, row) != index) {
            return false;
        }
    }
    return kith_group_meets(group->world, group, index);
}

// The members of a group that owns pools, if they are the first rows of each; otherwise 0, and all
// are to be let in as if the group were made now.
static uint32_t members_in_front(const kith_group *group)
{
    const kith_sparse_set *set   = &group->plan.parts[0].column->pool.set;
    uint32_t               rows  = set->head.rows_;
    uint32_t               front = 0;
    while (front < rows && row_is_member(group, front)) {
        front++;
    }
    for (uint32_t row = front; row < rows; row++) {
        if (kith_group_meets(group->world, group, *kith_sparse_set_packed(set, row))) {
            return 0;
        }
    }
    return front;
}

static const char *ready_group(kith_world *world, kith_group *group, uint32_t ordered, bool *memory)
{
    if (!kith_group_reserve(group)) {
        return lacks_memory(memory);
    }
    if (group->owned != 0) {
        group->members = members_in_front(group);
        group->count   = group->members;
    }
    if (group->members == 0 || group->owned == 0) {
        kith_group_fill(world, group);
    }
    return ordered == KITH_NO_ROW || ordered == group->members ? NULL : "a group lacks some member";
}

// --- making ready ----------------------------------------------------------------------------

KITH_INTERNAL kith_journal *kith_stage_journal(kith_stage *stage, const kith_column *column)
{
    kith_stage_column *staging  = staged(stage, column);
    kith_journal      *journal  = &staging->pool.journal;
    uint32_t           capacity = column->desc.traits.journal;
    staging->recalled           = true;
    return kith_journal_make(journal, stage_memory(stage), capacity) ? journal : NULL;
}

KITH_INTERNAL kith_stage_set *kith_stage_members(kith_stage *stage, const kith_reactive *set)
{
    kith_stage_set *staging = stage->sets;
    for (const kith_reactive *other = stage->world->reactives; other != set; other = other->next) {
        staging++;
    }
    staging->given = true;
    return staging;
}

// Nothing of the old journal is lost, and all rows of before go. What would be in the future, where
// the new state is an older one, happens now.
static void note_old_rows(kith_journal *journal, const kith_pool *old, uint64_t tick)
{
    kith_removal *entries = journal->entries;
    memcpy(entries, old->journal.entries, journal->capacity * sizeof *entries);
    *journal         = old->journal;
    journal->entries = entries;
    journal->lost    = journal->lost < tick ? journal->lost : tick;
    for (uint64_t i = kith_journal_oldest(journal); i < journal->written; i++) {
        kith_removal *entry = &entries[i % journal->capacity];
        entry->tick         = entry->tick < tick ? entry->tick : tick;
    }
    for (uint32_t row = 0; row < old->set.head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(&old->set, row);
        if ((index & KITH_HOLE) == 0) {
            uint64_t version = *kith_sparse_set_slot(&old->set, index) & ~(uint64_t)UINT32_MAX;
            kith_journal_note(journal, tick, version | index);
        }
    }
}

static bool journal_holds(const kith_journal *journal, uint64_t now)
{
    uint64_t tick = journal->lost;
    for (uint64_t i = kith_journal_oldest(journal); i < journal->written; i++) {
        if (kith_journal_entry(journal, i)->tick < tick) {
            return false;
        }
        tick = kith_journal_entry(journal, i)->tick;
    }
    return tick <= now;
}

static const char *ready_journal(kith_stage *stage, const kith_column *column, bool *memory)
{
    kith_pool *pool = &staged(stage, column)->pool;
    if (column->pool.journal.entries == NULL) {
        return NULL;
    }
    if (pool->journal.entries == NULL) {
        bool recalled = staged(stage, column)->recalled;
        if (kith_stage_journal(stage, column) == NULL) {
            return lacks_memory(memory);
        }
        if (!recalled && !stage->exact) {
            note_old_rows(&pool->journal, &column->pool, stage->tick);
        }
    }
    return journal_holds(&pool->journal, stage->tick) ? NULL : "a journal's ticks do not rise";
}

static bool ticks_hold(const kith_sparse_set *set, uint64_t now)
{
    bool hold = true;
    for (uint32_t row = 0; row < set->head.rows_ && hold; row++) {
        uint64_t stamp = set->head.stamps_[row >> set->head.shift_];
        bool     hole  = (*kith_sparse_set_packed(set, row) & KITH_HOLE) != 0;
        hold           = stamp <= now;
        if (hold && kith_sparse_set_ticked(set) && !hole) {
            uint64_t changed = *kith_row_tick_(&set->head, row);
            hold             = *kith_sparse_set_added(set, row) <= changed && changed <= stamp;
        }
    }
    return hold;
}

static const char *ready_ticks(const kith_stage *stage, kith_sparse_set *set)
{
    uint32_t rows = set->head.rows_;
    uint32_t part = kith_sparse_set_page_rows(set);
    if (stage->exact) {
        return ticks_hold(set, stage->tick) ? NULL : "a row's ticks are out of order";
    }
    set->head.tick_ = stage->tick;
    for (uint32_t row = 0; row < rows; row += part) {
        part = kith_least(rows - row, part);
        kith_sparse_set_begin(set, row, part);
    }
    return NULL;
}

static const char *ready_column(kith_stage *stage, kith_column *column, bool *memory)
{
    kith_stage_column    *staging = staged(stage, column);
    kith_pool            *pool    = &staging->pool;
    const kith_allocator *from    = stage_memory(stage);
    bool                  single  = staging->single != NULL || column->keeps;
    bool                  masked  = column->pool.disabled != NULL;
    if (pool->set.head.rows_ != 0 && !staging->linked) {
        return "a component's rows are not linked";
    }
    assert(pool->plain || staging->built == (staging->single != NULL ? 1 : pool->set.head.rows_));
    if ((single && !pool->plain && !kith_pool_reserve_spare(pool, from)) ||
        (masked && !kith_pool_reserve_disabled(pool, from))) {
        return lacks_memory(memory);
    }
    const char *wrong = ready_journal(stage, column, memory);
    return wrong != NULL ? wrong : ready_ticks(stage, &pool->set);
}

static bool ready_set(const kith_stage *stage, kith_stage_set *staging, const kith_reactive *set)
{
    const kith_gather *old = &set->gather;
    staging->since         = staging->since < stage->tick ? staging->since : stage->tick;
    if (staging->given || stage->exact || !set->desc.keep_dead) {
        return true;
    }
    bool enough = kith_gather_reserve(&staging->gather, stage_memory(stage), old->count, NULL);
    for (uint32_t i = 0; i < old->end && enough; i++) {
        if (old->entries[i].entity != KITH_NULL) {
            kith_gather_add(&staging->gather, old->entries[i].entity, NULL);
        }
    }
    return enough;
}

// The world has the staged state.
static const char *ready_others(kith_stage *stage, bool *memory)
{
    kith_world *world  = stage->world;
    const char *wrong  = NULL;
    bool        enough = true;
    for (kith_reactive *set = world->reactives; set != NULL && enough; set = set->next) {
        enough = kith_reactive_secure(set, 0);
    }
    for (uint32_t i = 0; i < stage->group_count && enough && wrong == NULL; i++) {
        wrong = ready_group(world, world->groups.groups[i], stage->groups[i].ordered, memory);
    }
    return enough ? wrong : lacks_memory(memory);
}

KITH_INTERNAL const char *kith_stage_ready(kith_stage *stage, bool *memory)
{
    const kith_reactive *set    = stage->world->reactives;
    const char          *wrong  = NULL;
    bool                 enough = true;
    for (uint32_t i = 0; i < stage->column_count && wrong == NULL; i++) {
        wrong = ready_column(stage, stage->world->columns[i], memory);
    }
    for (uint32_t i = 0; i < stage->set_count && enough; i++, set = set->next) {
        enough = ready_set(stage, &stage->sets[i], set);
    }
    if (wrong != NULL || !enough) {
        return wrong != NULL ? wrong : lacks_memory(memory);
    }
    exchange(stage);
    wrong = ready_others(stage, memory);
    exchange(stage);
    return wrong;
}
