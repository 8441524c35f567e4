/* Verdicts: which evidence decides, how far it may be off, and what is never a pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "runner/verdict.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One row: what was seen of l1d.miss_rate, whose target is 0.5. */
struct seen {
    const char *kind;
    double value, half_width;
};

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    if (document == NULL)
        fail_msg("%s: %s", error.text, text);
    return document;
}

static void observe(struct observations *list, const char *metric, const struct seen *seen)
{
    observations_add(list, metric, seen->kind, seen->kind, seen->value, seen->value - seen->half_width,
                     seen->value + seen->half_width, 10);
}

/* Judges by the manifest (JSON); `count` observations of the metric. */
static void expect_verdict(const char *manifest_text, const char *metric, const struct seen *seen,
                           size_t count, const char *wanted)
{
    struct observations list = {0};
    for (size_t i = 0; i < count; i++)
        observe(&list, metric, &seen[i]);
    json_t *manifest = parse(manifest_text);
    json_t *rates = verdict_judge(manifest, &list, "perf: no PMU");
    const json_t *entry = json_object_get(rates, metric);
    if (strcmp(json_string_or(entry, "verdict", "none"), wanted) != 0)
        fail_msg("%s %g+-%g: '%s' instead of '%s'", count > 0 ? seen[0].kind : "-",
                 count > 0 ? seen[0].value : 0, count > 0 ? seen[0].half_width : 0,
                 json_string_or(entry, "verdict", "none"), wanted);
    assert_int_equal(json_array_size(json_object_get(entry, "observations")), count);
    json_t *tolerance = json_object_get(manifest, "tolerance");
    json_t *again = verdict_judge_again(rates, tolerance);
    assert_string_equal(json_string_or(json_object_get(again, metric), "verdict", "none"), wanted);
    json_decref(again);
    json_decref(rates);
    json_decref(manifest);
    observations_free(&list);
}

static const char HALF[] = "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.5}}";

