// SPDX-License-Identifier: MIT
// kith_merge_apply: merges a snapshot into a living world. "Here" is this world, "there" a second
// world with the same components in the same order, into which the snapshot is loaded.
//
//     snapshot --load--> there --compare with the sums of the last merge--> changes --> here
#include "batch/batch.h"
#include "hierarchy/node.h"
#include "link/link.h"
#include "merge/index_map.h"
#include "snapshot/hash.h"
#include "snapshot/load.h"

static const char call_merge[] = "kith_merge_apply";

typedef struct merging {
    kith_merge     *merge;
    kith_world     *world;
    kith_world     *there;
    kith_content    content;  // of `there`
    uint32_t        storages; // count, the same in both worlds
    kith_entity    *remotes;  // entities there that are created here; one block with `created`
    kith_entity    *created;
    uint32_t        create_count;
    uint32_t        room; // entries of `remotes` and `created`
    kith_call_error own;  // of the calls that change this world
    kith_result     result;
} merging;

// A component in both worlds.
typedef struct component_pair {
    const kith_storage *there;
    const kith_storage *here;
    kith_index_map     *values; // sums of what the last merge found there
    kith_index_map     *children;
} component_pair;

static component_pair pair_of(const merging *m, uint32_t i)
{
    kith_index_map *sums = &m->merge->sums[(size_t)2 * i];
    return (component_pair){ m->there->storages[i], m->world->storages[i], sums, sums + 1 };
}

// --- failing ---------------------------------------------------------------------------------

// Ends the merge. `name`, which may be NULL, is the component that `what` is about. Returns false.
static bool fail_merge(merging *m, kith_error_code code, const char *name, const char *what)
{
    m->result = kith_result_of(code, 0, name == NULL ? "%s%s" : "\"%s\": %s",
                               name == NULL ? "" : name, what);
    return false;
}

static bool no_memory_to_merge(merging *m)
{
    return fail_merge(m, KITH_ERROR_MEMORY, NULL, "memory ran out while merging");
}

// Whether the last call succeeded; if not, its error ends the merge.
static bool check_call(merging *m)
{
    char text[160];
    if (m->own.error.code == KITH_OK) {
        return true;
    }
    kith_error_text(m->world, &m->own.error, text, sizeof text);
    return fail_merge(m, m->own.error.code, NULL, text);
}

// --- sums ------------------------------------------------------------------------------------

static KITH_COLD kith_content_sums fail_sums(merging *m, const kith_storage *storage)
{
    fail_merge(m, KITH_ERROR_MEMORY, storage->desc.name,
               "a value cannot be written, or there is no memory for it");
    return (kith_content_sums){ 0 };
}

// Hashes a value. If that fails, the merge has failed; then nothing more is hashed.
static uint64_t sum_value(merging *m, const kith_world *world, const kith_storage *storage,
                          const void *value)
{
    uint64_t hash = 0;
    if (m->result.code != KITH_OK) {
        return 0;
    }
    kith_world_lock(m->world);
    bool summed = kith_value_hash(world, storage, value, &hash, call_merge);
    kith_world_unlock(m->world);
    if (!summed) {
        fail_sums(m, storage);
    }
    return hash;
}

// Sums the component of an entity there. Fails like sum_value; then it is as if it were absent.
static kith_content_sums sum_there(merging *m, const component_pair *p, kith_entity remote)
{
    kith_content_sums sums   = { 0 };
    bool              failed = m->result.code != KITH_OK;
    kith_world_lock(m->world);
    bool summed = failed || kith_content_sum(&m->content, p->there, remote, &sums);
    kith_world_unlock(m->world);
    return summed ? sums : fail_sums(m, p->there);
}

// Whether the component of an entity there, with the sums `now`, is as in the last merge.
static bool has_same_sums(const component_pair *p, kith_entity remote, kith_content_sums now)
{
    uint32_t index = kith_entity_index(remote);
    return now.value == kith_index_map_at(p->values, index) &&
           now.children == kith_index_map_at(p->children, index);
}

// --- memory ----------------------------------------------------------------------------------

