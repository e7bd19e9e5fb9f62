// SPDX-License-Identifier: MIT
// Hierarchies: links between entities, kept in a component. Two listeners maintain the links: one
// for added nodes, one for removed nodes.
#include "command/command.h"
#include "hierarchy/node.h"
#include "world/component.h"
#include "world/membership.h"

// How many descendants one batch destroys.
#define DESTROYED_AT_ONCE 256u

// --- listeners -------------------------------------------------------------------------------

// Returns the last descendant in depth-first order: the first node to destroy.
static kith_place last_descendant(const kith_storage *tree, kith_place top)
{
    kith_place last = top;
    for (uint32_t limit = tree->pool.set.head.rows_; last.node != NULL && limit != 0; limit--) {
        top  = last;
        last = kith_begin_children(tree, top, KITH_BACKWARD);
    }
    return top;
}

// Returns the node before `at` in depth-first order: the next one to destroy.
static kith_place node_before(const kith_storage *tree, kith_place at)
{
    kith_place sibling = kith_next_sibling(tree, at, KITH_BACKWARD);
    return sibling.node == NULL ? kith_place_of(tree, at.node->parent)
                                : last_descendant(tree, sibling);
}

// Destroys all descendants of `top` in batches, children before their parent. Continues where the
// last batch ended unless a listener changed links: starting again at the top would cost the square
// of the depth. A descendant that is being destroyed already is unlinked instead.
static void destroy_descendants(kith_world *world, const kith_storage *tree, kith_entity top)
{
    kith_entity batch[DESTROYED_AT_ONCE];
    kith_entity entity  = top;
    uint64_t    changes = 0;
    uint32_t    count;
    do {
        kith_place at   = kith_place_of(tree, entity);
        bool       lost = at.node == NULL || at.node->parent == KITH_NULL;
        if (entity == top || lost || changes != tree->relinked) {
            at = last_descendant(tree, kith_place_of(tree, top));
        }
        changes = tree->relinked;
        for (count = 0; at.entity != top && at.node != NULL && count < DESTROYED_AT_ONCE;) {
            entity = at.entity;
            at     = node_before(tree, at);
            if (kith_world_is_dying(world, entity)) {
                kith_node_move(tree, entity, KITH_NULL, KITH_NULL);
            } else {
                batch[count++] = entity;
            }
        }
        entity = at.entity;
    } while (count != 0 && kith_entity_destroy_many(world, kith_entities_of(batch, count)));
}

// The context of a listener is the hierarchy.
static void on_node_added(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    kith_node_clear_stale_links(context, notice->entity);
}

// Children become roots; with the policy KITH_CHILDREN_DESTROY, if the entity is destroyed, its
// descendants are destroyed first.
static void on_node_removed(kith_world *world, const kith_notice *notice, void *context)
{
    kith_storage *tree = context;
    if (tree->destroys_children && kith_world_is_dying(world, notice->entity)) {
        kith_node_clear_stale_links(tree, notice->entity);
        destroy_descendants(world, tree, notice->entity);
    }
    kith_node_isolate(tree, notice->entity);
}

// --- checking --------------------------------------------------------------------------------

static const char not_hierarchy[] = "the component is not a hierarchy";

const kith_storage *kith_hierarchy_for_read(const kith_world *world, kith_component component,
                                            const char *call)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_ANY_KIND, call);
    if (storage != NULL && !storage->is_hierarchy) {
        kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                             .call      = call,
                             .component = component,
                             .subject   = not_hierarchy };
        kith_world_report_error(world, &error);
        return NULL;
    }
    return storage;
}

// Returns what is wrong with the links of the whole hierarchy, or NULL. If all links are mutual,
// every node is below a root or part of a cycle.
static const char *check_links(const kith_world *world, const kith_storage *tree)
{
    uint32_t reached = 0;
    for (uint32_t row = 0; row < tree->pool.set.head.rows_; row++) {
        kith_place at = kith_place_of(tree, kith_component_entity(world, tree->desc.id, row));
        if (at.node == NULL) {
            continue;
        }
        const char *fault = kith_node_check_place(tree, at, &(kith_linked_rows){ 0 });
        fault             = fault == NULL ? kith_node_check_children(tree, at) : fault;
        if (fault != NULL) {
            return fault;
        }
        reached += at.node->parent == KITH_NULL ? kith_node_count_from(tree, at.entity) : 0;
    }
    return reached == kith_component_count(world, tree->desc.id) ? NULL : "nodes form a cycle";
}

