// SPDX-License-Identifier: MIT
// A view that draws only what has changed: one reactive set collects it, and a system draws when
// the set has members. Look at the frames without a line: nothing changed, so nothing ran.
#include <kith/kith.h>

#include <stdio.h>
#include <string.h>

enum { UNITS = 100, LINES = 4 };

enum { HEALTH = 1, SHOWN, POISONED };

// Each row has ticks, so one changed value is one member, not all values of a page.
static const kith_traits health_traits = { .row_ticks = true };

KITH_COMPONENT_WITH(health, int, HEALTH, health_traits);
KITH_FLAG(shown, SHOWN);
KITH_FLAG(poisoned, POISONED);
KITH_MODULE(game, health, shown, poisoned);
KITH_QUERY(victims, write(health), with(poisoned));

// --- the view: it has no handle of the world but those that the set gave it ------------------

typedef struct view {
    kith_entity    owners[LINES];
    char           lines[LINES][32];
    kith_reactive *changed;
    uint32_t       drawn;
} view;

static char *line_of(view *v, kith_entity entity)
{
    for (int i = 0; i < LINES; i++) {
        if (v->owners[i] == entity || v->owners[i] == KITH_NULL) {
            v->owners[i] = entity;
            return v->lines[i];
        }
    }
    return NULL; // no room: the entity is not shown
}

static void draw(const kith_turn *turn)
{
    view    *v     = turn->context;
    uint64_t place = 0;
    printf("  draws:");
    for (kith_entity e; (e = kith_reactive_next(v->changed, &place)) != KITH_NULL;) {
        const int *h    = health_get(turn->world, e); // NULL: dead, or without health
        char      *line = line_of(v, e);
        if (line == NULL) {
            continue;
        }
        v->drawn++;
        memset(line, '.', 10);
        memset(line, '#', h == NULL ? 0 : (size_t)*h);
        memcpy(line, "gone", h == NULL ? 5 : 0);
        printf(" [%u %s]", kith_entity_index(e), line);
    }
    printf("\n");
    kith_reactive_clear(v->changed);
}

static bool open_view(view *v, kith_world *world)
{
    const kith_condition conditions[] = {
        { HEALTH, KITH_ON_ADD | KITH_ON_CHANGED | KITH_ON_REMOVE },
        { SHOWN, KITH_ON_ADD },
    };
    const kith_term shown_ones[]  = { { SHOWN, KITH_ROLE_WITH, 0 }, { HEALTH, KITH_ROLE_WITH, 0 } };
    const kith_reactive_desc desc = {
        .name            = "to draw",
        .conditions      = conditions,
        .condition_count = 2,
        .filter          = { .terms = shown_ones, .term_count = 2 },
        .keep_dead       = true, // a dead entity has a line to change, too
    };
    v->changed = kith_reactive_create(world, &desc);

    const kith_system_desc system = { .name      = "draw",
                                      .run       = draw,
                                      .context   = v,
                                      .on_demand = true,
                                      .on_set    = v->changed,
                                      .phase     = 1 };
    return v->changed != NULL && kith_system_create(world, &system) != NULL;
}

// --- the game: it knows nothing of the view --------------------------------------------------

static void hurt(kith_world *world, kith_entity entity, int damage)
{
    int *h = health_mut(world, entity);
    *h     = *h > damage ? *h - damage : 0;
    if (*h == 0) {
        kith_entity_destroy(world, entity);
    }
}

static void poison(const kith_turn *turn)
{
    KITH_EACH(victims, v, turn->world)
    {
        *v.health -= 1;
    }
}

static const kith_system_desc poison_system = { .name = "poison", .run = poison };

static bool frame(kith_world *world, const char *text)
{
    printf("%s\n", text);
    return kith_schedule_run(world, 1);
}

int main(void)
{
    static view v;
    kith_entity units[UNITS];
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world) || !open_view(&v, world) ||
        kith_system_create(world, &poison_system) == NULL) {
        return 1;
    }
    for (int i = 0; i < UNITS; i++) {
        units[i] = kith_entity_create(world);
        health_set(world, units[i], 10);
    }
    for (int i = 10; i < 13; i++) {
        shown_add(world, units[i]);
    }
    bool right = frame(world, "three of 100 units are shown");
    right      = frame(world, "nothing happens") && right;
    for (int i = 0; i < UNITS; i++) {
        hurt(world, units[i], i == 11 ? 2 : i < 12 ? 0 : 3);
    }
    right = frame(world, "some are hurt") && right;
    for (int i = 20; i < UNITS; i++) {
        hurt(world, units[i], 3);
    }
    right = frame(world, "others are hurt, which are not shown") && right;
    poisoned_add(world, units[12]);
    right = frame(world, "12 is poisoned") && frame(world, "and still is") && right;
    hurt(world, units[10], 50);
    poisoned_remove(world, units[12]);
    right = frame(world, "10 dies") && frame(world, "nothing happens") && right;
    right = right && strcmp(v.lines[0], "gone") == 0 && v.drawn == 9 &&
            kith_reactive_count(v.changed) == 0;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
