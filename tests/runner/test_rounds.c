/* A persistent program: rounds come from one process, each as requested; one that ends, lies or hangs is
 * detected. The program is this test itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "runner/launch/rounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Counts of passes to warm up that say what the program does in place of a round. */
enum { ENDS = 13, LIES = 14, HANGS = 15, NO_TIME = 16, TOO_LONG = 17 };

/* Its ticks are the warm-up's passes and those made in all rounds before; its start is its process. */
static int act_as_program(int asked)
{
    uint64_t words[2];
    uint64_t before = 1; /* between two looks at a clock there is always a tick */
    while (read(asked, words, sizeof words) == sizeof words) {
        if (words[0] == ENDS)
            return 3;
        if (words[0] == HANGS)
            sleep(300);
        uint64_t said = words[0] == LIES ? words[1] + 1 : words[1];
        uint64_t ticks = words[0] == NO_TIME ? 0 : words[0] == TOO_LONG ? INT64_MAX : words[0] + before;
        printf("{\"iterations\":%" PRIu64 ",\"ticks\":%" PRIu64 ",\"start\":%d}\n", said, ticks,
               (int)getpid());
        (void)fflush(stdout);
        before += words[1];
    }
    return 0;
}

static struct buffer self;

static enum status make(struct rounds *rounds, uint64_t warmup, uint64_t passes,
                        struct test_program_time *time, struct error *error)
{
    const struct round_call call = {
        .warmup = warmup, .passes = passes, .timeout_s = warmup == HANGS ? 0.2 : 60};
    return rounds_make(rounds, &call, time, error);
}

static void open_self(struct rounds *rounds)
{
    const struct test_program test_program = {
        .manifest = &manifest_none, .executable = self.data, .executable_size = self.size, .cpu = -1};
    struct error error;
    if (rounds_open(&test_program, &(struct test_program_call){.cpu = -1}, rounds, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void one_process_makes_all_rounds(void **state)
{
    (void)state;
    struct rounds rounds;
    struct test_program_time time;
    open_self(&rounds);
    assert_int_equal(make(&rounds, 2, 100, &time, NULL), STATUS_OK);
    assert_int_equal(time.ticks, 3);
    assert_int_equal(make(&rounds, 7, 50, &time, NULL), STATUS_OK);
    assert_int_equal(time.ticks, 108);
    assert_int_equal(make(&rounds, 0, 1, &time, NULL), STATUS_OK);
    assert_int_equal(time.ticks, 151);
    assert_int_equal(time.start, rounds.watch.pid);
    rounds_close(&rounds);
}

static void two_programs_take_turns(void **state)
{
    (void)state;
    struct rounds one;
    struct rounds other;
    struct test_program_time time;
    open_self(&one);
    open_self(&other);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(make(&one, 0, 10, &time, NULL), STATUS_OK);
        assert_int_equal(time.ticks, 10 * i + 1);
        assert_int_equal(make(&other, 0, 20, &time, NULL), STATUS_OK);
        assert_int_equal(time.ticks, 20 * i + 1);
    }
    rounds_close(&one);
    rounds_close(&other);
}

static void expect_end(uint64_t warmup, enum status status, const char *message)
{
    struct rounds rounds;
    struct test_program_time time;
    struct error error = {0};
    double begin = clock_now_s();
    open_self(&rounds);
    assert_int_equal(make(&rounds, warmup, 100, &time, &error), status);
    if (strstr(error.message, message) == NULL)
        fail_msg("'%s' instead of '%s'", error.message, message);
    rounds_close(&rounds);
    assert_true(clock_now_s() - begin < 100); /* what hangs is ended, not waited for */
}

/* Programs of earlier versions end without a word, and can still be run one round at a time. */
static void what_ends_is_told_from_what_fails(void **state)
{
    (void)state;
    expect_end(ENDS, STATUS_UNAVAILABLE, "ended without reporting");
    expect_end(LIES, STATUS_FAILED, "made 101 iterations; 100 were requested");
    expect_end(NO_TIME, STATUS_FAILED, "that 100 iterations took 0 ticks, which is impossible");
    expect_end(TOO_LONG, STATUS_FAILED, "took 9223372036854775807 ticks, but it ran for ");
    expect_end(HANGS, STATUS_FAILED, "still running after 0.2 s");
}

static void what_was_not_started_can_be_closed(void **state)
{
    (void)state;
    struct rounds rounds = {0};
    rounds_close(&rounds);
    const struct test_program none = {
        .manifest = &manifest_none, .executable = "exit 0\n", .executable_size = 7, .cpu = -1};
    assert_int_equal(rounds_open(&none, &(struct test_program_call){.cpu = -1}, &rounds, NULL),
                     STATUS_FAILED);
    rounds_close(&rounds);
    assert_true(write(STDOUT_FILENO, "", 0) == 0); /* no descriptor of ours was taken along */
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[0], "program") == 0)
        return act_as_program(atoi(arguments[2]));
    if (file_read("/proc/self/exe", &self, NULL) != STATUS_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_makes_all_rounds),
        cmocka_unit_test(two_programs_take_turns),
        cmocka_unit_test(what_ends_is_told_from_what_fails),
        cmocka_unit_test(what_was_not_started_can_be_closed),
    };
    int failed = cmocka_run_group_tests_name("runner/rounds", tests, NULL, NULL);
    buffer_free(&self);
    return failed;
}
