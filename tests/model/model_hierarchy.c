// SPDX-License-Identifier: MIT
// Hierarchies: one list of { child, parent }. The children of a parent stand in it in their order,
// between those of others; everything else is looked up there.
#include "model_internal.h"

#include <assert.h>
#include <string.h>

enum { ENDED_TOGETHER = 256 }; // the library's batches; no model has as many nodes

static model_tree *tree_of(model *m, kith_component id)
{
    for (uint32_t i = 0; i < m->tree_count; i++) {
        if (m->trees[i].id == id) {
            return &m->trees[i];
        }
    }
    return NULL;
}

bool model_is_tree(model *m, kith_component component)
{
    return tree_of(m, component) != NULL;
}

// The hierarchy that a call names, if it is one.
static model_tree *named_tree(model *m, model_manner how, kith_component id)
{
    if (model_named(m, how, id, MODEL_ALL) == NULL) {
        return NULL;
    }
    model_tree *tree = tree_of(m, id);
    if (tree == NULL && how == MODEL_ASKS) {
        model_report(m, KITH_ERROR_ARGUMENT, id, KITH_NULL);
    } else if (tree == NULL) {
        model_fail(m, KITH_ERROR_ARGUMENT, id, KITH_NULL);
    }
    return tree;
}

static bool is_node(model *m, const model_tree *tree, kith_entity entity)
{
    return model_has(model_component_lookup(m, tree->id), entity);
}

// ---------------------------------------------------------------------------------------------
// Looking up
// ---------------------------------------------------------------------------------------------

// The place of its link; the count for a root.
static uint32_t link_of(const model_tree *tree, kith_entity child)
{
    uint32_t at = 0;
    while (at < tree->link_count && tree->links[at].child != child) {
        at++;
    }
    return at;
}

static kith_entity parent_of(const model_tree *tree, kith_entity entity)
{
    uint32_t at = link_of(tree, entity);
    return at < tree->link_count ? tree->links[at].parent : KITH_NULL;
}

static uint32_t list_children(const model_tree *tree, kith_entity parent, kith_entity *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->link_count; i++) {
        if (tree->links[i].parent == parent) {
            list[count++] = tree->links[i].child;
        }
    }
    return count;
}

// The children of the parent that stand beside one of them.
static void find_neighbours(const model_tree *tree, kith_entity child, kith_entity *previous,
                            kith_entity *next)
{
    kith_entity list[MODEL_ROWS];
    kith_entity parent = parent_of(tree, child);
    uint32_t    count  = parent == KITH_NULL ? 0 : list_children(tree, parent, list);
    *previous = *next = KITH_NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == child) {
            *previous = i > 0 ? list[i - 1] : KITH_NULL;
            *next     = i + 1 < count ? list[i + 1] : KITH_NULL;
        }
    }
}

// Adds the entity and all below it, parents before their children.
static void list_depth_first(const model_tree *tree, kith_entity entity, kith_entity *list,
                             uint32_t *count)
{
    list[(*count)++] = entity;
    for (uint32_t i = 0; i < tree->link_count; i++) {
        if (tree->links[i].parent == entity) {
            list_depth_first(tree, tree->links[i].child, list, count);
        }
    }
}

