#include "report/verdict_report.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text/plural.h"
#include "base/text/visible.h"
#include "base/units.h"
#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "report/page/html.h"
#include "runner/results/results.h"
#include "runner/results/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tally_rates(const struct result_rates *rates, struct tally *tally)
{
    unsigned *const counters[] = {
        [VERDICT_PASS] = &tally->passed,
        [VERDICT_PASS_CODE] = &tally->passed_code,
        [VERDICT_DISPUTED] = &tally->disputed,
        [VERDICT_INCONCLUSIVE] = &tally->inconclusive,
        [VERDICT_FAIL] = &tally->failed,
        [VERDICT_UNOBSERVED] = &tally->unobserved,
        [VERDICT_NOT_APPLICABLE] = &tally->not_applicable,
        [VERDICT_OBSERVED] = &tally->observed,
    };
    for (size_t i = 0; i < rates->count; i++) {
        ++*counters[rates->items[i].verdict];
        tally->silicon_due += rates->items[i].silicon_due;
    }
}

enum verdict_rank verdict_rank(enum verdict verdict)
{
    if (verdict == VERDICT_FAIL)
        return RANK_FAILED;
    return verdict == VERDICT_INCONCLUSIVE || verdict == VERDICT_UNOBSERVED ? RANK_OPEN : RANK_PASSED;
}

const struct verdict_look verdict_looks[VERDICT_LOOKS] = {
    {VERDICT_FAIL, "fail", "\xe2\x9c\x97", "#a3230e"},
    {VERDICT_INCONCLUSIVE, "inconclusive", "~", "#7a5200"},
    {VERDICT_DISPUTED, "disputed", "!", "#7a5200"},
    {VERDICT_UNOBSERVED, "unobserved", "?", "#7a5200"},
    {VERDICT_PASS_CODE, "pass-code", "\xe2\x9c\x93", "#0b6b3a"},
    {VERDICT_PASS, "pass", "\xe2\x9c\x93", "#0b6b3a"},
    {VERDICT_NOT_APPLICABLE, "not-applicable", "\xe2\x80\x93", "#555555"},
};

size_t verdict_urgency(enum verdict verdict)
{
    size_t i = 0;
    while (i < VERDICT_LOOKS && verdict_looks[i].verdict != verdict)
        i++;
    return i;
}

void verdict_requirement(const struct result_rate *rate, char *text, size_t capacity)
{
    size_t used = 0;
    char unit[32];
    double scale = metric_scale(rate->metric);
    metric_write_unit(rate->metric, unit, sizeof unit);
    text[0] = '\0';
    if (!isnan(rate->target))
        used = (size_t)snprintf(text, capacity, "%.6g%s", rate->target * scale, unit);
    double min = rate->min * scale, max = rate->max * scale;
    const char *gap = used > 0 ? ", " : "";
    if (isfinite(min) && min == max)
        snprintf(text + used, capacity - used, "%s%.6g%s", gap, min, unit);
    else if (isfinite(min) && isfinite(max))
        snprintf(text + used, capacity - used, "%s%.6g to %.6g%s", gap, min, max, unit);
    else if (isfinite(min))
        snprintf(text + used, capacity - used, "%s>= %.6g%s", gap, min, unit);
    else if (isfinite(max))
        snprintf(text + used, capacity - used, "%s<= %.6g%s", gap, max, unit);
}

size_t verdict_observations(const struct result_rate *rate, char *text, size_t capacity)
{
    size_t used = 0;
    char unit[32], number[32];
    double scale = metric_scale(rate->metric);
    metric_write_unit(rate->metric, unit, sizeof unit);
    text[0] = '\0';
    for (size_t i = 0; i < rate->seen.count && used < capacity; i++) {
        const struct observation *one = &rate->seen.items[i];
        if (one->kind == EVIDENCE_PREDICTED)
            continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s %s", used == 0 ? "" : ", ", one->source,
                                 units_show_number(one->value * scale, number, sizeof number));
        if (isfinite(one->low) && one->low != one->high && used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, " [%.4g, %.4g]", one->low * scale,
                                     one->high * scale);
        if (used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, "%s", unit);
        if (metric_doubt(one->low, one->doubt)[0] != '\0' && used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, " ?");
        if (one->part[0] != '\0' && used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, " (%s)", one->part);
    }
    return used;
}

