// SPDX-License-Identifier: MIT
// Recordings: each frame can be read again, also out of a file that was cut off at any byte.
#if !defined(_GNU_SOURCE)
    #define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier)
#endif

#include "exact_test.h"
#include "frames/frames_test.h"
#include "killed_test.h"

#if defined(__unix__)
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
#endif

#define FRAMES 12u
#define PATH   "recording.kith"
#define OTHER  "recording_other.kith"

static kith_bytes file_bytes(const char *path)
{
    kith_bytes bytes = { .data = NULL };
    uint8_t    part[4096];
    FILE      *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got = 1; got != 0;) {
        got = fread(part, 1, sizeof part, file);
        assert_true(kith_bytes_write(part, got, &bytes));
    }
    fclose(file);
    return bytes;
}

// A town with a ring; plays and records frames, and keeps their hashes.
static void record(town *t, kith_frames *frames, kith_recording *recording, uint64_t *hashes)
{
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        act_in_town_often(t, frame, frame % 4 == 0 ? 40 : 3);
        assert_int_equal(kith_frames_save(frames), frame);
        kith_result result = kith_recording_add(recording, frames, frame);
        assert_string_equal(result.message, "");
        hashes[frame] = exact_hash(t->world);
    }
}

// Reads the frame into the world, which is then the one that was recorded.
static void assert_frame(town *t, const kith_bytes *file, uint64_t frame, uint64_t hash)
{
    kith_bytes  snapshot = { .data = NULL };
    kith_result result   = kith_recording_snapshot(file->data, file->size, frame, &snapshot);
    assert_string_equal(result.message, "");
    load(t->world, &snapshot);
    assert_true(exact_hash(t->world) == hash);
    kith_bytes again = saved_exactly(t->world);
    load(t->world, &again);
    assert_true(exact_hash(t->world) == hash);
    kith_bytes_free(&again);
    kith_bytes_free(&snapshot);
}

static uint64_t count_frames(const void *bytes, size_t size)
{
    kith_recorded record = { .frame = 0 };
    uint64_t      count  = 0;
    while (kith_recording_next(bytes, size, &record)) {
        assert_int_equal(record.frame, ++count);
    }
    return count;
}

static void run_recording(town *t, const kith_recording_desc *desc)
{
    uint64_t        hashes[FRAMES + 1] = { 0 };
    kith_frames    *frames             = kith_frames_create(t->world, NULL);
    kith_recording *recording          = kith_recording_create(t->world, PATH, desc);
    assert_non_null(recording);
    record(t, frames, recording, hashes);
    assert_true(kith_recording_destroy(recording));
    kith_bytes file = file_bytes(PATH);
    assert_int_equal(count_frames(file.data, file.size), FRAMES);
    for (uint64_t frame = FRAMES; frame != 0; frame--) {
        assert_frame(t, &file, frame, hashes[frame]);
    }
    kith_bytes_free(&file);
    assert_true(kith_frames_destroy(frames));
    remove(PATH);
}

static void every_frame_of_a_recording_is_read(void **state)
{
    run_recording(*state, NULL);
    run_recording(*state, &(kith_recording_desc){ .sync = true });
}

static void a_compressed_recording_is_read_or_refused(void **state)
{
    town                     *t     = *state;
    const kith_save_desc      small = { .zstd_level = 1 };
    const kith_recording_desc desc  = { .zstd_level = 1 };
    kith_bytes                trial = { .data = NULL };
    if (kith_world_save_memory(t->world, &small, &trial).code == KITH_OK) {
        run_recording(t, &desc);
    } else {
        assert_null(kith_recording_create(t->world, PATH, &desc));
    }
    kith_bytes_free(&trial);
    assert_null(kith_recording_create(t->world, PATH, &(kith_recording_desc){ .zstd_level = 20 }));
    assert_int_equal(kith_world_error(t->world).code, KITH_ERROR_ARGUMENT);
}

