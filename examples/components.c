// SPDX-License-Identifier: MIT
// Components: removal policies, tags, page sizes, a singleton, and an allocator of the program.
// Look at the order of the rows after the same removal under the two policies.
#include <kith/kith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct large {
    float data[1000];
} large;

enum { NUMBER = 1, STABLE, LARGE, PLAYER, GRAVITY };

static const kith_traits stays_put   = { .policy = KITH_POLICY_STABLE };
static const kith_traits many_a_page = { .page_rows = 1024 };

KITH_COMPONENT(number, int, NUMBER);
KITH_COMPONENT_WITH(stable, int, STABLE, stays_put);
KITH_COMPONENT_WITH(large, large, LARGE, many_a_page);
KITH_TAG(player, PLAYER);
KITH_SINGLETON(gravity, float, GRAVITY);
KITH_MODULE(game, number, stable, large, player, gravity);

// Prints the entity of each row. A pool is an array of entities and a lookup from entity to row.
static void print_rows(const kith_world *world, kith_component component)
{
    const kith_component_desc *desc = kith_component_describe(world, component);
    printf("  %s (%s):", desc->name, kith_policy_name(desc->traits.policy));
    for (uint32_t row = 0; row < kith_component_stats(world, component).rows; row++) {
        kith_entity entity = kith_component_entity(world, component, row);
        if (entity == KITH_NULL) {
            printf(" hole");
        } else {
            printf(" %u", kith_entity_index(entity));
        }
    }
    printf("\n");
}

static void show_removal(kith_world *world)
{
    kith_entity e[5];
    kith_entity_create_many(world, e, 5, NULL, 0);
    for (int i = 0; i < 5; i++) {
        number_set(world, e[i], i);
        stable_set(world, e[i], i);
    }
    const int *kept = stable_get(world, e[4]);

    number_remove(world, e[1]); // the last row moves into row 1
    stable_remove(world, e[1]); // row 1 becomes a hole
    printf("after a removal\n");
    print_rows(world, NUMBER);
    print_rows(world, STABLE);
    printf("  entity 4 is in row %u of number and in row %u of stable\n", number_row(world, e[4]),
           stable_row(world, e[4]));
    printf("  the stable address is the same: %d\n", kept == stable_get(world, e[4]));

    stable_set(world, e[1], 1); // reuses the hole
    printf("after an add\n");
    print_rows(world, STABLE);
}

// A tag has no value: the pool stores only the entities that have it.
static void show_tag(kith_world *world)
{
    kith_entity entity = kith_entity_create(world);
    player_add(world, entity);
    printf("player %d, bytes of values %zu\n", player_has(world, entity),
           kith_world_memory(world, PLAYER).values);
}

static void show_pages(kith_world *world)
{
    printf("rows a page: number %u, large %u\n",
           kith_component_describe(world, NUMBER)->traits.page_rows,
           kith_component_describe(world, LARGE)->traits.page_rows);
}

// A singleton belongs to the world and not to an entity.
static void show_singleton(kith_world *world)
{
    gravity_set(world, 9.81f);
    *gravity_mut(world) /= 2;
    printf("gravity %.3f\n", *gravity_get(world));
}

// An allocator that counts bytes. kith passes size and alignment when it frees, so the allocator
// need not store them. Not every C library has an aligned malloc: so `allocate` requests a larger
// block and stores its address in front of the aligned memory.
typedef struct budget {
    size_t live;
} budget;

static void *allocate(void *context, size_t size, size_t alignment)
{
    budget *counted = context;
    char   *block   = malloc(sizeof block + alignment + size);
    if (block == NULL) {
        return NULL;
    }
    char *memory = block + sizeof block;
    memory += (alignment - (uintptr_t)memory % alignment) % alignment;
    memcpy(memory - sizeof block, &block, sizeof block);
    counted->live += size;
    return memory;
}

static void deallocate(void *context, void *memory, size_t size, size_t alignment)
{
    (void)alignment;
    budget *counted = context;
    char   *block   = NULL;
    memcpy(&block, (char *)memory - sizeof block, sizeof block);
    counted->live -= size;
    free(block);
}

int main(void)
{
    budget                counted = { 0 };
    const kith_world_desc desc    = { .allocator = { allocate, deallocate, &counted } };
    kith_world           *world   = kith_world_create(&desc);
    if (world == NULL || !game_register(world)) {
        return 1;
    }
    show_removal(world);
    show_tag(world);
    show_pages(world);
    show_singleton(world);
    printf("the world knows of every byte: %d\n",
           kith_world_memory(world, KITH_ALL).total == counted.live);
    kith_world_destroy(world);
    printf("bytes left: %zu\n", counted.live);
    return 0;
}
