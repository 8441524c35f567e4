/* Races in the shared memory of a block: accesses of two threads to the same word, of which one writes and
 * which no barrier orders. Executors run threads in one order among many, so that a program can read the
 * right values here and others on hardware. Accesses of fewer than 4 bytes are not looked at. Who calls
 * "thread" what is its own choice: accesses of one thread are in order, such as those of a lane, or of a wave
 * whose lanes run in step. */
#ifndef SIM_SHARED_RACES_H
#define SIM_SHARED_RACES_H

#include "sim/lane_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RACE_MOST_THREADS = 1024 };

struct shared_races;

/* For that many bytes of shared memory; threads form groups of `group` that barriers of their own may order.
 * Free it with shared_races_free. */
struct shared_races *shared_races_new(size_t bytes, unsigned group);
void shared_races_free(struct shared_races *races);

/* All threads have met at a barrier; those of that group have. */
void shared_races_meet(struct shared_races *races);
void shared_races_meet_group(struct shared_races *races, unsigned group);

/* Notes the thread's access, which lies in the memory; false if it races with an earlier one of another.
 * same: a store of what is there already, whose order among other stores does not matter. */
bool shared_races_note(struct shared_races *races, unsigned thread, enum lane_kind kind, bool same,
                       uint64_t address, unsigned bytes);

/* Notes the accesses of `count` threads from `first` on, whose addresses grow by `stride` from one to the
 * next: how many come before one that races; count: none does. Side by side they take little time. */
unsigned shared_races_note_even(struct shared_races *races, unsigned first, unsigned count,
                                enum lane_kind kind, uint64_t address, int64_t stride, unsigned bytes);

#endif
