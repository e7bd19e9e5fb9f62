// SPDX-License-Identifier: MIT
// Files that were made to attack: whatever their bytes say, with checksums that are right, the
// world is as it was, or is another valid one.
#include "base/alloc.h"
#include "chunk_test.h"
#include "exact_test.h"

// A world that is attacked, and a text of its state.
typedef struct victim {
    kith_world  *world;
    test_memory *memory;
    kith_bytes (*save)(const kith_world *world);
} victim;

static victim of_scene(scene *s)
{
    return (victim){ s->world, &s->memory, saved };
}

static victim of_town(town *t)
{
    return (victim){ t->world, &t->memory, saved_exactly };
}

static void assert_survives(const victim *v, const kith_bytes *file, const kith_bytes *before)
{
    kith_result result = kith_world_load(v->world, NULL, file->data, file->size);
    assert_world_valid(v->world);
    kith_bytes now = v->save(v->world);
    if (result.code == KITH_OK) {
        load(v->world, before); // another world, which is one
    } else {
        assert_true(result.message[0] != '\0' && result.offset <= file->size);
        assert_same_bytes(before, &now);
    }
    kith_bytes_free(&now);
}

static void change_each_byte(const victim *v, kith_bytes *file, chunk_place chunk,
                             const kith_bytes *before)
{
    static const uint8_t changes[] = { 0x01, 0x80, 0xff };
    size_t               step      = test_thinned(1000) == 1000 ? 1 : 7;
    for (size_t at = 0; at < chunk.size; at += step) {
        uint8_t *byte = file->data + chunk.head + KITH_CHUNK_HEAD + at;
        for (size_t i = 0; i < sizeof changes; i++) {
            *byte ^= changes[i];
            sign(file, chunk);
            assert_survives(v, file, before);
            *byte ^= changes[i];
        }
    }
    sign(file, chunk);
}

// Each byte of each chunk from the first with this tag on; 0: of all.
static void change_each_chunk(const victim *v, uint32_t from)
{
    kith_bytes file   = v->save(v->world);
    kith_bytes before = v->save(v->world);
    bool       begun  = from == 0;
    for (chunk_place chunk = place_of_chunk(&file, KITH_FILE_HEAD);;
         chunk             = place_of_chunk(&file, behind(chunk))) {
        begun = begun || (uint32_t)number_at(file.data + chunk.head) == from;
        if (begun) {
            change_each_byte(v, &file, chunk, &before);
        }
        if (behind(chunk) >= file.size) {
            break;
        }
    }
    assert_true(begun);
    assert_same_bytes(&file, &before);
    kith_bytes_free(&file);
    kith_bytes_free(&before);
}

static void any_byte_with_right_checksums_is_refused_or_makes_a_world(void **state)
{
    scene *s = *state;
    victim v = of_scene(s);
    act_often(s->world, 41, 150);
    change_each_chunk(&v, 0);
}

static void enlarge_numbers(const victim *v);

// Entities and rows that follow each other, which few bytes say.
static void make_runs(kith_world *world)
{
    for (uint32_t i = 0; i < 100; i++) {
        kith_entity e = kith_entity_create(world);
        mark_add(world, e);
        pace_set(world, e, (int32_t)i);
    }
}

static void any_byte_of_a_run_is_refused_or_makes_a_world(void **state)
{
    scene *s = *state;
    victim v = of_scene(s);
    make_runs(s->world);
    change_each_chunk(&v, KITH_TAG_LIVING);
    change_each_chunk(&v, KITH_TAG_RUN);
    enlarge_numbers(&v);
}

// Little of everything.
static void fill_town(town *t)
{
    act_in_town_often(t, 44, 150);
    kith_entity e = kith_entity_create(t->world);
    spot_set(t->world, e, (place){ 1, 2, 3 });
    scar_set(t->world, e, 1);
    scar_remove(t->world, e);
    scar_set(t->world, e, 2);
    enqueue_some(t, e, 0);
    enqueue_some(t, e, 1);
    enqueue_some(t, e, 2);
}

static void any_byte_of_exact_state_is_refused_or_makes_a_world(void **state)
{
    town  *t = *state;
    victim v = of_town(t);
    fill_town(t);
    change_each_chunk(&v, KITH_TAG_STAMPS);
}

// --- descriptions of components --------------------------------------------------------------

// A world into which the town's snapshots go in another way, or not at all.
typedef kith_world *(*maker)(test_memory *memory);

// One that knows nothing.
static kith_world *make_stranger(test_memory *memory)
{
    return test_world_with(memory, (kith_world_desc){ 0 });
}

typedef struct other_place {
    double   x;
    uint32_t level;
    bool     lit;
} other_place;
KITH_FIELDS(other_place, f64(x), u32(level, NULL, "floor"), boolean(lit));

