// SPDX-License-Identifier: MIT
// A program that gdb stops in `stop_here`, with a world, entities and cursors to print.
#include "kith/kith.h"

typedef struct vec2 {
    float x, y;
} vec2;

enum { POSITION = 1, FROZEN };
KITH_COMPONENT(position, vec2, POSITION);
KITH_TAG(frozen, FROZEN);
KITH_MODULE(game, position, frozen);
KITH_QUERY(movers, write(position));

void stop_here(kith_world *world, kith_entity first, const kith_entity *none, const movers *open,
               const movers *closed, const kith_cursor *untyped);

void stop_here(kith_world *world, kith_entity first, const kith_entity *none, const movers *open,
               const movers *closed, const kith_cursor *untyped)
{
    (void)world, (void)first, (void)none, (void)open, (void)closed, (void)untyped;
}

static void run(kith_world *world)
{
    kith_entity ended = kith_entity_create(world);
    kith_entity_destroy(world, ended);
    kith_entity first  = kith_entity_create(world); // the same slot, version 2
    kith_entity second = kith_entity_create(world);
    kith_entity none   = KITH_NULL;
    position_set(world, first, (vec2){ 1.5f, 2.5f });
    frozen_add(world, first);
    frozen_add(world, second);
    position_set(world, ended, (vec2){ 0, 0 }); // an error
    for (int i = 0; i < 4; i++) {
        kith_world_advance(world);
    }
    movers closed = movers_begin(world);
    movers_end(&closed);
    movers          open  = movers_begin(world);
    const kith_term term  = { POSITION, KITH_ROLE_READ };
    kith_cursor     other = kith_view_begin(world, &(kith_query_desc){ "places", &term, 1, 0 });
    bool            both  = movers_next(&open) && kith_cursor_next(&other);
    if (both) {
        stop_here(world, first, &none, &open, &closed, &other);
    }
    kith_cursor_end(&other);
    movers_end(&open);
}

int main(void)
{
    kith_world *world =
        kith_world_create(&(kith_world_desc){ .name = "level", .on_error = kith_error_ignore });
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    run(world);
    kith_world_destroy(world);
    return 0;
}
