// SPDX-License-Identifier: MIT
// Groups: find or make, drop, copy and ask. membership.c moves entities in and out.
#include "group/group.h"

#include <stdio.h>

static const char call_group_of[] = "kith_group_of";

// --- terms -----------------------------------------------------------------------------------

static bool fail_group(kith_world *world, const char *name, kith_component component,
                       const char *subject)
{
    return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call_group_of, component, subject,
                                     name);
}

// The roles that a term of a group can have, a bit each.
#define GROUP_ROLES                                                                                \
    (1u << KITH_ROLE_OWN | 1u << KITH_ROLE_WRITE | 1u << KITH_ROLE_READ | 1u << KITH_ROLE_WITH |   \
     1u << KITH_ROLE_WITHOUT)

static bool check_roles(kith_world *world, const kith_query_desc *desc)
{
    for (uint32_t i = 0; i < desc->term_count; i++) {
        const kith_term    *term    = &desc->terms[i];
        const kith_storage *storage = kith_world_storage(world, term->component);
        if ((GROUP_ROLES >> term->role & 1) == 0) {
            return fail_group(world, desc->name, term->component,
                              "a group can only have the terms own, write, read, with and without");
        }
        if (term->role == KITH_ROLE_OWN && storage->desc.traits.policy == KITH_POLICY_STABLE) {
            return fail_group(world, desc->name, term->component,
                              "a group cannot own a component whose rows never move");
        }
    }
    return true;
}

uint32_t kith_plan_term_of(const kith_plan *plan, const kith_storage *storage)
{
    uint32_t i = 0;
    while (i < plan->count && plan->terms[i].storage != storage) {
        i++;
    }
    return i;
}

bool kith_group_owns(const kith_group *group, const kith_storage *storage)
{
    return kith_plan_term_of(&group->plan, storage) < group->owned;
}

// Whether `plan` requires what `other` requires and excludes what it excludes. Disabled rows count
// for none of these terms.
static bool has_all_terms(const kith_plan *plan, const kith_plan *other)
{
    bool same = true;
    for (uint32_t i = 0; i < other->none_end && same; i++) {
        uint32_t own = kith_plan_term_of(plan, other->terms[i].storage);
        same         = own < plan->none_end && !plan->terms[own].disabled_too &&
               !other->terms[i].disabled_too && (own < plan->flag_end) == (i < other->flag_end);
    }
    return same;
}

bool kith_group_within(const kith_group *group, const kith_group *other)
{
    bool within = has_all_terms(&group->plan, &other->plan);
    for (uint32_t i = 0; i < other->owned && within; i++) {
        within = kith_group_owns(group, other->plan.terms[i].storage);
    }
    return within;
}

// Whether both groups, which are not the same, can exist; reports an error when they cannot.
static bool check_conflict(kith_world *world, const kith_group *group, const kith_group *other)
{
    bool same = group->plan.count == other->plan.count && has_all_terms(&group->plan, &other->plan);
    if (!same && (kith_group_within(group, other) || kith_group_within(other, group))) {
        return true;
    }
    for (uint32_t i = 0; i < group->owned + other->owned; i++) { // first those that this one owns
        bool                own = i < group->owned;
        const kith_storage *storage =
            own ? group->plan.terms[i].storage : other->plan.terms[i - group->owned].storage;
        if (kith_group_owns(own ? other : group, storage) != same) {
            char names[64]; // the world keeps a copy; the message puts them between quotation marks
            snprintf(names, sizeof names, "%.22s\" and group \"%.22s",
                     kith_name_shown(group->desc.name), kith_name_shown(other->desc.name));
            return fail_group(world, names, storage->desc.id,
                              same ? "two groups with these terms own different components"
                                   : "two groups own it, and neither is inside the other");
        }
    }
    return true;
}

// --- find or make ----------------------------------------------------------------------------

// Moves the owned terms to the front of the plan.
static void order_plan(kith_group *group, const kith_query_desc *desc)
{
    kith_plan *plan = &group->plan;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        kith_plan_term term = plan->terms[i];
        if (desc->terms[term.number].role == KITH_ROLE_OWN) {
            memmove(&plan->terms[group->owned + 1], &plan->terms[group->owned],
                    (i - group->owned) * sizeof term);
            plan->terms[group->owned++] = term;
        }
    }
}

