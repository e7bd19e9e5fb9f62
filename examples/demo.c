// SPDX-License-Identifier: MIT
// A pond: fish swim, eat, grow hungry, die and are born again, for two years of four seasons.
// The schedule runs one day after the other. The demo shows systems that declare what they touch,
// workers that run parts of them, commands, queued events, a reactive set, a hierarchy, a query for
// changes, and a snapshot that a second pond loads and continues.
#include <kith/hierarchy.h>
#include <kith/random.h>
#include <kith/snapshot.h>
#include <kith/workers.h>

#include <stdio.h>

typedef struct vec2 {
    float x, y;
} vec2;

typedef struct season {
    char name[8];
    int  food; // the food that a fish finds in a day
} season;

// How the values are saved. The compiler compares the tables with the structs.
KITH_FIELDS(vec2, f32(x), f32(y));
KITH_FIELDS(season, chars(name), i32(food));

enum { POSITION = 1, VELOCITY, ENERGY, ELDER, HUNGRY, SEASON, SCHOOL };

// A velocity requires a position. Each row of position has the tick of its latest change.
static const kith_component swims[]         = { POSITION };
static const kith_traits    velocity_traits = { .required       = swims,
                                                .required_count = 1,
                                                .saved          = KITH_AS(fields(vec2)) };
static const kith_traits    position_traits = { .row_ticks = true, .saved = KITH_AS(fields(vec2)) };

KITH_COMPONENT_WITH(position, vec2, POSITION, position_traits);
KITH_COMPONENT_WITH(velocity, vec2, VELOCITY, velocity_traits);
KITH_COMPONENT_AS(energy, int, ENERGY, plain(4));
KITH_TAG(elder, ELDER);
KITH_FLAG(hungry, HUNGRY);
KITH_SINGLETON_AS(season, season, SEASON, fields(season));
KITH_COMPONENT(school, kith_node, SCHOOL); // links to the elder and to followers
KITH_MODULE(pond, position, velocity, energy, elder, hungry, season, school);

KITH_QUERY(swimmers, write(position), read(velocity));
KITH_QUERY(eaters, write(energy));
KITH_QUERY(elders, with(elder), disabled(velocity)); // also with a disabled velocity
KITH_QUERY(youngsters, with(energy), without(elder));
KITH_QUERY(leaders, read(school));
KITH_QUERY(moved, with(position), changed(position));

typedef struct death {
    kith_entity fish;
    vec2        place;
    uint64_t    tick;
} death;

KITH_EVENT(death, death); // death_of returns the queue, death_enqueue adds an event

enum { FISH = 10000, DAYS = 90, SEASONS = 4, YEARS = 2 };
enum { BY_DAY, AT_NIGHT, AT_THE_END }; // phases

static const season seasons[SEASONS] = {
    { "spring", 3 }, { "summer", 2 }, { "autumn", 2 }, { "winter", 0 }
};

typedef struct chronicle {
    kith_commands *commands; // applied at night
    death_queue    deaths;   // delivered at night
    kith_reactive *newborn;  // fish born since the last clear
    uint32_t       died;     // in this season
    uint32_t       passed;   // seasons
    death          last;
    bool           quiet; // prints no seasons
} chronicle;

// --- by day ----------------------------------------------------------------------------------

