// SPDX-License-Identifier: MIT
// Connecting and disconnecting the listeners of one event.
#include "store/listener_list.h"

// The `call` of a listener that has only a `many` function.
static void call_with_one(kith_world *world, const kith_notice *notice, void *context)
{
    const kith_listener_node *node = context;
    node->many(world, notice, &notice->entity, 1, node->many_context);
}

bool kith_listeners_add(kith_listeners *list, const kith_allocator *memory,
                        const kith_listener_desc *desc, kith_listener number)
{
    kith_listener_node *node = kith_alloc(memory, sizeof *node, _Alignof(kith_listener_node));
    if (node == NULL) {
        return false;
    }
    kith_listener_node **place = &list->first;
    while (*place != NULL && (*place)->priority >= desc->priority) {
        place = &(*place)->next;
    }
    *node  = (kith_listener_node){ .next         = *place,
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

bool kith_listeners_remove(kith_listeners *list, kith_listener number)
{
    for (kith_listener_node *node = list->first; node != NULL; node = node->next) {
        if (node->number == number && node->call != NULL) {
            node->call = NULL;
            list->count--;
            list->many -= node->many != NULL;
            return true;
        }
    }
    return false;
}

static void cut_list(kith_listeners *list, const kith_allocator *memory, bool all)
{
    kith_listener_node **place = &list->first;
    while (*place != NULL) {
        kith_listener_node *node = *place;
        if (all || node->call == NULL) {
            *place = node->next;
            list->count -= node->call != NULL;
            list->many -= node->call != NULL && node->many != NULL;
            kith_free(memory, node, sizeof *node, _Alignof(kith_listener_node));
        } else {
            place = &node->next;
        }
    }
}

void kith_listeners_cut(kith_listeners *lists, uint32_t count, const kith_allocator *memory,
                        bool all)
{
    for (uint32_t i = 0; i < count; i++) {
        cut_list(&lists[i], memory, all);
    }
}

size_t kith_listeners_bytes(const kith_listeners *lists, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (const kith_listener_node *node = lists[i].first; node != NULL; node = node->next) {
            bytes += sizeof *node;
        }
    }
    return bytes;
}