static void a_recording_that_is_cut_off_has_the_frames_before(void **state)
{
    town           *t                  = *state;
    uint64_t        hashes[FRAMES + 1] = { 0 };
    kith_frames    *frames             = kith_frames_create(t->world, NULL);
    kith_recording *recording          = kith_recording_create(t->world, PATH, NULL);
    kith_recorded   last               = { .frame = 0 };
    record(t, frames, recording, hashes);
    kith_bytes file = file_bytes(PATH); // it is not closed
    for (size_t size = 0; size <= file.size; size++) {
        kith_recorded next = last;
        if (kith_recording_next(file.data, size, &next)) {
            last = next;
            assert_true(last.offset + last.size == size);
            kith_bytes part = { .data = file.data, .size = size };
            assert_frame(t, &part, last.frame, hashes[last.frame]);
        }
    }
    assert_int_equal(last.frame, FRAMES);
    kith_bytes_free(&file);
    assert_true(kith_recording_destroy(recording));
    remove(PATH);
}

// A bit of a frame is flipped: that frame and the ones behind it are lost, nothing is wrong.
static void a_damaged_frame_ends_a_recording(void **state)
{
    town           *t                  = *state;
    uint64_t        hashes[FRAMES + 1] = { 0 };
    kith_frames    *frames             = kith_frames_create(t->world, NULL);
    kith_recording *recording          = kith_recording_create(t->world, PATH, NULL);
    record(t, frames, recording, hashes);
    kith_bytes file = file_bytes(PATH);
    for (size_t bit = 0; bit < 8 * file.size; bit += 1 + 80000 / test_thinned(8000)) {
        kith_bytes snapshot = { .data = NULL };
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        uint64_t count = count_frames(file.data, file.size);
        assert_true(count < FRAMES);
        if (count != 0) {
            assert_frame(t, &file, count, hashes[count]);
        }
        assert_int_not_equal(
            kith_recording_snapshot(file.data, file.size, count + 1, &snapshot).code, KITH_OK);
        kith_bytes_free(&snapshot);
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    kith_bytes_free(&file);
    remove(PATH);
}

static void frames_are_recorded_in_order(void **state)
{
    town           *t         = *state;
    kith_frames    *frames    = kith_frames_create(t->world, NULL);
    kith_recording *recording = kith_recording_create(t->world, PATH, NULL);
    kith_frames_save(frames);
    kith_frames_save(frames);
    assert_int_equal(kith_recording_add(recording, frames, 2).code, KITH_OK);
    assert_int_equal(kith_recording_add(recording, frames, 1).code, KITH_ERROR_ARGUMENT);
    assert_int_equal(kith_recording_add(recording, frames, 2).code, KITH_ERROR_ARGUMENT);
    assert_int_equal(kith_recording_add(recording, frames, 3).code, KITH_ERROR_ARGUMENT);
    kith_bytes file     = file_bytes(PATH);
    kith_bytes snapshot = { .data = NULL };
    for (uint64_t frame = 0; frame < 4; frame++) {
        assert_int_equal(kith_recording_snapshot(file.data, file.size, frame, &snapshot).code,
                         frame == 2 ? KITH_OK : KITH_ERROR_ARGUMENT);
    }
    kith_bytes_free(&file);
    kith_bytes_free(&snapshot);
    remove(PATH);
}

static void add_frame(kith_recording *recording, kith_frames *frames, uint64_t frame)
{
    kith_result result = kith_recording_add(recording, frames, frame);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
}

// Reads all frames of the file into the town, and compares them with their hashes.
static void assert_file(town *t, const char *path, const uint64_t *hashes)
{
    kith_bytes file = file_bytes(path);
    assert_int_equal(count_frames(file.data, file.size), FRAMES);
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        assert_frame(t, &file, frame, hashes[frame]);
    }
    kith_bytes_free(&file);
    remove(path);
}

// Makes a town beside that of the test, with other entities, and a ring for each of the two.
static void make_two_towns(town *towns[2], kith_frames *rings[2])
{
    towns[1] = calloc(1, sizeof *towns[1]);
    make_town(towns[1], (kith_world_desc){ 0 });
    act_in_town_often(towns[1], 99, 80);
    for (uint32_t i = 0; i < 2; i++) {
        rings[i] = kith_frames_create(towns[i]->world, NULL);
    }
}

static void end_second_town(town *t)
{
    end_town(t);
    free(t);
}

