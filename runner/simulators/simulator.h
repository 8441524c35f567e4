/* Simulators: what they report of a program, and how they are told of a machine; a row and a file for each.
 */
#ifndef RUNNER_SIMULATORS_SIMULATOR_H
#define RUNNER_SIMULATORS_SIMULATOR_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/launch/test_program.h"

#include <stddef.h>

/* Named as quantities are (generator/metric/quantity.h). */
enum simulated_count {
    SIMULATED_INSTRUCTIONS, /* with it, what the program is known to do is a simulator's denominator */
    SIMULATED_LOADS,
    SIMULATED_STORES,
    SIMULATED_ACCESSES, /* of L1D, where loads and stores are not apart */
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

/* What is read, and of which program: a table has those of several. */
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

    /* Appends what configures it as the machine's caches and TLB are, and to notes what of the machine it
     * does not have. STATUS_USAGE for caches that it cannot have. NULL: it is not configured here. */
    enum status (*configure)(const struct machine *machine, struct buffer *text, struct buffer *notes,
                             struct error *error);
};

/* Ends with NULL. */
extern const struct simulator *const simulators[];

/* STATUS_USAGE, with the names of those known, if there is none. */
enum status simulator_find(const char *name, const struct simulator **found, struct error *error);

/* STATUS_USAGE, with the nearest size, for a cache whose number of sets is no power of two. */
enum status simulator_check_sets(const char *simulator, const char *name, const struct cache *cache,
                                 struct error *error);

/* All of them unknown. */
void simulated_stats_clear(struct simulated_stats *stats);

/* Adds to a count, which is 0 if it was unknown. */
void simulated_stats_add(struct simulated_stats *stats, enum simulated_count count, double value);

/* The number, which may have commas between its digits, behind the first `mark` from `text` on and after
 * blanks; NAN if there is no such mark, or no number. */
double simulated_number(const char *text, const char *mark);

/* STATUS_USAGE: the file has nothing that this reader knows. expected: what it would have. */
enum status simulated_refuse(const struct simulated_text *from, const char *expected, struct error *error);

/* The rates that are judged: what is NAN cannot be told. */
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

/* Per instruction of a program, for counts that a simulator does not report. NAN: not known. */
struct simulated_known {
    double accesses, branches;
};

void simulated_complete(struct simulated_stats *stats, const struct simulated_known *known);

void simulated_rates(const struct simulated_stats *stats, double rates[SIMULATED_RATES]);

/* ---- faults: what a simulator would report of a program if it had one of those known. Each is tried on the
 * program as it is executed, with caches of its own (simulator_fault.c) ---- */

/* The first has none. */
enum { SIMULATOR_FAULTS = 79 };

/* "prefetches the next line into L1D": what a simulator with the fault does. */
const char *simulator_fault_words(size_t fault);

/* NAN for what the machine lacks, and where there is nothing to divide by. */
enum status simulator_fault_rates(const struct test_program *test_program, uint64_t passes,
                                  double rates[SIMULATOR_FAULTS][SIMULATED_RATES], struct error *error);

#endif
