// SPDX-License-Identifier: MIT
// What validating finds: for each thing that it proves, a world in which just that is broken.
//
// Every test breaks a world that has everything, wants the one sentence that says so, mends the
// world and wants it valid again. It writes where no call does, so it needs the library's insides.
#include "command/command.h"
#include "component_test.h"
#include "event/event.h"
#include "group/group.h"
#include "system/system.h"
#include "world/membership.h"
#include "world/world.h"

// --- a world that has everything -------------------------------------------------------------

enum {
    SCAR = 11,
    HOOKED,
    SEASON,
    YEAR,
    LEFT,
    RIGHT,
    MANY       = 100,
    MANY_COUNT = 70,
    FAR        = MANY + MANY_COUNT - 1
};

// Slots of that world: 0 is reserved, 1 a living hint below first_index, 2 retired.
enum { HINTED = 1, RETIRED, LIVING, FREED, SECOND, FREED_TOO, THIRD, BARE, SLOTS };

#define BROKEN_MOST 2

typedef struct broken_part {
    void    *place;
    size_t   size;
    uint64_t before;
} broken_part;

typedef struct breakage breakage;

typedef struct fixture {
    test_memory     memory;
    kith_world     *world;
    kith_group     *owning; // LEFT and RIGHT; the members are all entities with both
    kith_group     *listing;
    kith_path      *older;    // POSITION and HOOKED, of which two rows were exchanged since
    kith_path      *newer;    // HOOKED
    kith_queue     *queue;    // two of at most five events wait
    kith_reactive  *reactive; // entities with POSITION; a second one has no members yet
    kith_reactive  *waiting;
    kith_system    *second_system; // runs after the first, and tracks all entities with LEFT
    kith_commands  *commands;
    const breakage *breakage;
    broken_part     parts[BROKEN_MOST];
    uint32_t        part_count;
} fixture;

struct breakage {
    const char *sentence;
    const char *name;
    void (*damage)(fixture *f);
    kith_free_order order;
    bool            in_loop; // while loops are open, and values wait to be ended
};

static void forget(void *value, void *context)
{
    (void)value;
    (void)context;
}

static kith_component_desc number_desc(const char *name, kith_component id, kith_kind kind)
{
    return (kith_component_desc){
        .name = name, .id = id, .kind = kind, .size = sizeof(int), .alignment = _Alignof(int)
    };
}

static void register_all(kith_world *world)
{
    kith_component_desc scar   = number_desc("scar", SCAR, KITH_KIND_VALUE);
    kith_component_desc hooked = number_desc("hooked", HOOKED, KITH_KIND_VALUE);
    kith_component_desc season = number_desc("season", SEASON, KITH_KIND_SINGLETON);
    scar.traits.policy         = KITH_POLICY_STABLE;
    scar.traits.row_ticks      = true;
    scar.traits.journal        = 2;
    hooked.traits.hooks        = (kith_hooks){ .destruct = forget };
    season.traits.hooks        = (kith_hooks){ .destruct = forget };
    assert_true(game_register(world));
    register_one(world, scar);
    register_one(world, hooked);
    register_one(world, season);
    register_one(world, number_desc("year", YEAR, KITH_KIND_SINGLETON));
    register_one(world, number_desc("left", LEFT, KITH_KIND_VALUE));
    register_one(world, number_desc("right", RIGHT, KITH_KIND_VALUE));
    for (uint32_t i = 0; i < MANY_COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "many %u", i);
        assert_int_not_equal(test_register_tag(world, name, MANY + i), 0);
    }
}

static void make_slots(kith_world *world)
{
    for (uint32_t version = 1; version <= 3; version++) {
        assert_int_equal(kith_entity_create(world), handle(RETIRED, version));
        assert_true(kith_entity_destroy(world, handle(RETIRED, version)));
    }
    test_create_many(world, SLOTS - LIVING);
    test_destroy_indices(world, (const uint32_t[]){ FREED, FREED_TOO }, 2);
    assert_int_equal(kith_entity_create_hint(world, handle(HINTED, 1)), handle(HINTED, 1));
}

// The members stand in rows 0, 1 and 2 of each pool; BARE has nothing.
static void add_components(kith_world *world)
{
    const kith_component pools[] = { POSITION, FROZEN, HIDDEN, SCAR, HOOKED, LEFT, RIGHT, FAR };
    for (size_t i = 0; i < COUNT_OF(pools); i++) {
        assert_non_null(kith_component_add(world, handle(LIVING, 1), pools[i], NULL));
        assert_non_null(kith_component_add(world, handle(SECOND, 1), pools[i], NULL));
        assert_non_null(kith_component_add(world, handle(THIRD, 1), pools[i], NULL));
    }
    assert_non_null(kith_singleton_add(world, SEASON));
    assert_non_null(kith_singleton_add(world, YEAR));
    assert_true(position_disable(world, handle(SECOND, 1)));
    assert_true(kith_component_enable(world, handle(THIRD, 1), SCAR, false));
    assert_true(kith_component_remove(world, handle(LIVING, 1), SCAR));
    assert_true(kith_component_remove(world, handle(SECOND, 1), SCAR));
}

static void make_groups(fixture *f)
{
    const kith_term own[]  = { { LEFT, KITH_ROLE_OWN, 0 }, { RIGHT, KITH_ROLE_OWN, 0 } };
    const kith_term read[] = { { LEFT, KITH_ROLE_READ, 0 } };
    f->owning              = kith_group_of(f->world, &(kith_query_desc){ "owning", own, 2, 0 });
    f->listing             = kith_group_of(f->world, &(kith_query_desc){ "listing", read, 1, 0 });
    assert_non_null(f->owning);
    assert_non_null(f->listing);
}

static void ignore_event(kith_world *world, const void *event, void *context)
{
    (void)world;
    (void)event;
    (void)context;
}

static void make_paths(fixture *f)
{
    const kith_component both[] = { POSITION, HOOKED };
    f->older                    = kith_path_of(f->world, &(kith_path_desc){ "older", both, 2 });
    f->newer                    = kith_path_of(f->world, &(kith_path_desc){ "newer", both + 1, 1 });
    assert_non_null(f->older);
    assert_non_null(f->newer);
    assert_int_equal(kith_path_arrange_all(f->world, 1), 0);
    assert_true(kith_component_swap(f->world, HOOKED, handle(LIVING, 1), handle(THIRD, 1)));
}

