/* Declarations shared by the files of the model "incremental" (Kestor et al. 2013, sections III to V): its
 * costs, and the operations and energy of a program of its recipes. */
#ifndef MODEL_INCREMENTAL_INCREMENTAL_H
#define MODEL_INCREMENTAL_INCREMENTAL_H

#include "model/fitting/point_error.h"
#include "model/fitting/propagate.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* Costs of one operation, in joules. */
enum incremental_cost {
    COST_NOP,
    COST_ADD,
    COST_L1, /* a load served by L1, up to the register; likewise the next three */
    COST_L2,
    COST_L3,
    COST_MEM,
    COST_STALL,    /* a cycle in which nothing is issued */
    COST_PREFETCH, /* a line that the prefetcher brings from memory */
    COSTS
};

/* Means per pass of a program, over all of its repetitions. */
struct incremental_program {
    const char *name; /* "MB_L2", "L1+NOP" */
    size_t rows;
    const struct dataset_row *first;  /* borrowed */
    double counts[COSTS];             /* operations; stalls and prefetches too */
    double cycles;                    /* NAN: unknown */
    double seconds;                   /* of the chip: copies make passes at the same time */
    double stall_error;               /* standard error of the stalls */
    struct propagate_input energy_j;  /* dynamic, with the scatter of its repetitions */
    double rep_variance, rep_freedom; /* of one repetition's energy, J^2 per pass^2 */
    double passes_j2;    /* factor from that to J^2 per second, which programs on meters of one kind have in
                            common */
    double idle_error_j; /* standard error of the subtracted idle energy */
    double whole_j;      /* including idle energy */
    size_t points;       /* to which the repetitions belong */
    struct point_residual between; /* differences between these; no degrees of freedom for one point */
    bool counted_stalls;           /* by hardware counters, else from cycles */
    bool with_chip;                /* energy from the chip's own meter, with memory's beside it */
    struct interval dram_w;        /* power of memory outside the chip, per copy; NAN: unknown */
};

/* Gathers the rows whose sweep parameter (`program`, `mixture`) has this name. machine: the description that
 * the results were measured on. STATUS_USAGE, with the reason, when there are none or they lack required
 * values. */
enum status incremental_gather(const struct dataset *dataset, double issue_width, const char *parameter,
                               const char *name, struct incremental_program *program, struct error *error);

/* Sets the variance of one repetition's energy and everything derived from it. */
void incremental_set_noise(struct incremental_program *program, double variance, double freedom);

/* Joules per pass: the sum of its operations' costs. */
double incremental_sum(const double *counts, const double *costs);

/* As model.h's predict. */
enum status incremental_predict(const json_t *document, const json_t *counters,
                                const struct model_settings *settings, json_t **result, struct error *error);

#endif
