// SPDX-License-Identifier: MIT
// Queues: create, enqueue events, and deliver them to handlers. event.h shows their buffers.
#include "event/event.h"

// --- create ----------------------------------------------------------------------------------

// What is wrong with the description, or NULL.
static const char *queue_mistake(const kith_queue_desc *desc)
{
    const char *field;
    uint32_t    alignment = desc->alignment == 0 ? 1 : desc->alignment;
    bool        named     = desc->name != NULL && desc->name[0] != '\0';
    bool        aligned   = (alignment & (alignment - 1)) == 0 && alignment <= KITH_ALIGNMENT_MAX;
    return !named                        ? "a queue needs a name"
           : !aligned                    ? "alignment must be a power of two up to 4096"
           : desc->size % alignment != 0 ? "alignment must divide size"
                                         : kith_saved_fault(&desc->saved, desc->size, &field);
}

// Reports an error about a number of the queue; returns false.
KITH_NOINLINE static bool fail_number(const kith_queue *queue, kith_error_code code,
                                      const char *call, const char *subject, uint64_t have,
                                      uint64_t want)
{
    kith_error error = { .code    = code,
                         .call    = call,
                         .subject = subject,
                         .have    = have,
                         .want    = want,
                         .other   = queue->desc.name };
    return kith_world_fail(queue->object.world, &error);
}

// Returns false, with an error, when the queue was created with another number.
KITH_NOINLINE static bool agrees(const kith_queue *queue, const char *subject, uint64_t have,
                                 uint64_t want)
{
    return have == want ||
           fail_number(queue, KITH_ERROR_CONFLICT, "kith_queue_of", subject, have, want);
}

// Whether an existing queue fits the description; reports an error when it does not.
static bool is_as_described(const kith_queue *queue, const kith_queue_desc *desc)
{
    const kith_queue_desc *own  = &queue->desc;
    bool                   said = own->saved.form != KITH_FORM_NONE && desc->saved.form != 0;
    const kith_saved      *form = said ? &desc->saved : &own->saved;
    return agrees(queue, "size", own->size, desc->size) &&
           agrees(queue, "alignment", own->alignment, desc->alignment == 0 ? 1 : desc->alignment) &&
           agrees(queue, "limit", own->limit, desc->limit) &&
           agrees(queue, "schema", kith_saved_sum(&own->saved, own->size),
                  kith_saved_sum(form, own->size));
}

// A queue and its name are one allocation.
static size_t queue_bytes(const char *name)
{
    return sizeof(kith_queue) + strlen(name) + 1;
}

// Records how events are saved, when the queue does not know yet: a later create may say it.
// Returns false, with an error, when memory runs out.
static bool learn_saved_form(kith_queue *queue, const kith_saved *saved)
{
    kith_world *world = queue->object.world;
    kith_saved  own   = *saved;
    if (queue->layout.form != KITH_FORM_NONE || own.form == KITH_FORM_NONE) {
        return true;
    }
    if (!kith_layout_init(&queue->layout, &world->memory, &own, queue->desc.size)) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, "kith_queue_of", 0, KITH_NULL);
    }
    queue->desc.saved = own;
    return true;
}

static void destroy_queue(kith_object *object)
{
    kith_queue           *queue  = (kith_queue *)object;
    const kith_allocator *memory = &object->world->memory;
    kith_listeners_cut(&queue->handlers, 1, memory, true);
    kith_queue_free_buffer(queue, &queue->waiting);
    kith_queue_free_buffer(queue, &queue->delivering);
    kith_layout_free(&queue->layout, memory);
    kith_free(memory, queue, queue_bytes(queue->desc.name), KITH_CACHE_LINE);
}

static void shrink_queue(kith_object *object)
{
    kith_queue *queue = (kith_queue *)object;
    kith_queue_free_buffer(queue, &queue->delivering);
    if (queue->waiting.count == 0) {
        kith_queue_free_buffer(queue, &queue->waiting);
    }
}