static void make_queue(fixture *f)
{
    const kith_queue_desc   desc    = { .name = "queue", .limit = 5 };
    const kith_handler_desc handler = { .call = ignore_event };
    f->queue                        = kith_queue_of(f->world, &desc);
    assert_non_null(f->queue);
    assert_int_not_equal(kith_queue_connect(f->queue, &handler), 0);
    assert_true(kith_queue_enqueue(f->queue, NULL));
    assert_true(kith_queue_enqueue(f->queue, NULL));
}

static void make_reactive(fixture *f)
{
    const kith_condition     condition = { POSITION, KITH_ON_CHANGED };
    const kith_reactive_desc desc      = { .conditions = &condition, .condition_count = 1 };
    f->reactive                        = kith_reactive_create(f->world, &desc);
    f->waiting                         = kith_reactive_create(f->world, &desc);
    assert_non_null(f->reactive);
    assert_non_null(f->waiting);
    assert_true(kith_reactive_update(f->reactive) >= 2);
}

static void do_nothing(const kith_turn *turn)
{
    (void)turn;
}

static void ignore_notice(const kith_turn *turn, kith_entity entity)
{
    (void)turn;
    (void)entity;
}

static void make_systems(fixture *f)
{
    const kith_term  term   = { LEFT, KITH_ROLE_READ, 0 };
    const char      *after  = "first";
    kith_query_desc  query  = { "listing", &term, 1, 0 };
    kith_system_desc second = { .name        = "second",
                                .run         = do_nothing,
                                .after       = &after,
                                .after_count = 1,
                                .query       = &query,
                                .tracked     = true,
                                .enter       = ignore_notice };
    f->second_system        = kith_system_create(f->world, &second);
    assert_non_null(f->second_system);
    assert_non_null(
        kith_system_create(f->world, &(kith_system_desc){ "first", .run = do_nothing }));
    assert_true(kith_schedule_configure(f->world, &(kith_schedule_desc){ .checked = true }));
    assert_true(kith_schedule_run(f->world, 1));
}

// Two creates, and a value for the first.
static void record_commands(fixture *f)
{
    f->commands      = kith_commands_create(f->world, NULL);
    kith_entity made = kith_entity_create_later(f->commands);
    kith_entity_create_many_later(f->commands, &(kith_entity){ 0 }, 1, NULL, 0);
    assert_true(position_set_later(f->commands, made, (vec2){ 1, 2 }));
}

static void begin_full_world(fixture *f, kith_free_order order)
{
    const kith_world_desc desc = {
        .free_order = order, .version_bits = 2, .first_index = 2, .memory = 1u << 22
    };
    f->world = test_world_with(&f->memory, desc);
    assert_non_null(f->world);
    register_all(f->world);
    make_slots(f->world);
    add_components(f->world);
    make_groups(f);
    make_paths(f);
    make_queue(f);
    make_reactive(f);
    make_systems(f);
    record_commands(f);
}

// A view, a hold and a walk over all entities; what is removed then waits.
static void open_loops(fixture *f)
{
    const kith_term terms[] = { { POSITION, KITH_ROLE_READ, 0 }, { HIDDEN, KITH_ROLE_WITHOUT, 0 } };
    const kith_query_desc view = { "view", terms, COUNT_OF(terms), 0 };
    assert_false(kith_view_begin(f->world, &view).failed);
    assert_true(kith_world_hold(f->world));
    assert_false(
        kith_view_begin(f->world, &(kith_query_desc){ "all entities", NULL, 0, 0 }).failed);
    assert_true(position_remove(f->world, handle(SECOND, 1)));
    assert_non_null(kith_component_add(f->world, handle(BARE, 1), SCAR, NULL)); // row 3
    assert_true(kith_component_remove(f->world, handle(THIRD, 1), SCAR));
    assert_true(kith_component_remove(f->world, handle(THIRD, 1), RIGHT));
}

static kith_storage *column_of(fixture *f, kith_component component)
{
    return kith_world_storage(f->world, component);
}

static kith_sparse_set *set_of(fixture *f, kith_component component)
{
    return &column_of(f, component)->pool.set;
}

static kith_entity_page *first_page(fixture *f)
{
    return kith_entity_page_of(&f->world->entities, 0);
}

// --- breaking and mending --------------------------------------------------------------------

static void remember(fixture *f, void *place, size_t size)
{
    assert_true(f->part_count < BROKEN_MOST && size <= sizeof(uint64_t));
    broken_part *part = &f->parts[f->part_count++];
    *part             = (broken_part){ .place = place, .size = size };
    memcpy(&part->before, place, size);
}

#define BREAK(FIXTURE, FIELD, VALUE)                                                               \
    do {                                                                                           \
        remember((FIXTURE), &(FIELD), sizeof(FIELD));                                              \
        (FIELD) = (VALUE);                                                                         \
    } while (0)

static void mend(fixture *f)
{
    while (f->part_count > 0) {
        const broken_part *part = &f->parts[--f->part_count];
        memcpy(part->place, &part->before, part->size);
    }
}

// --- entities --------------------------------------------------------------------------------

static void use_a_version_beyond_the_last(fixture *f)
{
    BREAK(f, first_page(f)->slots[LIVING], handle(LIVING, 4));
}

static void use_version_0(fixture *f)
{
    BREAK(f, first_page(f)->slots[BARE], handle(BARE, 0));
}

static void forget_the_further_words(fixture *f)
{
    BREAK(f, first_page(f)->more[LIVING], 0);
}

static void add_a_component_to_a_free_slot(fixture *f)
{
    BREAK(f, first_page(f)->signature[FREED], 1);
}

static void know_a_version_that_not_all_have(fixture *f)
{
    BREAK(f, first_page(f)->known.version, 1);
}

static void leave_signatures_unwritten(fixture *f)
{
    BREAK(f, first_page(f)->bare, true);
}

static void lose_a_free_index(fixture *f)
{
    uint64_t *word = f->world->entities.lowest.levels[0];
    BREAK(f, *word, *word & ~(UINT64_C(1) << FREED));
}

static void lie_about_a_word_of_free_indices(fixture *f)
{
    uint64_t *word = f->world->entities.lowest.levels[1];
    BREAK(f, *word, *word | 2);
}

