// SPDX-License-Identifier: MIT
// Links: a component whose value is another entity, its target, which knows all its holders.
// Optional; include it beside kith.h.
//
//     enum { CARRIED_BY = 8 };
//     KITH_LINK(carried_by, CARRIED_BY, KITH_TARGET_CLEAR);   // carried_by_set, ...
//
//     carried_by_set(world, sword, knight);                   // the sword holds the link
//     kith_entity by = carried_by_target(world, sword);       // its target: the knight
//
//     kith_holders walk = carried_by_begin(world, knight);    // all that name the knight
//     while (carried_by_next(&walk)) {
//         ... walk.entity ...
//     }
//
//     target: "carried_by.holders" --> first <--> next <--> ... <--> last, each with its target
//
// Threads     Any number of threads may call functions that take a `const kith_world *`, and step
//             through walks of their own, while no thread changes the world. All others belong to
//             the world's thread.
#ifndef KITH_LINK_H
#define KITH_LINK_H

#if defined(__GNUC__) && !defined(KITH_HEADER_WARNINGS)
    #pragma GCC system_header // see macro.h
#endif

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Links
//
// An entity that has the component is a holder, and the entity in its value is its target. A world
// may have many links, each with its own component. An entity may be a holder and a target.
//
// Setting     Set calls, batches, commands and clones set a link; adding one without a value
//             fails. Of the value only `target` counts. A new holder is the last one in the list of
//             its target. A holder that gets another target leaves its list, and is the last one
//             in the list of the new target. A holder that gets the same target keeps its place.
// Refused     A target that is null, dead or the entity itself: KITH_ERROR_ARGUMENT. A target that
//             is being destroyed: KITH_ERROR_DYING. A batch with one such target changes nothing.
//             A recorded set whose target is dead when it is applied fails as the call would.
// Reading     No call hands out a link to write: mut, patch and columns for writing fail with
//             KITH_ERROR_KIND. No component can require a link.
// Lists       Registering a link also registers the component of its targets, NAME.holders, with a
//             run-time id. A target gets it with its first holder, without an event, and keeps it,
//             with the count 0, when the last holder leaves. No call sets it. When a call removes
//             it from a target, all holders lose the link, as with KITH_TARGET_CLEAR.
//             A batch reserves a list for each value whose target has none, even if two values
//             name the same target. It fails if the limit of NAME.holders has no room for these.
// Ends        When a target is destroyed, the kith_target of the link decides about its holders.
//             Holders that are to be destroyed wait until it is gone. They still name it, but it
//             has no list. If a listener destroys another target meanwhile, the holders of that
//             target wait behind all others.
// Events      A link announces add, set and remove as every component does. In a listener of remove
//             the target can still be read, but the holder is in its list no more. Listeners with
//             `many` get a batch before: there the holders are still in the list.
// State       The order of the holders is state: it is saved, hashed, compared, cloned and merged.
//             A link needs no save form. A holder whose row is disabled stays in the list.
//             Clones of a target and its holders have the order of the originals. Clones of holders
//             alone become the last holders of the same target. A holder loses the link when its
//             target has no clone in another world, or is not chosen for a snapshot.
// Cost        O(1) unless the comment says otherwise. 36 bytes for each holder, 28 for each target,
//             of which 24 and 16 are the values. No call recurses. Only calls that register or set
//             a link allocate.
// ---------------------------------------------------------------------------------------------

/// What happens to the holders of a target that is destroyed.
typedef enum kith_target {
    KITH_TARGET_CLEAR   = 0, // they lose the link, before the target is gone
    KITH_TARGET_DESTROY = 1, // they are destroyed after the target: first its holders, in their
                             // order, then the holders of these, and so on. A holder that loses
                             // the link or gets another target before its turn stays. If
                             // KITH_TARGET_REFUSE keeps a holder, it only loses the link.
    KITH_TARGET_REFUSE = 2   // kith_entity_destroy returns false and records KITH_ERROR_HELD. A
                             // batch that has a target with holders is refused as a whole, even
                             // if it has the holders, too. A target that gets its first holder in
                             // a listener of the batch stays. kith_world_clear destroys all.
} kith_target;

/// Returns the word of the enumerator, such as "clear"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_target_name(kith_target target);

/// How to register a link without KITH_LINK.
typedef struct kith_link_desc {
    const char    *name; // of the component
    kith_component id;   // of the component; 0: the next run-time id
    kith_target    target;
} kith_link_desc;

/// The value of a link.
typedef struct kith_link {
    kith_entity target;
    uint32_t    previous; // 1 + index of the holder before it in the target's list; 0: none
    uint32_t    next;     // 1 + index of the holder after it; 0: none
    uint64_t    arrival;  // grows with each link that is set; 0: in no list
} kith_link;

