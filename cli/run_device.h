/* What a run does about the GPU of a point's program: loads it there, locks its clock where that is wished
 * and allowed, and says what the clock was. */
#ifndef CLI_RUN_DEVICE_H
#define CLI_RUN_DEVICE_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/work.h"
#include "runner/conditions/gpu_clock.h"
#include "runner/launch/test_program.h"

#include <jansson.h>

/* Before any sensor is opened: the process that locks clocks, where the work has GPUs and --allow-state is
 * given. */
enum status run_device_open(const struct options *options, const struct work *work, struct gpu_clock *clock,
                            struct error *error);

/* Loads the test program's program, if it is a device's, and adds to the point what it is then: "device",
 * "module", and "state" where its clock is wished. As launch_open. */
enum status run_device_begin(const struct options *options, struct gpu_clock *clock,
                             struct test_program *test_program, json_t *point, struct error *error);

/* After the repetitions: takes from point["per_pass"] what blocks did not do that were sent home, and adds to
 * ["warnings"] what was wrong with the program, the device or its clock. */
void run_device_judge(const struct test_program *test_program, json_t *point);

/* Takes the program away and puts the clock back. Nothing where nothing was begun. */
void run_device_end(const struct options *options, struct gpu_clock *clock,
                    struct test_program *test_program);

#endif
