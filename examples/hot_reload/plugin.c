// SPDX-License-Identifier: MIT
// The plugin of hot_reload.c, in two versions: PLUGIN_VERSION is 1 or 2. It calls nothing of kith,
// so it links with nothing: it gives the program descriptions and functions.
#include "plugin.h"

#if PLUGIN_VERSION == 1

typedef struct rocket {
    float   height;
    float   speed;
    int32_t fuel;
} rocket;

KITH_FIELDS(rocket, f32(height, "m"), f32(speed, "m/s"), i32(fuel, "s"));
KITH_COMPONENT_AS(rocket, rocket, ROCKET, fields(rocket));

static void fly(rocket *r)
{
    r->speed += r->fuel > 0 ? 10.0f : 0;
    r->fuel -= r->fuel > 0;
    r->height += r->speed;
}

static double height_of(const rocket *r)
{
    return (double)r->height;
}

#else // the struct has grown, `height` has another name, and rockets come down again

typedef struct rocket {
    double  altitude;
    double  speed;
    int32_t fuel;
    int32_t parachute; // 0 in values of version 1
} rocket;

KITH_FIELDS(rocket, f64(altitude, "m", "height"), f64(speed, "m/s"), i32(fuel, "s"),
            i32(parachute));
KITH_COMPONENT_AS(rocket, rocket, ROCKET, fields(rocket));

static void fly(rocket *r)
{
    r->speed += r->fuel > 0 ? 10 : -10;
    r->fuel -= r->fuel > 0;
    r->parachute = r->parachute || r->speed < -20;
    r->speed     = r->parachute ? -5 : r->speed;
    r->altitude += r->speed;
}

static double height_of(const rocket *r)
{
    return r->altitude;
}

#endif

KITH_QUERY(rockets, write(rocket));

static void fly_each(const kith_turn *turn, const kith_cursor *cursor)
{
    (void)turn;
    fly(cursor->columns[0]);
}

static double height_in(const void *value)
{
    return height_of(value);
}

EXPORT plugin plugin_open(void)
{
    const plugin made = { rocket_desc(),
                          { .name = "fly", .each = fly_each, .query = rockets_desc() },
                          height_in };
    return made;
}
