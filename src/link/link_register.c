// SPDX-License-Identifier: MIT
// Registers links, and checks their lists.
#include "link/link.h"

#include "world/component.h"

// --- checking --------------------------------------------------------------------------------

// The link of the holder with this number, if it names the target; otherwise NULL.
static const kith_link *named_link(const kith_storage *links, uint32_t number, kith_entity target)
{
    uint32_t         row  = kith_sparse_set_row_at(&links->pool.set, number - 1);
    const kith_link *link = row == KITH_NO_ROW ? NULL : kith_link_in(links, row);
    return link != NULL && link->target == target ? link : NULL;
}

// Returns what is wrong with the place of a holder in its list, or NULL.
static const char *check_holder(const kith_storage *links, const kith_link *link, uint32_t number,
                                bool numbered)
{
    const kith_holder_list *list   = kith_list_of(links->link.partner, link->target);
    const kith_link        *before = NULL;
    const kith_link        *after  = NULL;
    if (list == NULL || link->target == kith_holder_at(links, number)) {
        return "a link names an entity that has no list, or its own holder";
    }
    if (link->previous != 0) {
        before = named_link(links, link->previous, link->target);
    }
    if (link->next != 0) {
        after = named_link(links, link->next, link->target);
    }
    bool first = link->previous == 0 ? list->first == number : before != NULL;
    bool last  = link->next == 0 ? list->last == number : after != NULL;
    return first && last && (before == NULL || before->next == number) &&
                   (after == NULL || after->previous == number) &&
                   (before == NULL || !numbered || before->arrival <= link->arrival) &&
                   (!numbered || link->arrival <= links->link.arrivals)
               ? NULL
               : "two holders in a list do not agree";
}

// Returns how many holders a list has; one more than it says if it is longer, and UINT64_MAX if it
// leads to an entity that does not name the target.
static uint64_t length_of(const kith_storage *links, const kith_holder_list *list,
                          kith_entity target)
{
    uint64_t length = 0;
    for (uint32_t number = list->first; number != 0 && length <= list->count; length++) {
        const kith_link *link = named_link(links, number, target);
        if (link == NULL) {
            return UINT64_MAX;
        }
        number = link->next;
    }
    return length;
}

static bool is_hole(const kith_storage *storage, uint32_t row)
{
    return (*kith_sparse_set_packed(&storage->pool.set, row) & KITH_HOLE) != 0;
}

// Holders that are in no list, or wait to be destroyed, exist only while events are announced.
static const char *check_holder_lists(const kith_world *world, const kith_storage *links,
                                      bool numbered)
{
    const kith_storage *lists  = links->link.partner;
    uint64_t            linked = 0;
    for (uint32_t row = 0; row < links->pool.set.head.rows_; row++) {
        const kith_link *link = kith_link_in(links, row);
        bool aside = numbered && (link->arrival == 0 || (link->arrival & KITH_PENDING) != 0);
        if (is_hole(links, row) || (aside && world->nested != 0)) {
            continue;
        }
        uint32_t    number = *kith_sparse_set_packed(&links->pool.set, row) + 1;
        const char *fault =
            aside ? "a holder is in no list" : check_holder(links, link, number, numbered);
        if (fault != NULL) {
            return fault;
        }
        linked++;
    }
    for (uint32_t row = 0; row < lists->pool.set.head.rows_; row++) {
        if (!is_hole(lists, row)) {
            const kith_holder_list *list  = kith_list_in(lists, row);
            uint32_t                index = *kith_sparse_set_packed(&lists->pool.set, row);
            kith_entity target = *kith_sparse_set_slot(&lists->pool.set, index) >> 32 << 32 | index;
            if (length_of(links, list, target) != list->count ||
                (list->first == 0) != (list->last == 0)) {
                return "the count of holders is wrong";
            }
            linked -= list->count;
        }
    }
    return linked == 0 ? NULL : "holders form a cycle";
}

static void number_links(kith_storage *links)
{
    const kith_storage *lists = links->link.partner;
    for (uint32_t row = 0; row < lists->pool.set.head.rows_; row++) {
        uint32_t number = is_hole(lists, row) ? 0 : kith_list_in(lists, row)->first;
        while (number != 0) {
            uint32_t   at   = kith_sparse_set_row_at(&links->pool.set, number - 1);
            kith_link *link = kith_link_in(links, at);
            link->arrival   = ++links->link.arrivals;
            number          = link->next;
        }
    }
    links->relinked++;
}

// --- registering -----------------------------------------------------------------------------

static const char call_register_link[] = "kith_link_register";

