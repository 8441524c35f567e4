/* The kinds of evidence (DESIGN.md section 6), one row each: what an observation of the kind describes, and
 * how far its systematic error allows it to be from a target. */
#ifndef RUNNER_RESULTS_EVIDENCE_KIND_H
#define RUNNER_RESULTS_EVIDENCE_KIND_H

#include "generator/metric/metric.h"

/* In ascending order: of a metric's observations, the one of the best kind is shown. */
enum evidence_kind {
    EVIDENCE_NONE, /* no observation, or a text that names no kind */
    EVIDENCE_PREDICTED,
    EVIDENCE_MAPPED, /* simulated with pages at random, as this machine's are unknown */
    EVIDENCE_INFERRED,
    EVIDENCE_SIMULATED,
    EVIDENCE_INSPECTED,
    EVIDENCE_MEASURED,
    EVIDENCE_KINDS
};

/* What an observation describes: what the emitted program does on the described machine, or what the present
 * machine does with it. A plan's observation describes neither. */
enum evidence_side { SIDE_NONE, SIDE_CODE, SIDE_SILICON };

struct evidence_kind_row {
    const char *name;   /* "measured", in results; "" for EVIDENCE_NONE */
    const char *before; /* in running text between name and source: " by "; NULL: the source is not named */
    enum evidence_side side;
    double tolerances[METRIC_TOLERANCES];
};

extern const struct evidence_kind_row evidence_kinds[EVIDENCE_KINDS];

/* The kind of that name; EVIDENCE_NONE for any other text and for NULL. */
enum evidence_kind evidence_kind_named(const char *name);

#endif
