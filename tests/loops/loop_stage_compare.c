// SPDX-License-Identifier: MIT
// Compares a world with the model: rows, stamps, groups, sets, walks and questions.
#include "loop_stage_internal.h"

#include <string.h>

enum { VALIDATE_EVERY = 16 }; // looks at a world with groups

// --- comparing -------------------------------------------------------------------------------

// The address of a row never changes.
static bool compare_address(loop_stage *s, kith_component c, uint32_t row, const void *value)
{
    const void **known = &s->addresses[c - 1][row];
    if (*known == NULL) {
        *known = value;
    }
    return *known == value || loop_stage_differ(s, "row %u of %c has moved", row, loop_letters[c]);
}

static bool compare_value(loop_stage *s, kith_component c, uint32_t row, const model_row *said)
{
    const void *value = s->addresses[c - 1][row];
    uint32_t    number;
    bool        seen = value != NULL; // while it was no hole
    if (!seen || (c == LOOP_C && s->flavour->tag)) {
        return true;
    }
    memcpy(&number, value, sizeof number);
    return number == said->number || loop_stage_differ(s, "the value in row %u of %c is %u, not %u",
                                                       row, loop_letters[c], number, said->number);
}

static bool compare_ticks(loop_stage *s, kith_component c, uint32_t row, kith_entity entity)
{
    const model_row *said = &s->model.pools[c - 1].rows[row];
    bool             changed =
        kith_component_changed_at(s->world, entity, c) != loop_model_changed(&s->model, c, row);
    bool added =
        s->flavour->row_ticks && kith_component_added_at(s->world, entity, c) != said->added;
    return !(changed || added) || loop_stage_differ(s, "row %u of %c was %s in another tick", row,
                                                    loop_letters[c], changed ? "changed" : "added");
}

static bool compare_row(loop_stage *s, kith_component c, uint32_t row)
{
    const model_row *said   = &s->model.pools[c - 1].rows[row];
    kith_entity      entity = kith_component_entity(s->world, c, row);
    const void      *value  = kith_component_value(s->world, c, row);
    uint64_t         stamp  = kith_component_stamp(s->world, c, row);
    if (loop_stage_number(s, entity) != said->entity || (entity == KITH_NULL) != (value == NULL)) {
        return loop_stage_differ(s, "row %u of %c has entity %d, not %d", row, loop_letters[c],
                                 (int)loop_stage_number(s, entity), (int)said->entity);
    }
    if (stamp != loop_model_stamp(&s->model, c, row)) {
        return loop_stage_differ(s, "the stamp of row %u of %c is %d, not %d", row, loop_letters[c],
                                 (int)(stamp - s->first_tick),
                                 (int)(loop_model_stamp(&s->model, c, row) - s->first_tick));
    }
    if (entity != KITH_NULL &&
        (!compare_ticks(s, c, row, entity) || !compare_address(s, c, row, value))) {
        return false;
    }
    bool readable = entity != KITH_NULL || said->waits;
    return !readable || compare_value(s, c, row, said);
}

static bool compare_pool(loop_stage *s, kith_component c)
{
    uint32_t rows = s->model.pools[c - 1].row_count;
    if (kith_component_stats(s->world, c).rows != rows) {
        return loop_stage_differ(s, "%c has %u rows, not %u", loop_letters[c],
                                 kith_component_stats(s->world, c).rows, rows);
    }
    for (uint32_t row = 0; row < rows; row++) {
        if (!compare_row(s, c, row)) {
            return false;
        }
    }
    return true;
}

static bool compare_entity(loop_stage *s, uint32_t number)
{
    const model_entity *said   = &s->model.entities[number];
    kith_entity         entity = s->handles[number];
    if (kith_entity_alive(s->world, entity) != said->alive) {
        return loop_stage_differ(s, "e%u is %s", number, said->alive ? "dead" : "alive");
    }
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        bool has     = said->alive && (said->has & LOOP_BIT(c)) != 0;
        bool enabled = has && (said->disabled & LOOP_BIT(c)) == 0;
        if (kith_component_has(s->world, entity, c) != has ||
            kith_component_enabled(s->world, entity, c) != enabled) {
            return loop_stage_differ(s, "e%u %s %c, %s", number, has ? "lacks" : "has",
                                     loop_letters[c],
                                     enabled ? "or it is disabled" : "or it is enabled");
        }
    }
    return true;
}

static bool compare_counts(loop_stage *s)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < s->model.entity_count; i++) {
        alive += s->model.entities[i].alive;
    }
    if (s->entity_count != s->model.entity_count || kith_entity_count(s->world) != alive) {
        return loop_stage_differ(s, "there are %u entities, not %u", kith_entity_count(s->world),
                                 alive);
    }
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        uint32_t said = loop_model_count(&s->model, c);
        if (kith_component_count(s->world, c) != said) {
            return loop_stage_differ(s, "%u have %c, not %u", kith_component_count(s->world, c),
                                     loop_letters[c], said);
        }
    }
    return true;
}