static void use_a_slot_beyond_the_table(fixture *f)
{
    BREAK(f, first_page(f)->slots[SLOTS], handle(SLOTS, 1));
}

static void begin_the_free_list_at_a_living_slot(fixture *f)
{
    BREAK(f, f->world->entities.head, LIVING);
}

static void skip_the_first_free_slot(fixture *f)
{
    uint32_t *head = &f->world->entities.head;
    BREAK(f, *head, kith_entity_index(first_page(f)->slots[*head]));
}

static void tie_the_free_list_to_a_ring(fixture *f)
{
    uint32_t  head = f->world->entities.head;
    uint64_t *last = &first_page(f)->slots[head == FREED ? FREED_TOO : FREED];
    BREAK(f, *last, handle(head, kith_entity_version(*last)));
}

static void move_the_tail(fixture *f)
{
    BREAK(f, f->world->entities.tail, f->world->entities.head);
}

static void grow_beyond_the_pages(fixture *f)
{
    BREAK(f, f->world->entities.room, SLOTS - 1);
}

static void grow_beyond_the_limit(fixture *f)
{
    BREAK(f, f->world->entities.index_end, f->world->entities.room - 1);
}

static void count_an_idle_slot_too_many(fixture *f)
{
    BREAK(f, f->world->entities.idle, f->world->entities.idle + 1);
}

static void count_a_free_slot_too_many(fixture *f)
{
    BREAK(f, f->world->entities.free, f->world->entities.free + 1);
}

static void count_a_retired_slot_too_many(fixture *f)
{
    BREAK(f, f->world->entities.retired, f->world->entities.retired + 1);
}

// --- rows ------------------------------------------------------------------------------------

static void pack_an_index_beyond_the_table(fixture *f)
{
    BREAK(f, *kith_sparse_set_packed(set_of(f, POSITION), 0), SLOTS);
}

static void pack_a_dead_entity(fixture *f)
{
    BREAK(f, *kith_sparse_set_packed(set_of(f, POSITION), 0), FREED);
}

static void pack_an_entity_twice(fixture *f)
{
    BREAK(f, *kith_sparse_set_packed(set_of(f, POSITION), 0), SECOND);
}

// As many bits as rows, but one at the wrong entity.
static void move_a_signature_bit(fixture *f)
{
    uint64_t  bit  = UINT64_C(1) << column_of(f, POSITION)->bit;
    uint64_t *from = &first_page(f)->signature[LIVING];
    BREAK(f, *from, *from & ~bit);
    BREAK(f, first_page(f)->signature[BARE], bit);
}

static void begin_the_holes_at_a_row_in_use(fixture *f)
{
    BREAK(f, set_of(f, SCAR)->newest_hole, 2);
}

static void begin_the_holes_beyond_the_rows(fixture *f)
{
    BREAK(f, set_of(f, SCAR)->newest_hole, 3);
}

static void skip_the_newest_hole(fixture *f)
{
    BREAK(f, set_of(f, SCAR)->newest_hole, 0);
}

static void make_a_pool_with_holes_a_swap_pool(fixture *f)
{
    BREAK(f, set_of(f, SCAR)->policy, KITH_POLICY_SWAP);
}

static void disable_a_row_beyond_the_end(fixture *f)
{
    uint64_t *bits = column_of(f, POSITION)->pool.disabled;
    BREAK(f, *bits, *bits | 1u << 3);
}

static void disable_a_hole(fixture *f)
{
    uint64_t *bits = column_of(f, SCAR)->pool.disabled;
    BREAK(f, *bits, *bits | 1);
}

static void shorten_the_disable_bits(fixture *f)
{
    BREAK(f, column_of(f, POSITION)->pool.disabled_words, 1);
}

static void make_a_row_a_hole(fixture *f)
{
    uint32_t *packed = kith_sparse_set_packed(set_of(f, SCAR), 2);
    BREAK(f, *packed, *packed | KITH_HOLE);
}

static void look_up_an_entity_without_a_row(fixture *f)
{
    BREAK(f, *kith_sparse_set_slot(set_of(f, POSITION), BARE), handle(KITH_HOLE, 1));
}

// --- pools -----------------------------------------------------------------------------------

static void lower_the_room_below_the_rows(fixture *f)
{
    BREAK(f, set_of(f, POSITION)->head.capacity_, 2);
}

static void raise_the_room_above_the_pages(fixture *f)
{
    BREAK(f, set_of(f, POSITION)->head.capacity_, set_of(f, POSITION)->head.capacity_ + 1);
}

static void lower_the_limit_below_the_room(fixture *f)
{
    BREAK(f, set_of(f, POSITION)->limit, 3);
}

static void let_inline_code_skip_the_hooks(fixture *f)
{
    BREAK(f, set_of(f, HOOKED)->head.inline_bit_, UINT64_C(1) << column_of(f, HOOKED)->bit);
}

static void take_the_spare_place_of_a_pool(fixture *f)
{
    BREAK(f, column_of(f, HOOKED)->pool.spare, NULL);
}

static void set_the_bit_of_an_entity_without_a_row(fixture *f)
{
    BREAK(f, first_page(f)->signature[BARE], UINT64_C(1) << column_of(f, POSITION)->bit);
}

static void count_a_flag_too_many(fixture *f)
{
    BREAK(f, set_of(f, HIDDEN)->head.flags_set_, set_of(f, HIDDEN)->head.flags_set_ + 1);
}

// --- columns ---------------------------------------------------------------------------------

static void lead_an_id_to_another_component(fixture *f)
{
    BREAK(f, f->world->head.pools_[HEALTH], f->world->head.pools_[POSITION]);
}

static void add_a_single_value_to_a_component(fixture *f)
{
    BREAK(f, column_of(f, POSITION)->single, &f->memory);
}

static void add_a_row_to_a_singleton(fixture *f)
{
    BREAK(f, set_of(f, YEAR)->head.rows_, 1);
}

static void take_the_spare_place_of_a_singleton(fixture *f)
{
    BREAK(f, column_of(f, SEASON)->pool.spare, NULL);
}

static void lead_a_bit_to_another_component(fixture *f)
{
    BREAK(f, f->world->by_bit[column_of(f, VELOCITY)->bit], column_of(f, POSITION));
}

