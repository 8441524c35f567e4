/* When an observation suffices for its verdict, so that more samples would not change it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/results/verdict.h"
#include "tests/given_manifest.h"

#include <stdbool.h>
#include <stdio.h>

static const char HALF[] = "{\"targets\":{\"l1d.miss_rate\":0.5},\"expected\":{\"l1d.miss_rate\":0.5}}";

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    if (document == NULL)
        fail_msg("%s: %s", error.text, text);
    return document;
}

/* More samples are not worth their time where the interval lies on one side of the tolerance's ends. */
static void an_interval_on_one_side_is_settled(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        double low, high;
        bool settled;
    } rows[] = {
        {"inferred", 0.48, 0.52, true},  /* within 0.03 */
        {"inferred", 0.47, 0.53, true},  /* just within */
        {"inferred", 0.52, 0.55, false}, /* on both sides of an end */
        {"inferred", 0.4, 0.6, false},   /* of both ends */
        {"inferred", 0.54, 0.6, true},   /* outside */
        {"inferred", 0.1, 0.46, true},   {"measured", 0.495, 0.505, true},
        {"measured", 0.48, 0.52, false}, {"measured", 0.52, 0.55, true},
    };
    json_t *manifest = parse(HALF);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct observation seen = {.metric = "l1d.miss_rate",
                                         .source = "timing",
                                         .kind = evidence_kind_named(rows[i].kind),
                                         .low = rows[i].low,
                                         .high = rows[i].high};
        if (verdict_settled(given_manifest(manifest), &seen) != rows[i].settled)
            fail_msg("%s [%g, %g] is %s", rows[i].kind, rows[i].low, rows[i].high,
                     rows[i].settled ? "not settled" : "settled");
    }
    json_decref(manifest);
}

/* What nothing is asked of needs no more samples; the author's bounds may lie anywhere, so that all are made;
 * branches have a tolerance of their own. */
static void what_is_asked_decides_what_is_settled(void **state)
{
    (void)state;
    static const struct {
        const char *manifest, *metric, *kind;
        bool settled;
    } rows[] = {
        {HALF, "ipc", "inferred", true},
        {"{}", "l1d.miss_rate", "inferred", true},
        {"{\"targets\":{\"l1d.miss_rate\":0.5},\"expect\":{}}", "l1d.miss_rate", "inferred", true},
        {"{\"targets\":{\"l1d.miss_rate\":0.5},\"expect\":{\"ipc\":{\"min\":1}}}", "l1d.miss_rate",
         "inferred", false},
        {"{\"expect\":{\"ipc\":{\"min\":1}}}", "ipc", "inferred", false},
        {"{\"targets\":{\"l1d.miss_rate\":0.48}}", "l1d.miss_rate", "simulated", true},
        {"{\"targets\":{\"l1d.miss_rate\":0.492}}", "l1d.miss_rate", "simulated", false},
        {"{\"targets\":{\"branch.miss_rate\":0.48}}", "branch.miss_rate", "simulated", true},
        {"{\"targets\":{\"branch.miss_rate\":0.46}}", "branch.miss_rate", "simulated", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *manifest = parse(rows[i].manifest);
        struct observation seen = {
            .source = rows[i].kind, .kind = evidence_kind_named(rows[i].kind), .low = 0.485, .high = 0.495};
        snprintf(seen.metric, sizeof seen.metric, "%s", rows[i].metric);
        if (verdict_settled(given_manifest(manifest), &seen) != rows[i].settled)
            fail_msg("%s: %s of %s is %s", rows[i].manifest, rows[i].kind, rows[i].metric,
                     rows[i].settled ? "not settled" : "settled");
        json_decref(manifest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_on_one_side_is_settled),
        cmocka_unit_test(what_is_asked_decides_what_is_settled),
    };
    return cmocka_run_group_tests_name("runner/verdict_settled", tests, NULL, NULL);
}
