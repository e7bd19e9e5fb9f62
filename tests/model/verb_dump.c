// SPDX-License-Identifier: MIT
// Dumps: an entity has a line for itself and one for each component. A dump of a pool and of the
// world prints something, and none of them allocates or changes what the model compares.
#include "verb_pair.h"

#include "kith/dump.h"

#include <string.h>

enum { ROWS_SHOWN = 8 };

// Counts lines. A piece is one line.
static bool count_line(const void *bytes, size_t size, void *context)
{
    const char *line  = bytes;
    uint64_t   *lines = context;
    ++*lines;
    return size != 0 && size <= 1024 && memchr(line, '\n', size) == line + size - 1 &&
           memchr(line, '\0', size) == NULL;
}

static void real_dump_world(stage *s, const argument *a, verb_answer *answer)
{
    uint64_t       others = 0;
    kith_component id     = 0;
    bool           fine   = kith_entity_dump(s->world, a->entity, count_line, &answer->list[0]) &&
                kith_world_dump(s->world, count_line, &others) && others != 0;
    while (fine && (id = kith_component_next(s->world, id)) != 0) {
        fine = kith_component_dump(s->world, id, ROWS_SHOWN, count_line, &others);
    }
    answer->result = fine;
    answer->length = 1;
}

static void naive_dump_world(stage *s, const argument *a, verb_answer *answer)
{
    bool alive      = model_entity_alive(&s->model, a->entity);
    answer->result  = true;
    answer->list[0] = 1;
    answer->list[0] += alive ? model_entity_components(&s->model, a->entity, NULL, 0) : 0;
    answer->length = 1;
}

const verb verb_dumps[] = {
    OTHER_ROW(dump_world, "dump_world(%e)", 4, VERB_SPARES),
};

const uint32_t verb_dump_count = sizeof verb_dumps / sizeof *verb_dumps;
