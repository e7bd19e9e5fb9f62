// SPDX-License-Identifier: MIT
// Reporting errors: the default prints, kith_error_abort and kith_error_ignore, and own hooks.
//
// POSIX for fork and for looking at what is written to stderr.
#define _POSIX_C_SOURCE 200809L
#include "kith_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// No test registers a component with this id.
#define UNKNOWN 77

static void read_the_world(const kith_world *world, const kith_error *error, void *context)
{
    uint32_t *count = context;
    (void)error;
    *count = kith_entity_count(world);
    assert_world_valid(world);
}

static void the_hook_may_read_the_world(void **state)
{
    (void)state;
    uint32_t    seen   = 0;
    test_memory memory = { 0 };
    kith_world *world  = kith_world_create(&(kith_world_desc){
         .allocator     = test_allocator(&memory),
         .on_error      = read_the_world,
         .error_context = &seen,
    });
    game_register(world);
    test_create_many(world, 3);

    position_set(world, KITH_NULL, (vec2){ 0, 0 });

    assert_int_equal(seen, 3);
    test_world_end(world, &memory);
}

// Everything that is written to stderr between begin and end.
typedef struct capture {
    int   saved;
    FILE *file;
} capture;

static capture capture_begin(void)
{
    fflush(stderr);
    capture c = { .saved = dup(STDERR_FILENO), .file = tmpfile() };
    assert_non_null(c.file);
    assert_true(dup2(fileno(c.file), STDERR_FILENO) >= 0);
    return c;
}

static void capture_end(capture *c, char *text, size_t size)
{
    fflush(stderr);
    dup2(c->saved, STDERR_FILENO);
    close(c->saved);
    rewind(c->file);
    text[fread(text, 1, size - 1, c->file)] = '\0';
    fclose(c->file);
}

static uint32_t count_lines(const char *text)
{
    uint32_t lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static void the_default_hook_prints_a_line(void **state)
{
    (void)state;
    char        text[4096];
    kith_world *world = kith_world_create(NULL);
    capture     c     = capture_begin();

    kith_component_add(world, kith_entity_create(world), UNKNOWN, NULL);

    capture_end(&c, text, sizeof text);
    assert_string_equal(text, "kith: kith_component_add: component 77 is not registered in this "
                              "world; is it missing in KITH_MODULE?\n");
    kith_world_destroy(world);
}

static void the_default_hook_prints_16_lines_a_world(void **state)
{
    (void)state;
    char        text[8192];
    kith_world *first  = kith_world_create(NULL);
    kith_world *second = kith_world_create(NULL);
    capture     c      = capture_begin();

    for (uint32_t i = 0; i < 40; i++) {
        kith_component_add(first, KITH_NULL, UNKNOWN, NULL);
        kith_component_get(first, KITH_NULL, UNKNOWN);
    }
    kith_component_get(second, KITH_NULL, UNKNOWN);

    capture_end(&c, text, sizeof text);
    assert_int_equal(count_lines(text), 16 + 1);
    kith_world_destroy(first);
    kith_world_destroy(second);
}

static void *ask_wrongly(void *context)
{
    const kith_world *world = context;
    for (uint32_t i = 0; i < 40; i++) {
        kith_component_get(world, KITH_NULL, UNKNOWN);
    }
    return NULL;
}

static void the_default_hook_prints_16_lines_from_all_threads(void **state)
{
    (void)state;
    char        text[8192];
    pthread_t   threads[2];
    kith_world *world = kith_world_create(NULL);
    capture     c     = capture_begin();

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_wrongly, world), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }

    capture_end(&c, text, sizeof text);
    assert_int_equal(count_lines(text), 16);
    kith_world_destroy(world);
}

static void the_default_hook_prints_why_no_world_was_made(void **state)
{
    (void)state;
    char    text[4096];
    capture c = capture_begin();

    kith_world *world = kith_world_create(&(kith_world_desc){ .index_bits = 99 });

    capture_end(&c, text, sizeof text);
    assert_null(world);
    assert_string_equal(text, "kith: kith_world_create: index_bits must be 1 to 31, or 0 for 31\n");
}

static kith_world *world_with_hook(kith_error_fn hook)
{
    return kith_world_create(&(kith_world_desc){ .on_error = hook });
}

static void the_ignoring_hook_prints_nothing_and_the_record_stays(void **state)
{
    (void)state;
    char        text[4096];
    kith_world *world = world_with_hook(kith_error_ignore);
    capture     c     = capture_begin();

    kith_component_add(world, KITH_NULL, UNKNOWN, NULL);

    capture_end(&c, text, sizeof text);
    assert_string_equal(text, "");
    assert_error(world, KITH_ERROR_UNREGISTERED);
    kith_world_destroy(world);
}

// Runs the mistake in a process of its own, which is expected to end by abort.
static void abort_in_child(void)
{
    signal(SIGABRT, SIG_DFL);
    kith_world *world = world_with_hook(kith_error_abort);
    kith_component_add(world, KITH_NULL, UNKNOWN, NULL);
    _exit(0);
}

static void the_aborting_hook_prints_and_aborts(void **state)
{
    (void)state;
    char    text[4096];
    int     status = 0;
    capture c      = capture_begin();

    pid_t child = fork();
    if (child == 0) {
        abort_in_child();
    }
    assert_true(waitpid(child, &status, 0) == child);

    capture_end(&c, text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, "kith: kith_component_add: component 77 is not registered in this "
                                 "world; is it missing in KITH_MODULE?\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hook_may_read_the_world),
        cmocka_unit_test(the_default_hook_prints_a_line),
        cmocka_unit_test(the_default_hook_prints_16_lines_a_world),
        cmocka_unit_test(the_default_hook_prints_16_lines_from_all_threads),
        cmocka_unit_test(the_default_hook_prints_why_no_world_was_made),
        cmocka_unit_test(the_ignoring_hook_prints_nothing_and_the_record_stays),
        cmocka_unit_test(the_aborting_hook_prints_and_aborts),
    };
    return cmocka_run_group_tests_name("error_hook", tests, NULL, NULL);
}
