// SPDX-License-Identifier: MIT
// Components of every form, for what reads and writes JSON.
#ifndef JSON_TEST_H
#define JSON_TEST_H

#include "kith/diff.h"
#include "kith/json.h"
#include "kith/kith.h"
#include "kith/merge.h"
#include "kith/snapshot.h"

#include <stdlib.h>
#include <string.h>

typedef enum mood { CALM = 0, ANGRY = 7, GONE = -2 } mood;

typedef struct spot {
    float   x, y;
    int16_t floor;
} spot;

typedef struct crew {
    bool        ready;
    uint8_t     u8;
    uint16_t    u16;
    uint32_t    u32;
    uint64_t    u64;
    int8_t      i8;
    int16_t     i16;
    int32_t     i32;
    int64_t     i64;
    float       f32;
    double      f64;
    kith_entity ship;
    char        name[8];
    mood        mood;
    spot        at;
    spot        seen[2];
    bool        doors[3];
    kith_entity mates[2];
    uint8_t     notes[5]; // skipped
} crew;

KITH_CHOICES(mood, CALM, ANGRY, GONE);
KITH_FIELDS(spot, f32(x, "m"), f32(y, "m", "height"), i16(floor));
KITH_FIELDS(crew, boolean(ready), u8(u8), u16(u16), u32(u32), u64(u64), i8(i8), i16(i16), i32(i32),
            i64(i64), f32(f32), f64(f64), entity(ship), chars(name), choice(mood, mood),
            nested(at, spot), nested(seen, spot), boolean(doors), entity(mates), kith_skip(notes));

/// A text on the heap, saved through functions.
typedef struct script {
    char  *text;
    size_t size;
} script;

static inline bool script_take(script *s, const void *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) {
        return false;
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(s->text);
    *s = (script){ text, size };
    return true;
}

static inline bool script_construct(void *value, void *context)
{
    (void)context;
    *(script *)value = (script){ NULL, 0 };
    return script_take(value, "", 0);
}

static inline bool script_copy(void *value, const void *source, void *context)
{
    const script *from = source;
    (void)context;
    *(script *)value = (script){ NULL, 0 };
    return script_take(value, from->text, from->size);
}

static inline void script_destruct(void *value, void *context)
{
    (void)context;
    free(((script *)value)->text);
}

static inline size_t script_write(const void *value, void *bytes, size_t room, void *context)
{
    const script *s = value;
    (void)context;
    if (s->size <= room) {
        memcpy(bytes, s->text, s->size);
    }
    return s->size;
}

// No script begins with a question mark.
static inline bool script_read(void *value, const void *bytes, size_t size, void *context)
{
    (void)context;
    return (size == 0 || *(const char *)bytes != '?') && script_take(value, bytes, size);
}

enum { CREW = 1, SPOT, HEAT, CODE, GRAIN, SCRIPT, MESH, ASLEEP, LOUD, GRAVITY, CLOCK, WINDOW };

static const kith_saver script_saver = { script_write, script_read, NULL };

static inline bool json_register(kith_world *world)
{
    const kith_hooks hooks = { script_construct, script_copy, script_destruct, NULL, NULL };
    const kith_component_desc descs[] = {
        { "crew",
          CREW,
          KITH_KIND_VALUE,
          sizeof(crew),
          _Alignof(crew),
          { .saved = KITH_AS(fields(crew)) } },
        { "spot",
          SPOT,
          KITH_KIND_VALUE,
          sizeof(spot),
          _Alignof(spot),
          { .policy = KITH_POLICY_STABLE, .saved = KITH_AS(fields(spot)) } },
        { "heat", HEAT, KITH_KIND_VALUE, 12, 4, { .saved = KITH_AS(plain(4)) } },
        { "code", CODE, KITH_KIND_VALUE, 8, 8, { .saved = KITH_AS(plain(8)) } },
        { "a \"grain\" \\", GRAIN, KITH_KIND_VALUE, 3, 1, { .saved = KITH_AS(plain(1)) } },
        { "script",
          SCRIPT,
          KITH_KIND_VALUE,
          sizeof(script),
          _Alignof(script),
          { .hooks = hooks, .saved = KITH_AS(through(&script_saver)) } },
        { "mesh", MESH, KITH_KIND_VALUE, 4, 4, { .saved = KITH_AS(transient) } },
        { "asleep", ASLEEP, KITH_KIND_TAG, 0, 0, { 0 } },
        { "loud", LOUD, KITH_KIND_FLAG, 0, 0, { 0 } },
        { "gravity",
          GRAVITY,
          KITH_KIND_SINGLETON,
          sizeof(spot),
          _Alignof(spot),
          { .saved = KITH_AS(fields(spot)) } },
        { "clock", CLOCK, KITH_KIND_SINGLETON, 8, 8, { .saved = KITH_AS(plain(8)) } },
        { "window", WINDOW, KITH_KIND_SINGLETON, 4, 4, { .saved = KITH_AS(transient) } },
    };
    return kith_component_register_many(world, descs, sizeof descs / sizeof descs[0]);
}

#endif
