// SPDX-License-Identifier: MIT
// A viewer of any save game: it knows no component, and shows all of them. Look at the unit behind
// each number, which comes from the file, and at the file that the viewer writes: it has all that
// the viewer did not know.
#include <kith/diff.h>
#include <kith/kith.h>
#include <kith/snapshot.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char path[] = "viewer_game.kith";

// --- the game that wrote the file ------------------------------------------------------------

typedef struct ship {
    float       speed;
    uint16_t    crew;
    kith_entity home;
    char        title[12];
} ship;

enum { SHIP = 1, DOCKED, SCORE, TRAIL };

KITH_FIELDS(ship, f32(speed, "kn"), u16(crew, "sailors"), entity(home), chars(title));
KITH_COMPONENT_AS(ship, ship, SHIP, fields(ship));
KITH_TAG(docked, DOCKED);
KITH_SINGLETON_AS(score, uint32_t, SCORE, plain(4));
KITH_COMPONENT_AS(trail, ship *, TRAIL, transient);
KITH_MODULE(game, ship, docked, score, trail);

static bool write_game(void)
{
    kith_world *world = kith_world_create(&(kith_world_desc){ .version_bits = 20 });
    bool        right = world != NULL && game_register(world);
    if (right) {
        kith_entity port = kith_entity_create(world);
        ship_set(world, port, (ship){ 0, 0, KITH_NULL, "lightship" });
        kith_entity brig = kith_entity_create(world);
        ship_set(world, brig, (ship){ 12.5f, 40, port, "brig" });
        docked_add(world, brig);
        score_set(world, 700);
        right = kith_world_save_file(world, NULL, path).code == KITH_OK;
    }
    kith_world_destroy(world);
    return right;
}

// --- the viewer ------------------------------------------------------------------------------

static void print_field(const kith_field *field, const char *at)
{
    uint16_t    u16    = 0;
    float       f32    = 0;
    kith_entity entity = 0;
    printf(" %s ", field->name);
    switch (field->type) { // the types that this file has
    case KITH_TYPE_U16:
        memcpy(&u16, at + field->offset, sizeof u16);
        printf("%u", u16);
        break;
    case KITH_TYPE_F32:
        memcpy(&f32, at + field->offset, sizeof f32);
        printf("%g", (double)f32);
        break;
    case KITH_TYPE_ENTITY:
        memcpy(&entity, at + field->offset, sizeof entity);
        printf("%uv%u", kith_entity_index(entity), kith_entity_version(entity));
        break;
    case KITH_TYPE_CHARS:
        printf("\"%.*s\"", (int)field->count, at + field->offset);
        break;
    default:
        printf("of type %s", kith_field_type_name(field->type));
    }
    printf("%s%s", field->unit != NULL ? " " : "", field->unit != NULL ? field->unit : "");
}

static void print_component(const kith_world *world, kith_component id)
{
    const kith_component_desc *desc  = kith_component_describe(world, id);
    const kith_saved          *saved = &desc->traits.saved;
    bool                       rows  = desc->kind == KITH_KIND_VALUE || desc->kind == KITH_KIND_TAG;
    printf("%s \"%s\", saved as %s, rows %s\n", kith_kind_name(desc->kind), desc->name,
           kith_form_name(saved->form), kith_policy_name(desc->traits.policy));
    for (uint32_t row = 0; rows && row < kith_component_stats(world, id).rows; row++) {
        const char *value = kith_component_value(world, id, row);
        printf("    entity %u:", kith_entity_index(kith_component_entity(world, id, row)));
        for (uint32_t i = 0; saved->fields != NULL && i < saved->fields->count; i++) {
            print_field(&saved->fields->list[i], value);
        }
        printf("\n");
    }
}

static bool read_file(kith_bytes *bytes)
{
    char  piece[512];
    FILE *file = fopen(path, "rb");
    for (size_t n = 1; file != NULL && n != 0;) {
        n = fread(piece, 1, sizeof piece, file);
        kith_bytes_write(piece, n, bytes);
    }
    return file != NULL && fclose(file) == 0;
}

// A world with the handles of the file, and with all components that the file describes.
static kith_world *open_any(const kith_bytes *bytes, kith_unknown unknown)
{
    kith_world_desc      desc = { .name = "viewer" };
    const kith_load_desc load = { .unknown = unknown, .bytes = 1 << 24 }; // files lie: a limit
    kith_snapshot_world_desc(&load, bytes->data, bytes->size, &desc);
    kith_world *world  = kith_world_create(&desc);
    kith_result loaded = kith_world_load(world, &load, bytes->data, bytes->size);
    printf("unknown components, %s: %s\n", kith_unknown_name(unknown),
           loaded.code == KITH_OK ? "loaded" : loaded.message);
    return world;
}

int main(void)
{
    kith_bytes  bytes   = { 0 };
    bool        right   = write_game() && read_file(&bytes);
    kith_world *refused = open_any(&bytes, KITH_UNKNOWN_REFUSE);
    kith_world *world   = open_any(&bytes, KITH_UNKNOWN_KEEP);
    for (kith_component c = 0; (c = kith_component_next(world, c)) != 0;) {
        print_component(world, c);
    }

    // Written again and read by the game: nothing is lost.
    kith_world *game = kith_world_create(&(kith_world_desc){ .version_bits = 20 });
    kith_diff   diff = { 0 };
    right            = kith_world_save_file(world, NULL, path).code == KITH_OK && right &&
            game_register(game) && kith_world_load_file(game, NULL, path).code == KITH_OK &&
            kith_world_diff(game, world, &diff);
    printf("%" PRIu64 " differences, the score is %u\n", diff.count, *score_get(game));
    right = right && diff.count == 0 && *score_get(game) == 700 && kith_entity_count(refused) == 0;
    kith_bytes_free(&bytes);
    kith_world_destroy(refused);
    kith_world_destroy(world);
    kith_world_destroy(game);
    return remove(path) == 0 && right ? 0 : 1;
}
