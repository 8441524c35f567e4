/* The lock shows whether the writer of unfinished work is still alive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/hold.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char ELSEWHERE[] = "00000000-0123456789abcdef";

static void tags_differ_and_are_known(void **state)
{
    (void)state;
    char one[HOLD_TAG_BYTES];
    char two[HOLD_TAG_BYTES];
    assert_true(hold_tag(one) && hold_tag(two));
    assert_string_not_equal(one, two);
    assert_memory_equal(one, two, 9); /* of one boot */
    assert_true(hold_is_tag(one, strlen(one)));
    assert_false(hold_is_tag(one, strlen(one) - 1));
    static const char *const others[] = {"4711",
                                         "",
                                         "00000000-0123456789abcdeg",
                                         "000000000123456789abcdef1",
                                         "0000000--0123456789abcdef",
                                         "0000000g-0123456789abcdef"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(hold_is_tag(others[i], strlen(others[i])));
}

/* A child that holds the file until it is killed. */
static pid_t start_holder(const char *path)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0 || !hold_take(fd) || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void a_killed_writer_is_dead_and_a_live_one_is_not(void **state)
{
    (void)state;
    char path[] = "/tmp/trauma-hold-XXXXXX";
    char tag[HOLD_TAG_BYTES];
    int own = mkstemp(path);
    assert_true(own >= 0 && hold_tag(tag));
    pid_t pid = start_holder(path);
    assert_false(hold_take(own));
    assert_false(hold_is_dead(own, tag));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(hold_is_dead(own, tag));
    int other = open(path, O_RDWR | O_CLOEXEC);
    assert_false(hold_is_dead(other, tag)); /* it is this process's now */
    close(other);
    close(own);
    unlink(path);
}

/* Its lock may be one that is not seen here. */
static void another_hosts_file_is_left_alone_for_a_day(void **state)
{
    (void)state;
    char path[] = "/tmp/trauma-hold-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_false(hold_is_dead(fd, ELSEWHERE));
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 90000}};
    assert_int_equal(futimens(fd, times), 0);
    assert_true(hold_is_dead(fd, ELSEWHERE));
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_differ_and_are_known),
        cmocka_unit_test(a_killed_writer_is_dead_and_a_live_one_is_not),
        cmocka_unit_test(another_hosts_file_is_left_alone_for_a_day),
    };
    return cmocka_run_group_tests_name("base/hold", tests, NULL, NULL);
}
