/* Programs that run beside a measured one: what they did in its time is known, also of one that pauses, and
 * one that stops early is an error. The programs are this test itself, and sleep instead of working. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "runner/launch/moment.h"
#include "runner/measure/company.h"
#include "runner/measure/idle_interval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The measured program is the one that is warmed up. */
enum { WARMS_UP = 77, PASSES = 1000, BYTES_A_PASS = 128 };
static const double PASS_S = 50e-6, LOOP_S = 0.2, PAUSE_S = 0.01;
static const char STOPS[] = "TEST_COMPANY_STOPS", PAUSES[] = "TEST_COMPANY_PAUSES";

static int act_as_program(int asked)
{
    uint64_t words[2];
    bool measured = false;
    for (int made = 0; read(asked, words, sizeof words) == sizeof words; made++) {
        measured = measured || words[0] == WARMS_UP;
        if (!measured && getenv(STOPS) != NULL && made == 4)
            return 3;
        if (!measured && getenv(PAUSES) != NULL)
            idle_rest(PAUSE_S);
        uint64_t start = moment_now().ticks;
        idle_rest(!measured ? (double)words[1] * PASS_S : words[1] == PASSES ? LOOP_S : 0);
        printf("{\"iterations\":%" PRIu64 ",\"ticks\":%" PRIu64 ",\"start\":%" PRIu64 "}\n", words[1],
               moment_now().ticks - start + 1, start);
        (void)fflush(stdout);
    }
    return 0;
}

static struct buffer self;

struct outcome {
    enum status status;
    struct error error;
    struct result_copy own, beside;
};

static struct outcome run_beside(const char *habit)
{
    struct manifest_item load = {.op = "load", .count = 2, .width = BYTES_A_PASS / 2};
    struct manifest streams = manifest_none, measured = manifest_none;
    streams.unit = &load;
    streams.unit_count = 1;
    streams.units = 1;
    measured.warmup = WARMS_UP;
    measured.together.count = 2;
    struct test_program program = {
        .manifest = &measured, .executable = self.data, .executable_size = self.size, .cpu = -1};
    struct companion stream = {.test_program = program, .pass_s = PASS_S};
    stream.test_program.manifest = &streams;
    struct moment before = moment_now();
    idle_rest(0.05);
    struct moment after = moment_now();
    struct joint_run cast = {.test_program = &program,
                             .co_runners = &stream,
                             .co_runners_count = 1,
                             .timeout_s = 60,
                             .ticks_per_s = moment_ticks_per_s(&before, &after)};
    struct process_group_copy copy = {.test_program = &program,
                                      .call = {.iterations = PASSES, .timeout_s = 60, .cpu = -1}};
    struct company *company = NULL;
    struct outcome outcome = {0};
    double waited = NAN;
    if (habit != NULL)
        setenv(habit, "1", 1);
    assert_true(company_can(&cast));
    outcome.status = company_begin(&cast, &company, &outcome.error);
    if (outcome.status == STATUS_OK)
        outcome.status = company_run(company, &copy, &waited, &outcome.error);
    if (outcome.status == STATUS_OK) {
        assert_true(waited >= 0);
        outcome.status = company_end(company, &outcome.error);
    }
    outcome.own =
        (struct result_copy){.start = (long long)copy.time.start, .ticks = (long long)copy.time.ticks};
    struct result_copies copies =
        company_between(company, copy.time.start, copy.time.start + copy.time.ticks);
    assert_int_equal(copies.count, 1);
    outcome.beside = copies.items[0];
    free(copies.items);
    company_close(company);
    unsetenv(STOPS);
    unsetenv(PAUSES);
    return outcome;
}

static double overlap_of(struct outcome *outcome)
{
    const struct result_rep rep = {.threads = {true, &outcome->own, 1},
                                   .company = {true, &outcome->beside, 1}};
    return result_rep_overlap(&rep);
}

static void what_was_done_meanwhile_counts(void **state)
{
    (void)state;
    struct outcome outcome = run_beside(NULL);
    assert_int_equal(outcome.status, STATUS_OK);
    const struct result_copy *beside = &outcome.beside;
    assert_true(beside->start >= outcome.own.start);
    assert_true(beside->ticks <= outcome.own.ticks + 1);
    assert_true(overlap_of(&outcome) > 0.7); /* a busy machine wakes it late */
    /* Rounds began before and ended after: those would be more passes than fit into the time. */
    assert_true(beside->iterations > 0 && (double)beside->iterations * PASS_S < 1.02 * LOOP_S + 0.1);
    assert_true(fabs(beside->bytes - (double)beside->iterations * BYTES_A_PASS) <= BYTES_A_PASS);
}

/* It sleeps for two thirds of the time: the rest is no overlap, so no row. */
static void pauses_are_no_overlap(void **state)
{
    (void)state;
    struct outcome outcome = run_beside(PAUSES);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_true(outcome.beside.ticks > 0);
    assert_true(overlap_of(&outcome) < RESULT_BESIDE);
}

static void what_stops_early_is_an_error(void **state)
{
    (void)state;
    struct outcome outcome = run_beside(STOPS);
    assert_int_equal(outcome.status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(outcome.error.message, "the copy on logical processor -1"));
    assert_non_null(strstr(outcome.error.message, "ended without reporting its round"));
    assert_true(overlap_of(&outcome) < RESULT_BESIDE);
}

static void copies_that_share_regions_are_none(void **state)
{
    (void)state;
    struct manifest manifest = manifest_none;
    struct companion companion = {.test_program = {.manifest = &manifest}};
    struct manifest own = manifest_none;
    const struct test_program program = {.manifest = &own};
    struct joint_run cast = {
        .test_program = &program, .co_runners = &companion, .co_runners_count = 1, .ticks_per_s = 1e9};
    own.together.count = 2;
    assert_true(company_can(&cast));
    manifest.shared.given = true;
    assert_false(company_can(&cast));
    manifest.shared.given = false;
    cast.co_runners_count = 0; /* the only kernel of its point */
    assert_true(company_can(&cast));
    own.together.count = 0;
    assert_false(company_can(&cast));
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[0], "program") == 0)
        return act_as_program(atoi(arguments[2]));
    if (file_read("/proc/self/exe", &self, NULL) != STATUS_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_done_meanwhile_counts),
        cmocka_unit_test(pauses_are_no_overlap),
        cmocka_unit_test(what_stops_early_is_an_error),
        cmocka_unit_test(copies_that_share_regions_are_none),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buffer_free(&self);
    return failed;
}
