// SPDX-License-Identifier: MIT
// Systems in a long line and the circle that would close it, with a set, a queue and a hierarchy:
// memory that is shared out in words and pointers is large enough, also where pointers have 32
// bits.
#include "kith/hierarchy.h"

#include <stdio.h>
#include <string.h>

enum { HEALTH = 1, SCENE, SYSTEMS = 64 };

KITH_COMPONENT(health, int, HEALTH);

typedef struct meeting {
    kith_queue    *queue;
    kith_reactive *set;
    uint32_t       turns;
    uint32_t       bells;
} meeting;

static void take_turn(const kith_turn *turn)
{
    meeting *m = turn->context;
    m->turns++;
    if (m->turns == SYSTEMS) {
        kith_queue_update(m->queue);
        kith_reactive_clear(m->set);
    }
}

static void ring(kith_world *world, const void *event, void *context)
{
    meeting *m = context;
    (void)world;
    m->bells += *(const uint32_t *)event;
}

static void keep_quiet(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    (void)error;
    (void)context;
}

// Each before the next; the last one would come before the first.
static bool make_line(kith_world *world, meeting *m)
{
    bool right = true;
    for (uint32_t i = 0; i < SYSTEMS + 1; i++) {
        char             name[16];
        char             next[16];
        const char      *before = next;
        kith_system_desc desc   = { .name         = name,
                                    .run          = take_turn,
                                    .context      = m,
                                    .before       = &before,
                                    .before_count = 1,
                                    .on_demand    = i == 0,
                                    .on_set       = i == 0 ? m->set : NULL };
        snprintf(name, sizeof name, "s%u", (unsigned)i);
        snprintf(next, sizeof next, "s%u", (unsigned)((i + 1) % (SYSTEMS + 1)));
        right = right && (kith_system_create(world, &desc) != NULL) == (i < SYSTEMS);
    }
    kith_error error = kith_world_error(world);
    return right && error.code == KITH_ERROR_ARGUMENT && strstr(error.other, "s0") != NULL;
}

static bool make_family(kith_world *world, kith_entity *family, uint32_t count)
{
    bool made = kith_hierarchy_register(
                    world, &(kith_hierarchy_desc){ .name     = "scene",
                                                   .id       = SCENE,
                                                   .children = KITH_CHILDREN_DESTROY }) == SCENE &&
                kith_entity_create_many(world, family, count, NULL, 0);
    for (uint32_t i = 1; i < count && made; i++) {
        made = kith_hierarchy_append(world, SCENE, family[(i - 1) / 2], family[i]);
    }
    return made && kith_hierarchy_sort(world, SCENE) &&
           kith_hierarchy_depth(world, SCENE, family[count - 1]) == 6 &&
           kith_hierarchy_validate(world, SCENE, NULL);
}

static const char *meet(kith_world *world, meeting *m)
{
    kith_entity          family[100];
    uint32_t             three = 3;
    const kith_condition on    = { HEALTH, KITH_ON_CHANGED };
    if (!health_register(world)) {
        return "the component is not registered";
    }
    m->queue = kith_queue_of(
        world, &(kith_queue_desc){ .name = "bells", .size = 4, .alignment = _Alignof(uint32_t) });
    m->set = kith_reactive_create(
        world, &(kith_reactive_desc){ .name = "hurt", .conditions = &on, .condition_count = 1 });
    if (m->queue == NULL || m->set == NULL || !make_line(world, m)) {
        return "the systems are not in their line";
    }
    if (!make_family(world, family, 100)) {
        return "the family is not in order";
    }
    health_set(world, family[0], 1);
    kith_queue_connect(m->queue, &(kith_handler_desc){ .call = ring, .context = m });
    kith_queue_enqueue(m->queue, &three);
    if (!kith_schedule_run(world, 1) || m->turns != SYSTEMS || m->bells != 3) {
        return "not every system ran";
    }
    kith_entity_destroy(world, family[0]);
    return kith_entity_count(world) == 0 && kith_world_validate(world, NULL)
               ? NULL
               : "not every system is destroyed";
}

int main(void)
{
    meeting     m     = { 0 };
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = keep_quiet });
    const char *wrong = world == NULL ? "there is no world" : meet(world, &m);
    kith_world_destroy(world);
    if (wrong != NULL) {
        printf("%s\n", wrong);
    }
    return wrong == NULL ? 0 : 1;
}
