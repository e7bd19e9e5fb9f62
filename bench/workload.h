// SPDX-License-Identifier: MIT
// What the cases have in common: random numbers, components, worlds, and the limit's arrays.
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <kith/diff.h>
#include <kith/json.h>
#include <kith/kith.h>
#include <kith/merge.h>
#include <kith/snapshot.h>

// --- components ------------------------------------------------------------------------------

typedef struct vec3 {
    float x, y, z;
} vec3;

typedef struct hit_points {
    int32_t hp, max;
} hit_points;

typedef struct quaternion {
    float x, y, z, w;
} quaternion;

typedef struct block256 {
    float values[64];
} block256;

typedef struct filler {
    int32_t v;
} filler;

typedef struct matrix4 {
    float m[16]; // column by column
} matrix4;

typedef struct scalar {
    float v;
} scalar;

enum {
    POSITION = 1,
    VELOCITY,
    HEALTH,
    ROTATION,
    BIG,
    TAG_A,
    TAG_B,
    TAG_C,
    F0,
    F1,
    F2,
    F3,
    F4,
    F5, // from here on the fillers are only registered, not used
    F23 = F0 + 23,
    MATRIX,
    NUMBER,
    LETTER_A,
    LIFE   = KITH_COMPONENT_MAX - 1,
    FLAG_A = KITH_COMPONENT_MAX
};

KITH_COMPONENT(position, vec3, POSITION);
KITH_COMPONENT(velocity, vec3, VELOCITY);
KITH_COMPONENT(health, hit_points, HEALTH);
KITH_COMPONENT(rotation, quaternion, ROTATION);
KITH_COMPONENT(big, block256, BIG);
KITH_TAG(tag_a, TAG_A);
KITH_TAG(tag_b, TAG_B);
KITH_TAG(tag_c, TAG_C);
KITH_COMPONENT(f0, filler, F0);
KITH_COMPONENT(f1, filler, F1);
KITH_COMPONENT(f2, filler, F2);
KITH_COMPONENT(f3, filler, F3);
KITH_COMPONENT(f4, filler, F4);
KITH_COMPONENT(matrix, matrix4, MATRIX);
KITH_COMPONENT(number, scalar, NUMBER);
KITH_COMPONENT(life, kith_lifetime, LIFE);
KITH_FLAG(flag_a, FLAG_A);

KITH_QUERY(movers, write(position), read(velocity));

static inline vec3 make_position(uint32_t i)
{
    return (vec3){ (float)(i & 1023), 1, 2 };
}

static inline vec3 make_velocity(uint32_t i)
{
    return (vec3){ 1, (float)(i & 7), 3 };
}

// The time step, which the compiler must not know.
extern volatile float workload_dt;

/// Moves `count` entities: what a loop over movers does with an entity, or with a chunk of them.
static inline void move(vec3 *restrict pos, const vec3 *restrict vel, uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        pos[i].x += vel[i].x * dt;
        pos[i].y += vel[i].y * dt;
        pos[i].z += vel[i].z * dt;
    }
}

// --- random numbers --------------------------------------------------------------------------

#define RANDOM_SEED 42

/// The next number of a splitmix64 stream.
uint64_t random_next(uint64_t *state);

/// The numbers below `n` in random order, from a stream of its own; the caller frees them.
uint32_t *random_order(uint32_t n);

// --- the data of one side --------------------------------------------------------------------

// Plain arrays that share one row per entity, with a lookup from entity to row. The sparse set of
// a single component is the same with one of the value arrays.
typedef struct limit_table {
    uint32_t *ent;   // row -> entity
    uint32_t *where; // entity -> row
    uint32_t *gen;   // entity -> how often it was destroyed
    uint32_t *free;  // a stack of destroyed entities
    vec3     *pos;
    vec3     *vel;
    filler   *fill;
    uint64_t *bits; // one bit per entity
    uint32_t  count;
    uint32_t  free_count;
} limit_table;

#define LIMIT_NOWHERE UINT32_MAX

// Further values of the limit's rows, where a case asks for them.
typedef struct limit_more {
    hit_points        *health;
    quaternion        *rotation;
    matrix4           *matrix;
    scalar            *number;
    filler            *second;
    uint64_t          *pairs;
    struct bench_link *links; // of a tree
} limit_more;

