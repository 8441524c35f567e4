/* Asynchronous loads: copies from global to shared memory, which threads do not wait for.
 *
 * For each such load every thread has a ring in its block's shared memory: `stages` times the places that a
 * unit copies to. A unit's copies form groups, which end where an operation consumes a copy and at the unit's
 * end. Before a copy overwrites an earlier one, or is read, the thread waits until at most `pending` of its
 * latest groups are under way. Operations consume what was copied `stages` - 1 units before.
 *
 * Bulk copies: the places of a block's threads are adjacent, so that one copy, which the block's first thread
 * makes, serves all. An mbarrier for each stage counts the bytes of a unit's copies. Its phases alternate in
 * parity, and the loop has an even number of units of each stage, so that each wait has the same parity in
 * all passes. Before a place is reused or read, all threads wait for the phase and meet at a barrier, and
 * only then copies begin. So no thread is two phases behind, and none still reads.
 *
 * A chase has one place and one phase for each copy: all threads wait for the phase and read, each in its own
 * place, where the next copy begins. */
#ifndef GENERATOR_PLAN_GPU_GPU_ASYNC_H
#define GENERATOR_PLAN_GPU_GPU_ASYNC_H

#include "generator/plan/gpu/gpu_plan.h"

/* Makes the rings, except their offsets, from the kernel and the grid. STATUS_RECIPE if more groups would be
 * under way than a wait can leave. */
enum status gpu_async_make(struct gpu_plan *plan, struct error *error);

/* Units after which all rings return to their first stage. */
unsigned gpu_async_turn(const struct gpu_plan *plan);

/* Places the rings behind the shared memory that is in use. STATUS_RECIPE if the blocks of one multiprocessor
 * then need more than it has. */
enum status gpu_async_lay(struct gpu_plan *plan, struct error *error);

/* Bytes between two places of a thread's ring. */
uint64_t gpu_ring_step(const struct gpu_plan *plan, unsigned item);

uint64_t gpu_ring_bytes(const struct gpu_plan *plan, unsigned item);

/* Bytes from the ring's start to the place of the item's number-th copy of a pass, and to the place that is
 * read in a unit. */
uint64_t gpu_ring_copied(const struct gpu_plan *plan, unsigned item, unsigned number);
uint64_t gpu_ring_read(const struct gpu_plan *plan, unsigned item, unsigned unit);

/* For bulk copies: the stage of a unit, bytes from the ring's start to the stage's mbarrier, and the parity
 * of the phase that the unit's copies complete. Negative units are those of the previous pass. */
unsigned gpu_ring_stage(const struct gpu_plan *plan, unsigned item, unsigned unit);
uint64_t gpu_ring_phase(const struct gpu_plan *plan, unsigned item, unsigned stage);
unsigned gpu_ring_parity(const struct gpu_plan *plan, unsigned item, int unit);

#endif