static bool reserve_sums(const merging *m, const component_pair *p)
{
    const kith_allocator *memory = &m->world->memory;
    bool                  enough = true;
    bool                  used = p->there->bit != KITH_NO_BIT && kith_storage_count(p->there) != 0;
    for (uint32_t index = 0; index < m->there->entities.count && used && enough; index++) {
        if (kith_entity_bit(&m->there->entities, index, p->there->bit)) {
            enough =
                kith_index_map_reserve(p->values, memory, index) &&
                (!p->there->is_hierarchy || kith_index_map_reserve(p->children, memory, index));
        }
    }
    return enough;
}

// Reserves memory for all sums and mappings except `back`, which depends on the created entities.
static bool reserve_merge(merging *m)
{
    kith_merge           *merge  = m->merge;
    const kith_allocator *memory = &m->world->memory;
    uint32_t              slots  = m->there->entities.count;
    bool enough = kith_alloc_more(memory, &merge->sums, &merge->sum_count, 2 * m->storages,
                                  sizeof *merge->sums);
    for (uint32_t index = 0; index < slots && enough; index += KITH_PAGE_SLOTS) {
        enough = kith_index_map_reserve(&merge->remote, memory, index) &&
                 kith_index_map_reserve(&merge->local, memory, index);
    }
    for (uint32_t i = 0; i < m->storages && enough; i++) {
        component_pair p = pair_of(m, i);
        enough = kith_index_map_reserve(&merge->singles, memory, i) && reserve_sums(m, &p);
    }
    return enough || no_memory_to_merge(m);
}

// --- entities that are gone there ------------------------------------------------------------

static bool is_gone(const merging *m, kith_entity remote)
{
    return remote != KITH_NULL && !kith_entity_table_alive(&m->there->entities, remote);
}

// Children that stay become roots when their parent is gone.
static void detach_children(const merging *m, kith_component tree, kith_entity entity)
{
    const kith_node *node  = kith_component_get(m->world, entity, tree);
    kith_entity      child = node == NULL ? KITH_NULL : node->first;
    for (uint32_t left = node == NULL ? 0 : node->count; left > 0 && child != KITH_NULL; left--) {
        const kith_node *below = kith_component_get(m->world, child, tree);
        kith_entity      next  = below == NULL ? KITH_NULL : below->next;
        if (!is_gone(m, kith_merge_remote(m->merge, child))) {
            kith_hierarchy_detach(m->world, tree, child);
        }
        child = next;
    }
}

// Holders lose the link before their target goes: those that stay, and those of a link that would
// refuse to let it go.
static void remove_holders(const merging *m, const kith_storage *lists, kith_entity entity)
{
    kith_component link = lists->link.partner->desc.id;
    kith_holders   walk = kith_holders_begin(m->world, link, entity);
    while (kith_holders_next(&walk)) {
        kith_component_remove(m->world, walk.entity, link);
    }
}

// Detaches the children and holders of the entities that are gone there, or destroys these
// entities.
static void end_gone(const merging *m, bool destroy)
{
    for (uint32_t index = 0; index < kith_index_map_end(&m->merge->remote); index++) {
        if (!is_gone(m, kith_index_map_at(&m->merge->remote, index))) {
            continue;
        }
        kith_entity local = kith_index_map_at(&m->merge->local, index);
        for (uint32_t i = 0; i < m->storages && !destroy; i++) {
            if (m->world->storages[i]->is_hierarchy) {
                detach_children(m, m->world->storages[i]->desc.id, local);
            }
            if (m->world->storages[i]->access == KITH_ACCESS_LIST) {
                remove_holders(m, m->world->storages[i], local);
            }
        }
        if (destroy) {
            kith_merge_forget(m->merge, index);
            kith_entity_destroy(m->world, local);
        }
    }
}

// --- entities that are new there -------------------------------------------------------------

// Whether a component of an entity changed there since the last merge.
static bool has_changed(merging *m, kith_entity remote)
{
    for (uint32_t i = 0; i < m->storages; i++) {
        component_pair p = pair_of(m, i);
        if (!has_same_sums(&p, remote, sum_there(m, &p, remote))) {
            return true;
        }
    }
    return false;
}

