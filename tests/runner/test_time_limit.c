/* Time limits count what a process ran or slept, not what it waited for a processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "runner/process/time_limit.h"
#include "tests/skip.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* They alone make the worker take longer than its limit, and leave room for a machine at work. */
enum { OTHERS = 7 };

static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A process on the first processor allowed that works for so many seconds of its own. */
static pid_t start_worker(double seconds)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    cpu_set_t all;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) == 0)
        for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
            if (CPU_ISSET(cpu, &all))
                CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    double begin = cpu_s();
    while (cpu_s() - begin < seconds)
        continue;
    _exit(0);
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_loaded_machine_ends_nothing(void **state)
{
    (void)state;
    const double limit = 0.4;
    pid_t others[OTHERS];
    int how = -1;
    for (int i = 0; i < OTHERS; i++)
        others[i] = start_worker(60);
    double begin = clock_now_s();
    pid_t pid = start_worker(limit / 4);
    struct time_limit time_limit = time_limit_begin(pid, limit);
    bool in_time = true;
    while (waitpid(pid, &how, WNOHANG) == 0 && in_time) {
        in_time = time_limit_left(&time_limit) > 0;
        usleep(1000);
    }
    double took = clock_now_s() - begin;
    for (int i = 0; i < OTHERS; i++)
        end(others[i]);
    if (access("/proc/self/schedstat", R_OK) != 0)
        skip_because("/proc/self/schedstat is missing: nothing tells who waits for a processor");
    assert_true(in_time);
    assert_true(took > limit); /* or it had the processor for itself */
}

static void who_sleeps_or_never_ends_is_ended(void **state)
{
    (void)state;
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        pid_t pid = sleeps ? fork() : start_worker(1e9);
        if (pid == 0) {
            pause();
            _exit(0);
        }
        double begin = clock_now_s();
        struct time_limit time_limit = time_limit_begin(pid, 0.1);
        while (time_limit_left(&time_limit) > 0)
            usleep(1000);
        double took = clock_now_s() - begin;
        end(pid);
        assert_true(took >= 0.1);
        assert_true(took <
                    60); /* twenty times the limit, and what a loaded machine takes beyond: not for ever */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_machine_ends_nothing),
        cmocka_unit_test(who_sleeps_or_never_ends_is_ended),
    };
    return cmocka_run_group_tests_name("runner/time_limit", tests, NULL, NULL);
}
