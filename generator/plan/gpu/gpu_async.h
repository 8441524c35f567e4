/* Asynchronous loads: copies from global to shared memory, which threads do not wait for.
 *
 * Every thread has a ring of places in its block's shared memory for each such load: `stages` times those of
 * a unit. A unit's copies form groups: one ends where an operation consumes a copy, and at the unit's end.
 * Before a copy overwrites another, or is read, the thread waits until at most `pending` of its latest groups
 * are under way. What operations consume was copied `stages` - 1 units before.
 *
 * A block's threads have their places side by side, so that one bulk copy serves all: the block's first
 * thread makes it. An mbarrier of each stage counts the bytes of a unit's copies. Its phases alternate in
 * parity, and the loop has an even number of units of each stage, so that each wait's parity is the same in
 * all passes. All threads wait for the phase where a place is used again, or read; then they meet at a
 * barrier, and copies begin: so no thread is two phases behind, and none still reads.
 *
 * A chase has one place, and each copy is what a unit's are: all threads wait for its phase and read, each
 * its own, where the next copy begins. */
#ifndef GENERATOR_PLAN_GPU_GPU_ASYNC_H
#define GENERATOR_PLAN_GPU_GPU_ASYNC_H

#include "generator/plan/gpu/gpu_plan.h"

/* Makes the rings but for their offsets, from the kernel and the grid. STATUS_RECIPE if more groups would be
 * under way than a thread can wait for. */
enum status gpu_async_make(struct gpu_plan *plan, struct error *error);

/* Units after which all rings are where they began. */
unsigned gpu_async_turn(const struct gpu_plan *plan);

/* Places the rings behind the shared memory that is in use. STATUS_RECIPE if that of the blocks on one
 * multiprocessor has no room for them. */
enum status gpu_async_lay(struct gpu_plan *plan, struct error *error);

/* Bytes between two places of a thread's ring. */
uint64_t gpu_ring_step(const struct gpu_plan *plan, unsigned item);

uint64_t gpu_ring_bytes(const struct gpu_plan *plan, unsigned item);

/* Bytes from the ring's start to the place of a copy, by its number among those of the item in a pass, and of
 * the one that is read in that unit. */
uint64_t gpu_ring_copied(const struct gpu_plan *plan, unsigned item, unsigned number);
uint64_t gpu_ring_read(const struct gpu_plan *plan, unsigned item, unsigned unit);

/* Of bulk copies: the stage of a unit, bytes from the ring's start to that stage's mbarrier, and the parity
 * of the phase that the unit's copies complete; of units before the first one the last pass's. */
unsigned gpu_ring_stage(const struct gpu_plan *plan, unsigned item, unsigned unit);
uint64_t gpu_ring_phase(const struct gpu_plan *plan, unsigned item, unsigned stage);
unsigned gpu_ring_parity(const struct gpu_plan *plan, unsigned item, int unit);

#endif
