// SPDX-License-Identifier: MIT
// Waves of enemies, recorded once and played again and again: whole batches as commands. Look at
// the harbour: the same recording works there, with other handles. A star is a shield, a dash one
// that is switched off.
#include <kith/kith.h>

#include <stdio.h>

enum { WAVE = 5 };

typedef struct place {
    int x, y;
} place;

enum { PLACE = 1, ENEMY, SHIELD, LEADER, POISON };

KITH_COMPONENT(place, place, PLACE);
KITH_COMPONENT(leader, kith_entity, LEADER);
KITH_TAG(enemy, ENEMY);
KITH_TAG(shield, SHIELD);
KITH_COMPONENT(poison, int, POISON);
KITH_MODULE(field, place, leader, enemy, shield);
KITH_QUERY(enemies, read(place), with(enemy));
KITH_QUERY(shielded, with(enemy), with(shield));

typedef struct script {
    kith_commands *commands;
    kith_entity    wave[WAVE]; // placeholders: entities that do not exist yet
} script;

// A command of the program's own, at its place among the others. The payload was copied.
static void announce(kith_world *world, const kith_commands *commands, const void *payload)
{
    (void)commands;
    printf("%-7s %s, %u enemies\n", kith_world_name(world), (const char *)payload,
           enemy_count(world));
}

static bool record(script *s)
{
    static const char  coming[]     = "a wave comes";
    static const char  leaves[]     = "the last two leave";
    place              places[WAVE] = { { 0, 0 } };
    const kith_entity *last         = &s->wave[WAVE - 2];
    for (int i = 0; i < WAVE; i++) {
        places[i] = (place){ i * 3, 10 };
    }
    const kith_values sets[]   = { place_each(places), enemy_all(), shield_all() };
    bool              recorded = kith_entity_create_many_later(s->commands, s->wave, WAVE, sets, 3);

    // Later commands name the placeholders.
    const kith_values    moved[] = { place_all(&(place){ 1, 1 }) };
    const kith_component lost[]  = { SHIELD };
    recorded = recorded && kith_world_call_later(s->commands, announce, coming, sizeof coming) &&
               kith_entity_set_many_later(s->commands, kith_entities_of(s->wave, 2), moved, 1) &&
               kith_entity_remove_many_later(s->commands, kith_entities_of(last, 2), lost, 1) &&
               shield_disable_later(s->commands, s->wave[0]) &&
               kith_entity_destroy_many_later(s->commands, kith_entities_of(last, 2)) &&
               kith_world_call_later(s->commands, announce, leaves, sizeof leaves);
    return recorded && kith_entity_pending(s->wave[0]);
}

static bool play(script *s, kith_world *world)
{
    bool                 done   = kith_commands_apply(s->commands, world);
    kith_commands_report report = kith_commands_report_of(s->commands);
    kith_entity          first  = kith_commands_resolve(s->commands, s->wave[0]);
    for (int i = 1; i < WAVE; i++) { // dead ones among them: the last two have left
        kith_entity follower = kith_commands_resolve(s->commands, s->wave[i]);
        if (kith_entity_alive(world, follower)) {
            leader_set(world, follower, first);
        }
    }
    printf("%-7s %u commands applied, %u failed; enemies at", kith_world_name(world),
           report.applied, report.failed);
    KITH_EACH(enemies, e, world)
    {
        printf(" (%d, %d)%s", e.place->x, e.place->y,
               !shield_has(world, e.entity)      ? ""
               : shield_enabled(world, e.entity) ? "*"
                                                 : "-");
    }
    printf("\n");
    return done && report.failed == 0 && report.skipped == 0 && first != s->wave[0];
}

static kith_world *new_field(const char *name, uint32_t others)
{
    kith_world *world = kith_world_create(&(kith_world_desc){ .name = name });
    if (world == NULL || !field_register(world)) {
        kith_world_destroy(world);
        return NULL;
    }
    kith_entity_create_range(world, others); // so that the handles differ
    return world;
}

int main(void)
{
    kith_world *meadow  = new_field("meadow:", 3);
    kith_world *harbour = new_field("harbour:", 100);
    if (meadow == NULL || harbour == NULL) {
        return 1;
    }
    // Room for all commands of a wave: recording allocates nothing.
    const kith_commands_desc room = { .name = "wave", .bytes = 1024, .creates = WAVE };
    script                   s    = { .commands = kith_commands_create(meadow, &room) };

    bool right = s.commands != NULL && record(&s);
    right      = right && play(&s, meadow) && play(&s, harbour) && play(&s, meadow);
    right      = right && enemy_count(meadow) == 6 && enemy_count(harbour) == 3;

    // Components that came later are unknown to commands of before, until they are refreshed.
    right               = right && kith_commands_clear(s.commands) && poison_register(meadow);
    kith_entity victim  = enemies_first(meadow);
    bool        refused = !poison_set_later(s.commands, victim, 3);
    right               = right && refused && kith_commands_clear(s.commands) &&
            kith_commands_refresh(s.commands) && poison_set_later(s.commands, victim, 3) &&
            kith_entity_set_components_later(s.commands, kith_entities_of(&victim, 1), NULL, 0) &&
            kith_commands_apply(s.commands, meadow) && !poison_has(meadow, victim) &&
            !enemies_contains(meadow, victim) && kith_entity_alive(meadow, victim) &&
            shielded_count(meadow) == 4 && kith_commands_destroy(s.commands);
    printf("meadow: one of them loses all that it has, %u are left\n", enemy_count(meadow));
    kith_world_destroy(harbour);
    kith_world_destroy(meadow);
    return right ? 0 : 1;
}
