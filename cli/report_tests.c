#include "cli/report_tests.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "runner/verdict.h"

#include <stdio.h>
#include <string.h>

/* One test: a metric of a point, or a point that did not run. */
struct test {
    char name[512];
    const char *benchmark;
    enum verdict verdict;
    const char *word; /* the verdict, or "did not run" */
    const char *reason;
};

typedef void test_visitor(const struct test *test, void *context);

static void visit_point(const json_t *point, test_visitor *visit, void *context)
{
    struct test test = {.benchmark = json_string_or(point, "benchmark", "")};
    const char *name = json_string_or(point, "point", "");
    const char *failure = json_string_or(point, "error", NULL);
    if (failure != NULL) {
        snprintf(test.name, sizeof test.name, "%s/%s", test.benchmark, name);
        bool absent = json_number_or(point, "code", 0) == STATUS_UNAVAILABLE;
        test.verdict = absent ? VERDICT_UNOBSERVED : VERDICT_FAIL;
        test.word = absent ? "cannot run here" : "did not run";
        test.reason = failure;
        visit(&test, context);
        return;
    }
    const char *metric;
    json_t *entry;
    json_object_foreach(json_object_get(point, "rates"), metric, entry)
    {
        test.word = json_string_or(entry, "verdict", "");
        test.verdict = verdict_from_name(test.word);
        test.reason = json_string_or(entry, "reason", "");
        snprintf(test.name, sizeof test.name, "%s/%s %s", test.benchmark, name, metric);
        if (test.verdict != VERDICT_OBSERVED)
            visit(&test, context);
    }
}

static void visit_all(const json_t *points, test_visitor *visit, void *context)
{
    for (size_t i = 0; i < json_array_size(points); i++)
        visit_point(json_array_get(points, i), visit, context);
}

/* Neither passed nor failed: harnesses call it skipped. */
static bool is_skipped(enum verdict verdict)
{
    return verdict == VERDICT_UNOBSERVED || verdict == VERDICT_NOT_APPLICABLE ||
           verdict == VERDICT_INCONCLUSIVE;
}

static void count_test(const struct test *test, void *context)
{
    (void)test;
    ++*(unsigned *)context;
}

static void print_tap(const struct test *test, void *context)
{
    unsigned *number = context;
    printf("%s %u - %s", test->verdict == VERDICT_FAIL ? "not ok" : "ok", ++*number, test->name);
    if (is_skipped(test->verdict))
        printf(" # SKIP %s%s%s", test->word, test->reason[0] == '\0' ? "" : ": ", test->reason);
    printf("\n");
    if (!is_skipped(test->verdict) && test->reason[0] != '\0')
        printf("# %s: %s\n", test->word, test->reason);
}

void report_tap(const json_t *points)
{
    unsigned count = 0;
    unsigned number = 0;
    visit_all(points, count_test, &count);
    printf("TAP version 13\n1..%u\n", count);
    visit_all(points, print_tap, &number);
}

struct junit {
    struct buffer cases;
    unsigned tests, failures, skipped;
};

static void escape(struct buffer *buffer, const char *text)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (i < 4 && entities[i].character != *text)
            i++;
        if (i < 4)
            buffer_text(buffer, entities[i].entity);
        else if ((unsigned char)*text < ' ')
            buffer_text(buffer, " ");
        else
            buffer_append(buffer, text, 1);
    }
}

static void add_junit(const struct test *test, void *context)
{
    struct junit *junit = context;
    const char *element = test->verdict == VERDICT_FAIL ? "failure" : "skipped";
    bool plain = test->verdict != VERDICT_FAIL && !is_skipped(test->verdict);
    junit->tests++;
    junit->failures += test->verdict == VERDICT_FAIL;
    junit->skipped += is_skipped(test->verdict);
    buffer_text(&junit->cases, "    <testcase classname=\"");
    escape(&junit->cases, test->benchmark);
    buffer_text(&junit->cases, "\" name=\"");
    escape(&junit->cases, test->name);
    buffer_text(&junit->cases, plain ? "\"/>\n" : "\">\n");
    if (plain)
        return;
    buffer_printf(&junit->cases, "      <%s message=\"", element);
    escape(&junit->cases, test->word);
    buffer_text(&junit->cases, test->reason[0] == '\0' ? "" : ": ");
    escape(&junit->cases, test->reason);
    buffer_text(&junit->cases, "\"/>\n    </testcase>\n");
}

enum status report_junit(const json_t *points, const char *path, struct error *error)
{
    struct junit junit = {0};
    struct buffer text = {0};
    visit_all(points, add_junit, &junit);
    buffer_printf(&text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                  "  <testsuite name=\"trauma\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\">\n",
                  junit.tests, junit.failures, junit.skipped);
    if (junit.cases.size > 0)
        buffer_append(&text, junit.cases.data, junit.cases.size);
    buffer_text(&text, "  </testsuite>\n</testsuites>\n");
    enum status status = file_write(path, text.data, text.size, false, error);
    buffer_free(&junit.cases);
    buffer_free(&text);
    return status;
}
