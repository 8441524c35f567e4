/* --calibrate: closes the loop for one point before it is run or judged (runner/sources/calibrate.h), and
 * keeps what it learnt. */
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
    bool unreached; /* a rate cannot be shown: the program is the one that comes nearest */
    json_t *record; /* {"reached", "rounds", "source", "nearest": {...}}; NULL: there was none */
};

/* STATUS_USAGE when --calibrate is asked for a suite, whose programs are as they are. */
enum status calibrate_check(const struct options *options, const struct work *work, struct error *error);

/* Makes or loads the item's program, after calibrating it where --calibrate says so; tells on stderr what it
 * tries and finds. Free *calibrated with calibrated_free in every case. */
enum status calibrated_program(const struct options *options, struct work *work, const struct work_item *item,
                               int cpu, struct program *program, bool *changed, struct calibrated *calibrated,
                               struct error *error);

void calibrated_free(struct calibrated *calibrated);

#endif
