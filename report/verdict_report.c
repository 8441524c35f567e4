#include "report/verdict_report.h"

#include "base/json.h"
#include "base/plural.h"
#include "base/units.h"
#include "runner/results/results.h"
#include "runner/results/verdict.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static enum verdict verdict_of(const json_t *entry)
{
    return verdict_from_name(json_string_or(entry, "verdict", ""));
}

json_t *recorded_verdicts(const json_t *first, const json_t *point)
{
    bool present = json_is_true(json_object_get(results_context(first, point), "present"));
    return verdict_judge_again(json_object_get(point, "rates"), json_object_get(point, "tolerance"), present);
}

void tally_rates(const json_t *rates, struct tally *tally)
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
    const char *metric;
    json_t *entry;
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        ++*counters[verdict_of(entry)];
    }
}

struct table verdict_table(void)
{
    static const struct table_column columns[] = {{"point", TABLE_LEFT},
                                                  {"metric", TABLE_LEFT},
                                                  {"wanted", TABLE_RIGHT},
                                                  {"verdict", TABLE_LEFT},
                                                  {"evidence", TABLE_LEFT}};
    return (struct table){.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
}

void verdict_requirement(const json_t *entry, char *text, size_t capacity)
{
    const json_t *target = json_object_get(entry, "target");
    const json_t *expect = json_object_get(entry, "expect");
    size_t used = 0;
    text[0] = '\0';
    if (json_is_number(target))
        used = (size_t)snprintf(text, capacity, "%.6g", json_number_value(target));
    double min = json_number_or(expect, "min", -INFINITY);
    double max = json_number_or(expect, "max", INFINITY);
    const char *gap = used > 0 ? ", " : "";
    if (isfinite(min) && min == max)
        snprintf(text + used, capacity - used, "%s%.6g", gap, min);
    else if (isfinite(min) && isfinite(max))
        snprintf(text + used, capacity - used, "%s%.6g to %.6g", gap, min, max);
    else if (isfinite(min))
        snprintf(text + used, capacity - used, "%s>= %.6g", gap, min);
    else if (isfinite(max))
        snprintf(text + used, capacity - used, "%s<= %.6g", gap, max);
}

size_t verdict_observations(const json_t *entry, char *text, size_t capacity)
{
    const json_t *seen = json_object_get(entry, "observations");
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(seen) && used < capacity; i++) {
        const json_t *one = json_array_get(seen, i);
        if (strcmp(json_string_or(one, "kind", ""), "predicted") == 0)
            continue;
        double low = json_number_or(one, "low", 0);
        double high = json_number_or(one, "high", 0);
        used += (size_t)snprintf(text + used, capacity - used, "%s%s %.5g", used == 0 ? "" : ", ",
                                 json_string_or(one, "source", "?"), json_number_or(one, "value", 0));
        if (low != high && used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, " [%.4g, %.4g]", low, high);
        const char *part = json_string_or(one, "part", "");
        if (part[0] != '\0' && used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, " (%s)", part);
    }
    return used;
}

void verdict_explanation(const char *word, const char *reason, struct table *table, size_t used, char *text,
                         size_t capacity)
{
    if (reason[0] == '\0' || used >= capacity)
        return;
    if (used > 0)
        used += (size_t)snprintf(text + used, capacity - used, "; ");
    enum verdict verdict = verdict_from_name(word);
    bool shared = verdict == VERDICT_UNOBSERVED || verdict == VERDICT_PASS_CODE || verdict == VERDICT_PASS;
    if (used < capacity)
        table_note(shared ? table : NULL, reason, text + used, capacity - used);
}

void verdict_evidence(const json_t *entry, struct table *table, char *text, size_t capacity)
{
    size_t used = verdict_observations(entry, text, capacity);
    verdict_explanation(json_string_or(entry, "verdict", ""), json_string_or(entry, "reason", ""), table,
                        used, text, capacity);
}

void verdict_rows(struct table *table, const char *name, const json_t *rates, bool verbose)
{
    const char *metric;
    json_t *entry;
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        if (verdict_of(entry) == VERDICT_OBSERVED && !verbose)
            continue;
        char wanted[64];
        char evidence[1024];
        verdict_requirement(entry, wanted, sizeof wanted);
        verdict_evidence(entry, verbose ? NULL : table, evidence, sizeof evidence);
        table_cell(table, "%s", name);
        table_cell(table, "%s", metric);
        table_cell(table, "%s", wanted);
        table_cell(table, "%s", json_string_or(entry, "verdict", ""));
        table_cell(table, "%s", evidence);
    }
}

json_t *verdict_line(const char *benchmark, const char *point, const char *target, const char *metric,
                     const json_t *entry)
{
    json_t *wanted = json_object_get(entry, "target");
    json_t *expect = json_object_get(entry, "expect");
    if (!json_is_number(wanted) && expect != NULL)
        wanted = expect;
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:O, s:O, s:O, s:O}", "benchmark", benchmark, "point",
                             point, "target", target, "metric", metric, "wanted", wanted, "verdict",
                             json_object_get(entry, "verdict"), "code", json_object_get(entry, "code"),
                             "silicon", json_object_get(entry, "silicon"));
    if (json_is_number(json_object_get(entry, "target")) && expect != NULL)
        json_object_set(line, "expect", expect);
    if (json_object_get(entry, "reason") != NULL)
        json_object_set(line, "reason", json_object_get(entry, "reason"));
    json_object_set(line, "observations", json_object_get(entry, "observations"));
    return line;
}

json_t *verdict_failure_line(const char *benchmark, const char *point, const char *target, const char *reason)
{
    return json_pack("{s:s, s:s, s:s, s:n, s:n, s:s, s:n, s:n, s:o, s:[]}", "benchmark", benchmark, "point",
                     point, "target", target, "metric", "wanted", "verdict", "did not run", "code", "silicon",
                     "reason", json_from_text(reason), "observations");
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

void tally_failure(const json_t *point, struct tally *tally)
{
    if (json_number_or(point, "code", 0) == STATUS_UNAVAILABLE)
        tally->absent++;
    else
        tally->broken++;
}

void point_set_failure(json_t *point, const struct error *error)
{
    json_object_set_new(point, "error", json_from_text(error->message));
    if (error->code == STATUS_UNAVAILABLE)
        json_object_set_new(point, "code", json_integer(STATUS_UNAVAILABLE));
}

enum status tally_status(const struct tally *tally, bool strict)
{
    if (tally->failed + tally->unreached > 0)
        return STATUS_MISSED;
    if (tally->broken > 0)
        return STATUS_FAILED;
    if (tally->absent > 0)
        return STATUS_UNAVAILABLE;
    unsigned open = tally->unobserved + tally->inconclusive + tally->passed_code + tally->skipped;
    return strict && open > 0 ? STATUS_UNAVAILABLE : STATUS_OK;
}

bool tally_saw_nothing(const struct tally *tally)
{
    unsigned judged =
        tally->passed + tally->passed_code + tally->disputed + tally->inconclusive + tally->failed;
    return judged == 0 && (tally->observed == 0 || tally->unobserved > 0);
}
