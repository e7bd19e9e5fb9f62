// SPDX-License-Identifier: MIT
// Hierarchies: links in plain components. Nothing below knows of them: what keeps the links right
// are two listeners on the component, which also tell that it is a hierarchy, and of which policy.
#include "base/print.h"
#include "hierarchy/node.h"
#include "world/component.h"
#include "world/group.h"

#include <inttypes.h>

// Entities that are destroyed together.
#define ENDED_TOGETHER 256u

// --- what listeners do -----------------------------------------------------------------------

// The last one of those below, after whom comes the sibling before it, or its parent.
static kith_entity lowest_last(const kith_storage *tree, kith_entity entity)
{
    const kith_node *node = kith_node_of(tree, entity);
    kith_entity      last = node == NULL ? KITH_NULL : kith_node_last(tree, entity, node);
    for (uint32_t left = tree->pool.set.head.rows_; last != KITH_NULL && left != 0; left--) {
        entity = last;
        last   = kith_node_last(tree, entity, kith_node_of(tree, entity));
    }
    return entity;
}

static kith_entity before_lowest(const kith_storage *tree, kith_entity entity)
{
    const kith_node *node   = kith_node_of(tree, entity);
    kith_entity      beside = kith_node_previous(tree, entity, node);
    return beside == KITH_NULL ? node->parent : lowest_last(tree, beside);
}

// Collects some of those below `top` from `*entity` on, nobody before all below him. Who is dying
// already cannot be destroyed again and only leaves his parent.
static uint32_t collect_lowest(kith_world *world, const kith_storage *tree, kith_entity top,
                               kith_entity *entity, kith_entity *lowest)
{
    uint32_t count = 0;
    while (*entity != top && kith_node_of(tree, *entity) != NULL && count < ENDED_TOGETHER) {
        kith_entity next = before_lowest(tree, *entity);
        if (kith_world_is_dying(world, *entity)) {
            kith_node_unlink(world, tree, *entity);
        } else {
            lowest[count++] = *entity;
        }
        *entity = next;
    }
    return count;
}

// Goes on where it was, unless somebody changed the links meanwhile: to find the lowest again for
// each batch would take the square of the depth.
static void end_descendants(kith_world *world, const kith_storage *tree, kith_entity top)
{
    kith_entity lowest[ENDED_TOGETHER];
    kith_entity entity  = top;
    uint64_t    changes = 0;
    uint32_t    count;
    do {
        const kith_node *node = kith_node_of(tree, entity);
        bool             lost = node == NULL || node->parent == KITH_NULL;
        if (entity == top || lost || changes != tree->relinked) {
            entity = lowest_last(tree, top);
        }
        changes = tree->relinked;
        count   = collect_lowest(world, tree, top, &entity, lowest);
    } while (count != 0 && kith_entity_destroy_many(world, kith_entities_of(lowest, count)));
}

static void hear_node_added(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    kith_node_clear_stale_links(world, kith_world_storage(world, notice->component),
                                notice->entity);
}

static void hear_node_orphans(kith_world *world, const kith_notice *notice, void *context)
{
    kith_storage *tree = kith_world_storage(world, notice->component);
    hear_node_added(world, notice, context);
    kith_node_orphan_children(world, tree, notice->entity);
    kith_node_unlink(world, tree, notice->entity);
}

static void hear_node_ends(kith_world *world, const kith_notice *notice, void *context)
{
    hear_node_added(world, notice, context);
    if (kith_world_is_dying(world, notice->entity)) {
        end_descendants(world, kith_world_storage(world, notice->component), notice->entity);
    }
    hear_node_orphans(world, notice, context);
}

// --- the component ---------------------------------------------------------------------------

// The listener that keeps the links right, or NULL. It comes first: nobody has a higher priority.
static kith_listener_fn keeper_of(const kith_storage *storage)
{
    const kith_event_node *first = storage->events[KITH_EVENT_REMOVE].first;
    bool                   kept =
        first != NULL && (first->call == hear_node_orphans || first->call == hear_node_ends);
    return kept ? first->call : NULL;
}

static kith_error hierarchy_error(kith_component component, const char *subject, const char *call)
{
    return (kith_error){
        .code = KITH_ERROR_ARGUMENT, .call = call, .component = component, .subject = subject
    };
}

