// SPDX-License-Identifier: MIT
// Loads a snapshot into a world without the program that wrote it.
#ifndef KITH_CLI_SNAPSHOT_H
#define KITH_CLI_SNAPSHOT_H

#include "input.h"

#include "kith/diff.h"
#include "kith/json.h"
#include "kith/kith.h"
#include "kith/merge.h"
#include "kith/snapshot.h"

/// Loads the bytes into a new world. Returns EXIT_FINE; after an error message EXIT_DIFFERS for a
/// damaged snapshot, EXIT_TROUBLE when memory runs out or the limit is too low.
int snapshot_world(const input *in, kith_world **world);

/// Reads a file and loads it; of a recording the frame that was given, or else the newest.
int snapshot_open(const char *path, size_t memory, kith_world **world);

#endif
