// SPDX-License-Identifier: MIT
// Lets a sequence survive a crash, where the system has signals, so that it can be made shorter.
#if defined(__unix__) || defined(__APPLE__)
    #define _POSIX_C_SOURCE 200809L
#endif

#include "crash.h"

#include <signal.h>
#include <stddef.h>

#ifdef _POSIX_C_SOURCE

    #include <setjmp.h>

static sigjmp_buf landing;

static void land(int signal_number)
{
    siglongjmp(landing, signal_number);
}

enum { SIGNALS = 5 };
static const int signals[SIGNALS] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static void catch_signals(struct sigaction *before)
{
    struct sigaction action = { .sa_handler = land };
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], &action, &before[i]);
    }
}

static void restore_signals(const struct sigaction *before)
{
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], &before[i], NULL);
    }
}

int crash_guard(void (*run)(void *context), void *context)
{
    struct sigaction before[SIGNALS];
    catch_signals(before);
    int caught = sigsetjmp(landing, 1);
    if (caught == 0) {
        run(context);
    }
    restore_signals(before);
    return caught;
}

#else

int crash_guard(void (*run)(void *context), void *context)
{
    run(context);
    return 0;
}

#endif
