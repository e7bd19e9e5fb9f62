// SPDX-License-Identifier: MIT
// Room for more than can be addressed is refused where a set of entities and an order of systems
// grow, also where sizes have 32 bits.
#include "base/platform.h"
#include "event/event.h"
#include "system/system.h"

#include <stdio.h>

// Allocates blocks up to 4 MiB alone: no test takes gigabytes.
static void *take_little(void *context, size_t size, size_t alignment)
{
    (void)context;
    return size > 1u << 22 ? NULL : kith_platform_allocate(NULL, size, alignment);
}

static const kith_allocator little = { take_little, kith_platform_release, NULL };

// With a quarter on top, 16 bytes for each, and slots: 2^32 bytes.
static bool set_is_refused(void)
{
    kith_entity_set members = { .entries = NULL };
    return !kith_entity_set_reserve(&members, &little, UINT64_C(161061261), NULL);
}

// Twice as many systems have two tables of 2^17 x 2^17 bits.
static bool order_is_refused(void)
{
    kith_graph graph = { .capacity = 1u << 16, .count = 1u << 16 };
    return !kith_graph_reserve(&graph, &little);
}

int main(void)
{
    bool set   = set_is_refused();
    bool order = order_is_refused();
    if (!set || !order) {
        printf("room for too many %s is not refused\n", set ? "systems" : "entities");
    }
    return set && order ? 0 : 1;
}
