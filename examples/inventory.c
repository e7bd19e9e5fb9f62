// SPDX-License-Identifier: MIT
// References between entities: items know their owner, an owner knows its items. Look at what the
// end of the knight does: items fall to the ground, the gem in the sword stays in the sword, the
// curse of the knight is gone with it, and the bank does not let a debtor go.
#include <kith/kith.h>
#include <kith/link.h>

#include <stdio.h>

typedef struct label {
    const char *text;
} label;

enum { LABEL = 1, CARRIED_BY, PART_OF, HAUNTS, LENDS_TO };

KITH_COMPONENT(label, label, LABEL);
KITH_LINK(carried_by, CARRIED_BY, KITH_TARGET_CLEAR); // the item stays, without the link
KITH_LINK(part_of, PART_OF, KITH_TARGET_DESTROY);     // the part goes with the whole
KITH_LINK(haunts, HAUNTS, KITH_TARGET_DESTROY);
KITH_LINK(lends_to, LENDS_TO, KITH_TARGET_REFUSE); // the target cannot be destroyed
KITH_MODULE(inventory, label, carried_by, part_of, haunts, lends_to);
KITH_QUERY(on_ground, read(label), without(carried_by), without(part_of));

static kith_entity make(kith_world *world, const char *text)
{
    kith_entity entity = kith_entity_create(world);
    label_set(world, entity, (label){ text });
    return entity;
}

static const char *text_of(const kith_world *world, kith_entity entity)
{
    const label *found = label_get(world, entity);
    return found == NULL ? "(none)" : found->text;
}

static void print_bag(const kith_world *world, kith_entity owner)
{
    printf("%s carries %u:", text_of(world, owner), carried_by_count(world, owner));
    kith_holders items = carried_by_begin(world, owner);
    while (carried_by_next(&items)) { // in the order in which they came
        printf(" %s", text_of(world, items.entity));
        kith_holders parts = part_of_begin(world, items.entity);
        while (part_of_next(&parts)) {
            printf(" (with a %s)", text_of(world, parts.entity));
        }
    }
    printf("\n");
}

static void print_ground(kith_world *world)
{
    printf("on the ground:");
    KITH_EACH(on_ground, o, world)
    {
        printf(" %s", o.label->text);
    }
    printf("\n");
}

// The walk goes on while its items leave the list.
static void loot(kith_world *world, kith_entity from, kith_entity to)
{
    kith_holders items = carried_by_begin(world, from);
    while (carried_by_next(&items)) {
        carried_by_set(world, items.entity, to);
    }
}

static void on_error(const kith_world *world, const kith_error *error, void *context)
{
    char text[200];
    kith_error_text(world, error, text, sizeof text);
    printf("refused: %s\n", text);
    ++*(int *)context;
}

int main(void)
{
    int         refused = 0;
    kith_world *world =
        kith_world_create(&(kith_world_desc){ .on_error = on_error, .error_context = &refused });
    if (world == NULL || !inventory_register(world)) {
        return 1;
    }
    kith_entity       knight = make(world, "knight");
    kith_entity       thief  = make(world, "thief");
    kith_entity       sword  = make(world, "sword");
    kith_entity       shield = make(world, "shield");
    kith_entity       coin   = make(world, "coin");
    kith_entity       gem    = make(world, "gem");
    kith_entity       curse  = make(world, "curse");
    kith_entity       bank   = make(world, "bank");
    const kith_entity bag[]  = { sword, shield, coin };
    carried_by_fill_many(world, bag, 3, knight);
    part_of_set(world, gem, sword);
    haunts_set(world, curse, knight);
    print_bag(world, knight);

    carried_by_set(world, coin, thief); // a new owner: the old list is up to date at once
    print_bag(world, knight);
    print_bag(world, thief);
    printf("the coin is carried by the %s\n", text_of(world, carried_by_target(world, coin)));
    carried_by_set(world, knight, knight); // a mistake

    lends_to_set(world, bank, knight);
    bool gone = kith_entity_destroy(world, knight);
    lends_to_remove(world, bank);
    gone = !gone && kith_entity_destroy(world, knight);
    print_ground(world);

    loot(world, thief, bank);
    print_bag(world, thief);
    print_bag(world, bank);
    kith_entity_destroy(world, sword);
    print_ground(world);
    bool right = gone && refused == 2 && !kith_entity_alive(world, curse) &&
                 !kith_entity_alive(world, gem) && !carried_by_has(world, shield) &&
                 carried_by_target(world, coin) == bank;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