static const char no_hierarchy[] = "the component is no hierarchy";

// The hierarchy for a question, or NULL and an error.
static const kith_storage *ask_hierarchy(const kith_world *world, kith_component component,
                                         const char *call)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_ANY_KIND, call);
    if (storage != NULL && keeper_of(storage) == NULL) {
        kith_error error = hierarchy_error(component, no_hierarchy, call);
        kith_world_tell_error(world, &error);
        return NULL;
    }
    return storage;
}

// The same for a call that writes.
KITH_INTERNAL kith_storage *kith_hierarchy_for_write(kith_world *world, kith_component component,
                                                     const char *call)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, KITH_NULL, KITH_ANY_KIND, call);
    if (storage != NULL && keeper_of(storage) == NULL) {
        kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, component, no_hierarchy, NULL);
        return NULL;
    }
    return storage;
}

// --- validating ------------------------------------------------------------------------------

static kith_entity next_past(const kith_storage *tree, kith_entity top, kith_entity entity)
{
    const kith_node *node = kith_node_of(tree, entity);
    for (uint32_t left = tree->pool.set.head.rows_; node != NULL && entity != top && left != 0;
         left--) {
        kith_entity next = kith_node_next(tree, entity, node);
        if (next != KITH_NULL) {
            return next == top ? KITH_NULL : next;
        }
        entity = node->parent;
        node   = kith_node_of(tree, entity);
    }
    return KITH_NULL;
}

static kith_entity next_inward(const kith_storage *tree, kith_entity top, kith_entity entity)
{
    const kith_node *node = kith_node_of(tree, entity == KITH_NULL ? top : entity);
    if (node == NULL || entity == KITH_NULL) {
        return node == NULL ? KITH_NULL : top;
    }
    kith_entity first = kith_node_first(tree, entity, node);
    return first != KITH_NULL && first != top ? first : next_past(tree, top, entity);
}

static uint32_t count_from(const kith_storage *tree, kith_entity top)
{
    uint32_t count = 0;
    for (kith_entity entity = next_inward(tree, top, KITH_NULL); entity != KITH_NULL;
         entity             = next_inward(tree, top, entity)) {
        count++;
    }
    return count;
}

static kith_entity entity_in_row(const kith_world *world, const kith_storage *tree, uint32_t row)
{
    return kith_component_entity(world, tree->desc.id, row);
}

static const char *doubt_links(const kith_world *world, const kith_storage *tree)
{
    const char *doubt = NULL;
    for (uint32_t row = 0; row < tree->pool.set.head.rows_ && doubt == NULL; row++) {
        kith_entity      entity = entity_in_row(world, tree, row);
        const kith_node *node   = kith_node_of(tree, entity);
        if (node != NULL) {
            doubt = kith_node_check_place(tree, entity, node);
            doubt = doubt != NULL ? doubt : kith_node_check_children(tree, entity, node);
        }
    }
    return doubt;
}

// Where links agree, every node is below a root, or in a ring.
KITH_INTERNAL const char *kith_hierarchy_check_links(const kith_world   *world,
                                                     const kith_storage *tree)
{
    const char *doubt   = doubt_links(world, tree);
    uint32_t    reached = 0;
    for (uint32_t row = 0; row < tree->pool.set.head.rows_ && doubt == NULL; row++) {
        kith_entity      entity = entity_in_row(world, tree, row);
        const kith_node *node   = kith_node_of(tree, entity);
        reached += node != NULL && node->parent == KITH_NULL ? count_from(tree, entity) : 0;
    }
    bool ring = doubt == NULL && reached != kith_component_count(world, tree->desc.id);
    return ring ? "a node is below itself" : doubt;
}

KITH_API bool kith_hierarchy_validate(const kith_world *world, kith_component hierarchy,
                                      const char **reason)
{
    const kith_storage *tree = ask_hierarchy(world, hierarchy, "kith_hierarchy_validate");
    const char *doubt = tree == NULL ? no_hierarchy : kith_hierarchy_check_links(world, tree);
    if (reason != NULL) {
        *reason = doubt;
    }
    return doubt == NULL;
}

// --- registering -----------------------------------------------------------------------------

static const char call_register_hierarchy[] = "kith_hierarchy_register";