// One whose component has other fields.
static kith_world *make_newer(test_memory *memory)
{
    kith_world               *world = test_world_with(memory, (kith_world_desc){ 0 });
    const kith_component_desc desc  = { .name         = "spot",
                                        .id           = PLACE,
                                        .size         = sizeof(other_place),
                                        .alignment    = _Alignof(other_place),
                                        .traits.saved = KITH_AS(fields(other_place)) };
    assert_int_equal(kith_component_register(world, &desc), PLACE);
    return world;
}

// Nothing is registered by a load that fails, and no more memory taken than the file has bytes for.
static void load_once(const kith_bytes *file, maker make)
{
    static const kith_load_desc keep   = { .unknown = KITH_UNKNOWN_KEEP };
    test_memory                 memory = { 0 };
    kith_world                 *world  = make(&memory);
    uint32_t                    known  = kith_world_stats(world).components;
    kith_result                 result = kith_world_load(world, &keep, file->data, file->size);
    assert_world_valid(world);
    assert_true(memory.most_bytes < 64 * file->size + (1u << 20));
    if (result.code != KITH_OK) {
        assert_true(result.message[0] != '\0' && result.offset <= file->size);
        assert_int_equal(kith_world_stats(world).components, known);
    }
    test_world_end(world, &memory);
}

static void change_description(kith_bytes *file, chunk_place chunk, maker make)
{
    static const uint8_t changes[] = { 0x01, 0x02, 0x08, 0x80, 0xff };
    for (size_t at = 0; at < chunk.size; at++) {
        uint8_t *byte = file->data + chunk.head + KITH_CHUNK_HEAD + at;
        for (size_t i = 0; i < sizeof changes; i++) {
            *byte ^= changes[i];
            sign(file, chunk);
            load_once(file, make);
            *byte ^= changes[i];
        }
    }
    sign(file, chunk);
}

static void any_description_is_refused_or_makes_a_component(void **state)
{
    static const maker makers[] = { make_stranger, make_newer };
    scene             *s        = *state;
    act_often(s->world, 44, 60);
    kith_bytes file = saved(s->world);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        uint32_t seen = 0;
        for (chunk_place chunk = place_of_chunk(&file, KITH_FILE_HEAD); behind(chunk) < file.size;
             chunk             = place_of_chunk(&file, behind(chunk))) {
            if (memcmp(file.data + chunk.head, "COMP", 4) == 0) {
                change_description(&file, chunk, makers[i]);
                seen++;
            }
        }
        assert_true(seen > 5);
    }
    kith_bytes_free(&file);
}

// --- chunks ----------------------------------------------------------------------------------

// The file without a chunk, or with it twice.
static kith_bytes with_chunk(const kith_bytes *file, chunk_place chunk, bool twice)
{
    kith_bytes out = { .data = NULL };
    size_t     end = behind(chunk);
    assert_true(kith_bytes_extend(&out, file->size + (end - chunk.head)));
    size_t front = twice ? end : chunk.head;
    size_t rest  = twice ? chunk.head : end;
    memcpy(out.data, file->data, front);
    memcpy(out.data + front, file->data + rest, file->size - rest);
    out.size = front + (file->size - rest);
    return out;
}

// The last chunk says how many there are, so it must be adjusted.
static void count_chunks(kith_bytes *file, uint32_t change)
{
    chunk_place last  = place_of_chunk(file, file->size - KITH_CHUNK_HEAD - 8);
    uint8_t    *count = file->data + last.head + KITH_CHUNK_HEAD;
    put_number(count, (uint32_t)number_at(count) + change);
    sign(file, last);
}

static void drop_and_repeat_chunks(const victim *v)
{
    kith_bytes file = v->save(v->world);
    for (chunk_place chunk = place_of_chunk(&file, KITH_FILE_HEAD); behind(chunk) < file.size;
         chunk             = place_of_chunk(&file, behind(chunk))) {
        for (int twice = 0; twice < 2; twice++) {
            kith_bytes other = with_chunk(&file, chunk, twice != 0);
            count_chunks(&other, twice != 0 ? 1u : UINT32_MAX);
            assert_survives(v, &other, &file);
            kith_bytes_free(&other);
        }
    }
    kith_bytes_free(&file);
}

static void chunks_that_are_missing_or_there_twice_are_noticed(void **state)
{
    scene *s = *state;
    victim v = of_scene(s);
    act_often(s->world, 42, 200);
    drop_and_repeat_chunks(&v);
}

static void exact_chunks_that_are_missing_or_there_twice_are_noticed(void **state)
{
    town  *t = *state;
    victim v = of_town(t);
    fill_town(t);
    drop_and_repeat_chunks(&v);
}

// The file with the chunk's last bytes left out.
static kith_bytes with_short_chunk(const kith_bytes *file, chunk_place chunk, size_t less)
{
    kith_bytes  out     = { .data = NULL };
    chunk_place shorter = { chunk.head, chunk.size - less };
    size_t      end     = chunk.head + KITH_CHUNK_HEAD + shorter.size;
    size_t      rest    = file->size - behind(chunk);
    assert_true(kith_bytes_extend(&out, behind(shorter) + rest));
    memset(out.data, 0, out.size);
    memcpy(out.data, file->data, end);
    memcpy(out.data + behind(shorter), file->data + behind(chunk), rest);
    put_number(out.data + chunk.head + 8, shorter.size);
    put_number(out.data + chunk.head + 16, shorter.size);
    sign(&out, shorter);
    return out;
}

