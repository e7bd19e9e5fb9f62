// SPDX-License-Identifier: MIT
// Connecting and disconnecting the listeners of one event.
#include "store/listener_list.h"

// The `call` of a listener that has only a `many` function.
static void call_with_one(kith_world *world, const kith_notice *notice, void *context)
{
    const kith_event_node *node = context;
    node->many(world, notice, &notice->entity, 1, node->many_context);
}

KITH_INTERNAL bool kith_event_connect(kith_event_list *list, const kith_allocator *memory,
                                      const kith_listener_desc *desc, kith_listener number)
{
    kith_event_node *node = kith_alloc(memory, sizeof *node, _Alignof(kith_event_node));
    if (node == NULL) {
        return false;
    }
    kith_event_node **place = &list->first;
    while (*place != NULL && (*place)->priority >= desc->priority) {
        place = &(*place)->next;
    }
    *node  = (kith_event_node){ .next         = *place,
                                .call         = desc->call == NULL ? call_with_one : desc->call,
                                .context      = desc->call == NULL ? node : desc->context,
                                .many         = desc->many,
                                .many_context = desc->context,
                                .number       = number,
                                .priority     = desc->priority };
    *place = node;
    list->count++;
    list->many += desc->many != NULL;
    return true;
}

KITH_INTERNAL bool kith_event_disconnect(kith_event_list *list, kith_listener number)
{
    for (kith_event_node *node = list->first; node != NULL; node = node->next) {
        if (node->number == number && node->call != NULL) {
            node->call = NULL;
            list->count--;
            list->many -= node->many != NULL;
            return true;
        }
    }
    return false;
}

KITH_INTERNAL void kith_event_sweep(kith_event_list *list, const kith_allocator *memory, bool all)
{
    kith_event_node **place = &list->first;
    while (*place != NULL) {
        kith_event_node *node = *place;
        if (all || node->call == NULL) {
            *place = node->next;
            list->count -= node->call != NULL;
            list->many -= node->call != NULL && node->many != NULL;
            kith_free(memory, node, sizeof *node, _Alignof(kith_event_node));
        } else {
            place = &node->next;
        }
    }
}

KITH_INTERNAL size_t kith_event_bytes(const kith_event_list *list)
{
    size_t bytes = 0;
    for (const kith_event_node *node = list->first; node != NULL; node = node->next) {
        bytes += sizeof *node;
    }
    return bytes;
}
