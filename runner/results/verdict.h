/* Verdicts: compares targets and bounds with the sources' observations (DESIGN.md section 6). A verdict has
 * two sides. The code is what the emitted program does on the described machine, shown by inspection and
 * simulation; a source that is not TraumaGen's own decides, and TraumaGen's own may dispute it. The silicon
 * is what the machine does, measured or else inferred; imported counters count as silicon, whichever machine
 * they are from. */
#ifndef RUNNER_RESULTS_VERDICT_H
#define RUNNER_RESULTS_VERDICT_H

#include "generator/suite/manifest_read.h"
#include "runner/results/observation.h"
#include "runner/results/result_point.h"

#include <stdbool.h>

/* Why a source observed nothing, or only a part. */
struct unseen_reason {
    const char *source; /* for all metrics that it observes by the table of metrics; or a metric's name */
    const char *reason;
};

struct unseen {
    struct unseen_reason *items;
    size_t count;
};

/* Judges the manifest's targets and bounds, and of its expected rates the mix and body.share; lists all other
 * observations. A pass needs the silicon side, except for metrics that the bytes alone settle (of_bytes of
 * struct metric); without it the verdict is "pass (code)". present: the manifest's machine is the present
 * one, so that silicon_due is set, except for targets without prefetchers in a kernel that triggers
 * prefetchers. The rates are in this order, targets first. unseen (NULL: none) becomes the reason if a metric
 * is unobserved or a side is missing. Free *rates with result_rates_free. */
void verdict_judge(const struct manifest *manifest, const struct observations *observations, bool present,
                   const struct unseen *unseen, struct result_rates *rates);

/* Judges the observations of recorded rates again, against the recorded targets. tolerance: the recipe's;
 * NULL: none. present: they were recorded on the machine that the programs are for. */
void verdict_judge_again(const struct result_rates *recorded, const struct tolerances *tolerance,
                         bool present, struct result_rates *rates);

/* True when the interval lies wholly within the tolerance of the manifest's target, or wholly outside, so
 * that more samples would not change the verdict. Always false with bounds. */
bool verdict_settled(const struct manifest *manifest, const struct observation *seen);

#endif
