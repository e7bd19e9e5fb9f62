// SPDX-License-Identifier: MIT
// Paths: names of the entities from one to another below it in a hierarchy.
#include "hierarchy/node.h"
#include "name/name.h"

// The names for a call about paths, and the hierarchy. Returns NULL on an error, which is reported.
static const kith_storage *names_for_path(const kith_world *world, kith_component names,
                                          kith_component hierarchy, const kith_storage **tree,
                                          const char *call)
{
    *tree = kith_hierarchy_for_read(world, hierarchy, call);
    return *tree == NULL ? NULL : kith_names_for_read(world, names, call);
}

static const kith_text *name_of_entity(const kith_storage *names, kith_entity entity)
{
    uint32_t row = kith_row_(&names->pool.set.head, entity);
    return row == KITH_NO_ROW ? NULL : kith_name_in(names, row);
}

// Returns the first child with the name, or KITH_NULL.
static kith_entity find_child(const kith_storage *names, const kith_storage *tree,
                              kith_entity parent, const char *text, size_t size)
{
    kith_place at = kith_place_of(tree, parent);
    for (at = at.node == NULL ? at : kith_begin_children(tree, at, KITH_FORWARD); at.node != NULL;
         at = kith_next_sibling(tree, at, KITH_FORWARD)) {
        const kith_text *name = name_of_entity(names, at.entity);
        if (name != NULL && size != 0 && name->size == size &&
            memcmp(kith_text_in(name), text, size) == 0) {
            break;
        }
    }
    return at.node == NULL ? KITH_NULL : at.entity;
}

kith_entity kith_name_find_path(kith_world *world, kith_component names, kith_component hierarchy,
                                kith_entity root, const char *path)
{
    const kith_storage *tree;
    const kith_storage *of = names_for_path(world, names, hierarchy, &tree, __func__);
    kith_entity         at = KITH_NULL;
    for (bool first = true; of != NULL && (first || at != KITH_NULL); first = false) {
        size_t      size  = strcspn(path, "/");
        bool        top   = first && root == KITH_NULL;
        kith_entity above = first ? root : at;
        at = top ? kith_names_find(world, of, path, size) : find_child(of, tree, above, path, size);
        path += size;
        if (*path++ == '\0') {
            break;
        }
    }
    return at;
}

// Whether a path can lead through the name.
static bool is_in_paths(const kith_text *name)
{
    return name->size != 0 && memchr(kith_text_in(name), '/', name->size) == NULL;
}

// Writes the names from the last one to the first, at the end of the room.
size_t kith_name_path(const kith_world *world, kith_component names, kith_component hierarchy,
                      kith_entity entity, char *text, size_t room)
{
    const kith_storage *tree;
    const kith_storage *of    = names_for_path(world, names, hierarchy, &tree, __func__);
    size_t              size  = 0;
    bool                leads = true;
    const kith_text    *name;
    for (kith_entity at = entity; of != NULL && (name = name_of_entity(of, at)) != NULL;) {
        leads                 = leads && is_in_paths(name);
        const kith_node *node = kith_node_of(tree, at);
        size += name->size + (at != entity);
        if (size < room) {
            char *begin = text + room - 1 - size;
            memcpy(begin, kith_text_in(name), name->size);
            begin[name->size] = '/';
        }
        at = node == NULL ? KITH_NULL : node->parent;
    }
    size = leads ? size : 0;
    if (size < room) {
        memmove(text, text + room - 1 - size, size);
    }
    if (room != 0) {
        text[size < room ? size : 0] = '\0';
    }
    return size;
}
