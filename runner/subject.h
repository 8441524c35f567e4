/* What is being judged: one emitted program with its manifest, on one machine. */
#ifndef RUNNER_SUBJECT_H
#define RUNNER_SUBJECT_H

#include "base/error.h"
#include "generator/machine.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct subject {
    const char *benchmark;
    const char *point;      /* its readable name: "dependents=1,hit=0.5" */
    const json_t *manifest; /* DESIGN.md section 3, a suite on disk */
    const void *executable; /* bytes of the standalone executable */
    size_t executable_size;
    const void *object; /* bytes of the object */
    size_t object_size;
    const struct machine *machine;
    int cpu;                    /* logical processor to measure on; -1: any */
    const json_t *cpu_features; /* what that processor has: ["sse2", ...]; NULL: it is asked */
};

/* STATUS_UNAVAILABLE with the feature when the program needs one (its manifest's "features") that the
 * processor does not have: it would end by an illegal instruction. */
enum status subject_check_features(const struct subject *subject, struct error *error);

/* STATUS_FAILED when the executable is not even an ELF file: emptied, or something else in its place. An
 * empty file would be taken for a script of no commands that ends well. */
enum status subject_check_executable(const struct subject *subject, struct error *error);

/* Runs the standalone executable for that many passes; *ticks gets its own count of TSC ticks.
 * STATUS_UNAVAILABLE when the processor lacks a feature. */
enum status subject_run(const struct subject *subject, uint64_t iterations, double timeout_s, uint64_t *ticks,
                        struct error *error);

/* The same with a function that is called in the parent before the program begins (runner/child.h). */
enum status subject_run_watched(const struct subject *subject, uint64_t iterations, double timeout_s,
                                enum status (*before_start)(pid_t pid, void *context, struct error *error),
                                void *context, uint64_t *ticks, struct error *error);

#endif