// Lists the entities that are new there, or changed there and not alive here.
static bool list_created(merging *m)
{
    m->room = kith_entity_count(m->there);
    if (m->room == 0) {
        return true;
    }
    m->remotes =
        kith_alloc(&m->world->memory, 2 * sizeof *m->remotes * m->room, sizeof *m->remotes);
    if (m->remotes == NULL) {
        return no_memory_to_merge(m);
    }
    m->created         = m->remotes + m->room;
    kith_entity remote = KITH_NULL;
    while (m->result.code == KITH_OK &&
           (remote = kith_entity_next(m->there, remote)) != KITH_NULL) {
        uint32_t i     = kith_entity_index(remote);
        bool     known = kith_index_map_at(&m->merge->remote, i) == remote;
        bool     alive = kith_entity_alive(m->world, kith_index_map_at(&m->merge->local, i));
        if (!known || (!alive && has_changed(m, remote))) {
            m->remotes[m->create_count++] = remote;
        }
    }
    return m->result.code == KITH_OK;
}

static bool create_entities(merging *m)
{
    kith_merge *merge = m->merge;
    uint64_t    end   = (uint64_t)m->world->entities.count + m->create_count;
    if (m->create_count == 0) {
        return true;
    }
    for (uint64_t index = 0; index < end; index += KITH_PAGE_SLOTS) {
        if (!kith_index_map_reserve(&merge->back, &m->world->memory, (uint32_t)index)) {
            return no_memory_to_merge(m);
        }
    }
    m->own.error.code = KITH_OK;
    if (!kith_world_create_entities(m->world, m->created, m->create_count, call_merge)) {
        return check_call(m);
    }
    for (uint32_t i = 0; i < m->create_count; i++) {
        uint32_t index = kith_entity_index(m->remotes[i]);
        kith_merge_forget(merge, index);
        kith_index_map_put(&merge->remote, index, m->remotes[i]);
        kith_index_map_put(&merge->local, index, m->created[i]);
        kith_index_map_put(&merge->back, kith_entity_index(m->created[i]), m->remotes[i]);
    }
    kith_world_announce_births(m->world, m->created, m->create_count);
    return true;
}

// --- values ----------------------------------------------------------------------------------

static kith_entity follow_remote(const void *context, kith_entity entity)
{
    return kith_merge_local(context, entity);
}

// Copies the bytes that are not saved from the value here, if the component has no hooks.
static void keep_unsaved(const kith_storage *storage, uint8_t *value, const uint8_t *here)
{
    const kith_layout *layout = &storage->layout;
    uint32_t           at     = 0;
    if (!storage->pool.plain || layout->form != KITH_FORM_FIELDS) {
        return;
    }
    for (uint32_t i = 0; i < layout->piece_count; i++) {
        const kith_layout_piece *piece = &layout->pieces[i];
        memcpy(value + at, here + at, piece->at - at);
        at = piece->at + piece->size;
    }
    memcpy(value + at, here + at, layout->size - at);
}

// Sets a component here, or the singleton if `here` is KITH_NULL, unless it has the same value.
// `value` is the value there, `old` the one here; both may be NULL.
static bool set_here(merging *m, const kith_storage *storage, kith_entity here, void *value,
                     const void *old)
{
    if (value != NULL) {
        kith_layout_map_entities(&storage->layout, value, follow_remote, m->merge);
    }
    if (value != NULL && old != NULL) {
        keep_unsaved(storage, value, old);
        uint64_t a = sum_value(m, m->world, storage, old);
        uint64_t b = sum_value(m, m->world, storage, value);
        if (m->result.code != KITH_OK || a == b) {
            return m->result.code == KITH_OK;
        }
    }
    m->own.error.code = KITH_OK;
    if (here == KITH_NULL) {
        kith_singleton_set(m->world, storage->desc.id, value);
    } else {
        kith_component_set(m->world, here, storage->desc.id, value);
    }
    return check_call(m);
}