static void two_worlds_record_in_turn_into_a_file_each(void **state)
{
    static const char *const paths[2]              = { PATH, OTHER };
    town                    *towns[2]              = { *state, NULL };
    uint64_t                 hashes[2][FRAMES + 1] = { { 0 } };
    kith_frames             *rings[2];
    kith_recording          *recordings[2];
    make_two_towns(towns, rings);
    for (uint32_t i = 0; i < 2; i++) {
        recordings[i] = kith_recording_create(towns[i]->world, paths[i], NULL);
    }
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        for (uint32_t i = 0; i < 2; i++) {
            act_in_town_often(towns[i], 2 * frame + i, 5);
            assert_int_equal(kith_frames_save(rings[i]), frame);
            add_frame(recordings[i], rings[i], frame);
            hashes[i][frame] = exact_hash(towns[i]->world);
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kith_recording_destroy(recordings[i]));
        assert_file(towns[i], paths[i], hashes[i]);
    }
    end_second_town(towns[1]);
}

static void two_rings_of_a_world_record_into_one_file(void **state)
{
    town           *t                  = *state;
    uint64_t        hashes[FRAMES + 1] = { 0 };
    kith_frames    *rings[2]           = { kith_frames_create(t->world, NULL),
                                           kith_frames_create(t->world, NULL) };
    kith_recording *recording          = kith_recording_create(t->world, PATH, NULL);
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        uint32_t one = frame % 2;
        act_in_town_often(t, frame, 5);
        assert_int_equal(kith_frames_save(rings[!one]), frame);
        act_in_town_often(t, frame + FRAMES, 5);
        assert_int_equal(kith_frames_save(rings[one]), frame);
        add_frame(recording, rings[one], frame);
        hashes[frame] = exact_hash(t->world);
        assert_int_equal(kith_recording_add(recording, rings[!one], frame).code,
                         KITH_ERROR_ARGUMENT); // the file has this number
    }
    assert_true(kith_recording_destroy(recording));
    assert_file(t, PATH, hashes);
}

// The other world ends before the recording does.
static void rings_of_two_worlds_record_into_one_file(void **state)
{
    town           *towns[2]           = { *state, NULL };
    uint64_t        hashes[FRAMES + 1] = { 0 };
    kith_frames    *rings[2];
    kith_recording *recording = kith_recording_create(towns[0]->world, PATH, NULL);
    make_two_towns(towns, rings);
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        uint32_t one = frame % 2;
        for (uint32_t i = 0; i < 2; i++) {
            act_in_town_often(towns[i], 2 * frame + i, 5);
            assert_int_equal(kith_frames_save(rings[i]), frame);
        }
        add_frame(recording, rings[one], frame);
        hashes[frame] = exact_hash(towns[one]->world);
    }
    assert_int_equal(kith_recording_add(recording, rings[1], FRAMES + 1).code, KITH_ERROR_ARGUMENT);
    end_second_town(towns[1]);
    assert_true(kith_recording_destroy(recording));
    assert_file(towns[0], PATH, hashes);
}

// A file may become larger than memory: the writer keeps one frame.
static void a_recording_needs_the_memory_of_one_frame(void **state)
{
    town           *t         = *state;
    kith_frames    *frames    = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 4 });
    kith_recording *recording = kith_recording_create(t->world, PATH, NULL);
    kith_entity     e         = kith_entity_create(t->world);
    size_t          most      = 0;
    for (uint64_t frame = 1; frame <= 600; frame++) {
        scar_set(t->world, e, (int32_t)(frame * 2654435761u));
        assert_int_equal(kith_frames_save(frames), frame);
        add_frame(recording, frames, frame);
        most = frame == 100 ? t->memory.live_bytes : most;
    }
    assert_int_equal(t->memory.live_bytes, most);
    assert_true(kith_recording_destroy(recording));
    kith_bytes file = file_bytes(PATH);
    assert_int_equal(count_frames(file.data, file.size), 600);
    kith_bytes_free(&file);
    remove(PATH);
}

static void a_file_that_cannot_be_made_is_refused(void **state)
{
    town *t = *state;
    assert_null(kith_recording_create(t->world, "no/such/folder/a.kith", NULL));
    assert_int_equal(kith_world_error(t->world).code, KITH_ERROR_IO);
    assert_true(kith_recording_destroy(NULL));
}

