// SPDX-License-Identifier: MIT
// A module of the program's own: a grid that says which entities are in a cell. It belongs to the
// world, so it is saved, loaded, hashed, compared, cloned and validated with the world.
#include <kith/diff.h>
#include <kith/object.h>
#include <kith/snapshot.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spot {
    float x, y;
} spot;

enum { SPOT = 1 };

KITH_FIELDS(spot, f32(x), f32(y));
KITH_COMPONENT_AS(spot, spot, SPOT, fields(spot));
KITH_QUERY(spots, read(spot));

// --- the module ------------------------------------------------------------------------------

#define EDGE 4u // cells in a row, and rows of cells

typedef struct grid {
    kith_object  object;                 // first: the world knows it by this
    float        cell;                   // length of a cell's edge
    uint32_t     start[EDGE * EDGE + 1]; // the entities of cell c: start[c] .. start[c + 1] - 1
    kith_entity *entities;               // by cell; start[EDGE * EDGE] of them
} grid;

static uint32_t count_of(const grid *g)
{
    return g->start[EDGE * EDGE];
}

static kith_object *create_grid(kith_world *world, const char *key)
{
    grid *g = calloc(1, sizeof *g);
    (void)world;
    (void)key;
    if (g == NULL) {
        return NULL;
    }
    g->cell = 1;
    return &g->object;
}

static void destroy_grid(kith_object *object)
{
    free(((grid *)object)->entities);
    free(object);
}

static size_t grid_bytes(const kith_object *object)
{
    return sizeof(grid) + count_of((const grid *)object) * sizeof(kith_entity);
}

static void clear_grid(kith_object *object)
{
    memset(((grid *)object)->start, 0, sizeof((grid *)object)->start);
}

// Saving, loading, hashing and comparing all walk these items.
static bool grid_state(kith_object *object, kith_state *state)
{
    grid *g = (grid *)object;
    if (!state->item(state, "cell", KITH_TYPE_F32, &g->cell, 1) ||
        !state->item(state, "start", KITH_TYPE_U32, g->start, EDGE * EDGE + 1)) {
        return false;
    }
    for (uint32_t c = 0; c < EDGE * EDGE; c++) {
        if (g->start[c] > g->start[c + 1]) {
            return false; // a file may say anything
        }
    }
    if (state->reading) {
        size_t bytes = count_of(g) * sizeof *g->entities;
        g->entities  = bytes > state->left ? NULL : malloc(bytes + 1);
        if (g->entities == NULL) {
            state->no_memory = bytes <= state->left;
            return false;
        }
    }
    return state->item(state, "entities", KITH_TYPE_ENTITY, g->entities, count_of(g));
}

static bool validate_grid(const kith_object *object, const char **reason)
{
    const grid *g = (const grid *)object;
    for (uint32_t i = 0; i < count_of(g); i++) {
        if (!spot_has(object->world, g->entities[i])) {
            *reason = "the grid has an entity without a spot";
            return false;
        }
    }
    return true;
}

static const kith_object_ops grid_ops = {
    .kind     = "grid",
    .size     = sizeof(grid),
    .create   = create_grid,
    .destroy  = destroy_grid,
    .state    = grid_state,
    .clear    = clear_grid,
    .bytes    = grid_bytes,
    .validate = validate_grid,
};

static grid *grid_of(kith_world *world)
{
    return (grid *)kith_object_of(world, &grid_ops, "spots");
}

static uint32_t cell_of(const grid *g, const spot *at)
{
    return (uint32_t)(at->y / g->cell) % EDGE * EDGE + (uint32_t)(at->x / g->cell) % EDGE;
}

// Sorts all entities into their cells: counts, adds up, distributes.
static bool update_grid(grid *g)
{
    kith_world  *world = g->object.world;
    uint32_t     next[EDGE * EDGE];
    kith_entity *entities = realloc(g->entities, (spot_count(world) + 1) * sizeof *entities);
    if (entities == NULL) {
        return false;
    }
    g->entities = entities;
    memset(g->start, 0, sizeof g->start);
    KITH_EACH(spots, s, world)
    {
        g->start[cell_of(g, s.spot) + 1]++;
    }
    for (uint32_t c = 0; c < EDGE * EDGE; c++) {
        g->start[c + 1] += g->start[c];
        next[c] = g->start[c];
    }
    KITH_EACH(spots, s, world)
    {
        entities[next[cell_of(g, s.spot)]++] = s.entity;
    }
    return true;
}

// --- the program -----------------------------------------------------------------------------

static void print_grid(const char *title, grid *g)
{
    printf("%s:", title);
    for (uint32_t c = 0; c < EDGE * EDGE; c++) {
        for (uint32_t i = g->start[c]; i < g->start[c + 1]; i++) {
            printf(" %" PRIu32 "@%" PRIu32, kith_entity_index(g->entities[i]), c);
        }
    }
    printf("\n");
}

static uint64_t hash_of(kith_world *world)
{
    uint64_t hash = 0;
    kith_world_hash(world, KITH_ALL, &hash);
    return hash;
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !spot_register(world)) {
        return 1;
    }
    for (uint32_t i = 0; i < 6; i++) {
        spot_set(world, kith_entity_create(world), (spot){ (float)(i % 3), (float)(i / 2) });
    }
    grid *g = grid_of(world);
    if (g == NULL || !update_grid(g)) {
        return 1;
    }
    print_grid("the world's grid", g);

    kith_bytes saved = { 0 };
    uint64_t   hash  = hash_of(world);
    if (kith_world_save_memory(world, NULL, &saved).code != KITH_OK) {
        return 1;
    }

    kith_world *twin = kith_world_clone(world, NULL);
    print_grid("the clone's grid", grid_of(twin));
    printf("same hash: %s\n", hash_of(twin) == hash ? "yes" : "no");

    spot_set(world, kith_entity_make(0, 1), (spot){ 3, 3 });
    update_grid(g);
    print_grid("after a move", g);
    printf("same hash: %s\n", hash_of(world) == hash ? "yes" : "no");
    kith_diff diff = { 0 };
    kith_world_diff(twin, world, &diff);
    printf("%" PRIu64 " differences; the first: %s\n", diff.count, diff.text);

    kith_world_load(world, NULL, saved.data, saved.size);
    print_grid("loaded", g);
    printf("same hash: %s\n", hash_of(world) == hash ? "yes" : "no");

    const char *reason = "";
    printf("valid: %s\n", kith_world_validate(world, &reason) ? "yes" : reason);
    spot_remove(world, kith_entity_make(0, 1)); // and the grid is not updated
    printf("valid: %s\n", kith_world_validate(world, &reason) ? "yes" : reason);

    kith_bytes_free(&saved);
    kith_world_destroy(twin);
    kith_world_destroy(world);
    return 0;
}
