// SPDX-License-Identifier: MIT
// kith info and kith verify of a recording: lists its frames and what changed in each, checks all.
#include "chunk.h"
#include "command.h"
#include "recording.h"
#include "say.h"
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- frames as worlds ------------------------------------------------------------------------

// Loads the snapshot of a frame. Messages name it as FILE@FRAME.
static int load_frame(const frame_walk *walk, kith_world **world)
{
    char  name[512];
    input in = { .name   = name,
                 .bytes  = walk->snapshot.data,
                 .size   = walk->snapshot.size,
                 .memory = walk->in->memory };
    snprintf(name, sizeof name, "%s@%" PRIu64, walk->in->name, walk->record.frame);
    return snapshot_world(&in, world);
}

// Complains of bytes behind the last whole frame: those of a frame that was not written to its end,
// or damaged ones.
static int check_end(const frame_walk *walk)
{
    const input *in    = walk->in;
    uint64_t     end   = walk->record.offset + walk->record.size;
    uint64_t     at    = end;
    chunk        c     = { 0 };
    uint64_t     frame = walk->record.frame;
    if (walk->count == 0) {
        return complain(EXIT_DIFFERS, in->name, "the recording has no whole frame");
    }
    if (!chunk_next(in, &at, &c)) {
        return EXIT_FINE;
    }
    bool        cut   = c.fault != NULL && strncmp(c.fault, "the file is cut off", 19) == 0;
    const char *fault = c.fault == NULL ? "it is no frame" : c.fault;
    chunk_end(&c);
    if (cut) {
        return complain(EXIT_DIFFERS, in->name,
                        "the recording is cut off: %" PRIu64
                        " bytes of a frame follow frame %" PRIu64,
                        in->size - end, frame);
    }
    return complain(EXIT_DIFFERS, in->name,
                    "the recording is damaged behind frame %" PRIu64 ": %s, at byte %" PRIu64,
                    frame, fault, end);
}

// --- what changed ----------------------------------------------------------------------------

typedef struct component_changes {
    char     name[64]; // a long name is cut
    uint64_t changed;
    uint64_t added;
    uint64_t removed;
} component_changes;

typedef struct changes {
    uint64_t          created;
    uint64_t          destroyed;
    uint64_t          others;
    kith_entity       latest; // the entity of the value that was counted last
    uint32_t          count;
    component_changes components[KITH_COMPONENT_MAX];
} changes;

// Differences of a component follow each other.
static component_changes *changes_of(changes *all, const char *name)
{
    component_changes *last = all->count == 0 ? NULL : &all->components[all->count - 1];
    char               text[sizeof last->name];
    snprintf(text, sizeof text, "%s", name);
    if (last == NULL || (strcmp(last->name, text) != 0 && all->count < KITH_COMPONENT_MAX)) {
        last = &all->components[all->count++];
        memcpy(last->name, text, sizeof text);
        all->latest = UINT64_MAX;
    }
    return last;
}

// Each field of a value that differs is a difference: the value counts once.
static void count_difference(const kith_difference *d, void *context)
{
    changes *all = context;
    if (d->kind == KITH_DIFFERENCE_ENTITY) {
        all->created += d->second != NULL;
        all->destroyed += d->first != NULL;
    } else if (d->kind == KITH_DIFFERENCE_VALUE && d->component != NULL) {
        component_changes *of = changes_of(all, d->component);
        of->changed += all->latest != d->entity;
        all->latest = d->entity;
    } else if (d->kind == KITH_DIFFERENCE_COMPONENT && d->component != NULL) {
        component_changes *of = changes_of(all, d->component);
        of->added += d->second != NULL && d->first == NULL;
        of->removed += d->first != NULL && d->second == NULL;
        all->others += d->first != NULL && d->second != NULL;
    } else {
        all->others++;
    }
}

static void print_count(const char **comma, uint64_t count, const char *what)
{
    if (count != 0) {
        printf("%s%" PRIu64 " %s", *comma, count, what);
        *comma = ", ";
    }
}

static void print_changes(const changes *all)
{
    const char *comma = "";
    print_count(&comma, all->created, "created");
    print_count(&comma, all->destroyed, "destroyed");
    for (uint32_t i = 0; i < all->count; i++) {
        const component_changes *it = &all->components[i];
        fputs(comma[0] == '\0' ? "" : "; ", stdout);
        say_text(it->name);
        comma = ": ";
        print_count(&comma, it->changed, "changed");
        print_count(&comma, it->added, "added");
        print_count(&comma, it->removed, "removed");
    }
    comma = comma[0] == '\0' ? "" : "; ";
    print_count(&comma, all->others, all->others == 1 ? "other difference" : "other differences");
    puts(comma[0] == '\0' ? "-" : "");
}

// Prints what the first frame has.
static void print_contents(const kith_world *world)
{
    kith_stats stats = kith_world_stats(world);
    printf("%" PRIu32 " living, %" PRIu32 " components\n", stats.alive, stats.components);
}

static int print_frame(const frame_walk *walk, const kith_world *before, const kith_world *world)
{
    changes              all = { 0 };
    const kith_recorded *it  = &walk->record;
    kith_diff            d   = { .each = count_difference, .context = &all };
    printf("  %10" PRIu64 "  %12" PRIu64 "  %12" PRIu64 "  %s  ", it->frame, it->offset, it->size,
           it->whole ? "whole" : "delta");
    if (before == NULL) {
        print_contents(world);
        return EXIT_FINE;
    }
    if (!kith_world_diff(before, world, &d)) {
        puts("?");
        return complain(EXIT_TROUBLE, walk->in->name, "there is not enough memory");
    }
    print_changes(&all);
    return EXIT_FINE;
}

// --- the commands ----------------------------------------------------------------------------

int info_recording(const arguments *given, const input *in)
{
    frame_walk  walk   = { .in = in };
    kith_world *before = NULL;
    int         code   = EXIT_FINE;
    printf("format      %u\nsize        %zu bytes\nframes\n", SNAPSHOT_FORMAT, in->size);
    printf("  %10s  %12s  %12s  %s   %s\n", "FRAME", "OFFSET", "BYTES", "KIND", "CHANGES");
    while (code == EXIT_FINE && frame_next(&walk, &code)) {
        kith_world *world = NULL;
        code              = load_frame(&walk, &world);
        code              = code == EXIT_FINE ? print_frame(&walk, before, world) : code;
        kith_world_destroy(before);
        before = world;
    }
    kith_world_destroy(before);
    if (given->chunks) {
        print_list(in, true);
    }
    code = code == EXIT_FINE ? check_end(&walk) : code;
    frame_end(&walk);
    return code;
}

int verify_recording(const arguments *given, const char *path, const input *in)
{
    frame_walk walk  = { .in = in };
    uint64_t   first = 0;
    int        code  = EXIT_FINE;
    while (code == EXIT_FINE && frame_next(&walk, &code)) {
        kith_world *world = NULL;
        first             = first == 0 ? walk.record.frame : first;
        code              = load_frame(&walk, &world);
        kith_world_destroy(world);
    }
    code = code == EXIT_FINE ? check_end(&walk) : code;
    if (code == EXIT_FINE && !given->quiet) {
        say_text(path);
        fputs(": ", stdout);
        say_coloured("ok", COLOUR_GREEN);
        printf(", %" PRIu64 " frame%s, %" PRIu64 " to %" PRIu64 "\n", walk.count,
               walk.count == 1 ? "" : "s", first, walk.record.frame);
    }
    frame_end(&walk);
    return code;
}
