// SPDX-License-Identifier: MIT
// A world with a little of everything and a long fixed sequence of changes to it, with integers and
// exact halves only: its hash is the same on every machine.
#ifndef HASH_SCENARIO_H
#define HASH_SCENARIO_H

#include "kith/diff.h"
#include "kith/json.h"
#include "kith/kith.h"
#include "kith/merge.h"
#include "kith/snapshot.h"

#include <string.h>

#define SCENARIO_STEPS    4000u
#define SCENARIO_ENTITIES 1500u
#define SCENARIO_HASH     UINT64_C(0x44ddaaedd4f6eff5)
#define SCENARIO_CONTENT  UINT64_C(0x93575fcc1473faa7)

enum { BODY = 301, BULK, PIN, WORD, CACHE, ALLIED, ASLEEP, WEATHER };

typedef enum role_of { SAILOR, COOK = 5 } role_of;

typedef struct place_of {
    float   x, y;
    uint8_t deck;
} place_of;

typedef struct body {
    bool        awake;
    place_of    at;
    int64_t     gold;
    kith_entity ship;
    uint16_t    scores[3];
    role_of     role;
    void       *cache;
    char        name[5];
} body;

typedef struct word {
    uint8_t length;
    char    letters[15];
} word;

typedef struct weather {
    double   wind;
    uint32_t day;
} weather;

KITH_CHOICES(role_of, SAILOR, COOK);
KITH_FIELDS(place_of, f32(x, "m"), f32(y, "m"), u8(deck));
KITH_FIELDS(body, boolean(awake), nested(at, place_of), i64(gold), entity(ship), u16(scores),
            choice(role, role_of), skip(cache), chars(name));
KITH_FIELDS(weather, f64(wind), u32(day));

static size_t write_word(const void *value, void *bytes, size_t room, void *context)
{
    const word *from = value;
    (void)context;
    if (from->length <= room) {
        memcpy(bytes, from->letters, from->length);
    }
    return from->length;
}

static bool read_word(void *value, const void *bytes, size_t size, void *context)
{
    word *to = value;
    (void)context;
    if (size > sizeof to->letters) {
        return false;
    }
    to->length = (uint8_t)size;
    memcpy(to->letters, bytes, size);
    return true;
}

static const kith_saver word_saver = { write_word, read_word, NULL };

KITH_COMPONENT_AS(body, body, BODY, fields(body));
KITH_COMPONENT_AS(bulk, uint32_t, BULK, plain(4));
KITH_COMPONENT_AS(cache, void *, CACHE, transient);
KITH_COMPONENT_AS(word, word, WORD, through(&word_saver));
KITH_TAG(allied, ALLIED);
KITH_FLAG(asleep, ASLEEP);
KITH_SINGLETON_AS(weather, weather, WEATHER, fields(weather));

/// A stable component of one number.
static inline kith_component_desc pin_desc(void)
{
    return (kith_component_desc){ .name      = "pin",
                                  .id        = PIN,
                                  .size      = sizeof(uint64_t),
                                  .alignment = _Alignof(uint64_t),
                                  .traits    = { .policy = KITH_POLICY_STABLE,
                                                 .saved  = KITH_AS(plain(8)) } };
}

/// Registers everything, in one order or the other, with `page_rows` rows a page (0: by size).
static inline bool scenario_register(kith_world *world, uint32_t page_rows, bool backwards)
{
    kith_component_desc all[]  = { body_desc(),  bulk_desc(),   pin_desc(),    word_desc(),
                                   cache_desc(), allied_desc(), asleep_desc(), weather_desc() };
    const uint32_t      count  = sizeof all / sizeof *all;
    bool                worked = true;
    for (uint32_t i = 0; i < count && worked; i++) {
        kith_component_desc desc = all[backwards ? count - 1 - i : i];
        if (desc.kind != KITH_KIND_FLAG && desc.kind != KITH_KIND_SINGLETON) {
            desc.traits.page_rows = page_rows;
        }
        worked = kith_component_register(world, &desc) != 0;
    }
    return worked;
}

/// A group that owns nothing, one that owns, and a path.
static inline bool scenario_order(kith_world *world)
{
    const kith_term      listed[]  = { { BODY, KITH_ROLE_READ, 0 },
                                       { PIN, KITH_ROLE_WITH, 0 },
                                       { ASLEEP, KITH_ROLE_WITHOUT, 0 } };
    const kith_term      owned[]   = { { BULK, KITH_ROLE_OWN, 0 }, { ALLIED, KITH_ROLE_WITH, 0 } };
    const kith_component along[]   = { BODY, WORD };
    kith_query_desc      list_desc = { .name = "listed", .terms = listed, .term_count = 3 };
    kith_query_desc      own_desc  = { .name = "owned", .terms = owned, .term_count = 2 };
    kith_path_desc       path_desc = { .components = along, .component_count = 2 };
    return kith_group_of(world, &list_desc) != NULL && kith_group_of(world, &own_desc) != NULL &&
           kith_path_of(world, &path_desc) != NULL;
}

typedef struct scenario {
    kith_world *world;
    uint64_t    random;
    kith_entity entities[SCENARIO_ENTITIES];
} scenario;

static inline uint32_t scenario_draw(scenario *s, uint32_t limit)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(s->random >> 33) % limit;
}

