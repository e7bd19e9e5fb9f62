// SPDX-License-Identifier: MIT
// Undo and redo of an editor: each edit of a scene is a frame. Undoing goes back by one frame,
// redoing goes forward, and a new edit drops the frames that could be redone. Look at the history:
// each frame knows the name of its edit, and is read without going there.
#include <kith/frames.h>
#include <kith/kith.h>

#include <stdio.h>
#include <string.h>

typedef struct shape {
    char title[16];
    int  x, y;
} shape;

typedef struct edit {
    char text[32];
} edit;

enum { SHAPE = 1, EDIT };

// Frames need no save form.
KITH_COMPONENT(shape, shape, SHAPE);
KITH_SINGLETON(edit, edit, EDIT); // the latest edit; each frame has its own
KITH_MODULE(scene, shape, edit);
KITH_QUERY(shapes, read(shape));

typedef struct editor {
    kith_world  *world;
    kith_frames *frames;
    uint64_t     at; // the frame that the world stands on
} editor;

static void print_scene(const editor *e, const char *verb, const char *what)
{
    printf("%-6s %-14s", verb, what);
    KITH_EACH(shapes, s, e->world)
    {
        printf(" %s (%d, %d)", s.shape->title, s.shape->x, s.shape->y);
    }
    printf("\n");
}

// --- going back and forward ------------------------------------------------------------------

// Ends an edit: names it, and saves a frame.
static void finish(editor *e, const char *verb, const char *noun)
{
    edit done = { "" };
    snprintf(done.text, sizeof done.text, "%s %s", verb, noun);
    edit_set(e->world, done);
    e->at = kith_frames_save(e->frames);
    print_scene(e, "", done.text);
}

// Going to the frame that the world stands on drops what was changed since.
static bool go(editor *e, const char *verb, uint64_t frame)
{
    char     text[32] = "";
    uint64_t oldest = 0, newest = 0;
    kith_frames_range(e->frames, &oldest, &newest);
    snprintf(text, sizeof text, "%s", edit_get(e->world)->text); // the restore replaces it
    if (frame < oldest || frame > newest || !kith_frames_restore(e->frames, frame)) {
        print_scene(e, verb, "is not possible");
        return false;
    }
    print_scene(e, verb, frame < e->at ? text : edit_get(e->world)->text);
    e->at = frame;
    return true;
}

static bool undo(editor *e)
{
    return go(e, "undo", e->at - 1);
}

static bool redo(editor *e)
{
    return go(e, "redo", e->at + 1);
}

static uint64_t print_history(const editor *e)
{
    uint64_t oldest = 0, newest = 0;
    kith_frames_range(e->frames, &oldest, &newest);
    printf("history:");
    for (uint64_t frame = oldest; frame <= newest; frame++) {
        const edit *then = kith_frames_get(e->frames, frame, KITH_NULL, EDIT);
        printf(frame == e->at ? " | [%s]" : " | %s", then->text);
    }
    printf("\n");
    return newest - oldest + 1;
}

// --- edits -----------------------------------------------------------------------------------

static kith_entity create(editor *e, const char *title, int x, int y)
{
    shape       made   = { "", x, y };
    kith_entity entity = kith_entity_create(e->world);
    snprintf(made.title, sizeof made.title, "%s", title);
    shape_set(e->world, entity, made);
    finish(e, "create", title);
    return entity;
}

static void move(editor *e, kith_entity entity, int x, int y)
{
    shape *moved = shape_mut(e->world, entity); // asked for again after each save
    moved->x     = x;
    moved->y     = y;
    finish(e, "move", moved->title);
}

int main(void)
{
    editor e = { .world = kith_world_create(NULL) };
    if (e.world == NULL || !scene_register(e.world)) {
        return 1;
    }
    // The ring keeps the four latest states, so three edits can be undone.
    e.frames = kith_frames_create(e.world, &(kith_frames_desc){ .name = "undo", .capacity = 4 });
    finish(&e, "open", "a scene");
    kith_entity box   = create(&e, "box", 1, 1);
    kith_entity lamp  = create(&e, "lamp", 4, 2);
    bool        right = e.at == 3;

    shape_mut(e.world, box)->x = 9; // a drag that the user gives up
    print_scene(&e, "", "(dragging)");
    right = go(&e, "cancel", e.at) && shape_get(e.world, box)->x == 1 && right;

    kith_entity_destroy(e.world, box);
    finish(&e, "delete", "box");
    right = undo(&e) && shape_get(e.world, box) != NULL && right; // the handle is valid again
    right = undo(&e) && !kith_entity_alive(e.world, lamp) && right;
    right = print_history(&e) == 4 && redo(&e) && right;

    // A new edit after an undo drops what could be redone. A new entity may get the handle of one
    // that was undone: forget such handles.
    right            = undo(&e) && right;
    kith_entity tree = create(&e, "tree", 6, 1);
    right            = !redo(&e) && tree == lamp && right;
    for (int y = 2; y < 4; y++) { // the ring is full: the oldest states go
        move(&e, tree, 6, y);
    }
    right = print_history(&e) == 4 && undo(&e) && undo(&e) && undo(&e) && right;
    right = !undo(&e) && strcmp(edit_get(e.world)->text, "create box") == 0 && right;
    kith_world_destroy(e.world);
    return right ? 0 : 1;
}