// An entity that left is null in the chunk that is handed out; the others are still there.
static bool compare_chunk(loop_stage *s, uint32_t number)
{
    const model_loop *loop = &s->model.loops[number];
    for (uint32_t i = 0; i < loop->chunk_count && loop->open && loop->shape != NULL; i++) {
        bool        left   = loop_model_left(&s->model, loop, loop->chunk[i]);
        kith_entity said   = left ? KITH_NULL : s->handles[loop->chunk[i]];
        kith_entity entity = loop_cursor_entity(&s->cursors[number], i);
        if (entity != said) {
            return loop_stage_differ(s, "at place %u of the chunk of c%u is entity %d, not %d", i,
                                     number, (int)loop_stage_number(s, entity),
                                     (int)loop_stage_number(s, said));
        }
    }
    return true;
}

bool loop_stage_validate(loop_stage *s)
{
    const char *reason = "";
    return kith_world_validate(s->world, &reason) || loop_stage_differ(s, "not valid: %s", reason);
}

// --- groups ----------------------------------------------------------------------------------

// The terms of the group for reading, which stamps nothing. `lead`: walk its rows; 0: whatever.
static loop_shape shape_of(const loop_stage *s, const model_group *group, kith_component lead)
{
    loop_shape shape = { .name = "a group" };
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        bool bare = c == LOOP_F || (c == LOOP_C && s->flavour->tag);
        if (((group->with | group->without) & LOOP_BIT(c)) != 0) {
            kith_role role = bare ? KITH_ROLE_WITH : KITH_ROLE_READ;
            role           = (group->without & LOOP_BIT(c)) != 0 ? KITH_ROLE_WITHOUT : role;
            shape.terms[shape.term_count++] = (kith_term){ c, role, 0 };
        }
    }
    if (lead != 0) {
        shape.terms[shape.term_count++] = (kith_term){ lead, KITH_ROLE_LEAD, 0 };
    }
    return shape;
}

static kith_group *find_group(const loop_stage *s, const model_group *group)
{
    kith_group *found = NULL;
    for (uint32_t i = 0; i < s->group_calls; i++) {
        found = s->model.made[i] == group->number ? s->groups[i] : found;
    }
    return found;
}

// A walk visits every member once, in the order `said` unless that is NULL.
static bool compare_members(loop_stage *s, const model_group *group, kith_cursor cursor,
                            const uint32_t *said, uint32_t count)
{
    uint32_t at                      = 0;
    bool     same                    = !cursor.failed;
    uint8_t  seen[LOOP_ENTITIES / 8] = { 0 };
    while (same && kith_cursor_next(&cursor)) {
        uint32_t number = loop_stage_number(s, cursor.entity);
        same = at < count && number != LOOP_NONE && (seen[number / 8] >> number % 8 & 1) == 0 &&
               loop_model_meets(&s->model, group, number) && (said == NULL || said[at] == number);
        if (same) {
            seen[number / 8] |= (uint8_t)(1u << number % 8);
            at++;
        }
    }
    kith_cursor_end(&cursor);
    return (same && at == count) ||
           loop_stage_differ(s, "a walk over a group, %s, goes wrong at its visit %u of %u",
                             said == NULL ? "in another order" : "in its order", at, count);
}

// Every walk and every question finds the same entities at every moment.
static bool compare_walks(loop_stage *s, const model_group *group, uint32_t count)
{
    uint32_t        said[LOOP_ENTITIES];
    void           *columns[LOOP_TERMS + 1];
    kith_component  any      = LOOP_A + (kith_component)((group->with & LOOP_BIT(LOOP_A)) == 0);
    loop_shape      shape    = shape_of(s, group, 0);
    loop_shape      led      = shape_of(s, group, any);
    kith_query_desc desc     = loop_shape_desc(&shape, s->world);
    kith_query_desc led_desc = loop_shape_desc(&led, s->world);
    uint32_t        visits   = loop_model_walk(&s->model, &shape, said);
    kith_entity     first    = visits == 0 ? KITH_NULL : s->handles[said[0]];
    if (visits != count || kith_view_first(s->world, &desc) != first ||
        kith_view_count(s->world, &desc) != count) {
        return loop_stage_differ(s, "a group's first entity, or their number");
    }
    return compare_members(s, group, kith_view_begin(s->world, &desc), said, count) &&
           compare_members(s, group, kith_view_begin(s->world, &led_desc), NULL, count) &&
           compare_members(s, group, kith_view_begin_read(s->world, &desc, columns),
                           s->model.link_count == 0 ? said : NULL, count);
}

