// SPDX-License-Identifier: MIT
// The verb of objects: notes, each a number that belongs to the world.
#include "kith/object.h"
#include "model_internal.h"
#include "verb_pair.h"

#include <stdlib.h>

typedef struct note {
    kith_object object;
    uint32_t    number;
} note;

static kith_object *create_note(kith_world *world, const char *key)
{
    (void)world, (void)key;
    return calloc(1, sizeof(note));
}

static void destroy_note(kith_object *object)
{
    free(object);
}

static bool note_state(kith_object *object, kith_state *state)
{
    return state->item(state, "number", KITH_TYPE_U32, &((note *)object)->number, 1);
}

static const kith_object_ops note_ops = { .kind    = "note",
                                          .size    = sizeof(note),
                                          .create  = create_note,
                                          .destroy = destroy_note,
                                          .state   = note_state };

// Answers with the number that the note had, and gives it another; or destroys the note.
static void real_note(stage *s, const argument *a, verb_answer *answer)
{
    note *found = (note *)kith_object_of(s->world, &note_ops, model_note_keys[a->path]);
    if (found != NULL) {
        answer->result = found->number + UINT64_C(1);
        found->number  = a->number;
        if (a->number % 4 == 0) {
            answer->list[0] = kith_object_destroy(&found->object);
            answer->length  = 1;
        }
    }
}

// A hook may find a note, but neither make nor destroy one.
static void naive_note(stage *s, const argument *a, verb_answer *answer)
{
    model_note *found = &s->model.notes[a->path];
    if (!found->made && model_busy(&s->model, 0, KITH_NULL)) {
        return;
    }
    answer->result = (found->made ? found->number : 0) + UINT64_C(1);
    found->serial  = found->made ? found->serial : ++s->model.last_made;
    found->made    = true;
    found->number  = a->number;
    if (a->number % 4 == 0) {
        found->made     = model_busy(&s->model, 0, KITH_NULL);
        answer->list[0] = !found->made;
        answer->length  = 1;
    }
}

const verb verb_objects[] = {
    OTHER_ROW(note, "put_note(%Y, %b)", 8, CHANGES | VERB_SPARES),
};

const uint32_t verb_object_count = sizeof verb_objects / sizeof *verb_objects;
