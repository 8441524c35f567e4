/* Calibrates one point before it is run or judged (runner/evidence/calibration_loop.h), and stores the
 * result. */
#ifndef SESSION_EXECUTE_CALIBRATED_PROGRAM_H
#define SESSION_EXECUTE_CALIBRATED_PROGRAM_H

#include "base/error.h"
#include "generator/suite/program.h"
#include "session/work.h"

#include <stdbool.h>

/* How the calibration of a point ended. */
struct calibrated {
    bool
        given; /* the point was calibrated; its rates may be out of reach, then this is the nearest program */
    struct calibration_outcome outcome;
};

/* STATUS_USAGE when calibration is requested for a suite, whose programs are fixed. */
enum status calibrate_check(const struct work *work, struct error *error);

/* Makes or loads the item's program, calibrating it first by these sources if that is requested. Notes each
 * attempt and its result. */
enum status calibrated_program(struct work *work, const struct work_item *item, const char *counters, int cpu,
                               struct program *program, bool *changed, struct calibrated *calibrated,
                               struct error *error);

#endif
