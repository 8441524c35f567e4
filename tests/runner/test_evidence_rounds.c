/* What several rounds say together: which of them count, which way disturbances go, and what is marked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/evidence/evidence.h"
#include "runner/results/evidence_width.h"
#include "runner/sources/source.h"

#include <math.h>
#include <string.h>

/* A round of a kernel that takes ns per pass at this IPC beside so many additions per cycle. */
struct given {
    double ns, ipc, additions, share;
    const char *doubt; /* NULL: nobody disturbed it */
    enum status status;
};

static const struct given *given; /* the next one */

static enum status usable(struct error *why_not)
{
    (void)why_not;
    return STATUS_OK;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    (void)test_program;
    const struct given *now = given++;
    if (now->ns > 0)
        observations_add(list, "pass.ns", "timing", EVIDENCE_INFERRED, now->ns, now->ns, now->ns, 4);
    if (now->ns > 0 && now->doubt != NULL)
        observations_doubt(list, now->doubt);
    observations_add(list, "ipc", "timing", EVIDENCE_INFERRED, now->ipc, now->ipc, now->ipc, 4);
    observations_add(list, EVIDENCE_WIDTH, "timing", EVIDENCE_INFERRED, now->additions, now->additions,
                     now->additions, 4);
    observations_add(list, "served.L2", "timing", EVIDENCE_INFERRED, now->share, now->share - 0.01,
                     now->share + 0.01, 4);
    return now->status == STATUS_OK ? STATUS_OK : error_set(error, now->status, "as given");
}

static const struct counter_source source = {
    .name = "timing", .kind = EVIDENCE_INFERRED, .usable = usable, .observe = observe};

static struct evidence_part join(const struct given *rounds, size_t count, double width)
{
    struct evidence_rounds all = {0};
    struct evidence_part part = {0};
    given = rounds;
    for (size_t i = 0; i < count; i++)
        evidence_rounds_ask(&all, &source, &(struct test_program){0});
    evidence_rounds_join(&all, width, &part);
    assert_null(all.parts);
    return part;
}

static const struct observation *seen(const struct evidence_part *part, const char *metric)
{
    const struct observation *found = observations_find(&part->seen, metric, "timing");
    assert_non_null(found);
    return found;
}

static void one_slow_round_of_three_is_left_aside(void **state)
{
    (void)state;
    const struct given rounds[] = {{100, 2, 4, 0.3, NULL, STATUS_OK},
                                   {143, 1.4, 4, 0.31, NULL, STATUS_OK},
                                   {100.1, 2.002, 4, 0.3, NULL, STATUS_OK}};
    struct evidence_part part = join(rounds, 3, 0);
    const struct observation *ns = seen(&part, "pass.ns");
    assert_int_equal(part.status, STATUS_OK);
    assert_float_equal(ns->value, 100.05, 1e-9);
    assert_true(ns->low < 100 && ns->high > 100.1 && ns->high < 102 && ns->n == 12);
    assert_float_equal(seen(&part, "ipc")->value, 2.001, 1e-9);
    assert_float_equal(seen(&part, "served.L2")->value, 0.3, 1e-12);
    assert_float_equal(seen(&part, "served.L2")->low, 0.3 - 1.81 * 0.01, 1e-9); /* of the rounds' range */
    assert_string_equal(ns->doubt, "");
    observations_free(&part.seen);
}

/* A clock that was disturbed makes cycles too few: the fastest rounds are then the wrong ones. */
static void ratios_to_the_clock_come_from_rounds_that_agree(void **state)
{
    (void)state;
    const struct given rounds[] = {{100, 0.285, 4, 0, NULL, STATUS_OK},
                                   {100, 0.36, 4, 0, NULL, STATUS_OK},
                                   {100, 0.2851, 4, 0, NULL, STATUS_OK},
                                   {100, 0.33, 4, 0, NULL, STATUS_OK},
                                   {100, 0.2849, 4, 0, NULL, STATUS_OK}};
    struct evidence_part part = join(rounds, 5, 0);
    assert_float_equal(seen(&part, "ipc")->value, 0.285, 1e-9);
    observations_free(&part.seen);
}

