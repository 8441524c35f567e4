#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TRIES = 3 };
/* The width of a narrow interval, relative to its median. */
static const double WIDEST = 0.2;
static const double NS = 1e9;

static const char *const verdict_words[] = {
    [BENCH_HOLDS] = "holds", [BENCH_BELOW] = "FAILS", [BENCH_ABOVE] = "FAILS", [BENCH_UNDECIDED] = "untold"};

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
    return narrow && ratio->value >= pair->least && ratio->value <= most ? BENCH_HOLDS : BENCH_UNDECIDED;
}

/* Opens a row of the results, which the caller closes. */
static struct json_text *begin_row(struct bench *bench, const char *part)
{
    json_text_open(&bench->results, NULL, '{');
    json_text_string(&bench->results, "part", part);
    bench->result_count++;
    return &bench->results;
}

static void write_interval(struct json_text *text, const char *name, const struct interval *interval)
{
    json_text_open(text, name, '{');
    json_text_real(text, "median", interval->value);
    json_text_real(text, "low", interval->low);
    json_text_real(text, "high", interval->high);
    json_text_integer(text, "n", (long long)interval->n);
    json_text_close(text, '}');
}

static void count_verdict(struct bench *bench, enum bench_verdict verdict)
{
    bench->failed += verdict == BENCH_BELOW || verdict == BENCH_ABOVE;
    bench->undecided += verdict == BENCH_UNDECIDED;
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

/* The measurements of each round. */
struct pair_rounds {
    double ours[BENCH_MOST_ROUNDS], theirs[BENCH_MOST_ROUNDS];
};

static void report_pair(struct bench *bench, const struct bench_pair *pair, const struct bench_ratio *ratio,
                        const struct pair_rounds *raw)
{
    const char *advice = ratio->verdict == BENCH_BELOW   ? pair->below
                         : ratio->verdict == BENCH_ABOVE ? pair->above
                                                         : NULL;
    count_verdict(bench, ratio->verdict);
    struct json_text *text = begin_row(bench, pair->part);
    json_text_string(text, "name", pair->name);
    json_text_string(text, "unit", pair->unit);
    json_text_bool(text, "ns_for_each", pair->times);
    json_text_string(text, "ours", pair->ours.name);
    json_text_string(text, "theirs", pair->theirs.name);
    write_interval(text, "ratio", &ratio->ratio);
    write_interval(text, "our_value", &ratio->ours);
    write_interval(text, "their_value", &ratio->theirs);
    json_text_real(text, "least", pair->least);
    if (pair->most > 0)
        json_text_real(text, "most", pair->most);
    else
        json_text_null(text, "most");
    json_text_string(text, "verdict", verdict_words[ratio->verdict]);
    json_text_word(text, "advice", advice);
    json_text_open(text, "rounds", '[');
    for (unsigned i = 0; i < bench->rounds; i++) {
        json_text_open(text, NULL, '[');
        json_text_real(text, NULL, raw->ours[i]);
        json_text_real(text, NULL, raw->theirs[i]);
        json_text_close(text, ']');
    }
    json_text_close(text, ']');
    json_text_close(text, '}');
    if (!bench->json)
        print_pair(pair, ratio, advice);
}

/* Measures all rounds once. */
static enum status measure_rounds(const struct bench *bench, const struct bench_pair *pair,
                                  struct bench_ratio *ratio, struct pair_rounds *raw, struct error *error)
{
    double *ours = raw->ours, *theirs = raw->theirs;
    double ratios[BENCH_MOST_ROUNDS];
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
    struct pair_rounds raw;
    enum status status = STATUS_OK;
    ratio->verdict = BENCH_UNDECIDED;
    for (int i = 0; status == STATUS_OK && ratio->verdict == BENCH_UNDECIDED && i < MOST_TRIES; i++)
        status = measure_rounds(bench, pair, ratio, &raw, error);
    if (status == STATUS_OK)
        report_pair(bench, pair, ratio, &raw);
    else
        error_prefix(error, "%s", pair->name);
    return status;
}

void bench_value(struct bench *bench, const struct bench_number *number)
{
    bool fine = number->at_least ? number->value >= number->limit : number->value <= number->limit;
    enum bench_verdict verdict = fine ? BENCH_HOLDS : number->at_least ? BENCH_BELOW : BENCH_ABOVE;
    const char *advice = fine ? NULL : number->advice;
    char wanted[32];
    count_verdict(bench, verdict);
    struct json_text *text = begin_row(bench, number->part);
    json_text_string(text, "name", number->name);
    json_text_real(text, "value", number->value);
    json_text_string(text, "unit", number->unit);
    json_text_real(text, number->at_least ? "least" : "most", number->limit);
    json_text_string(text, "verdict", verdict_words[verdict]);
    json_text_word(text, "advice", advice);
    json_text_close(text, '}');
    if (bench->json)
        return;
    snprintf(wanted, sizeof wanted, "%s %.6g", number->at_least ? "at least" : "at most", number->limit);
    printf("  %-24s %10.6g %10s %-32s  %-14s %s\n", number->name, number->value, "", number->unit, wanted,
           verdict_words[verdict]);
    print_advice(advice);
}

void bench_undecided(struct bench *bench, const char *part, const char *name, const char *sentence)
{
    count_verdict(bench, BENCH_UNDECIDED);
    struct json_text *text = begin_row(bench, part);
    json_text_string(text, "name", name);
    json_text_string(text, "verdict", verdict_words[BENCH_UNDECIDED]);
    json_text_string(text, "advice", sentence);
    json_text_close(text, '}');
    if (bench->json)
        return;
    printf("  %-24s %s\n", name, verdict_words[BENCH_UNDECIDED]);
    print_advice(sentence);
}

static void add_sentence(struct bench *bench, const char *part, const char *key, const char *lead,
                         const char *sentence)
{
    struct json_text *text = begin_row(bench, part);
    json_text_string(text, key, sentence);
    json_text_close(text, '}');
    if (!bench->json)
        printf("  %s%s\n", lead, sentence);
    fflush(stdout);
}

void bench_skip(struct bench *bench, const char *part, const char *sentence)
{
    add_sentence(bench, part, "skipped", "left out: ", sentence);
}

void bench_note(struct bench *bench, const char *part, const char *sentence)
{
    add_sentence(bench, part, "note", "", sentence);
}