typedef struct bench_data {
    uint32_t       n;
    uint64_t       ops;    // what the time is divided by; a setup may correct it
    double         result; // what the body itself computed
    size_t         bytes;  // what the body counted, of a case of bytes
    kith_world    *world;
    uint32_t       terms;       // of the query, where their number is what n counts
    kith_query    *query;       // the stored one, of the cases that have one
    kith_group    *group;       // the same
    kith_commands *commands;    // the same
    kith_query    *queries[11]; // where there are several
    kith_entity   *out;         // the handles, in the order in which a body goes through them
    vec3          *given[2];    // values for a batch, of the cases that have one
    kith_entities  range;
    uint32_t       few;     // the entities that a loop visits, where they are few
    uint32_t       frame;   // how many frames have run, of the case that has frames
    uint32_t       created; // how many entities it has created
    uint64_t      *ticks;   // at which particles expire
    vec3          *moved;   // what a body computes without changing its input, where it does that
    limit_table    limit;
    limit_more     more;
} bench_data;

// --- either side -----------------------------------------------------------------------------

/// Memory, or the end of the program.
void *bench_allocate(size_t count, size_t size);

/// Ends the program with a message when a preparation failed.
void bench_require(bool done, const char *what);

#define CURVE_ENTITIES 65536

/// For a case whose n is not the number of entities but a place on another axis: returns the place,
/// and makes n the number of entities that such a case has.
uint32_t bench_take_place(bench_data *data);

/// Puts the handles into random order.
void bench_shuffle(bench_data *data);

/// What a body computed, for the bodies that are their own checksum.
double bench_result_of(const bench_data *data);

// --- kith's side -----------------------------------------------------------------------------

/// A world without components, and room for the handles.
void world_open_bare(bench_data *data);

/// The base world: 32 components and 32 entities, each with another one of them.
void world_open(bench_data *data);

/// A world with `components` components, the first of them position and the last one `last`.
void world_open_among(bench_data *data, uint32_t components, const kith_component_desc *last);

/// The base world and n entities with a position / with a position and a velocity.
void world_open_positions(bench_data *data);
void world_open_movers(bench_data *data);

/// The same as the last, the velocities added in random order.
void world_open_strangers(bench_data *data);

void world_close(bench_data *data);

/// Registers `count` components like f0 with the ids from `first` on.
void world_register_fillers(kith_world *world, kith_component first, uint32_t count);

/// Creates n entities with a position.
void world_create_positions(bench_data *data);

/// Creates n entities with position and velocity. A timed body, and a part of others.
void world_create_movers(bench_data *data);

/// Destroys all n entities. A timed body, and a part of others.
void world_destroy_all(bench_data *data);

/// The sum of pos.x + vel.y over all n entities.
double world_sum_movers(const bench_data *data);

// --- the limit's side ------------------------------------------------------------------------

/// Room for n entities, or for `room` of them, in every array, untouched. A handle is an index
/// here: there are no versions.
void limit_open(bench_data *data);
void limit_open_room(bench_data *data, uint32_t room);

/// The same with n entities that have no row and no bit.
void limit_open_entities(bench_data *data);

/// The same with n entities that have position and velocity and were never destroyed.
void limit_open_movers(bench_data *data);

void limit_close(bench_data *data);

void limit_clear_bits(bench_data *data);

/// The same bodies and sums as on kith's side.
void   limit_create_movers(bench_data *data);
void   limit_destroy_all(bench_data *data);
void   limit_destroy_every(bench_data *data, uint32_t step);
double limit_sum_movers(const bench_data *data);

/// Appends a row for the entity.
static inline uint32_t limit_add_row(limit_table *table, kith_entity handle)
{
    uint32_t entity      = (uint32_t)handle;
    uint32_t row         = table->count++;
    table->ent[row]      = entity;
    table->where[entity] = row;
    return row;
}

/// Takes the entity's row away: the last row, now at `count`, has to move into the row returned.
static inline uint32_t limit_remove_row(limit_table *table, kith_entity handle)
{
    uint32_t entity      = (uint32_t)handle;
    uint32_t row         = table->where[entity];
    uint32_t moved       = table->ent[--table->count];
    table->ent[row]      = moved;
    table->where[moved]  = row;
    table->where[entity] = LIMIT_NOWHERE;
    return row;
}

#endif
