/* --calibrate: calibrates one point before it is run or judged (runner/results/calibration_loop.h), and
 * stores the result. */
#ifndef CLI_CALIBRATE_H
#define CLI_CALIBRATE_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/work.h"
#include "generator/suite/program.h"

#include <jansson.h>
#include <stdbool.h>

/* How the calibration of a point ended. */
struct calibrated {
    bool unreached; /* a rate cannot be reached: this is the nearest program */
    json_t *record; /* {"reached", "rounds", "source", "nearest": {...}}; NULL: not calibrated */
};

/* STATUS_USAGE when --calibrate is given with a suite, whose programs are fixed. */
enum status calibrate_check(const struct options *options, const struct work *work, struct error *error);

/* Makes or loads the item's program, calibrating it first if --calibrate was given. Reports each attempt and
 * its result on stderr. Free *calibrated with calibrated_free in every case. */
enum status calibrated_program(const struct options *options, struct work *work, const struct work_item *item,
                               int cpu, struct program *program, bool *changed, struct calibrated *calibrated,
                               struct error *error);

void calibrated_free(struct calibrated *calibrated);

#endif
