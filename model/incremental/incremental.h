/* For the files of the model "incremental" (Kestor et al. 2013, sections III to V): its costs, and the
 * operations and energy of a point of its recipes. */
#ifndef MODEL_INCREMENTAL_INCREMENTAL_H
#define MODEL_INCREMENTAL_INCREMENTAL_H

#include "model/fitting/point_error.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* Costs of one operation, in joules. */
enum incremental_cost {
    COST_NOP,
    COST_ADD,
    COST_L1, /* a load from L1, with the way to the register; the next three likewise */
    COST_L2,
    COST_L3,
    COST_MEM,
    COST_STALL,    /* a cycle in which nothing is issued */
    COST_PREFETCH, /* a line that the prefetcher brings from memory */
    COSTS
};

/* One point: its operations, and means over its repetitions. */
struct incremental_point {
    const char *name;                /* "MB_L2", "L1+NOP" */
    const struct dataset_row *first; /* borrowed */
    size_t reps;
    double counts[COSTS];     /* operations, stalls and prefetches of a pass */
    double seconds;           /* time per pass; copies run at the same time, and each one's passes count */
    double length_s;          /* of a repetition */
    double watts, whole_w;    /* without and with idle power */
    double variance, freedom; /* of watts, from the scatter of the repetitions */
    double idle_error_w;      /* standard error of the subtracted idle power */
    double stall_error;       /* standard error of the stalls */
    bool counted_stalls;      /* by hardware counters; else derived from cycles */
    bool with_chip;           /* the power is from the chip's own meter, plus that of memory */
    struct interval dram_w;   /* power of memory outside the chip, per copy; NAN: unknown */
};

/* Gathers the point of the rows; its name is the value of the sweep parameter ("program", "mixture").
 * issue_width: of the machine that ran them; NAN: unknown. STATUS_USAGE, with the reason, when the rows lack
 * required values. */
enum status incremental_gather(const struct dataset_row *rows, size_t count, double issue_width,
                               const char *parameter, struct incremental_point *point, struct error *error);

/* As model.h's predict. */
enum status incremental_predict(const struct model_result *model, const struct named_numbers *counters,
                                const struct model_settings *settings, struct model_result *result,
                                struct error *error);

#endif