// Returns the entity's value, or NULL.
static void *merged_value(const kith_storage *storage, kith_entity entity)
{
    uint32_t row = kith_sparse_set_row(&storage->pool.set, entity);
    return row == KITH_NO_ROW ? NULL : kith_pool_value(&storage->pool, row);
}

static bool enable_here(merging *m, const kith_storage *storage, kith_entity here, bool enabled)
{
    if (storage->desc.kind == KITH_KIND_FLAG ||
        !kith_entity_has_bit(m->world, here, storage->bit) ||
        kith_storage_enabled_at(storage, kith_entity_index(here)) == enabled) {
        return true;
    }
    m->own.error.code = KITH_OK;
    kith_component_enable(m->world, here, storage->desc.id, enabled);
    return check_call(m);
}

// Sets the link of an entity here if it has another target there, or removes it if that target is
// not here.
static bool link_here(merging *m, const component_pair *p, kith_entity remote, kith_entity here)
{
    const kith_link *there = kith_link_of(p->there, remote);
    const kith_link *link  = kith_link_of(p->here, here);
    kith_link        value = { .target = kith_merge_local(m->merge, there->target) };
    if (!kith_entity_alive(m->world, value.target)) {
        kith_component_remove(m->world, here, p->here->desc.id);
        return true;
    }
    m->own.error.code = KITH_OK;
    if (link == NULL || link->target != value.target) {
        kith_component_set(m->world, here, p->here->desc.id, &value);
    }
    return check_call(m);
}

static bool change_here(merging *m, const component_pair *p, kith_entity remote, uint64_t now)
{
    kith_entity here  = kith_index_map_at(&m->merge->local, kith_entity_index(remote));
    uint64_t    then  = kith_index_map_at(p->values, kith_entity_index(remote));
    bool        lacks = !kith_entity_has_bit(m->world, here, p->here->bit);
    bool        other = then >> 1 != now >> 1;
    if (!kith_entity_alive(m->world, here)) {
        return true;
    }
    if (now == 0) {
        kith_component_remove(m->world, here, p->here->desc.id);
        return true;
    }
    bool  links    = p->here->link.ops != NULL;
    bool  replaces = kith_storage_can_replace(p->here) && !links;
    void *value    = replaces ? merged_value(p->there, remote) : NULL;
    void *old      = replaces ? merged_value(p->here, here) : NULL;
    if (links ? other && !link_here(m, p, remote, here)
              : other && (replaces || lacks) && !set_here(m, p->here, here, value, old)) {
        return false;
    }
    bool decides = then == 0 || ((then ^ now) & 1) != 0 || (other && lacks);
    return !decides || enable_here(m, p->here, here, (now & 1) == 0);
}

static bool merge_component(merging *m, const component_pair *p, kith_entity remote)
{
    kith_content_sums sums  = sum_there(m, p, remote);
    uint64_t          now   = sums.value;
    uint32_t          index = kith_entity_index(remote);
    if (m->result.code != KITH_OK || has_same_sums(p, remote, sums) ||
        p->there->access == KITH_ACCESS_LIST) { // lists are ordered at the end
        return m->result.code == KITH_OK;
    }
    if (p->there->is_hierarchy) {
        // a node is created without links, and its sums stay 0 until the links are set at the end
        kith_entity here = kith_index_map_at(&m->merge->local, index);
        if (now == 0 || !kith_entity_has_bit(m->world, here, p->here->bit)) {
            kith_index_map_put(p->values, index, 0);
            kith_index_map_put(p->children, index, 0);
        }
    }
    bool done = change_here(m, p, remote, now);
    if (done && !p->there->is_hierarchy) {
        kith_index_map_put(p->values, index, now);
    }
    return done;
}

static bool merge_values(merging *m)
{
    kith_entity remote = KITH_NULL;
    while ((remote = kith_entity_next(m->there, remote)) != KITH_NULL) {
        for (uint32_t i = 0; i < m->storages; i++) {
            component_pair p = pair_of(m, i);
            if (!merge_component(m, &p, remote)) {
                return false;
            }
        }
    }
    return true;
}

