/* Conditions of the machine that impair a measurement, checked before it starts: changing clocks, other load
 * on the core, locked counters, a virtual machine. Each condition is a row of the table in condition.c: a
 * small function that checks it and names the remedy. All paths are below a root folder, "" for the machine
 * itself. */
#ifndef RUNNER_CONDITIONS_CONDITION_H
#define RUNNER_CONDITIONS_CONDITION_H

#include "runner/conditions/snapshot.h"

#include <jansson.h>
#include <stddef.h>

/* What a condition affects; bits. */
enum condition_matter {
    AFFECTS_TIME = 1,     /* time is measured */
    AFFECTS_CLOCK = 2,    /* and is meaningful by itself, not only relative to other times */
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

/* Checks all that matter: [{"condition", "state": "good" | "warning" | "unknown", "what", "mend"}]. New
 * reference. */
json_t *conditions_look(const struct condition_view *view, unsigned matters);

/* The warnings among the list, as [{"what", "mend"}]. New reference. */
json_t *conditions_warnings(const json_t *list);

/* The rows' functions, in files by kind. */
void condition_governor(const struct condition_view *view, struct finding *finding); /* clock_conditions.c */
void condition_boost(const struct condition_view *view, struct finding *finding);    /* clock_conditions.c */
void condition_supply(const struct condition_view *view, struct finding *finding);   /* clock_conditions.c */
void condition_temperature(const struct condition_view *view,
                           struct finding *finding); /* clock_conditions.c */
void condition_clocksource(const struct condition_view *view,
                           struct finding *finding);                                /* clock_conditions.c */
void condition_sibling(const struct condition_view *view, struct finding *finding); /* load_conditions.c */
void condition_load(const struct condition_view *view, struct finding *finding);    /* load_conditions.c */
void condition_others(const struct condition_view *view, struct finding *finding);  /* load_conditions.c */
void condition_virtual(const struct condition_view *view, struct finding *finding); /* host_conditions.c */
void condition_quota(const struct condition_view *view, struct finding *finding);   /* host_conditions.c */
void condition_huge_pages(const struct condition_view *view, struct finding *finding); /* host_conditions.c */
void condition_swap(const struct condition_view *view, struct finding *finding);       /* host_conditions.c */
void condition_set(const struct condition_view *view, struct finding *finding);        /* host_conditions.c */
void condition_permission(const struct condition_view *view,
                          struct finding *finding); /* counter_conditions.c */
void condition_watchdog(const struct condition_view *view,
                        struct finding *finding);                                  /* counter_conditions.c */
void condition_energy(const struct condition_view *view, struct finding *finding); /* counter_conditions.c */

/* For the rows: each sets a finding. */
__attribute__((format(printf, 2, 3))) void finding_good(struct finding *finding, const char *what, ...);
__attribute__((format(printf, 2, 3))) void finding_unknown(struct finding *finding, const char *what, ...);
__attribute__((format(printf, 3, 4))) void finding_warn(struct finding *finding, const char *mend,
                                                        const char *what, ...);

#endif
