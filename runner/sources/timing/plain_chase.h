/* Plain pointer chases whose level is certain: rotating working sets of one-line nodes, over all lines of a
 * working set well inside a level, in random order, on huge pages. They depend on no plan: their time is that
 * of a load of the level, and the source "timing" compares kernels with it. Each level has two chases of
 * different sizes, because its latency varies slightly with the working set and lies between the two. Loads
 * that miss L1 by conflict may take longer than those of a chase over all sets, because a miss soon follows
 * another one of the same set (three cycles of seventeen on Zen 4). For them there are chases through one set
 * of L1, with none, one and two hitting loads in between. */
#ifndef RUNNER_SOURCES_TIMING_PLAIN_CHASE_H
#define RUNNER_SOURCES_TIMING_PLAIN_CHASE_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/probe/code.h"
#include "runner/probe/probe_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAIN_SIZES = 2, ONE_SET_GAPS = 3, PLAIN_MOST = LEVEL_COUNT * PLAIN_SIZES + ONE_SET_GAPS + 1 };

/* One chase. */
struct plain_chase {
    enum memory_level level;
    bool one_set;   /* of L1; L2 serves it */
    unsigned hits;  /* with one_set: hitting loads after each miss */
    unsigned delay; /* cycles of waiting after each load; included in its time */
    size_t bytes;
    unsigned char *base;
    struct probe_words at; /* where it continues */
};

/* All zeros: no chases. */
struct plain_chases {
    int cpu; /* logical processor to run on; -1: any */
    struct probe_memory memory;
    struct probe_code code, delayed;
    struct plain_chase items[PLAIN_MOST];
    size_t count;
};

/* The sizes of the level's two chases on the machine, the smaller first. STATUS_UNAVAILABLE, with the reason,
 * when no working set is certain to be served by the level: the machine lacks the level, or a core has too
 * small a part of it. */
enum status plain_chase_sizes(const struct machine *machine, enum memory_level level,
                              size_t sizes[PLAIN_SIZES], struct error *error);

/* The requested chases. */
struct plain_chase_request {
    bool levels[LEVEL_COUNT];
    bool one_set;
    double l3_delay; /* cycles between loads of L3; 0: back to back */
};

/* Lays out L1's chases and the requested ones. Free with plain_chases_free even after an error.
 * STATUS_UNAVAILABLE, with the reason and without a chase, when a level has no sizes, or the system provides
 * no memory or no huge pages. */
enum status plain_chases_open(const struct machine *machine, struct plain_chase_request request, int cpu,
                              struct plain_chases *chases, struct error *error);

/* Follows every chase once for a short time. ticks[chase] gets the clock's ticks per load of the chase's
 * level, without loads in between that hit L1. */
void plain_chases_time(struct plain_chases *chases, double ticks[PLAIN_MOST]);

void plain_chases_free(struct plain_chases *chases);

#endif