static bool connect_keeper(kith_world *world, kith_storage *storage, kith_listener_fn keeper)
{
    kith_event_list   *lists = storage->events;
    kith_listener_desc desc  = { .event     = KITH_EVENT_ADD,
                                 .component = storage->desc.id,
                                 .call      = hear_node_added,
                                 .priority  = INT32_MAX };
    kith_listener added = kith_world_connect(world, &lists[KITH_EVENT_ADD], storage, &desc, NULL);
    desc.event          = KITH_EVENT_REMOVE;
    desc.call           = keeper;
    if (added != 0 &&
        kith_world_connect(world, &lists[KITH_EVENT_REMOVE], storage, &desc, NULL) != 0) {
        return true;
    }
    kith_world_disconnect(world, &lists[KITH_EVENT_ADD], storage, KITH_EVENT_ADD, added);
    return kith_world_refuse(world, KITH_ERROR_MEMORY, call_register_hierarchy, desc.component,
                             KITH_NULL);
}

static bool is_first_in(const kith_event_list *listeners)
{
    return listeners->first == NULL || listeners->first->priority != INT32_MAX;
}

KITH_INTERNAL bool kith_storage_is_hierarchy(const kith_storage *storage)
{
    return keeper_of(storage) != NULL;
}

KITH_INTERNAL bool kith_hierarchy_register_like(kith_world *world, const kith_storage *from)
{
    kith_storage *storage = kith_world_storage(world, from->desc.id);
    storage->is_hierarchy = true;
    return connect_keeper(world, storage, keeper_of(from));
}

// Whether a component can become a hierarchy; if not it is an error.
static bool may_be_kept(kith_world *world, const kith_storage *storage)
{
    const char *doubt = kith_hierarchy_check_links(world, storage);
    if (!is_first_in(&storage->events[KITH_EVENT_ADD]) ||
        !is_first_in(&storage->events[KITH_EVENT_REMOVE])) {
        doubt = "a listener has the highest priority, which a hierarchy needs";
    }
    return doubt == NULL ||
           kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_register_hierarchy,
                                     storage->desc.id, doubt, NULL);
}

static bool is_kept_alike(kith_world *world, const kith_storage *storage, kith_listener_fn keeper)
{
    return keeper_of(storage) == keeper ||
           kith_world_refuse_numbers(
               world, KITH_ERROR_CONFLICT, call_register_hierarchy, storage->desc.id, "children",
               keeper_of(storage) == hear_node_ends, keeper == hear_node_ends);
}

// Whatever links a value has, where it is copied to it is a node alone.
static bool copy_no_links(void *value, const void *source, void *context)
{
    (void)source;
    (void)context;
    *(kith_node *)value = (kith_node){ 0 };
    return true;
}

// Values with hooks need room for one that waits.
static bool can_be_hooked(kith_world *world, kith_storage *storage)
{
    return kith_pool_reserve_spare(&storage->pool, &world->memory) ||
           kith_world_refuse(world, KITH_ERROR_MEMORY, call_register_hierarchy, storage->desc.id,
                             KITH_NULL);
}

KITH_API kith_component kith_hierarchy_register(kith_world *world, const kith_hierarchy_desc *desc)
{
    const kith_component_desc nodes = { .name         = desc->name,
                                        .id           = desc->id,
                                        .size         = sizeof(kith_node),
                                        .alignment    = _Alignof(kith_node),
                                        .traits.saved = KITH_AS(fields(kith_node)) };
    if ((unsigned)desc->children > KITH_CHILDREN_DESTROY) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_register_hierarchy, 0,
                                         "there is no such policy for children", NULL);
    }
    uint32_t       known = world->storage_count;
    kith_component id    = kith_component_register(world, &nodes);
    if (id == 0) {
        return 0;
    }
    const kith_hooks hooks   = { .copy = copy_no_links };
    kith_storage    *storage = kith_world_storage(world, id);
    kith_listener_fn keeper =
        desc->children == KITH_CHILDREN_DESTROY ? hear_node_ends : hear_node_orphans;
    if (keeper_of(storage) != NULL) {
        return is_kept_alike(world, storage, keeper) ? id : 0;
    }
    if (!may_be_kept(world, storage) || !can_be_hooked(world, storage) ||
        !connect_keeper(world, storage, keeper)) {
        kith_world_drop_storages(world, known);
        return 0;
    }
    kith_storage_rebind(storage, &hooks);
    storage->is_hierarchy = true;
    return id;
}

