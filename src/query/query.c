// SPDX-License-Identifier: MIT
// Stored queries, and the text of explain.
#include "query/query.h"

#include "group/group.h"

#include <inttypes.h>

// --- stored queries --------------------------------------------------------------------------

static const char the_world[] = "the world"; // the owner of a query of kith_query_of

static void destroy_query(kith_object *object)
{
    kith_query           *query  = (kith_query *)object;
    const kith_allocator *memory = &object->world->memory;
    kith_query_cache_free(&query->cache, memory);
    kith_free(memory, query, sizeof *query + kith_terms_bytes(&query->desc), KITH_CACHE_LINE);
}

static void shrink_query(kith_object *object)
{
    kith_query_cache_free(&((kith_query *)object)->cache, &object->world->memory);
}

static size_t bytes_of_query(const kith_object *object)
{
    const kith_query *query = (const kith_query *)object;
    return sizeof *query + kith_terms_bytes(&query->desc) + kith_query_cache_bytes(&query->cache);
}

static const kith_object_ops query_ops = { .destroy = destroy_query,
                                           .bytes   = bytes_of_query,
                                           .shrink  = shrink_query };

// Frees the destroyed queries without open loops.
static void sweep_queries(kith_world *world)
{
    for (kith_query **place = &world->queries; *place != NULL;) {
        kith_query *query = *place;
        if (query->destroyed && query->stats.open == 0) {
            *place = query->next;
            kith_object_unlink(&query->object);
            destroy_query(&query->object);
        } else {
            place = &query->next;
        }
    }
}

static kith_query *make_query(kith_world *world, const kith_query_desc *desc, const char *owner,
                              const char *call)
{
    kith_plan  plan;
    kith_error error = { .call = call };
    if (!kith_require_unlocked(world, call)) {
        return NULL;
    }
    sweep_queries(world);
    if (kith_plan_make(&plan, world, desc, &error) != KITH_OK) {
        kith_world_fail(world, &error);
        return NULL;
    }
    kith_query *query =
        kith_alloc(&world->memory, sizeof *query + kith_terms_bytes(desc), KITH_CACHE_LINE);
    if (query == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
        return NULL;
    }
    *query            = (kith_query){ .next = world->queries, .plan = plan, .owner = owner };
    query->desc       = kith_terms_copy(query + 1, desc); // in the same allocation
    query->cache.ops  = &kith_query_cache_functions;
    query->cache.lead = KITH_NO_TERM;
    world->queries    = query;
    kith_query_forget_loop(query);
    kith_object_link(world, &query->object, &query_ops);
    return query;
}

kith_query *kith_query_create(kith_world *world, const kith_query_desc *desc)
{
    return make_query(world, desc, NULL, "kith_query_create");
}

kith_query *kith_query_provide(kith_world *world, const kith_query_desc *desc, const char *call)
{
    bool        sane  = desc->terms != NULL || desc->term_count == 0;
    kith_query *query = sane ? world->queries : NULL;
    while (query != NULL &&
           (query->owner != the_world || !kith_plan_same_terms(&query->desc, desc))) {
        query = query->next;
    }
    return query != NULL ? query : make_query(world, desc, the_world, call);
}

kith_query *kith_query_of(kith_world *world, const kith_query_desc *desc)
{
    return kith_query_provide(world, desc, "kith_query_of");
}

bool kith_query_destroy(kith_query *query)
{
    if (query == NULL || !kith_require_unlocked(query->object.world, __func__)) {
        return query == NULL;
    }
    if (query->owner != NULL) {
        return kith_world_refuse_because(query->object.world, KITH_ERROR_BUSY, __func__, 0,
                                         "its owner destroys it", query->owner);
    }
    query->destroyed = true;
    sweep_queries(query->object.world);
    return true;
}

KITH_NAMES(kith_role,
           "with\0read\0write\0optional\0optional_write\0any\0without\0disabled\0lead\0own\0"
           "changed\0added\0")

