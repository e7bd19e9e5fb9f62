// SPDX-License-Identifier: MIT
// A world in one block of memory, with limits: for a machine that cannot give more. Look at the
// errors: each call that reaches a limit says which, changes nothing, and the game goes on.
#include <kith/kith.h>

#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 * 1024, SHIPS = 40, SHOTS = 8 };

typedef struct vec2 {
    float x, y;
} vec2;

typedef struct log_text {
    char     last[160];
    uint32_t errors;
} log_text;

enum { PLACE = 1, SHOT, CARGO };

// Rows of cargo never move, so pointers to cargo stay right; its pool has holes instead.
static const kith_traits cargo_traits = { .policy = KITH_POLICY_STABLE };

KITH_COMPONENT(place, vec2, PLACE);
KITH_TAG(shot, SHOT);
KITH_COMPONENT_WITH(cargo, vec2, CARGO, cargo_traits);
KITH_MODULE(game, place, shot, cargo);
KITH_QUERY(shots, with(shot));

static void keep_error(const kith_world *world, const kith_error *error, void *context)
{
    log_text *log = context;
    kith_error_text(world, error, log->last, sizeof log->last);
    log->errors++;
}

// Prints the newest error, and forgets it.
static kith_error_code report(kith_world *world)
{
    const log_text *log   = kith_world_user(world);
    kith_error      error = kith_world_error(world);
    printf("  %s: %s\n", kith_error_code_name(error.code), log->last);
    kith_world_error_clear(world);
    return error.code;
}

// All limits are set, and all memory for them is used, before the game begins.
static bool prepare(kith_world *world)
{
    const kith_reserve_desc room = {
        .entities = SHIPS + SHOTS, .loops = 1, .terms = 4, .batch = 8
    };
    return kith_entity_limit_set(world, SHIPS + SHOTS) && shot_limit_set(world, SHOTS) &&
           cargo_limit_set(world, 4) && kith_world_reserve(world, &room);
}

static bool fire(kith_world *world)
{
    kith_entity one = kith_entity_create(world);
    if (one == KITH_NULL) {
        return false;
    }
    if (!shot_add(world, one)) { // an entity without a shot is of no use
        kith_entity_destroy(world, one);
        return false;
    }
    return place_set(world, one, (vec2){ 0, 0 }) != NULL;
}

// A new shot takes the place of the oldest one.
static bool fire_always(kith_world *world)
{
    if (shot_count(world) == shot_stats(world).limit) {
        kith_entity_destroy(world, shots_first(world));
    }
    return fire(world);
}

// The world is held by no loop, but as in one: what is removed stays where it is until the end.
static bool swap_cargo(kith_world *world, const kith_entity *ships)
{
    const vec2 *kept  = cargo_get(world, ships[0]);
    bool        right = kith_world_hold(world) && cargo_remove(world, ships[0]) && kept->x == 0;
    right             = right && !cargo_set(world, ships[9], (vec2){ 9, 9 }); // no row is free yet
    right             = kith_world_release(world) && right;
    return cargo_set(world, ships[9], (vec2){ 9, 9 }) == kept && right; // now it is
}

int main(void)
{
    log_text    log   = { "", 0 };
    kith_world *world = kith_world_create(&(kith_world_desc){
        .memory = BLOCK, .on_error = keep_error, .error_context = &log, .name = "console" });
    kith_entity ships[SHIPS];
    if (world == NULL || !game_register(world) || !prepare(world)) {
        return 1;
    }
    kith_world_user_set(world, &log);
    size_t used = kith_world_memory(world, KITH_ALL).total;

    for (uint32_t i = 0; i < SHIPS; i++) {
        ships[i] = kith_entity_create(world);
        place_set(world, ships[i], (vec2){ (float)i, 0 });
    }
    uint32_t fired = 0;
    while (fired < 100 && fire(world)) {
        fired++;
    }
    printf("%u shots fired, then:\n", fired);
    bool right = fired == SHOTS && report(world) == KITH_ERROR_LIMIT;
    for (int i = 0; i < 100; i++) {
        right = fire_always(world) && right;
    }
    printf("100 more fired, %u fly\n", shot_count(world));

    printf("a fifth cargo:\n");
    for (uint32_t i = 0; i < 5; i++) {
        cargo_set(world, ships[i], (vec2){ (float)i, 0 });
    }
    right = report(world) == KITH_ERROR_LIMIT && cargo_count(world) == 4 && right;
    printf("a cargo for a row that is not free before the end of the loop:\n");
    right = swap_cargo(world, ships) && report(world) == KITH_ERROR_LIMIT && right;

    right = right && kith_world_memory(world, KITH_ALL).total == used;
    printf("the game allocated %s; more than the block is refused:\n",
           right ? "nothing" : "memory");
    kith_entity_limit_set(world, 1000000);
    right                            = !kith_entity_reserve(world, 1000000) && right;
    log.last[strcspn(log.last, ":")] = '\0'; // the rest has numbers of this machine
    right                            = report(world) == KITH_ERROR_MEMORY && right;

    cargo_remove(world, ships[1]); // holes are closed when the program says so
    uint32_t rows = cargo_rows(world);
    right         = cargo_compact(world) && cargo_rows(world) == 3 && rows == 4 && right;
    kith_world_clear(world); // all entities go, the memory stays
    right = right && kith_entity_count(world) == 0 && fire(world) && log.errors == 4;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
