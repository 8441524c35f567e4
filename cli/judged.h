/* Judged rates as commands print them: tables, JSON lines, and the resulting exit code. */
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
    unsigned passed_code; /* on the present machine, where nothing observed the silicon */
    unsigned observed;    /* observed, but nothing was required */
    unsigned broken;
    unsigned absent;    /* points whose hardware this machine lacks */
    unsigned unreached; /* points with a rate that calibration could not reach */
    unsigned skipped;   /* points that this processor cannot run */
};

/* The rates of a recorded point, judged again from its recorded evidence; first: the first line of its file.
 * New reference. */
json_t *judged_again(const json_t *first, const json_t *point);

/* Counts the verdicts of a point's rates. */
void judged_count(const json_t *rates, struct tally *tally);

/* A table for judged rates. */
struct table judged_table(void);

/* Adds one row for each metric with a requirement. When verbose: all observed ones too, and long reasons stay
 * in their rows. */
void judged_rows(struct table *table, const char *name, const json_t *rates, bool verbose);

/* The requirement of a judged metric: "0.3", ">= 2", "0.3, 0.2 to 0.4"; "" for none. */
void judged_wanted(const json_t *entry, char *text, size_t capacity);

/* What the sources observed of one judged metric, and the reason for its verdict: "cachegrind 0.5, timing
 * 0.49 [0.48, 0.51]". Omits the plan's own expectation. A long reason for a missing observation, which many
 * rows may share, becomes a note of the table unless table is NULL. */
void judged_evidence(const json_t *entry, struct table *table, char *text, size_t capacity);

/* The first part of that: what the sources observed. Returns how many characters of text it used. */
size_t judged_seen(const json_t *entry, char *text, size_t capacity);

/* The second part: the reason, appended after the used characters. */
void judged_reason(const char *verdict, const char *reason, struct table *table, size_t used, char *text,
                   size_t capacity);

/* Prints {"benchmark","point","target","metric","wanted","verdict","code","silicon","observations"}, one line
 * per metric. */
void judged_print_json(const char *benchmark, const char *point, const char *target, const json_t *rates);

/* Prints the one line for a point that did not run: no metric, no requirement, the reason. */
void judged_print_broken_json(const char *benchmark, const char *point, const char *target,
                              const char *reason);

/* Prints "33 points: 132 pass, ..." on stdout, and explains "pass (code)" if it occurs. */
void judged_print_summary(const struct tally *tally, size_t points);

/* Counts a point that has an "error" instead of rates. */
void judged_count_failure(const json_t *point, struct tally *tally);

/* Sets the point's "error", and "code" 4 when it needs something that this machine lacks. */
void judged_set_failure(json_t *point, const struct error *error);

/* 5 when a rate missed its target; 1 when a point failed to run; 4 when something a point needs is missing
 * here, and under strict when a rate was unobserved, inconclusive or passed by its code alone, or a point was
 * skipped; else 0. */
enum status judged_status(const struct tally *tally, bool strict);

/* The same for a check. If the result would be 0 but no source observed anything required, it is 4, with a
 * line that says that nothing was checked. */
enum status judged_check_status(const struct tally *tally, bool strict, FILE *to);

#endif
