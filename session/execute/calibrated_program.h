/* Calibrates one point before it is run or judged (runner/evidence/calibration_loop.h), and stores the
 * result. */
#ifndef SESSION_EXECUTE_CALIBRATED_PROGRAM_H
#define SESSION_EXECUTE_CALIBRATED_PROGRAM_H

#include "base/error.h"
#include "generator/suite/program.h"
#include "session/work.h"

#include <jansson.h>
#include <stdbool.h>

/* How the calibration of a point ended. */
struct calibrated {
    bool unreached; /* a rate cannot be reached: this is the nearest program */
    json_t *record; /* {"reached", "rounds", "source", "nearest": {...}}; NULL: not calibrated */
};

/* STATUS_USAGE when calibration is requested for a suite, whose programs are fixed. */
enum status calibrate_check(const struct work *work, struct error *error);

/* Makes or loads the item's program, calibrating it first by these sources if that is requested. Notes each
 * attempt and its result. Free *calibrated with calibrated_free in every case. */
enum status calibrated_program(struct work *work, const struct work_item *item, const char *counters, int cpu,
                               struct program *program, bool *changed, struct calibrated *calibrated,
                               struct error *error);

void calibrated_free(struct calibrated *calibrated);

#endif
