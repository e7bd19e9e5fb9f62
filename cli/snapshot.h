// SPDX-License-Identifier: MIT
// A snapshot as a world, without the program that wrote it.
#ifndef KITH_CLI_SNAPSHOT_H
#define KITH_CLI_SNAPSHOT_H

#include "input.h"

#include "kith/diff.h"
#include "kith/json.h"
#include "kith/kith.h"
#include "kith/merge.h"
#include "kith/snapshot.h"

/// Makes a world of the bytes. EXIT_FINE; or, after a complaint, EXIT_DIFFERS for bytes that are no
/// whole snapshot, EXIT_TROUBLE without memory, or if they ask for too much.
int snapshot_world(const input *in, kith_world **world);

/// The same from a file.
int snapshot_open(const char *path, size_t memory, kith_world **world);

#endif
