/* A child stands to its parent as its traits say, and its end is waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/fork.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void do_nothing(void *context)
{
    (void)context;
}

static void sleep_on(void *context)
{
    (void)context;
    for (;;)
        clock_rest(10);
}

static void ends_are_told(void **state)
{
    (void)state;
    const struct fork_job nothing = {.work = do_nothing};
    const struct fork_job sleeper = {.work = sleep_on, .traits = FORK_SURVIVES};
    const int how = fork_wait(fork_child(&nothing));
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    const int killed = fork_end(fork_child(&sleeper));
    assert_true(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGKILL);
}

static void time_is_limited(void **state)
{
    (void)state;
    const struct fork_job job = {.work = sleep_on, .cpu_s = 1, .traits = FORK_FRESH};
    const pid_t child = fork_child(&job);
    kill(child, SIGXCPU); /* what the limit sends, at once */
    const int how = fork_wait(child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU);
}

struct files {
    int line, kept, other;
};

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void report_files(void *context)
{
    const struct files *files = context;
    const char said[] = {(char)is_open(files->kept), (char)is_open(files->other)};
    (void)send(files->line, said, sizeof said, MSG_NOSIGNAL);
}

static void alone_it_keeps_its_files(void **state)
{
    (void)state;
    struct error error;
    struct files files;
    int outside;
    char said[2] = {9, 9};
    assert_int_equal(fork_line(&files.line, &outside, "for a test", &error), STATUS_OK);
    assert_true(files.line > STDERR_FILENO);
    files.kept = fcntl(outside, F_DUPFD_CLOEXEC, 20);
    files.other = fcntl(outside, F_DUPFD_CLOEXEC, 30);
    const struct fork_job job = {.work = report_files,
                                 .context = &files,
                                 .traits = FORK_ALONE | FORK_QUIET,
                                 .files = {files.line, files.kept}};
    (void)fork_wait(fork_child(&job));
    assert_int_equal(recv(outside, said, sizeof said, 0), 2);
    assert_int_equal(said[0], 1);
    assert_int_equal(said[1], 0);
    close(files.line);
    close(files.kept);
    close(files.other);
    close(outside);
}

/* Between two generations: its child is bound to it, and holds the line until it is killed. */
static void leave_one(void *context)
{
    const struct fork_job bound = {.work = sleep_on, .traits = FORK_BOUND};
    (void)context;
    (void)fork_child(&bound);
    clock_rest(0.05);
}

static void bound_it_ends_with_its_parent(void **state)
{
    (void)state;
    struct error error;
    int inside, outside;
    char nothing;
    assert_int_equal(fork_line(&inside, &outside, "for a test", &error), STATUS_OK);
    const struct fork_job job = {.work = leave_one, .traits = FORK_ALONE, .files = {inside}};
    const pid_t child = fork_child(&job);
    close(inside);
    (void)fork_wait(child);
    assert_int_equal(recv(outside, &nothing, 1, 0), 0); /* the grandchild's copy is closed too */
    close(outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(time_is_limited),
        cmocka_unit_test(alone_it_keeps_its_files),
        cmocka_unit_test(bound_it_ends_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
