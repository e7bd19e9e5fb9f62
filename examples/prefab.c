// SPDX-License-Identifier: MIT
// Prefabs: an entity is a template, and its clones are what the game plays with. Look at the squad:
// the riders name their own horses, not those of the template.
#include <kith/kith.h>
#include <kith/snapshot.h>

#include <stdio.h>

typedef struct soldier {
    int         health, attack;
    kith_entity horse;
} soldier;

typedef struct template_name {
    const char *text;
} template_name;

enum { SOLDIER = 1, HORSE, TEMPLATE, ARMED };

// Clones do not have what marks a template, so queries tell templates and instances apart.
static const kith_traits template_traits = { .not_cloned = true };

KITH_FIELDS(soldier, i32(health), i32(attack), entity(horse));
KITH_COMPONENT_AS(soldier, soldier, SOLDIER, fields(soldier)); // the table shows the handle
KITH_COMPONENT(horse, int, HORSE);
KITH_COMPONENT_WITH(template_name, template_name, TEMPLATE, template_traits);
KITH_FLAG(armed, ARMED);
KITH_MODULE(army, soldier, horse, template_name, armed);
KITH_QUERY(soldiers, read(soldier), without(template_name));
KITH_QUERY(templates, read(template_name));

static kith_entity find_template(const kith_world *world, const char *text)
{
    templates t = templates_begin_read(world);
    while (templates_next(&t)) {
        if (t.template_name->text == text) {
            return t.entity;
        }
    }
    return KITH_NULL;
}

static const char guard_name[] = "guard";
static const char rider_name[] = "rider";

static void make_templates(kith_world *world)
{
    kith_entity guard = kith_entity_create(world);
    template_name_set(world, guard, (template_name){ guard_name });
    soldier_set(world, guard, (soldier){ 10, 2, KITH_NULL });
    armed_add(world, guard);

    kith_entity rider = kith_entity_create(world);
    kith_entity horse = kith_entity_create(world);
    template_name_set(world, rider, (template_name){ rider_name });
    horse_set(world, horse, 30);
    soldier_set(world, rider, (soldier){ 8, 5, horse });
}

static void print_army(kith_world *world, const char *title)
{
    printf("%s:", title);
    KITH_EACH(soldiers, s, world)
    {
        printf(" %d/%d%s", s.soldier->health, s.soldier->attack,
               armed_has(world, s.entity) ? " armed" : "");
        const int *speed = horse_get(world, s.soldier->horse);
        if (speed != NULL) {
            printf(" on %u (speed %d)", kith_entity_index(s.soldier->horse), *speed);
        }
        printf(",");
    }
    printf(" soldiers: %u\n", soldiers_count(world));
}

int main(void)
{
    kith_world *lobby = kith_world_create(&(kith_world_desc){ .name = "lobby" });
    kith_world *arena = kith_world_create(&(kith_world_desc){ .name = "arena" });
    if (lobby == NULL || arena == NULL || !army_register(lobby) || !army_register(arena)) {
        return 1;
    }
    make_templates(lobby);
    print_army(lobby, "templates only");

    // Many copies of one entity: one batch.
    kith_entity guards[4];
    bool right = kith_entity_clone_many(lobby, find_template(lobby, guard_name), guards, 4) &&
                 soldiers_count(lobby) == 4;
    soldier_mut(lobby, guards[0])->health = 3; // an instance is an ordinary entity
    soldier_mut(lobby, find_template(lobby, guard_name))->attack = 3; // for clones to come
    right = kith_entity_clone_many(lobby, find_template(lobby, guard_name), guards, 1) && right;
    print_army(lobby, "guards");

    // Entities that refer to each other: cloned together, their handles lead to the clones. The
    // clones may be in another world.
    kith_entity       rider    = find_template(lobby, rider_name);
    const kith_entity pair[]   = { rider, soldier_get(lobby, rider)->horse };
    kith_entity       squad[4] = { KITH_NULL };
    kith_entity_create(arena); // so that the handles differ
    right = kith_entities_clone(arena, lobby, pair, 2, squad) && right;
    right = kith_entities_clone(arena, lobby, pair, 2, squad + 2) && right;
    print_army(arena, "riders in the arena");
    right = right && soldier_get(arena, squad[0])->horse == squad[1] &&
            soldier_get(arena, squad[2])->horse == squad[3] && !template_name_has(arena, squad[0]);

    // A level that starts again and again: a clone of the whole world.
    kith_world *again = kith_world_clone(arena, NULL);
    kith_entity_destroy(arena, squad[2]);
    soldier_mut(arena, squad[0])->health = 1;
    print_army(arena, "after a fight");
    print_army(again, "the level again");
    right = right && soldiers_count(again) == 2 && soldiers_count(arena) == 1;
    kith_world_destroy(again);
    kith_world_destroy(arena);
    kith_world_destroy(lobby);
    return right ? 0 : 1;
}
