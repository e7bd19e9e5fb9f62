// SPDX-License-Identifier: MIT
// Reserves room in reactive sets before an entity gets a component that they watch.
#include "world/event.h"

KITH_INTERNAL uint64_t kith_reactive_watched(const kith_reactive *set)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < set->desc.condition_count; i++) {
        count += kith_storage_count(set->watches[i].storage);
    }
    return count;
}

static bool reserve_members(kith_reactive *set, uint64_t members)
{
    return kith_entity_set_reserve(&set->members, &set->object.world->memory, members,
                                   kith_reactive_living(set));
}

KITH_INTERNAL bool kith_reactive_reserve_more(kith_reactive *set, uint64_t more)
{
    uint64_t kept    = set->desc.keep_dead ? set->members.count : 0;
    uint64_t living  = kith_entity_table_count(&set->object.world->entities);
    uint64_t members = set->members.count - kept;
    if (KITH_LIKELY_(kith_entity_set_fits(&set->members, kept + living))) {
        return true;
    }
    members += kith_reactive_watched(set) + more;
    return reserve_members(set, kept + (members < living ? members : living));
}

KITH_INTERNAL bool kith_watches_reserve_more(const kith_storage *storage, uint64_t more)
{
    bool enough = true;
    for (kith_watch *watch = storage->watches; watch != NULL && enough; watch = watch->next) {
        enough = kith_reactive_reserve_more(watch->set, more);
    }
    return enough;
}

KITH_INTERNAL bool kith_watch_reserve(const kith_storage *storage, uint32_t entities)
{
    bool enough = true;
    for (kith_watch *watch = storage->watches; watch != NULL && enough; watch = watch->next) {
        uint64_t kept = watch->set->desc.keep_dead ? watch->set->members.count : 0;
        enough        = reserve_members(watch->set, kept + entities);
    }
    return enough;
}
