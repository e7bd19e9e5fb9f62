// SPDX-License-Identifier: MIT
// Creates and fills the worlds and arrays that benchmark cases share, and sums them up.
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

KITH_MODULE(used, position, velocity, health, rotation, big, tag_a, tag_b, tag_c, f0, f1, f2, f3,
            f4);

volatile float workload_dt = 0.5f;

void bench_require(bool done, const char *what)
{
    if (!done) {
        fprintf(stderr, "kith_bench: cannot %s\n", what);
        exit(2);
    }
}

void *bench_allocate(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    bench_require(memory != NULL, "allocate memory");
    return memory;
}

double bench_result_of(const bench_data *data)
{
    return data->result;
}

uint32_t bench_take_place(bench_data *data)
{
    uint32_t place = data->n;
    data->n        = CURVE_ENTITIES;
    data->ops      = CURVE_ENTITIES;
    return place;
}

// --- random numbers --------------------------------------------------------------------------

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z          = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z          = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint32_t *random_order(uint32_t n)
{
    uint32_t *order = bench_allocate(n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    uint64_t stream = RANDOM_SEED;
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j    = (uint32_t)(random_next(&stream) % (i + 1));
        uint32_t kept = order[i];
        order[i]      = order[j];
        order[j]      = kept;
    }
    return order;
}

void bench_shuffle(bench_data *data)
{
    uint32_t    *order    = random_order(data->n);
    kith_entity *shuffled = bench_allocate(data->n, sizeof *shuffled);
    for (uint32_t i = 0; i < data->n; i++) {
        shuffled[i] = data->out[order[i]];
    }
    free(data->out);
    free(order);
    data->out = shuffled;
}

// --- kith's side -----------------------------------------------------------------------------

void world_register_fillers(kith_world *world, kith_component first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char                name[16];
        kith_component_desc desc = f0_desc();
        snprintf(name, sizeof name, "filler%u", first + i);
        desc.name = name;
        desc.id   = first + i;
        bench_require(kith_component_register(world, &desc) != 0, "register a filler");
    }
}

void world_open_bare(bench_data *data)
{
    data->world = kith_world_create(NULL);
    bench_require(data->world != NULL, "create a world");
    data->out = bench_allocate(data->n, sizeof *data->out);
}

void world_open(bench_data *data)
{
    world_open_bare(data);
    bench_require(used_register(data->world), "register the components");
    world_register_fillers(data->world, F5, F23 - F5 + 1);
    for (kith_component id = POSITION; id <= F23; id++) {
        kith_entity sentinel = kith_entity_create(data->world);
        bench_require(kith_component_add(data->world, sentinel, id, NULL) != NULL,
                      "make a sentinel");
    }
}

void world_open_among(bench_data *data, uint32_t components, const kith_component_desc *last)
{
    world_open_bare(data);
    bench_require(position_register(data->world), "register position");
    world_register_fillers(data->world, F0, components - 2);
    bench_require(kith_component_register(data->world, last) != 0, "register the last component");
}

void world_open_positions(bench_data *data)
{
    world_open(data);
    world_create_positions(data);
}

void world_open_movers(bench_data *data)
{
    world_open(data);
    world_create_movers(data);
}

void world_open_strangers(bench_data *data)
{
    world_open_positions(data);
    uint32_t *order = random_order(data->n);
    for (uint32_t i = 0; i < data->n; i++) {
        velocity_set(data->world, data->out[order[i]], make_velocity(order[i]));
    }
    free(order);
}

void world_close(bench_data *data)
{
    kith_world_destroy(data->world);
    free(data->out);
    free(data->moved);
    free(data->given[0]);
    free(data->given[1]);
    free(data->ticks);
}

void world_create_positions(bench_data *data)
{
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_entity_create(data->world);
        position_set(data->world, data->out[i], make_position(i));
    }
}

void world_create_movers(bench_data *data)
{
    kith_world  *world = data->world;
    kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        kith_entity entity = kith_entity_create(world);
        position_set(world, entity, make_position(i));
        velocity_set(world, entity, make_velocity(i));
        out[i] = entity;
    }
}

void world_destroy_all(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        kith_entity_destroy(world, out[i]);
    }
}

double world_sum_movers(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        const vec3 *pos = position_get(data->world, data->out[i]);
        const vec3 *vel = velocity_get(data->world, data->out[i]);
        sum += pos != NULL && vel != NULL ? (double)pos->x + (double)vel->y : 0;
    }
    return sum;
}

// --- the limit's side ------------------------------------------------------------------------

void limit_open_room(bench_data *data, uint32_t room)
{
    limit_table *table = &data->limit;
    data->out          = bench_allocate(room, sizeof *data->out);
    table->ent         = bench_allocate(room, sizeof *table->ent);
    table->where       = bench_allocate(room, sizeof *table->where);
    table->gen         = bench_allocate(room, sizeof *table->gen);
    table->free        = bench_allocate(room, sizeof *table->free);
    table->pos         = bench_allocate(room, sizeof *table->pos);
    table->vel         = bench_allocate(room, sizeof *table->vel);
    table->fill        = bench_allocate(room, sizeof *table->fill);
    table->bits        = bench_allocate(room / 64 + 1, sizeof *table->bits);
    table->count       = 0;
    table->free_count  = 0;
}

void limit_open(bench_data *data)
{
    limit_open_room(data, data->n);
}

void limit_clear_bits(bench_data *data)
{
    memset(data->limit.bits, 0, (data->n / 64 + 1) * sizeof *data->limit.bits);
}

void limit_open_entities(bench_data *data)
{
    limit_open(data);
    memset(data->limit.where, 0xff, data->n * sizeof *data->limit.where);
    limit_clear_bits(data);
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = i;
    }
}

void limit_open_movers(bench_data *data)
{
    limit_open(data);
    limit_create_movers(data);
    memset(data->limit.gen, 0, data->n * sizeof *data->limit.gen);
}

void limit_close(bench_data *data)
{
    limit_table *table    = &data->limit;
    void *const  arrays[] = { data->out,         table->ent,          table->where,
                              table->gen,        table->free,         table->pos,
                              table->vel,        table->fill,         table->bits,
                              data->more.health, data->more.rotation, data->more.matrix,
                              data->more.number, data->more.second,   data->more.pairs,
                              data->given[0],    data->given[1],      data->ticks,
                              data->more.links };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        free(arrays[i]);
    }
}

// The bodies work on a copy of the table: its counters stay in registers, whatever is stored.

void limit_create_movers(bench_data *data)
{
    limit_table  table = data->limit;
    kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        uint32_t row   = limit_add_row(&table, i);
        table.pos[row] = make_position(i);
        table.vel[row] = make_velocity(i);
        out[i]         = i;
    }
    data->limit = table;
}

static inline void destroy_every(bench_data *data, uint32_t step)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i += step) {
        uint32_t entity = (uint32_t)out[i];
        uint32_t row    = limit_remove_row(&table, entity);
        table.pos[row]  = table.pos[table.count];
        table.vel[row]  = table.vel[table.count];
        table.gen[entity]++;
        table.free[table.free_count++] = entity;
    }
    data->limit = table;
}

void limit_destroy_all(bench_data *data)
{
    destroy_every(data, 1);
}

void limit_destroy_every(bench_data *data, uint32_t step)
{
    destroy_every(data, step);
}

double limit_sum_movers(const bench_data *data)
{
    const limit_table *table = &data->limit;
    double             sum   = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        uint32_t row = table->where[data->out[i]];
        sum += (double)table->pos[row].x + (double)table->vel[row].y;
    }
    return sum;
}
