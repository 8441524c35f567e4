/* The words of atomics, which threads of a GPU's grid share. A stream of atomics does not walk through rows:
 * each thread always changes the same word, in L2 or in shared memory, alone or together with its warp, its
 * block or the grid. The number of threads per word, and of blocks per line, is promised. */
#ifndef GENERATOR_PLAN_GPU_GPU_SHARED_WORDS_H
#define GENERATOR_PLAN_GPU_GPU_SHARED_WORDS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Sets which threads share a word. STATUS_RECIPE for a scope that does not include all of them, or that the
 * machine lacks. */
enum status gpu_words_read(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error);

/* Lays out the stream's region. STATUS_RECIPE with a place of sides or channels, which words do not obey. */
enum status gpu_words_lay(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error);

/* Refuses atomics on lines that dies with an L2 each share. */
enum status gpu_words_check_dies(const struct gpu_plan *plan, struct error *error);

/* Refuses an atomic that the machine or the level lacks; needs: the missing feature; NULL: the level lacks
 * it. */
enum status gpu_words_refuse(const struct gpu_plan *plan, const struct gpu_stream *stream, const char *needs,
                             struct error *error);

/* Adds the rates of threads per word and of blocks per line of L2. */
void gpu_words_add_rates(struct gpu_plan *plan);

#endif