// --- links of hierarchies --------------------------------------------------------------------
//
// A merge keeps two sums of each node there, of its parent and of its children. A node with a
// changed parent sum leaves its parent here. All such nodes leave before one gets its new parent:
// the links that stay exist there too, so no cycle can form.

static const kith_node *node_here(const merging *m, const component_pair *tree, kith_entity here)
{
    return kith_component_get(m->world, here, tree->here->desc.id);
}

// Whether the parent of a node changed there since the last merge, or the node is new here.
static bool has_moved(const merging *m, const component_pair *tree, kith_entity remote)
{
    uint64_t then = kith_index_map_at(tree->values, kith_entity_index(remote));
    return then >> 1 != kith_content_sum_parent(&m->content, tree->there, remote) >> 1;
}

// Detaches a moved node from its parent here, unless that is the right parent.
static void leave_parent(const merging *m, const component_pair *tree, kith_entity remote)
{
    kith_entity      here   = kith_merge_local(m->merge, remote);
    const kith_node *node   = has_moved(m, tree, remote) ? node_here(m, tree, here) : NULL;
    kith_entity      parent = kith_node_of(tree->there, remote)->parent;
    if (node != NULL && node->parent != KITH_NULL &&
        node->parent != kith_merge_local(m->merge, parent)) {
        kith_hierarchy_detach(m->world, tree->here->desc.id, here);
    }
}

static bool has_new_children(const merging *m, const component_pair *tree, kith_entity remote)
{
    uint64_t    then    = kith_index_map_at(tree->children, kith_entity_index(remote));
    uint64_t    now     = kith_content_sum_children(&m->content, tree->there, remote);
    bool        changed = then != now;
    kith_entity child   = kith_node_of(tree->there, remote)->first;
    while (child != KITH_NULL && !changed) {
        changed = has_moved(m, tree, child);
        child   = kith_node_of(tree->there, child)->next;
    }
    return changed;
}

// Whether a child there is to be a child of `parent` here: it is one already, or it comes, and is
// neither `parent` nor above it.
static bool belongs_below(const merging *m, const component_pair *tree, kith_entity parent,
                          kith_entity here, bool comes)
{
    const kith_node *node = node_here(m, tree, here);
    return node != NULL &&
           (node->parent == parent ||
            (comes && here != parent &&
             !kith_hierarchy_is_below(m->world, tree->here->desc.id, parent, here)));
}

// Gives the children of a node the order that they have there. A node that is new here gets all its
// children.
static void order_children(const merging *m, const component_pair *tree, kith_entity remote)
{
    kith_entity parent   = kith_merge_local(m->merge, remote);
    kith_entity previous = KITH_NULL;
    if (node_here(m, tree, parent) == NULL || !has_new_children(m, tree, remote)) {
        return;
    }
    bool all = kith_index_map_at(tree->children, kith_entity_index(remote)) == 0;
    for (kith_entity child = kith_node_of(tree->there, remote)->first; child != KITH_NULL;
         child             = kith_node_of(tree->there, child)->next) {
        kith_entity here = kith_merge_local(m->merge, child);
        if (!belongs_below(m, tree, parent, here, all || has_moved(m, tree, child))) {
            continue;
        }
        kith_entity before = previous == KITH_NULL ? node_here(m, tree, parent)->first
                                                   : node_here(m, tree, previous)->next;
        if (before != here) {
            kith_hierarchy_insert(m->world, tree->here->desc.id, parent, here, before);
        }
        previous = node_here(m, tree, here)->parent == parent ? here : previous;
    }
}

static void store_links(const merging *m, const component_pair *tree, kith_entity remote)
{
    uint32_t          index = kith_entity_index(remote);
    kith_content_sums sums;
    kith_content_sum(&m->content, tree->there, remote, &sums); // of a node, which cannot fail
    kith_index_map_put(tree->values, index, sums.value);
    kith_index_map_put(tree->children, index, sums.children);
}

static void for_each_node(const merging *m, const component_pair *tree,
                          void (*call)(const merging *m, const component_pair *tree,
                                       kith_entity remote))
{
    kith_entity remote = KITH_NULL;
    while ((remote = kith_entity_next(m->there, remote)) != KITH_NULL) {
        if (kith_node_of(tree->there, remote) != NULL) {
            call(m, tree, remote);
        }
    }
}