// Runs when the season has changed. A fish that has seen a winter is an elder. In winter elders
// rest: their velocity is disabled, so queries skip it.
static void rest(const kith_turn *turn)
{
    kith_world *world  = turn->world;
    bool        winter = season_get(world)->food == 0;
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

// Runs when fish were born. Each joins the school of the next elder and takes its velocity.
static void join(const kith_turn *turn)
{
    chronicle  *book  = turn->context;
    kith_world *world = turn->world;
    uint32_t    many  = elder_count(world);
    uint64_t    place = 0;
    kith_entity fish  = kith_reactive_next(book->newborn, &place);
    for (uint32_t i = 0; fish != KITH_NULL && many != 0; i++) {
        kith_entity elder = elder_entity(world, i % many);
        kith_hierarchy_append(world, SCHOOL, elder, fish);
        velocity_set(world, fish, *velocity_get(world, elder));
        fish = kith_reactive_next(book->newborn, &place);
    }
    kith_reactive_clear(book->newborn);
}

// `swim` and `feed` are called for each 4,096 fish, on all cores. Neither touches what the other
// writes, so they may run at the same time.

// Arithmetic runs by chunks: both columns are plain arrays.
static void swim(const kith_part *part)
{
    swimmers s = swimmers_begin_part(part);
    while (swimmers_next_chunk(&s)) {
        for (uint32_t i = 0; i < s.count; i++) {
            s.position[i].x += s.velocity[i].x;
            s.position[i].y += s.velocity[i].y;
        }
    }
}

typedef struct starved {
    chronicle  *book;
    kith_entity fish;
} starved;

// A fish that starves is destroyed at night, and its death event is delivered then. This command is
// called when all parts are done, on the thread of the pond.
static void starve(kith_world *world, const kith_commands *commands, const void *payload)
{
    const starved *s = payload;
    (void)commands;
    death_enqueue(s->book->deaths, (death){ s->fish, { 0, 0 }, kith_world_now(world) });
    kith_entity_destroy_later(s->book->commands, s->fish);
}

// Writes the energy of its fish. All else that it changes, it records as commands.
static void feed(const kith_part *part)
{
    const kith_world *world = part->turn->world;
    int               food  = season_get(world)->food;
    KITH_EACH_PART(eaters, fish, part)
    {
        int found = food - (int)(kith_entity_index(fish.entity) % 3);
        *fish.energy += *fish.energy < 100 ? found - 1 : -1;
        bool starving = *fish.energy < 20;
        if (starving != hungry_has(world, fish.entity)) {
            starving ? hungry_add_later(part->commands, fish.entity)
                     : hungry_remove_later(part->commands, fish.entity);
        }
        if (*fish.energy <= 0) {
            const starved gone = { part->turn->context, fish.entity };
            kith_world_call_later(part->commands, starve, &gone, sizeof gone);
        }
    }
}

// --- at night --------------------------------------------------------------------------------

static void record_death(kith_world *world, const death *event, void *context)
{
    chronicle *book = context;
    book->died++;
    book->last       = *event;
    book->last.place = *position_get(world, event->fish); // it is destroyed later in this night
}

static void bury(const kith_turn *turn)
{
    chronicle *book = turn->context;
    death_update(book->deaths); // calls record_death
    kith_commands_apply(book->commands, turn->world);
    kith_commands_clear(book->commands);
}

// --- at the end of a season ------------------------------------------------------------------

// Destroying a fish removes the links to it, so no fish follows a dead one.
static uint32_t count_followers(kith_world *world)
{
    uint32_t followers = 0;
    KITH_EACH(leaders, leader, world)
    {
        followers += leader.school->count;
    }
    return followers;
}

// The `changed` term counts from the previous turn, so the query finds the fish that swam this
// season.
static void count(const kith_turn *turn)
{
    chronicle  *book  = turn->context;
    kith_world *world = turn->world;
    uint32_t    swam  = 0;
    KITH_EACH_STORED(moved, fish, turn->query)
    {
        swam++;
    }
    if (!book->quiet) {
        printf("  %-7s %6u fish, %5u swam, %5u hungry, %5u elders, %5u follow one, %5u died\n",
               season_get(world)->name, energy_count(world), swam, hungry_count(world),
               elder_count(world), count_followers(world), book->died);
    }
    book->died = 0;
}

static void spawn(kith_commands *commands, uint32_t missing)
{
    for (uint32_t i = 0; i < missing; i++) {
        kith_entity fish = kith_entity_create_later(commands); // a placeholder, usable at once
        velocity_set_later(commands, fish, (vec2){ (float)(i % 7) - 3, (float)(i % 5) - 2 });
        uint64_t luck = kith_random(1, fish, 0, 0); // the same in every run
        energy_set_later(commands, fish, 40 + (int)kith_random_below(luck, 60));
    }
}

static void advance(const kith_turn *turn)
{
    chronicle *book = turn->context;
    season_set(turn->world, seasons[++book->passed % SEASONS]);
    if (book->passed % SEASONS == 0) {
        spawn(book->commands, FISH - energy_count(turn->world));
    }
}

static void wake(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    (void)context;
    kith_system_request(kith_system_find(world, "rest"));
}

// --- setup and reports -----------------------------------------------------------------------

#define IDS(...)                                                                                   \
    (const kith_component[])                                                                       \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static bool make_systems(kith_world *world, chronicle *book)
{
    const char            *resting[]  = { "rest" };
    const char            *swimming[] = { "swim" };
    const char            *counting[] = { "count" };
    const kith_system_desc systems[]  = {
         { .name         = "rest",
           .run          = rest,
           .reads        = IDS(SEASON, ENERGY),
           .read_count   = 2,
           .writes       = IDS(VELOCITY, ELDER),
           .write_count  = 2,
           .before       = swimming,
           .before_count = 1,
           .on_demand    = true },
         { .name         = "join",
           .run          = join,
           .context      = book,
           .reads        = IDS(ELDER),
           .read_count   = 1,
           .writes       = IDS(VELOCITY, SCHOOL),
           .write_count  = 2,
           .before       = swimming,
           .before_count = 1,
           .after        = resting,
           .after_count  = 1,
           .on_demand    = true,
           .on_set       = book->newborn },
         { .name = "swim", .part = swim, .query = swimmers_desc() },
         { .name        = "feed",
           .part        = feed,
           .context     = book,
           .query       = eaters_desc(),
           .reads       = IDS(SEASON),
           .read_count  = 1,
           .writes      = IDS(HUNGRY),
           .write_count = 1,
           .after       = resting,
           .after_count = 1 },
         { .name = "bury", .run = bury, .context = book, .phase = AT_NIGHT },
         { .name       = "count",
           .run        = count,
           .context    = book,
           .query      = moved_desc(),
           .reads      = IDS(ENERGY, HUNGRY, ELDER, SEASON, SCHOOL),
           .read_count = 5,
           .phase      = AT_THE_END,
           .interval   = DAYS },
         { .name        = "advance",
           .run         = advance,
           .context     = book,
           .reads       = IDS(ENERGY),
           .read_count  = 1,
           .writes      = IDS(SEASON),
           .write_count = 1,
           .phase       = AT_THE_END,
           .interval    = DAYS,
           .after       = counting,
           .after_count = 1 },
    };
    bool made = true;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        made = made && kith_system_create(world, &systems[i]) != NULL;
    }
    return made;
}

