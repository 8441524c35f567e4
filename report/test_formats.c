#include "report/test_formats.h"

#include "base/text/visible.h"
#include "report/page/html.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One test: a metric of a point, or a point that did not run. */
struct test {
    char name[512];
    const char *benchmark;
    enum verdict verdict;
    const char *word; /* the verdict, or "did not run" */
    const char *reason;
    double seconds; /* its share of the point's time */
    bool broken;    /* the point did not run */
};

typedef void test_visitor(const struct test *test, void *context);

static bool is_asked(const struct result_rate *rate)
{
    return rate->verdict != VERDICT_OBSERVED;
}

static void visit_broken(struct test *test, const struct check_finding *finding, test_visitor *visit,
                         void *context)
{
    test->verdict = failure_verdict(finding->code);
    test->word = failure_word(finding->code);
    test->reason = finding->failure;
    test->broken = test->verdict == VERDICT_FAIL;
    visit(test, context);
}

/* All rates of a point come from the same runs, so each test gets an equal share of their time. */
static void visit_finding(const struct check_finding *finding, test_visitor *visit, void *context)
{
    struct test test = {.benchmark = finding->benchmark, .seconds = finding->seconds};
    size_t asked = 0;
    snprintf(test.name, sizeof test.name, "%s/%s", test.benchmark, finding->point);
    if (finding->failure != NULL) {
        visit_broken(&test, finding, visit, context);
        return;
    }
    for (size_t i = 0; i < finding->rates.count; i++)
        asked += is_asked(&finding->rates.items[i]);
    test.seconds /= asked > 0 ? (double)asked : 1;
    for (size_t i = 0; i < finding->rates.count; i++) {
        const struct result_rate *rate = &finding->rates.items[i];
        test.word = verdict_name(rate->verdict);
        test.verdict = rate->verdict;
        test.reason = rate->reason;
        snprintf(test.name, sizeof test.name, "%s/%s %s", test.benchmark, finding->point, rate->metric);
        if (is_asked(rate))
            visit(&test, context);
    }
}

/* benchmark: only that one's findings; NULL: all. */
static void visit_all(const struct check_findings *findings, const char *benchmark, test_visitor *visit,
                      void *context)
{
    for (size_t i = 0; i < findings->count; i++)
        if (benchmark == NULL || strcmp(findings->items[i]->benchmark, benchmark) == 0)
            visit_finding(findings->items[i], visit, context);
}

/* True for metrics that neither passed nor failed: harnesses call them skipped. */
static bool is_skipped(enum verdict verdict)
{
    return verdict == VERDICT_UNOBSERVED || verdict == VERDICT_NOT_APPLICABLE ||
           verdict == VERDICT_INCONCLUSIVE;
}

/* True for a test of which its name and its passing say all. */
static bool is_plain(const struct test *test)
{
    return test->verdict == VERDICT_PASS && test->reason[0] == '\0';
}

static void count_test(const struct test *test, void *context)
{
    (void)test;
    ++*(unsigned *)context;
}

/* What add_tap writes to, and the number of its latest test. */
struct tap {
    struct buffer *text;
    unsigned number;
};

/* One line, in which '#' begins no directive. */
static void add_tap_text(struct buffer *tap, const char *text, bool description)
{
    struct buffer shown = {0};
    buffer_text(&shown, "");
    visible_append(&shown, text);
    for (const char *c = shown.data; *c != '\0'; c++) {
        if (description && (*c == '#' || *c == '\\'))
            buffer_text(tap, "\\");
        buffer_append(tap, c, 1);
    }
    buffer_free(&shown);
}

static void add_tap(const struct test *test, void *context)
{
    struct tap *tap = context;
    struct buffer *text = tap->text;
    buffer_printf(text, "%s %u - ", test->verdict == VERDICT_FAIL ? "not ok" : "ok", ++tap->number);
    add_tap_text(text, test->name, true);
    if (is_skipped(test->verdict)) {
        buffer_printf(text, " # SKIP %s%s", test->word, test->reason[0] == '\0' ? "" : ": ");
        add_tap_text(text, test->reason, false);
    }
    buffer_text(text, "\n");
    if (is_skipped(test->verdict) || is_plain(test))
        return;
    buffer_printf(text, "# %s%s", test->word, test->reason[0] == '\0' ? "" : ": ");
    add_tap_text(text, test->reason, false);
    buffer_text(text, "\n");
}

