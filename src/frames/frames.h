// SPDX-License-Identifier: MIT
// Inside a ring of frames.
//
//     ring     slots [ frame 7 | frame 8 | frame 9 | the frame that is being saved ]
//     frame    refs     a copy for each page of the entity table, then for each row page, with its
//                       stamp, each singleton, and each piece of a list
//              pools    of each component and list group: counts, and where its pages begin in refs
//              others   reactive sets, queues, queries, systems, objects: where their lists begin
//     copy     references, bytes: never changes, and goes with the last frame that refers to it
//
// The world *stands on* the frame that it was saved to or restored from last: `base`. A page that
// was not stamped since is what the base's copy is. So saving shares that copy, and restoring
// leaves the page alone if the frame has the same copy. Singletons have a stamp, too.
//
// A list is cut into pieces of 4 KB: disabled rows, journals, reactive sets, queued events, tracked
// entities, items of objects. The pieces have no stamps: they are compared byte by byte. Where a
// counter or a stamp of the whole list says that it did not change, nothing is compared. Events may
// have padding, so this holds for them alone: until a queue is emptied, events are only appended.
//
// Restoring has two steps. Preparing allocates everything, runs the copy hooks, and may fail;
// committing copies and links, and cannot fail.
#pragma once

#include "event/event.h"
#include "snapshot/chunk.h"
#include "system/system.h"
#include "world/membership.h"

#include "kith/frames.h"
#include "kith/snapshot.h"

// --- copies (copy.c) -------------------------------------------------------------------------

typedef struct kith_copy {
    uint32_t          references;
    uint32_t          size_class;
    uint32_t          built;  // rows with a value that `hooked` has to destruct, from 0 on
    const kith_pool  *hooked; // the pool whose hooks made the values; NULL: bytes
    struct kith_copy *next;   // in the list of free copies
    uint8_t          *data;
} kith_copy;

// Copies of one size. Free ones wait for the next save.
typedef struct kith_size_class {
    size_t     bytes;
    size_t     alignment;
    kith_copy *free;
} kith_size_class;

// --- frames ----------------------------------------------------------------------------------

typedef struct kith_page_ref {
    kith_copy *copy;
    uint64_t   stamp;
} kith_page_ref;

// The bytes of a list in a frame: ceil(bytes / KITH_PIECE) copies.
typedef struct kith_saved_list {
    uint32_t first; // of its pieces in refs
    size_t   bytes;
} kith_saved_list;

#define KITH_PIECE 4096u // bytes

// A pool in a frame.
typedef struct kith_saved_pool {
    uint32_t        rows;
    uint32_t        holes;
    uint32_t        newest_hole;
    uint32_t        limit;
    uint32_t        first; // of its pages in refs
    uint32_t        pages;
    uint32_t        disabled_rows;
    uint32_t        flags;    // entities that have the flag
    kith_saved_list disabled; // the bits; empty: no row is disabled
    kith_copy      *single;   // the value of a singleton, also in refs; NULL: none
    kith_saved_list journal;  // its ring
    kith_copy      *lookup;   // entity index -> row, for kith_frames_get; NULL: not made yet
    uint64_t        written;  // of the journal
    uint64_t        lost;
    kith_hooks      hooks;
    bool            saved; // the component was not transient
} kith_saved_pool;

typedef enum kith_other_kind {
    KITH_OTHER_GROUP,
    KITH_OTHER_SET,
    KITH_OTHER_QUEUE,
    KITH_OTHER_QUERY,
    KITH_OTHER_PATH, // without state
    KITH_OTHER_SYSTEM,
    KITH_OTHER_OBJECT
} kith_other_kind;

