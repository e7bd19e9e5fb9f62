// SPDX-License-Identifier: MIT
// Prints components and their fields for `kith info`.
#include "component.h"

#include "say.h"

#include "kith/kith.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_WIDTH = 20, DEPTH = 8, INDENT = 4 };

bool component_read(saved_component *out, chunk *from_chunk)
{
    reader from = from_chunk->body;
    *out        = (saved_component){ 0 };
    read_u32(&from); // its number: components come in order
    out->name = read_text(&from, &out->name_length);
    read_u32(&from); // its id
    out->kind    = read_u32(&from);
    out->policy  = read_u32(&from);
    out->form    = read_u32(&from);
    out->unit    = read_u32(&from);
    out->version = read_u32(&from);
    out->packed  = read_u32(&from);
    out->rows    = read_u32(&from);
    out->holes   = read_u32(&from);
    read_u64(&from); // its schema
    out->table = from;
    if (from.ended) {
        return false;
    }
    out->own        = from_chunk->own;
    from_chunk->own = NULL;
    return true;
}

// --- words -----------------------------------------------------------------------------------

static const char *policy_of(const saved_component *it)
{
    bool rows = it->kind == KITH_KIND_VALUE || it->kind == KITH_KIND_TAG;
    return rows ? kith_policy_name((kith_policy)it->policy) : "-";
}

static void print_form(const saved_component *it)
{
    bool declared = it->form != KITH_FORM_NONE;
    char text[32];
    if (it->form == KITH_FORM_PLAIN) {
        snprintf(text, sizeof text, "plain(%" PRIu32 ")", it->unit);
    } else if (it->form == KITH_FORM_FUNCTIONS && it->unit == KITH_UNIT_TEXT) {
        snprintf(text, sizeof text, "text");
    } else {
        snprintf(text, sizeof text, "%s", declared ? kith_form_name((kith_form)it->form) : "-");
    }
    printf("%-10s", text);
}

static void print_padded(const char *text, uint32_t length, uint32_t width)
{
    say_bytes(text, length);
    for (; length < width; length++) {
        putchar(' ');
    }
}

// --- fields ----------------------------------------------------------------------------------

static void print_choices(reader *from)
{
    uint32_t length;
    read_text(from, &length);
    uint32_t    count = read_u32(from);
    const char *comma = " ";
    for (uint32_t i = 0; i < count && !from->ended; i++, comma = ", ") {
        const char *name = read_text(from, &length);
        fputs(comma, stdout);
        say_bytes(name, length);
        printf(" = %" PRId64, (int64_t)read_u64(from));
    }
}

static void print_type(const char *name, uint32_t length, uint32_t type, uint32_t count)
{
    char text[32] = "";
    print_padded(name, length, 1);
    if (count != 1) {
        snprintf(text, sizeof text, "[%" PRIu32 "]", count);
    }
    printf("%s: %s", text, kith_field_type_name((kith_field_type)type));
}

// DEPTH bounds the recursion, whatever a file says.
static void print_fields(reader *from, uint32_t depth)
{
    uint32_t length;
    read_text(from, &length); // of the type
    uint32_t count = read_u32(from);
    for (uint32_t i = 0; i < count && !from->ended && depth < DEPTH; i++) {
        uint32_t    unit_length;
        const char *name = read_text(from, &length);
        const char *unit = read_text(from, &unit_length);
        uint32_t    type = read_u32(from);
        read_u32(from); // bytes of an element
        uint32_t elements = read_u32(from);
        if (from->ended) {
            return;
        }
        print_padded("", 0, (depth + 1) * INDENT);
        print_type(name, length, type, elements);
        printf("%s", unit_length == 0 ? "" : ", in ");
        say_bytes(unit, unit_length);
        if (type == KITH_TYPE_ENUM) {
            print_choices(from);
        }
        putchar('\n');
        if (type == KITH_TYPE_STRUCT) {
            print_fields(from, depth + 1);
        }
    }
}

// --- lines -----------------------------------------------------------------------------------

void component_print_head(void)
{
    printf("  %-*s  %-9s  %-6s  %-10s  %10s  %8s  %12s\n", NAME_WIDTH, "NAME", "KIND", "POLICY",
           "FORM", "ROWS", "HOLES", "BYTES");
}

void component_print(const saved_component *it)
{
    reader table = it->table;
    fputs("  ", stdout);
    print_padded(it->name, it->name_length, NAME_WIDTH);
    printf("  %-9s  %-6s  ", kith_kind_name((kith_kind)it->kind), policy_of(it));
    print_form(it);
    printf("  %10" PRIu32 "  %8" PRIu32 "  %12" PRIu64 "%s", it->rows, it->holes, it->bytes,
           it->version == 0 ? "\n" : "");
    if (it->version != 0) {
        printf("  (version %" PRIu32 ")\n", it->version);
    }
    if (it->form == KITH_FORM_FIELDS) {
        print_fields(&table, 1);
    }
}
