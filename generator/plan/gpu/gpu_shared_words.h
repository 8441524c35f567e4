/* Words that threads of a GPU's grid have in common: those of its atomics. A stream of atomics has no rows
 * that it walks through; each thread always changes the same word, in L2 or in shared memory, alone or with
 * those of its warp, its block or the grid. How many share a word, and how many blocks a line, are promised.
 */
#ifndef GENERATOR_PLAN_GPU_GPU_SHARED_WORDS_H
#define GENERATOR_PLAN_GPU_GPU_SHARED_WORDS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Which threads have a word in common. STATUS_RECIPE for a scope that leaves out some of them, or that the
 * machine lacks. */
enum status gpu_words_read(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error);

/* Lays out the stream's region. STATUS_RECIPE with a place of sides or channels, where words do not follow.
 */
enum status gpu_words_lay(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error);

/* Refuses atomics on lines that dies share, each of which has an L2. */
enum status gpu_words_check_dies(const struct gpu_plan *plan, struct error *error);

/* Refuses an atomic that the machine or the level lacks; needs: the missing feature, or NULL. */
enum status gpu_words_refuse(const struct gpu_plan *plan, const struct gpu_stream *stream, const char *needs,
                             struct error *error);

/* Adds the threads that change a word, and the blocks that change a line of L2. */
void gpu_words_add_rates(struct gpu_plan *plan);

#endif