void verdict_marks(const struct result_rate *rate, const char *row, struct table *table)
{
    for (size_t i = 0; i < rate->seen.count; i++) {
        const struct observation *one = &rate->seen.items[i];
        if (one->kind != EVIDENCE_PREDICTED)
            table_doubt(table, metric_doubt(one->low, one->doubt), row);
    }
}

void verdict_explanation(enum verdict verdict, const char *reason, struct table *table, size_t used,
                         char *text, size_t capacity)
{
    if (reason[0] == '\0' || used >= capacity)
        return;
    if (used > 0)
        used += (size_t)snprintf(text + used, capacity - used, "; ");
    bool shared = verdict == VERDICT_UNOBSERVED || verdict == VERDICT_PASS_CODE || verdict == VERDICT_PASS;
    if (used < capacity)
        table_note(shared ? table : NULL, reason, text + used, capacity - used);
}

void verdict_evidence(const struct result_rate *rate, struct table *table, char *text, size_t capacity)
{
    size_t used = verdict_observations(rate, text, capacity);
    verdict_explanation(rate->verdict, rate->reason, table, used, text, capacity);
}

/* ---- the list for a terminal ---- */

/* Whether users want to read the metric even if it has no bound. All loads have a bandwidth: it is shown only
 * if the point requires nothing else (question). */