// --- changing --------------------------------------------------------------------------------

// An error about two entities, of which `other` is named in brackets. Returns false.
static bool fail_pair(kith_world *world, kith_error error, kith_entity entity, kith_entity other)
{
    char       name[48];
    kith_print out = kith_print_start(name, sizeof name);
    kith_print_format(&out, "entity %" PRIu32 " version %" PRIu32, kith_entity_index(other),
                      kith_entity_version(other));
    error.entity = entity;
    error.other  = name;
    return kith_world_fail(world, &error);
}

// Whether the entity lives, is not about to go, and, if it is a node, known as one; if not it is an
// error. While nobody has heard that a node came, nobody would hear that it goes.
KITH_INTERNAL bool kith_require_linkable(kith_world *world, kith_storage *tree, kith_entity entity,
                                         const char *call)
{
    if (kith_storage_for_entity(world, entity, tree->desc.id, KITH_WITH_ROWS, call) == NULL) {
        return false;
    }
    if (world->nested != 0 && kith_world_unreported(world, tree, entity, false)) {
        kith_error error = { .code      = KITH_ERROR_BUSY,
                             .call      = call,
                             .component = tree->desc.id,
                             .entity    = entity,
                             .subject   = "the node is still to be announced" };
        return kith_world_fail(world, &error);
    }
    if (kith_node_of(tree, entity) != NULL) {
        kith_node_clear_stale_links(world, tree, entity);
    }
    return true;
}

// The node above; NULL: none, or after so many steps that it is a ring.
static const kith_node *node_above(const kith_storage *tree, const kith_node *node, uint32_t steps)
{
    return steps < tree->pool.set.head.rows_ ? kith_node_of(tree, node->parent) : NULL;
}

// A node without children has nothing below it: without that question, a chain that grows at its
// end would take the square of its length.
static bool is_below(const kith_storage *tree, kith_entity entity, kith_entity ancestor)
{
    const kith_node *node  = kith_node_of(tree, entity);
    const kith_node *above = kith_node_of(tree, ancestor);
    uint32_t         steps = 0;
    if (above == NULL || kith_node_first(tree, ancestor, above) == KITH_NULL) {
        return false;
    }
    while (node != NULL && node->parent != ancestor) {
        node = node_above(tree, node, steps++);
    }
    return node != NULL && ancestor != KITH_NULL;
}

typedef struct joining {
    kith_world   *world;
    kith_storage *tree;
    kith_entity   parent;
    kith_entity   child;
    kith_entity   before;
    const char   *call;
} joining;

// Whether the links that a new child changes agree with each other; if not it is an error.
static bool is_whole(kith_world *world, const kith_storage *tree, kith_entity entity,
                     const char *call)
{
    const kith_node *node  = kith_node_of(tree, entity);
    const char      *doubt = node == NULL ? NULL : kith_node_check_place(tree, entity, node);
    if (node != NULL && doubt == NULL &&
        (node->first != kith_node_first(tree, entity, node) ||
         node->last != kith_node_last(tree, entity, node) ||
         (node->first == 0) != (node->last == 0))) {
        doubt = "a child does not know its parent";
    }
    kith_error error = hierarchy_error(tree->desc.id, doubt, call);
    error.entity     = entity;
    return doubt == NULL || kith_world_fail(world, &error);
}

static bool may_join(const joining *j)
{
    const kith_node *before = kith_node_of(j->tree, j->before);
    if (!kith_require_linkable(j->world, j->tree, j->parent, j->call) ||
        !kith_require_linkable(j->world, j->tree, j->child, j->call)) {
        return false;
    }
    if (j->parent == j->child || is_below(j->tree, j->parent, j->child)) {
        kith_error error =
            hierarchy_error(j->tree->desc.id, "the parent is its new child or below it", j->call);
        return fail_pair(j->world, error, j->child, j->parent);
    }
    if (j->before != KITH_NULL &&
        (before == NULL || before->parent != j->parent || j->before == j->child)) {
        kith_error error = hierarchy_error(j->tree->desc.id,
                                           "there is no such other child of the parent", j->call);
        return fail_pair(j->world, error, j->parent, j->before);
    }
    return is_whole(j->world, j->tree, j->parent, j->call) &&
           is_whole(j->world, j->tree, j->child, j->call) &&
           is_whole(j->world, j->tree, j->before, j->call);
}

