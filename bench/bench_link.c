// SPDX-License-Identifier: MIT
// H4 to H7: all entities become holders of one target, lose the link, are walked, and lose it
// because the target ends; beside the same changes of a plain component of 8 bytes.
#include "bench.h"

#include "kith/link.h"

enum { HELD = LETTER_A, WORD };

KITH_LINK(held, HELD, KITH_TARGET_CLEAR);
KITH_COMPONENT(word, uint64_t, WORD);

static void open_unlinked(bench_data *data)
{
    world_open(data);
    bench_require(held_register(data->world) && word_register(data->world), "register");
    bench_require(kith_entity_create_many(data->world, data->out, data->n, NULL, 0), "create");
    bench_require(held_reserve(data->world, data->n) && word_reserve(data->world, data->n),
                  "reserve");
    for (uint32_t i = 1; i < data->n; i++) { // allocates the lookup and the list
        bench_require(held_set(data->world, data->out[i], data->out[0]), "set");
        word_set(data->world, data->out[i], i);
    }
    for (uint32_t i = 1; i < data->n; i++) {
        held_remove(data->world, data->out[i]);
        word_remove(data->world, data->out[i]);
    }
}

BENCH_KERNEL void link_all(bench_data *data)
{
    for (uint32_t i = 1; i < data->n; i++) {
        held_set(data->world, data->out[i], data->out[0]);
    }
}

BENCH_KERNEL void set_words(bench_data *data)
{
    for (uint32_t i = 1; i < data->n; i++) {
        word_set(data->world, data->out[i], i);
    }
}

static void open_linked(bench_data *data)
{
    open_unlinked(data);
    link_all(data);
    set_words(data);
}

BENCH_KERNEL void unlink_all(bench_data *data)
{
    for (uint32_t i = 1; i < data->n; i++) {
        held_remove(data->world, data->out[i]);
    }
}

BENCH_KERNEL void remove_words(bench_data *data)
{
    for (uint32_t i = 1; i < data->n; i++) {
        word_remove(data->world, data->out[i]);
    }
}

BENCH_KERNEL void walk_holders(bench_data *data)
{
    kith_holders walk = held_begin(data->world, data->out[0]);
    uint64_t     sum  = 0;
    while (held_next(&walk)) {
        sum += walk.entity;
    }
    data->result = (double)(uint32_t)sum;
}

BENCH_KERNEL void end_target(bench_data *data)
{
    kith_entity_destroy(data->world, data->out[0]);
}

static double count_links(const bench_data *data)
{
    return (double)kith_component_count(data->world, HELD) + (double)word_count(data->world);
}

static double sum_of_walk(const bench_data *data)
{
    return data->result;
}

// The least work: an array of the same handles.
BENCH_KERNEL void walk_array(bench_data *data)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < data->n; i++) {
        sum += data->out[i];
    }
    data->result = (double)(uint32_t)sum;
}

#define PLAIN "kith, a plain component of 8 bytes"

static const bench_case cases[] = {
    { .id       = "H4",
      .form     = "set a link",
      .sizes    = { 65536 },
      .target   = 2.5,
      .baseline = PLAIN,
      .kith     = { open_unlinked, link_all, count_links, world_close },
      .limit    = { open_unlinked, set_words, count_links, world_close } },
    { .id       = "H5",
      .form     = "remove a link",
      .sizes    = { 65536 },
      .target   = 2.5,
      .baseline = PLAIN,
      .kith     = { open_linked, unlink_all, count_links, world_close },
      .limit    = { open_linked, remove_words, count_links, world_close } },
    { .id    = "H6",
      .form  = "walk holders",
      .sizes = { 65536 },
      .kind  = BENCH_STEADY,
      .kith  = { open_linked, walk_holders, sum_of_walk, world_close },
      .limit = { open_linked, walk_array, sum_of_walk, world_close } },
    { .id       = "H7",
      .form     = "target ends",
      .sizes    = { 65536 },
      .baseline = "kith, each link removed",
      .kith     = { open_linked, end_target, count_links, world_close },
      .limit    = { open_linked, unlink_all, count_links, world_close } },
};

const bench_suite bench_link = BENCH_SUITE(cases);
