// SPDX-License-Identifier: MIT
// Open, close and invalidate loops; hold and settle the world; advance its tick.
#include "world/loop_stack.h"

#include "world/membership.h"

// --- the stack -------------------------------------------------------------------------------

KITH_COLD bool kith_require_depth(kith_world *world, const char *call)
{
    kith_error error = { .code    = KITH_ERROR_LIMIT,
                         .call    = call,
                         .subject = "the number of open loops",
                         .have    = KITH_LOOP_DEPTH_MAX,
                         .other   = world->loops[0].name };
    return world->depth != KITH_LOOP_DEPTH_MAX || kith_world_fail(world, &error);
}

// Clears the loop's bit in the storages of its plan.
static void stop_watching(kith_world *world, const kith_loop *loop)
{
    const kith_plan *plan = loop->plan;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        plan->terms[i].storage->drop_watch &= ~loop->bit;
    }
    if (plan->count != plan->pool_end || loop->lead == KITH_NO_TERM) {
        kith_loop_watch_others(world, loop, false);
    }
}

// Completes the report of a loop that ends, unless a newer loop over the query has begun.
static void end_stats(kith_loop *loop)
{
    kith_loop_stats   *stats  = loop->stats;
    kith_query_report *counts = &loop->counts;
    counts->examined          = counts->in_runs + counts->gathered + counts->rejected;
    stats->report             = stats->latest == loop->number ? *counts : stats->report;
    stats->open--;
}

void kith_loop_close(kith_world *world, kith_loop *loop)
{
    for (kith_loop *newest = &world->loops[world->depth]; newest != loop;) {
        newest--;
        if (newest->plan != NULL) {
            stop_watching(world, newest);
        }
        if (newest->stats != NULL) {
            end_stats(newest);
        }
        newest->ticket = newest->serial = 0;
        kith_loop_enter(world, -1);
        world->depth--;
        world->shared.held--;
    }
    if (world->shared.held == 0 && world->unsettled_any) {
        kith_world_settle_all(world);
    }
}

bool kith_require_closable(kith_world *world, const kith_loop *loop, const char *call)
{
    if (world->nested == 0 || loop >= &world->loops[world->frames[world->nested - 1].depth]) {
        return true;
    }
    return kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0,
                                     "a listener can close only loops that it began", loop->name);
}

void kith_loop_free_block(kith_world *world, kith_loop *loop)
{
    kith_free(&world->memory, loop->block, loop->block_bytes, KITH_CACHE_LINE);
    loop->block       = NULL;
    loop->block_bytes = 0;
}

void kith_world_free_blocks(kith_world *world)
{
    assert(world->depth == 0);
    for (uint32_t i = 0; i < KITH_LOOP_DEPTH_MAX; i++) {
        kith_loop_free_block(world, &world->loops[i]);
    }
}

size_t kith_world_block_bytes(const kith_world *world)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < KITH_LOOP_DEPTH_MAX; i++) {
        bytes += world->loops[i].block_bytes;
    }
    return bytes;
}

// Adding a component of a pool term needs no notification: the loop does not visit newer rows. It
// matters for the other terms, which look at the entity as it is now.
void kith_loop_watch_others(kith_world *world, const kith_loop *loop, bool on)
{
    const kith_plan *plan = loop->plan;
    uint32_t         bit  = loop->bit;
    uint32_t         set  = on ? bit : 0;
    for (uint32_t i = plan->pool_end; i < plan->count; i++) {
        kith_storage *storage = plan->terms[i].storage;
        storage->drop_watch   = (storage->drop_watch & ~bit) | set;
        storage->add_watch    = (storage->add_watch & ~bit) | set;
        kith_storage_update_inline_bit(storage);
    }
    if (loop->lead == KITH_NO_TERM) {
        world->table_watch = (world->table_watch & ~bit) | set;
        world->entities.table_loops += on ? 1u : UINT32_MAX;
        kith_entity_table_update_room(&world->entities);
    }
}

void kith_loop_invalidate(kith_world *world, uint32_t watch, uint32_t index)
{
    for (; watch != 0; watch &= watch - 1) {
        kith_loop *loop  = &world->loops[kith_lowest_bit(watch)];
        uint32_t   place = loop->lead == KITH_NO_TERM
                               ? index
                               : kith_plan_term_row(&loop->plan->terms[loop->lead], index);
        if (place >= loop->block_first && place < loop->block_end) {
            loop->changed_end = place >= loop->changed_end ? place + 1 : loop->changed_end;
            loop->ticket      = 0;
        }
    }
}

// --- hold and settle -------------------------------------------------------------------------

// Calls `settle` for the pools with values that were removed while held, in registration order.
static void for_unsettled(kith_world *world, void (*settle)(kith_pool *pool))
{
    uint32_t words = (world->bit_count + 63) / 64;
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t bits = world->unsettled[word]; bits != 0; bits &= bits - 1) {
            settle(&world->by_bit[64 * word + kith_lowest_bit(bits)]->pool);
        }
    }
}

