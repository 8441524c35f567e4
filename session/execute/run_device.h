/* The GPU part of a run: loads a point's program, sets the GPU's state if requested and allowed, and reports
 * the observed clock. */
#ifndef SESSION_EXECUTE_RUN_DEVICE_H
#define SESSION_EXECUTE_RUN_DEVICE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/result_point.h"
#include "runner/state/gpu_clock.h"
#include "session/work.h"

/* Starts the process that locks clocks if the work has GPUs and --allow-state is given. Call before any
 * sensor is opened. */
enum status run_device_open(const struct work *work, bool allow_state, struct gpu_clock *clock,
                            struct error *error);

/* Loads the test program if it is for a device, and adds to the point what is known of the device and the
 * program, and to its state what of a GPU is requested; requested_state_end restores AMD's. Errors as
 * launch_open. */
enum status run_device_begin(struct work *work, struct gpu_clock *clock, struct test_program *test_program,
                             struct result_point *point, struct error *error);

/* After the repetitions: removes from what a pass makes the work of blocks that were sent home, and adds to
 * the warnings the faults of the program, the device or its clock. */
void run_device_judge(const struct test_program *test_program, struct result_point *point);

/* STATUS_UNAVAILABLE when the grids beside the point's did not run during enough of any repetition
 * (RESULT_BESIDE): none of its numbers is of grids that ran together. */
enum status run_device_check_beside(const struct result_point *point, struct error *error);

/* Unloads the program and restores the clock. Does nothing if nothing was begun. */
void run_device_end(const struct session_events *events, struct gpu_clock *clock,
                    struct test_program *test_program);

#endif