static size_t bytes_of_queue(const kith_object *object)
{
    const kith_queue *queue  = (const kith_queue *)object;
    size_t            events = (size_t)queue->waiting.capacity + queue->delivering.capacity;
    return queue_bytes(queue->desc.name) + kith_listeners_bytes(&queue->handlers, 1) +
           queue->layout.bytes + events * queue->step;
}

static void *handlers_of_queue(kith_object *object)
{
    return &((kith_queue *)object)->handlers;
}

static const kith_object_ops queue_ops = { .destroy    = destroy_queue,
                                           .bytes      = bytes_of_queue,
                                           .shrink     = shrink_queue,
                                           .listeners_ = handlers_of_queue };

static kith_queue *make_queue(kith_world *world, const kith_queue_desc *desc)
{
    kith_queue **place = &world->queues;
    kith_queue *queue = kith_alloc_zeroed(&world->memory, queue_bytes(desc->name), KITH_CACHE_LINE);
    if (queue == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, "kith_queue_of", 0, KITH_NULL);
        return NULL;
    }
    queue->object.world   = world;
    queue->step           = desc->size + (desc->size == 0); // two events never share an address
    queue->desc.size      = desc->size;
    queue->desc.alignment = desc->alignment + (desc->alignment == 0);
    queue->desc.limit     = desc->limit;
    queue->desc.name      = strcpy((char *)(queue + 1), desc->name);
    if (!learn_saved_form(queue, &desc->saved)) {
        kith_free(&world->memory, queue, queue_bytes(queue->desc.name), KITH_CACHE_LINE);
        return NULL;
    }
    for (; *place != NULL; place = &(*place)->next_queue) {
    }
    *place = queue;
    kith_object_link(world, &queue->object, &queue_ops);
    return queue;
}

kith_queue *kith_queue_find(const kith_world *world, const char *name)
{
    kith_queue *queue = world->queues;
    while (queue != NULL && strcmp(queue->desc.name, name) != 0) {
        queue = queue->next_queue;
    }
    return queue;
}

kith_queue *kith_queue_of(kith_world *world, const kith_queue_desc *desc)
{
    if (!kith_require_unlocked(world, __func__)) {
        return NULL;
    }
    const char *mistake = queue_mistake(desc);
    if (mistake != NULL) {
        kith_world_mistake(world, __func__, mistake, desc->name);
        return NULL;
    }
    kith_queue *queue = kith_queue_find(world, desc->name);
    if (queue == NULL) {
        return make_queue(world, desc);
    }
    return is_as_described(queue, desc) && learn_saved_form(queue, &desc->saved) ? queue : NULL;
}

KITH_NOINLINE void kith_queue_free_buffer(const kith_queue *queue, kith_buffer *buffer)
{
    kith_free(&queue->object.world->memory, buffer->bytes, (size_t)buffer->capacity * queue->step,
              queue->desc.alignment);
    *buffer = (kith_buffer){ 0 };
}

const kith_queue_desc *kith_queue_describe(const kith_queue *queue)
{
    return &queue->desc;
}

// --- enqueue ---------------------------------------------------------------------------------

bool kith_queue_alloc_buffer(const kith_queue *queue, kith_buffer *buffer, uint32_t capacity)
{
    size_t   size = kith_size_add(0, capacity, queue->step);
    uint8_t *bytes =
        size == 0 ? NULL : kith_alloc(&queue->object.world->memory, size, queue->desc.alignment);
    *buffer = (kith_buffer){ bytes, 0, bytes == NULL ? 0 : capacity };
    return bytes != NULL || capacity == 0;
}

