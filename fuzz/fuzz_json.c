// SPDX-License-Identifier: MIT
// libFuzzer: any bytes as JSON. What is read is written, read into a second world and written
// again: the two texts must be the same. The first byte says how to read; the rest is the text.
#include "json_test.h"

#include <stdio.h>
#include <stdlib.h>

enum { ONE_ENTITY = 1, SKIP_UNKNOWN = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool fact, const char *what)
{
    if (!fact) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

// Few entities, so that a text that names a high index costs no memory.
static kith_world *make_world(void)
{
    const kith_world_desc desc  = { .on_error = kith_error_ignore, .max_entities = 1000 };
    kith_world           *world = kith_world_create(&desc);
    demand(world != NULL && json_register(world), "there is no world");
    return world;
}

static kith_bytes text_of(const kith_world *world)
{
    kith_bytes text = { 0 };
    demand(kith_json_write_world(world, kith_bytes_write, &text),
           "what was read cannot be written");
    return text;
}

static void compare_twin(const kith_bytes *text)
{
    kith_world *twin   = make_world();
    kith_result result = kith_json_read_world(twin, (const char *)text->data, text->size, NULL);
    demand(result.code == KITH_OK, "what was written cannot be read");
    kith_bytes again = text_of(twin);
    demand(again.size == text->size && memcmp(again.data, text->data, again.size) == 0,
           "what was written is read as something else");
    kith_bytes_free(&again);
    kith_world_destroy(twin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    kith_world     *world  = make_world();
    const char     *reason = NULL;
    const char     *text   = (const char *)data + 1;
    kith_json_rules rules  = { .skip_unknown = (data[0] & SKIP_UNKNOWN) != 0 };
    kith_result     result = (data[0] & ONE_ENTITY) != 0
                                 ? kith_json_read_entity(world, text, size - 1, &rules, NULL)
                                 : kith_json_read_world(world, text, size - 1, &rules);
    demand(result.offset < size, "the offset is outside of the text");
    demand(kith_world_validate(world, &reason), reason);
    demand(result.code == KITH_OK || kith_entity_count(world) == 0, "something is left");
    kith_bytes written = text_of(world);
    compare_twin(&written);
    kith_bytes_free(&written);
    kith_world_destroy(world);
    return 0;
}