bool kith_hierarchy_validate(const kith_world *world, kith_component hierarchy, const char **reason)
{
    const kith_storage *tree = kith_hierarchy_for_read(world, hierarchy, "kith_hierarchy_validate");
    const char         *fault = tree == NULL ? not_hierarchy : check_links(world, tree);
    if (reason != NULL) {
        *reason = fault;
    }
    return fault == NULL;
}

// --- registering -----------------------------------------------------------------------------

static const char call_register_hierarchy[] = "kith_hierarchy_register";

static bool connect_link_listeners(kith_world *world, kith_storage *storage)
{
    kith_listeners    *lists = storage->events;
    kith_listener_desc desc  = { .event     = KITH_EVENT_ADD,
                                 .component = storage->desc.id,
                                 .call      = on_node_added,
                                 .context   = storage,
                                 .priority  = INT32_MAX };
    kith_listener added = kith_world_connect(world, &lists[KITH_EVENT_ADD], storage, &desc, NULL);
    desc.event          = KITH_EVENT_REMOVE;
    desc.call           = on_node_removed;
    if (added != 0 &&
        kith_world_connect(world, &lists[KITH_EVENT_REMOVE], storage, &desc, NULL) != 0) {
        return true;
    }
    kith_world_disconnect(world, &lists[KITH_EVENT_ADD], storage, KITH_EVENT_ADD, added);
    return kith_world_refuse(world, KITH_ERROR_MEMORY, call_register_hierarchy, desc.component,
                             KITH_NULL);
}

bool kith_hierarchy_register_like(kith_world *world, const kith_storage *from)
{
    kith_storage *storage      = kith_world_storage(world, from->desc.id);
    storage->is_own            = true;
    storage->is_hierarchy      = true;
    storage->destroys_children = from->destroys_children;
    return connect_link_listeners(world, storage);
}

static bool has_top_priority(const kith_listeners *listeners)
{
    return listeners->first != NULL && listeners->first->priority == INT32_MAX;
}

// The copy hook: a copied node has no links.
static bool copy_without_links(void *value, const void *source, void *context)
{
    (void)source;
    (void)context;
    *(kith_node *)value = (kith_node){ 0 };
    return true;
}

// Makes a component a hierarchy. Returns false and reports an error when it cannot.
static bool become_hierarchy(kith_world *world, kith_storage *storage, bool destroys_children)
{
    static const kith_hooks hooks = { .copy = copy_without_links };
    const char             *fault = check_links(world, storage);
    if (has_top_priority(&storage->events[KITH_EVENT_ADD]) ||
        has_top_priority(&storage->events[KITH_EVENT_REMOVE])) {
        fault = "a listener has the priority INT32_MAX, which a hierarchy needs";
    }
    if (fault != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_register_hierarchy,
                                         storage->desc.id, fault, NULL);
    }
    if (!kith_pool_reserve_spare(&storage->pool)) { // a pool with hooks needs it
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call_register_hierarchy,
                                 storage->desc.id, KITH_NULL);
    }
    if (!connect_link_listeners(world, storage)) {
        return false;
    }
    kith_storage_set_hooks(storage, &hooks);
    storage->is_own            = true;
    storage->is_hierarchy      = true;
    storage->destroys_children = destroys_children;
    return true;
}

kith_component kith_hierarchy_register(kith_world *world, const kith_hierarchy_desc *desc)
{
    const kith_component_desc nodes = { .name      = desc->name,
                                        .id        = desc->id,
                                        .size      = sizeof(kith_node),
                                        .alignment = _Alignof(kith_node),
                                        .traits    = { .row_ticks = desc->row_ticks,
                                                       .saved     = KITH_AS(fields(kith_node)) } };
    if ((unsigned)desc->children > KITH_CHILDREN_DESTROY) {
        return kith_world_mistake(world, call_register_hierarchy, "children is not a valid policy",
                                  NULL);
    }
    uint32_t       known = world->storage_count;
    kith_component id    = kith_component_register(world, &nodes);
    if (id == 0) {
        return 0;
    }
    kith_storage *storage = kith_world_storage(world, id);
    bool          destroy = desc->children == KITH_CHILDREN_DESTROY;
    if (!storage->is_hierarchy && !become_hierarchy(world, storage, destroy)) {
        kith_world_drop_storages(world, known);
        return 0;
    }
    if (storage->destroys_children != destroy) {
        return kith_world_refuse_numbers(world, KITH_ERROR_CONFLICT, call_register_hierarchy, id,
                                         "children", !destroy, destroy);
    }
    return id;
}