static void use_a_bit_beyond_the_last(fixture *f)
{
    BREAK(f, column_of(f, VELOCITY)->bit, f->world->bit_count);
}

// --- the world -------------------------------------------------------------------------------

static void stay_busy(fixture *f)
{
    BREAK(f, f->world->head.busy_, 1);
}

// The length of a free stretch, in its first line. A query that goes before another leaves one.
static void lengthen_free_memory(fixture *f)
{
    const kith_term       term  = { POSITION, KITH_ROLE_READ, 0 };
    const kith_query_desc desc  = { "first", &term, 1, 0 };
    kith_query           *first = kith_query_create(f->world, &desc);
    assert_non_null(kith_query_create(f->world, &(kith_query_desc){ "second", NULL, 0, 0 }));
    kith_query_destroy(first);
    const kith_arena *arena = f->world->arena;
    uint32_t          list  = 0;
    while (arena->lists[list] == UINT32_MAX) {
        list++;
    }
    uint32_t *count = (uint32_t *)(void *)(arena->base + (size_t)64 * arena->lists[list]);
    BREAK(f, *count, *count + 1);
}

static void announce_a_list_of_free_memory(fixture *f)
{
    BREAK(f, f->world->arena->filled[3], 1);
}

// The first line is the world's own.
static void mark_used_memory_as_free(fixture *f)
{
    BREAK(f, f->world->arena->edges[0], 1);
}

static void count_a_line_too_many(fixture *f)
{
    BREAK(f, f->world->arena->used, f->world->arena->used + 1);
}

static void keep_unreserved_memory(fixture *f)
{
    kith_storage *column = kith_world_storage(f->world, POSITION);
    BREAK(f, column->kept, (void *)f);
}

static void write_to_the_shared_page(fixture *f)
{
    BREAK(f, f->world->shared.absent[KITH_PAGE_MASK_], KITH_EMPTY);
}

static void add_an_unregistered_component(fixture *f)
{
    uint64_t *word = &first_page(f)->planes[0][LIVING];
    BREAK(f, *word, *word | UINT64_C(1) << (f->world->bit_count & 63));
}

static void mirror_another_number_of_pages(fixture *f)
{
    BREAK(f, f->world->head.entity_pages_, 2);
}

static void look_up_more_pages_than_entities_have(fixture *f)
{
    BREAK(f, set_of(f, POSITION)->head.sparse_pages_, f->world->entities.page_count + 1);
}

static void write_another_signature_word(fixture *f)
{
    BREAK(f, set_of(f, FAR)->head.word_, 0);
}

static void mirror_another_directory(fixture *f)
{
    BREAK(f, f->world->head.entities_, NULL);
}

static void exchange_the_first_components(fixture *f)
{
    BREAK(f, f->world->storages[0], column_of(f, VELOCITY));
    BREAK(f, f->world->storages[1], column_of(f, POSITION));
}

// --- stamps, loops and listeners -------------------------------------------------------------

static void be_at_another_tick(fixture *f)
{
    BREAK(f, set_of(f, POSITION)->head.tick_, 2);
}

static void stamp_a_page_with_the_future(fixture *f)
{
    BREAK(f, set_of(f, POSITION)->head.stamps_[0], f->world->tick + 1);
}

// Row 2 of SCAR is the only one in use.
static void change_a_row_before_it_is_added(fixture *f)
{
    BREAK(f, *kith_row_tick_(&set_of(f, SCAR)->head, 2), 0);
}

static void change_a_row_after_its_page(fixture *f)
{
    BREAK(f, *kith_row_tick_(&set_of(f, SCAR)->head, 2), f->world->tick + 1);
}

static void write_a_journal_back_in_time(fixture *f)
{
    BREAK(f, column_of(f, SCAR)->pool.journal.entries[1].tick, 0);
}

static void write_a_journal_of_the_future(fixture *f)
{
    BREAK(f, column_of(f, SCAR)->pool.journal.entries[1].tick, f->world->tick + 1);
}

static void take_the_room_of_a_journal(fixture *f)
{
    BREAK(f, column_of(f, POSITION)->pool.journal.capacity, 1);
}

static void wait_though_nothing_holds(fixture *f)
{
    uint32_t  bit  = column_of(f, SCAR)->bit;
    uint64_t *word = &f->world->unsettled[bit / 64];
    BREAK(f, set_of(f, SCAR)->removed_while_held, 1);
    BREAK(f, *word, *word | UINT64_C(1) << bit % 64);
}

static void forget_that_a_pool_waits(fixture *f)
{
    uint32_t  bit  = column_of(f, POSITION)->bit;
    uint64_t *word = &f->world->unsettled[bit / 64];
    BREAK(f, *word, *word & ~(UINT64_C(1) << bit % 64));
}

static void count_a_value_that_waits_too_many(fixture *f)
{
    BREAK(f, set_of(f, POSITION)->removed_while_held, 2);
}

static void count_a_stable_value_that_waits_too_many(fixture *f)
{
    BREAK(f, set_of(f, SCAR)->removed_while_held, 2);
}

// The bits of the rows that wait follow the packed indices in the page of a stable pool.
static void wait_for_a_row_in_use(fixture *f)
{
    const kith_sparse_set *set  = set_of(f, SCAR);
    uint8_t               *page = set->head.pages_[0];
    uint8_t *bits = page + set->head.packed_at_ + sizeof(uint32_t) * kith_sparse_set_page_rows(set);
    assert_int_equal(*bits, 1u << 2);
    BREAK(f, *bits, 1u << 2 | 1u << 3);
}

static void let_go_of_the_world(fixture *f)
{
    BREAK(f, f->world->shared.held, 2);
}

static void leave_something_to_settle(fixture *f)
{
    BREAK(f, f->world->unsettled_any, true);
}

static void leave_a_loop_in_the_stack(fixture *f)
{
    BREAK(f, f->world->loops[7].serial, 1);
}

static void close_a_loop_within_the_stack(fixture *f)
{
    BREAK(f, f->world->loops[1].serial, 0);
}

static void take_another_loops_ticket(fixture *f)
{
    BREAK(f, f->world->loops[0].ticket, f->world->loops[1].serial);
}

static void report_to_a_loop_without_the_flag(fixture *f)
{
    BREAK(f, column_of(f, FROZEN)->drop_watch, 1);
}