// The copy hooks. Of a link only the target is copied, of a list nothing.
static bool copy_target(void *value, const void *source, void *context)
{
    (void)context;
    *(kith_link *)value = (kith_link){ .target = ((const kith_link *)source)->target };
    return true;
}

static bool copy_no_holders(void *value, const void *source, void *context)
{
    (void)source;
    (void)context;
    *(kith_holder_list *)value = (kith_holder_list){ 0 };
    return true;
}

static bool copy_link(kith_world *clone, const kith_storage *from);

static const kith_link_ops link_ops = {
    .set     = kith_link_put,
    .accept  = kith_link_accept,
    .attach  = kith_link_attach,
    .replace = kith_link_replace,
    .order   = kith_link_order,
    .copy    = copy_link,
    .check   = check_holder_lists,
    .number  = number_links,
};

// Connects a listener of the highest priority. Returns its number, or 0 when memory runs out.
static kith_listener listen(kith_world *world, kith_storage *storage, kith_event event,
                            kith_listener_fn call)
{
    kith_listener_desc desc = { .event     = event,
                                .component = storage->desc.id,
                                .call      = call,
                                .context   = storage,
                                .priority  = INT32_MAX };
    return kith_world_connect(world, &storage->events[event], storage, &desc, NULL);
}

static bool connect_lists(kith_world *world, kith_storage *links, kith_storage *lists)
{
    kith_listener added = listen(world, links, KITH_EVENT_ADD, kith_link_on_added);
    kith_listener ended = listen(world, lists, KITH_EVENT_REMOVE, kith_link_on_target_ended);
    if (added != 0 && ended != 0 &&
        listen(world, links, KITH_EVENT_REMOVE, kith_link_on_removed) != 0) {
        return true;
    }
    kith_world_disconnect(world, &links->events[KITH_EVENT_ADD], links, KITH_EVENT_ADD, added);
    kith_world_disconnect(world, &lists->events[KITH_EVENT_REMOVE], lists, KITH_EVENT_REMOVE,
                          ended);
    return kith_world_refuse(world, KITH_ERROR_MEMORY, call_register_link, links->desc.id,
                             KITH_NULL);
}

// Where the pointer to the next link of the world belongs.
static kith_storage **links_end(kith_world *world)
{
    kith_storage **end = &world->links;
    while (*end != NULL) {
        end = &(*end)->link.next;
    }
    return end;
}

// Makes two components a link and its lists. Returns false, with an error, when memory runs out.
static bool become_link(kith_world *world, kith_storage *links, kith_storage *lists,
                        kith_target policy)
{
    static const kith_hooks of_links = { .copy = copy_target };
    static const kith_hooks of_lists = { .copy = copy_no_holders };
    if (!connect_lists(world, links, lists)) {
        return false;
    }
    kith_storage_set_hooks(links, &of_links);
    kith_storage_set_hooks(lists, &of_lists);
    links->is_own = lists->is_own = true;
    links->access                 = KITH_ACCESS_LINK;
    lists->access                 = KITH_ACCESS_LIST;
    links->link         = (kith_link_part){ &link_ops, .partner = lists, .policy = policy };
    lists->link.partner = links;
    *links_end(world)   = links;
    if (policy == KITH_TARGET_REFUSE) {
        world->may_destroy = kith_link_may_destroy;
    }
    return true;
}

static bool copy_link(kith_world *clone, const kith_storage *from)
{
    kith_storage *links  = kith_world_storage(clone, from->desc.id);
    kith_storage *lists  = kith_world_storage(clone, from->link.partner->desc.id);
    bool          made   = become_link(clone, links, lists, from->link.policy);
    links->link.arrivals = from->link.arrivals;
    return made;
}

static bool has_top_listener(const kith_storage *storage)
{
    bool found = false;
    for (kith_event event = KITH_EVENT_ADD; event <= KITH_EVENT_REMOVE; event++) {
        const kith_listener_node *first = storage->events[event].first;
        found                           = found || (first != NULL && first->priority == INT32_MAX);
    }
    return found;
}

static bool is_required(const kith_world *world, const kith_storage *storage)
{
    bool found = false;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        for (uint32_t n = 0; n < world->storages[i]->required_count; n++) {
            found = found || world->storages[i]->required[n] == storage;
        }
    }
    return found;
}

// Returns why two components cannot be a link and its lists, or NULL.
static const char *link_fault(const kith_world *world, kith_storage *links, kith_storage *lists)
{
    links->link.partner = lists;
    const char *fault   = is_required(world, links) || is_required(world, lists)
                              ? "another component requires the link or its lists"
                          : has_top_listener(links) || has_top_listener(lists)
                              ? "a listener has the priority INT32_MAX, which a link needs"
                              : check_holder_lists(world, links, false);
    links->link.partner = NULL;
    return fault;
}