// Holders of this world alone come first if the order of the others changed.
static void merge_order(merging *m, const component_pair *lists)
{
    kith_entity remote = KITH_NULL;
    while ((remote = kith_entity_next(m->there, remote)) != KITH_NULL) {
        kith_content_sums sums = sum_there(m, lists, remote);
        if (!has_same_sums(lists, remote, sums)) {
            kith_storage *links = lists->here->link.partner;
            links->link.ops->order(links, kith_merge_local(m->merge, remote), lists->there, remote,
                                   follow_remote, m->merge);
            kith_index_map_put(lists->values, kith_entity_index(remote), sums.value);
        }
    }
}

static void merge_links(merging *m)
{
    for (uint32_t i = 0; i < m->storages; i++) {
        component_pair tree = pair_of(m, i);
        if (tree.there->access == KITH_ACCESS_LIST) {
            merge_order(m, &tree);
        }
        if (tree.there->is_hierarchy) {
            for_each_node(m, &tree, leave_parent);
            for_each_node(m, &tree, order_children);
            for_each_node(m, &tree, store_links);
        }
    }
}

// --- singletons ------------------------------------------------------------------------------

// A component that is no singleton has no value here and there, and the sum 0.
static bool merge_single(merging *m, uint32_t i)
{
    component_pair p   = pair_of(m, i);
    uint64_t       now = sum_there(m, &p, KITH_NULL).value;
    if (m->result.code != KITH_OK || now == kith_index_map_at(&m->merge->singles, i)) {
        return m->result.code == KITH_OK;
    }
    if (now == 0) {
        kith_singleton_remove(m->world, p.here->desc.id);
    } else if (!set_here(m, p.here, KITH_NULL, p.there->single, p.here->single)) {
        return false;
    }
    kith_index_map_put(&m->merge->singles, i, now);
    return true;
}

// --- the other world -------------------------------------------------------------------------

// Setting copies a value: without a copy hook it would be destructed twice.
static bool values_can_be_set(merging *m)
{
    for (uint32_t i = 0; i < m->storages; i++) {
        const kith_storage *storage = m->there->storages[i];
        const kith_hooks   *hooks   = &storage->desc.traits.hooks;
        if (hooks->copy == NULL && (hooks->destruct != NULL || hooks->move != NULL) &&
            kith_storage_is_used(storage)) {
            return fail_merge(m, KITH_ERROR_ARGUMENT, storage->desc.name,
                              "values with hooks need a copy hook to be merged");
        }
    }
    return true;
}

// Creates a world with the snapshot's settings and the components of this one.
static bool make_other_world(merging *m, const kith_load_desc *load, const void *bytes, size_t size)
{
    kith_error      error = { .code = KITH_OK };
    kith_world_desc desc  = { .allocator = m->world->memory,
                              .on_error  = kith_error_ignore,
                              .user      = m->world->user };
    m->result             = kith_snapshot_world_desc(load, bytes, size, &desc);
    if (m->result.code != KITH_OK) {
        return false;
    }
    m->there    = kith_world_make(&desc, &error);
    m->storages = m->world->storage_count;
    if (m->there == NULL && error.code != KITH_ERROR_MEMORY) {
        return fail_merge(m, KITH_ERROR_FORMAT, NULL,
                          "the snapshot's settings are not those of a world");
    }
    if (m->there == NULL || !kith_world_copy_components(m->there, m->world)) {
        return no_memory_to_merge(m);
    }
    m->there->without_objects = true;
    m->content                = (kith_content){ .world = m->there, .call = call_merge };
    return true;
}

// --- calls -----------------------------------------------------------------------------------

KITH_NOINLINE static void merge_all(merging *m)
{
    if (!values_can_be_set(m) || !reserve_merge(m) || !list_created(m)) {
        return;
    }
    end_gone(m, false);
    end_gone(m, true);
    if (!create_entities(m) || !merge_values(m)) {
        return;
    }
    merge_links(m);
    for (uint32_t i = 0; i < m->storages && merge_single(m, i); i++) {
    }
}

