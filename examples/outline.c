// SPDX-License-Identifier: MIT
// A tree as a user edits it in a side bar: fold, move, sort, delete. Look at the folded picture:
// the walk skips what is below a folded line, and costs nothing for it.
#include <kith/hierarchy.h>
#include <kith/kith.h>

#include <stdio.h>
#include <string.h>

enum { TITLE = 1, FOLDED, TREE };

typedef struct title {
    const char *text;
} title;

KITH_COMPONENT(title, title, TITLE);
KITH_FLAG(folded, FOLDED);
KITH_MODULE(outline, title, folded);

static kith_entity add(kith_world *world, kith_entity parent, const char *text)
{
    kith_entity line = kith_entity_create(world);
    title_set(world, line, (title){ text });
    if (parent != KITH_NULL) {
        kith_hierarchy_append(world, TREE, parent, line);
    }
    return line;
}

static const char *text_of(const kith_world *world, kith_entity line)
{
    const title *found = title_get(world, line);
    return found == NULL ? "?" : found->text;
}

// One line on the screen: the depth of each entry is the number of its dots.
static void print_tree(const kith_world *world, const char *what, kith_entity top)
{
    printf("%-9s", what);
    for (kith_entity line = top; line != KITH_NULL;) {
        const kith_node *links = kith_component_get(world, line, TREE);
        bool             fold  = folded_has(world, line) && links->count != 0;
        printf(" %.*s%s%s", (int)kith_hierarchy_depth(world, TREE, line), "....",
               text_of(world, line), fold ? "+" : "");
        line = fold ? kith_hierarchy_skip(world, TREE, top, line)
                    : kith_hierarchy_next(world, TREE, top, line);
    }
    printf("\n");
}

static void print_path(const kith_world *world, kith_entity line)
{
    const kith_node *links = kith_component_get(world, line, TREE);
    if (links->parent != KITH_NULL) {
        print_path(world, links->parent);
        printf(" / ");
    }
    printf("%s", text_of(world, line));
}

static int by_title(kith_entity a, kith_entity b, void *context)
{
    return strcmp(text_of(context, a), text_of(context, b));
}

// Recorded while the user drags, done when the mouse is released.
static bool drop(kith_world *world, kith_entity target, const char *const *texts, int count)
{
    kith_commands *commands = kith_commands_create(world, NULL);
    for (int i = 0; i < count; i++) {
        kith_entity line = kith_entity_create_later(commands); // no entity yet, but a name for it
        title_set_later(commands, line, (title){ texts[i] });
        kith_hierarchy_append_later(commands, TREE, target, line);
    }
    return kith_commands_apply(commands, world) && kith_commands_destroy(commands);
}

static int errors;

static void on_error(const kith_world *world, const kith_error *error, void *context)
{
    char text[200];
    (void)context;
    kith_error_text(world, error, text, sizeof text);
    printf("refused:  %s\n", text);
    errors++;
}

int main(void)
{
    const kith_hierarchy_desc tree = { "tree", TREE, KITH_CHILDREN_DESTROY, false };

    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = on_error });
    if (world == NULL || !outline_register(world) || !kith_hierarchy_register(world, &tree)) {
        return 1;
    }
    kith_entity book  = add(world, KITH_NULL, "book");
    kith_entity tools = add(world, book, "tools");
    kith_entity axe   = add(world, tools, "axe");
    add(world, axe, "handle");
    kith_entity animals = add(world, book, "animals");
    kith_entity cat     = add(world, animals, "cat");
    add(world, animals, "ant");
    print_tree(world, "new:", book);

    folded_add(world, tools);
    print_tree(world, "folded:", book);
    folded_remove(world, tools);

    kith_hierarchy_insert_at(world, TREE, animals, axe, 1); // with all that is below it
    bool right = !kith_hierarchy_insert(world, TREE, axe, animals, KITH_NULL);
    print_tree(world, "moved:", book);
    printf("path:     ");
    print_path(world, axe);
    printf("\n");

    right = kith_hierarchy_sort_children(world, TREE, animals, by_title, world) && right;
    print_tree(world, "sorted:", book);
    right = drop(world, tools, (const char *const[]){ "saw", "file" }, 2) && right;
    print_tree(world, "dropped:", book);

    kith_entity lines[16];
    uint32_t    count = kith_hierarchy_levels(world, TREE, book, lines, 16);
    printf("levels:  ");
    for (uint32_t i = 0; i < count; i++) {
        printf(" %s", text_of(world, lines[i]));
    }
    printf("\n");

    right = right && count == 9 && kith_hierarchy_root(world, TREE, axe) == book &&
            kith_hierarchy_is_below(world, TREE, axe, animals);
    kith_hierarchy_detach(world, TREE, cat); // a tree of its own
    kith_entity_destroy(world, animals);     // with all that is below it
    print_tree(world, "deleted:", book);
    right = right && kith_hierarchy_root(world, TREE, cat) == cat &&
            !kith_entity_alive(world, axe) && kith_entity_count(world) == 5 && errors == 1 &&
            kith_hierarchy_validate(world, TREE, NULL);
    kith_world_destroy(world);
    return right ? 0 : 1;
}