static bool is_headline(const char *metric, bool question)
{
    static const char *const families[] = {"bandwidth.", "latency.", "insn.", "coherence.",
                                           "branch.distance"};
    for (size_t i = question ? 0 : 1; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(metric, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

/* Whether the point requires nothing but properties of its own bytes: then its purpose is the observation. */
static bool is_a_question(const struct result_rates *rates)
{
    for (size_t i = 0; i < rates->count; i++) {
        const struct result_rate *rate = &rates->items[i];
        bool own = metric_is_listed(rate->metric) || strncmp(rate->metric, "data.", 5) == 0;
        if (rate->verdict != VERDICT_OBSERVED && !own)
            return false;
    }
    return true;
}

struct verdict_list verdict_list_new(enum verdict_rank last, bool verbose)
{
    struct verdict_list list = {.last = last, .verbose = verbose};
    for (size_t i = 0; i < VERDICT_RANKS; i++)
        list.ranks[i] = table_of("point|metric|>wanted|verdict|evidence");
    return list;
}

void verdict_list_add(struct verdict_list *list, const struct check_finding *finding)
{
    char name[512];
    bool question = is_a_question(&finding->rates);
    snprintf(name, sizeof name, "%s/%s", finding->benchmark, finding->point);
    enum verdict_rank failed = verdict_rank(failure_verdict(finding->code));
    if (finding->failure != NULL && failed <= list->last)
        table_texts(&list->ranks[failed], name, "", "", failure_word(finding->code), finding->failure);
    for (size_t i = 0; i < finding->rates.count; i++) {
        const struct result_rate *rate = &finding->rates.items[i];
        char wanted[64];
        char evidence[1024];
        enum verdict_rank rank = verdict_rank(rate->verdict);
        bool shown =
            rate->verdict != VERDICT_OBSERVED || list->verbose || is_headline(rate->metric, question);
        if (!shown || rank > list->last)
            continue;
        verdict_requirement(rate, wanted, sizeof wanted);
        verdict_evidence(rate, list->verbose ? NULL : &list->ranks[0], evidence, sizeof evidence);
        verdict_marks(rate, name, &list->ranks[0]);
        table_texts(&list->ranks[rank], name, rate->metric, wanted, verdict_name(rate->verdict), evidence);
    }
}

void verdict_list_print(struct verdict_list *list, FILE *to)
{
    struct table *all = &list->ranks[0];
    for (size_t i = 1; i < VERDICT_RANKS; i++)
        table_take_rows(all, &list->ranks[i]);
    if (all->cell_count > 0) {
        fputc('\n', to);
        table_print(all, to);
    }
    verdict_list_free(list);
}

void verdict_list_free(struct verdict_list *list)
{
    for (size_t i = 0; i < VERDICT_RANKS; i++)
        table_free(&list->ranks[i]);
}

static void write_side(struct json_text *text, const char *key, bool there, enum verdict verdict)
{
    if (there)
        json_text_string(text, key, verdict_name(verdict));
    else
        json_text_null(text, key);
}

/* Writes the best evidence. The plan's prediction is none. */
static void write_best(struct json_text *text, const struct result_rate *rate)
{
    static const char *const names[] = {"source", "value", "low", "high"};
    const struct observation *best = result_rate_best(rate);
    if (best == NULL || best->kind == EVIDENCE_PREDICTED) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            json_text_null(text, names[i]);
        return;
    }
    const double numbers[] = {best->value, best->low, best->high};
    json_text_string(text, names[0], best->source);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (isfinite(numbers[i]))
            json_text_number(text, names[i + 1], numbers[i]);
}

void verdict_line(struct json_text *text, const struct check_finding *finding, const struct result_rate *rate)
{
    bool target = !isnan(rate->target);
    json_text_open(text, NULL, '{');
    json_text_string(text, "benchmark", finding->benchmark);
    json_text_string(text, "point", finding->point);
    json_text_string(text, "target", finding->target);
    json_text_string(text, "metric", rate->metric);
    if (!target && rate->bounded)
        result_rate_write_bounds(text, "wanted", rate);
    else
        result_rate_write_target(text, "wanted", rate);
    json_text_string(text, "verdict", verdict_name(rate->verdict));
    write_side(text, "code", rate->has_code, rate->code);
    write_side(text, "silicon", rate->has_silicon, rate->silicon);
    if (target && rate->bounded)
        result_rate_write_bounds(text, "expect", rate);
    if (rate->reason[0] != '\0')
        json_text_string(text, "reason", rate->reason);
    observations_write(text, "observations", &rate->seen);
    json_text_any(text, "parameters", &finding->parameters);
    json_text_string(text, "unit", metric_is_share(rate->metric) ? "share" : metric_unit(rate->metric));
    write_best(text, rate);
    json_text_close(text, '}');
}

void verdict_failure_line(struct json_text *text, const struct check_finding *finding)
{
    json_text_open(text, NULL, '{');
    json_text_string(text, "benchmark", finding->benchmark);
    json_text_string(text, "point", finding->point);
    json_text_string(text, "target", finding->target);
    json_text_null(text, "metric");
    json_text_null(text, "wanted");
    json_text_string(text, "verdict",
                     finding->code == STATUS_RECIPE ? failure_word(finding->code) : "did not run");
    json_text_null(text, "code");
    json_text_null(text, "silicon");
    json_text_string(text, "reason", finding->failure);
    json_text_open(text, "observations", '[');
    json_text_close(text, ']');
    json_text_any(text, "parameters", &finding->parameters);
    json_text_close(text, '}');
}

void tally_summary(const struct tally *tally, size_t points, struct buffer *text)
{
    const struct {
        unsigned count;
        const char *name;
    } parts[] = {{tally->passed, "pass"},
                 {tally->passed_code, "pass (code)"},
                 {tally->disputed, "pass, disputed"},
                 {tally->failed, "fail"},
                 {tally->inconclusive, "inconclusive"},
                 {tally->unobserved, "unobserved"},
                 {tally->not_applicable, "not applicable"},
                 {tally->skipped, tally->skipped == 1 ? "point skipped" : "points skipped"},
                 {tally->refused, "refused"},
                 {tally->broken, tally->broken == 1 ? "point that did not run" : "points that did not run"},
                 {tally->unreached, tally->unreached == 1 ? "point whose rate cannot be reached"
                                                          : "points whose rates cannot be reached"},
                 {tally->absent, tally->absent == 1 ? "point that this machine cannot run"
                                                    : "points that this machine cannot run"}};
    buffer_printf(text, "%zu point%s", points, plural_s(points));
    const char *gap = ": ";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].count == 0)
            continue;
        buffer_printf(text, "%s%u %s", gap, parts[i].count, parts[i].name);
        gap = "; ";
    }
    buffer_printf(text, "%s\n", gap[0] == ':' && points > 0 ? " without requirements" : "");
    if (tally->passed_code > 0)
        buffer_printf(text, "pass (code): no source here observes the silicon; by inspection and simulation, "
                            "the code meets the rate\n");
}