// --- changing --------------------------------------------------------------------------------

// A call that changes links.
typedef struct link_change {
    kith_world   *world;
    kith_storage *tree; // NULL: the component is not a hierarchy, and an error is reported
    const char   *call;
} link_change;

static link_change begin_change(kith_world *world, kith_component hierarchy, const char *call)
{
    kith_storage *tree = kith_storage_for_write(world, hierarchy, KITH_NULL, KITH_ANY_KIND, call);
    if (tree != NULL && !tree->is_hierarchy) {
        kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy, not_hierarchy, NULL);
        tree = NULL;
    }
    return (link_change){ world, tree, call };
}

// Records that the node was linked elsewhere, and announces it. The nodes that it is linked with
// are not recorded: so one moved node is one change. Returns true.
static bool announce_move(kith_world *world, kith_storage *tree, kith_entity entity)
{
    kith_sparse_set_stamp(&tree->pool.set, kith_sparse_set_row(&tree->pool.set, entity), 1);
    kith_value_announce(world, entity, tree, NULL, KITH_EVENT_SET);
    return true;
}

// Reports an error about an entity; unless `other` is KITH_NULL, the text shows it in brackets.
// Returns false.
static bool fail_change(const link_change *c, kith_error_code code, const char *subject,
                        kith_entity entity, kith_entity other)
{
    char       name[48];
    kith_print out   = kith_print_start(name, sizeof name);
    kith_error error = { .code      = code,
                         .call      = c->call,
                         .component = c->tree->desc.id,
                         .entity    = entity,
                         .subject   = subject,
                         .other     = other == KITH_NULL ? NULL : name };
    kith_print_format(&out, "entity ");
    kith_print_entity(&out, other);
    return kith_world_fail(c->world, &error);
}

// Returns whether links of the entity may change: set can be announced, it is alive, not being
// destroyed, and a pending add event is not about its node. Otherwise reports an error. A node with
// a pending add event cannot be linked: if it is removed before, no remove event follows that would
// unlink it.
static bool require_linkable(const link_change *c, kith_entity entity)
{
    if (c->tree == NULL ||
        !kith_require_event(c->world, &c->tree->events[KITH_EVENT_SET], c->call,
                            c->tree->desc.id) ||
        kith_storage_for_entity(c->world, entity, c->tree->desc.id, KITH_WITH_ROWS, c->call) ==
            NULL) {
        return false;
    }
    if (c->world->nested != 0 && kith_world_add_unreported(c->world, c->tree, entity, false)) {
        return fail_change(c, KITH_ERROR_BUSY, "the add event of the node is pending", entity,
                           KITH_NULL);
    }
    kith_node_clear_stale_links(c->tree, entity);
    return true;
}

// Returns whether the links to the parent and the siblings are mutual, otherwise reports an error.
static bool require_mutual_links(const link_change *c, kith_entity entity)
{
    kith_linked_rows rows;
    kith_place       at    = kith_place_of(c->tree, entity);
    const char      *fault = at.node == NULL ? NULL : kith_node_check_place(c->tree, at, &rows);
    return fault == NULL || fail_change(c, KITH_ERROR_ARGUMENT, fault, entity, KITH_NULL);
}

// Returns whether the links of both may change: `before` is KITH_NULL or another child of the
// parent, and the links to the siblings are mutual, old and new. Otherwise reports an error.
static bool may_join(const link_change *c, kith_entity parent, kith_entity child,
                     kith_entity before)
{
    if (!require_linkable(c, parent) || !require_linkable(c, child)) {
        return false;
    }
    kith_place above = kith_place_of(c->tree, parent);
    if (parent == child || kith_node_is_below(c->tree, above, kith_place_of(c->tree, child))) {
        return true; // kith_node_join reports that
    }
    const kith_node *sibling = kith_place_of(c->tree, before).node;
    if (before != KITH_NULL && (sibling == NULL || sibling->parent != parent || before == child)) {
        return fail_change(c, KITH_ERROR_ARGUMENT, "`before` is not another child of the parent",
                           parent, before);
    }
    kith_entity beside = before != KITH_NULL || above.node == NULL ? before : above.node->last;
    return require_mutual_links(c, child) && require_mutual_links(c, beside);
}

static bool are_nodes(const kith_storage *tree, kith_entity a, kith_entity b)
{
    return kith_place_of(tree, a).node != NULL && kith_place_of(tree, b).node != NULL;
}

