// SPDX-License-Identifier: MIT
// kith info: prints what is in a snapshot. It reads the chunks alone, so a damaged file is printed
// as far as it can be read.
#include "chunk.h"
#include "command.h"
#include "component.h"
#include "recording.h"
#include "say.h"
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 32 };

typedef struct tag_sum {
    char     tag[5];
    uint64_t count;
    uint64_t bytes;
} tag_sum;

typedef struct world_facts {
    bool     found;
    uint32_t slots;
    uint32_t unused;
    uint32_t retired;
    uint32_t first;
    uint32_t last;
    uint32_t order;
    uint32_t exact;
    uint64_t tick;
} world_facts;

typedef struct summary {
    world_facts      world;
    saved_component *components;
    uint32_t         component_count;
    tag_sum          tags[TAGS];
    uint32_t         tag_count;
    uint64_t         chunks;
    uint64_t         slots; // in the chunks that could be read
    uint64_t         living;
} summary;

// --- collecting ------------------------------------------------------------------------------

static void add_tag(summary *s, const chunk *c)
{
    uint32_t i = 0;
    while (i < s->tag_count && strcmp(s->tags[i].tag, c->tag) != 0) {
        i++;
    }
    if (i == TAGS || c->tag[0] == '\0') {
        return;
    }
    if (i == s->tag_count) {
        memcpy(s->tags[s->tag_count++].tag, c->tag, sizeof c->tag);
    }
    s->tags[i].count++;
    s->tags[i].bytes += c->stored;
}

static bool add_component(summary *s, chunk *c)
{
    size_t           bytes = (s->component_count + (size_t)1) * sizeof *s->components;
    saved_component *all   = realloc(s->components, bytes);
    if (all == NULL) {
        return false;
    }
    s->components = all;
    s->component_count += component_read(&all[s->component_count], c);
    return true;
}

// Chunks of a component begin with its number. FLAG and SING chunks give the count of its rows.
static void add_content(summary *s, const chunk *c)
{
    static const char of_components[] = "ROWS RUNS HOLE DISA VALU BLOB FLAG SING STMP TICK JRNL";
    reader            body            = c->body;
    uint32_t          number          = read_u32(&body);
    if (strstr(of_components, c->tag) == NULL || body.ended || number >= s->component_count) {
        return;
    }
    saved_component *it = &s->components[number];
    it->bytes += c->stored;
    if (strcmp(c->tag, "FLAG") == 0) {
        it->rows += read_u32(&body);
    } else if (strcmp(c->tag, "SING") == 0) {
        it->rows = 1;
    }
}

static void add_living(summary *s, reader body)
{
    read_u32(&body); // the first index
    uint32_t count = read_u32(&body);
    s->living += count;
    s->slots += count;
}

static void add_world(summary *s, reader body)
{
    world_facts w = { 0 };
    read_u32(&body); // how many components
    w.slots   = read_u32(&body);
    w.unused  = read_u32(&body);
    w.retired = read_u32(&body);
    read_u64(&body); // the free list
    w.first = read_u32(&body);
    w.last  = read_u32(&body);
    w.order = read_u32(&body);
    read_u32(&body); // whether indices queue
    w.exact  = read_u32(&body);
    w.tick   = read_u64(&body);
    w.found  = !body.ended;
    s->world = w;
}

// A slot that holds its own index has a living entity.
static void add_slots(summary *s, reader body)
{
    uint32_t index = read_u32(&body);
    uint32_t count = read_u32(&body);
    for (uint32_t i = 0; i < count && !body.ended; i++, index++) {
        s->living += (uint32_t)read_u64(&body) == index && !body.ended;
        s->slots += !body.ended;
    }
}

static bool collect(summary *s, const input *in)
{
    chunk c = { 0 };
    for (uint64_t at = 0; chunk_next(in, &at, &c); s->chunks++) {
        add_tag(s, &c);
        if (strcmp(c.tag, "COMP") == 0 && c.body.size != 0 && !add_component(s, &c)) {
            chunk_end(&c);
            return false;
        }
        if (strcmp(c.tag, "WRLD") == 0) {
            add_world(s, c.body);
        } else if (strcmp(c.tag, "SLOT") == 0) {
            add_slots(s, c.body);
        } else if (strcmp(c.tag, "LIVE") == 0) {
            add_living(s, c.body);
        } else if (c.tag[0] != '\0') {
            add_content(s, &c);
        }
    }
    return true;
}

