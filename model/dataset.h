/* Results as models see them: a row for each repetition of each point, and whatever is asked of it by name.
 */
#ifndef MODEL_DATASET_H
#define MODEL_DATASET_H

#include "base/error.h"
#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* One repetition. Pointers are into the dataset's documents. */
struct dataset_row {
    const json_t *point; /* the line of results */
    const json_t *rep;
    size_t group;     /* of its recipe */
    double passes;    /* of all copies */
    double seconds;   /* of the loop; NAN: not told */
    double energy_j;  /* what the headline's channels told of the loop, or of a rest; NAN: not told */
    double static_w;  /* of the point; NAN: not told */
    double dynamic_j; /* what the loop took above that; NAN: not told */
};

struct dataset {
    json_t *points; /* array of all lines of points; owned */
    struct dataset_row *rows;
    size_t count; /* of those that a model is fitted to */
    size_t
        all; /* with those behind them that were left out (left_out.h), whose points may have cooled well */
    const char **groups; /* the recipes' names; point into points */
    size_t group_count;
};

/* Takes the points that did not fail, and that have repetitions; points is copied by reference. */
void dataset_add(struct dataset *dataset, json_t *points);

/* The same of one point. */
void dataset_add_point(struct dataset *dataset, json_t *point);

/* What a repetition did or took, by name; NAN when the results do not tell it:
 *   "seconds", "dynamic_j", "static_w", "temperature_c" (the hottest thermometer at the end), "passes"
 *   "instructions", "loads" (of a GPU: the sectors that its grid moves), "stores"
 *   "accesses.L1" and so on: loads served there (by the best evidence of served.*, else the plan's)
 *   "op.add" and so on: instructions of that kind (by mix.*)
 *   "cycles": counted, else instructions / ipc
 *   "counter.NAME": as counted ("counters"), of all passes
 *   "parameter.NAME": a number of the sweep
 *   any metric of DESIGN.md section 5: its best value */
double dataset_number(const struct dataset_row *row, const char *name);

/* What the best evidence gives for a metric, with its interval. False, and NAN, when there is none. */
bool dataset_best(const json_t *point, const char *metric, struct interval *interval);

/* A text of the sweep; NULL when there is none. */
const char *dataset_text(const struct dataset_row *row, const char *parameter);

/* What the point's headline channels told in the object's "energy_j"; NAN when one of them did not. */
double dataset_joules(const json_t *point, const json_t *object);

/* The hottest of the object's "temperature_c"; NAN: none. */
double dataset_hottest(const json_t *object);

/* The standard error of what an interval of 95 %, {"low", "high"}, tells; 0: it tells none. */
double dataset_error(const json_t *interval);

/* That of the point's idle power, W, which all of its repetitions share. */
double dataset_idle_error(const json_t *point);

void dataset_free(struct dataset *dataset);

#endif
