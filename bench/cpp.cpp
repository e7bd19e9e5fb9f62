// SPDX-License-Identifier: MIT
// The same work by the macros of C and by kith.hpp, for bench/cpp.sh, which counts instructions:
// one function for each case and side. usage: cpp CASE c|cpp
#include <kith/kith.hpp>

#include <cstdio>
#include <cstring>

struct position {
    float x, y, z;
};
struct velocity {
    float x, y, z;
};
template <> struct kith::component<position> {
    static constexpr kith_component id   = 1;
    static constexpr const char    *name = "position";
};
template <> struct kith::component<velocity> {
    static constexpr kith_component id   = 2;
    static constexpr const char    *name = "velocity";
};
KITH_COMPONENT(position, position, 1);
KITH_COMPONENT(velocity, velocity, 2);
KITH_QUERY(movers, write(position), read(velocity));

#define ENTITIES 65536u
static kith_entity entities[ENTITIES];

static inline void move(position &p, const velocity &v)
{
    p.x += v.x;
    p.y += v.y;
    p.z += v.z;
}

// callgrind collects inside of these functions only
#define COUNTED extern "C" __attribute__((noinline)) void

COUNTED count_next_c(kith_world *world)
{
    movers m = movers_begin(world);
    while (movers_next(&m)) {
        move(*m.position, *m.velocity);
    }
}
COUNTED count_next_cpp(kith_world *world)
{
    kith::world_ref(world).each<position, const velocity>(
        [](position &p, const velocity &v) { move(p, v); });
}
COUNTED count_range_c(kith_world *world)
{
    count_next_c(world);
}
COUNTED count_range_cpp(kith_world *world)
{
    for (auto [entity, p, v] : kith::world_ref(world).view<position, const velocity>()) {
        move(p, v);
    }
}
COUNTED count_chunk_c(kith_world *world)
{
    movers m = movers_begin(world);
    while (movers_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            move(m.position[i], m.velocity[i]);
        }
    }
}
COUNTED count_chunk_cpp(kith_world *world)
{
    for (auto [all, p, v] : kith::world_ref(world).chunks<position, const velocity>()) {
        for (uint32_t i = 0; i < p.size(); i++) {
            move(p[i], v[i]);
        }
    }
}
COUNTED count_get_c(kith_world *world)
{
    for (kith_entity entity : entities) {
        const velocity *v = velocity_get(world, entity);
        entities[0] += v == nullptr;
    }
}
COUNTED count_get_cpp(kith_world *world)
{
    kith::world_ref ref(world);
    for (kith_entity entity : entities) {
        const velocity *v = ref.get<velocity>(entity);
        entities[0] += v == nullptr;
    }
}
COUNTED count_set_c(kith_world *world)
{
    for (kith_entity entity : entities) {
        velocity_set(world, entity, velocity{ 1, 2, 3 });
    }
}
COUNTED count_set_cpp(kith_world *world)
{
    kith::world_ref ref(world);
    for (kith_entity entity : entities) {
        ref.set(entity, velocity{ 1, 2, 3 });
    }
}

#define BOTH(NAME)                                                                                 \
    {                                                                                              \
        #NAME,                                                                                     \
        {                                                                                          \
            count_##NAME##_c, count_##NAME##_cpp                                                   \
        }                                                                                          \
    }
static const struct {
    const char *name;
    void (*sides[2])(kith_world *world);
} cases[] = { BOTH(next), BOTH(range), BOTH(chunk), BOTH(get), BOTH(set) };

// With `scattered` the rows of the two components are in different orders.
static bool fill(kith::world &world, bool scattered)
{
    for (kith_entity &entity : entities) {
        entity = world.create(position{ 0, 0, 0 });
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        uint32_t at = scattered ? i * 40503u % ENTITIES : i;
        if (world.set(entities[at], velocity{ 1, 2, 3 }) == nullptr) {
            return false;
        }
    }
    return true;
}

int main(int count, char **words)
{
    kith::world world;
    if (count != 4 || !world.add_components<position, velocity>() ||
        !fill(world, std::strcmp(words[3], "scattered") == 0)) {
        std::fprintf(stderr, "usage: cpp next|range|chunk|get|set c|cpp same|scattered\n");
        return 2;
    }
    for (const auto &one : cases) {
        if (std::strcmp(one.name, words[1]) == 0) {
            one.sides[std::strcmp(words[2], "cpp") == 0](world);
            return 0;
        }
    }
    return 2;
}
