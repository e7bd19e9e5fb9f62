// SPDX-License-Identifier: MIT
#include "snapshot/load_list.h"

#include "snapshot/unknown_component.h"

// The indices of which there are as many as the chunk says, and nothing else is left.
static uint32_t *take_list(kith_stage *stage, kith_source *from, uint32_t *count, kith_flaw *flaw)
{
    *count        = kith_source_u32(from);
    bool      fit = !from->ended && (uint64_t)*count * sizeof(uint32_t) == from->size - from->at;
    uint32_t *list =
        !fit ? NULL : kith_memory_take(&stage->world->memory, ((size_t)*count + 1) * 4, 4);
    if (!fit) {
        kith_flaw_note(flaw, KITH_ERROR_FORMAT, "a list has not the length that it says", NULL);
    } else if (list == NULL) {
        kith_flaw_memory(flaw);
    } else {
        kith_numbers_u32(list, kith_source_take(from, (size_t)*count * 4), *count);
    }
    return list;
}

// Gives the list back, and says what the stage said of it.
static bool end_list(kith_stage *stage, uint32_t *list, uint32_t count, const char *fault,
                     bool memory, const char *name, kith_flaw *flaw)
{
    kith_memory_give(&stage->world->memory, list, ((size_t)count + 1) * 4, 4);
    if (fault == NULL) {
        return true;
    }
    return memory ? kith_flaw_memory(flaw) : kith_flaw_note(flaw, KITH_ERROR_FORMAT, fault, name);
}

KITH_INTERNAL bool kith_list_flags(kith_stage *stage, const kith_column *column, kith_source *from,
                                   kith_flaw *flaw)
{
    uint32_t  count;
    uint32_t *list = take_list(stage, from, &count, flaw);
    if (list == NULL) {
        return false;
    }
    bool        memory = false;
    const char *fault  = kith_stage_flag(stage, column, list, count, &memory);
    return end_list(stage, list, count, fault, memory, column->desc.name, flaw);
}

static bool has_term(const kith_group *group, const kith_column *column, bool without)
{
    bool found = false;
    for (uint32_t i = 0; i < group->desc.term_count; i++) {
        const kith_term *term = &group->desc.terms[i];
        found                 = found || (term->component == column->desc.id &&
                          (term->role == KITH_ROLE_WITHOUT) == without);
    }
    return found;
}

// Whether the group has the terms that the chunk says, which are then read, and all are loaded.
static bool has_terms(kith_source *from, const kith_group *group, const kith_load_desc *desc)
{
    uint32_t count = kith_source_u32(from);
    bool     same  = group->owned == 0 && group->desc.term_count == count;
    for (uint32_t i = 0; i < count && same; i++) {
        bool               without = kith_source_u32(from) != 0;
        uint32_t           length;
        const char        *name = kith_source_text(from, &length);
        const kith_column *column =
            name == NULL ? NULL : kith_world_named(group->world, name, length);
        same = column != NULL && kith_load_wants(desc, column) && kith_column_is_saved(column) &&
               has_term(group, column, without);
    }
    return same;
}

KITH_INTERNAL bool kith_list_members(kith_stage *stage, const kith_load_desc *desc,
                                     kith_source *from, kith_flaw *flaw)
{
    const kith_group_list *all   = &stage->world->groups;
    const kith_source      start = *from;
    kith_group            *group = NULL;
    uint32_t               count;
    for (uint32_t i = 0; i < all->count && group == NULL; i++) {
        *from = start;
        group = has_terms(from, all->groups[i], desc) ? all->groups[i] : NULL;
    }
    uint32_t *list = group == NULL ? NULL : take_list(stage, from, &count, flaw);
    if (list == NULL) {
        return group == NULL;
    }
    bool        memory = false;
    const char *fault  = kith_stage_order(stage, group, list, count, &memory);
    return end_list(stage, list, count, fault, memory, group->desc.name, flaw);
}
