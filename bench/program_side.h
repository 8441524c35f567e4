/* A generated program as one side of a comparison: made in memory from a shipped recipe, each run about
 * equally long. */
#ifndef BENCH_PROGRAM_SIDE_H
#define BENCH_PROGRAM_SIDE_H

#include "base/error.h"
#include "bench/bench.h"
#include "generator/recipe/recipe.h"
#include "generator/suite/program.h"
#include "runner/launch/test_program.h"

#include <stdint.h>

/* Shared by all programs of a part. */
struct bench_shop {
    struct machine machine; /* the present one */
    struct code_generator code_generator;
    double ticks_per_s; /* of the time stamp counter */
};

/* One program. Rates count `each`. */
struct program_side {
    const struct bench_shop *shop;
    struct program program;
    struct test_program test_program;
    double each_per_pass; /* bytes, or loads */
    uint64_t least;       /* passes of a run: at least once through all of the data */
    uint64_t passes;      /* of a run; 0: not known yet */
};

/* STATUS_UNAVAILABLE if the machine cannot be detected. Close it also after an error. */
enum status bench_shop_open(struct bench_shop *shop, struct error *error);
void bench_shop_close(struct bench_shop *shop);

/* One point of a recipe, valid during the visit. */
struct bench_point {
    const struct point *point;
    const struct manifest *stated; /* what the recipe states */
};

typedef enum status bench_visit(struct bench *bench, const struct bench_shop *shop,
                                const struct bench_point *point, struct error *error);

/* Calls visit for each point of recipes/NAME.lua, up to the first error. */
enum status bench_points(struct bench *bench, const struct bench_shop *shop, const char *name,
                         bench_visit *visit, struct error *error);

/* Makes the program of the point, to run on the processor. Its rate counts bytes of loads and stores, or with
 * count_loads, loads. Close it also after an error. */
enum status program_side_open(const struct bench_shop *shop, const struct bench_point *point, int cpu,
                              bool count_loads, struct program_side *side, struct error *error);
void program_side_close(struct program_side *side);

/* A bench_measure; the context is the struct program_side. */
enum status program_side_measure(void *context, double *rate, struct error *error);

/* The bytes that the point's loads and stores walk through. */
uint64_t bench_footprint(const struct bench_point *point);

#endif