static bool compare_group(loop_stage *s, const model_group *said)
{
    const kith_group *group = find_group(s, said);
    uint32_t          count = 0;
    for (uint32_t i = 0; i < s->entity_count; i++) {
        bool meets = loop_model_meets(&s->model, said, i);
        count += meets;
        if (kith_group_contains(group, s->handles[i]) != meets) {
            return loop_stage_differ(s, "e%u is %s of a group", i,
                                     meets ? "no member" : "a member");
        }
    }
    if (kith_group_count(group) != count) {
        return loop_stage_differ(s, "a group has %u members, not %u", kith_group_count(group),
                                 count);
    }
    return compare_walks(s, said, count);
}

static bool compare_groups(loop_stage *s)
{
    for (uint32_t i = 0; i < s->model.group_count; i++) {
        if (!compare_group(s, &s->model.groups[i])) {
            return false;
        }
    }
    // costs more than all the rest
    return s->model.group_count == 0 || s->looks++ % VALIDATE_EVERY != 0 || loop_stage_validate(s);
}

// --- everything ------------------------------------------------------------------------------

bool loop_stage_compare(loop_stage *s, loop_look look)
{
    if (look == LOOP_LOOK_AWAY) {
        return true;
    }
    if (!compare_counts(s)) {
        return false;
    }
    for (uint32_t i = 0; i < s->entity_count; i++) {
        if (!compare_entity(s, i)) {
            return false;
        }
    }
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        if (!compare_pool(s, c)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < s->cursor_count; i++) {
        if (s->cursors[i].chunked && !compare_chunk(s, i)) {
            return false;
        }
    }
    return loop_stage_compare_members(s) && compare_groups(s) &&
           (look != LOOP_LOOK_DEEP || loop_stage_validate(s));
}

// --- every shape -----------------------------------------------------------------------------

static bool compare_questions(loop_stage *s, const loop_shape *shape, const uint32_t *said,
                              uint32_t count)
{
    kith_query_desc desc  = loop_shape_desc(shape, s->world);
    kith_entity     first = count == 0 ? KITH_NULL : s->handles[said[0]];
    if (kith_view_first(s->world, &desc) != first) {
        return loop_stage_differ(s, "kith_view_first of %s", shape->name);
    }
    if (kith_view_count(s->world, &desc) != count) {
        return loop_stage_differ(s, "kith_view_count of %s", shape->name);
    }
    if (kith_view_size_hint(s->world, &desc) < count) {
        return loop_stage_differ(s, "kith_view_size_hint of %s", shape->name);
    }
    uint32_t contained = 0;
    for (uint32_t i = 0; i < s->entity_count; i++) {
        contained += kith_view_contains(s->world, &desc, s->handles[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!kith_view_contains(s->world, &desc, s->handles[said[i]])) {
            return loop_stage_differ(s, "kith_view_contains of %s", shape->name);
        }
    }
    return contained == count || loop_stage_differ(s, "kith_view_contains of %s", shape->name);
}

// The shape with columns for reading: a walk that writes changes what later ones find.
static loop_shape without_writing(const loop_shape *shape)
{
    loop_shape read = *shape;
    for (uint32_t i = 0; i < read.term_count; i++) {
        kith_role role     = read.terms[i].role;
        read.terms[i].role = role == KITH_ROLE_WRITE            ? KITH_ROLE_READ
                             : role == KITH_ROLE_OPTIONAL_WRITE ? KITH_ROLE_OPTIONAL
                                                                : role;
    }
    return read;
}

bool loop_stage_walk(loop_stage *s, const loop_shape *shape, bool ask)
{
    uint32_t        said[LOOP_ENTITIES];
    uint32_t        count = loop_model_walk(&s->model, shape, said);
    loop_shape      read  = without_writing(shape);
    kith_query_desc desc  = loop_shape_desc(&read, s->world);
    void           *columns[LOOP_TERMS];
    bool            reads = loop_shape_written(shape) == 0;
    kith_cursor     cursor =
        reads ? kith_view_begin_read(s->world, &desc, columns) : kith_view_begin(s->world, &desc);
    uint32_t at   = 0;
    bool     same = !cursor.failed;
    while (same && kith_cursor_next(&cursor)) {
        same = at < count && cursor.entity == s->handles[said[at]];
        at++;
    }
    kith_cursor_end(&cursor);
    if (!same || at != count) {
        return loop_stage_differ(s, "a walk of %s after settling goes wrong at its visit %u of %u",
                                 shape->name, at, count);
    }
    return !ask || compare_questions(s, shape, said, count);
}