static void failing_allocations_lose_no_frame(void **state)
{
    (void)state;
    for (uint32_t n = 1, failed = 1; failed != 0; n += 1 + n / test_thinned(40)) {
        static town t;
        t = (town){ 0 };
        make_town(&t, (kith_world_desc){ 0 });
        kith_frames *frames = kith_frames_create(t.world, NULL);
        act_in_town_often(&t, 3, 60);
        kith_frames_save(frames);
        test_fail_after(&t.memory, n);
        kith_recording *recording = kith_recording_create(t.world, PATH, NULL);
        failed                    = t.memory.failed;
        bool added = recording != NULL && kith_recording_add(recording, frames, 1).code == KITH_OK;
        failed     = t.memory.failed;
        test_fail_after(&t.memory, 0);
        if (recording != NULL) {
            if (!added) {
                assert_int_equal(kith_recording_add(recording, frames, 1).code, KITH_OK);
            }
            act_in_town_often(&t, 4, 20);
            kith_frames_save(frames);
            test_fail_after(&t.memory, n);
            added = kith_recording_add(recording, frames, 2).code == KITH_OK;
            failed += t.memory.failed;
            test_fail_after(&t.memory, 0);
            assert_int_equal(kith_recording_add(recording, frames, 1).code, KITH_ERROR_ARGUMENT);
            if (!added) {
                assert_int_equal(kith_recording_add(recording, frames, 2).code, KITH_OK);
            }
            kith_bytes file = file_bytes(PATH);
            assert_frame(&t, &file, 1, exact_hash(kith_frames_world(frames, 1)));
            assert_frame(&t, &file, 2, exact_hash(kith_frames_world(frames, 2)));
            kith_bytes_free(&file);
        }
        end_town(&t);
    }
    remove(PATH);
}

#if defined(__unix__)
// Records in a second process, which the system ends when the file reaches `most` bytes.
static void record_until_killed(rlim_t most)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static town   t;
        uint64_t      hashes[FRAMES + 1];
        struct rlimit limit = { .rlim_cur = most, .rlim_max = most };
        make_town(&t, (kith_world_desc){ 0 });
        kith_frames *frames = kith_frames_create(t.world, NULL);
        setrlimit(RLIMIT_FSIZE, &limit);
        record(&t, frames, kith_recording_create(t.world, PATH, NULL), hashes);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
}

static void a_killed_writer_leaves_every_whole_frame(void **state)
{
    town           *t                  = *state;
    uint64_t        hashes[FRAMES + 1] = { 0 };
    kith_frames    *frames             = kith_frames_create(t->world, NULL);
    kith_recording *recording          = kith_recording_create(t->world, PATH, NULL);
    record(t, frames, recording, hashes);
    kith_bytes file = file_bytes(PATH);
    assert_true(kith_recording_destroy(recording));
    for (size_t most = 0; most <= file.size; most += 1 + file.size / test_thinned(200)) {
        record_until_killed((rlim_t)most);
        kith_bytes left  = file_bytes(PATH);
        uint64_t   count = count_frames(left.data, left.size);
        assert_true(left.size <= most && count == count_frames(file.data, most));
        if (count != 0) {
            assert_frame(t, &left, count, hashes[count]);
        }
        kith_bytes_free(&left);
    }
    kith_bytes_free(&file);
    remove(PATH);
}
#endif

#if defined(KITH_CAN_KILL)
    #include <sys/mman.h>

typedef struct recorder {
    town               *town;
    kith_recording_desc desc;
    uint64_t            hashes[FRAMES + 1];
    uint64_t            added; // frames that kith_recording_add has returned for
} recorder;

static bool record_watched(void *context)
{
    recorder       *r         = context;
    kith_frames    *frames    = kith_frames_create(r->town->world, NULL);
    kith_recording *recording = kith_recording_create(r->town->world, PATH, &r->desc);
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        act_in_town_often(r->town, frame, frame % 4 == 0 ? 40 : 3);
        uint64_t saved   = kith_frames_save(frames);
        r->hashes[saved] = exact_hash(r->town->world); // behind the save, which ends the tick
        if (kith_recording_add(recording, frames, frame).code != KITH_OK) {
            return false;
        }
        r->added = frame;
    }
    return kith_recording_destroy(recording);
}

