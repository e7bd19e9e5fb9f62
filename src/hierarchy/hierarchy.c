// SPDX-License-Identifier: MIT
// Hierarchies: links between entities, kept in a component. Two listeners maintain the links: one
// for added nodes, one for removed nodes. Which function listens to removals is the policy for
// children.
#include "hierarchy/node.h"
#include "world/component.h"
#include "world/group.h"

// How many descendants one batch destroys.
#define DESTROYED_AT_ONCE 256u

// --- listeners -------------------------------------------------------------------------------

// Returns the last descendant in depth-first order: the first node to destroy.
static kith_entity last_descendant(const kith_storage *tree, kith_entity entity)
{
    const kith_node *node = kith_node_of(tree, entity);
    kith_entity      last = node == NULL ? KITH_NULL : kith_node_last(tree, entity, node);
    for (uint32_t limit = tree->pool.set.head.rows_; last != KITH_NULL && limit != 0; limit--) {
        entity = last;
        last   = kith_node_last(tree, entity, kith_node_of(tree, entity));
    }
    return entity;
}

// Returns the node that is destroyed after the entity: children come before their parent.
static kith_entity destroyed_after(const kith_storage *tree, kith_entity entity)
{
    const kith_node *node    = kith_node_of(tree, entity);
    kith_entity      sibling = kith_node_previous(tree, entity, node);
    return sibling == KITH_NULL ? node->parent : last_descendant(tree, sibling);
}

// Collects descendants of `top` from `*entity` on, children before their parent. A descendant that
// is being destroyed already is unlinked instead: it cannot be destroyed again.
static uint32_t collect_descendants(kith_world *world, const kith_storage *tree, kith_entity top,
                                    kith_entity *entity, kith_entity *collected)
{
    uint32_t count = 0;
    while (*entity != top && kith_node_of(tree, *entity) != NULL && count < DESTROYED_AT_ONCE) {
        kith_entity next = destroyed_after(tree, *entity);
        if (kith_world_is_dying(world, *entity)) {
            kith_node_unlink(world, tree, *entity);
        } else {
            collected[count++] = *entity;
        }
        *entity = next;
    }
    return count;
}

// Destroys all descendants of `top` in batches. Continues where the last batch ended unless a
// listener changed links: starting again at the top would cost the square of the depth.
static void destroy_descendants(kith_world *world, const kith_storage *tree, kith_entity top)
{
    kith_entity batch[DESTROYED_AT_ONCE];
    kith_entity entity  = top;
    uint64_t    changes = 0;
    uint32_t    count;
    do {
        const kith_node *node = kith_node_of(tree, entity);
        bool             lost = node == NULL || node->parent == KITH_NULL;
        if (entity == top || lost || changes != tree->relinked) {
            entity = last_descendant(tree, top);
        }
        changes = tree->relinked;
        count   = collect_descendants(world, tree, top, &entity, batch);
    } while (count != 0 && kith_entity_destroy_many(world, kith_entities_of(batch, count)));
}

static void on_node_added(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    kith_node_clear_stale_links(world, kith_world_storage(world, notice->component),
                                notice->entity);
}

// The policy KITH_CHILDREN_ORPHAN: children become roots.
static void on_remove_orphan(kith_world *world, const kith_notice *notice, void *context)
{
    kith_storage *tree = kith_world_storage(world, notice->component);
    on_node_added(world, notice, context);
    kith_node_orphan_children(world, tree, notice->entity);
    kith_node_unlink(world, tree, notice->entity);
}

// The policy KITH_CHILDREN_DESTROY: if the entity is destroyed, its descendants are destroyed
// first.
static void on_remove_destroy(kith_world *world, const kith_notice *notice, void *context)
{
    on_node_added(world, notice, context);
    if (kith_world_is_dying(world, notice->entity)) {
        destroy_descendants(world, kith_world_storage(world, notice->component), notice->entity);
    }
    on_remove_orphan(world, notice, context);
}

// --- the component ---------------------------------------------------------------------------

