// SPDX-License-Identifier: MIT
// What the fuzz targets of snapshots share: a world with components of every form, and files whose
// checksums are right whatever their bytes are, so that the fuzzer gets past them.
#ifndef KITH_FUZZ_TOWN_H
#define KITH_FUZZ_TOWN_H

#include "chunk_test.h"
#include "kith/hierarchy.h"
#include "kith/link.h"
#include "kith/name.h"

#include <stdio.h>
#include <stdlib.h>

enum { CREW = 1, HEAT, WORD, ASLEEP, LOUD, CROWN, TREE, HOME, BOSS, LABEL, BADGE, TOWN_PEOPLE = 6 };

typedef struct crew {
    bool        ready;
    char        name[3];
    kith_entity mates[2];
} crew;

KITH_FIELDS(crew, boolean(ready), chars(name), entity(mates));

// A byte on the heap.
typedef struct word {
    uint8_t *byte;
} word;

static inline bool word_copy(void *value, const void *source, void *context)
{
    word       *to   = value;
    const word *from = source;
    (void)context;
    to->byte = from->byte == NULL ? NULL : malloc(1);
    if (to->byte != NULL) {
        *to->byte = *from->byte;
    }
    return true;
}

static inline void word_destruct(void *value, void *context)
{
    (void)context;
    free(((word *)value)->byte);
}

static inline size_t word_write(const void *value, void *bytes, size_t room, void *context)
{
    const word *w = value;
    (void)context;
    if (w->byte != NULL && room != 0) {
        *(uint8_t *)bytes = *w->byte;
    }
    return w->byte != NULL;
}

static inline bool word_read(void *value, const void *bytes, size_t size, void *context)
{
    word      *w    = value;
    const word from = { size == 0 ? NULL : &(uint8_t){ *(const uint8_t *)bytes } };
    word_destruct(w, context);
    return word_copy(w, &from, context) && size < 2;
}

static const kith_saver word_saver = { word_write, word_read, NULL };

static inline void demand(bool fact, const char *what)
{
    if (!fact) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static inline bool town_register(kith_world *world)
{
    const kith_hierarchy_desc tree    = { "tree", TREE, KITH_CHILDREN_DESTROY, false };
    const kith_traits         shown   = { .page_rows = 16, .saved = KITH_AS(fields(crew)) };
    const kith_traits         stable  = { .policy    = KITH_POLICY_STABLE,
                                          .page_rows = 16,
                                          .saved     = KITH_AS(plain(2)) };
    const kith_traits         hooked  = { .page_rows = 16,
                                          .hooks = { .copy = word_copy, .destruct = word_destruct },
                                          .saved = KITH_AS(through(&word_saver)) };
    const kith_component_desc descs[] = {
        { "crew", CREW, KITH_KIND_VALUE, sizeof(crew), _Alignof(crew), shown },
        { "heat", HEAT, KITH_KIND_VALUE, 2, 2, stable },
        { "word", WORD, KITH_KIND_VALUE, sizeof(word), _Alignof(word), hooked },
        { "asleep", ASLEEP, KITH_KIND_TAG, 0, 0, { 0 } },
        { "loud", LOUD, KITH_KIND_FLAG, 0, 0, { 0 } },
        { "crown", CROWN, KITH_KIND_SINGLETON, sizeof(crew), _Alignof(crew), shown },
    };
    const kith_link_desc home  = { "home", HOME, KITH_TARGET_CLEAR };
    const kith_link_desc boss  = { "boss", BOSS, KITH_TARGET_DESTROY };
    const kith_name_desc label = { "label", LABEL, false };
    const kith_name_desc badge = { "badge", BADGE, true };
    return kith_component_register_many(world, descs, sizeof descs / sizeof descs[0]) &&
           kith_hierarchy_register(world, &tree) == TREE &&
           kith_link_register(world, &home) == HOME && kith_link_register(world, &boss) == BOSS &&
           kith_name_register(world, &label) == LABEL && kith_name_register(world, &badge) == BADGE;
}

// Few entities, so that a file that names a high index costs no memory, and some whole pages.
static inline kith_world *make_world(void)
{
    const kith_world_desc desc  = { .on_error = kith_error_ignore, .max_entities = 3000 };
    kith_world           *world = kith_world_create(&desc);
    demand(world != NULL && town_register(world), "there is no world");
    return world;
}

// Something of everything.
static inline void settle_town(kith_world *world)
{
    kith_entity e[TOWN_PEOPLE];
    crew        mate = { .ready = true, .name = "ann" };
    word        text = { &(uint8_t){ 'x' } };
    for (uint32_t i = 0; i < TOWN_PEOPLE; i++) {
        e[i]          = kith_entity_create(world);
        mate.mates[0] = e[i / 2];
        kith_component_set(world, e[i], CREW, &mate);
        kith_component_add(world, e[i], i % 3 == 0 ? HEAT : ASLEEP, NULL);
        kith_hierarchy_append(world, TREE, e[i / 2], e[i]);
    }
    for (uint32_t i = 1; i < TOWN_PEOPLE; i++) {
        kith_link_set(world, e[i], HOME, e[i % 2 == 0 ? 0 : i - 1]);
    }
    kith_link_set(world, e[1], BOSS, e[2]);
    kith_link_set(world, e[2], BOSS, e[1]);
    kith_link_remove(world, e[4], HOME); // its list stays, and loses a holder
    kith_component_set(world, e[1], WORD, &text);
    kith_component_add(world, e[2], LOUD, NULL);
    for (uint32_t i = 0; i < 3; i++) { // two texts for three entities, one of them long
        const kith_text name = kith_text_of(i == 1 ? "a name that takes more bytes than a row of "
                                                     "the component has room for"
                                                   : "ann");
        kith_component_set(world, e[i], LABEL, &name);
        kith_component_set(world, e[i], BADGE, &name);
    }
    kith_component_enable(world, e[3], HEAT, false);
    kith_component_remove(world, e[0], HEAT);
    kith_entity_destroy(world, e[5]);
    kith_singleton_set(world, CROWN, &mate);
}

static inline void demand_valid(const kith_world *world)
{
    const char *reason = NULL;
    demand(kith_world_validate(world, &reason), reason);
    demand(kith_hierarchy_validate(world, TREE, &reason), reason);
}

static inline kith_bytes snapshot_of(const kith_world *world)
{
    kith_bytes bytes = { .data = NULL };
    demand(kith_world_save_memory(world, NULL, &bytes).code == KITH_OK, "a world is not saved");
    return bytes;
}

static inline uint64_t hash_of(const kith_world *world)
{
    uint64_t hash = 0;
    demand(kith_world_hash_full(world, KITH_ALL, &hash), "a world has no hash");
    return hash;
}

// The fuzzer's bytes as a file. The first one says what is done with unknown components.
static inline kith_bytes file_of(const uint8_t *data, size_t size, kith_load_desc *desc)
{
    kith_bytes file = { .data = NULL };
    *desc           = (kith_load_desc){ .unknown = (kith_unknown)(data[0] % 3) };
    demand(kith_bytes_extend(&file, size), "there is no memory");
    file.size = size - 1;
    memcpy(file.data, data + 1, file.size);
    sign_all(&file);
    return file;
}

#endif
