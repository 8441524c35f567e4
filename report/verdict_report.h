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

/* How many metrics have each verdict, and how many points did not run. */
struct tally {
    unsigned passed, disputed, inconclusive, failed, unobserved, not_applicable;
    unsigned passed_code; /* passed, but nothing observed the silicon */
    unsigned silicon_due; /* of these, those on the present machine */
    unsigned observed;    /* observed, without a requirement */
    unsigned broken;      /* points that failed to run */
    unsigned absent;      /* points whose hardware this machine lacks */
    unsigned refused;     /* points that have no program */
    unsigned unreached;   /* points with a rate that calibration could not reach */
    unsigned skipped;     /* points that this processor cannot run */
};

/* Time and power of a recorded point; n is 0 where nothing was measured. */
struct point_cost {
    struct interval pass_s, pass_ticks;
    double units;                             /* units per pass; NAN: unknown */
    struct unit_range range;                  /* of the repetitions */
    double overlap;                           /* with the other cores' kernels; NAN: there are none */
    struct interval power_w;                  /* dynamic power */
    char pass_doubt[OBSERVATION_DOUBT_BYTES]; /* why the time is marked; "": it is not */
    char power_doubt[OBSERVATION_DOUBT_BYTES];
    const char *one_by_one; /* why its repetitions were not taken in rounds; NULL: they were */
    double ticks_per_load;  /* NAN: unknown */
    bool idle;              /* no copy ran */
    bool skipped;           /* the processor cannot run it: it was only inspected */
};

/* The outcome of checking one point. Owns its texts. */
struct check_finding {
    char *benchmark, *point, *target;
    struct value parameters; /* of the sweep */
    struct arena arena;      /* owns the parameters */
    double index;            /* of a recorded point: its place among the points of the recipes */
    double seconds;          /* the duration of the runs; 0: unknown */
    char *failure;           /* why it did not run; NULL: it was judged */
    enum status code; /* of a failure: STATUS_RECIPE: the point is refused; STATUS_UNAVAILABLE: this machine
                         lacks something; else STATUS_FAILED */
    struct result_rates rates;
    struct point_cost cost; /* of a recorded point */
};

/* Makes a finding without rates. Free with check_finding_free. */
struct check_finding *check_finding_new(const char *benchmark, const char *point, const char *target,
                                        const struct value *parameters);

/* Records that the point did not run. code: as in the finding; any other counts as STATUS_FAILED. */
void check_finding_fail(struct check_finding *finding, const char *failure, enum status code);

/* The verdict of a point that did not run, and the word for it: "refused", "cannot run here", "did not run".
 */
enum verdict failure_verdict(enum status code);
const char *failure_word(enum status code);

/* The finding of a recorded point. check_finding_recorded takes over the point's rates, whose texts remain
 * the point's. check_finding_judged judges the recorded evidence again; first: the first line of the point's
 * file. */
struct check_finding *check_finding_recorded(struct result_point *point);
struct check_finding *check_finding_judged(const struct results_context *first,
                                           const struct result_point *point);

void check_finding_free(struct check_finding *finding);

/* Counts the verdicts of a point's rates. */
void tally_rates(const struct result_rates *rates, struct tally *tally);

/* The order of verdicts in a list: failures, other rates that did not pass, the rest. */
enum verdict_rank { RANK_FAILED, RANK_OPEN, RANK_PASSED, VERDICT_RANKS };

enum verdict_rank verdict_rank(enum verdict verdict);

/* The verdicts of requirements, the most urgent first, and their appearance. */
struct verdict_look {
    enum verdict verdict;
    const char *class;  /* of report.css */
    const char *sign;   /* for readers who cannot distinguish colours */
    const char *colour; /* of a badge */
};
enum { VERDICT_LOOKS = 7 };
extern const struct verdict_look verdict_looks[VERDICT_LOOKS];

/* The verdict's index there; VERDICT_LOOKS: it has no requirement. */
size_t verdict_urgency(enum verdict verdict);

/* A list of judged rates for a terminal, in that order. */
struct verdict_list {
    struct table ranks[VERDICT_RANKS]; /* the first has the notes of all */
    enum verdict_rank last;            /* later ranks are left out */
    bool verbose;                      /* adds all observed metrics, and keeps long reasons in their rows */
};

struct verdict_list verdict_list_new(enum verdict_rank last, bool verbose);

/* Adds one row for each of the finding's metrics with a requirement, or one for a point that did not run. */
void verdict_list_add(struct verdict_list *list, const struct check_finding *finding);

/* Prints an empty line and the table, if it has a row; frees the list. */
void verdict_list_print(struct verdict_list *list, FILE *to);
void verdict_list_free(struct verdict_list *list);

/* The requirement of a judged metric: "0.3", ">= 2", "0.3, 0.2 to 0.4"; "" for none. */
void verdict_requirement(const struct result_rate *rate, char *text, size_t capacity);

/* Writes the observations of one judged metric, and the reason for its verdict: "cachegrind 0.5, timing 0.49
 * [0.48, 0.51]". Omits the plan's expectation. A long reason for a missing observation, which many rows may
 * share, becomes a note of the table unless table is NULL. */
void verdict_evidence(const struct result_rate *rate, struct table *table, char *text, size_t capacity);

/* Writes only the observations. Returns the number of bytes written. */
size_t verdict_observations(const struct result_rate *rate, char *text, size_t capacity);

/* Adds the reasons for "?" beside the observations to the table. */
void verdict_marks(const struct result_rate *rate, const char *row, struct table *table);

/* Writes only the reason, behind the first `used` bytes of text. */
void verdict_explanation(enum verdict verdict, const char *reason, struct table *table, size_t used,
                         char *text, size_t capacity);

/* Writes one metric's line of `check --json`:
 * {"benchmark","point","target","metric","wanted","verdict","code",
 * "silicon","observations","parameters","unit","source","value","low","high"}; the last four are of the best
 * evidence, null without any. */
void verdict_line(struct json_text *text, const struct check_finding *finding,
                  const struct result_rate *rate);

/* Writes the single line of a point that did not run, without metric and requirement, with the reason. */
void verdict_failure_line(struct json_text *text, const struct check_finding *finding);

/* Appends "33 points: 132 pass, ..." and explains "pass (code)" if it occurs. */
void tally_summary(const struct tally *tally, size_t points, struct buffer *text);

/* Counts a point that did not run. */
void tally_failure(enum status code, struct tally *tally);

/* The exit code: 3 when a point was refused; else 5 when a rate missed its target; else 1 when a point failed
 * to run; else 4 when this machine lacks something that a point needs or, under strict, when a rate was
 * unobserved, inconclusive or passed by its code alone on the present machine, or a point was skipped; else
 * 0. */
enum status tally_status(const struct tally *tally, bool strict);

/* Whether no required metric was observed or, if none is required, no metric at all. */
bool tally_saw_nothing(const struct tally *tally);

/* ---- for test harnesses and CI systems ---- */

struct check_findings {
    struct check_finding **items; /* [count] */
    size_t count;
};

/* Appends the findings as TAP version 13, one test per metric. Inconclusive, unobserved or not applicable
 * metrics are skipped with the reason. A pass is ok, with a remark if it is disputed or the silicon was not
 * observed. A failure states the requirement and each source's observation. */
void report_tap(const struct check_findings *findings, struct buffer *text);

/* Appends the findings as a JUnit report, one suite per benchmark, in the form of Jenkins' and Surefire's
 * schemas. A point that did not run is an error; the rest is as in TAP. */
void report_junit(const struct check_findings *findings, struct buffer *text);

#endif
