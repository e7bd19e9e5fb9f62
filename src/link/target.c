// SPDX-License-Identifier: MIT
// Targets: which are accepted, how holders join and leave their lists in every case, and what
// happens when a target ends. Listeners maintain the lists, so every call that adds or removes
// does.
#include "link/link.h"

#include "world/component.h"
#include "world/membership.h"

// --- order -----------------------------------------------------------------------------------

// Moves each holder to the end, or, if that changes nothing, only looks at them.
static bool order_holders_of(kith_storage *links, kith_entity target, const kith_storage *lists,
                             kith_entity original, kith_map_entity_fn follow, const void *context,
                             bool moves)
{
    const kith_storage     *from = lists->link.partner;
    const kith_holder_list *list = kith_list_of(lists, original);
    uint64_t                last = 0;
    for (uint32_t number = list == NULL ? 0 : list->first; number != 0;) {
        kith_entity      there = kith_holder_at(from, number);
        kith_entity      here  = follow(context, there);
        const kith_link *link  = kith_link_of(links, here);
        if (link != NULL && link->target == target && link->arrival != 0) {
            uint32_t row = kith_row_(&links->pool.set.head, here);
            if (moves) {
                kith_list_leave(links, row);
                kith_list_join(links, row, kith_entity_index(here) + 1, target);
            }
            if (link->arrival <= last) {
                return false;
            }
            last = link->arrival;
        }
        number = kith_link_of(from, there)->next;
    }
    return true;
}

void kith_link_order(kith_storage *links, kith_entity target, const kith_storage *lists,
                     kith_entity original, kith_map_entity_fn follow, const void *context)
{
    if (!order_holders_of(links, target, lists, original, follow, context, false)) {
        order_holders_of(links, target, lists, original, follow, context, true);
    }
}

// --- setting ---------------------------------------------------------------------------------

// Reports an error about a holder and its target. Returns false.
KITH_COLD static bool refuse_target(kith_world *world, const kith_storage *links,
                                    kith_entity entity, kith_entity target, const char *call)
{
    char       name[48];
    kith_print out   = kith_print_start(name, sizeof name);
    kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                         .call      = call,
                         .component = links->desc.id,
                         .entity    = entity,
                         .subject   = target == KITH_NULL ? "the target of a link is null"
                                      : target == entity  ? "the target of a link is its holder"
                                                          : "the target of a link is dead",
                         .other     = name };
    kith_print_format(&out, "target ");
    kith_print_entity(&out, target);
    kith_print_end(&out);
    return kith_world_fail(world, &error);
}

// Reserves a row for an entity that has none, beside `rows` - 1 others. Otherwise reports an error.
static bool reserve_row(kith_world *world, kith_storage *storage, kith_entity entity, uint32_t rows,
                        const char *call)
{
    kith_pool *pool = &storage->pool;
    uint64_t   end  = (uint64_t)pool->set.head.rows_ + rows;
    bool       fits = end <= kith_sparse_set_max(&pool->set);
    if (!fits || !kith_groups_reserve_page(world, storage, kith_entity_index(entity)) ||
        !kith_pool_reserve_rows(pool, (uint32_t)end) ||
        !kith_groups_reserve_rows(world, storage, (uint32_t)end)) {
        kith_error error = { .code      = fits ? KITH_ERROR_MEMORY : KITH_ERROR_LIMIT,
                             .call      = call,
                             .component = storage->desc.id,
                             .entity    = entity,
                             .have      = kith_sparse_set_max(&pool->set),
                             .other     = storage->desc.name };
        return kith_world_fail(world, &error);
    }
    kith_pool_unpoison(pool, 0, (uint32_t)end);
    return true;
}

// Adds the row that was reserved, without an event and to no group.
static void attach_row(kith_world *world, kith_storage *storage, kith_entity entity)
{
    uint32_t   index = kith_entity_index(entity);
    kith_pool *pool  = &storage->pool;
    memset(kith_pool_value(pool, kith_sparse_set_insert(&pool->set, entity)), 0, pool->size);
    kith_entity_bit_set(&world->entities, index, storage->bit);
    kith_loop_notify(world, storage->add_watch, index);
}

void kith_link_attach(kith_world *world, kith_storage *lists, kith_entity target)
{
    if (kith_row_(&lists->pool.set.head, target) == KITH_NO_ROW) {
        attach_row(world, lists, target);
        kith_groups_after_add(world, lists, kith_entity_index(target));
    }
}