/// The list of a target: the value of the component NAME.holders.
typedef struct kith_holder_list {
    uint32_t first; // 1 + index of the first holder; 0: none
    uint32_t last;
    uint32_t count;
    uint32_t unused; // 0
} kith_holder_list;

/// How links are saved and hashed.
KITH_FIELDS(kith_link, entity(target), u32(previous), u32(next), kith_skip(arrival));
/// How lists are saved and hashed.
KITH_FIELDS(kith_holder_list, u32(first), u32(last), u32(count), kith_skip(unused));

/// Registers a component as a link, with the component of its targets, and returns its id.
/// Registering it again with the same description is allowed. The component may be registered
/// already, as a kith_link without traits, and may have values if the lists agree with them.
///
/// Returns 0 and records an error as kith_component_register does. In addition it records:
/// - KITH_ERROR_ARGUMENT when lists do not agree, the name is longer than 200 bytes, another
///   component requires the component, it is a hierarchy or a list of links, or `target` is no
///   kith_target;
/// - KITH_ERROR_ARGUMENT when a listener of the component has the highest possible priority;
/// - KITH_ERROR_CONFLICT when the link is registered with another `target`.
///
/// O(components + listeners + rows).
KITH_API kith_component kith_link_register(kith_world *world, const kith_link_desc *desc);

// Makes those of the registered components links that KITH_LINK describes, for
// kith_component_register_many. If one fails, only the first `keep` components stay, as they were.
KITH_API bool kith_link_make_(kith_world *world, const kith_component_desc *descs, uint32_t count,
                              uint32_t keep);

/// Makes `entity` a holder of `target`: kith_component_set with that target, and faster. Returns
/// false with its errors, with those of a refused target (above), and with KITH_ERROR_KIND for a
/// component that is no link. Returns false also when a listener removes the link. O(1) amortized.
KITH_API bool kith_link_set(kith_world *world, kith_entity entity, kith_component link,
                            kith_entity target);

/// Removes the link: kith_component_remove, and faster. Returns whether the entity had it.
KITH_API bool kith_link_remove(kith_world *world, kith_entity entity, kith_component link);

// ---------------------------------------------------------------------------------------------
// Walking holders
// ---------------------------------------------------------------------------------------------

/// A walk over the holders of a target, made by kith_holders_begin. It is a plain value that needs
/// no end. It may be copied, and the world need not be held.
typedef struct kith_holders {
    kith_entity            entity; // the holder, when kith_holders_next returned true
    kith_entity            target;
    const kith_world      *world_;
    const kith_pool_head_ *pool_;    // of the link
    const uint64_t        *changes_; // how often lists of the link have changed
    uint64_t               seen_;    // `*changes_` when `ahead_` was the next holder
    uint64_t               arrival_; // of `entity`
    uint64_t               last_;    // the highest arrival at the begin
    uint32_t               ahead_;   // 1 + index of the next holder; 0: none
    kith_component         link;
} kith_holders;

/// Begins a walk. The list of an entity that is no target is empty. Reports KITH_ERROR_KIND for a
/// component that is no link.
KITH_API kith_holders kith_holders_begin(const kith_world *world, kith_component link,
                                         kith_entity target);

/// Goes to the next holder; returns false at the end. Visits exactly the holders that have named
/// the target ever since the begin and still do at their turn, in the order of the list, whatever
/// changes meanwhile. O(1); O(holders) when the last entity and the one after it both left the
/// list.
KITH_API bool kith_holders_next(kith_holders *walk);

/// Returns the number of holders of an entity. Errors as kith_holders_begin.
KITH_API uint32_t kith_holders_count(const kith_world *world, kith_component link,
                                     kith_entity target);

// While no list of the link changed, the next holder is known: its row has the one after it. Inline
// because the call costs as much as the step (bench H6).
KITH_INLINE_ bool kith_holders_step_(kith_holders *walk)
{
    uint32_t index = walk->ahead_ - 1;
    if (KITH_UNLIKELY_(walk->ahead_ == 0 || *walk->changes_ != walk->seen_)) {
        return kith_holders_next(walk);
    }
    uint64_t slot = walk->pool_->sparse_[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
    const kith_link *link = KITH_CAST_(
        const kith_link *, kith_value_(walk->pool_, walk->pool_->pages_, KITH_CAST_(uint32_t, slot),
                                       sizeof(kith_link), KITH_SHIFT_(sizeof(kith_link))));
    walk->entity   = slot >> 32 << 32 | index;
    walk->arrival_ = link->arrival;
    walk->ahead_   = link->next;
    return true;
}

#ifdef __cplusplus
}
#endif

// ---------------------------------------------------------------------------------------------
// Typed links
// ---------------------------------------------------------------------------------------------

// clang-format off