// --- printing --------------------------------------------------------------------------------

static void print_world(const summary *s)
{
    static const char *const orders[] = { "?", "newest first", "oldest first", "lowest first" };
    const world_facts       *w        = &s->world;
    if (!w->found) {
        return;
    }
    printf("tick        %" PRIu64 "%s\n", w->tick, w->exact == 0 ? "" : ", with exact state");
    printf("entities    %s%" PRIu64 " living, %" PRIu32 " free, %" PRIu32 " retired\n",
           s->slots == w->slots ? "" : "at least ", s->living, w->unused, w->retired);
    printf("handles     first index %" PRIu32 ", versions up to %" PRIu32 ", free indices %s\n",
           w->first, w->last, orders[w->order < 4 ? w->order : 0]);
}

static void print_components(const summary *s)
{
    printf("components  %" PRIu32 "\n", s->component_count);
    if (s->component_count != 0) {
        component_print_head();
    }
    for (uint32_t i = 0; i < s->component_count; i++) {
        component_print(&s->components[i]);
    }
}

static void print_chunk(const chunk *c)
{
    printf("  %12" PRIu64 "  ", c->offset);
    say_text(c->tag[0] == '\0' ? "?   " : c->tag);
    printf("  %12" PRIu64, c->stored);
    if (c->packing != 0) {
        printf("  packed, %" PRIu64 " unpacked", c->size);
    }
    if (c->fault != NULL) {
        fputs("  ", stdout);
        say_coloured(c->fault, COLOUR_RED);
    }
    putchar('\n');
}

void print_list(const input *in, bool all)
{
    bool  begun = false;
    chunk c     = { 0 };
    for (uint64_t at = 0; chunk_next(in, &at, &c);) {
        if (all || c.fault != NULL) {
            printf("%s", begun ? "" : "        OFFSET  TAG          BYTES\n");
            print_chunk(&c);
            begun = true;
        }
    }
}

static void print_chunks(const summary *s, const input *in, bool all)
{
    printf("chunks      %" PRIu64 "\n", s->chunks);
    for (uint32_t i = 0; i < s->tag_count && !all; i++) {
        fputs("  ", stdout);
        say_text(s->tags[i].tag);
        printf("  %6" PRIu64 "  %12" PRIu64 " bytes\n", s->tags[i].count, s->tags[i].bytes);
    }
    print_list(in, all);
}

static void end_summary(summary *s)
{
    for (uint32_t i = 0; i < s->component_count; i++) {
        free(s->components[i].own);
    }
    free(s->components);
}

static int print_info(const arguments *given, const input *in)
{
    summary     s     = { 0 };
    const char *fault = chunk_head_fault(in);
    if (fault != NULL) {
        return complain(EXIT_DIFFERS, in->name, "%s", fault);
    }
    bool collected = collect(&s, in);
    if (collected) {
        printf("format      %u\n", SNAPSHOT_FORMAT);
        printf("size        %zu bytes\n", in->size);
        print_world(&s);
        print_components(&s);
        print_chunks(&s, in, given->chunks);
    }
    end_summary(&s);
    return collected ? EXIT_FINE : complain(EXIT_TROUBLE, in->name, "there is not enough memory");
}

int run_info(const arguments *given)
{
    input       in;
    kith_world *world = NULL;
    int         code  = input_read(&in, given->files[0], given->memory);
    if (code == EXIT_FINE && !in.at && recording_is(&in)) {
        code = info_recording(given, &in);
        input_end(&in);
        return code;
    }
    code = code == EXIT_FINE ? recording_choose(&in) : code;
    code = code == EXIT_FINE ? print_info(given, &in) : code;
    if (code == EXIT_FINE) {
        code = snapshot_world(&in, &world); // prints the fault
    }
    kith_world_destroy(world);
    input_end(&in);
    return code;
}
