// SPDX-License-Identifier: MIT
// Undo and redo of an editor: each edit of a scene is a frame. Undoing goes back by one frame,
// redoing goes forward, and a new edit drops the frames that could be redone.
#include <kith/frames.h>
#include <kith/kith.h>

#include <inttypes.h>
#include <stdio.h>

typedef struct spot {
    int x, y;
} spot;

typedef struct title {
    char text[16];
} title;

typedef struct edit {
    char text[48];
} edit;

enum { SPOT = 1, TITLE, EDIT };

// Frames need no save form.
KITH_COMPONENT(spot, spot, SPOT);
KITH_COMPONENT(title, title, TITLE);
KITH_SINGLETON(edit, edit, EDIT); // the latest edit; each frame has its own
KITH_MODULE(scene, spot, title, edit);
KITH_QUERY(shapes, read(title), read(spot));

// --- the editor ------------------------------------------------------------------------------

typedef struct editor {
    kith_world  *world;
    kith_frames *frames;
    uint64_t     at; // the frame that the world stands on
} editor;

// Ends an edit: names it, and saves a frame.
static void finish(editor *e, const char *verb, const char *noun)
{
    edit done = { "" };
    snprintf(done.text, sizeof done.text, "%s %s", verb, noun);
    edit_set(e->world, done);
    e->at = kith_frames_save(e->frames);
    printf("%s\n", done.text);
}

static bool open_editor(editor *e)
{
    e->world = kith_world_create(NULL);
    if (e->world == NULL || !scene_register(e->world)) {
        return false;
    }
    // The ring keeps the seven latest states, so six edits can be undone.
    e->frames = kith_frames_create(e->world, &(kith_frames_desc){ .name = "undo", .capacity = 7 });
    if (e->frames == NULL) {
        return false;
    }
    finish(e, "open", "an empty scene");
    return e->at != 0;
}

static bool go(editor *e, const char *verb, uint64_t frame)
{
    uint64_t oldest = 0;
    uint64_t newest = 0;
    kith_frames_range(e->frames, &oldest, &newest);
    if (frame < oldest || frame > newest || !kith_frames_restore(e->frames, frame)) {
        printf("nothing to %s\n", verb);
        return false;
    }
    e->at = frame;
    return true;
}

static bool undo(editor *e)
{
    edit undone = *edit_get(e->world); // the restore replaces it
    bool done   = go(e, "undo", e->at - 1);
    if (done) {
        printf("undo: %s\n", undone.text);
    }
    return done;
}

static bool redo(editor *e)
{
    bool done = go(e, "redo", e->at + 1);
    if (done) {
        printf("redo: %s\n", edit_get(e->world)->text);
    }
    return done;
}

// The world is still what the frame was, and the changes since: restoring it drops these.
static void cancel(editor *e)
{
    if (go(e, "cancel", e->at)) {
        printf("cancel\n");
    }
}

// --- edits -----------------------------------------------------------------------------------

static kith_entity create(editor *e, const char *name, spot at)
{
    title       text  = { "" };
    kith_entity shape = kith_entity_create(e->world);
    snprintf(text.text, sizeof text.text, "%s", name);
    title_set(e->world, shape, text);
    spot_set(e->world, shape, at);
    finish(e, "create", name);
    return shape;
}

static void move(editor *e, kith_entity shape, spot to)
{
    spot_set(e->world, shape, to);
    finish(e, "move", title_get(e->world, shape)->text);
}

static void rename_to(editor *e, kith_entity shape, const char *name)
{
    title *text = title_mut(e->world, shape); // asked for again after each save
    snprintf(text->text, sizeof text->text, "%s", name);
    finish(e, "rename to", name);
}

static void erase(editor *e, kith_entity shape)
{
    title text = *title_get(e->world, shape);
    kith_entity_destroy(e->world, shape);
    finish(e, "delete", text.text);
}

// --- what the user sees ----------------------------------------------------------------------

static void print_scene(const editor *e)
{
    printf("    scene:");
    KITH_EACH(shapes, shape, e->world)
    {
        printf(" %s (%d, %d)", shape.title->text, shape.spot->x, shape.spot->y);
    }
    printf("\n");
}

// Reads the name of each edit from its frame, without going there.
static void print_history(const editor *e)
{
    uint64_t oldest = 0;
    uint64_t newest = 0;
    kith_frames_range(e->frames, &oldest, &newest);
    printf("    history:");
    for (uint64_t frame = oldest; frame <= newest; frame++) {
        const edit *then = kith_frames_get(e->frames, frame, KITH_NULL, EDIT);
        printf("%s %s%s%s", frame == oldest ? "" : ",", frame == e->at ? "[" : "", then->text,
               frame == e->at ? "]" : "");
    }
    printf("\n");
}

static void print_handle(const editor *e, const char *name, kith_entity shape)
{
    const title *text = title_get(e->world, shape);
    printf("    the handle of the %s: %s\n", name, text == NULL ? "no entity" : text->text);
}

int main(void)
{
    editor e = { 0 };
    if (!open_editor(&e)) {
        kith_world_destroy(e.world);
        return 1;
    }
    kith_entity box  = create(&e, "box", (spot){ 1, 1 });
    kith_entity lamp = create(&e, "lamp", (spot){ 4, 2 });
    move(&e, box, (spot){ 2, 1 });
    rename_to(&e, lamp, "sun");
    print_scene(&e);

    spot_set(e.world, box, (spot){ 9, 9 }); // a drag that the user gives up
    print_scene(&e);
    cancel(&e);
    print_scene(&e);

    erase(&e, box);
    print_scene(&e);
    print_history(&e);
    undo(&e);
    print_handle(&e, "box", box); // valid again
    undo(&e);
    undo(&e);
    print_scene(&e);
    print_history(&e);
    redo(&e);
    print_scene(&e);

    // A new edit after an undo drops what could be redone.
    kith_entity tree = create(&e, "tree", (spot){ 6, 1 });
    redo(&e);
    print_scene(&e);
    print_history(&e);

    // A new entity may get the handle of one that was undone: forget such handles.
    undo(&e);
    print_handle(&e, "tree", tree);
    kith_entity rock = create(&e, "rock", (spot){ 0, 0 });
    print_handle(&e, "tree", tree);

    // The ring is full: the oldest states go.
    move(&e, rock, (spot){ 0, 1 });
    move(&e, rock, (spot){ 0, 2 });
    move(&e, rock, (spot){ 0, 3 });
    print_history(&e);
    while (undo(&e)) {
    }
    print_scene(&e);
    kith_world_destroy(e.world);
    return 0;
}
