/* The program under test: one emitted program with its manifest, on one machine. */
#ifndef RUNNER_LAUNCH_TEST_PROGRAM_H
#define RUNNER_LAUNCH_TEST_PROGRAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/stats.h"
#include "generator/machine/machine.h"
#include "generator/suite/manifest_read.h"
#include "runner/launch/placement.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct launch;

/* Where a simulator puts the program's pages in memory. */
enum page_map {
    MAP_NONE,   /* addresses are used unchanged */
    MAP_PAGES,  /* at random, as a system does */
    MAP_HASHED, /* and L2 and L3 take upper address bits into their index */
};

/* The time of a pass of copies that take turns, as measured while other pairs of copies ran too. */
struct turn_time {
    struct interval ns;
    char doubt[120];       /* as in struct observation */
    struct error withheld; /* if it has a code: why there is no time */
};

struct test_program {
    const char *benchmark;
    const char *point;               /* its readable name: "dependents=1,hit=0.5" */
    const struct manifest *manifest; /* DESIGN.md section 3, a suite on disk */
    const void *executable;          /* bytes of the standalone executable */
    size_t executable_size;
    const void *object; /* bytes of the object */
    size_t object_size;
    const void *source; /* text for a device's own compiler as an alternative (OpenCL C); NULL: none */
    size_t source_size;
    const struct machine *machine;
    const struct machine
        *reference_machine; /* machine for which reference programs are made; NULL: the machine */
    int cpu;                /* logical processor to measure on; -1: any */
    unsigned device; /* its number among those that its target's driver finds, if it runs on a device */
    void *prepared;  /* by a source (sources/source.h), for free(); NULL: nothing */
    const struct test_program *const *beside; /* [beside_count]: other grids that are loaded on the same
                                                 device and run at the same time */
    size_t beside_count;
    struct launch *launch;         /* the loaded program of a device (devices/launcher.h); NULL: none */
    const struct turn_time *turns; /* already measured; NULL: its copies are timed when a source needs it */
    const struct placement *place; /* where its copies run together; NULL: one on cpu */
    enum page_map map;
    bool all_counts; /* the raw counts of all known events are requested too */
    bool brief;      /* observe metrics without a requirement only briefly */
    unsigned rounds; /* how many times sources of time measure; they share their samples; 0: once */
    const struct text_set *cpu_features; /* of the present processor; NULL: query it */
};

/* One copy's report on its run: TSC ticks, or those of a device's multiprocessors. */
struct test_program_time {
    uint64_t ticks; /* of the passes */
    uint64_t start; /* when they began, if the ticks are the TSC's */

    /* For a device's program. */
    bool on_device;               /* the following are set: */
    double from_s, to_s;          /* of the passes, on clock_now_s; NAN: unknown */
    struct result_record *record; /* the struct's owner owns it */
};

/* One run of the executable. */
struct test_program_call {
    uint64_t iterations;
    double timeout_s;
    int cpu;      /* -1: any */
    int meet_fd;  /* the program reports there when ready, and waits there to start; 0: it does not wait */
    int share_fd; /* the file that copies share; 0: it runs with regions of its own */
    unsigned copy, copies; /* the copy's number, from 0, among the copies that share the file */
    enum status (*before_start)(pid_t pid, void *context, struct error *error); /* runner/process/child.h */
    void *context;
};

/* Reads --map: "none", "pages" or "hashed"; NULL is none. STATUS_USAGE for any other word. */
enum status test_program_read_map(const char *word, enum page_map *map, struct error *error);

/* STATUS_UNAVAILABLE, naming the feature, when the program needs one (its manifest's "features") that the
 * processor lacks: the program would end by an illegal instruction. */
enum status test_program_check_features(const struct test_program *test_program, struct error *error);

/* STATUS_FAILED when the executable is not an ELF file, for instance because it was emptied or replaced. An
 * empty file would run as a script without commands, and succeed. */
enum status test_program_check_executable(const struct test_program *test_program, struct error *error);

/* Sets the test program's place to *place if its manifest has threads or a place; otherwise one copy runs
 * where the runner chooses. If the place is not available, test_program_check_runs returns the reason. */
void test_program_find_place(struct test_program *test_program, struct placement *place);

/* STATUS_UNAVAILABLE, with the reason, when no copy of it runs: threads is 0, or its place is not here. */
enum status test_program_check_runs(const struct test_program *test_program, struct error *error);

/* STATUS_UNAVAILABLE when it walks through a very large amount of data: a walk has no targets, and simulating
 * or timing it takes minutes. */
enum status test_program_check_walk(const struct test_program *test_program, struct error *error);

/* True when its time depends on the load of other processors: several copies, or data in L3 or memory. */
bool test_program_shares(const struct test_program *test_program);

/* The machine for which reference programs are made. */
const struct machine *test_program_reference_machine(const struct test_program *test_program);

/* How many copies run together; the logical processor of one of them, -1: any. */
size_t test_program_copies(const struct test_program *test_program);
int test_program_cpu(const struct test_program *test_program, size_t copy);

/* Opens the file that all copies map, of zeros; programs give it its size. The caller closes *fd, which is
 * not 0. */
enum status test_program_open_share(int *fd, struct error *error);

/* "@COPY/COPIES/PATH", the last argument of a copy that shares the file. */
enum { TEST_PROGRAM_SHARE_BYTES = 96 };
void test_program_share_text(const struct test_program_call *call, char text[TEST_PROGRAM_SHARE_BYTES]);

/* Parses the line that the program wrote for that many passes. STATUS_FAILED if there is more than one line,
 * as the emitted program writes no more, or for values that no run can have. */
enum status test_program_parse_line(const struct buffer *output, uint64_t iterations,
                                    struct test_program_time *time, struct error *error);

/* STATUS_FAILED when it reports more ticks than any clock makes in that time. */
enum status test_program_check_ticks(const struct test_program_time *time, double wall_s,
                                     struct error *error);

/* True when it runs on a device, as GPU programs do: one copy at a time, and on no processor. */
bool test_program_is_on_device(const struct test_program *test_program);

#endif