// Of a table that is known, and of groups and queries that are not here, the end is not read.
static void shorten_chunks(const victim *v)
{
    kith_bytes file = v->save(v->world);
    for (chunk_place chunk = place_of_chunk(&file, KITH_FILE_HEAD); behind(chunk) < file.size;
         chunk             = place_of_chunk(&file, behind(chunk))) {
        uint32_t tag  = (uint32_t)number_at(file.data + chunk.head);
        bool     read = tag != KITH_TAG_COMPONENT && tag != KITH_TAG_GROUP && tag != KITH_TAG_QUERY;
        for (size_t less = 1; less <= 9 && less <= chunk.size && read; less += 4) {
            kith_bytes  other  = with_short_chunk(&file, chunk, less);
            kith_result result = kith_world_load(v->world, NULL, other.data, other.size);
            assert_true(result.code != KITH_OK);
            assert_survives(v, &other, &file);
            kith_bytes_free(&other);
        }
    }
    kith_bytes_free(&file);
}

static void chunks_that_end_too_soon_are_refused(void **state)
{
    scene *s = *state;
    victim v = of_scene(s);
    act_often(s->world, 42, 200);
    shorten_chunks(&v);
}

static void exact_chunks_that_end_too_soon_are_refused(void **state)
{
    town  *t = *state;
    victim v = of_town(t);
    fill_town(t);
    shorten_chunks(&v);
}

// The second one says something else of which there is as much as the first one said.
static void a_second_world_in_the_file_is_noticed(void **state)
{
    scene      *s     = *state;
    kith_bytes  file  = saved(s->world);
    chunk_place world = place_of_chunk(&file, KITH_FILE_HEAD);
    kith_bytes  other = with_chunk(&file, world, true);
    chunk_place again = place_of_chunk(&other, behind(world));
    other.data[again.head + KITH_CHUNK_HEAD]--;
    sign(&other, again);
    kith_result result = kith_world_load(s->world, NULL, other.data, other.size);
    assert_string_equal(result.message, "the file has two WRLD chunks");
    kith_bytes_free(&other);
    kith_bytes_free(&file);
}

// Sets every 32-bit number of the first chunks to the largest there is: nothing is allocated for
// it.
static void enlarge_numbers(const victim *v)
{
    kith_bytes file   = v->save(v->world);
    kith_bytes before = v->save(v->world);
    size_t     live   = v->memory->live_bytes;
    for (chunk_place chunk = place_of_chunk(&file, KITH_FILE_HEAD); behind(chunk) < file.size;
         chunk             = place_of_chunk(&file, behind(chunk))) {
        for (size_t at = 0; at + 4 <= chunk.size && at < 64; at++) {
            uint8_t  kept[4];
            uint8_t *number = file.data + chunk.head + KITH_CHUNK_HEAD + at;
            memcpy(kept, number, 4);
            memset(number, 0xff, 4);
            number[3] = 0x7f;
            sign(&file, chunk);
            v->memory->most_bytes = 0;
            assert_survives(v, &file, &before);
            assert_true(v->memory->most_bytes < 4 * live + (1u << 20));
            memcpy(number, kept, 4);
        }
        sign(&file, chunk);
    }
    kith_bytes_free(&file);
    kith_bytes_free(&before);
}

static void large_numbers_cost_nothing(void **state)
{
    scene *s = *state;
    victim v = of_scene(s);
    act_often(s->world, 43, 100);
    enlarge_numbers(&v);
}

static void large_numbers_of_exact_state_cost_nothing(void **state)
{
    town  *t = *state;
    victim v = of_town(t);
    fill_town(t);
    enlarge_numbers(&v);
}

// The first component's chunk says how many bytes a packed value has.
static void another_size_of_values_is_said(void **state)
{
    scene      *s     = *state;
    kith_bytes  file  = saved(s->world);
    chunk_place world = place_of_chunk(&file, KITH_FILE_HEAD);
    chunk_place first = place_of_chunk(&file, behind(world));
    uint8_t    *size  = file.data + first.head + KITH_CHUNK_HEAD + 8 + strlen("spot") + 6 * 4;
    assert_int_equal(*size, 14);
    *size = 15;
    sign(&file, first);
    kith_result result = kith_world_load(s->world, NULL, file.data, file.size);
    assert_string_equal(result.message,
                        "\"spot\": its values have another size than its table says");
    kith_bytes_free(&file);
}

static bool accept_old(void *value, const kith_old *old, void *context)
{
    (void)value, (void)old, (void)context;
    return true;
}

