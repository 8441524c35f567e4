/* Verdicts: which evidence decides, how far it may be off, and what never passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "runner/results/verdict.h"
#include "tests/given_manifest.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What a source saw. */
struct seen {
    const char *source, *kind;
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
    observations_add(list, metric, seen->source, evidence_kind_named(seen->kind), seen->value,
                     seen->value - seen->half_width, seen->value + seen->half_width, 10);
}

/* The word of a side, or "null". */
static const char *word(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);
    assert_non_null(value);
    return json_is_null(value) ? "null" : json_string_value(value);
}

/* What a judgement is to be: "VERDICT|CODE|SILICON". */
static void expect_entry(const json_t *rates, const char *metric, const char *wanted)
{
    const json_t *entry = json_object_get(rates, metric);
    char found[100] = "none";
    if (entry != NULL)
        snprintf(found, sizeof found, "%s|%s|%s", json_string_or(entry, "verdict", ""), word(entry, "code"),
                 word(entry, "silicon"));
    if (strcmp(found, wanted) != 0)
        fail_msg("%s: '%s' instead of '%s' (%s)", metric, found, wanted,
                 json_string_or(entry, "reason", "-"));
}

/* verdict_judge with the source's reason. */
static json_t *judge_unseen(const json_t *manifest, const struct observations *list, bool present,
                            const char *source, const char *reason)
{
    struct unseen_reason one = {source, reason};
    struct result_rates rates;
    verdict_judge(given_manifest(manifest), list, present, &(struct unseen){&one, 1}, &rates);
    json_t *document = result_rates_to_json(&rates);
    result_rates_free(&rates);
    return document;
}

/* What comes of judging recorded rates again; tolerance: of the manifest. New reference. */
static json_t *judge_again(const json_t *recorded, const json_t *tolerance, bool present)
{
    struct arena arena = {0};
    struct result_rates rates, again;
    struct tolerances tolerances;
    assert_true(tolerances_read(tolerance, &arena, &tolerances));
    result_rates_read(recorded, &rates);
    verdict_judge_again(&rates, &tolerances, present, &again);
    json_t *document = result_rates_to_json(&again);
    result_rates_free(&again);
    result_rates_free(&rates);
    arena_free(&arena);
    return document;
}

/* Judges by the manifest (JSON) `count` observations of the metric, and again what came of it. New reference.
 */
static json_t *judge(const char *manifest_text, bool present, const char *metric, const struct seen *seen,
                     size_t count, const char *unseen)
{
    struct observations list = {0};
    for (size_t i = 0; i < count; i++)
        observe(&list, metric, &seen[i]);
    json_t *manifest = parse(manifest_text);
    json_t *rates = judge_unseen(manifest, &list, present, "perf", unseen);
    json_t *again = judge_again(rates, json_object_get(manifest, "tolerance"), present);
    assert_true(json_equal(rates, again));
    assert_int_equal(json_array_size(json_object_get(json_object_get(rates, metric), "observations")), count);
    json_decref(again);
    json_decref(manifest);
    observations_free(&list);
    return rates;
}

static void expect_sides(const char *manifest, bool present, const char *metric, const struct seen *seen,
                         size_t count, const char *wanted)
{
    json_t *rates = judge(manifest, present, metric, seen, count, "perf: no PMU");
    expect_entry(rates, metric, wanted);
    json_decref(rates);
}

/* The same on another machine than this, where no more than the verdict is told. */
static void expect_verdict(const char *manifest, const char *metric, const struct seen *seen, size_t count,
                           const char *wanted)
{
    json_t *rates = judge(manifest, false, metric, seen, count, "perf: no PMU");
    const char *found = json_string_or(json_object_get(rates, metric), "verdict", "none");
    if (strcmp(found, wanted) != 0)
        fail_msg("%s %g+-%g: '%s' instead of '%s'", count > 0 ? seen[0].source : "-",
                 count > 0 ? seen[0].value : 0, count > 0 ? seen[0].half_width : 0, found, wanted);
    json_decref(rates);
}

static void expect_reason(const char *manifest, bool present, const char *metric, const struct seen *seen,
                          size_t count, const char *wanted)
{
    json_t *rates = judge(manifest, present, metric, seen, count, "");
    assert_string_equal(json_string_or(json_object_get(rates, metric), "reason", ""), wanted);
    json_decref(rates);
}

