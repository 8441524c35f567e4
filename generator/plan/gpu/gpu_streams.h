/* The streams of a GPU's plan: the size of each region, which decides the level that serves it, and its
 * contents. */
#ifndef GENERATOR_PLAN_GPU_GPU_STREAMS_H
#define GENERATOR_PLAN_GPU_GPU_STREAMS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Sizes the regions of all streams, whose per_pass must be set, lays them out in the data, and predicts the
 * levels that serve them. STATUS_RECIPE if a level cannot serve a stream. */
enum status gpu_streams_size(struct gpu_plan *plan, const struct template *templates, struct error *error);

/* Sectors (or lines, in a cache without sectors) per whole wave's access. */
unsigned gpu_stream_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Bytes per bus transfer, the unit for the rates of its data. */
unsigned gpu_stream_bus(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Rows of the region after which its words repeat; the region should be a whole multiple of them. */
uint64_t gpu_stream_word_rows(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* The same for all waves of a block. */
uint64_t gpu_block_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* True if L1 keeps the lines that the stream reads. */
bool gpu_stream_keeps(const struct template *templates, const struct gpu_stream *stream);

/* Bytes of L1 left over by a block's shared memory. */
uint64_t gpu_l1_room(const struct gpu_plan *plan);

/* Bytes of L2 that can hold the stream's lines: near a multiprocessor, in the chosen channels. */
uint64_t gpu_l2_room(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Predicts the level that serves each stream, after all regions are laid out. */
void gpu_streams_predict(struct gpu_plan *plan, const struct template *templates);

/* STATUS_RECIPE if a block's shared memory exceeds the machine's or the reach of instructions; or if the data
 * exceeds the machine's memory. */
enum status gpu_shared_check(const struct gpu_plan *plan, const struct template *templates,
                             struct error *error);
enum status gpu_memory_check(const struct gpu_plan *plan, struct error *error);

/* Gives every stream its fill rule, and the plan the targets and expected rates of its data (gpu_data.c).
 * STATUS_RECIPE if a pattern's rate cannot be met. */
enum status gpu_streams_fill(struct gpu_plan *plan, uint64_t seed, const char *label, struct error *error);

/* Warm-up passes for a stream that memory serves. Each run begins at the same rows, so a short one would find
 * in L2 what the previous run read: the warm-up must read more than L2 holds. On AMD, whose L2s are a tenth
 * the size of NVIDIA's, one pass is enough. */
uint64_t gpu_stream_past_l2(const struct gpu_plan *plan, const struct gpu_stream *stream);

#endif
