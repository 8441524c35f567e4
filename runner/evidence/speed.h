/* What a pass's time means in the units that people ask for: bytes per second of each level, cycles and
 * nanoseconds of a load (DESIGN.md section 5). */
#ifndef RUNNER_EVIDENCE_SPEED_H
#define RUNNER_EVIDENCE_SPEED_H

#include "runner/launch/test_program.h"
#include "runner/results/result_point.h"

/* Adds "pass.ns" of a processor's program from its repetitions (DESIGN.md section 7), source "timing": of
 * each copy that has a place, and of the program where the source itself did not time it, or where copies ran
 * together. Copies that hardly ran at the same time have none (RESULT_TOGETHER); beside other cores' kernels
 * such repetitions do not count. */
void speed_take(const struct result_point *point, struct observations *list);

/* Sources run a kernel of { cores = {...} } without the other cores': their "pass.ns" and "ipc" become
 * solo.unit.ns and solo.ipc, and other metrics of time are forgotten. Nothing for other programs. */
void speed_name_solo(const struct manifest *manifest, struct observations *list);

/* Derives from every "pass.ns" and every "pass.cycles" unit.ns and unit.cycles, and load.ns, store.ns and
 * branch.ns where the unit has such operations: the number of units of a pass is the generator's choice; and
 * branch.distance of a loop whose branches are all of branch{}, unless the source counted them.
 * Derives from every "pass.ns" and every "ipc" of a processor's program, with the same source and doubt:
 * - pass.cycles, from the instructions of a pass;
 * - bandwidth.LEVEL, where that level serves all accesses: what they move to and from it in a pass. A walk
 *   belongs to the nearest level that holds all walks, if the plan expects its lines from there; beyond L1
 * whole lines move. Nothing where the recipe's own text may access memory, and for another machine than the
 * present one. What counters saw of other levels is forgotten.
 * - latency.LEVEL and latency.LEVEL_ns, where the unit is loads of one chase that one level serves. What
 *   others evict from an L3 that they share comes from memory: then a chase shows L3's latency only if a
 *   source measured, or inferred, that L3 served it.
 * - coherence.WHAT_ns, where the unit is accesses of one kind to regions that copies share.
 * Of each copy too; the program's bandwidth is the sum over copies. */
void speed_derive(const struct test_program *test_program, struct observations *list);

/* Adds what a kernel of { cores = {...} } or { grids = {...} } and the others did to each other, of the
 * repetitions that they ran during at least RESULT_BESIDE of: loaded.bandwidth, from the bytes that they
 * moved meanwhile (0 where there is no other kernel), and loaded.latency_ns, where its own unit is loads of
 * one chase. */
void speed_beside(const struct test_program *test_program, const struct result_point *point,
                  struct observations *list);

/* True for a bandwidth or a latency that the kernel has not, whatever sources see: says why, and what is
 * there instead. */
bool speed_why_not(const struct test_program *test_program, const char *metric, char *why, size_t capacity);

#endif
