// SPDX-License-Identifier: MIT
// A scene: positions relative to a parent. The rows are sorted breadth-first, so that one loop over
// plain arrays computes each parent before its children. Look at the rows: after each change
// every parent is in front of its children.
#include <kith/hierarchy.h>

#include <stdio.h>

typedef struct spot {
    float x, y;   // relative to the parent
    float wx, wy; // in the world
} spot;

enum { SCENE = 1, SPOT, NAME };

KITH_COMPONENT(scene, kith_node, SCENE);
KITH_COMPONENT(spot, spot, SPOT);
KITH_COMPONENT(name, const char *, NAME);
KITH_MODULE(game, scene, spot, name);

KITH_QUERY(placed, lead(scene), read(scene), write(spot));

static kith_entity spawn(kith_world *world, kith_entity parent, const char *name, float x, float y)
{
    kith_entity entity = kith_entity_create(world);
    name_set(world, entity, name);
    spot_set(world, entity, (spot){ .x = x, .y = y });
    scene_add(world, entity);
    if (parent != KITH_NULL) {
        kith_hierarchy_append(world, SCENE, parent, entity);
    }
    return entity;
}

// The hierarchy changes rarely, so most rows are in place already and sorting is cheap.
static void put_in_order(kith_world *world)
{
    kith_hierarchy_sort(world, SCENE);
    spot_sort_as(world, SCENE);
}

static void update_spots(kith_world *world)
{
    KITH_EACH(placed, p, world)
    {
        const spot *parent = spot_get(world, p.scene->parent);
        p.spot->wx         = p.spot->x + (parent == NULL ? 0 : parent->wx);
        p.spot->wy         = p.spot->y + (parent == NULL ? 0 : parent->wy);
    }
}

static void print_scene(const kith_world *world, kith_entity top)
{
    for (kith_entity e = top; e != KITH_NULL; e = kith_hierarchy_next(world, SCENE, top, e)) {
        printf("%*s%s at %g %g\n", 2 + 2 * (int)kith_hierarchy_depth(world, SCENE, e), "",
               *name_get(world, e), spot_get(world, e)->wx, spot_get(world, e)->wy);
    }
}

static void print_rows(const kith_world *world)
{
    printf("rows:");
    for (uint32_t row = 0; row < scene_rows(world); row++) {
        printf(" %s", *name_get(world, scene_entity(world, row)));
    }
    printf("\n");
}

static int compare_names(kith_entity a, kith_entity b, void *context)
{
    kith_world *world = context;
    return **name_get(world, a) - **name_get(world, b);
}

static void show(kith_world *world, const char *title, kith_entity top)
{
    put_in_order(world);
    update_spots(world);
    printf("%s\n", title);
    print_scene(world, top);
    print_rows(world);
}

int main(void)
{
    const kith_hierarchy_desc desc  = { "scene", SCENE, KITH_CHILDREN_DESTROY, false };
    kith_world               *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world) || kith_hierarchy_register(world, &desc) == 0) {
        return 1;
    }
    kith_entity harbour = spawn(world, KITH_NULL, "harbour", 100, 0);
    kith_entity ship    = spawn(world, harbour, "ship", 10, 5);
    kith_entity crane   = spawn(world, harbour, "crane", 1, 1);
    kith_entity mast    = spawn(world, ship, "mast", 0, 3);
    kith_entity crate   = spawn(world, crane, "crate", 2, 0);
    spawn(world, mast, "flag", 0, 1);
    show(world, "in the harbour", harbour);

    kith_hierarchy_insert(world, SCENE, ship, crate, mast); // in front of the mast
    kith_hierarchy_sort_children(world, SCENE, harbour, compare_names, world);
    show(world, "the crate is loaded, the crane sorted to the front", harbour);

    kith_hierarchy_detach(world, SCENE, ship);
    show(world, "the ship sails", ship);

    printf("the mast below itself: %d\n", kith_hierarchy_is_below(world, SCENE, mast, mast) ||
                                              kith_hierarchy_is_below(world, SCENE, ship, mast));
    kith_entity_destroy(world, ship);
    printf("the ship sinks, with all on board: %u left\n", kith_entity_count(world));
    print_rows(world);
    kith_world_destroy(world);
    return 0;
}
