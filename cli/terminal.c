// SPDX-License-Identifier: MIT
// Colours and progress: asks the system whether a stream is a terminal.
#if !defined(_WIN32)
    #define _POSIX_C_SOURCE 200809L // isatty, fileno NOLINT(bugprone-reserved-identifier)
#endif

#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
    #include <fcntl.h>
    #include <io.h>
    #include <windows.h>
#else
    #include <unistd.h>
#endif

#define LARGE_BYTES UINT64_C(50000000)
enum { MEGABYTE = 1000000, LINE = 78 };

void terminal_binary(FILE *stream)
{
#if defined(_WIN32)
    _setmode(_fileno(stream), _O_BINARY);
#else
    (void)stream;
#endif
}

static bool is_terminal(FILE *to)
{
#if defined(_WIN32)
    return _isatty(_fileno(to)) != 0;
#else
    return isatty(fileno(to)) != 0;
#endif
}

// Whether the terminal understands escape sequences.
static bool understands_escapes(FILE *to)
{
#if defined(_WIN32)
    HANDLE handle = (HANDLE)_get_osfhandle(_fileno(to));
    DWORD  mode   = 0;
    return GetConsoleMode(handle, &mode) != 0 &&
           SetConsoleMode(handle, mode | 4 /* ENABLE_VIRTUAL_TERMINAL_PROCESSING */) != 0;
#else
    const char *kind = getenv("TERM");
    (void)to;
    return kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
#endif
}

bool terminal_colours(FILE *to)
{
    static int known[2]; // of standard output and error: 0: not asked yet, 1: no, 2: yes
    int       *answer = &known[to == stderr];
    if (*answer == 0) {
        const char *refused = getenv("NO_COLOR");
        bool        wanted  = refused == NULL || refused[0] == '\0';
        *answer             = wanted && is_terminal(to) && understands_escapes(to) ? 2 : 1;
    }
    return *answer == 2;
}

void terminal_colour(FILE *to, colour as)
{
    if (terminal_colours(to)) {
        fprintf(to, "\033[%dm", (int)as);
    }
}

// --- progress --------------------------------------------------------------------------------

static char     shown[LINE + 1]; // the line on the terminal; empty: none
static uint64_t shown_step;      // what it was printed for

// Names are printed without control characters, and cut off at the left.
static void print_line(const char *name, const char *what)
{
    size_t most   = LINE - strlen(what) - strlen("kith: : ");
    size_t length = strlen(name);
    name += length > most ? length - most : 0;
    size_t before = strlen(shown);
    int    width  = snprintf(shown, sizeof shown, "kith: %s: %s", name, what);
    for (char *at = shown; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 127) {
            *at = '?';
        }
    }
    fprintf(stderr, "\r%s", shown);
    for (size_t i = (size_t)width; i < before; i++) {
        putc(' ', stderr);
    }
    fflush(stderr);
}

void terminal_progress(const char *name, uint64_t done, uint64_t total)
{
    bool     known = total != 0;
    uint64_t step  = known ? done * 100 / total : 100 + done / MEGABYTE;
    char     what[48];
    if ((known ? total : done) <= LARGE_BYTES || (shown[0] != '\0' && step == shown_step) ||
        !is_terminal(stderr)) {
        return;
    }
    if (!known) {
        snprintf(what, sizeof what, "reading, %" PRIu64 " MB", done / MEGABYTE);
    } else if (done == total) {
        snprintf(what, sizeof what, "loading %" PRIu64 " MB", total / MEGABYTE);
    } else {
        snprintf(what, sizeof what, "reading, %" PRIu64 " %%", step);
    }
    shown_step = step;
    print_line(name, what);
}

void terminal_progress_end(void)
{
    if (shown[0] != '\0') {
        fprintf(stderr, "\r%*s\r", (int)strlen(shown), "");
        fflush(stderr);
        shown[0] = '\0';
    }
}
