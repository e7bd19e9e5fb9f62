// SPDX-License-Identifier: MIT
// What hot_reload.c and its plugin agree on.
#ifndef PLUGIN_H
#define PLUGIN_H

#include <kith/kith.h>

enum { ROCKET = 1 };

typedef struct plugin {
    kith_component_desc component; // texts and tables in it are the plugin's own
    kith_system_desc    system;
    double (*height)(const void *rocket);
} plugin;

typedef plugin (*plugin_open_fn)(void);

#if defined(__GNUC__)
    #define EXPORT __attribute__((visibility("default")))
#else
    #define EXPORT
#endif

EXPORT plugin plugin_open(void);

#endif
