#include "report/verdict_report.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text/plural.h"
#include "base/units.h"
#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "runner/results/results.h"
#include "runner/results/verdict.h"

#include <math.h>
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

/* Answers that people ask for without a bound. Loads have bandwidths wherever they are, so these are shown
 * only where nothing else is requested. */
static bool is_headline(const char *metric, bool question)
{
    static const char *const families[] = {"bandwidth.", "latency.", "insn.", "coherence.",
                                           "branch.distance"};
    for (size_t i = question ? 0 : 1; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(metric, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

/* True for a point that requests nothing but its own bytes: what it is for is what was observed. */
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

static void add_row(struct table *table, const char *name, const char *const cells[4])
{
    table_cell(table, "%s", name);
    for (size_t i = 0; i < 4; i++)
        table_cell(table, "%s", cells[i]);
}

void verdict_list_add(struct verdict_list *list, const struct check_finding *finding)
{
    char name[512];
    bool question = is_a_question(&finding->rates);
    snprintf(name, sizeof name, "%s/%s", finding->benchmark, finding->point);
    enum verdict_rank failed = verdict_rank(failure_verdict(finding->code));
    if (finding->failure != NULL && failed <= list->last)
        add_row(&list->ranks[failed], name,
                (const char *const[]){"", "", failure_word(finding->code), finding->failure});
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
        add_row(&list->ranks[rank], name,
                (const char *const[]){rate->metric, wanted, verdict_name(rate->verdict), evidence});
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

static json_t *side_of(bool there, enum verdict verdict)
{
    return there ? json_string(verdict_name(verdict)) : json_null();
}

static json_t *parameters_of(const struct check_finding *finding)
{
    return finding->parameters == NULL ? json_null() : json_incref(finding->parameters);
}

/* The best evidence: that of the plan, which only predicts, is none. */
static void add_best(const struct result_rate *rate, json_t *line)
{
    const struct observation *best = result_rate_best(rate);
    if (best != NULL && best->kind == EVIDENCE_PREDICTED)
        best = NULL;
    json_object_set_new(line, "source", best == NULL ? json_null() : json_string(best->source));
    json_object_set_new(line, "value", best == NULL ? json_null() : json_from_number(best->value));
    json_object_set_new(line, "low", best == NULL ? json_null() : json_from_number(best->low));
    json_object_set_new(line, "high", best == NULL ? json_null() : json_from_number(best->high));
}

json_t *verdict_line(const struct check_finding *finding, const struct result_rate *rate)
{
    bool target = !isnan(rate->target);
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o}", "benchmark", finding->benchmark, "point",
                  finding->point, "target", finding->target, "metric", rate->metric, "wanted",
                  !target && rate->bounded ? result_rate_bounds(rate) : result_rate_target(rate), "verdict",
                  verdict_name(rate->verdict), "code", side_of(rate->has_code, rate->code), "silicon",
                  side_of(rate->has_silicon, rate->silicon));
    if (target && rate->bounded)
        json_object_set_new(line, "expect", result_rate_bounds(rate));
    if (rate->reason[0] != '\0')
        json_object_set_new(line, "reason", json_string(rate->reason));
    json_object_set_new(line, "observations", observations_to_json(&rate->seen));
    json_object_set_new(line, "parameters", parameters_of(finding));
    json_object_set_new(line, "unit",
                        json_string(metric_is_share(rate->metric) ? "share" : metric_unit(rate->metric)));
    add_best(rate, line);
    return line;
}

json_t *verdict_failure_line(const struct check_finding *finding)
{
    return json_pack(
        "{s:s, s:s, s:s, s:n, s:n, s:s, s:n, s:n, s:o, s:[], s:o}", "benchmark", finding->benchmark, "point",
        finding->point, "target", finding->target, "metric", "wanted", "verdict",
        finding->code == STATUS_RECIPE ? failure_word(finding->code) : "did not run", "code", "silicon",
        "reason", json_from_text(finding->failure), "observations", "parameters", parameters_of(finding));
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
                                        const json_t *parameters)
{
    struct check_finding *finding = memory_zeroed(1, sizeof *finding);
    finding->benchmark = memory_text(benchmark);
    finding->point = memory_text(point);
    finding->target = memory_text(target);
    finding->parameters = json_incref((json_t *)(uintptr_t)parameters);
    finding->cost.overlap = finding->cost.units = finding->cost.range.least_s = finding->cost.range.most_s =
        NAN;
    finding->cost.ticks_per_load = NAN;
    return finding;
}

void check_finding_fail(struct check_finding *finding, const char *failure, enum status code)
{
    json_t *plain = json_from_text(failure);
    finding->failure = memory_text(json_string_value(plain));
    finding->code = code == STATUS_RECIPE || code == STATUS_UNAVAILABLE ? code : STATUS_FAILED;
    json_decref(plain);
}

/* Seconds per pass: the clock that counts a pass's ticks, in seconds as the repetitions' loops took. */
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
    if (cost.overlap <
        RESULT_TOGETHER) { /* the median is of repetitions beside which others hardly ran, too */
        cost.pass_s.n = cost.pass_ticks.n = 0;
        cost.ticks_per_load = NAN;
    }
    return cost;
}

static void judge_recorded(const json_t *first, const struct result_point *point, struct result_rates *rates)
{
    struct tolerances tolerance;
    struct arena arena = {0};
    bool present = json_is_true(json_object_get(results_context(first, point->document), "present"));
    (void)tolerances_read(json_object_get(point->document, "tolerance"), &arena, &tolerance);
    verdict_judge_again(&point->rates, &tolerance, present, rates);
    arena_free(&arena);
}

static struct check_finding *begin_finding(const struct result_point *point)
{
    struct check_finding *finding =
        check_finding_new(point->benchmark, point->name, point->target, point->parameters);
    finding->index = point->index;
    finding->cost = cost_of(point);
    for (size_t i = 0; i < point->rep_count; i++)
        finding->seconds += isfinite(point->reps[i].wall_s) ? point->reps[i].wall_s : 0;
    if (point->error != NULL)
        check_finding_fail(finding, point->error, point->code);
    return finding;
}

struct check_finding *check_finding_judged(const json_t *first, const struct result_point *point)
{
    struct check_finding *finding = begin_finding(point);
    if (point->error == NULL)
        judge_recorded(first, point, &finding->rates);
    return finding;
}

struct check_finding *check_finding_recorded(const json_t *first, const json_t *document)
{
    struct result_point point;
    result_point_read(document, &point);
    struct check_finding *finding =
        first != NULL ? check_finding_judged(first, &point) : begin_finding(&point);
    if (first == NULL && point.error == NULL) {
        finding->rates = point.rates;
        point.rates = (struct result_rates){0};
    }
    result_point_free(&point);
    return finding;
}

void check_finding_free(struct check_finding *finding)
{
    if (finding == NULL)
        return;
    free(finding->benchmark);
    free(finding->point);
    free(finding->target);
    json_decref(finding->parameters);
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
