/* Plans of GPU programs for a toy GPU, from points that tests write as JSON. */
#ifndef TESTS_GENERATOR_GPU_TOY_H
#define TESTS_GENERATOR_GPU_TOY_H

#include "base/json.h"
#include "generator/plan/gpu/gpu_plan_make.h"
#include "isa/isa.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small caches, so that a test can go through every access of a grid. */
static const char toy_gpu[] =
    "{\"name\":\"toy\",\"isa\":\"ptx\",\"caches\":{\"L1\":{\"size\":16384},\"L2\":{\"size\":131072}},"
    "\"gpu\":{\"arch\":\"sm_90\",\"sm\":4,\"sides\":1,\"shared\":8192,\"memory\":68719476736,"
    "\"bandwidth\":{\"SHARED\":128,\"L1\":128,\"L2\":256,\"MEM\":64}}}";

struct gpu_toy {
    struct machine machine;
    struct template templates;
    json_t *point;
    struct kernel kernel;
    struct gpu_plan plan;
    struct arena arena;
    struct error error;
};

static inline void gpu_toy_open(struct gpu_toy *toy, const char *machine)
{
    memset(toy, 0, sizeof *toy);
    json_t *document = json_parse(machine, strlen(machine), "machine", &toy->error);
    assert_int_equal(machine_from_json(document, "machine", &toy->machine, &toy->error), STATUS_OK);
    assert_int_equal(template_load(TRAUMA_SOURCE_DIR, isa_find("ptx"), &toy->templates, &toy->error),
                     STATUS_OK);
    json_decref(document);
}

static inline void gpu_toy_clear(struct gpu_toy *toy)
{
    gpu_plan_free(&toy->plan);
    arena_free(&toy->arena);
    json_decref(toy->point);
    toy->point = NULL;
    toy->plan = (struct gpu_plan){0};
}

/* The plan of a point: its text. */
static inline enum status gpu_toy_plan(struct gpu_toy *toy, const char *text, uint64_t seed)
{
    gpu_toy_clear(toy);
    memset(&toy->error, 0, sizeof toy->error);
    toy->point = json_parse(text, strlen(text), "point", &toy->error);
    assert_non_null(toy->point);
    enum status status =
        kernel_from_point(toy->point, toy->templates.isa, &toy->arena, &toy->kernel, &toy->error);
    if (status == STATUS_OK)
        status = gpu_plan_make(&toy->kernel, &toy->machine, &toy->templates, seed, "toy/default", &toy->plan,
                               &toy->error);
    return status;
}

static inline void gpu_toy_close(struct gpu_toy *toy)
{
    gpu_toy_clear(toy);
    template_free(&toy->templates);
    machine_free(&toy->machine);
}

/* Of each test of a group: *state is a toy of its own with toy_gpu. */
static inline int gpu_toy_set_up(void **state)
{
    struct gpu_toy *toy = calloc(1, sizeof *toy);
    *state = toy;
    gpu_toy_open(toy, toy_gpu);
    return 0;
}

static inline int gpu_toy_tear_down(void **state)
{
    gpu_toy_close(*state);
    free(*state);
    return 0;
}

#endif
