/* Conditions of the machine that impair a measurement, checked before it starts: changing clocks, other load
 * on the core, locked counters, a virtual machine. Each condition is a row of a table: a small function that
 * checks it and names the remedy. All paths are below a root folder, "" for the machine itself. */
#ifndef RUNNER_CONDITIONS_CONDITION_H
#define RUNNER_CONDITIONS_CONDITION_H

#include "runner/conditions/snapshot.h"
#include "runner/results/warning.h"

#include <stddef.h>

/* What a condition affects; bits. */
enum condition_matter {
    AFFECTS_TIME = 1,     /* time is measured */
    AFFECTS_CLOCK = 2,    /* time is measured, and not only relative to other times */
    AFFECTS_POWER = 4,    /* power is measured */
    AFFECTS_COUNTERS = 8, /* the processor's own counters are read */
    AFFECTS_ALL = 15,
};

enum condition_state { CONDITION_GOOD, CONDITION_WARNING, CONDITION_UNKNOWN };

enum { CONDITION_WHAT_BYTES = 320, CONDITION_MEND_BYTES = 200 };

/* The result of a check. */
struct finding {
    enum condition_state state;
    char what[CONDITION_WHAT_BYTES]; /* a sentence; if unknown, the reason */
    char mend[CONDITION_MEND_BYTES]; /* a command; "" if there is none */
};

/* What to check. */
struct condition_view {
    const char *root;
    const int *cpus; /* logical processors used for the measurement */
    size_t cpu_count;
    const struct snapshot *before, *now; /* the machine at two moments, shortly apart */
};

struct condition {
    const char *name; /* "governor" */
    unsigned matters; /* bits of enum condition_matter */
    void (*look)(const struct condition_view *view, struct finding *finding);
};

struct found_condition {
    const char *name;
    struct finding finding;
};

/* "good", "warning", "unknown". */
extern const char *const condition_states[];

/* Checks the conditions that affect one of `matters`; returns *count of them. Free with free. */
struct found_condition *conditions_look(const struct condition_view *view, unsigned matters, size_t *count);

/* Adds the warnings among them. */
void conditions_warn(const struct found_condition *found, size_t count, struct warnings *warnings);

/* The rows, in a file for each kind; a NULL name ends a table. A condition that affects time also affects
 * power, because energy is power times time. Slow changes do not affect times that are compared with others
 * measured in turn (AFFECTS_CLOCK). */
extern const struct condition clock_conditions[], load_conditions[], host_conditions[], counter_conditions[];

/* For the rows: each sets a finding. */
__attribute__((format(printf, 2, 3))) void finding_good(struct finding *finding, const char *what, ...);
__attribute__((format(printf, 2, 3))) void finding_unknown(struct finding *finding, const char *what, ...);
__attribute__((format(printf, 3, 4))) void finding_warn(struct finding *finding, const char *mend,
                                                        const char *what, ...);

#endif
