/* Calibrates one point before it is run or judged (runner/evidence/calibration_loop.h), and stores the
 * result. */
#ifndef SESSION_EXECUTE_CALIBRATED_PROGRAM_H
#define SESSION_EXECUTE_CALIBRATED_PROGRAM_H

#include "base/error.h"
#include "generator/suite/program.h"
#include "session/work.h"

#include <stdbool.h>

/* The result of a point's calibration: if its rates are out of reach, the nearest program. */
struct calibrated {
    bool given; /* the point was calibrated */
    struct calibration_outcome outcome;
};

/* STATUS_USAGE when calibration is requested for a suite, whose programs are fixed. */
enum status calibrate_check(const struct work *work, struct error *error);

/* Makes or loads the item's program. If calibration is requested, first calibrates it by the sources that
 * counters names, with a note of each attempt and of the result. */
enum status calibrated_program(struct work *work, const struct work_item *item, const char *counters, int cpu,
                               struct program *program, bool *changed, struct calibrated *calibrated,
                               struct error *error);

#endif
