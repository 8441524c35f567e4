/* What is being judged: one emitted program with its manifest, on one machine. */
#ifndef RUNNER_LAUNCH_TEST_PROGRAM_H
#define RUNNER_LAUNCH_TEST_PROGRAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/launch/placement.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct launch;

struct test_program {
    const char *benchmark;
    const char *point;      /* its readable name: "dependents=1,hit=0.5" */
    const json_t *manifest; /* DESIGN.md section 3, a suite on disk */
    const void *executable; /* bytes of the standalone executable */
    size_t executable_size;
    const void *object; /* bytes of the object */
    size_t object_size;
    const void *source; /* a text that a device's own compiler may take instead (OpenCL C); NULL: none */
    size_t source_size;
    const struct machine *machine;
    const struct machine
        *reference_machine;        /* what programs to compare with are made for; NULL: the machine */
    int cpu;                       /* logical processor to measure on; -1: any */
    unsigned device;               /* of those that its target's driver finds, where it runs on one */
    struct launch *launch;         /* a device's program that is loaded (launch/launcher.h); NULL: none is */
    const struct placement *place; /* where copies of it run together; NULL: one on cpu */
    bool all_counts;               /* the raw counts of all known events are wanted too */
    bool brief;                    /* what nothing is asked of is looked at briefly */
    const json_t *cpu_features;    /* what that processor has: ["sse2", ...]; NULL: it is asked */
};

/* What one copy says of its run: TSC ticks, or those of a device's multiprocessors. */
struct test_program_time {
    uint64_t ticks; /* of the passes */
    uint64_t start; /* when they began, where the ticks are the TSC's */

    /* Of a device's program. */
    bool told;           /* when it ran is told by: */
    double from_s, to_s; /* the passes, on clock_now_s; NAN: not known */
    json_t *record;      /* what its blocks said (launch/record.h); the owner's of this struct */
};

/* One run of the executable. */
struct test_program_call {
    uint64_t iterations;
    double timeout_s;
    int cpu;     /* -1: any */
    int meet_fd; /* the program says there that it is ready, and waits there to begin; 0: it begins */
    enum status (*before_start)(pid_t pid, void *context, struct error *error); /* runner/launch/child.h */
    void *context;
};

/* STATUS_UNAVAILABLE with the feature when the program needs one (its manifest's "features") that the
 * processor does not have: it would end by an illegal instruction. */
enum status test_program_check_features(const struct test_program *test_program, struct error *error);

/* STATUS_FAILED when the executable is not even an ELF file: emptied, or something else in its place. An
 * empty file would be taken for a script of no commands that ends well. */
enum status test_program_check_executable(const struct test_program *test_program, struct error *error);

/* Sets the test program's place, in *place, where its manifest asks for one; what stands against it is in
 * place->why_not and comes back from test_program_check_runs. */
void test_program_find_place(struct test_program *test_program, struct placement *place);

/* STATUS_UNAVAILABLE, with the reason, when no copy of it runs: threads is 0, or its place is not here. */
enum status test_program_check_runs(const struct test_program *test_program, struct error *error);

/* STATUS_UNAVAILABLE when it walks through very much data: nothing is promised of a walk, and to simulate it
 * or to race it with another takes minutes. */
enum status test_program_check_walk(const struct test_program *test_program, struct error *error);

/* True when its time depends on what runs on other processors: several copies, or data in L3 or memory. */
bool test_program_shares(const struct test_program *test_program);

/* The machine that programs to compare with are made for. */
const struct machine *test_program_reference_machine(const struct test_program *test_program);

/* How many copies run together. */
size_t test_program_copies(const struct test_program *test_program);

/* Reads the line that the program wrote for that many passes. It must be the only one: a program that says
 * more is not the one that was emitted. STATUS_FAILED, too, for what no run can have been. */
enum status test_program_parse_line(const struct buffer *output, uint64_t iterations,
                                    struct test_program_time *time, struct error *error);

/* STATUS_FAILED when it counted more ticks than any clock has in that time. */
enum status test_program_check_ticks(const struct test_program_time *time, double wall_s,
                                     struct error *error);

/* True when it runs on a device, as GPUs' programs do: once at a time, and on no processor. */
bool test_program_is_on_device(const struct test_program *test_program);

/* Runs the program once: a standalone executable on call->cpu, a device's where it is loaded. */
enum status test_program_run_one(const struct test_program *test_program,
                                 const struct test_program_call *call, struct test_program_time *time,
                                 struct error *error);

/* Runs the standalone executable, all copies of it together, for that many passes each; *ticks gets the
 * programs' own count of TSC ticks, the mean of the copies. STATUS_UNAVAILABLE when the processor lacks a
 * feature. */
enum status test_program_run(const struct test_program *test_program, uint64_t iterations, double timeout_s,
                             uint64_t *ticks, struct error *error);

#endif
