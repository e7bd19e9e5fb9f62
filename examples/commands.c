// SPDX-License-Identifier: MIT
// Commands: calls that are recorded now and executed later. Several workers can record, each into
// its own commands, while other threads read the world. One thread then applies them, in an order
// that does not depend on timing. Look at the commands that are skipped: their entity was dead when
// its turn came.
#include <kith/kith.h>

#include <stdio.h>

enum { NAME = 1, HEALTH, PARENT };

KITH_COMPONENT(name, const char *, NAME);
KITH_COMPONENT(health, int, HEALTH);
KITH_COMPONENT(parent, kith_entity, PARENT);
KITH_MODULE(game, name, health, parent);

KITH_QUERY(living, read(name), read(health));

static void print_world(kith_world *world)
{
    printf("world:");
    KITH_EACH(living, l, world)
    {
        printf(" %s %d", *l.name, *l.health);
    }
    printf("\n");
}

static void print_report(const kith_commands *commands)
{
    kith_commands_report report = kith_commands_report_of(commands);
    printf("  %u applied, %u skipped for %llu dead, %u failed\n", report.applied, report.skipped,
           (unsigned long long)report.dead, report.failed);
}

static kith_entity spawn_later(kith_commands *commands, const char *name, int health)
{
    kith_entity entity = kith_entity_create_later(commands); // a placeholder: no entity yet
    name_set_later(commands, entity, name);
    health_set_later(commands, entity, health);
    return entity;
}

// A function can be a command, too. kith does not replace placeholders inside its payload, so the
// function resolves them.
static void greet(kith_world *world, const kith_commands *commands, const void *payload)
{
    const kith_entity *pair  = payload;
    kith_entity        child = kith_commands_resolve(commands, pair[1]);
    parent_set(world, child, pair[0]);
    printf("  %s is the child of %s\n", *name_get(world, child), *name_get(world, pair[0]));
}

static void show_recording(kith_world *world, kith_commands *commands, kith_entity wolf)
{
    kith_entity pair[] = { wolf, spawn_later(commands, "cub", 3) };
    kith_world_call_later(commands, greet, pair, sizeof pair);
    health_set_later(commands, wolf, 9);
    printf("%u commands recorded; the placeholder is %s\n",
           kith_commands_report_of(commands).recorded,
           kith_entity_alive(world, pair[1]) ? "alive" : "no entity");
    print_world(world);

    kith_commands_apply(commands, world);
    print_report(commands);
    print_world(world);
}

// Commands for an entity that is dead by then are skipped and counted.
static void show_dead(kith_world *world, kith_commands *commands, kith_entity wolf)
{
    kith_commands_clear(commands);
    health_set_later(commands, wolf, 1);
    kith_entity_destroy_later(commands, wolf);
    health_set_later(commands, wolf, 2);
    kith_commands_apply(commands, world);
    print_report(commands);
    print_world(world);
}

// Commands stay until they are cleared, so a program can apply them to several worlds.
static void show_replay(kith_commands *commands)
{
    kith_world *other = kith_world_create(NULL);
    kith_commands_clear(commands);
    spawn_later(commands, "owl", 4);
    spawn_later(commands, "mouse", 1);
    if (other == NULL || !game_register(other)) {
        return;
    }
    kith_commands_apply(commands, other);
    kith_commands_apply(commands, other);
    printf("elsewhere, twice\n");
    print_world(other);
    kith_world_destroy(other);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    kith_entity wolf = kith_entity_create(world);
    name_set(world, wolf, "wolf");
    health_set(world, wolf, 10);

    kith_commands *commands = kith_commands_create(world, NULL);
    show_recording(world, commands, wolf);
    show_dead(world, commands, wolf);
    show_replay(commands);
    kith_world_destroy(world);
    return 0;
}