static void hide_a_flag_from_a_loop(fixture *f)
{
    BREAK(f, column_of(f, HIDDEN)->add_watch, 0);
}

static void let_inline_code_skip_a_loop(fixture *f)
{
    BREAK(f, set_of(f, HIDDEN)->head.inline_bit_, UINT64_C(1) << column_of(f, HIDDEN)->bit);
}

static void watch_the_table_from_another_loop(fixture *f)
{
    BREAK(f, f->world->table_watch, 1);
}

static void count_a_loop_over_the_table_too_many(fixture *f)
{
    BREAK(f, f->world->entities.table_loops, f->world->entities.table_loops + 1);
}

static void count_a_listener_too_many(fixture *f)
{
    BREAK(f, f->world->destroy_observers, f->world->destroy_observers + 1);
}

static void note_a_listener_that_is_not_there(fixture *f)
{
    BREAK(f, f->world->removal_listeners[0], ~f->world->removal_listeners[0]);
}

static void count_a_disabled_row_too_many(fixture *f)
{
    kith_pool *pool = &f->world->storages[0]->pool;
    BREAK(f, pool->set.head.disabled_, pool->set.head.disabled_ + 1);
}

static void count_a_disabled_row_of_no_component(fixture *f)
{
    BREAK(f, f->world->shared.disabled, f->world->shared.disabled + 1);
}

static void let_inline_code_keep_silent(fixture *f)
{
    BREAK(f, f->world->storages[0]->pool.set.head.listeners_, 7);
}

static void let_inline_code_pass_by_groups(fixture *f)
{
    BREAK(f, set_of(f, LEFT)->head.listeners_, 0);
}

static void let_removals_pass_by_groups(fixture *f)
{
    BREAK(f, column_of(f, LEFT)->is_direct, true);
}

static void lead_a_component_to_no_group(fixture *f)
{
    kith_storage *column = column_of(f, LEFT);
    BREAK(f, column->sole_group, column->sole_group == NULL ? (void *)column : NULL);
}

static void let_births_go_unheard(fixture *f)
{
    BREAK(f, f->world->entities.inline_room, f->world->entities.inline_room ^ 1u);
}

// --- groups ----------------------------------------------------------------------------------

static void leave_a_member_outside(fixture *f)
{
    BREAK(f, f->owning->members, 2);
}

static void take_a_member_off_the_list(fixture *f)
{
    BREAK(f, *kith_sparse_set_slot(&f->listing->list.pool.set, THIRD), KITH_EMPTY);
}

static void count_a_member_too_many(fixture *f)
{
    BREAK(f, f->owning->count, f->owning->count + 1);
}

static void move_the_border_beyond_the_members(fixture *f)
{
    BREAK(f, f->owning->members, f->owning->members + 1);
}

static void leave_a_group_unsettled(fixture *f)
{
    BREAK(f, f->listing->unsettled, true);
}

static void move_the_border_beyond_the_rows(fixture *f)
{
    BREAK(f, f->owning->members, set_of(f, LEFT)->head.rows_ + 1);
}

static void exchange_rows_of_one_owned_pool(fixture *f)
{
    uint32_t *rows  = kith_sparse_set_packed(set_of(f, RIGHT), 0);
    uint32_t  first = rows[0];
    BREAK(f, rows[0], rows[1]);
    BREAK(f, rows[1], first);
}

static void let_an_entity_wait_for_its_groups(fixture *f)
{
    BREAK(f, f->world->entities.first_link, LIVING);
}

// --- paths -----------------------------------------------------------------------------------

static void enqueue_beyond_the_room(fixture *f)
{
    BREAK(f, f->queue->waiting.count, f->queue->waiting.capacity + 1);
}

static void save_events_in_another_form(fixture *f)
{
    BREAK(f, f->queue->desc.saved.form, KITH_FORM_TRANSIENT);
}

static void deliver_what_is_not_there(fixture *f)
{
    BREAK(f, f->queue->next, 1);
}

static void leave_events_undelivered(fixture *f)
{
    BREAK(f, f->queue->delivering.capacity, 1);
    BREAK(f, f->queue->delivering.count, 1);
}

static void leave_a_queue_updating(fixture *f)
{
    BREAK(f, f->queue->updating, true);
}

static void lower_the_limit_of_a_queue(fixture *f)
{
    BREAK(f, f->queue->desc.limit, 1);
}

static void forget_a_handler(fixture *f)
{
    BREAK(f, f->queue->handlers.count, 0);
}

static void exchange_two_members(fixture *f)
{
    kith_entity_set_member *entries = f->reactive->members.entries;
    kith_entity             first   = entries[0].entity;
    BREAK(f, entries[0].entity, entries[1].entity);
    BREAK(f, entries[1].entity, first);
}

static void number_a_member_twice(fixture *f)
{
    kith_entity_set_member *entries = f->reactive->members.entries;
    BREAK(f, entries[1].number, entries[0].number);
}

static void count_a_member_less(fixture *f)
{
    BREAK(f, f->reactive->members.count, f->reactive->members.count - 1);
}

static void take_the_room_of_a_set(fixture *f)
{
    BREAK(f, f->waiting->members.capacity, 1);
}

static void update_a_set_in_the_future(fixture *f)
{
    BREAK(f, f->reactive->since, 99);
}

static void forget_a_watch(fixture *f)
{
    BREAK(f, column_of(f, POSITION)->watches, NULL);
}

static void forget_an_anchor(fixture *f)
{
    BREAK(f, column_of(f, POSITION)->reservers, 0);
}

static void add_a_component_to_the_newer_path(fixture *f)
{
    BREAK(f, column_of(f, HOOKED)->path, f->newer);
}

static void add_a_component_to_a_foreign_path(fixture *f)
{
    BREAK(f, column_of(f, LEFT)->path, f->newer);
}

static void take_a_path_for_arranged(fixture *f)
{
    BREAK(f, f->older->states[1].moves, set_of(f, HOOKED)->moves);
}

// --- systems ---------------------------------------------------------------------------------

static kith_graph *graph_of(fixture *f)
{
    return &f->world->schedule->graph;
}

static void number_a_system_wrongly(fixture *f)
{
    BREAK(f, f->second_system->number, 1);
}