enum verdict failure_verdict(enum status code)
{
    return code == STATUS_UNAVAILABLE ? VERDICT_UNOBSERVED : VERDICT_FAIL;
}

const char *failure_word(enum status code)
{
    return code == STATUS_RECIPE ? "refused" : code == STATUS_UNAVAILABLE ? "cannot run here" : "did not run";
}

void tally_failure(enum status code, struct tally *tally)
{
    if (code == STATUS_RECIPE)
        tally->refused++;
    else if (code == STATUS_UNAVAILABLE)
        tally->absent++;
    else
        tally->broken++;
}

struct check_finding *check_finding_new(const char *benchmark, const char *point, const char *target,
                                        const struct value *parameters)
{
    struct check_finding *finding = memory_zeroed(1, sizeof *finding);
    finding->benchmark = memory_text(benchmark);
    finding->point = memory_text(point);
    finding->target = memory_text(target);
    finding->parameters = value_copy(parameters, &finding->arena);
    finding->cost.overlap = finding->cost.units = finding->cost.range.least_s = finding->cost.range.most_s =
        NAN;
    finding->cost.ticks_per_load = NAN;
    return finding;
}

void check_finding_fail(struct check_finding *finding, const char *failure, enum status code)
{
    finding->failure = json_plain(failure);
    finding->code = code == STATUS_RECIPE || code == STATUS_UNAVAILABLE ? code : STATUS_FAILED;
}

/* Seconds per pass: the ticks per pass times the median of the repetitions' seconds per tick. */
static struct interval pass_seconds(const struct result_point *point)
{
    struct interval pass = point->ticks_per_pass;
    double *ratios = memory_zeroed(point->rep_count + 1, sizeof *ratios);
    size_t count = 0;
    for (size_t i = 0; i < point->rep_count; i++)
        if (point->reps[i].seconds > 0 && point->reps[i].ticks > 0)
            ratios[count++] = point->reps[i].seconds / point->reps[i].ticks;
    double ratio = stats_median(ratios, count);
    free(ratios);
    return (struct interval){ratio * pass.value, ratio * pass.low, ratio * pass.high, count > 0 ? pass.n : 0};
}

static struct point_cost cost_of(const struct result_point *point)
{
    struct metric_value load, pass;
    struct point_cost cost = {
        .pass_s = pass_seconds(point),
        .pass_ticks = point->ticks_per_pass,
        .units = point->units,
        .overlap = point->rep_count > 0 && point->reps[0].company.count > 0 ? point->overlap : NAN,
        .range = result_unit_range(point->reps, point->rep_count, point->units, point->overlap),
        .power_w = result_value(&point->power.values, "power.dynamic_w"),
        .ticks_per_load = metric_value_of(point, "ticks_per_load", &load) ? load.value : NAN,
        .one_by_one = point->one_by_one,
        .idle = point->placed && point->copy_count == 0,
        .skipped = point->skipped != NULL};
    if (metric_value_of(point, "time.ticks_per_pass", &pass))
        snprintf(cost.pass_doubt, sizeof cost.pass_doubt, "%s", pass.doubt);
    if (point->power.verdict != NULL)
        snprintf(cost.power_doubt, sizeof cost.power_doubt, "%s",
                 power_doubt(point->power.verdict, point->power.reason == NULL ? "" : point->power.reason));
    /* The median includes repetitions during which the other kernels hardly ran. */
    if (cost.overlap < RESULT_TOGETHER) {
        cost.pass_s.n = cost.pass_ticks.n = 0;
        cost.ticks_per_load = NAN;
    }
    return cost;
}

static struct check_finding *begin_finding(const struct result_point *point)
{
    struct check_finding *finding =
        check_finding_new(point->benchmark, point->name, point->target, &point->parameters);
    finding->index = point->index;
    finding->cost = cost_of(point);
    for (size_t i = 0; i < point->rep_count; i++)
        finding->seconds += isfinite(point->reps[i].wall_s) ? point->reps[i].wall_s : 0;
    if (point->error != NULL)
        check_finding_fail(finding, point->error, point->code);
    return finding;
}

