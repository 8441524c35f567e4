/* A suite's program on an OpenCL device: its code object (program.co) if the device accepts it, else its
 * OpenCL C (program.cl), compiled there. OpenCL C cannot express how a wave learns where it runs, so AMD's
 * compiler leaves a placeholder; the binary is patched and loaded again. */
#ifndef RUNNER_DEVICES_OPENCL_OPENCL_PROGRAM_H
#define RUNNER_DEVICES_OPENCL_OPENCL_PROGRAM_H

#include "runner/devices/block_record.h"
#include "runner/devices/opencl/opencl_session.h"
#include "runner/launch/test_program.h"

struct opencl_loaded {
    opencl_kernel kernel;
    struct block_record_unit units[RECORD_UNITS]; /* what its records' places encode */
    size_t unit_count;                            /* 0: none */
};

/* Adds to facts {"module": {"from": "program.co"|"program.cl", "why": sentence if program.co was refused,
 * "placement": {"read": "cu,sh,se", "instructions", "bytes"} if it was patched, "local_bytes",
 * "shared_bytes", "threads_per_block", "log", "made": {"hash", "bytes"} or "no_binary": sentence},
 * "binary": its digits}. device: its description. STATUS_UNAVAILABLE when the program is placed and waves
 * cannot learn where they run on the device, or when AMD's compiler made plain loads of loads past L1;
 * STATUS_FAILED with the faulty line of its text. */
enum status opencl_program_load(const struct opencl_session *session, const struct test_program *test_program,
                                const json_t *device, struct opencl_loaded *loaded, json_t *facts,
                                struct error *error);

#endif
