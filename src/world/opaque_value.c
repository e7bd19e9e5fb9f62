// SPDX-License-Identifier: MIT
#include "world/opaque_value.h"

typedef struct opaque_value {
    uint8_t *bytes;
    size_t   size;
} opaque_value;

// The context of hooks and functions is the allocator; descriptions hold it without const.
static bool opaque_take(opaque_value *value, const void *bytes, size_t size, const void *memory)
{
    uint8_t *copy = size == 0 ? NULL : kith_memory_take(memory, size, 1);
    if (size != 0 && copy == NULL) {
        return false;
    }
    if (copy != NULL) {
        memcpy(copy, bytes, size);
    }
    *value = (opaque_value){ copy, size };
    return true;
}

static bool opaque_copy(void *value, const void *source, void *memory)
{
    const opaque_value *from = source;
    return opaque_take(value, from->bytes, from->size, memory);
}

static void opaque_destruct(void *value, void *memory)
{
    const opaque_value *have = value;
    kith_memory_give(memory, have->bytes, have->size, 1);
}

static size_t opaque_write(const void *value, void *bytes, size_t room, void *memory)
{
    const opaque_value *have = value;
    (void)memory;
    if (have->size != 0 && have->size <= room) {
        memcpy(bytes, have->bytes, have->size);
    }
    return have->size;
}

static bool opaque_read(void *value, const void *bytes, size_t size, void *memory)
{
    opaque_value old = *(const opaque_value *)value;
    if (!opaque_take(value, bytes, size, memory)) {
        return false;
    }
    kith_memory_give(memory, old.bytes, old.size, 1);
    return true;
}

KITH_INTERNAL void kith_opaque_describe(kith_component_desc *desc, const kith_allocator *memory,
                                        kith_saver *saver)
{
    void *context                = (void *)(uintptr_t)memory;
    *saver                       = (kith_saver){ opaque_write, opaque_read, context };
    desc->size                   = sizeof(opaque_value);
    desc->alignment              = _Alignof(opaque_value);
    desc->traits.saved.functions = saver;
    desc->traits.hooks =
        (kith_hooks){ .copy = opaque_copy, .destruct = opaque_destruct, .context = context };
}

KITH_INTERNAL bool kith_is_opaque(const kith_component_desc *desc)
{
    return desc->traits.hooks.copy == opaque_copy;
}
