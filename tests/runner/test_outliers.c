/* Outlier repetitions: flagged in the point, reported in a warning, and kept. */
#include "base/json.h"
#include "runner/measure/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Five repetitions of these ticks. */
static json_t *make_reps(const double *ticks)
{
    json_t *reps = json_array();
    for (size_t i = 0; i < 5; i++)
        json_array_append_new(reps, json_pack("{s:i, s:I, s:f}", "iterations", 100, "ticks",
                                              (json_int_t)ticks[i], "seconds", 0.5));
    return reps;
}

/* The flags as a text, '1' for a repetition that is flagged. */
static void judge(const json_t *documents, struct warnings *warnings, char text[8])
{
    struct arena arena = {0};
    size_t count;
    struct result_rep *reps = result_reps_read(documents, &arena, &count);
    outliers_flag(reps, count, warnings);
    for (size_t i = 0; i < count; i++)
        text[i] = reps[i].outlier ? '1' : '0';
    text[count] = '\0';
    arena_free(&arena);
}

static void expect(const double *ticks, const char *flags, const char *what)
{
    char found[8];
    json_t *reps = make_reps(ticks);
    struct warnings warnings = {0};
    judge(reps, &warnings, found);
    assert_string_equal(found, flags);
    assert_int_equal(json_array_size(reps), 5);
    assert_int_equal(warnings.count, what == NULL ? 0 : 1);
    if (what != NULL && strstr(warnings.items[0].what, what) == NULL)
        fail_msg("'%s' is not in '%s'", what, warnings.items[0].what);
    json_decref(reps);
    warnings_free(&warnings);
}

static void test_ticks(void **state)
{
    (void)state;
    const double quiet[] = {1000, 1001, 999, 1000, 1010};
    const double one_slow[] = {1000, 1001, 1410, 1000, 999};
    expect(quiet, "00000", NULL);
    expect(one_slow, "00100", "1 of 5 repetitions are outliers in ticks per pass, repetition 3 by +41 %");
}

/* What is not told is not judged. */
static void test_unknown(void **state)
{
    (void)state;
    json_t *reps = json_pack("[{},{},{},{},{s:i}]", "ticks", 5);
    struct warnings warnings = {0};
    char unused[8];
    judge(reps, &warnings, unused);
    assert_int_equal(warnings.count, 0);
    json_decref(reps);
    reps = json_array();
    judge(reps, &warnings, unused);
    assert_int_equal(warnings.count, 0);
    json_decref(reps);
    warnings_free(&warnings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
