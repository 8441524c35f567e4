/* A point of the results (DESIGN.md sections 7 and 11). The observing modules fill it; those that judge, fit
 * or draw read it. Only point_json.c contains its JSON. If a point was read from a document, it keeps a
 * reference to the document, and its texts point there. A field that a line lacks is NULL, NAN or empty. */
#ifndef RUNNER_RESULTS_RESULT_POINT_H
#define RUNNER_RESULTS_RESULT_POINT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_text.h"
#include "base/stats.h"
#include "base/value.h"
#include "generator/suite/manifest_read.h"
#include "runner/results/observation.h"
#include "runner/results/warning.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict {
    VERDICT_PASS,
    VERDICT_PASS_CODE, /* the code passes, and no source observes the silicon */
    VERDICT_DISPUTED,  /* the deciding code source passes, another one fails */
    VERDICT_INCONCLUSIVE,
    VERDICT_FAIL,
    VERDICT_UNOBSERVED,     /* no source here observes it; a prediction of the plan does not count */
    VERDICT_NOT_APPLICABLE, /* a quotient without a divisor: neither the plan nor a source has a value */
    VERDICT_OBSERVED,       /* observed, without a requirement */
};

/* "pass", "pass (code)", "fail", ... */
const char *verdict_name(enum verdict verdict);

/* The verdict of that name; VERDICT_UNOBSERVED for any other text. */
enum verdict verdict_from_name(const char *name);

/* One metric of a point: what was requested, what the sources observed, and the verdict. */
struct result_rate {
    const char *metric;
    double target;                 /* NAN: none */
    bool bounded;                  /* the author states bounds: */
    double min, max;               /* -INFINITY and INFINITY: none */
    bool prefetched;               /* the target is without prefetchers, the bounds are with them */
    enum evidence_kind calibrated; /* of the calibration of the plan; EVIDENCE_NONE: it was not calibrated */
    enum verdict verdict;
    bool silicon_due;           /* judged here: the code alone passes on the present machine; false as read */
    bool has_code, has_silicon; /* these sides have observations: */
    enum verdict code, silicon; /* the verdict of each side */
    const char *reason;         /* "": none */
    struct observations seen;
};

/* A point's rates. All zeros is empty. */
struct result_rates {
    struct result_rate *items;
    size_t count;
    struct arena arena; /* texts that are not of a document */
};

/* Reads a point's "rates"; NULL: there are none. Texts point into the document. Free with result_rates_free.
 */
void result_rates_read(const json_t *document, struct result_rates *rates);

/* The document that result_rates_read reads: {metric: {"target": number or null, "expect": {"min", "max"} if
 * given, "verdict", "code" and "silicon": the verdict of each side, null without observations, "reason" if
 * there is one, "observations": [...]}}. New reference. */
json_t *result_rates_to_json(const struct result_rates *rates);

void result_rates_write(struct json_text *text, const char *key, const struct result_rates *rates);

/* Parts of a rate's document: its target or null, and its bounds if it has any. */
void result_rate_write_target(struct json_text *text, const char *key, const struct result_rate *rate);
void result_rate_write_bounds(struct json_text *text, const char *key, const struct result_rate *rate);

/* Adds a copy of the rate, with its texts; it takes over the observations, whose texts are copied too. */
void result_rates_add(struct result_rates *rates, const struct result_rate *rate);

/* The rate of that metric; NULL: none. */
const struct result_rate *result_rates_find(const struct result_rates *rates, const char *metric);

void result_rates_free(struct result_rates *rates);

/* {"source","kind","value","low","high","n"}, with "counted" if it was not counted all of the time, and
 * "doubt" if there is one; low and high are null without an interval. New reference. */
json_t *observation_to_json(const struct observation *observation);
json_t *observations_to_json(const struct observations *list);
void observations_write(struct json_text *text, const char *key, const struct observations *list);

/* Reads an interval: {"value", "low", "high", "n"}, where a null low or high becomes NAN, or a bare number.
 * For anything else n is 0 and the others are NAN. */
struct interval result_interval(const json_t *from);

/* The same document. New reference. */
json_t *result_interval_to_json(struct interval interval);