// Most children join without preparation (bench H2). If that fails, the full check prepares both
// entities or reports what is wrong.
static bool join_parent(kith_world *world, kith_component hierarchy, kith_entity parent,
                        kith_entity child, kith_entity before, const char *call)
{
    kith_storage *tree = kith_pools_storage(world->head.pools_, hierarchy);
    if (before == KITH_NULL && tree != NULL && tree->is_hierarchy && world->head.busy_ == 0 &&
        kith_node_join(tree, parent, child, KITH_NULL) == NULL) {
        bool unnoticed = (tree->events[KITH_EVENT_SET].count | tree->pool.set.head.ticks_at_) == 0;
        return unnoticed || announce_move(world, tree, child);
    }
    link_change c = begin_change(world, hierarchy, call);
    if (!may_join(&c, parent, child, before)) {
        return false;
    }
    assert(c.tree != NULL); // may_join reports that
    if (parent != child && !are_nodes(c.tree, parent, child)) {
        const kith_entity both[] = { parent, child };
        const kith_values node   = { .component = hierarchy };
        if (!kith_entity_set_many(world, kith_entities_of(both, 2), &node, 1) ||
            !are_nodes(c.tree, parent, child) || !may_join(&c, parent, child, before)) {
            return false; // listeners may have changed anything
        }
    }
    const char *fault = kith_node_join(c.tree, parent, child, before);
    return fault == NULL ? announce_move(world, c.tree, child)
                         : fail_change(&c, KITH_ERROR_ARGUMENT, fault, child, parent);
}

bool kith_hierarchy_insert(kith_world *world, kith_component hierarchy, kith_entity parent,
                           kith_entity child, kith_entity before)
{
    return join_parent(world, hierarchy, parent, child, before, "kith_hierarchy_insert");
}

bool kith_hierarchy_append(kith_world *world, kith_component hierarchy, kith_entity parent,
                           kith_entity child)
{
    return join_parent(world, hierarchy, parent, child, KITH_NULL, "kith_hierarchy_append");
}

bool kith_hierarchy_append_later(kith_commands *commands, kith_component hierarchy,
                                 kith_entity parent, kith_entity child)
{
    return kith_commands_append_later(commands, hierarchy, parent, child, kith_hierarchy_append);
}

bool kith_hierarchy_insert_at(kith_world *world, kith_component hierarchy, kith_entity parent,
                              kith_entity child, uint32_t place)
{
    const kith_storage *tree   = kith_world_storage(world, hierarchy);
    bool                known  = tree != NULL && tree->is_hierarchy;
    kith_place          before = known ? kith_place_of(tree, parent) : (kith_place){ 0 };
    before = before.node == NULL ? before : kith_begin_children(tree, before, KITH_FORWARD);
    while (before.node != NULL && (place != 0 || before.entity == child)) {
        place -= before.entity != child;
        before = kith_next_sibling(tree, before, KITH_FORWARD);
    }
    return join_parent(world, hierarchy, parent, child, before.entity, "kith_hierarchy_insert_at");
}

bool kith_hierarchy_detach(kith_world *world, kith_component hierarchy, kith_entity entity)
{
    link_change c = begin_change(world, hierarchy, "kith_hierarchy_detach");
    if (!require_linkable(&c, entity)) {
        return false;
    }
    const kith_node *node = kith_place_of(c.tree, entity).node;
    if (node == NULL || node->parent == KITH_NULL || !require_mutual_links(&c, entity)) {
        return false;
    }
    c.tree->relinked++;
    kith_node_move(c.tree, entity, KITH_NULL, KITH_NULL);
    return announce_move(world, c.tree, entity);
}

// --- clones ----------------------------------------------------------------------------------

// Links the clones of the children of each original, in their order. Only clones without links are
// linked, so the result is a part of the original tree and has no cycle.
void kith_hierarchy_link_clones(kith_storage *tree, const kith_cloned_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->originals->count; i++) {
        const kith_node *node = kith_place_of(tree, nodes->clones[i]).node;
        nodes->alone[i] = node != NULL && node->parent == KITH_NULL && node->first == KITH_NULL;
    }
    for (uint32_t i = 0; i < nodes->originals->count; i++) {
        kith_place parent = kith_place_of(nodes->from, kith_handle_map_at(nodes->originals, i));
        bool       copies = parent.node != NULL && nodes->alone[i];
        kith_place child =
            copies ? kith_begin_children(nodes->from, parent, KITH_FORWARD) : (kith_place){ 0 };
        for (; child.node != NULL; child = kith_next_sibling(nodes->from, child, KITH_FORWARD)) {
            uint32_t place = kith_handle_map_find(nodes->originals, child.entity);
            if (place != KITH_NO_INDEX && nodes->alone[place]) {
                kith_node_move(tree, nodes->clones[place], nodes->clones[i], KITH_NULL);
            }
        }
    }
    tree->relinked++;
}

