// SPDX-License-Identifier: MIT
// Systems with signatures: an entity belongs to a system when it has all components of the system's
// signature. The schedule runs the systems in order and reports ambiguous pairs. Look at the
// ambiguous pair, and at the interval: the physics has two turns in a frame.
#include <kith/kith.h>

#include <stdio.h>

typedef struct vec3 {
    float x, y, z;
} vec3;

typedef struct body {
    vec3 velocity;
} body;

enum { TRANSFORM = 1, RIGID_BODY, GRAVITY, ANIMATED };

KITH_COMPONENT(transform, vec3, TRANSFORM);
KITH_COMPONENT(rigid_body, body, RIGID_BODY);
KITH_COMPONENT(gravity, vec3, GRAVITY);
KITH_COMPONENT(animated, int, ANIMATED); // the picture that is shown
KITH_MODULE(game, transform, rigid_body, gravity, animated);

static kith_signature signature_of(const kith_world *world, const kith_component *ids, size_t count)
{
    kith_signature signature = { { 0 } };
    for (size_t i = 0; i < count; i++) {
        kith_signature_add(world, &signature, ids[i]);
    }
    return signature;
}

// Called for each entity. The columns are the signature's components, in registration order.
static void fall(const kith_turn *turn, const kith_cursor *cursor)
{
    vec3       *at   = cursor->columns[0];
    body       *self = cursor->columns[1];
    const vec3 *pull = cursor->columns[2];
    float       dt   = (float)turn->dt;
    at->y += self->velocity.y * dt;
    self->velocity.y += pull->y * dt;
}

// The same with a handle and the typed functions.
static void animate(const kith_turn *turn, const kith_cursor *cursor)
{
    *animated_mut(turn->world, cursor->entity) += 1;
}

// A tracked system keeps its set of entities exact at every moment.
static void appear(const kith_turn *turn, kith_entity entity)
{
    (void)turn;
    printf("  entity %u can be seen\n", (unsigned)kith_entity_index(entity));
}

static void vanish(const kith_turn *turn, kith_entity entity)
{
    (void)turn;
    printf("  entity %u cannot be seen any more\n", (unsigned)kith_entity_index(entity));
}

static void draw(const kith_turn *turn, const kith_cursor *cursor)
{
    const vec3 *at = transform_get(turn->world, cursor->entity);
    printf("  entity %u at height %.2f\n", (unsigned)kith_entity_index(cursor->entity),
           (double)at->y);
}

static bool make_systems(kith_world *world)
{
    const kith_component falling[] = { TRANSFORM, RIGID_BODY, GRAVITY };
    const kith_component seen[]    = { TRANSFORM, ANIMATED };
    kith_signature       physics   = signature_of(world, falling, 3);
    kith_signature       pictures  = signature_of(world, seen, 2);
    kith_system_desc     systems[] = {
            { .name        = "physics",
              .each        = fall,
              .signature   = &physics,
              .writes      = falling, // TRANSFORM and RIGID_BODY
              .write_count = 2,
              .reads       = falling + 2,
              .read_count  = 1,
              .interval    = 0.25 },
            { .name        = "animation",
              .each        = animate,
              .signature   = &pictures,
              .writes      = seen + 1,
              .write_count = 1 },
            { .name      = "camera",
              .each      = draw,
              .signature = &pictures,
              .phase     = 1,
              .tracked   = true,
              .enter     = appear,
              .leave     = vanish },
    };
    bool made = true;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        made = made && kith_system_create(world, &systems[i]) != NULL;
    }
    return made;
}

static kith_entity drop(kith_world *world, float height)
{
    kith_entity entity = kith_entity_create(world);
    transform_set(world, entity, (vec3){ 0, height, 0 });
    rigid_body_add(world, entity);
    gravity_set(world, entity, (vec3){ 0, -8, 0 });
    return entity;
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !game_register(world) || !make_systems(world)) {
        return 1;
    }
    kith_schedule_configure(world, &(kith_schedule_desc){ .checked = true });
    char plan[1024];
    kith_schedule_explain(world, plan, sizeof plan);
    printf("%s", plan);

    kith_entity stone = drop(world, 100);
    kith_entity bird  = drop(world, 50);
    animated_set(world, stone, 0);
    for (int frame = 1; frame <= 4; frame++) {
        printf("frame %d\n", frame);
        if (frame == 2) {
            gravity_remove(world, bird); // no longer matches the signature of physics
            animated_set(world, bird, 0);
        }
        if (frame == 4) {
            kith_entity_destroy(world, stone);
        }
        kith_schedule_run(world, 0.5);
    }
    kith_system_report report = kith_system_report_of(kith_system_find(world, "physics"));
    printf("physics had %llu turns, the last over %llu entities\n",
           (unsigned long long)report.turns, (unsigned long long)report.entities);
    kith_world_destroy(world);
    return 0;
}
