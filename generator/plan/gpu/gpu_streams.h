/* The streams of a GPU's plan: how large each region is, so that its level serves it, and what it holds. */
#ifndef GENERATOR_PLAN_GPU_GPU_STREAMS_H
#define GENERATOR_PLAN_GPU_GPU_STREAMS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Sizes the regions of all streams, whose per_pass are known, and lays them out in the data; predicts what
 * serves them. STATUS_RECIPE when a level cannot serve a stream. */
enum status gpu_streams_size(struct gpu_plan *plan, const struct template *templates, struct error *error);

/* Sectors (or lines, where a cache has none) that one whole wave's access is. */
unsigned gpu_stream_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Bytes that go over the bus at once, by which the rates of its data are counted. */
unsigned gpu_stream_bus(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Rows of the region after which its words begin anew: once round should be a whole number of them. */
uint64_t gpu_stream_word_rows(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* The same of all waves of a block. */
uint64_t gpu_block_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* True when L1 keeps what the stream reads. */
bool gpu_stream_keeps(const struct template *templates, const struct gpu_stream *stream);

/* Bytes of L1 that a block's shared memory leaves. */
uint64_t gpu_l1_room(const struct gpu_plan *plan);

/* Bytes of L2 that may hold the stream's lines: near a multiprocessor, in the chosen channels. */
uint64_t gpu_l2_room(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* What serves each stream, all of whose regions are laid. */
void gpu_streams_predict(struct gpu_plan *plan, const struct template *templates);

/* STATUS_RECIPE when a block's shared memory is more than the machine has, or instructions reach; when the
 * data is more than its memory. */
enum status gpu_shared_check(const struct gpu_plan *plan, const struct template *templates,
                             struct error *error);
enum status gpu_memory_check(const struct gpu_plan *plan, struct error *error);

/* Gives every stream the rule of what it holds, and the plan the targets and expected rates of its data
 * (gpu_data.c). STATUS_RECIPE when the rate of a pattern cannot be met. */
enum status gpu_streams_fill(struct gpu_plan *plan, uint64_t seed, const char *label, struct error *error);

/* Passes before what memory serves counts. Each run begins at the same rows, and a short one would find in L2
 * what the run before it has read there: as much has to come between as L2 does not hold. AMD's L2 are a
 * tenth as large as NVIDIA's: there it is one. */
uint64_t gpu_stream_past_l2(const struct gpu_plan *plan, const struct gpu_stream *stream);

#endif
