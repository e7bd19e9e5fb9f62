// SPDX-License-Identifier: MIT
// Lets a test outlive a crash of what it tests, so that the sequence that led there can be shrunk.
#ifndef KITH_TESTS_CRASH_H
#define KITH_TESTS_CRASH_H

/// Runs the function. Returns 0, or the signal that ended it where the system can catch signals;
/// what the function held is then lost.
int crash_guard(void (*run)(void *context), void *context);

#endif
