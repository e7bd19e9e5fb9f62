// SPDX-License-Identifier: MIT
// Links: setting and removing them in the usual case, and walking the holders of a target.
#include "link/link.h"

// --- setting ---------------------------------------------------------------------------------

// Whether adding and removing rows is known to nothing but the lists, and the entity is alive.
static inline bool is_simple(const kith_world *world, const kith_storage *links, kith_entity entity)
{
    const kith_pool_head_ *head = &links->pool.set.head;
    uint32_t               page = kith_entity_index(entity) >> KITH_PAGE_SHIFT_;
    return links->link.ops != NULL && links->is_direct && links->reservers == 0 &&
           (world->head.busy_ | world->shared.held) == 0 && page < head->sparse_pages_ &&
           world->head.entities_[page][entity & KITH_PAGE_MASK_] == entity;
}

KITH_NOINLINE static bool set_any_case(kith_world *world, kith_entity entity, kith_component link,
                                       kith_entity target)
{
    static const char call[] = "kith_component_set"; // messages say NAME_set
    const kith_link   value  = { .target = target };
    kith_storage     *links =
        kith_storage_for_entity(world, entity, link, 1u << KITH_ACCESS_LINK, call);
    return links != NULL && kith_link_put(world, entity, links, &value, true, call) != NULL;
}

// The usual case, without hooks, loops and groups, does what kith_link_put and the listener do, at
// once (bench H4, H5).
bool kith_link_set(kith_world *world, kith_entity entity, kith_component link, kith_entity target)
{
    kith_storage *links = kith_pools_storage(world->head.writable_, link);
    uint32_t      index = kith_entity_index(entity);
    if (KITH_UNLIKELY_(links == NULL || !is_simple(world, links, entity) || target == entity ||
                       kith_row_(&links->link.partner->pool.set.head, target) == KITH_NO_ROW)) {
        return set_any_case(world, entity, link, target);
    }
    kith_pool_head_ *head = &links->pool.set.head;
    uint64_t        *slot = kith_sparse_set_slot(&links->pool.set, index);
    uint32_t         row  = head->rows_;
    if (*slot != KITH_EMPTY || row == head->capacity_) {
        return set_any_case(world, entity, link, target);
    }
    uint8_t *page = head->pages_[row >> KITH_LINK_SHIFT];
    head->rows_   = row + 1;
    kith_pool_unpoison(&links->pool, row, 1);
    *slot = entity >> 32 << 32 | row;
    ((uint32_t *)(void *)(page + head->packed_at_))[row & ((1u << KITH_LINK_SHIFT) - 1)] = index;
    kith_entity_page_of(&world->entities, index)->signature[index & KITH_PAGE_MASK_] |=
        UINT64_C(1) << links->bit;
    kith_list_join(links, row, index + 1, target);
    return links->events[KITH_EVENT_ADD].count == 1 ||
           kith_value_announce(world, entity, links, kith_link_in(links, row), KITH_EVENT_ADD) !=
               NULL;
}

// Removes a row of a pool without disabled rows: the last row moves into the gap. Links have no
// journal and no ticks, and their only hook copies.
static inline void take_row(kith_sparse_set *set, uint32_t index, uint32_t row, kith_link *gap,
                            const kith_link *end)
{
    uint32_t last                     = --set->head.rows_;
    *kith_sparse_set_slot(set, index) = KITH_EMPTY;
    set->moves++;
    if (row != last) {
        uint32_t moved                    = *kith_sparse_set_packed(set, last);
        *kith_sparse_set_packed(set, row) = moved;
        *gap                              = *end;
        kith_slot_set_row(set, moved, row);
        kith_sparse_set_stamp_page(set, row);
    }
}

bool kith_link_remove(kith_world *world, kith_entity entity, kith_component link)
{
    kith_storage *links = kith_pools_storage(world->head.writable_, link);
    uint32_t      index = kith_entity_index(entity);
    if (KITH_UNLIKELY_(links == NULL || !is_simple(world, links, entity) ||
                       links->pool.disabled != NULL ||
                       links->events[KITH_EVENT_REMOVE].count != 1)) {
        return kith_component_remove(world, entity, link);
    }
    uint32_t row = kith_row_(&links->pool.set.head, entity);
    if (row == KITH_NO_ROW) {
        return false;
    }
    kith_list_leave(links, row);
    kith_entity_page_of(&world->entities, index)->signature[index & KITH_PAGE_MASK_] &=
        ~(UINT64_C(1) << links->bit);
    take_row(&links->pool.set, index, row, kith_link_in(links, row),
             kith_link_in(links, links->pool.set.head.rows_ - 1));
    return true;
}