// A thing of the world other than entities and components, and its state in a frame or for one.
typedef struct kith_saved_other {
    kith_other_kind kind;
    uint64_t        made; // its number: no two things of a world have the same
    void           *thing;
    char            name[64]; // cut; the thing may be gone
    kith_object    *object;   // with the items of the frame, while that is restored; may be NULL
    kith_saved_list list;     // members with holes, events, tracked entities, items
    uint32_t        count;    // of these, without holes; members of a group
    uint32_t        total;    // entities that match a group; capacity of a set
    uint64_t        tick;     // `since` of a set and a query, the latest turn of a system
    uint64_t        newest;   // number of the newest member of a set; `since` of a system's query
    double          waited;   // of a system
    bool            requested;
    bool            enabled;
} kith_saved_other;

// The bits of flags in signatures.
typedef struct kith_flag_words {
    uint64_t mask[KITH_SIGNATURE_WORDS];
    uint32_t words; // of `mask` that are not 0
    uint64_t moves; // how often flags were set and cleared
} kith_flag_words;

// The state of the world at one save.
typedef struct kith_past {
    uint64_t          number; // 0: the slot is empty
    uint64_t          serial; // no two frames of a ring have the same
    uint64_t          tick;   // that the save ended
    uint64_t          history;
    uint64_t          registrations;
    uint64_t          merged;
    uint64_t          hash;
    kith_flag_words   flags;
    kith_entity_table entities;   // its counts; not its pages
    uint32_t          slot_count; // pages of the entity table, at the beginning of refs
    kith_page_ref    *refs;
    uint32_t          ref_count;
    uint32_t          ref_capacity;
    kith_saved_pool  *pools; // of the storages, then of the lists of groups
    uint32_t          storage_count;
    uint32_t          pool_count;
    uint32_t          pool_capacity;
    kith_saved_other *others;
    uint32_t          other_count;
    uint32_t          other_capacity;
} kith_past;

// A second world with the setup of the ring's world and the state of a frame (view.c).
typedef struct kith_view {
    kith_world *world;  // NULL: not made yet
    uint64_t    frame;  // that it has; 0: none
    uint64_t    serial; // of that frame
    uint64_t    setup;  // a sum of the setup that it was made with
    bool        saved;  // `bytes` is the exact snapshot of the frame
    kith_bytes  bytes;
} kith_view;

struct kith_frames {
    kith_object        object;
    kith_frames_desc   desc; // owns its name
    kith_allocator     memory;
    kith_arena        *arena; // of a fixed ring; NULL: the world's memory
    size_t             bytes; // allocated
    kith_size_class   *classes;
    uint32_t           class_count;
    uint32_t           class_capacity;
    kith_past         *slots;    // desc.capacity + 1
    kith_past          spare;    // what the next save fills
    kith_past         *base;     // the world stands on it; NULL: on none
    uint64_t           kept;     // frames from this number on stay in a call; 0: no call is running
    bool               checking; // kith_frames_check is running
    uint64_t           serial;   // of the newest frame
    kith_view          views[2];
    const kith_view   *shown;  // by kith_frames_world, most recently; may be NULL
    uint64_t           oldest; // numbers of the frames; 0: there is none
    uint64_t           newest;
    kith_copy        **staged; // values for a restore that is being prepared
    uint32_t           staged_count;
    uint32_t           staged_capacity;
    kith_saved_other  *listed; // scratch: what the world has now
    uint32_t           listed_capacity;
    kith_bytes         items;         // scratch: the state of an object
    uint64_t          *changed_slots; // scratch of a restore: a bit for each entity index
    uint32_t           changed_capacity;
    bool              *moved_pages; // scratch of a restore: rows of the page change places
    uint32_t           moved_capacity;
    bool               hook_failed;
    kith_frames_report report;
};

// The frame with this number, or NULL.
kith_past *kith_frames_find(const kith_frames *frames, uint64_t number);

// Drops the oldest frame that can go; returns false when there is none.
bool kith_frames_drop_oldest(kith_frames *frames);

// Allocates a copy with one reference; older frames go when there is no memory. Returns NULL when
// that is not enough.
kith_copy *kith_copy_alloc(kith_frames *frames, size_t bytes, size_t alignment);