bool kith_link_accept(kith_world *world, kith_storage *links, kith_entity entity, const void *value,
                      uint32_t *new_lists, const char *call)
{
    kith_storage *lists  = links->link.partner;
    kith_entity   target = value == NULL ? KITH_NULL : ((const kith_link *)value)->target;
    if (target == KITH_NULL || target == entity ||
        !kith_entity_table_alive(&world->entities, target)) {
        return refuse_target(world, links, entity, target, call);
    }
    return (world->nested == 0 || kith_require_living(world, lists, target, call)) &&
           (kith_row_(&lists->pool.set.head, target) != KITH_NO_ROW ||
            reserve_row(world, lists, target, ++*new_lists, call));
}

// Changes the target of a holder, or makes a new row one.
void kith_link_replace(kith_world *world, kith_storage *links, kith_entity entity,
                       const void *value)
{
    kith_entity target = ((const kith_link *)value)->target;
    kith_link_attach(world, links->link.partner, target); // rows may move
    uint32_t         row  = kith_row_(&links->pool.set.head, entity);
    const kith_link *link = kith_link_write(links, row);
    if (link->arrival != 0 && link->target != target) {
        kith_list_leave(links, row);
    }
    if (link->arrival == 0) {
        kith_list_join(links, row, kith_entity_index(entity) + 1, target);
    }
}

void *kith_link_put(kith_world *world, kith_entity entity, kith_storage *links, const void *value,
                    bool replace, const char *call)
{
    uint32_t row       = kith_row_(&links->pool.set.head, entity);
    bool     adds      = row == KITH_NO_ROW;
    uint32_t new_lists = 0;
    if (!adds && !replace) {
        return kith_link_in(links, row);
    }
    kith_event event = adds ? KITH_EVENT_ADD : KITH_EVENT_SET;
    if (!kith_link_accept(world, links, entity, value, &new_lists, call) ||
        !kith_require_event(world, &links->events[event], call, links->desc.id) ||
        (adds && !reserve_row(world, links, entity, 1, call))) {
        return NULL;
    }
    if (adds) {
        attach_row(world, links, entity);
    }
    kith_link_replace(world, links, entity, value);
    row = kith_row_(&links->pool.set.head, entity);
    return kith_value_announce(world, entity, links, kith_link_in(links, row), event);
}

// --- listeners -------------------------------------------------------------------------------

// A holder joins the list of its target. If that ended meanwhile, or the clone of a holder has no
// target, the link is gone before any other listener gets its add.
void kith_link_on_added(kith_world *world, const kith_notice *notice, void *context)
{
    kith_storage    *links = context;
    kith_storage    *lists = links->link.partner;
    uint32_t         row   = kith_row_(&links->pool.set.head, notice->entity);
    const kith_link *link  = kith_link_in(links, row);
    if (link->arrival != 0) {
        return; // kith_link_set did it
    }
    if (kith_row_(&lists->pool.set.head, link->target) == KITH_NO_ROW ||
        kith_world_is_dying(world, link->target) ||
        kith_world_is_removing(world, lists, link->target)) {
        kith_component_detach(world, links, kith_entity_index(notice->entity));
        return;
    }
    kith_list_join(links, row, kith_entity_index(notice->entity) + 1, link->target);
}

void kith_link_on_removed(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    kith_storage *links = context;
    uint32_t      row   = kith_row_(&links->pool.set.head, notice->entity);
    if (kith_link_in(links, row)->arrival != 0) {
        kith_list_leave(links, row);
    }
}

// Removes the link of a holder whose target ends. A holder that is being destroyed only leaves the
// list. If the nesting of events is too deep, the removal is not announced.
static void remove_link(kith_world *world, kith_storage *links, kith_entity holder)
{
    static const char call[] = "kith_link_remove";
    bool              dying  = kith_world_is_dying(world, holder);
    if (!dying && kith_component_remove_from(world, links, holder, call)) {
        return;
    }
    uint32_t row = kith_row_(&links->pool.set.head, holder);
    if (kith_link_in(links, row)->arrival != 0) {
        kith_list_leave(links, row);
    }
    if (!dying) {
        kith_component_detach(world, links, kith_entity_index(holder));
    }
}