static void turn_the_order_round(fixture *f)
{
    kith_system **order = graph_of(f)->order;
    kith_system  *first = order[0];
    BREAK(f, order[0], order[1]);
    BREAK(f, order[1], first);
}

static void lose_the_newest_object(fixture *f)
{
    BREAK(f, f->world->newest, f->world->newest->previous_);
}

static void link_an_object_to_itself(fixture *f)
{
    BREAK(f, f->world->newest->previous_, f->world->newest);
}

static void let_a_systems_query_go(fixture *f)
{
    BREAK(f, f->second_system->query->owner, NULL);
}

static void let_a_systems_group_go(fixture *f)
{
    BREAK(f, f->second_system->group->trackers, 0);
}

static void forget_a_tracked_systems_group(fixture *f)
{
    BREAK(f, f->second_system->group, NULL);
}

static void lose_reported_entity(fixture *f)
{
    BREAK(f, *kith_sparse_set_packed(&f->second_system->tracked_entities, 1), BARE);
}

static void find_unreported_entity(fixture *f)
{
    BREAK(f, *kith_sparse_set_slot(&f->second_system->tracked_entities, BARE), UINT64_C(1) << 32);
}

static void forget_to_allow_access(fixture *f)
{
    BREAK(f, f->world->access_check, f->world->schedule->access);
}

static void hide_a_component(fixture *f)
{
    BREAK(f, f->world->head.pools_[LEFT], kith_world_no_pool());
}

// --- commands --------------------------------------------------------------------------------

static kith_command *first_record(fixture *f)
{
    return kith_command_at(kith_commands_begin(f->commands).record);
}

static void count_a_command_too_many(fixture *f)
{
    BREAK(f, f->commands->report.recorded, f->commands->report.recorded + 1);
}

static void count_a_create_too_many(fixture *f)
{
    BREAK(f, f->commands->created_count, f->commands->created_count + 1);
}

static void record_an_unknown_verb(fixture *f)
{
    BREAK(f, first_record(f)->verb, (uint16_t)(KITH_COMMAND_CALL + 1));
}

static void record_no_words(fixture *f)
{
    BREAK(f, first_record(f)->words, 0);
}

static void cut_the_last_record(fixture *f)
{
    BREAK(f, f->commands->at, f->commands->at - sizeof(uint64_t));
}

static void know_another_size(fixture *f)
{
    BREAK(f, f->commands->infos[0].size, f->commands->infos[0].size + 4);
}

static void know_a_component_at_no_place(fixture *f)
{
    BREAK(f, f->commands->places[f->commands->infos[0].id], 0);
}

// --- the table -------------------------------------------------------------------------------

// The name of the function that does the damage is that of the test.
#define IN(ORDER, SENTENCE, DAMAGE)                                                                \
    {                                                                                              \
        SENTENCE, #DAMAGE, DAMAGE, KITH_FREE_##ORDER, false                                        \
    }
#define IN_LOOP(SENTENCE, DAMAGE)                                                                  \
    {                                                                                              \
        SENTENCE, #DAMAGE, DAMAGE, KITH_FREE_LIFO, true                                            \
    }

