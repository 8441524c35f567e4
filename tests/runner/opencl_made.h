/* Programs for AMD's GPUs made by hand, with their manifests, for the tests of OpenCL's runner. */
#ifndef TESTS_RUNNER_OPENCL_MADE_H
#define TESTS_RUNNER_OPENCL_MADE_H

#include "base/json.h"
#include "runner/devices/launcher.h"
#include "tests/given_manifest.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 64, BLOCKS = 4, SPAN = 4096 };

struct made {
    char text[2048];
    json_t *manifest;
    struct machine machine;
    struct test_program test_program;
};

static inline void make(struct made *made, const char *text, const char *regions)
{
    char data[1024];
    snprintf(data, sizeof data, "{\"bytes\":%d,\"align\":65536,\"regions\":%s}", BLOCKS * SPAN, regions);
    snprintf(made->text, sizeof made->text, "%s", text);
    made->manifest = json_pack("{s:s, s:s, s:s, s:i, s:{s:i, s:i}, s:o, s:{}, s:{}}", "target", "gcn", "arch",
                               "gfx701", "entry", "trauma_kernel", "warmup", 2, "grid", "blocks", BLOCKS,
                               "threads", THREADS, "data", json_loads(data, 0, NULL), "targets", "expected");
    assert_non_null(made->manifest);
    made->machine = (struct machine){.present = true};
    made->test_program = (struct test_program){.benchmark = "made",
                                               .point = "up",
                                               .manifest = given_manifest(made->manifest),
                                               .source = made->text,
                                               .source_size = strlen(made->text),
                                               .machine = &made->machine,
                                               .cpu = -1};
}

static inline void unmake(struct made *made)
{
    launch_close(&made->test_program);
    json_decref(made->manifest);
}

static inline enum status run(struct made *made, uint64_t iterations, double timeout_s,
                              struct test_program_time *time, struct error *error)
{
    const struct test_program_call call = {.iterations = iterations, .timeout_s = timeout_s};
    *time = (struct test_program_time){0};
    made->test_program.manifest = given_manifest(made->manifest);
    return launcher_run(&made->test_program, &call, time, error);
}

#endif
