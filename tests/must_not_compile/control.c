// SPDX-License-Identifier: MIT
// The right uses next to the wrong ones: must compile, or the errors of the others prove nothing.
#include "components.h"

KITH_QUERY(movers, write(position), read(mass), with(frozen), without(hidden));
KITH_GROUP(bodies, own(position), read(mass), with(frozen), without(hidden));
KITH_QUERY(moved, read(position), changed(position), added(frozen));
KITH_QUERY(marked, optional_write(mass), any(frozen, hidden), disabled(position), lead(position));

static void push(vec2 *place, void *context)
{
    const float *by = context;
    place->x += *by;
}

kith_entity right(kith_world *world, float by)
{
    kith_entity entity = kith_entity_create(world);
    position_set(world, entity, (vec2){ 1, 2 });
    mass_set(world, entity, 3);
    season_set(world, 3);
    position_patch(world, entity, push, &by);
    position_mut(world, entity)->x = 1;
    const vec2 *place              = position_get(world, entity);
    if (frozen_add(world, entity) && hidden_has(world, entity) && game_register(world)) {
        position_remove(world, entity);
    }
    return position_owner(world, place);
}

static int compare(const vec2 *a, const vec2 *b, void *context)
{
    (void)context;
    return a->x < b->x ? -1 : 1;
}

bool right_order(kith_world *world)
{
    return position_sort(world, compare, NULL) && position_sort_by(world, KITH_KEY(vec2, x)) &&
           frozen_sort_as(world, POSITION) &&
           bodies_sort_position(bodies_group(world), compare, NULL);
}

uint32_t right_changes(kith_world *world, kith_entity entity)
{
    uint32_t     count = position_set_if_changed(world, entity, (vec2){ 1, 2 });
    kith_changes spans = position_changes(world, 1);
    moved        m     = moved_begin_since(world, 1);
    while (moved_next(&m) && kith_changes_next(world, &spans)) {
        count += m.position->x > 0 ? spans.count : 0;
    }
    return count;
}

uint32_t right_loops(kith_world *world)
{
    movers   m     = movers_begin(world);
    uint32_t count = kith_group_count(bodies_group(world));
    while (movers_next(&m)) {
        m.position->x += *m.mass;
    }
    KITH_EACH(marked, c, world)
    {
        count += c.frozen != NULL && c.hidden == NULL && c.mass != NULL;
    }
    return count;
}

static void handle(kith_world *world, const vec2 *event, void *context)
{
    (void)world;
    (void)event;
    (void)context;
}

uint32_t right_events(kith_world *world)
{
    hit_queue  hits  = hit_of(world, 0);
    bell_queue bells = bell_of(world, 8);
    bool       done  = hit_connect(hits, handle, NULL, 0) != 0 && bell_trigger(bells, 1) &&
                hit_enqueue(hits, (vec2){ 1, 2 }) && hit_reserve(hits, 4);
    hit_clear(hits);
    return done ? hit_update(hits) + bell_count(bells) : 0;
}