// A file with a component of 8 bytes, of which it says that they are 1 GB.
static kith_bytes claim_a_large_value(kith_component_desc desc)
{
    const uint32_t claimed = 1u << 30;
    test_memory    memory  = { 0 };
    kith_world    *world   = test_world_with(&memory, (kith_world_desc){ 0 });
    uint64_t       value   = 1;
    assert_int_equal(kith_component_register(world, &desc), 1);
    if (desc.kind == KITH_KIND_SINGLETON) {
        assert_non_null(kith_singleton_set(world, 1, &value));
    }
    kith_bytes  file  = saved(world);
    chunk_place head  = place_of_chunk(&file, KITH_FILE_HEAD);
    chunk_place chunk = place_of_chunk(&file, behind(head));
    uint8_t    *size  = file.data + chunk.head + KITH_CHUNK_HEAD + 8 + strlen(desc.name) + 6 * 4;
    put_number(size, number_at(size) - 8 + claimed);
    put_number(size + 12, kith_saved_sum(&desc.traits.saved, claimed));
    sign(&file, chunk);
    test_world_end(world, &memory);
    return file;
}

static void values_that_the_file_is_too_short_for_cost_nothing(void **state)
{
    static const kith_upgrade by      = { accept_old, NULL };
    const kith_load_desc      keep    = { .unknown = KITH_UNKNOWN_KEEP };
    const kith_kind           kinds[] = { KITH_KIND_VALUE, KITH_KIND_SINGLETON };
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        test_memory         memory = { 0 };
        kith_world         *world  = test_world_with(&memory, (kith_world_desc){ 0 });
        kith_component_desc desc   = { .name         = "sum",
                                       .id           = 1,
                                       .kind         = kinds[i % 2],
                                       .size         = 8,
                                       .alignment    = 8,
                                       .traits.saved = KITH_AS(plain(8)) };
        kith_bytes          file   = claim_a_large_value(desc);
        if (i < 2) {
            desc.traits.saved.version = 1;
            desc.traits.saved.upgrade = &by;
            assert_int_equal(kith_component_register(world, &desc), 1);
        }
        kith_result result = kith_world_load(world, &keep, file.data, file.size);
        assert_int_equal(result.code, i % 2 == 0 ? KITH_OK : KITH_ERROR_FORMAT);
        assert_true(memory.most_bytes < 1u << 20);
        kith_bytes_free(&file);
        test_world_end(world, &memory);
    }
}

// --- memory --------------------------------------------------------------------------------------

// A world of which every entity may have some tags.
static kith_world *make_tagged(test_memory *memory, uint32_t tags)
{
    kith_world *world = test_world(memory);
    for (uint32_t i = 0; i < tags; i++) {
        char name[] = { 't', (char)('a' + i), '\0' };
        assert_int_equal(test_register_tag(world, name, i + 1), i + 1);
    }
    return world;
}

// Makes a number of a file larger.
static void raise_number(kith_bytes *file, size_t at, uint32_t by)
{
    put_number(file->data + at, number_at(file->data + at) + by);
}

static void write_runs(kith_writer *writer, uint32_t tag, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        kith_writer_begin(writer);
        kith_writer_u32(writer, tag);
        kith_writer_u32(writer, i * KITH_RUN_MOST);
        kith_writer_u32(writer, KITH_RUN_MOST);
        kith_writer_u32(writer, i * KITH_RUN_MOST);
        kith_writer_end(writer, KITH_TAG_RUN);
    }
}

static void write_living(kith_writer *writer, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        kith_writer_begin(writer);
        kith_writer_u32(writer, i * KITH_LIVING_MOST);
        kith_writer_u32(writer, KITH_LIVING_MOST);
        kith_writer_u64(writer, kith_entity_make(i * KITH_LIVING_MOST, 1));
        kith_writer_end(writer, KITH_TAG_LIVING);
    }
}

// The file of a world with `times` times 16384 entities that all have every tag: 56 bytes stand for
// 8192 entities, or for 16384 rows. It is made from that of an empty world.
static kith_bytes tagged_file(const kith_world *empty, uint32_t tags, uint32_t times)
{
    kith_bytes  file   = saved(empty);
    uint32_t    count  = times * KITH_RUN_MOST;
    chunk_place chunk  = place_of_chunk(&file, KITH_FILE_HEAD);
    kith_writer writer = { .out = &file, .chunks = 1 + tags };
    raise_number(&file, chunk.head + KITH_CHUNK_HEAD + 4, count);
    for (uint32_t i = 0; i < tags; i++) {
        chunk = place_of_chunk(&file, behind(chunk));
        raise_number(&file, chunk.head + KITH_CHUNK_HEAD + 8 + 2 + 7 * 4, count);
    }
    file.size = behind(chunk);
    sign_all(&file);
    write_living(&writer, times * (KITH_RUN_MOST / KITH_LIVING_MOST));
    for (uint32_t i = 0; i < tags; i++) {
        write_runs(&writer, i, times);
    }
    kith_writer_begin(&writer);
    kith_writer_u32(&writer, writer.chunks);
    kith_writer_u32(&writer, 0);
    kith_writer_end(&writer, KITH_TAG_END);
    return file;
}

