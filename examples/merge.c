// SPDX-License-Identifier: MIT
// Two people edit one map, each in a world of their own, and Bob merges Ada's snapshots. Look at
// the door after the second exchange: it has Ada's lock, and is where Bob had moved it.
#include <kith/kith.h>
#include <kith/merge.h>
#include <kith/snapshot.h>

#include <stdio.h>

typedef struct thing {
    char        title[12];
    int32_t     x, y;
    kith_entity leads_to;
} thing;

enum { THING = 1, LOCKED, SELECTED };

KITH_FIELDS(thing, chars(title), i32(x), i32(y), entity(leads_to));
KITH_COMPONENT_AS(thing, thing, THING, fields(thing));
KITH_FLAG(locked, LOCKED);
KITH_FLAG(selected, SELECTED);
KITH_MODULE(map, thing, locked, selected);
KITH_QUERY(things, read(thing));

static void print_map(kith_world *world)
{
    printf("%-6s", kith_world_name(world));
    KITH_EACH(things, t, world)
    {
        const thing *target = thing_get(world, t.thing->leads_to);
        printf(" %s%s%s(%d, %d)%s%s", selected_has(world, t.entity) ? "*" : "", t.thing->title,
               locked_has(world, t.entity) ? "!" : "", t.thing->x, t.thing->y,
               target == NULL ? "" : "->", target == NULL ? "" : target->title);
    }
    printf("\n");
}

static kith_entity add(kith_world *world, thing value)
{
    kith_entity entity = kith_entity_create(world);
    thing_set(world, entity, value);
    return entity;
}

// Sends what `from` has of the map, but not what is selected there.
static bool send(const kith_world *from, kith_merge *to)
{
    const kith_component sent[] = { THING, LOCKED };
    const kith_save_desc part   = { .components = sent, .component_count = 2 };
    kith_bytes           bytes  = { 0 };
    kith_result          result = kith_world_save_memory(from, &part, &bytes);
    if (result.code == KITH_OK) {
        result = kith_merge_apply(to, NULL, bytes.data, bytes.size);
    }
    if (result.code != KITH_OK) {
        printf("%s\n", result.message);
    }
    kith_bytes_free(&bytes);
    return result.code == KITH_OK;
}

static kith_world *new_world(const char *name)
{
    kith_world *world = kith_world_create(&(kith_world_desc){ .name = name });
    if (world != NULL && !map_register(world)) {
        kith_world_destroy(world);
        return NULL;
    }
    return world;
}

int main(void)
{
    kith_world *ada = new_world("Ada:");
    kith_world *bob = new_world("Bob:");
    if (ada == NULL || bob == NULL) {
        return 1;
    }
    kith_merge *from_ada = kith_merge_create(bob); // remembers what came from Ada's world

    // Bob has a thing of his own: the handles of the two worlds differ.
    kith_entity well  = add(bob, (thing){ "well", 0, 0, KITH_NULL });
    kith_entity cave  = add(ada, (thing){ "cave", 5, 5, KITH_NULL });
    kith_entity door  = add(ada, (thing){ "door", 1, 2, cave });
    kith_entity tree  = add(ada, (thing){ "tree", 9, 0, KITH_NULL });
    bool        right = send(ada, from_ada);
    print_map(bob);
    kith_entity door_here = kith_merge_local(from_ada, door);
    kith_entity tree_here = kith_merge_local(from_ada, tree);
    right = right && door_here != door && kith_merge_remote(from_ada, door_here) == door;

    // Both go on. Bob moves the door and cuts the tree; Ada locks the door and moves the cave.
    thing_mut(bob, door_here)->x = 100;
    selected_add(bob, door_here);
    kith_entity_destroy(bob, tree_here);
    locked_add(ada, door);
    thing_mut(ada, cave)->y = 6;
    kith_entity rock        = add(ada, (thing){ "rock", 2, 2, KITH_NULL });
    selected_add(ada, rock);
    printf("before the second exchange:\n");
    print_map(ada);
    print_map(bob);

    // Only what changed in Ada's world since the first snapshot reaches Bob's.
    right = send(ada, from_ada) && right;
    printf("after it:\n");
    print_map(bob);
    right = right && thing_get(bob, door_here)->x == 100 && locked_has(bob, door_here) &&
            !kith_entity_alive(bob, tree_here) && thing_count(bob) == 4 &&
            !selected_has(bob, kith_merge_local(from_ada, rock));

    // A value that changes there replaces the one here; an entity that ends there ends here.
    thing_mut(ada, door)->y = 3;
    kith_entity_destroy(ada, cave);
    right = send(ada, from_ada) && right;
    printf("Ada moves the door and removes the cave:\n");
    print_map(bob);
    right = right && thing_get(bob, door_here)->x == 1 && thing_get(bob, well) != NULL &&
            thing_get(bob, door_here)->leads_to == KITH_NULL;
    kith_world_destroy(bob);
    kith_world_destroy(ada);
    return right ? 0 : 1;
}
