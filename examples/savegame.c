// SPDX-License-Identifier: MIT
// A save game whose structs have changed. The first table is that of last year's release, the
// second one is today's. Look at each ship: what was renamed, widened, added and converted.
#include <kith/kith.h>
#include <kith/snapshot.h>

#include <stdio.h>
#include <string.h>

// --- last year's release ---------------------------------------------------------------------

typedef enum old_kind { OLD_SCOUT, OLD_FREIGHTER } old_kind;

typedef struct old_ship {
    float    x, y;
    uint8_t  hull;    // at most 255
    old_kind kind;    // saved by name, so the numbers may change
    int16_t  heading; // in degrees
    char     title[8];
    uint32_t colour; // of no use today
} old_ship;

KITH_CHOICES(old_kind, OLD_SCOUT, OLD_FREIGHTER);
KITH_FIELDS(old_ship, f32(x, "km"), f32(y, "km"), u8(hull), choice(kind, old_kind),
            i16(heading, "degrees"), chars(title), u32(colour));

enum { SHIP = 1 };

KITH_COMPONENT_AS(old_ship, old_ship, SHIP, fields(old_ship));
KITH_QUERY(old_ships, read(old_ship));

// --- today's release -------------------------------------------------------------------------

// OLD_SCOUT of the file: the names of enumerators are what counts, so they stay.
typedef enum kind { TUG, OLD_FREIGHTER_ = 10, OLD_SCOUT_ } kind;

static const kith_choice  kind_list[]  = { { "TUG", TUG },
                                           { "OLD_FREIGHTER", OLD_FREIGHTER_ },
                                           { "OLD_SCOUT", OLD_SCOUT_ } };
static const kith_choices kind_choices = { "kind", kind_list, 3 };

typedef struct ship {
    char     title[24]; // longer
    double   east;      // renamed, and wider
    double   north;
    uint32_t hull;   // wider
    uint32_t shield; // new
    kind     kind;
    float    heading; // in turns: the meaning has changed, so the version is 2
} ship;

// The third argument of a field is its name in older files.
KITH_FIELDS(ship, chars(title), f64(east, "km", "x"), f64(north, "km", "y"), u32(hull), u32(shield),
            choice(kind, kind), f32(heading, "turns"));

// `value` has all fields that both tables have. Here is what only the program knows.
static bool upgrade_ship(void *value, const kith_old *old, void *context)
{
    ship *now = value;
    ++*(int *)context;
    for (uint32_t i = 0; i < old->fields->count; i++) {
        const kith_field *field = &old->fields->list[i];
        if (strcmp(field->name, "heading") == 0 && field->type == KITH_TYPE_I16) {
            int16_t degrees = 0;
            memcpy(&degrees, (const char *)old->value + field->offset, sizeof degrees);
            now->heading = (float)degrees / 360;
        }
    }
    now->shield = now->hull / 2; // ships of old files get a shield
    return old->version < 2;
}

static int                upgraded;
static const kith_upgrade ship_upgrade = { upgrade_ship, &upgraded };

KITH_COMPONENT_AS(ship, ship, SHIP, fields(ship, 2, &ship_upgrade));
KITH_QUERY(ships, read(ship));

// --- one program for both --------------------------------------------------------------------

static bool save_with_last_years_release(kith_bytes *file)
{
    kith_component_desc desc  = old_ship_desc();
    kith_world         *world = kith_world_create(NULL);
    desc.name                 = "ship"; // components are found by name
    if (world == NULL || kith_component_register(world, &desc) == 0) {
        return false;
    }
    old_ship_set(world, kith_entity_create(world),
                 (old_ship){ 1.5f, -2, 250, OLD_SCOUT, 90, "Heron", 0xff0000 });
    old_ship_set(world, kith_entity_create(world),
                 (old_ship){ 40, 7, 80, OLD_FREIGHTER, -45, "Pelican", 0x00ff00 });
    KITH_EACH(old_ships, s, world)
    {
        const old_ship *o = s.old_ship;
        printf("saved:  %-8s x %.1f y %.1f hull %u kind %d heading %d\n", o->title, (double)o->x,
               (double)o->y, o->hull, (int)o->kind, o->heading);
    }
    kith_result saved = kith_world_save_memory(world, NULL, file);
    kith_world_destroy(world);
    return saved.code == KITH_OK;
}

static const char *name_of(kind value)
{
    uint32_t i = 0;
    while (i < kind_choices.count - 1 && kind_list[i].value != (int64_t)value) {
        i++;
    }
    return kind_list[i].name;
}

static bool load(const kith_bytes *file, kith_world *world)
{
    kith_result loaded = kith_world_load(world, NULL, file->data, file->size);
    if (loaded.code != KITH_OK) {
        printf("refused: %s\n", loaded.message);
    }
    return loaded.code == KITH_OK;
}

int main(void)
{
    kith_bytes  file  = { 0 };
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !ship_register(world) || !save_with_last_years_release(&file)) {
        return 1;
    }
    bool right = load(&file, world) && upgraded == 2 && ship_count(world) == 2;
    KITH_EACH(ships, s, world)
    {
        const ship *n = s.ship;
        printf("loaded: %-8s east %.1f north %.1f hull %u shield %u %s heading %.3f\n", n->title,
               n->east, n->north, n->hull, n->shield, name_of(n->kind), (double)n->heading);
        right = right && n->shield == n->hull / 2 &&
                (n->kind == OLD_SCOUT_) == (strcmp(n->title, "Heron") == 0);
    }
    file.data[file.size / 2] ^= 1; // a damaged file changes nothing
    right = !load(&file, world) && right && ship_count(world) == 2;
    kith_bytes_free(&file);
    kith_world_destroy(world);
    return right ? 0 : 1;
}