// Makes nodes of those who are none. Listeners hear of it, and may do anything.
static bool make_nodes(const joining *j)
{
    kith_entity lacking[2];
    uint32_t    count = 0;
    if (kith_node_of(j->tree, j->parent) == NULL) {
        lacking[count++] = j->parent;
    }
    if (kith_node_of(j->tree, j->child) == NULL) {
        lacking[count++] = j->child;
    }
    if (count == 0) {
        return true;
    }
    return kith_component_set_many(j->world, j->tree->desc.id, kith_entities_of(lacking, count),
                                   NULL, 0) &&
           kith_node_of(j->tree, j->parent) != NULL && kith_node_of(j->tree, j->child) != NULL &&
           may_join(j);
}

static bool join_family(const joining *j)
{
    if (j->tree == NULL || !may_join(j) || !make_nodes(j)) {
        return false;
    }
    j->tree->relinked++;
    kith_node_unlink(j->world, j->tree, j->child);
    kith_node_link(j->world, j->tree, j->parent, j->child, j->before);
    return true;
}

static joining begin_joining(kith_world *world, kith_component hierarchy, kith_entity parent,
                             kith_entity child, const char *call)
{
    kith_storage *tree = kith_hierarchy_for_write(world, hierarchy, call);
    return (joining){ world, tree, parent, child, KITH_NULL, call };
}

KITH_API bool kith_hierarchy_insert(kith_world *world, kith_component hierarchy, kith_entity parent,
                                    kith_entity child, kith_entity before)
{
    joining j = begin_joining(world, hierarchy, parent, child, "kith_hierarchy_insert");
    j.before  = before;
    return join_family(&j);
}

KITH_API bool kith_hierarchy_append(kith_world *world, kith_component hierarchy, kith_entity parent,
                                    kith_entity child)
{
    joining j = begin_joining(world, hierarchy, parent, child, "kith_hierarchy_append");
    return join_family(&j);
}

KITH_API bool kith_hierarchy_insert_at(kith_world *world, kith_component hierarchy,
                                       kith_entity parent, kith_entity child, uint32_t place)
{
    joining j = begin_joining(world, hierarchy, parent, child, "kith_hierarchy_insert_at");
    if (j.tree == NULL || !may_join(&j)) {
        return false;
    }
    const kith_node *node = kith_node_of(j.tree, parent);
    j.before              = node == NULL ? KITH_NULL : kith_node_first(j.tree, parent, node);
    while (j.before != KITH_NULL && (place != 0 || j.before == child)) {
        place -= j.before != child;
        j.before = kith_node_next(j.tree, j.before, kith_node_of(j.tree, j.before));
    }
    return join_family(&j);
}

KITH_API bool kith_hierarchy_detach(kith_world *world, kith_component hierarchy, kith_entity entity)
{
    static const char call[] = "kith_hierarchy_detach";
    kith_storage     *tree   = kith_hierarchy_for_write(world, hierarchy, call);
    if (tree == NULL || !kith_require_linkable(world, tree, entity, call)) {
        return false;
    }
    const kith_node *node = kith_node_of(tree, entity);
    if (node == NULL || node->parent == KITH_NULL || !is_whole(world, tree, entity, call)) {
        return false;
    }
    tree->relinked++;
    kith_node_unlink(world, tree, entity);
    return true;
}

// --- clones ----------------------------------------------------------------------------------

static void note_alone(const kith_storage *tree, const kith_cloned_nodes *kin)
{
    for (uint32_t i = 0; i < kin->originals->count; i++) {
        const kith_node *node = kith_node_of(tree, kin->clones[i]);
        kin->alone[i] = node != NULL && node->parent == KITH_NULL && node->first == KITH_NULL;
    }
}

// The children of one original, in their order: only links among clones that are alone are made,
// so that they are those of a part of a tree, and make no ring.
static void link_children(kith_world *world, const kith_storage *tree, const kith_cloned_nodes *kin,
                          uint32_t i)
{
    kith_entity      parent = kith_handle_map_at(kin->originals, i);
    const kith_node *node   = kith_node_of(kin->from, parent);
    kith_entity      child  = node == NULL ? KITH_NULL : kith_node_first(kin->from, parent, node);
    while (child != KITH_NULL) {
        uint32_t    place = kith_handle_map_find(kin->originals, child);
        kith_entity next  = kith_node_next(kin->from, child, kith_node_of(kin->from, child));
        if (place != KITH_NO_INDEX && kin->alone[place]) {
            kith_node_link(world, tree, kin->clones[i], kin->clones[place], KITH_NULL);
        }
        child = next;
    }
}

