// SPDX-License-Identifier: MIT
// Constructors and destructors of values, and systems that are told when an entity comes and goes.
// Look at "texts": each name is one allocation, and none is left when the world ends.
#include <kith/kith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- a value that owns memory ----------------------------------------------------------------

typedef struct name {
    char *text;
} name;

typedef struct stay {
    int days_left;
} stay;

static int texts; // allocations that exist now

static bool copy_name(void *value, const void *source, void *context)
{
    const name *from = source;
    name       *to   = value;
    size_t      size = strlen(from->text) + 1;
    to->text         = malloc(size);
    if (to->text == NULL) {
        return false; // the call that copies fails, and changes nothing
    }
    memcpy(to->text, from->text, size);
    ++*(int *)context;
    return true;
}

static void destruct_name(void *value, void *context)
{
    free(((name *)value)->text);
    --*(int *)context;
}

// A default name is an allocation, too, so that destruct need not ask.
static bool construct_name(void *value, void *context)
{
    const name unknown = { "?" };
    return copy_name(value, &unknown, context);
}

enum { NAME = 1, STAY, TAME };

static const kith_traits name_traits = {
    .hooks = { .construct = construct_name,
               .copy      = copy_name,
               .destruct  = destruct_name, // without `move`, the bytes move: the owner moves along
               .context   = &texts },
};

KITH_COMPONENT_WITH(name, name, NAME, name_traits);
KITH_COMPONENT(stay, stay, STAY);
KITH_TAG(tame, TAME);
KITH_MODULE(hotel, name, stay, tame);

// --- systems ---------------------------------------------------------------------------------

// Called for each entity with a stay. Destroying it here is legal.
static void pass_day(const kith_turn *turn, const kith_cursor *cursor)
{
    stay *left = cursor->columns[0];
    if (--left->days_left == 0) {
        kith_entity_destroy(turn->world, cursor->entity);
    }
}

KITH_QUERY(guests, write(stay));
KITH_QUERY(friends, read(name), with(tame));

static void meet(const kith_turn *turn, kith_entity entity)
{
    printf("    %s may be petted\n", name_get(turn->world, entity)->text);
}

// A member that left may be dead: then it has no name any more.
static void part(const kith_turn *turn, kith_entity entity)
{
    const name *called = name_get(turn->world, entity);
    printf("    %s may not\n", called != NULL ? called->text : "one that went home");
}

static void pet(const kith_turn *turn)
{
    printf("    petted:");
    KITH_EACH_STORED(friends, f, turn->query)
    {
        printf(" %s", f.name->text);
    }
    printf("\n");
}

static bool add_systems(kith_world *world)
{
    return kith_system_create(world, &(kith_system_desc){ .name  = "pass day",
                                                          .each  = pass_day,
                                                          .query = guests_desc() }) != NULL &&
           kith_system_create(world, &(kith_system_desc){ .name    = "pet",
                                                          .run     = pet,
                                                          .query   = friends_desc(),
                                                          .tracked = true,
                                                          .enter   = meet,
                                                          .leave   = part }) != NULL;
}

static kith_entity check_in(kith_world *world, char *called, int days)
{
    kith_entity pet_of = kith_entity_create(world);
    name_set(world, pet_of, (name){ called }); // copied by the hook
    stay_set(world, pet_of, (stay){ days });
    return pet_of;
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !hotel_register(world) || !add_systems(world)) {
        return 1;
    }
    kith_entity rex = check_in(world, "Rex", 2);
    kith_entity tom = check_in(world, "Tom", 9);
    check_in(world, "Kaa", 3);
    name_add(world, kith_entity_create(world)); // a default name
    tame_add(world, rex);
    for (int day = 1; day <= 3; day++) {
        if (day == 2) {
            tame_add(world, tom);
        }
        if (day == 3) {
            tame_remove(world, tom);
        }
        printf("day %d, texts: %d\n", day, texts);
        kith_schedule_run(world, 1);
    }
    bool right = texts == 2 && tame_count(world) == 0 && !kith_entity_alive(world, rex);
    right      = kith_world_destroy(world) && right;
    printf("the end, texts: %d\n", texts);
    return right && texts == 0 ? 0 : 1;
}