// Returns the listener that removes links, or NULL. It is the first one: its priority is the
// highest.
static kith_listener_fn link_listener(const kith_storage *storage)
{
    const kith_event_node *first = storage->events[KITH_EVENT_REMOVE].first;
    return first != NULL && (first->call == on_remove_orphan || first->call == on_remove_destroy)
               ? first->call
               : NULL;
}

static kith_error hierarchy_error(kith_component component, const char *subject, const char *call)
{
    return (kith_error){
        .code = KITH_ERROR_ARGUMENT, .call = call, .component = component, .subject = subject
    };
}

static const char not_hierarchy[] = "the component is not a hierarchy";

// Returns the hierarchy for a call that reads, or NULL and reports an error.
static const kith_storage *hierarchy_for_read(const kith_world *world, kith_component component,
                                              const char *call)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_ANY_KIND, call);
    if (storage != NULL && link_listener(storage) == NULL) {
        kith_error error = hierarchy_error(component, not_hierarchy, call);
        kith_world_report_error(world, &error);
        return NULL;
    }
    return storage;
}

KITH_INTERNAL kith_storage *kith_hierarchy_for_write(kith_world *world, kith_component component,
                                                     const char *call)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, KITH_NULL, KITH_ANY_KIND, call);
    if (storage != NULL && link_listener(storage) == NULL) {
        kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, component, not_hierarchy, NULL);
        return NULL;
    }
    return storage;
}

// --- walking and checking --------------------------------------------------------------------

// Returns the node after the subtree of `entity`, below `top`, in depth-first order; KITH_NULL:
// none.
static kith_entity next_after_subtree(const kith_storage *tree, kith_entity top, kith_entity entity)
{
    const kith_node *node = kith_node_of(tree, entity);
    for (uint32_t limit = tree->pool.set.head.rows_; node != NULL && entity != top && limit != 0;
         limit--) {
        kith_entity next = kith_node_next(tree, entity, node);
        if (next != KITH_NULL) {
            return next == top ? KITH_NULL : next;
        }
        entity = node->parent;
        node   = kith_node_of(tree, entity);
    }
    return KITH_NULL;
}

// Returns the node after `entity` in depth-first order; for KITH_NULL the first one, `top`.
static kith_entity next_in_subtree(const kith_storage *tree, kith_entity top, kith_entity entity)
{
    const kith_node *node = kith_node_of(tree, entity == KITH_NULL ? top : entity);
    if (node == NULL || entity == KITH_NULL) {
        return node == NULL ? KITH_NULL : top;
    }
    kith_entity first = kith_node_first(tree, entity, node);
    return first != KITH_NULL && first != top ? first : next_after_subtree(tree, top, entity);
}

static uint32_t count_from(const kith_storage *tree, kith_entity top)
{
    uint32_t count = 0;
    for (kith_entity entity = next_in_subtree(tree, top, KITH_NULL); entity != KITH_NULL;
         entity             = next_in_subtree(tree, top, entity)) {
        count++;
    }
    return count;
}

static const char *check_links(const kith_world *world, const kith_storage *tree)
{
    const char *fault = NULL;
    for (uint32_t row = 0; row < tree->pool.set.head.rows_ && fault == NULL; row++) {
        kith_entity      entity = kith_component_entity(world, tree->desc.id, row);
        const kith_node *node   = kith_node_of(tree, entity);
        if (node != NULL) {
            fault = kith_node_check_place(tree, entity, node);
            fault = fault != NULL ? fault : kith_node_check_children(tree, entity, node);
        }
    }
    return fault;
}

// If all links are mutual, every node is below a root or part of a cycle.
KITH_INTERNAL const char *kith_hierarchy_check_links(const kith_world   *world,
                                                     const kith_storage *tree)
{
    const char *fault   = check_links(world, tree);
    uint32_t    reached = 0;
    for (uint32_t row = 0; row < tree->pool.set.head.rows_ && fault == NULL; row++) {
        kith_entity      entity = kith_component_entity(world, tree->desc.id, row);
        const kith_node *node   = kith_node_of(tree, entity);
        reached += node != NULL && node->parent == KITH_NULL ? count_from(tree, entity) : 0;
    }
    bool cycle = fault == NULL && reached != kith_component_count(world, tree->desc.id);
    return cycle ? "nodes form a cycle" : fault;
}

