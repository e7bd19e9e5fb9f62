// SPDX-License-Identifier: MIT
// A process that is killed before or after any of its system calls. Linux only: KITH_CAN_KILL. The
// file that includes it defines _GNU_SOURCE.
#ifndef KITH_TESTS_KILLED_TEST_H
#define KITH_TESTS_KILLED_TEST_H

#include "kith_test.h"

#if defined(__linux__)
    #define KITH_CAN_KILL 1
    #include <signal.h>
    #include <sys/ptrace.h>
    #include <sys/wait.h>
    #include <unistd.h>

enum { WORK_FAILED = 2 };

// In a process of its own: lets itself be watched, and works.
static inline void work_watched(bool (*work)(void *context), void *context)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        _exit(3);
    }
    raise(SIGSTOP);
    _exit(work(context) ? 0 : WORK_FAILED);
}

// Runs `work` in a process of its own, which lives for so many stops before and after system calls.
// Answers whether it was killed; if not, `work` returned true.
static inline bool killed_while(bool (*work)(void *context), void *context, uint32_t moments)
{
    int   status = 0;
    pid_t child  = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work_watched(work, context);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
        skip(); // ptrace is not allowed here
    }
    for (uint32_t i = 0; i < moments && WIFSTOPPED(status); i++) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    if (WIFSTOPPED(status)) {
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        return true;
    }
    // valgrind ends a process that has not freed everything with a code of its own
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != WORK_FAILED);
    return false;
}
#endif

#endif