// --- queries ---------------------------------------------------------------------------------

KITH_NAMES(kith_children, "orphan\0destroy\0")

// Climbs from the entity to its root, KITH_NULL if it is no node. Returns how far.
static uint32_t climb_to_root(const kith_world *world, kith_component hierarchy,
                              kith_entity *entity, const char *call)
{
    const kith_storage *tree  = kith_hierarchy_for_read(world, hierarchy, call);
    kith_place          at    = tree == NULL ? (kith_place){ 0 } : kith_place_of(tree, *entity);
    uint32_t            steps = at.node == NULL ? 0 : kith_node_climb(tree, &at, KITH_NULL);
    *entity                   = at.entity;
    return steps;
}

kith_entity kith_hierarchy_root(const kith_world *world, kith_component hierarchy,
                                kith_entity entity)
{
    climb_to_root(world, hierarchy, &entity, "kith_hierarchy_root");
    return entity;
}

uint32_t kith_hierarchy_depth(const kith_world *world, kith_component hierarchy, kith_entity entity)
{
    return climb_to_root(world, hierarchy, &entity, "kith_hierarchy_depth");
}

bool kith_hierarchy_is_below(const kith_world *world, kith_component hierarchy, kith_entity entity,
                             kith_entity ancestor)
{
    const kith_storage *tree = kith_hierarchy_for_read(world, hierarchy, "kith_hierarchy_is_below");
    return tree != NULL &&
           kith_node_is_below(tree, kith_place_of(tree, entity), kith_place_of(tree, ancestor));
}

// --- sorting siblings, and rows by level -----------------------------------------------------

bool kith_hierarchy_sort_children(kith_world *world, kith_component hierarchy, kith_entity parent,
                                  kith_compare_entities_fn compare, void *context)
{
    link_change c = begin_change(world, hierarchy, "kith_hierarchy_sort_children");
    if (!require_linkable(&c, parent)) {
        return false;
    }
    kith_place  at    = kith_place_of(c.tree, parent);
    const char *fault = at.node == NULL ? NULL : kith_node_check_children(c.tree, at);
    if (compare == NULL || fault != NULL) {
        fault = compare == NULL ? "compare is NULL" : fault;
        return fail_change(&c, KITH_ERROR_ARGUMENT, fault, KITH_NULL, KITH_NULL);
    }
    if (at.node != NULL) {
        kith_world_lock(world);
        kith_node_sort_children(c.tree, parent, compare, context);
        kith_world_unlock(world);
        announce_move(world, c.tree, parent);
    }
    return at.node != NULL;
}

// A breadth-first sort in place: the pool is the queue. Rows before `end` are in their final place;
// the children of the node in `row` come next.
static void sort_rows_by_levels(kith_storage *tree)
{
    uint32_t rows = tree->pool.set.head.rows_;
    uint32_t end  = 0;
    for (uint32_t row = 0; row < rows; row++) {
        if (kith_node_in(tree, row)->parent == KITH_NULL) {
            kith_pool_swap(&tree->pool, row, end++);
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (kith_entity child = kith_node_in(tree, row)->first; child != KITH_NULL;) {
            kith_pool_swap(&tree->pool, kith_sparse_set_row(&tree->pool.set, child), end);
            child = kith_node_in(tree, end++)->next;
        }
    }
}

bool kith_hierarchy_sort(kith_world *world, kith_component hierarchy)
{
    link_change c = begin_change(world, hierarchy, "kith_hierarchy_sort");
    if (c.tree == NULL || !kith_require_movable(world, c.call, hierarchy) ||
        !kith_require_unowned(world, c.tree, c.call)) {
        return false;
    }
    const char *fault = check_links(world, c.tree);
    if (fault != NULL) {
        return fail_change(&c, KITH_ERROR_ARGUMENT, fault, KITH_NULL, KITH_NULL);
    }
    kith_world_lock(world);
    sort_rows_by_levels(c.tree);
    kith_world_unlock(world);
    return true;
}