struct check_finding *check_finding_judged(const struct results_context *first,
                                           const struct result_point *point)
{
    static const struct tolerances none = {.general = -1};
    const struct results_context *own = results_context_of(first, (size_t)point->context);
    struct check_finding *finding = begin_finding(point);
    if (point->error == NULL)
        verdict_judge_again(&point->rates, point->tolerance == NULL ? &none : point->tolerance,
                            own != NULL && own->present, &finding->rates);
    return finding;
}

struct check_finding *check_finding_recorded(struct result_point *point)
{
    struct check_finding *finding = begin_finding(point);
    if (point->error == NULL) {
        finding->rates = point->rates;
        point->rates = (struct result_rates){0};
    }
    return finding;
}

void check_finding_free(struct check_finding *finding)
{
    if (finding == NULL)
        return;
    free(finding->benchmark);
    free(finding->point);
    free(finding->target);
    arena_free(&finding->arena);
    free(finding->failure);
    result_rates_free(&finding->rates);
    free(finding);
}

enum status tally_status(const struct tally *tally, bool strict)
{
    if (tally->refused > 0)
        return STATUS_RECIPE;
    if (tally->failed + tally->unreached > 0)
        return STATUS_MISSED;
    if (tally->broken > 0)
        return STATUS_FAILED;
    if (tally->absent > 0)
        return STATUS_UNAVAILABLE;
    unsigned open = tally->unobserved + tally->inconclusive + tally->silicon_due + tally->skipped;
    return strict && open > 0 ? STATUS_UNAVAILABLE : STATUS_OK;
}

bool tally_saw_nothing(const struct tally *tally)
{
    unsigned judged =
        tally->passed + tally->passed_code + tally->disputed + tally->inconclusive + tally->failed;
    return judged == 0 && (tally->observed == 0 || tally->unobserved > 0);
}

/* ---- for test harnesses and CI systems ---- */

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

static bool is_required(const struct result_rate *rate)
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

/* Visits the finding's tests. Each has an equal share of the point's time, as all rates come from the same
 * runs. */
static void visit_finding(const struct check_finding *finding, test_visitor *visit, void *context)
{
    struct test test = {.benchmark = finding->benchmark, .seconds = finding->seconds};
    size_t required = 0;
    snprintf(test.name, sizeof test.name, "%s/%s", test.benchmark, finding->point);
    if (finding->failure != NULL) {
        visit_broken(&test, finding, visit, context);
        return;
    }
    for (size_t i = 0; i < finding->rates.count; i++)
        required += is_required(&finding->rates.items[i]);
    test.seconds /= required > 0 ? (double)required : 1;
    for (size_t i = 0; i < finding->rates.count; i++) {
        const struct result_rate *rate = &finding->rates.items[i];
        test.word = verdict_name(rate->verdict);
        test.verdict = rate->verdict;
        test.reason = rate->reason;
        snprintf(test.name, sizeof test.name, "%s/%s %s", test.benchmark, finding->point, rate->metric);
        if (is_required(rate))
            visit(&test, context);
    }
}

/* Visits the tests of all findings; benchmark: only of that benchmark's, NULL: of all. */
static void visit_all(const struct check_findings *findings, const char *benchmark, test_visitor *visit,
                      void *context)
{
    for (size_t i = 0; i < findings->count; i++)
        if (benchmark == NULL || strcmp(findings->items[i]->benchmark, benchmark) == 0)
            visit_finding(findings->items[i], visit, context);
}

/* Whether a metric neither passed nor failed, which harnesses call skipped. */
static bool is_skipped(enum verdict verdict)
{
    return verdict == VERDICT_UNOBSERVED || verdict == VERDICT_NOT_APPLICABLE ||
           verdict == VERDICT_INCONCLUSIVE;
}

/* Whether the test passed without a remark. */
static bool is_plain(const struct test *test)
{
    return test->verdict == VERDICT_PASS && test->reason[0] == '\0';
}

static void count_test(const struct test *test, void *context)
{
    (void)test;
    ++*(unsigned *)context;
}

/* The output of add_tap, and the number of its latest test. */
struct tap {
    struct buffer *text;
    unsigned number;
};

/* Appends the text as one line. In a description '#' is escaped, as it would begin a directive. */
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

/* Adds the message that CI systems show beside the test's name. */
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