// The file asks for more than a gigabyte.
static void a_small_file_that_asks_for_much_is_refused(void **state)
{
    enum { TAGS = 8, TIMES = 620 };
    const kith_load_desc desc   = { .bytes = (size_t)32 << 20 };
    test_memory          memory = { 0 };
    kith_world          *world  = make_tagged(&memory, TAGS);
    kith_bytes           file   = tagged_file(world, TAGS, TIMES);
    size_t               live   = memory.live_bytes;
    (void)state;
    assert_true(file.size < 1u << 19);
    memory.most_bytes  = 0;
    kith_result result = kith_world_load(world, &desc, file.data, file.size);
    assert_int_equal(result.code, KITH_ERROR_LIMIT);
    assert_in_range(result.offset, KITH_FILE_HEAD, file.size);
    assert_non_null(strstr(result.message, "; the limit is 33554432 (kith_load_desc.bytes)"));
    assert_in_range(memory.most_bytes - live, desc.bytes - (1u << 16), desc.bytes);
    assert_int_equal(memory.live_bytes, live);
    assert_int_equal(kith_world_stats(world).slots, 0);
    kith_bytes_free(&file);
    test_world_end(world, &memory);
}

// Ten million entities with a tag. Worlds with fewer are saved as the same file.
static void many_tagged_entities_load_within_the_default(void **state)
{
    test_memory memory = { 0 };
    kith_world *world  = make_tagged(&memory, 1);
    uint32_t    times  = test_thinned(1000) == 1000 ? 611 : 6;
    kith_bytes  file   = tagged_file(world, 1, times);
    (void)state;
    load(world, &file);
    assert_int_equal(kith_component_count(world, 1), times * KITH_RUN_MOST);
    assert_true(memory.most_bytes < (size_t)times * KITH_RUN_MOST * 30 + (1u << 20));
    kith_bytes again = saved(world);
    assert_same_bytes(&file, &again);
    kith_bytes_free(&file);
    kith_bytes_free(&again);
    test_world_end(world, &memory);
}

static void the_limit_of_memory_is_exact(void **state)
{
    scene         *s      = *state;
    test_memory    memory = { 0 };
    kith_world    *other  = make_stranger(&memory);
    kith_load_desc keep   = { .unknown = KITH_UNKNOWN_KEEP };
    act_often(s->world, 45, 300);
    kith_bytes file = saved(s->world);
    make_runs(s->world);
    kith_bytes     runs   = saved(s->world);
    kith_entity    chosen = kith_component_entity(s->world, PLACE, 0);
    kith_load_desc some   = { .entities = &chosen, .entity_count = 1 };
    assert_limit_is_exact(s->world, &s->memory, (kith_load_desc){ .bytes = 0 }, &file);
    assert_limit_is_exact(s->world, &s->memory, (kith_load_desc){ .bytes = 0 }, &runs);
    assert_limit_is_exact(s->world, &s->memory, some, &runs);
    assert_limit_is_exact(other, &memory, keep, &file);
    kith_bytes_free(&file);
    kith_bytes_free(&runs);
    test_world_end(other, &memory);
}

static void the_limit_of_memory_is_exact_for_exact_state(void **state)
{
    town *t = *state;
    fill_town(t);
    kith_bytes file = saved_exactly(t->world);
    assert_limit_is_exact(t->world, &t->memory, (kith_load_desc){ .bytes = 0 }, &file);
    kith_bytes_free(&file);
}

// Whatever a load has taken when it is refused, nothing of it stays.
static void any_limit_of_memory_leaves_the_world_as_it_was(void **state)
{
    scene      *s      = *state;
    kith_result result = { .code = KITH_ERROR_LIMIT };
    act_often(s->world, 46, 300);
    kith_bytes file = saved(s->world);
    act_often(s->world, 47, 300);
    kith_bytes now   = saved(s->world);
    uint32_t   loads = 0;
    for (size_t bytes = 1; result.code == KITH_ERROR_LIMIT; bytes += 997, loads++) {
        const kith_load_desc desc = { .bytes = bytes };
        result                    = kith_world_load(s->world, &desc, file.data, file.size);
        kith_bytes after          = saved(s->world);
        assert_same_bytes(result.code == KITH_OK ? &file : &now, &after);
        assert_world_valid(s->world);
        kith_bytes_free(&after);
    }
    assert_string_equal(result.message, "");
    assert_true(loads > 10);
    kith_bytes_free(&file);
    kith_bytes_free(&now);
}

// The number of slots in the world's chunk, and of those that are reserved.
static void raise_slots(kith_bytes *file, uint32_t slots, uint32_t reserved)
{
    chunk_place world = place_of_chunk(file, KITH_FILE_HEAD);
    raise_number(file, world.head + KITH_CHUNK_HEAD + 4, slots);
    raise_number(file, world.head + KITH_CHUNK_HEAD + 24, reserved);
    sign(file, world);
}

