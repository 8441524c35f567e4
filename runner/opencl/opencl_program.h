/* A suite's program on an OpenCL device: its code object (program.co) where the device takes it, else its
 * OpenCL C (program.cl), compiled there. AMD's compiler leaves a placeholder where a wave learns where it
 * runs, which OpenCL C has no word for; the binary is patched and loaded again. */
#ifndef RUNNER_OPENCL_OPENCL_PROGRAM_H
#define RUNNER_OPENCL_OPENCL_PROGRAM_H

#include "runner/launch/record.h"
#include "runner/launch/test_program.h"
#include "runner/opencl/opencl_session.h"

struct opencl_loaded {
    opencl_kernel kernel;
    struct record_unit units[RECORD_UNITS]; /* what its records' places tell */
    size_t unit_count;                      /* 0: nothing */
};

/* Adds to facts {"module": {"from": "program.co"|"program.cl", "why": sentence where program.co was refused,
 * "placement": {"read": "cu,sh,se", "instructions", "bytes"} where it was patched, "local_bytes",
 * "shared_bytes", "threads_per_block", "log"}}. device: its description. STATUS_UNAVAILABLE when the program
 * is placed and the device tells no wave where it runs; STATUS_FAILED with the line where its text is wrong.
 */
enum status opencl_program_load(const struct opencl_session *session, const struct test_program *test_program,
                                const json_t *device, struct opencl_loaded *loaded, json_t *facts,
                                struct error *error);

#endif
