// SPDX-License-Identifier: MIT
// JSON: a level that is written by hand is read, one entity is edited as text, and the world is
// written again. Look at the mistakes: a message says what is wrong, and at which byte.
#include <kith/json.h>
#include <kith/kith.h>
#include <kith/snapshot.h>

#include <stdio.h>
#include <string.h>

typedef struct spot {
    int32_t x, y;
} spot;

typedef enum mood { CALM, ANGRY } mood;

typedef struct dweller {
    char        title[16];
    mood        mood;
    spot        at;
    kith_entity home;
} dweller;

typedef struct weather {
    float rain;
} weather;

enum { DWELLER = 1, ASLEEP, WEATHER };

KITH_CHOICES(mood, CALM, ANGRY);
KITH_FIELDS(spot, i32(x, "m"), i32(y, "m"));
KITH_FIELDS(dweller, chars(title), choice(mood, mood), nested(at, spot), entity(home));
KITH_FIELDS(weather, f32(rain, "mm"));
KITH_COMPONENT_AS(dweller, dweller, DWELLER, fields(dweller));
KITH_SINGLETON_AS(weather, weather, WEATHER, fields(weather));
KITH_FLAG(asleep, ASLEEP);
KITH_MODULE(level, dweller, asleep, weather);
KITH_QUERY(dwellers, write(dweller));

// What is left out is 0. Handles are any that the writer likes: here the cave is 7.
static const char level_text[] =
    "{\"kith\": 0, \"entities\": [\n"
    "  {\"entity\": \"7:1\", \"components\": {\"dweller\": {\"title\": \"cave\"}}},\n"
    "  {\"entity\": \"2:1\", \"components\": {\"asleep\": true, \"dweller\": {\n"
    "     \"title\": \"dragon\", \"mood\": \"ANGRY\", \"at\": {\"x\": 3, \"y\": -4},\n"
    "     \"home\": \"7:1\"}}}\n"
    "], \"singletons\": {\"weather\": {\"rain\": 0.1}}}\n";

static bool read_level(kith_world *world, const char *text, bool skip_unknown)
{
    const kith_json_rules rules = { .skip_unknown = skip_unknown };
    kith_result           read  = kith_json_read_world(world, text, strlen(text), &rules);
    if (read.code != KITH_OK) {
        printf("byte %d: %s\n", (int)read.offset, read.message);
    }
    return read.code == KITH_OK;
}

// Replaces a word of the text, as an editor would.
static void replace(kith_bytes *text, const char *word, const char *by)
{
    kith_bytes old = *text;
    char      *at  = strstr((char *)old.data, word);
    *text          = (kith_bytes){ 0 };
    if (at != NULL && kith_bytes_write(old.data, (size_t)(at - (char *)old.data), text) &&
        kith_bytes_write(by, strlen(by), text)) {
        kith_bytes_write(at + strlen(word), strlen(at + strlen(word)), text);
    }
    kith_bytes_free(&old);
}

// A copy of the entity, with another title: the entity as text, edited, and read again.
static kith_entity copy_entity(kith_world *world, kith_entity entity)
{
    kith_entity copy = KITH_NULL;
    kith_bytes  text = { 0 };
    if (kith_json_write_entity(world, entity, kith_bytes_write, &text)) {
        replace(&text, "dragon", "drake");
        replace(&text, "ANGRY", "CALM");
        kith_json_read_entity(world, (char *)text.data, text.size, NULL, &copy);
    }
    kith_bytes_free(&text);
    return copy;
}

static uint64_t hash_of(const kith_world *world)
{
    uint64_t hash = 0;
    return kith_world_hash_content(world, NULL, &hash) ? hash : 0;
}

static kith_world *new_world(void)
{
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    if (world != NULL && !level_register(world)) {
        kith_world_destroy(world);
        return NULL;
    }
    return world;
}

int main(void)
{
    kith_world *world = new_world();
    kith_world *twin  = new_world();
    kith_bytes  text  = { 0 };
    if (world == NULL || twin == NULL || !kith_bytes_write(level_text, strlen(level_text), &text)) {
        return 1;
    }

    replace(&text, "\"x\": 3", "\"x\": 3.5"); // mistakes first: each leaves the world empty
    bool right = !read_level(world, (char *)text.data, false);
    replace(&text, "3.5", "3, \"z\": 1");
    right = !read_level(world, (char *)text.data, false) && right;
    right = read_level(world, (char *)text.data, true) && right; // without what is unknown

    kith_entity dragon = kith_entity_make(2, 1);
    kith_entity drake  = copy_entity(world, dragon);
    right              = right && dweller_get(world, drake)->home == kith_entity_make(7, 1);
    asleep_remove(world, drake);
    dweller_mut(world, drake)->at.x++;

    text.size = 0; // the memory is used again
    right     = kith_json_write_world(world, kith_bytes_write, &text) && right;
    printf("%s", (const char *)text.data);
    right = right && read_level(twin, (char *)text.data, false) && hash_of(twin) == hash_of(world);
    printf("read again, the content is %s\n", right ? "the same" : "another one");
    kith_bytes_free(&text);
    kith_world_destroy(twin);
    kith_world_destroy(world);
    return right ? 0 : 1;
}
