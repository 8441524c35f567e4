/* Judged rates as commands print them: tables, JSON lines, and the exit code that they make. */
#ifndef CLI_JUDGED_H
#define CLI_JUDGED_H

#include "base/error.h"
#include "report/table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* How many metrics got each verdict, and how many points failed to run. */
struct tally {
    unsigned passed, disputed, inconclusive, failed, unobserved, not_applicable;
    unsigned passed_code; /* on the machine that this is, where nothing saw the silicon */
    unsigned observed;    /* nothing was asked of them */
    unsigned broken;
    unsigned absent;    /* points whose hardware is not on this machine */
    unsigned unreached; /* points of which calibration could not reach a rate */
    unsigned skipped;   /* points that this processor cannot run */
};

/* The rates of a recorded point, judged again by what was recorded with them; first: the first line of its
 * file. New reference. */
json_t *judged_again(const json_t *first, const json_t *point);

/* Counts the verdicts of a point's rates. */
void judged_count(const json_t *rates, struct tally *tally);

/* A table for judged rates. */
struct table judged_table(void);

/* Adds one row for each metric that something was asked of. When verbose: all observed ones too, and long
 * reasons stay in their rows. */
void judged_rows(struct table *table, const char *name, const json_t *rates, bool verbose);

/* What was asked of a judged metric: "0.3", ">= 2", "0.3, 0.2 to 0.4"; "" when nothing was. */
void judged_wanted(const json_t *entry, char *text, size_t capacity);

/* What the sources saw of one judged metric, and the reason of its verdict: "cachegrind 0.5, timing 0.49
 * [0.48, 0.51]". The plan's own expectation is left out. A long reason that many rows may have, why
 * something was not seen, becomes a note of the table; NULL: it does not. */
void judged_evidence(const json_t *entry, struct table *table, char *text, size_t capacity);

/* The two parts of that: what the sources saw; returns the characters used of text. */
size_t judged_seen(const json_t *entry, char *text, size_t capacity);

/* And the reason, behind the characters used. */
void judged_reason(const char *verdict, const char *reason, struct table *table, size_t used, char *text,
                   size_t capacity);

/* Prints {"benchmark","point","target","metric","wanted","verdict","code","silicon","observations"} for each
 * metric, a line each. */
void judged_print_json(const char *benchmark, const char *point, const char *target, const json_t *rates);

/* Prints the one line that stands for a point that did not run: no metric, nothing wanted, the reason. */
void judged_print_broken_json(const char *benchmark, const char *point, const char *target,
                              const char *reason);

/* "33 points: 132 pass, ..." on stdout, and what "pass (code)" means where there is one. */
void judged_print_summary(const struct tally *tally, size_t points);

/* Counts a point that has an "error" in place of rates. */
void judged_count_failure(const json_t *point, struct tally *tally);

/* Sets the point's "error", and beside it "code", 4, when what it needs is not on this machine. */
void judged_set_failure(json_t *point, const struct error *error);

/* 5 when a rate missed, 1 when a point failed to run, 4 when what one needs is not here, and under strict
 * when a rate was unobserved or inconclusive or passed by its code alone, or a point skipped; else 0. */
enum status judged_status(const struct tally *tally, bool strict);

/* The same of a check, but 4, and a line that says so, where it would be 0 although no source saw anything
 * that was asked for: then nothing was checked. */
enum status judged_check_status(const struct tally *tally, bool strict, FILE *to);

#endif