KITH_API bool kith_hierarchy_validate(const kith_world *world, kith_component hierarchy,
                                      const char **reason)
{
    const kith_storage *tree = hierarchy_for_read(world, hierarchy, "kith_hierarchy_validate");
    const char *fault = tree == NULL ? not_hierarchy : kith_hierarchy_check_links(world, tree);
    if (reason != NULL) {
        *reason = fault;
    }
    return fault == NULL;
}

// --- registering -----------------------------------------------------------------------------

static const char call_register_hierarchy[] = "kith_hierarchy_register";

static bool connect_link_listeners(kith_world *world, kith_storage *storage,
                                   kith_listener_fn listener)
{
    kith_event_list   *lists = storage->events;
    kith_listener_desc desc  = { .event     = KITH_EVENT_ADD,
                                 .component = storage->desc.id,
                                 .call      = on_node_added,
                                 .priority  = INT32_MAX };
    kith_listener added = kith_world_connect(world, &lists[KITH_EVENT_ADD], storage, &desc, NULL);
    desc.event          = KITH_EVENT_REMOVE;
    desc.call           = listener;
    if (added != 0 &&
        kith_world_connect(world, &lists[KITH_EVENT_REMOVE], storage, &desc, NULL) != 0) {
        return true;
    }
    kith_world_disconnect(world, &lists[KITH_EVENT_ADD], storage, KITH_EVENT_ADD, added);
    return kith_world_refuse(world, KITH_ERROR_MEMORY, call_register_hierarchy, desc.component,
                             KITH_NULL);
}

static bool has_top_priority(const kith_event_list *listeners)
{
    return listeners->first != NULL && listeners->first->priority == INT32_MAX;
}

KITH_INTERNAL bool kith_hierarchy_register_like(kith_world *world, const kith_storage *from)
{
    kith_storage *storage = kith_world_storage(world, from->desc.id);
    storage->is_hierarchy = true;
    return connect_link_listeners(world, storage, link_listener(from));
}

// Returns whether a component can become a hierarchy, otherwise reports an error.
static bool can_be_hierarchy(kith_world *world, const kith_storage *storage)
{
    const char *fault = kith_hierarchy_check_links(world, storage);
    if (has_top_priority(&storage->events[KITH_EVENT_ADD]) ||
        has_top_priority(&storage->events[KITH_EVENT_REMOVE])) {
        fault = "a listener has the priority INT32_MAX, which a hierarchy needs";
    }
    return fault == NULL ||
           kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_register_hierarchy,
                                     storage->desc.id, fault, NULL);
}

static bool has_same_policy(kith_world *world, const kith_storage *storage,
                            kith_listener_fn listener)
{
    return link_listener(storage) == listener ||
           kith_world_refuse_numbers(
               world, KITH_ERROR_CONFLICT, call_register_hierarchy, storage->desc.id, "children",
               link_listener(storage) == on_remove_destroy, listener == on_remove_destroy);
}

// The copy hook: a copied node has no links.
static bool copy_without_links(void *value, const void *source, void *context)
{
    (void)source;
    (void)context;
    *(kith_node *)value = (kith_node){ 0 };
    return true;
}

// Nodes get a copy hook, and a pool with hooks needs one spare value.
static bool reserve_spare(kith_world *world, kith_storage *storage)
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
                                         "children is not a valid policy", NULL);
    }
    uint32_t       known = world->storage_count;
    kith_component id    = kith_component_register(world, &nodes);
    if (id == 0) {
        return 0;
    }
    const kith_hooks hooks   = { .copy = copy_without_links };
    kith_storage    *storage = kith_world_storage(world, id);
    kith_listener_fn listener =
        desc->children == KITH_CHILDREN_DESTROY ? on_remove_destroy : on_remove_orphan;
    if (link_listener(storage) != NULL) {
        return has_same_policy(world, storage, listener) ? id : 0;
    }
    if (!can_be_hierarchy(world, storage) || !reserve_spare(world, storage) ||
        !connect_link_listeners(world, storage, listener)) {
        kith_world_drop_storages(world, known);
        return 0;
    }
    kith_storage_set_hooks(storage, &hooks);
    storage->is_hierarchy = true;
    return id;
}