// Only the first chunk is looked at; the file is so long that it may have the slots.
static void check_described_slots(kith_world_desc settings)
{
    enum { REST = 1 << 19, MOST = (1 << 30) / 16 };
    test_memory     memory   = { 0 };
    kith_world     *world    = test_world_with(&memory, settings);
    kith_bytes      file     = saved(world);
    kith_world_desc desc     = { .max_entities = 5 };
    bool            reserved = settings.first_index != 0;
    assert_true(kith_bytes_extend(&file, REST));
    memset(file.data + file.size - REST, 0, REST);
    raise_slots(&file, MOST - 1000, reserved ? MOST - 1000 : 0);
    assert_int_equal(kith_snapshot_world_desc(NULL, file.data, file.size, &desc).code, KITH_OK);
    assert_int_equal(reserved ? desc.first_index : desc.max_entities, MOST);
    raise_slots(&file, 1, reserved ? 1 : 0);
    desc               = (kith_world_desc){ .max_entities = 5 };
    kith_result result = kith_snapshot_world_desc(NULL, file.data, file.size, &desc);
    assert_int_equal(result.code, KITH_ERROR_LIMIT);
    assert_string_equal(result.message,
                        "the file asks for at least 1073741840 bytes of memory; the "
                        "limit is 1073741824 (kith_load_desc.bytes)");
    const kith_load_desc more = { .bytes = (1u << 30) + 16 };
    assert_int_equal(kith_snapshot_world_desc(&more, file.data, file.size, &desc).code, KITH_OK);
    desc = (kith_world_desc){ .max_entities = 5 };
    assert_true(desc.max_entities == 5 && desc.first_index == 0);
    kith_bytes_free(&file);
    test_world_end(world, &memory);
}

// A world takes memory for indices that queue, or are reserved, when it is made.
static void a_world_that_would_take_too_much_at_once_is_not_described(void **state)
{
    (void)state;
    check_described_slots((kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 1000 });
    check_described_slots((kith_world_desc){ .first_index = 1000 });
}

// That a file is packed does not let it have more entities: 40 bytes at least stand for 8192.
static void a_short_packed_file_has_few_entities(void **state)
{
    scene          *s    = *state;
    kith_world_desc desc = { .max_entities = 5 };
    kith_bytes      file = saved(s->world);
    file.data[12]        = KITH_FILE_PACKED;
    raise_number(&file, KITH_FILE_HEAD + KITH_CHUNK_HEAD + 4, (uint32_t)file.size * 205);
    sign_all(&file);
    assert_string_equal(kith_snapshot_world_desc(NULL, file.data, file.size, &desc).message,
                        "the WRLD chunk is malformed");
    kith_bytes_free(&file);
}

static void limits_without_a_word_follow_the_length_of_the_file(void **state)
{
    (void)state;
    assert_true(kith_budget_limit(0, 0) == 1u << 30);
    assert_true(kith_budget_limit(0, 1u << 24) == 1u << 30);
    assert_true(kith_budget_limit(0, (1u << 24) + 1) == (1u << 30) + 64);
    assert_true(kith_budget_limit(0, SIZE_MAX / 64) == SIZE_MAX / 64 * 64);
    assert_true(kith_budget_limit(0, SIZE_MAX / 64 + 1) == SIZE_MAX);
    assert_true(kith_budget_limit(1, SIZE_MAX) == 1 && kith_budget_limit(SIZE_MAX, 0) == SIZE_MAX);
}

// --- whole pages and large files -----------------------------------------------------------------

enum { LAMP = 1, SLAB, PAGES = 3 };

typedef struct lamp {
    bool    lit;
    uint8_t watts[3];
} lamp;

typedef struct slab {
    uint32_t words[1024];
} slab;

KITH_FIELDS(lamp, boolean(lit), u8(watts));
KITH_COMPONENT_AS(lamps, lamp, LAMP, fields(lamp));
KITH_COMPONENT_AS(slabs, slab, SLAB, plain(4));

// Pages of entities with lamps; files with slabs are larger than 8 MB.
static kith_world *light_pages(test_memory *memory, bool large)
{
    const slab  nothing = { { 0 } };
    kith_world *world   = test_world(memory);
    assert_true(lamps_register(world) != 0 && slabs_register(world) != 0);
    for (uint32_t i = 0; i < PAGES * 1024; i++) {
        kith_entity e = kith_entity_create(world);
        lamps_set(world, e, (lamp){ i % 2 == 0, { 1, 2, 3 } });
        if (large && i < 2100) {
            slabs_set(world, e, nothing);
        }
    }
    return world;
}

static chunk_place find_chunk(const kith_bytes *file, uint32_t tag)
{
    chunk_place chunk = place_of_chunk(file, KITH_FILE_HEAD);
    while ((uint32_t)number_at(file->data + chunk.head) != tag) {
        chunk = place_of_chunk(file, behind(chunk));
        assert_true(chunk.head < file->size);
    }
    return chunk;
}

