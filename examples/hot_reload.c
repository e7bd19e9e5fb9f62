// SPDX-License-Identifier: MIT
// Hot reload: the program runs on while its plugin is exchanged, and the struct of the plugin's
// component has changed. Look at the rocket after the exchange: it goes on from where it was, and
// now it falls. The old world is saved to memory, and a new world loads it by the new field table.
#include "hot_reload/plugin.h"
#include <kith/kith.h>
#include <kith/snapshot.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// The build says where the two versions of the plugin are.
#ifndef PLUGIN_1
    #define PLUGIN_1 "./plugin_1.so"
    #define PLUGIN_2 "./plugin_2.so"
#endif

typedef struct game {
    void       *library;
    plugin      now; // what the library gave
    kith_world *world;
    kith_entity rocket;
} game;

// Opens the library, and makes a world with what it describes.
static bool open_plugin(game *g, const char *path)
{
    g->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (g->library == NULL) {
        printf("%s\n", dlerror());
        return false;
    }
    void          *address = dlsym(g->library, "plugin_open");
    plugin_open_fn open    = NULL;
    if (address == NULL) {
        return false;
    }
    memcpy(&open, &address, sizeof open); // C has no cast from an object to a function
    g->now   = open();
    g->world = kith_world_create(NULL);
    return g->world != NULL && kith_component_register(g->world, &g->now.component) != 0 &&
           kith_system_create(g->world, &g->now.system) != NULL;
}

// The world ends first: it has pointers to the functions of the library.
static bool close_plugin(game *g)
{
    bool closed = kith_world_destroy(g->world) && (g->library == NULL || dlclose(g->library) == 0);
    g->world    = NULL;
    g->library  = NULL;
    return closed;
}

// Handles stay what they are: the snapshot has them. What a program keeps in pointers is gone.
static bool reload(game *g, const char *path)
{
    kith_bytes  state = { 0 };
    kith_result saved = kith_world_save_memory(g->world, NULL, &state);
    bool        done  = saved.code == KITH_OK && close_plugin(g) && open_plugin(g, path);
    if (done) {
        kith_result loaded = kith_world_load(g->world, NULL, state.data, state.size);
        printf("reloaded: %u bytes for each rocket%s\n", g->now.component.size, loaded.message);
        done = loaded.code == KITH_OK;
    }
    kith_bytes_free(&state);
    return done;
}

static double height_of(const game *g)
{
    const void *value = kith_component_get(g->world, g->rocket, ROCKET);
    return value == NULL ? -1 : g->now.height(value);
}

static bool run(game *g, int turns)
{
    printf("height:");
    for (int i = 0; i < turns; i++) {
        if (!kith_schedule_run(g->world, 1)) {
            return false;
        }
        printf(" %.0f", height_of(g));
    }
    printf(" m in tick %u\n", (unsigned)kith_world_now(g->world));
    return true;
}

// The program knows no struct: it sets a field by its name.
static bool set_fuel(game *g, int32_t fuel)
{
    const kith_fields *table = g->now.component.traits.saved.fields;
    char              *value = kith_component_mut(g->world, g->rocket, ROCKET);
    for (uint32_t i = 0; value != NULL && i < table->count; i++) {
        if (strcmp(table->list[i].name, "fuel") == 0) {
            memcpy(value + table->list[i].offset, &fuel, sizeof fuel);
            return true;
        }
    }
    return false;
}

int main(void)
{
    game g     = { 0 };
    bool right = open_plugin(&g, PLUGIN_1);
    if (right) {
        g.rocket = kith_entity_create(g.world);
        kith_component_add(g.world, g.rocket, ROCKET, NULL);
        printf("opened:   %u bytes for each rocket\n", g.now.component.size);
        right = set_fuel(&g, 3) && run(&g, 5) && height_of(&g) == 120;
    }
    right = right && reload(&g, PLUGIN_2) && height_of(&g) == 120 && run(&g, 10);
    right = right && height_of(&g) < 120 && kith_entity_alive(g.world, g.rocket);
    return close_plugin(&g) && right ? 0 : 1;
}
