/* Detects races in a block's shared memory: two threads access the same word, at least one writes, and no
 * barrier orders the accesses. An executor runs threads in one of many possible orders, so a program with a
 * race can read the right values here and wrong ones on hardware. Accesses of fewer than 4 bytes are not
 * checked. A "thread" is whatever accesses in order: a lane, or a wave whose lanes run in lockstep. */
#ifndef SIM_SHARED_RACES_H
#define SIM_SHARED_RACES_H

#include "sim/lane_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RACE_MOST_THREADS = 1024 };

struct shared_races;

/* For that many bytes of shared memory. Threads form groups of `group`, which may have barriers of their own.
 * Free it with shared_races_free. */
struct shared_races *shared_races_new(size_t bytes, unsigned group);
void shared_races_free(struct shared_races *races);

/* All threads, or those of one group, have passed a barrier. */
void shared_races_barrier(struct shared_races *races);
void shared_races_group_barrier(struct shared_races *races, unsigned group);

/* Records the thread's access, which lies in the memory; false if it races with an earlier one of another
 * thread. same: a store of the value that is there already, whose order among other stores does not
 * matter. */
bool shared_races_note(struct shared_races *races, unsigned thread, enum lane_kind kind, bool same,
                       uint64_t address, unsigned bytes);

/* Records the accesses of `count` threads from `first` on, whose addresses grow by `stride`; faster if they
 * are adjacent. Returns how many precede the first that races; count if none does. */
unsigned shared_races_note_even(struct shared_races *races, unsigned first, unsigned count,
                                enum lane_kind kind, uint64_t address, int64_t stride, unsigned bytes);

#endif
