/* Simulators: readers of their reports and writers of their configurations; a row and a file for each. */
#ifndef RUNNER_SIMULATORS_SIMULATOR_H
#define RUNNER_SIMULATORS_SIMULATOR_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/launch/test_program.h"

#include <stddef.h>

/* Counts of a report, named like quantities (generator/metric/quantity.h). */
enum simulated_count {
    SIMULATED_INSTRUCTIONS, /* with it, known shares replace missing counts (simulated_complete) */
    SIMULATED_LOADS,
    SIMULATED_STORES,
    SIMULATED_ACCESSES, /* of L1D, where loads and stores are not distinguished */
    SIMULATED_L1D_LOAD_MISSES,
    SIMULATED_L1D_STORE_MISSES,
    SIMULATED_L1D_MISSES,
    SIMULATED_L2_ACCESSES,
    SIMULATED_L2_MISSES,
    SIMULATED_L3_ACCESSES,
    SIMULATED_L3_MISSES,
    SIMULATED_BRANCHES,
    SIMULATED_BRANCH_MISSES,
    SIMULATED_TLB_MISSES,
    SIMULATED_COUNTS
};

extern const char *const simulated_names[SIMULATED_COUNTS];

/* NAN: not reported. */
struct simulated_stats {
    double of[SIMULATED_COUNTS];
};

/* A report, and the program whose counts are read from it: a table has rows of several. */
struct simulated_text {
    const char *path;
    const char *text;    /* ends with a NUL */
    const char *program; /* "benchmark/point" */
    const char *columns; /* NAME=QUANTITY,...; NULL: a table's headings are quantities */
};

struct simulator {
    const char *name;
    const char *title; /* what it reads */
    enum status (*read)(const struct simulated_text *from, struct simulated_stats *stats,
                        struct error *error);

    /* Appends a configuration with the machine's caches and TLB to text, and to notes what the simulator
     * cannot model of the machine. STATUS_USAGE for caches that it does not support. NULL: no configuration
     * is written for this simulator. */
    enum status (*configure)(const struct machine *machine, struct buffer *text, struct buffer *notes,
                             struct error *error);
};

/* Ends with NULL. */
extern const struct simulator *const simulators[];

/* Finds the simulator by its name. STATUS_USAGE, with the known names, if there is none. */
enum status simulator_find(const char *name, const struct simulator **found, struct error *error);

/* STATUS_USAGE, with the nearest size, for a cache whose number of sets is no power of two. */
enum status simulator_check_sets(const char *simulator, const char *name, const struct cache *cache,
                                 struct error *error);

/* Sets all counts to unknown. */
void simulated_stats_clear(struct simulated_stats *stats);

/* Adds the value to a count; an unknown count becomes the value. NAN changes nothing. */
void simulated_stats_add(struct simulated_stats *stats, enum simulated_count count, double value);

/* The number that follows the first `mark` in the text and blanks; it may have commas between its digits. NAN
 * if there is no such mark or number. */
double simulated_number(const char *text, const char *mark);

/* STATUS_USAGE: the file has no statistics that this reader recognises. expected: what it should contain. */
enum status simulated_refuse(const struct simulated_text *from, const char *expected, struct error *error);

/* The judged rates; NAN: unknown. */
enum simulated_rate {
    RATE_L1D,
    RATE_L2,
    RATE_L3,
    RATE_STORES,
    RATE_STORE_MISSES,
    RATE_BRANCH,
    RATE_TLB,
    SIMULATED_RATES
};
extern const char *const simulated_rate_names[SIMULATED_RATES];

/* Known shares of a program, per instruction. NAN: unknown. */
struct simulated_known {
    double accesses, branches;
};

/* Fills in the accesses and branches that a simulator does not report. */
void simulated_complete(struct simulated_stats *stats, const struct simulated_known *known);

void simulated_rates(const struct simulated_stats *stats, double rates[SIMULATED_RATES]);

/* ---- faults: the rates that a simulator with one known fault would report of a program. Each fault is tried
 * on the executed program, with caches of its own (simulator_fault.c) ---- */

/* The first is no fault. */
enum { SIMULATOR_FAULTS = 79 };

/* What a simulator with the fault does: "prefetches the next line into L1D". */
const char *simulator_fault_words(size_t fault);

/* Executes the program for that many passes with every fault. NAN: the machine lacks the level, or there is
 * nothing to divide by. */
enum status simulator_fault_rates(const struct test_program *test_program, uint64_t passes,
                                  double rates[SIMULATOR_FAULTS][SIMULATED_RATES], struct error *error);

#endif