// --- changing --------------------------------------------------------------------------------

// Reports an error about two entities; the text shows `other` in brackets. Returns false.
static bool fail_pair(kith_world *world, kith_error error, kith_entity entity, kith_entity other)
{
    char       name[48];
    kith_print out = kith_print_start(name, sizeof name);
    kith_print_format(&out, "entity ");
    kith_print_entity(&out, other);
    error.entity = entity;
    error.other  = name;
    return kith_world_fail(world, &error);
}

// A node with a pending add event cannot be linked: if it is removed before, no remove event
// follows that would unlink it.
KITH_INTERNAL bool kith_require_linkable(kith_world *world, kith_storage *tree, kith_entity entity,
                                         const char *call)
{
    if (kith_storage_for_entity(world, entity, tree->desc.id, KITH_WITH_ROWS, call) == NULL) {
        return false;
    }
    if (world->nested != 0 && kith_world_add_unreported(world, tree, entity, false)) {
        kith_error error = { .code      = KITH_ERROR_BUSY,
                             .call      = call,
                             .component = tree->desc.id,
                             .entity    = entity,
                             .subject   = "the add event of the node is pending" };
        return kith_world_fail(world, &error);
    }
    if (kith_node_of(tree, entity) != NULL) {
        kith_node_clear_stale_links(world, tree, entity);
    }
    return true;
}

// Returns the parent node, or NULL for a root, or when `steps` exceeds the nodes: links form a
// cycle.
static const kith_node *node_above(const kith_storage *tree, const kith_node *node, uint32_t steps)
{
    return steps < tree->pool.set.head.rows_ ? kith_node_of(tree, node->parent) : NULL;
}

// Answers at once if `ancestor` has no children: otherwise building a chain by appending at its end
// would cost the square of its length.
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

// The arguments of a call that makes `child` a child of `parent`.
typedef struct joining {
    kith_world   *world;
    kith_storage *tree;
    kith_entity   parent;
    kith_entity   child;
    kith_entity   before; // the next sibling, or KITH_NULL: at the end
    const char   *call;
} joining;

// Returns whether the links that change are mutual, otherwise reports an error.
static bool check_node(kith_world *world, const kith_storage *tree, kith_entity entity,
                       const char *call)
{
    const kith_node *node  = kith_node_of(tree, entity);
    const char      *fault = node == NULL ? NULL : kith_node_check_place(tree, entity, node);
    if (node != NULL && fault == NULL &&
        (node->first != kith_node_first(tree, entity, node) ||
         node->last != kith_node_last(tree, entity, node) ||
         (node->first == 0) != (node->last == 0))) {
        fault = "a child does not link back";
    }
    kith_error error = hierarchy_error(tree->desc.id, fault, call);
    error.entity     = entity;
    return fault == NULL || kith_world_fail(world, &error);
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
            hierarchy_error(j->tree->desc.id, "the parent is the child or below it", j->call);
        return fail_pair(j->world, error, j->child, j->parent);
    }
    if (j->before != KITH_NULL &&
        (before == NULL || before->parent != j->parent || j->before == j->child)) {
        kith_error error = hierarchy_error(j->tree->desc.id,
                                           "`before` is not another child of the parent", j->call);
        return fail_pair(j->world, error, j->parent, j->before);
    }
    return check_node(j->world, j->tree, j->parent, j->call) &&
           check_node(j->world, j->tree, j->child, j->call) &&
           check_node(j->world, j->tree, j->before, j->call);
}

// Adds the component where parent or child lack it. Listeners may change anything, so checks again.
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
    const kith_values node = { .component = j->tree->desc.id };
    return kith_entity_set_many(j->world, kith_entities_of(lacking, count), &node, 1) &&
           kith_node_of(j->tree, j->parent) != NULL && kith_node_of(j->tree, j->child) != NULL &&
           may_join(j);
}