/* The observation of the best kind with a value; the first of equal ones. NULL: none. */
const struct observation *result_rate_best(const struct result_rate *rate);

/* Numbers by name, each with its interval; that of a bare number is the number itself. */
struct result_value {
    const char *name;
    struct interval interval; /* n is 0 and the others are NAN if it is not a number */
    const char *doubt;        /* as in struct observation; "": none */
};

struct result_values {
    struct result_value *items;
    size_t count;
};

/* The run of one program, by its own clock. */
struct result_copy {
    int cpu; /* -1: any */
    long long iterations, ticks, start;
    double bytes;  /* that its loads and stores moved in these passes; 0: unknown, or none */
    double blocks; /* of a GPU's grid, those that worked; 0: a processor's program */
};

struct result_copies {
    bool given; /* true also for an empty list */
    struct result_copy *items;
    size_t count;
};

/* A summary of the records that the blocks of a device's grid wrote (devices/block_record.h). */
struct result_record {
    double blocks, worked;               /* all, and those that ran the loop */
    double ticks, ticks_low, ticks_high; /* of those that worked: mean and range */
    struct result_values places;         /* "sm12": how many worked there; none: unknown */
    double seconds, clock_hz; /* from the first begin to the last end; NAN: the device has no timer */
    bool by_events;           /* the device's events timed it, because its blocks could not */
    double kernel_s;
    struct result_copies own,
        beside; /* of grids that ran together: this one and the others, in ticks of this
                   one since its begin; they become a repetition's threads and company */
    struct arena arena;
};

/* One repetition, raw. */
struct result_rep {
    double iterations, ticks;
    double seconds; /* of the loop */
    double wall_s;  /* of the whole run */
    double waited;  /* share of the loop in which others used its processor; NAN: unknown */
    size_t copies;  /* that ran together, at least 1 */
    struct result_copies threads, company;        /* those copies, and the programs that ran beside them */
    const struct result_record *record;           /* only written; NULL: none */
    bool metered;                                 /* energies were read */
    struct result_values energy_j, temperature_c; /* by channel and by thermometer */
    bool outlier;
};

/* The results of one of several copies, over all repetitions. */
struct result_copy_summary {
    int cpu; /* -1: any */
    struct result_values time, values, counters;
    struct observations seen; /* of this copy alone */
};

/* A moment of an idle interval. */
struct result_sample {
    double t_s;
    struct result_values energy_j, temperature_c; /* energies since the interval's begin */
};

/* An interval in which no test program ran. */
struct result_idle {
    bool given;
    double seconds;
    struct result_sample *samples;
    size_t count;
};

/* How a meter follows a change; all 0: unknown. */
struct result_response {
    const char *filter;
    double lag_s, window_s;
};

/* One channel of a sensor. */
struct result_channel {
    const char *name, *label, *quantity; /* label and quantity NULL: none */
    const char *verdict, *reason;        /* NULL: none */
    struct interval static_w;
    struct result_values values;
    struct result_response response;
};

/* The energy of an access to a level, among power's values. */
#define RESULT_PER_ACCESS "energy.per_access_j."

struct result_power {
    bool given;
    bool simulated;                     /* computed, not read from a meter */
    const char *verdict, *reason;       /* NULL: none */
    struct manifest_words from, inside; /* channels: of the numbers, and of the chip's own meter */
    const char *left_out;               /* repetitions and readings that do not count; NULL: none */
    struct result_response response;
    struct result_values values; /* "power.static_w"; the first own_count are the headline meter's own */
    size_t own_count;
    struct result_channel *channels;
    size_t channel_count;
};

/* The machine state that was requested for a point, and the state that was observed. */
struct state_record {
    bool given;
    struct value wanted, observed;
    struct warnings unmet; /* sentences */
    struct arena arena;
};

void state_record_free(struct state_record *record);

