/* The scorecard: which rates become rows, what their worst point and verdict are, what is worse than before,
 * and that its document reads back. */
#include "base/file.h"
#include "report/scorecard/scorecard.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A point of "loads" with one rate: what was asked, what a simulator and time saw (NAN: not), and the
 * verdict. */
static void add_rate(struct scorecard *card, const char *metric, double asked, double code, double silicon,
                     enum verdict verdict)
{
    char name[32];
    snprintf(name, sizeof name, "share=%g", asked);
    struct check_finding *finding = check_finding_new("loads", name, "x86_64", &value_none);
    struct observations seen = {0};
    observations_add(&seen, metric, "plan", EVIDENCE_PREDICTED, 7, 7, 7, 1);
    if (!isnan(code))
        observations_add(&seen, metric, "qemu", EVIDENCE_SIMULATED, code, code, code, 1);
    if (!isnan(silicon))
        observations_add(&seen, metric, "timing", EVIDENCE_INFERRED, silicon, silicon - 0.01, silicon + 0.01,
                         9);
    const struct result_rate rate = {
        .metric = metric, .target = asked, .verdict = verdict, .reason = "", .seen = seen};
    result_rates_add(&finding->rates, &rate);
    scorecard_add(card, finding);
    check_finding_free(finding);
}

static struct scorecard new_card(void)
{
    struct scorecard card = {
        .version = "0", .date = "2001-02-03", .machine = "m", .cpu = "c", .isa = "x86_64", .caches = ""};
    card.behaviours = arena_alloc(&card.arena, 1, sizeof *card.behaviours);
    card.behaviour_count = 1;
    card.behaviours[0] = (struct score_behaviour){.name = "loads", .title = "Loads", .metric_count = 1};
    card.behaviours[0].metrics = arena_alloc(&card.arena, 1, sizeof *card.behaviours[0].metrics);
    card.behaviours[0].metrics[0] = "served.L2";
    return card;
}

static void has_rows_of_what_is_listed(void **state)
{
    (void)state;
    struct scorecard card = new_card();
    size_t count;
    double error;
    char text[64];
    add_rate(&card, "served.L2", 0.5, 0.5, NAN, VERDICT_PASS_CODE);
    add_rate(&card, "served.L2", 0.9, 0.9, 0.86, VERDICT_INCONCLUSIVE);
    add_rate(&card, "served.L2", 0.1, 0.102, 0.11, VERDICT_PASS);
    add_rate(&card, "mix.load", 0.3, 0.3, NAN, VERDICT_PASS);      /* not listed */
    add_rate(&card, "served.L2", NAN, 0.3, NAN, VERDICT_OBSERVED); /* not asked for */
    assert_int_equal(card.row_count, 1);
    const struct score_row *row = card.rows;
    assert_int_equal(row->count, 3);
    assert_int_equal(score_row_verdict(row, &count), VERDICT_INCONCLUSIVE);
    assert_int_equal(count, 1);
    assert_string_equal(score_row_worst(row, SCORE_SILICON, &error)->name, "share=0.9");
    assert_true(fabs(error - 0.04) < 1e-12);
    assert_string_equal(score_row_worst(row, SCORE_CODE, &error)->name, "share=0.1");
    assert_true(fabs(error - 0.002) < 1e-12);
    score_row_stated(row, text, sizeof text);
    assert_string_equal(text, "0.1 to 0.9");
    score_row_sources(row, SCORE_CODE, text, sizeof text);
    assert_string_equal(text, "qemu");
    add_rate(&card, "mix.load", 0.3, 0.2, NAN, VERDICT_FAIL); /* no failure is left out */
    assert_int_equal(card.row_count, 2);
    assert_int_equal(scorecard_count(&card).rows[VERDICT_FAIL], 1);
    assert_int_equal(scorecard_count(&card).silicon, 1);
    scorecard_free(&card);
}

/* The later card has this one rate; the changes' text, "" for none. */
static void compare(double code, double silicon, enum verdict verdict, size_t worse, const char *what)
{
    struct scorecard old = new_card(), card = new_card();
    add_rate(&old, "served.L2", 0.5, 0.5, 0.52, VERDICT_PASS);
    add_rate(&card, "served.L2", 0.5, code, silicon, verdict);
    struct score_changes changes = scorecard_compare(&old, &card, 0.02);
    assert_int_equal(changes.worse, worse);
    assert_string_equal(changes.count == 0 ? "" : changes.items[changes.count - 1].what, what);
    scorecard_free(&old);
    scorecard_free(&card);
}