KITH_INTERNAL void kith_hierarchy_link_clones(kith_world *world, kith_storage *tree,
                                              const kith_cloned_nodes *kin)
{
    note_alone(tree, kin);
    for (uint32_t i = 0; i < kin->originals->count; i++) {
        if (kin->alone[i]) {
            link_children(world, tree, kin, i);
        }
    }
    tree->relinked++;
}

// --- asking ----------------------------------------------------------------------------------

KITH_API const kith_node *kith_hierarchy_get(const kith_world *world, kith_component hierarchy,
                                             kith_entity entity)
{
    const kith_storage *tree = ask_hierarchy(world, hierarchy, "kith_hierarchy_get");
    return tree == NULL ? NULL : kith_node_of(tree, entity);
}

// The root above an entity, and how far above it is.
static kith_entity climb(const kith_storage *tree, kith_entity entity, uint32_t *depth)
{
    const kith_node *node = tree == NULL ? NULL : kith_node_of(tree, entity);
    *depth                = 0;
    if (node == NULL) {
        return KITH_NULL;
    }
    for (const kith_node *above; (above = node_above(tree, node, *depth)) != NULL; node = above) {
        entity = node->parent;
        ++*depth;
    }
    return entity;
}

KITH_API kith_entity kith_hierarchy_root(const kith_world *world, kith_component hierarchy,
                                         kith_entity entity)
{
    uint32_t depth;
    return climb(ask_hierarchy(world, hierarchy, "kith_hierarchy_root"), entity, &depth);
}

KITH_API uint32_t kith_hierarchy_depth(const kith_world *world, kith_component hierarchy,
                                       kith_entity entity)
{
    uint32_t depth;
    climb(ask_hierarchy(world, hierarchy, "kith_hierarchy_depth"), entity, &depth);
    return depth;
}

KITH_API bool kith_hierarchy_is_below(const kith_world *world, kith_component hierarchy,
                                      kith_entity entity, kith_entity ancestor)
{
    const kith_storage *tree = ask_hierarchy(world, hierarchy, "kith_hierarchy_is_below");
    return tree != NULL && is_below(tree, entity, ancestor);
}

KITH_API kith_entity kith_hierarchy_next(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity)
{
    const kith_storage *tree = ask_hierarchy(world, hierarchy, "kith_hierarchy_next");
    return tree == NULL ? KITH_NULL : next_inward(tree, top, entity);
}

KITH_API kith_entity kith_hierarchy_skip(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity)
{
    const kith_storage *tree = ask_hierarchy(world, hierarchy, "kith_hierarchy_skip");
    return tree == NULL ? KITH_NULL : next_past(tree, top, entity);
}

// The array is the queue.
KITH_API uint32_t kith_hierarchy_levels(const kith_world *world, kith_component hierarchy,
                                        kith_entity top, kith_entity *entities, uint32_t capacity)
{
    const kith_storage *tree  = ask_hierarchy(world, hierarchy, "kith_hierarchy_levels");
    uint32_t            count = 0;
    if (tree == NULL || kith_node_of(tree, top) == NULL) {
        return 0;
    }
    if (capacity != 0) {
        entities[count++] = top;
    }
    for (uint32_t i = 0; i < count; i++) {
        kith_entity child = kith_node_first(tree, entities[i], kith_node_of(tree, entities[i]));
        while (child != KITH_NULL && count < capacity) {
            entities[count++] = child;
            child             = kith_node_next(tree, child, kith_node_of(tree, child));
        }
    }
    return count < capacity ? count : count_from(tree, top);
}

// --- order: of siblings, and of rows by levels -----------------------------------------------

typedef struct sibling_order {
    kith_world              *world;
    const kith_storage      *tree;
    kith_compare_entities_fn compare;
    void                    *context;
} sibling_order;