static const breakage breakages[] = {
    IN(LIFO, "inline code sees an old entity table", mirror_another_number_of_pages),
    IN(LIFO, "inline code sees an old entity table", mirror_another_directory),
    IN(LIFO, "inline code would write a signature word that is not allocated",
       look_up_more_pages_than_entities_have),
    IN(LIFO, "inline code would write another signature word", write_another_signature_word),
    IN(LIFO, "arena: a free stretch does not match its list", lengthen_free_memory),
    IN(LIFO, "arena: `filled` and a list disagree", announce_a_list_of_free_memory),
    IN(LIFO, "arena: a free stretch is in no list", mark_used_memory_as_free),
    IN(LIFO, "arena: used and free lines do not add up", count_a_line_too_many),
    IN(LIFO, "a component keeps memory that was not reserved", keep_unreserved_memory),
    IN(LIFO, "the world is busy, though no hook runs", stay_busy),
    IN(LIFO, "the shared page of absent slots was written to", write_to_the_shared_page),
    IN(LIFO, "the entity table is beyond its pages or its limit", grow_beyond_the_pages),
    IN(LIFO, "the entity table is beyond its pages or its limit", grow_beyond_the_limit),
    IN(LIFO, "a slot's version is above the last version", use_a_version_beyond_the_last),
    IN(LIFO, "a living entity has version 0", use_version_0),
    IN(LIFO, "an entity's summary of signature words is wrong", forget_the_further_words),
    IN(LIFO, "a slot that is not alive has components", add_a_component_to_a_free_slot),
    IN(LIFO, "all slots of a page are marked alike, and one differs",
       know_a_version_that_not_all_have),
    IN(LIFO, "the signatures of a page are not written", leave_signatures_unwritten),
    IN(LOWEST, "the set of free indices differs from the slots", lose_a_free_index),
    IN(LIFO, "the number of living entities is wrong", count_an_idle_slot_too_many),
    IN(LIFO, "the number of free slots is wrong", count_a_free_slot_too_many),
    IN(LOWEST, "the number of free slots is wrong", count_a_free_slot_too_many),
    IN(LIFO, "the number of retired slots is wrong", count_a_retired_slot_too_many),
    IN(LOWEST, "the set of free indices has a wrong summary", lie_about_a_word_of_free_indices),
    IN(LIFO, "a slot that was never used is not empty", use_a_slot_beyond_the_table),
    IN(LIFO, "the free list leads to a slot that is not free",
       begin_the_free_list_at_a_living_slot),
    IN(LIFO, "the free list does not have every free slot once", skip_the_first_free_slot),
    IN(FIFO, "the free list does not have every free slot once", tie_the_free_list_to_a_ring),
    IN(FIFO, "the free list does not end at its tail", move_the_tail),
    IN(LIFO, "an entity has a component that is not registered", add_an_unregistered_component),
    IN(LIFO, "a component is not in its place", exchange_the_first_components),
    IN(LIFO, "a component's id leads to another component", lead_an_id_to_another_component),
    IN(LIFO, "a component on entities has a singleton's value", add_a_single_value_to_a_component),
    IN(LIFO, "a singleton has rows", add_a_row_to_a_singleton),
    IN(LIFO, "a singleton with hooks has no spare place", take_the_spare_place_of_a_singleton),
    IN(LIFO, "a component's signature bit leads to another component",
       lead_a_bit_to_another_component),
    IN(LIFO, "a component's signature bit leads to another component", use_a_bit_beyond_the_last),
    IN(LIFO, "the signatures and a component's count differ",
       set_the_bit_of_an_entity_without_a_row),
    IN(LIFO, "the signatures and a component's count differ", count_a_flag_too_many),
    IN(LIFO, "a pool has more rows than room", lower_the_room_below_the_rows),
    IN(LIFO, "a pool's room is not that of its pages and its limit",
       raise_the_room_above_the_pages),
    IN(LIFO, "a pool's room is not that of its pages and its limit",
       lower_the_limit_below_the_room),
    IN(LIFO, "inline code would add or remove what it may not", let_inline_code_skip_the_hooks),
    IN(LIFO, "a row's entity is beyond the entity table", pack_an_index_beyond_the_table),
    IN(LIFO, "a row's entity is not alive", pack_a_dead_entity),
    IN(LIFO, "a row's entity is not looked up to that row", pack_an_entity_twice),
    IN(LIFO, "a row's entity lacks the component's signature bit", move_a_signature_bit),
    IN(LIFO, "the number of holes is wrong", make_a_row_a_hole),
    IN(LIFO, "a pool looks up more entities than it has rows", look_up_an_entity_without_a_row),
    IN(LIFO, "a pool with hooks has no spare place", take_the_spare_place_of_a_pool),
    IN(LIFO, "the list of holes leads to a row that is not a hole",
       begin_the_holes_at_a_row_in_use),
    IN(LIFO, "the list of holes leads to a row that is not a hole",
       begin_the_holes_beyond_the_rows),
    IN(LIFO, "the list of holes is longer or shorter than counted", skip_the_newest_hole),
    IN(LIFO, "a swap pool has holes, though nothing holds the world",
       make_a_pool_with_holes_a_swap_pool),
    IN(LIFO, "a row without a value is disabled", disable_a_row_beyond_the_end),
    IN(LIFO, "a row without a value is disabled", disable_a_hole),
    IN(LIFO, "the disable bits do not reach all rows", shorten_the_disable_bits),
    IN(LIFO, "a pool is at another tick than the world", be_at_another_tick),
    IN(LIFO, "a page has a stamp of the future", stamp_a_page_with_the_future),
    IN(LIFO, "a row was changed before it was added, or after its page was",
       change_a_row_before_it_is_added),
    IN(LIFO, "a row was changed before it was added, or after its page was",
       change_a_row_after_its_page),
    IN(LIFO, "a journal goes back in time", write_a_journal_back_in_time),
    IN(LIFO, "a journal has an entry of the future", write_a_journal_of_the_future),
    IN(LIFO, "a journal has entries and no capacity, or no entries", take_the_room_of_a_journal),
    IN(LIFO, "removed values wait, though nothing holds the world", wait_though_nothing_holds),
    IN_LOOP("a pool with removed values does not wait to settle", forget_that_a_pool_waits),
    IN_LOOP("the number of removed values that wait is wrong", count_a_value_that_waits_too_many),
    IN_LOOP("the number of removed values that wait is wrong",
            count_a_stable_value_that_waits_too_many),
    IN_LOOP("a removed row is not a hole", wait_for_a_row_in_use),
    IN_LOOP("an open loop does not hold the world", let_go_of_the_world),
    IN(LIFO, "the world has something to settle, though nothing holds it",
       leave_something_to_settle),
    IN(LIFO, "a closed loop is still in the stack", leave_a_loop_in_the_stack),
    IN_LOOP("a closed loop is still in the stack", close_a_loop_within_the_stack),
    IN_LOOP("a loop has another one's ticket", take_another_loops_ticket),
    IN_LOOP("a component notifies other loops than name it", report_to_a_loop_without_the_flag),
    IN_LOOP("a component notifies other loops than name it", hide_a_flag_from_a_loop),
    IN_LOOP("inline code would add or remove what it may not", let_inline_code_skip_a_loop),
    IN_LOOP("the number of loops over all entities is wrong", watch_the_table_from_another_loop),
    IN(LIFO, "the number of loops over all entities is wrong",
       count_a_loop_over_the_table_too_many),
    IN(LIFO, "the number of destroy observers is wrong", count_a_listener_too_many),
    IN(LIFO, "the mask of removal listeners is wrong", note_a_listener_that_is_not_there),
    IN(LIFO, "the number of disabled rows is wrong", count_a_disabled_row_too_many),
    IN(LIFO, "the number of disabled rows in the world is wrong",
       count_a_disabled_row_of_no_component),
    IN(LIFO, "inline code would not call listeners", let_inline_code_keep_silent),
    IN(LIFO, "inline code would not call listeners", let_inline_code_pass_by_groups),
    IN(LIFO, "inline code would add or remove what it may not", let_removals_pass_by_groups),
    IN(LIFO, "a component's only group is wrong", lead_a_component_to_no_group),
    IN(LIFO, "a group's members are not the entities that match it", leave_a_member_outside),
    IN(LIFO, "a group's members are not the entities that match it", take_a_member_off_the_list),
    IN(LIFO, "the number of a group's members is wrong", count_a_member_too_many),
    IN_LOOP("the number of a group's members is wrong", count_a_member_too_many),
    IN(LIFO, "a group has lost members", move_the_border_beyond_the_members),
    IN(LIFO, "a group waits to settle, though nothing holds the world", leave_a_group_unsettled),
    IN_LOOP("a group has more members than rows", move_the_border_beyond_the_rows),
    IN(LIFO, "the pools of a group are not in one order", exchange_rows_of_one_owned_pool),
    IN_LOOP("the pools of a group are not in one order", exchange_rows_of_one_owned_pool),
    IN(LIFO, "entities wait to join a group, though nothing holds the world",
       let_an_entity_wait_for_its_groups),
    IN(LIFO, "a component belongs to another path", add_a_component_to_the_newer_path),
    IN(LIFO, "a component belongs to a path that does not have it",
       add_a_component_to_a_foreign_path),
    IN(LIFO, "a path that counts as arranged is not in order", take_a_path_for_arranged),
    IN(LIFO, "a reactive set does not find its members", exchange_two_members),
    IN(LIFO, "a reactive set does not find its members", number_a_member_twice),
    IN(LIFO, "a reactive set does not find its members", count_a_member_less),
    IN(LIFO, "a reactive set has no room for entities that may join", take_the_room_of_a_set),
    IN(LIFO, "a reactive set was updated in the future", update_a_set_in_the_future),
    IN(LIFO, "a component does not know that a reactive set watches it", forget_a_watch),
    IN(LIFO, "the number of a component's reservers is wrong", forget_an_anchor),
    IN(LIFO, "a queue has more events than room", enqueue_beyond_the_room),
    IN(LIFO, "the events of a queue are not saved as it says", save_events_in_another_form),
    IN(LIFO, "a queue delivers more events than it has", deliver_what_is_not_there),
    IN(LIFO, "a queue has lost events", leave_events_undelivered),
    IN(LIFO, "a queue is being updated, though no event is announced", leave_a_queue_updating),
    IN(LIFO, "a queue has more events than its limit", lower_the_limit_of_a_queue),
    IN(LIFO, "the number of a queue's handlers is wrong", forget_a_handler),
    IN(LIFO, "a system is not at its number", number_a_system_wrongly),
    IN(LIFO, "a system runs before a system that must come first", turn_the_order_round),
    IN(LIFO, "a tracked system has no group", forget_a_tracked_systems_group),
    IN(LIFO, "the list of objects is broken", lose_the_newest_object),
    IN(LIFO, "the list of objects is broken", link_an_object_to_itself),
    IN(LIFO, "a system's query can be destroyed", let_a_systems_query_go),
    IN(LIFO, "a group counts the systems that use it wrongly", let_a_systems_group_go),
    IN(LIFO, "a tracked entity is not looked up to its row", lose_reported_entity),
    IN(LIFO, "a system looks up an entity that it does not track", find_unreported_entity),
    IN(LIFO, "components are hidden, though no system is running", forget_to_allow_access),
    IN(LIFO, "a component is hidden", hide_a_component),
    IN(LIFO, "the count of commands is wrong", count_a_command_too_many),
    IN(LIFO, "the count of commands is wrong", count_a_create_too_many),
    IN(LIFO, "a command record is malformed", record_an_unknown_verb),
    IN(LIFO, "a command record is malformed", record_no_words),
    IN(LIFO, "a command record exceeds its block", cut_the_last_record),
    IN(LIFO, "commands have an outdated copy of a component", know_another_size),
    IN(LIFO, "commands lack the index of a component", know_a_component_at_no_place),
    IN(LIFO, "inline code would create an entity without its event", let_births_go_unheard),
};