static const char HALF[] = "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.5}}";

static void each_kind_has_its_tolerance(void **state)
{
    (void)state;
    static const struct {
        struct seen seen;
        const char *verdict;
    } rows[] = {
        {{"perf", "measured", 0.51, 0}, "pass"},
        {{"perf", "measured", 0.489, 0}, "fail"},
        {{"cachegrind", "simulated", 0.502, 0}, "pass (code)"},
        {{"cachegrind", "simulated", 0.503, 0}, "fail"},
        {{"bytes", "inspected", 0.5, 0}, "pass (code)"},
        {{"bytes", "inspected", 0.5001, 0}, "fail"},
        {{"timing", "inferred", 0.52, 0.01}, "pass"},
        {{"timing", "inferred", 0.56, 0.01}, "fail"},
        {{"timing", "inferred", 0.53, 0.01}, "inconclusive"},
        {{"perf", "measured", 0.5, 0.02}, "inconclusive"},
        {{"plan", "predicted", 0.5, 0}, "unobserved"},
        {{"plan", "predicted", 0.9, 0}, "unobserved"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_verdict(HALF, "l1d.miss_rate", &rows[i].seen, 1, rows[i].verdict);
}

static void a_simulated_branch_predictor_may_be_further_off(void **state)
{
    (void)state;
    static const char manifest[] =
        "{\"targets\":{\"branch.miss_rate\":0.1},\"expected\":{\"branch.miss_rate\":0.1}}";
    expect_verdict(manifest, "branch.miss_rate", &(struct seen){"cachegrind", "simulated", 0.128, 0}, 1,
                   "pass (code)");
    expect_verdict(manifest, "branch.miss_rate", &(struct seen){"cachegrind", "simulated", 0.14, 0}, 1,
                   "fail");
    expect_verdict(manifest, "branch.miss_rate", &(struct seen){"perf", "measured", 0.128, 0}, 1, "fail");
}

static const char METRIC[] = "l1d.miss_rate";

/* Simulations by somebody else's program and by ours, counters, and time. */
static const struct seen theirs = {"cachegrind", "simulated", 0.5, 0};
static const struct seen theirs_off = {"cachegrind", "simulated", 0.7, 0};
static const struct seen theirs_vague = {"cachegrind", "simulated", 0.502, 0.001};
static const struct seen ours = {"qemu", "simulated", 0.5, 0};
static const struct seen ours_off = {"qemu", "simulated", 0.7, 0};
static const struct seen counted = {"perf", "measured", 0.5, 0};
static const struct seen counted_off = {"perf", "measured", 0.7, 0};
static const struct seen timed = {"timing", "inferred", 0.5, 0.01};
static const struct seen timed_off = {"timing", "inferred", 0.75, 0.01};
static const struct seen timed_vague = {"timing", "inferred", 0.53, 0.01};
static const struct seen planned = {"plan", "predicted", 0.7, 0};

/* On the machine that this is, either side can fail a rate, and it takes both to pass it. */
static void both_sides_decide_on_the_present_machine(void **state)
{
    (void)state;
    static const struct {
        const struct seen *seen[3];
        const char *wanted;
    } rows[] = {
        {{&theirs, &counted}, "pass|pass|pass"},
        {{&theirs, &timed}, "pass|pass|pass"},
        {{&theirs, &timed_off}, "fail|pass|fail"},
        {{&theirs, &counted_off}, "fail|pass|fail"},
        {{&theirs_off, &counted}, "fail|fail|pass"},
        {{&theirs_off, &timed_off}, "fail|fail|fail"},
        {{&theirs_off, &timed_vague}, "fail|fail|inconclusive"},
        {{&theirs_vague, &timed_off}, "fail|inconclusive|fail"},
        {{&theirs, &timed_vague}, "inconclusive|pass|inconclusive"},
        {{&theirs_vague, &counted}, "inconclusive|inconclusive|pass"},
        {{&theirs_vague}, "inconclusive|inconclusive|null"},
        {{&theirs}, "pass (code)|pass|null"},
        {{&theirs_off}, "fail|fail|null"},
        {{&counted}, "pass|null|pass"},
        {{&timed_off}, "fail|null|fail"},
        {{&timed_vague}, "inconclusive|null|inconclusive"},
        {{&planned}, "unobserved|null|null"},
        {{&planned, &theirs}, "pass (code)|pass|null"},
        /* what is measured outranks what is inferred */
        {{&theirs, &counted, &timed_off}, "pass|pass|pass"},
        {{&theirs, &counted_off, &timed}, "fail|pass|fail"},
        /* of two simulations that of somebody else's program decides, ours disputes it */
        {{&theirs, &ours_off, &counted}, "pass, disputed|pass, disputed|pass"},
        {{&ours_off, &theirs, &timed_vague}, "inconclusive|pass, disputed|inconclusive"},
        {{&theirs, &ours_off}, "pass (code)|pass, disputed|null"},
        {{&theirs_off, &ours, &counted}, "fail|fail|pass"},
        {{&theirs, &ours, &counted}, "pass|pass|pass"},
        {{&ours, &counted}, "pass|pass|pass"},
        {{&ours_off, &counted}, "fail|fail|pass"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct seen seen[3];
        size_t count = 0;
        while (count < 3 && rows[i].seen[count] != NULL) {
            seen[count] = *rows[i].seen[count];
            count++;
        }
        expect_sides(HALF, true, METRIC, seen, count, rows[i].wanted);
    }
}

/* A machine that is not here has no silicon to be asked: the code decides, and a pass says that it did. */
static void another_machine_is_judged_by_code(void **state)
{
    (void)state;
    expect_sides(HALF, false, METRIC, &theirs, 1, "pass (code)|pass|null");
    expect_sides(HALF, false, METRIC, &theirs_off, 1, "fail|fail|null");
    expect_sides(HALF, false, METRIC, &theirs_vague, 1, "inconclusive|inconclusive|null");
    expect_sides(HALF, false, METRIC, (struct seen[]){theirs, ours_off}, 2,
                 "pass, disputed|pass, disputed|null");
    expect_sides(HALF, false, METRIC, (struct seen[]){theirs_off, ours}, 2, "fail|fail|null");
    expect_sides(HALF, false, METRIC, (struct seen[]){planned, theirs}, 2, "pass (code)|pass|null");
    /* what somebody counted there is silicon's word all the same */
    expect_sides(HALF, false, METRIC, (struct seen[]){theirs, counted_off}, 2, "fail|pass|fail");
    expect_sides(HALF, false, METRIC, (struct seen[]){theirs, counted}, 2, "pass|pass|pass");
}

/* No machine can add to what is counted in the bytes; of all else a simulation's word is not the silicon's,
 * here or elsewhere. */
static void what_the_bytes_settle_wants_no_silicon(void **state)
{
    (void)state;
    static const char *const of_bytes[] = {"mix.add",        "body.share",        "data.toggle_rate",
                                           "data.ones_rate", "pass.instructions", "coherence.placed"};
    static const char *const of_silicon[] = {"served.L2",       "branch.taken_rate", "branch.miss_rate",
                                             "place.cu0.share", "l2.channel1.share", "dtlb.miss_rate",
                                             "l1i.miss_rate",   "l2.far_share",      "branch.divergence",
                                             "coherence.taken", "throttle.duty"};
    char manifest[120];
    const struct seen inspected = {"bytes", "inspected", 0.5, 0};
    for (size_t i = 0; i < 2 * sizeof of_bytes / sizeof of_bytes[0]; i++) {
        const char *metric = of_bytes[i / 2];
        snprintf(manifest, sizeof manifest, "{\"targets\":{\"%s\":0.5},\"expected\":{\"%s\":0.5}}", metric,
                 metric);
        expect_sides(manifest, i % 2 == 0, metric, &inspected, 1, "pass|pass|null");
    }
    for (size_t i = 0; i < 2 * sizeof of_silicon / sizeof of_silicon[0]; i++) {
        const char *metric = of_silicon[i / 2];
        snprintf(manifest, sizeof manifest, "{\"targets\":{\"%s\":0.5},\"expected\":{\"%s\":0.5}}", metric,
                 metric);
        expect_sides(manifest, i % 2 == 0, metric, &inspected, 1, "pass (code)|pass|null");
    }
}

/* The silicon is due where a source could have seen it: on the present machine, without prefetchers. */
static void silicon_is_due_on_the_present_machine(void **state)
{
    (void)state;
    static const char invited[] = "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.5},"
                                  "\"kernel\":{\"unit\":[{\"op\":\"load\",\"prefetch\":\"invite\"}]}}";
    static const struct {
        const char *manifest;
        bool present;
        const struct seen *seen[2];
        bool due;
    } rows[] = {
        {HALF, true, {&theirs}, true},           {HALF, true, {&theirs, &ours_off}, true},
        {HALF, true, {&theirs, &timed}, false},  {HALF, true, {&theirs_off}, false},
        {HALF, true, {&planned}, false},         {HALF, false, {&theirs}, false},
        {HALF, false, {&theirs, &timed}, false}, {invited, true, {&theirs}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct observations list = {0};
        struct result_rates rates;
        for (size_t j = 0; j < 2 && rows[i].seen[j] != NULL; j++)
            observe(&list, METRIC, rows[i].seen[j]);
        json_t *manifest = parse(rows[i].manifest);
        verdict_judge(given_manifest(manifest), &list, rows[i].present, NULL, &rates);
        assert_int_equal(rates.items[0].silicon_due, rows[i].due);
        result_rates_free(&rates);
        json_decref(manifest);
        observations_free(&list);
    }
}

static void a_reason_names_the_bound_and_who_missed_it(void **state)
{
    (void)state;
    static const char bounded[] =
        "{\"targets\":{},\"expected\":{},\"expect\":{\"ipc\":{\"min\":2,\"max\":3}}}";
    static const char least[] = "{\"expect\":{\"ipc\":{\"min\":2}}}";
    static const char exact[] = "{\"targets\":{\"body.share\":1},\"expected\":{\"body.share\":1}}";
    expect_reason(HALF, true, METRIC, (struct seen[]){theirs, timed_off}, 2,
                  "the silicon contradicts: wanted 0.5 \xc2\xb1 0.03, timing saw 0.75 [0.74, 0.76]");
    expect_reason(HALF, true, METRIC, (struct seen[]){theirs_off, counted}, 2,
                  "wanted 0.5 \xc2\xb1 0.002, cachegrind saw 0.7");
    expect_reason(
        HALF, true, METRIC, (struct seen[]){theirs_off, counted_off}, 2,
        "wanted 0.5 \xc2\xb1 0.002, cachegrind saw 0.7; on the silicon: wanted 0.5 \xc2\xb1 0.01, perf saw "
        "0.7");
    expect_reason(HALF, true, METRIC, (struct seen[]){theirs, timed_vague}, 2,
                  "undecided on the silicon: wanted 0.5 \xc2\xb1 0.03, timing saw 0.53 [0.52, 0.54]");
    expect_reason(HALF, true, METRIC, &timed_off, 1,
                  "wanted 0.5 \xc2\xb1 0.03, timing saw 0.75 [0.74, 0.76]");
    expect_reason(HALF, false, METRIC, (struct seen[]){theirs, ours_off}, 2,
                  "another source disputes it: wanted 0.5 \xc2\xb1 0.002, qemu saw 0.7");
    expect_reason(HALF, true, METRIC, &theirs, 1, "no source used here observes the silicon");
    expect_reason(HALF, true, METRIC, NULL, 0, "no source used here observes it");
    expect_reason(HALF, true, METRIC, (struct seen[]){theirs, counted}, 2, "");
    expect_reason(bounded, true, "ipc", &(struct seen){"perf", "measured", 1.5, 0}, 1,
                  "wanted 2 to 3 per cycle, perf saw 1.5 per cycle");
    expect_reason(least, true, "ipc", &(struct seen){"perf", "measured", 1.5, 0}, 1,
                  "wanted >= 2 per cycle, perf saw 1.5 per cycle");
    expect_reason(exact, true, "body.share", &(struct seen){"bytes", "inspected", 0.9, 0}, 1,
                  "wanted 1, bytes saw 0.9");
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
    expect_verdict(manifest, "l1d.miss_rate", &(struct seen){"perf", "measured", 0.54, 0}, 1, "pass");
    expect_verdict(everything, "l1d.miss_rate", &(struct seen){"perf", "measured", 0.54, 0}, 1, "pass");
    expect_verdict(everything, "l1d.miss_rate", &(struct seen){"perf", "measured", 0.56, 0}, 1, "fail");
    expect_verdict(everything, "l1d.miss_rate", &(struct seen){"cachegrind", "simulated", 0.54, 0}, 1,
                   "fail");
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
    const struct seen simulated = {"cachegrind", "simulated", 1, 0};
    const struct seen missimulated = {"cachegrind", "simulated", 0.9, 0};
    const struct seen prefetched = {"perf", "measured", 0.02, 0};
    const struct seen unfetched = {"perf", "measured", 1, 0};
    const char metric[] = "l3.miss_rate";
    const struct seen raced = {"timing", "inferred", 0.02, 0};
    expect_verdict(plain, metric, (struct seen[]){simulated}, 1, "pass (code)");
    expect_sides(plain, true, metric, (struct seen[]){simulated}, 1, "pass (code)|pass|null");
    expect_sides(plain, true, metric, (struct seen[]){prefetched, simulated}, 2, "pass (code)|pass|observed");
    expect_sides(plain, true, metric, (struct seen[]){raced, simulated}, 2, "pass (code)|pass|observed");
    expect_sides(bounded, true, metric, (struct seen[]){raced, simulated}, 2, "unobserved|pass|null");
    expect_sides(bounded, true, metric, (struct seen[]){prefetched, simulated}, 2, "pass|pass|pass");
    expect_sides(bounded, true, metric, (struct seen[]){unfetched, simulated}, 2, "fail|pass|fail");
    expect_verdict(plain, metric, (struct seen[]){prefetched, simulated}, 2, "pass (code)");
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
    static const char timed_plan[] =
        "{\"targets\":{\"l1d.miss_rate\":0.5,\"body.share\":1},"
        "\"expected\":{\"l1d.miss_rate\":0.6,\"body.share\":1},"
        "\"calibration\":{\"tuning\":{},\"source\":\"timing\",\"kind\":\"inferred\"}}";
    static const char simulated[] =
        "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.6},"
        "\"calibration\":{\"tuning\":{},\"source\":\"cachegrind\",\"kind\":\"simulated\"}}";
    const struct seen aim = {"cachegrind", "simulated", 0.6, 0};
    const struct seen right = {"timing", "inferred", 0.5, 0.01};
    const struct seen wrong = {"timing", "inferred", 0.6, 0.01};
    const struct seen mismeasured = {"perf", "measured", 0.6, 0};
    expect_sides(timed_plan, true, METRIC, (struct seen[]){aim, right}, 2, "pass|unobserved|pass");
    expect_sides(timed_plan, true, METRIC, (struct seen[]){aim, wrong}, 2, "fail|unobserved|fail");
    expect_sides(timed_plan, true, METRIC, (struct seen[]){aim}, 1, "unobserved|unobserved|null");
    expect_sides(timed_plan, false, METRIC, (struct seen[]){aim}, 1, "unobserved|unobserved|null");
    expect_sides(timed_plan, false, METRIC, (struct seen[]){theirs}, 1, "pass (code)|pass|null");
    expect_sides(timed_plan, true, METRIC, (struct seen[]){right, mismeasured}, 2, "fail|null|fail");
    expect_sides(timed_plan, true, "body.share", (struct seen[]){{"bytes", "inspected", 0.9, 0}}, 1,
                 "fail|fail|null");
    expect_sides(simulated, true, METRIC, (struct seen[]){aim, right}, 2, "fail|fail|pass");
}

/* The reason says why a simulation is not believed, and judging the record again says the same. */
static void a_calibrated_rate_is_judged_again_as_it_was(void **state)
{
    (void)state;
    struct observations list = {0};
    json_t *manifest = parse("{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.6},"
                             "\"calibration\":{\"kind\":\"inferred\"}}");
    observe(&list, "l1d.miss_rate", &(struct seen){"cachegrind", "simulated", 0.6, 0});
    json_t *rates = judge_unseen(manifest, &list, true, "perf", "nothing");
    json_t *again = judge_again(rates, NULL, true);
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
    expect_verdict(manifest, "ipc", &(struct seen){"perf", "measured", 2.5, 0.1}, 1, "pass");
    expect_verdict(manifest, "ipc", &(struct seen){"perf", "measured", 3.5, 0.1}, 1, "fail");
    expect_verdict(manifest, "ipc", &(struct seen){"perf", "measured", 1.5, 0.1}, 1, "fail");
    expect_verdict(manifest, "ipc", &(struct seen){"timing", "inferred", 2, 0.1}, 1, "inconclusive");
    expect_verdict(least, "ipc", &(struct seen){"perf", "measured", 99, 0}, 1, "pass");
    expect_verdict(manifest, "ipc", NULL, 0, "unobserved");
    expect_verdict(both, "l1d.miss_rate", &(struct seen){"cachegrind", "simulated", 0.5, 0}, 1, "fail");
    expect_sides(least, true, "ipc", &(struct seen){"timing", "inferred", 1.5, 0.1}, 1, "fail|null|fail");
    expect_sides(least, true, "ipc", &(struct seen){"perf", "measured", 2.5, 0.1}, 1, "pass|null|pass");
}

static void nothing_to_divide_by_is_not_applicable(void **state)
{
    (void)state;
    static const char manifest[] = "{\"targets\":{\"l2.miss_rate\":0},\"expected\":{}}";
    expect_sides(manifest, true, "l2.miss_rate", NULL, 0, "not applicable|null|null");
    expect_verdict(manifest, "l2.miss_rate", &(struct seen){"plan", "predicted", 0, 0}, 1, "not applicable");
}

/* The plan never decides, not even that there is nothing to decide: what something reached was seen. */
static void what_the_plan_could_not_form_is_judged_when_it_is_seen(void **state)
{
    (void)state;
    static const char manifest[] = "{\"targets\":{\"l2.miss_rate\":0},\"expected\":{}}";
    expect_verdict(manifest, "l2.miss_rate", &(struct seen){"cachegrind", "simulated", 0.4, 0}, 1, "fail");
    expect_verdict(manifest, "l2.miss_rate", &(struct seen){"perf", "measured", 0.005, 0}, 1, "pass");
}

static void the_units_mix_is_judged_and_other_metrics_only_shown(void **state)
{
    (void)state;
    static const char manifest[] = "{\"targets\":{},\"expected\":{\"mix.add\":0.25}}";
    expect_verdict(manifest, "mix.add", &(struct seen){"bytes", "inspected", 0.25, 0}, 1, "pass");
    expect_verdict(manifest, "mix.add", &(struct seen){"bytes", "inspected", 0.26, 0}, 1, "fail");
    expect_sides(manifest, true, "ipc", &(struct seen){"timing", "inferred", 3, 0.1}, 1,
                 "observed|null|observed");
}

static void what_nobody_saw_says_why(void **state)
{
    (void)state;
    const struct observations none = {0};
    json_t *manifest = parse(HALF);
    json_t *rates = judge_unseen(manifest, &none, true, "perf", "perf: no PMU");
    const json_t *entry = json_object_get(rates, "l1d.miss_rate");
    assert_string_equal(json_string_or(entry, "verdict", ""), "unobserved");
    assert_non_null(strstr(json_string_or(entry, "reason", ""), "no PMU"));
    json_decref(rates);
    /* A source that would not see it in any case is no reason. */
    rates = judge_unseen(manifest, &none, true, "duty", "perf: no PMU");
    entry = json_object_get(rates, "l1d.miss_rate");
    assert_string_equal(json_string_or(entry, "reason", ""), "no source used here observes it");
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

/* What an extrapolation puts beyond 0 and 1 ends there; far beyond there is no interval, and no verdict. */
static void shares_stay_between_0_and_1(void **state)
{
    (void)state;
    struct observations seen = {0};
    observations_add(&seen, METRIC, "timing", EVIDENCE_INFERRED, -0.004, -0.02, 0.01, 5);
    observations_add(&seen, METRIC, "timing", EVIDENCE_INFERRED, 0.99, 0.97, 1.02, 5);
    observations_add(&seen, METRIC, "timing", EVIDENCE_INFERRED, 1.4, 1.35, 1.45, 5);
    observations_add(&seen, "ipc", "timing", EVIDENCE_INFERRED, 1.4, 1.35, 1.45, 5);
    assert_true(seen.items[0].value == 0 && seen.items[0].low == 0 && seen.items[0].high == 0.01);
    assert_true(seen.items[1].value == 0.99 && seen.items[1].low == 0.97 && seen.items[1].high == 1);
    assert_true(seen.items[2].value == 1 && isnan(seen.items[2].low) && isnan(seen.items[2].high));
    assert_string_equal(seen.items[2].doubt, "a share lies between 0 and 1, and timing saw 1.4 [1.35, 1.45]");
    assert_true(seen.items[3].high == 1.45);
    observations_free(&seen);
}

/* A plan that comes no nearer to its target says so beside its pass, also when it is judged again. */
static void the_plans_own_rate_is_named(void **state)
{
    (void)state;
    static const char near[] =
        "{\"targets\":{\"branch.miss_rate\":0.5},\"expected\":{\"branch.miss_rate\":0.49}}";
    expect_reason(near, false, "branch.miss_rate",
                  (struct seen[]){{"qemu", "simulated", 0.49, 0}, {"plan", "predicted", 0.49, 0}}, 2,
                  "the plan's own rate is 0.49");
}

/* A toggle rate of which other orders are not promised says what they have, also when it is judged again; one
 * of which they are has a verdict of theirs, with a tolerance of its own. */
static void a_rate_in_program_order_alone_says_on_what_it_depends(void **state)
{
    (void)state;
    static const char alone[] =
        "{\"targets\":{\"data.toggle_rate\":0.9},\"expected\":{\"data.toggle_rate\":0.9,"
        "\"data.toggle_rate.dealt\":0.18}}";
    static const char dealt[] = "{\"targets\":{\"data.toggle_rate.dealt\":0.5},\"expected\":{"
                                "\"data.toggle_rate.dealt\":0.51}}";
    struct observations list = {0};
    observe(&list, "data.toggle_rate", &(struct seen){"bytes", "inspected", 0.9, 0});
    observe(&list, "data.toggle_rate.dealt", &(struct seen){"bytes", "inspected", 0.18, 0});
    json_t *manifest = parse(alone);
    json_t *rates = judge_unseen(manifest, &list, true, "perf", "");
    json_t *again = judge_again(rates, NULL, true);
    const char *reason = json_string_or(json_object_get(rates, "data.toggle_rate"), "reason", "");
    expect_entry(rates, "data.toggle_rate", "pass|pass|null");
    expect_entry(rates, "data.toggle_rate.dealt", "observed|observed|null");
    assert_non_null(strstr(reason, "it holds in program order alone"));
    assert_non_null(strstr(reason, "the farthest that bytes saw is 0.18"));
    assert_true(json_equal(rates, again));
    json_decref(again);
    json_decref(rates);
    json_decref(manifest);
    observations_free(&list);
    expect_verdict(dealt, "data.toggle_rate.dealt", &(struct seen){"bytes", "inspected", 0.519, 0}, 1,
                   "pass");
    expect_verdict(dealt, "data.toggle_rate.dealt", &(struct seen){"wave", "simulated", 0.481, 0}, 1, "pass");
    expect_verdict(dealt, "data.toggle_rate.dealt", &(struct seen){"bytes", "inspected", 0.521, 0}, 1,
                   "fail");
    expect_reason(dealt, true, "data.toggle_rate.dealt",
                  (struct seen[]){{"bytes", "inspected", 0.51, 0}, {"plan", "predicted", 0.51, 0}}, 2, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_in_program_order_alone_says_on_what_it_depends),
        cmocka_unit_test(shares_stay_between_0_and_1),
        cmocka_unit_test(the_plans_own_rate_is_named),
        cmocka_unit_test(each_kind_has_its_tolerance),
        cmocka_unit_test(a_simulated_branch_predictor_may_be_further_off),
        cmocka_unit_test(both_sides_decide_on_the_present_machine),
        cmocka_unit_test(another_machine_is_judged_by_code),
        cmocka_unit_test(what_the_bytes_settle_wants_no_silicon),
        cmocka_unit_test(silicon_is_due_on_the_present_machine),
        cmocka_unit_test(a_reason_names_the_bound_and_who_missed_it),
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
