// SPDX-License-Identifier: MIT
// Sequences of operations: drawn, run, made shorter, and written as a C program.
#include "sequence.h"

#include "crash.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Configurations
// ---------------------------------------------------------------------------------------------

typedef struct configuration {
    const char     *name;
    kith_world_desc desc;
    uint32_t        fillers;       // components registered before those that every world has
    uint32_t        entities_most; // how many entities may live
    uint32_t        born;          // entities made before anything else
} configuration;

static const configuration configurations[] = {
    { "default", { .index_bits = 0 }, 0, 40, 8 },
    { "fifo", { .free_order = KITH_FREE_FIFO }, 0, 40, 8 },
    { "fifo, queued", { .free_order = KITH_FREE_FIFO, .max_entities = 24 }, 0, 40, 8 },
    { "lowest first", { .free_order = KITH_FREE_LOWEST, .max_entities = 40 }, 0, 40, 8 },
    { "first index", { .first_index = 5 }, 0, 40, 8 },
    { "4 + 4 bits", { .index_bits = 4, .version_bits = 4 }, 0, 40, 8 },
    { "4 + 2 bits, lifo",
      { .index_bits = 4, .version_bits = 2, .free_order = KITH_FREE_LIFO },
      0,
      40,
      8 },
    { "fifo, queued, first index",
      { .free_order = KITH_FREE_FIFO, .max_entities = 20, .first_index = 3 },
      0,
      40,
      8 },
    { "lowest first, first index",
      { .free_order = KITH_FREE_LOWEST, .first_index = 4, .version_bits = 3 },
      0,
      40,
      8 },
    { "seven bits, one version", { .index_bits = 7, .version_bits = 1 }, 0, 40, 8 },
    { "two signature words", { .index_bits = 0 }, CATALOG_FILLERS, 24, 8 },
    // the entity table and the pools look up in pages of 1024
    { "second page", { .first_index = 1016 }, 0, 40, 8 },
    { "second page, lowest first",
      { .first_index = 1000, .free_order = KITH_FREE_LOWEST },
      0,
      40,
      24 },
    { "full", { .free_order = KITH_FREE_LIFO, .max_entities = 160 }, 0, 120, 50 },
    { "memory of its own", { .memory = 1u << 23 }, 0, 40, 8 },
};

uint32_t sequence_configurations(void)
{
    return sizeof configurations / sizeof *configurations;
}

static const configuration *configuration_of(uint32_t number)
{
    return &configurations[number % sequence_configurations()];
}

const char *sequence_configuration_name(uint32_t number)
{
    return configuration_of(number)->name;
}

static void add_operation(sequence *q, operation op)
{
    if (q->count < SEQUENCE_LONGEST) {
        q->operations[q->count++] = op;
    }
}

static void add_call(sequence *q, const char *call, uint32_t first_number)
{
    operation op = { .verb = (uint16_t)verb_number(call), .numbers = { (uint8_t)first_number } };
    add_operation(q, op);
}

// One bit of `left_out` for each of the components that every world has: without some of them the
// world's signatures are others, and calls meet what is not registered.
static void add_beginning(sequence *q, uint32_t left_out, bool with_trees)
{
    static const char    registers[] = "kith_component_register(world, %d)";
    const configuration *c           = configuration_of(q->configuration);
    for (uint32_t i = 0; i < c->fillers; i++) {
        add_call(q, registers, CATALOG_BASE + i);
    }
    for (uint32_t i = 0; i < CATALOG_BASE; i++) {
        if ((left_out >> i & 1) == 0) {
            add_call(q, registers, i);
        }
    }
    for (uint32_t i = 0; i < STAGE_TREES && with_trees; i++) {
        add_call(q, "make_tree(%b)", 16 * i);
    }
    if (with_trees) {
        add_call(q, "kith_link_register(world, &(kith_link_desc){ \"tied\", 30, 0 })", 0);
        add_call(q, "kith_link_register(world, &(kith_link_desc){ \"belongs\", 31, 1 })", 0);
        add_call(q, "kith_link_register(world, &(kith_link_desc){ \"barred\", 32, 2 })", 0);
        add_call(q, "kith_name_register(world, &(kith_name_desc){ \"label\", 40, false })", 0);
        add_call(q, "kith_name_register(world, &(kith_name_desc){ \"badge\", 41, true })", 0);
    }
    for (uint32_t i = 0; i < c->born; i++) {
        add_call(q, "kith_entity_create(world)", 0);
    }
}

void sequence_decode(sequence *q, const uint8_t *bytes, size_t size)
{
    uint8_t head[4] = { 0 };
    size_t  headed  = size < sizeof head ? size : sizeof head;
    memcpy(head, bytes, headed);
    q->configuration = head[0] % sequence_configurations();
    q->fault         = MODEL_FAULT_NONE;
    q->guarded       = false;
    q->count         = 0;
    q->favourite     = head[1] % CATALOG_BASE;
    add_beginning(q, head[2] % 4 == 0 ? head[3] * 0x101u & 0x9249u : 0, head[2] % 8 < 3);
    for (size_t at = headed; size - at >= OPERATION_BYTES; at += OPERATION_BYTES) {
        add_operation(q, operation_decode(bytes + at));
    }
}

// ---------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------

// One at a time is enough, and they are too large for a stack.
static stage only_stage;
static scene only_scene;

static bool begin(stage *s, const sequence *q)
{
    const configuration *c    = configuration_of(q->configuration);
    bool                 made = stage_begin(s, &c->desc, q->fault);
    s->entities_most          = c->entities_most;
    s->fillers                = c->fillers;
    s->favourite              = q->favourite;
    scene_begin(&only_scene, s);
    return made;
}

typedef struct performance {
    const sequence *sequence;
    stage          *stage;
    uint32_t        place; // where world and model differ: an operation, or the count for the end
    bool            done;  // they never did
} performance;

static void play(void *context)
{
    performance    *p    = context;
    const sequence *q    = p->sequence;
    bool            same = begin(p->stage, q);
    for (p->place = 0; same && p->place < q->count; p->place += same) {
        same = operation_apply(p->stage, &q->operations[p->place]);
    }
    p->done = same && stage_end(p->stage);
}

bool sequence_run(const sequence *q, sequence_difference *difference)
{
    performance p       = { .sequence = q, .stage = &only_stage };
    int         crashed = 0;
    if (q->guarded) {
        crashed = crash_guard(play, &p);
    } else {
        play(&p);
    }
    difference->place = p.place;
    memcpy(difference->sentence, p.stage->difference, STAGE_DIFFERENCE);
    if (crashed != 0) { // the world is left as it is: nothing says that it could be destroyed
        snprintf(difference->sentence, STAGE_DIFFERENCE, "signal %d", crashed);
    } else {
        stage_destroy_world(p.stage);
    }
    return p.done;
}

// ---------------------------------------------------------------------------------------------
// Shrinking
// ---------------------------------------------------------------------------------------------

static void take_out(sequence *q, uint32_t from, uint32_t count)
{
    memmove(q->operations + from, q->operations + from + count,
            (q->count - from - count) * sizeof *q->operations);
    q->count -= count;
}

// Tries to do without each stretch of `length` operations. Returns whether one could go.
static bool thin_out(sequence *q, sequence *trial, uint32_t length, sequence_difference *difference)
{
    bool went = false;
    for (uint32_t from = 0; from + length <= q->count;) {
        sequence_difference found;
        *trial = *q;
        take_out(trial, from, length);
        if (sequence_run(trial, &found)) {
            from += length;
            continue;
        }
        trial->count = found.place < trial->count ? found.place + 1 : trial->count;
        *q           = *trial;
        *difference  = found;
        went         = true;
    }
    return went;
}

// Takes the trial for the sequence if it still fails at its last operation.
static void keep_if_failing(sequence *q, const sequence *trial, sequence_difference *difference)
{
    sequence_difference found;
    if (!sequence_run(trial, &found) && found.place + 1 == trial->count) {
        *q          = *trial;
        *difference = found;
    }
}

// Lets the operations name entities in a way that survives the shortening of others.
static void settle(sequence *q, sequence *trial, sequence_difference *difference)
{
    stage *s     = &only_stage;
    bool   going = begin(s, q);
    *trial       = *q;
    for (uint32_t i = 0; going && i + 1 < q->count; i++) {
        operation_settle(s, &trial->operations[i]);
        going = operation_apply(s, &q->operations[i]);
    }
    if (going) {
        operation_settle(s, &trial->operations[q->count - 1]);
    }
    stage_destroy_world(s);
    keep_if_failing(q, trial, difference);
}

