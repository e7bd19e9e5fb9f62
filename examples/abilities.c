// SPDX-License-Identifier: MIT
// Sets of components: what an entity is able to do is what it has. Look at the doors: a door asks
// for a set, and an entity passes if its own set contains it. No door knows a component.
#include <kith/kith.h>

#include <stdio.h>

typedef struct strength {
    int kg;
} strength;

enum { STRENGTH = 1, FLIES, SWIMS, KEY, CURSED };

KITH_COMPONENT(strength, strength, STRENGTH);
KITH_TAG(flies, FLIES);
KITH_TAG(swims, SWIMS);
KITH_FLAG(key, KEY);
KITH_FLAG(cursed, CURSED);
KITH_MODULE(creature, strength, flies, swims, key, cursed);

typedef struct door {
    const char    *name;
    kith_signature needs;   // all of them
    kith_signature forbids; // each of them
} door;

// A signature belongs to the world whose components it has.
static kith_signature set_of(const kith_world *world, const kith_component *list, uint32_t count)
{
    kith_signature set = { { 0 } };
    for (uint32_t i = 0; i < count; i++) {
        kith_signature_add(world, &set, list[i]);
    }
    return set;
}

static bool passes(const kith_world *world, kith_entity entity, const door *d)
{
    kith_signature has = kith_entity_signature(world, entity);
    return kith_signature_contains(&has, &d->needs) &&
           !kith_signature_intersects(&has, &d->forbids);
}

static void print_set(const kith_world *world, const kith_signature *set)
{
    printf("{");
    for (kith_component c = 0; (c = kith_component_next(world, c)) != 0;) {
        if (kith_signature_has(world, set, c)) {
            printf(" %s", kith_component_describe(world, c)->name);
        }
    }
    printf(" }");
}

static uint32_t print_doors(const kith_world *world, const door *doors, const kith_entity *entities)
{
    uint32_t passed = 0;
    for (int d = 0; d < 3; d++) {
        printf("%-8s needs ", doors[d].name);
        print_set(world, &doors[d].needs);
        printf(" forbids ");
        print_set(world, &doors[d].forbids);
        printf(": open for");
        for (uint32_t i = 0; i < 4; i++) {
            if (passes(world, entities[i], &doors[d])) {
                printf(" %u", i);
                passed++;
            }
        }
        printf("\n");
    }
    return passed;
}

static void print_entity(const kith_world *world, uint32_t number, kith_entity entity)
{
    kith_component list[8];
    uint32_t       count = kith_entity_components(world, entity, list, 8);
    printf("%u has %u:", number, count);
    for (uint32_t i = 0; i < count; i++) {
        printf(" %s", kith_component_describe(world, list[i])->name);
    }
    printf("\n");
}

// Becomes something else: it has exactly these from now on. A strength that it had stays; a new one
// is the default, 0.
static bool become_bird(kith_world *world, const kith_entity *entities, uint32_t count)
{
    const kith_values bird[] = { strength_all(NULL), flies_all() };
    return kith_entity_set_components(world, kith_entities_of(entities, count), bird, 2);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    kith_entity creatures[4];
    if (world == NULL || !creature_register(world) ||
        !kith_entity_create_many(world, creatures, 4, NULL, 0)) {
        return 1;
    }
    const kith_component all[]    = { STRENGTH, FLIES, SWIMS, KEY, CURSED };
    const door           doors[3] = {
                  { "lake", set_of(world, &all[2], 1), { { 0 } } },
                  { "cage", set_of(world, &all[0], 1), set_of(world, &all[1], 2) },
                  { "treasury", set_of(world, &all[3], 1), set_of(world, &all[4], 1) },
    };
    kith_signature everything = set_of(world, all, 5);
    bool           right      = kith_signature_count(&everything) == 5 &&
                 kith_signature_reserve(world, &everything, 4); // no add below needs memory

    strength_fill_many(world, creatures, 2, (strength){ 100 });
    swims_add_many(world, &creatures[1], 3);
    key_add_many(world, creatures, 4);
    cursed_add(world, creatures[3]);
    for (uint32_t i = 0; i < 4; i++) {
        print_entity(world, i, creatures[i]);
    }
    right = print_doors(world, doors, creatures) == 3 + 1 + 3 && right;

    const kith_component curse[] = { CURSED, SWIMS };
    printf("3 is cured, and cannot swim any more; 0 and 2 become birds\n");
    right = kith_entity_remove_many(world, kith_entities_of(&creatures[3], 1), curse, 2) && right;
    right = become_bird(world, (const kith_entity[]){ creatures[0], creatures[2] }, 2) && right;
    print_entity(world, 2, creatures[2]);
    right = print_doors(world, doors, creatures) == 1 + 0 + 2 && right;

    // The strengths of all at once: a NULL where there is none.
    const strength *found[4];
    uint32_t        count = strength_get_many(world, creatures, 4, found);
    right = right && count == 3 && found[0]->kg == 100 && found[2]->kg == 0 && found[3] == NULL;
    kith_signature without_key = everything;
    right                      = kith_signature_remove(world, &without_key, KEY) && right &&
            kith_signature_contains(&everything, &without_key) &&
            !kith_signature_contains(&without_key, &everything);
    kith_world_destroy(world);
    return right ? 0 : 1;
}
