/* The first line of results: the context of a run (DESIGN.md section 7). */
#ifndef SESSION_EXECUTE_RUN_CONTEXT_H
#define SESSION_EXECUTE_RUN_CONTEXT_H

#include "base/error.h"
#include "session/execute/run_power.h"
#include "session/work.h"

#include "runner/results/results.h"

#include <stdbool.h>

/* STATUS_USAGE when the inputs are for different machines or seeds: one context could not describe all. */
enum status run_context_check(const struct work *work, struct error *error);

/* Opens the results of a run whose inputs passed run_context_check and share machine and seed, with their
 * context, and passes on what the machine is like; pairs: the context has the processors. resume: continues
 * results of the same machine, seed, host, shard and benchmarks; STATUS_USAGE for others: their points would
 * not be comparable, or would be in no figure. Close the file only if that succeeds. */
enum status run_context_open(const struct work *work, const char *counters, const struct run_power *sensors,
                             int cpu, bool pairs, const char *path, bool resume, struct results_file *file,
                             struct error *error);

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

/* The same for results of one benchmark that no recipe describes, with what sensors read as its figure; their
 * context has neither shard nor clock. */
enum status run_context_open_alone(const struct context_facts *facts, const char *benchmark, const char *path,
                                   bool resume, struct results_file *file, struct error *error);

#endif
