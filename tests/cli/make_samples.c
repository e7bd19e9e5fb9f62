// SPDX-License-Identifier: MIT
// Writes the snapshots that the tests of the command line tool look at, into the directory that is
// given. The tool knows nothing of what is registered here.
#include "base/xxh3.h"
#include "kith/frames.h"
#include "kith/kith.h"
#include "kith/snapshot.h"

#include <stdio.h>
#include <string.h>

enum { SPOT = 1, CREW, MASS, NOTE, PIN, LOUD, ASLEEP, SEASON, CACHE, DRAFT };

typedef enum mood { CALM, ANGRY = 7 } mood;

typedef struct spot {
    float   x, y;
    int16_t floor;
} spot;

typedef struct crew {
    spot        at;
    mood        mood;
    kith_entity ship;
    uint8_t     seats[3];
    char        name[8];
} crew;

typedef struct note {
    char text[24];
} note;

typedef struct season {
    uint32_t day;
} season;

static size_t write_note(const void *value, void *bytes, size_t room, void *context)
{
    const note *from = value;
    size_t      size = strlen(from->text);
    (void)context;
    if (size <= room) {
        memcpy(bytes, from->text, size);
    }
    return size;
}

static bool read_note(void *value, const void *bytes, size_t size, void *context)
{
    note *to = value;
    (void)context;
    memset(to, 0, sizeof *to);
    memcpy(to->text, bytes, size < sizeof to->text ? size : 0);
    return size < sizeof to->text;
}

static const kith_saver note_saver = { write_note, read_note, NULL };

KITH_CHOICES(mood, CALM, ANGRY);
KITH_FIELDS(spot, f32(x, "m"), f32(y, "m"), i16(floor));
KITH_FIELDS(crew, nested(at, spot), choice(mood, mood), entity(ship), u8(seats), chars(name));
KITH_FIELDS(season, u32(day, "days"));
KITH_COMPONENT_AS(spot, spot, SPOT, fields(spot));
KITH_COMPONENT_AS(crew, crew, CREW, fields(crew));
KITH_COMPONENT_AS(mass, uint32_t, MASS, plain(4));
KITH_COMPONENT_AS(note, note, NOTE, through(&note_saver));
KITH_COMPONENT_AS(cache, void *, CACHE, transient);
KITH_COMPONENT(draft, uint64_t, DRAFT); // has no save form
KITH_TAG(loud, LOUD);
KITH_FLAG(asleep, ASLEEP);
KITH_SINGLETON_AS(season, season, SEASON, fields(season));

static bool register_all(kith_world *world)
{
    const kith_component_desc pin = {
        .name      = "pin",
        .id        = PIN,
        .size      = 8,
        .alignment = 8,
        .traits    = { .policy    = KITH_POLICY_STABLE,
                       .page_rows = 16,
                       .saved     = { .form = KITH_FORM_PLAIN, .unit = 8, .version = 3 } }
    };
    const kith_queue_desc bells = { .name = "bell", .size = 4, .saved = KITH_AS(plain(4)) };
    return kith_queue_of(world, &bells) != NULL && spot_register(world) != 0 &&
           crew_register(world) != 0 && mass_register(world) != 0 && note_register(world) != 0 &&
           cache_register(world) != 0 && loud_register(world) != 0 && asleep_register(world) != 0 &&
           season_register(world) != 0 && kith_component_register(world, &pin) != 0;
}

// A group whose order is in the snapshot.
static bool make_group(kith_world *world)
{
    const kith_term terms[]    = { { SPOT, KITH_ROLE_READ, 0 }, { ASLEEP, KITH_ROLE_WITHOUT, 0 } };
    const kith_query_desc desc = { .name = "awake", .terms = terms, .term_count = 2 };
    return kith_group_of(world, &desc) != NULL;
}

// A group that excludes a component without entities and without a save form.
static bool make_excluding_group(kith_world *world)
{
    const kith_term terms[]    = { { SPOT, KITH_ROLE_READ, 0 }, { DRAFT, KITH_ROLE_WITHOUT, 0 } };
    const kith_query_desc desc = { .name = "written", .terms = terms, .term_count = 2 };
    return draft_register(world) != 0 && kith_group_of(world, &desc) != NULL;
}

static void fill(kith_world *world)
{
    const uint64_t pin = 5;
    kith_entity    e[8];
    for (uint32_t i = 0; i < 8; i++) {
        e[i] = kith_entity_create(world);
        spot_set(world, e[i], (spot){ (float)i / 2, 1, -1 });
        kith_component_set(world, e[i], PIN, &pin);
        mass_set(world, e[i], 10 * i);
    }
    crew_set(world, e[1], (crew){ .mood = ANGRY, .ship = e[2], .name = "ada" });
    note_set(world, e[3], (note){ "to do" });
    loud_add(world, e[2]);
    asleep_add(world, e[4]);
    season_set(world, (season){ 42 });
    kith_component_enable(world, e[5], MASS, false);
    kith_component_remove(world, e[6], PIN);
    kith_entity_destroy(world, e[7]);
    kith_world_advance(world);
    kith_queue_enqueue(kith_queue_find(world, "bell"), &(uint32_t){ 7 });
}