void report_tap(const struct check_findings *findings, struct buffer *text)
{
    unsigned count = 0;
    struct tap tap = {.text = text};
    visit_all(findings, NULL, count_test, &count);
    buffer_printf(text, "TAP version 13\n1..%u%s\n", count,
                  count == 0 ? " # SKIP no point has a requirement" : "");
    visit_all(findings, NULL, add_tap, &tap);
}

/* ---- JUnit, as Jenkins and Surefire read it ---- */

/* The suite of one benchmark. */
struct suite {
    const char *benchmark;
    struct buffer cases;
    unsigned tests, failures, errors, skipped;
    double seconds;
};

/* The message that CI systems show beside the test's name. */
static void add_outcome(struct suite *suite, const struct test *test)
{
    const char *element = test->broken ? "error" : test->verdict == VERDICT_FAIL ? "failure" : "skipped";
    buffer_printf(&suite->cases, "      <%s message=\"", element);
    html_text(&suite->cases, test->word);
    buffer_text(&suite->cases, test->reason[0] == '\0' ? "" : ": ");
    html_text(&suite->cases, test->reason);
    if (strcmp(element, "skipped") != 0) {
        buffer_text(&suite->cases, "\" type=\"");
        html_text(&suite->cases, test->word);
    }
    buffer_text(&suite->cases, "\"/>\n");
}

static void add_junit(const struct test *test, void *context)
{
    struct suite *suite = context;
    bool passed = test->verdict != VERDICT_FAIL && !is_skipped(test->verdict);
    bool plain = is_plain(test);
    suite->tests++;
    suite->errors += test->broken;
    suite->failures += test->verdict == VERDICT_FAIL && !test->broken;
    suite->skipped += is_skipped(test->verdict);
    suite->seconds += test->seconds;
    buffer_text(&suite->cases, "    <testcase classname=\"");
    html_text(&suite->cases, test->benchmark);
    buffer_text(&suite->cases, "\" name=\"");
    html_text(&suite->cases, test->name);
    buffer_printf(&suite->cases, "\" time=\"%.6f\"%s>\n", test->seconds, plain ? "/" : "");
    if (plain)
        return;
    if (passed)
        html_element_of(&suite->cases, "system-out", "%s%s%s", test->word,
                        test->reason[0] == '\0' ? "" : ": ", test->reason);
    else
        add_outcome(suite, test);
    buffer_text(&suite->cases, "    </testcase>\n");
}

static void write_suite(struct buffer *text, struct suite *suite)
{
    buffer_text(text, "  <testsuite name=\"");
    html_text(text, suite->benchmark);
    buffer_printf(text, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.6f\">\n",
                  suite->tests, suite->failures, suite->errors, suite->skipped, suite->seconds);
    if (suite->cases.size > 0)
        buffer_append(text, suite->cases.data, suite->cases.size);
    buffer_text(text, "  </testsuite>\n");
}

/* True for the first finding of its benchmark. */
static bool is_first(const struct check_findings *findings, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(findings->items[i]->benchmark, findings->items[index]->benchmark) == 0)
            return false;
    return true;
}

void report_junit(const struct check_findings *findings, struct buffer *text)
{
    buffer_text(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"trauma check\">\n");
    for (size_t i = 0; i < findings->count; i++) {
        struct suite suite = {.benchmark = findings->items[i]->benchmark};
        if (!is_first(findings, i))
            continue;
        visit_all(findings, suite.benchmark, add_junit, &suite);
        write_suite(text, &suite);
        buffer_free(&suite.cases);
    }
    buffer_text(text, "</testsuites>\n");
}
