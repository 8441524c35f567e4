/* Converts the time of a pass into the usual units: bytes per second of each level, cycles and nanoseconds of
 * a load (DESIGN.md section 5). */
#ifndef RUNNER_EVIDENCE_SPEED_H
#define RUNNER_EVIDENCE_SPEED_H

#include "runner/launch/test_program.h"
#include "runner/results/result_point.h"

/* Adds "pass.ns" of a processor's program from its repetitions (DESIGN.md section 7), with the source
 * "timing": for each placed copy; and for the program, where the source did not time it or copies ran
 * together. Copies that hardly overlapped (RESULT_TOGETHER) have no such time. Beside other cores' kernels,
 * repetitions that hardly overlapped do not count. */
void speed_take(const struct result_point *point, struct observations *list);

/* Sources run a kernel of { cores = {...} } without the other cores' kernels: their "pass.ns" and "ipc"
 * become solo.unit.ns and solo.ipc, and other metrics of time are removed. Other programs are unchanged. */
void speed_name_solo(const struct manifest *manifest, struct observations *list);

/* Derives unit.ns and unit.cycles from every "pass.ns" and "pass.cycles", as the number of units of a pass is
 * the generator's choice; also load.ns, store.ns and branch.ns where the unit has such operations, and
 * branch.distance of a loop whose branches are all of branch{}, unless the source counted it.
 * Derives from every "pass.ns" and every "ipc" of a processor's program, with the same source and doubt:
 * - pass.cycles, from the instructions of a pass;
 * - bandwidth.LEVEL, where that level serves all accesses: the bytes that they move to and from it in a pass.
 *   Walks belong to the nearest level that holds all walks, if the plan expects their lines from there;
 *   beyond L1, whole lines move. None is derived where the recipe's own text may access memory, or for
 *   another machine than the present one. Counters' bandwidths of other levels are removed.
 * - latency.LEVEL and latency.LEVEL_ns, where the unit is loads of one chase that one level serves. Lines
 *   that other cores evict from a shared L3 come from memory: a chase there has L3's latency only if a source
 *   measured or inferred that L3 served it.
 * - coherence.STATE_ns, where the unit is accesses of one kind to regions that copies share.
 * Each copy has these metrics too; the program's bandwidth is the sum over its copies. */
void speed_derive(const struct test_program *test_program, struct observations *list);

/* Adds how a kernel of { cores = {...} } or { grids = {...} } and the kernels beside it affect each other,
 * from the repetitions in which they overlapped by at least RESULT_BESIDE: loaded.bandwidth, from the bytes
 * that the others moved meanwhile (0 without others), and loaded.latency_ns, if the kernel's own unit is
 * loads of one chase. */
void speed_beside(const struct test_program *test_program, const struct result_point *point,
                  struct observations *list);

/* True for a metric that no source can observe of this kernel: a bandwidth or latency of a level that does
 * not serve it all, a time beside other cores' kernels, a distance without issue_width. Fills in the reason
 * and names the metric to use instead. */
bool speed_why_not(const struct test_program *test_program, const char *metric, char *why, size_t capacity);

#endif
