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

/* Loads the test program if it is for a device, adds the facts of the device and the program to the point,
 * and sets the requested state of the GPU (requested_state_end restores AMD's). Errors as launch_open. */
enum status run_device_begin(struct work *work, struct gpu_clock *clock, struct test_program *test_program,
                             struct result_point *point, struct error *error);

/* After the repetitions: scales the counts per pass to the blocks that worked, and adds warnings about the
 * program, the device and its clock. */
void run_device_judge(const struct test_program *test_program, struct result_point *point);

/* STATUS_UNAVAILABLE when in no repetition the other grids ran long enough beside the point's own
 * (RESULT_BESIDE). */
enum status run_device_check_beside(const struct result_point *point, struct error *error);

/* Unloads the program and restores the clock, if they were loaded and set. */
void run_device_end(const struct session_events *events, struct gpu_clock *clock,
                    struct test_program *test_program);

#endif