// Makes the bits that decide on membership when the first signature word has all components, and
// the mark of the last owned term.
static void make_mask(kith_group *group)
{
    kith_plan *plan = &group->plan;
    for (uint32_t i = 0; i < plan->flag_end; i++) {
        plan->terms[i].owned_last = i + 1 == group->owned;
        plan->in_first_word       = plan->in_first_word && plan->terms[i].storage->bit < 64;
        group->want |= UINT64_C(1) << (plan->terms[i].storage->bit & 63);
    }
    group->mask = plan->in_first_word ? group->want | plan->none : 0;
}

// Resolves the description into `group`, which lies on the stack. Returns false, with an error,
// when the description is wrong.
static bool resolve(kith_world *world, const kith_query_desc *desc, kith_group *group)
{
    kith_error error = { .call = call_group_of };
    *group           = (kith_group){ .object.world = world, .desc = *desc };
    if (kith_plan_make(&group->plan, world, desc, &error) != KITH_OK) {
        return kith_world_fail(world, &error);
    }
    if (!check_roles(world, desc)) {
        return false;
    }
    if (group->plan.pool_end == 0) {
        return fail_group(world, desc->name, 0, "a group needs at least one component with rows");
    }
    order_plan(group, desc);
    make_mask(group);
    return true;
}

// The storage's list for the term: groups that require the component, or that exclude it.
static kith_group_list *list_for(const kith_group *group, uint32_t term)
{
    kith_storage *storage = group->plan.terms[term].storage;
    return term < group->plan.flag_end ? &storage->groups_with : &storage->groups_without;
}

static bool reserve_list(kith_group_list *list, const kith_allocator *memory)
{
    return kith_alloc_grow(memory, &list->groups, &list->capacity, list->count + 1);
}

bool kith_group_reserve_list(kith_group *group)
{
    const kith_sparse_set *first  = &group->plan.terms[0].storage->pool.set;
    kith_sparse_set       *list   = &group->list.pool.set;
    bool                   enough = true;
    if (group->owned != 0) {
        return true;
    }
    for (uint32_t page = 0; page < first->head.sparse_pages_ && enough; page++) {
        enough =
            kith_sparse_set_page_absent(first, page) || kith_sparse_set_reserve_page(list, page);
    }
    return enough && kith_sparse_set_reserve_rows(list, first->head.rows_);
}

// Reserves all memory that the group needs until a pool grows.
static bool reserve_all(kith_world *world, kith_group *group)
{
    bool enough = reserve_list(&world->groups, &world->memory) &&
                  kith_entity_table_reserve_links(&world->entities, &world->memory);
    for (uint32_t i = 0; i < group->plan.count && enough; i++) {
        enough = reserve_list(list_for(group, i), &world->memory);
    }
    return enough && kith_group_reserve_list(group);
}

// Keeps outer groups before inner ones, which have more terms.
static void add_to_list(kith_group_list *list, kith_group *group)
{
    uint32_t at = list->count++;
    for (; at > 0 && list->groups[at - 1]->plan.count > group->plan.count; at--) {
        list->groups[at] = list->groups[at - 1];
    }
    list->groups[at] = group;
}

static void remove_from_list(kith_group_list *list, const kith_group *group)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        list->groups[kept] = list->groups[i];
        kept += list->groups[i] != group;
    }
    list->count = kept;
}

static void destroy_group(kith_object *object)
{
    kith_group           *group  = (kith_group *)object;
    const kith_allocator *memory = &object->world->memory;
    kith_pool_free(&group->list.pool);
    kith_free(memory, group, sizeof *group + kith_terms_bytes(&group->desc), KITH_CACHE_LINE);
}

static void shrink_group(kith_object *object)
{
    kith_pool_free_hashes(&((kith_group *)object)->list.pool);
}

static size_t bytes_of_group(const kith_object *object)
{
    const kith_group *group = (const kith_group *)object;
    kith_memory       list  = { 0 };
    kith_pool_memory(&group->list.pool, &list);
    return sizeof *group + kith_terms_bytes(&group->desc) + list.sparse + list.packed +
           list.values + list.other;
}

static const kith_object_ops group_ops = { .destroy = destroy_group,
                                           .bytes   = bytes_of_group,
                                           .shrink  = shrink_group };

// The group with the same terms that owns the same storages, dropped or not, or NULL.
static kith_group *find_group(const kith_world *world, const kith_group *like)
{
    for (kith_object *object = world->oldest; object != NULL; object = object->next_) {
        kith_group *group = (kith_group *)object;
        if (object->ops == &group_ops && group->plan.count == like->plan.count &&
            group->owned == like->owned && kith_group_within(group, like)) {
            return group;
        }
    }
    return NULL;
}