enum { SMALLEST_TRIED = 4 };

static void try_smaller(sequence *q, sequence *trial, uint32_t place, uint32_t number,
                        sequence_difference *difference)
{
    for (uint8_t smaller = 0; smaller < SMALLEST_TRIED; smaller++) {
        if (smaller < q->operations[place].numbers[number]) {
            *trial                                   = *q;
            trial->operations[place].numbers[number] = smaller;
            keep_if_failing(q, trial, difference);
        }
    }
}

// Tries smaller numbers, and nothing going wrong, in each operation: what then refers to less can
// be shortened further.
static void simplify(sequence *q, sequence *trial, sequence_difference *difference)
{
    for (uint32_t i = 0; i < q->count; i++) {
        *trial = *q;
        if (operation_calm(&trial->operations[i])) {
            keep_if_failing(q, trial, difference);
        }
        for (uint32_t n = 0; n < ARGUMENT_NUMBERS; n++) {
            try_smaller(q, trial, i, n, difference);
        }
    }
}

void sequence_shrink(sequence *q, sequence_difference *difference)
{
    sequence *trial = malloc(sizeof *trial);
    if (trial == NULL) {
        abort();
    }
    q->count = difference->place < q->count ? difference->place + 1 : q->count;
    settle(q, trial, difference);
    for (uint32_t length = q->count / 2; length > 1; length /= 2) {
        thin_out(q, trial, length, difference);
    }
    do {
        settle(q, trial, difference);
        simplify(q, trial, difference);
    } while (thin_out(q, trial, 1, difference));
    free(trial);
}

// ---------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------

// Parts of the program that stand there when the text below needs them.
typedef struct part {
    const char *needed_by[4]; // any of these; none: always
    const char *code;
} part;

// A typed cursor goes on and leaves its copy behind; answers with the column for writing.
#define STEP_TYPED(NAME, WRITTEN)                                                                  \
    "static void *step_" NAME "(bool (*next)(" NAME " *), unsigned cursor)\n"                      \
    "{\n"                                                                                          \
    "    " NAME " *c = &" NAME "_cursors[cursor], *other = &" NAME "_cursors[1 - cursor];\n"       \
    "    uint64_t serial = c->step_.serial_;\n"                                                    \
    "    bool     more   = next(c);\n"                                                             \
    "    if (c->step_.serial_ != 0 && other->step_.serial_ == serial) {\n"                         \
    "        *other = (" NAME "){ 0 };\n"                                                          \
    "    }\n"                                                                                      \
    "    return more ? c->" WRITTEN " : NULL;\n"                                                   \
    "}\n\n"

