/* Results as input for models: a row for each repetition of each point, with values looked up by name. */
#ifndef MODEL_DATA_DATASET_H
#define MODEL_DATA_DATASET_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>

/* One repetition. Pointers are into the dataset's points. */
struct dataset_row {
    const struct result_point *point;
    const struct result_rep *rep;
    size_t group;     /* index of its recipe */
    double passes;    /* of all copies */
    double seconds;   /* of the loop; NAN: unknown */
    double energy_j;  /* from the headline's channels, for the loop or an idle interval; NAN: unknown */
    double static_w;  /* of the point; NAN: unknown */
    double dynamic_j; /* energy of the loop above static power; NAN: unknown */
};

struct model_result; /* model_result.h */

struct dataset {
    struct result_point **points; /* that ran; owned */
    size_t point_count;
    struct dataset_row *rows;
    size_t count;        /* rows that a model is fitted to */
    size_t all;          /* plus the excluded rows behind them (model.c); their coolings may count */
    const char **groups; /* the recipes' names; point into points */
    size_t group_count;
    bool borrows; /* the contents of the points belong to others and are not freed */
};

/* The index behind the last consecutive row of the point of row `from`. */
size_t dataset_point_end(const struct dataset *dataset, size_t from);

/* Adds a point unless it failed or has no repetitions. Takes over its contents in either case. */
void dataset_add_point(struct dataset *dataset, const struct result_point *point);

/* A value of a repetition, by name; NAN when the results do not contain it:
 *   "seconds", "dynamic_j", "static_w", "temperature_c" (the hottest thermometer at the end), "passes"
 *   "instructions", "loads" (of a GPU: the sectors that its grid moves), "stores"
 *   "accesses.L1" etc.: loads served there (by the best evidence of served.*, else the plan's)
 *   "op.add" etc.: instructions of that kind (by mix.*)
 *   "cycles": counted, else instructions / ipc
 *   "counter.NAME": as counted ("counters"), of all passes
 *   "parameter.NAME": a number of the sweep
 *   any metric of DESIGN.md section 5: its best value */
double dataset_number(const struct dataset_row *row, const char *name);

/* The value with the best evidence for a metric, with its interval. False, and NAN, when there is none. */
bool dataset_best(const struct result_point *point, const char *metric, struct interval *interval);

/* A text parameter of the sweep; NULL when there is none. */
const char *dataset_text(const struct dataset_row *row, const char *parameter);

/* The point's name, for sentences. */
const char *dataset_name(const struct result_point *point);

/* The sum of the point's headline channels; NAN when one of them is missing. */
double dataset_joules(const struct result_point *point, const struct result_values *energy_j);

/* The highest temperature; NAN: none. */
double dataset_hottest(const struct result_values *temperature_c);

/* The standard error from a 95 % interval; 0: the interval has no width. */
double dataset_error(struct interval interval);

/* The standard error of the point's idle power, W, which all of its repetitions share. */
double dataset_idle_error(const struct result_point *point);

/* Replaces all points' power and energy by those of a channel, named as in the results
 * ("powercap:intel-rapl:0:1") or by its domain (dram, core, package, uncore, psys, gpu): then by the sum of
 * the domain's channels of one sensor, one per package. Sets result->channel to the channels' names.
 * STATUS_USAGE, with a list of the channels, when a point with power has no such channel. */
enum status dataset_choose_channel(struct dataset *dataset, const char *wanted, struct model_result *result,
                                   struct error *error);

void dataset_free(struct dataset *dataset);

#endif
