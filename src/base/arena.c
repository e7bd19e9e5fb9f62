// SPDX-License-Identifier: MIT
// Allocating lines of an arena, freeing them, and checking that its lists are sound.
#include "base/arena.h"

#define LINE_BYTES     ((size_t)KITH_CACHE_LINE)
#define HEAD_LINES     ((sizeof(kith_arena) + LINE_BYTES - 1) / LINE_BYTES)
#define GROUP_BYTES    (64 * LINE_BYTES + sizeof(uint64_t)) // 64 lines and their word of edges
#define NO_LINE        UINT32_MAX
#define LINES_MAX      (UINT32_MAX - 64) // a length plus an alignment fits 32 bits
#define STRETCHES_SEEN 8u                // tries in the list where not every stretch is long enough

// The first line of a stretch begins with this. The last four bytes of the stretch are `count` too.
typedef struct free_stretch {
    uint32_t count;
    uint32_t next;     // in the list; NO_LINE: this is the last
    uint32_t previous; // NO_LINE: this is the first
} free_stretch;

// --- sizes -----------------------------------------------------------------------------------

// Returns the number of lines that hold `bytes`; NO_LINE when no arena has as many.
static uint32_t lines_for(size_t bytes)
{
    size_t lines = bytes / LINE_BYTES + (bytes % LINE_BYTES != 0 || bytes == 0);
    return lines <= LINES_MAX ? (uint32_t)lines : NO_LINE;
}

static size_t size_of_lines(uint32_t lines)
{
    return (HEAD_LINES + lines) * LINE_BYTES + ((size_t)lines + 63) / 64 * sizeof(uint64_t);
}

// Returns how many lines fit into a block beside the arena struct and the edges.
static uint32_t lines_within(size_t size)
{
    size_t rest  = size - HEAD_LINES * LINE_BYTES;
    size_t over  = rest % GROUP_BYTES;
    size_t lines = rest / GROUP_BYTES * 64;
    lines += over < sizeof(uint64_t) ? 0 : (over - sizeof(uint64_t)) / LINE_BYTES;
    return lines < LINES_MAX ? (uint32_t)lines : LINES_MAX;
}

size_t kith_size_add(size_t sum, size_t count, size_t size)
{
    size_t most = SIZE_MAX / 2;
    bool   fits = sum < most && (size == 0 || count <= (most - sum) / size);
    return fits ? sum + count * size : most;
}

size_t kith_arena_size_for(size_t bytes)
{
    uint32_t lines = bytes >= SIZE_MAX / 2 ? NO_LINE : lines_for(bytes);
    return lines == NO_LINE ? SIZE_MAX : size_of_lines(lines);
}

// Returns the list for stretches of `count` lines. Below 16 lines each length has its own list.
static uint32_t free_list_of(uint32_t count)
{
    uint32_t power = 0;
    while (count >> power >= 16) {
        power++;
    }
    return power * 8 + (count >> power);
}

// --- stretches -------------------------------------------------------------------------------

static free_stretch *free_at(const kith_arena *arena, uint32_t line)
{
    return (free_stretch *)(void *)(arena->base + line * LINE_BYTES);
}

// Returns where the stretch that ends before `line` stores its length.
static uint32_t *length_before(const kith_arena *arena, uint32_t line)
{
    return (uint32_t *)(void *)(arena->base + line * LINE_BYTES) - 1;
}

static bool is_edge(const kith_arena *arena, uint32_t line)
{
    return (arena->edges[line / 64] >> line % 64 & 1) != 0;
}

// Sets the bits of the first and the last line of a stretch, or clears them.
static void flip_edges(kith_arena *arena, uint32_t first, uint32_t last)
{
    arena->edges[first / 64] ^= UINT64_C(1) << first % 64;
    if (last != first) {
        arena->edges[last / 64] ^= UINT64_C(1) << last % 64;
    }
}

// Adds free lines to their list. Both neighbours are in use.
static void list_stretch(kith_arena *arena, uint32_t first, uint32_t count)
{
    uint32_t list                        = free_list_of(count);
    uint32_t next                        = arena->lists[list];
    *free_at(arena, first)               = (free_stretch){ count, next, NO_LINE };
    *length_before(arena, first + count) = count;
    if (next != NO_LINE) {
        free_at(arena, next)->previous = first;
    }
    arena->lists[list] = first;
    arena->filled[list / 64] |= UINT64_C(1) << list % 64;
    flip_edges(arena, first, first + count - 1);
}