// What the file has, and that it has every frame that was added.
static uint64_t assert_recorded(town *t, const recorder *r)
{
    FILE *made = fopen(PATH, "rb");
    if (made == NULL) {
        assert_int_equal(r->added, 0);
        return 0;
    }
    fclose(made);
    kith_bytes file  = file_bytes(PATH);
    uint64_t   count = count_frames(file.data, file.size);
    assert_true(count == r->added || count == r->added + 1);
    for (uint64_t frame = 1; frame <= count; frame++) {
        assert_frame(t, &file, frame, r->hashes[frame]);
    }
    kith_bytes_free(&file);
    return count;
}

static void kill_at_each_system_call(town *t, const kith_recording_desc *desc)
{
    static town other;
    uint32_t    seen = 0; // a bit for each number of frames
    recorder *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(r != MAP_FAILED);
    other = (town){ 0 };
    make_town(&other, (kith_world_desc){ 0 });
    uint32_t step = 1000 / test_thinned(1000);
    bool     dies = true;
    for (uint32_t moments = 0; dies; moments += step) {
        *r   = (recorder){ .town = &other, .desc = *desc };
        dies = killed_while(record_watched, r, moments);
        seen |= 1u << assert_recorded(t, r);
        remove(PATH);
    }
    assert_true(step == 1 ? seen == (2u << FRAMES) - 1 : (seen & (seen - 1)) != 0);
    end_town(&other);
    munmap(r, sizeof *r);
}

static void a_writer_killed_at_a_system_call_leaves_every_frame(void **state)
{
    const char *preload = getenv("LD_PRELOAD");
    if (preload != NULL && strstr(preload, "vgpreload") != NULL) {
        skip(); // valgrind prints what each process leaves, by one system call a line
    }
    kill_at_each_system_call(*state, &(kith_recording_desc){ .sync = false });
    kill_at_each_system_call(*state, &(kith_recording_desc){ .sync = true });
}
#endif

#if defined(__has_feature)
    #define HAS_FEATURE(NAME) __has_feature(NAME)
#else
    #define HAS_FEATURE(NAME) 0
#endif
#if defined(KITH_CAN_KILL) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&   \
    !HAS_FEATURE(address_sanitizer) && !HAS_FEATURE(thread_sanitizer) &&                           \
    !HAS_FEATURE(memory_sanitizer)
    #define KITH_CAN_LIMIT 1 // sanitizers have memory of their own
#endif

#if defined(KITH_CAN_LIMIT)
    #include <fcntl.h>
    #include <sys/stat.h>

// --- a recording that memory cannot hold -----------------------------------------------------

enum { MANY_FRAMES = 240, NOISES = 2000, LITTLE_MEMORY = 8 << 20, LARGE_FILE = 3 * LITTLE_MEMORY };

typedef struct noise {
    uint32_t words[16];
} noise;

KITH_COMPONENT_AS(noise, noise, 1, plain(4));
KITH_QUERY(noises, write(noise));

typedef enum limited_end { END_EARLY, END_WITHOUT_LIMIT, END_DONE } limited_end;

// In a process of its own: allows it so many bytes more than it has. Returns whether that is so.
static bool limit_memory(rlim_t more)
{
    unsigned long pages = 0;
    FILE         *from  = fopen("/proc/self/statm", "r");
    bool          known = from != NULL && fscanf(from, "%*u %*u %*u %*u %*u %lu", &pages) == 1;
    if (from != NULL) {
        fclose(from);
    }
    rlim_t        most  = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    struct rlimit limit = { .rlim_cur = most, .rlim_max = most };
    void         *large = known && setrlimit(RLIMIT_DATA, &limit) == 0 ? malloc(LARGE_FILE) : NULL;
    bool          holds = large == NULL;
    free(large);
    return known && holds;
}