/* The machine's state while the point ran. */
struct result_state {
    struct state_record record;    /* only written */
    struct value wanted;           /* as the recipe requests it; none: nothing */
    double wanted_ghz;             /* of the core or else of the GPU; NAN: none */
    double gpu_ghz;                /* observed; NAN: unobserved */
    struct interval core, cpufreq; /* clocks observed while it ran, in GHz; NAN: unobserved */
    const char *core_by;           /* "aperf" or "chain"; only written */
    struct manifest_words unmet;   /* sentences; NULL: not a text */
};

/* A repetition is disturbed if other programs used its processors for a larger share of its loop. */
#define RESULT_MOST_WAITED 0.02

/* Copies ran beside each other if they made passes together for at least this share of a repetition. */
#define RESULT_TOGETHER 0.5

/* The other cores' kernels load a chase only if they run during at least this share of it. */
#define RESULT_BESIDE 0.95

/* The settings that the run chose by itself. */
struct result_measure {
    bool given;
    double time_s; /* of a repetition */
    bool idle_with_memory, subtract_start;
    double idle_left_out_s; /* 0: none */
};

/* An application that was recorded, in a point of its own. */
struct result_application {
    bool given;
    struct manifest_words command;     /* and its arguments */
    double exit_code;                  /* 128 plus the signal's number if a signal ended it */
    struct result_copy_summary *cores; /* counters by logical processor */
    size_t core_count;
};

/* A recording of an application over a part of its time. */
struct result_step {
    const char *benchmark, *name;       /* of its point */
    double t_s;                         /* the end, since the first begin */
    double seconds;                     /* its length */
    double ghz, temperature_c, power_w; /* NAN: unknown */
    struct result_values energy_j, counters;
    struct result_copy_summary *cores; /* those on which it ran; "ghz" among the values */
    size_t core_count;
};

/* "only written": not set in a point that was read. Texts and lists of a point to be written are in its
 * arena, or in memory that outlives it, such as its measurement's. */
struct result_point {
    const char *recipe, *benchmark, *name, *target, *program_hash; /* "": none */
    double index;           /* among the points of the recipes; 0 if not stated */
    uint64_t context;       /* its number (results_context_of); only read */
    const char *error;      /* why it did not run; NULL: it ran */
    bool measured, judged;  /* it has repetitions; it has rates; only written */
    const char *skipped;    /* why it was skipped; NULL: it was not */
    const char *trace;      /* the file with its sensors' readings; NULL: none */
    bool simulated;         /* clock and counters are computed, not a machine's */
    const char *one_by_one; /* why its repetitions were taken in a row; NULL: they were taken in rounds */
    enum status code; /* with an error: STATUS_RECIPE: the point is refused; STATUS_UNAVAILABLE: this machine
                         lacks something; else STATUS_FAILED */
    bool on_device;
    json_t *facts;     /* of the device (devices/launcher.h); owned; only written; NULL: none */
    bool placed;       /* its copies are recorded: */
    size_t copy_count; /* 0: the point idles */
    struct result_copy_summary *copies;
    struct result_values together; /* of all of them */
    double overlap;                /* the least share of a repetition in which all of them ran; 1: unknown */
    bool started;                  /* a run of no passes was recorded: */
    struct result_rep start;       /* only written */
    const struct tolerances *tolerance;
    struct manifest_words runs_with;               /* only written */
    const struct calibration_outcome *calibration; /* only written; NULL: it was not calibrated */
    struct result_measure measure;
    struct result_application application;
    struct value parameters; /* of the sweep, which the recipe names */
    bool timed;
    struct result_values time;
    struct interval ticks_per_pass; /* n is 0: unknown */
    const char *ticks_doubt;        /* "": none */
    double ticks_per_s;             /* of the programs' clock; NAN: unknown */
    struct result_rep *reps;
    size_t rep_count;
    struct result_rep *retaken; /* those that missed their time; only written */
    size_t retaken_count;
    struct result_rates rates;
    double units;                  /* of the kernel in a pass; NAN: unknown */
    struct result_values per_pass; /* counts of a pass: "loads", "transfers.L2" */
    bool counted;
    struct result_values counters; /* raw counts of a pass */
    struct observations seen;      /* the sources' counts; only written */
    struct result_power power;
    struct result_state state;
    struct result_idle idle_after, idle_before; /* around the repetitions */
    struct warnings warnings;
    json_t *document;   /* from which it was read; NULL: it was made here */
    struct arena arena; /* of all the lists above except rates */
};