// clang-format off
static const part parts[] = {
    { { NULL },
      "#include <kith/diff.h>\n"
      "#include <kith/dump.h>\n"
      "#include <kith/frames.h>\n"
      "#include <kith/hierarchy.h>\n"
      "#include <kith/json.h>\n"
      "#include <kith/kith.h>\n"
      "#include <kith/link.h>\n"
      "#include <kith/merge.h>\n"
      "#include <kith/name.h>\n"
      "#include <kith/object.h>\n"
      "#include <kith/snapshot.h>\n"
      "#include <kith/workers.h>\n"
      "#include <stdlib.h>\n"
      "#include <string.h>\n\n"
      "static kith_world *world;\n\n" },
    { { "no_trouble()", "contexts[", "change," },
      "static int fail_at, refuse_at;\n"
      "static void (*meddle)(void);\n\n" },
    { { "no_trouble()" },
      "static void no_trouble(void)\n"
      "{\n"
      "    fail_at   = 0;\n"
      "    refuse_at = 0;\n"
      "    meddle    = NULL;\n"
      "}\n\n" },
    { { "contexts[" }, "static char contexts[2];\n\n" },
    { { "signatures[" }, "static kith_signature signatures[2];\n\n" },
    { { " cursors[", "&cursors[", "step(kith" }, "static kith_cursor cursors[4];\n\n" },
    { { "queries", "clone_world(" }, "static kith_query *queries[4];\n\n" },
    { { "groups[", "_group(", "clone_world(" }, "static kith_group *groups[3];\n\n" },
    { { "paths[", "_path(", "clone_world(" }, "static kith_path *paths[3];\n\n" },
    { { "sets[", "drop_set(", "_system(", "clone_world(" }, "static kith_reactive *sets[3];\n\n" },
    { { "queues[", "_queue(", "_system(", "clone_world(" }, "static kith_queue *queues[3];\n\n" },
    { { "systems[", "_system(", "clone_world(" }, "static kith_system *systems[4];\n\n" },
    { { "listeners[", "guess_listener(", "clone_world(" },
      "static kith_listener listeners[8];\n\n" },
    { { "guess_listener(" },
      "static void ignore_notice(kith_world *w, const kith_notice *notice, void *context)\n"
      "{\n"
      "    (void)w, (void)notice, (void)context;\n"
      "}\n\n"
      "static void guess_listener(unsigned place, unsigned number)\n"
      "{\n"
      "    kith_listener_desc born  = { .event = KITH_EVENT_CREATE, .call = ignore_notice };\n"
      "    kith_world        *other = kith_world_create(NULL);\n"
      "    kith_listener      there = kith_listener_connect(other, &born);\n"
      "    kith_listener      mine  = listeners[place];\n"
      "    kith_listener      guess = number % 4 == 0 || mine == 0 ? number : mine ^ number / 4;\n"
      "    for (unsigned i = 0; i < 8; i++) {\n"
      "        guess = guess == listeners[i] ? 0 : guess;\n"
      "    }\n"
      "    kith_listener_disconnect(world, number % 4 == 3 ? there : guess);\n"
      "    kith_world_destroy(other);\n"
      "}\n\n" },
    { { "_frame(", "_frames(", "apply_delta(", "clone_world(" },
      "static kith_frames *rings[2];\n\n" },
    { { "_frame(", "_frames(", "apply_delta(" },
      "static kith_frames **ring_of(unsigned number)\n"
      "{\n"
      "    return &rings[number / 32 % 4 == 3];\n"
      "}\n\n" },
    { { "save_frame(" },
      "static void save_frame(unsigned number)\n"
      "{\n"
      "    kith_frames          **ring = ring_of(number);\n"
      "    const kith_frames_desc desc = { .capacity = 3, .hashes = ring != rings };\n"
      "    if (number / 8 % 4 != 0) {\n"
      "        kith_world_settle(world);\n"
      "    }\n"
      "    *ring = *ring == NULL ? kith_frames_create(world, &desc) : *ring;\n"
      "    if (*ring != NULL) {\n"
      "        kith_frames_save(*ring);\n"
      "    }\n"
      "}\n\n" },
    { { "restore_frame(" },
      "static void restore_frame(unsigned number)\n"
      "{\n"
      "    const uint64_t back[] = { 0, 0, 1, 0, 1, 2, 3, UINT64_MAX };\n"
      "    uint64_t     oldest, newest;\n"
      "    kith_frames *ring = *ring_of(number);\n"
      "    if (number / 8 % 4 != 0) {\n"
      "        kith_world_settle(world);\n"
      "    }\n"
      "    if (ring != NULL) {\n"
      "        kith_frames_range(ring, &oldest, &newest);\n"
      "        kith_frames_restore(ring, newest - back[number % 8]);\n"
      "    }\n"
      "}\n\n" },
    { { "read_frame(", "apply_delta(" },
      "static uint64_t frame_of(unsigned number, uint64_t newest)\n"
      "{\n"
      "    const uint64_t back[] = { 0, 0, 1, 0, 1, 2, 3, UINT64_MAX };\n"
      "    return newest - back[number % 8];\n"
      "}\n\n" },
    { { "read_frame(" },
      "static void read_frame(unsigned number)\n"
      "{\n"
      "    uint64_t     oldest, newest;\n"
      "    kith_diff    diff = { 0 };\n"
      "    kith_frames *ring = *ring_of(number);\n"
      "    if (ring != NULL) {\n"
      "        kith_frames_range(ring, &oldest, &newest);\n"
      "        if (kith_frames_world(ring, frame_of(number, newest)) != NULL) {\n"
      "            kith_frames_world(ring, newest);\n"
      "            kith_frames_diff(ring, newest, frame_of(number, newest), &diff);\n"
      "        }\n"
      "    }\n"
      "}\n\n" },
    { { "apply_delta(" },
      "static void apply_delta(unsigned number)\n"
      "{\n"
      "    uint64_t     oldest, newest;\n"
      "    kith_bytes   bytes = { 0 };\n"
      "    kith_frames *ring  = *ring_of(number);\n"
      "    if (number / 8 % 4 != 0) {\n"
      "        kith_world_settle(world);\n"
      "    }\n"
      "    if (ring != NULL) {\n"
      "        kith_frames_range(ring, &oldest, &newest);\n"
      "        uint64_t frame = frame_of(number, newest);\n"
      "        if (kith_frames_restore(ring, frame)) {\n"
      "            kith_frames_delta(ring, frame, newest, NULL, kith_bytes_write, &bytes);\n"
      "            kith_delta_apply(world, bytes.data, bytes.size);\n"
      "            kith_delta_apply(world, bytes.data, bytes.size);\n"
      "            kith_frames_restore(ring, frame);\n"
      "        }\n"
      "    }\n"
      "    kith_bytes_free(&bytes);\n"
      "}\n\n" },
    { { "check_frames(" },
      "static void step_nothing(kith_world *stepped, uint64_t frame, void *context)\n"
      "{\n"
      "    (void)stepped, (void)frame, (void)context;\n"
      "}\n\n"
      "static void check_frames(unsigned number)\n"
      "{\n"
      "    kith_frames *ring = *ring_of(number);\n"
      "    if (ring != NULL) {\n"
      "        kith_world_settle(world);\n"
      "        if (kith_frames_save(ring) != 0) {\n"
      "            kith_frames_save(ring);\n"
      "            kith_frames_check(ring, 1, step_nothing, NULL);\n"
      "        }\n"
      "    }\n"
      "}\n\n" },
    { { "drop_frames(" },
      "static void drop_frames(unsigned number)\n"
      "{\n"
      "    kith_frames **ring = ring_of(number);\n"
      "    *ring = kith_frames_destroy(*ring) ? NULL : *ring;\n"
      "}\n\n" },
    { { "clone_world(" },
      "static kith_reactive *twin_of(const kith_reactive *set, const kith_world *clone)\n"
      "{\n"
      "    unsigned place = 0;\n"
      "    while (set != NULL && kith_reactive_at(world, place) != set) {\n"
      "        place++;\n"
      "    }\n"
      "    return set == NULL ? NULL : kith_reactive_at(clone, place);\n"
      "}\n\n"
      "static void clone_world(unsigned number)\n"
      "{\n"
      "    kith_world_desc desc  = { .on_error = kith_error_ignore };\n"
      "    kith_world     *clone = NULL;\n"
      "    desc.memory = number / 4 % 4 == 0 ? 1u << 23 : 0;\n"
      "    clone       = kith_world_clone(world, number / 2 % 2 == 0 ? NULL : &desc);\n"
      "    if (number % 2 != 0 || clone == NULL) {\n"
      "        kith_world_destroy(clone);\n"
      "        return;\n"
      "    }\n"
      "    for (unsigned i = 0; i < 3; i++) {\n"
      "        groups[i] = groups[i] == NULL\n"
      "                        ? NULL\n"
      "                        : kith_group_of(clone, kith_group_describe(groups[i]));\n"
      "        paths[i]  = paths[i] == NULL\n"
      "                        ? NULL\n"
      "                        : kith_path_of(clone, kith_path_describe(paths[i]));\n"
      "        sets[i]   = twin_of(sets[i], clone);\n"
      "        queues[i] = queues[i] == NULL\n"
      "                        ? NULL\n"
      "                        : kith_queue_find(clone, kith_queue_describe(queues[i])->name);\n"
      "    }\n"
      "    for (unsigned i = 0; i < 4; i++) {\n"
      "        const kith_system_desc *desc =\n"
      "            systems[i] == NULL ? NULL : kith_system_describe(systems[i]);\n"
      "        if (desc != NULL && desc->tracked) {\n"
      "            kith_group *group = kith_group_of(clone, desc->query);\n"
      "            if (group != groups[0] && group != groups[1] && group != groups[2]) {\n"
      "                kith_group_drop(group);\n"
      "            }\n"
      "        }\n"
      "        systems[i] = NULL;\n"
      "        queries[i] = NULL;\n"
      "    }\n"
      "    memset(listeners, 0, sizeof listeners);\n"
      "    memset(rings, 0, sizeof rings);\n"
      "    kith_world_destroy(world);\n"
      "    world = clone;\n"
      "}\n\n" },
    { { "reload_world(" },
      "static void reload_world(unsigned number)\n"
      "{\n"
      "    const size_t   limits[] = { 0, SIZE_MAX, 1 };\n"
      "    kith_save_desc desc     = { .exact = number % 2 == 0 };\n"
      "    kith_load_desc within   = { .bytes = limits[number / 2 % 3] };\n"
      "    kith_bytes     bytes    = { .data = NULL };\n"
      "    if (kith_world_save_memory(world, &desc, &bytes).code == KITH_OK) {\n"
      "        kith_world_load(world, &within, bytes.data, bytes.size);\n"
      "    }\n"
      "    kith_bytes_free(&bytes);\n"
      "}\n\n" },
    { { "json_entity(" },
      "static void json_entity(kith_entity entity)\n"
      "{\n"
      "    kith_bytes text = { 0 };\n"
      "    if (kith_json_write_entity(world, entity, kith_bytes_write, &text)) {\n"
      "        kith_json_read_entity(world, (char *)text.data, text.size, NULL, NULL);\n"
      "    }\n"
      "    kith_bytes_free(&text);\n"
      "}\n\n" },
    { { "diff_world(" },
      "static void diff_world(unsigned number)\n"
      "{\n"
      "    kith_diff diff = { 0 };\n"
      "    (void)number;\n"
      "    kith_world_diff(world, world, &diff);\n"
      "}\n\n" },
    { { "dump_world(" },
      "static void dump_world(kith_entity entity)\n"
      "{\n"
      "    kith_bytes     text = { 0 };\n"
      "    kith_component id   = 0;\n"
      "    kith_entity_dump(world, entity, kith_bytes_write, &text);\n"
      "    kith_world_dump(world, kith_bytes_write, &text);\n"
      "    while ((id = kith_component_next(world, id)) != 0) {\n"
      "        kith_component_dump(world, id, 8, kith_bytes_write, &text);\n"
      "    }\n"
      "    kith_bytes_free(&text);\n"
      "}\n\n" },
    { { "merge_world(" },
      "static void merge_world(void)\n"
      "{\n"
      "    kith_bytes  bytes  = { 0 };\n"
      "    kith_world *second = kith_world_create(NULL);\n"
      "    if (kith_world_save_memory(world, NULL, &bytes).code == KITH_OK) {\n"
      "        const kith_load_desc skip = { .unknown = KITH_UNKNOWN_SKIP };\n"
      "        kith_merge_apply(kith_merge_create(second), &skip, bytes.data, bytes.size);\n"
      "    }\n"
      "    kith_bytes_free(&bytes);\n"
      "    kith_world_destroy(second);\n"
      "}\n\n" },
    { { "json_world(" },
      "static void json_world(void)\n"
      "{\n"
      "    kith_bytes text = { 0 };\n"
      "    kith_json_write_world(world, kith_bytes_write, &text);\n"
      "    kith_bytes_free(&text);\n"
      "}\n\n" },
    { { "_system(" },
      "static const char *const system_names[] = { \"s0\", \"s1\", \"s2\", \"s3\" };\n\n" },
    { { "make_system(", "sign_system(", "track_system(", "watch_system(" },
      "static void visit_in_part(const kith_part *part)\n"
      "{\n"
      "    kith_cursor cursor = kith_part_begin(part);\n"
      "    while (kith_cursor_next(&cursor)) {\n"
      "    }\n"
      "}\n\n" },
    { { "run_parts(" },
      "static void go_through(const kith_part *part)\n"
      "{\n"
      "    kith_cursor cursor = kith_part_begin(part);\n"
      "    while (kith_cursor_next(&cursor)) {\n"
      "    }\n"
      "}\n\n"
      "static void run_parts(kith_query *query)\n"
      "{\n"
      "    kith_query_parallel(query, &(kith_parallel_desc){ .part = go_through });\n"
      "}\n\n" },
    { { "make_system(", "sign_system(", "track_system(", "watch_system(" },
      "static void have_turn(const kith_turn *turn)\n"
      "{\n"
      "    (void)turn;\n"
      "}\n\n"
      "static void have_visit(const kith_turn *turn, const kith_cursor *cursor)\n"
      "{\n"
      "    (void)turn, (void)cursor;\n"
      "}\n\n"
      "static void note_visit(const kith_turn *turn, kith_entity entity)\n"
      "{\n"
      "    (void)turn, (void)entity;\n"
      "}\n\n"
      "// What else is in it the caller has set.\n"
      "static void create_system(unsigned place, unsigned form, kith_system_desc desc,\n"
      "                          bool tracked)\n"
      "{\n"
      "    bool bare         = desc.query == NULL && desc.signature == NULL;\n"
      "    desc.name         = system_names[place];\n"
      "    desc.max_steps    = 2;\n"
      "    desc.run          = bare ? have_turn : NULL;\n"
      "    bool parts        = form / 32 % 4 == 3;\n"
      "    desc.shared       = bare && parts;\n"
      "    desc.each         = bare || parts ? NULL : have_visit;\n"
      "    desc.part         = parts && !bare ? visit_in_part : NULL;\n"
      "    desc.phase        = (int32_t)(form % 2);\n"
      "    desc.before       = &system_names[(place + 1) % 4];\n"
      "    desc.before_count = form / 2 % 2;\n"
      "    desc.after        = &system_names[(place + 2) % 4];\n"
      "    desc.after_count  = form / 4 % 2;\n"
      "    desc.interval     = form / 8 % 4 == 1 ? 0.5 : 0;\n"
      "    desc.on_demand    = form / 8 % 4 == 2;\n"
      "    desc.on_events    = desc.on_demand ? queues[place % 3] : NULL;\n"
      "    desc.on_set       = desc.on_demand ? sets[place % 3] : NULL;\n"
      "    desc.disabled     = form / 32 % 4 == 0;\n"
      "    desc.tracked      = tracked;\n"
      "    desc.enter        = tracked ? note_visit : NULL;\n"
      "    desc.leave        = tracked ? note_visit : NULL;\n"
      "    systems[place] = kith_system_create(world, &desc);\n"
      "}\n\n" },
    { { "make_system(" },
      "static void make_system(unsigned place, unsigned form, const kith_component *ids,\n"
      "                        unsigned count, const kith_query_desc *query)\n"
      "{\n"
      "    kith_system_desc desc = { .reads = ids, .read_count = count };\n"
      "    desc.query            = form / 128 != 0 ? NULL : query;\n"
      "    create_system(place, form, desc, false);\n"
      "}\n\n" },
    { { "sign_system(" },
      "static void sign_system(unsigned place, unsigned form, kith_entity entity,\n"
      "                        const kith_component *ids, unsigned count)\n"
      "{\n"
      "    kith_signature   signature = kith_entity_signature(world, entity);\n"
      "    kith_system_desc desc      = { .signature = &signature };\n"
      "    bool writes           = form / 128 != 0;\n"
      "    desc.reads            = ids;\n"
      "    desc.read_count       = writes ? 0 : count;\n"
      "    desc.writes           = ids;\n"
      "    desc.write_count      = writes ? count : 0;\n"
      "    create_system(place, form, desc, form / 32 % 4 == 3);\n"
      "}\n\n" },
    { { "track_system(" },
      "static void track_system(unsigned place, unsigned form, const kith_query_desc *query)\n"
      "{\n"
      "    kith_term       terms[KITH_QUERY_TERMS_MAX + 1];\n"
      "    kith_query_desc desc = *query;\n"
      "    for (unsigned i = 0; i < desc.term_count && query->terms != NULL; i++) {\n"
      "        terms[i] = query->terms[i];\n"
      "        if (terms[i].role == KITH_ROLE_OWN && form % 64 != 0) {\n"
      "            terms[i].role = KITH_ROLE_WRITE;\n"
      "        }\n"
      "    }\n"
      "    desc.terms = query->terms == NULL ? NULL : terms;\n"
      "    create_system(place, form, (kith_system_desc){ .query = &desc }, true);\n"
      "}\n\n" },
    { { "watch_system(" },
      "static void watch_system(unsigned place, unsigned form, kith_component component)\n"
      "{\n"
      "    kith_term terms[] = { { component, KITH_ROLE_WRITE, 0 },\n"
      "                          { component, KITH_ROLE_CHANGED, 0 } };\n"
      "    kith_query_desc desc = { \"watch\", terms, 2, 0 };\n"
      "    create_system(place, form, (kith_system_desc){ .query = &desc }, false);\n"
      "}\n\n" },
    { { "drop_system(" },
      "static void drop_system(unsigned place)\n"
      "{\n"
      "    if (kith_system_destroy(systems[place])) {\n"
      "        systems[place] = NULL;\n"
      "    }\n"
      "}\n\n" },
    { { "LENGTH(", "run_system(" },
      "#define LENGTH(N) ((N) % 8 == 7 ? -1 : 0.25 * ((N) % 8))\n\n" },
    { { "run_system(" },
      "static void run_system(unsigned place, unsigned number)\n"
      "{\n"
      "    kith_system_run(world, system_names[place], LENGTH(number));\n"
      "}\n\n" },
    { { "values)" }, "static const void *values[8];\n\n" },
    { { "LISTENS_TO_MANY", "many_only" },
      "#define LISTENS_TO_MANY                                                        \\\n"
      "    kith_world *w, const kith_notice *notice, const kith_entity *entities,     \\\n"
      "        uint32_t count, void *context\n"
      "#define LISTENING_TO_MANY (void)entities, (void)count\n\n" },
    { { "many_only" },
      "static void many_only(LISTENS_TO_MANY)\n"
      "{\n"
      "    LISTENING_TO_MANY;\n"
      "    (void)w, (void)notice, (void)context;\n"
      "}\n\n" },
    { { "LISTENS", "listen_only" },
      "#define LISTENS   kith_world *w, const kith_notice *notice, void *context\n"
      "#define LISTENING                                                              \\\n"
      "    kith_entity    noticed           = notice->entity;                         \\\n"
      "    kith_component noticed_component = notice->component;                      \\\n"
      "    (void)w, (void)context, (void)noticed, (void)noticed_component\n"
      "\n"
      "static inline void listen_only(LISTENS)\n"
      "{\n"
      "    LISTENING;\n"
      "}\n\n" },
    { { "VISITS", "each_only" },
      "#define VISITS   const kith_cursor *cursor, void *context\n"
      "#define VISITING                                                               \\\n"
      "    kith_entity    noticed           = cursor->entity;                         \\\n"
      "    kith_component noticed_component = 0;                                      \\\n"
      "    (void)noticed, (void)noticed_component\n\n"
      "static inline bool each_only(VISITS)\n"
      "{\n"
      "    VISITING;\n"
      "    return --*(int *)context != 0;\n"
      "}\n\n" },
    { { "step(kith" },
      "static void step(bool (*next)(kith_cursor *), unsigned cursor, unsigned char number,\n"
      "                 uint64_t written)\n"
      "{\n"
      "    uint64_t serial = cursors[cursor].step_.serial_;\n"
      "    bool     more   = next(&cursors[cursor]);\n"
      "    for (unsigned i = 0; i < 4 && cursors[cursor].step_.serial_ != 0; i++) {\n"
      "        if (i != cursor && cursors[i].step_.serial_ == serial) {\n"
      "            cursors[i] = (kith_cursor){ 0 };\n"
      "        }\n"
      "    }\n"
      "    for (unsigned i = 0; more && i < 64; i++) {\n"
      "        if ((written >> i & 1) != 0 && cursors[cursor].columns[i] != NULL) {\n"
      "            *(unsigned char *)cursors[cursor].columns[i] = number;\n"
      "        }\n"
      "    }\n"
      "}\n\n" },
    { { "read_on(" },
      "static void *columns[65];\n\n"
      "static void read_on(unsigned form, kith_cursor c)\n"
      "{\n"
      "    bool chunked = form % 2 != 0;\n"
      "    while (chunked ? kith_cursor_next_chunk(&c) : kith_cursor_next(&c)) {\n"
      "        chunked = chunked != (form % 4 >= 2);\n"
      "    }\n"
      "    kith_cursor_next(&c);\n"
      "}\n\n" },
    { { "since(" },
      "static uint64_t since(unsigned number)\n"
      "{\n"
      "    uint64_t now = kith_world_now(world);\n"
      "    uint64_t ago = number / 4 % 4;\n"
      "    return ago == 3 || now < ago ? 0 : now + 1 - ago;\n"
      "}\n\n" },
    { { "read_changes(" },
      "static void read_changes(kith_changes walk)\n"
      "{\n"
      "    while (kith_changes_next(world, &walk)) {\n"
      "    }\n"
      "}\n\n" },
    { { "read_removals(" },
      "static void read_removals(kith_removals walk)\n"
      "{\n"
      "    kith_removal removal;\n"
      "    while (kith_removals_next(world, &walk, &removal)) {\n"
      "    }\n"
      "}\n\n" },
    { { "hold_many(" },
      "static void hold_many(unsigned count)\n"
      "{\n"
      "    for (unsigned i = 0; i < count % 34; i++) {\n"
      "        kith_world_hold(world);\n"
      "    }\n"
      "}\n\n" },
    { { "compare_numbers" },
      "static int compare_numbers(const void *a, const void *b, void *mask)\n"
      "{\n"
      "    int bits = *(int *)mask;\n"
      "    return (*(const unsigned char *)a & bits) - (*(const unsigned char *)b & bits);\n"
      "}\n\n" },
    { { "compare_indices" },
      "static int compare_indices(kith_entity a, kith_entity b, void *mask)\n"
      "{\n"
      "    return (int)(a & *(unsigned *)mask) - (int)(b & *(unsigned *)mask);\n"
      "}\n\n" },
    { { "drop_query(" },
      "static void drop_query(unsigned query)\n"
      "{\n"
      "    kith_query_destroy(queries[query]);\n"
      "    queries[query] = NULL;\n"
      "}\n\n" },
    { { "query_of(" },
      "static kith_query *query_of(const kith_query_desc *desc)\n"
      "{\n"
      "    kith_query_desc first = *desc;\n"
      "    first.term_count      = desc->term_count > 1 ? 1 : desc->term_count;\n"
      "    return kith_query_of(world, &first);\n"
      "}\n\n" },
    { { "query_parse(", "query_desc_parse(" },
      "#include <stdio.h>\n\n"
      "static const char *text_of(const kith_query_desc *desc, unsigned most)\n"
      "{\n"
      "    static char      text[8192];\n"
      "    char            *at    = text;\n"
      "    const kith_term *terms = desc->terms;\n"
      "    unsigned         count = desc->term_count < most ? desc->term_count : most;\n"
      "    uint64_t         done[2] = { 0, 0 };\n"
      "    *at = 0;\n"
      "    for (unsigned i = 0; i < count && terms != NULL; i++) {\n"
      "        kith_role   role = terms[i].role;\n"
      "        const char *word = (unsigned)role > 11 ? \"unknown\" : kith_role_name(role);\n"
      "        if ((done[i / 64] >> i % 64 & 1) != 0) {\n"
      "            continue;\n"
      "        }\n"
      "        at += sprintf(at, \"%s%s(\", at == text ? \"\" : \", \", word);\n"
      "        for (unsigned k = i; k < count; k++) {\n"
      "            const kith_component_desc *named =\n"
      "                kith_component_describe(world, terms[k].component);\n"
      "            if (k == i || (role == KITH_ROLE_ANY && terms[k].role == KITH_ROLE_ANY &&\n"
      "                           terms[k].any_list == terms[i].any_list)) {\n"
      "                at += sprintf(at, \"%s\\\"%s\\\"\", k == i ? \"\" : \", \",\n"
      "                              named == NULL ? \"unknown\" : named->name);\n"
      "                done[k / 64] |= UINT64_C(1) << k % 64;\n"
      "            }\n"
      "        }\n"
      "        at += sprintf(at, \")\");\n"
      "    }\n"
      "    return text;\n"
      "}\n\n"
      "static inline kith_query *query_parse(const kith_query_desc *desc)\n"
      "{\n"
      "    kith_query *query;\n"
      "    kith_query_parse(world, text_of(desc, 1), &query);\n"
      "    return query;\n"
      "}\n\n"
      "static inline void query_desc_parse(const kith_query_desc *desc)\n"
      "{\n"
      "    kith_term       terms[KITH_QUERY_TERMS_MAX];\n"
      "    kith_query_desc parsed;\n"
      "    if (kith_query_desc_parse(world, text_of(desc, 65), &parsed, terms)) {\n"
      "        kith_view_count(world, &parsed);\n"
      "        kith_view_first(world, &parsed);\n"
      "    }\n"
      "}\n\n" },
    { { "drop_group(" },
      "static void drop_group(unsigned place, kith_entity entity)\n"
      "{\n"
      "    kith_group *group = groups[place];\n"
      "    if (kith_group_drop(group)) {\n"
      "        kith_group_contains(group, entity);\n"
      "        for (unsigned i = 0; i < 3; i++) {\n"
      "            groups[i] = groups[i] == group ? NULL : groups[i];\n"
      "        }\n"
      "    }\n"
      "}\n\n" },
    { { "renew_group(" },
      "static void renew_group(unsigned place)\n"
      "{\n"
      "    if (kith_group_drop(groups[place])) {\n"
      "        kith_group_of(world, kith_group_describe(groups[place]));\n"
      "    }\n"
      "}\n\n" },
    { { "put_note(" },
      "typedef struct note {\n"
      "    kith_object object;\n"
      "    unsigned    number;\n"
      "} note;\n\n"
      "static kith_object *create_note(kith_world *w, const char *key)\n"
      "{\n"
      "    (void)w, (void)key;\n"
      "    return calloc(1, sizeof(note));\n"
      "}\n\n"
      "static void destroy_note(kith_object *object)\n"
      "{\n"
      "    free(object);\n"
      "}\n\n"
      "static bool note_state(kith_object *object, kith_state *state)\n"
      "{\n"
      "    note *it = (note *)object;\n"
      "    return state->item(state, \"number\", KITH_TYPE_U32, &it->number, 1);\n"
      "}\n\n"
      "static void put_note(unsigned place, unsigned number)\n"
      "{\n"
      "    static const char *const keys[] = { \"first\", \"second\", \"third\" };\n"
      "    static const kith_object_ops ops = { .kind    = \"note\",\n"
      "                                         .size    = sizeof(note),\n"
      "                                         .create  = create_note,\n"
      "                                         .destroy = destroy_note,\n"
      "                                         .state   = note_state };\n"
      "    note *it = (note *)kith_object_of(world, &ops, keys[place]);\n"
      "    if (it != NULL) {\n"
      "        it->number = number;\n"
      "    }\n"
      "    if (it != NULL && number % 4 == 0) {\n"
      "        kith_object_destroy(&it->object);\n"
      "    }\n"
      "}\n\n" },
    { { "drop_path(" },
      "static void drop_path(unsigned place)\n"
      "{\n"
      "    kith_path *path = paths[place];\n"
      "    if (kith_path_drop(path)) {\n"
      "        kith_path_arrange(path, UINT32_MAX);\n"
      "        for (unsigned i = 0; i < 3; i++) {\n"
      "            paths[i] = paths[i] == path ? NULL : paths[i];\n"
      "        }\n"
      "    }\n"
      "}\n\n" },
    { { "renew_path(" },
      "static void renew_path(unsigned place)\n"
      "{\n"
      "    if (kith_path_drop(paths[place])) {\n"
      "        kith_path_of(world, kith_path_describe(paths[place]));\n"
      "    }\n"
      "}\n\n" },
    { { "visit_each(" },
      "static void visit_each(kith_query *query, bool (*visit)(const kith_cursor *, void *),\n"
      "                       void *context)\n"
      "{\n"
      "    kith_cursor cursor = kith_query_begin(query);\n"
      "    while (!cursor.failed && kith_cursor_next(&cursor)) {\n"
      "        if (!visit(&cursor, context)) {\n"
      "            kith_cursor_end(&cursor);\n"
      "            break;\n"
      "        }\n"
      "    }\n"
      "}\n\n" },
    { { "make_set(" },
      "static kith_reactive *make_set(const kith_component *list, uint32_t count,\n"
      "                               unsigned number, const kith_query_desc *filter)\n"
      "{\n"
      "    kith_condition     conditions[3];\n"
      "    kith_reactive_desc desc = { .name = \"a set\", .conditions = conditions };\n"
      "    for (; desc.condition_count < count; desc.condition_count++) {\n"
      "        uint32_t i    = desc.condition_count;\n"
      "        conditions[i] = (kith_condition){ list[i], (number >> i) % 17 };\n"
      "    }\n"
      "    desc.filter    = *filter;\n"
      "    desc.priority  = (int32_t)(number % 3) - 1;\n"
      "    desc.keep_dead = number % 2 != 0;\n"
      "    return kith_reactive_create(world, &desc);\n"
      "}\n\n" },
    { { "drop_set(" },
      "static void drop_set(unsigned set)\n"
      "{\n"
      "    if (kith_reactive_destroy(sets[set])) {\n"
      "        sets[set] = NULL;\n"
      "    }\n"
      "}\n\n" },
    { { "_queue(" }, "static const char *queue_names[] = { \"ping\", \"pong\", \"gong\" };\n\n" },
    { { "make_queue(" },
      "static void make_queue(unsigned queue, unsigned number)\n"
      "{\n"
      "    unsigned        form = number % 16;\n"
      "    kith_queue_desc desc = { queue_names[queue], form == 15 ? 12 : 8,\n"
      "                             form == 14 ? 4 : 8, queue + (form == 13) == 1 ? 4 : 0,\n"
      "                             { form == 11 ? KITH_FORM_NONE : KITH_FORM_PLAIN,\n"
      "                               form == 12 ? 4 : 8, NULL, NULL, 0 } };\n"
      "    kith_queue     *made = kith_queue_of(world, &desc);\n"
      "    queues[queue]        = made != NULL ? made : queues[queue];\n"
      "}\n\n" },
    { { "find_queue(" },
      "static void find_queue(unsigned queue)\n"
      "{\n"
      "    kith_queue_find(world, queue_names[queue]);\n"
      "}\n\n" },
    { { "describe_queue(" },
      "static void describe_queue(unsigned queue)\n"
      "{\n"
      "    queues[queue] == NULL ? NULL : kith_queue_describe(queues[queue]);\n"
      "}\n\n" },
    { { "handle(queues" },
      "static kith_listener_desc handlers[256];\n"
      "static unsigned           handler_count;\n\n"
      "static void handle_event(kith_world *w, const void *event, void *context)\n"
      "{\n"
      "    kith_listener_desc *handler = context;\n"
      "    kith_entity         entity  = *(const kith_entity *)event;\n"
      "    kith_notice         notice  = { KITH_EVENT_CREATE, 0, entity, 0 };\n"
      "    handler->call(w, &notice, handler->context);\n"
      "}\n\n"
      "static kith_listener handle(kith_queue *queue, const kith_listener_desc *desc)\n"
      "{\n"
      "    kith_handler_desc handler = { .call = desc->call == NULL ? NULL : handle_event };\n"
      "    handlers[handler_count % 256] = *desc;\n"
      "    handler.context           = &handlers[handler_count++ % 256];\n"
      "    handler.priority          = desc->priority;\n"
      "    return kith_queue_connect(queue, &handler);\n"
      "}\n\n" },
    { { "user +" }, "static char user[256];\n\n" },
    { { "text," }, "static char text[256];\n\n" },
    { { "&hash" }, "static uint64_t hash;\n\n" },
    { { "ids," }, "static kith_component ids[256];\n\n" },
    { { "out)", " out, " }, "static kith_entity out[8];\n\n" },
    { { "expires(" },
      "static uint64_t expires(unsigned char number)\n"
      "{\n"
      "    unsigned char bytes[8];\n"
      "    uint64_t      tick;\n"
      "    for (unsigned i = 0; i < 8; i++) {\n"
      "        bytes[i] = (unsigned char)(number * (2 * i + 1));\n"
      "    }\n"
      "    memcpy(&tick, bytes, sizeof tick);\n"
      "    return tick;\n"
      "}\n\n" },
    { { "later_singly(" },
      "static void later_singly(kith_world *w, kith_entity e, kith_entity o, kith_component c,\n"
      "                         const void *value)\n"
      "{\n"
      "    kith_commands *later = kith_commands_create(w, NULL);\n"
      "    kith_entity    made  = kith_entity_create_later(later);\n"
      "    kith_component_set_later(later, made, c, value);\n"
      "    kith_component_set_later(later, e, c, value);\n"
      "    kith_component_add_later(later, made, c);\n"
      "    kith_component_enable_later(later, made, c, false);\n"
      "    kith_component_enable_later(later, e, c, true);\n"
      "    kith_entity_destroy_later(later, o);\n"
      "    kith_component_remove_later(later, e, c);\n"
      "    kith_commands_apply(later, w);\n"
      "    kith_commands_destroy(later);\n"
      "}\n\n" },
    { { "later_tree(" },
      "static void later_tree(kith_world *w, kith_component c, kith_entity e, kith_entity o)\n"
      "{\n"
      "    kith_commands *later = kith_commands_create(w, NULL);\n"
      "    kith_entity    made  = kith_entity_create_later(later);\n"
      "    kith_hierarchy_append_later(later, c, e, made);\n"
      "    kith_hierarchy_append_later(later, c, made, o);\n"
      "    kith_hierarchy_append_later(later, c, e, o);\n"
      "    kith_commands_apply(later, w);\n"
      "    kith_commands_destroy(later);\n"
      "}\n\n" },
    { { "later_link(" },
      "static void later_link(kith_world *w, kith_component c, kith_entity e, kith_entity o,\n"
      "                       kith_entities list, unsigned number)\n"
      "{\n"
      "    kith_commands *later = kith_commands_create(w, NULL);\n"
      "    kith_entity    made  = kith_entity_create_later(later);\n"
      "    kith_entity    more  = kith_entity_create_later(later);\n"
      "    kith_component_set_later(later, made, c, &(kith_link){ .target = e });\n"
      "    kith_component_set_later(later, more, c, &(kith_link){ .target = made });\n"
      "    kith_component_set_later(later, o, c, &(kith_link){ .target = more });\n"
      "    kith_entity_set_many_later(later, list,\n"
      "                               &(kith_values){ c, &(kith_link){ .target = made }, 0 }, 1);\n"
      "    kith_component_set_later(later, e, c, &(kith_link){ .target = o });\n"
      "    if ((number & 1) != 0) {\n"
      "        kith_component_remove_later(later, o, c);\n"
      "    }\n"
      "    if ((number & 2) != 0) {\n"
      "        kith_entity_destroy_later(later, e);\n"
      "    }\n"
      "    if ((number & 4) != 0) {\n"
      "        kith_entity_destroy_later(later, made);\n"
      "    }\n"
      "    kith_commands_apply(later, w);\n"
      "    kith_commands_destroy(later);\n"
      "}\n\n" },
    { { "spell(", "name_many(", "name_create(", "later_name(" },
      "#define TEN \"0123456789\"\n\n"
      "static const char *spell(unsigned number)\n"
      "{\n"
      "    static const char *const texts[16] = {\n"
      "        \"\", \"a\", \"b\", \"ship\", \"shop\", \"turret/2\", \"turret/3\",\n"
      "        \"barrel of a gun\",\n"
      "        \"barrel of a gun.\", \"barrel of a gun..\", \"\\xc3\\xa9t\\xc3\\xa9\",\n"
      "        TEN TEN TEN TEN TEN TEN \"012\", TEN TEN TEN TEN TEN TEN \"013\",\n"
      "        TEN TEN TEN TEN TEN TEN \"0123\", TEN TEN TEN TEN TEN TEN \"0124\",\n"
      "        TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN,\n"
      "    };\n"
      "    return texts[number % 16];\n"
      "}\n\n"
      "static const kith_text *named(const char *text)\n"
      "{\n"
      "    static kith_text texts[8];\n"
      "    static unsigned  next;\n"
      "    kith_text       *one = &texts[next++ % 8];\n"
      "    *one                 = kith_text_of(text);\n"
      "    return one;\n"
      "}\n\n" },
    { { "name_many(", "name_create(" },
      "static const kith_text *names_from(unsigned number)\n"
      "{\n"
      "    static kith_text texts[8];\n"
      "    for (unsigned i = 0; i < 8; i++) {\n"
      "        texts[i] = *named(spell(number + i));\n"
      "    }\n"
      "    return texts;\n"
      "}\n\n" },
    { { "name_many(" },
      "static void name_many(kith_entities list, kith_component c, unsigned number, int how)\n"
      "{\n"
      "    kith_values set = { c, names_from(number), how == 0 ? 0 : sizeof(kith_text) };\n"
      "    if (how == 2) {\n"
      "        kith_entity_set_components(world, list, &set, 1);\n"
      "    } else {\n"
      "        kith_entity_set_many(world, list, &set, 1);\n"
      "    }\n"
      "}\n\n" },
    { { "name_create(" },
      "static void name_create(uint32_t few, kith_component c, unsigned number)\n"
      "{\n"
      "    kith_entity out[8];\n"
      "    kith_values set = { c, names_from(number), sizeof(kith_text) };\n"
      "    kith_entity_create_many(world, out, few, &set, 1);\n"
      "}\n\n" },
    { { "later_name(" },
      "static void later_name(kith_world *w, kith_component c, kith_entity e, kith_entity o,\n"
      "                       kith_entities list, unsigned number)\n"
      "{\n"
      "    kith_commands *later = kith_commands_create(w, NULL);\n"
      "    kith_entity    made  = kith_entity_create_later(later);\n"
      "    kith_component_set_later(later, made, c, named(spell(number)));\n"
      "    kith_component_set_later(later, e, c, named(spell(number + 1)));\n"
      "    kith_component_set_later(later, o, c, named(spell(number + 2)));\n"
      "    kith_entity_set_many_later(later, list,\n"
      "                               &(kith_values){ c, named(spell(number + 3)), 0 }, 1);\n"
      "    if ((number & 1) != 0) {\n"
      "        kith_component_remove_later(later, o, c);\n"
      "    }\n"
      "    if ((number & 2) != 0) {\n"
      "        kith_entity_destroy_later(later, e);\n"
      "    }\n"
      "    kith_commands_apply(later, w);\n"
      "    kith_commands_destroy(later);\n"
      "}\n\n" },
    { { "lists_of(" },
      "static kith_component lists_of(kith_component link)\n"
      "{\n"
      "    return kith_component_find(world, link == 30   ? \"tied.holders\"\n"
      "                                      : link == 31 ? \"belongs.holders\"\n"
      "                                                   : \"barred.holders\");\n"
      "}\n\n" },
    { { "link_each(" },
      "static void link_each(kith_entities list, kith_component c, kith_entity e, kith_entity o)\n"
      "{\n"
      "    const kith_link links[8] = { { .target = e }, { .target = o }, { .target = e },\n"
      "                                 { .target = e }, { .target = o }, { .target = e },\n"
      "                                 { .target = o }, { .target = o } };\n"
      "    kith_entity_set_many(world, list, &(kith_values){ c, links, sizeof *links }, 1);\n"
      "}\n\n" },
    { { "later_handles(" },
      "typedef struct bond {\n"
      "    kith_entity target;\n"
      "} bond;\n\n"
      "KITH_FIELDS(bond, entity(target));\n"
      "KITH_COMPONENT_AS(bond, bond, 1, fields(bond));\n\n"
      "static void later_handles(uint32_t few, kith_entity e, unsigned number)\n"
      "{\n"
      "    kith_world    *second = kith_world_create(NULL);\n"
      "    bool           known  = bond_register(second);\n"
      "    kith_commands *later  = known ? kith_commands_create(second, NULL) : NULL;\n"
      "    kith_entity    made[8];\n"
      "    for (uint32_t i = 0; i < few; i++) {\n"
      "        made[i] = kith_entity_create_later(later);\n"
      "    }\n"
      "    for (uint32_t i = 0; i < few; i++) {\n"
      "        bond_set_later(later, made[i], (bond){ i == 0 ? e : made[(number + i) % few] });\n"
      "    }\n"
      "    kith_commands_apply(later, second);\n"
      "    kith_world_destroy(second);\n"
      "}\n\n" },
    { { "later_many(" },
      "static void later_many(kith_world *w, uint32_t few, kith_entity e,\n"
      "                       const kith_entity *entities, uint32_t count,\n"
      "                       const kith_values *sets, uint32_t set_count,\n"
      "                       const kith_component *parts, uint32_t part_count)\n"
      "{\n"
      "    kith_entity    made[8];\n"
      "    kith_commands *later = kith_commands_create(w, NULL);\n"
      "    kith_entities  born  = kith_entities_of(made, few);\n"
      "    kith_entities  list  = kith_entities_of(entities, count);\n"
      "    if (few % 2 == 0 ||\n"
      "        !kith_entity_create_many_later(later, made, few, sets, set_count)) {\n"
      "        kith_entity_create_many_later(later, made, few, NULL, 0);\n"
      "    }\n"
      "    kith_entity_set_components_later(later, born, sets, set_count);\n"
      "    kith_entity_set_many_later(later, list, sets, set_count);\n"
      "    kith_entity_set_components_later(later, kith_entities_of(&e, 1), sets, set_count);\n"
      "    kith_entity_remove_many_later(later, born, parts, part_count);\n"
      "    kith_entity_destroy_many_later(later, list);\n"
      "    kith_commands_apply(later, w);\n"
      "    kith_commands_destroy(later);\n"
      "}\n\n" },
    { { "later_range(" },
      "static void later_range(kith_world *w, uint32_t few, kith_entities range,\n"
      "                        const kith_values *sets, uint32_t set_count,\n"
      "                        const kith_component *parts, uint32_t part_count)\n"
      "{\n"
      "    kith_entity    made[8];\n"
      "    kith_commands *later = kith_commands_create(w, NULL);\n"
      "    kith_entity_create_many_later(later, made, few, NULL, 0);\n"
      "    kith_entities born = { NULL, few == 0 ? KITH_NULL : made[0], few, 0 };\n"
      "    kith_entity_set_many_later(later, born, sets, set_count);\n"
      "    if (few % 2 == 0) {\n"
      "        kith_entity_set_many_later(later, range, sets, set_count);\n"
      "    } else {\n"
      "        kith_entity_set_components_later(later, range, sets, set_count);\n"
      "    }\n"
      "    kith_entity_remove_many_later(later, range, parts, part_count);\n"
      "    kith_entity_remove_many_later(later, born, parts, part_count);\n"
      "    if (few % 4 == 3) {\n"
      "        kith_entity_destroy_many_later(later, range);\n"
      "    }\n"
      "    if (few % 4 == 2) {\n"
      "        kith_entity_destroy_many_later(later, born);\n"
      "    }\n"
      "    kith_commands_apply(later, w);\n"
      "    kith_commands_destroy(later);\n"
      "}\n\n" },
    { { "make_tree(", "make_nodes(" },
      "static kith_hierarchy_desc tree_desc(unsigned number)\n"
      "{\n"
      "    unsigned form = number % 16, which = number / 16 % 2;\n"
      "    unsigned ends = form == 14 ? 2 : form == 15 ? 1 - which : which;\n"
      "    return (kith_hierarchy_desc){ which == 0 ? \"scene\" : \"crew\",\n"
      "                                  form == 13 ? 0 : 20 + which, (kith_children)ends,\n"
      "                                  which == 1 };\n"
      "}\n\n" },
    { { "make_tree(" },
      "static void make_tree(unsigned number)\n"
      "{\n"
      "    kith_hierarchy_desc desc = tree_desc(number);\n"
      "    kith_hierarchy_register(world, &desc);\n"
      "}\n\n" },
    { { "make_nodes(" },
      "static void make_nodes(unsigned number)\n"
      "{\n"
      "    kith_hierarchy_desc tree = tree_desc(number);\n"
      "    kith_component_desc desc = { .name = tree.name, .id = tree.id };\n"
      "    desc.size                = sizeof(kith_node);\n"
      "    desc.alignment           = _Alignof(kith_node);\n"
      "    desc.traits.row_ticks    = tree.row_ticks;\n"
      "    desc.traits.saved        = (kith_saved)KITH_AS(fields(kith_node));\n"
      "    kith_component_register(world, &desc);\n"
      "}\n\n" },
    { { "sort_children(" },
      "static int compare_siblings(kith_entity a, kith_entity b, void *mask)\n"
      "{\n"
      "    return (int)(a & *(unsigned *)mask) - (int)(b & *(unsigned *)mask);\n"
      "}\n\n"
      "static void sort_children(kith_component tree, kith_entity parent, unsigned mask)\n"
      "{\n"
      "    kith_hierarchy_sort_children(world, tree, parent,\n"
      "                                 mask % 16 == 15 ? NULL : compare_siblings, &mask);\n"
      "}\n\n" },
    { { "list_levels(" },
      "static void list_levels(kith_component tree, kith_entity top, uint32_t capacity)\n"
      "{\n"
      "    kith_entity list[8];\n"
      "    kith_hierarchy_levels(world, tree, top, list, capacity < 8 ? capacity : 8);\n"
      "}\n\n" },
    { { "set_first(" },
      "static void set_first(kith_world *w, kith_entities entities, const kith_values *set,\n"
      "                      uint32_t sets)\n"
      "{\n"
      "    (void)sets;\n"
      "    kith_entity_set_many(w, entities, set, 1);\n"
      "}\n\n" },
    { { "word_pair", "plain_", "pairs_", "choices_" },
      "typedef struct word_pair {\n    uint32_t words[2];\n} word_pair;\n\n" },
    { { "plain_", "pairs_", "choices_" }, "KITH_COMPONENT(plain, word_pair, 1);\n\n" },
    { { "wide_", "pairs_" },
      "typedef struct wide_words {\n    uint32_t words[32];\n} wide_words;\n\n"
      "static const kith_traits wide_traits = { .page_rows = 16, .alignment = 64 };\n\n"
      "KITH_COMPONENT_WITH(wide, wide_words, 2, wide_traits);\n\n" },
    { { "boxed_", "choices_" },
      "static const kith_traits boxed_traits = { .page_rows = 4 };\n\n"
      "KITH_COMPONENT_WITH(boxed, word_pair, 3, boxed_traits);\n\n" },
    { { "pinned_", "choices_" },
      "typedef struct word_triple {\n    uint32_t words[3];\n} word_triple;\n\n"
      "static const kith_traits pinned_traits = { .policy = 1, .page_rows = 2 };\n\n"
      "KITH_COMPONENT_WITH(pinned, word_triple, 4, pinned_traits);\n\n" },
    { { "mark_", "pairs_" }, "KITH_TAG(mark, 6);\n\n" },
    { { "nail_", "choices_" }, "KITH_TAG(nail, 7);\n\n" },
    { { "chained_" }, "KITH_TAG(chained, 10);\n\n" },
    { { "eager_bit_" }, "KITH_FLAG(eager_bit, 13);\n\n" },
    { { " bit_", "choices_" }, "KITH_FLAG(bit, 8);\n\n" },
    { { "far_bit_" }, "KITH_FLAG(far_bit, 14);\n\n" },
    { { "global_" }, "KITH_SINGLETON(global, word_pair, 11);\n\n" },
    { { "pairs_" },
      "KITH_QUERY(pairs, write(plain), read(wide), without(mark));\n\n"
      "static pairs pairs_cursors[2];\n\n" },
    { { "step_pairs(" }, STEP_TYPED("pairs", "plain") },
    { { "choices_" },
      "KITH_QUERY(choices, read(boxed), lead(boxed), disabled(boxed), optional_write(pinned),\n"
      "           any(plain, bit), optional(nail));\n\n"
      "static choices choices_cursors[2];\n\n" },
    { { "step_choices(" }, STEP_TYPED("choices", "pinned") },
    { { "duos_" }, "KITH_QUERY(duos, write(plain), read(wide));\n\n" },
    { { "anchors_" }, "KITH_QUERY(anchors, write(pinned));\n\n" },
    { { "renew(" },
      "static void renew(kith_entity entity, kith_component component)\n"
      "{\n"
      "    const kith_component_desc *desc = kith_component_describe(world, component);\n"
      "    if (desc != NULL && desc->kind == KITH_KIND_SINGLETON) {\n"
      "        kith_singleton_remove(world, component);\n"
      "        kith_singleton_add(world, component);\n"
      "    } else {\n"
      "        kith_component_remove(world, entity, component);\n"
      "        kith_component_add(world, entity, component, NULL);\n"
      "    }\n"
      "}\n\n" },
    { { "overwrite(" },
      "static void overwrite(void *value, unsigned char number, bool has_bytes)\n"
      "{\n"
      "    if (value != NULL && has_bytes) {\n"
      "        *(unsigned char *)value = number;\n"
      "    }\n"
      "}\n\n" },
    { { "contexts[" },
      "static bool may_go_on(void)\n"
      "{\n"
      "    void (*call)(void) = meddle;\n"
      "    meddle             = NULL;\n"
      "    if (call != NULL) {\n"
      "        call();\n"
      "    }\n"
      "    return fail_at == 0 || --fail_at != 0;\n"
      "}\n\n"
      "static bool construct(void *value, void *context)\n"
      "{\n"
      "    (void)context;\n"
      "    memset(value, 0xd0, 4);\n"
      "    return may_go_on();\n"
      "}\n\n"
      "static bool copy(void *value, const void *source, void *context)\n"
      "{\n"
      "    (void)context;\n"
      "    memcpy(value, source, 4);\n"
      "    return may_go_on();\n"
      "}\n\n"
      "static void destruct(void *value, void *context)\n"
      "{\n"
      "    (void)context;\n"
      "    memset(value, 0xdd, 4);\n"
      "}\n\n"
      "static void move(void *value, void *source, void *context)\n"
      "{\n"
      "    (void)context;\n"
      "    memcpy(value, source, 4);\n"
      "    memset(source, 0xee, 4);\n"
      "}\n\n" },
    { { "change," },
      "static void change(void *value, void *context)\n"
      "{\n"
      "    const unsigned char *number_and_has_bytes = context;\n"
      "    if (number_and_has_bytes[1] != 0) {\n"
      "        *(unsigned char *)value = number_and_has_bytes[0];\n"
      "    }\n"
      "    if (meddle != NULL) {\n"
      "        meddle();\n"
      "    }\n"
      "}\n\n" },
    { { "allocate," },
      "static void *allocate(void *context, size_t size, size_t alignment)\n"
      "{\n"
      "    (void)context;\n"
      "    bool refused = refuse_at != 0 && --refuse_at == 0;\n"
      "    size_t whole = (size + 4095) / 4096 * 4096;\n"
      "    return refused ? NULL : aligned_alloc(alignment < 8 ? 8 : alignment, whole);\n"
      "}\n\n"
      "static void release(void *context, void *memory, size_t size, size_t alignment)\n"
      "{\n"
      "    (void)context, (void)size, (void)alignment;\n"
      "    free(memory);\n"
      "}\n\n" },
};
// clang-format on