// The members of a group inside this one are at the front of the pools already: they are the first
// members of this one too.
static void take_inner(const kith_world *world, kith_group *group)
{
    for (uint32_t i = 0; i < world->groups.count && group->owned != 0; i++) {
        const kith_group *other = world->groups.groups[i];
        if (other != group && other->members > group->members && kith_group_within(other, group)) {
            group->members = other->members;
            group->count   = other->count;
        }
    }
}

// Adds the group to the lists of the world and its storages, and lets the entities join. A group
// that owns no pool must reserve rows whenever its first component is added: `reservers` of that
// storage counts such groups, as it counts reactive sets.
static void enlist(kith_world *world, kith_group *group)
{
    world->membership = &kith_group_membership;
    add_to_list(&world->groups, group);
    world->destroy_observers++;
    world->destroy_observed = kith_entity_destroy_observed;
    group->dropped          = false;
    group->plan.terms[0].storage->reservers += group->owned == 0;
    for (uint32_t i = 0; i < group->plan.count; i++) {
        add_to_list(list_for(group, i), group);
        kith_storage_update_inline_bit(group->plan.terms[i].storage);
    }
    take_inner(world, group);
    kith_group_fill(group);
}

// Drops a group that is in no list, so that a pointer to it stays valid, or frees it if the program
// has none.
static void drop_or_free(kith_group *group)
{
    group->dropped = true;
    if (group->has_pointer) {
        kith_pool_free(&group->list.pool);
    } else {
        kith_object_end(&group->object);
    }
}

static kith_group *alloc_group(kith_world *world, const kith_group *resolved)
{
    const kith_query_desc *desc = &resolved->desc;
    kith_group            *group =
        kith_alloc(&world->memory, sizeof *group + kith_terms_bytes(desc), KITH_CACHE_LINE);
    if (group != NULL) {
        *group      = *resolved;
        group->desc = kith_terms_copy(group + 1, desc);
        kith_object_link(world, &group->object, &group_ops);
    }
    return group;
}

// Makes the group, from a dropped one if there is one. Returns NULL, with an error, when memory
// runs out.
static kith_group *make_group(kith_world *world, kith_group *dropped, const kith_group *resolved)
{
    static const kith_pool_layout list_layout = { .alignment = 1, .shift = KITH_SHIFT_(0) };
    kith_group                   *group = dropped != NULL ? dropped : alloc_group(world, resolved);
    if (group != NULL) {
        kith_pool_init(&group->list.pool, &list_layout, &world->shared);
        group->list.pool.set.head.tick_ = world->tick;
        if (reserve_all(world, group)) {
            enlist(world, group);
            return group;
        }
        drop_or_free(group);
    }
    kith_world_refuse(world, KITH_ERROR_MEMORY, call_group_of, 0, KITH_NULL);
    return NULL;
}

kith_group *kith_group_take(kith_world *world, const kith_query_desc *desc)
{
    kith_group resolved;
    if (!kith_require_unlocked(world, call_group_of) || !resolve(world, desc, &resolved)) {
        return NULL;
    }
    kith_group *group = find_group(world, &resolved);
    if (group != NULL && !group->dropped) {
        return group;
    }
    bool able = kith_require_at_rest(world, call_group_of);
    for (uint32_t i = 0; i < world->groups.count && able; i++) {
        able = check_conflict(world, &resolved, world->groups.groups[i]);
    }
    return able ? make_group(world, group, &resolved) : NULL;
}

kith_group *kith_group_of(kith_world *world, const kith_query_desc *desc)
{
    kith_group *group = kith_group_take(world, desc);
    if (group != NULL) {
        group->by_program  = true;
        group->has_pointer = true;
    }
    return group;
}

bool kith_world_copy_groups(kith_world *world, const kith_world *from)
{
    for (uint32_t i = 0; i < from->groups.count; i++) {
        kith_group *copy = kith_group_take(world, &from->groups.groups[i]->desc);
        if (copy == NULL) {
            return false;
        }
        copy->by_program = from->groups.groups[i]->by_program;
    }
    return true;
}

bool kith_world_copy_members(kith_world *world, const kith_world *from)
{
    bool enough = true;
    for (uint32_t i = 0; i < from->groups.count && enough; i++) {
        const kith_group *group = from->groups.groups[i];
        kith_group       *copy  = world->groups.groups[i];
        copy->members           = group->members;
        copy->count             = group->count;
        enough                  = kith_pool_copy(&copy->list.pool, &group->list.pool, true);
    }
    return enough;
}