static bool open_pond(kith_world *world, chronicle *book)
{
    const kith_hierarchy_desc schools = { .name = "school", .id = SCHOOL };
    const kith_condition      born    = { ENERGY, KITH_ON_ADD };
    if (!pond_register(world) || kith_hierarchy_register(world, &schools) == 0) {
        return false;
    }
    book->newborn = kith_reactive_create(
        world,
        &(kith_reactive_desc){ .name = "newborn", .conditions = &born, .condition_count = 1 });
    if (book->newborn == NULL || !make_systems(world, book)) {
        return false;
    }
    book->commands = kith_commands_create(world, NULL);
    book->deaths   = death_of(world, 0);
    death_connect(book->deaths, record_death, book, 0);
    season_set(world, seasons[0]);
    season_on_set(world, wake, NULL);
    spawn(book->commands, FISH);
    return kith_commands_apply(book->commands, world) && kith_commands_clear(book->commands);
}

static void show_plan(kith_world *world)
{
    char text[2048];
    kith_schedule_explain(world, text, sizeof text);
    printf("%s", text);
}

static void show_turns(const kith_world *world)
{
    printf("\nTurns:");
    for (kith_system *s = kith_system_next(world, NULL); s != NULL;
         s              = kith_system_next(world, s)) {
        printf(" %s %llu", kith_system_describe(s)->name,
               (unsigned long long)kith_system_report_of(s).turns);
    }
    printf("\n");
}

static void show_stale_handle(kith_world *world, const death *last)
{
    kith_entity fish = last->fish;
    printf("\nEntity %uv%u starved at (%g, %g); its slot is at version %u now.\n",
           kith_entity_index(fish), kith_entity_version(fish), (double)last->place.x,
           (double)last->place.y,
           kith_entity_version(kith_entity_slot(world, kith_entity_index(fish))));
    printf("  alive: %s, position: %s, destroying it again: %s\n",
           kith_entity_alive(world, fish) ? "yes" : "no",
           position_get(world, fish) == NULL ? "none" : "there",
           kith_entity_destroy(world, fish) ? "done" : "nothing to do");
    if (position_set(world, fish, (vec2){ 0, 0 }) == NULL) {
        printf("  setting its position: %s\n", kith_error_code_name(kith_world_error(world).code));
    }
}