// Adds those below the ones that are in the list, level by level.
static uint32_t list_levels(const model_tree *tree, kith_entity *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        count += list_children(tree, list[i], list + count);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Links
// ---------------------------------------------------------------------------------------------

// The value of an entity changed: its page is stamped, and its number is the parent's first byte.
// Returns its row.
static uint32_t write_node(model *m, const model_tree *tree, kith_entity entity)
{
    model_component *nodes = model_component_lookup(m, tree->id);
    uint32_t         row   = model_row_of(nodes, entity);
    kith_entity      above = parent_of(tree, entity);
    if (row != KITH_NO_ROW) {
        memcpy(&nodes->rows[row].number, &above, 1);
        model_stamp(m, nodes, row);
    }
    return row;
}

// The same for the node that was linked elsewhere: of the rows only its own counts as changed.
static void write_moved(model *m, const model_tree *tree, kith_entity entity)
{
    uint32_t row = write_node(m, tree, entity);
    if (row != KITH_NO_ROW) {
        model_touch(m, model_component_lookup(m, tree->id), row);
    }
}

static void write_family(model *m, const model_tree *tree, kith_entity child)
{
    kith_entity previous;
    kith_entity next;
    find_neighbours(tree, child, &previous, &next);
    write_node(m, tree, previous);
    write_node(m, tree, next);
    write_node(m, tree, parent_of(tree, child));
}

static void cut(model *m, model_tree *tree, kith_entity child)
{
    uint32_t at = link_of(tree, child);
    if (at < tree->link_count) {
        write_family(m, tree, child);
        memmove(tree->links + at, tree->links + at + 1,
                (--tree->link_count - at) * sizeof *tree->links);
        write_moved(m, tree, child);
    }
}

static void tie(model *m, model_tree *tree, kith_entity parent, kith_entity child,
                kith_entity before)
{
    uint32_t at = before == KITH_NULL ? tree->link_count : link_of(tree, before);
    assert(tree->link_count < MODEL_ROWS);
    memmove(tree->links + at + 1, tree->links + at, (tree->link_count - at) * sizeof *tree->links);
    tree->links[at] = (model_link){ child, parent };
    tree->link_count++;
    write_family(m, tree, child);
    write_moved(m, tree, child);
}

// ---------------------------------------------------------------------------------------------
// Going
// ---------------------------------------------------------------------------------------------

// The nodes below, the lowest first. A dying node only leaves its parent.
static uint32_t list_to_end(model *m, model_tree *tree, kith_entity top, kith_entity *list)
{
    kith_entity walk[MODEL_ROWS];
    uint32_t    walked = 0;
    uint32_t    count  = 0;
    list_depth_first(tree, top, walk, &walked);
    while (--walked > 0) {
        if (model_is_dying(m, walk[walked])) {
            cut(m, tree, walk[walked]);
        } else {
            list[count++] = walk[walked];
        }
    }
    assert(count <= ENDED_TOGETHER);
    return count;
}

static void end_below(model *m, model_tree *tree, kith_entity top)
{
    kith_entity       list[MODEL_ROWS];
    model_entity_list entities = { list, 0, false };
    do {
        entities.count = list_to_end(m, tree, top, list);
    } while (entities.count != 0 && model_entity_destroy_many(m, entities) != 0);
}

void model_tree_react(model *m, kith_event event, kith_component component, kith_entity entity)
{
    model_tree *tree = tree_of(m, component);
    kith_entity children[MODEL_ROWS];
    if (event == KITH_EVENT_ADD) {
        return; // it is alone
    }
    if (tree->children == KITH_CHILDREN_DESTROY && model_is_dying(m, entity)) {
        end_below(m, tree, entity);
    }
    uint32_t count = list_children(tree, entity, children);
    for (uint32_t i = 0; i < count; i++) {
        cut(m, tree, children[i]);
    }
    cut(m, tree, entity);
}

// ---------------------------------------------------------------------------------------------
// Clones
// ---------------------------------------------------------------------------------------------

static uint32_t place_in(const model_entity_list *entities, kith_entity entity)
{
    uint32_t place = 0;
    while (place < entities->count && entities->members[place] != entity) {
        place++;
    }
    return place;
}

static bool is_alone(model *m, const model_tree *tree, kith_entity entity)
{
    kith_entity children[MODEL_ROWS];
    return is_node(m, tree, entity) && parent_of(tree, entity) == KITH_NULL &&
           list_children(tree, entity, children) == 0;
}

void model_tree_link_clones(model *m, kith_component component, const model_entity_list *entities,
                            const kith_entity *clones)
{
    model_tree *tree = tree_of(m, component);
    kith_entity children[MODEL_ROWS];
    bool        alone[MODEL_HINTS + 1] = { false };
    for (uint32_t i = 0; i < entities->count && tree != NULL; i++) {
        alone[i] = is_alone(m, tree, clones[i]);
    }
    for (uint32_t i = 0; i < entities->count && tree != NULL; i++) {
        uint32_t count = alone[i] ? list_children(tree, entities->members[i], children) : 0;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t place = place_in(entities, children[k]);
            if (alone[place]) {
                tie(m, tree, clones[i], clones[place], KITH_NULL);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Registering
// ---------------------------------------------------------------------------------------------

static void never_called(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice, (void)context;
}

static void listen_first(model *m, kith_component id, kith_event event)
{
    model_listener ear = { .number = ++m->last_listener, .is_tree = true };
    ear.desc           = (kith_listener_desc){
                  .event = event, .component = id, .call = never_called, .priority = INT32_MAX
    };
    m->listeners[m->listener_count++] = ear;
}

// Whether a component can be made a hierarchy. Values that the model knows of are no links, apart
// from those that are all zero.
static bool may_be_tree(model *m, const model_component *nodes)
{
    bool may = true;
    for (uint32_t row = 0; row < nodes->row_count; row++) {
        may = may && (nodes->rows[row].entity == KITH_NULL || nodes->rows[row].number == 0);
    }
    for (uint32_t i = 0; i < m->listener_count; i++) {
        const kith_listener_desc *desc = &m->listeners[i].desc;
        bool moves = desc->event == KITH_EVENT_ADD || desc->event == KITH_EVENT_REMOVE;
        may = may && !(moves && desc->component == nodes->desc.id && desc->priority == INT32_MAX);
    }
    return may || model_fail(m, KITH_ERROR_ARGUMENT, nodes->desc.id, KITH_NULL);
}

kith_component model_hierarchy_register(model *m, const kith_hierarchy_desc *desc)
{
    const kith_component_desc nodes = { .name      = desc->name,
                                        .id        = desc->id,
                                        .size      = sizeof(kith_node),
                                        .alignment = _Alignof(kith_node),
                                        .traits    = { .row_ticks = desc->row_ticks } };
    if (desc->children != KITH_CHILDREN_ORPHAN && desc->children != KITH_CHILDREN_DESTROY) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    kith_component id   = model_component_register(m, &nodes);
    model_tree    *tree = tree_of(m, id);
    if (tree != NULL) {
        bool same = tree->children == desc->children;
        return same || model_fail(m, KITH_ERROR_CONFLICT, id, KITH_NULL) ? id : 0;
    }
    if (id == 0 || !may_be_tree(m, model_component_lookup(m, id))) {
        return 0;
    }
    m->trees[m->tree_count++]              = (model_tree){ .id = id, .children = desc->children };
    model_component_lookup(m, id)->is_tree = true;
    listen_first(m, id, KITH_EVENT_ADD);
    listen_first(m, id, KITH_EVENT_REMOVE);
    return id;
}

// ---------------------------------------------------------------------------------------------
// Changing
// ---------------------------------------------------------------------------------------------

static bool may_be_linked(model *m, const model_tree *tree, kith_entity entity)
{
    if (!model_may_announce(m, KITH_EVENT_SET, model_component_lookup(m, tree->id)) ||
        model_demanded(m, MODEL_CHANGES, tree->id, entity, MODEL_ALL) == NULL) {
        return false;
    }
    return !model_is_unreported(m, tree->id, entity) ||
           model_fail(m, KITH_ERROR_BUSY, tree->id, entity);
}

static bool is_below(const model_tree *tree, kith_entity entity, kith_entity ancestor)
{
    kith_entity above = parent_of(tree, entity);
    while (above != KITH_NULL && above != ancestor) {
        above = parent_of(tree, above);
    }
    return above != KITH_NULL;
}

static bool may_join(model *m, const model_tree *tree, kith_entity parent, kith_entity child,
                     kith_entity before)
{
    if (!may_be_linked(m, tree, parent) || !may_be_linked(m, tree, child)) {
        return false;
    }
    if (parent == child || is_below(tree, parent, child)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, tree->id, child);
    }
    bool good = before == KITH_NULL || (before != child && parent_of(tree, before) == parent);
    return good || model_fail(m, KITH_ERROR_ARGUMENT, tree->id, parent);
}

// Makes parent and child nodes if they are none. Afterwards everything may have changed.
static bool make_nodes(model *m, const model_tree *tree, kith_entity parent, kith_entity child)
{
    kith_entity       lacking[2];
    model_entity_list entities = { lacking, 0, false };
    kith_values       set      = { .component = tree->id };
    if (!is_node(m, tree, parent)) {
        lacking[entities.count++] = parent;
    }
    if (!is_node(m, tree, child)) {
        lacking[entities.count++] = child;
    }
    return entities.count == 0 || (model_entity_set_many(m, entities, &set, 1) != 0 &&
                                   is_node(m, tree, parent) && is_node(m, tree, child));
}

bool model_hierarchy_insert(model *m, kith_component hierarchy, kith_entity parent,
                            kith_entity child, kith_entity before)
{
    model_tree *tree = named_tree(m, MODEL_CHANGES, hierarchy);
    if (tree == NULL || !may_join(m, tree, parent, child, before) ||
        !make_nodes(m, tree, parent, child) || !may_join(m, tree, parent, child, before)) {
        return false;
    }
    cut(m, tree, child);
    tie(m, tree, parent, child, before);
    model_announce_set(m, model_component_lookup(m, hierarchy), child);
    return true;
}

bool model_hierarchy_append(model *m, kith_component hierarchy, kith_entity parent,
                            kith_entity child)
{
    return model_hierarchy_insert(m, hierarchy, parent, child, KITH_NULL);
}

bool model_hierarchy_insert_at(model *m, kith_component hierarchy, kith_entity parent,
                               kith_entity child, uint32_t place)
{
    kith_entity       list[MODEL_ROWS];
    const model_tree *tree   = tree_of(m, hierarchy);
    uint32_t          count  = tree == NULL ? 0 : list_children(tree, parent, list);
    uint32_t          others = 0;
    for (uint32_t i = 0; i < count; i++) {
        list[others] = list[i];
        others += list[i] != child;
    }
    return model_hierarchy_insert(m, hierarchy, parent, child,
                                  place < others ? list[place] : KITH_NULL);
}

bool model_hierarchy_detach(model *m, kith_component hierarchy, kith_entity entity)
{
    model_tree *tree = named_tree(m, MODEL_CHANGES, hierarchy);
    if (tree == NULL || !may_be_linked(m, tree, entity) || parent_of(tree, entity) == KITH_NULL) {
        return false;
    }
    cut(m, tree, entity);
    model_announce_set(m, model_component_lookup(m, hierarchy), entity);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Order
// ---------------------------------------------------------------------------------------------

static void order_by_indices(kith_entity *list, uint32_t count, uint32_t mask)
{
    for (uint32_t i = 1; i < count; i++) {
        kith_entity moved = list[i];
        uint32_t    at    = i;
        for (; at > 0 &&
               (model_entity_index(list[at - 1]) & mask) > (model_entity_index(moved) & mask);
             at--) {
            list[at] = list[at - 1];
        }
        list[at] = moved;
    }
}

bool model_hierarchy_sort_children(model *m, kith_component hierarchy, kith_entity parent,
                                   bool compares, uint32_t mask)
{
    kith_entity list[MODEL_ROWS];
    model_tree *tree = named_tree(m, MODEL_CHANGES, hierarchy);
    if (tree == NULL || !may_be_linked(m, tree, parent)) {
        return false;
    }
    if (!compares) {
        return model_fail(m, KITH_ERROR_ARGUMENT, hierarchy, KITH_NULL);
    }
    uint32_t count = list_children(tree, parent, list);
    if (count > 1) {
        model_run_hook(m);
    }
    order_by_indices(list, count, mask);
    for (uint32_t i = 0, next = 0; i < tree->link_count; i++) {
        if (tree->links[i].parent == parent) {
            tree->links[i].child = list[next++];
        }
    }
    write_moved(m, tree, parent);
    for (uint32_t i = 0; i < count; i++) {
        write_node(m, tree, list[i]);
    }
    bool found = is_node(m, tree, parent);
    if (found) {
        model_announce_set(m, model_component_lookup(m, hierarchy), parent);
    }
    return found;
}

bool model_hierarchy_sort(model *m, kith_component hierarchy)
{
    model_row         before[MODEL_ROWS];
    kith_entity       list[MODEL_ROWS];
    uint32_t          count = 0;
    const model_tree *tree  = named_tree(m, MODEL_CHANGES, hierarchy);
    if (tree == NULL || model_blocked(m, hierarchy, KITH_NULL)) {
        return false;
    }
    model_component *nodes = model_component_lookup(m, hierarchy);
    if (model_is_owned(m, nodes)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, hierarchy, KITH_NULL);
    }
    memcpy(before, nodes->rows, sizeof before);
    for (uint32_t row = 0; row < nodes->row_count; row++) {
        if (parent_of(tree, before[row].entity) == KITH_NULL) {
            list[count++] = before[row].entity;
        }
    }
    count = list_levels(tree, list, count);
    for (uint32_t row = 0; row < count; row++) {
        uint32_t from = 0;
        while (before[from].entity != list[row]) {
            from++;
        }
        nodes->rows[row] = before[from];
        if (from != row) {
            model_stamp(m, nodes, row);
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------

bool model_tree_node(model *m, kith_component hierarchy, kith_entity entity, kith_node *node)
{
    kith_entity       list[MODEL_ROWS];
    const model_tree *tree = named_tree(m, MODEL_ASKS, hierarchy);
    memset(node, 0, sizeof *node);
    if (tree == NULL || !is_node(m, tree, entity)) {
        return false;
    }
    node->parent = parent_of(tree, entity);
    node->count  = list_children(tree, entity, list);
    node->first  = node->count == 0 ? KITH_NULL : list[0];
    node->last   = node->count == 0 ? KITH_NULL : list[node->count - 1];
    find_neighbours(tree, entity, &node->previous, &node->next);
    return true;
}

kith_entity model_hierarchy_root(model *m, kith_component hierarchy, kith_entity entity)
{
    const model_tree *tree = named_tree(m, MODEL_ASKS, hierarchy);
    if (tree == NULL || !is_node(m, tree, entity)) {
        return KITH_NULL;
    }
    while (parent_of(tree, entity) != KITH_NULL) {
        entity = parent_of(tree, entity);
    }
    return entity;
}

uint32_t model_hierarchy_depth(model *m, kith_component hierarchy, kith_entity entity)
{
    const model_tree *tree  = named_tree(m, MODEL_ASKS, hierarchy);
    uint32_t          depth = 0;
    while (tree != NULL && parent_of(tree, entity) != KITH_NULL) {
        entity = parent_of(tree, entity);
        depth++;
    }
    return depth;
}

bool model_hierarchy_is_below(model *m, kith_component hierarchy, kith_entity entity,
                              kith_entity ancestor)
{
    const model_tree *tree = named_tree(m, MODEL_ASKS, hierarchy);
    return tree != NULL && is_below(tree, entity, ancestor);
}

uint32_t model_hierarchy_walk(model *m, kith_component hierarchy, kith_entity top,
                              kith_entity *list)
{
    const model_tree *tree  = tree_of(m, hierarchy);
    uint32_t          count = 0;
    if (is_node(m, tree, top)) {
        list_depth_first(tree, top, list, &count);
    }
    return count;
}

// The entity that follows in the walk from `top` and is not below `passed`. The walk to an entity
// that is not below `top` begins at its root.
static kith_entity walk_on(model *m, const model_tree *tree, kith_entity top, kith_entity entity,
                           kith_entity passed)
{
    kith_entity list[MODEL_ROWS];
    bool        within = entity == top || is_below(tree, entity, top);
    kith_entity from   = within ? top : model_hierarchy_root(m, tree->id, entity);
    uint32_t    count  = model_hierarchy_walk(m, tree->id, from, list);
    uint32_t    at     = 0;
    while (at < count && list[at] != entity) {
        at++;
    }
    do {
        at++;
    } while (at < count && is_below(tree, list[at], passed));
    return at < count ? list[at] : KITH_NULL;
}

kith_entity model_hierarchy_next(model *m, kith_component hierarchy, kith_entity top,
                                 kith_entity entity)
{
    const model_tree *tree = named_tree(m, MODEL_ASKS, hierarchy);
    if (tree != NULL && entity == KITH_NULL) {
        return is_node(m, tree, top) ? top : KITH_NULL;
    }
    kith_entity next = tree == NULL ? KITH_NULL : walk_on(m, tree, top, entity, KITH_NULL);
    // a node above the top does not lead to it
    next = next != KITH_NULL && next == top ? walk_on(m, tree, top, entity, entity) : next;
    return next == top ? KITH_NULL : next;
}

kith_entity model_hierarchy_skip(model *m, kith_component hierarchy, kith_entity top,
                                 kith_entity entity)
{
    const model_tree *tree = named_tree(m, MODEL_ASKS, hierarchy);
    kith_entity       next = tree == NULL ? KITH_NULL : walk_on(m, tree, top, entity, entity);
    return next == top ? KITH_NULL : next;
}

uint32_t model_hierarchy_levels(model *m, kith_component hierarchy, kith_entity top,
                                kith_entity *list)
{
    const model_tree *tree = named_tree(m, MODEL_ASKS, hierarchy);
    if (tree == NULL || !is_node(m, tree, top)) {
        return 0;
    }
    list[0] = top;
    return list_levels(tree, list, 1);
}

bool model_hierarchy_validate(model *m, kith_component hierarchy)
{
    return named_tree(m, MODEL_ASKS, hierarchy) != NULL;
}
