/* Verdicts as commands report them: tables, JSON lines, counts of all points, and the resulting exit code. */
#ifndef REPORT_VERDICT_REPORT_H
#define REPORT_VERDICT_REPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "report/table.h"
#include "runner/results/result_point.h"
#include "runner/results/results_context.h"

#include <stdbool.h>
#include <stddef.h>

/* How many metrics got each verdict, and how many points failed to run. */
struct tally {
    unsigned passed, disputed, inconclusive, failed, unobserved, not_applicable;
    unsigned passed_code; /* nothing observed the silicon */
    unsigned silicon_due; /* of these, those on the present machine */
    unsigned observed;    /* observed, but nothing was required */
    unsigned broken;
    unsigned absent;    /* points whose hardware this machine lacks */
    unsigned refused;   /* points that have no program */
    unsigned unreached; /* points with a rate that calibration could not reach */
    unsigned skipped;   /* points that this processor cannot run */
};

/* What a recorded point cost; n is 0 for what was not measured. */
struct point_cost {
    struct interval pass_s, pass_ticks;
    double units;                             /* in a pass; NAN: unknown */
    struct unit_range range;                  /* of the repetitions */
    double overlap;                           /* with the other cores' kernels; NAN: there are none */
    struct interval power_w;                  /* dynamic */
    char pass_doubt[OBSERVATION_DOUBT_BYTES]; /* why it is marked; "": it is not */
    char power_doubt[OBSERVATION_DOUBT_BYTES];
    const char *one_by_one; /* why its repetitions were not taken in rounds with others'; NULL: they were */
    double ticks_per_load;  /* NAN: unknown */
    bool idle;              /* no copy ran */
    bool skipped;           /* the processor cannot run it: inspected only */
};

/* The outcome of checking one point. It owns its texts. */
struct check_finding {
    char *benchmark, *point, *target;
    struct value parameters; /* of the sweep */
    struct arena arena;      /* of these */
    double index;            /* of a recorded point: its place among the points of the recipes */
    double seconds;          /* that it took; 0: unknown */
    char *failure;           /* why it did not run; NULL: it was judged */
    enum status code; /* of a failure: STATUS_RECIPE: the point is refused; STATUS_UNAVAILABLE: this machine
                         lacks something; else STATUS_FAILED */
    struct result_rates rates;
    struct point_cost cost; /* of a recorded point */
};

/* Without rates so far. Free with check_finding_free. */
struct check_finding *check_finding_new(const char *benchmark, const char *point, const char *target,
                                        const struct value *parameters);

/* Makes it one of a point that did not run; code: as in the finding, any other is STATUS_FAILED. */
void check_finding_fail(struct check_finding *finding, const char *failure, enum status code);

/* The verdict of a point that did not run, and the word for it: "refused", "cannot run here", "did not run".
 */
enum verdict failure_verdict(enum status code);
const char *failure_word(enum status code);

/* The finding of a recorded point: with its own rates, which it takes and whose texts stay the point's; or
 * judged again from its recorded evidence; first: the first line of its file. */
struct check_finding *check_finding_recorded(struct result_point *point);
struct check_finding *check_finding_judged(const struct results_context *first,
                                           const struct result_point *point);

void check_finding_free(struct check_finding *finding);

/* Counts the verdicts of a point's rates. */
void tally_rates(const struct result_rates *rates, struct tally *tally);

/* How a verdict is sorted: failures, other rates that did not pass, the rest. */
enum verdict_rank { RANK_FAILED, RANK_OPEN, RANK_PASSED, VERDICT_RANKS };

enum verdict_rank verdict_rank(enum verdict verdict);

/* Judged rates for a terminal, those that did not pass first. */
struct verdict_list {
    struct table ranks[VERDICT_RANKS]; /* the first has the notes of all */
    enum verdict_rank last;            /* later ranks are left out */
    bool verbose;                      /* all observed ones too, and long reasons stay in their rows */
};

struct verdict_list verdict_list_new(enum verdict_rank last, bool verbose);

/* Adds one row for each of the finding's metrics with a requirement, or one for a point that did not run. */
void verdict_list_add(struct verdict_list *list, const struct check_finding *finding);

/* Prints an empty line and the table, if it has a row, and empties it. */
void verdict_list_print(struct verdict_list *list, FILE *to);
void verdict_list_free(struct verdict_list *list);

/* The requirement of a judged metric: "0.3", ">= 2", "0.3, 0.2 to 0.4"; "" for none. */
void verdict_requirement(const struct result_rate *rate, char *text, size_t capacity);

/* What the sources observed of one judged metric, and the reason for its verdict: "cachegrind 0.5, timing
 * 0.49 [0.48, 0.51]". Omits the plan's own expectation. A long reason for a missing observation, which many
 * rows may share, becomes a note of the table unless table is NULL. */
void verdict_evidence(const struct result_rate *rate, struct table *table, char *text, size_t capacity);

/* The first part of that: what the sources observed. Returns how many characters of text it used. */
size_t verdict_observations(const struct result_rate *rate, char *text, size_t capacity);

/* Explains the "?" beside these below the table. */
void verdict_marks(const struct result_rate *rate, const char *row, struct table *table);

/* The second part: the reason, appended after the used characters. */
void verdict_explanation(enum verdict verdict, const char *reason, struct table *table, size_t used,
                         char *text, size_t capacity);

/* One metric's line of `check --json`: {"benchmark","point","target","metric","wanted","verdict","code",
 * "silicon","observations","parameters","unit","source","value","low","high"}; the last four are of the best
 * evidence, null without any. */
void verdict_line(struct json_text *text, const struct check_finding *finding,
                  const struct result_rate *rate);

/* The one line of a point that did not run: no metric, no requirement, the reason. */
void verdict_failure_line(struct json_text *text, const struct check_finding *finding);

/* Appends "33 points: 132 pass, ..." and explains "pass (code)" if it occurs. */
void tally_summary(const struct tally *tally, size_t points, struct buffer *text);

/* Counts a point that did not run. */
void tally_failure(enum status code, struct tally *tally);

/* 3 when a point was refused; else 5 when a rate missed its target; 1 when a point failed to run; 4 when
 * something a point needs is missing here, and under strict when a rate was unobserved, inconclusive or
 * passed by its code alone on the present machine, or a point was skipped; else 0. */
enum status tally_status(const struct tally *tally, bool strict);

/* True when no source observed anything required, nor, if nothing was required, anything at all. */
bool tally_saw_nothing(const struct tally *tally);

/* ---- for test harnesses and CI systems ---- */

struct check_findings {
    struct check_finding **items; /* [count] */
    size_t count;
};

/* Appends the findings as TAP version 13, one test per metric. Inconclusive, unobserved or not applicable
 * metrics are skipped with the reason. A pass is ok, with a remark if it is disputed or nothing observed the
 * silicon. A failure names the requirement and each source's observation. */
void report_tap(const struct check_findings *findings, struct buffer *text);

/* Appends them as a JUnit report, one suite per benchmark, in the form of Jenkins' and Surefire's schemas: a
 * point that did not run is an error; the rest is as in TAP. */
void report_junit(const struct check_findings *findings, struct buffer *text);

#endif