static void run_years(kith_world *world, const chronicle *book)
{
    for (int day = 0; day < YEARS * SEASONS * DAYS; day++) {
        if (day % (SEASONS * DAYS) == 0 && !book->quiet) {
            printf("Year %d\n", day / (SEASONS * DAYS) + 1);
        }
        kith_schedule_run(world, 1);
    }
}

// --- a second pond ---------------------------------------------------------------------------

static bool same_hash(const char *text, kith_world *a, kith_world *b)
{
    uint64_t here  = 0;
    uint64_t there = 1;
    bool     alike = kith_world_hash(a, KITH_ALL, &here) && kith_world_hash(b, KITH_ALL, &there) &&
                 here == there;
    printf("%s: %s\n", text, alike ? "the same hash" : "they differ");
    return alike;
}

// A snapshot does not contain pending commands, and a hash does not either: apply them first.
static bool apply_commands(kith_world *world, const chronicle *book)
{
    return kith_commands_apply(book->commands, world) && kith_commands_clear(book->commands);
}

// Runs a second pond for the same two years, without workers.
static bool lives_alike_on_one_thread(kith_world *world, chronicle *book)
{
    chronicle   other  = { .quiet = true };
    kith_world *second = kith_world_create(NULL);
    bool        opened = second != NULL && open_pond(second, &other);
    if (opened) {
        run_years(second, &other);
    }
    bool alike = opened && apply_commands(world, book) && apply_commands(second, &other) &&
                 same_hash("The same two years on one thread", world, second);
    kith_world_destroy(second);
    return alike;
}

// Each day of the week all fish swim, the first elder dies and one fish is born.
static void swim_for_a_week(kith_world *world)
{
    for (int day = 0; day < 7; day++) {
        KITH_EACH(swimmers, fish, world)
        {
            fish.position->x += fish.velocity->x;
        }
        kith_entity_destroy(world, elder_entity(world, 0));
        energy_set(world, kith_entity_create(world), day);
    }
}

// Saves the pond, loads it into another world, and runs both for a week: the hashes must be equal.
static bool goes_on_alike(kith_world *world)
{
    const kith_hierarchy_desc schools = { .name = "school", .id = SCHOOL };
    kith_bytes                bytes   = { .data = NULL };
    kith_world               *second  = kith_world_create(NULL);
    bool loaded = pond_register(second) && kith_hierarchy_register(second, &schools) != 0 &&
                  kith_world_save_memory(world, NULL, &bytes).code == KITH_OK &&
                  kith_world_load(second, NULL, bytes.data, bytes.size).code == KITH_OK;
    swim_for_a_week(world);
    swim_for_a_week(second);
    bool alike =
        same_hash("Saved, loaded into a second pond, and a week later", world, second) && loaded;
    kith_bytes_free(&bytes);
    kith_world_destroy(second);
    return alike;
}

int main(void)
{
    chronicle     book    = { 0 };
    const char   *reason  = NULL;
    kith_workers *workers = kith_workers_create(&(kith_workers_desc){ 0 }); // one for each core
    kith_world   *world   = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    if (world == NULL || workers == NULL || !open_pond(world, &book) ||
        !kith_world_use_workers(world, workers)) {
        return 1;
    }
    // A checked schedule reports a system that touches an undeclared component.
    kith_schedule_configure(world, &(kith_schedule_desc){ .checked = true });
    printf("A pond with %d fish. What happens each day:\n", FISH);
    show_plan(world);
    run_years(world, &book);
    if (kith_world_error(world).code != KITH_OK) {
        return 1; // a system touched an undeclared component
    }
    show_turns(world);
    show_stale_handle(world, &book.last);
    bool valid =
        kith_world_validate(world, &reason) && kith_hierarchy_validate(world, SCHOOL, &reason);
    printf("Every structure agrees with every other: %s\n", valid ? "yes" : reason);
    bool alike = lives_alike_on_one_thread(world, &book) && goes_on_alike(world);
    kith_world_destroy(world);
    kith_workers_destroy(workers);
    return valid && alike ? 0 : 1;
}
