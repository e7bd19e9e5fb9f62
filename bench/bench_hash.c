// SPDX-License-Identifier: MIT
// HS1: hashing a world with two components in full, against copying as many bytes. HS2: the hash
// after one row in a hundred changed, side by side, against hashing everything.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum {
    HASHED_PLACE = LETTER_A,
    HASHED_SPEED,
    BYTES_AN_ENTITY = 2 * (8 + 12) + 8,
    WRITTEN_AT_ONCE = 64
};

KITH_FIELDS(vec3, f32(x), f32(y), f32(z));
KITH_COMPONENT_AS(hashed_place, vec3, HASHED_PLACE, fields(vec3));
KITH_COMPONENT_AS(hashed_speed, vec3, HASHED_SPEED, fields(vec3));
KITH_MODULE(hashed, hashed_place, hashed_speed);

static void world_open_hashed(bench_data *data)
{
    uint64_t hash = 0;
    world_open_bare(data);
    bench_require(hashed_register(data->world), "register the components");
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = kith_entity_create(data->world);
        data->out[i]       = entity;
        hashed_place_set(data->world, entity, (vec3){ (float)(i & 1023), 0, 2 });
        hashed_speed_set(data->world, entity, make_velocity(i));
    }
    bench_require(kith_world_hash(data->world, KITH_ALL, &hash), "hash the world");
}

// --- bodies ----------------------------------------------------------------------------------

// A tick in which a hundredth of the rows is written, always with the same values. One address is
// asked for many of them, because writing is not what is measured.
static void write_some(bench_data *data)
{
    uint32_t first = data->n / 2 & ~(WRITTEN_AT_ONCE - 1u);
    uint32_t end   = first + data->n / 100;
    kith_world_advance(data->world);
    for (uint32_t i = first; i < end; i += WRITTEN_AT_ONCE) {
        vec3    *place = hashed_place_mut(data->world, data->out[i]);
        vec3    *speed = hashed_speed_mut(data->world, data->out[i]);
        uint32_t count = end - i < WRITTEN_AT_ONCE ? end - i : WRITTEN_AT_ONCE;
        for (uint32_t j = 0; j < count; j++) {
            place[j].y = 1;
            speed[j].y = 2;
        }
    }
}

// The bits of the hash that a double holds.
static double as_double(uint64_t hash)
{
    return (double)(hash >> 11);
}

BENCH_KERNEL void hash_kept(bench_data *data)
{
    uint64_t hash = 0;
    write_some(data);
    kith_world_hash(data->world, KITH_ALL, &hash);
    data->result = as_double(hash);
}

BENCH_KERNEL void hash_full(bench_data *data)
{
    uint64_t hash = 0;
    write_some(data);
    kith_world_hash_full(data->world, KITH_ALL, &hash);
    data->result = as_double(hash);
}

BENCH_KERNEL void hash_only(bench_data *data)
{
    uint64_t hash = 0;
    data->result  = kith_world_hash_full(data->world, KITH_ALL, &hash);
}

// --- copying ---------------------------------------------------------------------------------

static uint8_t *copied_from;
static uint8_t *copied_to;

static void copy_open(bench_data *data)
{
    size_t size = (size_t)data->n * BYTES_AN_ENTITY;
    copied_from = malloc(size);
    copied_to   = malloc(size);
    bench_require(copied_from != NULL && copied_to != NULL, "take memory");
    memset(copied_from, 1, size);
    memset(copied_to, 2, size);
}

BENCH_KERNEL void copy_bytes_of_all(bench_data *data)
{
    memcpy(copied_to, copied_from, (size_t)data->n * BYTES_AN_ENTITY);
    data->result = copied_to[data->n];
}

static void copy_close(bench_data *data)
{
    (void)data;
    free(copied_from);
    free(copied_to);
}

// --- the table -------------------------------------------------------------------------------

static const bench_case cases[] = {
    { .id       = "HS1",
      .form     = "full, 48 bytes an entity",
      .kind     = BENCH_STEADY,
      .baseline = "memcpy",
      .kith     = { world_open_hashed, hash_only, bench_result_of, world_close },
      .limit    = { copy_open, copy_bytes_of_all, bench_result_of, copy_close } },
    { .id       = "HS2",
      .form     = "one row in a hundred written",
      .kind     = BENCH_STEADY,
      .target   = 0.05,
      .baseline = "kith in full",
      .sizes    = { 1000000 },
      .kith     = { world_open_hashed, hash_kept, bench_result_of, world_close },
      .limit    = { world_open_hashed, hash_full, bench_result_of, world_close } },
};

const bench_suite bench_hash = BENCH_SUITE(cases);