// Makes a link, which a failed call made, two plain components again.
static void unmake_link(kith_world *world, kith_storage *links)
{
    static const kith_hooks none;
    kith_storage *const     pair[] = { links, links->link.partner };
    for (uint32_t i = 0; i < 2; i++) {
        for (kith_event event = KITH_EVENT_ADD; event <= KITH_EVENT_REMOVE; event++) {
            const kith_listener_node *first = pair[i]->events[event].first;
            if (first != NULL && first->priority == INT32_MAX) {
                kith_world_disconnect(world, &pair[i]->events[event], pair[i], event,
                                      first->number);
            }
        }
        pair[i]->is_own = false;
        pair[i]->access = KITH_KIND_VALUE;
        pair[i]->link   = (kith_link_part){ .ops = NULL };
        kith_storage_set_hooks(pair[i], &none);
    }
}

#define NAME_MOST 200 // bytes of the name of a link

// Registers the component of the targets. Returns its storage, or NULL with an error.
static kith_storage *register_lists(kith_world *world, const char *name)
{
    char                      lists[NAME_MOST + sizeof ".holders"] = { 0 };
    kith_print                out  = kith_print_start(lists, sizeof lists);
    const kith_component_desc desc = { .name         = lists,
                                       .size         = sizeof(kith_holder_list),
                                       .alignment    = _Alignof(kith_holder_list),
                                       .traits.saved = KITH_AS(fields(kith_holder_list)) };
    if (strlen(name) > NAME_MOST) {
        kith_world_mistake(world, call_register_link, "the name of the link is too long", name);
        return NULL;
    }
    kith_print_format(&out, "%s.holders", name);
    kith_print_end(&out);
    kith_component id = kith_component_register(world, &desc);
    return id == 0 ? NULL : kith_world_storage(world, id);
}

// Makes two components a link and its lists, if they can be. Otherwise reports an error.
static bool try_link(kith_world *world, kith_storage *links, kith_storage *lists,
                     kith_target policy)
{
    const char *fault = link_fault(world, links, lists);
    if (fault != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_register_link,
                                         links->desc.id, fault, NULL);
    }
    if (!kith_pool_reserve_spare(&links->pool) ||
        !kith_pool_reserve_spare(&lists->pool)) { // pools with hooks need it
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call_register_link, links->desc.id,
                                 KITH_NULL);
    }
    if (!become_link(world, links, lists, policy)) {
        return false;
    }
    number_links(links);
    return true;
}

static bool make_link(kith_world *world, const kith_component_desc *desc)
{
    kith_target   policy = (kith_target)desc->traits.target_;
    kith_storage *links  = kith_world_storage(world, kith_component_find(world, desc->name));
    if (links->link.ops != NULL) {
        return links->link.policy == policy ||
               kith_world_refuse_numbers(world, KITH_ERROR_CONFLICT, call_register_link,
                                         links->desc.id, "target", links->link.policy, policy);
    }
    if ((unsigned)policy > KITH_TARGET_REFUSE || links->is_own) {
        return kith_world_mistake(world, call_register_link,
                                  links->is_own ? "the component is a hierarchy or a list of links"
                                                : "target is not a valid policy",
                                  desc->name);
    }
    kith_storage *lists = register_lists(world, desc->name);
    return lists != NULL && try_link(world, links, lists, policy);
}

// Links that this call makes come behind the others. If one fails, none of them stays.
bool kith_link_make_(kith_world *world, const kith_component_desc *descs, uint32_t count,
                     uint32_t keep)
{
    kith_storage **end  = links_end(world);
    bool           made = true;
    for (uint32_t i = 0; i < count && made; i++) {
        made = descs[i].traits.make_ != kith_link_make_ || make_link(world, &descs[i]);
    }
    while (!made && *end != NULL) {
        kith_storage *links = *end;
        *end                = links->link.next;
        unmake_link(world, links);
    }
    if (!made) {
        kith_world_drop_storages(world, keep);
    }
    return made;
}

kith_component kith_link_register(kith_world *world, const kith_link_desc *desc)
{
    const kith_component_desc links = { .name           = desc->name,
                                        .id             = desc->id,
                                        .size           = sizeof(kith_link),
                                        .alignment      = _Alignof(kith_link),
                                        .traits.saved   = KITH_AS(fields(kith_link)),
                                        .traits.make_   = kith_link_make_,
                                        .traits.target_ = desc->target };
    return kith_component_register(world, &links);
}

KITH_NAMES(kith_target, "clear\0destroy\0refuse\0")
