// SPDX-License-Identifier: MIT
// What the tests of listeners share beyond query_test.h: listeners that write down their notices
// and then act.
#ifndef LISTENER_TEST_H
#define LISTENER_TEST_H

#include "query_test.h"

/// A listener's context: writes `name` (or the notice), then does `act` as often as `times` says.
typedef struct actor {
    small_world *w;
    const char  *name; // NULL: writes the notice
    void (*act)(struct actor *self, const kith_notice *notice);
    uint32_t      times;
    uint32_t      called;
    kith_entity   other;
    kith_listener listener; // that the act is about
    kith_cursor  *cursor;
    bool          answer;
} actor;

static inline void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    actor *self = context;
    if (self->name == NULL) {
        write_down(world, notice, self->w);
    } else {
        text_add(&self->w->reported, "%s%s", self->w->reported.length == 0 ? "" : ", ", self->name);
    }
    if (self->called++ < self->times) {
        self->act(self, notice);
    }
}

static inline kith_listener connect_actor(actor *self, kith_event event, kith_component component,
                                          int32_t priority)
{
    const kith_listener_desc desc = { event, component, record_notice, self, priority, NULL };
    return kith_listener_connect(self->w->world, &desc);
}

static inline kith_listener connect_named(actor *self, small_world *w, const char *name,
                                          int32_t priority)
{
    *self = (actor){ .w = w, .name = name };
    return connect_actor(self, KITH_EVENT_ADD, A, priority);
}

/// An actor that writes the notice and then acts, once.
static inline actor acting(small_world *w, void (*act)(actor *self, const kith_notice *notice))
{
    return (actor){ .w = w, .act = act, .times = 1 };
}

// --- acts ------------------------------------------------------------------------------------

static inline void act_destroy(actor *self, const kith_notice *notice)
{
    self->answer = kith_entity_destroy(self->w->world, notice->entity);
}

static inline void act_remove(actor *self, const kith_notice *notice)
{
    self->answer = kith_component_remove(self->w->world, notice->entity, notice->component);
}

static inline void act_create(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->other  = kith_entity_create(self->w->world);
    self->answer = self->other != KITH_NULL;
}

static inline void act_remove_other_a(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->answer = kith_component_remove(self->w->world, self->other, A);
}

/// Removes the component of the notice and adds it again.
static inline void act_renew(actor *self, const kith_notice *notice)
{
    kith_world *world = self->w->world;
    if (notice->component == S) {
        kith_singleton_remove(world, S);
        self->answer = kith_singleton_add(world, S) != NULL;
    } else {
        kith_component_remove(world, notice->entity, notice->component);
        self->answer = kith_component_add(world, notice->entity, notice->component, NULL) != NULL;
    }
}

#endif