static void assert_file_refused(kith_world *world, const kith_bytes *file, const char *words)
{
    uint64_t before;
    uint64_t after;
    assert_true(kith_world_hash_full(world, KITH_ALL, &before));
    kith_result result = kith_world_load(world, NULL, file->data, file->size);
    assert_int_equal(result.code, KITH_ERROR_FORMAT);
    assert_non_null(strstr(result.message, words));
    assert_world_valid(world);
    assert_true(kith_world_hash_full(world, KITH_ALL, &after) && before == after);
}

// A set's chunk ends with the number of its members and 16 bytes for each.
static void a_set_with_bytes_behind_its_members_is_refused(void **state)
{
    town *t = *state;
    fill_town(t);
    size_t      members = kith_reactive_count(t->sets[0]);
    kith_bytes  file    = saved_exactly(t->world);
    chunk_place chunk   = find_chunk(&file, KITH_TAG_SET);
    assert_true(members != 0);
    uint8_t *count = file.data + chunk.head + KITH_CHUNK_HEAD + chunk.size - 16 * members - 4;
    assert_int_equal(*count, members);

    --*count;
    sign(&file, chunk);

    assert_file_refused(t->world, &file, "a reactive set is malformed");
    kith_bytes_free(&file);
}

// Components have ascending numbers, from 0.
static void a_component_with_another_number_is_refused(void **state)
{
    scene      *s     = *state;
    kith_bytes  file  = saved(s->world);
    chunk_place chunk = find_chunk(&file, KITH_TAG_COMPONENT);
    raise_number(&file, chunk.head + KITH_CHUNK_HEAD, 1);
    sign(&file, chunk);
    assert_file_refused(s->world, &file, "a COMP chunk is malformed");
    kith_bytes_free(&file);
}

// Rows in no order are one list, however many pages they have.
static void rows_of_some_pages_are_one_chunk(void **state)
{
    enum { ROWS = 40000 }; // a page of a tag has 16384 at most
    static kith_entity entities[ROWS];
    scene             *s = *state;
    assert_true(kith_entity_create_many(s->world, entities, ROWS, NULL, 0));
    for (uint32_t i = 0; i < ROWS; i++) {
        mark_add(s->world, entities[i * 7 % ROWS]);
        mark_add(s->world, entities[i]);
    }
    kith_bytes file   = saved(s->world);
    uint32_t   chunks = 0;
    for (chunk_place chunk = find_chunk(&file, KITH_TAG_ROWS); behind(chunk) < file.size;
         chunk             = place_of_chunk(&file, behind(chunk))) {
        chunks += (uint32_t)number_at(file.data + chunk.head) == KITH_TAG_ROWS;
    }
    assert_int_equal(chunks, 1);
    kith_bytes_free(&file);
}

static void booleans_are_looked_at_in_large_files_too(void **state)
{
    (void)state;
    for (unsigned large = 0; large < 2; large++) {
        test_memory memory = { 0 };
        kith_world *world  = light_pages(&memory, large != 0);
        kith_bytes  file   = saved(world);
        chunk_place values = find_chunk(&file, KITH_TAG_VALUES);
        assert_true((file.size > (8u << 20)) == (large != 0));
        file.data[values.head + KITH_CHUNK_HEAD + 16] = 2;
        sign(&file, values);
        assert_file_refused(world, &file, "a boolean is neither 0 nor 1");
        kith_bytes_free(&file);
        test_world_end(world, &memory);
    }
}

// The run of rows in three, of which the second has the entities of the first.
static void entities_of_a_page_have_no_second_rows(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    kith_world *world  = light_pages(&memory, false);
    kith_bytes  file   = saved(world);
    kith_bytes  made   = { .data = NULL };
    chunk_place run    = find_chunk(&file, KITH_TAG_RUN);
    kith_bytes_write(file.data, run.head, &made);
    for (uint32_t page = 0; page < PAGES; page++) {
        uint32_t index = page == 1 ? 0 : page * 1024;
        kith_bytes_write(file.data + run.head, behind(run) - run.head, &made);
        uint8_t *numbers = made.data + made.size - 16;
        put_number(numbers + 4, (uint64_t)1024 << 32 | page * 1024);
        numbers[12] = (uint8_t)index;
        numbers[13] = (uint8_t)(index >> 8);
    }
    kith_bytes_write(file.data + behind(run), file.size - behind(run), &made);
    sign_all(&made);
    assert_file_refused(world, &made, "an entity has two rows");
    kith_bytes_free(&file);
    kith_bytes_free(&made);
    test_world_end(world, &memory);
}