static void unlist_stretch(kith_arena *arena, uint32_t first)
{
    free_stretch gone = *free_at(arena, first);
    uint32_t     list = free_list_of(gone.count);
    if (gone.next != NO_LINE) {
        free_at(arena, gone.next)->previous = gone.previous;
    }
    if (gone.previous != NO_LINE) {
        free_at(arena, gone.previous)->next = gone.next;
    } else {
        arena->lists[list] = gone.next;
    }
    if (arena->lists[list] == NO_LINE) {
        arena->filled[list / 64] &= ~(UINT64_C(1) << list % 64);
    }
    flip_edges(arena, first, first + gone.count - 1);
}

// Frees lines and joins them with the stretches beside them.
static void free_lines(kith_arena *arena, uint32_t first, uint32_t count)
{
    uint32_t end = first + count;
    if (first != 0 && is_edge(arena, first - 1)) {
        first -= *length_before(arena, first);
        unlist_stretch(arena, first);
    }
    if (end < arena->top && is_edge(arena, end)) {
        uint32_t more = free_at(arena, end)->count;
        unlist_stretch(arena, end);
        end += more;
    }
    if (end == arena->top) {
        arena->top = first;
    } else {
        list_stretch(arena, first, end - first);
    }
}

// --- allocating lines ------------------------------------------------------------------------

// Returns the first line at or above `line` that is aligned to `step` lines. The block itself has
// the largest alignment there is.
static uint64_t aligned_line(uint64_t line, uint32_t step)
{
    return ((line + HEAD_LINES + step - 1) & ~(uint64_t)(step - 1)) - HEAD_LINES;
}

// Returns one of the first stretches in the list for `count` that has room, or NO_LINE.
static uint32_t find_same_list(const kith_arena *arena, uint32_t count, uint32_t step)
{
    uint32_t first = arena->lists[free_list_of(count)];
    for (uint32_t seen = 0; first != NO_LINE; seen++) {
        const free_stretch *at = free_at(arena, first);
        if (aligned_line(first, step) + count <= (uint64_t)first + at->count) {
            break;
        }
        first = seen < STRETCHES_SEEN ? at->next : NO_LINE;
    }
    return first;
}

// Returns a stretch of the first list in which all have at least `count` lines, or NO_LINE.
static uint32_t find_longer(const kith_arena *arena, uint32_t count)
{
    uint32_t list = free_list_of(count) + 1;
    uint64_t mask = ~UINT64_C(0) << list % 64;
    for (uint32_t word = list / 64; word < sizeof arena->filled / sizeof arena->filled[0]; word++) {
        if ((arena->filled[word] & mask) != 0) {
            return arena->lists[64 * word + kith_lowest_bit(arena->filled[word] & mask)];
        }
        mask = ~UINT64_C(0);
    }
    return NO_LINE;
}

// Allocates lines of a stretch. The rest of the stretch stays free.
static uint32_t alloc_from(kith_arena *arena, uint32_t first, uint32_t count, uint32_t step)
{
    uint32_t start = (uint32_t)aligned_line(first, step);
    uint32_t end   = first + free_at(arena, first)->count;
    unlist_stretch(arena, first);
    if (start != first) {
        list_stretch(arena, first, start - first);
    }
    if (start + count != end) {
        list_stretch(arena, start + count, end - start - count);
    }
    return start;
}

static uint32_t alloc_top(kith_arena *arena, uint32_t count, uint32_t step)
{
    uint64_t start = aligned_line(arena->top, step);
    if (start + count > arena->lines) {
        return NO_LINE;
    }
    if (start != arena->top) {
        list_stretch(arena, arena->top, (uint32_t)start - arena->top);
    }
    arena->top  = (uint32_t)start + count;
    arena->peak = arena->top > arena->peak ? arena->top : arena->peak;
    return (uint32_t)start;
}

static uint32_t alloc_lines(kith_arena *arena, uint32_t count, uint32_t step)
{
    if (count > arena->lines) {
        return NO_LINE;
    }
    uint32_t first = find_same_list(arena, count, step);
    if (first == NO_LINE) {
        first = find_longer(arena, count + step - 1);
    }
    uint32_t start =
        first == NO_LINE ? alloc_top(arena, count, step) : alloc_from(arena, first, count, step);
    arena->used += start == NO_LINE ? 0 : count;
    return start;
}