static void tells_what_became_worse(void **state)
{
    (void)state;
    compare(0.5, 0.52, VERDICT_PASS, 0, "");
    compare(0.5, 0.545, VERDICT_PASS, 0, ""); /* within the interval */
    compare(0.5, 0.47, VERDICT_INCONCLUSIVE, 0, "pass before, now inconclusive");
    compare(0.5, 0.6, VERDICT_INCONCLUSIVE, 1, "silicon: largest error 0.02 before, now 0.1 (timing)");
    compare(0.53, 0.5, VERDICT_PASS, 1, "code: largest error 0 before, now 0.03 (qemu)");
    compare(0.5, NAN, VERDICT_PASS_CODE, 1, "silicon: observed before by timing, now by no source");
    compare(0.5, 0.52, VERDICT_FAIL, 1, "pass before, now fail");
    struct scorecard old = new_card(), card = new_card();
    add_rate(&old, "served.L2", 0.5, 0.5, NAN, VERDICT_PASS_CODE);
    assert_int_equal(scorecard_compare(&old, &card, 0.02).worse, 1); /* not judged any more */
    assert_int_equal(scorecard_compare(&card, &old, 0.02).worse, 0);
    scorecard_free(&old);
    scorecard_free(&card);
}

static void reads_back(void **state)
{
    (void)state;
    struct scorecard card = new_card(), read;
    struct error error = {0};
    struct buffer text = {0};
    double far;
    add_rate(&card, "served.L2", 0.5, 0.5, 0.53, VERDICT_PASS);
    add_rate(&card, "served.L2", 0.75, NAN, 0.7, VERDICT_FAIL);
    scorecard_write(&card, false, &text);
    assert_int_equal(file_write("card.json", text.data, text.size, false, &error), STATUS_OK);
    assert_int_equal(scorecard_read("card.json", &read, &error), STATUS_OK);
    assert_int_equal(read.row_count, 1);
    assert_int_equal(read.rows[0].points[1].verdict, VERDICT_FAIL);
    assert_null(read.rows[0].points[1].observed[SCORE_CODE].source);
    assert_string_equal(score_row_worst(&read.rows[0], SCORE_SILICON, &far)->name, "share=0.75");
    assert_int_equal(scorecard_compare(&read, &card, 0.02).count, 0);
    scorecard_free(&read);
    const char *const wrong[] = {
        "{}",
        "[1]",
        "{\"kind\":\"scorecard\",\"schema\":9}",
        "{\"kind\":\"scorecard\",\"schema\":1,\"machine\":{\"name\":\"m\",\"cpu\":\"c\"},\"rows\":[{}]}",
        "{\"kind\":\"scorecard\",\"schema\":1,\"rows\":[{\"behaviour\":7}]}",
        "{"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(file_write("wrong.json", wrong[i], strlen(wrong[i]), false, &error), STATUS_OK);
        assert_int_not_equal(scorecard_read("wrong.json", &read, &error), STATUS_OK);
        assert_true(strstr(error.message, "wrong.json") != NULL);
        scorecard_free(&read);
    }
    unlink("card.json");
    unlink("wrong.json");
    buffer_free(&text);
    scorecard_free(&card);
}

static void escapes_what_it_shows(void **state)
{
    (void)state;
    struct scorecard card = new_card();
    struct buffer page = {0};
    card.machine = "<b>m</b>";
    scorecard_page(&card, NULL, NULL, &page); /* without a row or a picture */
    assert_null(strstr(page.data, "<b>m"));
    buffer_free(&page);
    scorecard_badge(&card, &page);
    assert_non_null(strstr(page.data, "0 of 0 hold"));
    buffer_free(&page);
    scorecard_free(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_rows_of_what_is_listed),
        cmocka_unit_test(tells_what_became_worse),
        cmocka_unit_test(reads_back),
        cmocka_unit_test(escapes_what_it_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