// --- targets that end ------------------------------------------------------------------------
//
// Holders that are to be destroyed wait in one list of each link, and are destroyed when the event
// of the first target ends. Each of them adds its own holders to the end of the list:
//
//     target | its holders | their holders | ...        a level each, in link->arrival
//
// A holder leaves that list as it leaves any other, when a listener changes or removes its link.

// Returns the link with the pending holders of the lowest level, or NULL. Sets the level.
static kith_storage *next_pending(kith_world *world)
{
    kith_storage *next = NULL;
    for (kith_storage *links = world->links; links != NULL; links = links->link.next) {
        uint32_t first = links->link.pending.first;
        uint32_t level = first == 0 ? 0 : (uint32_t)kith_holder_write(links, first)->arrival;
        if (first != 0 && (next == NULL || level < world->pending_level)) {
            next                 = links;
            world->pending_level = level;
        }
    }
    return next;
}

// Destroys pending holders, unless a target that they named is still being destroyed. A holder that
// cannot be destroyed loses the link. No listener of many has got these events.
static void destroy_pending(kith_world *world)
{
    uint32_t outer = world->batch_depth;
    if (world->pending_level != 0 || world->nested >= world->pending_frames) {
        return;
    }
    world->batch_depth = UINT32_MAX;
    for (kith_storage *links; (links = next_pending(world)) != NULL;) {
        kith_entity holder = kith_holder_at(links, links->link.pending.first);
        kith_list_leave(links, kith_row_(&links->pool.set.head, holder));
        const kith_link *link = NULL;
        if (!kith_world_is_dying(world, holder) && !kith_entity_destroy(world, holder)) {
            link = kith_link_of(links, holder);
        }
        if (link != NULL && link->arrival == 0) {
            remove_link(world, links, holder);
        }
    }
    world->batch_depth   = outer;
    world->pending_level = 0;
    world->after_event   = NULL;
}

// Moves the holders of a target to the list of those that are to be destroyed. The world then
// counts as unsettled, so that the target is gone when its event ends.
static void wait_for_end(kith_world *world, kith_storage *links, kith_holder_list *list)
{
    kith_holder_list *pending = &links->link.pending;
    if (list->count == 0) {
        return;
    }
    for (uint32_t number = list->first; number != 0;) {
        kith_link *link = kith_holder_write(links, number);
        link->arrival   = KITH_PENDING | (world->pending_level + 1);
        number          = link->next;
    }
    if (pending->last != 0) {
        kith_holder_write(links, pending->last)->next   = list->first;
        kith_holder_write(links, list->first)->previous = pending->last;
    }
    pending->first = pending->last == 0 ? list->first : pending->first;
    pending->last  = list->last;
    pending->count += list->count;
    *list                 = (kith_holder_list){ 0 };
    bool first            = world->after_event == NULL;
    world->pending_frames = first ? world->nested : kith_min(world->pending_frames, world->nested);
    world->after_event    = destroy_pending;
    world->disconnected   = true;
    world->unsettled_any  = true;
    links->relinked++;
}

void kith_link_on_target_ended(kith_world *world, const kith_notice *notice, void *context)
{
    kith_storage     *lists = context;
    kith_storage     *links = lists->link.partner;
    kith_holder_list *list  = kith_list_write(lists, notice->entity);
    if (links->link.policy == KITH_TARGET_DESTROY && kith_world_is_dying(world, notice->entity)) {
        wait_for_end(world, links, list);
    }
    while (list->first != 0) { // the world is held: the list does not move
        remove_link(world, links, kith_holder_at(links, list->first));
    }
}

// Whether no link of KITH_TARGET_REFUSE holds the entity. Otherwise reports an error.
bool kith_link_may_destroy(kith_world *world, kith_entity entity, const char *call)
{
    for (const kith_storage *links = world->links; links != NULL; links = links->link.next) {
        const kith_holder_list *list = kith_list_of(links->link.partner, entity);
        if (links->link.policy == KITH_TARGET_REFUSE && list != NULL && list->count != 0 &&
            !world->clearing) {
            kith_error error = { .code      = KITH_ERROR_HELD,
                                 .call      = call,
                                 .component = links->desc.id,
                                 .entity    = entity,
                                 .have      = list->count };
            return kith_world_fail(world, &error);
        }
    }
    return true;
}