static void what_was_disturbed_counts_only_if_nothing_else_is_there(void **state)
{
    (void)state;
    const struct given some[] = {{90, 2, 4, 0, "others", STATUS_OK},
                                 {100, 2, 4, 0, NULL, STATUS_OK},
                                 {100.2, 2, 4, 0, NULL, STATUS_OK}};
    struct evidence_part part = join(some, 3, 0);
    assert_true(seen(&part, "pass.ns")->value > 99);
    assert_string_equal(seen(&part, "pass.ns")->doubt, "");
    observations_free(&part.seen);
    const struct given all[] = {{90, 2, 4, 0, "others", STATUS_OK},
                                {100, 2, 4, 0, NULL, STATUS_OK},
                                {100.2, 2, 4, 0, "others", STATUS_OK}};
    part = join(all, 3, 0);
    assert_string_equal(seen(&part, "pass.ns")->doubt, "others");
    assert_true(isnan(seen(&part, "pass.ns")->low));
    observations_free(&part.seen);
}

static void rounds_that_differ_or_are_alone_have_no_interval(void **state)
{
    (void)state;
    const struct given apart[] = {
        {100, 2, 4, 0, NULL, STATUS_OK}, {150, 2, 4, 0, NULL, STATUS_OK}, {190, 2, 4, 0, NULL, STATUS_OK}};
    struct evidence_part part = join(apart, 3, 0);
    assert_true(isnan(seen(&part, "pass.ns")->low));
    assert_non_null(strstr(seen(&part, "pass.ns")->doubt, "90 %"));
    observations_free(&part.seen);
    part = join(apart, 1, 0);
    assert_true(isnan(seen(&part, "ipc")->high));
    assert_non_null(strstr(seen(&part, "ipc")->doubt, "one round"));
    observations_free(&part.seen);
}

/* Where threads share cores: here they do on x86-64 alone. */
static void a_core_that_another_thread_uses_is_noticed(void **state)
{
    (void)state;
    bool shares = evidence_width_is_shared(2, 4);
    assert_false(evidence_width_is_shared(3.99, 4));
    assert_true(evidence_width_is_shared(2, 0) == shares);
    assert_true(evidence_width_of(3.99) == 4 && evidence_width_of(4.4) == 0);
    const struct given rounds[] = {{150, 1.6, 2.6, 0, NULL, STATUS_OK},
                                   {150.1, 1.6, 2.61, 0, NULL, STATUS_OK},
                                   {149.9, 1.6, 2.6, 0, NULL, STATUS_OK}};
    struct evidence_part part = join(rounds, 3, 0);
    assert_true((seen(&part, "pass.ns")->doubt[0] != '\0') == shares);
    observations_free(&part.seen);
    /* One quiet round is enough to know the width, and two to know the time. */
    const struct given mixed[] = {{150, 1.6, 2.6, 0, NULL, STATUS_OK},
                                  {100, 2.4, 3.99, 0, NULL, STATUS_OK},
                                  {100.2, 2.4, 4, 0, NULL, STATUS_OK}};
    part = join(mixed, 3, 0);
    assert_string_equal(seen(&part, "pass.ns")->doubt, "");
    assert_true(seen(&part, "pass.ns")->value < 100.3);
    observations_free(&part.seen);
    /* A chase waits for something else. */
    const struct given chase[] = {{150, 0.25, 2.6, 0, NULL, STATUS_OK}, {150, 0.25, 2.6, 0, NULL, STATUS_OK}};
    part = join(chase, 2, 4);
    assert_string_equal(seen(&part, "pass.ns")->doubt, "");
    observations_free(&part.seen);
}

static void the_status_is_that_of_most_rounds_and_a_failure_is_one(void **state)
{
    (void)state;
    struct given rounds[] = {{100, 2, 4, 0, NULL, STATUS_OK},
                             {100, 2, 4, 0, NULL, STATUS_UNAVAILABLE},
                             {100, 2, 4, 0, NULL, STATUS_OK}};
    struct evidence_part part = join(rounds, 3, 0);
    assert_int_equal(part.status, STATUS_OK);
    observations_free(&part.seen);
    rounds[0].status = STATUS_UNAVAILABLE;
    part = join(rounds, 3, 0);
    assert_int_equal(part.status, STATUS_UNAVAILABLE);
    assert_string_equal(part.reason.message, "as given");
    observations_free(&part.seen);
    rounds[0].status = STATUS_FAILED;
    part = join(rounds, 3, 0);
    assert_int_equal(part.status, STATUS_FAILED);
    observations_free(&part.seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slow_round_of_three_is_left_aside),
        cmocka_unit_test(ratios_to_the_clock_come_from_rounds_that_agree),
        cmocka_unit_test(what_was_disturbed_counts_only_if_nothing_else_is_there),
        cmocka_unit_test(rounds_that_differ_or_are_alone_have_no_interval),
        cmocka_unit_test(a_core_that_another_thread_uses_is_noticed),
        cmocka_unit_test(the_status_is_that_of_most_rounds_and_a_failure_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