const kith_query_desc *kith_query_describe(const kith_query *query)
{
    return &query->desc;
}

void kith_query_since_set(kith_query *query, uint64_t tick)
{
    if (kith_require_unlocked(query->object.world, "kith_query_since_set")) {
        kith_query_start_since(query, tick);
        kith_query_forget_loop(query);
    }
}

kith_cursor kith_query_begin(kith_query *query)
{
    kith_step_ step =
        kith_step_of_(kith_step_begin_stored_(query, query == NULL ? NULL : &query->desc));
    return kith_step_cursor(&step, NULL);
}

// --- explain ---------------------------------------------------------------------------------

kith_query_report kith_query_report_of(const kith_query *query)
{
    return query->stats.report;
}

// What the next loop will walk.
static void explain_lead(kith_print *out, const kith_query *query, const kith_group *group)
{
    if (group != NULL) {
        kith_print_format(out, "walks the group \"%s\", %" PRIu32 " members",
                          kith_name_shown(group->desc.name), group->count);
        return;
    }
    uint32_t lead = kith_plan_lead(&query->plan);
    if (lead == KITH_NO_TERM) {
        kith_print_format(out, "walks all %" PRIu32 " entities: it includes no component with rows",
                          kith_entity_table_count(&query->object.world->entities));
        return;
    }
    const kith_storage *storage = query->plan.terms[lead].storage;
    kith_print_format(out, "walks \"%s\", %" PRIu32 " rows", storage->desc.name,
                      storage->pool.set.head.rows_);
    for (uint32_t i = 0; i < query->plan.pool_end; i++) {
        const kith_storage *other = query->plan.terms[i].storage;
        if (i != lead) {
            kith_print_format(out, "%s \"%s\" %" PRIu32,
                              i == 0 || (i == 1 && lead == 0) ? "; of" : ",", other->desc.name,
                              other->pool.set.head.rows_);
        }
    }
}

// The innermost group that owns the storage, or NULL.
static const kith_group *owner_of(const kith_storage *storage)
{
    const kith_group *owner = NULL;
    for (uint32_t i = 0; i < storage->groups_with.count; i++) {
        const kith_group *group = storage->groups_with.groups[i];
        owner                   = kith_group_owns(group, storage) ? group : owner;
    }
    return owner;
}

// Whether a new group can own the storage.
static bool can_be_owned(const kith_storage *storage)
{
    return storage->desc.kind == KITH_KIND_VALUE &&
           storage->desc.traits.policy == KITH_POLICY_SWAP && owner_of(storage) == NULL;
}

// Says which group cost the latest loop its runs: it orders the rows of the lead or of another
// pool, and not of both.
static void explain_owner(kith_print *out, const kith_query *query, const kith_storage *lead)
{
    const kith_group   *owner = owner_of(lead);
    const kith_storage *other = lead;
    for (uint32_t i = 0; i < query->plan.pool_end && owner_of(other) == owner; i++) {
        other = query->plan.terms[i].storage;
    }
    if (owner_of(other) == owner) {
        return;
    }
    const kith_storage *first  = owner != NULL ? lead : other;
    const kith_storage *second = owner != NULL ? other : lead;
    bool sorts = owner_of(second) == NULL && second->desc.traits.policy == KITH_POLICY_SWAP;
    kith_print_format(out,
                      ".\nthe group \"%s\" orders the rows of \"%s\", not of \"%s\": %" PRIu64
                      " gathered; %sdrop the group",
                      kith_name_shown(owner_of(first)->desc.name), first->desc.name,
                      second->desc.name, query->stats.report.gathered,
                      sorts ? "sort the second as the first, or " : "");
}

// The oldest path that has all pools of the query, or NULL.
static const kith_path *path_over(const kith_query *query)
{
    for (const kith_path *path = query->object.world->paths; path != NULL; path = path->next) {
        bool all = true;
        for (uint32_t i = 0; i < query->plan.pool_end; i++) {
            all = all && kith_path_has(path, query->plan.terms[i].storage);
        }
        if (all) {
            return path;
        }
    }
    return NULL;
}

