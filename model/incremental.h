/* What the files of the model "incremental" share (Kestor et al. 2013, sections III to V): the costs that it
 * tells, and what a program of its recipes did and took. */
#ifndef MODEL_INCREMENTAL_H
#define MODEL_INCREMENTAL_H

#include "model/model.h"
#include "model/point_error.h"
#include "model/propagate.h"

#include <stdbool.h>
#include <stddef.h>

/* Costs of one operation, in joules. */
enum incremental_cost {
    COST_NOP,
    COST_ADD,
    COST_L1, /* a load that L1 serves, to the register; so are the next three */
    COST_L2,
    COST_L3,
    COST_MEM,
    COST_STALL,    /* a cycle in which nothing is issued */
    COST_PREFETCH, /* a line that the prefetcher brings from memory */
    COSTS
};

/* Means of one pass of a program, over all of its repetitions. */
struct incremental_program {
    const char *name; /* "MB_L2", "L1+NOP" */
    size_t rows;
    const struct dataset_row *first; /* borrowed */
    double counts[COSTS];            /* operations; stalls and prefetches too */
    double cycles;                   /* NAN: not known */
    double stall_error;              /* standard error of the stalls */
    struct propagate_input energy_j; /* dynamic, as its repetitions scatter */
    double idle_error_j;             /* standard error of the idle energy that was taken away */
    double whole_j;                  /* with the idle energy */
    size_t points;                   /* that the repetitions are of */
    struct point_residual between;   /* what these differ by; of no degrees where there is one */
    bool counted_stalls;             /* by hardware counters, else from cycles */
    bool with_chip;                  /* energy by the chip's own meter, memory's beside it */
    struct interval dram_w;          /* what memory took outside of the chip, a copy; NAN: not told */
};

/* Gathers the rows whose sweep parameter (`program`, `mixture`) has this name. machine: the description that
 * the results were measured on. STATUS_USAGE, with the reason, when there are none, or they do not tell what
 * is needed. */
enum status incremental_gather(const struct dataset *dataset, const json_t *machine, const char *parameter,
                               const char *name, struct incremental_program *program, struct error *error);

/* Joules of one pass: the sum of what its operations cost. */
double incremental_sum(const double *counts, const double *costs);

/* As model.h's predict. */
enum status incremental_predict(const json_t *document, const json_t *counters,
                                const struct model_settings *settings, json_t **result, struct error *error);

/* The cost's coefficient: "E_L2". */
extern const char *const incremental_names[COSTS];

/* The cost of a level above that of the one before it: "increment.L2"; L1's is its own. */
extern const char *const incremental_increments[4];

#endif
