// SPDX-License-Identifier: MIT
// Finding changes: a screen draws only changed rows, and a remote copy receives the differences.
// The program reports no change itself: every write stamps the row. Look at the empty lines:
// nothing was written, so nothing is drawn or sent.
#include <kith/kith.h>

#include <stdio.h>

enum { NAME = 1, PRICE };

// Each price row has the ticks of its add and its latest change. A journal keeps the last 4
// removals.
static const kith_traits price_traits = { .row_ticks = true, .journal = 4 };

KITH_COMPONENT(name, const char *, NAME);
KITH_COMPONENT_WITH(price, int, PRICE, price_traits);
KITH_MODULE(shop, name, price);

KITH_QUERY(fresh, read(name), read(price), changed(price));
KITH_QUERY(arrivals, read(name), added(price));

static kith_entity offer(kith_world *world, const char *name, int price)
{
    kith_entity entity = kith_entity_create(world);
    name_set(world, entity, name);
    price_set(world, entity, price);
    return entity;
}

// --- queries ---------------------------------------------------------------------------------

// A stored query counts from the tick in which its previous loop began. Each draw advances the tick
// first, so a loop finds the writes since the previous draw, and each write once.
static void draw(kith_world *world, kith_query *query)
{
    kith_world_advance(world);
    printf("draw:");
    KITH_EACH_STORED(fresh, f, query)
    {
        printf(" %s %d", *f.name, *f.price);
    }
    printf("\n");
}

static void show_terms(kith_world *world, const kith_entity *goods)
{
    kith_query *query = fresh_query(world);
    draw(world, query); // the first loop visits everything
    draw(world, query);

    *price_mut(world, goods[1]) = 3;          // mut counts as a change
    price_set_if_changed(world, goods[0], 5); // the same value: no change
    draw(world, query);

    uint64_t evening = kith_world_advance(world);
    offer(world, "figs", 9);
    price_set(world, goods[2], 8);
    printf("came in the evening:");
    arrivals a = arrivals_begin_since(world, evening);
    while (arrivals_next(&a)) {
        printf(" %s", *a.name);
    }
    printf("\n");
    draw(world, query); // salt and figs
    kith_query_destroy(query);
}

// --- removals --------------------------------------------------------------------------------

// Sends what changed since the tick `since` to a copy that has everything older. Spans are plain
// arrays, so a program could send many rows at once.
static void send(const kith_world *world, uint64_t since, kith_removals *removals)
{
    kith_removal gone;
    printf("send:");
    while (kith_removals_next(world, removals, &gone)) {
        printf(" -%u", (unsigned)kith_entity_index(gone.entity));
    }
    printf("%s", removals->lost ? " (the journal lost older removals)" : "");
    removals->lost       = false;
    kith_changes changes = price_changes(world, since);
    while (kith_changes_next(world, &changes)) {
        for (uint32_t i = 0; i < changes.count; i++) {
            kith_entity entity = price_entity(world, changes.row + i);
            printf(" %u=%d", (unsigned)kith_entity_index(entity),
                   price_value(world, changes.row)[i]);
        }
    }
    printf("\n");
}

static void show_journal(kith_world *world, const kith_entity *goods)
{
    uint64_t      today    = kith_world_advance(world);
    kith_removals removals = price_removals(world, today); // keep it: returns each once
    price_remove(world, goods[0]);
    kith_entity_destroy(world, goods[1]); // also removes the price
    price_set(world, goods[2], 7);
    send(world, today, &removals);

    today = kith_world_advance(world);
    send(world, today, &removals); // nothing

    for (int i = 0; i < 6; i++) { // more than the journal keeps
        kith_entity_destroy(world, offer(world, "sample", i));
    }
    send(world, today, &removals);
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    if (world == NULL || !shop_register(world)) {
        return 1;
    }
    kith_entity goods[] = { offer(world, "pears", 5), offer(world, "nuts", 6),
                            offer(world, "salt", 7) };
    show_terms(world, goods);
    show_journal(world, goods);
    kith_world_destroy(world);
    return 0;
}
