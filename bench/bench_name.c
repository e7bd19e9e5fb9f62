// SPDX-License-Identifier: MIT
// NA1: finds each entity by its name, in random order; beside a hash table of the program.
#include "bench.h"

#include "kith/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLED = LETTER_A, TEXT = 16 };

KITH_UNIQUE_NAME(called, CALLED);

static char (*texts)[TEXT]; // of each place of `out`, in random order
static uint32_t *table;     // 1 + place; twice as many as texts, a power of two at least
static uint32_t  mask;
static unsigned  users; // both sides share these, and may be open at once

static uint32_t hash_by_hand(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 16777619u;
    }
    return hash ^ hash >> 15;
}

static uint32_t place_by_hand(const char *text)
{
    uint32_t at = hash_by_hand(text) & mask;
    while (table[at] != 0 && strcmp(texts[table[at] - 1], text) != 0) {
        at = (at + 1) & mask;
    }
    return at;
}

static void open_named(bench_data *data)
{
    world_open(data);
    bench_require(called_register(data->world), "register");
    bench_require(kith_entity_create_many(data->world, data->out, data->n, NULL, 0), "create");
    bench_shuffle(data);
    bool first = users++ == 0;
    if (first) {
        for (mask = 1; mask < 2 * data->n; mask *= 2) {
        }
        texts = calloc(data->n, sizeof *texts);
        table = calloc(mask--, sizeof *table);
        bench_require(texts != NULL && table != NULL, "memory");
    }
    for (uint32_t i = 0; i < data->n; i++) {
        snprintf(texts[i], TEXT, "unit %u", (unsigned)kith_entity_index(data->out[i]));
        bench_require(called_set(data->world, data->out[i], texts[i]), "set");
        if (first) {
            table[place_by_hand(texts[i])] = i + 1;
        }
    }
}

static void close_named(bench_data *data)
{
    if (--users == 0) {
        free(texts);
        free(table);
    }
    world_close(data);
}

BENCH_KERNEL void find_names(bench_data *data)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += called_find(data->world, texts[i]);
    }
    data->result = (double)(uint32_t)sum;
}

BENCH_KERNEL void find_by_hand(bench_data *data)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += data->out[table[place_by_hand(texts[i])] - 1];
    }
    data->result = (double)(uint32_t)sum;
}

static double sum_of_finds(const bench_data *data)
{
    return data->result;
}

static const bench_case cases[] = {
    { .id       = "NA1",
      .form     = "find by name",
      .sizes    = { 65536 },
      .kind     = BENCH_STEADY,
      .baseline = "a hash table by hand",
      .kith     = { open_named, find_names, sum_of_finds, close_named },
      .limit    = { open_named, find_by_hand, sum_of_finds, close_named } },
};

const bench_suite bench_name = BENCH_SUITE(cases);