// --- the arena as an allocator ----------------------------------------------------------------

static void *arena_allocate(void *context, size_t size, size_t alignment)
{
    kith_arena *arena = context;
    uint32_t    step  = alignment <= LINE_BYTES ? 1 : (uint32_t)(alignment / LINE_BYTES);
    uint32_t    start = alloc_lines(arena, lines_for(size), step);
    arena->asked      = start == NO_LINE ? size : 0;
    if (start == NO_LINE) {
        return arena->spills ? kith_alloc(&arena->source, size, alignment) : NULL;
    }
    return arena->base + start * LINE_BYTES;
}

static void arena_release(void *context, void *memory, size_t size, size_t alignment)
{
    kith_arena *arena = context;
    if (!kith_arena_contains(arena, memory)) {
        kith_free(&arena->source, memory, size, alignment);
        return;
    }
    arena->used -= lines_for(size);
    free_lines(arena, (uint32_t)((size_t)((uint8_t *)memory - arena->base) / LINE_BYTES),
               lines_for(size));
}

kith_allocator kith_arena_allocator(kith_arena *arena)
{
    return (kith_allocator){ arena_allocate, arena_release, arena };
}

bool kith_arena_contains(const kith_arena *arena, const void *memory)
{
    uintptr_t base = (uintptr_t)arena->base;
    return (uintptr_t)memory >= base &&
           (uintptr_t)memory - base < (size_t)arena->lines * LINE_BYTES;
}

kith_arena *kith_arena_create(const kith_allocator *source, size_t size, bool spills)
{
    kith_arena *arena = kith_alloc(source, size, KITH_ALIGNMENT_MAX);
    if (arena == NULL) {
        return NULL;
    }
    memset(arena, 0, sizeof *arena);
    memset(arena->lists, 0xff, sizeof arena->lists);
    arena->source = *source;
    arena->size   = size;
    arena->lines  = lines_within(size);
    arena->base   = (uint8_t *)arena + HEAD_LINES * LINE_BYTES;
    arena->edges  = (uint64_t *)(void *)(arena->base + (size_t)arena->lines * LINE_BYTES);
    arena->spills = spills;
    memset(arena->edges, 0, ((size_t)arena->lines + 63) / 64 * sizeof *arena->edges);
    return arena;
}

void kith_arena_destroy(kith_arena *arena)
{
    if (arena != NULL) {
        kith_allocator source = arena->source;
        kith_free(&source, arena, arena->size, KITH_ALIGNMENT_MAX);
    }
}

size_t kith_arena_peak(const kith_arena *arena)
{
    return size_of_lines(arena->peak);
}

// --- checking --------------------------------------------------------------------------------

static bool is_stretch(const kith_arena *arena, uint32_t first, uint32_t list)
{
    const free_stretch *found = free_at(arena, first);
    uint32_t            count = first < arena->top ? found->count : 0;
    return count != 0 && count < arena->top - first && free_list_of(count) == list &&
           is_edge(arena, first + count - 1) && *length_before(arena, first + count) == count &&
           is_edge(arena, first) && !is_edge(arena, first + count) &&
           (first == 0 || !is_edge(arena, first - 1));
}

const char *kith_arena_fault(const kith_arena *arena)
{
    uint64_t listed = 0;
    uint32_t edges  = 0;
    for (uint32_t list = 0; list < KITH_ARENA_LISTS; list++) {
        uint32_t previous = NO_LINE;
        for (uint32_t line = arena->lists[list]; line != NO_LINE;
             line          = free_at(arena, line)->next) {
            if (!is_stretch(arena, line, list) || free_at(arena, line)->previous != previous) {
                return "arena: a free stretch does not match its list";
            }
            previous = line;
            listed += free_at(arena, line)->count;
            edges += free_at(arena, line)->count == 1 ? 1 : 2;
        }
        if ((arena->filled[list / 64] >> list % 64 & 1) != (previous != NO_LINE)) {
            return "arena: `filled` and a list disagree";
        }
    }
    for (uint32_t word = 0; word < (arena->lines + 63) / 64; word++) {
        edges -= kith_bit_count(arena->edges[word]);
    }
    if (edges != 0) {
        return "arena: a free stretch is in no list";
    }
    bool whole = listed + arena->used == arena->top && arena->top <= arena->peak;
    return whole && arena->peak <= arena->lines ? NULL : "arena: used and free lines do not add up";
}
