// SPDX-License-Identifier: MIT
// libFuzzer: any bytes as the text of a query. What is read is a query that a program can create,
// and its terms, written as plainly as possible, are read as the same query.
#include "kith/kith.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool fact, const char *what)
{
    if (!fact) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static kith_world *make_world(void)
{
    static const kith_component_desc all[] = {
        { .name = "position", .id = 1, .size = 8 },
        { .name = "velocity", .id = 2, .size = 8 },
        { .name = "label", .id = 3, .size = 8 },
        { .name = "seen", .id = 4, .size = 8, .traits.row_ticks = true },
        { .name = "frozen", .id = 5, .kind = KITH_KIND_TAG },
        { .name = "hidden", .id = 6, .kind = KITH_KIND_FLAG },
        { .name = "gravity", .id = 7, .size = 8, .kind = KITH_KIND_SINGLETON },
        { .name = "my name", .id = 8, .kind = KITH_KIND_TAG },
        { .name = "say \"hi\"", .id = 9, .kind = KITH_KIND_TAG },
        { .name = "any", .id = 10, .kind = KITH_KIND_TAG },
    };
    const kith_world_desc desc  = { .on_error = kith_error_ignore };
    kith_world           *world = kith_world_create(&desc);
    demand(world != NULL && kith_component_register_many(world, all, sizeof all / sizeof *all),
           "there is no world");
    return world;
}

static size_t write_name(const kith_world *world, kith_component component, char *out)
{
    char *at = out;
    *at++    = '"';
    for (const char *c = kith_component_describe(world, component)->name; *c != '\0'; c++) {
        *at++ = *c;
        if (*c == '"') {
            *at++ = '"';
        }
    }
    *at++ = '"';
    return (size_t)(at - out);
}

// Alternatives are side by side. Two lists with the same first component have no plan.
static void write_terms(const kith_world *world, const kith_query_desc *desc, char *out)
{
    for (uint32_t i = 0; i < desc->term_count; i++) {
        const kith_term *term = &desc->terms[i];
        bool             more = i > 0 && term->any_list != 0 && term->any_list == term[-1].any_list;
        bool             last =
            i + 1 == desc->term_count || term->any_list == 0 || term[1].any_list != term->any_list;
        if (i > 0) {
            *out++ = ',';
        }
        if (!more) {
            out += sprintf(out, "%s(", kith_role_name(term->role));
        }
        out += write_name(world, term->component, out);
        if (last) {
            *out++ = ')';
        }
    }
    *out = '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kith_term       terms[KITH_QUERY_TERMS_MAX];
    kith_query_desc desc;
    kith_world     *world = make_world();
    char           *text  = malloc(size + 1); // so that a read beyond its end is found
    demand(text != NULL, "there is no memory");
    if (size != 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    if (kith_query_desc_parse(world, text, &desc, terms)) {
        char        again[KITH_QUERY_TERMS_MAX * 40];
        kith_query *query = kith_query_of(world, &desc);
        kith_query *found = NULL;
        demand(query != NULL, "what was read is no query");
        write_terms(world, &desc, again);
        demand(kith_query_parse(world, again, &found) && found == query,
               "the terms are read as something else");
    }
    free(text);
    kith_world_destroy(world);
    return 0;
}