// What makes one sample another.
static void change(kith_world *world, const char *name)
{
    const kith_entity first = kith_entity_make(0, 1);
    if (strcmp(name, "moved") == 0) {
        spot_mut(world, first)->x = 2.25f;
    } else if (strcmp(name, "noted") == 0) {
        note_set(world, kith_entity_make(3, 1), (note){ "to be" });
    } else if (strcmp(name, "many") == 0) {
        for (uint32_t i = 0; i < 30; i++) {
            kith_entity_create(world);
        }
    } else if (strcmp(name, "sorted") == 0) {
        asleep_add(world, first); // leaves the group and comes back as its last
        asleep_remove(world, first);
    }
}

static bool write_hash(const kith_world *world, const char *directory, const char *name)
{
    char     path[1024];
    uint64_t hash = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *to = fopen(path, "w");
    if (to == NULL || !kith_world_hash_full(world, KITH_ALL, &hash)) {
        return false;
    }
    fprintf(to, "%016llx\n", (unsigned long long)hash);
    return fclose(to) == 0;
}

static void put_u64(uint8_t *bytes, uint64_t number)
{
    for (uint32_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
}

static bool write_bytes(const kith_bytes *bytes, const char *directory, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.kith", directory, name);
    FILE *to   = fopen(path, "wb");
    bool  fine = to != NULL && fwrite(bytes->data, 1, bytes->size, to) == bytes->size;
    return to != NULL && fclose(to) == 0 && fine;
}

// The same bytes with another format version in their head, whose checksum is right.
static bool write_newer(kith_bytes *bytes, const char *directory)
{
    bytes->data[8] = 99;
    put_u64(bytes->data + 16, kith_xxh3(bytes->data, 16));
    return write_bytes(bytes, directory, "newer");
}

// The town, whose first component says that it has 2^32 - 1 fields, with checksums that are right.
static bool write_hostile(const kith_world *world, const char *directory)
{
    enum { CHUNK = 120, BODY = CHUNK + 40, FIELDS = BODY + 64 };
    kith_bytes bytes = { 0 };
    bool       fine  = kith_world_save_memory(world, NULL, &bytes).code == KITH_OK &&
                memcmp(bytes.data + CHUNK, "COMP", 4) == 0 && bytes.data[FIELDS] == 3;
    if (fine) {
        memset(bytes.data + FIELDS, 255, 4);
        put_u64(bytes.data + CHUNK + 24, kith_xxh3(bytes.data + BODY, bytes.data[CHUNK + 8]));
        put_u64(bytes.data + CHUNK + 32, kith_xxh3(bytes.data + CHUNK, 32));
        fine = write_bytes(&bytes, directory, "hostile");
    }
    kith_bytes_free(&bytes);
    return fine;
}

// A component whose name would turn a terminal red, and one with more chunks than one.
static bool write_others(const char *directory)
{
    char                      path[1024];
    kith_bytes                bytes = { 0 };
    const kith_component_desc rude  = { .name = "ru\033[31mde", .kind = KITH_KIND_TAG };
    kith_world               *world = kith_world_create(NULL);
    bool                      fine  = mass_register(world) != 0;
    kith_component            id    = kith_component_register(world, &rude);
    kith_component_add(world, kith_entity_create(world), id, NULL);
    snprintf(path, sizeof path, "%s/rude.kith", directory);
    fine = fine && kith_world_save_file(world, NULL, path).code == KITH_OK;
    for (uint32_t i = 0; i < 100000; i++) {
        mass_set(world, kith_entity_create(world), i);
    }
    snprintf(path, sizeof path, "%s/large.kith", directory);
    fine = fine && kith_world_save_file(world, NULL, path).code == KITH_OK;
    fine = fine && kith_world_save_memory(world, NULL, &bytes).code == KITH_OK &&
           write_newer(&bytes, directory);
    kith_bytes_free(&bytes);
    kith_world_destroy(world);
    return fine;
}

// The town with exact state, for which a stranger has no queue, and packed if that can be.
static bool write_forms(const kith_world *world, const char *directory)
{
    char                 path[1024];
    const kith_save_desc exact  = { .exact = true };
    const kith_save_desc packed = { .zstd_level = 3 };
    snprintf(path, sizeof path, "%s/exact.kith", directory);
    bool fine = kith_world_save_file(world, &exact, path).code == KITH_OK;
    snprintf(path, sizeof path, "%s/packed.kith", directory);
    kith_world_save_file(world, &packed, path);
    return fine;
}

// A small packed world, if that can be, and its file again and again, each time with another bit of
// it flipped.
static bool write_flips(const char *directory)
{
    const kith_save_desc packed = { .zstd_level = 3 };
    kith_bytes           bytes  = { 0 };
    kith_world          *world  = kith_world_create(NULL);
    bool                 fine   = mass_register(world) != 0;
    for (uint32_t i = 0; i < 40; i++) {
        mass_set(world, kith_entity_create(world), 7);
    }
    if (kith_world_save_memory(world, &packed, &bytes).code == KITH_OK) {
        fine = fine && write_bytes(&bytes, directory, "small");
    }
    for (size_t bit = 0; bit < bytes.size * 8 && fine; bit++) {
        char name[64];
        snprintf(name, sizeof name, "flips/%zu", bit);
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        fine = write_bytes(&bytes, directory, name);
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    kith_bytes_free(&bytes);
    kith_world_destroy(world);
    return fine;
}

// What happens before each frame of the recording.
static void play(kith_world *world, uint64_t frame)
{
    const kith_entity first = kith_entity_make(0, 1);
    if (frame == 2) { // one value, two fields
        spot_set(world, first, (spot){ 2.25f, 3, -1 });
        season_set(world, (season){ 43 });
    } else if (frame == 4) {
        kith_entity_create(world);
        kith_entity_create(world);
        kith_entity_destroy(world, kith_entity_make(3, 1));
        loud_add(world, first);
        kith_component_remove(world, kith_entity_make(1, 1), CREW);
    } else if (frame == 5) {
        kith_component_enable(world, first, MASS, false);
    }
}

static bool write_delta(kith_frames *frames, const char *directory)
{
    kith_bytes bytes = { 0 };
    bool fine = kith_frames_delta(frames, 1, 2, NULL, kith_bytes_write, &bytes).code == KITH_OK &&
                write_bytes(&bytes, directory, "delta");
    kith_bytes_free(&bytes);
    return fine;
}

// The town at six times; the frames 1 and 2 are snapshots of their own, too.
static bool write_recording(const char *directory, const char *name, uint32_t level)
{
    char                      path[1024];
    const kith_recording_desc desc  = { .zstd_level = level };
    kith_world               *world = kith_world_create(NULL);
    bool                      fine  = register_all(world) && make_group(world);
    kith_frames              *ring  = kith_frames_create(world, NULL);
    snprintf(path, sizeof path, "%s/%s.kith", directory, name);
    kith_recording *recording = kith_recording_create(world, path, &desc);
    fill(world);
    for (uint64_t frame = 1; frame <= 6 && fine && recording != NULL; frame++) {
        play(world, frame);
        fine = kith_frames_save(ring) == frame &&
               kith_recording_add(recording, ring, frame).code == KITH_OK;
        if (frame <= 2) {
            snprintf(path, sizeof path, "%s/frame%u.kith", directory, (unsigned)frame);
            fine = fine && kith_world_save_file(world, NULL, path).code == KITH_OK;
        }
    }
    fine = recording == NULL
               ? fine && level != 0 // the library has no zstd
               : fine && kith_recording_destroy(recording) && write_delta(ring, directory);
    kith_world_destroy(world);
    return fine;
}

static bool write_sample(const char *directory, const char *name)
{
    char        path[1024];
    kith_world *world = kith_world_create(NULL);
    bool        fine  = register_all(world) && make_group(world);
    if (fine && strcmp(name, "excluding") == 0) {
        fine = make_excluding_group(world);
    }
    if (fine && strcmp(name, "empty") != 0) {
        fill(world);
        change(world, name);
    }
    snprintf(path, sizeof path, "%s/%s.kith", directory, name);
    kith_result result = kith_world_save_file(world, NULL, path);
    fputs(result.message, stderr);
    fine = fine && result.code == KITH_OK;
    if (fine && strcmp(name, "town") == 0) {
        fine = write_hash(world, directory, "hash") && write_hostile(world, directory) &&
               write_forms(world, directory);
    }
    if (fine && strcmp(name, "excluding") == 0) {
        fine = write_hash(world, directory, "excluding_hash");
    }
    kith_world_destroy(world);
    return fine;
}

int main(int count, char **words)
{
    static const char *const names[] = { "empty", "town",   "moved",    "noted",
                                         "many",  "sorted", "excluding" };
    bool                     fine    = count == 2;
    for (uint32_t i = 0; i < sizeof names / sizeof *names && fine; i++) {
        fine = write_sample(words[1], names[i]);
    }
    fine = fine && write_others(words[1]) && write_flips(words[1]);
    fine = fine && write_recording(words[1], "game", 0);
    return fine && write_recording(words[1], "packed_game", 3) ? 0 : 1;
}