static void each_kind_has_its_tolerance(void **state)
{
    (void)state;
    static const struct {
        struct seen seen;
        const char *verdict;
    } rows[] = {
        {{"measured", 0.51, 0}, "pass"},
        {{"measured", 0.489, 0}, "fail"},
        {{"simulated", 0.502, 0}, "pass"},
        {{"simulated", 0.503, 0}, "fail"},
        {{"inspected", 0.5, 0}, "pass"},
        {{"inspected", 0.5001, 0}, "fail"},
        {{"inferred", 0.52, 0.01}, "pass"},
        {{"inferred", 0.56, 0.01}, "fail"},
        {{"inferred", 0.53, 0.01}, "inconclusive"},
        {{"measured", 0.5, 0.02}, "inconclusive"},
        {{"predicted", 0.5, 0}, "unobserved"},
        {{"predicted", 0.9, 0}, "unobserved"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_verdict(HALF, "l1d.miss_rate", &rows[i].seen, 1, rows[i].verdict);
}

static void a_simulated_branch_predictor_may_be_further_off(void **state)
{
    (void)state;
    static const char manifest[] =
        "{\"targets\":{\"branch.miss_rate\":0.1},\"expected\":{\"branch.miss_rate\":0.1}}";
    expect_verdict(manifest, "branch.miss_rate", &(struct seen){"simulated", 0.128, 0}, 1, "pass");
    expect_verdict(manifest, "branch.miss_rate", &(struct seen){"simulated", 0.14, 0}, 1, "fail");
    expect_verdict(manifest, "branch.miss_rate", &(struct seen){"measured", 0.128, 0}, 1, "fail");
}

static void the_best_kind_decides(void **state)
{
    (void)state;
    const struct seen good = {"simulated", 0.5, 0};
    const struct seen bad = {"simulated", 0.7, 0};
    const struct seen measured = {"measured", 0.5, 0};
    const struct seen mismeasured = {"measured", 0.7, 0};
    const struct seen timed = {"inferred", 0.7, 0.01};
    const struct seen vague = {"inferred", 0.53, 0.01};
    const struct seen planned = {"predicted", 0.7, 0};
    expect_verdict(HALF, "l1d.miss_rate", (struct seen[]){bad, measured}, 2, "pass, disputed");
    expect_verdict(HALF, "l1d.miss_rate", (struct seen[]){good, mismeasured}, 2, "fail");
    expect_verdict(HALF, "l1d.miss_rate", (struct seen[]){timed, good}, 2, "pass, disputed");
    expect_verdict(HALF, "l1d.miss_rate", (struct seen[]){vague, good}, 2, "pass");
    expect_verdict(HALF, "l1d.miss_rate", (struct seen[]){planned, good}, 2, "pass");
    expect_verdict(HALF, "l1d.miss_rate", (struct seen[]){good, bad}, 2, "fail");
}

static void a_dispute_names_who_disputes(void **state)
{
    (void)state;
    struct observations list = {0};
    observe(&list, "l1d.miss_rate", &(struct seen){"simulated", 0.5, 0});
    observe(&list, "l1d.miss_rate", &(struct seen){"inferred", 0.75, 0.01});
    json_t *manifest = parse(HALF);
    json_t *rates = verdict_judge(manifest, &list, "");
    const char *reason = json_string_or(json_object_get(rates, "l1d.miss_rate"), "reason", "");
    assert_non_null(strstr(reason, "inferred"));
    assert_non_null(strstr(reason, "0.75"));
    json_decref(rates);
    json_decref(manifest);
    observations_free(&list);
}

static void the_recipes_tolerance_is_the_measured_one(void **state)
{
    (void)state;
    static const char manifest[] =
        "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.5},"
        "\"tolerance\":{\"l1d.miss_rate\":0.05}}";
    static const char everything[] =
        "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.5},"
        "\"tolerance\":{\"*\":0.05}}";
    expect_verdict(manifest, "l1d.miss_rate", &(struct seen){"measured", 0.54, 0}, 1, "pass");
    expect_verdict(everything, "l1d.miss_rate", &(struct seen){"measured", 0.54, 0}, 1, "pass");
    expect_verdict(everything, "l1d.miss_rate", &(struct seen){"measured", 0.56, 0}, 1, "fail");
    expect_verdict(everything, "l1d.miss_rate", &(struct seen){"simulated", 0.54, 0}, 1, "fail");
}

/* What a recipe says with prefetch = "invite" is without the prefetchers; counters count with them. */
static void prefetchers_are_seen_by_counters_alone(void **state)
{
    (void)state;
    static const char plain[] =
        "{\"targets\":{\"l3.miss_rate\":1},\"expected\":{\"l3.miss_rate\":1},"
        "\"kernel\":{\"unit\":[{\"op\":\"nop\"},{\"op\":\"load\",\"prefetch\":\"invite\"}]}}";
    static const char bounded[] = "{\"targets\":{\"l3.miss_rate\":1},\"expected\":{\"l3.miss_rate\":1},"
                                  "\"expect\":{\"l3.miss_rate\":{\"max\":0.05}},"
                                  "\"kernel\":{\"unit\":[{\"op\":\"load\",\"prefetch\":\"invite\"}]}}";
    const struct seen simulated = {"simulated", 1, 0};
    const struct seen missimulated = {"simulated", 0.9, 0};
    const struct seen prefetched = {"measured", 0.02, 0};
    const struct seen unfetched = {"measured", 1, 0};
    const char metric[] = "l3.miss_rate";
    expect_verdict(plain, metric, (struct seen[]){simulated}, 1, "pass");
    expect_verdict(plain, metric, (struct seen[]){prefetched, simulated}, 2, "pass");
    expect_verdict(plain, metric, (struct seen[]){prefetched, missimulated}, 2, "fail");
    expect_verdict(plain, metric, (struct seen[]){prefetched}, 1, "unobserved");
    expect_verdict(bounded, metric, (struct seen[]){simulated}, 1, "unobserved");
    expect_verdict(bounded, metric, (struct seen[]){prefetched, simulated}, 2, "pass");
    expect_verdict(bounded, metric, (struct seen[]){unfetched, simulated}, 2, "fail");
    expect_verdict(bounded, metric, (struct seen[]){prefetched, missimulated}, 2, "fail");
    expect_verdict(bounded, metric, (struct seen[]){missimulated}, 1, "fail");
}

/* A program calibrated on a machine makes there what was asked for, and elsewhere what it aims at. */
static void the_machine_decides_on_what_was_calibrated_on_it(void **state)
{
    (void)state;
    static const char timed[] =
        "{\"targets\":{\"l1d.miss_rate\":0.5,\"body.share\":1},"
        "\"expected\":{\"l1d.miss_rate\":0.6,\"body.share\":1},"
        "\"calibration\":{\"tuning\":{},\"source\":\"timing\",\"kind\":\"inferred\"}}";
    static const char simulated[] =
        "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.6},"
        "\"calibration\":{\"tuning\":{},\"source\":\"cachegrind\",\"kind\":\"simulated\"}}";
    const char metric[] = "l1d.miss_rate";
    const struct seen aim = {"simulated", 0.6, 0};
    const struct seen right = {"inferred", 0.5, 0.01};
    const struct seen wrong = {"inferred", 0.6, 0.01};
    const struct seen mismeasured = {"measured", 0.6, 0};
    expect_verdict(timed, metric, (struct seen[]){aim, right}, 2, "pass, disputed");
    expect_verdict(timed, metric, (struct seen[]){aim, wrong}, 2, "fail");
    expect_verdict(timed, metric, (struct seen[]){aim}, 1, "unobserved");
    expect_verdict(timed, metric, (struct seen[]){{"simulated", 0.5, 0}}, 1, "pass");
    expect_verdict(timed, metric, (struct seen[]){right, mismeasured}, 2, "fail");
    expect_verdict(timed, "body.share", (struct seen[]){{"inspected", 0.9, 0}}, 1, "fail");
    expect_verdict(simulated, metric, (struct seen[]){aim, right}, 2, "fail");
}

/* The reason says why a simulation is not believed, and judging the record again says the same. */
static void a_calibrated_rate_is_judged_again_as_it_was(void **state)
{
    (void)state;
    struct observations list = {0};
    json_t *manifest = parse("{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.6},"
                             "\"calibration\":{\"kind\":\"inferred\"}}");
    observe(&list, "l1d.miss_rate", &(struct seen){"simulated", 0.6, 0});
    json_t *rates = verdict_judge(manifest, &list, "nothing");
    json_t *again = verdict_judge_again(rates, NULL);
    const json_t *entry = json_object_get(again, "l1d.miss_rate");
    assert_string_equal(json_string_value(json_object_get(entry, "verdict")), "unobserved");
    assert_non_null(strstr(json_string_value(json_object_get(entry, "reason")), "calibrated on a machine"));
    assert_true(json_equal(rates, again));
    observations_free(&list);
    json_decref(again);
    json_decref(rates);
    json_decref(manifest);
}

static void bounds_are_the_authors(void **state)
{
    (void)state;
    static const char manifest[] =
        "{\"targets\":{},\"expected\":{},\"expect\":{\"ipc\":{\"min\":2,\"max\":3}}}";
    static const char least[] = "{\"expect\":{\"ipc\":{\"min\":2}}}";
    static const char both[] = "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.5},"
                               "\"expect\":{\"l1d.miss_rate\":{\"max\":0.4}}}";
    expect_verdict(manifest, "ipc", &(struct seen){"measured", 2.5, 0.1}, 1, "pass");
    expect_verdict(manifest, "ipc", &(struct seen){"measured", 3.5, 0.1}, 1, "fail");
    expect_verdict(manifest, "ipc", &(struct seen){"measured", 1.5, 0.1}, 1, "fail");
    expect_verdict(manifest, "ipc", &(struct seen){"inferred", 2, 0.1}, 1, "inconclusive");
    expect_verdict(least, "ipc", &(struct seen){"measured", 99, 0}, 1, "pass");
    expect_verdict(manifest, "ipc", NULL, 0, "unobserved");
    expect_verdict(both, "l1d.miss_rate", &(struct seen){"simulated", 0.5, 0}, 1, "fail");
}

static void nothing_to_divide_by_is_not_applicable(void **state)
{
    (void)state;
    static const char manifest[] = "{\"targets\":{\"l2.miss_rate\":0},\"expected\":{}}";
    expect_verdict(manifest, "l2.miss_rate", NULL, 0, "not applicable");
    expect_verdict(manifest, "l2.miss_rate", &(struct seen){"predicted", 0, 0}, 1, "not applicable");
}

/* The plan never decides, not even that there is nothing to decide: what something reached was seen. */
static void what_the_plan_could_not_form_is_judged_when_it_is_seen(void **state)
{
    (void)state;
    static const char manifest[] = "{\"targets\":{\"l2.miss_rate\":0},\"expected\":{}}";
    expect_verdict(manifest, "l2.miss_rate", &(struct seen){"simulated", 0.4, 0}, 1, "fail");
    expect_verdict(manifest, "l2.miss_rate", &(struct seen){"measured", 0.005, 0}, 1, "pass");
}

static void the_units_mix_is_judged_and_other_metrics_only_shown(void **state)
{
    (void)state;
    static const char manifest[] = "{\"targets\":{},\"expected\":{\"mix.add\":0.25}}";
    expect_verdict(manifest, "mix.add", &(struct seen){"inspected", 0.25, 0}, 1, "pass");
    expect_verdict(manifest, "mix.add", &(struct seen){"inspected", 0.26, 0}, 1, "fail");
    expect_verdict(manifest, "ipc", &(struct seen){"inferred", 3, 0.1}, 1, "observed");
}

static void what_nobody_saw_says_why(void **state)
{
    (void)state;
    const struct observations none = {0};
    json_t *manifest = parse(HALF);
    json_t *rates = verdict_judge(manifest, &none, "perf: no PMU");
    const json_t *entry = json_object_get(rates, "l1d.miss_rate");
    assert_string_equal(json_string_or(entry, "verdict", ""), "unobserved");
    assert_non_null(strstr(json_string_or(entry, "reason", ""), "no PMU"));
    json_decref(rates);
    json_decref(manifest);
}

static void names_read_back(void **state)
{
    (void)state;
    for (int verdict = VERDICT_PASS; verdict <= VERDICT_OBSERVED; verdict++)
        assert_int_equal(verdict_from_name(verdict_name((enum verdict)verdict)), verdict);
    assert_int_equal(verdict_from_name("passed"), VERDICT_UNOBSERVED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_tolerance),
        cmocka_unit_test(a_simulated_branch_predictor_may_be_further_off),
        cmocka_unit_test(the_best_kind_decides),
        cmocka_unit_test(a_dispute_names_who_disputes),
        cmocka_unit_test(the_recipes_tolerance_is_the_measured_one),
        cmocka_unit_test(prefetchers_are_seen_by_counters_alone),
        cmocka_unit_test(the_machine_decides_on_what_was_calibrated_on_it),
        cmocka_unit_test(a_calibrated_rate_is_judged_again_as_it_was),
        cmocka_unit_test(bounds_are_the_authors),
        cmocka_unit_test(nothing_to_divide_by_is_not_applicable),
        cmocka_unit_test(what_the_plan_could_not_form_is_judged_when_it_is_seen),
        cmocka_unit_test(the_units_mix_is_judged_and_other_metrics_only_shown),
        cmocka_unit_test(what_nobody_saw_says_why),
        cmocka_unit_test(names_read_back),
    };
    return cmocka_run_group_tests_name("runner/verdict", tests, NULL, NULL);
}
