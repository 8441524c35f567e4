/* Verdicts: compares targets and bounds with the sources' observations (DESIGN.md section 6). A verdict has
 * two sides. Code is what the emitted program does on the described machine, shown by inspection and
 * simulation; of two such sources, the one that is not TraumaGen's own decides, and the other may dispute it.
 * Silicon is what the machine does, measured or else inferred; imported counters count there, whichever
 * machine they are from. */
#ifndef RUNNER_RESULTS_VERDICT_H
#define RUNNER_RESULTS_VERDICT_H

#include "runner/results/observation.h"
#include "runner/results/result_point.h"

#include <jansson.h>
#include <stdbool.h>

/* Judges everything that the manifest targets ("targets", "expect", and of "expected" the mix and body.share
 * that the unit states) and lists all other observations. present: the manifest's machine is the present one,
 * so that a pass also needs the silicon side, except for what the bytes alone settle (mix.*, body.share,
 * data.*_rate) and cache rates in a kernel that invites prefetchers. Returns {metric: {"target": number or
 * null, "expect": {"min", "max"} if given, "verdict", "code" and "silicon": the verdict of each side, null
 * without observations, "reason" if there is one, "observations": [...]}}, targets first. unseen says why
 * sources observed nothing: [{"metrics": [what the source would observe, "served.*" a family], "reason"}],
 * NULL for none; it becomes the reason if a metric is unobserved or a side is missing. New reference. */
json_t *verdict_judge(const json_t *manifest, const struct observations *observations, bool present,
                      const json_t *unseen);

/* The same for a recorded "rates" object: judges its observations again against its own targets. present: it
 * was recorded on the machine that the programs are for. */
json_t *verdict_judge_again(const json_t *rates, const json_t *tolerance, bool present);

/* True when the interval lies wholly within the tolerance of the manifest's target, or wholly outside, so
 * that more samples would not change the verdict. Always false with bounds. */
bool verdict_settled(const json_t *manifest, const struct observation *seen);

#endif
