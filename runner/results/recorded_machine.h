/* The part of a machine's description that readers of results and models need (results_context.h reads it).
 * Files of any version are read, so no member is required; struct machine (generator/machine/machine.h) is a
 * whole and checked description. */
#ifndef RUNNER_RESULTS_RECORDED_MACHINE_H
#define RUNNER_RESULTS_RECORDED_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers are NAN where they are not stated, and texts NULL. */
enum { VF_MOST = 32 };

struct vf_state {
    double volts, ghz;
};

struct recorded_machine {
    const char *name; /* points into the document */
    bool is_gpu, has_caches, has_l3;
    double clock_ghz, issue_width, load_ports;
    double cu, cores;
    double latency_l1d, latency_l2; /* cycles */
    double l1, l1d, l2, l3;         /* bytes; 0: not stated */
    bool lacks_l3;                  /* it states its caches, and no L3 */
    double sides;                   /* parts of L2; 1 if not stated */
    struct vf_state vf[VF_MOST];    /* in the order of the machine file, starting with VF1 */
    size_t vf_count;
};

#endif
