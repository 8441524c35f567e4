/* The first line of results: the context of a run (DESIGN.md section 7). */
#ifndef SESSION_EXECUTE_RUN_CONTEXT_H
#define SESSION_EXECUTE_RUN_CONTEXT_H

#include "base/error.h"
#include "session/execute/run_power.h"
#include "session/work.h"

#include "runner/results/results.h"

#include <stdbool.h>

/* STATUS_USAGE when the inputs have different machines or seeds, which one context cannot describe. */
enum status run_context_check(const struct work *work, struct error *error);

/* Opens the results of a run whose inputs passed run_context_check, with their context, and reports the
 * machine's conditions. pairs: the context lists the processors. resume: continues existing results;
 * STATUS_USAGE if they are of another machine, seed, host, shard or set of benchmarks. Close the file only if
 * the call succeeds. */
enum status run_context_open(const struct work *work, const char *counters, const struct run_power *sensors,
                             int cpu, bool pairs, const char *path, bool resume, struct results_file *file,
                             struct error *error);

/* The facts of a context that do not depend on recipes. */
struct context_facts {
    const struct machine *machine;
    uint64_t seed;
    const char *root;
    const struct session_events *events;
    const char *counters; /* names of sources; NULL: all */
    const struct run_power *sensors;
    int cpu; /* on which single programs run; -1: any */
};

/* As run_context_open for one benchmark without a recipe. Its figure shows the sensors' readings; its context
 * has neither shard nor clock. */
enum status run_context_open_alone(const struct context_facts *facts, const char *benchmark, const char *path,
                                   bool resume, struct results_file *file, struct error *error);

#endif
