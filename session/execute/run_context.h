/* The first line of results: the context of a run (DESIGN.md section 7). */
#ifndef SESSION_EXECUTE_RUN_CONTEXT_H
#define SESSION_EXECUTE_RUN_CONTEXT_H

#include "base/error.h"
#include "session/execute/run_power.h"
#include "session/work.h"

#include "runner/results/results.h"

#include <jansson.h>

/* STATUS_USAGE when the inputs are for different machines or seeds: one context could not describe all. */
enum status run_context_check(const struct work *work, struct error *error);

/* The context of a run whose inputs passed run_context_check and share machine and seed; passes on what the
 * machine is like. New reference. */
json_t *run_context(const struct work *work, const char *counters, const struct run_power *sensors, int cpu);

/* What results are of, whatever ran. */
struct context_facts {
    const struct machine *machine;
    uint64_t seed;
    const char *root;
    const struct session_events *events;
    const char *counters; /* names of sources; NULL: all */
    const struct run_power *sensors;
    int cpu; /* that single programs run on; -1: any */
};

/* The same context without shard, clock and benchmarks. New reference. */
json_t *run_context_of(const struct context_facts *facts);

/* Opens results of one benchmark that no recipe describes, with that context and what sensors read as its
 * figure; resume: or continues them, if run_context_agrees. Close the file only if that succeeds. */
enum status run_context_open(const struct context_facts *facts, const char *benchmark, const char *path,
                             bool resume, struct results_file *file, struct error *error);

/* STATUS_USAGE when a file's context has another machine, seed, host or shard than this run's, or lacks one
 * of its benchmarks: its points would not be comparable, or would be in no figure. */
enum status run_context_agrees(const json_t *recorded, const json_t *now, const char *path,
                               struct error *error);

#endif
