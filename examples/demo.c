// SPDX-License-Identifier: MIT
// A pond: fish swim, eat, grow hungry, die and are born again, for two years of four seasons.
// Shows what kith does with entities that come and go, and what it says when a handle is stale.
#include <kith/kith.h>

#include <stdio.h>

typedef struct vec2 {
    float x, y;
} vec2;

typedef struct season {
    const char *name;
    int         food; // what a fish finds in a day
} season;

enum { POSITION = 1, VELOCITY, ENERGY, ELDER, HUNGRY, SEASON };

// Nothing swims without being somewhere: a velocity brings a position along.
static const kith_component swims[]         = { POSITION };
static const kith_traits    velocity_traits = { .required = swims, .required_count = 1 };

KITH_COMPONENT(position, vec2, POSITION);
KITH_COMPONENT_WITH(velocity, vec2, VELOCITY, velocity_traits);
KITH_COMPONENT(energy, int, ENERGY);
KITH_TAG(elder, ELDER);
KITH_FLAG(hungry, HUNGRY);
KITH_SINGLETON(season, season, SEASON);
KITH_MODULE(pond, position, velocity, energy, elder, hungry, season);

enum { FISH = 10000, DAYS = 90 };

static void spawn(kith_world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_entity fish  = kith_entity_create(world);
        uint32_t    index = kith_entity_index(fish);
        velocity_set(world, fish, (vec2){ (float)(index % 7) - 3, (float)(index % 5) - 2 });
        energy_set(world, fish, 40 + (int)(index % 60));
    }
}

// The rows of a pool are an array: entity and value side by side.
static void swim(kith_world *world)
{
    for (uint32_t row = 0; row < velocity_rows(world); row++) {
        kith_entity fish = velocity_entity(world, row);
        if (velocity_enabled(world, fish)) {
            vec2 *position = position_mut(world, fish);
            position->x += velocity_value(world, row)->x;
            position->y += velocity_value(world, row)->y;
        }
    }
}

static void eat(kith_world *world, kith_entity fish)
{
    uint32_t index = kith_entity_index(fish);
    int      food  = season_get(world)->food - (int)(index % 3);
    int     *left  = energy_mut(world, fish);
    *left += *left < 100 ? food - 1 : -1;
    if (*left < 20) {
        hungry_add(world, fish);
    } else {
        hungry_remove(world, fish);
    }
}

// Walks the living; destroying on the way is fine. Returns the last fish that died.
static kith_entity feed(kith_world *world)
{
    kith_entity dead = KITH_NULL;
    for (kith_entity fish = kith_entity_next(world, KITH_NULL); fish != KITH_NULL;
         fish             = kith_entity_next(world, fish)) {
        eat(world, fish);
        if (*energy_get(world, fish) <= 0) {
            kith_entity_destroy(world, fish);
            dead = fish;
        }
    }
    return dead;
}

// Whoever saw a winter is an elder; in winter elders rest: their velocity stays but does not count.
static void set_rest(kith_world *world, bool winter)
{
    for (kith_entity fish = kith_entity_next(world, KITH_NULL); fish != KITH_NULL;
         fish             = kith_entity_next(world, fish)) {
        if (elder_has(world, fish)) {
            winter ? velocity_disable(world, fish) : velocity_enable(world, fish);
        }
        if (winter) {
            elder_add(world, fish);
        }
    }
}

static kith_entity live_through(kith_world *world, season now)
{
    kith_entity dead = KITH_NULL;
    season_set(world, now);
    set_rest(world, now.food == 0);
    for (int day = 0; day < DAYS; day++) {
        swim(world);
        kith_entity starved = feed(world);
        dead                = starved != KITH_NULL ? starved : dead;
    }
    printf("  %-7s %6u fish, %5u hungry, %5u elders, %6u slots free\n", now.name,
           energy_count(world), hungry_count(world), elder_count(world),
           kith_world_stats(world).free);
    return dead;
}

static void show_stale_handle(kith_world *world, kith_entity fish)
{
    char text[160];
    printf("\nEntity %u version %u starved; its slot is at version %u now.\n",
           kith_entity_index(fish), kith_entity_version(fish), kith_entity_current(world, fish));
    printf("  alive: %s, position: %s, destroying it again: %s\n",
           kith_entity_alive(world, fish) ? "yes" : "no",
           position_get(world, fish) == NULL ? "none" : "there",
           kith_entity_destroy(world, fish) ? "done" : "nothing to do");
    if (position_set(world, fish, (vec2){ 0, 0 }) == NULL) {
        kith_error error = kith_world_error(world);
        kith_error_text(world, &error, text, sizeof text);
        printf("  %s\n", text);
    }
}

static void show_memory(const kith_world *world)
{
    kith_memory memory = kith_world_memory(world, 0);
    printf("\nMemory: %.1f MB, most of it lookup (%zu KB), values (%zu KB) and rows (%zu KB)\n",
           (double)memory.total / (1024 * 1024), memory.sparse / 1024, memory.values / 1024,
           memory.packed / 1024);
}

int main(void)
{
    static const season seasons[] = {
        { "spring", 3 }, { "summer", 2 }, { "autumn", 2 }, { "winter", 0 }
    };
    const char *reason = NULL;
    kith_entity dead   = KITH_NULL;
    kith_world *world  = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    if (world == NULL || !pond_register(world)) {
        return 1;
    }
    printf("A pond with %d fish\n", FISH);
    for (int year = 1; year <= 2; year++) {
        printf("Year %d\n", year);
        spawn(world, FISH - kith_entity_count(world));
        for (size_t i = 0; i < sizeof seasons / sizeof seasons[0]; i++) {
            kith_entity starved = live_through(world, seasons[i]);
            dead                = starved != KITH_NULL ? starved : dead;
        }
    }
    show_stale_handle(world, dead);
    show_memory(world);
    bool valid = kith_world_validate(world, &reason);
    printf("Every structure agrees with every other: %s\n", valid ? "yes" : reason);
    kith_world_destroy(world);
    return valid ? 0 : 1;
}