// Two lists of siblings become one. Of equals those of `a` come first.
static kith_entity merge_siblings(const sibling_order *by, kith_entity a, kith_entity b)
{
    kith_entity  first = KITH_NULL;
    kith_entity *end   = &first;
    while (a != KITH_NULL && b != KITH_NULL) {
        kith_entity *taken = by->compare(a, b, by->context) > 0 ? &b : &a;
        *end               = *taken;
        end                = &kith_node_for_write(by->world, by->tree, *taken)->next;
        *taken             = *end;
    }
    *end = a != KITH_NULL ? a : b;
    return first;
}

// Runs of 1, 2, 4 ... siblings wait until there are two of the same length.
static kith_entity sort_siblings(const sibling_order *by, kith_entity first)
{
    kith_entity runs[32] = { KITH_NULL };
    kith_entity sorted   = KITH_NULL;
    for (kith_entity child = first; child != KITH_NULL;) {
        kith_node  *node = kith_node_for_write(by->world, by->tree, child);
        kith_entity run  = child;
        uint32_t    i    = 0;
        child            = node->next;
        node->next       = KITH_NULL;
        for (; runs[i] != KITH_NULL; i++) {
            run     = merge_siblings(by, runs[i], run);
            runs[i] = KITH_NULL;
        }
        runs[i] = run;
    }
    for (uint32_t i = 0; i < 32; i++) {
        sorted = merge_siblings(by, runs[i], sorted);
    }
    return sorted;
}

// Sorting leaves only the links forward.
static void link_siblings(const sibling_order *by, kith_entity parent, kith_entity first)
{
    kith_entity previous = KITH_NULL;
    for (kith_entity child = first; child != KITH_NULL;) {
        kith_node *node = kith_node_for_write(by->world, by->tree, child);
        node->previous  = previous;
        previous        = child;
        child           = node->next;
    }
    kith_node *node = kith_node_for_write(by->world, by->tree, parent);
    node->first     = first;
    node->last      = previous;
}

KITH_API bool kith_hierarchy_sort_children(kith_world *world, kith_component hierarchy,
                                           kith_entity parent, kith_compare_entities_fn compare,
                                           void *context)
{
    static const char call[] = "kith_hierarchy_sort_children";
    kith_storage     *tree   = kith_hierarchy_for_write(world, hierarchy, call);
    sibling_order     by     = { world, tree, compare, context };
    if (tree == NULL || !kith_require_linkable(world, tree, parent, call)) {
        return false;
    }
    if (compare == NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy,
                                         "there is no function to call", NULL);
    }
    const kith_node *node  = kith_node_of(tree, parent);
    const char      *doubt = node == NULL ? NULL : kith_node_check_children(tree, parent, node);
    if (doubt != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy, doubt, NULL);
    }
    if (node != NULL) {
        kith_world_lock(world);
        link_siblings(&by, parent, sort_siblings(&by, node->first));
        kith_world_unlock(world);
    }
    return node != NULL;
}

// The pool is its own queue: what stands before `end` is in its place, and the children of the
// first one there whose children are not come next.
static void sort_rows_by_levels(kith_pool *pool)
{
    uint32_t rows = pool->set.head.rows_;
    uint32_t end  = 0;
    for (uint32_t row = 0; row < rows; row++) {
        const kith_node *node = kith_pool_value(pool, row);
        if (node->parent == KITH_NULL) {
            kith_pool_swap(pool, row, end++);
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        const kith_node *node = kith_pool_value(pool, row);
        for (kith_entity child = node->first; child != KITH_NULL;) {
            kith_pool_swap(pool, kith_sparse_set_row(&pool->set, child), end);
            node  = kith_pool_value(pool, end++);
            child = node->next;
        }
    }
}

KITH_API bool kith_hierarchy_sort(kith_world *world, kith_component hierarchy)
{
    static const char call[] = "kith_hierarchy_sort";
    kith_storage     *tree   = kith_hierarchy_for_write(world, hierarchy, call);
    if (tree == NULL || !kith_require_movable(world, call, hierarchy) ||
        !kith_require_unowned(world, tree, call)) {
        return false;
    }
    const char *doubt = kith_hierarchy_check_links(world, tree);
    if (doubt != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy, doubt, NULL);
    }
    kith_world_lock(world);
    sort_rows_by_levels(&tree->pool);
    kith_world_unlock(world);
    return true;
}
