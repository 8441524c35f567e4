/* A probe while it measures: its request, its loops and memory, and the values found so far. */
#ifndef RUNNER_PROBE_MEASURED_H
#define RUNNER_PROBE_MEASURED_H

#include "generator/machine/machine.h"
#include "isa/template.h"
#include "runner/probe/analysis.h"
#include "runner/probe/code.h"
#include "runner/probe/probe_memory.h"
#include "runner/probe/structures/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBE_VALUES_MOST = 128, PROBE_POINTS_MOST = 128, PROBE_REMARK_BYTES = 320 };

enum probe_agreement {
    PROBE_NOTHING_TO_COMPARE, /* the system reports no such number */
    PROBE_AGREES,             /* the system's number lies in the interval */
    PROBE_DISAGREES,          /* it does not, perhaps for the reason in the remark */
};

/* One number to be measured. */
struct probe_value {
    const char *name; /* "l1d.size" */
    const char *unit; /* "bytes", "cycles", "ns", "GB/s", "GHz", "per cycle" */
    bool found;       /* else the remark has the reason */
    struct interval interval;
    char text[POLICY_NAME_BYTES]; /* a value that is not a number: a policy; else "" */
    double reported;              /* by the system; 0: not reported */
    const char *reported_by;      /* "sysfs", "cpuid"; NULL */
    enum probe_agreement agreement;
    char remark[PROBE_REMARK_BYTES];
    const char *doubt; /* why it may be wrong; NULL: no reason */
};

struct probe_curve {
    struct probe_point points[PROBE_POINTS_MOST];
    size_t count;
};

/* A structure of the core, and the curve whose knees show its sizes. */
struct probe_structure {
    const char *values[2]; /* names of the values that its knees show; the second may be NULL */
    const char *title, *x_label, *y_label;
    struct probe_curve curves[2]; /* with the core's other threads idle, and with one running */
};

/* A probe's parameters. */
struct probe_request {
    const struct machine *machine; /* the present one, as detected: measurements are compared with it */
    int cpu;                       /* logical processor to measure on; -1: any */
    double time_s;                 /* approximate time limit, within some seconds */
    bool brief;      /* only the clock, a core's share of the caches, their latencies, and the issue width */
    bool structures; /* only the clock and the sizes of the core's structures */

    /* Called before each family with its name; may be NULL. */
    void (*step)(size_t done, size_t all, const char *what, void *context);
    void *context;
};

struct probe {
    const struct probe_request *request;
    struct probe_value values[PROBE_VALUES_MOST];
    size_t value_count;
    struct probe_curve latency;         /* random chase against working set, in bytes, on huge pages */
    struct probe_structure *structures; /* NULL: none was requested */
    size_t structure_count;
    size_t samples;     /* of each number */
    size_t settle_most; /* bytes of the largest working set that is walked before timing */
    size_t samples_taken, samples_dropped;
    double ticks_per_ns;
    double clock_iterations_per_tick; /* of the clock's chain; 0 until the clock is measured */
    double clock;                     /* ticks per cycle: the least since the frequency last changed */
    double clock_least;               /* the least of all */
    double long_cycles;               /* cycles of a long operation at that time */
    double huge_share;                /* of the memory used for the latencies */

    struct template texts;         /* the loops' text: sections of templates/<isa>/probe.s */
    struct probe_memory memory;    /* on huge pages if available */
    struct probe_code clock_chain; /* dependent adds, one per cycle */
    struct probe_code long_chain;  /* dependent multiplications */
    struct probe_code chase;
};

/* The value of that name, or NULL. */
const struct probe_value *probe_find(const struct probe *probe, const char *name);

#endif