// Whether a path can have the pools of the plan.
static bool can_be_arranged(const kith_plan *plan)
{
    bool can = plan->pool_end > 1 && plan->pool_end <= KITH_PATH_COMPONENTS_MAX;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        const kith_traits *traits = &plan->terms[i].storage->desc.traits;
        can = can && traits->policy == KITH_POLICY_SWAP && !traits->keep_order;
    }
    return can;
}

// Says what a path would save the latest loop: the lookups of each gathered entity in the pools
// that do not lead. Rejected rows still cost their lookup.
static void advise_path(kith_print *out, const kith_query *query)
{
    const kith_plan *plan    = &query->plan;
    uint64_t         lookups = query->stats.report.gathered * (plan->pool_end - 1);
    const kith_path *path    = path_over(query);
    if (lookups == 0 || !can_be_arranged(plan) || (path != NULL && kith_path_arranged(path))) {
        return;
    }
    if (path != NULL) {
        kith_print_format(
            out, ".\nthe path \"%s\", once arranged, would save %" PRIu64 " lookups a loop",
            kith_name_shown(path->desc.name), lookups);
        return;
    }
    kith_print_format(
        out, ".\na path of these components would save up to %" PRIu64 " lookups a loop", lookups);
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        const kith_storage *storage = plan->terms[i].storage;
        if (storage->path != NULL) {
            kith_print_format(out, "; the path \"%s\" has \"%s\" already",
                              kith_name_shown(storage->path->desc.name), storage->desc.name);
        }
    }
}

// Says what a group would save the latest loop: those lookups, and the rejected rows.
static void advise_group(kith_print *out, const kith_query *query)
{
    const kith_plan         *plan    = &query->plan;
    const kith_query_report *report  = &query->stats.report;
    uint64_t                 lookups = report->gathered * (plan->pool_end - 1) + report->rejected;
    uint32_t                 owned   = 0;
    if (lookups == 0 || plan->any_end != plan->none_end || plan->lead != KITH_NO_TERM ||
        plan->wants_changes) {
        return;
    }
    kith_print_format(out, ".\na group of these terms would save %" PRIu64 " lookups a loop",
                      lookups);
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        if (can_be_owned(plan->terms[i].storage)) {
            kith_print_format(out, "%s \"%s\"", owned++ == 0 ? "; it could own" : ",",
                              plan->terms[i].storage->desc.name);
        }
    }
}

size_t kith_query_explain(const kith_query *query, char *buffer, size_t size)
{
    const kith_query_report *report  = &query->stats.report;
    const kith_storage      *storage = kith_world_storage(query->object.world, report->lead);
    const kith_group        *group   = kith_plan_group(query->object.world, &query->plan);
    kith_print               out     = kith_print_start(buffer, size);
    kith_print_format(&out, "query \"%s\" ", kith_name_shown(query->desc.name));
    explain_lead(&out, query, group);
    if (query->stats.latest == 0) {
        kith_print_format(&out, ".\nno loop yet");
        return out.length;
    }
    kith_print_format(&out,
                      ".\nlatest loop: walked \"%s\", %" PRIu64 " rows examined, %" PRIu64
                      " rejected; handed out: %" PRIu64 " from %" PRIu64 " runs (%" PRIu64
                      " remembered), %" PRIu64 " gathered, %" PRIu64 " from a list",
                      storage == NULL ? "all entities" : storage->desc.name, report->examined,
                      report->rejected, report->in_runs, report->runs, report->remembered,
                      report->gathered, report->listed);
    if (query->plan.pool_end != 0 && !kith_plan_visits_all(&query->plan, group)) {
        if (report->gathered != 0 && storage != NULL) { // NULL: it walked the list of a group
            explain_owner(&out, query, storage);
        }
        advise_group(&out, query);
        advise_path(&out, query);
    }
    return out.length;
}
