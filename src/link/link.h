// SPDX-License-Identifier: MIT
// Links: what other folders read of the lists of holders. `links` is the component of the holders,
// links->link.partner that of the targets.
//
//     target --> list: first, last, count
//                        |      |
//                     holder <--> holder        each with its target and its arrival
//
// A holder is named by a number, 1 + its index, so that 0 is none and a link has 24 bytes.
//
// Invariant: a holder whose arrival is not 0 is in one list: that of its target, or, with the bit
// KITH_PENDING, that of holders that wait to be destroyed. Arrivals ascend along a list. A holder
// whose arrival is 0 is a clone whose add is still to be announced, or its remove is being
// announced.
#pragma once

#include "kith/link.h"

#include "world/world.h"

// In the arrival of a holder that waits to be destroyed: the other bits are its distance from the
// first target.
#define KITH_PENDING (UINT64_C(1) << 63)

// The rows of a page, as powers of two: links and lists have no traits that change them.
#define KITH_LINK_SHIFT KITH_SHIFT_(sizeof(kith_link))
#define KITH_LIST_SHIFT KITH_SHIFT_(sizeof(kith_holder_list))

static inline kith_link *kith_link_in(const kith_storage *links, uint32_t row)
{
    const kith_pool_head_ *head = &links->pool.set.head;
    return kith_value_(head, head->pages_, row, sizeof(kith_link), KITH_LINK_SHIFT);
}

static inline kith_holder_list *kith_list_in(const kith_storage *lists, uint32_t row)
{
    const kith_pool_head_ *head = &lists->pool.set.head;
    return kith_value_(head, head->pages_, row, sizeof(kith_holder_list), KITH_LIST_SHIFT);
}

// Return the link of a holder, the list of a target, or NULL.
static inline const kith_link *kith_link_of(const kith_storage *links, kith_entity entity)
{
    uint32_t row = kith_row_(&links->pool.set.head, entity);
    return row == KITH_NO_ROW ? NULL : kith_link_in(links, row);
}

static inline const kith_holder_list *kith_list_of(const kith_storage *lists, kith_entity target)
{
    uint32_t row = kith_row_(&lists->pool.set.head, target);
    return row == KITH_NO_ROW ? NULL : kith_list_in(lists, row);
}

// The entity with this number, which has the link.
static inline kith_entity kith_holder_at(const kith_storage *links, uint32_t number)
{
    return *kith_sparse_set_slot(&links->pool.set, number - 1) >> 32 << 32 | (number - 1);
}

// --- writing -----------------------------------------------------------------------------------

// The link in a row, or the list of a target, which exists, to be written.
static inline kith_link *kith_link_write(kith_storage *links, uint32_t row)
{
    links->pool.set.head.stamps_[row >> KITH_LINK_SHIFT] = links->pool.set.head.tick_;
    return kith_link_in(links, row);
}

static inline kith_link *kith_holder_write(kith_storage *links, uint32_t number)
{
    return kith_link_write(links, (uint32_t)*kith_sparse_set_slot(&links->pool.set, number - 1));
}

static inline kith_holder_list *kith_list_write(kith_storage *lists, kith_entity target)
{
    uint32_t row = (uint32_t)*kith_sparse_set_slot(&lists->pool.set, kith_entity_index(target));
    lists->pool.set.head.stamps_[row >> KITH_LIST_SHIFT] = lists->pool.set.head.tick_;
    return kith_list_in(lists, row);
}

// Makes the holder in a row, which is in no list, the last one of its target.
static inline void kith_list_join(kith_storage *links, uint32_t row, uint32_t number,
                                  kith_entity target)
{
    kith_holder_list *list = kith_list_write(links->link.partner, target);
    uint32_t          last = list->last;
    if (last != 0) {
        kith_holder_write(links, last)->next = number;
    }
    list->first = last == 0 ? number : list->first;
    list->last  = number;
    list->count += 1;
    *kith_link_write(links, row) = (kith_link){ target, last, 0, ++links->link.arrivals };
    links->relinked++;
}

// Takes the holder in a row out of its list. It keeps its target.
static inline void kith_list_leave(kith_storage *links, uint32_t row)
{
    kith_link        *link = kith_link_write(links, row);
    kith_holder_list *list = KITH_UNLIKELY_((link->arrival & KITH_PENDING) != 0)
                                 ? &links->link.pending
                                 : kith_list_write(links->link.partner, link->target);
    *(link->previous == 0 ? &list->first : &kith_holder_write(links, link->previous)->next) =
        link->next;
    *(link->next == 0 ? &list->last : &kith_holder_write(links, link->next)->previous) =
        link->previous;
    list->count -= 1;
    link->previous = link->next = 0;
    link->arrival               = 0;
    links->relinked++;
}

// --- the functions of kith_link_ops (target.c) -------------------------------------------------

void *kith_link_put(kith_world *world, kith_entity entity, kith_storage *links, const void *value,
                    bool replace, const char *call);
bool kith_link_accept(kith_world *world, kith_storage *links, kith_entity entity, const void *value,
                      uint32_t *new_lists, const char *call);
void kith_link_attach(kith_world *world, kith_storage *lists, kith_entity target);
void kith_link_replace(kith_world *world, kith_storage *links, kith_entity entity,
                       const void *value);
void kith_link_order(kith_storage *links, kith_entity target, const kith_storage *lists,
                     kith_entity original, kith_map_entity_fn follow, const void *context);

// --- listeners (target.c) ----------------------------------------------------------------------

// The context is the component of the event.
void kith_link_on_added(kith_world *world, const kith_notice *notice, void *context);
void kith_link_on_removed(kith_world *world, const kith_notice *notice, void *context);
void kith_link_on_target_ended(kith_world *world, const kith_notice *notice, void *context);

// Whether no link of KITH_TARGET_REFUSE holds the entity. Otherwise reports an error.
bool kith_link_may_destroy(kith_world *world, kith_entity entity, const char *call);
