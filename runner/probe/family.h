/* Functions that the families of measurements share: sampling between readings of the clock, adding values.
 * Private to the probe. */
#ifndef RUNNER_PROBE_FAMILY_H
#define RUNNER_PROBE_FAMILY_H

#include "runner/probe/measured.h"

#include <stdbool.h>

/* Adds the family's measurements to the probe's values. An error ends the whole probe; a value that cannot be
 * measured is added as one that was not found. */
typedef enum status probe_family(struct probe *probe, struct error *error);

probe_family probe_clock;     /* clock.c */
probe_family probe_latency;   /* latency.c */
probe_family probe_effective; /* effective.c */
probe_family probe_geometry;  /* geometry.c */
probe_family probe_tlb;       /* tlb.c */
probe_family probe_bandwidth; /* bandwidth.c */
probe_family probe_branch;    /* core.c */
probe_family probe_issue;     /* core.c */
probe_family probe_width;
probe_family probe_code_size;  /* code_size.c */
probe_family probe_structures; /* structures/structures.c */

/* A loop to time: each iteration performs `things` of the counted operations. */
struct probe_timing {
    const struct probe_code *code;
    uint64_t iterations;
    double things;
    struct probe_words *words;
    uintptr_t begin, end; /* memory of moving walks: one that would pass the end starts over; 0: none */
    bool disturbed;       /* set by probe_time: all attempts were disturbed */
};

/* Cycles and nanoseconds per thing, from the faster half of the undisturbed samples (probe_undisturbed). It
 * is measured again, up to three times, while few samples are left, or while the clock is delayed: slower
 * than before, but not by another frequency. The chain of longer operations shows the difference: another
 * thread delays each operation by the same time, and so a chain of long ones by a smaller share. ns may be
 * NULL. */
struct interval probe_time(struct probe *probe, struct probe_timing *timing, size_t samples,
                           struct interval *ns);

/* The clock's present ticks per cycle: one reading. */
double probe_ticks_per_cycle(const struct probe *probe);

/* The cycles of one long operation, from the fastest of some samples of both chains; *clock: ticks per cycle.
 */
double probe_long_cycles(const struct probe *probe, double *clock);

/* Marks the value that was added last as possibly wrong, because its samples were disturbed. */
void probe_doubt(struct probe *probe);

/* Updates the clock's values, in case later measurements showed that it is faster. */
void probe_clock_settle(struct probe *probe);

/* Things per cycle: the inverse of the interval. */
struct interval probe_inverse(struct interval interval);

/* Iterations of the clock's chain for one reading of the core's clock. */
uint64_t probe_clock_iterations(const struct probe *probe);

/* Iterations of a loop that take about that many seconds, and enough of the clock's ticks. */
uint64_t probe_iterations(const struct probe *probe, const struct probe_timing *timing, double seconds);

/* Adds a measured value, or one that was not found. */
__attribute__((format(printf, 5, 6))) struct probe_value *probe_add(struct probe *probe, const char *name,
                                                                    const char *unit,
                                                                    struct interval interval,
                                                                    const char *remark, ...);
__attribute__((format(printf, 4, 5))) void probe_add_missing(struct probe *probe, const char *name,
                                                             const char *unit, const char *why, ...);

/* Compares the value with the one that the system reports (0: none) in `by`; if they differ, adds the remark
 * `why`. */
void probe_compare(struct probe_value *value, double reported, const char *by, const char *why);

/* The names of a level's latency and size. */
struct probe_level {
    const char *cycles, *ns, *size;
    size_t offset;        /* of the cache in struct machine */
    const char *by, *why; /* the source of its reported size, and why the measured one may differ */
};

/* Adds the level's latency from its plateau of the latency curve, in cycles and, if known, in ns. The remark
 * is "WHAT through SIZE to SIZE", then the suffix. */
void probe_add_latency(struct probe *probe, const struct probe_level *level,
                       const struct probe_plateau *plateau, const char *what, const char *suffix);

/* Adds the level's size from its plateau and the next one, and compares it with the reported one. */
void probe_add_size(struct probe *probe, const struct probe_level *level, const struct probe_plateau *plateau,
                    const struct probe_plateau *next);

/* Times a chase through the chain that starts at `first`; returns cycles per load. settle: loads before the
 * first sample. ns and disturbed (as in struct probe_timing) may be NULL. */
struct interval probe_chase(struct probe *probe, void *first, size_t settle, double seconds, size_t samples,
                            struct interval *ns, bool *disturbed);

/* The loads and stores of a machine, by their width: the section "accesses" of templates/<isa>/probe.s. */
enum { PROBE_ACCESS_BYTES = 80 };

struct probe_access {
    unsigned bytes;
    char load[PROBE_ACCESS_BYTES], store[PROBE_ACCESS_BYTES]; /* a loop's body: {offset} is the address */
};

/* Finds the access of that width, or with 0 bytes the widest, that the machine supports; false if there is
 * none. */
bool probe_access_find(const struct probe *probe, unsigned bytes, struct probe_access *access);

#endif
