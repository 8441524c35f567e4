#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TRIES = 3 };
/* The width of a narrow interval, relative to its median. */
static const double WIDEST = 0.2;
static const double NS = 1e9;

static const char *const verdict_words[] = {
    [BENCH_HOLDS] = "holds", [BENCH_BELOW] = "FAILS", [BENCH_ABOVE] = "FAILS", [BENCH_UNTOLD] = "untold"};

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

enum bench_verdict bench_judge(const struct bench_pair *pair, const struct interval *ratio)
{
    double most = pair->most > 0 ? pair->most : INFINITY;
    bool narrow = ratio->high - ratio->low <= WIDEST * ratio->value;
    if (ratio->high < pair->least)
        return BENCH_BELOW;
    if (ratio->low > most)
        return BENCH_ABOVE;
    if (ratio->low >= pair->least && ratio->high <= most)
        return BENCH_HOLDS;
    return narrow && ratio->value >= pair->least && ratio->value <= most ? BENCH_HOLDS : BENCH_UNTOLD;
}

static json_t *interval_json(const struct interval *interval)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "median", interval->value, "low", interval->low, "high",
                     interval->high, "n", (json_int_t)interval->n);
}

static void count_verdict(struct bench *bench, enum bench_verdict verdict)
{
    bench->failed += verdict == BENCH_BELOW || verdict == BENCH_ABOVE;
    bench->untold += verdict == BENCH_UNTOLD;
}

static void print_advice(const char *advice)
{
    if (advice != NULL)
        printf("      %s\n", advice);
    fflush(stdout);
}

static void print_pair(const struct bench_pair *pair, const struct bench_ratio *ratio, const char *advice)
{
    char unit[24];
    char wanted[32];
    snprintf(unit, sizeof unit, "%s%s", pair->times ? "ns/" : "", pair->unit);
    if (pair->most > 0)
        snprintf(wanted, sizeof wanted, "%g to %g", pair->least, pair->most);
    else
        snprintf(wanted, sizeof wanted, "at least %g", pair->least);
    printf("  %-24s %10.4g %10.4g %-10s %6.3f [%.3f, %.3f]  %-14s %-6s beside %s\n", pair->name,
           ratio->ours.value, ratio->theirs.value, unit, ratio->ratio.value, ratio->ratio.low,
           ratio->ratio.high, pair->least > 0 ? wanted : "", verdict_words[ratio->verdict],
           pair->theirs.name);
    print_advice(advice);
}

static json_t *or_null(const char *text)
{
    return text == NULL ? json_null() : json_string(text);
}

static void report_pair(struct bench *bench, const struct bench_pair *pair, const struct bench_ratio *ratio,
                        json_t *raw)
{
    const char *advice = ratio->verdict == BENCH_BELOW   ? pair->below
                         : ratio->verdict == BENCH_ABOVE ? pair->above
                                                         : NULL;
    count_verdict(bench, ratio->verdict);
    json_array_append_new(
        bench->results,
        json_pack("{s:s, s:s, s:s, s:b, s:s, s:s, s:o, s:o, s:o, s:f, s:o, s:s, s:o, s:o}", "part",
                  pair->part, "name", pair->name, "unit", pair->unit, "ns_for_each", pair->times, "ours",
                  pair->ours.name, "theirs", pair->theirs.name, "ratio", interval_json(&ratio->ratio),
                  "our_value", interval_json(&ratio->ours), "their_value", interval_json(&ratio->theirs),
                  "least", pair->least, "most", pair->most > 0 ? json_real(pair->most) : json_null(),
                  "verdict", verdict_words[ratio->verdict], "advice", or_null(advice), "rounds", raw));
    if (!bench->json)
        print_pair(pair, ratio, advice);
}