static bool join_parent(const joining *j)
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
    return join_parent(&j);
}

KITH_API bool kith_hierarchy_append(kith_world *world, kith_component hierarchy, kith_entity parent,
                                    kith_entity child)
{
    joining j = begin_joining(world, hierarchy, parent, child, "kith_hierarchy_append");
    return join_parent(&j);
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
    return join_parent(&j);
}

KITH_API bool kith_hierarchy_detach(kith_world *world, kith_component hierarchy, kith_entity entity)
{
    static const char call[] = "kith_hierarchy_detach";
    kith_storage     *tree   = kith_hierarchy_for_write(world, hierarchy, call);
    if (tree == NULL || !kith_require_linkable(world, tree, entity, call)) {
        return false;
    }
    const kith_node *node = kith_node_of(tree, entity);
    if (node == NULL || node->parent == KITH_NULL || !check_node(world, tree, entity, call)) {
        return false;
    }
    tree->relinked++;
    kith_node_unlink(world, tree, entity);
    return true;
}

// --- clones ----------------------------------------------------------------------------------

// Links the clones of the children of original `i`, in their order. Only clones without links are
// linked, so the result is a part of the original tree and has no cycle.
static void link_children(kith_world *world, const kith_storage *tree,
                          const kith_cloned_nodes *nodes, uint32_t i)
{
    kith_entity      parent = kith_handle_map_at(nodes->originals, i);
    const kith_node *node   = kith_node_of(nodes->from, parent);
    kith_entity      child  = node == NULL ? KITH_NULL : kith_node_first(nodes->from, parent, node);
    while (child != KITH_NULL) {
        uint32_t    place = kith_handle_map_find(nodes->originals, child);
        kith_entity next  = kith_node_next(nodes->from, child, kith_node_of(nodes->from, child));
        if (place != KITH_NO_INDEX && nodes->alone[place]) {
            kith_node_link(world, tree, nodes->clones[i], nodes->clones[place], KITH_NULL);
        }
        child = next;
    }
}

KITH_INTERNAL void kith_hierarchy_link_clones(kith_world *world, kith_storage *tree,
                                              const kith_cloned_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->originals->count; i++) {
        const kith_node *node = kith_node_of(tree, nodes->clones[i]);
        nodes->alone[i] = node != NULL && node->parent == KITH_NULL && node->first == KITH_NULL;
    }
    for (uint32_t i = 0; i < nodes->originals->count; i++) {
        if (nodes->alone[i]) {
            link_children(world, tree, nodes, i);
        }
    }
    tree->relinked++;
}

// --- queries ---------------------------------------------------------------------------------

KITH_NAMES(kith_children, "orphan\0destroy\0")

// Returns the root above an entity, and its distance in `*depth`.
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
    return climb(hierarchy_for_read(world, hierarchy, "kith_hierarchy_root"), entity, &depth);
}

KITH_API uint32_t kith_hierarchy_depth(const kith_world *world, kith_component hierarchy,
                                       kith_entity entity)
{
    uint32_t depth;
    climb(hierarchy_for_read(world, hierarchy, "kith_hierarchy_depth"), entity, &depth);
    return depth;
}

KITH_API bool kith_hierarchy_is_below(const kith_world *world, kith_component hierarchy,
                                      kith_entity entity, kith_entity ancestor)
{
    const kith_storage *tree = hierarchy_for_read(world, hierarchy, "kith_hierarchy_is_below");
    return tree != NULL && is_below(tree, entity, ancestor);
}

KITH_API kith_entity kith_hierarchy_next(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity)
{
    const kith_storage *tree = hierarchy_for_read(world, hierarchy, "kith_hierarchy_next");
    return tree == NULL ? KITH_NULL : next_in_subtree(tree, top, entity);
}

KITH_API kith_entity kith_hierarchy_skip(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity)
{
    const kith_storage *tree = hierarchy_for_read(world, hierarchy, "kith_hierarchy_skip");
    return tree == NULL ? KITH_NULL : next_after_subtree(tree, top, entity);
}