// --- tests -----------------------------------------------------------------------------------

// The state is first the breakage, then the fixture.
static int setup(void **state)
{
    fixture *f  = calloc(1, sizeof *f);
    f->breakage = *state;
    begin_full_world(f, f->breakage->order);
    if (f->breakage->in_loop) {
        open_loops(f);
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    mend(f);
    assert_true(kith_world_settle(f->world));
    test_world_end(f->world, &f->memory);
    free(f);
    return 0;
}

static void the_broken_world_is_refused_until_it_is_mended(void **state)
{
    fixture    *f      = *state;
    const char *reason = "not asked";
    assert_true(kith_world_validate(f->world, &reason));
    assert_null(reason);

    f->breakage->damage(f);
    assert_false(kith_world_validate(f->world, &reason));
    assert_string_equal(reason, f->breakage->sentence);
    assert_false(kith_world_validate(f->world, NULL));

    mend(f);
    assert_true(kith_world_validate(f->world, &reason));
    assert_null(reason);
    assert_true(kith_world_validate(f->world, NULL));
}

// The tests above are worth something only if the world has what they break.
static void assert_world_has_everything(kith_world *world)
{
    kith_stats stats = kith_world_stats(world);
    assert_int_equal(stats.slots, SLOTS);
    assert_int_equal(stats.free, 2);
    assert_int_equal(stats.retired, 1);
    assert_int_equal(stats.alive, 5);
    assert_true(stats.components > 64);
    assert_true(world->bit_count % 64 != 0);
    assert_int_equal(kith_component_stats(world, SCAR).rows, 3);
    assert_int_equal(kith_component_count(world, SCAR), 1);
    assert_false(position_enabled(world, handle(SECOND, 1)));
    assert_true(kith_component_has(world, handle(LIVING, 1), FAR));
    assert_int_equal(world->groups.count, 2);
    assert_world_valid(world);
}

static void the_world_has_everything_in_every_free_order(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_FREE_ORDERS; i++) {
        fixture f = { .part_count = 0 };
        begin_full_world(&f, test_free_orders[i]);
        assert_world_has_everything(f.world);
        test_world_end(f.world, &f.memory);
    }
}

// Every slot of the page lives, so its version alone is wrong.
static void a_whole_page_of_another_version_is_found(void **state)
{
    test_memory memory = { 0 };
    kith_world *world  = test_world(&memory);
    const char *reason = NULL;
    (void)state;
    test_create_many(world, KITH_PAGE_SLOTS);
    kith_entity_page *page = kith_entity_page_of(&world->entities, 0);
    uint32_t          was  = page->known.version;
    page->known.version    = 2;
    assert_false(kith_world_validate(world, &reason));
    assert_string_equal(reason, "all slots of a page are marked alike, and one differs");
    page->known.version = was;
    test_world_end(world, &memory);
}

int main(void)
{
    struct CMUnitTest tests[COUNT_OF(breakages) + 2];
    for (size_t i = 0; i < COUNT_OF(breakages); i++) {
        tests[i] = (struct CMUnitTest){
            .name          = breakages[i].name,
            .test_func     = the_broken_world_is_refused_until_it_is_mended,
            .setup_func    = setup,
            .teardown_func = teardown,
            .initial_state = (void *)(uintptr_t)&breakages[i],
        };
    }
    tests[COUNT_OF(breakages)] =
        (struct CMUnitTest)cmocka_unit_test(the_world_has_everything_in_every_free_order);
    tests[COUNT_OF(breakages) + 1] =
        (struct CMUnitTest)cmocka_unit_test(a_whole_page_of_another_version_is_found);
    return cmocka_run_group_tests_name("validate", tests, NULL, NULL);
}