/* Points. All zeros is empty. */
struct result_points {
    struct result_point *items;
    size_t count;
};

/* Adds a point, which the list then owns; sorts the points, which may have run in any order, into the
 * recipes' order. */
void result_points_add(struct result_points *points, const struct result_point *point);
void result_points_sort(struct result_points *points);
void result_points_free(struct result_points *points);

/* An empty point. */
extern const struct result_point result_point_none;

/* Reads a whole point; no line is refused here, as results_open has checked it. Free with result_point_free.
 */
void result_point_read(const json_t *document, struct result_point *point);

/* What is wrong with the rates of a point that was read; NULL: nothing. */
const char *result_point_fault(const struct result_point *point);

/* STATUS_FAILED if one of its texts is not UTF-8, so that it cannot be written. */
enum status result_point_check(const struct result_point *point, struct error *error);

/* Appends the line that it was read from. */
void result_point_print(const struct result_point *point, struct buffer *text);

/* True if both points are the same measurement of the same program, read from equal lines. */
bool result_point_again(const struct result_point *one, const struct result_point *other);

/* The kind of evidence of the point's clock and counters, and of its power: EVIDENCE_SIMULATED where it is
 * computed. */
enum evidence_kind result_clock_kind(const struct result_point *point);
enum evidence_kind result_power_kind(const struct result_point *point);

/* [{"what", "mend": text or null}]. New reference. */
json_t *warnings_to_json(const struct warnings *warnings);

/* The point's line of results. NULL if a text in it is not UTF-8. New reference. */
json_t *result_point_to_json(const struct result_point *point);

struct results_file; /* results.h */
struct results_reader;

/* Reads a point of the file, as results_point does; on an error there is none to free. */
enum status result_point_load(struct results_reader *results, size_t index, const char *const *keys,
                              struct result_point *point, struct error *error);

/* Appends the line of the point, or of the step, of kind "interval". Errors of results_append and of
 * result_point_check. *read (may be NULL): the point as a reader of the file gets it. */
enum status result_point_append(const struct result_point *point, struct results_file *file,
                                struct result_point *read, struct error *error);
enum status result_step_append(const struct result_step *step, struct results_file *file,
                               struct error *error);

/* Reads a line; all of the step is in the arena. False for a line of another kind; *whole: it is an object.
 */
bool result_step_read(const char *text, size_t size, struct arena *arena, struct result_step *step,
                      bool *whole);

/* Reads a point's "reps" into the arena; texts and records point into the list. */
struct result_rep *result_reps_read(const json_t *list, struct arena *arena, size_t *count);

/* The shortest and the longest time of a unit in the repetitions that count; NAN: unknown. */
struct unit_range {
    double least_s, most_s;
};

struct unit_range result_unit_range(const struct result_rep *reps, size_t count, double units,
                                    double overlap);

void result_record_free(struct result_record *record); /* NULL is allowed */

/* The share of the repetition in which all its programs made passes, by their clock. */
double result_rep_overlap(const struct result_rep *rep);

/* False if the other cores' kernels hardly ran beside the repetition (RESULT_TOGETHER). overlap: the point's.
 */
bool result_rep_counts(const struct result_rep *rep, double overlap);

/* The list that result_reps_read reads. New reference. */
json_t *result_reps_to_json(const struct result_rep *reps, size_t count);

/* Adds a value to a list in the arena. */
void result_value_add(struct result_values *values, const char *name, struct interval interval,
                      struct arena *arena);

/* The value of that name; n is 0 and the others are NAN if there is none. */
struct interval result_value(const struct result_values *values, const char *name);

/* The same with its doubt; NULL: none. */
const struct result_value *result_value_find(const struct result_values *values, const char *name);

/* A parameter of the sweep: a number, NAN if it has none of that name; a text, or NULL. */
double result_parameter(const struct result_point *point, const char *name);
const char *result_parameter_text(const struct result_point *point, const char *name);

void result_point_free(struct result_point *point);

#endif