/// Defines a link, NAME, with a constant id and a kith_target. For queries, modules, rows, sorting
/// and listeners it has what KITH_COMPONENT defines. It has no function that hands out a value to
/// write, and in a query it can be read only. All take the world first, but for the last two lines:
///     NAME_set(e, target) NAME_target(e) NAME_get(e) NAME_has(e) NAME_remove(e)
///     NAME_begin(target) NAME_count(target)        a walk over the holders, their number
///     NAME_set_many(entities, count, links) NAME_fill_many(entities, count, target)
///     NAME_set_range(range, links) NAME_fill_range(range, target)
///     NAME_remove_many(entities, count) NAME_remove_range(range)
///     NAME_next(&walk)
///     NAME_set_later(commands, e, target) NAME_remove_later(commands, e)
/// NAME_target returns KITH_NULL for an entity without the link.
#define KITH_LINK(NAME, ID, TARGET) \
    KITH_DESC_(NAME, ID, KITH_KIND_VALUE, sizeof(kith_link), KITH_ALIGNOF_(kith_link), \
               KITH_SAVE_AS_(fields(kith_link)) \
               desc.traits.make_ = kith_link_make_; desc.traits.target_ = (TARGET);) \
    KITH_ROWS_(NAME, KITH_USED_ID_(NAME, ID)) \
    KITH_REMOVE_BATCHES_(NAME, KITH_USED_ID_(NAME, ID)) \
    KITH_READS_(NAME, kith_link, KITH_USED_ID_(NAME, ID), KITH_SHIFT_(sizeof(kith_link))) \
    KITH_LINKS_(NAME, KITH_USED_ID_(NAME, ID))

#define KITH_LINKS_(NAME, ID) \
    enum { NAME##_is_a_component_to_write_ = 0 }; \
    KITH_INLINE_ bool NAME##_set(kith_world *world, kith_entity entity, kith_entity target) \
    { return kith_link_set(world, entity, (ID), target); } \
    KITH_INLINE_ bool NAME##_remove(kith_world *world, kith_entity entity) \
    { return kith_link_remove(world, entity, (ID)); } \
    KITH_INLINE_ kith_entity NAME##_target(const kith_world *world, kith_entity entity) \
    { \
        const kith_link *link_ = NAME##_get(world, entity); \
        return link_ == NULL ? KITH_NULL : link_->target; \
    } \
    KITH_INLINE_ kith_holders NAME##_begin(const kith_world *world, kith_entity target) \
    { return kith_holders_begin(world, (ID), target); } \
    KITH_INLINE_ bool NAME##_next(kith_holders *walk) \
    { return kith_holders_step_(walk); } \
    KITH_INLINE_ uint32_t NAME##_count(const kith_world *world, kith_entity target) \
    { return kith_holders_count(world, (ID), target); } \
    KITH_INLINE_ bool NAME##_set_later(kith_commands *commands, kith_entity entity, \
                                       kith_entity target) \
    { \
        const kith_link link_ = { target, 0, 0, 0 }; \
        return kith_component_set_later(commands, entity, NAME##_is_a_component_, &link_); \
    } \
    KITH_INLINE_ bool NAME##_remove_later(kith_commands *commands, kith_entity entity) \
    { return kith_component_remove_later(commands, entity, NAME##_is_a_component_); } \
    KITH_INLINE_ kith_values NAME##_each(const kith_link *links) \
    { const kith_values set = { NAME##_is_a_component_, links, sizeof(kith_link) }; return set; } \
    KITH_INLINE_ kith_values NAME##_all(const kith_link *link) \
    { const kith_values set = { NAME##_is_a_component_, link, 0 }; return set; } \
    KITH_INLINE_ bool NAME##_set_many(kith_world *world, const kith_entity *entities, \
                                      uint32_t count, const kith_link *links) \
    { \
        const kith_values set = NAME##_each(links); \
        return kith_entity_set_many(world, kith_entities_of(entities, count), &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_fill_many(kith_world *world, const kith_entity *entities, \
                                       uint32_t count, kith_entity target) \
    { \
        const kith_link   link_ = { target, 0, 0, 0 }; \
        const kith_values set   = NAME##_all(&link_); \
        return kith_entity_set_many(world, kith_entities_of(entities, count), &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_set_range(kith_world *world, kith_entities range, \
                                       const kith_link *links) \
    { \
        const kith_values set = NAME##_each(links); \
        return kith_entity_set_many(world, range, &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_fill_range(kith_world *world, kith_entities range, \
                                        kith_entity target) \
    { \
        const kith_link   link_ = { target, 0, 0, 0 }; \
        const kith_values set   = NAME##_all(&link_); \
        return kith_entity_set_many(world, range, &set, 1); \
    } \
    struct NAME##_link_end_

// clang-format on

#endif