static bool is_needed(const part *p, const char *program)
{
    bool needed = p->needed_by[0] == NULL;
    for (size_t i = 0; i < sizeof p->needed_by / sizeof *p->needed_by; i++) {
        needed = needed || (p->needed_by[i] != NULL && strstr(program, p->needed_by[i]) != NULL);
    }
    return needed;
}

static void write_parts(const char *program, text *out)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (is_needed(&parts[i], program)) {
            text_add(out, "%s", parts[i].code);
        }
    }
}

// The operation that fails, which may be a crash, is written and not applied.
static void write_operations(const sequence *q, uint32_t until, text *functions, text *statements)
{
    stage *s    = &only_stage;
    bool   made = begin(s, q);
    for (uint32_t i = 0; made && i < q->count; i++) {
        operation_write(s, &q->operations[i], i, functions, statements);
        made = i != until && operation_apply(s, &q->operations[i]);
    }
    stage_destroy_world(s);
}

static void write_creation(const kith_world_desc *desc, const char *statements, text *out)
{
    bool        starves = strstr(statements, "refuse_at") != NULL;
    const char *more    = starves ? ".allocator = { allocate, release, NULL }, "
                                    ".on_error = kith_error_ignore"
                                  : ".on_error = kith_error_ignore";
    text_add(out, "    world = kith_world_create(");
    argument_write_world(desc, more, out);
    text_add(out, ");\n");
}

void sequence_write(const sequence *q, const sequence_difference *difference, text *out)
{
    const configuration *c          = configuration_of(q->configuration);
    text                 program    = { .data = NULL };
    text                 statements = { .data = NULL };
    text_add(&statements, "%s", "");
    write_operations(q, difference->place, &program, &statements);
    text_add(&program, "int main(void)\n{\n");
    write_creation(&c->desc, statements.data, &program);
    text_add(&program, "%s", statements.data);
    text_add(&program,
             "    kith_world_settle(world);\n    kith_world_destroy(world);\n    return 0;\n}\n");
    text_add(out, "// %s, operation %u: %s\n", c->name, (unsigned)difference->place,
             difference->sentence);
    write_parts(program.data, out);
    text_add(out, "%s", program.data);
    text_end(&statements);
    text_end(&program);
}