/* One try: all rounds. *raw: the measurements of each; a new reference, also after an error. */
static enum status measure_rounds(const struct bench *bench, const struct bench_pair *pair,
                                  struct bench_ratio *ratio, json_t **raw, struct error *error)
{
    double ours[BENCH_MOST_ROUNDS];
    double theirs[BENCH_MOST_ROUNDS];
    double ratios[BENCH_MOST_ROUNDS];
    *raw = json_array();
    enum status status = measure_both(pair, true, &ours[0], &theirs[0], error);
    for (unsigned i = 0; status == STATUS_OK && i < bench->rounds; i++) {
        status = measure_both(pair, i % 2 == 0, &ours[i], &theirs[i], error);
        if (status != STATUS_OK)
            return status;
        if (pair->times) {
            ours[i] = NS / ours[i];
            theirs[i] = NS / theirs[i];
        }
        ratios[i] = ours[i] / theirs[i];
        json_array_append_new(*raw, json_pack("[f, f]", ours[i], theirs[i]));
    }
    if (status != STATUS_OK)
        return status;
    ratio->ratio = stats_bootstrap(ratios, bench->rounds);
    ratio->ours = stats_bootstrap(ours, bench->rounds);
    ratio->theirs = stats_bootstrap(theirs, bench->rounds);
    ratio->verdict = bench_judge(pair, &ratio->ratio);
    return STATUS_OK;
}

enum status bench_compare(struct bench *bench, const struct bench_pair *pair, struct bench_ratio *ratio,
                          struct error *error)
{
    json_t *raw = NULL;
    enum status status = STATUS_OK;
    ratio->verdict = BENCH_UNTOLD;
    for (int i = 0; status == STATUS_OK && ratio->verdict == BENCH_UNTOLD && i < MOST_TRIES; i++) {
        json_decref(raw);
        status = measure_rounds(bench, pair, ratio, &raw, error);
    }
    if (status != STATUS_OK) {
        json_decref(raw);
        error_prefix(error, "%s", pair->name);
        return status;
    }
    report_pair(bench, pair, ratio, raw);
    return STATUS_OK;
}

void bench_value(struct bench *bench, const struct bench_number *number)
{
    bool fine = number->at_least ? number->value >= number->limit : number->value <= number->limit;
    enum bench_verdict verdict = fine ? BENCH_HOLDS : number->at_least ? BENCH_BELOW : BENCH_ABOVE;
    const char *advice = fine ? NULL : number->advice;
    char wanted[32];
    count_verdict(bench, verdict);
    json_array_append_new(bench->results,
                          json_pack("{s:s, s:s, s:f, s:s, s:f, s:s, s:o}", "part", number->part, "name",
                                    number->name, "value", number->value, "unit", number->unit,
                                    number->at_least ? "least" : "most", number->limit, "verdict",
                                    verdict_words[verdict], "advice", or_null(advice)));
    if (bench->json)
        return;
    snprintf(wanted, sizeof wanted, "%s %.6g", number->at_least ? "at least" : "at most", number->limit);
    printf("  %-24s %10.6g %10s %-32s  %-14s %s\n", number->name, number->value, "", number->unit, wanted,
           verdict_words[verdict]);
    print_advice(advice);
}

void bench_cannot_tell(struct bench *bench, const char *part, const char *name, const char *sentence)
{
    count_verdict(bench, BENCH_UNTOLD);
    json_array_append_new(bench->results,
                          json_pack("{s:s, s:s, s:s, s:s}", "part", part, "name", name, "verdict",
                                    verdict_words[BENCH_UNTOLD], "advice", sentence));
    if (bench->json)
        return;
    printf("  %-24s %s\n", name, verdict_words[BENCH_UNTOLD]);
    print_advice(sentence);
}

static void say(struct bench *bench, const char *part, const char *key, const char *lead,
                const char *sentence)
{
    json_array_append_new(bench->results, json_pack("{s:s, s:s}", "part", part, key, sentence));
    if (!bench->json)
        printf("  %s%s\n", lead, sentence);
    fflush(stdout);
}

void bench_skip(struct bench *bench, const char *part, const char *sentence)
{
    say(bench, part, "skipped", "left out: ", sentence);
}

void bench_note(struct bench *bench, const char *part, const char *sentence)
{
    say(bench, part, "note", "", sentence);
}