void kith_group_end(kith_group *group)
{
    remove_from_list(&group->object.world->groups, group);
    group->object.world->destroy_observers--;
    group->plan.terms[0].storage->reservers -= group->owned == 0;
    for (uint32_t i = 0; i < group->plan.count; i++) {
        remove_from_list(list_for(group, i), group);
        kith_storage_update_inline_bit(group->plan.terms[i].storage);
    }
    group->members    = 0;
    group->count      = 0;
    group->by_program = false;
    drop_or_free(group);
}

bool kith_group_drop(kith_group *group)
{
    if (group == NULL || !kith_require_at_rest(group->object.world, __func__)) {
        return group == NULL;
    }
    if (group->trackers != 0) {
        return kith_world_refuse_because(group->object.world, KITH_ERROR_BUSY, __func__, 0,
                                         "a tracked system uses it", group->desc.name);
    }
    if (!group->dropped) {
        kith_group_end(group);
    }
    return true;
}

// --- ask -------------------------------------------------------------------------------------

uint32_t kith_group_count(const kith_group *group)
{
    return group->count;
}

bool kith_group_contains(const kith_group *group, kith_entity entity)
{
    return !group->dropped && kith_entity_table_alive(&group->object.world->entities, entity) &&
           kith_group_matches(group, kith_entity_index(entity), NULL);
}

const kith_query_desc *kith_group_describe(const kith_group *group)
{
    return &group->desc;
}

// Of the groups that have every entity which a loop with this plan can visit, returns the one with
// the fewest members, fewer than the lead has rows. Flags, excluded components and disabled rows
// may change until the turn of an entity comes, so no group with them counts.
static kith_group *find_around(const kith_world *world, const kith_plan *plan)
{
    uint32_t    rows   = kith_plan_set(plan, kith_plan_lead(plan))->head.rows_;
    kith_group *around = NULL;
    for (uint32_t i = 0; i < world->groups.count; i++) {
        kith_group *group = world->groups.groups[i];
        bool        pools = group->owned != 0 && group->plan.count == group->plan.pool_end;
        if (group->unsettled) {
            return NULL;
        }
        if (pools && group->members < rows && has_all_terms(plan, &group->plan)) {
            rows   = group->members;
            around = group;
        }
    }
    return around;
}

kith_group *kith_group_find_plan(const kith_world *world, const kith_plan *plan)
{
    bool able = plan->lead == KITH_NO_TERM && !plan->wants_changes && plan->pool_end != 0;
    for (uint32_t i = 0; i < world->groups.count && able; i++) {
        kith_group *group = world->groups.groups[i];
        bool        full  = group->owned == 0 && plan->count == KITH_QUERY_TERMS_MAX;
        if (plan->any_end == group->plan.count && !full && has_all_terms(plan, &group->plan)) {
            return group; // if not full: the list needs a term
        }
    }
    return able && world->shared.disabled == 0 ? find_around(world, plan) : NULL;
}

// The storage whose first rows are the members: the owned one with the fewest rows, or the list.
static const kith_storage *lead_of_group(const kith_group *group)
{
    const kith_storage *lead = group->owned == 0 ? &group->list : group->plan.terms[0].storage;
    for (uint32_t i = 1; i < group->owned; i++) {
        const kith_storage *storage = group->plan.terms[i].storage;
        lead = kith_storage_rank(storage) < kith_storage_rank(lead) ? storage : lead;
    }
    return lead;
}

uint32_t kith_group_lead_term(const kith_group *group, const kith_plan *plan)
{
    return kith_plan_term_of(plan, lead_of_group(group));
}

static bool is_visited(const kith_group *group, uint32_t index)
{
    return kith_entity_index_alive(&group->object.world->entities, index) &&
           kith_group_matches(group, index, NULL);
}

uint32_t kith_group_first(const kith_group *group)
{
    const kith_entity_table *table = &group->object.world->entities;
    const kith_sparse_set   *set   = &lead_of_group(group)->pool.set;
    for (uint32_t row = 0; row < group->members; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        if ((index & KITH_HOLE) == 0 && is_visited(group, index)) {
            return index;
        }
    }
    for (uint32_t index = kith_entity_next_linked(table, KITH_NO_INDEX); index != KITH_NO_INDEX;
         index          = kith_entity_next_linked(table, index)) {
        if (is_visited(group, index)) {
            return index;
        }
    }
    return KITH_NO_INDEX;
}