// What is copied and what is written one by one is in one sum.
static void chunks_are_summed_whatever_they_are_made_of(void **state)
{
    (void)state;
    uint8_t    some[3000];
    kith_bytes made = { .data = NULL };
    for (uint32_t order = 0; order < 8; order++) {
        kith_writer writer = { .out = &made };
        memset(some, (int)order, sizeof some);
        made.size = 0;
        kith_writer_begin(&writer);
        for (uint32_t i = 0; i < 3; i++) {
            if ((order >> i & 1) != 0) {
                kith_writer_copy(&writer, some, sizeof some - 100 * i);
            } else {
                kith_writer_u32(&writer, i);
            }
        }
        kith_writer_end(&writer, KITH_TAG_HOLES);
        kith_reader reader = { .file = { .bytes = made.data, .size = made.size }, .ratio = 1 };
        assert_true(kith_reader_chunk(&reader));
        kith_bytes_free(&reader.unpacked);
    }
    kith_bytes_free(&made);
}

// Chunks with this tag belong to components of these kinds, one bit each. Others are refused.
static void assert_only_for(const town *t, uint32_t tag, uint32_t kinds)
{
    kith_bytes  file   = saved_exactly(t->world);
    chunk_place chunk  = find_chunk(&file, tag);
    uint8_t    *number = file.data + chunk.head + KITH_CHUNK_HEAD;
    for (chunk_place of = find_chunk(&file, KITH_TAG_COMPONENT);
         (uint32_t)number_at(file.data + of.head) == KITH_TAG_COMPONENT;
         of = place_of_chunk(&file, behind(of))) {
        const uint8_t *component = file.data + of.head + KITH_CHUNK_HEAD;
        uint32_t       length    = (uint32_t)number_at(component + 4);
        uint32_t       kind      = (uint32_t)number_at(component + 8 + length + 4);
        memcpy(number, component, sizeof(uint32_t));
        sign(&file, chunk);
        kith_result result = kith_world_load(t->world, NULL, file.data, file.size);
        bool refused = strcmp(result.message, "a chunk is not for this kind of component") == 0;
        assert_int_equal(refused, (kinds >> kind & 1) == 0);
        assert_true(!refused || result.code == KITH_ERROR_FORMAT);
    }
    kith_bytes_free(&file);
}

static void chunks_are_for_kinds_of_components(void **state)
{
    town          *t    = *state;
    const uint32_t rows = 1u << KITH_KIND_VALUE | 1u << KITH_KIND_TAG;
    fill_town(t);
    assert_non_null(year_set(t->world, (place){ 1, 2, 3 }));
    asleep_add(t->world, kith_entity_create(t->world));
    assert_only_for(t, KITH_TAG_ROWS, rows);
    assert_only_for(t, KITH_TAG_VALUES, 1u << KITH_KIND_VALUE);
    assert_only_for(t, KITH_TAG_FLAGS, 1u << KITH_KIND_FLAG);
    assert_only_for(t, KITH_TAG_SINGLETON, 1u << KITH_KIND_SINGLETON);
    assert_only_for(t, KITH_TAG_STAMPS, rows);
    assert_only_for(t, KITH_TAG_JOURNAL, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(any_byte_with_right_checksums_is_refused_or_makes_a_world),
        TEST(any_byte_of_a_run_is_refused_or_makes_a_world),
        TEST(any_description_is_refused_or_makes_a_component),
        TEST(chunks_that_are_missing_or_there_twice_are_noticed),
        TEST(chunks_that_end_too_soon_are_refused),
        IN_TOWN(exact_chunks_that_end_too_soon_are_refused),
        TEST(a_second_world_in_the_file_is_noticed),
        TEST(rows_of_some_pages_are_one_chunk),
        TEST(a_component_with_another_number_is_refused),
        TEST(large_numbers_cost_nothing),
        TEST(values_that_the_file_is_too_short_for_cost_nothing),
        TEST(another_size_of_values_is_said),
        IN_TOWN(any_byte_of_exact_state_is_refused_or_makes_a_world),
        IN_TOWN(exact_chunks_that_are_missing_or_there_twice_are_noticed),
        IN_TOWN(large_numbers_of_exact_state_cost_nothing),
        IN_TOWN(a_set_with_bytes_behind_its_members_is_refused),
        IN_TOWN(chunks_are_for_kinds_of_components),
        TEST(a_short_packed_file_has_few_entities),
        cmocka_unit_test(a_world_that_would_take_too_much_at_once_is_not_described),
        TEST(the_limit_of_memory_is_exact),
        TEST(any_limit_of_memory_leaves_the_world_as_it_was),
        IN_TOWN(the_limit_of_memory_is_exact_for_exact_state),
        cmocka_unit_test(a_small_file_that_asks_for_much_is_refused),
        cmocka_unit_test(many_tagged_entities_load_within_the_default),
        cmocka_unit_test(limits_without_a_word_follow_the_length_of_the_file),
        cmocka_unit_test(booleans_are_looked_at_in_large_files_too),
        cmocka_unit_test(entities_of_a_page_have_no_second_rows),
        cmocka_unit_test(chunks_are_summed_whatever_they_are_made_of),
    };
    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