bool kith_queue_grow_buffer(kith_queue *queue, kith_buffer *buffer, const kith_buffer *from,
                            uint32_t capacity, const char *call)
{
    kith_buffer grown;
    if (capacity <= buffer->capacity) {
        return true;
    }
    if (!kith_queue_alloc_buffer(queue, &grown, capacity)) {
        return call != NULL &&
               kith_world_refuse(queue->object.world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    }
    grown.count = from->count;
    if (grown.count != 0) {
        memcpy(grown.bytes, from->bytes, (size_t)grown.count * queue->step);
    }
    kith_queue_free_buffer(queue, buffer);
    *buffer = grown;
    return true;
}

bool kith_world_copy_queues(kith_world *world, const kith_world *from)
{
    static const char call[] = "kith_world_clone";
    for (const kith_queue *queue = from->queues; queue != NULL; queue = queue->next_queue) {
        kith_queue *copy = make_queue(world, &queue->desc);
        if (copy == NULL ||
            !kith_queue_grow_buffer(copy, &copy->waiting, &queue->waiting, queue->waiting.capacity,
                                    call) ||
            !kith_queue_grow_buffer(copy, &copy->delivering, &copy->delivering,
                                    queue->delivering.capacity, call)) {
            return false;
        }
    }
    return true;
}

uint32_t kith_queue_count(const kith_queue *queue)
{
    return queue == NULL ? 0 : queue->waiting.count + (queue->delivering.count - queue->next);
}

// Makes room for one more event; returns false, with an error, when memory runs out.
KITH_NOINLINE static bool make_room(kith_queue *queue, const char *call)
{
    uint32_t most     = kith_queue_limit(queue);
    uint32_t capacity = queue->waiting.capacity;
    uint32_t twice    = capacity < 8 ? 16 : capacity > most / 2 ? most : capacity * 2;
    return kith_queue_grow_buffer(queue, &queue->waiting, &queue->waiting, kith_min(twice, most),
                                  call);
}

bool kith_queue_enqueue(kith_queue *queue, const void *event)
{
    if (queue == NULL || !kith_require_unlocked(queue->object.world, __func__) ||
        !kith_require_array(queue->object.world, event, queue->desc.size, __func__)) {
        return false;
    }
    if (KITH_UNLIKELY_(kith_queue_count(queue) >= kith_queue_limit(queue))) {
        return fail_number(queue, KITH_ERROR_LIMIT, __func__, "the queue", queue->desc.limit, 0);
    }
    kith_buffer *waiting = &queue->waiting;
    if (KITH_UNLIKELY_(waiting->count == waiting->capacity) && !make_room(queue, __func__)) {
        return false;
    }
    if (queue->desc.size != 0) {
        kith_copy_bytes(waiting->bytes + (size_t)waiting->count * queue->step, event,
                        queue->desc.size);
    }
    waiting->count++;
    return true;
}

// Whether the queue delivers nothing now; reports an error when it does: events must not move then.
static bool require_idle_queue(const kith_queue *queue, const char *call)
{
    return !queue->updating ||
           kith_world_refuse_because(queue->object.world, KITH_ERROR_BUSY, call, 0,
                                     "the queue is being updated", queue->desc.name);
}

bool kith_queue_reserve(kith_queue *queue, uint32_t events)
{
    if (queue == NULL || !kith_require_unlocked(queue->object.world, __func__)) {
        return false;
    }
    if (events > kith_queue_limit(queue)) {
        return fail_number(queue, KITH_ERROR_LIMIT, __func__, "the queue", queue->desc.limit,
                           events);
    }
    return require_idle_queue(queue, __func__) &&
           kith_queue_grow_buffer(queue, &queue->waiting, &queue->waiting, events, __func__) &&
           kith_queue_grow_buffer(queue, &queue->delivering, &queue->delivering, events, __func__);
}

void kith_queue_clear(kith_queue *queue)
{
    if (queue != NULL && kith_require_unlocked(queue->object.world, __func__)) {
        queue->waiting.count = 0;
        queue->next          = queue->delivering.count;
        queue->emptied       = queue->object.world->tick;
    }
}

// --- deliver ---------------------------------------------------------------------------------

typedef void (*typed_call)(kith_handler_fn call, kith_world *world, const void *event,
                           void *context);

kith_listener kith_queue_connect(kith_queue *queue, const kith_handler_desc *desc)
{
    if (queue == NULL || !kith_require_unlocked(queue->object.world, __func__)) {
        return 0;
    }
    if (desc->call == NULL) {
        return kith_world_mistake(queue->object.world, __func__, "there is no function to call",
                                  queue->desc.name);
    }
    kith_listener_desc node = { .call     = KITH_FUNCTION_(kith_listener_fn, desc->call),
                                .many     = KITH_FUNCTION_(kith_listener_many_fn, desc->typed_),
                                .context  = desc->context,
                                .priority = desc->priority };
    return kith_world_connect(queue->object.world, &queue->handlers, NULL, &node, __func__);
}

// Calls the handlers that are connected when it begins.
static void call_handlers(kith_queue *queue, const void *event)
{
    kith_world   *world = queue->object.world;
    kith_frame   *frame = &world->frames[world->nested - 1];
    kith_listener last  = world->listener;
    for (const kith_listener_node *node = queue->handlers.first; node != NULL; node = node->next) {
        if (node->call == NULL || node->number > last) {
            continue;
        }
        kith_handler_fn call = KITH_FUNCTION_(kith_handler_fn, node->call);
        frame->depth         = world->depth; // a handler can close only the loops that it opens
        if (node->many != NULL) {
            KITH_FUNCTION_(typed_call, node->many)(call, world, event, node->context);
        } else {
            call(world, event, node->context);
        }
    }
}

bool kith_queue_trigger(kith_queue *queue, const void *event)
{
    if (queue == NULL || !kith_require_unlocked(queue->object.world, __func__) ||
        !kith_require_array(queue->object.world, event, queue->desc.size, __func__)) {
        return false;
    }
    bool heard = queue->handlers.count != 0;
    if (!heard || !kith_require_nestable(queue->object.world, __func__, 0)) {
        return !heard;
    }
    kith_world_begin_event(queue->object.world, KITH_NULL, NULL);
    call_handlers(queue, event);
    kith_world_end_event(queue->object.world);
    return true;
}

// Delivers the exchanged events; returns how many. The world is announcing an event.
static uint32_t deliver(kith_queue *queue)
{
    uint32_t count = 0;
    for (; queue->next < queue->delivering.count; count++) {
        call_handlers(queue, queue->delivering.bytes + (size_t)queue->next++ * queue->step);
    }
    queue->delivering.count = 0;
    queue->next             = 0;
    queue->updating         = false;
    return count;
}

// Updates the queues from `first` to the one before `end`; returns how many events it delivered.
// Exchanges the buffers of all queues first: what handlers enqueue waits for the next update.
static uint32_t update_queues(kith_world *world, kith_queue *first, const kith_queue *end,
                              const char *call)
{
    uint64_t waiting = 0;
    uint32_t count   = 0;
    bool     idle    = kith_require_unlocked(world, call);
    for (const kith_queue *queue = first; queue != end && idle; queue = queue->next_queue) {
        idle = require_idle_queue(queue, call);
        waiting += queue->waiting.count;
    }
    if (!idle || waiting == 0 || !kith_require_nestable(world, call, 0)) {
        return 0;
    }
    kith_world_begin_event(world, KITH_NULL, NULL);
    for (kith_queue *queue = first; queue != end; queue = queue->next_queue) {
        kith_buffer exchanged = queue->waiting;
        queue->waiting        = queue->delivering;
        queue->delivering     = exchanged;
        queue->updating       = true;
        queue->emptied        = world->tick;
    }
    for (kith_queue *queue = first; queue != end; queue = queue->next_queue) {
        count += queue->updating ? deliver(queue) : 0; // a handler may have created a queue
    }
    kith_world_end_event(world);
    return count;
}

uint32_t kith_queue_update(kith_queue *queue)
{
    return queue == NULL ? 0
                         : update_queues(queue->object.world, queue, queue->next_queue, __func__);
}

uint32_t kith_queue_update_all(kith_world *world)
{
    return update_queues(world, world->queues, NULL, __func__);
}