// Merges the state that a snapshot describes.
static void merge_snapshot(merging *m, const kith_load_desc *desc, kith_source file)
{
    kith_world *world = m->world;
    kith_world_lock(world); // read functions may not change it
    if (make_other_world(m, desc, file.bytes, file.size)) {
        m->result = kith_world_load(m->there, desc, file.bytes, file.size);
    }
    kith_world_unlock(world);
    if (m->result.code == KITH_OK) {
        kith_call_error *outer = world->call_error;
        world->call_error      = &m->own;
        m->merge->applying     = true;
        for (kith_object *o = world->oldest; o != NULL; o = o->next_) { // what is undone stays so
            kith_merge *other = o->ops == &kith_merge_ops ? (kith_merge *)o : m->merge;
            other->applied    = other->applied > world->merged ? UINT64_MAX : other->applied;
        }
        m->merge->applied = world->merged = ++world->serial;
        merge_all(m);
        m->merge->applying = false;
        world->call_error  = outer;
    }
    kith_free(&world->memory, m->remotes, 2 * sizeof *m->remotes * m->room, sizeof *m->remotes);
    kith_world_destroy(m->there);
}

kith_result kith_merge_apply(kith_merge *merge, const kith_load_desc *desc, const void *bytes,
                             size_t size)
{
    kith_world *world = merge->object.world;
    merging     m     = { .merge = merge, .world = world, .own.nested = world->nested };
    const char *why   = kith_world_busy_reason(world);
    kith_source file  = { .bytes = bytes, .size = size };
    kith_bytes  next  = { .allocator = world->memory };
    if (why != NULL) {
        return kith_result_of(KITH_ERROR_BUSY, 0, "%s", why);
    }
    if (merge->applied > world->merged) {
        return kith_result_of(KITH_ERROR_CONFLICT, 0, "the world went back: create a new merge");
    }
    if (kith_is_delta(file)) {
        m.result =
            kith_delta_read(file, false, desc == NULL ? 0 : desc->bytes, &merge->latest, &next);
        file = (kith_source){ .bytes = next.data, .size = next.size };
    }
    if (m.result.code == KITH_OK) {
        merge_snapshot(&m, desc, file);
    }
    if (m.result.code == KITH_OK) {
        kith_swap_memory(&merge->latest, &next, sizeof next);
    }
    kith_bytes_free(&next);
    return m.result;
}

kith_merge *kith_merge_create(kith_world *world)
{
    if (!kith_require_unlocked(world, __func__)) {
        return NULL;
    }
    kith_merge *merge = kith_alloc_zeroed(&world->memory, sizeof *merge, sizeof(uint64_t));
    if (merge == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, __func__, 0, KITH_NULL);
        return NULL;
    }
    merge->latest.allocator = world->memory;
    kith_object_link(world, &merge->object, &kith_merge_ops);
    return merge;
}

bool kith_merge_destroy(kith_merge *merge)
{
    if (merge == NULL || !kith_require_unlocked(merge->object.world, __func__)) {
        return merge == NULL;
    }
    if (merge->applying) {
        return kith_world_refuse_because(merge->object.world, KITH_ERROR_BUSY, __func__, 0,
                                         "the merge is being applied", NULL);
    }
    kith_object_end(&merge->object);
    return true;
}

kith_entity kith_merge_local(const kith_merge *merge, kith_entity remote)
{
    uint32_t index = kith_entity_index(remote);
    bool     known = remote != KITH_NULL && merge->applied <= merge->object.world->merged &&
                 kith_index_map_at(&merge->remote, index) == remote;
    kith_entity local = known ? kith_index_map_at(&merge->local, index) : KITH_NULL;
    return kith_entity_table_alive(&merge->object.world->entities, local) ? local : KITH_NULL;
}

kith_entity kith_merge_remote(const kith_merge *merge, kith_entity local)
{
    kith_entity remote = kith_index_map_at(&merge->back, kith_entity_index(local));
    bool        same   = local != KITH_NULL && kith_merge_local(merge, remote) == local;
    return same ? remote : KITH_NULL;
}