// The same for any number of bytes; with these contents, `size` of them.
kith_copy *kith_copy_alloc_any(kith_frames *frames, size_t size);
kith_copy *kith_copy_of(kith_frames *frames, const void *bytes, size_t size);

// One more reference to the copy.
kith_copy *kith_copy_share(kith_copy *copy);

// Gives up a reference to the copy, which may be NULL.
void kith_copy_release(kith_frames *frames, kith_copy *copy);

// Destructs the values of the first `rows` rows of a page of the pool, or of a copy of one, except
// those of holes.
void kith_frames_destruct_rows(kith_frames *frames, const kith_pool *pool, uint8_t *page,
                               uint32_t rows);

// Frees all copies without references; returns whether there was one.
bool kith_copies_free(kith_frames *frames);

// Makes room for `needed` elements of `size` bytes in an array of the ring; `array` is the address
// of the pointer. Returns false when memory runs out.
bool kith_frames_reserve(kith_frames *frames, void *array, uint32_t *capacity, uint32_t needed,
                         size_t size);
void kith_frames_free_array(kith_frames *frames, void *array, uint32_t capacity, size_t size);

// A save.
typedef struct kith_saving {
    kith_frames     *frames;
    kith_past       *past; // that is filled
    const kith_past *base; // whose copies can be shared; NULL: none
} kith_saving;

// A restore.
typedef struct kith_restoring {
    kith_frames     *frames;
    kith_world      *world;
    const kith_past *to;
    const kith_past *base; // NULL: every page differs
    kith_flag_words  flags;
    bool             relinks;     // slots of entities change
    uint32_t         next_staged; // in frames->staged
} kith_restoring;

// Adds a copy, which is `shared` with the base or new, to refs. Returns false when it is NULL or
// memory runs out.
static inline bool kith_past_add(const kith_saving *s, kith_copy *copy, bool shared, uint64_t stamp)
{
    kith_past *past = s->past;
    if (copy == NULL || (past->ref_count == past->ref_capacity &&
                         !kith_frames_reserve(s->frames, &past->refs, &past->ref_capacity,
                                              past->ref_count + 1, sizeof *past->refs))) {
        kith_copy_release(s->frames, copy);
        return false;
    }
    past->refs[past->ref_count++] = (kith_page_ref){ copy, stamp };
    *(shared ? &s->frames->report.shared : &s->frames->report.copied) += 1;
    return true;
}

// Appends bytes to a list that has whole pieces. `was` is the list of the base, or empty; `known`
// says that the bytes are the same as far as it goes. Returns false when memory runs out.
bool kith_past_save_list(const kith_saving *s, const kith_saved_list *was, kith_saved_list *now,
                         const void *bytes, size_t size, bool known);

// Copies the pieces of a list that are not the same at `list`, where `size` bytes are valid.
// Returns whether there was one. Compares the bytes, or if `was` is not NULL the copies.
bool kith_restore_list(const kith_restoring *r, const kith_saved_list *then,
                       const kith_saved_list *was, void *list, size_t size);

// --- pages (frame_pages.c; flags and saving entities: frame_state.c) -------------------------

#define KITH_SLOTS_BYTES (KITH_PAGE_SLOTS * sizeof(uint64_t))

// How many of the first `count` slots or rows are in the page, which has 1 << `shift` of them.
static inline uint32_t kith_in_page(uint32_t count, uint32_t page, uint32_t shift)
{
    uint64_t first = (uint64_t)page << shift;
    return count <= first ? 0 : kith_min(count - (uint32_t)first, 1u << shift);
}

// Whether an entity that was alive then had the flag of this bit.
bool kith_past_has_flag(const kith_past *past, uint32_t index, uint32_t bit);

// The row that the entity at `index` had in the pool; KITH_NO_ROW: none.
uint32_t kith_past_row(kith_frames *frames, kith_past *past, kith_saved_pool *then,
                       const kith_sparse_set *set, uint32_t index);

