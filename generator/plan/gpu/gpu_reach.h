/* Predicts the level that serves each of a GPU's streams: compares the bytes that reach a cache before the
 * stream reads a line again with the cache's size. */
#ifndef GENERATOR_PLAN_GPU_GPU_REACH_H
#define GENERATOR_PLAN_GPU_GPU_REACH_H

#include "generator/plan/gpu/gpu_plan.h"

/* Sectors (or lines, in a cache without sectors) per access of all waves of a block. */
uint64_t gpu_block_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* True if L1 keeps the lines that the stream reads. */
bool gpu_stream_keeps(const struct template *templates, const struct gpu_stream *stream);

/* Bytes of L1 that the blocks' shared memory leaves. */
uint64_t gpu_l1_room(const struct gpu_plan *plan);

/* Bytes of L2 that can hold the stream's lines: those of one side or die, in the chosen channels. */
uint64_t gpu_l2_room(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Predicts the level that serves each stream, after all regions are laid out. */
void gpu_streams_predict(struct gpu_plan *plan, const struct template *templates);

/* STATUS_RECIPE if a block's shared memory exceeds the machine's or the reach of instructions; or if the data
 * exceeds the machine's memory. */
enum status gpu_shared_check(const struct gpu_plan *plan, const struct template *templates,
                             struct error *error);
enum status gpu_memory_check(const struct gpu_plan *plan, struct error *error);

/* Warm-up passes for a stream that memory serves. Each run begins at the same rows, so a short run would hit
 * in L2 the lines that the previous one read: the warm-up must read more than L2 holds. On AMD, whose L2s are
 * a tenth the size of NVIDIA's, one pass is enough. */
uint64_t gpu_stream_past_l2(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Sectors that all waves of a block read for the addresses of the next chunks of a side. */
uint64_t gpu_link_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream);

#endif