// --- walking ---------------------------------------------------------------------------------

// Returns the list of a target, or NULL if it has none, or on an error, which is reported.
static const kith_holder_list *list_for_read(const kith_world *world, kith_component link,
                                             kith_entity target, const char *call)
{
    const kith_storage *links = kith_storage_for_read(world, link, 1u << KITH_ACCESS_LINK, call);
    return links == NULL ? NULL : kith_list_of(links->link.partner, target);
}

uint32_t kith_holders_count(const kith_world *world, kith_component link, kith_entity target)
{
    const kith_holder_list *list = list_for_read(world, link, target, "kith_holders_count");
    return list == NULL ? 0 : list->count;
}

kith_holders kith_holders_begin(const kith_world *world, kith_component link, kith_entity target)
{
    const kith_holder_list *list = list_for_read(world, link, target, "kith_holders_begin");
    kith_holders            walk = { .world_ = world, .target = target, .link = link };
    if (list != NULL && list->count != 0) {
        const kith_storage *links = kith_world_storage(world, link);
        walk.pool_                = &links->pool.set.head;
        walk.changes_             = &links->relinked;
        walk.seen_                = links->relinked;
        walk.ahead_               = list->first;
        walk.last_                = kith_link_of(links, kith_holder_at(links, list->last))->arrival;
    }
    return walk;
}

// The holder with this number if it names the target since the begin, and comes after the last
// entity of the walk. Returns NULL otherwise.
static const kith_link *holder_ahead(const kith_holders *walk, const kith_storage *links,
                                     uint32_t number)
{
    uint32_t row = number == 0 ? KITH_NO_ROW : kith_sparse_set_row_at(&links->pool.set, number - 1);
    const kith_link *link = row == KITH_NO_ROW ? NULL : kith_link_in(links, row);
    return link != NULL && link->target == walk->target && link->arrival > walk->arrival_ &&
                   link->arrival <= walk->last_
               ? link
               : NULL;
}

// Returns the number of the next holder, or 0. Lists change at their end and lose holders, so
// the one after the last entity is its next, or the one that was its next, or the first that came
// later.
static uint32_t find_ahead(const kith_holders *walk, const kith_storage *links)
{
    const kith_holder_list *list = kith_list_of(links->link.partner, walk->target);
    const kith_link        *here = kith_link_of(links, walk->entity);
    if (list == NULL) {
        return 0;
    }
    if (here != NULL && here->target == walk->target && here->arrival == walk->arrival_) {
        return here->next;
    }
    uint32_t number = walk->ahead_;
    if (holder_ahead(walk, links, number) == NULL) {
        number = list->first;
        while (number != 0 && holder_ahead(walk, links, number) == NULL) {
            number = kith_link_of(links, kith_holder_at(links, number))->next;
        }
    }
    return number;
}

// A walk has seen all changes if the list has no holder that came after the begin.
bool kith_holders_next(kith_holders *walk)
{
    if (walk->ahead_ == 0 || *walk->changes_ == walk->seen_) {
        return walk->ahead_ != 0 && kith_holders_step_(walk);
    }
    const kith_storage *links  = (const kith_storage *)(const void *)walk->pool_;
    uint32_t            number = find_ahead(walk, links);
    const kith_link    *link   = holder_ahead(walk, links, number);
    walk->ahead_               = link == NULL ? 0 : link->next;
    if (link == NULL) {
        return false;
    }
    const kith_holder_list *list = kith_list_of(links->link.partner, walk->target);
    uint64_t newest              = kith_link_of(links, kith_holder_at(links, list->last))->arrival;
    walk->seen_                  = newest <= walk->last_ ? links->relinked : links->relinked - 1;
    walk->entity                 = kith_holder_at(links, number);
    walk->arrival_               = link->arrival;
    return true;
}