// A pool that is saved in pages.
typedef struct kith_paged {
    kith_pool *pool;
    uint32_t   bit;      // of the signature; KITH_NO_BIT: none
    bool       bytes;    // values are copied as bytes; otherwise by their hook
    bool       unpadded; // each byte of a value is saved
} kith_paged;

// Records for each page of the entity table whether it changed since this was called last.
void kith_frames_notice(kith_world *world);

// Save the entities; the rows of a pool. Return false when memory runs out or a hook fails.
bool kith_past_save_entities(const kith_saving *s);
bool kith_past_save_rows(const kith_saving *s, const kith_paged *of, kith_saved_pool *now);

// Whether the first `rows` values of a page, or that of a singleton, are those of the copy, as the
// stamp says. With asserts they are compared, if they have no padding, and an error reports the
// first one that was written without a stamp.
bool kith_past_has_values(const kith_saving *s, const kith_paged *of, const uint8_t *page,
                          const kith_copy *copy, uint32_t rows);

// Copies the values of the first `rows` rows of a page, or of a singleton with hooks. Returns NULL
// when memory runs out or a hook fails.
kith_copy *kith_copy_rows(kith_frames *frames, const kith_paged *of, const uint8_t *from,
                          uint32_t rows);

// Allocate what restoring needs. Return false when memory runs out or a hook fails.
bool kith_restore_prepare_entities(kith_restoring *r);
bool kith_restore_prepare_rows(kith_restoring *r, const kith_paged *of,
                               const kith_saved_pool *then);

// Restore the entities, before all rows; the rows of a pool.
void kith_restore_entities(kith_restoring *r);
void kith_restore_rows(kith_restoring *r, const kith_paged *of, const kith_saved_pool *then);

// Keeps a copy for the commit, which takes them in the same order. Returns false when it is NULL or
// memory runs out.
bool kith_restore_stage(kith_restoring *r, kith_copy *copy);

// --- the other state (frame_state.c) ---------------------------------------------------------

// Saves components and others.
bool kith_past_save_state(const kith_saving *s);

// Whether the world has the components, limits and others of the frame; reports an error if not.
bool kith_restore_check_setup(kith_frames *frames, const kith_past *to, const char *call);

// Lists the others that the world has; NULL: only counts them.
uint32_t kith_frames_list_others(const kith_world *world, kith_saved_other *to);

// Prepares, restores and ends the restoring of components and others. Groups that name a transient
// component get other members, in the tick that follows the frame.
bool kith_restore_prepare_state(kith_restoring *r);
void kith_restore_state(kith_restoring *r);
void kith_restore_regroup(kith_world *world);
void kith_restore_end_state(kith_restoring *r);

// Restores the world of `r`: all or nothing, without a report (frames.c).
bool kith_restore_run(kith_restoring *r);

// Reports that the ring does not have the frame, or why saving or restoring failed half-way;
// returns false (frames.c).
bool kith_frames_refuse_number(const kith_frames *frames, uint64_t frame, const char *call);
bool kith_frames_refuse_halfway(kith_frames *frames, const char *call);

// --- views (view.c) --------------------------------------------------------------------------

// The view with the state of a frame, which is made if there is none. The frame `other`, and the
// world of `keep`, which may be NULL, stay as they are. Returns NULL and reports an error.
kith_view *kith_frames_view(kith_frames *frames, uint64_t frame, uint64_t other,
                            const kith_view *keep, const char *call);

// Frees what the view has.
void kith_view_end(kith_view *view);

// --- deltas (delta.c) ------------------------------------------------------------------------

// The world of a view saved exactly and without runs, once for each frame; NULL, with the fault in
// `result`.
const kith_bytes *kith_view_bytes(kith_view *view, kith_result *result);

// The latest error of the ring's world, as a result.
kith_result kith_frames_latest_error(const kith_frames *frames);