// A breadth-first walk; the output array is the queue.
KITH_API uint32_t kith_hierarchy_levels(const kith_world *world, kith_component hierarchy,
                                        kith_entity top, kith_entity *entities, uint32_t capacity)
{
    const kith_storage *tree  = hierarchy_for_read(world, hierarchy, "kith_hierarchy_levels");
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

// --- sorting siblings, and rows by level -----------------------------------------------------

typedef struct sibling_order {
    kith_world              *world;
    const kith_storage      *tree;
    kith_compare_entities_fn compare;
    void                    *context;
} sibling_order;

// Merges two sorted lists of siblings. Of equal siblings those of `a` come first.
static kith_entity merge_siblings(const sibling_order *order, kith_entity a, kith_entity b)
{
    kith_entity  first = KITH_NULL;
    kith_entity *end   = &first;
    while (a != KITH_NULL && b != KITH_NULL) {
        kith_entity *taken = order->compare(a, b, order->context) > 0 ? &b : &a;
        *end               = *taken;
        end                = &kith_node_for_write(order->world, order->tree, *taken)->next;
        *taken             = *end;
    }
    *end = a != KITH_NULL ? a : b;
    return first;
}

// A bottom-up merge sort: runs[i] is empty or a sorted list of 2^i siblings.
static kith_entity sort_siblings(const sibling_order *order, kith_entity first)
{
    kith_entity runs[32] = { KITH_NULL };
    kith_entity sorted   = KITH_NULL;
    for (kith_entity child = first; child != KITH_NULL;) {
        kith_node  *node = kith_node_for_write(order->world, order->tree, child);
        kith_entity run  = child;
        uint32_t    i    = 0;
        child            = node->next;
        node->next       = KITH_NULL;
        for (; runs[i] != KITH_NULL; i++) {
            run     = merge_siblings(order, runs[i], run);
            runs[i] = KITH_NULL;
        }
        runs[i] = run;
    }
    for (uint32_t i = 0; i < 32; i++) {
        sorted = merge_siblings(order, runs[i], sorted);
    }
    return sorted;
}

// Sorting sets only `next`; sets the other links of the siblings and their parent.
static void link_siblings(const sibling_order *order, kith_entity parent, kith_entity first)
{
    kith_entity previous = KITH_NULL;
    for (kith_entity child = first; child != KITH_NULL;) {
        kith_node *node = kith_node_for_write(order->world, order->tree, child);
        node->previous  = previous;
        previous        = child;
        child           = node->next;
    }
    kith_node *node = kith_node_for_write(order->world, order->tree, parent);
    node->first     = first;
    node->last      = previous;
}

KITH_API bool kith_hierarchy_sort_children(kith_world *world, kith_component hierarchy,
                                           kith_entity parent, kith_compare_entities_fn compare,
                                           void *context)
{
    static const char call[] = "kith_hierarchy_sort_children";
    kith_storage     *tree   = kith_hierarchy_for_write(world, hierarchy, call);
    sibling_order     order  = { world, tree, compare, context };
    if (tree == NULL || !kith_require_linkable(world, tree, parent, call)) {
        return false;
    }
    if (compare == NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy,
                                         "compare is NULL", NULL);
    }
    const kith_node *node  = kith_node_of(tree, parent);
    const char      *fault = node == NULL ? NULL : kith_node_check_children(tree, parent, node);
    if (fault != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy, fault, NULL);
    }
    if (node != NULL) {
        kith_world_lock(world);
        link_siblings(&order, parent, sort_siblings(&order, node->first));
        kith_world_unlock(world);
    }
    return node != NULL;
}

// A breadth-first sort in place: the pool is the queue. Rows before `end` are in their final place;
// the children of the node in `row` come next.
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
    const char *fault = kith_hierarchy_check_links(world, tree);
    if (fault != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy, fault, NULL);
    }
    kith_world_lock(world);
    sort_rows_by_levels(&tree->pool);
    kith_world_unlock(world);
    return true;
}