// Settles the pools, and the singletons among them, which have no bit.
static void settle_with_singletons(kith_world *world)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage *storage = world->storages[i];
        if (storage->gone != NULL) {
            kith_storage_settle(storage);
        } else if (storage->pool.set.removed_while_held != 0) {
            kith_pool_settle(&storage->pool);
        }
    }
}

void kith_world_settle_all(kith_world *world)
{
    kith_world_lock(world);
    if (world->unsettled_singles) {
        settle_with_singletons(world);
    } else {
        for_unsettled(world, kith_pool_settle);
    }
    if (world->groups.count != 0) {
        world->membership->close_gaps(world);
    }
    for_unsettled(world, kith_pool_close_holes);
    if (world->groups.count != 0) {
        world->membership->join_pending(world);
    }
    memset(world->unsettled, 0, sizeof world->unsettled);
    world->unsettled_singles = false;
    world->unsettled_any     = false;
    kith_world_unlock(world);
}

void kith_world_remove_later(kith_world *world, kith_storage *storage, uint32_t index)
{
    kith_pool_remove_to_hole(&storage->pool, index);
    if (!storage->pool.rowless) {
        kith_world_unsettle(world, storage);
    }
}

bool kith_component_detach(kith_world *world, kith_storage *storage, uint32_t index)
{
    bool joins = kith_storage_in_group(storage) && world->membership->before_remove(storage, index);
    kith_entity_bit_clear(&world->entities, index, storage->bit);
    if (world->shared.held == 0) {
        storage->pool.remove(&storage->pool, index);
    } else {
        kith_loop_notify(world, storage->drop_watch, index);
        kith_world_remove_later(world, storage, index);
    }
    if (joins) {
        world->membership->join(&storage->groups_without, index);
    }
    return true;
}

void kith_world_remove_single_later(kith_world *world, kith_storage *storage)
{
    assert(world->shared.held != 0);
    kith_storage_remove_single_later(storage);
    world->unsettled_singles = true;
    world->unsettled_any     = true;
}

KITH_COLD kith_error kith_world_held_error(const kith_world *world, const char *call,
                                           kith_component component)
{
    bool loop = world->depth != 0;
    return (kith_error){ .code      = KITH_ERROR_BUSY,
                         .call      = call,
                         .component = component,
                         .subject   = loop ? "a loop is open" : "a listener is running",
                         .other     = loop ? world->loops[0].name : NULL };
}

KITH_NOINLINE bool kith_require_movable(kith_world *world, const char *call,
                                        kith_component component)
{
    if (world->shared.held == 0) {
        return true;
    }
    kith_error error = kith_world_held_error(world, call, component);
    return kith_world_fail(world, &error);
}

bool kith_require_at_rest(kith_world *world, const char *call)
{
    return kith_require_unlocked(world, call) && kith_require_movable(world, call, 0);
}

KITH_COLD bool kith_require_at_rest_const(const kith_world *world, const char *call)
{
    kith_error error = { .code = KITH_ERROR_BUSY, .call = call, .subject = "a hook is running" };
    if ((world->head.busy_ & KITH_HOOKS_MASK) == 0) {
        if (world->shared.held == 0) {
            return true;
        }
        error = kith_world_held_error(world, call, 0);
    }
    return kith_world_report_error(world, &error);
}

bool kith_world_hold(kith_world *world)
{
    static const char call[] = "kith_world_hold";
    bool              may = kith_require_unlocked(world, call) && kith_require_depth(world, call);
    if (may) {
        kith_loop_open(world, &world->loops[world->depth], NULL, call);
    }
    return may;
}

bool kith_world_release(kith_world *world)
{
    if (!kith_require_unlocked(world, "kith_world_release")) {
        return false;
    }
    uint32_t depth = world->depth;
    while (depth != 0 && world->loops[depth - 1].plan != NULL) {
        depth--;
    }
    if (depth == 0) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, "kith_world_release", 0,
                                         "no hold is open; call kith_world_hold first", NULL);
    }
    kith_loop *loop = &world->loops[depth - 1];
    if (!kith_require_closable(world, loop, "kith_world_release")) {
        return false;
    }
    kith_loop_close(world, loop);
    return true;
}

// Whether a listener is running; reports an error when one is.
static bool in_listener(kith_world *world, const char *call)
{
    return world->nested != 0 && !kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0,
                                                            "a listener is running", NULL);
}

bool kith_world_settle(kith_world *world)
{
    if (!kith_require_unlocked(world, "kith_world_settle") ||
        in_listener(world, "kith_world_settle")) {
        return false;
    }
    kith_loop_close(world, &world->loops[0]);
    return true;
}

uint64_t kith_world_advance(kith_world *world)
{
    if (!kith_require_unlocked(world, "kith_world_advance") ||
        in_listener(world, "kith_world_advance") ||
        !kith_require_movable(world, "kith_world_advance", 0)) {
        return 0;
    }
    kith_world_set_tick(world, world->tick + 1);
    return world->tick;
}

uint64_t kith_world_now(const kith_world *world)
{
    return world->tick;
}
