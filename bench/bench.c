#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool bench_wants(const struct bench *bench, const char *name)
{
    return bench->filter == NULL || strstr(name, bench->filter) != NULL;
}

static enum status measure_both(const struct bench_pair *pair, bool ours_first, double *ours, double *theirs,
                                struct error *error)
{
    const struct bench_side *first = ours_first ? &pair->ours : &pair->theirs;
    const struct bench_side *second = ours_first ? &pair->theirs : &pair->ours;
    enum status status = first->measure(first->context, ours_first ? ours : theirs, error);
    return status == STATUS_OK ? second->measure(second->context, ours_first ? theirs : ours, error) : status;
}

static bool is_as_wished(const struct bench_pair *pair, const struct interval *ratio)
{
    if (pair->within > 0)
        return fabs(ratio->value - 1) <= pair->within;
    return ratio->value >= pair->least && ratio->high >= pair->reaches;
}

static json_t *interval_json(const struct interval *interval)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "median", interval->value, "low", interval->low, "high",
                     interval->high, "n", (json_int_t)interval->n);
}

static void report_pair(struct bench *bench, const struct bench_pair *pair, const struct bench_ratio *ratio,
                        json_t *raw)
{
    bool fine = is_as_wished(pair, &ratio->ratio);
    bench->short_of = bench->short_of || !fine;
    json_array_append_new(bench->results,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:o}", "part", pair->part,
                                    "name", pair->name, "unit", pair->unit, "ours", pair->ours.name, "theirs",
                                    pair->theirs.name, "ratio", interval_json(&ratio->ratio), "our_rate",
                                    interval_json(&ratio->ours), "their_rate", interval_json(&ratio->theirs),
                                    "as_wished", fine, "rounds", raw));
    if (bench->json)
        return;
    printf("  %-24s %10.4g %10.4g %-10s %6.3f [%.3f, %.3f]  %-5s beside %s\n", pair->name, ratio->ours.value,
           ratio->theirs.value, pair->unit, ratio->ratio.value, ratio->ratio.low, ratio->ratio.high,
           fine ? "ok" : "SHORT", pair->theirs.name);
    fflush(stdout);
}

enum status bench_compare(struct bench *bench, const struct bench_pair *pair, struct bench_ratio *ratio,
                          struct error *error)
{
    double ours[BENCH_MOST_ROUNDS];
    double theirs[BENCH_MOST_ROUNDS];
    double ratios[BENCH_MOST_ROUNDS];
    json_t *raw = json_array();
    enum status status = measure_both(pair, true, &ours[0], &theirs[0], error);
    for (unsigned i = 0; status == STATUS_OK && i < bench->rounds; i++) {
        status = measure_both(pair, i % 2 == 0, &ours[i], &theirs[i], error);
        ratios[i] = ours[i] / theirs[i];
        if (status == STATUS_OK)
            json_array_append_new(raw, json_pack("[f, f]", ours[i], theirs[i]));
    }
    if (status != STATUS_OK) {
        json_decref(raw);
        error_prefix(error, "%s", pair->name);
        return status;
    }
    ratio->ratio = stats_bootstrap(ratios, bench->rounds);
    ratio->ours = stats_bootstrap(ours, bench->rounds);
    ratio->theirs = stats_bootstrap(theirs, bench->rounds);
    report_pair(bench, pair, ratio, raw);
    return STATUS_OK;
}

void bench_value(struct bench *bench, const char *part, const char *name, double value, const char *unit,
                 double limit, bool at_least)
{
    bool fine = at_least ? value >= limit : value <= limit;
    bench->short_of = bench->short_of || !fine;
    json_array_append_new(bench->results,
                          json_pack("{s:s, s:s, s:f, s:s, s:f, s:b}", "part", part, "name", name, "value",
                                    value, "unit", unit, "limit", limit, "as_wished", fine));
    if (bench->json)
        return;
    printf("  %-24s %10.6g %10.6g %-10s %-22s %-5s\n", name, value, limit, unit,
           at_least ? "at least" : "at most", fine ? "ok" : "SHORT");
    fflush(stdout);
}

void bench_skip(struct bench *bench, const char *part, const char *sentence)
{
    json_array_append_new(bench->results, json_pack("{s:s, s:s}", "part", part, "skipped", sentence));
    if (bench->json)
        return;
    printf("  left out: %s\n", sentence);
    fflush(stdout);
}

void bench_note(struct bench *bench, const char *part, const char *sentence)
{
    json_array_append_new(bench->results, json_pack("{s:s, s:s}", "part", part, "note", sentence));
    if (bench->json)
        return;
    printf("  %s\n", sentence);
    fflush(stdout);
}
