// SPDX-License-Identifier: MIT
// The counting allocator, the world helpers and the components that every test uses.
//
// posix_memalign, because aligned_alloc wants sizes rounded up and the sanitizers would then miss
// writes into the rounding.
#define _POSIX_C_SOURCE 200112L
#include "kith_test.h"

#if defined(_WIN32)
    #include <malloc.h>
#endif

#if defined(__has_feature)
    #if __has_feature(memory_sanitizer)
        #define FRESH_MEMORY_IS_TRACKED
    #endif
#endif

// Stands right before each block; `guard` is next to the block, so that a write in front of it
// shows.
typedef struct block_head {
    size_t   size;
    size_t   alignment;
    uint64_t guard;
} block_head;

#define BLOCK_GUARD     UINT64_C(0x6b697468626c6f63)
#define BLOCK_ALIGNMENT 16

static size_t real_alignment(size_t alignment)
{
    return alignment < BLOCK_ALIGNMENT ? BLOCK_ALIGNMENT : alignment;
}

static size_t head_space(size_t alignment)
{
    size_t real = real_alignment(alignment);
    return (sizeof(block_head) + real - 1) & ~(real - 1);
}

static block_head *head_of(void *block)
{
    return (block_head *)block - 1;
}

// Fresh memory is never zero by luck. The memory sanitizer must not see this write.
static void fill_fresh(void *block, size_t size)
{
#if defined(FRESH_MEMORY_IS_TRACKED)
    (void)block;
    (void)size;
#else
    memset(block, 0xa5, size);
#endif
}

static void *take_raw(size_t size, size_t alignment)
{
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    void *raw = NULL;
    return posix_memalign(&raw, alignment, size) == 0 ? raw : NULL;
#endif
}

static void free_raw(void *raw)
{
#if defined(_WIN32)
    _aligned_free(raw);
#else
    free(raw);
#endif
}

static void *block_create(size_t size, size_t alignment)
{
    size_t space = head_space(alignment);
    void  *raw   = take_raw(space + size, real_alignment(alignment));
    if (raw == NULL) {
        return NULL;
    }
    void *block     = (uint8_t *)raw + space;
    *head_of(block) = (block_head){ size, alignment, BLOCK_GUARD };
    fill_fresh(block, size);
    return block;
}

static bool fails_now(const test_memory *memory)
{
    return memory->fail_all || memory->allocations == memory->fail_at;
}

static void *allocate(void *context, size_t size, size_t alignment)
{
    test_memory *memory = context;
    assert_true(size > 0);
    assert_true(alignment > 0 && (alignment & (alignment - 1)) == 0);
    assert_true(alignment <= KITH_ALIGNMENT_MAX);
    memory->allocations++;
    void *block = fails_now(memory) ? NULL : block_create(size, alignment);
    if (block == NULL) {
        memory->failed++;
        return NULL;
    }
    memory->live_bytes += size;
    memory->most_bytes =
        memory->live_bytes > memory->most_bytes ? memory->live_bytes : memory->most_bytes;
    memory->live_blocks++;
    return block;
}

static void release(void *context, void *block, size_t size, size_t alignment)
{
    test_memory *memory = context;
    assert_non_null(block);
    block_head *head = head_of(block);
    assert_int_equal(head->guard, BLOCK_GUARD);
    assert_int_equal(head->size, size);
    assert_int_equal(head->alignment, alignment);
    head->guard = 0;
    memory->live_bytes -= size;
    memory->live_blocks--;
    free_raw((uint8_t *)block - head_space(alignment));
}

kith_allocator test_allocator(test_memory *memory)
{
    return (kith_allocator){ allocate, release, memory };
}

void test_fail_after(test_memory *memory, uint32_t n)
{
    memory->fail_at = n == 0 ? 0 : memory->allocations + n;
}

static void count_error(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    test_memory *memory = context;
    memory->errors += error->code != KITH_ERROR_NOTICE; // of builds with KITH_DEBUG: no error
}

kith_world *test_world_with(test_memory *memory, kith_world_desc desc)
{
    desc.allocator     = test_allocator(memory);
    desc.on_error      = count_error;
    desc.error_context = memory;
    return kith_world_create(&desc);
}

kith_world *test_world(test_memory *memory)
{
    return test_world_with(memory, (kith_world_desc){ 0 });
}

static void return_world(test_fixture *fixture, kith_world_desc desc)
{
    fixture->world = test_world_with(&fixture->memory, desc);
    assert_non_null(fixture->world);
    assert_true(game_register(fixture->world));
}

int test_setup(void **state)
{
    test_fixture *f = calloc(1, sizeof *f);
    return_world(f, (kith_world_desc){ 0 });
    *state = f;
    return 0;
}

int test_teardown(void **state)
{
    test_fixture *f = *state;
    test_world_end(f->world, &f->memory);
    free(f);
    return 0;
}

kith_world *test_remake(test_fixture *fixture, kith_world_desc desc)
{
    test_world_end(fixture->world, &fixture->memory);
    fixture->memory.fail_at  = 0;
    fixture->memory.fail_all = false;
    return_world(fixture, desc);
    return fixture->world;
}

kith_component test_register_tag(kith_world *world, const char *name, kith_component id)
{
    const kith_component_desc desc = { .name = name, .id = id, .kind = KITH_KIND_TAG };
    return kith_component_register(world, &desc);
}

const kith_free_order test_free_orders[TEST_FREE_ORDERS] = { KITH_FREE_LIFO, KITH_FREE_FIFO,
                                                             KITH_FREE_LOWEST };

void test_create_many(kith_world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_not_equal(kith_entity_create(world), KITH_NULL);
    }
}

void test_destroy_index(kith_world *world, uint32_t index)
{
    uint32_t version = kith_entity_version(kith_entity_slot(world, index));
    assert_true(kith_entity_destroy(world, kith_entity_make(index, version)));
}

void test_destroy_indices(kith_world *world, const uint32_t *indices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        test_destroy_index(world, indices[i]);
    }
}

kith_world *test_world_with_free_slots(test_fixture *fixture, kith_world_desc desc)
{
    kith_world *world = test_remake(fixture, desc);
    test_create_many(world, 5);
    test_destroy_indices(world, (const uint32_t[]){ 3, 0, 2 }, 3);
    return world;
}

test_picture test_take_picture(const kith_world *world)
{
    test_picture taken   = { .stats = kith_world_stats(world) };
    taken.stats.capacity = 0; // memory may stay after a call that failed
    for (uint32_t index = 0; index < 64; index++) {
        taken.slots[index] = kith_entity_slot(world, index);
    }
    return taken;
}

uint64_t test_seed(void)
{
    const char *given = getenv("KITH_SEED");
    uint64_t    seed  = given != NULL ? strtoull(given, NULL, 0) : 1;
    print_message("KITH_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

uint32_t test_thinned(uint32_t steps)
{
    const char *value = getenv("KITH_THIN");
    uint32_t    by    = value == NULL ? 1 : (uint32_t)strtoul(value, NULL, 10);
    uint32_t    left  = steps / (by == 0 ? 1 : by);
    return left < 50 ? 50 : left;
}

// splitmix64: any seed is a good one, also 0.
uint64_t test_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z          = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z          = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t test_random_below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)((test_random(seed) >> 32) * limit >> 32);
}
