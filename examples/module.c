// SPDX-License-Identifier: MIT
// A module of the program's own: a grid that says which entities are in a cell. It belongs to the
// world, so it is saved, loaded, hashed, compared, cloned and validated with the world. Look at the
// loaded grid: one function, grid_state, does all that.
#include <kith/diff.h>
#include <kith/object.h>
#include <kith/snapshot.h>

#include <stdio.h>
#include <stdlib.h>

enum { SPOT = 1 };

KITH_COMPONENT_AS(spot, uint32_t, SPOT, plain(4)); // the cell that the entity is in

// --- the module ------------------------------------------------------------------------------

typedef struct grid {
    kith_object  object; // first: the world knows it by this
    uint32_t     size[2];
    kith_entity *cells; // size[0] x size[1], each with the entity in it
} grid;

static uint32_t cells_of(const grid *g)
{
    return g->size[0] * g->size[1];
}

static kith_object *create_grid(kith_world *world, const char *key)
{
    grid *g = calloc(1, sizeof *g);
    (void)world, (void)key;
    return g == NULL ? NULL : &g->object;
}

static void destroy_grid(kith_object *object)
{
    free(((grid *)object)->cells);
    free(object);
}

// All entities are gone.
static void clear_grid(kith_object *object)
{
    grid *g = (grid *)object;
    for (uint32_t i = 0; i < cells_of(g); i++) {
        g->cells[i] = KITH_NULL;
    }
}

// Saving, loading, hashing and comparing all walk these items.
static bool grid_state(kith_object *object, kith_state *state)
{
    grid *g = (grid *)object;
    if (!state->item(state, "size", KITH_TYPE_U32, g->size, 2) || g->size[0] > 1000 ||
        g->size[1] > 1000 || (state->reading && cells_of(g) > state->left / 8)) {
        return false; // a file may say anything: first compare, then allocate
    }
    if (state->reading) {
        g->cells         = malloc((cells_of(g) + 1) * sizeof *g->cells);
        state->no_memory = g->cells == NULL;
    }
    return !state->no_memory &&
           state->item(state, "cells", KITH_TYPE_ENTITY, g->cells, cells_of(g));
}

static bool validate_grid(const kith_object *object, const char **reason)
{
    const grid *g    = (const grid *)object;
    uint32_t    cell = 0;
    while (cell < cells_of(g) &&
           (g->cells[cell] == KITH_NULL || spot_has(object->world, g->cells[cell]))) {
        cell++;
    }
    *reason = "the grid has an entity without a spot";
    return cell == cells_of(g);
}

static const kith_object_ops grid_ops = {
    .kind     = "grid",
    .size     = sizeof(grid),
    .create   = create_grid,
    .destroy  = destroy_grid,
    .state    = grid_state,
    .clear    = clear_grid,
    .validate = validate_grid,
};

static void put(grid *g, kith_entity entity, uint32_t cell)
{
    if (spot_has(g->object.world, entity)) {
        g->cells[*spot_get(g->object.world, entity)] = KITH_NULL;
    }
    g->cells[cell] = entity;
    spot_set(g->object.world, entity, cell);
}

// --- the program -----------------------------------------------------------------------------

static void print_grid(const char *title, kith_world *world)
{
    const grid *g      = (grid *)kith_object_of(world, &grid_ops, "spots");
    uint64_t    hash   = 0;
    const char *reason = "";
    printf("%-10s", title);
    for (uint32_t i = 0; i < cells_of(g); i++) {
        printf(i % g->size[0] == 0 ? " %c" : "%c", ".#"[g->cells[i] != KITH_NULL]);
    }
    kith_world_hash(world, KITH_ALL, &hash);
    printf("  hash %04x, valid: %s\n", (unsigned)(hash & 0xffff),
           kith_world_validate(world, &reason) ? "yes" : reason);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !spot_register(world)) {
        return 1;
    }
    grid *g = (grid *)kith_object_of(world, &grid_ops, "spots");
    if (g == NULL || (g->cells = calloc(18, sizeof *g->cells)) == NULL) {
        return 1;
    }
    g->size[0] = 6, g->size[1] = 3;
    for (uint32_t i = 0; i < 4; i++) {
        put(g, kith_entity_create(world), i * 2);
    }
    kith_bytes  saved = { 0 };
    kith_diff   diff  = { 0 };
    kith_world *twin  = kith_world_clone(world, NULL);
    bool        right = kith_world_save_memory(world, NULL, &saved).code == KITH_OK && twin != NULL;
    print_grid("the world:", world);
    print_grid("its clone:", twin);
    put(g, kith_entity_make(0, 1), 17);
    print_grid("moved:", world);
    right = kith_world_diff(twin, world, &diff) && diff.count == 3 && right;
    printf("%u differences to the clone, the first: %s\n", (unsigned)diff.count, diff.text);
    right = kith_world_load(world, NULL, saved.data, saved.size).code == KITH_OK && right;
    print_grid("loaded:", world);
    right = kith_world_diff(twin, world, &diff) && diff.count == 0 && right;
    spot_remove(world, kith_entity_make(0, 1)); // and nothing tells the grid
    print_grid("removed:", world);
    right = !kith_world_validate(world, NULL) && right;
    kith_bytes_free(&saved);
    kith_world_destroy(twin);
    kith_world_destroy(world);
    return right ? 0 : 1;
}
