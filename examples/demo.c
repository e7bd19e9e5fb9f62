// SPDX-License-Identifier: MIT
// A pond: fish swim, eat, grow hungry, die and are born again, for two years of four seasons.
// Shows loops over queries, a listener, and what kith says when a handle is stale.
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

KITH_QUERY(swimmers, write(position), read(velocity));
KITH_QUERY(eaters, write(energy));
KITH_QUERY(elders, with(elder), disabled(velocity)); // also those whose velocity is disabled
KITH_QUERY(youngsters, with(energy), without(elder));
KITH_QUERY(starving, with(hungry), read(energy));

enum { FISH = 10000, DAYS = 90 };

typedef struct chronicle {
    uint32_t    deaths; // in this season
    kith_entity last;   // who died last, where and when
    vec2        place;
    uint64_t    day;
} chronicle;

// A listener: hears of each destroyed entity while everything that it had is still there.
static void record_death(kith_world *world, const kith_notice *notice, void *context)
{
    chronicle *book = context;
    book->deaths++;
    book->last  = notice->entity;
    book->place = *position_get(world, notice->entity);
    book->day   = kith_world_now(world);
}

static void spawn(kith_world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_entity fish  = kith_entity_create(world);
        uint32_t    index = kith_entity_index(fish);
        velocity_set(world, fish, (vec2){ (float)(index % 7) - 3, (float)(index % 5) - 2 });
        energy_set(world, fish, 40 + (int)(index % 60));
    }
}

// By chunks, because it is arithmetic: both columns are plain arrays.
static void swim(kith_query *query)
{
    swimmers s = swimmers_begin_stored(query);
    while (swimmers_next_chunk(&s)) {
        for (uint32_t i = 0; i < s.count; i++) {
            s.position[i].x += s.velocity[i].x;
            s.position[i].y += s.velocity[i].y;
        }
    }
}

static void eat(kith_world *world, kith_entity fish, int *energy)
{
    int food = season_get(world)->food - (int)(kith_entity_index(fish) % 3);
    *energy += *energy < 100 ? food - 1 : -1;
    if (*energy < 20) {
        hungry_add(world, fish);
    } else {
        hungry_remove(world, fish);
    }
}

// One fish at a time, because of the calls. Any change is legal inside a loop, destroying too.
static void feed(kith_world *world)
{
    KITH_EACH(eaters, fish, world)
    {
        eat(world, fish.entity, fish.energy);
        if (*fish.energy <= 0) {
            kith_entity_destroy(world, fish.entity);
        }
    }
}

// Whoever saw a winter is an elder; in winter elders rest: their velocity stays but does not count.
static void set_rest(kith_world *world, bool winter)
{
    KITH_EACH(elders, fish, world)
    {
        winter ? velocity_disable(world, fish.entity) : velocity_enable(world, fish.entity);
    }
    if (winter) {
        KITH_EACH(youngsters, fish, world)
        {
            elder_add(world, fish.entity);
        }
    }
}

static void live_through(kith_world *world, kith_query *swimming, season now, chronicle *book)
{
    book->deaths = 0;
    season_set(world, now);
    set_rest(world, now.food == 0);
    for (int day = 0; day < DAYS; day++) {
        swim(swimming);
        feed(world);
        kith_world_tick(world); // would name a loop that was left open
    }
    printf("  %-7s %6u fish, %5u swim, %5u hungry, %5u elders, %5u died\n", now.name,
           energy_count(world), swimmers_count(world), hungry_count(world), elder_count(world),
           book->deaths);
}

// Reading opens no loop: any number of threads may do this at the same time.
static void show_weakest(const kith_world *world)
{
    kith_entity weakest = KITH_NULL;
    int         least   = 0;
    starving    s       = starving_begin_read(world);
    while (starving_next(&s)) {
        if (weakest == KITH_NULL || *s.energy < least) {
            weakest = s.entity;
            least   = *s.energy;
        }
    }
    printf("\nOf %u hungry fish the weakest is entity %u, with energy %d.\n", starving_count(world),
           kith_entity_index(weakest), least);
}

// The first loop finds out that the rows of both components are in one order, the second knows it.
static void show_spring(kith_world *world, kith_query *swimming)
{
    char text[320];
    set_rest(world, false);
    kith_world_shrink(world); // nobody rests: the bits that said who does go as well
    swim(swimming);
    swim(swimming);
    kith_query_explain(swimming, text, sizeof text);
    printf("\nSpring again: %u fish swim.\n%s.\n", swimmers_count(world), text);
}

static void show_stale_handle(kith_world *world, const chronicle *book)
{
    char        text[160];
    kith_entity fish = book->last;
    printf(
        "\nEntity %u version %u starved at (%g, %g) on day %llu; its slot is at version %u now.\n",
        kith_entity_index(fish), kith_entity_version(fish), (double)book->place.x,
        (double)book->place.y, (unsigned long long)book->day, kith_entity_current(world, fish));
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

static void run_years(kith_world *world, kith_query *swimming, chronicle *book)
{
    static const season seasons[] = {
        { "spring", 3 }, { "summer", 2 }, { "autumn", 2 }, { "winter", 0 }
    };
    for (int year = 1; year <= 2; year++) {
        printf("Year %d\n", year);
        spawn(world, FISH - kith_entity_count(world));
        for (size_t i = 0; i < sizeof seasons / sizeof seasons[0]; i++) {
            live_through(world, swimming, seasons[i], book);
        }
    }
}

int main(void)
{
    chronicle   book   = { 0 };
    const char *reason = NULL;
    kith_world *world  = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    if (world == NULL || !pond_register(world)) {
        return 1;
    }
    kith_query *swimming = swimmers_query(world);
    kith_listener_connect(world, &(kith_listener_desc){ .event   = KITH_EVENT_DESTROY,
                                                        .call    = record_death,
                                                        .context = &book });
    printf("A pond with %d fish\n", FISH);
    run_years(world, swimming, &book);
    show_weakest(world);
    show_spring(world, swimming);
    show_stale_handle(world, &book);
    show_memory(world);
    bool valid = kith_world_validate(world, &reason);
    printf("Every structure agrees with every other: %s\n", valid ? "yes" : reason);
    kith_world_destroy(world);
    return valid ? 0 : 1;
}