static inline body scenario_body(scenario *s, kith_entity ship)
{
    body b;
    memset(&b, (int)scenario_draw(s, 256), sizeof b); // padding is not to show
    b.awake     = scenario_draw(s, 2) != 0;
    b.at.x      = (float)scenario_draw(s, 1000) / 2;
    b.at.y      = -(float)scenario_draw(s, 1000) / 2;
    b.at.deck   = (uint8_t)scenario_draw(s, 256);
    b.gold      = (int64_t)scenario_draw(s, 1000) - 500;
    b.ship      = ship;
    b.scores[0] = (uint16_t)scenario_draw(s, 65536);
    b.scores[1] = 1;
    b.scores[2] = 2;
    b.role      = scenario_draw(s, 2) == 0 ? SAILOR : COOK;
    memcpy(b.name, "abcd", 5);
    return b;
}

static inline void scenario_set_word(scenario *s, kith_entity entity)
{
    word w = { .length = (uint8_t)scenario_draw(s, 16) };
    memset(w.letters, 'a' + (int)scenario_draw(s, 26), sizeof w.letters);
    kith_component_set(s->world, entity, WORD, &w);
}

// What moves rows.
static inline void scenario_arrange(scenario *s, uint32_t which)
{
    const kith_sort_key key = { offsetof(body, gold), KITH_TYPE_I64, which == 1 };
    switch (which) {
    case 0:
    case 1:
        kith_component_sort(s->world, BODY, &(kith_sort_desc){ .key = &key });
        break;
    case 2:
        kith_path_arrange_all(s->world, 100000);
        break;
    case 3:
        kith_component_compact(s->world, PIN);
        break;
    case 4:
        kith_component_clear(s->world, ALLIED);
        break;
    default:
        kith_world_shrink(s->world);
    }
}

// By untyped calls: typed ones would take the page rows for known.
static inline void scenario_add(scenario *s, kith_entity entity, uint32_t what)
{
    kith_entity other = s->entities[scenario_draw(s, SCENARIO_ENTITIES)];
    body        whole = scenario_body(s, other);
    uint32_t    heavy = scenario_draw(s, UINT32_MAX);
    uint64_t    pin   = (uint64_t)heavy << 20;
    switch (what) {
    case 0:
        kith_component_set(s->world, entity, BODY, &whole);
        break;
    case 1:
        kith_component_set(s->world, entity, BULK, &heavy);
        break;
    case 2:
        kith_component_set(s->world, entity, PIN, &pin);
        break;
    case 3:
        scenario_set_word(s, entity);
        break;
    case 4:
        kith_component_add(s->world, entity, ALLIED, NULL);
        break;
    case 5:
        kith_component_add(s->world, entity, ASLEEP, NULL);
        break;
    default:
        kith_component_add(s->world, entity, CACHE, NULL);
    }
}

static inline void scenario_take(scenario *s, kith_entity entity, uint32_t what)
{
    static const kith_component all[] = { BODY, BULK, PIN, WORD, ALLIED, ASLEEP, CACHE };
    kith_component_remove(s->world, entity, all[what]);
}

static inline void scenario_turn(scenario *s, kith_entity entity, uint32_t what)
{
    static const kith_component all[] = { BODY, BULK, PIN, WORD, ALLIED };
    if (!kith_component_has(s->world, entity, all[what % 5])) {
        return;
    }
    if (what < 5) {
        kith_component_enable(s->world, entity, all[what], false);
    } else {
        kith_component_enable(s->world, entity, all[what - 5], true);
    }
}

static inline void scenario_write(scenario *s, kith_entity entity)
{
    body *b = (body *)kith_component_mut(s->world, entity, BODY);
    if (b != NULL) {
        b->gold += 7;
        b->at.x += 0.5f;
    }
    weather *w = weather_mut(s->world);
    if (w != NULL) {
        w->day++;
    }
}

/// One change.
static inline void scenario_step(scenario *s)
{
    uint32_t     place  = scenario_draw(s, SCENARIO_ENTITIES);
    kith_entity *entity = &s->entities[place];
    uint32_t     what   = scenario_draw(s, 100);
    if (!kith_entity_alive(s->world, *entity)) {
        *entity = kith_entity_create(s->world);
        scenario_add(s, *entity, scenario_draw(s, 7));
    } else if (what < 4) {
        kith_entity_destroy(s->world, *entity);
    } else if (what < 60) {
        scenario_add(s, *entity, scenario_draw(s, 7));
    } else if (what < 72) {
        scenario_take(s, *entity, scenario_draw(s, 7));
    } else if (what < 80) {
        scenario_turn(s, *entity, scenario_draw(s, 10));
    } else if (what < 90) {
        scenario_write(s, *entity);
    } else if (what < 95) {
        kith_world_advance(s->world);
    } else if (what < 97) {
        weather_set(s->world, (weather){ (double)scenario_draw(s, 9) / 2, place });
    } else if (scenario_draw(s, 20) == 0) {
        scenario_arrange(s, scenario_draw(s, 6));
    }
}

/// The world after everything; NULL when memory ran out.
static inline kith_world *scenario_run(uint32_t page_rows)
{
    static scenario s;
    memset(&s, 0, sizeof s);
    s.world = kith_world_create(NULL);
    if (s.world == NULL || !scenario_register(s.world, page_rows, false) ||
        !scenario_order(s.world)) {
        return NULL;
    }
    for (uint32_t i = 0; i < SCENARIO_STEPS; i++) {
        scenario_step(&s);
    }
    return s.world;
}

#endif