// Nothing of a frame is in the frame before it: a delta is as large as a snapshot.
static bool record_noise(kith_world *world, uint64_t *hashes)
{
    kith_frames    *frames    = kith_frames_create(world, &(kith_frames_desc){ .capacity = 2 });
    kith_recording *recording = kith_recording_create(world, PATH, NULL);
    bool            done      = frames != NULL && recording != NULL;
    uint32_t        seed      = 1;
    for (uint64_t frame = 1; frame <= MANY_FRAMES && done; frame++) {
        KITH_EACH(noises, n, world)
        {
            for (uint32_t i = 0; i < 16; i++) {
                n.noise->words[i] = seed = seed * 1664525u + 1013904223u;
            }
        }
        done = kith_frames_save(frames) == frame && kith_world_hash_exact(world, &hashes[frame]) &&
               kith_recording_add(recording, frames, frame).code == KITH_OK;
    }
    return kith_recording_destroy(recording) && kith_frames_destroy(frames) && done;
}

static bool read_noise(kith_world *world, const uint64_t *hashes)
{
    struct stat about = { .st_size = 0 };
    int         file  = open(PATH, O_RDONLY);
    bool        done  = file >= 0 && fstat(file, &about) == 0 && about.st_size > LARGE_FILE;
    size_t      size  = (size_t)about.st_size;
    void       *bytes = done ? mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    done              = bytes != MAP_FAILED && count_frames(bytes, size) == MANY_FRAMES;
    for (uint64_t frame = 1; frame <= MANY_FRAMES && done; frame += 11) {
        uint64_t   hash     = 0;
        kith_bytes snapshot = { .data = NULL };
        done = kith_recording_snapshot(bytes, size, frame, &snapshot).code == KITH_OK &&
               kith_world_load(world, NULL, snapshot.data, snapshot.size).code == KITH_OK &&
               kith_world_hash_exact(world, &hash) && hash == hashes[frame];
        kith_bytes_free(&snapshot);
    }
    return done;
}

static limited_end record_in_little_memory(uint64_t *hashes)
{
    if (!limit_memory(LITTLE_MEMORY)) {
        return END_WITHOUT_LIMIT;
    }
    kith_world *world = kith_world_create(NULL);
    noise_register(world);
    for (uint32_t i = 0; i < NOISES; i++) {
        noise_set(world, kith_entity_create(world), (noise){ { i } });
    }
    return record_noise(world, hashes) && read_noise(world, hashes) ? END_DONE : END_EARLY;
}

// The file is three times as large as the memory that its writer and its reader may have.
static void a_recording_may_be_larger_than_memory(void **state)
{
    typedef struct shared {
        limited_end end;
        uint64_t    hashes[MANY_FRAMES + 1];
    } shared;
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(s != MAP_FAILED);
    int   status = 0;
    pid_t child  = fork();
    assert_true(child >= 0);
    if (child == 0) {
        s->end = record_in_little_memory(s->hashes);
        kill(getpid(), SIGKILL); // valgrind does not look for what is left
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    limited_end end = s->end;
    munmap(s, sizeof *s);
    remove(PATH);
    if (end == END_WITHOUT_LIMIT) {
        skip();
    }
    assert_int_equal(end, END_DONE);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TOWN(every_frame_of_a_recording_is_read),
        IN_TOWN(a_compressed_recording_is_read_or_refused),
        IN_TOWN(a_recording_that_is_cut_off_has_the_frames_before),
        IN_TOWN(a_damaged_frame_ends_a_recording),
        IN_TOWN(frames_are_recorded_in_order),
        IN_TOWN(two_worlds_record_in_turn_into_a_file_each),
        IN_TOWN(two_rings_of_a_world_record_into_one_file),
        IN_TOWN(rings_of_two_worlds_record_into_one_file),
        IN_TOWN(a_recording_needs_the_memory_of_one_frame),
        IN_TOWN(a_file_that_cannot_be_made_is_refused),
        cmocka_unit_test(failing_allocations_lose_no_frame),
#if defined(__unix__)
        IN_TOWN(a_killed_writer_leaves_every_whole_frame),
#endif
#if defined(KITH_CAN_KILL)
        IN_TOWN(a_writer_killed_at_a_system_call_leaves_every_frame),
#endif
#if defined(KITH_CAN_LIMIT)
        cmocka_unit_test(a_recording_may_be_larger_than_memory),
#endif
    };
    return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
